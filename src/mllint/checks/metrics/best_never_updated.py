"""Are the weights that are kept those of the best epoch?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, Site, bests, text

__all__: list[str] = []

_NONE = "no score can be better than that, so the best weights are never saved"
_START = "start from the other infinity: `inf` for a loss, `-inf` for a score that should grow"


@check("best-never-updated")
def best_never_updated(flow: Flow) -> Iterator[Finding]:
    """Weights are kept where a score outdoes a record that nothing updates, or that nothing can outdo."""
    for guard in bests.guards(flow):
        module = guard.frame.module
        record = text(module, guard.record)
        start = Note(Site(guard.bindings[0].scope.module, guard.bindings[0].node), "its initial value")
        if bests.never_holds(guard):
            message = f"`{text(module, guard.test)}` never holds: `{record}` starts from the wrong infinity"
            yield Finding(Site(module, guard.test), message, "never true", [start], help=_START, why=_NONE)
        elif bests.never_updated(guard):
            message = f"`{record}` is compared with each score, and never updated"
            kept = Note(guard.kept, "weights are saved here")
            yield Finding(
                Site(module, guard.test),
                message,
                "compares with the initial value",
                [start, kept],
                about=(guard.record,) if guard.owner is guard.frame.function else (),  # else no fix is known
            )
