"""What do findings on real packages owe to names?

    python -m benchmarks.names                     every pinned package that has findings
    python -m benchmarks.names pytorch-tabnet      some of them
    python -m benchmarks.names --write             and write `names_known.txt` anew; what is new has no reason yet

Each package is checked as it stands, and with every name of its authors' replaced by a word that means nothing, without
comments (`tests.metamorphic.meaningless`; conventional names stay). A certain finding that only one of the two has
rests on a name: one that is *lost* is accused by it, one that is *gained* is excused by it. Findings are compared by
their rule and the statement that they are about.

`names_known.txt` lists the differences that are known, each with its reason. The exit code is 1 if there are others,
or if more than 5% of the findings differ. The sources are those that `benchmarks/ecosystem run` has fetched; a package
that is not there is named and left out.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from typing import Any, NamedTuple

from mllint.diagnostic import Span
from tests.metamorphic.meaningless import meaningless
from tests.metamorphic.program import Program, Written

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(os.path.dirname(HERE), "src")
EXPECTED = os.path.join(HERE, "ecosystem", "expected.json")
KNOWN = os.path.join(HERE, "names_known.txt")
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "mllint-ecosystem")
CHECK = "import sys; from mllint.cli import main; sys.exit(main(sys.argv[1:]))"
OPTIONS = ("check", "--isolated", "--no-cache", "--exit-zero", "--output-format", "json", "--jobs", "1", ".")
BAR = 0.05
UNJUDGED = frozenset(("syntax-error", "internal-error"))
HEADER = """# Certain findings on the pinned packages that a name accuses (lost without it) or excuses (gained).
# package, place, rule, lost or gained, reason. `python -m benchmarks.names --write` keeps the reasons that are here.
"""


class Row(NamedTuple):
    """One difference: the statement by its path and line in the package as it stands."""

    package: str
    place: str
    rule: str
    change: str


class Outcome(NamedTuple):
    """What was compared in one package: `problem` is "" where both runs finished."""

    package: str
    findings: int
    rows: tuple[Row, ...]
    problem: str = ""


def main(arguments: Sequence[str]) -> int:
    """Compare the packages that were asked for, and print what differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.names", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", nargs="*", metavar="PACKAGE")
    parser.add_argument("--cache", default=CACHE, help="where the sources lie")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="write names_known.txt anew")
    options = parser.parse_args(arguments)
    packages = options.packages or with_findings()
    listed, outcomes = known(), []
    fresh = get_context("spawn")  # one process for each package: its trees are gone before the next one
    with ProcessPoolExecutor(options.processes, mp_context=fresh, max_tasks_per_child=1) as pool:
        for outcome in pool.map(partial(compare, cache=options.cache), packages):
            outcomes.append(outcome)
            for row in outcome.rows:
                print(*row, listed.get(row, "NEW"), sep="\t", flush=True)
            if outcome.problem:
                print(f"{outcome.package}: {outcome.problem}", file=sys.stderr)
    rows = [row for outcome in outcomes for row in outcome.rows]
    total = sum(outcome.findings for outcome in outcomes)
    share = len(rows) / total if total else 0.0
    print(f"{len(outcomes)} packages, {total} findings, {len(rows)} differ: {share:.1%}")
    if options.write:
        write(rows, listed, {outcome.package for outcome in outcomes if not outcome.problem})
    return int(share > BAR or any(row not in listed for row in rows))


def with_findings() -> list[str]:
    """The packages of the benchmark in which something is expected."""
    with open(EXPECTED, encoding="utf-8") as file:
        return sorted({entry["package"] for entry in json.load(file)})


def known() -> dict[Row, str]:
    """The differences that are listed, with their reasons."""
    if not os.path.exists(KNOWN):
        return {}
    with open(KNOWN, encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file if line.strip() and not line.startswith("#")]
    return {Row(*row[:4]): row[4] for row in rows}


def write(rows: Iterable[Row], listed: dict[Row, str], packages: set[str]) -> None:
    """Write the list anew for some packages; the others' entries and all reasons stay."""
    kept = {row: reason for row, reason in listed.items() if row.package not in packages}
    kept |= {row: listed.get(row, "") for row in rows}
    with open(KNOWN, "w", encoding="utf-8") as file:
        file.write(HEADER + "".join("\t".join((*row, kept[row])) + "\n" for row in sorted(kept)))


def compare(name: str, cache: str) -> Outcome:
    """Check a package with its names and without them."""
    folder = next((os.path.join(cache, f) for f in sorted(os.listdir(cache)) if _is_of(f, name)), None)
    if folder is None:
        return Outcome(name, 0, (), "its sources are not in the cache")
    program = _program(folder)
    original = program.as_it_stands(program)
    before = _places(_findings(folder), original)
    meaningless(program)
    written = program.write()
    with tempfile.TemporaryDirectory(prefix="meaningless-") as other:
        copy = os.path.join(other, "package")
        shutil.copytree(folder, copy)
        for path, text in written.texts.items():
            with open(os.path.join(copy, path), "w", encoding="utf-8") as file:
                file.write(text)
        after = _places(_findings(copy), written)
    rows = [Row(name, place, rule, "lost") for rule, place in before - after]
    rows += [Row(name, place, rule, "gained") for rule, place in after - before]
    return Outcome(name, len(before), tuple(sorted(rows)))


def _is_of(folder: str, name: str) -> bool:
    return folder.rpartition("-")[0].rpartition("-")[0] == name


def _program(folder: str) -> Program:
    """The Python files of a package that parse."""
    files = {}
    for at, _, names in sorted(os.walk(folder)):
        for name in sorted(n for n in names if n.endswith(".py")):
            path = os.path.join(at, name)
            try:
                with open(path, encoding="utf-8", newline="") as file:
                    text = file.read()
                compile(text, path, "exec", dont_inherit=True)
            except (SyntaxError, ValueError):
                continue  # checked as it stands, in both versions
            files[os.path.relpath(path, folder)] = text
    return Program(files)


def _findings(folder: str) -> list[dict[str, Any]]:
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    command = [sys.executable, "-P", "-c", CHECK, *OPTIONS]
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    found: list[dict[str, Any]] = json.loads(run.stdout)["diagnostics"]
    return [diagnostic for diagnostic in found if diagnostic["rule"] not in UNJUDGED]


def _places(findings: Iterable[dict[str, Any]], written: Written) -> set[tuple[str, str]]:
    """Rule and statement of each finding, in terms of the package as it stands."""
    found = set()
    for each in findings:
        path, start, end = each["path"], each["start"], each["end"]
        if path in written.trees:
            span = Span(path, (start["line"], start["column"]), (end["line"], end["column"]))
            path, line = written.origin(span) or (path, 0)
            found.add((each["rule"], f"{path}:{line}"))
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
