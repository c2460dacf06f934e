"""Which rows are these, and where were they divided: training rows, held-out rows, or all of them?

    X_train, X_test = train_test_split(X)      # a division of `X`: `X_train` training rows, `X_test` held out (PROVEN)
    scaler.fit(X)                              # the whole of `X`, which the division above holds a part of
    val = rows[n:]                             # with `train = rows[:n]` a division; by itself a mere name

The lattice of parts is flat: training rows, held-out rows (validation or test), the whole, unknown. Provenance comes
with the Value: a splitter says which of its results is held out, an argument of a dataset (`train=False`) which part
it is. Names (`roles`) answer where provenance is silent, or contradicts them, and two names that contradict
each other answer nothing.

What divides rows: a call of a splitter, a search that cross-validates, `validation_split=` of a fit, two complementary
slices that are told apart, subsets of two complementary ranges, two indices that a function is handed. A slice by
itself divides nothing: a slice of training rows is training rows, until something trains on one side and measures on
the other.

What it deliberately does not do: it does not say whether a split is fair (time, groups), and it takes no part in the
question whether anything is learned from the rows; that is `learned`.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal, NamedTuple

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.names import bound_at, bound_expression
from mllint.semantics.syntax.nodes import Node, find_range_len_operand, last_name, place, walk
from mllint.semantics.syntax.sites import Site, text
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.roles import (
    HELD_OUT,
    Role,
    file_rows,
    has_role_name,
    is_held_out_name,
    is_training_name,
    name_evidence,
    rest_of_name,
    rows_by_name,
    rows_words,
)
from mllint.semantics.training.rows.slices import (
    complementary_slices,
    evidence_of_names,
    is_leading_slice,
    is_share_of_rows,
    slice_of_rows,
    without_lookback,
)
from mllint.semantics.training.rows.usage import is_split_unused, unread_arguments
from mllint.semantics.values.evaluate import element_of, evaluate
from mllint.semantics.values.library import effect_of, flattened_alternatives
from mllint.semantics.values.lineage import bindings_of, is_same_place, part_at, targets_of
from mllint.semantics.values.reach import SPLITTERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.flow.flow import LoopRun
    from mllint.semantics.syntax.module import FunctionScope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.values import Value

__all__ = [
    "DIVIDING", "Division", "batches_of", "divisions", "is_search", "may_split", "part_of", "row_index", "rows_name",
    "rows_taken_by_range", "table_of",
]  # fmt: skip

DIVIDING = """train_test_split random_split split cross_val_score cross_validate cross_val_predict learning_curve
    validation_curve permutation_test_score split_dataset cv train_valid_split fit Subset"""
"""The calls by which rows may be divided; `fit` is that of a search, or one with `validation_split=`."""

_DIVIDING = frozenset(DIVIDING.split())
_SPLITTING = _DIVIDING - {"fit", "Subset"}
_FOLDING = frozenset(
    """cross_val_score cross_validate cross_val_predict learning_curve validation_curve
    permutation_test_score""".split()
)
_RENAMED = 4
"""How many names a part of a series may pass through."""


class Division(NamedTuple):
    """Where rows are divided into training and held-out ones.

    Args:
        node: the call, or the slice.
        name: what divides them, for messages.
        rows: the expressions that are divided.
        searches: whether a fit holds rows out for itself, to choose by them.
        within: inside of what they are divided, where nothing can be done between that and the training: the folds of a
            cross-validation or of a search, or the fit of a model; empty for a split that comes first.
        evidence: how well it is known that it divides them so.
    """

    node: Node
    name: str
    rows: list[Node]
    searches: bool = False
    within: Literal["", "folds", "fit"] = ""
    evidence: Evidence = Evidence.PROVEN


# ------------------------------------------------------------------------------------------------------- divisions
def divisions(function: FunctionView) -> Iterator[Division]:
    """The divisions that are written in a function, but for those whose held-out rows nobody looks at."""
    for call in (Call(node, function.frame) for node in function.scope.calls_to(_DIVIDING)):
        if call.last_name in _SPLITTING and may_split(call) and any(effect_of(f, "splits") for f in call.callees):
            if not _holds_out_nothing(call):
                rows = call.argument("X") or call.argument("dataset")
                given = [a.value if isinstance(a, ast.Starred) else a for a in call.node.args]
                unread = unread_arguments(call)
                read = [a for n, a in enumerate(given) if n not in unread]
                tunes = _is_for_search(call, function)
                within: Literal["", "folds"] = "folds" if tunes or call.last_name in _FOLDING else ""
                yield Division(call.node, call.name, [rows.node] if rows else read, searches=tunes, within=within)
        elif call.last_name == "fit" and call.node.args:
            if is_search(call.receiver):
                yield Division(call.node, call.name, call.node.args[:1], searches=True, within="folds")
            elif _validates_on_split(call):
                name = f"{call.name}(validation_split=...)"
                yield Division(call.node, name, call.node.args[:1], searches=True, within="fit")
        elif call.last_name == "split" and call.node.args:
            parts = targets_of(call.node, function.scope)
            if any(map(is_training_name, parts)) and any(map(is_held_out_name, parts)):
                if call.callee.is_function("numpy.split"):
                    evidence = evidence_of_names([name for name in parts if name]) or Evidence.NAMED
                    yield Division(call.node, call.name, call.node.args[:1], evidence=evidence)
    for first, second, evidence in complementary_slices(function.scope):
        if is_same_place(first.value, second.value, function.frame):
            yield Division(first, text(function.module, first), [first.value], evidence=evidence)
    yield from _divided_by_index(function)
    yield from _divided_by_subsets(function)


def _divided_by_subsets(function: FunctionView) -> Iterator[Division]:
    """`Subset(rows, range(n))` next to `Subset(rows, range(n, len(rows)))`, perhaps with a gap between the two."""
    subsets = function.scope.calls_to(("Subset",))
    cuts = [(node, cut) for node in subsets if (cut := _range_of(node, function)) is not None]
    if len(cuts) <= 1:
        return
    for node, (rows, low, high) in cuts:
        if low == "0" and any((rows, high) == later[:2] for _, later in cuts):
            yield Division(node, text(function.module, node), [node.args[0]], evidence=Evidence.USED)


def _range_of(node: Node, function: FunctionView) -> tuple[str, str, str] | None:
    """What a subset is taken of, and where it begins and ends, as written: of `Subset(rows, range(n, m - window))`."""
    taken = rows_taken_by_range(node)
    name = place(taken[0]) if taken is not None else None
    if taken is None or name is None or not evaluate(node, function.frame).instance_of("torch.utils.data.Subset"):
        return None
    _, low, high = taken
    start = text(function.module, low, 200) if low is not None else "0"
    return name, start, text(function.module, without_lookback(high), 200)


def rows_taken_by_range(node: Node) -> tuple[Node, Node, Node] | None:
    """What numbered rows are taken of, and from where to where: `rows`, `8` and `n` of `Subset(rows, range(8, n))`.

    Args:
        node: an expression.

    Returns:
        The rows, the first number (None where it is not written) and the one behind the last; None of anything else.
    """
    match node:
        case ast.Call(args=[rows, ast.Call(func=ast.Name(id="list"), args=[ast.Call() as numbers])]):
            pass
        case ast.Call(args=[rows, ast.Call() as numbers]):
            pass
        case _:
            return None
    if last_name(numbers.func) not in ("range", "arange") or len(numbers.args) not in (1, 2):
        return None
    return rows, numbers.args[0] if len(numbers.args) == 2 else None, numbers.args[-1]


def _is_for_search(call: Call, function: FunctionView) -> bool:
    """Whether the parts, or what goes through them, are handed to a search: `GridSearchCV(model, grid, cv=[split])`."""
    names = _names_for_search(function.scope)
    if not names:
        return False
    bound = {n for n in targets_of(call.node, function.scope) if n}
    loops = (r.node for r in function.scope.loops if isinstance(r.node, ast.For) and bound)
    drawn = {n.id for r in loops if place(r.iter) in bound for n in walk(r.target) if isinstance(n, ast.Name)}
    return not names.isdisjoint(bound | drawn)


@cached_per_scope(local=True)
def _names_for_search(function: FunctionScope) -> set[str]:
    """The names in what a function hands on as `cv=`."""
    handed = (k.value for c in function.calls for k in c.keywords if k.arg == "cv")
    return {n.id for h in handed for n in walk(h) if isinstance(n, ast.Name)}


def may_split(call: Call) -> bool:
    """Whether a call may divide rows, by its name: any but a `split` where no splitter is built near by."""
    return call.last_name != "split" or id(call.module) in call.project.reach.near(SPLITTERS)


def _holds_out_nothing(call: Call) -> bool:
    """Whether nobody looks at what a split holds out: `for train, _ in folds.split(X)`."""
    for loop in call.function.loops:
        if isinstance(loop.node, ast.For) and any(n is call.node for n in walk(loop.node.iter)):
            held = _last_name_of(loop.node.target)
            nodes = (n for s in loop.node.body for n in walk(s))
            return held is not None and not any(isinstance(n, ast.Name) and n.id == held for n in nodes)
    bound = [b for b in bindings_of(call.node, call.function) if b.path]
    held_out = [b.name for b in bound if isinstance(b.path[0], int) and b.path[0] % 2]
    return (bool(held_out) and set(held_out) == {"_"}) or is_split_unused(call)


def _last_name_of(target: Node) -> str | None:
    """The name at the end of `train, held` or `fold, (train, held)`."""
    while isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target = target.elts[1]
    return target.id if isinstance(target, ast.Name) else None


def is_search(receiver: Value | None) -> bool:
    """Whether it is a search of scikit-learn, which holds rows out to choose by them."""
    return receiver is not None and any(c.module.is_stub and c.name.endswith("SearchCV") for c in receiver.classes)


def _validates_on_split(call: Call) -> bool:
    """Whether `fit(X, y, validation_split=0.2)` of Keras holds rows out of what no name calls training rows."""
    share = next((k.value for k in call.node.keywords if k.arg == "validation_split"), None)
    if share is None or getattr(share, "value", 1) in (0, None):
        return False
    return not is_training_name(rows_name(call.node.args[0])) and any(f.stubbed for f in call.callees)


def _divided_by_index(function: FunctionView) -> Iterator[Division]:
    """`x.loc[train_index]` and `x.loc[val_index]` of the same `x`, where the indices are handed in."""
    scope = function.scope
    if scope.is_body or not any(is_held_out_name(p.name) for p in scope.parameters):
        return
    found: dict[str, dict[bool, Node]] = {}
    for node in (n for s in scope.body for n in walk(s) if isinstance(n, ast.Subscript)):
        index, base = row_index(node), table_of(node.value)
        if index is not None and scope.parameter(index) is not None and isinstance(base, ast.Name):
            found.setdefault(base.id, {}).setdefault(is_held_out_name(index), node)
    for parts in found.values():
        if len(parts) == 2:
            yield Division(parts[True], text(function.module, parts[True]), [table_of(parts[True].value)])


# ------------------------------------------------------------------------------------------------------- parts
def part_of(rows: Node, frame: Frame) -> Answer[Role] | None:
    """Which part some rows are.

    Args:
        rows: the expression.
        frame: its context.

    Returns:
        `TRAINING_ROWS` or `HELD_OUT_ROWS`: by provenance (PROVEN), or by name where nothing contradicts it, be it that
        of the rows that a function makes them of, `cleaned(train)`; None where it is unknown, or where they are of both
        parts.
    """
    name, site = rows_name(rows), Site(frame.module, rows)
    parts = {r.part for r in evaluate(rows, frame).all_provenance}
    named = rows_by_name(name)
    if parts and parts <= {"heldout", "test"} and named is not Role.TRAINING_ROWS:
        return Answer(Role.HELD_OUT_ROWS, Evidence.PROVEN, (site,))
    if parts == {"train"} and (named not in HELD_OUT or "dev" in rows_words(name)):
        # development rows are those that are not the test rows, where a split says so
        return Answer(Role.TRAINING_ROWS, Evidence.PROVEN, (site,))
    if parts & {"train"} and parts & {"heldout", "test"}:
        return None
    cut = _role_of_slice(rows, frame)
    if cut is not None and (named is None or (named in HELD_OUT) is (cut.value in HELD_OUT)):
        return cut
    read = _read_from(rows, frame)
    if read is not None and named in (None, read):
        role = Role.HELD_OUT_ROWS if read in HELD_OUT else Role.TRAINING_ROWS
        return Answer(role, Evidence.CONVENTIONAL, (site,))
    if named is None:
        made_of = rows.args if isinstance(rows, ast.Call) and isinstance(rows.func, ast.Name) else ()
        return part_of(made_of[0], frame) if len(made_of) == 1 else None
    role = Role.HELD_OUT_ROWS if named in HELD_OUT else Role.TRAINING_ROWS
    return Answer(role, name_evidence(name, named) or Evidence.NAMED, (site,))


def _role_of_slice(rows: Node, frame: Frame) -> Answer[Role] | None:
    """Which part of one series it is, by the share of the rows that it is cut to: its beginning is trained on."""
    function, node = frame.function, table_of(rows)
    for _ in range(_RENAMED):
        if not isinstance(node, ast.Name):
            break
        found = bound_at(node, function)
        if len(found) != 1 or found[0].kind != "assign" or found[0].value is None:
            return None
        node = table_of(part_at(found[0].value, found[0].path))
    cut, name = slice_of_rows(node), place(getattr(node, "value", None))
    if (
        cut is None
        or name is None
        or not is_share_of_rows(cut.upper if is_leading_slice(cut) else cut.lower, name, function)
    ):
        return None
    role = Role.TRAINING_ROWS if is_leading_slice(cut) else Role.HELD_OUT_ROWS
    for first, second, evidence in complementary_slices(function):
        if node is first or node is second:
            return Answer(role, evidence, (Site(frame.module, first), Site(frame.module, second)))
    return None


def _read_from(rows: Node, frame: Frame) -> Role | None:
    """Which part the file is that a table is read from: `pd.read_csv("test.csv")`, where one binding reaches it."""
    table = table_of(rows)
    found = bound_at(table, frame.function) if isinstance(table, ast.Name) else ()
    bound = bound_expression(found[0]) if len(found) == 1 else None
    texts = [a.value for a in bound.args if isinstance(a, ast.Constant)] if isinstance(bound, ast.Call) else []
    return file_rows(texts[0]) if texts and isinstance(texts[0], str) else None


def row_index(node: Node) -> str | None:
    """The name of the index in `X[test_index]` or `df.loc[test_index, columns]`, if it says which part it chooses."""
    index = getattr(node, "slice", None)
    if isinstance(index, ast.Tuple) and index.elts:
        index = index.elts[0]
    return index.id if isinstance(index, ast.Name) and rows_by_name(index.id) is not None else None


def _part_key(node: Node) -> str | None:
    """The key of `data["test"]`, if it says which part that is, and nothing else."""
    key = node.slice.value if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) else None
    return key if isinstance(key, str) and rest_of_name(key, Role.TRAINING_ROWS, *HELD_OUT) == "" else None


def rows_name(node: Node) -> str | None:
    """What rows are called: the index that chooses them, else the place that they are taken from."""
    while isinstance(node, (ast.Subscript, ast.Call)) or (
        isinstance(node, ast.Attribute) and node.attr in ("values", "loc", "iloc")
    ):
        if (index := row_index(node) or _part_key(node)) is not None:
            return index
        if isinstance(node, ast.Call) and last_name(node.func) in ("transform", "fit_transform") and node.args:
            node = node.args[0]
            continue
        inner = node.func if isinstance(node, ast.Call) else node.value
        node = inner.value if isinstance(node, ast.Call) and isinstance(inner, ast.Attribute) else inner
    name = place(node)
    if isinstance(node, ast.Attribute) and rows_by_name(name) is None and rows_by_name(place(node.value)) is not None:
        return place(node.value)  # `train_set.distances`
    return name


def table_of(rows: Node) -> Node:
    """The table that rows are all of: `df` of `df.values`, `df.iloc`, `df[["a", "b"]]`, `imputer.transform(df)`."""
    while True:
        match rows:
            case ast.Attribute(value=inner, attr="values" | "iloc" | "loc"):
                rows = inner
            case ast.Subscript(value=inner, slice=ast.List() | ast.Constant()):
                rows = inner
            case ast.Subscript(value=inner, slice=ast.Name(id=name)) if has_role_name(name, Role.COLUMNS):
                rows = inner
            case ast.Call(func=ast.Attribute(attr="transform"), args=[inner]):
                rows = inner
            case ast.Call(func=ast.Attribute(value=inner, attr="to_numpy" | "copy"), args=[]):
                rows = inner
            case ast.Call(func=ast.Attribute(value=inner, attr="reshape")):
                rows = inner
            case _:
                return rows


def batches_of(run: LoopRun) -> list[Value]:
    """The batches that a loop draws from loaders."""
    if run.iterates is None:
        return []
    loader = find_range_len_operand(run.node.iter)  # `for i in range(len(loader))`
    element = element_of(evaluate(loader, run.frame) if loader is not None else run.iterates, run.frame)
    return [v for v in flattened_alternatives(element) if "Batch" in v.traits]
