"""The loader of a training loop walks through its dataset in stored order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AppliesGrad,
    Call,
    Event,
    Flow,
    Frame,
    Node,
    Once,
    Origin,
    OwnsLoop,
    Site,
    ancestors,
    carried_state,
    classes,
    evaluate,
    find_batch_iterator,
    iterable_of,
    loading,
    origins,
    statements,
    text,
)
from mllint.semantics.api import seeds as seeds_domain

__all__: list[str] = []

_ONCE = Once()
_LIGHTNING = (classes.LIGHTNING_DATA_MODULE, classes.LIGHTNING_MODULE)


@check("unshuffled-training")
def unshuffled_training(flow: Flow) -> Iterator[Finding]:
    """The loader of a training loop walks through its dataset in stored order."""
    for run in dict.fromkeys(step.in_loop("batch") for step in flow.events(AppliesGrad)):
        if run is None or carried_state.carries_recurrent_state(run, flow):
            continue
        source = find_batch_iterator(run)
        if source is None and run.iterates is None:
            continue
        source = source if source is not None else run.node.iter
        steps = [
            o
            for n in loading.sources(source, run.frame)
            for o in origins(n, run.frame, through=loading.may_lead_to_loader)
        ]
        drawn = evaluate(iterable_of(source), run.frame)
        built = drawn.site.node if drawn.instance_of(classes.LOADER) and drawn.site is not None else None
        loaders = [o for o in steps if loading.is_loader(o)]
        loaders = [o for o in loaders if o.node is built] or loaders
        by_hand = find_batch_iterator(run) is not None and not run.certain  # of one sample, perhaps
        if (by_hand and not any(map(loading.is_training_loader, loaders))) or all(
            map(loading.is_held_out_loader, loaders)
        ):
            continue
        kept = [loading.keeps_stored_order(Call(o.node, o.frame), run, loaders) for o in loaders]
        for origin, answer in zip(loaders, kept, strict=True):
            if None in kept or answer is None or seeds_domain.is_test_code(origin.frame.module):
                continue  # one of several that a function may give
            if carried_state.has_model_carrying_state(run, flow):
                break
            yield Finding(
                origin,
                f"the training `{text(origin.frame.module, origin.node.func)}` does not shuffle",
                "the stored order in every epoch",
                [Note(Site(run.frame.module, source), "trained on here")],
                evidence=(answer,),
            )
    yield from _handed_to_framework(flow)
    yield from _handed_to_fit(flow)
    yield from _set_too_late(flow)


def _set_too_late(flow: Flow) -> Iterator[Finding]:
    """`loader.shuffle = True`, below the construction of the loader: found once for all flows."""
    project = flow.frame.project
    if not _ONCE.is_of(flow, project):
        return
    for function in (f for m in project.modules if m.source.holds(".shuffle") for f in m.functions):
        if isinstance(function.node, ast.Lambda):
            continue
        for statement in statements(function):
            if loading.sets_shuffle(statement, project.frame(function)):
                site = Site(function.module, statement)
                message = "setting `shuffle` after the loader was built has no effect"
                yield Finding(site, message, "no effect", help="pass `shuffle=True` to the loader when it is built")


def _handed_to_fit(flow: Flow) -> Iterator[Finding]:
    """The loaders that the `fit` of a trainer of Lightning is told to train on."""
    for event in flow.events(OwnsLoop):
        fit = Call(event.call, event.frame) if isinstance(event.call, ast.Call) else None
        given = fit.argument("train_dataloaders") if fit is not None and fit.last_name == "fit" else None
        if given is not None and not seeds_domain.is_test_code(event.site.module):
            yield from _in_stored_order(_loaders_behind(given.node, event.frame), event)


def _handed_to_framework(flow: Flow) -> Iterator[Finding]:
    """The loaders that `train_dataloader` gives to the trainer of a `training_step`."""
    if "train_dataloader" not in flow.frame.project.reach.own_names() or next(flow.events("hands_loss"), None) is None:
        return
    for cls in (c for module in flow.frame.project.modules for c in module.classes):
        function = cls.methods.get("train_dataloader")
        if function is None or ancestors(cls).isdisjoint(_LIGHTNING) or seeds_domain.is_test_code(cls.module):
            continue
        frame = flow.frame.project.frame(function)
        returned = [r.value for r in function.returns if r.value is not None]
        found = [o for value in returned for o in _loaders_behind(value, frame)]
        yield from _in_stored_order(found, next(flow.events("hands_loss")))


def _loaders_behind(node: Node, frame: Frame) -> list[Origin]:
    """The constructions of loaders that an expression may give."""
    steps = origins(node, frame, through=lambda o: not loading.is_loader(o))
    return [o for o in steps if loading.is_loader(o)]


def _in_stored_order(loaders: list[Origin], trained: Event) -> Iterator[Finding]:
    """The loaders that the training of a framework draws from, if all of them keep the stored order."""
    kept = [loading.keeps_stored_order(Call(o.node, o.frame), None, loaders) for o in loaders]
    for origin, answer in zip(loaders, kept, strict=True):
        if answer is not None and None not in kept:
            named = text(origin.frame.module, origin.node.func)
            notes = [Note(trained, "trained on here")]
            message = f"the training `{named}` does not shuffle"
            yield Finding(origin, message, "the stored order in every epoch", notes, evidence=(answer,))
