"""torchdata.stateful_dataloader.sampler: samplers with a state."""

from torch.utils.data import RandomSampler as RandomSampler
from torch.utils.data.distributed import DistributedSampler

class StatefulDistributedSampler(DistributedSampler):
    def state_dict(self) -> object: ...
    def load_state_dict(self, state_dict) -> None: ...
