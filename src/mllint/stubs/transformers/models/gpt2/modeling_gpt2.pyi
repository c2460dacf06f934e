"""transformers.models.gpt2.modeling_gpt2: defined in transformers; the layers that it stacks are only here."""

from mllint.semantics.vocabulary import mode_dependent
from transformers import GPT2DoubleHeadsModel as GPT2DoubleHeadsModel
from transformers import GPT2ForQuestionAnswering as GPT2ForQuestionAnswering
from transformers import GPT2ForSequenceClassification as GPT2ForSequenceClassification
from transformers import GPT2ForTokenClassification as GPT2ForTokenClassification
from transformers import GPT2LMHeadModel as GPT2LMHeadModel
from transformers import GPT2Model as GPT2Model
from transformers import GPT2PreTrainedModel as GPT2PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

@mode_dependent
class GPT2Block(GradientCheckpointingLayer): ...
