"""Is the test set handed to a framework as what to validate on, while the validation set lies unused beside it?

`Trainer(eval_dataset=test)`, `fit(x, y, validation_data=(x_test, y_test))`, `trainer.fit(model, train, test_loader)`:
harmless as long as nothing is chosen by it. So it counts only in a file that stops early or keeps a best, and only
if a name for validation data is bound and never read, or if the model that was chosen is then measured on those rows.
"""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterator

from mllint._typing import Any
from mllint.checks._unread import TEST, VALIDATION, siblings
from mllint.semantics.module import Function, last_name, place, walk
from mllint.semantics.parts import held, trained

__all__ = ["validated_on_test"]

_KEYWORDS = frozenset("eval_dataset validation_data val_dataloaders eval_set valid_sets".split())
_KEEPING = ("EarlyStopping", "early_stopping", "ModelCheckpoint", "load_best_model_at_end", "restore_best_weights")


_STOPPING = ("EarlyStopping", "early_stopping", "load_best_model_at_end", "restore_best_weights")
_REPORTS = ("evaluate", "predict", "test", "score", "predict_proba")


def validated_on_test(function: Function) -> Iterator[tuple[Any, str, str]]:
    """What a framework is told to validate on, its name, and what else shows that it is the test set."""
    calls = [c for c in function.calls if (name := last_name(c.func)) == "fit" or name.endswith("Trainer")]
    source = function.module.source
    if not calls or source is None or not any(word in source.text for word in _KEEPING):
        return
    for call in calls:
        for argument in (*(k.value for k in call.keywords if k.arg in _KEYWORDS), *_third(call)):
            found = [n for n in (place(node) for node in walk(argument)) if n and held(_said(n))]
            test = next((n for n in found if any(word in _said(n).lower() for word in TEST)), None)
            spare = next(siblings(test, TEST, function, VALIDATION), None) if test is not None else None
            if test is not None and spare is not None:
                yield argument, test, f"nobody reads `{spare}`"
            elif test is not None and _chooses(call, source.text) and _reported(test, call, function):
                yield argument, test, "the result is then measured on it"


def _said(name: str) -> str:
    """What tells the part that a place names: `test` of `rows["test"]`, else the place."""
    key = name.rpartition("[")[2].rstrip("]").strip("'") if name.endswith("']") else ""
    return key or name


def _chooses(call: Any, written: str) -> bool:
    """Is what the call trains stopped, or taken back to the best, by the score on what it validates on?"""
    given = {k.arg: k.value for k in call.keywords}
    listed = getattr(given.get("callbacks"), "elts", [])
    if listed and all(isinstance(one, ast.Call) and "stop" not in last_name(one.func).lower() for one in listed):
        return any(arg is not None and "early_stopping" in arg for arg in given)  # they report, and choose nothing
    told = last_name(call.func).endswith("Trainer") or "callbacks" in given
    return told and any(word in written for word in _STOPPING)


def _reported(name: str, call: Any, function: Function) -> bool:
    """Is the model measured on a place after it was trained?"""
    return any(
        last_name(c.func) in _REPORTS
        and c.lineno > call.lineno
        and any(place(a) == name for a in (*c.args, *(k.value for k in c.keywords)))
        for c in function.calls
    )


def _third(call: Any) -> list[Any]:
    """`fit(model, train_loader, val_loader)`."""
    given = call.args
    return given[2:3] if len(given) == 3 and any(trained(place(n)) for n in walk(given[1])) else []
