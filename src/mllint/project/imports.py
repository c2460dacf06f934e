"""Which files have to be read together? A finding in one file may rest on every file that is tied to it by imports.

What an expression is may be said in a module that the file imports, and what a parameter is by the files that call the
function. So files are one *component* if an import leads from one to the other, over any number of steps and in either
direction, or if they are in the same package. What is in two components cannot know of each other: each is checked as a
project of its own, which is what the cache keeps and what a job takes.

Imports are read off the text, before anything is parsed, and generously: what merely looks like an import only makes a
component larger. What an import means is asked of `locate`, so that this module touches no disk.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mllint.errors import SourceError
from mllint.project.search_path import searched_folders

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping

__all__ = ["Consulted", "Forest", "imported", "imports", "partition", "tie"]

_lines: dict[tuple[int, str], tuple[str, ...]] = {}
"""What is imported by the word `import` in this column of this line: the same lines stand in many files."""


class _Expressions:
    """The regular expressions, compiled when the first import is read."""

    known: _Expressions | None = None

    def __init__(self) -> None:
        import re

        self.source = re.compile(r"\bfrom[ \t]+([.\w][.\w \t]*)$")
        self.modules = re.compile(r"[ \t]*([^\n;#]*)")
        self.members = re.compile(r"[ \t]*\(((?:[^()#]+|#[^\n]*)*)|[ \t]*([^\n;#]*)")
        self.comment = re.compile(r"#[^\n]*")
        self.dotted = re.compile(r"[^\W\d]\w*(?:[ \t]*\.[ \t]*[^\W\d]\w*)*")

    @classmethod
    def get(cls) -> _Expressions:
        """The only instance."""
        if cls.known is None:
            cls.known = cls()
        return cls.known


class Consulted(NamedTuple):
    """What the findings of a component rest on besides its own files.

    Attributes:
        lookups: where an import led, by folder of the importer, name and level; None: to no file of the project.
        outside: the digest of each file that was read though it was not asked for, None if it cannot be read.
    """

    lookups: dict[tuple[str, str, int], str | None]
    outside: dict[str, str | None]


_COLUMNS = 10_000  # an `import` further to the right is data, and no statement
_STATEMENT = 1 << 15  # characters of an import statement that are read
_DEEPEST, _LONGEST = 64, 1000  # parts and characters of the longest name for which there may be a file
_REMEMBERED = 50_000  # lines: a server reads them for as long as it runs


def imports(text: str) -> list[str]:
    """What a text may import: dotted names with their leading dots, `from a import b` as `a` and `a.b`; sorted.

    What may lie in a folder that it puts on the path is named as seen from its own: `..src.a`.
    """
    if "import" not in text:
        return []
    found: set[str] = set()
    if "\\\n" in text:
        text = text.replace("\\\n", " ")
    at = text.find("import")
    while at >= 0:
        end = at + 6
        if not _is_word(text[at - 1 : at]) and not _is_word(text[end : end + 1]):
            start = text.rfind("\n", 0, at) + 1
            stop = text.find("\n", end)
            if end - start > _COLUMNS:
                at = text.find("import", stop) if stop >= 0 else -1
                continue
            line = at - start, text[start : min(stop if stop >= 0 else len(text), start + 2 * _COLUMNS)]
            names = _lines.get(line)
            if names is None:
                names = tuple(_imported(text, start, at))
                if "(" not in line[1] and len(_lines) < _REMEMBERED:  # what is in parentheses may go on below
                    _lines[line] = names
            found.update(names)
        at = text.find("import", end)
    if not text.isascii():
        import unicodedata

        found = {unicodedata.normalize("NFKC", name) for name in found}  # as Python reads identifiers
    if folders := searched_folders(text):
        found.update([there for name in found if name[0] != "." for f in folders for there in f.names(name)])
    return sorted(found)


def _imported(text: str, start: int, at: int) -> Iterator[str]:
    """The names in the import statement whose line starts here and whose word `import` is there."""
    read = _Expressions.get()
    source = read.source.search(text[start:at])
    if source is not None:
        yield from _from(source[1], text, at + 6)
    else:
        for name in _names(read.modules.match(text, at + 6, at + _STATEMENT)):
            yield from _upwards(name)


def imported(path: str, data: bytes) -> list[str]:
    """What a file may import; nothing if it cannot be decoded."""
    from mllint.sources.source import Source

    try:
        return imports(Source.from_bytes(path, data).text)
    except SourceError:
        return []


def partition(
    files: Mapping[str, Iterable[str]],
    locate: Callable[[str, int, str], str | None],
    package: Callable[[str], str | None],
) -> list[list[str]]:
    """Divide files into components.

    Args:
        files: what `imports` says of each file, by its path.
        locate: the file that a name, with so many leading dots, means in an importing file; None if it is no project's.
        package: the outermost package that a file is in, None if it is in none.

    Returns:
        The components in the order of their first files, each sorted.
    """
    forest = Forest()
    tie(forest, files, locate, package)
    components: dict[str, list[str]] = {}
    for path in sorted(files):
        components.setdefault(forest.root(path), []).append(path)
    return list(components.values())


def tie(
    forest: Forest,
    files: Mapping[str, Iterable[str]],
    locate: Callable[[str, int, str], str | None],
    package: Callable[[str], str | None],
) -> set[str]:
    """Join files with what they import and with the packages that they are in: arguments as for `partition`.

    Args:
        forest: what belongs together so far.
        files: what each file imports, by path.
        locate: finds the file that an import means.
        package: finds the `__init__.py` of the package that a file is in.

    Returns:
        The files that are imported.
    """
    targets: set[str] = set()
    for path, names in files.items():
        outermost = package(path)
        if outermost is not None:
            forest.join(path, f"{outermost}/")
        for name in names:
            bare = name.lstrip(".")
            target = locate(bare, len(name) - len(bare), path)
            if target is not None:
                forest.join(path, target)
                targets.add(target)
    return targets


class Forest:
    """Disjoint sets of paths."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def root(self, path: str) -> str:
        """The path that stands for a set."""
        above = self._above
        root = path
        while root in above:
            root = above[root]
        while path != root:
            above[path], path = root, above[path]
        return root

    def join(self, one: str, other: str) -> None:
        """Make one set of two."""
        one, other = self.root(one), self.root(other)
        if one != other:
            self._above[max(one, other)] = min(one, other)


def _from(source: str, text: str, end: int) -> Iterator[str]:
    source = "".join(source.split())
    if len(source) > _LONGEST:
        return
    yield from _upwards(source)
    joint = "" if source.endswith(".") else "."
    for name in _names(_Expressions.get().members.match(text, end, end + _STATEMENT)):
        yield f"{source}{joint}{name}"


def _names(match: re.Match[str] | None) -> Iterator[str]:
    """The first name of each of `a.b as c, d`."""
    if match is not None:
        read = _Expressions.get()
        for part in read.comment.sub("", next((group for group in match.groups() if group), "")).split(","):
            name = read.dotted.search(part)
            if name is not None:
                yield "".join(name[0].split())


def _upwards(name: str) -> Iterator[str]:
    """A dotted name and the packages above it; nothing where it is too long to be that of a file."""
    if len(name) > _LONGEST:
        return
    bare = name.lstrip(".")
    dots = name[: len(name) - len(bare)]
    parts = bare.split(".") if bare else []
    if dots:
        yield dots
    for count in range(1, min(len(parts), _DEEPEST) + 1):
        yield dots + ".".join(parts[:count])


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
