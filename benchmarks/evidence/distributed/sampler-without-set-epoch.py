"""A distributed sampler whose epoch is never set.

setting: 100 rows, 10 epochs of SGD on one of 2 processes
figure: different orders of the rows
worse: lower
seeds: 3
found: What is certain is that all epochs have one order. On handwritten digits it costs no accuracy; it is harm where
  batches matter: few and large ones, batch norm, contrastive losses.
"""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def run(seed):
    torch.manual_seed(seed)
    dataset = TensorDataset(torch.randn(100, 8), torch.arange(100))
    sampler = DistributedSampler(dataset, num_replicas=2, rank=0, seed=seed)
    loader = DataLoader(dataset, batch_size=10, sampler=sampler)
    model = nn.Linear(8, 100)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    orders = set()
    for epoch in range(10):
        sampler.set_epoch(epoch)  # right
        rows = []
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
            rows += y.tolist()
        orders.add(tuple(rows))
    return len(orders)
