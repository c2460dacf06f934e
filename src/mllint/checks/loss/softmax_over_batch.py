"""Scores of a batch are normalised, or compared, over the samples instead of the classes."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, expectations, sample_axes

__all__: list[str] = []

_POSITIONS = "normalise over the positions that the weights refer to, usually the last dimension"
_MIXED = "each sample is weighted against the other samples of its batch: its result depends on which samples these are"
_LEFT_OUT = "pass the logits to the loss: it normalises over the classes itself"
_PICKING = ("gather", "max", "topk")
_BATCH = "dim 0 is the batch"
_SAMPLES = "normalised over the samples"


@check("softmax-over-batch", calls="softmax log_softmax argmax softmin bmm gather max topk", expects="LogProbs Logits")
def softmax_over_batch(call: Call) -> Iterator[Finding]:
    """Scores of a batch are normalised, or compared, over the samples instead of the classes."""
    if call.last_name in _PICKING or call.last_name == "argmax":
        yield from _decided_along_another(call)
    if call.last_name == "bmm":
        yield from _weighted_products(call)
    elif call.last_name in expectations.ALONG:
        yield from _over_samples(call)
    elif call.last_name in _PICKING:
        return
    elif not sample_axes.is_class_likelihood(call):
        yield from _along_another(call)
    elif not expectations.is_distribution(call):  # which reads the classes from the last dimension
        yield from _handed_on(call)
        yield from _handed_to_loss(call)


def _handed_to_loss(call: Call) -> Iterator[Finding]:
    """What a loss that reads classes from dimension 1 is given is normalised over dimension 0."""
    for argument, layer in sample_axes.find_normalised_arguments(call):
        message = f"`{argument.text}` is normalised over the batch (dim 0): `{call.name}` expects classes in dim 1"
        help = _LEFT_OUT if argument.expects("Logits") else ""
        yield Finding(argument, message, _SAMPLES, [Note(layer, _BATCH)], help=help)


def _handed_on(call: Call) -> Iterator[Finding]:
    """The function that hands scores to a loss hands them to another of the user's too, which runs over dimension 0."""
    for inner in sample_axes.find_normalised_elsewhere(call):
        message = f"`{inner.text}` runs over the batch: `{call.name}` expects the classes in dim 1"
        yield Finding(inner, message, _BATCH, [Note(call, "the same scores")])


def _over_samples(call: Call) -> Iterator[Finding]:
    """A softmax, or argmax, runs over dimension 0, and something else proves that the classes are in dimension 1."""
    proven = sample_axes.find_batch_proof(call)
    over = f"`{call.text}` runs over the batch"
    match proven.by if proven is not None else None:
        case sample_axes.Proof.PRODUCT:
            message = f"{over}: the weights of a sample do not sum to one"
            yield Finding(call, message, _BATCH, help=_POSITIONS, why=_MIXED)
        case sample_axes.Proof.LOSS:
            help, why = _of_decision(call)
            yield Finding(call, f"{over}: the loss expects the classes in dim 1", _BATCH, help=help, why=why)
        case sample_axes.Proof.INDEX if proven is not None and proven.classes is not None:
            notes = [Note(site, "the classes of a sample") for site in proven.classes.because]
            evidence = (proven.classes,)
            yield Finding(call, f"{over}, but the classes are in dim 1", _BATCH, notes, evidence=evidence)
        case sample_axes.Proof.SHAPE:
            help = f"normalise over the classes: {_over(call, -1)}"
            yield Finding(call, f"{over}: the classes are in the last dimension", _BATCH, help=help)


def _over(call: Call, dim: int) -> str:
    """How a call is told a dimension, in the words of its library."""
    torch = all(f.module.name.partition(".")[0] == "torch" for f in call.callees)
    return f"`dim={dim}`" if torch and call.argument("axis") is None else f"`axis={dim}`"


def _of_decision(call: Call) -> tuple[str, str]:
    """What to do about an argmax, or a softmax, and why if the page does not say it."""
    if call.last_name != "argmax":
        return f"normalise over the classes: {_over(call, 1)}", ""
    return (
        f"take the argmax over the classes: {_over(call, 1)}",
        "dimension 0 is the batch: the samples are compared with each other, and the result is the index of a sample",
    )


def _decided_along_another(call: Call) -> Iterator[Finding]:
    """What a layer has normalised over dimension 0 is decided, or picked, along dimension 1."""
    layer = sample_axes.find_deciding_layer(call)
    if layer is not None:
        message = f"`{call.text}` picks classes from dim 1, but the scores are normalised along dim 0"
        yield Finding(call, message, "classes in dim 1", [Note(layer, _BATCH)])


def _weighted_products(call: Call) -> Iterator[Finding]:
    """The weights of a product of batches, whose dim 0 is the batch, sum to one over dimension 0."""
    for argument, layer in sample_axes.find_normalised_weights(call):
        message = f"`{argument.text}` is normalised along dim 0, which `{call.name}` treats as the batch"
        yield Finding(argument, message, "normalised over the batch", [Note(layer, _BATCH)], help=_POSITIONS)


def _along_another(call: Call) -> Iterator[Finding]:
    """Two distributions are compared, of which one sums to one over the samples and the other over the classes."""
    for argument, layer in sample_axes.find_opposed_arguments(call):
        message = (
            f"`{argument.text}` is normalised over the batch (dim 0), "
            "but the other argument of the loss is normalised over the classes"
        )
        yield Finding(argument, message, _SAMPLES, [Note(layer, _BATCH)])
