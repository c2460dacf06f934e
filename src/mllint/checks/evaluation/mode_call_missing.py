"""Is a method named where it is meant to be called: `model.eval`, `torch.save({"net": net.state_dict}, path)`?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Module, text, uncalled

__all__: list[str] = []

_MISSED = {
    "train": "the mode does not change",
    "eval": "the mode does not change",
    "zero_grad": "no gradient is zeroed",
    "step": "no step is taken",
    "backward": "no gradient is computed",
    "state_dict": "the method is passed on, not the state",
}


@check("mode-call-missing")
def mode_call_missing(module: Module) -> Iterator[Finding]:
    """A method is named where it is meant to be called."""
    for node in uncalled.find_uncalled_methods(module):
        named = text(module.module, node)
        message = f"`{named}` without parentheses does not call the method: {_MISSED[node.attr]}"
        yield Finding(module.at(node), message, "no parentheses", help=f"add the parentheses: `{named}()`")
