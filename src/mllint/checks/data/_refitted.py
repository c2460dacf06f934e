"""Is an estimator fitted on rows that were held out before, and then measured on them?

`search.fit(X, y)` after `train_test_split(X, y)`, `model.fit(pd.concat([X_train, X_test]), ...)`: fine for a model that
goes out, and a leak where the same model is then scored on the test part. All of it has to stand in one function: the
split, the fit, the prediction for the held-out rows, and a call that gets their labels.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note
from mllint.semantics.api import (
    Flow,
    Site,
    place,
    refitted,
    text,
)

__all__ = ["fitted"]


def fitted(flow: Flow) -> Iterator[Finding]:
    """What a library is told to learn from, an estimator or a trainer of transformers, was held out."""
    for part, name in (found for f in flow.root.module.functions for found in refitted.trained_on_joined(f)):
        message = f"`{name}` is joined to what is trained on, and then measured on"
        yield Finding(Site(flow.root.module, part), message, "learns from held-out data")
    for function in {id(e.function): e.function for e in flow.events("fits")}.values():
        for rows, split, measured in refitted.scored_on_fitted(function):
            message = f"the fit learns from `{text(function.module, rows, 40)}`, and is then measured on a part of it"
            sites = Site(function.module, split), Site(function.module, measured)
            notes = [Note(sites[0], "held out here"), Note(sites[1], "measured here")]
            yield Finding(Site(function.module, rows), message, "learns from held-out data", notes)
    for rows, measured in (found for f in flow.root.module.functions for found in refitted.fitted_on_both(f)):
        name, notes = text(flow.root.module, rows, 40), [Note(Site(flow.root.module, measured), "measured here")]
        message = f"the model learns from `{name}` as well, and is then measured on it"
        yield Finding(Site(flow.root.module, rows), message, "learns from held-out data", notes)
    for fit in flow.events("fits"):
        if fit.option is None or not fit.option.comes_from("heldout", "test") or not refitted.predicts(fit.subject):
            continue
        rows = fit.call.args[0] if fit.call.args else fit.call
        table = fit.option.kind == "tensor" or fit.option.instance_of("pandas.DataFrame")
        known = table and (place(refitted.table(rows)) is not None or refitted.transformed(rows))
        known = known and refitted.called_held_out(rows, fit.frame, fit.option) and not refitted.overwritten(fit)
        if (
            known
            and not refitted.calibrates(fit.call, fit.frame)
            and not refitted.changes_sides(fit.call, fit.subject, fit.function)
        ):
            name, given = text(fit.site.module, fit.call.func), text(fit.site.module, rows, 40)
            yield Finding(fit, f"`{name}` learns from `{given}`, which is held out", "learns from held-out data")
