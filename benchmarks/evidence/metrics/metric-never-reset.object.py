"""A metric object of the validation is never reset.

setting: 10 classes of handwritten digits, 5 epochs of SGD, a metric of torchmetrics
figure: reported accuracy of the last epoch, %
worse: lower
needs: torchmetrics
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torchmetrics.classification import MulticlassAccuracy


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_val, y_train, y_val = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    val_loader = DataLoader(TensorDataset(x_val, y_val), batch_size=32)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    accuracy = MulticlassAccuracy(10, average="micro")
    for epoch in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        accuracy.reset()  # right
        with torch.no_grad():
            for x, y in val_loader:
                accuracy.update(model(x), y)
        reported = accuracy.compute().item()
    return 100 * reported
