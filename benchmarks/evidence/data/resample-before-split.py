"""Rows of the rare class are repeated, and only then some are held out.

setting: random labels for 1,000 rows of noise, one in ten positive: nothing can be learnt
figure: area under the ROC curve that is reported (the truth is 50%), %
worse: higher
needs: imblearn
"""

import numpy as np
from imblearn.over_sampling import SMOTE, RandomOverSampler
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split


def run(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1000, 10))
    y = (rng.random(1000) < 0.1).astype(int)
    X, y = RandomOverSampler(random_state=seed).fit_resample(X, y)  # wrong: copies
    X, y = SMOTE(random_state=seed).fit_resample(X, y)  # wrong: SMOTE
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, random_state=seed)
    X_train, y_train = RandomOverSampler(random_state=seed).fit_resample(X_train, y_train)  # right
    model = RandomForestClassifier(50, random_state=seed).fit(X_train, y_train)
    return 100 * roc_auc_score(y_test, model.predict_proba(X_test)[:, 1])
