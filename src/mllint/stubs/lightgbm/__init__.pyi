"""LightGBM."""

from typing import overload

from typing_extensions import Self
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from mllint.semantics.vocabulary import (
    Decided, Labels, Prediction, Rows, Seed, fits, inert, predictor, scale_free, splits,
)

class Dataset:
    def __init__(
        self, data: Rows, label: Labels = None, reference=None, weight=None, group=None, init_score=None,
        feature_name="auto", categorical_feature="auto", params=None, free_raw_data=True, position=None,
    ) -> None: ...
    def create_valid(
        self, data: Rows, label: Labels = None, weight=None, group=None, init_score=None, params=None, position=None,
    ) -> Dataset: ...

class Booster:
    def __init__(self, params=None, train_set: Rows = None, model_file=None, model_str=None) -> None: ...
    def predict(
        self, data: Rows, start_iteration=0, num_iteration=None, raw_score=False, pred_leaf=False, pred_contrib=False,
        data_has_header=False, validate_features=False, **kwargs,
    ) -> Prediction: ...
    @inert
    def save_model(self, filename, num_iteration=None, start_iteration=0, importance_type="split") -> Self: ...

class LGBMModel(BaseEstimator):
    def __init__(
        self, *, boosting_type="gbdt", num_leaves=31, max_depth=-1, learning_rate=0.1, n_estimators=100,
        subsample_for_bin=200000, objective=None, class_weight=None, min_split_gain=0.0, min_child_weight=0.001,
        min_child_samples=20, subsample=1.0, subsample_freq=0, colsample_bytree=1.0, reg_alpha=0.0, reg_lambda=0.0,
        random_state: Seed = None, n_jobs=None, importance_type="split", **kwargs,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels, sample_weight=None, init_score=None, group=None, eval_set=None, eval_names=None,
        eval_sample_weight=None, eval_class_weight=None, eval_init_score=None, eval_group=None, eval_metric=None,
        feature_name="auto", categorical_feature="auto", callbacks=None, init_model=None, *, eval_X=None, eval_y=None,
    ) -> Self: ...
    def predict(
        self, X: Rows, raw_score=False, start_iteration=0, num_iteration=None, pred_leaf=False, pred_contrib=False,
        validate_features=False, **kwargs,
    ) -> Prediction: ...
    def get_params(self, deep=True): ...
    def set_params(self, **params) -> Self: ...

@scale_free
class LGBMClassifier(ClassifierMixin, LGBMModel):
    def __init__(
        self, *, boosting_type="gbdt", num_leaves=31, max_depth=-1, learning_rate=0.1, n_estimators=100,
        subsample_for_bin=200000, objective=None, class_weight=None, min_split_gain=0.0, min_child_weight=0.001,
        min_child_samples=20, subsample=1.0, subsample_freq=0, colsample_bytree=1.0, reg_alpha=0.0, reg_lambda=0.0,
        random_state: Seed = None, n_jobs=None, importance_type="split", **kwargs,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels, sample_weight=None, init_score=None, eval_set=None, eval_names=None,
        eval_sample_weight=None, eval_class_weight=None, eval_init_score=None, eval_metric=None, feature_name="auto",
        categorical_feature="auto", callbacks=None, init_model=None, *, eval_X=None, eval_y=None,
    ) -> Self: ...
    @overload
    def predict(
        self, X: Rows, *, start_iteration=0, num_iteration=None, validate_features=False,
    ) -> Decided[Prediction]: ...
    @overload
    def predict(
        self, X: Rows, raw_score=False, start_iteration=0, num_iteration=None, pred_leaf=False, pred_contrib=False,
        validate_features=False, **kwargs,
    ) -> Prediction: ...
    def predict_proba(
        self, X: Rows, raw_score=False, start_iteration=0, num_iteration=None, pred_leaf=False, pred_contrib=False,
        validate_features=False, **kwargs,
    ) -> Prediction: ...
    def decision_function(
        self, X: Rows, *, start_iteration=0, num_iteration=None, validate_features=False, **kwargs,
    ) -> Prediction: ...

@scale_free
class LGBMRegressor(RegressorMixin, LGBMModel):
    def __init__(
        self, *, boosting_type="gbdt", num_leaves=31, max_depth=-1, learning_rate=0.1, n_estimators=100,
        subsample_for_bin=200000, objective=None, class_weight=None, min_split_gain=0.0, min_child_weight=0.001,
        min_child_samples=20, subsample=1.0, subsample_freq=0, colsample_bytree=1.0, reg_alpha=0.0, reg_lambda=0.0,
        random_state: Seed = None, n_jobs=None, importance_type="split", **kwargs,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels, sample_weight=None, init_score=None, eval_set=None, eval_names=None,
        eval_sample_weight=None, eval_init_score=None, eval_metric=None, feature_name="auto",
        categorical_feature="auto", callbacks=None, init_model=None, *, eval_X=None, eval_y=None,
    ) -> Self: ...

@scale_free
class LGBMRanker(LGBMModel):
    def __init__(
        self, *, boosting_type="gbdt", num_leaves=31, max_depth=-1, learning_rate=0.1, n_estimators=100,
        subsample_for_bin=200000, objective=None, class_weight=None, min_split_gain=0.0, min_child_weight=0.001,
        min_child_samples=20, subsample=1.0, subsample_freq=0, colsample_bytree=1.0, reg_alpha=0.0, reg_lambda=0.0,
        random_state: Seed = None, n_jobs=None, importance_type="split", **kwargs,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels, sample_weight=None, init_score=None, group=None, eval_set=None, eval_names=None,
        eval_sample_weight=None, eval_init_score=None, eval_group=None, eval_metric=None, eval_at=(1, 2, 3, 4, 5),
        feature_name="auto", categorical_feature="auto", callbacks=None, init_model=None, *, eval_X=None, eval_y=None,
    ) -> Self: ...

@predictor
@fits(of="params", on="train_set")
def train(
    params, train_set: Rows, num_boost_round=100, valid_sets=None, valid_names=None, feval=None, init_model=None,
    keep_training_booster=False, callbacks=None,
) -> Booster: ...
@splits
def cv(
    params, train_set: Rows, num_boost_round=100, folds=None, nfold=5, stratified=True, shuffle=True, metrics=None,
    feval=None, init_model=None, fpreproc=None, seed: Seed = 0, callbacks=None, eval_train_metric=False,
    return_cvbooster=False,
): ...
def early_stopping(stopping_rounds, first_metric_only=False, verbose=True, min_delta=0.0): ...
def log_evaluation(period=1, show_stdv=True): ...
def record_evaluation(eval_result): ...
def reset_parameter(**kwargs): ...
@inert
def plot_importance(
    booster, ax=None, height=0.2, xlim=None, ylim=None, title="Feature importance", xlabel="Feature importance",
    ylabel="Features", importance_type="auto", max_num_features=None, ignore_zero=True, figsize=None, dpi=None,
    grid=True, precision=3, **kwargs,
): ...
@inert
def plot_metric(
    booster, metric=None, dataset_names=None, ax=None, xlim=None, ylim=None, title="Metric during training",
    xlabel="Iterations", ylabel="@metric@", figsize=None, dpi=None, grid=True,
): ...
@inert
def plot_tree(
    booster, ax=None, tree_index=0, figsize=None, dpi=None, show_info=None, precision=3, orientation="horizontal",
    example_case=None, **kwargs,
): ...
