"""Is held-out data built with the flag that asks for augmentation: `valid_set = Rows("valid", augment=True)`?

The flag says what it does by its name, or by what the function with it calls. One name is not enough: training data is
built by the same function with the same flag, and other held-out data without it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.rule import Finding, Note
from mllint.semantics.api import Call, FunctionScope, Topic, last_name, place, roles, targets_of, topics

__all__ = ["FLAGS", "flagged"]

FLAGS = "augment augmentation aug training is_training is_train"


def flagged(call: Call) -> Iterator[Finding]:
    """Held-out data that is built with such a flag, beside training data with it and held-out data without it."""
    given = next((k for k in call.node.keywords if k.arg in FLAGS.split() and _is_true(k.value)), None)
    name = _bound_to(call.node, call)
    if given is None or given.arg is None or not roles.is_held_out_name(name) or "tta" in (name or "").lower():
        return
    if not (topics.is_about(given.arg, Topic.AUGMENTATION) or _draws(call)):
        return
    if any(_says_what_is_drawn(k.arg or "") and not _is_true(k.value) for k in call.node.keywords):
        return  # another flag does
    training, spared = None, None
    for other in (c for c in call.function.calls if c is not call.node and last_name(c.func) == call.last_name):
        flag = next((k.value for k in other.keywords if k.arg == given.arg), None)
        target = _bound_to(other, call)
        if roles.is_training_name(target) and flag is not None and _is_true(flag):
            training = other
        elif roles.is_held_out_name(target) and (flag is None or getattr(flag, "value", None) is False):
            spared = other
    if training is not None and spared is not None and len(call.node.args) == len(training.args):
        message = f"`{name}` is built with `{given.arg}=True`, as the training data is"
        notes = [Note(call.at(training), "the training data"), Note(call.at(spared), "held-out data without it")]
        yield Finding(call, message, "augments held-out data", notes)


def _says_what_is_drawn(flag: str) -> bool:
    """Does an option say whether anything is random: `augment`, `training`, `random_window`?"""
    return flag in FLAGS.split() or topics.is_about(flag, Topic.RANDOMNESS)


def _bound_to(node: ast.Call, call: Call) -> str | None:
    """The one place that the result of a call is bound to."""
    targets = targets_of(node, call.function)
    return targets[0] if len(targets) == 1 and place(node.func) is not None else None


def _is_true(node: Any) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _draws(call: Call) -> bool:
    """Does the user's function, or class, call or name something that draws at random?"""
    functions = [f for f in call.callees if not f.stubbed]
    for cls in call.value.classes:
        functions += cls.methods.values() if not cls.module.is_stub else ()
    return any(topics.is_about(n, Topic.RANDOMNESS) for f in functions for n in _names(f))


def _names(function: FunctionScope) -> set[str]:
    given = {last_name(a) for c in function.calls for a in c.args if isinstance(a, (ast.Name, ast.Attribute))}
    return given | set(function.called_names)
