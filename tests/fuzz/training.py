"""Training programs that somebody could have written, right or wrong: a grammar of loops, helpers and classes.

Each program is correct PyTorch in form; whether it clears, steps, switches modes, splits or seeds, and where, is left
to chance. So most programs have several of the bugs that the rules are about, in combinations that nobody wrote down.
"""

from __future__ import annotations

from hypothesis import strategies as st

__all__ = ["programs"]

IMPORTS = """import random
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.cuda.amp import GradScaler, autocast
from torch.optim.lr_scheduler import CosineAnnealingLR, OneCycleLR, ReduceLROnPlateau, StepLR
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split
from sklearn.preprocessing import StandardScaler
from sklearn.model_selection import train_test_split
from tqdm import tqdm
"""
MODELS = (
    "model = nn.Linear(8, 2)",
    "model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.BatchNorm1d(8), nn.Linear(8, 2))",
    "model = nn.Sequential(nn.Linear(8, 2), nn.Softmax(dim=1))",
    "model = Net(8).cuda()",
    "model = build(8)",
    "model = torch.compile(nn.DataParallel(Net(8)))",
)
DATA = (
    "train_set, test_set = random_split(TensorDataset(features, labels), [900, 100])",
    "train_set, test_set = TensorDataset(features[:900], labels[:900]), TensorDataset(features[900:], labels[900:])",
    "x_train, x_test, y_train, y_test = train_test_split(StandardScaler().fit_transform(features), labels)\n"
    "train_set, test_set = TensorDataset(x_train, y_train), TensorDataset(x_test, y_test)",
    "train_set = test_set = TensorDataset(features, labels)",
)
OPTIMIZERS = (
    "optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)",
    "optimizer = optim.Adam([p for p in model.parameters() if p.requires_grad])",
    "params = list(model.parameters())\noptimizer = optim.AdamW([{'params': params, 'lr': 1e-3}])",
)
SCHEDULERS = (
    "scheduler = StepLR(optimizer, step_size=30)",
    "scheduler = OneCycleLR(optimizer, max_lr=0.1, total_steps=len(train_loader) * 10)",
    "scheduler = ReduceLROnPlateau(optimizer)",
    "scheduler = CosineAnnealingLR(optimizer, T_max=10)",
)
STEPS = (
    "optimizer.zero_grad()",
    "optimizer.step()",
    "loss.backward()",
    "scaler.scale(loss).backward()",
    "scaler.step(optimizer)",
    "scaler.update()",
    "scaler.unscale_(optimizer)",
    "scheduler.step()",
    "scheduler.step(loss)",
    "model.train()",
    "model.eval()",
    "torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)",
    "total += loss",
    "total += loss.item()",
    "losses.append(loss)",
    "loss = loss.detach()",
    "loss = loss / 4",
    "best = model.state_dict()",
    "torch.save(model.state_dict(), 'best.pt')",
    "evaluate(model, test_loader)",
    "update(loss, optimizer)",
    "torch.manual_seed(0)",
    "x, y = x.cuda(), y.cuda()",
    "model.load_state_dict(best)",
    "del loss",
    "print(loss)",
    "optimizer = optim.SGD(model.parameters(), lr=0.01)",
    "model.fc = nn.Linear(8, 2)",
    "for p in model.parameters():\n    p.requires_grad = False",
    "scaler.fit(x)",
    "model.zero_grad(set_to_none=True)",
    "loss.backward(retain_graph=True)",
    "x = (x - x.mean()) / x.std()",
)
LOSSES = (
    "loss = F.cross_entropy(model(x), y)",
    "out = model(x)\nloss = criterion(out, y)",
    "loss = criterion(torch.softmax(model(x), dim=0), y)",
    "loss = F.binary_cross_entropy_with_logits(torch.sigmoid(model(x)), y)",
    "with autocast():\n    loss = criterion(model(x), y)",
    "loss = F.mse_loss(model(x).detach(), y)",
    "loss = torch.tensor(criterion(model(x), y).item(), requires_grad=True)",
    "loss = sum(F.nll_loss(torch.log(m(x)), y) for m in models)",
)
WRAPS = (
    "{}",
    "{}",
    "{}",
    "if i % 4 == 0:\n{}",
    "if (i + 1) % 4:\n    continue\n{0}",
    "with torch.no_grad():\n{}",
    "try:\n{}\nexcept RuntimeError:\n    pass",
    "try:\n{}\nexcept Exception as error:\n    print(error)\n    continue",
    "if debug:\n    break\nelse:\n{}",
    "for _ in range(2):\n{}",
    "while True:\n{}\n    break",
    "if torch.isnan(loss):\n    continue\n{0}",
    "match mode:\n    case 'train':\n{}\n    case _:\n        pass",
    "with autocast(), torch.enable_grad():\n{}",
)
LOOPS = (
    "for i, (x, y) in enumerate(train_loader):",
    "for x, y in train_loader:",
    "for i, batch in enumerate(tqdm(train_loader)):\n    x, y = batch",
    "for i in range(len(train_loader)):\n    x, y = next(batches)",
    "for x, y in test_loader:",
    "for (x, y), z in zip(train_loader, other_loader):",
)
HELPERS = """
def build(n):
    layers = [nn.Linear(n, n) for _ in range(3)]
    return nn.Sequential(*layers)


class Net(nn.Module):
    def __init__(self, n):
        {super}
        self.fc = nn.Linear(n, n)
        self.layers = {layers}

    def forward(self, x):
        for layer in self.layers:
            x = F.dropout(layer(x), 0.5)
        return {head}


def update(loss, optimizer):
{update}


def evaluate(model, loader):
{mode}
    total = 0
    for x, y in loader:
        total += F.cross_entropy(model(x), y)
    return total / len(loader)

"""


def _indented(text: str, by: int = 1) -> str:
    return "\n".join("    " * by + line for line in text.split("\n"))


@st.composite
def _block(draw: st.DrawFn, size: int = 5, *, inside: bool = True) -> str:
    """Steps in any order, some of them under a branch, a handler or another loop; `inside` a loop they may leave it."""
    rows = []
    wraps = [wrap for wrap in WRAPS if inside or not ("continue" in wrap or wrap.startswith("if debug"))]
    for _ in range(draw(st.integers(1, size))):
        step = draw(st.sampled_from(STEPS))
        wrap = draw(st.sampled_from(wraps))
        rows.append(wrap.format(step) if wrap == "{}" or "{0}" in wrap else _filled(wrap, step))
    return "\n".join(rows)


def _filled(wrap: str, step: str) -> str:
    """A wrapper with a step inside, indented as deep as its hole asks for."""
    depth = 2 if wrap.startswith("match") else 1
    return wrap.replace("{}", _indented(step, depth))


@st.composite
def _loop(draw: st.DrawFn) -> str:
    header = draw(st.sampled_from(LOOPS))
    body = [*draw(st.sampled_from((["optimizer.zero_grad()"], []))), draw(st.sampled_from(LOSSES)), draw(_block())]
    return header + "\n" + _indented("\n".join(body))


@st.composite
def _training(draw: st.DrawFn) -> str:
    rows = [draw(st.sampled_from(MODELS)), draw(st.sampled_from(DATA))]
    rows.append(f"train_loader = DataLoader(train_set, batch_size=8{draw(st.sampled_from((', shuffle=True', '')))})")
    rows.append("test_loader = DataLoader(test_set)")
    rows += [draw(st.sampled_from(OPTIMIZERS)), draw(st.sampled_from(SCHEDULERS)), "criterion = nn.CrossEntropyLoss()"]
    rows += ["scaler = GradScaler()", "losses, total, best = [], 0, None"]
    rows = draw(st.permutations(rows)) if draw(st.booleans()) else rows
    epochs = "for epoch in range(10):\n" + _indented("\n".join([draw(_loop()), draw(_block(3))]))
    return "\n".join([*rows, epochs, draw(_block(3, inside=False))])


@st.composite
def programs(draw: st.DrawFn) -> dict[str, str]:
    """A project of one to three files."""
    helpers = HELPERS.format(
        super=draw(st.sampled_from(("super().__init__()", "pass"))),
        layers=draw(st.sampled_from(("[nn.Linear(n, n)] * 3", "nn.ModuleList([nn.Linear(n, n)])", "build(n)"))),
        head=draw(
            st.sampled_from(("self.fc(x)", "F.softmax(self.fc(x), dim=0)", "(x, self.fc(x))", "{'out': self.fc(x)}"))
        ),
        update=_indented(draw(_block(3, inside=False))),
        mode=_indented(draw(st.sampled_from(("model.eval()", "pass", "model.eval()\nmodel.train()")))),
    )
    training = draw(_training())
    shape = draw(st.sampled_from(("script", "main", "class", "files")))
    seed = draw(st.sampled_from(("", "torch.manual_seed(0)\n", "random.seed(0)\n")))
    if shape == "script":
        return {"train.py": IMPORTS + helpers + seed + training + "\n"}
    if shape == "main":
        text = f"def main():\n{_indented(training)}\n\n\n"
        text += f"if __name__ == '__main__':\n    {seed.strip() or 'pass'}\n    main()\n"
        return {"train.py": IMPORTS + helpers + text}
    if shape == "class":
        words = ("model", "optimizer", "scheduler", "criterion", "train_loader", "test_loader")
        body = training
        for word in words:
            body = body.replace(f"{word} =", f"self.{word} =").replace(f"{word}.", f"self.{word}.")
        text = f"class Trainer:\n    def __init__(self, features, labels):\n{_indented(body, 2)}\n\n\nTrainer(a, b)\n"
        return {"train.py": IMPORTS + helpers + text}
    inner = IMPORTS + "from helpers import Net, build, evaluate, update\n" + seed + training + "\n"
    return {"helpers.py": IMPORTS + helpers, "train.py": inner, "__init__.py": "from helpers import *\n"}
