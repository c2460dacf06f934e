"""The value of an expression in a frame: lazy, memoised, and Unknown wherever nothing certain can be said.

`evaluate(node, frame)` asks the bindings that reach a name, the members of modules and instances, and `calls` for what
a call gives. A cycle (a loop that adds to its own variable) contributes nothing: its value is "bottom" while it is
being asked, and what was computed on the way is not remembered. What its other bindings were found to be on that way
stays as a guess, which stands for bottom when they are asked themselves: so two rounds are enough for a loop in which
many variables depend on each other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import Cache, cached
from mllint.semantics.syntax.correlated import possible_bindings
from mllint.semantics.syntax.deadline import DEADLINE
from mllint.semantics.syntax.defaults import built_by_default, is_always_default_none, says_none
from mllint.semantics.syntax.module import Binding
from mllint.semantics.syntax.names import bindings_at
from mllint.semantics.syntax.nodes import Constant, Node, place
from mllint.semantics.syntax.records import Passed
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import mro
from mllint.semantics.values.builtins import member_by_name
from mllint.semantics.values.calls import call_value, invoke
from mllint.semantics.values.classes import attribute, has_unknown_ancestor, may_set_by_setattr, method
from mllint.semantics.values.comprehended import dictionary_of, list_of
from mllint.semantics.values.containers import with_additions
from mllint.semantics.values.decided import has_constant_argument, reached_bindings
from mllint.semantics.values.decorators import decorated, decorated_method
from mllint.semantics.values.external import external
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.gradmode import grad_switch
from mllint.semantics.values.graph_breaks import break_graph
from mllint.semantics.values.iteration import element_of, unpack
from mllint.semantics.values.operators import binary, boolean, compare, unary
from mllint.semantics.values.outside_writes import is_constant_set_outside, is_global_set_outside, rebinding_functions
from mllint.semantics.values.settings import is_loader_by_name, is_settings_name
from mllint.semantics.values.tensors import item, tensor_member
from mllint.semantics.values.values import (
    TEXT,
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
    SequenceValue,
    Site,
    TensorValue,
    UnionValue,
    UnknownValue,
    Value,
    inherits,
    literal,
    union,
    unknown,
)

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ModuleScope

__all__ = ["bindings_value", "element_of", "evaluate", "member_of", "unpack"]

_BOTTOM = BottomValue()
_DEPTH = 160
_WRITTEN_INTO: Cache[str, bool] = Cache(local=True)
_WRITES = ("[", ".add_(", ".copy_(", ".index_", ".scatter_", ".masked_")


def evaluate(node: Node, frame: Frame) -> Value:
    """The value of an expression.

    Args:
        node: an expression of the frame's function (or of a default or decorator of it).
        frame: the context.

    Returns:
        Its Value; Unknown when nothing can be said. Never raises for code that parses.
    """
    memo, project, key = frame.memo, frame.project, id(node)
    known = memo.get(key)
    if known is not None:
        if project.soft:
            project.met_again(memo, key)
        return known
    handler = _EXPRESSIONS.get(kind := node.__class__)
    if handler is None:
        return UNKNOWN
    if project.depth > _DEPTH or project.fuel < 0:
        project.cut_short()
        return UNKNOWN
    before = project.touched
    project.depth += 1
    project.fuel -= 1
    try:
        if kind is ast.Name:  # the commonest by name: compiled, that is a plain call
            value: Value = _name(node, frame)
        elif kind is ast.Attribute:
            value = _attribute(node, frame)
        elif kind is ast.Call:
            value = _call(node, frame)
        else:
            value = handler(node, frame)
    finally:
        project.depth -= 1
    memo[key] = value
    if project.pending and project.touched != before:
        project.keep_for_now(memo, key, value)
    return value


# --------------------------------------------------------------------------------------------------- names, bindings
def _name(node: ast.Name, frame: Frame) -> Value:
    found = bindings_at(node, frame.function)
    if found is None:
        return _constant_of_a_file(frame.lookup(node.id), node, frame)
    if not found:
        return unknown(frame.project.intern(("before", frame.key, node.id)))
    if len(found) > 1:
        found = possible_bindings(node, found, frame.function)
        if has_constant_argument(frame):
            found = reached_bindings(found, frame)
    value = _binding_value(found[0], frame) if len(found) == 1 else bindings_value(found, frame)
    return value if found[0].kind != "from" else _constant_of_a_file(value, node, frame)


def _constant_of_a_file(value: Value, node: ast.Name, frame: Frame) -> Value:
    """The value of a global or imported name; what is unknown and named like a constant is a setting."""
    if isinstance(value, UnknownValue) and value.opaque and len(node.id) > 1 and node.id.isupper():
        return value.with_(traits={"Given": Site(frame.module, node)}, graph=frozenset())
    return value


def bindings_value(bindings: Sequence[Binding], frame: Frame) -> Value:
    """The union of what bindings bind, in a frame of their function."""
    if len(bindings) == 1:
        return _binding_value(bindings[0], frame)
    if len(bindings) > 6:
        return unknown(frame.project.intern(("one of", frame.key, *sorted({id(b) for b in bindings}))))
    if len(bindings) == 2:
        built = built_by_default(bindings, frame)
        if built is not None:
            return _binding_value(built, frame)
    return _joined([_binding_value(b, frame) for b in bindings])


def _joined(values: list[Value]) -> Value:
    solid = [v for v in values if not isinstance(v, BottomValue)]
    if (
        solid
        and len(solid) < len(values)
        and all(isinstance(v, LiteralValue) and type(v.value) in (int, float) for v in solid)
    ):
        solid.append(UnknownValue("number"))  # a counter: what it starts with is not what it stays
    return union(solid) if solid else (_BOTTOM if values else UNKNOWN)


def _binding_value(binding: Binding, frame: Frame) -> Value:
    """What one binding binds."""
    if frame.overrides:
        override = frame.overrides.get(id(binding))
        if override is not None:
            return override
        if frame.around is not None and binding.kind != "comp":
            return _binding_value(binding, frame.around)
    memo, project = frame.memo, frame.project
    known = memo.get(binding)
    if known is not None:
        if project.soft:
            project.met_again(memo, binding)
        return known
    cycle = (id(binding), id(frame))
    if cycle in project.active:
        guess = memo.get(("guess", binding))
        if guess is None:
            project.meet(cycle)
            return _BOTTOM
        return guess
    project.active.add(cycle)
    before = project.touched
    try:
        value: Value
        if binding.kind == "assign":
            value = _assigned(binding, frame)
        else:
            value = _BINDINGS.get(binding.kind, _opaque)(binding, frame)
    finally:
        if project.pending or project.provisional:
            project.settle(cycle)
        else:
            project.active.discard(cycle)
    if isinstance(value, UnknownValue) and not value.identity and value.name is None:
        value = value.with_(identity=project.intern(("bound", frame.key, id(binding))))
    memo[binding] = value
    if project.pending and project.touched != before:
        project.keep_for_now(memo, binding, value)
    return value


def _opaque(binding: Binding, frame: Frame) -> Value:
    return UNKNOWN


def _assigned(binding: Binding, frame: Frame) -> Value:
    node, path = binding.value, binding.path
    if node is None:
        return UNKNOWN
    if path and node.__class__ is ast.Tuple:
        node, path = _element_for_target(node, path)
    value = evaluate(node, frame)
    if value.__class__ is LiteralValue and binding.scope.parent is None:
        return _constant_of_module(value, binding, frame)
    if isinstance(value, (SequenceValue, ManyValue, MappingValue)) and isinstance(
        node, (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.Call)
    ):
        value = with_additions(binding, value, frame) if not path else value
    if isinstance(value, TensorValue) and not (
        value.opaque or value.graph or value.breaks or value.provenance or value.traits
    ):
        value = value.with_(opaque=_may_be_written_into(binding))
    return unpack(value, path, frame)


def _constant_of_module(value: Value, binding: Binding, frame: Frame) -> Value:
    """What a module's name is that is bound to a constant, or what others set it to."""
    name, module, project = binding.name, binding.scope.module, frame.project
    if module.is_stub:
        return value
    others = [project.frame(function).named(name) for function in rebinding_functions(module).get(name, ())]
    if is_global_set_outside(name, module, project):
        others.append(UNKNOWN)
    return _joined([value, *others]) if others else value


def _element_for_target(node: Node, path: tuple[int | None, ...]) -> tuple[Node, tuple[int | None, ...]]:
    """The element of a tuple that a target of `scores, labels = [], []` receives, and what is left of the way to it."""
    while path and node.__class__ is ast.Tuple and path[0] is not None and path[0] < len(node.elts):
        if any(e.__class__ is ast.Starred for e in node.elts):
            break
        node, path = node.elts[path[0]], path[1:]
    return node, path


def _may_be_written_into(binding: Binding) -> bool:
    """May a new tensor be filled later: `scores[t] = step`, `total.add_(loss)`? By the text, which costs little."""
    module, name = binding.scope.module, binding.name
    table = _WRITTEN_INTO.of(module)
    known = table.get(name)
    if known is None:
        text = module.source.text if module.source is not None else ""
        known = table[name] = any(f"{name}{word}" in text for word in _ways_to_write(module))
    return known


@cached(local=True)
def _ways_to_write(module: ModuleScope) -> list[str]:
    return [word for word in _WRITES if module.source is not None and word in module.source.text]


def _augmented(binding: Binding, frame: Frame) -> Value:
    node: ast.AugAssign = binding.value
    found = bindings_at(node.target, frame.function)
    before = bindings_value(found, frame) if found else frame.lookup(binding.name)
    value = binary(before, node.op, evaluate(node.value, frame), frame, node)
    return value if found and isinstance(node.target, ast.Name) else value.mapped(_counted)


def _counted(value: Value) -> Value:
    """A number that is counted up from call to call (`self.steps += 1`) is not the number that it starts with."""
    counter = isinstance(value, LiteralValue) and type(value.value) in (int, float)
    return UnknownValue("number") if counter else value


def _iterated(binding: Binding, frame: Frame) -> Value:
    whole = evaluate(binding.value, frame)
    value = unpack(element_of(whole, frame, binding.value), binding.path, frame)
    if not binding.path and whole.identity and isinstance(value, UnknownValue) and not value.identity:
        value = value.with_(identity=frame.project.intern(("part", whole.identity, id(binding), frame.key)))
    if isinstance(value, UnknownValue) and value.opaque and is_loader_by_name(binding.value):
        return value.with_(traits={"Given": Site(frame.module, binding.value)}, graph=frozenset())
    return value


def _entered(binding: Binding, frame: Frame) -> Value:
    """What a `with` gives: what `__enter__` returns, or what a generator yields that is made a context manager."""
    value = evaluate(binding.value, frame)
    if isinstance(value, InstanceValue) and not value.cls.module.is_stub:
        enter = method(value.cls, "__enter__")
        if enter is not None or has_unknown_ancestor(value.cls):
            value = invoke(enter, value, None, frame) if enter is not None else UNKNOWN
    return unpack(value, binding.path, frame)


def _imported(binding: Binding, frame: Frame) -> Value:
    return frame.project.import_value(binding.extra, 0, frame.module)


def _imported_from(binding: Binding, frame: Frame) -> Value:
    module, level, name = binding.extra
    project = frame.project
    if module == "typing_extensions":
        module = "typing"
    source = project.module_for(module, level, frame.module)
    if source is None:
        inner = project.module_for(f"{module}.{name}" if module else name, level, frame.module)
        return ModuleValue(inner) if inner is not None else external(f"{module}.{name}")
    if source is frame.module:
        inner = project.module_for(f"{module}.{name}" if module else name, level, frame.module)
        return ModuleValue(inner) if inner is not None else UNKNOWN
    value = project.member(source, name)
    if isinstance(value, UnknownValue) and name not in source.body.bindings and not source.is_stub:
        inner = project.module_for(f"{module}.{name}" if module else name, level, frame.module)
        if inner is not None:
            return ModuleValue(inner)
    return value


def _defined(binding: Binding, frame: Frame) -> Value:
    if binding.kind == "class":
        return ClassValue(binding.extra)
    closure = None if frame.function.is_body else frame
    made = decorated(binding.extra, closure, frame) if binding.node.decorator_list else None
    return FunctionValue(binding.extra, closure=closure) if made is None else made


def _parameter(binding: Binding, frame: Frame) -> Value:
    return frame.parameter(binding.name)


_BINDINGS: dict[str, Callable[[Binding, Frame], Value]] = {
    "assign": _assigned, "aug": _augmented, "for": _iterated, "comp": _iterated, "with": _entered, "import": _imported,
    "from": _imported_from, "def": _defined, "class": _defined, "param": _parameter,
}  # fmt: skip


# ------------------------------------------------------------------------------------------------------- attributes
def _attribute(node: ast.Attribute, frame: Frame) -> Value:
    found = bindings_at(node, frame.function)
    if found is not None:
        known = bindings_value(found, frame)
        if not isinstance(
            known, BottomValue
        ):  # else `self.net = self.net.to(device)` in a loop: what it was before says what it is
            return known
    base = evaluate(node.value, frame)
    if isinstance(base, UnknownValue) and node.value.__class__ is ast.Name:
        stored = _put_in_by_caller(node.value, node.attr, frame)
        if stored is not None:
            return stored
    return _setting(member_of(base, node.attr, frame, node), base, node, frame)


def _put_in_by_caller(node: Node, name: str, frame: Frame) -> Value | None:
    """`options.optimizer` of a parameter: what a caller has stored in the object that it hands over."""
    while node.__class__ is ast.Name:
        own = frame.function.bindings.get(node.id, ())
        given = frame.bound.get(node.id) if frame.bound and len(own) == 1 and own[0].kind == "param" else None
        if not isinstance(given, Passed):
            return None
        node, frame = given
        found = frame.function.bindings.get(f"{place(node)}.{name}")
        if found:
            return bindings_value(found, frame)
    return None


def _setting(value: Value, base: Value, node: Node, frame: Frame) -> Value:
    """A value, known to be a setting if it is read from a configuration."""
    if isinstance(value, UnknownValue) and value.opaque and ("Given" in base.traits or is_settings_name(node.value)):
        return value.with_(traits={"Given": Site(frame.module, node)}, graph=frozenset())
    return value


def member_of(base: Value, name: str, frame: Frame, node: Node) -> Value:
    """The value of `base.name`.

    Args:
        base: the object.
        name: the attribute.
        frame: where it is read.
        node: the expression that reads it.
    """
    if isinstance(base, UnionValue):
        having = [v for v in base.parts if not _lacks_attribute(v, name)]
        return _joined([_member(v, name, frame, node) for v in having or base.parts])
    return _member(base, name, frame, node)


def _lacks_attribute(value: Value, name: str) -> bool:
    """Is it a plain value without such an attribute, as the name in `sgd if isinstance(sgd, Optimizer) else "sgd"`?"""
    match value:
        case LiteralValue():
            return not hasattr(value.value, name)
        case MappingValue():
            return not hasattr(dict, name)
        case SequenceValue() | ManyValue():
            return not any(hasattr(cls, name) for cls in (list, tuple, set, dict))
    return False


def _member(value: Value, name: str, frame: Frame, node: Node) -> Value:
    match value:
        case ModuleValue():
            return frame.project.member(value.module, name)
        case ClassValue():
            return _class_member(value, name, frame)
        case InstanceValue():
            return attribute(value, name, frame) if name != "__class__" else ClassValue(value.cls)
        case BottomValue():
            return value
        case MappingValue():
            return FunctionValue(f"dict.{name}", receiver=value)
        case SequenceValue() if len(value.parts) == 2 and name in ("values", "indices"):
            part: Value = value.parts[1 if name == "indices" else 0]  # `x.max(dim=0).values`: a pair by names
            return part
        case SequenceValue() | ManyValue():
            return FunctionValue(f"list.{name}", receiver=value)
        case LiteralValue() if value.value is not None:
            return FunctionValue(f"{type(value.value).__name__}.{name}", receiver=value)
        case BuiltinValue():
            return BuiltinValue(f"{value.name}.{name}")
        case FunctionValue():
            return unknown()

    return tensor_member(value, name, frame, node)


def _class_member(value: ClassValue, name: str, frame: Frame) -> Value:
    found = method(value.cls, name)
    if found is not None:
        receiver = value if found.decorated("classmethod") else None
        made = decorated_method(found, receiver, frame.project) if found.decorators else None
        return FunctionValue(found, receiver=receiver) if made is None else made
    for cls in mro(value.cls):
        if not isinstance(cls, str) and name in cls.bindings:
            outer = frame.project.frame(cls.module.body)
            bound = [b for b in cls.bindings[name] if b.value is not None or b.kind == "class"]
            member = union([evaluate(b.value, outer) if b.kind != "class" else _defined(b, outer) for b in bound])
            if not isinstance(member, LiteralValue):
                return literal(f"{cls.name}.{name}") if inherits(value.cls, "enum.Enum") else member
            is_open = may_set_by_setattr(value.cls, name) or is_constant_set_outside(
                value.cls, name, frame.project, of_object=False
            )
            return union([member, UNKNOWN]) if is_open and not inherits(value.cls, "enum.Enum") else member
    return unknown()


# ------------------------------------------------------------------------------------------------- other expressions
def _constant(node: ast.Constant, frame: Frame) -> Value:
    return literal(node.value)


def _call(node: ast.Call, frame: Frame) -> Value:
    DEADLINE.check()
    return call_value(node, frame)


def _subscript(node: ast.Subscript, frame: Frame) -> Value:
    found = bindings_at(node, frame.function)
    if found is not None:
        known = bindings_value(found, frame)
        if not isinstance(known, BottomValue):
            return known
    if isinstance(node.value, ast.Attribute) and node.value.attr == "__dict__":
        holder = evaluate(node.value.value, frame)
        if isinstance(holder, ModuleValue):
            return member_by_name(holder, node.slice, frame, node)
    base = evaluate(node.value, frame)
    return _setting(base.mapped(lambda v: item(v, node, frame)), base, node, frame)


def _tuple(node: Node, frame: Frame) -> Value:
    parts: list[Value] = []
    counted = True
    for element in node.elts:
        if isinstance(element, ast.Starred):
            inner = evaluate(element.value, frame)
            if isinstance(inner, SequenceValue):
                parts += inner.parts
            else:
                parts.append(element_of(inner, frame, element))
                counted = False
        else:
            parts.append(evaluate(element, frame))
    return SequenceValue(tuple(parts), site=Site(frame.module, node)) if counted else ManyValue(union(parts))


def _set(node: ast.Set, frame: Frame) -> Value:
    return ManyValue(union([evaluate(e, frame) for e in node.elts]), traits={"Unordered": Site(frame.module, node)})


def _dict(node: ast.Dict, frame: Frame) -> Value:
    parts: dict[Constant, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        known = evaluate(key, frame) if key is not None else None
        if known is None:
            inner = evaluate(value, frame)
            if not isinstance(inner, MappingValue):
                return unknown()
            parts.update(inner.entries)
        elif not isinstance(known, LiteralValue):
            return unknown()
        else:
            parts[known.value] = evaluate(value, frame)
    return MappingValue(parts, site=Site(frame.module, node))


def _binary(node: ast.BinOp, frame: Frame) -> Value:
    value = binary(evaluate(node.left, frame), node.op, evaluate(node.right, frame), frame, node)
    if (
        not isinstance(value, TensorValue)
        or not (value.graph or value.opaque)
        or frame.module.block_around(node) is None
    ):
        return value

    off, origin = grad_switch(node, frame)  # of numbers that are computed without a graph no gradient comes
    return break_graph(value, "no_grad", frame, origin.node, keep=True) if off and origin is not None else value


def _unary(node: ast.UnaryOp, frame: Frame) -> Value:
    return unary(node.op, evaluate(node.operand, frame), frame, node)


def _compare(node: ast.Compare, frame: Frame) -> Value:
    return compare(node, frame)


def _boolean(node: ast.BoolOp, frame: Frame) -> Value:
    return boolean(node, frame)


def _conditional(node: ast.IfExp, frame: Frame) -> Value:
    for built, other in ((node.body, node.orelse), (node.orelse, node.body)):
        if isinstance(built, ast.Call) and isinstance(other, ast.Name) and is_always_default_none(other, frame):
            if says_none(node.test, other.id) is (built is node.body):
                return evaluate(built, frame)
    truth = evaluate(node.test, frame).truth
    if truth is not None:
        return evaluate(node.body if truth else node.orelse, frame)
    return _joined([evaluate(node.body, frame), evaluate(node.orelse, frame)])


def _lambda(node: ast.Lambda, frame: Frame) -> Value:
    return FunctionValue(frame.module.lambdas[id(node)], closure=frame)


def _inner(node: Node, frame: Frame) -> Value:
    return evaluate(node.value, frame) if node.value is not None else UNKNOWN


def _formatted(node: ast.JoinedStr, frame: Frame) -> Value:
    return TEXT


_EXPRESSIONS: dict[type, Callable[[Node, Frame], Value]] = {
    ast.Name: _name, ast.Attribute: _attribute, ast.Constant: _constant, ast.Call: _call, ast.Subscript: _subscript,
    ast.Tuple: _tuple, ast.List: _tuple, ast.Set: _set, ast.Dict: _dict, ast.ListComp: list_of,
    ast.SetComp: list_of, ast.GeneratorExp: list_of, ast.BinOp: _binary, ast.UnaryOp: _unary,
    ast.Compare: _compare, ast.BoolOp: _boolean, ast.IfExp: _conditional, ast.Lambda: _lambda, ast.NamedExpr: _inner,
    ast.Await: _inner, ast.Starred: _inner, ast.JoinedStr: _formatted, ast.DictComp: dictionary_of,
}  # fmt: skip

ask.evaluate, ask.binding_value, ask.bindings_value = evaluate, _binding_value, bindings_value
ask.element_of, ask.member_of = element_of, member_of
