"""One layer repeated in a list, where several layers are meant.

setting: a network of 4 layers learns what another one computes, 500 steps of Adam
figure: squared error on the training rows relative to the variance
worse: higher
found: With shared weights a network is not harder to train, and on easy data no worse: digits are classified as well.
  It has a quarter of the weights, and fits less where each layer has its own task, as here.
"""

import torch
import torch.nn.functional as F
from torch import nn


def teacher_data():
    layers = []
    for _ in range(4):
        layer = nn.Linear(16, 16)
        layer.weight.data *= 3
        layers += [layer, nn.Tanh()]
    teacher = nn.Sequential(*layers, nn.Linear(16, 1))
    x = torch.randn(1000, 16)
    with torch.no_grad():
        y = teacher(x)
    return x, (y - y.mean()) / y.std()


def run(seed):
    torch.manual_seed(seed)
    x, y = teacher_data()
    body = [layer for _ in range(4) for layer in (nn.Linear(16, 16), nn.Tanh())]  # right
    body = [nn.Linear(16, 16), nn.Tanh()] * 4  # wrong
    model = nn.Sequential(*body, nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(500):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()
