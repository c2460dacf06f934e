"""Scripts by chance: some files of the pinned packages in which an operator applies, and nobody chose which.

    python -m benchmarks.mutation.drawn --count 450 --seed 1     draw again: the lines of drawn.txt
    python -m benchmarks.mutation.drawn --count 60 --seed 2 --new    others, for `sides --scripts FILE`

The packages are taken in turn, in an order by chance, and so is a file of each, until there are enough; what is
committed is the list only. Packages of `scripts.txt` are left out, since their misses were read.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Iterator

import benchmarks.mutation.operators  # noqa: F401
from benchmarks.ecosystem.fetch import Package, fetch
from benchmarks.mutation.edits import REGISTERED, Unit
from benchmarks.mutation.pinned import CACHE, HERE, listed, packages
from benchmarks.mutation.units import read, script, scripts

__all__ = ["LIST", "drawn", "texts", "unit"]

LIST = os.path.join(HERE, "drawn.txt")


def drawn(scripts: str = LIST) -> Iterator[tuple[str, list[str]]]:
    """The folder of each package that has drawn scripts, with their paths; pip fetches what is not there yet."""
    wanted: dict[str, list[str]] = {}
    for line in sorted(listed(scripts)):
        package, _, path = line.partition(" ")
        wanted.setdefault(package, []).append(path)
    known = {f"{p.name}=={p.version}": p for p in packages()}
    for name, paths in wanted.items():
        if name not in known:
            sys.exit(f"not in packages.txt: {name}")
        folder, problem = fetch(known[name], CACHE)
        if problem:
            sys.exit(f"{name}: {problem}")
        yield folder, paths


def texts(folder: str) -> dict[str, str]:
    """All scripts and modules of a package."""
    return {os.path.relpath(path, folder): read(path) for path in scripts(folder) if path.endswith(".py")}


def unit(folder: str, path: str, known: dict[str, str]) -> Unit | None:
    """A script with what it imports, if an operator applies in it."""
    found = script(folder, path, known)
    file = found and next(f for f in found.files if f.path == path)
    return found if file and any(True for o in REGISTERED for _ in o.function(found, file)) else None


def draw(count: int, seed: int, left_out: set[str]) -> Iterator[str]:
    """Lines for the list, the packages in turn."""
    chance = random.Random(seed)
    ways = [_paths(p, seed) for p in packages() if p.name not in left_out]
    chance.shuffle(ways)
    while ways and count:
        for way in list(ways):
            line = next(way, None)
            if line is None:
                ways.remove(way)
            elif count:
                count -= 1
                yield line


def _paths(package: Package, seed: int) -> Iterator[str]:
    """The scripts of a package in which an operator applies, in an order by chance."""
    folder, problem = fetch(package, CACHE)
    known = {} if problem else texts(folder)
    paths = sorted(known)
    random.Random(f"{seed} {package.name}").shuffle(paths)
    yield from (f"{package.name}=={package.version} {path}" for path in paths if unit(folder, path, known))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="benchmarks.mutation.drawn", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--new", action="store_true", help="without the scripts of drawn.txt")
    options = parser.parse_args()
    known = listed(LIST) if options.new else set()
    for line in sorted(set(draw(options.count, options.seed, listed(os.path.join(HERE, "scripts.txt")))) - known):
        print(line)
