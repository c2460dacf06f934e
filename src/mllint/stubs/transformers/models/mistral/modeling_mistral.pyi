"""transformers.models.mistral.modeling_mistral: defined in transformers; the layers that it stacks are only here."""

from transformers import MistralForCausalLM as MistralForCausalLM
from transformers import MistralForQuestionAnswering as MistralForQuestionAnswering
from transformers import MistralForSequenceClassification as MistralForSequenceClassification
from transformers import MistralForTokenClassification as MistralForTokenClassification
from transformers import MistralModel as MistralModel
from transformers import MistralPreTrainedModel as MistralPreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

class MistralDecoderLayer(GradientCheckpointingLayer): ...
