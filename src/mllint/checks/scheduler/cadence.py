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
from mllint.semantics.calls import bind, constructor_argument
from mllint.semantics.module import Function, last_name, place, walk
from mllint.semantics.names import reaching
from mllint.semantics.seeding import is_test_code, is_unit_test

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
        held = [e for e in flow.events("unknown") if any(gets(e, s) for s in near)]
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


def _own_methods(cls: Any) -> Any:
    """The methods of a class of the user's: what computes its own rates may be written to be advanced first."""
    return () if cls.module.is_stub else cls.methods


_NAMED = Pattern("^(lr_?)?sched(uler)?$|^sched(uler)?_[a-z]$|^[a-z]_sched(uler)?$")


def named(flow: Flow) -> Iterator[tuple[Event, list[Value]]]:
    """The ticks of schedules that a function is given, or a script leaves out, in a loop of the only optimizer."""
    for tick in flow.events(Ticks):
        if tick.option == "named" and tick.loops and _NAMED.search(handed_in(tick)) and alone(flow):
            if Call(tick.call, tick.frame).is_statement:
                yield tick, []


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


# --------------------------------------------------------------------------------------------------------- never at all
INERT = frozenset("get_last_lr get_lr state_dict load_state_dict last_epoch base_lrs optimizer print_lr".split())
CLASSES = """StepLR MultiStepLR ExponentialLR CosineAnnealingLR CosineAnnealingWarmRestarts LambdaLR MultiplicativeLR
OneCycleLR CyclicLR PolynomialLR LinearLR ConstantLR ReduceLROnPlateau SequentialLR ChainedScheduler get_scheduler
get_linear_schedule_with_warmup get_cosine_schedule_with_warmup get_constant_schedule_with_warmup
get_polynomial_decay_schedule_with_warmup get_cosine_with_hard_restarts_schedule_with_warmup"""


@check("scheduler-never-stepped", calls=CLASSES)
def scheduler_never_stepped(call: Call) -> Iterator[Finding]:
    """A scheduler is built, and nothing ever advances it."""
    cls = call.value.classes[0] if call.value.instance_of(SCHEDULER) else None
    if cls is None or not (cls.module.is_stub or "step" not in cls.methods) or not trains(call):
        return
    if is_test_code(call.module):
        return  # a test of how it is prepared, saved ...
    if call.is_statement:
        yield Finding(call, f"the schedule `{call.name}(...)` is thrown away", "never advanced")
        return
    bound = [b for bindings in call.function.bindings.values() for b in bindings if b.value is call.node]
    if len(bound) != 1 or bound[0].path or bound[0].kind != "assign" or targets(call, bound[0].node) != 1:
        return
    name = bound[0].name
    if used(call, name) or not stepping(call):
        return
    message = f"`{name}` is built, but its `step()` is never called"
    yield Finding(call, message, "never advanced", certain=not (switched_off(call, name) or replaced(call)))


def switched_off(call: Call, name: str) -> bool:
    """Does a comment hold the step of a schedule? Then somebody took it out, and knows that it is missing."""
    comments = (line.partition("#")[2] for line in call.module.source.text.split("\n") if ".step(" in line)
    held = (comment.partition(".step(") for comment in comments if ".step(" in comment)
    return any(before.endswith(name) or "sched" in before for before, _, _ in held)


def replaced(call: Call) -> bool:
    """Is another schedule of the same optimizer advanced in its place? A warm-up is not in its place, but before it."""
    optimizer = scheduled(call.node)
    for name, bindings in call.function.bindings.items():
        node = bindings[0].value
        if node is call.node or not isinstance(node, ast.Call) or last_name(node.func) not in CLASSES.split():
            continue
        other = Call(node, call.frame)
        if optimizer is None or place(scheduled(node)) != place(optimizer) or not used(other, name):
            continue
        if not any(_WARMING.search(f"{c.name} {c.text}") for c in (call, other)) and "warm" not in name:
            return True
    return False


_WARMING = Pattern("lambda|linear|constant|warm|chained|sequential")


def scheduled(node: ast.Call) -> Any:
    """The expression for the optimizer that a schedule is built for, None if there is none."""
    named = [k.value for k in node.keywords if k.arg == "optimizer"]
    return named[0] if named else node.args[0] if node.args else None


def trains(call: Call) -> bool:
    """Does the project train at all?"""
    if call.function.name == "configure_optimizers":
        return True  # Lightning's, which trains by itself
    return bool(call.project.calls_named("backward") or call.project.calls_named("step"))


def stepping(call: Call) -> bool:
    """Is the optimizer used for anything but its schedules, and their preparation? One that is not trains nothing."""
    given = scheduled(call.node)
    if not isinstance(given, ast.Name) or given.id not in call.function.bindings:
        return True
    if any(b.kind != "assign" for b in call.function.bindings[given.id]):
        return True
    if call.function.is_body and any(imports(m, given.id) for m in call.project.modules if m is not call.module):
        return True
    return read_in(call.function.node, given.id, False, call)


def targets(call: Call, node: Any) -> int:
    """How many places the result is stored in at once."""
    return sum(b.value is call.node for bindings in call.function.bindings.values() for b in bindings)


def used(call: Call, name: str) -> bool:
    """Is the schedule read anywhere but for its learning rate and its state?"""
    last = name.rpartition(".")[2]
    if name.endswith("]") and (handed_whole(call, name) or any(item_read(m, last) for m in call.project.modules)):
        return True
    if call.function.is_body and not any(word in call.module.calls_by_name for word in ("backward", "step", "fit")):
        return True  # a configuration: whoever loads the file uses what it names
    if "." not in name and not call.function.is_body and name not in call.function.globals:
        return read_in(call.function.node, name, False, call) or dumps(call)  # nobody else sees a local name
    modules = call.project.modules if "." in name or call.function.is_body else [call.module]
    for module in modules:
        if module is not call.module and "." not in name and not imports(module, last):
            continue
        if last not in module.source.text:
            continue
        ticks = (c.func for c, _ in module.calls_by_name.get("step", ()) if isinstance(c.func, ast.Attribute))
        ticked = [func.value for func in ticks if last_name(func.value) == last]
        if any(isinstance(node, ast.Attribute if "." in name else ast.Name) for node in ticked):
            return True
        if read_in(module.body.node, name if module is call.module and "." not in name else last, "." in name, call):
            return True
    return dumps(call)


def dumps(call: Call) -> bool:
    """Is everything read that has a name here?"""
    return any(word in call.function.called_names for word in ("locals", "globals", "vars"))


def handed_whole(call: Call, name: str) -> bool:
    """Is the dictionary that holds it given to a call, `super().__init__(**kwargs)`, or returned?"""
    table = name.partition("[")[0]
    given = [a for c in call.function.calls for a in (*c.args, *(k.value for k in c.keywords))]
    given += [n for r in call.function.returns if r.value is not None for n in walk(r.value)]
    return any(place(a) == table for a in given)


def item_read(module: Any, name: str) -> bool:
    """Does a file read an item of a dictionary that has the key in `state["scheduler"]`?"""
    key = name.rpartition("[")[2].strip("]\"'")
    if key not in module.source.text:
        return False
    items = (n for n in walk(module.body.node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load))
    return any(isinstance(n.slice, ast.Constant) and str(n.slice.value) == key for n in items)


def imports(module: Any, name: str) -> bool:
    """Does a module import the name?"""
    return any(b.kind == "from" for b in module.body.bindings.get(name, ())) or bool(module.stars)


def read_in(tree: Any, name: str, attribute: bool, call: Call, depth: int = 0) -> bool:
    """Is a name (or an attribute of that name) read in a file, other than for its learning rate and its state?"""
    inert: set[int] = set()
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in INERT and last_name(node.value) == name:
            inert.add(id(node.value))
        elif isinstance(node, ast.Call) and last_name(node.func) in CLASSES.split():
            inert |= {id(a) for a in (scheduled(node),) if last_name(a) == name}
        elif isinstance(node, ast.Call):
            inert |= ignored(node, name, call, depth)
        elif isinstance(node, ast.Subscript):
            inert.add(id(node.slice))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and prepares(node, name):
            inert |= {id(a) for a in node.value.args if last_name(a) == name}
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            inert.add(id(node.left))
        elif isinstance(node, ast.Dict):
            inert |= {id(key) for key in node.keys if key is not None}
        elif attribute and isinstance(node, ast.Constant) and node.value == name and id(node) not in inert:
            return True
        elif isinstance(node, ast.Attribute if attribute else ast.Name) and last_name(node) == name:
            if isinstance(node.ctx, ast.Load) and id(node) not in inert:
                return True
    return False


def prepares(statement: ast.Assign, name: str) -> bool:
    """Is it `model, scheduler = accelerator.prepare(model, scheduler)`: the same object under the same name?"""
    targets = {last_name(n) for t in statement.targets for n in walk(t) if isinstance(n, (ast.Name, ast.Attribute))}
    return last_name(statement.value.func) == "prepare" and name in targets  # type: ignore[attr-defined]  # a call


def ignored(node: ast.Call, name: str, call: Call, depth: int) -> set[int]:
    """The arguments of that name that a call gives to functions of the user's which do not read them either."""
    word = last_name(node.func)
    given = {id(a) for a in (*node.args, *(k.value for k in node.keywords)) if last_name(a) == name}
    if not given or depth > 2 or word not in call.project.reach.own_names():
        return set()
    caller = next((s for m in call.project.modules for n, s in m.calls_by_name.get(word, ()) if n is node), None)
    if not isinstance(caller, Function):
        return set()
    functions = Call(node, frame := call.project.frame(caller)).callees
    for function in functions:
        bound, complete = bind(function, node, frame)
        parameters = [p for p, thing in bound.items() if isinstance(thing, tuple) and id(thing[0]) in given]
        if function.stubbed or not complete or len(parameters) < len(given):
            return set()
        if any(read_in(s, p, False, call, depth + 1) for p in parameters for s in function.body):
            return set()
    return given if functions else set()
