"""The loss is computed from predictions that are rounded, or chosen, before it.

setting: the value of handwritten digits as a number, 5 epochs of SGD
figure: mean error on held-out rows, digits
worse: higher
found: `round` has a gradient of zero, so that training runs and changes nothing. `argmax` has none: if nothing else
  is in the loss, `backward()` raises.
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
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))  # right: argmax
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))  # wrong: argmax
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            out = model(x).squeeze(1)  # right
            out = model(x).squeeze(1).round()  # wrong: round
            out = model(x).argmax(dim=1).float()  # wrong: argmax
            loss = F.l1_loss(out, y.float())
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return F.l1_loss(model(x_test).squeeze(1), y_test.float()).item()
