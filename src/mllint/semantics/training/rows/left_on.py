"""Is random augmentation left on for held-out data, since it is on unless it is switched off?

    def load(frame, augment=True):                  # the switch, on by default
        steps = [Resize(64)]
        if augment:
            steps += [RandomRotation(30)]           # what it switches on draws at random
        return Rows(frame, Compose(steps))

    train_set, val_set = load(train), load(val)     # neither says `augment=False`

A switch is known by what it switches on, whatever it is called. It may be a parameter of the function that builds the
transform, or one that is handed on as it. Training data has to be built in the same way, with the switch left alone.

Unknown: a test that asks for more than the switch, or stands below another test.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.module import FunctionScope, Parameter
from mllint.semantics.syntax.nodes import Node, is_within, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.rows import augmentation, usage
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame

__all__ = ["LeftOn", "find_left_on"]

_ASKED: Cache[int, Node] = Cache()  # by function, who asked first
_HANDED_ON = 2


class LeftOn(NamedTuple):
    """Held-out data for which a switch was left on.

    Attributes:
        built: what builds it.
        name: what it is bound to.
        training: what builds the training data alike.
        switch: the parameter.
    """

    built: Call
    name: str
    training: Site
    switch: str


def find_left_on(call: Call) -> Iterator[LeftOn]:
    """The held-out data for which the function that a call is written in leaves its random steps on."""
    function = call.function
    while isinstance(function.node, ast.Lambda) and isinstance(function.parent, FunctionScope):
        function = function.parent
    switches = [p for p in function.parameters if _is_on(p)] if not function.is_body else []
    if not switches or _ASKED.of(call.module).setdefault(id(function), call.node) is not call.node:
        return
    for parameter in switches:
        if _switches_random_steps(parameter, function, call.project.frame(function)):
            yield from _built_by(function, parameter.name, call)


def _is_on(parameter: Parameter) -> bool:
    """Is it `True` unless a call says otherwise?"""
    return isinstance(parameter.default, ast.Constant) and parameter.default.value is True


def _switches_random_steps(parameter: Parameter, function: FunctionScope, frame: Frame) -> bool:
    """Does a function take random steps where the parameter is true, and for no other reason?"""
    if len(function.bindings.get(parameter.name, ())) != 1:
        return False
    choices = [n for s in function.body for n in walk(s) if isinstance(n, (ast.If, ast.IfExp))]
    for choice in choices:
        if any(other is not choice and is_within(choice, other) for other in choices):
            continue
        test, chosen = choice.test, choice.body
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, chosen = test.operand, choice.orelse
        if isinstance(test, ast.Name) and test.id == parameter.name:
            taken = chosen if isinstance(chosen, list) else [chosen]
            if any(_is_random(n, frame) for part in taken for n in walk(part)):
                return True
    return False


def _is_random(node: Node, frame: Frame) -> bool:
    """Does an expression stand for, or apply, a transform that draws at random?"""
    if isinstance(node, ast.Call):
        return any(augmentation.random_step(evaluate(n, frame)) is not None for n in (node, node.func))
    loaded = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    return loaded and augmentation.random_step(evaluate(node, frame)) is not None


def _built_by(function: FunctionScope, switch: str, call: Call, depth: int = _HANDED_ON) -> Iterator[LeftOn]:
    """What a function builds in the calls that leave a switch on, or those that call such a function."""
    left: list[tuple[Call, list[str]]] = []
    for node, frame in call.project.callers(function):
        made = Call(node, frame)
        handed, _ = bind(function, node, frame)
        given = handed.get(switch)
        outer = frame.function
        if isinstance(given, Passed):
            parameter = outer.parameter(place(given.node) or "") if isinstance(given.node, ast.Name) else None
            if parameter is not None and _is_on(parameter) and depth and outer is not function:
                yield from _built_by(outer, parameter.name, call, depth - 1)
        elif not made.is_open and not usage.is_only_shown(made):
            left.append((made, augmentation.held_targets(node, outer)))
    training = next((made for made, names in left if names and all(map(roles.is_training_name, names))), None)
    for made, names in left if training is not None else ():
        about_tests = any(topics.is_about(n, Topic.TEST_TIME_AUGMENTATION, Topic.DISTURBANCE) for n in names)
        if names and all(map(roles.is_held_out_name, names)) and not about_tests and training is not None:
            if made.function is training.function and _are_given_alike(made, training):
                yield LeftOn(made, names[0], training.site, switch)


def _are_given_alike(held: Call, training: Call) -> bool:
    """Are no options given to the one that may say which part of the data it is?"""
    words = [{k.arg for k in c.node.keywords if topics.is_about(k.arg, Topic.PARTS)} for c in (held, training)]
    constants = [[a.value for a in c.node.args if isinstance(a, ast.Constant)] for c in (held, training)]
    return not any(words) and constants[0] == constants[1]
