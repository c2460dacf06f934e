"""Logs that read commands: GitHub's annotations and step summary, Azure's issues, and text that is no command."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mllint.diagnostic import Diagnostic, Position, Span
from mllint.report import Results, azure, github, markdown
from tests.cli.conftest import DOUBLE_SOFTMAX, FOUND, KEEPS_GRAPH, ZERO_GRAD, span
from tests.formats.test_formats import AZURE, command, unescaped


def results(*found: Diagnostic, **fields) -> Results:
    empty = {
        "files": 1, "lines": 1, "suppressed": 0, "notes": (), "crashed": False, "asked": 1, "rules": (), "browse": "",
        "version": "1", "lines_of": lambda *_: (), "in_file": lambda at: at,
        "page": lambda _: "", "fails": lambda one: one.severity == "error",
        "verdict": "Found some",
    }  # fmt: skip
    return Results(found, **{**empty, **fields})


def annotations(text: str) -> list[tuple[str, dict[str, str], str]]:
    return [command(line) for line in text.splitlines() if line.startswith("::")]


def at(line: int, rule: str = "double-softmax", path: str = "train.py", **fields) -> Diagnostic:
    return DOUBLE_SOFTMAX._replace(span=span(path, line, 1, 5), rule=rule, labels=(), **fields)


# ------------------------------------------------------------------------------------------------------------ escaping
NOTHING_ELSE = {"primary": "", "labels": (), "help": ""}
anything = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Cf", "Zl", "Zp"]), min_size=1)


@given(message=anything, path=anything, why=anything)
@example(message="100%0A%25", path="a%3A,b:c%2C", why="%")
def test_github_takes_apart_what_was_put_together(message, path, why):
    finding = DOUBLE_SOFTMAX._replace(
        message=message, span=span(path, 3, 5, 9), primary="", labels=(), why=why, help=""
    )
    lines = github.render(results(finding)).removesuffix("\n").split("\n")
    assert len(lines) == 1
    place = {"file": path, "line": "3", "endLine": "3", "col": "5", "endColumn": "9", "title": "mllint: double-softmax"}
    assert command(lines[0]) == ("error", place, f"{message}\nwhy: {why}")


@given(message=anything, path=anything)
@example(message="100%0A%AZP25", path="a%3B;b]%5D")
def test_azure_takes_apart_what_was_put_together(message, path):
    finding = DOUBLE_SOFTMAX._replace(message=message, span=span(path, 3, 5, 9), why="", **NOTHING_ELSE)
    match = re.fullmatch(r"##vso\[task\.logissue ([^]]*)\]([^\n\r]*)\n", azure.render(results(finding)))
    assert match
    properties = dict(pair.split("=", 1) for pair in match[1].split(";")[:-1])
    assert unescaped(properties["sourcepath"], AZURE) == path
    assert unescaped(match[2], AZURE) == message


@pytest.mark.parametrize("text", ["a\nb", "a\r\nb", "a\x1b[31mb", "a\x85b\u2028c"])
def test_no_text_ends_a_command_early(text):
    finding = DOUBLE_SOFTMAX._replace(message=text, span=span(text, 3, 5, 9))
    assert github.render(results(finding)).count("\n") == azure.render(results(finding)).count("\n") == 1
    assert "\x1b" not in github.render(results(finding)) + azure.render(results(finding))


# ------------------------------------------------------------------------------------------------------ GitHub's limits
def kinds(text: str) -> list[str]:
    return [kind for kind, _, _ in annotations(text)]


def test_ten_of_a_kind_stay_as_they_are():
    found = [at(line) for line in range(1, 11)] + [ZERO_GRAD, KEEPS_GRAPH]
    assert kinds(github.render(results(*found))) == ["error"] * 10 + ["warning", "notice"]


def test_repeats_in_a_file_are_merged_where_there_are_too_many():
    found = [at(line) for line in range(1, 12)] + [at(40, path="other.py")]
    first, second = annotations(github.render(results(*found)))
    assert (first[1]["file"], first[1]["line"]) == ("train.py", "1")
    assert first[2].split("\n")[1] == "also in this file, line 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
    assert (second[1]["file"], second[1]["line"]) == ("other.py", "40")


def test_the_surest_and_the_rarest_come_first_and_the_last_counts_the_others():
    found = [at(1, path=f"{name}.py", confidence="medium") for name in "abcdefgh"]
    found += [at(1, path=f"{name}.py") for name in "klmnopqr"]
    found += [at(5, rule="detached-loss", path="r.py"), at(6, rule="detached-loss", path="r.py")]
    shown = annotations(github.render(results(*found)))
    assert len(shown) == github.MOST
    assert [properties.get("file") for _, properties, _ in shown] == [f"{name}.py" for name in "klmnopqrr"] + [None]
    assert shown[-1][2] == "8 more errors of mllint: the log of this step and its summary have them all"


def test_each_rule_has_its_turn():
    found = [at(1, path=f"{number}.py") for number in range(20)] + [at(1, rule=rule) for rule in ("r1", "r2", "r3")]
    shown = [properties["title"] for _, properties, _ in annotations(github.render(results(*found)))[:-1]]
    assert shown.count("mllint: double-softmax") == 6 and len(set(shown)) == 4


# ----------------------------------------------------------------------------------------------------- commands in text
def test_text_that_looks_like_a_command_is_muted():
    calm = ["error[x]: y", "  ::: src/model.py:1:2", "12 | x = '::error::'"]
    assert github.muted(calm) == calm
    for line in ("::error::gotcha", "  ::add-mask::x", "12 | # ##[error]gotcha"):
        first, *text, last = github.muted([*calm, line])
        token = first.removeprefix("::stop-commands::")
        assert text == [*calm, line] and last == f"::{token}::"
        assert len(token) == 32 and token not in "\n".join(text)


def test_the_log_holds_no_command_of_the_code(engine, mllint, project):
    (project / "train.py").write_text("x = 1 ##[group]y ##vso[task.setvariable variable=PATH]z\n")
    engine.find(DOUBLE_SOFTMAX._replace(span=span("train.py", 1, 1, 2), labels=()))
    lines = mllint("check", "--output", "github").out.split("\n")
    start, end = (next(at for at, line in enumerate(lines) if line.startswith(head)) for head in ("::stop", "::error"))
    assert any("##[group]" in line for line in lines[start:end])
    assert lines[end - 1] == f"::{lines[start].removeprefix('::stop-commands::')}::"
    out = mllint("check", "--output", "full", "--output", "azure").out
    assert out.count("##vso[") == 1 and "## vso[task.setvariable" in out and "## [group]" in out
    assert "##vso[task.setvariable" in mllint("check", "--output", "full").out


# ----------------------------------------------------------------------------------------------------------- in Actions
@pytest.fixture
def actions(project, monkeypatch):
    """The environment of a step."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project / "step.md"))
    for name, value in (("SERVER_URL", "https://github.example"), ("REPOSITORY", "me/net"), ("SHA", "abc")):
        monkeypatch.setenv(f"GITHUB_{name}", value)
    return project / "step.md"


def test_github_brings_the_text_along(engine, mllint):
    text = mllint("check").out
    lines = mllint("check", "--output", "github").out
    assert lines.startswith(text) and kinds(lines.removeprefix(text)) == ["error", "warning", "notice"]
    short = mllint("check", "--output", "concise", "--output", "github").out
    assert short.startswith(mllint("check", "--output", "concise").out) and kinds(short) == kinds(lines)
    mllint("check", "--output", "github:annotations.txt", "--output", "full")


def test_in_actions_nothing_has_to_be_asked_for(engine, mllint, actions):
    out = mllint("check").out
    assert "error[double-softmax]: " in out and len(annotations(out)) == 3
    table = actions.read_text()
    assert "[`train.py:10:32`](https://github.example/me/net/blob/abc/train.py#L10)" in table
    assert table.count("\n| ") == 3 + 1


def test_what_is_asked_for_holds_in_actions_too(engine, mllint, actions, project):
    assert annotations(mllint("check", "--output", "full").out) == []
    assert mllint("check", "--output-file", "a.txt")[:2] == (1, "")
    (project / "mllint.toml").write_text('output-format = "concise"\n')
    assert annotations(mllint("check").out) == []
    assert not actions.exists()


def test_annotations_in_a_file_are_nothing_else(engine, mllint, actions, project):
    mllint("check", "--output", "github:annotations.txt", "--output", "full")
    lines = (project / "annotations.txt").read_text().splitlines()
    assert len(lines) == 3 and all(line.startswith("::") for line in lines)
    assert not actions.exists()


def test_the_summary_of_a_step_is_added_to(engine, mllint, actions):
    actions.write_text("# Before\n")
    mllint("check")
    assert actions.read_text().startswith("# Before\n### mllint: Found 1 error")


def test_a_summary_that_cannot_be_written_is_a_note(engine, mllint, actions):
    actions.mkdir()
    result = mllint("check")
    assert result.code == 1
    assert "note: the summary of the step cannot be written" in result.err


def test_a_summary_stays_within_github_s_size(engine, mllint, actions, monkeypatch):
    monkeypatch.setattr("mllint.cli.output._SUMMARY_SIZE", 60_000)
    engine.find(*[at(line) for line in range(1, 2000)])
    mllint("check")
    size = actions.stat().st_size
    assert 50_000 < size <= 60_000
    rows = actions.read_text().count("\n| error")
    assert actions.read_text().endswith(f"\n{1999 - rows} more findings are in the log.\n")
    mllint("check")
    assert actions.stat().st_size <= 60_000


def test_details_go_before_rows_do():
    found = [at(line) for line in range(1, 5)]
    whole = markdown.render(results(*found))
    short = markdown.render(results(*found), most=len(whole) - 1)
    assert "<details>" in whole and "<details>" not in short
    assert short.count("\n| error") == 4 and short.endswith("The log has every finding with its code.\n")


# ------------------------------------------------------------------------------------------------------------- markdown
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("`a|b` is <b>", "`a\\|b` is \\<b\\>"),
        ("an odd ` and [x](y)", "an odd \\` and \\[x\\](y)"),
        ("@me #1 *x* _y_", "\\@me \\#1 \\*x\\* \\_y\\_"),
        ("line\nend", "line\N{REPLACEMENT CHARACTER}end"),
    ],
)
def test_code_is_code_and_the_rest_is_text(text, shown):
    row = markdown.render(results(DOUBLE_SOFTMAX._replace(message=text))).split("\n")[4]
    assert row.endswith(f" | {shown} |")


def test_the_verdict_is_that_of_the_text(engine, mllint):
    engine.find(*FOUND, baselined=2, stale=1, scope="what is new since `main`")
    last = mllint("check").out.splitlines()[-1]
    assert "2 in the baseline and 1 stale; only what is new since `main`" in last
    assert mllint("check", "--output", "markdown").out.startswith(f"### mllint: {last}\n")


def test_a_clean_page(engine, mllint):
    engine.find(files=3)
    assert mllint("check", "--output", "markdown", "--select", "double-softmax").out == (
        "### mllint: All checks passed! (3 files, 1 rule)\n"
    )


def test_the_worst_comes_first(engine, mllint):
    rows = re.findall(r"^\| (\w+) \| ", mllint("check", "--output", "markdown").out, re.MULTILINE)
    assert rows == ["error", "warning", "info"]
    assert [found.severity for found in FOUND] == ["info", "error", "warning"]


def test_a_place_outside_the_repository_is_no_link():
    outside = DOUBLE_SOFTMAX._replace(span=Span("/elsewhere/a.py", Position(1, 1), Position(1, 2)), labels=())
    text = markdown.render(results(outside, *FOUND[1:2], browse="https://github.example/"))
    assert "| `/elsewhere/a.py:1:1` |" in text and "[`train.py:10:32`](https://github.example/train.py#L10)" in text
