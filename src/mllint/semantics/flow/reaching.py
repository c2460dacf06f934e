"""Is there a way from one event to another at all, whatever its branches assume? Cheap, and mostly the answer.

The way is looked for from both ends in turn, since one of them often leads nowhere: what clears the gradients stands
right before the backward, or right after the step, and whoever starts at that end is done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import Cache

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, Search

__all__ = ["backward_edges", "may_reach"]

_BACKWARD: Cache[None, list[list[tuple[int, str]]]] = Cache()


def may_reach(search: Search, start: Event, ends: list[Event]) -> bool:
    """Whether a search can end.

    Args:
        search: what is wanted, and what is refused.
        start: where it begins.
        ends: the events that are wanted, if they are known; else it is looked for from the start alone.
    """
    forwards = _forwards(search, start.index)
    backwards = _backwards(search, start.index, [end.index for end in ends]) if ends else iter(())
    while True:
        for answer in (next(forwards), next(backwards, None)):
            if answer is not None:
                return answer


def _forwards(search: Search, start: int) -> Iterator[bool | None]:
    """Follow the edges from the start, node by node: None as long as it is not known."""
    edges, nodes, tags, loops, within = (
        search.flow.edges,
        search.flow.nodes,
        search.tags,
        search.flow.loops_at,
        search.within,
    )
    stack, seen = [start], set()
    while stack:
        for edge in edges[stack.pop()]:
            target = edge.target
            if target in seen or not tags[edge.tag] or (within is not None and within not in loops[target]):
                continue
            seen.add(target)
            search.steps += 1
            event = nodes[target]
            found, stop = search.answer(target, event) if event is not None else (False, False)
            if found:
                yield True
            if not stop:
                stack.append(target)
        yield None
    yield False


def _backwards(search: Search, start: int, ends: list[int]) -> Iterator[bool | None]:
    """The same against the edges, from the ends."""
    nodes, tags, loops, within = search.flow.nodes, search.tags, search.flow.loops_at, search.within
    edges = backward_edges(search.flow)
    stack, seen = ends, set()
    while stack:
        target = stack.pop()
        if within is None or within in loops[target]:
            for source, tag in edges[target]:
                if source in seen or not tags[tag]:
                    continue
                seen.add(source)
                search.steps += 1
                if source == start:
                    yield True
                event = nodes[source]
                if event is None or not search.answer(source, event)[1]:
                    stack.append(source)
        yield None
    yield False


def backward_edges(flow: Flow) -> list[list[tuple[int, str]]]:
    """For each node where the edges to it come from, with their tags."""
    return _BACKWARD.answer(flow.entry, None, lambda: _reversed(flow), meanwhile=[])


def _reversed(flow: Flow) -> list[list[tuple[int, str]]]:
    found: list[list[tuple[int, str]]] = [[] for _ in flow.nodes]
    for source, edges in enumerate(flow.edges):
        for edge in edges:
            found[edge.target].append((source, edge.tag))
    return found
