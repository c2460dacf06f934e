"""Does a running value collect the loss, or a sum another result of a model, with its graph in every iteration?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, Frame, MappingValue, Node, Site, evaluate, kept_graphs, place, text

__all__: list[str] = []

_DETACHED = "call `.detach()` on it before storing or adding it, or `.item()` if it is a single number"
_EACH_DETACHED = "call `.detach()` on each of its tensors before storing it, or `.item()` on single numbers"
_NODES = "`backward()` frees the activations, but each kept tensor still holds the nodes of its graph: memory grows"


@check("loss-keeps-graph")
def loss_keeps_graph(flow: Flow) -> Iterator[Finding]:
    """A running value collects the loss with its graph in every iteration."""
    for kept in kept_graphs.find_kept_graphs(flow):
        frame, target, added = kept.frame, kept.target, kept.added
        notes, why = list[Note](), ""
        if kept.backward is not None:
            by_framework = kept.backward.kind == "hands_loss"
            said = "gradients are computed from this" if by_framework else "the graph is not needed after this"
            notes, why = [Note(kept.backward, said)], _NODES
        message = f"`{target}` keeps the graph of every batch alive: `{text(frame.module, added)}` is not detached"
        site, help, about = Site(frame.module, kept.statement), _detached(added, frame), (frame, target, added)
        yield Finding(site, message, "kept with its graph", notes, help=help, why=why, about=about)


def _detached(added: Node, frame: Frame) -> str:
    """What to keep instead of a tensor, or of a dictionary of them."""
    if isinstance(evaluate(added, frame), MappingValue):
        return _EACH_DETACHED
    name = place(added)
    return f"store or add `{name}.detach()` instead, or `{name}.item()` if it is a single number" if name else _DETACHED
