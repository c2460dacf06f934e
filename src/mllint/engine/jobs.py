"""Who checks which component? This process, or several that it forks.

A component is checked by itself, so that it does not matter who does it, or in which order. With few files, with one
component, with one job or without `fork` all is done here. Otherwise each child is forked when the engine is made,
imports the rules that it needs, takes chunks of about the same size from one queue until it is empty, and sends home
what it found as lines of JSON. What a child that died had not sent is done here again, where its error is seen.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from mllint.errors import SourceError
from mllint.project.discovery import digest, read
from mllint.project.imports import Consulted

if TYPE_CHECKING:
    from mllint.diagnostic import Report
    from mllint.engine.engine import Engine
    from mllint.project.discovery import Disk

__all__ = ["Outcome", "Part", "available", "check"]

FEWEST = 40
"""With fewer files, starting another process costs more than it saves."""
_MOST_FILES = 64
_CHUNKS = 512
_LITTER = 1 << 26  # so many bytes of source are checked between two collections of garbage


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
        make: makes the engine, once.
        jobs: how many processes to use at most.

    Yields:
        The number of a part and what came of it, in any order.
    """
    if not parts:
        return
    worker = _Worker(parts, make())
    left = set(range(len(parts)))
    chunks = _chunks(parts)
    jobs = min(jobs, len(chunks))
    if jobs > 1 and sum(len(part.paths) for part in parts) >= FEWEST and hasattr(os, "fork"):
        for index, outcome in _forked(worker, chunks, jobs):
            left.discard(index)
            yield index, outcome
    small_first = sorted(left, key=lambda index: parts[index].size)  # what the largest leaves is not collected
    yield from worker.check(small_first)


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


# ------------------------------------------------------------------------------------------------------------- forking
def _forked(worker: _Worker, chunks: Sequence[Sequence[int]], jobs: int) -> Iterator[tuple[int, Outcome]]:
    import signal

    from mllint.engine.packing import unpack

    queue, feed = os.pipe()  # small enough for any pipe: four bytes for a chunk
    os.write(feed, b"".join(number.to_bytes(4, "little") for number in range(len(chunks))))
    os.close(feed)
    children: dict[int, int] = {}
    try:
        # An interrupt between a fork and our knowing of the child would leave it alone in the world.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            for _ in range(jobs):
                home, child = _fork(worker, chunks, queue)
                children[home] = child
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.close(queue)
        for line in _lines(list(children)):
            index, report, lookups, outside, digests = json.loads(line)
            paths = {*worker.parts[index].paths, *outside}
            consulted = Consulted({(folder, name, level): to for folder, name, level, to in lookups}, outside)
            yield index, Outcome(unpack(report, paths), consulted, digests)
    finally:
        _end(children)


def _fork(worker: _Worker, chunks: Sequence[Sequence[int]], queue: int) -> tuple[int, int]:
    """Start a child; gives where to read from it, and its number."""
    home, out = os.pipe()
    child = os.fork()
    if child:
        os.close(out)
        return home, child
    try:
        import signal

        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        with os.fdopen(out, "wb") as file:
            while number := os.read(queue, 4):
                for index, outcome in worker.check(chunks[int.from_bytes(number, "little")]):
                    file.write(_message(index, outcome))
    finally:
        os._exit(0)  # whatever happened: this process is not the one that reports it


def _message(index: int, outcome: Outcome) -> bytes:
    from mllint.engine.packing import pack

    lookups = [[*key, target] for key, target in outcome.consulted.lookups.items()]
    data: list[Any] = [index, pack(outcome.report), lookups, outcome.consulted.outside, outcome.digests]
    return json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n"


def _lines(homes: list[int]) -> Iterator[bytes]:
    """The whole lines that arrive from any child, until all are silent."""
    import select

    rest = dict.fromkeys(homes, b"")
    while rest:
        for home in select.select(list(rest), [], [])[0]:
            data = os.read(home, 1 << 20)
            if not data:
                del rest[home]
                continue
            *lines, rest[home] = (rest[home] + data).split(b"\n")
            yield from lines


def _end(children: dict[int, int]) -> None:
    """Wait for the children, who have nothing left to do unless we were interrupted."""
    import contextlib
    import signal

    for home, child in children.items():
        os.close(home)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
