"""May an object of which little is known be that one?

    body = build("resnet50")
    body.load_state_dict(torch.load("body.pt"))          # not the schedule: it is what `build("resnet50")` gave
    for part in (net, schedule):
        part.load_state_dict(state)                      # may be the schedule

`Value.same_as` says True or False where both objects are known, and None where it is unknown. Most rules must take
None for "perhaps", which lets any unknown object excuse anything. This module looks at where the unknown object comes
from and excludes what it cannot be:

* the result of a call that is given neither the other object nor something that holds it, unless the call fetches from
  something unknown (`getattr`, `next`, `d.get(key)`);
* something whose name is conventional for another role: `model.load_state_dict(...)`.

Deliberately not done: an unknown function might return an object that it found in a global variable.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.roles import Role, name_evidence
from mllint.semantics.values.lineage import Origin, may_enter, origins

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.values import Value

__all__ = ["may_be"]

_FETCHING = frozenset(
    "getattr next iter get pop values items zip enumerate list tuple dict reversed sorted vars".split()
)
_CARRYING = (
    ast.Name, ast.Attribute, ast.Subscript, ast.IfExp, ast.BoolOp, ast.Tuple, ast.List, ast.Dict, ast.Starred,
    ast.NamedExpr,
)  # fmt: skip
_OBJECTS = frozenset(
    (Role.MODEL, Role.OPTIMIZER, Role.SCHEDULE, Role.SCALER, Role.LOADER, Role.DATASET, Role.CRITERION)
)


def may_be(node: Node, frame: Frame, other: Value, role: Role) -> bool:
    """Whether an expression may stand for another object.

    Args:
        node: the expression.
        frame: its context.
        other: the object in question.
        role: the role of the object in question.
    """
    found = list(origins(node, frame, through=_carries))
    if any(origin.value.identities & other.identities for origin in found):
        return True
    return all(_is_open(origin, other, role) for origin in found if not isinstance(origin.node, ast.Constant))


def _carries(origin: Origin) -> bool:
    node = origin.node
    if isinstance(node, ast.Call):
        return last_name(node.func) in _FETCHING or may_enter(node, origin.frame)
    return isinstance(node, _CARRYING)


def _is_open(origin: Origin, other: Value, role: Role) -> bool:
    """Whether an origin leaves open that the other object came this way."""
    node, value = origin.node, origin.value
    if value.same_as(other) is False:
        return False
    if isinstance(node, (ast.Name, ast.Attribute)):
        others = (r for r in Role if r is not role and r in _OBJECTS)
        named = any(name_evidence(place(node), r) is Evidence.CONVENTIONAL for r in others)
        return not named or name_evidence(place(node), role) is not None
    if isinstance(node, ast.Call) and not _carries(origin):
        given = (*node.args, *(k.value for k in node.keywords))
        return any(Origin(a, origin.frame).value.identities & other.identities for a in given)
    return True
