"""What does a shell have to know to complete a command line of mllint? Scripts, made from the parsers.

A command contributes what its `parser()` says: its options, what they take, and what stands behind them. What a value
may be is told by what the help calls it: `RULES` are rules and families, `FILE` and `PATHS` are files, `A|B|C` these
words. Nothing is asked of mllint while somebody types, so a script is as old as the mllint that wrote it.
"""

from __future__ import annotations

from mllint._typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, NamedTuple

if TYPE_CHECKING:
    from mllint.options import Parser

__all__ = ["SHELLS", "Command", "command_of", "known_words", "script"]

SHELLS = ("bash", "zsh", "fish")
PROGRAMS = ("mllint", "trainlint")
_FILES = frozenset(("FILE", "PATH", "PATHS", "DIR", "FOLDER", "FILE|TOML"))


class Value(NamedTuple):
    """What may stand in one place: words, of which there may be several with commas, or files."""

    words: tuple[str, ...] = ()
    files: bool = False
    several: bool = False


class Flag(NamedTuple):
    """An option: its names, its help, and its value if it takes one."""

    names: tuple[str, ...]
    help: str
    value: Value | None = None


class Command(NamedTuple):
    """A command: its name, what it does, its options, and what stands behind them."""

    name: str
    help: str
    flags: list[Flag]
    rest: list[Value]


def command_of(name: str, parser: Parser, known: Mapping[str, Iterable[str]]) -> Command:
    """What a parser says.

    Args:
        name: the command.
        parser: its parser.
        known: the words behind the names that the help uses, such as `RULES`.
    """
    flags, rest = [], []
    for action in parser._actions:
        declared = parser.declared.get(action.dest)
        takes = action.metavar if isinstance(action.metavar, str) else ""
        words = tuple(action.choices or (declared.choices if declared is not None else ()))
        value = _value(takes.strip("[]"), words, known)
        if not action.option_strings:
            rest.append(value)
        else:
            bare = action.nargs == 0 or (declared is not None and declared.bare is not None)
            flags.append(Flag(tuple(action.option_strings), action.help or "", None if bare else value))
    return Command(name, parser.description or "", flags, rest)


def _value(takes: str, words: tuple[str, ...], known: Mapping[str, Iterable[str]]) -> Value:
    if words:
        return Value(words)
    if takes in known:
        return Value(tuple(known[takes]), several=takes == "RULES")
    if takes in _FILES:
        return Value(files=True)
    return Value(tuple(takes.split("|")) if "|" in takes else ())


def script(shell: str, commands: list[Command]) -> str:
    """The text that a shell has to read."""
    lines: Iterator[str] = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](commands)
    return "\n".join(lines)


# ---------------------------------------------------------------------------------------------------------------- bash
def _bash(commands: list[Command]) -> Iterator[str]:
    yield '# Completions of mllint for bash: eval "$(mllint completions bash)"'
    yield "_mllint() {"
    yield "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}"
    yield "    COMPREPLY=()"
    yield "    if [[ $cur == = ]]; then"
    yield "        cur="
    yield "    elif [[ $prev == = ]]; then"
    yield "        prev=${COMP_WORDS[COMP_CWORD-2]}"
    yield "    fi"
    yield "    if (( COMP_CWORD == 1 )); then"
    yield f'        COMPREPLY=($(compgen -W "{" ".join(command.name for command in commands)}" -- "$cur"))'
    yield "        return"
    yield "    fi"
    yield '    case "$command $prev" in'
    for command in commands:
        for flag in command.flags:
            if flag.value is not None:
                cases = "|".join(f"'{command.name} {name}'" for name in flag.names)
                yield f"        {cases})"
                yield f"            {_compgen(flag.value)}; return ;;"
    yield "    esac"
    yield '    case "$command" in'
    for command in commands:
        names = " ".join(name for flag in command.flags for name in flag.names)
        yield f"        {command.name})"
        yield "            if [[ $cur == -* ]]; then"
        yield f'                COMPREPLY=($(compgen -W "{names}" -- "$cur"))'
        yield "            else"
        yield f"                {_compgen(command.rest[0] if command.rest else Value())}"
        yield "            fi ;;"
    yield "    esac"
    yield "}"
    # An empty answer leaves it to bash, which completes files better than we do.
    yield f"complete -o bashdefault -o default -F _mllint {' '.join(PROGRAMS)}"


def _compgen(value: Value) -> str:
    words = " ".join(word for word in value.words if ":" not in word)  # bash takes a colon for the end of a word
    if not words:
        return ":"
    if value.several:
        prefix = '-P "${cur%"${cur##*,}"}"'
        return f'COMPREPLY=($(compgen {prefix} -W "{words}" -- "${{cur##*,}}"))'
    return f'COMPREPLY=($(compgen -W "{words}" -- "$cur"))'


# ----------------------------------------------------------------------------------------------------------------- zsh
def _zsh(commands: list[Command]) -> Iterator[str]:
    yield f"#compdef {' '.join(PROGRAMS)}"
    yield '# Completions of mllint for zsh: eval "$(mllint completions zsh)", or a file _mllint in $fpath.'
    yield "_mllint() {"
    yield "    local -a commands"
    yield "    commands=("
    for command in commands:
        yield f"        {_quoted(f'{command.name}:{_plain(command.help)}')}"
    yield "    )"
    yield "    if (( CURRENT == 2 )); then"
    yield "        _describe command commands"
    yield "        return"
    yield "    fi"
    yield "    local command=$words[2]"
    yield "    shift words"
    yield "    (( CURRENT-- ))"
    yield "    case $command in"
    for command in commands:
        yield f"        {command.name})"
        yield "            _arguments \\"
        specs = [spec for flag in command.flags for spec in _zsh_flag(flag)]
        specs += [f"{index}:word:{_zsh_action(value)}" for index, value in enumerate(command.rest[:-1], 1)]
        specs += [f"*:word:{_zsh_action(value)}" for value in command.rest[-1:]]
        for spec in specs:
            yield f"                {_quoted(spec)}" + ("" if spec is specs[-1] else " \\")
        yield "            ;;"
    yield "    esac"
    yield "}"
    yield f"(( $+functions[compdef] )) && compdef _mllint {' '.join(PROGRAMS)}"


def _zsh_flag(flag: Flag) -> Iterator[str]:
    for name in flag.names:
        takes = "" if flag.value is None else f":value:{_zsh_action(flag.value)}"
        yield f"*{name}{'=' if takes and name.startswith('--') else ''}[{_plain(flag.help)}]{takes}"


def _zsh_action(value: Value) -> str:
    words = " ".join(word.replace(":", "\\:") for word in value.words)
    if words:
        return f"_sequence compadd - {words}" if value.several else f"({words})"
    return "_files" if value.files else " "


def _plain(text: str) -> str:
    """Without what has a meaning for `_arguments`."""
    return text.replace("[", "(").replace("]", ")").replace(":", " -").replace("\\", "")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


# ---------------------------------------------------------------------------------------------------------------- fish
def _fish(commands: list[Command]) -> Iterator[str]:
    yield "# Completions of mllint for fish: mllint completions fish | source"
    for program in PROGRAMS:
        yield f"complete -c {program} -f"
        for command in commands:
            what = _fish_quoted(command.help)
            yield f"complete -c {program} -n __fish_use_subcommand -a {command.name} -d {what}"
        for command in commands:
            head = f"complete -c {program} -n '__fish_seen_subcommand_from {command.name}'"
            for value in command.rest:
                yield f"{head} {_fish_value(value, rest=True)}"
            for flag in command.flags:
                names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in flag.names)
                takes = "" if flag.value is None else f" {_fish_value(flag.value, rest=False)}"
                yield f"{head} {names}{takes} -d {_fish_quoted(flag.help)}"


def _fish_value(value: Value, *, rest: bool) -> str:
    if value.files:
        return "-F" if rest else "-r -F"
    if not value.words:
        return "-f" if rest else "-x"
    words = _fish_quoted(" ".join(value.words))
    return f"-f -a {words}" if rest else f"-x -a {words}"


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def known_words(infos: Iterable[Any], keys: Iterable[str]) -> dict[str, list[str]]:
    """The words behind the names that the help uses.

    Args:
        infos: all rules.
        keys: the keys of the configuration.
    """
    rules = list(infos)
    names = sorted({info.name for info in rules})
    families = sorted({info.family for info in rules})
    frameworks = sorted({f"framework:{name}" for info in rules for name in info.frameworks})
    personas = [f"persona:{name}" for name in ("regular", "pedantic", "auditor")]
    return {"RULES": [*names, *families, "ALL", "DEFAULT", *frameworks, *personas], "RULE": names, "KEY": [*keys]}
