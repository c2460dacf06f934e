"""In which direction is a metric better, and in which one is it watched?

    EarlyStopping("val_acc")                          # Lightning watches for a minimum unless told otherwise
    TrainingArguments(metric_for_best_model="wer")    # a maximum, unless the name ends with "loss"

The name of a metric is a key that the library reads: a metric is logged under it, so that it says what it is. A name
that speaks of both directions, or of none, says nothing.
"""

from __future__ import annotations

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.topic_names import Topic

__all__ = ["better", "watched"]

_MONITORS = (
    "lightning.pytorch.callbacks.EarlyStopping",
    "lightning.pytorch.callbacks.ModelCheckpoint",
    "keras.callbacks.EarlyStopping",
    "keras.callbacks.ModelCheckpoint",
    "keras.callbacks.ReduceLROnPlateau",
)
_ARGUMENTS = "transformers.TrainingArguments"


def better(metric: str) -> str | None:
    """Whether a metric is better "higher" or "lower", by its key; None if the key does not say."""
    lower = topics.is_about(metric, Topic.LOWER_IS_BETTER)
    if lower is topics.is_about(metric, Topic.HIGHER_IS_BETTER):
        return None
    return "lower" if lower else "higher"


def watched(call: Call) -> tuple[Argument, str] | None:
    """The metric that a callback, or the arguments of a trainer, watch, and in which direction it counts as better.

    Args:
        call: what builds a callback or the arguments.

    Returns:
        The argument with the key, and "higher" or "lower"; None if there is none, or if that is not certain.
    """
    if call.value.instance_of(*_MONITORS):
        metric, mode = call.argument("monitor"), call.argument("mode")
        said = mode.value.literal if mode is not None else "auto" if _is_keras(call) else "min"
        direction = {"min": "lower", "max": "higher"}.get(said)
        return (metric, direction) if metric is not None and direction is not None and not call.is_open else None
    if call.value.instance_of(_ARGUMENTS):
        return _of_trainer(call)
    return None


def _is_keras(call: Call) -> bool:
    return call.value.instance_of(*(name for name in _MONITORS if name.startswith("keras.")))


def _of_trainer(call: Call) -> tuple[Argument, str] | None:
    """A trainer goes back to the best checkpoint if it is told to load it."""
    metric, loads = call.argument("metric_for_best_model"), call.argument("load_best_model_at_end")
    if metric is None or loads is None or loads.value.truth is not True or call.is_open:
        return None
    said = call.argument("greater_is_better")
    key = metric.value.literal
    greater = said.value.truth if said is not None else isinstance(key, str) and not key.endswith("loss")
    return None if greater is None else (metric, "higher" if greater else "lower")
