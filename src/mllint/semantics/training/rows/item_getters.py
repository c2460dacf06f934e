"""What does the `__getitem__` of a dataset do with the index that it is given?

A loader that keeps the stored order keeps no order where the dataset draws its samples itself, generates them, or does
not look at the index at all. One that cuts windows out of a series gives neighbours that overlap.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from mllint.semantics.libraries.tensor_methods import DRAWS
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, assigned_pairs, last_name, names_in, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.values.lineage import statements

__all__ = ["chooses_sample_itself", "generates_seeded_samples", "gives_drawn_rows", "reads_index"]

_FILLED = frozenset("zeros ones full zeros_like ones_like full_like".split())
_OPENING = frozenset("imread open read_image load_img pil_loader default_loader load_image imdecode".split())


def generates_seeded_samples(getter: FunctionScope) -> bool:
    """True if `getter` draws its samples, from a seed that the index says, so that no order is any other."""
    index = getter.parameters[1].name if len(getter.parameters) > 1 else ""
    drawn = any(last_name(c.func) in DRAWS for c in getter.calls)
    seeds = [c for c in getter.calls if last_name(c.func) in ("seed", "manual_seed", "default_rng", "RandomState")]
    return drawn and any(isinstance(n, ast.Name) and n.id == index for c in seeds for a in c.args for n in walk(a))


def gives_drawn_rows(getter: FunctionScope, methods: Iterable[FunctionScope]) -> bool:
    """True if all that `getter` reads at the index was drawn at random as a whole by one of the `methods` of the class,
    next to constants: any order is as good as the stored one."""
    index = getter.parameters[1].name if len(getter.parameters) > 1 else ""
    read = [n for n in getter.nodes_of(ast.Subscript) if isinstance(n.slice, ast.Name) and n.slice.id == index]
    rows = {place(n.value) for n in read}
    chosen = {id(n.slice) for n in read}
    if not rows or any(n.id == index and id(n) not in chosen for n in getter.nodes_of(ast.Name)):
        return False
    stored = [(t, v) for m in methods for s in statements(m) for t, v in assigned_pairs(s)]
    if any(isinstance(t, ast.Subscript) and place(t.value) in rows for t, _ in stored):
        return False  # filled row by row
    made = [(place(t), last_name(v.func) if isinstance(v, ast.Call) else "") for t, v in stored if place(t) in rows]
    drawn = any(name in DRAWS for _, name in made)
    return drawn and {row for row, _ in made} == rows and all(name in DRAWS | _FILLED for _, name in made)


def reads_index(function: FunctionScope) -> bool:
    """True if `function` reads the index that it is given. One that does not gives the same whatever the order."""
    given = function.parameters[1].name if len(function.parameters) > 1 else ""
    return any(isinstance(n, ast.Name) and n.id == given for n in walk(function.node))


def chooses_sample_itself(getter: FunctionScope) -> bool:
    """True if `getter` draws which sample it gives, or cuts windows out of a series at its index."""
    indices = {p.name for p in getter.parameters[1:2]}
    drawn: set[str] = set()
    nodes = [n for s in statements(getter) for n in walk(s)]
    for node in nodes:
        if isinstance(node, ast.Assign):
            targets = {n.id for t in node.targets for n in walk(t) if isinstance(n, ast.Name)}
            read = {n.id for n in walk(node.value) if isinstance(n, ast.Name)}
            indices |= targets if read & indices and not _reads_item(node.value) else set()
            drawn |= targets if _has_random_call(node.value) else set()
    samples = _samples(nodes)
    for node in (n for n in nodes if isinstance(n, ast.Subscript)):
        if isinstance(node.value, ast.Name) and node.value.id in samples:
            continue  # cropped, after it was read
        sliced = isinstance(node.slice, ast.Slice)
        read = {n.id for n in walk(node.slice) if isinstance(n, ast.Name)}
        if (sliced and read & indices) or read & drawn or _has_random_call(node.slice):
            return True
    return False


def _samples(nodes: list[Node]) -> set[str]:
    """The names that are only ever bound to what calls give, of something read by `self`, or to parts of themselves."""
    bound: dict[str, list[Node]] = {}
    for node in nodes:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            bound.setdefault(node.targets[0].id, []).append(node.value)
    opened = {name for name, values in bound.items() if any(_contains_open_call(v) for v in values)}
    return {name for name in opened if all(_contains_open_call(v) or name in names_in(v) for v in bound[name])}


def _contains_open_call(node: Node) -> bool:
    """Does a call open a file, so that it gives one sample and no series?"""
    called = [last_name(n.func) for n in walk(node) if isinstance(n, ast.Call)]
    return any(name in _OPENING for name in called)


def _has_random_call(node: Node) -> bool:
    return any(isinstance(n, ast.Call) and topics.is_about(last_name(n.func), Topic.RANDOMNESS) for n in walk(node))


def _reads_item(node: Node) -> bool:
    """Is something read by the index here, so that what comes back is a sample and no index?"""
    return any(isinstance(n, (ast.Subscript, ast.Call)) for n in walk(node))
