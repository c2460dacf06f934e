"""A fix is what a careful author would write: nothing twice, in the place and in the style that the file has."""

from __future__ import annotations

import pytest

from tests.fixing import fixed

TRAINING = """\
import random

import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self):
        super(Encoder, self).__init__()
        self.layer = nn.Linear(4, 4)


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(x)


def main(train):
    random.seed(0)
    torch.manual_seed(0)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(9):
        for x, y in train:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
"""


def ahead(line: str, of: str) -> str:
    """The program with one more line before another, as deep as that one."""
    found = next(each for each in TRAINING.split("\n") if each.strip().startswith(of))
    return TRAINING.replace(found, found[: len(found) - len(found.lstrip())] + line + "\n" + found, 1)


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        ("optimizer-recreated", ahead("optimizer = torch.optim.Adam(model.parameters())", "for x, y")),
        ("optimizer-recreated", ahead("optimizer = torch.optim.Adam(model.parameters())", "optimizer.zero_grad")),
        ("reseeded-in-loop", ahead("torch.manual_seed(7)", "for x, y")),
        ("gradients-discarded", ahead("model.zero_grad()", "optimizer.step")),
        ("detached-loss", ahead("loss = torch.as_tensor(float(loss))", "loss.backward")),
        ("silenced-autograd-error", ahead("loss = torch.tensor(loss.item(), requires_grad=True)", "loss.backward")),
    ],
)
def test_what_is_too_much_goes(rule, wrong):
    assert fixed({"a.py": wrong}, rule)["a.py"] == TRAINING


@pytest.mark.parametrize(
    "line",
    ["optimizer = torch.optim.Adam(model.head.parameters())", "optimizer = torch.optim.Adam(model.parameters(), 0.1)"],
)
def test_another_optimizer_is_not_taken_for_the_one_before_the_loop(line):
    after = fixed({"a.py": ahead(line, "for x, y")}, "optimizer-recreated")["a.py"]
    assert after == ahead(line, "for epoch")


def test_an_optimizer_of_what_was_replaced_since_stays():
    again = "optimizer = torch.optim.Adam(model.parameters())"
    other = ahead(again, "for x, y").replace("    for epoch", "    model = Net()\n    for epoch")
    assert fixed({"a.py": other}, "optimizer-recreated")["a.py"].count(again) == 2


def test_a_loss_is_kept_without_its_way_through_an_array():
    through = TRAINING.replace("model(x), y", "torch.from_numpy(model(x).detach().cpu().numpy()), y")
    assert fixed({"a.py": through}, "detached-loss")["a.py"] == TRAINING


def test_what_reads_an_array_is_not_given_a_tensor():
    measured = TRAINING.replace("model(x), y", "convert(model(x).detach().cpu().numpy()), y")
    measured = measured.replace("def main", "def convert(rows):\n    return torch.from_numpy(rows)\n\n\ndef main")
    assert fixed({"a.py": measured}, "detached-loss")["a.py"] == measured


def test_a_number_of_which_a_leaf_is_made_is_no_loss_with_a_graph():
    counted = ahead(
        "loss = torch.tensor((model(x).argmax(1) != y).float().mean().item(), requires_grad=True)", "loss.b"
    )
    assert fixed({"a.py": counted}, "silenced-autograd-error")["a.py"] == counted


def test_a_seed_stands_behind_the_other_seeds():
    wrong = TRAINING.replace("    torch.manual_seed(0)\n", "")
    wrong = wrong.replace("        for x, y", "        torch.manual_seed(0)\n        for x, y")
    assert fixed({"a.py": wrong}, "reseeded-in-loop")["a.py"] == TRAINING


def test_a_seed_stands_behind_what_it_reads_and_before_all_else():
    wrong = TRAINING.replace("    random.seed(0)\n    torch.manual_seed(0)\n", "    seed = choose(train)\n")
    right = wrong.replace("(train)\n    model", "(train)\n    torch.manual_seed(seed)\n    model")
    wrong = wrong.replace("        for x, y", "        torch.manual_seed(seed)\n        for x, y")
    assert fixed({"a.py": wrong}, "reseeded-in-loop")["a.py"] == right


def test_super_is_called_as_the_other_classes_call_it():
    wrong = TRAINING.replace("        super(Net, self).__init__()\n", "")
    assert fixed({"a.py": wrong}, "missing-super-init")["a.py"] == TRAINING
    short = TRAINING.replace("super(Encoder, self)", "super()")
    wrong = short.replace("        super(Net, self).__init__()\n", "")
    assert "        super().__init__()\n        self.head" in fixed({"a.py": wrong}, "missing-super-init")["a.py"]


SHARDED = """\
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def loaders(rows):
    sampler = DistributedSampler(rows)
    return DataLoader(rows, batch_size=8, sampler=sampler), sampler


def fit(loader, model, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


def main(rows):
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters())
    train_loader, train_sampler = loaders(rows)
    for epoch in range(9):
        train_sampler.set_epoch(epoch)
        fit(train_loader, model, optimizer)
"""


def test_a_sampler_that_is_at_hand_is_told_the_epoch_by_its_name():
    wrong = SHARDED.replace("        train_sampler.set_epoch(epoch)\n", "")
    assert fixed({"a.py": wrong}, "sampler-without-set-epoch")["a.py"] == SHARDED
    unnamed = wrong.replace("train_loader, train_sampler = loaders(rows)", "train_loader = loaders(rows)[0]")
    after = fixed({"a.py": unnamed}, "sampler-without-set-epoch")["a.py"]
    assert "        train_loader.sampler.set_epoch(epoch)\n" in after


RESUMED = """\
import torch
import torch.nn.functional as F


def main(train, path):
    model = torch.nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 3)
    state = torch.load(path)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    for epoch in range(state["epoch"], 9):
        for x, y in train:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        scheduler.step()
        state = {
            "epoch": epoch,
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "scheduler": scheduler.state_dict(),
        }
        torch.save(state, path)
"""


def test_what_a_checkpoint_holds_is_read_behind_what_is_read_of_it_already():
    wrong = RESUMED.replace('    scheduler.load_state_dict(state["scheduler"])\n', "")
    assert fixed({"a.py": wrong}, "incomplete-checkpoint")["a.py"] == RESUMED


ESTIMATED = """\
import torch
import torch.nn as nn
import torch.nn.functional as F


def estimate(model, loaders):
    model.eval()
    out = {}
    for part in ("train", "val"):
        losses = []
        for x, y in loaders[part]:
            losses.append(F.cross_entropy(model(x), y).item())
        out[part] = sum(losses) / len(losses)
    model.train()
    return out


def main(loaders):
    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 2))
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(9):
        for x, y in loaders["train"]:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        print(estimate(model, loaders))
"""


def test_a_mode_that_is_set_behind_the_loop_around_an_evaluation_moves_before_it():
    late = ESTIMATED.replace("    model.eval()\n", "").replace(
        "    model.train()", "    model.eval()\n    model.train()"
    )
    assert fixed({"a.py": late}, "missing-eval-mode")["a.py"] == ESTIMATED
