"""What do the ways through a flow assume? The edges of a flow as a search reads them: each assumption is a bit."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from mllint.semantics.syntax.records import PathCondition

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Edge, Flow, LoopRun

__all__ = ["PathConditions"]

_SETTLED = ("self", "constant")  # what a key speaks of that nothing rebinds: see `assumptions`


class PathConditions:
    """The edges of a flow with what they assume as numbers: each assumption is a bit, a set of them a sum of bits."""

    def __init__(self, flow: Flow) -> None:
        self.bits: dict[PathCondition, int] = {}
        self.of_key: dict[Hashable, int] = {}  # the bits of all assumptions about one test
        self.against: dict[int, int] = {}  # for the bit of each assumption those of the assumptions that contradict it
        self.surviving: dict[int, int] = {}
        self.ahead: list[int] = []
        for edges in flow.edges:
            for edge in edges:
                self.number(edge.assumptions)
        for event in flow.nodes:
            self.number(event.assumed if event is not None else ())
        self.settled: list[int] = []
        for settled in flow.settled.values():
            self.number(tuple(assumption for assumption, _ in settled))
        bits: dict[tuple[Hashable, bool], int] = {}  # the bits of all assumptions that say the same of a test
        for assumption, bit in self.bits.items():
            bits[assumption.key, assumption.polarity] = bits.get((assumption.key, assumption.polarity), 0) | bit
        for assumption, bit in self.bits.items():
            self.against[bit] = bits.get((assumption.key, not assumption.polarity), 0)
        self.flags = self.about(tuple(a for settled in flow.settled.values() for a, _ in settled))
        self.edges = [[self.read(edge, flow) for edge in edges] for edges in flow.edges]

    def read(self, edge: Edge, flow: Flow) -> tuple[Edge, int, int, int]:
        """One edge of a flow: the bits of what is assumed behind it, of what contradicts it, and of what else remains
        assumed there: all but what its end settles."""
        new, kept = self.sum(edge.assumptions), -1
        for assumption, holds in flow.settled.get(edge.target, ()):
            kept &= ~self.of_key[assumption.key]
            new = new & kept | (self.bits[assumption] if holds else 0)
        return edge, new, self.opposite(edge.assumptions), kept

    def flags_at(self, node: int) -> int:
        """The bits of what is assumed of flags at a node on every way from the start of the flow, handlers included."""
        if not self.flags:
            return 0
        if not self.settled:
            self.settled = [-1 for _ in self.edges]  # everything is, as long as no way is known
            self.settled[0] = 0
            changed = True
            while changed:
                changed = self.spread_flags()
        return max(self.settled[node], 0)

    def spread_flags(self) -> bool:
        """Lead what is settled at each node to the next ones; True if that leaves less at one of them than before."""
        found, changed = self.settled, False
        for node, edges in enumerate(self.edges):
            state = found[node]
            for edge, new, opposite, kept in edges:
                if state == -1 or state & opposite:
                    continue
                there = found[edge.target] & (state & kept | new) & self.flags
                if there != found[edge.target]:
                    found[edge.target], changed = there, True
        return changed

    def number(self, assumptions: tuple[PathCondition, ...]) -> None:
        """Give each of some assumptions a bit of its own."""
        for assumption in assumptions:
            if assumption not in self.bits:
                bit = self.bits[assumption] = 1 << len(self.bits)
                self.of_key[assumption.key] = self.of_key.get(assumption.key, 0) | bit

    def sum(self, assumptions: Iterable[PathCondition]) -> int:
        """The bits of some assumptions."""
        found = 0
        for assumption in assumptions:
            found |= self.bits[assumption]
        return found

    def opposite(self, assumptions: tuple[PathCondition, ...]) -> int:
        """The bits of the assumptions that contradict one of some."""
        found = 0
        for assumption in assumptions:
            found |= self.against.get(self.bits[assumption], 0)
        return found

    def survivors(self, run: LoopRun) -> int:
        """The bits of the assumptions that still hold in a loop's next iteration."""
        known = self.surviving.get(id(run))
        if known is None:
            known = self.surviving[id(run)] = self.sum(a for a in self.bits if _holds_in_next_iteration(a, run))
        return known

    def look_ahead(self) -> list[int]:
        """For each node the assumptions about tests that come after it: those about other tests do not matter there."""
        if not self.ahead:
            found = [0] * len(self.edges)
            own = [[(e.target, self.about(e.assumptions)) for e, _, _, _ in edges] for edges in self.edges]
            changed = True
            while changed:
                changed = False
                for node in range(len(own) - 1, -1, -1):
                    sum_ = found[node]
                    for target, assumptions in own[node]:
                        sum_ |= found[target] | assumptions
                    if sum_ != found[node]:
                        found[node] = sum_
                        changed = True
            self.ahead = found
        return self.ahead

    def about(self, assumptions: tuple[PathCondition, ...]) -> int:
        """The bits of all assumptions about the same tests as some."""
        found = 0
        for assumption in assumptions:
            found |= self.of_key[assumption.key]
        return found


def _holds_in_next_iteration(assumption: PathCondition, run: LoopRun) -> bool:
    """Does an assumption still hold in the loop's next iteration: does it rest on nothing that the loop rebinds?

    What the callers of the loop's function have bound stays; what a function binds that the loop calls does not.
    """
    own, outer = run.frame.key, run.callers
    if not assumption.bindings:
        parts = [part for part in assumption.key[1:] if isinstance(part, tuple)]
        if assumption.frame == own or assumption.frame in outer:
            return not any(_is_rebound(part, run) for part in parts)
        return all(part[0] in _SETTLED for part in parts)
    first, last = run.node.lineno, run.node.end_lineno or run.node.lineno
    return all(frame in outer or (frame == own and not first <= line <= last) for frame, line in assumption.bindings)


def _is_rebound(asked: Hashable, run: LoopRun) -> bool:
    """Does a loop itself assign an attribute of the object that a test asks about: `self.epoch += 1`?"""
    if not isinstance(asked, tuple):
        return False
    if asked[:1] != ("object",):
        return any(_is_rebound(part, run) for part in asked)
    first, last = run.node.lineno, run.node.end_lineno or run.node.lineno
    bound = (b for name, found in run.frame.function.bindings.items() if name.endswith(f".{asked[-1]}") for b in found)
    return any(first <= getattr(b.node, "lineno", 0) <= last for b in bound)
