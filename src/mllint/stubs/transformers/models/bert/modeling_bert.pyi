"""transformers.models.bert.modeling_bert: defined in transformers; the layers that it stacks are only here."""

from mllint.semantics.vocabulary import mode_dependent
from transformers import BertForMaskedLM as BertForMaskedLM
from transformers import BertForMultipleChoice as BertForMultipleChoice
from transformers import BertForNextSentencePrediction as BertForNextSentencePrediction
from transformers import BertForPreTraining as BertForPreTraining
from transformers import BertForQuestionAnswering as BertForQuestionAnswering
from transformers import BertForSequenceClassification as BertForSequenceClassification
from transformers import BertForTokenClassification as BertForTokenClassification
from transformers import BertLMHeadModel as BertLMHeadModel
from transformers import BertModel as BertModel
from transformers import BertPreTrainedModel as BertPreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

@mode_dependent
class BertLayer(GradientCheckpointingLayer): ...
