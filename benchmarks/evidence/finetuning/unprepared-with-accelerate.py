"""The optimizer is not prepared, and gradients are accumulated.

setting: handwritten digits with a third of the labels wrong, batches of 4 accumulated to 64, 5 epochs of Adam
figure: accuracy on held-out rows, %
worse: lower
needs: accelerate
found: on one device and without accumulation there is no difference
"""

import torch
import torch.nn.functional as F
from accelerate import Accelerator
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
    wrong = torch.rand(len(y_train)) < 0.33
    y_train[wrong] = torch.randint(10, (int(wrong.sum()),))
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=4, shuffle=True)
    accelerator = Accelerator(gradient_accumulation_steps=16, cpu=True)
    model = nn.Linear(64, 10)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)  # right
    model, loader = accelerator.prepare(model, loader)  # wrong
    for epoch in range(5):
        for x, y in loader:
            with accelerator.accumulate(model):
                accelerator.backward(F.cross_entropy(model(x), y))
                optimizer.step()
                optimizer.zero_grad()
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
