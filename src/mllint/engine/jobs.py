"""Who checks which component? This process, or several.

A component is checked by itself, so that it does not matter which process does it, or in which order. With few files,
with one component or with one job all is done here. Otherwise a pool of processes is handed chunks of about the same
size, the largest first. Where processes are forked they inherit the engine; where they are started afresh (macOS,
Windows, and Linux from Python 3.14 on) each makes its own, so that everything that is handed over can be pickled.

A new interpreter that runs a command looks for modules in the current folder first, before that command can say
otherwise. That folder is a stranger's: `PYTHONSAFEPATH` keeps interpreters out of it. Python 3.10 does not know it, and
starts none.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mllint.engine.stack import with_room
from mllint.errors import MllintError, SourceError
from mllint.project.discovery import digest, read
from mllint.project.imports import Consulted

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

    from mllint.diagnostic import Report
    from mllint.engine.engine import Engine
    from mllint.project.discovery import Disk

__all__ = ["Outcome", "Part", "available", "check"]

FEWEST = 40
"""With fewer files, forking another process costs more than it saves."""
FEWEST_AFRESH = 200
"""The same where a process starts as a new interpreter."""
_SAFE = "PYTHONSAFEPATH"
_MOST_FILES = 64
_CHUNKS = 512
_LITTER = 1 << 26  # so many bytes of source are checked between two collections of garbage
_worker: _Worker | None = None
"""That of this process: set in the children of a pool, and before they are forked."""


class Part(NamedTuple):
    """A component that is to be checked: its files and their size; `reader` if they are not what is on disk; of files
    that were read already their bytes and digests, which are let go of when they are taken."""

    paths: list[str]
    size: int
    reader: Disk | None = None
    contents: dict[str, tuple[bytes, str]] | None = None


class Outcome(NamedTuple):
    """What checking a component gave; `digests` are of the files as they were read, None where that was impossible."""

    report: Report
    consulted: Consulted
    digests: dict[str, str | None]


def available() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check(parts: Sequence[Part], make: Callable[[], Engine], jobs: int) -> Iterator[tuple[int, Outcome]]:
    """Check components.

    Args:
        parts: the components.
        make: makes the engine; it can be pickled.
        jobs: how many processes to use at most.

    Yields:
        The number of a part and what came of it, in any order.

    Raises:
        MllintError: a process ended before its work was done.
    """
    if not parts:
        return
    chunks = _chunks(parts)
    files = sum(len(part.paths) for part in parts)
    jobs = min(jobs, len(chunks))
    if jobs > 1 and files >= FEWEST:
        context = _context()
        if context.get_start_method() == "fork" or (files >= FEWEST_AFRESH and sys.version_info >= (3, 11)):
            yield from _shared_out(parts, make, chunks, jobs, context)
            return
    small_first = sorted(range(len(parts)), key=lambda index: parts[index].size)  # the largest leaves most to collect
    yield from _Worker(parts, make()).check(small_first)


class _Worker:
    """Checks components one by one.

    A component is taken apart when the next one follows, so that counting references frees nearly all of it. What
    stays is left to the collector: where it is switched off, since most of what is made stays alive, it is called when
    much has been checked; what was there before is left alone.
    """

    def __init__(self, parts: Sequence[Part], engine: Engine) -> None:
        self.parts = parts
        self._engine = engine
        self._collecting = not gc.isenabled()
        self._litter = 0
        if self._collecting:
            gc.freeze()

    def check(self, indices: Iterable[int]) -> Iterator[tuple[int, Outcome]]:
        """Check the components of these numbers."""
        for index in indices:
            if self._collecting and self._litter > _LITTER:
                self._litter = 0
                gc.collect()
            yield index, _outcome(self._engine, self.parts[index])
            self._litter += self.parts[index].size


def _outcome(engine: Engine, part: Part) -> Outcome:
    digests: dict[str, str | None] = {}
    return Outcome(*engine.check(_opened(part, digests), part.reader), digests)


def _opened(part: Part, digests: dict[str, str | None]) -> Iterator[tuple[str, bytes | SourceError]]:
    opened = read if part.reader is None else part.reader.open
    for path in part.paths:
        known = part.contents.pop(path, None) if part.contents is not None else None
        try:
            data, digests[path] = known or _digested(opened(path))
        except SourceError as error:
            digests[path] = None
            yield path, error
        else:
            yield path, data


def _digested(data: bytes) -> tuple[bytes, str]:
    return data, digest(data)


def _chunks(parts: Sequence[Part]) -> list[list[int]]:
    """The numbers of the parts, the largest first, in groups that are worth a message."""
    enough = sum(part.size for part in parts) / _CHUNKS
    chunks: list[list[int]] = [[]]
    size = files = 0
    for index in sorted(range(len(parts)), key=lambda index: -parts[index].size):
        if chunks[-1] and (size >= enough or files >= _MOST_FILES):
            chunks.append([])
            size = files = 0
        chunks[-1].append(index)
        size += parts[index].size
        files += len(parts[index].paths)
    return chunks


# ---------------------------------------------------------------------------------------------------- several processes
def _context() -> BaseContext:
    """How processes are started: as the platform does by default, but never forked from a process with threads."""
    import multiprocessing
    import threading

    context = multiprocessing.get_context()
    if context.get_start_method() == "fork" and threading.active_count() > 1:
        return multiprocessing.get_context("spawn")
    return context


@contextlib.contextmanager
def _away_from_current_folder() -> Iterator[None]:
    """Interpreters that are started meanwhile find no modules in the current folder."""
    before = os.environ.get(_SAFE)
    os.environ[_SAFE] = "1"
    try:
        yield
    finally:
        del os.environ[_SAFE]
        if before is not None:
            os.environ[_SAFE] = before


def _shared_out(
    parts: Sequence[Part], make: Callable[[], Engine], chunks: Sequence[list[int]], jobs: int, context: BaseContext
) -> Iterator[tuple[int, Outcome]]:
    global _worker
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from concurrent.futures.process import BrokenProcessPool

    others = set(multiprocessing.active_children())
    if context.get_start_method() == "fork":
        _worker = _Worker(parts, make())
    with _away_from_current_folder():
        pool = ProcessPoolExecutor(jobs, context, _start, (parts, make, gc.isenabled()))
    try:
        with _interrupts_held_back(), _away_from_current_folder():
            futures = [pool.submit(_check, chunk) for chunk in chunks]
        for future in as_completed(futures):
            yield from future.result()
    except BrokenProcessPool:
        pool.shutdown(cancel_futures=True)
        raise MllintError(
            "a process that checked files ended unexpectedly (killed, or out of memory?): `--jobs 1` uses one process"
        ) from None
    except BaseException:
        children = set(multiprocessing.active_children()) - others
        for child in children:
            child.terminate()
        for child in children:
            child.join()
        pool.shutdown(wait=False, cancel_futures=True)  # its threads may wait for ever for who has been ended
        raise
    else:
        pool.shutdown(cancel_futures=True)
    finally:
        _worker = None


@contextlib.contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Let an interrupt wait while processes start, which begin with what is held back here."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(parts: Sequence[Part], make: Callable[[], Engine], collects: bool) -> None:
    """Become a child of the pool."""
    global _worker
    import threading

    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the parent, which ends its children
    if not collects:
        gc.disable()
    if _worker is None:
        _worker = _Worker(parts, make())


def _end_with_parent() -> None:
    """End this process when its parent has been killed, which leaves a pool no time to say goodbye."""
    import multiprocessing

    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _check(chunk: list[int]) -> list[tuple[int, Outcome]]:
    worker = _worker
    assert worker is not None, "`_start` comes first"
    return with_room(lambda: list(worker.check(chunk)))
