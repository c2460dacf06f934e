"""Is the loss, or a term of it, detached from the graph by hand?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    AppliesGrad,
    Event,
    Flow,
    HandsLoss,
    Site,
    graphs,
    terms,
    text,
    unused_output,
)

__all__: list[str] = []

_UNUSED = "no parameter of the model gets a gradient; `backward()` raises unless the batch itself requires one"

_OTHERS = "these parameters get no gradient, and nothing raises, since the loss reaches other parameters"
_ANEW = "these parameters get no gradient, and nothing raises, since the loss still requires one"
_IN_OTHERS = "compute it with gradients here, and detach it only in losses that should not train these parameters"
_KEEP = "keep the graph from the model to the loss: no `detach()`, no numpy, no new tensor in between"


@check("detached-loss")
def detached_loss(flow: Flow) -> Iterator[Finding]:
    """What `backward()` starts from, or one term of it, was cut from the graph by hand."""
    lost: set[Site] = set()
    for backward in flow.events(AccumulatesGrad, HandsLoss):
        cut = graphs.loss_break(backward, flow) if not graphs.is_backward_with_gradients(backward) else None
        if cut is not None and cut.how in graphs.HANDED:
            yield Finding(
                cut.site,
                f"`{cut.site.text}` detaches the loss from the graph: `backward()` trains nothing upstream of it",
                primary="no gradient flows through here",
                labels=[Note(backward, "`backward()` starts from this value")],
            )
        if cut is None:
            yield from _unread_output(backward, flow)
        partly = graphs.lost_term(backward, flow, "PartlyCut")
        if partly is not None:
            lost.add(partly)
            yield _lost_term(partly, backward)

    for cut_off, backward, _ in terms.lost_terms(flow):
        if cut_off not in lost:
            lost.add(cut_off)
            yield _lost_term(cut_off, backward)

    for step in flow.events(AppliesGrad):
        found = graphs.break_before_model(flow, step)
        if found is not None:
            site, backward = found
            others = any(s.concerns(step) is False for s in flow.events(AppliesGrad))
            yield Finding(
                site,
                f"`{site.text}` has no graph: the loss does not reach the parameters that `{step.site.text}` updates",
                primary="no gradient flows through here",
                labels=[Note(backward, "`backward()` starts here, and does not reach them")],
                help=_IN_OTHERS if others else _KEEP,
                why=_OTHERS if others else _ANEW,
            )


def _lost_term(cut: Site, backward: Event) -> Finding:
    """A term of a sum is detached, or computed of something that is."""
    return Finding(
        cut,
        f"`{cut.text}` is detached from the graph: this term of the loss trains nothing",
        primary="no gradient flows through here",
        labels=[Note(backward, "`backward()` starts from the sum")],
        why="no gradient flows through a detached term: the other terms train, and the loss still falls",
    )


def _unread_output(backward: Event, flow: Flow) -> Iterator[Finding]:
    """The loss is made of the batch alone: what the model gives is never read."""
    model = (
        unused_output.unread_output(backward, graphs.start_of_backward(backward))
        if not graphs.has_unfrozen_input(backward, flow)
        else None
    )
    if model is not None:
        yield Finding(
            graphs.origin(backward),
            f"the output of `{text(backward.site.module, model)}` is never used: the loss depends on the batch alone",
            primary="depends on no parameter",
            labels=[Note(Site(backward.site.module, model), "never used"), Note(backward, "`backward()` starts here")],
            help="compute the loss from the output of the model",
            why=_UNUSED,
        )
