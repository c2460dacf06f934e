"""How is a line of text for a terminal coloured, and which words lead to an address?

Which characters may stand in it is the business of `neutral`: text of strangers passes `clean` before it is styled.
"""

from __future__ import annotations

from mllint.neutral import clean

__all__ = ["COLOURED", "LINKED", "PLAIN", "Style", "clean"]

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "label": "1;34",
    "frame": "34",
    "good": "32",
    "strong": "1",
    "dim": "2",
}


class Style:
    """Paints words by what they are ("error", "frame", ...), or leaves them as they are."""

    __slots__ = ("coloured", "linked")

    def __init__(self, *, coloured: bool, linked: bool = False) -> None:
        self.coloured, self.linked = coloured, linked

    def __call__(self, text: str, what: str) -> str:
        """The text, in the colour of `what`."""
        return f"\x1b[{_CODES[what]}m{text}\x1b[0m" if self.coloured and text else text

    def link(self, text: str, url: str) -> str:
        """The text, leading to an address (OSC 8) where the terminal shows such links."""
        return f"\x1b]8;;{url}\x1b\\{text}\x1b]8;;\x1b\\" if self.linked and url else text


PLAIN = Style(coloured=False)
COLOURED = Style(coloured=True)
LINKED = Style(coloured=True, linked=True)
