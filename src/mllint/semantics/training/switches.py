"""Who sets a mode in a way that no event shows?

`module.training = False`, `getattr(model, mode)()`, `for m in models: m.eval()` and a lambda that calls `eval` set a
mode, and nobody follows of which model. They make the mode unknown (`modes`) for what is called in the function that
does so, and in those that it is called from; they say nothing about the rest of the program.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from mllint.semantics.syntax.module import last_name, walk

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Class, Function, Module
    from mllint.semantics.values.frames import Frame

__all__ = ["is_flag_written", "sets_mode"]

_NONE: frozenset[str] = frozenset()
_BOTH = frozenset(("eval", "train"))
_SETTING = frozenset(("eval", "train", "getattr", "setattr", "__setattr__"))


def is_flag_written(frame: Frame, mode: str) -> bool:
    """Whether a mode is set by hand on the way to a place: there, or in a function of the project called on the way."""
    memo = frame.project.reach.memo
    key = ("flag setters", mode)
    if key not in memo:
        found = [(f, _modes_set(f)) for m in frame.project.modules for f in m.functions if not f.is_body]
        for each in _BOTH:
            setting = [f for f, modes in found if each in modes]
            named = {f.owner.name if f.owner is not None and f.name == "__enter__" else f.name for f in setting}
            memo["flag setters", each] = named, {id(f) for f in setting}
    names, setters = memo[key]
    while setters:
        if id(frame.function) in setters or not names.isdisjoint(frame.function.called_names):
            return True
        if frame.caller is None:
            break
        frame = frame.caller[0]
    return False


def sets_mode(cls: Class) -> bool:
    """Whether a method of a class sets a mode: `__enter__` of a context manager, or what that calls."""
    return any(not f.called_names.isdisjoint(_BOTH) for f in cls.methods.values())


def _modes_set(function: Function) -> set[str]:
    """The modes that a function may set by writing the flag, by calling what sets that of one of several models, or by
    a name."""
    if function.called_names.isdisjoint(_SETTING) and not _writes_flags(function.module):
        return set()
    several = {n for n, found in function.bindings.items() if any(b.kind in ("for", "comp") for b in found)}
    found: set[str] = set()
    for node in (n for statement in function.body for n in walk(statement)):
        if node.__class__ in (ast.Attribute, ast.Call, ast.Lambda):
            found |= _flags(node, several)
    return found


def _writes_flags(module: Module) -> bool:
    """May somebody write the flag of another object than `self` in this file? By its text, which is cheap."""
    known: bool | None = module.effects.get("writes flags")
    if known is None:
        parts = (module.source.text if module.source is not None else "x.training").split(".training")
        others = (i for i in range(1, len(parts)) if not parts[i - 1].endswith("self"))
        known = any(not (parts[i][:1].isalnum() or parts[i][:1] == "_") for i in others)
        module.effects["writes flags"] = known
    return known


def _flags(node: Any, several: set[str]) -> frozenset[str]:
    """The modes that one expression may set, of a model that nobody follows."""
    match node:
        case ast.Attribute(value=base, attr="training", ctx=ast.Store()):
            return _NONE if isinstance(base, ast.Name) and base.id == "self" else _BOTH
        case ast.Call(args=[ast.Name(), ast.Constant(value="training"), _]):
            return _BOTH if last_name(node.func) in ("setattr", "__setattr__") else _NONE
        case ast.Call(func=ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(), ast.Name()])):
            return _BOTH if len(node.args) < 2 else _NONE
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="eval" | "train" as word)) if name in several:
            return _BOTH if node.args or node.keywords else frozenset((word,))
        case ast.Lambda(body=ast.Call(func=ast.Attribute(attr="eval" | "train" as word))):
            return frozenset((word,))
    return _NONE
