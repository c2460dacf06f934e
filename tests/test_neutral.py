"""Nothing that comes from a project controls a terminal or the runner of a CI service, in any format, on any stream."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from mllint import cli
from mllint.config.model import OUTPUT_FORMATS
from mllint.neutral import clean, printable, quoted

EVIL = "\x1b[8m\x9b2J\x07\u202e ##vso[task.setvariable variable=PATH]x ##[add-mask]y"
NAME = f"a\n::error::b{EVIL}.py"
CODE = f"""\
import torch.nn.functional as F

def loss(x, y):
    # {EVIL.translate({7: None})}
    return F.cross_entropy(F.softmax(x, dim=1), y, "{EVIL}")
"""
RUNNERS = {"nobody": {}, "GitHub": {"GITHUB_ACTIONS": "true"}, "Azure": {"TF_BUILD": "True"}}
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
OWN = re.compile("\x1b(?:\\[[0-9;]*m|]8;;[^\x1b]*\x1b\\\\)")
Printed = Callable[..., tuple[int, str, str]]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="such names are a matter of POSIX")


@pytest.fixture(params=RUNNERS)
def runner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Who reads what is printed."""
    for name in ("GITHUB_ACTIONS", "TF_BUILD", "GITHUB_STEP_SUMMARY", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in RUNNERS[request.param].items():
        monkeypatch.setenv(name, value)
    return request.param


@pytest.fixture
def printed(runner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Printed:
    """Run a command in a project with evil names and code; gives its exit code and what it prints."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / NAME).write_text(CODE)
    (tmp_path / f"large{NAME}").write_text("#" * (1 << 21))
    (tmp_path / f"folder{NAME[:-3]}").mkdir()
    (tmp_path / f"folder{NAME[:-3]}" / "mllint.toml").write_text("pedantic = true\n")
    (tmp_path / f"folder{NAME[:-3]}" / "broken.py").write_text("loss = (")

    def run(*arguments: str) -> tuple[int, str, str]:
        code = cli.main([*arguments])
        captured = capfd.readouterr()
        for text in (captured.out, captured.err):
            assert not CONTROL.search(OWN.sub("", text)), text
            if runner != "nobody":
                assert commands(text) == [], text
        return code, captured.out, captured.err

    return run


def commands(text: str) -> list[str]:
    """What a runner would obey, apart from what our own formats for it say."""
    found = [line for line in text.split("\n") if "##[" in line or "##vso[" in line or line.lstrip().startswith("::")]
    if "::stop-commands::" in text:
        token = re.search("::stop-commands::([0-9a-f]{32})\n", text)
        assert token is not None
        found = commands(re.sub(f"(?s)::stop-commands::{token[1]}\n.*\n::{token[1]}::\n", "", text))
    own = re.compile("::(?:error|warning|notice) (?:file=|title=mllint)|##vso\\[task\\.logissue (?!.*##)| *::: [^:]*:")
    return [line for line in found if not own.match(line)]


@pytest.mark.parametrize("kind", OUTPUT_FORMATS)
def test_a_report_on_standard_output(printed: Printed, kind: str) -> None:
    code, out, err = printed("check", "--no-cache", "--output-format", kind)
    assert code == 1 and out
    assert "large" in err or "large" in out


@pytest.mark.parametrize("kind", ["json", "sarif", "gitlab", "rdjson", "json-lines"])
def test_programs_read_what_they_read_before(
    printed: Printed, kind: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    arguments = ["check", "--no-cache", "--output-format", kind]
    _, out, _ = printed(*arguments)
    for name in RUNNERS["GitHub"] | RUNNERS["Azure"]:
        monkeypatch.delenv(name, raising=False)
    cli.main(arguments)
    before = capfd.readouterr().out
    assert [json.loads(line) for line in lines(out, kind)] == [json.loads(line) for line in lines(before, kind)]


def lines(text: str, kind: str) -> list[str]:
    return text.splitlines() if kind == "json-lines" else [text]


@pytest.mark.parametrize(
    "arguments",
    [
        "check --color=always",
        "check --verbose",
        "check --statistics",
        "check --show-files",
        "check --show-settings",
        "check --output-format=concise --output-format=github",
        "check --output-format=full --output-format=azure",
        "check --timing",
        "check --add-ignore",
        "baseline create",
        "config",
        "init",
        "rules",
        "clean",
    ],
)
def test_commands(printed: Printed, arguments: str) -> None:
    code, out, err = printed(*arguments.split())
    assert code in (0, 1, 2) and out + err


def test_a_trace(printed: Printed) -> None:
    printed("trace", NAME)
    printed("trace", f"{NAME}:loss{EVIL}")


@pytest.mark.parametrize(
    "text",
    [
        f"{json.dumps(EVIL)} = 1",
        f"select = [{json.dumps(EVIL)}]",
        f"baseline = {json.dumps(EVIL)}",
        f"extend = {json.dumps(NAME)}",
        f"stubs = [{json.dumps(NAME)}]",
        f"output-format = {json.dumps('json:../' + NAME)}",
        f"[rules.unseeded-shuffle]\n{json.dumps(EVIL)} = 1",
        f"[target-versions]\ntorch = {json.dumps(EVIL)}",
        f"select = ['{EVIL[4:]}'",
    ],
)
def test_errors(printed: Printed, text: str) -> None:
    Path("mllint.toml").write_text(text.replace("\\ud", "x"))
    code, _, err = printed("check")
    assert code == 2 and err.count("\n") == 1


def test_a_baseline_of_somebody_else(printed: Printed) -> None:
    row = {"path": NAME, "rule": EVIL, "symbol": NAME, "statement": EVIL, "message": NAME}
    Path("mllint-baseline.json").write_text(json.dumps({"version": 1, "findings": [row]}))
    assert printed("baseline", "show")[1]
    Path("mllint-baseline.json").write_text(json.dumps({"version": 1, "findings": [{"path": EVIL}]}))
    assert printed("baseline", "show")[2]


def test_a_cache_of_somebody_else(printed: Printed) -> None:
    assert printed("check", "--output-format=concise")[0] == 1
    entries = list(Path(".mllint_cache").glob("*.json"))
    assert entries
    for entry in entries:
        text = entry.read_text()
        entry.write_text(text.replace("already holds probabilities", json.dumps(NAME)[1:-1]))
    code, out, _ = printed("check", "--output-format=concise")
    assert code == 1 and ("task.setvariable" in out)


def test_a_name_on_the_command_line(printed: Printed) -> None:
    assert printed("check", f"missing{NAME}")[0] == 2
    assert printed(f"no-command{EVIL}")[0] == 2


def test_reports_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    text = '<a b="##[x]">\n ::error::y\n##vso[z]</a>'
    assert commands(quoted(text, "junit")) == []
    tree = ElementTree.fromstring(quoted(text, "junit"))
    assert (tree.get("b"), tree.text) == ("##[x]", "\n ::error::y\n##vso[z]")
    assert json.loads(quoted('{"a": "\\\\##[###vso["}', "json")) == {"a": "\\##[###vso["}
    assert quoted("::error file=a::b", "github") == "::error file=a::b"
    assert quoted("::error file=a::##vso[b", "github") == "::error file=a::# #vso[b"


def test_what_is_ours_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = "\x1b[1;31merror\x1b[0m\x1b]8;;https://example.org\x1b\\x\x1b]8;;\x1b\\\ttab\nline"
    assert printable(ours) == ours
    assert printable("\x1b[2Jx\x1b[8y\x1bc") == "\ufffd[2Jx\ufffd[8y\ufffdc"
    assert clean("a\nb\tc\x1b") == "a\ufffdb\ufffdc\ufffd"
    assert printable("x = 1 ##[group]y") == "x = 1 ##[group]y"
    monkeypatch.setenv("TF_BUILD", "True")
    assert printable("x = 1 ##[group]y\n  ::error::z") == "x = 1 # #[group]y\n  : :error::z"
