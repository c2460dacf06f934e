"""What may a line of text for a terminal contain: colours, and which characters of the user's code?

Source text, paths and messages come from files that nobody has vetted. A control character in them could move the
cursor, recolour or hide what follows, so each one is shown as a replacement character instead; tabs are the frame's
business.
"""

from __future__ import annotations

__all__ = ["COLOURED", "LINKED", "PLAIN", "Style", "clean"]

_CODES = {
    "error": "1;31",
    "warning": "1;33",
    "info": "1;36",
    "label": "1;34",
    "frame": "34",
    "strong": "1",
    "dim": "2",
}
# C0, DEL, C1, and the marks that reorder or separate lines of text.
_UNSAFE = [*range(0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
_SAFE = dict.fromkeys(_UNSAFE, "\N{REPLACEMENT CHARACTER}")


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


def clean(text: str) -> str:
    """The text without characters that control a terminal."""
    return text if text.isascii() and text.isprintable() else text.translate(_SAFE)
