"""What a run costs, as ratios taken in one go: `python benchmarks/speed.py FOLDER...`

Cold: the CPU of a whole `mllint check` process in one job, with every regular rule and an empty cache, against the CPU
of a process that only parses the same files (garbage collection is off in both). Warm: the wall time of the same again,
the smallest of several. Start: the wall time of checking one file without a cache against `python -c pass`, likewise.
Figures of one machine drift; the ratios are what to compare.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time

ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
COMMAND = (sys.executable, "-m", "mllint", "check", "--isolated", "--jobs", "1", "--output-format", "concise")
PARSE = """
import gc, sys
gc.disable()
for path in sys.stdin.read().split("\\n"):
    try:
        with open(path, "rb") as file:
            compile(file.read(), path, "exec", 0x400, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        pass
"""


def main(folders: list[str]) -> int:
    """Print the ratios for the files below some folders."""
    files = sorted(
        os.path.join(folder, name)
        for top in folders
        for folder, _, names in os.walk(top)
        for name in names
        if name.endswith(".py") and os.path.getsize(os.path.join(folder, name)) <= 1 << 20
    )
    if not files:
        print("no Python files there", file=sys.stderr)
        return 2
    lines = sum(count(path) for path in files)
    parsing = min(cpu([sys.executable, "-c", PARSE], "\n".join(files)) for _ in range(3))
    with tempfile.TemporaryDirectory() as cache:
        cached = [*COMMAND, "--cache-dir", cache, *folders]
        checking = cpu(cached)
        warm = min(wall(cached) for _ in range(9))
    print(f"{len(files)} files, {lines} lines")
    print(f"cold: {checking:.2f} s CPU, {checking / parsing:.1f} x parsing ({parsing:.2f} s)")
    print(f"warm: {warm * 1000:.0f} ms (150 ms and 20 us for each file: {150 + len(files) / 50:.0f} ms)")
    middle = min(files, key=lambda path: abs(count(path) - 750))
    nothing = [sys.executable, "-c", "pass"]
    one = [*COMMAND, "--no-cache", middle]
    pairs = [(wall(nothing), wall(one)) for _ in range(9)]
    base, check = min(p[0] for p in pairs), min(p[1] for p in pairs)
    print(f"start: {check * 1000:.0f} ms for one file of {count(middle)} lines, {check / base:.1f} x `python -c pass`")
    return 0


def count(path: str) -> int:
    """The lines of a file."""
    with open(path, "rb") as file:
        return file.read().count(b"\n") + 1


def cpu(command: list[str], text: str = "") -> float:
    """The CPU seconds of a finished child process, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=text, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def wall(command: list[str]) -> float:
    """The seconds that a process takes."""
    start = time.perf_counter()
    subprocess.run(command, capture_output=True, check=False, env=ENVIRONMENT)
    return time.perf_counter() - start


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
