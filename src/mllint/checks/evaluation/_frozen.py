"""May a model build no graph that anybody misses: is it frozen, without parameters, or does it switch gradients?"""

from __future__ import annotations

from mllint import tree as ast
from mllint.checks.evaluation._measuring import GRADIENTS
from mllint.semantics import AccumulatesGrad, Event, Flow, Freezes, Value
from mllint.semantics.classes import method, mro
from mllint.semantics.module import Class, last_name, place

__all__ = ["frozen"]


def frozen(forward: Event, flow: Flow) -> bool:
    """May its parameters have been frozen, or has it none, or does it build no graph by itself, or need it inside?"""
    return (
        not has_parameters(forward.subject)
        or switches_off(forward)
        or adapts(forward)
        or any(
            e.option is not False
            and e.concerns(forward) is not False
            and not of_norms(e)
            and not of_trained_whole(e, forward, flow)
            for e in flow.events(Freezes)
        )
        or told_to_freeze(forward)
    )


def of_trained_whole(freeze: Event, forward: Event, flow: Flow) -> bool:
    """Does a part freeze itself where it is built, of a model that is trained for all that: a backbone below a head?"""
    owner = freeze.function.owner
    if freeze.function.name != "__init__" or owner is None or any(v.of is owner for v in forward.subject.alternatives):
        return False
    return any(b.concerns(forward) is True for b in flow.events(AccumulatesGrad))


def of_norms(freeze: Event) -> bool:
    """Does it freeze normalisation layers only: `if isinstance(m, nn.BatchNorm2d): m.weight.requires_grad = False`?"""
    for test, holds, _ in freeze.conditions:
        if holds and isinstance(test, ast.Call) and last_name(test.func) == "isinstance" and len(test.args) == 2:
            kinds = test.args[1].elts if isinstance(test.args[1], ast.Tuple) else [test.args[1]]
            if all("norm" in last_name(kind).lower() for kind in kinds):
                return True
    return False


def told_to_freeze(forward: Event) -> bool:
    """Does the function say `model.freeze()`, as Lightning's modules can?"""
    asked = [c.func for c in forward.function.calls if isinstance(c.func, ast.Attribute) and c.func.attr == "freeze"]
    own = forward.call.func if isinstance(forward.call, ast.Call) else None
    return any(place(f.value) == place(own) for f in asked)


def switches_off(forward: Event) -> bool:
    """May the model's own `forward` switch gradients off?"""
    model = forward.subject
    for cls in model.classes if model.kind == "instance" else ():
        own = method(cls, "forward")
        if own is not None and not own.stubbed and any(last_name(c.func) in _SWITCHES for c in own.calls):
            return True
    return False


def adapts(forward: Event) -> bool:
    """Does the model take gradients in one of its own methods, as one that adapts to a task does?"""
    model = forward.subject
    classes = [c for cls in model.classes for c in mro(cls)] if model.kind == "instance" else []
    own = [f for c in classes if isinstance(c, Class) and not c.module.is_stub for f in c.methods.values()]
    return any(not f.called_names.isdisjoint((*GRADIENTS, "backward")) for f in own)


_SWITCHES = ("no_grad", "inference_mode", "set_grad_enabled")


def has_parameters(model: Value) -> bool:
    """Can a module have parameters? A loss of PyTorch has none, nor one without a constructor that assigns nothing."""
    for cls in model.classes if model.kind == "instance" else ():
        if any(isinstance(c, Class) and c.module.is_stub and c.qualname == "_Loss" for c in mro(cls)[1:]):
            return not cls.module.is_stub
        own = [c for c in mro(cls) if isinstance(c, Class) and not c.module.is_stub]
        plain = [c for c in mro(cls) if c not in own and isinstance(c, Class) and c.qualname == "Module"]
        if (
            plain
            and len(own) == 1
            and not any(name.startswith("self.") for f in cls.methods.values() for name in f.bindings)
        ):
            return any(last_name(c.func) in ("setattr", "add_module") for f in cls.methods.values() for c in f.calls)
    return True
