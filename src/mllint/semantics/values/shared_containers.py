"""Who else changes a list or a dictionary: under another name, in a function inside, in one that it is handed to?

    settings = {"prob": True}
    shared = settings            # another name of the same object
    shared["prob"] = flag

    def enable():
        settings.update(...)     # a function that sees it

    fill(settings)               # the parameter of a function that writes into it

What the scope that made a container does to it by its name is asked in `containers`; the rest is here. When it happens
is not asked: an item that somebody may change is what it was, or unknown. Who only looks changes nothing; of a function
of which nothing is known, and whose result nobody uses, it is taken that it may set the plain settings that it is
handed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.syntax.blocks import every_statement, nodes_naming
from mllint.semantics.syntax.caches import Cache, cached, cached_per_scope
from mllint.semantics.syntax.module import (
    Binding,
    ClassScope,
    FunctionScope,
    ModuleScope,
    Scope,
    thrown_away,
)
from mllint.semantics.syntax.nodes import Constant, Node, chosen_from, last_name, place, without_items, written_integer
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import function_of, innermost_function, mro
from mllint.semantics.values.builtin_names import BUILTIN_METHODS
from mllint.semantics.values.reach import imported_names
from mllint.semantics.values.values import (
    UNKNOWN,
    BottomValue,
    FunctionValue,
    InstanceValue,
    LiteralValue,
    ManyValue,
    MappingValue,
    SequenceValue,
    TensorValue,
    UnknownValue,
    Value,
    union,
    unknown,
)

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = ["ADDING", "changing_calls", "stores_in", "with_changes_by_others"]

ADDING = frozenset("append extend insert add appendleft update setdefault".split())
"""The methods that put something into a container."""
_CHANGING = (*sorted(ADDING), *"pop popitem popleft remove clear reverse sort __setitem__".split())
_PLACES = frozenset((ast.Name, ast.Attribute, ast.Subscript))
_DISPLAYS = frozenset((ast.Dict, ast.List, ast.ListComp, ast.DictComp, ast.Call))
_CHAIN = re.compile(r"= *[\w.]+ *= *[\[{(\w]")
_KEYED = ("setdefault", "pop", "__setitem__")
_ANY: Constant = ...
"""The key of a change of which nobody knows where it is."""


class _Calling(NamedTuple):
    """A call of a method that changes a container."""

    call: ast.Call
    receiver: ast.expr
    method: str


class _Change(NamedTuple):
    """A change of a container, or of one inside of it."""

    keys: tuple[Constant, ...]
    """The way to what is changed, from the outer container inwards."""
    is_seen: bool = True
    """False where it is only possible: something unknown was handed the container."""


_Changes = frozenset[_Change]
_NONE: _Changes = frozenset()
_CALLS: Cache[int, dict[tuple[str, int], list[_Calling]]] = Cache(local=True)
_OF_BINDING: Cache[Binding, _Changes] = Cache()
_OF_NAME: Cache[tuple[FunctionScope, str], _Changes] = Cache()


def with_changes_by_others(binding: Binding, value: Value) -> Value:
    """The value of a binding of a container, with what others than its own scope may have made of it.

    Args:
        binding: where the container is bound.
        value: the container.
    """
    module = binding.scope.module
    changes = _OF_BINDING.of(module).get(binding)
    if changes is None:
        if not _says_something(value):
            return value
        changes = _OF_BINDING.answer(module, binding, lambda: _changes_of(binding), meanwhile=_NONE)
    return _changed(value, changes) if changes else value


def _says_something(value: Value) -> bool:
    """Is more known of a container, or of an item, than that it has tensors: what a test, or a loss, may go by?"""
    if isinstance(value, ManyValue):
        return value.part is not None and any(isinstance(v, InstanceValue) for v in value.part.alternatives)
    if isinstance(value, (SequenceValue, MappingValue)):
        contents = value.contents
        return not contents or any(_says_something(v) for part in contents for v in part.alternatives)
    if isinstance(value, TensorValue):
        return bool(value.traits)
    return not isinstance(value, (UnknownValue, BottomValue))


def _changed(value: Value, changes: _Changes) -> Value:
    """A container after some changes."""
    match value:
        case MappingValue():
            if not value.entries:
                return UNKNOWN
            entries = {key: _changed_item(part, key, changes) for key, part in value.entries.items()}
            new = {change.keys[0] for change in changes if change.is_seen} - {_ANY, *entries}
            entries.update({key: unknown() for key in sorted(new, key=repr)})
            return MappingValue(entries, site=value.site)
        case SequenceValue():
            if not value.parts:
                return ManyValue(UNKNOWN, site=value.site)
            size = len(value.parts)
            return SequenceValue(
                tuple(_changed_item(part, at, changes, at - size) for at, part in enumerate(value.parts)),
                traits=value.traits, site=value.site,
            )  # fmt: skip
        case ManyValue() if any(len(change.keys) == 1 and change.is_seen for change in changes):
            return ManyValue(union([*value.contents, UNKNOWN]), traits=value.traits, site=value.site)
    return value


def _changed_item(item: Value, key: Constant, changes: _Changes, from_end: Constant = None) -> Value:
    """An item of a container after some changes of the container."""
    inner: set[_Change] = set()
    for change in changes:
        first, rest = change.keys[0], change.keys[1:]
        if first is not _ANY and first != key and (from_end is None or first != from_end):
            continue
        if not rest:
            if change.is_seen or isinstance(item, LiteralValue):
                return union([item, UNKNOWN])
        else:
            inner.add(_Change(rest, change.is_seen))
    return _changed(item, frozenset(inner)) if inner else item


# ------------------------------------------------------------------------------------------------- what the text says
def changing_calls(module: ModuleScope) -> dict[tuple[str, int], list[_Calling]]:
    """The calls of a method that changes a container in a file: by the last name of the place that it is called on
    (`settings` of `run.settings["model"].update()`), and the id of the scope; by the name and 0 those of all scopes
    together."""
    table, size = _CALLS.of(module), len(module._scopes)  # what has been read of a file may become more
    known = table.get(size)
    if known is None:
        known = table[size] = {}
        for word in _CHANGING:
            for call, scope in module._calls_by_name.get(word, ()):
                if not isinstance(call.func, ast.Attribute):
                    continue
                for receiver in chosen_from(call.func.value):
                    name, calling = last_name(without_items(receiver)), _Calling(call, receiver, word)
                    known.setdefault((name, id(scope)), []).append(calling)
                    known.setdefault((name, 0), []).append(calling)
    return known


@cached_per_scope(local=True)
def stores_in(scope: Scope) -> dict[str, list[tuple[ast.Subscript, ast.stmt]]]:
    """The items that the statements of a scope, and of those inside of it, store to or delete, each with its statement,
    by the last name of the place that they are of."""
    found: dict[str, list[tuple[ast.Subscript, ast.stmt]]] = {}
    for statement in every_statement(scope.node):
        targets: list[ast.expr] = []
        if isinstance(statement, (ast.Assign, ast.Delete)):
            targets = statement.targets
        elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
            targets = [statement.target]
        for target in targets:
            if isinstance(target, ast.Subscript):
                base = target.value
                name = base.id if isinstance(base, ast.Name) else last_name(without_items(base))
                found.setdefault(name, []).append((target, statement))
    return found


@cached_per_scope()
def _handing_calls(scope: Scope) -> dict[str, list[tuple[ast.Call, int | str, Node]]]:
    """The calls in a scope that may change what they are given, by the last name of what that is a part of: those of
    the project's functions, and statements that call something by a plain name, and what `partial` makes; with the
    place or the keyword, and the argument."""
    calls = [*_calls_of_functions(scope.module).get(id(scope), ())]
    calls += [c for c in scope.expressions if isinstance(c, ast.Call) and c.func.__class__ is ast.Name]
    found: dict[str, list[tuple[ast.Call, int | str, Node]]] = {}
    for call in calls:
        for at, argument in enumerate(call.args):
            kind = argument.__class__
            if kind is ast.Name or kind in _PLACES:
                name = argument.id if isinstance(argument, ast.Name) else last_name(without_items(argument))
                found.setdefault(name, []).append((call, at, argument))
        for keyword in call.keywords:
            if keyword.arg is not None and keyword.value.__class__ in _PLACES:
                given = (call, keyword.arg, keyword.value)
                found.setdefault(last_name(without_items(keyword.value)), []).append(given)
    return found


@cached()
def _calls_of_functions(module: ModuleScope) -> dict[int, list[ast.Call]]:
    """The calls in a file of functions of the project, and those that shuffle or bind arguments, by the scope's id."""
    by_name = module.calls_by_name
    names = module.project.reach.own_names().union(("shuffle", "partial")) - BUILTIN_METHODS
    found: dict[int, list[ast.Call]] = {}
    for name in by_name:
        if name in names:
            for call, scope in by_name[name]:
                found.setdefault(id(scope), []).append(call)
    return found


@cached(local=True)
def _chained(module: ModuleScope) -> dict[int, list[str]]:
    """The names that `a = b = []` binds to one value, by the id of its node."""
    found: dict[int, list[str]] = {}
    if module.source is not None and _CHAIN.search(module.source.text):
        for statement in every_statement(module.tree):
            if isinstance(statement, ast.Assign) and len(statement.targets) > 1:
                found[id(statement.value)] = [name for t in statement.targets if (name := place(t)) is not None]
    return found


@cached()
def _importers(project: Project) -> dict[str, list[ModuleScope]]:
    """The files that import a file, or from it, by its last name."""
    found: dict[str, list[ModuleScope]] = {}
    for module in project.modules:
        for name in imported_names(module):
            found.setdefault(name, []).append(module)
    return found


def _importing(module: ModuleScope, project: Project) -> list[ModuleScope]:
    """The other files that import a file."""
    return [m for m in _importers(project).get(module.name.rpartition(".")[2], ()) if m is not module]


# ---------------------------------------------------------------------------------------------------- what they change
def _changes_of(binding: Binding) -> _Changes:
    """What others than the scope of `binding` may change in the container that it binds."""
    scope, name = binding.scope, binding.name
    module, project = scope.module, scope.module.project
    if not isinstance(scope, FunctionScope) or module.source is None:
        return _NONE
    if "." in name:
        return _of_attribute(scope, name, binding.value)
    found = set(_changes_by_name(name, scope, binding.value))
    for other in _chained(module).get(id(binding.value), ()):
        if other != name:
            found.update(_changes_by_name(other, scope))
    if scope.is_body:
        for importer in _importing(module, project):
            if name in importer.body.bindings:
                found.update(_changes_by_name(name, importer.body))
    return frozenset(found)


def _changes_by_name(name: str, function: FunctionScope, made: Node = None) -> Iterator[_Change]:
    """What a function, and those inside of it, change in what they call by a name.

    Args:
        name: the name.
        function: the function, or a file's body.
        made: the container, if it is written there: what its scope does to it by its name is known then.
    """
    own = made is not None
    last, source = name.rpartition(".")[2], function.module.source
    scopes = [s for s in function.nested() if _sees(s, name, function)]
    table = changing_calls(function.module)
    for scope in scopes if (last, 0) in table else ():
        for call, receiver, word in table.get((last, id(scope)), ()):
            keys = _keys(receiver, name)
            if keys is not None and (not own or keys or word not in ADDING or scope is not function):
                yield from (_Change((*keys, key)) for key in _changed_keys(call, word))
    if source.holds(f"{last}[") and (made is None or _has_display(made) or source.holds(f"del {name}[")):
        for target, statement in stores_in(function).get(last, ()):
            keys = _keys(target, name)
            if keys and (not own or len(keys) > 1 or isinstance(statement, ast.Delete)):
                if _sees(innermost_function(function, statement.lineno), name, function):
                    yield _Change(keys)
    if source.holds(f"= {name}\n"):
        yield from _changes_by_other_names(name, function)
    by_keyword = source.holds(f"={name},") or source.holds(f"={name})")
    if last is not name:  # only plain names are noted where they are given
        by_keyword = by_keyword or source.holds(f"({name}") or source.holds(f", {name}")
    given_in = function.module._references.get(last, ())
    for scope in scopes if by_keyword or given_in else ():
        if by_keyword or any(given is scope for given in given_in):
            yield from _changes_by_handing(name, scope)


def _changes_by_other_names(name: str, function: FunctionScope) -> Iterator[_Change]:
    """What is changed in what a function calls by a name, after it was given another one."""
    for node in nodes_naming(name.rpartition(".")[2], function):
        if isinstance(node, ast.Assign) and place(node.value) == name:
            around = innermost_function(function, node.lineno)
            for target in node.targets if _sees(around, name, function) else ():
                if isinstance(target, ast.Name):
                    yield from _of_name(target.id, around)


def _changes_by_handing(name: str, scope: Scope) -> Iterator[_Change]:
    """What is changed in what is called by a name in the functions that a scope hands it to."""
    for call, at, argument in _handing_calls(scope).get(name.rpartition(".")[2], ()):
        keys = _keys(argument, name)
        if keys is not None:
            yield from (_Change((*keys, *c.keys), c.is_seen) for c in _changes_by_callee(call, at, scope))


def _changes_by_callee(call: ast.Call, at: int | str, scope: Scope) -> Iterator[_Change]:
    """What the function that is called changes in an argument, which is given by position or by keyword."""
    around, project = function_of(scope), scope.module.project
    if last_name(call.func) == "shuffle":
        yield _Change((_ANY,))
    if around is None:
        return
    func = call.func
    if last_name(func) == "partial" and at != 0:
        func, at = call.args[0], at - 1 if isinstance(at, int) else at
    value = ask.evaluate(func, project.frame(around))
    for called in value.alternatives:
        if isinstance(called, FunctionValue) and called.function is not None and not called.function.stubbed:
            yield from _of_parameter(called.function, at, is_bound=called.receiver is not None)
    if isinstance(value, UnknownValue) and value.name is not None and id(call) in thrown_away(scope):
        yield _Change((_ANY,), is_seen=False)


def _of_parameter(function: FunctionScope, at: int | str, *, is_bound: bool) -> _Changes:
    """What a function changes in what it is given for a parameter, by its place or its name."""
    if isinstance(at, str):
        return _of_name(at, function) if function.parameter(at) is not None else _NONE
    at += is_bound
    return _of_name(function.positional[at], function) if at < len(function.positional) else _NONE


def _of_name(name: str, function: FunctionScope) -> _Changes:
    """What a function changes in what it calls by a name, and has not made."""
    if function.module.source is None:
        return _NONE
    return _OF_NAME.answer(
        function.module,
        (function, name),
        lambda: frozenset(_changes_by_name(name, function)),
        meanwhile=_NONE,
    )


def _of_attribute(method: FunctionScope, name: str, made: Node) -> _Changes:
    """What others change in a container that a method binds to an attribute of its object: the methods of its class in
    other ways than by its name, and whoever has the object in that file."""
    owner, attribute = method.owner, name.rpartition(".")[2]
    if owner is None or name.count(".") != 1:
        return _NONE
    found: set[_Change] = set()
    for own in owner.methods.values():
        if own.parameters:
            found.update(_changes_by_name(f"{own.parameters[0].name}.{attribute}", own, made))
    return frozenset(found.union(_changes_from_outside(attribute, owner, method.module)))


def _changes_from_outside(attribute: str, owner: ClassScope, module: ModuleScope) -> Iterator[_Change]:
    """What a file changes in the container that an object of a class has, by another name than that of its methods."""
    changed: list[tuple[Node, list[Constant]]] = []
    if module.source is not None and _is_stored_outside(attribute, module.source.text):
        changed += [(target, []) for target, _ in stores_in(module.body).get(attribute, ())]
    table = changing_calls(module)
    changed += [(receiver, _changed_keys(call, word)) for call, receiver, word in table.get((attribute, 0), ())]
    for target, last in changed:
        holder = without_items(target)
        if isinstance(holder, ast.Attribute) and _may_be_of(holder.value, owner, module):
            keys = _keys(target, place(holder) or "") or ()
            yield from (_Change((*keys, key)) for key in last)
            if not last and keys:
                yield _Change(keys)


def _is_stored_outside(attribute: str, text: str) -> bool:
    """True if a text has an item of an attribute of something else than of `self`."""
    return text.count(f".{attribute}[") > text.count(f"self.{attribute}[")


def _may_be_of(receiver: Node, owner: ClassScope, module: ModuleScope) -> bool:
    """True if `receiver` may be an object of the class `owner`, and is no name that a method of it has for its own."""
    around, project = innermost_function(module.body, receiver.lineno), module.project
    if around.owner is not None and around.parameters and place(receiver) == around.parameters[0].name:
        return False
    value = ask.evaluate(receiver, project.frame(around))
    classes = [v.cls for v in value.alternatives if isinstance(v, InstanceValue)]
    return value.is_unknown or any(owner in mro(cls) for cls in classes)


# -------------------------------------------------------------------------------------------------------- small words
def _keys(node: Node, name: str) -> tuple[Constant, ...] | None:
    """The way from a container to a part of it, as it is written: `("model", 0)` of `name["model"][0]`; None if it is
    no part of what is called by that name."""
    keys: list[Constant] = []
    while isinstance(node, ast.Subscript):
        if place(node) == name:
            break
        keys.append(_written_key(node.slice))
        node = node.value
    if node.__class__ is ast.Starred or place(node) != name:
        return None
    keys.reverse()
    return tuple(keys)


def _has_display(node: Node) -> bool:
    """Is a display, or a call like `dict(...)`, one of others: of the parts of `{"model": {"size": 1}}`?"""
    parts = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", None) or [getattr(node, "elt", None)]
    if isinstance(node, ast.Call):
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
    return any(part.__class__ in _DISPLAYS for part in parts)


def _written_key(index: Node) -> Constant:
    """The key that an index writes out, or `_ANY`."""
    number = written_integer(index)
    if number is not None:
        return number
    return index.value if isinstance(index, ast.Constant) else _ANY


def _changed_keys(call: ast.Call, word: str) -> list[Constant]:
    """The keys under which a method changes its container, by its name: `_ANY` where they are not written out."""
    if word == "update" and not call.args and call.keywords and all(k.arg is not None for k in call.keywords):
        return [k.arg for k in call.keywords]
    first = call.args[0] if call.args else None
    if word == "update" and isinstance(first, ast.Dict) and not call.keywords:
        written = [k.value for k in first.keys if isinstance(k, ast.Constant)]
        return written if len(written) == len(first.keys) else [_ANY]
    return (
        [first.value] if word in _KEYED and isinstance(first, ast.Constant) and isinstance(first.value, str) else [_ANY]
    )


def _sees(scope: Scope | None, name: str, function: FunctionScope) -> bool:
    """Does a name mean in a scope inside of a function what it means in the function?"""
    base = _base_name(name)
    while scope is not None and scope is not function:
        if not isinstance(scope, ClassScope) and base in scope.bindings and base not in scope.globals:
            return False
        scope = scope.parent
    return True


def _base_name(name: str) -> str:
    """`x` of `x.y["k"]`."""
    return name.partition(".")[0].partition("[")[0]
