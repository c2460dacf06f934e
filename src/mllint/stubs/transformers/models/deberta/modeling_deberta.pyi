"""transformers.models.deberta.modeling_deberta: defined in transformers; the layers that it stacks are only here."""

from mllint.semantics.vocabulary import mode_dependent
from transformers import DebertaForMaskedLM as DebertaForMaskedLM
from transformers import DebertaForQuestionAnswering as DebertaForQuestionAnswering
from transformers import DebertaForSequenceClassification as DebertaForSequenceClassification
from transformers import DebertaForTokenClassification as DebertaForTokenClassification
from transformers import DebertaModel as DebertaModel
from transformers import DebertaPreTrainedModel as DebertaPreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

@mode_dependent
class DebertaLayer(GradientCheckpointingLayer): ...
