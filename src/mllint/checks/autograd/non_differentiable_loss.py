"""Does an operation without a gradient stand between the model and `backward()`?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import AccumulatesGrad, Flow, GraphBreak, HandsLoss, graphs

__all__: list[str] = []

_GRADIENT = dict.fromkeys(("round", "floor", "ceil", "trunc", "fix", "sign", "sgn"), "a gradient of zero everywhere")
_GENERATED = "compute the loss from the logits of a forward pass, and use `generate` only in evaluation"
_SAMPLED = "use probabilities in the loss; to learn through samples, use `F.gumbel_softmax`, or weight their `log_prob`"
_LEAVE_OUT = "leave `{}` out of the loss, and apply it only in evaluation"
_STEPS = "the result changes in steps, with a gradient of zero between them: parameters used before it never train"
_HARD = "no gradient flows through {}: `backward()` raises if nothing else in the loss requires one"
_TERM = (
    "no gradient flows through decisions (argmax, comparisons, integer casts): only the other terms of the sum train"
)


@check("non-differentiable-loss")
def non_differentiable_loss(flow: Flow) -> Iterator[Finding]:
    """Between the model and `backward()` stands an operation that no gradient flows through."""
    for backward in flow.events(AccumulatesGrad, HandsLoss):
        cut = graphs.loss_break(backward, flow)
        if cut is not None and cut.how not in graphs.HANDED and cut.how != "no_grad":
            gradient = _GRADIENT.get(cut.how.strip("_"), "no gradient")
            stepped = gradient != "no gradient"
            yield Finding(
                graphs.origin(backward),
                f"the indices that `{cut.how}` returns have no gradient, so this loss trains nothing"
                if graphs.gives_indices(cut)
                else f"`{_operation(cut)}` has {gradient}, so this loss trains nothing",
                primary="its gradient is always zero" if stepped else "computed without a gradient",
                labels=[
                    Note(cut.site, "the gradient becomes zero here" if stepped else "no gradient flows through here"),
                    Note(backward, "`backward()` starts here"),
                ],
                help=_help(cut, stepped=stepped),
                why=_STEPS if stepped else _HARD.format(_kind_of(cut)),
            )
        partly = graphs.lost_term(backward, flow, "PartlyHard") if cut is None else None
        if partly is not None:
            yield Finding(
                partly,
                f"`{partly.text}` has no gradient: this term of the loss trains nothing",
                primary="no gradient flows through here",
                labels=[Note(backward, "`backward()` starts from the sum")],
                why=_TERM,
            )


def _help(cut: GraphBreak, *, stepped: bool) -> str:
    """What to do about a cut, where the page does not say it."""
    if stepped or graphs.casts_to_integers(cut):
        return _LEAVE_OUT.format(_operation(cut))
    if graphs.samples(cut):
        return _SAMPLED
    return _GENERATED if cut.how == "generate" else ""


def _kind_of(cut: GraphBreak) -> str:
    """What a cut is, in general."""
    if graphs.gives_indices(cut):
        return f"the indices of `{cut.how}`"
    return "a comparison" if cut.how == "compare" else f"`{_operation(cut)}`"


def _operation(cut: GraphBreak) -> str:
    """The operation of a cut in the user's words."""
    return cut.site.text if cut.how in ("compare", "bool", "float") else cut.how.strip("_")
