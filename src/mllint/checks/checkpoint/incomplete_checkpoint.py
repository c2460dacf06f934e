"""Is a resumed run the run that was interrupted?

Only a program that reads back how far it had come, and starts its loop there, resumes; saving weights for inference,
for a test or as a start of something else is complete as it is. A helper that gets the optimizer and cannot be read
is trusted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.pattern import Pattern
from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Call,
    FunctionScope,
    Module,
    averaging,
    constructor_argument,
    holds_settings,
    last_name,
    lifetimes,
    origins,
    place,
    restoring,
    walk,
)

__all__: list[str] = []

OPTIMIZER, SCHEDULER = "torch.optim.Optimizer", "torch.optim.lr_scheduler.LRScheduler"
PROGRESS = Pattern("epoch|step|iter")
RESUMES = ("resume", "resume_from", "resume_path")
NAMES = {OPTIMIZER: Pattern("opt"), SCHEDULER: Pattern("sched|lr_")}
LEARNS = Pattern("model|net|backbone|encoder|decoder")
MAKES = Pattern("opt|sched|cls|class|solver")
EXPONENTIAL = "torch.optim.lr_scheduler.ExponentialLR"
STEPWISE = "torch.optim.lr_scheduler.StepLR"
WORDS = {OPTIMIZER: "optimizer", SCHEDULER: "scheduler"}


@check("incomplete-checkpoint", near="load_state_dict")
def incomplete_checkpoint(module: Module) -> Iterator[Finding]:
    """A run goes on at an epoch that it reads back, without the state of its optimizer or its schedule."""
    loads, start = resumed(module)
    loads = [call for call in loads if start is not None and not on_other_branch(call, start)]
    if start is None or not loads or left_out(loads[0]):
        return
    loads = [call for call in loads if around(call, start)] or loads
    yield from schedule_alone(module, loads, start)
    for kind in (k for k in (OPTIMIZER, SCHEDULER) if not any(takes_along(load, k) for load in loads)):
        built = [call for call in made_here(module, kind) if not part_of_another(call, kind)] or handed_in(module, kind)
        beside = [call for call in built if around(call, start)]  # where there is one, no other is meant
        found = [call for call in beside or built if remembers(call, kind, module)]
        made = next((c for c in found if not restored(module, kind, c if len(built) > 1 else None)), None)
        if made is not None and any(replaces(made, c) and restored(module, kind, c) for c in built):
            continue
        if not found and (state := never_read_back(module, kind)) is not None:
            message = f"`{loads[0].text}` restores the model, but nothing reads back `{state.text}`"
            notes = [Note(start, "the run goes on here"), Note(state, "saved here")]
            yield Finding(told_at(loads[0]), message, "the model alone", notes)
            return
        if made is None or handed_on(module, kind, made):
            continue
        save = next((call for call in saves(module) if lacks(call, kind)), None)
        word = WORDS[kind]
        certain = not made.value.instance_of(STEPWISE) or not restored(module, OPTIMIZER, None) or saved(module, kind)
        if save is not None:
            message = f"training is resumed from this checkpoint, which lacks the state of the {word}"
            yield Finding(
                save,
                message,
                f"no state of the {word}",
                [Note(start, "the run goes on here"), Note(made, f"the {word}")],
                certain=certain,
            )
        else:
            message = f"`{loads[0].text}` restores the model, but the {word} starts afresh"
            notes = [Note(start, "the run goes on here"), Note(made, f"the {word}")]
            yield Finding(told_at(loads[0]), message, "the model alone", notes, certain=certain)
        return
    yield from without_average(module, start)


def resumed(module: Module) -> tuple[list[Call], Any]:
    """The calls by which a model is restored from a file, and the place where the run goes on, None if it does not."""
    loads = [call for call in module.calls("load_state_dict") if is_model(call) and from_disk(call)]
    start = resumed_at(module, loads) if loads else None
    if start is None and counts_on(module):
        loads = [
            c
            for c in restoring.helpers(module)
            if any(is_model(i) and from_disk(i) for i in restoring.restored_inside(c))
        ]
        start = resumed_at(module, loads) if loads else None
    return loads, start


def takes_along(load: Call, kind: str) -> bool:
    """Is what restores the model handed such an object as well, and does it load something into what it is handed:
    `load_network(path, self.net, optimizer=self.optimizer_G)`?"""
    if load.last_name == "load_state_dict":
        return False
    names = [a.parameter for a in load.arguments if a.parameter and NAMES[kind].search(last_name(a.node) or "")]
    places = {place(c.func) for f in load.callees for c in f.calls}
    return any(f"{name}.load_state_dict" in places for name in names)


def without_average(module: Module, start: Any) -> Iterator[Finding]:
    """What is saved, and gone on from, lacks the average of the weights, which starts afresh from the model's."""
    average = next(averaging.forgotten_average(module), None)
    save = next((c for c in saves(module) if lacks(c, SCHEDULER, averages=True)), None) if average is not None else None
    if average is not None and save is not None:
        notes = [Note(start, "the run goes on here"), Note(average, "the average")]
        message = f"training is resumed from this checkpoint, which lacks the averaged weights of `{average.text}`"
        yield Finding(save, message, "no averaged weights", notes)


def told_at(load: Call) -> Call:
    """Where a load is reported: a helper that also says how far the run had come reads the checkpoint itself."""
    given = [n for f in load.callees for r in f.returns for n in walk(r) if isinstance(n, ast.Subscript)]
    tells = load.last_name != "load_state_dict" and any(is_key(n.slice) for n in given)
    return restoring.restored_inside(load)[0] if tells else load


def saves(module: Module) -> Iterator[Call]:
    """The calls of `save` in a file, and in the functions of other files that it calls by name; where such a function
    saves what it is handed, the calls of it."""
    yield from module.calls("save")
    for node, scope in module.project.calls_named("save"):
        called = isinstance(scope, FunctionScope) and scope.name in module.module.calls_by_name
        if not called or not isinstance(scope, FunctionScope) or scope.module is module.module:
            continue
        if scope.parameters and node.args and place(node.args[0]) == scope.parameters[0].name:
            yield from module.calls(scope.name)
        else:
            yield Call(node, module.project.frame(scope))


def counts_on(module: Module) -> bool:
    """Is an optimizer stepped in a file, or built, in which a loop starts to count somewhere?"""
    return bool(loop_starts(module.module)) and any(made_here(module, OPTIMIZER))


def left_out(load: Call) -> bool:
    """Does a comment in the same function say that the author has tried it: `# optimizer.load_state_dict(...)`?"""
    node = load.function.node
    first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or load.node.lineno + 20
    lines = (line.strip() for line in load.module.source.lines()[first - 1 : last])
    said = (line.partition(".load_state_dict")[0] for line in lines if line[:1] == "#" and ".load_state_dict" in line)
    return any(pattern.search(name.lower()) for name in said for pattern in NAMES.values())


def on_other_branch(load: Call, start: Any) -> bool:
    """Does one branch load the model, and the other one read how far the run had come?"""
    for node in walk(load.function.node):
        if isinstance(node, ast.If) and node.orelse:
            middle, last = node.orelse[0].lineno, node.orelse[-1].end_lineno or 0
            lines = sorted((load.node.lineno, start.line))
            if node.body[0].lineno <= lines[0] < middle <= lines[1] <= last:
                return True
    return False


def replaces(made: Call, first: Call) -> bool:
    """Is it built later in the run, in place of another one: an optimizer with a lower rate?"""
    if made.node is first.node or made.function is not first.function or made.node.lineno < first.node.lineno:
        return False
    bindings = made.function.bindings.values()
    return any(
        any(b.value is made.node for b in found) and any(b.value is first.node for b in found) for found in bindings
    )


def schedule_alone(module: Module, loads: list[Call], start: Any) -> Iterator[Finding]:
    """The state of the schedule is read back, and nothing in the project reads back that of the optimizer it is for."""
    schedule = next(
        (c for c in module.calls("load_state_dict") if NAMES[SCHEDULER].search(c.name) and from_disk(c)), None
    )
    steps = [c for c in module.calls("step") if NAMES[OPTIMIZER].search(last_name(getattr(c.node.func, "value", None)))]
    if schedule is None or not steps or restored(module, OPTIMIZER, None):
        return
    if any(made_here(module, OPTIMIZER)) or any(handed_on_by_name(module, c) for c in steps):
        return
    notes = [
        Note(start, "the run goes on here"),
        Note(schedule, "the schedule goes on"),
        Note(steps[0], "the optimizer"),
    ]
    message = f"`{loads[0].text}` restores the model, but the optimizer starts afresh"
    yield Finding(loads[0], message, "the model and the schedule alone", notes)


def handed_on_by_name(module: Module, step: Call) -> bool:
    """Does an unknown call get the optimizer of a step, and perhaps restore it?"""
    name = last_name(getattr(step.node.func, "value", None))
    given = (
        c
        for c in module.calls()
        if any(last_name(a) == name for a in (*c.node.args, *(k.value for k in c.node.keywords)))
    )
    return any(c.callee.is_unknown for c in given)


def is_model(call: Call) -> bool:
    """Is the state loaded into a model: not into an optimizer, a schedule or a scaler?"""
    receiver = call.receiver
    name = call.name.rpartition(".")[0]
    other = any(pattern.search(name) for pattern in NAMES.values()) or "scaler" in name
    return receiver is not None and not other and not receiver.instance_of(OPTIMIZER, SCHEDULER)


def from_disk(call: Call) -> bool:
    """Does what is loaded come from `torch.load`?"""
    given = call.arguments[0] if call.arguments else None
    return given is not None and any(restoring.is_load(o) for o in origins(given.node, given.frame))


def resumed_at(module: Module, loads: list[Call]) -> Any:
    """The place where progress is read back and where a loop then starts; None if the program does not resume."""
    starts = loop_starts(module.module)
    shared = {start for m in module.project.modules if "range" in m.calls_by_name for start in loop_starts(m)}
    for function in module.module.functions:
        frame = module.project.frame(function)
        for name, bindings in function.bindings.items():
            given = "." in name and last_name_of(name) in shared  # `args.start_epoch`, which another file counts from
            for binding in bindings if given or last_name_of(name) in starts else ():
                if binding.kind == "assign" and any(is_progress(o, loads) for o in origins(binding.value, frame)):
                    return module.at(binding.value)
    for node, _ in module.module.calls_by_name.get("range", ()):
        if len(node.args) > 1 and any(isinstance(n, ast.Subscript) and is_key(n.slice) for n in walk(node.args[0])):
            return module.at(node)
    return next(counters_told(module), None) or next(started_by_hand(module, loads), None)


def started_by_hand(module: Module, loads: list[Call]) -> Iterator[Any]:
    """Where `range(args.start_iter, n)` counts from what the user says, beside weights that `args.resume` names."""
    named = [name for load in loads for name in restoring.paths_of(load) if name]
    if not any(last_name_of(name) in RESUMES for name in named):
        return
    for node, _ in module.module.calls_by_name.get("range", ()):
        first = node.args[0] if len(node.args) > 1 else None
        if isinstance(first, ast.Attribute) and "start" in first.attr and PROGRESS.search(first.attr):
            yield module.at(node)


def counters_told(module: Module) -> Iterator[Any]:
    """Where an object that a loop starts to count from is told what was loaded: `self.schedule.load(checkpoint)`."""
    for node, _ in module.module.calls_by_name.get("range", ()):
        first = node.args[0] if len(node.args) > 1 else None
        if not isinstance(first, ast.Attribute) or not PROGRESS.search(first.attr):
            continue
        for call in module.calls() if (counter := place(first.value)) not in (None, "self") else ():
            if isinstance(call.node.func, ast.Attribute) and place(call.node.func.value) == counter:
                given = (o for a in call.arguments for o in origins(a.node, a.frame))
                if any(map(restoring.is_load, given)):
                    yield module.at(call.node)


def last_name_of(name: str) -> str:
    """The last part of a place."""
    return name.rpartition(".")[2]


def loop_starts(module: Any) -> set[str]:
    """The names with which counting starts in a file: `range(start, ...)`, `while epoch < ...`."""
    ranges = [call for name in ("range", "trange") for call, _ in module.calls_by_name.get(name, ())]
    parts = [call.args[0] for call in ranges if len(call.args) > 1]
    loops = (loop.node for function in module.functions for loop in function.loops)
    parts += [node.test for node in loops if isinstance(node, ast.While)]
    found = {last_name(n) for part in parts for n in walk(part) if isinstance(n, (ast.Name, ast.Attribute))}
    return found - {"self", ""}


def is_progress(origin: Any, loads: list[Call]) -> bool:
    """Is it an epoch that was read from a checkpoint, or from the name of its file?"""
    node = origin.node
    if isinstance(node, ast.Subscript) and is_key(node.slice):
        return any(restoring.is_load(o) for o in origins(node.value, origin.frame))
    if (
        isinstance(node, ast.Call)
        and last_name(node.func) in ("split", "findall", "search")
        and isinstance(node.func, ast.Attribute)
    ):
        apart = restoring.taken_apart(node) - {None}
        return any(apart & restoring.paths_of(load) for load in loads)
    return False


def is_key(node: Any) -> bool:
    """Is it a key such as "epoch"?"""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and bool(PROGRESS.search(node.value))


# ------------------------------------------------------------------------------------------------- what has a state
def made_here(module: Module, kind: str) -> Iterator[Call]:
    """The constructions of optimizers, or of schedules, in the file."""
    for call in module.calls():
        name = call.last_name
        if name[:1].islower() and not MAKES.search(name):
            continue
        if call.callee.kind == "class" and call.callee.is_class(kind):
            yield call


def handed_in(module: Module, kind: str) -> list[Call]:
    """The constructions, in other files, of the one optimizer that is stepped in a file which builds none."""
    found: dict[int, Call] = {}
    for step in module.calls("step"):
        if NAMES[kind].search(last_name(getattr(step.node.func, "value", None))) and step.receiver is not None:
            for value in step.receiver.alternatives:
                built = value.arguments if value.instance_of(kind) else None
                if built is None or not isinstance(built.node, ast.Call):
                    return []
                found[id(built.node)] = Call(built.node, built.frame)
    return [] if len(found) > 1 or any(map(given_away, found.values())) else list(found.values())


def given_away(made: Call) -> bool:
    """Does an unknown call get the object where it is built?"""
    bound = {name for name, found in made.function.bindings.items() if any(b.value is made.node for b in found)}
    for node in made.function.calls:
        given = (*node.args, *(k.value for k in node.keywords))
        if any(place(a) in bound for a in given) and Call(node, made.frame).callee.is_unknown:
            return True
    return not bound


def around(call: Call, start: Any) -> bool:
    """Is an object built by the function in which the run goes on, or for the whole file?"""
    node = call.function.node
    return call.function.is_body or node.lineno <= start.line <= (node.end_lineno or 0)


def part_of_another(call: Call, kind: str) -> bool:
    """Is a schedule handed to one that runs it, and keeps its state?"""
    if kind != SCHEDULER:
        return False
    names = {name for name, found in call.function.bindings.items() if any(b.value is call.node for b in found)}
    for node in call.function.calls:
        inside = [n for a in (*node.args, *(k.value for k in node.keywords)) for n in walk(a)]
        if node is not call.node and any(n is call.node or place(n) in names for n in inside):
            if Call(node, call.frame).callee.is_class(SCHEDULER):
                return True
    return False


def remembers(call: Call, kind: str, module: Module) -> bool:
    """Has it a state that a resumed run needs?"""
    value = call.value
    if kind == OPTIMIZER:
        return lifetimes.keeps_state(value)
    if any(name.endswith(".last_epoch") for scope in call.module.functions for name in scope.bindings):
        return False  # it is set by hand
    if value.instance_of(EXPONENTIAL) and restored(module, OPTIMIZER, None):
        return False  # goes on from the rate that the state of the optimizer holds
    return constructor_argument(value, "last_epoch") is None and not continued(call) and stepped_blindly(call)


def continued(call: Call) -> bool:
    """Is the schedule replaced by one that is told where to go on?"""
    found = [bindings for bindings in call.function.bindings.values() if any(b.value is call.node for b in bindings)]
    built = (b.value for bindings in found for b in bindings if isinstance(b.value, ast.Call))
    return any(k.arg == "last_epoch" for other in built for k in other.keywords)


def stepped_blindly(call: Call) -> bool:
    """Is the schedule advanced without being told the epoch?"""
    ticks = [
        c
        for c in (Call(node, call.frame) for node, _ in call.module.calls_by_name.get("step", ()))
        if NAMES[SCHEDULER].search(c.name)
    ]
    return bool(ticks) and not any(c.arguments for c in ticks)


def restored(module: Module, kind: str, made: Call | None) -> bool:
    """Is the state of an object, of the only one if it is not given, loaded anywhere, or read from what was loaded?"""
    inside: set[int] = set()
    loads = [(node, scope) for node, scope in module.project.calls_named("load_state_dict") if not passed_on(scope)]
    plain = all(LEARNS.search(last_name(getattr(node.func, "value", None))) for node, _ in loads)
    for node, scope in loads if plain else module.project.calls_named("load_state_dict"):
        name = place(node.func)
        if name is None or not NAMES[kind].search(name):
            if name is None or stands_for_many(node, scope):
                return True
            continue
        if made is None or not isinstance(scope, FunctionScope):
            return True
        receiver = Call(node, module.project.frame(scope)).receiver
        if receiver is None or made.value.same_as(receiver) is not False or name.rpartition(".")[0] in bound_to(made):
            return True
        if any(v.arguments is not None and v.arguments.node is made.node for v in receiver.alternatives):
            return True  # built by a method of its own, which hands it back
        inside |= {id(n) for n in walk(node)}  # the state of another one
    for word in ("load_state", "prepare", "load_checkpoint"):
        for node, scope in module.project.calls_named(word):
            callees = Call(node, module.project.frame(scope)).callees if isinstance(scope, FunctionScope) else []
            if not node.args and not node.keywords:
                continue  # told of no file, and of no optimizer
            if (not callees or any(f.stubbed for f in callees)) and not instead(node, scope):
                return True
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and NAMES[kind].search(str(node.slice.value))
        and not configured(node.value)
        for node in walk(module.module.body.node)
        if isinstance(getattr(node, "ctx", None), ast.Load) and id(node) not in inside
    )


def stands_for_many(node: Any, scope: Any) -> bool:
    """Does a name stand for one after the other, or for whatever a helper is given, and not for models only: `thing` in
    `for name, thing in things.items(): thing.load_state_dict(state[name])`?"""
    base = getattr(node.func, "value", None)  # `load_state_dict(path)` is a function of somebody's
    if not isinstance(base, ast.Name) or not isinstance(scope, FunctionScope) or LEARNS.search(base.id):
        return False
    for binding in scope.bindings.get(base.id, ()):
        if binding.kind in ("for", "comp") and not any(LEARNS.search(place(n) or "") for n in walk(binding.value)):
            return True
        callers = scope.module.project.callers(scope) if binding.kind == "param" else ()  # type: ignore[union-attr]
        for call, _ in callers:
            given = (*call.args, *(k.value for k in call.keywords))
            if any(NAMES[OPTIMIZER].search(last_name(a)) for a in given):
                return True
    return False


def passed_on(scope: Any) -> bool:
    """Is it the method of a wrapper that hands a state on, which restores nothing until somebody calls it?"""
    return isinstance(scope, FunctionScope) and scope.name == "load_state_dict" and scope.owner is not None


def instead(node: Any, scope: Any) -> bool:
    """Does a call that restores everything stand on another branch than the states that are restored one by one?"""
    for test in walk(scope.node) if isinstance(scope, FunctionScope) else ():
        if isinstance(test, ast.If) and test.orelse:
            for own, other in ((test.body, test.orelse), (test.orelse, test.body)):
                if any(n is node for s in own for n in walk(s)):
                    loads = (n for s in other for n in walk(s) if isinstance(n, ast.Call))
                    return any(last_name(n.func) == "load_state_dict" for n in loads)
    return False


def bound_to(made: Call) -> list[str]:
    """The attributes that a construction is bound to, among other things perhaps."""
    places = made.function.bindings.items()
    return [name for name, found in places if name.startswith("self.") and any(b.value is made.node for b in found)]


def never_read_back(module: Module, kind: str) -> Call | None:
    """The state of what is called an optimizer, or a schedule, that a dictionary saves, where nothing in the project
    restores one, nor tells a schedule where to go on."""
    values = [v for node in walk(module.module.body.node) if isinstance(node, ast.Dict) for v in node.values]
    kept = {id(v.body if isinstance(v, ast.IfExp) else v) for v in values}
    for state in module.calls("state_dict"):
        name = last_name(getattr(state.node.func, "value", None))
        if id(state.node) not in kept or not NAMES[kind].search(name):
            continue
        if kind == SCHEDULER and (NAMES[OPTIMIZER].search(name) or told_the_epoch(module)):
            continue
        holders = [c for c in module.calls() if c.last_name and c.callee.is_unknown]
        given = {last_name(a) for c in holders for a in (*c.node.args, *(k.value for k in c.node.keywords))}
        if name not in given and any(module.project.calls_named("save")) and not restored(module, kind, None):
            return state
    return None


def told_the_epoch(module: Module) -> bool:
    """Is a schedule told where to go on: `last_epoch=start`, `schedule.last_epoch = start`, `schedule.step(epoch)`?"""
    if module.module.source is None or "last_epoch" in module.module.source.text:
        return True
    ticks = [c for c in module.calls("step") if NAMES[SCHEDULER].search(last_name(getattr(c.node.func, "value", None)))]
    plain = [a for c in ticks for a in c.node.args if not isinstance(a, ast.Subscript)]  # no `log_of_epoch["loss"]`
    given = (n for a in plain for n in walk(a) if isinstance(n, (ast.Name, ast.Attribute)))
    return not ticks or any(PROGRESS.search(last_name(n)) for n in given)


def saved(module: Module, kind: str) -> bool:
    """Is the state of such an object put into what is saved?"""
    states = module.calls("state_dict")
    return any(NAMES[kind].search(last_name(getattr(c.node.func, "value", None))) for c in states)


def configured(node: Any) -> bool:
    """Is it a configuration, also the one that a checkpoint holds: `self.config`, `checkpoint["config"]`?"""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value) in ("config", "args", "cfg", "opt", "options")
    return holds_settings(node)


def handed_on(module: Module, kind: str, made: Call) -> bool:
    """Does an unknown call get such an object, and perhaps restore it?"""
    bound = {name for name, found in made.function.bindings.items() if any(b.value is made.node for b in found)}
    names = {last_name_of(name) for name in bound}
    for call in module.calls():
        if names and names.isdisjoint(map(last_name, (*call.node.args, *(k.value for k in call.node.keywords)))):
            continue
        if isinstance(call.node.func, ast.Call) and last_name(call.node.func.func) == "getattr":
            continue  # a class that is chosen by its name: a schedule of the optimizer
        if call.callee.is_unknown and any(a.value.instance_of(kind) for a in call.arguments):
            if not repeated(call):
                return True
    return False


def repeated(call: Call) -> bool:
    """Does a call stand in the loop that goes on, where no state is read back: `for epoch in range(start, 90):`?"""
    for run in call.function.loops:
        last = run.node.end_lineno or 0
        if isinstance(run.node, (ast.For, ast.While)) and run.node.body[0].lineno <= call.node.lineno <= last:
            head = run.node.iter if isinstance(run.node, ast.For) else run.node.test
            if isinstance(run.node, ast.While) or any(
                isinstance(n, ast.Call) and last_name(n.func) in ("range", "trange") and len(n.args) > 1
                for n in walk(head)
            ):
                return True
    return False


def lacks(save: Call, kind: str, *, averages: bool = False) -> bool:
    """Does it save a dict of a model's state and the progress, without the state of such an object?"""
    saved = save.arguments[0] if save.arguments else None
    if saved is None:
        return False
    found = list(origins(saved.node, saved.frame))
    states = [
        place(o.node.func.value) or ""
        for o in found
        if isinstance(o.node, ast.Call) and isinstance(o.node.func, ast.Attribute) and o.node.func.attr == "state_dict"
    ]
    keys: list[Any] = [k for o in found if isinstance(o.node, ast.Dict) for k in o.node.keys]
    made = (o.node for o in found if isinstance(o.node, ast.Call) and last_name(o.node.func) == "dict")
    keys += [ast.Constant(value=k.arg) if k.arg else None for c in made for k in c.keywords]
    plain = all(isinstance(k, ast.Constant) for k in keys) and not any(isinstance(o.node, ast.DictComp) for o in found)
    held = not averages and (
        any(NAMES[kind].search(s) for s in states) or any(o.value.instance_of(kind) for o in found)
    )
    return plain and bool(states) and any(is_key(k) for k in keys) and not held
