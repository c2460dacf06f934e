"""Does the forward pass of a training step run where no graph is built?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, Site, unrecorded

__all__: list[str] = []

_OUTSIDE = "run the training forward pass outside of `{0}`, and use `{0}` for evaluation only"
_FIXED = "compute this term with gradients; to keep a network fixed, call `requires_grad_(False)` on it instead"
_AGAIN = "switch gradients on again before training, or use `with torch.no_grad():` for the evaluation"
_TERM = "no graph is recorded for this term: the others train and the loss falls, but this one gives no gradient"


@check("no-grad-training")
def no_grad_training(flow: Flow) -> Iterator[Finding]:
    """The forward pass of a training step runs where no graph is built."""
    for switch, backward, part in unrecorded.find_unrecorded_losses(flow):
        name, primary, start, why = _name(switch), "no graph is built here", "`backward()` starts from this loss", ""
        match part:
            case unrecorded.Part.FORWARD:
                message = f"the forward pass runs under `{name}`, so `backward()` finds no graph"
                help = _OUTSIDE.format(name)
            case unrecorded.Part.LOSS:
                message = f"the loss is computed under `{name}`, so `backward()` finds no graph"
                help = _OUTSIDE.format(name)
            case unrecorded.Part.TERM:
                message = f"a term of the loss is computed under `{name}`, so it trains nothing"
                start, help, why = "`backward()` starts from the sum", _FIXED, _TERM
            case unrecorded.Part.REST:
                message = f"gradients are switched off by `{switch.text}` and still off when `backward()` runs"
                primary, start = "no graph is built from here on", "`backward()` finds no graph"
                help = _AGAIN
        yield Finding(switch, message, primary, [Note(backward, start)], help=help, why=why)


def _name(switch: Site) -> str:
    """The name of the context or decorator that switches gradients off."""
    node = switch.node.func if isinstance(switch.node, ast.Call) else switch.node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "no_grad")
