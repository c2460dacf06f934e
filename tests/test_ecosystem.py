"""The bookkeeping of the precision benchmark: reading its list, comparing, keeping labels, counting."""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType

import pytest

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "benchmarks", "ecosystem")
DIGEST = "0123456789abcdef" * 4


def module(name: str) -> ModuleType:
    specification = importlib.util.spec_from_file_location(f"ecosystem_{name}", os.path.join(HERE, f"{name}.py"))
    assert specification is not None and specification.loader is not None
    loaded = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = loaded
    specification.loader.exec_module(loaded)
    return loaded


fetch, findings = module("fetch"), module("findings")


def found(line: int, fingerprint: str, label: str = "", rule: str = "missing-zero-grad", package: str = "p"):
    reason = "because" if label else ""
    return findings.Finding(package, "train.py", line, rule, "loss.backward()", fingerprint, label, reason)


def ran(*of, package: str = "p", problem: str = ""):
    return findings.Outcome(package, 1, 100, tuple(of), 0, 0, (), 0, 0.5, problem)


def test_list_is_read_and_written() -> None:
    text = f"# a comment\n\nsome-gan==0.1 --hash=sha256:{DIGEST}  # sdist\nnet==2.0 --hash=sha256:{DIGEST}\n"
    packages = fetch.parse(text)
    assert [(p.name, p.version, p.is_sdist) for p in packages] == [("some-gan", "0.1", True), ("net", "2.0", False)]
    assert fetch.parse("\n".join(p.line for p in packages)) == packages


@pytest.mark.parametrize(
    "line", ["timm", "timm==1.0", f"timm>=1.0 --hash=sha256:{DIGEST}", f"timm==1 --hash=sha256:{DIGEST[1:]}"]
)
def test_unpinned_packages_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        fetch.parse(line)


def test_committed_list_and_labels_belong_together() -> None:
    with open(os.path.join(HERE, "packages.txt"), encoding="utf-8") as file:
        names = [package.name for package in fetch.parse(file.read())]
    assert len(names) == len(set(names))
    with open(os.path.join(HERE, "expected.json"), encoding="utf-8") as file:
        text = file.read()
    expected = findings.load(text)
    assert findings.dump(expected) == text
    assert {finding.package for finding in expected} <= set(names)


def test_new_gone_and_moved() -> None:
    expected = [found(3, "a", "true"), found(5, "b", "false"), found(8, "c", "true", rule="double-softmax")]
    difference = findings.compare(expected, [ran(found(3, "a"), found(6, "d"), found(9, "e", rule="nll"))])
    assert [f.fingerprint for f in difference.new] == ["e"]
    assert [f.fingerprint for f in difference.gone] == ["c"]
    assert [(old.fingerprint, new.fingerprint) for old, new in difference.moved] == [("b", "d")]
    table = findings.review(difference)
    assert "| gone | double-softmax | p | train.py:8 |" in table and "from line 5, was false" in table


def test_packages_that_did_not_run_are_not_compared() -> None:
    expected = [found(3, "a", "true"), found(3, "b", "true", package="q")]
    outcomes = [ran(problem="ended by signal 24")]
    assert not any(findings.compare(expected, outcomes))
    assert findings.updated(expected, outcomes) == expected


def test_update_keeps_labels() -> None:
    expected = [found(3, "a", "true"), found(5, "b", "false")]
    kept = findings.updated(expected, [ran(found(4, "a"), found(6, "c"))])
    assert [(f.fingerprint, f.line, f.label) for f in kept] == [("a", 4, "true"), ("c", 6, "")]


@pytest.mark.parametrize(("label", "reason"), [("yes", "because"), ("true", "")])
def test_labels_are_checked(label: str, reason: str) -> None:
    with pytest.raises(ValueError, match=r"train\.py:3"):
        findings.load(findings.dump([found(3, "a")._replace(label=label, reason=reason)]))


def test_precision_counts_debatable_as_not_false() -> None:
    labels = ["true", "true", "debatable", "false", ""]
    table = findings.by_rule([found(n, str(n), label) for n, label in enumerate(labels)])
    assert "| missing-zero-grad | 4 | 2 | 1 | 1 | 75.0% |" in table
    assert "| p | 1 | 100 | 5 | 2 | 1 | 1 |" in findings.by_package(
        [found(n, str(n), label) for n, label in enumerate(labels)], [ran()]
    )


def test_report_is_read() -> None:
    place = {"path": "a.py", "start": {"line": 2, "column": 1}, "cell": None}
    report = {
        "summary": {"files": 3, "lines": 40},
        "notes": ["big.py: larger than 1 MiB, skipped"],
        "diagnostics": [
            {"rule": "double-softmax", "fingerprint": "f", **place},
            {"rule": "syntax-error", "fingerprint": "g", **place},
        ],
    }
    outcome = findings.outcome("p", report, lambda path, line, cell: f"{path} {line}", 5, 1.0)
    assert [(f.rule, f.text) for f in outcome.findings] == [("double-softmax", "a.py 2")]
    assert (outcome.unparsed, outcome.crashes, outcome.unread) == (1, 0, 1)
