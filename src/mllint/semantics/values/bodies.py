"""What does a call of a function of the project give: in which frame does its body run, and what does that return?

A frame binds the parameters to what the call gives, one for each call, function, receiver and context; depth and
re-entry are bounded. What comes back is the union of the returns that the frame can reach, by what it knows of their
tests, or of the yields of a generator.
"""

from __future__ import annotations

import ast

from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import BODIES, Node
from mllint.semantics.values.arguments import Arguments, bind_arguments, handed_receiver
from mllint.semantics.values.ask import ask
from mllint.semantics.values.classes import is_abstract_method
from mllint.semantics.values.decorators import is_wrapper
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import UNKNOWN, BottomValue, ManyValue, Value, literal, union, unknown

__all__ = ["enter", "reachable_returns", "returned_value"]

_DEPTH = 7
_RETURNS = 8  # so many `return`s say what a function gives, and more that it may give anything else, too
_SIMPLE = frozenset((ast.Assign, ast.Expr, ast.AugAssign, ast.AnnAssign, ast.Assert, ast.Import, ast.ImportFrom))


def enter(
    function: FunctionScope, receiver: Value | None, arguments: Arguments | None, frame: Frame, *,
    closure: Frame | None = None, node: Node = None,
) -> Frame | None:  # fmt: skip
    """The frame of a call, one per (call, function, receiver) and context; None beyond the depth or on re-entry.

    Args:
        function: the function.
        receiver: what it is called on, as a method.
        arguments: what it is given; None if nothing is known of that.
        frame: where the call stands.
        closure: the frame around the function's definition.
        node: the call, if there is one.
    """
    if frame.depth >= _DEPTH or _is_recursive(function, closure, frame):
        return None
    marker = node if node is not None else function.node
    key = (id(marker), id(function), receiver.identity if receiver is not None else 0, id(closure))
    known = frame.entered.get(key)
    if known is not None:
        return known
    skip = 1 if receiver is not None else 0
    if skip and arguments is not None and function.owner is None:  # what a decorator put around a method
        arguments, skip = arguments.behind(receiver or UNKNOWN), 0
    bound, complete = bind_arguments(function, arguments, skip) if arguments is not None else ({}, True)
    if receiver is None and function.owner is not None:
        receiver = handed_receiver(function, bound)
    parent = closure if isinstance(closure, Frame) else frame.project.frame(function).parent
    number = frame.project.intern(("call", frame.key, id(marker), id(function)))
    if function.name == "__init__" and receiver is not None and receiver.identity:
        number = frame.project.intern(("init", receiver.identity, id(function)))  # what it makes is what is read later
    context = (frame, marker)
    inner = Frame(
        frame.project, function, parent, key=number, bound=bound, complete=complete, receiver=receiver, caller=context
    )
    frame.entered[key] = inner
    return inner


def _is_recursive(function: FunctionScope, closure: Frame | None, frame: Frame) -> bool:
    """Is a function running already? A wrapper that a decorator made is another one around each function."""
    current: Frame | None = frame
    while current is not None:
        if current.function is function and (current.parent is closure or not is_wrapper(closure)):
            return True
        current = current.caller[0] if current.caller is not None else None
    return False


def returned_value(frame: Frame) -> Value:
    """What a function gives in a frame: the union of its reachable returns, or of its yields."""
    key, project = "returned", frame.project
    known: Value | None = project.recall(frame.memo, key)
    if known is not None:
        return known
    function, before = frame.function, project.touched
    if isinstance(function.node, ast.Lambda):
        value = ask.evaluate(function.node.body, frame)
    elif function.is_generator:
        values = [_yielded(y, frame) for y in function.yields]
        value = ManyValue(union(values))
        if function.decorated("contextmanager", "asynccontextmanager"):
            value = union(values)
    else:
        returns = reachable_returns(frame)
        values = [ask.evaluate(r.value, frame) if r.value is not None else literal(None) for r in returns[:_RETURNS]]
        solid = [v for v in values if not isinstance(v, BottomValue)]
        if len(returns) > _RETURNS:
            solid.append(unknown(project.intern(("returned", frame.key))))
        value = union(solid) if solid else literal(None)
        if not solid and is_abstract_method(function):
            value = unknown(project.intern(("returned", frame.key)))
    project.remember(frame.memo, key, value, before)
    return value


def reachable_returns(frame: Frame) -> list[Node]:
    """The `return` statements of a function that a call can end at, by what its frame knows."""
    returns, body = frame.function.returns, frame.function.body
    if not returns or (len(returns) == 1 and returns[0] in body):
        return returns
    found: list[Node] = []
    _collect_reachable_returns(body, frame, found)
    return found


def _yielded(node: Node, frame: Frame) -> Value:
    if node.value is None:
        return literal(None)
    value = ask.evaluate(node.value, frame)
    return ask.element_of(value, frame, node.value) if isinstance(node, ast.YieldFrom) else value


def _collect_reachable_returns(body: list[ast.stmt], frame: Frame, found: list[Node]) -> bool:
    """Collect the return statements that can be reached with what this frame knows; True if the block always leaves.

    A statement that contains no `return` is passed over: it may raise, but then nothing comes back either.
    """
    lines = [r.lineno for r in frame.function.returns]
    for statement in body:
        if isinstance(statement, (ast.Return, ast.Raise)):
            found.extend([statement] if isinstance(statement, ast.Return) else [])
            return True
        if statement.__class__ in _SIMPLE or not any(
            statement.lineno <= line <= (statement.end_lineno or 0) for line in lines
        ):
            continue
        if isinstance(statement, ast.If):
            truth = ask.evaluate(statement.test, frame).truth
            left = _collect_reachable_returns(statement.body, frame, found) if truth is not False else True
            right = _collect_reachable_returns(statement.orelse, frame, found) if truth is not True else True
            if left and right:
                return True
            continue
        for block in BODIES:
            inner = getattr(statement, block, None)
            if inner and not isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                left = _collect_reachable_returns(inner, frame, found)
                if left and isinstance(statement, (ast.With, ast.AsyncWith)):
                    return True
        for handler in [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]:
            _collect_reachable_returns(handler.body, frame, found)
    return False
