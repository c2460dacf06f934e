"""transformers.models.whisper.modeling_whisper: defined in transformers; the layers that it stacks are only here."""

from transformers import WhisperForAudioClassification as WhisperForAudioClassification
from transformers import WhisperForCausalLM as WhisperForCausalLM
from transformers import WhisperForConditionalGeneration as WhisperForConditionalGeneration
from transformers import WhisperModel as WhisperModel
from transformers import WhisperPreTrainedModel as WhisperPreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

class WhisperEncoderLayer(GradientCheckpointingLayer): ...

class WhisperDecoderLayer(GradientCheckpointingLayer): ...
