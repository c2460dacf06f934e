"""Modules are kept in a plain list, tuple or dict, where `nn.Module` does not see them."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import (
    Class,
    Function,
    Site,
    containers,
    per_call,
)

__all__: list[str] = []

_PARTS = {
    "nn.ModuleList": "its modules are",
    "nn.ModuleDict": "its modules are",
    "nn.ParameterList": "its parameters are",
    "nn.ParameterDict": "its parameters are",
    "nn.Parameter": "it is",
}
"""What is not registered where a container of modules, or a parameter, belongs."""
_ADVICE = {
    "nn.ModuleList": "keep them in `nn.ModuleList`, which takes modules only",
    "nn.ModuleDict": "keep them in `nn.ModuleDict`, which takes only strings as keys and only modules as values",
    "nn.Parameter": "wrap it in `nn.Parameter` to train it, or call `register_buffer` to save and move it",
}
_PARAMETERS = "parameters in a plain container are not registered: not in `parameters()`, not saved, not moved"
_WHY = {
    "nn.ParameterList": _PARAMETERS,
    "nn.ParameterDict": _PARAMETERS,
    "nn.Parameter": "a plain tensor is not registered: not in `parameters()`, not saved, and not moved with the model",
}


@check("unregistered-submodule")
def unregistered_submodule(cls: Class) -> Iterator[Finding]:
    """Modules are kept in a plain list, tuple or dict, where `nn.Module` does not see them."""
    if not cls.scope.node.bases:
        return
    yield from _made_in_forward(cls)
    views = [Function(f, cls.frame_of(f)) for f in cls.scope.methods.values()]
    for view in (view for view in views if view.scope.name == "__init__" and view.scope.loops):
        yield from _overwritten(cls, view)
    for view, put, home, left_out in containers.find_unregistered_modules(cls):
        kind = "tensor" if home == "nn.Parameter" else containers.kind_of(view, put)
        yield Finding(
            Site(view.module, put.node),
            f"`{put.name}` is a plain {kind}, so {_PARTS[home]} not registered in `{cls.scope.name}`",
            "neither in `parameters()` nor in the checkpoint",
            help=_ADVICE.get(home, f"keep them in `{home}`"),
            why=_WHY.get(home, ""),
            evidence=(left_out,),
            about=(cls, put.name, home),
        )


def _overwritten(cls: Class, view: Function) -> Iterator[Finding]:
    """A list of layers is replaced in each iteration of a loop, instead of growing."""
    for loop in view.scope.loops:
        for binding in (b for found in view.scope.bindings.values() for b in found):
            local = "." not in binding.name
            if containers.is_overwritten_in_loop(binding, loop.node) and (
                containers.becomes_container_module(view, binding, loop.node)
                if local
                else containers.ends_as_module(cls, binding.name)
            ):
                yield Finding(
                    Site(cls.module, binding.node),
                    f"each iteration replaces `{binding.name}`: only the layers of the last one stay",
                    "replaces the list",
                    help="append to one `nn.ModuleList` that is built before the loop",
                    why="the layers of the earlier iterations are lost: neither trained nor saved",
                )


def _made_in_forward(cls: Class) -> Iterator[Finding]:
    """The layers with weights that `forward` builds and calls."""
    for call, method in per_call.find_layers_built_per_call(cls):
        yield Finding(
            call,
            f"`{call.name}` is created in each call of `{method.name}`: its weights are random every time",
            "new weights in each call",
            help="build it in `__init__`, as an attribute, and call it here",
            why="each call uses a new layer with new random weights, which no optimizer holds",
        )
