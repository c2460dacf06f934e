"""transformers.models.t5.modeling_t5: defined in transformers; the layers that it stacks are only here."""

from mllint.semantics.vocabulary import mode_dependent
from transformers import T5EncoderModel as T5EncoderModel
from transformers import T5ForConditionalGeneration as T5ForConditionalGeneration
from transformers import T5ForQuestionAnswering as T5ForQuestionAnswering
from transformers import T5ForSequenceClassification as T5ForSequenceClassification
from transformers import T5ForTokenClassification as T5ForTokenClassification
from transformers import T5Model as T5Model
from transformers import T5PreTrainedModel as T5PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

@mode_dependent
class T5Block(GradientCheckpointingLayer): ...
