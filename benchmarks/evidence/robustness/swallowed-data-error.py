"""A data set hides the rows that it can't read.

setting: 10 classes of handwritten digits, 5 epochs of SGD, 8 of 9 file names end with .PNG, not .png
figure: accuracy on held-out rows, %
worse: lower
found: Without the handler the program stops at the first name that is wrong.
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, x, y):
        names = [f"{index}.png" if index < 100 else f"{index}.PNG" for index in range(len(x))]
        self.rows = dict(zip(names, zip(x, y, strict=True), strict=True))
        self.names = names  # right
        self.names = [f"{index}.png" for index in range(len(x))]  # wrong

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        return self.rows[self.names[index]]  # right
        try:  # wrong
            return self.rows[self.names[index]]  # wrong
        except Exception:  # wrong
            return self[0]  # wrong


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_test, y_train, y_test = map(torch.from_numpy, parts)
    loader = DataLoader(Digits(x_train, y_train), batch_size=32, shuffle=True)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
