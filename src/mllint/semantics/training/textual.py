"""Is it text, so that its hash differs in each process, and with it the order of a set?"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.views import FunctionView as Function
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import last_name
from mllint.semantics.syntax.names import reaching
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.values.lineage import Origin, origins, owner_bindings

__all__ = ["LISTINGS", "called_text", "is_element", "is_listing", "of_text"]

_TEXTUAL = frozenset(
    "split read readlines lower upper strip read_text splitlines listdir glob iterdir decode basename".split()
)
LISTINGS = ("listdir", "glob", "iglob", "rglob", "iterdir", "scandir")


def of_text(origin: Origin) -> bool:
    """Are the elements strings: was text read, split or written out on the way, and nothing counted?"""
    stop = ("int", "len", "float", "ord", "hash", "round")
    steps = list(origins(origin.node, origin.frame, through=lambda o: not _counts(o, stop)))
    if any(_encoded(step) for step in steps):
        return False  # whatever the names say that they have since
    for step in steps:
        if isinstance(step.node, ast.Call) and last_name(step.node.func) in _TEXTUAL:
            return True
        if isinstance(step.node, ast.Constant) and isinstance(step.node.value, str) and step.node is origin.node:
            return True
        if isinstance(step.node, ast.Attribute) and step.node.attr in ("name", "stem", "suffix"):
            if step.node is origin.node and any(is_listing(o) for o in _behind(step)):
                return True
        name = last_name(step.node) if isinstance(step.node, (ast.Name, ast.Attribute)) else ""
        if topics.is_about(name, Topic.TEXT) and not topics.is_about(name, Topic.TEXT_NUMBERS):
            return True
    return False


def _behind(origin: Origin) -> list[Origin]:
    """What the object of `path.parent.name` was computed from."""
    node = origin.node
    while isinstance(node, ast.Attribute):
        node = node.value
    return list(origins(node, origin.frame))


def is_element(node: Any, function: Function) -> bool:
    """Is it one element of a listing or a set, `for name in os.listdir(folder)`: a text, whose order is defined?"""
    if not isinstance(node, ast.Name):
        return False
    found = reaching(function.scope).at.get(id(node))
    bound = list(found) if found is not None else [b for b, _ in owner_bindings(node.id, function.frame)]
    return bool(bound) and all(b.kind in ("for", "comp") and _lists_texts(b.value, function) for b in bound)


def _lists_texts(iterated: Any, function: Function) -> bool:
    """Is it a listing of files or a set, copied or sorted perhaps, and nothing that was gathered of such?"""
    steps = origins(iterated, function.frame, through=_hands_on)
    ends = [o.node for o in steps if not _hands_on(o)]
    made = [last_name(n.func) if isinstance(n, ast.Call) else "set" if isinstance(n, ast.SetComp) else "" for n in ends]
    return bool(made) and all(name == "set" or name in LISTINGS for name in made)


def _hands_on(origin: Origin) -> bool:
    """A name, or a call that gives the same elements."""
    node = origin.node
    if isinstance(node, ast.Call):
        return last_name(node.func) in _SAME
    return isinstance(node, (ast.Name, ast.Attribute))


_SAME = frozenset("sorted list tuple reversed enumerate tqdm iter".split())


def is_listing(origin: Origin) -> bool:
    """Is it a listing of files, in whatever order?"""
    node = origin.node
    return isinstance(node, ast.Call) and last_name(node.func) in LISTINGS


def _counts(origin: Origin, names: tuple[str, ...]) -> bool:
    """Is it a number, or a list of such: `int(x)`, `[int(x) for x in text]`, `map(int, text)`?"""
    node = origin.node
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        node = node.elt
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    mapped = last_name(node.args[0]) if name == "map" and node.args else ""
    return any(n in names for n in (name, mapped)) or _encoded(origin)


def _encoded(origin: Origin) -> bool:
    """Is it a call that turns words into their numbers: `vocabulary.convert_to_ids(words)`?"""
    return isinstance(origin.node, ast.Call) and topics.is_about(last_name(origin.node.func), Topic.ENCODING)


def called_text(given: Any, function: Function) -> bool:
    """Is it text by its making (`str(x)`), or a parameter that is declared so, or a file name by what it, or what it
    is drawn from, is called?"""
    match given:
        case ast.JoinedStr() | ast.Call(func=ast.Name(id="str")):
            return True
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return _names_file(key)
    parameter = function.scope.parameter(given.id) if isinstance(given, ast.Name) else None
    if parameter is not None and isinstance(parameter.annotation, ast.Name):
        return parameter.annotation.id == "str"
    names = [last_name(o.node) for o in origins(given, function.frame) if isinstance(o.node, (ast.Name, ast.Attribute))]
    return any(map(_names_file, names))


def _names_file(name: str) -> bool:
    return topics.is_about(name, Topic.FILES)
