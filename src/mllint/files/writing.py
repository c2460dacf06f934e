"""May this file be written, and how? Whoever names a file on the command line may; a configuration may do less.

A configuration comes with the project, and the project may be a stranger's. What it names is written if

* it lies below the folder of the configuration, and no link leads to it or stands in its place;
* it does not exist, or is what mllint has written there before: a report is known by its beginning, a baseline by being
  read as one (see `baseline.load`).

A file is replaced when the new one is whole: a reader sees the old one or the new one.
"""

from __future__ import annotations

import os

__all__ = ["is_report", "problem_of", "replace"]

_BEGINNING = 2000
"""So many bytes are enough to know a report by."""
_MARKS = (
    rb'\{\s*"schema_version": \d+,\s*"summary"',  # json
    rb'\{"rule": "[a-z-]+", "family": "',  # json-lines
    rb'\{\s*"\$schema": "[^"]*sarif[^"]*",(?s:.)*"name": "mllint"',
    rb'\[\s*(?:\]|\{\s*"type": "issue",\s*"check_name": "[a-z-]+",)',  # gitlab
    rb'\{\s*"source": \{\s*"name": "mllint"',  # rdjson
    rb'<\?xml[^>]*>\s*<testsuites name="mllint"',
    rb"### mllint: ",
    rb"##vso\[task\.logissue ",
    rb"::(?:error|warning|notice) (?:file=|title=mllint)",
    rb"(?:Found \d+ |All checks passed!|Nothing was |Nothing to check: )",
    rb"(?:\s*\d+  |[^\n]*:\d+:\d+: )?(?:error|warning|info)\[[a-z-]+\]",  # text for people, perhaps as statistics
)


def problem_of(folder: str, path: str) -> str | None:
    """Why a file that a configuration names is not written, as the end of a sentence about it.

    Args:
        folder: the folder of the configuration, absolute.
        path: the file, absolute and without `..`.

    Returns:
        What stands in the way; None if nothing does.
    """
    if "\0" in path:
        return "has a null character in its name"
    top = folder.rstrip(os.sep) + os.sep
    if not path.startswith(top) or path == top:
        return "is not below the folder of the configuration: only the command line may name a file elsewhere"
    place = top
    for part in path[len(top) :].split(os.sep):
        place = os.path.join(place, part)
        if os.path.islink(place):
            return "is a link, or below a linked folder: only the command line may name one"
    if os.path.lexists(path) and not os.path.isfile(path):
        return "exists and is not a file"
    return None


def is_report(path: str) -> bool:
    """Whether a file is a report of mllint, in any format, or empty."""
    import re

    with open(path, "rb") as file:
        beginning = file.read(_BEGINNING)
    plain = re.sub(rb"\x1b(?:\[[0-9;]*m|\]8;;[^\x1b]*\x1b\\)", b"", beginning)
    return not plain.strip() or any(re.match(mark, plain) for mark in _MARKS)


def replace(path: str, data: bytes) -> None:
    """Write a file as a whole or not at all; what stood in its place keeps its permissions.

    Args:
        path: the file. A link in its place is replaced, not followed.
        data: its contents.

    Raises:
        OSError: it cannot be written; what was there before is still there.
    """
    folder, name = os.path.split(path)
    fresh = os.path.join(folder, f".{name}.{os.urandom(4).hex()}.tmp")
    try:
        with open(fresh, "xb") as file:
            file.write(data)
        if os.path.isfile(path) and not os.path.islink(path):
            os.chmod(fresh, os.stat(path).st_mode & 0o7777)
        os.replace(fresh, path)
    except BaseException:
        if os.path.lexists(fresh):
            os.unlink(fresh)
        raise
