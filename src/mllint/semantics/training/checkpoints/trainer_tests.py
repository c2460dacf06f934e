"""Does a trainer test a module as its last epoch left it, although a callback kept its best weights?

    keeper = ModelCheckpoint(monitor="val_f1", mode="max")
    trainer = Trainer(callbacks=[keeper])
    trainer.fit(model, datamodule=data)
    trainer.test(model, datamodule=data)              # `find_trainer_tests`: the weights that the module has now
    trainer.test(datamodule=data)                     # the best ones: without a module, Lightning reads them
    trainer.test(model, data, ckpt_path="best")       # and so it does here

What makes it unknown: a callback, or a hook of the module, that may change the weights when the training ends, as those
do that average them; anything in the function that reads weights after the fit; a fit and a test of which one run has
only one. A metric says by its name alone that it is measured on validation rows: the test, of other rows, is the second
fact.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import LIGHTNING_MODULE
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.training import roles
from mllint.semantics.values.classes import constructor_argument, has_unknown_ancestor, method
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import InstanceValue, ManyValue, SequenceValue, Site, Value

__all__ = ["TestedByTrainer", "find_trainer_tests"]

_TRAINER = "lightning.pytorch.Trainer"
_CALLBACKS = "lightning.pytorch.callbacks."
_KEEPER = f"{_CALLBACKS}ModelCheckpoint"
_AVERAGING = tuple(
    f"{_CALLBACKS}{name}" for name in ("StochasticWeightAveraging", "WeightAveraging", "EMAWeightAveraging")
)
_CALLBACK = f"{_CALLBACKS}Callback"
_READING = ("load_state_dict", "load_from_checkpoint", "load_checkpoint", "load", "load_weights", "restore")
_RUNS = ("test", "validate", "predict")
_ENDS = ("on_fit_end", "on_train_end", "on_test_start", "on_test_epoch_start", "on_test_model_eval", "setup")
"""The hooks that may change the weights between the last epoch and the test."""
_SHORT = ("fast_dev_run", "enable_checkpointing", "limit_val_batches")
"""What a trainer is told that tries something, or keeps nothing."""


class TestedByTrainer(NamedTuple):
    """A test of the last weights.

    Attributes:
        test: the call.
        model: the module that it is given.
        kept: where the callback is built that keeps the best weights.
    """

    test: Call
    model: Node
    kept: Site


def find_trainer_tests(function: FunctionScope, frame: Frame) -> Iterator[TestedByTrainer]:
    """The tests in a function of a module that a trainer fitted before, whose best weights a callback kept."""
    if not {"fit", "test"} <= function.called_names:
        return
    fits = [c for n in function.calls_to(("fit",)) if _is_of_trainer(c := Call(n, frame))]
    for test in (c for n in function.calls_to(("test",)) if _is_of_trainer(c := Call(n, frame))):
        model = test.argument("model")
        if model is None or model.value.literal is not None or test.given_value("ckpt_path") is not None:
            continue
        fit = next((f for f in fits if _fits_before(f, test)), None)
        kept = _keeper_of(fit) if fit is not None and not test.may_give("ckpt_path") else None
        if fit is None or kept is None or _may_change_at_end(model.value) or _reads_weights(function, fit, test):
            continue
        monitor = constructor_argument(kept, "monitor")
        named = monitor.literal if monitor is not None else None
        if isinstance(named, str) and not roles.is_training_name(named) and kept.site is not None:
            yield TestedByTrainer(test, model.node, kept.site)


def _is_of_trainer(call: Call) -> bool:
    """Is it a method of a trainer, and of nothing else?"""
    return call.receiver is not None and call.receiver.instance_of(_TRAINER)


def _fits_before(fit: Call, test: Call) -> bool:
    """Is the module that is tested fitted before, in each run that tests it?"""
    fitted, tested = fit.argument("model"), test.argument("model")
    if fitted is None or tested is None or not _is_before(fit.node, test.node):
        return False
    name = place(fitted.node)
    same = name is not None and name == place(tested.node)
    bound = [bound_at(a.node, fit.function) for a in (fitted, tested)]
    return same and bound[0] == bound[1] and not _has_other_way(fit.node, test.node, fit.function)


def _is_before(one: Node, other: Node) -> bool:
    return bool((one.lineno, one.col_offset) < (other.lineno, other.col_offset))


def _has_other_way(fit: Node, test: Node, function: FunctionScope) -> bool:
    """May a run test without the fit: is that under a condition that the test is not under?"""
    for node in (n for s in function.body for n in walk(s) if isinstance(n, ast.If)):
        for branch in (node.body, node.orelse):
            inside = [any(n is call for s in branch for n in walk(s)) for call in (fit, test)]
            if inside == [True, False]:
                return True
    return False


def _keeper_of(fit: Call) -> InstanceValue | None:
    """The callback of a trainer that keeps the one best checkpoint, if no other callback may change the weights."""
    trainer = fit.receiver
    given = constructor_argument(trainer, "callbacks") if trainer is not None else None
    held = given.contents if isinstance(given, (SequenceValue, ManyValue)) else (given,) if given is not None else ()
    parts = [part for several in held for part in several.alternatives]
    if trainer is None or any(map(_may_change_at_end, parts)):
        return None
    told = [constructor_argument(trainer, name) for name in _SHORT]
    if any(v is not None and v.literal is not True and v.literal != 1.0 for v in told[1:]) or told[0] is not None:
        return None
    for part in parts:
        count = constructor_argument(part, "save_top_k") if part.instance_of(_KEEPER) else None
        if isinstance(part, InstanceValue) and part.instance_of(_KEEPER) and (count is None or count.literal == 1):
            return part
    return None


def _may_change_at_end(value: Value) -> bool:
    """May a callback, or a module, change the weights when the training ends, or read others?"""
    if not isinstance(value, InstanceValue) or not value.instance_of(_CALLBACK, LIGHTNING_MODULE):
        return True
    if value.instance_of(*_AVERAGING) or has_unknown_ancestor(value.cls):
        return True
    hooks = (f for name in _ENDS if (f := method(value.cls, name)) is not None and not f.stubbed)
    return any(last_name(c.func) in _READING for hook in hooks for c in hook.calls)


def _reads_weights(function: FunctionScope, fit: Call, test: Call) -> bool:
    """Does anything in the function read weights after the fit, before the test or for another one?"""
    after = [c for c in function.calls if _is_before(fit.node, c) and c is not test.node]
    others = [c for n in after if last_name(n.func) in _RUNS and _is_of_trainer(c := Call(n, test.frame))]
    return any(last_name(c.func) in _READING or any(k.arg == "ckpt_path" for k in c.keywords) for c in after) or any(
        c.argument("model") is None for c in others
    )
