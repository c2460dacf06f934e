"""What does an `except` clause do, and what does its `try` protect?

The questions that the rules about swallowed errors share: is the handler without consequence (it passes, logs, goes
on), and does a training step run in the statements before it?
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, FunctionView, Handler
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.nodes import Node, is_within, last_name, mentions_place, place, walk
from mllint.semantics.syntax.sites import text
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.values.plain import quiet_names
from mllint.semantics.values.values import Site

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = [
    "ANY", "BACKWARD", "BROAD", "LOGS", "catches_any_of", "clause", "clears_grads_or_cache", "find_backward_call",
    "handlers", "has_no_effect", "head", "is_called_repeatedly", "is_epoch_loop", "is_hidden", "is_silent_handler",
    "is_text", "logs_anything", "only_logs", "raises_or_counts", "returns_partial_result", "runs_backward",
    "statements_of_handler", "swallows_error",
]  # fmt: skip

ANY = frozenset(("", "Exception", "BaseException"))
BROAD = ANY | frozenset(
    "RuntimeError ValueError TypeError AssertionError IndexError KeyError AttributeError Error".split()
)
LOGS = frozenset(
    """print debug info warning warn error exception critical log write print_exc print_exception format_exc echo
    print_stack pprint set_postfix set_description flush""".split()
)
_DRAWS = frozenset("set_postfix set_description flush write".split())  # what is seen only while it runs
_TIDIES = frozenset("empty_cache collect zero_grad".split())
BACKWARD = frozenset("backward manual_backward".split())
_STATEMENTS = 20
_UPDATE = frozenset(("zero_grad", "backward", "step"))


def handlers(function: FunctionView) -> Iterator[Handler]:
    """The handlers written directly in a function, outside of tests."""
    if not function.scope.name.startswith("test"):
        for statement, node in function.scope.handlers:
            yield Handler(node, statement, function.frame)


def catches_any_of(handler: Handler, kinds: frozenset[str]) -> bool:
    """Does it catch one of these exceptions (a bare `except` counts as "")?"""
    return bool(kinds & set(handler.caught or [""]))


def swallows_error(handler: Handler, *, returning: bool) -> bool:
    """Does it nothing but pass, continue, log (itself or by a function of the project) or, if `returning`, return
    nothing?"""
    return all(has_no_effect(s, returning=returning, frame=handler.frame) for s in handler.node.body)


def has_no_effect(statement: Node, frame: Frame | None = None, steps: int = 2, *, returning: bool) -> bool:
    """Is the statement without consequence for what comes after?

    Args:
        statement: what is done.
        returning: whether to return nothing is without consequence.
        frame: the context, where functions of the project that only log count as well, and texts for them.
        steps: how many of these functions may call the next.
    """
    match statement:
        case ast.Pass() | ast.Continue() | ast.Delete() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Constant()):
            return True
        case ast.Expr(value=ast.Call(func=func) as call):
            known = last_name(func) in LOGS or last_name(func) in _TIDIES
            return known or (frame is not None and only_logs(Call(call, frame), steps))
        case ast.Assign(targets=[ast.Name()], value=value):
            return frame is not None and is_text(value)
        case ast.Return(value=value):
            return returning and (value is None or (isinstance(value, ast.Constant) and value.value is None))
        case ast.If(body=body, orelse=orelse):
            return all(has_no_effect(s, returning=returning, frame=frame, steps=steps) for s in (*body, *orelse))
    return False


def only_logs(call: Call, steps: int) -> bool:
    """Does a call enter functions of the project that print or log, and do nothing else?"""
    found = call.callees if steps and call.last_name in call.project.reach.own_names() else []
    return bool(found) and all(
        not f.stubbed
        and not f.is_body
        and any(isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) for s in f.body)
        and all(has_no_effect(s, returning=True, frame=call.project.frame(f), steps=steps - 1) for s in f.body)
        for f in found
    )


def statements_of_handler(handler: Handler) -> list[Node]:
    """The statements of a handler, and those of the functions of the project that log for it."""
    found = list(handler.node.body)
    for position in range(_STATEMENTS):
        if position >= len(found):
            break
        value = found[position].value if isinstance(found[position], ast.Expr) else None
        if isinstance(value, ast.Call) and last_name(value.func) not in LOGS:
            call = Call(value, handler.frame)
            found += [s for f in call.callees for s in f.body] if only_logs(call, 2) else []
    return found


def is_text(value: Node) -> bool:
    """Is it a text that is put together, as for a message?"""
    match value:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.BinOp(left=left, op=ast.Mod() | ast.Add()):
            return is_text(left)
        case ast.Call(func=ast.Attribute(value=inner, attr="format")):
            return is_text(inner)
        case ast.Call(func=func):
            return last_name(func) in ("str", "repr", "format_exc")
    return False


def returns_partial_result(handler: Handler) -> bool:
    """`return optimizers, schedules` in the `try` or below, `except: return optimizers`: what was built so far?"""
    *before, last = handler.node.body
    if not all(has_no_effect(s, returning=False) for s in before) or not isinstance(last, ast.Return):
        return False
    name = place(last.value) if isinstance(last.value, ast.Name) else None
    whole = (r.value for r in handler.function.returns if r is not last and isinstance(r.value, ast.Tuple))
    return name is not None and any(mentions_place(value, name) for value in whole)


def logs_anything(body: list[Node]) -> bool:
    """Does one of these statements print or log something?"""
    return any(isinstance(n, ast.Call) and last_name(n.func) in LOGS - _DRAWS for s in body for n in walk(s))


def is_hidden(body: list[Node]) -> Answer[bool]:
    """Whether what some statements pass over stays hidden; perhaps not where they print or log something."""
    return proven_unless(logs_anything(body), True)


def is_silent_handler(handler: Handler) -> bool:
    """Does it nothing at all: `pass` or `continue`?"""
    return all(isinstance(s, (ast.Pass, ast.Continue)) for s in handler.node.body)


def raises_or_counts(handler: Handler) -> bool:
    """Does it raise, exit or count?"""
    return any(
        isinstance(n, (ast.Raise, ast.AugAssign))
        or (isinstance(n, ast.Call) and last_name(n.func) in ("exit", "_exit", "sleep"))
        for s in handler.node.body
        for n in walk(s)
    )


def clause(handler: Handler) -> str:
    """The handler in words."""
    return f"`except {text(handler.module, handler.node.type)}`" if handler.node.type is not None else "bare `except`"


def head(handler: Handler) -> Site:
    """Where a handler is reported."""
    return Site(handler.module, handler.node)


def find_backward_call(function: FunctionView, body: list[Node]) -> tuple[Node, bool] | None:
    """The call in these statements that runs backward, and whether a whole loop of steps runs inside them."""
    for statement in body:
        for node in walk(statement):
            if isinstance(node, ast.Call):
                found = runs_backward(Call(node, function.frame))
                if found is not None:
                    loops = [
                        r for r in function.scope.loops if is_within(node, r.node) and is_within(r.node, statement)
                    ]
                    return node, found or bool(loops)
    return None


def runs_backward(call: Call, depth: int = 3) -> bool | None:
    """Does a call run backward: None for no; True if it does so in a loop of its own, False if it is one step."""
    if call.last_name in BACKWARD and isinstance(call.node.func, ast.Attribute):
        return False
    reach = call.project.reach
    if not reach.may_enter(call.node, call.function, reach.functions(BACKWARD)) and not _is_variable(call):
        return None
    if not depth:
        return None
    for callee in call.callees:
        if callee.stubbed or callee.is_body:
            continue
        for node in callee.calls:
            inner = Call(node, call.project.frame(callee))
            found = runs_backward(inner, depth - 1)
            if found is not None:
                return found or any(is_within(node, r.node) for r in callee.loops)
    return None


def _is_variable(call: Call) -> bool:
    """Is an object called, in a project of which some objects run backward when they are called?"""
    project, name = call.project, call.last_name
    if name in project.reach.own_names() or name in quiet_names(project.stubs):
        return False
    return _objects_run_backward(project)


@cached()
def _objects_run_backward(project: Project) -> bool:
    running = project.reach.functions(BACKWARD)
    called = (c.methods.get("__call__") for m in project.modules for c in m.classes)
    return any(f is not None and id(f) in running for f in called)


def is_epoch_loop(loop: Node) -> bool:
    """Is it a loop over epochs, not over trials or folds?"""
    return isinstance(loop, (ast.For, ast.AsyncFor)) and topics.is_about(place(loop.target), Topic.EPOCHS)


def is_called_repeatedly(function: FunctionView, depth: int = 2) -> bool:
    """Is the function called in a loop, or by one that is, or, without a known caller, named as one step? A
    method that clears, computes and applies gradients once is one step of something, whoever calls it."""
    if function.scope.owner is not None and _updates_once(function):
        return True
    callers = function.project.callers(function.scope)
    if callers:
        if any(is_within(c, r.node) for c, frame in callers for r in frame.function.loops):
            return True
        around = {id(frame.function): frame for _, frame in callers if not frame.function.is_body}
        return depth > 0 and any(is_called_repeatedly(FunctionView(f.function, f), depth - 1) for f in around.values())
    return any(word in function.scope.name for word in ("step", "batch", "iteration", "optimize", "update", "learn"))


def _updates_once(function: FunctionView) -> bool:
    """Does a method, with what it calls, clear, compute and apply gradients, and in no loop of its own?"""
    called = set(function.scope.called_names)
    if called.isdisjoint(_UPDATE):
        return False
    own = function.project.reach.own_names()
    for call in (c for c in function.calls() if c.last_name in own):
        called.update(*(f.called_names for f in call.callees if not f.stubbed))
    updating = [c for c in function.scope.calls if last_name(c.func) in _UPDATE]
    return called >= _UPDATE and not any(is_within(c, r.node) for r in function.scope.loops for c in updating)


def clears_grads_or_cache(handler: Handler) -> bool:
    """Does it clear gradients or the memory cache, as a handler of out-of-memory errors does?"""
    return any(isinstance(n, ast.Call) and last_name(n.func) in _TIDIES for s in handler.node.body for n in walk(s))
