"""The schedule steps before the optimizer does.

setting: 10 classes of handwritten digits, 2 epochs of SGD, the second at a tenth of the learning rate
figure: accuracy on held-out rows, %
worse: lower
found: PyTorch warns about it, once. The harm is as large as the first value of the schedule is important: great where
  there are two epochs, little where there are ninety.
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
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1)
    for epoch in range(2):
        scheduler.step()  # wrong
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        scheduler.step()  # right
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
