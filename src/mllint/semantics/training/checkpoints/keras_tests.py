"""Does Keras test a model as its last epoch left it, although a callback kept its best weights?

    keeper = ModelCheckpoint("best.keras", save_best_only=True)
    model.fit(train, validation_data=val, callbacks=[keeper])
    model.evaluate(test)                              # `find_keras_tests`: the weights that the model has now
    scores = model.predict(x_test)                    # likewise, also batch by batch

The fit may stand in the same function, in one that the function calls with the model, or that gives the model back, or
in another method that fits the attribute. The test may stand in a helper that is given the model and the rows.

What makes it unknown: anything in the files that reads weights or models back, a callback that restores the best ones
or that nobody knows, a fit that validates on nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, iterable_of, last_name, place
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.classes import constructor_argument, has_unknown_ancestor
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import part_at, targets_of
from mllint.semantics.values.values import InstanceValue, ManyValue, SequenceValue, Site, Value

__all__ = ["TESTS", "TestedByKeras", "find_keras_tests"]

TESTS = ("evaluate", "predict", "predict_on_batch", "test_on_batch")
"""The methods of a model of Keras that run it on rows."""

_MODEL, _CALLBACKS = "keras.models.Model", "keras.callbacks."
_READING = ("load_weights", "load_model", "set_weights", "restore", "load_checkpoint", "from_pretrained")
"""What may read weights back; so may `tf.saved_model.load`."""


class TestedByKeras(NamedTuple):
    """A test of the last weights.

    Attributes:
        test: the call that runs the model, or that hands it to the function which does.
        model: the place of the model there.
        rows: the rows for the test.
        kept: where the callback is built that keeps the best weights.
        named: that the rows are those for the test.
    """

    test: Call
    model: str
    rows: Site
    kept: Site
    named: Answer[bool]


class _Use(NamedTuple):
    """A test as one function sees it: the model, the rows, and the call that runs it, or that hands both on."""

    model: str
    rows: Site
    call: Call


def find_keras_tests(function: FunctionScope, frame: Frame) -> Iterator[TestedByKeras]:
    """The first test in a function of each model of Keras that was fitted before, whose best weights a callback
    kept."""
    project = frame.project
    if not any(project.calls_named("ModelCheckpoint")):
        return
    loads = (getattr(c.func, "value", None) for c, _ in project.calls_named("load"))
    if any(project.calls_named(name) for name in _READING) or any(last_name(v) == "saved_model" for v in loads):
        return
    said: set[Site] = set()
    for node in sorted(function.calls_to(TESTS), key=lambda n: n.lineno):
        test = Call(node, frame)
        if test.receiver is None or not _may_be_model(test.receiver):
            continue
        for use in _uses(test):
            name = place(use.rows.node)
            if roles.rows_by_name(name) is not Role.TEST_ROWS:
                continue
            kept = [k for fit in _fits_before(use) if (k := _keeper_of(fit)) is not None]
            if kept and kept[0].site is not None and kept[0].site not in said:
                said.add(kept[0].site)
                named = roles.parts_by_name(use.rows, name)
                yield TestedByKeras(use.call, use.model, use.rows, kept[0].site, named)
                break


def _uses(test: Call) -> Iterator[_Use]:
    """A test as its function sees it, and, of a model that its function is given, as the callers of that do."""
    node, function = test.node, test.function
    model = place(getattr(node.func, "value", None))
    given = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "x")]
    if model is None or not given:
        return
    rows = test.at(_looped_over(given[0], function))
    yield _Use(model, rows, test)
    if all(b.kind != "param" for b in function.bindings.get(model, ())):
        return
    for call, outer in test.project.callers(function):
        handed, _ = bind(function, call, outer)
        own, data = handed.get(model), handed.get(place(rows.node) or "")
        name = place(own.node) if isinstance(own, Passed) else None
        if name is not None:
            use = Call(call, outer)
            yield _Use(name, use.at(data.node) if isinstance(data, Passed) else rows, use)


def _looped_over(rows: Node, function: FunctionScope) -> Node:
    """What the batches of a loop are taken from: `test` for `x` of `for x, y in test:`; other rows as they are."""
    found = bound_at(rows, function) if isinstance(rows, ast.Name) else ()
    if len(found) == 1 and found[0].kind == "for" and found[0].path in ((), (0,)):
        return iterable_of(found[0].value)
    return rows


def _may_be_model(value: Value) -> bool:
    """Is it a model of Keras, or may it be one?"""
    return value.is_unknown or value.may_be_instance_of(_MODEL)


def _fits_before(use: _Use) -> Iterator[Call]:
    """The fits of the model that is tested."""
    model, test, function = use.model, use.call, use.call.function
    for node in function.calls:
        if node.lineno >= test.node.lineno:
            continue
        if last_name(node.func) == "fit" and place(getattr(node.func, "value", None)) == model:
            yield Call(node, test.frame)
        else:
            yield from _fits_by_helper(Call(node, test.frame), model)
    owner = function.owner
    if isinstance(owner, ClassScope) and model.startswith("self."):
        for method in owner.methods.values():
            fits = [c for c in method.calls_to(("fit",)) if place(getattr(c.func, "value", None)) == model]
            yield from (Call(c, test.project.frame(method)) for c in fits if method is not function)


def _fits_by_helper(call: Call, model: str) -> Iterator[Call]:
    """The fits in the user's function that a call hands the model to, or that gives the model back."""
    bound = targets_of(call.node, call.function)
    for callee in (f for f in call.callees if not f.stubbed and "fit" in f.called_names):
        handed, _ = bind(callee, call.node, call.frame)
        names = {n for n, given in handed.items() if isinstance(given, Passed) and place(given.node) == model}
        if model in bound:
            path = (bound.index(model),) if len(bound) > 1 else ()
            names |= {name for r in callee.returns if (name := place(part_at(r.value, path))) is not None}
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
