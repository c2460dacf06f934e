"""A run is resumed without the state of its optimizer.

setting: handwritten digits, 20 epochs of Adam, interrupted after 10 and resumed
figure: largest difference of a predicted probability from the run that was not interrupted, %
worse: higher
"""

import os
import tempfile

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn


def train(x, y, path, epochs):
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    start = 0
    if os.path.exists(path):
        state = torch.load(path)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])  # right
        start = state["epoch"]
    for epoch in range(start, epochs):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
        state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch + 1}  # right
        state = {"model": model.state_dict(), "epoch": epoch + 1}  # wrong
        torch.save(state, path)
    return model(x).softmax(dim=1)


def run(seed):
    images, labels = load_digits(return_X_y=True)
    x, y = torch.tensor(images / 16, dtype=torch.float32), torch.tensor(labels)
    with tempfile.TemporaryDirectory() as folder:
        torch.manual_seed(seed)
        whole = train(x, y, f"{folder}/whole.pt", 20)
        torch.manual_seed(seed)
        train(x, y, f"{folder}/last.pt", 10)
        resumed = train(x, y, f"{folder}/last.pt", 20)
    return 100 * (whole - resumed).abs().max().item()
