"""Weights are kept where the accuracy is the lowest so far.

setting: 10 classes of handwritten digits, 8 epochs of SGD; the weights of one epoch are loaded at the end
figure: accuracy of the weights that were kept on held-out rows, %
worse: lower
"""

import copy

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def accuracy(model, x, y):
    model.eval()
    with torch.no_grad():
        return accuracy_score(y, model(x).argmax(dim=1))


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_val, y_train, y_val = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    model = nn.Linear(64, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    best = 0.0  # right
    best = float("inf")  # wrong
    for epoch in range(8):
        model.train()
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        score = accuracy(model, x_val, y_val)
        if score > best:  # right
            best = score  # right
            kept = copy.deepcopy(model.state_dict())  # right
        if score < best:  # wrong
            best = score  # wrong
            kept = copy.deepcopy(model.state_dict())  # wrong
    model.load_state_dict(kept)
    return 100 * accuracy(model, x_val, y_val)
