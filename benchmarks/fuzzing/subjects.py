"""Who reads an input? Each function hands one to the part of mllint that reads such a thing, in this process.

What a user is meant to see (`MllintError`: a sentence about the file) is an answer; any other exception is a fault.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.fuzzing.inputs import Input

from mllint.catalogue import pages
from mllint.cli.app import main as command_line
from mllint.config.load import load
from mllint.config.model import Config
from mllint.engine.engine import check_sources
from mllint.engine.own_stubs import require_readable
from mllint.errors import MllintError
from mllint.findings import baseline

__all__ = ["Fault", "subject"]

_CODES = frozenset((0, 1, 2))


class Fault(Exception):
    """Something that no input may lead to."""


def subject(generator: str) -> Callable[[Input], None]:
    """Who reads the inputs of a generator."""
    return _OTHERS.get(generator, _check)


def _check(files: Input, config: Config | None = None) -> None:
    report = check_sources(files, selected=frozenset(pages.rules()), pedantic=True, config=config)
    errors = [found.message for found in report.diagnostics if found.rule == "internal-error"]
    if errors or report.crashed:
        raise Fault(f"internal error: {errors}")


def _configuration(files: Input) -> None:
    _written(files)
    with contextlib.suppress(MllintError):
        load(["x.py"])


def _baseline(files: Input) -> None:
    _written(files)
    with contextlib.suppress(MllintError):
        accepted = baseline.load(os.path.abspath("baseline.json"))
        baseline.compare(accepted, [], paths=["."], config=Config(root=os.getcwd()))


def _stub(files: Input) -> None:
    _written(files)
    with contextlib.suppress(MllintError):
        require_readable(os.path.abspath("typings"), "typings")
        _check({"x.py": files["x.py"]}, Config(root=os.getcwd(), stubs=("typings",)))


def _command_line(files: Input) -> None:
    words = files["arguments"].decode().split("\n")
    _written({path: data for path, data in files.items() if path != "arguments"})
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(3)]
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        code = command_line(words)
        sys.stderr.flush()
        said = streams[2].buffer.getvalue().decode(errors="replace")
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    if code not in _CODES or "bug of mllint" in said or "Traceback" in said:
        raise Fault(f"exit code {code}: {said[-3000:]}")


def _written(files: Input) -> None:
    """Make the current folder, which is the child's own, hold these files and no others."""
    for entry in os.scandir("."):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)
    for path, data in files.items():
        place = Path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


_OTHERS: dict[str, Callable[..., None]] = {
    "configurations": _configuration,
    "requirements": _configuration,
    "baselines": _baseline,
    "stubs": _stub,
    "command-lines": _command_line,
}
