"""Files that CI services read: SARIF, GitLab, JUnit and reviewdog, from real runs in a repository with odd names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from urllib.parse import unquote

import pytest

from mllint.catalogue import pages as catalogue
from mllint.diagnostic import Edit, Fix, Position, Span
from tests.cli.conftest import DOUBLE_SOFTMAX, KEEPS_GRAPH, ZERO_GRAD, span

FIXED = DOUBLE_SOFTMAX._replace(fix=Fix((Edit(DOUBLE_SOFTMAX.span, "logits"),), safe=True, message="Use the logits"))
FIXED_CELL = KEEPS_GRAPH._replace(fix=Fix((Edit(KEEPS_GRAPH.span, "total += loss.item()"),), safe=True))


# ---------------------------------------------------------------------------------------------------------------- SARIF
def test_sarif_leads_to_the_code_from_the_top_of_the_repository(repository, checked):
    """Each region, read from the file that its uri names, is the code that it is about."""
    run = json.loads(checked("--output", "sarif"))["runs"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]}
    assert uris == {f"my%20code%20%C3%A9/{name}" for name in ("broken.py", "explore.ipynb", "train%20%231.py")}
    seen = []
    for result in run["results"]:
        for location in [*result["locations"], *result.get("relatedLocations", ())]:
            place = location["physicalLocation"]
            region = place["region"]
            assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
            lines = (repository / unquote(place["artifactLocation"]["uri"])).read_text(encoding="utf-8").split("\n")
            code = lines[region["startLine"] - 1][region["startColumn"] - 1 : region["endColumn"] - 1]
            seen.append((result["ruleId"], location.get("message", {}).get("text"), code))
    assert seen == [
        ("syntax-error", None, "("),
        ("double-softmax", "expects logits.", "F.softmax(x)"),
        ("double-softmax", "softmax applied here.", "F.softmax(x)"),
        ("double-softmax", "expects logits.", "net(x)"),
        ("double-softmax", "softmax applied here.", "self.head("),
    ]
    notebook = run["results"][1]["properties"]
    assert (notebook["cell"], notebook["cellLine"]) == (3, 1)


def test_sarif_has_the_page_of_each_rule_that_was_asked(repository, checked):
    rules = json.loads(checked("--output", "sarif", "--select", "loss"))["runs"][0]["tool"]["driver"]["rules"]
    asked = {info.name for info in catalogue.rules().values() if info.family == "loss" and info.persona == "regular"}
    assert {rule["id"] for rule in rules} == {*asked, "syntax-error"}  # reported, though nobody asked
    page = next(rule for rule in rules if rule["id"] == "double-softmax")
    assert "## Why it is silent\nProbabilities are valid logits" in page["help"]["markdown"]
    assert "## Fix\n```py before\n" in page["help"]["markdown"]
    assert "severity =" not in page["help"]["markdown"] and "## References" in page["help"]["markdown"]
    assert not {"## Fires", "## Stays quiet"} & set(page["help"]["markdown"].split("\n"))
    assert page["defaultConfiguration"]["level"] == "error"
    assert page["properties"]["precision"] == "high" and "torch" in page["properties"]["tags"]


def test_sarif_says_whether_the_run_was_whole(engine, mllint):
    engine.find(notes=["big.py was skipped: 5 MiB"])
    run = json.loads(mllint("check", "--output", "sarif").out)["runs"][0]
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is True
    notification = run["invocations"][0]["toolExecutionNotifications"][0]
    assert notification["message"]["text"] == "big.py was skipped: 5 MiB."
    engine.find(crashed=True, notes=[])
    run = json.loads(mllint("check", "--output", "sarif").out)["runs"][0]
    assert run["invocations"] == [{"executionSuccessful": False}]


def test_sarif_holds_fixes_of_files(engine, mllint):
    engine.find(FIXED, FIXED_CELL)
    file, cell = json.loads(mllint("check", "--output", "sarif").out)["runs"][0]["results"]
    change = file["fixes"][0]["artifactChanges"][0]
    assert change["artifactLocation"]["uri"] == "train.py"
    assert change["replacements"][0]["deletedRegion"]["startColumn"] == 32
    assert change["replacements"][0]["insertedContent"]["text"] == "logits"
    assert "fixes" not in cell  # the text of a cell is not the text of the file


def test_sarif_of_a_file_outside_the_repository(repository, checked, tmp_path_factory):
    outside = tmp_path_factory.mktemp("else where") / "a.py"
    outside.write_text("import torch.nn.functional as F\nF.cross_entropy(F.softmax(x), y)\n")
    result = json.loads(checked("--output", "sarif", str(outside)))["runs"][0]["results"][0]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact == {"uri": "file://" + str(outside).replace(" ", "%20")}


@pytest.mark.skipif("SARIF_MULTITOOL" not in os.environ, reason="SARIF_MULTITOOL is not set, see .ci/run")
@pytest.mark.parametrize("paths", [["."], ["model.py"]], ids=["findings", "clean"])
def test_microsoft_s_validator_has_nothing_to_say(repository, checked, tmp_path, paths):
    checked("--output", "sarif:mllint.sarif", "--quiet", *paths)
    assert bool(json.loads(Path("mllint.sarif").read_text())["runs"][0]["results"]) is (paths == ["."])
    command = [os.environ["SARIF_MULTITOOL"], "validate", "mllint.sarif", "--rule-kind", "Sarif;Gh"]
    command += ["--level", "Error;Warning", "--kind", "Fail", "--output", "answer.sarif"]
    environment = {**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0 and "Analysis completed successfully" in done.stdout, done.stdout + done.stderr
    answer = json.loads(Path("answer.sarif").read_text(encoding="utf-8-sig"))["runs"][0]
    assert [(result["ruleId"], result["message"]) for result in answer.get("results", ())] == []


# --------------------------------------------------------------------------------------------------------------- GitLab
def test_gitlab_s_fingerprints_are_unique(repository, checked):
    source = "import torch.nn.functional as F\n" + "F.cross_entropy(F.softmax(x), y)\n" * 3
    Path("model.py").write_text(source)
    issues = json.loads(checked("--output", "gitlab"))
    assert [issue["location"]["path"].rpartition("/")[2] for issue in issues].count("model.py") >= 3
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert {issue["location"]["path"].partition("/")[0] for issue in issues} == {Path.cwd().name}
    raw = next(issue for issue in issues if issue["location"]["path"].endswith(".ipynb"))
    line = raw["location"]["positions"]["begin"]["line"]
    assert "F.cross_entropy(F.softmax(x), y)" in Path("explore.ipynb").read_text().split("\n")[line - 1]


def test_gitlab_of_a_clean_run(engine, mllint):
    engine.find()
    assert json.loads(mllint("check", "--output", "gitlab").out) == []


# ---------------------------------------------------------------------------------------------------------------- JUnit
def test_junit_is_read_by_others(repository, checked):
    reader = pytest.importorskip("junitparser", reason="junitparser is part of the group dev")
    checked("--output", "junit:junit.xml", "--quiet")
    report = reader.JUnitXml.fromfile("junit.xml")
    cases = [case for suite in report for case in suite]
    kinds = {(case.classname.rpartition("/")[2], type(case.result[0]).__name__) for case in cases}
    assert kinds == {("broken.py", "Error"), ("explore.ipynb", "Failure"), ("train #1.py", "Failure")}
    assert (report.tests, report.failures, report.errors) == (3, 2, 1)
    assert len({(case.classname, case.name) for case in cases}) == 3
    failure = next(case for case in cases if case.classname.endswith("train #1.py")).result[0]
    assert failure.message.startswith("`F.cross_entropy` applies softmax itself")
    assert "model.py:6:16: softmax applied here\n" in failure.text


def test_junit_of_a_clean_run_is_a_case_that_passes(engine, mllint):
    engine.find()
    suites = ElementTree.fromstring(mllint("check", "--output", "junit").out.encode())
    assert (suites.get("tests"), suites.get("failures"), len(suites), len(suites[0])) == ("1", "0", 1, 1)
    assert len(suites[0][0]) == 0


def failed(text: str) -> list[str]:
    cases = ElementTree.fromstring(text.encode()).iter("testcase")
    return [(case.get("name") or "").partition(" ")[0] for case in cases if case.find("failure") is not None]


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ([], ["double-softmax", "missing-zero-grad"]),
        (["--fail-on", "error"], ["double-softmax"]),
        (["--fail-on", "info"], ["loss-keeps-graph", "double-softmax", "missing-zero-grad"]),
        (["--fail-on", "never"], ["double-softmax", "missing-zero-grad"]),
        (["--exit-zero"], ["double-softmax", "missing-zero-grad"]),
    ],
)
def test_what_does_not_fail_the_run_is_no_failure(engine, mllint, options, rules):
    text = mllint("check", "--output", "junit", *options).out
    assert failed(text) == rules
    assert "keeps the graph of every batch alive" in text


def test_junit_holds_what_xml_cannot(engine, mllint):
    hostile = '\x00 \x1b[0m <b> & "q" \ufffe \udc80 \n end'
    engine.find(ZERO_GRAD._replace(message=hostile, span=span("a\x08.py", 1, 1, 2)))
    failure = ElementTree.fromstring(mllint("check", "--output", "junit").out.encode())[0][0][0]
    assert failure.get("message") == '\ufffd \ufffd[0m <b> & "q" \ufffd \ufffd \n end'
    assert (failure.text or "").startswith("\ufffd \ufffd[0m <b> &")


# ------------------------------------------------------------------------------------------------------------ reviewdog
def test_rdjson_counts_bytes(repository, checked):
    place = json.loads(checked("--output", "rdjson"))["diagnostics"][-1]["location"]
    line = Path("train #1.py").read_bytes().split(b"\n")[place["range"]["start"]["line"] - 1]
    start, end = (place["range"][side]["column"] - 1 for side in ("start", "end"))
    assert line[start:end] == b"net(x)"


def test_rdjson_suggests(engine, mllint):
    engine.find(FIXED, FIXED_CELL)
    file, cell = json.loads(mllint("check", "--output", "rdjson").out)["diagnostics"]
    place = {"start": {"line": 10, "column": 32}, "end": {"line": 10, "column": 37}}
    assert file["suggestions"] == [{"range": place, "text": "logits"}]
    assert "suggestions" not in cell


# --------------------------------------------------------------------------------------------------------- all of them
def test_rdjson_suggests_a_fix_as_a_whole(engine, mllint):
    path, edits = DOUBLE_SOFTMAX.span.path, []
    for line, start, end, text in ((9, 9, 14, "logits"), (10, 32, 37, "logits")):
        edits.append(Edit(DOUBLE_SOFTMAX.span._replace(start=Position(line, start), end=Position(line, end)), text))
    elsewhere = Edit(Span("model.py", Position(6, 1), Position(6, 1)), "#")
    both = Fix((edits[0], edits[1]), safe=False, message="Use the logits")
    engine.find(
        DOUBLE_SOFTMAX._replace(fix=both), DOUBLE_SOFTMAX._replace(fix=both._replace(edits=(*edits, elsewhere)))
    )
    one, other = json.loads(mllint("check", "--output", "rdjson").out)["diagnostics"]
    (suggestion,) = one["suggestions"]
    assert suggestion["range"] == {"start": {"line": 9, "column": 9}, "end": {"line": 10, "column": 37}}
    assert suggestion["text"] == "logits = net(x)\n        loss = F.cross_entropy(logits"
    assert path == "train.py" and "suggestions" not in other


@pytest.mark.parametrize("output", ["json", "sarif", "gitlab", "rdjson", "json-lines", "junit"])
@pytest.mark.parametrize(
    ("path", "text"), [("-", "import torch.nn.functional as F\nF.cross_entropy(F.softmax(x), y)\n"), ("empty", "")]
)
def test_standard_input_and_empty_runs_are_written_too(project, output, path, text):
    (project / "empty").mkdir()
    command = [sys.executable, "-m", "mllint", "check", "--isolated", "--output", output, path]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (bool(text), b"")
    assert (b"double-softmax at 2:17" if output == "junit" else b'"double-softmax"') in done.stdout or not text
    if output == "junit":
        ElementTree.fromstring(done.stdout)
        return
    for document in done.stdout.splitlines() if output == "json-lines" else [done.stdout]:
        json.loads(document)
