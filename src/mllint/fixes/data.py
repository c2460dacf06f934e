"""Fixes of the family `data`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mllint.fixes.edits import (
    Spot,
    around,
    moved,
    parents,
    removed,
    replaced,
    segment,
    set_keyword,
    spot,
    statement,
    view_of,
    without_keyword,
)
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Call, Site, last_name, place, walk

__all__: list[str] = []


@fix("fit-on-test")
def transform_only(finding: Finding) -> Proposal:
    """`fit_transform` of held-out rows becomes `transform`."""
    site = finding.at.site
    func = site.node.func if isinstance(site.node, ast.Call) else None
    first = finding.labels[0].at.site.node if finding.labels and not finding.help else None
    fitted = first.func.value if isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute) else None
    if not isinstance(func, ast.Attribute) or fitted is None or len(site.node.args) != 1 or site.node.keywords:
        raise Unsure
    title = "Only `transform` the held-out rows"
    same = place(fitted) is not None and place(fitted) == place(func.value)
    if func.attr == "fit" and same and isinstance(parents(site)[0], ast.Expr):
        return Proposal(title, removed(statement(site)))
    if func.attr != "fit_transform" or not (same or _built_alike(fitted, func.value, site)):
        raise Unsure
    receiver = segment(Site(site.module, fitted))
    return Proposal(title, replaced(Site(site.module, func), f"{receiver}.transform"))


def _built_alike(fitted: ast.expr, fresh: ast.expr, site: Site) -> bool:
    """Is the one a name of what is built by the same words as the other?"""
    name, scope = place(fitted), view_of(site).scope
    bound = scope.bindings.get(name or "", ())
    if len(bound) != 1 or bound[0].value is None or not isinstance(fresh, ast.Call):
        return False
    return ast.dump(bound[0].value) == ast.dump(fresh) and bound[0].node.lineno < site.node.lineno


@fix("unshuffled-training")
def shuffle(finding: Finding) -> Proposal:
    """The loader shuffles."""
    node = finding.at.site.node
    if not isinstance(node, ast.Call) or last_name(node.func) != "DataLoader":
        raise Unsure
    call = Call(node, view_of(finding.at.site).frame)
    if call.is_open or any(call.argument(name) is not None for name in ("sampler", "batch_sampler")):
        raise Unsure
    size = next((k.value for k in node.keywords if k.arg == "batch_size"), node.args[1] if node.args[1:] else None)
    if size is None or call.argument("shuffle") is not None or node.lineno != node.end_lineno:
        return Proposal("Shuffle the training rows", set_keyword(call, "shuffle", "True"))
    return Proposal("Shuffle the training rows", around(Site(call.module, size), "", ", shuffle=True")[1:])


@fix("shuffled-time-series")
def keep_the_order(finding: Finding) -> Proposal:
    """The last rows are held out."""
    call = finding.at
    if not isinstance(call, Call) or call.last_name != "train_test_split" or call.argument("stratify") is not None:
        raise Unsure
    if call.argument("random_state") is None:
        return Proposal("Hold out the last rows", set_keyword(call, "shuffle", "False"))
    if call.argument("shuffle") is not None:
        raise Unsure
    removed = without_keyword(call.site, "random_state")
    text = call.module.source.text[removed[0].start : removed[0].end]
    gap = text[: text.index("random_state")]
    return Proposal("Hold out the last rows", [removed[0]._replace(text=f"{gap}shuffle=False")])


# ----------------------------------------------------------------------------------------------------- fit, then split
class _Split(NamedTuple):
    """`A_train, A_test, y_train, y_test = train_test_split(A, y)`: the statement, the arguments by their names, and the
    names of both parts of each."""

    spot: Spot
    given: Mapping[str, ast.Name]
    parts: Mapping[str, tuple[str, str]]


class _Fit(NamedTuple):
    """`T = R.fit_transform(A, y)`, `R.fit(A, y)`, or this and then `T = R.transform(A)`: what learns, what from, what
    the result is called, and the second statement."""

    receiver: ast.expr
    rows: str
    others: list[str]
    result: str = ""
    then: ast.stmt | None = None


@fix("fit-before-split")
def split_first(finding: Finding) -> Proposal:
    """What was fitted on all rows is fitted behind the split, on those for training."""
    site = finding.at.site
    own, split = spot(statement(site)), _split(finding.labels[0].at.site)
    fit = _fit(site, own)
    if split.spot.block is not own.block or split.spot.place < own.place:
        raise Unsure
    module, between = site.module, [s for s in own.block[own.place + 1 : split.spot.place] if s is not fit.then]
    _require_alone(fit, split, own, between, site)
    training, held_out = split.parts[fit.result or fit.rows]
    learned_from = ", ".join([training, *(split.parts[name][0] for name in fit.others)])
    changes, receiver = [], segment(Site(module, fit.receiver))
    if isinstance(fit.receiver, ast.Call):
        built, receiver = receiver, _name_for(fit.receiver, site)
        lines = [f"{receiver} = {built}"]
    else:
        lines = []
    if fit.result:
        lines.append(f"{training} = {receiver}.fit_transform({learned_from})")
        lines.append(f"{held_out} = {receiver}.transform({held_out})")
        if fit.result != fit.rows:
            changes += replaced(Site(module, split.given[fit.result]), fit.rows)
    else:
        lines.append(f"{receiver}.fit({learned_from})")
    if fit.then is not None:
        changes += removed(Site(module, fit.then))
    here, there = Site(module, own.statement), Site(module, split.spot.statement)
    return Proposal("Split first, and fit on the training rows", [*moved(here, behind=there, become=lines), *changes])


def _split(site: Site) -> _Split:
    """The split of rows that all have a name, into parts that have one."""
    call, here = site.node, spot(statement(site))
    assigned: Any = here.statement
    if not isinstance(call, ast.Call) or last_name(call.func) != "train_test_split":
        raise Unsure
    if not isinstance(assigned, ast.Assign) or assigned.value is not call or len(assigned.targets) != 1:
        raise Unsure
    given = [node for node in call.args if isinstance(node, ast.Name)]
    targets = [node.id for node in getattr(assigned.targets[0], "elts", ()) if isinstance(node, ast.Name)]
    if len(given) != len(call.args) or len(targets) != 2 * len(given) or len({n.id for n in given}) != len(given):
        raise Unsure
    parts = {node.id: (targets[2 * i], targets[2 * i + 1]) for i, node in enumerate(given)}
    return _Split(here, {node.id: node for node in given}, parts)


def _fit(site: Site, own: Spot) -> _Fit:
    """The statement that learns, if it does nothing else."""
    call, assigned = site.node, own.statement
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or call.keywords:
        raise Unsure
    names = [node.id for node in call.args if isinstance(node, ast.Name)]
    if not names or len(names) != len(call.args):
        raise Unsure
    receiver = call.func.value
    match assigned:
        case ast.Assign(targets=[ast.Name(id=result)], value=value) if value is call:
            if call.func.attr == "fit_transform" and (place(receiver) or isinstance(receiver, ast.Call)):
                return _Fit(receiver, names[0], names[1:], result)
        case ast.Expr(value=value) if value is call and call.func.attr == "fit" and place(receiver):
            then = own.block[own.place + 1] if own.place + 1 < len(own.block) else None
            return _Fit(receiver, names[0], names[1:], *_transformed(then, place(receiver), names[0]))
    raise Unsure


def _transformed(node: ast.stmt | None, estimator: str | None, rows: str) -> tuple[str, ast.stmt] | tuple[()]:
    """The result of `T = R.transform(A)`, and this statement; nothing if a statement is anything else."""
    match node:
        case ast.Assign(
            targets=[ast.Name(id=result)],
            value=ast.Call(func=ast.Attribute(value=of, attr="transform"), args=[ast.Name(id=given)], keywords=[]),
        ) if place(of) == estimator and given == rows:
            return result, node
    return ()


def _require_alone(fit: _Fit, split: _Split, own: Spot, between: Sequence[ast.stmt], site: Site) -> None:
    """Is what is learned, or made of the rows, needed by nothing but the split before it, and are the rows the same
    there?

    Raises:
        Unsure: it is not so.
    """
    if not {fit.result or fit.rows, *fit.others} <= set(split.parts):
        raise Unsure
    last = (fit.then or own.statement).end_lineno or 0
    nodes = [n for n in walk(view_of(site).scope.node) if isinstance(n, ast.Name) and n.lineno > last]
    if fit.result and any(n.id == fit.result and n is not split.given[fit.result] for n in nodes if _is_read(n)):
        raise Unsure
    used = {(n.id, _is_read(n)) for s in between for n in walk(s) if isinstance(n, ast.Name)}
    learns = (place(fit.receiver) or "").partition(".")[0]
    if (learns, True) in used or any((name, False) in used for name in (fit.rows, *fit.others, learns)):
        raise Unsure


def _is_read(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)


def _name_for(built: ast.Call, site: Site) -> str:
    """A name for what had none: `scaler` of `StandardScaler()`, `pca` of `PCA()`.

    Raises:
        Unsure: it is taken.
    """
    written = last_name(built.func) or ""
    starts = [i for i in range(1, len(written)) if written[i].isupper() and written[i - 1].islower()]
    name = written[starts[-1] if starts else 0 :].lower()
    taken = {n.id for n in walk(view_of(site).scope.node) if isinstance(n, ast.Name)}
    free = next((one for one in (name, f"first_{name}") if one.isidentifier() and one not in taken), None)
    if free is None:
        raise Unsure
    return free
