"""The domain of layers, written down for `tests/semantics`: what is registered, initialised, shared and frozen."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mllint.semantics.flow.views import Call, ClassView, FunctionView
from mllint.semantics.syntax.nodes import place
from mllint.semantics.training.layers import initialisation, per_call, repeated
from mllint.semantics.training.layers.computed import find_computed_attributes
from mllint.semantics.training.layers.containers import find_unregistered_modules
from mllint.semantics.training.layers.freezing import find_ineffective_attribute
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import ClassValue

__all__ = ["REVEALS"]


def _unregistered(call: ast.Call, frame: Frame) -> str:
    """What the class keeps in plain containers, and where it belongs."""
    classes = [v.cls for v in evaluate(call.args[0], frame).alternatives if isinstance(v, ClassValue)]
    found = sorted(
        (r for c in classes for r in find_unregistered_modules(ClassView(c, frame))), key=lambda r: r[1].node.lineno
    )
    return " | ".join(f"{put.name} in {home}, {a.evidence.name.lower()}" for _, put, home, a in found) or "nothing"


def _computed(call: ast.Call, frame: Frame) -> str:
    """The attributes of the class that were computed from a parameter."""
    found = [v.cls for v in evaluate(call.args[0], frame).alternatives if isinstance(v, ClassValue)]
    return (
        ", ".join(b.name for cls in found for b, _, _ in find_computed_attributes(ClassView(cls, frame))) or "nothing"
    )


def _freezes(call: ast.Call, frame: Frame) -> str:
    """Whether the last assignment to the attribute freezes anything."""
    name = place(call.args[0]) or ""
    binding = frame.function.bindings[name][-1]
    answer = find_ineffective_attribute(binding, name, FunctionView(frame.function, frame))
    return "perhaps" if answer is None else f"nothing, {answer.evidence.name.lower()}"


def _classes(call: ast.Call, frame: Frame) -> list[ClassView]:
    """The classes that the argument may be."""
    return [ClassView(v.cls, frame) for v in evaluate(call.args[0], frame).alternatives if isinstance(v, ClassValue)]


def _uninitialised(call: ast.Call, frame: Frame) -> str:
    """What the constructor of a class assigns before its module is initialised: `reveal_uninitialised(Net)`."""
    shown = []
    for found in filter(None, map(initialisation.find_uninitialised, _classes(call, frame))):
        late = "later" if found.initialised is not None else "never"
        shown.append(f"{found.name}, initialised {late}" + ("" if found.is_run.is_certain else ", perhaps a template"))
    return " | ".join(shown) or "nothing"


def _shared(call: ast.Call, frame: Frame) -> str:
    """The layers that stand in several places of the container that is the argument."""
    made = call.args[0]
    found = repeated.find_shared_layers(Call(made, frame)) if isinstance(made, ast.Call) else ()
    return ", ".join(ast.unparse(shared.layer) for shared in found) or "nothing"


def _per_call(call: ast.Call, frame: Frame) -> str:
    """The layers that a class builds each time it runs: `reveal_per_call(Net)`."""
    found = [built for cls in _classes(call, frame) for built in per_call.find_layers_built_per_call(cls)]
    return ", ".join(f"{built.name} in {method.name}" for built, method in found) or "nothing"


REVEALS: dict[str, Callable[[ast.Call, Frame], str]] = {
    "reveal_unregistered": _unregistered,
    "reveal_computed": _computed,
    "reveal_freezes": _freezes,
    "reveal_uninitialised": _uninitialised,
    "reveal_shared_layers": _shared,
    "reveal_per_call": _per_call,
}
"""What each call that asks for something reveals."""
