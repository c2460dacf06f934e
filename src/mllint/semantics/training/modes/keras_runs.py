"""Does a model of Keras run as in training where it is measured?

    def predict(self, images, training=True):
        return self.model(images, training=training)

    def eval_step(self, images, labels):
        self.accuracy.update_state(labels, self.predict(images))       # `find_run_in_training`: as in training
        self.accuracy.update_state(labels, self.predict(images, training=False))

A model of Keras has no mode of its own: each call says whether it is one of the training. Scores are followed from the
metric that is given them, through names, losses, activations and functions of the user's, to the call of the model.
Where gradients are recorded, in one of these functions or in one that calls it, the metric is one of the training. A
mean of several runs, as of a dropout that is active on purpose, ends the claim; so does a model without a layer that is
known to depend on `training`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import last_name
from mllint.semantics.syntax.sites import Site
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins, results_of
from mllint.semantics.values.values import InstanceValue, Value

__all__ = ["find_run_in_training"]

_MODEL, _METRIC, _LOSS = "keras.models.Model", "keras.metrics.Metric", "keras.losses.Loss"
_TAPE = "GradientTape"
_DEPENDING = frozenset(
    """Dropout SpatialDropout1D SpatialDropout2D SpatialDropout3D AlphaDropout GaussianDropout GaussianNoise
    BatchNormalization RandomFlip RandomRotation RandomZoom RandomCrop RandomContrast RandomBrightness
    RandomTranslation""".split()
)
"""The layers of Keras that do something else in training."""
_KEEPING = frozenset("softmax sigmoid argmax squeeze reduce_mean reduce_sum cast round numpy mean".split())
_CALLS = 3


def find_run_in_training(call: Call) -> tuple[Call, Argument, Site] | None:
    """The run of a model as in training whose scores a metric is given outside of any training.

    Args:
        call: `metric.update_state(labels, scores)`.

    Returns:
        The call of the model, its argument `training`, or None, and a layer that depends on it.
    """
    metric = call.receiver
    if metric is None or not metric.instance_of(_METRIC) or _records(call.frame, _CALLS):
        return None
    for argument in call.arguments:
        for origin in origins(argument.node, argument.frame, through=_keeps_scores):
            run = _model_run(origin)
            training = run.argument("training") if run is not None else None
            if run is None or training is None or training.value.truth is not True or _records(run.frame, _CALLS):
                continue
            layer = next((s for v in run.callee.alternatives if (s := _depending_layer(v)) is not None), None)
            if layer is not None:
                return run, training, layer
    return None


def _keeps_scores(origin: Origin) -> bool:
    """Is it a name, a part, another form of scores, or what a loss or a function of the user's makes of them?"""
    node = origin.node
    if not isinstance(node, ast.Call):
        return isinstance(node, (ast.Name, ast.Subscript, ast.Tuple))
    if _model_run(origin) is not None:
        return False
    call = Call(node, origin.frame)
    known = last_name(node.func) in _KEEPING or call.callee.instance_of(_LOSS)
    return known or next(results_of(node, origin.frame), None) is not None


def _model_run(origin: Origin) -> Call | None:
    call = Call(origin.node, origin.frame) if isinstance(origin.node, ast.Call) else None
    return call if call is not None and call.callee.instance_of(_MODEL) else None


def _records(frame: Frame, calls: int) -> bool:
    """Are gradients recorded in a function, or in one that may have called it?"""
    if any(last_name(c.func) == _TAPE for c in frame.function.calls):
        return True
    if frame.caller is not None:
        return _records(frame.caller[0], calls)
    outer = [caller for _, caller in frame.project.callers(frame.function)] if calls else []
    return any(_records(caller, calls - 1) for caller in outer)


def _depending_layer(model: Value) -> Site | None:
    """A layer that depends on `training`, in the class of a model, or in the function that builds it."""
    if not isinstance(model, InstanceValue):
        return None
    for function in _builders(model):
        for node in function.calls:
            if last_name(node.func) in _DEPENDING:
                return Site(function.module, node)
    return None


def _builders(model: InstanceValue) -> Iterator[FunctionScope]:
    """The functions in which the layers of a model are written."""
    if not model.cls.module.is_stub:
        yield from model.cls.methods.values()
    elif model.site is not None:
        yield from (f for f in model.site.module.functions if any(c is model.site.node for c in f.calls))
