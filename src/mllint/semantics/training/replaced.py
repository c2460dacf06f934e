"""Is a part of a model replaced after somebody else has built the optimizer for it?

The optimizer comes out of a function (`optimizer = make_optimizer(net)`) or out of a constructor (`Trainer(net)`), and
whoever called that gives the model a new layer before it is trained. Replacements beside the construction itself are
asked about in `lifetimes`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.flow import Event, Flow
from mllint.semantics.flow.kinds import Creates
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import place
from mllint.semantics.training.lifetimes import entered_from, in_other_branch, moved, parameters_of, renews
from mllint.semantics.training.records import Built
from mllint.semantics.values.values import Site

__all__ = ["replaced_by_caller"]

_SAME = frozenset("to cuda cpu double float half train eval".split())


def replaced_by_caller(flow: Flow, made: Built, steps: list[Event]) -> Iterator[tuple[str, Site]]:
    """The layers that the caller of a helper or of a constructor replaces, after an optimizer was built in there.

    Yields:
        The place that is assigned to, and the assignment.
    """
    entry = entered_by(made)
    if entry is None or flow.frame.project.calls_named("add_param_group"):
        return
    if any(len(step.subject.alternatives) > 1 for step in steps):
        return  # perhaps built again
    marker, outer = entry
    function = outer.function
    others = (e for e in flow.events(Creates) if e.subject.instance_of("torch.optim.Optimizer"))
    if any(e.call is not made.call.node for e in others):
        return
    after = marker.end_lineno or marker.lineno
    for at in sorted(called_outside(made, marker, outer)):
        for name, bindings in function.bindings.items():
            for binding in bindings if name.startswith(f"{at}.") else ():
                late = binding.kind == "assign" and binding.node.lineno > after
                if not late or not isinstance(binding.value, ast.Call):
                    continue
                if in_other_branch(function, marker, binding.node):
                    continue
                if not any(follows(step, function, binding.node.lineno) for step in steps):
                    continue
                if renews(Call(moved(binding.value), outer), at):
                    yield name, Site(outer.module, binding.node)


def entered_by(made: Built) -> tuple[Any, Any] | None:
    """The call, and its frame, of the helper or the constructor that an optimizer is built in."""
    frame = made.call.frame
    if frame.caller is not None:
        return frame.caller[1], frame.caller[0]
    built = frame.receiver.arguments if frame.receiver is not None and frame.function.name == "__init__" else None
    return (built.node, built.frame) if built is not None and isinstance(built.node, ast.Call) else None


def called_outside(made: Built, marker: Any, outer: Any) -> Iterator[str]:
    """What the model of an optimizer is called where the helper or the constructor was called."""
    owner, function = parameters_of(made.call), made.call.function
    root, _, rest = owner.partition(".")
    own = function.parameters[0].name if function.owner is not None and function.parameters else ""
    bound = [b.node for found in outer.function.bindings.values() for b in found if b.value is marker]
    targets = [place(n) for n in bound if isinstance(n, (ast.Name, ast.Attribute))]
    if root and not rest and own:  # `self.net = net`, beside an optimizer of `net.parameters()`
        kept = [n for n, found in function.bindings.items() for b in found if place(unmoved(b.value)) == root]
        yield from (f"{t}.{n.partition('.')[2]}" for t in targets for n in kept if n.startswith(f"{own}."))
    if root and root == own and rest:
        yield from (f"{t}.{rest}" for t in targets)
        bindings = function.bindings.get(owner, ())
        root, rest = (place(unmoved(bindings[0].value)) or "", "") if len(bindings) == 1 else ("", "")
    given = (made.call.frame.bound or {}).get(root)
    if function.parameter(root) is None or any(b.kind != "param" for b in function.bindings.get(root, ())):
        return
    if isinstance(given, tuple) and given[1].function is outer.function and place(given[0]):
        yield f"{place(given[0])}.{rest}" if rest else str(place(given[0]))


def unmoved(node: Any) -> Any:
    """`net` of `net.to(device)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SAME:
        node = node.func.value
    return node


def follows(step: Event, function: Any, line: int) -> bool:
    """Does a step of the optimizer run after a line of a function: there, or in what it calls from there on?"""
    if step.function is function:
        return step.site.line > line
    entered = entered_from(step, function)
    return entered is not None and entered.lineno > line
