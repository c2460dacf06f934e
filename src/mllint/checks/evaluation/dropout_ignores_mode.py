"""Is a functional layer active in eval mode too, or a model of Keras measured as it runs in training?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, functional_layers, keras_runs, last_name

__all__: list[str] = []

_MODE = "follow the module's mode: pass `{0}.training` as `training`, or use the layer (`nn.{1}`)"
_PARAMETER = "give `{0}` a parameter `training`, pass it to `{1}`, and call `{0}` with `self.training`"
_DROPPED = (
    "give `{0}` a parameter `training`, pass `{1} if training else 0.0` as `dropout_p`, and call `{0}` with "
    "`self.training`"
)
_PROBABILITY = "apply dropout in train mode only: pass `{1} if {0}.training else 0.0` as `dropout_p`"
_NORM = "follow the module's mode: pass `{0}.training` as `training`, or use the layer, such as `nn.BatchNorm2d`"
_AS_MEASURED = "call the model with `training=False` where it is measured"
_IN_TRAINING = "the score is that of a model with random or batch-dependent layers, and is usually worse"
_FUNCTIONS = "dropout dropout1d dropout2d dropout3d scaled_dot_product_attention batch_norm"
_STATISTICS = "`eval()` has no effect on this call: each prediction depends on the other samples of its batch"


@check("dropout-ignores-mode", calls=f"{_FUNCTIONS} update_state")
def dropout_ignores_mode(call: Call) -> Iterator[Finding]:
    """A functional layer is active in eval mode too, because the module's mode is not passed on; or a model of Keras is
    told to run as in training where it is measured."""
    if call.last_name == "update_state":
        yield from _of_keras(call)
        return
    ignored = functional_layers.find_ignored_mode(call)
    if ignored is None:
        return
    why, by, module = "", ignored.by.text if ignored.by is not None else "", ignored.module
    if ignored.kind == "dropout":
        setting = "it is called with" if by else "its default is"
        message = f"`{call.name}` is active in eval mode too: {setting} `training=True`"
        layer = call.callee.function.name.capitalize() if call.callee.function is not None else "Dropout"
        help = _MODE.format(module, layer)
    elif ignored.kind == "attention":
        message, help = f"`{call.name}` applies dropout in eval mode too", _PROBABILITY.format(module, by)
    else:
        message, help = f"`{call.name}` normalises with batch statistics in eval mode too", _NORM.format(module)
        why = _STATISTICS
    if not module:  # the function has no mode of its own
        of_helper = _DROPPED if ignored.kind == "attention" else _PARAMETER
        help = of_helper.format(call.function.name, by if ignored.kind == "attention" else call.name)
    yield Finding(call, message, "ignores the module's mode", help=help, why=why, evidence=(ignored.is_mistake,))


def _of_keras(update: Call) -> Iterator[Finding]:
    found = keras_runs.find_run_in_training(update)
    if found is not None:
        run, training, layer = found
        message = f"`{run.name}` is measured with `training=True`: its `{last_name(layer.node.func)}` is active"
        notes = [Note(update, "measured here"), Note(layer, "depends on `training`")]
        yield Finding(training, message, "runs as in training", notes, help=_AS_MEASURED, why=_IN_TRAINING)
