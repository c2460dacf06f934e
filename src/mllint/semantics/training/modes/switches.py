"""Who sets a mode in a way that no event shows, or only seems to set it?

`module.training = False`, `getattr(model, mode)()`, `for m in models: m.eval()` and a lambda that calls `eval` set a
mode, and nobody follows of which model. They make the mode unknown (`modes`) for what is called in the function that
does so, and in those that it is called from; they say nothing about the rest of the program.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.decided_branches import is_training_attribute
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.blocks import parts_on
from mllint.semantics.syntax.caches import cached, cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event
    from mllint.semantics.syntax.module import ClassScope, ModuleScope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = [
    "is_flag_written", "is_put_back_in_function", "keeps_evaluation", "places_restoring_mode", "sets_mode",
]  # fmt: skip

_NONE: frozenset[str] = frozenset()
_BOTH = frozenset(("eval", "train"))
_SETTING = frozenset(("eval", "train", "getattr", "setattr", "__setattr__"))


def is_flag_written(frame: Frame, mode: str) -> bool:
    """Whether a mode is set by hand on the way to a place: there, or in a function of the project called on the way."""
    names, setters = _flag_setters(frame.project)[mode]
    while setters:
        if id(frame.function) in setters or not names.isdisjoint(frame.function.called_names):
            return True
        if frame.caller is None:
            break
        frame = frame.caller[0]
    return False


@cached_per_scope(local=True)
def places_restoring_mode(function: FunctionScope) -> frozenset[str]:
    """The places of the models that leave a function in the mode in which they came: `was = net.training` somewhere,
    and `net.train(was)` before any `return`."""
    once = ((name, found[0].value) for name, found in function.bindings.items() if len(found) == 1)
    read = {(name, place(value.value)) for name, value in once if is_training_attribute(value)}
    ends = [s for t in function.body if isinstance(t, ast.Try) for s in t.finalbody]
    first = min((n.lineno for n in function.returns), default=0)
    found: set[str] = set()
    if read:
        for step in (*function.body, *ends):
            match step:
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=model, attr="train"), args=args, keywords=keywords)
                ):
                    given = [place(a) for a in (*args, *(k.value for k in keywords))]
                    at = place(model)
                    if (
                        at
                        and len(given) == 1
                        and (given[0], at) in read
                        and (step in ends or not 0 < first < step.lineno)
                    ):
                        found.add(at)
    return frozenset(found)


def is_put_back_in_function(mode: Event) -> bool:
    """Whether `mode` is set in a function that leaves the model as it came: `was = net.training`, `net.train(was)`."""
    func = mode.call.func if mode.kind == "sets_mode" and isinstance(mode.call, ast.Call) else None
    at = place(func.value) if isinstance(func, ast.Attribute) else None
    return at is not None and "train" in mode.function.called_names and at in places_restoring_mode(mode.function)


def keeps_evaluation(function: FunctionScope, calls: int = 2) -> bool:
    """Whether a function hands on one of its own that sets eval mode on a parameter, to be run later, or calls one that
    does so."""
    if function.stubbed or calls == 0:
        return False
    if any(_sets_eval_mode(inner, function) and _is_handed_on(inner, function) for inner in function.functions):
        return True
    frame = function.module.project.frame(function)
    called = (f for c in function.calls for f in Call(c, frame).callees)
    return any(keeps_evaluation(f, calls - 1) for f in called)


def _sets_eval_mode(inner: FunctionScope, function: FunctionScope) -> bool:
    """Whether a function inside of another one sets eval mode on a parameter of the outer one."""
    switched = (c.func.value for c in inner.calls if isinstance(c.func, ast.Attribute) and c.func.attr == "eval")
    return any(function.parameter(place(model) or "") is not None for model in switched)


def _is_handed_on(inner: FunctionScope, function: FunctionScope) -> bool:
    """Whether a function inside of another one is given back, stored or passed, and not only called there."""
    called = {id(c.func) for c in function.calls}
    return any(n.id == inner.name and id(n) not in called for n in function.nodes_of(ast.Name))


def sets_mode(cls: ClassScope) -> bool:
    """Whether a method of a class sets a mode: `__enter__` of a context manager, or what that calls."""
    return any(not f.called_names.isdisjoint(_BOTH) for f in cls.methods.values())


def _modes_set(function: FunctionScope) -> set[str]:
    """The modes that a function may set by writing the flag, by calling what sets that of one of several models, or by
    a name."""
    if function.called_names.isdisjoint(_SETTING) and not _writes_flags(function.module):
        return set()
    several = {n for n, found in function.bindings.items() if any(b.kind in ("for", "comp") for b in found)}
    found: set[str] = set()
    parts = () if isinstance(function.node, ast.Lambda) else parts_on(_lines_on_modes(function.module), function.node)
    for node in (n for part in parts for n in walk(part)):
        if node.__class__ in (ast.Attribute, ast.Call, ast.Lambda):
            found |= _flags(node, several) if not _is_of_import(node, function) else _NONE
    return found


def _is_of_import(node: Node, function: FunctionScope) -> bool:
    """Is something called that an imported module has by its name: `getattr(models, arch)()`?"""
    match node:
        case ast.Call(func=ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=name), _])):
            bound = function.bindings.get(name) or function.module.body.bindings.get(name) or []
            return bool(bound) and all(b.kind in ("import", "from") for b in bound)
    return False


@cached()
def _flag_setters(project: Project) -> dict[str, tuple[set[str], set[int]]]:
    """The names and the ids of the functions in which each mode is set by hand."""
    found = [(f, _modes_set(f)) for m in project.modules for f in m.functions if not f.is_body]
    setters: dict[str, tuple[set[str], set[int]]] = {}
    for mode in _BOTH:
        setting = [f for f, modes in found if mode in modes]
        named = {f.owner.name if f.owner is not None and f.name == "__enter__" else f.name for f in setting}
        setters[mode] = named, {id(f) for f in setting}
    return setters


@cached(local=True)
def _lines_on_modes(module: ModuleScope) -> list[int]:
    """The lines on which a mode, or its flag, may be set."""
    if module.source is None:
        return list(range(1, (module.tree.body[-1].end_lineno or 0) + 1)) if module.tree.body else []
    return module.source.lines_naming("training", *_SETTING)  # type: ignore[no-any-return]  # a source is opaque here


@cached()
def _writes_flags(module: ModuleScope) -> bool:
    """May somebody write the flag of another object than `self` in this file? By its text, which is cheap."""
    parts = (module.source.text if module.source is not None else "x.training").split(".training")
    others = (i for i in range(1, len(parts)) if not parts[i - 1].endswith("self"))
    return any(not (parts[i][:1].isalnum() or parts[i][:1] == "_") for i in others)


def _flags(node: Node, several: set[str]) -> frozenset[str]:
    """The modes that one expression may set, of a model that is not followed."""
    match node:
        case ast.Attribute(value=base, attr="training", ctx=ast.Store()):
            return _NONE if isinstance(base, ast.Name) and base.id == "self" else _BOTH
        case ast.Call(args=[ast.Name(), ast.Constant(value="training"), _]):
            return _BOTH if last_name(node.func) in ("setattr", "__setattr__") else _NONE
        case ast.Call(func=ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(), ast.Name()])):
            return _BOTH if len(node.args) + len(node.keywords) < 2 else _NONE
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="eval" | "train" as word)) if name in several:
            return _BOTH if node.args or node.keywords else frozenset((word,))
        case ast.Lambda(body=ast.Call(func=ast.Attribute(attr="eval" | "train" as word)) as call):
            return _BOTH if call.args or call.keywords else frozenset((word,))
    return _NONE
