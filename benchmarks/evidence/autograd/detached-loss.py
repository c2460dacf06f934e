"""One of two terms of the loss is a number, so that nothing is trained for it.

setting: one network for the digit and for its parity, 5 epochs of SGD
figure: accuracy of the parity on held-out rows, %
worse: lower
found: A loss that is detached as a whole raises in `backward()`. Only a loss that is detached in part is silent.
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
    body, digit, parity = nn.Linear(64, 64), nn.Linear(64, 10), nn.Linear(64, 2)
    parameters = [*body.parameters(), *digit.parameters(), *parity.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.1, momentum=0.9)
    for epoch in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            features = F.relu(body(x))
            loss = F.cross_entropy(digit(features), y)
            other = F.cross_entropy(parity(features), y % 2)
            loss = loss + other  # right
            loss = loss + other.item()  # wrong: one term is a number
            loss = (loss + other).detach()  # wrong: all of it is detached
            loss.backward()
            optimizer.step()
    with torch.no_grad():
        predicted = parity(F.relu(body(x_test))).argmax(dim=1)
    return 100 * (predicted == y_test % 2).float().mean().item()
