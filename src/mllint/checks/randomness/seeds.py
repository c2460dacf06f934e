"""Is chance under control: fixed where runs are compared, and fresh where it has to be?

Two opposite harms. Rows that are divided by an unseeded draw differ from run to run. And numbers that are meant to be
new each time repeat when every worker holds a copy of one generator, or when a loop sets the seed anew.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Collection, Iterator
from mllint.checks._unread import divided_in_vain, loaded_in_vain
from mllint.checks.randomness._parting import WRITING, decides_parts
from mllint.pattern import Pattern
from mllint.rule import Finding, Note, Options, check
from mllint.semantics import AppliesGrad, Call, Event, Flow, LoopRun, OwnsLoop, Value, text
from mllint.semantics.calls import constructor_argument
from mllint.semantics.classes import method
from mllint.semantics.frames import Frame
from mllint.semantics.library import effect_of
from mllint.semantics.lineage import Origin, origins
from mllint.semantics.module import Function, last_name, place, walk
from mllint.semantics.names import reaching
from mllint.semantics.parts import may_split
from mllint.semantics.reach import functions_around
from mllint.semantics.roots import STEPS
from mllint.semantics.seeding import is_test_code, programs, seeding_calls

__all__: list[str] = []


# ------------------------------------------------------------------------------------------------------------ unseeded
_SPLITTING = ("train_test_split", "random_split", "split")
_FORKS = Pattern("fork|rng|seed")
_DRAWING = "train_test_split random_split split shuffle permutation randperm sample choice rand random uniform"


@check("unseeded-shuffle", calls=_DRAWING)
def unseeded_shuffle(call: Call, options: Options) -> Iterator[Finding]:
    """Chance decides which rows are held out, and nothing in the program fixes it."""
    divides = decides_parts(call)
    if not divides and (call.last_name not in _SPLITTING or not may_split(call)):
        return
    stream = drawn_stream(call)
    if stream is None or is_test_code(call.module) or _drawn_once(call) or _only_shown(call):
        return
    if not divides and not any(effect_of(f, "splits") for f in call.callees):
        return
    reached = programs(call.function, call.project)
    known = options["seeding-functions"]
    if not reached or any(_seeded(call, program.body, stream, known) for program in reached):
        return
    other = {"numpy": "torch", "torch": "numpy"}.get(stream, "")
    elsewhere = bool(other) and any(seeding_calls(program, other, call.project) for program in reached)
    tail = f" (only {other} is)" if elsewhere else ""
    yield Finding(
        call,
        f"`{call.last_name}` draws from {_LIBRARY[stream]}, which nothing seeds{tail}: each run holds out other rows",
        "other rows in each run",
        certain=not (divided_in_vain(call) or loaded_in_vain(call) or _stored(call) or _repeated(call)),
    )


def _stored(call: Call) -> bool:
    """Are the parts written to files, which later runs read?"""
    bound = [b for found in call.function.bindings.values() for b in found if b.value is not None]
    names = {b.name for b in bound if b.value is call.node or _listed(b.value, call.node)}
    writes = _writes(call.function)
    if names and all(any(place(n) == name for c in writes for n in walk(c)) for name in names):
        return True
    callers = [frame.function for _, frame in call.project.callers(call.function)]
    files = [call.module, *(f.module for f in callers)]
    if any(word in module.calls_by_name for module in files for word in _TRAINING):
        return False
    return bool(callers) and all(map(_writes, callers))  # a script that prepares data


def _listed(value: Any, node: Any) -> bool:
    """Is a value `list(folds.split(rows))`, all parts at once?"""
    return isinstance(value, ast.Call) and last_name(value.func) in ("list", "tuple") and value.args[:1] == [node]


def _writes(function: Function) -> list[ast.Call]:
    """The calls of a function that write files."""
    return [c for c in function.calls if WRITING.search(last_name(c.func)) or last_name(c.func) in _WRITES]


_TRAINING = ("fit", "backward", "train", "manual_backward", "minimize", "apply_gradients", "gradient")
_WRITES = ("push_to_hub", "to_csv", "to_parquet", "to_pickle", "to_json", "to_feather", "to_hdf")


def _repeated(call: Call) -> bool:
    """Is it drawn again and again from the same rows, by a count, so that chance is averaged out?"""
    for run in call.function.loops:
        if isinstance(run.node, ast.For) and any(n is call.node for s in run.node.body for n in walk(s)):
            counted = isinstance(run.node.iter, ast.Call) and last_name(run.node.iter.func) in ("range", "trange")
            names = {n.id for n in walk(run.node.target) if isinstance(n, ast.Name)}
            if counted and not any(isinstance(n, ast.Name) and n.id in names for n in walk(call.node)):
                return True
    return False


def _only_shown(call: Call) -> bool:
    """Are the parts, and the loaders of them, given to nothing but what draws or prints them?"""
    shuffled = place(call.node.args[0]) if call.last_name == "shuffle" and call.node.args else None
    names: set[str] = {shuffled} if shuffled is not None else set()
    shown = False
    for _ in range(3):  # what is shuffled, the parts, and what is made of them
        for name, found in call.function.bindings.items():
            if any(b.value is call.node or _of_parts(b.value, names) for b in found):
                names.add(name)
    for other in call.function.calls:
        given = (*other.args, *(k.value for k in other.keywords))
        if (
            other is not call.node
            and not _of_parts(other, names)
            and any(place(n) in names for a in given for n in walk(a))
        ):
            if not _SHOWS.search(last_name(other.func)):
                return False
            shown = True
    return shown and not call.function.returns and not any("." in str(name) for name in names)


def _of_parts(value: Any, names: Collection[Any]) -> bool:
    """Is it a loader of a part, `DataLoader(train_set)`, or a part: `rows[:80]`, `Subset(dataset, rows)`?"""
    if isinstance(value, ast.Subscript):
        return place(value.value) in names
    loads = isinstance(value, ast.Call) and last_name(value.func) in ("DataLoader", "Subset", "len", "iter")
    return loads and any(place(a) in names for a in value.args)


_SHOWS = Pattern("plot|show|draw|visuali|^print$")


def _drawn_once(call: Call) -> bool:
    """Is it drawn where a file is missing, and written down there, so that later runs read it?"""
    for test in (n for n in walk(call.function.node) if isinstance(n, ast.If)):
        if any(isinstance(n, ast.Call) and last_name(n.func) in _ASKING for n in walk(test.test)):
            for branch in (test.body, test.orelse):
                calls = [n for s in branch for n in walk(s) if isinstance(n, ast.Call)]
                if any(c is call.node for c in calls) and any(WRITING.search(last_name(c.func)) for c in calls):
                    return True
    return False


_ASKING = ("exists", "isfile", "is_file", "isdir", "is_dir")
_LIBRARY = {"torch": "torch", "numpy": "numpy", "random": "random", "os": "fresh entropy"}


def drawn_stream(call: Call) -> str | None:
    """The global random stream that a call draws from, None if it draws none or a seed is given."""
    if call.is_open:
        return None
    streams = set()
    for function in call.callees:
        effect = effect_of(function, "draws")
        if effect is None and function.owner is not None and call.receiver is not None:
            return _splitter_stream(call.receiver)
        if effect is None or not effect.values or not _is_drawn(call, effect.options):
            return None
        streams.add(str(effect.values[0]))
    return streams.pop() if len(streams) == 1 else None


def _is_drawn(call: Call, options: dict[str, Any]) -> bool:
    for name in str(options.get("unless", "")).split():
        given = call.argument(name)
        if given is not None and not (given.value.kind == "literal" and given.value.literal is None):
            return False
    said = str(options.get("when", ""))
    when = call.argument(said) if said else None
    return when is None or when.value.truth is True


def _splitter_stream(receiver: Value) -> str | None:
    """`KFold(shuffle=True).split(...)`: what its constructor says."""
    for cls in receiver.classes:
        init = method(cls, "__init__")
        effect = effect_of(init, "draws") if init is not None and init.stubbed else None
        if effect is None or receiver.arguments is None or receiver.arguments.open:
            return None
        seed = constructor_argument(receiver, str(effect.options.get("unless", "")))
        if seed is not None and not (seed.kind == "literal" and seed.literal is None):
            return None
        when = effect.options.get("when")
        given = constructor_argument(receiver, str(when)) if when else None
        if when and (given is None or given.truth is not True):
            return None
        return str(effect.values[0])
    return None


def _seeded(call: Call, program: Any, stream: str, known: Collection[str]) -> bool:
    """Does the program seed the stream, other than after the call in the same function?"""
    for seed, scope in seeding_calls(program.module, stream, call.project, call.module, known=known):
        late = scope is call.function and seed.lineno > call.node.lineno
        if not late and not entered_later(scope, call) and not _comes_later(seed, scope, call):
            return True
    return False


def _comes_later(seed: Any, scope: Any, call: Call) -> bool:
    """Is there one function through which both are reached, once each, and the call before the seed?"""
    if not isinstance(scope, Function):
        return False
    seeds = {id(f): node for f, node in _way(scope, seed, call.project)}
    for function, node in _way(call.function, call.node, call.project):
        other = seeds.get(id(function))
        if other is not None:
            first, last = node.lineno, other.end_lineno or other.lineno
            within = ((r.node.lineno, r.node.end_lineno or first) for r in function.loops)
            return first < other.lineno and not any(a <= first and last <= b for a, b in within)
    return False


def _way(function: Function, node: Any, project: Any) -> Iterator[tuple[Function, Any]]:
    """A place, and the only call that leads there, and the only one that leads to that one."""
    for _ in range(6):
        yield function, node
        callers = project.callers(function)
        if function.is_body or len(callers) != 1 or project.passed_around(function):
            return
        node, function = callers[0][0], callers[0][1].function


def entered_later(scope: Any, call: Call) -> bool:
    """Is a function of the program entered from the function of a call only, and only below the call?"""
    if not isinstance(scope, Function) or scope.is_body or scope.owner is not None or scope is call.function:
        return False
    calls = call.project.calls_named(scope.name)
    late = all(f is call.function and node.lineno > call.node.lineno for node, f in calls)
    return bool(calls) and late and not call.project.passed_around(scope)


@check("unseeded-training")
def unseeded_training(flow: Flow, options: Options) -> Iterator[Finding]:
    """A script trains a model, and no code that it can reach seeds PyTorch."""
    root, known = flow.root, options["seeding-functions"]
    if root.name in STEPS:
        yield from _unseeded_fits(root, flow.frame.project, known)
    if not root.is_body or is_test_code(root.module):
        return
    step, library = next(flow.events(AppliesGrad), None), "torch"
    if step is None:
        fits = (e for e in flow.events(OwnsLoop) if e.call is not None)
        handed = ((e, _to_seed(Call(e.call, e.frame))) for e in fits)
        step, library = next(((e, library) for e, library in handed if library), (None, ""))
    if step is not None and not seeding_calls(root.module, library, flow.frame.project, known=known):
        mixing = _mixing_loader(step) if library == "torch" else None
        other = next((s for s in ("numpy", "random") if mixing and seeding_calls(root.module, s, mixing.project)), "")
        yield _mixed_freely(mixing, other) if mixing is not None and other else _never_seeded(step, library)


def _mixing_loader(step: Event) -> Call | None:
    """The loader that shuffles the batches of a step."""
    run = step.in_loop("batch")
    for origin in origins(run.node.iter, run.frame) if run is not None and isinstance(run.node, ast.For) else ():
        if isinstance(origin.node, ast.Call) and last_name(origin.node.func) == "DataLoader":
            loader = Call(origin.node, origin.frame)
            shuffle = loader.argument("shuffle")
            if loader.callee.is_class("torch.utils.data.DataLoader") and shuffle is not None and shuffle.value.truth:
                return loader if loader.argument("generator") is None else None
    return None


def _mixed_freely(loader: Call, other: str) -> Finding:
    """Somebody wanted the same numbers in each run, and seeded a library that the loader does not draw from."""
    return Finding(
        loader,
        f"the loader shuffles with torch, which nothing seeds (only {other} is): each run has another order",
        "torch is unseeded",
    )


def _never_seeded(at: Any, library: str) -> Finding:
    return Finding(
        at, f"this program trains a model and never seeds {library}: each run gives another result", "unseeded"
    )


def _unseeded_fits(root: Any, project: Any, known: Collection[str]) -> Iterator[Finding]:
    """The fits of a framework whose training step is in the project, in programs that seed nothing: told once."""
    if project.reach.memo.setdefault("unseeded fits", id(root)) != id(root):
        return
    told: set[int] = set()
    for node, scope in project.calls_named("fit"):
        for function in functions_around(scope):
            call = Call(node, project.frame(function))
            if is_test_code(call.module) or _to_seed(call) != "torch":
                continue
            reached = [m for m in programs(function, project) if not is_test_code(m)]
            if reached and not any(seeding_calls(m, "torch", project, call.module, known=known) for m in reached):
                if not told.intersection(map(id, reached)):
                    yield _never_seeded(call, "torch")
                told.update(map(id, reached))


def _to_seed(call: Call) -> str:
    """The library to seed where a framework is told to train that seeds nothing by itself, else an empty text."""
    if call.last_name != "fit" and call.last_name != "fit_generator":
        return ""
    names = {_UNSEEDED.get(f.module.name.partition(".")[0], "") for f in call.callees}
    return names.pop() if len(names) == 1 else ""


_UNSEEDED = {"lightning": "torch", "pytorch_lightning": "torch", "keras": "tensorflow"}


# ------------------------------------------------------------------------------------------------------------ reseeded
@check("reseeded-in-loop")
def reseeded_in_loop(flow: Flow) -> Iterator[Finding]:
    """The global seed is set to the same value in every pass of a training loop."""
    for event in flow.events("seeds"):
        run = _training_loop(flow, event)
        if run is None or event.call is None or _restored(event):
            continue
        given = [*event.call.args, *(k.value for k in event.call.keywords)]
        if not given or _told_apart(event, run) or not _same_each_time(given[0], event.frame, run):
            continue
        origin = _outermost(Origin(event.call, event.frame), given[0])
        shown = Origin(origin.node.args[0], origin.frame) if origin.node.args else Origin(given[0], event.frame)
        seed = text(shown.frame.module, shown.node, 30)
        yield Finding(
            origin,
            f"each pass of the loop starts from the same random state, seeded with `{seed}`",
            "same numbers in each pass",
            [Note(run, "each pass of this loop")],
            certain=not _for_its_own_draw(event, run),
        )


def _for_its_own_draw(event: Event, run: LoopRun) -> bool:
    """Does a function of its own seed what only Python or numpy draw from, and draw from it: the same examples to look
    at in each epoch? Layers and samplers of torch draw from another stream."""
    if "torch" in event.option or event.frame.function is run.frame.function:
        return False
    calls = (Call(c, event.frame) for c in event.frame.function.calls if c.lineno > event.call.lineno)
    return any(drawn_stream(c) in event.option for c in calls)


def _training_loop(flow: Flow, event: Event) -> LoopRun | None:
    """The innermost loop over epochs or batches around a seed, in which a model is trained that was built before."""
    for run in reversed(event.loops):
        inside = [len(s.loops) - s.loops.index(run) - 1 for s in flow.events(AppliesGrad) if run in s.loops]
        if inside:
            made = (e for e in flow.events("creates") if run in e.loops and not e.conditions_in(run))
            if any(e.subject.may_be_instance_of("torch.optim.Optimizer") and not e.subject.is_unknown for e in made):
                return None
            if any(_made_in_turn(s, run) for s in flow.events(AppliesGrad) if run in s.loops):
                return None
            return run if min(inside) < 2 and not _chooses(run) else None
    return None


def _chooses(run: LoopRun) -> bool:
    """Does it go over choices, `for kind in kinds:`, neither over batches nor by a count: one experiment for each?"""
    if run.role or not isinstance(run.node, ast.For):
        return False
    return last_name(getattr(run.node.iter, "func", None)) not in ("range", "trange", "count", "enumerate", "tqdm")


def _made_in_turn(step: Event, run: LoopRun) -> bool:
    """Is the optimizer a local name of a function that the loop calls, so that each turn trains from the start?"""
    optimizer = getattr(step.call.func, "value", None) if step.call is not None else None
    if step.frame.function is run.frame.function or not isinstance(optimizer, ast.Name):
        return False
    function = step.frame.function
    bound = function.bindings.get(optimizer.id, ())
    return bool(bound) and all(b.kind == "assign" and not _out_of_given(b.value, function) for b in bound)


def _out_of_given(node: Any, function: Any) -> bool:
    """Is it a part of a parameter: `optimizers["generator"]`, `self.optimizer`?"""
    if not isinstance(node, (ast.Subscript, ast.Attribute)):
        return False
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return isinstance(node, ast.Name) and function.parameter(node.id) is not None


def _restored(event: Event) -> bool:
    """Is the state put back afterwards: `fork_rng`, or `set_rng_state` in the same function?"""
    frame: Frame | None = event.frame
    node: Any = event.call
    while frame is not None:
        if any(last_name(c.func) in ("set_rng_state", "setstate", "set_state") for c in frame.function.calls):
            return True
        block = frame.module.within.get(id(node))
        while block is not None:
            for item in block.items:
                if isinstance(item.context_expr, ast.Call) and _FORKS.search(last_name(item.context_expr.func)):
                    return True
            block = frame.module.outer.get(id(block))
        if frame.caller is None:
            return False
        frame, node = frame.caller
    return False


def _told_apart(event: Event, run: LoopRun) -> bool:
    """Does a condition inside the loop depend on the pass (`if epoch == 0:`)?"""
    return any(not _same_each_time(test, frame, run) for test, _, frame in event.conditions_in(run))


def _same_each_time(node: Any, frame: Frame, run: LoopRun, depth: int = 0) -> bool:
    """Does an expression certainly have the same value in each pass of a loop?"""
    if depth > 8:
        return False
    if _enters(frame, run):
        return True  # it is computed before the loop is entered
    for inner in walk(node):
        if isinstance(inner, ast.Call) and last_name(inner.func) != "int":
            return False
        name = place(inner) if isinstance(inner, (ast.Name, ast.Attribute)) else None
        if name is not None and not _place_stays(inner, name, frame, run, depth):
            return False
    return True


def _enters(frame: Frame, run: LoopRun) -> bool:
    """Does the loop run inside a call that a frame makes?"""
    outer = run.frame.caller
    while outer is not None:
        if outer[0] is frame:
            return True
        outer = outer[0].caller
    return False


def _place_stays(node: Any, name: str, frame: Frame, run: LoopRun, depth: int) -> bool:
    first, last = run.node.lineno, run.node.end_lineno or run.node.lineno
    if isinstance(node, ast.Attribute):
        methods = frame.function.owner.methods.values() if frame.function.owner is not None else (frame.function,)
        bound = [b for m in methods for b in m.bindings.get(name, ())]
        return not any(b.kind in ("for", "aug") or first < _line(b) <= last for b in bound)
    found = reaching(frame.function).at.get(id(node), ())
    for binding in found:
        if binding.kind in ("for", "aug", "comp"):
            return False
        if binding.kind == "param":
            given = (frame.bound or {}).get(name)
            if isinstance(given, tuple) and not _same_each_time(given[0], given[1], run, depth + 1):
                return False
        elif binding.kind == "assign":
            before = frame.function is run.frame.function and not first < _line(binding) <= last
            if not before and (binding.path or not _same_each_time(binding.value, frame, run, depth + 1)):
                return False
    return True


def _line(binding: Any) -> int:
    return int(getattr(binding.node, "lineno", 0))


def _outermost(origin: Origin, seed: Any) -> Origin:
    """The call that chose the seed: helpers that only hand it on are passed over."""
    node, frame = origin.node, origin.frame
    while isinstance(seed, ast.Name) and frame.caller is not None and frame.function.parameter(seed.id) is not None:
        given = (frame.bound or {}).get(seed.id)
        frame, node = frame.caller
        if not isinstance(given, tuple):
            break
        seed = given[0]
    return Origin(node, frame)
