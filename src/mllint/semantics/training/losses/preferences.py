"""Does a loss of preferences prefer what was chosen?

    -F.logsigmoid(chosen_reward - rejected_reward).mean()     # falls as the chosen answer gains
    -F.logsigmoid(rejected_reward - chosen_reward).mean()     # `find_rejected_minus_chosen`: rises

Both sides must be named as the data sets of preferences name them, and the logarithm must be negated where it is
called. Where the same function takes the sigmoid of the difference the other way round as well, as for smoothed labels,
each is one of two terms.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.syntax.words import last_part
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.values.lineage import resolve_name, statements

__all__ = ["Preferred", "find_rejected_minus_chosen"]


class Preferred(NamedTuple):
    """A difference by which a loss prefers the rejected answers.

    Attributes:
        difference: the difference of the two rewards.
        chosen: the place of the reward of the chosen answers.
        rejected: the place of the reward of the rejected answers.
        named: that their names say so.
    """

    difference: ast.BinOp
    chosen: str
    rejected: str
    named: Answer[bool]


def find_rejected_minus_chosen(call: Call) -> Preferred | None:
    """The difference of which a loss takes the logarithm of the sigmoid, if it is that of the rejected to the chosen.

    Args:
        call: `F.logsigmoid(margin)`.
    """
    found = _difference(call.node, call)
    others = [c for c in call.function.calls if last_name(c.func) == "logsigmoid" and c is not call.node]
    if found is None or not _is_negated(call) or any(_difference(c, call) is not None for c in others):
        return None
    chosen, rejected = place(found.right) or "", place(found.left) or ""
    if not (_speaks_of(chosen, Topic.CHOSEN) and _speaks_of(rejected, Topic.REJECTED)):
        return None
    return Preferred(found, chosen, rejected, Answer(True, Evidence.CONVENTIONAL, corroborated=True))


def _difference(node: ast.Call, call: Call) -> ast.BinOp | None:
    """The difference that a call is given, perhaps times a positive setting: `beta * (a - b)`."""
    given = resolve_name(node.args[0], call.function) if len(node.args) == 1 else None
    if isinstance(given, ast.BinOp) and isinstance(given.op, (ast.Mult, ast.Div)):
        sides = [resolve_name(side, call.function) for side in (given.left, given.right)]
        factors = [s for s in sides if not _is_difference(s)]
        plain = all(isinstance(f, (ast.Name, ast.Attribute, ast.Constant)) for f in factors)
        given = next((s for s in sides if _is_difference(s)), None) if len(factors) == 1 and plain else None
    return given if _is_difference(given) else None


def _is_difference(node: Node) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)


def _speaks_of(name: str, topic: Topic) -> bool:
    other = Topic.REJECTED if topic is Topic.CHOSEN else Topic.CHOSEN
    return topics.is_about(last_part(name), topic) and not topics.is_about(last_part(name), other)


def _is_negated(call: Call) -> bool:
    """Is it `-F.logsigmoid(margin)`, or `-F.logsigmoid(margin).mean()`?"""
    for statement in statements(call.function):
        for node in walk(statement):
            if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
                inner = node.operand
                while isinstance(inner, ast.Call) and inner is not call.node and isinstance(inner.func, ast.Attribute):
                    inner = inner.func.value
                if inner is call.node:
                    return True
    return False
