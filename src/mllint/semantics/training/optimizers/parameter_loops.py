"""What does a loop over the parameters of a model do with each of them?

for name, p in model.named_parameters():       # `parameter_of`: p
    (decayed if p.ndim > 1 else plain).append(p)        # `filled_lists`: decayed and plain
"""

from __future__ import annotations

import ast

from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import last_name, place, places, walk

__all__ = ["filled_lists", "owners_of_filled", "parameter_of", "sets_requires_grad"]

_ADDING = ("append", "extend", "insert")


def sets_requires_grad(loop: ast.For) -> bool:
    """Does a loop set `requires_grad`?"""
    stored = [n.attr for n in walk(loop) if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)]
    return "requires_grad" in stored


def parameter_of(loop: ast.For) -> str | None:
    """The variable that stands for a parameter in a loop over the parameters of a model."""
    if not isinstance(loop.iter, ast.Call) or loop.iter.args:
        return None
    called, target = last_name(loop.iter.func), loop.target
    if called == "named_parameters" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        return place(target.elts[1])
    return place(target) if called == "parameters" else None


def filled_lists(loop: ast.For, item: str) -> dict[str, ast.Call]:
    """The lists that a loop appends a variable to, with the calls."""
    found: dict[str, ast.Call] = {}
    for node in walk(loop):
        match node:
            case ast.Call(func=ast.Attribute(attr="append", value=target), args=[ast.Name(id=given)]) if given == item:
                found.update((name, node) for name in places(target) if name.isidentifier())
    return found


def owners_of_filled(name: str, function: FunctionScope) -> set[str]:
    """The places whose parameters a list holds that a function fills in loops over them; "" stands for anything else
    that is added to it. Empty where no such loop fills it."""
    loops = [run.node for run in function.loops if isinstance(run.node, ast.For)]
    over = [(loop, filled_lists(loop, item)) for loop in loops if (item := parameter_of(loop)) is not None]
    filling = [(loop.iter, filled[name]) for loop, filled in over if name in filled]
    known = {id(call) for _, call in filling}
    owners = {place(getattr(source.func, "value", None)) or "" for source, _ in filling if isinstance(source, ast.Call)}
    added = (
        c for c in function.calls_to(_ADDING) if isinstance(c.func, ast.Attribute) and name in places(c.func.value)
    )
    return owners | {"" for c in added if owners and id(c) not in known}
