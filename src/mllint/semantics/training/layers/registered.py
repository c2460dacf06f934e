"""Are modules that a container keeps registered in another way: an attribute each, a container module of the same list,
an optimizer that is given them?

By form first: the names that are handed on are looked at before anything is evaluated.

Whoever freezes a module and puts it into a list does not want it trained, nor in the checkpoint
(`is_frozen_in_method`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import Call, ClassView, FunctionView
from mllint.semantics.libraries.classes import MODULE, OPTIMIZER
from mllint.semantics.syntax.blocks import every_statement
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.layers.candidates import may_make_layer
from mllint.semantics.values.arguments import bind

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding

__all__ = [
    "GIVING", "ITEM", "ITEMS", "Put", "exposes_part_parameters", "is_frozen_in_method", "is_registered_in_subclass",
    "is_registered_otherwise", "only_strings",
]  # fmt: skip


ITEM, ITEMS = frozenset("append insert appendleft add".split()), frozenset("extend update".split())
GIVING = ITEM | ITEMS
_TAKING = ("add_param_group", "grad")
_SETTING = frozenset("setattr add_module register_module".split())
_CONTAINERS = ("ModuleList", "ModuleDict", "Sequential", "ParameterList", "ParameterDict")


class Put(NamedTuple):
    """A method puts `held` into the attribute `name`; `item` says that it is one item of a container."""

    name: str
    node: Node
    held: Node
    item: bool


def is_registered_otherwise(views: list[FunctionView], put: Put) -> bool:
    """Are the modules registered in another way: an attribute each, or a container module built from the same list?"""
    held = put.held
    parts = held.elts if isinstance(held, (ast.List, ast.Tuple, ast.Set)) else [held]
    if isinstance(held, ast.Dict):
        parts = held.values
    parts = [e for p in parts for e in (p.elts if isinstance(p, (ast.List, ast.Tuple)) and p.elts else [p])]  # pairs
    if parts and all(isinstance(p, ast.Attribute) for p in parts):
        return True
    local = {p.id for p in parts if isinstance(p, ast.Name)}
    if any(_is_in_returned_list(view, put.name, views) for view in views):
        return True
    return any(
        _is_in_other_attribute(v, put.name, local)
        or _is_set_by_helper(v, local)
        or _is_list_passed_on(
            v, put.name, local | _lists_filled_in_loop(v, local | {put.name}) | _lists_holding_names(v, local)
        )
        for v in views
    )


def is_registered_in_subclass(cls: ClassView, name: str) -> bool:
    """Does a class derived from it make a container module of the same attribute: `self.x = nn.ModuleList(self.x)`?"""
    names: set[str] = set()  # not that of the class itself: other files may have one of that name, with its own list
    found = [c for m in cls.project.modules for c in m.classes if c is not cls.scope]
    for _ in range(3):
        above = names | {cls.scope.name}
        names |= {c.name for c in found if any(last_name(base) in above for base in c.node.bases)}
    methods = [f for c in found if c.name in names for f in c.methods.values()]
    bound = (b.value for f in methods for b in f.bindings.get(name, ()))
    return any(isinstance(v, ast.Call) and last_name(v.func) in _CONTAINERS for v in bound)


def only_strings(node: Node, view: FunctionView, depth: int = 3) -> bool:
    """Does a call build a module that holds nothing but what it is given, all of it registered here by itself:
    `Pair(encoder, decoder)`, next to `self.encoder, self.decoder = encoder, decoder`?"""
    call = Call(node, view.frame) if isinstance(node, ast.Call) and depth else None
    if call is None or call.is_open or not call.callee.is_class(MODULE) or not call.callees:
        return False
    if any(f.stubbed or _builds_anything(f) for f in call.callees):
        return False
    own = _kept_names(view)
    for given in (*node.args, *(k.value for k in node.keywords)):
        if not (isinstance(given, ast.Constant) or (place(given) if not isinstance(given, ast.Call) else "") in own):
            if not only_strings(given, view, depth - 1):
                return False
    return True


def _builds_anything(init: FunctionScope) -> bool:
    """Does a constructor call anything but that of its base, or that with a size?"""
    for call in init.calls:
        base = last_name(call.func) == "__init__" and not call.keywords and all(place(a) == "self" for a in call.args)
        if not base and not (isinstance(call.func, ast.Name) and call.func.id == "super"):
            return True
    return False


def _kept_names(view: FunctionView) -> set[str]:
    """The names that are put into attributes as they are, and these attributes."""
    found: set[str] = set()
    for node in view.scope.nodes_of(ast.Assign):
        for target in node.targets:
            at, values = [target], [node.value]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                at, values = target.elts, node.value.elts
            for kept, value in zip(at, values, strict=False):
                if isinstance(kept, ast.Attribute) and isinstance(value, ast.Name):
                    found |= {value.id, place(kept) or ""}
    return found - {""}


def exposes_part_parameters(views: list[FunctionView], name: str) -> bool:
    """Does a method give the parameters of the parts to whoever trains: `self.heads[name].parameters()`?"""
    for view in views:
        if "parameters" not in view.scope.called_names:
            continue
        for call in view.scope.calls:
            part = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "parameters" else None
            if isinstance(part, ast.Subscript) and place(part.value) == name:
                return True
    return False


def _lists_filled_in_loop(view: FunctionView, local: set[str]) -> set[str]:
    """The lists into which a loop over one of some lists puts its elements."""
    loops = [run.node for run in view.scope.loops if isinstance(run.node, ast.For)]
    over = [
        n for n in loops if any(place(i) in local for i in walk(n.iter) if isinstance(i, (ast.Name, ast.Attribute)))
    ]
    items = {getattr(t, "id", "") for n in over for t in walk(n.target)} - {""}
    if not items:
        return set()
    calls = view.scope.calls_to(GIVING)
    given = [c.func for c in calls if any(getattr(a, "id", "?") in items for a in c.args)]
    added = (s for n in over for s in walk(n) if isinstance(s, ast.AugAssign))
    lists = {s.target.id for s in added if isinstance(s.target, ast.Name) and _is_list_of_names(s.value, items)}
    return lists | {place(f.value) or "" for f in given if isinstance(f, ast.Attribute)} - {""}


def _lists_holding_names(view: FunctionView, local: set[str]) -> set[str]:
    """The other lists that some names are put into by themselves: `layers` of `layers.append(layer)`."""
    calls = [c for c in view.scope.calls if local and last_name(c.func) in GIVING]
    given = [c.func for c in calls if any(isinstance(a, ast.Name) and a.id in local for a in c.args)]
    return {f.value.id for f in given if isinstance(f, ast.Attribute) and isinstance(f.value, ast.Name)}


def _is_list_of_names(node: Node, items: set[str]) -> bool:
    """Is it a list of some names?"""
    return isinstance(node, (ast.List, ast.Tuple)) and any(getattr(e, "id", "") in items for e in node.elts)


def _is_in_returned_list(view: FunctionView, name: str, views: list[FunctionView]) -> bool:
    """Is the attribute also in another list, that a method gives to whoever trains it: `arch_parameters()`?"""
    lists = _lists_in_attributes(view.scope)
    holding = {at for at, shown in lists if at != name and name in map(place, shown.elts)}
    given = (place(r.value) for v in views if v.scope.name != "forward" for r in v.scope.returns if r.value is not None)
    return bool(holding) and not holding.isdisjoint(given)


@cached_per_scope(local=True)
def _lists_in_attributes(scope: FunctionScope) -> list[tuple[str, ast.List]]:
    """The lists that a method writes out for attributes, `self.all = [self.a, self.b]`, each with its place."""
    bound = ((at, b.value) for at, bindings in scope.bindings.items() if "." in at for b in bindings)
    return [(at, value) for at, value in bound if isinstance(value, ast.List)]


def _is_in_other_attribute(view: FunctionView, name: str, local: set[str]) -> bool:
    """Is one of the local names also assigned to, stored in or appended to another attribute?"""
    found = (b for at, bindings in view.scope.bindings.items() if "." in at and at != name for b in bindings)
    if any(isinstance(b.value, ast.Name) and b.value.id in local for b in found):
        return True
    if local:
        for call in view.scope.calls:
            base = (
                place(call.func.value)
                if isinstance(call.func, ast.Attribute) and last_name(call.func) in ITEM
                else None
            )
            if base not in (None, name) and "." in str(base) and any(getattr(a, "id", "") in local for a in call.args):
                return True
    if not local:
        return False
    for node in every_statement(view.scope.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            if place(node.targets[0].value) != name and getattr(node.value, "id", "") in local:
                return True
    return False


def _is_set_by_helper(view: FunctionView, local: set[str]) -> bool:
    """Does a function that is given one of some names make it a part of a module: `setattr(parent, name, new)`?"""
    handed = [c for c in view.scope.calls if any(getattr(a, "id", "") in local for a in all_arguments(c))]
    for call, helper in ((c, f) for c in handed for f in Call(c, view.frame).callees):
        setting = () if helper.stubbed else helper.calls_to(_SETTING)
        set_to = {place(c.args[-1]) for c in setting if c.args}
        bound = bind(helper, call, view.frame)[0] if set_to else {}
        given = (v.node for n, v in bound.items() if n in set_to and isinstance(v, Passed))
        if any(getattr(node, "id", "") in local for node in given):
            return True
    return False


def _is_list_passed_on(view: FunctionView, name: str, local: set[str]) -> bool:
    """Does a container module, an optimizer or, while building, something unknown receive the same list?"""
    field = name.partition(".")[2]
    named = _read_by_arguments(view.scope)
    if field not in named and local.isdisjoint(named):
        return False
    for call in view.scope.calls:
        called = last_name(call.func)
        if called in GIVING or not (called in _TAKING or may_make_layer(called, view)):
            continue
        used = (n for a in (*call.args, *(k.value for k in call.keywords)) for n in walk(a))
        if any(getattr(n, "attr", "") == field or getattr(n, "id", "") in local for n in used):
            value = view.value_of(call)
            built = value.may_be_instance_of if view.scope.name == "__init__" else value.instance_of
            if called in _TAKING or built(MODULE, OPTIMIZER):
                return True
    return False


@cached_per_scope(local=True)
def _read_by_arguments(scope: FunctionScope) -> set[str]:
    """The names and attributes that arguments of its calls read; remembered, since each attribute is looked for."""
    given = [n for c in scope.calls for a in (*c.args, *(k.value for k in c.keywords)) for n in walk(a)]
    return {n.id if isinstance(n, ast.Name) else n.attr for n in given if isinstance(n, (ast.Name, ast.Attribute))}


# ---------------------------------------------------------------------------------------------------- kept out of sight
def is_frozen_in_method(view: FunctionView, name: str, held: Node) -> bool:
    """Does the method freeze all that it puts into the list: `teacher.requires_grad_(False); self.teacher = [teacher]`?
    Nobody hides weights by accident that are not to be trained."""
    parts = held.elts if isinstance(held, (ast.List, ast.Tuple)) else [held]
    local = {p.id if isinstance(p, ast.Name) else "" for p in parts}
    mentioned = "requires_grad" in " ".join(view.scope.called_names | set(view.scope.bindings))
    if not mentioned and "requires_grad" not in view.scope.module.calls_by_keyword:
        return False
    frozen = set(_places_frozen_in(view))
    return name in frozen or bool(local and local <= frozen)


def _places_frozen_in(view: FunctionView) -> Iterator[str]:
    """The places whose parameters a method freezes: by `requires_grad_(False)` of theirs, or in a loop over them."""
    loops: dict[str, Node] = {getattr(n.target, "id", ""): n.iter for n in view.scope.nodes_of(ast.For)}
    calls = [c for c in view.scope.calls if last_name(c.func) == "requires_grad_" and _is_first_argument_false(c.args)]
    found: list[Node] = [c.func.value for c in calls if isinstance(c.func, ast.Attribute)]
    for bindings in view.scope.bindings.values():
        found += [b.node.value for b in bindings if _is_freezing_assignment(b) or _is_frozen_parameter_binding(b)]
    for base in found:
        of: Node = loops.get(getattr(base, "id", ""), base)
        if isinstance(of, ast.Call) and last_name(of.func) == "parameters" and isinstance(of.func, ast.Attribute):
            of = of.func.value
            of = loops.get(getattr(of, "id", ""), of)
        yield place(of.value if isinstance(of, ast.Subscript) else of) or ""


def _is_freezing_assignment(binding: Binding) -> bool:
    """Is it `p.requires_grad = False`?"""
    return (
        binding.kind == "assign"
        and isinstance(binding.node, ast.Attribute)
        and binding.node.attr == "requires_grad"
        and _is_first_argument_false([binding.value])
    )


def _is_frozen_parameter_binding(binding: Binding) -> bool:
    """Is it `layer.weight = nn.Parameter(kernel, requires_grad=False)`: a filter that is written out?"""
    match binding.node, binding.value:
        case ast.Attribute(attr="weight"), ast.Call(keywords=keywords) if last_name(binding.value.func) == "Parameter":
            return any(k.arg == "requires_grad" and _is_first_argument_false([k.value]) for k in keywords)
    return False


def _is_first_argument_false(given: Node) -> bool:
    """Is the one thing given `False`?"""
    return bool(given) and isinstance(given[0], ast.Constant) and given[0].value is False
