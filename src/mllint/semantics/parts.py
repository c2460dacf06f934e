"""Which part of the data is it, by its name and by its place? What provenance leaves open, names may support.

A split says which of its results is held out, a dataset's argument says which part it is; that is provenance, and it
comes with the Value (`comes_from`). A name is weaker: it may silence, or support a second fact, never accuse alone.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import TYPE_CHECKING, Any
from mllint.pattern import Pattern
from mllint.semantics.evaluate import element_of, evaluate
from mllint.semantics.facade import text
from mllint.semantics.library import flattened
from mllint.semantics.lineage import statements
from mllint.semantics.module import assigned, counted, place, walk
from mllint.semantics.reach import SPLITTERS
from mllint.semantics.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.flow import LoopRun
    from mllint.semantics.module import Function

__all__ = ["divided", "drawn", "held", "may_split", "own_statistics", "targets_of", "trained", "words"]

_HEADS, _TAILS = ("", "x", "y"), ("", "set", "data", "dataset", "loader", "dl", "ds", "gen", "x", "y", "s")
_HELD = frozenset(
    head + stem + tail
    for stem in "te test tst testing va val valid vali validation dev eval heldout holdout".split()
    for head in _HEADS
    for tail in _TAILS
)
_HELD = _HELD.union("dtest dval dvalid ddev".split())  # as matrices of boosting are called
_TRAIN = frozenset(head + stem + tail for stem in "tr trn train training".split() for head in _HEADS for tail in _TAILS)
_TRAIN = _TRAIN.union(("dtrain",))
_DIVIDING = Pattern("train|valid|val_|test|split|holdout")
_STATISTICS = ("mean", "std", "min", "max", "median", "var")


def words(name: str | None) -> str:
    """The last name of a place with its words parted by underscores: `self.valSet` as `val_Set`."""
    last = (name or "").rpartition(".")[2].partition("[")[0]
    if last.islower():
        return last
    return "".join(f"_{c}" if c.isupper() and b.islower() else c for b, c in zip(f" {last}", last, strict=False))


def held(name: str | None) -> bool:
    """Does a name say that its rows are held out, and not that they are trained on?"""
    return _part(name) == "held"


def trained(name: str | None) -> bool:
    """Does a name say that its rows are trained on, and not that they are held out?"""
    return _part(name) == "trained"


_parts: dict[str | None, str] = {}


def _part(name: str | None) -> str:
    """Which part a name speaks of: "trained", "held", or "" for neither or both; remembered, since names recur."""
    known = _parts.get(name)
    if known is None:
        said = _said(name)
        training, holding = not said.isdisjoint(_TRAIN), not said.isdisjoint(_HELD)
        known = _parts[name] = "" if training == holding else "trained" if training else "held"
    return known


def _said(name: str | None) -> set[str]:
    """The words of a name in lower case, each up to its first digit."""
    found = set()
    for word in words(name).lower().split("_"):
        digit = next((at for at, character in enumerate(word) if character.isdigit()), len(word))
        found.add(word[:digit])
    return found


def may_split(call: Any) -> bool:
    """Can a call divide rows, by its name: any but a `split` where no splitter is built near by?"""
    return call.last_name != "split" or id(call.module) in call.project.reach.near(SPLITTERS)


def drawn(run: LoopRun) -> list[Value]:
    """The batches that a loop draws from loaders."""
    if run.iterates is None:
        return []
    loader = counted(run.node.iter)  # `for i in range(len(loader))`
    element = element_of(evaluate(loader, run.frame) if loader is not None else run.iterates, run.frame)
    return [v for v in flattened(element) if "Batch" in v.traits]


def divided(function: Function) -> Iterator[tuple[Any, Any]]:
    """`rows[:n]` and `rows[n:]`, if a name says that one of them is trained on or held out, or that this is a split."""
    found: dict[tuple[str, str, bool], tuple[Any, list[str]]] = {}
    ends = _ends(function) if function.slices > 1 else []
    sides = {(name, begins) for _, _, name, begins, _ in ends}
    for node, statement, name, begins, limit in ends:
        if (name, not begins) not in sides:
            continue
        names = [place(n) or "" for t, _ in assigned(statement) for n in walk(t)]
        bound = text(function.module, limit if begins else _without_lookback(limit), 200)
        found.setdefault((name, bound, begins), (node, names))
        first, before = found.get((name, bound, not begins), (None, []))
        if first is not None and (
            _DIVIDING.search(bound)
            or "split" in function.name
            or "holdout" in function.name
            or _told_apart([*before, *names])
            or _share_of_all(limit, name, function)
            or _asked_for(first, node, function)
        ):
            yield first, node


def _without_lookback(limit: Any) -> Any:
    """`n` of `rows[n - 60 :]`: the rest, and before it what its first window looks back at."""
    match limit:
        case ast.BinOp(left=(ast.Name() | ast.Attribute()) as first, op=ast.Sub()):
            return first
    return limit


def _ends(function: Function) -> list[tuple[Any, Any, str, bool, Any]]:
    """What is cut off something with a name: the slice, its statement, the name, is it the beginning, and the limit."""
    key = ("ends", id(function))
    known: list[tuple[Any, Any, str, bool, Any]] | None = function.module.effects.get(key)
    if known is not None:
        return known
    found: list[tuple[Any, Any, str, bool, Any]] = []
    function.module.effects[key] = found
    for statement in statements(function):
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Return)) or statement.value is None:
            continue
        nodes = walk(statement.value)
        items = {place(n.target) for n in nodes if isinstance(n, ast.comprehension)}  # `[x[:-4] for x in names]`
        for node in nodes:
            cut = _cut(node)
            if cut is None or not (name := place(node.value)) or name in items:
                continue
            begins = cut.upper is not None and (cut.lower is None or getattr(cut.lower, "value", None) == 0)
            limit = cut.upper if begins else cut.lower
            if limit is not None:
                found.append((node, statement, name, begins, limit))
    return found


def _asked_for(one: Any, other: Any, function: Function) -> bool:
    """Does a question after the part choose between the two: `rows[:n] if train else rows[n:]`?"""
    for statement in statements(function):
        if statement.lineno > one.lineno or (statement.end_lineno or 0) < other.lineno:
            continue
        choices: list[Any] = [statement] if isinstance(statement, ast.If) else []
        choices += [n for n in walk(getattr(statement, "value", None)) if isinstance(n, ast.IfExp)]
        for choice in choices:
            sides = [_under(choice.body), _under(choice.orelse)]
            if any(id(one) in a and id(other) in b for a, b in (sides, sides[::-1])):
                said = [
                    getattr(n, "value", None) if isinstance(n, ast.Constant) else place(n) for n in walk(choice.test)
                ]
                if any(isinstance(word, str) and _part(word.rpartition(".")[2]) for word in said):
                    return True
    return False


def _under(block: Any) -> set[int]:
    """The ids of the nodes of a block or an expression."""
    return {id(n) for part in (block if isinstance(block, list) else [block]) for n in walk(part)}


def _share_of_all(limit: Any, name: str, function: Function) -> bool:
    """Is the limit a share of the rows, of which the greater part is no round half: `int(0.8 * len(rows))`?"""
    if isinstance(limit, ast.Name):
        found = function.bindings.get(limit.id, ())
        limit = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
    match limit:
        case ast.Call(func=ast.Name(id="int" | "round"), args=[ast.BinOp(op=ast.Mult(), left=left, right=right), *_]):
            return any(
                _share(one, function) and _number_of(other, name, function)
                for one, other in ((left, right), (right, left))
            )
    return False


def _share(node: Any, function: Function) -> bool:
    """A number like 0.8, or a parameter that is one where nobody says otherwise, or is called after a part."""
    parameter = function.parameter(node.id) if isinstance(node, ast.Name) else None
    if parameter is not None:
        if _DIVIDING.search(parameter.name):
            return True
        node = parameter.default
    return isinstance(node, ast.Constant) and isinstance(node.value, float) and 0.5 < node.value < 1


def _number_of(node: Any, name: str, function: Function) -> bool:
    """`len(rows)`, or a name for it."""
    if isinstance(node, ast.Name):
        found = function.bindings.get(node.id, ())
        node = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and place(node.args[0]) == name


def _told_apart(names: list[str]) -> bool:
    """Does one of the names of two parts say which it is? Not where all say the same: `evals_on`, `evals_off`."""
    parts = [_part(name) for name in names]
    if len(parts) > 1 and all(parts):
        return len({frozenset(_said(name) & (_HELD | _TRAIN)) for name in names}) > 1
    return any(parts)


def _cut(node: Any) -> ast.Slice | None:
    """The slice of rows of `x[a:b]` or `x[a:b, c]`."""
    if not isinstance(node, ast.Subscript):
        return None
    cut = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    return cut if isinstance(cut, ast.Slice) and cut.step is None else None


def targets_of(call: Any, function: Function) -> list[str]:
    """The places that the parts of a call's result are unpacked into."""
    for statement in statements(function):
        for target in (t for t, value in assigned(statement) if value is call):
            return [place(t) or "" for t in (target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target])]
    return []


def own_statistics(statement: Any) -> Iterator[tuple[str, tuple[str, ...]]]:
    """`x = (x - x.mean()) / x.std()`: the places that are scaled by their own statistics, and by which; so in a
    `return`."""
    values = [statement.value] if isinstance(statement, ast.Return) else [value for _, value in assigned(statement)]
    for value in values:
        found = _scaled_by(value) if isinstance(value, ast.BinOp) else None
        if found is not None:
            yield found


def _of_one_row(call: ast.Call) -> bool:
    """Is it taken within each row, `x.mean(axis=1)`: a statistic that a row would also have alone?"""
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg in ("axis", "dim"))]
    axes = [n.value for a in given for n in walk(a) if isinstance(n, ast.Constant) and isinstance(n.value, int)]
    return bool(axes) and 0 not in axes


def _scaled_by(value: Any) -> tuple[str, tuple[str, ...]] | None:
    used: dict[str, set[str]] = {}
    for node in walk(value):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _STATISTICS:
            if not _of_one_row(node):
                used.setdefault(place(node.func.value) or "", set()).add(node.func.attr)
    left: ast.expr = value
    while isinstance(left, ast.BinOp):
        left = left.left
    name = place(left)
    return (name, tuple(sorted(used[name]))) if name and set(used) == {name} else None
