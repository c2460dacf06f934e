"""optuna.study: what a study is asked to do."""

from typing import Any

from mllint.semantics.vocabulary import inert

class Study:
    best_params: dict
    best_value: float
    best_trial: Any
    trials: list
    def __init__(self, study_name: str, storage, sampler=None, pruner=None) -> None: ...
    def optimize(
        self,
        func,
        n_trials: int | None = None,
        timeout: float | None = None,
        n_jobs: int = 1,
        catch=(),
        callbacks=None,
        gc_after_trial: bool = False,
        show_progress_bar: bool = False,
    ) -> None: ...
    @inert
    def enqueue_trial(self, params, user_attrs=None, skip_if_exists: bool = False) -> None: ...
