"""What do statements read, and what do they bind? The names of one scope, from the syntax alone.

Two questions are asked with care for the order: which names a stretch reads before it has surely bound them
(`Reading.exposed`), and which it has surely bound at its end (`Reading.bound`). What runs perhaps binds nothing surely.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

__all__ = ["Reading", "bound_names", "inner_reads", "own", "parameters", "read_names"]

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


def own(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is below it in the same scope; comprehensions count as the same."""
    yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _SCOPES):
            yield child
        else:
            yield from own(child)


def parameters(function: ast.AST) -> list[str]:
    """The names of all parameters of a function."""
    if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return []
    a = function.args
    return [p.arg for p in (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg) if p is not None]


def bound_names(statements: Iterable[ast.AST]) -> set[str]:
    """The names that statements may bind in their scope."""
    found: set[str] = set()
    for node in (n for s in statements for n in _outside(s)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
    return found


def _outside(node: ast.AST) -> Iterator[ast.AST]:
    """Like `own`, without the targets of comprehensions, which are no names of the scope."""
    yield node
    if isinstance(node, _SCOPES):
        return
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.comprehension):
            yield from _outside(child.iter)
            for test in child.ifs:
                yield from _outside(test)
        else:
            yield from _outside(child)


def read_names(node: ast.AST) -> set[str]:
    """The names that a node reads in its scope, by what it defines too."""
    if isinstance(node, ast.Name):
        return {node.id} if isinstance(node.ctx, ast.Load) else set()
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        return _read_by_function(node)
    if isinstance(node, ast.ClassDef):
        outer = [*node.decorator_list, *node.bases, *node.keywords]
        return set().union(*(read_names(n) for n in (*outer, *node.body)))
    if isinstance(node, _COMPREHENSIONS):
        inner = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        first = node.generators[0].iter
        rest = set().union(*(read_names(c) for c in ast.iter_child_nodes(node)))
        return (rest - inner) | read_names(first)
    found = set().union(*(read_names(child) for child in ast.iter_child_nodes(node)), set())
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        found.add(node.target.id)
    return found


def _read_by_function(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> set[str]:
    """The names of outer scopes that a function reads, and those that its head does."""
    body = node.body if isinstance(node.body, list) else [node.body]
    shared = {n for s in body for g in own(s) if isinstance(g, (ast.Global, ast.Nonlocal)) for n in g.names}
    local = (bound_names(body) | set(parameters(node))) - shared
    head = [*node.args.defaults, *(d for d in node.args.kw_defaults if d), *getattr(node, "decorator_list", ())]
    inside = set().union(*(read_names(s) for s in body)) | shared
    return (inside - local) | set().union(*(read_names(n) for n in head), set())


def inner_reads(statements: Iterable[ast.AST]) -> set[str]:
    """The names of the scope that functions inside of it read, at a time of their own."""
    functions = (n for s in statements for n in own(s) if isinstance(n, _SCOPES))
    return set().union(*(read_names(f) for f in functions), set())


class Reading:
    """Statements read in their order."""

    def __init__(self, bound: Iterable[str] = ()) -> None:
        self.bound = set(bound)
        self.exposed: set[str] = set()

    def block(self, statements: Iterable[ast.stmt]) -> Reading:
        for statement in statements:
            self.statement(statement)
        return self

    def reads(self, *nodes: ast.AST | None) -> None:
        for node in nodes:
            if node is not None:
                self.exposed |= read_names(node) - self.bound
                self.bound |= bound_names([node])

    def statement(self, node: ast.stmt) -> None:
        """Take one more statement in."""
        match node:
            case ast.If():
                self.reads(node.test)
                self.either(node.body, node.orelse)
            case ast.For() | ast.AsyncFor():
                self.reads(node.iter)
                self.exposed |= read_names(node.target) - self.bound
                self.perhaps([node.body], bound_names([node.target]))
                self.perhaps([node.orelse])
            case ast.While():
                self.reads(node.test)
                self.perhaps([node.body, node.orelse])
            case ast.With() | ast.AsyncWith():
                for item in node.items:
                    self.reads(item.context_expr, item.optional_vars)
                self.block(node.body)
            case ast.Try():
                self.attempt(node)
            case ast.Match():
                self.reads(node.subject)
                self.perhaps([c.body for c in node.cases], bound_names(c.pattern for c in node.cases))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.exposed |= read_names(node) - self.bound
                self.bound.add(node.name)
            case ast.Assign() | ast.AnnAssign():
                self.reads(node.value)
                self.reads(*(node.targets if isinstance(node, ast.Assign) else [node.target]))
                if isinstance(node, ast.AnnAssign) and node.value is None:
                    self.bound -= bound_names([node.target])
            case ast.AugAssign():
                self.exposed |= (read_names(node.value) | read_names(node)) - self.bound
                self.bound |= bound_names([node.target])
            case _:
                self.exposed |= read_names(node) - self.bound
                self.bound |= bound_names([node])

    def either(self, *ways: list[ast.stmt]) -> None:
        """One of some ways is taken: bound is what is bound on each from which the flow goes on."""
        ends = []
        for way in ways:
            taken = Reading(self.bound).block(way)
            self.exposed |= taken.exposed
            if not (way and isinstance(way[-1], _LEAVES)):
                ends.append(taken.bound)
        if ends:
            self.bound = set.intersection(*ends)

    def perhaps(self, ways: list[list[ast.stmt]], first: Iterable[str] = ()) -> None:
        """What is perhaps run: it reads, and binds nothing surely."""
        for way in ways:
            self.exposed |= Reading(self.bound | set(first)).block(way).exposed

    def attempt(self, node: ast.Try) -> None:
        before = set(self.bound)
        self.block([*node.body, *node.orelse])
        ends = [self.bound]
        for handler in node.handlers:
            taken = Reading(before | ({handler.name} if handler.name else set())).block(handler.body)
            self.exposed |= taken.exposed
            if not isinstance(handler.body[-1], _LEAVES):
                ends.append(taken.bound - {handler.name})
        self.bound = set.intersection(*ends)
        self.exposed |= Reading(before).block(node.finalbody).exposed
        self.bound |= Reading(before).block(node.finalbody).bound
