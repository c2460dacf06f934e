"""A run as its user meets it: broken files, crashing rules, files that are only read, notebooks, the same again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from mllint import cli, rule
from mllint.catalogue.pages import DOCS, rules
from mllint.config.model import Config
from mllint.diagnostic import Report
from mllint.engine.component import Component
from mllint.engine.engine import Engine, Run, check_sources
from mllint.engine.run import check_paths
from mllint.engine.subjects import SUBJECTS
from mllint.errors import ConfigError
from mllint.project.discovery import Memory
from mllint.rule import Finding
from mllint.semantics.api import Module
from mllint.semantics.flow.build import build
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.index import read as indexed
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.project import Project
from mllint.sources.source import Source

BUG = """import torch.nn.functional as F
loss = F.cross_entropy(F.softmax(model(x), dim=1), y)
"""
RULES = frozenset({"double-softmax", "missing-zero-grad"})


def run(sources: dict[str, str | bytes]) -> Report:
    return check_sources(sources, selected=RULES, pedantic=False)


def found(report: Report) -> list[tuple[str, int, str]]:
    return [(d.span.path, d.span.start.line, d.rule) for d in report.diagnostics]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("syntax error", b"def f(:\n"),
        ("python 2", b"print 'loss', loss\n"),
        ("null byte", b"import torch\x00\n"),
        ("wrong encoding", b"# -*- coding: utf-8 -*-\nname = '\xff\xfe'\n"),
        ("unknown encoding", b"# -*- coding: no-such -*-\n"),
        ("nested parentheses", b"x = " + b"(" * 100_000 + b")" * 100_000 + b"\n"),
        ("broken notebook", b"{"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_file_is_a_finding_and_the_run_goes_on(name: str, content: bytes) -> None:
    path = "broken.ipynb" if "notebook" in name else "broken.py"
    report = run({path: content, "train.py": BUG})
    assert [(p, r) for p, _, r in found(report)] == [(path, "syntax-error"), ("train.py", "double-softmax")]
    assert report.files == 2
    assert not report.crashed


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"import torch\nx = " + b"+".join([b"a"] * 450) + b"\n",
        b"import torch\n" + b"x = [1, 2, 3]\n" * 20_000,
    ],
    ids=["empty", "blank", "long sum", "generated"],
)
def test_an_odd_file_is_read(content: bytes) -> None:
    assert found(run({"odd.py": content, "train.py": BUG})) == [("train.py", 2, "double-softmax")]


@pytest.fixture
def raising() -> Iterator[str]:
    def crash(module: Module) -> Iterator[Finding]:
        raise ZeroDivisionError("a rule with a bug")
        yield

    crash.__annotations__["module"] = "Module"
    rule._checks["crashing"] = rule.Check("crashing", "Module", crash)
    yield "crashing"
    del rule._checks["crashing"]


def test_a_rule_that_raises_is_one_internal_error(raising: str) -> None:
    report = check_sources({"a.py": BUG, "b.py": BUG}, selected=RULES | {raising}, pedantic=False)
    errors = [d for d in report.diagnostics if d.rule == "internal-error"]
    assert report.crashed
    assert {d.span.path for d in errors} == {"a.py", "b.py"}
    assert all("crashing" in d.message and "a rule with a bug" in d.message for d in errors)
    assert [r for _, _, r in found(report)].count("double-softmax") == 2


def test_a_rule_that_names_no_calls_is_asked_about_each() -> None:
    asked: list[str] = []

    def every(call: Call) -> Iterator[Finding]:
        asked.append(call.text)
        yield from ()

    rule._checks["every"] = rule.Check("every", "Call", every)
    try:
        check_sources({"a.py": "import torch\nprint(torch.ones(3))\n"}, selected=frozenset({"every"}), pedantic=False)
    finally:
        del rule._checks["every"]
    assert sorted(asked) == ["print(torch.ones(3))", "torch.ones(3)"]


def test_a_rule_says_a_subject_that_there_is() -> None:
    def odd(assignment: Module) -> Iterator[Finding]:
        yield from ()

    odd.__annotations__["assignment"] = "Assignment"
    with pytest.raises(
        ValueError, match="`odd` is about `Assignment`, which is not one of Call, Loop, Function, Class"
    ):
        rule.check("odd")(odd)
    assert "odd" not in rule.registered()
    assert set(rule._SUBJECTS) == {*SUBJECTS, "Flow", "Project"}


def test_a_rule_about_flows_takes_no_calls() -> None:
    def odd(flow: Module) -> Iterator[Finding]:
        yield from ()

    odd.__annotations__["flow"] = "Flow"
    with pytest.raises(
        ValueError, match="`odd` is about a Flow, which takes no `calls`: say `names`, `words` or `near`"
    ):
        rule.check("odd", calls="step")(odd)
    assert "odd" not in rule.registered()


def test_an_internal_error_exits_2(raising: str, tmp_path, capsys, monkeypatch) -> None:
    (tmp_path / "a.py").write_text(BUG)
    monkeypatch.setattr("mllint.config.selection.resolve_selection", lambda config, infos: RULES | {raising})
    assert cli.main(["check", str(tmp_path), "--isolated"]) == 2
    assert "internal-error" in capsys.readouterr().out


def test_files_that_were_not_named_are_read_but_not_reported(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(
        "import torch.nn.functional as F\n\ndef head(x):\n    return F.softmax(x, 1)\n" + BUG
    )
    (tmp_path / "train.py").write_text(
        "import torch.nn.functional as F\nfrom model import head\nloss = F.cross_entropy(head(x), y)\n"
    )
    report = check_paths(["train.py"], Config(), selected=RULES, pedantic=False)
    assert found(report) == [("train.py", 3, "double-softmax")]
    assert report.diagnostics[0].labels[0].span.path == "model.py"


def test_a_script_in_a_package_imports_from_the_folder_that_it_puts_on_the_path(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for package in ("music", "music/parts", "music/training"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text("")
    (tmp_path / "music/parts/heads.py").write_text(
        "import torch.nn.functional as F\n\ndef head(x):\n    return F.softmax(x, 1)\n"
    )
    script = "from parts.heads import head\nimport torch.nn.functional as F\nloss = F.cross_entropy(head(x), y)\n"
    (tmp_path / "music/training/train.py").write_text(script)
    assert found(check_paths(["."], Config(), selected=RULES, pedantic=False)) == []
    script = f"import sys, os\nsys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))\n{script}"
    (tmp_path / "music/training/train.py").write_text(script)
    report = check_paths(["."], Config(), selected=RULES, pedantic=False)
    assert found(report) == [("music/training/train.py", 5, "double-softmax")]


def test_a_notebook_is_reported_by_cell_and_line() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n"]},
        {"cell_type": "code", "source": ["%matplotlib inline\n", "import torch.nn.functional as F\n"]},
        {"cell_type": "code", "source": ["!ls\n", "loss = F.cross_entropy(F.softmax(net(x), 1), y)\n"]},
    ]
    report = run({"train.ipynb": json.dumps({"cells": cells, "nbformat": 4})})
    assert [(d.span.cell, d.span.start.line, d.rule) for d in report.diagnostics] == [(3, 2, "double-softmax")]


def test_a_unit_test_needs_some_loss_and_a_script_that_evaluates_a_good_one() -> None:
    checked = "def test_loss():\n    loss = F.cross_entropy(F.softmax(model(x), dim=1), y)\n    assert loss > 0\n"
    source = "import torch.nn.functional as F\n"
    given = {"tests/test_model.py": source + checked, "tests/test_bare.py": "import pytest\n" + BUG, "test.py": BUG}
    given["tests/test_drawn.py"] = "from hypothesis import given\n" + BUG
    assert found(run(given)) == [("test.py", 2, "double-softmax")]
    pedantic = check_sources(given, selected=RULES, pedantic=True)
    assert {path for path, _, _ in found(pedantic)} == given.keys()


def test_a_suppression_silences_its_statement() -> None:
    quiet = BUG.replace("loss =", "# mllint: ignore[double-softmax] on purpose\nloss =")
    report = run({"train.py": quiet})
    assert found(report) == []
    assert report.suppressed == 1


def test_per_file_ignores() -> None:
    config = Config()._replace(per_file_ignores=(("tests/**", ("double-softmax",)),))
    report = check_sources({"tests/a.py": BUG, "b.py": BUG}, selected=RULES, pedantic=False, config=config)
    assert found(report) == [("b.py", 2, "double-softmax")]


def test_every_finding_leads_to_the_page_of_its_rule() -> None:
    text = "# mllint: ignore[nothing]\n# mllint: ignore[double-softmax]\n" + BUG
    report = run({"train.py": text, "broken.py": "x ="})
    urls = {d.rule: d.url for d in report.diagnostics}
    assert urls.keys() == {"double-softmax", "invalid-suppression", "unused-suppression", "syntax-error"}
    assert all(url == f"{DOCS}/rules/{rules()[name].family}/{name}.html" for name, url in urls.items())


def test_two_runs_say_the_same() -> None:
    sources: dict[str, str | bytes] = {"a.py": BUG, "pkg/b.py": BUG, "c.py": "from a import loss\n"}
    assert run(sources) == run(sources)
    assert run(sources) == run(dict(reversed(sources.items())))


def test_configured_stubs_teach_a_library(tmp_path) -> None:
    (tmp_path / "stubs").mkdir()
    (tmp_path / "stubs" / "inhouse.pyi").write_text(
        "from mllint.semantics.vocabulary import Probs, Tensor\n\ndef normalise(input: Tensor) -> Probs: ...\n"
    )
    code = "import torch.nn.functional as F\nfrom inhouse import normalise\nloss = F.cross_entropy(normalise(x), y)\n"
    config = Config()._replace(stubs=("stubs",), root=str(tmp_path))
    report = check_sources({"train.py": code}, selected=RULES, pedantic=False, config=config)
    assert found(report) == [("train.py", 3, "double-softmax")]


def test_a_missing_stub_folder_is_a_configuration_error(tmp_path) -> None:
    config = Config()._replace(stubs=("nowhere",), root=str(tmp_path))
    with pytest.raises(ConfigError, match="nowhere"):
        check_sources({"train.py": BUG}, selected=RULES, pedantic=False, config=config)


def test_a_run_pauses_between_questions_and_keeps_what_its_maker_keeps() -> None:
    """What the language server builds on: a run that can be left at any question, over files read before."""
    kept: dict[str, Source] = {}

    class Kept(Component):
        def read_source(self, path: str, data: bytes) -> Source:
            return kept.setdefault(path, super().read_source(path, data))

    engine = Engine(Config(), RULES, False, Memory({}))
    pauses = []
    for _ in range(2):
        run = Run(engine, Kept(engine))
        run.component.add_file("a.py", BUG.encode())
        pauses.append(sum(1 for _ in run.questions()))
        assert {d.rule for d in run.unsuppressed()} == {"double-softmax"}
        assert run.component.sources["a.py"] is kept["a.py"]
        run.component.close()
    assert pauses[0] == pauses[1] > 0


def test_what_is_chosen_in_one_expression_multiplies_no_ways(monkeypatch) -> None:
    chosen = ", ".join(f"{i} if kind == {i} else build({i})" for i in range(14))
    source = (
        "import torch\nimport torch.nn.functional as F\n\n\ndef train(model, loader, kind):\n"
        "    optimizer = torch.optim.Adam(model.parameters())\n"
        f"    report({chosen})\n"
        "    for x, y in loader:\n        F.cross_entropy(model(x), y).backward()\n        optimizer.step()\n"
    )
    flows = []

    def building(function, frame):
        flows.append(build(function, frame))
        return flows[-1]

    monkeypatch.setattr("mllint.engine.engine.build", building)
    assert found(run({"train.py": source})) == [("train.py", 9, "missing-zero-grad")]
    assert max(len(edges) for flow in flows for edges in flow.edges) < 100


def test_the_order_of_hashes_decides_nothing(tmp_path):
    names = ("CIFAR10", "CIFAR100", "FashionMNIST", "MNIST")
    sets = "".join(f'        self.{n} = {n}("data", train=False, transform=self.test_transform)\n' for n in names)
    (tmp_path / "data.py").write_text(
        f"from torchvision import transforms\nfrom torchvision.datasets import {', '.join(names)}\n\n\nclass Data:\n"
        "    def __init__(self, test_transform=transforms.Compose([transforms.RandomCrop(32)])):\n"
        f"        self.test_transform = test_transform\n\n    def setup(self):\n{sets}\n\ndata = Data()\n"
    )
    arguments = ["check", "data.py", "--output-format", "concise", "--isolated", "--no-cache"]
    code = f"from mllint.cli import main; main({arguments})"
    said = set()
    for seed in range(4):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": str(seed)}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        said.add(done.stdout)
    assert len(said) == 1
    assert "augmented-evaluation" in said.pop()


def test_asking_every_variable_of_a_loop_costs_a_few_times_one_of_them() -> None:
    def cost(count: int) -> int:
        names = [f"v{number}" for number in range(count)]
        before = "".join(f"{name} = 0.0\n" for name in names)
        turned = "".join(
            f"    {name} = {names[i - 1]} + {names[(i * 7 + 3) % count]}\n" for i, name in enumerate(names)
        )
        asked = "".join(f"print({name})\n" for name in names)
        source = Source("m.py", f"{before}for _ in range(9):\n{turned}{asked}")
        project = Project(lambda name, level, importer: None)
        module = project.add(indexed("m", source.tree(), source))
        project.refuel(1_000_000)
        for call, _ in module.calls_by_name["print"]:
            evaluate(call.args[0], project.frame(module.body))
        return 1_000_000 - project.fuel

    assert cost(40) < 6 * cost(10)


def test_flags_that_have_nothing_to_do_with_a_question_do_not_multiply_its_ways() -> None:
    def cost(count: int) -> int:
        flags = "".join(f"        if config.f{number}:\n            model.train()\n" for number in range(count))
        text = f"""import torch
def run(config, amp, loader):
    model = torch.nn.Linear(8, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x in loader:
        if amp:
            model.eval()
{flags}        if not amp:
            optimizer.zero_grad()
"""
        source = Source("m.py", text)
        project = Project(lambda name, level, importer: None)
        function = project.add(indexed("m", source.tree(), source)).functions[1]
        project.refuel(1_000_000)
        flow = build(function, project.frame(function))
        start = next(event for event in flow.events("sets_mode") if event.option == "eval")
        before = project.fuel
        assert flow.path(start, to=lambda event: event.kind == "clears_grad") is None
        return before - project.fuel

    assert cost(24) < 2 * cost(8)


def test_what_a_call_enters_is_asked_again_if_it_was_cut_short() -> None:
    source = Source("m.py", "def split(rows):\n    return rows[:2], rows[2:]\n\n\nfirst, rest = split([1, 2, 3])\n")
    project = Project(lambda name, level, importer: None)
    module = project.add(indexed("m", source.tree(), source))
    call = Call(module.calls_by_name["split"][0][0], project.frame(module.body))
    project.refuel(-1)
    assert not call.callees
    project.refuel(1000)
    assert [function.name for function in call.callees] == ["split"]
    assert [argument.parameter for argument in call.arguments] == ["rows"]
