"""Does training go on in eval mode after an evaluation?"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks.evaluation._excused import unapplied
from mllint.checks.evaluation._measuring import (
    evaluates,
    is_local,
    made_inside,
    mode_changes,
    moves_another,
    name,
    receiver,
)
from mllint.checks.evaluation._rounds import begins_in_train_mode
from mllint.checks.evaluation._switches import flag_set_by_hand
from mllint.rule import Finding, Note, check
from mllint.semantics import AccumulatesGrad, AppliesGrad, Call, Event, Flow, Forward, SetsMode
from mllint.semantics.calls import constructor_argument
from mllint.semantics.lineage import statements
from mllint.semantics.modes import mode_dependent
from mllint.semantics.module import walk

__all__: list[str] = []


@check("train-mode-not-restored")
def train_mode_not_restored(flow: Flow) -> Iterator[Finding]:
    """After an evaluation in the training loop, training goes on in eval mode."""
    for mode in flow.events(SetsMode):
        if mode.option != "eval" or not mode.loops or mode_dependent(mode.subject) is False or only_asked(mode, flow):
            continue
        if begins_in_train_mode(mode, flow):
            continue
        for backward in flow.events(AccumulatesGrad):
            if not trained_by(backward, mode, flow) or not flow.path(backward, to=mode):
                continue
            if steps_on_tensors(flow, backward):
                continue
            if in_training_only(backward) or headed_by_eval(backward, flow) or unapplied(backward, flow):
                continue
            if flag_set_by_hand(mode.frame, "train") or flag_set_by_hand(backward.frame, "train"):
                continue
            way = flow.path(mode, to=backward, avoiding=changes_before(backward, mode, flow))
            if way is None or any(made_inside(mode.subject, run) for run in way.rounds):
                continue
            if any(e.kind == "forward" and evaluates(e, mode, backward, flow) for e in way.events) or in_cut_loop(
                mode, backward, flow
            ):
                yield Finding(
                    mode,
                    f"`{receiver(mode)}` stays in eval mode when training goes on",
                    primary="never set back",
                    labels=[Note(backward, "trained here, in eval mode from the second round on")],
                    certain=receiver(mode) != "super()",  # in an own `eval`, whose callers set the mode back
                )
                break


def in_cut_loop(mode: Event, backward: Event, flow: Flow) -> bool:
    """Is the model evaluated in a loop that a `break` ends, which a way from the mode to a backward may pass by?"""
    inside = (f for f in flow.events(Forward) if f.frame is mode.frame and len(f.loops) > len(mode.loops))
    cut = (f for f in inside if any(isinstance(n, ast.Break) for n in walk(f.loops[-1].node)))
    changes = changes_before(backward, mode, flow)
    return any(
        evaluates(f, mode, backward, flow)
        and flow.path(mode, to=f, avoiding=changes)
        and flow.path(f, to=backward, avoiding=changes)
        for f in cut
    )


def in_training_only(backward: Event) -> bool:
    """Is it asked for in train mode only: `if model.training: loss.backward()`?"""
    return any(holds and isinstance(t, ast.Attribute) and t.attr == "training" for t, holds, _ in backward.conditions)


_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module, ast.For, ast.While, ast.If, ast.With, ast.Try)


def headed_by_eval(backward: Event, flow: Flow) -> bool:
    """Does `model.eval()` stand right above a loop that trains the model? Then it is trained so on purpose."""
    loops = [run.node for run in backward.loops if run.frame.function is backward.function]
    modes = [e.call for e in flow.events(SetsMode) if e.option == "eval" and e.concerns(backward)]
    for node in (backward.function.node, *statements(backward.function)) if loops and modes else ():
        block: list[Any] = node.body if isinstance(node, _BLOCKS) else []
        for i, statement in enumerate(block):
            if i and statement in loops and isinstance(block[i - 1], ast.Expr) and block[i - 1].value in modes:
                return True
    return False


def only_asked(mode: Event, flow: Flow) -> bool:
    """Is it a teacher: asked without gradients only, in a function that runs another model with gradients?"""
    beside = [(name(f) == receiver(mode), f.grad_off) for f in flow.events(Forward) if f.function is mode.function]
    asked = [off for same, off in beside if same]
    return bool(asked) and all(asked) and any(not same and off is False for same, off in beside)


def changes_before(backward: Event, mode: Event, flow: Flow) -> Any:
    """What may set the mode of a model before a backward. Where that only perhaps trains it, a `train()` beside it is
    perhaps of that model, and so is one of whatever it trains; the `train()` of an engine, whose backward it is, is
    that of the model inside."""
    certain, sure = mode_changes(mode, flow), backward.concerns(mode)
    engine = Call(backward.call, backward.frame).receiver if isinstance(backward.call, ast.Call) else None

    def changes(other: Event) -> bool:
        if other.kind != "sets_mode" or other.option != "train":
            return bool(certain(other))
        if engine is not None and engine.same_as(other.subject):
            return True
        if sure:
            return bool(certain(other))
        perhaps = other.concerns(mode) is not False or other.function is backward.function
        return perhaps or other.concerns(backward) is not False

    return changes


def steps_on_tensors(flow: Flow, backward: Event) -> bool:
    """Are all optimizers of a flow, or those beside a backward, built for tensors alone, `SGD([patch])`, so that no
    model is trained?"""
    steps = [s for s in flow.events(AppliesGrad) if s.frame is backward.frame] or list(flow.events(AppliesGrad))
    given = [constructor_argument(s.subject, "params") for s in steps if s.subject.kind == "instance"]
    kinds = [p.kind for v in given if v is not None and v.kind == "sequence" for p in v.parts]
    return (
        bool(kinds)
        and len(given) == len(steps)
        and all(v is not None and v.kind == "sequence" for v in given)
        and (set(kinds) == {"tensor"})
    )


def trained_by(backward: Event, mode: Event, flow: Flow) -> bool:
    """Does a backward train the model of a mode: certainly; or possibly, if the mode is known to matter?"""
    concerned = backward.concerns(mode)
    if concerned is None and (is_local(mode.subject, mode, backward) or moves_another(backward, mode, flow)):
        return False
    if mode.subject.has("Copied") and mode.subject.identity not in backward.subject.all_graph:
        return False  # an average of the model: what it is made of goes by the names of the original's parts
    if concerned is None and mode_dependent(mode.subject) is None:
        return any(e.option == "train" and e.subject.same_as(mode.subject) for e in flow.events(SetsMode))
    return concerned is not False
