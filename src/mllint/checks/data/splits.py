"""Is what is measured on held-out rows still a measurement?

The rules here ask whether rows that are held out reach the model before they should: through what a preprocessing step
has learned, through a loop or an estimator that trains on them.
Parts of data are known by provenance; where only a name tells the parts apart, a second fact has to agree with it.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks._records import Division
from mllint.checks._unbound import in_fragment, used_as_transformer
from mllint.checks._unread import HELD_OUT, TRAINING, divided_in_vain, only_shown, rows_name, stem, took_held_out
from mllint.checks.data._apart import handed_apart, part_of
from mllint.checks.data._augmented import (
    NAMED,
    asks_which_part,
    augmented_split,
    disturbs,
    feeds_held_out,
    given_to_held_out,
    is_held_out,
    last_word,
    random_step,
)
from mllint.checks.data._copied import copied_onto_held_out
from mllint.checks.data._crossed import crossed
from mllint.checks.data._flagged import FLAGS, flagged
from mllint.checks.data._folds import divided_by_index, table_of
from mllint.checks.data._leaks import changes_little, draws_plane
from mllint.checks.data._nodes import masked
from mllint.checks.data._prepared import joined_parts, on_request, scaled_by_themselves, scaled_in_fragment
from mllint.checks.data._refitted import called_held_out, fitted
from mllint.checks.data._turns import by_turns, cut_for_training, turned_back
from mllint.rule import Finding, Note, check
from mllint.semantics import AccumulatesGrad, AppliesGrad, Call, Event, Flow, Function, HandsLoss, Site, Value, text
from mllint.semantics.calls import constructor_argument
from mllint.semantics.classes import stub_effect
from mllint.semantics.evaluate import evaluate
from mllint.semantics.library import effect_of, flattened
from mllint.semantics.lineage import Origin, origins, same_place, statements
from mllint.semantics.module import assigned, last_name, place, turned, walk
from mllint.semantics.parts import divided, drawn, held, may_split, own_statistics, targets_of, trained
from mllint.semantics.seeding import is_unit_test

__all__: list[str] = []


# --------------------------------------------------------------------------------------------------- splits and fits


DIVIDING = """train_test_split random_split split cross_val_score cross_validate cross_val_predict learning_curve
    validation_curve permutation_test_score split_dataset cv train_valid_split fit"""
"""The calls by which rows may be divided; `fit` is that of a search."""

_SPLITTING = frozenset(DIVIDING.split()) - {"fit"}


def divisions(function: Function) -> Iterator[Division]:
    """The splits written in a function: calls of splitters, searches that cross-validate, complementary slices."""
    for call in function.calls():
        if call.last_name in _SPLITTING and may_split(call) and any(effect_of(f, "splits") for f in call.callees):
            if holds_out_nothing(call):
                continue
            rows = call.argument("X") or call.argument("dataset")
            yield Division(
                call.node,
                call.name,
                [rows.node] if rows else [a for a in call.node.args if not isinstance(a, ast.Starred)],
            )
        elif call.last_name == "fit" and call.node.args and _searches(call.receiver):
            yield Division(call.node, call.name, call.node.args[:1])
        elif call.last_name == "split" and call.node.args:
            parts = targets_of(call.node, function.scope)
            if any(map(trained, parts)) and any(map(held, parts)) and call.callee.is_function("numpy.split"):
                yield Division(call.node, call.name, call.node.args[:1])
    yield from _slices(function)
    yield from divided_by_index(function)


def holds_out_nothing(call: Call) -> bool:
    """Does nobody look at what a split holds out: `for train, _ in folds.split(X)`, `X, _ = train_test_split(X)`?"""
    for loop in call.function.loops:
        if isinstance(loop.node, ast.For) and any(n is call.node for n in walk(loop.node.iter)):
            held = last_of(loop.node.target)
            return held is not None and not any(
                isinstance(n, ast.Name) and n.id == held for s in loop.node.body for n in walk(s)
            )
    bound = [b for found in call.function.bindings.values() for b in found if b.value is call.node and b.path]
    held_out = [b.name for b in bound if isinstance(b.path[0], int) and b.path[0] % 2]
    return (bool(held_out) and set(held_out) == {"_"}) or divided_in_vain(call)


def last_of(target: Any) -> str | None:
    """The name at the end of `train, held` or `fold, (train, held)`."""
    while isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target = target.elts[1]
        if isinstance(target, ast.Name):
            return target.id
    return None


def _searches(receiver: Value | None) -> bool:
    return receiver is not None and any(c.module.is_stub and c.name.endswith("SearchCV") for c in receiver.classes)


def _slices(function: Function) -> Iterator[Division]:
    """`x[:n]` and `x[n:]` of the same `x`."""
    for first, second in divided(function.scope):
        if same_place(first.value, second.value, function.frame):
            yield Division(first, text(function.module, first), [first.value])


def effect_on(origin: Origin, name: str) -> bool:
    """Is the origin a call that has an effect of the vocabulary, whatever its alternatives?"""
    node = origin.node
    if not isinstance(node, ast.Call) or last_name(node.func) not in (
        "fit",
        "fit_transform",
        "transform",
        "partial_fit",
    ):
        return False
    callees = Call(node, origin.frame).callees
    return bool(callees) and all(effect_of(f, name) is not None for f in callees)


def learns_statistics(value: Value | None, depth: int = 0) -> bool:
    """Is it an estimator whose fit takes statistics from rows: a scaler, an imputer, a selector, a pipeline of such?"""
    if value is None or depth > 2:
        return False
    for v in value.alternatives:
        if v.kind != "instance" or isinstance(v.of, str):
            return False
        if stub_effect(v.of, "statistics"):
            strategy = constructor_argument(v, "strategy")
            if strategy is not None and strategy.literal == "constant":
                return False  # an imputer that writes what it was given
            continue
        composed = stub_effect(v.of, "composes")
        parts = constructor_argument(v, composed.of) if composed is not None else None
        inner = [w for w in flattened(parts) if w.kind == "instance"] if parts is not None else []
        if not any(learns_statistics(w, depth + 1) for w in inner) or any(
            stub_effect(w.of, "predictor") for w in inner
        ):
            return False
    return bool(value.alternatives)


def receiver_of(origin: Origin) -> Value | None:
    """The value of the estimator that a method is called on."""
    return Origin(origin.node.func.value, origin.frame).value if isinstance(origin.node.func, ast.Attribute) else None


def on_part(origin: Origin) -> bool:
    """Are the rows that are learned from one part of a split already?"""
    if not origin.node.args:
        return True
    value = Origin(origin.node.args[0], origin.frame).value
    return any(r.part in ("train", "heldout", "test") for r in value.all_roots)


@check("fit-before-split", near="fit fit_transform std", calls=DIVIDING, has="may_cut_rows")
def fit_before_split(function: Function) -> Iterator[Finding]:
    """Statistics are learned from rows that a later split holds out."""
    for division in divisions(function):
        for fit in _fits_before(division, function):
            if not learns_statistics(receiver_of(fit)) or (on_part(fit) and not in_fold(fit, division, function)):
                continue
            if by_turns(Origin(fit.node.args[0], fit.frame), division.node, function.scope):
                continue
            if turned_back(fit) or cut_for_training(fit):
                continue
            rows = text(fit.frame.module, fit.node.args[0], 40)
            yield Finding(
                fit,
                f"`{_named(fit)}` learns from all rows of `{rows}` before `{division.name}` holds some out",
                "learns from held-out rows too",
                [Note(Site(function.module, division.node), "rows are held out only here")],
                certain=not changes_little(fit, division, receiver_of(fit))
                and not (isinstance(division.node, ast.Subscript) and _rejoined(division, function)),
            )
        scaled = (pair for table in division.rows for pair in scaled_by_themselves(table, function))
        for statement, name in dict(scaled).items():
            message = f"`{name}` is scaled by the statistics of all its rows before `{division.name}` holds some out"
            notes = [Note(Site(function.module, division.node), "rows are held out only here")]
            yield Finding(Site(function.module, statement), message, "learns from held-out rows too", notes)


def _rejoined(division: Division, function: Function) -> bool:
    """Is what is cut a table that was put together of parts? A slice may take it apart again, and often nobody knows
    the answers for the second part."""
    return any(_joins(o) for rows in division.rows for o in origins(rows, function.frame))


def _joins(origin: Origin) -> bool:
    """Does a call put rows below rows, and not columns beside columns?"""
    node = origin.node
    if not isinstance(node, ast.Call) or last_name(node.func) not in ("concat", "concatenate", "vstack"):
        return False
    return all(k.arg != "axis" or text(origin.frame.module, k.value) in ("0", "'index'") for k in node.keywords)


def in_fold(fit: Origin, division: Division, function: Function) -> bool:
    """Is it in the loop over the folds, and learns from all the rows that these divide, be they a part of others?"""
    if fit.frame is not function.frame or not fit.node.args:
        return False
    loops = (r.node for r in function.scope.loops if isinstance(r.node, ast.For))
    around = (r for r in loops if any(n is division.node for n in walk(r.iter)))
    inside = any(r.lineno < fit.node.lineno <= (r.end_lineno or 0) for r in around)
    return inside and any(same_place(table_of(fit.node.args[0]), table_of(r), function.frame) for r in division.rows)


def _named(origin: Origin) -> str:
    return text(origin.frame.module, origin.node.func, 50)


def _fits_before(division: Division, function: Function) -> Iterator[Origin]:
    """The fits that the divided rows have gone through, and those of estimators that later transform the parts."""
    cut = isinstance(division.node, ast.Subscript)

    def through(origin: Origin) -> bool:
        module = origin.frame.module
        if module is not function.module and is_unit_test(module):
            return False  # the rows that the tests of a trainer make up say nothing about it
        ends = effect_on(origin, "fits") and last_name(origin.node.func) != "fit_transform"
        return not ends and not _undone(origin) and not (cut and _joins(origin))

    for rows in division.rows:
        for origin in origins(rows, function.frame, through=through):
            if effect_on(origin, "fits"):
                yield origin
            elif effect_on(origin, "transforms") and not _undone(origin):
                yield from _fits_of(origin)
        calls = {id(c.node): c.node for c in function.calls()}
        for node in calls.values():
            fit = Origin(node, function.frame)
            if last_name(node.func) == "fit" and node.args and effect_on(fit, "fits"):
                whole = same_place(table_of(node.args[0]), table_of(rows), function.frame)
                if whole and any(_transforms_by(c, node, function) for c in calls.values()):
                    yield fit


def _undone(origin: Origin) -> bool:
    """Is it `scaler.inverse_transform(forecast)`? What comes out of a model is no input of it."""
    return isinstance(origin.node, ast.Call) and last_name(origin.node.func) == "inverse_transform"


def _fits_of(transform: Origin) -> Iterator[Origin]:
    """`s.fit(X)` before `s.transform(X)` of the same rows, in one function."""
    node, frame = transform.node, transform.frame
    transformer = node.func.value if isinstance(node.func, ast.Attribute) else None
    for call in frame.function.calls if transformer is not None else ():
        fit = Origin(call, frame)
        if (
            isinstance(call.func, ast.Attribute)
            and call.func.attr == "fit"
            and call.args
            and node.args
            and call.lineno <= node.lineno
            and call is not node
        ):
            same_rows = same_place(call.args[0], node.args[0], frame) or text(frame.module, call.args[0]) == text(
                frame.module, node.args[0]
            )
            if place(call.func.value) == place(transformer) and same_rows and effect_on(fit, "fits"):
                yield fit


def _transforms_by(node: ast.Call, fit: ast.Call, function: Function) -> bool:
    if (
        last_name(node.func) != "transform"
        or not isinstance(node.func, ast.Attribute)
        or not isinstance(fit.func, ast.Attribute)
    ):
        return False
    if node.func.value is fit and node.args:
        return text(function.module, node.args[0]) != text(function.module, fit.args[0])
    name = place(fit.func.value)
    if isinstance(fit.func.value, ast.Call):  # `scaler = StandardScaler().fit(rows)`
        name = next(iter(targets_of(fit, function.scope)), None)
        if not node.args or text(function.module, node.args[0]) == text(function.module, fit.args[0]):
            return False  # fitted once more, for good
    elif not same_place(fit.func.value, node.func.value, function.frame):
        return False  # an estimator of the same name, built since
    elif node.args and text(function.module, node.args[0]) == text(function.module, fit.args[0]):
        return False  # all rows again, and no part of them
    return bool(name) and place(node.func.value) == name and node.lineno > fit.lineno


@check("fit-on-test", calls="fit fit_transform mean std min max")
def fit_on_test(function: Function) -> Iterator[Finding]:
    """What was fitted on training rows is fitted again on held-out rows."""
    yield from _scaled_apart(function)
    yield from _fitted_on_joined(function)
    fits = [
        Origin(c, function.frame)
        for c in function.scope.calls
        if last_name(c.func) in ("fit", "fit_transform") and c.args
    ]
    learning = [f for f in fits if effect_on(f, "fits") and learns_statistics(receiver_of(f))]
    yield from handed_apart(function, learning)
    fits = [f for f in fits if effect_on(f, "fits") or in_fragment(f) or used_as_transformer(f)]
    if len(fits) < 2:
        return
    fits = [f for f in fits if in_fragment(f) or used_as_transformer(f) or learns_statistics(receiver_of(f))]
    earlier = [f for f in fits if part_of(f.node.args[0], f.frame) == "train"]
    for fit in fits:
        if part_of(fit.node.args[0], fit.frame) != "held":
            continue
        first = next((f for f in earlier if _same_estimator(f, fit)), None)
        one = first is not None and by_turns(Origin(fit.node.args[0], fit.frame), first.node, function.scope)
        if first is not None and not one:
            rows = text(function.module, fit.node.args[0], 40)
            yield Finding(
                fit,
                f"`{_named(fit)}` learns from the held-out rows `{rows}` what was learned from training rows",
                "held-out rows",
                [Note(first, "fitted on the training rows here")],
                certain=not on_request(fit.node, function) and not draws_plane(fit.node, receiver_of(fit)),
            )


def _fitted_on_joined(function: Function) -> Iterator[Finding]:
    """Both parts of a split are joined again for the fit of a preprocessing step."""
    for call in function.scope.calls:
        fit = Origin(call, function.frame)
        if last_name(call.func) in ("fit", "fit_transform") and call.args and effect_on(fit, "fits"):
            part = joined_parts(call.args[0], function)
            if part is not None and learns_statistics(receiver_of(fit)):
                message = f"`{_named(fit)}` learns from the held-out rows `{place(part)}` too"
                yield Finding(fit, message, "held-out rows", [Note(Site(function.module, part), "joined here")])


def _scaled_apart(function: Function) -> Iterator[Finding]:
    """Training rows and held-out rows are each scaled by their own mean, minimum ..."""
    names = function.scope.bindings
    for statement, name in scaled_in_fragment(function):
        message = f"`{name}` is scaled by its own statistics, not by those of the training rows"
        yield Finding(Site(function.module, statement), message, "held-out rows")
    if not any(held(name) for name in names) or not any(trained(name) for name in names):
        return
    scaled = [(s, *found) for s in statements(function.scope) for found in own_statistics(s)]
    for statement, name, used in scaled:
        first = next((s for s, other, same in scaled if trained(other) and same == used), None)
        if held(name) and first is not None:
            message = f"`{name}` is scaled by its own statistics, not by those of the training rows"
            notes = [Note(Site(function.module, first), "the training rows are scaled here")]
            yield Finding(Site(function.module, statement), message, "held-out rows", notes)


def _same_estimator(first: Origin, second: Origin) -> bool:
    a, b = receiver_of(first), receiver_of(second)
    if a is None or b is None:
        return False
    return a.same_as(b) is True or _made_alike(first, second, a, b)


def _made_alike(first: Origin, second: Origin, a: Value, b: Value) -> bool:
    """Two estimators of one class, the second built where it is fitted, or fitted on rows that are called alike."""
    names = [rows_name(fit.node.args[0]) or "" for fit in (first, second)]
    alike = stem(names[0], TRAINING) == stem(names[1], HELD_OUT) is not None
    built = alike or isinstance(second.node.func.value, ast.Call)
    return built and bool(a.classes) and [c.name for c in a.classes] == [c.name for c in b.classes]


# ------------------------------------------------------------------------------------------- training on the answers
@check("training-on-evaluation-data")
def training_on_evaluation_data(flow: Flow) -> Iterator[Finding]:
    """The optimizer steps on batches of held-out data, or an estimator is fitted on them."""
    found = False
    for step in flow.events(AppliesGrad):
        run = next((r for r in reversed(step.loops) if r.iterates is not None and r.role == "batch"), None)
        batches = drawn(run) if run is not None else []
        if run is None or not batches or not all(b.comes_from("heldout", "test") for b in batches):
            continue
        made_here = any(run in e.loops and _starts_anew(e.subject) for e in flow.events("creates"))
        if made_here or not _trains_a_model(step) or not _has_training_part(flow, batches[0]):
            continue
        if not called_held_out(run.node.iter, run.frame, batches[0]):
            continue
        loader = _where_chosen(Origin(run.node.iter, run.frame))
        shown = text(loader.frame.module, turned(loader.node), 40)
        found = True
        yield Finding(
            step,
            f"`{text(step.site.module, step.site.node)}` trains on `{shown}`, which is held-out data",
            "learns from held-out data",
            [Note(loader, "held-out data")],
        )
    for step, run, name in copied_onto_held_out(flow) if not found else ():
        message = f"`{text(step.site.module, step.site.node)}` trains on `{name}`"
        yield Finding(
            step, message, "learns from held-out data", [Note(Site(run.frame.module, run.node.iter), "drawn")]
        )
    yield from _at_once(flow)
    yield from _each_phase(flow)
    yield from masked(flow)
    yield from took_held_out(flow)
    yield from _crossed(flow) if not found else ()
    yield from fitted(flow)


def _at_once(flow: Flow) -> Iterator[Finding]:
    """All the held-out rows of a split, in one step, in each round of a loop: what was split off is not trained on."""
    for step in flow.events(AppliesGrad):
        if not step.loops or any(drawn(run) for run in step.loops) or not _trains_a_model(step):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if b.loops == step.loops and b.concerns(step)), None)
        roots = backward.subject.all_roots if backward is not None else frozenset()
        if backward is None or not roots or not backward.subject.comes_from("heldout", "test"):
            continue
        sites = [r.site for r in roots if r.site is not None and isinstance(r.site.node, ast.Call)]
        split = next((s for s in sites if any(effect_of(f, "splits") for f in _callees(s, flow))), None)
        if split is not None and flow.path(backward, to=step, back=False):
            message = f"`{text(step.site.module, step.site.node)}` trains on rows that were held out"
            labels = [Note(split, "held out here"), Note(backward, "this loss is computed from them")]
            yield Finding(step, message, "learns from held-out data", labels)


def _each_phase(flow: Flow) -> Iterator[Finding]:
    """`for phase in ("train", "val")`: the optimizer steps in both, on what `loaders[phase]` gives."""
    steps = [(step, _phase(step)) for step in flow.events(AppliesGrad)]
    trains = [step for step, phase in steps if phase and trained(phase)]
    for step, phase in steps:
        if phase and held(phase) and any(t.call is step.call for t in trains):
            message = f"`{text(step.site.module, step.site.node)}` trains in the phase {phase!r} as well"
            run = next(r for r in reversed(step.loops) if r.iterates is not None)
            notes = [Note(Site(run.frame.module, run.node.iter), "held-out data, in that phase")]
            yield Finding(step, message, "learns from held-out data", notes)


def _phase(step: Event) -> str | None:
    """The word by which the batch loop around a step chooses its loader."""
    run = next((r for r in reversed(step.loops) if r.iterates is not None), None)
    node = turned(run.node.iter) if run is not None else None
    if run is None or not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Constant):
        return None
    word = evaluate(node.slice, run.frame).literal
    return word if isinstance(word, str) else None


def _crossed(flow: Flow) -> Iterator[Finding]:
    """Training data that is built of held-out rows, in a file that trains."""
    if next(flow.events(AppliesGrad, HandsLoss), None) is None:
        return
    for function in flow.root.module.functions:
        for node, name, used, spare in crossed(function, holding=False):
            message = f"`{name}` is built of the held-out `{used}`, and nobody reads `{spare}`"
            yield Finding(Site(function.module, node), message, "held-out data")


def _where_chosen(loop: Origin) -> Origin:
    """The loader as the outermost caller names it: where the choice was made."""
    named = [
        o
        for o in origins(loop.node, loop.frame)
        if isinstance(o.node, (ast.Name, ast.Attribute)) and o.frame is not loop.frame
    ]
    loaders = [o for o in named if o.value.instance_of("torch.utils.data.DataLoader")]
    return loaders[-1] if loaders and loop.frame.bound else loop


def _starts_anew(made: Value) -> bool:
    """Is it a model or an optimizer, or may it be one, and no context or meter of a library?"""
    known = bool(made.classes) and all(cls.module.is_stub for cls in made.classes)
    return not known or made.may_be_instance_of("torch.nn.Module", "torch.optim.Optimizer")


def _trains_a_model(step: Event) -> bool:
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
    if not depth or value.kind not in ("mapping", "sequence", "many"):
        return False
    parts = [p for k, p in value.parts.items() if k == "params"] if value.kind == "mapping" else value.parts
    return not parts or any(_may_be_parameters(v, depth - 1) for part in parts for v in part.alternatives)


def _has_training_part(flow: Flow, loader: Value) -> bool:
    """Is there a training part that this loop could have read instead: a split gave one, or another dataset is one, or
    the held-out data goes by the name of training data?"""
    sites = [r.site for r in loader.all_roots if r.site is not None]
    if any(effect_of(f, "splits") for s in sites if isinstance(s.node, ast.Call) for f in _callees(s, flow)):
        return True
    if sites and all(_called_training(s) for s in sites):
        return True
    modules = {id(m): m for m in (flow.root.module, *(s.module for s in sites))}
    calls = [node for m in modules.values() for found in m.calls_by_name.values() for node, _ in found]
    return any(_chooses_training(k) for node in calls for k in node.keywords)


def _called_training(site: Site) -> bool:
    """Is what is built there bound to a name that says that it is trained on?"""
    for function in site.module.functions:
        for statement in statements(function) if not isinstance(function.node, ast.Lambda) else ():
            pairs = [(t, v) for t, v in assigned(statement) if any(n is site.node for n in walk(v))]
            if pairs:
                return all(trained(place(t)) for t, _ in pairs)
    return False


def _chooses_training(keyword: ast.keyword) -> bool:
    if not isinstance(keyword.value, ast.Constant):
        return False
    value = keyword.value.value
    return value is True if keyword.arg == "train" else keyword.arg == "split" and value == "train"


def _callees(site: Site, flow: Flow) -> list[Any]:
    return list(Call(site.node, flow.frame.project.frame(site.module.body)).callees)


# ------------------------------------------------------------------------------------------- augmented evaluation data
@check("augmented-evaluation", calls=f"{NAMED} random_split Compose", keywords=f"transform {FLAGS}")
def augmented_evaluation(call: Call) -> Iterator[Finding]:
    """Held-out data passes through random augmentation."""
    yield from flagged(call)
    if call.last_name == "random_split":
        yield from augmented_split(call)
        return
    if call.last_name == "Compose":
        yield from given_to_held_out(call)
        return
    if call.last_name not in NAMED.split() and not any(k.arg == "transform" for k in call.node.keywords):
        return
    given = call.argument("transform")
    if given is None or not (is_held_out(call) or feeds_held_out(call, given)) or asks_which_part(call.value):
        return
    step = random_step(given.value)
    names = [last_word(o.node) for o in origins(given.node, call.frame)]
    if step is None or step.site is None or any("tta" in name.lower() for name in names):
        return
    if only_shown(call) or disturbs(call, names):
        return
    meant = any(held(name) for name in names)
    yield Finding(
        step.site if meant else given,
        f"`{step.of.name}` draws anew each time the held-out data of `{call.name}` is read",
        "random" if meant else "transforms held-out data at random",
        [Note(call, "held-out data")] if meant else [Note(step.site, "drawn anew each time")],
    )
