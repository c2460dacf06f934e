"""In which dimension do the classes of some scores lie?

    torch.softmax(scores, dim=0).argmax(dim=1)        # the classes of `scores` are in dimension 1

`classes_dimension` says it by what the same function does with the scores: it decides (`argmax`, `max`, `topk`), or
picks (`gather`, `take_along_axis`, `[:, 1]`, `[arange(n), y]`), along that dimension, or sums the entropy over it.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.tensor_methods import DETACHES
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.shapes import dimension_of
from mllint.semantics.values.lineage import resolve_name

__all__ = ["classes_dimension"]

_DECIDING = frozenset("argmax max topk gather take_along_axis take_along_dim".split())
_NORMALISING = frozenset("softmax log_softmax softmin".split())
_COUNTING = ("arange", "range")
_ENTRYWISE = DETACHES | {"log", "exp", "neg", "clamp", "clip", "add", "float"}
_NAMES = 3


def classes_dimension(call: Call, scores: Node) -> Answer[int] | None:
    """In which dimension the scores of one sample lie, by what the function does with them.

    Args:
        call: a softmax of the scores; what is done with its result counts too.
        scores: the expression that it is applied to.

    Returns:
        The dimension, explained by the calls that decide or pick along it; None where nothing does, or where they do
        not agree: scores between two views are compared both ways.
    """
    found: dict[int, Site] = {}
    for node in _uses(call, scores):
        other = Call(node, call.frame) if isinstance(node, ast.Call) else None
        if other is None:
            found.setdefault(1, call.at(node))  # `probs[:, 1]`
        elif (dim := dimension_of(other)) is not None:
            if other.last_name in _NORMALISING:
                return None
            found.setdefault(dim, other.site)
    if len(found) != 1:
        return None
    dim, site = found.popitem()
    return Answer(dim, Evidence.USED, (site,))


def _uses(call: Call, scores: Node) -> list[Node]:
    """The other calls and indices of a function that read the same scores, or the result, by a dimension."""
    at = reaching(call.function).at
    assigned = [b for bs in call.function.bindings.values() for b in bs if b.kind == "assign" and not b.path]
    mine = set(at.get(id(scores), ())) if isinstance(scores, ast.Name) else set()
    bound: set[Binding] = set()

    def reads(node: Node) -> bool:
        node = _behind_entrywise(node)
        known = set(at.get(id(node), ())) if isinstance(node, ast.Name) else set()
        return node is call.node or (bool(known) and (known <= bound or known == mine))

    for _ in range(_NAMES):
        bound |= {b for b in assigned if b not in bound and reads(b.value)}
    found: list[Node] = []
    for node in call.function.calls:
        if node is not call.node and last_name(node.func) in _DECIDING | _NORMALISING:
            base = node.func.value if isinstance(node.func, ast.Attribute) else None
            found += [node] if reads(base) or (node.args and reads(node.args[0])) else []
        elif any(reads(n) and (call.last_name == "log_softmax" or _is_log(n, call)) for n in _summed_factors(node)):
            found.append(node)
    columns = (n for n in call.function.nodes_of(ast.Subscript) if _picks_column(n.slice, call.function))
    return [*found, *(n for n in columns if reads(n.value))]


def _summed_factors(node: ast.Call) -> tuple[Node, ...]:
    """`y` and `logp` of `(y * logp).sum(axis=1)` and of `jnp.sum(y * logp, axis=1)`: the entropy of each sample."""
    match node:
        case (
            ast.Call(func=ast.Attribute(attr="sum", value=ast.BinOp(op=ast.Mult(), left=left, right=right)))
            | ast.Call(func=ast.Attribute(attr="sum"), args=[ast.BinOp(op=ast.Mult(), left=left, right=right), *_])
        ):
            return left, right
    return ()


def _is_log(node: Node, call: Call) -> bool:
    made = resolve_name(node, call.function)
    return isinstance(made, ast.Call) and last_name(made.func) == "log"


def _behind_entrywise(node: Node) -> Node:
    """`x` of `-x`, of `x + 1e-8`, of `x.log()` and of `jnp.log(x)`: the same entries in the same places."""
    for _ in range(_NAMES):
        match node:
            case ast.UnaryOp(operand=inner) | ast.BinOp(left=inner, right=ast.Constant()):
                node = inner
            case ast.Call(func=ast.Attribute(attr=attr, value=owner), args=args) if attr in _ENTRYWISE:
                node = args[0] if args and not isinstance(args[0], ast.Constant) else owner
            case _:
                break
    return node


def _picks_column(index: Node, function: FunctionScope) -> bool:
    """Whether it is `[:, 1]`, the probability of the second of two classes, or `[arange(n), y]`, a class for each
    sample."""
    match index:
        case ast.Tuple(elts=[ast.Slice(lower=None, upper=None), ast.Constant(value=1)]):
            return True
        case ast.Tuple(elts=[rows, ast.Name() | ast.Attribute() | ast.Subscript()]):
            counted = resolve_name(rows, function)
            return isinstance(counted, ast.Call) and last_name(counted.func) in _COUNTING
    return False
