"""The loss of the last batch, or the answers of the last batch, stand for all.

setting: 10 classes of handwritten digits, 5 epochs of SGD, a last batch of three rows
figure: relative distance of the reported score from that of all rows, %
worse: higher
seeds: 10
"""

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def run(seed):
    torch.manual_seed(seed)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_val, y_train, y_val = map(torch.from_numpy, parts)
    loader = DataLoader(TensorDataset(x_train, y_train), batch_size=32, shuffle=True)
    val_loader = DataLoader(TensorDataset(x_val, y_val), batch_size=32)
    model = nn.Linear(64, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    for epoch in range(5):
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x), y).backward()
            optimizer.step()
    model.eval()
    with torch.no_grad():
        logits = model(x_val)
        true_loss = F.cross_entropy(logits, y_val).item()
        true_score = f1_score(y_val, logits.argmax(dim=1), average="micro")
        total, predicted, truth = 0.0, [], []
        for x, y in val_loader:
            loss = F.cross_entropy(model(x), y)
            total += loss.item() * len(y)  # right: the loss
            answers = model(x).argmax(dim=1)
            predicted.append(answers)  # right: the answers
            truth.append(y)  # right: the answers
    reported = total / len(y_val)  # right: the loss
    reported = loss.item()  # wrong: the loss
    answers, y = torch.cat(predicted), torch.cat(truth)  # right: the answers
    score = f1_score(y, answers, average="micro")
    return 100 * (abs(reported / true_loss - 1) + abs(score / true_score - 1))
