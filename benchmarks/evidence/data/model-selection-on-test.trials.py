"""The trials of a search are scored on the test rows, on which the chosen one is measured afterwards.

setting: random labels for 50 test rows: nothing can be learnt; the best of 100 trials of a decision tree
figure: accuracy that is reported for the test set (the truth is 50%), %
worse: higher
seeds: 12
needs: optuna
"""

import numpy as np
import optuna
from sklearn.metrics import accuracy_score
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier


def run(seed):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=(200, 20)), rng.integers(0, 2, size=200)
    x_train, x_rest, y_train, y_rest = train_test_split(x, y, test_size=0.5, random_state=seed)
    x_val, x_test, y_val, y_test = train_test_split(x_rest, y_rest, test_size=0.5, random_state=seed)

    def tree(depth, state):
        return DecisionTreeClassifier(max_depth=depth, max_features=2, random_state=state).fit(x_train, y_train)

    def objective(trial):
        model = tree(trial.suggest_int("depth", 1, 12), trial.suggest_int("state", 0, 1000))
        return accuracy_score(y_val, model.predict(x_val))  # right
        return accuracy_score(y_test, model.predict(x_test))  # wrong

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed))
    study.optimize(objective, n_trials=100)
    model = tree(**study.best_params)
    return 100 * accuracy_score(y_test, model.predict(x_test))
