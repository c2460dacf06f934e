"""Is it text, so that its hash differs in each process, and with it the order of a set?

    hash(str(row["id"])) % 10        # text by its making: USED
    hash(name) % 10                  # text if `name` is split or declared so, by its name only NAMED

The making, the declaration and the use of a value answer first. What counts (`int`, `len`, an encoder) gives numbers,
whatever the names around it say.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import FunctionView
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.values.lineage import Origin, origins

__all__ = ["LISTINGS", "holds_strings", "is_listing", "string_evidence"]

LISTINGS = ("listdir", "glob", "iglob", "rglob", "iterdir", "scandir")
"""The calls that list files."""
_TEXTUAL = frozenset(
    "split read readlines lower upper strip read_text splitlines listdir glob iterdir decode basename".split()
)
_COPYING = frozenset("sorted list tuple set frozenset reversed enumerate tqdm iter".split())
_TABLES = ("dict", "mapping", "callable", "literal")
_OF_STRINGS = frozenset("split rsplit lower upper strip startswith endswith partition rpartition encode".split())
"""Methods that only strings (and bytes) have."""


def string_evidence(given: Node, function: FunctionView) -> Answer[bool] | None:
    """How well it is known that an expression is a string: by its making or its declaration, or by a name."""
    origin, because = Origin(given, function.frame), (Site(function.module, given),)
    if holds_strings(origin, guess=False) or _is_made_text(given, function):
        return Answer(True, Evidence.USED, because)
    return Answer(True, Evidence.NAMED, because) if holds_strings(origin) or _is_named_file(given, function) else None


def holds_strings(origin: Origin, *, guess: bool = True) -> bool:
    """Are the elements strings: was text read, split or written out on the way, and nothing counted?

    Args:
        origin: the sequence.
        guess: whether a name on the way may say so.
    """
    stop = ("int", "len", "float", "ord", "hash", "round")
    steps = list(origins(origin.node, origin.frame, through=lambda o: not _converts_to_numbers(o, stop)))
    if any(_is_encoding_call(step) for step in steps):
        return False  # whatever the names say that they have since
    if any(map(_is_written, origins(origin.node, origin.frame, through=_gives_elements))):
        return True
    for step in steps:
        if isinstance(step.node, ast.Call) and last_name(step.node.func) in _TEXTUAL:
            return True
        if isinstance(step.node, ast.Attribute) and step.node.attr in ("name", "stem", "suffix"):
            if step.node is origin.node and any(is_listing(o) for o in _behind(step)):
                return True
        name = last_name(step.node) if isinstance(step.node, (ast.Name, ast.Attribute)) else ""
        if guess and topics.is_about(name, Topic.TEXT) and not topics.is_about(name, Topic.TEXT_NUMBERS):
            return True
    return False


def _gives_elements(origin: Origin) -> bool:
    """Are the elements of an expression those of what is behind it: a name, a display, a comprehension, a copy?"""
    if isinstance(origin.node, ast.Call):
        return last_name(origin.node.func) in _COPYING
    return isinstance(
        origin.node, (ast.Name, ast.List, ast.Tuple, ast.Set, ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.Starred)
    )


def _is_written(origin: Origin) -> bool:
    """Is text written out or put together here, or declared by the annotation of a parameter, `names: list[str]`?"""
    match origin.node:
        case ast.JoinedStr() | ast.Constant(value=str()) | ast.Call(func=ast.Name(id="str")):
            return True
        case (
            ast.Call(func=ast.Attribute(attr="astype"), args=[ast.Name(id="str") | ast.Constant(value="str")])
            | ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="str"), _])
        ):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()), attr="format" | "join")):
            return True
        case ast.Name(id=name):
            parameter = origin.frame.function.parameter(name)
            bound = bound_at(origin.node, origin.frame.function)
            return (
                parameter is not None
                and all(b.kind == "param" for b in bound)
                and _is_sequence_of_strings(parameter.annotation)
            )
    return False


def _is_sequence_of_strings(annotation: Node) -> bool:
    """Is it `list[str]`, `Sequence[str]`, `tuple[str, ...]`?"""
    inner = annotation.slice if isinstance(annotation, ast.Subscript) else None
    inner = inner.elts[0] if isinstance(inner, ast.Tuple) and inner.elts else inner
    return isinstance(inner, ast.Name) and inner.id == "str" and last_name(annotation.value).lower() not in _TABLES


def _behind(origin: Origin) -> list[Origin]:
    """What the object of `path.parent.name` was computed from."""
    node = origin.node
    while isinstance(node, ast.Attribute):
        node = node.value
    return list(origins(node, origin.frame))


def is_listing(origin: Origin) -> bool:
    """Is it a listing of files, in whatever order?"""
    node = origin.node
    return isinstance(node, ast.Call) and last_name(node.func) in LISTINGS


def _converts_to_numbers(origin: Origin, names: tuple[str, ...]) -> bool:
    """Is it a number, or a list of such: `int(x)`, `[int(x) for x in text]`, `map(int, text)`?"""
    node = origin.node
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        node = node.elt
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    mapped = last_name(node.args[0]) if name == "map" and node.args else ""
    return any(n in names for n in (name, mapped)) or _is_encoding_call(origin)


def _is_encoding_call(origin: Origin) -> bool:
    """Is it a call that turns words into their numbers: `vocabulary.convert_to_ids(words)`?"""
    return isinstance(origin.node, ast.Call) and topics.is_about(last_name(origin.node.func), Topic.ENCODING)


def _is_made_text(given: Node, function: FunctionView) -> bool:
    """Is it text by its making (`str(x)`), or a parameter that is declared so, or used as one: `name.split("_")`?"""
    if isinstance(given, ast.JoinedStr) or (isinstance(given, ast.Call) and last_name(given.func) == "str"):
        return True
    if not isinstance(given, ast.Name):
        return False
    parameter = function.scope.parameter(given.id)
    if parameter is not None and isinstance(parameter.annotation, ast.Name):
        return parameter.annotation.id == "str"
    methods = (c.func for c in function.scope.calls if isinstance(c.func, ast.Attribute) and c.func.attr in _OF_STRINGS)
    return any(isinstance(f.value, ast.Name) and f.value.id == given.id for f in methods)


def _is_named_file(given: Node, function: FunctionView) -> bool:
    """Is it a file name by what it, or what it is drawn from, is called?"""
    if (
        isinstance(given, ast.Subscript)
        and isinstance(given.slice, ast.Constant)
        and isinstance(given.slice.value, str)
    ):
        return _names_file(given.slice.value)
    names = [last_name(o.node) for o in origins(given, function.frame) if isinstance(o.node, (ast.Name, ast.Attribute))]
    return any(map(_names_file, names))


def _names_file(name: str) -> bool:
    return topics.is_about(name, Topic.FILES)
