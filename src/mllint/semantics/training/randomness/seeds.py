"""From which random stream does a call draw, in which programs does it run, and does one of them fix that stream?

A draw is what the stub of a library says (`drawn_stream`); one that is given a seed draws from no global stream.

A program is a module body; a call runs in it when the body reaches the call through calls of the project. Its seeds are
those written in any module that it imports, directly or not: a seed that may run is enough not to accuse. So is
something unknown whose name says that it seeds, and a class of which only the name is known, if it is told a `seed`.
What nothing reaches is a library: the seed is its callers' business.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import LIGHTNING_DATA_MODULE, LIGHTNING_MODULE
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope, ModuleScope, Scope
from mllint.semantics.syntax.nodes import Constant, Node, last_name, place
from mllint.semantics.syntax.reads import names_read, reads
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.values.bases import ancestors, enclosing, function_of
from mllint.semantics.values.calls import callee, targets
from mllint.semantics.values.classes import constructor_argument, method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import origins
from mllint.semantics.values.project import Project
from mllint.semantics.values.reach import imported_names
from mllint.semantics.values.values import ClassValue, LiteralValue, UnknownValue, Value

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame

__all__ = [
    "drawn_stream", "find_generator", "imported_modules", "is_seeded_before", "is_test_code", "is_test_helper",
    "is_unit_test", "programs", "seeding_calls", "streams_of",
]  # fmt: skip

_WORKERS = "worker_init_fn"


_DEPTH = 8
_TESTING = frozenset("pytest unittest testing _testing TestCase absltest hypothesis".split())
_IMPORTED = 200
_LIGHTNING = frozenset((LIGHTNING_MODULE, LIGHTNING_DATA_MODULE))
_INTEGERS = ("randint", "randrange", "integers", "getrandbits")


def is_test_code(module: ModuleScope) -> bool:
    """Is the file a test of something?"""
    return any(part in ("test", "tests", "conftest") or part.startswith("test_") for part in module.name.split("."))


@cached()
def is_unit_test(module: ModuleScope) -> bool:
    """Is the file a test of code, by its name and by what it uses, and no script that evaluates a model (`test.py`)?

    What trains there needs some step or some loss, not a good one.
    """
    if not _is_among_tests(module) and not module.name.endswith("_test"):
        return False
    tools = {*imported_names(module), *(name.partition(".")[0] for name, _ in module.imports)}
    if not _TESTING.isdisjoint(tools):
        return True
    tests = (f for f in module.functions if f.name.startswith("test_") and isinstance(f.node, ast.FunctionDef))
    return any(isinstance(s, ast.Assert) for f in tests for s in f.body)


def _is_among_tests(module: ModuleScope) -> bool:
    """Is the file a test by its name, or in a folder of tests?"""
    path = module.source.path.replace("\\", "/") if module.source is not None else ""
    return is_test_code(module) or "tests" in path.split("/")


def is_test_helper(module: ModuleScope, project: Project) -> bool:
    """Is it a file among tests that a unit test imports: a small model, a fake trainer?"""
    return _is_among_tests(module) and id(module) in _imported_by_tests(project)


@cached()
def _imported_by_tests(project: Project) -> frozenset[int]:
    """The ids of the files that unit tests import."""
    tests = [m for m in project.modules if not m.is_stub and is_unit_test(m)]
    together = _reached(tests)
    if len(together) < _IMPORTED:  # then nothing is left out for any of them
        return frozenset(map(id, together))
    return frozenset(id(m) for test in tests for m in imported_modules(test))


def programs(function: FunctionScope, project: Project) -> list[ModuleScope]:
    """The modules whose bodies reach a function, through calls and through the construction of its class."""
    found: list[ModuleScope] = []
    queue, seen = [(function, 0)], {id(function)}
    while queue:
        current, depth = queue.pop()
        if current.is_body:
            found.append(current.module)
            continue
        if depth >= _DEPTH:
            continue
        for caller in _callers(current, project):
            if id(caller) not in seen:
                seen.add(id(caller))
                queue.append((caller, depth + 1))
    return found


def _callers(function: FunctionScope, project: Project) -> Iterator[FunctionScope]:
    for _, frame in project.callers(function):
        yield frame.function
    yield from _functions_passing(function, project)
    outer = enclosing(function)
    if outer is not None and not outer.is_body:
        yield outer
    owner = function.owner
    if owner is not None and not owner.module.is_stub:
        for call, scope in project.calls_named(owner.name):
            user = function_of(scope)
            if user is None:
                continue
            made = callee(call, project.frame(user)).alternatives
            if any(isinstance(v, ClassValue) and v.cls is owner for v in made):
                yield user


def _functions_passing(function: FunctionScope, project: Project) -> Iterator[FunctionScope]:
    """The functions that hand a function on as an argument: to `spawn`, to a thread, to `map`."""
    name = function.name
    if function.owner is not None or not project.passed_around(function):
        return
    for module in project.modules:
        bound = module.body.bindings.get(name, ()) if name in module.references else ()
        if any(b.kind == "from" or (b.kind == "def" and module is function.module) for b in bound):
            for scope in module.references[name]:
                user = function_of(scope)
                if user is not None and user is not function:
                    yield user


def imported_modules(module: ModuleScope) -> list[ModuleScope]:
    """A module and all the user's modules that it imports, directly or not: about 200 at most."""
    return _reached([module])


def _reached(modules: list[ModuleScope]) -> list[ModuleScope]:
    """Some modules and what they import, directly or not, until that is enough."""
    found, queue = dict.fromkeys(modules), list(modules)
    while queue and len(found) < _IMPORTED:
        for target in _imported_directly(queue.pop()):
            if target not in found:
                found[target] = None
                queue.append(target)
    return list(found)


@cached()
def _imported_directly(module: ModuleScope) -> list[ModuleScope]:
    """The user's modules that a module imports, anywhere in it."""
    project = module.project
    parts = [b.extra for bs in module.body.bindings.values() for b in bs if b.kind == "from"]
    inner = [(f"{source}.{name}" if source else name, level) for source, level, name in parts]
    found: dict[ModuleScope, None] = {}
    for name, level in (*module.imports, *inner):  # `from . import model` may run a module of that name
        for full in (name, name.rpartition(".")[0]):
            target = project.module_for(full, level, module) if full or level else None
            if target is not None and not target.is_stub:
                found[target] = None
    return list(found)


def seeding_calls(
    program: ModuleScope, stream: str, project: Project, *more: ModuleScope, known: Collection[str] = ()
) -> list[tuple[ast.expr, Scope]]:
    """The calls in a program, and in `more` modules of it, that fix a random stream, or that may do so; if there are
    none, where it hands on a function that does.

    Args:
        program: its main module.
        stream: "torch", "numpy" or "random".
        project: the project.
        more: modules that belong to the program besides those that it imports.
        known: names of functions that fix all streams; what stands before the last dot is for the reader.
    """
    found: list[tuple[ast.expr, Scope]] = []
    words = {name.rpartition(".")[2] for name in known}
    modules = list(dict.fromkeys((*imported_modules(program), *more)))
    for module in modules:
        for name, calls in module.calls_by_name.items():
            if name.startswith("__") or (name not in words and not topics.is_about(name, Topic.SEEDING)):
                continue  # `__setstate__` is the language's: it unpickles
            for call, scope in calls:
                function = function_of(scope)
                streams = streams_of(call, project.frame(function)) if function is not None else frozenset("?")
                if (name in words or stream in streams or "?" in streams) and _may_run(function, modules):
                    found.append((call, scope))
        found += [(c, s) for c, s in _constructions_told_seed(module) if _may_run(function_of(s), modules)]
    return found or [read for module in modules for read in _seeds_handed_on(module, stream, project)]


def _seeds_handed_on(module: ModuleScope, stream: str, project: Project) -> Iterator[tuple[ast.expr, Scope]]:
    """Where `module` reads a function of a library that seeds `stream`, and does not call it: `for seed in
    (random.seed, torch.manual_seed): seed(0)`. Somebody calls it; the workers of a loader do not count."""
    if module.source is not None and not module.source.holds("seed"):
        return
    words = frozenset(name for name in names_read(module) if topics.is_about(name, Topic.SEEDING))
    begun = {id(k.value) for c, _ in module.calls_by_keyword.get(_WORKERS, ()) for k in c.keywords if k.arg == _WORKERS}
    for node, function in reads(module, words):
        read = evaluate(node, project.frame(function)).function if id(node) not in begun else None
        effect = effect_of(read, "seeds") if read is not None and read.stubbed else None
        if effect is not None and stream in map(str, effect.values):
            yield node, function


@cached()
def _constructions_told_seed(module: ModuleScope) -> list[tuple[ast.Call, Scope]]:
    """The calls of classes from outside, of which only the names are known, that are told a `seed`: what trains by
    itself, `PPO("MlpPolicy", env, seed=3)`, fixes all streams with it."""
    found = []
    for call, scope in module.calls_by_keyword.get("seed", ()):
        function, project = function_of(scope), module.project
        given = next(k.value for k in call.keywords if k.arg == "seed")
        if function is None or (isinstance(given, ast.Constant) and given.value is None):
            continue
        made = evaluate(call.func, project.frame(function))
        name = (made.name or "").rpartition(".")[2] if isinstance(made, UnknownValue) else ""
        if name[:1].isupper() and not topics.is_about(name, Topic.ENVIRONMENT):
            found.append((call, scope))
    return found


def is_seeded_before(call: Call, program: ModuleScope, stream: str, *, known: Collection[str] = ()) -> bool:
    """Whether a program seeds a random stream at a place that may run before a call.

    Args:
        call: the call that draws from the stream.
        program: the main module of the program.
        stream: the stream.
        known: names of functions that fix all streams.
    """
    if _is_run_by_command_line(call):
        return True
    for seed, scope in seeding_calls(program, stream, call.project, call.module, known=known):
        late = scope is call.function and seed.lineno > call.node.lineno
        if not late and not _is_entered_later(scope, call) and not _comes_later(seed, scope, call):
            return True
    return False


def _is_run_by_command_line(call: Call) -> bool:
    """Does a `LightningCLI` of the project build the object that draws? It calls `seed_everything` before."""
    owner = call.function.owner
    return owner is not None and not _LIGHTNING.isdisjoint(ancestors(owner)) and _has_command_line(call.project)


@cached()
def _has_command_line(project: Project) -> bool:
    return any("LightningCLI" in imported_names(m) for m in project.modules if not m.is_stub)


def _comes_later(seed: Node, scope: Scope, call: Call) -> bool:
    """Is there one function through which both are reached, once each, and the call before the seed?"""
    if not isinstance(scope, FunctionScope):
        return False
    seeds = {id(f): node for f, node in _way(scope, seed, call.project)}
    for function, node in _way(call.function, call.node, call.project):
        other = seeds.get(id(function))
        if other is not None:
            first, last = node.lineno, other.end_lineno or other.lineno
            within = ((r.node.lineno, r.node.end_lineno or first) for r in function.loops)
            return first < other.lineno and not any(a <= first and last <= b for a, b in within)
    return False


def _way(function: FunctionScope, node: Node, project: Project) -> Iterator[tuple[FunctionScope, Node]]:
    """A place, and the only call that leads there, and the only one that leads to that one."""
    for _ in range(6):
        yield function, node
        callers = project.callers(function)
        if function.is_body or len(callers) != 1 or project.passed_around(function):
            return
        node, function = callers[0][0], callers[0][1].function


def _is_entered_later(scope: Scope, call: Call) -> bool:
    """Is a function of the program entered from the function of a call only, and only below the call?"""
    if not isinstance(scope, FunctionScope) or scope.is_body or scope.owner is not None or scope is call.function:
        return False
    calls = call.project.calls_named(scope.name)
    late = all(f is call.function and node.lineno > call.node.lineno for node, f in calls)
    return bool(calls) and late and not call.project.passed_around(scope)


def _may_run(function: FunctionScope | None, modules: list[ModuleScope]) -> bool:
    """Can a function run in the process of the program: is it a body, a method, decorated, or named anywhere?"""
    if function is None or function.is_body or function.owner is not None or function.decorators:
        return True
    if _begins_workers(function):
        return False
    outer = enclosing(function)
    if outer is not None and not outer.is_body:
        return True
    return any(function.name in m.calls_by_name or function.name in m.references for m in modules)


def _begins_workers(function: FunctionScope) -> bool:
    """Is it a lambda or a local function that only the workers of a loader run, each in a process of its own?"""
    module, name = function.module, function.name
    given = [k.value for c, _ in module.calls_by_keyword.get(_WORKERS, ()) for k in c.keywords if k.arg == _WORKERS]
    if isinstance(function.node, ast.Lambda):
        return any(value is function.node for value in given)
    local = any(isinstance(value, ast.Name) and value.id == name for value in given)
    return local and name not in module.calls_by_name and name not in module.references


def streams_of(call: ast.Call, frame: Frame) -> frozenset[str]:
    """The streams that a call seeds; "?" if it may seed any; none for a call without a seed."""
    functions = targets(call, frame)
    if not functions:
        inner = call.func.value if isinstance(call.func, ast.Attribute) else None
        return frozenset() if topics.is_about(place(inner) or "", Topic.ENVIRONMENT) else frozenset("?")
    found: set[str] = set()
    for function in functions:
        effect = effect_of(function, "seeds") if function.stubbed else None
        if effect is not None:
            given = [*call.args, *(k.value for k in call.keywords)]
            nothing = not given or (isinstance(given[0], ast.Constant) and given[0].value is None)
            if not nothing or not topics.is_about(last_name(call.func), Topic.SEEDS):
                found.update(map(str, effect.values))
        elif function.stubbed and not function.owner:
            found.add("?")
    return frozenset(found)


def drawn_stream(call: Call) -> str | None:
    """The global random stream that a call draws from, None if it draws none or a seed is given.

    A seed that is drawn where it is given is none: `train_test_split(rows, random_state=random.randint(0, 99))` holds
    out what the other stream says.
    """
    if call.is_open:
        return None
    seed = _seed_drawn_in_place(call)
    if seed is not None:
        return drawn_stream(seed)
    streams = set()
    for function in call.callees:
        effect = effect_of(function, "draws")
        if effect is None and function.owner is not None and call.receiver is not None:
            return _generator_stream(call) if _is_generator(call.receiver) else _splitter_stream(call.receiver)
        if effect is None or not effect.values or not _is_drawn(call, effect.options):
            return None
        streams.add(str(effect.values[0]))
    return streams.pop() if len(streams) == 1 else None


def _seed_drawn_in_place(call: Call) -> Call | None:
    """The call that draws the seed of a call where it is given: nobody can give that seed again."""
    named = {k.arg: k.value for k in call.node.keywords}
    for node in (named.get("random_state"), named.get("seed")):
        if isinstance(node, ast.Call) and last_name(node.func) in _INTEGERS:
            return Call(node, call.frame)
    return None


def _is_drawn(call: Call, options: dict[str, Constant]) -> bool:
    for name in str(options.get("unless", "")).split():
        given = call.argument(name)
        if given is not None and not (isinstance(given.value, LiteralValue) and given.value.literal is None):
            return False
    parameter = str(options.get("when", ""))
    when = call.argument(parameter) if parameter else None
    return when is None or when.value.truth is True


def _is_generator(receiver: Value) -> bool:
    return receiver.instance_of("numpy.random.Generator")


def find_generator(call: Call) -> Call | None:
    """The call that makes the generator whose method a call is; None if that is not one call."""
    if not isinstance(call.node.func, ast.Attribute):
        return None
    made = [o for o in origins(call.node.func.value, call.frame) if isinstance(o.node, ast.Call)]
    return Call(made[0].node, made[0].frame) if len(made) == 1 else None


def _generator_stream(call: Call) -> str | None:
    """`default_rng().permutation(...)`: what the one call says that made the generator."""
    made = find_generator(call)
    return drawn_stream(made) if made is not None else None


def _splitter_stream(receiver: Value) -> str | None:
    """`KFold(shuffle=True).split(...)`: what its constructor says."""
    for cls in receiver.classes:
        init = method(cls, "__init__")
        effect = effect_of(init, "draws") if init is not None and init.stubbed else None
        if effect is None or receiver.built_with is None or receiver.built_with.open:
            return None
        seed = constructor_argument(receiver, str(effect.options.get("unless", "")))
        if seed is not None and not (isinstance(seed, LiteralValue) and seed.literal is None):
            return None
        when = effect.options.get("when")
        given = constructor_argument(receiver, str(when)) if when else None
        if when and (given is None or given.truth is not True):
            return None
        return str(effect.values[0])
    return None
