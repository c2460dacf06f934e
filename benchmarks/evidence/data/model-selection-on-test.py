"""The epoch whose score is reported is the best one on the test set.

setting: random labels for 50 test rows: nothing can be learnt; the best of 100 epochs
figure: accuracy that is reported for the test set (the truth is 50%), %
worse: higher
"""

import copy

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train_epoch(model, optimizer, loader):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()


def accuracy(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(dim=1) == y).sum().item()
    return 100 * correct / len(loader.dataset)


def part(rng, rows, shuffle):
    x = torch.tensor(rng.normal(size=(rows, 20)), dtype=torch.float32)
    return DataLoader(TensorDataset(x, torch.tensor(rng.integers(0, 2, size=rows))), batch_size=50, shuffle=shuffle)


def run(seed):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    train_loader, val_loader, test_loader = part(rng, 100, True), part(rng, 50, False), part(rng, 50, False)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    best = 0.0
    for epoch in range(100):
        train_epoch(model, optimizer, train_loader)
        score = accuracy(model, val_loader)  # right
        score = accuracy(model, test_loader)  # wrong
        if score > best:
            best = score
            best_state = copy.deepcopy(model.state_dict())
    model.load_state_dict(best_state)
    return accuracy(model, test_loader)
