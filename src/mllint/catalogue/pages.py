"""Which rules are there, and what does the page of each say about it?

A rule is documented, described and tested by one Markdown page, `rules/<family>/<rule>.md`: the file name is the
rule's name, the folder its family, the first fenced `toml` block its metadata, the first paragraph its summary. Nothing
of that is repeated in code. For instance

    # double-softmax

    ```toml
    severity = "error"
    why = "softmax is applied twice: the loss cannot get near 0, and training slows down"
    ```

    The loss applies softmax itself and is handed probabilities.

becomes `RuleInfo(name="double-softmax", family="loss", severity="error", ...)`.

Reading sixty pages costs more than the whole start of the process may, so the metadata is also kept as the generated
module `mllint.catalogue._table` (`python -m mllint.dev tables`; a test holds it against the pages). The prose is
read from the page itself, when somebody asks for it.

This module never imports checks: a page without a check is found by a test, not here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from mllint.diagnostic import Confidence, Severity

if TYPE_CHECKING:
    from typing import Literal

    Persona = Literal["regular", "pedantic", "auditor"]
else:
    Persona = str

__all__ = [
    "DOCS",
    "PageError",
    "Persona",
    "RuleInfo",
    "by_symptom",
    "families",
    "page",
    "parse",
    "read",
    "root",
    "rules",
]

DOCS = "https://mllint-check.readthedocs.io/en/stable"
"""Where the documentation is published. All addresses that findings and files carry are made from this one."""

_CHOICES = {
    "severity": ("error", "warning", "info"),
    "confidence": ("high", "medium", "low"),
    "persona": ("regular", "pedantic", "auditor"),
    "fix": ("none", "safe", "unsafe"),
}
_LISTS = ("frameworks", "symptoms", "aliases")
_TEXTS = ("since", "why", "help")
_DEFAULTS: dict[str, Any] = {"names": (), "flag": False}  # the types of options


class PageError(ValueError):
    """A page that cannot be a rule's: its metadata is missing, unknown or misspelt. Seen by authors of rules only."""


class RuleInfo(NamedTuple):
    """What the page of a rule says about it, without the prose."""

    name: str
    family: str
    summary: str
    severity: Severity
    confidence: Confidence
    persona: Persona
    frameworks: tuple[str, ...]
    symptoms: tuple[str, ...]
    fix: str
    since: str
    why: str
    help: str
    aliases: tuple[str, ...]
    options: tuple[tuple[str, str, Any, str], ...]
    """Name, type, default and documentation of each option."""

    @property
    def path(self) -> str:
        """The page, relative to the folder of the catalogue."""
        return f"{self.family}/{self.name}.md"

    @property
    def headline(self) -> str:
        """The first sentence of the summary, as one line of a table."""
        head, end, _ = self.summary.partition(". ")
        return head + end.rstrip()

    @property
    def url(self) -> str:
        """The published page."""
        return f"{DOCS}/rules/{self.family}/{self.name}.html"


_rules: dict[str, RuleInfo] | None = None


def rules() -> dict[str, RuleInfo]:
    """All rules by name, in alphabetical order."""
    global _rules
    if _rules is None:
        from mllint.catalogue._table import RULES

        _rules = {row[0]: RuleInfo(*row) for row in cast("list[Any]", RULES)}
    return _rules


def families() -> list[str]:
    """The families, in alphabetical order."""
    return sorted({info.family for info in rules().values()})


def by_symptom() -> dict[str, list[RuleInfo]]:
    """The rules that find a cause of each symptom, errors first, in the order of the table of symptoms."""
    from mllint.catalogue.symptoms import SYMPTOMS

    found: dict[str, list[RuleInfo]] = {name: [] for name in SYMPTOMS}
    for info in sorted(rules().values(), key=lambda info: (_CHOICES["severity"].index(info.severity), info.name)):
        for name in info.symptoms:
            found[name].append(info)
    return found


def page(info: RuleInfo) -> str:
    """The text of a rule's page.

    Raises:
        OSError: the page is not where the catalogue was installed.
    """
    with open(os.path.join(root(), *info.path.split("/")), encoding="utf-8") as file:
        return file.read()


def root() -> str:
    """The folder of the pages: inside the installed package, or at the top of a checkout."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(here, "rules")
    return installed if os.path.isdir(installed) else os.path.join(os.path.dirname(os.path.dirname(here)), "rules")


def read(folder: str) -> dict[str, RuleInfo]:
    """Read every page below `folder` (`<family>/<rule>.md`), in alphabetical order of the rules.

    Raises:
        PageError: a page's metadata is wrong, or two pages claim one name.
    """
    found: dict[str, RuleInfo] = {}
    owners: dict[str, RuleInfo] = {}
    for family in sorted(os.listdir(folder)):
        if not os.path.isdir(os.path.join(folder, family)):
            continue
        for file_name in sorted(os.listdir(os.path.join(folder, family))):
            name, extension = os.path.splitext(file_name)
            if extension != ".md":
                continue
            with open(os.path.join(folder, family, file_name), encoding="utf-8") as file:
                info = parse(file.read(), family, name)
            for claimed in (name, *info.aliases):
                if owners.setdefault(claimed, info) is not info:
                    raise PageError(f"rules/{info.path}: `{claimed}` is also the name of rules/{owners[claimed].path}")
            found[name] = info
    return dict(sorted(found.items()))


def parse(text: str, family: str, name: str) -> RuleInfo:
    """Read the head of a page: title, metadata and summary.

    Args:
        text: the page.
        family: the folder it is in.
        name: the stem of its file name.

    Raises:
        PageError: the title is not the name, or the metadata is missing, unknown or misspelt.
    """
    where = f"rules/{family}/{name}.md"
    if not text.startswith(f"# {name}\n"):
        raise PageError(f"{where}:1: the first line is not `# {name}`")
    import re

    fence = re.search(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if fence is None:
        raise PageError(f"{where}: no ```toml block with the metadata")
    table = _toml(fence.group(1), where)
    summary = text[fence.end() :].strip().partition("\n\n")[0].replace("\n", " ")
    if not summary or summary.startswith("#"):
        raise PageError(f"{where}: no summary paragraph behind the metadata")
    return RuleInfo(name=name, family=family, summary=summary, **_metadata(table, where))


def _toml(text: str, where: str) -> dict[str, Any]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PageError(f"{where}: the metadata is not TOML: {error}") from error


def _metadata(table: dict[str, Any], where: str) -> dict[str, Any]:
    from mllint.catalogue.symptoms import SYMPTOMS
    from mllint.errors import did_you_mean

    table = {"persona": "regular", "fix": "none", "since": "0.1", **table}
    known = {*_CHOICES, *_LISTS, *_TEXTS, "options"}
    for key in table:
        if key not in known:
            raise PageError(f"{where}: unknown key `{key}` in the metadata (known: {', '.join(sorted(known))})")
    found: dict[str, Any] = {key: tuple(table.get(key, ())) for key in _LISTS}
    for name in found["symptoms"]:
        if name not in SYMPTOMS:
            nearest = did_you_mean(name, SYMPTOMS) or " of mllint.catalogue.symptoms"
            raise PageError(f"{where}: `{name}` is not a symptom{nearest}")
    for key, choices in _CHOICES.items():
        if table.get(key) not in choices:
            raise PageError(f"{where}: `{key}` is {table.get(key)!r}, not one of {', '.join(choices)}")
        found[key] = table[key]
    for key in _TEXTS:
        if not isinstance(table.get(key), str) or not table[key] or "\n" in table[key]:
            raise PageError(f"{where}: `{key}` must be one line of text")
        found[key] = table[key]
    options = table.get("options", {})
    found["options"] = tuple((name, *_option(f"{where}: `{name}`", option)) for name, option in options.items())
    return found


def _option(where: str, option: dict[str, Any]) -> tuple[str, Any, str]:
    """The type, the default and the documentation of an option."""
    kind, doc = option.get("type"), option.get("doc")
    if kind not in _DEFAULTS or not isinstance(doc, str) or not {"type", "default", "doc"} >= option.keys():
        raise PageError(f"{where} has a `type` ({', '.join(_DEFAULTS)}), a line of `doc` and perhaps a `default`")
    default = option.get("default", _DEFAULTS[kind])
    return kind, tuple(default) if kind == "names" else default, doc
