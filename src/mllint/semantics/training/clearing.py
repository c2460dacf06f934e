"""Are gradients cleared in each round of a loop, and applied by nobody in between, whoever has the optimizer?

An optimizer that is handed in may be stepped by the caller; but the caller sees only what the last round has left. The
form of one loop tells it: it clears and fills the gradients in each round, and between the backward and the next clear
stands nothing that has the optimizer or the model in hand, or is called a step.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClearsGrad
from mllint.semantics.syntax.module import last_name, place, walk
from mllint.semantics.training import gradients, roles
from mllint.semantics.training.role_names import Activity, Role

__all__ = ["applied_nowhere"]


def applied_nowhere(flow: Flow) -> Iterator[tuple[Event, Event, str]]:
    """(backward, clear, name of the optimizer) of such loops."""
    for clear in flow.events(ClearsGrad):
        func = clear.call.func if isinstance(clear.call, ast.Call) else None
        name = place(func.value) if isinstance(func, ast.Attribute) and func.attr == "zero_grad" else None
        run = clear.loops[-1] if clear.loops else None
        if name is None or run is None or not roles.has_role_name(name, Role.OPTIMIZER):
            continue
        if run.frame is not clear.frame or clear.conditions_in(run) or not own(name, clear):
            continue
        if any(step.function is clear.function for step in flow.events(AppliesGrad)):
            continue  # outside of the loop: another rule says so
        backward = filled(flow, clear, run)
        if (
            backward is not None
            and not gradients.is_read_elsewhere(clear.function)
            and not reached(name, clear, backward, run)
        ):
            yield backward, clear, name


def own(name: str, clear: Event) -> bool:
    """Is the optimizer a variable of the function, or an attribute of its object, and no global?"""
    function = clear.function
    if function.is_generator or function.is_body or roles.activity_by_name(function.name) is Activity.MEASURES:
        return False
    return name.startswith("self.") or (name.isidentifier() and name in function.bindings)


def filled(flow: Flow, clear: Event, run: LoopRun) -> Event | None:
    """The one backward of the same loop, in each round."""
    inside = [b for b in flow.events(AccumulatesGrad) if run in b.loops]
    plain = [b for b in inside if b.frame is clear.frame and b.loops == clear.loops and not b.conditions_in(run)]
    return plain[0] if len(inside) == len(plain) == 1 else None


def reached(name: str, clear: Event, backward: Event, run: LoopRun) -> bool:
    """May something in the loop take a step: by its name, or because it gets the optimizer or the model?"""
    nodes = [n for s in run.node.body for n in walk(s)]
    if any(isinstance(n, (ast.Lambda, ast.FunctionDef, ast.Yield, ast.Await, ast.Return)) for n in nodes):
        return True
    ends = run.node.body[-1]
    if isinstance(ends, ast.Break) or any(isinstance(n, ast.Attribute) and n.attr == "step" for n in nodes):
        return True
    first, second = clear.site.line, backward.site.line
    for call in (n for n in nodes if isinstance(n, ast.Call) and n not in (clear.call, backward.call)):
        if roles.is_updating_name(last_name(call.func)) or any(gets(a, name) for a in given(call)):
            return True
        between = first < call.lineno < second if first < second else not second < call.lineno < first
        if not between and (of_self(call, name) or (not clips(call) and any(is_model(a) for a in given(call)))):
            return True
    return False


def given(call: ast.Call) -> list[Any]:
    """The arguments of a call."""
    return [*call.args, *(k.value for k in call.keywords)]


def gets(argument: Any, name: str) -> bool:
    """Is it the optimizer, or the object that has it?"""
    return place(argument) in (name, "self") or (
        isinstance(argument, (ast.List, ast.Tuple)) and any(place(n) == name for n in argument.elts)
    )


def of_self(call: ast.Call, name: str) -> bool:
    """Is it a method of the object that has the optimizer?"""
    func = call.func
    base = func.value if isinstance(func, ast.Attribute) else None
    above = isinstance(base, ast.Call) and last_name(base.func) == "super"
    return name.startswith("self.") and (above or (isinstance(base, ast.Name) and base.id == "self"))


def clips(call: ast.Call) -> bool:
    """Does it only limit, or look at, gradients?"""
    return last_name(call.func).startswith(("clip_grad", "unscale"))


def is_model(argument: Any) -> bool:
    """Is it a model, or its parameters, by its name?"""
    names = (last_name(n) for n in walk(argument) if isinstance(n, (ast.Name, ast.Attribute)))
    return any(roles.has_role_name(name, Role.MODEL) or name == "parameters" for name in names)
