"""transformers.modeling_bert: where releases before 4.0 had the models of transformers.models.bert.modeling_bert."""

from transformers import BertForMaskedLM as BertForMaskedLM
from transformers import BertForNextSentencePrediction as BertForNextSentencePrediction
from transformers import BertForPreTraining as BertForPreTraining
from transformers import BertForQuestionAnswering as BertForQuestionAnswering
from transformers import BertForSequenceClassification as BertForSequenceClassification
from transformers import BertForTokenClassification as BertForTokenClassification
from transformers import BertModel as BertModel
from transformers import BertPreTrainedModel as BertPreTrainedModel
