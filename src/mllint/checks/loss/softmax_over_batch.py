"""Scores of a batch are normalised, or compared, over the samples instead of the classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Argument,
    Call,
    Constant,
    Dim,
    FunctionScope,
    InstanceValue,
    Node,
    Passed,
    Site,
    Trait,
    bind,
    bound_at,
    expectations,
    last_name,
    place,
    predictions,
    reaching,
    shapes,
)

__all__: list[str] = []

_POSITIONS = "normalise over the positions that the weights refer to, usually the last dimension"
_MIXED = "each sample is weighted against the other samples of its batch: its result depends on which samples these are"
_PICKING = ("gather", "max", "topk")
_NORMALISED: tuple[Trait, ...] = ("Probs", "LogProbs")


def _is_class_likelihood(call: Call) -> bool:
    """Is it a likelihood of classes, not a divergence between distributions?"""
    return all("KLDiv" not in f.qualname and f.name != "kl_div" for f in call.callees)


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
    elif not _is_class_likelihood(call):
        yield from _along_another(call)
    elif not expectations.is_distribution(call):  # which reads the classes from the last dimension
        yield from _handed_on(call)
        yield from _handed_to_loss(call)


def _handed_to_loss(call: Call) -> Iterator[Finding]:
    """What a loss that reads classes from dimension 1 is given is normalised over dimension 0."""
    for argument in (a for given in expectations.arguments(call, "Logits", "LogProbs") for a in _behind_log(given)):
        for trait in ("LogProbs", "Probs"):
            site = argument.value.because(trait) if argument.value.is_(trait) else None
            if site is not None and expectations.is_over_dimension_zero(site, argument) and _immediate(argument, site):
                yield Finding(
                    argument,
                    f"`{argument.text}` is normalised over the batch (dim 0): `{call.name}` expects classes in dim 1",
                    "normalised over the samples",
                    [Note(expectations.layer_construction_site(site, argument), "dim 0 is the batch")],
                )


def _behind_log(argument: Argument) -> Iterator[Argument]:
    """An argument, and what it is the logarithm of: `probs` of `torch.log(probs)` and of `probs.log()`."""
    yield argument
    match argument.node:
        case ast.Call(func=ast.Attribute(value=base, attr="log"), args=given):
            yield Argument(given[0] if given else base, argument.call, argument.parameter)


def _over_samples(call: Call) -> Iterator[Finding]:
    """A softmax, or argmax, runs over dimension 0, and something else proves that the classes are in dimension 1."""
    operand = _normalised(call) if shapes.runs_over_dimension(call, 0) else None
    if (
        operand is not None
        and shapes.is_product_of_batches(operand.node, call.frame)
        and shapes.is_left_matmul_factor(call)
    ):
        message = f"`{call.text}` runs over the batch: the weights of a sample do not sum to one"
        yield Finding(call, message, "dim 0 is the batch", help=_POSITIONS, why=_MIXED)
        return
    if operand is None or predictions.is_transposed(operand.node, call):
        return
    if (
        isinstance(operand.node, ast.Name)
        and _compared(call, operand)
        and not predictions.is_symmetric_similarity(call, operand)
    ):
        message = f"`{call.text}` runs over the batch: the loss expects the classes in dim 1"
        help, why = _of_decision(call)
        yield Finding(call, message, "dim 0 is the batch", help=help, why=why)
        return
    if call.last_name == "argmax":
        return
    classes = shapes.classes_dimension(call, operand.node)
    shape = shapes.shape_of(operand.node, call.frame) if classes is None and _gives_scores(call) else None
    if classes is not None and classes.value == 1 and not predictions.is_symmetric_similarity(call, operand):
        message = f"`{call.text}` runs over the batch, but the classes are in dim 1"
        notes = [Note(site, "the classes of a sample") for site in classes.because]
        yield Finding(call, message, "dim 0 is the batch", notes, evidence=(classes,))
    elif shape == (Dim.SAMPLES, Dim.FEATURES):
        message = f"`{call.text}` runs over the batch: the classes are in the last dimension"
        yield Finding(call, message, "dim 0 is the batch", help=f"normalise over the classes: {_over(call, -1)}")


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


def _gives_scores(call: Call) -> bool:
    """Is it what a model returns, and no weights of a sum: log-softmax, or the whole of what `forward` gives?"""
    if call.last_name == "log_softmax":
        return True
    return call.function.name == "forward" and any(r.value is call.node for r in call.function.returns)


def _decided_along_another(call: Call) -> Iterator[Finding]:
    """What a layer has normalised over dimension 0 is decided, or picked, along dimension 1."""
    applies = shapes.may_normalise_samples(call.project) and shapes.runs_over_dimension(call, 1)
    operand = _normalised(call) if applies else None
    trait = next((t for t in _NORMALISED if operand is not None and operand.value.is_(t)), None)
    site = operand.value.because(trait) if operand is not None and trait is not None else None
    if (
        operand is None
        or site is None
        or expectations.layer_at(site, operand) is None
        or not expectations.is_over_dimension_zero(site, operand)
    ):
        return
    if _immediate(operand, site) and not predictions.is_transposed(operand.node, call):
        layer = expectations.layer_construction_site(site, operand)
        message = f"`{call.text}` picks classes from dim 1, but the scores are normalised along dim 0"
        yield Finding(call, message, "classes in dim 1", [Note(layer, "dim 0 is the batch")])


def _weighted_products(call: Call) -> Iterator[Finding]:
    """The weights of a product of batches, whose dim 0 is the batch, sum to one over dimension 0."""
    if not call.callees or not all(f.module.name.partition(".")[0] == "torch" for f in call.callees):
        return
    for weight in _weights(call):
        argument = Argument(weight, call, "")
        site = argument.value.because("Probs") if argument.value.is_("Probs") else None
        if site is None or not expectations.is_over_dimension_zero(site, argument) or not _immediate(argument, site):
            continue
        moved = predictions.is_transposed(argument.node, argument) or shapes.returns_transposed(site, call.project)
        if not moved:
            yield Finding(
                argument,
                f"`{argument.text}` is normalised along dim 0, which `{call.name}` treats as the batch",
                "normalised over the batch",
                [Note(expectations.layer_construction_site(site, argument), "dim 0 is the batch")],
                help=_POSITIONS,
            )


def _weights(call: Call) -> Iterator[Node]:
    """What a product is taken of; `a` of `a.unsqueeze(1)`, which leaves dimension 0 where it is, also by a name."""
    func = call.node.func
    receiver = [func.value] if isinstance(func, ast.Attribute) and call.receiver is not None else []
    for node in (*receiver, *call.node.args):
        found = bound_at(node, call.function)
        plain = len(found) == 1 and found[0].kind == "assign" and not found[0].path
        yield _unsqueezed(found[0].value if plain else node)


def _unsqueezed(node: Node) -> Node:
    """`a` of `a.unsqueeze(1)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="unsqueeze", value=inner), args=[ast.Constant(value=1 | 2)]):
            return inner
    return node


def _along_another(call: Call) -> Iterator[Finding]:
    """Two distributions are compared, of which one sums to one over the samples and the other over the classes."""
    along: list[tuple[Argument, Site, Constant]] = []
    for argument in call.arguments:
        for trait in ("LogProbs", "Probs"):
            site = argument.value.because(trait) if argument.value.is_(trait) else None
            if site is not None:
                along.append((argument, site, expectations.dimension(site, argument)))
    dims = [dim for _, _, dim in along if isinstance(dim, int) and not isinstance(dim, bool)]
    if (
        len(along) == 2
        and sorted(map(abs, dims)) == [0, 1]
        and not any(predictions.is_transposed(a.node, a) for a, _, _ in along)
    ):
        for argument, site, dim in along:
            if dim == 0:
                shown = f"`{argument.text}` is normalised over the batch (dim 0)"
                yield Finding(
                    argument,
                    f"{shown}, the other argument of the loss over the classes",
                    "normalised over the samples",
                    [Note(expectations.layer_construction_site(site, argument), "dim 0 is the batch")],
                )


def _normalised(call: Call) -> Argument | None:
    """The scores that a softmax or argmax runs over."""
    method = call.callee.function is not None and call.callee.function.owner is not None
    node = getattr(call.node.func, "value", None) if method else None
    return Argument(node, call, "") if node is not None else call.first("input")


def _compared(call: Call, scored: Argument) -> bool:
    """Does the same function hand the same scores to a loss that reads classes from dimension 1?"""
    for node in call.function.calls:
        other = Call(node, call.frame)
        for argument in expectations.arguments(other, "Logits", "LogProbs"):
            if not isinstance(argument.node, ast.Name) or argument.node.id != scored.node.id:
                continue
            value = scored.value
            alike = argument.value is value or argument.value.same_as(value) or _made_alike(argument, scored)
            if alike and _is_class_likelihood(other) and not expectations.is_distribution(other):
                return True
    return False


def _handed_on(call: Call) -> Iterator[Finding]:
    """The function that hands scores to a loss hands them to another of the user's too, which runs over dimension 0."""
    at = reaching(call.function).at
    for argument in expectations.arguments(call, "Logits", "LogProbs"):
        mine = set(at.get(id(argument.node), ())) if isinstance(argument.node, ast.Name) else set()
        if not mine:
            continue
        for node in call.function.calls:
            if not any(mine == set(at.get(id(a), ())) for a in node.args):
                continue
            for function in (
                f
                for f in Call(node, call.frame).callees
                if not f.stubbed and not expectations.ALONG.isdisjoint(f.called_names)
            ):
                bound, _ = bind(function, node, call.frame)
                names = {n for n, t in bound.items() if isinstance(t, Passed) and mine == set(at.get(id(t.node), ()))}
                yield from _run_over(function, names, call)


def _run_over(function: FunctionScope, names: set[str], call: Call) -> Iterator[Finding]:
    """The softmaxes of a function that run over dimension 0 of one of its parameters."""
    frame = call.project.frame(function)
    for inner in (Call(c, frame) for c in function.calls if last_name(c.func) in expectations.ALONG):
        scored = _normalised(inner) if shapes.runs_over_dimension(inner, 0) else None
        if scored is None or not isinstance(scored.node, ast.Name) or scored.node.id not in names:
            continue
        if [b.kind for b in bound_at(scored.node, function)] == ["param"]:
            message = f"`{inner.text}` runs over the batch: `{call.name}` expects the classes in dim 1"
            yield Finding(inner, message, "dim 0 is the batch", [Note(call, "the same scores")])


def _made_alike(first: Argument, second: Argument) -> bool:
    """Do both come out of one model, called once for each: `scores = model(x)` in training and in evaluation?"""
    at = reaching(first.function).at
    called = [
        place(b.value.func) if isinstance(b.value, ast.Call) and not b.path else None
        for argument in (first, second)
        for b in at.get(id(argument.node), ())
    ]
    return len(called) > 1 and None not in called and len(set(called)) == 1


def _immediate(argument: Argument, site: Site) -> bool:
    """Is nothing (an `unsqueeze`, an index) between the softmax and the loss?"""
    if argument.node is site.node:
        return True
    chosen = argument.node
    if isinstance(chosen, ast.Subscript) and (place(chosen.slice) or "").endswith("mask"):
        chosen = chosen.value  # some of the samples: the classes stay where they are
    found = [chosen]
    if isinstance(chosen, ast.Name):
        found = [b.value for b in argument.function.bindings.get(chosen.id, ()) if b.kind == "assign"]
    if any(node is site.node for node in found):
        return True
    calls = [Call(n, argument.frame).callee for n in found if isinstance(n, ast.Call)]
    return any(all(isinstance(v, InstanceValue) for v in callee.alternatives) for callee in calls)
