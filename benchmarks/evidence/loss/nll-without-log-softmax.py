"""The input of the negative log-likelihood is no logarithm of probabilities.

setting: 10 classes of handwritten digits, 5 epochs of SGD
figure: accuracy on held-out rows, %
worse: lower
"""

import torch
import torch.nn.functional as F
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
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.nll_loss(F.log_softmax(model(x), dim=1), y)  # right
            loss = F.nll_loss(F.softmax(model(x), dim=1), y)  # wrong: probabilities
            loss = F.nll_loss(model(x), y)  # wrong: logits
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
