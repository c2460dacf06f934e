"""An option of `argparse` that cannot be switched off, or that changes nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import (
    BuiltinValue,
    Call,
    Node,
    options,
    proven_unless,
)

__all__: list[str] = []

_EFFECTIVE = {
    False: 'use `action="store_true"` if the flag should set it to True; to set it to False, remove `default=False`',
    True: 'use `action="store_false"` if the flag should set it to False; to set it to True, remove `default=True`',
}

_NOT_TAKEN = ("nargs", "const", "choices", "metavar")
"""What `action="store_true"` does not accept."""
_SEVERAL = 'pass a function that reads the words: `type=lambda s: s.lower() in ("1", "true", "yes")`'
_REVERSED = (
    "name the option `--{0}`, with `action=argparse.BooleanOptionalAction`, which adds `--no-{0}`, "
    "and reverse its default"
)


@check("bool-argument", calls="add_argument")
def bool_argument(call: Call) -> Iterator[Finding]:
    """An option of `argparse` that cannot be switched off, or that changes nothing."""
    if not isinstance(call.node.func, ast.Attribute) or _reads_truth(call):
        return
    given = {k.arg: k.value for k in call.node.keywords}
    names = [a.value for a in call.node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if options.is_never_typed(call, names):
        return
    option = next((o for o in names if o.startswith("--")), names[0] if names else "the option")
    kind = given.get("type") if _converts_text(given.get("action")) else None
    if (
        kind is not None
        and isinstance(kind, ast.Name)
        and kind.id == "bool"
        and isinstance(call.value_of(kind), BuiltinValue)
    ):
        yield Finding(
            call.at(kind),
            f'`type=bool` makes any non-empty string for `{option}` true, even "False"',
            "any non-empty string is `True`",
            help=_replacement(option, given, named=bool(names)),
            evidence=(proven_unless(options.is_never_read(call), option),),
        )
    action, default = getattr(given.get("action"), "value", None), getattr(given.get("default"), "value", None)
    if (action, default) in (("store_true", True), ("store_false", False)) and not _undone(call, option, given):
        yield Finding(
            call,
            f"`{option}` stores {default}, which is already its default: the flag changes nothing",
            "changes nothing",
            help=_EFFECTIVE[default is True],
            why="the option has the same value with and without the flag: both arms of an ablation run the same code",
            evidence=(proven_unless(default, option),),  # what is on already: the flag does what it says
        )


def _replacement(option: str, given: dict[str | None, Node], *, named: bool) -> str:
    """What to write instead of `type=bool` for an option, or a positional argument; empty if its name is unknown."""
    if not option.startswith("-"):
        return (
            f'make it an option: `add_argument("--{option}", action=argparse.BooleanOptionalAction)`' if named else ""
        )
    if "nargs" in given and getattr(given["nargs"], "value", None) != "?":
        return _SEVERAL
    default = getattr(given.get("default"), "value", None)
    if default and option.startswith("--no-"):
        return _REVERSED.format(option[5:])
    with_it = ", ".join(f"`{name}`" for name in _NOT_TAKEN if name in given)
    old = f"`type=bool` (and {with_it})" if with_it else "`type=bool`"
    if not option.startswith("--"):
        return f'replace {old} with `action="{"store_false" if default else "store_true"}"`'
    if default:
        return f"replace {old} with `action=argparse.BooleanOptionalAction`, which adds `--no-{option[2:]}`"
    if getattr(given.get("required"), "value", None) is True:
        return f"replace {old} with `action=argparse.BooleanOptionalAction`"
    return f'replace {old} with `action="store_true"`, or with `action=argparse.BooleanOptionalAction`'


def _converts_text(action: Node) -> bool:
    """Does an action hand text to `type`? `BooleanOptionalAction` takes none (`--no-amp`); of others nobody knows."""
    return action is None or isinstance(action, ast.Constant)


def _reads_truth(call: Call) -> bool:
    """Is it a parser that reads `False` as such: one of jsonargparse, as Lightning's, or told how by `register`?"""
    calls = call.module.calls_by_name
    if call.function.name == "add_arguments_to_parser" or "link_arguments" in calls:
        return True
    if any(name.startswith("jsonargparse") for name, _ in call.module.imports):
        return True
    registered = (a for c, _ in calls.get("register", ()) for a in c.args)
    return any(isinstance(a, ast.Name) and a.id == "bool" for a in registered) or any(
        not f.stubbed for f in call.callees
    )


def _undone(call: Call, option: str, given: dict[str | None, Node]) -> bool:
    """Does another option, or `set_defaults`, write the same destination?"""
    destination = getattr(given.get("dest"), "value", None) or option.lstrip("-").replace("-", "_")
    for other, _ in call.module.calls_by_name.get("add_argument", ()):
        words = {k.arg: getattr(k.value, "value", None) for k in other.keywords}
        if other is not call.node and words.get("dest") == destination:
            return True
    defaults = call.module.calls_by_name.get("set_defaults", ())
    return any(k.arg == destination for c, _ in defaults for k in c.keywords)
