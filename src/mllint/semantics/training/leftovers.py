"""Which mode does a function, or a method of a class, leave behind for what runs the model next?

    was = model.training                 # restored only: the mode is kept and put back, and nothing
    with torch.no_grad():                # in between has changed it
        out = model(x)
    model.train(was)

`fit` and `predict` of an estimator are called from outside, one after the other, and no flow goes from one to the
other. Where a method of the class puts the model into train mode and trains it, and nothing in the project ever puts
it into eval mode, neither a method of the class nor a call from outside, `predict` runs it in train mode.

What makes it unknown: a call that is given the model in between may set its mode; a class that is a module itself, or
whose base cannot be read, may be switched from outside.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mllint.semantics.flow.kinds import AccumulatesGrad, Forward, SetsMode
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import Class, Function, last_name, place
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.mode_dependence import mode_dependent
from mllint.semantics.training.roles import Activity, activity_evidence, wants_randomness
from mllint.semantics.values.bases import ancestors, mro
from mllint.semantics.values.classes import opaque_bases

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow

__all__ = ["predicts_as_trained", "restored_only"]


def restored_only(flow: Flow) -> Iterator[tuple[Event, Site]]:
    """The forwards of models whose mode is put back only, each with where that is done."""
    for forward in flow.events(Forward):
        function = forward.function
        name = place(forward.call.func) if isinstance(forward.call, ast.Call) else None
        if forward.grad_off is not True or not (name or "").isidentifier() or "eval" in function.called_names:
            continue
        own = [c for c in function.calls if place(c.func) == f"{name}.train"]
        if len(own) != 1 or own[0].lineno < forward.site.line or not _kept(own[0], name or "", function):
            continue
        if name and not any(_gets(c, name) for c in function.calls if c is not forward.call):
            yield forward, Site(forward.frame.module, own[0])


def _kept(restore: ast.Call, name: str, function: Function) -> bool:
    """Is it given a variable that is only ever bound to the mode of the same model?"""
    given = restore.args[0] if len(restore.args) == 1 else None
    found = function.bindings.get(given.id, ()) if isinstance(given, ast.Name) else ()
    return bool(found) and all(b.kind == "assign" and place(b.value) == f"{name}.training" for b in found)


def _gets(call: ast.Call, name: str) -> bool:
    """May a call set the mode: is it given the model, or is it one of its parts that is asked for?"""
    given: list[Any] = [*call.args, *(k.value for k in call.keywords)]
    parts = ("modules", "children", "named_modules", "named_children", "apply")
    return any(place(a) == name for a in given) or (last_name(call.func) in parts)


def predicts_as_trained(flow: Flow) -> Iterator[tuple[Event, Call]]:
    """Where a model is put into train mode, and a prediction in another method of the class, if nobody ever puts it
    into eval mode."""
    asked: set[tuple[int, str]] = set()
    for mode in flow.events(SetsMode):
        owner, name = mode.function.owner, _switched(mode)
        if mode.option != "train" or owner is None or name is None or (id(owner), name) in asked:
            continue
        asked.add((id(owner), name))
        if opaque_bases(owner) or "torch.nn.Module" in ancestors(owner) or mode_dependent(mode.subject) is False:
            continue
        if not any(b.concerns(mode) is not False for b in flow.events(AccumulatesGrad)):
            continue
        methods = [m for cls in mro(owner) if isinstance(cls, Class) for m in cls.methods.values()]
        if not _is_switched_otherwise(name, methods, flow):
            for method in methods:
                yield from ((mode, call) for call in _predictions(name, method, flow))


def _switched(mode: Event) -> str | None:
    """The attribute whose mode is set: `self.model` of `self.model.train()`."""
    func = mode.call.func if isinstance(mode.call, ast.Call) and not mode.call.args + mode.call.keywords else None
    name = place(func.value) if isinstance(func, ast.Attribute) else None
    return name if name is not None and name.startswith("self.") else None


def _predictions(name: str, method: Function, flow: Flow) -> Iterator[Call]:
    """A call of the model without gradients in a method that is named for evaluation, and does not build the model."""
    if activity_evidence(method.name, Activity.MEASURES) is None or wants_randomness(method.qualname):
        return
    if name in method.bindings:
        return
    if not method.called_names.isdisjoint(("backward", "train")):
        return
    frame = flow.frame.project.frame(method)
    for node in method.calls:
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == "forward":
            func = func.value
        if place(func) == name and (call := Call(node, frame)).grad_off is True:
            yield call
            return


def _is_switched_otherwise(name: str, methods: list[Function], flow: Flow) -> bool:
    """Does anything in a class, or outside on an attribute of that name, set eval mode, or get hold of the model?"""
    for method in methods:
        if "eval" in method.called_names or any(_handed_on(name, method)):
            return True
        if any(place(c.func) == f"{name}.train" and (c.args or c.keywords) for c in method.calls):
            return True
    last = name.rpartition(".")[2]
    for node, scope in flow.frame.project.calls_named("eval"):
        receiver: Any = node.func.value if isinstance(node.func, ast.Attribute) else None
        inside = isinstance(scope, Function) and scope.owner is not None and (place(receiver) or "").startswith("self.")
        if last_name(receiver) == last and not inside:
            return True
    return False


def _handed_on(name: str, method: Function) -> Iterator[ast.Call]:
    """The calls that get the model itself, and may set its mode."""
    for call in method.calls:
        given = (*call.args, *(k.value for k in call.keywords))
        if any(place(n) == name for n in given) and last_name(call.func) not in _HARMLESS:
            yield call


_HARMLESS = frozenset("len print isinstance deepcopy summary save clip_grad_norm_ hasattr type".split())
