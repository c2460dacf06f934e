"""Are the weights that are kept those of the best epoch?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, Site, bests, place, text

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
            own = guard.owner is guard.frame.function  # else no fix is known
            scores = [s for s in (guard.test.left, *guard.test.comparators) if s is not guard.record and place(s)]
            line = f"`{record} = {text(module, scores[0])}`" if own and len(scores) == 1 else ""
            yield Finding(
                Site(module, guard.test),
                message,
                "compares with the initial value",
                [start, kept],
                help=f"add {line} where the weights are saved" if line else "",
                about=(guard.record,) if own else (),
            )
