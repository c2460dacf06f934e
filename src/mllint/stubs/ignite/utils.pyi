"""ignite.utils: seeds and devices."""

from mllint.semantics.vocabulary import NonDifferentiable, Seed, T, Tensor, seeds

@seeds("torch", "numpy", "random")
def manual_seed(seed: Seed) -> None: ...
def convert_tensor(x: T, device=None, non_blocking: bool = False) -> T: ...
def setup_logger(
    name: str | None = "ignite",
    level: int = 20,
    stream=None,
    format: str = "%(asctime)s %(name)s %(levelname)s: %(message)s",
    filepath: str | None = None,
    distributed_rank: int | None = None,
    reset: bool = False,
    encoding: str | None = "utf-8",
) -> object: ...
def to_onehot(indices: Tensor, num_classes: int) -> NonDifferentiable[Tensor]: ...
