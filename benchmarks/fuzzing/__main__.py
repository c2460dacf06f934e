"""Run them: some thousand inputs of a generator at a time in a child process, under limits, and a table at the end."""

from __future__ import annotations

import argparse
import contextlib
import gc
import mmap
import os
import resource
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import FrameType

from benchmarks.fuzzing.inputs import GENERATORS, Input
from benchmarks.fuzzing.subjects import Fault, subject

SECONDS = 10  # CPU that one input may need
ROOM = 1 << 30  # bytes of memory that a process may have held at most
PATIENCE = 120  # seconds after which a child that does not get on is ended: it hangs where no Python is run
BATCH = 4_000


class Hang(BaseException):
    """An input needs too long; no `except Exception` may catch it."""


class Progress:
    """How far a child has come, readable by its parent also after its death: inputs that are done, faults."""

    def __init__(self) -> None:
        self._shared = mmap.mmap(-1, 16)

    def put(self, done: int, faults: int) -> None:
        """Say how far it is."""
        self._shared[:] = struct.pack("qq", done, faults)

    def get(self) -> tuple[int, int]:
        """How far it is."""
        done, faults = struct.unpack("qq", self._shared[:])
        return done, faults


def main() -> int:
    """Try inputs and print what became of them."""
    parser = argparse.ArgumentParser(description="Try made-up inputs.")
    parser.add_argument("generator", nargs="?", choices=[*GENERATORS], help="only this one")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first input of a generator")
    parser.add_argument("--seed", default="mllint")
    parser.add_argument("--out", type=Path, default=Path("fuzzing"), help="where inputs that show a fault are written")
    options = parser.parse_args()
    out = options.out.absolute()
    done, faults, spent = Counter[str](), Counter[str](), Counter[str]()
    warm(options.seed)
    said = time.monotonic()
    for name, first, count in batches(options.generator, options.first, options.count):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        faults[name] += batch(options.seed, name, first, count, out)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        done[name] += count
        spent[name] += round((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
        if time.monotonic() > said + 60:
            said = time.monotonic()
            print(f"{done.total():,} inputs, {faults.total()} faults, {spent.total() / 1000:.0f} s", flush=True)
    print("| generator | inputs | CPU an input | faults |\n|---|---:|---:|---:|")
    for name, count in [*done.items(), ("all", done.total())]:
        milliseconds, wrong = (c.total() if name == "all" else c[name] for c in (spent, faults))
        print(f"| {name} | {count:,} | {milliseconds / count:.1f} ms | {wrong} |")
    return 1 if faults.total() else 0


def warm(seed: str) -> None:
    """Load everything once, for all children."""
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name in GENERATORS:
            for number in range(50):
                with contextlib.suppress(Exception):  # it is tried again, and then counts
                    subject(name)(made(seed, name, number))
        os.chdir(here)
    gc.collect()
    gc.freeze()


def batches(only: str | None, first: int, count: int) -> Iterator[tuple[str, int, int]]:
    """Generators with the numbers of inputs, some thousand at a time, each generator as often as is its share."""
    if only is not None:
        for start in range(first, first + count, BATCH):
            yield only, start, min(BATCH, first + count - start)
        return
    shares = {name: count * share // 1_000 for name, (_, share) in GENERATORS.items()}
    for start in range(0, max(shares.values()), BATCH):
        for name, share in shares.items():
            done, due = (share * (start + step) // max(shares.values()) for step in (0, BATCH))
            if due := min(due, share) - done:
                yield name, first + done, due


def batch(seed: str, name: str, first: int, count: int, out: Path) -> int:
    """Try some inputs of a generator; gives the number of faults."""
    faults, done = 0, 0
    while done < count:
        progress = Progress()
        end = child(seed, name, first + done, count - done, out, progress)
        tried, wrong = progress.get()
        done, faults = done + tried, faults + wrong
        if end:  # by the input that is not counted yet
            write(out, name, first + done, made(seed, name, first + done), end)
            done, faults = done + 1, faults + 1
    return faults


def child(seed: str, name: str, first: int, count: int, out: Path, progress: Progress) -> str:
    """Try inputs in a child process; gives how it was ended, if it did not end by itself."""
    folder = tempfile.mkdtemp(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    pid = os.fork()
    if not pid:
        code = 99
        try:
            os.chdir(folder)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_AS, (4 * ROOM, 4 * ROOM))
            attempt(seed, name, first, count, out, progress)
            code = 0
        finally:
            os._exit(code)
    try:
        return awaited(pid, progress)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def awaited(pid: int, progress: Progress) -> str:
    """Wait for a child as long as it gets on."""
    moved, last = time.monotonic(), progress.get()
    pause = 0.001
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return "" if code == 0 else f"the process ended with {code}"
        time.sleep(pause := min(pause * 1.5, 0.2))
        if progress.get() != last:
            moved, last = time.monotonic(), progress.get()
        elif time.monotonic() > moved + PATIENCE:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return f"nothing happened for {PATIENCE} seconds"


def attempt(seed: str, name: str, first: int, count: int, out: Path, progress: Progress) -> None:
    """Try inputs in this process."""
    signal.signal(signal.SIGPROF, hang)
    read = subject(name)
    faults = 0
    for done in range(count):
        given = made(seed, name, first + done)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            read(given)
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > ROOM:
                raise Fault(f"more than {ROOM} bytes of memory")
        except Hang:
            faults += write(out, name, first + done, given, f"more than {SECONDS} s:\n{traceback.format_exc()}")
        except Exception:  # noqa: BLE001  (what is looked for)
            faults += write(out, name, first + done, given, traceback.format_exc())
        signal.setitimer(signal.ITIMER_PROF, 0)
        progress.put(done + 1, faults)
        if done % 100 == 99:
            gc.collect()
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > ROOM:
            return  # the next input is tried by a process that has held less


def hang(signum: int, frame: FrameType | None) -> None:
    """The time of an input is over."""
    raise Hang


def made(seed: str, name: str, number: int) -> Input:
    """An input by its number."""
    return GENERATORS[name][0](Random(f"{seed} {name} {number}"))


def write(out: Path, name: str, number: int, given: Input, why: str) -> int:
    """Keep an input that shows a fault, and what it shows."""
    folder = out / f"{name}-{number}"
    for path, data in given.items():
        place = folder / path.replace("/", "_")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)
    (folder / "fault.txt").write_text(why)
    print(f"{name} {number}: {why.strip().splitlines()[-1][:200]}", flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
