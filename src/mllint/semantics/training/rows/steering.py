"""Do held-out rows only say when to stop, or does anybody see how well the model does on them?

    loss = criterion(model(X_val), y_val).item()
    if loss < best:
        best, kept, waited = loss, copy.deepcopy(model.state_dict()), 0
    ...
    return model                     # the loss goes nowhere: nobody takes it for a score

What was learned from all rows makes a score too good. Where no score leaves the function, there is none that could be:
the rows choose the best epoch, a little too late perhaps. What is printed, returned, logged, kept on an object or given
to anybody else is seen.

Unknown: the body of a file, whose names everybody may read; rows that no name speaks of. These count as seen.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.nodes import Node, assigned_pairs, last_name, walk
from mllint.semantics.training.roles import is_held_out_name
from mllint.semantics.values.lineage import statements

if TYPE_CHECKING:
    from mllint.semantics.flow.views import FunctionView
    from mllint.semantics.training.rows.splits import Division

__all__ = ["only_steers"]

_STEPS = ("step", "eval", "train")  # of a schedule by what it is told; a mode


def only_steers(division: Division, function: FunctionView) -> bool:
    """Whether nothing that is computed of the held-out rows leaves a function.

    Args:
        division: where rows are held out, by a split or by slices.
        function: where that is written.
    """
    scope = function.scope
    if scope.is_body or division.searches or isinstance(scope.node, ast.Lambda):
        return False
    found = statements(scope)
    computed = {name for s in found for name in _held_out(s, division)}
    if not computed:
        return False
    while more := {n for s in found for n in _bound_to(s, computed)} - computed:
        computed |= more
    decides = any(isinstance(s, (ast.If, ast.While)) and _reads(s.test, computed) for s in found)
    return decides and not any(_shows(s, computed) for s in found)


def _held_out(statement: Node, division: Division) -> set[str]:
    """The names of held-out rows, or of their numbers, that a statement binds to a part of what is divided."""
    bound = (
        t
        for t, v in assigned_pairs(statement)
        if v is division.node or isinstance(getattr(v, "slice", None), ast.Slice)
    )
    return {n.id for t in bound for n in walk(t) if isinstance(n, ast.Name) and is_held_out_name(n.id)}


def _bound_to(statement: Node, computed: set[str]) -> set[str]:
    """The names that a statement binds to something that is computed of what some names stand for."""
    match statement:
        case ast.AugAssign(target=target, value=value) | ast.For(target=target, iter=value):
            bound = [(target, value)]
        case _:
            bound = assigned_pairs(statement)
    return {n.id for t, v in bound if _reads(v, computed) for n in walk(t) if isinstance(n, ast.Name)}


def _reads(node: Node, names: set[str]) -> bool:
    return node is not None and any(isinstance(n, ast.Name) and n.id in names for n in walk(node))


def _shows(statement: Node, computed: set[str]) -> bool:
    """Whether a statement hands on what is computed: returns it, keeps it in a place, or calls for its effect."""
    match statement:
        case ast.Return(value=value):
            return _reads(value, computed)
        case ast.Expr(value=ast.Call(func=func)) if last_name(func) in _STEPS:
            return False
        case ast.Expr(value=value):
            return _reads(value, computed)
        case _:
            return any(
                _reads(v, computed) and not isinstance(t, (ast.Name, ast.Tuple)) for t, v in assigned_pairs(statement)
            )
