"""What in a file is a rule asked about? The subjects of each kind, each with the rules that want it.

Most rules say by name which calls they are about, so most calls, functions and classes are passed over here, before
anything is made for them. `engine` does the asking.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from mllint.rule import Check
from mllint.semantics.flow.roots import is_root
from mllint.semantics.flow.views import (
    Call,
    ClassView,
    FunctionView,
    Handler,
    LoopView,
    ModuleView,
    spreads_dictionary,
)  # fmt: skip
from mllint.semantics.syntax.module import FunctionScope, ModuleScope, Scope
from mllint.semantics.syntax.nodes import last_name
from mllint.semantics.values.bases import enclosing, function_of
from mllint.semantics.values.plain import candidate_calls
from mllint.semantics.values.project import Project

__all__ = ["CALLEE_FUEL", "SUBJECTS", "called_roots"]

CALLEE_FUEL = 400
"""Evaluations for what one call calls."""


def called_roots(function: FunctionScope) -> list[FunctionScope]:
    """The functions of the project that `function` calls and that deserve a flow of their own, each once."""
    project = function.module.project
    found: dict[int, FunctionScope] = {}
    for node in function.calls:
        project.refuel(CALLEE_FUEL)
        callees = Call(node, project.frame(function)).callees
        found |= {id(f): f for f in callees if not f.stubbed and is_root(f)}
    return list(found.values())


def _calls(project: Project, module: ModuleScope, checks: list[Check]) -> Iterator[tuple[Call, list[Check]]]:
    """The calls of a file, each with the rules that want it: by name, by what the callee expects, or all."""
    expecting = [c for c in checks if c.expects]
    if expecting:
        for node, scope in candidate_calls(module, project):
            call = _call(project, node, scope)
            project.refuel(CALLEE_FUEL)
            words = call.expected
            wanting = [c for c in expecting if c.expects & words] if words else []
            if wanting:
                yield call, wanting
    calls: dict[int, tuple[ast.Call, Scope, list[Check]]] = {}
    for check in checks:
        for node, scope in _every(module) if _wants_all(check) else _written(module, check):
            wanting = calls.setdefault(id(node), (node, scope, []))[2]
            if check not in wanting:
                wanting.append(check)
    for node, scope, wanting in calls.values():
        yield _call(project, node, scope), wanting


def _wants_all(check: Check) -> bool:
    """Does a rule about calls name none, neither by what is called nor by what it expects?"""
    return check.calls is None and not check.expects


def _every(module: ModuleScope) -> Iterator[tuple[ast.Call, Scope]]:
    for found in module.calls_by_name.values():
        yield from found


def _call(project: Project, node: ast.Call, scope: Scope) -> Call:
    owner = function_of(scope)
    return Call(node, project.frame(owner or scope.module.body))


def _written(module: ModuleScope, check: Check) -> Iterator[tuple[ast.Call, Scope]]:
    """The calls in a file that a rule wants, by the name of what is called or by a keyword."""
    if check.calls:
        by_name = module.calls_by_name
        for name in sorted(check.calls & by_name.keys()):  # not in the order of hashes
            yield from by_name[name]
    if check.keywords:
        by_keyword = module.calls_by_keyword
        for name in sorted(check.keywords & by_keyword.keys()):
            yield from by_keyword[name]
        if "" in by_keyword and any(_is_key(name, module) for name in check.keywords):
            yield from ((call, scope) for call, scope in by_keyword[""] if spreads_dictionary(call, scope))


def _is_key(name: str, module: ModuleScope) -> bool:
    """May a dictionary of a file have a key, so that `**settings` gives an argument of this name?"""
    source = module.source
    return source is not None and (source.holds(f'"{name}"') or source.holds(f"'{name}'") or _in_dict(name, module))


def _in_dict(name: str, module: ModuleScope) -> bool:
    return any(last_name(call.func) == "dict" for call, _ in module.calls_by_keyword.get(name, ()))


def _classes(project: Project, module: ModuleScope, checks: list[Check]) -> Iterator[tuple[ClassView, list[Check]]]:
    for cls, wanting in _calling(module, module.classes, checks):
        yield ClassView(cls, project.frame(enclosing(cls) or module.body)), wanting


def _functions(
    project: Project, module: ModuleScope, checks: list[Check]
) -> Iterator[tuple[FunctionView, list[Check]]]:
    for function, wanting in _calling(module, module.functions, checks):
        yield FunctionView(function, project.frame(function)), wanting


def _calling(module: ModuleScope, scopes: Sequence[Any], checks: list[Check]) -> Iterator[tuple[Any, list[Check]]]:
    """The scopes, each with the rules that are asked about it: all scopes, or those with certain calls in them."""
    everywhere: dict[str, list[Check]] = {}
    for check in checks:
        if check.calls is None or check.has:
            everywhere.setdefault(check.has, []).append(check)
    wanting: dict[int, list[Check]] = {}
    for check in checks:
        around = {id(s): s for _, s in _written(module, check)}
        stack = list(around.values())
        while stack:
            outer = stack.pop().parent
            if outer is not None and id(outer) not in around:
                around[id(outer)] = outer
                stack.append(outer)
        for number in around:
            wanting.setdefault(number, []).append(check)
    if not (everywhere or wanting):
        return
    for scope in scopes:
        found = [c for has, some in everywhere.items() if not has or getattr(scope, has) for c in some]
        found += [c for c in wanting.get(id(scope), ()) if c not in found]
        if found:
            yield scope, found


def _handlers(project: Project, module: ModuleScope, checks: list[Check]) -> Iterator[tuple[Handler, list[Check]]]:
    for function in module.functions:
        for statement, handler in function.handlers:
            yield Handler(handler, statement, project.frame(function)), checks


def _loops(project: Project, module: ModuleScope, checks: list[Check]) -> Iterator[tuple[LoopView, list[Check]]]:
    for function in module.functions:
        for loop in function.loops:
            yield LoopView(loop.node, project.frame(function)), checks


def _modules(project: Project, module: ModuleScope, checks: list[Check]) -> Iterator[tuple[ModuleView, list[Check]]]:
    called = module.calls_by_name.keys()
    wanting = [c for c in checks if c.calls is None or not c.calls.isdisjoint(called)]
    if wanting:
        yield ModuleView(module.tree, project.frame(module.body)), wanting


SUBJECTS: dict[str, Any] = {
    "Call": _calls, "Class": _classes, "Function": _functions, "Handler": _handlers, "Loop": _loops, "Module": _modules,
}  # fmt: skip
