"""Would a line that does nothing have changed anything that follows?

    x.clamp(0, 1)              # the numbers stay as they were, and nothing fails: a silent bug
    x.expand_as(y)             # what broadcasts has the same numbers either way
    torch.sum(scores, dim=1)   # in the body of a script: somebody looked at a value
    weight.detach()            # of a parameter of a module, which has no history
    z.detach(); f(z.detach())  # it is cut off wherever it is read
    x.to(device); net(x)       # on the wrong device, or of the wrong type, PyTorch raises
    x.view(-1, 1); x = x.view(len(x), 1)    # the next line gives it a shape anyway
    x.unsqueeze(1); f(x.reshape(-1, 4))     # or whoever reads it does
    df.fillna(0); net.fit(df.fillna(0))     # what is read of the frame is filled where it is read
    df.fillna(0); print(df)                 # whoever looks at the frame sees that it is not filled

Who writes an operation as a statement believes that its operand changes. That is a bug where the operand would be
another one, and is used. A line whose effect is there already, or makes no difference, is dead: it is to be removed,
not to be mended, and is shown from persona `pedantic` on.

A tensor that is not moved, or not of the precision that a layer wants, is no silent bug: PyTorch raises. So a move or
a conversion that is discarded is either seen by whoever runs the program, or it was not needed.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.tensor_methods import COPIES, EXPANDS, FLOATS, LISTS_PARAMETERS, MOVES, RESHAPES
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import assigned_pairs, last_name, place
from mllint.semantics.values.lineage import origins, statements

__all__ = ["makes_no_difference"]

_MEASURES = frozenset(
    """sum mean std norm argmax argmin topk mse_loss l1_loss cross_entropy nll_loss binary_cross_entropy
    binary_cross_entropy_with_logits""".split()
)
_SAME_NUMBERS = EXPANDS | COPIES
_MOVES = MOVES | FLOATS | {"type_as"}
_MEASURED = ("shape", "size", "dtype", "device")
_CUTTING = ("detach", "data", *_MEASURED)
_SHAPING = ("view", "reshape", "flatten")
_FORMING = (*_SHAPING, "numel", *_MEASURED)
_OF_FRAMES = frozenset("dropna fillna ffill bfill reset_index drop_duplicates".split())


def makes_no_difference(call: Call) -> bool:
    """Does nothing that follows depend on the line, as far as one can see?

    Args:
        call: a call that only computes, written as a statement.
    """
    word = call.last_name
    if word in _SAME_NUMBERS:
        return True
    if word in _MEASURES:
        return call.function.is_body
    if word == "detach":
        return _is_parameter(call) or _is_read_only_as(call, _CUTTING)
    if word in RESHAPES:
        return _is_shaped_next(call) or _is_read_only_as(call, _FORMING)
    if word in _OF_FRAMES:
        return _is_done_below(call) or _is_only_printed_below(call)
    return word in _MOVES


def _is_parameter(call: Call) -> bool:
    """Is it one of the parameters that a module lists? They are leaves, and have no history to be cut off."""
    base = getattr(call.node.func, "value", None)
    if not isinstance(base, ast.Name):
        return False
    bindings = bound_at(base, call.function)
    lists = [b.value.func for b in bindings if b.kind == "for" and isinstance(b.value, ast.Call)]
    return bool(lists) and len(lists) == len(bindings) and all(last_name(n) in LISTS_PARAMETERS for n in lists)


def _is_read_only_as(call: Call, words: Collection[str]) -> bool:
    """Is nothing but some of its attributes read of it below, outside of loops: `target.detach()` above
    `loss(x, target.detach())`?"""
    name, line = place(getattr(call.node.func, "value", None)), call.node.lineno
    if name is None or any(run.node.lineno <= line <= (run.node.end_lineno or 0) for run in call.function.loops):
        return False
    reads = [n for n in call.function.nodes_of(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    below = {id(n) for n in reads if n.lineno > line}
    asked = {id(n.value) for n in call.function.nodes_of(ast.Attribute) if n.attr in words}
    return bool(below) and below <= asked


def _is_shaped_next(call: Call) -> bool:
    """Does the next statement give it a shape: `x.view(-1, 1)` above `x = x.reshape(len(x), 1)`?"""
    base = getattr(call.node.func, "value", None)
    while isinstance(base, ast.Call) and isinstance(base.func, ast.Attribute):
        base = base.func.value  # `x` of `x.contiguous().view(-1, 1)`
    name = place(base)
    below = [s for s in statements(call.function) if s.lineno > call.node.lineno]
    if not below:
        return False
    for target, value in assigned_pairs(min(below, key=lambda s: s.lineno)):
        match value:
            case ast.Call(func=ast.Attribute(value=shaped, attr=word)) if word in _SHAPING:
                if name is not None and place(target) == place(shaped) == name:
                    return True
    return False


def _is_only_printed_below(call: Call) -> bool:
    """Is the frame of a script printed below, and nothing else done with it? Whoever reads it sees what it is."""
    name = place(getattr(call.node.func, "value", None))
    reads = [n for n in call.function.nodes_of(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    below = {id(n) for n in reads if n.lineno > call.node.lineno}
    printed = {id(a) for c in call.function.calls if last_name(c.func) == "print" for a in c.args}
    return call.function.is_body and bool(below) and below <= printed


def _is_done_below(call: Call) -> bool:
    """Is the same done again with what is made of the frame, and kept: `df.sample(frac=1).reset_index()`?"""
    name = place(getattr(call.node.func, "value", None))
    owner = call.function.owner if name is not None and name.startswith("self.") else None
    scopes = [call.function] if owner is None else list(owner.methods.values())
    again = [(c, scope) for scope in scopes for c in scope.calls if last_name(c.func) == call.last_name]
    kept = [
        (c.func.value, scope)
        for c, scope in again
        if isinstance(c.func, ast.Attribute)
        and not any(c is n for n in scope.expressions)
        and (scope is not call.function or c.lineno > call.node.lineno)
    ]
    return any(
        place(origin.node) == name
        for base, scope in kept
        for origin in origins(base, call.project.frame(scope))
        if isinstance(origin.node, (ast.Name, ast.Attribute))
    )
