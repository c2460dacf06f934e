"""Is a functional layer active in eval mode too?"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks.evaluation._measuring import on_purpose, trains_only
from mllint.checks.evaluation._switches import mentions_training, nought_around, switched_from_outside, walk_function
from mllint.rule import Finding, check
from mllint.semantics import Call, Class
from mllint.semantics.classes import mro
from mllint.semantics.module import Function, last_name, place, walk

__all__: list[str] = []

_MODULE = "torch.nn.Module"


@check("dropout-ignores-mode", calls="dropout dropout1d dropout2d dropout3d scaled_dot_product_attention batch_norm")
def dropout_ignores_mode(call: Call) -> Iterator[Finding]:
    """A functional layer is active in eval mode too, because the module's mode is not passed on."""
    owner = method_of_module(call.function)
    if owner is None or call.is_open or mentions_training(call) or on_purpose(call.function):
        return
    functional = [f"torch.nn.functional.{word}" for word in ("dropout", "dropout1d", "dropout2d", "dropout3d")]
    if call.callee.is_function(*functional):
        given, mode = call.argument("p"), call.argument("training")
        if call.function.decorated("no_grad", "inference_mode"):
            return  # where nothing is ever trained it is there to be active: noise while samples are drawn
        if given is not None and (given.value.literal in (0, 0.0) or nought_around(given.node, call)):
            return
        if mode is not None and (getattr(mode.node, "value", None) is not True or not beside_a_mode(call)):
            return
        said = "it says" if mode is not None else "its default is"
        said = f"`{call.name}` is active in eval mode too: {said} `training=True`"
    elif call.callee.is_function("torch.nn.functional.scaled_dot_product_attention"):
        given = call.argument("dropout_p")
        if given is None or not drops(given.node, call) or nought_around(given.node, call):
            return
        said = f"`{call.name}` drops `{given.text}` in eval mode too"
    elif call.callee.is_function("torch.nn.functional.batch_norm"):
        given, mean = call.argument("training"), call.argument("running_mean")
        if given is None or given.value.literal is not True or mean is None or place(mean.node) != "self.running_mean":
            return
        said = f"`{call.name}` normalises by the batch in eval mode too"
    else:
        return
    if not switched_from_outside(call):
        meant = trains_only(owner.qualname) or overrides_norm(owner)
        yield Finding(call, said, primary="does not know the module's mode", certain=not meant)


def beside_a_mode(call: Call) -> bool:
    """Does the same function hand the module's mode to another dropout, so that a constant here is no intention?"""
    branches = [n for n in walk_function(call.function) if isinstance(n, ast.If)]
    sides = [{id(n) for s in side for n in walk(s)} for b in branches for side in (b.body, b.orelse)]
    mine = [id(call.node) in side for side in sides]
    calls = (n for n in call.function.calls if last_name(n.func) == call.last_name)
    others = (Call(n, call.frame) for n in calls if mine == [id(n) in side for side in sides])
    modes = [a.node for other in others if (a := other.argument("training")) is not None]
    return any(place(n) == "self.training" for n in modes)


def method_of_module(function: Function) -> Function | None:
    """The function, if it is a method of a class that is a module."""
    if function.owner is None:
        return None
    owner = Class(function.owner, function.module.project.frame(function.module.body))  # type: ignore[union-attr]  # it is in a project
    return function if owner.inherits(_MODULE) else None


def overrides_norm(function: Function) -> bool:
    """Is it the `forward` of a batch norm of one's own, written anew only to say so?"""
    names = (c if isinstance(c, str) else c.qualname for c in mro(function.owner)) if function.owner else ()
    return any(name.rpartition(".")[2] in ("_BatchNorm", "_NormBase") for name in names)


def drops(node: Any, call: Call) -> bool:
    """Is it certainly a probability that does not know the mode: a literal, or a plain attribute of the module?"""
    value = call.value_of(node)
    if value.kind == "literal":
        return value.of not in (0, 0.0, None)
    owner = call.function.owner
    plain = (
        isinstance(node, ast.Attribute)
        and place(node.value) == "self"
        and owner is not None
        and node.attr not in owner.methods
    )
    return (plain and not value.classes) or value.of == "number"
