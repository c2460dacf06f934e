"""In which rounds of a loop does something happen: only in its last one?

`for i, batch in enumerate(loader): ... if i == len(loader) - 1: validate()` comes once in each epoch, when no batch is
left: what it leaves behind meets the head of the next epoch, and no other batch of this one.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any
from mllint.semantics import Event, Flow, LoopRun, SetsMode
from mllint.semantics.module import last_name, place, turned, walk

__all__ = ["begins_in_train_mode", "in_last_round"]


def begins_in_train_mode(mode: Event, flow: Flow) -> bool:
    """Does an event come in the last round of a loop only, around which each epoch begins in train mode?"""
    for run in mode.loops:
        if run.outer and in_last_round(mode, run):
            for other in flow.events(SetsMode):
                if other.option == "train" and other.loops == run.outer and other.concerns(mode) is not False:
                    if len(other.conditions) <= len(mode.conditions) and other.site.line < run.node.lineno:
                        return True
    return False


def in_last_round(event: Event, run: LoopRun) -> bool:
    """Does a test around an event hold in the last round of a loop only: `i == len(loader) - 1`, `epoch == n - 1`?"""
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
    """Is it the number of rounds: `len(loader)`, `len(loader) - 1`, or a name for one of these?"""
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
    return all(len(n.args) == 1 and _same(n.args[0], looped, run) for n in lengths)


def _same(node: Any, looped: str, run: LoopRun) -> bool:
    """Is it what the loop goes through, or what `with tqdm(loader) as bar:` has made a bar of?"""
    if place(node) == looped:
        return True
    values = [b.value for b in run.frame.function.bindings.get(looped, ()) if b.value is not None]
    return any(place(turned(v)) == place(node) is not None for v in values)
