"""What ends a model of a library: a head that replaced its own, as in `model.fc = nn.Sequential(nn.Linear(4, 2),
nn.Softmax(1))`, or, of Keras, its last layer (see `keras`).

The model is built in one place and its head is assigned beside it, so the assignments in the same file are read. If
more than one could be meant, nothing is said. Asked only of models of a library, when they are called.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any
from mllint.semantics.evaluate import evaluate
from mllint.semantics.frames import Frame
from mllint.semantics.values import Value

__all__ = ["ended", "replaced_head"]


def ended(model: Value, result: Value, frame: Frame, node: Any) -> Value:
    """What calling a model of a library gives, with what ends it, where `result` is what the library's stub says."""
    from mllint.semantics.calls import Arguments, call_with

    if model.of.module.name.startswith("keras"):
        from mllint.semantics.keras import layered

        return layered(model, result, frame, node)
    head = replaced_head(model, frame)
    return call_with(head, Arguments(None, frame, (result,)), frame, node) if head is not None else result


_HEADS = ("fc", "classifier", "head", "heads", "last_linear")


def replaced_head(model: Value, frame: Frame) -> Value | None:
    """The module that was assigned as the head of a model, an instance; None if there is none, or more than one."""
    made = model.site
    if made is None:
        return None
    found: list[Value] = []
    for function in made.module.functions:
        for name, bindings in function.bindings.items():
            if "." not in name or name.rpartition(".")[2] not in _HEADS:
                continue
            own = frame.project.frame(function)
            for binding in bindings:
                if binding.kind != "assign" or binding.path or not isinstance(binding.node, ast.Attribute):
                    return None
                base = evaluate(binding.node.value, own)
                if base.kind != "instance" or base.site is None or base.site.node is not made.node:
                    continue
                found.append(evaluate(binding.value, own))
    single = found[0] if len(found) == 1 else None
    return single if single is not None and single.instance_of("torch.nn.Module") else None
