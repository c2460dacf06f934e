"""Which tree does this text have? Python's parser, with every failure as a `SourceError` in words."""

from __future__ import annotations

import ast
import warnings

from mllint.errors import SourceError
from mllint.sources.excess import excess

__all__ = ["parse"]

_NAMELESS = "<mllint>"  # to count the columns of a syntax error Python opens the file of the name that it is given


def parse(text: str) -> ast.Module:
    """Parse text into a tree, silently.

    Raises:
        SourceError: with the reason in words; never another exception, however odd the text.
    """
    reason = excess(text)
    if reason:
        raise SourceError(f"{reason}, the file was not checked")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an invalid escape is not what we are here for
            return ast.parse(text, _NAMELESS)
    except SyntaxError as error:
        from mllint.sources.syntax_errors import explain

        raise explain(error, text) from None
    except (RecursionError, MemoryError, OverflowError):
        raise SourceError("the code is nested too deeply for Python's parser, it was not checked") from None
    except ValueError as error:  # null bytes, lone surrogates
        raise SourceError(f"Python cannot read this text: {error}") from None
