"""The optimizer steps on batches of held-out data, or an estimator is fitted on them."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AppliesGrad,
    Flow,
    HandsLoss,
    Site,
    held_out_fits,
    held_out_steps,
    iterable_of,
    node_masks,
    roles,
    text,
    trained_on,
    wrong_part,
)

__all__: list[str] = []

_TRAINS = "trains on held-out data"
_FIT = "fit on the training rows alone, and keep the held-out rows for the score"
_TRAIN = "train on the training rows alone, and keep the held-out rows for the score"
_NAMED = "`{}` trains on `{}`, which is held-out data"
_SHARED = "`{}` also trains on `{}`, for which the same loop runs again"
_OTHER = "iterate the training loader here; or, to evaluate, remove `backward()` and `step()` from this loop"
_ALONE = "call `backward()` and `step()` for the training data only, and run the held-out data under `torch.no_grad()`"
_IN_PHASE = "call `backward()` and `step()` in the training phase only"
_MASK = "index the outputs and the labels with the training mask: `loss(out[train_mask], y[train_mask])`"


@check("training-on-evaluation-data")
def training_on_evaluation_data(flow: Flow) -> Iterator[Finding]:
    """The optimizer steps on batches of held-out data, or an estimator is fitted on them."""
    found = list(_in_loops(flow))
    yield from found or _in_loops_by_name(flow)
    yield from _in_split_or_phase(flow)
    yield from _on_nodes(flow)
    yield from _in_place_of_training_data(flow, loops_are_known=bool(found))
    yield from _fitted(flow)


def _in_loops(flow: Flow) -> Iterator[Finding]:
    """A loop over batches that a split, or a dataset, says are held out."""
    for step, loader in held_out_steps.find_loops_over_held_out(flow):
        shown = text(loader.frame.module, iterable_of(loader.node), 40)
        message = f"`{step.site.text}` trains on `{shown}`, which is held-out data"
        yield Finding(step, message, _TRAINS, [Note(loader, "held-out data")])


def _in_loops_by_name(flow: Flow) -> Iterator[Finding]:
    """A loop over held-out rows, by their name, that trains: a copy of the training loop, or that loop itself."""
    for found in trained_on.find_steps_on_held_out(flow):
        step, name = found.step, found.name
        message, help = (_SHARED, _ALONE) if found.is_shared else (_NAMED, _OTHER)
        notes, evidence = [Note(found.chosen, "the held-out data")], (roles.parts_by_name(step.site, name),)
        yield Finding(step, message.format(step.site.text, name), _TRAINS, notes, help=help, evidence=evidence)


def _in_split_or_phase(flow: Flow) -> Iterator[Finding]:
    """All the held-out rows of a split in one step, or the phase of the held-out rows."""
    for step, split, backward in held_out_steps.find_steps_on_split(flow):
        message = f"`{step.site.text}` trains on rows that were held out"
        notes = [Note(split, "held out here"), Note(backward, "this loss is computed from them")]
        yield Finding(step, message, _TRAINS, notes, help=_TRAIN)
    for step, phase, iterated in held_out_steps.find_steps_in_held_out_phase(flow):
        message = f"`{step.site.text}` also runs in the `{phase!r}` phase"
        yield Finding(step, message, _TRAINS, [Note(iterated, "held-out data, in that phase")], help=_IN_PHASE)


def _on_nodes(flow: Flow) -> Iterator[Finding]:
    """The nodes of a graph that a mask holds out."""
    for backward, mask in node_masks.find_losses_on_held_out_nodes(flow):
        yield Finding(backward, f"`{backward.site.text}` trains on the nodes of `{mask}`", _TRAINS, help=_MASK)
    for backward, loss, graph in node_masks.find_losses_on_all_nodes(flow):
        message = f"the loss covers all nodes of `{graph}`, including the held-out ones"
        yield Finding(Site(backward.site.module, loss), message, _TRAINS, help=_MASK)


def _in_place_of_training_data(flow: Flow, *, loops_are_known: bool) -> Iterator[Finding]:
    """Held-out data where training data is wanted, which lies unused next to it."""
    for step, held_out, training, is_read, given in held_out_steps.find_unused_counterparts(flow):
        message = f"`{step.site.text}` trains on `{held_out}`, and `{training}` is never used"
        help = f"use the training data instead: `{training}`"
        if is_read:
            message = f"`{step.site.text}` trains on `{held_out}`, and nothing trains on `{training}`"
            help = f"iterate `{training}` here, and keep `{held_out}` for the evaluation"
        notes, evidence = [Note(given, "the held-out data")], (roles.parts_by_name(step.site, held_out, training),)
        yield Finding(step, message, _TRAINS, notes, help=help, evidence=evidence)
    if loops_are_known or next(flow.events(AppliesGrad, HandsLoss), None) is None:
        return
    for function in flow.root.module.functions:
        for node, name, used, spare in wrong_part.find_built_of_other_part(function, holding=False):
            message = f"`{name}` is built from the held-out `{used}`, and `{spare}` is never used"
            site = Site(function.module, node)
            evidence = (roles.parts_by_name(site, name, used, spare),)
            yield Finding(site, message, "held-out data", help=f"build it from `{spare}`", evidence=evidence)


def _fitted(flow: Flow) -> Iterator[Finding]:
    """What a library is told to learn from, an estimator or a trainer of transformers, was held out."""
    module = flow.root.module
    for part, name in held_out_fits.find_joined_training_parts(module):
        message = f"`{name}` is added to the training data and then used for the evaluation"
        yield Finding(Site(module, part), message, _TRAINS, help=_FIT)
    for function, rows, split, measured in held_out_fits.find_scores_on_fitted_rows(flow):
        name = text(function.module, rows, 40)
        message = f"the model is fitted on all of `{name}`, then evaluated on a part of it"
        split_site, measured_site = Site(function.module, split), Site(function.module, measured)
        notes = [Note(split_site, "held out here"), Note(measured_site, "evaluated here")]
        yield Finding(Site(function.module, rows), message, _TRAINS, notes, help=_FIT)
    for rows, measured in held_out_fits.find_fits_on_both_parts(module):
        message = f"the model is also fitted on `{text(module, rows, 40)}`, then evaluated on it"
        yield Finding(Site(module, rows), message, _TRAINS, [Note(Site(module, measured), "evaluated here")], help=_FIT)
    for fit, rows in held_out_fits.find_fits_on_held_out(flow):
        estimator, data = text(fit.site.module, fit.call.func), text(fit.site.module, rows, 40)
        yield Finding(fit, f"`{estimator}` trains on `{data}`, which is held out", _TRAINS, help=_FIT)
