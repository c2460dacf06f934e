"""In which order do things happen? The event graph of one root function, and the one question asked of it.

An Event is a call (or an assignment) that the vocabulary has a word for: gradients are cleared, accumulated, applied; a
mode is set; a schedule ticks; an estimator is fitted. The graph holds the events in execution order with the functions
they happen in inlined into their callers. `path(a, to=b, avoiding=c)` asks for a way from one event to another.

Edges carry what a branch assumed. A path that needs an assumption and its negation does not exist; assumptions about
names that a loop rebinds are dropped on the way back to its head. Loops are assumed to run at least once. An exception
is no way for an accusation to go: edges into handlers are not followed unless asked for.

What is deliberately not here: what the events mean to a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from mllint.semantics.flow.path_conditions import PathConditions
from mllint.semantics.flow.reaching import may_reach
from mllint.semantics.flow.subjects import objects, reach
from mllint.semantics.syntax.caches import CUTS, Holder
from mllint.semantics.syntax.deadline import DEADLINE
from mllint.semantics.syntax.nodes import Node
from mllint.semantics.syntax.records import EdgeTag, EventKind, Kind, LoopRole, Matcher, Path, PathCondition
from mllint.semantics.syntax.sites import text
from mllint.semantics.values.arguments import bind, value_of_bound
from mllint.semantics.values.calls import targets
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.values import UNKNOWN, Site, Value

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope, FunctionScope
    from mllint.semantics.syntax.nodes import Constant
    from mllint.semantics.values.frames import Frame

__all__ = [
    "STEPS", "STEPS_PER_FUEL", "About", "Edge", "EdgeTag", "Event", "EventKind", "Flow", "Identities", "Kind",
    "LoopRole", "LoopRun", "Matcher", "Matching", "Option", "Path", "PathCondition", "Search",
    "is_inside", "predicate", "share_identities",
]  # fmt: skip

Matching: TypeAlias = "Kind | Matcher | Event | Callable[[Event], bool] | tuple[Matching, ...] | list[Event] | None"
"""Which events are meant: those of a kind, those that match, one, those of which a predicate is true, those that one
of several means, those listed, or none."""
Option: TypeAlias = "Value | ClassScope | Constant | tuple[Constant, ...]"
"""What else an event says, by its kind: the mode that is set, the streams that are seeded, the class that is built,
what an estimator learns from, the name of what is called."""
_Trail: TypeAlias = tuple[Any, ...]
"""A way so far: (the way before, an event or None, the loop that is repeated or None); () at its start. It has no
better type: a tuple that contains itself cannot be compiled."""

STEPS = 6000
_SHORT_SEARCH = 400  # steps of a search after which it is worth knowing which assumptions can still matter
STEPS_PER_FUEL = 8  # a step of a search costs less than an evaluation


class Edge:
    """A way from one node to the next: `tag` says how it leads on, `assumptions` what it assumes."""

    __slots__ = ("assumptions", "loop", "tag", "target")

    def __init__(
        self, target: int, tag: EdgeTag, assumptions: tuple[PathCondition, ...], loop: LoopRun | None = None
    ) -> None:
        self.target, self.tag, self.assumptions, self.loop = target, tag, assumptions, loop


class LoopRun(Holder):
    """A loop as it runs in one context.

    `certain` says that the `role` rests on a known loader or range, not on a name. `iterates` is the value of the
    iterable, None for `while`; `callers` are the keys of the frames around the loop's function.
    """

    __slots__ = ("callers", "certain", "decided", "frame", "head", "iterates", "node", "outer", "role")

    def __init__(
        self, node: Node, frame: Frame, iterates: Value | None, outer: tuple[LoopRun, ...], decided: int = 0
    ) -> None:
        super().__init__()
        self.node, self.frame, self.iterates, self.outer = node, frame, iterates, outer
        self.role: LoopRole = ""
        self.certain, self.head, self.callers = False, 0, frozenset(_callers(frame))
        self.decided = decided  # how many of the conditions of what is inside decide about the loop itself

    @property
    def site(self) -> Site:
        """The loop statement."""
        return Site(self.frame.module, self.node)


def _callers(frame: Frame) -> Iterator[int]:
    """The keys of the frames from which a frame was entered."""
    while frame.caller is not None:
        frame = frame.caller[0]
        yield frame.key


def is_inside(inner: Frame, outer: Frame) -> bool:
    """Is something done in a call of a function, or in what that calls?"""
    frame: Frame | None = inner
    while frame is not None and frame is not outer:
        frame = frame.caller[0] if frame.caller is not None else None
    return frame is outer


class Event(Holder):
    """Something that happens: see the module's essay.

    `kind` is a word of the vocabulary, or "forward" (a module is called), "creates" (an object is built), "unknown" (a
    call of something unknown that was given a tracked object), "entry", "exit". `subject` is what it is about, `value`
    what the call gives. `loops` are the enclosing loops, outermost first; `conditions` the enclosing tests with their
    polarity.
    """

    __slots__ = (
        "_abouts", "_concerns", "_held", "_others", "_subject", "_wanted", "assumed",
        "call", "conditions", "frame", "given", "grad_off", "index",
        "kind", "loops", "option", "site",
    )  # fmt: skip

    def __init__(
        self,
        kind: EventKind,
        site: Site,
        frame: Frame,
        subject: Value,
        *,
        call: Node = None,
        option: Option = None,
        others: tuple[Value, ...] = (),
        given: list[Node] | None = None,
    ) -> None:
        self.kind, self.site, self.frame, self._subject = kind, site, frame, subject
        self.call, self.option, self._others = call, option, others
        self.given = given  # expressions that give subject and others, worked out when somebody asks
        self.loops: tuple[LoopRun, ...] = ()
        self.conditions: tuple[tuple[Node, bool, Frame], ...] = ()
        self.assumed: tuple[PathCondition, ...] = ()
        self._concerns: dict[int, bool | None] = {}
        self._abouts: list[About] | None = None
        self._held: Identities | None = None
        self._wanted: Identities | None = None
        super().__init__()
        self.grad_off: bool | None = False
        self.index = 0

    @property
    def subject(self) -> Value:
        """What it is about."""
        if self.given is not None:
            self._read()
        return self._subject

    @property
    def others(self) -> tuple[Value, ...]:
        """What else an unknown call was given."""
        if self.given is not None:
            self._read()
        return self._others

    def _read(self) -> None:
        found = objects(self.given or [], self.frame)
        self._subject, self._others = found[0] if found else UNKNOWN, tuple(found[1:8])
        if self.frame.project.fuel >= 0:
            self.given = None

    @property
    def function(self) -> FunctionScope:
        """The function in which it is written."""
        return self.frame.function

    @property
    def text(self) -> str:
        """Its source text, on one line."""
        return text(self.site.module, self.site.node)

    @property
    def value(self) -> Value:
        """What the call gives."""
        return evaluate(self.call, self.frame)

    def argument(self, name: str) -> Value | None:
        """The value of the call's argument for a parameter (by name), None when it is not given or not known."""
        if self.call is not None:
            for function in targets(self.call, self.frame):
                bound, _ = bind(function, self.call, self.frame)
                if name in bound:
                    return value_of_bound(bound[name])
        return None

    def concerns(self, other: Event) -> bool | None:
        """Is it about the same thing as another event: True, False, or None when that is unknown?"""
        if id(other) not in self._concerns:
            DEADLINE.check()
            about = other.abouts()[0]
            answers = {_concerns(own, about) for own in self.abouts()}
            self._concerns[id(other)] = True if True in answers else None if None in answers else False
        return self._concerns[id(other)]

    def holds(self, other: Event) -> bool:
        """Does it get hold of what another event is about: the object itself, or an owner of its parameters? A tensor
        that was computed with them is no hold."""
        if self._held is None:
            given = (self.subject, *self.others)
            mine = {i for v in given for i in (v.identities | v.all_graph if v.has("Holds") else v.identities)}
            self._held = Identities(mine, self.frame)
        return self._held.meets(other._reached())

    def _reached(self) -> Identities:
        """What a hold of it would be a hold of: worked out once, if there is fuel enough for it."""
        known = self._wanted
        if known is None:
            known = Identities(self.abouts()[0].reached.ids | self.subject.identities, self.frame)
            if self.frame.project.fuel >= 0:
                self._wanted = known
        return known

    def abouts(self) -> list[About]:
        """What its subject, and the others, are about: worked out once, if there is fuel enough for it."""
        known = self._abouts
        if known is None:
            known = [About(v, self.frame) for v in (self.subject, *self.others)]
            if self.frame.project.fuel >= 0:
                self._abouts = known
        return known

    def conditions_in(self, run: LoopRun) -> tuple[tuple[Node, bool, Frame], ...]:
        """The enclosing tests inside one of its loops: those that may differ from one iteration to the next."""
        return self.conditions[run.decided :]

    def in_loop(self, role: str) -> LoopRun | None:
        """The innermost enclosing loop of a role."""
        return next((run for run in reversed(self.loops) if run.role == role), None)

    def __repr__(self) -> str:
        return f"<{self.kind} line {self.site.line}>"


class Flow:
    """The event graph of a root function: a module body, or a function that nothing in the project calls.

    It is not `complete` if that was too much, and ends too early; `entered` has the ids of the functions that it holds
    to their ends, `jumping` the keys of the tests that may leave a function or the iteration of a loop, and `settled`
    what nodes say of flags, by their indices (see `settled_flags`).
    """

    def __init__(self, root: FunctionScope, frame: Frame) -> None:
        self.root, self.frame = root, frame
        self.nodes: list[Event | None] = []
        self.edges: list[list[Edge]] = []
        self.loops_at: list[tuple[LoopRun, ...]] = []
        self.runs: list[LoopRun] = []
        self.complete = True
        self.entered: set[int] = set()
        self.jumping: set[Hashable] = set()
        self.settled: dict[int, list[tuple[PathCondition, bool]]] = {}
        self.by_kind: dict[EventKind, list[Event]] = {}
        self._path_conditions: PathConditions | None = None

    @property
    def site(self) -> Site:
        """The function that the flow starts in."""
        return Site(self.root.module, self.root.node)

    @property
    def entry(self) -> Event:
        """Where it starts."""
        first = self.nodes[0]
        assert first is not None
        return first

    def events(self, *kinds: Kind | EventKind) -> Iterator[Event]:
        """The events of some kinds, in the order in which they were reached; all without arguments."""
        DEADLINE.check()
        if not kinds:
            return iter([event for event in self.nodes if event is not None])
        by_kind = self.by_kind
        if len(kinds) == 1:  # as nearly always
            kind = kinds[0]
            return iter(by_kind.get(kind if isinstance(kind, str) else kind.name, ()))
        names = {k if isinstance(k, str) else k.name for k in kinds}
        found = [by_kind[name] for name in names if name in by_kind]
        if len(found) < 2:
            return iter(found[0] if found else ())
        return iter(sorted([event for events in found for event in events], key=_index))

    @property
    def path_conditions(self) -> PathConditions:
        """The edges as a search reads them."""
        if self._path_conditions is None:
            self._path_conditions = PathConditions(self)
        return self._path_conditions

    def path(
        self,
        start: Event,
        to: Matching,
        avoiding: Matching = None,
        *,
        within: LoopRun | None = None,
        raising: bool = False,
        back: bool = True,
        zero_trip: bool = False,
    ) -> Path | None:
        """A way from one event to another.

        Args:
            start: where it begins (the event itself does not count).
            to: a Kind, a Matcher, an Event, a predicate, a tuple of these, or a list of Events: where it ends.
            avoiding: the same: what it must not meet on the way.
            within: a loop that it must not leave.
            raising: may it go through exception handlers?
            back: may it follow loops to another iteration?
            zero_trip: may it pass by a loop without running its body?

        Returns:
            The shortest such Path, or None. None also when the search gives up, or when the question has no fuel left:
            a search costs some, by the events that it meets.
        """
        DEADLINE.check()
        project = self.frame.project
        if project.fuel < 0:
            CUTS.met, CUTS.spent = CUTS.met + 1, True
            return None
        search = Search(self, predicate(to), predicate(avoiding), within)
        search.tags = {"": True, "raise": raising, "back": back, "zero": zero_trip}
        ends = [to] if isinstance(to, Event) else to if isinstance(to, list) else []
        found = search.run(start) if may_reach(search, start, ends) else None
        project.fuel -= search.steps // STEPS_PER_FUEL
        return found


class Search:
    """A breadth-first search over (node, assumptions): where fewer assumptions have been, more need not go."""

    def __init__(
        self, flow: Flow, wanted: Callable[[Event], bool], refused: Callable[[Event], bool], within: LoopRun | None
    ) -> None:
        self.flow, self.wanted, self.refused, self.within = flow, wanted, refused, within
        self.tags: dict[str, bool] = {}
        self.answers: dict[int, tuple[bool, bool]] = {}
        self.steps = 0

    def run(self, start: Event) -> Path | None:
        """The shortest way whose assumptions do not contradict each other."""
        ways, nodes, tags = self.flow.path_conditions, self.flow.nodes, self.tags
        edges, within = ways.edges, self.within
        queue: list[tuple[int, int, _Trail]] = [(start.index, ways.sum(start.assumed) | ways.flags_at(start.index), ())]
        seen: dict[int, list[int]] = {}
        ahead: list[int] = []
        for position in range(STEPS):
            if position >= len(queue):
                return None
            if position == _SHORT_SEARCH:
                mattering = self.mattering()
                ahead = [assumptions & mattering for assumptions in ways.look_ahead()]
            node, assumed, trail = queue[position]
            self.steps += 1
            for edge, new, opposite, kept in edges[node]:
                if not tags[edge.tag]:
                    continue
                target, state = edge.target, assumed
                if state and edge.tag == "back" and edge.loop is not None:
                    state &= ways.survivors(edge.loop)
                if state & opposite:
                    continue
                state = state & kept | new
                if ahead:
                    state &= ahead[target]
                if _is_state_subsumed(seen.setdefault(target, []), state):
                    continue
                if within is not None and within not in self.flow.loops_at[target]:
                    continue
                event = nodes[target]
                step = (trail, event, edge.loop if edge.tag == "back" else None)
                found, stop = self.answer(target, event) if event is not None else (False, False)
                if found:
                    return _witness(start, step)
                if not stop:
                    queue.append((target, state, step))
        return None

    def mattering(self) -> int:
        """The bits of the assumptions about tests on which it depends where the way leads: those under which something
        stands that was asked for, and those that jump. The sides of any other test meet again, whichever was taken."""
        keys = self.flow.jumping.union(a.key for settled in self.flow.settled.values() for a, _ in settled)
        for index, event in enumerate(self.flow.nodes):
            if event is not None and event.assumed and any(self.answer(index, event)):
                keys.update([assumption.key for assumption in event.assumed])
        ways, found = self.flow.path_conditions, 0
        for key in keys:
            found |= ways.of_key.get(key, 0)
        return found

    def answer(self, index: int, event: Event) -> tuple[bool, bool]:
        """Is the event what is looked for, and is it what must not be met? Asked once for each event."""
        known = self.answers.get(index)
        if known is None:
            found = self.wanted(event)
            known = self.answers[index] = (found, not found and self.refused(event))
        return known


def predicate(what: Matching) -> Callable[[Event], bool]:
    """A test of events from a Kind, Matcher, Event, callable, tuple of these, or None (never)."""
    if what is None:
        return lambda event: False
    if isinstance(what, (Kind, Matcher)):
        return what.matches
    if isinstance(what, Event):
        return lambda event: event is what
    if isinstance(what, list):
        return set(what).__contains__
    if callable(what):
        return what
    tests = [predicate(w) for w in what]
    return lambda event: any(test(event) for test in tests)


def _is_state_subsumed(before: list[int], state: int) -> bool:
    """Has a node been reached with no more assumptions than now? Else it is noted that it has been by now."""
    for known in before:
        if known & state == known:
            return True
    before.append(state)
    return False


def _witness(start: Event, step: _Trail) -> Path:
    events: list[Event] = []
    rounds: list[LoopRun] = []
    current = step
    while current:
        trail, event, loop = current
        if event is not None:
            events.append(event)
        if loop is not None:
            rounds.append(loop)
        current = trail
    return Path(start, tuple(reversed(events)), tuple(reversed(rounds)))


def _index(event: Event) -> int:
    return event.index


# ---------------------------------------------------------------------------------------------------------- subjects
class Identities:
    """A set of identities, and those of the objects inside of which they were made: what an optimizer holds, say.

    Making one costs a walk over all of them; one that is asked about many others is made once.
    """

    __slots__ = ("ids", "owners")

    def __init__(self, ids: Iterable[int], frame: Frame) -> None:
        owners = frame.project.owners
        self.ids = frozenset(ids)
        self.owners = frozenset([owner for i in self.ids for owner in owners(i)])

    def meets(self, other: Identities) -> bool:
        """Do two sets share an identity, or is one of them made inside an object of the other?"""
        return not (
            self.ids.isdisjoint(other.ids) and self.owners.isdisjoint(other.ids) and self.ids.isdisjoint(other.owners)
        )


class About:
    """A value, the identities that it is about, and whether there may be more."""

    __slots__ = ("more", "reached", "value")

    def __init__(self, value: Value, frame: Frame) -> None:
        found, self.more = reach(value, frame)
        self.value, self.reached = value, Identities(found, frame)


def _concerns(a: About, b: About) -> bool | None:
    """Are two subjects about the same parameters, mode or data: True, False, or None when that is unknown?"""
    if a.value.same_as(b.value):
        return True
    if a.reached.meets(b.reached):
        return True
    if a.more or b.more or not a.reached.ids or not b.reached.ids:
        return None
    return False


def share_identities(a: Iterable[int], b: Iterable[int], frame: Frame) -> bool:
    """Do two sets of identities share one, or is one of them made inside an object of the other?

    Args:
        a: one set.
        b: the other one.
        frame: where it is asked.
    """
    return Identities(a, frame).meets(Identities(b, frame))
