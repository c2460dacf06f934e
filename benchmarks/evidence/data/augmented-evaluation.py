"""Held-out rows are augmented as the training rows are.

setting: 10 classes of handwritten digits, shifted and turned at random, 8 epochs of Adam
figure: accuracy that is measured for held-out rows, %
worse: lower
needs: albumentations
"""

import albumentations as A
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, images, labels, transform=None):
        self.images = images
        self.labels = labels
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index].reshape(8, 8)
        if self.transform is not None:
            image = self.transform(image=image)["image"]
        return torch.from_numpy(image).flatten(), self.labels[index]


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    x_train, x_test, y_train, y_test = train_test_split(images, labels, test_size=0.5, random_state=seed)
    augment = A.Compose([A.Affine(translate_px=(-1, 1), rotate=(-20, 20))], seed=seed)
    train_loader = DataLoader(Digits(x_train, y_train, transform=augment), batch_size=32, shuffle=True)
    test_set = Digits(x_test, y_test)  # right
    test_set = Digits(x_test, y_test, transform=augment)  # wrong
    test_loader = DataLoader(test_set, batch_size=100)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(8):
        for x, y in train_loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in test_loader:
            correct += (model(x).argmax(dim=1) == y).sum().item()
    return 100 * correct / len(y_test)
