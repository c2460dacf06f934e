"""Which parts does `train()` wake that were put into eval mode when the whole was built?

    class Distiller(nn.Module):
        def __init__(self, teacher, student):
            super().__init__()
            self.teacher, self.student = teacher.eval(), student      # put to sleep, once

    distiller.train()                                                 # `woken`: `self.teacher`, as any other child

Only of a part that depends on the mode, whose parameters are frozen or which runs without gradients: it is meant to
stay as it is. What a `train` of the class's own does, or a call of `eval` anywhere else that may speak of the part, is
not known, and so is the dropout of a model of Transformers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.flow import Event, Flow
from mllint.semantics.flow.kinds import AppliesGrad, SetsMode
from mllint.semantics.libraries.classes import PRETRAINED_MODEL
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import ClassScope, FunctionScope, Scope
from mllint.semantics.syntax.names import bound_expression
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.modes.dependence import depends_on_mode, first_layer
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import attribute
from mllint.semantics.values.lineage import statements
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue, Value

__all__ = ["Woken", "woken"]

_WITHOUT = ("no_grad", "inference_mode")


class Woken(NamedTuple):
    """A part that a call of `train()` puts back into train mode.

    Attributes:
        train: the call, as an event.
        asleep: where the constructor put the part into eval mode.
        name: the place of the part in its class, `self.teacher`.
        owner: the class.
    """

    train: Event
    asleep: Site
    name: str
    owner: ClassScope


def woken(flow: Flow) -> Iterator[Woken]:
    """The parts that are put back into train mode before the optimizer steps, each once."""
    asleep = _asleep(flow.frame.project)
    seen: set[str] = set()
    if not asleep:
        return
    for train in flow.events(SetsMode):
        model = train.subject
        if train.option != "train" or not isinstance(model, InstanceValue):
            continue
        for owner in (c for c in mro(model.cls) if isinstance(c, ClassScope) and id(c) in asleep):
            for call, name in asleep[id(owner)]:
                part = attribute(model, name.removeprefix("self."), train.frame)
                if name not in seen and _depends(part) and _trains_on(train, flow):
                    seen.add(name)
                    yield Woken(train, Site(owner.module, call), name, owner)


def _depends(part: Value) -> bool:
    """Does a part certainly behave otherwise in train mode, by its own layers or those of a library?"""
    layer = first_layer(part) if depends_on_mode(part) is True else None
    return layer is not None and not layer.instance_of(PRETRAINED_MODEL)


def _trains_on(train: Event, flow: Flow) -> bool:
    return flow.path(train, to=list(flow.events(AppliesGrad))) is not None


@cached()
def _asleep(project: Project) -> dict[int, list[tuple[ast.Call, str]]]:
    """The parts that constructors put into eval mode, and nothing else does, by the id of the class."""
    calls = project.calls_named("eval")
    found: dict[int, list[tuple[ast.Call, str]]] = {}
    if any(_may_be_any_part(c, s, project) for c, s in calls):
        return found
    for call, scope in calls:
        if isinstance(scope, FunctionScope) and scope.name == "__init__" and scope.owner is not None:
            name = _part(call, scope)
            others = [c for c, outer in calls if outer is not scope]
            if name is not None and _keeps(scope.owner, name, others):
                found.setdefault(id(scope.owner), []).append((call, name))
    return found


def _may_be_any_part(call: ast.Call, scope: Scope | None, project: Project) -> bool:
    """Is eval mode set for what a loop goes through, or by a function that `apply` hands each part?"""
    receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(scope, FunctionScope) or not isinstance(receiver, ast.Name):
        return False
    if any(b.kind in ("for", "comp") for b in scope.bindings.get(receiver.id, ())):
        return True
    applied = (a for c, _ in project.calls_named("apply") for a in c.args)
    return scope.parameter(receiver.id) is not None and any(last_name(a) == scope.name for a in applied)


def _part(call: ast.Call, constructor: FunctionScope) -> str | None:
    """The attribute whose module a call of `eval` in a constructor is about: `self.part.eval()`, `self.part =
    net.eval()`, or `net.eval()` where it is given `net`; None if it is another one."""
    of = place(call.func.value) if isinstance(call.func, ast.Attribute) else None
    names = (n for n in constructor.bindings if n.count(".") == 1 and n.startswith("self."))
    return next((n for n in names if of in _spellings(n, constructor)), None) if of is not None else None


def _spellings(name: str, constructor: FunctionScope) -> set[str | None]:
    """The places that a constructor has for what it assigns to an attribute."""
    values = [bound_expression(b) for b in constructor.bindings.get(name, ()) if b.kind == "assign"]
    of = [v.func.value for v in values if isinstance(v, ast.Call) and isinstance(v.func, ast.Attribute)]
    return {name, *map(place, values), *map(place, of)} - {None}


def _keeps(owner: ClassScope, name: str, others: list[ast.Call]) -> bool:
    """Is a part meant to sleep, and does nothing but the constructor set its mode, as far as is seen?"""
    own = [c for c in mro(owner) if isinstance(c, ClassScope) and not c.module.is_stub]
    if any("train" in c.methods or "eval" in c.methods for c in own):
        return False
    last = name.rpartition(".")[2]
    receivers = [last_name(c.func.value) for c in others if isinstance(c.func, ast.Attribute)]
    return last not in receivers and any(_rests(method, name) for method in owner.methods.values())


def _rests(method: FunctionScope, name: str) -> bool:
    """Does a method freeze a part, or run it without gradients?"""
    spelled = _spellings(name, method)
    for statement in statements(method):
        match statement:
            case ast.For(iter=ast.Call(func=ast.Attribute(value=of, attr="parameters")), body=body) if (
                place(of) in spelled
            ):
                if any(_freezes(n) for s in body for n in walk(s)):
                    return True
            case ast.With(items=items, body=body):
                off = any(last_name(getattr(i.context_expr, "func", None)) in _WITHOUT for i in items)
                if off and any(isinstance(n, ast.Call) and place(n.func) == name for s in body for n in walk(s)):
                    return True
    return any(place(c.func) in {f"{n}.requires_grad_" for n in spelled} and _freezes(c) for c in method.calls)


def _freezes(node: Node) -> bool:
    """Is it `p.requires_grad = False`, or `p.requires_grad_(False)`?"""
    match node:
        case ast.Assign(targets=[ast.Attribute(attr="requires_grad")], value=ast.Constant(value=False)):
            return True
        case ast.Call(func=ast.Attribute(attr="requires_grad_"), args=[ast.Constant(value=False)]):
            return True
    return False
