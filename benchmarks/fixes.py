"""Do fixes end in the right code?

    python -m benchmarks.fixes                           the mutants of the clean projects, 8 of each operator
    python -m benchmarks.fixes --pinned --limit 8        these and the packages of `benchmarks/mutation/scripts.txt`
    python -m benchmarks.fixes --moved 3 --files 2000    each also as strangers would write it, until so many are fixed
    python -m benchmarks.fixes --real FOLDER...          what is found in any folders, fixed as it is found

Mutants are known to have been right once. A mutant that is reported by a rule with a fix is fixed, and counts as

    offered     there is a fix
    repaired    it is kept: the finding is gone, the files parse, no rule finds more, and all comments stay
    equal       the files are those before the mutation, up to white space and what stands where something was
                deleted: `pass`, `if True:`
    moved       each block has its statements of before, in another order: what is put back stands elsewhere

A file is broken if it does not parse, has lost a comment, if a rule finds more than before, or if a second run would
change it again. With `--moved` each mutant is fixed again in other forms (`mutation.moves`). What they are equal to is
not asked: a move carves the program with its bug elsewhere than the one without.

An operator that brings along what is no part of the bug (`BRINGS`: a list that collects the loss, a second optimizer, a
schedule), or takes away what nobody can know (a seed), leaves no way back: the last line counts the others alone.

In real folders all fixes are applied, unsafe ones too. Each changed file must parse and keep its comments. Each rule is
shown, and then what was not repaired.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import io
import os
import random
import re
import sys
import time
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import benchmarks.mutation.operators  # noqa: F401
from benchmarks.mutation.__main__ import CLEAN
from benchmarks.mutation.edits import REGISTERED, Operator
from benchmarks.mutation.moves import MOVES
from benchmarks.mutation.pinned import folders as pinned
from benchmarks.mutation.score import Candidate, apply, candidates, key, report, sample
from benchmarks.mutation.sides import after
from benchmarks.mutation.units import units

from mllint.catalogue import pages as catalogue
from mllint.config.model import Config
from mllint.config.selection import resolve_selection
from mllint.diagnostic import Diagnostic
from mllint.engine.engine import Engine
from mllint.engine.mending import Component, mend
from mllint.engine.run import check_paths
from mllint.project.discovery import Memory, discover

CONFIG = Config(fixes=True)
BRINGS = frozenset(
    """accumulate-whole-losses accumulate-with-schedule bool-option clear-each-micro-batch
    clip-added-at-the-wrong-place cross-validate-prepared-rows distribute drop-seed fit-before-folds
    freeze-model list-of-losses optimizer-in-loop prepare-all-rows remember-best seed-in-loop softmax-in-helper
    sum-of-tensors""".split()
)
"""Operators whose mutants hold, when the bug is gone, something else than what was there before."""


class Outcome(NamedTuple):
    """What became of a mutant."""

    operator: str
    rule: str
    place: str
    offered: bool
    repaired: bool = False
    equal: bool = False
    moved: bool = False
    difference: str = ""
    files: int = 0
    broken: tuple[str, ...] = ()


# -------------------------------------------------------------------------------------------------------------- mutants
class Pair(NamedTuple):
    """A program without a bug and with it, as they were written or as a move wrote them."""

    operator: Operator
    unit: str
    path: str
    move: str
    right: dict[str, str]
    wrong: dict[str, str]


def pairs(candidate: Candidate, moves: int) -> Iterator[Pair]:
    """A mutant as it is, and after at most so many moves, which are drawn by chance."""
    operator, unit, file, mutant = candidate
    yield Pair(operator, unit.name, file.path, "", unit.texts, apply(unit.texts, mutant.edits))
    named = f"{unit.name} {operator.name} {mutant.edits}"
    for by in random.Random(named).sample(MOVES, len(MOVES)) if moves else ():
        right, wrong = (after(candidate, by, named, mutated=mutated) for mutated in (False, True))
        if right is not None and wrong is not None:
            yield Pair(operator, unit.name, file.path, by.name, right.texts, wrong.texts)
            moves -= 1
        if not moves:
            return


def outcome(pair: Pair, engine: Engine) -> Outcome | None:
    """Fix a mutant; None if it is none, or is not reported by a rule with a fix."""
    operator, right, wrong = pair.operator, pair.right, pair.wrong
    if not all(map(parses, wrong.values())):
        return None
    old = report(right, operator.rules)
    if any(d.span.path == pair.path for d in old):
        return None
    component = component_of(engine, wrong)
    before = component.found({path: text.encode() for path, text in wrong.items()})
    known = Counter(key(d, right) for d in old)
    fresh = [d for d in before if d.rule in operator.rules and not known[key(d, wrong)]]
    fixable = [d for d in fresh if catalogue.rules()[d.rule].fix != "none"]
    if not fixable:
        return None
    place = f"{pair.move} {pair.unit.split(':')[0]}/{fixable[0].span.path}:{fixable[0].span.start.line}".strip()
    if not any(d.fix for d in fixable):
        return Outcome(operator.name, fixable[0].rule, place, False)
    mended = component.mended(fixable, unsafe=True)
    fixed = {**wrong, **{path: data.decode() for path, data in mended.after.items()}}
    kept = bool(mended.fixed) and all(comments(fixed[path]) == comments(wrong[path]) for path in mended.after)
    equal = kept and fixed.keys() == right.keys() and all(bare(fixed[path]) == bare(right[path]) for path in fixed)
    same = kept and not equal and fixed.keys() == right.keys()
    moved = same and all(blocks(fixed[path]) == blocks(right[path]) for path in fixed)
    difference = "".join(line for path in fixed for line in differences(right.get(path, ""), fixed[path]))
    broken = (*problems(mended.before, mended.after), *restless(engine, fixed, before, mended.fixed))
    files = len(mended.after)
    return Outcome(operator.name, fixable[0].rule, place, True, kept, equal, moved, difference, files, broken)


def component_of(engine: Engine, texts: Mapping[str, str]) -> Component:
    data = {path: text.encode() for path, text in texts.items()}
    return Component(engine, data, lambda changed: Memory({**data, **changed}))


def restless(
    engine: Engine, fixed: Mapping[str, str], before: Iterable[Diagnostic], mended: Iterable[Diagnostic]
) -> Iterator[str]:
    """What a second run says of a program that was fixed: rules that find more than before, and files that it would
    change once more for a rule that was fixed."""
    component = component_of(engine, fixed)
    again = component.found({path: text.encode() for path, text in fixed.items()}) if mended else []
    for rule in Counter(d.rule for d in again) - Counter(d.rule for d in before):
        yield f"{rule}: finds more than before"
    rules = {d.rule for d in mended}
    left = [d for d in again if d.rule in rules and d.fix]
    for path in component.mended(left, unsafe=True).after if left else ():
        yield f"{path}: a second run changes it"


def blocks(text: str) -> Counter[tuple[str, ...]]:
    """The statements of each block of a text, in no order."""
    found: Counter[tuple[str, ...]] = Counter()
    for node in ast.walk(ast.parse(text)):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                found[tuple(sorted(ast.unparse(s).split("\n")[0] for s in block if not isinstance(s, ast.Pass)))] += 1
    return found


def differences(one: str, other: str) -> Iterable[str]:
    lines = difflib.unified_diff(one.splitlines(keepends=True), other.splitlines(keepends=True), "right", "fixed", n=1)
    return (line if line.endswith("\n") else f"{line}\n" for line in lines)


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


def comments(text: str) -> Counter[str]:
    """The comments of a text, and how often each is there."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return Counter()
    return Counter(token.string for token in tokens if token.type == tokenize.COMMENT)


def bare(text: str) -> str:
    """A text without white space, commas that only close, and what stands in place of what a mutation took away: a
    lone `pass`, and the `if True:` that was a `with`."""
    lines = [line for line in text.split("\n") if not re.fullmatch(r"\s*(pass|if True:)(\s*#.*)?", line)]
    return "".join("".join(lines).split()).replace(",)", ")")


def mutants(folders: Iterable[str], limit: int, only: set[str], moves: int = 0, files: int = 0) -> list[Outcome]:
    """Fix at most so many mutants of each operator of a rule with a fix, and, unless it is 0, at most so many files."""
    fixable = {info.name for info in catalogue.rules().values() if info.fix != "none"}
    wanted = {o.name for o in REGISTERED if fixable & set(o.rules)}
    wanted = {o.name for o in REGISTERED if o.name in wanted and (not only or only & {o.name, *o.rules})}
    chosen = sample([list(candidates(units(folder), wanted)) for folder in folders], limit, 0)
    if files:
        random.Random(0).shuffle(chosen)
    selected = resolve_selection(Config(), catalogue.rules().values())
    results: list[Outcome] = []
    for candidate in chosen:
        pedantic = any(catalogue.rules()[rule].persona != "regular" for rule in candidate.operator.rules)
        engine = Engine(CONFIG, selected | frozenset(candidate.operator.rules), pedantic, Memory({}))
        results += (r for pair in pairs(candidate, moves) if (r := outcome(pair, engine)) is not None)
        if files and sum(r.files for r in results) >= files:
            break
    return results


def show(results: list[Outcome], *, differs: bool = False) -> None:
    by_rule: dict[str, list[Outcome]] = defaultdict(list)
    for result in results:
        by_rule[result.rule].append(result)
    print(f"{'rule':32} mutants  offered  repaired  equal  moved")
    for rule in sorted(by_rule):
        row(rule, by_rule[rule])
    row("all", results)
    row("of operators that bring nothing", [r for r in results if r.operator not in BRINGS])
    broken = [f"{r.operator}: {r.place}: {each}" for r in results for each in r.broken]
    print(f"{sum(r.files for r in results)} files with a fix, {len(broken)} broken", *broken, sep="\n")
    print("\n## Not repaired")
    for result in (r for r in results if not r.repaired):
        print(f"{result.operator}: {result.place}: {'undone' if result.offered else 'nothing offered'}")
    for result in (r for r in results if differs and r.offered and not r.equal):
        print(f"\n{result.operator}: {result.place}\n{result.difference}", end="")


def row(name: str, of: list[Outcome]) -> None:
    offered, repaired, equal = sum(r.offered for r in of), sum(r.repaired for r in of), sum(r.equal for r in of)
    moved = sum(r.moved for r in of)
    share = "".join(f"  {100 * count / len(of):4.0f}%" for count in (repaired, equal, equal + moved)) if of else ""
    print(f"{name:32} {len(of):7} {offered:8} {repaired:9} {equal:6} {moved:6}{share}")


# ----------------------------------------------------------------------------------------------------------------- real
def real(folders: Iterable[str]) -> int:
    """Fix what is found in folders, in memory; gives how many files are broken."""
    selected = resolve_selection(Config(), catalogue.rules().values())
    found, fixed, files, broken = Counter[str](), Counter[str](), 0, 0
    for folder in folders:
        os.chdir(folder)
        discovery = discover(["."], CONFIG)
        report = check_paths(["."], CONFIG, selected=selected, pedantic=False, found=discovery)
        found.update(d.rule for d in report.diagnostics)
        mended = mend(report.diagnostics, discovery, ["."], selected=selected, pedantic=False, unsafe=True)
        fixed.update(d.rule for d in mended.fixed)
        files += len(mended.after)
        for problem in problems(mended.before, mended.after):
            broken += 1
            print(f"{os.path.basename(folder)}/{problem}")
        offered = [d for d in report.diagnostics if d.fix is not None]
        counts = f"{len(report.diagnostics)} found, {len(offered)} offered, {len(mended.fixed)} fixed"
        print(f"{os.path.basename(folder)}: {counts}")
    fixable = {d: n for d, n in found.items() if catalogue.rules()[d].fix != "none"}
    total = f"{sum(fixed.values())} of {sum(fixable.values())} findings of rules with a fix"
    print(f"{total}, in {files} files; {broken} broken")
    for rule in sorted(fixable):
        print(f"  {rule:32} {fixed[rule]:4} of {fixable[rule]:4}")
    return broken


def problems(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> Iterable[str]:
    """The files that do not parse, or have lost a comment."""
    for path, data in after.items():
        if path.endswith(".ipynb"):
            continue
        old, new = before[path].decode("utf-8", "replace"), data.decode("utf-8", "replace")
        if not parses(new) and parses(old):
            yield f"{path}: does not parse"
        elif comments(old) - comments(new):
            yield f"{path}: lost {[*(comments(old) - comments(new))]}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.fixes", description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="*", help="projects; default: tests/fixtures/clean")
    parser.add_argument("--pinned", action="store_true", help="the packages of scripts.txt as well")
    parser.add_argument("--real", action="store_true", help="fix what is found, mutate nothing")
    parser.add_argument("--differences", action="store_true", help="show what is not equal")
    parser.add_argument("--limit", type=int, default=8, help="at most so many mutants of each operator")
    parser.add_argument("--moved", type=int, default=0, help="each mutant also after so many moves")
    parser.add_argument("--files", type=int, default=0, help="stop when so many files have been fixed")
    parser.add_argument("--only", action="append", default=[], help="an operator or a rule; may be repeated")
    options = parser.parse_args(arguments)
    started = time.process_time()
    folders = [os.path.abspath(folder) for folder in options.folders]
    own = [] if options.real else [os.path.join(CLEAN, name) for name in sorted(os.listdir(CLEAN))]
    folders = folders or own
    folders = [*pinned(), *folders] if options.pinned else folders
    broken = 0
    if options.real:
        broken = real(folders)
    else:
        results = mutants(folders, options.limit, set(options.only), options.moved, options.files)
        show(results, differs=options.differences)
        broken = sum(len(r.broken) for r in results)
    print(f"{time.process_time() - started:.0f} s of CPU", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
