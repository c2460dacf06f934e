"""XGBoost. Its `seed` and `random_state` default to 0, so it draws nothing from the global streams."""

from typing import overload

from typing_extensions import Self
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from mllint.semantics.vocabulary import (
    Decided, Labels, Prediction, Rows, Seed, Target, fits, inert, predictor, scale_free, splits,
)

class DMatrix:
    def __init__(
        self, data: Rows, label: Labels = None, *, weight=None, base_margin=None, missing=None, silent=False,
        feature_names=None, feature_types=None, nthread=None, group=None, qid=None, label_lower_bound=None,
        label_upper_bound=None, feature_weights=None, enable_categorical=False, data_split_mode=...,
    ) -> None: ...

class QuantileDMatrix(DMatrix):
    def __init__(
        self, data: Rows, label: Labels = None, *, weight=None, base_margin=None, missing=None, silent=False,
        feature_names=None, feature_types=None, nthread=None, max_bin=None, ref=None, group=None, qid=None,
        label_lower_bound=None, label_upper_bound=None, feature_weights=None, enable_categorical=False,
        max_quantile_batches=None, data_split_mode=...,
    ) -> None: ...

class Booster:
    def __init__(self, params=None, cache=None, model_file=None) -> None: ...
    def predict(
        self, data: Rows, *, output_margin=False, pred_leaf=False, pred_contribs=False, approx_contribs=False,
        pred_interactions=False, validate_features=True, training=False, iteration_range=(0, 0), strict_shape=False,
    ) -> Prediction: ...
    @inert
    def save_model(self, fname) -> None: ...
    def load_model(self, fname) -> None: ...

class XGBModel(BaseEstimator):
    def __init__(
        self, *, max_depth=None, max_leaves=None, max_bin=None, grow_policy=None, learning_rate=None,
        n_estimators=None, verbosity=None, objective=None, booster=None, tree_method=None, n_jobs=None, gamma=None,
        min_child_weight=None, max_delta_step=None, subsample=None, sampling_method=None, colsample_bytree=None,
        colsample_bylevel=None, colsample_bynode=None, reg_alpha=None, reg_lambda=None, scale_pos_weight=None,
        base_score=None, random_state: Seed = None, missing=..., num_parallel_tree=None, monotone_constraints=None,
        interaction_constraints=None, importance_type=None, device=None, validate_parameters=None,
        enable_categorical=False, feature_types=None, feature_weights=None, max_cat_to_onehot=None,
        max_cat_threshold=None, multi_strategy=None, eval_metric=None, early_stopping_rounds=None, callbacks=None,
        **kwargs,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels, *, sample_weight=None, base_margin=None, eval_set=None, verbose=True,
        xgb_model=None, sample_weight_eval_set=None, base_margin_eval_set=None, feature_weights=None,
    ) -> Self: ...
    def predict(
        self, X: Rows, *, output_margin=False, validate_features=True, base_margin=None, iteration_range=None,
    ) -> Prediction: ...
    def get_params(self, deep=True): ...
    def set_params(self, **params) -> Self: ...
    def apply(self, X, iteration_range=None): ...

@scale_free
class XGBClassifier(ClassifierMixin, XGBModel):
    def __init__(self, *, objective="binary:logistic", **kwargs) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels, *, sample_weight=None, base_margin=None, eval_set=None, verbose=True,
        xgb_model=None, sample_weight_eval_set=None, base_margin_eval_set=None, feature_weights=None,
    ) -> Self: ...
    @overload
    def predict(
        self, X: Rows, *, validate_features=True, base_margin=None, iteration_range=None,
    ) -> Decided[Prediction]: ...
    @overload
    def predict(
        self, X: Rows, *, output_margin=False, validate_features=True, base_margin=None, iteration_range=None,
    ) -> Prediction: ...
    def predict_proba(self, X: Rows, validate_features=True, base_margin=None, iteration_range=None) -> Prediction: ...

@scale_free
class XGBRegressor(RegressorMixin, XGBModel):
    def __init__(self, *, objective="reg:squarederror", **kwargs) -> None: ...

@scale_free
class XGBRanker(XGBModel):
    def __init__(self, *, objective="rank:ndcg", **kwargs) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels, *, group=None, qid=None, sample_weight=None, base_margin=None, eval_set=None,
        eval_group=None, eval_qid=None, verbose=False, xgb_model=None, sample_weight_eval_set=None,
        base_margin_eval_set=None, feature_weights=None,
    ) -> Self: ...
    def predict(
        self, X: Rows, *, output_margin=False, validate_features=True, base_margin=None, iteration_range=None,
    ) -> Prediction: ...
    def score(self, X: Rows, y: Target) -> float: ...
    def apply(self, X, iteration_range=None): ...

@scale_free
class XGBRFClassifier(XGBClassifier):
    def __init__(
        self, *, learning_rate=1.0, subsample=0.8, colsample_bynode=0.8, reg_lambda=1e-05, **kwargs,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels, *, sample_weight=None, base_margin=None, eval_set=None, verbose=True,
        xgb_model=None, sample_weight_eval_set=None, base_margin_eval_set=None, feature_weights=None,
    ) -> Self: ...

@scale_free
class XGBRFRegressor(XGBRegressor):
    def __init__(
        self, *, learning_rate=1.0, subsample=0.8, colsample_bynode=0.8, reg_lambda=1e-05, **kwargs,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels, *, sample_weight=None, base_margin=None, eval_set=None, verbose=True,
        xgb_model=None, sample_weight_eval_set=None, base_margin_eval_set=None, feature_weights=None,
    ) -> Self: ...

@predictor
@fits(of="params", on="dtrain")
def train(
    params, dtrain: Rows, num_boost_round=10, *, evals=None, obj=None, maximize=None, early_stopping_rounds=None,
    evals_result=None, verbose_eval=True, xgb_model=None, callbacks=None, custom_metric=None,
) -> Booster: ...
@splits
def cv(
    params, dtrain: Rows, num_boost_round=10, *, nfold=3, stratified=False, folds=None, metrics=..., obj=None,
    maximize=None, early_stopping_rounds=None, fpreproc=None, as_pandas=True, verbose_eval=None, show_stdv=True,
    seed: Seed = 0, callbacks=None, shuffle=True, custom_metric=None,
): ...
@inert
def plot_importance(
    booster, *, ax=None, height=0.2, xlim=None, ylim=None, title="Feature importance", xlabel="Importance score",
    ylabel="Features", fmap="", importance_type="weight", max_num_features=None, grid=True, show_values=True,
    values_format="{v}", **kwargs,
): ...
@inert
def plot_tree(booster, *, fmap="", num_trees=None, rankdir=None, ax=None, with_stats=False, tree_idx=0, **kwargs): ...
@inert
def to_graphviz(
    booster, *, fmap="", num_trees=None, rankdir=None, yes_color=None, no_color=None, condition_node_params=None,
    leaf_node_params=None, with_stats=False, tree_idx=0, **kwargs,
): ...
