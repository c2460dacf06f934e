"""The domains of a training step, written down for `tests/semantics`: what is computed, kept and applied in vain."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mllint.semantics.flow.build import build
from mllint.semantics.flow.views import Call, FunctionView, ModuleView
from mllint.semantics.training.checkpoints import load_results, unrestored
from mllint.semantics.training.errors import masked
from mllint.semantics.training.gradients import clipping, closures, discarding, reused, scaler_protocol, unstepped
from mllint.semantics.training.graphs import kept_graphs, unrecorded
from mllint.semantics.training.randomness import sampler_epochs
from mllint.semantics.values.frames import Frame

__all__ = ["REVEALS"]


def _discarded(call: ast.Call, frame: Frame) -> str:
    """The steps of the function before which gradients are cleared that they are to apply."""
    found = discarding.find_discarded(build(frame.function, frame))
    steps = [(ast.unparse(d.step.call), "below the loop" if d.below_loop else "in a window") for d in found]
    return " | ".join(f"before {step} {where}" for step, where in steps) or "nothing"


def _unstepped(call: ast.Call, frame: Frame) -> str:
    """The optimizers of the function that no step is ever called of, and what is done with them."""
    found = unstepped.find_unstepped(build(frame.function, frame))
    return " | ".join(f"{u.name} is {u.how.value}" for u in found) or "nothing"


def _clip(call: ast.Call, frame: Frame) -> str:
    """Why no step uses what the clips of the function leave."""
    found = clipping.find_ineffective_clips(build(frame.function, frame))
    return " | ".join(f"in vain: {clip.reason.value}" for clip in found) or "used, or unknown"


def _kept_graph(call: ast.Call, frame: Frame) -> str:
    """What keeps graphs of the function alive, and whether they are those of a loss that was differentiated."""
    found = kept_graphs.find_kept_graphs(build(frame.function, frame))
    shown = [
        f"{kept.target} keeps {ast.unparse(kept.added)}, "
        f"{'not differentiated' if kept.backward is None else 'differentiated before'}"
        for kept in found
    ]
    return " | ".join(shown) or "nothing"


def _unrecorded(call: ast.Call, frame: Frame) -> str:
    """What the backwards of the function start from that was computed without a graph."""
    found = unrecorded.find_unrecorded_losses(build(frame.function, frame))
    return " | ".join(f"{u.part.value}, by {ast.unparse(u.switch.node)}" for u in found) or "recorded, or unknown"


def _load_result(call: ast.Call, frame: Frame) -> str:
    """What becomes of the report of each call of `load_state_dict` in the function."""
    loads = (Call(c, frame) for c in frame.function.calls_to(("load_state_dict",)))
    return " | ".join(_of_load(load) for load in loads) or "nothing is loaded"


def _of_load(load: Call) -> str:
    if not load_results.may_load_model(load):
        return "of no model"
    replaced = load_results.find_replaced_model(load)
    if replaced is not None:
        return f"takes the place of {replaced}"
    return "ignored" if load_results.is_report_ignored(load) else "read, or not needed"


def _masked(call: ast.Call, frame: Frame) -> str:
    """What the function does with losses and gradients that are not finite, and how well that is known."""
    shown = []
    for found in masked.find_masked(FunctionView(frame.function, frame)):
        known = "".join(f", {answer.evidence.name.lower()}" for answer in found.evidence)
        shown.append(f"{found.other}: {found.what.value}{known}")
    return " | ".join(shown) or "nothing"


def _reused(call: ast.Call, frame: Frame) -> str:
    """The backwards of the function that add to gradients which were applied already."""
    found = reused.find_reused_gradients(build(frame.function, frame))
    shown = [f"by {ast.unparse(r.backward.call)}{', cleared too rarely' if r.too_rare else ''}" for r in found]
    return " | ".join(shown) or "cleared, or unknown"


def _uncleared_closure(call: ast.Call, frame: Frame) -> str:
    """The backwards in closures of the function that add to gradients of earlier calls in the same step."""
    found = closures.find_uncleared_closures(build(frame.function, frame))
    return " | ".join(f"by {ast.unparse(u.backward.call)}" for u in found) or "cleared, or unknown"


def _scaler(call: ast.Call, frame: Frame) -> str:
    """What is missing, or out of order, among the calls of gradient scalers in the function."""
    found = scaler_protocol.find_protocol_faults(build(frame.function, frame))
    return " | ".join(f"{ast.unparse(f.at.call)}: {f.fault.value}" for f in found) or "complete, or unknown"


def _epochs(call: ast.Call, frame: Frame) -> str:
    """What is wrong with how the samplers of the function get the number of the epoch."""
    found = sampler_epochs.find_epoch_faults(build(frame.function, frame))
    return " | ".join(fault.fault.value for fault in found) or "right, or unknown"


def _unrestored(call: ast.Call, frame: Frame) -> str:
    """What the run of the file goes on without."""
    found = unrestored.find_unrestored(ModuleView(frame.module, frame))
    return " | ".join(f"{u.name or u.kind.name.lower()}: {u.lost.value}" for u in found) or "nothing, or unknown"


REVEALS: dict[str, Callable[[ast.Call, Frame], str]] = {
    "reveal_discarded": _discarded,
    "reveal_unstepped": _unstepped,
    "reveal_clip": _clip,
    "reveal_kept_graph": _kept_graph,
    "reveal_unrecorded": _unrecorded,
    "reveal_load_result": _load_result,
    "reveal_not_finite": _masked,
    "reveal_reused": _reused,
    "reveal_uncleared_closure": _uncleared_closure,
    "reveal_scaler": _scaler,
    "reveal_epochs": _epochs,
    "reveal_goes_on_without": _unrestored,
}
