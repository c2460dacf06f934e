"""What operators do to values: arithmetic by the tensor stub's own `__add__` and friends, comparisons, truth.

Python constants are folded where a branch may depend on them. Arithmetic with a known tensor asks the stub, so that the
traits of a sum or a quotient are written once, in `torch/_tensor.pyi`. Dividing a loss leaves the trait `Divided`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from mllint.semantics.syntax.defaults import left_out
from mllint.semantics.syntax.module import Function
from mllint.semantics.values.ask import ask
from mllint.semantics.values.classes import method
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import apply
from mllint.semantics.values.tensors import tensor_operator
from mllint.semantics.values.values import UNKNOWN, Site, Value, cut, literal, merge_facets, union

if TYPE_CHECKING:
    from mllint.semantics.vocabulary import Trait

__all__ = ["binary", "boolean", "compare", "unary"]

_DUNDERS: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
}  # fmt: skip
_FOLD: dict[type, Any] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b, ast.Mod: lambda a, b: a % b,
}  # fmt: skip


def binary(left: Value, op: Any, right: Value, frame: Frame, node: Any) -> Value:
    """The value of `left op right`."""
    if left.kind == "literal" and right.kind == "literal":
        return _folded(left, op, right)
    if left.kind in ("sequence", "many", "mapping") or right.kind in ("sequence", "many", "mapping"):
        return _containers(left, op, right)
    pairs = [(a, b) for a in left.alternatives for b in right.alternatives]
    if len(pairs) > 8:
        return merge_facets([left, right])
    return union([_arithmetic(a, op, b, frame, node) for a, b in pairs])


def _folded(left: Value, op: Any, right: Value) -> Value:
    fold = _FOLD.get(op.__class__)
    small = all(isinstance(v.of, (int, float)) and abs(v.of) < 1 << 40 for v in (left, right))
    if fold is None or not small or (right.of == 0 and isinstance(op, (ast.FloorDiv, ast.Mod))):
        return Value("unknown", "number", opaque=False)
    return literal(fold(left.of, right.of))


def _containers(left: Value, op: Any, right: Value) -> Value:
    if left.kind == right.kind == "sequence" and isinstance(op, ast.Add):
        return Value("sequence", parts=(*left.parts, *right.parts))
    if left.kind == "sequence" and isinstance(op, ast.Mult) and isinstance(right.literal, int) and len(left.parts) == 1:
        return Value("sequence", parts=left.parts * min(right.literal, 8), traits={"Repeated": left.site})
    if isinstance(op, ast.Mult) and "sequence" in (left.kind, right.kind):
        items = left if left.kind == "sequence" else right
        return Value(
            "many", parts=(union(items.parts),) if items.parts else (), traits={"Repeated": items.site}, site=items.site
        )
    inner = [p for v in (left, right) if v.kind in ("sequence", "many") for p in v.parts]
    others = [v for v in (left, right) if v.kind not in ("sequence", "many")]
    return (
        Value("many", parts=(union([*inner, *others]),))
        if inner and isinstance(op, ast.Add)
        else merge_facets([left, right])
    )


def _arithmetic(left: Value, op: Any, right: Value, frame: Frame, node: Any) -> Value:

    if left.kind == "bottom" or right.kind == "bottom":
        solid = right if left.kind == "bottom" else left
        if solid.kind == "bottom":
            return solid
        return solid.with_(identity=0) if isinstance(op, (ast.Add, ast.Sub)) else merge_facets([solid], "tensor")
    name = _DUNDERS.get(op.__class__)
    if name is None:
        return merge_facets([left, right])
    if left.kind == "tensor":
        value = tensor_operator(left, f"__{name}__", right, frame, node)
    elif right.kind == "tensor":
        value = tensor_operator(right, f"__r{name}__", left, frame, node)
    elif (own := _of_library(left, f"__{name}__")) is not None:
        value = apply(own, {}, frame, node, left)
    elif (own := _of_library(right, f"__r{name}__")) is not None:
        value = apply(own, {}, frame, node, right)
    else:
        value = merge_facets([left, right])
    return _scaled(left, op, right, value, frame, node)


_NORMALISED: tuple[Trait, ...] = ("Divided", "Scaled", "SumLoss")


def _of_library(value: Value, name: str) -> Function | None:
    """The operator that a stub declares for an instance of a library's class: `Path("data") / name`."""
    if value.kind != "instance" or isinstance(value.of, str) or not value.of.module.is_stub:
        return None
    found = method(value.of, name)
    return found if found is not None and found.stubbed else None


def _scaled(left: Value, op: Any, right: Value, value: Value, frame: Frame, node: Any) -> Value:
    """A term that a number divides or multiplies is normalised, for whoever asks about accumulation."""
    traits = dict(value.traits)
    for side in (left, right):
        for word in _NORMALISED:
            if word in side.traits:
                traits.setdefault(word, side.traits[word])
    site = Site(frame.module, node)
    if (left.traits or right.traits) and isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.Div)):
        _terms(left, op, right, value, traits)
    if (isinstance(op, ast.Div) and (left.kind == "tensor" or left.graph)) or (
        isinstance(op, ast.Mult) and (_fraction(left) or _fraction(right))
    ):
        traits["Divided"] = site
    elif isinstance(op, (ast.Add, ast.Sub)):
        for tensor, other in ((left, right), (right, left)):
            lost = _lost_term(other, tensor) if tensor.graph and other.cuts and not other.graph else None
            if lost is not None:
                traits[lost] = other.cuts[-1].site
            if tensor.graph and "Loss" in tensor.traits and "Divided" not in tensor.traits:
                traits.pop("Divided", None)  # a whole loss stays one beside a term with a weight
    if traits == value.traits:
        return value
    return value.with_(traits=traits)


def _terms(left: Value, op: Any, right: Value, value: Value, traits: dict[Trait, Site | None]) -> None:
    """What a sum of losses, or a loss with a weight, keeps of what is known of its terms."""
    adds = isinstance(op, (ast.Add, ast.Sub))
    for side, other in ((left, right), (right, left)):
        number = not (other.graph or other.cuts or other.opaque or other.kind == "tensor")
        for word in PARTLY if adds or number or "Given" in other.traits else ():
            if word in side.traits:
                traits.setdefault(word, side.traits[word])
        weighted = _fraction(other) if value.graph else number or "Given" in other.traits
        if not adds and weighted and "Loss" in side.traits:
            traits.setdefault("Loss", side.traits["Loss"])


def _fraction(value: Value) -> bool:
    """A number that may be below 1."""
    return value.of == "number" or (value.kind == "literal" and isinstance(value.of, float) and 0 < value.of < 1)


PARTLY: tuple[Trait, ...] = ("PartlyCut", "PartlyUnrecorded", "PartlyHard")
"""A term of a sum trains nothing: it was detached, computed where no graph is built, or without a gradient."""


def _lost_term(value: Value, beside: Value) -> Trait | None:
    """The word for a term of a sum that trains nothing: a number, or a loss of something that was detached, computed
    without a graph or without a gradient, or what is detached and added to a loss. None for any other term."""
    words = {c.how for c in value.cuts}
    if "Loss" in value.traits and not value.opaque:  # every term of a sum is a value of its own
        last = value.cuts[-1].how
        by_hand = words & {"item", "float", "detach", "data"}
        return "PartlyCut" if by_hand else "PartlyUnrecorded" if last == "no_grad" else "PartlyHard"
    if "Loss" in beside.traits and not value.opaque and words & {"detach", "data"}:
        cut = value.cuts[-1].site.node
        base = getattr(cut.func if isinstance(cut, ast.Call) else cut, "value", None)
        named = isinstance(base, (ast.Name, ast.Attribute))  # `(a - b).detach()` is there for its value
        return "PartlyCut" if named else None
    if value.opaque and value.kind == "tensor" and "Loss" not in value.traits:
        return None  # a number of it was cut, and what that number weighs is not known
    return "PartlyCut" if words & {"item", "float"} else None


def unary(op: Any, operand: Value, frame: Frame, node: Any) -> Value:
    """The value of `op operand`."""
    if isinstance(op, ast.Not):
        truth = operand.truth
        return literal(not truth) if truth is not None else Value("unknown", "bool", opaque=False)
    if operand.kind == "literal" and isinstance(op, ast.USub) and isinstance(operand.of, (int, float)):
        return literal(-operand.of)
    if isinstance(op, ast.Invert):
        return cut(operand, "compare", frame, node)

    def negated(v: Value) -> Value:
        kept = {k: s for k, s in v.traits.items() if k in ("Loss", "Raw", "Divided", "Scaled", "SumLoss")}
        return v.with_(traits=kept, identity=0) if v.kind in ("tensor", "unknown") else merge_facets([v])

    return operand.mapped(negated)


def compare(node: ast.Compare, frame: Frame) -> Value:
    """The value of a comparison: a truth where constants decide it, else a value that no gradient passes."""

    left = ask.evaluate(node.left, frame)
    if len(node.ops) == 1:
        right = ask.evaluate(node.comparators[0], frame)
        truths = {_compared(a, node.ops[0], b) for a in left.alternatives for b in right.alternatives}
        if len(truths) == 1 and None not in truths:
            return literal(truths.pop())
        return cut(merge_facets([left, right], "tensor"), "compare", frame, node)
    return cut(
        merge_facets([left, *(ask.evaluate(c, frame) for c in node.comparators)], "tensor"), "compare", frame, node
    )


def _compared(left: Value, op: Any, right: Value) -> bool | None:
    if isinstance(op, (ast.Is, ast.IsNot)) and right.kind == "literal" and right.of is None:
        known = left.kind in (
            "literal",
            "instance",
            "class",
            "function",
            "module",
            "tensor",
            "sequence",
            "mapping",
            "many",
        )
        same = left.kind == "literal" and left.of is None
        return None if not known else same == isinstance(op, ast.Is)
    if left.kind != "literal" or right.kind not in ("literal", "sequence"):
        return None
    if isinstance(op, (ast.In, ast.NotIn)):
        if right.kind != "sequence" or not all(p.kind == "literal" for p in right.parts):
            return None
        return (left.of in [p.of for p in right.parts]) == isinstance(op, ast.In)
    if right.kind != "literal":
        return None
    if isinstance(op, (ast.Eq, ast.Is)):
        return bool(left.of == right.of)
    if isinstance(op, (ast.NotEq, ast.IsNot)):
        return bool(left.of != right.of)
    if isinstance(left.of, (int, float)) and isinstance(right.of, (int, float)):
        ordered = {
            ast.Lt: left.of < right.of,
            ast.LtE: left.of <= right.of,
            ast.Gt: left.of > right.of,
            ast.GtE: left.of >= right.of,
        }
        return ordered.get(op.__class__)
    return None


def boolean(node: ast.BoolOp, frame: Frame) -> Value:
    """The value of `a and b` or `a or b`."""

    if isinstance(node.values[-1], ast.Call) and isinstance(node.op, ast.Or) and left_out(node.values[0], frame):
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
