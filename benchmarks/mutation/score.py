"""Which mutants are reported, by the right rule, at the right place, and only because of the edit?

A finding counts if its rule belongs to the operator, if its primary or one of its labels starts in a statement that was
edited or that the operator names as a consumer of the fault, and if nothing like it was reported in the untouched
unit. Mutants of a file in which the rule reports something already are left out: that code was not clean.
"""

from __future__ import annotations

import ast
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchmarks.mutation.edits import REGISTERED, Edit, File, Mutant, Operator, Unit, last

from mllint.catalogue import pages as catalogue
from mllint.diagnostic import Diagnostic
from mllint.engine.engine import check_sources

__all__ = ["Candidate", "Result", "candidates", "judge", "sample"]


class Candidate(NamedTuple):
    """A mutant that could be judged."""

    operator: Operator
    unit: Unit
    file: File
    mutant: Mutant


class Result(NamedTuple):
    """A mutant that was judged."""

    operator: str
    rule: str
    unit: str
    path: str
    line: int
    change: str
    found: bool
    elsewhere: bool
    """Was the rule reported, but at another place?"""


def candidates(units: Iterable[Unit], wanted: set[str]) -> Iterator[Candidate]:
    """All mutants of the units of one folder, each once, although units share files."""
    seen: set[object] = set()
    for unit in units:
        for operator in REGISTERED:
            if wanted and operator.name not in wanted and not wanted & set(operator.rules):
                continue
            for file in unit.files:
                for mutant in operator.function(unit, file):
                    key = (operator.name, tuple(sorted(set(mutant.edits))))
                    if key not in seen:
                        seen.add(key)
                        yield Candidate(operator, unit, file, mutant)


def sample(found: list[list[Candidate]], limit: int, seed: int) -> list[Candidate]:
    """At most `limit` mutants of each operator, taken in turn from the folders, by chance within each."""
    chosen = []
    for operator in REGISTERED:
        generator = random.Random(f"{seed} {operator.name}")
        folders = [[c for c in of if c.operator is operator] for of in found]
        folders = [of for of in folders if of]
        for of in folders:
            generator.shuffle(of)
        generator.shuffle(folders)
        taken: list[Candidate] = []
        while folders and (not limit or len(taken) < limit):
            taken += [of.pop() for of in folders]
            folders = [of for of in folders if of]
        chosen += taken[:limit] if limit else taken
    return chosen


def apply(texts: dict[str, str], edits: list[Edit]) -> dict[str, str]:
    """Apply edits, last first; two edits of one stretch are one."""
    changed = dict(texts)
    for edit in reversed(ordered(edits)):
        text = changed[edit.path]
        changed[edit.path] = text[: edit.start] + edit.text + text[edit.end :]
    return changed


def ordered(edits: list[Edit]) -> list[Edit]:
    return sorted(dict.fromkeys(edits), key=lambda e: (e.start, e.end))


def moved(path: str, at: int, edits: list[Edit], last: bool = False) -> int:
    """Where a position of the old text is in the new one; `last`: after what is inserted there."""
    shift = 0
    for edit in ordered(edits):
        if edit.path == path and (edit.end < at or (edit.end == at and (last or edit.start < at))):
            shift += len(edit.text) - (edit.end - edit.start)
    return at + shift


def places(mutant: Mutant, texts: dict[str, str]) -> dict[str, list[tuple[int, int]]]:
    """The lines of the mutated statements, and of those that are marked, in each file of the new text."""
    found: dict[str, list[tuple[int, int]]] = {}
    for path in dict.fromkeys([e.path for e in mutant.edits] + [m.path for m in mutant.marks]):
        file = File(path, texts[path])
        spans = []
        for edit in (e for e in dict.fromkeys(mutant.edits) if e.path == path):
            start = moved(path, edit.start, [e for e in mutant.edits if e != edit])
            spans.append((start, start + max(len(edit.text), 1)))
        for mark in (m for m in mutant.marks if m.path == path):
            start = moved(path, mark.start, mutant.edits, last=True)
            spans.append((start, start + 1))
        found[path] = list(lines(file, spans))
    return found


def lines(file: File, spans: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The line ranges of the statements (of compound ones, the head) that meet one of the stretches."""
    for node in file.nodes:
        if not isinstance(node, (ast.stmt, ast.ExceptHandler)):
            continue
        start, end = file.span(node)
        decorators = getattr(node, "decorator_list", ())
        top = min([node.lineno, *(d.lineno for d in decorators)])
        start = min([start, *(file.span(d)[0] for d in decorators)])
        body = getattr(node, "body", None) or getattr(node, "cases", None)
        if body:
            first = body[0]
            end = file.span(first.pattern if isinstance(first, ast.match_case) else first)[0]
        if any(a < end and start < b for a, b in spans):
            yield top, file.text.count("\n", 0, max(end - 1, start)) + 1


def key(found: Diagnostic, texts: dict[str, str]) -> tuple[str, str, str]:
    """What makes a finding the same in another version of the text."""
    line = texts[found.span.path].split("\n")[found.span.start.line - 1]
    return found.rule, found.span.path, " ".join(line.split())


class Judge:
    """Judges mutants; remembers what is reported in the untouched units."""

    def __init__(self) -> None:
        self.before: dict[tuple[str, tuple[str, ...]], list[Diagnostic]] = {}

    def untouched(self, unit: Unit, rules: tuple[str, ...]) -> list[Diagnostic]:
        known = (unit.name, rules)
        if known not in self.before:
            self.before[known] = report(unit.texts, rules)
        return self.before[known]

    def judge(self, candidate: Candidate) -> Result | None:
        """The result for a mutant, None if it is none: in dead code, not Python any more, or not clean before."""
        operator, unit, file, mutant = candidate
        if is_dead(unit, mutant):
            return None
        texts = apply(unit.texts, mutant.edits)
        try:
            for path in dict.fromkeys(e.path for e in mutant.edits):
                compile(texts[path], path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            return None
        old = self.untouched(unit, operator.rules)
        if any(d.span.path == file.path for d in old):
            return None
        known = Counter(key(d, unit.texts) for d in old)
        fresh = []
        for d in report(texts, operator.rules):
            mine = key(d, texts)
            if known[mine]:
                known[mine] -= 1
            else:
                fresh.append(d)
        where = places(mutant, texts)
        hit = any(meets(d, where) for d in fresh)
        first = min(mutant.edits, key=lambda e: (e.path != file.path, e.start))
        edited = unit.texts[first.path]
        line = edited.count("\n", 0, first.start) + 1
        text = first.text if first.text != "pass" else f"delete {edited[first.start : first.end]}"
        change = " ".join(text.split())[:70]
        return Result(
            operator.name, operator.rules[0], unit.name, first.path, line, change, hit, bool(fresh) and not hit
        )


TEST = re.compile(r"(^|/)(test_[^/]*|[^/]*_test|conftest)\.py$")
"""What files of tests are called."""


def is_dead(unit: Unit, mutant: Mutant) -> bool:
    """Is the bug in a function of a script, or in a class without bases, that nothing in the unit names, or under
    `if False:`? Nobody runs it. Nor does anybody train with what only tests itself, where only the pedantic hear of a
    bug."""
    edit = mutant.edits[0]
    file = next(f for f in unit.files if f.path == edit.path)
    if TEST.search(file.path) and re.search(r"\b(pytest|unittest|testing)\b", file.text):
        return True
    never = (n for n in file.nodes if isinstance(n, ast.If) and isinstance(n.test, ast.Constant) and not n.test.value)
    if any(file.span(n.body[0])[0] <= edit.start < file.span(n.body[-1])[1] for n in never):
        return True
    if not re.search(r"^if .*__name__", file.text, re.MULTILINE):
        return False
    for node in (n for n in file.nodes if isinstance(n, (ast.FunctionDef, ast.ClassDef))):
        start, end = file.span(node)
        plain = not node.decorator_list and not node.name.startswith("__") and not getattr(node, "bases", ())
        above = [n for n in file.up(node) if not isinstance(n, ast.Module)]
        plain = plain and all(isinstance(n, ast.ClassDef) and not n.bases for n in above)
        if plain and start <= edit.start < end and not is_named(unit, node.name, method=bool(above)):
            return True
    return False


def is_named(unit: Unit, name: str, *, method: bool) -> bool:
    """Does the unit name a function, other than where it is defined? A comment does not, nor does a method of something
    else that has the same name, unless a method is asked for."""
    if len(re.findall(rf"\b{name}\b", unit.all)) == 1:
        return False
    return method or any(
        (isinstance(n, ast.Name) and n.id == name)
        or (isinstance(n, ast.alias) and n.name == name)
        or (isinstance(n, ast.Constant) and n.value == name)
        or (isinstance(n, ast.Attribute) and n.attr == name and last(n.value) in file.imported)
        for file in unit.files
        for n in file.nodes
    )


def report(texts: dict[str, str], rules: tuple[str, ...]) -> list[Diagnostic]:
    """What the rules report, as `mllint check` would say it; the pedantic rules as it would say with that persona."""
    pedantic = any(catalogue.rules()[rule].persona != "regular" for rule in rules)
    found = check_sources(texts, selected=frozenset(rules), pedantic=pedantic).diagnostics
    return [d for d in found if d.rule in rules]


def meets(found: Diagnostic, where: dict[str, list[tuple[int, int]]]) -> bool:
    spans = [found.span, *(label.span for label in found.labels)]
    return any(a <= s.start.line <= b for s in spans for a, b in where.get(s.path, ()))


def judge(chosen: list[Candidate]) -> list[Result]:
    """Judge mutants, in the order of the units so that what is known of a unit is used and forgotten."""
    judged = Judge()
    results = [judged.judge(candidate) for candidate in chosen]
    return [r for r in results if r is not None]
