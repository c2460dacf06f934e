"""The domains of what is trained on and chosen by, written down for `tests/semantics`: optimizers, held-out rows."""

from __future__ import annotations

import ast
from collections.abc import Callable

from mllint.semantics.flow.build import build
from mllint.semantics.flow.views import ModuleView
from mllint.semantics.syntax.nodes import place
from mllint.semantics.training.metrics import recorded
from mllint.semantics.training.optimizers import mismatches, parameter_lists
from mllint.semantics.training.rows import (
    held_out_fits,
    held_out_steps,
    named_tests,
    node_masks,
    selection,
    test_choices,
)
from mllint.semantics.values.frames import Frame

__all__ = ["REVEALS"]


def _mismatch(call: ast.Call, frame: Frame) -> str:
    """What is wrong with what each optimizer of the function holds."""
    found = mismatches.find_mismatches(build(frame.function, frame))
    shown = [f"{place(m.made.call.node.func)}({m.held or '...'}): {m.wrong.value}" for m in found]
    return " | ".join(shown) or "nothing"


def _unread_list(call: ast.Call, frame: Frame) -> str:
    """The lists of parameters of the function that no optimizer gets."""
    unread = [found.name for found in parameter_lists.find_unread_lists(frame.function)]
    rest = [f"all but {names}" for _, names in parameter_lists.find_groups_without_rest(frame.function)]
    return ", ".join([*unread, *rest]) or "none"


def _held_out_step(call: ast.Call, frame: Frame) -> str:
    """What the steps of the function train on, by more than the name of a loop."""
    flow = build(frame.function, frame)
    shown = [f"batches of {ast.unparse(data.node)}" for _, data in held_out_steps.find_loops_over_held_out(flow)]
    shown += ["a part of a split" for _ in held_out_steps.find_steps_on_split(flow)]
    shown += [f"the phase {phase!r}" for _, phase, _ in held_out_steps.find_steps_in_held_out_phase(flow)]
    for found in held_out_steps.find_unused_counterparts(flow):
        how = "trained on by nothing" if found.is_read else "never used"
        shown.append(f"{found.held_out}, {found.training} is {how}")
    return " | ".join(shown) or "nothing held out, or unknown"


def _nodes(call: ast.Call, frame: Frame) -> str:
    """Which nodes of a graph the losses of the function are taken over."""
    flow = build(frame.function, frame)
    shown = [f"those of {mask}" for _, mask in node_masks.find_losses_on_held_out_nodes(flow)]
    shown += [f"all of {graph}" for _, _, graph in node_masks.find_losses_on_all_nodes(flow)]
    return " | ".join(shown) or "no held-out nodes, or unknown"


def _held_out_fit(call: ast.Call, frame: Frame) -> str:
    """The held-out rows that the fits of the function learn from, by provenance."""
    found = held_out_fits.find_fits_on_held_out(build(frame.function, frame))
    return " | ".join(ast.unparse(rows) for _, rows in found) or "none, or rightly"


def _test_choice(call: ast.Call, frame: Frame) -> str:
    """What the function chooses by numbers that were measured on the test set, and by which."""
    found = test_choices.find_choices_by_test_score(build(frame.function, frame))
    return " | ".join(f"{choice.how.value} by {ast.unparse(choice.score.node)}" for choice in found) or "nothing"


def _test_for_validation(call: ast.Call, frame: Frame) -> str:
    """What of the file is test data in the place of validation data, by what names say."""
    module, project = frame.module, frame.project
    shown = [f"{name} in training" for _, name, _ in named_tests.find_test_loaders_in_training(module, project)]
    shown += [
        f"{used} read as {name}" for _, name, used, _ in named_tests.find_tests_read_as_validation(module, project)
    ]
    shown += [f"{name} reused" for _, name, _ in named_tests.find_reused_test_sets(module, project)]
    shown += [f"given for {parameter}" for _, parameter in named_tests.find_tests_given(module)]
    validated = (v for f in module.functions for v in selection.find_validation_on_test(f))
    shown += [f"{name} validated on" for _, name, _, _, _ in validated]
    shown += [f"renamed to {renamed.name}" for renamed in named_tests.find_renamed_tests(module)]
    return " | ".join(shown) or "nothing"


def _recorded(call: ast.Call, frame: Frame) -> str:
    """Which training scores of the file are recorded under which names, and what is meant."""
    found = recorded.find_mislabelled_scores(ModuleView(frame.module, frame))
    return " | ".join(f"{f.score} as {f.key}, not {f.other}" for f in found) or "nothing"


REVEALS: dict[str, Callable[[ast.Call, Frame], str]] = {
    "reveal_mismatch": _mismatch,
    "reveal_unread_list": _unread_list,
    "reveal_held_out_step": _held_out_step,
    "reveal_nodes": _nodes,
    "reveal_held_out_fit": _held_out_fit,
    "reveal_recorded_as": _recorded,
    "reveal_test_choice": _test_choice,
    "reveal_test_for_validation": _test_for_validation,
}
