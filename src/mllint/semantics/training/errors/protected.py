"""What does a `try` protect, of which a handler hides the errors: a training step, a construction, the weights?

Each function here looks for one anchor, for the rule `swallowed-training-error`, and says what it is in words; others
ask whether the handler tells anybody.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Call, FunctionView, Handler
from mllint.semantics.libraries.classes import MODULE, OPTIMIZER, SCHEDULER
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import Node, is_within, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles
from mllint.semantics.training.errors.handlers import (
    ANY,
    BACKWARD,
    BROAD,
    LOGS,
    catches_any_of,
    clears_grads_or_cache,
    find_backward_call,
    has_no_effect,
    is_called_repeatedly,
    is_epoch_loop,
    logs_anything,
    returns_partial_result,
    statements_of_handler,
    swallows_error,
)
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.values import ClassValue

__all__ = [
    "LOADING", "find_missing_construction", "find_missing_weights", "find_suppressing_block", "is_swallowed", "step_of",
]  # fmt: skip

LOADING = "loading the weights"
_ALARMS = ("error", "exception", "critical")
_TRACES = ("print_exc", "format_exc", "print_exception")
_METERS = frozenset("max_memory_allocated memory_allocated reset_peak_memory_stats max_memory_reserved".split())


def is_swallowed(handler: Handler, what: str) -> Answer[bool]:
    """Whether nobody hears of an error that a handler catches; perhaps where it says what has failed, where what
    follows is the answer to the failure, or where it prints the whole trace.

    Args:
        handler: the handler.
        what: what its `try` protects, in the words of `step_of`, `find_missing_construction` or `find_missing_weights`.
    """
    answered = (
        _logs_explanation(handler)
        or (what == LOADING and _has_fallback_below_try(handler))
        or _prints_traceback(handler)
    )
    return proven_unless(answered, True)


def _has_fallback_below_try(handler: Handler) -> bool:
    """Does the `try` return where it succeeds, so that what is written below it, more than a `return`, is done only
    where it failed: another architecture is tried?"""
    if not isinstance(handler.statement.body[-1], ast.Return):
        return False
    below = [s for s in handler.function.body if s.lineno > (handler.statement.end_lineno or 0)]
    return handler.statement in handler.function.body and any(not isinstance(s, ast.Return) for s in below)


def _prints_traceback(handler: Handler) -> bool:
    """Does it print or log where the error came from, line by line? Nobody overlooks that."""
    calls = [n for s in statements_of_handler(handler) for n in walk(s) if isinstance(n, ast.Call)]
    return any(
        last_name(c.func) in _TRACES or last_name(c.func) == "exception" or _requests_traceback(c) for c in calls
    )


def _requests_traceback(call: ast.Call) -> bool:
    """Is it a line for the log with `exc_info=True`?"""
    return any(k.arg == "exc_info" and getattr(k.value, "value", True) for k in call.keywords)


def _logs_explanation(handler: Handler) -> bool:
    """Does it log in words of its own what has failed, or as an error, so that whoever reads the log knows? That one
    starts from scratch is no such thing: it reads as if there had been nothing to load."""
    calls = [n for s in handler.node.body for n in walk(s) if isinstance(n, ast.Call) and last_name(n.func) in LOGS]
    calls = [c for c in calls if last_name(c.func) != "debug" or not _is_debug_off(Call(c, handler.frame))]
    if any(isinstance(c.func, ast.Attribute) and c.func.attr in _ALARMS and c.args for c in calls):
        return True
    if any(last_name(c.func) in _TRACES or any(k.arg == "exc_info" for k in c.keywords) for c in calls):
        return True  # with every line that led there
    nodes = [n for c in calls for a in c.args for n in walk(a)]
    words = [n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    caught = any(isinstance(n, ast.Name) and n.id == handler.node.name for n in nodes)
    explained = caught or any(topics.is_about(word, Topic.FAILURE) for word in words)
    return explained and any(" " in word.strip() or not word.isascii() for word in words)  # some scripts have no spaces


def _is_debug_off(line: Call) -> bool:
    """Is a line for `debug` never shown: is it one of `logging`, where no file of the project speaks of that level?"""
    if not any(f.stubbed and f.module.name == "logging" for f in line.callees):
        return False
    texts = (m.source.text.lower() for m in line.project.modules if m.source is not None)
    return not any(text.count("debug") > text.count(".debug(") for text in texts)


def find_suppressing_block(function: FunctionView, call: ast.Call) -> Node:
    """The `with` statement that a `suppress(...)` belongs to, if it is not one of the project's own, which is known."""
    if not Call(call, function.frame).callee.is_unknown:
        return None
    blocks = (n for n in walk(function.scope.node) if isinstance(n, (ast.With, ast.AsyncWith)))
    return next((b for b in blocks if any(i.context_expr is call for i in b.items)), None)


def step_of(function: FunctionView, handler: Handler) -> tuple[Node, str] | None:
    """The training step inside a `try` whose handler lets the run go on."""
    if not catches_any_of(handler, BROAD) or not swallows_error(handler, returning=True):
        return None
    if (
        clears_grads_or_cache(handler)
        and not catches_any_of(handler, ANY)
        and logs_anything(statements_of_handler(handler))
        and not _tests_caught_error(handler)
    ):
        return None
    steps = find_backward_call(function, handler.statement.body)
    if steps is None and function.scope.name == "training_step" and BACKWARD.isdisjoint(function.scope.called_names):
        losses = (c.node for c in handler.calls() if c.value.is_("Loss"))
        return next(((node, "the training step") for node in losses), None)
    steps = steps or _skipped_step(function, handler)
    around = handler.loops()
    if steps is None or _measures_memory(around[-1] if around else function.scope.node):
        return None  # or a probe of what a step takes
    node, whole = steps
    goes_on = (
        is_epoch_loop(around[-1])
        if whole and around
        else not whole and (bool(around) or is_called_repeatedly(function))
    )
    return (node, "the training step") if goes_on else None


def _tests_caught_error(handler: Handler) -> bool:
    """Does a test of the handler look at the error, as whether it is one of memory, where every other goes on too?"""
    tests = (n.test for s in handler.node.body for n in walk(s) if isinstance(n, ast.If))
    return any(isinstance(n, ast.Name) and n.id == handler.node.name for t in tests for n in walk(t))


def _skipped_step(function: FunctionView, handler: Handler) -> tuple[Node, bool] | None:
    """The forward pass in a `try`, where its failure skips the backward that the loop has below: `continue`."""
    around = handler.loops()
    if not around or not catches_any_of(handler, ANY) or not isinstance(handler.node.body[-1], ast.Continue):
        return None
    names = {n for n, found in function.scope.bindings.items() for b in found if is_within(b.node, handler.statement)}
    below = [s for s in around[-1].body if s.lineno > (handler.statement.end_lineno or 0)]
    for node in (n for s in below for n in walk(s) if isinstance(n, ast.Call) and last_name(n.func) in BACKWARD):
        func = node.func
        given = [*node.args, func.value] if isinstance(func, ast.Attribute) else []
        if any(isinstance(n, ast.Name) and n.id in names for g in given for n in walk(g)):
            return handler.statement.body[0], False
    return None


def _measures_memory(around: Node) -> bool:
    """Is the memory measured there, and not only shown every so many iterations: `if i % 100 == 0:`?"""
    branches = [n for n in walk(around) if isinstance(n, ast.If)]
    shown = [b for b in branches if any(isinstance(getattr(n, "op", None), ast.Mod) for n in walk(b.test))]
    logged = {id(n) for b in shown for s in b.body for n in walk(s)}
    return any(getattr(n, "attr", "") in _METERS and id(n) not in logged for n in walk(around))


def find_missing_construction(handler: Handler) -> tuple[Node, str] | None:
    """An optimizer or a schedule that is missing after an error nobody sees."""
    nothing = all(has_no_effect(s, returning=False) or _is_none(s, handler) for s in handler.node.body)
    if not catches_any_of(handler, ANY) or not (nothing or returns_partial_result(handler)):
        return None
    if any(isinstance(s, (ast.Import, ast.ImportFrom)) for s in handler.statement.body):
        return None
    if find_backward_call(FunctionView(handler.function, handler.frame), handler.statement.body) is not None:
        return None  # nothing goes on without it: the training itself was tried
    for call in handler.calls():
        if not isinstance(call.callee, ClassValue) and not _is_result_built_by_callee(call):
            continue
        if call.value.instance_of(OPTIMIZER):
            return call.node, "building an optimizer"
        if call.value.instance_of(SCHEDULER):
            return call.node, "building a scheduler"
    return None


def _is_none(statement: Node, handler: Handler) -> bool:
    """Is it `scheduler = None`, of a name that the `try` sets?"""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
        return False
    names = {place(t) for t in statement.targets}
    tried = (s for s in handler.statement.body if isinstance(s, ast.Assign))
    return statement.value.value is None and not names.isdisjoint(place(t) for s in tried for t in s.targets)


def _is_result_built_by_callee(call: Call) -> bool:
    """Does a function of the project build in its own body what it gives, and does not fetch it from somewhere?"""
    found = [f for f in call.callees if not f.stubbed]
    sites = [v.site for v in call.value.alternatives] if found else []
    return bool(sites) and all(
        s is not None and any(s.module is f.module and is_within(s.node, f.node) for f in found) for s in sites
    )


def find_missing_weights(handler: Handler) -> tuple[Node, str] | None:
    """Weights that were not loaded, here or in a function of the project that is called."""
    mild = all(
        has_no_effect(s, returning=False) or _initializes_progress(s) or _returns_start_values(s, handler)
        for s in handler.node.body
    )
    if not catches_any_of(handler, ANY) or not mild or handler.loops():
        return None
    return next(
        (
            (call.node, LOADING)
            for call in handler.calls()
            if _loads_model_weights(call) and _is_used_outside_try(call, handler)
        ),
        None,
    )


def _is_used_outside_try(call: Call, handler: Handler) -> bool:
    """Is what is loaded used outside of the `try`, too? A model made and used inside of it goes with the error, as does
    a whole run of which the `try` is the end."""
    function, block = handler.function, handler.statement
    last = (block.end_lineno or 0) >= max((s.end_lineno or 0) for s in function.body)
    below = (last_name(n.func) for s in block.body for n in walk(s) if isinstance(n, ast.Call))
    if last and any(topics.is_about(name, Topic.RUNNING) for name in below):
        return False
    made = {n for n, found in function.bindings.items() if all(is_within(b.node, block) for b in found)}
    kept = {n for n in made for b in function.bindings[n] if b.value is call.node}
    if not kept:
        func = call.node.func
        given = [func.value] if call.last_name == "load_state_dict" else [*call.node.args, getattr(func, "value", None)]
        kept = {n.id for g in given if g is not None for n in walk(g) if isinstance(n, ast.Name)}
        if not kept or not kept <= made:
            return True
    return any(isinstance(n, ast.Name) and n.id in kept and not is_within(n, block) for n in walk(function.node))


def _initializes_progress(statement: Node) -> bool:
    """Is it `start_epoch = 0`: what holds where nothing was loaded?"""
    value = statement.value if isinstance(statement, ast.Assign) else None
    constant = getattr(value, "value", None) if isinstance(value, ast.Constant) else None
    return constant.__class__ in (int, float) and bool(topics.is_about(last_name(statement.targets[0]), Topic.PROGRESS))


def _returns_start_values(statement: Node, handler: Handler) -> bool:
    """Is it `return 0`, `return model, 0`: numbers to start from, and what the function was given?"""
    value = statement.value if isinstance(statement, ast.Return) else None
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    numbers = [p for p in parts if isinstance(p, ast.Constant) and p.value.__class__ in (int, float)]
    given = [p for p in parts if isinstance(p, ast.Name) and handler.function.parameter(p.id) is not None]
    return value is not None and len(numbers) + len(given) == len(parts)


def _loads_model_weights(call: Call, depth: int = 1) -> bool:
    """Does a call load the weights of a model, or does a function of the project that it enters?"""
    if call.last_name == "load_state_dict" and call.receiver is not None:
        named = roles.speaks_of(last_name(getattr(call.node.func, "value", None)), Role.MODEL)
        return call.receiver.instance_of(MODULE) or bool(named and call.receiver.is_unknown)
    if not depth or call.last_name not in call.project.reach.own_names():
        return False
    for function in call.callees:
        calls = function.calls if not function.stubbed and "load_state_dict" in function.called_names else ()
        inside = (Call(c, call.project.frame(function)) for c in calls if last_name(c.func) == "load_state_dict")
        if any(_loads_model_weights(inner, 0) for inner in inside):
            return True
    return False
