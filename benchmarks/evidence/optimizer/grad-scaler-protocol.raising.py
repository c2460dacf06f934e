"""Parts of the protocol that PyTorch checks.

setting: 10 classes of handwritten digits in half precision, 5 epochs of SGD
figure: accuracy on held-out rows, %
worse: lower
found: A second step without `update()`, an `update()` without a step of the scaler, and a step on a loss that was
  never scaled raise. Leaving the scaler out from the step on is silent.
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
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu")
    for epoch in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            with torch.autocast("cpu", dtype=torch.float16):
                loss = F.cross_entropy(model(x), y)
            scaler.scale(loss).backward()  # right: loss not scaled
            loss.backward()  # wrong: loss not scaled
            scaler.step(optimizer)  # right: plain step and update
            optimizer.step()  # wrong: plain step and update
            scaler.update()  # right: no update
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
