"""A tree that is too deep to be asked about is a finding, whether Python or machine code asks: neither ends the run."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mllint import cli, rule
from mllint.semantics.syntax.index import DEEPEST

HEAD = "import torch\nx = torch.randn(4)\n"
TAIL = "x.backward()\n"
TOO_DEEP = "train.py:1:1: error[syntax-error] the code is nested too deeply to be read"

NESTS = {
    "a sum": lambda n: f"x = x{' + x' * n}\n",
    "powers": lambda n: f"x = x{' ** x' * n}\n",
    "a minus of a minus": lambda n: f"x = {'-' * n}x\n",
    "not not": lambda n: f"x = {'not ' * n}x\n",
    "choices": lambda n: f"x = {'1 if x else ' * n}x\n",
    "lambdas": lambda n: f"x = {'lambda a: ' * n}x\n",
    "attributes": lambda n: f"x = x{'.a' * n}\n",
    "attributes of a call": lambda n: f"x = x(){'.a' * n}.b()\n",
    "items": lambda n: f"x = x{'[0]' * n}\n",
    "calls of what is called": lambda n: f"x = x{'()' * n}\n",
    "methods": lambda n: f"x = x{'.abs()' * n}\n",
    "brackets, each with many signs": lambda n: f"x = {('-' * (n // 100) + '[') * 100}x{']' * 100}\n",
    "arguments": lambda n: f"x = {('-' * (n // 100) + 'torch.relu(') * 100}x{')' * 100}\n",
    "keywords": lambda n: f"x = {('-' * (n // 100) + 'x(a=') * 100}x{')' * 100}\n",
    "comprehensions": lambda n: f"x = {('-' * (n // 100) + '[') * 100}x{' for _ in x]' * 100}\n",
    "alternatives": lambda n: "if x:\n    pass\n" + "elif x:\n    x.step()\n" * n,
    "a default": lambda n: f"def f(a={'-' * n}1):\n    pass\n",
    "an annotation": lambda n: f"def f(a: int{' | int' * n}):\n    return a.step()\nf(x)\n",
    "an annotation over lines": lambda n: f"def f(a: (int\n{' | int' * n})):\n    return a.step()\nf(x)\n",
    "what is returned": lambda n: f"def f() -> x{'.a' * n}:\n    pass\nf()\n",
    "an annotated variable": lambda n: f"x: int{' | int' * n} = x\n",
    "what is deleted": lambda n: f"del x{'.a' * n}\n",
    "a target": lambda n: f"x{'[0]' * n} = x\n",
    "a decorator": lambda n: f"@x{'.a' * n}\ndef f():\n    pass\n",
    "a base": lambda n: f"class C(x{'.a' * n}):\n    pass\nC()\n",
    "a pattern": lambda n: f"match x:\n    case x{'.a' * n}:\n        pass\n",
}  # fmt: skip


def found(text: str, folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> list[str]:
    """What is said about a text, without the summary."""
    (folder / "train.py").write_text(text)
    code = cli.main(["check", "--isolated", "--no-cache", "--output-format", "concise", *more])
    said = capsys.readouterr()
    assert code in (0, 1), said
    return said.out.splitlines()[:-1]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("nest", NESTS)
def test_a_tree_that_is_too_deep_is_a_finding(nest: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(HEAD + NESTS[nest](DEEPEST + 100) + TAIL, tmp_path, capsys) == [TOO_DEEP]


@pytest.mark.parametrize("nest", NESTS)
def test_a_tree_that_is_not_is_read(nest: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert TOO_DEEP not in found(HEAD + NESTS[nest](DEEPEST // 3) + TAIL, tmp_path, capsys)


def test_what_is_read_for_others_may_be_too_deep(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    helper = "def deep(x):\n    return x" + ".abs()" * (DEEPEST + 100) + "\ndef soft(x):\n    return x.softmax(1)\n"
    (tmp_path / "helper.py").write_text(helper)
    text = "import torch.nn.functional as F\nfrom helper import soft\ndef f(x, y):\n    return F.cross_entropy({}, y)\n"
    assert found(text.format("soft(x)"), tmp_path, capsys, "train.py") == []
    (tmp_path / "helper.py").write_text("def soft(x):\n    return x.softmax(1)\n")
    assert "double-softmax" in found(text.format("soft(x)"), tmp_path, capsys, "train.py")[0]


PROGRAMS = {
    "functions": "".join(f"def f{n}(a):\n    return f{n + 1}(a)\n" for n in range(5_000))
    + "def f5000(a):\n    a.backward()\n    return a\nf0(x)\n",
    "functions, the last one first": "def f0(a):\n    a.backward()\n    return a\n"
    + "".join(f"def f{n + 1}(a):\n    return f{n}(a)\n" for n in range(5_000))
    + "f5000(x)\n",
    "variables": "x0 = x\n" + "".join(f"x{n + 1} = x{n}.abs()\n" for n in range(5_000)) + "x5000.backward()\n",
    "one variable": "x = x + 1\n" * 5_000 + TAIL,
    "classes": "class C0(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
    + "".join(f"class C{n + 1}(C{n}):\n    def g{n}(self, x):\n        return self.forward(x)\n" for n in range(1_000))
    + "C1000().g5(x).backward()\n",
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_long_chain_of_questions_has_an_end(program: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert found(HEAD + PROGRAMS[program], tmp_path, capsys) == []


def test_a_small_stack_is_enough(tmp_path: Path) -> None:
    """The main thread has 1 MB in Windows; what is compiled keeps what it calls there."""
    resource = pytest.importorskip("resource", reason="Windows has its own limit, and no way to lower it")
    (tmp_path / "train.py").unlink(missing_ok=True)
    for name, nest in NESTS.items():
        text = f"{HEAD}for _ in x:\n    x.backward()\n{nest(DEEPEST - 50)}model = x\nmodel(x).sum().backward()\n"
        (tmp_path / f"{name.replace(' ', '_').replace(',', '')}.py").write_text(text)
    for name, text in PROGRAMS.items():
        (tmp_path / f"many_{name.replace(' ', '_').replace(',', '')}.py").write_text(HEAD + text)
    command = [
        sys.executable,
        "-c",
        "from mllint.cli import run; run()",
        "check",
        "--isolated",
        "--no-cache",
        "--pedantic",
    ]
    done = subprocess.run(
        [*command, "--jobs", "1", "--output-format", "concise"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, 1 << 20)),
    )
    assert done.returncode in (0, 1), done
    assert "internal-error" not in done.stdout


@pytest.mark.parametrize("bound", ["step = partial(step, 0.1)", "step = partial(other, 1)\nother = partial(step, 2)"])
def test_a_name_that_is_bound_to_a_partial_of_itself_is_no_depth(
    bound: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "from functools import partial\nimport torch\n"
    tail = "\ntry:\n    step(torch.ones(1))\nexcept ValueError:\n    raise\n"
    assert found(head + bound + tail, tmp_path, capsys) == []


def _endless(module: object) -> Iterator[object]:
    """A rule that asks itself without end."""
    yield from _endless(module)


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> None:
    """`double-softmax` recurses without end on every file."""
    monkeypatch.setitem(rule.registered(), "double-softmax", rule.Check("double-softmax", "Module", _endless))


def test_a_rule_that_recurses_without_end_is_at_fault_itself(
    endless: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "train.py").write_text(HEAD + "x = torch.tensor(x)\n" + TAIL)
    command = ["check", "--isolated", "--no-cache", "--output-format", "concise", "--jobs", "1"]
    assert cli.main([*command, "--select", "double-softmax"]) == 2
    said = capsys.readouterr().out
    assert "error[internal-error] `double-softmax` failed on this file: RecursionError" in said
    assert "nested too deeply" not in said


def test_a_deep_source_that_a_rule_cannot_follow_is_no_fault_of_the_rule(
    endless: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert TOO_DEEP in found(HEAD + NESTS["a minus of a minus"](DEEPEST - 50) + TAIL, tmp_path, capsys)
