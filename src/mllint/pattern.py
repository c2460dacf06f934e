"""What a name tells: patterns for identifiers that cost nothing until they are asked, and little then.

    Pattern("load|batch|dl$").search("train_dl")    True: letter case never counts

Rules ask hundreds of patterns about a few thousand names, and a file needs only some of them. A pattern that stands for
so and so many plain words (`^(val|dev)_?set$` for four), each perhaps with `^` in front, or `$` or the end of a word
behind, is answered by looking for the words; any other one is compiled when it is first asked. So most processes never
load `re`, which costs more than reading a short file. Answers are remembered.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Pattern"]

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_/-,: ")
_SIMPLE = _LETTERS | frozenset("^$|")
_BOUND = "\b"  # stands for the end of a word
_MOST = 400  # words; what stands for more is compiled


class Pattern:
    """A regular expression that only ever answers yes or no, whatever the case of letters.

    Args:
        text: the expression, in lower case.
    """

    __slots__ = ("_compiled", "_ending", "_first", "_inner", "_known", "_last", "_ready", "_whole", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._ready = False
        self._compiled: Any = None  # what answers where words do not
        self._inner: list[str] = []
        self._ending: list[str] = []
        self._whole: set[str] = set()
        self._first: tuple[str, ...] = ()
        self._last: tuple[str, ...] = ()
        self._known: dict[str, bool] = {}

    def search(self, name: str) -> bool:
        """Does the expression match anywhere in a name?"""
        known = self._known.get(name)
        if known is None:
            if not self._ready:
                self._prepare()
            known = self._known[name] = self._ask(name)
        return known

    def _prepare(self) -> None:
        """Sort the words by where they must stand, or compile the expression."""
        self._ready = True
        words = plain(self.text)
        if words is None:
            import re

            self._compiled = re.compile(self.text, re.IGNORECASE).search
            return
        self._ending = [word[:-1] for word in words if word[-1] == _BOUND]
        words = [word for word in words if word[-1] != _BOUND]
        self._inner = [word for word in words if word[0] != "^" and word[-1] != "$"]
        self._whole = {word[1:-1] for word in words if word[0] == "^" and word[-1] == "$"}
        self._first = tuple([word[1:] for word in words if word[0] == "^" and word[-1] != "$"])
        self._last = tuple([word[:-1] for word in words if word[0] != "^" and word[-1] == "$"])

    def _ask(self, name: str) -> bool:
        if self._compiled is not None:
            return self._compiled(name) is not None
        name = name.lower()
        if name in self._whole or name.startswith(self._first) or name.endswith(self._last):
            return True
        for word in self._inner:
            if word in name:
                return True
        return bool(self._ending) and any(_ends_in(name, word) for word in self._ending)


def plain(text: str) -> list[str] | None:
    """The words that an expression stands for, with `^` only in front and `$` or a bound only behind; None if it says
    more."""
    words = text.split("|") if _SIMPLE.issuperset(text) else _Words(text).read()
    if words is None:
        return None
    for word in words:
        if "^" in word[1:] or "$" in word[:-1] or _BOUND in word[:-1] or not word.strip("^$\b"):
            return None
    return words


def _ends_in(name: str, word: str) -> bool:
    """Does a word stand somewhere in a name such that no letter, digit or underscore follows?"""
    start = name.find(word)
    while start >= 0:
        behind = name[start + len(word) : start + len(word) + 1]
        if not behind or not (behind.isalnum() or behind == "_"):
            return True
        start = name.find(word, start + 1)
    return False


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
        inside, self.at = self.text[self.at : end].lower(), end + 1
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
