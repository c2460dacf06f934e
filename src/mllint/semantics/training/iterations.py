"""In which iterations of a loop does something happen?

    for i, batch in enumerate(loader):
        ...
        if i == len(loader) - 1:      # in the last iteration only: what it leaves behind meets the next epoch,
            validate(model)           # and no other batch of this one

Answers with plain truths, read off the tests around an event and the iterable of the loop. A test that cannot be read
says nothing: the event may happen in any iteration.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from mllint.semantics.syntax.module import last_name, place, turned, walk

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, LoopRun
    from mllint.semantics.values.project import Project
    from mllint.semantics.values.values import Value

__all__ = ["allocations", "is_built_in", "is_last_iteration"]


def allocations(value: Value, project: Project) -> set[int]:
    """The expressions that build an object, by their ids."""
    keys = [project.keys[i] for i in value.identities]
    return {key[2] for key in keys if isinstance(key, tuple) and key[0] == "new"}


def is_built_in(value: Value, run: LoopRun) -> bool:
    """Whether an object is built anew in each iteration of a loop."""
    built = allocations(value, run.frame.project)
    return bool(built) and any(id(n) in built for n in walk(run.node))


def is_last_iteration(event: Event, run: LoopRun) -> bool:
    """Whether a test around an event holds in the last iteration of a loop only: `i == len(loader) - 1`."""
    index = _index(run.node)
    for test, holds, frame in event.conditions if index else ():
        if frame is run.frame and any(_is_last(part, index, equal, run) for part, equal in _parts(test, holds)):
            return True
    return False


def _index(loop: Any) -> str:
    """`i` of `for i, batch in enumerate(loader)`, or of `for i in range(n)`."""
    match loop:
        case ast.For(target=ast.Name(id=index), iter=ast.Call(func=ast.Name(id="range" | "trange"))):
            return index
        case ast.For(target=ast.Tuple(elts=[ast.Name(id=index), _]), iter=given):
            called = [last_name(n.func) for n in walk(given) if isinstance(n, ast.Call)]
            return index if "enumerate" in called else ""
    return ""


def _parts(test: Any, holds: bool) -> list[tuple[Any, bool]]:
    """What surely holds, or surely does not, where a test does or does not: `i == n` of `not (i != n or quiet)`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _parts(test.operand, not holds)
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And if holds else ast.Or):
        return [part for value in test.values for part in _parts(value, holds)]
    return [(test, holds)]


def _is_last(test: Any, index: str, holds: bool, run: LoopRun) -> bool:
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    if not isinstance(test.ops[0], ast.Eq if holds else ast.NotEq):
        return False
    sides = (test.left, test.comparators[0])
    counted = [any(isinstance(n, ast.Name) and n.id == index for n in walk(side)) for side in sides]
    return counted[0] != counted[1] and _is_length(sides[counted[0]], run)


def _is_length(node: Any, run: LoopRun) -> bool:
    """Is it the number of iterations: `len(loader)`, `len(loader) - 1`, or a name for one of these?"""
    given = run.node.iter
    if isinstance(given, ast.Call) and last_name(given.func) in ("range", "trange"):
        ends = {place(n) for a in given.args[:2] for n in walk(a)} - {None}
        return any(place(n) in ends for n in walk(node))
    looped = place(turned(given))
    nodes = [node]
    if isinstance(node, ast.Name):
        nodes = [b.value for b in run.frame.function.bindings.get(node.id, ()) if b.value is not None]
    lengths = [n for outer in nodes for n in walk(outer) if isinstance(n, ast.Call) and last_name(n.func) == "len"]
    if not lengths or looped is None:
        return False
    return all(len(n.args) == 1 and _is_iterated(n.args[0], looped, run) for n in lengths)


def _is_iterated(node: Any, looped: str, run: LoopRun) -> bool:
    """Is it what the loop goes through, or what `with tqdm(loader) as bar:` has made a bar of?"""
    if place(node) == looped:
        return True
    values = [b.value for b in run.frame.function.bindings.get(looped, ()) if b.value is not None]
    return any(place(turned(v)) == place(node) is not None for v in values)
