"""Does mllint say about real packages what a reader agreed with?

    python benchmarks/ecosystem run                     fetch, check and compare the first group of packages.txt
    python benchmarks/ecosystem run --all               everything in it
    python benchmarks/ecosystem run timm trl            some packages only
    python benchmarks/ecosystem run --update            and write what was found to expected.json, new ones unlabelled
    python benchmarks/ecosystem report                  the tables again, from the last run
    python benchmarks/ecosystem pin NAME==VERSION       a line for packages.txt (`--sdist`: of the source archive)

Each package is one process of the mllint of this checkout, two at a time, with a limit on its CPU time; a package that
hits it is named in the report. The sources lie in a cache outside of the repository (`--cache`), never in it. The exit
code is 1 if anything differs from what is expected, crashed, was not read or did not finish.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from fetch import Package, fetch, parse, pin
from findings import Finding, Outcome, by_package, by_rule, compare, dump, load, outcome, review, updated
from process import check

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "expected.json")
PACKAGES = os.path.join(HERE, "packages.txt")
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "mllint-ecosystem")
REST = "# --all\n"  # the line of packages.txt below which a plain run does not read
LEFT_OUT = frozenset("_build build dist site-packages wandb lightning_logs mlruns outputs checkpoints runs".split())


def main(arguments: Sequence[str]) -> int:
    """Run one of the commands."""
    options = _parser().parse_args(arguments)
    if options.command == "pin":
        name, _, version = options.package.partition("==")
        pinned = pin(name, version, options.sdist)
        print(pinned.line if isinstance(pinned, Package) else pinned)
        return 0 if isinstance(pinned, Package) else 2
    with open(PACKAGES, encoding="utf-8") as file:
        text = file.read()
    packages = parse(text)
    unknown = set(options.names) - {package.name for package in packages}
    if unknown:
        print(f"not in packages.txt: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    if not options.names and not options.all:
        packages = parse(text.partition(REST)[0])
    packages = [package for package in packages if not options.names or package.name in options.names]
    expected = _expected()
    results = os.path.join(options.cache, "results")
    os.makedirs(results, exist_ok=True)
    if options.command == "run":
        with ThreadPoolExecutor(options.processes) as pool:
            outcomes = list(pool.map(partial(_checked, cache=options.cache, limit=options.limit), packages))
    else:
        outcomes = [found for p in packages if (found := _remembered(results, p.name)) is not None]
    difference = compare(expected, outcomes)
    if options.update:
        expected = updated(expected, outcomes)
        with open(EXPECTED, "w", encoding="utf-8") as file:
            file.write(dump(expected))
    _print(expected, outcomes, review(difference))
    wrong = any(o.problem or o.crashes or o.unread for o in outcomes)
    return int(wrong or any(difference))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="ecosystem", description="Precision on real packages.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, about in (("run", "fetch, check, compare"), ("report", "the tables of the last run")):
        command = commands.add_parser(name, help=about)
        command.add_argument("names", nargs="*", metavar="PACKAGE")
        command.add_argument("--cache", default=CACHE, help="where sources and results lie")
        command.add_argument("--update", action="store_true", help="write what was found to expected.json")
        command.add_argument("--all", action="store_true", help="the second group of packages.txt, too")
        if name == "run":
            command.add_argument("--limit", type=int, default=300, help="CPU seconds for one package")
            command.add_argument("--processes", type=int, default=2)
    pinning = commands.add_parser("pin", help="a line for packages.txt")
    pinning.add_argument("package", metavar="NAME==VERSION")
    pinning.add_argument("--sdist", action="store_true", help="the source archive, not the wheel")
    return parser


def _expected() -> list[Finding]:
    if not os.path.exists(EXPECTED):
        return []
    with open(EXPECTED, encoding="utf-8") as file:
        return load(file.read())


def _remembered(results: str, name: str) -> Outcome | None:
    try:
        with open(os.path.join(results, f"{name}.json"), encoding="utf-8") as file:
            values = json.load(file)
    except FileNotFoundError:
        return None
    found = Outcome(*values)
    return found._replace(findings=tuple(Finding(*f) for f in found.findings), notes=tuple(found.notes))


def _checked(package: Package, cache: str, limit: int) -> Outcome:
    """Check one package and remember what was found, for `report`."""
    found = _check(package, cache, limit)
    with open(os.path.join(cache, "results", f"{package.name}.json"), "w", encoding="utf-8") as file:
        json.dump(found, file)
    return found


def _check(package: Package, cache: str, limit: int) -> Outcome:
    """Fetch and check one package."""
    nothing = Outcome(package.name, 0, 0, (), 0, 0, (), 0, 0.0)
    folder, problem = fetch(package, cache)
    if problem:
        return nothing._replace(problem=f"not fetched: {problem}")
    run = check(folder, limit)
    print(f"{package.name}: exit code {run.code}, {run.seconds:.1f} s", file=sys.stderr, flush=True)
    if run.problem:
        return nothing._replace(problem=run.problem, seconds=run.seconds)
    with open(os.path.join(cache, "results", f"{package.name}.mllint.json"), "wb") as file:
        file.write(run.output)  # whoever labels reads the messages here
    return outcome(package.name, json.loads(run.output), partial(_quote, folder), _files(folder), run.seconds)


def _quote(folder: str, path: str, line: int, cell: int | None) -> str:
    """A line of a file or of a notebook's cell."""
    with open(os.path.join(folder, path), encoding="utf-8", errors="replace") as file:
        text = file.read()
    if cell is not None:
        cells = [c["source"] for c in json.loads(text)["cells"]]
        text = "".join(cells[cell - 1]) if cell <= len(cells) else ""
    lines = text.splitlines()
    return lines[line - 1].strip() if line <= len(lines) else ""


def _files(folder: str) -> int:
    """How many files a check reads: all but those in folders that the documentation says are left out."""
    inside = (
        names for at, _, names in os.walk(folder) if not LEFT_OUT & set(os.path.relpath(at, folder).split(os.sep))
    )
    return sum(name.endswith((".py", ".ipynb")) for names in inside for name in names)


def _print(expected: Sequence[Finding], outcomes: Sequence[Outcome], difference: str) -> None:
    """The report: what went wrong first, then the difference, then the tables."""
    names = {each.package for each in outcomes}
    shown = [finding for finding in expected if finding.package in names]
    for title, lines in (
        ("Not finished", [f"{o.package}: {o.problem}" for o in outcomes if o.problem]),
        ("Crashes", [f"{o.package}: {o.crashes} times `internal-error`" for o in outcomes if o.crashes]),
        ("Files neither read nor noted", [f"{o.package}: {o.unread}" for o in outcomes if o.unread]),
        ("Notes", [f"{o.package}: {note}" for o in outcomes for note in o.notes]),
    ):
        if lines:
            print(f"## {title}\n", *(f"- {line}" for line in lines), "", sep="\n")
    print("## Difference\n", difference, "", sep="\n")
    print("## Packages\n", by_package(shown, outcomes), "", sep="\n")
    print("## Rules\n", by_rule(shown), sep="\n")
    unlabelled = sum(not finding.label for finding in shown)
    unparsed = sum(o.unparsed for o in outcomes)
    print(f"\n{unlabelled} findings have no label; {unparsed} files do not parse.")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"{sum(o.seconds for o in outcomes):.0f} s of CPU, largest process {peak} MB", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
