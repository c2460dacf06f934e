"""The domains of rows, written down: what the reveals of `tests/semantics` ask them.

Each function puts into words what a domain of `semantics.training.rows` answers about the first argument of a call.
Where a name that is read would change the answer, as for places that are never read, it is given as text.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.build import build
from mllint.semantics.flow.kinds import AppliesGrad
from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.sites import Site, text
from mllint.semantics.training.evidence import weakest
from mllint.semantics.training.roles import is_training_name, parts_by_name
from mllint.semantics.training.rows import (
    augmentation,
    built_alike,
    carried_state,
    image_generators,
    loading,
    lookback,
    picked,
    refits,
    same_samples,
    shared_transforms,
    thresholds,
    trained_on,
)
from mllint.semantics.training.rows import leakage as leakage_domain
from mllint.semantics.training.rows import learned as learned_domain
from mllint.semantics.training.rows.forwarded import is_evaluated
from mllint.semantics.training.rows.left_on import find_left_on
from mllint.semantics.training.rows.measured_rows import find_measured_on_training
from mllint.semantics.training.rows.overlaps import find_whole_reads
from mllint.semantics.training.rows.per_iteration import is_of_one_iteration
from mllint.semantics.training.rows.random_splits import decides_parts
from mllint.semantics.training.rows.same_samples import blocks, find_equal_constructions
from mllint.semantics.training.rows.selection import (
    deciding_arguments,
    find_selection_on_test,
    find_validation_on_test,
)
from mllint.semantics.training.rows.shared_rows import find_independent_samples, share_rows
from mllint.semantics.training.rows.splits import divisions, part_of
from mllint.semantics.training.rows.test_scores import is_test_score
from mllint.semantics.training.rows.trained_on import is_predictor, may_learn_from_test_part
from mllint.semantics.training.rows.trials import find_trials_on_test
from mllint.semantics.training.rows.usage import HELD_OUT, TRAINING, is_read, unread_counterparts
from mllint.semantics.training.rows.wrong_part import find_built_of_other_part, find_test_as_validation
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins
from mllint.semantics.values.values import FunctionValue

__all__ = ["REVEALS", "bound"]


def bound(node: Node, frame: Frame) -> Node:
    """The expression that a name is bound to first; any other expression itself."""
    return frame.function.bindings[node.id][0].value if isinstance(node, ast.Name) else node


def _part(call: ast.Call, frame: Frame) -> str:
    """Which rows the argument is, and how well that is known."""
    answer = part_of(call.args[0], frame)
    return "unknown" if answer is None else f"{answer.value.value}, {answer.evidence.name.lower()}"


def _held_out_by_chance(call: ast.Call, frame: Frame) -> str:
    """Whether the draw that is the argument decides which rows are held out, and how well that is known to do harm."""
    answer = decides_parts(Call(bound(call.args[0], frame), frame))
    return "no" if answer is None else answer.evidence.name.lower()


def _read(call: ast.Call, frame: Frame) -> str:
    """Whether the place that the argument, a text, names is read in the function."""
    name: Node = call.args[0]
    return str(is_read(name.value, frame.function))


def _counterpart(call: ast.Call, frame: Frame) -> str:
    """The place for the other part of the data that is never read."""
    name = place(call.args[0]) or ""
    own, other = (TRAINING, HELD_OUT) if is_training_name(name) else (HELD_OUT, TRAINING)
    return next(unread_counterparts(name, own, frame.function, other), "none")


def _leaks(call: ast.Call, frame: Frame) -> str:
    """What was learned before the divisions of the function, and how well it is known that it leaks."""
    function, found = FunctionView(frame.function, frame), []
    for division in divisions(function):
        for learned in learned_domain.find_learned_before_split(division, function):
            leak = leakage_domain.leaks_held_out_rows(learned, division, function)
            if leak is not None:
                found.append(f"{learned.how} of {learned.rows_text}, {leak.evidence.name.lower()}")
    return " | ".join(sorted(set(found))) or "nothing"


def _refit(call: ast.Call, frame: Frame) -> str:
    """What training rows are fitted, or transformed, by the estimator that is fitted on the argument, held-out rows."""
    function = FunctionView(frame.function, frame)
    for how, pairs in (
        ("fitted", refits.find_separate_refits(function)),
        ("applied", refits.find_fits_applied_to_training(function)),
    ):
        for pair in pairs:
            if place(pair.second.rows) == place(call.args[0]):
                return f"{how} to {pair.first.rows_text}, {weakest(pair.answers).name.lower()}"
    for _, held, trained, answers in refits.find_fits_in_turn(function):
        if place(held) == place(call.args[0]):
            return f"fitted in turn with {place(trained)}, {weakest(answers).name.lower()}"
    apart = [name for _, name, other, _ in refits.find_separate_scalings(function) if other is not None]
    return "scaled apart" if (place(call.args[0]) or "") in apart else "no"


def _learns_for_both(call: ast.Call, frame: Frame) -> str:
    """The held-out rows that a function learns from after it has learned from training rows."""
    functions = [v.target for v in evaluate(call.args[0], frame).alternatives if isinstance(v, FunctionValue)]
    views = [FunctionView(f, frame.project.frame(f)) for f in functions if isinstance(f, FunctionScope)]
    found = [text(c.module, rows) for view in views for c, rows, *_ in refits.find_separate_helper_fits(view)]
    return ", ".join(found) or "nothing"


def _replaced_transform(call: ast.Call, frame: Frame) -> str:
    """The part through which the transform of another part of a split is replaced, and the other part."""
    found = shared_transforms.replaced(Call(bound(call.args[0], frame), frame))
    return "none" if found is None else f"{found.part}, {found.other}"


def _fitted_on_whole(call: ast.Call, frame: Frame) -> str:
    """The call that scores what was fitted on all of some rows on those that a division held out."""
    found = trained_on.find_scores_on_fitted_rows(FunctionView(frame.function, frame))
    scored = [m for rows, _, m in found if ast.dump(rows) == ast.dump(call.args[0])]
    return next((text(frame.module, m.func) for m in scored), "none")


def _left_on(call: ast.Call, frame: Frame) -> str:
    """The held-out data of the file for which a switch of random steps was left on, and the switch."""
    made = (Call(c, frame.project.frame(f)) for f in frame.module.functions for c in f.calls)
    return ", ".join(f"{left.name} by {left.switch}" for c in made for left in find_left_on(c)) or "none"


def _shared(call: ast.Call, frame: Frame) -> str:
    """Whether two choices of rows certainly share some."""
    first, second = call.args
    by_name = [*find_independent_samples(frame.function), *find_whole_reads(FunctionView(frame.function, frame))]
    return str(share_rows(first, second) or bool(by_name))


def _built_alike(call: ast.Call, frame: Frame) -> str:
    """The training data that the argument is built like, and whether nothing but an idle trainer gets it."""
    argument = call.args[0]
    wanted = argument.value if isinstance(argument, ast.Constant) else place(argument)
    found = [other for _, name, _, other in built_alike.find_data_built_twice(frame.function) if name == wanted]
    idle = found and not is_evaluated(str(wanted), frame.function).is_certain
    return f"like {found[0]}{', never evaluated' if idle else ''}" if found else "unknown"


def _same_samples(call: ast.Call, frame: Frame) -> str:
    """What training data the data that the argument names is constructed like, and how well it is known to do harm."""
    function, argument = FunctionView(frame.function, frame), call.args[0]
    for block in same_samples.blocks(function):
        for name, _, other, _, answer in same_samples.find_equal_constructions(function, block):
            if isinstance(argument, ast.Constant) and other == argument.value:
                return f"those of {name}, {answer.evidence.name.lower()}"
    return "unknown"


def _wrong_part(call: ast.Call, frame: Frame) -> str:
    """The place of another part that the argument is built of, while nobody reads the one of its own part."""
    function = frame.function
    pairs = (*find_built_of_other_part(function, holding=True), *find_built_of_other_part(function, holding=False))
    for _, name, used, spare in (*pairs, *find_test_as_validation(function)):
        if name == place(call.args[0]):
            known = parts_by_name(Site(frame.module, call), name, used, spare)
            return f"built of {used}, not of {spare}, {known.evidence.name.lower()}"
    return "unknown"


def _measured_on_training(call: ast.Call, frame: Frame) -> str:
    """The training rows that the measurement which is the argument is given by mistake."""
    found = find_measured_on_training(frame.function, frame)
    given = {id(n) for n in walk(bound(call.args[0], frame))}
    return next((f"{name}, {clause}" for node, _, name, clause, _ in found if id(node) in given), "unknown")


def _built_twice(call: ast.Call, frame: Frame) -> str:
    """What the argument is built like, so that both hold the same samples."""
    function = FunctionView(frame.function, frame)
    found = (f for block in blocks(function) for f in find_equal_constructions(function, block))
    return next((f"built like {name}" for name, _, other, _, _ in found if other == place(call.args[0])), "unknown")


def _random(call: ast.Call, frame: Frame) -> str:
    """The step of a transform that draws at random each time."""
    step = augmentation.random_step(evaluate(call.args[0], frame))
    return "none" if step is None else step.cls.name


def _random_flow(call: ast.Call, frame: Frame) -> str:
    """By what a generator of Keras changes the held-out pictures that it reads."""
    found = image_generators.find_random_flow(Call(bound(call.args[0], frame), frame))
    return "none" if found is None else f"{found.option}, of a subset" if found.is_subset else found.option


def _held_out(call: ast.Call, frame: Frame) -> str:
    """Whether a dataset is held-out data that is not trained on, and whether it may transform its parts differently."""
    built = Call(bound(call.args[0], frame), frame)
    held_out = "held out" if augmentation.is_held_out(built) else "unknown"
    if augmentation.is_trained_on(built):
        return f"{held_out}, trained on"
    return f"{held_out}, asks for its part" if augmentation.may_transform_by_part(built.value) else held_out


def _stored_order(call: ast.Call, frame: Frame) -> str:
    """Whether a loader certainly gives its samples in stored order."""
    return str(loading.is_in_stored_order(Call(bound(call.args[0], frame), frame)))


def _kept_order(call: ast.Call, frame: Frame) -> str:
    """How well it is known that a loader of training rows gives them in stored order, which nobody means."""
    answer = loading.keeps_stored_order(Call(bound(call.args[0], frame), frame), None, [])
    return answer.evidence.name.lower() if answer is not None else "shuffled"


def _looks_back(call: ast.Call, frame: Frame) -> str:
    """By what rows look at the rows before them."""
    splits = [Call(c, frame) for c in frame.function.calls if last_name(c.func) == "train_test_split"]
    answers = lookback.answer_columns(splits[0]) if splits else frozenset()
    found = {word for o in origins(call.args[0], frame) if (word := lookback.lookback_method(o, answers))}
    found |= {"window"} if lookback.window_at(evaluate(call.args[0], frame)) is not None else set()
    return ", ".join(sorted(found)) or "not at all"


def _picked(call: ast.Call, frame: Frame) -> str:
    """Where a candidate is looked up by the best of its test scores."""
    found = picked.find_picks_on_test(frame.function, frame)
    return ", ".join(ast.unparse(node) for _, node in found) or "none"


def _predicts(call: ast.Call, frame: Frame) -> str:
    """Whether an estimator is certainly a classifier or a regressor."""
    return str(is_predictor(evaluate(call.args[0], frame)))


def _changes_sides(call: ast.Call, frame: Frame) -> str:
    """Whether a fit on held-out rows is right, since what it fits is measured on the training rows."""
    fit = bound(call.args[0], frame)
    return str(may_learn_from_test_part(fit, evaluate(fit.func.value, frame), frame.function))


def _tried(call: ast.Call, frame: Frame) -> str:
    """The test rows that the trials which the argument runs are scored on, and the line that measures on them again."""
    found = find_trials_on_test(Call(bound(call.args[0], frame), frame))
    return "nothing" if found is None else f"{found.rows}, line {found.measured.lineno}"


def _threshold(call: ast.Call, frame: Frame) -> str:
    """Where a threshold is chosen on test rows, and measured on them, in this file."""
    curves = [item for name in thresholds.CURVES for item in frame.module.calls_by_name.get(name, ())]
    views = [Call(node, frame.project.frame(f)) for node, scope in curves if (f := function_of(scope)) is not None]
    found = [f"line {v.site.line}" for v in views if thresholds.find_threshold_from_test(v) is not None]
    tried = [
        t
        for f in frame.module.functions
        for _, t in thresholds.find_thresholds_tried_on_test(f, frame.project.frame(f))
    ]
    return ", ".join([*found, *(f"line {chooses.lineno}" for chooses in tried)]) or "validation rows, or unknown"


def _test_score(call: ast.Call, frame: Frame) -> str:
    """Whether a number was measured on the test set, and on nothing else."""
    return str(is_test_score(Origin(call.args[0], frame)))


def _chosen_on_test(call: ast.Call, frame: Frame) -> str:
    """The lines that choose by the score of a test loader in the function, while the validation loader lies unread."""
    found = [
        f"line {test.lineno}, " + (f"not by {spare}" if spare else "measured on afterwards")
        for _, test, _, spare in find_selection_on_test(frame.function)
    ]
    return ", ".join(found) or "nothing"


def _validated_on_test(call: ast.Call, frame: Frame) -> str:
    """The test rows by name on which a library validates what it chooses, in the function or for its callers."""
    return ", ".join(name for _, name, *_ in find_validation_on_test(frame.function)) or "nothing"


def _steps_on_held_out(call: ast.Call, frame: Frame) -> str:
    """The loaders that go by the name of held-out data and on which an optimizer of the function steps."""
    found = trained_on.find_steps_on_held_out(build(frame.function, frame))
    return ", ".join(f"{step.name}, shared" if step.is_shared else step.name for step in found) or "nothing"


def _carried(call: ast.Call, frame: Frame) -> str:
    """Whether a recurrent state goes from one iteration to the next in the loop that the call stands in."""
    flow = build(frame.function, frame)
    runs = {run for step in flow.events(AppliesGrad) if (run := step.in_loop("batch")) is not None}
    return ", ".join(sorted({str(carried_state.carries_recurrent_state(run, flow)) for run in runs})) or "no loop"


def _one_iteration(call: ast.Call, frame: Frame) -> str:
    """Whether rows are what one iteration draws, and not all rows that the split of the function divides."""
    split = next((c for c in frame.function.calls if last_name(c.func) == "train_test_split"), None)
    return str(is_of_one_iteration(Origin(call.args[0], frame), split, frame.function))


def _decides(call: ast.Call, frame: Frame) -> str:
    """The arguments by which a call decides what is kept."""
    argument: Node = call.args[0]
    found = [text(frame.module, node) for node in deciding_arguments(Call(argument, frame))]
    return ", ".join(found) or "nothing"


REVEALS = {
    "reveal_built_alike": _built_alike,
    "reveal_carried_state": _carried,
    "reveal_changes_sides": _changes_sides,
    "reveal_chosen_on_test": _chosen_on_test,
    "reveal_validated_on_test": _validated_on_test,
    "reveal_counterpart": _counterpart,
    "reveal_decides": _decides,
    "reveal_held_out": _held_out,
    "reveal_random_flow": _random_flow,
    "reveal_held_out_by_chance": _held_out_by_chance,
    "reveal_leaks": _leaks,
    "reveal_fitted_on_whole": _fitted_on_whole,
    "reveal_random_left_on": _left_on,
    "reveal_learns_for_both": _learns_for_both,
    "reveal_looks_back": _looks_back,
    "reveal_picked": _picked,
    "reveal_one_iteration": _one_iteration,
    "reveal_part": _part,
    "reveal_predicts": _predicts,
    "reveal_random": _random,
    "reveal_read": _read,
    "reveal_refit": _refit,
    "reveal_replaced_transform": _replaced_transform,
    "reveal_same_samples": _same_samples,
    "reveal_shared": _shared,
    "reveal_steps_on_held_out": _steps_on_held_out,
    "reveal_kept_order": _kept_order,
    "reveal_stored_order": _stored_order,
    "reveal_test_score": _test_score,
    "reveal_threshold": _threshold,
    "reveal_tried": _tried,
    "reveal_measured_on_training": _measured_on_training,
    "reveal_built_twice": _built_twice,
    "reveal_wrong_part": _wrong_part,
}
"""What each call that asks for something about rows reveals."""
