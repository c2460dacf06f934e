"""Would a line that does nothing have changed anything that follows?

    x.clamp(0, 1)              # the numbers stay as they were, and nothing fails: a silent bug
    x.expand_as(y)             # what broadcasts has the same numbers either way
    torch.sum(scores, dim=1)   # in the body of a script: somebody looked at a value
    weight.detach()            # of a parameter of a module, which has no history
    index.to(device)           # an index may lie anywhere
    x.to(device); net(x)       # nor does it matter where the network that was built above it was not moved either
    state = torch.zeros(8); state.cuda()    # a buffer that is made once: on the wrong device, the first step fails
    x.view(-1, 1); x = x.view(len(x), 1)    # the next line gives it a shape anyway
    df.fillna(0); net.fit(df.fillna(0))     # what is read of the frame is filled where it is read

Who writes an operation as a statement believes that its operand changes. That is a bug where the operand would be
another one, and is used. A line whose effect is there already, or makes no difference, is dead: it is to be removed,
not to be mended, and is shown from persona `pedantic` on.

A tensor that should move must lie elsewhere. That is so for what a loop draws or makes, and what is handed over to be
moved; what is computed lies where that lies of which it is computed, unless another one next to it has to be moved. A
parameter moves with its module, and an item of a dataset with the batch that it is put into. What is made once, above
the loops, is a buffer: whoever has run the program knows that it lies well, for PyTorch raises where it does not.
"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import Binding
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import assigned, last_name, place, walk, within
from mllint.semantics.training.layers.registration import PARAMETER
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import origins, statements
from mllint.semantics.values.values import ClassValue

__all__ = ["makes_no_difference"]

_MEASURES = frozenset(
    """sum mean std norm argmax argmin topk mse_loss l1_loss cross_entropy nll_loss binary_cross_entropy
    binary_cross_entropy_with_logits""".split()
)
_SAME_NUMBERS = frozenset("expand expand_as contiguous clone".split())
_MOVES = frozenset("to cuda cpu".split())
_SHAPES = frozenset("view reshape flatten squeeze unsqueeze".split())
_OF_FRAMES = frozenset("dropna fillna ffill bfill reset_index drop_duplicates".split())
_LISTS = frozenset("parameters named_parameters".split())
_MADE = frozenset(
    """zeros ones full eye rand randn randint randperm arange linspace tensor as_tensor from_numpy Tensor FloatTensor
    LongTensor next iter len array asarray cumsum""".split()
)
_DRAWN = frozenset("next iter len".split())


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
    if word in _SHAPES:
        return _is_shaped_next(call)
    if word in _OF_FRAMES:
        return _is_done_below(call)
    if word == "type_as":
        return _is_computed(call)
    return word in _MOVES and _is_device(call) and _need_not_move(call)


def _need_not_move(call: Call) -> bool:
    """Does what should move lie where it is wanted, or is it wanted nowhere else?"""
    if _is_computed(call) and not _moves_sibling(call):
        return True
    return _is_buffer(call) or _only_indexes(call) or _moves_with_others(call) or _meets_what_stays(call)


def _is_buffer(call: Call) -> bool:
    """Is it made once, above the loops of a script or a function, or by another method of the object?"""
    base = getattr(call.node.func, "value", None)
    owner, name = call.function.owner, (place(base) or "") if base is not None else ""
    loops = call.function.loops
    if any(within(call.node, loop.node) for loop in loops):
        return False
    if isinstance(base, ast.Name):
        if not call.function.is_body and not any(loop.node.lineno > call.node.lineno for loop in loops):
            return False  # whoever calls the function may be the loop
        made = [_bound(b) for b in reaching(call.function).at.get(id(base), ()) if b.kind == "assign"]
        return len(made) == len(reaching(call.function).at.get(id(base), ())) and _are_made(made)
    bound = [b.value for m in owner.methods.values() for b in m.bindings.get(name, ())] if owner is not None else []
    return _are_made(bound)


def _are_made(values: list[Any]) -> bool:
    """Are these all tensors that are made of numbers: `torch.zeros(8)`?"""
    return bool(values) and all(isinstance(v, ast.Call) and last_name(v.func) in _MADE - _DRAWN for v in values)


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


def _moves_sibling(call: Call) -> bool:
    """Does the function move another tensor in the same way, and keep it: `y = y.cuda()` next to `x.cuda()`?"""
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


def _moves_with_others(call: Call) -> bool:
    """Is it moved with what it is a part of: a parameter with its module, an item of a dataset with its batch?"""
    base = getattr(call.node.func, "value", None)
    owner, name = call.function.owner, (place(base) or "") if base is not None else ""
    if owner is None:
        return False
    if call.function.name == "__getitem__":
        return True
    bound = [b.value for m in owner.methods.values() for b in m.bindings.get(name, ())] if "." in name else []
    made = [v.func for v in bound if isinstance(v, ast.Call)]
    first = call.function.name == "__init__" or _moves_alone(name, call)  # else the module is moved here, by parts
    return first and bool(made) and len(made) == len(bound) and all(_is_of_parameter(n, call) for n in made)


def _is_of_parameter(func: Any, call: Call) -> bool:
    """Is it the class of parameters that is called?"""
    made = evaluate(func, call.frame).alternatives
    return all(isinstance(v, ClassValue) and v.cls.fullname in PARAMETER for v in made)


def _meets_what_stays(call: Call) -> bool:
    """Is it only given to networks that the function builds, while nothing else in the function is moved?"""
    base = getattr(call.node.func, "value", None)
    if not isinstance(base, ast.Name) or not _moves_alone(base.id, call):
        return False
    given = [
        c for c in call.function.calls if any(place(a) == base.id for a in c.args) and last_name(c.func) != "print"
    ]
    return bool(given) and all(_is_built(c.func, call) for c in given)


def _moves_alone(name: str, call: Call) -> bool:
    """Does the function move nothing else, and make nothing on a device?"""
    moves = [
        c for c in call.function.calls if last_name(c.func) in _MOVES or any(k.arg == "device" for k in c.keywords)
    ]
    return all(place(getattr(c.func, "value", None)) == name for c in moves)


def _is_built(func: Any, call: Call) -> bool:
    """Is it a name for a module that the function has built?"""
    if not isinstance(func, ast.Name):
        return False
    bindings = reaching(call.function).at.get(id(func), ())
    made = [b.value for b in bindings if b.kind == "assign" and isinstance(b.value, ast.Call)]
    module = evaluate(func, call.frame).instance_of("torch.nn.Module")
    return module and bool(made) and len(made) == len(bindings)


def _is_shaped_next(call: Call) -> bool:
    """Does the next statement give it a shape: `x.view(-1, 1)` above `x = x.reshape(len(x), 1)`?"""
    base = getattr(call.node.func, "value", None)
    while isinstance(base, ast.Call) and isinstance(base.func, ast.Attribute):
        base = base.func.value  # `x` of `x.contiguous().view(-1, 1)`
    name = place(base)
    below = [s for s in statements(call.function) if s.lineno > call.node.lineno]
    for target, value in assigned(min(below, key=lambda s: s.lineno)) if below else ():
        match value:
            case ast.Call(func=ast.Attribute(value=shaped, attr=word)) if word in ("view", "reshape", "flatten"):
                if name is not None and place(target) == place(shaped) == name:
                    return True
    return False


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
