"""Does a seed that is set in a training loop make each iteration draw the same numbers?

    for epoch in range(9):
        torch.manual_seed(0)               # the same numbers in each epoch
        torch.manual_seed(epoch)           # other numbers in each epoch

It does, unless the seed or a condition around it depends on the iteration, the state is restored afterwards, or each
iteration trains a model of its own. The answer is no more than POSSIBLE for a function that seeds what it draws from
itself, and that no layer or sampler of torch draws from: the same examples to look at in each epoch.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import AppliesGrad
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import OPTIMIZER
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.randomness import seeds
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin
from mllint.semantics.values.values import LiteralValue

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding, FunctionScope

__all__ = ["outermost", "repeats", "training_loop"]


def training_loop(flow: Flow, event: Event) -> LoopRun | None:
    """The innermost loop over epochs or batches around a seed, in which a model is trained that was built before.

    What a loop over epochs trains may be nested as deeply as it likes; any other one with two loops between it and the
    step may be over experiments.
    """
    for run in reversed(event.loops):
        steps = [s for s in flow.events(AppliesGrad) if run in s.loops]
        if steps:
            made = (e for e in flow.events("creates") if run in e.loops and not e.conditions_in(run))
            if any(_is_made_to_step(e, steps) for e in made) or any(_is_built_per_iteration(s, run) for s in steps):
                return None
            near = _counts_epochs(run) or min(len(s.loops) - s.loops.index(run) for s in steps) < 3
            return run if near and not _chooses(run) else None
    return None


def _counts_epochs(run: LoopRun) -> bool:
    """Does its variable say that it counts epochs?"""
    return isinstance(run.node, ast.For) and topics.is_about(place(run.node.target) or "", Topic.EPOCHS)


def _is_made_to_step(made: Event, steps: list[Event]) -> bool:
    """Is it an optimizer that is built, and that takes one of some steps?"""
    if made.subject.is_unknown or not made.subject.may_be_instance_of(OPTIMIZER):
        return False
    return any(step.subject.same_as(made.subject) is not False for step in steps)


def _chooses(run: LoopRun) -> bool:
    """Does it go over choices, `for kind in kinds:`, neither over batches nor by a count: one experiment for each?"""
    if run.role or not isinstance(run.node, ast.For):
        return False
    return last_name(getattr(run.node.iter, "func", None)) not in ("range", "trange", "count", "enumerate", "tqdm")


def _is_built_per_iteration(step: Event, run: LoopRun) -> bool:
    """Is the optimizer a local name of a function that the loop calls, so that each iteration trains from the start?"""
    optimizer = getattr(step.call.func, "value", None) if step.call is not None else None
    if step.frame.function is run.frame.function or not isinstance(optimizer, ast.Name):
        return False
    function = step.frame.function
    bound = function.bindings.get(optimizer.id, ())
    return bool(bound) and all(b.kind == "assign" and not _out_of_given(b.value, function) for b in bound)


def _out_of_given(node: Node, function: FunctionScope) -> bool:
    """Is it a part of a parameter: `optimizers["generator"]`, `self.optimizer`?"""
    if not isinstance(node, (ast.Subscript, ast.Attribute)):
        return False
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return isinstance(node, ast.Name) and function.parameter(node.id) is not None


def repeats(event: Event, run: LoopRun) -> Answer[bool] | None:
    """Whether a seed makes each iteration of a loop draw the same numbers.

    Args:
        event: the seed.
        run: the loop, of `training_loop`.

    Returns:
        PROVEN, or POSSIBLE where that is likely intended; None where iterations may differ.
    """
    given = [*event.call.args, *(k.value for k in event.call.keywords)]
    if not given or _is_restored(event) or _depends_on_iteration(event, run):
        return None
    if not _is_same_each_time(given[0], event.frame, run):
        return None
    return proven_unless(_is_for_own_draw(event, run), True, event.site)


def _is_for_own_draw(event: Event, run: LoopRun) -> bool:
    """Does a function of its own seed what only Python or numpy draw from, and draw from it: the same examples to look
    at in each epoch? Layers and samplers of torch draw from another stream."""
    streams = event.option if isinstance(event.option, tuple) else ()
    if "torch" in streams or event.frame.function is run.frame.function:
        return False
    calls = (Call(c, event.frame) for c in event.frame.function.calls if c.lineno > event.call.lineno)
    return any(seeds.drawn_stream(c) in streams for c in calls)


def _is_restored(event: Event) -> bool:
    """Is the state put back afterwards: `fork_rng`, or `set_rng_state` in the same function?"""
    frame: Frame | None = event.frame
    node: Node = event.call
    while frame is not None:
        if any(last_name(c.func) in ("set_rng_state", "setstate", "set_state") for c in frame.function.calls):
            return True
        block = frame.module.within.get(id(node))
        while block is not None:
            for item in block.items:
                if isinstance(item.context_expr, ast.Call) and topics.is_about(
                    last_name(item.context_expr.func), Topic.FORKING
                ):
                    return True
            block = frame.module.outer.get(id(block))
        if frame.caller is None:
            return False
        frame, node = frame.caller
    return False


def _depends_on_iteration(event: Event, run: LoopRun) -> bool:
    """Does a condition inside the loop depend on the pass (`if epoch == 0:`)?"""
    return any(not _is_same_each_time(test, frame, run) for test, _, frame in event.conditions_in(run))


def _is_same_each_time(node: Node, frame: Frame, run: LoopRun, depth: int = 0) -> bool:
    """Does an expression certainly have the same value in each pass of a loop?"""
    if depth > 8:
        return False
    if _enters(frame, run):
        return True  # it is computed before the loop is entered
    called: set[int] = set()  # the names by which functions are called that always give one number
    for inner in walk(node):
        if isinstance(inner, ast.Call) and last_name(inner.func) != "int" and not _is_of_process(inner, frame):
            if not isinstance(evaluate(inner, frame), LiteralValue):
                return False
            called.update(id(part) for part in walk(inner.func))
        name = place(inner) if isinstance(inner, (ast.Name, ast.Attribute)) and id(inner) not in called else None
        if name is not None and not _place_stays(inner, name, frame, run, depth):
            return False
    return True


def _is_of_process(call: ast.Call, frame: Frame) -> bool:
    """Is it the number of the process, `dist.get_rank()`, or how many there are?"""
    if last_name(call.func) not in ("get_rank", "get_world_size"):
        return False
    callees = Call(call, frame).callees
    return bool(callees) and all(f.module.name.startswith("torch.distributed") for f in callees)


def _enters(frame: Frame, run: LoopRun) -> bool:
    """Does the loop run inside a call that a frame makes?"""
    outer = run.frame.caller
    while outer is not None:
        if outer[0] is frame:
            return True
        outer = outer[0].caller
    return False


def _place_stays(node: Node, name: str, frame: Frame, run: LoopRun, depth: int) -> bool:
    first, last = run.node.lineno, run.node.end_lineno or run.node.lineno
    if isinstance(node, ast.Attribute):
        methods = frame.function.owner.methods.values() if frame.function.owner is not None else (frame.function,)
        bound = [b for m in methods for b in m.bindings.get(name, ())]
        return not any(b.kind in ("for", "aug") or first < _line(b) <= last for b in bound)
    found = bound_at(node, frame.function)
    for binding in found:
        if binding.kind in ("for", "aug", "comp"):
            return False
        if binding.kind == "param":
            given = (frame.bound or {}).get(name)
            if isinstance(given, Passed) and not _is_same_each_time(given.node, given.frame, run, depth + 1):
                return False
        elif binding.kind == "assign":
            before = frame.function is run.frame.function and not first < _line(binding) <= last
            if not before and (binding.path or not _is_same_each_time(binding.value, frame, run, depth + 1)):
                return False
    return True


def _line(binding: Binding) -> int:
    return int(getattr(binding.node, "lineno", 0))


def outermost(origin: Origin, seed: Node) -> Origin:
    """The call that chose the seed: helpers that only hand it on are passed over."""
    node, frame = origin.node, origin.frame
    while isinstance(seed, ast.Name) and frame.caller is not None and frame.function.parameter(seed.id) is not None:
        given = (frame.bound or {}).get(seed.id)
        frame, node = frame.caller
        if not isinstance(given, Passed):
            break
        seed = given.node
    return Origin(node, frame)
