"""Does the class of a training loop build an optimizer that nobody in the project ever reads?

`self.optimizer = Adam(...)` in the constructor, a `backward()` in the loop of a method, and no `step` anywhere: the
flow of the loop sees no construction. That the attribute is read nowhere in the project, other than to clear it, for
its state or its rate, or by a schedule, makes it sure; a base class that cannot be read may well read it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.flow import Event, Flow
from mllint.semantics.flow.kinds import AccumulatesGrad, OwnsLoop
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import Class as ClassScope
from mllint.semantics.syntax.module import Function as FunctionScope
from mllint.semantics.syntax.module import last_name, place, walk
from mllint.semantics.training import gradients, stepping
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import opaque_bases
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.values import Site

__all__ = ["idle"]

_OPTIMIZER = "torch.optim.Optimizer"
_SCHEDULER = "torch.optim.lr_scheduler.LRScheduler"
_ASIDE = frozenset("param_groups state_dict load_state_dict zero_grad add_param_group".split())
_DYNAMIC = frozenset("getattr vars setattr".split())


def idle(flow: Flow) -> Iterator[tuple[Event, Site, str]]:
    """(backward, construction, name) for the optimizers of classes that train, and that nobody reads."""
    asked: set[int] = set()
    if any(True for _ in flow.events(OwnsLoop)):
        return
    for backward in flow.events(AccumulatesGrad):
        owner = backward.function.owner
        if owner is None or not backward.loops or id(owner) in asked or not plain(owner):
            continue
        if gradients.is_read_elsewhere(backward.function) or stepped_by_a_function(flow.frame.project):
            continue
        asked.add(id(owner))
        for name, site in optimizers(owner, flow.frame.project):
            if not read(name, owner, flow.frame.project):
                yield backward, site, name


def stepped_by_a_function(project: Any) -> bool:
    """Does some function take a step with what it is given, which may be any optimizer?"""
    for node, scope in project.calls_named("step"):
        if isinstance(scope, FunctionScope) and not (place(node.func) or "").startswith("self."):
            call = Call(node, project.frame(scope))
            known = call.receiver is not None and not call.receiver.is_unknown
            if not known and stepping.steps_something(call):
                return True
    return False


def plain(owner: ClassScope) -> bool:
    """Is all seen that a class is made from, beside modules of PyTorch: no framework takes the steps?"""
    known = (cls.fullname for cls in mro(owner) if isinstance(cls, ClassScope) and cls.module.is_stub)
    return not opaque_bases(owner) and all(name.startswith("torch.nn.") for name in known)


def optimizers(owner: ClassScope, project: Any) -> Iterator[tuple[str, Site]]:
    """The attributes that a class, or one that it is made from, builds an optimizer for, each with where it does."""
    for cls in (c for c in mro(owner) if isinstance(c, ClassScope) and not c.module.is_stub):
        for method in cls.methods.values():
            for name, bindings in method.bindings.items():
                if not name.startswith("self.") or name.count(".") > 1 or len(bindings) != 1:
                    continue
                built = bindings[0].value if bindings[0].kind == "assign" else None
                call = built.values[-1] if isinstance(built, ast.BoolOp) else built
                if isinstance(call, ast.Call) and evaluate(call, project.frame(method)).instance_of(_OPTIMIZER):
                    yield name[5:], Site(cls.module, call)


def read(name: str, owner: ClassScope, project: Any) -> bool:
    """May anything in the project read an attribute of objects of a class, and use it to take a step?"""
    for module in project.modules:
        if module.source is None or not (f".{name}" in module.source.text or "getattr" in module.calls_by_name):
            continue
        aside = {id(n.value) for n in walk(module.body.node) if isinstance(n, ast.Attribute) and n.attr in _ASIDE}
        for function in module.functions:
            if not _DYNAMIC.isdisjoint(function.called_names) and any(
                by_name(c, name, mine=related(function.owner, owner)) for c in function.calls
            ):
                return True
            for call in function.calls:
                given = [n for n in (*call.args, *(k.value for k in call.keywords)) if last_name(n) == name]
                if given and Call(call, project.frame(function)).callee.is_class(_SCHEDULER):
                    aside.update(map(id, given))
        for node in walk(module.body.node):
            loaded = isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
            if loaded and id(node) not in aside and not of_another(node, owner, module):
                return True
    return False


def related(one: ClassScope | None, other: ClassScope) -> bool:
    """Is one of two classes made from the other?"""
    return one is not None and (one in mro(other) or other in mro(one))


def by_name(call: ast.Call, name: str, *, mine: bool) -> bool:
    """Is it `getattr(x, "name")`, or, in a class of `mine`, an attribute of `self` that may be of that name?"""
    given = call.args if last_name(call.func) in _DYNAMIC else []
    match given[1] if len(given) > 1 else None:
        case ast.Constant(value=said):
            return bool(said == name)
        case ast.JoinedStr(values=[ast.Constant(value=str(head)), *_]) if not name.startswith(head):
            return False
    return mine and bool(given) and place(given[0]) == "self"


def of_another(node: ast.Attribute, owner: ClassScope, module: Any) -> bool:
    """Is it `self.optimizer` in a class that has nothing to do with this one?"""
    if place(node.value) != "self":
        return False
    for function in module.functions:
        if function.owner is not None and any(n is node for n in walk(function.node)):
            return not related(function.owner, owner)
    return False
