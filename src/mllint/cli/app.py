"""What happens when somebody types `mllint`? The only module that decides what the process does with an error.

    mllint check src/ --select loss     0: nothing at or above `--fail-on`, 1: findings, 2: the run itself failed
    mllint baseline create              accept what is found today, report what is new
    mllint explain double-softmax       the rule's page, for the terminal; `--symptom` finds rules by what is seen
    mllint rules                        what there is
    mllint trace train.py               the training loop as mllint understands it
    mllint config select                what a setting means, what holds here and why
    mllint clean                        forget what the cache holds
    mllint server                       talk to an editor
    mllint version

Exit code 2 covers everything that makes a clean result worthless: an option, rule or path that does not exist (with the
nearest one that does), a broken configuration, a rule that crashed. Each command is a module of `mllint.commands` with
a `main(arguments) -> exit code`, loaded when it is called.
"""

from __future__ import annotations

import gc
import os
import sys

from mllint._typing import TYPE_CHECKING, Any, NoReturn
from mllint.commands import COMMANDS
from mllint.console import FAILED, INTERRUPTED, OK, close_pipe, complain, emit, prepare
from mllint.errors import MllintError, UsageError, did_you_mean
from mllint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main", "run"]

_USAGE = """\
mllint finds silent bugs in machine-learning training code.

Usage: mllint <command> [options]

Commands:
  check [PATHS]...   check files and folders (default: the current folder)
  baseline ACTION    create, update, prune or show the baseline: the findings that are accepted
  explain [RULE]     show the page of a rule, or find rules by a symptom (--symptom WORDS)
  rules              list the rules as a table
  trace FILE[:FUNC]  show a training loop as mllint understands it
  init [FOLDER]      write a configuration to start from
  config [KEY]       show what a setting means, what holds here or for a PATH, and why
  completions SHELL  print a script that completes command lines in bash, zsh or fish
  clean [PATHS]...   remove the cache of a project (default: of the current folder)
  server             be a language server, for editors
  version            show the version

`mllint <command> --help` lists the options of a command.
"""


def run() -> NoReturn:
    """Be the whole process: run the command that `sys.argv` names and leave at once.

    The operating system takes a process's memory back at once; the interpreter would first free each node of each tree,
    which takes a sixth of the time of a run.
    """
    gc.disable()  # one run, one set of trees: collecting saves nothing and costs a fifth
    try:
        code = main()
        if not sys.stdout.closed:  # as the server leaves it
            sys.stdout.flush()
    except OSError as error:
        complain(f"error: the output cannot be written: {error}")
        code = FAILED
    sys.stderr.flush()
    os._exit(code)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: the command line without the program's name; None reads it from `sys.argv`.

    Returns:
        The exit code.
    """
    prepare()
    try:
        return _dispatch(list(sys.argv[1:] if arguments is None else arguments))
    except MllintError as error:
        complain(f"error: {error}")
        return FAILED
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        close_pipe()
        return OK


def _dispatch(arguments: list[str]) -> int:
    if not arguments:
        emit([_USAGE.rstrip()])
        return FAILED
    command, *rest = arguments
    if command == "help" and rest[:1] and rest[0] in COMMANDS:
        command, rest = rest[0], ["--help"]
    if command in ("help", "--help", "-h"):
        emit([_USAGE.rstrip()])
        return OK
    if command in ("version", "--version", "-V"):
        return _version(rest)
    if command in COMMANDS:
        module: Any = __import__(f"mllint.commands.{command}", fromlist=["main"])
        return int(module.main(rest))
    if os.path.exists(command):
        raise UsageError(f"`{command}` is no command, did you mean `mllint check {command}`?")
    hint = did_you_mean(command, [*COMMANDS, "version", "help"])
    raise UsageError(f"`{command}` is no command{hint or '; `mllint --help` lists them'}")


def _version(arguments: list[str]) -> int:
    if arguments:
        from mllint.options import Parser

        Parser("version", "", "Show the version.").parse(arguments)
    emit([f"mllint {__version__}"])
    return OK
