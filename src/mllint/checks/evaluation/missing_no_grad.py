"""Does an evaluation record a graph that is never used?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, Site, recording, text

__all__: list[str] = []


@check("missing-no-grad")
def missing_no_grad(flow: Flow) -> Iterator[Finding]:
    """An evaluation records a graph that is never used."""
    for forward, run, waste in recording.unused_graphs(flow):
        name = text(forward.site.module, forward.call.func)
        message = f"`{name}` is evaluated without `no_grad`: autograd records a graph that is never used"
        if run is not None:
            labels = [Note(forward, "builds a graph")]
            yield Finding(run, message, "no `no_grad` around this loop", labels, evidence=(waste,))
        else:
            at = Site(forward.frame.module, forward.call)
            yield Finding(at, message, "no `no_grad` around it", evidence=(waste,))
