"""A metric that ranks scores is handed the classes that were decided on.

setting: 2,000 rows, one in twenty positive, logistic regression
figure: area under the ROC curve that is reported, %
worse: lower
"""

from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split


def run(seed):
    X, y = make_classification(2000, weights=[0.95], class_sep=0.8, random_state=seed)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=seed)
    model = LogisticRegression().fit(X_train, y_train)
    scores = model.predict_proba(X_test)[:, 1]  # right
    scores = model.predict(X_test)  # wrong
    return 100 * roc_auc_score(y_test, scores)
