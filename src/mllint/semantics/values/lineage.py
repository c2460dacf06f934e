"""Through which expressions did a value come to be? The way back from an expression, as syntax.

A Value says what something is; it forgets most of how it was made, above all when an unknown call stands on the way.
Rules about data ask for the way itself: was there a `fit_transform`, a `shift`, an `os.listdir` before this split?
`origins` walks back from an expression over bindings, unpacked tuples, receivers and arguments, stores into a column
(`df["x"] = ...`), lists that are appended to, attributes of `self`, and into the user's functions that give the value.

Worked example: in

    X = scaler.fit_transform(df.values)
    X_train, X_test = train_test_split(X.astype("float32"))

the origins of the argument are `X.astype("float32")`, `X`, `scaler.fit_transform(df.values)`, `df.values`, `df` ...

It claims nothing about values: an origin *may* have contributed. What happens on the way is the rule's question.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import Cache, cached, cached_per_scope
from mllint.semantics.syntax.deadline import DEADLINE
from mllint.semantics.syntax.module import Binding, ClassScope, FunctionScope
from mllint.semantics.syntax.names import bindings_at, bound_expression, reaching
from mllint.semantics.syntax.nodes import FIELDS, Constant, Node, assigned_pairs, last_name, place, places, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.values.arguments import Bound, bind
from mllint.semantics.values.bodies import reachable_returns
from mllint.semantics.values.classes import method
from mllint.semantics.values.comprehended import rounds_of
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.partial_arguments import find_early_bindings
from mllint.semantics.values.self_helpers import helpers_acting_on
from mllint.semantics.values.tensors import JOINERS
from mllint.semantics.values.values import (
    ClassValue,
    LiteralValue,
    Site,
    UnknownValue,
    Value,
)

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = [
    "Origin", "bindings_of", "bound_values", "dictionaries", "is_same_place", "may_enter", "origins", "owner_bindings",
    "part_at", "resolve_name", "results_of", "statements", "targets_of", "targets_outside", "values_stored_in",
    "with_statements",
]  # fmt: skip

_LIMIT = 400
_STEPS: Cache[tuple[int, int], tuple[Origin, ...]] = Cache()
"""What expressions were computed from, by the ids of the expression and its frame."""
_JOINING = ("c_", "r_")
_ADDING = ("append", "extend", "insert", "add")
_NESTED = frozenset((ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
_BLOCKS = {
    cls: tuple(
        field for field in ("cases", "finalbody", "orelse", "handlers", "body") if field in getattr(cls, "_fields", ())
    )
    for cls in (*ast.stmt.__subclasses__(), ast.ExceptHandler, ast.match_case)
    if {"body", "handlers", "cases"}.intersection(getattr(cls, "_fields", ()))
}


class Origin:
    """An expression on the way, in the frame in which it is evaluated."""

    __slots__ = ("frame", "node")

    def __init__(self, node: Node, frame: Frame) -> None:
        self.node = node
        self.frame = frame

    @property
    def site(self) -> Site:
        """The place of it."""
        return Site(self.frame.module, self.node)

    @property
    def value(self) -> Value:
        """What it is."""
        return evaluate(self.node, self.frame)


def origins(
    node: Node, frame: Frame, *, through: Callable[[Origin], bool] | None = None, samples: bool = False
) -> Iterator[Origin]:
    """The expressions that an expression may have been computed from, itself first, nearest first.

    Args:
        node: the expression.
        frame: its context.
        through: a test of an Origin; where it answers False the way ends (the Origin itself is still given).
        samples: does the way go on from a dataset of the user's to what its samples are taken from? That comes last.
    """
    DEADLINE.check()
    queue, sampled = [Origin(node, frame)], list[Origin]()
    seen = {id(node)}
    for position in range(_LIMIT):
        if position >= len(queue):
            if not sampled:
                return
            queue, sampled = queue + sampled, []
        current = queue[position]
        yield current
        if through is not None and not through(current):
            continue
        for step in _steps(current.node, current.frame):
            if id(step.node) not in seen:
                seen.add(id(step.node))
                queue.append(step)
        if not samples:
            continue
        for step in _samples(current.node, current.frame):
            if id(step.node) not in seen:
                seen.add(id(step.node))
                sampled.append(step)


def _steps(node: Node, frame: Frame) -> Iterable[Origin]:
    """What an expression was computed from at once. Many rules ask this of the same loops and arguments."""
    kind = node.__class__
    if kind is ast.Name or kind is ast.Attribute or kind is ast.Subscript:
        work_out = _origins_of_name
    elif kind is ast.Call:
        work_out = _origins_of_call
    elif kind is ast.Lambda or kind is ast.Constant or node is None:
        return ()
    else:
        return [Origin(part, frame) for part in _parts(node)]
    key = (id(node), id(frame))
    return _STEPS.answer(frame.project, key, lambda: tuple(work_out(node, frame)), meanwhile=())


def _parts(node: Node) -> Iterator[Node]:
    """The expressions that another one is made of."""
    match node:
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            yield node.elt
            for generator in node.generators:
                yield generator.iter
        case ast.Dict():
            yield from node.values
        case _:
            for field in FIELDS.get(node.__class__, ()):
                child = getattr(node, field, None)
                for item in child if isinstance(child, list) else [child]:
                    if isinstance(item, ast.expr):
                        yield item


def _origins_of_name(node: Node, frame: Frame) -> Iterator[Origin]:
    """A name or a place: what was bound to it, and what was stored into it since."""
    found = bindings_at(node, frame.function)
    if found is not None:
        for binding in found:
            yield from _bound(binding, frame)
    elif isinstance(node, ast.Name):
        for binding, outer in owner_bindings(node.id, frame):
            yield from _bound(binding, outer)
    elif isinstance(node, ast.Attribute):
        yield from _written(node, frame)
    if not isinstance(node, ast.Name):
        yield from _entries(node, frame) or [Origin(part, frame) for part in _read_by(node, frame)]
    name = place(node)
    if name is not None:
        line = getattr(node, "lineno", 0)
        bound = [getattr(b.node, "lineno", 0) for b in found or ()]
        since = min(bound) if bound and max(bound) <= line else 0
        for value in values_stored_in(name, frame.function, line, since):
            yield Origin(value, frame)


def _read_by(node: Node, frame: Frame) -> list[Node]:
    """What an attribute or an entry is read of; what `np.c_[x, y]` joins."""
    base = node.value
    if base.__class__ is ast.Attribute and base.attr in _JOINING and isinstance(node, ast.Subscript):
        joiner = evaluate(base, frame)
        if isinstance(joiner, UnknownValue) and joiner.name in JOINERS:
            return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [base]


def _entries(node: Node, frame: Frame) -> list[Origin]:
    """`loaders["train"]`: the values of the entry, if all the dictionaries that it can be read from are written out."""
    if not isinstance(node, ast.Subscript):
        return []
    fixed = bool(frame.overrides) and isinstance(node.slice, ast.Name)  # the variable of a round
    key = evaluate(node.slice, frame) if fixed or isinstance(node.slice, ast.Constant) else None
    if not isinstance(key, LiteralValue):
        return []
    found = [entries.get(key.value) for entries in dictionaries(node.value, frame)]
    return [entry for entry in found if entry is not None] if None not in found else []


def dictionaries(node: Node, frame: Frame) -> list[dict[Constant, Origin]]:
    """The entries of each dictionary that an expression may be, if all of these are written out, `{"lr": 0.1}`,
    `dict(lr=0.1)` or a comprehension of known rounds, with keys that are known; else none."""
    found: list[dict[Constant, Origin]] = []
    for origin in origins(node, frame, through=_carries_dictionary):
        match origin.node:
            case ast.Dict(keys=keys, values=values) if all(isinstance(k, ast.Constant) for k in keys):
                pairs = zip(keys, values, strict=True)
                found.append({k.value: Origin(v, origin.frame) for k, v in pairs if isinstance(k, ast.Constant)})
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=given) if all(k.arg for k in given):
                found.append({k.arg: Origin(k.value, origin.frame) for k in given})
            case ast.DictComp(key=named, value=entry) if rounds := rounds_of(origin.node, origin.frame):
                known = [evaluate(named, inner) for inner in rounds]
                if not all(isinstance(k, LiteralValue) for k in known):
                    return []
                found.append({k.literal: Origin(entry, inner) for k, inner in zip(known, rounds, strict=True)})
            case _ if not _carries_dictionary(origin):
                return []
    return found


def _carries_dictionary(origin: Origin) -> bool:
    """May a dictionary come through it as it is: a name, or a call of the user's?"""
    node = origin.node
    return isinstance(node, (ast.Name, ast.Attribute)) or (
        isinstance(node, ast.Call) and next(results_of(node, origin.frame), None) is not None
    )


def owner_bindings(name: str, frame: Frame) -> Iterator[tuple[Binding, Frame]]:
    """The bindings of a name that no binding of this function reaches: the enclosing functions', then the module's."""
    current: Frame | None = frame
    while current is not None:
        if name in current.function.bindings:
            for binding in current.function.bindings[name]:
                yield binding, current
            return
        current = current.parent
    body = frame.project.frame(frame.module.body)
    for binding in _in_force(name, body.function):
        yield binding, body


def _in_force(name: str, body: FunctionScope) -> list[Binding]:
    """A module's bindings of a name, but for what it was before it was made anew of itself: `names = sorted(names)`."""
    kept: list[Binding] = []
    for binding in body.bindings.get(name, ()):
        if binding.value is not None and any(isinstance(n, ast.Name) and n.id == name for n in walk(binding.value)):
            last = reaching(body).exit.get(name, ())
            kept = [before for before in kept if before in last]
        kept.append(binding)
    return kept


def _written(node: ast.Attribute, frame: Frame) -> Iterator[Origin]:
    """`self.x`: what the methods of the class, or functions that they hand the object to, leave in it."""
    owner = frame.function.owner
    name = place(node)
    if owner is None or name is None or not name.startswith("self."):
        return
    written = [(method, name) for method in owner.methods.values()]
    written += [(part.function, f"{part.own}.{node.attr}") for part in helpers_acting_on(owner) if name.count(".") == 1]
    for function, own in written:
        if own in function.bindings:
            left = reaching(function).exit
            for binding in (left or {}).get(own) or function.bindings[own]:
                yield from _bound(binding, frame.project.frame(function))


def _bound(binding: Binding, frame: Frame) -> Iterator[Origin]:
    """The expressions that a binding binds, unpacked as far as they are written out."""
    if binding.kind == "param":
        yield from _passed(binding.name, frame)
        return
    if binding.kind == "aug":
        yield Origin(binding.value.value, frame)
        yield Origin(binding.value.target, frame)
        return
    value = binding.value
    if binding.kind == "with" and isinstance(value, ast.Call):
        for given, inner in _entered_with(value, frame):
            yield from _unpacked(given, binding.path, inner)
    if binding.kind not in ("assign", "for", "comp") or value is None:
        return
    yield from _unpacked(value, binding.path, frame)


def bound_values(binding: Binding, frame: Frame) -> Iterator[Origin]:
    """What a binding binds, as far as it is written out: also what a function of the user's, or a context manager of
    the user's, gives, and the part of it that a target is unpacked from."""
    for origin in _bound(binding, frame):
        entered = list(results_of(origin.node, origin.frame)) if isinstance(origin.node, ast.Call) else []
        for node, inner in entered or [(origin.node, origin.frame)]:
            yield Origin(resolve_name(node, inner.function), inner)


def _unpacked(value: Node, path: tuple[int | None, ...], frame: Frame) -> Iterator[Origin]:
    """The part that a target is unpacked from: of a tuple, or of one that a function of the user's returns."""
    for position, index in enumerate(path):
        if isinstance(value, (ast.Tuple, ast.List)) and index is not None and index < len(value.elts):
            value = value.elts[index]
            continue
        if isinstance(value, ast.Call):
            inner = list(results_of(value, frame))
            for returned, callee in inner:
                yield from _unpacked(returned, path[position:], callee)
            if inner:
                return
        break
    yield Origin(value, frame)


def results_of(node: ast.Call, frame: Frame) -> Iterator[tuple[Node, Frame]]:
    """What the user's functions that a call enters return, each in the frame of the call."""
    if not may_enter(node, frame):
        return
    for inner in inner_frames(node, frame):
        for statement in reachable_returns(inner):
            if statement.value is not None:
                yield statement.value, inner


def _entered_with(node: ast.Call, frame: Frame) -> Iterator[tuple[Node, Frame]]:
    """What a context manager of the user's that is a generator gives a `with`, in the frame of the call."""
    if not may_enter(node, frame):
        return
    for inner in inner_frames(node, frame):
        if inner.function.is_generator and inner.function.decorated("contextmanager"):
            yield from ((y.value, inner) for y in inner.function.yields if y.value is not None)


def may_enter(node: ast.Call, frame: Frame) -> bool:
    """Can a call enter a function of the user's, by its name: that of a function, or of a variable or an attribute of
    `self` that holds one?"""
    name = last_name(node.func)
    if not name or name in frame.project.reach.own_names():
        return True
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id == "self":
        return name in frame.project.reach.assigned()
    return isinstance(node.func, ast.Name) and any(
        b.kind not in ("import", "from") for b, _ in owner_bindings(name, frame)
    )


def _passed(name: str, frame: Frame) -> Iterator[Origin]:
    if frame.bound is not None:
        yield from _bound_by(frame.bound.get(name), name, frame.function, frame.caller)
        return
    callers = frame.project.callers(frame.function)
    for call, outer in callers:
        found = bind(frame.function, call, outer)[0].get(name)
        yield from _bound_by(found, name, frame.function, (outer, call))
    if callers:
        return
    for node, outer in find_early_bindings(name, frame.function, frame.project):
        yield Origin(node, outer)


def _bound_by(
    given: Bound | None, name: str, function: FunctionScope, caller: tuple[Frame, Node] | None
) -> Iterator[Origin]:
    """What a call passes to a parameter; its part of `pair` where that is opened: `split(*pair)`.

    Args:
        given: what the parameter is bound to.
        name: the parameter.
        function: what is called.
        caller: where the call stands, and the call.
    """
    if isinstance(given, Passed):
        yield Origin(*given)
        return
    frame, call = caller if caller is not None else (None, None)
    if given is None or frame is None or not isinstance(call, ast.Call):
        return
    names = function.positional[function.owner is not None and not function.decorated("staticmethod") :]
    if name not in names:  # `*arrays`
        yield from (Origin(a, frame) for a in call.args[len(names) :])
        return
    position = names.index(name)
    for start, argument in enumerate(call.args[: position + 1]):
        if isinstance(argument, ast.Starred):
            yield from _unpacked(argument.value, (position - start,), frame)
            return


def _origins_of_call(node: ast.Call, frame: Frame) -> Iterator[Origin]:
    """A call: what a function of the user's returns; else its receiver and its arguments."""
    entered = list(results_of(node, frame))
    for value, inner in entered:
        yield Origin(value, inner)
    if entered:
        return
    if isinstance(node.func, ast.Attribute):
        yield Origin(node.func.value, frame)
    for argument in (*node.args, *(k.value for k in node.keywords)):
        yield Origin(argument.value if isinstance(argument, ast.Starred) else argument, frame)


def _samples(node: Node, frame: Frame) -> Iterator[Origin]:
    """Where a dataset of the user's is built: the attributes that its samples are taken from, `self.x[i]`."""
    if not isinstance(node, ast.Call) or last_name(node.func) not in _classes_of_samples(frame.project):
        return
    built = evaluate(node.func, frame)
    item = method(built.cls, "__getitem__") if isinstance(built, ClassValue) else None
    if item is not None and not item.stubbed:
        inner = frame.project.frame(item)
        for read in walk(item.node):
            if isinstance(read, ast.Attribute) and isinstance(read.value, ast.Name) and read.value.id == "self":
                yield Origin(read, inner)


@cached()
def _classes_of_samples(project: Project) -> frozenset[str]:
    """The names of the classes of a project whose objects are indexed."""
    return frozenset(
        s.name for m in project.modules for s in m.scopes if isinstance(s, ClassScope) and "__getitem__" in s.methods
    )


# ------------------------------------------------------------------------------------------------------- statements
@cached_per_scope(local=True)
def statements(function: FunctionScope) -> list[ast.stmt]:
    """All statements of a function, those in nested blocks included, in source order; nested functions are left out."""
    found: list[ast.stmt] = []
    stack: list[Node] = list(reversed(function.body))
    while stack:
        node = stack.pop()
        kind = node.__class__
        if kind in _NESTED:
            continue
        if kind is not ast.ExceptHandler and kind is not ast.match_case:
            found.append(node)
        if kind in _BLOCKS:
            for field in _BLOCKS[kind]:
                stack += getattr(node, field)[::-1]
    return found


@cached_per_scope(local=True)
def with_statements(function: FunctionScope) -> list[ast.With]:
    """The `with` statements of a function, likewise."""
    return [statement for statement in statements(function) if isinstance(statement, ast.With)]


def targets_of(call: Node, function: FunctionScope) -> list[str]:
    """The places that a call's result, or the parts of it, are bound to."""
    target = _assigned_to(function).get(id(call))
    if target is None:
        return []
    return [place(t) or "" for t in (target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target])]


def bindings_of(value: Node, function: FunctionScope) -> list[Binding]:
    """The bindings by which a function binds a value, or parts of it, to places, in the order of the places."""
    return _bindings(function).get(id(value), [])


@cached_per_scope(local=True)
def _bindings(function: FunctionScope) -> dict[int, list[Binding]]:
    """The bindings of a function by the id of what they bind."""
    found: dict[int, list[Binding]] = {}
    for binding in (b for bindings in function.bindings.values() for b in bindings if b.value is not None):
        found.setdefault(id(binding.value), []).append(binding)
    return found


@cached_per_scope(local=True)
def _assigned_to(function: FunctionScope) -> dict[int, Node]:
    """What each value is assigned to first in a function, by the id of the value."""
    found: dict[int, Node] = {}
    for statement in statements(function):
        for target, value in assigned_pairs(statement):
            found.setdefault(id(value), target)
    return found


def targets_outside(node: Node, function: FunctionScope) -> tuple[list[str], FunctionScope]:
    """The places that an expression, or the parts of it, are bound to, and in which function they are.

    Where it is given out at once, `return random_split(rows, sizes)`, they are those of the callers, if all bind it to
    the same ones; [] if it is bound nowhere.
    """
    targets = targets_of(node, function)
    if targets or not any(r.value is node for r in function.returns):
        return targets, function
    found = [
        (targets_of(call, frame.function), frame.function) for call, frame in function.module.project.callers(function)
    ]
    return found[0] if found and all(names == found[0][0] for names, _ in found) else ([], function)


def part_at(value: Node, path: Iterable[int | None]) -> Node:
    """What a name gets of `a, b = x, y`: the part of a value at a path; None where that is not written out."""
    for index in path:
        if not isinstance(value, (ast.Tuple, ast.List)) or index is None or index >= len(value.elts):
            return None
        value = value.elts[index]
    return value


def resolve_name(node: Node, function: FunctionScope) -> Node:
    """The expression that a name is bound to here, alone or as one of `a, b = x, y`, if one binding reaches it; else
    the node."""
    found = (bindings_at(node, function) or ()) if isinstance(node, ast.Name) else ()
    bound = bound_expression(found[0]) if len(found) == 1 and found[0].kind == "assign" else None
    return bound if bound is not None else node


def values_stored_in(name: str, function: FunctionScope, before: int, since: int = 0) -> list[Node]:
    """What is stored into a container or frame between two lines: `df[c] = v`, `df.loc[:, c] = v`, `xs.append(v)`.

    Args:
        name: the container or frame.
        function: where it is stored into.
        before: the line before which it is.
        since: the line from which on it is.
    """
    if isinstance(function.node, ast.Lambda):
        return []
    return [value for line, value in _stored(function).get(name, ()) if since <= line <= before]


@cached_per_scope()
def _stored(function: FunctionScope) -> dict[str, list[tuple[int, ast.expr]]]:
    """What is stored into each container or frame of a function, and on which line."""
    found: dict[str, list[tuple[int, ast.expr]]] = {}
    for stored_in, line, value in _stores(function):
        found.setdefault(stored_in, []).append((line, value))
    return found


def _stores(function: FunctionScope) -> Iterator[tuple[str, int, Node]]:
    """The container, the line and the value of each store in a function."""
    for statement in statements(function):
        for target, value in assigned_pairs(statement):
            name = place(target.value) if isinstance(target, ast.Subscript) else None
            if name is not None:
                yield name, statement.lineno, value
                if name.endswith((".loc", ".iloc")):
                    yield name.rpartition(".")[0], statement.lineno, value
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=base, attr=word), args=[*_, value])):
                if word in _ADDING:
                    yield from ((name, statement.lineno, value) for name in places(base))


def is_same_place(a: Node, b: Node, frame: Frame) -> bool:
    """Do two expressions of one function name the same place, with the same bindings reaching it?

    Args:
        a: one expression.
        b: the other one.
        frame: where both stand.
    """
    name = place(a)
    if name is None or name != place(b):
        return False
    at = reaching(frame.function).at
    return bool(_base(a, at) == _base(b, at))


def _base(node: Node, at: dict[int, tuple[Binding, ...]]) -> tuple[Binding, ...] | None:
    found = at.get(id(node))
    if found is None and isinstance(node, (ast.Attribute, ast.Subscript)):
        return _base(node.value, at)
    return found
