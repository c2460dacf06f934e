"""torchmetrics: metrics are modules that gather what they are shown, until `reset`.

`preds` is the prediction and `target` the truth.
"""

from typing_extensions import Self

from mllint.semantics.vocabulary import Prediction, Scores, Target, Tensor, inert
from torch.nn import Module as Module
import torchmetrics.classification as classification
import torchmetrics.functional as functional
import torchmetrics.regression as regression

class Metric(Module):
    def __init__(self, **kwargs) -> None: ...
    @inert
    def update(self, *args, **kwargs) -> None: ...
    @inert
    def compute(self) -> object: ...
    @inert
    def reset(self) -> None: ...
    def forward(self, *args, **kwargs) -> Tensor: ...
    def add_state(self, name: str, default, dist_reduce_fx=None, persistent: bool = False) -> None: ...
    def clone(self) -> Self: ...

class MetricCollection(Module):
    def __init__(self, metrics, *additional_metrics, prefix=None, postfix=None, compute_groups=True) -> None: ...
    @inert
    def update(self, *args, **kwargs) -> None: ...
    @inert
    def compute(self) -> object: ...
    @inert
    def reset(self) -> None: ...
    def forward(self, *args, **kwargs) -> object: ...
    def clone(self, prefix=None, postfix=None) -> Self: ...

class AUROC(Metric):
    def __init__(
        self,
        task,
        thresholds=None,
        num_classes=None,
        num_labels=None,
        average="macro",
        max_fpr=None,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class Accuracy(Metric):
    def __init__(
        self,
        task,
        threshold: float = 0.5,
        num_classes=None,
        num_labels=None,
        average="micro",
        multidim_average="global",
        top_k=1,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class AveragePrecision(Metric):
    def __init__(
        self,
        task,
        thresholds=None,
        num_classes=None,
        num_labels=None,
        average="macro",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class CalibrationError(Metric):
    def __init__(
        self,
        task,
        n_bins: int = 15,
        norm="l1",
        num_classes=None,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class CohenKappa(Metric):
    def __init__(
        self,
        task,
        threshold: float = 0.5,
        num_classes=None,
        weights=None,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class ConfusionMatrix(Metric):
    def __init__(
        self,
        task,
        threshold: float = 0.5,
        num_classes=None,
        num_labels=None,
        normalize=None,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class ExactMatch(Metric):
    def __init__(
        self,
        task,
        threshold: float = 0.5,
        num_classes=None,
        num_labels=None,
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class F1Score(Metric):
    def __init__(
        self,
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
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class FBetaScore(Metric):
    def __init__(
        self,
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
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class HammingDistance(Metric):
    def __init__(
        self,
        task,
        threshold: float = 0.5,
        num_classes=None,
        num_labels=None,
        average="micro",
        multidim_average="global",
        top_k=1,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class HingeLoss(Metric):
    def __init__(
        self,
        task,
        num_classes=None,
        squared: bool = False,
        multiclass_mode="crammer-singer",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class JaccardIndex(Metric):
    def __init__(
        self,
        task,
        threshold: float = 0.5,
        num_classes=None,
        num_labels=None,
        average="macro",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MatthewsCorrCoef(Metric):
    def __init__(
        self,
        task,
        threshold: float = 0.5,
        num_classes=None,
        num_labels=None,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class Precision(Metric):
    def __init__(
        self,
        task,
        threshold: float = 0.5,
        num_classes=None,
        num_labels=None,
        average="micro",
        multidim_average="global",
        top_k=1,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class PrecisionRecallCurve(Metric):
    def __init__(
        self,
        task,
        thresholds=None,
        num_classes=None,
        num_labels=None,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class ROC(Metric):
    def __init__(
        self,
        task,
        thresholds=None,
        num_classes=None,
        num_labels=None,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class Recall(Metric):
    def __init__(
        self,
        task,
        threshold: float = 0.5,
        num_classes=None,
        num_labels=None,
        average="micro",
        multidim_average="global",
        top_k=1,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class Specificity(Metric):
    def __init__(
        self,
        task,
        threshold: float = 0.5,
        num_classes=None,
        num_labels=None,
        average="micro",
        multidim_average="global",
        top_k=1,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class StatScores(Metric):
    def __init__(
        self,
        task,
        threshold: float = 0.5,
        num_classes=None,
        num_labels=None,
        average="micro",
        multidim_average="global",
        top_k=1,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class ConcordanceCorrCoef(Metric):
    def __init__(self, num_outputs: int = 1, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class CosineSimilarity(Metric):
    def __init__(self, reduction="sum", **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class ExplainedVariance(Metric):
    def __init__(self, multioutput="uniform_average", **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class KendallRankCorrCoef(Metric):
    def __init__(
        self, variant="b", t_test: bool = False, alternative="two-sided", num_outputs: int = 1, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class LogCoshError(Metric):
    def __init__(self, num_outputs: int = 1, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MeanAbsoluteError(Metric):
    def __init__(self, num_outputs: int = 1, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MeanAbsolutePercentageError(Metric):
    def __init__(self, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MeanSquaredError(Metric):
    def __init__(self, squared: bool = True, num_outputs: int = 1, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MeanSquaredLogError(Metric):
    def __init__(self, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class PearsonCorrCoef(Metric):
    def __init__(self, num_outputs: int = 1, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class R2Score(Metric):
    def __init__(self, adjusted: int = 0, multioutput: str = "uniform_average", **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class SpearmanCorrCoef(Metric):
    def __init__(self, num_outputs: int = 1, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class SymmetricMeanAbsolutePercentageError(Metric):
    def __init__(self, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class TweedieDevianceScore(Metric):
    def __init__(self, power: float = 0.0, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, targets: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class PeakSignalNoiseRatio(Metric):
    def __init__(
        self, data_range=3.0, base: float = 10.0, reduction="elementwise_mean", dim=None, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class StructuralSimilarityIndexMeasure(Metric):
    def __init__(
        self,
        gaussian_kernel: bool = True,
        sigma=1.5,
        kernel_size=11,
        reduction="elementwise_mean",
        data_range=None,
        k1: float = 0.01,
        k2: float = 0.03,
        return_full_image: bool = False,
        return_contrast_sensitivity: bool = False,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class Perplexity(Metric):
    def __init__(self, ignore_index=None, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MeanMetric(Metric):
    def __init__(self, nan_strategy="warn", **kwargs) -> None: ...
    @inert
    def update(self, value, weight=None) -> None: ...

class SumMetric(Metric):
    def __init__(self, nan_strategy="warn", **kwargs) -> None: ...
    @inert
    def update(self, value) -> None: ...

class MaxMetric(Metric):
    def __init__(self, nan_strategy="warn", **kwargs) -> None: ...
    @inert
    def update(self, value) -> None: ...

class MinMetric(Metric):
    def __init__(self, nan_strategy="warn", **kwargs) -> None: ...
    @inert
    def update(self, value) -> None: ...

class CatMetric(Metric):
    def __init__(self, nan_strategy="warn", **kwargs) -> None: ...
    @inert
    def update(self, value) -> None: ...
