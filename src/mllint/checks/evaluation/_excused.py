"""May an evaluation keep its graph? What runs it without gradients elsewhere, or says that they are wanted."""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any
from mllint.semantics import AppliesGrad, Event, Flow
from mllint.semantics.classes import mro
from mllint.semantics.gradmode import grad_off
from mllint.semantics.lineage import origins
from mllint.semantics.module import Class, Function, last_name, walk
from mllint.semantics.seeding import is_test_code

__all__ = ["called_without", "costs_little", "of_one_sample", "unapplied"]


def of_one_sample(forward: Event) -> bool:
    """Is it asked once, for one sample that is made a batch: `model(image.unsqueeze(0))`? Its graph is small."""
    given = forward.call.args[:1] if isinstance(forward.call, ast.Call) and not forward.loops else []
    found = [o.node for node in given for o in origins(node, forward.frame)]
    calls = (n for n in found if isinstance(n, ast.Call) and last_name(n.func) in ("unsqueeze", "expand_dims"))
    return any(isinstance(a, ast.Constant) and a.value == 0 for n in calls for a in n.args)


def called_without(flow: Flow) -> bool:
    """Do all callers of the function call it where no graph is built?"""
    found = flow.frame.project.callers(flow.root)
    return called_by_base(flow.root) or (bool(found) and all(grad_off(call, frame) for call, frame in found))


def called_by_base(function: Function) -> bool:
    """Does a base class run a method where no graph is built: `predict` from a `__call__` that is decorated so?"""
    bases = [c for c in mro(function.owner) if isinstance(c, Class)] if isinstance(function.owner, Class) else []
    methods = [m for c in bases for m in c.methods.values() if m is not function]
    without = {m.name for m in methods if m.decorated(*_SWITCHES)}
    return any(m.name in without and function.name in m.called_names for m in methods)


def costs_little(forward: Event) -> bool:
    """Is there a reason not to call it a fault: made-up data, forces, a switch of one's own?"""
    return any(says(forward) for says in (switched_off_before, asks_for_forces, may_derive, of_made_up))


def of_made_up(forward: Event) -> bool:
    """Is the model only tried, on numbers that are drawn or filled in: `model(torch.randn(2, 3))`?"""
    call = forward.call
    given = [*call.args, *(k.value for k in call.keywords)] if isinstance(call, ast.Call) else []
    return bool(given) and all(_made_up(node, forward) for node in given)


def _made_up(node: Any, forward: Event) -> bool:
    found = [o.node for o in origins(node, forward.frame, through=lambda o: isinstance(o.node, ast.Name))]
    made = [n for n in found if not isinstance(n, (ast.Name, ast.Constant))]
    return bool(made) and all(isinstance(n, ast.Call) and last_name(n.func) in _FILLED for n in made)


def switched_off_before(forward: Event) -> bool:
    """Did the author know: by `volatile=True`, as before PyTorch 0.4, or by a setting that is called `no_grad`?"""
    if "no_grad" in [getattr(n, "value", None) for n in walk(forward.function.node)]:
        return True
    return any("volatile" in module.calls_by_keyword for module in forward.frame.project.modules)


def asks_for_forces(forward: Event) -> bool:
    """Does the function read forces or stress of a result? A model often has them as gradients of its energy."""
    keys = (n.slice for n in walk(forward.function.node) if isinstance(n, ast.Subscript))
    return any(isinstance(key, ast.Constant) and key.value in ("forces", "stress", "virial") for key in keys)


_SWITCHES = ("no_grad", "inference_mode")
_FILLED = frozenset("zeros ones rand randn randint full normal arange linspace".split())


def may_derive(forward: Event) -> bool:
    """Is it any model, in a project of which one takes the gradients of its inputs while it runs, as forces are?"""
    if not forward.subject.is_unknown:
        return False
    found = forward.frame.project.calls_named("grad")
    inside = (
        (c, f) for c, f in found if isinstance(f, Function) and f.name == "forward" and not is_test_code(f.module)
    )
    return any(isinstance(f.owner, Class) and not is_penalty(call, f) for call, f in inside)


def is_penalty(call: ast.Call, function: Function) -> bool:
    """Is the length of a gradient taken in the function that asks for it, as a gradient penalty does? A force is given
    away as it is."""
    given: set[str] = set()
    for _ in range(4):
        bound = [(name, b.value) for name, found in function.bindings.items() for b in found if b.value is not None]
        given |= {
            n for n, value in bound for i in walk(value) if i is call or (isinstance(i, ast.Name) and i.id in given)
        }
    return any(
        last_name(c.func) in _LENGTHS and any(isinstance(n, ast.Name) and n.id in given for n in walk(c))
        for c in function.calls
    )


_LENGTHS = frozenset("norm vector_norm square pow".split())


def unapplied(backward: Event, flow: Flow) -> bool:
    """Does no step follow a backward, so that it explains, attacks or measures, and trains nothing?"""
    return flow.path(backward, to=(AppliesGrad, steps)) is None


def steps(event: Event) -> bool:
    """May an unknown call be the step of an optimizer?"""
    return event.kind == "unknown" and event.option == "step"
