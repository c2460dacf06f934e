"""Which two slices are the two parts of a split: `rows[:n]` and `rows[n:]`?

    n = int(0.8 * len(rows))
    train, val = rows[:n], rows[n:]      # two parts: `n` is the larger share of the rows (USED)
    n_train = config.train_size
    first, rest = rows[:n_train], rows[n_train:]      # two parts, by the name of the bound alone (NAMED)
    head, tail = path[:4], path[4:]      # nothing says that anybody trains on one of them

A slice by itself divides nothing. That two which meet at one bound are parts is told by the share of the rows at which
they are cut, by the `Subset`s or samplers that they choose the rows of, else by the names around them: of the parts, of
the bound, of the function, of a test that chooses between both.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.blocks import is_any_line_in
from mllint.semantics.syntax.caches import cached, cached_per_scope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, all_arguments, assigned_pairs, last_name, place, walk
from mllint.semantics.syntax.sites import text
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.roles import Role, has_role_name, name_evidence, rows_by_name, rows_words
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import statements, targets_outside

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from mllint.semantics.syntax.module import FunctionScope, ModuleScope

__all__ = [
    "are_chosen_by_test", "complementary_slices", "evidence_of_names", "is_leading_slice", "is_share_of_rows",
    "slice_of_rows", "without_lookback",
]  # fmt: skip

_CHOOSING = ("Subset", "SubsetRandomSampler")
_ROUNDING = ("int", "round", "ceil", "floor")


def complementary_slices(
    function: FunctionScope, parted: Collection[str] = ()
) -> Iterator[tuple[Node, Node, Evidence]]:
    """`rows[:n]` and `rows[n:]`, if something tells which of them is trained on, or that this is a split.

    Args:
        function: where they are cut.
        parted: names of rows of which any two slices are two parts.

    Yields:
        Both slices, and how it is known that they are two parts: by the share of the rows, or by what reads both
        (USED), else by names alone.
    """
    found: dict[tuple[str, str, bool], tuple[Node, list[str]]] = {}
    ends = _ends(function) if function.slices > 1 else []
    sides = {(name, begins) for _, _, name, begins, _ in ends}
    for node, statement, name, begins, limit in ends:
        if (name, not begins) not in sides:
            continue
        names = _names_of_part(node, statement, function)
        bound = text(function.module, limit if begins else without_lookback(limit), 200)
        found.setdefault((name, bound, begins), (node, names))
        first, before = found.get((name, bound, not begins), (None, []))
        if first is None:
            continue
        if name in parted or is_share_of_rows(limit, name, function) or _are_subsets(first, node, function):
            yield first, node, Evidence.USED
        elif (evidence := evidence_of_names([*before, *names])) is not None:
            yield first, node, evidence
        elif (
            _speaks_of_a_split(limit)
            or is_share_of_rows(limit, name, function, guess=True)
            or has_role_name(function.name, Role.SPLIT, Role.HELD_OUT_ROWS)
            or are_chosen_by_test(first, node, function)
        ):
            yield first, node, Evidence.NAMED


def _names_of_part(part: Node, statement: Node, function: FunctionScope) -> list[str]:
    """What a statement binds a part to; where it returns a tuple, what the callers unpack it into; in a dictionary
    the set that the key speaks of."""
    entries = (n for n in walk(statement.value) if isinstance(n, ast.Dict))
    for key, value in (pair for n in entries for pair in zip(n.keys, n.values, strict=True)):
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and any(n is part for n in walk(value)):
            return [f"{key.value}_set"]
    if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Tuple):
        names, _ = targets_outside(statement.value, function)
        pairs = zip(names, statement.value.elts, strict=False)
        return [name for name, element in pairs if any(n is part for n in walk(element))]
    return [place(n) or "" for t, _ in assigned_pairs(statement) for n in walk(t)]


def evidence_of_names(names: list[str]) -> Evidence | None:
    """How well the names of two parts tell that they are; two conventional ones are enough, as they agree."""
    if not _names_differ_by_part(names):
        return None
    certainties = [name_evidence(n, role) for n in names if (role := rows_by_name(n)) is not None]
    return Evidence.USED if certainties.count(Evidence.CONVENTIONAL) > 1 else Evidence.NAMED


def _are_subsets(first: Node, rest: Node, function: FunctionScope) -> bool:
    """Whether each of two slices, or the name that it is bound to, chooses the rows of a `Subset` or a sampler.

    A function that returns both is asked about where its callers bind them.
    """
    outer = function
    bound = [(place(t), v) for s in statements(function) for t, v in assigned_pairs(s)]
    for returned in function.returns:
        if isinstance(returned.value, ast.Tuple):
            names, outer = targets_outside(returned.value, function)
            bound += zip(names, returned.value.elts, strict=False)
    chosen = [a for c in outer.calls if last_name(c.func) in _CHOOSING for a in all_arguments(c)]
    return all(
        any(n is part for a in chosen for n in walk(a))
        or any(v is part and name and any(place(n) == name for a in chosen for n in walk(a)) for name, v in bound)
        for part in (first, rest)
    )


def _speaks_of_a_split(limit: Node) -> bool:
    """Whether a name in the bound of a slice says that it parts training from held-out rows: `n_train`, `split`."""
    names = [place(n) for n in walk(limit) if isinstance(n, (ast.Name, ast.Attribute))]
    return any(rows_words(name) or has_role_name(name, Role.SPLIT) for name in names)


def without_lookback(limit: Node) -> Node:
    """`n` of `rows[n - 60 :]`: the rest, and before it what its first window looks back at."""
    match limit:
        case ast.BinOp(left=(ast.Name() | ast.Attribute()) as first, op=ast.Sub()):
            return first
    return limit


@cached_per_scope(local=True)
def _ends(function: FunctionScope) -> list[tuple[Node, Node, str, bool, Node]]:
    """What is cut off something with a name: the slice, its statement, the name, is it the beginning, and the limit."""
    found: list[tuple[Node, Node, str, bool, Node]] = []
    lines = _lines_with_slices(function.module)
    if not is_any_line_in(lines, function.node):
        return found
    for statement in statements(function):
        if not isinstance(statement, (ast.Assign, ast.AnnAssign, ast.Return)) or not is_any_line_in(lines, statement):
            continue
        nodes = walk(statement.value)
        items = {place(n.target) for n in nodes if isinstance(n, ast.comprehension)}  # `[x[:-4] for x in names]`
        for node in nodes:
            cut = slice_of_rows(node)
            if cut is None or not (name := place(node.value)) or name in items:
                continue
            limit = cut.upper if is_leading_slice(cut) else cut.lower
            if limit is not None:
                found.append((node, statement, name, is_leading_slice(cut), limit))
    return found


@cached(local=True)
def _lines_with_slices(module: ModuleScope) -> list[int]:
    return sorted(module.sliced)


def is_leading_slice(cut: ast.Slice) -> bool:
    """Whether a slice is the beginning of something: `[:n]`, `[0:n]`."""
    return cut.upper is not None and (cut.lower is None or getattr(cut.lower, "value", None) == 0)


def are_chosen_by_test(one: Node, other: Node, function: FunctionScope) -> bool:
    """Whether a question after the part chooses between the two: `rows[:n] if train else rows[n:]`."""
    for statement in statements(function):
        if statement.lineno > one.lineno or (statement.end_lineno or 0) < other.lineno:
            continue
        choices: list[Node] = [statement] if isinstance(statement, ast.If) else []
        choices += [n for n in walk(getattr(statement, "value", None)) if isinstance(n, ast.IfExp)]
        for choice in choices:
            sides = [_under(choice.body), _under(choice.orelse)]
            if any(id(one) in a and id(other) in b for a, b in (sides, sides[::-1])):
                tested = [
                    getattr(n, "value", None) if isinstance(n, ast.Constant) else place(n) for n in walk(choice.test)
                ]
                if any(isinstance(word, str) and rows_by_name(word) is not None for word in tested):
                    return True
    return False


def _under(block: Node) -> set[int]:
    """The ids of the nodes of a block or an expression."""
    return {id(n) for part in (block if isinstance(block, list) else [block]) for n in walk(part)}


def is_share_of_rows(limit: Node, name: str, function: FunctionScope, *, guess: bool = False) -> bool:
    """Whether the limit is a share of the rows, the larger part of them: `int(0.8 * len(rows))`, or all of them but
    `int(0.2 * len(rows))`."""
    match limit if isinstance(limit, ast.UnaryOp) else _bound_here(limit, function):
        case ast.UnaryOp(op=ast.USub(), operand=kept):
            return _is_part_of_rows(kept, name, function, rest=True)
        case ast.BinOp(left=left, op=ast.Sub(), right=kept) if _is_number_of_rows(left, name, function):
            return _is_part_of_rows(kept, name, function, rest=True)
    return _is_part_of_rows(without_lookback(limit), name, function, guess=guess)


def _is_part_of_rows(
    count: Node, name: str, function: FunctionScope, *, guess: bool = False, rest: bool = False
) -> bool:
    """Whether a number is a share of that of some rows.

    Args:
        count: the number.
        name: what the rows are called.
        function: where it stands.
        guess: may the name of a parameter alone say that it is a share?
        rest: is it the smaller part?
    """
    count = _bound_here(count, function)
    while isinstance(count, ast.Call) and last_name(count.func) in _ROUNDING and isinstance(count.args[0], ast.Call):
        count = count.args[0]  # `int(math.floor(...))`
    match count:
        case ast.Call(func=func, args=[ast.BinOp(op=ast.Mult(), left=left, right=right), *_]):
            pairs = ((left, right), (right, left))
            return last_name(func) in _ROUNDING and any(
                _is_number_of_rows(rows, name, function) and _is_share(share, function, guess=guess, rest=rest)
                for share, rows in pairs
            )
    return False


def _bound_here(node: Node, function: FunctionScope) -> Node:
    """What a name stands for at this place, if one assignment reaches it; any other expression as it is."""
    found = bound_at(node, function) if isinstance(node, ast.Name) else ()
    return found[0].value if len(found) == 1 and found[0].kind == "assign" and not found[0].path else node


def _single_value(name: str, function: FunctionScope) -> Node:
    """What a name is bound to, if it is bound once."""
    found = function.bindings.get(name, ())
    return found[0].value if len(found) == 1 and found[0].kind == "assign" else None


def _is_share(node: Node, function: FunctionScope, *, guess: bool, rest: bool) -> bool:
    """Whether it is a number like 0.8, or 0.2 for the rest of the rows: a parameter by its default, any other
    expression by its value. For a guess, a parameter that is named after a part is enough."""
    parameter = function.parameter(node.id) if isinstance(node, ast.Name) else None
    if parameter is not None:
        if guess and (rows_words(parameter.name) or has_role_name(parameter.name, Role.SPLIT)):
            return True
        node = parameter.default
    project = function.module.project
    if node is None:
        return False
    low, high = (0, 0.5) if rest else (0.5, 1)
    numbers = [v.literal for v in evaluate(node, project.frame(function)).alternatives]
    return bool(numbers) and all(isinstance(n, float) and low < n < high for n in numbers)


def _is_number_of_rows(node: Node, name: str, function: FunctionScope) -> bool:
    """Whether it is the number of some rows, `len(rows)` or `rows.shape[0]`, or what `name` has as many of:
    `torch.randperm(n)`."""
    made = _single_value(name, function)
    if isinstance(made, ast.Call) and any(ast.dump(given) == ast.dump(node) for given in made.args[:1]):
        return True
    match _bound_here(node, function):
        case ast.Call(func=ast.Name(id="len"), args=[_]):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant(value=0)):
            return True
        case ast.Call(func=ast.Attribute(attr="size"), args=[ast.Constant(value=0)]):
            return True
    return False


def _names_differ_by_part(names: list[str]) -> bool:
    """Whether a name of one of two parts says which it is; not where all say the same: `evals_on`, `evals_off`."""
    parts = [rows_by_name(name) for name in names]
    if len(parts) > 1 and all(parts):
        return len({rows_words(name) for name in names}) > 1
    return any(parts)


def slice_of_rows(node: Node) -> ast.Slice | None:
    """The slice of rows of `x[a:b]` or `x[a:b, c]`."""
    if not isinstance(node, ast.Subscript):
        return None
    cut = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    return cut if isinstance(cut, ast.Slice) and cut.step is None else None
