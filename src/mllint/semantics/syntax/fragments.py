"""Which tree does a piece of Python inside of a file have: a stub, an annotation that is a string?

Python warns of what it reads (`1if x`, an invalid escape) and quotes it; nobody has asked it here.
"""

from __future__ import annotations

import ast
import re
import warnings

__all__ = ["expression_in", "tree_of"]


_MAY_WARN = re.compile(r"\\|\b\d[\d_.]*[^\W\d_]")
"""What Python's parser may warn of: a backslash in a text, and a number that a word follows at once."""


def tree_of(text: str) -> ast.Module:
    """As `ast.parse`, without warnings.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: the text cannot be parsed.
    """
    if _MAY_WARN.search(text) is None:  # most pieces of stubs: to switch warnings off costs as much as parsing one
        return ast.parse(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def expression_in(text: str) -> ast.expr | None:
    """The expression that a text holds; None if it holds none that can be parsed."""
    try:
        body = tree_of(text.strip()).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None
