"""`mllint completions SHELL`: a script by which a shell completes command lines, and the answers that it asks for.

The scripts are click's. While somebody types, a script runs mllint with `_MLLINT_COMPLETE` set, which answers without
reading any file: what an option may take is known to its type (`command.Words`, `command.Checked`).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click
from click import shell_completion

from mllint.cli.command import COMPLETE, Command, Words, argument
from mllint.cli.terminal import FAILED, OK, emit

if TYPE_CHECKING:
    from collections.abc import Sequence


__all__ = ["SHELLS", "answer", "command", "keys", "rules"]

SHELLS = ("bash", "zsh", "fish", "powershell")
_SECOND = "mllint-check"
"""The other name of the program, which the scripts complete as well."""
_POWERSHELL = """\
Register-ArgumentCompleter -Native -CommandName mllint, mllint-check -ScriptBlock {
    param($word, $line, $cursor)
    $env:_MLLINT_COMPLETE = "powershell_complete"
    $env:COMP_WORDS = $line.ToString().PadRight($cursor).Substring(0, $cursor)
    $env:COMP_WORD = $word
    try {
        & mllint | ForEach-Object {
            $kind, $value, $about = $_ -split "`t", 3
            if ($kind -eq "plain") {
                [System.Management.Automation.CompletionResult]::new($value, $value, "ParameterValue", $about)
            } elseif ($kind -eq "file") {
                [System.Management.Automation.CompletionCompleters]::CompleteFilename($word)
            }
        }
    } finally {
        Remove-Item Env:_MLLINT_COMPLETE, Env:COMP_WORDS, Env:COMP_WORD
    }
}
"""


class _Bash(shell_completion.BashComplete):
    """bash, which takes the `=` of `--color=never` for a word."""

    def get_completion_args(self) -> tuple[list[str], str]:
        words, word = super().get_completion_args()
        return [one for one in words if one != "="], "" if word == "=" else word


class _Fish(shell_completion.FishComplete):
    """fish, where click's script would cut a value off at its first comma."""

    source_template = shell_completion.FishComplete.source_template.replace(
        'string split "," $completion', 'string split --max 1 "," $completion'
    )


class _PowerShell(shell_completion.ShellComplete):
    """PowerShell, which click does not know."""

    name = "powershell"
    source_template = _POWERSHELL

    def source(self) -> str:
        return self.source_template

    def get_completion_args(self) -> tuple[list[str], str]:
        words, word = shell_completion.split_arg_string(os.environ["COMP_WORDS"]), os.environ["COMP_WORD"]
        if word and words and words[-1] == word:
            words.pop()
        return words[1:], word

    def format_completion(self, item: shell_completion.CompletionItem[str]) -> str:
        return f"{item.type}\t{item.value}\t{item.help or item.value}"


def main(shell: str) -> int:
    """Run the command; gives the exit code."""
    emit([script(shell)], utf8=True, raw=True)
    return OK


def script(shell: str) -> str:
    """The text that a shell has to read."""
    known = _class(shell)(click.get_current_context().find_root().command, {}, "mllint", COMPLETE)
    text = known.source_template % known.source_vars() if shell != "powershell" else _POWERSHELL
    for line in (
        "#compdef mllint", "compdef _mllint_completion mllint", "complete -o nosort -F _mllint_completion mllint",
    ):  # fmt: skip
        text = text.replace(f"{line}\n", f"{line} {_SECOND}\n")
    for line in [line for line in text.split("\n") if line.startswith("complete --no-files --command mllint ")]:
        text = text.replace(line, f"{line}\n{line.replace('mllint ', f'{_SECOND} ', 1)}")
    return text.strip("\n")


def answer(app: click.Group, instruction: str) -> int:
    """Answer a shell; gives the exit code.

    Args:
        app: the command line.
        instruction: what the script says, `zsh_complete`.
    """
    shell, _, _ = instruction.partition("_")
    if shell not in SHELLS:
        return FAILED
    emit([_class(shell)(app, {}, "mllint", COMPLETE).complete()], utf8=True, raw=True)
    return OK


def rules(beginning: str) -> Sequence[str]:
    """The rules and families that a beginning may become; of a list with commas its last word."""
    from mllint.catalogue import pages

    before, comma, word = beginning.rpartition(",")
    names = [*pages.rules(), *pages.families(), "ALL", "DEFAULT"]
    return [f"{before}{comma}{name}" for name in names if name.startswith(word)]


def keys(beginning: str) -> Sequence[str]:
    """The keys of the configuration that a beginning may become."""
    from mllint.config.schema import KEYS

    return [key.name for key in KEYS if key.name.startswith(beginning)]


def _class(shell: str) -> type[Any]:
    own: dict[str, type[Any]] = {"bash": _Bash, "fish": _Fish, "powershell": _PowerShell}
    return own.get(shell, shell_completion.ZshComplete)


command = Command(
    "completions",
    params=[argument("shell", "|".join(SHELLS), "the shell that reads it", type=Words(SHELLS))],
    help="Print a script that completes command lines of mllint.",
    epilog='For bash: eval "$(mllint completions bash)" in ~/.bashrc.',
    callback=main,
)
"""The command."""
