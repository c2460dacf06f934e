"""diffusers.optimization: the schedules of transformers, with the same meaning."""

from mllint.semantics.vocabulary import Horizon, cadence
from torch.optim.lr_scheduler import LambdaLR as LambdaLR

@cadence("step")
class _StepSchedule(LambdaLR): ...

def get_constant_schedule(optimizer, last_epoch: int = -1) -> LambdaLR: ...
def get_constant_schedule_with_warmup(optimizer, num_warmup_steps: int, last_epoch: int = -1) -> _StepSchedule: ...
def get_linear_schedule_with_warmup(
    optimizer, num_warmup_steps: int, num_training_steps: Horizon, last_epoch: int = -1
) -> _StepSchedule: ...
def get_cosine_schedule_with_warmup(
    optimizer, num_warmup_steps: int, num_training_steps: Horizon, num_cycles: float = 0.5, last_epoch: int = -1
) -> _StepSchedule: ...
def get_cosine_with_hard_restarts_schedule_with_warmup(
    optimizer, num_warmup_steps: int, num_training_steps: Horizon, num_cycles: int = 1, last_epoch: int = -1
) -> _StepSchedule: ...
def get_polynomial_decay_schedule_with_warmup(
    optimizer, num_warmup_steps: int, num_training_steps: Horizon, lr_end=1e-07, power=1.0, last_epoch: int = -1
) -> _StepSchedule: ...
def get_scheduler(
    name,
    optimizer,
    step_rules: str | None = None,
    num_warmup_steps: int | None = None,
    num_training_steps: Horizon = None,
    num_cycles: int = 1,
    power: float = 1.0,
    last_epoch: int = -1,
) -> _StepSchedule: ...
