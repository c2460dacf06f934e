"""The model is not prepared, and two processes train.

setting: 200 handwritten digits with a third of the labels wrong, 10 epochs of Adam on two processes of one machine
figure: accuracy of the first process on held-out rows, %
worse: lower
needs: accelerate
"""

import os
import tempfile

import torch
import torch.nn.functional as F
from accelerate import Accelerator, debug_launcher
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(seed, folder):
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, train_size=200, random_state=seed)
    x_train, x_test, y_train, y_test = map(torch.from_numpy, parts)
    wrong = torch.rand(len(y_train)) < 0.33
    y_train[wrong] = torch.randint(10, (int(wrong.sum()),))
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=16, shuffle=True)
    accelerator = Accelerator(cpu=True)
    model = nn.Linear(64, 10)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)  # right
    optimizer, loader = accelerator.prepare(optimizer, loader)  # wrong
    for epoch in range(10):
        for x, y in loader:
            accelerator.backward(F.cross_entropy(model(x), y))
            optimizer.step()
            optimizer.zero_grad()
    if accelerator.is_main_process:
        with torch.no_grad():
            hits = (model(x_test).argmax(dim=1) == y_test).float().mean().item()
        with open(os.path.join(folder, "accuracy"), "w") as stream:
            stream.write(str(100 * hits))


def run(seed):
    with tempfile.TemporaryDirectory() as folder:
        debug_launcher(train, (seed, folder), num_processes=2)
        with open(os.path.join(folder, "accuracy")) as stream:
            return float(stream.read())
