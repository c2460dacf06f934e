"""Which folders does a script put on the path on which Python looks for modules?

    ROOT = os.path.dirname(os.path.abspath(__file__))
    sys.path.append(os.path.join(ROOT, "..", "src"))       # Searched(2, "src")
    sys.path.insert(0, "lib")                               # Searched(1, "lib"), or below a folder further up

Read off the text, before anything is parsed: a file that is not a script of this kind costs one search for a word. What
is said in other words (a variable of the environment, a list of a configuration) is not followed, and a folder with an
absolute path is none of the project's.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

__all__ = ["Searched", "searched_folders"]

_ADDED = re.compile(r"\bsys\.path\.(?:append|insert|extend)\s*\(|\bsys\.path\s*\+=\s*|\bsys\.path\[[0:]+\]\s*=\s*")
_LONGEST = 400  # characters of a statement that are read
_MOST = 4  # folders of one file
_DEEPEST = 4  # names that are looked up in each other
_KEEPING = frozenset(
    "abspath realpath normpath join str Path PurePath fspath resolve absolute as_posix joinpath".split()
)
"""The calls that give the path that their arguments make."""


class Searched(NamedTuple):
    """A folder, as seen from that of the script.

    Attributes:
        level: how many leading dots a relative import would need that starts there: one for the script's own folder.
        below: the folders on the way down, joined by dots; empty where there are none.
        is_own: False of a path that begins where the program is started, which may be further up.
    """

    level: int
    below: str
    is_own: bool

    def names(self, name: str) -> list[str]:
        """What an absolute import of a name means there, with leading dots as in a relative one."""
        whole = f"{self.below}.{name}" if self.below else name
        found = ["." * self.level + whole]
        return found if self.is_own or self.level > 1 or not self.below else [*found, whole]


class _Way(NamedTuple):
    """A path that is read so far."""

    parts: tuple[str, ...]
    """What leads from the script's folder to it, `..` first."""
    is_own: bool

    def up(self, count: int = 1) -> _Way:
        """The folder around it."""
        parts = self.parts
        for _ in range(count):
            parts = parts[:-1] if parts and parts[-1] != ".." else (*parts, "..")
        return _Way(parts, self.is_own)

    def down(self, path: str) -> _Way | None:
        """What lies below it; None for an absolute path."""
        if path.startswith(("/", "~")) or ":" in path:
            return None
        way = self
        for part in path.replace("\\", "/").split("/"):
            way = way.up() if part == ".." else way if part in ("", ".") else _Way((*way.parts, part), self.is_own)
        return way


def searched_folders(text: str) -> list[Searched]:
    """The folders that a script adds to `sys.path`, by paths that begin at its own file or where it is started."""
    if "sys.path" not in text:
        return []
    found: dict[Searched, None] = {}
    for match in _ADDED.finditer(text):
        for node in _added(text, match.end(), is_call=match[0].endswith("(")):
            way = _way(node, text, _DEEPEST)
            if way is not None and all(" " not in p and "." not in p.replace("..", "") for p in way.parts):
                level = way.parts.count("..")
                found[Searched(level + 1, ".".join(way.parts[level:]), way.is_own)] = None
    return list(found)[:_MOST]


def _added(text: str, start: int, *, is_call: bool) -> list[ast.expr]:
    """The expressions of the folders that a statement adds, from behind its parenthesis, or its sign, on."""
    node = _expression(f"f({_balanced(text, start)})" if is_call else text[start:].partition("\n")[0])
    if isinstance(node, ast.Call) and is_call:
        node = node.args[-1] if node.args else None
    if isinstance(node, (ast.List, ast.Tuple)):
        return node.elts
    return [node] if node is not None else []


def _balanced(text: str, start: int) -> str:
    """The text up to the parenthesis that closes the one before it."""
    depth = 1
    for at in range(start, min(len(text), start + _LONGEST)):
        depth += (text[at] == "(") - (text[at] == ")")
        if not depth:
            return text[start:at]
    return ""


def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _way(node: ast.expr | None, text: str, depth: int) -> _Way | None:
    """The path that an expression stands for; None where that is not known."""
    if node is None or depth < 0:
        return None
    match node:
        case ast.Constant(value=str() as path):
            return _Way((), False).down(path)
        case ast.Name(id="__file__"):
            return _Way(("__file__",), True)
        case ast.Name(id=name):
            return _way(_assigned(name, text), text, depth - 1)
        case ast.Attribute(attr="parent", value=inner):
            way = _way(inner, text, depth)
            return way.up() if way is not None else None
        case ast.Attribute(attr="pardir" | "curdir" as word):
            return _Way(("..",) if word == "pardir" else (), False)
        case ast.Subscript(value=ast.Attribute(attr="parents", value=inner), slice=ast.Constant(value=int() as count)):
            way = _way(inner, text, depth)
            return way.up(count + 1) if way is not None and 0 <= count < 8 else None
        case ast.BinOp(op=ast.Div() | ast.Add(), left=left, right=right):
            return _joined([left, right], text, depth)
        case ast.JoinedStr(values=[ast.FormattedValue(value=inner), ast.Constant(value=str()) as rest]):
            return _joined([inner, rest], text, depth)
        case ast.Call(func=ast.Name(id=word) | ast.Attribute(attr=word), args=given):
            return _called(word, node, given, text, depth)
    return None


def _called(word: str, node: ast.Call, given: list[ast.expr], text: str, depth: int) -> _Way | None:
    """The path that a call gives: one of `os.path`, of `pathlib`, or of the folder in which the program is started."""
    if word in ("getcwd", "cwd") and not given:
        return _Way((), False)
    if isinstance(node.func, ast.Attribute) and (word == "joinpath" or not given):
        given = [node.func.value, *given]  # a method of a path
    if word == "dirname" and len(given) == 1:
        way = _way(given[0], text, depth)
        return way.up() if way is not None else None
    return _joined(given, text, depth) if given and word in _KEEPING else None


def _joined(nodes: list[ast.expr], text: str, depth: int) -> _Way | None:
    """The path that the first one begins and the others, which are constants, continue."""
    way = _way(nodes[0], text, depth)
    for node in nodes[1:]:
        match node:
            case ast.Constant(value=str() as path):
                way = way.down(path.lstrip("/")) if way is not None else None
            case ast.Attribute(attr="pardir"):
                way = way.up() if way is not None else None
            case _:
                return None
    return way


def _assigned(name: str, text: str) -> ast.expr | None:
    """What the file assigns to a name, if that is one line."""
    found = re.findall(rf"(?m)^[ \t]*{re.escape(name)}[ \t]*=(?!=)[ \t]*(.+)$", text)
    return _expression(found[0]) if len(found) == 1 and len(found[0]) < _LONGEST else None
