"""Were the labels of a causal model shifted before the model shifts them?

    model(input_ids=ids[:, :-1], labels=ids[:, 1:])                 # `find_shifted_labels`: once more than it should be

    def __getitem__(self, index):                                        # rows of a dataset that are shifted,
        return {"input_ids": block[:-1], "labels": block[1:]}            # wherever the model is given them:
    model(**batch)                                                       # here,
    Trainer(model=model, train_dataset=rows)                             # or here
    Trainer(model=model, data_collator=collate)                          # or batches that a collator shifts

Two expressions are such a pair if they are cut out of one thing, the second one place later, or out of ids and labels
of their own, the last of one and the first of the other left out. They are followed through names, copies, tensors that
are made of them, and functions that give both. Rows are recognised by their keys, or as the two parts of what a dataset
gives: if all rows of a program that have labels are shifted, so are those of its model. A collator that writes the
labels itself takes none from the rows, and a trainer with a loss of its own may want them so; so may a program that
takes the labels out of its rows, or reads no loss of the model (`given_labels`). A model of one's own may shift its
labels, too (`own_shifts`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Argument, Call, FunctionView
from mllint.semantics.libraries.classes import DATASET, TRAINER
from mllint.semantics.libraries.tensor_methods import MAKES, SAME_ENTRIES
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import Binding
from mllint.semantics.syntax.names import bound_at, bound_expression
from mllint.semantics.syntax.nodes import Node, is_within, iterable_of, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.finetuning import own_shifts
from mllint.semantics.training.finetuning.given_labels import keeps_labels, may_read_loss
from mllint.semantics.training.finetuning.tokens import BUILDING, CAUSAL, has_label_writing_collator
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.bases import ancestors
from mllint.semantics.values.classes import method
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins, results_of, statements
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue

__all__ = ["Shifted", "find_shifted_labels", "may_shift", "writes_unshifted_labels"]

_MAKING = MAKES | {"stack", "list"}
_SMALL = 100  # files
_CALLS = 3
"""How many functions are followed that return what the next one gives."""


class Shifted(NamedTuple):
    """Labels that are shifted twice.

    Attributes:
        site: where the model, or its trainer, is given them.
        model: what is called.
        shifted: where they are shifted by hand.
    """

    site: Site
    model: str
    shifted: Site


def may_shift(function: FunctionView) -> bool:
    """A cheap look: may a function give labels to models that shift them?"""
    project = function.project
    near = id(function.module) in project.reach.near(tuple(BUILDING.split()))
    return own_shifts.any_shifts(project) or (near and _may_have_causal_models(project))


def find_shifted_labels(call: Call) -> Shifted | None:
    """Labels that a call gives to a causal model, or to the trainer of one, although they were shifted already."""
    own = own_shifts.given_labels(call)
    if own is not None:
        found, at = _labels_shifted(*own, call)
        return Shifted(call.at(at), call.name, found) if found is not None else None
    if not _gives_labels(call) or not _may_have_causal_models(call.project):
        return None
    handed = _hands_on(call)
    if handed is not None:
        found, at = _labels_of_model(handed)
        at = next((a.node for a in call.arguments if found is not None and is_within(found.node, a.node)), call.node)
    elif call.module_run.instance_of(CAUSAL):
        found, at = _labels_of_model(call)
        found = found if may_read_loss(call) else None
    elif _trains_causal(call):
        found, at = _labels_of_rows(call), call.node
    else:
        return None
    return Shifted(call.at(at), call.name, found) if found is not None else None


def _hands_on(call: Call) -> Call | None:
    """The call of a causal model to which a module of one's own hands on what it is given: `self(ids, labels=ids)`."""
    if not isinstance(call.callee, InstanceValue) or call.module_run.instance_of(CAUSAL):
        return None
    for inner in inner_frames(call.node, call.frame):
        for node in inner.function.calls:
            view = Call(node, inner)
            if any(k.arg == "labels" for k in node.keywords) and view.module_run.instance_of(CAUSAL):
                return view if may_read_loss(view) else None
    return None


def _gives_labels(call: Call) -> bool:
    """A cheap look: are there labels, rows of them, or something with any keys?"""
    return any(k.arg in ("labels", "train_dataset", "data_collator", None) for k in call.node.keywords)


@cached()
def _may_have_causal_models(project: Project) -> bool:
    """Is a class of such models named in a project? Of a small one, other files may be read than are checked."""
    modules = project.modules
    return len(modules) <= _SMALL or any(m.source.holds(word) for m in modules for word in ("CausalLM", "LMHead"))


def _trains_causal(call: Call) -> bool:
    """Does a call build a trainer, with its usual loss, of a causal model?"""
    model, trainer = call.argument("model"), call.value
    if model is None or not isinstance(trainer, InstanceValue) or not trainer.instance_of(TRAINER):
        return False
    loss = method(trainer.cls, "compute_loss")
    return (loss is None or loss.stubbed) and model.value.instance_of(CAUSAL)


def _labels_of_model(call: Call) -> tuple[Site | None, Node]:
    ids, labels = call.first("input_ids"), call.argument("labels")
    if ids is not None and labels is not None:
        return _labels_shifted(ids, labels, call)
    if labels is None:
        return (_labels_of_rows(call) if call.is_open and keeps_labels(call) else None), call.node
    return (
        _labels_of_rows(call) if _is_labels_entry(_unmoved(Origin(labels.node, call.frame)).node) else None
    ), labels.node


def _labels_shifted(ids: Argument, labels: Argument, call: Call) -> tuple[Site | None, Node]:
    """Where labels are shifted against the ids that a call gives with them, and the labels."""
    for first, second in _pairs(ids.node, labels.node, call.frame):
        if _is_later(first, second):
            return second.site, labels.node
    drawn = _drawn_together(ids.node, labels.node, call.frame)
    if drawn is not None and (drawn[0].path[-1], drawn[1].path[-1]) == (0, 1):
        return _shifted_by_datasets(call.project), labels.node
    if drawn is not None:
        return _shifted_columns(drawn, call.frame), labels.node
    return (
        _labels_of_rows(call) if _is_labels_entry(_unmoved(Origin(labels.node, call.frame)).node) else None
    ), labels.node


def _labels_of_rows(call: Call) -> Site | None:
    if has_label_writing_collator(call):
        return None
    return _shifted_by_collator(call) or _shifted_by_rows(call.project)


def _shifted_by_collator(call: Call) -> Site | None:
    """Where the collator of the user's that a trainer is given shifts the labels of its batches."""
    given = call.argument("data_collator")
    if given is None:
        return None
    collator = given.value
    function = method(collator.cls, "__call__") if isinstance(collator, InstanceValue) else collator.function
    rows = list(_rows(call.project.frame(function))) if function is not None and not function.stubbed else []
    return rows[0][1].site if rows and all(_is_later(*row) for row in rows) else None


# --------------------------------------------------------------------------------------------------------------- pairs
def _pairs(ids: Node, labels: Node, frame: Frame) -> Iterator[tuple[Origin, Origin]]:
    """What ids and labels are, also where a function gives both: `x, y = draw(batch)`."""
    first, second = _unmoved(Origin(ids, frame)), _unmoved(Origin(labels, frame))
    yield first, second
    both = [bound_at(o.node, frame.function) for o in (first, second)]
    if all(len(found) == 1 and found[0].kind == "assign" for found in both):
        one, other = both[0][0], both[1][0]
        if one.value is other.value and (one.path, other.path) == ((0,), (1,)):
            for pair, inner in _returned_pairs(one.value, frame, _CALLS):
                yield _unmoved(Origin(pair.elts[0], inner)), _unmoved(Origin(pair.elts[1], inner))
    if all([b.kind for b in found] == ["param"] for found in both):
        yield from _handed_pairs(both[0][0].name, both[1][0].name, frame)


def _handed_pairs(ids: str, labels: str, frame: Frame) -> Iterator[tuple[Origin, Origin]]:
    """What the callers of a function hand in for ids and labels that are parameters: `self(x[:, :-1], labels=x[:, 1:])`
    of `def forward(self, x, labels)`."""
    for call, outer in frame.project.callers(frame.function):
        given = bind(frame.function, call, outer)[0]
        one, other = given.get(ids), given.get(labels)
        if isinstance(one, Passed) and isinstance(other, Passed):
            yield _unmoved(Origin(*one)), _unmoved(Origin(*other))


def _returned_pairs(node: Node, frame: Frame, depth: int) -> Iterator[tuple[ast.Tuple, Frame]]:
    """The pairs that functions return for the expression `node`, also where a caller hands over what they give:
    `loss_of(model, stream.draw())`.

    Args:
        node: the expression that is unpacked.
        frame: its context.
        depth: how many functions may each return what the next one gives.
    """
    for origin in origins(node, frame, through=lambda o: isinstance(o.node, ast.Name)):
        if not isinstance(origin.node, ast.Call):
            continue
        for returned, inner in results_of(origin.node, origin.frame):
            if isinstance(returned, ast.Tuple) and len(returned.elts) == 2:
                yield returned, inner
            elif depth:
                yield from _returned_pairs(returned, inner, depth - 1)


def _unmoved(origin: Origin) -> Origin:
    """What an expression is without names, copies, and tensors made of it; what a call hands in, for a parameter."""
    node, frame = origin.node, origin.frame
    for _ in range(8):
        passed = _passed(node, frame)
        inner = passed.node if passed is not None else _beneath(node, frame)
        if inner is None:
            break
        node, frame = inner, passed.frame if passed is not None else frame
    return Origin(node, frame)


def _passed(node: Node, frame: Frame) -> Passed | None:
    """What the call that entered a function hands in for a parameter."""
    found = bound_at(node, frame.function) if isinstance(node, ast.Name) else ()
    given = (frame.bound or {}).get(node.id) if [b.kind for b in found] == ["param"] else None
    return given if isinstance(given, Passed) else None


def _beneath(node: Node, frame: Frame) -> Node:
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in SAME_ENTRIES:
            return inner
        case ast.Call(args=[inner, *_]) if last_name(node.func) in _MAKING:
            return inner
        case ast.Name():
            found = bound_at(node, frame.function)
            return bound_expression(found[0]) if len(found) == 1 and found[0].kind == "assign" else None
    return None


def _is_later(first: Origin, second: Origin) -> bool:
    """Is the second cut out of what the first is cut out of, one place later?"""
    if first.frame.function is not second.frame.function:
        return False
    one, other = first.node, second.node
    if isinstance(one, ast.ListComp) and isinstance(other, ast.ListComp):
        alike = [ast.dump(n) for n in one.generators] == [ast.dump(n) for n in other.generators]
        return alike and _cut_later(one.elt, other.elt, first.frame)
    return _rolled(other) == ast.dump(one) or _cut_later(one, other, first.frame)


def _cut_later(one: Node, other: Node, frame: Frame) -> bool:
    cuts = [_cut(_unmoved(Origin(n, frame)).node) for n in (one, other)]
    if cuts[0] is None or cuts[1] is None or cuts[0].dimensions != cuts[1].dimensions:
        return False
    if cuts[0].tokens != cuts[1].tokens:
        return _leaves_out_last(cuts[0].part) and _leaves_out_first(cuts[1].part)
    begins, later = cuts[0].part.lower, cuts[1].part.lower
    if begins is None or getattr(begins, "value", None) == 0:
        return evaluate(later, frame).literal == 1 if later is not None else False
    match later:
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=1)):
            return ast.dump(left) == ast.dump(begins)
    return False


def _leaves_out_last(part: ast.Slice) -> bool:
    return part.lower is None and ast.dump(part.upper or part) == ast.dump(ast.UnaryOp(ast.USub(), ast.Constant(1)))


def _leaves_out_first(part: ast.Slice) -> bool:
    return part.upper is None and isinstance(part.lower, ast.Constant) and part.lower.value == 1


class _Cut(NamedTuple):
    """A slice of the last dimension: of which tokens, with which indices before it."""

    tokens: str
    dimensions: list[str]
    part: ast.Slice


def _cut(node: Node) -> _Cut | None:
    """The slice of the last dimension that a node is; ids and labels of one batch are the same tokens."""
    if not isinstance(node, ast.Subscript):
        return None
    *before, last = node.slice.elts if isinstance(node.slice, ast.Tuple) and node.slice.elts else [node.slice]
    if not isinstance(last, ast.Slice) or last.step is not None:
        return None
    tokens = ast.dump(node.value)
    if _is_labels_entry(node.value):
        tokens = tokens.replace("'labels'", "'input_ids'")
    return _Cut(tokens, [ast.dump(n) for n in before], last)


def _rolled(node: Node) -> str | None:
    """What `torch.roll(ids, -1, dims=1)` or `ids.roll(-1)` moves by one place to the front."""
    match node:
        case ast.Call(func=ast.Attribute(attr="roll", value=owner), args=args, keywords=keywords):
            whole, *more = args if len(args) > 1 or not args else [owner, *args]
            steps = [*more[:1], *(k.value for k in keywords if k.arg == "shifts")]
            if steps and ast.dump(steps[0]) == ast.dump(ast.UnaryOp(ast.USub(), ast.Constant(1))):
                return ast.dump(whole)
    return None


# ---------------------------------------------------------------------------------------------------------------- rows
def _is_labels_entry(node: Node) -> bool:
    """Is it `batch["labels"]`, `batch.labels` or `batch.pop("labels")`?"""
    match node:
        case ast.Subscript(slice=ast.Constant(value="labels")) | ast.Attribute(attr="labels"):
            return True
        case ast.Call(func=ast.Attribute(attr="get" | "pop"), args=[ast.Constant(value="labels"), *_]):
            return True
    return False


@cached()
def _shifted_by_rows(project: Project) -> Site | None:
    """Where the rows of a program that have labels are shifted, all of them."""
    rows = [row for m in project.modules if not m.is_stub for f in m.functions for row in _rows(project.frame(f))]
    return rows[0][1].site if rows and all(_is_later(*row) for row in rows) else None


@cached()
def writes_unshifted_labels(project: Project) -> bool:
    """Does a program write rows with labels, and nowhere there a part from the second place on, or what is rolled?"""
    writing = [f for m in project.modules if not m.is_stub for f in m.functions if any(_rows(project.frame(f)))]
    called = [e for f in writing for c in f.calls for e in Call(c, project.frame(f)).callees if not e.stubbed]
    return bool(writing) and not any(_may_shift(node) for f in (*writing, *called) for node in walk(f.node))


def _may_shift(node: Node) -> bool:
    match node:
        case ast.Slice(lower=ast.Constant(value=1) | ast.BinOp(op=ast.Add(), right=ast.Constant(value=1))):
            return True
        case ast.Call():
            return last_name(node.func) in ("roll", "shift_tokens_right")
    return False


def _rows(frame: Frame) -> Iterator[tuple[Origin, Origin]]:
    """The ids and labels of the rows that a function writes: `{"input_ids": x, "labels": y}`, `row["labels"] = y`."""
    stored: dict[str | None, dict[str, Node]] = {}
    for statement in statements(frame.function):
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=row, slice=ast.Constant(value=str(key)))], value=value):
                stored.setdefault(place(row), {})[key] = value
        if hasattr(statement, "body"):
            continue
        for node in walk(statement):
            if isinstance(node, ast.Dict):
                yield from _written_row(node, frame)
    for entries in stored.values():
        yield from _row(entries, frame)


def _written_row(node: ast.Dict, frame: Frame) -> Iterator[tuple[Origin, Origin]]:
    pairs = zip(node.keys, node.values, strict=True)
    return _row({k.value: v for k, v in pairs if isinstance(k, ast.Constant)}, frame)


def _row(entries: dict[Node, Node], frame: Frame) -> Iterator[tuple[Origin, Origin]]:
    if "labels" in entries:
        ids = entries.get("input_ids", entries["labels"])
        yield _unmoved(Origin(ids, frame)), _unmoved(Origin(entries["labels"], frame))


def _drawn_together(ids: Node, labels: Node, frame: Frame) -> tuple[Binding, Binding] | None:
    """The parts of what a loop or `next` draws that two names are: `for x, y in loader`."""
    nodes = [_unmoved(Origin(n, frame)).node for n in (ids, labels)]
    found = [bound_at(n, frame.function) for n in nodes]
    if not all(len(bindings) == 1 and bindings[0].path for bindings in found):
        return None
    one, other = found[0][0], found[1][0]
    drawn = one.kind == "for" or last_name(getattr(one.value, "func", None)) == "next"
    return (one, other) if drawn and one.value is other.value else None


def _shifted_columns(drawn: tuple[Binding, Binding], frame: Frame) -> Site | None:
    """Where encoded rows are shifted whose columns they are: `TensorDataset(rows["input_ids"], rows["labels"])`."""
    for loader in _calls_of(iterable_of(drawn[0].value), frame, "DataLoader"):
        given = loader.first("dataset")
        if given is None:
            continue
        for made in _calls_of(given.node, given.frame, "TensorDataset"):
            ids, labels = (_part(made.node.args, b.path[-1]) for b in drawn)
            if _is_labels_entry(labels) and isinstance(ids, ast.Subscript):
                owners = origins(labels.value, made.frame)
                rows = [r for o in owners if isinstance(o.node, ast.Dict) for r in _written_row(o.node, o.frame)]
                return rows[0][1].site if rows and all(_is_later(*row) for row in rows) else None
    return None


def _calls_of(node: Node, frame: Frame, name: str) -> Iterator[Call]:
    """The calls of a last name that an expression was computed from."""
    for origin in origins(node, frame):
        if isinstance(origin.node, ast.Call) and last_name(origin.node.func) == name:
            yield Call(origin.node, origin.frame)


def _part(nodes: list[Node], place: int | None) -> Node:
    return nodes[place] if place is not None and place < len(nodes) else None


@cached()
def _shifted_by_datasets(project: Project) -> Site | None:
    """Where the datasets of a program shift their second part against the first, all of them."""
    classes = [c for m in project.modules if not m.is_stub for c in m.classes if DATASET in ancestors(c)]
    given = [c.methods["__getitem__"] for c in classes if "__getitem__" in c.methods]
    rows = [(r.value, project.frame(f)) for f in given for r in f.returns]
    found: list[Site] = []
    for node, frame in rows:
        if not isinstance(node, ast.Tuple) or len(node.elts) != 2:
            return None
        first, second = (_unmoved(Origin(n, frame)) for n in node.elts)
        if not _is_later(first, second):
            return None
        found.append(second.site)
    return found[0] if found else None
