"""Would a line that does nothing have changed anything that follows?

    x.clamp(0, 1)              # the numbers stay as they were, and nothing fails: a silent bug
    x.expand_as(y)             # what broadcasts has the same numbers either way
    torch.sum(scores, dim=1)   # in the body of a script: somebody looked at a value
    weight.detach()            # of a parameter of a module, which has no history
    index.to(device)           # an index may lie anywhere

Who writes an operation as a statement believes that its operand changes. That is a bug where the operand would be
another one, and is used. A line whose effect is there already, or makes no difference, is dead: it is to be removed,
not to be mended, and is shown from persona `pedantic` on.

A tensor that should move must lie elsewhere. That is so for what a loop draws, what is handed over to be moved, and
what is made on the CPU; what is computed lies where that lies of which it is computed, unless another one beside it
has to be moved.
"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import Binding, assigned, last_name, place, walk
from mllint.semantics.syntax.names import reaching

__all__ = ["makes_no_difference"]

_MEASURES = frozenset(
    """sum mean std norm argmax argmin topk mse_loss l1_loss cross_entropy nll_loss binary_cross_entropy
    binary_cross_entropy_with_logits""".split()
)
_SAME_NUMBERS = frozenset("expand expand_as contiguous clone".split())
_MOVES = frozenset("to cuda cpu".split())
_LISTS = frozenset("parameters named_parameters".split())
_MADE = frozenset(
    """zeros ones full eye rand randn randint randperm arange linspace tensor as_tensor from_numpy Tensor FloatTensor
    LongTensor next iter len array asarray cumsum""".split()
)


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
        return _is_parameter(call)
    return (
        word in _MOVES
        and _is_device(call)
        and ((_is_computed(call) and not _moves_beside(call)) or _only_indexes(call))
    )


def _is_parameter(call: Call) -> bool:
    """Is it one of the parameters that a module lists? They are leaves, and have no history to be cut off."""
    base = getattr(call.node.func, "value", None)
    if not isinstance(base, ast.Name):
        return False
    bindings = reaching(call.function).at.get(id(base), ())
    lists = [b.value.func for b in bindings if b.kind == "for" and isinstance(b.value, ast.Call)]
    return bool(lists) and len(lists) == len(bindings) and all(last_name(n) in _LISTS for n in lists)


def _is_device(call: Call) -> bool:
    """Is it moved to a device, not converted to a type: `x.to(torch.float32)` changes numbers?"""
    given = [*call.node.args, *(k.value for k in call.node.keywords)]
    return not any((place(a) or "").startswith("torch.") or last_name(a) == "dtype" for a in given)


def _is_computed(call: Call) -> bool:
    """Is it computed of other tensors, and lies where they lie?"""
    base = getattr(call.node.func, "value", None)
    if not isinstance(base, ast.Name):
        return False
    bindings = reaching(call.function).at.get(id(base), ())
    return bool(bindings) and all(b.kind == "assign" and _from_tensors(_bound(b), base.id) for b in bindings)


def _moves_beside(call: Call) -> bool:
    """Does the function move another tensor in the same way, and keep it: `y = y.cuda()` beside `x.cuda()`?"""
    words = [ast.dump(a) for a in call.node.args]
    for target, value in (pair for n in walk(call.function.node) for pair in assigned(n)):
        match value:
            case ast.Call(func=ast.Attribute(value=moved, attr=word), args=given) if word == call.last_name:
                if place(target) == place(moved) and words == [ast.dump(a) for a in given]:
                    return True
    return False


def _bound(binding: Binding) -> Any:
    """What a name is bound to, be it one of several: `b` of `x, y = a, b`."""
    value, path = binding.value, binding.path
    if isinstance(value, ast.Tuple) and path and path[0] is not None and path[0] < len(value.elts):
        return value.elts[path[0]]
    return value


def _from_tensors(node: Any, name: str) -> bool:
    """Does an expression compute of tensors: something is called that makes none, or a name is an operand? What is
    converted (`x = x.float()`), taken out of a batch, or made of numbers is not."""
    match node:
        case ast.Call(func=func):
            converts = isinstance(func, ast.Attribute) and place(func.value) == name
            return last_name(func) not in _MADE and not converts
        case ast.BinOp(left=left, right=right):
            return any(isinstance(o, ast.Name) or _from_tensors(o, name) for o in (left, right))
        case _:
            return False


def _only_indexes(call: Call) -> bool:
    """Is what should move read in the brackets of others only? PyTorch takes an index from the CPU on any device."""
    base = getattr(call.node.func, "value", None)
    name = place(base) if base is not None else None
    if name is None:
        return False
    owner = call.function.owner if name.startswith("self.") else None
    whole = walk(call.function.node if owner is None else owner.node)
    reads = [n for n in whole if isinstance(getattr(n, "ctx", None), ast.Load) and n is not base and place(n) == name]
    inside = [n for s in whole if isinstance(s, ast.Subscript) for n in walk(s.slice)]
    return bool(reads) and all(any(n is i for i in inside) for n in reads)
