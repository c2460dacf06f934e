"""What ends a model of a library: a head that replaced its own, as in `model.fc = nn.Sequential(nn.Linear(4, 2),
nn.Softmax(1))`, or the last layer of it (`vgg16().classifier[6]`), or, of Keras, its last layer (see `keras`).

The model is built in one place and its head is assigned beside it, so the assignments in the same file are read. If
more than one could be meant, nothing is said. Asked only of models of a library, when they are called.
"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.syntax.module import last_name
from mllint.semantics.values.arguments import Arguments
from mllint.semantics.values.ask import ask
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.keras import layered
from mllint.semantics.values.values import (
    InstanceValue,
    Value,
)

__all__ = ["ended", "replaced_head"]


def ended(model: Value, result: Value, frame: Frame, node: Any) -> Value:
    """What calling a model of a library gives, with what ends it, where `result` is what the library's stub says."""

    if isinstance(model, InstanceValue) and model.cls.module.name.startswith("keras"):
        return layered(model, result, frame, node)
    head = replaced_head(model, frame)
    return ask.call_with(head, Arguments(None, frame, (result,)), frame, node) if head is not None else result


_HEADS = ("fc", "classifier", "head", "heads", "last_linear")
_LAST = {
    "vgg": "6]",
    "alexnet": "6]",
    "mobilenet_v2": "1]",
    "mobilenet_v3": "3]",
    "efficientnet": "1]",
    "convnext": "2]",
    "mnasnet": "1]",
}
"""At which index the `classifier` of a model of torchvision ends, by how its constructor is called."""


def replaced_head(model: Value, frame: Frame) -> Value | None:
    """The module that was assigned as the head of a model, an instance; None if there is none, or more than one."""
    made = model.site
    if made is None:
        return None
    found: list[Value] = []
    for function in made.module.functions:
        for name, bindings in function.bindings.items():
            head, inside, index = name.rpartition(".")[2].partition("[")
            if "." not in name or head not in _HEADS or (inside and not _is_last(index, made.node)):
                continue
            own = frame.project.frame(function)
            for binding in bindings:
                node = binding.node.value if inside and isinstance(binding.node, ast.Subscript) else binding.node
                if binding.kind != "assign" or binding.path or not isinstance(node, ast.Attribute):
                    return None
                base = ask.evaluate(node.value, own)
                if not isinstance(base, InstanceValue) or base.site is None or base.site.node is not made.node:
                    continue
                found.append(ask.evaluate(binding.value, own))
    single = found[0] if len(found) == 1 else None
    return single if single is not None and single.instance_of("torch.nn.Module") else None


def _is_last(index: str, made: Any) -> bool:
    """Is it the index of the last layer of the classifier that a constructor makes: `vgg16().classifier[6]`?"""
    name = last_name(made.func) if isinstance(made, ast.Call) else ""
    return any(name.startswith(stem) and index == last for stem, last in _LAST.items())
