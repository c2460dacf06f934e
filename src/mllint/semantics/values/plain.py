"""Which calls cannot expect anything of their arguments? A filter by name, so that few calls need to be resolved.

Only a stub's parameter annotations express expectations (`input: Logits`). A call can reach such a function in two
ways: under the function's own name, or through a variable that holds it (`self.criterion`, a parameter, an element of a
dictionary). So a call is a candidate if its name is one of the names in the stubs that expect something, or if it is
the name of a variable or of an attribute to which somebody in the project assigns more than plain data and objects of
the project's own classes; all other calls are passed over.

The names come from the stubs, by the table that `stubnames` writes.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

from mllint.semantics.libraries._names import CRITERIA, EXPECTING, PLAIN, QUIET
from mllint.semantics.syntax.caches import Cache, cached
from mllint.semantics.syntax.module import Binding, ClassScope, ModuleScope, Scope
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.values.builtin_names import BUILTIN_METHODS, BUILTINS

if TYPE_CHECKING:
    from mllint.semantics.libraries.stubs import StubLibrary
    from mllint.semantics.values.project import Project

__all__ = ["candidate_calls", "expecting_names", "may_expect", "quiet_names"]

_PLAIN = BUILTINS | BUILTIN_METHODS | {"__init__"}
_HOLDING = frozenset("assign for with param comp aug match".split())
_HELD: Cache[str, bool] = Cache()
_DATA = frozenset(
    (ast.Constant, ast.JoinedStr, ast.Compare, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp,
     ast.DictComp, ast.GeneratorExp)
)  # fmt: skip
_PROMISES = frozenset(("ABC", "Protocol", "Enum", "Generic"))
"""Bases that bring no method by which an object is called."""


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


def candidate_calls(module: ModuleScope, project: Project) -> Iterator[tuple[ast.Call, Scope]]:
    """The calls of a file whose callee may expect something, of a score and a truth, or of the scores of a
    distribution."""
    expecting = expecting_names(project.stubs)
    near = id(module) in _near_criteria(project)
    for name, calls in module.calls_by_name.items():
        if name in _PLAIN or (name in PLAIN and name not in expecting):
            continue
        for call, scope in calls:
            if len(call.args) + len(call.keywords) < 2 and not (call.keywords and call.keywords[0].arg == "logits"):
                continue
            if _is_candidate(name, call, scope, project, near=near):
                yield call, scope


def may_expect(call: ast.Call, scope: Scope, project: Project) -> bool:
    """Whether the callee of a call may expect something of what it is given, by its name.

    Args:
        call: the call.
        scope: where it stands.
        project: the project.
    """
    name, expecting = last_name(call.func), expecting_names(project.stubs)
    if name in _PLAIN or (name in PLAIN and name not in expecting):
        return False
    near = id(scope.module) in _near_criteria(project)
    return _is_candidate(name, call, scope, project, near=near)


def _is_candidate(name: str, call: ast.Call, scope: Scope, project: Project, *, near: bool) -> bool:
    if not near:
        return name in expecting_names(project.stubs)
    if isinstance(call.func, ast.Name):
        return _may_hold(name, scope, project)
    if isinstance(call.func, ast.Attribute):
        return name in expecting_names(project.stubs) or (not _is_method(call.func, scope) and _is_held(name, project))
    return True


def _is_held(name: str, project: Project) -> bool:
    """Is something assigned to a name, anywhere in the project, that may be a function which expects something?"""
    table = _HELD.of(project)
    known = table.get(name)
    if known is None:
        known = table[name] = any(_may_be_one(value, project) for value in project.reach.assigned().get(name, ()))
    return known


def _may_be_one(value: Node, project: Project) -> bool:
    """May what is assigned be a function that expects something, or an object that is called like one? Not plain data,
    nor an object of a class of the project that inherits from no criterion."""
    if value.__class__ is ast.Call:
        return last_name(value.func) not in _own_objects(project)
    return value.__class__ not in _DATA


@cached()
def _own_objects(project: Project) -> frozenset[str]:
    """The names of the classes of the project whose objects are called by the project's own methods alone, or by those
    of common layers, which expect nothing."""
    classes: dict[str, list[ClassScope]] = {}
    for cls in (c for module in project.modules for c in module.classes):
        classes.setdefault(cls.name, []).append(cls)
    doubtful = {f.name for module in project.modules for f in module.functions} | expecting_names(project.stubs)
    found = classes.keys() - doubtful - project.stubs.criteria - project.reach.assigned().keys()
    while True:
        open_ = {name for name in found if not all(_is_closed(cls, found) for cls in classes[name])}
        if not open_:
            return frozenset(found)
        found -= open_


def _is_closed(cls: ClassScope, own: Set[str]) -> bool:
    """Does a class inherit from some classes of the project, and from common layers, alone?"""
    bases = {last_name(base) for base in cls.node.bases} - _PROMISES
    return "__new__" not in cls.methods and all(b in own or b in PLAIN or b in BUILTINS for b in bases)


@cached()
def _near_criteria(project: Project) -> frozenset[int]:
    """The ids of the modules in which a variable may hold a criterion: those that mention one, and those around."""
    expecting_names(project.stubs)
    mentioning = [m for m in project.modules if not project.stubs.criteria.isdisjoint(m.source.names())]
    return project.reach.around(mentioning)


def _may_hold(name: str, scope: Scope | None, project: Project) -> bool:
    """Can a name stand for a function that expects something, by what binds it where it is called?"""
    while scope is not None:
        found = scope.bindings.get(name) if not isinstance(scope, ClassScope) else None
        if found:
            return any(_may_bind_one(binding, project) for binding in found)
        scope = scope.parent
    return name in expecting_names(project.stubs) or _is_held(name, project)


def _may_bind_one(binding: Binding, project: Project) -> bool:
    if binding.kind == "from":
        return binding.extra[2] in expecting_names(project.stubs) or _is_held(binding.extra[2], project)
    if binding.kind == "assign" and not binding.path:
        return _may_be_one(binding.value, project)
    return binding.kind in _HOLDING


def _is_method(func: ast.Attribute, scope: Scope) -> bool:
    """Is it a method that the class around defines (`self.step(x, y)`)?"""
    owner = getattr(scope, "owner", None)
    own = owner is not None and func.attr in owner.methods
    return own and isinstance(func.value, ast.Name) and func.value.id == "self"
