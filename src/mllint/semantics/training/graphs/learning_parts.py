"""Does a model run a part that learns, though another part is frozen, or runs without a graph?

    with torch.no_grad():
        features = self.backbone(x)     # records nothing, as if it were frozen
    return self.head(features)          # records a graph: the head has parameters that nothing freezes

Only what the model's own `forward` runs in any case counts, `self.head(...)` outside of an `if`: of a part that is
chosen, or that was handed in as something unknown, nothing is claimed.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import About
from mllint.semantics.flow.kinds import Freezes
from mllint.semantics.syntax.nodes import is_within, place, walk
from mllint.semantics.training.layers.freezing import freezes_itself
from mllint.semantics.training.layers.registration import has_parameters_or_mode
from mllint.semantics.values.classes import attribute, method
from mllint.semantics.values.gradmode import grad_off
from mllint.semantics.values.values import InstanceValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.syntax.module import FunctionScope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.values import Value

__all__ = ["runs_learning_part"]

_CHOICES = (ast.If, ast.IfExp, ast.BoolOp, ast.Match, ast.Try, ast.While, ast.FunctionDef, ast.Lambda)
"""What may leave out some of the expressions in it."""


def runs_learning_part(forward: Event, flow: Flow) -> bool:
    """True if the model of `forward` runs a part with gradients on, of which no parameter is frozen in `flow`."""
    model = forward.subject
    return bool(model.alternatives) and all(
        isinstance(v, InstanceValue) and _has_learning_part(v, forward.frame, flow) for v in model.alternatives
    )


def _has_learning_part(model: InstanceValue, frame: Frame, flow: Flow) -> bool:
    own = method(model.cls, "forward")
    if own is None or own.stubbed:
        return False
    run = _parts_always_run(own, frame.project.frame(own))
    return any(_learns(attribute(model, name, frame), frame, flow) for name in run)


def _parts_always_run(function: FunctionScope, frame: Frame) -> Iterator[str]:
    """The attributes of its object that `function` calls, with gradients on, in each run of it."""
    own = f"{function.parameters[0].name}."
    for statement in function.body:
        chosen = [n for n in walk(statement) if isinstance(n, _CHOICES)]
        for call in (n for n in walk(statement) if isinstance(n, ast.Call)):
            name = place(call.func) or ""
            if name.startswith(own) and not set(".[") & set(name.removeprefix(own)):
                if not any(is_within(call, choice) for choice in chosen) and grad_off(call, frame) is False:
                    yield name.removeprefix(own)
        if any(isinstance(n, ast.Return) for choice in chosen for n in walk(choice)):
            return


def _learns(part: Value, frame: Frame, flow: Flow) -> bool:
    """True if each of the modules that `part` may be has parameters that nothing freezes."""
    modules = part.alternatives
    return bool(modules) and all(
        isinstance(m, InstanceValue) and has_parameters_or_mode(m, mode=False) and not _is_frozen(m, frame, flow)
        for m in modules
    )


def _is_frozen(module: InstanceValue, frame: Frame, flow: Flow) -> bool:
    mine = About(module, frame)
    freezing = (about for e in flow.events(Freezes) if e.option is not False for about in e.abouts())
    return freezes_itself(module, frame) or any(about.more or about.reached.meets(mine.reached) for about in freezing)
