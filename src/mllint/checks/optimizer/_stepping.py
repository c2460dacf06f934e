"""Which optimizer is cleared, whose is a backward, and can a step be where the flow does not see it?

The gradients of an optimizer are cleared through it or through its model. A step may hide in an unknown call, or in a
method of a related class that nothing in the flow calls: then nothing is claimed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note
from mllint.semantics.api import (
    Event,
    Flow,
    Site,
    gradients,
    shown,
    stepping,
)

__all__ = ["called_from", "unstepped"]


def unstepped(flow: Flow, clear: Event) -> Iterator[Finding]:
    """The same for an optimizer that is known by its name only."""
    backward, name = stepping.never_stepped(flow, clear), shown(clear).partition(".zero_grad")[0]
    if backward is None:
        backward, name = stepping.forgotten(flow, clear)
    if backward is None or any(isinstance(e, ast.Attribute) and e.attr == "step" for e in clear.function.expressions):
        return  # `optimizer.step` without its parentheses: another rule says so
    if not gradients.is_read_elsewhere(backward.function):
        message = f"gradients are computed for `{name}`, but its `step()` is never called"
        yield Finding(backward, message, "never applied", [Note(clear, "cleared here, and nowhere applied")])


def called_from(step: Event) -> list[Note]:
    """The call of the training loop, for a step that stands in a method of a wrapper of an optimizer."""
    caller = step.frame.caller
    wrapped = step.function.name == "step" and caller is not None and isinstance(caller[1], ast.Call)
    return [Note(Site(caller[0].module, caller[1]), "called here")] if wrapped and caller is not None else []
