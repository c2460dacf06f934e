"""Does a program still show the finding? The engine is asked, about one rule.

A smaller program shows *the same* finding if the rule reports, with the same words but for what is quoted from the
code, on the statement that it was about. Other places of the same rule may go and none may come.
"""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from mllint.engine.engine import Engine
from mllint.engine.reduce.program import Program, header, unbound
from mllint.errors import MllintError
from mllint.project.discovery import Memory

if TYPE_CHECKING:
    from mllint.config.model import Config
    from mllint.diagnostic import Diagnostic

__all__ = ["Oracle"]

_FLAGS = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


class Oracle:
    """Asks whether a program shows the finding.

    Args:
        program: the program, which is edited while it is asked about.
        rule: the rule.
        config: the settings.
        pedantic: whether findings that rest on a guess count.
        seconds: nothing is accepted any more when they are over.
        watch: told how many lines are left and how many programs were tried, whenever one was.

    Attributes:
        program, pedantic: as they were given.
        tries: how many programs were checked.
    """

    def __init__(
        self,
        program: Program,
        rule: str,
        config: Config,
        pedantic: bool,
        seconds: float,
        watch: Callable[[int, int], None],
    ) -> None:
        self.program, self.rule, self.pedantic, self.tries, self._watch = program, rule, pedantic, 0, watch
        self._engine = Engine(config, frozenset((rule,)), pedantic, Memory({}))
        self._end = time.monotonic() + seconds
        self._rejected: set[int] = set()
        self._free: dict[str, frozenset[str]] = {}
        self._words, self._most, self._lines = "", 0, 0
        self._target: ast.AST | None = None
        self._path = ""

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._end

    def found(self, texts: Mapping[str, str]) -> list[Diagnostic] | None:
        """What the rule reports; None if a file does not parse, or a check failed."""
        data = {path: text.encode("utf-8", "surrogatepass") for path, text in texts.items()}
        report, _ = self._engine.check(data.items(), Memory(data))
        if report.crashed or any(one.rule != self.rule for one in report.diagnostics):
            return None
        return report.diagnostics

    def aim(self, target: ast.AST, path: str) -> bool:
        """Say which finding is meant: from now on `accepts` is about it.

        Args:
            target: the statement that the finding is about.
            path: the file that it is in.

        Returns:
            Whether the program shows it, now that its comments and its layout are gone.

        Raises:
            MllintError: it cannot be written.
        """
        try:
            texts = self.program.texts()
        except RecursionError:
            raise MllintError(f"`{path}` is nested too deeply to be written anew") from None
        self._target, self._path = target, path
        found = self.found(texts) or []
        meant = next((one for one in found if self._is_about(one, texts)), None)
        if meant is None:
            return False
        self._words, self._most, self._lines = _skeleton(meant.message), len(found), _size(texts)
        self._free = {path: unbound(text) for path, text in texts.items()}
        return True

    def is_library(self, name: str) -> bool:
        """Whether a dotted name is that of a library which a stub describes."""
        return self._engine.stubs.covers(name)

    def accepts(self, *, renamed: bool = False) -> bool:
        """Whether the program as it is now shows the finding, and is no less complete than it was.

        Args:
            renamed: it differs by names alone, so that what is unbound has another name.
        """
        if self.is_over or not self.program.holds({self._target, *self.program.kept}):  # type: ignore[arg-type]  # aimed before
            return False
        try:
            texts = self.program.texts()
            key = hash(tuple(texts.items()))
            if key in self._rejected or not (self._is_complete(texts) or renamed):
                return False
            shown = self._shows(texts)
        except (SyntaxError, ValueError, RecursionError):
            return False
        if not shown:
            self._rejected.add(key)
        if renamed and shown:
            self._free = {path: unbound(text) for path, text in texts.items()}
        return shown

    def _shows(self, texts: Mapping[str, str]) -> bool:
        for text in texts.values():
            _compiled(text)
        self.tries += 1
        found = self.found(texts)
        self._watch(self._lines, self.tries)
        if not found or len(found) > self._most:
            return False
        if not any(_skeleton(one.message) == self._words and self._is_about(one, texts) for one in found):
            return False
        self._most, self._lines = len(found), _size(texts)
        return True

    def _is_about(self, finding: Diagnostic, texts: Mapping[str, str]) -> bool:
        """Whether a finding is about the statement that is meant, as it is written now."""
        if self._target is None or finding.span.path != self._path:
            return False
        return texts[self._path].split("\n")[finding.span.start.line - 1].strip() == header(self._target)

    def _is_complete(self, texts: Mapping[str, str]) -> bool:
        return all(unbound(text) <= self._free.get(path, frozenset()) for path, text in texts.items())


@lru_cache(maxsize=1_000)
def _compiled(text: str) -> None:
    """Fail where a text is no program, though its tree can be written."""
    compile(text, "<reduced>", "exec", flags=_FLAGS, dont_inherit=True)


def _skeleton(message: str) -> str:
    """A message without what is quoted from the code, and without numbers."""
    return re.sub(r"\d+", "0", re.sub(r"`[^`]*`", "``", message))


def _size(texts: Mapping[str, str]) -> int:
    return sum(text.count("\n") for text in texts.values())
