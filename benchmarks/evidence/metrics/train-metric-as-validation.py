"""The weights are chosen by a validation curve that is the training curve.

setting: 10 classes of handwritten digits, 100 rows with 30% wrong labels, 100 epochs of Adam
figure: loss of the chosen epoch on the validation rows, nats
worse: higher
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def measure(model, x, y):
    with torch.no_grad():
        return F.cross_entropy(model(x), y).item()


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, train_size=100, random_state=seed)
    x_train, x_val, y_train, y_val = map(torch.from_numpy, parts)
    y_train[:30] = torch.randint(10, (30,))
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=10, shuffle=True)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    history, reached = {"train_loss": [], "val_loss": []}, []
    for epoch in range(100):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        train_loss = measure(model, x_train, y_train)
        val_loss = measure(model, x_val, y_val)
        history["train_loss"].append(train_loss)
        history["val_loss"].append(val_loss)  # right
        history["val_loss"].append(train_loss)  # wrong
        reached.append(val_loss)
    return reached[history["val_loss"].index(min(history["val_loss"]))]
