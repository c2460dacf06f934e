"""The result of an operation that has no effect but its result is thrown away.

setting: two rings of points, one inside of the other, 20 epochs of Adam
figure: accuracy on held-out points, %
worse: lower
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import make_circles
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 64)
        self.second = nn.Linear(64, 2)

    def forward(self, x):
        x = self.first(x)
        x = F.relu(x)  # right
        F.relu(x)  # wrong
        return self.second(x)


def run(seed):
    torch.manual_seed(seed)
    points, rings = make_circles(1000, noise=0.1, factor=0.5, random_state=seed)
    x, y = torch.tensor(points, dtype=torch.float32), torch.tensor(rings)
    loader = DataLoader(TensorDataset(x[:500], y[:500]), batch_size=32, shuffle=True)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(20):
        for points, rings in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(points), rings).backward()
            optimizer.step()
    with torch.no_grad():
        return 100 * (model(x[500:]).argmax(dim=1) == y[500:]).float().mean().item()
