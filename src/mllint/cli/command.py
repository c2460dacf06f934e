"""Our kind of click command and option.

    command = Command("clean", params=[paths("as for `mllint check`"), option("--cache-dir", "remove this one", "DIR")],
                      help="Remove the cache.", callback=main)

What differs from click: an error names the user's own word and the nearest one that exists, in one line; the help has
headings; an option may have a value only behind `=`; and what stands behind `--` is a path, whatever it looks like. No
error proposes an option that writes files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from mllint.cli.terminal import width
from mllint.errors import UsageError, did_you_mean, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from click.shell_completion import CompletionItem

__all__ = [
    "COMPLETE", "SETTINGS", "WORDS",
    "Checked", "Command", "Option", "Words", "argument", "color", "described", "option", "paths",
]  # fmt: skip

WIDEST = 110
COMPLETE = "_MLLINT_COMPLETE"
"""The environment variable by which the script of a shell asks for completions."""
WORDS = "mllint.words"
"""Where the metadata of a context has the words that a command was called with."""
SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": WIDEST}
"""What holds for the context of every command."""


if TYPE_CHECKING:
    _Text = click.ParamType[str]
else:
    _Text = click.ParamType  # older versions of click are not generic


class Words(_Text):
    """One of a few words.

    Args:
        words: the words.
    """

    name = "word"

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.words:
            hint = did_you_mean(value, self.words)
            self.fail(f"`{value}` is not one of {', '.join(self.words)}{hint}", param, ctx)
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


class Checked(_Text):
    """Text that a function checks.

    Args:
        problem: gives a sentence about a value that is wrong, empty for one that is right.
        complete: gives the words that complete a beginning; None completes files.
        splits: whether the value of an environment variable is several, separated by white space.
    """

    name = "text"

    def __init__(
        self,
        problem: Callable[[str], str] = lambda _: "",
        complete: Callable[[str], Sequence[str]] | None = None,
        *,
        splits: bool = True,
    ) -> None:
        self._problem, self._complete, self._splits = problem, complete, splits

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        wrong = self._problem(value)
        if wrong:
            self.fail(wrong, param, ctx)
        return value

    def split_envvar_value(self, rv: str) -> Sequence[str]:
        return rv.split() if self._splits else [rv]

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        from click.shell_completion import CompletionItem

        if self._complete is None:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(word) for word in self._complete(incomplete)]


class Option(click.Option):
    """An option.

    Args:
        names: as `click.Option` takes them.
        group: the heading under which the help shows it.
        bare: what it means without a value, which is then written behind `=`; None where a value is needed.
        writes: whether it writes files that are not ours.
        **settings: as `click.Option` takes them.
    """

    def __init__(
        self, names: Sequence[str], *, group: str = "", bare: str | None = None, writes: bool = False, **settings: Any
    ) -> None:
        super().__init__(names, **settings)
        self.group, self.bare, self.writes = group, bare, writes

    @property
    def written(self) -> list[str]:
        """Its names: `-f`, `--output-format`, `--no-color`."""
        return [*self.opts, *self.secondary_opts]

    @property
    def takes(self) -> str:
        """What its value is called, with what stands before it; empty for a switch."""
        if self.is_flag:
            return ""
        return f"[={self.metavar}]" if self.bare is not None else f" {self.metavar}"

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        return None if record is None else (f"{', '.join(self.written)}{self.takes}", record[1])


class Command(click.Command):
    """A command.

    Args:
        name: what it is called by.
        **settings: as `click.Command` takes them.
    """

    def __init__(self, name: str, **settings: Any) -> None:
        super().__init__(name, context_settings={**SETTINGS, "allow_extra_args": True}, **settings)

    @property
    def options(self) -> list[Option]:
        """Its options, without `--help`."""
        return [param for param in self.params if isinstance(param, Option)]

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        return super().make_context(info_name, args, parent, terminal_width=min(WIDEST, width()), **extra)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = tuple(args)
        end = args.index("--") if "--" in args else len(args)
        bare = {name: f"{name}={one.bare}" for one in self.options if one.bare is not None for name in one.written}
        words = [bare.get(word, word) for word in args[:end]]
        behind = [f"./{word}" if word[:1] == "-" != word else word for word in args[end + 1 :]]
        try:
            rest = super().parse_args(ctx, [*words, *args[end : end + 1], *behind])
        except click.NoSuchOption as error:
            raise UsageError(self._unknown(error.option_name)) from None
        if rest and not ctx.resilient_parsing:
            raise UsageError(f"unknown argument `{rest[0]}`; `{ctx.command_path} --help` shows how it is called")
        return rest

    def _unknown(self, name: str) -> str:
        harmless = [long[2:] for one in self.options if not one.writes for long in one.written if long[:2] == "--"]
        meant = nearest(name.lstrip("-"), harmless)  # hyphens alone are no likeness
        hint = f", did you mean `--{meant}`?" if meant else f"; `mllint {self.name} --help` lists them"
        return f"unknown option `{name}`{hint}"

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None:
                heading = "Arguments" if isinstance(param, click.Argument) else getattr(param, "group", "") or "Options"
                groups.setdefault(heading, []).append(record)
        for heading, rows in groups.items():
            with formatter.section(heading):
                formatter.write_dl(rows, col_max=min(32, formatter.width // 2))


def option(
    names: str,
    about: str,
    takes: str = "",
    *,
    many: bool = False,
    kind: click.ParamType[Any] | None = None,
    default: str | None = None,
    group: str = "",
    env: str = "",
    **more: Any,
) -> Option:
    """An option.

    Args:
        names: how it is written, separated by spaces, the name that its value is passed by last.
        about: a phrase for the help and the documentation; the words that it takes are put behind it.
        takes: what to call its value there; empty for a switch, which takes none.
        many: it may be given several times, and all values count.
        kind: what its value may be; any text by default.
        default: what holds without it.
        group: the heading under which the help shows it.
        env: the environment variable that gives it where the command line does not.
        **more: further settings of `Option`.
    """
    *aliases, last = names.split()
    field = last.partition("/")[0].lstrip("-").replace("-", "_")
    written = [*aliases, last, field] if last != field else [*aliases, field]
    settings: dict[str, Any] = {"help": about, "group": group, "envvar": env or None, "show_envvar": bool(env), **more}
    if not takes:
        switch = None if "/" in names else False  # one that can be switched off may be left to the configuration
        return Option(written, is_flag=True, default=switch, **settings)
    if isinstance(kind, Words):
        settings["help"] = f"{about}: {'|'.join(kind.words)}"
    return Option(written, metavar=takes, multiple=many, type=kind or str, default=default, **settings)


def argument(name: str, takes: str, about: str, **settings: Any) -> click.Argument:
    """An argument, with a phrase for the help.

    Args:
        name: its name in the function of the command.
        takes: what stands for it in the usage.
        about: the phrase.
        settings: what click is told besides.
    """
    return _Argument([name], about, metavar=takes, **settings)


def paths(about: str) -> click.Argument:
    """Any number of files and folders."""
    return argument("paths", "[PATHS]...", about, nargs=-1, type=click.Path())


def color(group: str = "") -> Option:
    """`--color`."""
    kind = Words(("auto", "always", "never"))
    return option("--color", "when to colour", "WHEN", kind=kind, default="auto", group=group, env="MLLINT_COLOR")


class _Argument(click.Argument):
    def __init__(self, names: Sequence[str], about: str, **settings: Any) -> None:
        super().__init__(names, **settings)
        self._about = about

    def get_help_record(self, ctx: click.Context) -> tuple[str, str]:
        return self.make_metavar(ctx), self._about


def described(error: click.UsageError) -> str:
    """What is wrong with a command line, in one sentence."""
    param = getattr(error, "param", None)
    if isinstance(error, click.MissingParameter) and param is not None:
        kind = param.type
        what = f"one of {', '.join(kind.words)}" if isinstance(kind, Words) else param.metavar or param.name
        return f"`{error.ctx.command_path if error.ctx is not None else 'mllint'}` needs {what}"
    if isinstance(error, click.NoSuchOption):
        return f"unknown option `{error.option_name}`; `mllint --help` lists the commands"
    if isinstance(error, click.BadOptionUsage):
        missing = "requires an argument" in error.message
        return f"`{error.option_name}` needs a value" if missing else f"`{error.option_name}` takes no value"
    if isinstance(error, click.BadParameter):
        return f"{_place(error)}{error.message}"
    return error.format_message()


def _place(error: click.BadParameter) -> str:
    """Where a wrong value was given: an option, or the environment variable that stands for it."""
    param, context = error.param, error.ctx
    if not isinstance(param, click.Option):
        return ""
    source = context.get_parameter_source(param.name or "") if context is not None else None
    if source is click.core.ParameterSource.ENVIRONMENT:
        return f"{param.envvar}: "
    return f"{param.opts[-1]}: "
