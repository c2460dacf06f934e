"""Statistics are learned from rows that a later split holds out."""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Iterator
from mllint.checks._records import Division
from mllint.checks.data._fitting import DIVIDING, _named, divisions, effect_on, learns_statistics, receiver_of
from mllint.checks.data._folds import table_of
from mllint.checks.data._leaks import changes_little
from mllint.checks.data._prepared import scaled_by_themselves
from mllint.checks.data._turns import by_turns, cut_for_training, turned_back
from mllint.rule import Finding, Note, check
from mllint.semantics import Function, Site, text
from mllint.semantics.lineage import Origin, origins, same_place
from mllint.semantics.module import last_name, place, walk
from mllint.semantics.parts import targets_of
from mllint.semantics.seeding import is_unit_test

__all__: list[str] = []


def on_part(origin: Origin) -> bool:
    """Are the rows that are learned from one part of a split already?"""
    if not origin.node.args:
        return True
    value = Origin(origin.node.args[0], origin.frame).value
    return any(r.part in ("train", "heldout", "test") for r in value.all_roots)


@check("fit-before-split", near="fit fit_transform std", calls=DIVIDING, has="may_cut_rows")
def fit_before_split(function: Function) -> Iterator[Finding]:
    """Statistics are learned from rows that a later split holds out."""
    for division in divisions(function):
        for fit in _fits_before(division, function):
            if not learns_statistics(receiver_of(fit)) or (on_part(fit) and not in_fold(fit, division, function)):
                continue
            if by_turns(Origin(fit.node.args[0], fit.frame), division.node, function.scope):
                continue
            if turned_back(fit) or cut_for_training(fit):
                continue
            rows = text(fit.frame.module, fit.node.args[0], 40)
            yield Finding(
                fit,
                f"`{_named(fit)}` learns from all rows of `{rows}` before `{division.name}` holds some out",
                "learns from held-out rows too",
                [Note(Site(function.module, division.node), "rows are held out only here")],
                certain=not changes_little(fit, division, receiver_of(fit))
                and not (isinstance(division.node, ast.Subscript) and _rejoined(division, function)),
            )
        scaled = (pair for table in division.rows for pair in scaled_by_themselves(table, function))
        for statement, name in dict(scaled).items():
            message = f"`{name}` is scaled by the statistics of all its rows before `{division.name}` holds some out"
            notes = [Note(Site(function.module, division.node), "rows are held out only here")]
            yield Finding(Site(function.module, statement), message, "learns from held-out rows too", notes)


def _rejoined(division: Division, function: Function) -> bool:
    """Is what is cut a table that was put together of parts? A slice may take it apart again, and often nobody knows
    the answers for the second part."""
    return any(_joins(o) for rows in division.rows for o in origins(rows, function.frame))


def _joins(origin: Origin) -> bool:
    """Does a call put rows below rows, and not columns beside columns?"""
    node = origin.node
    if not isinstance(node, ast.Call) or last_name(node.func) not in ("concat", "concatenate", "vstack"):
        return False
    return all(k.arg != "axis" or text(origin.frame.module, k.value) in ("0", "'index'") for k in node.keywords)


def in_fold(fit: Origin, division: Division, function: Function) -> bool:
    """Is it in the loop over the folds, and learns from all the rows that these divide, be they a part of others?"""
    if fit.frame is not function.frame or not fit.node.args:
        return False
    loops = (r.node for r in function.scope.loops if isinstance(r.node, ast.For))
    around = (r for r in loops if any(n is division.node for n in walk(r.iter)))
    inside = any(r.lineno < fit.node.lineno <= (r.end_lineno or 0) for r in around)
    return inside and any(same_place(table_of(fit.node.args[0]), table_of(r), function.frame) for r in division.rows)


def _fits_before(division: Division, function: Function) -> Iterator[Origin]:
    """The fits that the divided rows have gone through, and those of estimators that later transform the parts."""
    cut = isinstance(division.node, ast.Subscript)

    def through(origin: Origin) -> bool:
        module = origin.frame.module
        if module is not function.module and is_unit_test(module):
            return False  # the rows that the tests of a trainer make up say nothing about it
        ends = effect_on(origin, "fits") and last_name(origin.node.func) != "fit_transform"
        return not ends and not _undone(origin) and not (cut and _joins(origin))

    for rows in division.rows:
        for origin in origins(rows, function.frame, through=through):
            if effect_on(origin, "fits"):
                yield origin
            elif effect_on(origin, "transforms") and not _undone(origin):
                yield from _fits_of(origin)
        calls = {id(c.node): c.node for c in function.calls()}
        for node in calls.values():
            fit = Origin(node, function.frame)
            if last_name(node.func) == "fit" and node.args and effect_on(fit, "fits"):
                whole = same_place(table_of(node.args[0]), table_of(rows), function.frame)
                if whole and any(_transforms_by(c, node, function) for c in calls.values()):
                    yield fit


def _undone(origin: Origin) -> bool:
    """Is it `scaler.inverse_transform(forecast)`? What comes out of a model is no input of it."""
    return isinstance(origin.node, ast.Call) and last_name(origin.node.func) == "inverse_transform"


def _fits_of(transform: Origin) -> Iterator[Origin]:
    """`s.fit(X)` before `s.transform(X)` of the same rows, in one function."""
    node, frame = transform.node, transform.frame
    transformer = node.func.value if isinstance(node.func, ast.Attribute) else None
    for call in frame.function.calls if transformer is not None else ():
        fit = Origin(call, frame)
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "fit"
            and call.args
            and node.args
            and call.lineno <= node.lineno
            and call is not node
        ):
            same_rows = same_place(call.args[0], node.args[0], frame) or text(frame.module, call.args[0]) == text(
                frame.module, node.args[0]
            )
            if place(call.func.value) == place(transformer) and same_rows and effect_on(fit, "fits"):
                yield fit


def _transforms_by(node: ast.Call, fit: ast.Call, function: Function) -> bool:
    if (
        last_name(node.func) != "transform"
        or not isinstance(node.func, ast.Attribute)
        or not isinstance(fit.func, ast.Attribute)
    ):
        return False
    if node.func.value is fit and node.args:
        return text(function.module, node.args[0]) != text(function.module, fit.args[0])
    name = place(fit.func.value)
    if isinstance(fit.func.value, ast.Call):  # `scaler = StandardScaler().fit(rows)`
        name = next(iter(targets_of(fit, function.scope)), None)
        if not node.args or text(function.module, node.args[0]) == text(function.module, fit.args[0]):
            return False  # fitted once more, for good
    elif not same_place(fit.func.value, node.func.value, function.frame):
        return False  # an estimator of the same name, built since
    elif node.args and text(function.module, node.args[0]) == text(function.module, fit.args[0]):
        return False  # all rows again, and no part of them
    return bool(name) and place(node.func.value) == name and node.lineno > fit.lineno
