"""A schedule drives an optimizer that was replaced.

setting: 10 classes of handwritten digits, Adam at 0.1, decayed by 0.6 each epoch, 12 epochs
figure: loss on the training rows
worse: higher
found: PyTorch warns that `step()` of the schedule comes before that of the optimizer, which is not what is wrong.
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.optim.lr_scheduler import ExponentialLR
from torch.utils.data import DataLoader, TensorDataset


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images, labels = torch.from_numpy(images.astype("float32") / 16), torch.from_numpy(labels)
    loader = DataLoader(TensorDataset(images, labels), batch_size=32, shuffle=True)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    schedule = ExponentialLR(optimizer, 0.6)  # wrong
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)  # wrong
    schedule = ExponentialLR(optimizer, 0.6)  # right
    for epoch in range(12):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        schedule.step()
    with torch.no_grad():
        return F.cross_entropy(model(images), labels).item()
