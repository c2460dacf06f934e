"""peft: an adapted model stands for its base, whose parameters it freezes while it adds its own."""

from typing import Any
from typing_extensions import Self

from mllint.semantics.vocabulary import Model, inert, reads_state, restores_state, saves, sets_mode, wraps
from torch.nn import Module as Module

@wraps(of="model")
class PeftModel(Module):
    base_model: Any
    config: Any
    def __init__(
        self,
        model: Model,
        peft_config,
        adapter_name: str = "default",
        autocast_adapter_dtype: bool = True,
        low_cpu_mem_usage: bool = False,
    ) -> None: ...
    def forward(self, *args, **kwargs) -> object: ...
    @classmethod
    @sets_mode("eval", of="return")
    def from_pretrained(
        cls,
        model,
        model_id,
        adapter_name: str = "default",
        is_trainable: bool = False,
        config=None,
        autocast_adapter_dtype: bool = True,
        ephemeral_gpu_offload: bool = False,
        low_cpu_mem_usage: bool = False,
        key_mapping=None,
        **kwargs,
    ) -> Self: ...
    @saves(of="self")
    def save_pretrained(
        self,
        save_directory: str,
        safe_serialization: bool = True,
        selected_adapters=None,
        save_embedding_layers="auto",
        is_main_process: bool = True,
        path_initial_model_for_weight_conversion: str | None = None,
        **kwargs,
    ) -> None: ...
    @inert
    def print_trainable_parameters(self) -> None: ...
    def generate(self, *args, **kwargs) -> object: ...
    def merge_and_unload(self, *args, **kwargs) -> object: ...
    def get_base_model(self) -> object: ...
    def add_adapter(
        self, adapter_name: str, peft_config, low_cpu_mem_usage: bool = False, autocast_adapter_dtype: bool = True
    ) -> object: ...
    def set_adapter(self, adapter_name: str, inference_mode: bool = False) -> None: ...
    @restores_state(of="self")
    def load_adapter(
        self,
        model_id,
        adapter_name: str,
        is_trainable: bool = False,
        torch_device: str | None = None,
        autocast_adapter_dtype: bool = True,
        ephemeral_gpu_offload: bool = False,
        low_cpu_mem_usage: bool = False,
        key_mapping=None,
        **kwargs,
    ) -> object: ...
    def disable_adapter(self) -> object: ...

class PeftModelForCausalLM(PeftModel): ...
class PeftModelForSequenceClassification(PeftModel): ...
class PeftModelForSeq2SeqLM(PeftModel): ...
class PeftModelForTokenClassification(PeftModel): ...

@wraps(of="model")
def get_peft_model(
    model: Model,
    peft_config,
    adapter_name: str = "default",
    mixed: bool = False,
    autocast_adapter_dtype: bool = True,
    revision: str | None = None,
    low_cpu_mem_usage: bool = False,
): ...
@wraps(of="model")
def prepare_model_for_kbit_training(
    model: Model, use_gradient_checkpointing=True, gradient_checkpointing_kwargs=None, auto_clear_cache=True
): ...
@reads_state(of="model")
def get_peft_model_state_dict(
    model, state_dict=None, adapter_name: str = "default", unwrap_compiled: bool = False, save_embedding_layers="auto"
) -> object: ...
@restores_state(of="model")
def set_peft_model_state_dict(
    model,
    peft_model_state_dict,
    adapter_name="default",
    ignore_mismatched_sizes: bool = False,
    low_cpu_mem_usage: bool = False,
) -> object: ...
@wraps(of="model")
def inject_adapter_in_model(
    peft_config, model: Model, adapter_name: str = "default", low_cpu_mem_usage: bool = False, state_dict=None
): ...

class LoraConfig:
    def __init__(self, *args, **kwargs) -> None: ...

class PrefixTuningConfig:
    def __init__(self, *args, **kwargs) -> None: ...

class PromptTuningConfig:
    def __init__(self, *args, **kwargs) -> None: ...

class AdaLoraConfig:
    def __init__(self, *args, **kwargs) -> None: ...

class IA3Config:
    def __init__(self, *args, **kwargs) -> None: ...

class TaskType:
    CAUSAL_LM: Any
    SEQ_CLS: Any
    SEQ_2_SEQ_LM: Any
    TOKEN_CLS: Any
    QUESTION_ANS: Any
    FEATURE_EXTRACTION: Any
