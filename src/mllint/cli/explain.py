"""`mllint explain [RULE]`: the page of a rule for the terminal, the rules by family, or those behind a symptom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mllint.cli.command import Checked, Command, argument, color, option
from mllint.cli.completions import rules
from mllint.cli.terminal import OK, emit, folding, style
from mllint.errors import MllintError, UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mllint.catalogue.pages import RuleInfo
    from mllint.report.style import Style

__all__ = ["command"]


def main(words: tuple[str, ...], symptom: bool, color: str) -> int:
    """Run the command; gives the exit code."""
    look = style(color)
    if symptom:
        emit(_symptoms(" ".join(words), look))
    elif words:
        emit(_page(words, look))
    else:
        emit(_families(look))
    return OK


def _families(look: Style, family: str = "") -> Iterator[str]:
    """The rules, or those of one family."""
    from mllint.catalogue import pages
    from mllint.report import page

    infos = [info for info in pages.rules().values() if family in ("", info.family)]
    return page.listing([(info.family, info.name, info.headline) for info in infos], look, folding())


def _page(words: Sequence[str], look: Style) -> Iterator[str]:
    from mllint.catalogue import pages
    from mllint.catalogue.symptoms import SYMPTOMS
    from mllint.report import page

    infos = pages.rules()
    names = {name: info for info in infos.values() for name in (*info.aliases, info.name)}
    name = words[0]
    if len(words) == 1 and name in pages.families():
        return _families(look, name)
    if len(words) > 1 and name in names:
        raise UsageError(f"unknown argument `{words[1]}`; one rule is explained at a time")
    if name not in names:
        wanted = " ".join(words)
        other = (
            f"`mllint explain --symptom {wanted}` looks for a symptom" if " " in wanted else "`mllint rules` lists them"
        )
        raise UsageError(f"there is no rule `{wanted}`{did_you_mean(wanted, names) or f'; {other}'}")
    info = names[name]
    try:
        text = pages.page(info)
    except OSError as error:
        raise MllintError(f"the page of `{info.name}` is not installed: {error}") from None
    asked_for = "on by default" if info.persona == "regular" else f"on with --{info.persona}"
    facts = (info.family, info.severity, f"{info.confidence} confidence", asked_for, *info.frameworks)
    seen = "; ".join(SYMPTOMS[name].title for name in info.symptoms)
    more = [f"Seen as: {seen}"] if seen else []
    more += [f"Option: {option}: {doc}" for option, _, _, doc in info.options]
    return page.render(text, facts, look, more=more, columns=folding())


def _symptoms(words: str, look: Style) -> Iterator[str]:
    """The symptoms that words describe, each with its rules; without words, all in short."""
    from mllint.catalogue import pages
    from mllint.catalogue.symptoms import SYMPTOMS, find
    from mllint.report import symptoms as report

    rules = pages.by_symptom()
    if not words:
        named = {name: [info.name for info in infos] for name, infos in rules.items()}
        yield from report.listing([*SYMPTOMS.values()], named, look, folding())
        return
    found = find(words)
    if not found:
        raise UsageError(f"no symptom is described by `{words}`; `mllint explain --symptom` lists them")
    for index, symptom in enumerate(found):
        if index:
            yield ""
        yield from report.render(symptom, [_row(info) for info in rules[symptom.name]], look, folding())
    yield ""
    yield f"How much harm each of them does in an experiment: {pages.DOCS}/evidence.html"


def _row(info: RuleInfo) -> tuple[str, str]:
    return info.name, info.headline


command = Command(
    "explain",
    params=[
        argument(
            "words",
            "[RULE | FAMILY | WORDS]...",
            "the rule's name, as findings show it; or free words",
            nargs=-1,
            type=Checked(complete=rules),
        ),
        option(
            "--symptom", "show possible causes of the symptom that WORDS describe; without words, list all symptoms"
        ),
        color(),
    ],
    help="Show the page of a rule, or list all rules or those of a family.",
    epilog="Examples: mllint explain double-softmax, mllint explain --symptom validation accuracy jumps around",
    callback=main,
)
"""The command."""
