"""`mllint reduce FILE RULE`: the few lines of a file that still show what a rule reports, for a report of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mllint.cli.command import Checked, Command, argument, option
from mllint.cli.completions import rules
from mllint.cli.terminal import OK, complain, emit
from mllint.errors import MllintError, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mllint.engine.reduce import Reduced

__all__ = ["command"]

_SECONDS = "60"
_OF_TEXT = ("engine", "suppression")
"""The families of rules that are not about the program."""
_FILE = Checked(splits=False)


def main(
    file: str,
    rule: str,
    line: str | None,
    keep: tuple[str, ...],
    neutral_names: bool,
    output: str | None,
    time_limit: str,
    isolated: bool,
) -> int:
    """Run the command; gives the exit code."""
    from mllint.cli.progress import Progress
    from mllint.config.load import load as load_config
    from mllint.engine.reduce import Wish, reduce

    rule = _rule(rule)
    if output is not None and os.path.exists(output) and os.path.exists(file) and os.path.samefile(output, file):
        raise UsageError(f"`--output {output}` is the file that is reduced: name another one")
    with Progress("{} lines left, {} programs tried") as progress:
        wish = Wish(int(line) if line else None, _lines(keep), neutral_names, float(time_limit), progress)
        reduced = reduce(file, rule, load_config([file], isolated), wish)
    text = "\n".join(_text(reduced))
    if output is None:
        emit(text.split("\n"))
    else:
        _write(output, f"{text}\n")
    for remark in _remarks(reduced, rule):
        complain(remark)
    return OK


def _rule(name: str) -> str:
    from mllint.catalogue import pages

    names = {alias: info.name for info in pages.rules().values() for alias in (info.name, *info.aliases)}
    if name not in names:
        raise UsageError(f"there is no rule `{name}`{did_you_mean(name, names) or '; `mllint rules` lists them'}")
    if pages.rules()[names[name]].family in _OF_TEXT:
        raise UsageError(f"`{names[name]}` is about comments or about text that does not parse: these go first")
    return names[name]


def _lines(given: Sequence[str]) -> set[int]:
    """The lines that `--keep 3,7-9` names."""
    found: set[int] = set()
    for part in (part for value in given for part in value.split(",") if part):
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def _no_lines(value: str) -> str:
    ends = [end for part in value.split(",") for end in part.split("-", 1)]
    fine = all(end.isascii() and end.isdecimal() and 0 < len(end) < 8 for end in ends)
    return "" if fine else f"`{value}` names no lines; write `12`, `12-15` or `3,12-15`"


def _no_line(value: str) -> str:
    return "" if value.isascii() and value.isdecimal() and len(value) < 8 else f"`{value}` is not a line"


def _no_seconds(value: str) -> str:
    return (
        "" if value.isascii() and value.isdecimal() and 0 < len(value) < 6 else f"`{value}` is not a number of seconds"
    )


def _text(reduced: Reduced) -> Iterator[str]:
    """The program; several files as fences below their names, as a form for issues shows them."""
    if len(reduced.texts) == 1:
        yield from (text.rstrip("\n") for text in reduced.texts.values())
        return
    for path, text in reduced.texts.items():
        yield f"`{path}`:\n```python\n{text}```"


def _write(path: str, text: str) -> None:
    from mllint.files.writing import replace

    try:
        replace(path, text.encode("utf-8", "surrogatepass"))
    except OSError as error:
        raise MllintError(f"`{path}` cannot be written: {error.strerror}") from None


def _remarks(reduced: Reduced, rule: str) -> Iterator[str]:
    after = sum(text.count("\n") for text in reduced.texts.values())
    yield f"{after} of {reduced.before} lines are left, after {reduced.tries} tries"
    for found in reduced.findings:
        yield f"{found.span.path}:{found.span.start.line}: {rule}: {found.message}"
    if reduced.pedantic:
        yield "note: it rests on a guess, so that only `--pedantic` shows it"
    if not reduced.is_whole:
        yield "note: the time was over before all was tried; `--time-limit` gives more"


command = Command(
    "reduce",
    params=[
        argument("file", "FILE", "a Python file or a notebook in which the rule reports something", type=_FILE),
        argument("rule", "RULE", "the rule", type=Checked(complete=rules)),
        option("--line", "the finding that starts on this line (default: the first one)", "N", kind=Checked(_no_line)),
        option("--keep", "lines that stay as they are, such as those that make the code right (repeatable)", "LINES",
               many=True, kind=Checked(_no_lines)),
        option("--neutral-names", "rename what the program names, unless the finding depends on the name"),
        option("--output", "write the result to this file", "FILE", kind=_FILE, writes=True),
        option("--time-limit", "stop after about this time, with the result so far", "SECONDS",
               kind=Checked(_no_seconds), default=_SECONDS),
        option("--isolated", "ignore all configuration files", env="MLLINT_ISOLATED"),
    ],
    help="Shrink a file to the few lines that still produce a finding, for a bug report.",
    callback=main,
)  # fmt: skip
"""The command."""
