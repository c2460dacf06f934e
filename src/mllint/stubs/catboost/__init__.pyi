"""CatBoost."""

from collections.abc import Iterator
from typing import overload

from typing_extensions import Self

from mllint.semantics.vocabulary import (
    Decided, Labels, Prediction, Rows, Seed, Target, fits, predictor, scale_free, splits,
)

class Pool:
    def __init__(
        self, data: Rows, label: Labels = None, cat_features=None, text_features=None, embedding_features=None,
        embedding_features_data=None, column_description=None, pairs=None, graph=None, delimiter="\t",
        has_header=False, ignore_csv_quoting=False, weight=None, group_id=None, group_weight=None, subgroup_id=None,
        pairs_weight=None, baseline=None, timestamp=None, feature_names=None, feature_tags=None, thread_count=-1,
        log_cout=None, log_cerr=None, data_can_be_none=False,
    ) -> None: ...

@predictor
class CatBoost:
    def __init__(self, params=None) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels = None, cat_features=None, text_features=None, embedding_features=None, pairs=None,
        graph=None, sample_weight=None, group_id=None, group_weight=None, subgroup_id=None, pairs_weight=None,
        baseline=None, use_best_model=None, eval_set=None, verbose=None, logging_level=None, plot=False,
        plot_file=None, column_description=None, verbose_eval=None, metric_period=None, silent=None,
        early_stopping_rounds=None, save_snapshot=None, snapshot_file=None, snapshot_interval=None, init_model=None,
        callbacks=None, log_cout=None, log_cerr=None,
    ) -> Self: ...
    def predict(
        self, data: Rows, prediction_type="RawFormulaVal", ntree_start=0, ntree_end=0, thread_count=-1, verbose=None,
        task_type="CPU",
    ) -> Prediction: ...
    def get_params(self, **_unused_kwargs): ...
    def set_params(self, **params) -> Self: ...
    def staged_predict(
        self, data: Rows, prediction_type="RawFormulaVal", ntree_start=0, ntree_end=0, eval_period=1, thread_count=-1,
        verbose=None,
    ) -> Iterator[Prediction]: ...

@scale_free
class CatBoostClassifier(CatBoost):
    def __init__(
        self, iterations=None, learning_rate=None, depth=None, l2_leaf_reg=None, model_size_reg=None, rsm=None,
        loss_function=None, border_count=None, feature_border_type=None, per_float_feature_quantization=None,
        input_borders=None, output_borders=None, fold_permutation_block=None, od_pval=None, od_wait=None,
        od_type=None, nan_mode=None, counter_calc_method=None, leaf_estimation_iterations=None,
        leaf_estimation_method=None, thread_count=None, random_seed: Seed = None, use_best_model=None,
        best_model_min_trees=None, verbose=None, silent=None, logging_level=None, metric_period=None,
        ctr_leaf_count_limit=None, store_all_simple_ctr=None, max_ctr_complexity=None, has_time=None,
        allow_const_label=None, target_border=None, classes_count=None, class_weights=None, auto_class_weights=None,
        class_names=None, one_hot_max_size=None, random_strength=None, random_score_type=None, name=None,
        ignored_features=None, train_dir=None, custom_loss=None, custom_metric=None, eval_metric=None,
        bagging_temperature=None, save_snapshot=None, snapshot_file=None, snapshot_interval=None,
        fold_len_multiplier=None, used_ram_limit=None, gpu_ram_part=None, pinned_memory_size=None,
        allow_writing_files=None, final_ctr_computation_mode=None, approx_on_full_history=None, boosting_type=None,
        simple_ctr=None, combinations_ctr=None, per_feature_ctr=None, ctr_description=None,
        ctr_target_border_count=None, task_type=None, device_config=None, devices=None, bootstrap_type=None,
        subsample=None, mvs_reg=None, sampling_unit=None, sampling_frequency=None, dev_score_calc_obj_block_size=None,
        dev_efb_max_buckets=None, sparse_features_conflict_fraction=None, max_depth=None, n_estimators=None,
        num_boost_round=None, num_trees=None, colsample_bylevel=None, random_state: Seed = None, reg_lambda=None,
        objective=None, eta=None, max_bin=None, scale_pos_weight=None, gpu_cat_features_storage=None,
        data_partition=None, metadata=None, early_stopping_rounds=None, cat_features=None, grow_policy=None,
        min_data_in_leaf=None, min_child_samples=None, max_leaves=None, num_leaves=None, score_function=None,
        leaf_estimation_backtracking=None, ctr_history_unit=None, monotone_constraints=None, feature_weights=None,
        penalties_coefficient=None, first_feature_use_penalties=None, per_object_feature_penalties=None,
        model_shrink_rate=None, model_shrink_mode=None, langevin=None, diffusion_temperature=None,
        posterior_sampling=None, boost_from_average=None, text_features=None, tokenizers=None, dictionaries=None,
        feature_calcers=None, text_processing=None, embedding_features=None, callback=None, eval_fraction=None,
        fixed_binary_splits=None,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels = None, cat_features=None, text_features=None, embedding_features=None, graph=None,
        sample_weight=None, baseline=None, use_best_model=None, eval_set=None, verbose=None, logging_level=None,
        plot=False, plot_file=None, column_description=None, verbose_eval=None, metric_period=None, silent=None,
        early_stopping_rounds=None, save_snapshot=None, snapshot_file=None, snapshot_interval=None, init_model=None,
        callbacks=None, log_cout=None, log_cerr=None,
    ) -> Self: ...
    @overload
    def predict(
        self, data: Rows, *, ntree_start=0, ntree_end=0, thread_count=-1, verbose=None, task_type="CPU",
    ) -> Decided[Prediction]: ...
    @overload
    def predict(
        self, data: Rows, prediction_type="Class", ntree_start=0, ntree_end=0, thread_count=-1, verbose=None,
        task_type="CPU",
    ) -> Prediction: ...
    def predict_proba(
        self, X: Rows, ntree_start=0, ntree_end=0, thread_count=-1, verbose=None, task_type="CPU",
    ) -> Prediction: ...
    def predict_log_proba(
        self, data: Rows, ntree_start=0, ntree_end=0, thread_count=-1, verbose=None, task_type="CPU",
    ) -> Prediction: ...
    def score(self, X: Rows, y: Target = None) -> float: ...
    def staged_predict(
        self, data: Rows, prediction_type="Class", ntree_start=0, ntree_end=0, eval_period=1, thread_count=-1,
        verbose=None,
    ) -> Iterator[Prediction]: ...
    def staged_predict_proba(
        self, data: Rows, ntree_start=0, ntree_end=0, eval_period=1, thread_count=-1, verbose=None,
    ) -> Iterator[Prediction]: ...

@scale_free
class CatBoostRegressor(CatBoost):
    def __init__(
        self, iterations=None, learning_rate=None, depth=None, l2_leaf_reg=None, model_size_reg=None, rsm=None,
        loss_function="RMSE", border_count=None, feature_border_type=None, per_float_feature_quantization=None,
        input_borders=None, output_borders=None, fold_permutation_block=None, od_pval=None, od_wait=None,
        od_type=None, nan_mode=None, counter_calc_method=None, leaf_estimation_iterations=None,
        leaf_estimation_method=None, thread_count=None, random_seed: Seed = None, use_best_model=None,
        best_model_min_trees=None, verbose=None, silent=None, logging_level=None, metric_period=None,
        ctr_leaf_count_limit=None, store_all_simple_ctr=None, max_ctr_complexity=None, has_time=None,
        allow_const_label=None, target_border=None, one_hot_max_size=None, random_strength=None,
        random_score_type=None, name=None, ignored_features=None, train_dir=None, custom_metric=None,
        eval_metric=None, bagging_temperature=None, save_snapshot=None, snapshot_file=None, snapshot_interval=None,
        fold_len_multiplier=None, used_ram_limit=None, gpu_ram_part=None, pinned_memory_size=None,
        allow_writing_files=None, final_ctr_computation_mode=None, approx_on_full_history=None, boosting_type=None,
        simple_ctr=None, combinations_ctr=None, per_feature_ctr=None, ctr_description=None,
        ctr_target_border_count=None, task_type=None, device_config=None, devices=None, bootstrap_type=None,
        subsample=None, mvs_reg=None, sampling_frequency=None, sampling_unit=None, dev_score_calc_obj_block_size=None,
        dev_efb_max_buckets=None, sparse_features_conflict_fraction=None, max_depth=None, n_estimators=None,
        num_boost_round=None, num_trees=None, colsample_bylevel=None, random_state: Seed = None, reg_lambda=None,
        objective=None, eta=None, max_bin=None, gpu_cat_features_storage=None, data_partition=None, metadata=None,
        early_stopping_rounds=None, cat_features=None, grow_policy=None, min_data_in_leaf=None,
        min_child_samples=None, max_leaves=None, num_leaves=None, score_function=None,
        leaf_estimation_backtracking=None, ctr_history_unit=None, monotone_constraints=None, feature_weights=None,
        penalties_coefficient=None, first_feature_use_penalties=None, per_object_feature_penalties=None,
        model_shrink_rate=None, model_shrink_mode=None, langevin=None, diffusion_temperature=None,
        posterior_sampling=None, boost_from_average=None, text_features=None, tokenizers=None, dictionaries=None,
        feature_calcers=None, text_processing=None, embedding_features=None, eval_fraction=None,
        fixed_binary_splits=None,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels = None, cat_features=None, text_features=None, embedding_features=None, graph=None,
        sample_weight=None, baseline=None, use_best_model=None, eval_set=None, verbose=None, logging_level=None,
        plot=False, plot_file=None, column_description=None, verbose_eval=None, metric_period=None, silent=None,
        early_stopping_rounds=None, save_snapshot=None, snapshot_file=None, snapshot_interval=None, init_model=None,
        callbacks=None, log_cout=None, log_cerr=None,
    ) -> Self: ...
    def predict(
        self, data: Rows, prediction_type=None, ntree_start=0, ntree_end=0, thread_count=-1, verbose=None,
        task_type="CPU",
    ) -> Prediction: ...
    def score(self, X: Rows, y: Target = None) -> float: ...
    def staged_predict(
        self, data: Rows, prediction_type="RawFormulaVal", ntree_start=0, ntree_end=0, eval_period=1, thread_count=-1,
        verbose=None,
    ) -> Iterator[Prediction]: ...

@scale_free
class CatBoostRanker(CatBoost):
    def __init__(
        self, iterations=None, learning_rate=None, depth=None, l2_leaf_reg=None, model_size_reg=None, rsm=None,
        loss_function="YetiRank", border_count=None, feature_border_type=None, per_float_feature_quantization=None,
        input_borders=None, output_borders=None, fold_permutation_block=None, od_pval=None, od_wait=None,
        od_type=None, nan_mode=None, counter_calc_method=None, leaf_estimation_iterations=None,
        leaf_estimation_method=None, thread_count=None, random_seed: Seed = None, use_best_model=None,
        best_model_min_trees=None, verbose=None, silent=None, logging_level=None, metric_period=None,
        ctr_leaf_count_limit=None, store_all_simple_ctr=None, max_ctr_complexity=None, has_time=None,
        allow_const_label=None, target_border=None, one_hot_max_size=None, random_strength=None,
        random_score_type=None, name=None, ignored_features=None, train_dir=None, custom_metric=None,
        eval_metric=None, bagging_temperature=None, save_snapshot=None, snapshot_file=None, snapshot_interval=None,
        fold_len_multiplier=None, used_ram_limit=None, gpu_ram_part=None, pinned_memory_size=None,
        allow_writing_files=None, final_ctr_computation_mode=None, approx_on_full_history=None, boosting_type=None,
        simple_ctr=None, combinations_ctr=None, per_feature_ctr=None, ctr_description=None,
        ctr_target_border_count=None, task_type=None, device_config=None, devices=None, bootstrap_type=None,
        subsample=None, mvs_reg=None, sampling_frequency=None, sampling_unit=None, dev_score_calc_obj_block_size=None,
        dev_efb_max_buckets=None, sparse_features_conflict_fraction=None, max_depth=None, n_estimators=None,
        num_boost_round=None, num_trees=None, colsample_bylevel=None, random_state: Seed = None, reg_lambda=None,
        objective=None, eta=None, max_bin=None, gpu_cat_features_storage=None, data_partition=None, metadata=None,
        early_stopping_rounds=None, cat_features=None, grow_policy=None, min_data_in_leaf=None,
        min_child_samples=None, max_leaves=None, num_leaves=None, score_function=None,
        leaf_estimation_backtracking=None, ctr_history_unit=None, monotone_constraints=None, feature_weights=None,
        penalties_coefficient=None, first_feature_use_penalties=None, per_object_feature_penalties=None,
        model_shrink_rate=None, model_shrink_mode=None, langevin=None, diffusion_temperature=None,
        posterior_sampling=None, boost_from_average=None, text_features=None, tokenizers=None, dictionaries=None,
        feature_calcers=None, text_processing=None, embedding_features=None, eval_fraction=None,
        fixed_binary_splits=None,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(
        self, X: Rows, y: Labels = None, group_id=None, cat_features=None, text_features=None,
        embedding_features=None, pairs=None, graph=None, sample_weight=None, group_weight=None, subgroup_id=None,
        pairs_weight=None, baseline=None, use_best_model=None, eval_set=None, verbose=None, logging_level=None,
        plot=False, plot_file=None, column_description=None, verbose_eval=None, metric_period=None, silent=None,
        early_stopping_rounds=None, save_snapshot=None, snapshot_file=None, snapshot_interval=None, init_model=None,
        callbacks=None, log_cout=None, log_cerr=None,
    ) -> Self: ...
    def predict(self, X: Rows, ntree_start=0, ntree_end=0, thread_count=-1, verbose=None) -> Prediction: ...
    def score(
        self, X: Rows, y: Target = None, group_id=None, top=None, type=None, denominator=None, group_weight=None,
        thread_count=-1,
    ) -> float: ...
    def staged_predict(
        self, X: Rows, ntree_start=0, ntree_end=0, eval_period=1, thread_count=-1, verbose=None,
    ) -> Iterator[Prediction]: ...

@predictor
@fits(of="params", on="pool")
def train(
    pool: Rows = None, params=None, dtrain: Rows = None, logging_level=None, verbose=None, iterations=None,
    num_boost_round=None, evals=None, eval_set=None, plot=None, plot_file=None, verbose_eval=None, metric_period=None,
    early_stopping_rounds=None, save_snapshot=None, snapshot_file=None, snapshot_interval=None, init_model=None,
    log_cout=None, log_cerr=None,
) -> CatBoost: ...
@splits
def cv(
    pool: Rows = None, params=None, dtrain: Rows = None, iterations=None, num_boost_round=None, fold_count=None,
    nfold=None, inverted=False, partition_random_seed=0, seed: Seed = None, shuffle=True, logging_level=None,
    stratified=None, as_pandas=True, metric_period=None, verbose=None, verbose_eval=None, plot=False, plot_file=None,
    early_stopping_rounds=None, save_snapshot=None, snapshot_file=None, snapshot_interval=None,
    metric_update_interval=0.5, folds=None, type="Classical", return_models=False, log_cout=None, log_cerr=None,
): ...
