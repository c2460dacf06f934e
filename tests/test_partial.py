"""A file that is only imported is read as far as it is asked, and says what it says when all of it is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mllint import cli
from mllint.semantics.syntax.module import ModuleScope
from mllint.semantics.syntax.partial import partial
from mllint.sources.parsing import parse
from mllint.sources.source import Source

TRAIN = """\
import torch.nn.functional as F
from helper import head
def loss(x, y):
    return F.cross_entropy(head(x), y)
"""
FILLER = "".join(f"def unasked{n}(x):\n    '''Nobody asks.'''\n    return x + {n}\n\n" for n in range(60))
HEAD = "def head(x):\n    return x.softmax(1)\n"
HELPERS = {
    "a function": f"import torch\n\n{FILLER}\n{HEAD}",
    "a decorated function": (
        f"import functools\n\n{FILLER}\n@functools.cache\n@functools.wraps(\n    print,\n)\n{HEAD}\n{FILLER}"
    ),
    "what it calls": (
        f"def soft(x):\n    return x.softmax(dim=1)\n\n{FILLER}\ndef head(x):\n    return soft(x)\n\nLAST = 1\n"
    ),
    "a module's own value": f"{FILLER}\ndef soft(x):\n    return x.softmax(dim=1)\n\nhead = soft\n",
    "bound again": f"def wrapped(f):\n    return f\n\n{FILLER}\n{HEAD}\nhead = wrapped(head)\n",
    "defined twice": f"def head(x):\n    return x\n\n{FILLER}\n{HEAD}",
    "after a string that looks like code": f'"""\nclass head:\n    pass\n"""\n{FILLER}\n{HEAD}',
    "in a branch": f"import sys\n{FILLER}\nif sys:\n    def head(x):\n        return x.softmax(1)\n",
    "under another name": f"from torch import softmax as soft\n{FILLER}\ndef head(x):\n    return soft(x, 1)\n",
    "of a module under another name": (
        f"from torch.nn import functional as F\n{FILLER}\ndef head(x):\n    return F.softmax(x, 1)\n"
    ),
    "below a line that goes on": (
        f"SIZE = 1 + \\\n2\n{FILLER}\ndef soft(x):\n    return x\\\n.softmax(1)\n\ndef head(x):\n    return soft(x)\n"
    ),
    "below a comment that seems to": f"{FILLER}\n# one \\\n{HEAD}\n{FILLER}",
    "beside a global": f"HEAD = None\n{FILLER}\ndef set_up():\n    global HEAD\n    HEAD = 1\n\n{HEAD}",
    "of a class": (
        f"{FILLER}\nclass Net:\n    def run(self, x):\n        return x.softmax(1)\n\n"
        "def head(x):\n    return Net().run(x)\n"
    ),
    "of a class below": (
        f"def head(x):\n    return Net()(x)\n\n{FILLER}\nfrom torch import nn\n"
        "class Base(nn.Module):\n    def forward(self, x):\n        return x.softmax(1)\n\nclass Net(Base):\n    pass\n"
    ),
}


def found(capsys: pytest.CaptureFixture[str], *paths: str) -> list[dict[str, object]]:
    """What is found in `train.py`; a fix may take its text from the other file, where that was asked for as well."""
    cli.main(["check", "--isolated", "--no-cache", "--output-format", "json", *paths])
    diagnostics = json.loads(capsys.readouterr().out)["diagnostics"]
    return [{**d, "fingerprint": "", "fix": None} for d in diagnostics if d["path"] == "train.py"]


@pytest.mark.parametrize("case", HELPERS)
def test_alone_it_says_the_same(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(TRAIN)
    Path("helper.py").write_text(HELPERS[case])
    together = found(capsys, "train.py", "helper.py")
    assert found(capsys, "train.py") == together
    assert [d["rule"] for d in together] == ["double-softmax"]


def module(text: str) -> ModuleScope:
    return partial("helper", Source("helper.py", text), parse, is_package=False)


def names(made: ModuleScope) -> set[str]:
    return {function.name for function in made._functions}


def test_only_what_is_asked_is_parsed() -> None:
    made = module(HELPERS["a function"])
    assert names(made) == {""}
    (head,) = made.body.bindings["head"]
    assert names(made) == {"", "head"}
    assert head.node.lineno == HELPERS["a function"].split("\n").index("def head(x):") + 1


def test_a_question_to_all_of_it_is_answered_by_all_of_it() -> None:
    made = module(HELPERS["a function"])
    assert len(made.functions) == 62
    assert "softmax" in made.calls_by_name


def test_what_does_not_parse_is_not_there() -> None:
    made = module(f"{FILLER}\ndef odd(x):\n    return x +\n\n{HEAD}")
    assert made.body.bindings.get("head") and not made.body.bindings.get("odd")


@pytest.mark.parametrize("case", ["of a module under another name", "below a line that goes on"])
def test_neither_an_alias_nor_a_long_line_makes_it_whole(case: str) -> None:
    made = module(HELPERS[case])
    assert made.body.bindings["head"]
    assert not any(name.startswith("unasked") for name in names(made))
