"""Do fixes end in the right code?

    python -m benchmarks.fixes                           the mutants of the clean projects, 8 of each operator
    python -m benchmarks.fixes --pinned --limit 8        these and the packages of `benchmarks/mutation/scripts.txt`
    python -m benchmarks.fixes --real FOLDER...          what is found in any folders, fixed as it is found

Mutants are known to have been right once. A mutant that is reported by a rule with a fix is fixed, and counts as

    offered     there is a fix
    repaired    it is kept: the finding is gone, the files parse, no rule finds more, and all comments stay
    equal       the files are those before the mutation, up to white space and what stands where something was
                deleted: `pass`, `if True:`
    moved       each block has its statements of before, in another order: what is put back stands elsewhere

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
import re
import sys
import time
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import benchmarks.mutation.operators  # noqa: F401
from benchmarks.mutation.__main__ import CLEAN
from benchmarks.mutation.edits import REGISTERED
from benchmarks.mutation.pinned import folders as pinned
from benchmarks.mutation.score import Candidate, Judge, apply, candidates, key, sample
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
def outcome(candidate: Candidate, judged: Judge, engine: Engine) -> Outcome | None:
    """Fix a mutant; None if it is none, or is not reported by a rule with a fix."""
    operator, unit, file, mutant = candidate
    texts = apply(unit.texts, mutant.edits)
    if not all(map(parses, texts.values())):
        return None
    old = judged.untouched(unit, operator.rules)
    if any(d.span.path == file.path for d in old):
        return None
    data = {path: text.encode() for path, text in texts.items()}
    component = Component(engine, data, lambda changed: Memory({**data, **changed}))
    known = Counter(key(d, unit.texts) for d in old)
    fresh = [d for d in component.found(data) if d.rule in operator.rules and not known[key(d, texts)]]
    fixable = [d for d in fresh if catalogue.rules()[d.rule].fix != "none"]
    if not fixable:
        return None
    place = f"{unit.name.split(':')[0]}/{fixable[0].span.path}:{fixable[0].span.start.line}"
    if not any(d.fix for d in fixable):
        return Outcome(operator.name, fixable[0].rule, place, False)
    mended = component.mended(fixable, unsafe=True)
    after = {**texts, **{path: text.decode() for path, text in mended.after.items()}}
    kept = bool(mended.fixed) and all(comments(after[path]) == comments(texts[path]) for path in mended.after)
    equal = kept and all(bare(after[path]) == bare(unit.texts[path]) for path in after)
    moved = kept and not equal and all(blocks(after[path]) == blocks(unit.texts[path]) for path in after)
    difference = "".join(line for path in after for line in differences(unit.texts[path], after[path]))
    broken = (*problems(mended.before, mended.after), *restless(engine, {**data, **mended.after}, mended.fixed))
    files = len(mended.after)
    return Outcome(operator.name, fixable[0].rule, place, True, kept, equal, moved, difference, files, broken)


def restless(engine: Engine, data: dict[str, bytes], fixed: Iterable[Diagnostic]) -> Iterable[str]:
    """The files that a second run of the rules whose findings were fixed would change once more."""
    rules = {d.rule for d in fixed}
    component = Component(engine, data, lambda changed: Memory({**data, **changed}))
    again = [d for d in component.found(data) if d.rule in rules] if rules else []
    for path in component.mended(again, unsafe=True).after if any(d.fix for d in again) else ():
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


def mutants(folders: Iterable[str], limit: int, only: set[str]) -> list[Outcome]:
    """Fix at most so many mutants of each operator of a rule with a fix."""
    fixable = {info.name for info in catalogue.rules().values() if info.fix != "none"}
    wanted = {o.name for o in REGISTERED if fixable & set(o.rules)}
    wanted = {o.name for o in REGISTERED if o.name in wanted and (not only or only & {o.name, *o.rules})}
    chosen = sample([list(candidates(units(folder), wanted)) for folder in folders], limit, 0)
    selected = resolve_selection(Config(), catalogue.rules().values())
    judged, results = Judge(), []
    for candidate in chosen:
        pedantic = any(catalogue.rules()[rule].persona != "regular" for rule in candidate.operator.rules)
        rules = selected | frozenset(candidate.operator.rules)
        results.append(outcome(candidate, judged, Engine(CONFIG, rules, pedantic, Memory({}))))
    return [result for result in results if result is not None]


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
        show(mutants(folders, options.limit, set(options.only)), differs=options.differences)
    print(f"{time.process_time() - started:.0f} s of CPU", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
