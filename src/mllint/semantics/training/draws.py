"""Is chance under control: fixed where runs are compared, and fresh where it has to be?

Two opposite harms. Rows that are divided by an unseeded draw differ from run to run. And numbers that are meant to be
new each time repeat when every worker holds a copy of one generator, or when a loop sets the seed anew.

"""

from __future__ import annotations

from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.values.classes import constructor_argument, method
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.values import Value

__all__ = ["drawn_stream"]


def drawn_stream(call: Call) -> str | None:
    """The global random stream that a call draws from, None if it draws none or a seed is given."""
    if call.is_open:
        return None
    streams = set()
    for function in call.callees:
        effect = effect_of(function, "draws")
        if effect is None and function.owner is not None and call.receiver is not None:
            return _splitter_stream(call.receiver)
        if effect is None or not effect.values or not _is_drawn(call, effect.options):
            return None
        streams.add(str(effect.values[0]))
    return streams.pop() if len(streams) == 1 else None


def _is_drawn(call: Call, options: dict[str, Any]) -> bool:
    for name in str(options.get("unless", "")).split():
        given = call.argument(name)
        if given is not None and not (given.value.kind == "literal" and given.value.literal is None):
            return False
    said = str(options.get("when", ""))
    when = call.argument(said) if said else None
    return when is None or when.value.truth is True


def _splitter_stream(receiver: Value) -> str | None:
    """`KFold(shuffle=True).split(...)`: what its constructor says."""
    for cls in receiver.classes:
        init = method(cls, "__init__")
        effect = effect_of(init, "draws") if init is not None and init.stubbed else None
        if effect is None or receiver.arguments is None or receiver.arguments.open:
            return None
        seed = constructor_argument(receiver, str(effect.options.get("unless", "")))
        if seed is not None and not (seed.kind == "literal" and seed.literal is None):
            return None
        when = effect.options.get("when")
        given = constructor_argument(receiver, str(when)) if when else None
        if when and (given is None or given.truth is not True):
            return None
        return str(effect.values[0])
    return None
