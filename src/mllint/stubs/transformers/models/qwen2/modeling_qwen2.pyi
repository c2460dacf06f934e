"""transformers.models.qwen2.modeling_qwen2: defined in transformers; the layers that it stacks are only here."""

from transformers import Qwen2ForCausalLM as Qwen2ForCausalLM
from transformers import Qwen2ForQuestionAnswering as Qwen2ForQuestionAnswering
from transformers import Qwen2ForSequenceClassification as Qwen2ForSequenceClassification
from transformers import Qwen2ForTokenClassification as Qwen2ForTokenClassification
from transformers import Qwen2Model as Qwen2Model
from transformers import Qwen2PreTrainedModel as Qwen2PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

class Qwen2DecoderLayer(GradientCheckpointingLayer): ...
