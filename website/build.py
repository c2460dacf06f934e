"""The site: the same Markdown that the repository shows, with the pages of the rules, built strictly.

    python -m website.build        pages into build/pages, the site into build/site; a link that leads nowhere fails

What is changed on the way: links to the pages of the rules lead into the site, the metadata of a rule becomes a table,
the claims of the tests (`# error: ...`) become marked lines with the messages below them, and a `console` fence below
`<!-- screenshot -->` becomes a picture of what its first command prints in colour, from a run. Pages are read as they
are by GitHub; the generator wants a blank line above fences and lists.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from mllint.catalogue import pages as catalogue
from mllint.catalogue.pages import RuleInfo
from mllint.catalogue.symptoms import SYMPTOMS
from tests import documents
from tests.pages import read_page
from tests.spec import judged
from website import evidence

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build"
PAGES = BUILD / "pages"

NAVIGATION = (
    ("", "index installation how-mllint-decides libraries comparison faq"),
    ("Use it", "ci fixes pre-commit editors notebooks formats security"),
    ("Adopt it", "configuration suppressing baseline reducing"),
    ("Rules", "rules symptoms evidence trophies"),
    ("Contribute", "architecture writing-a-rule writing-a-stub glossary"),
)
_LINK = re.compile(r"(?<=\]\()(?:\.\./)?(?:docs/)?(?P<target>[^)#:]+\.md)(?P<anchor>#[^)]*)?(?=\))")
_METADATA = re.compile(r"^```toml\n.*?^```\n", re.MULTILINE | re.DOTALL)
_FENCE = re.compile(
    r"^(?P<ticks>`{3,})(?P<language>[\w-]+) (?P<word>[\w:]+)(?![\w=])(?P<marked> hl_lines=\"[^\"]*\")?[^`\n]*$",
    re.MULTILINE,
)
_CLAIM = re.compile(r"[ \t]*# (?:error|gap|label): \[[a-z0-9-]+\](?: *\"(?:[^\"\\]|\\.)*\")?")
_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)


def main() -> int:
    """Write the pages and build the site; gives the exit code."""
    shutil.rmtree(BUILD / "pages", ignore_errors=True)
    PAGES.mkdir(parents=True)
    for document in sorted((ROOT / "docs").glob("*.md")):
        (PAGES / document.name).write_text(_document(document), encoding="utf-8")
    for info in catalogue.rules().values():
        path = PAGES / "rules" / info.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_rule(info), encoding="utf-8")
    for folder in ("schema", "evidence"):
        shutil.copytree(ROOT / "docs" / folder, PAGES / folder)
    about = _spaced((ROOT / "rules" / "README.md").read_text(encoding="utf-8"))
    (PAGES / "rules" / "pages.md").write_text(about, encoding="utf-8")
    config = BUILD / "mkdocs.yml"
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    config.write_text(
        f"{settings}site_url: {catalogue.DOCS}/\ndocs_dir: pages\nsite_dir: site\n{_navigation()}", encoding="utf-8"
    )
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", str(config)]
    return subprocess.run(command, cwd=BUILD, check=False).returncode


# ---------------------------------------------------------------------------------------------------------------- pages
def _document(document: Path) -> str:
    text = _with_pictures(document)
    text = _LINK.sub(lambda match: _target(match["target"], document.parent) + (match["anchor"] or ""), text)
    return _spaced(text)


def _target(target: str, folder: Path) -> str:
    """Where a link leads within the site."""
    if target == "README.md":
        return "index.md"
    return "rules/pages.md" if target == "rules/README.md" else target


def _rule(info: RuleInfo) -> str:
    """The page of a rule; its metadata stands as tables behind the summary."""
    facts = {
        "family": info.family,
        "severity": info.severity,
        "confidence": info.confidence,
        "on by default": "yes" if info.persona == "regular" else f"with `--{info.persona}`",
        "frameworks": ", ".join(info.frameworks) or "any",
        "since": info.since,
    }
    titles = [SYMPTOMS[name].title for name in info.symptoms]
    rows = {
        "why": info.why,
        "help": info.help,
        "seen as": "; ".join(f"[{title}](../../symptoms.md#{_slug(title)})" for title in titles),
    }
    tables = _table([*facts], [[*facts.values()]])
    tables += "".join(f"- **{name}**: {row}\n" for name, row in rows.items() if row)
    if info.options:
        options = [[f"`{name}`", kind, f"`{json.dumps(default)}`", doc] for name, kind, default, doc in info.options]
        tables += "\n" + _table(["option", "type", "default", "what it does"], options)
    title, _, rest = evidence.shown(_shown(catalogue.page(info), info.name), info.name).partition("\n")
    summary, _, rest = _METADATA.sub("", rest, count=1).strip().partition("\n\n")
    return _spaced(f"{title}\n\n{summary}\n\n{tables}\n{rest}\n")


def _shown(text: str, rule: str) -> str:
    """A page for readers: in place of the claims of the tests, lines are marked, and messages stand below."""
    fences: dict[int, list[tuple[int, str]]] = {}
    for case in read_page(text):
        reported = judged(case, rule)
        for path, block in case.files.items():
            fences[block.line] = sorted({(each.line, each.message) for each in reported if each.path == path})
    lines: list[str] = []
    found: list[tuple[int, str]] = []
    opened = ""
    for number, line in enumerate(text.split("\n"), 1):
        lines.append(_CLAIM.sub("", line) if opened else line)
        if not opened and line.startswith("```"):
            opened, found = line[: len(line) - len(line.lstrip("`"))], fences.get(number, [])
            if found:
                lines[-1] += f' hl_lines="{" ".join(str(at) for at in sorted({at for at, _ in found}))}"'
        elif opened and line.rstrip() == opened:
            opened = ""
            lines += ["", *(f"- line {at}: {message}" for at, message in found), ""] if found else []
    return "\n".join(lines)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *([cell.replace("|", r"\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + "\n"


def _slug(title: str) -> str:
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title.lower())).strip("-")


def _spaced(text: str) -> str:
    """Fences as the generator reads them: a blank line above, no words behind the language but a title."""
    text = _FENCE.sub(
        lambda match: f'{match["ticks"]}{match["language"]} title="{match["word"]}"{match["marked"] or ""}', text
    )
    found: list[str] = []
    fence = ""
    for line in text.split("\n"):
        opening = re.match(r"`{3,}", line)
        if opening and not fence:
            fence = opening[0]
            if found and found[-1].strip():
                found.append("")
        elif fence and line.rstrip() == fence:
            fence = ""
        elif not fence and re.match(r"[-*] ", line) and found and re.match(r"[^\s*-]", found[-1]):
            found.append("")
        found.append(line)
    return "\n".join(found)


def _navigation() -> str:
    """The navigation: every page that there is, those of the rules by family."""
    left = {path.stem for path in PAGES.glob("*.md")}
    rows = ["nav:"]
    for title, names in NAVIGATION:
        here = [name for name in names.split() if name in left]
        left -= set(here)
        rows += [f"  - {title}:"] if title and here else []
        rows += [f"  {'  ' if title else ''}- {name}.md" for name in here]
        if title == "Contribute":
            rows.append("    - rules/pages.md")
        if title == "Rules":
            for family in catalogue.families():
                rows.append(f"    - {family}:")
                infos = [info for info in catalogue.rules().values() if info.family == family]
                rows += [f"      - rules/{info.path}" for info in infos]
    if left:
        raise SystemExit(f"website/build.py: put into the navigation: {', '.join(sorted(left))}")
    return "\n".join(rows) + "\n"


# ------------------------------------------------------------------------------------------------------------- pictures
def _with_pictures(document: Path) -> str:
    """The text of a document, with a picture in place of each fence that asks for one."""
    found = list(documents.blocks(document))
    lines = document.read_text(encoding="utf-8").split("\n")
    if not any(block.comment == "screenshot" for block in found):
        return "\n".join(lines)
    with tempfile.TemporaryDirectory() as scratch:
        environment = documents.prepare(Path(scratch), document)
        printed = {}
        for number, block in enumerate(found):
            if block.comment == "screenshot":
                name = f"screenshots/{document.stem}-{number}.svg"
                printed[number] = name, _draw(block.commands()[0][0], Path(scratch) / "work", environment, PAGES / name)
            documents.run(block, Path(scratch), environment)
    for number, (name, output) in reversed(printed.items()):
        block = found[number]
        command = block.commands()[0][0]
        text = ["```console", f"$ {command}", *output.split("\n"), "```"]
        folded = ["", '??? note "The same as text"', "", *(f"    {line}".rstrip() for line in text)]
        lines[block.line - 1 : block.line + block.text.count("\n") + 1] = [f"![{command}]({name})", *folded]
    return "\n".join(lines)


def _draw(command: str, work: Path, environment: dict[str, str], path: Path) -> str:
    """Run a command and draw its output; gives it as plain text."""
    from rich.console import Console
    from rich.text import Text

    done = subprocess.run(
        ["bash", "-c", f"{command} 2>&1"],
        cwd=work,
        env={**environment, "FORCE_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    printed = Text.from_ansi(done.stdout.rstrip())
    width = max(map(len, [command, *printed.plain.split("\n")])) + 2
    console = Console(record=True, width=width, file=io.StringIO(), force_terminal=True)
    console.print(Text.assemble(("$ ", "dim"), command))
    console.print(printed)
    drawing = console.export_svg(title="mllint", unique_id=path.stem)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_FONT.sub("", drawing), encoding="utf-8")  # the reader's own font: nothing is fetched
    return printed.plain


if __name__ == "__main__":
    raise SystemExit(main())
