"""The score of the last batch is reported.

setting: 10 classes of handwritten digits, one epoch of SGD, a last batch of three rows
figure: distance of the reported accuracy from that of all rows, %
worse: higher
seeds: 10
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
    x_train, x_val, y_train, y_val = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    val_loader = DataLoader(TensorDataset(x_val, y_val), batch_size=32)
    model = nn.Linear(64, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    hits = 0
    with torch.no_grad():
        truth = (model(x_val).argmax(dim=1) == y_val).float().mean()
        for x, y in val_loader:
            hits += (model(x).argmax(dim=1) == y).sum()  # right
            accuracy = (model(x).argmax(dim=1) == y).float().mean()  # wrong
    accuracy = hits / len(y_val)  # right
    return 100 * (accuracy - truth).abs().item()
