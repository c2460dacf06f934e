"""A loss that applies softmax is given the score of one class.

setting: even or odd handwritten digits, 5 epochs of SGD
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
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
    criterion = nn.BCEWithLogitsLoss()  # right
    criterion = nn.CrossEntropyLoss()  # wrong
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(5):
        for x, y in loader:
            odd = (y % 2).float().unsqueeze(1)
            optimizer.zero_grad()
            criterion(model(x), odd).backward()
            optimizer.step()
    with torch.no_grad():
        predicted = model(x_test).squeeze(1) > 0
    return 100 * (predicted == (y_test % 2 == 1)).float().mean().item()
