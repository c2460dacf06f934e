"""What a name tells: patterns for identifiers that cost nothing until they are asked, and little then.

    Pattern("load|batch|dl$").search("train_dl")    True: letter case never counts

Rules ask hundreds of patterns about a few thousand names, and a file needs only some of them. An alternation of plain
words, each perhaps with `^` in front or `$` behind, is answered by looking for the words; any other pattern is compiled
when it is first asked, so that a process which asks for none never loads `re`. Answers are remembered.
"""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Pattern"]

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_^$|")


class Pattern:
    """A regular expression that only ever answers yes or no, whatever the case of letters.

    Args:
        text: the expression, in lower case.
    """

    __slots__ = ("_ask", "_known", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._ask: Callable[[str], object] | None = None
        self._known: dict[str, bool] = {}

    def search(self, name: str) -> bool:
        """Does the expression match anywhere in a name?"""
        known = self._known.get(name)
        if known is None:
            if self._ask is None:
                self._ask = _words(self.text) if _PLAIN.issuperset(self.text) else _expression(self.text)
            known = self._known[name] = bool(self._ask(name))
        return known


def _words(text: str) -> Callable[[str], object]:
    words = text.split("|")
    inner = [word for word in words if word[0] != "^" and word[-1] != "$"]
    whole = {word[1:-1] for word in words if word[0] == "^" and word[-1] == "$"}
    first = tuple(word[1:] for word in words if word[0] == "^" and word[-1] != "$")
    last = tuple(word[:-1] for word in words if word[0] != "^" and word[-1] == "$")

    def ask(name: str) -> bool:
        name = name.lower()
        return name in whole or name.startswith(first) or name.endswith(last) or any(word in name for word in inner)

    return ask


def _expression(text: str) -> Callable[[str], object]:
    import re

    return re.compile(text, re.IGNORECASE).search
