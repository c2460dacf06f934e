"""A study looks for the lowest accuracy.

setting: optuna chooses the learning rate of a linear model of handwritten digits, in 12 trials of 20 steps
figure: accuracy of the best trial on held-out rows, %
worse: lower
needs: optuna
"""

import optuna
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from torch import nn


def trained(x, y, rate):
    model = nn.Linear(64, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    for step in range(20):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    return model


def run(seed):
    torch.manual_seed(seed)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    images, labels = load_digits(return_X_y=True)
    images = images.astype("float32") / 16
    parts = train_test_split(images, labels, test_size=0.5, random_state=seed)
    x_train, x_val, y_train, y_val = map(torch.from_numpy, parts)

    def objective(trial):
        model = trained(x_train, y_train, trial.suggest_float("rate", 1e-3, 1.0, log=True))
        return accuracy_score(y_val, model(x_val).argmax(dim=1))

    sampler = optuna.samplers.RandomSampler(seed)
    study = optuna.create_study(direction="maximize", sampler=sampler)  # right
    study = optuna.create_study(sampler=sampler)  # wrong
    study.optimize(objective, n_trials=12)
    model = trained(x_train, y_train, study.best_params["rate"])
    return 100 * accuracy_score(y_val, model(x_val).argmax(dim=1))
