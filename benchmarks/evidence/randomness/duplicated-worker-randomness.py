"""Every worker of the loader has a copy of one generator of random numbers.

setting: 200 rows with noise added at each read, 2 workers, 2 epochs
figure: reads whose noise was drawn before, %
worse: higher
seeds: 3
"""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __init__(self, rows, seed):
        self.rows = rows
        self.rng = np.random.default_rng(seed)  # wrong

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        noise = torch.randn(()).item()  # right
        noise = self.rng.normal()  # wrong
        return self.rows[index] + noise, noise


def run(seed):
    torch.manual_seed(seed)
    loader = DataLoader(Noisy(torch.arange(200.0), seed), batch_size=10, shuffle=True, num_workers=2)
    drawn = [value for epoch in range(2) for _, noise in loader for value in noise.tolist()]
    return 100 * (1 - len(set(drawn)) / len(drawn))
