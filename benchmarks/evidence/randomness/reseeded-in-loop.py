"""The seed is set in every epoch.

setting: 100 rows, 10 epochs of SGD
figure: different orders of the rows
worse: lower
seeds: 3
"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def run(seed):
    torch.manual_seed(seed)
    dataset = TensorDataset(torch.randn(100, 8), torch.arange(100))
    loader = DataLoader(dataset, batch_size=10, shuffle=True)
    model = nn.Linear(8, 100)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    orders = set()
    for epoch in range(10):
        torch.manual_seed(seed)  # wrong
        rows = []
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            rows += y.tolist()
        orders.add(tuple(rows))
    return len(orders)
