"""The command line: which command is called, and what becomes of an error.

    mllint check src/ --select loss     0: nothing at or above `--fail-on`, 1: findings, 2: the run itself failed
    mllint baseline create              accept what is found today, report what is new
    mllint explain double-softmax       the rule's page, for the terminal; `--symptom` finds rules by what is seen
    mllint rules                        the table of rules
    mllint trace train.py               the training loop as mllint understands it
    mllint reduce train.py RULE         the few lines that still show a finding
    mllint config select                what a setting means, what holds here and why
    mllint clean                        remove the cache
    mllint server                       the language server
    mllint version

Exit code 2 covers everything that makes a clean result worthless: an option, rule or path that does not exist (with the
nearest one that does), a broken configuration, a rule that crashed. Each command is a module of this package with a
click command called `command`, imported when it is called.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
from typing import TYPE_CHECKING, NoReturn

import click
from click.exceptions import Exit

from mllint.cli.command import COMPLETE, SETTINGS, described
from mllint.cli.terminal import FAILED, INTERRUPTED, OK, close_pipe, complain, emit, prepare, tell
from mllint.engine.stack import with_room
from mllint.errors import MllintError, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["COMMANDS", "app", "main", "run"]

COMMANDS = {
    "check": "Check files and folders (default: the current folder).",
    "baseline": "Create, update, prune or show the baseline: the findings that are accepted.",
    "explain": "Show the page of a rule, or find rules by a symptom.",
    "rules": "List the rules as a table.",
    "trace": "Show a training loop as mllint understands it.",
    "reduce": "Shrink a file to the few lines that still show what a rule reports.",
    "init": "Write a configuration to start from.",
    "config": "Show what a setting means, its value here or for a PATH, and why.",
    "completions": "Print a script that completes command lines in a shell.",
    "clean": "Remove the cache of a project (default: of the current folder).",
    "server": "Start the language server, for editors.",
    "version": "Show the version.",
}
"""The commands, each with what the help says of it. The module of a command has its name."""


class _Commands(click.Group):
    """The commands, imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = importlib.import_module(f"mllint.cli.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            raise UsageError(_unknown(args[0]))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):  # without importing them
            formatter.write_dl([*COMMANDS.items()])


def _unknown(command: str) -> str:
    if os.path.exists(command):
        return f"unknown command `{command}`, did you mean `mllint check {command}`?"
    hint = did_you_mean(command, [*COMMANDS, "help"])
    return f"unknown command `{command}`{hint or '; `mllint --help` lists them'}"


def _version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from mllint.cli.version import lines

        emit(lines())
        context.exit(OK)


app = _Commands(
    "mllint",
    help="mllint finds silent bugs in machine-learning training code.",
    epilog="`mllint COMMAND --help` lists the options of a command.",
    params=[
        click.Option(
            ["-V", "--version"], is_flag=True, expose_value=False, is_eager=True, callback=_version,
            help="Show the version and exit.",
        )
    ],
    context_settings=SETTINGS,
    options_metavar="",
    subcommand_metavar="COMMAND [OPTIONS]",
)  # fmt: skip
"""The whole command line."""


def run() -> NoReturn:
    """Be the whole process: run the command that `sys.argv` names and leave at once.

    The operating system takes a process's memory back at once; the interpreter would first free each node of each tree,
    which takes a sixth of the time of a run.
    """
    gc.disable()  # one run, one set of trees: collecting saves nothing and costs a fifth
    try:
        code = with_room(main)
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
    except Exit as leaving:
        return leaving.exit_code
    except click.UsageError as error:
        complain(f"error: {described(error)}")
        return FAILED
    except MllintError as error:
        complain(f"error: {error}")
        return FAILED
    except KeyboardInterrupt:
        complain("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        close_pipe()
        return OK
    except Exception as error:  # noqa: BLE001  (code 1 means findings: what nobody has foreseen must not look like them)
        return _crashed(error)


def _crashed(error: Exception) -> int:
    """Say what went wrong; gives the exit code."""
    try:
        os.getcwd()
    except FileNotFoundError:
        complain("error: the current folder does not exist any more: change to one that does")
        return FAILED
    if isinstance(error, OSError):  # the output cannot be written: see `run`
        raise error
    import traceback

    tell(line for part in traceback.format_exception(error) for line in part.rstrip("\n").split("\n"))
    complain("error: this is a bug of mllint, and nothing is known about the code: please report what is above")
    return FAILED


def _dispatch(arguments: list[str]) -> int:
    if COMPLETE in os.environ:
        from mllint.cli.completions import answer

        return answer(app, os.environ[COMPLETE])
    if not arguments:
        emit([app.get_help(click.Context(app, info_name="mllint", **SETTINGS))])
        return FAILED
    if arguments[0] == "help":
        arguments = [*arguments[1:2], "--help"]
    with app.make_context("mllint", arguments) as context:
        code: int = app.invoke(context)
        return code
