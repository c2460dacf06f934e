"""Is what is measured on held-out rows still a measurement?

The rules here ask whether rows that are held out reach the model before they should: through what a preprocessing step
has learned, through a loop or an estimator that trains on them.
Parts of data are known by provenance; where only a name tells the parts apart, a second fact has to agree with it.

"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks._records import Division
from mllint.checks._unread import divided_in_vain
from mllint.checks.data._folds import divided_by_index
from mllint.semantics import Call, Function, Value, text
from mllint.semantics.calls import constructor_argument
from mllint.semantics.classes import stub_effect
from mllint.semantics.library import effect_of, flattened
from mllint.semantics.lineage import Origin, same_place
from mllint.semantics.module import last_name, walk
from mllint.semantics.parts import divided, held, may_split, targets_of, trained

__all__ = ["DIVIDING", "_named", "divisions", "effect_on", "learns_statistics", "receiver_of"]

DIVIDING = """train_test_split random_split split cross_val_score cross_validate cross_val_predict learning_curve
    validation_curve permutation_test_score split_dataset cv train_valid_split fit"""
"""The calls by which rows may be divided; `fit` is that of a search."""
_SPLITTING = frozenset(DIVIDING.split()) - {"fit"}


def divisions(function: Function) -> Iterator[Division]:
    """The splits written in a function: calls of splitters, searches that cross-validate, complementary slices."""
    for call in function.calls():
        if call.last_name in _SPLITTING and may_split(call) and any(effect_of(f, "splits") for f in call.callees):
            if holds_out_nothing(call):
                continue
            rows = call.argument("X") or call.argument("dataset")
            yield Division(
                call.node,
                call.name,
                [rows.node] if rows else [a for a in call.node.args if not isinstance(a, ast.Starred)],
            )
        elif call.last_name == "fit" and call.node.args and _searches(call.receiver):
            yield Division(call.node, call.name, call.node.args[:1])
        elif call.last_name == "split" and call.node.args:
            parts = targets_of(call.node, function.scope)
            if any(map(trained, parts)) and any(map(held, parts)) and call.callee.is_function("numpy.split"):
                yield Division(call.node, call.name, call.node.args[:1])
    yield from _slices(function)
    yield from divided_by_index(function)


def holds_out_nothing(call: Call) -> bool:
    """Does nobody look at what a split holds out: `for train, _ in folds.split(X)`, `X, _ = train_test_split(X)`?"""
    for loop in call.function.loops:
        if isinstance(loop.node, ast.For) and any(n is call.node for n in walk(loop.node.iter)):
            held = last_of(loop.node.target)
            return held is not None and not any(
                isinstance(n, ast.Name) and n.id == held for s in loop.node.body for n in walk(s)
            )
    bound = [b for found in call.function.bindings.values() for b in found if b.value is call.node and b.path]
    held_out = [b.name for b in bound if isinstance(b.path[0], int) and b.path[0] % 2]
    return (bool(held_out) and set(held_out) == {"_"}) or divided_in_vain(call)


def last_of(target: Any) -> str | None:
    """The name at the end of `train, held` or `fold, (train, held)`."""
    while isinstance(target, ast.Tuple) and len(target.elts) == 2:
        target = target.elts[1]
        if isinstance(target, ast.Name):
            return target.id
    return None


def _searches(receiver: Value | None) -> bool:
    return receiver is not None and any(c.module.is_stub and c.name.endswith("SearchCV") for c in receiver.classes)


def _slices(function: Function) -> Iterator[Division]:
    """`x[:n]` and `x[n:]` of the same `x`."""
    for first, second in divided(function.scope):
        if same_place(first.value, second.value, function.frame):
            yield Division(first, text(function.module, first), [first.value])


def effect_on(origin: Origin, name: str) -> bool:
    """Is the origin a call that has an effect of the vocabulary, whatever its alternatives?"""
    node = origin.node
    if not isinstance(node, ast.Call) or last_name(node.func) not in (
        "fit",
        "fit_transform",
        "transform",
        "partial_fit",
    ):
        return False
    callees = Call(node, origin.frame).callees
    return bool(callees) and all(effect_of(f, name) is not None for f in callees)


def learns_statistics(value: Value | None, depth: int = 0) -> bool:
    """Is it an estimator whose fit takes statistics from rows: a scaler, an imputer, a selector, a pipeline of such?"""
    if value is None or depth > 2:
        return False
    for v in value.alternatives:
        if v.kind != "instance" or isinstance(v.of, str):
            return False
        if stub_effect(v.of, "statistics"):
            strategy = constructor_argument(v, "strategy")
            if strategy is not None and strategy.literal == "constant":
                return False  # an imputer that writes what it was given
            continue
        composed = stub_effect(v.of, "composes")
        parts = constructor_argument(v, composed.of) if composed is not None else None
        inner = [w for w in flattened(parts) if w.kind == "instance"] if parts is not None else []
        if not any(learns_statistics(w, depth + 1) for w in inner) or any(
            stub_effect(w.of, "predictor") for w in inner
        ):
            return False
    return bool(value.alternatives)


def receiver_of(origin: Origin) -> Value | None:
    """The value of the estimator that a method is called on."""
    return Origin(origin.node.func.value, origin.frame).value if isinstance(origin.node.func, ast.Attribute) else None


def _named(origin: Origin) -> str:
    return text(origin.frame.module, origin.node.func, 50)
