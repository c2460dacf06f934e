"""What is a function given beforehand that a library calls: `partial(collate, tokenizer=tok)`, `fn_kwargs`?

    DataLoader(rows, collate_fn=partial(collate, tokenizer=tokenizer))
    rows.map(encode, fn_kwargs={"tokenizer": tokenizer})

The program has no call of `collate` or `encode`, and a parameter that is bound here is known all the same. Nothing is
claimed of a function that is handed on elsewhere as well.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import function_of

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = ["Given", "find_early_bindings"]

Given = tuple[ast.expr, "Frame"]


def find_early_bindings(name: str, function: FunctionScope, project: Project) -> list[Given]:
    """What a parameter is bound to beforehand, wherever the function is handed on; none if that leaves it open once.

    Args:
        name: the parameter.
        function: whose it is.
        project: where it is handed on.
    """
    spots = _partial_calls_by_function(project).get(function.name, ()) if function.owner is None else ()
    if not spots or sum(len(m.references.get(function.name, ())) for m in project.modules) > len(spots):
        return []
    bound = [_bound(name, function, call) for call, _ in spots]
    given = [(node, frame) for node, (_, frame) in zip(bound, spots, strict=True) if node is not None]
    if len(given) < len(spots) or any(ask.evaluate(c.args[0], f).function is not function for c, f in spots):
        return []
    return given


@cached()
def _partial_calls_by_function(project: Project) -> dict[str, list[tuple[ast.Call, Frame]]]:
    """The calls that are given a function with arguments for it, by the name of the function."""
    found: dict[str, list[tuple[ast.Call, Frame]]] = {}
    partials = [*project.calls_named("partial"), *((c, s) for c, s in project.calls_named("map") if _arguments(c))]
    for call, scope in partials:
        around = function_of(scope)
        if around is not None and call.args and isinstance(call.args[0], ast.Name):
            found.setdefault(call.args[0].id, []).append((call, project.frame(around)))
    return found


def _arguments(call: ast.Call) -> Node:
    """The dictionary of `rows.map(function, fn_kwargs={...})`."""
    return next((k.value for k in call.keywords if k.arg == "fn_kwargs"), None)


def _bound(name: str, function: FunctionScope, call: ast.Call) -> Node:
    """The expression that one call binds a parameter to; None if it leaves that open."""
    if last_name(call.func) == "map":
        entries = _arguments(call)
        pairs = zip(entries.keys, entries.values, strict=True) if isinstance(entries, ast.Dict) else ()
        return next((v for k, v in pairs if isinstance(k, ast.Constant) and k.value == name), None)
    if any(isinstance(a, ast.Starred) for a in call.args):
        return None
    behind = dict(zip(function.positional, call.args[1:], strict=False))
    return behind.get(name) or next((k.value for k in call.keywords if k.arg == name), None)
