"""What may a text do that is run as code: `exec(text)`, `eval("opt.step()")`?

It may do anything to what the function around it has a name for. A text that is known does something only to what it
names, and an `eval` whose result is used is a look-up.
"""

from __future__ import annotations

import ast
import re

from mllint.semantics.flow.flow import Event
from mllint.semantics.syntax.module import thrown_away
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import flattened_alternatives
from mllint.semantics.values.values import LiteralValue, Site, TensorValue, Value

__all__ = ["text_events"]

_NAME = re.compile(r"[^\W\d]\w*")


def text_events(call: ast.Call, frame: Frame) -> list[Event]:
    """An unknown call of all that the text may touch which `call` runs, in `frame`; none if there is nothing."""
    if not call.args or (last_name(call.func) == "eval" and id(call) not in thrown_away(frame.function)):
        return []
    held = [
        v
        for name in _names(call.args[0], frame)
        for v in flattened_alternatives(_value(name, frame))
        if v.identity and not isinstance(v, TensorValue)
    ]
    if not held:
        return []
    others = tuple(held[1:])
    return [Event("unknown", Site(frame.module, call), frame, held[0], call=call, option="exec", others=others)]


def _names(text: Node, frame: Frame) -> list[str]:
    """The names in `frame` that a text may use."""
    names = [name for name in frame.function.bindings if name.isidentifier()]
    value = evaluate(text, frame)
    if not isinstance(value, LiteralValue) or not isinstance(value.value, str):
        return names
    used = set(_NAME.findall(value.value))
    return [name for name in names if name in used]


def _value(name: str, frame: Frame) -> Value:
    """What a name of the function of `frame` holds."""
    parameter = frame.function.parameter(name)
    only = parameter is not None and len(frame.function.bindings[name]) == 1
    return frame.parameter(name) if only else frame.named(name)
