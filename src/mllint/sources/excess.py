"""Does a text hold what Python's own parser takes for ever to read, or all memory?

The parser is linear in nearly everything. Two things cost the square of their length: the dotted name in an import,
whose every prefix is kept (120 KB take 3.6 GB), and before Python 3.12 the fields of an f-string, each of which is
looked for from the beginning of the string (200,000 take half a minute). A number of thousands of digits is read only
if it is hexadecimal, octal or binary, and then cannot be written, in a message or a fingerprint (`ValueError`, as of a
decimal one). All three are refused far above what people write.
"""

from __future__ import annotations

import re
import sys

__all__ = ["excess"]

_PARTS = 100
"""Parts of an imported name: the longest in 4 million lines of published code has 8."""
_FIELDS = 10_000
"""Fields of an f-string: the file with most braces there has 1,130 of them, in all of its strings and dictionaries."""

_DIGITS = 3_500
"""Digits of a number that is not decimal; Python writes no number of more than 4,300 decimal ones."""

_LONG_NUMBER = re.compile(rf"0[xXoObB][0-9a-fA-F_]{{{_DIGITS}}}")
_IS_SQUARE = sys.version_info < (3, 12)
"""Whether this Python reads an f-string in the square of its length. One that does not is not asked for tokens either,
since its tokenizer may take for ever instead: that of 3.12.1 does."""

_SPACE = r"[ \t\f\\\n]*"
_LONG_NAME = re.compile(rf"[ \t\f\\\n.]*(?:\w+{_SPACE}\.{_SPACE}){{{_PARTS}}}")


def excess(text: str) -> str:
    """What a text has too much of, in words; empty if nothing."""
    if text.count(".") >= _PARTS and (_imports_long_name(text, "import") or _imports_long_name(text, "from")):
        return f"an imported name has more than {_PARTS} parts"
    if _IS_SQUARE and text.count("{") > _FIELDS and _most_fields(text) > _FIELDS:
        return f"an f-string has more than {_FIELDS:,} fields"
    if len(text) > _DIGITS and _LONG_NUMBER.search(text) is not None:
        return f"a number has more than {_DIGITS:,} digits"
    return ""


def _imports_long_name(text: str, word: str) -> bool:
    """Does a long dotted name stand after a word?"""
    at = text.find(word)
    while at >= 0:
        at += len(word)
        if _LONG_NAME.match(text, at) is not None:
            return True
        at = text.find(word, at)
    return False


def _most_fields(text: str) -> int:
    """The most opening braces in one f-string."""
    import io
    import tokenize

    most = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.STRING and "f" in token.string[:2].lower():
                most = max(most, token.string.count("{"))
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass  # what cannot be cut into tokens is refused by the parser as well
    return most
