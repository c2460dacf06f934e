"""The loss of a discriminator reaches the step of the generator.

setting: a generator of two layers learns points on a circle against a discriminator, 1000 steps of Adam
figure: mean distance of the points that it makes from the circle
worse: higher
"""

import torch
import torch.nn.functional as F
from torch import nn


def mlp(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 64), nn.LeakyReLU(0.2), nn.Linear(64, outputs))


def run(seed):
    torch.manual_seed(seed)
    generator, discriminator = mlp(4, 2), mlp(2, 1)
    optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    for step in range(1000):
        angles = 6.2832 * torch.rand(128, 1)
        real = torch.cat([angles.cos(), angles.sin()], dim=1)
        fake = generator(torch.randn(128, 4))
        optimizer_d.zero_grad()
        optimizer_g.zero_grad()
        loss_d = F.softplus(-discriminator(real)).mean() + F.softplus(discriminator(fake)).mean()
        loss_d.backward()
        optimizer_d.step()
        optimizer_g.zero_grad()  # right
        loss_g = F.softplus(-discriminator(generator(torch.randn(128, 4)))).mean()
        loss_g.backward()
        optimizer_g.step()
    with torch.no_grad():
        return (generator(torch.randn(1000, 4)).norm(dim=1) - 1).abs().mean().item()
