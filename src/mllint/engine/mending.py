"""What does the project look like when its findings are fixed? Fixes are applied in memory until nothing is left to do.

    check -> choose fixes that do not touch each other -> apply -> check again -> is each promise kept? -> once more

A promise: of every rule there are as many findings fewer in a file as were fixed, and of no rule there is one more.
Where a round of fixes breaks it each of them is tried by itself, and what breaks it alone is left out. So a fix that is
wrong in a way that mllint itself can see is never written, and a second run finds nothing to do.

Components are mended one by one, since a fix can change what is found in any file of its component, and nowhere else.
Nothing is written here.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from mllint.diagnostic import Diagnostic, Edit, Fix
from mllint.engine.engine import Engine
from mllint.engine.run import Survey
from mllint.errors import SourceError
from mllint.fixes.applying import applied
from mllint.project.discovery import Discovery, Disk, Memory
from mllint.project.overlay import Overlay

__all__ = ["Component", "Mended", "compatible", "mend"]

ROUNDS = 10
"""More rounds than any file needs: each is for fixes that touched those of the round before."""
_TRIES = 50
"""So many fixes of a component are tried one by one, where they do not go together."""


class Mended(NamedTuple):
    """What came of it: the files that change, before and after, and the findings that are fixed, in their order."""

    before: dict[str, bytes]
    after: dict[str, bytes]
    fixed: list[Diagnostic]


def mend(
    diagnostics: Sequence[Diagnostic],
    found: Discovery,
    roots: Sequence[str],
    *,
    selected: frozenset[str],
    pedantic: bool,
    unsafe: bool,
    all_of_it: bool = True,
) -> Mended:
    """Fix what can be fixed.

    Args:
        diagnostics: the findings that are to be fixed, with their fixes.
        found: the files of the run, and its settings.
        roots: the paths that the run was asked for.
        selected: names of the rules to run.
        pedantic: findings that are not certain count as well.
        unsafe: apply fixes that are not safe, too.
        all_of_it: `diagnostics` is all that a run finds. Otherwise there is one round, with these and no others.
    """
    wanted = [d for d in diagnostics if _is_wanted(d.fix, unsafe=unsafe)]
    mended = Mended({}, {}, [])
    if not wanted:
        return mended
    touched = {edit.span.path for d in wanted if d.fix is not None for edit in d.fix.edits}
    disk = Overlay(roots, {})
    survey = Survey(found, disk, None)
    components = survey.components(survey.imports()) if len(found.files) > 1 else [found.files]
    engine = Engine(found.config, selected, pedantic, disk)
    for paths in components:
        if touched.isdisjoint(paths):
            continue
        first = None if all_of_it else [d for d in wanted if d.span.path in paths]
        component = Component(engine, dict(_read(paths, disk)), partial(_overlaid, roots))
        part = component.mended(first, unsafe=unsafe)
        mended.before.update(part.before)
        mended.after.update(part.after)
        mended.fixed.extend(part.fixed)
    return mended


def _is_wanted(fix: Fix | None, *, unsafe: bool) -> bool:
    return fix is not None and (fix.safe or unsafe)


def _read(paths: Iterable[str], disk: Overlay) -> Iterator[tuple[str, bytes]]:
    """The files that can be read."""
    for path in paths:
        try:
            yield path, disk.open(path)
        except SourceError:
            continue


def _overlaid(roots: Sequence[str], changed: Mapping[str, bytes]) -> Overlay:
    """The disk with other contents of some files."""
    return Overlay(roots, {os.path.abspath(path): data for path, data in changed.items()})


class Component:
    """Files that belong together.

    Args:
        engine: checks them.
        data: the files.
        reader: makes what reads the files around them, given those that are changed.
    """

    def __init__(
        self, engine: Engine, data: dict[str, bytes], reader: Callable[[Mapping[str, bytes]], Disk | Memory]
    ) -> None:
        self.engine, self.data, self.reader = engine, data, reader

    def mended(self, first: list[Diagnostic] | None, *, unsafe: bool) -> Mended:
        """Round after round.

        Args:
            first: the findings to fix, in one round; None for all there are, until none is left.
            unsafe: apply fixes that are not safe, too.
        """
        state, fixed = dict(self.data), list[Diagnostic]()
        known = self.found(state)
        refused: set[tuple[str, str, str]] = set()
        for _ in range(ROUNDS if first is None else 1):
            wanted = [d for d in (known if first is None else first) if _is_wanted(d.fix, unsafe=unsafe)]
            chosen = compatible(d for d in wanted if _key(d) not in refused)
            after, done, known = self.round(state, known, chosen)
            refused |= {_key(d) for d in chosen if d not in done}
            if not chosen:
                break
            state = after
            fixed += done
        changed = {path for path, data in state.items() if data != self.data[path]}
        fixed.sort(key=lambda d: (d.span.path, d.span.cell or 0, d.span.start))
        return Mended({p: self.data[p] for p in sorted(changed)}, {p: state[p] for p in sorted(changed)}, fixed)

    def found(self, state: Mapping[str, bytes]) -> list[Diagnostic]:
        """What is found in the files as they would be."""
        changed = {path: data for path, data in state.items() if data is not self.data.get(path)}
        return self.engine.check(state.items(), self.reader(changed))[0].diagnostics

    def round(
        self, state: dict[str, bytes], known: list[Diagnostic], chosen: Sequence[Diagnostic]
    ) -> tuple[dict[str, bytes], list[Diagnostic], list[Diagnostic]]:
        """The files with some fixes, those of them that keep their promise, and what is found then."""
        if not chosen:
            return state, [], known
        after, now = self.tried(state, known, chosen)
        if after is not None:
            return after, [*chosen], now
        done: list[Diagnostic] = []
        best, left = state, known
        if len(chosen) > 1:
            for one in chosen[:_TRIES]:
                after, now = self.tried(state, known, [*done, one])
                if after is not None:
                    done.append(one)
                    best, left = after, now
        return best, done, left

    def tried(
        self, state: Mapping[str, bytes], known: Iterable[Diagnostic], chosen: Sequence[Diagnostic]
    ) -> tuple[dict[str, bytes] | None, list[Diagnostic]]:
        """The files with some fixes, and what is found then; None for the files where a promise is not kept."""
        after = dict(state)
        edits: dict[str, list[Edit]] = {}
        for edit in dict.fromkeys(edit for d in chosen if d.fix is not None for edit in d.fix.edits):
            edits.setdefault(edit.span.path, []).append(edit)
        try:
            for path, several in edits.items():
                after[path] = applied(path, state[path], several)
        except (SourceError, KeyError):
            return None, []
        now = self.found(after)
        allowed = Counter((d.span.path, d.rule) for d in known)
        allowed.subtract(Counter((d.span.path, d.rule) for d in chosen))
        counts = Counter((d.span.path, d.rule) for d in now)
        kept = all(number <= allowed[key] for key, number in counts.items())
        return (after if kept else None), now


def compatible(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Those whose fixes can be applied together: each edit is the same as another one, or touches none."""
    chosen: list[Diagnostic] = []
    taken: dict[tuple[str, int | None], list[Edit]] = {}
    for diagnostic in diagnostics:
        edits = diagnostic.fix.edits if diagnostic.fix is not None else ()
        if all(_fits(edit, taken.get((edit.span.path, edit.span.cell), ())) for edit in edits):
            chosen.append(diagnostic)
            for edit in edits:
                taken.setdefault((edit.span.path, edit.span.cell), []).append(edit)
    return chosen


def _fits(edit: Edit, others: Iterable[Edit]) -> bool:
    return all(
        edit == other or edit.span.end < other.span.start or other.span.end < edit.span.start for other in others
    )


def _key(diagnostic: Diagnostic) -> tuple[str, str, str]:
    """A finding, wherever it moves to."""
    return diagnostic.span.path, diagnostic.rule, diagnostic.statement
