"""Shared immutable records.

They are named tuples, so that they are compared, hashed and unpacked as what they hold. The modules that make them say
what they mean and offer them under their own names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from mllint.semantics.syntax.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from mllint.semantics.flow.flow import Event, LoopRun
    from mllint.semantics.syntax.module import Scope
    from mllint.semantics.syntax.nodes import Constant
    from mllint.semantics.syntax.sites import Site
    from mllint.semantics.values.frames import Frame

__all__ = [
    "DataPart",
    "EdgeTag",
    "Effect",
    "EventKind",
    "Hint",
    "Kind",
    "Loop",
    "LoopRole",
    "Matcher",
    "Passed",
    "Path",
    "PathCondition",
    "Provenance",
]  # fmt: skip


EventKind: TypeAlias = Literal[
    "accumulates_grad", "applies_grad", "clears_grad", "clips_grad", "creates", "entry", "exit", "fits", "forward",
    "freezes", "hands_loss", "loads", "owns_loop", "pauses_sync", "reads_state", "restores_state", "saves", "seeds",
    "sets_epoch", "sets_grad", "sets_mode", "splits", "ticks", "transforms", "unknown", "unscales_grad",
    "updates_scale",
]  # fmt: skip
"""What happens in an event: a word of the vocabulary, or what `flow.Event` says of the others."""
EdgeTag: TypeAlias = Literal["", "back", "raise", "zero"]
"""How an edge leads on: as usual, back to the head of a loop, into a handler, or past a loop that runs no time."""
LoopRole: TypeAlias = Literal["batch", "epoch", ""]
"""Whether a loop draws batches, encloses one that does, or nobody can tell."""
DataPart: TypeAlias = Literal["whole", "train", "heldout", "test", "some"]
"""Which part of the rows: "some" are rows of which nobody can tell."""


class Provenance(NamedTuple):
    """Data that a value was computed from: its identity, the part it is, and the site that says so."""

    identity: int
    part: DataPart
    site: Site | None = None


class Loop(NamedTuple):
    """A `for` or `while` statement of one scope."""

    node: Node
    scope: Scope


class Passed(NamedTuple):
    """What a caller has written for a parameter: the expression, and the frame to evaluate it in."""

    node: Node
    frame: Frame


class Effect(NamedTuple):
    """One decorator of the vocabulary: its name, positional literals and keyword literals."""

    name: str
    values: tuple[Constant, ...]
    options: dict[str, Constant]

    @property
    def of(self) -> str:
        """What the effect is about: "self", a parameter, or "self.<parameter of __init__>"."""
        return str(self.options.get("of", "self"))


class Hint(NamedTuple):
    """An annotation as words: `Detached[T]` is Hint("Detached", (Hint("T"),)); `A | B` is Hint("|", (A, B))."""

    name: str
    arguments: tuple[Hint, ...] = ()

    def words(self) -> Iterable[str]:
        """All names in it."""
        yield self.name
        for argument in self.arguments:
            yield from argument.words()


class Kind(NamedTuple):
    """A kind of event, by its word in the vocabulary; also a matcher of all events of that kind."""

    name: EventKind

    def matches(self, event: Event) -> bool:
        """Is the event of this kind?"""
        return event.kind == self.name

    def concerning(self, other: Event) -> Matcher:
        """Events of this kind that certainly or possibly concern the subject of `other`, and unknown calls
        that get it."""
        return Matcher(self.name, other)


class Matcher(NamedTuple):
    """Matches events of one kind about the same subject; an unknown call given that subject matches as well."""

    name: EventKind
    other: Event

    def matches(self, event: Event) -> bool:
        """Might the event be of this kind and about the same subject?"""
        if event.kind == self.name:
            return event.concerns(self.other) is not False
        if event.kind != "unknown":
            return False
        return event.concerns(self.other) is True if self.name == "accumulates_grad" else event.holds(self.other)


class PathCondition(NamedTuple):
    """An assumption: a test by its canonical key, its polarity, and the lines (frame key, first line of each binding)
    of the bindings it rests on."""

    key: tuple[Hashable, ...]
    polarity: bool
    bindings: tuple[tuple[int, int], ...]
    frame: int


class Path(NamedTuple):
    """A witness: the events on the way (from the first after the start to the end) and the loops that it repeated."""

    start: Event
    events: tuple[Event, ...]
    rounds: tuple[LoopRun, ...]

    @property
    def end(self) -> Event:
        """The event that was looked for."""
        return self.events[-1]
