"""torchdata.stateful_dataloader: the loader of PyTorch, with a state."""

from torch.utils.data import DataLoader

class StatefulDataLoader(DataLoader):
    def state_dict(self) -> object: ...
    def load_state_dict(self, state_dict) -> None: ...
