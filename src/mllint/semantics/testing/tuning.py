"""The domains of fine-tuning, written down for `tests/semantics`: what is unfrozen, prepared, replaced."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mllint.semantics.flow.build import build
from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.sites import text
from mllint.semantics.training import accelerated
from mllint.semantics.training.checkpoints import keras_tests, last_weights, trainer_tests
from mllint.semantics.training.finetuning import (
    adapters,
    encodings,
    endings,
    finished,
    next_tokens,
    openings,
    prompts,
    shifting,
    templates,
)
from mllint.semantics.training.modes import keras_runs, woken
from mllint.semantics.training.optimizers import constructions, parameters, unfreezing
from mllint.semantics.training.schedules import replaced
from mllint.semantics.values.frames import Frame

__all__ = ["REVEALS"]


def _thawed(call: ast.Call, frame: Frame) -> str:
    """The lines of this function that unfreeze what no optimizer trains."""
    flow = build(frame.function, frame)
    held = parameters.identities_given(steps for _, steps in constructions.constructions(flow).values())
    found = [f"line {thaw.site.line} in vain" for thaw, _, _ in unfreezing.find_untrained_unfrozen(flow, held)]
    return ", ".join(found) or "trained"


def _woken(call: ast.Call, frame: Frame) -> str:
    """The parts that this function puts back into train mode, and the line."""
    found = [f"{part.name}, line {part.train.site.line}" for part in woken.woken(build(frame.function, frame))]
    return ", ".join(found) or "nothing"


def _run_in_training(call: ast.Call, frame: Frame) -> str:
    """Which model of Keras runs as in training for the metrics of this function, and a layer of it."""
    updates = (Call(n, frame) for n in frame.function.calls if getattr(n.func, "attr", "") == "update_state")
    found = [run for update in updates if (run := keras_runs.find_run_in_training(update)) is not None]
    return ", ".join(f"{run.name}, line {layer.line}" for run, _, layer in found) or "nothing"


def _tested(call: ast.Call, frame: Frame) -> str:
    """The lines in which this function hands over rows to test weights that are not those it kept."""
    found = [f"line {t.rows.site.line}" for t in last_weights.find_tests_of_last_weights(build(frame.function, frame))]
    return ", ".join(found) or "nothing"


def _kept_file(call: ast.Call, frame: Frame) -> str:
    """The file that keeps the best weights, or the best model, of a run that tests its last ones."""
    drawn, shown = build(frame.function, frame), []
    for tested in last_weights.find_tests_of_last_weights(drawn):
        kept = last_weights.find_kept_file(tested, drawn)
        if kept is not None:
            what, path = "model" if kept.is_whole else "weights", ast.unparse(kept.path)
            shown.append(f"{what} in {path}" + (", renamed" if kept.is_renamed else ""))
    return ", ".join(shown) or "no file"


def _characters(call: ast.Call, frame: Frame) -> str:
    """The lines of this function that measure a mask of labels by the length of a text."""
    found = prompts.find_masks_by_characters(FunctionView(frame.function, frame))
    return ", ".join(f"line {length.lineno}" for _, length in found) or "tokens, or unknown"


def _unended(call: ast.Call, frame: Frame) -> str:
    """The lines of this function that write texts which are learned without an end."""
    found = endings.find_unended_texts(FunctionView(frame.function, frame))
    return ", ".join(f"line {text.lineno}" for text, _ in found) or "ended, or unknown"


def _configs(frame: Frame) -> list[Call]:
    """The configurations of adapters that this function builds."""
    return [Call(n, frame) for n in frame.function.calls if getattr(n.func, "id", "") == "LoraConfig"]


def _frozen_head(call: ast.Call, frame: Frame) -> str:
    """The lines that load models whose new heads the adapters of this function leave frozen."""
    found = [head.line for config in _configs(frame) if (head := adapters.frozen_head(config)) is not None]
    return ", ".join(f"line {line}" for line in found) or "trained, or unknown"


def _untrained_tokens(call: ast.Call, frame: Frame) -> str:
    """The lines that add tokens whose embeddings the adapters of this function do not train."""
    found = [added[0].line for config in _configs(frame) if (added := adapters.untrained_tokens(config)) is not None]
    return ", ".join(f"line {line}" for line in found) or "trained, or unknown"


def _end_of_texts(call: ast.Call, frame: Frame) -> str:
    """The line in which the texts get the token that ends them, in the program of this function."""
    end = finished.end_of_texts(frame.function, frame.project)
    return f"line {end.line}" if end is not None else "no end is seen"


def _prompts_in_other_template(call: ast.Call, frame: Frame) -> str:
    """The lines of this function that ask a tuned model in another template."""
    generating = (n for n in frame.function.calls if getattr(n.func, "attr", "") == "generate")
    found = [other for n in generating if (other := templates.other_template(Call(n, frame))) is not None]
    return ", ".join(f"line {text.lineno}" for text, *_ in found) or "as learned, or unknown"


def _compared(call: ast.Call, frame: Frame) -> str:
    """The lines of this function that compare the scores of a causal model with the tokens that it read."""
    losses = [Call(n, frame) for n in frame.function.calls]
    found = [f"line {n.node.lineno}" for n in losses if next_tokens.find_unshifted_labels(n) is not None]
    return ", ".join(found) or "shifted, or unknown"


def _shifted(call: ast.Call, frame: Frame) -> str:
    """The lines of this function that give labels to a causal model, or to its trainer, which were shifted already."""
    calls = [Call(n, frame) for n in frame.function.calls]
    found = [f"line {given.site.line}" for c in calls if (given := shifting.find_shifted_labels(c)) is not None]
    return ", ".join(found) or "nothing, or unknown"


def _encodings(call: ast.Call, frame: Frame) -> str:
    """The lines in which a tokenizer is called for some ids."""
    found = {made.node.lineno for made in encodings.find_encodings(call.args[0], frame)}
    return ", ".join(f"line {line}" for line in sorted(found)) or "unknown"


def _encoded_elsewhere(call: ast.Call, frame: Frame) -> str:
    """The lines of this function that show padded ids of another function as labels."""
    found = encodings.labels_encoded_elsewhere(FunctionView(frame.function, frame))
    return ", ".join(f"line {labels.line}" for labels, _ in found) or "nothing"


def _learned_openings(call: ast.Call, frame: Frame) -> str:
    """The lines of this function in which a template begins an answer of a text that is learned as it is."""
    calls = [Call(n, frame) for n in frame.function.calls]
    found = [f"line {c.node.lineno}" for c in calls if openings.find_learned_opening(c) is not None]
    return ", ".join(found) or "nothing"


def _unprepared(call: ast.Call, frame: Frame) -> str:
    """What this function trains with besides a backward of accelerate, and has not prepared."""
    found = [f"{u.kind} of line {u.built.line}" for u in accelerated.unprepared(build(frame.function, frame))]
    return ", ".join(found) or "nothing"


def _tested_by_trainer(call: ast.Call, frame: Frame) -> str:
    """The modules that a trainer tests in this function with their last weights, where the best ones were kept."""
    by_lightning = trainer_tests.find_trainer_tests(frame.function, frame)
    found = [text(t.test.module, t.model) for t in by_lightning]
    found += [t.model for t in keras_tests.find_keras_tests(frame.function, frame)]
    return ", ".join(found) or "nothing"


def _left_behind(call: ast.Call, frame: Frame) -> str:
    """The lines of the file that construct an optimizer in the place of one that a schedule still holds."""
    made = [node for name in ("Adam", "SGD") for node in frame.module.calls_by_name.get(name, ())]
    calls = (Call(node, frame.project.frame(scope)) for node, scope in made if isinstance(scope, FunctionScope))
    found = sorted({c.node.lineno for c in calls for _ in replaced.find_stale_schedules(c)})
    return ", ".join(f"line {line}" for line in found) or "nothing"


REVEALS: dict[str, Callable[[ast.Call, Frame], str]] = {
    "reveal_thawed": _thawed,
    "reveal_masked_length": _characters,
    "reveal_woken": _woken,
    "reveal_run_in_training": _run_in_training,
    "reveal_tested_on_last": _tested,
    "reveal_kept_file": _kept_file,
    "reveal_tested_by_trainer": _tested_by_trainer,
    "reveal_compared": _compared,
    "reveal_asked": _prompts_in_other_template,
    "reveal_unended": _unended,
    "reveal_frozen_head": _frozen_head,
    "reveal_untrained_tokens": _untrained_tokens,
    "reveal_end": _end_of_texts,
    "reveal_shifted": _shifted,
    "reveal_encodings": _encodings,
    "reveal_encoded_elsewhere": _encoded_elsewhere,
    "reveal_learned_openings": _learned_openings,
    "reveal_unprepared": _unprepared,
    "reveal_left_behind": _left_behind,
}
