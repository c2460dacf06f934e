"""Is an iterator of parameters read before an optimizer gets it?

A generator gives each element once. Where one is read before an optimizer gets it, nothing, or a part, is left:

    trainable = filter(lambda p: p.requires_grad, net.parameters())
    print(sum(p.numel() for p in trainable))   # `find_exhausted_generators`
    optimizer = Adam(trainable)

Only a name that is bound once, to what is surely a generator, and a use of it that surely comes before, say anything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.tensor_methods import LISTS_PARAMETERS
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, iterable_of, last_name, place, walk

__all__ = ["find_exhausted_generators"]

_READERS = frozenset("sum list tuple sorted set max min any all next enumerate zip len dict frozenset".split())
_GIVING = frozenset("filter map chain".split())


def find_exhausted_generators(made: Call) -> Iterator[tuple[str, Node]]:
    """The generators that an optimizer is given and that were read above: the name, and where it is read."""
    function = made.function
    given = made.argument("params") or (made.arguments[0] if made.arguments else None)
    if given is None:
        return
    for name in _parameter_names(given.node):
        bound = function.bindings.get(name, ())
        if len(bound) != 1 or bound[0].kind != "assign" or bound[0].path:
            continue
        if not _is_generator(bound[0].value, made):
            continue
        first = getattr(bound[0].node, "lineno", 0)
        for read in _reads(name, made):
            if first <= read.lineno < made.node.lineno and not _on_a_branch(read, made.node, function):
                yield name, read
                break


def _parameter_names(params: Node) -> list[str]:
    """The names that are handed over: `params`, or those of groups, `[{"params": params}]`."""
    if isinstance(params, ast.Name):
        return [params.id]
    groups = params.elts if isinstance(params, (ast.List, ast.Tuple)) else []
    values = [
        value
        for group in groups
        if isinstance(group, ast.Dict)
        for key, value in zip(group.keys, group.values, strict=True)
        if getattr(key, "value", None) == "params"
    ]
    return [value.id for value in values if isinstance(value, ast.Name)]


def _is_generator(value: Node, made: Call) -> bool:
    """Is it `(p for p in ...)`, `filter(...)`, or `model.parameters()`, unless a class of the user's gives a list?"""
    if isinstance(value, ast.GeneratorExp):
        return True
    call = Call(value, made.frame) if isinstance(value, ast.Call) else None
    if call is None:
        return False
    if call.last_name in _GIVING:
        return all(f.stubbed for f in call.callees)
    if call.last_name not in LISTS_PARAMETERS or not isinstance(call.node.func, ast.Attribute):
        return False
    return all(f.stubbed or f.is_generator for f in call.callees)


def _reads(name: str, made: Call) -> Iterator[Node]:
    """The places of a function at which all of a generator, or the first of it, is read."""
    function = made.function
    for node in walk(function.node):
        match node:
            case ast.For(iter=source):
                if place(iterable_of(source)) == name:
                    yield node
            case ast.ListComp(generators=[first, *_]) | ast.SetComp(generators=[first, *_]):
                if place(first.iter) == name:
                    yield node
            case ast.Call(args=[first, *_]) if isinstance(node.func, (ast.Name, ast.Attribute)):
                source = first.generators[0].iter if isinstance(first, ast.GeneratorExp) else first
                if place(source) == name and node is not made.node and _consumes(node, first, made):
                    yield node


def _consumes(node: ast.Call, first: Node, made: Call) -> bool:
    """Does a call read what it is given: a builtin, another optimizer, or a function that loops over it?"""
    if isinstance(node.func, ast.Name) and node.func.id in _READERS:
        return node.func.id not in made.function.bindings and not _only_made(node, made.function)
    if isinstance(first, ast.GeneratorExp):
        return False
    call = Call(node, made.frame)
    if call.callee.is_class("torch.optim.Optimizer"):
        return True
    callees = [f for f in call.callees if not f.stubbed]
    return bool(callees) and all(_loops_over(f) for f in callees)


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
