"""Which objects keep the running mean of what they are given: a meter?

    class Meter:
        def add(self, value, n=1):
            self.total += value * n          # `find_metered_value`: add(value) goes into a sum ...
            self.count += n

        @property
        def mean(self):
            return self.total / self.count   # ... and this gives the mean: `means`

The class is read, not its name: a method adds its first parameter, itself or weighted by another one, to an attribute,
which an attribute, a property or a method of the same class divides by another attribute. Of libraries, the meters are
those of timm and of torchmetrics.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import Node, place
from mllint.semantics.values.classes import method
from mllint.semantics.values.lineage import resolve_name, statements
from mllint.semantics.values.values import InstanceValue

__all__ = ["find_metered_value", "means"]

_OF_LIBRARIES = {"timm.utils.AverageMeter": ("avg",), "torchmetrics.MeanMetric": ("compute",)}


def find_metered_value(call: Call) -> tuple[Node, ClassScope] | None:
    """What a call gives a meter to average, and the class of the meter: `value` of `meter.add(value, n)`.

    Args:
        call: a call of a method, as a statement of its own.
    """
    meter, given = call.receiver, call.node.args
    if not isinstance(meter, InstanceValue) or not given:
        return None
    adds = method(meter.cls, call.last_name)
    if adds is None or len(adds.parameters) < 2 or not means(meter.cls):
        return None
    of_library = adds.stubbed and call.last_name == "update"
    return (given[0], meter.cls) if of_library or any(_sums(adds)) else None


@cached_per_scope()
def means(cls: ClassScope) -> frozenset[str]:
    """The attributes and the methods of a class that are the mean of what it is given."""
    if cls.module.is_stub:
        return frozenset(_OF_LIBRARIES.get(f"{cls.module.name}.{cls.name}", ()))
    sums = {name for adds in cls.methods.values() for name in _sums(adds)}
    return frozenset(name for m in cls.methods.values() for name in _quotients(m, sums)) if sums else frozenset()


def _sums(adds: FunctionScope) -> Iterator[str]:
    """The attributes to which a method adds its first parameter: `self.total` of `self.total += value * n`."""
    if len(adds.parameters) < 2:
        return
    own, value = adds.parameters[0].name, adds.parameters[1].name
    for statement in statements(adds):
        match statement:
            case ast.AugAssign(target=target, op=ast.Add(), value=term):
                pass
            case ast.Assign(targets=[target], value=ast.BinOp(left=before, op=ast.Add(), right=term)):
                if place(before) != place(target):
                    continue
            case _:
                continue
        name, term = place(target) or "", resolve_name(term, adds)
        product = isinstance(term, ast.BinOp) and isinstance(term.op, ast.Mult)
        if name.startswith(f"{own}.") and value in map(place, [term.left, term.right] if product else [term]):
            yield name.partition(".")[2]


def _quotients(member: FunctionScope, sums: set[str]) -> Iterator[str]:
    """The names under which a method keeps or gives a sum that is divided by another attribute."""
    own = member.parameters[0].name if member.parameters else ""
    for statement in statements(member):
        value = getattr(statement, "value", None)
        if isinstance(value, ast.IfExp):
            value = value.body
        if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Div):
            continue
        over = [n for n in ast.walk(value.right) if (place(n) or "").startswith(f"{own}.")]
        if not over or (place(value.left) or "") not in {f"{own}.{name}" for name in sums}:
            continue
        if isinstance(statement, ast.Return):
            yield member.name
        elif isinstance(statement, ast.Assign):
            target = place(statement.targets[0]) or ""
            yield from [target.partition(".")[2]] if target.startswith(f"{own}.") else []
