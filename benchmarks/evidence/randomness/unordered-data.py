"""The order of a directory listing numbers the classes.

setting: a model trained beside one copy of a folder of 10 classes, used beside another copy
figure: accuracy on held-out rows, %
worse: lower
found: On one file system the listing of one folder stays as it is. The copy lists the same names in another order.
"""

import os
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


def class_numbers(folder):
    classes = sorted(os.listdir(folder))  # right
    classes = os.listdir(folder)  # wrong
    return {name: number for number, name in enumerate(classes)}


def train(x, names, folder):
    class_to_idx = class_numbers(folder)
    y = torch.tensor([class_to_idx[name] for name in names])
    model = nn.Linear(64, 10)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(100):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    torch.save(model.state_dict(), f"{folder}.pt")


def test(x, names, folder, copy):
    class_to_idx = class_numbers(copy)
    y = torch.tensor([class_to_idx[name] for name in names])
    model = nn.Linear(64, 10)
    model.load_state_dict(torch.load(f"{folder}.pt"))
    model.eval()
    with torch.no_grad():
        return 100 * (model(x).argmax(dim=1) == y).float().mean().item()


def run(seed):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    images, labels = load_digits(return_X_y=True)
    images = torch.tensor(images / 16, dtype=torch.float32)
    names = [f"digit{label}" for label in labels]
    x_train, x_test, names_train, names_test = train_test_split(images, names, test_size=0.5, random_state=seed)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for copy in ("first", "second"):
            for name in rng.permutation(sorted(set(names))):
                os.makedirs(f"{folder}/{copy}/{name}")
        train(x_train, names_train, f"{folder}/first")
        return test(x_test, names_test, f"{folder}/first", f"{folder}/second")
