"""Is a reward that of the chosen answers, or of the rejected ones, by the columns that the model read?

    def collate(rows):                                              # the columns of the data
        return encode([r["chosen"] for r in rows]), encode([r["rejected"] for r in rows])
    for good, bad in DataLoader(rows, collate_fn=collate):
        first, second = model(**bad).logits, model(**good).logits   # `side_of_reward`: REJECTED, CHOSEN

A reward is what a model, or a layer of one, gives, in another form perhaps; it is followed through names, parameters
and functions of the user's. What the model read is followed to the keys of rows, through the collate function of a
loader as well. One that leads to both kinds, or to neither, is of neither side: so is the sum of two rewards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import LOADER, MODULE
from mllint.semantics.libraries.tensor_methods import SAME_ENTRIES
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, all_arguments, iterable_of
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.values.classes import constructor_argument, method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins, part_at, resolve_name, results_of
from mllint.semantics.values.values import InstanceValue

__all__ = ["RewardSide", "side_of_reward"]

_SIDES = (Topic.CHOSEN, Topic.REJECTED)


class RewardSide(NamedTuple):
    """Of which answers a reward is.

    Attributes:
        topic: CHOSEN or REJECTED.
        site: where the model gives it.
    """

    topic: Topic
    site: Site


def side_of_reward(node: Node, frame: Frame) -> RewardSide | None:
    """Of which answers an expression is the reward, if all columns that the model read for it say the same.

    Args:
        node: the expression.
        frame: its context.
    """
    runs = list(_runs(node, frame))
    found = [_side(run) for run in runs]
    topics_found = {side for side in found if side is not None}
    if len(topics_found) != 1 or None in found:
        return None
    return RewardSide(topics_found.pop(), runs[0].site)


def _runs(node: Node, frame: Frame) -> Iterator[Call]:
    """The calls of models that give a reward; none of what is computed of one."""
    for origin in origins(node, frame, through=_keeps_reward):
        if isinstance(origin.node, ast.Call) and _is_module(Call(origin.node, origin.frame)):
            yield Call(origin.node, origin.frame)


def _keeps_reward(origin: Origin) -> bool:
    """Is it a name, a part of an output, or another form of a reward?"""
    match origin.node:
        case ast.Name() | ast.Attribute(attr="logits") | ast.Subscript():
            return True
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in SAME_ENTRIES:
            return True
        case ast.Call():
            entered = next(results_of(origin.node, origin.frame), None) is not None
            return entered and not _is_module(Call(origin.node, origin.frame))
    return False


def _is_module(call: Call) -> bool:
    return bool(call.callee.alternatives) and call.callee.instance_of(MODULE)


def _side(run: Call) -> Topic | None:
    """The kind of answers that a model read, by the keys of its rows."""
    read = {topic for node in all_arguments(run.node) for topic in _kinds(node, run.frame)}
    return read.pop() if len(read) == 1 else None


def _kinds(node: Node, frame: Frame) -> Iterator[Topic]:
    for origin in origins(node, frame):
        key = _key(origin.node)
        sides = [topic for topic in _SIDES if key is not None and topics.is_about(key, topic)]
        yield from sides if len(sides) == 1 else ()
        batch = origin.node.value if isinstance(origin.node, ast.Subscript) else origin.node
        if isinstance(batch, ast.Name):
            for binding in bound_at(batch, origin.frame.function):
                yield from _kinds_of_batch(binding, key, origin.frame)


def _key(node: Node) -> str | None:
    match node:
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
    return None


def _kinds_of_batch(binding: Binding, entry: str | None, frame: Frame) -> Iterator[Topic]:
    """The kinds that a part of a batch, or an entry, is of: what the collate function of the loader makes it of."""
    if binding.kind != "for" or not (binding.path or entry):
        return
    loader = evaluate(iterable_of(binding.value), frame)
    given = constructor_argument(loader, "collate_fn") if loader.instance_of(LOADER) else None
    function: FunctionScope | None = None
    if given is not None:
        function = method(given.cls, "__call__") if isinstance(given, InstanceValue) else given.function
    if function is None or function.stubbed:
        return
    inner = frame.project.frame(function)
    for returned in function.returns:
        whole = resolve_name(returned.value, function)
        part = part_at(whole, binding.path) if binding.path else _entry(whole, entry)
        if part is not None:
            yield from _kinds(part, inner)


def _entry(node: Node, name: str | None) -> Node:
    """What a dictionary that is written out has under a key."""
    pairs = zip(node.keys, node.values, strict=True) if isinstance(node, ast.Dict) else ()
    return next((v for k, v in pairs if isinstance(k, ast.Constant) and k.value == name), None)
