"""Is the loss itself made to require grad, just before `backward()`?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import AccumulatesGrad, Event, Flow, Freezes, HandsLoss, call_text, graphs, text

__all__: list[str] = []

_TERM = "a tensor without a graph is a leaf: its gradient ends in its own `.grad` and reaches no parameter"
_REMOVE = "remove this line, and compute the loss from the output of the model, with differentiable operations only"
_ASSIGNED = "without a graph, `backward()` fills only the `.grad` of the loss; with one, this assignment raises"
_CALLED = "without a graph, `backward()` fills only the `.grad` of the loss; with one, this call does nothing"


@check("silenced-autograd-error")
def silenced_autograd_error(flow: Flow) -> Iterator[Finding]:
    """The loss itself is made to require grad, just before `backward()`."""
    for backward in flow.events(AccumulatesGrad, HandsLoss):
        if graphs.has_gradient_argument(backward) or graphs.is_backward_with_gradients(backward):
            continue
        loss = graphs.unscaled_loss(backward)
        leaf = loss.because("Leaf") if loss.is_("Leaf") else graphs.reduced_leaf(backward)
        if leaf is not None and graphs.wraps_computed_value(leaf.node):
            made = call_text(leaf.module, leaf.node, 40)
            yield Finding(
                leaf,
                f"`{made}` turns the loss into a new leaf: `backward()` stops here and reaches no parameter",
                primary="the graph of the loss ends here",
                labels=[Note(backward, "`backward()` starts from the leaf")],
                help="use the loss itself; if `backward()` then raises, its graph is lost further up",
            )
        for thaw in (e for e in flow.events(Freezes) if e.option is False):
            if graphs.unfreezes_loss_term(thaw, backward):
                yield Finding(
                    thaw,
                    f"`requires_grad` is set on `{_receiver(thaw)}` where it has no graph: this term trains nothing",
                    primary="hides a missing graph",
                    labels=[Note(backward, "`backward()` starts here")],
                    why=_TERM,
                )
                continue
            at_once = graphs.origin(backward).node is thaw.site.node
            at_once = at_once and graphs.wraps_computed_value(graphs.made_leaf(thaw))
            if at_once or graphs.unfreezes_loss(thaw, loss) or graphs.unfreezes_data_loss(thaw, backward):
                seen = loss.is_detached and loss.all_breaks
                lost = [Note(loss.all_breaks[0].site, "no gradient flows through here")] if seen else []
                what = "no parameter gets a gradient" if seen else "it can only hide a detached loss"
                yield Finding(
                    thaw,
                    f"`requires_grad` is set on `{_receiver(thaw)}` just before `backward()`: {what}",
                    primary="silences the error that a loss without a graph would raise",
                    labels=[*lost, Note(backward, "`backward()` starts here")],
                    help=_REMOVE if seen else "",
                    why="" if seen else _CALLED if isinstance(thaw.site.node, ast.Call) else _ASSIGNED,
                )


def _receiver(thaw: Event) -> str:
    """What a `requires_grad_()` or `requires_grad = True` is about, as written."""
    inner = graphs.made_leaf(thaw)
    return text(thaw.site.module, inner) if inner is not None else "loss"
