"""What was fitted on training rows is fitted again on held-out rows."""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Iterator
from mllint.checks._unbound import in_fragment, used_as_transformer
from mllint.checks._unread import HELD_OUT, TRAINING, rows_name, stem
from mllint.checks.data._apart import handed_apart, part_of
from mllint.checks.data._fitting import _named, effect_on, learns_statistics, receiver_of
from mllint.checks.data._leaks import draws_plane
from mllint.checks.data._prepared import joined_parts, on_request, scaled_in_fragment
from mllint.checks.data._turns import by_turns
from mllint.rule import Finding, Note, check
from mllint.semantics import Function, Site, Value, text
from mllint.semantics.lineage import Origin, statements
from mllint.semantics.module import last_name, place
from mllint.semantics.parts import held, own_statistics, trained

__all__: list[str] = []


@check("fit-on-test", calls="fit fit_transform mean std min max")
def fit_on_test(function: Function) -> Iterator[Finding]:
    """What was fitted on training rows is fitted again on held-out rows."""
    yield from _scaled_apart(function)
    yield from _fitted_on_joined(function)
    fits = [
        Origin(c, function.frame)
        for c in function.scope.calls
        if last_name(c.func) in ("fit", "fit_transform") and c.args
    ]
    learning = [f for f in fits if effect_on(f, "fits") and learns_statistics(receiver_of(f))]
    yield from handed_apart(function, learning)
    fits = [f for f in fits if effect_on(f, "fits") or in_fragment(f) or used_as_transformer(f)]
    if len(fits) < 2:
        return
    fits = [f for f in fits if in_fragment(f) or used_as_transformer(f) or learns_statistics(receiver_of(f))]
    earlier = [f for f in fits if part_of(f.node.args[0], f.frame) == "train"]
    for fit in fits:
        if part_of(fit.node.args[0], fit.frame) != "held":
            continue
        first = next((f for f in earlier if _same_estimator(f, fit)), None)
        one = first is not None and by_turns(Origin(fit.node.args[0], fit.frame), first.node, function.scope)
        if first is not None and not one:
            rows = text(function.module, fit.node.args[0], 40)
            yield Finding(
                fit,
                f"`{_named(fit)}` learns from the held-out rows `{rows}` what was learned from training rows",
                "held-out rows",
                [Note(first, "fitted on the training rows here")],
                certain=not on_request(fit.node, function) and not draws_plane(fit.node, receiver_of(fit)),
            )


def _fitted_on_joined(function: Function) -> Iterator[Finding]:
    """Both parts of a split are joined again for the fit of a preprocessing step."""
    for call in function.scope.calls:
        fit = Origin(call, function.frame)
        if last_name(call.func) in ("fit", "fit_transform") and call.args and effect_on(fit, "fits"):
            part = joined_parts(call.args[0], function)
            if part is not None and learns_statistics(receiver_of(fit)):
                message = f"`{_named(fit)}` learns from the held-out rows `{place(part)}` too"
                yield Finding(fit, message, "held-out rows", [Note(Site(function.module, part), "joined here")])


def _scaled_apart(function: Function) -> Iterator[Finding]:
    """Training rows and held-out rows are each scaled by their own mean, minimum ..."""
    names = function.scope.bindings
    for statement, name in scaled_in_fragment(function):
        message = f"`{name}` is scaled by its own statistics, not by those of the training rows"
        yield Finding(Site(function.module, statement), message, "held-out rows")
    if not any(held(name) for name in names) or not any(trained(name) for name in names):
        return
    scaled = [(s, *found) for s in statements(function.scope) for found in own_statistics(s)]
    for statement, name, used in scaled:
        first = next((s for s, other, same in scaled if trained(other) and same == used), None)
        if held(name) and first is not None:
            message = f"`{name}` is scaled by its own statistics, not by those of the training rows"
            notes = [Note(Site(function.module, first), "the training rows are scaled here")]
            yield Finding(Site(function.module, statement), message, "held-out rows", notes)


def _same_estimator(first: Origin, second: Origin) -> bool:
    a, b = receiver_of(first), receiver_of(second)
    if a is None or b is None:
        return False
    return a.same_as(b) is True or _made_alike(first, second, a, b)


def _made_alike(first: Origin, second: Origin, a: Value, b: Value) -> bool:
    """Two estimators of one class, the second built where it is fitted, or fitted on rows that are called alike."""
    names = [rows_name(fit.node.args[0]) or "" for fit in (first, second)]
    alike = stem(names[0], TRAINING) == stem(names[1], HELD_OUT) is not None
    built = alike or isinstance(second.node.func.value, ast.Call)
    return built and bool(a.classes) and [c.name for c in a.classes] == [c.name for c in b.classes]
