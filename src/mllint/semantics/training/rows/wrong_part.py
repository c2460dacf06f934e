"""Is one part of the data taken for another: `val_loader = DataLoader(Rows(X_train))`, `evaluate(model, train_loader)`?

A name alone proves nothing. Here two names contradict each other, and a third one, of what belonged there, is bound and
never read (`usage`); or a call gives one place to two parameters, one for training and one for evaluation; or two
methods of a data module read one dataset, and a part that was split off next to it is never read.

What is read anywhere in its function says nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Argument, Call, FunctionView
from mllint.semantics.libraries.classes import DATASET, LOADER
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, assigned_pairs, is_within, iterable_of, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import text
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.syntax.words import words
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import rest_of_name
from mllint.semantics.training.rows.forwarded import never_evaluates
from mllint.semantics.training.rows.loading import dataset_in
from mllint.semantics.training.rows.shared_rows import share_rows
from mllint.semantics.training.rows.splits import row_index
from mllint.semantics.training.rows.usage import (
    HELD_OUT,
    TEST,
    TRAINING,
    VALIDATION,
    is_read,
    unread_counterparts,
    unread_outside,
)
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import statements
from mllint.semantics.values.values import (
    LiteralValue,
    MappingValue,
    SequenceValue,
    Value,
)

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope

__all__ = [
    "data_given_to_trainer", "entry", "find_built_of_other_part", "find_parts_passed_twice", "find_test_as_validation",
    "find_training_on_held_out", "find_unused_training_loader", "has_training_call", "reused_dataset", "statement_of",
    "words_around",
]  # fmt: skip

_CHOOSING = ("select", "shuffle", "take", "map", "with_format")
"""What gives some or all of the rows of a dataset."""

_MEASURING = frozenset(("evaluate", "evaluation", "eval", "test", "score", "scores", "metrics", "measure", "predict"))
_TRAINING_CALLS = frozenset("backward step zero_grad fit fit_predict fit_transform partial_fit train".split())


def find_built_of_other_part(function: FunctionScope, *, holding: bool) -> Iterator[tuple[Node, str, str, str]]:
    """Datasets and loaders that are named for one part and built of another.

    Args:
        function: the scope.
        holding: those named for held-out rows and built of training rows; else the other way round.

    Yields:
        What it is built of, its name, the place that it is built of, and the place of its own part that is never read.
    """
    if holding:
        yield from _between(function, roles.is_held_out_name, roles.is_training_name, HELD_OUT, TRAINING)
    else:
        yield from _between(function, roles.is_training_name, roles.is_held_out_name, TRAINING, HELD_OUT)


def find_test_as_validation(function: FunctionScope) -> Iterator[tuple[Node, str, str, str]]:
    """As `find_built_of_other_part`: what is named for validation and built of test data."""
    yield from _between(function, _is_validation_name, _is_test_name, VALIDATION, TEST)


def _is_validation_name(name: str | None) -> bool:
    return (
        roles.is_held_out_name(name) and rest_of_name(name or "", *VALIDATION) is not None and not _is_test_name(name)
    )


def _is_test_name(name: str | None) -> bool:
    return roles.is_held_out_name(name) and rest_of_name(name or "", *TEST) is not None


def _between(
    function: FunctionScope,
    says: Callable[[str | None], bool],
    against: Callable[[str | None], bool],
    own: tuple[Role, ...],
    other: tuple[Role, ...],
) -> Iterator[tuple[Node, str, str, str]]:
    for name, value in _datasets_by_name(function):
        if not says(name):
            continue
        given = _rows_given(value) if isinstance(value, ast.Call) else [value.slice]
        used = [(n, place(n)) for a in given for n in _nodes_outside_slices(a)]
        used = [(n, f) for n, f in used if not topics.is_about(f or "", Topic.TRANSFORMS)]
        if any(says(used_name) for _, used_name in used) or any(map(_has_slice_argument, given[1:])):
            continue
        for node, found in ((n, f) for n, f in used if f and against(f)):
            index = not isinstance(value, ast.Call)
            handed = index or any(b.kind == "param" for b in function.bindings.get(found, ()))
            spare = next(unread_counterparts(found, other, function, own, handed=handed), None)
            spare = spare or unread_outside(found, other, function, own)
            if spare is not None and spare != name:
                yield node, name or "", found, spare
                break


def _has_slice_argument(node: Node) -> bool:
    """Does an argument besides the rows choose some of them by a slice: `Sampler(train_set, indices[half:])`?"""
    return isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice)


@cached_per_scope()
def _datasets_by_name(function: FunctionScope) -> list[tuple[str | None, Node]]:
    """The datasets, loaders and chosen rows that a function binds or returns, by names that say which part they are."""
    found = statements(function) if not isinstance(function.node, ast.Lambda) else []
    named = ((name, value) for s in found for name, value in _bound_datasets(s, function) if roles.rows_by_name(name))
    return [(n, v) for n, v in named if _is_rows_expression(v) or _constructs_dataset(n, v, function)]


def _bound_datasets(statement: Node, function: FunctionScope) -> Iterator[tuple[str | None, Node]]:
    """What a statement binds, by name; what a method named for one part returns (`def val_dataloader(self)`)."""
    if isinstance(statement, ast.Return):
        if isinstance(statement.value, ast.Dict):
            yield from _entries(statement.value)
        elif statement.value is not None and topics.is_about(function.name, Topic.MAKING_DATA):
            yield function.name, statement.value
        return
    for target, value in assigned_pairs(statement):
        if isinstance(value, ast.Dict):
            yield from _entries(value)
        elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for part, inner in zip(target.elts, value.elts, strict=True):
                yield place(part), inner
        else:
            yield place(target), _unless_missing(value)


def _entries(table: ast.Dict) -> Iterator[tuple[str, Node]]:
    """What a dictionary holds, by its keys: `{"train": ..., "val": ...}`."""
    for key, value in zip(table.keys, table.values, strict=True):
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value, value


def _unless_missing(value: Node) -> Node:
    """`a` of `a if rows is not None else None`."""
    if isinstance(value, ast.IfExp) and isinstance(value.orelse, ast.Constant) and value.orelse.value is None:
        return value.body
    return value


def _rows_given(call: ast.Call) -> list[Node]:
    """The arguments of a call that may be rows, and neither a batch size nor options: `**test_kwargs`; of a method of
    an object that is made for it, `Loaders(rows).build()`, also what that is made of."""
    made = call.func.value if isinstance(call.func, ast.Attribute) else None
    given = [*call.args, *made.args] if isinstance(made, ast.Call) else call.args
    named = [*call.keywords, *made.keywords] if isinstance(made, ast.Call) else call.keywords
    rows = (k for k in named if k.arg is not None and not topics.is_about(k.arg, Topic.READING_OPTIONS))
    return [*given, *(k.value for k in rows)]


def _is_rows_expression(value: Node) -> bool:
    """Is it a dataset or a loader that is built, or rows that an index chooses by its name: `X[val_idx]`?"""
    if isinstance(value, ast.Call):
        return _makes_data(value)
    return row_index(value) is not None


def _nodes_outside_slices(node: Node) -> Iterator[Node]:
    """The nodes of an argument, without the bounds of slices: `rows[:n_val]` is a part of `rows`."""
    bounds = {id(n) for outer in walk(node) if isinstance(outer, ast.Slice) for n in walk(outer)}
    return (n for n in walk(node) if id(n) not in bounds)


def _makes_data(call: ast.Call) -> bool:
    return topics.is_about(last_name(call.func), Topic.MAKING_DATA)


def _constructs_dataset(name: str | None, value: Node, function: FunctionScope) -> bool:
    """Is it an object of a dataset's class, whatever the class is named, that is given rows of one part?"""
    if not isinstance(value, ast.Call) or not (roles.is_held_out_name(name) or roles.is_training_name(name)):
        return False
    if not any(roles.is_held_out_name(n) or roles.is_training_name(n) for n in map(place, _rows_given(value)) if n):
        return False
    project = function.module.project
    return bool(Call(value, project.frame(function)).value.instance_of(DATASET, LOADER))


def find_parts_passed_twice(function: FunctionView) -> Iterator[tuple[Node, Node, str, Answer[bool]]]:
    """Calls that give one place to two parameters of the user's function, one for training and one for evaluation.

    Yields:
        The second argument, the first one, what is called, and how well it is known that they are training rows: what
        has no name for a part was called one by its author.
    """
    for call in function.scope.calls:
        for parameters in _twice(call):
            given = row_index(parameters[0]) or place(parameters[0]) or ""
            if topics.is_about(given, Topic.COUNTING) or _measures(call):
                continue
            if (
                roles.is_training_name(given)
                or topics.is_about(given, Topic.MAKING_DATA)
                or roles.speaks_of(given, Role.TRAINING_ROWS)
            ):
                for named in _parameters(call, function):
                    names = [named.get(id(node), "") for node in parameters]
                    unsaid = not roles.is_training_name(given) and not topics.is_about(given, Topic.MAKING_DATA)
                    if unsaid and not all(topics.is_about(n, Topic.MAKING_DATA) for n in names):
                        continue
                    if any(roles.is_training_name(n) for n in names) and any(roles.is_held_out_name(n) for n in names):
                        second = next(p for p, n in zip(parameters, names, strict=True) if roles.is_held_out_name(n))
                        first = next(p for p in parameters if p is not second)
                        unnamed = not roles.speaks_of(given, Role.TRAINING_ROWS)
                        yield second, first, last_name(call.func), proven_unless(unnamed, True)


def _measures(call: ast.Call) -> bool:
    """Is it named for measuring, and not for training: `ranking_eval(model, train_set=rows, test_set=rows)`?"""
    called = last_name(call.func)
    return not _MEASURING.isdisjoint(words(called)) and not (
        roles.is_training_name(called) or topics.is_about(called, Topic.ABOUT_TRAINING)
    )


def _project_trains(function: FunctionView) -> bool:
    """Is anything in the project trained? An inference may build what it needs of whatever is at hand."""
    return any(function.project.calls_named(word) for word in ("backward", "fit", "step", "train"))


def _twice(call: ast.Call) -> list[list[Node]]:
    """The places, and rows that an index chooses by its name, that a call is given more than once: its arguments."""
    found: dict[str, list[Node]] = {}
    if len(call.args) + len(call.keywords) < 2:
        return []
    for argument in (*call.args, *(k.value for k in call.keywords)):
        if isinstance(argument, (ast.Name, ast.Attribute)):
            found.setdefault(place(argument) or "", []).append(argument)
        elif isinstance(argument, ast.Subscript) and (index := row_index(argument)) is not None:
            found.setdefault(f"{place(argument.value)}[{index}]", []).append(argument)
    if len(found) == len(call.args) + len(call.keywords):
        return []  # mostly
    return [nodes for name, nodes in found.items() if name and len(nodes) > 1]


def _parameters(call: ast.Call, function: FunctionView) -> Iterator[dict[int, str]]:
    """For each of the user's functions that a call enters, the parameters that its arguments are and that it reads."""
    for callee in Call(call, function.frame).callees:
        if not callee.stubbed and (callee.name != "__init__" or _project_trains(function)):
            bound, _ = bind(callee, call, function.frame)
            given = {id(thing.node): name for name, thing in bound.items() if isinstance(thing, Passed)}
            yield {node: name for node, name in given.items() if is_read(name, callee)}


def reused_dataset(owner: ClassScope, name: str, other: str) -> Iterator[tuple[Node, str, str]]:
    """The dataset that two methods of a class read, and the part next to it that is never read.

    Args:
        owner: the class.
        name: the method that reads the wrong part.
        other: the method whose part it is.

    Yields:
        The dataset where the first method reads it, its place, and that of the unread part.
    """
    first, second = owner.methods.get(name), owner.methods.get(other)
    one, two = (_loaded_by(m, owner) for m in (first, second))
    used = place(one)
    if used is None or used != place(two) or "." not in used:
        return
    targets = [t for f in owner.methods.values() for t in _targets(f)]
    train = owner.methods.get("train_dataloader")
    divided = place(_loaded_by(train, owner))
    beside = [t for found in targets if divided in found for t in found if t != used and "." in t]
    bound = [t for found in targets for t in found]
    beside += [t for t in bound if "." in t and _is_counterpart(t, used)]
    spare = next(
        (t for t in beside if bound.count(t) == 1 and not any(is_read(t, f) for f in owner.methods.values())), None
    )
    if spare is not None and bound.count(used) == 1:
        yield one, used, spare


def _is_counterpart(one: str, other: str) -> bool:
    """Do two names differ in nothing but the part?"""
    rest = rest_of_name(one, *TRAINING, *HELD_OUT)
    return rest is not None and rest == rest_of_name(other, *TRAINING, *HELD_OUT) and one != other


def _loaded_by(method: FunctionScope | None, owner: ClassScope) -> Node:
    """The dataset of the one loader that a method returns, or that another method of its class builds for it of what it
    is given: `return self.loader(self.val_set)`."""
    made = method.returns[0].value if method is not None and len(method.returns) == 1 else None
    if not isinstance(made, ast.Call) or not (place(made.func) or "").startswith("self."):
        return dataset_in(made)
    builder = owner.methods.get(last_name(made.func))
    if builder is None or builder is method or len(builder.returns) != 1:
        return None
    rows = dataset_in(builder.returns[0].value)
    names = [p.name for p in builder.parameters[1:]]
    if not isinstance(rows, ast.Name) or rows.id not in names:
        return None
    at = names.index(rows.id)
    given = [k.value for k in made.keywords if k.arg == rows.id]
    return made.args[at] if len(made.args) > at else next(iter(given), None)


def _targets(method: FunctionScope) -> Iterator[list[str]]:
    """The places that one statement binds together: `self.train, self.val = random_split(...)`."""
    for statement in statements(method):
        for target, _ in assigned_pairs(statement):
            if isinstance(target, (ast.Tuple, ast.List)):
                yield [place(t) or "" for t in target.elts]
            elif place(target) is not None:
                yield [place(target) or ""]


def words_around(call: ast.Call, function: FunctionScope, *entries: str) -> str:
    """The names and texts of the innermost statement around a call, but for the call and keys of some entries."""
    statement = statement_of(call, function)
    names = [n.id for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    texts = [n.value for n in walk(statement) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return " ".join((*names, *(t for t in texts if not any(repr(t) in e for e in entries)))).lower()


def statement_of(call: ast.Call, function: FunctionScope) -> Node:
    """The innermost statement around a call; the call itself where there is none."""
    around = (s for s in statements(function) if is_within(call, s))
    return [call, *(s for s in around if any(n is call for n in walk(s)))][-1]


def entry(node: Node, own: tuple[Role, ...], frame: Frame, other: tuple[Role, ...]) -> tuple[str, str] | None:
    """The entry that `loaders["train"]` reads, and the unread one for another part of the same dictionary."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
        return None
    key, base = node.slice.value, place(node.value)
    if not isinstance(key, str) or base is None or rest_of_name(key, *own) is None:
        return None
    table = evaluate(node.value, frame)
    if not isinstance(table, MappingValue) or all(_is_words(value) for value in table.entries.values()):
        return None
    uses = [n for s in frame.function.body for n in walk(s)]
    subscripts = [n for n in uses if isinstance(n, ast.Subscript)]
    keyed = {id(n.value) for n in subscripts if isinstance(n.slice, ast.Constant) or isinstance(n.ctx, ast.Store)}
    if any(place(n) == base and id(n) not in keyed and isinstance(getattr(n, "ctx", None), ast.Load) for n in uses):
        return None
    for word in table.entries:
        spare = f"{base}[{word!r}]"
        if (
            isinstance(word, str)
            and rest_of_name(word, *other) == rest_of_name(key, *own)
            and not is_read(spare, frame.function)
        ):
            return f"{base}[{key!r}]", spare
    return None


def _is_words(value: Value) -> bool:
    """Is it text or numbers, or a list of them, and no data: names of metrics, counts?"""
    return isinstance(value, LiteralValue) or (
        isinstance(value, SequenceValue) and all(_is_words(part) for part in value.parts)
    )


def has_training_call(names: Iterable[str]) -> bool:
    return not _TRAINING_CALLS.isdisjoint(names)


def find_training_on_held_out(node: Node, frame: Frame) -> tuple[str, str] | None:
    """A held-out loader in what a training loop iterates over (or was given), and the unread training loader."""
    function = frame.function
    for inner in walk(node):
        if (found := entry(inner, HELD_OUT, frame, TRAINING)) is not None:
            return found
        name = place(inner) if isinstance(inner, (ast.Name, ast.Attribute)) else None
        if name and roles.is_held_out_name(name) and topics.is_about(name, Topic.HOLDING_ROWS):
            spare = next(unread_counterparts(name, HELD_OUT, function, TRAINING), None)
            if spare is not None:
                return name, spare
    return None


def find_unused_training_loader(node: Node, frame: Frame, looped: set[str]) -> tuple[str, str] | None:
    """A held-out loader that a training loop goes through, and the training loader that no training loop goes through.

    Args:
        node: what the loop goes through.
        frame: its context.
        looped: the last names of what all training loops go through.
    """
    name = place(iterable_of(node))
    if not name or not roles.is_held_out_name(name) or not topics.is_about(name, Topic.LOADING):
        return None
    wanted = rest_of_name(name, *HELD_OUT)
    owner = frame.function.owner
    for function in (frame.function, frame.module.body, *(owner.methods.values() if owner is not None else ())):
        for found in function.bindings:
            if rest_of_name(found, *TRAINING) == wanted is not None and found.rpartition(".")[2] not in looped:
                if not any(
                    _is_trained_on(found, f) for f in frame.module.functions if not isinstance(f.node, ast.Lambda)
                ):
                    return name, found
    return None


def _is_trained_on(name: str, function: FunctionScope) -> bool:
    """Is there a loop over a loader that trains, be it in a branch that a constant switches off?"""
    loops = [s for s in statements(function) if isinstance(s, ast.For) and place(iterable_of(s.iter)) == name]
    return any(has_training_call([last_name(n.func) for n in walk(s) if isinstance(n, ast.Call)]) for s in loops)


def data_given_to_trainer(call: Call) -> tuple[Argument | None, Argument | None]:
    """The training and the evaluation data that a framework's trainer is given."""
    if call.last_name != "fit" and not call.last_name.endswith("Trainer"):
        return None, None
    validation, rows = call.argument("validation_data"), call.argument("x")
    if validation is not None and rows is not None and isinstance(validation.node, ast.Tuple) and place(rows.node):
        given = validation.node.elts[0] if validation.node.elts else None
        if given is not None and (place(given) == place(rows.node) or share_rows(rows.node, given)):
            return (None, None) if _refits(call) else (rows, validation)
    if validation is not None and rows is not None and place(rows.node) and rows.text == validation.text:
        return (None, None) if _refits(call) else (rows, validation)
    early, watched = _watched(call)
    if watched is not None:
        return early, watched
    pairs = (("train_dataset", "eval_dataset"), ("train_dataloaders", "val_dataloaders"))
    for first, second in pairs:
        train, evaluation = call.argument(first), call.argument(second)
        if train is not None and evaluation is not None and place(train.node):
            chosen = _chosen_of(evaluation.node)
            if train.text == (evaluation.text if chosen is None else text(call.module, chosen)):
                return (None, None) if never_evaluates(call) else (train, evaluation)
    return None, None


def _chosen_of(rows: Node) -> Node:
    """What some rows are chosen of: `rows` of `rows.shuffle().select(range(100))`; None of anything else."""
    chosen = False
    while isinstance(rows, ast.Call) and isinstance(rows.func, ast.Attribute) and rows.func.attr in _CHOOSING:
        rows, chosen = rows.func.value, True
    return rows if chosen else None


def _watched(call: Call) -> tuple[Argument | None, Argument | None]:
    """The rows that boosting is fitted on, if they alone are watched to stop early."""
    watched, rows = call.argument("eval_set"), call.argument("X")
    if watched is not None and rows is not None and _stops_early(call):
        pair = watched.node.elts[0] if isinstance(watched.node, ast.List) and len(watched.node.elts) == 1 else None
        if isinstance(pair, ast.Tuple) and pair.elts and text(call.module, pair.elts[0]) == rows.text:
            return rows, watched
    return None, None


def _stops_early(call: Call) -> bool:
    """Is the fit told to stop early, here or where the estimator was built?"""
    if "early_stopping" not in getattr(call.module.source, "text", ""):
        return False
    receiver = call.receiver
    if call.is_open or receiver is None or receiver.built_with is None or receiver.built_with.open:
        return True
    words = [k.arg or "" for c in call.function.calls for k in c.keywords]
    words += [k.arg or "" for k in getattr(receiver.built_with.node, "keywords", ())]
    return any("early_stopping" in word for word in words)


def _refits(call: Call) -> bool:
    """Is it the last fit, on all rows, after one that was validated on others? Nobody reads what it says of itself."""
    if not call.is_statement or call.is_open or call.argument("callbacks") is not None:
        return False
    for node, _ in call.module.calls_by_name.get("fit", ()):
        given = {k.arg: k.value for k in node.keywords}.get("validation_data")
        if isinstance(given, ast.Tuple) and given.elts and node.args and node is not call.node:
            if text(call.module, given.elts[0]) != text(call.module, node.args[0]):
                return True
    return False
