"""A checkpoint whose names all have a prefix is loaded with `strict=False`.

setting: handwritten digits, the checkpoint of a model in `DataParallel`
figure: accuracy of the loaded model, %
worse: lower
"""

import tempfile

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn


def fitted(x, y):
    model = nn.DataParallel(nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(100):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    return model


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_test, y_train, y_test = map(torch.from_numpy, parts)
    with tempfile.TemporaryDirectory() as folder:
        torch.save({"model": fitted(x_train, y_train).state_dict(), "step": 100}, f"{folder}/last.pt")
        last = torch.load(f"{folder}/last.pt")
    model = nn.Linear(64, 10)
    weights = {name.removeprefix("module."): weight for name, weight in last["model"].items()}  # right
    model.load_state_dict(weights)  # right
    model.load_state_dict(last["model"], strict=False)  # wrong
    step = last["step"]
    assert step == 100
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
