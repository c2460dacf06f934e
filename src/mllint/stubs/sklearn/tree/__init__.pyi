"""Decision trees."""

from typing_extensions import Self
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from mllint.semantics.vocabulary import Decided, Labels, Prediction, Rows, Seed, fits, scale_free
class BaseDecisionTree(BaseEstimator):
    def __init__(
        self, *, criterion, splitter, max_depth, min_samples_split, min_samples_leaf, min_weight_fraction_leaf,
        max_features, max_leaf_nodes, random_state: Seed, min_impurity_decrease, class_weight=None, ccp_alpha=0.0,
        monotonic_cst=None,
    ) -> None: ...
    def predict(self, X: Rows, check_input=True) -> Prediction: ...
    def apply(self, X, check_input=True): ...

@scale_free
class DecisionTreeClassifier(ClassifierMixin, BaseDecisionTree):
    def __init__(
        self, *, criterion="gini", splitter="best", max_depth=None, min_samples_split=2, min_samples_leaf=1,
        min_weight_fraction_leaf=0.0, max_features=None, random_state: Seed = None, max_leaf_nodes=None,
        min_impurity_decrease=0.0, class_weight=None, ccp_alpha=0.0, monotonic_cst=None,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(self, X: Rows, y: Labels, sample_weight=None, check_input=True) -> Self: ...
    def predict(self, X: Rows, check_input=True) -> Decided[Prediction]: ...
    def predict_proba(self, X: Rows, check_input=True) -> Prediction: ...
    def predict_log_proba(self, X: Rows) -> Prediction: ...

@scale_free
class DecisionTreeRegressor(RegressorMixin, BaseDecisionTree):
    def __init__(
        self, *, criterion="squared_error", splitter="best", max_depth=None, min_samples_split=2, min_samples_leaf=1,
        min_weight_fraction_leaf=0.0, max_features=None, random_state: Seed = None, max_leaf_nodes=None,
        min_impurity_decrease=0.0, ccp_alpha=0.0, monotonic_cst=None,
    ) -> None: ...
    @fits(of="self", on="X")
    def fit(self, X: Rows, y: Labels, sample_weight=None, check_input=True) -> Self: ...

@scale_free
class ExtraTreeClassifier(DecisionTreeClassifier):
    def __init__(
        self, *, criterion="gini", splitter="random", max_depth=None, min_samples_split=2, min_samples_leaf=1,
        min_weight_fraction_leaf=0.0, max_features="sqrt", random_state: Seed = None, max_leaf_nodes=None,
        min_impurity_decrease=0.0, class_weight=None, ccp_alpha=0.0, monotonic_cst=None,
    ) -> None: ...

@scale_free
class ExtraTreeRegressor(DecisionTreeRegressor):
    def __init__(
        self, *, criterion="squared_error", splitter="random", max_depth=None, min_samples_split=2,
        min_samples_leaf=1, min_weight_fraction_leaf=0.0, max_features=1.0, random_state: Seed = None,
        min_impurity_decrease=0.0, max_leaf_nodes=None, ccp_alpha=0.0, monotonic_cst=None,
    ) -> None: ...

def export_text(
    decision_tree, *, feature_names=None, class_names=None, max_depth=10, spacing=3, decimals=2, show_weights=False,
): ...
def plot_tree(
    decision_tree, *, max_depth=None, feature_names=None, class_names=None, label="all", filled=False, impurity=True,
    node_ids=False, proportion=False, rounded=False, precision=3, ax=None, fontsize=None,
): ...
def export_graphviz(
    decision_tree, out_file=None, *, max_depth=None, feature_names=None, class_names=None, label="all", filled=False,
    leaves_parallel=False, impurity=True, node_ids=False, proportion=False, rotate=False, rounded=False,
    special_characters=False, precision=3, fontname="helvetica",
): ...
