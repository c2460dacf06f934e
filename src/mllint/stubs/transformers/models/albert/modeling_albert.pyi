"""transformers.models.albert.modeling_albert: defined in transformers; the layers that it stacks are only here."""

from mllint.semantics.vocabulary import mode_dependent
from transformers import AlbertForMaskedLM as AlbertForMaskedLM
from transformers import AlbertForMultipleChoice as AlbertForMultipleChoice
from transformers import AlbertForPreTraining as AlbertForPreTraining
from transformers import AlbertForQuestionAnswering as AlbertForQuestionAnswering
from transformers import AlbertForSequenceClassification as AlbertForSequenceClassification
from transformers import AlbertForTokenClassification as AlbertForTokenClassification
from transformers import AlbertModel as AlbertModel
from transformers import AlbertPreTrainedModel as AlbertPreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

@mode_dependent
class AlbertLayer(GradientCheckpointingLayer): ...
