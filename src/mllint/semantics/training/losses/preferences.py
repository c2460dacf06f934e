"""Does a loss of preferences prefer what was chosen?

    -F.logsigmoid(chosen_reward - rejected_reward).mean()     # falls as the chosen answer gains
    -F.logsigmoid(rejected_reward - chosen_reward).mean()     # `find_rejected_minus_chosen`: rises
    F.softplus(chosen_reward - rejected_reward)               # so does this
    preference_loss(chosen=scores["rejected"], rejected=scores["chosen"])     # `find_crossed_arguments`

Both sides must be named as the data sets of preferences name them, or be the rewards of a model that read their columns
(`pairs`), and the logarithm must be negated where it is called. Where the same function takes the sigmoid of the
difference the other way round as well, as for smoothed labels, each is one of two terms.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site, text
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.syntax.words import last_part
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.losses.pairs import side_of_reward
from mllint.semantics.values.arguments import Bound, bind
from mllint.semantics.values.lineage import resolve_name, statements

__all__ = ["Crossed", "Preferred", "find_crossed_arguments", "find_rejected_minus_chosen"]

_LOGARITHMS = ("logsigmoid", "softplus")
_STEPS = 4


class Preferred(NamedTuple):
    """A difference by which a loss prefers the rejected answers.

    Attributes:
        difference: the difference of the two rewards.
        chosen: the place of the reward of the chosen answers.
        rejected: the place of the reward of the rejected answers.
        known: that their names say so, or what the model read.
        rewards: where the model gives the rewards of the chosen and of the rejected, if that is known.
        handed: the call that hands both over to the function of the loss, if it is the only one.
    """

    difference: ast.BinOp
    chosen: str
    rejected: str
    known: Answer[bool]
    rewards: tuple[Site, ...] = ()
    handed: Site | None = None


def find_rejected_minus_chosen(call: Call) -> Preferred | None:
    """The difference of which a loss takes the logarithm of the sigmoid, if it is that of the rejected to the chosen.

    Args:
        call: `F.logsigmoid(margin)`, or `F.softplus(-margin)`.
    """
    falls = call.last_name == "softplus"
    others = [c for c in call.function.calls if last_name(c.func) in _LOGARITHMS and c is not call.node]
    if falls is _is_negated(call) or (falls and not _is_loss(call)) or any(_differences(c, call) for c in others):
        return None
    for difference in _differences(call.node, call):
        if _preferred(difference, call, swapped=not falls) is not None:
            return None
        found = _preferred(difference, call, swapped=falls)
        if found is not None:
            return found
    return None


class Crossed(NamedTuple):
    """A call that hands over rejected answers for chosen ones, and the other way round.

    Attributes:
        call: the call.
        chosen: what it gives for the chosen answers.
        rejected: what it gives for the rejected ones.
        parameters: what the function calls both.
        known: that the names on both sides say so.
    """

    call: Call
    chosen: Node
    rejected: Node
    parameters: tuple[str, str]
    known: Answer[bool]


def find_crossed_arguments(call: Call) -> Iterator[Crossed]:
    """The calls of the function of a loss of preferences that cross what its parameters are for.

    Args:
        call: the logarithm of the sigmoid in it, `F.logsigmoid(margin)`, which prefers what is called chosen.
    """
    function, names = call.function, [p.name for p in call.function.parameters]
    chosen = [n for n in names if _speaks_of(n, Topic.CHOSEN)]
    rejected = [n for n in names if _speaks_of(n, Topic.REJECTED)]
    if function.is_body or not chosen or len(chosen) != len(rejected) or find_rejected_minus_chosen(call) is not None:
        return
    for node, frame in call.project.callers(function):
        handed, _ = bind(function, node, frame)
        sides = [(handed.get(c), handed.get(r)) for c, r in zip(chosen, rejected, strict=True)]
        if all(_side(c) is Topic.REJECTED and _side(r) is Topic.CHOSEN for c, r in sides):
            given = [thing.node for thing in sides[0] if isinstance(thing, Passed)]
            known = Answer(True, Evidence.CONVENTIONAL, corroborated=True)
            yield Crossed(Call(node, frame), given[0], given[1], (chosen[0], rejected[0]), known)


def _side(given: Bound | None) -> Topic | None:
    """Which answers what is handed over is of, by its name or key, or by those of what a call made it of."""
    if not isinstance(given, Passed):
        return None
    made = resolve_name(given.node, given.frame.function)
    for node in (given.node, made):
        words = [*_words_in(node)]
        sides = {topic for topic in (Topic.CHOSEN, Topic.REJECTED) if any(topics.is_about(w, topic) for w in words)}
        if len(sides) == 1:
            return sides.pop()
        if sides:
            return None
    return None


def _words_in(node: Node) -> Iterator[str]:
    """The names and keys in an expression."""
    for inner in walk(node):
        if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield inner.value
        elif isinstance(inner, (ast.Name, ast.Attribute)):
            yield last_name(inner)


def _preferred(difference: ast.BinOp, call: Call, *, swapped: bool) -> Preferred | None:
    """How a loss that falls with a difference, or rises with it, prefers the rejected answers, if it does."""
    left, right = (difference.right, difference.left) if swapped else (difference.left, difference.right)
    chosen, rejected = place(right) or "", place(left) or ""
    if _speaks_of(chosen, Topic.CHOSEN) and _speaks_of(rejected, Topic.REJECTED):
        return Preferred(difference, chosen, rejected, Answer(True, Evidence.CONVENTIONAL, corroborated=True))
    first = side_of_reward(right, call.frame)
    second = side_of_reward(left, call.frame) if first is not None and first.topic is Topic.CHOSEN else None
    if first is None or second is None or second.topic is not Topic.REJECTED:
        return None
    sites = (first.site, second.site)
    chosen, rejected = text(call.module, right), text(call.module, left)
    handed = _handed_over(difference, call)
    return Preferred(difference, chosen, rejected, Answer(True, Evidence.USED, sites), sites, handed)


def _handed_over(difference: ast.BinOp, call: Call) -> Site | None:
    """The only call of a function whose parameters are the two sides of a difference."""
    sides = [call.function.bindings.get(place(side) or "", ()) for side in (difference.left, difference.right)]
    parameters = all(len(bound) == 1 and bound[0].kind == "param" for bound in sides)
    callers = call.project.callers(call.function) if parameters else []
    return Site(callers[0][1].module, callers[0][0]) if len(callers) == 1 else None


def _differences(node: ast.Call, call: Call) -> list[ast.BinOp]:
    """The differences that a call may be given, each perhaps times a positive setting, and what they lie in, as that
    less a margin, before it."""
    return list(_differences_in(node.args[0], call, _STEPS)) if len(node.args) == 1 else []


def _differences_in(node: Node, call: Call, steps: int) -> Iterator[ast.BinOp]:
    bound = bound_at(node, call.function) if isinstance(node, ast.Name) else ()
    values = [b.value for b in bound if b.kind == "assign" and not b.path]
    if bound and steps:
        for value in values if len(values) == len(bound) else ():
            yield from _differences_in(value, call, steps - 1)
        return
    match node:
        case ast.BinOp(op=ast.Mult() | ast.Div(), left=left, right=right):
            for side, factor in ((left, right), (right, left)):
                if isinstance(factor, (ast.Name, ast.Attribute, ast.Constant)) and steps:
                    yield from _differences_in(side, call, steps - 1)
        case ast.BinOp(op=ast.Sub(), left=left):
            yield node
            yield from _differences_in(left, call, steps - 1) if steps else ()


def _speaks_of(name: str, topic: Topic) -> bool:
    other = Topic.REJECTED if topic is Topic.CHOSEN else Topic.CHOSEN
    return topics.is_about(last_part(name), topic) and not topics.is_about(last_part(name), other)


def _is_loss(call: Call) -> bool:
    """Is what a call gives bound to a name or returned, and not only shown?"""
    kept = [s for s in statements(call.function) if isinstance(s, (ast.Assign, ast.AugAssign, ast.Return))]
    holding = next((s for s in kept if any(n is call.node for n in walk(s))), None)
    given = [a for n in walk(holding) if isinstance(n, ast.Call) for a in all_arguments(n)] if holding else []
    return holding is not None and not any(n is call.node for a in given for n in walk(a))


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
