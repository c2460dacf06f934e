"""Is the best value of a metric the worst one?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Call, directions

__all__: list[str] = []


@check(
    "metric-direction",
    calls="EarlyStopping ModelCheckpoint ReduceLROnPlateau",
    keywords="monitor metric_for_best_model",
)
def metric_direction(call: Call) -> Iterator[Finding]:
    """A callback or a trainer takes the worst value of a metric for the best."""
    found = directions.watched(call)
    if found is None:
        return
    metric, direction = found
    key = metric.value.literal
    if isinstance(key, str) and directions.better(key) not in (None, direction):
        wanted = {"higher": "highest", "lower": "lowest"}[direction]
        message = f"`{call.name}` takes the {wanted} `{key}` for the best, but a {directions.better(key)} one is better"
        yield Finding(metric, message, f"{direction} counts as better")
