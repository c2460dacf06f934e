"""How do a rule's page and the lists of rules read on a terminal?

A page is Markdown that reads well as it is. Only what a terminal has no use for is changed: the block of metadata
becomes one line, headings are set in bold, links show their address, code is indented instead of fenced, and the marks
that the tests read (`# error: [rule]`) become words. Where lines are too long for the terminal, see `fold`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from mllint.report.fold import filled, folded
from mllint.report.style import Style

__all__ = ["essence", "listing", "render", "table", "unmarked"]

_MARK = re.compile(r'\s*# *(error|gap|label): *\[([a-z0-9-]+)\](?: *"(?:[^"\\]|\\.)*")?')
_LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)\s]+)\)")


def render(
    text: str, facts: Sequence[str], style: Style, *, more: Sequence[str] = (), columns: int = 0
) -> Iterator[str]:
    """A page.

    Args:
        text: its Markdown.
        facts: what stands for the metadata: family, severity and the like.
        style: paints.
        more: lines below them.
        columns: of the terminal; 0 leaves paragraphs as they are.

    Yields:
        Lines of text, without line ends.
    """
    prose: list[str] = []
    for line, look in _lines(text, facts, more):
        if look == "prose" and line.strip() and not line.startswith("|"):
            prose.append(line)
            continue
        yield from filled(prose, columns)
        prose.clear()
        rows = filled([line], columns) if look == "dim" else [line]
        yield from (row if look in ("prose", "code") else style(row, look) for row in rows)
    yield from filled(prose, columns)


def _lines(text: str, facts: Sequence[str], more: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The lines of a page, each with what it is: prose, code, or how it is painted."""
    fence = ""
    under_heading = False
    rule = text.partition("\n")[0].lstrip("# ").strip()
    for line in text.rstrip().split("\n"):
        if fence:
            if line.startswith(fence):
                fence = ""
            elif under_heading:
                yield f"    {unmarked(line, rule)}".rstrip(), "code"
            elif line.strip() == "":
                continue
        elif line.startswith("```"):
            fence = line[: len(line) - len(line.lstrip("`"))]
            words = line.lstrip("`").split()
            if not under_heading and words == ["toml"]:
                yield from ((row, "dim") for row in (", ".join(facts), *more))
            elif len(words) > 1:
                yield f"{words[1]}:", "dim"
        elif line.startswith("#"):
            under_heading = under_heading or line.startswith("## ")
            yield line.lstrip("#").strip(), "strong"
        else:
            yield _LINK.sub(r"\1 <\2>", line), "prose"


def unmarked(line: str, rule: str) -> str:
    """A line of an example with what the tests read in it put into words.

    Args:
        line: the line, perhaps with marks: `loss = f(p, y)  # error: [double-softmax] "softmax"`.
        rule: the rule of the page.

    Returns:
        The code, and behind it `# reported`, by which rule if it is another one, or that the bug is missed.
    """
    marks = _MARK.findall(line)
    if not marks:
        return line
    others = dict.fromkeys(name for kind, name in marks if kind == "error" and name != rule)
    remarks = ["reported"] if ("error", rule) in marks else []
    remarks += [f"reported by {name}" for name in others]
    remarks += ["a bug that is not reported"] if any(kind == "gap" for kind, _ in marks) else []
    return _MARK.sub("", line).rstrip() + (f"  # {', '.join(remarks)}" if remarks else "")


def essence(text: str) -> str:
    """A page for somebody who has met a finding: its Markdown without the title, the metadata and the examples that
    only say where the rule draws its line. What is left: the summary, why it is silent, the fix, gaps, references."""
    kept: list[str] = []
    fence, section = "", ""
    title, *lines = text.rstrip().split("\n")
    rule = title.lstrip("# ").strip()
    for line in lines:
        fenced = bool(fence)
        if fenced and line.rstrip() == fence:
            fence = ""
        elif not fenced and line.startswith("```"):
            fence = line[: len(line) - len(line.lstrip("`"))]
        elif not fenced and line.startswith("## "):
            section = line[3:]
        metadata = not section and (fenced or fence)
        if section not in ("Fires", "Stays quiet") and not metadata:
            kept.append(unmarked(line, rule) if fenced else line)
    return "\n".join(kept).strip()


def listing(rows: Sequence[tuple[str, str, str]], style: Style, columns: int = 0) -> Iterator[str]:
    """The rules by family, from (family, name, summary).

    Args:
        rows: the family, the name and the summary of each rule.
        style: how to write on the terminal.
        columns: the width to fold at; 0 for none.
    """
    longest = max((len(name) for _, name, _ in rows), default=0)
    for index, family in enumerate(sorted({family for family, _, _ in rows})):
        if index:
            yield ""
        yield style(family, "strong")
        for own, name, summary in rows:
            if own == family:
                yield from folded(f"  {name.ljust(longest)}  ", summary, columns)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], style: Style, columns: int = 0) -> Iterator[str]:
    """Rows as columns below a head; the last column is as long as it is, or as the terminal allows.

    Args:
        head: the names of the columns.
        rows: the cells of each row.
        style: how to write on the terminal.
        columns: the width to fold at; 0 for none.
    """
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    yield style("  ".join(word.ljust(width) for word, width in zip(head, widths, strict=True)).rstrip(), "strong")
    for row in rows:
        lead = "".join(f"{word.ljust(width)}  " for word, width in zip(row[:-1], widths, strict=False))
        yield from folded(lead, row[-1], columns)
