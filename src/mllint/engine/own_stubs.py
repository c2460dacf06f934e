"""Can the stubs of a project be read? Asked before a run that uses them, so that a mistake in one is not met half-way.

The stubs that come with mllint are not asked: they are read piece by piece, when a piece is needed.
"""

from __future__ import annotations

import os
import warnings

from mllint.errors import StubError
from mllint.files import reading

__all__ = ["require_readable"]

_ONLY_PARSED = 0x400  # `ast.PyCF_ONLY_AST`


def require_readable(folder: str, shown: str) -> None:
    """Read all stubs of a folder.

    Args:
        folder: the folder.
        shown: what it is called in messages.

    Raises:
        StubError: a stub cannot be read, is not UTF-8 or no Python, with the file and the line.
    """
    for above, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(".pyi"):
                path = os.path.join(above, name)
                _require(path, os.path.join(shown, os.path.relpath(path, folder)).replace(os.sep, "/"))


def _require(path: str, shown: str) -> None:
    try:
        data = reading.read(path, reading.SOURCE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they quote the stub, which is a stranger's
            compile(data.decode("utf-8-sig"), shown, "exec", _ONLY_PARSED, dont_inherit=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise StubError(f"this stub cannot be read: {reason}", shown) from None
    except UnicodeDecodeError as error:
        raise StubError("this stub is not UTF-8", shown, data.count(b"\n", 0, error.start) + 1) from None
    except SyntaxError as error:
        raise StubError(f"this stub is no Python: {error.msg}", shown, error.lineno) from None
    except ValueError as error:
        raise StubError(f"this stub is no Python: {error}", shown) from None
    except (RecursionError, MemoryError):
        raise StubError("this stub is nested too deeply to be read", shown) from None
