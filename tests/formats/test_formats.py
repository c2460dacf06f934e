"""What a finding says reaches every format that can hold it, at the place where readers of that format look for it."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from mllint.catalogue import pages as catalogue
from mllint.config.model import OUTPUT_FORMATS
from mllint.diagnostic import Diagnostic, Label, Position, Span
from tests.cli.conftest import DOUBLE_SOFTMAX, NOTEBOOK, span

FINDING = DOUBLE_SOFTMAX._replace(
    message="`F.x`: 100% of a|b, [c](1); <d> & \"e\"",
    primary="expects logits: 5%",
    labels=(
        Label(span("train.py", 9, 17, 23), "probabilities, from here"),
        Label(Span("model.py", Position(4, 1), Position(6, 40)), "softmax; applied [here]"),
        Label(span("explore.ipynb", 2, 5, 21, cell=3), "and in a notebook"),
    ),
    why="it is 100% silent; really",
    help="pass `probs`, then: look",
    url=catalogue.rules()["double-softmax"].url,
    fingerprint="0123456789abcdef",
)  # fmt: skip
IN_NOTEBOOK = FINDING._replace(span=span("explore.ipynb", 2, 5, 21, cell=3), labels=FINDING.labels[:1])
RAW = (4, NOTEBOOK.split("\n")[3].index("total") + 1)
"""Where line 2, column 5 of cell 3 is in the JSON of the notebook."""


class Place(NamedTuple):
    path: str
    line: int
    column: int
    message: str


class Seen(NamedTuple):
    """What a reader of a format finds out about one finding; None for what the format has no place for."""

    rule: str | None
    severity: str | None
    message: str
    primary: Place
    labels: list[Place] | None
    why: str | None
    help: str | None
    url: str | None
    fingerprint: str | None


def seen(finding: Diagnostic, cells: bool) -> Seen:
    """What there is to find out, with places as cells count or as files do."""

    def place(at: Span, message: str) -> Place:
        line, column = at.start if at.cell is None or cells else RAW
        return Place(at.path, line, column, message)

    labels = [place(label.span, label.message) for label in finding.labels]
    primary = place(finding.span, finding.primary)
    facts = (finding.why, finding.help, finding.url, finding.fingerprint)
    return Seen(finding.rule, finding.severity, finding.message, primary, labels, *facts)


# ---------------------------------------------------------------------------------------------------------- the readers
def from_words(text: str) -> dict[str, Any]:
    """The message, the places and the footnotes of a finding that is told as lines of text."""
    message, *lines = text.split("\n")
    found: dict[str, Any] = {"message": message, "labels": []}
    for line in lines:
        if match := re.fullmatch(r"([^:]+):(\d+):(\d+)(?: \(cell \d+, line \d+\))?: (.*)", line):
            found["labels"].append(Place(match[1], int(match[2]), int(match[3]), match[4]))
        elif line:
            name, _, note = line.partition(": ")
            found[{"docs": "url"}.get(name, name)] = note
    found["primary"] = found["labels"].pop(0)
    return found


def from_json(text: str) -> Seen:
    return from_object(json.loads(text)["diagnostics"][0])


def from_json_lines(text: str) -> Seen:
    return from_object(json.loads(text.splitlines()[0]))


def from_object(found: dict[str, Any]) -> Seen:
    places = [Place(of["path"], of["start"]["line"], of["start"]["column"], of["message"]) for of in found["labels"]]
    assert [of["role"] for of in found["labels"]] == ["primary"] + ["secondary"] * (len(places) - 1)
    head = (found["rule"], found["severity"], found["message"], places[0], places[1:])
    return Seen(*head, found["why"], found["help"], found["url"], found["fingerprint"])


def from_sarif(text: str) -> Seen:
    run = json.loads(text)["runs"][0]
    result = run["results"][0]
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["id"] == result["ruleId"]

    def place(location: dict[str, Any]) -> Place:
        physical = location["physicalLocation"]
        assert physical["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
        region = physical["region"]
        assert region["endLine"] == region["startLine"]
        message = location["message"]["text"].removesuffix(".")
        return Place(physical["artifactLocation"]["uri"], region["startLine"], region["startColumn"], message)

    primary = place(result["locations"][0])
    labels = [place(location) for location in result["relatedLocations"]]
    flow = [place(step["location"]) for step in result["codeFlows"][0]["threadFlows"][0]["locations"]]
    assert flow == [*labels, primary]
    links = re.findall(r"\[((?:\\.|[^]\\])*)\]\((\d+)\)", result["message"]["text"].partition(" See: ")[2])
    assert [re.sub(r"\\(.)", r"\1", link) for link, _ in links] == [label.message for label in labels]
    assert [int(number) for _, number in links] == [location["id"] for location in result["relatedLocations"]]
    message = result["message"]["text"].partition(". See: ")[0]
    note = result["properties"]
    for name in ("why", "help"):
        assert f"{name.capitalize()}: {note[name]}." in result["message"]["text"]
    severity = {"error": "error", "note": "info"}[result["level"]]
    fingerprint = result["partialFingerprints"]["mllint/v1"]
    notes = (note["why"], note["help"], rule["helpUri"], fingerprint)
    return Seen(rule["id"], severity, message, primary, labels, *notes)


def unescaped(text: str, codes: dict[str, str]) -> str:
    """As the runner does it: each code once, the percent sign last."""
    for code, sign in codes.items():
        text = text.replace(code, sign)
    return text


GITHUB_DATA = {"%0D": "\r", "%0A": "\n", "%25": "%"}
GITHUB_PROPERTY = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}
AZURE = {"%3B": ";", "%0D": "\r", "%0A": "\n", "%5D": "]", "%AZP25": "%"}


def command(line: str) -> tuple[str, dict[str, str], str]:
    """An annotation as GitHub's runner takes it apart: kind, properties, message."""
    head, _, data = line[2:].partition("::")
    kind, _, properties = head.partition(" ")
    pairs = (pair.partition("=") for pair in properties.split(","))
    return kind, {key: unescaped(value, GITHUB_PROPERTY) for key, _, value in pairs}, unescaped(data, GITHUB_DATA)


def from_github(text: str) -> Seen:
    kind, properties, message = command(next(line for line in text.split("\n") if line.startswith("::")))
    found = from_words(message)
    primary = (properties["file"], int(properties["line"]), int(properties["col"]))
    assert found["primary"][:3] == primary
    return Seen(properties["title"].removeprefix("mllint: "), {"notice": "info"}.get(kind, kind), **found)


def from_gitlab(text: str) -> Seen:
    issue = json.loads(text)[0]
    rule, _, message = issue["description"].partition(": ")
    assert rule == issue["check_name"]
    found = from_words("\n".join([message, *(row.removeprefix("- ") for row in issue["content"]["body"].split("\n"))]))

    def place(location: dict[str, Any]) -> tuple[str, int, int]:
        begin = location["positions"]["begin"]
        return location["path"], begin["line"], begin["column"]

    assert place(issue["location"]) == found["primary"][:3]
    assert [place(location) for location in issue["other_locations"]] == [label[:3] for label in found["labels"]]
    severity = {"critical": "error", "major": "warning", "info": "info"}[issue["severity"]]
    return Seen(rule, severity, fingerprint=issue["fingerprint"], **found)


def from_junit(text: str) -> Seen:
    case = ElementTree.fromstring(text.encode())[0][0]
    failure = case[0]
    found = from_words(failure.text or "")
    assert failure.get("message") == found["message"]
    assert (case.get("file"), case.get("line")) == (found["primary"].path, str(found["primary"].line))
    return Seen((case.get("name") or "").partition(" ")[0], failure.get("type"), **found)


def from_rdjson(text: str) -> Seen:
    diagnostic = json.loads(text)["diagnostics"][0]
    found = from_words(diagnostic["message"])

    def place(of: dict[str, Any]) -> tuple[str, int]:
        return of["path"], of["range"]["start"]["line"]

    assert place(diagnostic["location"]) == found["primary"][:2]
    related = [(*place(of["location"]), of["message"]) for of in diagnostic["relatedLocations"]]
    assert related == [(label.path, label.line, label.message) for label in found["labels"]]
    assert diagnostic["code"]["url"] == found["url"]
    return Seen(diagnostic["code"]["value"], diagnostic["severity"].lower(), **found)


def from_azure(text: str) -> Seen:
    match = re.match(r"##vso\[task\.logissue ([^]]*)\](.*)", text)
    assert match
    pairs = (pair.partition("=") for pair in match[1].split(";") if pair)
    properties = {key: unescaped(value, AZURE) for key, _, value in pairs}
    found = from_words(unescaped(match[2], AZURE))
    primary = (properties["sourcepath"], int(properties["linenumber"]), int(properties["columnnumber"]))
    assert found["primary"][:3] == primary
    return Seen(properties["code"], properties["type"], **found)


def plain(markdown: str) -> str:
    """The text of a line of Markdown."""
    markdown = re.sub(r"^\*\*.*?\*\* |^- ", "", markdown)
    pieces = re.split(r"(`[^`]*`)", markdown)
    shown = [piece if piece.startswith("`") else re.sub(r"\\(.)", r"\1", piece) for piece in pieces]
    return "".join(shown).replace("\\|", "|")


def from_markdown(text: str) -> Seen:
    row = next(line for line in text.split("\n") if line.startswith("| error"))
    severity, where, rule, message = (cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1])
    story = text.partition("</summary>\n\n")[2].partition("\n\n**")[0].replace("</details>", "")
    found = from_words("\n".join(plain(line) for line in story.split("\n")).replace("\n\n", "\n").replace("`", ""))
    assert plain(message).replace("`", "") == found["message"]
    assert where.startswith(f"`{found['primary'].path}:{found['primary'].line}:{found['primary'].column}")
    assert rule == f"[{FINDING.rule}]({found['url'].strip('<>')})"
    found["url"] = found["url"].strip("<>")
    return Seen(rule[1:].partition("]")[0], severity, **found)


def from_concise(text: str) -> Seen:
    match = re.match(r"([^:]+):(?:cell \d+:)?(\d+):(\d+): (\w+)\[([\w-]+)\] (.*)", text)
    assert match
    primary = Place(match[1], int(match[2]), int(match[3]), "")
    return Seen(match[5], match[4], match[6], primary, None, None, None, None, None)


def from_full(text: str) -> Seen:
    head = re.match(r"(\w+)\[([\w-]+)\]: (.*)", text)
    assert head
    notes = dict(re.findall(r"^ *= (\w+): (.*)$", text, re.MULTILINE))
    assert notes["docs"] == f"mllint explain {head[2]}"
    frames = re.findall(r"^ *(?:-->|:::) ([^:\n]+):(?:cell \d+:)?(\d+):(\d+)$", text, re.MULTILINE)
    known = {f"{path}:{line}:{column}" for path, line, column in frames}
    finding = FINDING if frames[0][0] == "train.py" else IN_NOTEBOOK
    expected = seen(finding, cells=True)
    for place in [expected.primary, *(expected.labels or [])]:
        assert place.message in text
        assert f"{place.path}:{place.line}:{place.column}" in known or place.path == frames[0][0]
    where = (frames[0][0], int(frames[0][1]), int(frames[0][2]), expected.primary.message)
    return Seen(head[2], head[1], head[3], Place(*where), expected.labels, notes["why"], notes["help"], None, None)


READERS: dict[str, Callable[[str], Seen]] = {
    name: globals()[f"from_{name.replace('-', '_')}"] for name in OUTPUT_FORMATS
}
WITH_CELLS = {"full", "concise", "json", "json-lines"}
"""The formats for readers who know notebooks; all others say where in the file it is."""
LACKING = {
    "concise": {"primary", "labels", "why", "help", "url", "fingerprint"},  # one line
    "full": {"url", "fingerprint"},  # `mllint explain` needs no network
}


@pytest.mark.parametrize("finding", [FINDING, IN_NOTEBOOK], ids=["file", "notebook"])
@pytest.mark.parametrize("name", OUTPUT_FORMATS)
def test_everything_arrives(engine, mllint, name, finding):
    engine.find(finding)
    expected = seen(finding, name in WITH_CELLS)._asdict()
    for field in LACKING.get(name, ()):
        expected[field] = expected["primary"]._replace(message="") if field == "primary" else None
    found = READERS[name](mllint("check", "--output", "concise:-" if name == "concise" else name).out)._asdict()
    if name == "markdown":  # there the back-ticks are markup
        expected["message"], expected["help"] = (expected[key].replace("`", "") for key in ("message", "help"))
    if name == "sarif":  # its messages are sentences
        expected["labels"] = [label._replace(message=label.message.removesuffix(".")) for label in expected["labels"]]
    assert found == expected
