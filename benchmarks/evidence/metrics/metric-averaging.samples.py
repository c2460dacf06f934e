"""A sum of the means of batches is divided by the number of samples.

setting: 10 classes of handwritten digits, 5 epochs of SGD, held-out batches of 32 rows
figure: relative distance of the reported loss from that of all rows, %
worse: higher
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def mean_loss(model, loader):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for x, y in loader:
            loss = F.cross_entropy(model(x), y, reduction="sum")  # right
            loss = F.cross_entropy(model(x), y)  # wrong
            total += loss.item()
    return total / len(loader.dataset)


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_test, y_train, y_test = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    reported = mean_loss(model, DataLoader(TensorDataset(x_test, y_test), batch_size=32))
    with torch.no_grad():
        truth = F.cross_entropy(model(x_test), y_test).item()
    return 100 * abs(reported / truth - 1)
