"""torchmetrics.classification: the same metrics, by task."""

from mllint.semantics.vocabulary import Prediction, Scores, Target, Tensor, inert
from torchmetrics import AUROC as AUROC
from torchmetrics import Accuracy as Accuracy
from torchmetrics import AveragePrecision as AveragePrecision
from torchmetrics import CalibrationError as CalibrationError
from torchmetrics import CohenKappa as CohenKappa
from torchmetrics import ConfusionMatrix as ConfusionMatrix
from torchmetrics import ExactMatch as ExactMatch
from torchmetrics import F1Score as F1Score
from torchmetrics import FBetaScore as FBetaScore
from torchmetrics import HammingDistance as HammingDistance
from torchmetrics import HingeLoss as HingeLoss
from torchmetrics import JaccardIndex as JaccardIndex
from torchmetrics import MatthewsCorrCoef as MatthewsCorrCoef
from torchmetrics import Precision as Precision
from torchmetrics import PrecisionRecallCurve as PrecisionRecallCurve
from torchmetrics import ROC as ROC
from torchmetrics import Recall as Recall
from torchmetrics import Specificity as Specificity
from torchmetrics import StatScores as StatScores
from torchmetrics import Metric as Metric

class BinaryAUROC(Metric):
    def __init__(
        self, max_fpr=None, thresholds=None, ignore_index=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class BinaryAccuracy(Metric):
    def __init__(
        self,
        threshold: float = 0.5,
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryAveragePrecision(Metric):
    def __init__(
        self, thresholds=None, ignore_index=None, validate_args: bool = True, normalization="sigmoid", **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class BinaryCalibrationError(Metric):
    def __init__(
        self, n_bins: int = 15, norm="l1", ignore_index=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class BinaryCohenKappa(Metric):
    def __init__(
        self, threshold: float = 0.5, ignore_index=None, weights=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryConfusionMatrix(Metric):
    def __init__(
        self, threshold: float = 0.5, ignore_index=None, normalize=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryEER(Metric):
    def __init__(
        self, thresholds=None, ignore_index=None, validate_args: bool = True, normalization="sigmoid", **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class BinaryF1Score(Metric):
    def __init__(
        self,
        threshold: float = 0.5,
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryFBetaScore(Metric):
    def __init__(
        self,
        beta: float,
        threshold: float = 0.5,
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryHammingDistance(Metric):
    def __init__(
        self,
        threshold: float = 0.5,
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryHingeLoss(Metric):
    def __init__(self, squared: bool = False, ignore_index=None, validate_args: bool = True, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryJaccardIndex(Metric):
    def __init__(
        self, threshold: float = 0.5, ignore_index=None, validate_args: bool = True, zero_division: float = 0, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryMatthewsCorrCoef(Metric):
    def __init__(self, threshold: float = 0.5, ignore_index=None, validate_args: bool = True, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryNegativePredictiveValue(Metric):
    def __init__(
        self,
        threshold: float = 0.5,
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryPrecision(Metric):
    def __init__(
        self,
        threshold: float = 0.5,
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryPrecisionRecallCurve(Metric):
    def __init__(
        self, thresholds=None, ignore_index=None, validate_args: bool = True, normalization="sigmoid", **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class BinaryROC(Metric):
    def __init__(
        self, thresholds=None, ignore_index=None, validate_args: bool = True, normalization="sigmoid", **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class BinaryRecall(Metric):
    def __init__(
        self,
        threshold: float = 0.5,
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinarySpecificity(Metric):
    def __init__(
        self,
        threshold: float = 0.5,
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class BinaryStatScores(Metric):
    def __init__(
        self,
        threshold: float = 0.5,
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassAUROC(Metric):
    def __init__(
        self,
        num_classes: int,
        average="macro",
        thresholds=None,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassAccuracy(Metric):
    def __init__(
        self,
        num_classes=None,
        top_k: int = 1,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassAveragePrecision(Metric):
    def __init__(
        self,
        num_classes: int,
        average="macro",
        thresholds=None,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassCalibrationError(Metric):
    def __init__(
        self, num_classes: int, n_bins: int = 15, norm="l1", ignore_index=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassCohenKappa(Metric):
    def __init__(
        self, num_classes: int, ignore_index=None, weights=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassConfusionMatrix(Metric):
    def __init__(
        self, num_classes: int, ignore_index=None, normalize=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassEER(Metric):
    def __init__(
        self, num_classes: int, thresholds=None, average=None, ignore_index=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassExactMatch(Metric):
    def __init__(
        self, num_classes: int, multidim_average="global", ignore_index=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassF1Score(Metric):
    def __init__(
        self,
        num_classes: int,
        top_k: int = 1,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassFBetaScore(Metric):
    def __init__(
        self,
        beta: float,
        num_classes: int,
        top_k: int = 1,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassHammingDistance(Metric):
    def __init__(
        self,
        num_classes=None,
        top_k: int = 1,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassHingeLoss(Metric):
    def __init__(
        self,
        num_classes: int,
        squared: bool = False,
        multiclass_mode="crammer-singer",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassJaccardIndex(Metric):
    def __init__(
        self,
        num_classes: int,
        average="macro",
        ignore_index=None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassMatthewsCorrCoef(Metric):
    def __init__(self, num_classes: int, ignore_index=None, validate_args: bool = True, **kwargs) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassNegativePredictiveValue(Metric):
    def __init__(
        self,
        num_classes=None,
        top_k: int = 1,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassPrecision(Metric):
    def __init__(
        self,
        num_classes=None,
        top_k: int = 1,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassPrecisionRecallCurve(Metric):
    def __init__(
        self, num_classes: int, thresholds=None, average=None, ignore_index=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassROC(Metric):
    def __init__(
        self, num_classes: int, thresholds=None, average=None, ignore_index=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassRecall(Metric):
    def __init__(
        self,
        num_classes=None,
        top_k: int = 1,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassSpecificity(Metric):
    def __init__(
        self,
        num_classes=None,
        top_k: int = 1,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MulticlassStatScores(Metric):
    def __init__(
        self,
        num_classes=None,
        top_k: int = 1,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelAUROC(Metric):
    def __init__(
        self,
        num_labels: int,
        average="macro",
        thresholds=None,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class MultilabelAccuracy(Metric):
    def __init__(
        self,
        num_labels: int,
        threshold: float = 0.5,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelAveragePrecision(Metric):
    def __init__(
        self,
        num_labels: int,
        average="macro",
        thresholds=None,
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class MultilabelConfusionMatrix(Metric):
    def __init__(
        self,
        num_labels: int,
        threshold: float = 0.5,
        ignore_index=None,
        normalize=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelCoverageError(Metric):
    def __init__(self, num_labels: int, ignore_index=None, validate_args: bool = True, **kwargs) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class MultilabelEER(Metric):
    def __init__(
        self, num_labels: int, thresholds=None, ignore_index=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class MultilabelExactMatch(Metric):
    def __init__(
        self,
        num_labels: int,
        threshold: float = 0.5,
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelF1Score(Metric):
    def __init__(
        self,
        num_labels: int,
        threshold: float = 0.5,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelFBetaScore(Metric):
    def __init__(
        self,
        beta: float,
        num_labels: int,
        threshold: float = 0.5,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelHammingDistance(Metric):
    def __init__(
        self,
        num_labels: int,
        threshold: float = 0.5,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelJaccardIndex(Metric):
    def __init__(
        self,
        num_labels: int,
        threshold: float = 0.5,
        average="macro",
        ignore_index=None,
        validate_args: bool = True,
        zero_division: float = 0,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelMatthewsCorrCoef(Metric):
    def __init__(
        self, num_labels: int, threshold: float = 0.5, ignore_index=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelNegativePredictiveValue(Metric):
    def __init__(
        self,
        num_labels: int,
        threshold: float = 0.5,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelPrecision(Metric):
    def __init__(
        self,
        num_labels: int,
        threshold: float = 0.5,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelPrecisionRecallCurve(Metric):
    def __init__(
        self, num_labels: int, thresholds=None, ignore_index=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class MultilabelROC(Metric):
    def __init__(
        self, num_labels: int, thresholds=None, ignore_index=None, validate_args: bool = True, **kwargs
    ) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class MultilabelRankingAveragePrecision(Metric):
    def __init__(self, num_labels: int, ignore_index=None, validate_args: bool = True, **kwargs) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class MultilabelRankingLoss(Metric):
    def __init__(self, num_labels: int, ignore_index=None, validate_args: bool = True, **kwargs) -> None: ...
    @inert
    def update(self, preds: Scores[Prediction], target: Target) -> None: ...
    def forward(self, preds: Scores[Prediction], target: Target) -> Tensor: ...

class MultilabelRecall(Metric):
    def __init__(
        self,
        num_labels: int,
        threshold: float = 0.5,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelSpecificity(Metric):
    def __init__(
        self,
        num_labels: int,
        threshold: float = 0.5,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...

class MultilabelStatScores(Metric):
    def __init__(
        self,
        num_labels: int,
        threshold: float = 0.5,
        average="macro",
        multidim_average="global",
        ignore_index=None,
        validate_args: bool = True,
        **kwargs,
    ) -> None: ...
    @inert
    def update(self, preds: Prediction, target: Target) -> None: ...
    def forward(self, preds: Prediction, target: Target) -> Tensor: ...
