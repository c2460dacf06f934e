"""Is something learned anew in each iteration of a loop, from what that iteration is about?

`for i in range(len(X)): X[i] = StandardScaler().fit_transform(X[i])` scales each series by itself, as it would a new
one alone: nothing of the held-out ones gets into the others. A loop over columns takes all rows in each iteration, and
one that the split stands in as well has a table of its own each time: both are not meant.

The answer is found backwards: rows are those of one iteration if they are the variable of a loop, indexed by its
counter, or read or computed from such. Where it is unknown, they are not."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.names import bindings_at, bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.roles import Role, has_role_name, is_training_name
from mllint.semantics.values.lineage import Origin, bindings_of, owner_bindings, part_at

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding, FunctionScope
    from mllint.semantics.values.frames import Frame

__all__ = ["is_cut_for_training", "is_of_one_iteration", "is_transposed_back"]

_STEPS = 8


def is_of_one_iteration(rows: Origin, split: Node, function: FunctionScope) -> bool:
    """Whether rows are what one iteration draws, and not all the rows that the split of a function divides later."""
    return _Draws(split, function).of(rows.node, rows.frame, _STEPS)


class _Draws:
    """The question for one split of one function."""

    def __init__(self, split: Node, function: FunctionScope) -> None:
        self.split, self.function = split, function

    def of(self, node: Node, frame: Frame, steps: int) -> bool:
        """Whether an expression is what one iteration draws, or is read or computed from that."""
        if steps == 0:
            return False
        match node:
            case ast.Name():
                return any(self._bound(b, f, steps) for b, f in _bindings(node, frame))
            case ast.Attribute(value=inner) | ast.Starred(value=inner) | ast.FormattedValue(value=inner):
                return self.of(inner, frame, steps)
            case ast.Subscript():
                return self._indexed(node, frame, steps)
            case ast.Call(func=func, args=args):
                parts = [func.value, *args] if isinstance(func, ast.Attribute) else args
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
            case ast.JoinedStr(values=parts):
                pass
            case _:
                return False
        return any(self.of(part, frame, steps - 1) for part in parts)

    def _indexed(self, node: ast.Subscript, frame: Frame, steps: int) -> bool:
        index = node.slice
        first: Node = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else index
        if isinstance(first, ast.Name) and self._counts(first, frame):
            return True
        parts = [node.value, *(first.comparators if isinstance(first, ast.Compare) else ())]
        if last_name(node.value) in ("loc", "iloc") and isinstance(first, ast.Name):
            parts.append(first)
        if isinstance(first, ast.Slice):
            parts += [n for n in (first.lower, first.upper) if n is not None]
        return any(self.of(part, frame, steps - 1) for part in parts)

    def _bound(self, binding: Binding, frame: Frame, steps: int) -> bool:
        """Whether a name is bound by a loop that the split is not in, or to what such a loop draws."""
        if binding.kind in ("comp", "for"):
            return not _over_columns(binding) and (binding.kind == "comp" or self._ends_before(binding, frame))
        if binding.kind == "param":
            given = frame.bound.get(binding.name) if frame.bound is not None else None
            return isinstance(given, Passed) and self.of(given.node, given.frame, steps - 1)
        return binding.kind == "assign" and binding.value is not None and self.of(binding.value, frame, steps - 1)

    def _counts(self, index: ast.Name, frame: Frame) -> bool:
        """Whether it is the counter of a loop that the split is not in: `for i in range(n)`."""
        found = _bindings(index, frame)
        for binding, inner in found:
            if binding.kind not in ("for", "comp") or not _is_counter(binding.value, binding.path):
                return False
            if binding.kind == "for" and not self._ends_before(binding, inner):
                return False
        return bool(found)

    def _ends_before(self, binding: Binding, frame: Frame) -> bool:
        """Whether a loop ends before the rows are divided, there or in a function that it calls."""
        for loop in (r.node for r in frame.function.loops if getattr(r.node, "iter", None) is binding.value):
            for node in walk(loop):
                if node is self.split or (isinstance(node, ast.Call) and last_name(node.func) == self.function.name):
                    return False
        return True


def _bindings(node: ast.Name, frame: Frame) -> list[tuple[Binding, Frame]]:
    found = bindings_at(node, frame.function)
    return [(b, frame) for b in found] if found is not None else list(owner_bindings(node.id, frame))


def _over_columns(binding: Binding) -> bool:
    """Whether a loop goes over the columns of a table, by what it iterates."""
    names = [n for n in walk(binding.value) if isinstance(n, (ast.Name, ast.Attribute))]
    return any(has_role_name(place(n), Role.COLUMNS) or last_name(n) == "keys" for n in names)


def _is_counter(iterated: Node, path: tuple[int | None, ...]) -> bool:
    while isinstance(iterated, ast.Call) and last_name(iterated.func) == "tqdm" and iterated.args:
        iterated = iterated.args[0]
    name = last_name(iterated.func) if isinstance(iterated, ast.Call) else ""
    return name in ("range", "trange") or (name == "enumerate" and path == (0,))


# ------------------------------------------------------------------------------------------------------- forms of rows
def is_cut_for_training(rows: Origin) -> bool:
    """Whether rows were cut out of others, and are called training rows: `train = series[:"2019"]`."""
    node = rows.node
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if not isinstance(node, ast.Name) or not is_training_name(node.id):
        return False
    bound = bound_at(node, rows.frame.function)
    return bool(bound) and all(b.kind == "assign" and _is_slice_of_rows(part_at(b.value, b.path)) for b in bound)


def _is_slice_of_rows(value: Node) -> bool:
    """Whether it is `rows[:n]`, `rows.loc[:end]` or `rows[rows.year < 2020]`."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    index = value.slice if isinstance(value, ast.Subscript) else None
    first = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else index
    bounded = isinstance(first, ast.Slice) and (first.lower is not None or first.upper is not None)
    return bounded or isinstance(first, ast.Compare)


def is_transposed_back(fit: Origin) -> bool:
    """Whether it is `scaler.fit_transform(X.T).T`: what it takes for columns are rows, and each stays by itself."""
    node = fit.node
    if not isinstance(node, ast.Call) or not node.args:
        return False
    if not any(_transposed(n) is not None for n in walk(node.args[0])):
        return False
    scope = fit.frame.function
    bound = {b.name for b in bindings_of(node, scope)}
    turned = [t for n in walk(scope.node) if (t := _transposed(n)) is not None]
    return any(t is node or (isinstance(t, ast.Name) and t.id in bound) for t in turned)


def _transposed(node: Node) -> Node:
    """`x` of `x.T`, `x.transpose()`, `np.transpose(x)`."""
    match node:
        case ast.Attribute(value=inner, attr="T"):
            return inner
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="transpose"), args=[inner, *_]):
            return inner
        case ast.Call(func=ast.Attribute(value=inner, attr="transpose")):
            return inner
    return None
