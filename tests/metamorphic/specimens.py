"""What is transformed: every example of the catalogue, and whole projects with one bug put in.

A `Specimen` is a small project with the findings that it has as it stands. The examples that fire must go on firing on
the same statements whatever is rewritten around them; the examples that stay quiet must stay quiet.
"""

from __future__ import annotations

import ast
import os
from functools import cache
from typing import NamedTuple

from mllint.catalogue import pages as catalogue
from mllint.config import model as config
from mllint.config.load import from_toml
from mllint.config.load import load as load_config
from mllint.config.selection import resolve_selection
from mllint.diagnostic import Diagnostic
from mllint.engine import engine
from tests.pages import PRELUDE, Block, Case, read_page

__all__ = ["Specimen", "findings", "specimens"]

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLEAN = os.path.join(ROOT, "tests", "fixtures", "clean")

# project, file, what stands there, what stands there instead: one silent bug each
BUGS = {
    "zero-grad-deleted": ("plain_script", "train.py", "        optimizer.zero_grad()\n", ""),
    "eval-deleted": ("plain_script", "train.py", "    model.eval()\n", ""),
    "no-grad-deleted": ("functions", "main.py", "    with torch.no_grad():\n        for", "    if True:\n        for"),
    "loss-kept": ("functions", "main.py", "total += loss.item()", "total += loss"),
    "scheduler-per-batch": (
        "functions",
        "main.py",
        "        optimizer.step()\n",
        "        optimizer.step()\n        scheduler.step()\n",
    ),
    "weights-aliased": (
        "functions",
        "main.py",
        "copy.deepcopy(model.state_dict())",
        "model.state_dict()",
    ),
    "softmax-in-forward": ("functions", "model.py", "self.head(x)", "torch.softmax(self.head(x), dim=1)"),
    "blocks-in-a-list": (
        "functions",
        "model.py",
        "nn.ModuleList([Block(channels) for _ in range(depth)])",
        "[Block(channels) for _ in range(depth)]",
    ),
    "seed-deleted": ("amp_accumulation", "train.py", ", generator=torch.Generator().manual_seed(3)", ""),
    "clip-before-unscale": ("amp_accumulation", "train.py", "            scaler.unscale_(optimizer)\n", ""),
    "update-deleted": ("amp_accumulation", "train.py", "            scaler.update()\n", ""),
    "fake-detached": (
        "gan",
        "gan.py",
        "adversarial_loss(netD(fake), ones)",
        "adversarial_loss(netD(fake.detach()), ones)",
    ),
    "sigmoid-deleted": ("gan", "gan.py", "torch.sigmoid(self.judge(self.features(x)))", "self.judge(self.features(x))"),
    "loss-not-returned": (
        "lightning_classifier",
        "module.py",
        "        loss = F.cross_entropy(logits, labels)\n",
        "        loss = F.cross_entropy(logits.softmax(dim=1), labels)\n",
    ),
    "fitted-on-test": (
        "tabular",
        "churn.py",
        "X_test = scaler.transform(X_test)",
        "X_test = scaler.fit_transform(X_test)",
    ),
    "fitted-before-split": (
        "tabular",
        "regression.py",
        'prices = houses["price"]\n',
        'prices = houses["price"]\nfeatures = MinMaxScaler().fit_transform(features)\n',
    ),
    "sigmoid-before-logits": (
        "trainer_class",
        "models.py",
        "return self.out(merged)",
        "return torch.sigmoid(self.out(merged))",
    ),
    "epoch-not-set": ("trainer_class", "trainer.py", "            self.train_loader.sampler.set_epoch(epoch)\n", ""),
    "zero-grad-late": (
        "transformer_lm",
        "train.py",
        "            loss.backward()\n",
        "            loss.backward()\n            optimizer.zero_grad()\n",
    ),
    "train-not-restored": ("transformer_lm", "train.py", "    model.train()\n    return", "    return"),
}


class Specimen(NamedTuple):
    """A project to rewrite.

    Attributes:
        id: where it comes from: page and headings, or the name of the bug.
        rule: the rule that it is about.
        files: path -> text.
        selected: the rules that are asked.
        pedantic: whether findings that rest on a guess count.
    """

    id: str
    rule: str
    files: dict[str, str]
    selected: frozenset[str]
    pedantic: bool
    settings: config.Config


@cache
def specimens() -> tuple[Specimen, ...]:
    """All specimens, in a fixed order."""
    found: list[Specimen] = []
    for folder, _, names in sorted(os.walk(os.path.join(ROOT, "rules"))):
        for name in sorted(names):
            rule = name.removesuffix(".md")
            if rule in catalogue.rules() and not rule.endswith("-suppression"):  # those are about comments
                with open(os.path.join(folder, name), encoding="utf-8") as stream:
                    found += [_of_case(rule, case) for case in read_page(stream.read()) if _wanted(case)]
    found.append(_of_files("silent-bugs", _texts(os.path.join(ROOT, "examples", "silent-bugs"))))
    for bug, (project, path, old, new) in BUGS.items():
        files = _texts(os.path.join(CLEAN, project))
        assert files[path].count(old) == 1, f"{bug}: `{old}` does not stand once in {project}/{path}"
        files[path] = files[path].replace(old, new)
        found.append(_of_files(bug, files))
    return tuple(found)


def findings(specimen: Specimen, files: dict[str, str]) -> list[Diagnostic]:
    """What is reported on a version of a specimen."""
    sources: dict[str, str | bytes] = {**files}
    report = engine.check_sources(
        sources, selected=specimen.selected, pedantic=specimen.pedantic, config=specimen.settings
    )
    return report.diagnostics


def _wanted(case: Case) -> bool:
    files = case.files
    plain = all(path.endswith(".py") and _parses(block.text) for path, block in files.items()) and case.role != "after"
    return plain and (case.section[0] in ("Fires", "Stays quiet") or case.role == "before")


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _of_case(rule: str, case: Case) -> Specimen:
    infos = list(catalogue.rules().values())
    text = case.config.replace("[tool.mllint]", "").replace("[tool.mllint.", "[")
    settings = from_toml(text) if text else load_config([], True)
    selected = set(resolve_selection(settings, infos))
    if rule not in settings.ignore:
        selected.add(rule)
    pedantic = settings.pedantic or case.role == "pedantic" or catalogue.rules()[rule].persona != "regular"
    files = {path: _text(block) for path, block in case.files.items()}
    return Specimen(f"{rule}: {case.id}", rule, files, frozenset(selected), pedantic, settings)


def _text(block: Block) -> str:
    """The text of a block, with those of the usual imports that it uses."""
    if not block.bare:
        return block.text + "\n"
    used = {node.id for node in ast.walk(ast.parse(block.text)) if isinstance(node, ast.Name)}
    lines = []
    for statement in ast.parse(PRELUDE).body:
        assert isinstance(statement, (ast.Import, ast.ImportFrom))
        kept = [a for a in statement.names if (a.asname or a.name.partition(".")[0]) in used]
        if kept:
            statement.names = kept
            lines.append(ast.unparse(statement))
    return "\n".join([*lines, "", block.text, ""]) if lines else f"import torch\n\n{block.text}\n"


def _of_files(name: str, files: dict[str, str]) -> Specimen:
    regular = frozenset(n for n, info in catalogue.rules().items() if info.persona == "regular")
    return Specimen(f"project: {name}", "project", files, regular, False, load_config([], True))


def _texts(folder: str) -> dict[str, str]:
    files = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8") as stream:
                files[name] = stream.read()
    return files
