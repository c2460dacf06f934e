"""transformers.models.electra.modeling_electra: defined in transformers; the layers that it stacks are only here."""

from mllint.semantics.vocabulary import mode_dependent
from transformers import ElectraForCausalLM as ElectraForCausalLM
from transformers import ElectraForMaskedLM as ElectraForMaskedLM
from transformers import ElectraForMultipleChoice as ElectraForMultipleChoice
from transformers import ElectraForPreTraining as ElectraForPreTraining
from transformers import ElectraForQuestionAnswering as ElectraForQuestionAnswering
from transformers import ElectraForSequenceClassification as ElectraForSequenceClassification
from transformers import ElectraForTokenClassification as ElectraForTokenClassification
from transformers import ElectraModel as ElectraModel
from transformers import ElectraPreTrainedModel as ElectraPreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

@mode_dependent
class ElectraLayer(GradientCheckpointingLayer): ...
