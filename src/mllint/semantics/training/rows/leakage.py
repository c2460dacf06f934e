"""Does what was learned from rows get from those that a split holds out to those that are trained on?

    X = scaler.fit_transform(X)          # learned from all rows
    train, test = train_test_split(X)    # `test` has shaped the scale of `train`: it leaks

It does, unless what is learned from is one part already (`fit(X_train)`), the rows of one iteration alone, or rows that
are transposed back. A fit in the loop over folds, on all that these divide, leaks even where that is a part of others.

The answer is PROVEN where the score changes. It is no more than NAMED where the leak is one in name: words that are
counted row by row, columns that hardly vary and are dropped, a scale before nothing but trees or naive Bayes (which see
only the order of values, or each column's own spread), one that the training rows give anew behind the split, which
undoes it, the scale of a formula's values on a grid, rows that only say when to stop (`steering`), rows that nobody
measures on, what is learned without the answers between the folds of a search, since all that it compares have seen
the same, the weights and the components of words between any folds, folds that only tell from which part a row came,
anything before a search, be it by hand, whose test rows were kept apart, or whose scores are never read, and a table
that was put together of parts and is taken apart again: often nobody knows the answers for the second one.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.nodes import assigned_pairs, last_name, place, walk
from mllint.semantics.syntax.sites import text
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.roles import is_held_out_name
from mllint.semantics.training.rows.forwarded import is_held_out_unread, is_unread_at_last
from mllint.semantics.training.rows.learned import Learned, joins_rows, steps_of
from mllint.semantics.training.rows.per_iteration import is_cut_for_training, is_of_one_iteration, is_transposed_back
from mllint.semantics.training.rows.splits import Division, is_search, rows_name, table_of
from mllint.semantics.training.rows.steering import only_steers
from mllint.semantics.training.rows.usage import TRAINING_CALLS, is_read
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import stub_effect
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import Origin, bindings_of, is_same_place, origins, resolve_name, statements
from mllint.semantics.values.values import InstanceValue, UnknownValue

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope, FunctionScope, ModuleScope
    from mllint.semantics.values.project import Project
    from mllint.semantics.values.values import Value

__all__ = ["leaks_held_out_rows"]

_DEEP = 3  # a search over a pipeline of a union
_AFFINE = ("StandardScaler", "MinMaxScaler", "RobustScaler", "MaxAbsScaler")
_RELATIVE = ("StandardScaler", "MinMaxScaler", "RobustScaler")
_COUNTS = ("CountVectorizer", "VarianceThreshold")
_FOLDS = frozenset("split cross_val_score cross_validate cross_val_predict learning_curve".split())
_WORDS = ("TfidfVectorizer", "TfidfTransformer", "TruncatedSVD")
_FITS: Cache[Frame, _Fitted] = Cache()
_FITTING = ("fit", "cross_val_score", "cross_validate")
_BUILT: Cache[None, list[ClassScope]] = Cache()
_GRIDS = frozenset("linspace arange logspace geomspace".split())
_FORMULAS = frozenset(("numpy", "torch", "torch._tensor", "math", "jax.numpy"))
_NETWORKS = ("torch", "keras", "tensorflow", "jax")
_SCORES = frozenset(("best_score_", "cv_results_"))


def leaks_held_out_rows(learned: Learned, division: Division, function: FunctionView) -> Answer[bool] | None:
    """Whether what was learned passes from held-out rows to the others.

    Args:
        learned: what was learned, from which rows.
        division: where rows are held out.
        function: where that is written.

    Returns:
        An answer as certain as the harm; None where nothing passes.
    """
    rows = Origin(learned.rows, learned.origin.frame)
    part = any(r.part in ("train", "heldout", "test") for r in rows.value.all_provenance)
    if part and not _in_fold(learned, division, function):
        return None
    if is_of_one_iteration(rows, division.node, function.scope):
        return None
    if is_transposed_back(learned.origin) or is_cut_for_training(rows):
        return None
    harmless = _teaches_little(learned, function) or _measures_little(division, learned, function)
    harmless = harmless or _is_scaled_anew(learned, division, function) or _is_function_of_grid(rows)
    return Answer(True, Evidence.NAMED if harmless else Evidence.PROVEN, (learned.site,))


def _is_function_of_grid(rows: Origin) -> bool:
    """Whether rows are the values of a formula on a grid of numbers, so that their scale is part of the formula that is
    to be learned: `ys = np.cos(np.linspace(-1, 1, 1000))`."""
    of_grid = False
    for origin in origins(rows.node, rows.frame):
        node = origin.node
        if isinstance(node, (ast.Call, ast.Name, ast.Attribute)) and isinstance(origin.value, UnknownValue):
            return False
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return False  # the name of a file, or of a column
        if isinstance(node, ast.Call):
            of_grid = of_grid or last_name(node.func) in _GRIDS
            library = [f for f in Call(node, origin.frame).callees if f.stubbed]
            if any(f.module.name not in _FORMULAS or effect_of(f, "draws") is not None for f in library):
                return False
    return of_grid


def _teaches_little(learned: Learned, function: FunctionView) -> bool:
    """Whether a model gains little by what is learned: no scale, or one that its trees do not see."""
    estimator = learned.estimator
    return _sees_no_scale(estimator) or (_only_rescales(estimator) and _feeds_only_trees(learned, function))


def _is_scaled_anew(learned: Learned, division: Division, function: FunctionView) -> bool:
    """Whether each column is only moved and stretched, and the training rows say anew how, behind the split or before
    these folds: of what was learned nothing is left."""
    scalers = learned.estimator.classes if learned.estimator is not None else ()
    if not scalers or not all(c.name in _AFFINE for c in scalers):
        return False
    made = resolve_name(division.rows[0], function.scope) if division.rows else None
    if isinstance(made, ast.Call) and last_name(made.func) == "fit_transform" and made is not learned.origin.node:
        return _moves_and_stretches(Call(made, function.frame))
    kept = next((b.name for b in bindings_of(division.node, function.scope) if b.path == (0,)), None)
    calls = [Call(c, function.frame) for c in function.scope.calls if kept and place(next(iter(c.args), None)) == kept]
    scaling = [c for c in calls if _moves_and_stretches(c)]
    if not any("fit" in c.last_name for c in scaling):
        return False
    nodes = walk(function.scope.node)
    used = {id(c.node.args[0]) for c in scaling}
    used.update(id(n.value) for n in nodes if isinstance(n, ast.Attribute) and n.attr in ("shape", "columns"))
    read = (n for n in nodes if isinstance(n, ast.Name) and n.id == kept and isinstance(n.ctx, ast.Load))
    return all(id(n) in used for n in read)


def _moves_and_stretches(call: Call) -> bool:
    """Whether a scaler is called that takes the place and the spread of each column away, whatever they were."""
    return call.receiver is not None and any(c.name in _RELATIVE for c in call.receiver.classes)


def _measures_little(division: Division, learned: Learned, function: FunctionView) -> bool:
    """Whether no score that counts is measured on the held-out rows, or one that what is learned hardly changes."""
    if only_steers(division, function) or _is_held_out_unused(division, function):
        return True
    if isinstance(division.node, ast.Subscript) and _is_rejoined(division, function):
        return True
    if _is_of_search(division, function) and not _learns_of_targets(learned):
        return True
    if division.searches and (_others_apart(learned) or _only_chooses(division, function)):
        return True
    if _searches_by_hand(division, function) and _others_apart(learned) and not _learns_of_targets(learned):
        return True
    return _is_of_folds(division) and (_weighs_words(learned.estimator) or _tells_parts(division, function))


def _learns_of_targets(learned: Learned) -> bool:
    """Whether it is given the answers too, as what selects columns is: `fit_transform(X, y)`."""
    node = learned.origin.node
    given = [*node.args, *(k.arg for k in node.keywords if k.arg == "y")] if isinstance(node, ast.Call) else []
    return learned.how in ("choose", "encode") or len(given) > 1


def _in_fold(learned: Learned, division: Division, function: FunctionView) -> bool:
    """Whether it stands in the loop over the folds, and learns from all the rows that these divide."""
    node = learned.origin.node
    if learned.origin.frame is not function.frame or not isinstance(node, ast.Call):
        return False
    loops = (r.node for r in function.scope.loops if isinstance(r.node, ast.For))
    around = (r for r in loops if any(n is division.node for n in walk(r.iter)))
    inside = any(r.lineno < node.lineno <= (r.end_lineno or 0) for r in around)
    return inside and any(is_same_place(table_of(learned.rows), table_of(r), function.frame) for r in division.rows)


def _sees_no_scale(estimator: Value | None) -> bool:
    """Whether it numbers words, and weighs them by no statistic of all rows, or drops columns that hardly vary."""
    return estimator is not None and all(any(c.name in _COUNTS for c in v.classes) for v in estimator.alternatives)


def _is_of_folds(division: Division) -> bool:
    """Whether each row is held out once, in a fold, and trained on in the others."""
    return isinstance(division.node, ast.Call) and last_name(division.node.func) in _FOLDS


def _weighs_words(estimator: Value | None) -> bool:
    """Whether it weighs the words of texts, or finds components of them: they are there, whatever they stand for."""
    return estimator is not None and all(any(c.name in _WORDS for c in v.classes) for v in estimator.alternatives)


def _tells_parts(division: Division, function: FunctionView) -> bool:
    """Whether the answers are zeros for one part of the rows, and ones for another: do test rows look like those of
    training?"""
    answers = division.node.args[1:2] or [k.value for k in division.node.keywords if k.arg == "y"]
    made = {
        last_name(n.func) for a in answers for n in walk(resolve_name(a, function.scope)) if isinstance(n, ast.Call)
    }
    return made >= {"zeros", "ones"}


def _only_rescales(estimator: Value | None) -> bool:
    """Whether each column only gets another scale, which keeps the order of its values; also by hand."""
    if estimator is None:
        return False
    return len(estimator.classes) == len(estimator.alternatives) and all(
        stub_effect(cls, "rescales") is not None for cls in estimator.classes
    )


def _feeds_only_trees(learned: Learned, function: FunctionView) -> bool:
    """Whether all models that the function fits, or that its file builds where it fits none itself, see nothing of the
    scale of a column."""
    fitted, own = _fitted(function), id(learned.origin.node)
    if len(fitted.others) > (own in fitted.others):
        return False
    if len(fitted.trees) > (own in fitted.trees):
        return True
    built = _built_in(function)
    return bool(built) and all(_sees_only_order(cls) for cls in built)


class _Fitted(NamedTuple):
    """The ids of the calls by which a function fits models.

    Args:
        trees: those whose models see nothing of the scale of a column.
        others: those of which one model may see it.
    """

    trees: set[int]
    others: set[int]


def _fitted(function: FunctionView) -> _Fitted:
    """The calls by which a function fits models."""
    return _FITS.answer(function.module, function.frame, lambda: _fits(function), meanwhile=_Fitted(set(), set()))


def _fits(function: FunctionView) -> _Fitted:
    found = _Fitted(set(), set())
    for node in function.scope.calls_to(_FITTING):
        call = Call(node, function.frame)
        given = call.argument("estimator")
        value = call.receiver if call.last_name == "fit" else given.value if given is not None else None
        models = [_models_of(v) for v in value.alternatives] if value is not None else []
        if not all(m is not None and all(map(_sees_only_order, m)) for m in models):
            found.others.add(id(node))
        elif any(models):
            found.trees.add(id(node))
    return found


def _sees_only_order(cls: ClassScope) -> bool:
    """Whether a model sees only the order of the values of a column, or its own spread."""
    return stub_effect(cls, "scale_free") is not None


def _built_in(function: FunctionView) -> list[ClassScope]:
    """The classes of the models that a file builds, or the whole project where the file builds none; none where layers
    are imported, of which models consist that cannot be told from others, or models of another kind are defined."""
    return _BUILT.answer(function.module, None, lambda: _models_built(function), meanwhile=[])


def _models_built(function: FunctionView) -> list[ClassScope]:
    own = _models_built_in([function.module], function.project)
    modules = [m for m in function.project.modules if not m.is_stub]
    if own is not None and not own and not any(_defines_model(cls) for m in modules for cls in m.classes):
        return _models_built_in(modules, function.project) or []
    return own or []


def _models_built_in(modules: list[ModuleScope], project: Project) -> list[ClassScope] | None:
    """The classes of a library's models that some files build; None where one of them imports layers."""
    if any(name.partition(".")[0] in _NETWORKS for module in modules for name, _ in module.imports):
        return None
    built = []
    for scope in (f for module in modules for f in module.functions):
        frame = project.frame(scope)
        for node in scope.calls:
            if last_name(node.func)[:1].isupper():
                made = Call(node, frame).value
                built += [v.cls for v in made.alternatives if isinstance(v, InstanceValue)]
    return [cls for cls in built if _is_model(cls)]


def _defines_model(cls: ClassScope) -> bool:
    """Whether a class of the project is fitted and predicts by methods of its own, of which no library's model is the
    base."""
    return {"fit", "predict"} <= cls.methods.keys() and not any(
        _is_model(b) for b in mro(cls)[1:] if not isinstance(b, str)
    )


def _is_model(cls: ClassScope) -> bool:
    """Whether a class is, or is derived from, one of a library that is fitted to targets: it predicts, and learns no
    statistics for others."""
    if any(stub_effect(cls, word) is not None for word in ("statistics", "composes")):
        return False
    bases = [base for base in mro(cls) if not isinstance(base, str)]
    return any("predict" in base.methods and base.module.is_stub for base in bases)


def _models_of(estimator: Value, depth: int = 0) -> list[ClassScope] | None:
    """The models that an estimator consists of, a search or a pipeline of those in it; None where one is unknown."""
    if not isinstance(estimator, InstanceValue) or depth > _DEEP:
        return None
    if stub_effect(estimator.cls, "statistics") is not None:
        return []
    if stub_effect(estimator.cls, "composes") is None:
        return None if _is_linear(estimator) else [estimator.cls]
    found = [_models_of(step, depth + 1) for step in steps_of(estimator)]
    return [cls for models in found if models is not None for cls in models] if found and None not in found else None


def _is_linear(model: Value) -> bool:
    """Is a model that is boosted made of linear models, which see the scale of a column, and not of trees?"""
    built = model.built_with
    given = Call(built.node, built.frame).argument("booster") if built is not None and built.node is not None else None
    return given is not None and given.value.literal == "gblinear"


def _others_apart(learned: Learned) -> bool:
    """Whether the same estimator transforms rows that are called test rows, and that it has not learned from."""
    frame, node = learned.origin.frame, learned.origin.node
    bound = [b.name for b in bindings_of(node, frame.function)]
    names = {place(getattr(getattr(node, "func", None), "value", None)), *bound} - {None}
    for call in frame.function.calls:
        if last_name(call.func) == "transform" and call.args and isinstance(call.func, ast.Attribute):
            rows = rows_name(call.args[0]) or ""
            if place(call.func.value) in names and any(map(is_held_out_name, (rows, rows.partition(".")[0]))):
                if text(frame.module, call.args[0]) != text(frame.module, learned.rows):
                    return True
    return False


def _is_held_out_unused(division: Division, function: FunctionView) -> bool:
    """Whether what a call or a slice holds out is never read, so that there is no score that could be too good."""
    if isinstance(division.node, ast.Call):
        return is_held_out_unread(Call(division.node, function.frame))
    table = place(getattr(division.node, "value", None))
    cut = [
        name
        for s in statements(function.scope)
        for target, value in assigned_pairs(s)
        if isinstance(value, ast.Subscript) and place(value.value) == table and (name := place(target))
    ]
    held_out = [name for name in cut if is_held_out_name(name)]
    if not table or not held_out:
        return False
    if all(name.isidentifier() for name in held_out):
        trains = not function.scope.called_names.isdisjoint(TRAINING_CALLS)
        return trains and all(is_unread_at_last(name, function.scope) for name in held_out)
    if not all(name.startswith("self.") for name in held_out):
        return False
    functions = [f for m in function.project.modules for f in m.functions]
    return not any(is_read(name, f) for name in held_out for f in functions if not _has_its_own(f, name, function))


def _has_its_own(reader: FunctionScope, name: str, function: FunctionView) -> bool:
    """Is a function a method of another class, or the body of its file, that binds such an attribute itself?"""
    owners = reader.module.classes if reader.is_body else [reader.owner] if reader.owner is not None else []
    others = [c for c in owners if c is not function.scope.owner]
    return len(others) == len(owners) and any(name in m.bindings for c in others for m in c.methods.values())


def _is_of_search(division: Division, function: FunctionView) -> bool:
    """Whether the folds are those of the fit of a search."""
    if not isinstance(division.node, ast.Call) or last_name(division.node.func) != "fit":
        return False
    return is_search(Call(division.node, function.frame).receiver)


def _only_chooses(division: Division, function: FunctionView) -> bool:
    """Whether the folds are those of a search, and nothing in the project reads how well it did on them: it chooses,
    too late perhaps, and no estimate is too good."""
    if not isinstance(division.node, ast.Call):
        return False
    if last_name(division.node.func) == "fit" and not _is_of_search(division, function):
        return False  # `fit(X, validation_split=0.2)` shows how well it does
    return not any(m.source is None or m.source.mentions(_SCORES) for m in function.project.modules)


def _searches_by_hand(division: Division, function: FunctionView) -> bool:
    """Whether folds only choose, in a function that is handed the test rows too: behind them a model is fitted to all
    that they divide, and asked about the others."""
    if not isinstance(division.node, ast.Call) or last_name(division.node.func) != "split" or not division.rows:
        return False
    below = [c for c in function.scope.calls if c.lineno > division.node.lineno and c.args]
    fits = [c for c in below if last_name(c.func) == "fit" and _is_of_rows(c.args[0], division, function)]
    fitted = {place(c.func.value) for c in fits if isinstance(c.func, ast.Attribute)} - {None}
    return any(
        isinstance(c.func, ast.Attribute)
        and place(c.func.value) in fitted
        and is_held_out_name(place(c.args[0]))
        and not _is_of_rows(c.args[0], division, function)
        for c in below
    )


def _is_of_rows(node: ast.expr, division: Division, function: FunctionView) -> bool:
    """Whether an expression stands for the rows that a split divides."""
    return is_same_place(table_of(node), table_of(division.rows[0]), function.frame)


def _is_rejoined(division: Division, function: FunctionView) -> bool:
    """Whether what is cut is a table that was put together of parts."""
    return any(joins_rows(o) for rows in division.rows for o in origins(rows, function.frame))
