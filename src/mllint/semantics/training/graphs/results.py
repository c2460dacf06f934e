"""What becomes of what a model gives: does its graph end in numbers, or may somebody still differentiate it?

    for x, y in loader:
        out = net(x)                                  # carries the graph
        correct += (out.argmax(1) == y).sum().item()  # plain numbers: the graph is dropped with the iteration

The answer is read off the loop in which the model runs: the names that carry the graph are followed through its
assignments, in order. `item`, `argmax`, a comparison, `print` and the like end a graph. It escapes where it is
returned, yielded, added up, put into a container or an attribute, given to a call that keeps no result, or read below
the loop. What escapes may be differentiated; nothing is claimed then.

This is evidence without names: a graph that always ends in numbers is recorded for nothing, whatever the function is
called.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from typing import TYPE_CHECKING

from mllint.semantics.libraries.tensor_methods import PAIRS
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.names import bindings_at
from mllint.semantics.syntax.nodes import BLOCKS, Node, last_name, walk

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, LoopRun
    from mllint.semantics.syntax.module import FunctionScope

__all__ = ["becomes_numbers"]

_ENDS = frozenset(
    "item tolist numpy detach argmax argmin argsort nonzero eq ne gt lt ge le isnan print float int bool len str repr "
    "round format size dim numel long".split()
)

_PLAIN = frozenset("shape dtype device data ndim requires_grad".split())
_LINES_PER_FUEL = 8  # following a value through a line costs less than an evaluation


def becomes_numbers(forward: Event, run: LoopRun) -> bool:
    """Whether all that a run of a model gives, directly in a loop, ends in plain numbers within the iteration."""
    loop = run.node
    if run.frame is not forward.frame or not isinstance(loop, ast.For):
        return False
    project = forward.frame.project
    if project.fuel < 0:
        project.cut_short()
        return False
    following = _Following(forward.call)
    passed = _passes_through(following, loop)
    project.fuel -= following.lines // _LINES_PER_FUEL
    if not passed:
        return False
    return following.met and not any(_is_read_below(name, loop, forward.function) for name in following.names)


def _is_read_below(name: str, loop: ast.For, function: FunctionScope) -> bool:
    """Is what a loop binds a name to read below it? Another loop that binds the name anew reads its own."""
    end = loop.end_lineno or loop.lineno
    for node in reversed(_reads(function).get(name, ())):
        if node.lineno <= end:
            return False
        bound = bindings_at(node, function)
        if bound is None or any(loop.lineno <= getattr(b.node, "lineno", 0) <= end for b in bound):
            return True
    return False


def _passes_through(following: _Following, loop: ast.For) -> bool:
    """Whether no statement of a loop lets the graph escape: from the one with the run of the model on, to where no name
    carries it any more."""
    line = following.call.lineno
    first = bisect_left(loop.body, line, key=_last_line)
    for statement in loop.body[first:]:
        following.lines += _last_line(statement) - statement.lineno + 1
        if not following.passes(statement):
            return False
        if not following.names and (following.met or _last_line(statement) > line):
            break
    return True


def _last_line(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


@cached_per_scope(local=True)
def _reads(function: FunctionScope) -> dict[str, list[ast.Name]]:
    """Where a function, or one in it, reads each name, in the order of the lines."""
    read = (n for s in function.body for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    found: dict[str, list[ast.Name]] = {}
    for node in sorted(read, key=lambda n: n.lineno):
        found.setdefault(node.id, []).append(node)
    return found


class _Following:
    """Follows one result through the statements of a loop.

    Attributes:
        names: the names that carry its graph so far.
        met: whether the run of the model has been met.
        lines: how many lines it was followed through.
    """

    def __init__(self, call: Node) -> None:
        self.call = call
        self.names: set[str] = set()
        self.met = False
        self.lines = 0

    def passes(self, statement: Node) -> bool:
        """Whether a statement lets no graph escape."""
        match statement:
            case ast.Assign(targets=[ast.Tuple(elts=[values, indices])], value=ast.Call() as call) if _is_pair(call):
                return self._binds(values, carries=self._carries(call)) and self._binds(indices, carries=False)
            case ast.Assign(targets=targets, value=value):
                return all(self._binds(target, carries=self._carries(value)) for target in targets)
            case ast.AnnAssign(target=target, value=value):
                return self._binds(target, carries=self._carries(value))
            case ast.AugAssign(value=value) | ast.Return(value=value):
                return not self._carries(value)
            case ast.Expr(value=ast.Call() as call):
                return not self._carries(call) or call is self.call
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return not any(isinstance(n, ast.Name) and n.id in self.names for n in walk(statement))
        blocks = [inner for name in BLOCKS for inner in getattr(statement, name, None) or ()]
        heads = [getattr(statement, name, None) for name in ("test", "iter", "value", "subject", "guard")]
        heads += [item.context_expr for item in getattr(statement, "items", None) or ()]
        if any(self._carries(head) for head in heads):
            return False
        return all(self.passes(inner) for inner in blocks)

    def _binds(self, target: Node, *, carries: bool) -> bool:
        """Takes note of what a target is bound to; False where the graph is kept in anything but a name."""
        names = [n for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        if not carries:
            self.names -= {n.id for n in names}
            return True
        self.names |= {n.id for n in names}
        return not any(isinstance(n, (ast.Attribute, ast.Subscript)) for n in walk(target))

    def _carries(self, node: Node) -> bool:
        """Whether the value of an expression carries the graph."""
        if node is None:
            return False
        if node is self.call:
            self.met = True
            return True
        match node:
            case ast.Name(id=name):
                return name in self.names
            case ast.Attribute(value=value, attr=attr):
                return self._carries(value) and attr not in _PLAIN
            case ast.Compare() | ast.JoinedStr():
                self.met = self.met or any(n is self.call for n in walk(node))
                return False
            case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=1)) if _is_pair(call):
                self._carries(call)
                return False
            case ast.Call():
                carried = [self._carries(child) for child in _children(node)]
                return any(carried) and not _ends(node)
        carried = [self._carries(child) for child in _children(node)]  # all of them: the model may run in any
        return any(carried)


def _ends(call: ast.Call) -> bool:
    """Does a call give plain numbers, or nothing?"""
    return last_name(call.func) in _ENDS


def _is_pair(call: ast.Call) -> bool:
    """Does a call give values and their indices?"""
    return last_name(call.func) in PAIRS


def _children(node: Node) -> list[Node]:
    """The expressions directly below an expression."""
    found: list[Node] = []
    for name in node._fields:
        value = getattr(node, name, None)
        found += [v for v in (value if isinstance(value, list) else [value]) if isinstance(v, ast.AST)]
    return found
