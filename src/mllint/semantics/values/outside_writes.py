"""Does the code around a class write into its objects: `net.head = nn.Linear(8, 2)`, `settings.prob = False`?

A class says what its own methods write. Whoever has an object may replace a layer of it all the same, in another
function or another file, by name or by `setattr`, and most people who fine-tune do. Whether that comes first is not
asked. What is written into an object of another class is no write; one into an object that is not known is one if it is
a module, or if what is read is a constant: a setting that somebody may have set decides nothing. Nor does one whose
names come from elsewhere: `setattr(settings, name, value)`, `vars(settings).update(read)`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax.caches import CUTS, Cache, cached
from mllint.semantics.syntax.module import Binding, ClassScope, FunctionScope, ModuleScope
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import enclosing, function_of, innermost_function, mro
from mllint.semantics.values.self_helpers import helpers_acting_on
from mllint.semantics.values.shared_containers import stores_in
from mllint.semantics.values.values import ClassValue, InstanceValue, ModuleValue, UnknownValue, Value

if TYPE_CHECKING:
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = [
    "is_constant_set_outside",
    "is_global_set_outside",
    "is_written_outside",
    "names_set_by_text",
    "rebinding_functions",
    "values_set_outside",
]

_WRITE = re.compile(r"\.(?<!self\.)(\w+)\s*(?:[-+*/|&]|//)?=(?![=])")
"""The point comes first: `re` looks for a fixed beginning five times as fast as it tries each place."""
_SETTERS = ("setattr", "__setattr__", "update")
_PYTHON = frozenset("dataclasses functools enum typing typing_extensions abc collections".split())
_NAMED = "="
_ANY = "*"
_RECEIVERS: Cache[str, list[Value]] = Cache()


def is_constant_set_outside(cls: ClassScope, name: str, project: Project, *, of_object: bool) -> bool:
    """True if something else than a write in the methods of `cls` may set an attribute that it sets to a constant.

    Args:
        cls: the class.
        name: the attribute.
        project: where the writes are looked for.
        of_object: whether it is read of an object of the class, which may have one of its own.
    """
    if cls.module.is_stub or cls.module.source is None:
        return False
    if cls.module.source.holds(f"type(self).{name} = ") or (name in cls.bindings and _is_made_by_unknown(cls)):
        return True
    named = _receivers(name, project) if name in _written_names(project) else []
    if any(receiver.is_unknown for receiver in named):
        return True
    some = [*named, *_receivers(_NAMED + name, project), *_receivers(_ANY, project)]
    return bool(some) and _is_one_of(some, cls, of_object=of_object)


def _is_made_by_unknown(cls: ClassScope) -> bool:
    """Is a class what a decorator makes of it of which nothing is known: `@configurable`?"""
    decorators = getattr(cls.node, "decorator_list", ())
    if not decorators:
        return False
    frame = cls.module.project.frame(enclosing(cls) or cls.module.body)
    return any(_is_unknown_decorator(d.func if isinstance(d, ast.Call) else d, frame) for d in decorators)


def _is_unknown_decorator(decorator: Node, frame: Frame) -> bool:
    """True if `decorator` is something that is imported from where nobody looks, and no part of Python."""
    value = ask.evaluate(decorator, frame)
    name = value.name if isinstance(value, UnknownValue) else None
    return isinstance(name, str) and name.partition(".")[0] not in _PYTHON


def _is_one_of(receivers: list[Value], cls: ClassScope, *, of_object: bool) -> bool:
    """True if what is written to one of `receivers` may be read of `cls`, or of an object of it."""
    above = mro(cls)
    for value in (v for receiver in receivers for v in receiver.alternatives):
        if isinstance(value, ClassValue) and value.cls in above:
            return True
        if of_object and isinstance(value, InstanceValue) and (value.cls in above or cls in mro(value.cls)):
            return True
    return False


@cached()
def _written_names(project: Project) -> frozenset[str]:
    """The attributes that somebody writes of anything but `self`."""
    return frozenset().union(*(_lines_of_writes(module) for module in project.modules))


@cached(local=True)
def _lines_of_writes(module: ModuleScope) -> dict[str, list[int]]:
    """The lines on which a file writes to an attribute of anything but `self`, by the attribute; by its text."""
    found: dict[str, list[int]] = {}
    text: str = module.source.text if module.source is not None else ""
    line, last = 1, 0
    for match in _WRITE.finditer(text):
        line += text.count("\n", last, match.start())
        last = match.start()
        found.setdefault(match[1], []).append(line)
    return found


def _receivers(name: str, project: Project) -> list[Value]:
    """The objects and classes of which somebody writes an attribute.

    Args:
        name: the attribute; with `_NAMED` before it, where a call names it, `setattr(settings, "prob", value)`; `_ANY`
            where a call writes whatever names it is given.
        project: where they are looked for.
    """
    table = _RECEIVERS.of(project)
    known, cycle = table.get(name), ("receivers", name)
    if known is not None:
        return known
    if cycle in project.active:
        project.meet(cycle)
        return []
    project.active.add(cycle)
    before = CUTS.met
    try:
        if name is _ANY or name.startswith(_NAMED):
            nodes = _given_to_setters(project).get(name, [])
        else:
            nodes = [(binding.node.value, function) for binding, function in _found_by_text(name, project)]
        found = [ask.evaluate(node, project.frame(function)) for node, function in nodes]
    finally:
        project.settle(cycle)
    if CUTS.met == before:
        table[name] = found
    return found


def values_set_outside(instance: InstanceValue, name: str, project: Project) -> Iterator[Value]:
    """What somebody else than its class may write to an attribute of an object, or of one that is not known.

    Args:
        instance: the object.
        name: the attribute.
        project: where the writes are looked for.
    """
    if name not in _written_names(project):
        return
    for binding, function in _found_by_text(name, project):
        frame = project.frame(function)
        receiver = ask.evaluate(binding.node.value, frame)
        if receiver.is_unknown or _may_be(receiver, instance):
            yield ask.bindings_value((binding,), frame)


def _found_by_text(name: str, project: Project) -> Iterator[tuple[Binding, FunctionScope]]:
    """The writes to an attribute that stand in the text, each with the function around it."""
    for module in project.modules:
        for line in _lines_of_writes(module).get(name, ()):
            function = innermost_function(module.body, line)
            for written, bindings in function.bindings.items():
                if written.endswith(f".{name}"):
                    for binding in bindings:
                        if isinstance(binding.node, ast.Attribute) and binding.node.lineno == line:
                            yield binding, function


@cached()
def _given_to_setters(project: Project) -> dict[str, list[tuple[Node, FunctionScope]]]:
    """What is given to calls that write attributes of it, by `_NAMED` and the attribute, or by `_ANY`."""
    found: dict[str, list[tuple[Node, FunctionScope]]] = {}
    calls = [pair for word in _SETTERS for pair in project.calls_named(word)]
    calls += [pair for module in project.modules for pair in module.calls_by_keyword.get("namespace", ())]
    for call, scope in calls:
        function, (holder, name) = function_of(scope), _set_by(call)
        if holder is not None and function is not None:
            found.setdefault(name, []).append((holder, function))
    return found


def _set_by(call: ast.Call) -> tuple[Node, str]:
    """What a call sets attributes of, None if it does not, and which: `_NAMED` and the attribute, or `_ANY`."""
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Attribute(value=holder, attr="__dict__"), attr="update")):
            return holder, _ANY
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="vars"), args=[holder]), attr="update")):
            return holder, _ANY
        case ast.Call(args=[holder, key, _]) if last_name(call.func) != "update":
            return holder, f"{_NAMED}{_written_name(key)}" if isinstance(key, ast.Constant) else _ANY
    return next((k.value for k in call.keywords if k.arg == "namespace"), None), _ANY


def is_global_set_outside(name: str, module: ModuleScope, project: Project) -> bool:
    """True if something else than an assignment may set a name of a file that holds a constant: another file, the
    dictionary `globals()`, or the text of a file of settings, which is run.

    Args:
        name: the name.
        module: the file.
        project: where the writes are looked for.
    """
    own = names_set_by_text(module)
    if own and not own.isdisjoint((name, _ANY)):
        return True
    named = _receivers(name, project) if name in _written_names(project) else []
    some = (*named, *_receivers(_NAMED + name, project), *_receivers(_ANY, project))
    return any(isinstance(v, ModuleValue) and v.module is module for r in some for v in r.alternatives)


@cached(local=True)
def rebinding_functions(module: ModuleScope) -> dict[str, list[FunctionScope]]:
    """The functions that declare a name of their file `global` and bind it, by the name."""
    found: dict[str, list[FunctionScope]] = {}
    for function in module._functions:  # of a file that is read in part these are all with a `global`
        for name in function.globals:
            if name in function.bindings and name in module.body.bindings:
                found.setdefault(name, []).append(function)
    return found


@cached(local=True)
def names_set_by_text(module: ModuleScope) -> frozenset[str]:
    """The names of a file that it sets in `globals()`, as attributes of itself, or by running a text; `_ANY` where they
    are not written out."""
    found: set[str] = set()
    calls = module.calls_by_name
    if any(
        scope is module.body and len(c.args) == 1 and isinstance(c.func, ast.Name) for c, scope in calls.get("exec", ())
    ):
        found.add(_ANY)
    for call, _ in calls.get("setattr", ()):
        if (
            len(call.args) == 3
            and isinstance(call.args[0], ast.Subscript)
            and last_name(call.args[0].value) == "modules"
        ):
            found.add(_written_name(call.args[1]))
    if "globals" in calls:
        updated = (c.func for c, _ in calls.get("update", ()) if isinstance(c.func, ast.Attribute))
        if any(_is_call_of_globals(func.value) for func in updated):
            found.add(_ANY)
        stored = (target for target, _ in stores_in(module.body).get("", ()))
        found.update(_written_name(target.slice) for target in stored if _is_call_of_globals(target.value))
    return frozenset(found)


def _is_call_of_globals(node: Node) -> bool:
    """True if `node` is `globals()`."""
    return isinstance(node, ast.Call) and last_name(node.func) == "globals"


def _written_name(node: Node) -> str:
    """The name that a constant is, or `_ANY`."""
    return str(node.value) if isinstance(node, ast.Constant) else _ANY


def is_written_outside(instance: InstanceValue, name: str, own: int, project: Project) -> bool:
    """True if somebody else than the class may write to an attribute that holds a module.

    Args:
        instance: the object.
        name: the attribute.
        own: how many writes to an attribute of that name the class has itself.
        project: where the writes are looked for.
    """
    if len(project.reach.assigned().get(name, ())) > own:
        helpers = _helpers(instance)
        for function, binding in _writes(project).get(name, ()):
            if id(function) not in helpers and _writes_into(binding, name, instance, function):
                return True
    for call, scope in project.calls_named("setattr"):
        if isinstance(scope, FunctionScope) and len(call.args) == 3 and not _is_self(call.args[0], scope):
            key = call.args[1]
            if not isinstance(key, ast.Constant) or key.value == name:
                if _may_be(ask.evaluate(call.args[0], project.frame(scope)), instance):
                    return True
    return False


def _helpers(instance: InstanceValue) -> set[int]:
    """The ids of the functions to which the class of `instance` hands its objects itself."""
    own = [cls for cls in mro(instance.cls) if not isinstance(cls, str) and not cls.module.is_stub]
    return {id(part.function) for cls in own for part in helpers_acting_on(cls)}


@cached()
def _writes(project: Project) -> dict[str, list[tuple[FunctionScope, Binding]]]:
    """The writes to attributes, and to items of them, of any object but `self`: by the attribute, each with its
    function."""
    found: dict[str, list[tuple[FunctionScope, Binding]]] = {}
    for module in project.modules:
        for function in (module.body, *module.functions):
            own = function.parameters[0].name if function.owner is not None and function.parameters else ""
            for written, bindings in function.bindings.items():
                if "." in written:
                    owner, _, last = written.rpartition(".")
                    if owner and owner != own:
                        found.setdefault(last.partition("[")[0], []).extend((function, b) for b in bindings)
    return found


def _is_self(node: Node, function: FunctionScope) -> bool:
    """True if `node` is the object of the method `function`."""
    return function.owner is not None and bool(function.parameters) and place(node) == function.parameters[0].name


def _writes_into(binding: Binding, name: str, instance: InstanceValue, function: FunctionScope) -> bool:
    """True if `binding`, a write to an attribute `name` in `function`, may be one of `instance`."""
    node = binding.node
    while isinstance(node, ast.Subscript):
        node = node.value
    if not isinstance(node, ast.Attribute) or node.attr != name:
        return False
    frame = function.module.project.frame(function)
    receiver = ask.evaluate(node.value, frame)
    if _may_be(receiver, instance):
        return True
    return receiver.is_unknown and ask.bindings_value((binding,), frame).instance_of(MODULE)


def _may_be(receiver: Value, instance: InstanceValue) -> bool:
    """True if `receiver` may be an object of the class of `instance`, or of one that it derives from."""
    classes = [v.cls for v in receiver.alternatives if isinstance(v, InstanceValue)]
    return any(cls in mro(instance.cls) or instance.cls in mro(cls) for cls in classes)
