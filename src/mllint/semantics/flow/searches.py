"""Which events have to do with one? For whoever would otherwise ask about each pair of events, which grows too fast.

`sources` are the events from which `Flow.path` leads to one: a single search from its end, which stops where the ways
are blocked. `concerning` are those that are about the same thing: they are looked up by the identities behind them.
Both say no more and no less than `Flow.path` and `Event.concerns`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import STEPS, STEPS_PER_FUEL, Event, Flow, Matching, predicate
from mllint.semantics.flow.reaching import backward_edges
from mllint.semantics.syntax.caches import CUTS, Cache
from mllint.semantics.syntax.deadline import DEADLINE
from mllint.semantics.syntax.records import Kind

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import About

__all__ = ["concerning", "sources"]

_INDICES: Cache[str, _Index] = Cache()


def sources(flow: Flow, end: Event, *kinds: Kind, avoiding: Matching = None, back: bool = True) -> Iterator[Event]:
    """The events of some kinds from which there is a way to another event: those that `flow.path` finds one from.

    Args:
        flow: the flow of all of them.
        end: where the ways end.
        kinds: the kinds of the events.
        avoiding: what a way must not meet, as in `Flow.path`.
        back: may it follow loops to another iteration?

    Returns:
        The events, nearest first; none where the question has no fuel left.
    """
    unconditional = not flow.path_conditions.bits and len(flow.nodes) <= STEPS  # then each way may be taken
    for event in _leading_to(flow, end, {kind.name for kind in kinds}, avoiding, back):
        if unconditional or flow.path(event, to=end, avoiding=avoiding, back=back):
            yield event


def _leading_to(flow: Flow, end: Event, kinds: set[str], avoiding: Matching, back: bool) -> Iterator[Event]:
    """The same, whatever the branches on the way assume."""
    DEADLINE.check()
    project, nodes, refused = flow.frame.project, flow.nodes, predicate(avoiding)
    if project.fuel < 0:
        CUTS.met, CUTS.spent = CUTS.met + 1, True
        return
    edges = backward_edges(flow)
    seen: set[int] = set()
    layer = [end.index]
    try:
        while layer:
            following = []
            for target in layer:
                for source, tag in edges[target]:
                    if source in seen or not (tag == "" or (back and tag == "back")):
                        continue
                    seen.add(source)
                    event = nodes[source]
                    if event is not None and event.kind in kinds:
                        yield event
                    if event is None or not (event is end or refused(event)):
                        following.append(source)
            layer = following
    finally:
        project.fuel -= len(seen) // STEPS_PER_FUEL


# ------------------------------------------------------------------------------------------------------------ subjects
class _Index:
    """Events of a kind, to be looked up by what they are about.

    Args:
        events: the events, in order.
    """

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.by_id: dict[int, list[int]] = {}
        self.by_owner: dict[int, list[int]] = {}
        for position, event in enumerate(events):
            for about in event.abouts():
                for identity in about.reached.ids | about.value.identities:
                    self.by_id.setdefault(identity, []).append(position)
                for owner in about.reached.owners:
                    self.by_owner.setdefault(owner, []).append(position)
        self._sharing: dict[tuple[frozenset[int], frozenset[int]], list[Event]] = {}

    def sharing(self, about: About) -> list[Event]:
        """The events that share an identity with a subject, or of which one is made inside of the other."""
        own = about.value.identities
        key = (about.reached.ids, own)
        known = self._sharing.get(key)
        if known is None:
            positions: set[int] = set()
            for identity in about.reached.ids | own:
                positions.update(self.by_id.get(identity, ()), self.by_owner.get(identity, ()))
            for owner in about.reached.owners:
                positions.update(self.by_id.get(owner, ()))
            known = self._sharing[key] = [self.events[position] for position in sorted(positions)]
        return known


def concerning(flow: Flow, other: Event, kind: Kind) -> Iterator[Event]:
    """The events of a kind that certainly concern what another one is about (`Event.concerns`), in their order.

    Args:
        flow: the flow of all of them.
        other: the event that they concern.
        kind: their kind.
    """
    index = _INDICES.answer(flow.entry, kind.name, lambda: _Index(list(flow.events(kind))), meanwhile=_Index([]))
    return (event for event in index.sharing(other.abouts()[0]) if event.concerns(other))
