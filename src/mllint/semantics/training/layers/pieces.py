"""Is a receiver a tensor by the place where it stands, although its value is not known?

What `forward` reshapes is a tensor, and so is what a loop unpacks from its batches and moves. The name has to agree: a
model can be moved in place, and some tokenizers' batches can.
"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import Binding, last_name, place, walk
from mllint.semantics.syntax.module import Function as FunctionScope
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.values.bases import mro
from mllint.semantics.values.tensors import uses_torch

__all__ = ["moved_in_place", "number", "tensor_by_form", "tensor_by_place"]

_RESHAPES = frozenset(
    """view reshape permute transpose squeeze unsqueeze flatten contiguous view_as expand expand_as type_as sigmoid
    softmax log_softmax clamp clamp_min clamp_max masked_fill relu tanh""".split()
)
_DATA = frozenset("input inputs data sample samples".split())


def tensor_by_place(call: Call) -> bool:
    """Is the receiver a tensor by what it is: reshaped in the `forward` of a module, or an item of a loop's batches?"""
    func, scope = call.node.func, call.function
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return False
    named = topics.is_about(func.value.id, Topic.TENSORS)
    if func.attr in _RESHAPES:
        owner = scope.owner
        return (
            scope.name == "forward"
            and bool(named or topics.is_about(func.value.id, Topic.RESHAPED))
            and owner is not None
            and any(not isinstance(c, str) and c.qualname == "Module" for c in mro(owner))
        )
    name = func.value.id
    given = named or (name in _DATA and not by_key(scope, name))
    if not given or func.attr not in ("to", "cuda", "long", "float"):
        return False
    if asked_for(call, name) or moved_in_place(call):
        return False
    bindings = [b for b in scope.bindings.get(name, ()) if b.kind != "assign" or not again(b.value, name)]
    unpacked = all((b.path and (b.kind == "for" or drawn(b))) or taken_out(b, scope) for b in bindings)
    return bool(bindings) and unpacked and bool(named or all(b.path for b in bindings))


def by_key(scope: FunctionScope, name: str) -> bool:
    """Is it read as what a tokenizer gives, which moves in place: `model(**inputs)`, `inputs["ids"]`, `inputs.ids`?"""
    for node in walk(scope.node):
        if isinstance(node, ast.keyword):
            read = node.arg is None and last_name(node.value) == name
        elif isinstance(node, ast.Subscript):
            read = last_name(node.value) == name and isinstance(getattr(node.slice, "value", None), str)
        else:
            read = isinstance(node, ast.Attribute) and node.attr not in _OF_TENSORS and last_name(node.value) == name
        if read:
            return True
    return False


_OF_TENSORS = frozenset(
    "to cuda cpu size shape float long dim ndim view reshape device dtype unsqueeze squeeze".split()
)


def moved_in_place(call: Call) -> bool:
    """Has the project a class of its own whose method gives nothing back: `def to(self, device): self.at = device`?"""
    named = (f for m in call.project.modules for f in m.functions if f.name == call.last_name and f.owner is not None)
    return any(f.bindings and not any(r.value is not None for r in f.returns) for f in named)


def asked_for(call: Call, name: str) -> bool:
    """Does a test around the call say that it is something else: `elif isinstance(value, Module): value.to(device)`?"""
    for node in (n for n in walk(call.function.node) if isinstance(n, ast.If)):
        match node.test:
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=asked), kind]) if asked == name:
                if not any(last_name(k).endswith("Tensor") for k in getattr(kind, "elts", [kind])):
                    if any(n is call.node for s in node.body for n in walk(s)):
                        return True
    return False


def again(value: Any, name: str) -> bool:
    """Is it the same thing moved or converted: `x` of `x = x.to(device)`?"""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return isinstance(value, ast.Name) and value.id == name


def drawn(binding: Binding) -> bool:
    """Is it unpacked from a batch that is drawn by hand: `x, y = next(batches)`?"""
    value = binding.value
    return binding.kind == "assign" and isinstance(value, ast.Call) and last_name(value.func) == "next"


def taken_out(binding: Binding, scope: FunctionScope) -> bool:
    """Is it taken by its place out of what a loop gives: `x, y = batch`, `y = batch[1]`, `x, y = b[0], b[1]`?"""
    value, path = binding.value, binding.path
    if binding.kind != "assign" or value is None:
        return False
    if isinstance(value, ast.Tuple) and len(path) == 1 and path[0] is not None and path[0] < len(value.elts):
        value, path = value.elts[path[0]], ()
    if isinstance(value, ast.Subscript) and number(value.slice) is not None:
        value, path = value.value, (0,)
    found = scope.bindings.get(value.id, ()) if isinstance(value, ast.Name) else ()
    return bool(path) and bool(found) and all(b.kind == "for" for b in found)


def tensor_by_form(call: Call) -> bool:
    """Is it what only tensors have: a change of shape, by its arguments (`out.view(-1, 1)`), `hidden.detach()`?"""
    func, given = call.node.func, [*call.node.args, *(k.value for k in call.node.keywords)]
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return False
    if any(k.arg != "dim" or func.attr not in ("squeeze", "unsqueeze") for k in call.node.keywords):
        return False
    if func.value.id in ("self", "cls") or not uses_torch(call.frame):
        return False
    if any(isinstance(v.function, FunctionScope) and not v.function.stubbed for v in call.callee.alternatives):
        return False
    if func.attr in ("detach", "contiguous"):
        return not given and topics.is_about(func.value.id, Topic.CALCULATED)
    numbers = [number(a) for a in given]
    if func.attr in ("float", "double", "half", "long", "int", "bool"):
        return not given and topics.is_about(func.value.id, Topic.NUMBERS)
    if func.attr == "transpose":
        return len(given) == 2 and None not in numbers and numbers[0] != numbers[1]
    if func.attr == "view":
        if len(given) > 2 or numbers == [-1]:
            return True
        return len(given) > 1 and (-1 in numbers or all(n is not None or sized(a, func.value.id) for n, a in
                                                        zip(numbers, given, strict=True)))  # fmt: skip
    if func.attr == "permute":
        return len(given) > 2 and sorted(n for n in numbers if n is not None) == list(range(len(given)))
    return func.attr in ("unsqueeze", "squeeze") and len(given) == 1 and numbers[0] is not None


def number(node: Any) -> int | None:
    """A whole number that is written out."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = number(node.operand)
        return None if inner is None else -inner
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def sized(node: Any, name: str) -> bool:
    """Is it a size of the tensor itself: `x.size(0)`, `x.shape[1]`?"""
    return any(
        isinstance(n, ast.Attribute) and n.attr in ("size", "shape") and place(n.value) == name for n in walk(node)
    )
