"""A loss or gradient that is not finite is skipped or replaced, and nothing counts how often."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Options, check
from mllint.semantics.api import (
    Call,
    Function,
    ModuleValue,
    Node,
    Role,
    Site,
    call_text,
    finite,
    handlers,
    last_name,
    place,
    roles,
    statements,
    walk,
)

__all__: list[str] = []

_VALUE_ALONE = (
    "only the value of the loss is repaired: the gradients behind it can still be NaN (0 * NaN) and spoil the weights"
)
_BROKEN = "a NaN or inf means that something is already broken: overwriting it hides where, and how often"
_SKIPPED = (
    "a NaN or inf means something is already broken: the run goes on without these batches, and nothing shows how many"
)
_WHERE = "find where it first appears (`torch.isfinite` on the batch and on each layer's output), and raise there"
_RAISE = "find what produces it (`torch.autograd.set_detect_anomaly` shows NaN), and raise instead of replacing it"
_REPLACES = frozenset("nan_to_num nan_to_num_".split())
_HIDES = {"NaN": "hides the NaN", "infinite": "hides the inf", "not finite": "hides the NaN or inf"}


@check("masked-nan", calls="backward manual_backward isnan isinf isfinite nan_to_num nan_to_num_")
def masked_nan(function: Function, options: Options) -> Iterator[Finding]:
    """A loss or gradient that is not finite is skipped or replaced, and nothing counts how often."""
    scope = function.scope
    words = {last_name(c.func) for c in scope.calls}
    losses = finite.backward_lines_by_name(function)
    if words & finite.TESTS or losses:
        if losses:
            for node in statements(scope):
                if isinstance(node, ast.If) and (test := finite.find_skipping_test(node, losses, function)):
                    if options["allow-logging"] and handlers.logs_anything([*node.body, *node.orelse]):
                        continue
                    message, help, why = _dropped(node, test)
                    hidden = (finite.is_hidden(node, test.name, function),)
                    site = Site(function.module, node)
                    yield Finding(site, message, _HIDES[test.other], help=help, why=why, evidence=hidden)
    if words & (_REPLACES | {"where"}):
        for call in scope.calls:
            what = _replaced(function, Call(call, function.frame), losses)
            if what:
                other = (
                    finite.parse_finite_test(call.args[0]).other if last_name(call.func) == "where" else "not finite"
                )
                yield Finding(
                    Site(function.module, call),
                    f"`{call_text(function.module, call, 40)}` replaces a {what} that is {other}, and the run goes on",
                    _HIDES[other],
                    help=_WHERE if what == "loss" else _RAISE,
                    why=_VALUE_ALONE if what == "loss" else _BROKEN,
                    evidence=(finite.is_masked(call, function),),
                )
    if not words & finite.TESTS:
        return
    for node in statements(scope):
        if isinstance(node, ast.Assign):
            yield from _overwritten(node, losses, function)


def _overwritten(node: ast.Assign, losses: dict[str, int], function: Function) -> Iterator[Finding]:
    """The finding for an assignment to those entries of a gradient, or of a loss, that are not finite."""
    other, help = finite.kind_of_masked_gradient(node.targets[0], function.scope), _RAISE
    message = f"gradients that are {other} are overwritten, and the run goes on"
    if not other and (test := finite.find_masking_test(node.targets[0], losses, node.lineno)):
        other, help = test.other, _WHERE
        message = f"entries of `{test.name}` that are {other} are overwritten, and the run goes on"
    if other:
        yield Finding(Site(function.module, node), message, _HIDES[other], help=help, why=_BROKEN)


def _dropped(node: ast.If, test: finite.Test) -> tuple[str, str, str]:
    """The message, the help and the why for an `if` that skips a batch, or overwrites its loss."""
    if any(place(s.targets[0]) == test.name for s in _assignments(node)):
        return f"`{test.name}` is overwritten where it is {test.other}, and nothing counts how often", _WHERE, _BROKEN
    return f"batches whose `{test.name}` is {test.other} are skipped, and nothing counts them", "", _SKIPPED


def _assignments(node: ast.If) -> Iterator[ast.Assign]:
    """The assignments in the branches of an `if`."""
    return (s for s in (*node.body, *node.orelse) if isinstance(s, ast.Assign))


def _replaced(function: Function, call: Call, losses: dict[str, int]) -> str:
    """What a call replaces by numbers: "loss" or "gradient"; empty if neither."""
    node = call.node
    if call.last_name == "where":
        if len(node.args) != 3 or finite.parse_finite_test(node.args[0]).name not in losses:
            return ""
        return "loss" if _later(function, node, losses) else ""
    if call.last_name not in _REPLACES or not isinstance(node.func, ast.Attribute):
        return ""
    library = isinstance(call.receiver, ModuleValue)
    subject = node.args[0] if library and node.args else node.func.value
    if last_name(subject) == "grad" or last_name(getattr(subject, "value", None)) == "grad":
        stored = (
            call.last_name.endswith("_")
            or any(k.arg == "out" for k in node.keywords)
            or _assigned_to_grad(function, node)
        )
        return "gradient" if stored else ""
    value = call.value_of(subject)
    loss = (place(subject) or "") in losses or value.is_("Loss") or _wanted(function, node, subject)
    return "loss" if loss and call.grad_off is not True and _later(function, node, losses) else ""


def _wanted(function: Function, node: ast.Call, subject: Node) -> bool:
    """Is it what a function calls a loss and returns, and does a caller run backward from what it gets?"""
    if not roles.speaks_of(last_name(subject), Role.LOSS) or not any(r.value is node for r in function.scope.returns):
        return False
    for call, frame in function.project.callers(function.scope):
        losses = finite.backward_lines_by_name(Function(frame.function, frame))
        bound = frame.function.bindings.items()
        if any(name in losses and b.value is call and not b.path for name, found in bound for b in found):
            return True
    return False


def _later(function: Function, node: ast.Call, losses: dict[str, int]) -> bool:
    """Is the result differentiated below, in this function or by whoever gets it returned?"""
    for found in function.scope.bindings.values():
        for binding in found:
            if binding.value is not None and binding.kind == "assign" and any(n is node for n in walk(binding.value)):
                if losses.get(binding.name, 0) >= node.lineno or _returned(function, binding.name):
                    return True
    inside = any(n is node for r in function.scope.returns if r.value is not None for n in walk(r.value))
    return inside or any(
        c.lineno == node.lineno and last_name(c.func) in handlers.BACKWARD for c in function.scope.calls
    )


def _returned(function: Function, name: str) -> bool:
    """Does the function return the name?"""
    return any(place(n) == name for r in function.scope.returns if r.value is not None for n in walk(r.value))


def _assigned_to_grad(function: Function, node: ast.Call) -> bool:
    """Is the result assigned to a `.grad`?"""
    found = (b for name, bs in function.scope.bindings.items() if ".grad" in name for b in bs)
    return any(b.value is node for b in found)
