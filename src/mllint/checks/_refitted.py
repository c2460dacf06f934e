"""Is an estimator fitted on rows that were held out before, and then measured on them?

`search.fit(X, y)` after `train_test_split(X, y)`, `model.fit(pd.concat([X_train, X_test]), ...)`: fine for a model that
goes out, and a leak where the same model is then scored on the test part. All of it has to stand in one function: the
split, the fit, the prediction for the held-out rows, and a call that gets their labels.
"""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterator

from mllint._typing import Any
from mllint.semantics.module import Function, last_name, place, walk
from mllint.semantics.names import reaching
from mllint.semantics.parts import held, targets_of

__all__ = ["scored_on_fitted", "trained_on_joined"]

_JOINS = ("concat", "concatenate", "vstack", "hstack", "append", "r_")
_PREDICTS = ("predict", "predict_proba", "decision_function", "score")
_FITS = ("fit", "fit_transform", "partial_fit", "load_model", "load")


def scored_on_fitted(function: Function) -> Iterator[tuple[Any, Any, Any]]:
    """What an estimator is fitted on, the split that held some of it out, and the prediction for those rows."""
    if isinstance(function.node, ast.Lambda) or not {"train_test_split", "fit"} <= {
        last_name(c.func) for c in function.calls
    }:
        return
    calls = sorted(function.calls, key=lambda c: (c.lineno, c.col_offset))
    for split in (c for c in calls if last_name(c.func) == "train_test_split" and c.args):
        parts = [t for t in targets_of(split, function) if t and held(t)]
        for fit in (c for c in calls if last_name(c.func) == "fit" and c.lineno > split.lineno):
            if len(parts) > 1 and _learns(fit, split, parts[0], function):
                measured = _measured(fit, parts, calls, function)
                if measured is not None:
                    yield fit.args[0], split, measured


def trained_on_joined(function: Function) -> Iterator[tuple[Any, str]]:
    """The part that `concatenate_datasets` joins to what a Trainer learns from, and that it then measures on."""
    if isinstance(function.node, ast.Lambda) or "concatenate_datasets" not in function.module.calls_by_name:
        return
    asked = [a for c in function.calls if last_name(c.func) in ("evaluate", "predict") for a in c.args]
    for call in (c for c in function.calls if last_name(c.func).endswith("Trainer")):
        given = next((k.value for k in call.keywords if k.arg == "train_dataset"), None)
        watched = [k.value for k in call.keywords if k.arg == "eval_dataset"]
        for joined in _joined(given, function):
            parts = joined.args[0].elts if joined.args and isinstance(joined.args[0], (ast.List, ast.Tuple)) else []
            measured = {place(n) for n in (*asked, *watched)} - {None}
            for part in parts:
                if place(part) in measured:
                    yield part, place(part) or ""


def _joined(node: Any, function: Function) -> list[ast.Call]:
    """The call of `concatenate_datasets` that gives an expression, by itself or behind a name."""
    values = [b.value for b in reaching(function).at.get(id(node), ()) if b.kind == "assign" and not b.path]
    found = [v for v in (node, *values) if isinstance(v, ast.Call)]
    return [v for v in found if last_name(v.func) == "concatenate_datasets"]


def _learns(fit: ast.Call, split: ast.Call, test: str, function: Function) -> bool:
    """Is it fitted on all rows of the split, or on a table that the held-out part was joined to?"""
    given = fit.args[0] if fit.args else None
    if isinstance(given, ast.Call) and last_name(given.func) in _JOINS:
        return any(place(n) == test for n in walk(given))
    at = reaching(function).at
    found = at.get(id(given), ())
    return isinstance(given, ast.Name) and bool(found) and found == at.get(id(split.args[0]), ())


def _measured(fit: ast.Call, parts: list[str], calls: list[ast.Call], function: Function) -> Any:
    """The call by which what was fitted predicts for the held-out rows, whose labels something gets later."""
    for call in calls:
        func = call.func
        if call.lineno <= fit.lineno or not isinstance(func, ast.Attribute) or not isinstance(fit.func, ast.Attribute):
            continue
        if func.attr not in _PREDICTS or not call.args or place(call.args[0]) != parts[0]:
            continue
        names = _stands_for(func.value, function)
        if place(fit.func.value) not in names or any(_fitted_between(c, fit, call, names) for c in calls):
            continue
        if any(place(n) in parts[1:] for c in calls if c.lineno >= call.lineno for a in _given(c) for n in walk(a)):
            return call
    return None


def _given(call: ast.Call) -> list[Any]:
    return [*call.args, *(k.value for k in call.keywords)]


def _stands_for(node: Any, function: Function) -> set[str]:
    """The places that an estimator may have come from: itself, and what it was bound to, through attributes."""
    names, queue = set(), [node]
    for _ in range(8):
        if not queue:
            break
        current = queue.pop()
        while isinstance(current, (ast.Attribute, ast.Subscript)):
            names.add(place(current) or "")
            current = current.value
        if isinstance(current, ast.Name) and current.id not in names:
            names.add(current.id)
            bound = reaching(function).at.get(id(current), ())
            values = [_at_path(b.value, b.path) for b in bound if b.kind == "assign"]
            queue += [v for v in values if isinstance(v, (ast.Name, ast.Attribute))]
    return names


def _at_path(value: Any, path: Any) -> Any:
    """What a name gets of `a, b = x, y`; the value itself if nothing is unpacked."""
    for index in path:
        if not isinstance(value, (ast.Tuple, ast.List)) or not isinstance(index, int) or index >= len(value.elts):
            return None
        value = value.elts[index]
    return value


def _fitted_between(call: ast.Call, fit: ast.Call, last: ast.Call, names: set[str]) -> bool:
    """Is one of the places fitted, or loaded, again between two calls?"""
    inside = fit.lineno < call.lineno < last.lineno and last_name(call.func) in _FITS
    return inside and (not isinstance(call.func, ast.Attribute) or place(call.func.value) in names)
