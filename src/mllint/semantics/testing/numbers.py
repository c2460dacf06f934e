"""The domains of numbers and of tokens, written down for `tests/semantics`: forms, directions, averages, labels."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mllint.semantics.flow.build import build
from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.nodes import place
from mllint.semantics.training import options
from mllint.semantics.training.checkpoints import bests
from mllint.semantics.training.finetuning import chats, padding, shifting, tokens
from mllint.semantics.training.losses import columns
from mllint.semantics.training.metrics import averages, batch_scores, directions, keepers, last_batch, resets, stages
from mllint.semantics.training.schedules import factors
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import ClassValue

__all__ = ["REVEALS"]


def _resolve_call(call: ast.Call, frame: Frame) -> Call | None:
    """The call that is the argument, or that the name in its place is bound to."""
    node = call.args[0]
    for binding in frame.function.bindings.get(place(node) or "", ()):
        node = binding.value
    return Call(node, frame) if isinstance(node, ast.Call) else None


def _form(call: ast.Call, frame: Frame) -> str:
    """Whether the argument is a column or flat."""
    form = columns.form_of(call.args[0], frame)
    return form.layout.value if form is not None else "unknown"


def _better(call: ast.Call, frame: Frame) -> str:
    """In which direction a metric is better, by its key."""
    key = call.args[0]
    return directions.direction_by_key(str(key.value) if isinstance(key, ast.Constant) else "") or "unknown"


def _watched(call: ast.Call, frame: Frame) -> str:
    """In which direction a callback, or the arguments of a trainer, watch a metric."""
    built = _resolve_call(call, frame)
    found = directions.find_watched_metric(built) if built is not None else None
    return found[1] if found is not None else "unknown"


def _measured(call: ast.Call, frame: Frame) -> str:
    """In which direction a number is better, by how it was computed."""
    return directions.direction_of_number(call.args[0], frame) or "unknown"


def _best(call: ast.Call, frame: Frame) -> str:
    """By which scores the weights are kept that the argument reads, and which one counts as better."""
    read = _resolve_call(call, frame)
    found = list(keepers.find_keeping_comparisons(read)) if read is not None else []
    scores = [(k.handed.node if k.handed is not None else k.score, k.direction) for k in found]
    return ", ".join(f"{ast.unparse(score)}: {direction}" for score, direction in scores) or "unknown"


def _sought(call: ast.Call, frame: Frame) -> str:
    """In which direction a study looks, and in which one what its objective gives back is better."""
    optimize = _resolve_call(call, frame)
    found = directions.find_study_objective(optimize) if optimize is not None else None
    return (
        f"{found[1]}, better {directions.direction_of_number(found[0], found[2])}" if found is not None else "unknown"
    )


def _averages(call: ast.Call, frame: Frame) -> str:
    """The sums of this function that are divided by the wrong count."""
    meant = {False: " (perhaps meant)", True: ""}
    found = [
        f"{m.name}: {m.summed}{meant[m.mistaken.is_certain]}"
        for m in averages.find_wrong_averages(FunctionView(frame.function, frame))
    ]
    return ", ".join(found) or "nothing"


def _scores_of_batches(call: ast.Call, frame: Frame) -> str:
    """The lines of this function that take the mean of a score over batches."""
    found = batch_scores.find_averaged_batch_scores(FunctionView(frame.function, frame))
    return ", ".join(f"line {mean.lineno}" for _, mean, _ in found) or "nothing"


def _factor(call: ast.Call, frame: Frame) -> str:
    """Whether the function of a schedule gives a factor, as far as is known, or a rate."""
    built = _resolve_call(call, frame)
    return "a rate" if built is not None and factors.find_absolute_factor(built) is not None else "a factor, or unknown"


def _padding(call: ast.Call, frame: Frame) -> str:
    """Whether the tokenizer that a collator is given pads with the end of a text."""
    built = _resolve_call(call, frame)
    tokenizer = built.argument("tokenizer") if built is not None else None
    padded = padding.find_eos_as_padding(tokenizer.node, frame) if tokenizer is not None else None
    known = "" if padded is None or padded.is_certain else ", possible"
    return f"pads with the end{known}" if padded is not None else "unknown"


def _labels(call: ast.Call, frame: Frame) -> str:
    """What the labels hold that a model is given, or that an encoding gets."""
    built = _resolve_call(call, frame)
    if built is not None and shifting.find_shifted_labels(built) is not None:
        return "shifted twice"
    padded = any(tokens.labels_padded_by_hand(FunctionView(frame.function, frame)))
    return "padding, too" if padded or (built is not None and tokens.copied_labels(built) is not None) else "unknown"


def _template(call: ast.Call, frame: Frame) -> str:
    """What a chat template opens behind the messages."""
    built = _resolve_call(call, frame)
    return "an answer behind the answer" if built is not None and chats.find_prompt_after_answer(built) else "unknown"


def _record(call: ast.Call, frame: Frame) -> str:
    """What becomes of the records that weights are kept behind, in this function."""
    results = []
    for guard in bests.guards(build(frame.function, frame)):
        if bests.is_guard_never_true(guard):
            results.append(f"{place(guard.record)}: never outdone")
        elif bests.is_record_never_updated(guard):
            results.append(f"{place(guard.record)}: never updated")
    results += [f"{place(reset.record)}: reset" for reset in bests.find_resets(build(frame.function, frame))]
    return ", ".join(results) or "nothing"


def _carried(call: ast.Call, frame: Frame) -> str:
    """What goes from one epoch into the next, or is of the last batch only, in the measurements of this function."""
    flow = build(frame.function, frame)
    results = [f"{c.name}: never reset" for c in (*resets.find_sums_never_reset(flow), *resets.unreset_metrics(flow))]
    results += [f"{c.name}: last batch" for c in last_batch.find_last_batch_reads(flow)]
    return ", ".join(results) or "nothing"


def _option(call: ast.Call, frame: Frame) -> str:
    """Whether anybody reads an option of the command line, which the argument names."""
    wanted = call.args[0]
    added = (Call(node, frame) for node, _ in frame.module.calls_by_name.get("add_argument", ()))
    found = [c for c in added if any(ast.dump(a) == ast.dump(wanted) for a in c.node.args)]
    return "never read" if any(map(options.is_never_read, found)) else "read, or unknown"


def _shared(call: ast.Call, frame: Frame) -> str:
    """The metrics of the class that count the batches of two stages."""
    classes = [v.cls for v in evaluate(call.args[0], frame).alternatives if isinstance(v, ClassValue)]
    steps = [c.methods["training_step"] for c in classes if "training_step" in c.methods]
    flows = (build(step, frame.project.frame(step)) for step in steps)
    return ", ".join(shared.name for flow in flows for shared in stages.find_shared_metrics(flow)) or "nothing"


REVEALS: dict[str, Callable[[ast.Call, Frame], str]] = {
    "reveal_form": _form,
    "reveal_better": _better,
    "reveal_best": _best,
    "reveal_watched": _watched,
    "reveal_measured": _measured,
    "reveal_sought": _sought,
    "reveal_averages": _averages,
    "reveal_scores_of_batches": _scores_of_batches,
    "reveal_factor": _factor,
    "reveal_padding": _padding,
    "reveal_labels": _labels,
    "reveal_template": _template,
    "reveal_record": _record,
    "reveal_carried": _carried,
    "reveal_option": _option,
    "reveal_shared_metrics": _shared,
}
