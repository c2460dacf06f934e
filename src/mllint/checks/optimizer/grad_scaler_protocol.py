"""Are the calls of a gradient scaler complete, and in the right order: scale, (unscale,) step, update?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Event, Flow, last_name, receiver_text, scaler_protocol, shown, text

__all__: list[str] = []

_TOO_LARGE = "the gradients are still multiplied by the loss scale (65536 at first)"
_THEN_RAISES = ", and `update()` raises if the scaler has not checked any"
_TOO_SMALL = "the step raises if no loss was ever scaled, and otherwise divides these gradients by the loss scale"
_RAISES = "a second `unscale_` before `update()` raises a RuntimeError wherever the scaler is enabled"
_INFINITE = "only the scaler's `step` skips updates whose gradients have overflowed"
_NEVER_ADAPTS = "the scale never adapts, and the second `step` raises a RuntimeError wherever the scaler is enabled"
_UNCHECKED = "`update()` raises, since the gradients have not been checked yet"
_TWICE = "`update()` forgets the unscaling: the step divides by the scale again, and the next `unscale_` raises"


@check("grad-scaler-protocol")
def grad_scaler_protocol(flow: Flow) -> Iterator[Finding]:
    """The scaler's calls are incomplete, or in the wrong order."""
    for found in scaler_protocol.find_protocol_faults(flow):
        at, before = found.at, found.before
        name = shown(at)
        match found.fault:
            case scaler_protocol.Fault.STILL_SCALED | scaler_protocol.Fault.UNCHECKED:
                what, why = "applies gradients that are still scaled", _TOO_LARGE
                if found.fault is scaler_protocol.Fault.UNCHECKED:
                    what, why = "may apply gradients that are infinite", _INFINITE
                elif found.is_updated:
                    why += _THEN_RAISES
                message, primary, notes = f"`{name}` {what}", "bypasses the scaler", [Note(before, "scaled here")]
                help = f"replace it with `{_scaler_of(before)}.step({receiver_text(at)})`"
            case scaler_protocol.Fault.NEVER_UPDATED:
                message = f"`{name}` is repeated, but the scaler's `update()` is never called"
                primary, notes, why = "the scale never adapts", [], _NEVER_ADAPTS
                help = f"call `{receiver_text(at)}.update()` once, after the last `step` of the iteration"
            case scaler_protocol.Fault.NOT_SCALED:
                message = f"`{name}` unscales the gradients, but `{shown(before)}` ran on a loss that was not scaled"
                primary, why = "the loss was not scaled", _TOO_SMALL
                notes, help = [Note(before, "`backward()` of a loss that is not scaled")], _scale_the_loss(at, before)
            case scaler_protocol.Fault.UNSCALED_TWICE:
                message = f"`{name}` unscales gradients that are already unscaled"
                primary, notes, why = "unscaled twice", [Note(before, "unscaled here")], _RAISES
                help = f"remove this call: `{receiver_text(before)}.step` does not unscale gradients again"
            case _:
                yield _updated_early(found)
                continue
        yield Finding(at, message, primary, notes, help=help, why=why)


def _updated_early(found: scaler_protocol.ProtocolFault) -> Finding:
    """The finding for an update between the backward, or an unscale, and the step."""
    update, before, step = found.at, found.before, found.after or found.at
    if found.fault is scaler_protocol.Fault.UPDATED_AFTER_UNSCALE:
        between = f"runs between `{shown(before)}` and `{shown(step)}`"
        message, why = f"`{shown(update)}` {between}, which then unscales the gradients again", _TWICE
        notes = [Note(before, "unscaled here"), Note(step, "unscaled again here")]
    else:
        message = f"`{shown(update)}` runs before `{shown(step)}`, which unscales the gradients and checks them"
        why, notes = _UNCHECKED, [Note(before, "scaled here"), Note(step, "unscaled here")]
    return Finding(update, message, "too early", notes, help=f"call `{shown(update)}` after the step", why=why)


def _scale_the_loss(step: Event, plain: Event) -> str:
    """The help for a backward of a loss that is not scaled, before a step of the scaler."""
    scaler = receiver_text(step)
    if isinstance(plain.call, ast.Call) and last_name(plain.call.func) == "backward" and not plain.call.args:
        given = "..." if plain.call.keywords else ""
        return f"replace `{shown(plain)}` with `{scaler}.scale({receiver_text(plain)}).backward({given})`"
    return f"scale the loss: `{scaler}.scale(loss).backward()`"


def _scaler_of(backward: Event) -> str:
    """The scaler of `scaler.scale(loss).backward()`, in the user's words."""
    match backward.call:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Attribute(value=scaler, attr="scale")))):
            return text(backward.site.module, scaler, 40)
    return "scaler"
