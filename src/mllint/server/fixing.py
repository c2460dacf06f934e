"""Which fixes are there for a file, as it is in the editor now?

They are worked out when somebody asks, since a finding is looked at more often than it is fixed, and by engines of
their own, since that of the session may be in the middle of a question. To list what can be done at a place, only the
rules that found something there are asked again: half the time of asking all. The fixes of a component are kept until
one of its files changes.

    offered    each finding of some rules with its fix, to be previewed and chosen
    settled    the safe ones of a file that keep their promise together (`engine.mending`), for `source.fixAll`
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from mllint.catalogue import pages
from mllint.config.model import Config
from mllint.diagnostic import Diagnostic
from mllint.engine.engine import Engine
from mllint.engine.mending import Component
from mllint.fixes.offers import is_safe
from mllint.project.discovery import digest
from mllint.project.overlay import Overlay

__all__ = ["Fixing"]

_OF_ALL = frozenset(("unused-suppression",))
"""What is found only where all rules have been asked."""


class Fixing:
    """The fixes of one session.

    Args:
        paths: what is checked, as on the command line.
        config: the settings of the run.
        selected: the names of the rules that run.
    """

    def __init__(self, paths: Sequence[str], config: Config, selected: frozenset[str]) -> None:
        self._paths, self._config, self._selected = paths, config._replace(fixes=True), selected
        self._known: tuple[object, list[Diagnostic]] = (None, [])

    def offered(self, texts: Mapping[str, bytes], rules: frozenset[str]) -> list[Diagnostic]:
        """The findings of some rules in the files of a component for which there is a fix."""
        state = rules, digest(repr(sorted((path, digest(data)) for path, data in texts.items())).encode())
        if self._known[0] != state:
            found = self._component(texts, self._selected if rules & _OF_ALL else rules & self._selected).found(texts)
            self._known = state, [d for d in found if d.fix is not None and d.rule in rules]
        return self._known[1]

    def settled(self, texts: Mapping[str, bytes], path: str, shown: Sequence[Diagnostic]) -> list[Diagnostic]:
        """The findings that the safe fixes of a file end, without any that change another file.

        Args:
            texts: the files of its component.
            path: the file.
            shown: the findings that the editor shows in it.
        """
        places = {(d.rule, d.span) for d in shown if self.is_safe(d)}
        own = [d for d in self.offered(texts, frozenset(rule for rule, _ in places)) if (d.rule, d.span) in places]
        own = [d for d in own if d.fix is not None and all(e.span.path == path for e in d.fix.edits)]
        return self._component(texts, self._selected).mended(own, unsafe=False).fixed if own else []

    def is_safe(self, found: Diagnostic) -> bool:
        """Is the fix of a finding safe, if there is one? By its rule, without working it out."""
        return is_safe(pages.rules()[found.rule], self._config)

    def _component(self, texts: Mapping[str, bytes], rules: frozenset[str]) -> Component:
        def reader(changed: Mapping[str, bytes]) -> Overlay:
            over = {os.path.abspath(path): data for path, data in {**texts, **changed}.items()}
            return Overlay(self._paths, over)

        engine = Engine(self._config, rules, self._config.pedantic, Overlay(self._paths, {}))
        return Component(engine, dict(texts), reader)
