"""Which samples does a process of a distributed training read, and who sets the epoch of the sampler?

    sampler = DistributedSampler(rows)      # shuffles by the epoch that it is given
    loader = DataLoader(rows, sampler=sampler)
    for epoch in range(90):
        sampler.set_epoch(epoch)            # `_may_set_epoch_of`: this sampler, or what cannot be distinguished from it

A sampler is followed from its construction through the loader to the loop that draws from it. One of the project's own
counts if `set_epoch` alone sets what it seeds its order with. Any other is trusted, as are a framework that prepares
loaders, and anything unknown that gets the sampler.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, Forward, SetsEpoch
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import LOADER
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import Once, cached, cached_per_scope
from mllint.semantics.syntax.module import ClassScope, FunctionScope, ModuleScope
from mllint.semantics.syntax.nodes import Node, all_arguments, called_name, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.values.classes import constructor_argument, method
from mllint.semantics.values.lineage import Origin, origins
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue, Site, Value

__all__ = [
    "PREPARES", "are_built", "endless_loops", "epoch_settings", "find_iterator_drawn_before",
    "find_loaders_read_by_all", "has_single_constant_argument", "is_decided_by_rank", "is_held_out_sampler",
    "sampling_loops", "selects_one_rank", "shuffling_samplers",
]  # fmt: skip

_SAMPLER = "torch.utils.data.distributed.DistributedSampler"
_SAMPLERS = frozenset((_SAMPLER.rpartition(".")[2], "StatefulDistributedSampler", "set_epoch"))
PREPARES = ("prepare", "prepare_data_loader", "setup_dataloaders", "initialize")
_SHARED_OUT = ("split_dataset_by_node", "get_worker_info", "shard", "DistributedSampler", "scatter_object_list")
"""What divides rows among processes."""
_IN_STEP = "torch.nn.parallel.DistributedDataParallel"
_ONCE = Once()
_SEEDING = frozenset(("manual_seed", "seed", "Random", "default_rng", "RandomState"))


def epoch_settings(flow: Flow, run: LoopRun) -> Iterator[tuple[Value, list[Event], bool]]:
    """The shuffling samplers that a loop draws from, and who sets their epoch.

    Args:
        flow: the flow.
        run: a loop over batches in it.

    Yields:
        The sampler, the events that tell it, and whether something that is not seen may tell it as well.
    """
    for sampler in _samplers(run):
        events = [
            e
            for e in flow.events(SetsEpoch)
            if _may_set_epoch_of(e, sampler) and not _is_epoch_of_other_training(e, run, flow)
        ]
        yield (
            sampler,
            events,
            _may_set_epoch_elsewhere(flow, sampler)
            or _is_rebuilt_each_epoch(sampler, run)
            or _is_passed_to_unknown(flow, run, sampler),
        )


def _restarts_loader(run: LoopRun) -> bool:
    """Does a loop over steps begin its loader again where it ends: `batches = iter(loader)` inside of it?"""
    if not run.frame.function.called_names >= {"iter", "next"}:
        return False
    inside = [n for s in run.node.body for n in walk(s) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
    drawn = {place(c.args[0]) for c in inside if last_name(c.func) == "next" and c.args} - {None}
    again = [c for c in inside if last_name(c.func) == "iter"]
    bound = (b.value for name in drawn for b in run.frame.function.bindings.get(name or "", ()))
    return any(value is c for value in bound for c in again)


def _find_data_parallel_wrap(forward: Event) -> Site | None:
    """Where the model of a forward was wrapped to be trained by several processes in step."""
    project = forward.frame.project
    for site in (v.traits.get("Wrapped") for v in forward.subject.alternatives):
        if not isinstance(site, Site):
            continue
        name = last_name(getattr(site.node, "func", None))
        if not name:
            continue
        for node, scope in project.calls_named(name):
            if node is site.node and isinstance(scope, FunctionScope):
                if Call(node, project.frame(scope)).callee.is_class(_IN_STEP):
                    return site
    return None


def _draws_all_rows(loader: Call) -> bool:
    """Is it `DataLoader(rows, shuffle=True)` of rows that nothing has shared out by the rank?"""
    shuffle = loader.argument("shuffle")
    if shuffle is None or shuffle.value.literal is not True or loader.is_open or not loader.arguments:
        return False
    if any(loader.argument(name) is not None for name in ("sampler", "batch_sampler", "generator", "worker_init_fn")):
        return False
    rows = loader.argument("dataset")
    steps = origins(rows.node, rows.frame) if rows is not None else ()
    names = (n for o in steps for n in walk(o.node) if isinstance(n, (ast.Name, ast.Attribute)))
    return not any(topics.is_about(last_name(n), Topic.RANKS) for n in names)


def has_single_constant_argument(call: Node) -> bool:
    """Is the call given a constant as its only argument?"""
    given = [*call.args, *(k.value for k in call.keywords)]
    return len(given) == 1 and isinstance(given[0], ast.Constant)


def _is_rank_name(node: Node) -> bool:
    """Does a name say the rank of a process, and not one in a group that shares its batches, a model being divided?"""
    return topics.is_about(last_name(node), Topic.RANK) and not topics.is_about(last_name(node), Topic.PARTS_OF_A_MODEL)


def selects_one_rank(test: Node) -> bool:
    """Does a test let one rank pass: `rank == 0`, `dist.get_rank() == 0`, `is_main_process()`?"""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
            return _is_rank_name(left.func if isinstance(left, ast.Call) else left)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_rank_name(inner) and not topics.is_about(last_name(inner), Topic.MAIN_PROCESS)
        case ast.Call() | ast.Name() | ast.Attribute():
            return topics.is_about(called_name(test), Topic.MAIN_PROCESS)
    return False


def is_held_out_sampler(sampler: Value) -> bool:
    """Is the sampler one of held-out data, where the order is nothing?"""
    node = sampler.built_with.node if sampler.built_with is not None else None
    return isinstance(node, ast.Call) and bool(node.args) and roles.is_held_out_name(place(node.args[0]) or "")


def _is_training_loop(flow: Flow, run: LoopRun) -> bool:
    """Is the model trained in the loop: by what the flow sees, or by a function that is called so?"""
    if any(run in e.loops for e in flow.events(AppliesGrad, AccumulatesGrad)):
        return True
    first, last = run.node.lineno, run.node.end_lineno
    inside = (last_name(node.func) for node in run.frame.function.calls if first < node.lineno <= last)
    return any(name in ("step", "train_step", "training_step", "train_batch") for name in inside)


@cached()
def are_built(project: Project) -> bool:
    """Whether a project may build a sampler that shuffles by the epoch: is its class named anywhere?"""
    return any(m.source is None or m.source.mentions(_SAMPLERS) for m in project.modules)


def _samplers(run: LoopRun) -> list[Value]:
    """The shuffling samplers of the loader that a loop draws its batches from."""
    if not are_built(run.frame.project):
        return []
    through = (ast.Name, ast.Attribute, ast.Call, ast.Tuple, ast.Subscript, ast.IfExp)
    for node in _iterables_of_loop(run):
        steps = list(
            origins(node, run.frame, through=lambda o: isinstance(o.node, through) and not _is_loader_construction(o))
        )
        found = next((samplers for origin in steps if (samplers := shuffling_samplers(origin.value))), [])
        if found and not _is_passed_as_held_out(steps):
            return found
    return []


def _is_loader_construction(origin: Origin) -> bool:
    """Is it the construction of a loader? What it is built of has names of its own."""
    return isinstance(origin.node, ast.Call) and Call(origin.node, origin.frame).callee.is_class(LOADER)


def _iterables_of_loop(run: LoopRun) -> Iterator[Node]:
    """What a loop goes through, or takes the next of: `for _ in range(steps): batch = next(batches)`."""
    counted = isinstance(run.node, ast.For) and isinstance(run.node.iter, (ast.Call, ast.Name))
    if isinstance(run.node, ast.For):
        yield run.node.iter
    if not counted and not isinstance(run.node, ast.While):
        return
    for node in walk(run.node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "next" and node.args:
            found = run.frame.function.bindings.get(place(node.args[0]) or "", ())
            begun = [b.value for b in found if isinstance(b.value, ast.Call) and last_name(b.value.func) == "iter"]
            yield from (call.args[0] for call in begun[:1] if call.args)


def _is_passed_as_held_out(steps: list[Origin]) -> bool:
    """Is it called a loader of held-out rows where it is handed on? What a function gives next to it does not count."""
    for step in steps:
        if isinstance(step.node, ast.Tuple) or (
            isinstance(step.node, ast.Call) and any(not f.stubbed for f in Call(step.node, step.frame).callees)
        ):
            return False
        if isinstance(step.node, (ast.Name, ast.Attribute)) and roles.is_held_out_name(place(step.node)):
            return True
    return False


def endless_loops(flow: Flow) -> Iterator[tuple[FunctionScope, Node]]:
    """The endless loops of generators, each with its function: of the file, and of others that it calls by their names.
    They are given to one flow of a file alone, as all of them would see the same."""
    own, project = flow.frame.module, flow.frame.project
    if not _ONCE.is_of(flow.root, own):
        return
    yield from _endless(own)
    if not project.calls_named("DistributedSampler"):
        return
    for function, loop in _endless_in_project(project):
        if function.module is not own and function.name in own.calls_by_name:
            yield function, loop


@cached()
def _endless_in_project(project: Project) -> list[tuple[FunctionScope, Node]]:
    """The endless loops of the generators in all files."""
    return [found for module in project.modules for found in _endless(module)]


@cached(local=True)
def _endless(module: ModuleScope) -> list[tuple[FunctionScope, Node]]:
    """The loops of the generators in a file that nothing but a `break` ends: `while True`."""
    loops = ((f, loop.node) for f in module.functions if f.is_generator for loop in f.loops)
    return [(f, loop) for f, loop in loops if isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant)]


def shuffling_samplers(loader: Value) -> list[Value]:
    """The shuffling samplers that a loader was built with: `sampler=`, or another loader with one process."""
    if not loader.instance_of(LOADER):
        return []
    return [found for built in loader.alternatives for found in _of_one(built)]


def _of_one(built: Value) -> list[Value]:
    """The shuffling samplers of one construction."""
    given = constructor_argument(built, "sampler")
    batches = constructor_argument(built, "batch_sampler") if given is None else None
    if batches is not None and any(
        isinstance(v, InstanceValue) and _seeded_by_epoch(v.cls) for v in batches.alternatives
    ):
        given = batches
    elif batches is not None and batches.instance_of("torch.utils.data.BatchSampler"):
        given = constructor_argument(batches.alternatives[0], "sampler")
    found = (
        [
            v
            for v in given.alternatives
            if isinstance(v, InstanceValue)
            and ((v.instance_of(_SAMPLER) and v.cls.module.is_stub) or _seeded_by_epoch(v.cls))
        ]
        if given is not None
        else []
    )
    return [v for v in found if v.arguments is not None and v.arguments.node is not None and _has_shuffle_on(v)]


@cached_per_scope(local=True)
def _seeded_by_epoch(cls: ClassScope) -> bool:
    """Is it a sampler of the project's own that seeds its order with what its `set_epoch` alone sets later on?"""
    setting, drawing = cls.methods.get("set_epoch"), cls.methods.get("__iter__")
    if setting is None or drawing is None or len(setting.parameters) != 2 or cls.module.is_stub:
        return False
    owner, epoch = (p.name for p in setting.parameters)
    told = {n for n, found in setting.bindings.items() if [place(b.value) for b in found] == [epoch]}
    others = [m for name, m in cls.methods.items() if name not in ("__init__", "set_epoch")]
    told = {n for n in told if n.startswith(f"{owner}.") and not any(n in m.bindings for m in others)}
    drawn_by = [drawing, *(m for name, m in cls.methods.items() if f"{owner}.{name}" in map(place, _called(drawing)))]
    seeding = [c for m in drawn_by for c in m.calls if last_name(c.func) in _SEEDING]
    return any(place(n) in told for c in seeding for a in all_arguments(c) for n in walk(a))


def _called(function: FunctionScope) -> list[Node]:
    """What a function calls."""
    return [call.func for call in function.calls]


def _has_shuffle_on(sampler: Value) -> bool:
    """Is `shuffle` not switched off, nor unknown?"""
    given = constructor_argument(sampler, "shuffle")
    if given is not None:
        return given.truth is True
    init = method(sampler.cls, "__init__") if isinstance(sampler, InstanceValue) else None
    parameter = init.parameter("shuffle") if init is not None else None
    return parameter is None or getattr(parameter.default, "value", False) is True


def _may_set_epoch_of(event: Event, sampler: Value) -> bool:
    """Is the epoch set for this sampler, or for something that cannot be distinguished from it?"""
    return event.subject.same_as(sampler) is not False


def _is_epoch_of_other_training(event: Event, run: LoopRun, flow: Flow) -> bool:
    """Is the epoch one of another training: set in a loop that trains, and that has nothing to do with this one?"""
    if not event.loops or run.outer == () or not set(event.loops).isdisjoint((*run.outer, run)):
        return False
    return any(event.loops[-1] in b.loops and run not in b.loops for b in flow.events(AccumulatesGrad))


def _may_set_epoch_elsewhere(flow: Flow, sampler: Value) -> bool:
    """Does something outside this flow call `set_epoch`: in its files, or anywhere of what may be this sampler? Not
    what sets the epoch of its own training."""
    seen = {id(e.call) for e in flow.events(SetsEpoch)}
    seen |= {
        id(node)
        for node, scope in flow.frame.project.calls_named("set_epoch")
        if _sets_own_training_epoch(node, scope, flow)
    }
    if any(id(node) not in seen for node in _method_calls(flow, "set_epoch")):
        return True
    project = flow.frame.project
    for node, scope in project.calls_named("set_epoch"):
        if id(node) not in seen and isinstance(scope, FunctionScope):
            receiver = Call(node, project.frame(scope)).receiver
            if receiver is None or receiver.same_as(sampler) is not False:
                return True
    return False


def _sets_own_training_epoch(node: Node, scope: object, flow: Flow) -> bool:
    """Is `set_epoch` called in a loop of a function that trains in the loop, too, and that this flow does not enter?"""
    if not isinstance(scope, FunctionScope) or scope.is_body or any(e.function is scope for e in flow.events()):
        return False
    inside = [r.node for r in scope.loops if any(n is node for n in walk(r.node))]
    backwards = [c for c in scope.calls if last_name(c.func) == "backward"]
    return any(c.lineno > loop.lineno and c.lineno <= (loop.end_lineno or 0) for loop in inside for c in backwards)


def _method_calls(flow: Flow, name: str) -> list[Node]:
    """The calls of a method in the files that a flow passes through."""
    modules = {event.site.module for event in flow.events()}
    return [node for node, scope in flow.frame.project.calls_named(name) if scope.module in modules]


def _has_prepared_loaders(flow: Flow) -> bool:
    """Does a framework prepare loaders here: `accelerator.prepare(loader)`? A function of the project that is called
    so does what is written in it."""
    for name in PREPARES:
        calls = [node for node in _method_calls(flow, name) if not _owns_no_loader(node)]
        if calls:
            found = [(node, f) for node, f in flow.frame.project.calls_named(name) if isinstance(f, FunctionScope)]
            views = [Call(node, flow.frame.project.frame(f)) for node, f in found if not _owns_no_loader(node)]
            if len(views) < len(calls) or any(not v.callees or v.callees[0].stubbed for v in views):
                return True
    return False


def _owns_no_loader(call: ast.Call) -> bool:
    """Is it `deepspeed.initialize(model=net, ...)` without `training_data`, whose engine knows of no loader?"""
    func = call.func
    engine = isinstance(func, ast.Attribute) and func.attr == "initialize" and last_name(func.value) == "deepspeed"
    return engine and all(k.arg not in (None, "training_data") for k in call.keywords) and len(call.args) < 4


def _is_rebuilt_each_epoch(sampler: Value, run: LoopRun) -> bool:
    """Is the sampler built anew in the epoch loop?"""
    if sampler.built_with is None:
        return False
    node, function = sampler.built_with.node, sampler.built_with.frame.function
    loops = [outer for outer in run.outer if outer.frame.function is function]
    return any(outer.node.lineno <= node.lineno <= outer.node.end_lineno for outer in loops)


def _is_passed_to_unknown(flow: Flow, run: LoopRun, sampler: Value) -> bool:
    """Does an unknown call in the epoch loop get the sampler or its loader?"""
    for event in flow.events("unknown"):
        if event.option == "step":
            continue  # of another kind of sampler, in another configuration: this one has no such method
        if set(event.loops) & set(run.outer) and run not in event.loops:
            if any(
                v.identity == sampler.identity or shuffling_samplers(v)
                for value in (event.subject, *event.others)
                for v in value.alternatives
            ):
                return True
    return False


def is_decided_by_rank(event: Event, run: LoopRun) -> bool:
    """Does the rank decide whether the epoch is set, where it does not decide about the training around?"""
    around = next((r for r in event.loops if r in run.outer), None)
    tests = event.conditions if around is None else event.conditions_in(around)
    return any(
        _is_rank_name(node)
        for test, _, _ in tests
        for node in walk(test)
        if isinstance(test, (ast.Compare, ast.Name, ast.Call)) and not _only_tests_for_ranks(test)
    )


def _only_tests_for_ranks(test: Node) -> bool:
    """Does a test only ask whether there are ranks at all: `local_rank != -1`, `rank >= 0`?"""
    if not isinstance(test, ast.Compare) or len(test.ops) > 1:
        return False
    other = test.comparators[0]
    if isinstance(other, ast.UnaryOp):
        return isinstance(other.op, ast.USub) and getattr(other.operand, "value", None) == 1
    return isinstance(test.ops[0], ast.GtE) and getattr(other, "value", None) == 0


def find_iterator_drawn_before(event: Event, run: LoopRun) -> Node:
    """The `iter(loader)`, in the same epoch, that the loop uses and that comes before the epoch is set, if the order is
    drawn there already: by worker processes, which read ahead. Without workers it is drawn with the first batch."""
    if not isinstance(run.node, ast.For):
        return None
    for origin in origins(run.node.iter, run.frame):
        node = origin.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("iter", "enumerate"):
            if origin.frame.function is event.function and node.lineno < event.site.line and run.outer:
                return (
                    node
                    if node.args and _has_worker_processes(Call(node, origin.frame).value_of(node.args[0]))
                    else None
                )
    return None


def _has_worker_processes(loader: Value) -> bool:
    """Does a loader have worker processes, certainly?"""
    given = [constructor_argument(built, "num_workers") for built in loader.alternatives]
    return loader.instance_of(LOADER) and all(workers is not None and workers.truth is True for workers in given)


# ------------------------------------------------------------------------------------------- all rows for every process
def sampling_loops(flow: Flow) -> Iterator[LoopRun]:
    """The loops that train on the batches of a loader in several epochs, if no framework has prepared it."""
    for run in flow.runs:
        if _is_training_loop(flow, run) and (run.outer or _restarts_loader(run)) and not _has_prepared_loaders(flow):
            yield run


def find_loaders_read_by_all(flow: Flow) -> Iterator[tuple[Call, Site, LoopRun]]:
    """The loaders that shuffle all rows in each process, for a model that several processes train in step; with the
    call that makes these processes one training, and the loop."""
    for run in sampling_loops(flow):
        forwards = (f for f in flow.events(Forward) if run in f.loops)
        wrap = next((w for f in forwards if (w := _find_data_parallel_wrap(f)) is not None), None)
        if wrap is None or not run.outer or _shares_rows_otherwise(flow.frame.project):
            continue
        for node in _iterables_of_loop(run):
            steps = origins(node, run.frame, through=lambda o: not _is_loader_construction(o))
            loaders = [Call(o.node, o.frame) for o in steps if _is_loader_construction(o)]
            if loaders and all(map(_draws_all_rows, loaders)):
                yield loaders[0], wrap, run


def _shares_rows_otherwise(project: Project) -> bool:
    """Does a project divide rows among its processes by hand, or draw in each of them rows of its own?"""
    if any(project.calls_named(name) for name in _SHARED_OUT):
        return True
    seeds = (a for name in ("manual_seed", "seed", "set_seed") for c, _ in project.calls_named(name) for a in c.args)
    named = (n for a in seeds for n in walk(a) if isinstance(n, (ast.Name, ast.Attribute)))
    return any(topics.is_about(last_name(n), Topic.RANKS) for n in named)
