"""Which losses and gradients that are not finite are skipped, or replaced by numbers?

    if torch.isnan(loss): continue             # SKIPPED: nothing counts these batches
    loss = torch.nan_to_num(loss)              # LOSS_REPLACED: the gradients behind it may still be NaN
    p.grad[torch.isnan(p.grad)] = 0            # GRADIENTS_OVERWRITTEN, some entries of them

What a test asks about is read in `finite`. A value matters where a backward starts from it: in the same function, or in
a caller that gets it returned. A replacement that is thrown away, that runs where no gradients are computed, or of
anything but a loss or a gradient masks nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.training import roles
from mllint.semantics.training.errors import finite, handlers
from mllint.semantics.training.evidence import Answer
from mllint.semantics.training.roles import Role
from mllint.semantics.values.lineage import statements
from mllint.semantics.values.values import ModuleValue

__all__ = ["Masked", "What", "find_masked"]

_REPLACES = frozenset("nan_to_num nan_to_num_".split())


class What(Enum):
    """What is done with values that are not finite."""

    SKIPPED = "the batch is skipped"
    OVERWRITTEN = "the loss is given another value"
    LOSS_REPLACED = "a call replaces it in the loss"
    GRADIENT_REPLACED = "a call replaces it in a gradient"
    ENTRIES_OVERWRITTEN = "entries of the loss are overwritten"
    GRADIENTS_OVERWRITTEN = "entries of a gradient are overwritten"


class Masked(NamedTuple):
    """A place at which values that are not finite disappear."""

    node: Node
    """The `if`, the call or the assignment."""
    what: What
    other: str
    """What the values are: "NaN", "infinite" or "not finite"."""
    name: str = ""
    """The loss that is asked for; empty for a gradient, and for a call."""
    evidence: tuple[Answer[bool], ...] = ()
    is_logged: bool = False
    """Whether a branch prints or logs something."""


def find_masked(function: FunctionView) -> Iterator[Masked]:
    """The places of a function at which a loss or a gradient that is not finite disappears."""
    words = {last_name(c.func) for c in function.scope.calls}
    losses = finite.backward_lines_by_name(function)
    if losses:
        yield from _skipped(losses, function)
    if words & (_REPLACES | {"where"}):
        yield from _replaced(losses, function)
    if words & finite.TESTS:
        yield from _overwritten(losses, function)


def _skipped(losses: dict[str, int], function: FunctionView) -> Iterator[Masked]:
    """The tests that let a batch out, or give its loss another value."""
    for node in statements(function.scope):
        if isinstance(node, ast.If) and (test := finite.find_skipping_test(node, losses, function)):
            branches = [*node.body, *node.orelse]
            assigned = any(isinstance(s, ast.Assign) and place(s.targets[0]) == test.name for s in branches)
            what = What.OVERWRITTEN if assigned else What.SKIPPED
            hidden = finite.is_hidden(node, test.name, function)
            yield Masked(node, what, test.other, test.name, (hidden,), handlers.logs_anything(branches))


def _overwritten(losses: dict[str, int], function: FunctionView) -> Iterator[Masked]:
    """The assignments to those entries of a gradient, or of a loss, that are not finite."""
    for node in statements(function.scope):
        if not isinstance(node, ast.Assign):
            continue
        other = finite.kind_of_masked_gradient(node.targets[0], function.scope)
        if other:
            yield Masked(node, What.GRADIENTS_OVERWRITTEN, other)
        elif test := finite.find_masking_test(node.targets[0], losses, node.lineno):
            yield Masked(node, What.ENTRIES_OVERWRITTEN, test.other, test.name)


# --------------------------------------------------------------------------------------------------- replaced by a call
def _replaced(losses: dict[str, int], function: FunctionView) -> Iterator[Masked]:
    """The calls that replace what is not finite in a loss, or in a gradient."""
    for node in function.scope.calls:
        if last_name(node.func) == "where":
            test = finite.parse_finite_test(node.args[0]) if len(node.args) == 3 else None
            what = What.LOSS_REPLACED if test is not None and test.name in losses else None
            other = test.other if test is not None else ""
        else:
            what, other = _replaced_by_library(Call(node, function.frame), losses, function), "not finite"
        if what is What.GRADIENT_REPLACED or (what is not None and _is_differentiated(node, losses, function)):
            yield Masked(node, what, other, evidence=(finite.is_masked(node, function),))


def _replaced_by_library(call: Call, losses: dict[str, int], function: FunctionView) -> What | None:
    """What `nan_to_num` replaces by numbers, if it is the loss or a gradient."""
    node = call.node
    if call.last_name not in _REPLACES or not isinstance(node.func, ast.Attribute):
        return None
    of_library = isinstance(call.receiver, ModuleValue)
    subject = node.args[0] if of_library and node.args else node.func.value
    if "grad" in (last_name(subject), last_name(getattr(subject, "value", None))):
        return What.GRADIENT_REPLACED if _stores_gradient(call, function) else None
    named = (place(subject) or "") in losses
    is_loss = named or call.value_of(subject).is_("Loss") or _is_returned_loss(node, subject, function)
    return What.LOSS_REPLACED if is_loss and call.grad_off is not True else None


def _stores_gradient(call: Call, function: FunctionView) -> bool:
    """Does the result become a gradient: in place, by `out=`, or assigned to a `.grad`?"""
    if call.last_name.endswith("_") or any(k.arg == "out" for k in call.node.keywords):
        return True
    stored = (b for name, found in function.scope.bindings.items() if ".grad" in name for b in found)
    return any(b.value is call.node for b in stored)


def _is_returned_loss(node: ast.Call, subject: Node, function: FunctionView) -> bool:
    """Is it what a function calls a loss and returns, and does a caller run backward from what it gets?"""
    if not roles.speaks_of(last_name(subject), Role.LOSS) or not any(r.value is node for r in function.scope.returns):
        return False
    for call, frame in function.project.callers(function.scope):
        losses = finite.backward_lines_by_name(FunctionView(frame.function, frame))
        bound = frame.function.bindings.items()
        if any(name in losses and b.value is call and not b.path for name, found in bound for b in found):
            return True
    return False


def _is_differentiated(node: ast.Call, losses: dict[str, int], function: FunctionView) -> bool:
    """Does a backward start from the result below, in this function or in whatever gets it returned?"""
    returned = [n for r in function.scope.returns if r.value is not None for n in walk(r.value)]
    for binding in (b for found in function.scope.bindings.values() for b in found):
        if binding.value is not None and binding.kind == "assign" and any(n is node for n in walk(binding.value)):
            if losses.get(binding.name, 0) >= node.lineno or any(place(n) == binding.name for n in returned):
                return True
    if any(n is node for n in returned):
        return True
    return any(c.lineno == node.lineno and last_name(c.func) in handlers.BACKWARD for c in function.scope.calls)
