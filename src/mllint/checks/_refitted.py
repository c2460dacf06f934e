"""Is an estimator fitted on rows that were held out before, and then measured on them?

`search.fit(X, y)` after `train_test_split(X, y)`, `model.fit(pd.concat([X_train, X_test]), ...)`: fine for a model that
goes out, and a leak where the same model is then scored on the test part. All of it has to stand in one function: the
split, the fit, the prediction for the held-out rows, and a call that gets their labels.
"""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterator

from mllint._typing import Any
from mllint.checks._unread import HELD_OUT, TRAINING, stem
from mllint.semantics import Value
from mllint.semantics.calls import constructor_argument
from mllint.semantics.classes import stub_effect
from mllint.semantics.module import Function, last_name, place, walk
from mllint.semantics.names import reaching
from mllint.semantics.parts import held, targets_of, trained

__all__ = ["calibrates", "fitted_on_both", "predicts", "scored_on_fitted", "trained_on_joined"]

_JOINS = ("concat", "concatenate", "vstack", "hstack", "append", "r_")
_PREDICTS = ("predict", "predict_proba", "decision_function", "score")
_MEASURES = (*_PREDICTS, "evaluate")
_SCORES = frozenset("predict predict_proba predict_log_proba decision_function".split())
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
            if parts and _learns(fit, split, parts[0], function):
                measured = _measured(fit, parts, calls, function)
                if measured is not None:
                    yield fit.args[0], split, measured


def calibrates(fit: ast.Call, function: Function) -> bool:
    """Does a fit learn from the predictions for held-out rows, at which nothing looks later? That is how a calibration
    is learned: it needs rows which the model has not seen, and is not measured here."""
    name = place(fit.args[0]) if fit.args else None
    if name is None:
        return False
    values = [b.value for b in function.bindings.get(name, ())]
    while any(isinstance(v, ast.Subscript) for v in values):
        values = [v.value if isinstance(v, ast.Subscript) else v for v in values]
    if not values or not all(isinstance(v, ast.Call) and last_name(v.func) in _SCORES for v in values):
        return False
    given = {n.id for v in values for a in v.args for n in walk(a) if isinstance(n, ast.Name)}
    rows = {name, *(n for n in given if any(b.path for b in function.bindings.get(n, ())))}
    last = fit.end_lineno or fit.lineno
    used = (n for s in function.body for n in walk(s) if isinstance(n, ast.Name) and n.id in rows)
    return not any(n.lineno > last for n in used)


def fitted_on_both(function: Function) -> Iterator[tuple[Any, Any]]:
    """`model.fit(x_test, y_test)` below `model.fit(x_train, y_train)`, and above a measurement on `x_test`: what is
    fitted on, and the measurement."""
    if isinstance(function.node, ast.Lambda) or "fit" not in function.called_names:
        return
    fits = [c for c in function.calls if last_name(c.func) == "fit" and len(c.args) > 1 and _receiver(c)]
    for second in (c for c in fits if held(place(c.args[0]))):
        rows, model = place(second.args[0]) or "", _receiver(second)
        before = [c for c in fits if c.lineno < second.lineno and _receiver(c) == model]
        names = [place(c.args[0]) or "" for c in before]
        alike = [name for name in names if trained(name) and _same_stem(name, rows)]
        after = [c for c in function.calls if c.lineno > second.lineno and last_name(c.func) in _MEASURES]
        measured = next((c for c in after if c.args and place(c.args[0]) == rows and _receiver(c) == model), None)
        if measured is not None and alike:
            yield second.args[0], measured


def _same_stem(first: str, second: str) -> bool:
    return stem(first, TRAINING) == stem(second, HELD_OUT) is not None


def _receiver(call: ast.Call) -> str | None:
    return place(call.func.value) if isinstance(call.func, ast.Attribute) else None


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
    at = reaching(function).at
    joined = _table(given)
    if isinstance(joined, ast.Name):  # `full = pd.concat([train, test])` above, whose columns are fitted
        bound = at.get(id(joined), ())
        joined = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" and not bound[0].path else joined
    if isinstance(joined, ast.Call) and last_name(joined.func) in _JOINS:
        return any(place(n) == test for n in walk(joined))
    found = at.get(id(given), ())
    return isinstance(given, ast.Name) and bool(found) and found == at.get(id(split.args[0]), ())


def _measured(fit: ast.Call, parts: list[str], calls: list[ast.Call], function: Function) -> Any:
    """The call by which what was fitted predicts for the held-out rows, whose labels something gets later."""
    for call in calls:
        func = call.func
        if call.lineno <= fit.lineno or not isinstance(func, ast.Attribute) or not isinstance(fit.func, ast.Attribute):
            continue
        if func.attr not in _PREDICTS or not call.args or place(_table(call.args[0])) != parts[0]:
            continue
        names = _stands_for(func.value, function)
        bound = reaching(function).at.get(id(func.value), ())
        chained = any(b.value is fit for b in bound)  # `model = Forest().fit(X, y)`
        if not (chained or place(fit.func.value) in names) or any(_fitted_between(c, fit, call, names) for c in calls):
            continue
        asked = [a for c in calls if c.lineno >= call.lineno for a in _given(c)]
        if any(place(n) in parts[1:] for a in asked for n in walk(a)):
            return call
        if any(place(_table(a)) == parts[0] and _table(a) is not a and a is not call.args[0] for a in asked):
            return call  # `roc_auc_score(test["y"], model.predict(test[columns]))`
    return None


def _table(node: Any) -> Any:
    """The table that columns are taken from: `test` of `test[columns]`, `test["y"].values` or `test.drop(...)`."""
    while isinstance(node, (ast.Subscript, ast.Attribute)) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and last_name(node.func) in _TAKES
    ):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


_TAKES = ("drop", "to_numpy")


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


def predicts(estimator: Value) -> bool:
    """Is it a classifier or a regressor, for certain?"""
    for v in estimator.alternatives:
        steps = constructor_argument(v, "steps") if v.instance_of("sklearn.pipeline.Pipeline") else None
        if steps is not None and steps.kind == "sequence" and steps.parts:
            last = steps.parts[-1]
            final = last.parts[-1] if last.kind == "sequence" and last.parts else last
        else:
            final = v
        if final.kind != "instance" or isinstance(final.of, str) or not stub_effect(final.of, "predictor"):
            return False
    return True
