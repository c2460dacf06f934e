"""Does mllint do what its pages say? A pytest plugin that runs every fence of every page.

Collected are `rules/**/*.md`, `tests/regressions/**/*.md`, `tests/shapes/**/*.md` and `tests/wordings/*.md` (the same
format without metadata; a regression is about the rule that its file or folder is named for), and
`tests/semantics/*.md` (`reveal(x)` with what is expected behind `#`, also `reveal_name` and the like for the domains of
training, and `flow` fences, about the core instead of rules). Each example is one test, named by its headings.

What counts:

* every regular rule runs on every example, and the page's own rule; pedantic rules run on their own page only
* each `# error: [rule] "text"` is one finding that starts on that line; nothing else may be reported anywhere
* `# label: [rule] "text"` is a label of such a finding that starts on that line
* `# gap: [rule]` is a finding that is missed today; the test fails when it is reported, so that the page is upgraded
* in a `py before` block without claims the page's rule must be reported, in `py after` nothing
* a `py after fixed` block is what the fix of the page's rule makes of the `py before` block above it, to the letter;
  of a `py before unfixed` block it makes nothing
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import pytest

from mllint.catalogue import pages as catalogue
from mllint.diagnostic import Diagnostic, Span
from tests.pages import USUAL, Block, Case, Claim, claims, read_page, unbound, unclaimed

__all__ = ["Reported", "compare", "judge", "judged", "no_flow", "reported_on", "unknown_names"]

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOTS = ("rules", *(os.path.join("tests", name) for name in ("regressions", "semantics", "shapes", "wordings")))


class Reported(NamedTuple):
    """A finding in the coordinates of the blocks."""

    rule: str
    path: str
    line: int
    message: str
    labels: tuple[tuple[str, int, str], ...]
    """Path, line and text of every label, the primary one included."""


# ------------------------------------------------------------------------------------------------------ judging a case
def judge(case: Case, reported: Sequence[Reported], rule: str) -> list[str]:
    """What is wrong with the findings of a case, one line each; empty if the page is right.

    Args:
        case: the example with its claims.
        reported: the findings on it.
        rule: the rule that the page is about, empty if it is about none.
    """
    stated = any(claims(block.text) for block in case.files.values())
    if case.role == "before" and not stated:
        missing = [] if any(finding.rule == rule for finding in reported) else [f"`{rule}` is not reported"]
        return missing + [_unexpected(case, finding) for finding in reported if finding.rule != rule]
    return compare(case, reported)


def compare(case: Case, reported: Sequence[Reported]) -> list[str]:
    """The differences between what a case claims and what is reported, one line each."""
    wrong: list[tuple[int, str]] = []
    left = list(reported)
    for path, block in case.files.items():
        for claim in claims(block.text):
            if problem := _check(claim, path, left, reported):
                wrong.append((block.line + claim.line, f"{_place(block, path, claim.line)}: {problem}"))
    for finding in left:
        block = case.files.get(finding.path)
        wrong.append((block.line + finding.line if block else 0, _unexpected(case, finding)))
    return [text for _, text in sorted(wrong)]


def _check(claim: Claim, path: str, left: list[Reported], reported: Sequence[Reported]) -> str:
    if claim.kind == "label":
        labels = [label for finding in reported if finding.rule == claim.rule for label in finding.labels]
        here = [text for at, line, text in labels if (at, line) == (path, claim.line)]
        if any(claim.text in text for text in here):
            return ""
        return f'missing label of [{claim.rule}] "{claim.text}"' + (f", the labels here are {here}" if here else "")
    here_too = [
        finding for finding in left if (finding.rule, finding.path, finding.line) == (claim.rule, path, claim.line)
    ]
    match = next((finding for finding in here_too if claim.text in finding.message), None)
    if claim.kind == "gap":
        if match is None:
            return ""
        left.remove(match)
        return f"the gap is closed: [{claim.rule}] is reported now, upgrade the page (`# gap:` becomes `# error:`)"
    if match is not None:
        left.remove(match)
        return ""
    if here_too:
        left.remove(here_too[0])
        return f'[{claim.rule}] says "{here_too[0].message}", not "{claim.text}"'
    return f"missing [{claim.rule}]" + (f' "{claim.text}"' if claim.text else "")


def _unexpected(case: Case, finding: Reported) -> str:
    block = case.files.get(finding.path)
    place = _place(block, finding.path, finding.line) if block else f"{finding.path}:{finding.line}"
    return f"{place}: unexpected [{finding.rule}] {finding.message}"


def _place(block: Block, path: str, line: int) -> str:
    return f"line {block.line + line} ({path}:{line})"


def unknown_names(case: Case) -> list[str]:
    """What the blocks of a case read and nothing binds, one line each: unknown never reports, and may be a slip."""
    lines = []
    for path, block in case.files.items():
        names = unbound(block)
        if missing := [name for name in names if name in USUAL]:
            lines.append(
                f"{_place(block, path, 1)}: {_are(missing)} not imported here: a block with an `import` of its own "
                "does not get the usual ones"
            )
        if unknown := [name for name in names if name not in USUAL]:
            lines.append(f"{_place(block, path, 1)}: {_are(unknown)} bound by nothing in this block, so unknown")
    return lines


def no_flow(case: Case, rule: str) -> list[str]:
    """That a rule about flows was asked about none, in one line: only what trains or evaluates has a flow."""
    from mllint.rule import _checks

    check = _checks.get(rule)
    if check is None or check.subject != "Flow":
        return []
    asked: list[Any] = []
    _checks[rule] = check._replace(run=lambda *given: iter(asked.extend(given) or ()))
    try:
        reported_on(case, rule)
    finally:
        _checks[rule] = check
    return [] if asked else [f"no flow in this block, so `{rule}` is not asked: nothing trains here"]


def _are(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) + (" is" if len(names) == 1 else " are")


# ------------------------------------------------------------------------------------------------------ running a case
def judged(case: Case, rule: str) -> list[Reported]:
    """What is reported on a case of the page of a rule, in the coordinates of its blocks."""
    return [_reported(case, diagnostic) for diagnostic in reported_on(case, rule)]


def reported_on(case: Case, rule: str) -> list[Diagnostic]:
    """What is reported on a case of the page of a rule ("" for a page of none)."""
    from mllint.config.load import from_toml
    from mllint.config.load import load as load_config
    from mllint.config.selection import resolve_selection
    from mllint.engine import engine

    infos = list(catalogue.rules().values())
    settings = from_toml(_unprefixed(case.config)) if case.config else load_config([], True)
    own = catalogue.rules().get(rule)
    selected = set(resolve_selection(settings, infos))
    if own is not None and rule not in settings.ignore:
        selected.add(rule)
    pedantic = settings.pedantic or case.role == "pedantic" or (own is not None and own.persona != "regular")
    sources: dict[str, str | bytes] = {path: block.source() for path, block in case.files.items()}
    return engine.check_sources(sources, selected=frozenset(selected), pedantic=pedantic, config=settings).diagnostics


def _fixed(case: Case, rule: str) -> list[str]:
    """What is wrong with what the fix of a rule makes of a `py before` block."""
    from tests.fixing import fixed

    block = case.files.get("main.py")
    before = case.before or (block if block is not None and "unfixed" in block.words else None)
    if before is None or block is None:
        return []
    before = before._replace(text=unclaimed(before.text))
    rest = {path: other.source() for path, other in case.files.items() if path != "main.py"}
    made = fixed({**rest, "main.py": before.source()}, rule)["main.py"]
    expected = block.source() if case.before is not None else before.source()
    if made == expected or (made == before.source() and find_spec("libcst") is None):
        return []  # what needs LibCST is not offered without it, as where a wheel is tested: see `tests/test_fixes.py`
    drawn = difflib.unified_diff(expected.split("\n"), made.split("\n"), "the page", "the fix", lineterm="")
    return [f"line {block.line}: the fix of `{rule}` makes something else", *drawn]


def _unprefixed(text: str) -> str:
    """`[tool.mllint]` of a `pyproject.toml` as it would stand in `mllint.toml`."""
    return text.replace("[tool.mllint]", "").replace("[tool.mllint.", "[")


def _reported(case: Case, diagnostic: Diagnostic) -> Reported:
    def line(span: Span) -> int:
        block = case.files.get(span.path)
        return block.line_of(span.start.line, span.cell) if block else span.start.line

    labels = [(diagnostic.span, diagnostic.primary), *diagnostic.labels]
    return Reported(
        diagnostic.rule,
        diagnostic.span.path,
        line(diagnostic.span),
        diagnostic.message,
        tuple((span.path, line(span), text) for span, text in labels),
    )


def _semantics(case: Case) -> list[str]:
    """What is wrong with the `reveal` comments and the `flow` fence of a case about the core."""
    from mllint.semantics.testing.reveals import flow, reveals
    from mllint.sources.source import Source

    sources = {path: block.source() for path, block in case.files.items()}
    if case.flow is not None:
        drawn = _unshifted(flow(sources, " ".join(case.flow.words)), case)
        if drawn.rstrip() != case.flow.text.rstrip():
            return [f"line {case.flow.line}: the flow is", "", *drawn.split("\n")]
    expected = {
        (path, number): line.rpartition("#")[2].strip()
        for path, block in case.files.items()
        for number, line in enumerate(block.text.split("\n"), 1)
        if re.search(r"\breveal(_\w+)?\(", line) and "#" in line
    }
    revealed: dict[tuple[str, int], str] = {}
    for path, line, text in reveals(sources, Source):
        revealed[path, case.files[path].line_of(line, None)] = text
    wrong = []
    for path, line in sorted(expected.keys() | revealed.keys()):
        said, found = expected.get((path, line), "nothing"), revealed.get((path, line), "nothing")
        if said != found:
            wrong.append(f"{_place(case.files[path], path, line)}: revealed `{found}`, the page says `{said}`")
    return wrong


def _unshifted(drawing: str, case: Case) -> str:
    """A drawing of a flow with the lines of the block: the usual imports take none."""
    block = next(reversed(case.files.values()))
    return re.sub(r"\bline (\d+)", lambda match: f"line {block.line_of(int(match[1]), None)}", drawing)


# -------------------------------------------------------------------------------------------------------------- pytest
def pytest_configure(config: pytest.Config) -> None:
    """Take the metadata from the pages themselves: the generated module is a cache with a test of its own."""
    try:
        catalogue._rules = catalogue.read(os.path.join(ROOT, "rules"))
    except catalogue.PageError as error:
        raise pytest.UsageError(str(error)) from error


def pytest_collect_file(file_path: Any, parent: pytest.Collector) -> Page | None:
    """Collect a page."""
    inside = os.path.relpath(file_path, ROOT)
    if file_path.suffix == ".md" and inside.startswith(tuple(root + os.sep for root in ROOTS)):
        page: Page = Page.from_parent(parent, path=file_path)
        return page
    return None


class Page(pytest.File):
    """One Markdown page."""

    def collect(self) -> Iterable[Example]:
        """One item for each example."""
        for case in read_page(self.path.read_text(encoding="utf-8")):
            yield Example.from_parent(self, name=case.id, case=case)


class Example(pytest.Item):
    """One example of a page."""

    def __init__(self, *, case: Case, **rest: Any) -> None:
        super().__init__(**rest)
        self.funcargs: dict[str, Any] = {}  # plugins of pytest look for fixtures here
        self.case = case
        self.inside = os.path.relpath(self.path, ROOT)

    def runtest(self) -> None:
        """Run the example and compare."""
        if self.inside.startswith(ROOTS[2]):
            wrong = _semantics(self.case)
        else:
            rule = next((name for name in (self.path.stem, self.path.parent.name) if name in catalogue.rules()), "")
            wrong = [*judge(self.case, judged(self.case, rule), rule), *_fixed(self.case, rule)]
            wrong += no_flow(self.case, rule) if wrong else []
        if wrong:
            raise PageIsWrong([*wrong, *unknown_names(self.case)])

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The differences and the code, with the line numbers of the page."""
        if not isinstance(excinfo.value, PageIsWrong):
            return super().repr_failure(excinfo, style)
        rows = [f"{self.inside}: {self.case.id}", *(f"  {text}" for text in excinfo.value.args[0])]
        for path, block in self.case.files.items():
            rows += ["", f"  {path}"]
            rows += [f"  {block.line + at:4} | {line}" for at, line in enumerate(block.text.split("\n"), 1)]
        return "\n".join(rows)

    def reportinfo(self) -> tuple[Any, int, str]:
        """Where the example stands."""
        line = min((block.line for block in self.case.files.values()), default=1)
        return self.path, line - 1, f"{self.inside}::{self.name}"


class PageIsWrong(Exception):
    """A page and mllint disagree; the argument is the list of differences."""
