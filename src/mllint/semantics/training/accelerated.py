"""Has accelerate prepared what a loop trains with?

    model, loader = accelerator.prepare(model, loader)
    for x, y in loader:
        with accelerator.accumulate(model):
            accelerator.backward(loss(model(x), y))
            optimizer.step()                          # `unprepared`: steps with every micro-batch

What is prepared stands for what was handed in, and is recognised by the place where it was built, also where a helper
prepares it. A prepared optimizer skips the steps between two windows of accumulation and divides by the scale of half
precision; a prepared loader gives each process rows of its own; a prepared model exchanges its gradients; a prepared
schedule waits for its optimizer, and any other is advanced with each call.

Where anything is prepared of which it is not known where it was built, it may be any of them, and nothing is said: but
what is built after everything was prepared, and what comes back is a loader if something is drawn from it. A loader
with a sampler of its own may share the rows out by itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.flow import Event, Flow, LoopRun, share_identities
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, Creates, Forward
from mllint.semantics.flow.subjects import reach
from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import ACCELERATOR, LOADER, MODULE, OPTIMIZER
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, all_arguments, is_within, iterable_of, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.gradients.accumulation import runs_backward
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import flattened_alternatives
from mllint.semantics.values.lineage import Origin, statements
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue, Value

__all__ = ["Unprepared", "find_awaited_step", "unprepared"]

_PREPARING = ("prepare", "prepare_model", "prepare_optimizer", "prepare_data_loader")

_OF_MODULES = ("parameters", "named_parameters", "eval")
"""Methods that models have, and neither optimizers nor loaders."""


class Unprepared(NamedTuple):
    """What is used together with a backward of accelerate without being prepared.

    Attributes:
        kind: "optimizer", "loader" or "model".
        site: where it is used.
        built: where it was built.
        backward: the backward.
    """

    kind: str
    site: Site
    built: Site
    backward: Event


def unprepared(flow: Flow) -> Iterator[Unprepared]:
    """What a flow trains with and has not prepared, each thing once."""
    backwards = [b for b in flow.events(AccumulatesGrad) if b.call is not None and _is_accelerated(b)]
    prepared = _prepared(flow.frame.project) if backwards else None
    if prepared is None:
        return
    seen: set[int] = set()
    for backward in backwards:
        for kind, site, value in (*_stepped(flow, backward), *_drawn(backward), *_run(flow, backward)):
            sites = [v.site for v in value.alternatives]
            built = next((s for s in sites if s is not None), None)
            if built is None or any(s is None or prepared.has_built(s) for s in sites):
                continue
            if any(prepared.may_hold(s, _around(s), kind) for s in sites if s) and not _is_built_later(flow, built):
                continue
            if id(built.node) not in seen:
                seen.add(id(built.node))
                yield Unprepared(kind, site, built, backward)


def find_awaited_step(flow: Flow, tick: Event, schedule: Value) -> Event | None:
    """The step of a prepared optimizer, which waits for the end of a window of accumulation, beside a schedule that is
    not prepared, and does not wait for it.

    Args:
        flow: the flow.
        tick: where the schedule is advanced.
        schedule: the schedule.
    """
    backwards = [b for b in flow.events(AccumulatesGrad) if b.loops == tick.loops and _is_accumulated(b)]
    prepared = _prepared(flow.frame.project) if backwards else None
    built = schedule.site
    if prepared is None or built is None or prepared.may_hold(built, _around(built), "schedule"):
        return None
    if any(_asks_accelerator(test, frame) for test, _, frame in tick.conditions_in(tick.loops[-1])):
        return None
    steps = (s for s in flow.events(AppliesGrad) if s.loops == tick.loops)
    return next((s for s in steps if s.subject.site is not None and id(s.subject.site.node) in prepared.built), None)


def _asks_accelerator(test: Node, frame: Frame) -> bool:
    """Does a test ask an accelerator: `accelerator.sync_gradients`?"""
    asked = (n.value for n in walk(test) if isinstance(n, ast.Attribute))
    return any(evaluate(base, frame).instance_of(ACCELERATOR) for base in asked)


def _is_accumulated(backward: Event) -> bool:
    """Does an accelerator accumulate the gradients of a backward, over more steps than one?"""
    engine = runs_backward(backward) if backward.call is not None else None
    if engine is None or not engine.instance_of(ACCELERATOR):
        return False
    steps = constructor_argument(engine, "gradient_accumulation_steps")
    return steps is not None and steps.literal != 1 and bool(backward.frame.project.calls_named("accumulate"))


def _is_accelerated(backward: Event) -> bool:
    engine = runs_backward(backward)
    return engine is not None and engine.instance_of(ACCELERATOR)


class _Prepared(NamedTuple):
    """The calls that built what is prepared, and the functions in which something is unknown, with its kind as far as
    that is known; None in their place if it may be anything."""

    built: frozenset[int]
    unknown: frozenset[tuple[int, str | None]] | None

    def has_built(self, site: Site) -> bool:
        """Does it hold what was built at a place?"""
        return id(site.node) in self.built

    def may_hold(self, site: Site, around: FunctionScope | None, kind: str) -> bool:
        """May it hold what was built at a place in a function? A name that is not known is no other thing there, and
        a model is no optimizer."""
        if self.has_built(site) or self.unknown is None:
            return True
        return any(function != id(around) and of in (None, kind) for function, of in self.unknown)


@cached()
def _preparing(project: Project) -> list[Call]:
    """The calls that prepare anything anywhere in a project."""
    found = [c for name in _PREPARING for c in project.calls_named(name)]
    calls = [Call(node, project.frame(f)) for node, scope in found if (f := function_of(scope)) is not None]
    return [c for c in calls if c.receiver is not None and c.receiver.instance_of(ACCELERATOR)]


def _is_built_later(flow: Flow, built: Site) -> bool:
    """Is something built below everything that is prepared, in the function that prepares or in a call of it, and in
    no loop around both?"""
    created = [e for e in flow.events(Creates) if e.call is built.node]
    return bool(created) and all(_is_below(call, event) for event in created for call in _preparing(flow.frame.project))


def _is_below(call: Call, event: Event) -> bool:
    """Does an event come after a call in the same function, as the lines stand?"""
    frame, node = event.frame, event.call
    while frame.function is not call.function and frame.caller is not None:
        frame, node = frame.caller
    loops = [run.node for run in frame.function.loops if is_within(call.node, run.node)]
    return frame.function is call.function and node.lineno > call.node.lineno and not loops


@cached()
def _prepared(project: Project) -> _Prepared | None:
    """What is prepared anywhere in a project; None if nothing is."""
    built: set[int] = set()
    unknown: set[tuple[int, str | None]] = set()
    calls = _preparing(project)
    for call in calls:
        given = [a for a in call.arguments if a.parameter != "device_placement"] if not call.is_statement else []
        for argument, origin in ((a, o) for a in given for o in _argument_origins(a)):
            sites = [v.site for v in flattened_alternatives(origin.value)]
            built |= {id(s.node) for s in sites if s is not None}
            if not sites or None in sites:
                unknown.add((id(origin.frame.function), _kind(origin, argument)))
    return _Prepared(frozenset(built), None if any(c.is_open for c in calls) else frozenset(unknown)) if calls else None


def _kind(origin: Origin, given: Argument) -> str | None:
    """What an argument is that is not known: "optimizer", "loader" or "model", as all that it may be is, as far as that
    is known, or as its methods say, where it comes from too; None if nothing does."""
    known = [v for v in flattened_alternatives(origin.value) if isinstance(v, InstanceValue)]
    kinds = {"optimizer": OPTIMIZER, "loader": LOADER, "model": MODULE}
    found = next((k for k, name in kinds.items() if known and all(v.instance_of(name) for v in known)), None)
    if found is None and _is_drawn_from(_returned_for(given), given.frame):
        return "loader"
    named = ((place(given.node), given.function), (place(origin.node), origin.frame.function))
    return found or ("model" if any(name is not None and _has_module_method(name, f) for name, f in named) else None)


def _has_module_method(name: str, function: FunctionScope) -> bool:
    """Does a function call a method of something that models have, and neither optimizers nor loaders?"""
    return any(place(c.func) in {f"{name}.{method}" for method in _OF_MODULES} for c in function.calls)


def _returned_for(given: Argument) -> str | None:
    """The name that what was prepared of an argument is bound to: `net, rows = accelerator.prepare(net, rows)`."""
    arguments = given.call.node.args
    for statement in statements(given.function):
        if isinstance(statement, ast.Assign) and statement.value is given.call.node and not given.call.is_open:
            target = statement.targets[0]
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            pairs = zip(arguments, names, strict=False) if len(arguments) == len(names) else ()
            return next((place(name) for argument, name in pairs if argument is given.node), None)
    return None


def _is_drawn_from(name: str | None, frame: Frame, calls: int = 1) -> bool:
    """Does a function go through what a name is bound to, or hand it to a function that does?"""
    drawn = [n.iter for n in frame.function.nodes_of(ast.For)]
    drawn += [n.iter for n in frame.function.nodes_of(ast.comprehension)]
    if name is None or any(place(iterable_of(node)) == name for node in drawn):
        return name is not None
    for node in frame.function.calls if calls else ():
        if any(place(a) == name for a in all_arguments(node)):
            for inner in inner_frames(node, frame):
                handed = [p for p, n in (inner.bound or {}).items() if isinstance(n, Passed) and place(n.node) == name]
                if any(_is_drawn_from(p, inner, calls - 1) for p in handed):
                    return True
    return False


def _argument_origins(argument: Argument) -> list[Origin]:
    """An argument, or what the callers of its function give where it is a parameter that is handed on."""
    node, function = argument.node, argument.function
    bound = bound_at(node, function) if isinstance(node, ast.Name) else ()
    callers = argument.project.callers(function) if [b.kind for b in bound] == ["param"] else []
    given = [bind(function, call, outer)[0].get(bound[0].name) for call, outer in callers]
    handed = [Origin(*found) for found in given if isinstance(found, Passed)]
    return handed if handed and len(handed) == len(given) else [Origin(node, argument.frame)]


def _around(site: Site) -> FunctionScope | None:
    """The function in which something is written."""
    return next((f for f in site.module.functions if any(call is site.node for call in f.calls)), None)


def _stepped(flow: Flow, backward: Event) -> Iterator[tuple[str, Site, Value]]:
    """The optimizers that step after a backward."""
    for step in flow.events(AppliesGrad):
        known = all(isinstance(v, InstanceValue) and v.instance_of(OPTIMIZER) for v in step.subject.alternatives)
        if known and flow.path(backward, to=step, back=False):
            yield "optimizer", step.site, step.subject


def _drawn(backward: Event) -> Iterator[tuple[str, Site, Value]]:
    """The loader that the loop around a backward draws from, if it shuffles and has no sampler of its own."""
    run: LoopRun | None = backward.in_loop("batch")
    if run is None or not isinstance(run.node, ast.For):
        return
    source: Node = iterable_of(run.node.iter)
    loader = evaluate(source, run.frame)
    if all(v.instance_of(LOADER) and _shuffles(v) for v in loader.alternatives):
        yield "loader", Site(run.frame.module, source), loader


def _shuffles(loader: Value) -> bool:
    shuffle = constructor_argument(loader, "shuffle")
    given = [constructor_argument(loader, name) for name in ("sampler", "batch_sampler")]
    return shuffle is not None and shuffle.truth is True and given == [None, None]


def _run(flow: Flow, backward: Event) -> Iterator[tuple[str, Site, Value]]:
    """The models that are run for a backward, and that an optimizer after it holds."""
    for _, _, optimizer in _stepped(flow, backward):
        held = reach(optimizer, backward.frame)[0]
        for forward in flow.events(Forward):
            model = forward.subject
            known = all(isinstance(v, InstanceValue) and v.instance_of(MODULE) for v in model.alternatives)
            if known and forward.loops == backward.loops and share_identities(held, model.identities, flow.frame):
                yield "model", forward.site, model
