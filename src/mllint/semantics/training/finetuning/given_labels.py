"""Do the labels of a row reach the model, and is the loss that it makes of them read?

    targets = batch.pop("labels")                                # `keeps_labels`: the model is given none
    model(**batch)
    model(**{k: v for k, v in batch.items() if k != "labels"})   # nor is it here
    scores = model(**batch).logits                               # `may_read_loss`: nobody reads its loss

Rows are followed through names, parameters, copies and functions of the user's, the output of a model likewise. What a
comprehension leaves out, and what is taken out under a key that is not written, may be the labels; who reads an output
in a way that is not known may read the loss.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, all_arguments, place
from mllint.semantics.syntax.records import Passed
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import bindings_of, results_of, statements

__all__ = ["keeps_labels", "may_read_loss"]

_LABELS = "labels"
_DEPTH = 4
_WHOLE = frozenset("loss get items values to_tuple pop".split())
"""The attributes of an output that are its loss, or by which the loss may be read."""


# ---------------------------------------------------------------------------------------------------------------- rows
def keeps_labels(call: Call) -> bool:
    """Whether the rows that a call spreads, `model(**batch)`, still have the labels that they came with.

    Args:
        call: the call of a model.
    """
    spread = [k.value for k in call.node.keywords if k.arg is None]
    return all(_keeps(node, call.frame, call.node, _DEPTH) for node in spread)


def _keeps(rows: Node, frame: Frame, before: Node, depth: int) -> bool:
    """Do rows have their labels at a place of the function, as far as is seen?"""
    match rows:
        case ast.Dict(keys=keys, values=values) if _LABELS not in [getattr(k, "value", None) for k in keys]:
            spread = [v for k, v in zip(keys, values, strict=True) if k is None]
            return any(_keeps(inner, frame, before, depth) for inner in spread)
        case ast.DictComp(generators=[ast.comprehension(iter=source, ifs=tests)]):
            return not tests and _keeps_each(source, frame, before, depth)
        case (
            ast.Call(func=ast.Name(id="dict"), args=[inner])
            | ast.Call(func=ast.Attribute(value=inner, attr="copy" | "to" | "cuda" | "cpu"))
        ):
            return _keeps(inner, frame, before, depth)
        case ast.Call() if depth:
            return all(_keeps(node, inner, None, depth - 1) for node, inner in results_of(rows, frame))
        case ast.Name():
            taken = _takes_labels(rows.id, frame, before, depth)
            return not taken and all(_keeps(*given, depth - 1) for given in _given(rows, frame, before) if depth)
    return True


def _keeps_each(source: Node, frame: Frame, before: Node, depth: int) -> bool:
    """Do the entries that a comprehension goes through hold the labels: all of a row, or those under some keys?"""
    match source:
        case ast.Call(func=ast.Attribute(value=inner, attr="items")):
            return _keeps(inner, frame, before, depth)
        case ast.Name():
            return _keeps(source, frame, before, depth)
    keys = evaluate(source, frame)
    return any(getattr(part, "literal", None) == _LABELS for part in getattr(keys, "parts", None) or ())


def _given(name: ast.Name, frame: Frame, before: Node) -> Iterator[tuple[Node, Frame, Node]]:
    """What a name is bound to, or what callers hand in for it, each with its context and the node before which."""
    for binding in bound_at(name, frame.function):
        if binding.kind == "assign" and not binding.path and binding.value is not None:
            yield binding.value, frame, before
        elif binding.kind == "param":
            for call, outer in _callers(frame):
                passed = bind(frame.function, call, outer)[0].get(binding.name)
                if isinstance(passed, Passed):
                    yield passed.node, passed.frame, call


def _callers(frame: Frame) -> list[tuple[ast.Call, Frame]]:
    """The calls that a frame may be of: the one that it was entered by, or all of its function."""
    if frame.caller is not None and isinstance(frame.caller[1], ast.Call):
        return [(frame.caller[1], frame.caller[0])]
    return frame.project.callers(frame.function)


def _takes_labels(name: str, frame: Frame, before: Node, depth: int) -> bool:
    """Are the labels taken out of the rows of a name, before a node of the function (None: anywhere in it)?"""
    end = (before.lineno, before.col_offset) if before is not None else None
    for statement in statements(frame.function):
        for target in statement.targets if isinstance(statement, ast.Delete) else ():
            if _is_labels_of(target, name) and (end is None or statement.lineno <= end[0]):
                return True
    calls = [c for c in frame.function.calls if end is None or (c.lineno, c.col_offset) <= end]
    return any(_pops(c, name) or (depth and _hands_to_taker(c, name, frame, depth)) for c in calls if c is not before)


def _is_labels_of(node: Node, name: str) -> bool:
    """Is it the entry `rows["labels"]`, or one under a key that is not written out?"""
    match node:
        case ast.Subscript(value=owner, slice=key):
            return place(owner) == name and _may_be_labels(key)
    return False


def _may_be_labels(index: Node) -> bool:
    return not isinstance(index, ast.Constant) or index.value == _LABELS


def _pops(call: ast.Call, name: str) -> bool:
    match call:
        case ast.Call(func=ast.Attribute(value=owner, attr="pop"), args=[key, *_]):
            return place(owner) == name and _may_be_labels(key)
    return False


def _hands_to_taker(call: ast.Call, name: str, frame: Frame, depth: int) -> bool:
    """Does a function of the user's that is given the rows take the labels out of them?"""
    if not any(place(a) == name for a in all_arguments(call)):
        return False
    for callee in Call(call, frame).callees:
        bound = bind(callee, call, frame)[0] if not callee.stubbed else {}
        for parameter, passed in bound.items():
            given = isinstance(passed, Passed) and place(passed.node) == name
            if given and _takes_labels(parameter, frame.project.frame(callee), None, depth - 1):
                return True
    return False


# -------------------------------------------------------------------------------------------------------------- output
def may_read_loss(call: Call) -> bool:
    """Whether somebody may read the loss that a model computes: False if all that is read of its output is known, as
    `model(**batch).logits`.

    Args:
        call: the call of a model.
    """
    return _may_read(call.node, call.frame, _DEPTH)


def _may_read(output: Node, frame: Frame, depth: int) -> bool:
    """May the loss be read of the output that an expression is?"""
    function = frame.function
    part = next((n for n in function.nodes_of(ast.Attribute) if n.value is output), None)
    if part is not None:
        return part.attr in _WHOLE
    item = next((n for n in function.nodes_of(ast.Subscript) if n.value is output), None)
    if item is not None:
        return not isinstance(item.slice, ast.Constant) or item.slice.value in (0, "loss")
    if depth and any(r.value is output for r in function.returns):
        return _may_read_returned(function, frame, depth)
    bound = bindings_of(output, function)
    if not bound:
        return not depth or _may_read_handed(output, frame, depth)
    return any(_may_read_bound(b.name, b.path, frame, depth) for b in bound)


def _may_read_bound(name: str, path: tuple[int | None, ...], frame: Frame, depth: int) -> bool:
    if path:
        return path[0] in (0, None)  # the loss comes first
    if "." in name or not depth:
        return True
    loads = [n for n in frame.function.nodes_of(ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
    return not loads or any(_may_read(n, frame, depth - 1) for n in loads)


def _may_read_returned(function: FunctionScope, frame: Frame, depth: int) -> bool:
    callers = frame.project.callers(function)
    unknown = frame.project.passed_around(function) or frame.project.has_more_callers(function)
    return not callers or unknown or any(_may_read(call, outer, depth - 1) for call, outer in callers)


def _may_read_handed(output: Node, frame: Frame, depth: int) -> bool:
    """May a function of the user's read the loss that is handed the output?"""
    handed = [c for c in frame.function.calls if any(a is output for a in all_arguments(c))]
    if len(handed) != 1:
        return True
    callees = Call(handed[0], frame).callees
    if not callees or any(callee.stubbed for callee in callees):
        return True
    for callee in callees:
        bound = bind(callee, handed[0], frame)[0]
        names = [p for p, passed in bound.items() if isinstance(passed, Passed) and passed.node is output]
        inner = frame.project.frame(callee)
        if not names or any(_may_read_bound(name, (), inner, depth) for name in names):
            return True
    return False
