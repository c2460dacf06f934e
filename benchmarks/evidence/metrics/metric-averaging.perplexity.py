"""The perplexities of batches are averaged.

setting: a table of followers learns texts of 40 words, some easy and some hard, held-out batches of four texts
figure: perplexity that is reported for held-out texts
worse: higher
"""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader


def perplexity(model, loader):
    model.eval()
    total = 0.0
    with torch.no_grad():
        for text in loader:
            loss = F.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten())
            total += loss.item()  # right
            total += math.exp(loss.item())  # wrong
    return math.exp(total / len(loader))  # right
    return total / len(loader)  # wrong


def run(seed):
    torch.manual_seed(seed)
    follower = torch.randperm(40)
    texts = torch.randint(40, (400, 60))
    surprises = torch.rand(400, 60) < torch.rand(400, 1)
    for at in range(1, 60):
        texts[:, at] = torch.where(surprises[:, at], texts[:, at], follower[texts[:, at - 1]])
    model = nn.Embedding(40, 40)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for epoch in range(5):
        for text in DataLoader(texts[:200], batch_size=10, shuffle=True):
            optimizer.zero_grad()
            F.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten()).backward()
            optimizer.step()
    return perplexity(model, DataLoader(texts[200:], batch_size=4))
