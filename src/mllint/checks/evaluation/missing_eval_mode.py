"""Is a model whose layers depend on the mode measured in train mode?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Answer,
    AppliesGrad,
    Call,
    Event,
    Flow,
    Forward,
    Site,
    Value,
    classes,
    mode_dependence,
    mode_restoring,
    modes,
    phases,
    text,
    woken,
)

__all__: list[str] = []

_DROPOUT = "dropout stays active while the model is measured: the score is noisy, and usually worse"
_BATCH_NORM = "batch norm uses the statistics of each batch, and updates its running averages during evaluation"
_SLOPES = "the slopes of `RReLU` are drawn anew in train mode: the score is noisy"
_INSTANCE_NORM = "instance norm uses the statistics of each sample, and updates its running averages during evaluation"
_PREDICTS = (
    "any dropout is active, and any batch norm uses batch statistics: predictions are random, or depend on their batch"
)
_TARGETS = (
    "any dropout is active, and any batch norm uses batch statistics: targets are random, or depend on their batch"
)
_TEACH = "call `{}.eval()` before training starts"
_WOKEN = "`train()` reaches all child modules: any dropout in them is active, and any batch norm updates its averages"
_EITHER = ", in which dropout and batch norm behave differently"
_OVERRIDE = "call `super().train(mode)`, then `{}.eval()`, and return `self`"
_LAYERS = (
    ("torch.nn._DropoutNd", ": its `{}` is active", _DROPOUT),
    ("torch.nn._BatchNorm", ": its `{}` uses batch statistics", _BATCH_NORM),
    ("torch.nn.RReLU", ": the slopes of its `{}` are random", _SLOPES),
    ("torch.nn._InstanceNorm", ": its `{}` uses the statistics of its input", _INSTANCE_NORM),
)
_WITH_DROPOUT = (
    "torch.nn.RNNBase",
    "torch.nn.MultiheadAttention",
    "torch.nn.Transformer",
    "torch.nn.TransformerEncoderLayer",
)


@check("missing-eval-mode")
def missing_eval_mode(flow: Flow) -> Iterator[Finding]:
    """A model whose layers depend on the mode is evaluated in train mode."""
    reported = set()
    for forward in flow.events(Forward):
        where = (forward.subject.identity, id(forward.loops[-1].node) if forward.loops else 0)
        phase = phases.measures(forward, flow) if where not in reported else None
        mode = modes.train_mode_at(forward, flow) if phase is not None else None
        if phase is None or mode is None:
            continue
        if mode_dependence.wants_train_mode(forward.subject, forward.call):
            continue
        reported.add(where)
        yield _in_train_mode(forward, flow, phase, mode)
    if not reported:
        for forward, restore in mode_restoring.find_mode_restored_only(flow):
            name = text(forward.site.module, forward.call.func)
            message = f"`{name}` is evaluated without `eval()`: its mode is saved and restored, but never changed"
            notes = [Note(restore, "restored here, but never set to eval")]
            help = f"call `{name}.eval()` after its mode is saved and before the evaluation"
            yield Finding(forward, message, "evaluated here", notes, help=help)
    for since, call in mode_restoring.find_train_mode_predictions(flow):
        message = f"`{call.name}` predicts in train mode{_EITHER}"
        help = f"call `{call.name}.eval()` before the prediction"
        yield Finding(
            call, message, "predicts here", [Note(since, "in train mode since here")], help=help, why=_PREDICTS
        )

    yield from _woken(flow)


def _in_train_mode(forward: Event, flow: Flow, phase: Answer[bool], mode: Answer[modes.Mode]) -> Finding:
    """A run of a model in train mode, which measures, or gives targets: `phase` and `mode` say so."""
    name, (active, labels, why) = text(forward.site.module, forward.call.func), _left_on(forward.subject)
    named = Call(forward.call, forward.frame).callee.same_as(forward.subject) is True
    teaches = phases.is_teacher(forward, flow)
    advice = _TEACH.format(name) if teaches else _named(name, flow, forward, mode.because)
    return Finding(
        Site(forward.frame.module, forward.call),
        f"`{name}` {'gives targets' if teaches else 'is evaluated'} in train mode{active}",
        primary="gives targets here" if teaches else "evaluated here",
        labels=[*(Note(site, "in train mode since here") for site in mode.because), *labels],
        help=advice if named or teaches else "",
        why=_TARGETS if teaches else why,
        evidence=(phase, mode, mode_dependence.is_shown(forward.subject)),
        about=(forward,),
    )


def _woken(flow: Flow) -> Iterator[Finding]:
    """A frozen part is put back into train mode with the whole."""
    for part in woken.woken(flow):
        name = text(part.train.site.module, part.train.call, 40)
        message = f"`{name}` puts `{part.name}` back into train mode, although `{part.owner.name}` set it to eval"
        notes = [Note(part.asleep, "set to eval once, here")]
        help = f"override `train` in `{part.owner.name}`: {_OVERRIDE.format(part.name)}"
        yield Finding(part.train, message, "puts every child module into train mode", notes, help=help, why=_WOKEN)


def _named(name: str, flow: Flow, forward: Event, since: tuple[Site, ...]) -> str:
    """The advice of the page, for a model that is called by a name: how to go on, where training does.

    Args:
        name: the model.
        flow: the flow.
        forward: its run.
        since: where it was put into train mode.
    """
    around = forward.function
    here = any(call is site.node for site in since for call in around.calls_to({"train"}))
    if here and not around.is_body and around.called_names.isdisjoint(("backward", "step")):
        return f"for the evaluation, call `{name}.eval()` instead of `{name}.train()`"
    steps = (e for e in flow.events(AppliesGrad) if e.concerns(forward) is not False)
    goes_on = any(flow.path(forward, to=step) is not None for step in steps)
    after = f" and `{name}.train()` before training continues" if goes_on else ""
    return f"call `{name}.eval()` before the evaluation{after}"


def _left_on(model: Value) -> tuple[str, list[Note], str]:
    """What train mode changes, in words, with its place, and what it does if that is less than the page says: the
    first layer of a model that depends on the mode."""
    layer = mode_dependence.first_layer(model)
    if layer is None or layer.site is None:
        return _EITHER, [], ""
    notes = [Note(layer.site, "depends on the mode")]
    for kind, active, why in _LAYERS:
        if layer.instance_of(kind):
            return active.format(layer.class_name), notes, why
    if layer.same_as(model) is True or layer.class_name.startswith("_"):
        return _EITHER, notes, ""  # a whole model of a library, perhaps of a class that has no name there
    if layer.instance_of(*_WITH_DROPOUT):
        return f": the dropout of its `{layer.class_name}` is active", notes, _DROPOUT
    if layer.instance_of(classes.PRETRAINED_MODEL):
        return ", in which its pretrained model behaves differently", notes, ""
    return f", in which its `{layer.class_name}` behaves differently", notes, ""
