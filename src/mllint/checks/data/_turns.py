"""Does a step learn anew in each turn of a loop, from what that turn is about?

`for i in range(len(X)): X[i] = StandardScaler().fit_transform(X[i])` scales each series by itself, as it would a new
one alone: nothing of the held-out ones gets into the others. A loop over columns takes all rows in each turn, and one
that the split stands in as well has a table of its own each time: both are not meant.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any
from mllint.pattern import Pattern
from mllint.semantics.frames import Frame
from mllint.semantics.lineage import Origin, owner_bindings
from mllint.semantics.module import Binding, Function, last_name, place, walk
from mllint.semantics.names import reaching
from mllint.semantics.parts import trained

__all__ = ["by_turns", "cut_for_training", "turned_back"]

_STEPS = 8
_COLUMNS = Pattern("cols|columns|feat|^keys$|[.]keys$")


def by_turns(rows: Origin, split: Any, function: Function) -> bool:
    """Are rows what one turn of a loop draws, and no turn all the rows that a function's split divides later?"""
    return _drawn(rows.node, rows.frame, split, function, _STEPS)


def _drawn(node: Any, frame: Frame, split: Any, function: Function, steps: int) -> bool:
    """Is an expression what one turn of a loop draws, or read or computed from that?"""
    if steps == 0:
        return False
    match node:
        case ast.Name():
            return any(_bound(b, f, split, function, steps) for b, f in _bindings(node, frame))
        case ast.Attribute(value=inner) | ast.Starred(value=inner) | ast.FormattedValue(value=inner):
            return _drawn(inner, frame, split, function, steps)
        case ast.Subscript(value=inner, slice=index):
            first = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else index
            if isinstance(first, ast.Name) and _counts(first, frame, split, function):
                return True
            if last_name(inner) in ("loc", "iloc") and isinstance(first, ast.Name):
                if _drawn(first, frame, split, function, steps - 1):
                    return True
            parts = [inner, *(first.comparators if isinstance(first, ast.Compare) else ())]
            if isinstance(first, ast.Slice):
                parts += [n for n in (first.lower, first.upper) if n is not None]
            return any(_drawn(part, frame, split, function, steps - 1) for part in parts)
        case ast.Call(func=ast.Attribute(value=inner)) if _drawn(inner, frame, split, function, steps - 1):
            return True
        case ast.Call():
            return any(_drawn(a, frame, split, function, steps - 1) for a in node.args)
        case ast.BinOp(left=left, right=right):
            return any(_drawn(part, frame, split, function, steps - 1) for part in (left, right))
        case ast.JoinedStr(values=values):
            return any(_drawn(part, frame, split, function, steps - 1) for part in values)
    return False


def _bindings(node: ast.Name, frame: Frame) -> list[tuple[Binding, Frame]]:
    found = reaching(frame.function).at.get(id(node))
    return [(b, frame) for b in found] if found is not None else list(owner_bindings(node.id, frame))


def _bound(binding: Binding, frame: Frame, split: Any, function: Function, steps: int) -> bool:
    """Is a name bound by a loop that the split is no part of, or to what such a loop draws?"""
    if binding.kind == "comp":
        return not _columns(binding)
    if binding.kind == "for":
        return not _columns(binding) and _around(binding, frame, split, function)
    if binding.kind == "param":
        given = frame.bound.get(binding.name) if frame.bound is not None else None
        return isinstance(given, tuple) and _drawn(given[0], given[1], split, function, steps - 1)
    return (
        binding.kind == "assign"
        and binding.value is not None
        and _drawn(binding.value, frame, split, function, steps - 1)
    )


def _columns(binding: Binding) -> bool:
    """Does a loop go over the columns of a table, by what it iterates?"""
    return any(_COLUMNS.search((place(n) or "").lower()) for n in walk(binding.value))


def _counts(index: ast.Name, frame: Frame, split: Any, function: Function) -> bool:
    """Is it the counter of a loop that the split is no part of: `for i in range(n)`, `for i, x in enumerate(xs)`?"""
    found = _bindings(index, frame)
    for binding, inner in found:
        if binding.kind not in ("for", "comp") or not _counting(binding.value, binding.path):
            return False
        if binding.kind == "for" and not _around(binding, inner, split, function):
            return False
    return bool(found)


def _counting(iterated: Any, path: tuple[int | None, ...]) -> bool:
    while isinstance(iterated, ast.Call) and last_name(iterated.func) == "tqdm" and iterated.args:
        iterated = iterated.args[0]
    name = last_name(iterated.func) if isinstance(iterated, ast.Call) else ""
    return name in ("range", "trange") or (name == "enumerate" and path == (0,))


def _around(binding: Binding, frame: Frame, split: Any, function: Function) -> bool:
    """Does a loop end before the rows are divided, there or in a function that it calls?"""
    for loop in (r.node for r in frame.function.loops if getattr(r.node, "iter", None) is binding.value):
        for node in walk(loop):
            if node is split or (isinstance(node, ast.Call) and last_name(node.func) == function.name):
                return False
    return True


def cut_for_training(fit: Origin) -> bool:
    """Is it fitted on rows that were cut out of others, and are called training rows: `train = series[:"2019"]`?"""
    rows = fit.node.args[0] if fit.node.args else None
    while isinstance(rows, (ast.Attribute, ast.Subscript)) and not isinstance(rows, ast.Name):
        rows = rows.value
    if not isinstance(rows, ast.Name) or not trained(rows.id):
        return False
    found = _bindings(rows, fit.frame)
    values = [_at(b.value, b.path) for b, _ in found if b.kind == "assign"]
    return bool(values) and len(values) == len(found) and all(map(_cuts, values))


def _at(value: Any, path: tuple[int | None, ...]) -> Any:
    """What a name gets of `a, b = x, y`."""
    for index in path:
        if not isinstance(value, ast.Tuple) or index is None or index >= len(value.elts):
            return None
        value = value.elts[index]
    return value


def _cuts(value: Any) -> bool:
    """Is it `rows[:n]`, `rows.loc[:end]` or `rows[rows.year < 2020]`?"""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    index = value.slice if isinstance(value, ast.Subscript) else None
    first = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else index
    bounded = isinstance(first, ast.Slice) and (first.lower is not None or first.upper is not None)
    return bounded or isinstance(first, ast.Compare)


def turned_back(fit: Origin) -> bool:
    """Is it `scaler.fit_transform(X.T).T`? What it takes for columns are the rows, and each of them stays by itself."""
    if not fit.node.args or not any(_transposed(n) is not None for n in walk(fit.node.args[0])):
        return False
    scope = fit.frame.function
    bound = {n for n, found in scope.bindings.items() if any(b.value is fit.node for b in found)}
    turned = [t for n in walk(scope.node) if (t := _transposed(n)) is not None]
    return any(t is fit.node or (isinstance(t, ast.Name) and t.id in bound) for t in turned)


def _transposed(node: Any) -> Any:
    """`x` of `x.T`, `x.transpose()`, `np.transpose(x)`."""
    match node:
        case ast.Attribute(value=inner, attr="T"):
            return inner
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="transpose"), args=[inner, *_]):
            return inner
        case ast.Call(func=ast.Attribute(value=inner, attr="transpose")):
            return inner
    return None
