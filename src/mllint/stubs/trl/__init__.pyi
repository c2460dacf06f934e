"""trl: trainers that own their loop."""

from transformers import Trainer as Trainer
from transformers import TrainingArguments as TrainingArguments

class SFTTrainer(Trainer):
    def __init__(
        self,
        model,
        args=None,
        data_collator=None,
        train_dataset=None,
        eval_dataset=None,
        processing_class=None,
        compute_loss_func=None,
        compute_metrics=None,
        callbacks=None,
        **kwargs,
    ) -> None: ...

class DPOTrainer(Trainer):
    def __init__(
        self,
        model,
        ref_model=None,
        args=None,
        data_collator=None,
        train_dataset=None,
        eval_dataset=None,
        processing_class=None,
        compute_metrics=None,
        callbacks=None,
        **kwargs,
    ) -> None: ...

class GRPOTrainer(Trainer):
    def __init__(
        self,
        model,
        reward_funcs=None,
        args=None,
        train_dataset=None,
        eval_dataset=None,
        processing_class=None,
        reward_processing_classes=None,
        callbacks=None,
        **kwargs,
    ) -> None: ...

class RLOOTrainer(Trainer):
    def __init__(
        self,
        model,
        reward_funcs,
        args=None,
        train_dataset=None,
        eval_dataset=None,
        processing_class=None,
        reward_processing_classes=None,
        callbacks=None,
        **kwargs,
    ) -> None: ...

class ORPOTrainer(Trainer):
    def __init__(self, model=None, *args, **kwargs) -> None: ...

class KTOTrainer(Trainer):
    def __init__(
        self,
        model,
        ref_model=None,
        args=None,
        data_collator=None,
        train_dataset=None,
        eval_dataset=None,
        processing_class=None,
        compute_metrics=None,
        callbacks=None,
        **kwargs,
    ) -> None: ...

class RewardTrainer(Trainer):
    def __init__(
        self,
        model,
        args=None,
        data_collator=None,
        train_dataset=None,
        eval_dataset=None,
        processing_class=None,
        compute_metrics=None,
        callbacks=None,
        **kwargs,
    ) -> None: ...

class PPOTrainer(Trainer):
    def __init__(self, model=None, *args, **kwargs) -> None: ...

class CPOTrainer(Trainer):
    def __init__(self, model=None, *args, **kwargs) -> None: ...

class SFTConfig(TrainingArguments):
    def __init__(self, output_dir: str | None = None, *args, **kwargs) -> None: ...

class DPOConfig(TrainingArguments):
    def __init__(self, output_dir: str | None = None, *args, **kwargs) -> None: ...

class GRPOConfig(TrainingArguments):
    def __init__(self, output_dir: str | None = None, *args, **kwargs) -> None: ...

class ORPOConfig(TrainingArguments):
    def __init__(self, output_dir: str | None = None, *args, **kwargs) -> None: ...

class KTOConfig(TrainingArguments):
    def __init__(self, output_dir: str | None = None, *args, **kwargs) -> None: ...

class RewardConfig(TrainingArguments):
    def __init__(self, output_dir: str | None = None, *args, **kwargs) -> None: ...

class PPOConfig(TrainingArguments):
    def __init__(self, output_dir: str | None = None, *args, **kwargs) -> None: ...

class RLOOConfig(TrainingArguments):
    def __init__(self, output_dir: str | None = None, *args, **kwargs) -> None: ...
