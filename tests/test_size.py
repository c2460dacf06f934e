"""No input makes a check hang or eat memory: what is too much is left out, and the report says so.

Each odd shape of `benchmarks.pathological` is checked in a process of its own, far above the sizes that people write,
with a bound on its memory. That it ends is what is asserted, not how fast.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.pathological import SHAPES

from mllint.config.model import Config
from mllint.engine import clock, time_budget
from mllint.engine.engine import check_sources
from mllint.errors import SourceError
from mllint.project.discovery import MAX_BYTES, discover, read
from mllint.sources import excess

HERE = Path(__file__).parent.parent
PROGRAM = """
import runpy, sys
if sys.platform == "linux":
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
runpy.run_module("mllint", run_name="__main__")
"""
COMMAND = (sys.executable, "-c", PROGRAM, "check", "--isolated", "--no-cache", "--exit-zero")
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join((str(HERE / "src"), str(HERE)))}
SECONDS = 60
_TRAINING = """
def train_{0}(model, loader, scale):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        {1}
        loss = model(x).sub(y).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
"""
LARGE = {
    "parentheses": 10_000,
    "attribute-chain": 20_000,
    "subscript-chain": 2_000,
    "calls-chain": 2_000,
    "dotted-import": 60_000,
    "operators": 20_000,
    "concatenation": 100_000,
    "formatted": 200_000,
    "dictionary": 20_000,
    "branches": 500,
    "terms": 1_600,
    "findings": 400,
    "layers-in-lists": 40,
    "tries": 500,
    "elifs": 300,
    "steps": 1_000,
    "loops": 300,
    "doubling": 60,
    "mutual-recursion": 200,
    "stars": 60,
    "diamonds": 100,
    "notebook": 1_500,
}


def checked(folder: Path, files: dict[str, str]) -> dict[str, Any]:
    """What a process with little memory says of some files."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    command = [*COMMAND, "--jobs", "1", "--output-format", "json", "."]
    process = subprocess.run(command, cwd=folder, capture_output=True, timeout=SECONDS, check=True, env=ENVIRONMENT)
    return json.loads(process.stdout)


@pytest.mark.parametrize("name", LARGE)
def test_a_check_of_an_odd_shape_ends(name: str, tmp_path: Path) -> None:
    report = checked(tmp_path, SHAPES[name][0](LARGE[name]))
    assert "internal-error" not in {found["rule"] for found in report["diagnostics"]}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("dotted-import", "an imported name has more than 100 parts, the file was not checked"),
        ("formatted", "an f-string has more than 10,000 fields, the file was not checked"),
    ],
)
def test_what_the_parser_of_python_cannot_bear_is_a_finding(name: str, reason: str) -> None:
    if name == "formatted" and sys.version_info >= (3, 12):
        pytest.skip("Python reads the fields of an f-string once from 3.12 on")
    report = check_sources(SHAPES[name][0](60_000), selected=frozenset(), pedantic=False)
    assert [(found.rule, found.message) for found in report.diagnostics] == [("syntax-error", reason)]


def test_a_flow_with_too_many_steps_is_left_out_with_a_note() -> None:
    selected = frozenset(["missing-zero-grad"])
    few = check_sources(SHAPES["branches"][0](3), selected=selected, pedantic=False)
    many = check_sources(SHAPES["branches"][0](300), selected=selected, pedantic=False)
    assert few.notes == []
    assert many.notes == ["script.py: the program has too many steps, their order was not checked"]


def test_what_is_too_much_for_one_flow_is_followed_in_parts() -> None:
    """A program runs one of many long trainings, of which the last never clears its gradients."""
    text = "import torch\nfrom torch import nn\n"
    for number in range(60):
        text += _TRAINING.format(number, "\n        ".join(["x = scale(x)"] * 100))
    start, end = text.rsplit("        optimizer.zero_grad()\n", 1)
    text = start + end
    text += "def main(args, loader, scale):\n    model = nn.Linear(4, 1)\n"
    for number in range(60):
        text += f"    if args.kind == {number}:\n        train_{number}(model, loader, scale)\n"
    report = check_sources({"main.py": text}, selected=frozenset(["missing-zero-grad"]), pedantic=False)
    assert [(found.rule, found.symbol) for found in report.diagnostics] == [("missing-zero-grad", "train_59")]


def test_a_file_that_has_had_its_time_is_left_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_budget, "SECONDS", 0.0)
    monkeypatch.setattr(clock, "GRAIN", 0.0)
    text = "import torch\nx = torch.randn(4)\n"
    report = check_sources({"script.py": text}, selected=frozenset(["double-softmax"]), pedantic=False)
    assert report.notes == ["script.py: takes longer than 0 s, not all of it was checked"]


def test_a_file_that_is_named_is_read_up_to_four_times_the_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "large.py").write_bytes(b"\n" * (MAX_BYTES * 4))
    (tmp_path / "larger.py").write_bytes(b"\n" * (MAX_BYTES * 4 + 1))
    assert len(read("large.py")) == MAX_BYTES * 4
    with pytest.raises(SourceError, match="it is larger than 4 MiB"):
        read("larger.py")
    assert discover(["."], Config()).notes == [
        "large.py: larger than 1 MiB (4.0 MiB), skipped; name it to check it",
        "larger.py: larger than 1 MiB (4.0 MiB), skipped",
    ]


def test_a_text_that_is_too_large_is_skipped_with_a_note() -> None:
    report = check_sources({"-": b"\n" * (MAX_BYTES * 4 + 1)}, selected=frozenset(), pedantic=False)
    assert report.notes == ["-: larger than 4 MiB, skipped"]


def test_a_python_that_reads_f_strings_in_one_go_is_asked_for_no_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tokenizer of 3.12.1 takes minutes for 200,000 fields, its parser a tenth of a second."""
    monkeypatch.setattr(excess, "_IS_SQUARE", False)
    monkeypatch.setattr("tokenize.generate_tokens", lambda _: pytest.fail("asked for tokens"))
    text = f"x = f'{'{a}' * 20_000}'\n"
    assert excess.excess(text) == ""
    monkeypatch.undo()
    assert ("fields" in excess.excess(text)) is (sys.version_info < (3, 12))
