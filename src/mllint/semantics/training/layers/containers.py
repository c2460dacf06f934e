"""What does a class put into lists and dictionaries of modules, and what becomes of them?

    self.blocks = []
    self.blocks.append(nn.Linear(4, 4))        # `_puts`: a layer, into a plain list
    self.all = nn.ModuleList(self.blocks)      # `ends_as_module`: registered after all

Only what this class, or a function that it calls, has built is asked about; what is handed in belongs to somebody else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, ClassView, FunctionView
from mllint.semantics.libraries.classes import MODULE, MODULE_LIST, SEQUENTIAL
from mllint.semantics.libraries.tensor_methods import LISTS_PARAMETERS, LISTS_PARTS
from mllint.semantics.syntax.blocks import every_statement, nodes_naming
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bound_expression
from mllint.semantics.syntax.nodes import Node, all_arguments, is_within, iterable_of, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training import iterations
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.layers import candidates, registered, registration
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.bases import mro
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import resolve_name, statements
from mllint.semantics.values.self_helpers import Part, helpers_acting_on
from mllint.semantics.values.values import FunctionValue, InstanceValue, TensorValue, UnknownValue, Value

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Scope

__all__ = [
    "becomes_container_module", "ends_as_module", "find_unregistered_modules", "is_overwritten_in_loop", "kind_of",
]  # fmt: skip


_OVERRIDES = LISTS_PARAMETERS | LISTS_PARTS | {"_apply"}
_REGISTERS = frozenset("add_module register_module register_parameter setattr".split())
_REGISTERING = _REGISTERS | {"exec"}
_PLAIN = ("types.", "argparse.", "collections.", "omegaconf.", "easydict.")
_KINDS = {"Tuple": "tuple", "tuple": "tuple", "Set": "set", "SetComp": "set", "set": "set", "deque": "deque"}
_KINDS |= dict.fromkeys(("Dict", "DictComp", "dict", "OrderedDict", "defaultdict"), "dict")


def find_unregistered_modules(cls: ClassView) -> Iterator[tuple[FunctionView, registered.Put, str, Answer[bool]]]:
    """What the methods of a class, and functions that they hand the object to, put into plain containers, where PyTorch
    does not see it.

    Args:
        cls: a class; nothing is said of one that is no module, or that registers its parts in a way of its own.

    Yields:
        The function, what is put where, the container that it belongs in (`nn.ModuleList`, ...), and how well it is
        known that training leaves it out.
    """
    if not cls.inherits(MODULE):
        return
    views = [FunctionView(f, cls.frame_of(f)) for f in cls.scope.methods.values()]
    views += [
        FunctionView(p.function, cls.frame_of(p.function)) for p in helpers_acting_on(cls.scope) if _acts_as_method(p)
    ]
    called = {c.func.attr for v in views for c in v.scope.calls if isinstance(c.func, ast.Attribute)}
    empty = _begun(cls, views)
    left = ((view, put) for view in views for put in _puts(view, empty) if put.name.partition(".")[2] not in called)
    stored = [(view, put) for view, put in left if _may_hold(view, put, enters=False)]
    if not stored or _registers_otherwise(cls, views):
        return
    computing = _methods_that_compute(cls)
    for view, put in stored:
        field = put.name.partition(".")[2]
        if not (computing is None or _reads_attribute(computing, field)) or not _may_hold(view, put):
            continue  # by form alone, before what is put is evaluated
        home = _proper_container_of(view, put, cls)
        if not home or registered.is_frozen_in_method(view, put.name, put.held):
            continue  # hardly anything is a container of layers
        if registered.is_registered_otherwise(views, put) or registered.is_registered_in_subclass(cls, put.name):
            continue
        if not ends_as_module(cls, put.name) or _is_module_in_other_branch(view, put, views):
            yield view, put, home, _is_left_out(views, put.name)


def _acts_as_method(part: Part) -> bool:
    """Is the object called as in methods, and the first that a function is given, or known to it from around it?"""
    parameters = part.function.parameters
    known = part.function.parameter(part.own) is None
    return part.own == "self" and (known or parameters[0].name == part.own)


def _registers_otherwise(cls: ClassView, views: list[FunctionView]) -> bool:
    """Does a class give its parameters, or register its parts, in a way of its own?"""
    if any(name in cls.scope.methods for name in _OVERRIDES):
        return True
    if any(
        _may_register_modules(c, v) for v in views for scope in v.scope.nested() for c in scope.calls_to(_REGISTERING)
    ):
        return True
    return any(_collects_parameters(v) for v in views) or _inherits_registration(cls, _REGISTERS)


def _may_register_modules(call: ast.Call, view: FunctionView) -> bool:
    """May a call register what is kept in a container too: is it given more than what is built on the spot, or set?"""
    if last_name(call.func) == "exec":
        return True  # `exec("self.layer1 = layer")`
    if last_name(call.func) not in _REGISTERS or (call.args and isinstance(call.args[-1], ast.Call)):
        return False
    if last_name(call.func) != "setattr" or not call.args:
        return True
    return not (candidates.is_read_from_settings(call.args[-1], view) or _is_no_module(call.args[0], view))


def _is_no_module(node: Node, view: FunctionView) -> bool:
    """Is it a name of what a library made that has no modules: `settings = SimpleNamespace(...)`?"""
    bound = view.scope.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    made = [v for b in bound if isinstance(b.value, ast.Call) for v in Call(b.value, view.frame).callee.alternatives]
    return len(made) == len(bound) > 0 and all(_is_of_plain_library(v) for v in made)


def _is_of_plain_library(called: Value) -> bool:
    return isinstance(called, UnknownValue) and isinstance(called.name, str) and called.name.startswith(_PLAIN)


def _collects_parameters(view: FunctionView) -> bool:
    """Does a method collect the parameters of its parts by hand, by `self.all.extend(block.parameters())` or `+=`?"""
    given = [a for c in view.scope.calls_to(registered.ITEMS) for a in c.args]
    if "ParameterList" in view.scope.called_names:
        given += [n for s in statements(view.scope) if isinstance(s, ast.AugAssign) for n in walk(s.value)]
    return any(isinstance(a, ast.Call) and last_name(a.func) == "parameters" for a in given)


def _is_left_out(views: list[FunctionView], name: str) -> Answer[bool]:
    """Whether training leaves out the parts that an attribute holds; perhaps not where a method hands out the
    parameters of each."""
    return proven_unless(registered.exposes_part_parameters(views, name) or _are_trained_each(views, name), True)


def _are_trained_each(views: list[FunctionView], name: str) -> bool:
    """Is each of the parts trained by itself, `[Adam(m.parameters()) for m in self.models]`, and never the whole?"""
    named = [c for v in views for c in v.scope.calls if last_name(c.func) == "parameters"]
    bases = [place(c.func.value) for c in named if isinstance(c.func, ast.Attribute)]
    parts: set[str | None] = set()
    for view in views:
        for node in walk(view.scope.node):
            if isinstance(node, (ast.For, ast.comprehension)) and place(iterable_of(node.iter)) == name:
                parts |= {place(n) for n in walk(node.target)}
    return bool(parts & set(bases)) and "self" not in bases


def _may_hold(view: FunctionView, put: registered.Put, *, enters: bool = True) -> bool:
    """A cheap look: can what is put be a container that was filled here? A parameter, a constant, an object is none."""
    held = put.held
    if put.item:
        return True
    if candidates.is_leaf_with_gradient(held):
        return True
    copies = isinstance(held, ast.Call) and last_name(held.func) in ("list", "tuple")
    return candidates.may_contain(held, view, enters=enters) and (
        copies or not isinstance(held, ast.Call) or candidates.is_kept(view, put.name)
    )


def _puts(view: FunctionView, elsewhere: frozenset[str] = frozenset()) -> Iterator[registered.Put]:
    """What a method, or a function that acts as one, puts into attributes of its object.

    Args:
        view: the method, or the function.
        elsewhere: the attributes that others bind to a container, without their object.
    """
    own = _own(view)
    here = [name for name in view.scope.bindings if name.startswith(own) and "[" not in name]
    for name in here:
        bindings = view.scope.bindings[name]
        for binding in bindings:
            if binding.kind == "aug":
                if name.removeprefix(own) in elsewhere or _is_filled(name, view):
                    yield registered.Put(name, binding.node, binding.value.value, False)
            elif binding.kind == "assign" and not binding.path and binding.value is not None:
                yield registered.Put(name, binding.node, _unturned(binding.value), False)
                held = binding.value
                if held.__class__ is ast.Call and held.func.__class__ is ast.Name and held.func.id == "dict":
                    held = held.args[0] if len(held.args) == 1 else None
                bound = view.scope.bindings.get(held.id) if held.__class__ is ast.Name else None
                if bound and bound[0].kind == "assign":
                    yield from _puts_before(view, name, binding, held)
    beyond = {own + name for name in elsewhere}
    for call in view.scope.calls_to(registered.GIVING):
        name = (place(call.func.value) if isinstance(call.func, ast.Attribute) else None) or ""
        if call.args and (name in beyond or (name in here and _is_filled(name, view))):
            yield registered.Put(name, call, call.args[-1], last_name(call.func) in registered.ITEM)
    for name in sorted(beyond.union(here)):
        found = view.scope.bindings.get(name, ())
        if not found or any(isinstance(bound_expression(b), (ast.Dict, ast.List)) for b in found):
            yield from _stores(view, name)
            yield from _put_by_helpers(view, name)


def _puts_before(view: FunctionView, name: str, binding: Binding, held: ast.Name) -> Iterator[registered.Put]:
    """What was stored by key in a dictionary of the function: `heads[k] = Linear(4, 2)` above `self.heads = heads`, or
    `dict(heads)`. Not where something else gets the dictionary, which may register what is in it.

    Args:
        view: the function.
        name: the attribute.
        binding: what binds it.
        held: the dictionary.
    """
    bound = view.scope.bindings[held.id]
    if len(bound) != 1 or not _is_empty(bound[0].value):
        return
    found = list(_stores(view, held.id))
    into = [put.node.targets[0].value for put in found]
    named = (n for n in nodes_naming(held.id, view.scope) if isinstance(n, ast.Name) and n.id == held.id)
    read = (n for n in named if isinstance(n.ctx, ast.Load) and n is not held)
    if found and all(any(node is target for target in into) for node in read):
        yield from (put._replace(name=name, node=binding.node) for put in found)


def _is_filled(name: str, view: FunctionView) -> bool:
    """May an attribute be bound to a container of modules in a method?"""
    bound = (b for b in view.scope.bindings[name] if b.kind == "assign" and not b.path)
    return any(b.value is not None and candidates.may_contain(b.value, view) for b in bound)


def _own(view: FunctionView) -> str:
    """What the attributes of the object begin with, in a method or a function that acts as one."""
    first = view.scope.parameters[0].name if view.scope.parameters else "self"
    return f"{first}." if view.owner is not None else "self."


def _begun(cls: ClassView, views: list[FunctionView]) -> frozenset[str]:
    """The attributes that are bound to an empty list or dictionary, in the class or in one that it is made from, and
    nowhere to anything else, of those that a method puts something into and does not bind itself."""
    wanted = {name for view in views for name in _given(view)}
    if not wanted:
        return frozenset()
    empty = _bound_empty(views, wanted)
    if wanted - empty.keys():  # only then the bases are looked for, in other files
        above = (c for c in mro(cls.scope)[1:] if not isinstance(c, str) and not c.module.is_stub)
        others = [FunctionView(f, cls.frame_of(f)) for c in above for f in c.methods.values()]
        empty = _bound_empty([*views, *others], wanted)
    return frozenset(name for name, always in empty.items() if always)


def _given(view: FunctionView) -> Iterator[str]:
    """The attributes of its object that a method puts something into, and does not bind."""
    own, bindings = _own(view), view.scope.bindings
    to: list[Node] = [c.func.value for c in view.scope.calls_to(registered.GIVING) if isinstance(c.func, ast.Attribute)]
    items = (name.partition("[")[0] for name in bindings if "[" in name)
    for name in (*(place(node) or "" for node in to), *items):
        if name.startswith(own) and all(b.kind == "aug" for b in bindings.get(name, ())):
            yield name.removeprefix(own)


def _bound_empty(views: list[FunctionView], wanted: set[str]) -> dict[str, bool]:
    """Of some attributes those that methods bind, and whether always to an empty list or dictionary."""
    found: dict[str, bool] = {}
    for view in views:
        own = _own(view)
        for name in wanted:
            bound = [b for b in view.scope.bindings.get(own + name, ()) if b.kind == "assign"]
            if bound:
                found[name] = all(_is_empty(bound_expression(b)) for b in bound) and found.get(name, True)
    return found


def _is_empty(value: Node) -> bool:
    """Is it an empty list or dictionary: `[]`, `{}`, `list()`, `dict()`, `OrderedDict()`?"""
    match value:
        case ast.List(elts=[]) | ast.Dict(keys=[]):
            return True
        case ast.Call(func=func, args=[], keywords=[]):
            return last_name(func) in ("list", "dict", "OrderedDict")
    return False


def _put_by_helpers(view: FunctionView, name: str) -> Iterator[registered.Put]:
    """`prepend(self.x, layer)`, of a function of the project that puts the one into the other."""
    own = view.project.reach.own_names()
    for call in view.scope.calls:
        if len(call.args) + len(call.keywords) < 2 or not any(place(a) == name for a in all_arguments(call)):
            continue
        if last_name(call.func) not in own:
            continue
        for helper in (f for f in Call(call, view.frame).callees if not f.stubbed):
            bound = bind(helper, call, view.frame)[0]
            given = {n: v.node for n, v in bound.items() if isinstance(v, Passed)}
            for inner in helper.calls_to(registered.GIVING):
                to = inner.func.value if isinstance(inner.func, ast.Attribute) else None
                held = given.get(place(inner.args[-1]) or "") if inner.args else None
                if held is not None and place(given.get(place(to) or "")) == name:
                    yield registered.Put(name, call, held, last_name(inner.func) in registered.ITEM)


def _stores(view: FunctionView, name: str) -> Iterator[registered.Put]:
    """`self.x[i] = module` in a method."""
    for node in every_statement(view.scope.node):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            if place(node.targets[0].value) == name:
                yield registered.Put(name, node, node.value, True)


def _proper_container_of(view: FunctionView, put: registered.Put, cls: ClassView) -> str:
    """Where what is put belongs instead; empty when there is nothing to train or to switch."""
    table = kind_of(view, put) == "dict"
    home = "nn.ModuleDict" if table else "nn.ModuleList"
    if isinstance(put.held, ast.DictComp):
        put = put._replace(held=put.held.value, item=True)
    value = view.value_of(put.held)
    if not put.item and isinstance(value, TensorValue):
        trained = (
            candidates.is_leaf_with_gradient(put.held)
            and _is_plain(put.held, view)
            and not registration.is_parameter(value, view)
        )
        return "nn.Parameter" if trained and not candidates.is_input_not_weight(view, put.name) else ""
    if not put.item and any(not isinstance(v, registration.CONTAINERS) for v in value.alternatives):
        return ""
    leaves = list(registration.elements(value))
    if leaves and all(registration.is_parameter(leaf, view) for leaf in leaves):
        return (
            ("nn.ParameterDict" if table else "nn.ParameterList")
            if not _is_reassigned_elsewhere(view, put.name)
            else ""
        )
    layers = [leaf for leaf in leaves if isinstance(leaf, InstanceValue) and not candidates.trains_itself(leaf.cls)]
    layers = [v for v in layers if not (v.site is not None and registered.only_strings(v.site.node, view))]
    if any(_is_built_by_class(view, put, leaf, cls) and registration.has_parameters_or_mode(leaf) for leaf in layers):
        return home
    return ""


def kind_of(view: FunctionView, put: registered.Put) -> str:
    """What Python calls the container that something is put into, or that is put: "list" where it is none of those that
    are written or built here."""
    if put.item and _is_table(view, put.name):
        return "dict"
    bound = view.scope.bindings.get(put.name, ()) if put.item else ()
    built = [bound_expression(b) for b in bound if b.kind == "assign"] or [put.held]
    nodes = [resolve_name(node, view.scope) for node in built]
    kinds = {_KINDS.get(last_name(n.func) if isinstance(n, ast.Call) else n.__class__.__name__, "list") for n in nodes}
    return kinds.pop() if len(kinds) == 1 else "list"


def _is_table(view: FunctionView, name: str) -> bool:
    """Is an attribute a dictionary from the start: `self.heads = {}`?"""
    above = (c for c in mro(view.owner) if not isinstance(c, str)) if view.owner is not None else ()
    scopes = [f for c in above if not c.module.is_stub for f in c.methods.values()]
    first = [bound_expression(b) for f in scopes for b in f.bindings.get(name, ()) if b.kind == "assign"]
    tables = [isinstance(v, ast.Dict) or (isinstance(v, ast.Call) and last_name(v.func) == "dict") for v in first]
    return bool(tables) and all(tables)


def _is_reassigned_elsewhere(view: FunctionView, name: str) -> bool:
    """Does another method put other things in its place? Then the first ones only stood for them."""
    others = view.owner.methods.values() if view.owner is not None else ()
    return any(getattr(b.value, "elts", None) for f in others if f.name != "__init__" for b in f.bindings.get(name, ()))


def _is_plain(node: Node, view: FunctionView) -> bool:
    """Is it what a function gives, whatever is called? A class that is perhaps imported may be `nn.Parameter`."""
    return isinstance(node, ast.Call) and all(
        isinstance(v, FunctionValue) for v in Call(node, view.frame).callee.alternatives
    )


def _is_built_by_class(view: FunctionView, put: registered.Put, leaf: Value, cls: ClassView) -> bool:
    """Was the module built by this class, or by a function that it calls, and not handed in from outside?"""
    if leaf.site is None:
        return False
    homes = [view.owner or view.scope, cls.scope]
    if any(leaf.site.module is home.module and is_within(leaf.site.node, home.node) for home in homes):
        return True
    held = put.held
    given = held.args[0] if isinstance(held, ast.Call) and held.args else held
    if any(leaf.site.module is f.module and is_within(leaf.site.node, n) for n, f in candidates.displays(given, view)):
        return True
    if isinstance(held, ast.Name):
        held = next((b.value for b in view.scope.bindings.get(held.id, ())), None)
    shown = given if isinstance(given, (ast.ListComp, ast.GeneratorExp)) else held  # `list(make(c) for c in columns)`
    held = shown.elt if isinstance(shown, (ast.ListComp, ast.GeneratorExp)) else held
    makers = [f for c in (*_chained(held), *_made_for(given, view.scope)) for f in Call(c, view.frame).callees]
    if "Copied" in leaf.traits and any(not f.stubbed and "deepcopy" in f.called_names for f in makers):
        return True
    return any(leaf.site.module is f.module and is_within(leaf.site.node, f.node) for f in makers)


def _chained(node: Node) -> Iterator[ast.Call]:
    """A call, and what it is a method of: `head(8).to(device)`, `head(8)`."""
    while isinstance(node, ast.Call):
        yield node
        node = node.func.value if isinstance(node.func, ast.Attribute) else None


def _methods_that_compute(cls: ClassView) -> list[FunctionScope] | None:
    """The methods other than `__init__` and its helpers, also those of classes above; None if the class itself has
    none."""
    methods = list(cls.scope.methods.values())
    building = {name for f in methods if f.name == "__init__" for name in f.called_names}
    building -= {name for f in methods if f.name != "__init__" for name in f.called_names}
    others = [f for f in methods if f.name != "__init__" and f.name not in building]
    above = (c for c in mro(cls.scope)[1:] if not isinstance(c, str) and not c.module.is_stub) if others else ()
    others += [f for c in above for f in c.methods.values() if f.name != "__init__"]
    return others or None


def _reads_attribute(functions: list[FunctionScope], field: str) -> bool:
    """Does one of some functions read an attribute of that name?"""
    named = (n for f in functions for n in nodes_naming(field, f) if isinstance(n, ast.Attribute))
    return any(n.attr == field and isinstance(n.ctx, ast.Load) for n in named)


def ends_as_module(cls: ClassView, name: str) -> bool:
    """Does the attribute end as a module (`self.convs = nn.ModuleList(self.convs)`)?"""
    return any(
        isinstance(v, InstanceValue) and v.instance_of(MODULE)
        for v in cls.attribute(name.partition(".")[2]).alternatives
    )


def _is_module_in_other_branch(view: FunctionView, put: registered.Put, views: list[FunctionView]) -> bool:
    """Is it a module only in another branch than the one that puts a list there: `if a: self.x = nn.ModuleList(...)`,
    `else: self.x = [...]`?"""
    others = [(v, b) for v in views for b in v.scope.bindings.get(put.name, ()) if b.node is not put.node]
    apart = [b for v, b in others if v is view and iterations.are_in_different_branches(view.scope, put.node, b.node)]
    rest = [(v, b) for v, b in others if not any(b is a for a in apart)]
    after = (evaluate(b.value, v.frame) for v, b in rest if b.kind == "assign" and b.value is not None)
    return bool(apart) and not any(isinstance(v, InstanceValue) and v.instance_of(MODULE) for v in after)


def is_overwritten_in_loop(binding: Binding, loop: Node) -> bool:
    """Is `self.x = [layer, ...]` written in a loop that uses `self.x` for nothing else?"""
    if binding.kind != "assign" or not isinstance(binding.value, ast.List):
        return False
    if not is_within(binding.node, loop) or not any(isinstance(n, ast.Call) for n in walk(binding.value)):
        return False
    return sum(isinstance(n, (ast.Name, ast.Attribute)) and place(n) == binding.name for n in walk(loop)) == 1


def becomes_container_module(view: FunctionView, binding: Binding, loop: Node) -> bool:
    """Is a local list of layers begun above a loop, and made a container module below it: `nn.Sequential(*layers)`?"""
    first = [b.node.lineno for b in view.scope.bindings[binding.name] if isinstance(b.value, ast.List)]
    if min(first) >= loop.lineno:
        return False
    below = (c for c in view.scope.calls if c.lineno > (loop.end_lineno or loop.lineno) and c.args)
    given = (c for c in below if place(getattr(c.args[0], "value", c.args[0])) == binding.name)
    return any(view.value_of(c).instance_of(SEQUENTIAL, MODULE_LIST) for c in given)


def _inherits_registration(cls: ClassView, words: frozenset[str]) -> bool:
    """Does a method call one of a base class, `self.register(layers)`, that registers what it is given?"""
    own: MutableMapping[str, FunctionScope] = cls.scope.methods
    for method in own.values():
        for call in method.calls:
            func = call.func
            if isinstance(func, ast.Attribute) and place(func.value) == "self" and func.attr not in own and call.args:
                inherited = cls.method(func.attr)
                if inherited is not None and not inherited.stubbed and not words.isdisjoint(inherited.called_names):
                    return True
    return False


# -------------------------------------------------------------------------------------------------------------- by form
def _made_for(container: Node, scope: Scope) -> Iterator[ast.Call]:
    """The calls whose results are put into a variable: `block(3)` of `layers.append(block(3))`, also by a name."""
    name = container.id if isinstance(container, ast.Name) else ""
    if not name:
        return
    for call in scope.calls:
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "insert", "extend"):
            if place(call.func.value) == name:
                named = [b.value for a in call.args if isinstance(a, ast.Name) for b in scope.bindings.get(a.id, ())]
                yield from (a for a in (*call.args, *named) if isinstance(a, ast.Call))


def _unturned(value: Node) -> Node:
    """`[a, b]` of `[a, b][::-1]`, which holds the same."""
    match value:
        case ast.Subscript(value=ast.List() | ast.ListComp() as inner, slice=ast.Slice(lower=None, upper=None)):
            return inner
    return value
