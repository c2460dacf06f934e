"""How long after an edit does the server know what is found?

    python benchmarks/server.py [--edits N] [--file PATH] [--files N]

Three things are measured, inside of the server (without the way to the editor and back): from the moment at which it
has an edit to the moment at which findings can be sent, and how long it takes to offer a fix.

* Edits in a file of 1,000 lines, in a project of three: lines are typed, deleted and repeated all over it.
* A change in a `model.py` of a project of many files, one of them open, that build the model and train it. Each file
  imports it, or one in fifty does. The change is a comment, another size of a layer, or a softmax that is wrong in all.
* Fixes in that file of 1,000 lines, with bugs all over it: from the question what can be done about a finding, after an
  edit, to the answer with its edits. The first question, which loads what is needed, is told by itself.

CPU time is given, as wall time says more about the machine's other work; of fixes it is told as well. A busy machine
takes more of both, so the time for parsing the file is told beside it. `first` is when findings that need no flow are
shown, `open` when all are that are in open files, `all` when those in all files are.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple

from mllint.config.load import load as load_config
from mllint.server.assist import is_fixable
from mllint.server.session import SHOWN, Session, rules_of

MODEL = """\
import torch
from torch import nn


class Net{n}(nn.Module):
    def __init__(self, width: int = 64, classes: int = 10, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Dropout(dropout))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.norm(self.encoder(x) + x)
        return self.head(hidden)
"""
TRAIN = """\
def train{n}(net, loader, epochs: int = 10, lr: float = 1e-3, device: str = "cpu"):
    \"\"\"Train a net and give the losses of all epochs.\"\"\"
    optimizer = torch.optim.AdamW(net.parameters(), lr=lr)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    criterion = nn.CrossEntropyLoss()
    history = []
    for epoch in range(epochs):
        net.train()
        total = 0.0
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad()
            loss = criterion(net(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        scheduler.step()
        history.append(total / len(loader))
        print(f"epoch {{epoch}}: {{history[-1]:.4f}}")
    return history


@torch.no_grad()
def evaluate{n}(net, loader, device: str = "cpu") -> float:
    \"\"\"The share of right answers.\"\"\"
    net.eval()
    right = count = 0
    for x, y in loader:
        answers = net(x.to(device)).argmax(1)
        right += (answers == y.to(device)).sum().item()
        count += len(y)
    return right / count


def describe{n}(history, path: str) -> dict:
    \"\"\"What is written beside the checkpoint.\"\"\"
    best = min(history)
    lines = [f"{{number}},{{value}}" for number, value in enumerate(history)]
    with open(path, "w") as file:
        file.write("\\n".join(lines))
    return {{"best": best, "epochs": len(history), "last": history[-1]}}
"""
SCRIPT = """\
import torch
from torch import nn
from data import loaders
{imports}

{train}

if __name__ == "__main__":
    train, held_out = loaders()
    net = {net}()
    train{n}(net, train)
    print(evaluate{n}(net, held_out))
"""
DATA = """\
import torch
from torch.utils.data import DataLoader, TensorDataset


def loaders():
    x, y = torch.randn(1000, 64), torch.randint(0, 10, (1000,))
    return DataLoader(TensorDataset(x, y), 32, shuffle=True), DataLoader(TensorDataset(x, y), 32)
"""
BUGS = {
    "            optimizer.zero_grad()\n": "",
    "loss.item()": "loss",
    "net.eval()": "net.eval",
    "criterion(net(x), y)": "criterion(net(x).softmax(-1), y)",
    "@torch.no_grad()\n": "",
}
CHANGES = {
    "a comment": ("hidden = self", "# the same again\n        hidden = self"),
    "the size of a layer": ("width: int = 64", "width: int = 72"),
    "a softmax": ("return self.head(hidden)", "return self.head(hidden).softmax(-1)"),
}


class Times(NamedTuple):
    """CPU seconds until findings are known; see above."""

    first: float
    open: float
    all: float


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--edits", type=int, default=200)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--file", type=Path, help="edit a copy of this file instead of a written one")
    options = parser.parse_args()
    gc.disable()  # as the server does
    here = os.getcwd()
    for measure in (one_file, fixes, many_files):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for line in measure(options):
                print(line)
            os.chdir(here)
    return 0


def one_file(options: argparse.Namespace) -> Iterator[str]:
    """Edits in a file of 1,000 lines."""
    text = options.file.read_text() if options.file else long_file()
    write({"train.py": text, "data.py": DATA, "model.py": MODEL.format(n="")})
    session = opened()
    session.put("train.py", text.encode())
    finish(session)
    times = []
    for edited in edits(text, options.edits):
        session.put("train.py", edited.encode())
        times.append(finish(session, "train.py"))
        gc.collect(0)
    name = options.file.name if options.file else "a written file"
    parsing = []
    for _ in times:
        start = process_time()
        ast.parse(text)
        parsing.append(process_time() - start)
    yield f"{text.count(chr(10))} lines ({name}), {len(times)} edits"
    yield f"  parsing alone: {sorted(parsing)[len(times) // 2] * 1000:.1f} ms"
    yield from spreads(times)


def fixes(options: argparse.Namespace) -> Iterator[str]:
    """What can be done about findings in a file of 1,000 lines, after an edit each."""
    text = options.file.read_text() if options.file else long_file()
    for old, new in BUGS.items():
        text = text.replace(old, new)
    write({"train.py": text, "data.py": DATA, "model.py": MODEL.format(n="")})
    session = opened()
    spent: list[float] = []
    waited: list[float] = []
    none = 0
    for edited in edits(text, options.edits // 4):
        session.put("train.py", edited.encode())
        finish(session, "train.py")
        shown = [d for d in session.findings("train.py") if is_fixable(d)]
        if not shown:
            continue
        found = shown[len(spent) % len(shown)]
        start, began = process_time(), perf_counter()
        offered = session.fixing.offered(session.component("train.py"), frozenset((found.rule,)))
        spent.append(process_time() - start)
        waited.append(perf_counter() - began)
        none += not any(d.span == found.span for d in offered)
        gc.collect(0)
    yield f"{text.count(chr(10))} lines, {len(spent)} fixes asked for, {none} not offered"
    yield f"  the first: {spent[0] * 1000:.0f} ms of CPU, {waited[0] * 1000:.0f} ms by the clock"
    yield spread("CPU", spent[1:])
    yield spread("clock", waited[1:])


def many_files(options: argparse.Namespace) -> Iterator[str]:
    """A change in a file that many others import."""
    for every in (1, 50):
        model = MODEL.format(n="")
        files = {"model.py": model, "data.py": DATA}
        for n in range(options.files):
            imports = "from model import Net" if n % every == 0 else "Net = nn.Identity"
            files[f"train{n}.py"] = SCRIPT.format(imports=imports, train=TRAIN.format(n=n), net="Net", n=n)
        write(files)
        session = opened()
        session.put("train0.py", files["train0.py"].encode())
        session.put("model.py", model.encode())
        finish(session)
        yield f"{options.files} files, {-(-options.files // every)} import model.py and train what it says"
        for what, (old, new) in CHANGES.items():
            times = []
            for text in [model.replace(old, new), model] * 2:
                session.put("model.py", text.encode())
                times.append(finish(session, "train0.py", "model.py"))
                if text is not model:
                    found = sum(bool(session.findings(path)) for path in files)
                gc.collect(0)
            yield f" {what} ({found} files with findings)"
            yield from spreads(times)


def long_file() -> str:
    """About 1,000 lines: nets, and functions that train, evaluate and describe them."""
    parts = [SCRIPT.format(imports="from model import Net", train=TRAIN.format(n=""), net="Net", n="")]
    count = 0
    while sum(part.count("\n") for part in parts) < 930:
        count += 1
        parts.insert(
            -1, "" if count == 1 else MODEL.format(n=count).partition("\n\n\n")[2] + "\n\n" + TRAIN.format(n=count)
        )
    head, _, tail = parts.pop().partition("\n\n")
    return "\n\n".join([head, *parts, tail])


def write(files: dict[str, str]) -> None:
    """Be a project of these files."""
    for path, text in files.items():
        Path(path).write_text(text)


def opened() -> Session:
    """A session over the current folder, all read."""
    settings = load_config(["."], isolated=True)
    session = Session(["."], settings, rules_of(settings))
    finish(session)
    return session


def finish(session: Session, *opened: str) -> Times:
    """Work until all is done; CPU seconds, those until the findings in the opened files are known among them."""
    start, first, known = process_time(), 0.0, 0.0
    for pause in session.work([]):
        if pause == SHOWN:
            first = first or process_time() - start
            if all(map(session.current, opened)):
                known = known or process_time() - start
    return Times(first, known, process_time() - start)


def edits(text: str, count: int) -> Iterator[str]:
    """The text after each of many edits, each of which parses; half of them are taken back by the next one."""
    dice = random.Random(1)
    lines = text.split("\n")
    made = 0
    while made < count:
        after, at = list(lines), dice.randrange(len(lines))
        kind = dice.random()
        if kind < 0.4:
            after[at] += " # typed"
        elif kind < 0.7:
            after.insert(at, after[at])
        elif kind < 0.85:
            del after[at]
        else:
            after[at] = after[at].replace("loss", "value").replace("net", "module")
        try:
            ast.parse("\n".join(after))
        except SyntaxError:
            continue
        made += 1
        yield "\n".join(after)
        if dice.random() < 0.5:
            lines = after
        elif made < count:
            made += 1
            yield "\n".join(lines)


def spreads(times: list[Times]) -> Iterator[str]:
    """Median, 95th percentile and maximum, in milliseconds."""
    for name, seconds in zip(Times._fields, zip(*times, strict=True), strict=True):
        yield spread(name, seconds)


def spread(name: str, seconds: Sequence[float]) -> str:
    ordered = sorted(value * 1000 for value in seconds)
    picked = [ordered[min(int(len(ordered) * share), len(ordered) - 1)] for share in (0.5, 0.95, 1.0)]
    return "  {:5}  median {:.1f} ms, p95 {:.1f} ms, max {:.1f} ms".format(name, *picked)


if __name__ == "__main__":
    sys.exit(main())
