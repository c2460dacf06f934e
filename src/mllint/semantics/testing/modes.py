"""The domain of modes, written down for `tests/semantics`: in which mode a model runs, and who sets it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mllint.semantics.flow.build import build
from mllint.semantics.flow.views import Call, ClassView
from mllint.semantics.syntax.nodes import place
from mllint.semantics.training.modes import overrides
from mllint.semantics.training.modes.dependence import is_shown
from mllint.semantics.training.modes.functional_layers import find_ignored_mode
from mllint.semantics.training.modes.mode_restoring import find_training_in_eval_mode
from mllint.semantics.training.modes.state import mode_at
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import ClassValue

__all__ = ["REVEALS"]


def _mode(call: ast.Call, frame: Frame) -> str:
    """In which mode a model is where it runs in the function: `reveal_mode(model)`."""
    graph = build(frame.function, frame)
    runs = [e for e in graph.events("forward") if place(e.call.func) == place(call.args[0])]
    answers = [mode_at(forward, graph) for forward in runs]
    shown = ["unknown" if answer is None else answer.value.value for answer in answers]
    return " | ".join(shown) or "nothing"


def _shown(call: ast.Call, frame: Frame) -> str:
    """Whether one can point at what depends on the mode in a model: `reveal_shown(model)`."""
    return "shown" if is_shown(evaluate(call.args[0], frame)).is_certain else "perhaps"


def _left(call: ast.Call, frame: Frame) -> str:
    """Whether the eval mode of a model is left on in the training that comes next: `reveal_left_on(model)`."""
    graph = build(frame.function, frame)
    modes = [m for m in graph.events("sets_mode") if place(getattr(m.call.func, "value", None)) == place(call.args[0])]
    left = [answer for m in modes if (answer := find_training_in_eval_mode(m, graph)) is not None]
    return " | ".join("left on" if answer.is_certain else "perhaps" for answer in left) or "nothing"


def _ignored_mode(call: ast.Call, frame: Frame) -> str:
    """Whether a functional layer ignores the mode of its module: `reveal_ignored_mode(F.dropout(x))`."""
    layer = call.args[0]
    ignored = find_ignored_mode(Call(layer, frame)) if isinstance(layer, ast.Call) else None
    if ignored is None:
        return "not ignored"
    how = f"`{ignored.by.text}`" if ignored.by is not None else "by default"
    by_design = "" if ignored.is_mistake.is_certain else ", perhaps by design"
    module = "" if ignored.module == "self" else f", of {ignored.module or 'no module'}"
    return f"{ignored.kind}, {how}{by_design}{module}"


def _run_with(call: ast.Call, frame: Frame) -> str:
    """The functions that run with the `forward` of the class and may set its mode."""
    found = [ClassView(v.cls, frame) for v in evaluate(call.args[0], frame).alternatives if isinstance(v, ClassValue)]
    return ", ".join(
        p.function.name for c in found for p in overrides.parts_run_with_forward(c, c.scope.methods["forward"])
    )


def _own_mode(call: ast.Call, frame: Frame) -> str:
    """How a class changes its own mode, or keeps its children from theirs: `reveal_own_mode(Net)`."""
    shown = []
    for cls in (v.cls for v in evaluate(call.args[0], frame).alternatives if isinstance(v, ClassValue)):
        view = ClassView(cls, frame)
        by_name = {True: "", False: ", which only has the name"}
        found = [(o.word + by_name[o.takes_mode], o.takes_place) for o in overrides.find_overrides(view)]
        if (toggle := overrides.find_toggle(view)) is not None:
            found.append((f"forward, by {ast.unparse(toggle.site.node)}", toggle.is_trained))
        shown += [what if answer.is_certain else f"perhaps {what}" for what, answer in found]
    return " | ".join(shown) or "nothing"


REVEALS: dict[str, Callable[[ast.Call, Frame], str]] = {
    "reveal_mode": _mode,
    "reveal_shown": _shown,
    "reveal_left_on": _left,
    "reveal_ignored_mode": _ignored_mode,
    "reveal_run_with": _run_with,
    "reveal_own_mode": _own_mode,
}
"""What each call that asks for something reveals."""
