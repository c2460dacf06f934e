"""What a syntax tree is made of: Python's own classes, or compact ones of the same names and fields.

Python keeps the fields of a node in a dictionary, 350 bytes for the `x` of `x = 1`, and a run holds the trees of all
files that import each other. An installation with the compiled core has nodes of `compact/nodes.c` instead, of 50
bytes, and makes them itself of most texts (`compact/reader.c`), several times as fast as Python makes its own. To whom
reads them they are the same, but for what is written for Python's own classes: `ast.walk`, `ast.dump` and
`ast.NodeVisitor` know nothing of them.

    from mllint import tree as ast
    isinstance(ast.parse("f(x)").body[0].value, ast.Call)

Nobody changes a list of a tree, since those that are empty may be one list, and nothing else is kept on a node.
"""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import _ast as _classes
    from _ast import *  # noqa: F403  (all of them)
    from collections.abc import Collection, Iterator
else:
    try:
        _classes = __import__("mllint._compact", fromlist=["compact"])  # where it was built, no file says so
    except ImportError:
        import _ast as _classes

CLASSES: tuple[Any, ...] = tuple(c for c in vars(_classes).values() if isinstance(c, type) and hasattr(c, "_fields"))
"""All classes of nodes, the abstract ones included."""

globals().update((cls.__name__, cls) for cls in CLASSES)

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
_compact: Any = getattr(_classes, "compact", None)
_quick: Any = getattr(_classes, "quick", None)
nodes: Any = getattr(_classes, "nodes", None)
"""All nodes below a node: what `semantics.module.walk` says, sooner; None where only Python's own classes are known."""
unpack: Any = getattr(_classes, "unpack", None)
"""The tree that `semantics.packstubs` has packed; None where only Python's own classes are known."""
mark: Any = getattr(_classes, "mark", bool)
"""Says that the stack is measured from here on. Does nothing where Python itself counts how deep calls are."""
deep: Any = getattr(_classes, "deep", bool)
"""Raises RecursionError where little of the stack is left, which compiled functions do not notice."""
_APART = {number: " " for number in range(128) if not (chr(number).isalnum() or chr(number) == "_")}


def parse(text: str, mode: str = "exec") -> Any:
    """The tree of a text: a Module, or an Expression where `mode` is "eval".

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError, OverflowError: what `compile` raises.
    """
    if mode == "exec":
        return read(text)[0]
    tree = _compiled(text, mode)
    return tree if _compact is None else _compact(tree)


def read(text: str) -> tuple[Any, Collection[str] | None]:
    """The tree of a text, and its names where they cost nothing: see `names`. Raises what `parse` raises."""
    if _compact is None:
        return _compiled(text, "exec"), None
    return _quick(text) or _classes.read(_compiled(text, "exec"))  # type: ignore[attr-defined,no-any-return]


def names(tree: Any, text: str) -> Collection[str]:
    """The names that a text uses, once each: of variables, attributes, parameters, keywords, functions, classes and
    imports, strings that are as short as names among them. Without a tree that is compact: all words of the text.
    """
    if _compact is None or tree is None:
        return frozenset(text.translate(_APART).split())
    return _classes.names(tree)  # type: ignore[attr-defined,no-any-return]  # of the compact ones only


def _compiled(text: str, mode: str) -> Any:
    # Python opens the file of that name to count the columns of a syntax error, whatever it was given
    return compile(text, "<mllint>", mode, _ONLY_AST, dont_inherit=True)


def walk(node: _classes.AST) -> Iterator[Any]:
    """A node and all nodes below it, in no order that matters."""
    stack: list[Any] = [node]
    while stack:
        inner = stack.pop()
        if isinstance(inner, list):
            stack += inner
        elif isinstance(inner, _classes.AST):
            yield inner
            stack += (getattr(inner, field, None) for field in inner._fields)


def moved(thing: Any, last: int, delta: int) -> Any:
    """A node, or what a field of one holds, after lines have come or gone.

    Args:
        thing: stays as it is; what of it stands above is part of the answer.
        last: the line below which things move, 1-based.
        delta: by so many lines; nothing ends in lines that go.
    """
    if _compact is not None:
        return _classes.moved(thing, last, delta)  # type: ignore[attr-defined]  # of the compact ones only
    if isinstance(thing, list):
        new = [moved(inner, last, delta) for inner in thing]
        return new if any(n is not old for n, old in zip(new, thing, strict=True)) else thing
    if not isinstance(thing, _classes.AST) or (getattr(thing, "end_lineno", None) or last + 1) <= last:
        return thing
    fields = {name: moved(getattr(thing, name), last, delta) for name in thing._fields}
    places: dict[str, Any] = {name: getattr(thing, name) for name in thing._attributes}
    if not places and all(new is getattr(thing, name) for name, new in fields.items()):
        return thing
    for name in ("lineno", "end_lineno") if places else ():
        places[name] += delta if places[name] > last else 0
    return thing.__class__(**fields, **places)


def dump(node: Any, places: bool = False) -> str:
    """What a tree says: of two trees it is the same if they are the same.

    Args:
        node: a node, or what a field of one holds.
        places: with the lines and columns of all nodes.
    """
    if isinstance(node, list):
        return f"[{', '.join(dump(inner, places) for inner in node)}]"
    if not isinstance(node, _classes.AST):
        return repr(node)
    names = (*node._fields, *(node._attributes if places else ()))
    return f"{type(node).__name__}({', '.join(dump(getattr(node, name, None), places) for name in names)})"
