"""Fixes of the family `evaluation`."""

from __future__ import annotations

from mllint.fixes.edits import around, keyword, replaced
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Call

__all__: list[str] = []


@fix("dropout-ignores-mode")
def pass_the_mode(finding: Finding) -> Proposal:
    """The function is told the module's mode."""
    call = finding.at
    if not isinstance(call, Call) or not call.function.parameters or call.function.owner is None:
        raise Unsure
    mode = f"{call.function.parameters[0].name}.training"
    given = call.argument("training")
    if call.last_name == "scaled_dot_product_attention":
        rate = call.argument("dropout_p")
        if rate is None:
            raise Unsure
        return Proposal(f"Drop only in training: `if {mode}`", around(rate.site, "", f" if {mode} else 0.0"))
    title = f"Pass `training={mode}`"
    return Proposal(title, replaced(given.site, mode) if given is not None else keyword(call.site, "training", mode))
