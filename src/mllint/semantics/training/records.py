"""The small named tuples that rules hand round.

They stand by themselves because this module stays in plain Python: compiled, named tuples bring `typing` along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event
    from mllint.semantics.flow.views import Call
    from mllint.semantics.values.values import Site

__all__ = ["Built", "Horizon", "Put"]


class Horizon(NamedTuple):
    """What a number of a schedule was computed from."""

    numbers: tuple[float, ...] = ()
    """The constants, if it is made of constants only."""
    lengths: tuple[str, ...] = ()
    """The places of which the length is taken (`loader`)."""
    multiplied: bool = False
    divided: bool = False
    epochs: bool = False
    """Is it the number of epochs, by the name that it has?"""


class Built(NamedTuple):
    """Where an optimizer was built: the call, its frame, and the event of it if the flow has seen it."""

    call: Call
    event: Event | None

    @property
    def site(self) -> Site:
        """The call."""
        return self.call.site


class Put(NamedTuple):
    """A method puts `held` into the attribute `name`; `item` says that it is one item of a container."""

    name: str
    node: Any
    held: Any
    item: bool
