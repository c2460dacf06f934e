"""From a file and a rule to the few lines that show what the rule reports.

A file by itself is tried first; if the rule reports nothing there, the files that belong to it come in (its component),
and those that are not needed go again.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from mllint.config.model import Config
from mllint.diagnostic import Diagnostic
from mllint.engine.reduce.edits import shrink
from mllint.engine.reduce.neutral import neutral
from mllint.engine.reduce.oracle import Oracle
from mllint.engine.reduce.program import Program, lines_of, statements
from mllint.engine.trace import component
from mllint.errors import MllintError, SourceError
from mllint.project.discovery import Disk
from mllint.sources.source import Source

__all__ = ["Reduced", "Wish", "reduce"]


@dataclass(frozen=True)
class Reduced:
    """What is left.

    Attributes:
        texts: the files, by path; mostly one.
        findings: what the rule reports in them.
        before: how many lines there were.
        tries: how many programs were checked.
        is_whole: whether nothing more can go; else the time was over.
        pedantic: whether the finding rests on a guess, so that only `--pedantic` shows it.
    """

    texts: Mapping[str, str]
    findings: list[Diagnostic]
    before: int
    tries: int
    is_whole: bool
    pedantic: bool


class Wish(NamedTuple):
    """What is asked for, besides the file and the rule.

    Args:
        line: the finding that is meant; None takes the first.
        keep: lines of the file that stay as they are.
        neutral_names: also rename what the program names.
        seconds: how long it may take, about; the result is what is reached by then.
        watch: told how many lines are left and how many programs were tried.
    """

    line: int | None = None
    keep: Collection[int] = ()
    neutral_names: bool = False
    seconds: float = 60.0
    watch: Callable[[int, int], None] = lambda lines, tries: None


def reduce(path: str, rule: str, config: Config, wish: Wish) -> Reduced:
    """Shrink a file to what still shows a finding.

    Args:
        path: the file.
        rule: the rule, which reports something in it.
        config: the settings.
        wish: what is asked for besides.

    Raises:
        MllintError: the rule reports nothing there, or the file cannot be read.
    """
    own, names, disk = component(path, config)
    sources = {own: _read(own, disk)}
    oracle = _aimed(sources, own, rule, config, wish)
    if oracle is None and len(names) > 1:
        sources |= {name: _read(name, disk) for name in names if name != own}
        oracle = _aimed(sources, own, rule, config, wish)
    if oracle is None:
        where = f"`{own}`" if wish.line is None else f"line {wish.line} of `{own}`"
        raise MllintError(f"`{rule}` reports nothing in {where}: `mllint check {own} --auditor` shows what is found")
    program = oracle.program
    program.kept |= _kept(program.trees[_script(own)], wish.keep)
    while shrink(program, oracle.accepts) and not oracle.is_over:
        pass
    if wish.neutral_names:
        neutral(program, partial(oracle.accepts, renamed=True), oracle.is_library)
    before = sum(source.written.count("\n") + 1 for source in sources.values())
    is_whole, texts = not oracle.is_over, program.texts()
    return Reduced(texts, oracle.found(texts) or [], before, oracle.tries, is_whole, oracle.pedantic)


def _read(path: str, disk: Disk) -> Source:
    try:
        return Source.from_bytes(path, disk.open(path))
    except SourceError as error:
        raise MllintError(f"{path}:{error}") from None


def _script(path: str) -> str:
    """What the file is called when it is written anew."""
    return f"{path.removesuffix('.ipynb')}.py" if path.endswith(".ipynb") else path


def _aimed(sources: Mapping[str, Source], own: str, rule: str, config: Config, wish: Wish) -> Oracle | None:
    """What knows the program and the finding that is meant; None if there is none.

    A finding that does not rest on a guess is preferred.
    """
    for pedantic in (False, True):
        program = Program({_script(path): _parsed(path, source) for path, source in sources.items()})
        oracle = Oracle(program, rule, config, pedantic, wish.seconds, wish.watch)
        texts = {_script(path): source.text for path, source in sources.items()}
        found = [one for one in oracle.found(texts) or () if one.span.path == _script(own)]
        lines = [one.span.start.line for one in found if wish.line in (None, one.span.start.line)]
        around = [one for one in statements(program.trees[_script(own)]) if lines and lines[0] in lines_of(one)]
        target = max(around, key=lambda one: lines_of(one).start, default=None)
        if target is not None and oracle.aim(target, _script(own)):
            return oracle
    return None


def _parsed(path: str, source: Source) -> ast.Module:
    try:
        return source.tree()
    except SourceError as error:
        raise MllintError(f"{path}:{error}") from None


def _kept(tree: ast.Module, keep: Collection[int]) -> set[ast.AST]:
    """The statements on lines that stay.

    Raises:
        MllintError: there is none on one of the lines.
    """
    kept = {one for one in statements(tree) if any(line in lines_of(one) for line in keep)}
    empty = sorted(set(keep).difference(*(lines_of(one) for one in kept)))
    if empty:
        raise MllintError(f"there is no statement on line {empty[0]}, which `--keep` names")
    return kept
