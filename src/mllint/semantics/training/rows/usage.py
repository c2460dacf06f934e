"""Is a part of the data read at all, and what was bound next to it?

    train_loader, val_loader = ...
    evaluate(model, train_loader)         # nobody reads `val_loader`: it was meant

Whoever binds two parts and reads only one of them took it twice. The names say which part is which (`roles`); that the
other one lies unused is the second fact, which a name alone never is. A place is read where anything but its length,
its columns or itself (`rows = moved(rows)`, also in part: `rows.x = moved(rows.x)`) is taken of it.

An attribute is looked for in all methods of its class and of those that inherit from it, and wherever it is read of
another object.

What is handed in lies unread if its counterpart does in every caller, and what a closure sees if it does around it.

Unknown: what a file imports with `*` from here, and other places that are handed in. These count as read.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_expression
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.roles import Role, rest_of_name, rows_by_name
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.classes import heirs
from mllint.semantics.values.lineage import bindings_of, targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.flow.views import Call
    from mllint.semantics.syntax.module import Binding

__all__ = [
    "HELD_OUT", "TEST", "TRAINING", "TRAINING_CALLS", "VALIDATION", "homes", "is_held_out_unused",
    "is_kept_part_unused", "is_only_loaded", "is_only_shown", "is_read", "is_split_unused", "parts_of",
    "unread_arguments", "unread_counterparts", "unread_outside",
]  # fmt: skip

TRAINING, VALIDATION, TEST = (Role.TRAINING_ROWS,), (Role.VALIDATION_ROWS,), (Role.TEST_ROWS,)
HELD_OUT = (*VALIDATION, *TEST, Role.HELD_OUT_ROWS)
"""The parts of the data, as sets of roles that a name may speak of."""
_ABOUT = frozenset("dataset collate_fn batch_size sampler batch_sampler num_workers classes shape columns".split())
_ASKING = frozenset("len prepare print isinstance type hasattr callable id".split())
_FITTING = frozenset("fit fit_transform fit_predict cross_val_score cross_validate fit_generator".split())
TRAINING_CALLS = frozenset("backward train Trainer minimize".split())
_SHOWING = frozenset("len print type iter display".split())
_BINDING = frozenset(("assign", "param", "for"))
_NONE: frozenset[str] = frozenset()


def unread_counterparts(
    name: str, own: tuple[Role, ...], function: FunctionScope, other: tuple[Role, ...], *, handed: bool = False
) -> Iterator[str]:
    """The places that are named like a place but for the part of the data, and never read.

    Args:
        name: the place.
        own: the parts that it may be named for.
        function: where it is used.
        other: the parts that its counterpart may be named for.
        handed: whether parameters and variables of loops count as well as what is assigned.

    Yields:
        Their names.
    """
    wanted = rest_of_name(name, *own)
    scopes = homes(name, function) if wanted is not None else ()
    for found, bindings in (item for scope in scopes for item in scope.bindings.items()):
        if rest_of_name(found, *other) == wanted and _is_bound_by(bindings, handed=handed):
            if not any(is_read(found, scope) for scope in scopes) and not _is_read_outside(found, function):
                yield found


def unread_outside(
    name: str, own: tuple[Role, ...], function: FunctionScope, other: tuple[Role, ...], depth: int = 2
) -> str | None:
    """The counterpart of a place that lies unread where the place comes from: in every caller that hands it in, or in
    the function around a closure. The arguments are those of `unread_counterparts`."""
    found, home = function.bindings.get(name, ()), function.parent
    handed = _handed_to_constructor(name, function)
    if handed is not None and depth:
        return unread_outside(handed[1], own, handed[0], other, depth - 1)
    if not found and isinstance(home, FunctionScope) and not home.is_body and depth:
        spare = next(unread_counterparts(name, own, home, other, handed=True), None)
        return spare or unread_outside(name, own, home, other, depth - 1)
    project = function.module.project
    if not found or any(b.kind != "param" for b in found):
        return None
    spares = []
    for call, frame in project.callers(function):
        given = bind(function, call, frame)[0].get(name)
        part = place(given.node) if isinstance(given, Passed) and given.frame is frame else None
        if part is None or rows_by_name(part) is not rows_by_name(name):
            return None
        spares.append(next(unread_counterparts(part, own, frame.function, other, handed=True), None))
    return spares[0] if spares and None not in spares else None


def _handed_to_constructor(name: str, function: FunctionScope) -> tuple[FunctionScope, str] | None:
    """The constructor of the object, and its parameter that an attribute is bound to, and never to anything else."""
    owner = function.owner
    if owner is None or not name.startswith("self.") or function.name == "__init__":
        return None
    bound = [(m, b) for m in owner.methods.values() for b in m.bindings.get(name, ())]
    match bound:
        case [(FunctionScope(name="__init__") as made, binding)] if binding.kind == "assign":
            value = bound_expression(binding)
            return (made, value.id) if isinstance(value, ast.Name) else None
    return None


def _is_read_outside(name: str, function: FunctionScope) -> bool:
    """Is an attribute of the object read elsewhere: by a method of a class that inherits from its own, or of another
    object, `trainer.val_loader`?"""
    owner, project = function.owner, function.module.project
    if owner is None or not name.startswith("self."):
        return False
    attribute, family = name.removeprefix("self."), {id(owner), *map(id, heirs(owner, project))}
    readers = (m for m in project.modules if m.source.holds(f".{attribute}"))
    return any(
        n.attr == attribute and (id(f.owner) in family or place(n.value) != "self")
        for f in (f for m in readers for f in m.functions if f.owner is not owner)
        for s in f.body
        for n in walk(s)
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
    )


def _is_bound_by(bindings: list[Binding], *, handed: bool) -> bool:
    """Is a place assigned, on some path at least, or handed in or drawn by a loop where that counts as well?"""
    kinds = {b.kind for b in bindings} - {"del"}
    return "assign" in kinds and kinds <= _BINDING if not handed else bool(kinds) and kinds <= _BINDING


def homes(name: str, function: FunctionScope) -> tuple[FunctionScope, ...]:
    """Where a place is bound and may be read: the function, the file for a global, all methods for `self.x`."""
    owner = function.owner
    if owner is not None and name.startswith("self."):
        return tuple(owner.methods.values())
    if name in function.bindings or function.is_body or "." in name:
        return (function,)
    return (function.module.body,)


def is_read(name: str, function: FunctionScope) -> bool:
    """Whether anything in a function reads a place, other than its length, whether it is there, or for itself."""
    plain = name.isidentifier()
    return any(
        name not in read.assigned and name not in read.parameters and not (plain and read.is_attribute)
        for read in _reads(function).get(name.rpartition(".")[2], ())
    )


class _Read(NamedTuple):
    """Where a function reads a place.

    Args:
        is_attribute: whether it is read from something else: `x.rows`.
        assigned: the only place that what is read there is assigned to, and what that is a part of:
            `rows = moved(rows)` reads them for itself.
        parameters: those of the nested function around it, whose names are something else there.
    """

    is_attribute: bool
    assigned: tuple[str, ...]
    parameters: frozenset[str]


@cached_per_scope(local=True)
def _reads(function: FunctionScope) -> dict[str, list[_Read]]:
    """Where a function reads places, other than to ask about them, by the last part of their names."""
    about = {id(a) for c in function.calls if last_name(c.func) in _ASKING for a in c.args}
    collating = (k.value for c in function.calls for k in c.keywords if k.arg == "collate_fn")
    about.update(id(value.value) for value in collating if isinstance(value, ast.Attribute))
    assigned: dict[int, tuple[str, ...]] = {}
    found: dict[str, list[_Read]] = {}
    for statement in function.body:
        own = frozenset(n.arg for n in _parameters(statement)) if isinstance(statement, ast.FunctionDef) else _NONE
        for node in walk(statement):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                whole = tuple(_wholes(node.targets[0]))
                assigned.update((id(n), whole) for part in (node.targets[0], node.value) for n in walk(part))
            elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
                about.add(id(node.left))
            elif isinstance(node, (ast.If, ast.IfExp)):
                about.update(id(n) for n in _asked(node.test))
            elif isinstance(node, ast.Attribute) and node.attr in _ABOUT:
                about.add(id(node.value))
            if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load):
                if id(node) not in about:
                    read = _Read(isinstance(node, ast.Attribute), assigned.get(id(node), ()), own)
                    found.setdefault((place(node) or "").rpartition(".")[2], []).append(read)
    return found


def _wholes(target: Node) -> Iterator[str]:
    """The place of a target, and those of what it is a part of: `rows` of `rows.x` and of `rows[mask]`."""
    while True:
        if (name := place(target)) is not None:
            yield name
        if not isinstance(target, (ast.Attribute, ast.Subscript)):
            return
        target = target.value


def _asked(test: Node) -> list[Node]:
    """What a test asks for by its truth, `if rows and not done`: whether it is there."""
    if isinstance(test, ast.BoolOp):
        return [n for value in test.values for n in _asked(value)]
    return _asked(test.operand) if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else [test]


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    return [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]


# ------------------------------------------------------------------------------------------------------- of a split
def is_split_unused(call: Call) -> bool:
    """Whether what a split gives is never read, other than its size, although a model is fitted below."""
    function, names = call.function, _unpacked(call)
    if not names or any(not name.isidentifier() for name in names):
        return False
    if not _is_fitted_below(call):
        return False
    return not _is_imported(names, call) and not any(is_read(name, function) for name in names)


def is_held_out_unused(call: Call) -> bool:
    """Whether what a split holds out is never read, every second part of its result, although something is trained."""
    function, parts = call.function, parts_of(call)
    held_out = [name for at, name in parts.items() if at % 2]
    if not held_out or not all(name.isidentifier() for name in parts.values()) or _is_imported(held_out, call):
        return False
    trains = _is_fitted_below(call) or not function.called_names.isdisjoint(TRAINING_CALLS)
    return trains and not any(is_read(name, function) for name in held_out)


def is_kept_part_unused(call: Call) -> bool:
    """Whether what a split keeps for training is never read, every first part of its result."""
    parts = parts_of(call)
    kept = [name for at, name in parts.items() if not at % 2]
    if not kept or not all(name.isidentifier() for name in parts.values()) or _is_imported(kept, call):
        return False
    return not any(is_read(name, call.function) for name in kept)


def _is_fitted_below(call: Call) -> bool:
    below: bool = _last_fit(call.function) > call.node.lineno
    return below


@cached_per_scope(local=True)
def _last_fit(function: FunctionScope) -> int:
    """The last line on which a function fits something; 0 if it does not."""
    return max((c.lineno for c in function.calls_to(_FITTING)), default=0)


def unread_arguments(call: Call) -> set[int]:
    """Which arguments a split divides for nothing, by their place: these are never read, but a model is fitted."""
    function, parts = call.function, parts_of(call)
    if len(parts) < 4 or any(not name.isidentifier() for name in parts.values()):  # the parts of the answers as well
        return set()
    if not _is_fitted_below(call):
        return set()
    read = {at // 2 for at, name in parts.items() if is_read(name, function)}
    unread = {at // 2 for at in parts} - read
    return set() if not read or _is_imported([parts[at] for at in parts if at // 2 in unread], call) else unread


def parts_of(call: Call) -> dict[int, str]:
    """The names that the parts of a call's result are unpacked into, by their place."""
    bound = bindings_of(call.node, call.function)
    return {b.path[0]: b.name for b in bound if len(b.path) == 1 and b.path[0] is not None}


def is_only_loaded(call: Call) -> bool:
    """Whether all parts of a split, in a script, are put into loaders, or divided again, and all that is only shown."""
    names = _unpacked(call)
    found = _only_shown(names, call)
    used = {n.id for n in call.function.nodes_of(ast.Name) if isinstance(n.ctx, ast.Load)}
    return found is not None and (len(found) > len(names) or not used.isdisjoint(names))


def is_only_shown(call: Call) -> bool:
    """Whether a dataset of a script that trains, or of a notebook, is only looked at: counted, shown, put into loaders
    that are shown."""
    notebook = call.module.source is not None and call.module.source.cells is not None
    if not notebook and "backward" not in call.module.calls_by_name:
        return False
    names = targets_of(call.node, call.function)
    return bool(names) and _only_shown(names, call) is not None


def _unpacked(call: Call) -> list[str]:
    """The names that the parts of a call's result are unpacked into."""
    return [b.name for b in bindings_of(call.node, call.function) if b.path]


def _is_imported(names: list[str], call: Call) -> bool:
    """Whether another file may import one of some names of a script."""
    others = (m for m in call.project.modules if call.function.is_body and m is not call.module)
    return any(m.stars or any(b.kind == "from" for n in names for b in m.body.bindings.get(n, ())) for m in others)


def _only_shown(names: list[str], call: Call) -> list[str] | None:
    """Names of a script, and those of their loaders, if all of these are only shown; None otherwise."""
    function, loaders = call.function, list(names)
    if not function.is_body or not names or call.module.stars or _is_imported(names, call):
        return None
    for name in loaders:
        if not name.isidentifier() or len(function.bindings.get(name, ())) != 1:
            return None
        if not all(_shows(name, s, loaders) for s in call.module.functions if s.is_body or name not in s.bindings):
            return None
    return loaders


def _shows(name: str, scope: FunctionScope, loaders: list[str]) -> bool:
    """Whether a scope no more than shows what a name stands for. What loads it is added to the list."""
    if isinstance(scope.node, ast.Lambda):
        return True
    shown: set[int] = set()
    own = [s for s in scope.body if not isinstance(s, (ast.FunctionDef, ast.ClassDef))]
    for node in (n for statement in own for n in walk(statement)):
        match node:
            case ast.Call(func=func, args=args) if last_name(func) in _SHOWING:
                shown.update(id(a) for a in args)
            case ast.Call(func=func, args=args, keywords=keywords) if last_name(func) == "DataLoader":
                given = [*args[:1], *(k.value for k in keywords if k.arg == "dataset")]
                bound = targets_of(node, scope) if any(place(g) == name for g in given) else []
                loaders += [b for b in bound if b not in loaders]
                shown.update(id(g) for g in given if bound)
            case ast.Call(func=func, args=args) if last_name(func) == "train_test_split":
                bound = targets_of(node, scope) if any(place(a) == name for a in args) else []
                loaders += [b for b in bound if b not in loaders]
                shown.update(id(a) for a in args if bound)
            case ast.Attribute(value=value) | ast.FormattedValue(value=value) | ast.Expr(value=value):
                shown.update(map(id, (value, *(value.elts if isinstance(value, ast.Tuple) else ()))))
            case ast.Subscript(value=value, slice=ast.Constant()):
                shown.add(id(value))
    used = (n for s in own for n in walk(s) if isinstance(n, ast.Name) and n.id == name)
    return all(id(n) in shown for n in used if isinstance(n.ctx, ast.Load))
