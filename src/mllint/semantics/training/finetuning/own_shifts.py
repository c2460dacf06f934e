"""Which models of one's own shift the labels that they are given?

    def forward(self, ids, labels=None):
        logits = self.head(self.body(ids))
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())    # `labels_of`: "labels"

Such a model compares its scores but for the last with its labels but for the first, as those of Transformers do.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.tensor_methods import SAME_ENTRIES
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at, bound_expression
from mllint.semantics.syntax.nodes import Node, place
from mllint.semantics.values.classes import method
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import InstanceValue

__all__ = ["any_shifts", "given_labels"]


def any_shifts(project: Project) -> bool:
    """Whether a project has a model of its own that shifts its labels."""
    return bool(_shifting(project))


def given_labels(call: Call) -> tuple[Argument, Argument] | None:
    """The tokens and the labels that a call gives to a model of one's own that shifts these labels itself; None if it
    calls none, or gives it no labels."""
    if not _shifting(call.project) or len(call.node.args) + len(call.node.keywords) < 2:
        return None
    model = call.callee
    forward = method(model.cls, "forward") if isinstance(model, InstanceValue) else None
    name = _shifting(call.project).get(id(forward))
    ids, labels = call.first("input_ids"), call.argument(name) if name is not None else None
    return (ids, labels) if ids is not None and labels is not None else None


@cached()
def _shifting(project: Project) -> dict[int, str]:
    """The parameters for labels that methods called `forward` shift, by the id of the method."""
    modules = [m for m in project.modules if not m.is_stub and (m.source is None or "1:" in m.source.text)]
    forwards = (c.methods.get("forward") for m in modules for c in m.classes)
    found = ((id(f), _shifted_parameter(f)) for f in forwards if f is not None and len(f.parameters) > 2)
    return {key: name for key, name in found if name is not None}


def _shifted_parameter(forward: FunctionScope) -> str | None:
    """The parameter for labels whose first is left out, where the last of the scores is."""
    for call in forward.calls:
        match [_whole(node, forward) for node in call.args[:2]]:
            case [ast.Subscript() as scores, ast.Subscript(value=ast.Name(id=name)) as labels]:
                shifts = any(map(_leaves_out_last, _slices(scores))) and any(map(_leaves_out_first, _slices(labels)))
                computed = forward.parameter(place(_whole(scores.value, forward)) or "") is None
                if shifts and computed and forward.parameter(name) is not None:
                    return name
    return None


def _whole(node: Node, function: FunctionScope) -> Node:
    """What an expression is without names, copies, and changes of its form."""
    for _ in range(8):
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in SAME_ENTRIES:
                node = inner
            case ast.Name():
                found = bound_at(node, function)
                bound = bound_expression(found[0]) if len(found) == 1 and found[0].kind == "assign" else None
                if bound is None:
                    return node
                node = bound
            case _:
                return node
    return node


def _slices(node: ast.Subscript) -> list[ast.Slice]:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [part for part in parts if isinstance(part, ast.Slice)]


def _leaves_out_last(part: ast.Slice) -> bool:
    match part:
        case ast.Slice(lower=None, upper=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)), step=None):
            return True
    return False


def _leaves_out_first(part: ast.Slice) -> bool:
    match part:
        case ast.Slice(lower=ast.Constant(value=1), upper=None, step=None):
            return True
    return False
