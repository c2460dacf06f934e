"""torch.optim.lr_scheduler: what one `step()` of each schedule means.

`epoch`: written for one step per epoch, unless its horizon is counted in steps. `step`: made for one step per
optimizer step. `any`: the horizon says which.
"""

from mllint.semantics.vocabulary import Horizon, cadence, inert, reads_state, restores_state, ticks, wants_metric

class LRScheduler:
    last_epoch: int
    def __init__(self, optimizer, last_epoch: int = -1) -> None: ...
    @ticks(of="self.optimizer")
    def step(self, epoch: int | None = None) -> None: ...
    @inert
    def get_last_lr(self) -> object: ...
    @inert
    def get_lr(self) -> object: ...
    @reads_state(of="self")
    def state_dict(self) -> object: ...
    @restores_state(of="self")
    def load_state_dict(self, state_dict) -> None: ...

_LRScheduler = LRScheduler

@cadence("epoch")
class StepLR(LRScheduler):
    def __init__(self, optimizer, step_size: Horizon, gamma: float = 0.1, last_epoch: int = -1) -> None: ...

@cadence("epoch")
class MultiStepLR(LRScheduler):
    def __init__(self, optimizer, milestones: Horizon, gamma: float = 0.1, last_epoch: int = -1) -> None: ...

@cadence("epoch")
class ExponentialLR(LRScheduler):
    def __init__(self, optimizer, gamma: float, last_epoch: int = -1) -> None: ...

@cadence("any")
class LambdaLR(LRScheduler):
    def __init__(self, optimizer, lr_lambda, last_epoch: int = -1) -> None: ...

@cadence("any")
class MultiplicativeLR(LRScheduler):
    def __init__(self, optimizer, lr_lambda, last_epoch: int = -1) -> None: ...

@cadence("any")
class ConstantLR(LRScheduler):
    def __init__(
        self, optimizer, factor: float = 0.3333333333333333, total_iters: Horizon = 5, last_epoch: int = -1
    ) -> None: ...

@cadence("any")
class LinearLR(LRScheduler):
    def __init__(
        self,
        optimizer,
        start_factor: float = 0.3333333333333333,
        end_factor: float = 1.0,
        total_iters: Horizon = 5,
        last_epoch: int = -1,
    ) -> None: ...

@cadence("any")
class PolynomialLR(LRScheduler):
    def __init__(self, optimizer, total_iters: Horizon = 5, power: float = 1.0, last_epoch: int = -1) -> None: ...

@cadence("any")
class CosineAnnealingLR(LRScheduler):
    def __init__(self, optimizer, T_max: Horizon, eta_min: float = 0.0, last_epoch: int = -1) -> None: ...

@cadence("any")
class CosineAnnealingWarmRestarts(LRScheduler):
    def __init__(
        self, optimizer, T_0: Horizon, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None: ...

@cadence("any")
class SequentialLR(LRScheduler):
    def __init__(self, optimizer, schedulers, milestones: Horizon, last_epoch: int = -1) -> None: ...
    @ticks(of="self.optimizer")
    def step(self) -> None: ...

@cadence("any")
class ChainedScheduler(LRScheduler):
    def __init__(self, schedulers, optimizer=None) -> None: ...
    @ticks(of="self.optimizer")
    def step(self) -> None: ...

@cadence("step")
class CyclicLR(LRScheduler):
    def __init__(
        self,
        optimizer,
        base_lr,
        max_lr,
        step_size_up: Horizon = 2000,
        step_size_down: Horizon = None,
        mode="triangular",
        gamma: float = 1.0,
        scale_fn=None,
        scale_mode="cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None: ...

@cadence("step")
class OneCycleLR(LRScheduler):
    def __init__(
        self,
        optimizer,
        max_lr,
        total_steps: Horizon = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy="cos",
        cycle_momentum: bool = True,
        base_momentum=0.85,
        max_momentum=0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 10000.0,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None: ...

@cadence("epoch")
@wants_metric
class ReduceLROnPlateau(LRScheduler):
    def __init__(
        self,
        optimizer,
        mode="min",
        factor: float = 0.1,
        patience: Horizon = 10,
        threshold: float = 0.0001,
        threshold_mode="rel",
        cooldown: int = 0,
        min_lr=0,
        eps: float = 1e-08,
    ) -> None: ...
    @ticks(of="self.optimizer")
    def step(self, metrics, epoch=None) -> None: ...
