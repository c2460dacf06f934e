"""A column of predictions is subtracted from a row of targets, in a loss that is written by hand.

setting: the progress of diabetes in 442 patients, 30 epochs of Adam
figure: squared error on held-out patients relative to the variance
worse: higher
found: Nothing warns about it here.
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def run(seed):
    torch.manual_seed(seed)
    patients, progress = load_diabetes(return_X_y=True)
    progress = (progress - 150) / 77
    parts = train_test_split(20 * patients.astype("float32"), progress.astype("float32"), random_state=seed)
    x_train, x_test, y_train, y_test = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    head = nn.Linear(10, 1)
    optimizer = torch.optim.Adam(head.parameters(), lr=0.01)
    for epoch in range(30):
        for x, y in loader:
            optimizer.zero_grad()
            scores = head(x).squeeze(-1)  # right
            scores = head(x)  # wrong
            loss = ((scores - y.view(-1)) ** 2).mean()
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return (F.mse_loss(head(x_test).squeeze(-1), y_test) / y_test.var()).item()
