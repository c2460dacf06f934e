"""What a name tells: patterns for identifiers that cost nothing until they are asked, and little then.

    Pattern("load|batch|dl$").search("train_dl")    True: letter case never counts

Rules ask hundreds of patterns about a few thousand names, and a file needs only some of them. A pattern that stands for
so and so many plain words (`^(val|dev)_?set$` for four), each perhaps with `^` in front, or `$` or the end of a word
behind, is answered by looking for the words; any other one is compiled when it is first asked. So most processes never
load `re`, which costs more than reading a short file. Answers are remembered.
"""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Pattern"]

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_/-,: ")
_BOUND = "\b"  # stands for the end of a word
_MOST = 400  # words; what stands for more is compiled


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
                words = plain(self.text)
                self._ask = _words(words) if words is not None else _expression(self.text)
            known = self._known[name] = bool(self._ask(name))
        return known


def plain(text: str) -> list[str] | None:
    """The words that an expression stands for, with `^` only in front and `$` or a bound only behind; None if it says
    more."""
    words = _Words(text).read()
    if words is None or any("^" in w[1:] or "$" in w[:-1] or _BOUND in w[:-1] or not w.strip("^$\b") for w in words):
        return None
    return words


class _Words:
    """Reads an expression of letters, `|`, groups, `?`, classes of characters, `^`, `$` and `\\b`."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def read(self) -> list[str] | None:
        words = self.either()
        return words if self.at == len(self.text) else None

    def either(self) -> list[str]:
        """`a|b|c`, up to the end or a closing bracket."""
        words = self.sequence()
        while self.at < len(self.text) and self.text[self.at] == "|":
            self.at += 1
            words += self.sequence()
        return words

    def sequence(self) -> list[str]:
        """What follows each other; what cannot be read ends it, and is found by `read` to be left."""
        words = [""]
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            parts = self.part()
            if not parts or len(words) * len(parts) > _MOST:
                self.at = len(self.text) + 1
                return []
            if self.at < len(self.text) and self.text[self.at] == "?":
                self.at += 1
                parts = ["", *parts]
            words = [word + part for word in words for part in parts]
        return words

    def part(self) -> list[str]:
        """A letter, a group, a class, `^` or `$`; none if it is something else."""
        letter = self.text[self.at]
        self.at += 1
        if letter == "(" and self.text[self.at : self.at + 1] != "?":
            words = self.either()
            self.at += 1  # the closing bracket
            return words if self.at <= len(self.text) else []
        if letter == "[":
            return self.choice()
        if letter == "\\" and self.text[self.at : self.at + 1] == "b":
            self.at += 1
            return [_BOUND]
        return [letter] if letter in _LETTERS or letter in "^$" else []

    def choice(self) -> list[str]:
        """`[xy]`, `[a-z]`: one of some characters."""
        end = self.text.find("]", self.at)
        inside, self.at = self.text[self.at : end], end + 1
        found: list[str] = []
        at = 0
        while at < len(inside):
            letter, between, last = inside[at], inside[at + 1 : at + 2], inside[at + 2 : at + 3]
            if letter == "\\" and between and not between.isalnum():
                found.append(between)
                at += 2
            elif between == "-" and last:
                found += [chr(code) for code in range(ord(letter), ord(last) + 1)]
                at += 3
            else:
                found.append(letter)
                at += 1
        return found if end > 0 and inside[:1] != "^" else []


def _words(words: list[str]) -> Callable[[str], object]:
    ending = [word[:-1] for word in words if word[-1] == _BOUND]
    words = [word for word in words if word[-1] != _BOUND]
    inner = [word for word in words if word[0] != "^" and word[-1] != "$"]
    whole = {word[1:-1] for word in words if word[0] == "^" and word[-1] == "$"}
    first = tuple(word[1:] for word in words if word[0] == "^" and word[-1] != "$")
    last = tuple(word[:-1] for word in words if word[0] != "^" and word[-1] == "$")

    def ask(name: str) -> bool:
        name = name.lower()
        if name in whole or name.startswith(first) or name.endswith(last) or any(word in name for word in inner):
            return True
        return any(_ends_in(name, word) for word in ending)

    return ask


def _ends_in(name: str, word: str) -> bool:
    """Does a word stand somewhere in a name such that no letter, digit or underscore follows?"""
    start = name.find(word)
    while start >= 0:
        behind = name[start + len(word) : start + len(word) + 1]
        if not behind or not (behind.isalnum() or behind == "_"):
            return True
        start = name.find(word, start + 1)
    return False


def _expression(text: str) -> Callable[[str], object]:
    import re

    return re.compile(text, re.IGNORECASE).search
