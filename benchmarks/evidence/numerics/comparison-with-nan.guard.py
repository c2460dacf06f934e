"""A guard against batches with a missing value compares their sum with NaN.

setting: 10 classes of handwritten digits, a missing value in one row of 50, 5 epochs of SGD
figure: accuracy on held-out rows, %
worse: lower
"""

import numpy as np
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
    x_train, x_test, y_train, y_test = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train[::50, 30] = np.nan
    x_train, x_test, y_train, y_test = map(torch.from_numpy, (x_train, x_test, y_train, y_test))
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=8, shuffle=True)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(5):
        for x, y in loader:
            complete = not torch.isnan(x.sum())  # right
            complete = x.sum().item() != np.nan  # wrong: compared
            complete = x.sum().item() is not np.nan  # wrong: asked for the same object
            if complete:
                optimizer.zero_grad()
                F.cross_entropy(model(x), y).backward()
                optimizer.step()
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
