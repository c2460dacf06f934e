"""optuna: a study calls an objective, and looks for its minimum unless it is created to maximise."""

from optuna.study import Study as Study
import optuna.study as study

def create_study(
    *,
    storage=None,
    sampler=None,
    pruner=None,
    study_name: str | None = None,
    direction=None,
    load_if_exists: bool = False,
    directions=None,
) -> Study: ...
def load_study(*, study_name, storage, sampler=None, pruner=None) -> Study: ...
