"""torchmetrics.functional: the same, without a state."""

from mllint.semantics.vocabulary import Prediction, Scores, Target, Tensor, inert

@inert
def accuracy(
    preds: Prediction,
    target: Target,
    task,
    threshold: float = 0.5,
    num_classes=None,
    num_labels=None,
    average="micro",
    multidim_average="global",
    top_k=1,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def auroc(
    preds: Scores[Prediction],
    target: Target,
    task,
    thresholds=None,
    num_classes=None,
    num_labels=None,
    average="macro",
    max_fpr=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def average_precision(
    preds: Scores[Prediction],
    target: Target,
    task,
    thresholds=None,
    num_classes=None,
    num_labels=None,
    average="macro",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def f1_score(
    preds: Prediction,
    target: Target,
    task,
    threshold: float = 0.5,
    num_classes=None,
    num_labels=None,
    average="micro",
    multidim_average="global",
    top_k=1,
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def fbeta_score(
    preds: Prediction,
    target: Target,
    task,
    beta: float = 1.0,
    threshold: float = 0.5,
    num_classes=None,
    num_labels=None,
    average="micro",
    multidim_average="global",
    top_k=1,
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def precision(
    preds: Prediction,
    target: Target,
    task,
    threshold: float = 0.5,
    num_classes=None,
    num_labels=None,
    average="micro",
    multidim_average="global",
    top_k=1,
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def recall(
    preds: Prediction,
    target: Target,
    task,
    threshold: float = 0.5,
    num_classes=None,
    num_labels=None,
    average="micro",
    multidim_average="global",
    top_k=1,
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def specificity(
    preds: Prediction,
    target: Target,
    task,
    threshold: float = 0.5,
    num_classes=None,
    num_labels=None,
    average="micro",
    multidim_average="global",
    top_k=1,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def confusion_matrix(
    preds: Prediction,
    target: Target,
    task,
    threshold: float = 0.5,
    num_classes=None,
    num_labels=None,
    normalize=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def jaccard_index(
    preds: Prediction,
    target: Target,
    task,
    threshold: float = 0.5,
    num_classes=None,
    num_labels=None,
    average="macro",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0.0,
) -> Tensor: ...
@inert
def cohen_kappa(
    preds: Prediction,
    target: Target,
    task,
    threshold: float = 0.5,
    num_classes=None,
    weights=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def matthews_corrcoef(
    preds: Prediction,
    target: Target,
    task,
    threshold: float = 0.5,
    num_classes=None,
    num_labels=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def mean_squared_error(preds: Prediction, target: Target, squared: bool = True, num_outputs: int = 1) -> Tensor: ...
@inert
def mean_absolute_error(preds: Prediction, target: Target, num_outputs: int = 1) -> Tensor: ...
@inert
def r2_score(preds: Prediction, target: Target, adjusted: int = 0, multioutput: str = "uniform_average") -> Tensor: ...
@inert
def pearson_corrcoef(preds: Prediction, target: Target) -> Tensor: ...
@inert
def spearman_corrcoef(preds: Prediction, target: Target) -> Tensor: ...
