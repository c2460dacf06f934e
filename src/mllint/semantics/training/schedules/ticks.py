"""When does a schedule tick: with every batch, once per epoch, with every optimizer step?

    for epoch in range(90):
        for x, y in loader:
            ...
            optimizer.step()
            per_batch.step()          # inside the batch loop
        per_epoch.step()              # next to it: the batch loop in which the optimizer steps is *below* the tick

`ticks` are the calls that advance a schedule which is known, each with the alternatives that it may be. The unit of a
tick is the loop that it stands in, so it is read off the flow: `tick.loops`, and `batch_loop_below`. Lightning advances
schedules itself; `lightning_intervals` reads from `configure_optimizers` when.

What makes it unknown: a test inside the loop that decides about the tick (`is_unconditional`), unless it decides about
the optimizer's step as well or only asks whether there is a schedule; and a tick that is given the epoch
(`schedule.step(epoch)`), which may come as often as one likes (`is_given_epoch`).

Deliberately not done: iterations are not counted, and a tick in a callback that an unknown trainer calls is no event.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import AppliesGrad, Ticks
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import SCHEDULER
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, is_within, iterable_of, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.randomness.seeds import is_unit_test
from mllint.semantics.training.schedules.units import Unit, horizon, unit_of
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import constructor_argument, method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import origins
from mllint.semantics.values.values import LiteralValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.syntax.module import ClassScope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.values import Value

__all__ = [
    "batch_loop_below", "counts_whole_run", "find_cosine_overrun", "is_given_epoch", "is_unconditional",
    "lightning_intervals", "steps_of", "ticks", "unit_of_loop_around",
]  # fmt: skip

_STEPS_BY_IDENTITY: Cache[None, dict[int, list[Event]]] = Cache()


def ticks(flow: Flow) -> Iterator[tuple[Event, list[Value]]]:
    """The ticks of known schedules.

    Yields:
        The event, and what its schedule may be: instances of schedules only, without the None that nobody can step.
    """
    seen = set()
    for tick in flow.events(Ticks):
        receiver = Call(tick.call, tick.frame).receiver if tick.call is not None else None
        values = [v for v in receiver.alternatives if not _is_none(v)] if receiver is not None else []
        key = (tick.site, tick.frame.key)
        if not values or key in seen or not all(v.instance_of(SCHEDULER) for v in values):
            continue
        if not any(_is_test_fixture(v, tick) for v in values):
            seen.add(key)
            yield tick, values


def _is_none(value: Value) -> bool:
    return isinstance(value, LiteralValue) and value.value is None


def _is_test_fixture(schedule: Value, tick: Event) -> bool:
    """Whether a unit test of what advances it has built it: some schedule is needed there, not one that fits."""
    built = schedule.built_with.frame.module if schedule.built_with is not None else None
    return built is not None and built is not tick.site.module and is_unit_test(built)


def steps_of(flow: Flow, tick: Event) -> list[Event]:
    """The steps of the optimizer that a schedule is for; of all optimizers if that is unknown."""
    optimizers = [o for v in tick.subject.alternatives if (o := constructor_argument(v, "optimizer")) is not None]
    if not optimizers:
        return list(flow.events(AppliesGrad))
    steps: set[Event] = set()
    by_identity = _STEPS_BY_IDENTITY.answer(flow.entry, None, lambda: _steps_by_identity(flow), meanwhile={})
    for optimizer in optimizers:
        known = optimizer.identities if not optimizer.is_unknown else ()
        near = [s for i in (*known, 0) for s in by_identity.get(i, ())] if known else flow.events(AppliesGrad)
        steps.update(s for s in near if s.subject.same_as(optimizer) is not False)
    return sorted(steps, key=lambda event: event.index)


def _steps_by_identity(flow: Flow) -> dict[int, list[Event]]:
    """The steps of a flow by the identities of their optimizers; for 0 those that may be of any."""
    found: dict[int, list[Event]] = {}
    for step in flow.events(AppliesGrad):
        vague = step.subject.is_unknown or not step.subject.identities
        for identity in (0,) if vague else step.subject.identities:
            found.setdefault(identity, []).append(step)
    return found


def is_given_epoch(tick: Event) -> bool:
    """Whether the schedule is given the epoch (`schedule.step(epoch)`), or a metric."""
    return tick.call is not None and bool(tick.call.args or tick.call.keywords)


def is_unconditional(tick: Event, steps: list[Event]) -> bool:
    """Whether no test inside its loop decides about a tick, but those that decide about a step too, or ask for None."""
    if not tick.loops:
        return not tick.conditions
    shared = {id(test) for step in steps for test, _, _ in step.conditions}
    tests = (test for test, _, _ in tick.conditions_in(tick.loops[-1]))
    return all(id(test) in shared or _asks_for_presence(test) for test in tests)


def _asks_for_presence(test: Node) -> bool:
    """Whether it is `scheduler`, `scheduler is not None`, `not finished`: no comparison."""
    if isinstance(test, ast.UnaryOp):
        return _asks_for_presence(test.operand)
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], (ast.Is, ast.IsNot))
    return isinstance(test, (ast.Name, ast.Attribute))


def batch_loop_below(tick: Event, steps: list[Event], flow: Flow) -> LoopRun | None:
    """The batch loop inside the loop of a tick in which the optimizer steps, and the tick does not stand; else None."""
    if tick.loops and not any(tick.loops[-1] in s.loops for s in steps):
        return next((run for run in flow.runs if run.outer == tick.loops and run.role == "batch"), None)
    depth = len(tick.loops)
    if not depth or any(s.loops == tick.loops for s in steps):
        return None
    below = (s.loops[depth] for s in steps if s.loops[:depth] == tick.loops and len(s.loops) > depth)
    return next((run for run in below if run.role == "batch"), None)


# ----------------------------------------------------------------------------------------------------------- Lightning
def lightning_intervals(flow: Flow) -> Iterator[tuple[Value, str, Site]]:
    """The schedules of the class whose `training_step` a flow is about, with their intervals.

    Yields:
        The schedule, "epoch" or "step", and the place that says so (else the schedule's). Nothing where the class
        optimises by hand: it advances its schedules itself.
    """
    owner = flow.root.owner
    own = method(owner, "configure_optimizers") if owner is not None and flow.root.name == "training_step" else None
    if own is None or own.stubbed or owner is None or _optimises_by_hand(owner):
        return
    frame = flow.frame.project.frame(own)
    for node in _bare(own):
        bare = evaluate(node, frame)
        if bare.instance_of(SCHEDULER):
            yield bare, "epoch", Site(frame.module, node)
    for node in _dictionaries(own):
        yield from _with_interval(node, frame)


def _with_interval(node: ast.Dict, frame: Frame) -> Iterator[tuple[Value, str, Site]]:
    """The schedule of `{"scheduler": schedule, "interval": "step"}`."""
    entries = {k.value: v for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)}
    schedule = evaluate(entries["scheduler"], frame) if "scheduler" in entries else None
    if schedule is None or not schedule.instance_of(SCHEDULER) or len(entries) < len(node.keys):
        return
    written = entries.get("interval")
    interval = evaluate(written, frame).literal if written is not None else "epoch"
    every = evaluate(entries["frequency"], frame).literal if "frequency" in entries else 1
    if interval in ("epoch", "step") and every == 1:
        yield schedule, interval, Site(frame.module, written if written is not None else entries["scheduler"])


def _optimises_by_hand(owner: ClassScope) -> bool:
    classes = [c for c in mro(owner) if not isinstance(c, str)]
    bound = (name for c in classes for f in c.methods.values() for name in f.bindings)
    return any(name.endswith("automatic_optimization") for name in bound)


def _bare(function: FunctionScope) -> Iterator[Node]:
    """What may be a schedule without a dictionary of its own: in `[optimizer], [schedule]`, or as `"lr_scheduler"`."""
    for returned in function.returns:
        if isinstance(returned.value, ast.Tuple) and len(returned.value.elts) == 2:
            second = returned.value.elts[1]
            yield from (e for e in getattr(second, "elts", [second]) if not isinstance(e, ast.Dict))
    for node in _dictionaries(function):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "lr_scheduler" and not isinstance(value, ast.Dict):
                yield value


def _dictionaries(function: FunctionScope) -> Iterator[ast.Dict]:
    yield from (n for s in function.body for n in walk(s) if isinstance(n, ast.Dict))


def counts_whole_run(schedule: Value, built: Call) -> bool:
    """Whether a horizon is the number of all steps: all batches, or what Lightning's trainer says it will take."""
    found, answer = horizon(built), unit_of(schedule, built)
    if found is not None and found.lengths:
        return answer is not None and (answer.value is Unit.BATCHES or found.multiplied)
    nodes = (o.node for node, frame in _read_by(built) for o in origins(node, frame))
    return any(isinstance(n, ast.Attribute) and n.attr == "estimated_stepping_batches" for n in nodes)


def _read_by(built: Call) -> Iterator[tuple[Node, Frame]]:
    """What a schedule is built with, and what the function of a `LambdaLR` reads."""
    yield from ((node, built.frame) for node in all_arguments(built.node))
    given = built.argument("lr_lambda")
    function = given.value.function if given is not None else None
    if function is not None and not function.stubbed:
        frame = built.project.frame(function)
        yield from ((n, frame) for n in walk(function.node) if isinstance(n, (ast.Name, ast.Attribute)))


# ----------------------------------------------------------------------------------------- a cosine as long as an epoch
def find_cosine_overrun(tick: Event, schedule: Value, built: Call) -> LoopRun | None:
    """The loop over epochs in which a cosine as long as one epoch is advanced beyond its end, where it rises again.

    `CosineAnnealingLR(optimizer, T_max=len(loader))` falls to its minimum within one epoch; advanced for every batch of
    several epochs it rises for the second one, up to where it began. Whoever wants a new cosine in each epoch builds
    one there, or takes `CosineAnnealingWarmRestarts`.

    Args:
        tick: what advances the schedule, in a batch loop.
        schedule: what is advanced.
        built: the call that built it.
    """
    found = horizon(built) if schedule.class_name == "CosineAnnealingLR" else None
    run, outer = tick.loops[-1], tick.loops[-2] if len(tick.loops) > 1 else None
    if found is None or len(found.lengths) != 1 or found.multiplied or found.divided or found.numbers or outer is None:
        return None
    if not isinstance(run.node, ast.For) or not _is_length_of(found.lengths[0], built, run):
        return None
    if _runs_once(outer) or any(_is_rebuilt(built, r) for r in tick.loops):
        return None
    return outer if outer.role == "epoch" or _is_counted(outer) else None


def unit_of_loop_around(tick: Event, built: Call) -> Answer[Unit] | None:
    """Epochs, where the horizon is the number to which the loop around that over batches counts: `for _ in range(n)`.

    Args:
        tick: what advances the schedule, in a batch loop.
        built: the call that built it.
    """
    found, outer = horizon(built), tick.loops[-2] if len(tick.loops) > 1 else None
    if found is None or outer is None or not _is_counted(outer) or len(outer.node.iter.args) != 1:
        return None
    count = outer.node.iter.args[0]
    if not isinstance(found.node, (ast.Name, ast.Attribute)) or not isinstance(count, (ast.Name, ast.Attribute)):
        return None
    value, counted = evaluate(found.node, built.frame), evaluate(count, outer.frame)
    named = built.frame is outer.frame and place(found.node) == place(count)
    once = not isinstance(found.node, ast.Name) or len(built.function.bindings.get(found.node.id, ())) == 1
    if value.same_as(counted) is True or (named and once):
        return Answer(Unit.EPOCHS, Evidence.USED, (Site(built.module, found.node), outer.site))
    return None


def _is_length_of(length: str, built: Call, run: LoopRun) -> bool:
    """Whether it is the length of what the batch loop goes through: the same object, or a place of the same name."""
    iterated = iterable_of(run.node.iter)
    given = built.argument("T_max")
    if given is not None and isinstance(given.node, ast.Call) and last_name(given.node.func) == "len":
        same = evaluate(given.node.args[0], built.frame).same_as(evaluate(iterated, run.frame))
        if same is not None:
            return same
    return length.rpartition(".")[2] == last_name(iterated) and bool(place(iterated))


def _is_counted(run: LoopRun) -> bool:
    """Whether a loop counts to something, `for _ in range(n)`."""
    source = run.node.iter if isinstance(run.node, ast.For) else None
    return isinstance(source, ast.Call) and last_name(source.func) in ("range", "trange")


def _is_rebuilt(built: Call, run: LoopRun) -> bool:
    """Whether it is built anew in each iteration of a loop, there or in a function that is called there."""
    node, frame = built.node, built.frame
    while frame.function is not run.frame.function or not is_within(node, run.node):
        if frame.caller is None:
            return False
        frame, node = frame.caller
    return True


def _runs_once(run: LoopRun) -> bool:
    """Whether a loop over epochs has one iteration, as far as that is written."""
    source = run.node.iter if isinstance(run.node, ast.For) else None
    last = source.args[-1] if isinstance(source, ast.Call) and len(source.args) == 1 else None
    return last is not None and evaluate(last, run.frame).literal == 1
