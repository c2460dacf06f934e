"""Lists that grow: what a list holds after `append`, `extend` and `insert` in the scope that made it.

A display `[a, b]` that the same scope appends to no longer has known parts: it becomes "any number of" the union of all
that goes in. What is appended last, outside of any loop or branch, is remembered as its tail: `nn.Sequential(*layers)`
ends with it. A `Sequential()` also holds what `add_module` and `append` put in next to it, and a class made of it what
it hands to `super().__init__(...)`.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from mllint.semantics.syntax.module import Binding, ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import Constant, Node, last_name, place, walk, written_integer
from mllint.semantics.values.arguments import Arguments
from mllint.semantics.values.ask import ask
from mllint.semantics.values.classes import init_frame, method
from mllint.semantics.values.decided import has_constant_argument, is_reached, stands_in_branches
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.shared_containers import ADDING, changing_calls, stores_in, with_changes_by_others
from mllint.semantics.values.values import (
    UNKNOWN,
    InstanceValue,
    ManyValue,
    MappingValue,
    SequenceValue,
    Value,
    union,
    unknown,
)

__all__ = ["module_parts", "parts_given_to_super", "with_additions"]

_MOVING = frozenset(("insert", "pop", "setattr"))
_GROWING = ("add_module", "append", "insert", "extend")


def with_additions(binding: Binding, value: Value, frame: Frame) -> Value:
    """The value of a binding of a container that its scope adds to; the value itself if it does not.

    Args:
        binding: where the container is bound.
        value: the value that is bound there.
        frame: where it is bound.
    """
    if not isinstance(value, (SequenceValue, ManyValue, MappingValue)):
        return value
    added = _additions(binding)
    if isinstance(value, MappingValue):
        entries = _entries(value, added, binding, frame)
        if entries is None:
            return unknown(frame.project.intern(("bound", frame.key, id(binding))))
        return with_changes_by_others(binding, entries)
    if not added:
        value = _with_stores(value, binding, frame) if isinstance(value, SequenceValue) else value
    return with_changes_by_others(binding, _with_added(added, value, binding, frame) if added else value)


def _with_added(added: list[tuple[ast.Call, str]], value: Value, binding: Binding, frame: Frame) -> Value:
    """A list with what some calls in its scope add to it."""
    parts = list(value.contents)
    tail: Value | None = None
    decided = frame.function is binding.scope and has_constant_argument(frame)
    for call, word in added:
        if not call.args or (decided and is_reached(call, frame) is False):
            continue
        around = _frame_of_addition(call, binding, frame)
        inner = ask.evaluate(call.args[-1], around)
        inner = ask.element_of(inner, around, call) if word in ("extend", "update") else inner
        parts.append(inner)
        tail = inner if word == "append" and _plain(call, binding) else None
    if not parts:
        return value
    return ManyValue(union(parts), last=tail, site=value.site)


def _frame_of_addition(call: ast.Call, binding: Binding, frame: Frame) -> Frame:
    """Where what is added to an attribute is evaluated: with the names of the other method that adds it, if it has any,
    `def push(self, item): self.items.append(item)`."""
    owner = getattr(binding.scope, "owner", None)
    names = [n.id for n in walk(call.args[-1]) if isinstance(n, ast.Name)]
    if owner is None or frame.function is not binding.scope or not names:
        return frame
    for other in owner.methods.values():
        own = set(other.bindings) - {p.name for p in other.parameters[:1]}
        if other is not binding.scope and not own.isdisjoint(names) and any(c is call for c in other.calls):
            receiver = frame.self_value()
            return init_frame(receiver, other, frame) if isinstance(receiver, InstanceValue) else frame
    return frame


def _entries(value: MappingValue, added: list[tuple[ast.Call, str]], binding: Binding, frame: Frame) -> Value | None:
    """A dictionary with what its scope stores in it, `out["key"] = x`, or `out.update(key=x)`; None if nobody knows
    under which keys.

    Whoever gets the dictionary may get it before or after a store. So a key that is stored again, or perhaps, holds
    what is not known; one that was not there before, and is stored by a statement that the call comes past, holds what
    is stored.
    """
    stored = _stored_entries(added, binding)
    decided = bool(stored) and frame.function is binding.scope and has_constant_argument(frame)
    stored = [s for s in stored if not decided or is_reached(s.statement, frame) is not False]
    if any(s.key is None for s in stored):
        return None
    parts = dict(value.entries)
    keys = [s.key for s in stored]
    for key, new, statement in stored:
        known = keys.count(key) == 1 and key not in value.entries and frame.function is binding.scope
        if known and new is not None and _follows(statement, new, binding, frame, decided=decided):
            parts[key] = ask.evaluate(new, frame)
        else:
            parts[key] = unknown()
    return MappingValue(parts, site=value.site) if stored else value


class _Entry(NamedTuple):
    """An entry that a scope stores in a dictionary."""

    key: Constant
    """None if nobody knows it."""
    value: Node
    """None of what is not stored as it stands there."""
    statement: Node


def _stored_entries(added: list[tuple[ast.Call, str]], binding: Binding) -> list[_Entry]:
    """What a scope stores in a dictionary by subscripts and by the calls that add to it."""
    found = []
    for target, statement in _stores(binding):
        value = statement.value if isinstance(statement, ast.Assign) else None
        found += [_Entry(key, value, statement) for key in _keys_of(target.slice, binding)]
    for call, word in added:
        pairs: list[tuple[Node, Node]] = [(k.arg and ast.Constant(k.arg), k.value) for k in call.keywords]
        if call.args and isinstance(call.args[0], ast.Dict):
            pairs += zip(call.args[0].keys, call.args[0].values, strict=True)
        elif call.args:
            pairs.append((None, None))
        if word != "update":
            pairs = [(None, None)]
        found += [_Entry(getattr(key, "value", None), value, call) for key, value in pairs]
    return found


def _with_stores(value: SequenceValue, binding: Binding, frame: Frame) -> Value:
    """A list with what its scope stores in it, `losses[0] += loss`: where that is, what was there before may still be,
    for who reads it earlier."""
    stores = _stores(binding)
    if not stores:
        return value
    parts, base = list(value.parts), binding.name.partition(".")[0]
    for target, statement in stores:
        plain = isinstance(statement, ast.Assign) and frame.function is binding.scope
        known = plain and not any(isinstance(n, ast.Name) and n.id == base for n in walk(statement.value))
        known = known and not isinstance(target.slice, ast.Slice)
        stored = ask.evaluate(statement.value, frame) if known else unknown()
        index = getattr(target.slice, "value", None)
        for at in [index] if isinstance(index, int) and index < len(parts) else range(len(parts)):
            parts[at] = union([parts[at], stored])
    return SequenceValue(tuple(parts), site=value.site)


def _keys_of(node: Node, binding: Binding) -> list[Constant]:
    """The keys that a subscript stands for: a constant, or those that a loop goes through which are written out, `for
    part, rows in (("train", a), ("val", b))`; [None] if nobody knows."""
    if isinstance(node, ast.Constant):
        return [node.value]
    bound = binding.scope.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    through = bound[0].value if len(bound) == 1 and bound[0].kind == "for" else None
    path: tuple[int | None, ...] = bound[0].path if bound else ()
    if not isinstance(through, (ast.Tuple, ast.List)) or not through.elts or len(path) > 1:
        return [None]
    return [_constant_at(element, path) for element in through.elts]


def _constant_at(node: Node, path: tuple[int | None, ...]) -> Constant:
    """The constant that an expression is, or has at a place; None if it is none."""
    for index in path:
        parts = getattr(node, "elts", ())
        node = parts[index] if isinstance(index, int) and index < len(parts) else None
    return node.value if isinstance(node, ast.Constant) else None


def _stores(binding: Binding) -> list[tuple[Node, Node]]:
    """The subscripts of a dictionary that its scope stores to, each with its statement; of an attribute, those of all
    methods."""
    module = binding.scope.module
    if module.source is None or not module.source.holds(f"{binding.name}["):
        return []
    owner = getattr(binding.scope, "owner", None) if "." in binding.name else None
    scopes = [binding.scope] if owner is None else owner.methods.values()
    last = binding.name.rpartition(".")[2]
    return [
        (target, statement)
        for scope in scopes
        for target, statement in stores_in(scope).get(last, ())
        if not isinstance(statement, ast.Delete) and place(target.value) == binding.name
    ]


def _follows(statement: Node, value: Node, binding: Binding, frame: Frame, *, decided: bool) -> bool:
    """Does the scope come past the statement, or the call, by which it stores what does not read the dictionary, below
    the dictionary?

    Args:
        statement: what stores.
        value: what is stored.
        binding: the dictionary.
        frame: where it is bound.
        decided: whether the tests of the scope may have an answer there.
    """
    body: Node = getattr(binding.scope.node, "body", ())
    if decided:
        past = stands_in_branches(statement, body) and is_reached(statement, frame) is True
    else:
        past = isinstance(body, list) and any(statement in (s, getattr(s, "value", None)) for s in body)
    if statement.lineno < binding.node.lineno or not past:
        return False
    base = binding.name.partition(".")[0]
    return not any(isinstance(n, ast.Name) and n.id == base for n in walk(value))


def _parts_of_sequential(values: list[Value], call: Node, frame: Frame, *, opened: bool) -> tuple[Value, ...]:
    """The parts of a `Sequential`, in order: its arguments, then what is spread, or what is added to an empty one.

    Args:
        values: the values of its arguments.
        call: the call that builds it.
        frame: where the call stands.
        opened: whether something may be spread of which nothing is known.
    """
    if opened:
        return tuple(_with_replacements([*values, _last_part(call, frame)], call, frame))
    if call is None:
        return tuple(values)
    if values:
        values = _with_replacements(values, call, frame)
        if frame.function.called_names.isdisjoint(("append", "add_module")):
            return tuple(values)
    added = _added_by_statements(call, frame)
    return (*values, *added) if added is not None else (*values, UNKNOWN) if values else ()


def _with_replacements(values: list[Value], call: Node, frame: Frame) -> list[Value]:
    """The parts of a `Sequential` after what its function does to them by its name.

    A part that is assigned may be the one or the other: `net[1] = nn.Identity()`. Where one is deleted, popped or
    inserted, nobody knows which one stands where.
    """
    function = frame.function
    name = next((b.name for found in function.bindings.values() for b in found if b.value is call and not b.path), None)
    if name is None:
        return values
    moved = function.calls_to(_MOVING) if not function.called_names.isdisjoint(_MOVING) else []
    if any(place(getattr(c.func, "value", None)) == name or (c.args and place(c.args[0]) == name) for c in moved):
        return [*(union([value, UNKNOWN]) for value in values), UNKNOWN]
    changed = list(values)
    for index, value in _item_writes(name, function):
        number = written_integer(index)
        if value is None or number is None or not -len(values) <= number < len(values):
            return [*(union([value, UNKNOWN]) for value in values), UNKNOWN]
        changed[number] = union([changed[number], ask.evaluate(value, frame), UNKNOWN])
    return changed


def _item_writes(name: str, function: FunctionScope) -> list[tuple[Node, Node]]:
    """The items of `name` that `function` assigns or deletes: the index, and the expression, or None."""
    source = function.module.source
    if source is not None and f"{name}[" not in source.text:
        return []
    found: list[tuple[Node, Node]] = []
    for statement in walk(function.node):
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=base, slice=index)], value=value) if place(base) == name:
                found.append((index, value))
            case ast.Delete(targets=[ast.Subscript(value=base, slice=index)]) if place(base) == name:
                found.append((index, None))
    return found


def parts_given_to_super(instance: InstanceValue, forward: FunctionScope | None, frame: Frame) -> tuple[Value, ...]:
    """What a class made of `Sequential` hands to `super().__init__(...)`, in order; empty where that is not known.

    Args:
        instance: the object.
        forward: the method that runs it, if it has one of its own.
        frame: where it is asked.
    """
    if forward is None or not forward.stubbed or forward.owner is None or forward.owner.name != "Sequential":
        return ()

    init = method(instance.cls, "__init__")
    if init is None or init.stubbed:
        return ()
    calls = [c for c in init.calls if last_name(c.func) == "__init__"]
    more = any(place(getattr(c.func, "value", None)) == "self" and last_name(c.func) in _GROWING for c in init.calls)
    if len(calls) != 1 or more:
        return ()
    parts = module_parts(forward.owner, Arguments(calls[0], init_frame(instance, init, frame)))
    return tuple(parts.values()) if isinstance(parts, dict) else parts


def _added_by_statements(call: Node, frame: Frame) -> tuple[Value, ...] | None:
    """What is added to a `Sequential` that has a name; None unless each of it is added in a statement of the body."""
    function = frame.function
    name = next((b.name for found in function.bindings.values() for b in found if b.value is call and not b.path), None)
    if name is None or len(function.bindings[name]) != 1 or isinstance(function.node, ast.Lambda):
        return ()
    calls = [c for c in function.calls if c.args and place(getattr(c.func, "value", None)) == name]
    added = [c for c in calls if getattr(c.func, "attr", "") in _GROWING]
    plain = {id(s.value) for s in function.body if isinstance(s, ast.Expr)}
    if any(id(c) not in plain or getattr(c.func, "attr", "") in ("insert", "extend") for c in added):
        return None
    return tuple(ask.evaluate(c.args[-1], frame) for c in sorted(added, key=lambda c: c.lineno))


def _last_part(call: Node, frame: Frame) -> Value:
    """What a `Sequential` ends with that unknown layers are spread into: the argument behind them, or, of
    `Sequential(*layers)`, what was appended last, outside of loops and branches, if nothing else happens to the list
    after that."""
    given = call.args if call is not None else []
    if not given:
        return UNKNOWN
    if not isinstance(given[-1], ast.Starred):
        return ask.evaluate(given[-1], frame)
    node, function = given[-1].value, frame.function
    spread = ask.evaluate(node, frame)
    tail = spread.last if isinstance(spread, ManyValue) else None
    if tail is not None or not isinstance(node, ast.Name):
        return tail or UNKNOWN
    return _ending(function.body, node.id, node.lineno, frame) or UNKNOWN


def _ending(body: Node, name: str, line: int, frame: Frame) -> Value | None:
    """What a list ends with after the statements above a line, of a branch if it is known which one runs; None if
    they do nothing to it."""
    above: list[Node] = [s for s in body if s.lineno < line]
    above.reverse()
    for statement in above:
        if not any(isinstance(n, ast.Name) and n.id == name for n in walk(statement)):
            continue
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr="append"), args=[last])):
                return ask.evaluate(last, frame) if of == name else UNKNOWN
            case ast.AugAssign(target=ast.Name(id=of), op=ast.Add(), value=ast.List(elts=[*_, last])):
                return ask.evaluate(last, frame) if of == name and not isinstance(last, ast.Starred) else UNKNOWN
            case ast.If():
                chosen = ask.evaluate(statement.test, frame).truth
                if chosen is None:
                    return UNKNOWN
                found = _ending(statement.body if chosen else statement.orelse, name, line, frame)
                if found is not None:
                    return found
            case _:
                return UNKNOWN
    return None


def _additions(binding: Binding) -> list[tuple[ast.Call, str]]:
    """The calls by which the scope of a container adds to it; of an attribute, those of all methods."""
    scope, name = binding.scope, binding.name
    owner, last = getattr(scope, "owner", None), name.rpartition(".")[2]
    scopes = [scope] if owner is None or last == name else [*owner.methods.values()]
    calls = changing_calls(scope.module)
    if (last, 0) not in calls:
        return []
    callings = (calling for each in scopes for calling in calls.get((last, id(each)), ()))
    found = [(c.call, c.method) for c in callings if c.method in ADDING and place(c.receiver) == name]
    return sorted(found, key=lambda pair: pair[0].lineno)


def _plain(call: ast.Call, binding: Binding) -> bool:
    """Is the call a statement of the scope's own body, in no loop or branch?"""
    body: Node = getattr(binding.scope.node, "body", ())
    return isinstance(body, list) and any(isinstance(s, ast.Expr) and s.value is call for s in body)


def module_parts(cls: ClassScope, arguments: Arguments) -> tuple[Value, ...] | dict[Constant, Value]:
    """The modules in a container, in order, or by key."""
    if cls.name == "Sequential":
        values = [arguments.get(a) for a in arguments.positional]
        if len(values) == 1 and isinstance(values[0], ManyValue):
            return values[0].contents
        if len(values) == 1 and isinstance(values[0], (MappingValue, SequenceValue)):
            values = list(values[0].contents)
        return _parts_of_sequential(values, arguments.node, arguments.frame, opened=arguments.open)
    if cls.name in ("ModuleList", "ModuleDict", "ParameterList") and arguments.positional:
        value = arguments.get(arguments.positional[0])
        if isinstance(value, (SequenceValue, ManyValue, MappingValue)):
            return value.entries if isinstance(value, MappingValue) else value.contents
    if cls.name == "MetricCollection" and not arguments.open:
        return _metrics(arguments)
    return _added_to(arguments) if cls.name == "ModuleList" and not arguments.open else ()


def _metrics(arguments: Arguments) -> tuple[Value, ...]:
    """The metrics of a collection: what a list, or a dictionary, of them has, and those that are given one by one."""
    found: list[Value] = []
    for value in (arguments.get(a) for a in arguments.positional):
        found += value.contents if isinstance(value, (SequenceValue, ManyValue, MappingValue)) else [value]
    return tuple(found)


def _added_to(arguments: Arguments) -> tuple[Value, ...]:
    """What is added to a `ModuleList()` that has a name, in order; where a loop or another method adds, one alternative
    for all of it. What a test may leave out may be anything else as well."""
    call, frame = arguments.node, arguments.frame
    bound = [b for found in frame.function.bindings.values() for b in found if b.value is call and not b.path]
    added = _additions(bound[0]) if call is not None and len(bound) == 1 else []
    values = []
    for grows, word in (pair for pair in added if pair[0].args):
        runs = is_reached(grows, frame)
        if runs is not False:
            value = ask.evaluate(grows.args[-1], frame)
            values.append(ask.element_of(value, frame, grows) if word == "extend" else value)
        if runs is None:
            values.append(UNKNOWN)
    if all(word == "append" and _plain(grows, bound[0]) for grows, word in added):
        return tuple(values)
    return (union(values),)
