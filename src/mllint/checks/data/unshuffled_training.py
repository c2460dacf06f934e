"""The loader of a training loop walks through its dataset in stored order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AppliesGrad,
    Call,
    Flow,
    Once,
    Origin,
    Site,
    ancestors,
    carried_state,
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
_LIGHTNING = ("lightning.pytorch.LightningDataModule", "lightning.pytorch.LightningModule")


@check("unshuffled-training")
def unshuffled_training(flow: Flow) -> Iterator[Finding]:
    """The loader of a training loop walks through its dataset in stored order."""
    for run in dict.fromkeys(step.in_loop("batch") for step in flow.events(AppliesGrad)):
        if run is None or carried_state.carries_recurrent_state(run):
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
        built = drawn.site.node if drawn.instance_of(loading.LOADER) and drawn.site is not None else None
        loaders = [o for o in steps if loading.is_loader(o)]
        loaders = [o for o in loaders if o.node is built] or loaders
        if (
            find_batch_iterator(run) is not None
            and not run.certain
            and not any(map(loading.is_training_loader, loaders))
        ):
            continue  # of one sample, perhaps
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


def _handed_to_framework(flow: Flow) -> Iterator[Finding]:
    """The loaders that `train_dataloader` gives to the trainer of a `training_step`."""
    if "train_dataloader" not in flow.frame.project.reach.own_names() or next(flow.events("hands_loss"), None) is None:
        return
    for cls in (c for module in flow.frame.project.modules for c in module.classes):
        function = cls.methods.get("train_dataloader")
        if function is None or ancestors(cls).isdisjoint(_LIGHTNING) or seeds_domain.is_test_code(cls.module):
            continue
        frame = flow.frame.project.frame(function)
        given = [Origin(r.value, frame) for r in function.returns if r.value is not None]
        found = [
            o
            for g in given
            for o in origins(g.node, frame, through=lambda o: not loading.is_loader(o))
            if loading.is_loader(o)
        ]
        if not all(loading.is_in_stored_order(Call(o.node, o.frame)) for o in found):
            continue
        for origin in found:
            named = text(origin.frame.module, origin.node.func)
            notes = [Note(next(flow.events("hands_loss")), "trained on here")]
            yield Finding(origin, f"the training `{named}` does not shuffle", "the stored order in every epoch", notes)
