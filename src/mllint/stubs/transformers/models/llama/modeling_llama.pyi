"""transformers.models.llama.modeling_llama: defined in transformers; the layers that it stacks are only here."""

from transformers import LlamaForCausalLM as LlamaForCausalLM
from transformers import LlamaForQuestionAnswering as LlamaForQuestionAnswering
from transformers import LlamaForSequenceClassification as LlamaForSequenceClassification
from transformers import LlamaForTokenClassification as LlamaForTokenClassification
from transformers import LlamaModel as LlamaModel
from transformers import LlamaPreTrainedModel as LlamaPreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

class LlamaDecoderLayer(GradientCheckpointingLayer): ...
