"""Which calls cannot expect anything of their arguments? A filter by name, so that few calls need to be resolved.

Only a stub's parameter annotations express expectations (`input: Logits`). A call can reach such a function in two
ways: under the function's own name, or through a variable that holds it (`self.criterion`, a parameter, an element of a
dictionary). So a call is a candidate if its name is one of the names in the stubs that expect something, or if it is
the name of a variable or of an attribute that somebody in the project assigns; all other calls are passed over.

The names come from the stubs, by the table that `stubnames` writes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.libraries._names import CRITERIA, EXPECTING, PLAIN, QUIET
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import Class, Module, Scope
from mllint.semantics.syntax.nodes import last_name
from mllint.semantics.values.builtin_names import BUILTIN_METHODS, BUILTINS

if TYPE_CHECKING:
    from mllint.semantics.libraries.stubs import StubLibrary
    from mllint.semantics.values.project import Project

__all__ = ["candidates", "expecting_names", "may_expect", "quiet_names"]

_PLAIN = BUILTINS | BUILTIN_METHODS | {"__init__"}
_HOLDING = frozenset("assign for with param comp aug match".split())


def quiet_names(stubs: StubLibrary) -> frozenset[str]:
    """The names of built-ins, tensor methods and functions of torch and NumPy that are no events."""
    if stubs.quiet is None:
        stubs.quiet = frozenset({*BUILTINS, *BUILTIN_METHODS, *QUIET} - {"zero_", "fill_", "setattr"})
    return stubs.quiet


def expecting_names(stubs: StubLibrary) -> frozenset[str]:
    """The names of library functions and methods that expect something of an argument."""
    if stubs.expecting is None:
        stubs.expecting, stubs.criteria = EXPECTING, CRITERIA
        if len(stubs.folders) > 1:
            from mllint.semantics.libraries.stubnames import criteria, expecting

            for folder in stubs.folders[:-1]:
                stubs.expecting |= expecting(folder)
                stubs.criteria |= criteria(folder) | expecting(folder)
    return stubs.expecting


def candidates(module: Module, project: Project) -> Iterator[tuple[ast.Call, Scope]]:
    """The calls of a file whose callee may expect something, of a score and a truth, or of the scores of a
    distribution."""
    expecting, held = expecting_names(project.stubs), project.reach.assigned_names()
    near = id(module) in _near_criteria(project)
    for name, calls in module.calls_by_name.items():
        if name in _PLAIN or (name in PLAIN and name not in expecting):
            continue
        for call, scope in calls:
            if len(call.args) + len(call.keywords) < 2 and not (call.keywords and call.keywords[0].arg == "logits"):
                continue
            if _is_candidate(name, call, scope, expecting, held, near=near):
                yield call, scope


def may_expect(call: ast.Call, scope: Scope, project: Project) -> bool:
    """Whether the callee of a call may expect something of what it is given, by its name."""
    name, expecting = last_name(call.func), expecting_names(project.stubs)
    if name in _PLAIN or (name in PLAIN and name not in expecting):
        return False
    near = id(scope.module) in _near_criteria(project)
    return _is_candidate(name, call, scope, expecting, project.reach.assigned_names(), near=near)


def _is_candidate(
    name: str, call: ast.Call, scope: Scope, expecting: frozenset[str], held: frozenset[str], *, near: bool
) -> bool:
    if not near:
        return name in expecting
    if isinstance(call.func, ast.Name):
        return _may_hold(name, scope, expecting, held)
    if isinstance(call.func, ast.Attribute):
        return name in expecting or (name in held and not _is_method(call.func, scope))
    return True


@cached()
def _near_criteria(project: Project) -> frozenset[int]:
    """The ids of the modules in which a variable may hold a criterion: those that mention one, and those around."""
    expecting_names(project.stubs)
    mentioning = [m for m in project.modules if not project.stubs.criteria.isdisjoint(m.source.names())]
    return project.reach.around(mentioning)


def _may_hold(name: str, scope: Scope | None, expecting: frozenset[str], held: frozenset[str]) -> bool:
    """Can a name stand for a function that expects something, by what binds it where it is called?"""
    while scope is not None:
        found = scope.bindings.get(name) if not isinstance(scope, Class) else None
        if found:
            return any(
                b.kind in _HOLDING or (b.kind == "from" and (b.extra[2] in expecting or b.extra[2] in held))
                for b in found
            )
        scope = scope.parent
    return name in expecting or name in held


def _is_method(func: ast.Attribute, scope: Scope) -> bool:
    """Is it a method that the class around defines (`self.step(x, y)`)?"""
    owner = getattr(scope, "owner", None)
    own = owner is not None and func.attr in owner.methods
    return own and isinstance(func.value, ast.Name) and func.value.id == "self"
