"""The loop that should train on the training rows reads the test rows.

setting: random labels for 400 rows: nothing can be learnt; 60 epochs of Adam
figure: accuracy that is reported for test rows (the truth is 50%), %
worse: higher
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


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


def run(seed):
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    X = torch.tensor(rng.normal(size=(400, 20)), dtype=torch.float32)
    y = torch.tensor(rng.integers(0, 2, size=400))
    train_set, test_set = random_split(TensorDataset(X, y), [200, 200])
    train_loader = DataLoader(train_set, batch_size=50, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=50)
    model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(60):
        train_epoch(model, optimizer, train_loader)  # right
        train_epoch(model, optimizer, test_loader)  # wrong
    return accuracy(model, test_loader)
