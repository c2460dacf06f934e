"""Rows that look back in time, or overlapping windows of one series, are split at random."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, constructor_argument, effect_of, lookback, origins, random_splits, splits

__all__: list[str] = []

_SHARED = "each held-out window overlaps windows that are trained on: the model has seen most of its values"
_BY_WINDOW = (
    "split by time: the first windows for training, the last for testing, without those in between that overlap both"
)
_WITH_GAP = (
    "split by time, with a gap as long as a window (`TimeSeriesSplit(gap=window)`): no window may be on both sides"
)
_BY_GROUP = ("GroupKFold", "StratifiedGroupKFold", "GroupShuffleSplit", "LeaveOneGroupOut", "LeavePGroupsOut")
_SPLITTERS = "train_test_split random_split split"
_ORDERING = frozenset(("shuffle", "permutation", "randperm", "sample"))


@check("shuffled-time-series", calls=f"{_SPLITTERS} {' '.join(sorted(_ORDERING))}")
def shuffled_time_series(call: Call) -> Iterator[Finding]:
    """Rows that look back in time, or overlapping windows of one series, are split at random."""
    orders = call.last_name in _ORDERING
    is_splitter = not orders and splits.may_split(call) and any(effect_of(f, "splits") for f in call.callees)
    ordered = random_splits.ordered_rows(call) if orders else None
    decided = random_splits.decides_parts(call) if ordered is not None else None
    if decided is None and not (is_splitter and _shuffles(call)):
        return  # of what is not split, the order is that of the batches
    given = (call.argument("X") or call.argument("dataset")) if is_splitter else None
    overlap = lookback.window_at(given.value) if given is not None and call.last_name == "random_split" else None
    if overlap is not None:
        message = "`random_split` shuffles overlapping windows: held-out windows share data with training"
        notes = [Note(overlap, "windows overlap")]
        yield Finding(call, message, "ignores the time order", notes, help=_BY_WINDOW, why=_SHARED)
        return
    whole = [a.value if isinstance(a, ast.Starred) else a for a in call.node.args]
    answers = lookback.answer_columns(call)
    for node in [given.node] if given is not None else [ordered] if ordered is not None else whole:
        steps = list(origins(node, call.frame, through=lambda o: not lookback.aggregates_groups(o)))
        methods = [(o, word) for o in steps if (word := lookback.lookback_method(o, answers))]
        found = [(o, word) for o, word in methods if not lookback.is_dropped_before_split(o, word, call)]
        if all(lookback.is_one_row_per_series(o, steps, call) or lookback.slices_single_row(o) for o, _ in found):
            continue
        word = found[0][1]
        what, shared = f"rows that look back in time (`{word}`)", "held-out rows have neighbours in training"
        if word == "window":
            what, shared = "overlapping windows of one series", "held-out windows share data with training"
        yield Finding(
            call,
            f"`{call.name if call.last_name == 'split' else call.last_name}` shuffles {what}: {shared}",
            "ignores the time order",
            [Note(o, "windows overlap" if w == "window" else f"`{w}` looks at other rows") for o, w in found[:3]],
            help=_WITH_GAP if word == "window" else "",
            why=_SHARED if word == "window" else "",
            evidence=(decided,) if decided is not None else (),
        )
        return


def _shuffles(call: Call) -> bool:
    """Is this split certainly random?"""
    if call.last_name == "train_test_split":  # whose places are all for rows
        given = call.argument("shuffle")
        spread = call.is_open and any(k.arg is None for k in call.node.keywords)
        return given.value.truth is True if given is not None else not spread
    if call.is_open:
        return False
    if call.last_name == "random_split":
        return True
    receiver = call.receiver
    if receiver is None or not receiver.classes or any(c.name in _BY_GROUP for c in receiver.classes):
        return False
    shuffle = constructor_argument(receiver, "shuffle")
    return all(c.name.endswith("ShuffleSplit") for c in receiver.classes) or (
        shuffle is not None and shuffle.truth is True
    )
