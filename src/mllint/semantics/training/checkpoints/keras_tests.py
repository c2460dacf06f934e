"""Does Keras test a model as its last epoch left it, although a callback kept its best weights?

    keeper = ModelCheckpoint("best.keras", save_best_only=True)
    model.fit(train, validation_data=val, callbacks=[keeper])
    model.evaluate(test)                              # `find_keras_tests`: the weights that the model has now

The fit may stand in the same function, in one that the function calls with the model, or in another method that fits
the attribute.

What makes it unknown: anything in the files that reads weights or models back, a callback that restores the best ones
or that nobody knows, a fit that validates on nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.classes import constructor_argument, has_unknown_ancestor
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import InstanceValue, ManyValue, SequenceValue, Site, Value

__all__ = ["TestedByKeras", "find_keras_tests"]

_MODEL, _CALLBACKS = "keras.models.Model", "keras.callbacks."
_READING = ("load_weights", "load_model", "set_weights", "restore", "load_checkpoint", "from_pretrained")
"""What may read weights back; so may `tf.saved_model.load`."""


class TestedByKeras(NamedTuple):
    """A test of the last weights.

    Attributes:
        test: the call.
        model: what it is called on.
        rows: the rows for the test.
        kept: where the callback is built that keeps the best weights.
        named: that the rows are those for the test.
    """

    test: Call
    model: Node
    rows: Node
    kept: Site
    named: Answer[bool]


def find_keras_tests(function: FunctionScope, frame: Frame) -> Iterator[TestedByKeras]:
    """The tests in a function of a model of Keras that was fitted before, whose best weights a callback kept."""
    project = frame.project
    loads = (getattr(c.func, "value", None) for c, _ in project.calls_named("load"))
    if any(project.calls_named(name) for name in _READING) or any(last_name(v) == "saved_model" for v in loads):
        return
    for node in function.calls_to(("evaluate",)):
        test = Call(node, frame)
        rows = test.argument("x")
        if rows is None or test.receiver is None or not _may_be_model(test.receiver):
            continue
        name = place(rows.node)
        if roles.rows_by_name(name) is not Role.TEST_ROWS:
            continue
        kept = [k for fit in _fits_before(test, function) if (k := _keeper_of(fit)) is not None]
        if kept and kept[0].site is not None:
            named = roles.parts_by_name(rows.site, name)
            yield TestedByKeras(test, getattr(node.func, "value", None), rows.node, kept[0].site, named)


def _may_be_model(value: Value) -> bool:
    """Is it a model of Keras, or may it be one?"""
    return value.is_unknown or value.may_be_instance_of(_MODEL)


def _fits_before(test: Call, function: FunctionScope) -> Iterator[Call]:
    """The fits of the model that is tested."""
    model = place(test.node.func.value)
    for node in function.calls if model is not None else ():
        if node.lineno >= test.node.lineno:
            continue
        if last_name(node.func) == "fit" and place(getattr(node.func, "value", None)) == model:
            yield Call(node, test.frame)
        else:
            yield from _fits_by_helper(Call(node, test.frame), model or "")
    owner = function.owner
    if isinstance(owner, ClassScope) and model is not None and model.startswith("self."):
        for method in owner.methods.values():
            fits = [c for c in method.calls_to(("fit",)) if place(getattr(c.func, "value", None)) == model]
            yield from (Call(c, test.project.frame(method)) for c in fits if method is not function)


def _fits_by_helper(call: Call, model: str) -> Iterator[Call]:
    """The fits in the user's function that a call hands the model to."""
    for callee in (f for f in call.callees if not f.stubbed):
        handed, _ = bind(callee, call.node, call.frame)
        names = {n for n, given in handed.items() if isinstance(given, Passed) and place(given.node) == model}
        fits = [c for c in callee.calls_to(("fit",)) if place(getattr(c.func, "value", None)) in names]
        yield from (Call(c, call.project.frame(callee)) for c in fits)


def _keeper_of(fit: Call) -> InstanceValue | None:
    """The callback of a fit that keeps the best checkpoint only, if none of its callbacks may restore weights."""
    given, validation = fit.argument("callbacks"), fit.argument("validation_data") or fit.argument("validation_split")
    if given is None or validation is None:
        return None
    held = given.value.contents if isinstance(given.value, (SequenceValue, ManyValue)) else (given.value,)
    parts = [part for several in held for part in several.alternatives]
    if not all(map(_is_harmless, parts)):
        return None
    keepers = (p for p in parts if isinstance(p, InstanceValue) and p.instance_of(f"{_CALLBACKS}ModelCheckpoint"))
    for keeper in keepers:
        best, monitor = constructor_argument(keeper, "save_best_only"), constructor_argument(keeper, "monitor")
        named = monitor.literal if monitor is not None else "val_loss"
        if best is not None and best.literal is True and isinstance(named, str) and roles.is_held_out_name(named):
            return keeper
    return None


def _is_harmless(callback: Value) -> bool:
    """Is it a callback of Keras, or of the user's, that leaves the weights alone when the training ends?"""
    if not isinstance(callback, InstanceValue) or has_unknown_ancestor(callback.cls):
        return False
    restores = constructor_argument(callback, "restore_best_weights")
    return callback.instance_of(f"{_CALLBACKS}Callback") and (restores is None or restores.literal is False)
