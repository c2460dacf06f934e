"""torchdata: loaders and samplers that can be saved in the middle of an epoch."""
