"""transformers.models.vit.modeling_vit: defined in transformers; the layers that it stacks are only here."""

from transformers import ViTForImageClassification as ViTForImageClassification
from transformers import ViTForMaskedImageModeling as ViTForMaskedImageModeling
from transformers import ViTModel as ViTModel
from transformers import ViTPreTrainedModel as ViTPreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer

class ViTLayer(GradientCheckpointingLayer): ...
