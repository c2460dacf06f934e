"""transformers.models.deberta_v2.modeling_deberta_v2: defined in transformers; the layers that it stacks are only here."""

from mllint.semantics.vocabulary import mode_dependent
from transformers import DebertaV2ForMaskedLM as DebertaV2ForMaskedLM
from transformers import DebertaV2ForMultipleChoice as DebertaV2ForMultipleChoice
from transformers import DebertaV2ForQuestionAnswering as DebertaV2ForQuestionAnswering
from transformers import DebertaV2ForSequenceClassification as DebertaV2ForSequenceClassification
from transformers import DebertaV2ForTokenClassification as DebertaV2ForTokenClassification
from transformers import DebertaV2Model as DebertaV2Model
from transformers import DebertaV2PreTrainedModel as DebertaV2PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

@mode_dependent
class DebertaV2Layer(GradientCheckpointingLayer): ...
