"""What a comprehension gives: its parts one by one, where what it goes through is written out.

    {part: DataLoader(sets[part], shuffle=part == "train") for part in ("train", "val")}

Each round has a frame of its own, in which the variables of the comprehension are fixed; every other name is read in
the frame around it. So what a round builds is an object of its own, and what stands outside is the same in each.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.nodes import Node, place, walk
from mllint.semantics.values.ask import ask
from mllint.semantics.values.iteration import unpack
from mllint.semantics.values.values import (
    UNKNOWN,
    LiteralValue,
    ManyValue,
    MappingValue,
    SequenceValue,
    Site,
    TensorValue,
    Value,
    literal,
    unknown,
)

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding
    from mllint.semantics.syntax.nodes import Constant
    from mllint.semantics.values.frames import Frame

__all__ = ["dictionary_of", "list_of", "rounds_of"]

_MOST = 4


def rounds_of(node: Node, frame: Frame) -> list[Frame]:
    """The rounds of a comprehension, each as the frame in which its parts are evaluated.

    Args:
        node: the comprehension.
        frame: where it stands.

    Returns:
        The frames of those that its conditions let through; none where it is not known which rounds it makes.
    """
    each = node.generators[0]
    if len(node.generators) > 1 or each.is_async:
        return []
    parts = _gone_through(each.iter, frame)
    if not 0 < len(parts) <= _MOST:
        return []
    bindings = _variables(each.target, frame)
    found = []
    for index, part in enumerate(parts):
        inner = _round(node, index, {id(b): unpack(part, b.path, frame) for b in bindings}, frame)
        truths = [ask.evaluate(test, inner).truth for test in each.ifs]
        if None in truths:
            return []
        if all(truths):
            found.append(inner)
    return found


def _gone_through(node: Node, frame: Frame) -> tuple[Value, ...]:
    """What is gone through, if it is written out: the parts of a list, or the first few numbers."""
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[count], keywords=[]):
            number = ask.evaluate(count, frame).literal
            return tuple(map(literal, range(number))) if isinstance(number, int) and number <= _MOST else ()
    through = ask.evaluate(node, frame)
    return through.parts if isinstance(through, SequenceValue) else ()


def _variables(target: Node, frame: Frame) -> list[Binding]:
    """The bindings of the names that a comprehension goes through its parts with."""
    names = [n for n in walk(target) if isinstance(n, ast.Name)]
    return [b for n in names for b in frame.function.bindings.get(n.id, ()) if b.node is n]


def _round(node: Node, index: int, values: dict[int, Value], frame: Frame) -> Frame:
    """The frame of one round: the one that is known, unless more has been found out about its variables since."""
    key = ("round", id(node), index)
    known = frame.entered.get(key)
    if known is None or any(known.overrides.get(b) is not value for b, value in values.items()):
        known = frame.entered[key] = frame.round(values, frame.project.intern((*key, frame.key)))
    return known


def list_of(node: Node, frame: Frame) -> Value:
    """The value of a list, a set or a generator that is written as a comprehension."""
    site = Site(frame.module, node)
    if isinstance(node, ast.SetComp):
        return ManyValue(ask.evaluate(node.elt, frame), traits={"Unordered": site}, site=site)
    rounds = rounds_of(node, frame)
    if rounds:
        return SequenceValue(tuple(ask.evaluate(node.elt, inner) for inner in rounds), site=site)
    return ManyValue(ask.evaluate(node.elt, frame), site=site)


def dictionary_of(node: ast.DictComp, frame: Frame) -> Value:
    """The value of a dictionary that is written as a comprehension. Where its rounds are too many, its keys are known
    if they are written out; where they are not known, it carries what its values carry the gradients of."""
    site = Site(frame.module, node)
    rounds = rounds_of(node, frame)
    keys = [ask.evaluate(node.key, inner) for inner in rounds]
    if keys and all(isinstance(key, LiteralValue) for key in keys):
        pairs = zip(keys, rounds, strict=True)
        return MappingValue({key.literal: ask.evaluate(node.value, inner) for key, inner in pairs}, site=site)
    value = ask.evaluate(node.value, frame)
    if all(isinstance(v, TensorValue) and v.graph for v in value.alternatives):
        return unknown(graph=value.all_graph)
    entries = _unknown_entries(node, frame)
    return MappingValue(entries, site=site) if entries else UNKNOWN


def _unknown_entries(node: ast.DictComp, frame: Frame) -> dict[Constant, Value]:
    """The entries of a dictionary of which no more than the keys is known, as they are written out; else none."""
    each, intern = node.generators[0], frame.project.intern
    if len(node.generators) > 1 or each.ifs or place(each.target) is None or place(node.key) != place(each.target):
        return {}
    keys = ask.evaluate(each.iter, frame)
    parts = keys.parts if isinstance(keys, SequenceValue) else ()
    if not all(isinstance(part, LiteralValue) for part in parts):
        return {}
    return {p.literal: unknown(intern(("entry", id(node), frame.key, p.literal))) for p in parts}
