"""What operators do to values: arithmetic by the tensor stub's own `__add__` and friends, comparisons, truth.

Python constants are folded where a branch may depend on them. Arithmetic with a known tensor asks the stub, so that the
traits of a sum or a quotient are written once, in `torch/_tensor.pyi`. Dividing a loss leaves the trait `Divided`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.defaults import is_always_default_none
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, place
from mllint.semantics.syntax.sites import GraphBreak
from mllint.semantics.values.ask import ask
from mllint.semantics.values.classes import method
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.graph_breaks import break_graph
from mllint.semantics.values.library import apply
from mllint.semantics.values.tensors import tensor_operator
from mllint.semantics.values.values import (
    UNKNOWN,
    BottomValue,
    BuiltinValue,
    InstanceValue,
    LiteralValue,
    ManyValue,
    MappingValue,
    PartialValue,
    SequenceValue,
    Site,
    TensorValue,
    Traits,
    UnknownValue,
    Value,
    literal,
    merge_facets,
    merge_tensors,
    union,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from mllint.semantics.vocabulary import Trait

__all__ = ["PARTLY", "binary", "boolean", "compare", "unary"]

_DUNDERS: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip
_FOLD: dict[type, Callable[[int | float, int | float], int | float]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b,
}  # fmt: skip
_NORMALISED: tuple[Trait, ...] = ("Divided", "Scaled", "SumLoss")
PARTLY: tuple[Trait, ...] = ("PartlyCut", "PartlyUnrecorded", "PartlyHard")
"""A term of a sum trains nothing: it was detached, computed where no graph is built, or without a gradient."""
_DECISIONS = frozenset("argmax argmin one_hot round sign floor ceil compare".split())
"""What makes decisions of scores: a term that is computed of these alone has no gradient, whatever else it is for."""


def binary(left: Value, op: Node, right: Value, frame: Frame, node: Node) -> Value:
    """The value of `left op right`.

    Args:
        left: the left operand.
        op: the operator.
        right: the right operand.
        frame: where it stands.
        node: the whole expression.
    """
    if isinstance(left, LiteralValue) and isinstance(right, LiteralValue):
        return _folded(left, op, right)
    if isinstance(left, (SequenceValue, ManyValue, MappingValue)) or isinstance(
        right, (SequenceValue, ManyValue, MappingValue)
    ):
        return _containers(left, op, right)
    pairs = [(a, b) for a in left.alternatives for b in right.alternatives]
    if len(pairs) > 8:
        return merge_facets([left, right])
    return union([_arithmetic(a, op, b, frame, node) for a, b in pairs])


def _folded(left: LiteralValue, op: Node, right: LiteralValue) -> Value:
    fold, one, other = _FOLD.get(op.__class__), left.value, right.value
    if fold is None or not isinstance(one, (int, float)) or not isinstance(other, (int, float)):
        return UnknownValue("number")
    small = abs(one) < 1 << 40 and abs(other) < 1 << 40
    if not small or (other == 0 and isinstance(op, (ast.FloorDiv, ast.Mod))):
        return UnknownValue("number")
    return literal(fold(one, other))


def _containers(left: Value, op: Node, right: Value) -> Value:
    if isinstance(left, SequenceValue) and isinstance(right, SequenceValue) and isinstance(op, ast.Add):
        return SequenceValue((*left.parts, *right.parts))
    if (
        isinstance(left, SequenceValue)
        and isinstance(op, ast.Mult)
        and isinstance(right.literal, int)
        and len(left.parts) == 1
    ):
        return SequenceValue(left.parts * min(right.literal, 8), traits={"Repeated": left.site})
    if isinstance(left, MappingValue) and isinstance(right, MappingValue) and isinstance(op, ast.BitOr):
        return MappingValue({**left.entries, **right.entries}, site=left.site)
    items = left if isinstance(left, SequenceValue) else right
    if isinstance(op, ast.Mult) and isinstance(items, SequenceValue):
        return ManyValue(union(items.parts) if items.parts else None, traits={"Repeated": items.site}, site=items.site)
    inner = [p for v in (left, right) if isinstance(v, (SequenceValue, ManyValue)) for p in v.contents]
    others = [v for v in (left, right) if not isinstance(v, (SequenceValue, ManyValue))]
    return ManyValue(union([*inner, *others])) if inner and isinstance(op, ast.Add) else merge_facets([left, right])


def _arithmetic(left: Value, op: Node, right: Value, frame: Frame, node: Node) -> Value:
    if isinstance(left, BottomValue) or isinstance(right, BottomValue):
        solid = right if isinstance(left, BottomValue) else left
        if isinstance(solid, BottomValue):
            return solid
        return solid.with_(identity=0) if isinstance(op, (ast.Add, ast.Sub)) else merge_tensors([solid])
    name = _DUNDERS.get(op.__class__)
    if name is None:
        return merge_facets([left, right])
    if isinstance(left, TensorValue):
        value = tensor_operator(left, f"__{name}__", right, frame, node)
    elif isinstance(right, TensorValue):
        value = tensor_operator(right, f"__r{name}__", left, frame, node)
    elif (own := _of_library(left, f"__{name}__")) is not None:
        value = apply(own, {}, frame, node, left)
    elif (own := _of_library(right, f"__r{name}__")) is not None:
        value = apply(own, {}, frame, node, right)
    else:
        value = merge_facets([left, right])
    return _scaled(left, op, right, value, frame, node)


def _of_library(value: Value, name: str) -> FunctionScope | None:
    """The operator that a stub declares for an instance of a library's class: `Path("data") / name`."""
    if not isinstance(value, InstanceValue) or not value.cls.module.is_stub:
        return None
    found = method(value.cls, name)
    return found if found is not None and found.stubbed else None


def _scaled(left: Value, op: Node, right: Value, value: Value, frame: Frame, node: Node) -> Value:
    """A term that a number divides or multiplies is normalised, for whoever asks about accumulation."""
    traits = dict(value.traits)
    for side in (left, right):
        for word in _NORMALISED:
            if word in side.traits:
                traits.setdefault(word, side.traits[word])
    site = Site(frame.module, node)
    if (left.traits or right.traits) and isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        _terms(left, op, right, value, traits)
    if (isinstance(op, ast.Div) and (isinstance(left, TensorValue) or left.graph)) or (
        isinstance(op, ast.Mult) and (_may_be_fraction(left) or _may_be_fraction(right))
    ):
        traits["Divided"] = site
    elif isinstance(op, (ast.Add, ast.Sub)):
        for tensor, other in ((left, right), (right, left)):
            lost = _lost_term(other, tensor) if tensor.graph and other.breaks and not other.graph else None
            if lost is not None and not _is_of_no_value(other.breaks[-1].site.node, node):
                traits[lost] = _shown_break(other.breaks).site
            if tensor.graph and "Loss" in tensor.traits and "Divided" not in tensor.traits:
                traits.pop("Divided", None)  # a whole loss stays one next to a term with a weight
    if traits == value.traits:
        return value
    return value.with_(traits=traits)


def _terms(left: Value, op: Node, right: Value, value: Value, traits: dict[Trait, Site | None]) -> None:
    """What a sum of losses, or a loss with a weight, keeps of what is known of its terms."""
    adds = isinstance(op, (ast.Add, ast.Sub))
    for side, other in ((left, right), (right, left)):
        number = not (other.graph or other.breaks or other.opaque or isinstance(other, TensorValue))
        if adds or number or "Given" in other.traits:
            for word in PARTLY:
                if word in side.traits:
                    traits.setdefault(word, side.traits[word])
        weighted = _may_be_fraction(other) if value.graph else number or "Given" in other.traits
        if not adds and weighted and "Loss" in side.traits:
            traits.setdefault("Loss", side.traits["Loss"])


def _may_be_fraction(value: Value) -> bool:
    """A number that may be below 1."""
    return value.is_number or (
        isinstance(value, LiteralValue) and isinstance(value.value, float) and 0 < value.value < 1
    )


def _lost_term(value: Value, beside: Value) -> Trait | None:
    """The word for a term of a sum that trains nothing: a number, or a loss of something that was detached, computed
    without a graph or without a gradient, or what is detached, computed without a graph, or made of decisions alone,
    and added to a loss. None for any other term."""
    words = {c.how for c in value.breaks}
    if "Loss" in value.traits and not value.opaque:  # every term of a sum is a value of its own
        last = value.breaks[-1].how
        by_hand = words & {"item", "float", "detach", "data"}
        return "PartlyCut" if by_hand else "PartlyUnrecorded" if last == "no_grad" else "PartlyHard"
    if "Loss" in beside.traits and not value.opaque and words & {"detach", "data"}:
        cut = value.breaks[-1].site.node
        base = getattr(cut.func if isinstance(cut, ast.Call) else cut, "value", None)
        named = isinstance(base, (ast.Name, ast.Attribute))  # `(a - b).detach()` is there for its value
        return "PartlyCut" if named else None
    if "Loss" in beside.traits and words and words <= _DECISIONS and not value.opaque:
        return "PartlyHard"
    if "Loss" in beside.traits and words == {"no_grad"} and not value.opaque:
        return "PartlyUnrecorded"
    if value.opaque and isinstance(value, TensorValue) and "Loss" not in value.traits:
        return None  # a number of it was cut, and what that number weighs is not known
    return "PartlyCut" if words & {"item", "float"} else None


def _shown_break(breaks: tuple[GraphBreak, ...]) -> GraphBreak:
    """Which of the breaks of a lost term is shown: where a tensor became a number, beside which a factor that was
    detached is only a weight; else the last one."""
    number = next((c for c in breaks if c.how == "item"), None)
    return number or next((c for c in breaks[::-1] if c.how != "one_hot"), breaks[-1])


def _is_of_no_value(cut: Node, node: Node) -> bool:
    """Is it `term - term.detach()`: the gradients of a term, and nothing of its value?"""
    base = cut.func.value if isinstance(cut, ast.Call) and isinstance(cut.func, ast.Attribute) else None
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and place(node.left) == place(base) is not None


def unary(op: Node, operand: Value, frame: Frame, node: Node) -> Value:
    """The value of `op operand`.

    Args:
        op: the operator.
        operand: the operand.
        frame: where it stands.
        node: the whole expression.
    """
    if isinstance(op, ast.Not):
        truth = operand.truth
        return literal(not truth) if truth is not None else UnknownValue("bool")
    if isinstance(operand, LiteralValue) and isinstance(op, ast.USub) and isinstance(operand.value, (int, float)):
        return literal(-operand.value)
    if isinstance(op, ast.Invert):
        return break_graph(operand, "compare", frame, node)

    def negated(v: Value) -> Value:
        kept: Traits = {k: s for k, s in v.traits.items() if k in ("Loss", "Raw", "Divided", "Scaled", "SumLoss")}
        return v.with_(traits=kept, identity=0) if isinstance(v, (TensorValue, UnknownValue)) else merge_facets([v])

    return operand.mapped(negated)


def compare(node: ast.Compare, frame: Frame) -> Value:
    """The value of a comparison: a truth where constants decide it, else a value that no gradient flows through."""
    left = ask.evaluate(node.left, frame)
    if len(node.ops) == 1:
        right = ask.evaluate(node.comparators[0], frame)
        truths = {_compared(a, node.ops[0], b) for a in left.alternatives for b in right.alternatives}
        if len(truths) == 1 and None not in truths:
            return literal(truths.pop())
        value = break_graph(merge_tensors([left, right]), "compare", frame, node)
        ordered = isinstance(node.ops[0], (ast.Gt, ast.GtE, ast.Lt, ast.LtE)) and isinstance(value, TensorValue)
        return value.with_(traits={**value.traits, "Decided": Site(frame.module, node)}) if ordered else value
    return break_graph(
        merge_tensors([left, *(ask.evaluate(c, frame) for c in node.comparators)]), "compare", frame, node
    )


def _compared(left: Value, op: Node, right: Value) -> bool | None:
    if isinstance(op, (ast.Is, ast.IsNot)) and isinstance(right, LiteralValue) and right.value is None:
        known = not isinstance(left, (UnknownValue, BuiltinValue, PartialValue, BottomValue))
        same = isinstance(left, LiteralValue) and left.value is None
        return None if not known else same == isinstance(op, ast.Is)
    if not isinstance(left, LiteralValue) or not isinstance(right, (LiteralValue, SequenceValue)):
        return None
    if isinstance(op, (ast.In, ast.NotIn)):
        if not isinstance(right, SequenceValue) or not all(isinstance(p, LiteralValue) for p in right.parts):
            return None
        return (left.value in [p.literal for p in right.parts]) == isinstance(op, ast.In)
    if not isinstance(right, LiteralValue):
        return None
    if isinstance(op, (ast.Eq, ast.Is)):
        return bool(left.value == right.value)
    if isinstance(op, (ast.NotEq, ast.IsNot)):
        return bool(left.value != right.value)
    if isinstance(left.value, (int, float)) and isinstance(right.value, (int, float)):
        ordered = {
            ast.Lt: left.value < right.value,
            ast.LtE: left.value <= right.value,
            ast.Gt: left.value > right.value,
            ast.GtE: left.value >= right.value,
        }
        return ordered.get(op.__class__)
    return None


def boolean(node: ast.BoolOp, frame: Frame) -> Value:
    """The value of `a and b` or `a or b`."""
    if (
        isinstance(node.values[-1], ast.Call)
        and isinstance(node.op, ast.Or)
        and is_always_default_none(node.values[0], frame)
    ):
        return ask.evaluate(node.values[-1], frame)
    values = [ask.evaluate(v, frame) for v in node.values]
    stop = isinstance(node.op, ast.Or)
    truths = [v.truth for v in values]
    if stop in truths and all(t is not None for t in truths[: truths.index(stop)]):
        return values[truths.index(stop)]
    if None not in truths:
        return values[-1]
    if stop in truths and not stop:
        return literal(False)
    possible = [v for v, t in zip(values[:-1], truths[:-1], strict=True) if t is not (not stop)]
    return union([*possible, values[-1]]) if possible else UNKNOWN if not values else values[-1]
