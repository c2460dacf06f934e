"""Does an assignment of `requires_grad` reach parameters, or only an attribute that is never read?

    net.encoder.requires_grad = False          # an attribute of a module: PyTorch asks each parameter
    weight.requires_grad = False               # a tensor: frozen

Whether the object is a module is read from what it is, or from how the same file uses it; a test of its type before the
assignment is believed.

And is a module frozen from the moment it is built, because its constructor freezes all that it holds, or the function
that loads it?

    def __init__(self, trainable=False):
        ...
        for p in self.parameters():
            p.requires_grad = trainable
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, ClassView, FunctionView
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.libraries.tensor_methods import LISTS_PARAMETERS, LISTS_PARTS, RETURNS_MODULE
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.blocks import every_statement
from mllint.semantics.syntax.caches import cached, cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, is_within, iterable_of, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.syntax.unbound import is_unbound
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Answer, Evidence, proven_unless
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import init_frame, method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, bindings_of, bound_values, origins, results_of, statements
from mllint.semantics.values.reach import functions_around
from mllint.semantics.values.values import ClassValue, InstanceValue, LiteralValue, TensorValue, UnknownValue, Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.syntax.module import Binding, ClassScope, ModuleScope, Scope

__all__ = [
    "are_attribute_assignments", "find_ineffective_attribute", "freezes_itself", "is_frozen_where_loaded",
    "is_known_tensor",
]  # fmt: skip

_MODULE_METHODS = frozenset(
    "parameters named_parameters eval train state_dict load_state_dict children modules".split()
)


def find_ineffective_attribute(binding: Binding, name: str, function: FunctionView) -> Answer[str] | None:
    """The attribute that an assignment sets, and PyTorch never reads; None where it may freeze something.

    Args:
        binding: the assignment.
        name: the place that it is to: `self.body.requires_grad`.
        function: the function that it is in.

    Returns:
        The name of the attribute; only named where nothing but its name says that the object is a model, only possible
        where whoever builds the object freezes it as a whole, where what is to be trained has just been built, or where
        nothing reads the module.
    """
    target, attribute = binding.node.value, name.rpartition(".")[2]
    if _is_never_read(target, attribute, function) or _is_in_fragment(binding, name, function):
        whole = name.startswith("self.") and _is_frozen_whole(function)
        idle = _opens_what_is_new(binding, name, function) or _is_of_unread_module(target, function)
        return proven_unless(whole or idle, attribute)
    base = function.value_of(target)
    if attribute != "trainable" and base.is_unknown and _is_named_model(name):
        return Answer(attribute, Evidence.NAMED)
    return None


def _opens_what_is_new(binding: Binding, name: str, function: FunctionView) -> bool:
    """Is an object to be trained that the same function builds, and that nothing in it freezes?"""
    if getattr(binding.value, "value", None) is not True:
        return False
    built = function.scope.bindings.get(name.rpartition(".")[0], ())
    frozen = (b for at, bound in function.scope.bindings.items() if at.endswith(".requires_grad") for b in bound)
    closes = any(getattr(b.value, "value", None) is not True for b in frozen)
    closes = closes or any(last_name(c.func) == "requires_grad_" for c in function.scope.calls)
    return bool(built) and all(isinstance(b.value, ast.Call) for b in built) and not closes


def _is_of_unread_module(target: Node, function: FunctionView) -> bool:
    """Is it a part of a module that an object keeps, be it no module itself, and that nothing else in the project
    reads: `for p in self.copy.parameters(): p.requires_grad_ = False`, and no optimizer gets them?"""
    bound = function.scope.bindings.get(target.id, ()) if isinstance(target, ast.Name) else ()
    drawn = [
        b.value.func.value
        for b in bound
        if b.kind == "for" and isinstance(b.value, ast.Call) and isinstance(b.value.func, ast.Attribute)
    ]
    owner, names = function.scope.owner, {place(node) or "" for node in drawn}
    if owner is None or len(names) != 1 or len(drawn) != len(bound):
        return False
    holder, _, kept = next(iter(names)).rpartition(".")
    cls = ClassView(owner, function.frame)
    if holder != "self" or cls.inherits(MODULE) or cls.has_unknown_base:
        return False
    here = {id(node) for node in drawn}
    modules = [m for m in function.project.modules if m.source.holds(kept)]
    reads = (n for m in modules for n in m.body.nodes_of(ast.Attribute) if n.attr == kept and id(n) not in here)
    texts = (n.value for m in modules for n in m.body.nodes_of(ast.Constant))
    return not any(isinstance(n.ctx, ast.Load) for n in reads) and kept not in texts


def _is_never_read(target: Node, attribute: str, function: FunctionView, steps: int = 3) -> bool:
    """Is it known of what an attribute is set on, or of whatever the callers hand in for it, that PyTorch never reads
    the attribute?"""
    name = f"{place(target)}.{attribute}"
    if (
        _misses(function.value_of(target), attribute)
        or _is_drawn_from(target, LISTS_PARTS, function)
        or (attribute != "requires_grad" and _is_drawn_from(target, LISTS_PARAMETERS, function))
        or (attribute != "trainable" and _is_used_as_module(target, function))
        or _is_part_of_model(target, name, function)
        or (attribute == "requires_grad" and _is_item_of_model(target, function))
    ):
        return True
    given = list(_passed_by_callers(target.id, function)) if steps and isinstance(target, ast.Name) else []
    return bool(given) and all(_is_never_read(node, attribute, caller, steps - 1) for node, caller in given)


def _passed_by_callers(name: str, function: FunctionView) -> Iterator[tuple[Node, FunctionView]]:
    """What the callers of a function give for a parameter, as expressions, each with the function of the call."""
    bound = function.scope.bindings.get(name, ())
    if function.scope.is_body or not all(b.kind == "param" for b in bound) or function.scope.parameter(name) is None:
        return
    for call, frame in function.project.callers(function.scope):
        found = bind(function.scope, call, frame)[0].get(name)
        if isinstance(found, Passed):
            yield found.node, FunctionView(found.frame.function, found.frame)


def freezes_itself(model: Value, frame: Frame) -> bool:
    """Do the constructors of all classes that a model may be of freeze all its parameters, as it was built?"""
    return bool(model.alternatives) and all(
        isinstance(v, InstanceValue) and _is_built_frozen(v, frame) for v in model.alternatives
    )


def _is_built_frozen(model: InstanceValue, frame: Frame) -> bool:
    init = method(model.cls, "__init__")
    if init is None or init.stubbed or not init.parameters:
        return False
    own = init.parameters[0].name
    inner = init_frame(model, init, frame)
    return any(evaluate(flag, inner).truth is not True for flag in _requires_grad_of_all(init.node, own))


def _requires_grad_of_all(init: Node, own: str) -> list[Node]:
    """What a constructor sets `requires_grad` of all parameters to, as expressions."""
    found = []
    for node in walk(init):
        if isinstance(node, ast.Call) and place(node.func) == f"{own}.requires_grad_" and node.args:
            found.append(node.args[0])
        if not isinstance(node, ast.For) or not isinstance(node.iter, ast.Call):
            continue
        if place(node.iter.func) == f"{own}.parameters" and isinstance(node.target, ast.Name):
            found += _requires_grad_of(node.target.id, node.body)
    return found


def _requires_grad_of(name: str, body: list[Node]) -> list[Node]:
    """What statements set `requires_grad` of a parameter to."""
    found = []
    for node in (n for statement in body for n in walk(statement)):
        if isinstance(node, ast.Assign) and place(node.targets[0]) == f"{name}.requires_grad":
            found.append(node.value)
        elif isinstance(node, ast.Call) and place(node.func) == f"{name}.requires_grad_" and node.args:
            found.append(node.args[0])
    return found


def is_frozen_where_loaded(model: Node, frame: Frame) -> bool:
    """Does a function that gives a model freeze all of it: `load` of `net = load(path)`, or of `self.net = load(path)`
    in the class of the object that the model is read from?

    Args:
        model: the expression of the model.
        frame: its context.
    """
    kept = list(_kept_in_attribute(model, frame)) if isinstance(model, ast.Attribute) else []
    for given in (Origin(model, frame), *kept):
        for origin in origins(given.node, given.frame, through=_may_pass_model):
            scope = origin.frame.function
            names = {place(origin.node), *(b.name for b in bindings_of(origin.node, scope))}
            returned = {place(n) for r in scope.returns if r.value is not None for n in walk(r.value)}
            frozen = (f for name in names & returned if name for f in _requires_grad_of_all(scope.node, name))
            if any(evaluate(flag, origin.frame).literal is False for flag in frozen):
                return True
    return False


def _kept_in_attribute(attribute: ast.Attribute, frame: Frame) -> Iterator[Origin]:
    """What the methods of the classes that an object may be of put into an attribute of it."""
    own = (c for cls in evaluate(attribute.value, frame).classes for c in mro(cls) if not isinstance(c, str))
    for function in (f for c in own for f in c.methods.values() if f.parameters and not f.stubbed):
        for binding in function.bindings.get(f"{function.parameters[0].name}.{attribute.attr}", ()):
            yield from bound_values(binding, frame.project.frame(function))


def _may_pass_model(origin: Origin) -> bool:
    """Does an expression give a model as it is: a name, or what a function of the project returns?"""
    if isinstance(origin.node, ast.Call):
        return next(results_of(origin.node, origin.frame), None) is not None
    return isinstance(origin.node, (ast.Name, ast.Attribute))


def _is_frozen_whole(function: FunctionView) -> bool:
    """Does somebody freeze what is built of the class, or what is built of a class that is looked up:
    `make[kind](size).requires_grad_(False)`?"""
    owner = function.scope.owner
    if owner is None:
        return False
    for node, scope in function.project.calls_named("requires_grad_"):
        off = node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value is False
        made = node.func.value if off and isinstance(node.func, ast.Attribute) else None
        while isinstance(made, ast.Call) and last_name(made.func) in RETURNS_MODULE:
            made = made.func.value if isinstance(made.func, ast.Attribute) else None
        if isinstance(made, ast.Call):
            callees = (Call(made, function.project.frame(around)).callee for around in functions_around(scope))
            if any(
                c.is_unknown or any(isinstance(v, ClassValue) and v.cls is owner for v in c.alternatives)
                for c in callees
            ):
                return True
    return False


def are_attribute_assignments(bindings: list[Binding]) -> bool:
    """Are they all assignments?"""
    return all(b.kind == "assign" and isinstance(b.node, ast.Attribute) for b in bindings)


def is_known_tensor(target: Node, function: FunctionView) -> bool:
    """Does a branch around the assignment ask whether it is a tensor: `isinstance(module, nn.Parameter)`?"""
    branches = _tensor_branches(function.scope).get(place(target.value), ())
    return any(first <= target.lineno <= last for first, last in branches)


@cached_per_scope(local=True)
def _tensor_branches(function: FunctionScope) -> dict[str | None, list[tuple[int, int]]]:
    """The first and last lines of the branches in which a place is known to be a tensor, by the place."""
    found: dict[str | None, list[tuple[int, int]]] = {}
    for node in (s for s in every_statement(function.node) if isinstance(s, ast.If)):
        test = node.test
        if isinstance(test, ast.Call) and last_name(test.func) == "isinstance" and len(test.args) == 2:
            if last_name(test.args[1]) in ("Parameter", "Tensor"):
                lines = node.body[0].lineno, node.body[-1].end_lineno or 0
                found.setdefault(place(test.args[0]), []).append(lines)
    return found


def _misses(base: Value, attribute: str) -> bool:
    """Does the attribute mean nothing to what it is set on?"""
    if base.instance_of(MODULE):
        return not any(_declares_attribute(cls, attribute) for cls in base.classes)
    return (
        isinstance(base, TensorValue) and (base.is_("Parameters") or base.is_attached) and attribute != "requires_grad"
    )


def _is_in_fragment(binding: Binding, name: str, function: FunctionView) -> bool:
    """Is it `net.backbone.requires_grad = False` in a fragment, which binds `net` nowhere? What is called so is no
    tensor."""
    base = binding.node.value
    while isinstance(base, ast.Attribute):
        base = base.value
    if isinstance(binding.node.value, ast.Name):
        return False  # of a kind that nothing shows
    return is_unbound(base, function.module) and not name.endswith(".trainable") and _is_named_model(name)


def _is_part_of_model(base: Node, name: str, function: FunctionView) -> bool:
    """Is it `self.bert.encoder.requires_grad = False`, or `net.model.vision_tower`, of a model of a library? What is
    called so is no tensor."""
    if not isinstance(base, ast.Attribute) or name.endswith(".trainable"):
        return False
    called = _is_named_model(name) or topics.is_about(base.attr, Topic.LAYERS)
    return called and _is_in_model(base, function)


def _is_item_of_model(base: Node, function: FunctionView) -> bool:
    """Is it one of what is in a model of a library, `for block in net.layer1[:2]`? The rows of a parameter are no
    leaves, whose gradients cannot be switched off: what is gone through holds modules."""
    iterated = _gone_through(function.scope).get(base.id) if isinstance(base, ast.Name) else None
    return bool(iterated) and all(_is_in_model(node, function) for node in iterated or ())


@cached_per_scope(local=True)
def _gone_through(function: FunctionScope) -> dict[str, list[Node]]:
    """What the loops go through that bind a name, for names that nothing else binds."""
    return {
        name: [iterable_of(b.value) for b in bindings]
        for name, bindings in function.bindings.items()
        if all(b.kind == "for" and not b.path for b in bindings)
    }


def _is_in_model(node: Node, function: FunctionView) -> bool:
    """Is it an attribute of a model of a library, or of a part of it, and no private one?"""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    while isinstance(node, ast.Attribute) and not node.attr.startswith("_"):
        node = node.value
        model = function.value_of(node)
        if model.instance_of(MODULE):
            return all(c.module.is_stub for c in model.classes)
    return False


def _is_named_model(name: str) -> bool:
    """Does the name of what an attribute is set on speak for a model: `net`, or `features` of torchvision?"""
    base = name.rpartition(".")[0]
    return roles.has_role_name(base, Role.MODEL) or base.endswith(".features")


def _is_used_as_module(target: Node, function: FunctionView) -> bool:
    """Is something unknown called, or asked for its parameters, in the same file? No tensor can be called."""
    name, known = place(target), function.value_of(target).alternatives
    if name is None or _is_decided_by_type(target, name, function):
        return False
    if not all(isinstance(v, UnknownValue) or _is_nothing(v) or _is_module(v) for v in known):
        return False
    return any(
        _enclosing_class(scope) is around.owner
        and call.lineno != target.lineno
        and ("." in here or _of(here, scope) is _of(here, around.scope))
        for here, around in _known_as(name, function)
        for call, scope in _uses_as_module(around.module).get(here, ())
    )


def _is_decided_by_type(target: Node, name: str, function: FunctionView) -> bool:
    """Does a test of its type decide what is done with it, `if isinstance(self.embed, TokenEmbedding): ... else: ...`?
    Then the class may have an attribute of that name."""
    tests = (s.test for s in statements(function.scope) if isinstance(s, ast.If) and is_within(target, s))
    calls = (n for test in tests for n in walk(test) if isinstance(n, ast.Call) and last_name(n.func) == "isinstance")
    return any(place(call.args[0]) == name for call in calls if call.args)


def _is_module(value: Value) -> bool:
    """Is it a module whose classes leave `requires_grad` to PyTorch?"""
    return value.instance_of(MODULE) and not any(_declares_attribute(c, "requires_grad") for c in value.classes)


def _is_nothing(value: Value) -> bool:
    """Is it None, which has no attribute that could be set?"""
    return isinstance(value, LiteralValue) and value.value is None


def _known_as(name: str, function: FunctionView) -> Iterator[tuple[str, FunctionView]]:
    """What a place is called in a function, and in those that hand its object to the function: `prepare(self)`."""
    yield name, function
    root, dot, rest = name.partition(".")
    if dot and function.owner is None:
        for node, caller in _passed_by_callers(root, function):
            outer = place(node)
            if outer is not None:
                yield f"{outer}.{rest}", caller


def _of(name: str, scope: Scope | None) -> Scope | None:
    """The scope that a variable belongs to, as a function or one around it sees it."""
    while scope is not None and name not in scope.bindings:
        scope = scope.parent
    return scope


@cached(local=True)
def _uses_as_module(module: ModuleScope) -> dict[str, list[tuple[ast.Call, Scope]]]:
    """The calls in a file of each place, or of a method of it that only modules have."""
    found: dict[str, list[tuple[ast.Call, Scope]]] = {}
    for call, scope in (item for calls in module.calls_by_name.values() for item in calls):
        func = call.func
        of = func.value if isinstance(func, ast.Attribute) and func.attr in _MODULE_METHODS else None
        for name in {place(func), place(of)}:
            if name is not None:
                found.setdefault(name, []).append((call, scope))
    return found


def _enclosing_class(scope: Scope) -> ClassScope | None:
    """The class of a method."""
    return getattr(scope, "owner", None)


def _is_drawn_from(base: Node, methods: frozenset[str], function: FunctionView) -> bool:
    """Is it one of the modules, or parameters, that a method by one of these names gives: `children()`?"""
    if not isinstance(base, ast.Name):
        return False
    owner = _of(base.id, function.scope)
    drawn = _methods_drawn_from(owner).get(base.id) if isinstance(owner, FunctionScope) else None
    return bool(drawn) and methods.issuperset(drawn or ())


@cached_per_scope(local=True)
def _methods_drawn_from(function: FunctionScope) -> dict[str, set[str | None]]:
    """The methods whose results the bindings of each name go through; None for what comes from elsewhere."""
    found: dict[str, set[str | None]] = {}
    for name, bindings in function.bindings.items():
        values = [_whole(iterable_of(b.value)) for b in bindings]
        called = [v.func if isinstance(v, ast.Call) else None for v in values]
        found[name] = {func.attr if isinstance(func, ast.Attribute) else None for func in called}
    return found


def _whole(node: Node) -> Node:
    """What a part is taken from: `x` of `list(x)[:n]`."""
    while True:
        match node:
            case ast.Subscript(value=inner, slice=ast.Slice()):
                node = inner
            case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner]):
                node = inner
            case _:
                return node


def _declares_attribute(cls: ClassScope, attribute: str) -> bool:
    """Does a class of the user's have the attribute itself: a field, a property, an option that it keeps, or a
    `requires_grad` that its methods read?"""
    own = [c for c in mro(cls) if not isinstance(c, str) and not c.module.is_stub]
    methods = [m for c in own for m in c.methods.values()]
    if attribute != "requires_grad" and any(f"self.{attribute}" in m.bindings for m in methods):
        return True
    if any(_keeps_option(m, attribute) for m in methods):
        return True
    nodes = (n for m in methods for n in m.nodes_of(ast.Attribute) if n.attr == attribute)
    return any(attribute in c.bindings or attribute in c.methods for c in own) or any(
        isinstance(n.ctx, ast.Load) and place(n.value) == "self" for n in nodes
    )


def _keeps_option(method: FunctionScope, attribute: str) -> bool:
    """Does a constructor keep a parameter of this name, `self.requires_grad = requires_grad`, which it uses besides?"""
    if method.name != "__init__" or method.parameter(attribute) is None:
        return False
    kept = [b.value for b in method.bindings.get(f"self.{attribute}", ())]
    read = [n for n in method.nodes_of(ast.Name) if n.id == attribute and isinstance(n.ctx, ast.Load)]
    return any(node in kept for node in read) and any(node not in kept for node in read)
