"""Are the weights that are kept those of the best epoch?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Flow, Site, bests, place, text, walk

__all__: list[str] = []

_NONE = "no score can be better than that, so the best weights are never saved"
_START = "start from the other infinity: `inf` for a loss, `-inf` for a score that should grow"


@check("best-never-updated")
def best_never_updated(flow: Flow) -> Iterator[Finding]:
    """Weights are kept where a score outdoes a record that nothing updates, that each epoch sets back, or that nothing
    can outdo."""
    for reset in bests.find_resets(flow):
        module, record = reset.frame.module, text(reset.frame.module, reset.record)
        message = f"`{record}` is reset in each epoch: every score is compared with the initial value of `{record}`"
        start = Note(Site(module, reset.start.node), "reset here")
        help = f"move `{record} = ...` above the loop over the epochs"
        yield Finding(Site(module, reset.test), message, "compares with the initial value", [start], help=help)
    for guard in bests.guards(flow):
        module = guard.frame.module
        record = text(module, guard.record)
        start = Note(Site(guard.bindings[0].scope.module, guard.bindings[0].node), "its initial value")
        if bests.is_guard_never_true(guard):
            message = f"`{text(module, guard.test)}` never holds: `{record}` starts from the wrong infinity"
            yield Finding(Site(module, guard.test), message, "never true", [start], help=_START, why=_NONE)
        elif bests.is_record_never_updated(guard):
            message = f"`{record}` is compared with each score, and never updated"
            kept = Note(guard.kept, "weights are saved here")
            own = guard.owner is guard.frame.function
            returned = _discarded(guard) if not own else None
            if returned is not None:
                kept = Note(returned, "the returned best score is discarded here")
            yield Finding(
                Site(module, guard.test),
                message,
                "compares with the initial value",
                [start, kept],
                help=_own_fix(guard, record) if own else _fix_of_caller(guard, returned),
                about=(guard.record,) if own else (),
            )


def _own_fix(guard: bests.Guard, record: str) -> str:
    """What to do where the record belongs to the function that compares it; empty for what the page says."""
    scores = [s for s in (guard.test.left, *guard.test.comparators) if s is not guard.record and place(s)]
    line = f"`{record} = {text(guard.frame.module, scores[0])}`" if len(scores) == 1 else ""
    return f"add {line} where the weights are saved" if line else ""


def _fix_of_caller(guard: bests.Guard, returned: Site | None) -> str:
    """What to do where the record is a variable of the caller, or of the function around this one."""
    if returned is not None:
        return f"assign what the function returns: `{guard.place} = {text(returned.module, returned.node, 50)}`"
    if guard.frame.function.parameter(place(guard.record) or "") is not None:
        return f"return the new best score, and assign it to `{guard.place}` in the caller"
    return ""


def _discarded(guard: bests.Guard) -> Site | None:
    """The call in the function that owns the record, of one that returns the record, as a statement of its own."""
    function, caller = guard.frame.function, guard.frame.caller
    name = place(guard.record)
    if caller is None or caller[0].function is not guard.owner:
        return None
    returns = any(place(n) == name for r in function.returns if r.value is not None for n in walk(r.value))
    call = Call(caller[1], caller[0]) if isinstance(caller[1], ast.Call) else None
    return call.site if returns and call is not None and call.is_statement else None
