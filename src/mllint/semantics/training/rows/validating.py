"""Is the test set handed to a framework as what to validate on, while the validation set lies unused beside it?

`Trainer(eval_dataset=test)`, `fit(x, y, validation_data=(x_test, y_test))`, `trainer.fit(model, train, test_loader)`:
harmless as long as nothing is chosen by it. So it counts only in a file that stops early or keeps a best, and only
if a name for validation data is bound and never read, or if the model that was chosen is then measured on those rows.
Folds, and the trials of a search, choose by design on what they may call test rows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.syntax.module import Function as FunctionScope
from mllint.semantics.syntax.module import last_name, place, walk
from mllint.semantics.syntax.names import reaching
from mllint.semantics.training import roles
from mllint.semantics.training.usage import TEST, VALIDATION, unread_counterparts

__all__ = ["validated_on_test"]

_KEYWORDS = frozenset("eval_dataset validation_data val_dataloaders eval_set valid_sets evals".split())
_STOPPING = ("EarlyStopping", "early_stopping", "load_best_model_at_end", "restore_best_weights")
_KEEPING = (*_STOPPING, "ModelCheckpoint")
_REPORTS = ("evaluate", "predict", "test", "score", "predict_proba")


def validated_on_test(function: FunctionScope) -> Iterator[tuple[Any, str, str, Any]]:
    """What a framework is told to validate on, its name, what else shows that it is the test set, and where."""
    calls = [c for c in function.calls if (name := last_name(c.func)) in ("fit", "train") or name.endswith("Trainer")]
    source = function.module.source
    if not calls or source is None or not any(word in source.text for word in _KEEPING):
        return
    for call in calls if not any(name.startswith("suggest_") for name in function.called_names) else ():
        if _in_folds(call, function):
            continue
        for argument in (*(k.value for k in call.keywords if k.arg in _KEYWORDS), *_third(call)):
            found = [n for n in (place(node) for node in walk(argument)) if n and roles.is_held_out_name(_said(n))]
            if _boosts(call) and not _stops_by_last(call, found):
                continue
            test = next((n for n in found if roles.has_role_name(_said(n), *TEST)), None)
            spare = next(unread_counterparts(test, TEST, function, VALIDATION), None) if test is not None else None
            if test is not None and spare is not None:
                yield argument, test, f"nobody reads `{spare}`", None
            elif test is not None and _chooses(call, source.text, function):
                measured = _reported(test, call, function)
                if measured is not None:
                    yield argument, test, "the result is then measured on it", measured


def _in_folds(call: Any, function: FunctionScope) -> bool:
    """Does it stand in a loop over folds, which are all held out in turn?"""
    loops = [r.node for r in function.loops if r.node.lineno <= call.lineno <= (r.node.end_lineno or 0)]
    drawn = (n for loop in loops if isinstance(loop, ast.For) for n in walk(loop.iter))
    return any(isinstance(n, ast.Call) and last_name(n.func) == "split" for n in drawn)


def _said(name: str) -> str:
    """What tells the part that a place names: `test` of `rows["test"]`, else the place."""
    key = name.rpartition("[")[2].rstrip("]").strip("'") if name.endswith("']") else ""
    key = key or name
    return key[1:] if key.startswith("d") and roles.is_held_out_name(key[1:]) else key  # `dtest` is a matrix of xgboost


def _boosts(call: Any) -> bool:
    """Is it `xgb.train(..., evals=...)`, `lgb.train(..., valid_sets=...)`?"""
    return last_name(call.func) == "train"


def _stops_by_last(call: Any, found: list[str]) -> bool:
    """Is boosting told to stop early, with no other held-out rows to look at than those of a test?"""
    return _early(call) and all(roles.has_role_name(_said(n), *TEST) for n in found)


def _early(call: Any) -> bool:
    """Is a call itself told to stop early: `early_stopping_rounds=50`, `callbacks=[lgb.early_stopping(50)]`?"""
    inner = [last_name(n.func) for k in call.keywords for n in walk(k.value) if isinstance(n, ast.Call)]
    return any("early_stopping" in word for word in (*inner, *(k.arg or "" for k in call.keywords)))


def _chooses(call: Any, written: str, function: FunctionScope) -> bool:
    """Is what the call trains stopped, or taken back to the best, by the score on what it validates on?"""
    given = {k.arg: k.value for k in call.keywords}
    if _boosts(call):
        return _early(call)
    if any(
        "early_stopping" in str(k.arg) and not (isinstance(k.value, ast.Constant) and not k.value.value)
        for k in (*call.keywords, *_built_with(call, function))
    ):
        return True
    listed = getattr(given.get("callbacks"), "elts", [])
    if listed and not any(_may_stop(one, function) for one in listed):
        return False  # they report, and choose nothing
    told = last_name(call.func).endswith("Trainer") or "callbacks" in given
    said = _arguments_of(given.get("args"), function)
    if said is not None and "callbacks" not in given:
        return any(k.arg is None or (k.arg in _STOPPING and getattr(k.value, "value", True)) for k in said)
    return told and any(word in written for word in _STOPPING)


def _arguments_of(given: Any, function: FunctionScope) -> list[ast.keyword] | None:
    """The keywords of `TrainingArguments(...)`, where a trainer is given those that one call in the function builds."""
    if isinstance(given, ast.Name):
        bound = reaching(function).at.get(id(given), ())
        given = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" and not bound[0].path else None
    return given.keywords if isinstance(given, ast.Call) else None


def _built_with(call: Any, function: FunctionScope) -> list[ast.keyword]:
    """The keywords that the estimator of `model.fit(...)` was built with, if it is bound once, by a call."""
    name = place(call.func.value) if isinstance(call.func, ast.Attribute) else None
    bound = function.bindings.get(name or "", ())
    made = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" else getattr(call.func, "value", None)
    return made.keywords if isinstance(made, ast.Call) else []


def _may_stop(callback: Any, function: FunctionScope) -> bool:
    """Is it a callback that stops early, or a name that may stand for one?"""
    made = [callback]
    if isinstance(callback, ast.Name):
        made = [b.value for b in function.bindings.get(callback.id, ()) if b.kind == "assign"] or [callback]
    return any(not isinstance(m, ast.Call) or "stop" in last_name(m.func).lower() for m in made)


def _reported(name: str, call: Any, function: FunctionScope) -> Any:
    """The call that measures the model on a place after it was trained, or None."""
    for other in function.calls:
        given = (*other.args, *(k.value for k in other.keywords))
        if last_name(other.func) in _REPORTS and other.lineno > call.lineno and name in [place(a) for a in given]:
            return other
    return None


def _third(call: Any) -> list[Any]:
    """`fit(model, train_loader, val_loader)`."""
    given = call.args
    return given[2:3] if len(given) == 3 and any(roles.is_training_name(place(n)) for n in walk(given[1])) else []
