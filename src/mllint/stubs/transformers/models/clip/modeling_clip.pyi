"""transformers.models.clip.modeling_clip: defined in transformers; the layers that it stacks are only here."""

from transformers import CLIPForImageClassification as CLIPForImageClassification
from transformers import CLIPModel as CLIPModel
from transformers import CLIPPreTrainedModel as CLIPPreTrainedModel
from transformers import CLIPTextModel as CLIPTextModel
from transformers import CLIPVisionModel as CLIPVisionModel
from transformers.modeling_layers import GradientCheckpointingLayer

class CLIPEncoderLayer(GradientCheckpointingLayer): ...
