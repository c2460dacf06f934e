"""A likelihood, which needs probabilities, is handed the classes that were decided on.

setting: 2,000 rows of two classes, logistic regression
figure: log loss that is reported, nats
worse: higher
"""

from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split


def run(seed):
    X, y = make_classification(2000, class_sep=0.8, random_state=seed)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=seed)
    model = LogisticRegression().fit(X_train, y_train)
    found = model.predict_proba(X_test)  # right
    found = model.predict(X_test)  # wrong
    return log_loss(y_test, found)
