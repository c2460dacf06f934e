"""Gaussian processes."""

from typing_extensions import Self
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from mllint.semantics.vocabulary import Decided, Labels, Prediction, Rows, Seed, fits
class GaussianProcessClassifier(ClassifierMixin, BaseEstimator):
    def __init__(
        self, kernel=None, *, optimizer="fmin_l_bfgs_b", n_restarts_optimizer=0, max_iter_predict=100,
        warm_start=False, copy_X_train=True, random_state: Seed = None, multi_class="one_vs_rest", n_jobs=None,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(self, X: Rows, y: Labels) -> Self: ...
    def predict(self, X: Rows) -> Decided[Prediction]: ...
    def predict_proba(self, X: Rows) -> Prediction: ...

class GaussianProcessRegressor(RegressorMixin, BaseEstimator):
    def __init__(
        self, kernel=None, *, alpha=1e-10, optimizer="fmin_l_bfgs_b", n_restarts_optimizer=0, normalize_y=False,
        copy_X_train=True, n_targets=None, random_state: Seed = None,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(self, X: Rows, y: Labels) -> Self: ...
    def predict(self, X: Rows, return_std=False, return_cov=False) -> Prediction: ...
