"""What may `[tool.mllint]` say? One table of keys, from which configurations are checked and documented.

Loaded when there is a configuration to read or somebody asks for its documentation: a run without either does not pay
for it. What the keys do together, such as which selector wins, is the business of `selection`; how values of several
files are put together is that of `Config.merge`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from mllint.config.dependencies import LIBRARIES
from mllint.config.model import CONFIDENCES, DEFAULT_EXCLUDE, EDITIONS, FAIL_ON, OUTPUT_FORMATS, output_problem
from mllint.errors import did_you_mean
from mllint.requirements import is_readable

__all__ = ["KEYS", "OPTION_TYPES", "Key", "is_strings", "key_named", "outputs", "problem", "wrong_option"]


class Key(NamedTuple):
    """One key.

    Args:
        name: as it is written.
        kind: "names" (a list of strings), "text", "choice", "flag", "outputs" (a string or a list of them),
            "globs" (glob -> list of rules), "versions" (package -> versions) or "rules" (rule -> its options).
        doc: what it does, in Markdown; the first sentence stands for it in a list.
        example: a line of TOML, or several.
        choices: the words that a "choice" takes.
        default: what holds without it, as TOML.
    """

    name: str
    kind: str
    doc: str
    example: str
    choices: tuple[str, ...] = ()
    default: str = "[]"


_SELECTORS = (
    "A selector is a rule, a family, `framework:<name>`, `persona:<name>`, `DEFAULT` or `ALL`. The most specific one "
    "wins, whichever list it is in; between equally specific ones, `ignore` wins."
)

KEYS = (
    Key(
        "select",
        "names",
        "The rules that run. " + _SELECTORS,
        'select = ["DEFAULT", "persona:pedantic"]',
        default='["DEFAULT"]',
    ),
    Key("extend-select", "names", "More rules that run, in addition to `select`.", 'extend-select = ["loss"]'),
    Key("ignore", "names", "Rules that do not run. " + _SELECTORS, 'ignore = ["unseeded-shuffle"]'),
    Key(
        "per-file-ignores",
        "globs",
        "Rules that report nothing in certain files. Globs are relative to the folder of the configuration; one "
        "without a slash matches any part of a path.",
        'per-file-ignores = { "tests/**" = ["ALL"], "*_demo.py" = ["unseeded-shuffle"] }',
        default="{}",
    ),
    Key(
        "edition",
        "choice",
        "Which rules `DEFAULT` means: the regular ones of that year. A new version of mllint then brings no new rules "
        "until the edition is raised. Without it `DEFAULT` means all regular rules of the installed version.",
        'edition = "2026"',
        tuple(EDITIONS),
        default='""',
    ),
    Key(
        "pedantic",
        "flag",
        "Also run the pedantic rules, and report findings that rest on a guess.",
        "pedantic = true",
        default="false",
    ),
    Key(
        "auditor",
        "flag",
        "Also run the rules for a review, which point at code that is worth a look. This includes `pedantic`.",
        "auditor = true",
        default="false",
    ),
    Key(
        "min-confidence",
        "choice",
        "Run only rules that have at least this confidence.",
        'min-confidence = "high"',
        CONFIDENCES,
        default='"low"',
    ),
    Key(
        "fail-on",
        "choice",
        "The lowest severity for which `mllint check` exits with 1.",
        'fail-on = "error"',
        FAIL_ON,
        default='"warning"',
    ),
    Key(
        "extend-safe-fixes",
        "names",
        "Rules, or families of rules, whose fixes `--fix` applies although they are unsafe.",
        'extend-safe-fixes = ["dropout-ignores-mode"]',
    ),
    Key(
        "extend-unsafe-fixes",
        "names",
        "Rules, or families of rules, whose fixes `--fix` leaves alone although they are safe.",
        'extend-unsafe-fixes = ["unordered-data"]',
    ),
    Key(
        "output-format",
        "outputs",
        "How findings are written: one or more formats, each with a file after a colon, or without one for standard "
        "output. Files are relative to the folder of the configuration.",
        'output-format = ["full", "json:report.json"]',
        OUTPUT_FORMATS,
        default='"full"',
    ),
    Key(
        "exclude",
        "names",
        "Names and globs of files and folders that are not checked. This replaces the built-in list. A file named on "
        "the command line is checked all the same.",
        'exclude = ["third_party", "generated/*.py"]',
        default="[" + ", ".join(f'"{name}"' for name in DEFAULT_EXCLUDE) + "]",
    ),
    Key(
        "extend-exclude",
        "names",
        "More names and globs to exclude, in addition to `exclude`.",
        'extend-exclude = ["third_party"]',
    ),
    Key(
        "respect-gitignore",
        "flag",
        "Whether to skip files that git ignores, by `.gitignore` or `.git/info/exclude`.",
        "respect-gitignore = false",
        default="true",
    ),
    Key(
        "baseline",
        "text",
        "A file of accepted findings, which are not reported until their statement changes. The path is relative to "
        "this file; `mllint baseline create` writes it.",
        'baseline = "mllint-baseline.json"',
        default='""',
    ),
    Key(
        "extend",
        "text",
        "Another configuration to inherit from, by its path relative to this file. Keys here override it: a new "
        "`select` discards its selection, `ignore` and the `extend-` keys add to its values, tables are merged, all "
        "other keys replace. Globs are relative to this file.",
        'extend = "../mllint.toml"',
        default='""',
    ),
    Key(
        "stubs",
        "names",
        "Folders with stubs of your own libraries, which say what their functions do. Paths are relative to this file.",
        'stubs = ["typings"]',
    ),
    Key(
        "environment",
        "text",
        "The environment in which to read the source of libraries that no stub covers: `auto` for the activated one or "
        "`.venv`, or a folder, relative to this file. Nothing in it is imported or run.",
        'environment = "auto"',
        default='""',
    ),
    Key(
        "target-versions",
        "versions",
        "The library versions that the code is for. By default they are read from lock files and requirements.",
        '[tool.mllint.target-versions]\ntorch = ">=2.4"',
        default="{}",
    ),
    Key(
        "rules",
        "rules",
        "The options of rules: one table per rule. The page of a rule lists its options.",
        '[tool.mllint.rules.unseeded-shuffle]\nseeding-functions = ["lab.fix_everything"]',
        default="{}",
    ),
)

_ENTRIES = {
    "globs": '"tests/**" = ["ALL"]',
    "versions": 'torch = ">=2.4"',
    "rules": 'unseeded-shuffle.seeding-functions = ["..."]',
}
"""How an entry of a table is written, in whichever file."""
OPTION_TYPES = {"names": "a list of strings", "flag": "true or false"}
"""What an option of a rule may be, and how it is called in a sentence."""


def key_named(name: str) -> Key | None:
    """The key of a name; None if there is none."""
    return next((key for key in KEYS if key.name == name), None)


def problem(name: str, value: object) -> str | None:
    """What is wrong with one key and its value, in a sentence; None if it is fine."""
    key = key_named(name)
    if name == "tool" and key is None:
        return "here keys stand by themselves, without `[tool.mllint]`: that is for `pyproject.toml`"
    if key is None:
        return f"unknown key `{name}`{did_you_mean(name.replace('_', '-'), [key.name for key in KEYS])}"
    if key.kind == "names":
        return None if is_strings(value) else f'`{name}` takes a list of strings, such as `{name} = ["..."]`'
    if key.kind == "flag":
        return None if isinstance(value, bool) else f"`{name}` is true or false"
    if key.kind == "text":
        return None if isinstance(value, str) else f"`{name}` takes a string, such as `{key.example}`"
    if key.kind == "choice":
        if value in key.choices:
            return None
        if str(value) in key.choices:
            return f'`{name}` takes a string: write `{name} = "{value}"`'
        return f"`{name}` is one of {', '.join(key.choices)}, not `{value}`{did_you_mean(str(value), key.choices)}"
    if key.kind == "outputs":
        found = outputs(value)
        if not found:
            return f'`{name}` takes a format, such as "json", or a list of outputs: ["full", "json:report.json"]'
        return next((wrong for wrong in map(output_problem, found) if wrong), None)
    if not isinstance(value, dict):
        return f"`{name}` is a table: write `{name}.{_ENTRIES[key.kind]}`"
    return _wrong_entry(key, value)


def _wrong_entry(key: Key, table: Mapping[str, Any]) -> str | None:
    for entry, value in table.items():
        if key.kind == "rules" and not isinstance(value, dict):
            return f"`rules.{entry}` is a table of options: write `rules.{entry}.OPTION = ...`"
        if key.kind == "globs" and not is_strings(value):
            return f'`{key.name}` maps a glob to a list of rules: write `"{entry}" = ["..."]`'
        if key.kind == "versions" and not (isinstance(value, str) and is_readable(value)):
            return f'`{key.name}` maps a package to its versions: write `{entry} = ">=2.4"`'
        if key.kind == "versions" and (hint := did_you_mean(entry, {*LIBRARIES} - {entry})):
            return f"`{entry}` in `{key.name}` is not a library whose version matters{hint}"
    return None


def wrong_option(
    rule: str, options: Mapping[str, Any], declared: Iterable[tuple[str, str, Any, str]]
) -> tuple[str, str] | None:
    """What is wrong with the options of a rule.

    Args:
        rule: its name.
        options: what the configuration says.
        declared: name, type, default and documentation of each option that its page declares.

    Returns:
        The option, and a sentence; None if all are fine.
    """
    types = {name: kind for name, kind, _, _ in declared}
    for name, value in options.items():
        if name not in types:
            hint = did_you_mean(name.replace("_", "-"), types)
            tail = hint or (f"; it has {', '.join(f'`{known}`' for known in types)}" if types else "; it has none")
            return name, f"`{rule}` has no option `{name}`{tail}"
        kind = types[name]
        if not (is_strings(value) if kind == "names" else isinstance(value, bool)):
            return name, f"`{name}` of `{rule}` is {OPTION_TYPES[kind]}, not `{value}`"
    return None


def outputs(value: object) -> list[str]:
    """The outputs that `output-format` lists, or the one that it names; empty for anything else."""
    if isinstance(value, str):
        return [value]
    return value if isinstance(value, list) and is_strings(value) else []


def is_strings(value: object) -> bool:
    """Whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
