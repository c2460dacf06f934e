"""Which fixes are there for a file, as it is in the editor now?

They are worked out when somebody asks, since a finding is looked at more often than it is fixed, and by an engine of
their own, since that of the session may be in the middle of a question. The fixes of a component are kept until one of
its files changes.

    offered    each finding with its fix, to be previewed and chosen
    settled    the safe ones of a file that keep their promise together (`engine.mending`), for `source.fixAll`
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from mllint.config.model import Config
from mllint.diagnostic import Diagnostic
from mllint.engine.engine import Engine
from mllint.engine.mending import Component
from mllint.project.discovery import digest
from mllint.project.overlay import Overlay

__all__ = ["Fixing"]


class Fixing:
    """The fixes of one session.

    Args:
        paths: what is checked, as on the command line.
        config: the settings of the run.
        selected: the names of the rules that run.
    """

    def __init__(self, paths: Sequence[str], config: Config, selected: frozenset[str]) -> None:
        self._paths = paths
        self._engine = Engine(config._replace(fixes=True), selected, config.pedantic, Overlay(paths, {}))
        self._known: tuple[str, list[Diagnostic]] = ("", [])

    def offered(self, texts: Mapping[str, bytes]) -> list[Diagnostic]:
        """The findings in the files of a component for which there is a fix."""
        state = digest(repr(sorted((path, digest(data)) for path, data in texts.items())).encode())
        if self._known[0] != state:
            found = self._component(texts).found(texts)
            self._known = state, [d for d in found if d.fix is not None]
        return self._known[1]

    def settled(self, texts: Mapping[str, bytes], path: str, shown: Sequence[Diagnostic]) -> list[Diagnostic]:
        """The findings that the safe fixes of a file end, without any that change another file.

        Args:
            texts: the files of its component.
            path: the file.
            shown: the findings that the editor shows in it.
        """
        places = {(d.rule, d.span) for d in shown}
        own = [d for d in self.offered(texts) if (d.rule, d.span) in places]
        own = [d for d in own if d.fix is not None and all(e.span.path == path for e in d.fix.edits)]
        return self._component(texts).mended(own, unsafe=False).fixed if own else []

    def _component(self, texts: Mapping[str, bytes]) -> Component:
        def reader(changed: Mapping[str, bytes]) -> Overlay:
            over = {os.path.abspath(path): data for path, data in {**texts, **changed}.items()}
            return Overlay(self._paths, over)

        return Component(self._engine, dict(texts), reader)
