"""What does a file hold that somebody else has put there? The only function that reads a project's files by name.

    reading.read("pyproject.toml", 1 << 20)     its bytes, at most a mebibyte

A name proves nothing: `mllint.toml` may be a link to `/dev/zero`, a pipe that nobody writes to, or a gigabyte. Only
regular files are read, and no more of them than the caller can use. What is refused is an `OSError` with a reason, as
is a file that is not there; so whoever handles the one handles the other.
"""

from __future__ import annotations

import errno
import os
from stat import S_ISDIR, S_ISREG

__all__ = ["SETTINGS", "SOURCE", "read"]

SETTINGS = 1 << 24
"""So large may be what configures a project; real files have kilobytes."""
SOURCE = 1 << 26
"""So large may be a source file or a lock file, even if it is named on the command line."""

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)

_UNLINKED = getattr(os, "O_NOFOLLOW", 0)


def read(path: str, most: int, *, links: bool = True) -> bytes:
    """The contents of a file.

    Args:
        path: its name.
        most: so many bytes may it have.
        links: whether links are followed, to regular files only.

    Raises:
        OSError: it cannot be read, is no regular file or larger, with the reason in `strerror`.
    """
    _refuse(os.stat(path, follow_symlinks=links), path, most)  # before it is opened: that has effects on a device
    handle = os.open(path, _FLAGS if links else _FLAGS | _UNLINKED)
    with open(handle, "rb") as file:
        status = os.fstat(handle)
        _refuse(status, path, most)
        data = file.read((status.st_size or most) + 1)  # what the system makes up as it is read has no size
    if len(data) > most:
        raise _too_large(path, most)
    return data


def _refuse(status: os.stat_result, path: str, most: int) -> None:
    if S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "It is not a regular file", path)
    if status.st_size > most:
        raise _too_large(path, most)


def _too_large(path: str, most: int) -> OSError:
    return OSError(errno.EFBIG, f"It is larger than {most >> 20} MiB", path)
