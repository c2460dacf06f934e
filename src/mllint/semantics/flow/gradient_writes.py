"""Which events change gradients by hand, without a method of an optimizer?

    p.grad = None; del p.grad; p.grad.zero_()      # clear
    p.grad = kept; p.grad.div_(k)                  # set
    p.data -= rate * p.grad; p.data.add_(p.grad)   # apply: a step by hand
    p.requires_grad = False                        # freeze

Assignments and deletions (`assignment_events`), and calls of methods that write into the memory of a gradient
(`zeroing`). What a method of a library does by its stub is asked in `events`.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.flow import Event, EventKind
from mllint.semantics.libraries.tensor_methods import DETACHES, RESHAPES
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import Site, UnknownValue

__all__ = ["DESCENT_WORDS", "GRADIENT_WORDS", "assignment_events", "zeroing"]

DESCENT_WORDS = ("add_", "sub_")
"""The methods by which a step is made by hand."""
GRADIENT_WORDS = frozenset(("_foreach_zero_", "setattr"))
"""The functions that may clear gradients without naming them."""
_SAME_MEMORY = DETACHES | RESHAPES


def assignment_events(node: Node, frame: Frame) -> list[Event]:
    """`p.grad = None` and `del p.grad` clear; `w -= lr * w.grad` applies; `p.requires_grad = False` freezes."""
    if isinstance(node, ast.Delete):
        return _deletion_events(node, frame)
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    found = []
    if isinstance(node, ast.AugAssign) and isinstance(node.op, (ast.Add, ast.Sub)):
        found += _descent(node, node.target, [node.value], None, frame)
    for target, value in _one_by_one(targets, node.value):
        if (
            isinstance(target, ast.Subscript)
            and isinstance(target.value, ast.Attribute)
            and target.value.attr == "grad"
        ):
            kind: EventKind = "clears_grad" if _is_nothing(value, target.slice) else "sets_grad"
            found.append(Event(kind, Site(frame.module, node), frame, evaluate(target.value.value, frame), call=None))
        if not isinstance(target, ast.Attribute):
            continue
        if target.attr in ("grad", "_grad"):
            cleared = isinstance(value, ast.Constant) and not isinstance(node, ast.AugAssign)
            kind = "clears_grad" if cleared else "sets_grad"
            found.append(Event(kind, Site(frame.module, node), frame, evaluate(target.value, frame), call=None))
        elif target.attr == "requires_grad" and (requires_grad := evaluate(value, frame).truth) is not None:
            subject = evaluate(target.value, frame)
            found.append(Event("freezes", Site(frame.module, node), frame, subject, option=not requires_grad))
    return found


def _is_nothing(value: Node, index: Node) -> bool:
    """Is zero stored into all of a tensor: `p.grad[:] = 0`, `p.grad[...] = 0`?"""
    whole = (isinstance(index, ast.Slice) and index.lower is index.upper is None) or getattr(index, "value", 0) is ...
    return whole and isinstance(value, ast.Constant) and value.value == 0


def _deletion_events(node: ast.Delete, frame: Frame) -> list[Event]:
    """`del p.grad` clears."""
    owners = [t.value for t in node.targets if isinstance(t, ast.Attribute) and t.attr in ("grad", "_grad")]
    return [Event("clears_grad", Site(frame.module, node), frame, evaluate(owner, frame)) for owner in owners]


def _one_by_one(targets: list[Node], value: Node) -> list[tuple[Node, Node]]:
    """Each target with its value: `a.grad, b.grad = None, None`; with the whole where that is not written out."""
    found: list[tuple[Node, Node]] = []
    for target in targets:
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        same = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(value.elts) == len(parts)
        found += zip(parts, value.elts if same else [value] * len(parts), strict=True)
    return found


def _descent(node: Node, target: Node, by: list[Node], call: Node, frame: Frame) -> list[Event]:
    """A step by hand: a parameter of a module is moved by something computed from its own gradient."""
    base = target.value if isinstance(target, ast.Attribute) and target.attr == "data" else target
    name = place(base)
    if name is None or not any(_is_gradient(n, name) for value in by for n in walk(value)):
        return []
    moved = evaluate(base, frame)
    return [Event("applies_grad", Site(frame.module, node), frame, moved, call=call)] if moved.has("Parameters") else []


def _is_gradient(node: Node, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "grad" and place(node.value) == name


def _by_word(node: ast.Call, frame: Frame) -> Event | None:
    """`torch._foreach_zero_(grads)` clears what is unknown, `setattr(p, "grad", None)` the gradient of `p`."""
    if last_name(node.func) == "_foreach_zero_":
        return Event("clears_grad", Site(frame.module, node), frame, UnknownValue(opaque=True), call=node)
    if len(node.args) != 3 or getattr(node.args[1], "value", "") not in ("grad", "_grad"):
        return None
    kind: EventKind = "clears_grad" if getattr(node.args[2], "value", "") is None else "sets_grad"
    return Event(kind, Site(frame.module, node), frame, evaluate(node.args[0], frame), call=None)


def _gradient_below(node: Node) -> ast.Attribute | None:
    """The gradient of which an expression is the memory: `p.grad` of `p.grad.data`, `p.grad.detach_()`."""
    while not isinstance(node, ast.Attribute) or node.attr != "grad":
        method = node.func if isinstance(node, ast.Call) else node
        if not isinstance(method, ast.Attribute):
            return None
        if method is not node and not (method.attr.endswith("_") or method.attr in _SAME_MEMORY):
            return None
        node = method.value
    return node


def zeroing(node: ast.Call, frame: Frame) -> Event | None:
    """`p.grad.zero_()`, `p.grad.data.zero_()`: clears by hand; `p.grad.div_(k)` sets; `p.data.add_(p.grad)` applies."""
    func = node.func
    if last_name(func) in GRADIENT_WORDS:
        return _by_word(node, frame)
    if isinstance(func, ast.Attribute) and func.attr in DESCENT_WORDS and node.args:
        stepped = _descent(node, func.value, [*node.args, *(k.value for k in node.keywords)], node, frame)
        if stepped:
            return stepped[0]
    if isinstance(func, ast.Attribute) and func.attr in ("zero_", "fill_", "div_", "mul_", "copy_", "add_", "clamp_"):
        inner = _gradient_below(func.value)
        if inner is not None:
            nothing = func.attr == "zero_" or (
                func.attr == "fill_" and [getattr(a, "value", None) for a in node.args] == [0]
            )
            kind: EventKind = "clears_grad" if nothing else "sets_grad"
            return Event(kind, Site(frame.module, node), frame, evaluate(inner.value, frame), call=node)
    return None
