"""What does git say about a repository whose configuration nobody vouches for? The only module that runs git.

    tree = git.around("src")                  the working tree that a folder is in
    tree.run("rev-parse", "HEAD").output      one command, run there

An archive from a stranger may hold a `.git` folder, and a clone may hold, in a folder of its own, the plain files that
make up another repository. The configuration of either can name programs: a file system monitor, filters for contents,
hooks, differs, pagers, transports and the commands that these use. None of them is run:

* a repository starts where there is a `.git`; one that is made of plain files below it is never entered, and neither is
  a submodule. The working tree is the folder of that `.git`, whatever `core.worktree` says;
* options of the command line override the settings that name programs. The names of filters are free, so they are first
  asked for (reading a configuration runs nothing) and then overridden one by one;
* nothing is fetched: a clone without contents (`--filter`) is an error, since what fetches runs transports;
* of the variables `GIT_*` only those are passed on that say where a repository is and which configuration counts;
* git itself is looked for on absolute entries of `PATH` only, never in the folder that is checked;
* a command that does not end (a named pipe among git's files) is stopped.

The user's own configuration still counts, for `safe.directory` and for the files to ignore. What this module does not
do: it knows no Python files and compares nothing (`changes` does).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mllint.errors import MllintError

__all__ = ["Answer", "WorkTree", "around"]

_SECONDS = 300.0
"""So long a command may take: a cold cache and a large repository need minutes at most."""

_HARMLESS = (
    "safe.bareRepository=explicit",
    "core.fsmonitor=",  # empty is off for the versions that read a program here, too
    f"core.hooksPath={os.devnull}",
    "diff.autoRefreshIndex=true",
    "diff.relative=false",
)
_NONE = ("not a git repository", "bare repository")  # how git says that a `.git` is none, and what lies around it
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
_WHERE = frozenset(
    """
    GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_CEILING_DIRECTORIES GIT_COMMON_DIR GIT_DIR GIT_DISCOVERY_ACROSS_FILESYSTEM
    GIT_EXEC_PATH GIT_INDEX_FILE GIT_NAMESPACE GIT_OBJECT_DIRECTORY GIT_QUARANTINE_PATH GIT_WORK_TREE""".split()
)


class Answer(NamedTuple):
    """What a command of git came to: its exit code, what it printed, and its complaint in one line."""

    code: int
    output: bytes
    problem: str


class WorkTree:
    """The working tree of a repository.

    Attributes:
        top: its uppermost folder, absolute.

    Raises:
        MllintError: there is no git, or the repository has filters that cannot be switched off.
    """

    __slots__ = ("_options", "top")

    def __init__(self, top: str) -> None:
        self.top = top
        self._options = tuple(_without_filters(top))

    def run(self, *arguments: str, text: bytes = b"") -> Answer:
        """Run a command of git that neither starts another program nor reaches the network.

        Args:
            *arguments: the command.
            text: what it reads from standard input.

        Raises:
            MllintError: there is no git, or it does not answer.
        """
        return _git(self.top, (*self._options, *arguments), text)


def around(folder: str) -> WorkTree | None:
    """The working tree that a folder is in; None if it is in none.

    Where git itself has started us (`GIT_DIR`, in a hook), it is the one that git means.

    Raises:
        MllintError: there is no git, or it refuses the repository.
    """
    physical = os.path.realpath(folder)
    levels = [physical]
    while os.path.dirname(levels[-1]) != levels[-1]:
        levels.append(os.path.dirname(levels[-1]))
    for up, level in enumerate(levels):
        if "GIT_DIR" not in os.environ and not os.path.lexists(os.path.join(level, ".git")):
            continue
        answer = _git(level, ("rev-parse", "--show-toplevel"))
        if not answer.code:
            top = os.fsdecode(answer.output.removesuffix(b"\n"))
            climbed = os.path.normpath(os.path.join(os.path.abspath(folder), *[os.pardir] * up))
            return WorkTree(climbed if os.path.realpath(climbed) == os.path.realpath(top) else os.path.normpath(top))
        if "GIT_DIR" in os.environ or not any(words in answer.problem for words in _NONE):
            raise MllintError(f"git cannot read the repository around `{folder}`: {answer.problem}")
    return None


def _without_filters(top: str) -> Iterator[str]:
    """Options that switch off each filter that any configuration has."""
    answer = _git(top, ("config", "--includes", "--name-only", "-z", "--get-regexp", r"^filter\."))
    if answer.code > 1:
        raise MllintError(f"git cannot read the configuration of `{top}`: {answer.problem}")
    names = {key.rpartition(".")[0] for key in os.fsdecode(answer.output).split("\0") if key}
    for name in sorted(names):
        if "=" in name:  # would end the name on a command line, and the filter would stay
            raise MllintError(f"the configuration of `{top}` has a filter that cannot be switched off: `{name}`")
        for key, value in (("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")):
            yield from ("-c", f"{name}.{key}={value}")


def _git(top: str, arguments: Sequence[str], text: bytes = b"") -> Answer:
    """Run git in the uppermost folder of a working tree; it looks for a repository nowhere else."""
    import subprocess

    options = [word for setting in _HARMLESS for word in ("-c", setting)]
    command = [_program(), "--no-pager", *options, *arguments]
    try:
        done = subprocess.run(
            command, cwd=top, input=text, capture_output=True, check=False, env=_environment(top), timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise MllintError(f"git does not answer: `git {_name(arguments)}` in `{top}` was stopped") from None
    except OSError as error:
        raise MllintError(f"git cannot be run: {(error.strerror or str(error)).lower()}") from None
    return Answer(done.returncode, done.stdout, _complaint(done.stderr.decode("utf-8", "replace")))


def _complaint(text: str) -> str:
    """The line that says why git has failed; warnings come before it."""
    lines = text.strip().split("\n")
    reason = next((line for line in reversed(lines) if line.startswith("fatal: ")), lines[0])
    return reason.removeprefix("fatal: ").removeprefix("error: ")


def _name(arguments: Sequence[str]) -> str:
    """The command among some arguments."""
    words = iter(arguments)
    for word in words:
        if word != "-c":
            return word
        next(words, "")
    return ""


def _environment(top: str) -> dict[str, str]:
    """The variables that git sees."""
    known = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _WHERE or name.startswith("GIT_CONFIG_")
    }
    if "GIT_DIR" not in known:
        known["GIT_WORK_TREE"] = top
        above = [os.path.dirname(os.path.realpath(top)), known.get("GIT_CEILING_DIRECTORIES", "")]
        known["GIT_CEILING_DIRECTORIES"] = os.pathsep.join(filter(None, above))
    return {**known, **_ENVIRONMENT}


def _program() -> str:
    """Where git is.

    Raises:
        MllintError: nowhere.
    """
    name = "git.exe" if os.name == "nt" else "git"
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    raise MllintError("to compare with a commit mllint asks git, which is not installed")
