r"""What does the documentation tell somebody to type, and what does it say they will see?

Every fence of README.md and docs/*.md in a shell's language is run, in order, in a scratch folder of its document:

* `sh`: each line has to succeed (`mllint` may also find something, exit code 1); its output is nobody's business
* `console`: behind `$ ` stand commands, below each all that it prints, on either stream; `...` on a line of its own
  stands for any lines, within a line for any words
* a line "`name`:" directly above a fence writes the fence to that file first, as on the pages of rules

The scratch folder is a git repository: the sample project of `examples/silent-bugs`; for README.md, the folder that
holds `examples`. A fence that cannot be run here says so in a comment on the line above it:

    <!-- not run: it needs a runner of GitHub -->
    <!-- run by .ci/run -->                          a fresh copy of the checkout, and the network

`python -m tests.documents` runs the fences of the second kind.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

__all__ = ["Block", "blocks", "prepare", "run"]

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "examples" / "silent-bugs"
SHELLS = frozenset(("sh", "console", "bash", "shell", "zsh", "shell-session"))
ELSEWHERE = "run by .ci/run"
SECONDS = 300

_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,})(?P<info>[^`]*)$")
_NAME = re.compile(r"^ *`(?P<name>[^`\s]+)`:\s*$")
_COMMENT = re.compile(r"^ *<!-- *(?P<text>.*?) *-->\s*$")
_END = "\x1e"  # between the outputs of two commands


class Block(NamedTuple):
    """One fence.

    Attributes:
        document: the file it is in.
        line: 1-based line of the fence.
        language: the first word behind the fence.
        name: the file that it is written to, empty for none.
        comment: the comment above it, empty for none.
        text: what is in it, without its indentation.
    """

    document: Path
    line: int
    language: str
    name: str
    comment: str
    text: str

    @property
    def is_run(self) -> bool:
        """Is it run in the scratch folder?"""
        return self.language in SHELLS and not self.comment.startswith(("not run", ELSEWHERE))

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        return f"{self.document.relative_to(ROOT)}:{self.line}"

    def commands(self) -> list[tuple[str, str | None]]:
        """The commands, each with the output that is shown, None if none is."""
        lines = self.text.replace("\\\n", "").split("\n") if self.language != "console" else self.text.split("\n")
        if self.language != "console":
            return [(line, None) for line in lines if line.strip() and not line.lstrip().startswith("#")]
        found: list[tuple[str, str | None]] = []
        for line in lines:
            if line.startswith("$ "):
                found.append((line[2:], ""))
            elif found and found[-1][0].endswith("\\") and not found[-1][1]:
                found[-1] = (found[-1][0][:-1] + line.removeprefix("> ").lstrip(), "")
            elif found:
                found[-1] = (found[-1][0], f"{found[-1][1]}{line}\n")
        return found


def blocks(document: Path) -> Iterator[Block]:
    """The fences of a document, in order."""
    lines = document.read_text(encoding="utf-8").split("\n")
    at = 0
    while at < len(lines):
        match = _FENCE.match(lines[at])
        if match is None:
            at += 1
            continue
        indent, fence = len(match["indent"]), match["fence"]
        end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == fence)
        above = next((lines[i] for i in range(at - 1, -1, -1) if lines[i].strip()), "")
        name, comment = _NAME.match(above), _COMMENT.match(above)
        yield Block(
            document=document,
            line=at + 1,
            language=(match["info"].split() or [""])[0],
            name=name["name"] if name else "",
            comment=comment["text"] if comment else "",
            text="\n".join(line[indent:] for line in lines[at + 1 : end]) + "\n",
        )
        at = end + 1


def prepare(folder: Path, document: Path) -> dict[str, str]:
    """Make the scratch folder of a document.

    Args:
        folder: an empty folder.
        document: the document.

    Returns:
        The environment for its commands.
    """
    work, binaries = folder / "work", folder / "bin"
    shutil.copytree(SAMPLE, work / "examples/silent-bugs" if document.name == "README.md" else work)
    shutil.rmtree(work / ".mllint_cache", ignore_errors=True)
    binaries.mkdir()
    for name, arguments in (("mllint", "-m mllint"), ("mllint-check", "-m mllint"), ("python", ""), ("python3", "")):
        script = binaries / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    environment = {
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT / "src"),
        "LANG": "C.UTF-8",
        "COLUMNS": "100",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    for who in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{who}_NAME": "somebody", f"GIT_{who}_EMAIL": "somebody@example.org"}
    start = "git init -q -b main . && git add -A && git commit -q -m start"
    subprocess.run(["bash", "-c", start], cwd=work, env=environment, check=True)
    return environment


def run(block: Block, folder: Path, environment: dict[str, str]) -> list[str]:
    """Run a fence, or write it to the file that it names.

    Args:
        block: the fence.
        folder: the scratch folder.
        environment: as `prepare` gave it.

    Returns:
        What differs from what the document says, a text for each command; empty if nothing does.
    """
    work = folder / "work"
    if block.name and block.language not in SHELLS:
        path = work / block.name
        assert work in path.resolve().parents, f"{block.place}: `{block.name}` is not inside the project"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
    if not block.is_run:
        return []
    commands = block.commands()
    outputs = _outputs([command for command, _ in commands], work, environment)
    problems = []
    for (command, shown), (output, code) in zip(commands, outputs, strict=False):
        allowed = (0, 1) if command.startswith(("mllint ", "mllint-check ", ".venv/bin/mllint ")) else (0,)
        if shown is None and code not in allowed:
            problems.append(f"{block.place}: `{command}` ended with {code}:\n{output}")
        elif shown is not None and not _agree(shown, output):
            problems.append(f"{block.place}: `{command}` printed\n\n{output}\ninstead of\n\n{shown}")
    if len(outputs) < len(commands):
        problems.append(f"{block.place}: the shell ended before `{commands[len(outputs)][0]}`")
    return problems


def _outputs(commands: list[str], work: Path, environment: dict[str, str]) -> list[tuple[str, int]]:
    """What each command prints, and its exit code; one shell runs all of them."""
    end = _END.encode("unicode_escape").decode().replace("\\x", "\\x")
    script = "".join(f"{command}\n__code=$?; printf '{end}%d{end}' $__code; (exit $__code)\n" for command in commands)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    parts = done.stdout.decode("utf-8", "replace").split(_END)
    return [(output, int(code)) for output, code in zip(parts[::2], parts[1::2], strict=False)]


def _agree(shown: str, output: str) -> bool:
    """Is the output what is shown, but for what `...` stands for and the space at line ends?"""
    lines = [line.rstrip() for line in shown.rstrip().split("\n")]
    within = [".*?".join(map(re.escape, line.split("..."))) for line in lines]
    wanted = "\n".join(r"[^\0]*?" if line == "..." else part for line, part in zip(lines, within, strict=True))
    wanted = wanted.replace("[^\\0]*?\n", "(?:[^\\0]*?\n)??").replace("\n[^\\0]*?", "(?:\n[^\\0]*?)??")
    return re.fullmatch(wanted, "\n".join(line.rstrip() for line in output.rstrip().split("\n"))) is not None


def _elsewhere() -> int:
    """Run the fences that need a copy of the checkout and the network, each document in a fresh copy."""
    problems = []
    for document in sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md"]):
        wanted = [block for block in blocks(document) if block.comment.startswith(ELSEWHERE)]
        with tempfile.TemporaryDirectory() as scratch:
            work = Path(scratch) / "work"
            ignore = shutil.ignore_patterns(".git", ".venv", "build", "dist", "__pycache__", ".*_cache", ".hypothesis")
            if wanted:
                shutil.copytree(ROOT, work, ignore=ignore)
            for block in wanted:
                sys.stdout.write(f"{block.place}\n")
                sys.stdout.flush()
                here = block._replace(comment="")
                problems += run(here, Path(scratch), {**os.environ, "COLUMNS": "100"})
    sys.stdout.write("".join(f"{problem}\n" for problem in problems))
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(_elsewhere())
