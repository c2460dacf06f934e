"""Which test rows do callers hand over to be validated on, and measure on afterwards?

def fitted(train, held): return lgb.train(params, train, valid_sets=[held], callbacks=[early_stopping(9)])
model = fitted(train, test)          # `find_handed_over`
model.predict(test)                  # where the chosen model is measured
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training import roles
from mllint.semantics.training.rows.usage import TEST
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.frames import Frame

__all__ = ["REPORTS", "find_handed_over", "is_in_folds", "part_of_place"]

REPORTS = ("evaluate", "predict", "test", "score", "predict_proba")
"""The last names of calls that measure a model on rows."""
_CALLS = 3
"""How many calls the rows are followed through."""


def find_handed_over(
    argument: Node, call: Node, function: FunctionScope, calls: int = _CALLS
) -> Iterator[tuple[Node, str, Node]]:
    """What callers in the same file hand over to be validated on, test rows by name, where they measure on it later.

    Args:
        argument: what is validated on.
        call: the call that is given it, and trains.
        function: where the call stands.
        calls: how many calls it is followed through at most.

    Yields:
        The expression, its name and the later call.
    """
    training = {p for a in call.args if a is not argument for p in _parameters_behind(a, function)}
    for parameter in _parameters_behind(argument, function) - training:
        for node, frame in function.module.project.callers(function):
            given = bind(function, node, frame)[0].get(parameter)
            if not isinstance(given, Passed) or frame.module is not function.module:
                continue
            if is_in_folds(node, frame.function):
                continue
            places = (n for n in map(place, walk(given.node)) if n is not None)
            name = next((n for n in places if roles.has_role_name(part_of_place(n), *TEST)), None)
            later = _measured_later(name, node, frame) if name is not None else None
            if name is not None and later is not None:
                yield given.node, name, later
            elif name is None and calls > 1:
                yield from find_handed_over(given.node, node, frame.function, calls - 1)


def _parameters_behind(node: Node, function: FunctionScope) -> set[str]:
    """The parameters of a function that an expression is made of, behind names that are bound once."""
    found, queue, seen = set(), [node], set()
    while queue:
        for name in (n.id for n in walk(queue.pop()) if isinstance(n, ast.Name)):
            bound = function.bindings.get(name, ()) if name not in seen else ()
            seen.add(name)
            if len(bound) == 1:
                found |= {name} if bound[0].kind == "param" else set()
                queue += [bound[0].value] if bound[0].kind == "assign" else []
    return found


def _measured_later(name: str, call: Node, frame: Frame) -> Node:
    """The call behind another one that measures on a place, or on a part of it, by itself or in the user's function
    that it enters."""
    bound = frame.function.bindings
    parts = {n for n, found in bound.items() if any(b.path and place(b.value) == name for b in found)}  # `x, y = test`
    for other in frame.function.calls:
        read = (place(n) for a in all_arguments(other) for n in walk(a)) if other.lineno > call.lineno else ()
        if {name, *parts}.isdisjoint(read):
            continue
        entered = (f for f in Call(other, frame).callees if not f.stubbed)
        if last_name(other.func) in REPORTS or any(not f.called_names.isdisjoint(REPORTS) for f in entered):
            return other
    return None


def is_in_folds(call: Node, function: FunctionScope) -> bool:
    """Does it stand in a loop over folds, which are all held out in turn?"""
    loops = [r.node for r in function.loops if r.node.lineno <= call.lineno <= (r.node.end_lineno or 0)]
    drawn = (n for loop in loops if isinstance(loop, ast.For) for n in walk(loop.iter))
    return any(isinstance(n, ast.Call) and last_name(n.func) == "split" for n in drawn)


def part_of_place(name: str) -> str:
    """What tells the part that a place names: `test` of `rows["test"]`, else the place."""
    key = name.rpartition("[")[2].rstrip("]").strip("'") if name.endswith("']") else ""
    key = key or name
    return key[1:] if key.startswith("d") and roles.is_held_out_name(key[1:]) else key  # `dtest` is a matrix of xgboost
