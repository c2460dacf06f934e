"""The shuffled loader is not prepared, and two processes train.

setting: handwritten digits, batches of 16, one epoch of SGD on two processes of one machine
figure: rows that all processes together read in an epoch, for each row of the data
worse: higher
needs: accelerate
seeds: 3
"""

import tempfile
from pathlib import Path

import torch
import torch.nn.functional as F
from accelerate import Accelerator, debug_launcher
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(seed, folder):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    images, labels = load_digits(return_X_y=True)
    rows = TensorDataset(torch.from_numpy(images.astype("float32") / 16), torch.from_numpy(labels))
    loader = DataLoader(rows, batch_size=16, shuffle=True)
    accelerator = Accelerator(cpu=True)
    model = nn.Linear(64, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)  # right
    model, optimizer = accelerator.prepare(model, optimizer)  # wrong
    read = 0
    for x, y in loader:
        accelerator.backward(F.cross_entropy(model(x), y))
        optimizer.step()
        optimizer.zero_grad()
        read += len(y)
    Path(folder, str(accelerator.process_index)).write_text(str(read / len(rows)))


def run(seed):
    with tempfile.TemporaryDirectory() as folder:
        debug_launcher(train, (seed, folder), num_processes=2)
        return sum(float(path.read_text()) for path in Path(folder).iterdir())
