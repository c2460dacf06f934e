"""torchmetrics.functional.classification: the same metrics, by task."""

from mllint.semantics.vocabulary import Prediction, Scores, Target, Tensor, inert
from torchmetrics.functional import accuracy as accuracy
from torchmetrics.functional import auroc as auroc
from torchmetrics.functional import average_precision as average_precision
from torchmetrics.functional import cohen_kappa as cohen_kappa
from torchmetrics.functional import confusion_matrix as confusion_matrix
from torchmetrics.functional import f1_score as f1_score
from torchmetrics.functional import fbeta_score as fbeta_score
from torchmetrics.functional import jaccard_index as jaccard_index
from torchmetrics.functional import matthews_corrcoef as matthews_corrcoef
from torchmetrics.functional import precision as precision
from torchmetrics.functional import recall as recall
from torchmetrics.functional import specificity as specificity

@inert
def binary_accuracy(
    preds: Prediction,
    target: Target,
    threshold: float = 0.5,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def binary_auroc(
    preds: Scores[Prediction], target: Target, max_fpr=None, thresholds=None, ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def binary_average_precision(
    preds: Scores[Prediction], target: Target, thresholds=None, ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def binary_calibration_error(
    preds: Scores[Prediction], target: Target, n_bins: int = 15, norm="l1", ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def binary_cohen_kappa(
    preds: Prediction,
    target: Target,
    threshold: float = 0.5,
    weights=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def binary_confusion_matrix(
    preds: Prediction,
    target: Target,
    threshold: float = 0.5,
    normalize=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def binary_eer(
    preds: Scores[Prediction], target: Target, thresholds=None, ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def binary_f1_score(
    preds: Prediction,
    target: Target,
    threshold: float = 0.5,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def binary_fbeta_score(
    preds: Prediction,
    target: Target,
    beta: float,
    threshold: float = 0.5,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def binary_hamming_distance(
    preds: Prediction,
    target: Target,
    threshold: float = 0.5,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def binary_hinge_loss(
    preds: Prediction, target: Target, squared: bool = False, ignore_index=None, validate_args: bool = False
) -> Tensor: ...
@inert
def binary_jaccard_index(
    preds: Prediction,
    target: Target,
    threshold: float = 0.5,
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0.0,
) -> Tensor: ...
@inert
def binary_matthews_corrcoef(
    preds: Prediction, target: Target, threshold: float = 0.5, ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def binary_negative_predictive_value(
    preds: Prediction,
    target: Target,
    threshold: float = 0.5,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def binary_precision(
    preds: Prediction,
    target: Target,
    threshold: float = 0.5,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def binary_recall(
    preds: Prediction,
    target: Target,
    threshold: float = 0.5,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def binary_specificity(
    preds: Prediction,
    target: Target,
    threshold: float = 0.5,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multiclass_accuracy(
    preds: Prediction,
    target: Target,
    num_classes=None,
    average="macro",
    top_k: int = 1,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multiclass_auroc(
    preds: Prediction,
    target: Target,
    num_classes: int,
    average="macro",
    thresholds=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multiclass_average_precision(
    preds: Prediction,
    target: Target,
    num_classes: int,
    average="macro",
    thresholds=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multiclass_calibration_error(
    preds: Prediction,
    target: Target,
    num_classes: int,
    n_bins: int = 15,
    norm="l1",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multiclass_cohen_kappa(
    preds: Prediction, target: Target, num_classes: int, weights=None, ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def multiclass_confusion_matrix(
    preds: Prediction, target: Target, num_classes: int, normalize=None, ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def multiclass_eer(
    preds: Prediction,
    target: Target,
    num_classes: int,
    thresholds=None,
    average=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multiclass_exact_match(
    preds: Prediction,
    target: Target,
    num_classes: int,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multiclass_f1_score(
    preds: Prediction,
    target: Target,
    num_classes: int,
    average="macro",
    top_k: int = 1,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def multiclass_fbeta_score(
    preds: Prediction,
    target: Target,
    beta: float,
    num_classes: int,
    average="macro",
    top_k: int = 1,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def multiclass_hamming_distance(
    preds: Prediction,
    target: Target,
    num_classes: int,
    average="macro",
    top_k: int = 1,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multiclass_hinge_loss(
    preds: Prediction,
    target: Target,
    num_classes: int,
    squared: bool = False,
    multiclass_mode="crammer-singer",
    ignore_index=None,
    validate_args: bool = False,
) -> Tensor: ...
@inert
def multiclass_jaccard_index(
    preds: Prediction,
    target: Target,
    num_classes: int,
    average="macro",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0.0,
) -> Tensor: ...
@inert
def multiclass_matthews_corrcoef(
    preds: Prediction, target: Target, num_classes: int, ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def multiclass_negative_predictive_value(
    preds: Prediction,
    target: Target,
    num_classes: int,
    average="macro",
    top_k: int = 1,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def multiclass_precision(
    preds: Prediction,
    target: Target,
    num_classes: int,
    average="macro",
    top_k: int = 1,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def multiclass_recall(
    preds: Prediction,
    target: Target,
    num_classes: int,
    average="macro",
    top_k: int = 1,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def multiclass_specificity(
    preds: Prediction,
    target: Target,
    num_classes: int,
    average="macro",
    top_k: int = 1,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multilabel_accuracy(
    preds: Prediction,
    target: Target,
    num_labels: int,
    threshold: float = 0.5,
    average="macro",
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multilabel_auroc(
    preds: Scores[Prediction],
    target: Target,
    num_labels: int,
    average="macro",
    thresholds=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multilabel_average_precision(
    preds: Scores[Prediction],
    target: Target,
    num_labels: int,
    average="macro",
    thresholds=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multilabel_confusion_matrix(
    preds: Prediction,
    target: Target,
    num_labels: int,
    threshold: float = 0.5,
    normalize=None,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multilabel_coverage_error(
    preds: Scores[Prediction], target: Target, num_labels: int, ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def multilabel_eer(
    preds: Scores[Prediction], target: Target, num_labels: int, thresholds=None, ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def multilabel_exact_match(
    preds: Prediction,
    target: Target,
    num_labels: int,
    threshold: float = 0.5,
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multilabel_f1_score(
    preds: Prediction,
    target: Target,
    num_labels: int,
    threshold: float = 0.5,
    average="macro",
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def multilabel_fbeta_score(
    preds: Prediction,
    target: Target,
    beta: float,
    num_labels: int,
    threshold: float = 0.5,
    average="macro",
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def multilabel_hamming_distance(
    preds: Prediction,
    target: Target,
    num_labels: int,
    threshold: float = 0.5,
    average="macro",
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multilabel_jaccard_index(
    preds: Prediction,
    target: Target,
    num_labels: int,
    threshold: float = 0.5,
    average="macro",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0.0,
) -> Tensor: ...
@inert
def multilabel_matthews_corrcoef(
    preds: Prediction,
    target: Target,
    num_labels: int,
    threshold: float = 0.5,
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
@inert
def multilabel_negative_predictive_value(
    preds: Prediction,
    target: Target,
    num_labels: int,
    threshold: float = 0.5,
    average="macro",
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def multilabel_precision(
    preds: Prediction,
    target: Target,
    num_labels: int,
    threshold: float = 0.5,
    average="macro",
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def multilabel_ranking_average_precision(
    preds: Scores[Prediction], target: Target, num_labels: int, ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def multilabel_ranking_loss(
    preds: Scores[Prediction], target: Target, num_labels: int, ignore_index=None, validate_args: bool = True
) -> Tensor: ...
@inert
def multilabel_recall(
    preds: Prediction,
    target: Target,
    num_labels: int,
    threshold: float = 0.5,
    average="macro",
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
    zero_division: float = 0,
) -> Tensor: ...
@inert
def multilabel_specificity(
    preds: Prediction,
    target: Target,
    num_labels: int,
    threshold: float = 0.5,
    average="macro",
    multidim_average="global",
    ignore_index=None,
    validate_args: bool = True,
) -> Tensor: ...
