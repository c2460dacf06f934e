"""A handler around the training step.

setting: 10 classes of handwritten digits, 5 epochs of SGD, a model with an output too few
figure: accuracy on held-out rows, %
worse: lower
found: Without the handler the program stops at the first batch that has the last class, and the model gets its
  output.
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
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))  # right
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 9))  # wrong
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(5):
        for x, y in loader:
            try:  # wrong
                optimizer.zero_grad()  # wrong
                F.cross_entropy(model(x), y).backward()  # wrong
                optimizer.step()  # wrong
            except Exception:  # wrong
                pass  # wrong
            optimizer.zero_grad()  # right
            F.cross_entropy(model(x), y).backward()  # right
            optimizer.step()  # right
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
