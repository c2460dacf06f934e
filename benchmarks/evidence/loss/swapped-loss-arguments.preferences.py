"""The loss of pairs of answers prefers the one that was rejected.

setting: pairs of rows, of which the one with the higher hidden score was chosen; 200 steps of Adam
figure: held-out pairs whose chosen row is rated higher, %
worse: lower
"""

import torch
import torch.nn.functional as F
from torch import nn


def pairs(direction, count):
    first, second = torch.randn(2, count, 16)
    better = (first @ direction > second @ direction).unsqueeze(1)
    return torch.where(better, first, second), torch.where(better, second, first)


def run(seed):
    torch.manual_seed(seed)
    direction = torch.randn(16)
    chosen, rejected = pairs(direction, 512)
    reward = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1))
    optimizer = torch.optim.Adam(reward.parameters(), lr=0.01)
    for step in range(200):
        optimizer.zero_grad()
        chosen_rewards = reward(chosen)
        rejected_rewards = reward(rejected)
        loss = -F.logsigmoid(chosen_rewards - rejected_rewards).mean()  # right
        loss = -F.logsigmoid(rejected_rewards - chosen_rewards).mean()  # wrong
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        chosen, rejected = pairs(direction, 512)
        return 100 * (reward(chosen) > reward(rejected)).float().mean().item()
