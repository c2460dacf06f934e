"""Gradients are zeroed at every micro-batch, where four of them should add up.

setting: 10 classes of handwritten digits, 5 epochs of SGD, 4 micro-batches of 8 rows for each step
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
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_test, y_train, y_test = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=8, shuffle=True)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for epoch in range(5):
        for step, (x, y) in enumerate(loader):
            optimizer.zero_grad()  # wrong
            loss = F.cross_entropy(model(x), y) / 4
            loss.backward()
            if (step + 1) % 4 == 0:
                optimizer.step()
                optimizer.zero_grad()  # right
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
