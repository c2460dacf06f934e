"""Does a model predict in the mode in which its training left it?

`fit` and `predict` of an estimator are called from outside, one after the other, and no flow goes from one to the
other. Where a method of the class puts the model into train mode and trains it, and nobody in the project ever puts it
into eval mode, neither in a method of the class nor from outside, `predict` runs it in train mode. A class that is a
module itself, or whose base cannot be read, may be switched from outside.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks.evaluation._measuring import evaluates_by_name, on_purpose
from mllint.semantics import AccumulatesGrad, Call, Event, Flow, SetsMode
from mllint.semantics.classes import ancestors, mro, opaque_bases
from mllint.semantics.modes import mode_dependent
from mllint.semantics.module import Class, Function, last_name, place

__all__ = ["predicts_as_trained"]


def predicts_as_trained(flow: Flow) -> Iterator[tuple[Event, Call]]:
    """Where a model is put into train mode, and a prediction in another method of the class, if nobody ever puts it
    into eval mode."""
    asked: set[tuple[int, str]] = set()
    for mode in flow.events(SetsMode):
        owner, name = mode.function.owner, switched(mode)
        if mode.option != "train" or owner is None or name is None or (id(owner), name) in asked:
            continue
        asked.add((id(owner), name))
        if opaque_bases(owner) or "torch.nn.Module" in ancestors(owner) or mode_dependent(mode.subject) is False:
            continue
        if not any(b.concerns(mode) is not False for b in flow.events(AccumulatesGrad)):
            continue
        methods = [m for cls in mro(owner) if isinstance(cls, Class) for m in cls.methods.values()]
        if not switched_otherwise(name, methods, flow):
            for method in methods:
                yield from ((mode, call) for call in predictions(name, method, flow))


def switched(mode: Event) -> str | None:
    """The attribute whose mode is set: `self.model` of `self.model.train()`."""
    func = mode.call.func if isinstance(mode.call, ast.Call) and not mode.call.args + mode.call.keywords else None
    name = place(func.value) if isinstance(func, ast.Attribute) else None
    return name if name is not None and name.startswith("self.") else None


def predictions(name: str, method: Function, flow: Flow) -> Iterator[Call]:
    """A call of the model without gradients in a method that is named for evaluation, and does not build the model."""
    if not evaluates_by_name(method) or on_purpose(method) or name in method.bindings:
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


def switched_otherwise(name: str, methods: list[Function], flow: Flow) -> bool:
    """Does anything in a class, or outside on an attribute of that name, set eval mode, or get hold of the model?"""
    for method in methods:
        if "eval" in method.called_names or any(handed_on(name, method)):
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


def handed_on(name: str, method: Function) -> Iterator[ast.Call]:
    """The calls that get the model itself, and may set its mode."""
    for call in method.calls:
        given = (*call.args, *(k.value for k in call.keywords))
        if any(place(n) == name for n in given) and last_name(call.func) not in _HARMLESS:
            yield call


_HARMLESS = frozenset("len print isinstance deepcopy summary save clip_grad_norm_ hasattr type".split())
