"""How many injected bugs does mllint report? The command of the mutation benchmark.

    python -m benchmarks.mutation                        the clean projects in tests/fixtures/clean
    python -m benchmarks.mutation FOLDER... --limit 30   each training script of any folders, with what it imports
    python -m benchmarks.mutation --pinned --limit 10    these and the pinned packages that scripts.txt names

Prints the share that is reported for each operator and rule, and each miss with its place. The output is the same for
the same input and seed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import defaultdict

import benchmarks.mutation.operators  # noqa: F401
from benchmarks.mutation.edits import REGISTERED
from benchmarks.mutation.pinned import folders as pinned
from benchmarks.mutation.score import Result, candidates, judge, sample
from benchmarks.mutation.units import units

from mllint.catalogue import pages as catalogue

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLEAN = os.path.join(ROOT, "tests", "fixtures", "clean")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.mutation", description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="*", help="projects to mutate; default: tests/fixtures/clean")
    parser.add_argument(
        "--pinned", action="store_true", help="the packages that scripts.txt names, and our own projects"
    )
    parser.add_argument("--only", action="append", default=[], help="an operator or a rule; may be repeated")
    parser.add_argument("--limit", type=int, default=0, help="at most so many mutants of each operator")
    parser.add_argument("--seed", type=int, default=0, help="which mutants, where there are more than the limit")
    parser.add_argument("--json", action="store_true", help="print all results as JSON")
    options = parser.parse_args(arguments)
    started = time.process_time()
    own = [os.path.join(CLEAN, name) for name in sorted(os.listdir(CLEAN))]
    folders = options.folders or own
    if options.pinned:
        folders = [*pinned(), *folders]
    found = [list(candidates(units(folder), set(options.only))) for folder in folders]
    chosen = sample(found, options.limit, options.seed)
    results = judge(chosen)
    if options.json:
        print(json.dumps([r._asdict() for r in results], indent=1))
    else:
        show(results, {os.path.basename(os.path.normpath(folder)): folder for folder in folders})
    print(f"{len(chosen)} mutants, {time.process_time() - started:.0f} s of CPU", file=sys.stderr)
    return 0


def show(results: list[Result], folders: dict[str, str]) -> None:
    """Operators, rules, families, the total, then the misses, with paths below the folders, which go by their names."""
    print("## Operators")
    for operator in REGISTERED:
        row([r for r in results if r.operator == operator.name], operator.name, " | ".join(operator.rules))
    print("\n## Rules")
    by_family: dict[str, list[Result]] = defaultdict(list)
    for name, info in sorted(catalogue.rules().items(), key=lambda item: (item[1].family, item[0])):
        of = [r for r in results if r.rule == name]
        by_family[info.family] += of
        row(of, name, info.family)
    print("\n## Families")
    for family, of in by_family.items():
        row(of, family, "")
    row(results, "total", "")
    print("\n## Misses")
    for r in (r for r in results if not r.found):
        where = " (reported elsewhere)" if r.elsewhere else ""
        folder = os.path.relpath(folders[r.unit.split(":")[0]])
        print(f"{r.operator}: {folder}/{r.path}:{r.line}: {r.change}{where}")


def row(of: list[Result], name: str, more: str) -> None:
    if of:
        hits = sum(r.found for r in of)
        print(f"{name:32} {more:48} {hits:5} of {len(of):5}  {100 * hits / len(of):5.1f}%")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
