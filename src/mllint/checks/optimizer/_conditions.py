"""What do the tests above two events say of each other?

A flow tells branches apart by the tests that it has met. Where a test is made of several, or an attribute may have been
written between two tests of it, that is not enough, and what is written has to be compared.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any
from mllint.semantics import ClearsGrad, Event, Flow, Site, UnscalesGrad, text
from mllint.semantics.module import place, walk

__all__ = ["cleared_under_same_test", "exclusive", "mean_of_terms", "unscaled_where_clipped"]


def exclusive(one: Event, other: Event) -> bool:
    """Do they stand where one place is equal to different constants: `if kind == "ddp"` and `if kind == "single"`?"""
    if one.frame is not other.frame:
        return False
    asked = dict(_equal(t) for t, polarity, _ in one.conditions if polarity and _equal(t)[0])
    found = [_equal(t) for t, polarity, _ in other.conditions if polarity]
    return any(at in asked and asked[at] != value for at, value in found)


def _equal(test: Any) -> tuple[str, Any]:
    """The place and the constant of `place == constant`, else an empty place."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=value)]):
            return place(left) or "", value
    return "", None


def cleared_under_same_test(flow: Flow, step: Event) -> bool:
    """Is an optimizer that may not be there cleared wherever it steps: both below `if self.optimizer is not None`?"""
    receiver = place(getattr(step.call.func, "value", None)) if step.call is not None else None
    if receiver is None or not step.conditions:
        return False
    own = [(text(f.module, t), polarity) for t, polarity, f in step.conditions]
    if not any(place(n) == receiver for n in walk(step.conditions[-1][0])):
        return False
    for clear in flow.events(ClearsGrad):
        if clear.frame is step.frame and clear.loops == step.loops and clear.concerns(step):
            if [(text(f.module, t), polarity) for t, polarity, f in clear.conditions] == own:
                return True
    return False


def unscaled_where_clipped(flow: Flow, clip: Event) -> bool:
    """Is it unscaled before, whenever it is clipped: `if scaler and (by_norm or by_value): scaler.unscale_(opt)`, and
    then `if by_norm:`?"""
    wanted = {text(f.module, t) for t, polarity, f in clip.conditions if polarity}
    for event in flow.events(UnscalesGrad):
        if event.frame is not clip.frame or event.call is None or event.concerns(clip) is False:
            continue
        shared = [t for t, _, _ in clip.conditions]
        rest = [(t, f) for t, polarity, f in event.conditions if polarity and not any(t is s for s in shared)]
        scaler = place(getattr(event.call.func, "value", None))
        before = event.call.lineno < getattr(clip.call, "lineno", 0)
        if before and rest and all(_follows(t, f.module, wanted, scaler) for t, f in rest):
            return True
    return False


def _follows(test: Any, module: Any, wanted: set[str], scaler: str | None) -> bool:
    """Is a test true wherever there is a scaler and one of the wanted tests is true?"""
    if isinstance(test, ast.BoolOp):
        each = [_follows(v, module, wanted, scaler) for v in test.values]
        return all(each) if isinstance(test.op, ast.And) else any(each)
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.IsNot):
        return place(test.left) == scaler or text(module, test) in wanted
    return place(test) == scaler or text(module, test) in wanted


def mean_of_terms(site: Site) -> bool:
    """Is it the mean of the terms that are added in it: `(fake + real) * 0.5`, `(a + b + c) / 3`?"""
    match site.node:
        case ast.BinOp(left=terms, op=ast.Mult(), right=ast.Constant(value=float() | int() as factor)):
            return factor * _terms(terms) == 1
        case ast.BinOp(left=ast.Constant(value=float() | int() as factor), op=ast.Mult(), right=terms):
            return factor * _terms(terms) == 1
        case ast.BinOp(left=terms, op=ast.Div(), right=ast.Constant(value=float() | int() as count)):
            return 1 < _terms(terms) == count
    return False


def _terms(node: Any) -> int:
    """How many terms are added."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _terms(node.left) + _terms(node.right)
    return 1
