"""transformers.modeling_gpt2: where releases before 4.0 had the models of transformers.models.gpt2.modeling_gpt2."""

from transformers import GPT2DoubleHeadsModel as GPT2DoubleHeadsModel
from transformers import GPT2LMHeadModel as GPT2LMHeadModel
from transformers import GPT2Model as GPT2Model
from transformers import GPT2PreTrainedModel as GPT2PreTrainedModel
