"""A score that is no mean over samples is averaged over batches.

setting: a rare class of one row in twenty, logistic regression, held-out batches of 32 rows
figure: distance of the reported F1 score from that of all rows, %
worse: higher
"""

import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset


def run(seed):
    X, y = make_classification(3000, weights=[0.95], class_sep=1.5, random_state=seed)
    x_train, x_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
    model = LogisticRegression().fit(x_train, y_train)
    loader = DataLoader(TensorDataset(torch.from_numpy(x_test), torch.from_numpy(y_test)), batch_size=32)
    scores, predicted, labels = [], [], []
    for x, y in loader:
        decided = model.predict(x.numpy())
        predicted.append(decided)  # right
        labels.append(y.numpy())  # right
        scores.append(f1_score(y.numpy(), decided, zero_division=0.0))  # wrong
    reported = f1_score(np.concatenate(labels), np.concatenate(predicted))  # right
    reported = np.mean(scores)  # wrong
    return 100 * abs(float(reported) - f1_score(y_test, model.predict(x_test)))
