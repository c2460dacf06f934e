"""Which rows are held out changes from run to run.

setting: ten runs of the same program on 178 wines
figure: best accuracy of the ten less the worst, points
worse: higher
"""

from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier


def score():
    X, y = load_wine(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)  # right
    X_train, X_test, y_train, y_test = train_test_split(X, y)  # wrong
    return DecisionTreeClassifier(random_state=0).fit(X_train, y_train).score(X_test, y_test)


def run(seed):
    scores = [score() for _ in range(10)]
    return 100 * (max(scores) - min(scores))


if __name__ == "__main__":
    print(run(0))
