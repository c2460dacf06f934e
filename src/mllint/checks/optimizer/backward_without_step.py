"""Are gradients computed for an optimizer that nothing ever steps?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, unstepped

__all__: list[str] = []

_OF_ONE = "gradients are computed and never applied: the weights of this optimizer keep their initial values"
_IN_BRANCH = "this branch computes gradients and never applies them: the weights change only when the other branch runs"
_NEVER = "its `step()` is never called"


@check("backward-without-step")
def backward_without_step(flow: Flow) -> Iterator[Finding]:
    """An optimizer clears gradients that a backward fills again, and nothing ever steps it."""
    for backward, name, how, at, step in unstepped.find_unstepped(flow):
        what, primary, help, why = _NEVER, "never applied", "", ""
        notes = [Note(at, "zeroed here")]
        match how:
            case unstepped.How.CLEARED_BY_MODEL:
                what = "the `step()` of its optimizer is never called"
            case unstepped.How.STEPPED_IN_OTHER_BRANCH:
                what, primary = "its `step()` is called in the other branch only", "not applied in this branch"
                notes += [Note(step, "`step()` runs only here")] if step is not None else []
                help, why = f"call `{name}.step()` in this branch too", _IN_BRANCH
            case unstepped.How.ONLY_CLEARED | unstepped.How.UNUSED:
                notes = [
                    Note(
                        at,
                        f"built here, {'only ever zeroed' if how is unstepped.How.ONLY_CLEARED else 'and never used'}",
                    )
                ]
                help, why = f"call `{name}.step()` after `backward()`", _OF_ONE
        message = f"gradients are computed for `{name}`, but {what}"
        yield Finding(backward, message, primary, notes, help=help, why=why)
