"""How does the cost of a check grow with the size of its input? `python benchmarks/growth.py [SHAPE...] [--limit S]`

Each shape of `pathological` is written at doubling sizes and checked in a process of its own, without a cache. Printed
are CPU seconds above those of an empty file, and the exponent between the last two sizes: 1.0 is linear, about 1.1 is n
log n, 2.0 is quadratic. A shape stops at `--limit` seconds. Figures of one machine drift; the exponents are what to
compare. `--memory` bounds the address space of each process, in MB.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.pathological import SHAPES

PROGRAM = """
import resource, runpy, sys
seconds, room = map(int, sys.argv[1:3])
del sys.argv[1:3]
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
resource.setrlimit(resource.RLIMIT_AS, (room, room))
runpy.run_module("mllint", run_name="__main__")
"""
COMMAND = ("check", "--isolated", "--no-cache", "--jobs", "1", "--exit-zero")
STEPS = 4  # sizes that are measured: the first one doubled three times


def main() -> int:
    """Measure the chosen shapes, or all of them, and print a row for each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=f"one of: {', '.join(SHAPES)}")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds of CPU for one check")
    parser.add_argument("--memory", type=int, default=4000, help="address space of one check in MB")
    parser.add_argument("--scale", type=int, default=1, help="multiply the sizes")
    options = parser.parse_args()
    unknown = [name for name in options.shapes if name not in SHAPES]
    if unknown:
        parser.error(f"no such shape: {', '.join(unknown)}")
    nothing = run({"empty.py": "import torch\n"}, options)[0]
    print(f"{'shape':28}{'first size':>11}   CPU seconds of doubling sizes          exponent   MB")
    for name in options.shapes or SHAPES:
        print(row(name, nothing, options), flush=True)
    return 0


def row(name: str, nothing: float, options: argparse.Namespace) -> str:
    """The costs of one shape."""
    make, first = SHAPES[name]
    costs, memory, note = measured(make, first * options.scale, nothing, options)
    shown = "".join(f"{cost:9.2f}" for cost in costs)
    grown = len(costs) > 1 and costs[-1] > 0.1
    exponent = f"{math.log2(costs[-1] / max(costs[-2], 0.02)):.2f}" if grown else "-"
    return f"{name:28}{first * options.scale:>11}{shown:<40}{exponent:>7}{memory:>7.0f} {note}"


def measured(
    make: Callable[[int], dict[str, str]], size: int, nothing: float, options: argparse.Namespace
) -> tuple[list[float], float, str]:
    """CPU seconds at doubling sizes, the memory of the largest in MB, and how the last run ended if not by itself."""
    costs: list[float] = []
    memory, note = 0.0, ""
    for _ in range(STEPS):
        cost, memory, note = run(make(size), options)
        costs.append(max(cost - nothing, 0.0))
        if note or cost > options.limit:
            break
        size *= 2
    return costs, memory, note


def run(files: dict[str, str], options: argparse.Namespace) -> tuple[float, float, str]:
    """CPU seconds and memory in MB of one check, and what went wrong."""

    limited = [sys.executable, "-c", PROGRAM, str(math.ceil(options.limit)), str(options.memory << 20)]
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        with open(os.path.join(folder, "output"), "w+b") as output:
            process = subprocess.Popen(
                [*limited, *COMMAND, *(files if len(files) == 1 else ["."])],
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=folder,
            )
            _, status, usage = os.wait4(process.pid, 0)
            output.seek(0)
            text = output.read().decode(errors="replace")
    code = os.waitstatus_to_exitcode(status)
    note = "" if code == 0 else f"exit {code}"
    if "internal-error" in text:
        note = "internal error"
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, note


if __name__ == "__main__":
    sys.exit(main())
