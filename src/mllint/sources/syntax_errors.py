"""Why does this text not parse? Python's own error, in words that say what to do about it.

Python's parser says `invalid syntax` both for Python 2 and for a language newer than itself. Here the line at which it
stopped is looked at again, so that the reader learns which of the two it is. Runs only after a failed parse.

    raise ValueError, "no data"     ->  this is Python 2 (`raise` with a comma), mllint reads Python 3
    type Batch = tuple[int, int]    ->  this is newer syntax (a `type` statement, Python 3.12) than the running ...

What it does not do: repair anything. Where it recognises nothing it passes Python's message on.
"""

from __future__ import annotations

import re
import sys

from mllint.errors import SourceError

__all__ = ["explain"]

_PYTHON_2_MESSAGES = (
    ("Missing parentheses in call to 'print'", "a `print` statement"),
    ("Missing parentheses in call to 'exec'", "an `exec` statement"),
    ("leading zeros in decimal integer literals", "an octal number without `0o`"),
    ("parameters cannot be parenthesized", "a tuple as parameter"),
)
_PYTHON_2_LINES = (
    (re.compile(r"^\s*except\s+[\w.()\s,]+,\s*[a-z_]\w*\s*:"), "`except` with a comma"),
    (re.compile(r"^\s*raise\s+[\w.]+\s*,"), "`raise` with a comma"),
    (re.compile(r"\w\s*<>\s*[\w\"'(\[]"), "the operator `<>`"),
    (re.compile(r"\b[uU][rR][\"']"), "a `ur` string"),
    (re.compile(r"\b(?:\d+|0[xX][0-9a-fA-F]+)[lL]\b"), "a long integer"),
    (re.compile(r"`[^`]+`"), "backticks for `repr`"),
    (re.compile(r"^\s*(?:print|exec)\s+[\w\"']"), "a `print` or `exec` statement"),
    (re.compile(r"\bdef\s+\w+\s*\((?:[^()]*,)?\s*\("), "a tuple as parameter"),
)
_QUOTED = re.compile(r"([\"'])(?:\\.|(?!\1).)*\1|#.*")
_FOR_IPYTHON = re.compile(r"^\s*(?:!\s*[\w./~$]|%%?[a-z])")
_OLD_NAME = re.compile(r"\.async\b|\basync\s*[=,):]|\basync\s*$")
_NEWER = (
    (re.compile(r"^\s*except\s*\*"), (3, 11), "`except*`"),
    (re.compile(r"^\s*type\s+\w+\s*(?:\[.*\])?\s*="), (3, 12), "a `type` statement"),
    (re.compile(r"^\s*(?:async\s+)?def\s+\w+\s*\["), (3, 12), "type parameters"),
    (re.compile(r"^\s*class\s+\w+\s*\["), (3, 12), "type parameters"),
    (re.compile(r"\b[fF][rR]?([\"']).*\{[^}]*\1"), (3, 12), "quotes reused inside an f-string"),
    (re.compile(r"(?<!\w)(?:[tT][rR]?|[rR][tT])[\"']"), (3, 14), "a t-string"),
    (re.compile(r"^\s*except\s+[\w.]+(?:\s*,\s*[\w.]+)+\s*:"), (3, 14), "`except` without parentheses"),
    (re.compile(r"^\s*lazy\s+(?:import|from)\b"), (3, 15), "a lazy import"),
)
_IN_F_STRING = "f-string expression part cannot include "  # a backslash, or '#': so said until Python 3.11
_TOO_DEEP = ("too many nested parentheses", "too many levels of indentation")


def explain(error: SyntaxError, text: str) -> SourceError:
    """Translate what Python's parser raised.

    Args:
        error: as raised by `compile`.
        text: the whole text that did not parse.

    Returns:
        The error to raise instead, at the same place.
    """
    line, column = max(error.lineno or 1, 1), max(error.offset or 1, 1)
    lines = text.split("\n")
    written = lines[line - 1] if line <= len(lines) else ""
    return SourceError(_message(error.msg or "invalid syntax", written), line, column)


def _message(message: str, line: str) -> str:
    if message.startswith(_TOO_DEEP):
        return f"the code is nested too deeply for Python's parser: {message}"
    for beginning, construct in _PYTHON_2_MESSAGES:
        if beginning in message:
            return _python_2(construct)
    code = _QUOTED.sub(lambda found: 2 * (found[1] or ""), line)  # what a text or a comment says is no code
    for pattern, construct in _PYTHON_2_LINES:
        if pattern.search(code):
            return _python_2(construct)
    if _OLD_NAME.search(line):  # as in `tensor.cuda(async=True)`, before Python 3.7
        return "this is for Python 3.6 or older (`async` as a name): since 3.7 `async` is a keyword"
    if _FOR_IPYTHON.search(line):
        return "this line is for IPython (a magic or a shell command): Python cannot run it outside of a notebook"
    if message.startswith(_IN_F_STRING):
        return _newer(f"{message.removeprefix(_IN_F_STRING)} inside an f-string", (3, 12))
    for pattern, version, construct in _NEWER:
        if sys.version_info[:2] < version and pattern.search(line):
            return _newer(construct, version)
    return message


def _newer(construct: str, version: tuple[int, int]) -> str:
    running = sys.version_info[:2]
    return (
        f"this is newer syntax ({construct}, Python {version[0]}.{version[1]}) than the Python "
        f"{running[0]}.{running[1]} that runs mllint: run mllint with a newer Python"
    )


def _python_2(construct: str) -> str:
    return f"this is Python 2 ({construct}), mllint reads Python 3"
