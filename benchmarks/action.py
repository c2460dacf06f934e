"""What does the action cost? `python -m benchmarks.action FOLDER [ACTION]`

The steps of `action.yml` are taken as a runner takes them, by its own text: each script by `bash`, with the variables
that its step names, in a copy of FOLDER. The two steps that fetch and keep a cache keep a folder here. All steps are
taken twice: with nothing kept, and with what the first time has kept. Printed are seconds of the clock and of CPU for
each step. ACTION is the repository of the action; without it, this one, which may hold more than a fresh clone does.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent.parent


def main() -> int:
    """Take the steps twice and print what each took."""
    folder, action = Path(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else HERE).resolve()
    with tempfile.TemporaryDirectory() as room:
        checked = shutil.copytree(folder, Path(room, "checked"))
        for name in ("cold", "cached"):
            print(f"{name} (load {os.getloadavg()[0]:.1f})")
            Runner(action, checked, Path(room)).run()
    return 0


class Runner:
    """One job of a runner, as far as the action sees it.

    Args:
        action: the repository of the action.
        checked: the repository that is checked.
        room: what lasts from job to job: a folder for the caches, which the runner's temporary one stands for.
    """

    def __init__(self, action: Path, checked: Path, room: Path) -> None:
        self.read = yaml.safe_load((action / "action.yml").read_text(encoding="utf-8"))
        self.checked, self.temporary, self.output = checked, room / "temporary", room / "output"
        self.values: dict[str, str] = {f"inputs.{name}": of["default"] for name, of in self.read["inputs"].items()}
        self.values |= {"github.action_path": str(action), "runner.temp": str(self.temporary)}
        self.temporary.mkdir(exist_ok=True)
        self.kept = {"mllint": (self.temporary / "mllint").exists()}

    def run(self) -> None:
        """Take all steps."""
        whole = self.now()
        for step in self.read["runs"]["steps"]:
            before = self.now()
            if "run" in step and not ("cache-hit" in str(step.get("if")) and self.kept["mllint"]):
                self.take(step)
            self.show(step["name"], before)
        self.show("all", whole)

    def take(self, step: dict[str, Any]) -> None:
        """Run the script of a step, and read what it gives to the others."""
        self.output.write_text("", encoding="utf-8")
        given = {name: self.filled(str(value)) for name, value in step.get("env", {}).items()}
        runner = {"RUNNER_TEMP": str(self.temporary), "GITHUB_OUTPUT": str(self.output), "CI": "true"}
        runner |= {"PIP_NO_CACHE_DIR": "1"}  # a fresh runner has none
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
        environment = os.environ | runner | given
        done = subprocess.run(command, cwd=self.checked, env=environment, capture_output=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"{step['name']} ended with {done.returncode}: {done.stderr.decode()}")
        for line in self.output.read_text(encoding="utf-8").splitlines():
            name, _, value = line.partition("=")
            self.values[f"steps.{step.get('id')}.outputs.{name}"] = value

    def filled(self, text: str) -> str:
        """A text with the runner's expressions replaced by what they stand for."""
        return re.sub(r"\$\{\{ *([\w.-]+) *\}\}", lambda match: self.values[match[1]], text)

    @staticmethod
    def now() -> tuple[float, float]:
        """Seconds of the clock, and of CPU of all processes that have ended."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.perf_counter(), used.ru_utime + used.ru_stime

    def show(self, name: str, before: tuple[float, float]) -> None:
        """Print what was spent since."""
        clock, cpu = (now - then for now, then in zip(self.now(), before, strict=True))
        print(f"  {name:34}{clock:7.1f} s {cpu:7.1f} s of CPU", flush=True)


if __name__ == "__main__":
    sys.exit(main())
