"""Which average, or which array, does a silent handler leave a part out of?

A list that a `try` appends to and whose mean is taken, an array of which each iteration of a loop writes a row: what
fails is missing from the one and keeps its initial value in the other. A record of what was done is neither.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call, FunctionView, Handler
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, is_within, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.purity import TIMERS
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.tensors import uses_torch
from mllint.semantics.values.values import UnknownValue

__all__ = [
    "FILLED", "computes_sklearn_metric", "find_averaged_list", "find_partly_written_array", "is_missing",
    "only_manages_files",
]  # fmt: skip

FILLED = frozenset("ones zeros full empty ones_like zeros_like full_like".split())
_LEARNING = frozenset("tensorflow keras sklearn xgboost lightgbm catboost jax flax paddle mxnet".split())
_NUMERICS = ("numpy", "scipy", "math", "statistics")
_READING = frozenset(
    """append float int str search match group groups split strip findall replace item detach cpu numpy tolist
    double""".split()
)
_STRATIFIED = tuple(
    f"sklearn.model_selection.{name}"
    for name in ("StratifiedKFold", "RepeatedStratifiedKFold", "StratifiedShuffleSplit")
)
_DEFINED = frozenset(
    """accuracy_score balanced_accuracy_score f1_score fbeta_score precision_score recall_score jaccard_score
    matthews_corrcoef hamming_loss zero_one_loss confusion_matrix classification_report mean_squared_error
    root_mean_squared_error mean_absolute_error median_absolute_error max_error""".split()
)
"""The metrics that have a value of whatever rows: they warn, at most, where a class is missing."""
_ASKING_FOR_NAN = frozenset("isnan isna notna isnull notnull isfinite nanmean nanmedian nanstd nanmax nanmin".split())
_PLAIN = (ast.Constant, ast.BinOp, ast.operator, ast.expr_context)


def is_missing(handler: Handler, *, averaged: bool) -> Answer[bool]:
    """Whether what a handler leaves out is a score or a row that should be there.

    Args:
        handler: the handler.
        averaged: is it left out of a mean, which may be one of anything where no library fits models, and where the
            `try` asks none?
    """
    of_model = _imports_ml_library(handler) and not _only_reads_numbers(handler) and not _only_calculates(handler)
    return proven_unless(averaged and not of_model, True)


def _imports_ml_library(handler: Handler) -> bool:
    """Does its file import a library that fits models? Else nothing says whose scores the mean is taken of."""
    return uses_torch(handler.frame) or any(n.partition(".")[0] in _LEARNING for n, _ in handler.module.imports)


def find_averaged_list(function: FunctionView, handler: Handler) -> str:
    """The list that the `try` appends to and whose mean is taken, here or by who calls the function; empty if there is
    none."""
    for call in handler.calls():
        name = place(getattr(call.node.func, "value", None)) or "" if call.last_name == "append" else ""
        scored = bool(call.node.args) and _is_computed_in_try(handler, call.node.args[0])
        if name and scored and any(_takes_mean(*known) for known in _known_as(name, function)):
            return "" if _is_length_recorded(name, function) else name
    return _find_averaged_sum(function, handler)


def _known_as(name: str, function: FunctionView) -> Iterator[tuple[str, FunctionView]]:
    """What a list is called in a function, and in those that call it: where it is handed in, or seen from within."""
    yield name, function
    bound = function.scope.bindings.get(name, ())
    if "." in name or any(b.kind != "param" for b in bound):
        return
    for node, frame in function.project.callers(function.scope):
        given = bind(function.scope, node, frame)[0].get(name) if bound else None
        other = place(given.node) if isinstance(given, Passed) else None if bound else name
        if other:
            yield other, FunctionView(frame.function, frame)


def _is_length_recorded(name: str, function: FunctionView) -> bool:
    """Does a record of the results say how many are left: `{"rmse": mean, "scored": len(errors)}`?"""
    records = (n for n in walk(function.scope.node) if isinstance(n, ast.Dict))
    lengths = (v for record in records for v in record.values if isinstance(v, ast.Call) and last_name(v.func) == "len")
    return any(name in map(place, call.args) for call in lengths)


def _takes_mean(name: str, function: FunctionView) -> bool:
    return any(_is_mean_of(call, name, function) for call in function.scope.calls)


def _find_averaged_sum(function: FunctionView, handler: Handler) -> str:
    """The sum that the `try` adds a score to, divided later by what the same `try` counts: `total / n`."""
    added = [n for s in handler.statement.body for n in walk(s) if isinstance(n, ast.AugAssign)]
    added = [n for n in added if isinstance(n.op, ast.Add)]
    counted = {place(n.target) for n in added if not _is_computed_by_call(n.value)}
    sums = {
        place(n.target) for n in added if _is_computed_in_try(handler, n.value) or _is_computed_by_call(n.value)
    } - {None}
    quotients = (n for n in function.scope.nodes_of(ast.BinOp) if isinstance(n.op, ast.Div))
    if not sums or not counted:
        return ""
    for node in quotients:
        names = {place(n) for n in walk(node.right)} & counted
        if place(node.left) in sums and names and not is_within(node, handler.statement):
            return place(node.left) or ""
    return ""


def _is_computed_by_call(node: Node) -> bool:
    """Is something computed by a call, as `bleu(a, b) * 100`, and not just measured, as `len(x)`, `x.size(0)`?"""
    calls = [n for n in walk(node) if isinstance(n, ast.Call)]
    return any(last_name(c.func) not in ("len", "size", "numel", "int") for c in calls)


def _only_reads_numbers(handler: Handler) -> bool:
    """Does the `try` no more than read a number off a text, as of the lines of a log that have one, or off what was
    computed before, `total += float(loss.item())`?"""
    return {call.last_name for call in handler.calls()} <= _READING


def _only_calculates(handler: Handler) -> bool:
    """Does the `try` call nothing but numerics, `np.linalg.lstsq(a, b)`, so that no model is asked, nor anything of the
    project? What has no value, a singular matrix for one, is left out of a statistic."""
    return all(call.last_name in _READING or _is_of_numerics(call) for call in handler.calls())


def _is_of_numerics(call: Call) -> bool:
    """Does a call enter a library of numerics alone?"""
    named = call.callee.name if isinstance(call.callee, UnknownValue) else None
    entered = [f.module.name for f in call.callees] or [named or ""]
    return all(name.partition(".")[0] in _NUMERICS for name in entered)


def only_manages_files(handler: Handler) -> bool:
    """Does a `try` no more than remove, sync or make files, of which nothing is read: `os.fsync(f.fileno())`?"""
    nodes = [n for s in handler.statement.body for n in walk(s)]
    if not all(isinstance(s, ast.Pass) for s in handler.node.body):
        return False
    if any(isinstance(n, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Yield)) for n in nodes):
        return False
    opened = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    calls = [n.func for n in nodes if isinstance(n, ast.Call)]
    roots = [(place(f) or "").partition(".")[0] for f in calls]
    return bool(roots) and all(root in ("os", "shutil", "open") or root in opened for root in roots)


def computes_sklearn_metric(handler: Handler) -> bool:
    """Does the `try` compute a metric of scikit-learn that may have no value, as where a class is missing? None is in
    the folds of a stratified split."""
    found = (f for call in handler.calls() for f in call.callees if f.module.name.startswith("sklearn.metrics"))
    return any(f.name not in _DEFINED for f in found) and not _is_over_stratified_folds(handler)


def _is_over_stratified_folds(handler: Handler) -> bool:
    """Does the loop around a handler go through the folds of a split in which each fold has rows of each class?"""
    loop = handler.loops()[-1]
    iterated = list(walk(loop.iter)) if isinstance(loop, ast.For) else []
    named = [b.value for n in iterated for b in bound_at(n, handler.function)]
    calls = [n for top in (*iterated, *named) for n in walk(top) if isinstance(n, ast.Call)]
    splits = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "split"]
    made = [evaluate(c.func.value, handler.frame) for c in splits if isinstance(c.func, ast.Attribute)]
    return any(value.instance_of(name) for value in made for name in _STRATIFIED)


def _is_computed_in_try(handler: Handler, node: Node) -> bool:
    """Is it what a call gives, or a name that the `try` binds to such, or a part of it: `loss.data`?"""
    while isinstance(node, ast.Attribute):
        node = node.value
    if isinstance(node, ast.Name):
        found = handler.function.bindings.get(node.id, ())
        return any(_is_result(b.value) and is_within(b.node, handler.statement) for b in found)
    return _is_result(node)


def _is_result(value: Node) -> bool:
    """Is it what a call gives, but no time, or a part or a sum of such: `error(a, b) + 0.1 * scores(a)["l1"]`?"""
    if isinstance(value, ast.BinOp):
        return _is_result(value.left) or _is_result(value.right)
    while isinstance(value, ast.Subscript):
        value = value.value
    return isinstance(value, ast.Call) and last_name(value.func) not in TIMERS


def _is_mean_of(call: ast.Call, name: str, function: FunctionView) -> bool:
    """Is it `mean(name)`, `stack(name).mean()`, `sum(name)` of a division, or the `len(name)` of one by it?"""
    word = last_name(call.func)
    given = [place(a) for a in call.args]
    if word == "sum":
        return name in given and _is_divided(call, function)
    if word == "len":
        return name in given and _is_call_in_divisor(call, function)
    if word in ("mean", "nanmean", "average", "fmean", "stdev", "std"):
        inner = call.func.value if isinstance(call.func, ast.Attribute) else None
        return name in given or (isinstance(inner, ast.Call) and name in [place(a) for a in inner.args])
    return False


def _is_divided(call: ast.Call, function: FunctionView) -> bool:
    """Is what a call gives divided by something?"""
    nodes = (n for n in function.scope.nodes_of(ast.BinOp) if n.left is call)
    return any(isinstance(n.op, ast.Div) for n in nodes)


def _is_call_in_divisor(call: ast.Call, function: FunctionView) -> bool:
    """Is something divided by a call, or by the name that it is bound to?"""
    names = {n for n, found in function.scope.bindings.items() for b in found if b.value is call}
    nodes = function.scope.nodes_of(ast.BinOp)
    quotients = (n.right for n in nodes if isinstance(n.op, (ast.Div, ast.FloorDiv)))
    return any(n is call or place(n) in names for q in quotients for n in walk(q))


def _makes_bool_array(call: ast.Call) -> bool:
    """Is an array of flags made? It says of what fails that it is not chosen: no value is missing from it."""
    return any(k.arg == "dtype" and last_name(k.value) in ("bool", "bool_") for k in call.keywords)


def find_partly_written_array(function: FunctionView, handler: Handler) -> str:
    """The array whose rows are written in the loop, but not for the iteration that fails; empty where one of them is
    asked for the value that it was made of, which tells what failed apart."""
    loop = handler.loops()[-1]
    found = [(s.id, made) for s in _written_rows(handler) if (made := _find_filled_arrays(s.id, loop, function))]
    if any(_is_compared_to_initial(name, made, loop, function) for name, made in found):
        return ""
    return found[0][0] if found else ""


def _written_rows(handler: Handler) -> Iterator[ast.Name]:
    """The places of which the loop around a handler writes rows, data that depend on its variables."""
    loop = handler.loops()[-1]
    plain = isinstance(loop, ast.For) and isinstance(loop.target, ast.Name)
    targets = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)} if isinstance(loop, ast.For) else set()
    counts = _numbers(handler)
    if not targets or _only_adds_entries(handler.statement):
        return
    for node in walk(loop):
        if not isinstance(node, (ast.Assign, ast.AugAssign)):
            continue
        stored: Node = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if not plain and isinstance(node.value, ast.Subscript):
            continue  # `for word, i in index.items(): table[i] = vectors[word]`: what has no vector gets none
        counted = counts | {handler.node.name or ""}
        if all(isinstance(n, _PLAIN) or (isinstance(n, ast.Name) and n.id in counted) for n in walk(node.value)):
            if any(is_within(node, s) for s in handler.statement.body):
                continue  # a mark, or the number of the iteration, and no data
        indexed = False
        while isinstance(stored, ast.Subscript):
            indexed = indexed or any(isinstance(n, ast.Name) and n.id in targets for n in walk(stored.slice))
            stored = stored.value
        if indexed and isinstance(stored, ast.Name):
            yield stored


def _find_filled_arrays(name: str, loop: Node, function: FunctionView) -> list[ast.Call]:
    """The calls outside of a loop that make an array of one value, empty if it is one of flags."""
    bound = [b for b in function.scope.bindings.get(name, ()) if isinstance(b.value, ast.Call)]
    made = [b.value for b in bound if last_name(b.value.func) in FILLED and not is_within(b.value, loop)]
    return [] if any(map(_makes_bool_array, made)) else made


def _is_compared_to_initial(name: str, made: list[ast.Call], loop: Node, function: FunctionView) -> bool:
    """Is an array asked below a loop for the value that it was made of: `p < 1.0` of `full(n, 1.0)`, `isnan(p)`? What
    failed does not pass for data then. That something is greater than zero asks for no value."""
    initial = [_made_of(call) for call in made]
    for node in walk(function.scope.node):
        if getattr(node, "lineno", 0) <= loop.end_lineno:
            continue
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if name in (place(left), place(right)):
                other = _number(right if place(left) == name else left)
                if other is not None and other in initial and (other or isinstance(operator, (ast.Eq, ast.NotEq))):
                    return True
            case ast.Call(args=[first, *_]) if place(first) == name and "nan" in initial:
                if last_name(node.func) in _ASKING_FOR_NAN:
                    return True
    return False


def _made_of(call: ast.Call) -> float | str | None:
    """The value that an array is full of as it is made, "nan" for NaN; None if it is not seen."""
    word, given = last_name(call.func), [k.value for k in call.keywords if k.arg == "fill_value"] or call.args[1:2]
    if word in ("full", "full_like"):
        return _number(given[0]) if given else None
    return 1 if word.startswith("ones") else 0 if word.startswith("zeros") else None


def _number(node: Node) -> float | str | None:
    """A number that is written down, "nan" for NaN; None if it is anything else."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Attribute(attr="nan" | "NaN" | "NAN") | ast.Call(args=[ast.Constant(value="nan")]):
            return "nan"
    return None


def _numbers(handler: Handler) -> set[str]:
    """The names that the loops around count in: `i` of `for i, row in enumerate(rows)`, of `for i in range(n)`."""
    found = set()
    for loop in handler.loops():
        match loop:
            case ast.For(target=ast.Tuple(elts=[ast.Name(id=name), _]), iter=ast.Call(func=ast.Name(id="enumerate"))):
                found.add(name)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"))):
                found.add(name)
    return found


def _only_adds_entries(statement: Node) -> bool:
    """Does a `try` only add what a table has: `scores[i] += rules[a][b]`? What it has not adds nothing."""
    plain = all(isinstance(s, ast.AugAssign) and isinstance(s.value, ast.Subscript) for s in statement.body)
    return plain and not any(isinstance(n, ast.Call) for s in statement.body for n in walk(s))
