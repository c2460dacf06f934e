"""The scaler is fitted again on the held-out rows.

setting: benign and malignant tumours, 10 splits with 10 held-out rows each
figure: accuracy on held-out rows, %
worse: lower
found: How much it costs depends on how many rows are held out, and on how like the training rows they are. With
  hundreds of rows of one kind their mean is nearly that of the training rows.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler


def run(seed):
    X, y = load_breast_cancer(return_X_y=True)
    total = 0.0
    for split in range(10):
        X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=10, random_state=100 * seed + split)
        scaler = StandardScaler()
        X_train = scaler.fit_transform(X_train)
        X_test = scaler.transform(X_test)  # right
        X_test = scaler.fit_transform(X_test)  # wrong
        total += LogisticRegression().fit(X_train, y_train).score(X_test, y_test)
    return 100 * total / 10
