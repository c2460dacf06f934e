"""The optimizer steps on batches of held-out data, or an estimator is fitted on them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    AppliesGrad,
    Call,
    Event,
    Flow,
    Frame,
    FunctionScope,
    HandsLoss,
    LoopRun,
    Node,
    Origin,
    Site,
    TensorValue,
    Topic,
    Value,
    bound_at,
    effect_of,
    iterable_of,
    last_name,
    origins,
    place,
    roles,
    splits,
    text,
    topics,
    trained_on,
    walk,
    wrong_part,
)

__all__: list[str] = []

_FIT = "fit on the training rows alone, and keep the held-out rows for the score"
_TRAIN = "train on the training rows alone, and keep the held-out rows for the score"
_COPIED = "`{}` also trains on `{}`: this loop is a copy of the training loop"
_SHARED = "`{}` also trains on `{}`, for which the same loop runs again"
_REMOVE = "remove `backward()` and `step()` from this loop, and run it under `torch.no_grad()`"
_ALONE = "call `backward()` and `step()` for the training data only, and run the rest under `torch.no_grad()`"
_IN_PHASE = "call `backward()` and `step()` in the training phase only"
_MASK = "index the outputs and the labels with the training mask: `loss(out[train_mask], y[train_mask])`"
_HOLDING = (".test_mask", ".val_mask")


@check("training-on-evaluation-data")
def training_on_evaluation_data(flow: Flow) -> Iterator[Finding]:
    """The optimizer steps on batches of held-out data, or an estimator is fitted on them."""
    found = False
    for step in flow.events(AppliesGrad):
        run = next((r for r in reversed(step.loops) if r.iterates is not None and r.role == "batch"), None)
        batches = splits.batches_of(run) if run is not None else []
        if run is None or not batches or not all(b.comes_from("heldout", "test") for b in batches):
            continue
        made_here = any(
            run in e.loops and trained_on.may_be_model_or_optimizer(e.subject) for e in flow.events("creates")
        )
        if made_here or not trained_on.trains_a_model(step) or not trained_on.has_training_part(flow, batches[0]):
            continue
        if not trained_on.is_named_held_out(run.node.iter, run.frame, batches[0]):
            continue
        loader = trained_on.where_chosen(Origin(run.node.iter, run.frame))
        shown = text(loader.frame.module, iterable_of(loader.node), 40)
        found = True
        yield Finding(
            step,
            f"`{step.site.text}` trains on `{shown}`, which is held-out data",
            "trains on held-out data",
            [Note(loader, "held-out data")],
        )
    if not found:
        yield from _copied_loop(flow)
    yield from _at_once(flow)
    yield from _each_phase(flow)
    yield from _masked(flow)
    yield from _took_held_out(flow)
    yield from _crossed(flow) if not found else ()
    yield from _fitted(flow)


def _copied_loop(flow: Flow) -> Iterator[Finding]:
    """A loop over held-out rows, by their name, that trains: a copy of the training loop, or that loop itself."""
    for found in trained_on.find_steps_on_held_out(flow):
        step, name = found.step, found.name
        message, advice = (_SHARED, _ALONE) if found.is_shared else (_COPIED, _REMOVE)
        yield Finding(
            step,
            message.format(step.site.text, name),
            "trains on held-out data",
            [Note(found.chosen, "the held-out data")],
            help=advice,
            evidence=(roles.parts_by_name(step.site, name),),
        )


def _at_once(flow: Flow) -> Iterator[Finding]:
    """All the held-out rows of a split, in one step, on each iteration of a loop: these rows are not for training."""
    for step in flow.events(AppliesGrad):
        if not step.loops or any(splits.batches_of(run) for run in step.loops) or not trained_on.trains_a_model(step):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if b.loops == step.loops and b.concerns(step)), None)
        provenance = backward.subject.all_provenance if backward is not None else frozenset()
        if backward is None or not provenance or not backward.subject.comes_from("heldout", "test"):
            continue
        sites = [r.site for r in provenance if r.site is not None and isinstance(r.site.node, ast.Call)]
        split = next((s for s in sites if any(effect_of(f, "splits") for f in trained_on.callees(s, flow))), None)
        if split is not None and flow.path(backward, to=step, back=False):
            message = f"`{step.site.text}` trains on rows that were held out"
            labels = [Note(split, "held out here"), Note(backward, "this loss is computed from them")]
            yield Finding(step, message, "trains on held-out data", labels, help=_TRAIN)


def _each_phase(flow: Flow) -> Iterator[Finding]:
    """`for phase in ("train", "val")`: the optimizer steps in both, on what `loaders[phase]` gives."""
    steps = [(step, trained_on.phase(step)) for step in flow.events(AppliesGrad)]
    trains = [step for step, phase in steps if phase and roles.is_training_name(phase)]
    for step, phase in steps:
        if phase and roles.is_held_out_name(phase) and any(t.call is step.call for t in trains):
            message = f"`{step.site.text}` also runs in the `{phase!r}` phase"
            run = next(r for r in reversed(step.loops) if r.iterates is not None)
            notes = [Note(Site(run.frame.module, run.node.iter), "held-out data, in that phase")]
            yield Finding(step, message, "trains on held-out data", notes, help=_IN_PHASE)


def _crossed(flow: Flow) -> Iterator[Finding]:
    """Training data that is built of held-out rows, in a file that trains."""
    if next(flow.events(AppliesGrad, HandsLoss), None) is None:
        return
    for function in flow.root.module.functions:
        for node, name, used, spare in wrong_part.find_built_of_other_part(function, holding=False):
            message = f"`{name}` is built from the held-out `{used}`, and `{spare}` is never used"
            site = Site(function.module, node)
            evidence = (roles.parts_by_name(site, name, used, spare),)
            yield Finding(site, message, "held-out data", help=f"build it from `{spare}`", evidence=evidence)


def _took_held_out(flow: Flow) -> Iterator[Finding]:
    """A training loop over the held-out loader, while the training loader lies unused next to it."""
    loops = [r.node.iter for s in flow.events(AppliesGrad) for r in s.loops if r.iterates is not None]
    looped = {last_name(n) for iterated in loops for n in walk(iterated)}
    behind: dict[LoopRun, set[int]] = {}  # what each loop goes through was computed from
    for step in flow.events(AppliesGrad):
        run = next((r for r in reversed(step.loops) if r.iterates is not None and r.role == "batch"), None)
        if run is None:
            continue
        frame: Frame | None = run.frame
        other = wrong_part.find_unused_training_loader(run.node.iter, run.frame, looped)
        if other is not None:
            message = f"`{step.site.text}` trains on `{other[0]}`, and nothing trains on `{other[1]}`"
            note = Note(Site(run.frame.module, run.node.iter), "the held-out data")
            evidence = (roles.parts_by_name(step.site, *other),)
            advice = f"iterate `{other[1]}` here, and keep `{other[0]}` for the evaluation"
            yield Finding(step, message, "trains on held-out data", [note], help=advice, evidence=evidence)
            continue
        nodes = [run.node.iter]
        while frame is not None:
            found = next((f for n in nodes if (f := wrong_part.find_training_on_held_out(n, frame)) is not None), None)
            if found is not None:
                message = f"`{step.site.text}` trains on `{found[0]}`, and `{found[1]}` is never used"
                note = Note(Site(frame.module, nodes[0]), "the held-out data")
                evidence = (roles.parts_by_name(step.site, *found),)
                advice = f"use the training data instead: `{found[1]}`"
                yield Finding(step, message, "trains on held-out data", [note], help=advice, evidence=evidence)
                break
            given = list(frame.caller[1].args) if frame.caller is not None else []
            if given and run not in behind:
                behind[run] = {id(o.node) for o in origins(run.node.iter, run.frame)}
            nodes = [n for n in given if any(id(inner) in behind[run] for inner in walk(n))]
            frame = frame.caller[0] if frame.caller is not None else None


def _over_all_nodes(backward: Event) -> tuple[Node, str] | None:
    """The call of a loss before a backward that gets all labels of a graph, and the place of the graph."""
    function = backward.function
    source = function.module.source
    if source is None or not any(source.holds(mask) for mask in _HOLDING) or function.is_body:
        return None
    if any(isinstance(n, ast.Attribute) and n.attr.endswith("_mask") for n in walk(function.node)):
        return None
    for node in function.calls:
        if len(node.args) < 2 or node.lineno > backward.site.line:
            continue
        scores, labels = node.args[:2]
        graph = place(labels.value) if isinstance(labels, ast.Attribute) and labels.attr == "y" else None
        if graph is None or not any(source.holds(f"{graph}{mask}") for mask in _HOLDING):
            continue
        if any(b.kind == "for" for b in function.bindings.get(graph.partition(".")[0], ())):
            continue  # one batch of many, with the nodes that its loader was given
        if not _of_graph(scores, graph, function):
            continue
        if Call(node, backward.frame).value.is_("Loss"):
            return node, graph
    return None


def _of_graph(scores: Node, graph: str, function: FunctionScope) -> bool:
    """Is it what a model gives for the whole graph: `out` of `out, _ = model(data.x, data.edge_index)`?"""
    if isinstance(scores, ast.Name):
        found = bound_at(scores, function)
        scores = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
    if not isinstance(scores, ast.Call):
        return False
    return any(place(a) in (graph, f"{graph}.x") for a in scores.args)


def _masked(flow: Flow) -> Iterator[Finding]:
    """The loss of one graph is taken over the nodes that a mask holds out: `out[data.test_mask]`, or all of `out`."""
    source = flow.root.module.source
    if source is None or not source.holds("_mask"):
        return
    for backward in flow.events(AccumulatesGrad):
        base = backward.call.func.value if isinstance(backward.call.func, ast.Attribute) else None
        found = [m for o in origins(base, backward.frame) if (m := _mask(o.node)) is not None] if base else []
        if found and all(roles.is_held_out_name(m) for m in found):
            message = f"`{backward.site.text}` trains on the nodes of `{found[0]}`"
            yield Finding(backward, message, "trains on held-out data", help=_MASK)
        elif not found and (whole := _over_all_nodes(backward)) is not None:
            message = f"the loss covers all nodes of `{whole[1]}`, including the held-out ones"
            yield Finding(Site(backward.site.module, whole[0]), message, "trains on held-out data", help=_MASK)


def _mask(node: Node) -> str | None:
    """The mask for a part in `out[data.test_mask]`; a `valid_mask`, a `valid_pair_mask` says what is there at all."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    name = place(index) if isinstance(index, (ast.Name, ast.Attribute)) else None
    return name if name is not None and _part_mask(name) else None


def _part_mask(name: str) -> bool:
    there = topics.is_about(name, Topic.PRESENT)
    return name.endswith("_mask") and not there and (roles.is_held_out_name(name) or roles.is_training_name(name))


def _fitted(flow: Flow) -> Iterator[Finding]:
    """What a library is told to learn from, an estimator or a trainer of transformers, was held out."""
    module = flow.root.module
    joining = module.functions if "concatenate_datasets" in module.calls_by_name else ()
    for part, name in (found for f in joining for found in trained_on.find_joined_training_part(f)):
        message = f"`{name}` is added to the training data and then used for the evaluation"
        yield Finding(Site(flow.root.module, part), message, "trains on held-out data", help=_FIT)
    for function in {id(e.function): e.function for e in flow.events("fits")}.values():
        for rows, split, measured in trained_on.find_scores_on_fitted_rows(function):
            message = (
                f"the model is fitted on all of `{text(function.module, rows, 40)}`, then evaluated on a part of it"
            )
            sites = Site(function.module, split), Site(function.module, measured)
            notes = [Note(sites[0], "held out here"), Note(sites[1], "evaluated here")]
            yield Finding(Site(function.module, rows), message, "trains on held-out data", notes, help=_FIT)
    fitting = module.functions if "fit" in module.calls_by_name else ()
    for rows, measured in (found for f in fitting for found in trained_on.find_fits_on_both_parts(f)):
        name, notes = text(flow.root.module, rows, 40), [Note(Site(flow.root.module, measured), "evaluated here")]
        message = f"the model is also fitted on `{name}`, then evaluated on it"
        yield Finding(Site(flow.root.module, rows), message, "trains on held-out data", notes, help=_FIT)
    for fit in flow.events("fits"):
        given = fit.option if isinstance(fit.option, Value) else None
        if given is None or not given.comes_from("heldout", "test") or not trained_on.is_predictor(fit.subject):
            continue
        rows = fit.call.args[0] if fit.call.args else fit.call
        table = isinstance(given, TensorValue) or given.instance_of("pandas.DataFrame")
        known = table and (place(trained_on.table(rows)) is not None or trained_on.is_transform_call(rows))
        known = (
            known and trained_on.is_named_held_out(rows, fit.frame, given) and not trained_on.is_fit_overwritten(fit)
        )
        if (
            known
            and not trained_on.is_calibration_fit(fit.call, fit.frame)
            and not trained_on.may_learn_from_test_part(fit.call, fit.subject, fit.function)
        ):
            name, data = text(fit.site.module, fit.call.func), text(fit.site.module, rows, 40)
            yield Finding(fit, f"`{name}` trains on `{data}`, which is held out", "trains on held-out data", help=_FIT)
