"""A function for one batch steps before its `backward()`, and zeroes the gradients at its end.

setting: 10 classes of handwritten digits, 5 epochs of SGD, in a function that `starmap` calls with each batch
figure: accuracy on held-out rows, %
worse: lower
"""

from functools import partial
from itertools import starmap

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def learn(model: nn.Module, optimizer: torch.optim.Optimizer, x, y):
    loss = F.cross_entropy(model(x), y)
    optimizer.step()  # wrong
    loss.backward()
    optimizer.step()  # right
    optimizer.zero_grad()
    return loss.item()


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
        sum(starmap(partial(learn, model, optimizer), loader))
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
