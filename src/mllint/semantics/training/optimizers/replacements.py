"""Is a part of a model replaced, after an optimizer was given the parameters of the old one?

    optimizer = Adam(net.parameters())
    net.head = nn.Linear(8, 2)                 # `replacements`: new parameters, which the optimizer does not hold
    optimizer.step()                           # `is_stepped_after`

The construction may lie in a helper or a constructor, whose caller replaces the part: `find_layers_replaced_outside`.
Nothing is said where the optimizer may have been built again, or is handed to something unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import Event, Flow
from mllint.semantics.flow.kinds import Creates, Unknown
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import MODULE, OPTIMIZER
from mllint.semantics.libraries.tensor_methods import RETURNS_MODULE
from mllint.semantics.syntax.caches import Cache, cached_per_scope
from mllint.semantics.syntax.module import Binding
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.iterations import are_in_different_branches
from mllint.semantics.training.optimizers.constructions import Built, parameters_of
from mllint.semantics.values.bases import mro
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import origins, statements
from mllint.semantics.values.values import (
    ClassValue,
    FunctionValue,
    LiteralValue,
    Site,
    TensorValue,
    UnknownValue,
    Value,
)

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope, FunctionScope
    from mllint.semantics.values.frames import Frame

__all__ = ["find_layers_replaced_outside", "find_models_rebound_inside", "is_stepped_after", "replacements"]


_SIZES = frozenset("in_features out_features in_channels out_channels num_features embed_dim d_model".split())


_WRAPPERS = ("DataParallel", "DistributedDataParallel")


_LEARNING = frozenset(
    """Linear LazyLinear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d BatchNorm1d
    BatchNorm2d BatchNorm3d LayerNorm GroupNorm Embedding EmbeddingBag LSTM LSTMCell GRU RNN Transformer
    TransformerEncoder TransformerEncoderLayer TransformerDecoder TransformerDecoderLayer MultiheadAttention Sequential
    ModuleList""".split()
)
_BY_HELPERS: Cache[tuple[str, Frame], list[tuple[str, Binding]]] = Cache()
_REGISTERING = ("setattr", "add_module", "register_module", "register_parameter", "Parameter", "append")
_PLAIN = (TensorValue, LiteralValue)


def replacements(made: Built) -> Iterator[tuple[str, Binding]]:
    """The later assignments in the same function that replace the model of an optimizer or one of its layers.

    Yields:
        The place and the binding.
    """
    owner = parameters_of(made.call)
    if not owner:
        return
    yield from _adapted(made, owner)
    yield from _replaced_by_helper(owner, made.call.frame, made.site.line)
    function = made.call.function
    assigned = [b for name in _places_in(function).get(owner, ()) for b in function.bindings[name]]
    for binding in (*assigned, *_set_by_name(owner, function)):
        if binding.kind == "assign" and binding.node.lineno > made.site.line and isinstance(binding.value, ast.Call):
            if _gives_new_parameters(Call(_construction_inside(binding.value), made.call.frame), owner):
                yield binding.name, binding


def _set_by_name(owner: str, function: FunctionScope) -> Iterator[Binding]:
    """The layers that `setattr(net, name, Linear(8, 2))` gives a model or a part of it, as if they were assigned. One
    that is computed from what a loop runs over may keep it inside."""
    if "setattr" not in function.called_names:
        return
    for call in function.calls:
        match call:
            case ast.Call(func=ast.Name(id="setattr"), args=[of, key, ast.Call() as value]):
                name = place(of) or ""
                if f"{name}.".startswith(f"{owner}.") and not _reads_loop(value, function):
                    last = str(key.value) if isinstance(key, ast.Constant) else f"<{ast.unparse(key)}>"
                    yield Binding("assign", f"{name}.{last}", call, value, function)


def _reads_loop(node: ast.Call, function: FunctionScope) -> bool:
    """Does an expression read a variable of a loop?"""
    names = {n.id for n in walk(node) if isinstance(n, ast.Name)}
    return any(b.kind in ("for", "comp") for name in names for b in function.bindings.get(name, ()))


@cached_per_scope(local=True)
def _places_in(function: FunctionScope) -> dict[str, list[str]]:
    """The places that a function binds which are in another one or are it, by that one: `net.fc` and `net` by `net`."""
    found: dict[str, list[str]] = {}
    for name in function.bindings:
        ends = [i for i, letter in enumerate(name) if letter in ".["]
        for end in (*ends, len(name)):
            found.setdefault(name[:end], []).append(name)
    return found


def _replaced_by_helper(owner: str, frame: Frame, after: int) -> Iterator[tuple[str, Node]]:
    """The layers of a model that calls behind a line of a function replace, with the call as what binds them."""
    found = _BY_HELPERS.answer(
        frame.project, (owner, frame), lambda: list(_replaced_by_helpers(owner, frame)), meanwhile=[]
    )
    return ((name, binding) for name, binding in found if binding.node.lineno > after)


def _replaced_by_helpers(owner: str, frame: Frame) -> Iterator[tuple[str, Binding]]:
    """The same for all calls of the function, of whatever the model is in: `tuner.attach(5)` for `tuner.net`."""
    function = frame.function
    roots = [owner[:end] for end in (*(i for i, letter in enumerate(owner) if letter == "."), len(owner))]
    for node in dict.fromkeys(n for root in roots for n in _calls_with(function).get(root, ())):
        call = Call(node, frame)
        if len(call.callees) != 1 or call.callees[0].stubbed:
            continue
        helper = call.callees[0]
        for name in _names_in(helper, call, owner):
            root = name.partition(".")[0]
            if len(helper.bindings.get(root, ())) != 1 or (name != root and name in helper.bindings):
                continue
            for inner in dict.fromkeys(_renewed(name, helper, call)):
                yield owner + inner[len(name) :], Binding("assign", inner, node, node, function)


def _renewed(name: str, helper: FunctionScope, call: Call) -> Iterator[str]:
    """The parts of a place to which a helper gives new parameters when it is called, itself or by another method."""
    parts = [b for n, found in helper.bindings.items() if n.startswith((f"{name}.", f"{name}[")) for b in found]
    yield from (b.name for b in (*parts, *_set_by_name(name, helper)) if _is_new(b, helper, name, call))
    if "." in name and helper.owner is not None:
        yield from (place for place, _ in _replaced_by_helper(name, _entered(helper, call), 0))


def _names_in(helper: FunctionScope, call: Call, owner: str) -> Iterator[str]:
    """What a model is called in a function that is given it or what it is in, or that is a method of either."""
    func = call.node.func
    given = [(place(a.node), a.parameter or "") for a in call.arguments]
    if isinstance(func, ast.Attribute) and helper.owner is not None:
        given += [(place(func.value), p.name) for p in helper.parameters[:1]]
    yield from (own + owner[len(at) :] for at, own in given if at and f"{owner}.".startswith(f"{at}."))


@cached_per_scope(local=True)
def _calls_with(function: FunctionScope) -> dict[str, list[ast.Call]]:
    """The calls of a function by the places that they are given, or are methods of."""
    calls: dict[str, list[ast.Call]] = {}
    for node in function.calls:
        owner = place(node.func.value) if isinstance(node.func, ast.Attribute) else None
        for name in _places_given(node) | ({owner} if owner is not None else set()):
            calls.setdefault(name, []).append(node)
    return calls


@cached_per_scope(local=True)
def _models_with(function: FunctionScope) -> dict[str, list[tuple[str, Binding]]]:
    """The names of a function that are bound to a call, by the places that the call is given."""
    models: dict[str, list[tuple[str, Binding]]] = {}
    for name, bindings in function.bindings.items():
        for binding in bindings:
            if binding.kind == "assign" and isinstance(binding.value, ast.Call):
                for given in _places_given(_construction_inside(binding.value)):
                    models.setdefault(given, []).append((name, binding))
    return models


def _places_given(node: ast.Call) -> set[str]:
    """The places among the arguments of a call."""
    found = {place(a) for a in (*node.args, *(k.value for k in node.keywords))}
    return {name for name in found if name is not None}


def _is_new(binding: Binding, helper: FunctionScope, name: str, call: Call) -> bool:
    """Does a binding of a helper give a part of its parameter new parameters, in the call of it?"""
    if binding.kind != "assign" or not isinstance(binding.value, ast.Call):
        return False
    entered = _entered(helper, call)
    return not _is_ruled_out(binding.node, entered) and _gives_new_parameters(
        Call(_construction_inside(binding.value), entered), name
    )


def _entered(helper: FunctionScope, call: Call) -> Frame:
    """The context in which a call runs a function."""
    return next((f for f in inner_frames(call.node, call.frame) if f.function is helper), call.project.frame(helper))


def _is_ruled_out(statement: Node, frame: Frame) -> bool:
    """Does a test around a statement never let it run, by what a call hands the function: `if fresh:` for False?"""
    for test in (n for s in frame.function.body for n in walk(s) if isinstance(n, ast.If)):
        for branch, wanted in ((test.body, True), (test.orelse, False)):
            if any(n is statement for s in branch for n in walk(s)):
                if evaluate(test.test, frame).truth not in (wanted, None):
                    return True
    return False


def _adapted(made: Built, owner: str) -> Iterator[tuple[str, Binding]]:
    """The later models, under names of their own, that are the one of an optimizer with adapters added to it."""
    for name, binding in _models_with(made.call.function).get(owner, ()):
        if name == owner or binding.node.lineno <= made.site.line:
            continue
        call = Call(_construction_inside(binding.value), made.call.frame)
        if any(place(a.node) == owner for a in call.arguments) and _adapts(call):
            yield owner, binding


def _construction_inside(node: ast.Call) -> ast.Call:
    """The construction in `Net().to(device)` and `DataParallel(Net())`."""
    while True:
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr in RETURNS_MODULE and isinstance(func.value, ast.Call):
            node = func.value
        elif last_name(node.func) in _WRAPPERS and node.args and isinstance(node.args[0], ast.Call):
            node = node.args[0]
        else:
            return node


def _gives_new_parameters(call: Call, owner: str) -> bool:
    """Does a call give a module with new parameters?"""
    if _adapts(call):
        return True
    if any(_uses(a.node, owner) for a in call.arguments):
        return False
    if isinstance(call.callee, FunctionValue):
        return _makes_module(call)
    if not isinstance(call.callee, ClassValue) or not call.callee.is_class(MODULE):
        return (
            isinstance(call.callee, UnknownValue) and isinstance(call.node.func, ast.Name) and call.name[:1].isupper()
        )
    cls = call.callee.cls
    return cls.name in _LEARNING if cls.module.is_stub else any(_builds(c, call) for c in mro(cls))


def _builds(cls: ClassScope | str, call: Call) -> bool:
    """May a class, or a base of one, build parameters for its objects? One that keeps tensors and numbers does not."""
    if isinstance(cls, str) or cls.module.is_stub:
        return isinstance(cls, str) or cls.qualname not in ("Module", "object")
    for method in cls.methods.values():
        if not method.called_names.isdisjoint(_REGISTERING):
            return True
        frame = call.project.frame(method)
        kept = (b.value for name, found in method.bindings.items() if "." in name for b in found)
        if any(isinstance(v, ast.Call) and not isinstance(evaluate(v, frame), _PLAIN) for v in kept):
            return True
    return False


def _adapts(call: Call, depth: int = 2) -> bool:
    """Does a call give a model that adapters were added to: by `get_peft_model`, or by a function that returns that?"""
    if call.callee.is_function("peft.get_peft_model", "peft.mapping_func.get_peft_model"):
        return True
    own = [f for f in call.callees if not f.stubbed] if depth and isinstance(call.callee, FunctionValue) else []
    given = [(r.value, call.project.frame(f)) for f in own for r in f.returns]
    return bool(given) and all(
        any(
            isinstance(o.node, ast.Call) and _adapts(Call(o.node, o.frame), depth - 1)
            for o in origins(node, frame, through=lambda origin: isinstance(origin.node, ast.Name))
        )
        for node, frame in given
    )


def _uses(node: Node, owner: str) -> bool:
    """True if the expression `node` is made of the place `owner`: not only of a size of it, `fc.in_features`."""
    sizes = {id(n) for outer in walk(node) if _is_size(outer) for n in walk(outer)}
    return any(place(n) == owner for n in walk(node) if id(n) not in sizes)


def _is_size(node: Node) -> bool:
    """Is it a number that is read off a layer: `model.fc.in_features`?"""
    return isinstance(node, ast.Attribute) and (node.attr in _SIZES or node.attr.endswith(("_size", "_dim")))


def _makes_module(call: Call) -> bool:
    """Does a function build the module that it gives: a library's builder, or one of the user's that constructs it?"""
    functions = {id(f): f for f in call.callees}
    for v in call.value.alternatives:
        if not v.instance_of(MODULE) or v.site is None:
            return False
        inside = any(
            v.site.module is f.module and f.node.lineno <= v.site.line <= (f.node.end_lineno or 0)
            for f in functions.values()
        )
        given = isinstance(v.site.node, ast.Call) and any(n is v.site.node for a in call.node.args for n in walk(a))
        if v.site.node is not call.node and not inside and not given:
            return False  # neither the function built it, nor the call of it, on the spot
    return True


def is_stepped_after(flow: Flow, made: Built, steps: list[Event], binding: Binding) -> bool:
    """Is the optimizer stepped after the replacement, without being built again or handed to something unknown?"""
    function = made.call.function
    steps = [s for s in steps if _may_follow(s, made.call, binding.node)]
    if not steps or are_in_different_branches(function, made.call.node, binding.node):
        return False
    later = [c for c in function.calls if c.lineno > binding.node.lineno]
    others = [e for e in flow.events(Creates) if e.subject.instance_of(OPTIMIZER)]
    rebuilt = [Call(e.call, e.frame) for e in others if e.call in later]
    if any(_may_hold(b, parameters_of(made.call)) for b in rebuilt) or "add_param_group" in function.called_names:
        return False
    if any(_takes_over(Call(call, made.call.frame), parameters_of(made.call)) for call in later):
        return False
    if made.event is None:
        return True
    new = next((e for e in flow.events(Creates) if e.call is _construction_inside(binding.value)), None)
    if new is not None and not flow.path(made.event, to=new):
        return False
    given = [e for e in flow.events(Unknown) if e.holds(made.event)]
    again = [e for e in others if e is made.event or _may_hold(Call(e.call, e.frame), parameters_of(made.call))]
    return any(flow.path(new or made.event, to=step, avoiding=(*again, *given)) for step in steps)


def _may_follow(step: Event, made: Call, replacement: Node) -> bool:
    """May a step run after a statement of the function that builds its optimizer, by where the two are written?"""
    function, line = made.function, replacement.lineno
    if step.function is function:
        shared = [r for r in step.loops if r.frame.function is function]
        return step.site.line > line or any(r.node.lineno <= line <= (r.node.end_lineno or 0) for r in shared)
    entered = _find_entering_call(step, function)
    if entered is not None:
        around = [r.node for r in step.loops if r.frame.function is function]
        return entered.lineno > line or any(n.lineno <= line <= (n.end_lineno or 0) for n in around)
    if not function.is_body:
        return True  # a method that others call, and then the one that steps
    calls = [Call(c, made.frame) for c in function.calls if (c.end_lineno or c.lineno) > line]
    looped = any(r.node.lineno <= line <= (r.node.end_lineno or 0) for r in step.loops if r.frame.function is function)
    return looped or any(c.callees and not all(f.stubbed for f in c.callees) for c in calls)


def _find_entering_call(event: Event, function: FunctionScope) -> Node:
    """The call in a function by which the flow came to an event; None if it came another way."""
    frame = event.frame
    while frame.caller is not None:
        outer, marker = frame.caller
        if outer.function is function:
            return marker
        frame = outer
    return None


def _may_hold(optimizer: Call, owner: str) -> bool:
    """May another optimizer be for the same model: does it not say by name whose parameters it holds?"""
    other = parameters_of(optimizer)
    return not other or other == owner or other.startswith(f"{owner}.") or owner.startswith(f"{other}.")


def _takes_over(call: Call, owner: str) -> bool:
    """Is a model given to an object that is no module, without an optimizer: one that may have its own?"""
    if not any(place(argument.node) == owner for argument in call.arguments) or not call.last_name[:1].isupper():
        return False
    if call.callee.is_class(MODULE):
        return False
    return not any(a.value.instance_of(OPTIMIZER) for a in call.arguments)


# ------------------------------------------------------------------------------------------- replaced by the caller
def find_layers_replaced_outside(flow: Flow, made: Built, steps: list[Event]) -> Iterator[tuple[str, Site]]:
    """The layers that the caller of a helper or of a constructor replaces, after an optimizer was built in there.

    Yields:
        The place that is assigned to, and the assignment.
    """
    entry = _find_call_of_helper(made)
    if entry is None or flow.frame.project.calls_named("add_param_group"):
        return
    if not all(_is_built_with(made, value) for step in steps for value in step.subject.alternatives):
        return  # perhaps built again
    marker, outer = entry
    function = outer.function
    others = (e for e in flow.events(Creates) if e.subject.instance_of(OPTIMIZER))
    if any(e.call is not made.call.node and e.frame is not made.call.frame for e in others):
        return
    for name, binding in _replaced_behind(marker, made, outer):
        if are_in_different_branches(function, marker, binding.node):
            continue
        if any(_runs_after_line(step, function, binding.node.lineno) for step in steps):
            yield name, Site(outer.module, binding.node)


def _is_built_with(made: Built, optimizer: Value) -> bool:
    """Is an optimizer built by the same call of the same helper, be it of another kind?"""
    built = optimizer.built_with
    return built is not None and (built.node is made.call.node or built.frame is made.call.frame)


def _replaced_behind(marker: Node, made: Built, outer: Frame) -> Iterator[tuple[str, Binding]]:
    """What the caller of a helper that builds an optimizer replaces behind that call, itself or by another helper: the
    model, or parts of it."""
    after = marker.end_lineno or marker.lineno
    for at in sorted(_outer_names(made, marker, outer)):
        yield from _replaced_by_helper(at, outer, after)
        for name, bindings in outer.function.bindings.items():
            if not f"{name}.".startswith(f"{at}."):
                continue
            for binding in bindings:
                late = binding.kind == "assign" and binding.node.lineno > after
                if (
                    late
                    and isinstance(binding.value, ast.Call)
                    and _gives_new_parameters(Call(_construction_inside(binding.value), outer), at)
                ):
                    yield name, binding


def _find_call_of_helper(made: Built) -> tuple[Node, Node] | None:
    """The call, and its frame, of the helper or the constructor that an optimizer is built in."""
    frame = made.call.frame
    if frame.caller is not None:
        return frame.caller[1], frame.caller[0]
    built = frame.receiver.built_with if frame.receiver is not None and frame.function.name == "__init__" else None
    return (built.node, built.frame) if built is not None and isinstance(built.node, ast.Call) else None


def _outer_names(made: Built, marker: Node, outer: Frame) -> Iterator[str]:
    """What the model of an optimizer is called where the helper or the constructor was called."""
    owner, function = parameters_of(made.call), made.call.function
    root, _, rest = owner.partition(".")
    own = function.parameters[0].name if function.owner is not None and function.parameters else ""
    bound = [b.node for found in outer.function.bindings.values() for b in found if b.value is marker]
    targets = [place(n) for n in bound if isinstance(n, (ast.Name, ast.Attribute))]
    if root and not rest:
        yield from _names_of_returned_model(root, function, marker, outer)
    if root and not rest and own:  # `self.net = net`, next to an optimizer of `net.parameters()`
        kept = [n for n, found in function.bindings.items() for b in found if place(_without_moves(b.value)) == root]
        yield from (f"{t}.{n.partition('.')[2]}" for t in targets for n in kept if n.startswith(f"{own}."))
    if root and root == own and rest:
        called = marker.func if isinstance(marker, ast.Call) else None
        receiver = place(called.value) if isinstance(called, ast.Attribute) else None
        objects = [receiver] if receiver is not None and function.name != "__init__" else targets
        yield from (f"{t}.{rest}" for t in objects)
        bindings = function.bindings.get(owner, ())
        root, rest = (place(_without_moves(bindings[0].value)) or "", "") if len(bindings) == 1 else ("", "")
    given = (made.call.frame.bound or {}).get(root)
    if function.parameter(root) is None or any(b.kind != "param" for b in function.bindings.get(root, ())):
        return
    if isinstance(given, Passed) and given.frame.function is outer.function and place(given.node):
        yield f"{place(given.node)}.{rest}" if rest else str(place(given.node))


def _names_of_returned_model(model: str, helper: FunctionScope, marker: Node, outer: Frame) -> Iterator[str]:
    """What the caller calls the model that a helper gives back beside its optimizer: `return net, criterion, opt`."""
    returned = [s.value for s in statements(helper) if isinstance(s, ast.Return)]
    if len(returned) != 1 or not isinstance(returned[0], ast.Tuple):
        return
    given = {(i,) for i, node in enumerate(returned[0].elts) if place(_without_moves(node)) == model}
    for found in outer.function.bindings.values():
        yield from (b.name for b in found if b.value is marker and b.path in given)


def _without_moves(node: Node) -> Node:
    """`net` of `net.to(device)`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RETURNS_MODULE:
        node = node.func.value
    return node


def _runs_after_line(step: Event, function: FunctionScope, line: int) -> bool:
    """Whether a step of the optimizer runs after a line of a function: there, in what it calls from there on, or in
    another method of the object that a constructor builds."""
    if step.function is function:
        return step.site.line > line
    entered = _find_entering_call(step, function)
    return function.name == "__init__" if entered is None else bool(entered.lineno > line)


# ------------------------------------------------------------------------------------------- replaced by a callee
def find_models_rebound_inside(flow: Flow, made: Built, steps: list[Event]) -> Iterator[tuple[str, Site]]:
    """The models by which a function that trains replaces the one that it was given together with its optimizer.

    Yields:
        The parameter, and the assignment to it.
    """
    owner, found = parameters_of(made.call), dict[int, tuple[str, Site]]()
    called = [step for step in steps if step.frame.caller is not None] if owner else []
    others = {id(e.function) for e in flow.events(Creates) if called and e.subject.instance_of(OPTIMIZER)}
    for step in called:
        frame, line = step.frame, step.site.line
        while frame.caller is not None:
            if id(frame.function) not in others:
                for name, binding in _rebound(frame, owner, made):
                    if binding.node.lineno < line and not _is_ruled_out(binding.node, frame):
                        found[id(binding)] = name, Site(frame.module, binding.node)
            line, frame = frame.caller[1].lineno, frame.caller[0]
    yield from found.values()


def _rebound(frame: Frame, owner: str, made: Built) -> Iterator[tuple[str, Binding]]:
    """The assignments of new models to the parameters by which a call hands over the model of an optimizer."""
    for name, given in (frame.bound or {}).items():
        if isinstance(given, Passed) and given.frame.function is made.call.function and place(given.node) == owner:
            for binding in frame.function.bindings.get(name, ()):
                if binding.kind == "assign" and isinstance(binding.value, ast.Call):
                    if _gives_new_parameters(Call(_construction_inside(binding.value), frame), name):
                        yield name, binding
