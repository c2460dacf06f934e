"""What is a sum over batches divided by: by what was summed?

    total += loss.item() * x.size(0)         # a sum over samples
    total / len(loader)                      # divided by the number of batches: `find_wrong_averages`

    total += loss.item()                     # a sum over batches (of a loss that is a mean)
    total / len(loader.dataset)              # divided by the number of samples: `find_wrong_averages`

    losses.append(loss.item() * x.size(0))   # kept in a list: the sum over samples again,
    np.mean(losses)                          # divided by the number of iterations

Two units: batches and samples. What is gone through is in batches if the size of a batch is a factor of a term, or if
it is a loader, whose batches hold more than one sample: sums over the members of a list are neither. A term counts
samples if the size of a batch is a factor of it, or if it is a number of hits (`(pred == y).sum()`), or a loss that is
a sum; it counts batches if it is a share of hits, a score of a library, or a loss that is a mean, of whose terms none
is a sum. Terms are followed through names and functions of the user's. A divisor counts batches if it is the length of
what the loop goes through, or of the list, or counts its iterations, samples if it is the length of its dataset, or a
sum of the sizes of the batches. Of everything else the unit is not known, and a quotient that is divided once more is
no mean yet.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.libraries.classes import LOADER
from mllint.semantics.libraries.tensor_methods import CASTS, DETACHES, JOINS, MAKES, MOVES, UNPACKS
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_expression
from mllint.semantics.syntax.nodes import Node, iterable_of, last_name, place, walk
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.gradients.accumulation import is_transformers_loss
from mllint.semantics.training.metrics.directions import library_score
from mllint.semantics.training.roles import Role, has_role_name
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins, resolve_name, results_of, statements

__all__ = [
    "Division", "Mixed", "Quotient", "draws_from_loader", "draws_single_samples", "find_wrong_averages",
    "quotients", "sums", "without_number_conversion",
]  # fmt: skip

_NUMBERS = MOVES | CASTS | DETACHES | UNPACKS
_MEANS = frozenset("mean nanmean average fmean".split())
_AVERAGING = _MEANS | {"sum"}
_STACKING = MAKES | JOINS

Division = ast.BinOp | ast.AugAssign | ast.Call
"""`total / n`, or `total /= n`, or `np.mean(terms)`."""
Quotient = tuple[Division, str, Node]
"""A division, the place of what is divided, and the divisor; none for the mean of a list."""
_MOVING = MOVES | CASTS


class Mixed(NamedTuple):
    """A sum of one unit that is divided by another.

    Attributes:
        division: the division, or the mean.
        term: what is added in the loop, or kept.
        summed: the unit of the sum, "samples" or "batches".
        name: the place of the sum, or of the list.
        mistaken: whether it is a mistake. Perhaps it is none where a loss that is a sum over its batch is shown per
            batch: that is a number of its own, whatever a mean over samples would be.
    """

    division: Division
    term: Node
    summed: str
    name: str
    mistaken: Answer[bool]


def find_wrong_averages(function: FunctionView) -> Iterator[Mixed]:
    """The sums of a function that are divided by the wrong count."""
    loops = [r.node for r in function.scope.loops if isinstance(r.node, ast.For) and _spot(iterable_of(r.node.iter))]
    averages = not _AVERAGING.isdisjoint(function.scope.called_names)
    added = [(loop, *one) for loop in loops for one in (*sums(loop), *(_kept(loop) if averages else ()))]
    divided = quotients(function.scope) if added else []
    if not divided:
        return
    for loop, name, term in added:
        below = [(node, by) for node, of, by in divided if of == name and node.lineno > loop.lineno]
        counted = [(node, unit) for node, by in below if (unit := _unit_of_divisor(by, name, loop, function))]
        summed = _unit_of_term(term, loop, function) if counted and not draws_single_samples(loop, function) else None
        wrong = [node for node, unit in counted if summed not in (None, unit)]
        mistaken = proven_unless(wrong and _is_loss_of_batch(term, function), True, function.at(term))
        yield from (Mixed(node, term, summed or "", name, mistaken) for node in wrong)


def _is_loss_of_batch(term: Node, function: FunctionView) -> bool:
    """Is a loss that is a sum over its batch added as it is?"""
    return function.value_of(
        without_number_conversion(resolve_name(without_number_conversion(term), function.scope))
    ).is_("SumLoss")


# ---------------------------------------------------------------------------------------------------------------- loops
def _iterable_behind_progress_bar(loop: ast.For, function: FunctionView) -> Node:
    """What a loop goes through, also behind the name of a bar that shows it: `bar = tqdm(loader)`."""
    node = iterable_of(loop.iter)
    return _shown(node, function)


def _shown(node: Node, function: FunctionView) -> Node:
    bound = function.scope.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    if len(bound) == 1 and bound[0].kind in ("assign", "with"):
        made = bound_expression(bound[0])
        inner = iterable_of(made)
        return inner if inner is not made else node
    return node


def _spot(node: Node) -> str | None:
    """The place that an expression names, also by a key that changes: `loaders[phase]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
        owner = place(node.value)
        return f"{owner}[{node.slice.id}]" if owner is not None else None
    return place(node)


def draws_single_samples(loop: ast.For, function: FunctionView) -> bool:
    """Does a loop draw single samples, from a loader that makes batches of one?"""
    loaders = function.value_of(_iterable_behind_progress_bar(loop, function)).alternatives
    sizes = [constructor_argument(v, "batch_size") for v in loaders if v.instance_of(LOADER)]
    return any(size is None or size.literal == 1 for size in sizes)


def draws_from_loader(loop: ast.For, function: FunctionView) -> bool:
    """Is it a loader that a loop goes through, known as one or named as one?"""
    drawn = _iterable_behind_progress_bar(loop, function)
    return function.value_of(drawn).instance_of(LOADER) or has_role_name(place(drawn), Role.LOADER)


# ------------------------------------------------------------------------------------------------- sums and their means
def sums(loop: ast.For) -> Iterator[tuple[str, Node]]:
    """The running sums of a loop, each with what is added once per iteration."""
    for statement in _each_turn(loop):
        if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
            name = place(statement.target)
            if name is not None:
                yield name, statement.value


def _kept(loop: ast.For) -> Iterator[tuple[str, Node]]:
    """The lists that a loop fills, each with what is appended once per iteration."""
    for statement in _each_turn(loop):
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="append"), args=[term])):
                name = place(owner)
                if name is not None:
                    yield name, term


def _each_turn(loop: ast.For) -> Iterator[ast.stmt]:
    """The statements that each iteration of a loop runs once."""
    pending = list(loop.body)
    while pending:
        statement = pending.pop(0)
        if isinstance(statement, (ast.With, ast.Try)):
            pending = [*statement.body, *pending]
        else:
            yield statement


@cached_per_scope(local=True)
def quotients(function: FunctionScope) -> list[Quotient]:
    """The quotients of a function that are not divided, or multiplied, once more by what is not written out."""
    if not function.divides and _MEANS.isdisjoint(function.called_names):
        return []  # as nearly always
    return [quotient for statement in statements(function) for quotient in _quotients_in(statement)]


def _quotients_in(statement: ast.stmt) -> Iterator[Quotient]:
    if isinstance(statement, (ast.For, ast.While, ast.If, ast.With, ast.Try)):
        return
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Div):
        name = _operand(statement.target)
        if name is not None:
            yield statement, name, statement.value
    inner: set[int] = set()
    for node in walk(statement):
        kind = node.__class__
        if kind is ast.BinOp and isinstance(node.op, (ast.Div, ast.Mult)):
            if not isinstance(node.left, ast.Constant) and not isinstance(node.right, ast.Constant):
                inner.update((id(without_number_conversion(node.left)), id(without_number_conversion(node.right))))
        elif kind is not ast.Call or last_name(node.func) not in _MEANS:
            continue
        if id(node) not in inner and (found := _quotient(node)) is not None:
            yield found


def _quotient(node: ast.BinOp | ast.Call) -> Quotient | None:
    if isinstance(node, ast.Call):
        name = _mean_of(node)
        return (node, name, None) if name is not None else None
    name = (_operand(node.left) or _summed(node.left)) if isinstance(node.op, ast.Div) else None
    return (node, name, node.right) if name is not None else None


def _mean_of(node: ast.Call) -> str | None:
    """The place of the list whose plain mean a call takes: `np.mean(xs)`, `torch.stack(xs).mean()`."""
    if last_name(node.func) not in _MEANS or any(k.arg == "weights" for k in node.keywords) or len(node.args) > 1:
        return None
    made = node.args[0] if node.args else node.func.value if isinstance(node.func, ast.Attribute) else None
    while isinstance(made, ast.Call) and last_name(made.func) in _STACKING | _NUMBERS:
        made = made.args[0] if made.args else made.func.value if isinstance(made.func, ast.Attribute) else None
    return place(made)


def _summed(node: Node) -> str | None:
    """`scores` of `sum(scores)`."""
    node = without_number_conversion(node)
    return place(node.args[0]) if isinstance(node, ast.Call) and last_name(node.func) == "sum" and node.args else None


def _operand(node: Node) -> str | None:
    """The place of a sum, without what makes a percentage or a number of it: `100.0 * correct`, `correct.item()`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _operand(node.right if isinstance(node.left, ast.Constant) else node.left)
    return place(without_number_conversion(node))


def without_number_conversion(node: Node) -> Node:
    """A number without what only converts it: `x` of `float(x.cpu())`."""
    while isinstance(node, ast.Call) and last_name(node.func) in _NUMBERS:
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.args[0] if node.args else None
    return node


# ---------------------------------------------------------------------------------------------------------------- terms
def _unit_of_term(term: Node, loop: ast.For, function: FunctionView, depth: int = 4) -> str | None:
    node = without_number_conversion(resolve_name(without_number_conversion(term), function.scope))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        sides = (node.left, node.right)
        sizes = [s for s in sides if _is_batch_size(s, loop, function)]
        others = [s for s in sides if s not in sizes]
        weighted = len(sizes) == 1 and depth > 0 and _unit_of_term(others[0], loop, function, depth - 1) == "batches"
        return "samples" if weighted else None
    share = _share(node, function.frame)
    if share is not None:
        return share if draws_from_loader(loop, function) else None
    value = function.value_of(node)
    if value.is_("SumLoss"):
        return "samples" if draws_from_loader(loop, function) else None
    mean = value.is_("Loss") and not value.is_("Divided") and not _has_summed_term(node, function)
    return "batches" if mean or is_transformers_loss(Origin(node, function.frame)) else None


def _share(node: Node, frame: Frame, depth: int = 3) -> str | None:
    """The unit of a number of hits, or of a score: "samples" for their number, "batches" for their share."""
    node = without_number_conversion(resolve_name(without_number_conversion(node), frame.function))
    if not isinstance(node, ast.Call) or depth == 0:
        return None
    name = last_name(node.func)
    if name in ("sum", "mean"):
        plain = isinstance(node.func, ast.Attribute) and not node.args
        counted = node.func.value if plain and isinstance(node.func, ast.Attribute) else node.args[:1]
        hits = any(isinstance(n, ast.Compare) or _is_equality_call(n) for n in _nodes(counted, frame))
        whole = plain or (len(node.args) == 1 and not node.keywords)
        return None if not hits else "samples" if name == "sum" else "batches" if whole else None
    entered = list(results_of(node, frame))
    units = {_share(returned, inner, depth - 1) for returned, inner in entered}
    if entered:
        return units.pop() if len(units) == 1 else None
    return "batches" if _is_score(Call(node, frame)) else None


def _is_score(call: Call) -> bool:
    """Is a score of a library called, and not for a sum: `accuracy_score(y, prediction, normalize=False)`?"""
    if any(k.arg in ("normalize", "reduction", None) for k in call.node.keywords) or call.value.is_("Loss"):
        return False
    return library_score(call) is not None


def _is_equality_call(node: Node) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) in ("eq", "equal")


def _nodes(counted: Node, frame: Frame) -> Iterator[Node]:
    """All nodes of an expression, or of some, and of what a name of them is bound to."""
    for node in counted if isinstance(counted, list) else [counted]:
        yield from walk(resolve_name(without_number_conversion(node), frame.function))


def _has_summed_term(loss: Node, function: FunctionView) -> bool:
    """Is a term of a loss a sum, `-0.5 * torch.sum(1 + logvar - ...)`, in whatever function it is computed?"""
    found = origins(loss, function.frame, through=lambda o: not isinstance(o.node, ast.Call) or _leads_on(o))
    return any(isinstance(o.node, ast.Call) and last_name(o.node.func) == "sum" for o in found)


def _leads_on(origin: Origin) -> bool:
    """Is a call one of the user's, or a method of what another call gives: `torch.sum(x).mul_(0.5)`?"""
    func = origin.node.func
    chained = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call)
    return chained or next(results_of(origin.node, origin.frame), None) is not None


def _is_batch_size(node: Node, loop: ast.For, function: FunctionView) -> bool:
    """Is it `x.size(0)`, `x.shape[0]` or `len(x)` of what the loop draws, the `batch_size` of what draws it, or a name
    for one of them?"""
    drawn = {place(n) for n in walk(loop.target)}
    match resolve_name(node, function.scope):
        case ast.Call(func=ast.Attribute(attr="size", value=tensor), args=[ast.Constant(value=0)]):
            return _root(tensor, function) in drawn
        case ast.Subscript(value=ast.Attribute(attr="shape", value=tensor), slice=ast.Constant(value=0)):
            return _root(tensor, function) in drawn
        case ast.Subscript(
            value=ast.Call(func=ast.Attribute(attr="size", value=tensor), args=[]), slice=ast.Constant(value=0)
        ):
            return _root(tensor, function) in drawn
        case ast.Call(func=ast.Name(id="len"), args=[tensor]):
            return _root(tensor, function) in drawn
        case ast.Attribute(attr="batch_size", value=loader):
            return _spot(loader) == _spot(_iterable_behind_progress_bar(loop, function)) is not None
    return False


def _root(node: Node, function: FunctionView) -> str | None:
    """`batch` of `batch["image"]`, of `batch["image"].to(device)`, and of a name for it."""
    for _ in range(6):
        match node:
            case ast.Subscript(value=inner) | ast.Attribute(value=inner):
                node = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _MOVING:
                node = inner
            case _:
                bound = resolve_name(node, function.scope)
                if bound is node or not isinstance(bound, (ast.Subscript, ast.Attribute, ast.Call)):
                    return place(node)
                if isinstance(bound, ast.Call) and last_name(bound.func) not in _MOVING:
                    return place(node)
                node = bound
    return place(node)


# ------------------------------------------------------------------------------------------------------------- divisors
def _unit_of_divisor(node: Node, name: str, loop: ast.For, function: FunctionView) -> str | None:
    """What a divisor counts; none is written for the mean of a list, which has an entry for each iteration."""
    if node is None:
        return "batches"
    node = resolve_name(node, function.scope)
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[counted]):
            return "batches" if _spot(counted) == name else _unit_of_length(counted, loop, function)
        case ast.Name(id=counter):
            added = [term for other, term in sums(loop) if other == counter]
            if len(added) == 1 and isinstance(added[0], ast.Constant) and added[0].value == 1:
                return "batches"
            return "samples" if len(added) == 1 and _is_batch_size(added[0], loop, function) else None
        case ast.BinOp(op=ast.Mult(), left=left, right=right):
            sized = any(_is_size_of_all(a, b, loop, function) for a, b in ((left, right), (right, left)))
            return "samples" if sized else None
    return None


def _is_size_of_all(length: Node, size: Node, loop: ast.For, function: FunctionView) -> bool:
    """Are two factors the number of batches, and the size that a loader gives them: `len(loader) * batch_size`?"""
    match length:
        case ast.Call(func=ast.Name(id="len"), args=[counted]) if _unit_of_length(counted, loop, function) == "batches":
            given = constructor_argument(
                evaluate(_iterable_behind_progress_bar(loop, function), function.frame), "batch_size"
            )
            size_value = function.value_of(size)
            equal = given is not None and given.literal == size_value.literal is not None
            return equal or _is_batch_size(size, loop, function)
    return False


def _unit_of_length(counted: Node, loop: ast.For, function: FunctionView) -> str | None:
    """What the length of something counts: the batches of the loader, or the samples of its dataset."""
    drawn = _iterable_behind_progress_bar(loop, function)
    loader = _spot(drawn)
    if loader is None:
        return None
    if _spot(_shown(counted, function)) == loader:
        return "batches"
    if isinstance(counted, ast.Attribute) and counted.attr == "dataset" and _spot(counted.value) == loader:
        return "samples"
    whole = constructor_argument(evaluate(drawn, function.frame), "dataset")
    same = whole is not None and whole.same_as(function.value_of(counted)) is True
    return "samples" if same else None
