"""Is chance under control: fixed where runs are compared, and fresh where it has to be?

Two opposite harms. Rows that are divided by an unseeded draw differ from run to run. And numbers that are meant to be
new each time repeat when every worker holds a copy of one generator, or when a loop sets the seed anew.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Collection, Iterator
from mllint.checks._unread import divided_in_vain, loaded_in_vain
from mllint.pattern import Pattern
from mllint.rule import Finding, Note, Options, check
from mllint.semantics import AppliesGrad, Argument, Call, Event, Flow, LoopRun, OwnsLoop, Site, Value, text
from mllint.semantics.calls import constructor_argument
from mllint.semantics.classes import method
from mllint.semantics.frames import Frame
from mllint.semantics.library import effect_of
from mllint.semantics.lineage import Origin, origins, statements
from mllint.semantics.module import Function, last_name, place, walk
from mllint.semantics.names import reaching
from mllint.semantics.parts import divided, held, may_split
from mllint.semantics.reach import functions_around
from mllint.semantics.roots import STEPS
from mllint.semantics.seeding import is_test_code, programs, seeding_calls, streams_of

__all__: list[str] = []


# ------------------------------------------------------------------------------------------------------------ unseeded
_SPLITTING = ("train_test_split", "random_split", "split")
_KEPT, _FORKS = Pattern("save|dump|write"), Pattern("fork|rng|seed")
_DRAWING = "train_test_split random_split split shuffle permutation randperm sample"


@check("unseeded-shuffle", calls=_DRAWING)
def unseeded_shuffle(call: Call, options: Options) -> Iterator[Finding]:
    """Chance decides which rows are held out, and nothing in the program fixes it."""
    divides = _decides_parts(call)
    if not divides and (call.last_name not in _SPLITTING or not may_split(call)):
        return
    stream = drawn_stream(call)
    if stream is None or is_test_code(call.module) or _drawn_once(call):
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
    return [c for c in function.calls if _KEPT.search(last_name(c.func)) or last_name(c.func) in _WRITES]


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


def _drawn_once(call: Call) -> bool:
    """Is it drawn where a file is missing, and written down there, so that later runs read it?"""
    for test in (n for n in walk(call.function.node) if isinstance(n, ast.If)):
        if any(isinstance(n, ast.Call) and last_name(n.func) in _ASKING for n in walk(test.test)):
            for branch in (test.body, test.orelse):
                calls = [n for s in branch for n in walk(s) if isinstance(n, ast.Call)]
                if any(c is call.node for c in calls) and any(_KEPT.search(last_name(c.func)) for c in calls):
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
    when = call.argument(str(options.get("when", "")))
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


def _decides_parts(call: Call) -> bool:
    """Is what was shuffled or drawn here cut into two complementary parts, once?"""
    function = call.function
    if any(r.node.lineno <= call.node.lineno <= (r.node.end_lineno or 0) for r in function.loops):
        return False
    name = _shuffled_name(call)
    if not name:
        return False
    kept = [c for c in function.calls if _KEPT.search(last_name(c.func))]
    if any(place(n) == name for c in kept for a in c.args for n in walk(a)):
        return False
    if call.last_name == "sample":
        return any(
            last_name(c.func) == "drop" and f"{name}.index" in {place(n) for n in walk(c)} for c in function.calls
        )
    return any(
        place(first.value) == name and first.lineno >= call.node.lineno and not windows(first, rest, call)
        for first, rest in divided(function)
    )


def windows(first: Any, rest: Any, call: Call) -> bool:
    """`[:n]` and `[n : 2 * n]`: are they two windows of one size, and no partition?"""
    upper = getattr(rest.slice, "upper", None)
    if not isinstance(upper, ast.BinOp) or not isinstance(upper.op, ast.Mult):
        return False
    sides = {text(call.module, side) for side in (upper.left, upper.right)}
    return text(call.module, first.slice.upper) in sides


def _shuffled_name(call: Call) -> str | None:
    """The place whose order is drawn: the argument of `shuffle`, what a permutation is bound to."""
    if call.last_name == "shuffle":
        return place(call.node.args[0]) if call.node.args else None
    for statement in statements(call.function):
        if isinstance(statement, ast.Assign) and any(n is call.node for n in walk(statement.value)):
            return place(statement.targets[0])
    return None


def _seeded(call: Call, program: Any, stream: str, known: Collection[str]) -> bool:
    """Does the program seed the stream, other than after the call in the same function?"""
    for seed, scope in seeding_calls(program.module, stream, call.project, call.module, known=known):
        late = scope is call.function and seed.lineno > call.node.lineno
        if not late and not entered_later(scope, call):
            return True
    return False


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
        yield _never_seeded(step, library)


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
            if binding.path or not _same_each_time(binding.value, frame, run, depth + 1):
                return frame.function is run.frame.function and not first < _line(binding) <= last
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


# --------------------------------------------------------------------------------------------------- workers of loaders
_GENERATORS = frozenset("RandomState default_rng Random Generator manual_seed".split())
_GENERATOR_CLASSES = ("numpy.random.RandomState", "numpy.random.Generator", "random.Random", "torch.Generator")


@check("duplicated-worker-randomness", calls="DataLoader seed manual_seed set_seed seed_everything")
def duplicated_worker_randomness(call: Call) -> Iterator[Finding]:
    """Every worker of a loader draws the same numbers."""
    if call.last_name != "DataLoader":
        inside = call.function.name == "__getitem__" and call.function.owner is not None
        if inside and _seeds_constant(call, ()) and not _for_evaluation(call):
            yield _repeats(call, "every sample", "each sample starts from the same random state")
        return
    workers, init = call.argument("num_workers"), call.argument("worker_init_fn")
    if not call.callee.is_class("torch.utils.data.DataLoader"):
        return
    if init is not None and (function := init.value.function) is not None and not function.stubbed:
        parameters = tuple(p.name for p in function.parameters)
        for inner in function.calls:
            seed = Call(inner, call.project.frame(function))
            if _seeds_constant(seed, parameters):
                yield _repeats(seed, "every worker", "each worker starts from the same random state")
    if workers is None or workers.value.literal == 0 or (init is not None and not _seeds_only(init, call)):
        return
    for name in ("dataset", "collate_fn"):
        given = call.argument(name)
        for value in given.value.alternatives if given is not None else ():
            yield from _stored_generators(value, call)


def _seeds_only(init: Argument, call: Call) -> bool:
    """Does a function for workers call nothing but what seeds global streams, so that no object gets new numbers?"""
    function = init.value.function
    if function is None or function.stubbed:
        return False
    if any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in walk(function.node)):
        return False
    if function.globals:
        return False
    calls = [Call(inner, call.project.frame(function)) for inner in function.calls]
    return all(c.callees and all(f.stubbed and f.name != "get_worker_info" for f in c.callees) for c in calls)


def _repeats(call: Call, who: str, primary: str) -> Finding:
    return Finding(call, f"`{call.text}` gives {who} the same random numbers", primary)


_PARTS = Pattern("train|test|valid|eval|val$|phase|split|mode$|infer")


def _for_evaluation(call: Call) -> bool:
    """Is the sample one of evaluation data, by its class or by a branch? The same noise each time is wanted there."""
    owner = call.function.owner
    if owner is not None and held(owner.name):
        return True
    first, last = call.node.lineno, call.node.end_lineno or call.node.lineno
    tests = []
    for node in walk(call.function.node):
        if isinstance(node, ast.If) and node.lineno < first:
            end = node.end_lineno or node.lineno
            if end >= last or isinstance(node.body[-1], ast.Return):
                tests.append(node.test)
    said = (place(n) or getattr(n, "value", None) for test in tests for n in walk(test))
    return any(isinstance(s, str) and _PARTS.search(s.lower()) for s in said)


def _seeds_constant(call: Call, parameters: tuple[str, ...]) -> bool:
    """Does a call certainly seed a global stream, with something that depends on no parameter and no other call?"""
    given = [*call.node.args, *(k.value for k in call.node.keywords)]
    if (
        not given
        or not call.callees
        or any(last_name(c.func).startswith("set_") and "state" in last_name(c.func) for c in call.function.calls)
    ):
        return False
    if not all(_fixes_stream(f, call) for f in call.callees):
        return False
    seen = [o.node for o in origins(given[0], call.frame, through=lambda o: not isinstance(o.node, ast.Attribute))]
    calls = any(isinstance(n, ast.Call) for node in seen if isinstance(node, ast.expr) for n in walk(node))
    names = {n.id for n in seen if isinstance(n, ast.Name)}
    own = {p.name for p in call.function.parameters}
    counted = {place(n.target) for n in walk(call.function.node) if isinstance(n, ast.AugAssign)}
    read = {place(n) for node in seen if isinstance(node, ast.expr) for n in walk(node)}
    return not calls and names.isdisjoint((*parameters, *own)) and not counted & (read - {None})


def _fixes_stream(function: Any, call: Call) -> bool:
    if function.stubbed:
        return effect_of(function, "seeds") is not None
    frame = call.project.frame(function)
    seeds = [c for c in function.calls if "seed" in last_name(c.func) and streams_of(c, frame) - {"?"}]
    handed = {p.name for p in function.parameters}
    return any(place(a) in handed for c in seeds for a in c.args)


def _stored_generators(value: Value, loader: Call) -> Iterator[Finding]:
    """Generators that the object of a worker keeps from its construction on, or that the module keeps for it."""
    cls = value.of if value.kind == "instance" else None
    if cls is None or isinstance(cls, str) or cls.module.is_stub:
        return
    init = cls.methods.get("__init__")
    used = list(_runs_in_worker(cls))
    for name, bindings in init.bindings.items() if init is not None else ():
        written = sum(name in m.bindings for m in cls.methods.values())
        if (
            not name.startswith("self.")
            or written != 1
            or not _is_generator(bindings[-1].value, loader.project.frame(init))
        ):
            continue
        draw = next((n for m in used for n in _loads(m, name)), None)
        if draw is not None and init is not None:
            yield _copied(Site(cls.module, bindings[-1].value), name, Site(cls.module, draw), loader)
    body = cls.module.body
    for name, bindings in body.bindings.items():
        if len(bindings) == 1 and _is_generator(bindings[0].value, loader.project.frame(body)):
            draw = next((n for m in used if name not in m.bindings for n in _loads(m, name)), None)
            if draw is not None:
                yield _copied(Site(cls.module, bindings[0].value), name, Site(cls.module, draw), loader)


def _copied(made: Site, name: str, draw: Site, loader: Call) -> Finding:
    return Finding(
        made,
        f"every worker gets an identical copy of `{name}`, and draws the same numbers from it",
        "copied into every worker",
        [Note(draw, "drawn from in each worker"), Note(loader, "the workers start here")],
        certain=not _for_another_try(draw),
    )


def _for_another_try(draw: Site) -> bool:
    """Is it drawn from only to read another sample where one could not be read: in a handler, or in a `while True`?"""
    blocks = [n for n in walk(draw.module.body.node) if isinstance(n, (ast.While, ast.ExceptHandler))]
    retries = [b for b in blocks if not isinstance(b, ast.While) or getattr(b.test, "value", None) is True]
    around = ([n for s in b.body for n in walk(s)] for b in retries)
    return any(any(n is draw.node for n in b) and not any(isinstance(n, ast.Yield) for n in b) for b in around)


def _is_generator(node: Any, frame: Frame) -> bool:
    if not isinstance(node, ast.Call) or last_name(node.func) not in _GENERATORS:
        return False
    return Origin(node, frame).value.instance_of(*_GENERATOR_CLASSES)


def _runs_in_worker(cls: Any) -> Iterator[Any]:
    """The methods that a worker runs: the entry points, and what they call on `self`."""
    queue = [
        m for n in ("__getitem__", "__iter__", "__call__", "__getitems__") if (m := cls.methods.get(n)) is not None
    ]
    seen = {m.name for m in queue}
    while queue:
        current = queue.pop()
        yield current
        for call in current.calls:
            own = cls.methods.get(last_name(call.func))
            if own is not None and own.name not in seen and (place(call.func) or "").startswith("self."):
                seen.add(own.name)
                queue.append(own)


def _loads(function: Any, name: str) -> Iterator[Any]:
    for statement in statements(function):
        yield from (n for n in walk(statement) if isinstance(n, (ast.Name, ast.Attribute)) and place(n) == name)
