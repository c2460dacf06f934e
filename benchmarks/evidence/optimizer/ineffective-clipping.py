"""Gradients are clipped behind the step, or before they are computed.

setting: 10 classes of handwritten digits, some rows 100 times too bright, 10 epochs of SGD
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
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    x_train[::50] *= 100
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(10):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # wrong: before the backward
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # right
            optimizer.step()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # wrong: after the step
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
