"""Does one metric of a Lightning module count the batches of two stages?

    def training_step(self, batch, index):
        self.accuracy.update(self.net(x), y)            # counts these batches,
    def validation_step(self, batch, index):
        self.accuracy.update(self.net(x), y)            # and these,
    def on_validation_epoch_end(self):
        self.log("val_acc", self.accuracy.compute())    # `find_shared_metrics`: before it is reset

Lightning validates inside the epoch that it trains, so that a metric that both steps update holds the training batches
of the epoch when its value is asked for. What counts is an update that certainly runs: in the step itself, or in a
method that it calls, where the name of the stage that is handed over may decide. A metric that anything resets in
between begins anew, and the value of one batch, which a call gives back, is no value of the whole.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.flow import Flow
from mllint.semantics.libraries.classes import LIGHTNING_MODULE, METRIC, METRIC_COLLECTION
from mllint.semantics.syntax.module import FunctionScope, Scope
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.syntax.sites import Site
from mllint.semantics.values.bases import ancestors
from mllint.semantics.values.decided import is_reached
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame

__all__ = ["SharedMetric", "find_shared_metrics"]

_METRICS = (METRIC, METRIC_COLLECTION)
_ENDS = ("on_validation_epoch_end", "validation_epoch_end")
"""The hooks that ask for the value of a whole validation: what they reset begins anew only then."""
_LATER = frozenset(
    (*_ENDS, "on_test_start", "on_test_epoch_start", "on_test_epoch_end", "test_epoch_end", "on_test_end")
)
"""The hooks that run when a validation, or the training, is over."""
_DEPTH = 2
"""How many methods may call one another between a step and the update."""


class SharedMetric(NamedTuple):
    """A metric that two stages update.

    Attributes:
        name: its place.
        read: where its value is asked for, or logged.
        trained: where training batches are counted.
        validated: where validation batches are.
    """

    name: str
    read: Site
    trained: Site
    validated: Site


def find_shared_metrics(flow: Flow) -> Iterator[SharedMetric]:
    """The metrics that count training batches and validation batches together.

    Args:
        flow: that of a `training_step`; nothing is said of any other.
    """
    step = flow.frame.function
    methods = step.owner.methods if step.owner is not None and step.name == "training_step" else {}
    if "validation_step" not in methods or step.owner is None or LIGHTNING_MODULE not in ancestors(step.owner):
        return
    project = flow.frame.project
    trained = dict(_updates(project.frame(step), _DEPTH))
    if not trained:
        return
    validation = project.frame(methods["validation_step"])
    read = dict(_readings(validation, _DEPTH, logged=True))
    for hook in (methods[name] for name in _ENDS if name in methods):
        read.update(_readings(project.frame(hook), 0))
    for name, validated in _updates(validation, _DEPTH):
        if name in trained and name in read and not _is_reset_before(name, step, project.calls_named("reset")):
            yield SharedMetric(name, read[name], trained[name], validated)


def _updates(frame: Frame, depth: int) -> Iterator[tuple[str, Site]]:
    """The metrics of the object that a method certainly shows something, itself or in methods that it calls."""
    for node in frame.function.calls:
        if is_reached(node, frame) is not True:
            continue
        func: Node = node.func
        updating = isinstance(func, ast.Attribute) and func.attr in ("update", "forward")
        name = place(func.value if updating else func)
        if name is None or not name.startswith("self."):
            continue
        if _is_metric(func.value if updating else func, frame):
            yield name, Site(frame.module, node)
        elif depth and not updating:
            for inner in inner_frames(node, frame):
                yield from _updates(inner, depth - 1)


def _readings(frame: Frame, depth: int, *, logged: bool = False) -> Iterator[tuple[str, Site]]:
    """The metrics of the object whose value a method asks for, or that it logs as they are."""
    for node in frame.function.calls:
        func: Node = node.func
        if isinstance(func, ast.Attribute) and func.attr == "compute" and _is_metric(func.value, frame):
            yield place(func.value) or "", Site(frame.module, node)
        elif logged and last_name(func) == "log" and len(node.args) > 1 and _is_metric(node.args[1], frame):
            yield place(node.args[1]) or "", Site(frame.module, node)
        elif depth and (place(func) or "").startswith("self."):
            for inner in inner_frames(node, frame):
                yield from _readings(inner, depth - 1, logged=logged)


def _is_metric(node: Node, frame: Frame) -> bool:
    """True if `node` is an attribute of the object that holds a metric."""
    return (place(node) or "").startswith("self.") and evaluate(node, frame).instance_of(*_METRICS)


def _is_reset_before(name: str, step: FunctionScope, resets: list[tuple[ast.Call, Scope]]) -> bool:
    """True if a call of `reset` may be about the metric `name` and come before a validation ends.

    Args:
        name: the place of the metric.
        step: the method that trains.
        resets: the calls of `reset` in the project, each with the scope in which it stands.
    """
    attribute = name.rpartition(".")[2]
    found = [scope for node, scope in resets if last_name(getattr(node.func, "value", None)) in (attribute, "")]
    return any(getattr(scope, "owner", None) is not step.owner or scope.name not in _LATER for scope in found)
