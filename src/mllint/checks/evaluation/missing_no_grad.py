"""Does an evaluation record a graph that nobody uses?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, Site, recording, text

__all__: list[str] = []


@check("missing-no-grad")
def missing_no_grad(flow: Flow) -> Iterator[Finding]:
    """An evaluation records a graph that nobody uses."""
    for forward, run in recording.unused_graphs(flow):
        name = text(forward.site.module, forward.call.func)
        message = f"`{name}` is evaluated without `no_grad`: autograd records a graph that nobody uses"
        certain = not recording.is_excused(forward)
        if run is not None:
            labels = [Note(forward, "builds a graph")]
            yield Finding(run, message, "no `no_grad` around this loop", labels, certain=certain)
        else:
            at = Site(forward.frame.module, forward.call)
            repeated = bool(forward.loops) or not flow.root.is_body  # once, at the end, it costs little
            certain = certain and repeated and not recording.is_single_sample(forward)
            yield Finding(at, message, "no `no_grad` around it", certain=certain)
