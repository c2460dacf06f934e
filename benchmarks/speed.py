"""What a run costs, as ratios taken in one go: `python benchmarks/speed.py [--growth] FOLDER...`

Cold: the CPU of a whole `mllint check` process in one job, with every regular rule and an empty cache, against the CPU
of a process that only parses the same files (garbage collection is off in both; three runs of each in turn, the
cheapest counts), and against `ruff check --select ALL`
where there is ruff; its peak memory. Warm: the wall time of the same again, the smallest of several. Start: the wall
time of checking one file without a cache against `python -c pass`, likewise; once for the file nearest to 750 lines and
once for the one nearest to that among those that train. Growth: the CPU of a cold run on 1, 4 and 16 copies of the
folders, beside each other, per copy (with `--growth` only: it takes as long as 21 runs).

What is measured is the mllint that this Python imports. An installed one is compiled, a checkout is not. Figures of one
machine drift; the ratios are what to compare.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
COMMAND = (sys.executable, "-c", "from mllint.cli import run; run()")  # what the script `mllint` does
COMMAND += ("check", "--isolated", "--jobs", "1", "--output-format", "concise")
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


RUFF = ("check", "--isolated", "--no-cache", "--select", "ALL", "--output-format", "concise", "--exit-zero")
SIZE = 750  # lines of the files that are checked by themselves
PAIRS = 9
RUNS = 3  # of the dear ones, one after the other in turn; the cheapest of each kind counts


def main(arguments: list[str]) -> int:
    """Print the ratios for the files below some folders."""
    growing = "--growth" in arguments
    folders = [argument for argument in arguments if argument != "--growth"]
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
    parsing, checking = (min(costs) for costs in zip(*(cold(files, folders) for _ in range(RUNS)), strict=True))
    with tempfile.TemporaryDirectory() as cache:
        cached = [*COMMAND, "--cache-dir", cache, *folders]
        cpu(cached)
        memory = peak(cached)
        warm = min(wall(cached) for _ in range(PAIRS))
    print(f"{len(files)} files, {lines} lines; the core is {'compiled' if is_compiled() else 'not compiled'}")
    print(f"cold: {checking:.2f} s CPU, {checking / parsing:.1f} x parsing ({parsing:.2f} s), {memory:.0f} MB at most")
    if ruff := shutil.which("ruff", path=os.path.dirname(sys.executable)) or shutil.which("ruff"):
        other = min(cpu([ruff, *RUFF, *folders]) for _ in range(RUNS))
        print(f"      {checking / other:.1f} x `ruff check --select ALL` ({other:.2f} s CPU)")
    print(f"warm: {warm * 1000:.0f} ms (150 ms and 20 us for each file: {150 + len(files) / 50:.0f} ms)")
    start("one file", files)
    start("one file that trains", [path for path in files if trains(path)])
    if growing:
        growth(folders)
    return 0


def cold(files: list[str], folders: list[str]) -> tuple[float, float]:
    """The CPU of parsing files, and of checking their folders with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        parsing = cpu([sys.executable, "-c", PARSE], "\n".join(files))
        return parsing, cpu([*COMMAND, "--cache-dir", cache, *folders])


def start(what: str, files: list[str]) -> None:
    """Print the time of checking the file nearest to the usual size against that of an empty program."""
    if not files:
        return
    middle = min(files, key=lambda path: abs(count(path) - SIZE))
    nothing = [sys.executable, "-c", "pass"]
    one = [*COMMAND, "--no-cache", middle]
    pairs = [(wall(nothing), wall(one)) for _ in range(PAIRS)]
    base, check = min(p[0] for p in pairs), min(p[1] for p in pairs)
    print(f"start: {check * 1000:.0f} ms for {what} of {count(middle)} lines, {check / base:.1f} x `python -c pass`")


def growth(folders: list[str]) -> None:
    """Print the CPU of cold runs on copies, per copy."""
    costs: list[float] = []
    for copies in (1, 4, 16):
        with tempfile.TemporaryDirectory() as top:
            for number in range(copies):
                for folder in folders:
                    name = os.path.basename(os.path.abspath(folder))
                    shutil.copytree(folder, os.path.join(top, f"copy{number}", name), symlinks=True)
            costs.append(cpu([*COMMAND, "--no-cache", top]) / copies)
    shown = ", ".join(f"{cost / costs[0]:.2f}" for cost in costs)
    print(f"growth: {shown} x the CPU of one copy, for each of 1, 4 and 16 copies")


def is_compiled() -> bool:
    """Is the core of the mllint that would run machine code?"""
    program = "from mllint.semantics.values import evaluate; print(evaluate.__file__)"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    return not found.stdout.strip().endswith(".py")


def trains(path: str) -> bool:
    """Does a file look like a training script?"""
    with open(path, "rb") as file:
        text = file.read()
    return b".backward()" in text and b".step()" in text and b"optim" in text


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


def peak(command: list[str]) -> float:
    """The most memory that a child process holds at once, in MB, without a cache."""
    place = command.index("--cache-dir")
    command = [*command[:place], "--no-cache", *command[place + 2 :]]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    return os.wait4(process.pid, 0)[2].ru_maxrss / 1024


def wall(command: list[str]) -> float:
    """The seconds that a process takes."""
    start = time.perf_counter()
    subprocess.run(command, capture_output=True, check=False, env=ENVIRONMENT)
    return time.perf_counter() - start


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
