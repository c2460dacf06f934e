"""Preprocessing that has seen the held-out rows.

setting: random labels for 200 rows of 5,000 noise features: nothing can be learnt
figure: accuracy that is reported for held-out rows (the truth is 50%), %
worse: higher
found: A scaler that saw the held-out rows changes the score by less than chance does; a selection of features with the
  labels invents a score out of nothing. Both are the same mistake, and mllint does not weigh them.
"""

import numpy as np
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def run(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 5000))
    y = rng.integers(0, 2, size=200)
    X = SelectKBest(k=20).fit_transform(X, y)  # wrong: feature selection
    X = StandardScaler().fit_transform(X)  # wrong: scaler
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
    model = make_pipeline(StandardScaler(), SelectKBest(k=20), LogisticRegression())  # right
    model = LogisticRegression()  # wrong: feature selection
    model = make_pipeline(SelectKBest(k=20), LogisticRegression())  # wrong: scaler
    model.fit(X_train, y_train)
    return 100 * model.score(X_test, y_test)
