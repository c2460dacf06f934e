"""Does a random draw decide which rows are held out?

    train, test = train_test_split(rows)       # a splitter of a library
    random.shuffle(rows)                       # decides, since `rows[:n]` and `rows[n:]` are the two parts
    test = df.sample(frac=0.2)                 # decides, since `df.drop(test.index)` is the rest

Besides splitters these divide rows by chance: a shuffled list that is cut in two, a sample and the rest, a mask of
random numbers and its opposite. What is drawn for anything else decides no such thing, nor does what is drawn once and
kept in a file, is only plotted, or is discarded.

The answer is no more than POSSIBLE where other rows in another run may do no harm: what is held out is never read,
it is written to files from which later runs read, the draw is repeated so that chance is averaged out, the rows
themselves are drawn, one part is trained on without its answers, the model was trained elsewhere on other rows, or the
script trains and measures nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Collection

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import (
    Node,
    assigned_pairs,
    is_within,
    last_name,
    mentions_place,
    place,
    tests_path_exists,
    walk,
)
from mllint.semantics.syntax.sites import text
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.iterations import are_in_different_branches
from mllint.semantics.training.rows import forwarded, slices, splits, usage
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import Origin, bindings_of, origins, resolve_name, results_of, statements
from mllint.semantics.values.values import BuiltinValue, LiteralValue

__all__ = ["DRAWING", "decides_parts", "ordered_rows", "takes_one_part"]

DRAWING = "train_test_split random_split split shuffle permutation randperm sample choice rand random uniform"
"""The last names of the calls that may divide rows by chance."""
_SPLITTING = ("train_test_split", "random_split", "split")
_MASKING = ("rand", "random", "uniform")
_TRAINING = ("fit", "backward", "train", "manual_backward", "minimize", "apply_gradients", "gradient")
_WRITES = ("push_to_hub", "to_csv", "to_parquet", "to_pickle", "to_json", "to_feather", "to_hdf")
_ARRAYS = ("numpy", "torch")
_DRAWING = (*_ARRAYS, "random")
_CHOOSING = "permutation permuted shuffle choice choices randperm randint multinomial".split()
_READING = ("load", "loadtxt", "genfromtxt", "fromfile", "memmap", "load_state_dict")
_LOADING = "load load_state_dict load_weights load_model load_checkpoint load_from_checkpoint loads".split()
_REMOVING = ("setdiff1d", "difference", "delete", "isin")


def decides_parts(call: Call) -> Answer[bool] | None:
    """Whether a draw decides which rows are held out.

    Args:
        call: the call that may draw.

    Returns:
        How well it is known, POSSIBLE where that may do no harm; None where it decides nothing.
    """
    evidence = Evidence.PROVEN if _is_split(call) else _is_split_in_two(call)
    if evidence is None or _is_drawn_once(call) or _is_only_shown(call) or _is_thrown_away(call):
        return None
    unused = usage.is_split_unused(call) or forwarded.is_held_out_unread(call)
    unused = unused or forwarded.are_parts_read(call).evidence < Evidence.PROVEN
    harmless = unused or usage.is_only_loaded(call) or _is_stored(call) or _is_repeated(call)
    harmless = harmless or _is_of_drawn_rows(call) or _is_for_no_model(call)
    harmless = harmless or _leaves_answers_out(call) or _is_for_a_foreign_model(call)
    return Answer(True, Evidence.POSSIBLE if harmless else evidence, (call.site,))


def ordered_rows(call: Call) -> Node:
    """The rows that a draw puts into a new order: `rows` of `shuffle(rows)`, of `permutation(len(rows))`, of
    `randperm(n)` where `n = rows.shape[0]`, and of `rows.sample(frac=0.8)`; None if it is not seen."""
    given = resolve_name(call.node.args[0], call.function) if call.node.args else None
    match given:
        case ast.Call(func=ast.Name(id="len"), args=[rows]):
            return rows
        case ast.Subscript(value=ast.Attribute(value=rows, attr="shape"), slice=ast.Constant(value=0)):
            return rows
        case ast.Call(func=ast.Attribute(value=rows, attr="size"), args=[ast.Constant(value=0)]):
            return rows
    match call.node:
        case ast.Call(
            func=ast.Attribute(value=rows, attr="sample"), args=[], keywords=[ast.keyword(arg="frac" | "n"), *_]
        ):
            return rows
    return call.node.args[0] if call.last_name == "shuffle" and call.node.args else None


def takes_one_part(call: Call) -> bool:
    """Whether the function that draws an order takes only one of the two parts, by a test: the other part is taken in
    another call of it, from another order."""
    function = call.function
    ordered = _drawn_names(call)
    ordered |= _arranged(ordered, function)
    return any(
        place(first.value) in ordered and slices.are_chosen_by_test(first, rest, function)
        for first, rest, _ in (slices.complementary_slices(function) if ordered else ())
    )


def _is_split(call: Call) -> bool:
    """Whether a splitter of a library is called."""
    return (
        call.last_name in _SPLITTING
        and splits.may_split(call)
        and any(effect_of(function, "splits") for function in call.callees)
    )


def _is_thrown_away(call: Call) -> bool:
    """Whether the parts that a splitter gives are discarded at once: what is held out is decided elsewhere."""
    return _is_split(call) and call.is_statement


def _is_of_drawn_rows(call: Call) -> bool:
    """Are the rows themselves drawn at random, and not read from anywhere? In another run all of them are others."""
    return any(bool(rows) and all(_is_drawn(r, call) for r in rows) for rows in (call.node.args[:1], _ordered(call)))


def _is_drawn(rows: Node, call: Call) -> bool:
    """Are some rows computed of numbers that are drawn, and of nothing that is read?"""
    steps = origins(rows, call.frame, through=_computes)
    made = [origin for origin in steps if isinstance(origin.node, ast.Call)]
    drawn = [origin for origin in made if _draws(Call(origin.node, origin.frame))]
    return bool(drawn) and all(origin in drawn or _computes(origin) for origin in made)


def _ordered(call: Call) -> list[ast.expr]:
    """What is taken in an order that is drawn by the number of rows: `rows` of `rows[order[:n]]`, of `rows[train]`."""
    if call.last_name not in ("permutation", "randperm"):
        return []
    names, parts = _drawn_names(call), _parts_by_whole(call.function)
    names |= {part for name in names for part in parts.get(name, ())}
    values = (value for s in statements(call.function) for _, value in assigned_pairs(s))
    taken = [n for value in values for n in walk(value) if isinstance(n, ast.Subscript) and place(n.value) not in names]
    return [n.value for n in taken if place(n.slice) in names or _is_made_of_parts(n.slice, names)]


def _draws(call: Call) -> bool:
    """Does a call draw numbers, and not which of the rows, or in which order?"""
    if call.last_name in _CHOOSING or not call.callees:
        return False
    if call.last_name.startswith("make_") and all(f.module.name == "sklearn.datasets" for f in call.callees):
        state = call.argument("random_state")
        return state is None or (isinstance(state.value, LiteralValue) and state.value.literal is None)
    if call.last_name == "sample" and any(f.module.name == "random" for f in call.callees):
        return False  # some of what there is
    return all(effect_of(f, "draws") and f.module.name.partition(".")[0] in _DRAWING for f in call.callees)


def _computes(origin: Origin) -> bool:
    """Is what an expression gives made of what it is given, arithmetic, entries of a dictionary and what NumPy and
    PyTorch do with arrays, or of what a function of the user's returns?"""
    if not isinstance(origin.node, ast.Call):
        return True
    call = Call(origin.node, origin.frame)
    if call.last_name in _CHOOSING:
        return False
    if call.last_name == "get" and not call.callees:
        return True
    if call.last_name == "train_test_split":
        return True  # parts of what it is given
    if isinstance(call.callee, BuiltinValue):
        return call.last_name != "open"
    if next(results_of(origin.node, origin.frame), None) is not None:
        return True
    callees, base = call.callees, getattr(origin.node.func, "value", None)
    if not callees and isinstance(base, ast.Call):
        return _computes(Origin(base, origin.frame))  # a method of what is computed: `np.array(rows).reshape(-1, 1)`
    return bool(callees) and all(f.module.name.partition(".")[0] in _ARRAYS and f.name not in _READING for f in callees)


def _leaves_answers_out(call: Call) -> bool:
    """Does a name say that one part is rows without answers? Both are trained on, and what is held out is decided
    elsewhere."""
    return any(topics.is_about(b.name, Topic.UNLABELLED) for b in bindings_of(call.node, call.function))


def _is_for_a_foreign_model(call: Call) -> bool:
    """Does a script read only what is held out, train nothing and load nothing but what a library has trained on other
    rows, `from_pretrained("t5-small")`?"""
    called = call.module.calls_by_name
    if not call.function.is_body or any(word in called for word in (*_TRAINING, *_LOADING)):
        return False
    loads = [c.args[0] for c, _ in called.get("from_pretrained", ()) if c.args]
    published = [isinstance(n, ast.Constant) and str(n.value)[:1] not in "./~" for n in loads]
    return bool(published) and all(published) and usage.is_kept_part_unused(call)


def _is_for_no_model(call: Call) -> bool:
    """Are the parts read in a script that shows or writes something, but, with all that belongs to it, trains nothing
    and measures nothing?"""
    shuffled = place(call.node.args[0]) if call.last_name == "shuffle" and call.node.args else None
    names = [*(b.name for b in bindings_of(call.node, call.function)), *([shuffled] if shuffled is not None else [])]
    if not call.function.is_body or not any(usage.is_read(name, call.function) for name in names):
        return False  # a fragment, or a function of which others use what it gives
    called = {name for module in call.project.modules for name in module.calls_by_name} - set(_SPLITTING)
    seen = any(topics.is_about(name, topic) for name in called for topic in (Topic.SHOWING, Topic.WRITING))
    return (seen or not called.isdisjoint(_WRITES)) and not any(map(_is_for_a_model, called))


def _is_for_a_model(called: str) -> bool:
    """Does the name of what is called say that it trains, measures or is a model?"""
    about = any(topics.is_about(called, topic) for topic in (Topic.ABOUT_TRAINING, Topic.MEASURING, Topic.RUNNING))
    return about or called in _TRAINING or roles.speaks_of(called, roles.Role.MODEL)


def _is_split_in_two(call: Call) -> Evidence | None:
    """How well it is known that what was shuffled or drawn here is cut into two complementary parts, once."""
    function = call.function
    if any(r.node.lineno <= call.node.lineno <= (r.node.end_lineno or 0) for r in function.loops):
        return None
    names = _drawn_names(call)
    kept = [c for c in function.calls if topics.is_about(last_name(c.func), Topic.WRITING)] if names else []
    if not names or any(place(n) in names for c in kept for a in c.args for n in walk(a)):
        return None
    if call.last_name in ("sample", "choice") and not _shuffles_all(call):
        if any(_is_rest_dropped_by_index(name, function) for name in names):
            return Evidence.USED
        return Evidence.NAMED if any(_is_named_complement(name, function) for name in names) else None
    if call.last_name in _MASKING:
        return max((e for name in names if (e := _opposed(name, call)) is not None), default=None)
    ordered = names | _arranged(names, function)
    found = (
        evidence
        for first, rest, evidence in slices.complementary_slices(function)
        if place(first.value) in ordered
        and first.lineno >= call.node.lineno
        and not _are_windows(first, rest, call)
        and not are_in_different_branches(function, call.node, first)
    )
    return max(found, default=None)


def _shuffles_all(call: Call) -> bool:
    """`frame.sample(frac=1)`: all rows, in a drawn order."""
    share = next((getattr(k.value, "value", None) for k in call.node.keywords if k.arg == "frac"), None)
    return call.last_name == "sample" and share == 1


def _are_windows(first: Node, rest: Node, call: Call) -> bool:
    """`[:n]` and `[n : 2 * n]`: are they two windows of one size, and no partition?"""
    upper = getattr(rest.slice, "upper", None)
    if not isinstance(upper, ast.BinOp) or not isinstance(upper.op, ast.Mult):
        return False
    sides = {text(call.module, side) for side in (upper.left, upper.right)}
    return text(call.module, first.slice.upper) in sides


def _drawn_names(call: Call) -> set[str]:
    """The places whose order is drawn, or that hold what was drawn: what a call is bound to, else what it shuffles."""
    node, masks = call.node, call.last_name in _MASKING
    for statement in statements(call.function):
        if (
            isinstance(statement, ast.Assign)
            and is_within(node, statement)
            and any(n is node for n in walk(statement.value))
        ):
            if masks and not (isinstance(statement.value, ast.Compare) and statement.value.left is node):
                return set()
            first = statement.targets[0]
            parts = first.elts if isinstance(first, ast.Tuple) and statement.value is node else [first]
            return {name for part in parts if (name := place(part))}
    shuffled = place(node.args[0]) if call.last_name == "shuffle" and node.args else None
    return {shuffled} if shuffled else set()


def _arranged(names: set[str], function: FunctionScope) -> set[str]:
    """What is bound to `rows[order]` or `[rows[i] for i in order]`, where `order` is one of some names."""
    by_order = _taken_in_order(function)
    return {target for name in names for target in by_order.get(name, ())}


@cached_per_scope(local=True)
def _taken_in_order(function: FunctionScope) -> dict[str, list[str]]:
    """What is bound to rows that are taken in some order, by the place of the order."""
    found: dict[str, list[str]] = {}
    for target, value in (pair for statement in statements(function) for pair in assigned_pairs(statement)):
        order = value.generators[0].iter if isinstance(value, ast.ListComp) else getattr(value, "slice", None)
        name, bound = place(order), place(target)
        if name is not None and bound is not None:
            found.setdefault(name, []).append(bound)
    return found


def _is_rest_dropped_by_index(name: str, function: FunctionScope) -> bool:
    """Is the rest `frame.drop(name.index)`?"""
    drops = (c for c in function.calls if last_name(c.func) == "drop")
    return any(f"{name}.index" in {place(n) for n in walk(c)} for c in drops)


def _is_named_complement(name: str, function: FunctionScope) -> bool:
    """Is the rest what is not among those that were drawn, and does a name say that one of the two is held out?"""
    for statement in statements(function):
        for target, value in assigned_pairs(statement):
            if any(_leaves_out(n, name) for n in walk(value)):
                names = [name, *(place(n) or "" for n in walk(target))]
                if any(roles.is_held_out_name(n) or roles.is_training_name(n) for n in names):
                    return True
    return False


def _leaves_out(node: Node, name: str) -> bool:
    """`x not in name`, `setdiff1d(rows, name)`, `rows - set(name)`."""
    match node:
        case ast.Compare(ops=[ast.NotIn()], comparators=[other]):
            return name in {place(n) for n in walk(other)}
        case ast.BinOp(op=ast.Sub(), right=ast.Call(func=ast.Name(id="set"), args=[other])):
            return place(other) == name
        case ast.Call():
            return last_name(node.func) in _REMOVING and name in {place(n) for a in node.args for n in walk(a)}
    return False


def _opposed(name: str, call: Call) -> Evidence | None:
    """`rows[mask]` and `rows[~mask]`: are most rows of one part, or does a name say that one is held out?"""
    function = call.function
    parts: dict[bool, list[str]] = {True: [], False: []}
    for statement in statements(function):
        for target, value in assigned_pairs(statement):
            picked = [n.slice for n in walk(value) if isinstance(n, ast.Subscript)]
            turned = any(
                isinstance(s, ast.UnaryOp) and isinstance(s.op, ast.Invert) and place(s.operand) == name for s in picked
            )
            if turned or any(place(s) == name for s in picked):
                parts[turned] += [place(n) or "" for n in walk(target)]
    if not all(parts.values()):
        return None
    if any(_is_share(s.value, call.node) for s in statements(function) if isinstance(s, ast.Assign)):
        return Evidence.USED
    names = [*parts[True], *parts[False]]
    is_named = any(roles.is_held_out_name(n) or roles.is_training_name(n) for n in names)
    return Evidence.NAMED if is_named else None


def _is_share(value: Node, drawn: Node) -> bool:
    """Is it `rand(n) < 0.8`, which is true of most rows?"""
    match value:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[ast.Constant(value=float(share))]):
            return left is drawn and 0.5 < share < 1
    return False


# ------------------------------------------------------------------------------------------------------- what for
def _is_drawn_once(call: Call) -> bool:
    """Is it drawn where a file is missing, and written down there, so that later runs read it?"""
    for branch in _where_file_is_missing(call.function):
        calls = [n for s in branch for n in walk(s) if isinstance(n, ast.Call)]
        if any(c is call.node for c in calls) and any(topics.is_about(last_name(c.func), Topic.WRITING) for c in calls):
            return True
    return False


@cached_per_scope(local=True)
def _where_file_is_missing(function: FunctionScope) -> list[list[ast.stmt]]:
    """The branches of the tests for a file."""
    tests = [n for n in function.nodes_of(ast.If) if tests_path_exists(n.test)]
    return [branch for test in tests for branch in (test.body, test.orelse)]


def _is_only_shown(call: Call) -> bool:
    """Are the parts, and the loaders of them, given to nothing but what draws or prints them?"""
    shuffled = place(call.node.args[0]) if call.last_name == "shuffle" and call.node.args else None
    found = [b.name for b in bindings_of(call.node, call.function)]
    found += [shuffled] if shuffled is not None else []
    names, parts, mentions = set(found), _parts_by_whole(call.function), _mentions(call.function)
    for name in found:  # what is shuffled, the parts, and what is made of them
        fresh = [part for part in parts.get(name, ()) if part not in names]
        names.update(fresh)
        found += fresh
    shown = False
    for other in (c for name in names for c in mentions.get(name, ())):
        if other is not call.node and not _is_made_of_parts(other, names):
            if not topics.is_about(last_name(other.func), Topic.SHOWING):
                return False
            shown = True
    return shown and not call.function.returns and not any("." in str(name) for name in names)


@cached_per_scope(local=True)
def _parts_by_whole(function: FunctionScope) -> dict[str, list[str]]:
    """What a function binds to parts of a place, or to loaders of it, by the place."""
    found: dict[str, list[str]] = {}
    for binding in (b for bindings in function.bindings.values() for b in bindings):
        for name in _wholes(binding.value):
            found.setdefault(name or "", []).append(binding.name)
    return found


@cached_per_scope(local=True)
def _mentions(function: FunctionScope) -> dict[str, list[ast.Call]]:
    """The calls of a function by the places that stand in their arguments."""
    found: dict[str, list[ast.Call]] = {}
    for call in function.calls:
        given = (*call.args, *(k.value for k in call.keywords))
        for name in {place(n) for a in given for n in walk(a)} - {None}:
            found.setdefault(name or "", []).append(call)
    return found


def _is_made_of_parts(value: Node, names: Collection[str | None]) -> bool:
    """Is it a loader of a part, `DataLoader(train_set)`, or a part: `rows[:80]`, `Subset(dataset, rows)`?"""
    return any(name in names for name in _wholes(value))


def _wholes(value: Node) -> list[str | None]:
    """The places that an expression is a part, or a loader, of."""
    if isinstance(value, ast.Subscript):
        return [place(value.value)]
    loads = isinstance(value, ast.Call) and last_name(value.func) in ("DataLoader", "Subset", "len", "iter")
    return [place(a) for a in value.args] if loads else []


def _is_stored(call: Call) -> bool:
    """Are the parts written to files, which later runs read?"""
    bound = [b for found in call.function.bindings.values() for b in found if b.value is not None]
    names = {b.name for b in bound if b.value is call.node or _is_list_of_call(b.value, call.node)}
    writes = _writes(call.function)
    if names and all(any(mentions_place(c, name) for c in writes) for name in names):
        return True
    callers = [frame.function for _, frame in call.project.callers(call.function)]
    files = [call.module, *(f.module for f in callers)]
    if any(word in module.calls_by_name for module in files for word in _TRAINING):
        return False
    return bool(callers) and all(map(_writes, callers))  # a script that prepares data


def _is_list_of_call(value: Node, node: Node) -> bool:
    """Is a value `list(folds.split(rows))`, all parts at once?"""
    return isinstance(value, ast.Call) and last_name(value.func) in ("list", "tuple") and value.args[:1] == [node]


def _writes(function: FunctionScope) -> list[ast.Call]:
    """The calls of a function that write files."""
    return [
        c for c in function.calls if topics.is_about(last_name(c.func), Topic.WRITING) or last_name(c.func) in _WRITES
    ]


def _is_repeated(call: Call) -> bool:
    """Is it drawn again and again from the same rows, by a count, so that chance is averaged out?"""
    for run in call.function.loops:
        if isinstance(run.node, ast.For) and any(n is call.node for s in run.node.body for n in walk(s)):
            counted = isinstance(run.node.iter, ast.Call) and last_name(run.node.iter.func) in ("range", "trange")
            names = {n.id for n in walk(run.node.target) if isinstance(n, ast.Name)}
            if counted and not any(isinstance(n, ast.Name) and n.id in names for n in walk(call.node)):
                return True
    return False
