"""The domains of losses, written down: what the reveals of `tests/semantics` ask them.

Each function puts into words what a domain answers about what a loss, or a metric, is given.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.build import build
from mllint.semantics.flow.views import Call, ClassView, FunctionView
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.training import predictions, purity
from mllint.semantics.training.errors import finite
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.finetuning import trainer_scores, trainers
from mllint.semantics.training.gradients import mixing
from mllint.semantics.training.graphs import collecting
from mllint.semantics.training.graphs.breaks import start_of_backward
from mllint.semantics.training.losses import expectations, preferences, sample_axes
from mllint.semantics.training.losses.single_outputs import find_softmax_over_one
from mllint.semantics.training.losses.swaps import are_arguments_swapped
from mllint.semantics.training.losses.unused_output import unread_output
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import ClassValue

__all__ = ["REVEALS"]


def _prediction(call: ast.Call, frame: Frame) -> str:
    """Whether the argument is a prediction, by the way in which it came about, or an item of a loop."""
    argument, function = call.args[0], frame.function
    for guess in (False, True):
        mark = "?" if guess else ""
        if predictions.is_model_output_on_item(argument, function, guess=guess):
            return f"a prediction{mark}"
        if predictions.is_loop_item(argument, function, guess=guess):
            called = ", called truth" if predictions.is_named_truth(argument, function, guess=guess) else ""
            return f"an item{called}{mark}"
    return "unknown"


def _dropped(call: ast.Call, frame: Frame) -> str:
    """The calls of the function whose value a statement drops, so that perhaps nobody reads it."""
    calls = (Call(n, frame) for n in frame.function.expressions if isinstance(n, ast.Call) and n is not call)
    found = [made.text for made in calls if purity.is_value_read(made).evidence < Evidence.PROVEN]
    return ", ".join(found) or "none"


def _swapped(call: ast.Call, frame: Frame) -> str:
    """Whether the two arguments of the call that is the argument, prediction and truth, stand in each other's place."""
    argument = call.args[0]
    if not isinstance(argument, ast.Call):
        return "no call"
    made = Call(argument, frame)
    targets, scores = (
        list(expectations.arguments(made, *words)) for words in (expectations.TRUTHS, expectations.GUESSES)
    )
    first, second = made.arguments[:2]  # of an unknown loss: the prediction, and the truth
    target, score = (targets[0], scores[0]) if targets and scores else (second, first)
    answer = are_arguments_swapped(
        target, score, arrays=any(f.module.name.partition(".")[0] != "torch" for f in made.callees)
    )
    return "no" if answer is None else f"swapped, {answer.evidence.name.lower()}"


def _decided(call: ast.Call, frame: Frame) -> str:
    """Whether the first argument of the metric that is the argument was decided where its scores are expected."""
    measured = call.args[0]
    if not isinstance(measured, ast.Call):
        return "no call"
    scores = expectations.arguments(Call(measured, frame), "Scores")
    return "decided" if any(expectations.find_decision_site(a) is not None for a in scores) else "perhaps not"


def _counted(call: ast.Call, frame: Frame) -> str:
    """Where the metrics of the trainer that the argument builds compare with labels of -100."""
    built = call.args[0]
    found = trainers.find_counted_ignored_labels(Call(built, frame)) if isinstance(built, ast.Call) else None
    return "nowhere" if found is None else ast.unparse(found[0].node)


def _ignored_items(call: ast.Call, frame: Frame) -> str:
    """How well it is known that the trainer which is the argument ignores the number of items of a step."""
    classes = [v.cls for v in evaluate(call.args[0], frame).alternatives if isinstance(v, ClassValue)]
    found = [trainers.find_loss_ignoring_items(ClassView(cls, frame)) for cls in classes]
    return ", ".join("heeded" if f is None else f"ignored, {f.evidence.name.lower()}" for f in found) or "no class"


def _sigmoid_loss(call: ast.Call, frame: Frame) -> str:
    """What applies the sigmoid to the argument, if that is the logits of a trainer's model."""
    found = trainer_scores.find_sigmoid_loss(call.args[0], frame.function, frame.project)
    return "none" if found is None else f"in line {found.line}"


def _over_one(call: ast.Call, frame: Frame) -> str:
    """Where the softmax that is the argument is taken over one entry, and which layer gives that one."""
    kept = frame.function.bindings.get(place(call.args[0]) or "", ())
    asked = kept[0].value if kept else call.args[0]
    found = find_softmax_over_one(Call(asked, frame)) if isinstance(asked, ast.Call) else None
    return "several" if found is None else f"one, of {ast.unparse(found.layer.node)}"


def _unread(call: ast.Call, frame: Frame) -> str:
    """The run of a model whose output no loss of the function is made of."""
    backwards = build(frame.function, frame).events("accumulates_grad")
    found = [run for b in backwards if (run := unread_output(b, start_of_backward(b))) is not None]
    return ast.unparse(found[0]) if found else "none"


def _crossed(call: ast.Call, frame: Frame) -> str:
    """What the calls of the file hand to a loss for the chosen answers, where these are rejected ones."""
    takers = [Call(c, frame.project.frame(f)) for f in frame.module.functions for c in f.calls]
    asked = [c for c in takers if c.last_name in ("logsigmoid", "softplus")]
    return ", ".join(ast.unparse(x.chosen) for c in asked for x in preferences.find_crossed_arguments(c)) or "nothing"


def _preferred(call: ast.Call, frame: Frame) -> str:
    """The differences of this function by which a loss prefers the rejected answers, and how well that is known."""
    logarithms = [Call(n, frame) for n in frame.function.calls if last_name(n.func) in ("logsigmoid", "softplus")]
    found = [p for made in logarithms if (p := preferences.find_rejected_minus_chosen(made)) is not None]
    said = [f"{ast.unparse(p.difference)}, {p.known.evidence.name.lower()}" for p in found]
    return "; ".join(said) or "the chosen, or unknown"


def _collected(call: ast.Call, frame: Frame) -> str:
    """What grows in the loops of the function, where it stands, and what is added to it."""
    found: list[tuple[Node, str, Node]] = []
    for run in build(frame.function, frame).runs:
        found += collecting.accumulations(run)
        found += [(k.inside[0], k.outside[1], k.inside[2]) for k in collecting.accumulations_in_calls(run)]
    return ", ".join(f"{name} by {ast.unparse(added)}" for _, name, added in found) or "nothing"


def _mixed(call: ast.Call, frame: Frame) -> str:
    """The backward whose gradients an optimizer of the function applies with those of another loss."""
    found = []
    for mixed in mixing.find_mixed_gradients(build(frame.function, frame)):
        backward, _ = mixing.told_apart(mixed.backward, mixed.other)
        _, step = mixing.told_apart(mixed.own, mixed.step)
        found.append(f"{ast.unparse(backward.node)} by {ast.unparse(step.node)}")
    return ", ".join(found) or "none"


def _over_samples(call: ast.Call, frame: Frame) -> str:
    """What proves that the softmax, the argmax, the loss or the product that is the argument treats the samples of a
    batch as if they were classes."""
    if not isinstance(call.args[0], ast.Call):
        return "no call"
    asked = Call(call.args[0], frame)
    proven = sample_axes.find_batch_proof(asked)
    found = [proven.by.name.lower()] if proven is not None else []
    found += ["decided along another"] if sample_axes.find_deciding_layer(asked) is not None else []
    if asked.last_name == "bmm":
        found += [f"weights {a.text}" for a, _ in sample_axes.find_normalised_weights(asked)]
    elif sample_axes.is_class_likelihood(asked):
        found += [f"given {a.text}" for a, _ in sample_axes.find_normalised_arguments(asked)]
        found += [f"normalised in line {c.site.line}" for c in sample_axes.find_normalised_elsewhere(asked)]
    else:
        found += [f"opposed {a.text}" for a, _ in sample_axes.find_opposed_arguments(asked)]
    return " | ".join(found) or "nothing"


def _scorers_of_decisions(call: ast.Call, frame: Frame) -> str:
    """The metrics of scores that the scorers of the call that is the argument hand a classifier's classes."""
    argument = call.args[0]
    found = expectations.find_scorers_of_decisions(Call(argument, frame)) if isinstance(argument, ast.Call) else ()
    return ", ".join(metric.text for _, metric in found) or "none"


def _masked(call: ast.Call, frame: Frame) -> str:
    """How well it is known that the call that is the argument replaces blindly what is not finite."""
    argument: Node = call.args[0]
    return finite.is_masked(argument, FunctionView(frame.function, frame)).evidence.name.lower()


REVEALS = {
    "reveal_collected": _collected,
    "reveal_counted": _counted,
    "reveal_decided": _decided,
    "reveal_sigmoid_loss": _sigmoid_loss,
    "reveal_dropped": _dropped,
    "reveal_ignored_items": _ignored_items,
    "reveal_masked": _masked,
    "reveal_mixed": _mixed,
    "reveal_over_one": _over_one,
    "reveal_over_samples": _over_samples,
    "reveal_crossed": _crossed,
    "reveal_preferred": _preferred,
    "reveal_prediction": _prediction,
    "reveal_scorers_of_decisions": _scorers_of_decisions,
    "reveal_swapped": _swapped,
    "reveal_unread_output": _unread,
}
