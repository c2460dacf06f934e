"""transformers.models.roberta.modeling_roberta: defined in transformers; the layers that it stacks are only here."""

from mllint.semantics.vocabulary import mode_dependent
from transformers import RobertaForCausalLM as RobertaForCausalLM
from transformers import RobertaForMaskedLM as RobertaForMaskedLM
from transformers import RobertaForMultipleChoice as RobertaForMultipleChoice
from transformers import RobertaForQuestionAnswering as RobertaForQuestionAnswering
from transformers import RobertaForSequenceClassification as RobertaForSequenceClassification
from transformers import RobertaForTokenClassification as RobertaForTokenClassification
from transformers import RobertaModel as RobertaModel
from transformers import RobertaPreTrainedModel as RobertaPreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

@mode_dependent
class RobertaLayer(GradientCheckpointingLayer): ...
