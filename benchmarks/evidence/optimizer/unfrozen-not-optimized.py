"""The body is unfrozen, and the optimizer was built of what was trainable before.

setting: 10 classes of handwritten digits, a narrow body that is frozen for 2 of 12 epochs of Adam
figure: accuracy on held-out rows, %
worse: lower
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(64, 8)
        self.head = nn.Linear(8, 10)

    def forward(self, x):
        return self.head(F.relu(self.body(x)))


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_test, y_train, y_test = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    model = Net()
    for p in model.body.parameters():
        p.requires_grad = False
    optimizer = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=0.01)  # wrong: filtered
    optimizer = torch.optim.Adam(model.head.parameters(), lr=0.01)  # wrong: only the head
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)  # right
    for epoch in range(12):
        if epoch == 2:
            for p in model.body.parameters():
                p.requires_grad = True
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
