"""Python's own functions and the few of the standard library that carry values through: what they give.

Only what matters for following a value is here; everything else that a program may call is Unknown, or inert.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from mllint.semantics.syntax.module import ClassScope
from mllint.semantics.syntax.nodes import Constant, Node
from mllint.semantics.values.arguments import Arguments
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import mro, record_fields
from mllint.semantics.values.copies import copied_value
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.graph_breaks import break_graph
from mllint.semantics.values.library import flattened_alternatives
from mllint.semantics.values.values import (
    NUMBER,
    TEXT,
    UNKNOWN,
    BottomValue,
    ClassValue,
    InstanceValue,
    LiteralValue,
    ManyValue,
    MappingValue,
    ModuleValue,
    PartialValue,
    SequenceValue,
    Site,
    TensorValue,
    UnknownValue,
    Value,
    inherits,
    literal,
    merge_tensors,
    union,
    unknown,
)

__all__ = ["EXTERNAL", "call_builtin", "call_method_of_builtin", "member_by_name"]

_WORDS_OF_NUMBERS = ("inf", "-inf", "+inf", "infinity", "-infinity", "nan")
_FAMILIES = {"torch.optim": "Optimizer", "torch.optim.lr_scheduler": "LRScheduler", "torchvision.models": "get_model"}


def call_builtin(name: str, node: ast.Call, frame: Frame) -> Value:
    """The result of a call of a built-in function.

    Args:
        name: the name of the function.
        node: the call.
        frame: where the call stands.
    """
    handler = _CALLS.get(name)
    if handler is not None:
        return handler(node, frame)
    if name in ("len", "id", "hash", "ord", "pow", "divmod"):
        return NUMBER
    if name in ("str", "repr", "format", "input", "chr"):
        return TEXT
    if name in ("hasattr", "any", "all", "callable", "bool", "issubclass"):
        return break_graph(merge_tensors(_values(node, frame)), "bool", frame, node)
    return unknown(frame.project.intern(("new", frame.key, id(node))))


def _values(node: ast.Call, frame: Frame) -> list[Value]:
    return [
        w
        for a in node.args
        for w in flattened_alternatives(ask.evaluate(a.value if isinstance(a, ast.Starred) else a, frame))
    ]


def _first(node: ast.Call, frame: Frame) -> Value:
    return ask.evaluate(node.args[0], frame) if node.args and not isinstance(node.args[0], ast.Starred) else UNKNOWN


def _number(node: ast.Call, frame: Frame) -> Value:
    """`float(loss)`, `int(x)`, `round(x)`: a Python number that no gradient flows through."""
    value = _first(node, frame)
    if isinstance(value, LiteralValue):
        if value.value in _WORDS_OF_NUMBERS and isinstance(node.func, ast.Name) and node.func.id == "float":
            return literal(float(value.value))
        return literal(value.value) if isinstance(value.value, (int, float)) else NUMBER
    merged = merge_tensors([value])
    if not (merged.graph or merged.opaque or merged.breaks):
        return NUMBER
    number = break_graph(merged, "float", frame, node)
    return number.as_number() if isinstance(number, TensorValue) else number


def _sum(node: ast.Call, frame: Frame) -> Value:
    inner = flattened_alternatives(_first(node, frame)) if node.args else []
    merged = merge_tensors(inner)
    shared = set.intersection(*(set(v.traits) for v in inner)) & {"Loss", "Scaled", "Divided"} if inner else set()
    return merged.with_(traits={k: inner[0].traits[k] for k in shared}, site=Site(frame.module, node))


def _extreme(node: ast.Call, frame: Frame) -> Value:
    values = _values(node, frame)
    if values and all(isinstance(v, InstanceValue) for v in values):
        return union(values)
    return merge_tensors(values)


def _many(node: ast.Call, frame: Frame) -> Value:
    value = _first(node, frame) if node.args else SequenceValue()
    if isinstance(value, (SequenceValue, ManyValue, BottomValue)) or "Parameters" in value.traits:
        return value
    if isinstance(value, MappingValue):
        return SequenceValue(tuple(literal(k) for k in value.entries))
    return ManyValue(ask.element_of(value, frame, node), traits=value.traits, site=value.site)


def _unordered(node: ast.Call, frame: Frame) -> Value:
    value = _first(node, frame) if node.args else SequenceValue()
    return ManyValue(ask.element_of(value, frame, node), traits={"Unordered": Site(frame.module, node)})


def _sorted(node: ast.Call, frame: Frame) -> Value:
    value = _first(node, frame)
    return ManyValue(ask.element_of(value, frame, node))


def _dict(node: ast.Call, frame: Frame) -> Value:
    """`dict(lr=0.1)`, `dict(pairs)`, and what is added to another one: `dict(defaults, lr=0.1)`, `dict(**more)`."""
    first = _first(node, frame) if node.args else MappingValue({})
    given = first if isinstance(first, MappingValue) else _pairs(first)
    if not node.keywords or not isinstance(given, MappingValue):
        return given
    entries = dict(given.entries)
    for keyword in node.keywords:
        value = ask.evaluate(keyword.value, frame)
        if keyword.arg is not None:
            entries[keyword.arg] = value
        elif isinstance(value, MappingValue):
            entries.update(value.entries)
        else:
            return unknown()
    return MappingValue(entries, site=Site(frame.module, node))


def _fields(node: ast.Call, frame: Frame) -> Value:
    """`asdict(settings)`, `vars(settings)`: the fields of a record, by name, and those of the records that it holds."""
    made = _fields_of(_first(node, frame), frame, node)
    return made if made is not None else unknown(frame.project.intern(("new", frame.key, id(node))))


def _fields_of(record: Value, frame: Frame, node: Node, depth: int = 3) -> Value | None:
    names = record_fields(record.cls) if isinstance(record, InstanceValue) else ()
    if not names or not depth:
        return None
    parts = {name: ask.member_of(record, name, frame, node) for name in names}
    inner: dict[Constant, Value] = {n: _fields_of(v, frame, node, depth - 1) or v for n, v in parts.items()}
    return MappingValue(inner, site=Site(frame.module, node))


def _pairs(value: Value) -> Value:
    entries: dict[Constant, Value] = {}
    for pair in value.parts if isinstance(value, SequenceValue) else (UNKNOWN,):
        match pair:
            case SequenceValue(parts=(LiteralValue(value=key), entry)):
                entries[key] = entry
            case _:
                return unknown()
    return MappingValue(entries)


def _enumerate(node: ast.Call, frame: Frame) -> Value:
    element = ask.element_of(_first(node, frame), frame, node)
    return ManyValue(SequenceValue((NUMBER, element)))


def _zip(node: ast.Call, frame: Frame) -> Value:
    if any(isinstance(a, ast.Starred) for a in node.args):
        return unknown()
    values = [ask.evaluate(a, frame) for a in node.args]
    if values and all(isinstance(v, SequenceValue) for v in values):
        return SequenceValue(tuple(SequenceValue(parts) for parts in zip(*(v.contents for v in values), strict=False)))
    return ManyValue(SequenceValue(tuple(ask.element_of(v, frame, node) for v in values)))


def _map(node: ast.Call, frame: Frame) -> Value:
    if len(node.args) < 2:
        return unknown()
    elements = tuple(ask.element_of(ask.evaluate(a, frame), frame, node) for a in node.args[1:])
    return ManyValue(ask.call_with(_first(node, frame), Arguments(None, frame, elements), frame, node))


def _filter(node: ast.Call, frame: Frame) -> Value:
    return ask.evaluate(node.args[1], frame) if len(node.args) > 1 else UNKNOWN


def _same(node: ast.Call, frame: Frame) -> Value:
    return _first(node, frame)


def _next(node: ast.Call, frame: Frame) -> Value:
    return ask.element_of(_first(node, frame), frame, node)


def _range(node: ast.Call, frame: Frame) -> Value:
    return ManyValue(NUMBER, site=Site(frame.module, node))


def _getattr(node: ast.Call, frame: Frame) -> Value:
    if len(node.args) < 2:
        return UNKNOWN
    return member_by_name(ask.evaluate(node.args[0], frame), node.args[1], frame, node)


def member_by_name(base: Value, attribute: Node, frame: Frame, node: Node) -> Value:
    """What an object, or a module, has by a name that is worked out: `getattr(models, arch)`, `models.__dict__[arch]`.

    Args:
        base: the object.
        attribute: the expression of the name.
        frame: the context.
        node: the expression that asks for it.
    """
    name = ask.evaluate(attribute, frame).literal
    if not isinstance(name, str):
        return _some_member(base, frame) or unknown(frame.project.intern(("new", frame.key, id(node))))
    return ask.member_of(base, name, frame, node)


def _some_member(base: Value, frame: Frame) -> Value | None:
    """`getattr(torch.optim, options.optimizer)`: some class of a family, so its base; or what builds one of them."""
    name = _FAMILIES.get(base.module.name) if isinstance(base, ModuleValue) else None
    return frame.project.member(base.module, name) if isinstance(base, ModuleValue) and name is not None else None


def _isinstance(node: ast.Call, frame: Frame) -> Value:
    value = _first(node, frame)
    if len(node.args) < 2 or any(not isinstance(v, InstanceValue) for v in value.alternatives):
        return UnknownValue("bool")
    wanted = ask.evaluate(node.args[1], frame)
    classes = wanted.parts if isinstance(wanted, SequenceValue) else (wanted,)
    names = [c.cls.fullname for c in classes if isinstance(c, ClassValue)]
    if len(names) < len(classes):
        return UnknownValue("bool")
    truths = {any(inherits(cls, name) for name in names) for cls in value.classes}
    return literal(truths.pop()) if len(truths) == 1 else UnknownValue("bool")


def _super(node: ast.Call, frame: Frame) -> Value:
    current: Frame | None = frame
    while current is not None and current.function.owner is None:
        current = current.parent
    if current is None or current.function.owner is None:
        return UNKNOWN
    bases = mro(current.function.owner)[1:]
    known = [b for b in bases if not isinstance(b, str)]
    if not known:
        return unknown()
    return current.self_value().mapped(lambda v: _as_base(v, known[0]))


def _as_base(value: Value, base: ClassScope) -> Value:
    return InstanceValue(base, identity=value.identity, arguments=value.built_with, site=value.site)


def _type(node: ast.Call, frame: Frame) -> Value:
    value = _first(node, frame)
    return ClassValue(value.cls) if isinstance(value, InstanceValue) and len(node.args) == 1 else unknown()


_CALLS: dict[str, Callable[[ast.Call, Frame], Value]] = {
    "float": _number, "int": _number, "round": _number, "sum": _sum, "max": _extreme, "min": _extreme, "abs": _extreme,
    "list": _many, "tuple": _many, "set": _unordered, "frozenset": _unordered, "sorted": _sorted, "reversed": _many,
    "dict": _dict, "enumerate": _enumerate, "zip": _zip, "map": _map, "filter": _filter, "iter": _same, "next": _next,
    "vars": _fields, "range": _range, "getattr": _getattr, "isinstance": _isinstance, "super": _super, "type": _type,
}  # fmt: skip


# --------------------------------------------------------------------------------------------- methods of containers
def call_method_of_builtin(word: str, receiver: Value, node: ast.Call, frame: Frame) -> Value:
    """The result of a method of a list, dict, string or number: `dict.get`.

    Args:
        word: the class and the method: `dict.get`.
        receiver: the object whose method is called.
        node: the call.
        frame: where the call stands.
    """
    kind, _, name = word.partition(".")
    if kind == "dict":
        return _dict_method(name, receiver, node, frame)
    if kind == "list":
        if name == "pop":
            return ask.element_of(receiver, frame, node)
        if name in ("copy",):
            return receiver
        return NUMBER if name in ("index", "count") else literal(None)
    if kind in ("str", "bytes"):
        return ManyValue(TEXT) if name in ("split", "splitlines", "rsplit") else TEXT
    return unknown(frame.project.intern(("new", frame.key, id(node))))


def _dict_method(name: str, receiver: Value, node: ast.Call, frame: Frame) -> Value:
    parts: dict[Constant, Value] = receiver.entries if isinstance(receiver, MappingValue) else {}
    if name in ("get", "pop", "setdefault") and node.args:
        key = _first(node, frame)
        if isinstance(key, LiteralValue):
            found = parts.get(key.value)
            if found is not None:
                return found
            missing = ask.evaluate(node.args[1], frame) if len(node.args) > 1 else literal(None)
            more = parts and all(any(v is UNKNOWN for v in part.alternatives) for part in parts.values())
            return union([missing, UNKNOWN]) if more else missing  # what may replace every entry may bring another
        return union([*parts.values(), *(ask.evaluate(a, frame) for a in node.args[1:])]) if parts else UNKNOWN
    if name == "values":
        return SequenceValue(tuple(parts.values()))
    if name == "keys":
        return SequenceValue(tuple(literal(k) for k in parts))
    if name == "items":
        return SequenceValue(tuple(SequenceValue((literal(k), v)) for k, v in parts.items()))
    return receiver if name == "copy" else unknown()


# ----------------------------------------------------------------------------------- the standard library, by dotted
# name
def _partial(node: ast.Call, frame: Frame) -> Value:
    if not node.args:
        return UNKNOWN
    function = ask.evaluate(node.args[0], frame)
    return PartialValue(function, arguments=Arguments(node, frame))


def _copy(node: ast.Call, frame: Frame) -> Value:
    return copied_value(_first(node, frame), frame, node)


def _shallow_copy(node: ast.Call, frame: Frame) -> Value:
    return copied_value(_first(node, frame), frame, node, shallow=True)


def _chain(node: ast.Call, frame: Frame) -> Value:
    values = [ask.evaluate(a.value if isinstance(a, ast.Starred) else a, frame) for a in node.args]
    if values and all(v.is_("Parameters") for v in values):
        return merge_tensors(values).with_(traits={"Parameters": Site(frame.module, node)})
    return ManyValue(union([ask.element_of(v, frame, node) for v in values])) if values else UNKNOWN


def _wraps(node: ast.Call, frame: Frame) -> Value:
    """`wraps(function)`, a decorator that gives back what it is called with."""
    return unknown(of="functools.update_wrapper")


def _deque(node: ast.Call, frame: Frame) -> Value:
    return unknown(frame.project.intern(("new", frame.key, id(node))))


EXTERNAL: dict[str, Callable[[ast.Call, Frame], Value]] = {
    "functools.partial": _partial, "copy.deepcopy": _copy, "copy.copy": _shallow_copy, "itertools.chain": _chain,
    "itertools.islice": _same, "itertools.cycle": _same, "collections.OrderedDict": _dict, "collections.deque": _deque,
    "functools.lru_cache": _same, "functools.wraps": _wraps, "functools.update_wrapper": _same,
    "itertools.chain.from_iterable": _same, "dataclasses.asdict": _fields,
}  # fmt: skip
