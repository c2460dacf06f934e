"""What is a sum over batches divided by: by what was summed?

    total += loss.item() * x.size(0)         # a sum over samples
    total / len(loader)                      # divided by the number of batches: `mixed`

    total += loss.item()                     # a sum over batches (of a loss that is a mean)
    total / len(loader.dataset)              # divided by the number of samples: `mixed`

Two units: batches and samples. What is gone through is in batches if the size of a batch is a factor of a term, or if
it is a loader, whose batches hold more than one sample: sums over the members of a list are neither. A term counts
samples if the size of a batch is a factor of it, or if it is a number of hits (`(pred == y).sum()`), or a loss that is
a sum; it counts batches if it is a loss that is a mean, of whose terms none is a sum. A divisor counts batches if it is
the length of what the loop goes through, or counts its turns, samples if it is the length of its dataset, or a sum of
the sizes of the batches. Of everything else, a mean of hits too, the unit is not known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from mllint.semantics.flow.views import FunctionView as Function
from mllint.semantics.syntax.nodes import iterable_of, last_name, place, walk
from mllint.semantics.training.roles import Role, has_role_name
from mllint.semantics.training.rows.loading import LOADER
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.lineage import Origin, bound_to, origins, results_of, statements
from mllint.semantics.values.values import UNKNOWN

__all__ = ["Mixed", "bare", "draws_batches", "mixed", "one_by_one", "operand", "sums"]

_NUMBERS = frozenset("item float int cpu detach numpy tolist".split())


Division = ast.BinOp | ast.AugAssign
"""`total / n`, or `total /= n`."""


class Mixed(NamedTuple):
    """A sum of one unit that is divided by another.

    Attributes:
        division: the division.
        term: what is added in the loop.
        summed: the unit of the sum, "samples" or "batches".
        name: the place of the sum.
    """

    division: Division
    term: Any
    summed: str
    name: str


def mixed(function: Function) -> Iterator[Mixed]:
    """The sums of a function that are divided by the wrong count."""
    drawn = (
        (run.node, place(iterable_of(run.node.iter))) for run in function.scope.loops if isinstance(run.node, ast.For)
    )
    added = [(loader, *one) for loop, loader in drawn if loader is not None for one in sums(loop)]
    divisions = [n for s in statements(function.scope) for n in _divisions(s)] if added else []
    for loader, name, term, loop in added if divisions else ():
        below = [d for d in divisions if d.lineno > loop.lineno and operand(_sides(d)[0]) == name]
        counted = [(d, unit) for d in below if (unit := _unit_of_divisor(_sides(d)[1], loader, loop, function))]
        summed = _unit_of_term(term, loop, function) if counted and not one_by_one(loop, function) else None
        yield from (Mixed(d, term, summed, name) for d, unit in counted if summed not in (None, unit))


def one_by_one(loop: ast.For, function: Function) -> bool:
    """Does a loop draw single samples, from a loader that makes batches of one?"""
    loader = function.value_of(iterable_of(loop.iter))
    size = constructor_argument(loader, "batch_size") if loader.instance_of(LOADER) else UNKNOWN
    return size is None or size.literal == 1


def _divisions(statement: ast.stmt) -> list[Division]:
    if isinstance(statement, (ast.For, ast.While, ast.If, ast.With, ast.Try)):
        return []
    return [n for n in walk(statement) if isinstance(n, (ast.BinOp, ast.AugAssign)) and isinstance(n.op, ast.Div)]


def _sides(division: Division) -> tuple[ast.expr, ast.expr]:
    """What is divided, and by what."""
    if isinstance(division, ast.AugAssign):
        return division.target, division.value
    return division.left, division.right


def sums(loop: ast.For) -> Iterator[tuple[str, Any, ast.For]]:
    """The running sums of a loop, each with what is added once per turn."""
    pending = list(loop.body)
    while pending:
        statement = pending.pop(0)
        if isinstance(statement, (ast.With, ast.Try)):
            pending = [*statement.body, *pending]
        elif isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
            name = place(statement.target)
            if name is not None:
                yield name, statement.value, loop


def operand(node: Any) -> str | None:
    """The place of a sum, without what makes a percentage or a number of it: `100.0 * correct`, `correct.item()`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return operand(node.right if isinstance(node.left, ast.Constant) else node.left)
    return place(bare(node))


def bare(node: Any) -> Any:
    while isinstance(node, ast.Call) and last_name(node.func) in _NUMBERS:
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.args[0] if node.args else None
    return node


def _unit_of_term(term: Any, loop: ast.For, function: Function) -> str | None:
    node = bare(term)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        sides = (node.left, node.right)
        sizes = [s for s in sides if _is_batch_size(s, loop, function)]
        others = [s for s in sides if s not in sizes]
        return "samples" if len(sizes) == 1 and _unit_of_term(others[0], loop, function) == "batches" else None
    if isinstance(node, ast.Call) and last_name(node.func) == "sum":
        counted = node.func.value if isinstance(node.func, ast.Attribute) and not node.args else node.args[:1]
        hits = any(isinstance(n, ast.Compare) for n in _walk_all(counted))
        return "samples" if hits and draws_batches(loop, function) else None
    value = function.value_of(node)
    if value.is_("SumLoss"):
        return "samples" if draws_batches(loop, function) else None
    mean = value.is_("Loss") and not value.is_("Divided") and not _has_summed_term(node, function)
    return "batches" if mean else None


def _has_summed_term(loss: Any, function: Function) -> bool:
    """Is a term of a loss a sum, `-0.5 * torch.sum(1 + logvar - ...)`, in whatever function it is computed?"""
    found = origins(loss, function.frame, through=lambda o: not isinstance(o.node, ast.Call) or _leads_on(o))
    return any(isinstance(o.node, ast.Call) and last_name(o.node.func) == "sum" for o in found)


def _leads_on(origin: Origin) -> bool:
    """Is a call one of the user's, or a method of what another call gives: `torch.sum(x).mul_(0.5)`?"""
    func = origin.node.func
    chained = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call)
    return chained or next(results_of(origin.node, origin.frame), None) is not None


def draws_batches(loop: ast.For, function: Function) -> bool:
    """Is it a loader that a loop goes through, known as one or named as one?"""
    drawn = iterable_of(loop.iter)
    return function.value_of(drawn).instance_of(LOADER) or has_role_name(place(drawn), Role.LOADER)


def _walk_all(nodes: Any) -> list[Any]:
    """All nodes below an expression, or below each of some."""
    return [n for node in (nodes if isinstance(nodes, list) else [nodes]) for n in walk(node)]


def _is_batch_size(node: Any, loop: ast.For, function: Function) -> bool:
    """Is it `x.size(0)`, `x.shape[0]` or `len(x)` of what the loop draws, or a name for one of them?"""
    if isinstance(node, ast.Name):
        bound = [b.value for b in function.scope.bindings.get(node.id, ()) if b.kind == "assign" and not b.path]
        return len(bound) == 1 and isinstance(bound[0], ast.expr) and _is_batch_size(bound[0], loop, function)
    drawn = {place(n) for n in walk(loop.target)}
    match node:
        case ast.Call(func=ast.Attribute(attr="size", value=tensor), args=[ast.Constant(value=0)]):
            return _root(tensor) in drawn
        case ast.Subscript(value=ast.Attribute(attr="shape", value=tensor), slice=ast.Constant(value=0)):
            return _root(tensor) in drawn
        case ast.Call(func=ast.Name(id="len"), args=[tensor]):
            return _root(tensor) in drawn
    return False


def _root(node: Any) -> str | None:
    """`batch` of `batch["image"]`."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return place(node)


def _unit_of_divisor(node: Any, loader: str, loop: ast.For, function: Function) -> str | None:
    node = bound_to(node, function.scope)
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[counted]):
            name = place(counted)
            if name == loader:
                return "batches"
            whole = constructor_argument(function.value_of(iterable_of(loop.iter)), "dataset")
            same = whole is not None and whole.same_as(function.value_of(counted)) is True
            return "samples" if same or name == f"{loader}.dataset" else None
        case ast.Name(id=name):
            added = [term for other, term, _ in sums(loop) if other == name]
            if len(added) == 1 and isinstance(added[0], ast.Constant) and added[0].value == 1:
                return "batches"
            return "samples" if len(added) == 1 and _is_batch_size(added[0], loop, function) else None
    return None
