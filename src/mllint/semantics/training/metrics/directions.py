"""In which direction is a metric better, and in which one is it watched?

    EarlyStopping("val_acc")                          # Lightning watches for a minimum unless told otherwise
    TrainingArguments(metric_for_best_model="wer")    # a maximum, unless the name ends with "loss"

The name of a metric is a key that the library reads: a metric is logged under it, so that it says what it is. A name
that speaks of both directions, or of none, says nothing.

    scheduler.step(correct / total)     # `direction_of_number`: higher, as a share of hits
    study.optimize(objective)           # `find_study_objective`: lower, unless the study was created to maximise

What a number is is read from how it was computed: from a loss, from what was equal to the truth, or was found among it
by a ranking, by a function of a library that is called like a metric, or as the size of the difference of a prediction
and the truth. A product, a mean, a sum, a power and a root of it keep the direction, a minus turns it round; whatever
is not known leaves none. Then the program may say itself which one is better, by what it keeps as the best: `if score
> best: best = score`. By which score weights are kept is asked in `keepers`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import METRIC, MODULE
from mllint.semantics.libraries.tensor_methods import SAME_ENTRIES
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.nodes import Node, assigned_pairs, last_name, place, walk
from mllint.semantics.syntax.topic_names import Topic
from mllint.semantics.training.predictions import (
    MOVED,
    is_ground_truth,
    is_model_output_on_item,
    is_predicted_by_estimator,
)
from mllint.semantics.training.roles import Role, has_role_name
from mllint.semantics.training.schedules.units import PLATEAU, built_by
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.calls import entered_function
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins, resolve_name, results_of, statements
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue, ModuleValue, SequenceValue, UnknownValue, Value

__all__ = [
    "Number", "direction_by_computation", "direction_by_key", "direction_by_logging", "direction_of_number",
    "find_outdone_records", "find_plateau_metric", "find_study_objective", "find_watched_metric", "library_score",
    "loads_best",
]  # fmt: skip

Number = tuple[Node, str, Frame]
"""The expression of a number, in which direction it counts as better, and its context."""

_MONITORS = (
    "lightning.pytorch.callbacks.EarlyStopping",
    "lightning.pytorch.callbacks.ModelCheckpoint",
    "keras.callbacks.EarlyStopping",
    "keras.callbacks.ModelCheckpoint",
    "keras.callbacks.ReduceLROnPlateau",
)
_ARGUMENTS = "transformers.TrainingArguments"
_STOPPING = "transformers.EarlyStoppingCallback"
_SCORING = ("sklearn.base.ClassifierMixin", "sklearn.base.RegressorMixin")
_STUDY = "optuna.study.Study"
_GREATER = "sklearn.model_selection.cross_val_score"
_KEEPING = SAME_ENTRIES | frozenset("sum mean compute sqrt exp log log1p".split())
"""Methods that keep the direction: conversions, means, and what grows with its argument."""
_OF_ONE = frozenset(
    """float round sum mean nanmean average sqrt exp log log1p cat stack concatenate array asarray tensor median
    nanmedian""".split()
)
_OF_ALL = ("max", "min")
_SIZES = frozenset("abs square norm absolute fabs".split())
"""Functions and methods of the size of an error."""
_DEPTH = 10
"""How many operations are followed that a number was computed with."""
_RANKING = frozenset("topk argsort argpartition argmax".split())
"""Functions and methods that put the highest scores first."""
_UNKNOWN = "unknown"
"""The direction of what may be anything. As a part of a product or of a sum it keeps that of the others."""
_EMPTY = frozenset("zeros zeros_like list dict deque defaultdict OrderedDict".split())
_OPPOSITE: dict[str | None, str] = {"higher": "lower", "lower": "higher"}


def direction_by_key(metric: str) -> str | None:
    """Whether a metric is better "higher" or "lower", by its key; None if the key does not say."""
    lower = topics.is_about(metric, Topic.LOWER_IS_BETTER)
    if lower is topics.is_about(metric, Topic.HIGHER_IS_BETTER):
        return None
    return "lower" if lower else "higher"


def direction_by_logging(metric: str, project: Project) -> str | None:
    """Whether a metric is better "higher" or "lower", by what a module of Lightning logs under its key:
    `self.log(metric, self.accuracy)`; None if it logs nothing under it, or what does not say."""
    found: set[str | None] = set()
    calls = (pair for name in ("log", "log_dict") for pair in project.calls_named(name))
    for node, frame in ((c, project.frame(f)) for c, f in calls if isinstance(f, FunctionScope)):
        for value in _logged_under(metric, node):
            owner = evaluate(value, frame)
            found.add(_of_metric(owner) if owner.instance_of(METRIC) else direction_by_computation(value, frame))
    return found.pop() if len(found) == 1 else None


def _logged_under(metric: str, call: ast.Call) -> Iterator[ast.expr]:
    """What a call hands over under a key: `log(key, value)`, `log_dict({key: value})`."""
    match call.args:
        case [ast.Constant(value=key), value, *_] if key == metric:
            yield value
        case [ast.Dict(keys=keys, values=values), *_]:
            pairs = zip(keys, values, strict=True)
            yield from (v for k, v in pairs if isinstance(k, ast.Constant) and k.value == metric)


def find_watched_metric(call: Call) -> tuple[Argument, str] | None:
    """The metric that a callback, or the arguments of a trainer, watch, and in which direction it counts as better.

    Args:
        call: what builds a callback or the arguments.

    Returns:
        The argument with the key, and "higher" or "lower"; None if there is none, or if that is not certain.
    """
    if call.value.instance_of(*_MONITORS):
        metric, mode = call.argument("monitor"), call.argument("mode")
        word = mode.value.literal if mode is not None else "auto" if _is_keras(call) else "min"
        direction = "lower" if word == "min" else "higher" if word == "max" else None
        return (metric, direction) if metric is not None and direction is not None and not call.is_open else None
    if call.value.instance_of(_ARGUMENTS):
        return _of_trainer(call)
    return _of_schedule(call) if call.value.instance_of(PLATEAU) else None


def _is_keras(call: Call) -> bool:
    return call.value.instance_of(*(name for name in _MONITORS if name.startswith("keras.")))


def _of_schedule(call: Call) -> tuple[Argument, str] | None:
    """The key that Lightning is to watch for the one schedule of a function: `{"monitor": "val_acc", ...}`."""
    built = [c for c in call.function.calls if last_name(c.func) == call.last_name]
    dicts = [n for s in call.function.body for n in walk(s) if isinstance(n, ast.Dict)] if len(built) == 1 else []
    pairs = [zip(d.keys, d.values, strict=True) for d in dicts]
    keys = [v for pair in pairs for k, v in pair if isinstance(k, ast.Constant) and k.value == "monitor"]
    mode = call.argument("mode")
    direction = _direction(mode.value if mode is not None else None, "min")
    if len(keys) != 1 or direction is None or call.is_open:
        return None
    return Argument(keys[0], call, "monitor"), direction


def _of_trainer(call: Call) -> tuple[Argument, str] | None:
    """A trainer goes back to the best checkpoint if it is set to load it, and may stop when none is better."""
    metric = call.argument("metric_for_best_model")
    if metric is None or call.is_open or not (loads_best(call) or _may_stop_early(call)):
        return None
    option = call.argument("greater_is_better")
    key = metric.value.literal
    greater = option.value.truth if option is not None else isinstance(key, str) and not key.endswith("loss")
    return None if greater is None else (metric, "higher" if greater else "lower")


def loads_best(arguments: Call) -> bool:
    """Whether the arguments of a trainer make it go back to its best checkpoint."""
    loads = arguments.argument("load_best_model_at_end")
    return loads is not None and loads.value.truth is True


def _may_stop_early(arguments: Call) -> bool:
    """Does a trainer of the same file get these arguments, and a callback that stops it?"""
    for node, scope in arguments.module.calls_by_keyword.get("callbacks", ()):
        function = function_of(scope)
        trainer = Call(node, arguments.project.frame(function)) if function is not None else None
        given = trainer.argument("args") if trainer is not None else None
        callbacks = trainer.argument("callbacks") if trainer is not None else None
        if given is not None and callbacks is not None and given.value.site == arguments.site:
            parts = callbacks.value.parts if isinstance(callbacks.value, SequenceValue) else ()
            if any(part.instance_of(_STOPPING) for part in parts):
                return True
    return False


# ------------------------------------------------------------------------------------------------------ computed
def find_plateau_metric(call: Call) -> Number | None:
    """What a schedule that waits for a plateau is given, and in which direction it counts that as better."""
    schedules = call.receiver.alternatives if call.node.args and call.receiver is not None else ()
    waiting = [v for v in schedules if v.instance_of(PLATEAU)]  # among others, which take no number
    modes = {_direction(constructor_argument(v, "mode"), "min") for v in waiting}
    direction = modes.pop() if len(modes) == 1 else None
    return (call.node.args[0], direction, call.frame) if direction is not None else None


def find_study_objective(call: Call) -> Number | None:
    """What the objective of a study gives back, and in which direction the study looks.

    Of several numbers that an objective may give back, all must be better in the same direction; one that is written
    out, `return 0.0`, stands for a trial that failed.
    """
    study, objective = call.receiver, call.first("func")
    if study is None or objective is None or not study.instance_of(_STUDY):
        return None
    direction, function = _direction_of_study(study, call), entered_function(objective.value)
    if direction is None or function is None or function.stubbed:
        return None
    frame = call.project.frame(function)
    returned = [r for r in _returned(function) if r is None or not _is_written_out(r)]
    if not returned or len({direction_of_number(r, frame) for r in returned}) > 1:
        return None
    return returned[0], direction, frame


def _direction_of_study(study: Value, call: Call) -> str | None:
    """The direction in which a study looks, by the call that creates it: where `call` is written, or elsewhere.

    A study that is loaded if it exists already has the direction of its creation: by this call, if it is the only one.
    """
    created = built_by(study, call.frame)
    if created is None or created.is_open or created.argument("directions") is not None:
        return None
    named = (m.calls_by_name.get(created.last_name, ()) for m in call.project.modules)
    if created.argument("load_if_exists") is not None and sum(map(len, named)) > 1:
        return None
    given = created.argument("direction")
    return _direction(given.value if given is not None else None, "minimize")


def _is_written_out(node: Node) -> bool:
    """Is a number written out: `0.0`, `float("nan")`, `-math.inf`?"""
    match node:
        case ast.UnaryOp(operand=inner) | ast.Call(func=ast.Name(id="float"), args=[inner]):
            return _is_written_out(inner)
        case ast.Attribute(attr="inf" | "nan"):
            return True
    return isinstance(node, ast.Constant)


def _returned(function: FunctionScope) -> list[Node]:
    """The expressions that a function gives back."""
    if isinstance(function.node, ast.Lambda):
        return [function.node.body]
    return [s.value for s in statements(function) if isinstance(s, ast.Return)]


def _direction(given: Value | None, default: str) -> str | None:
    word = default if given is None else given.literal
    return {"min": "lower", "max": "higher", "minimize": "lower", "maximize": "higher"}.get(str(word))


def direction_of_number(node: Node, frame: Frame) -> str | None:
    """Whether a number is better "higher" or "lower", by how it was computed, or else by which one the program keeps;
    None if neither says."""
    known = direction_by_computation(node, frame)
    kept = _kept(node, frame) if known is None else {known}
    return kept.pop() if len(kept) == 1 else None


def direction_by_computation(node: Node, frame: Frame) -> str | None:
    """Whether a number is better "higher" or "lower", by how it was computed; None if that does not say, of one of the
    things that it may be."""
    found = set(_measured(node, frame, 0))
    return found.pop() if len(found) == 1 and _UNKNOWN not in found else None


def _kept(node: Node, frame: Frame) -> set[str]:
    """The directions in which a score outdoes a record, or a record was outdone, where the function compares them: `if
    score > best: best = score`, `best = max(best, score)`."""
    found: set[str] = set()
    name, at = place(node), reaching(frame.function).at
    if name is None:
        return found
    for statement in statements(frame.function):
        for score, record, higher in find_outdone_records(statement):
            same = place(score) == name and at.get(id(score)) == at.get(id(node))
            if topics.is_about(place(record), Topic.BEST) and (same or place(record) == name):
                found.add("higher" if higher else "lower")
    return found


def find_outdone_records(statement: ast.stmt) -> Iterator[tuple[ast.expr, ast.expr, bool]]:
    """The scores that take the place of a record in a statement, `if score > best: best = score`, each with the record,
    and whether the higher one stays."""
    match statement:
        case ast.If(test=ast.Compare(left=left, ops=[ast.Gt() | ast.GtE() | ast.Lt() | ast.LtE() as op],
                                     comparators=[right])):  # fmt: skip
            larger = isinstance(op, (ast.Gt, ast.GtE))
            taken = [(place(t), place(v)) for s in statement.body for t, v in assigned_pairs(s)]
            for score, record, higher in ((left, right, larger), (right, left, not larger)):
                if (place(record), place(score)) in taken:
                    yield score, record, higher
        case ast.Assign(targets=[target], value=ast.Call(func=ast.Name(id="max" | "min" as of), args=[one, other])):
            for record, score in ((one, other), (other, one)):
                if place(record) is not None and place(record) == place(target):
                    yield score, record, of == "max"


def _measured(node: Node, frame: Frame, depth: int) -> Iterator[str | None]:
    """The directions of all that a number may be; None for what may turn one round, or not."""
    if depth >= _DEPTH:
        return
    for origin in origins(node, frame, through=_is_passed_on):
        found = list(_of_origin(origin, depth))
        yield from found
        if not found and not _is_passed_on(origin) and not _is_empty(origin.node):
            yield _UNKNOWN


def _of_origin(origin: Origin, depth: int) -> Iterator[str | None]:
    """The directions of what a number was computed of, in one place."""
    inner = origin.node
    if isinstance(inner, ast.Name) and _is_subtracted_from(inner.id, origin.frame):
        yield None
    elif (key := _of_entry(inner, origin.frame)) is not None:
        yield key
    elif isinstance(inner, (ast.BinOp, ast.UnaryOp)):
        yield from _of_terms(inner, origin.frame, depth)
    elif _is_hit(inner, origin.frame) or _counts_hits(inner, origin.frame):
        yield "higher"
    elif isinstance(inner, (ast.ListComp, ast.GeneratorExp)):
        yield from _measured(inner.elt, origin.frame, depth + 1)
    elif isinstance(inner, ast.Call) and not _is_passed_on(origin):
        yield from _of_call(Call(inner, origin.frame), depth)


def _is_hit(node: Node, frame: Frame) -> bool:
    """Does a comparison say whether a prediction is right: `guess == y`, `item in relevant` of a ranking?"""
    if not isinstance(node, ast.Compare):
        return False
    return isinstance(node.ops[0], ast.Eq) or (isinstance(node.ops[0], ast.In) and _is_ranked(node.left, frame))


def _is_ranked(node: Node, frame: Frame) -> bool:
    """Does something come from a ranking of scores: `scores.topk(k).indices`?"""
    return any(isinstance(o.node, ast.Call) and last_name(o.node.func) in _RANKING for o in origins(node, frame))


def _counts_hits(node: Node, frame: Frame) -> bool:
    """Is it a one for each hit: `1 for item in top if item in relevant`?"""
    if not isinstance(node, (ast.ListComp, ast.GeneratorExp)):
        return False
    tests = [test for generator in node.generators for test in generator.ifs]
    return isinstance(node.elt, ast.Constant) and node.elt.value == 1 and len(tests) == 1 and _is_hit(tests[0], frame)


def _is_empty(node: Node) -> bool:
    """Is it a number, or an empty container, that something is added to?"""
    match node:
        case ast.Call(func=func, args=args):
            name = last_name(func)
            return name in _EMPTY or (name in _OF_ONE and bool(args) and _is_empty(args[0]))
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            return all(map(_is_empty, elts))
        case ast.Dict() | ast.Set():
            return True
    return _is_written_out(node)


def _of_entry(node: Node, frame: Frame) -> str | None:
    """What the key of an entry says: `scores["auc"]`, `scores.get("auc", 0.0)`."""
    match node:
        case ast.Subscript(slice=key) | ast.Call(func=ast.Attribute(attr="get" | "pop"), args=[key, *_]):
            return _of_key(key, frame)
    return None


def _of_key(key: ast.expr, frame: Frame) -> str | None:
    """What the key of an entry says, as that of a metric that is watched does: `history["val_acc"]`, also where a
    setting says which one it is, `scores[config.monitor]`."""
    named = key.value if isinstance(key, ast.Constant) else evaluate(key, frame).literal
    return direction_by_key(named) if isinstance(named, str) else None


def _is_subtracted_from(name: str, frame: Frame) -> bool:
    """Is it `score -= loss` somewhere?"""
    bound = frame.function.bindings.get(name, ())
    return any(b.kind == "aug" and b.value is not None and isinstance(b.value.op, ast.Sub) for b in bound)


def _is_passed_on(origin: Origin) -> bool:
    """Does what was computed come through it as it is: a name, an entry whose key says nothing, a call of the user's,
    an attribute of an object that is the only one of its class?"""
    node = origin.node
    match node:
        case ast.Call():
            return next(results_of(node, origin.frame), None) is not None
        case ast.Attribute(value=ast.Name(id="self")):
            return not _has_siblings(origin.frame)
        case ast.Subscript(slice=ast.Slice()):
            return True
        case ast.Subscript(slice=ast.Constant() as key):
            return _of_key(key, origin.frame) is None
    return isinstance(node, (ast.Name, ast.Attribute))


def _has_siblings(frame: Frame) -> bool:
    """Are several objects built of the class of a method, as meters are, so that each has values of its own?"""
    owner = frame.function.owner
    return owner is not None and len(frame.project.calls_named(owner.name)) > 1


def _of_terms(node: ast.BinOp | ast.UnaryOp, frame: Frame, depth: int) -> Iterator[str | None]:
    turned = False
    match node:
        case ast.BinOp(op=ast.Pow(), left=left, right=ast.Constant(value=2 | 4)) if _is_error(left, frame):
            parts = []
            yield "lower"
        case ast.BinOp(op=ast.Div(), left=left):
            parts = [left]
        case ast.BinOp(op=ast.Pow(), left=left, right=ast.Constant(value=float() | int())):
            parts = [left]
        case ast.BinOp(op=ast.Mult() | ast.Add(), left=left, right=right):
            parts = [left, right]
            signs = [_sign(p, frame) if isinstance(node.op, ast.Mult) else 1 for p in parts]
            if 0 in signs:
                yield None
            parts = [p for p, sign in zip(parts, signs, strict=True) if sign == 1]
            turned = signs.count(-1) == 1
        case ast.UnaryOp(op=ast.USub(), operand=operand) | ast.BinOp(op=ast.Sub(), left=ast.Constant(), right=operand):
            parts, turned = [operand], True
        case _:
            parts = []
            yield None
    for part in parts:
        for direction in _measured(part, frame, depth + 1):
            if direction != _UNKNOWN:
                yield _OPPOSITE.get(direction) if turned else direction


def _sign(node: Node, frame: Frame) -> int:
    """-1 if it is certainly a number below zero, 0 if it may be one, or one above: `1 if mode == "max" else -1`."""
    numbers = [v.literal for v in evaluate(node, frame).alternatives]
    negative = [isinstance(n, (int, float)) and n < 0 for n in numbers]
    return 1 if not any(negative) else -1 if all(negative) else 0


def _of_call(call: Call, depth: int) -> Iterator[str | None]:
    """The direction of a loss, of a library's metric, and of what only makes another number of either."""
    named = library_score(call) or _score_of_unknown_library(call)
    if call.value.is_("Loss"):
        yield "lower"
    elif call.last_name == "eq" or _is_found(call) or call.callee.is_function(_GREATER) or _is_own_score(call):
        yield "higher"
    elif named is not None:
        yield named
    elif call.last_name in _SIZES:
        of = _operand(call)
        yield "lower" if of is not None and _is_error(of, call.frame) else None
    elif call.last_name in _KEEPING and call.receiver is not None and not isinstance(call.receiver, ModuleValue):
        yield from _measured(call.node.func.value, call.frame, depth + 1)
    elif call.last_name in _OF_ONE and call.node.args:
        yield from _measured(call.node.args[0], call.frame, depth + 1)
    elif call.last_name in _OF_ALL:
        for given in call.node.args:
            yield from _measured(given, call.frame, depth + 1)


def _is_own_score(call: Call) -> bool:
    """Does a classifier or a regressor of scikit-learn score itself: by its accuracy, or by R²?"""
    return call.last_name == "score" and call.receiver is not None and call.receiver.instance_of(*_SCORING)


def _is_found(call: Call) -> bool:
    """Does a call say which items of a ranking are among the right ones: `torch.isin(top, relevant)`?"""
    return call.last_name in ("isin", "in1d") and any(_is_ranked(a, call.frame) for a in call.node.args[:1])


def _operand(call: Call) -> Node:
    """What a function or a method of a library is applied to: `x` of `x.abs()` and of `torch.abs(x)`."""
    func = call.node.func
    if isinstance(func, ast.Attribute) and not isinstance(call.receiver, ModuleValue):
        return func.value
    return call.node.args[0] if call.node.args else None


def _is_error(node: Node, frame: Frame) -> bool:
    """Is it the difference of what a model predicts and what is true, by its name too?"""
    node = resolve_name(node, frame.function)
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return False
    sides = (node.left, node.right)
    predicted = [_is_predicted(side, frame) for side in sides]
    return any(predicted) and any(
        not known and (is_ground_truth(side, frame.function) or has_role_name(place(_whole(side)), Role.TARGET))
        for side, known in zip(sides, predicted, strict=True)
    )


def _is_predicted(node: Node, frame: Frame) -> bool:
    """Does a model, or an estimator, give it, moved or squeezed at most?"""
    node = resolve_name(node, frame.function)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MOVED:
        node = resolve_name(node.func.value, frame.function)
    if is_model_output_on_item(node, frame.function) or is_predicted_by_estimator(node, frame.function):
        return True
    return isinstance(node, ast.Call) and Call(node, frame).callee.instance_of(MODULE)


def _whole(node: Node) -> Node:
    """`y` of `y[rows]` and of `y.numpy()`."""
    while True:
        match node:
            case ast.Subscript(value=inner):
                node = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in MOVED:
                node = inner
            case _:
                return node


def library_score(call: Call) -> str | None:
    """The direction of a metric of a library, by the name that the library gives it."""
    owner = call.receiver
    if owner is not None and owner.instance_of(METRIC):
        return _of_metric(owner)
    functions = [f for f in call.callees if f.stubbed and f.owner is None and f.name == call.last_name]
    return direction_by_key(call.last_name) if functions else None


def _score_of_unknown_library(call: Call) -> str | None:
    """The direction of a metric of a library that no stub covers, by the library's own name for it: `jiwer.wer`."""
    called = call.callee
    if not isinstance(called, UnknownValue) or called.receiver is not None:
        return None
    library, _, name = (called.name or "").rpartition(".")
    return direction_by_key(name) if library else None


def _of_metric(metric: Value) -> str | None:
    """The direction of a metric of torchmetrics, by its class."""
    return (
        direction_by_key(metric.cls.name) if isinstance(metric, InstanceValue) and metric.cls.module.is_stub else None
    )
