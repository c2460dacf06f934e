"""What is normalised, or compared, over the samples of a batch instead of the classes?

    probs = torch.softmax(net(x), dim=0)          # dimension 0 is the batch
    loss = F.nll_loss(probs.log(), y)             # `find_normalised_arguments`: the loss reads classes from dimension 1
    best = torch.softmax(net(x), 0).argmax(1)     # `find_deciding_layer`: decided along another dimension

A softmax alone says nothing: dimension 0 may be the classes of one sample. Something else has to prove that the classes
are elsewhere: a loss that is given the same scores (`Proof.LOSS`), an index of a class (`Proof.INDEX`), the layers that
made them (`Proof.SHAPE`), or a product of batches that the weights go into (`Proof.PRODUCT`).

What makes it unknown: anything between the softmax and the loss, a transposition, a similarity of the samples with each
other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.syntax.names import bound_at, reaching
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training import class_dimensions, predictions, shapes
from mllint.semantics.training.losses import expectations
from mllint.semantics.training.shapes import Dim
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.values import InstanceValue

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import FunctionScope
    from mllint.semantics.syntax.nodes import Constant
    from mllint.semantics.syntax.sites import Site
    from mllint.semantics.training.evidence import Answer
    from mllint.semantics.vocabulary import Trait

__all__ = [
    "Proof", "Proven", "find_batch_proof", "find_deciding_layer", "find_normalised_arguments",
    "find_normalised_elsewhere", "find_normalised_weights", "find_opposed_arguments", "is_class_likelihood",
]  # fmt: skip

_NORMALISED: tuple[Trait, ...] = ("LogProbs", "Probs")


class Proof(Enum):
    """What proves that dimension 0 is the batch."""

    PRODUCT = auto()
    LOSS = auto()
    INDEX = auto()
    SHAPE = auto()


class Proven(NamedTuple):
    """A softmax, or an argmax, over dimension 0, and what proves that this is the batch."""

    by: Proof
    classes: Answer[int] | None = None
    """The dimension of the classes, of an index."""


def find_batch_proof(call: Call) -> Proven | None:
    """What proves that a softmax, or an argmax, which runs over dimension 0 runs over the samples; None if nothing."""
    scores = _scores_of(call) if shapes.runs_over_dimension(call, 0) else None
    if scores is None:
        return None
    if shapes.is_product_of_batches(scores.node, call.frame) and shapes.is_left_matmul_factor(call):
        return Proven(Proof.PRODUCT)
    if predictions.is_transposed(scores.node, call):
        return None
    if isinstance(scores.node, ast.Name) and _is_compared_by_loss(call, scores):
        if not predictions.is_symmetric_similarity(call, scores):
            return Proven(Proof.LOSS)
    if call.last_name == "argmax":
        return None
    classes = class_dimensions.classes_dimension(call, scores.node)
    if classes is not None:
        apart = classes.value == 1 and not predictions.is_symmetric_similarity(call, scores)
        return Proven(Proof.INDEX, classes) if apart else None
    shape = shapes.shape_of(scores.node, call.frame) if _gives_scores(call) else None
    return Proven(Proof.SHAPE) if shape == (Dim.SAMPLES, Dim.FEATURES) else None


def find_normalised_arguments(call: Call) -> Iterator[tuple[Argument, Site]]:
    """What is normalised over dimension 0, and given to a loss that reads classes from dimension 1: the argument, and
    the layer or the call that normalises it. A loss that applies softmax itself is to get no probabilities at all."""
    given = list(expectations.arguments(call, "Logits", "LogProbs"))
    squashed = {id(argument) for argument in given if argument.expects("Logits")}
    for argument in (inner for whole in given for inner in _behind_log(whole)):
        for trait in ("LogProbs",) if id(argument) in squashed else _NORMALISED:
            site = argument.value.because(trait) if argument.value.is_(trait) else None
            if (
                site is not None
                and expectations.is_over_dimension_zero(site, argument)
                and _is_immediate(argument, site)
            ):
                yield argument, expectations.layer_construction_site(site, argument)


def find_deciding_layer(call: Call) -> Site | None:
    """The layer that has normalised over dimension 0 what a call decides, or picks from, along dimension 1."""
    applies = shapes.may_normalise_samples(call.project) and shapes.runs_over_dimension(call, 1)
    scores = _scores_of(call) if applies else None
    trait = next((t for t in _NORMALISED if scores is not None and scores.value.is_(t)), None)
    site = scores.value.because(trait) if scores is not None and trait is not None else None
    if (
        scores is None
        or site is None
        or expectations.layer_at(site, scores) is None
        or not expectations.is_over_dimension_zero(site, scores)
    ):
        return None
    kept = _is_immediate(scores, site) and not predictions.is_transposed(scores.node, call)
    return expectations.layer_construction_site(site, scores) if kept else None


def find_normalised_weights(call: Call) -> Iterator[tuple[Argument, Site]]:
    """The factors of a product of batches, whose dimension 0 is the batch, that sum to one over dimension 0: each, and
    the layer or the call that normalises it."""
    if not call.callees or not all(f.module.name.partition(".")[0] == "torch" for f in call.callees):
        return
    for weight in _weights(call):
        argument = Argument(weight, call, "")
        site = argument.value.because("Probs") if argument.value.is_("Probs") else None
        if site is None or not expectations.is_over_dimension_zero(site, argument) or not _is_immediate(argument, site):
            continue
        if not predictions.is_transposed(argument.node, argument) and not shapes.returns_transposed(site, call.project):
            yield argument, expectations.layer_construction_site(site, argument)


def find_opposed_arguments(call: Call) -> Iterator[tuple[Argument, Site]]:
    """Of two distributions that a loss compares, the one that sums to one over the samples, where the other does over
    the classes: the argument, and the layer or the call that normalises it."""
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
                yield argument, expectations.layer_construction_site(site, argument)


def find_normalised_elsewhere(call: Call) -> Iterator[Call]:
    """The softmaxes over dimension 0 in functions of the user's that are given the same scores as a loss, which reads
    classes from dimension 1."""
    at = reaching(call.function).at
    for argument in expectations.arguments(call, "Logits", "LogProbs"):
        mine = set(at.get(id(argument.node), ())) if isinstance(argument.node, ast.Name) else set()
        if not mine:
            continue
        for node in call.function.calls:
            if not any(mine == set(at.get(id(a), ())) for a in node.args):
                continue
            own = (f for f in Call(node, call.frame).callees if not f.stubbed)
            for function in (f for f in own if not expectations.ALONG.isdisjoint(f.called_names)):
                bound, _ = bind(function, node, call.frame)
                names = {n for n, t in bound.items() if isinstance(t, Passed) and mine == set(at.get(id(t.node), ()))}
                yield from _softmaxes_of(function, names, call)


def _softmaxes_of(function: FunctionScope, names: set[str], call: Call) -> Iterator[Call]:
    """The softmaxes of a function that run over dimension 0 of one of its parameters."""
    frame = call.project.frame(function)
    for inner in (Call(c, frame) for c in function.calls if last_name(c.func) in expectations.ALONG):
        scores = _scores_of(inner) if shapes.runs_over_dimension(inner, 0) else None
        if scores is None or not isinstance(scores.node, ast.Name) or scores.node.id not in names:
            continue
        if [b.kind for b in bound_at(scores.node, function)] == ["param"]:
            yield inner


# ---------------------------------------------------------------------------------------------------- which scores
def is_class_likelihood(call: Call) -> bool:
    """Is it a likelihood of classes, not a divergence between distributions?"""
    return all("KLDiv" not in f.qualname and f.name != "kl_div" for f in call.callees)


def _gives_scores(call: Call) -> bool:
    """Is it what a model returns, and no weights of a sum: log-softmax, or the whole of what `forward` gives?"""
    if call.last_name == "log_softmax":
        return True
    return call.function.name == "forward" and any(r.value is call.node for r in call.function.returns)


def _scores_of(call: Call) -> Argument | None:
    """The scores that a softmax or argmax runs over."""
    method = call.callee.function is not None and call.callee.function.owner is not None
    node = getattr(call.node.func, "value", None) if method else None
    return Argument(node, call, "") if node is not None else call.first("input")


def _behind_log(argument: Argument) -> Iterator[Argument]:
    """An argument, and what it is the logarithm of: `probs` of `torch.log(probs)` and of `probs.log()`."""
    yield argument
    match argument.node:
        case ast.Call(func=ast.Attribute(value=base, attr="log"), args=given):
            yield Argument(given[0] if given else base, argument.call, argument.parameter)


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


def _is_compared_by_loss(call: Call, scored: Argument) -> bool:
    """Does the same function hand the same scores to a loss that reads classes from dimension 1?"""
    for node in call.function.calls:
        other = Call(node, call.frame)
        for argument in expectations.arguments(other, "Logits", "LogProbs"):
            if not isinstance(argument.node, ast.Name) or argument.node.id != scored.node.id:
                continue
            value = scored.value
            alike = argument.value is value or argument.value.same_as(value) or _are_made_alike(argument, scored)
            if alike and is_class_likelihood(other) and not expectations.is_distribution(other):
                return True
    return False


def _are_made_alike(first: Argument, second: Argument) -> bool:
    """Do both come out of one model, called once for each: `scores = model(x)` in training and in evaluation?"""
    at = reaching(first.function).at
    called = [
        place(b.value.func) if isinstance(b.value, ast.Call) and not b.path else None
        for argument in (first, second)
        for b in at.get(id(argument.node), ())
    ]
    return len(called) > 1 and None not in called and len(set(called)) == 1


def _is_immediate(argument: Argument, site: Site) -> bool:
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
