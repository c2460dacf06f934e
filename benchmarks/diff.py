"""What `mllint check --diff-base` costs, against one run: `python benchmarks/diff.py [FOLDER]`

A repository of 1,000 files is made of a folder's files (by default the clean projects of the tests), copied as often as
it takes; each copy is a project of its own. Then it is changed, and the CPU of a process that says what is new is held
against that of one which checks everything, both in one job with an empty cache. `one file`: one file of one copy has
changed; `every file`: all of them have, so that all is checked twice; `one package`: the same with one file, where all
copies are one package and thus one component.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
DEFAULT = os.path.join(os.path.dirname(HERE), "tests", "fixtures", "clean")
FILES = 1000
COMMAND = (sys.executable, "-m", "mllint", "check", "--isolated", "--jobs", "1", "--output-format", "concise")


def main(folders: list[str]) -> int:
    """Print the ratios for a repository made of a folder's files."""
    source = os.path.abspath(folders[0] if folders else DEFAULT)
    with tempfile.TemporaryDirectory() as scratch:
        for name, packages, share in (("one file", False, 0), ("every file", False, 1), ("one package", True, 0)):
            folder = os.path.join(scratch, name.replace(" ", "-"))
            paths = repository(source, folder, packages=packages)
            change(paths if share else paths[:1])
            whole, new = cpu([*COMMAND, "--no-cache", "."], folder), cpu([*COMMAND, "--no-cache", *NEW], folder)
            print(f"{name:12} {len(paths)} files: {whole:6.2f} s for one run, {new:6.2f} s for what is new,", end=" ")
            print(f"{new / whole:.2f} x")
    return 0


NEW = ("--diff-base", "HEAD", ".")


def repository(source: str, folder: str, *, packages: bool) -> list[str]:
    """Make the repository and commit it; gives the paths of its files."""
    names = sorted(
        os.path.relpath(os.path.join(at, name), source)
        for at, _, found in os.walk(source)
        for name in found
        if name.endswith(".py")
    )
    if not names:
        raise SystemExit(f"no Python files in {source}")
    paths: list[str] = []
    copy = 0
    while len(paths) < FILES:
        top = os.path.join(folder, f"copy{copy}")
        for name in names[: FILES - len(paths)]:
            target = os.path.join(top, name)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy(os.path.join(source, name), target)
            paths.append(target)
        if packages:
            for at in {os.path.dirname(path) for path in paths} | {top, folder}:
                open(os.path.join(at, "__init__.py"), "a").close()
        copy += 1
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments], cwd=folder, check=True)
    return paths


def change(paths: list[str]) -> None:
    """Change some files, without a finding."""
    for path in paths:
        with open(path, "a", encoding="utf-8") as file:
            file.write("\n_CHANGED = True\n")


def cpu(command: list[str], folder: str) -> float:
    """The CPU seconds of a finished child process, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
