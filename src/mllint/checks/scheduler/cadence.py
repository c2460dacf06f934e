"""Does a schedule advance in the unit that it counts in, after the optimizer, and at all?

Two facts decide most of these rules: the loop in which `scheduler.step()` stands, and the unit of the schedule's
horizon. Where either cannot be read, nothing is said. A schedule that is told the epoch (`step(epoch)`) may be told
it as often as one likes, and is left alone.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks._gradients import alone, handed_in
from mllint.checks._windows import window
from mllint.checks.scheduler._horizons import (
    built_by,
    cadence_of,
    counts_epochs,
    counts_steps,
    horizon,
    told_epoch,
    unconditional,
)
from mllint.checks.scheduler._intervals import counts_all_steps, intervals
from mllint.checks.scheduler._swings import rises_again
from mllint.pattern import Pattern
from mllint.rule import Finding, Note, check
from mllint.semantics import (
    AccumulatesGrad,
    AppliesGrad,
    Call,
    Event,
    Flow,
    LoopRun,
    RestoresState,
    Site,
    Ticks,
    Value,
    text,
)
from mllint.semantics.calls import constructor_argument
from mllint.semantics.module import last_name, place, walk
from mllint.semantics.names import reaching
from mllint.semantics.seeding import is_unit_test

__all__: list[str] = []

SCHEDULER, PLATEAU = "torch.optim.lr_scheduler.LRScheduler", "torch.optim.lr_scheduler.ReduceLROnPlateau"


# -------------------------------------------------------------------------------------------------------------- pieces
def schedules(flow: Flow) -> Iterator[tuple[Event, list[Value]]]:
    """The ticks of schedules of which every alternative is known."""
    seen = set()
    for tick in flow.events(Ticks):
        receiver = Call(tick.call, tick.frame).receiver if tick.call is not None else None
        values = [v for v in receiver.alternatives if not _is_none(v)] if receiver is not None else []
        if values and all(v.instance_of(SCHEDULER) for v in values) and (tick.site, tick.frame.key) not in seen:
            if any(_made_up(v, tick) for v in values):
                continue
            seen.add((tick.site, tick.frame.key))
            yield tick, values


def _made_up(schedule: Value, tick: Event) -> bool:
    """Is it built by a unit test of what advances it? Some schedule is needed there, not one that fits."""
    built = schedule.arguments.frame.module if schedule.arguments is not None else None
    return built is not None and built is not tick.site.module and is_unit_test(built)


def _is_none(value: Value) -> bool:
    """Is it None, which nobody can step?"""
    return value.kind == "literal" and value.of is None


def steps_of(flow: Flow, tick: Event) -> list[Event]:
    """The steps of the optimizer that a schedule is for; of all optimizers if that cannot be told."""
    optimizers = [o for v in tick.subject.alternatives if (o := constructor_argument(v, "optimizer")) is not None]
    return [
        s
        for s in flow.events(AppliesGrad)
        if not optimizers or any(s.subject.same_as(o) is not False for o in optimizers)
    ]


def shown(event: Event) -> str:
    """The source text of an event."""
    return text(event.site.module, event.site.node)


# --------------------------------------------------------------------------------------------------------------- units
@check("epoch-scheduler-per-batch")
def epoch_scheduler_per_batch(flow: Flow) -> Iterator[Finding]:
    """A schedule that counts epochs is advanced in the batch loop."""
    for schedule, interval, node, frame in intervals(flow):
        call = built_by(schedule, flow.entry)
        if interval == "step" and call is not None and counts_epochs(call, schedule.of.name):
            message = f"Lightning advances this `{schedule.of.name}` with every batch, but it counts epochs"
            yield Finding(Site(frame.module, node), message, "with every batch", [Note(call, "its numbers are epochs")])
    for tick, values in schedules(flow):
        run = tick.loops[-1] if tick.loops else None
        plateau = all(value.instance_of(PLATEAU) for value in values)
        if run is None or run.role != "batch" or (told_epoch(tick) and not plateau):
            continue
        if not unconditional(tick, [s for s in flow.events(AppliesGrad) if run in s.loops]):
            continue
        calls = [built_by(value, tick) for value in values]
        if len(calls) == 1 and calls[0] is not None and not told_epoch(tick):
            yield from too_short(tick, values[0], calls[0])
        if all(
            call is not None and counts_epochs(call, value.of.name) for call, value in zip(calls, values, strict=True)
        ):
            name = values[0].of.name
            yield Finding(
                tick,
                f"`{shown(tick)}` runs for every batch, but this `{name}` counts epochs",
                "once per batch",
                [Note(calls[0], "its numbers are epochs"), Note(run, "the batch loop")],  # type: ignore[arg-type]  # none is None: see above
            )


def too_short(tick: Event, schedule: Value, built: Call) -> Iterator[Finding]:
    """The finding for a cosine over the batches of one epoch that several epochs advance."""
    epochs = rises_again(tick, schedule, built)
    if epochs is not None:
        yield Finding(
            built,
            "the cosine ends with the first epoch, but is advanced for every batch of all of them: it rises again",
            "as long as one epoch",
            [Note(tick, "advanced for every batch"), Note(epochs, "the loop over epochs")],
            "multiply the horizon by the number of epochs",
        )


@check("batch-scheduler-per-epoch")
def batch_scheduler_per_epoch(flow: Flow) -> Iterator[Finding]:
    """A schedule that counts batches is advanced once per epoch."""
    for schedule, interval, node, frame in intervals(flow):
        call = built_by(schedule, flow.entry)
        if interval == "epoch" and call is not None and counts_all_steps(call, schedule.of.name):
            name = schedule.of.name.lstrip("_")
            message = f"Lightning advances this `{name}` once per epoch, but it counts batches"
            yield Finding(
                Site(frame.module, node), message, "once per epoch", [Note(call, "its horizon is in batches")]
            )
    for tick, values in schedules(flow):
        inner = batch_loop_below(tick, steps_of(flow, tick), flow)
        call = built_by(values[0], tick) if len(values) == 1 else None
        if inner is None or call is None or told_epoch(tick):
            continue
        if any(
            other is not tick and other.subject.same_as(tick.subject) and inner in other.loops
            for other in flow.events(Ticks)
        ):
            continue
        found, name = horizon(call, values[0].of.name), values[0].of.name
        outer = {place(run.node.iter) for run in tick.loops if not isinstance(run.node, ast.While)}
        cyclic = name == "CyclicLR" and (found is None or (found.numbers and min(found.numbers) >= 100))
        if cyclic or (name == "LambdaLR" and counts_steps(call)):
            yield too_slow(tick, call, inner, name)
        elif found is not None and found.lengths and not set(found.lengths) & outer:
            if found.multiplied or cadence_of(values[0]) == "step":
                yield too_slow(tick, call, inner, name)
            elif not found.divided:
                yield Finding(
                    call,
                    f"`{name}` is given the batches of one epoch as its horizon, but is advanced once per epoch",
                    "a horizon in batches",
                    [Note(tick, "advanced here, once per epoch"), Note(inner, "the batch loop")],
                )


def too_slow(tick: Event, call: Call, inner: LoopRun, name: str) -> Finding:
    """The finding for a schedule in batches that is advanced per epoch."""
    named = call.last_name if name.startswith("_") else name
    message = f"`{shown(tick)}` runs once per epoch, but this `{named}` counts batches"
    return Finding(
        tick, message, "once per epoch", [Note(call, "its horizon is in batches"), Note(inner, "the batch loop")]
    )


def batch_loop_below(tick: Event, steps: list[Event], flow: Flow) -> LoopRun | None:
    """The batch loop, beside the tick and inside its loop, in which the optimizer steps; None if there is none."""
    if tick.loops and not any(tick.loops[-1] in s.loops for s in steps):
        return next((run for run in flow.runs if run.outer == tick.loops and run.role == "batch"), None)
    depth = len(tick.loops)
    if not depth or any(len(s.loops) == depth and s.loops == tick.loops for s in steps):
        return None
    below = (s.loops[depth] for s in steps if s.loops[:depth] == tick.loops and len(s.loops) > depth)
    return next((run for run in below if run.role == "batch"), None)


@check("scheduler-per-microbatch")
def scheduler_per_microbatch(flow: Flow) -> Iterator[Finding]:
    """A schedule that counts optimizer steps is advanced at every micro-batch."""
    for tick, values in schedules(flow):
        if told_epoch(tick) or len(values) != 1 or cadence_of(values[0]) == "epoch":
            continue
        step = next((s for s in steps_of(flow, tick) if window(s, tick) is not None), None)
        call = built_by(values[0], tick)
        if step is None or call is None or not unconditional(tick, []):
            continue
        waiting = [
            b for b in flow.events(AccumulatesGrad) if b.concerns(step) is not False and window(step, b) is not None
        ]
        found = horizon(call, values[0].of.name)
        if not waiting or found is None or any(accelerated(b) for b in waiting):
            continue
        if (found.lengths and found.divided) or (found.numbers and not found.epochs):
            yield Finding(
                tick,
                f"`{shown(tick)}` runs for every micro-batch, but `{shown(step)}` only every k-th time",
                "faster than the optimizer",
                [Note(call, "its horizon counts optimizer steps"), Note(step, "steps every k-th time")],
            )


def accelerated(backward: Event) -> bool:
    """Is it the backward of accelerate, whose prepared schedulers wait for the optimizer?"""
    receiver = Call(backward.call, backward.frame).receiver
    return receiver is not None and receiver.instance_of("accelerate.Accelerator")


# --------------------------------------------------------------------------------------------------------------- order
@check("scheduler-before-optimizer")
def scheduler_before_optimizer(flow: Flow) -> Iterator[Finding]:
    """The first tick of a schedule comes before the first step of its optimizer."""
    if flow.frame.project.before("torch", "1.1", flow.root.module):
        return  # there a schedule sets nothing before its first tick
    for tick, values in (*schedules(flow), *named(flow)):
        if told_epoch(tick) or positioned(tick) or any(skips_nothing(value) for value in values):
            continue
        steps = steps_of(flow, tick)
        if any(place(a) == tick.function.name for s in steps if isinstance(s.call, ast.Call) for a in s.call.args):
            continue  # in the closure, which the step runs
        near = [s for s in steps if s.loops[: len(tick.loops)] == tick.loops]
        if not near or not unconditional(tick, near) or any(window(s, tick) is not None for s in near):
            continue
        if not tick.loops and not all(v.of.name in STARTING for v in values):
            continue
        restored = [e for e in flow.events(RestoresState) if e.subject.same_as(tick.subject) is not False]
        held = [e for e in flow.events("unknown") if any(gets(e, s) for s in near) and not makes_schedule(e)]
        if any(flow.path(s, to=tick, back=False) for s in steps):
            continue
        step = next((s for s in near if flow.path(tick, to=s, back=False)), None)
        # without a file nothing is restored, and that is told by an error
        if step is not None and flow.path(
            flow.entry, to=tick, avoiding=(*steps, *restored, *held), raising=bool(restored)
        ):
            yield Finding(
                tick,
                f"`{shown(tick)}` runs before the first `{shown(step)}`: the schedule's first value is skipped",
                "too early",
                [Note(step, "the optimizer steps only here")],
                certain=not any(v.kind == "instance" and "get_lr" in _own_methods(v.of) for v in values),
            )
    yield from in_constructor(flow)


def in_constructor(flow: Flow) -> Iterator[Finding]:
    """`self.scheduler.step()` in the `__init__` that builds it, of the class whose training advances it again."""
    owner = flow.root.owner
    init = owner.methods.get("__init__") if owner is not None else None
    if init is None or "step" not in init.called_names or init.stubbed:
        return
    again = {place(e.call.func.value): e for e in flow.events(Ticks) if e.call is not None and e.loops}
    plain = {id(s.value) for s in init.body if isinstance(s, ast.Expr)}
    frame = flow.frame.project.frame(init)
    for call in (c for c in init.calls if last_name(c.func) == "step"):
        receiver, name = Call(call, frame).receiver, place(getattr(call.func, "value", None))
        if receiver is None or not receiver.instance_of(SCHEDULER):
            return  # perhaps the optimizer, before it
        plainly = id(call) in plain and not call.args and not call.keywords
        if not plainly or any(v.of.name not in STARTING or skips_nothing(v) for v in receiver.alternatives):
            continue
        step = next(iter(steps_of(flow, again[name])), None) if name in again else None
        if step is not None and not told_epoch(again[name]):
            shown_here = text(init.module, call)
            yield Finding(
                Site(init.module, call),
                f"`{shown_here}` runs before the first `{shown(step)}`: the schedule's first value is skipped",
                "too early",
                [Note(step, "the optimizer steps only here")],
            )


def _own_methods(cls: Any) -> Any:
    """The methods of a class of the user's: what computes its own rates may be written to be advanced first."""
    return () if cls.module.is_stub else cls.methods


_NAMED = Pattern("^(lr_?)?sched(uler)?$|^sched(uler)?_[a-z]$|^[a-z]_sched(uler)?$")


def named(flow: Flow) -> Iterator[tuple[Event, list[Value]]]:
    """The ticks of schedules that a function or a class is given, that an unknown function has built, or that a script
    leaves out, in a loop of the only optimizer."""
    for tick in flow.events(Ticks):
        if tick.option != "named" or not tick.loops or not alone(flow) or not Call(tick.call, tick.frame).is_statement:
            continue
        if _NAMED.search(handed_in(tick) or kept(tick)):
            yield tick, []


def kept(tick: Event) -> str:
    """The name of `self.scheduler`, that a method sets once, to a parameter, or of a local `scheduler`, that an unknown
    call has built which is named so too; else empty."""
    func = tick.call.func if isinstance(tick.call, ast.Call) else None
    node = func.value if isinstance(func, ast.Attribute) else None
    owner, name = tick.function.owner, place(node) or ""
    functions = [tick.function] if "." not in name else list(owner.methods.values()) if owner is not None else []
    found = [(f, b) for f in functions for b in f.bindings.get(name, ())]
    if len(found) != 1 or found[0][1].kind != "assign":
        return ""
    function, binding = found[0]
    value, path = binding.value, binding.path
    if isinstance(value, ast.Tuple) and len(path) == 1 and path[0] is not None and path[0] < len(value.elts):
        value, path = value.elts[path[0]], ()
    if path:
        return ""
    given = isinstance(value, ast.Name) and function.parameter(value.id) is not None and "." in name
    built = isinstance(value, ast.Call) and bool(_BUILDS.search(last_name(value.func).lower()))
    return last_name(node) if given or built else ""


_BUILDS = Pattern("schedul|warmup")


def makes_schedule(event: Event) -> bool:
    """Is it a call that builds a schedule, by its name and what it is bound to?"""
    bound = event.function.bindings.items()
    names = (n for n, found in bound if any(b.value is event.call for b in found))
    named = isinstance(event.call, ast.Call) and _BUILDS.search(last_name(event.call.func).lower())
    return bool(named) and any(_NAMED.search(last_name_of(n)) for n in names)


def last_name_of(name: str) -> str:
    """`scheduler` of `self.scheduler`."""
    return name.rpartition(".")[2]


def gets(event: Event, step: Event) -> bool:
    """Is the optimizer itself handed to an unknown call, which may step it?"""
    return any(value.identities & step.subject.identities for value in (event.subject, *event.others))


def positioned(tick: Event) -> bool:
    """Does the file say by hand where the schedule stands: `scheduler.last_epoch = start - 1`?"""
    func = tick.call.func if tick.call is not None else None
    schedule = (place(getattr(func, "value", None)) or "").rpartition(".")[2]
    spot = f"{schedule}.last_epoch"
    functions = tick.site.module.functions if schedule else ()
    return any(name == spot or name.endswith(f".{spot}") for f in functions for name in f.bindings)


STARTING = frozenset({"StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts"})


def skips_nothing(value: Value) -> bool:
    """Is it a plateau, or built to go on from an epoch?"""
    last = constructor_argument(value, "last_epoch")
    return value.instance_of(PLATEAU) or (last is not None and all(v.literal != -1 for v in last.alternatives))


@check("plateau-without-metric")
def plateau_without_metric(flow: Flow) -> Iterator[Finding]:
    """`ReduceLROnPlateau` is given no metric, the epoch, or the loss of the last batch."""
    plain = [tick for tick, values in schedules(flow) if all(value.instance_of(PLATEAU) for value in values)]
    for tick in (*plain, *(t for t in flow.events(Ticks) if t not in plain and chosen_plateau(t))):
        if any(names_plateau(test) is not polarity and about_class(test) for test, polarity, _ in tick.conditions):
            continue
        call = Call(tick.call, tick.frame)
        given = call.argument("metrics") or next(iter(call.arguments), None)
        if given is None:
            if not call.is_open and not given_otherwise(tick, flow):
                yield Finding(tick, f"`{shown(tick)}` is given no metric", "no metric")
        elif is_counter(given.node, tick):
            yield Finding(given, f"`{given.text}` is the epoch, not a metric", "grows for ever")
        elif (run := left_over(given.node, tick, flow)) is not None:
            message = f"`{given.text}` is the loss of the last batch of the epoch"
            yield Finding(given, message, "one batch", [Note(run, "set in each turn of this loop")])


def about_class(test: Any) -> bool:
    """Does a test ask whether a schedule is one of plateaus, be it denied: `not isinstance(s, ReduceLROnPlateau)`?"""
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    return isinstance(test, ast.Call) and names_plateau(test)


def given_otherwise(tick: Event, flow: Flow) -> bool:
    """Does the other branch of an `if` around it give the metric: `step(loss) if self.by_metric else step()`?"""
    for other in flow.events(Ticks):
        if other.call is not None and (other.call.args or other.call.keywords) and other.concerns(tick) is not False:
            if any(a is b and x != y for a, x, _ in other.conditions for b, y, _ in tick.conditions):
                return True
    return False


def chosen_plateau(tick: Event) -> bool:
    """May it be a plateau schedule, and does a branch that is taken for it only, by its name, stand around it?"""
    receiver = Call(tick.call, tick.frame).receiver if tick.call is not None else None
    if receiver is None or not any(v.instance_of(PLATEAU) for v in receiver.alternatives):
        return False
    taken = [test for test, polarity, _ in tick.conditions if polarity]
    return any(map(names_plateau, taken)) and not any(map(names_another, taken))


def names_another(test: Any) -> bool:
    """Is it `name == "step"` or `name in ["one_cycle", "onecycle"]`?"""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Eq, ast.In)):
        return False
    other = test.comparators[0]
    words = [getattr(n, "value", None) for n in getattr(other, "elts", (other,))]
    return all(isinstance(word, str) and "plateau" not in word.lower() for word in words)


def names_plateau(test: Any) -> bool:
    """Is it `name == "plateau"` or `isinstance(schedule, ReduceLROnPlateau)`, perhaps with more conditions?"""
    match test:
        case ast.BoolOp(op=ast.And(), values=parts):
            return any(names_plateau(part) for part in parts)
        case ast.Compare(ops=[ast.Eq()], comparators=[ast.Constant(value=str(word))]):
            return "plateau" in word.lower()
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, cls]):
            return last_name(cls) == "ReduceLROnPlateau"
    return False


def is_counter(node: Any, tick: Event) -> bool:
    """Is it the variable of an enclosing `range` loop, plus a constant perhaps?"""
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
        node = node.left
    if not isinstance(node, ast.Name):
        return False
    if node.id == "epoch":
        return True
    loops = [(run.node.target, run.node.iter) for run in tick.loops if isinstance(run.node, ast.For)]
    ranges = [target for target, source in loops if last_name(getattr(source, "func", None)) in ("range", "trange")]
    return any(place(target) == node.id for target in ranges)


def left_over(node: Any, tick: Event, flow: Flow) -> LoopRun | None:
    """The batch loop, already left, in whose last turn the value was computed; None if it was not."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("item", "detach"):
        node = node.func.value
    found = reaching(tick.function).at.get(id(node), ()) if isinstance(node, ast.Name) else ()
    inside = [b for b in found if getattr(b.value, "__class__", None) is not ast.Constant]
    if not inside or any(b.kind != "assign" or reads(b.value, b.name) or running(b.value, tick) for b in inside):
        return None
    lines = {b.node.lineno for b in inside}
    for run in flow.runs:
        first, last = run.node.lineno, run.node.end_lineno
        same = run.frame.function is tick.function and run not in tick.loops and last < tick.site.line
        if (
            same
            and all(first <= line <= last for line in lines)
            and any(run in e.loops for e in flow.events(AppliesGrad))
        ):
            return run
    return None


def running(value: Any, tick: Event) -> bool:
    """Is it made of a sum over the batches (`total / (step + 1)`), or the average that a meter keeps?"""
    names = {place(n) for n in walk(value) if isinstance(n, (ast.Name, ast.Attribute))}
    summed = {n for n in names if n and any(b.kind == "aug" for b in tick.function.bindings.get(n, ()))}
    return bool(summed) or any((n or "").endswith((".avg", ".average", ".value", ".global_avg")) for n in names)


def reads(value: Any, name: str) -> bool:
    """Does an expression read a name: is it a running sum?"""
    return any(place(node) == name for node in walk(value))
