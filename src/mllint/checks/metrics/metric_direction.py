"""Is the best value of a metric the worst one?

A key that a callback watches says by its name what it is; a number that a schedule or a study is given, or behind whose
comparison weights are kept, by how it was computed.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Argument, Call, Site, classes, directions, keepers, text

__all__: list[str] = []

_WANTED = {"higher": "highest", "lower": "lowest"}
_MODES = {"higher": "max", "lower": "min"}
_CUT = "each improvement counts as a bad epoch: the learning rate is cut although the metric still improves"
_WHY = {
    "ModelCheckpoint": "the checkpoint that counts as the best is the worst one",
    "EarlyStopping": "training stops while the metric still improves",
    "ReduceLROnPlateau": _CUT,
}
_TRAINER = "the trainer takes the worst checkpoint for the best one"
_STUDY = "the study looks for the worst value, and reports the worst trial as the best"
_KEPT = "the weights that are kept are the worst ones"
_SCHEDULER = 'build the scheduler with `mode="{}"`'
_REVERSE = {
    "higher": 'keep the highest value: reverse the comparison, and start from `-float("inf")`',
    "lower": 'keep the lowest value: reverse the comparison, and start from `float("inf")`',
}
_COMPUTED = ("step", "optimize")
"""Methods that are given a number, and build nothing."""
_KEEPING = ("state_dict", "save_pretrained")
"""Methods that read or write weights."""


@check(
    "metric-direction",
    calls="EarlyStopping ModelCheckpoint ReduceLROnPlateau step optimize state_dict save_pretrained",
    keywords="monitor metric_for_best_model",
)
def metric_direction(call: Call) -> Iterator[Finding]:
    """A callback, a schedule, a study, a trainer or a comparison treats the worst value of a metric as the best."""
    if call.last_name in _KEEPING:
        yield from _kept(call)
        return
    found = directions.find_watched_metric(call) if call.last_name not in _COMPUTED else None
    if found is not None:
        metric, direction = found
        keys = [v.literal for v in metric.value.alternatives]
        key = keys[0]
        if not isinstance(key, str):
            return
        if len({directions.direction_by_key(k) if isinstance(k, str) else None for k in keys}) > 1:
            return  # one of several, which are better in different directions
        better = directions.direction_by_key(key) or directions.direction_by_logging(key, call.project)
        if better not in (None, direction):
            message = f"`{call.name}` treats the {_WANTED[direction]} `{key}` as the best, but a {better} one is better"
            help, why = _of_key(metric, str(better))
            yield Finding(metric, message, f"{direction} counts as better", help=help, why=why)
        return
    number = directions.find_plateau_metric(call) if call.last_name == "step" else directions.find_study_objective(call)
    if number is None:
        return
    node, direction, frame = number
    better = directions.direction_of_number(node, frame)
    if better not in (None, direction):
        what = text(frame.module, node, 40)
        name = call.name.removesuffix(".step")
        message = f"`{name}` treats the {_WANTED[direction]} `{what}` as the best, but a {better} one is better"
        help, why = _SCHEDULER.format(_MODES[str(better)]), _CUT
        if call.last_name == "optimize":
            help, why = f'create the study with `direction="{_MODES[str(better)]}imize"`', _STUDY
        yield Finding(call, message, f"{direction} counts as better", help=help, why=why)


def _kept(call: Call) -> Iterator[Finding]:
    """Weights are kept where a score outdoes the record in the wrong direction."""
    reported: set[Site] = set()
    for kept in keepers.find_keeping_comparisons(call):
        better = directions.direction_by_computation(kept.score, kept.frame)
        if better in (None, kept.direction):
            continue
        condition, test = text(kept.frame.module, kept.test, 40), Site(kept.frame.module, kept.test)
        notes = [Note(call, "weights are kept here")]
        passed = list(_handed(kept.handed, Note(test, "compared with the best score so far"))) if kept.handed else []
        if passed or test in reported:
            yield from passed
            continue
        reported.add(test)
        what, wanted = text(kept.frame.module, kept.score, 40), _WANTED[kept.direction]
        message = f"`{condition}` keeps the {wanted} `{what}` as the best, but a {better} one is better"
        yield Finding(test, message, f"{kept.direction} counts as better", notes, help=_REVERSE[str(better)], why=_KEPT)


def _handed(handed: keepers.Handed, compared: Note) -> Iterator[Finding]:
    """An object that keeps weights is given a score that is better in the other direction than it takes for better."""
    better = directions.direction_by_computation(handed.node, handed.frame)
    if better is not None:
        wrong, module = "lower" if better == "higher" else "higher", handed.frame.module
        name, given = text(module, handed.call.func, 40), text(module, handed.node, 40)
        message = f"`{name}` keeps the weights with the {_WANTED[wrong]} `{given}`, but a {better} one is better"
        help = f"pass a score that is better when {wrong}, or let `{name}` keep the {_WANTED[better]} one"
        yield Finding(Site(module, handed.call), message, f"{wrong} counts as better", [compared], help=help, why=_KEPT)


def _of_key(metric: Argument, better: str) -> tuple[str, str]:
    """What to do about a metric that is watched by its key, and why."""
    if metric.parameter == "metric_for_best_model":
        why = _TRAINER if directions.loads_best(metric.call) else _WHY["EarlyStopping"]
        return f"pass `greater_is_better={better == 'higher'}`", why
    if metric.call.value.instance_of(classes.SCHEDULER):
        return _SCHEDULER.format(_MODES[better]), _CUT  # the key stands elsewhere, and so would a `mode`
    return f'pass `mode="{_MODES[better]}"`', _WHY.get(metric.call.value.alternatives[0].class_name, "")
