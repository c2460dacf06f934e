"""Is the prediction given for the truth, and the truth for the prediction?

    out = model(x)
    loss = criterion(y, out)             # USED: `y` is an item of the loop, and `out` was computed from one
    log_loss(y_pred, y_true)             # NAMED: two parameters, of which nothing but their names is known
    r2_score(b, a); mse(a, b)            # USED: another call says the opposite of the same two, and the names agree

Where the function does not tell, its callers may: what they hand it for both, or to the constructor of its object.

Values answer first: scores of a model in the place of the truth, and rows of a loader, or what no model can have made,
in that of the prediction. Where they are unknown, the form tells how both came about (`predictions`). Names come last.
A metric may well be given two predictions, or be called with the truth under any name, so that what only names say is
NAMED, however well they agree.

What this deliberately does not do: which losses are symmetric is the rule's to know.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import FunctionScope, Scope
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.syntax.words import words
from mllint.semantics.training import predictions
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.losses import expectations
from mllint.semantics.training.prediction_names import are_last_words_swapped, are_names_swapped, do_names_contradict
from mllint.semantics.values.arguments import Bound, bind
from mllint.semantics.values.lineage import Origin, origins
from mllint.semantics.values.sources import Source, source
from mllint.semantics.values.values import TensorValue

__all__ = ["are_arguments_swapped"]

_COMPARED = 50  # calls that one is compared with; where there are more, none is
_PARAMETERS = (("y_true", "target", "labels_true"), ("y_pred", "y_score", "y_prob", "y_proba", "input", "labels_pred"))
"""What libraries call the parameters for the truth, and for the prediction."""


def are_arguments_swapped(target: Argument, score: Argument, *, arrays: bool, depth: int = 2) -> Answer[bool] | None:
    """Whether two arguments were given in each other's place.

    Args:
        target: what is given for the ground truth.
        score: what is given for the prediction.
        arrays: whether a metric takes both as arrays, so that no gradients tell which is which.
        depth: how many calls to look outwards for where both come from.

    Returns:
        The answer with its evidence, None where nothing says that they were.
    """
    answer = _swapped_here(target, score, arrays=arrays)
    if depth and (answer is None or not answer.is_certain):
        for pairs in (_passed_by_callers, _read_around, _passed_between_methods):
            handed = [are_arguments_swapped(*pair, arrays=arrays, depth=depth - 1) for pair in pairs(target, score)]
            if handed and all(a is not None and a.is_certain for a in handed):
                return handed[0]
    return answer


def _swapped_here(target: Argument, score: Argument, *, arrays: bool) -> Answer[bool] | None:
    """The same, as far as the function tells in which the loss is called."""
    predicted = any(target.value.is_(trait) for trait in (*expectations.SCORES, "Prediction"))
    because = (target.site, score.site)
    if _is_swapped(target, score, predicted=predicted, arrays=arrays, guess=False):
        return Answer(True, Evidence.USED, because)
    if not arrays and (_is_attached(target) or _is_model_output(target)) and _is_called_truth(score):
        return Answer(True, Evidence.CONVENTIONAL, because, corroborated=True)
    if arrays and _is_decided_by_model(target) and _is_called_truth(score) and _is_named_after_labels(score):
        return Answer(True, Evidence.CONVENTIONAL, because, corroborated=True)
    named = _is_swapped(target, score, predicted=predicted, arrays=arrays, guess=True)
    named = named or _are_named_swapped(target, score, arrays=arrays)
    if _other_way_round(target, score) > (0 if named else 1):
        return Answer(True, Evidence.USED, because)
    return Answer(True, Evidence.NAMED, because) if named else None


def _is_decided_by_model(target: Argument) -> bool:
    """Has a model certainly decided, or scored, what is given for the truth?"""
    node, function = target.node, target.function
    return predictions.is_predicted_by_estimator(node, function) or predictions.is_prediction(node, function)


def _is_attached(target: Argument) -> bool:
    """Does what is given for the truth certainly carry gradients of a model?"""
    value = target.value
    return value.is_attached and not _comes_from_array(target) and all(v.graph for v in value.alternatives)


def _is_model_output(target: Argument) -> bool:
    """Has a model, by its role or its conventional name, made what is given for the truth?"""
    return predictions.is_model_output_on_item(target.node, target.function, of_item=False)


def _is_called_truth(score: Argument) -> bool:
    """Is what is given for the prediction called the truth, and of no model that is trained here?"""
    return not score.value.all_graph and predictions.is_named_truth(score.node, score.function, guess=True)


def _is_named_after_labels(score: Argument) -> bool:
    """Does the name of what is given for the prediction end with labels, as `val_labels` does, and not only speak of
    some, as `attempt_labels_for_graph` does?"""
    name = last_name(predictions.without_methods(score.node, predictions.MOVED | predictions.DECIDED))
    return topics.is_about("".join(words(name)[-1:]), Topic.TRUE_LABELS)


def _passed_by_callers(target: Argument, score: Argument) -> Iterator[tuple[Argument, Argument]]:
    """What the callers of a function hand it for both arguments, or whoever builds its object for what that keeps."""
    given_for = [predictions.without_methods(a.node, predictions.MOVED | predictions.DECIDED) for a in (target, score)]
    found = [source(node, target.function) for node in given_for]
    sources = [one for one in found if one is not None]
    if len(sources) < 2 or sources[0].function is not sources[1].function:
        return
    function = sources[0].function
    for node, frame in target.frame.project.callers(function):
        call, bound = Call(node, frame), bind(function, node, frame)[0]
        given = [_argument_of_caller(one, bound.get(one.parameter)) for one in sources]
        if all(n is not None for n in given):
            yield Argument(given[0], call, target.parameter), Argument(given[1], call, score.parameter)


def _read_around(target: Argument, score: Argument) -> Iterator[tuple[Argument, Argument]]:
    """What a function reads of the scope that it is called in, as that scope itself writes it next to the call."""
    scope = _scope_of(target)
    if scope is None or scope is target.function or scope is not _scope_of(score):
        return
    for node, frame in target.frame.project.callers(target.function):
        if frame.function is scope:
            call, twins = Call(node, frame), [_written_alike(a.node, node, scope) for a in (target, score)]
            if all(n is not None for n in twins):
                yield Argument(twins[0], call, target.parameter), Argument(twins[1], call, score.parameter)


def _passed_between_methods(target: Argument, score: Argument) -> Iterator[tuple[Argument, Argument]]:
    """What a method is given for one by another method of its object, which reads the other from the object itself:
    `self.measure(found)` and `self.labels`."""
    given = (target, score)
    kept = [a for a in given if (place(a.node) or "").startswith("self.")]
    names = [a.node.id for a in given if isinstance(a.node, ast.Name) and target.function.parameter(a.node.id)]
    if target.function.owner is None or len(kept) != 1 or len(names) != 1:
        return
    for node, frame in target.frame.project.callers(target.function):
        other = bind(target.function, node, frame)[0].get(names[0])
        twin = _written_alike(kept[0].node, node, frame.function)
        if isinstance(node.func, ast.Attribute) and place(node.func.value) == "self" and isinstance(other, tuple):
            if twin is not None:
                call, found = Call(node, frame), [twin if a is kept[0] else other[0] for a in given]
                yield Argument(found[0], call, target.parameter), Argument(found[1], call, score.parameter)


def _scope_of(argument: Argument) -> FunctionScope | None:
    """The function, or the body of a module, that binds the names of an expression; None where they are of several."""
    found: set[FunctionScope | None] = set()
    for name in {n.id for n in walk(argument.node) if isinstance(n, ast.Name)}:
        scope: Scope | None = argument.function
        while scope is not None and not (isinstance(scope, FunctionScope) and name in scope.bindings):
            scope = scope.parent
        found.add(scope)
    return found.pop() if len(found) == 1 else None


def _written_alike(node: Node, call: ast.Call, scope: FunctionScope) -> Node:
    """An argument in some scope that is written like an expression, with no binding of its names between it and a
    call."""
    dump, names = ast.dump(node), {n.id for n in walk(node) if isinstance(n, ast.Name)}
    bound = [b.node.lineno for name in names for b in scope.bindings.get(name, ()) if hasattr(b.node, "lineno")]
    for other in _calls_by_argument(scope).get(dump, ()):
        first, last = sorted((other.lineno, call.lineno))
        if not any(first <= line < last for line in bound):
            return next(a for a in (*other.args, *(k.value for k in other.keywords)) if ast.dump(a) == dump)
    return None


def _argument_of_caller(given: Source, thing: Bound | None) -> Node:
    """The expression that a caller hands over for a source; None where it is not written."""
    if not isinstance(thing, Passed):
        return None
    node, frame = thing
    if not given.attribute:
        return node
    whole = f"{place(node)}.{given.attribute}"
    read = frame.function.nodes_of(ast.Attribute)
    return next((n for n in read if place(n) == whole), None)


def _other_way_round(target: Argument, score: Argument) -> int:
    """How many more calls of the function say the opposite of a pair than say the same: that one is the truth, and the
    other the prediction."""
    calls = _calls_by_argument(target.function)
    few, many = sorted((calls.get(ast.dump(a.node), {}) for a in (score, target)), key=len)
    others = [c for c in few if c in many and c is not target.call.node]
    count = 0
    if len(others) > _COMPARED:
        return count
    for node in others:
        call = Call(node, target.frame)
        library = all(f.stubbed for f in call.callees)
        truths, guesses = ([a for a in call.arguments if library and a.parameter in names] for names in _PARAMETERS)
        if len(truths) == len(guesses) == 1 and truths[0] is not guesses[0]:
            for pair, sign in (((score, target), 1), ((target, score), -1)):
                count += sign * all(map(_is_same_expression, (truths[0], guesses[0]), pair))
    return count


@cached_per_scope(local=True)
def _calls_by_argument(function: FunctionScope) -> dict[str, dict[ast.Call, None]]:
    """The calls of a function, in their order, by how their arguments are written."""
    calls: dict[str, dict[ast.Call, None]] = {}
    for call in function.calls:
        for text in {ast.dump(a) for a in (*call.args, *(k.value for k in call.keywords))}:
            calls.setdefault(text, {})[call] = None
    return calls


def _is_same_expression(one: Argument, other: Argument) -> bool:
    """Are two arguments of calls in one function written alike, of names that are bound alike?"""
    if ast.dump(one.node) != ast.dump(other.node):
        return False
    at = reaching(one.function).at
    return all(at.get(id(a)) == at.get(id(b)) for a, b in zip(walk(one.node), walk(other.node), strict=True))


def _is_swapped(target: Argument, score: Argument, *, predicted: bool, arrays: bool, guess: bool) -> bool:
    """Do values, or the ways in which both came about, say so?"""
    estimated = arrays and predictions.is_predicted_by_estimator(target.node, target.function)
    if (predicted or estimated) and _is_truth(score):
        return True
    if arrays:
        return _measured_for_truth(target, score, predicted=predicted, guess=guess)
    attached = target.value.is_attached and not _comes_from_array(target)
    modelled = attached or predictions.is_model_output_on_item(target.node, target.function, guess=guess)
    return ((modelled or predicted) and _cannot_be_prediction(score, guess=guess)) or _counted_for_scores(target, score)


def _measured_for_truth(target: Argument, score: Argument, *, predicted: bool, guess: bool) -> bool:
    """Was one measured by a model and the other collected, or called the truth, for a metric that takes arrays?"""
    own, other, function = target.node, score.node, score.function
    measured = predicted or predictions.is_prediction(own, target.function, guess=guess)
    if measured and predictions.is_ground_truth(other, function, guess=guess):
        return True
    if predictions.is_filled_by_folds(own, other, function):
        return True
    estimated = predicted or predictions.is_predicted_by_estimator(own, target.function)
    fitted = predictions.is_fitted_as_truth(other, function)
    return estimated and (fitted or predictions.is_named_truth(other, function, guess=guess))


def _counted_for_scores(target: Argument, score: Argument) -> bool:
    """Are whole numbers, which no model gives, handed over for the scores of classes, and no such for the classes?"""
    if not (_is_vague(score) and score.expects("Logits", "LogProbs") and target.expects("ClassIndex")):
        return False
    return predictions.holds_integers(Origin(score.node, score.frame)) and not predictions.holds_integers(
        Origin(target.node, target.frame)
    )


def _are_named_swapped(target: Argument, score: Argument, *, arrays: bool) -> bool:
    """Do both names say so, where nothing is known of the value that is given for the prediction?"""
    own, other, function = target.node, score.node, score.function
    if arrays and (are_names_swapped(other, own, function) or are_last_words_swapped(other, own, function)):
        return True
    if not _is_vague(score):
        return False
    return do_names_contradict(other, own, function) or are_names_swapped(other, own, function)


def _is_vague(score: Argument) -> bool:
    """Is nothing known of a value that would make it a prediction?"""
    return score.value.is_unknown or not score.value.all_graph


def _is_truth(argument: Argument) -> bool:
    """Is it data of the loader, or a part of a split, and no output of a model?"""
    value = argument.value
    if any(value.has(trait) for trait in (*expectations.SCORES, "Prediction")):
        return False
    return value.is_("Labels") or value.is_("Inputs") or value.is_("Split")


def _cannot_be_prediction(argument: Argument, *, guess: bool) -> bool:
    """Can no model that is trained here have made it: a constant, an item of what a loop goes through, a parameter
    called target, a decision or something that was detached?"""
    value = argument.value
    if any(v.graph for v in value.alternatives) or any(cut.how == "no_grad" for cut in value.all_breaks):
        return False
    constant = all(v.breaks or (isinstance(v, TensorValue) and not v.opaque) for v in value.alternatives)
    return constant or predictions.is_ground_truth(argument.node, argument.function, guess=guess)


def _comes_from_array(argument: Argument) -> bool:
    """Does it come out of an array? No array carries gradients, whoever made it."""
    calls = (o.node for o in origins(argument.node, argument.frame) if isinstance(o.node, ast.Call))
    return any(last_name(c.func) in ("from_numpy", "astype") for c in calls)
