"""A scorer that asks a classifier for its classes chooses a setting by a metric that ranks scores.

setting: 2,000 rows, one in twenty positive, the strength of a logistic regression by cross-validation
figure: area under the ROC curve that the search reports, %
worse: lower
"""

from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV


def run(seed):
    X, y = make_classification(2000, weights=[0.95], class_sep=0.8, random_state=seed)
    scorer = make_scorer(roc_auc_score, response_method=("decision_function", "predict_proba"))  # right
    scorer = make_scorer(roc_auc_score)  # wrong
    search = GridSearchCV(LogisticRegression(), {"C": [0.001, 0.01, 0.1, 1.0]}, scoring=scorer)
    search.fit(X, y)
    return 100 * search.best_score_
