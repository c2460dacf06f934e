"""What is trained on held-out rows: by a loop over them, or by the fit of an estimator that is then measured on them?

    for x, y in test_loader: ...; optimizer.step()    # held out by provenance, while a training part exists
    search.fit(X); search.score(X_test)               # all rows, those that were held out among them

A loop over held-out rows may be right: a tensor that is fitted to a finished model, a loop for which nothing else was
ever divided off. So is a fit on everything, of a model that goes out. Names alone never accuse: next to the name stands
a second fact: the same optimizer trains on the training loader too, and the model is in eval mode, or another loop
measures there, or both loaders go through the same loop in each epoch, of which only the other one shuffles. In a
fragment, which binds the loader nowhere, the name and the labels that the loss is given are all that can be known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, Forward, SetsMode
from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.libraries.classes import LOADER, MODULE, OPTIMIZER
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at, reaching
from mllint.semantics.syntax.nodes import (
    Node,
    all_arguments,
    assigned_pairs,
    iterable_of,
    last_name,
    mentions_place,
    place,
    walk,
)
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.syntax.unbound import is_unbound
from mllint.semantics.training import roles
from mllint.semantics.training.roles import Role, rest_of_name
from mllint.semantics.training.rows.learned import SEARCHES, steps_of
from mllint.semantics.training.rows.splits import rows_name
from mllint.semantics.training.rows.usage import HELD_OUT, TRAINING
from mllint.semantics.training.rows.whole_fits import find_fits_on_whole
from mllint.semantics.values.classes import constructor_argument, stub_effect
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import Origin, bindings_of, origins, part_at, resolve_name, statements, targets_of
from mllint.semantics.values.values import InstanceValue, ManyValue, MappingValue, SequenceValue, Site, Value

__all__ = [
    "StepOnHeldOut", "callees", "find_fits_on_both_parts", "find_joined_training_part", "find_scores_on_fitted_rows",
    "find_steps_on_held_out", "has_training_part", "is_calibration_fit", "is_fit_overwritten", "is_named_held_out",
    "is_predictor", "is_transform_call", "may_be_model_or_optimizer", "may_learn_from_test_part", "phase", "table",
    "trains_a_model", "where_chosen",
]  # fmt: skip

_JOINS = ("concat", "concatenate", "vstack", "hstack", "append", "r_")
_PREDICTS = ("predict", "predict_proba", "decision_function", "score")
_MEASURES = (*_PREDICTS, "evaluate")
_SCORES = frozenset("predict predict_proba predict_log_proba decision_function".split())
_FITS = ("fit", "fit_transform", "partial_fit", "load_model", "load")
_SPLITS = ("train_test_split", "random_split", "split", "train_valid_split")
_TAKES = ("drop", "to_numpy")


def phase(step: Event) -> str | None:
    """The word by which the batch loop around a step chooses its loader."""
    run = next((r for r in reversed(step.loops) if r.iterates is not None), None)
    node = iterable_of(run.node.iter) if run is not None else None
    if run is None or not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Constant):
        return None
    word = evaluate(node.slice, run.frame).literal
    return word if isinstance(word, str) else None


def where_chosen(loop: Origin) -> Origin:
    """The loader as the outermost caller names it: where the choice was made."""
    if not loop.frame.bound:
        return loop
    outside = [o for o in origins(loop.node, loop.frame) if o.frame is not loop.frame and place(o.node) is not None]
    return next((o for o in reversed(outside) if o.value.instance_of(LOADER)), loop)


def may_be_model_or_optimizer(made: Value) -> bool:
    """Is it a model or an optimizer, or may it be one, and no context or meter of a library?"""
    known = bool(made.classes) and all(cls.module.is_stub for cls in made.classes)
    return not known or made.may_be_instance_of(MODULE, OPTIMIZER)


def trains_a_model(step: Event) -> bool:
    """Does the optimizer hold the parameters of a module, and not a tensor or two that are fitted to a finished one?"""
    for optimizer in step.subject.alternatives:
        params = constructor_argument(optimizer, "params")
        if params is not None and not any(_may_be_parameters(v) for v in params.alternatives):
            return False
    return True


def _may_be_parameters(value: Value, depth: int = 3) -> bool:
    """Is something parameters of a module, or unknown: itself, or a part of the list or the group that it is? A list
    in which nothing is seen was filled where nobody looks."""
    if value.is_unknown or value.has("Parameters"):
        return True
    if not depth or not isinstance(value, (MappingValue, SequenceValue, ManyValue)):
        return False
    parts = (
        [p for k, p in value.entries.items() if k == "params"] if isinstance(value, MappingValue) else value.contents
    )
    return not parts or any(_may_be_parameters(v, depth - 1) for part in parts for v in part.alternatives)


def has_training_part(flow: Flow, loader: Value) -> bool:
    """Is there a training part that this loop could have read instead: a split gave one, or another dataset is one, or
    the held-out data goes by the name of training data?"""
    sites = [r.site for r in loader.all_provenance if r.site is not None]
    if any(effect_of(f, "splits") for s in sites if isinstance(s.node, ast.Call) for f in callees(s, flow)):
        return True
    if sites and all(_is_named_training(s) for s in sites):
        return True
    modules = {id(m): m for m in (flow.root.module, *(s.module for s in sites))}
    calls = [node for m in modules.values() for found in m.calls_by_name.values() for node, _ in found]
    return any(_chooses_training(k) for node in calls for k in node.keywords)


def _is_named_training(site: Site) -> bool:
    """Is what is built there bound to a name that says that it is trained on?"""
    for function in site.module.functions:
        if isinstance(function.node, ast.Lambda):
            continue
        for statement in statements(function):
            pairs = [(t, v) for t, v in assigned_pairs(statement) if any(n is site.node for n in walk(v))]
            if pairs:
                return all(roles.is_training_name(place(t)) for t, _ in pairs)
    return False


def _chooses_training(keyword: ast.keyword) -> bool:
    if not isinstance(keyword.value, ast.Constant):
        return False
    value = keyword.value.value
    return value is True if keyword.arg == "train" else keyword.arg == "split" and value == "train"


def callees(site: Site, flow: Flow) -> list[FunctionScope]:
    """The functions that the call at a site enters."""
    return list(Call(site.node, flow.frame.project.frame(site.module.body)).callees)


class StepOnHeldOut(NamedTuple):
    """A step over held-out data: its loop, where the loader is chosen, its name, and whether the same loop trains."""

    step: Event
    run: LoopRun
    chosen: Site
    name: str
    is_shared: bool


def find_steps_on_held_out(flow: Flow) -> Iterator[StepOnHeldOut]:
    """The steps over data that go by the name of held-out data, where a second fact says that they should not be."""
    steps = [(step, *_source(step)) for step in flow.events(AppliesGrad)]
    for step, run, chosen in steps:
        name = _name_of(chosen)
        if run is None or not _is_of(HELD_OUT, chosen) or not _holds_rows(name):
            continue
        beside = [
            r
            for t, r, other in steps
            if r is not None and _is_of(TRAINING, other) and t.subject.same_as(step.subject) is True
        ]
        shared = [r for r in beside if r.node is run.node]
        if shared and any(map(_may_tell_parts_apart, step.conditions)):
            continue
        found = StepOnHeldOut(step, run, chosen or step.site, name, bool(shared))
        in_turn = any(_shuffles(r) and _is_in_same_epoch(r, run) for r in shared)
        elsewhere = bool(beside) and _is_looped_over_elsewhere(run, name, flow)
        if (in_turn or elsewhere) and _is_unshuffled_loader(run):
            yield found
        else:
            alone = is_unbound(iterable_of(run.node.iter), run.frame.module) and not _speaks_of_training(run)
            if _unpacks_labels(run) and (_in_eval_mode(step, flow) if beside else alone):
                yield found


def _is_of(part: Sequence[Role], chosen: Site | None) -> bool:
    """Does the name of what a loop draws from speak of a part of the rows, or the key: `loaders["val"]`?"""
    name = _name_or_key(iterable_of(chosen.node)) if chosen is not None else None
    return roles.rows_by_name(name) in part


def _holds_rows(name: str) -> bool:
    """Does a name say that something holds rows: `val_loader`, `loaders["val"]`?"""
    return any(topics.is_about(part, Topic.HOLDING_ROWS) for part in (name, name.partition("[")[0]))


def _may_tell_parts_apart(condition: tuple[Node, bool, Frame]) -> bool:
    """May a test come out otherwise for held-out data: is its answer unknown, and not one about the iteration?"""
    test, _, frame = condition
    if evaluate(test, frame).truth is not None:
        return False
    named = [frame.function.bindings.get(n.id, ()) for n in walk(test) if isinstance(n, ast.Name)]
    return not any(b.kind == "for" for found in named for b in found)


def _source(step: Event) -> tuple[LoopRun | None, Site | None]:
    """The innermost loop around a step that draws from something with a name, and where this is chosen: in the
    outermost caller, if the loop is that of a function for several parts."""
    for run in reversed(step.loops):
        if isinstance(run.node, ast.For) and place(iterable_of(run.node.iter)):
            chosen = where_chosen(Origin(run.node.iter, run.frame))
            return run, Site(chosen.frame.module, chosen.node)
    return None, None


def _name_of(chosen: Site | None) -> str:
    """The name of what a loop draws from, where it is chosen."""
    return (place(iterable_of(chosen.node)) if chosen is not None else None) or ""


def _shuffles(run: LoopRun) -> bool:
    """Is it a loader that is seen to shuffle, as those of training data are built?"""
    loader = evaluate(iterable_of(run.node.iter), run.frame)
    built = [constructor_argument(v, "shuffle") for v in loader.alternatives]
    return loader.instance_of(LOADER) and all(s is not None and s.truth for s in built)


def _is_in_same_epoch(first: LoopRun, second: LoopRun) -> bool:
    """Are two loops reached from one iteration of the same loop?"""
    return bool(first.outer) and first.outer == second.outer


def _is_unshuffled_loader(run: LoopRun) -> bool:
    """Is it a loader that is seen not to shuffle, as those of held-out data are built?"""
    loader = evaluate(iterable_of(run.node.iter), run.frame)
    built = [constructor_argument(v, "shuffle") for v in loader.alternatives]
    return loader.instance_of(LOADER) and all(s is None or s.truth is False for s in built)


def _is_looped_over_elsewhere(run: LoopRun, name: str, flow: Flow) -> bool:
    """Does another loop of the same function go through it, and train nothing?"""
    others = (r for r in flow.runs if r.node is not run.node and r.frame.function is run.frame.function)
    same = [r for r in others if isinstance(r.node, ast.For) and place(iterable_of(r.node.iter)) == name]
    trains = list(flow.events(AppliesGrad, AccumulatesGrad))
    return any(not any(r in e.loops for e in trains) and any(r in f.loops for f in flow.events(Forward)) for r in same)


def _unpacks_labels(run: LoopRun) -> bool:
    """Does the loop unpack inputs and labels, and give the labels to some call, as a loss is given them?"""
    target = run.node.target
    pairs = [n for n in walk(target) if isinstance(n, ast.Tuple)]
    names = [e.id for e in (pairs[-1].elts if pairs else ()) if isinstance(e, ast.Name)]
    calls = [n for s in run.node.body for n in walk(s) if isinstance(n, ast.Call)]
    given = {n.id for c in calls for a in c.args[1:] for n in walk(a) if isinstance(n, ast.Name)}
    return len(names) > 1 and names[-1] in given


def _speaks_of_training(run: LoopRun) -> bool:
    """Does the file name anything for training data, and not only a call of `train`?"""
    nodes = list(walk(run.frame.module.body.node))
    called = {id(n.func) for n in nodes if isinstance(n, ast.Call)}
    return any(
        isinstance(n, (ast.Name, ast.Attribute)) and id(n) not in called and roles.is_training_name(place(n))
        for n in nodes
    )


def _in_eval_mode(step: Event, flow: Flow) -> bool:
    """Is something put into eval mode on a way to the step, on which nothing is put back?"""
    back = tuple(e for e in flow.events(SetsMode) if e.option != "eval")
    modes = (e for e in flow.events(SetsMode) if e.option == "eval")
    return any(flow.path(mode, to=step, avoiding=back, back=False) for mode in modes)


def is_fit_overwritten(fit: Event) -> bool:
    """Is what is learned replaced below, so that a fit only gives it its shape: `model.coef_ = mean`?"""
    model = place(fit.call.func.value) if isinstance(fit.call.func, ast.Attribute) else None
    bound = ((name, b) for name, found in fit.function.bindings.items() for b in found if b.kind == "assign")
    learned = (b for name, b in bound if model and name.startswith(f"{model}.") and name.endswith("_"))
    return any(getattr(b.node, "lineno", 0) > fit.call.lineno for b in learned)


def is_transform_call(rows: Node) -> bool:
    """`scaler.transform(X_test)`."""
    return isinstance(rows, ast.Call) and last_name(rows.func) == "transform"


def find_scores_on_fitted_rows(function: FunctionView) -> Iterator[tuple[Node, Node, Node]]:
    """What an estimator is fitted on, the split that held some of it out, and the prediction for those rows."""
    found = {id(rows): (rows, split, measured) for rows, split, measured in _scores_after_named_split(function.scope)}
    for whole in find_fits_on_whole(function):
        found.setdefault(id(whole.rows), (whole.rows, whole.division, whole.measured))
    yield from found.values()


def _scores_after_named_split(function: FunctionScope) -> Iterator[tuple[Node, Node, Node]]:
    """The same, where names tell which part a split holds out, be it joined to the other again."""
    if isinstance(function.node, ast.Lambda) or not {"train_test_split", "fit"} <= {
        last_name(c.func) for c in function.calls
    }:
        return
    calls = sorted(function.calls, key=lambda c: (c.lineno, c.col_offset))
    fits = [c for c in calls if last_name(c.func) == "fit"]
    for split in (c for c in calls if last_name(c.func) == "train_test_split" and c.args):
        parts = [t for t in targets_of(split, function) if t and roles.is_held_out_name(t)]
        if not parts:
            continue
        for fit in (c for c in fits if c.lineno > split.lineno):
            if _is_fitted_on_whole_split(fit, split, parts[0], function):
                measured = _measured(fit, parts, calls, function)
                if measured is not None:
                    yield fit.args[0], split, measured


def is_calibration_fit(fit: ast.Call, frame: Frame) -> bool:
    """Does a fit learn from predictions for held-out rows, at which nothing looks later? So a calibration is
    learned, or the second level of a stack: from rows which the models have not seen, and not measured here."""
    function = frame.function
    name = place(fit.args[0]) if fit.args else None
    if name is None:
        return False
    steps = (o.node for o in origins(fit.args[0], frame) if isinstance(o.node, ast.Call) and o.frame is frame)
    scored = [node for node in steps if last_name(node.func) in _SCORES]
    if not scored:
        return False
    given = {n.id for c in scored for a in c.args for n in walk(a) if isinstance(n, ast.Name)}
    rows = {name, *(n for n in given if any(b.path for b in function.bindings.get(n, ())))}
    last = fit.end_lineno or fit.lineno
    used = (n for s in function.body for n in walk(s) if isinstance(n, ast.Name) and n.id in rows)
    return not any(n.lineno > last for n in used)


def may_learn_from_test_part(fit: ast.Call, estimator: Value, function: FunctionScope) -> bool:
    """Are rows of a test part rightly learned from: by what calibrates a finished model, or by a model that is measured
    on the training rows in return, and not on what it has learned from?"""
    if any(c.name.startswith("Calibrated") for c in estimator.classes):
        return True
    names = {b.name for b in bindings_of(fit, function)}
    names |= {_receiver(fit) or ""} - {""}
    measured = []
    for call in function.calls:
        func = call.func
        if isinstance(func, ast.Attribute) and func.attr in _MEASURES and call.args and call.lineno >= fit.lineno:
            if func.value is fit or place(func.value) in names:
                measured.append(rows_name(call.args[0]))
    return any(map(roles.is_training_name, measured)) and rows_name(fit.args[0]) not in measured


def is_named_held_out(rows: Node, frame: Frame, value: Value) -> bool:
    """Does the name of rows, or of what they are handed through, say that they are held out, where nothing but their
    place in what a split gives does: `_, few = random_split(rows, [900, 100])`?"""
    sites = [r.site for r in value.all_provenance if r.part in ("heldout", "test")]
    splits = [s.node for s in sites if s is not None and isinstance(s.node, ast.Call)]
    splits = [node for node in splits if last_name(node.func) in _SPLITS]
    if len(splits) < len(sites):
        return True  # an argument of a dataset says so
    steps = origins(rows, frame, through=lambda o: not any(o.node is split for split in splits))
    return any(roles.is_held_out_name(_name_or_key(o.node)) for o in steps)


def _name_or_key(node: Node) -> str | None:
    """The name by which an expression goes, or the key: `val_x`, `parts["val"]`."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    if isinstance(key, ast.Constant):
        return str(key.value)
    return place(node) if isinstance(node, (ast.Name, ast.Attribute)) else None


def find_fits_on_both_parts(function: FunctionScope) -> Iterator[tuple[Node, Node]]:
    """`model.fit(x_test, y_test)` below `model.fit(x_train, y_train)`, and above a measurement on `x_test`: what is
    fitted on, and the measurement."""
    if isinstance(function.node, ast.Lambda) or "fit" not in function.called_names:
        return
    fits = [c for c in function.calls if last_name(c.func) == "fit" and len(c.args) > 1 and _receiver(c)]
    for second in (c for c in fits if roles.is_held_out_name(place(c.args[0]))):
        rows, model = place(second.args[0]) or "", _receiver(second)
        before = [c for c in fits if c.lineno < second.lineno and _receiver(c) == model]
        names = [place(c.args[0]) or "" for c in before]
        alike = [name for name in names if roles.is_training_name(name) and _same_stem(name, rows)]
        after = [c for c in function.calls if c.lineno > second.lineno and last_name(c.func) in _MEASURES]
        measured = next((c for c in after if c.args and place(c.args[0]) == rows and _receiver(c) == model), None)
        if measured is not None and alike:
            yield second.args[0], measured


def _same_stem(first: str, second: str) -> bool:
    return rest_of_name(first, *TRAINING) == rest_of_name(second, *HELD_OUT) is not None


def _receiver(call: ast.Call) -> str | None:
    return place(call.func.value) if isinstance(call.func, ast.Attribute) else None


def find_joined_training_part(function: FunctionScope) -> Iterator[tuple[Node, str]]:
    """The part that `concatenate_datasets` joins to what a Trainer learns from, and that it then measures on."""
    if isinstance(function.node, ast.Lambda) or "concatenate_datasets" not in function.module.calls_by_name:
        return
    evaluated = [a for c in function.calls if last_name(c.func) in ("evaluate", "predict") for a in c.args]
    for call in (c for c in function.calls if last_name(c.func).endswith("Trainer")):
        given = next((k.value for k in call.keywords if k.arg == "train_dataset"), None)
        watched = [k.value for k in call.keywords if k.arg == "eval_dataset"]
        for joined in _joined(given, function):
            parts = joined.args[0].elts if joined.args and isinstance(joined.args[0], (ast.List, ast.Tuple)) else []
            measured = {place(n) for n in (*evaluated, *watched)} - {None}
            for part in parts:
                if place(part) in measured:
                    yield part, place(part) or ""


def _joined(node: Node, function: FunctionScope) -> list[ast.Call]:
    """The call of `concatenate_datasets` that gives an expression, by itself or behind a name."""
    values = [b.value for b in bound_at(node, function) if b.kind == "assign" and not b.path]
    found = [v for v in (node, *values) if isinstance(v, ast.Call)]
    return [v for v in found if last_name(v.func) == "concatenate_datasets"]


def _is_fitted_on_whole_split(fit: ast.Call, split: ast.Call, test: str, function: FunctionScope) -> bool:
    """Is it fitted on all rows of the split, or on a table that the held-out part was joined to?"""
    given = fit.args[0] if fit.args else None
    at = reaching(function).at
    joined = resolve_name(table(given), function)  # `full = pd.concat([train, test])` above, whose columns are fitted
    if isinstance(joined, ast.Call) and last_name(joined.func) in _JOINS:
        return mentions_place(joined, test)
    found = at.get(id(given), ())
    return isinstance(given, ast.Name) and bool(found) and found == at.get(id(split.args[0]), ())


def _measured(fit: ast.Call, parts: list[str], calls: list[ast.Call], function: FunctionScope) -> Node:
    """The call by which what was fitted predicts for the held-out rows, whose labels something gets later."""
    for call in calls:
        func = call.func
        if call.lineno <= fit.lineno or not isinstance(func, ast.Attribute) or not isinstance(fit.func, ast.Attribute):
            continue
        if func.attr not in _PREDICTS or not call.args or place(table(call.args[0])) != parts[0]:
            continue
        names = _stands_for(func.value, function)
        bound = bound_at(func.value, function)
        chained = any(b.value is fit for b in bound)  # `model = Forest().fit(X, y)`
        if not (chained or place(fit.func.value) in names) or any(
            _is_refitted_between(c, fit, call, names) for c in calls
        ):
            continue
        arguments = [a for c in calls if c.lineno >= call.lineno for a in all_arguments(c)]
        if any(place(n) in parts[1:] for a in arguments for n in walk(a)):
            return call
        if any(place(table(a)) == parts[0] and table(a) is not a and a is not call.args[0] for a in arguments):
            return call  # `roc_auc_score(test["y"], model.predict(test[columns]))`
    return None


def table(node: Node) -> Node:
    """The table that columns are taken from: `test` of `test[columns]`, `test["y"].values` or `test.drop(...)`."""
    while isinstance(node, (ast.Subscript, ast.Attribute)) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and last_name(node.func) in _TAKES
    ):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def _stands_for(node: Node, function: FunctionScope) -> set[str]:
    """The places that an estimator may have come from: itself, and what it was bound to, through attributes."""
    names, queue = set(), [node]
    for _ in range(8):
        if not queue:
            break
        current = queue.pop()
        while isinstance(current, (ast.Attribute, ast.Subscript)):
            names.add(place(current) or "")
            current = current.value
        if isinstance(current, ast.Name) and current.id not in names:
            names.add(current.id)
            bound = bound_at(current, function)
            values = [part_at(b.value, b.path) for b in bound if b.kind == "assign"]
            queue += [v for v in values if isinstance(v, (ast.Name, ast.Attribute))]
    return names


def _is_refitted_between(call: ast.Call, fit: ast.Call, last: ast.Call, names: set[str]) -> bool:
    """Is one of the places fitted, or loaded, again between two calls?"""
    inside = fit.lineno < call.lineno < last.lineno and last_name(call.func) in _FITS
    return inside and (not isinstance(call.func, ast.Attribute) or place(call.func.value) in names)


def is_predictor(estimator: Value) -> bool:
    """Is it a classifier or a regressor, a pipeline that ends in one, or a search for the best one, for certain?"""
    for v in estimator.alternatives:
        final = _last_step(v)
        if not isinstance(final, InstanceValue) or not stub_effect(final.cls, "predictor"):
            return False
    return True


def _last_step(estimator: Value) -> Value:
    """The last estimator of a pipeline, also where a search is given it; any other one itself."""
    if estimator.instance_of(*SEARCHES):
        searched = constructor_argument(estimator, "estimator")
        estimator = searched if searched is not None else estimator
    if not isinstance(estimator, InstanceValue) or not estimator.instance_of("sklearn.pipeline.Pipeline"):
        return estimator
    steps = steps_of(estimator)
    return steps[-1] if steps else estimator
