"""What a syntax tree is made of: Python's own classes, or compact ones of the same names and fields.

Python keeps the fields of a node in a dictionary, 300 bytes for the `x` of `x = 1`, and a run holds the trees of all
files that import each other. An installation with the compiled core has nodes of `_compact.c` instead, of 50 bytes. To
whom reads them they are the same, but for what is written for Python's own classes: `ast.walk`, `ast.dump` and
`ast.NodeVisitor` know nothing of them.

    from mllint import tree as ast
    isinstance(ast.parse("f(x)").body[0].value, ast.Call)

Nobody changes a tree: lists that are empty may be one list.
"""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import _ast as _classes
    from _ast import *  # noqa: F403  (all of them)
    from collections.abc import Iterator
else:
    try:
        import mllint._compact as _classes
    except ImportError:
        import _ast as _classes

CLASSES: tuple[Any, ...] = tuple(c for c in vars(_classes).values() if isinstance(c, type) and hasattr(c, "_fields"))
"""All classes of nodes, the abstract ones included."""

globals().update((cls.__name__, cls) for cls in CLASSES)

_ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
_compact: Any = getattr(_classes, "compact", None)


def parse(text: str, mode: str = "exec") -> Any:
    """The tree of a text: a Module, or an Expression where `mode` is "eval".

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError, OverflowError: what `compile` raises.
    """
    # Python opens the file of that name to count the columns of a syntax error, whatever it was given
    tree = compile(text, "<mllint>", mode, _ONLY_AST, dont_inherit=True)
    return tree if _compact is None else _compact(tree)


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
