"""`type=bool` makes any text true.

setting: two rings of points, with a hidden layer and, with `--hidden False`, without
figure: gain that the ablation shows for the hidden layer, points
worse: lower
"""

import argparse

import torch
import torch.nn.functional as F
from sklearn.datasets import make_circles
from torch import nn


def parse(words):
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=lambda text: text == "True", default=True)  # right
    parser.add_argument("--hidden", type=bool, default=True)  # wrong
    return parser.parse_args(words)


def train(args, seed):
    torch.manual_seed(seed)
    points, rings = make_circles(500, noise=0.1, factor=0.5, random_state=seed)
    x, y = torch.tensor(points, dtype=torch.float32), torch.tensor(rings)
    hidden = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 2))
    model = hidden if args.hidden else nn.Linear(2, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(100):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    with torch.no_grad():
        return 100 * (model(x).argmax(dim=1) == y).float().mean().item()


def without():
    try:
        return parse(["--hidden", "False"])
    except SystemExit:  # what is refused is written as the usage says
        return parse(["--no-hidden"])


def run(seed):
    return train(parse([]), seed) - train(without(), seed)
