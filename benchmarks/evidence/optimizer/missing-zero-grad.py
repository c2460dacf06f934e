"""Gradients are never zeroed, so that each step follows the sum of all of them.

setting: 10 classes of handwritten digits, 10 epochs of SGD
figure: accuracy on held-out rows, %
worse: lower
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    split = train_test_split(images / 16, labels, test_size=0.5, random_state=seed)
    x_train, x_test = (torch.tensor(part, dtype=torch.float32) for part in split[:2])
    y_train, y_test = (torch.tensor(part) for part in split[2:])
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for epoch in range(10):
        for x, y in DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True):
            optimizer.zero_grad()  # right
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
