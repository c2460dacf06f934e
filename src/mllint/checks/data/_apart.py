"""Are training rows and held-out rows each scaled by what was learned from them alone, in a helper that gets either?

`x_train = scaled(x_train)` and `x_test = scaled(x_test)`, where `scaled` builds a scaler and fits it on what it gets,
or subtracts its mean. The helper is innocent; who calls it for both parts is not.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks._unread import rows_name
from mllint.checks.data._prepared import of_each_row
from mllint.rule import Finding, Note
from mllint.semantics import Function, Site, text
from mllint.semantics.calls import bind
from mllint.semantics.frames import Frame
from mllint.semantics.lineage import Origin, statements
from mllint.semantics.module import place, walk
from mllint.semantics.parts import held, own_statistics, trained

__all__ = ["handed_apart", "part_of"]

_SPREAD = (("mean", "std"), ("max", "min"))


def part_of(rows: Any, frame: Frame) -> str:
    """ "train" or "held": by what a split gave, or by name when nothing contradicts it."""
    parts = {r.part for r in Origin(rows, frame).value.all_roots}
    name = rows_name(rows)
    if parts and parts <= {"heldout", "test"} and not trained(name):
        return "held"
    if parts and parts <= {"train"} and (not held(name) or "dev" in (name or "").lower()):
        return "train"  # development rows are those that are not the test rows, where a split says so
    if parts & {"train"} and parts & {"heldout", "test"}:
        return ""
    return "held" if held(name) else "train" if trained(name) else ""


def handed_apart(function: Function, fits: list[Origin]) -> Iterator[Finding]:
    """The calls that hand held-out rows to a helper that learns from what it is given, below one for training rows.

    Args:
        function: the helper.
        fits: the calls in it that learn statistics from rows.
    """
    scope = function.scope
    learned = dict(_learned(function, fits)) if scope.parameters and not scope.is_body else {}
    if len(learned) != 1:
        return
    ((parameter, learns),) = learned.items()
    called: list[tuple[Any, Any, Frame, str]] = []
    for call, frame in function.project.callers(scope):
        given = bind(scope, call, frame)[0].get(parameter)
        if isinstance(given, tuple) and not _repeated(call, frame):
            called.append((call, given[0], frame, part_of(given[0], given[1])))
    for call, rows, frame, part in called:
        same = (c for c, _, f, other in called if f.function is frame.function and other == "train")
        first = next((c for c in same if c.lineno <= call.lineno), None) if part == "held" else None
        if first is not None:
            name, shown = text(frame.module, call.func), text(frame.module, rows, 40)
            message = f"`{name}` learns from the held-out rows `{shown}` what was learned from training rows"
            notes = [Note(Site(function.module, learns), "learns from its argument"),
                     Note(Site(frame.module, first), "called for the training rows here")]  # fmt: skip
            yield Finding(Site(frame.module, call), message, "held-out rows", notes)


def _learned(function: Function, fits: list[Origin]) -> Iterator[tuple[str, Any]]:
    """The parameters from which something is learned that the function itself makes, and where."""
    bindings = function.scope.bindings
    parameters = {p.name for p in function.scope.parameters if p.name != "self"}
    for fit in fits:
        estimator, rows = fit.node.func.value, place(fit.node.args[0])
        built = bindings.get(estimator.id, ()) if isinstance(estimator, ast.Name) else ()
        fresh = isinstance(estimator, ast.Call) or (len(built) == 1 and isinstance(built[0].value, ast.Call))
        if fresh and rows in parameters and len(bindings[rows]) == 1:
            yield rows, fit.node
    called = function.scope.called_names
    for statement in statements(function.scope) if any(called >= set(pair) for pair in _SPREAD) else ():
        for name, used in own_statistics(statement):
            if name in parameters and used in _SPREAD and not any(of_each_row(n, name) for n in walk(statement)):
                yield name, statement


def _repeated(call: Any, frame: Frame) -> bool:
    """Is it called in a loop, for one of many?"""
    loops = (r.node for r in frame.function.loops)
    return any(n.lineno <= call.lineno <= (n.end_lineno or n.lineno) for n in loops)
