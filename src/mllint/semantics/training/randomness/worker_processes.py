"""Which code runs in the worker processes of a loader, and what do the workers share?

    DataLoader(rows, num_workers=4, worker_init_fn=start)     # `worker_start_function`: each worker begins with `start`

Each worker is a copy of the process, with copies of its generators. PyTorch gives every worker another seed; a constant
seed in `worker_init_fn`, or a generator that the dataset keeps (`copied_generators`), undoes it. A generator that is
drawn from only where a sample could not be read, to try another one, does so no more than POSSIBLY, and so do all where
there are no workers by default (`are_started`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.blocks import is_any_line_in, lines_naming
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_expression
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.modes.shares import is_off
from mllint.semantics.training.randomness import seeds as seeds_domain
from mllint.semantics.values.classes import attribute, method
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import Origin, may_enter, origins, statements
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue, LiteralValue, PartialValue, Site, Value

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope

__all__ = [
    "CopiedGenerator", "are_started", "constant_seeds", "copied_generators", "is_for_evaluation", "is_run_per_sample",
    "only_seeds_streams", "seeds_with_constant", "worker_start_function",
]  # fmt: skip

_ENTRIES = ("__getitem__", "__iter__", "__call__", "__getitems__")
"""The methods by which a worker asks an object for samples."""
_GENERATORS = frozenset("RandomState default_rng Random Generator manual_seed".split())
_GENERATOR_CLASSES = ("numpy.random.RandomState", "numpy.random.Generator", "random.Random", "torch.Generator")


def worker_start_function(init: Value) -> tuple[FunctionScope, tuple[str, ...]] | None:
    """The function that each worker starts with, and its parameters that differ between them: the number of the worker,
    and neither what `partial` binds nor what has a default."""
    given = [v for v in init.alternatives if not (isinstance(v, LiteralValue) and v.value is None)]
    if len(given) != 1:
        return None
    init = given[0]  # also of `start if train else None`
    made = init.called if isinstance(init, PartialValue) else init
    if made.function is None:
        return None
    built = init.arguments.node if isinstance(init, PartialValue) else None
    bound = {k.arg for k in built.keywords} if built is not None else set()
    free = [p for p in made.function.parameters if p.name != "self"][len(built.args) - 1 if built is not None else 0 :]
    return made.function, tuple(
        p.name for at, p in enumerate(free) if p.name not in bound and (not at or not p.default)
    )


def are_started(workers: Argument) -> Answer[bool]:
    """Whether a loader that is given a number of workers has any; perhaps not where that is 0 unless somebody asks."""
    return proven_unless(is_off(workers.node, workers.frame), True, workers.site)


def only_seeds_streams(init: Argument, call: Call) -> bool:
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


def is_for_evaluation(call: Call) -> bool:
    """Is the sample one of evaluation data, by its class or by a branch? The same noise each time is wanted there."""
    owner = call.function.owner
    if owner is not None and roles.is_held_out_name(owner.name):
        return True
    first, last = call.node.lineno, call.node.end_lineno or call.node.lineno
    tests = []
    for node in walk(call.function.node):
        if isinstance(node, ast.If) and node.lineno < first:
            end = node.end_lineno or node.lineno
            if end >= last or isinstance(node.body[-1], ast.Return):
                tests.append(node.test)
    tested = (place(n) or getattr(n, "value", None) for test in tests for n in walk(test))
    return any(isinstance(s, str) and topics.is_about(s, Topic.PARTS) for s in tested)


def seeds_with_constant(call: Call, parameters: tuple[str, ...]) -> bool:
    """Does a call certainly seed a global stream, with something that depends on no parameter and no other call?"""
    given = [*call.node.args, *(k.value for k in call.node.keywords)]
    if (
        not given
        or not call.callees
        or any(topics.is_about(last_name(c.func), Topic.GENERATOR_STATE) for c in call.function.calls)
    ):
        return False
    if not all(_fixes_stream(f, call) for f in call.callees):
        return False
    seen = [o.node for o in origins(given[0], call.frame, through=_is_followed)]
    calls = any(isinstance(n, ast.Call) for node in seen if isinstance(node, ast.expr) for n in walk(node))
    calls = calls or any(
        isinstance(node, ast.Attribute) and _is_read_off_call_result(node, call.function) for node in seen
    )
    names = {n.id for n in seen if isinstance(n, ast.Name)}
    own = [p.name for p in call.function.parameters]
    counted = {place(n.target) for n in call.function.nodes_of(ast.AugAssign)}
    read = {place(n) for node in seen if isinstance(node, ast.expr) for n in walk(node)}
    return not calls and names.isdisjoint(parameters or own) and not counted & (read - {None})


def _is_followed(origin: Origin) -> bool:
    """Is it no attribute, which is taken for a setting, but for one of an object whose method a function has called?"""
    if not isinstance(origin.node, ast.Attribute):
        return True
    return origin.frame.caller is not None and (place(origin.node) or "").startswith("self.")


def constant_seeds(frame: Frame, parameters: tuple[str, ...], depth: int = 2) -> Iterator[Call]:
    """The calls by which a function, or what it calls, certainly seeds a global stream with a constant.

    Args:
        frame: that of the function.
        parameters: the parameters of the function that each worker starts with, which differ between them.
        depth: how many calls away one may be.
    """
    for node in frame.function.calls:
        call = Call(node, frame)
        if seeds_with_constant(call, parameters):
            yield call
            continue
        if not depth or not may_enter(node, frame):
            continue
        for inner in inner_frames(node, frame):
            yield from constant_seeds(inner, parameters, depth - 1)


def is_run_per_sample(function: FunctionScope, project: Project) -> bool:
    """Is it the method of a dataset that reads a sample, or a function that only such methods call, of none that is
    called by a part that is held out?"""
    if function.name == "__getitem__" and function.owner is not None:
        return True
    callers = [frame.function for _, frame in project.callers(function)] if not function.is_body else []
    owners = [f.owner.name for f in callers if f.name == "__getitem__" and f.owner is not None]
    return bool(callers) and len(owners) == len(callers) and not any(map(roles.is_held_out_name, owners))


def _is_read_off_call_result(node: ast.Attribute, function: FunctionScope) -> bool:
    """Is it read off what the same function got by a call, as `get_worker_info().seed`?"""
    base: Node = node.value
    while isinstance(base, ast.Attribute):
        base = base.value
    bound = function.bindings.get(base.id, ()) if isinstance(base, ast.Name) else ()
    return any(isinstance(b.value, ast.Call) for b in bound)


def _fixes_stream(function: FunctionScope, call: Call) -> bool:
    if function.stubbed:
        return effect_of(function, "seeds") is not None
    frame = call.project.frame(function)
    named = (c for c in function.calls if topics.is_about(last_name(c.func), Topic.SEEDS))
    seeds = [c for c in named if seeds_domain.streams_of(c, frame) - {"?"}]
    handed = {p.name for p in function.parameters}
    return any(place(a) in handed for c in seeds for a in c.args)


class CopiedGenerator(NamedTuple):
    """A generator of random numbers of which each worker gets an identical copy.

    Args:
        made: where it is made.
        name: the place that keeps it.
        draw: where a worker draws from it.
        answer: how well it is known that this does harm.
    """

    made: Site
    name: str
    draw: Site
    answer: Answer[bool]


def copied_generators(value: Value, project: Project, depth: int = 2) -> Iterator[CopiedGenerator]:
    """The generators that an object of the workers keeps from its construction on, or that its module keeps for it, or
    that an object keeps which it holds: the transform of a dataset.

    Args:
        value: the dataset, or what collates its samples.
        project: the project.
        depth: how many objects may hold one another.
    """
    if not isinstance(value, InstanceValue) or value.cls.module.is_stub:
        return
    cls = value.cls
    used = list(_runs_in_worker(cls))
    for name, node, function in _kept(cls):
        draw = next((n for m in used if name not in m.bindings for n in _loads(m, name)), None)
        if draw is None:
            continue
        if _is_generator(node, project.frame(function)):
            made, drawn = Site(cls.module, node), Site(cls.module, draw)
            yield CopiedGenerator(made, name, drawn, proven_unless(_is_for_another_try(drawn), True, made, drawn))
        elif depth and name.startswith("self."):
            held = attribute(value, name.partition(".")[2], project.frame(function))
            for inner in held.alternatives:
                yield from copied_generators(inner, project, depth - 1)


def _kept(cls: ClassScope) -> Iterator[tuple[str, Node, FunctionScope]]:
    """The places that keep a value for all samples, the value, and the function that makes it: attributes that only the
    constructor binds, attributes of the class, and global names that are bound once."""
    init, body = cls.methods.get("__init__"), cls.module.body
    if init is not None:
        for name, bindings in init.bindings.items():
            if name.startswith("self.") and sum(name in m.bindings for m in cls.methods.values()) == 1:
                yield name, bound_expression(bindings[-1]), init
    for name, bindings in cls.bindings.items():
        if len(bindings) == 1 and not any(f"self.{name}" in m.bindings for m in cls.methods.values()):
            yield f"self.{name}", bindings[0].value, body
    for name, bindings in body.bindings.items():
        if len(bindings) == 1:
            yield name, bindings[0].value, body


def _is_for_another_try(draw: Site) -> bool:
    """Is it drawn from only to read another sample where one could not be read: in a handler, or in a `while True`?"""
    blocks = [n for n in walk(draw.module.body.node) if isinstance(n, (ast.While, ast.ExceptHandler))]
    retries = [b for b in blocks if not isinstance(b, ast.While) or getattr(b.test, "value", None) is True]
    around = ([n for s in b.body for n in walk(s)] for b in retries)
    return any(any(n is draw.node for n in b) and not any(isinstance(n, ast.Yield) for n in b) for b in around)


def _is_generator(node: Node, frame: Frame) -> bool:
    """Does a node construct a generator of random numbers?"""
    if not isinstance(node, ast.Call) or last_name(node.func) not in _GENERATORS:
        return False
    return Origin(node, frame).value.instance_of(*_GENERATOR_CLASSES)


def _runs_in_worker(cls: ClassScope) -> Iterator[FunctionScope]:
    """The methods that a worker runs: the entry points, and what they call on `self`, those of bases as well."""
    queue = [m for n in _ENTRIES if (m := method(cls, n)) is not None and not m.stubbed]
    seen = {m.name for m in queue}
    while queue:
        current = queue.pop()
        yield current
        for call in current.calls:
            own = method(cls, last_name(call.func))
            if own is None or own.stubbed:
                continue
            if own.name not in seen and (place(call.func) or "").startswith("self."):
                seen.add(own.name)
                queue.append(own)


def _loads(function: FunctionScope, name: str) -> Iterator[Node]:
    """The nodes by which a function names a place."""
    last = name.rpartition(".")[2]
    lines = lines_naming(last, function.module)
    for statement in (s for s in statements(function) if is_any_line_in(lines, s)):
        yield from (n for n in walk(statement) if last_name(n) == last and place(n) == name)
