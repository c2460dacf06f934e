"""transformers.models.bart.modeling_bart: defined in transformers; the layers that it stacks are only here."""

from mllint.semantics.vocabulary import mode_dependent
from transformers import BartForCausalLM as BartForCausalLM
from transformers import BartForConditionalGeneration as BartForConditionalGeneration
from transformers import BartForQuestionAnswering as BartForQuestionAnswering
from transformers import BartForSequenceClassification as BartForSequenceClassification
from transformers import BartModel as BartModel
from transformers import BartPreTrainedModel as BartPreTrainedModel
from transformers import BartPretrainedModel as BartPretrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

@mode_dependent
class BartEncoderLayer(GradientCheckpointingLayer): ...

@mode_dependent
class BartDecoderLayer(GradientCheckpointingLayer): ...
