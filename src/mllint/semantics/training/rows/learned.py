"""What was learned from which rows before a model sees them: means, scales, components, chosen columns?

    scaler = StandardScaler()
    X = scaler.fit_transform(X)                     # learned from `X`, by an estimator
    X = (X - X.mean(axis=0)) / X.std(axis=0)        # learned from `X`, by hand; also in steps, and in place
    df = df.fillna(df.median())                     # the same
    X = df[df.corr()["y"].abs().nlargest(9).index]  # columns chosen by what all rows say of the answers
    df["m"] = df["c"].map(df.groupby("c")["y"].mean())      # groups encoded by their answers

Each `Learned` says where, from which rows, and by what. `find_learned_before_split` walks back from the rows that a
split divides over everything that they came through (`lineage`), and adds fits whose estimator transforms the parts
later.

Nothing is learned by what treats each row alone (`axis=1`, `Normalizer`), by a list of categories, by an imputer that
writes a constant. What one iteration of a loop learns from the rows of that iteration (each series by itself) passes
from no row to another; a loop over columns, and one that the split stands in as well, still takes all rows.

Unknown: estimators that are not known to learn statistics never accuse.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.events import handed_in
from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import text
from mllint.semantics.training.randomness.seeds import is_unit_test
from mllint.semantics.training.rows import encoded
from mllint.semantics.training.rows.by_hand import find_scalings_by_hand
from mllint.semantics.training.rows.splits import part_of, table_of
from mllint.semantics.values.arguments import Bound, bind
from mllint.semantics.values.classes import constructor_argument, stub_effect
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.library import effect_of, flattened_alternatives
from mllint.semantics.values.lineage import Origin, is_same_place, origins, resolve_name, targets_of
from mllint.semantics.values.values import InstanceValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.syntax.module import FunctionScope
    from mllint.semantics.syntax.sites import Site
    from mllint.semantics.training.rows.splits import Division
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.values import Value

__all__ = [
    "SEARCHES", "Learned", "find_learned_before_split", "fits_in", "has_effect", "joins_rows", "learns_statistics",
    "numbers_categories", "receiver_of", "steps_of",
]  # fmt: skip

SEARCHES = ("sklearn.model_selection.GridSearchCV", "sklearn.model_selection.RandomizedSearchCV")
"""What tries an estimator with several settings, and predicts with the best of them."""

_FITTING = ("fit", "fit_transform", "transform", "partial_fit")
_FUNCTIONS = frozenset("scale minmax_scale maxabs_scale robust_scale quantile_transform power_transform zscore".split())


class Learned(NamedTuple):
    """Where something is learned from rows.

    Args:
        origin: the call of `fit`, or the expression.
        rows: what is learned from.
        estimator: what learns; None by hand.
        how: "fit", or by hand "scale", "fill" (what is missing), "choose" (columns) or "encode" (groups).
    """

    origin: Origin
    rows: Node
    estimator: Value | None = None
    how: str = "fit"

    @property
    def site(self) -> Site:
        """The place."""
        return self.origin.site

    @property
    def name(self) -> str:
        """What is called, for messages; empty by hand."""
        node = self.origin.node
        return text(self.origin.frame.module, node.func, 50) if isinstance(node, ast.Call) else ""

    @property
    def rows_text(self) -> str:
        """What is learned from, for messages."""
        return text(self.origin.frame.module, self.rows, 40)


# ------------------------------------------------------------------------------------------------------- estimators
def has_effect(origin: Origin, name: str) -> bool:
    """Whether an expression is a call of an estimator with an effect of the vocabulary, whatever its alternatives."""
    node = origin.node
    if not isinstance(node, ast.Call) or last_name(node.func) not in _FITTING:
        return False
    callees = Call(node, origin.frame).callees
    return bool(callees) and all(effect_of(f, name) is not None for f in callees)


def receiver_of(origin: Origin) -> Value | None:
    """The value of the estimator that a method is called on."""
    return Origin(origin.node.func.value, origin.frame).value if isinstance(origin.node.func, ast.Attribute) else None


def learns_statistics(value: Value | None, depth: int = 0) -> bool:
    """Whether the fit of an estimator takes statistics from rows: a scaler, an imputer, a selector, a pipeline of such.

    Args:
        value: the estimator.
        depth: how many pipelines it stands in.
    """
    if value is None or depth > 2:
        return False
    for v in value.alternatives:
        if not isinstance(v, InstanceValue):
            return False
        if stub_effect(v.cls, "statistics"):
            strategy = constructor_argument(v, "strategy")
            if strategy is not None and strategy.literal == "constant":
                return False  # an imputer that writes what it was given
            continue
        inner = steps_of(v)
        if not any(learns_statistics(w, depth + 1) for w in inner) or any(
            stub_effect(w.cls, "predictor") for w in inner
        ):
            return False
    return bool(value.alternatives)


def numbers_categories(fit: Origin) -> bool:
    """Whether `fit`, the fit of an estimator, numbers the categories of features as it sees them, so that another fit
    can number them differently. Labels are left out, since both parts have all classes: what `LabelEncoder` is given,
    unless a loop chooses the column."""
    estimator, rows = receiver_of(fit), fit.node.args[0]
    encoders = estimator.alternatives if estimator is not None else ()
    if not encoders or not all(_is_encoder(v) for v in encoders):
        return False
    while isinstance(rows, ast.Call) and isinstance(rows.func, ast.Attribute):
        rows = rows.func.value
    effects = [effect_of(f, "fits") for f in Call(fit.node, fit.frame).callees]
    of_labels = any(effect is not None and effect.options.get("on") == "y" for effect in effects)
    return not of_labels or (isinstance(rows, ast.Subscript) and isinstance(rows.slice, ast.Name))


def _is_encoder(estimator: Value) -> bool:
    """Whether `estimator` numbers the categories that it sees, and was not told them."""
    if not isinstance(estimator, InstanceValue) or not stub_effect(estimator.cls, "numbers_categories"):
        return False
    told = constructor_argument(estimator, "categories")
    return told is None or told.literal == "auto"


def steps_of(estimator: InstanceValue) -> list[InstanceValue]:
    """The estimators that a pipeline or a union is composed of."""
    composed = stub_effect(estimator.cls, "composes")
    if composed is None:
        return []
    parts = constructor_argument(estimator, composed.of)
    found = flattened_alternatives(parts) if parts is not None else []
    made = estimator.site
    if estimator.built_with is None and made is not None and isinstance(made.node, ast.Call):
        found = _arguments_of(made)  # `make_pipeline(StandardScaler(), PCA())`
    return [w for w in found if isinstance(w, InstanceValue)]


def _arguments_of(made: Site) -> list[Value]:
    """The values of the arguments of a call."""
    project = made.module.project
    around = [f for f in made.module.functions if any(c is made.node for c in f.calls)]
    frames = [project.frame(f) for f in around[:1]]
    return [w for frame in frames for a in made.node.args for w in flattened_alternatives(evaluate(a, frame))]


def fits_in(function: FunctionView) -> Iterator[Learned]:
    """The fits of known estimators that are written in a function."""
    for node in function.scope.calls_to(("fit", "fit_transform")):
        fit = Origin(node, function.frame)
        if node.args and has_effect(fit, "fits"):
            estimator = receiver_of(fit)
            if learns_statistics(estimator):
                yield Learned(fit, node.args[0], estimator)


# ------------------------------------------------------------------------------------------------------- before a split
def find_learned_before_split(division: Division, function: FunctionView) -> Iterator[Learned]:
    """What was learned from the divided rows, with the held-out ones, before their division or along with it.

    Args:
        division: where rows are divided.
        function: where that is written.
    """
    for rows in division.rows:
        for origin in origins(rows, function.frame, through=lambda o: _goes_on(o, division, function), samples=True):
            if has_effect(origin, "fits"):
                yield from _of_fit(origin)
            elif has_effect(origin, "transforms") and not _is_inverse(origin):
                for fit in _fits_of(origin):
                    yield from _of_fit(fit)
            else:
                yield from _functional(origin)
                if (selection := _selects_columns(origin)) is not None:
                    yield Learned(selection, selection.node.func.value, how="choose")
                if (chosen_by := _fit_of_selector(origin)) is not None:
                    yield from _of_fit(chosen_by)
        for origin, what, how in find_scalings_by_hand(rows, function):
            yield Learned(origin, what, how=how)
        for fit in _transforms_parts(rows, function):
            yield from _of_fit(fit)
    yield from _encoded(division, function)


def _encoded(division: Division, function: FunctionView) -> Iterator[Learned]:
    """What tells groups of the divided rows apart by their answers."""
    if not function.frame.project.calls_named("groupby"):
        return
    for rows in division.rows[:1]:  # behind these are the answers themselves
        steps = list(origins(rows, function.frame, through=lambda o: _goes_on(o, division, function)))
        for origin, table in encoded.answers_of_groups(steps, lambda: encoded.answers(division, function)):
            yield Learned(origin, table, how="encode")


def _of_fit(fit: Origin) -> Iterator[Learned]:
    estimator = receiver_of(fit)
    if fit.node.args and learns_statistics(estimator):
        yield Learned(fit, fit.node.args[0], estimator)


def _functional(origin: Origin) -> Iterator[Learned]:
    """`scale(X)` and its like: functions that learn from rows and apply it to them at once."""
    node = origin.node
    if not isinstance(node, ast.Call) or not node.args or isinstance(node.func, ast.Lambda):
        return
    if last_name(node.func) not in _FUNCTIONS:
        return
    call = Call(node, origin.frame)
    axis = call.argument("axis")
    if call.callees and all(f.stubbed and effect_of(f, "statistics") is not None for f in call.callees):
        if axis is None or axis.value.literal == 0:
            yield Learned(origin, node.args[0])


def _goes_on(origin: Origin, division: Division, function: FunctionView) -> bool:
    """Whether rows may have come through an expression with what was learned of them."""
    module = origin.frame.module
    if module is not function.module and is_unit_test(module):
        return False  # the rows that the tests of a trainer make up say nothing about it
    ends = has_effect(origin, "fits") and last_name(origin.node.func) != "fit_transform"
    return (
        not ends and not _is_inverse(origin) and not (isinstance(division.node, ast.Subscript) and joins_rows(origin))
    )


def joins_rows(origin: Origin) -> bool:
    """Whether a call puts rows below rows, and not columns next to columns."""
    node = origin.node
    if not isinstance(node, ast.Call) or last_name(node.func) not in ("concat", "concatenate", "vstack"):
        return False
    return all(k.arg != "axis" or text(origin.frame.module, k.value) in ("0", "'index'") for k in node.keywords)


def _is_inverse(origin: Origin) -> bool:
    """Whether it is `scaler.inverse_transform(forecast)`: what comes out of a model is no input of it."""
    return isinstance(origin.node, ast.Call) and last_name(origin.node.func) == "inverse_transform"


def _fits_of(transform: Origin) -> Iterator[Origin]:
    """`s.fit(X)` before `s.transform(X)` of the same rows, in one function, or in one that it calls before."""
    node, frame = transform.node, transform.frame
    if not isinstance(node.func, ast.Attribute) or not node.args:
        return
    for call in frame.function.calls:
        if last_name(call.func) != "fit" or not isinstance(call.func, ast.Attribute) or not call.args:
            continue
        if call.lineno > node.lineno or place(call.func.value) != place(node.func.value):
            continue
        alike = text(frame.module, call.args[0]) == text(frame.module, node.args[0])
        fit = Origin(call, frame)
        if (alike or is_same_place(call.args[0], node.args[0], frame)) and has_effect(fit, "fits"):
            yield fit
    rows = place(node.args[0])
    if not rows:
        return
    for line, given, fit in _fits_by_called(frame.function).get(place(node.func.value) or "", ()):
        if line <= node.lineno and given == rows and has_effect(fit, "fits"):
            yield fit
    yield from _fits_by_caller(node.func.value, node.args[0], frame)


def _fits_by_caller(estimator: Node, rows: Node, frame: Frame) -> Iterator[Origin]:
    """The fits above the call in which a function is handed the estimator and the rows that it transforms."""
    by, given = _handed_in(estimator, frame), _handed_in(rows, frame)
    if by is None or given is None or by[1] is not given[1]:
        return
    for call in by[1].function.calls_to(("fit",)):
        same = isinstance(call.func, ast.Attribute) and place(call.func.value) == place(by[0])
        if same and call.args and call.lineno <= given[0].lineno and place(call.args[0]) == place(given[0]) is not None:
            fit = Origin(call, by[1])
            if has_effect(fit, "fits"):
                yield fit


def _handed_in(node: Node, frame: Frame) -> tuple[Node, Frame] | None:
    """What a name is for the caller that hands it in, or whose own it is, if it is not bound to anything else by then;
    of an attribute, what the object was made of."""
    if not isinstance(node, ast.Name):
        return handed_in(node, frame)
    outer = frame.caller[0] if frame.caller is not None else None
    if node.id not in frame.function.bindings and outer is not None:
        around = outer.function.is_body or outer.function is frame.function.parent
        return (node, outer) if around and node.id in outer.function.bindings else None
    bound = bound_at(node, frame.function)
    given = (frame.bound or {}).get(node.id) if len(bound) == 1 and bound[0].kind == "param" else None
    return given if isinstance(given, Passed) else None


@cached_per_scope()
def _fits_by_called(function: FunctionScope) -> dict[str, list[tuple[int, str, Origin]]]:
    """The fits in the functions that a function calls, by what it calls the estimator: the line of the call, what it
    calls the rows, and the fit."""
    found: dict[str, list[tuple[int, str, Origin]]] = {}
    project = function.module.project
    for called in (f for f in project.reach.calling(("fit",)).values() if f is not function and not f.is_body):
        for node, frame in project.callers(called):
            if frame.function is function:
                bound = bind(called, node, frame)[0]
                for fit in called.calls_to(("fit",)):
                    if isinstance(fit.func, ast.Attribute) and fit.args:
                        by, rows = (_outside(n, called, function, bound) for n in (fit.func.value, fit.args[0]))
                        if by and rows:
                            found.setdefault(by, []).append((node.lineno, rows, Origin(fit, project.frame(called))))
    return found


def _outside(node: Node, called: FunctionScope, caller: FunctionScope, bound: dict[str, Bound]) -> str | None:
    """What the caller of a function calls a name of it: what it is given for it, or the same where it sees the name."""
    if not isinstance(node, ast.Name):
        return None
    if node.id not in called.bindings:
        return node.id if node.id in caller.bindings else None
    given = bound.get(node.id) if len(called.bindings[node.id]) == 1 else None
    return place(given.node) if isinstance(given, Passed) else None


def _transforms_parts(rows: Node, function: FunctionView) -> Iterator[Origin]:
    """`s.fit(X)` of all the rows, where `s` transforms a part of them later."""
    table = table_of(rows)
    for node in _fits(function.scope).get(place(table) or "", ()):
        fit = Origin(node, function.frame)
        if is_same_place(table_of(node.args[0]), table, function.frame) and has_effect(fit, "fits"):
            if any(_applies(call, node, function) for call in _transforms_by(node, function)):
                yield fit


@cached_per_scope(local=True)
def _fits(function: FunctionScope) -> dict[str, list[ast.Call]]:
    """The calls of `fit` by the place of the table that they are given."""
    found: dict[str, list[ast.Call]] = {}
    for node in {id(c): c for c in function.calls_to(("fit",)) if c.args}.values():
        if (name := place(table_of(node.args[0]))) is not None:
            found.setdefault(name, []).append(node)
    return found


def _transforms_by(fit: ast.Call, function: FunctionView) -> list[ast.Call]:
    """The calls that may transform by what was fitted: on the fit, on what its result is bound to, or on the same."""
    fitted = fit.func.value if isinstance(fit.func, ast.Attribute) else None
    if isinstance(fitted, ast.Call):
        name = next(iter(targets_of(fit, function.scope)), None)
    else:
        name = place(fitted)
    transforms = _transforms(function.scope)
    return [*transforms.get(id(fit), ()), *(transforms.get(name, ()) if name else ())]


@cached_per_scope(local=True)
def _transforms(function: FunctionScope) -> dict[int | str, list[ast.Call]]:
    """The calls of `transform` by the place that they are called on, and by the id of the call."""
    found: dict[int | str, list[ast.Call]] = {}
    for call in function.calls_to(("transform",)):
        on = call.func.value if isinstance(call.func, ast.Attribute) else None
        if (key := id(on) if isinstance(on, ast.Call) else place(on)) is not None:
            found.setdefault(key, []).append(call)
    return found


def _applies(call: ast.Call, fit: ast.Call, function: FunctionView) -> bool:
    """Whether a call transforms other rows, below a fit, by what was fitted."""
    func, fitted = call.func, fit.func
    if last_name(func) != "transform" or not isinstance(func, ast.Attribute) or not isinstance(fitted, ast.Attribute):
        return False
    all_again = not call.args or text(function.module, call.args[0]) == text(function.module, fit.args[0])
    if func.value is fit:
        return not all_again
    if isinstance(fitted.value, ast.Call):  # `scaler = StandardScaler().fit(rows)`
        name = next(iter(targets_of(fit, function.scope)), None)
    elif is_same_place(fitted.value, func.value, function.frame):
        name = place(fitted.value)
    else:
        return False  # an estimator of the same name, built since
    return bool(name) and place(func.value) == name and call.lineno > fit.lineno and not (all_again and call.args)


def _fit_of_selector(origin: Origin) -> Origin | None:
    """The fit of the selector that says which columns an expression takes, `s.fit(X, y)` of
    `X[X.columns[s.get_support()]]`; None of any other expression, and if training rows alone are fitted."""
    node = origin.node
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, (ast.Constant, ast.Slice)):
        return None
    if not origin.frame.project.calls_named("get_support"):
        return None
    for step in _choices(node.slice, origin.frame):
        match step.node:
            case ast.Call(func=ast.Attribute(attr="get_support", value=selector)):
                found = (Origin(call, step.frame) for call in step.frame.function.calls_to(("fit", "fit_transform")))
                fits = [fit for fit in found if fit.node.args and _is_fit_of(fit, selector)]
                return fits[0] if len(fits) == 1 and part_of(fits[0].node.args[0], step.frame) is None else None
    return None


def _choices(index: Node, frame: Frame) -> Iterator[Origin]:
    """What the columns that `index` names may have been computed from, also by the index of `X.columns[mask]`."""
    for step in origins(index, frame):
        yield step
        match step.node:
            case ast.Subscript(value=ast.Attribute(attr="columns"), slice=inner):
                yield from origins(inner, step.frame)


def _is_fit_of(fit: Origin, selector: Node) -> bool:
    """Whether a call fits what the expression `selector` is: by itself, `Selector().fit(x)`, or by its name."""
    if not has_effect(fit, "fits"):
        return False
    made = resolve_name(selector, fit.frame.function)
    return made is fit.node or place(selector) == place(fit.node.func.value) is not None


def _selects_columns(origin: Origin) -> Origin | None:
    """What says how columns go together with the answers, where an expression takes columns that were chosen by that:
    `df.corr()` of `df[df.corr()["y"].nlargest(5).index]`; None of any other expression. It is one place, however many
    columns are taken."""
    node = origin.node
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, (ast.Constant, ast.Slice)):
        return None
    for step in origins(node.slice, origin.frame):
        match step.node:
            case ast.Call(func=ast.Attribute(attr="corrwith")):
                return step
            case ast.Subscript(value=ast.Name() as matrix, slice=ast.Constant()):
                bound = bound_at(matrix, step.frame.function)
                values = [n for b in bound if b.value is not None for n in walk(b.value)]
            case ast.Subscript(value=ast.Call() as matrix, slice=ast.Constant()):
                values = [matrix]
            case _:
                continue
        for value in values:
            if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "corr":
                return Origin(value, step.frame)
    return None
