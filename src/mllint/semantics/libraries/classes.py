"""By which full names do the stubs define the classes that many questions are about?

`value.instance_of(MODULE)` asks whether something is a module of PyTorch. A class that one question alone is about
stands there by its name; these stand in many places, and are written once. A test holds them against the stubs.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "ACCELERATOR",
    "DATASET",
    "DATA_FRAME",
    "GRAD_SCALER",
    "ITERABLE_DATASET",
    "LIGHTNING_DATA_MODULE",
    "LIGHTNING_MODULE",
    "LOADER",
    "METRIC",
    "METRIC_COLLECTION",
    "MODULE",
    "MODULE_CONTAINERS",
    "MODULE_DICT",
    "MODULE_LIST",
    "OPTIMIZER",
    "PRETRAINED_MODEL",
    "SCHEDULER",
    "SEQUENTIAL",
    "TENSOR",
    "TOKENIZER",
    "TRAINER",
]

TENSOR: Final = "torch.Tensor"

MODULE: Final = "torch.nn.Module"
MODULE_DICT: Final = "torch.nn.ModuleDict"
MODULE_LIST: Final = "torch.nn.ModuleList"
SEQUENTIAL: Final = "torch.nn.Sequential"
MODULE_CONTAINERS: Final = (SEQUENTIAL, MODULE_LIST, MODULE_DICT)
"""The modules of PyTorch that hold others."""

OPTIMIZER: Final = "torch.optim.Optimizer"
SCHEDULER: Final = "torch.optim.lr_scheduler.LRScheduler"
GRAD_SCALER: Final = "torch.amp.GradScaler"

DATASET: Final = "torch.utils.data.Dataset"
ITERABLE_DATASET: Final = "torch.utils.data.IterableDataset"
LOADER: Final = "torch.utils.data.DataLoader"
DATA_FRAME: Final = "pandas.DataFrame"

LIGHTNING_DATA_MODULE: Final = "lightning.pytorch.LightningDataModule"
LIGHTNING_MODULE: Final = "lightning.pytorch.LightningModule"
METRIC: Final = "torchmetrics.Metric"
METRIC_COLLECTION: Final = "torchmetrics.MetricCollection"

ACCELERATOR: Final = "accelerate.Accelerator"
PRETRAINED_MODEL: Final = "transformers.PreTrainedModel"
TOKENIZER: Final = "transformers.PreTrainedTokenizerBase"
TRAINER: Final = "transformers.Trainer"
