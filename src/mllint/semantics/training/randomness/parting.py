"""Which order decides about the rows that are held out?

    train, test = names[:n], names[n:]                   # `find_sliced_parts`: two slices of one sequence
    held = set(random.sample(names, n))                  # `find_picked_parts`: rows are taken apart by what is in it

A draw that no seed fixes has lost the order before it (`is_unseeded_split`); one that is the same in each run hands it
on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.randomness import seeds
from mllint.semantics.training.rows import slices
from mllint.semantics.values.lineage import is_same_place, origins, statements

__all__ = ["cuts", "find_picked_parts", "find_sliced_parts", "is_repeatable", "is_unseeded_split"]

_SHUFFLED = frozenset("permutation randperm sample".split())
_SETS = frozenset("set frozenset list tuple".split())


def find_sliced_parts(function: FunctionView) -> Iterator[tuple[Node, Node]]:
    """`files[:n]` and `files[n:]`, with the first and the rest in different hands."""
    for first, second, _ in cuts(function):
        if is_same_place(first.value, second.value, function.frame):
            yield second.value, second
        yield from _permuted(second, function)


def cuts(function: FunctionView) -> Iterator[tuple[Node, Node, Evidence]]:
    """The pairs of slices that part rows; what is shuffled and cut in two is parted by chance, whatever it is for."""
    shuffled = (c.args[0] for c in function.scope.calls if last_name(c.func) == "shuffle" and c.args)
    return slices.complementary_slices(function.scope, {place(node) or "" for node in shuffled})


def find_picked_parts(function: FunctionView) -> Iterator[tuple[Node, Node]]:
    """`held = set(names[:n])`, or `random.sample(names, n)`, where rows are taken apart by what is in it."""
    for name, found in function.scope.bindings.items():
        value = found[0].value if len(found) == 1 and found[0].kind == "assign" and not found[0].path else None
        while isinstance(value, ast.Call) and last_name(value.func) in _SETS and len(value.args) == 1:
            value = value.args[0]
        sequence = _taken_from(value, function)
        if sequence is not None and _takes_apart(name, function):
            yield sequence, value


def _taken_from(value: Node, function: FunctionView) -> Node:
    """What a part is taken from by its order: `names` of `names[:n]`, and of a draw that is the same in each run."""
    match value:
        case ast.Subscript(value=sequence, slice=ast.Slice()):
            return sequence
        case ast.Call(func=ast.Attribute(attr="sample" | "choice"), args=[sequence, _, *_]):
            return None if is_unseeded_split(Call(value, function.frame), function) else sequence
        case ast.Call(func=ast.Name(id="sample"), args=[sequence, _, *_]):
            return None if is_unseeded_split(Call(value, function.frame), function) else sequence
    return None


def _takes_apart(name: str, function: FunctionView) -> bool:
    """Are rows taken apart by what is in a set: those that are in it, and those that are not?"""
    tests = set()
    for node in walk(function.scope.node):
        match node:
            case ast.Compare(ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Name(id=of)]) if of == name:
                tests.add(isinstance(op, ast.In))
            case ast.UnaryOp(op=ast.Invert(), operand=ast.Call(args=[ast.Name(id=of)]) as inner) if of == name:
                tests |= {False} if last_name(inner.func) == "isin" else set()
            case ast.Call(func=ast.Attribute(attr="isin"), args=[ast.Name(id=of)]) if of == name:
                tests.add(True)
    return len(tests) > 1


def _permuted(part: Node, function: FunctionView) -> Iterator[tuple[Node, Node]]:
    """`[files[i] for i in order[:n]]`, where `order` is a permutation: a fixed seed does not fix what it permutes."""
    for node in (n for s in statements(function.scope) for n in walk(s) if isinstance(n, ast.ListComp)):
        source, chosen = node.generators[0], node.elt
        if source.iter is not part or not isinstance(source.target, ast.Name) or not isinstance(chosen, ast.Subscript):
            continue
        steps = list(origins(getattr(part, "value", part), function.frame))
        drawn = [o for o in steps if isinstance(o.node, ast.Call) and last_name(o.node.func) in _SHUFFLED]
        if drawn and not any(is_unseeded_split(Call(o.node, o.frame), function) for o in drawn):
            if isinstance(chosen.slice, ast.Name) and chosen.slice.id == source.target.id:
                yield chosen.value, node


def is_unseeded_split(split: Call, function: FunctionView) -> bool:
    """Does a split draw anew in each run, so that the order before it is lost anyway?"""
    stream = seeds.drawn_stream(split)
    return stream is not None and not is_repeatable(stream, function)


def is_repeatable(stream: str, function: FunctionView) -> bool:
    """Is a random stream seeded by a program that comes to a function, or in the function itself?"""
    reached = seeds.programs(function.scope, function.project)
    if any(seeds.seeding_calls(p, stream, function.project) for p in reached):
        return True
    own = (c for c in function.scope.calls if topics.is_about(last_name(c.func), Topic.SEEDING))
    return any(not seeds.streams_of(c, function.frame).isdisjoint((stream, "?")) for c in own)
