"""Is the best value of a metric the worst one?

A key that a callback watches says by its name what it is; a number that a schedule or a study is given, by how it was
computed.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Call, directions, text

__all__: list[str] = []

_WANTED = {"higher": "highest", "lower": "lowest"}
_MODE = {better: f'build the schedule with `mode="{mode}"`' for better, mode in (("higher", "max"), ("lower", "min"))}
_CUT = "each improvement counts as a bad epoch: the learning rate is cut although the metric still improves"
_COMPUTED = ("step", "optimize")
"""Methods that are given a number, and build nothing."""


@check(
    "metric-direction",
    calls="EarlyStopping ModelCheckpoint ReduceLROnPlateau step optimize",
    keywords="monitor metric_for_best_model",
)
def metric_direction(call: Call) -> Iterator[Finding]:
    """A callback, a schedule, a study or a trainer treats the worst value of a metric as the best."""
    found = directions.watched(call) if call.last_name not in _COMPUTED else None
    if found is not None:
        metric, direction = found
        key = metric.value.literal
        if isinstance(key, str) and directions.better(key) not in (None, direction):
            better = directions.better(key)
            message = f"`{call.name}` treats the {_WANTED[direction]} `{key}` as the best, but a {better} one is better"
            yield Finding(metric, message, f"{direction} counts as better")
        return
    number = directions.stepped(call) if call.last_name == "step" else directions.sought(call)
    if number is None:
        return
    node, direction, frame = number
    better = directions.measured(node, frame)
    if better not in (None, direction):
        what = text(frame.module, node, 40)
        name = call.name.removesuffix(".step")
        message = f"`{name}` treats the {_WANTED[direction]} `{what}` as the best, but a {better} one is better"
        help, why = (_MODE[better], _CUT) if better and call.last_name == "step" else ("", "")
        yield Finding(call, message, f"{direction} counts as better", help=help, why=why)
