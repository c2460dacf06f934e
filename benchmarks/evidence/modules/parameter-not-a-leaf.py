"""An attribute holds what was computed of a parameter.

setting: 10 classes of handwritten digits, 5 epochs of SGD
figure: accuracy on held-out rows after the model was saved and loaded, %
worse: lower
found: A product with a number raises at the second `backward()`; a parameter that is transposed, moved or reshaped
  does not.
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 64)
        self.weight = nn.Parameter(torch.randn(10, 64).t() / 8)  # right
        self.weight = nn.Parameter(torch.randn(10, 64) / 8).t()  # wrong: transposed
        self.weight = nn.Parameter(torch.randn(64, 10)) / 8  # wrong: divided

    def forward(self, x):
        return F.relu(self.first(x)) @ self.weight


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_test, y_train, y_test = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    trained = Net()
    optimizer = torch.optim.SGD(trained.parameters(), lr=0.1, momentum=0.9)
    for epoch in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(trained(x), y).backward()
            optimizer.step()
    model = Net()
    model.load_state_dict(trained.state_dict())
    with torch.no_grad():
        return 100 * (model(x_test).argmax(dim=1) == y_test).float().mean().item()
