"""What may be printed of what comes from outside? Names, source lines, settings and notes are written by strangers.

A control character could move the cursor, recolour or hide what follows; a mark of direction could reorder it; and in
the log of a CI service a line may be a command: `::add-mask::x` for GitHub, `##vso[task.setvariable ...]` for Azure.

    clean(text)       a piece from outside, for a line of ours: one line, nothing in it controls anything
    printable(text)   all that is printed passes here last: only colours and links of ours are left, and no commands
    quoted(text, format)   the same for a format that programs read, written so that they read what they read before

Commands are neutralised wherever a runner may read along, whether its format was asked for or not.
"""

from __future__ import annotations

import os

__all__ = ["UNSAFE", "clean", "printable", "quoted"]

UNSAFE = (*range(0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
"""C0, DEL, C1, and the marks that reorder or separate lines of text."""
_SAFE = dict.fromkeys(UNSAFE, "\N{REPLACEMENT CHARACTER}")
_LINES = {code: sign for code, sign in _SAFE.items() if chr(code) not in "\n\t"}
_MARKUP = frozenset(("junit", "markdown"))
_JSON = frozenset(("gitlab", "json", "json-lines", "rdjson", "sarif"))


def clean(text: str) -> str:
    """The text without characters that control a terminal; line ends and tabs are among them."""
    return text if text.isascii() and text.isprintable() else text.translate(_SAFE)


def printable(text: str) -> str:
    """Lines as they may be printed: what controls a terminal is replaced, but for the styles and links of ours."""
    if not text.isascii() or not text.isprintable():
        first, *pieces = text.split("\x1b")
        text = first.translate(_LINES) + "".join(map(_escape, pieces))
    if "::" not in text and "##" not in text:
        return text
    return "\n".join(_without_command(line) for line in text.split("\n")) if _is_read_by_runner() else text


def quoted(text: str, kind: str) -> str:
    """The text of a format for programs, written without anything that a runner takes for a command.

    Args:
        text: the whole text.
        kind: the format. Of those whose business is commands each line stays the one command that it is.
    """
    if not _is_read_by_runner() or ("##" not in text and "::" not in text):
        return text
    if kind in _JSON:  # there are lines of braces and quoted texts only: none begins with a command
        return text.replace("##", r"#\u0023")
    if kind in _MARKUP:
        lines = text.replace("##[", "#&#35;[").replace("##vso[", "#&#35;vso[").split("\n")
        return "\n".join(line.replace("::", "&#58;:", 1) if line.lstrip().startswith("::") else line for line in lines)
    return "\n".join(line[:2] + line[2:].replace("##", "# #") for line in text.split("\n"))


def _is_read_by_runner() -> bool:
    """Whether a runner of GitHub Actions or Azure Pipelines reads what is printed."""
    return os.environ.get("GITHUB_ACTIONS", "").lower() == "true" or bool(os.environ.get("TF_BUILD"))


def _without_command(line: str) -> str:
    line = line.replace("##", "# #") if "##[" in line or "##vso[" in line.lower() else line
    bare = line.lstrip()
    return line[: len(line) - len(bare)] + ": :" + bare[2:] if bare.startswith("::") and "::" in bare[2:] else line


def _escape(piece: str) -> str:
    """What stands behind an escape character: a style, the beginning or the end of a link, or nothing of ours."""
    for head in ("]8;;", "\\"):
        if piece.startswith(head):
            return f"\x1b{head}" + piece[len(head) :].translate(_LINES)
    codes, end, rest = piece[1:].partition("m")
    is_style = piece.startswith("[") and end and all(sign in "0123456789;" for sign in codes)
    return f"\x1b[{codes}m{rest.translate(_LINES)}" if is_style else _SAFE[0x1B] + piece.translate(_LINES)
