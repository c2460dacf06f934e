"""Everything that mllint can say: an example for each place in the code that makes a finding, and for each wording.

    python -m tests.messages        write tests/messages.md anew (a few seconds; a minute where much is new)
    python -m tests.messages --all  look for further wordings in all examples of all pages (a minute)

A *variant* is one `Finding(...)` in a module of `mllint.checks`. The file shows what each of them prints, with the
`why` and `help` that go with it, on the first example that reaches it, and on one example for each further wording:
where the text depends on the input, in more than the names and numbers that it quotes. So a reader can go through all
sentences in one sitting, and a change of words shows as a difference. `tests/test_messages.py` runs the examples again,
and looks for each piece of text in the code of the checks (`pieces`). An example that is there for its words alone, of
a rule whose page is full, is in `tests/wordings`.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

from mllint.catalogue import pages as catalogue
from mllint.checks import import_all
from mllint.rule import Finding
from tests.pages import Case, read_page
from tests.spec import reported_on

__all__ = ["FILE", "Piece", "Shown", "Variant", "examples", "parse", "pieces", "shown", "variants"]

ROOT = Path(__file__).parent.parent
FILE = ROOT / "tests" / "messages.md"
CHECKS = ROOT / "src" / "mllint" / "checks"
_PLACES = ("  at: ", "  label: ")
_QUOTED = re.compile(r"`[^`]*`|'[^']*'|\d+")
HEAD = """# What mllint says

Every `Finding(...)` in the code, with what it prints on one example; a letter marks a further wording of the same one.
Written by `python -m tests.messages`; read it whole after changing words.
"""


class Variant(NamedTuple):
    """One place that makes a finding: `optimizer/missing_zero_grad` and its number in the file, from 1."""

    module: str
    number: int

    def __str__(self) -> str:
        return f"{self.module}, {self.number}"


class Shown(NamedTuple):
    """What one variant prints on one example."""

    variant: Variant
    page: str
    example: str
    text: str

    @property
    def wording(self) -> tuple[Variant, str]:
        """The text without labels, and without the names and numbers that it quotes."""
        rows = [row for row in self.text.splitlines() if not row.startswith(_PLACES)]
        return self.variant, _QUOTED.sub("_", "\n".join(rows))

    @property
    def places(self) -> set[tuple[Variant, str]]:
        """What is written at the places of the finding, each without what it quotes."""
        rows = (row for row in self.text.splitlines() if row.startswith(_PLACES))
        return {(self.variant, _QUOTED.sub("_", row)) for row in rows}


class Piece(NamedTuple):
    """A piece of text in the code of a check that is handed to a report: what stands between the values in it."""

    module: str
    line: int
    text: str


@cache
def variants() -> dict[tuple[str, int], Variant]:
    """All variants, by the path of their module below `checks` and by the line of the call."""
    found = {}
    for path in sorted(CHECKS.rglob("*.py")):
        module = path.relative_to(CHECKS).with_suffix("").as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = (n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
        lines = sorted((n.lineno, n.col_offset) for n in calls if n.func.id == "Finding")
        for number, (line, _) in enumerate(lines, 1):
            found[module, line] = Variant(module, number)
    return found


def pieces() -> Iterator[Piece]:
    """All text of at least eight characters, of several words, in the modules of the checks, but for docstrings, the
    filters of rules, and lists of names: what of it no finding says is on no list of wordings."""
    for path in sorted(p for p in CHECKS.rglob("*.py") if p.parent != CHECKS):
        module = path.relative_to(CHECKS).with_suffix("").as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        nodes = list(ast.walk(tree))
        filters = [n for f in nodes for d in getattr(f, "decorator_list", ()) for n in ast.walk(d)]
        names = [n.func.value for n in nodes if isinstance(n, ast.Call) and _is_split(n.func)]
        lists = {n.id for n in (*filters, *names) if isinstance(n, ast.Name)}
        tables = [
            n.value for n in nodes if isinstance(n, ast.Assign) and lists & {getattr(t, "id", "") for t in n.targets}
        ]
        documented = [n.value for n in nodes if isinstance(n, ast.Expr)]
        passed = {id(n) for top in (*names, *tables, *documented) for n in ast.walk(top)} | {id(n) for n in filters}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in passed:
                for part in (p.strip() for p in re.split(r"(?<!\{)\{\w*\}(?!\})", node.value)):
                    if len(part) >= 8 and " " in part:
                        yield Piece(module, node.lineno, part.replace("{{", "{").replace("}}", "}"))


def _is_split(func: Any) -> bool:
    return isinstance(func, ast.Attribute) and func.attr == "split"


def examples() -> Iterator[tuple[str, Case]]:
    """The examples of all pages, those of the catalogue first."""
    folders = ("rules", "tests/regressions", "tests/shapes", "tests/wordings", "docs")
    for path in (p for folder in folders for p in sorted((ROOT / folder).rglob("*.md"))):
        page = path.relative_to(ROOT).as_posix()
        if folders[-1] != page.split("/")[0] or page == "docs/how-mllint-decides.md":
            for case in read_page(path.read_text(encoding="utf-8")):
                yield page, case


@contextmanager
def recorded() -> Iterator[list[tuple[tuple[str, int], Finding]]]:
    """While this is open, the list grows by each finding that is made, with the place that makes it."""
    found: list[tuple[tuple[str, int], Finding]] = []

    def make(*arguments: Any, **named: Any) -> Finding:
        finding = Finding(*arguments, **named)
        caller = sys._getframe(1)
        module = os.path.relpath(caller.f_code.co_filename, CHECKS).removesuffix(".py").replace(os.sep, "/")
        found.append(((module, caller.f_lineno), finding))
        return finding

    import_all()
    names = ["mllint.checks." + module.replace("/", ".") for module in sorted({m for m, _ in variants()})]
    modules = [importlib.import_module(name) for name in names]
    try:
        for module in modules:
            module.Finding = make
        yield found
    finally:
        for module in modules:
            module.Finding = Finding


def shown(page: str, case: Case) -> list[Shown]:
    """What an example prints, for each variant that it reaches, and each of its wordings."""
    places = variants()
    rule = next((n for n in (Path(page).stem, Path(page).parent.name) if n in catalogue.rules()), "")
    with recorded() as made:
        diagnostics = reported_on(case, rule)
    found: dict[str, Shown] = {}
    for place, finding in made:
        variant = _variant(places, place)
        said = next((d for d in diagnostics if d.message == finding.message and d.primary == finding.primary), None)
        if variant is None or said is None:
            continue
        rows = [f"{said.severity}[{said.rule}]: {said.message}", f"  at: {said.primary}"]
        rows += [f"  label: {text}" for _, text in said.labels]
        rows += [f"  why: {said.why}", f"  help: {said.help}"]
        entry = Shown(variant, page, case.id, "\n".join(rows))
        found.setdefault(f"{entry.wording} {sorted(entry.places)}", entry)
    return list(found.values())


def _variant(places: dict[tuple[str, int], Variant], place: tuple[str, int]) -> Variant | None:
    """The variant at a line of a module; a call over several lines may count from any of them."""
    module, line = place
    before = [at for name, at in places if name == module and at <= line]
    return places[module, max(before)] if before else None


def render(entries: Iterable[Shown]) -> str:
    """The file."""
    parts, numbers = [HEAD], Counter[Variant]()
    for entry in sorted(entries, key=lambda e: e.variant):
        letter = ascii_lowercase[numbers[entry.variant]]
        head = f"{entry.variant}{letter if numbers[entry.variant] else ''}"
        numbers[entry.variant] += 1
        parts.append(f"## {head}\n\n{entry.page}: {entry.example}\n\n```text\n{entry.text}\n```\n")
    return "\n".join(parts)


def parse(text: str) -> list[Shown]:
    """The entries of the file."""
    found = []
    for part in text.split("\n## ")[1:]:
        head, place, fenced = part.split("\n\n", 2)
        text = fenced.removeprefix("```text\n").rpartition("\n```")[0]
        module, _, number = head.rpartition(", ")
        page, _, example = place.partition(": ")
        found.append(Shown(Variant(module, int(number.rstrip(ascii_lowercase))), page, example, text))
    return found


class _List:
    """Entries each of which says something that those before it do not."""

    def __init__(self) -> None:
        self.entries: list[Shown] = []
        self.known: set[tuple[Variant, str]] = set()

    def add(self, entry: Shown) -> None:
        """Take an entry whose wording is new, or what it writes at a place."""
        said = {entry.wording, *entry.places}
        if not said <= self.known:
            self.entries.append(entry)
            self.known |= said


def _missing(found: Iterable[Shown]) -> set[Variant]:
    """The variants that no entry shows."""
    return set(variants().values()) - {entry.variant for entry in found}


def main(*, everywhere: bool = False) -> None:
    """Write the file: entries that hold stay with their examples, and what is missing is looked for, in all examples
    where a piece of text is on no entry, as after a merge that kept one of two lists.

    Args:
        everywhere: look for further wordings in all examples; else only in those that the file names.
    """
    listed = parse(FILE.read_text(encoding="utf-8")) if FILE.exists() else []
    order = {entry[:3]: number for number, entry in enumerate(listed)}
    places = {(entry.page, entry.example) for entry in listed}
    again = [e for page, case in examples() if everywhere or (page, case.id) in places for e in shown(page, case)]
    found = _List()
    for entry in sorted(again, key=lambda e: order.get(e[:3], len(listed))):
        found.add(entry)
    for narrow in (True, False):
        rules = {v.module.rpartition("/")[2].replace("_", "-") for v in _missing(found.entries)}
        for page, case in [(p, c) for p, c in examples() if rules and (not narrow or Path(p).stem in rules)]:
            for entry in shown(page, case):
                if entry.variant in _missing(found.entries):
                    found.add(entry)
    FILE.write_text(render(found.entries), encoding="utf-8")
    missing = (f"no example reaches {v}" for v in sorted(_missing(found.entries)))
    print(f"{len(found.entries)} wordings", *missing, sep="\n")
    said = "\n".join(entry.text for entry in found.entries)
    if not everywhere and any(piece.text not in said for piece in pieces()):
        main(everywhere=True)


if __name__ == "__main__":
    main(everywhere="--all" in sys.argv[1:])
