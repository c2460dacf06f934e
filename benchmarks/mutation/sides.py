"""Is a bug found as well where a stranger wrote it? Plain and moved recall side by side.

    python -m benchmarks.mutation.sides                        two bugs in each script, two moves of each of drawn.txt
    python -m benchmarks.mutation.sides --only detached-loss   an operator, a rule or a move
    python -m benchmarks.mutation.sides --misses               and what was lost or found by moving, with its place

Each mutant is judged as it is, and again after each of some moves (`moves/`), which are drawn by chance. The original
is moved, too: what is reported then and was not before is a false alarm. A moved mutant of which the operator itself
could say nothing, because it judges by the words of names and these are gone, is left to it by `renaming`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import benchmarks.mutation.operators  # noqa: F401
from benchmarks.mutation.drawn import LIST, drawn, texts, unit
from benchmarks.mutation.edits import REGISTERED, File, Mutant, Unit
from benchmarks.mutation.moves import MOVES, Move, Moved, moved
from benchmarks.mutation.moves.program import Places, Program
from benchmarks.mutation.score import Candidate, Judge, Result, apply, lines, meets, places, report

__all__ = ["Side", "sides"]


class Side(NamedTuple):
    """A mutant that was moved."""

    plain: Result
    move: str
    found: bool
    false: tuple[str, ...]
    """What is reported in the moved original, and not in the original."""
    text: str
    """The moved file, where the two sides differ or the original is reported."""


class Options(NamedTuple):
    """How much is made."""

    mutants: int
    moves: int
    seed: int
    only: frozenset[str]


# ------------------------------------------------------------------------------------------------------------- one unit
def sides(of: Unit, path: str, options: Options) -> Iterator[Side]:
    """Some mutants of a script, each with some moves."""
    chance = random.Random(f"{options.seed} {of.name}")
    judge, done = Judge(), 0
    for mutant in drawn_mutants(of, path, options, chance):
        plain = judge.judge(mutant)
        if plain is None:
            continue
        found = list(both(mutant, plain, judge, options))
        yield from found
        done += bool(found)
        if done == options.mutants:
            return


def drawn_mutants(of: Unit, path: str, options: Options, chance: random.Random) -> Iterator[Candidate]:
    """One mutant of each operator that applies, the operators by chance."""
    file = next(f for f in of.files if f.path == path)
    moves = {m.name for m in MOVES}
    wanted = options.only - moves
    for operator in chance.sample(REGISTERED, len(REGISTERED)):
        if wanted and operator.name not in wanted and not wanted & set(operator.rules):
            continue
        mutants = [m for m in operator.function(of, file) if all(e.path == path for e in m.edits)]
        if mutants:
            yield Candidate(operator, of, file, chance.choice(mutants))


def both(mutant: Candidate, plain: Result, judge: Judge, options: Options) -> Iterator[Side]:
    """A mutant after some moves, with what the moved original says."""
    named = f"{options.seed} {plain.unit} {plain.operator} {plain.line} {plain.change}"
    wanted = options.only & {m.name for m in MOVES}
    known, made = Counter(d.rule for d in judge.untouched(mutant.unit, mutant.operator.rules)), 0
    for by in random.Random(named).sample(MOVES, len(MOVES)):
        if wanted and by.name not in wanted:
            continue
        new = after(mutant, by, named, mutated=True)
        if new is None:
            continue
        found = any(meets(d, new.places) for d in report(new.texts, mutant.operator.rules))
        old = after(mutant, by, named, mutated=False)
        said = Counter(d.rule for d in report(old.texts, mutant.operator.rules)) if old else Counter()
        false = tuple(sorted((said - known).elements()))
        shown = old if false else new if found != plain.found else None
        yield Side(plain, by.name, found, false, "\n# ----\n".join(changed(mutant.unit.texts, shown)) if shown else "")
        made += 1
        if made == options.moves:
            return


def after(mutant: Candidate, by: Move, named: str, mutated: bool) -> Moved | None:
    """The program after a move, with its bug or without it; None where the move declines."""
    of, (edits, marks) = mutant.unit, mutant.mutant
    if mutated:
        known = apply(of.texts, edits)
        edited, marked = places(Mutant(edits, []), known), places(mutant.mutant, known)
    else:
        known = of.texts
        edited = untouched(of, [(e.path, e.start, max(e.end, e.start + 1)) for e in edits])
        marked = untouched(of, [(m.path, m.start, m.start + 1) for m in marks])
    new = moved(Program(known, mutant.file.path, edited, marked, random.Random(f"{named} {by.name}")), by)
    return new if new and all(compiles(path, new.texts[path]) for path in new.places) else None


def untouched(of: Unit, spans: list[tuple[str, int, int]]) -> Places:
    """The lines of the statements of the original that meet some stretches."""
    found: Places = {}
    for path in dict.fromkeys(path for path, _, _ in spans):
        found[path] = list(lines(of_path(of, path), [(a, b) for p, a, b in spans if p == path]))
    return found


def of_path(of: Unit, path: str) -> File:
    return next(f for f in of.files if f.path == path)


def compiles(path: str, text: str) -> bool:
    try:
        compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return False
    return True


def changed(before: dict[str, str], new: Moved) -> list[str]:
    return [text for path, text in new.texts.items() if before.get(path) != text]


# ----------------------------------------------------------------------------------------------------------- everything
def of_package(given: tuple[tuple[str, list[str]], Options]) -> list[Side]:
    """All sides of the drawn scripts of a package."""
    (folder, paths), options = given
    known = texts(folder)
    found = ((unit(folder, path, known), path) for path in paths if path in known)
    return [side for of, path in found if of is not None for side in sides(of, path, options)]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.mutation.sides", description=__doc__.split("\n")[0])
    parser.add_argument("--mutants", type=int, default=2, help="of each script")
    parser.add_argument("--moves", type=int, default=2, help="of each mutant")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], help="an operator, a rule or a move; may be repeated")
    parser.add_argument("--first", type=int, default=0, help="so many packages only")
    parser.add_argument("--scripts", default=LIST, metavar="FILE", help="a list of other scripts, as drawn by `drawn`")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--misses", action="store_true", help="each mutant that was lost or found by moving")
    parser.add_argument("--json", metavar="FILE", help="write each result there, a line each, as it comes")
    options = parser.parse_args(arguments)
    started = time.time()
    wanted = Options(options.mutants, options.moves, options.seed, frozenset(options.only))
    todo = [(package, wanted) for package in drawn(options.scripts)][: options.first or None]
    found: list[Side] = []
    with (
        multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=20) as pool,
        open(options.json or os.devnull, "w", encoding="utf-8") as stream,
    ):
        for of in pool.imap(of_package, todo):
            found += of
            stream.writelines(json.dumps(s._replace(plain=s.plain._asdict())._asdict()) + "\n" for s in of)
            stream.flush()
    show(found, options.misses)
    print(f"{time.time() - started:.0f} s", file=sys.stderr)
    return 0


def show(found: list[Side], misses: bool) -> None:
    """The report: rules, moves, the total, false alarms, and what differs."""
    plain = {s.plain for s in found}
    units = {s.plain.unit for s in found}
    print(f"{len(plain)} mutants of {len(units)} scripts, and {len(found)} moved ones\n")
    print(f"{'':32} {'plain':>22} {'moved':>22}")
    table("rules", found, lambda s: s.plain.rule)
    table("moves", found, lambda s: s.move)
    table("all", found, lambda s: "total")
    for side in found:
        place = f"{side.move} {side.plain.operator}: {side.plain.unit}:{side.plain.line}: {side.plain.change}"
        if side.false:
            print(f"FALSE {', '.join(side.false)} {place}")
        if misses and not side.found:
            print(f"{'LOST' if side.plain.found else 'MISSED'} {side.plain.rule} {place}")


def table(title: str, found: Iterable[Side], of: Callable[[Side], str]) -> None:
    """One line for each group: plain, moved, false alarms."""
    groups: dict[str, list[Side]] = defaultdict(list)
    for side in found:
        groups[of(side)].append(side)
    print(f"## {title}")
    for name, group in sorted(groups.items()):
        mutants = {s.plain for s in group}
        before, now = sum(r.found for r in mutants), sum(s.found for s in group)
        false = sum(bool(s.false) for s in group)
        print(
            f"{name:32} {before:6} of {len(mutants):4} {100 * before / len(mutants):6.1f}%"
            f" {now:6} of {len(group):4} {100 * now / len(group):6.1f}%" + (f"  {false} false" if false else "")
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
