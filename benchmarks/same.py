"""Do two builds of mllint say the same, byte for byte? `python benchmarks/same.py PYTHON PYTHON FOLDER...`

    python benchmarks/same.py pure/bin/python compiled/bin/python examples tests/fixtures
    python benchmarks/same.py pure/bin/python compiled/bin/python ~/.cache/mllint-ecosystem/*-[0-9]*

Each Python checks each folder with the mllint that is installed beside it, for the pedantic, without a cache and in one
job. The output as JSON, the notes and the exit codes are compared; where they differ, the lines that do are shown and
the exit code is 1. What a run left out because it took too long depends on the machine and not on the build: such a
folder is named, and not compared.
"""

from __future__ import annotations

import argparse
import difflib
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

COMMAND = "import sys; sys.path.pop(0); from mllint.cli import run; run()"  # nothing of the current folder is imported
CHECK = ("check", "--isolated", "--no-cache", "--pedantic", "--exit-zero", "--jobs", "1", "--output-format", "json")
SHOWN = 20  # lines of a difference
CUT = b"takes longer than"


class Said(NamedTuple):
    """What one run said."""

    code: int
    output: bytes
    errors: bytes


def main(arguments: Sequence[str]) -> int:
    """Compare two builds."""
    options = _parser().parse_args(arguments)
    pythons = (options.python, options.other)
    for python in pythons:
        print(f"{python}: {build(python)}", flush=True)
    with ThreadPoolExecutor(options.processes) as pool:
        found = pool.map(partial(difference, pythons), options.folders)
        differing = cut = 0
        for number, (folder, lines) in enumerate(zip(options.folders, found, strict=True), start=1):
            if lines is None:
                cut += 1
                print(f"{folder}: took too long, and is not compared", flush=True)
            elif lines:
                differing += 1
                print(f"{folder}: not the same", *lines[:SHOWN], sep="\n", flush=True)
            if number % 20 == 0:
                print(f"{number} of {len(options.folders)}", file=sys.stderr, flush=True)
    same = len(options.folders) - differing - cut
    print(f"{same} folders the same, {differing} not, {cut} not compared")
    return int(differing > 0)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="same", description="Do two builds of mllint say the same?")
    parser.add_argument("python", metavar="PYTHON", help="one in whose environment mllint is installed")
    parser.add_argument("other", metavar="PYTHON", help="another one")
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--processes", type=int, default=2, help="how many folders are checked at once")
    return parser


def build(python: str) -> str:
    """Which build of mllint a Python has."""
    lines = said(python, ("version", "--verbose")).output.decode().splitlines()
    return next((line.partition(" ")[2].strip() for line in lines if line.startswith("build")), "no mllint")


def said(python: str, words: Sequence[str]) -> Said:
    """What mllint says to a command line."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run([python, "-c", COMMAND, *words], capture_output=True, env=environment, check=False)
    return Said(done.returncode, done.stdout, done.stderr)


def difference(pythons: Sequence[str], folder: str) -> list[str] | None:
    """The lines in which two builds differ about a folder; None where one of them left something out for its time."""
    one, other = (said(python, (*CHECK, folder)) for python in pythons)
    if one == other:
        return []
    if CUT in one.output + one.errors + other.output + other.errors:
        return None
    texts = [
        f"exit code {s.code}\n{(s.errors + s.output).decode('utf-8', 'replace')}".split("\n") for s in (one, other)
    ]
    return [*difflib.unified_diff(*texts, *pythons, lineterm="", n=0)]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
