"""Fixes: what a rule's page promises, what edits leave alone, and which fix is not offered or not kept."""

from __future__ import annotations

import codecs
import json
from pathlib import Path

import pytest

from mllint.catalogue import pages as catalogue
from mllint.config.model import Config
from mllint.diagnostic import Diagnostic, Edit, Fix, Position, Span
from mllint.engine.engine import check_sources
from mllint.engine.mending import compatible, mend
from mllint.fixes import concrete, registry
from mllint.fixes.applying import applied
from mllint.project.discovery import discover
from tests.fixing import fixed, offered
from tests.pages import notebook, read_page

ROOT = Path(__file__).parent.parent
DROPOUT = """\
import torch.nn as nn
import torch.nn.functional as F


class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, 0.5)
"""


# ------------------------------------------------------------------------------------------------------------ the pages
def test_each_rule_with_a_fix_says_so_on_its_page_and_shows_it():
    fixable = {info.name for info in catalogue.rules().values() if info.fix != "none"}
    assert fixable == {*registry.load(), "unused-suppression"}  # of a comment, not of a Finding
    for name in sorted(fixable):
        info = catalogue.rules()[name]
        cases = read_page((ROOT / "rules" / info.path).read_text(encoding="utf-8"))
        assert any(case.before is not None for case in cases), f"{name}: no `py after fixed` fence"


# ----------------------------------------------------------------------------------------------------- bytes and layout
def edit(start: tuple[int, int], end: tuple[int, int], text: str, cell: int | None = None) -> Edit:
    return Edit(Span("a.py", Position(*start), Position(*end), cell), text)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (b"x = 1\r\ny = 2\r\n", b"x = 1\r\nz = 3\r\ny = 2\r\n"),
        (b"x = 1\ry = 2", b"x = 1\rz = 3\ry = 2"),
        (codecs.BOM_UTF8 + b"x = 1\ny = 2", codecs.BOM_UTF8 + b"x = 1\nz = 3\ny = 2"),
        (
            "# coding: latin-1\ny = '\u00e9'\n".encode("latin-1"),
            "# coding: latin-1\nz = 3\ny = '\u00e9'\n".encode("latin-1"),
        ),
        (b"x = 1\n\x0cy = 2\n", b"x = 1\nz = 3\n\x0cy = 2\n"),
    ],
)
def test_line_ends_marks_and_encodings_stay(before, expected):
    assert applied("a.py", before, [edit((2, 1), (2, 1), "z = 3\n")]) == expected


def test_columns_count_characters():
    before = "x = '\N{FIRE}'; y = 1\n".encode()
    assert applied("a.py", before, [edit((1, 14), (1, 15), "2")]).decode() == "x = '\N{FIRE}'; y = 2\n"


NOTEBOOK = """\
{
 "cells": [
  {"cell_type": "markdown", "metadata": {}, "source": ["# caf\\u00e9\\n", "text"]},
  {
   "cell_type": "code", "execution_count": null, "metadata": {"tags": [ ]}, "outputs": [{"text": ["x = 1\\n"]}],
   "source": [
    "x = 1\\n",
    "y = \\"2\\""
   ]
  },
  {"cell_type": "code", "metadata": {}, "outputs": [], "source": "x = 1\\ny = 2"}
 ],
 "nbformat": 4, "nbformat_minor": 5
}
"""


def test_only_the_strings_of_the_lines_that_change_are_written_anew():
    after = applied("a.ipynb", NOTEBOOK.encode(), [edit((2, 5), (2, 8), '"3"', 2)]).decode()
    assert after == NOTEBOOK.replace('y = \\"2\\"', 'y = \\"3\\"')
    after = applied("a.ipynb", NOTEBOOK.encode(), [edit((2, 1), (2, 1), "z = 3\n", 2)]).decode()
    assert after == NOTEBOOK.replace('    "x = 1\\n",\n', '    "x = 1\\n",\n    "z = 3\\n",\n')
    after = applied("a.ipynb", NOTEBOOK.encode(), [edit((1, 1), (2, 1), "", 3)]).decode()
    assert after == NOTEBOOK.replace('"x = 1\\ny = 2"', '"y = 2"')


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("f()", "f(a=1)"),
        ("f(x)", "f(x, a=1)"),
        ("f(x, )", "f(x, a=1, )"),
        ("f(\n    x,\n    y,\n)", "f(\n    x,\n    y,\n    a=1,\n)"),
        ("f(\n    x,\n    y\n)", "f(\n    x,\n    y,\n    a=1\n)"),
        ("f(\n    x,\n    y,  # why\n)", "f(\n    x,\n    y,  # why\n    a=1,\n)"),
        ("f(x,\n  y)", "f(x,\n  y,\n  a=1)"),
        ("f(\n    x, y,\n)", "f(\n    x, y, a=1,\n)"),
        ("f(\n    x  # why\n)", None),
        ("f(i for i in x)", None),
    ],
)
def test_a_keyword_is_laid_out_as_the_other_arguments(call, expected):
    if expected is None:
        with pytest.raises(registry.Unsure):
            concrete.with_keyword(call, "a", "1")
    else:
        assert concrete.with_keyword(call, "a", "1") == expected


def test_a_block_goes_one_level_deeper_and_its_strings_do_not():
    block = '    x = """\n  text\n"""\n\n    # why\n    if x:\n      y = 1\n'
    assert concrete.nested(block, "    ", "with a:") == (
        '    with a:\n        x = """\n  text\n"""\n\n        # why\n        if x:\n          y = 1\n'
    )
    assert concrete.nested("x = 1\ny = 2\n", "", "with a:") == "with a:\n    x = 1\n    y = 2\n"
    assert concrete.nested("\tx = 1\n", "\t", "with a:", "\t") == "\twith a:\n\t\tx = 1\n"
    assert concrete.nested("if x:\n  y\n", "", "with a:", "  ") == "with a:\n  if x:\n    y\n"


# -------------------------------------------------------------------------------------------------- what is not offered
def test_a_statement_in_which_something_is_accepted_is_not_touched():
    rule = "dropout-ignores-mode"
    assert offered({"a.py": DROPOUT}, rule)
    for comment in ("  # mllint: ignore[double-softmax] x", "  # noqa: double-softmax"):
        assert not offered({"a.py": DROPOUT.replace("0.5)", f"0.5){comment}")}, rule)
    above = DROPOUT.replace("        return", "        # mllint: ignore[double-softmax] x\n        return")
    assert not offered({"a.py": above}, rule)


def test_only_files_that_are_checked_are_changed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("base.py").write_text(DROPOUT)
    Path("main.py").write_text("import torch\nfrom base import Net\n\nNet()\n")
    found = discover(["main.py"], Config(fixes=True))
    mended = mend([], found, ["main.py"], selected=frozenset(("dropout-ignores-mode",)), pedantic=True, unsafe=True)
    assert not mended.after


def test_without_libcst_what_needs_it_is_not_offered(monkeypatch):
    monkeypatch.setattr(concrete, "is_available", lambda: False)
    assert not offered({"a.py": DROPOUT}, "dropout-ignores-mode")
    listing = "import os\n\nfiles = os.listdir('x')\ntrain, val = files[:9], files[9:]\n"
    assert offered({"a.py": "import torch\n" + listing}, "unordered-data")  # what only puts text at a place


@pytest.mark.parametrize(
    ("config", "safe"),
    [
        ({}, False),
        ({"extend_safe_fixes": ("dropout-ignores-mode",)}, True),
        ({"extend_safe_fixes": ("evaluation",)}, True),
        ({"extend_safe_fixes": ("evaluation",), "extend_unsafe_fixes": ("dropout-ignores-mode",)}, False),
    ],
)
def test_a_configuration_decides_what_is_safe(config, safe):
    rule = "dropout-ignores-mode"
    report = check_sources(
        {"a.py": DROPOUT}, selected=frozenset((rule,)), pedantic=False, config=Config(fixes=True, **config)
    )
    assert [d.fix.safe for d in report.diagnostics if d.fix] == [safe]


def test_without_being_asked_for_there_are_no_fixes():
    report = check_sources({"a.py": DROPOUT}, selected=frozenset(("dropout-ignores-mode",)), pedantic=False)
    assert [d.fix for d in report.diagnostics] == [None]


def test_a_notebook_is_fixed_by_cell():
    text = notebook(f"# %%\n%matplotlib inline\n# %%\n{DROPOUT}# %%\n!ls\n")
    after = fixed({"a.ipynb": text}, "dropout-ignores-mode")["a.ipynb"]
    assert json.loads(after)["cells"][1]["source"][-1].rstrip("\n") == (
        "        return F.dropout(x, 0.5, training=self.training)"
    )
    assert after == text.replace("F.dropout(x, 0.5)", "F.dropout(x, 0.5, training=self.training)")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("x = 1  # mllint: ignore[double-softmax] a reason\n", "x = 1\n"),
        ("# mllint: ignore[double-softmax]\nx = 1\n", "x = 1\n"),
        ("# mllint: file-ignore[double-softmax] why\nx = 1\n", "x = 1\n"),
        ("x = 1  # type: ignore # mllint: ignore[double-softmax]\n", "x = 1  # type: ignore\n"),
        ("x = 1  # noqa: double-softmax\n", None),
        ("# mllint: disable[double-softmax]\nx = 1\n", None),
        ("x = 1\n# mllint: file-ignore[double-softmax]", "x = 1\n"),
    ],
)
def test_a_suppression_that_nothing_needs_goes(line, expected):
    text = f"import torch\n{line}"
    after = fixed({"a.py": text}, "unused-suppression")["a.py"]
    assert after == (text if expected is None else f"import torch\n{expected}")


def test_of_several_names_the_one_that_nothing_needs_goes():
    text = DROPOUT.replace("0.5)", "0.5)  # mllint: ignore[dropout-ignores-mode, double-softmax] why")
    after = fixed({"a.py": text}, "unused-suppression")["a.py"]
    assert after == text.replace("dropout-ignores-mode, double-softmax", "dropout-ignores-mode")


# ------------------------------------------------------------------------------------------------------------- promises
def diagnostic(*edits: Edit) -> Diagnostic:
    span = Span("a.py", Position(1, 1), Position(1, 2))
    return Diagnostic("r", "f", "error", "high", "m", span, fix=Fix(edits, True, "t"))


def test_fixes_that_touch_each_other_wait_for_the_next_round_and_equal_ones_do_not():
    import_ = edit((1, 1), (1, 1), "import copy\n")
    first, second = diagnostic(import_, edit((3, 1), (3, 5), "x")), diagnostic(import_, edit((5, 1), (5, 5), "y"))
    third = diagnostic(edit((5, 5), (5, 9), "z"))
    assert compatible([first, second, third]) == [first, second]


def in_a_folder(tmp_path, monkeypatch, text: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text(text)


def mended(*, unsafe: bool = True, rules: tuple[str, ...] = ("dropout-ignores-mode", "missing-super-init")):
    found = discover(["."], Config(fixes=True))
    selected = frozenset(rules)
    report = check_sources(
        {path: Path(path).read_bytes() for path in found.files}, selected=selected, pedantic=False, config=found.config
    )
    return mend(report.diagnostics, found, ["."], selected=selected, pedantic=False, unsafe=unsafe)


def test_a_fix_that_does_not_end_its_finding_is_not_kept(tmp_path, monkeypatch):
    in_a_folder(tmp_path, monkeypatch, DROPOUT)
    wrong = registry.Proposal("Nothing", [])

    def idle(finding):
        from mllint.fixes.edits import around

        return wrong._replace(changes=around(finding.at.site, "(", ")"))

    monkeypatch.setitem(registry.load(), "dropout-ignores-mode", [idle])
    assert mended() == ({}, {}, [])


def test_a_fix_that_makes_another_finding_is_not_kept_and_the_others_are(tmp_path, monkeypatch):
    text = DROPOUT.replace(
        "    def forward", "    def __init__(self):\n        self.a = nn.Linear(4, 4)\n\n    def forward"
    )
    in_a_folder(tmp_path, monkeypatch, text)

    def breaks(finding):
        from mllint.fixes.edits import replaced

        body = "F.dropout(x, 0.5, training=self.training) + F.dropout(x, 0.1)"
        return registry.Proposal("More of it", replaced(finding.at.site, body))

    monkeypatch.setitem(registry.load(), "dropout-ignores-mode", [breaks])
    result = mended()
    assert [d.rule for d in result.fixed] == ["missing-super-init"]
    assert b"super().__init__()" in result.after["a.py"] and b"0.1" not in result.after["a.py"]


def test_unsafe_fixes_wait_to_be_asked_for(tmp_path, monkeypatch):
    in_a_folder(tmp_path, monkeypatch, DROPOUT)
    assert not mended(unsafe=False).after
    assert mended().after


def test_an_assignment_of_nothing_goes():
    text = "import torch.nn.functional as F\n\nfor x, y in loader:\n    loss = F.mse_loss(model(x), y)\n"
    after = fixed({"a.py": f"{text}    loss = loss.detach()\n    loss.backward()\n"}, "detached-loss")["a.py"]
    assert after == f"{text}    loss.backward()\n"


def withheld(text: str, rule: str) -> bool:
    """Is there a finding, and no fix of it?"""
    report = check_sources({"a.py": text}, selected=frozenset((rule,)), pedantic=True, config=Config(fixes=True))
    return [d.fix for d in report.diagnostics] == [None]


# -------------------------------------------------------------------------------------------------- split, then fit
SPLIT = """\
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def parts(X, y):
    scaler = StandardScaler()
    # one scale for all features
    X_scaled = scaler.fit_transform(X)  # mean 0
    X_train, X_test, y_train, y_test = train_test_split(
        X_scaled, y, random_state=0
    )
    return X_train, X_test, y_train, y_test
"""


def test_a_fit_moves_behind_the_split_with_its_comments():
    assert fixed({"a.py": SPLIT}, "fit-before-split")["a.py"] == (
        """\
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def parts(X, y):
    scaler = StandardScaler()
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, random_state=0
    )
    # one scale for all features
    X_train = scaler.fit_transform(X_train)  # mean 0
    X_test = scaler.transform(X_test)
    return X_train, X_test, y_train, y_test
"""
    )


def test_a_fit_with_targets_is_given_those_of_the_training_rows():
    supervised = SPLIT.replace("StandardScaler", "SelectKBest").replace("preprocessing", "feature_selection")
    supervised = supervised.replace("fit_transform(X)", "fit_transform(X, y)")
    after = fixed({"a.py": supervised}, "fit-before-split")["a.py"]
    assert "X_train = scaler.fit_transform(X_train, y_train)  # mean 0\n" in after


def test_fit_and_transform_move_together():
    apart = SPLIT.replace("X_scaled = scaler.fit_transform(X)", "scaler.fit(X)")
    apart = apart.replace("    X_train, X_test, y", "    X = scaler.transform(X)\n    X_train, X_test, y").replace(
        "X_scaled", "X"
    )
    after = fixed({"a.py": apart}, "fit-before-split")["a.py"]
    assert after == fixed({"a.py": SPLIT}, "fit-before-split")["a.py"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return", "    print(X_scaled.mean())\n    return"),
        ("  # mean 0", "\n    joblib.dump(scaler, 'scaler.joblib')"),
        ("  # mean 0", "\n    X = X[:100]"),
        ("X_train, X_test, y_train, y_test = train", "parts = train"),
    ],
    ids=["rows-used-later", "scaler-used-between", "rows-changed", "one-name"],
)
def test_a_fit_stays_where_more_than_the_split_needs_it(old, new):
    assert withheld(SPLIT.replace(old, new, 1), "fit-before-split")


# ------------------------------------------------------------------------------------------------------- checkpoints
TRAINER = """\
import torch
import torch.nn.functional as F


class Trainer:
    def __init__(self, model, path):
        self.model, self.start = model, 0
        self.optimizer = torch.optim.AdamW(model.parameters())
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, 200)
        if path:
            state = torch.load(path)
            self.model.load_state_dict(state['model_state_dict'])
            self.start = state['epoch'] + 1

    def save(self, epoch):
        torch.save(
            {
                'epoch': epoch,
                'model_state_dict': self.model.state_dict(),  # the weights
            },
            "last.pt",
        )

    def fit(self, loader):
        for epoch in range(self.start, 200):
            for x, y in loader:
                self.optimizer.zero_grad()
                F.cross_entropy(self.model(x), y).backward()
                self.optimizer.step()
            self.scheduler.step()
            self.save(epoch)
"""


def test_all_states_that_a_checkpoint_lacks_are_saved_and_restored_at_once():
    after = fixed({"a.py": TRAINER}, "incomplete-checkpoint")["a.py"]
    added = [line.strip() for line in after.split("\n") if line not in TRAINER.split("\n")]
    assert added == [
        "self.optimizer.load_state_dict(state['optimizer_state_dict'])",
        "self.scheduler.load_state_dict(state['scheduler_state_dict'])",
        "'optimizer_state_dict': self.optimizer.state_dict(),",
        "'scheduler_state_dict': self.scheduler.state_dict(),",
    ]
    assert after.index("# the weights") < after.index("self.optimizer.state_dict()")


def test_a_state_that_is_saved_already_is_read_by_its_key():
    saved = TRAINER.replace("  # the weights", "\n                'adam': self.optimizer.state_dict(),")
    saved = saved.replace("            self.scheduler.step()\n", "")
    after = fixed({"a.py": saved}, "incomplete-checkpoint")["a.py"]
    assert "self.optimizer.load_state_dict(state['adam'])" in after and after.count("self.optimizer.state_dict()") == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("state['model_state_dict']", "state[KEY]"),
        ("            'model_state_dict': self", "            'net': self"),
        ("self.optimizer = torch", "optimizer = self.optimizer = torch"),
    ],
    ids=["key-by-name", "another-key", "two-names"],
)
def test_a_checkpoint_that_is_not_understood_is_left_alone(old, new):
    assert withheld(TRAINER.replace(old, new, 1), "incomplete-checkpoint")


# -------------------------------------------------------------------------------------- as a careful author would write
EVALUATION = """\
import torch
import torch.nn as nn
import torch.nn.functional as F


def accuracy(model: nn.Module, loader):
    hits = 0
    model.eval()
    for x, y in loader:
        hits += (model(x).argmax(1) == y).sum().item()
    return hits


def main(train, held_out):
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(9):
        model.train()
        for x, y in train:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
        print(accuracy(model, held_out))
"""


def test_a_function_that_only_evaluates_is_decorated():
    after = fixed({"a.py": EVALUATION}, "missing-no-grad")["a.py"]
    assert after == EVALUATION.replace("def accuracy", "@torch.no_grad()\ndef accuracy")


def test_what_switches_gradients_on_around_an_evaluation_switches_them_off():
    on = EVALUATION.replace(
        "    for x, y in loader:\n    ", "    with torch.enable_grad():\n        for x, y in loader:\n        "
    )
    assert fixed({"a.py": on}, "missing-no-grad")["a.py"] == on.replace("enable_grad", "no_grad")


@pytest.mark.parametrize(
    "wrong",
    [
        EVALUATION.replace("    hits = 0\n    model.eval()\n", "    model.train()\n    hits = 0\n"),
        EVALUATION.replace("    model.eval()\n", "").replace("    return hits", "    model.eval()\n    return hits"),
    ],
    ids=["the-other-mode", "too-late"],
)
def test_a_mode_that_is_set_beside_an_evaluation_is_not_set_twice(wrong):
    after = fixed({"a.py": wrong}, "missing-eval-mode")["a.py"]
    assert after == EVALUATION.replace("    hits = 0\n    model.eval()\n", "    model.eval()\n    hits = 0\n")


def test_what_silenced_the_error_of_a_detached_loss_goes_with_it():
    right = EVALUATION.replace("            loss.backward()", "            loss.backward()  # twice is enough")
    wrong = right.replace("model(x), y)\n", "model(x).detach(), y)\n            loss.requires_grad = True\n")
    assert fixed({"a.py": wrong}, "detached-loss")["a.py"] == right


def test_a_seed_that_the_loop_itself_makes_stays_in_it():
    seeded = EVALUATION.replace(
        "        model.train()\n", "        seed = 3\n        torch.manual_seed(seed)\n        model.train()\n"
    )
    assert withheld(seeded, "reseeded-in-loop")
    known = seeded.replace("seed = 3", "start = 3").replace("(seed)", "(3)")
    after = fixed({"a.py": known}, "reseeded-in-loop")["a.py"]
    assert after.count("manual_seed") == 1 and after.index("manual_seed(3)") < after.index("for epoch")


def test_a_schedule_counts_the_other_direction_as_better_where_it_is_built():
    old = """\
from torch.optim.lr_scheduler import ReduceLROnPlateau


def train(model, optimizer, x, y):
    scheduler = ReduceLROnPlateau(optimizer, patience=3)
    for epoch in range(10):
        accuracy = (model(x).argmax(dim=1) == y).float().mean()
        scheduler.step(accuracy)
"""
    new = old.replace("patience=3", 'patience=3, mode="max"')
    assert fixed({"main.py": old}, "metric-direction")["main.py"] == new


def test_layers_that_alternate_are_built_each_by_itself():
    old = "from torch import nn\n\nbody = nn.Sequential(*[nn.Linear(8, 8), nn.ReLU()] * 4)\n"
    new = old.replace(
        "[nn.Linear(8, 8), nn.ReLU()] * 4", "[layer for _ in range(4) for layer in (nn.Linear(8, 8), nn.ReLU())]"
    )
    assert fixed({"main.py": old}, "shared-layer-instances")["main.py"] == new


def test_a_function_that_could_work_in_place_gives_back_its_argument():
    old = """\
import torch.nn.functional as F


def activate(x):
    F.relu(x)
    F.log_softmax(x, dim=1)
    return x
"""
    assert fixed({"main.py": old}, "discarded-result")["main.py"] == old.replace("    F.relu", "    x = F.relu")


def test_layers_that_are_kept_in_a_module_list_are_annotated_as_one():
    text = """\
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.towers: list[nn.Module] = [nn.Linear(2, 2), nn.Linear(2, 2)]

    def forward(self, x):
        return self.towers[1](self.towers[0](x))
"""
    after = fixed({"main.py": text}, "unregistered-submodule")["main.py"]
    assert "self.towers: nn.ModuleList = nn.ModuleList([nn.Linear" in after
