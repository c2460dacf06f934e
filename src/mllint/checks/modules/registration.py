"""Are layers where training can find them, one instance for each place, and is what is computed kept?

`nn.Module` registers what is assigned to an attribute and nothing else. These rules look at what a class puts where,
and ask of each value whether it has anything to train or to switch: an activation or a loss in a list harms nobody.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks._filled import displays, given_requires_grad, handed, kept, may_contain, of_settings, trains_itself
from mllint.checks._lifetimes import in_other_branch
from mllint.checks._records import Put
from mllint.checks.modules._built import built_in, constructors, handed_up, put_in
from mllint.checks.modules._forward import builds_in_forward, inherited_registration, made_in_forward
from mllint.checks.modules._hidden import frozen_here
from mllint.checks.modules._putting import made_for, unturned
from mllint.checks.modules._registered import GIVING, ITEM, ITEMS, handed_out, listed_below, only_strings, registered
from mllint.checks.modules._shared import on_purpose
from mllint.rule import Finding, Note, check
from mllint.semantics import Call, Class, Function, Site, Value, text
from mllint.semantics.classes import attribute, method, mro, stub_effect
from mllint.semantics.evaluate import evaluate
from mllint.semantics.lineage import statements
from mllint.semantics.module import Binding, last_name, place, turned, walk, within
from mllint.semantics.module import Function as Scope
from mllint.semantics.parts import targets_of

__all__: list[str] = []

MODULE = "torch.nn.Module"
_PARAMETER = ("torch.nn.parameter.Parameter", "torch.nn.Parameter")
_CONTAINERS = ("sequence", "many", "mapping")
_REGISTERS = frozenset("add_module register_module register_parameter setattr".split())
_OVERRIDES = ("parameters", "named_parameters", "children", "named_children", "modules", "named_modules", "_apply")
_OPEN = ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict")
_SIZED = frozenset(
    """in_features in_channels in1_features out_features out_channels num_embeddings input_size num_features
    num_parameters normalized_shape num_channels embed_dim d_model""".split()
)


# ---------------------------------------------------------------------------------------------- unregistered-submodule
@check("unregistered-submodule")
def unregistered_submodule(cls: Class) -> Iterator[Finding]:
    """Modules are kept in a plain list, tuple or dict, where `nn.Module` does not see them."""
    if not cls.scope.node.bases:
        return
    if builds_in_forward(cls) and cls.inherits(MODULE):
        yield from made_in_forward(cls, lambda value: stateful(value, mode=False))
    views = [Function(f, cls.frame_of(f)) for f in cls.scope.methods.values()]
    for view in (view for view in views if view.scope.name == "__init__" and view.scope.loops):
        yield from overwritten(cls, view)
    stored = [(view, put) for view in views for put in puts(view) if may_hold(view, put, enters=False)]
    if not stored:
        return  # before the bases are looked for in other files
    if not cls.inherits(MODULE) or any(name in cls.scope.methods for name in _OVERRIDES):
        return
    if any(registers(c, v) for v in views for scope in v.scope.nested() for c in scope.calls):
        return
    if any(collects(v) for v in views) or inherited_registration(cls, _REGISTERS):
        return
    called = {c.func.attr for v in views for c in v.scope.calls if isinstance(c.func, ast.Attribute)}
    computed = computed_with(cls)
    for view, put in stored:
        field = put.name.partition(".")[2]
        if field in called or (computed is not None and field not in computed) or registered(views, put):
            continue  # by form alone, before what is put is evaluated
        home = belongs(view, put) if may_hold(view, put) and not frozen_here(view, put.name, put.held) else ""
        if home and listed_below(cls, put.name):
            continue
        if home and not (converted(cls, put.name) and not converted_elsewhere(view, put, views)):
            yield Finding(
                Site(cls.module, put.node),
                f"what is in `{put.name}` is no part of `{cls.scope.name}`: it belongs in an `{home}`",
                "not in parameters(), not in the checkpoint",
                certain=not (handed_out(views, put.name) or trained_each(views, put.name)),
            )


def registers(call: ast.Call, view: Function) -> bool:
    """May a call register what is kept in a container too: is it given more than what is built on the spot, or set?"""
    if last_name(call.func) == "exec":
        return True  # `exec("self.layer1 = layer")`
    if last_name(call.func) not in _REGISTERS or (call.args and isinstance(call.args[-1], ast.Call)):
        return False
    return not (last_name(call.func) == "setattr" and call.args and of_settings(call.args[-1], view))


def collects(view: Function) -> bool:
    """Does a method collect the parameters of its parts by hand, by `self.all.extend(block.parameters())` or `+=`?"""
    given = [a for c in view.scope.calls if last_name(c.func) in ITEMS for a in c.args]
    if "ParameterList" in view.scope.called_names:
        given += [n for s in statements(view.scope) if isinstance(s, ast.AugAssign) for n in walk(s.value)]
    return any(isinstance(a, ast.Call) and last_name(a.func) == "parameters" for a in given)


def trained_each(views: list[Function], name: str) -> bool:
    """Is each of the parts trained by itself, `[Adam(m.parameters()) for m in self.models]`, and never the whole?"""
    named = [c for v in views for c in v.scope.calls if last_name(c.func) == "parameters"]
    bases = [place(c.func.value) for c in named if isinstance(c.func, ast.Attribute)]
    parts: set[Any] = set()
    for view in views:
        for node in walk(view.scope.node):
            if isinstance(node, (ast.For, ast.comprehension)) and place(turned(node.iter)) == name:
                parts |= {place(n) for n in walk(node.target)}
    return bool(parts & set(bases)) and "self" not in bases


def may_hold(view: Function, put: Put, enters: bool = True) -> bool:
    """A cheap look: can what is put be a container that was filled here? A parameter, a constant, an object is none."""
    held = put.held
    if put.item:
        return True
    if given_requires_grad(held):
        return True
    copies = isinstance(held, ast.Call) and last_name(held.func) in ("list", "tuple")
    return may_contain(held, view, enters=enters) and (copies or not isinstance(held, ast.Call) or kept(view, put.name))


def puts(view: Function) -> Iterator[Put]:
    """What a method puts into attributes of its object."""
    own = view.scope.parameters[0].name + "." if view.scope.parameters else "?"
    empty = set()
    for name, bindings in view.scope.bindings.items():
        if not name.startswith(own) or "[" in name:
            continue
        for binding in bindings:
            if binding.kind == "aug" and any(b.kind == "assign" and may_contain(b.value, view) for b in bindings):
                yield Put(name, binding.node, binding.value.value, False)
            elif binding.kind == "assign" and not binding.path and binding.value is not None:
                yield Put(name, binding.node, unturned(binding.value), False)
                empty.add(name)
    for call in view.scope.calls:
        if not call.args or last_name(call.func) not in GIVING:
            continue
        name = (place(call.func.value) if isinstance(call.func, ast.Attribute) else None) or ""
        if name in empty and any(may_contain(b.value, view) for b in view.scope.bindings[name]):
            yield Put(name, call, call.args[-1], last_name(call.func) in ITEM)
    for name in empty:
        if any(isinstance(b.value, (ast.Dict, ast.List)) for b in view.scope.bindings[name]):
            yield from stores(view, name)


def stores(view: Function, name: str) -> Iterator[Put]:
    """`self.x[i] = module` in a method."""
    for node in walk(view.scope.node):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if isinstance(target, ast.Subscript) and place(target.value) == name:
            yield Put(name, node, node.value, True)


def belongs(view: Function, put: Put) -> str:
    """Where what is put belongs instead; empty when there is nothing to train or to switch."""
    table = isinstance(put.held, (ast.Dict, ast.DictComp)) or (put.item and is_table(view, put.name))
    home = "nn.ModuleDict" if table else "nn.ModuleList"
    if isinstance(put.held, ast.DictComp):
        put = put._replace(held=put.held.value, item=True)
    value = view.value_of(put.held)
    if not put.item and value.kind == "tensor":
        trained = given_requires_grad(put.held) and is_plain(put.held, view) and not is_parameter(value, view)
        return "nn.Parameter" if trained and not handed(view, put.name) else ""
    if not put.item and any(v.kind not in _CONTAINERS for v in value.alternatives):
        return ""
    leaves = list(elements(value))
    if leaves and all(is_parameter(leaf, view) for leaf in leaves):
        return "nn.ParameterList" if not stood_in_for(view, put.name) else ""
    layers = [leaf for leaf in leaves if leaf.kind == "instance" and not trains_itself(leaf.of)]
    layers = [v for v in layers if not (v.site is not None and only_strings(v.site.node, view))]
    if any(built_here(view, put, leaf) and stateful(leaf) for leaf in layers):
        return home
    return ""


def is_table(view: Function, name: str) -> bool:
    """Is an attribute a dictionary from the start: `self.heads = {}`?"""
    scopes = view.owner.methods.values() if view.owner is not None else ()
    first = [b.value for f in scopes for b in f.bindings.get(name, ()) if b.kind == "assign"]
    tables = [isinstance(v, ast.Dict) or (isinstance(v, ast.Call) and last_name(v.func) == "dict") for v in first]
    return bool(tables) and all(tables)


def stood_in_for(view: Function, name: str) -> bool:
    """Does another method put other things in its place? Then the first ones only stood for them."""
    others = view.owner.methods.values() if view.owner is not None else ()
    return any(getattr(b.value, "elts", None) for f in others if f.name != "__init__" for b in f.bindings.get(name, ()))


def elements(value: Value, depth: int = 3) -> Iterator[Value]:
    """All that is in a container, nested containers opened."""
    for v in value.alternatives:
        if v.kind in _CONTAINERS and depth:
            for part in v.parts.values() if v.kind == "mapping" else v.parts:
                yield from elements(part, depth - 1)
        elif v.kind != "bottom":
            yield v


def is_parameter(value: Value, view: Function) -> bool:
    """Is it an `nn.Parameter` built in this place?"""
    node = value.site.node if value.kind == "tensor" and value.site is not None else None
    return isinstance(node, ast.Call) and Call(node, view.frame).callee.is_class(*_PARAMETER)


def is_plain(node: Any, view: Function) -> bool:
    """Is it what a function gives, whatever is called? A class that is perhaps imported may be `nn.Parameter`."""
    return isinstance(node, ast.Call) and all(v.kind == "function" for v in Call(node, view.frame).callee.alternatives)


def built_here(view: Function, put: Put, leaf: Value) -> bool:
    """Was the module built by this class, or by a function that it calls, and not handed in from outside?"""
    if leaf.site is None or view.owner is None:
        return False
    if leaf.site.module is view.module and within(leaf.site.node, view.owner.node):
        return True
    held = put.held
    given = held.args[0] if isinstance(held, ast.Call) and held.args else held
    if any(leaf.site.module is f.module and within(leaf.site.node, n) for n, f in displays(given, view)):
        return True
    if isinstance(held, ast.Name):
        held = next((b.value for b in view.scope.bindings.get(held.id, ())), None)
    shown = given if isinstance(given, (ast.ListComp, ast.GeneratorExp)) else held  # `list(make(c) for c in columns)`
    held = shown.elt if isinstance(shown, (ast.ListComp, ast.GeneratorExp)) else held
    makers = Call(held, view.frame).callees if isinstance(held, ast.Call) else []
    makers += [f for c in made_for(given, view.scope) for f in Call(c, view.frame).callees]
    if "Copied" in leaf.traits and any(not f.stubbed and "deepcopy" in f.called_names for f in makers):
        return True
    return any(leaf.site.module is f.module and within(leaf.site.node, f.node) for f in makers)


def starred(value: Value) -> list[Value]:
    """What a layer of a library was given as `*layers`."""
    call = value.arguments.node if value.of.module.is_stub and value.arguments is not None else None
    stars = [a for a in call.args if isinstance(a, ast.Starred)] if isinstance(call, ast.Call) else []
    return [evaluate(star.value, value.arguments.frame) for star in stars]


def stateful(value: Value, depth: int = 5, mode: bool = True) -> bool:
    """Has the module parameters, or a mode if that is asked for? False when nothing shows it."""
    cls = value.of
    if mode and stub_effect(cls, "mode_dependent") is not None:
        return True
    parts = value.parts.values() if isinstance(value.parts, dict) else value.parts
    if any(stateful(p, depth - 1, mode) for v in parts for p in elements(v) if p.kind == "instance" and depth):
        return True
    given = value.arguments.values() if cls.module.is_stub and value.arguments is not None and depth else []
    given = [*given, *starred(value)] if depth else given
    layers = (p for v in given for p in elements(v) if p.kind == "instance" and p.instance_of(MODULE))
    if any(stateful(layer, depth - 1, mode) for layer in layers):
        return True
    library = next((c for c in mro(cls) if not isinstance(c, str) and c.module.is_stub), None)
    if library is not None and (sized(library) or library is cls):
        return sized(library)
    frame = cls.module.project.frame(cls.module.body)
    own = constructors(cls)
    fields = {n.partition(".")[2] for f in own if not f.stubbed for n in f.bindings if "." in n and "[" not in n}
    inner = [v for name in sorted(fields) if depth for v in attribute(value, name, frame).alternatives]
    inner += [*handed_up(own), *put_in(own)] if depth else []
    if any(v.kind == "tensor" and v.identity in v.graph for v in inner):
        return True  # an `nn.Parameter` of its own
    if any(v.kind == "instance" and v.instance_of(MODULE) and stateful(v, depth - 1, mode) for v in inner):
        return True
    return any(v.instance_of(*_OPEN) and is_vague(v) for v in inner) and any(map(sized, built_in(own)))


def is_vague(container: Value) -> bool:
    """Is no layer known that is in a container?"""
    parts = container.parts.values() if isinstance(container.parts, dict) else container.parts
    return not any(p.kind == "instance" for part in parts for p in elements(part))


def sized(layer: Any) -> bool:
    """Is it a layer of a library that is built for a number of features, and so has weights?"""
    init = method(layer, "__init__")
    return init is not None and bool(_SIZED & {p.name for p in init.parameters}) and MODULE in names(layer)


def names(cls: Any) -> list[str]:
    """The dotted names of a class and its ancestors."""
    return [c if isinstance(c, str) else c.fullname for c in mro(cls)]


def computed_with(cls: Class) -> set[str] | None:
    """The attributes that methods other than `__init__` and its helpers use, also those of classes above; None if there
    is no other method."""
    methods = list(cls.scope.methods.values())
    building = {name for f in methods if f.name == "__init__" for name in f.called_names}
    building -= {name for f in methods if f.name != "__init__" for name in f.called_names}
    others = [f for f in methods if f.name != "__init__" and f.name not in building]
    above = (c for c in mro(cls.scope)[1:] if not isinstance(c, str) and not c.module.is_stub) if others else ()
    others += [f for c in above for f in c.methods.values() if f.name != "__init__"]
    return set().union(*map(loaded, others)) if others else None


def loaded(function: Any) -> frozenset[str]:
    """The last names of the attributes that are read in a function."""
    key = ("loaded", id(function))
    known: frozenset[str] | None = function.module.effects.get(key)
    if known is None:
        nodes = (n for n in walk(function.node) if isinstance(n, ast.Attribute))
        known = function.module.effects[key] = frozenset(n.attr for n in nodes if isinstance(n.ctx, ast.Load))
    return known


def converted(cls: Class, name: str) -> bool:
    """Does the attribute end as a module (`self.convs = nn.ModuleList(self.convs)`)?"""
    return any(
        v.kind == "instance" and v.instance_of(MODULE) for v in cls.attribute(name.partition(".")[2]).alternatives
    )


def converted_elsewhere(view: Function, put: Put, views: list[Function]) -> bool:
    """Is it a module only in another branch than the one that puts a list there: `if a: self.x = nn.ModuleList(...)`,
    `else: self.x = [...]`?"""
    others = [(v, b) for v in views for b in v.scope.bindings.get(put.name, ()) if b.node is not put.node]
    apart = [b for v, b in others if v is view and in_other_branch(view.scope, put.node, b.node)]
    rest = [(v, b) for v, b in others if not any(b is a for a in apart)]
    after = (evaluate(b.value, v.frame) for v, b in rest if b.kind == "assign" and b.value is not None)
    return bool(apart) and not any(v.kind == "instance" and v.instance_of(MODULE) for v in after)


def overwritten(cls: Class, view: Function) -> Iterator[Finding]:
    """A list of layers is replaced in each turn of a loop, instead of growing."""
    for loop in view.scope.loops:
        for binding in (b for found in view.scope.bindings.values() for b in found):
            local = "." not in binding.name
            if replaced(binding, loop.node) and (
                made_module(view, binding, loop.node) if local else converted(cls, binding.name)
            ):
                yield Finding(
                    Site(cls.module, binding.node),
                    f"each turn of the loop replaces `{binding.name}`: only the layers of the last turn stay",
                    "replaces the list",
                )


def replaced(binding: Binding, loop: Any) -> bool:
    """Is `self.x = [layer, ...]` written in a loop that uses `self.x` for nothing else?"""
    if binding.kind != "assign" or not isinstance(binding.value, ast.List):
        return False
    if not within(binding.node, loop) or not any(isinstance(n, ast.Call) for n in walk(binding.value)):
        return False
    return sum(isinstance(n, (ast.Name, ast.Attribute)) and place(n) == binding.name for n in walk(loop)) == 1


def made_module(view: Function, binding: Binding, loop: Any) -> bool:
    """Is a local list of layers begun above a loop, and made a container module below it: `nn.Sequential(*layers)`?"""
    first = [b.node.lineno for b in view.scope.bindings[binding.name] if isinstance(b.value, ast.List)]
    if min(first) >= loop.lineno:
        return False
    below = (c for c in view.scope.calls if c.lineno > (loop.end_lineno or loop.lineno) and c.args)
    given = (c for c in below if place(getattr(c.args[0], "value", c.args[0])) == binding.name)
    return any(view.value_of(c).instance_of("torch.nn.Sequential", "torch.nn.ModuleList") for c in given)


# -------------------------------------------------------------------------------------------------- missing-super-init
@check("missing-super-init")
def missing_super_init(cls: Class) -> Iterator[Finding]:
    """Layers are assigned to a module whose `Module.__init__` was not called."""
    init = cls.scope.methods.get("__init__")
    if init is None or begins_plainly(init):
        return
    if not cls.inherits(MODULE) or cls.has_unknown_base or built_otherwise(cls):
        return
    view = Function(init, cls.frame_of(init))
    first = initialised(cls, view)
    if first is not None and not assigned_before(view, first):
        return
    layer = first_layer(view)
    if layer is None:
        return
    if first is None:
        yield Finding(
            Site(cls.module, init.node),
            f"`{cls.scope.name}` assigns layers, but `Module.__init__` is never called",
            "no super().__init__()",
            [Note(Site(cls.module, layer.node), "cannot be registered")],
        )
    elif layer.node.lineno < first.lineno and statement_of(init, layer.node) and statement_of(init, first):
        yield Finding(
            Site(cls.module, layer.node),
            f"`{layer.name}` is assigned before `super().__init__()`: nothing can be registered yet",
            "assigned too early",
            [Note(Site(cls.module, first), "called here")],
            certain=not is_template(cls),
        )


def is_template(cls: Class) -> bool:
    """Is another file generated from the one that a class is in, as that one says? Then it is never run itself."""
    name = cls.module.name.rpartition(".")[2]
    heads = (m.source.text[:1000] for m in cls.project.modules if m.source is not None and m is not cls.module)
    return any(f"{name}.py" in head and "generated" in head for head in heads)


def begins_plainly(init: Scope) -> bool:
    """Does it begin with `super().__init__(...)`, behind no assignment?"""
    documented = isinstance(init.body[0], ast.Expr) and isinstance(init.body[0].value, ast.Constant)
    for statement in init.body[documented : documented + 1]:
        called = (
            statement.value.func if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
        )
        receiver = called.value if isinstance(called, ast.Attribute) and called.attr == "__init__" else None
        return isinstance(receiver, ast.Call) and last_name(receiver.func) == "super" and not receiver.args
    return False


def assigned_before(view: Function, first: Any) -> bool:
    """Is any attribute assigned before the call that initialises the module?"""
    own = view.scope.parameters[0].name + "." if view.scope.parameters else "?"
    bindings = (b for name, found in view.scope.bindings.items() if name.startswith(own) for b in found)
    return any(b.node.lineno < first.lineno for b in bindings)


def built_otherwise(cls: Class) -> bool:
    """Does a `__new__` or a metaclass of the project have a say in how instances are made?"""
    own = [c for c in cls.ancestors if not isinstance(c, str) and not c.module.is_stub]
    return any("__new__" in c.methods or any(k.arg == "metaclass" for k in c.node.keywords) for c in own)


def first_layer(view: Function) -> Binding | None:
    """The first assignment of a module or a Parameter to an attribute."""
    own = view.scope.parameters[0].name + "." if view.scope.parameters else "?"
    assigned = [b for name, found in view.scope.bindings.items() for b in found
                if name.startswith(own) and b.kind == "assign" and b.value is not None]  # fmt: skip
    for binding in sorted(assigned, key=lambda b: b.node.lineno):
        value = view.value_of(binding.value)
        if not binding.path and (is_layer(value, binding.value) or is_parameter(value, view)):
            if not left_out(binding.value, view):
                return binding
    return None


def is_layer(value: Value, node: Any) -> bool:
    """Is it a module, or one unless an option says that there is none: `nn.Linear(8, 8) if scaled else None`?"""
    layers = [
        v for v in value.alternatives if v.kind != "literal" or v.of is not None or not isinstance(node, ast.IfExp)
    ]
    return bool(layers) and all(v.instance_of(MODULE) for v in layers)


def left_out(node: Any, view: Function) -> bool:
    """Is it a parameter that is None if nobody gives a module, as its annotation says that one may be given?"""
    parameter = view.scope.parameter(node.id) if isinstance(node, ast.Name) else None
    return parameter is not None and isinstance(parameter.default, ast.Constant) and parameter.default.value is None


def initialised(cls: Class, view: Function, depth: int = 3) -> Any:
    """The first call that (also) initialises the module: `super().__init__()`, `Base.__init__(self)`, or a helper."""
    for call in sorted(view.scope.calls, key=lambda c: c.lineno):
        func = call.func
        if not isinstance(func, ast.Attribute):
            continue
        if func.attr == "__init__" and not skips_module(func.value, view):
            return call
        helper = cls.method(func.attr) if isinstance(func.value, ast.Name) and depth else None
        if helper is not None and not helper.stubbed and func.attr != "__init__":
            if initialised(cls, Function(helper, cls.frame_of(helper)), depth - 1) is not None:
                return call
    return None


def skips_module(receiver: Any, view: Function) -> bool:
    """Is it `super(nn.Module, self)`, which starts the search behind `nn.Module`?"""
    arguments = receiver.args if isinstance(receiver, ast.Call) and last_name(receiver.func) == "super" else []
    return bool(arguments) and view.value_of(arguments[0]).kind == "class" and named_module(view.value_of(arguments[0]))


def named_module(value: Value) -> bool:
    """Is it the class `torch.nn.Module` itself?"""
    return bool(value.of.fullname in (MODULE, "torch.nn.modules.module.Module"))


def statement_of(function: Scope, node: Any) -> bool:
    """Is the node part of a statement directly in the function's body, under no condition?"""
    return any(within(node, s) and isinstance(s, (ast.Expr, ast.Assign, ast.AnnAssign)) for s in function.body)


# ---------------------------------------------------------------------------------------------- shared-layer-instances
@check("shared-layer-instances", calls="Sequential ModuleList ModuleDict extend")
def shared_layer_instances(call: Call) -> Iterator[Finding]:
    """A container is built from one layer, many times."""
    found = [(argument, *pair) for argument in call.node.args[:1] for pair in repeated(call, argument)]
    if not call.node.args and call.last_name == "ModuleList":
        found = [(call.node, *pair) for name in targets_of(call.node, call.function) for pair in appended(call, name)]
    receiver = (call.receiver if call.last_name == "extend" else call.value) if found else None
    if receiver is not None and receiver.instance_of(
        "torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"
    ):
        for argument, node, element in found:
            if one_layer(call, element) and not on_purpose(call, node, element):
                yield Finding(
                    call.at(node),
                    f"`{text(call.module, element)}` is one layer, placed several times: all places share its weights",
                    "one instance, repeated",
                    [Note(call, "the container")] if node is not argument and call.node is not node else [],
                )


def repeated(call: Call, node: Any, depth: int = 3) -> Iterator[tuple[Any, Any]]:
    """The expressions that repeat an element, each with the element: `[x] * n`, `[x for _ in y]`, `repeat(x, n)`."""
    if isinstance(node, ast.Starred):
        node = node.value
    match node:
        case ast.BinOp(op=ast.Mult(), left=ast.List(elts=elements) | ast.Tuple(elts=elements), right=times):
            yield from ((node, e) for e in elements if getattr(times, "value", 2) != 1)
        case ast.BinOp(op=ast.Mult(), right=ast.List(elts=elements) | ast.Tuple(elts=elements), left=times):
            yield from ((node, e) for e in elements if getattr(times, "value", 2) != 1)
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            yield from repeated(call, left, depth)
            yield from repeated(call, right, depth)
        case ast.ListComp(elt=ast.Name() as element) | ast.GeneratorExp(elt=ast.Name() as element):
            yield node, element
        case ast.Call(args=[element, _]) if last_name(node.func) == "repeat":
            yield node, element
        case ast.Name(id=name) if depth:
            for binding in call.function.bindings.get(name, ()):
                if binding.kind == "assign" and not binding.path:
                    yield from repeated(call, binding.value, depth - 1)
                elif binding.kind == "aug":
                    yield from repeated(call, binding.value.value, depth - 1)
            yield from appended(call, name)


def appended(call: Call, name: str) -> Iterator[tuple[Any, Any]]:
    """What a loop appends to a list although it was built before the loop."""
    for other in call.function.calls:
        func = other.func
        if isinstance(func, ast.Attribute) and func.attr == "append" and place(func.value) == name and other.args:
            element = other.args[0]
            bindings = call.function.bindings.get(element.id, []) if isinstance(element, ast.Name) else []
            for loop in call.function.loops:
                if within(other, loop.node) and bindings and not any(within(b.node, loop.node) for b in bindings):
                    yield other, element


def one_layer(call: Call, element: Any) -> bool:
    """Is it one module with state, built here: a constructor call, or a local name bound to one outside any loop?"""
    value = call.value_of(element)
    known = all(v.kind == "instance" for v in value.alternatives) and value.instance_of(MODULE)
    if not known or not all(stateful(v, mode=False) for v in value.alternatives):
        return not known and value.is_unknown and copied(call, element)
    if isinstance(element, ast.Name):
        bindings = call.function.bindings.get(element.id, [])
        if len(bindings) == 1 and bindings[0].kind == "param":
            return call.function.owner is None  # a helper: `stack(nn.Linear(8, 8), n)`
        again = [b for b in bindings if any(within(b.node, loop.node) for loop in call.function.loops)]
        built = all(b.kind == "assign" and isinstance(b.value, ast.Call) for b in bindings)
        return bool(bindings) and built and len(again) < 2
    if not isinstance(element, ast.Call):
        return False
    if last_name(element.func) == "deepcopy" or (value.site is not None and value.site.node is element):
        return True
    return bool(made := Call(element, call.frame).callees) and all(builds(f, call.project.frame(f)) for f in made)


def copied(call: Call, element: Any) -> bool:
    """Is it `deepcopy(layer)`, or a name that is bound to that outside of any loop? Who copies wants more than one."""
    if isinstance(element, ast.Name):
        bindings = call.function.bindings.get(element.id, [])
        inside = any(within(b.node, loop.node) for b in bindings for loop in call.function.loops)
        element = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" and not inside else None
    return isinstance(element, ast.Call) and last_name(element.func) == "deepcopy"


def builds(function: Scope, frame: Any) -> bool:
    """Does a function give nothing but what it builds in its `return`, anew each time?"""
    given = [r.value for r in function.returns]
    return bool(given) and all(isinstance(n, ast.Call) and Call(n, frame).callee.kind == "class" for n in given)
