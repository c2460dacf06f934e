"""What do the fixes of a rule make of some files? For the pages, and for the tests of single fixes."""

from __future__ import annotations

from collections.abc import Mapping

from mllint.catalogue.pages import rules
from mllint.config.model import Config
from mllint.diagnostic import Diagnostic
from mllint.engine.engine import check_sources
from mllint.engine.mending import compatible
from mllint.fixes.applying import applied

__all__ = ["fixed", "offered"]

_ROUNDS = 10


def offered(sources: Mapping[str, str], rule: str) -> list[Diagnostic]:
    """The findings of a rule in some files for which there is a fix."""
    selected = frozenset(rules()) if rule == "unused-suppression" else frozenset((rule,))
    report = check_sources(sources, selected=selected, pedantic=True, config=Config(fixes=True))
    return [d for d in report.diagnostics if d.rule == rule and d.fix is not None]


def fixed(sources: Mapping[str, str], rule: str) -> dict[str, str]:
    """The files with all fixes of a rule, round after round, safe or not."""
    state = dict(sources)
    for _ in range(_ROUNDS):
        chosen = compatible(offered(state, rule))
        edits = dict.fromkeys(edit for d in chosen if d.fix is not None for edit in d.fix.edits)
        for path in {edit.span.path for edit in edits}:
            own = [edit for edit in edits if edit.span.path == path]
            state[path] = applied(path, state[path].encode(), own).decode()
        if not chosen:
            return state
    raise AssertionError(f"the fixes of `{rule}` come to no end")
