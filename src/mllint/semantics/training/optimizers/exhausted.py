"""Is an iterator of parameters read before an optimizer, or a clip, gets it?

A generator gives each element once. Where one is read before an optimizer gets it, nothing, or a part, is left:

    trainable = filter(lambda p: p.requires_grad, net.parameters())
    print(sum(p.numel() for p in trainable))   # `find_exhausted_generators`
    optimizer = Adam(trainable)

Only a name that is bound once, to what is surely a generator, and a use of it that surely comes before, say anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import Creates
from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import OPTIMIZER
from mllint.semantics.libraries.tensor_methods import LISTS_PARAMETERS
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, iterable_of, last_name, place, walk
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, may_enter, origins
from mllint.semantics.values.values import Site

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow

__all__ = ["find_exhausted_generators", "find_reader_of_clipped"]

_READERS = frozenset("sum list tuple sorted set max min any all next enumerate zip len dict frozenset".split())
_GIVING = frozenset("filter map chain from_iterable islice iter".split())
_JOINING = frozenset("list tuple chain dict".split())


class _Read(NamedTuple):
    """A place at which all of a generator, or the first of it, is read, and the expression by which it is named."""

    node: Node
    source: Node


def find_exhausted_generators(made: Call) -> Iterator[tuple[str, Site]]:
    """The generators that an optimizer is given and that were read above: the name, and where it is read.

    The way from the optimizer leads through groups, lists that are joined, and functions that make or pass the groups.
    """
    given = made.argument("params") or (made.arguments[0] if made.arguments else None)
    found: set[tuple[str, int]] = set()
    for origin in origins(given.node, given.frame, through=_leads_on) if given is not None else ():
        name, function = place(origin.node), id(origin.frame.function)
        read = _find_read_before(name, origin, made) if name is not None and (name, function) not in found else None
        if name is not None and read is not None:
            found.add((name, function))
            yield name, Site(origin.frame.module, read)


def _leads_on(origin: Origin) -> bool:
    """May parameters come through an expression in which they are named, as they are or among others?"""
    node = origin.node
    if isinstance(node, ast.Call):
        return last_name(node.func) in _JOINING or may_enter(node, origin.frame)
    return isinstance(
        node, (ast.Name, ast.List, ast.Tuple, ast.Dict, ast.Starred, ast.IfExp, ast.BinOp, ast.ListComp)
    ) or (isinstance(node, ast.Attribute) and place(node) in origin.frame.function.bindings)


def _find_read_before(name: str, use: Origin, made: Call) -> Node | None:
    """Where a generator is read before it is used on the way to an optimizer.

    Args:
        name: its name.
        use: where it is named on that way, which may read it itself: `[p for p in params]`.
        made: where the optimizer is built.
    """
    function = use.frame.function
    bound = function.bindings.get(name, ())
    if len(bound) != 1 or bound[0].kind != "assign" or bound[0].path or not _is_generator(bound[0].value, use.frame):
        return None
    first = getattr(bound[0].node, "lineno", 0)
    reads = [r for r in _reads(name, use.frame) if r.node is not made.node]
    own = next((r.node for r in reads if r.source is use.node), None)
    anchor = own or (made.node if function is made.function else use.node)
    last = anchor.lineno
    if own is None and function is not made.function and _is_left_by(use.frame, made.frame):
        last = function.node.end_lineno or last  # what it returns is read after it has ended
    for read, _ in reads:
        if read is not own and first <= read.lineno < last and not _on_a_branch(read, anchor, function):
            return read
    return None


def _is_left_by(inner: Frame, frame: Frame) -> bool:
    """Was a function entered by a call that stands in another one?"""
    while inner.caller is not None:
        inner = inner.caller[0]
        if inner is frame:
            return True
    return False


def _is_generator(value: Node, frame: Frame) -> bool:
    """Is it `(p for p in ...)`, `filter(...)`, or `model.parameters()`, unless a class of the user's gives a list?"""
    match value:
        case ast.GeneratorExp():
            return True
        case ast.IfExp(body=body, orelse=other):
            return _is_generator(body, frame) and _is_generator(other, frame)
        case ast.Call():
            call = Call(value, frame)
        case _:
            return False
    if call.last_name in _GIVING:
        return all(f.stubbed for f in call.callees)
    if call.last_name in LISTS_PARAMETERS and isinstance(call.node.func, ast.Attribute):
        return all(f.stubbed or f.is_generator for f in call.callees)
    return bool(call.callees) and all(f.is_generator and not f.stubbed for f in call.callees)


def _reads(name: str, frame: Frame) -> Iterator[_Read]:
    """The places of a function at which all of a generator, or the first of it, is read."""
    for node in walk(frame.function.node):
        match node:
            case ast.For(iter=source):
                if place(iterable_of(source)) == name:
                    yield _Read(node, iterable_of(source))
            case ast.ListComp(generators=[first, *_]) | ast.SetComp(generators=[first, *_]):
                if place(iterable_of(first.iter)) == name:
                    yield _Read(node, iterable_of(first.iter))
            case ast.DictComp(generators=[first, *_]):
                if place(iterable_of(first.iter)) == name:
                    yield _Read(node, iterable_of(first.iter))
            case ast.Starred(value=source, ctx=ast.Load()):
                if place(source) == name:
                    yield _Read(node, source)
            case ast.Call(args=[first, *_]) if isinstance(node.func, (ast.Name, ast.Attribute)):
                source = _drawn_from(first)
                if place(source) == name and _consumes(node, first, frame):
                    yield _Read(node, source)


def _drawn_from(given: Node) -> Node:
    """What a lazy argument draws from: `x` of `(f(p) for p in x)` and of `map(f, x)`."""
    match given:
        case ast.GeneratorExp(generators=[first, *_]):
            return iterable_of(first.iter)
        case ast.Call(func=ast.Name(id="map" | "filter"), args=[_, source]):
            return source
    return given


def _consumes(node: ast.Call, first: Node, frame: Frame) -> bool:
    """Does a call read what it is given: a builtin, another optimizer, a function of PyTorch, or one that loops over
    it?"""
    if isinstance(node.func, ast.Name) and node.func.id in _READERS:
        return node.func.id not in frame.function.bindings and not _only_made(node, frame.function)
    if isinstance(first, (ast.GeneratorExp, ast.Call)):
        return False
    call = Call(node, frame)
    if call.callee.is_class(OPTIMIZER):
        return True
    callees = call.callees
    return bool(callees) and all(
        f.owner is None and f.module.name.startswith("torch.nn.utils") if f.stubbed else _loops_over(f) for f in callees
    )


def _only_made(node: ast.Call, function: FunctionScope) -> bool:
    """Is it `enumerate(name)` or `zip(name, ...)`, which reads nothing before somebody goes through it?"""
    if last_name(node.func) not in ("enumerate", "zip"):
        return False
    iterated = (n.iter for n in walk(function.node) if isinstance(n, (ast.For, ast.comprehension)))
    return not any(n is node for n in iterated)


def _loops_over(function: FunctionScope) -> bool:
    """Does a function go through its first parameter?"""
    names = [p.name for p in function.parameters if p.name != "self"]
    nodes = (n for n in walk(function.node) if isinstance(n, (ast.For, ast.comprehension)))
    return bool(names) and any(place(iterable_of(n.iter)) == names[0] for n in nodes)


def _on_a_branch(read: Node, made: Node, function: FunctionScope) -> bool:
    """Is it read on a branch that the construction of the optimizer is not on?"""
    for node in walk(function.node):
        if node is not function.node and isinstance(node, (ast.If, ast.Try, ast.While, ast.FunctionDef, ast.Lambda)):
            body = node.body if isinstance(node.body, list) else [node.body]
            handlers = [h.body for h in node.handlers] if isinstance(node, ast.Try) else []
            for branch in (body, getattr(node, "orelse", []), *handlers):
                inside = {id(n) for s in branch for n in walk(s)}
                if id(read) in inside and id(made) not in inside:
                    return True
    return False


# ---------------------------------------------------------------------------------------------------------------- clips
def find_reader_of_clipped(clip: Event, flow: Flow) -> Event | None:
    """The construction of an optimizer that has read the very generator whose parameters are clipped; None if there is
    none, or if what is clipped can be iterated again."""
    given = Call(clip.call, clip.frame).argument("parameters")
    if given is None or not isinstance(given.node, (ast.Name, ast.Attribute)) or _may_be_read_again(given):
        return None
    source = given.value.because("Parameters")
    for made in flow.events(Creates):
        of_optimizer = made.subject.instance_of(OPTIMIZER)
        built = Call(made.call, made.frame).argument("params") if of_optimizer else None
        if built is not None and source is not None and built.node.__class__ is given.node.__class__:
            if built.value.because("Parameters") == source and flow.path(made, to=clip):
                return made
    return None


def _may_be_read_again(argument: Argument) -> bool:
    """Does a list, a tuple or a comprehension stand on the way of what is passed?"""
    for origin in origins(argument.node, argument.frame):
        node = origin.node
        if isinstance(node, (ast.ListComp, ast.List, ast.Tuple, ast.Subscript, ast.BinOp)):
            return True
        if isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Attribute) or getattr(node.func, "id", "") == "filter"
        ):
            return True
    return False
