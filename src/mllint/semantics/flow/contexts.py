"""Context managers of the project's own: what runs on the way into a `with`, and what runs on the way out of it.

A generator under `contextlib.contextmanager` runs up to its `yield`, then the body of the `with`, then what follows the
`yield`; of an object `__enter__` and `__exit__` run. Who leaves the body early (`return`, `break`) is led through the
way out, too. What a body raises is not followed: it ends the flow, as elsewhere.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from mllint.semantics.flow.open_ends import Ends, Jumps
from mllint.semantics.flow.roots import is_eventful
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import BODIES, Node
from mllint.semantics.values.arguments import Arguments
from mllint.semantics.values.bodies import enter
from mllint.semantics.values.calls import callee
from mllint.semantics.values.classes import method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.gradmode import grad_mode_of_context
from mllint.semantics.values.values import FunctionValue, InstanceValue, Value

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame

__all__ = ["MAX_DEPTH", "Contexts"]

MAX_DEPTH = 6  # calls that are entered, below which one more is


class _Walk(Protocol):
    """The walk over the statements, of which this is a part: see `build`."""

    ends: Ends
    jumps: list[Jumps]
    assumed_before: int
    returns: list[Ends]
    grad_off: list[bool | None]
    depth: int

    def visit_block(self, body: list[ast.stmt], frame: Frame) -> None: ...
    def visit_expression(self, node: Node, frame: Frame) -> None: ...
    def inline(self, function: FunctionScope, frame: Frame, part: list[ast.stmt] | None = None) -> None: ...


class Contexts:
    """The `with` statements of a walk."""

    def __init__(self, walk: _Walk) -> None:
        self.walk = walk
        self.yields: list[Callable[[], None]] = []  # what runs where the context managers that are open yield

    def within(self, node: Node, first: int, frame: Frame) -> None:
        """The contexts of a `with` from one on, and its body."""
        walk = self.walk
        if first == len(node.items):
            walk.visit_block(node.body, frame)
            return
        context, off = node.items[first].context_expr, walk.grad_off[-1]
        state = grad_mode_of_context(context, frame)
        if state != "same":
            off = None if state is None else (off or None) if state == "unread" else not state

        def inside() -> None:
            walk.grad_off.append(off)
            self.within(node, first + 1, frame)
            walk.grad_off.pop()

        if walk.depth > MAX_DEPTH or not (
            self._generator(context, frame, inside) or self._object(context, frame, inside)
        ):
            walk.visit_expression(context, frame)
            inside()

    def resume(self) -> bool:
        """Run what the innermost context manager that is open is about, where it yields; False if none is open."""
        if self.yields:
            self.yields[-1]()
            return True
        return False

    def _generator(self, node: Node, frame: Frame, inside: Callable[[], None]) -> bool:
        """What a generator does around a body; False if the context is none, or nothing happens in it."""
        value = _find_context_generator(node, frame)
        if value is None or not isinstance(value.target, FunctionScope) or not is_eventful(value.target):
            return False
        function = value.target
        for argument in (*node.args, *(k.value for k in node.keywords)):
            self.walk.visit_expression(argument, frame)
        arguments = Arguments(node, frame)
        inner = enter(function, value.receiver, arguments, frame, closure=value.closure, node=node)
        if inner is None:
            return False
        inner.value_depth = 0
        self._inline_called(function, inner, inside)
        return True

    def _inline_called(self, function: FunctionScope, inner: Frame, inside: Callable[[], None]) -> None:
        """The body of a generator, with that of the `with` where it yields."""
        walk = self.walk
        jumps, assumed_before, level = walk.jumps, walk.assumed_before, len(walk.returns)

        def resume() -> None:
            mine = walk.jumps, walk.assumed_before, walk.returns, self.yields
            walk.jumps, walk.assumed_before, walk.returns = jumps, assumed_before, walk.returns[:level]
            self.yields = self.yields[: self.yields.index(resume)]
            with self._leaving(lambda: walk.inline(function, inner, _way_out(function))):
                inside()
            walk.jumps, walk.assumed_before, walk.returns, self.yields = mine

        self.yields = [*self.yields, resume]
        walk.inline(function, inner)
        self.yields = self.yields[:-1]

    def _object(self, node: Node, frame: Frame, inside: Callable[[], None]) -> bool:
        """What the methods of an object do around a body; False if it has none in which anything happens."""
        found = _find_context_manager(node, frame)
        if found is None or not any(f is not None and is_eventful(f) for f in found[1:]):
            return False
        receiver, begin, end = found
        self.walk.visit_expression(node, frame)
        self._method(begin, receiver, node, frame)
        with self._leaving(lambda: self._method(end, receiver, node, frame)):
            inside()
        self._method(end, receiver, node, frame)
        return True

    def _method(self, function: FunctionScope | None, receiver: Value, node: Node, frame: Frame) -> None:
        """A method that the language calls, of whose arguments nothing is known."""
        inner = enter(function, receiver, None, frame, node=node) if function is not None else None
        if function is not None and inner is not None:
            inner.value_depth = 0
            self.walk.inline(function, inner)

    @contextmanager
    def _leaving(self, end: Callable[[], None]) -> Iterator[None]:
        """Lead what leaves the function or the loop around through the end of a context."""
        walk = self.walk
        returns, jumps = walk.returns, walk.jumps
        targets = [returns[-1], *((jumps[-1].breaks, jumps[-1].continues) if jumps else ())]
        held: list[Ends] = [[] for _ in targets]
        walk.returns = [*returns[:-1], held[0]]
        walk.jumps = [*jumps[:-1], Jumps(held[1], held[2], jumps[-1].assumed_before)] if jumps else jumps
        yield
        walk.returns, walk.jumps, after = returns, jumps, walk.ends
        for target, ends in zip(targets, held, strict=True):
            if ends:
                walk.ends = ends
                end()
                target.extend(walk.ends)
        walk.ends = after


def _find_context_generator(node: ast.expr, frame: Frame) -> FunctionValue | None:
    """The generator under `contextmanager` that a context is a call of, if it is that and nothing else."""
    if not isinstance(node, ast.Call):
        return None
    match callee(node, frame):
        case FunctionValue(target=FunctionScope() as function) as value if (
            not function.stubbed and function.is_generator
        ):
            return value if function.decorated("contextmanager") else None
    return None


def _find_context_manager(
    node: ast.expr, frame: Frame
) -> tuple[Value, FunctionScope | None, FunctionScope | None] | None:
    """An object of the project's own that is entered, with its `__enter__` and its `__exit__`."""
    value = evaluate(node, frame)
    if not isinstance(value, InstanceValue) or value.cls.module.is_stub:
        return None
    enter, leave = (_own(method(value.cls, name)) for name in ("__enter__", "__exit__"))
    return (value, enter, leave) if enter is not None or leave is not None else None


def _own(function: FunctionScope | None) -> FunctionScope | None:
    return function if function is not None and not function.stubbed else None


def _way_out(function: FunctionScope) -> list[ast.stmt]:
    """The statements of a context manager that run after its `yield`."""
    found = _after(function.body, function.yields[0]) if len(function.yields) == 1 else None
    return found or []


def _after(body: list[ast.stmt], node: ast.AST) -> list[ast.stmt] | None:
    """What follows a node in a block and in what encloses it; None if it is not there."""
    for place, statement in enumerate(body):
        if not any(inner is node for inner in ast.walk(statement)):
            continue
        rest = body[place + 1 :]
        for name in BODIES:
            inner = _after(getattr(statement, name, None) or [], node)
            if inner is not None:
                closing = getattr(statement, "orelse", []) if name == "body" and isinstance(statement, ast.Try) else []
                last = getattr(statement, "finalbody", []) if name != "finalbody" else []
                return [*inner, *closing, *last, *rest]
        return rest
    return None
