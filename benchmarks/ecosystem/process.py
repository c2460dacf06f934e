"""One check in a process of its own, with a limit on its CPU time.

The sources that are checked are strangers': nothing of them is imported, their configuration is not read, and their
folder is not on the path of the process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from typing import NamedTuple

__all__ = ["Run", "check"]

SOURCE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "src")
LIMITED = """
import sys
sys.path.pop(0)  # the folder of the package: nothing of it is imported
import resource
limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
from mllint.cli import main
sys.exit(main(sys.argv[1:]))
"""
CHECK = ("check", "--isolated", "--no-cache", "--exit-zero", "--output-format", "json", ".")


class Run(NamedTuple):
    """What a check wrote. `problem` is "" if it finished and `output` is a report; `seconds` are of CPU."""

    code: int
    output: bytes
    seconds: float
    problem: str = ""


def check(folder: str, limit: int) -> Run:
    """Check a folder with the mllint of this checkout.

    Args:
        folder: the sources.
        limit: seconds of CPU; the patience for the clock on the wall is four times that.
    """
    command = [sys.executable, "-c", LIMITED, str(limit), *CHECK]
    code, output, errors, seconds = _run(command, folder, {**os.environ, "PYTHONPATH": SOURCE}, 4 * limit)
    if code < 0:
        return Run(code, output, seconds, f"ended by signal {-code} (limit: {limit} s of CPU)")
    try:
        json.loads(output)
    except ValueError:
        said = errors.decode("utf-8", "replace").strip().splitlines()
        return Run(code, output, seconds, f"exit code {code}: {said[-1] if said else ''}")
    return Run(code, output, seconds)


def _run(
    command: list[str], folder: str, environment: dict[str, str], patience: int
) -> tuple[int, bytes, bytes, float]:
    """The exit code of a process, what it wrote, and the seconds of CPU that it and its children took."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=out, stderr=err)
        timer = threading.Timer(patience, process.kill)
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return process.returncode, out.read(), err.read(), used.ru_utime + used.ru_stime
