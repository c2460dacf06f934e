"""Are training rows and held-out rows each prepared by what was learned from them alone?

    X_train = scaler.fit_transform(X_train)
    X_test = scaler.fit_transform(X_test)          # another scale than the model was trained on

The same estimator is learned from both parts, be it in two methods of a class or in a function and its caller, or one
of the same class whose rows are named alike; it is learned from held-out rows and applied to training rows; a helper
that learns from what it gets is called for both; both are scaled by hand. Which part rows are, `splits.part_of`
answers; two parts that are told apart by names only corroborate each other, since either name could have been written
without the other.

Unknown: an estimator that is handed in counts as one where the function calls `transform` on it as well, or where
nothing binds it (a fragment). Drawn pictures (two or three components, `tsne`) are learned from either part on
purpose."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.libraries.tensor_methods import MAKES
from mllint.semantics.syntax.module import Binding, FunctionScope, Scope
from mllint.semantics.syntax.names import bindings_at
from mllint.semantics.syntax.nodes import Node, is_within, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.unbound import is_unbound
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.roles import (
    Role,
    file_rows,
    has_role_name,
    is_held_out_name,
    is_training_name,
    parts_by_name,
    rest_of_name,
    rows_by_name,
)
from mllint.semantics.training.rows.by_hand import own_scale
from mllint.semantics.training.rows.learned import (
    Learned,
    fits_in,
    has_effect,
    learns_statistics,
    numbers_categories,
    receiver_of,
)
from mllint.semantics.training.rows.per_iteration import is_of_one_iteration
from mllint.semantics.training.rows.splits import part_of, rows_name
from mllint.semantics.training.rows.usage import HELD_OUT
from mllint.semantics.values.arguments import Bound, bind
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import Origin, origins, resolve_name, statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from mllint.semantics.values.frames import Frame

__all__ = [
    "Refit", "find_fits_applied_to_training", "find_fits_in_turn", "find_fits_on_joined_parts",
    "find_separate_helper_fits", "find_separate_refits", "find_separate_scalings",
]  # fmt: skip

_JOINS = ("concat", "concatenate", "vstack", "append", "r_")
_Fits: TypeAlias = "list[tuple[Learned, Answer[Role]]]"
_TABLES = ("", "x", "data", "df", "set", "features", "inputs")
_TESTS = (ast.If, ast.IfExp, ast.BoolOp, ast.Try, ast.While, ast.Match)
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp, ast.DictComp)
_COMPUTED = (ast.BinOp, ast.Tuple, ast.List)
"""What is assigned or returned where rows get a scale: anything else is passed over."""


class Refit(NamedTuple):
    """A fit on held-out rows next to one on training rows, or next to a transform of training rows.

    Args:
        second: the fit on held-out rows.
        first: the call for training rows.
        answers: what it rests on.
    """

    second: Learned
    first: Learned
    answers: tuple[Answer[object], ...]


def find_separate_refits(function: FunctionView) -> Iterator[Refit]:
    """The fits on held-out rows of what is fitted on training rows in the same function, by another method, or by who
    calls it."""
    fits = _fits_with_parts(function)
    held_out = [(f, part) for f, part in fits if part.value is not Role.TRAINING_ROWS]
    others = fits if not held_out else [*fits, *_fits_of_siblings(function), *_fits_around(function, held_out)]
    for second, held in held_out:
        for first, trained in others:
            if trained.value is not Role.TRAINING_ROWS or not _same_estimator(first, second):
                continue
            if not is_of_one_iteration(Origin(second.rows, second.origin.frame), first.origin.node, function.scope):
                yield Refit(
                    second,
                    first,
                    (_harm(second, function), *_are_different_parts(trained, held, first.rows, second.rows)),
                )
                break


def find_fits_applied_to_training(function: FunctionView) -> Iterator[Refit]:
    """The fits on held-out rows of what then transforms training rows, and was never fitted on these: `first` of the
    pair is the transform."""
    fits = _fits_with_parts(function)
    for second, held in fits:
        if held.value is Role.TRAINING_ROWS or any(
            trained.value is Role.TRAINING_ROWS and _same_estimator(first, second) for first, trained in fits
        ):
            continue
        for applied, trained in _transforms_of_training(function):
            if _is_same(applied, second):
                yield Refit(
                    second,
                    applied,
                    (_harm(second, function), *_are_different_parts(trained, held, applied.rows, second.rows)),
                )
                break


def _transforms_of_training(function: FunctionView) -> Iterator[tuple[Learned, Answer[Role]]]:
    """The calls of `transform` on training rows, in a function or in one around it."""
    for place_of_calls in (function, *_functions_around(function)):
        frame = place_of_calls.frame
        for node in place_of_calls.scope.calls:
            if last_name(node.func) == "transform" and node.args and isinstance(node.func, ast.Attribute):
                trained = part_of(node.args[0], frame)
                if trained is not None and trained.value is Role.TRAINING_ROWS:
                    yield Learned(Origin(node, frame), node.args[0], evaluate(node.func.value, frame)), trained


def _fits_with_parts(function: FunctionView) -> _Fits:
    """The fits in a function on rows of which the part is known."""
    fits = (f for node in function.scope.calls if (f := _fit(node, function)) is not None)
    return [(f, part) for f in fits if (part := part_of(f.rows, f.origin.frame)) is not None]


def _fits_of_siblings(function: FunctionView) -> Iterator[tuple[Learned, Answer[Role]]]:
    """The fits of attributes, `self.scaler.fit(X_train)`, in the other methods of the class, where this one does not
    bind the attribute."""
    owner = function.owner
    if owner is None:
        return
    for scope in owner.methods.values():
        if scope is not function.scope and not scope.called_names.isdisjoint(("fit", "fit_transform")):
            for fit, part in _fits_with_parts(FunctionView(scope, function.project.frame(scope))):
                name = place(fit.origin.node.func.value) or ""
                if name.startswith("self.") and name not in function.scope.bindings and name not in scope.bindings:
                    yield fit, part


def _fits_around(function: FunctionView, held_out: _Fits) -> Iterator[tuple[Learned, Answer[Role]]]:
    """The fits in the functions that call a function, which may hand it the estimator, or the rows, and those in the
    body of its module of the very estimators that it fits on held-out rows."""
    callers = {id(frame.function) for _, frame in function.project.callers(function.scope)}
    for around in _functions_around(function):
        if not around.scope.called_names.isdisjoint(("fit", "fit_transform")):
            for fit, part in _fits_with_parts(around):
                if id(around.scope) in callers or any(_is_same(fit, second) for second, _ in held_out):
                    yield fit, part


def _functions_around(function: FunctionView) -> Iterator[FunctionView]:
    """The functions that call a function, and the body of its module, whose names it may read."""
    seen = {id(function.scope)}
    body = function.project.frame(function.module.body)
    for frame in (*(frame for _, frame in function.project.callers(function.scope)), body):
        if id(frame.function) not in seen:
            seen.add(id(frame.function))
            yield FunctionView(frame.function, frame)


def _harm(second: Learned, function: FunctionView) -> Answer[bool]:
    """Whether a fit on held-out rows does harm: NAMED where a flag chooses it, or it only draws a picture."""
    meant = _is_chosen_by_flag(second.origin.node, function) or _draws_picture(second)
    return Answer(True, Evidence.NAMED if meant else Evidence.PROVEN, (second.site,))


def _are_different_parts(trained: Answer[Role], held: Answer[Role], *rows: Node) -> tuple[Answer[Node], ...]:
    """That two rows are two parts: as well known as the better of the two where it is no name, else by both names, or
    by what these have in common: `train` and `test`, `train_df` and `test_df`."""
    better, other = max(trained.evidence, held.evidence), min(trained.evidence, held.evidence)
    evidence = better if better > Evidence.CONVENTIONAL else other
    if evidence < Evidence.CONVENTIONAL:
        evidence = max(evidence, parts_by_name(held.because[0], *map(rows_name, rows)).evidence)
    return (Answer(True, evidence, trained.because + held.because, corroborated=True),)


def _fit(node: Node, function: FunctionView) -> Learned | None:
    """The fit of something that learns statistics, be it a scaler that is handed in, or that a fragment leaves out."""
    fit = Origin(node, function.frame)
    if (
        last_name(node.func) not in ("fit", "fit_transform")
        or not node.args
        or not isinstance(node.func, ast.Attribute)
    ):
        return None
    learns = has_effect(fit, "fits") and (learns_statistics(receiver_of(fit)) or numbers_categories(fit))
    return Learned(fit, node.args[0], receiver_of(fit)) if learns or _is_unseen_scaler(node, function) else None


def _is_unseen_scaler(fit: ast.Call, function: FunctionView) -> bool:
    """Whether an unknown object is fitted that is bound nowhere, or that transforms rows in the same function."""
    func: Node = fit.func
    name = place(func.value)
    if name is None or has_role_name(name, Role.PICTURE):
        return False
    if func.attr == "fit_transform" and is_unbound(func.value, function.module):
        return True
    if not evaluate(func.value, function.frame).is_unknown:
        return False
    return any(place(c.func) == f"{name}.transform" for c in function.scope.calls) or _is_passed_scaler(name, function)


def _is_passed_scaler(name: str, function: FunctionView) -> bool:
    """Whether a parameter is what transforms rows in a function that hands it over."""
    if function.scope.parameter(name) is None or function.scope.is_body:
        return False
    for node, frame in function.project.callers(function.scope):
        given = bind(function.scope, node, frame)[0].get(name)
        passed = place(given[0]) if isinstance(given, tuple) else None
        if passed and any(place(c.func) == f"{passed}.transform" for c in frame.function.calls):
            return True
    return False


def _same_estimator(first: Learned, second: Learned) -> bool:
    a, b = first.estimator, second.estimator
    if a is None or b is None:
        return False
    if _is_same(first, second):
        return True
    names = [rows_name(fit.rows) for fit in (first, second)]
    alike = rest_of_name(names[0], Role.TRAINING_ROWS) == rest_of_name(names[1], *HELD_OUT) is not None
    built = alike or isinstance(second.origin.node.func.value, ast.Call)
    return built and bool(a.classes) and [c.name for c in a.classes] == [c.name for c in b.classes]


def _is_same(first: Learned, second: Learned) -> bool:
    """Whether two calls are made on one estimator."""
    a, b = first.estimator, second.estimator
    return a is not None and b is not None and (a.same_as(b) is True or _are_on_one_name(first.origin, second.origin))


def _are_on_one_name(first: Origin, second: Origin) -> bool:
    """Whether two methods are those of what one name stands for, whichever of several things a branch has bound it to:
    `scaler = MinMaxScaler() if small else StandardScaler()`."""
    one, other = (getattr(origin.node.func, "value", None) for origin in (first, second))
    function, name = first.frame.function, place(one)
    if name is None or name != place(other) or function is not second.frame.function:
        return False
    return bindings_at(one, function) == bindings_at(other, function)


def _draws_picture(fit: Learned) -> bool:
    """Whether it is two or three components, of an estimator that is made for this one fit: points of a picture."""
    if fit.estimator is None or not isinstance(getattr(fit.origin.node.func, "value", None), ast.Call):
        return False
    numbers = [constructor_argument(v, "n_components") for v in fit.estimator.alternatives]
    return bool(numbers) and all(n is not None and n.literal in (2, 3) for n in numbers)


def _is_chosen_by_flag(fit: Node, function: FunctionView) -> bool:
    """Whether a flag chooses `s.fit_transform(x) if apart else s.transform(x)`."""
    for node in (n for n in walk(function.scope.node) if isinstance(n, (ast.IfExp, ast.If))):
        sides = [side if isinstance(side, list) else [side] for side in (node.body, node.orelse)]
        calls = [[n for s in side for n in walk(s) if isinstance(n, ast.Call)] for side in sides]
        for mine, other in (calls, calls[::-1]):
            if any(c is fit for c in mine) and any(_is_transform_of(c, fit) for c in other):
                return True
    return False


def _is_transform_of(call: Node, fit: Node) -> bool:
    """Whether it is `s.transform(x)` where the other is `s.fit_transform(x)`."""
    func = call.func
    if not isinstance(func, ast.Attribute) or func.attr != "transform" or not call.args or not fit.args:
        return False
    return place(func.value) == place(fit.func.value) and place(call.args[0]) == place(fit.args[0])


# ------------------------------------------------------------------------------------------------------- joined again
def find_fits_on_joined_parts(function: FunctionView) -> Iterator[tuple[Learned, Node]]:
    """The fits on both parts of a split, joined again, and the held-out part."""
    for learned in fits_in(function):
        part = _held_of_joined(learned.rows, function)
        if part is not None:
            yield learned, part


def _held_of_joined(node: Node, function: FunctionView) -> Node:
    """The held-out part of what a call joins rows of both parts of one split into, be it behind a name."""
    node = resolve_name(node, function.scope)
    if not isinstance(node, ast.Call) or last_name(node.func) not in _JOINS:
        return None
    axis = next((getattr(k.value, "value", None) for k in node.keywords if k.arg == "axis"), 0)
    listed = node.args[0] if node.args else None
    if axis not in (0, "index") or not isinstance(listed, (ast.List, ast.Tuple)) or len(listed.elts) != 2:
        return None
    found = {}
    for part in listed.elts:
        kinds = {root.part for root in evaluate(part, function.frame).all_provenance} or _parts_by_name(part, function)
        if len(kinds) == 1:
            found[kinds.pop()] = part
    rest = next((found[kind] for kind in ("heldout", "test") if kind in found), None)
    return rest if "train" in found else None


def _parts_by_name(part: Node, function: FunctionView) -> set[str]:
    """What a name says of rows that a fragment has bound nowhere so far."""
    if not _is_left_out(part, function):
        return set()
    return {"heldout"} if is_held_out_name(part.id) else {"train"} if is_training_name(part.id) else set()


# ------------------------------------------------------------------------------------------------------- in a helper
def find_separate_helper_fits(
    function: FunctionView,
) -> Iterator[tuple[Call, Node, Node, Site, tuple[Answer[Node], ...]]]:
    """The calls that hand held-out rows to a helper that learns from what it is given, below one for training rows.

    Args:
        function: the helper.

    Yields:
        The call, the rows, the call for training rows, where the helper learns, and what it rests on.
    """
    scope = function.scope
    learning = dict(_learns_from(function)) if scope.parameters and not scope.is_body else {}
    if len(learning) != 1:
        return
    ((parameter, learns),) = learning.items()
    called: list[tuple[Call, Mapping[str, Bound], Node, Answer[Role]]] = []
    for node, frame in function.project.callers(scope) or function.project.calls_of_instances(scope):
        bound, _ = bind(scope, node, frame)
        given = bound.get(parameter)
        looped = any(is_within(node, r.node) for r in frame.function.loops)
        part = _part_given(*given) if isinstance(given, Passed) and not looped else None
        if isinstance(given, Passed) and part is not None and _may_learn_by(learns, bound):
            called.append((Call(node, frame), bound, given.node, part))
    asked = _parameters_asked(function)
    for call, given_here, rows, held in called:
        for first, given_first, _, trained in called:
            if held.value is Role.TRAINING_ROWS or trained.value is not Role.TRAINING_ROWS:
                continue
            if first.frame.function is not call.frame.function or first.node.lineno > call.node.lineno:
                continue
            if all(_are_given_alike(given_here.get(name), given_first.get(name)) for name in asked):
                where = Site(function.module, learns)
                yield call, rows, first.node, where, _are_different_parts(trained, held)
                break


def _parameters_asked(function: FunctionView) -> set[str]:
    """The parameters that a function asks about in its tests, by which it may learn in one call and not in another."""
    tests = (n for s in function.scope.body for n in walk(s) if isinstance(n, _TESTS))
    asked = (n for t in tests for n in (t.values if isinstance(t, ast.BoolOp) else [getattr(t, "test", t)]))
    names = {n.id for a in asked for n in walk(a) if isinstance(n, ast.Name)}
    return {p.name for p in function.scope.parameters if p.name in names}


def _are_given_alike(one: Bound | None, other: Bound | None) -> bool:
    """Whether two calls hand over the same for a parameter, as far as is written, or leave it out."""
    if isinstance(one, Passed) and isinstance(other, Passed):
        return ast.dump(one.node) == ast.dump(other.node)
    return not isinstance(one, Passed) and not isinstance(other, Passed)


def _may_learn_by(learns: Node, bound: Mapping[str, Bound]) -> bool:
    """Whether the estimator of a fit is one that learns statistics, where a call hands it to the function."""
    given = bound.get(place(getattr(learns.func, "value", None)) or "") if isinstance(learns, ast.Call) else None
    return not isinstance(given, Passed) or learns_statistics(evaluate(given.node, given.frame))


def find_fits_in_turn(function: FunctionView) -> Iterator[tuple[Learned, Node, Node, tuple[Answer[Node], ...]]]:
    """The fits of one loop that goes through training rows and held-out rows, each learned from in turn:
    `for part in (train, test): part[columns] = StandardScaler().fit_transform(part[columns])`.

    Yields:
        The fit, the held-out rows and the training rows as the loop is given them, and what it rests on.
    """
    for learned in fits_in(function):
        rows = _part_owner(_read_through(learned.rows, function))
        for target, iterated, body in _iterations_around(learned.origin.node, function):
            if rows not in {n.id for n in walk(target) if isinstance(n, ast.Name)} or _asks(body):
                continue
            parts = list(_parts_in_turn(iterated, function))
            held = next(((n, part) for n, part in parts if part.value is not Role.TRAINING_ROWS), None)
            trained = next(((n, part) for n, part in parts if part.value is Role.TRAINING_ROWS), None)
            if held is not None and trained is not None:
                yield learned, held[0], trained[0], _are_different_parts(trained[1], held[1], trained[0], held[0])


def _iterations_around(node: Node, function: FunctionView) -> Iterator[tuple[Node, Node, list[Node]]]:
    """The loops and comprehensions around an expression: the target, what is iterated over, and what is repeated."""
    loops = (n for n in function.scope.nodes_of(ast.For) if is_within(node, n))
    yield from ((loop.target, loop.iter, loop.body) for loop in loops)
    for made in (n for s in statements(function.scope) for n in walk(s) if isinstance(n, _COMPREHENSIONS)):
        if is_within(node, made) and len(made.generators) == 1:
            repeated = [made.key, made.value] if isinstance(made, ast.DictComp) else [made.elt]
            yield made.generators[0].target, made.generators[0].iter, repeated


def _asks(body: list[Node]) -> bool:
    """Whether something in the body of a loop is done for some of its iterations only."""
    return any(isinstance(n, _TESTS) for s in body for n in walk(s))


def _parts_in_turn(iterated: Node, function: FunctionView) -> Iterator[tuple[Node, Answer[Role]]]:
    """The parts that a loop goes through: `(train, test)`, or a dictionary with a key for each part."""
    match iterated:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for element in elements:
                first = element.elts[0] if isinstance(element, ast.Tuple) and element.elts else element
                part = part_of(first, function.frame)
                if part is not None and not isinstance(first, ast.Constant):
                    yield first, part
        case ast.Call(func=ast.Attribute(value=mapping, attr="items" | "values"), args=[]):
            for key, site in _keys_of(mapping, function):
                said = rows_by_name(key)
                if said is not None and rest_of_name(key, said) == "":
                    role = Role.TRAINING_ROWS if said is Role.TRAINING_ROWS else Role.HELD_OUT_ROWS
                    yield mapping, Answer(role, Evidence.CONVENTIONAL, (site,))


def _keys_of(mapping: Node, function: FunctionView) -> Iterator[tuple[str, Site]]:
    """The keys of a dictionary, where it is written, or made of a tuple of keys: `{s: load(s) for s in ("a", "b")}`."""
    for origin in origins(mapping, function.frame):
        match origin.node:
            case ast.Dict(keys=keys):
                pass
            case ast.DictComp(
                key=ast.Name(id=name), generators=[ast.comprehension(target=ast.Name(id=same), iter=listed)]
            ):
                keys = getattr(listed, "elts", []) if name == same else []
            case _:
                continue
        for key in keys:
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                yield key.value, origin.site


def _part_given(node: Node, frame: Frame) -> Answer[Role] | None:
    """Which part some rows are, or a file of them by its conventional name: `load("data/test.csv")`."""
    if not isinstance(node, ast.Constant):
        return part_of(node, frame)
    said = file_rows(node.value) if isinstance(node.value, str) else None
    if said is None:
        return None
    role = Role.TRAINING_ROWS if said is Role.TRAINING_ROWS else Role.HELD_OUT_ROWS
    return Answer(role, Evidence.CONVENTIONAL, (Site(frame.module, node),))


def _learns_from(function: FunctionView) -> Iterator[tuple[str, Node]]:
    """The parameters that the function learns from by what it makes itself, or its object keeps, and where."""
    bindings = function.scope.bindings
    parameters = {p.name for p in function.scope.parameters if p.name != "self"}
    numbering = (Origin(c, function.frame) for c in function.scope.calls_to(("fit", "fit_transform")) if c.args)
    encoders = [Learned(f, f.node.args[0], receiver_of(f)) for f in numbering if numbers_categories(f)]
    for fit in (*fits_in(function), *encoders):
        estimator, rows = fit.origin.node.func.value, place(fit.rows) or ""
        if rows not in parameters:
            rows = owner if (owner := _part_owner(fit.rows)) in parameters else _read_from(fit.rows, function)
        here = isinstance(estimator, ast.Call) or _is_bound_to_one_call(estimator, bindings)
        kept = not here and _is_kept(estimator, function) and not _is_under_test(fit.origin.node, function)
        if (here or kept) and rows in parameters and _are_all_of_one_table(rows, bindings[rows]):
            yield rows, fit.origin.node
    for node in function.scope.calls_to(("fit", "fit_transform")):
        estimator = node.func.value if isinstance(node.func, ast.Attribute) else None
        rows = _part_owner(_read_through(node.args[0], function)) if node.args else ""
        handed = isinstance(estimator, ast.Name) and estimator.id in parameters and len(bindings[estimator.id]) == 1
        if handed and rows in parameters and _are_all_of_one_table(rows, bindings[rows]):
            yield rows, node
    for statement in statements(function.scope):
        for scaled in own_scale(statement, function.frame):
            if place(scaled) in parameters:
                yield place(scaled) or "", statement


def _are_all_of_one_table(name: str, bindings: Sequence[Binding]) -> bool:
    """Whether what a parameter is bound to later is the table that it was given: `df = df.copy()`."""
    return all(b.kind == "param" or _part_owner(b.value) == name for b in bindings)


def _read_through(rows: Node, function: FunctionView) -> Node:
    """What rows are taken of, behind the names of a function."""
    found = bindings_at(rows, function.scope) if isinstance(rows, ast.Name) else ()
    one = found[0] if found and len(found) == 1 else None
    return one.value if one is not None and one.kind == "assign" and not one.path else rows


def _is_kept(estimator: Node, function: FunctionView) -> bool:
    """Whether an object keeps the estimator, or a function that this one is written in, or the file."""
    if isinstance(estimator, ast.Attribute):
        return (place(estimator) or "").startswith("self.")
    scope: Scope | None = function.scope
    while isinstance(scope, FunctionScope) and isinstance(estimator, ast.Name):
        if estimator.id in scope.bindings:
            return scope is not function.scope and _is_bound_to_one_call(estimator, scope.bindings)
        scope = scope.parent
    return _is_bound_to_one_call(estimator, function.module.body.bindings)


def _is_bound_to_one_call(name: Node, bindings: Mapping[str, Sequence[Binding]]) -> bool:
    """Whether a name stands for what one call gives, and for nothing else."""
    found = bindings.get(name.id, ()) if isinstance(name, ast.Name) else ()
    return len(found) == 1 and isinstance(found[0].value, ast.Call)


def _is_under_test(fit: Node, function: FunctionView) -> bool:
    """Whether a test in the function decides about a fit, as a flag does, or whether there was one before."""
    tests = (n for s in function.scope.body for n in walk(s) if isinstance(n, _TESTS))
    return any(is_within(fit, test) or isinstance(test, ast.If) for test in tests)


def _part_owner(rows: Node) -> str:
    """The name of the table that `rows` are a part of: `df` of `df[column].fillna("")`; empty if they are none."""
    match rows:
        case ast.Name(id=name):
            return name
        case ast.Call(func=ast.Attribute(attr=word), args=[inner, *_]) if word in MAKES:
            return _part_owner(inner)  # `np.asarray(rows, dtype=float)`
        case ast.Call(func=ast.Attribute(value=inner)) | ast.Subscript(value=inner) | ast.Attribute(value=inner):
            return _part_owner(inner)
    return ""


def _read_from(rows: Node, function: FunctionView) -> str:
    """The one parameter that all of some rows were read from: `path` of `pd.read_csv(path).drop(columns="y")`."""
    found: dict[str, Node] = {}
    for origin in origins(rows, function.frame):
        node = origin.node
        if isinstance(node, ast.Call) and last_name(node.func).startswith("read_") and node.args:
            found[place(node.args[0]) or ""] = node
        elif isinstance(node, ast.Name) and any(p.name == node.id for p in function.scope.parameters):
            found.setdefault(node.id, node)
    return next(iter(found)) if len(found) == 1 and isinstance(next(iter(found.values())), ast.Call) else ""


# ------------------------------------------------------------------------------------------------------- by hand
def find_separate_scalings(function: FunctionView) -> Iterator[tuple[Node, str, Node, tuple[Answer[Node], ...]]]:
    """Held-out rows that get a scale of their own, in a function that gives training rows one, or in a fragment.

    Yields:
        The statement, the name of the rows, the statement for training rows (None in a fragment), and what it rests on.
    """
    written = (s for s in statements(function.scope) if getattr(s, "value", None).__class__ in _COMPUTED)
    found = [(s, r) for s in written for r in own_scale(s, function.frame)]
    if len(found) == 1 and not _is_left_out(found[0][1], function):
        return
    scaled = [(s, r, part_of(r, function.frame)) for s, r in found]
    trained = next(((s, part, r) for s, r, part in scaled if part and part.value is Role.TRAINING_ROWS), None)
    for statement, rows, held in scaled:
        if held is None or held.value is Role.TRAINING_ROWS or _is_one_sample(rows, function):
            continue
        name = place(rows) or ""
        if trained is not None and not (_is_batch(rows, function) and _is_batch(trained[2], function)):
            yield statement, name, trained[0], _are_different_parts(trained[1], held)
        elif trained is None and _is_left_out(rows, function) and rest_of_name(name, *HELD_OUT) in _TABLES:
            if not _speaks_of_training(function.scope):
                yield statement, name, None, (parts_by_name(Site(function.module, rows), name),)


def _is_one_sample(rows: Node, function: FunctionView) -> bool:
    """Whether it is one item of a batch, by a variable of a loop: a picture, put into the range of a plot."""
    counters, items = _loop_variables(function), (o.node for o in origins(rows, function.frame))
    picked = (n.slice for n in items if isinstance(n, ast.Subscript))
    return any(isinstance(index, ast.Name) and index.id in counters for index in picked)


def _is_batch(rows: Node, function: FunctionView) -> bool:
    """Whether it is what a loop draws, `for x, y in loader`: what scales it knows only these few rows."""
    return isinstance(rows, ast.Name) and rows.id in _loop_variables(function)


def _loop_variables(function: FunctionView) -> set[str]:
    targets = (r.node.target for r in function.scope.loops if isinstance(r.node, ast.For))
    return {n.id for t in targets for n in walk(t) if isinstance(n, ast.Name)}


def _speaks_of_training(function: FunctionScope) -> bool:
    """Whether any name in a function is one of training rows."""
    return any(isinstance(n, ast.Name) and is_training_name(n.id) for n in walk(function.node))


def _is_left_out(rows: Node, function: FunctionView) -> bool:
    """Whether a fragment has bound rows nowhere before: nothing but their name can say what they are."""
    if not function.scope.is_body or function.module.stars or not isinstance(rows, ast.Name):
        return False
    return not bindings_at(rows, function.scope)
