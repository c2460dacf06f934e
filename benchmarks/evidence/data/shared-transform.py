"""The transform of the validation part is set on the dataset that both parts share.

setting: 10 classes of handwritten digits, 300 rows that are shifted at random for training, 60 epochs of Adam
figure: accuracy on new digits that lie a pixel off the middle, %
worse: lower
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset, random_split


def train_transform(image):
    return image.roll(int(torch.randint(-1, 2, ())), dims=1)


def val_transform(image):
    return image


class Digits(Dataset):
    def __init__(self, images, labels, transform):
        self.images = images
        self.labels = labels
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.transform(self.images[index]).flatten(), self.labels[index]


def run(seed):
    torch.manual_seed(seed)
    data = load_digits()
    images = torch.from_numpy(data.images.astype("float32") / 16)
    order = torch.randperm(len(images))
    images, labels = images[order], torch.from_numpy(data.target)[order]
    full = Digits(images[:400], labels[:400], transform=train_transform)
    train_set, val_set = random_split(full, [300, 100])
    val_set = Subset(Digits(images[:400], labels[:400], transform=val_transform), val_set.indices)  # right
    val_set.dataset.transform = val_transform  # wrong
    train_loader = DataLoader(train_set, batch_size=32, shuffle=True)
    val_loader = DataLoader(val_set, batch_size=100)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.003)
    best = float("inf")
    for epoch in range(60):
        for x, y in train_loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
        with torch.no_grad():
            val_loss = sum(F.cross_entropy(model(x), y).item() for x, y in val_loader)
        if val_loss < best:
            best, weights = val_loss, {k: v.clone() for k, v in model.state_dict().items()}
    model.load_state_dict(weights)
    moved = torch.cat([images[400:].roll(by, dims=2) for by in (-1, 1)])
    with torch.no_grad():
        right = model(moved.flatten(1)).argmax(dim=1) == labels[400:].repeat(2)
    return 100 * right.float().mean().item()
