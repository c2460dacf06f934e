"""After the first evaluation the training goes on in eval mode.

setting: 10 classes of handwritten digits, 100 rows with 30% wrong labels, dropout, 60 epochs of Adam
figure: loss on held-out rows, nats
worse: higher
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
    parts = train_test_split(images, labels, train_size=100, random_state=seed)
    x_train, x_val, y_train, y_val = map(torch.from_numpy, parts)
    y_train[:30] = torch.randint(10, (30,))
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=10, shuffle=True)
    val_loader = DataLoader(TensorDataset(x_val, y_val), batch_size=1000)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Dropout(0.8), nn.Linear(256, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    model.train()  # wrong
    for epoch in range(60):
        model.train()  # right
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        model.eval()
        total = 0.0
        with torch.no_grad():
            for x, y in val_loader:
                total += F.cross_entropy(model(x), y, reduction="sum").item()
    return total / len(x_val)
