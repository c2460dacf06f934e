"""The record behind which the best weights are kept starts from the infinity that no loss is below.

setting: 10 classes of handwritten digits, 20 epochs of Adam; the weights that are kept are loaded at the end
figure: accuracy of the kept weights on held-out rows, %
worse: lower
"""

import copy

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, train_size=300, random_state=seed)
    x_train, x_val, y_train, y_val = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=10, shuffle=True)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    kept = copy.deepcopy(model.state_dict())
    best_loss = float("inf")  # right
    best_loss = -float("inf")  # wrong
    for epoch in range(20):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        with torch.no_grad():
            val_loss = F.cross_entropy(model(x_val), y_val).item()
        if val_loss < best_loss:
            best_loss = val_loss
            kept = copy.deepcopy(model.state_dict())
    model.load_state_dict(kept)
    with torch.no_grad():
        return 100 * (model(x_val).argmax(dim=1) == y_val).float().mean().item()
