"""Is a model whose layers depend on the mode measured in train mode?"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks.evaluation._fitted import predicts_as_trained
from mllint.checks.evaluation._measuring import measures, name, receiver, train_mode
from mllint.checks.evaluation._restored import restored_only
from mllint.checks.evaluation._switches import (
    flag_set_by_hand,
    given_in_eval_mode,
    mode_from_caller,
    switched_by_context,
    walk_function,
)
from mllint.rule import Finding, Note, check
from mllint.semantics import Event, Flow, Forward, SetsMode, Site
from mllint.semantics.evaluate import evaluate
from mllint.semantics.modes import asks_mode, asleep, mode_dependent
from mllint.semantics.module import Function, place, walk

__all__: list[str] = []


@check("missing-eval-mode")
def missing_eval_mode(flow: Flow) -> Iterator[Finding]:
    """A model whose layers depend on the mode is evaluated in train mode."""
    told = set()
    for forward in flow.events(Forward):
        where = (forward.subject.identity, id(forward.loops[-1].node) if forward.loops else 0)
        if where in told or not measures(forward, flow):
            continue
        depends = mode_dependent(forward.subject)
        origin = train_mode(forward, flow, built=depends is True) if depends is not False else None
        if origin is None or (depends is None and (origin.kind != "sets_mode" or forward.option == "method")):
            continue
        if depends is None and asks_mode(forward.subject):
            continue
        if (
            switched_by_decorator(forward)
            or switched_by_context(forward)
            or mode_from_caller(forward, flow)
            or kept_in_eval_mode(forward, flow)
            or flag_set_by_hand(forward.frame, "eval")
            or (origin.kind == "creates" and loaded_in_eval_mode(forward, flow))
            or given_in_eval_mode(origin)
        ):
            continue
        told.add(where)
        yield Finding(
            Site(forward.frame.module, forward.call),
            f"`{name(forward)}` is evaluated in train mode: dropout and batch norm are live",
            primary="evaluated here",
            labels=[Note(origin, "in train mode since here")] if origin.kind != "entry" else [],
        )
    for forward, restore in restored_only(flow) if not told else ():
        message = f"`{name(forward)}` is evaluated in the mode that it happens to be in, which is only put back"
        yield Finding(forward, message, "evaluated here", [Note(restore, "put back, and changed nowhere")])
    for mode, call in predicts_as_trained(flow):
        message = f"`{call.name}` predicts in train mode: dropout and batch norm are live"
        yield Finding(call, message, "predicts here", [Note(mode, "train mode, and eval mode nowhere")])


def loaded_in_eval_mode(forward: Event, flow: Flow) -> bool:
    """Is what depends on the mode loaded in eval mode into a model that nothing puts into train mode?"""
    trained = any(m.option != "eval" and m.concerns(forward) is not False for m in flow.events(SetsMode))
    return not trained and asleep(forward.subject)


def switched_by_decorator(forward: Event) -> bool:
    """Does a decorator of the project, on the function or on one that calls it, set eval mode around the call?"""
    frame = forward.frame
    while True:
        for decorator in frame.function.decorators:
            wrapper = evaluate(decorator, frame.outer()).function
            if isinstance(wrapper, Function) and not wrapper.stubbed and "eval" in wrapper.called_names:
                return True
        if frame.caller is None:
            return False
        frame = frame.caller[0]


def kept_in_eval_mode(forward: Event, flow: Flow) -> bool:
    """Is the model drawn from what the branch fills, or binds, that sets eval mode: `net.eval(); nets.append(net)`?"""
    for mode in flow.events(SetsMode):
        if mode.option == "eval" and mode.conditions and mode.concerns(forward) is not False:
            test, polarity, _ = mode.conditions[-1]
            tests = (n for n in walk_function(mode.function) if isinstance(n, ast.If) and n.test is test)
            branch = [s for n in tests for s in (n.body if polarity else n.orelse)]
            if not within_any(forward.call, branch) and any(keeps(s, receiver(mode)) for s in branch):
                return True
            bound = [b.node for b in mode.function.bindings.get(receiver(mode), ())]
            if bound and all(within_any(node, branch) for node in bound):
                return True  # whoever has the name has come by here
    return False


def within_any(node: Any, statements: list[Any]) -> bool:
    """Is a node written inside one of these statements?"""
    return any(n is node for s in statements for n in walk(s))


def keeps(statement: Any, name: str) -> bool:
    """Does a statement put what a name holds into a container?"""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append" | "add" | "insert"), args=given)):
            return any(place(n) == name for a in given for n in walk(a))
        case ast.Assign(targets=[ast.Subscript()], value=value):
            return any(place(n) == name for n in walk(value))
    return False
