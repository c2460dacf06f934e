"""Is the receiver of a method a tensor, by where it stands or by how it is asked, though its value is unknown?

    def forward(self, x): x.view(-1)           # by place: what `forward` reshapes is one
    for x, y in loader: x.to(device)           # so is what a loop unpacks from its batches and moves
    out.view(-1, 1)                            # by form: only tensors are asked so

The name has to agree: a model can be moved in place, and some tokenizers' batches can.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bindings_at, bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk, written_integer
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.values.bases import mro
from mllint.semantics.values.tensors import uses_torch

__all__ = ["has_own_in_place_method", "is_tensor_by_form", "is_tensor_by_place"]

_RESHAPES = frozenset(
    """view reshape permute transpose squeeze unsqueeze flatten contiguous view_as expand expand_as type_as sigmoid
    softmax log_softmax clamp clamp_min clamp_max masked_fill relu tanh""".split()
)
_DATA = frozenset("input inputs data sample samples".split())
_OF_TENSORS = frozenset(
    "to cuda cpu size shape float long dim ndim view reshape device dtype unsqueeze squeeze".split()
)
_OF_ARRAYS = frozenset(("shape", "dtype", "device"))
_ALONG = frozenset("squeeze unsqueeze softmax log_softmax sum mean argmax argmin cumsum std norm normalize".split())


def is_tensor_by_place(call: Call) -> bool:
    """True if the receiver of `call` is a tensor by what it is: reshaped in the `forward` of a module, or where its
    shape, type or device is read, or an item of a loop's batches."""
    func, scope = call.node.func, call.function
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return False
    named = topics.is_about(func.value.id, Topic.TENSORS)
    if func.attr in _RESHAPES:
        if func.attr != "expand" and _is_read_as_array(scope, func.value.id) and not has_own_in_place_method(call):
            return True  # to expand is also what buffers and parameters do that grow
        owner = scope.owner
        return (
            scope.name == "forward"
            and bool(named or topics.is_about(func.value.id, Topic.RESHAPED) or _only_calculates(call, func.value.id))
            and owner is not None
            and any(not isinstance(c, str) and c.qualname == "Module" for c in mro(owner))
        )
    name = func.value.id
    given = named or (name in _DATA and not _is_read_by_key(scope, name))
    if not given or func.attr not in ("to", "cuda", "long", "float"):
        return False
    if _is_type_tested(call, name) or has_own_in_place_method(call):
        return False
    reached = bindings_at(func.value, scope)  # another branch may have made something else of it
    found = scope.bindings.get(name, ()) if reached is None else reached
    bindings = [b for b in found if b.kind != "assign" or not _is_same_value_moved(b.value, name)]
    unpacked = all((b.path and (b.kind == "for" or _is_drawn_by_next(b))) or _is_unpacked(b, scope) for b in bindings)
    return bool(bindings) and unpacked and bool(named or all(b.path for b in bindings))


def _is_read_as_array(scope: FunctionScope, name: str) -> bool:
    """Does a function read what only tensors and arrays have of a name: `x.shape`, `x.dtype`, `x.device`?"""
    reads = (n for n in scope.nodes_of(ast.Attribute) if n.attr in _OF_ARRAYS)
    return any(isinstance(n.value, ast.Name) and n.value.id == name for n in reads)


def _only_calculates(call: Call, name: str) -> bool:
    """Is it a parameter of which nothing is told, by a method that no class of the project has: `x.squeeze()`?"""
    bindings = bound_at(call.node.func.value, call.function)
    given = bool(bindings) and all(b.kind == "param" for b in bindings)
    told = any(p.name == name and p.annotation is not None for p in call.function.parameters)
    named = (f for m in call.project.modules for f in m.functions if f.name == call.last_name)
    return given and not told and name not in ("self", "cls") and not any(f.owner is not None for f in named)


def _is_read_by_key(scope: FunctionScope, name: str) -> bool:
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


def has_own_in_place_method(call: Call) -> bool:
    """Has the project a class of its own whose method gives nothing back: `def to(self, device): self.at = device`?"""
    named = (f for m in call.project.modules for f in m.functions if f.name == call.last_name and f.owner is not None)
    return any(f.bindings and not any(r.value is not None for r in f.returns) for f in named)


def _is_type_tested(call: Call, name: str) -> bool:
    """Does a test around the call say that it is something else: `elif isinstance(value, Module): value.to(device)`?"""
    for node in call.function.nodes_of(ast.If):
        match node.test:
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=asked), kind]) if asked == name:
                if not any(last_name(k).endswith("Tensor") for k in getattr(kind, "elts", [kind])):
                    if any(n is call.node for s in node.body for n in walk(s)):
                        return True
    return False


def _is_same_value_moved(value: Node, name: str) -> bool:
    """Is it the same thing moved or converted: `x` of `x = x.to(device)`?"""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return isinstance(value, ast.Name) and value.id == name


def _is_drawn_by_next(binding: Binding) -> bool:
    """Is it unpacked from a batch that is drawn by hand: `x, y = next(batches)`?"""
    value = binding.value
    return binding.kind == "assign" and isinstance(value, ast.Call) and last_name(value.func) == "next"


def _is_unpacked(binding: Binding, scope: FunctionScope) -> bool:
    """Is it taken by its place out of what a loop gives: `x, y = batch`, `y = batch[1]`, `x, y = b[0], b[1]`?"""
    value, path = binding.value, binding.path
    if binding.kind != "assign" or value is None:
        return False
    if isinstance(value, ast.Tuple) and len(path) == 1 and path[0] is not None and path[0] < len(value.elts):
        value, path = value.elts[path[0]], ()
    if isinstance(value, ast.Subscript) and written_integer(value.slice) is not None:
        value, path = value.value, (0,)
    found = scope.bindings.get(value.id, ()) if isinstance(value, ast.Name) else ()
    return bool(path) and bool(found) and all(b.kind == "for" for b in found)


def is_tensor_by_form(call: Call) -> bool:
    """True if `call` is what only tensors have: a change of shape, by its arguments (`out.view(-1, 1)`),
    `hidden.detach()`. A class of the project may have a method of that name that works in place."""
    return _is_asked_like_tensor(call) and not has_own_in_place_method(call)


def _is_asked_like_tensor(call: Call) -> bool:
    func, given = call.node.func, [*call.node.args, *(k.value for k in call.node.keywords)]
    name = place(func.value) if isinstance(func, ast.Attribute) else None
    if name is None or name in ("self", "cls") or not uses_torch(call.frame):
        return False
    if any(isinstance(v.function, FunctionScope) and not v.function.stubbed for v in call.callee.alternatives):
        return False
    if any(k.arg != "dim" or func.attr not in _ALONG for k in call.node.keywords):
        return False
    if func.attr in ("detach", "contiguous"):
        return not given and topics.is_about(last_name(func.value), Topic.CALCULATED)
    numbers = [written_integer(a) for a in given]
    if func.attr in ("float", "double", "half", "long", "int", "bool"):
        return not given and topics.is_about(last_name(func.value), Topic.NUMBERS)
    if func.attr == "transpose":
        return len(given) == 2 and None not in numbers and numbers[0] != numbers[1]
    if func.attr == "view":
        if len(given) > 2 or numbers == [-1]:
            return True
        return len(given) > 1 and (-1 in numbers or all(n is not None or _is_own_size(a, name) for n, a in
                                                        zip(numbers, given, strict=True)))  # fmt: skip
    if func.attr == "permute":
        return len(given) > 2 and sorted(n for n in numbers if n is not None) == list(range(len(given)))
    along = func.attr in ("unsqueeze", "squeeze") or (func.attr in _ALONG and bool(call.node.keywords))
    return along and len(given) == 1 and numbers[0] is not None


def _is_own_size(node: Node, name: str) -> bool:
    """Is it a size of the tensor itself: `x.size(0)`, `x.shape[1]`?"""
    return any(
        isinstance(n, ast.Attribute) and n.attr in ("size", "shape") and place(n.value) == name for n in walk(node)
    )
