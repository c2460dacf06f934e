"""Ensembles that resample inside."""

from typing_extensions import Self
from sklearn.ensemble import AdaBoostClassifier
from sklearn.ensemble import BaggingClassifier
from sklearn.ensemble import RandomForestClassifier

from mllint.semantics.vocabulary import Decided, Labels, Prediction, Rows, Seed, fits
class BalancedBaggingClassifier(BaggingClassifier):
    def __init__(
        self, estimator=None, n_estimators=10, *, max_samples=1.0, max_features=1.0, bootstrap=True,
        bootstrap_features=False, oob_score=False, warm_start=False, sampling_strategy="auto", replacement=False,
        n_jobs=None, random_state: Seed = None, verbose=0, sampler=None,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(self, X: Rows, y: Labels) -> Self: ...

class BalancedRandomForestClassifier(RandomForestClassifier):
    def __init__(
        self, n_estimators=100, *, criterion="gini", max_depth=None, min_samples_split=2, min_samples_leaf=1,
        min_weight_fraction_leaf=0.0, max_features="sqrt", max_leaf_nodes=None, min_impurity_decrease=0.0,
        bootstrap=False, oob_score=False, sampling_strategy="all", replacement=True, n_jobs=None,
        random_state: Seed = None, verbose=0, warm_start=False, class_weight=None, ccp_alpha=0.0, max_samples=None,
        monotonic_cst=None,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(self, X: Rows, y: Labels, sample_weight=None) -> Self: ...
    def predict(self, X: Rows) -> Decided[Prediction]: ...
    def predict_proba(self, X: Rows) -> Prediction: ...
    def predict_log_proba(self, X: Rows) -> Prediction: ...
    def apply(self, X): ...

class EasyEnsembleClassifier(BaggingClassifier):
    def __init__(
        self, n_estimators=10, estimator=None, *, warm_start=False, sampling_strategy="auto", replacement=False,
        n_jobs=None, random_state: Seed = None, verbose=0,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(self, X: Rows, y: Labels) -> Self: ...

class RUSBoostClassifier(AdaBoostClassifier):
    def __init__(
        self, estimator=None, *, n_estimators=50, learning_rate=1.0, algorithm="deprecated", sampling_strategy="auto",
        replacement=False, random_state: Seed = None,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(self, X: Rows, y: Labels, sample_weight=None) -> Self: ...
