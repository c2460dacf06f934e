"""Members and items of values that are not instances of a known class: tensors, data, and the unknown.

A tensor answers by the stub of `torch.Tensor`, and by that of NumPy's array what it has not. An unknown value in a file
that uses torch answers by the same stub as far as the graph goes (`.detach()` detaches whatever it is), and stays
unknown in every other respect.
`parameters()` and `state_dict()` of something unknown are about that something. What scales losses and is given an
optimizer to step with is a gradient scaler, whoever made it.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.libraries.classes import (
    DATA_FRAME,
    GRAD_SCALER,
    MODULE,
    MODULE_DICT,
    MODULE_LIST,
    SEQUENTIAL,
    TENSOR,
)
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.module import Binding, ClassScope, ModuleScope
from mllint.semantics.syntax.nodes import Node, place
from mllint.semantics.syntax.topics import Topic, is_about
from mllint.semantics.values.arguments import Arguments
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import mro
from mllint.semantics.values.external import external
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.iteration import one_of_many
from mllint.semantics.values.library import apply
from mllint.semantics.values.values import (
    UNKNOWN,
    BottomValue,
    BuiltinValue,
    ClassValue,
    FunctionValue,
    InstanceValue,
    LiteralValue,
    ManyValue,
    MappingValue,
    ModuleValue,
    PartialValue,
    Provenance,
    SequenceValue,
    TensorValue,
    Traits,
    UnknownValue,
    Value,
    merge_tensors,
    union,
    unknown,
)

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = ["ENTRY_METHODS", "JOINERS", "entry_by_method", "item", "tensor_member", "tensor_operator", "uses_torch"]

ENTRY_METHODS = frozenset(("get", "pop"))
"""The methods of a dictionary that give the entry under a key."""
_MODULE_WORDS = frozenset(
    "parameters named_parameters state_dict load_state_dict requires_grad_ named_modules "
    "named_children children modules buffers named_buffers".split()
)
_SCALER_WORDS = frozenset(("scale", "unscale_", "step", "update"))
_SAME_ROWS = frozenset("values iloc loc T columns index".split())
_CALLED_WITH_TORCH: Cache[int, bool] = Cache()
_USES_TORCH: Cache[None, bool] = Cache()
_OTHERS = frozenset(
    "tinygrad jittor mindspore paddle oneflow chainer mxnet tensorflow keras jax flax numpy cupy".split()
)
_TORCHLIKE = frozenset(
    "torch torchvision lightning pytorch_lightning accelerate transformers torch_geometric timm "
    "deepspeed ignite".split()
)
JOINERS = ("numpy.c_", "numpy.r_")
"""What joins what it is indexed with: `np.c_[x, y]`."""


def tensor_member(value: Value, name: str, frame: Frame, node: Node) -> Value:
    """`value.name` for a tensor or an unknown value.

    Args:
        value: the tensor, or the unknown value.
        name: the attribute.
        frame: where it is read.
        node: the expression that reads it.
    """
    project = frame.project
    if name == "data" and "Packed" in value.traits:
        return value.with_(traits={trait: site for trait, site in value.traits.items() if trait != "Packed"})
    if isinstance(value, UnknownValue) and value.name is not None:
        if value.name in ("number", "str", "bool"):
            return FunctionValue(f"{value.name}.{name}", receiver=value)
        return external(f"{value.name}.{name}")
    if uses_torch(frame):
        tensor = project.library(TENSOR)
        if isinstance(tensor, ClassValue):
            found = tensor.cls.methods.get(name)
            if found is not None and (
                isinstance(value, TensorValue) or name not in ("data", "grad", "new") or value.graph
            ):
                if found.decorated("property"):
                    return apply(found, {}, frame, node, value)
                return FunctionValue(found, receiver=value)
        if name in _MODULE_WORDS and isinstance(value, UnknownValue):
            module = project.library(MODULE)
            if isinstance(module, ClassValue):
                return FunctionValue(module.cls.methods[name], receiver=value)
        if name in _SCALER_WORDS and isinstance(value, UnknownValue) and isinstance(node, ast.Attribute):
            scaler = project.library(GRAD_SCALER)
            if isinstance(scaler, ClassValue) and _scales_gradients(place(node.value) or "", frame.module):
                return FunctionValue(scaler.cls.methods[name], receiver=value)
    if isinstance(value, TensorValue) and not value.graph and (not value.provenance or "Decided" in value.traits):
        array = project.library("numpy.ndarray")
        if isinstance(array, ClassValue) and name in array.cls.methods:
            return FunctionValue(array.cls.methods[name], receiver=value)
    return _undescribed_member(value, name, project)


def _undescribed_member(value: Value, name: str, project: Project) -> Value:
    """`value.name` where no stub says what it is."""
    identity = project.intern(("attr", value.identity, name)) if value.identity else 0
    if isinstance(value, TensorValue) and value.provenance and not value.graph:
        if name in _SAME_ROWS:
            return TensorValue(identity=identity, provenance=value.provenance)
        return UnknownValue(identity=identity, provenance=value.provenance, opaque=True)
    member = unknown(identity, graph=value.graph, provenance=value.provenance, receiver=value)
    if isinstance(value, UnknownValue) and value.breaks and not value.opaque and value.breaks[-1].how == "no_grad":
        return member.with_(breaks=value.breaks, opaque=False)  # `model(**batch).logits`, computed without a graph
    return member


def _scales_gradients(name: str, module: ModuleScope) -> bool:
    """Is what bears this name a gradient scaler by what the file does with it: it scales or unscales, and it steps what
    it is given? Or, by its name, does it update, and step something that is cleared as an optimizer is?"""
    given = [c.args[0] for c, _ in module.calls_by_name.get("step", ()) if len(c.args) == 1 and _is_on(c, name)]
    if not given or not name:
        return False
    if any(_is_on(c, name) and c.args for word in ("scale", "unscale_") for c, _ in module.calls_by_name.get(word, ())):
        return True
    if not is_about(name.rpartition(".")[2], Topic.SCALERS):
        return False
    updated = any(_is_on(c, name) and not c.args for c, _ in module.calls_by_name.get("update", ()))
    clears = [c for c, _ in module.calls_by_name.get("zero_grad", ())]
    return updated and any(_is_on(c, place(g) or "?") for g in given for c in clears)


def _is_on(call: ast.Call, name: str) -> bool:
    """Is it a method of what bears this name?"""
    return isinstance(call.func, ast.Attribute) and place(call.func.value) == name


def uses_torch(frame: Frame) -> bool:
    """Does the file import torch or one of the frameworks on top of it, or a file that calls from there?"""
    if _speaks_torch(frame.module, frame.project):
        return True
    return uses_torch(frame.caller[0]) if frame.caller is not None else _is_called_with_torch(frame)


def _is_called_with_torch(frame: Frame) -> bool:
    """Is a function called in another file, which imports torch?"""
    function, project = frame.function, frame.project
    if function.is_body or function.owner is not None:
        return False
    table = _CALLED_WITH_TORCH.of(frame.module)
    if id(function) not in table:
        names = (function.name, *project.reach.bound_as(function))
        modules = {id(s.module): s.module for name in names for _, s in project.calls_named(name)}
        speaking = {key for key, module in modules.items() if _speaks_torch(module, project)}
        table[id(function)] = bool(speaking) and any(id(f.module) in speaking for _, f in project.callers(function))
    return table[id(function)]


def _speaks_torch(module: ModuleScope, project: Project) -> bool:
    """Does a file import torch, a framework on top of it, or a part of it from another file?"""
    table = _USES_TORCH.of(module)
    known = table.get(None)
    if known is None:
        table[None] = False  # of files that import everything from each other
        known = module.is_stub or any(name.partition(".")[0] in _TORCHLIKE for name, level in module.imports)
        sources = [] if known else [project.module_for(name, level, module) for name, level in module.stars]
        known = known or any(s is not None and _speaks_torch(s, project) for s in sources)
        known = known or _imports_torch_from_a_file(module, project) or _trains_as_torch_does(module)
        known = known or _derives_from_torch(module, project)
        table[None] = known
    return known


def _imports_torch_from_a_file(module: ModuleScope, project: Project) -> bool:
    """Does the file import a part of torch from another file of the project, which imports it from torch?"""
    for bindings in module.body.bindings.values():
        for binding in bindings:
            if binding.kind == "from":
                source, level, name = binding.extra
                target = project.module_for(source, level, module)
                found = target.body.bindings.get(name, ()) if target is not None and not target.is_stub else ()
                if any(_top_level(b) in _TORCHLIKE for b in found):
                    return True
    return False


def _derives_from_torch(module: ModuleScope, project: Project) -> bool:
    """Does a class of the file derive from one of another file of the project, which uses torch?"""
    above = {id(c.module): c.module for cls in module.classes for c in mro(cls)[1:] if isinstance(c, ClassScope)}
    return any(not m.is_stub and m is not module and _speaks_torch(m, project) for m in above.values())


def _trains_as_torch_does(module: ModuleScope) -> bool:
    """Does the file run backward on what it is handed, clear gradients or take a step (one of the two may have been
    forgotten), and import no other framework that has methods of these names?"""
    called = module.calls_by_name.keys()
    if "backward" not in called or called.isdisjoint(("zero_grad", "step")):
        return False
    return not any(name.partition(".")[0] in _OTHERS for name, _ in module.imports)


def _top_level(binding: Binding) -> str:
    """`torch` for a binding by `import torch.nn as nn` or `from torch import nn`; empty for what is not imported."""
    source = binding.extra if binding.kind == "import" else binding.extra[0] if binding.kind == "from" else ""
    return str(source).partition(".")[0]


def tensor_operator(value: Value, dunder: str, other: Value, frame: Frame, node: Node) -> Value:
    """The result of a tensor's operator method on another operand.

    Args:
        value: the tensor.
        dunder: the name of the method: `__matmul__`.
        other: the other operand.
        frame: where it stands.
        node: the whole expression.
    """
    tensor = frame.project.library(TENSOR)
    found = tensor.cls.methods.get(dunder) if isinstance(tensor, ClassValue) else None
    if found is None:
        return merge_tensors([value, other])
    name = found.parameters[1].name if len(found.parameters) > 1 else ""
    return apply(found, {name: other}, frame, node, value)


def item(value: Value, node: ast.Subscript, frame: Frame) -> Value:
    """`value[index]` for one alternative.

    Args:
        value: the alternative.
        node: the subscript.
        frame: where it stands.
    """
    index = ask.evaluate(node.slice, frame) if not isinstance(node.slice, (ast.Slice, ast.Tuple)) else UNKNOWN
    if isinstance(value, (SequenceValue, ManyValue, MappingValue)):
        return _container_item(value, node, index)
    if isinstance(value, (BottomValue, ClassValue)):
        return value
    if isinstance(value, (FunctionValue, ModuleValue, BuiltinValue, PartialValue)):
        return unknown()
    if isinstance(value, LiteralValue):
        return UnknownValue("str" if isinstance(value.value, str) else None)
    if isinstance(value, InstanceValue):
        return _instance_item(value, node.slice, index, frame)
    if isinstance(value, UnknownValue) and value.name in JOINERS:
        joined = Arguments(None, frame, (ask.evaluate(node.slice, frame),))
        return ask.call_with(frame.project.library("numpy.concatenate"), joined, frame, node)
    return _entry(value, node.slice, index, frame)


def entry_by_method(value: Value, node: Node, frame: Frame) -> Value | None:
    """What a method of `ENTRY_METHODS` gives of something unknown, `batch.get("labels")`: the entry, as a subscript.

    Args:
        value: what is called.
        node: the call.
        frame: where it stands.

    Returns:
        The entry, or the default that is given with it; None where it is another call.
    """
    base = value.receiver if isinstance(value, UnknownValue) else None
    if not isinstance(base, UnknownValue) or base.name is not None:
        return None
    match node:
        case ast.Call(func=ast.Attribute(), args=[ast.Constant(value=str()) as key, *default]):
            found = _entry(base, key, ask.evaluate(key, frame), frame)
            return union([found, *(ask.evaluate(d, frame) for d in default)])
    return None


def _entry(value: Value, subscript: Node, index: Value, frame: Frame) -> Value:
    """The entry of a tensor, or of something unknown, at an index."""
    provenance = value.provenance
    if not _selects_columns(subscript, index):
        provenance = frozenset(
            Provenance(r.identity, "some" if r.part == "whole" else r.part, r.site) for r in provenance
        )
        provenance = _chosen(provenance, index)
    at = index.value if isinstance(index, LiteralValue) else None
    identity = frame.project.intern(("item", value.identity, at)) if value.identity and at is not None else 0
    if value.identity and isinstance(value, UnknownValue) and isinstance(subscript, ast.Slice):
        identity = frame.project.intern(("part", value.identity, id(subscript), frame.key))  # `net.layers[-2:]`
    kept = {k: s for k, s in value.traits.items() if k not in ("Batch",)}
    if "Batch" in value.traits and (at == 1 or isinstance(at, str)):
        kept["Labels" if at == 1 else "Inputs"] = value.traits["Batch"]
    made: Value = TensorValue() if isinstance(value, TensorValue) else UnknownValue()
    made.identity, made.traits, made.graph, made.breaks = identity, kept, value.graph, value.breaks
    made.provenance, made.opaque = provenance, value.opaque
    return made


def _chosen(provenance: frozenset[Provenance], index: Value) -> frozenset[Provenance]:
    """The rows that the indices of a split choose (`X[train_index]`) are that part of it, whatever `X` is."""
    behind = index.all_provenance if isinstance(index, TensorValue) else frozenset()
    parts = {r.part for r in behind}
    if len(parts) != 1 or not parts <= {"train", "heldout"}:
        return provenance
    root = min(behind, key=lambda r: r.identity)
    return frozenset(Provenance(r.identity, root.part, root.site) for r in provenance or behind)


def _selects_columns(node: Node, index: Value) -> bool:
    """Does this index choose columns (all rows stay): a string, or a list of strings; or `[:, ...]`?"""
    if isinstance(index, LiteralValue) and isinstance(index.value, str):
        return True
    if isinstance(index, SequenceValue) and index.parts and all(isinstance(p.literal, str) for p in index.parts):
        return True
    if isinstance(node, ast.Tuple) and node.elts and isinstance(node.elts[0], ast.Slice):
        first = node.elts[0]
        return first.lower is None and first.upper is None
    return isinstance(node, ast.Slice) and node.lower is None and node.upper is None


def _container_item(value: Value, node: ast.Subscript, index: Value) -> Value:
    if isinstance(value, ManyValue):
        part = UNKNOWN if value.part is None else value.part
        fixed = isinstance(index, LiteralValue)
        return value if isinstance(node.slice, ast.Slice) else one_of_many(part) if fixed else part
    if isinstance(value, MappingValue):
        if isinstance(index, LiteralValue):
            found = value.entries.get(index.value)
            return found if found is not None else UNKNOWN
        return union(value.entries.values()) if value.entries else UNKNOWN
    if not isinstance(value, SequenceValue):
        return UNKNOWN
    if isinstance(node.slice, ast.Slice):
        return ManyValue(union(value.parts)) if value.parts else value
    position = index.literal
    if isinstance(position, int):
        return value.parts[position] if -len(value.parts) <= position < len(value.parts) else UNKNOWN
    return union(value.parts) if value.parts else UNKNOWN


def _is_mask(node: Node) -> bool:
    """Does an index say of each row whether it is taken: a comparison, and what `~`, `&` and `|` make of some?"""
    match node:
        case ast.UnaryOp(op=ast.Invert(), operand=inner):
            return _is_mask(inner)
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr(), left=left, right=right):
            return _is_mask(left) or _is_mask(right)
    return isinstance(node, ast.Compare)


def _instance_item(value: InstanceValue, node: Node, index: Value, frame: Frame) -> Value:
    parts = value.parts
    if isinstance(parts, tuple) and parts and value.instance_of(SEQUENTIAL, MODULE_LIST):
        position = index.literal
        if isinstance(position, int) and -len(parts) <= position < len(parts):
            return parts[position]
        return union(parts)
    if isinstance(parts, dict) and value.instance_of(MODULE_DICT):
        return parts.get(index.literal) or union(parts.values())
    key = index.value if isinstance(index, LiteralValue) else None
    identity = frame.project.intern(("item", value.identity, key)) if value.identity and key is not None else 0
    split: Traits = {word: site for word, site in value.traits.items() if word == "Split"}
    provenance = _chosen(value.provenance, index)
    some = _is_mask(node) or (isinstance(index, SequenceValue) and _selects_columns(None, index))
    if some and value.instance_of(DATA_FRAME):  # some columns, or rows, of a table are a table
        return InstanceValue(value.cls, provenance=provenance).with_(traits=split)
    if isinstance(key, str) and value.instance_of(DATA_FRAME):
        column = frame.project.library("pandas.Series")
        if isinstance(column, ClassValue):
            return InstanceValue(column.cls, identity=identity, provenance=provenance).with_(traits=split)
    if isinstance(key, str) and value.instance_of("datasets.DatasetDict"):
        part = frame.project.library("datasets.Dataset")
        if isinstance(part, ClassValue):
            return InstanceValue(part.cls, identity=identity, provenance=provenance).with_(traits=split)
    return unknown(identity, provenance=provenance, traits=split)
