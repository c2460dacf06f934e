"""Does a call run for each of several functions that its loop goes over, and not for one of them?

    for name, metric in {"accuracy": accuracy_score, "auc": roc_auc_score}.items():
        report[name] = metric(y, predicted)       # both are called

The value of `metric` has an alternative for each function. Elsewhere one of them is called and nobody knows which; here
all of them are called, with these arguments, if the loop goes over what is written out and each iteration comes to the
call: no test around it, and nothing that leaves the iteration before it.
"""

from __future__ import annotations

import ast

from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, is_within, walk
from mllint.semantics.values.ask import ask
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import SequenceValue

__all__ = ["calls_each_element"]

_LEAVES = (ast.Continue, ast.Break, ast.Return, ast.Raise)
_CHOOSES = (ast.IfExp, ast.BoolOp, ast.Lambda)
_SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def calls_each_element(call: ast.Call, frame: Frame) -> bool:
    """Is what is called a variable of a loop over a display, each element of which the loop calls?

    Args:
        call: the call.
        frame: where it stands.
    """
    bindings = bound_at(call.func, frame.function) if isinstance(call.func, ast.Name) else ()
    if len(bindings) != 1 or bindings[0].kind not in ("for", "comp"):
        return False
    if not isinstance(ask.evaluate(bindings[0].value, frame), SequenceValue):
        return False
    return _is_in_each_iteration(call, bindings[0], frame.function)


def _is_in_each_iteration(call: ast.Call, binding: Binding, function: FunctionScope) -> bool:
    """Does each iteration of the loop that binds a name come to a call?"""
    if binding.kind == "for":
        loops = (run.node for run in function.loops if getattr(run.node, "iter", None) is binding.value)
        return any(_is_always_reached(call, loop.body) for loop in loops)
    comprehensions: list[Node] = [n for kind in _COMPREHENSIONS for n in function.nodes_of(kind)]
    for node in comprehensions:
        if any(g.iter is binding.value for g in node.generators):
            return not any(g.ifs for g in node.generators) and not _is_chosen(call, node)
    return False


def _is_always_reached(call: ast.Call, block: list[ast.stmt]) -> bool:
    """Does a block always come to a call, in a statement of it or of a `with` or a `try` in it?"""
    for statement in block:
        if is_within(call, statement):
            if isinstance(statement, (ast.With, ast.Try)):
                return _is_always_reached(call, statement.body)
            return isinstance(statement, _SIMPLE) and not _is_chosen(call, statement)
        if any(isinstance(n, _LEAVES) for n in walk(statement)):
            return False
    return False


def _is_chosen(call: ast.Call, around: Node) -> bool:
    """Does a call stand on one side of a choice, or in a function, within a statement?"""
    choices = (n for n in walk(around) if isinstance(n, _CHOOSES))
    return any(n is call for choice in choices for n in walk(choice))
