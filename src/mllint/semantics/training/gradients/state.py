"""What is in `.grad` of the parameters that this step applies: clean, filled, used; and because of what?

    for x, y in loader:
        loss = criterion(net(x), y)
        loss.backward()            # FILLED, on top of what is there: USED, from the second iteration on
        clip_grad_norm_(...)       # FILLED, clipped
        optimizer.step()           # USED
                                   # nothing clears: `find_backward_used_again` is the backward

The lattice is CLEAN, FILLED (by some backwards), USED and unknown, for the parameters of one step. Clearing makes
CLEAN, a backward that concerns the parameters adds to whatever is there, a step makes USED, an assignment to `.grad`
replaces. The state differs from path to path, so nothing is computed ahead: each question is a search for a path on
which the harm happens. Accumulation, several optimizers, GANs and closures therefore need no cases of their own.

Whose gradients are they? An event is *for* a step if both concern the same parameters, or if that is unknown and
there is no other optimizer (`is_for`).

What makes it unknown: a call of something unknown that gets hold of the optimizer or the parameters may clear, fill or
replace the gradients, so a path that meets one proves nothing. It is no such call if it only computes: if its result
is part of what is differentiated or compared afterwards, and its name is no verb of an update.

What is deliberately not here: the scale of gradients (`precision`), and whether a backward reaches any parameter at all
(`graphs`).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.events import handed_in
from mllint.semantics.flow.flow import Identities, is_inside, share_identities
from mllint.semantics.flow.kinds import (
    AccumulatesGrad,
    AppliesGrad,
    ClearsGrad,
    Creates,
    OwnsLoop,
    SetsGrad,
    Unknown,
)
from mllint.semantics.flow.searches import concerning, sources
from mllint.semantics.flow.subjects import reach
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import OPTIMIZER
from mllint.semantics.syntax.blocks import parts_on
from mllint.semantics.syntax.caches import Cache, cached
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, is_within, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.words import words
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.gradients.branches import in_other_branches, is_left_to_setting
from mllint.semantics.training.gradients.by_hand import is_gradient, is_read_elsewhere, rewrites_gradient
from mllint.semantics.training.gradients.computing import computes_loss_term
from mllint.semantics.training.hidden_calls import may_run_hidden
from mllint.semantics.training.iterations import is_bound_anew, is_built_in
from mllint.semantics.values.classes import is_abstract_method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import origins
from mllint.semantics.values.values import TensorValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mllint.semantics.flow.flow import Event, Flow, LoopRun
    from mllint.semantics.syntax.records import Kind
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project
    from mllint.semantics.values.values import Value

__all__ = [
    "changes_of", "clears_part_only", "fills_of", "find_backward_used_again", "is_alone", "is_called_with",
    "is_cleared_for", "is_endless", "is_for", "is_given_from_outside", "is_one_update", "is_read_elsewhere",
    "is_starved", "is_wasted", "may_be_set_by_sibling", "name_of_unknown_receiver", "optimizer_of", "takes_closure",
    "zeroes_same",
]  # fmt: skip

_ALONE: Cache[None, bool] = Cache()
_FILLING = (AccumulatesGrad, SetsGrad, OwnsLoop, AppliesGrad, Unknown)
_WANTED: Cache[None, bool] = Cache()
_HELD: Cache[None, Identities] = Cache()
_BACKWARD = frozenset(("backward", "manual_backward"))
_GRADIENT = frozenset(("grad",))
_SETTING = frozenset(("grad", "_grad", "setattr", "all_reduce"))
_SCALING = frozenset(  # what is zero stays zero
    "clamp_ clamp_min_ clamp_max_ clip_ mul_ multiply_ div_ divide_ zero_ detach_ requires_grad_ nan_to_num_".split()
)
_SHOWING = frozenset("print len float str repr isinstance type abs max min sum norm".split())


# --------------------------------------------------------------------------------------------------------------- whose
def is_for(flow: Flow, event: Event, step: Event) -> bool:
    """Whether the gradients of an event are certainly those of a step: its own parameters, or nobody else's.

    Args:
        flow: the flow of both.
        event: a backward, a clear, a clip ...
        step: the step.
    """
    concerned = event.concerns(step)
    return concerned or (concerned is None and (is_alone(flow) or _builds_for_itself(flow, event, step)))


def is_alone(flow: Flow) -> bool:
    """Whether all steps of a flow are of one optimizer."""

    def alone() -> bool:
        steps = flow.events(AppliesGrad)
        first = next(steps, None)
        return first is None or all(step.subject.same_as(first.subject) for step in steps)

    return _ALONE.answer(flow.entry, None, alone, meanwhile=False)


def is_one_update(*events: Event) -> bool:
    """Whether some events stand one below the other in a function without a loop around them, under no test."""
    first, lines = events[0], [e.site.line for e in events]
    if first.function.is_body or any(e.frame is not first.frame or e.loops for e in events):
        return False
    return lines == sorted(set(lines)) and not any(e.conditions for e in events)


def optimizer_of(step: Event, clear: Event) -> Answer[Value]:
    """The optimizer that steps, and whether anything but its name says that it is one."""
    used = step.option != "named" or zeroes_same(clear, step)
    return Answer(step.subject, Evidence.PROVEN if used else Evidence.NAMED, (step.site,))


def zeroes_same(clear: Event, step: Event) -> bool:
    """Whether a clear is the `zero_grad` of the very thing that steps, be it called in another file or by an object
    that keeps it. So that is an optimizer, whatever it is called."""
    func = clear.call.func if isinstance(clear.call, ast.Call) else None
    return last_name(func) == "zero_grad" and clear.subject.same_as(step.subject) is True


def is_called_with(clear: Event, step: Event) -> bool:
    """Whether a clear stands in the function of a step, or in one that this calls."""
    return is_inside(clear.frame, step.frame)


def _builds_for_itself(flow: Flow, event: Event, step: Event) -> bool:
    """Is one function called several times, which builds its optimizer and steps it, and nothing else stepped?"""
    if event.frame is not step.frame or not _is_only_call(flow, step):
        return False
    return any(e.frame is step.frame for e in concerning(flow, step, Creates))


def _is_only_call(flow: Flow, step: Event) -> bool:
    """Are all steps of a flow made by one call?"""
    return step.call is not None and all(other.call is step.call for other in flow.events(AppliesGrad))


def is_cleared_for(flow: Flow, clear: Event, step: Event) -> bool:
    """Whether a clear is for a step: of what it moves, or in the same block as the step of the only optimizer, or as
    the call of a function in which it stands."""
    concerned = clear.concerns(step)
    near = clear.conditions == step.conditions and clear.loops == step.loops
    near = near and (is_inside(clear.frame, step.frame) or is_inside(step.frame, clear.frame))
    return concerned or (concerned is None and near and is_alone(flow))


def name_of_unknown_receiver(event: Event) -> str:
    """The name of what a method is called on, if it is a parameter of a function without a known caller, a name that a
    script never binds, or an attribute for which the constructor was given such; else empty."""
    func = event.call.func if isinstance(event.call, ast.Call) else None
    node, frame = func.value if isinstance(func, ast.Attribute) else None, event.frame
    if isinstance(node, ast.Attribute):
        node, frame = handed_in(node, frame) or (None, frame)
    return node.id if isinstance(node, ast.Name) and _comes_from_outside(node.id, frame) else ""


def is_given_from_outside(name: str, event: Event) -> bool:
    """Is a name a parameter of a function without a known caller, or one that a script never binds? A caller that
    hands its own parameter on counts as nobody."""
    return _comes_from_outside(name, event.frame)


def _comes_from_outside(name: str, frame: Frame) -> bool:
    if frame.function.is_body:
        return not frame.function.bindings.get(name, ()) and not frame.module.stars
    while frame.function.parameter(name) is not None and len(frame.function.bindings.get(name, ())) == 1:
        if frame.caller is None:
            return True
        given = (frame.bound or {}).get(name)
        node = given.node if isinstance(given, Passed) else None
        if not isinstance(node, ast.Name):
            return False
        name, frame = node.id, frame.caller[0]
    return False


# ------------------------------------------------------------------------------------------------------------- changes
def changes_of(step: Event) -> tuple[Callable[[Event], bool], ...]:
    """What may clear or replace the gradients of a step: for `avoiding=` of a path."""
    clears, sets = ClearsGrad.concerning(step), SetsGrad.concerning(step)
    return (
        lambda event: clears.matches(event) and not computes_loss_term(event),
        lambda event: sets.matches(event) and not computes_loss_term(event),
        lambda event: event.kind == "creates" and event.subject.same_as(step.subject) is True,
    )


def fills_of(flow: Flow, step: Event) -> Iterator[Event]:
    """What may fill the gradients of a step: backwards, assignments to `.grad`, steps that are given a loss, and
    unknown calls with the parameters."""
    return (event for event in flow.events(*_FILLING) if _fills(event, flow, step))


def _fills(event: Event, flow: Flow, step: Event) -> bool:
    """May an event of one of these kinds fill the gradients of a step?"""
    if event.kind == "applies_grad":
        return event is not step and _runs_own_backward(event)
    if event.kind == "unknown":
        near = event.loops[: len(step.loops)] == step.loops
        return near and (event.holds(step) or event.option == "backward") and not computes_loss_term(event)
    if rewrites_gradient(event.site.node):
        return False
    # gradients that no optimizer is known to want may be for this one after all
    return event.concerns(step) is not False or not _is_wanted(event, flow)


def _is_wanted(event: Event, flow: Flow) -> bool:
    """Does any step apply the gradients of an event?"""

    def wanted() -> bool:
        abouts, held = event.abouts(), _held_by_steps(flow)
        if not any(a.reached.meets(held) or not held.ids.isdisjoint(a.value.identities) for a in abouts):
            return False
        return any(event.concerns(step) for step in flow.events(AppliesGrad))

    return _WANTED.answer(event, None, wanted, meanwhile=False)


def _held_by_steps(flow: Flow) -> Identities:
    """What the steps of a flow are about, all of them together."""

    def held() -> Identities:
        abouts = [step.abouts()[0] for step in flow.events(AppliesGrad)]
        return Identities((i for a in abouts for i in a.reached.ids | a.value.identities), flow.frame)

    return _HELD.answer(flow.entry, None, held, meanwhile=Identities((), flow.frame))


def takes_closure(step: Event) -> bool:
    """Whether something else than an optimizer is given to a step: a closure, or the loss; not `closure=None`."""
    given = Call(step.call, step.frame).arguments if step.call is not None else ()
    values = (argument.value for argument in given if getattr(argument.node, "value", argument) is not None)
    return any(not value.instance_of(OPTIMIZER) for value in values)


def _runs_own_backward(step: Event) -> bool:
    """Is an optimizer of the project given something that it may run a backward of?"""
    receiver = Call(step.call, step.frame).receiver if step.call is not None else None
    return receiver is not None and any(not c.module.is_stub for c in receiver.classes) and takes_closure(step)


def is_endless(clip: Event) -> bool:
    """Whether the bound of a clip is infinite, so that the norm is only measured."""
    given = (o for a in Call(clip.call, clip.frame).arguments for o in origins(a.node, a.frame))
    return any(_is_infinite(n) for o in given for n in walk(o.node))


def _is_infinite(node: Node) -> bool:
    written = node.value if isinstance(node, ast.Constant) else node.attr if isinstance(node, ast.Attribute) else ""
    if isinstance(written, str):
        return written.lower().lstrip("+") in ("inf", "infty", "infinity")
    return written == float("inf")


# -------------------------------------------------------------------------------------------------------------- states
def find_backward_used_again(flow: Flow, step: Event) -> Event | None:
    """The backward that adds to gradients which a step has USED already, and which it applies again; None if none, or
    if a call that is not written as one, or a setting, may clear them.

    Args:
        flow: the flow.
        step: the step that uses them first.
    """
    again = _find_backward_after(flow, step)
    if again is None or may_run_hidden(flow, step, ClearsGrad):
        return None
    clears = (clear for clear in flow.events(ClearsGrad) if clear.concerns(step) is not False)
    return None if any(is_left_to_setting(clear, step) for clear in clears) else again


def _find_backward_after(flow: Flow, step: Event) -> Event | None:
    """The same, by the calls that are written."""
    changed = changes_of(step)
    near = sources(flow, step, AccumulatesGrad, avoiding=(*changed, AppliesGrad), back=False)
    for own in sorted(near, key=lambda event: event.index):  # preferably the backward that belongs to the step
        way = flow.path(step, to=own, avoiding=changed) if is_for(flow, own, step) else None
        if way is not None and not _is_drawn_by(step, way.rounds):
            return own
    checked: set[Event] = set()

    def is_left(event: Event) -> bool:
        return event.kind == "accumulates_grad" and event not in checked and is_for(flow, event, step)

    any_may_be = is_alone(flow) or _is_only_call(flow, step)  # else only those for which something speaks
    own_ones = [] if any_may_be else list(concerning(flow, step, AccumulatesGrad))
    while any_may_be or len(checked) < len(own_ones):
        again = flow.path(step, to=is_left if any_may_be else [b for b in own_ones if is_left(b)], avoiding=changed)
        if again is None:
            return None
        if not _is_drawn_by(step, again.rounds) and flow.path(again.end, to=step, avoiding=changed):
            return again.end
        checked.add(again.end)
    return None


def _is_drawn_by(step: Event, runs: tuple[LoopRun, ...]) -> bool:
    """Is the next iteration of one of some loops about another optimizer: `for i in ...: optimizers[i].step()`? One
    that is built there may be for the same parameters."""
    return any(is_bound_anew(step, run) and not is_built_in(step.subject, run) for run in runs)


def is_starved(flow: Flow, step: Event) -> bool:
    """Whether a step always finds its gradients CLEAN: each path from what may fill them is cleared on the way."""
    clears = ClearsGrad.concerning(step)
    steps = list(flow.events(AppliesGrad))

    def is_cleared(event: Event) -> bool:
        if not clears.matches(event) or (
            event.kind == "clears_grad" and event.call is None and not event.concerns(step)
        ):
            return False  # `p.grad = None` by hand clears for certain what it is known to concern
        if event.kind == "clears_grad" and event.concerns(step) is None:
            return not any(s.concerns(event) is True and s.concerns(step) is not True for s in steps)
        return True

    return not any(_fills(event, flow, step) for event in sources(flow, step, *_FILLING, avoiding=is_cleared))


def is_wasted(flow: Flow, backward: Event, clear: Event, step: Event) -> bool:
    """Whether a clear throws away what a backward has filled, so that a step which always follows finds nothing.

    Args:
        flow: the flow.
        backward: what fills the gradients.
        clear: what clears them afterwards.
        step: the step that comes after the clear.
    """
    if not is_for(flow, backward, step) and not (backward.concerns(step) is None and is_starved(flow, step)):
        return False
    if may_be_set_by_sibling(clear) and not _is_next(clear, step):
        return False
    if flow.path(clear, to=step, avoiding=_fills_again(backward, clear, step), back=False) is None:
        return False
    if is_read_elsewhere(backward.function) and flow.path(clear, to=SetsGrad, avoiding=step, back=False):
        return False  # put aside, and put back by names or one by one
    again = (b for b in flow.events(AccumulatesGrad) if b.site == backward.site)  # in another call: a rehearsal
    return not any(flow.path(b, to=step, avoiding=_same_call(clear), back=False) for b in again)


def _fills_again(backward: Event, clear: Event, step: Event) -> tuple[Kind, Callable[[Event], bool]]:
    """What may give a step gradients in place of those of a backward that were cleared: unknown calls with its
    parameters, gradients set by hand, and other backwards, but not one of other parameters of the same optimizer."""
    lost, perhaps = _parameters_filled(backward, step), AccumulatesGrad.concerning(step)
    apart = bool(lost) and _parameters_filled(backward, clear) >= lost and not is_read_elsewhere(backward.function)

    def fills(event: Event) -> bool:
        if event.kind != "accumulates_grad":
            return perhaps.matches(event)
        other = _parameters_filled(event, step) if apart else set()
        return not other or share_identities(lost, other, step.frame)

    return (SetsGrad, fills)


def _parameters_filled(backward: Event, step: Event) -> set[int]:
    """The identities behind the parameters of a step, or of a clear, that a backward fills; empty where not all of
    them are known."""
    loss, frame = backward.subject, step.frame
    if not isinstance(loss, TensorValue) or loss.opaque:
        return set()
    moved, owners = reach(step.subject, frame)[0] - {0}, frame.project.owners
    return {i for i in loss.all_graph if i in moved or not moved.isdisjoint(owners(i))}


def _is_next(clear: Event, step: Event) -> bool:
    """Whether a step is the next thing that is called after a clear, so that nothing can set gradients in between."""
    first, last = clear.call, step.call
    if clear.frame is not step.frame or clear.loops != step.loops or first is None or last is None:
        return False
    if [id(test) for test, _, _ in clear.conditions] != [id(test) for test, _, _ in step.conditions]:
        return False
    start, end = (first.end_lineno, first.end_col_offset), (last.lineno, last.col_offset)
    return start < end and not any(start <= (c.lineno, c.col_offset) < end for c in step.function.calls)


def clears_part_only(clear: Event, step: Event) -> bool:
    """Whether a part of a model is cleared, while the step applies the whole, so that it moves the other part alone."""
    func = clear.call.func if isinstance(clear.call, ast.Call) else None
    cleared = func.value if isinstance(func, ast.Attribute) else None
    if not isinstance(cleared, ast.Attribute) or evaluate(cleared, clear.frame).same_as(step.subject):
        return False  # a network that keeps its own optimizer, `self.optimizer.zero_grad()`, clears all of it
    if clear.frame is step.frame and place(cleared) == _stepped_place(step):
        return False  # whichever of several optimizers it is
    held = reach(step.subject, step.frame)[0] - {0}
    return bool(held.intersection(evaluate(cleared.value, clear.frame).identities))


def _stepped_place(step: Event) -> str | None:
    """The place of the optimizer that steps: `self.optimizer` of `self.optimizer.step()`, of `scaler.step(...)`."""
    call = step.call
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    return place(call.args[0] if call.args else call.func.value)


def _same_call(event: Event) -> Callable[[Event], bool]:
    """A test of events of one call: it has an event for each of the things that its receiver may be."""
    return lambda other: other.kind == event.kind and other.call is event.call and other.frame is event.frame


# -------------------------------------------------------------------------------------------------- gradients by hand
@cached()
def may_be_set_by_sibling(event: Event) -> bool:
    """Whether something that is called in the same loop as an event may run a backward, or put gradients in place:

    a function of the project that reads or sets gradients, where the project sets any, or a call of something unknown
    that has the name of a function of the project which runs a backward, or is named for one.
    """
    around = event.loops[-1].node if event.loops and event.loops[-1].frame is event.frame else event.function.node
    first, last = getattr(around, "lineno", 0), getattr(around, "end_lineno", 0) or 1 << 30
    skipped = in_other_branches(event, [around])
    calls = [c for c in event.function.calls if first <= c.lineno <= last and id(c) not in skipped]
    names = {last_name(c.func) for c in calls} - {"", "step", "zero_grad", "backward"}
    project = event.frame.project
    if _setters(project):
        own = (f for m in project.modules for f in m.functions if f.name in names and f is not event.function)
        own = (f for f in own if f.module.source is None or f.module.source.mentions(_GRADIENT))
        if any(is_gradient(node) for f in own for node in walk(f.node)):
            return True
    running, hidden = project.reach.functions(_BACKWARD), _filling_names(project)
    for call in calls:
        name = last_name(call.func)
        if name in hidden & names or ("backward" in words(name) and name not in _BACKWARD):
            entered = Call(call, event.frame).callees
            if not entered or any(is_abstract_method(f) or id(f) not in running for f in entered if not f.stubbed):
                return True
    return False


@cached()
def _setters(project: Project) -> list[FunctionScope]:
    """The functions of a project in which gradients may be set, those around them and the bodies of files included."""
    found: list[FunctionScope] = []
    for module in project.modules:
        if module.source is None or module.source.mentions(_SETTING):
            parts = parts_on(module.source.lines_naming(*_SETTING), module.tree) if module.source else [module.tree]
            nodes = [node for part in parts for node in walk(part) if _sets_gradient(node)]
            found += [f for f in module.functions if nodes and (f.is_body or any(is_within(n, f.node) for n in nodes))]
    return found


@cached()
def _filling_names(project: Project) -> frozenset[str]:
    """The names of the functions of a project that may run a backward, or set gradients."""
    running = project.reach.functions(_BACKWARD)
    fills = (f for m in project.modules for f in m.functions if id(f) in running)
    return frozenset(f.name for f in (*fills, *_setters(project)))


def _sets_gradient(node: Node) -> bool:
    """Is a gradient assigned, changed in place, or given to something that may change it?"""
    if isinstance(node, ast.Attribute):
        return node.attr in ("grad", "_grad") and not isinstance(node.ctx, ast.Load)
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
        return node.func.attr not in _SCALING and any(is_gradient(n) for n in walk(node.func.value))
    name = last_name(node.func)
    plain = isinstance(node.func, ast.Name) and name not in _SHOWING
    return name in ("setattr", "all_reduce") or (plain and any(is_gradient(a) for a in node.args))
