"""transformers.modeling_layers: what the layers that models stack are made from."""

from torch.nn import Module

class GradientCheckpointingLayer(Module):
    gradient_checkpointing: bool
    def __init__(self, *inputs, **kwargs) -> None: ...
    def forward(self, *args, **kwargs) -> object: ...
