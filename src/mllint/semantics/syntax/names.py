"""Which bindings can a name hold, here? Reaching definitions of one function, by snapshot and merge over the syntax
tree.

`bindings_at` gives the bindings that reach the load of a name, or of a place such as `self.x`, `args.lr` or
`state["loss"]`; `Reaching.at` has those of all loads by `id(node)`, `Reaching.exit` those that reach the end. Branches
merge by union, a branch that leaves (return, raise, continue, break) does not merge, a loop's head is reached by every
binding inside the loop.

Worked example: in

    out = net(x)
    if flag:
        out = F.softmax(out, 1)
    loss = criterion(out, y)

the last `out` is reached by both bindings, the argument of softmax by the first alone. What a call may do to a place
behind our back (`self.setup()` assigning `self.x`) is deliberately not modelled: other methods' writes are united when
an attribute has no binding here.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter

from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.nodes import FIELDS, LEAVES, REVERSED, Node, place

__all__ = [
    "Environment", "Reaching", "bindings_at", "bound_at", "bound_expression", "is_argless_imported_call", "reaching",
]  # fmt: skip

Environment = dict[str, tuple[Binding, ...]]
_line = itemgetter(0)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


def bound_expression(binding: Binding) -> Node:
    """The expression that a name is bound to: of a tuple that is written out, the one in its place; else None."""
    node = binding.value
    for step in binding.path:
        node = node.elts[step] if isinstance(node, ast.Tuple) and step is not None and step < len(node.elts) else None
    return node


def is_argless_imported_call(call: ast.Call, function: FunctionScope) -> bool:
    """Is it a function of another module that is given nothing, and so knows of no object here: `lab.callbacks()`?"""
    root, body = (place(call.func) or "").partition(".")[0], function.module.body.bindings
    if call.args or call.keywords or root not in body or root in function.bindings:
        return False
    return all(b.kind in ("import", "from") for b in body[root])


class Reaching:
    """The answer for one function: bindings by the id of the loading node, and at the function's end."""

    __slots__ = ("at", "exit")

    def __init__(self) -> None:
        self.at: dict[int, tuple[Binding, ...]] = {}
        self.exit: Environment = {}


def reaching(function: FunctionScope) -> Reaching:
    """The reaching definitions of a function, computed once. The body of a stub has no order and is not read for it."""
    if function._reaching is None:
        function._reaching = Reaching() if function.stubbed and function.is_body else _Walk(function).run()
    return function._reaching


def bindings_at(node: Node, function: FunctionScope) -> tuple[Binding, ...] | None:
    """The bindings that reach the load of a name or place. Most loads are of what the function does not bind, or of a
    parameter that it never binds anew: that is known without a walk through its statements.

    Args:
        node: an expression of the function.
        function: the innermost function around the node.

    Returns:
        The bindings; None for what the function does not bind before it, whose meaning comes from outside.
    """
    if function._reaching is None and not function.stubbed:
        bindings = function.bindings.get(node.id if node.__class__ is ast.Name else place(node) or "")
        if bindings is None:
            return None
        if len(bindings) == 1 and bindings[0].kind == "param":
            return (bindings[0],)
    return reaching(function).at.get(id(node))


def bound_at(node: Node, function: FunctionScope) -> tuple[Binding, ...]:
    """The bindings that reach the load of a name or place, likewise; none for what comes from outside."""
    return bindings_at(node, function) or ()


class _Walk:
    """Threads an environment through the statements; None is the environment of unreachable code."""

    def __init__(self, function: FunctionScope) -> None:
        self.function = function
        known = function.read
        self.known = [b for found in known.values() for b in found]
        self.bindings = {(id(b.node), b.name): b for b in self.known}
        self.own = set(known.keys() - function.module.late.keys()) if function.is_body else set()
        self.result = Reaching()
        self.at = self.result.at
        self.returned: list[Environment] = []
        self.holders = _holders(function)
        self.loops: list[tuple[list[Environment], list[Environment]]] = []
        self.named: list[ast.NamedExpr] = []
        self.inner = _bound_inside(function) if function.functions and not function.is_body else {}
        self.shared = function.globals.union(self.inner)
        self._lines: list[tuple[int, Binding]] | None = None

    @property
    def lines(self) -> list[tuple[int, Binding]]:
        """The bindings by their lines: who has no loop and no handler never asks for them."""
        if self._lines is None:
            lines = [(0 if b.kind == "param" else getattr(b.node, "lineno", 0), b) for b in self.known]
            self._lines = sorted(lines, key=_line)
        return self._lines

    def run(self) -> Reaching:
        function = self.function
        env: Environment | None = {}
        for parameter in function.parameters:
            env[parameter.name] = (self.bindings[id(parameter), parameter.name],)  # type: ignore[index]  # it is no None yet
        if isinstance(function.node, ast.Lambda):
            self.load(function.node.body, env or {})
        else:
            env = self.block(function.body, env)
        self.result.exit = _merge([*self.returned, *([env] if env is not None else [])])
        return self.result

    # -------------------------------------------------------------------------------------------------- statements
    def block(self, body: list[ast.stmt], env: Environment | None) -> Environment | None:
        for statement in body:
            if env is None:
                env = {}
                self.statement(statement, env)
                env = None
            else:
                env = self.statement(statement, env)
        return env

    def statement(self, node: Node, env: Environment) -> Environment | None:
        handler = _STATEMENTS.get(node.__class__)
        if handler is not None:
            return handler(self, node, env)
        self.load(node, env)
        return env

    def assign(self, node: ast.Assign, env: Environment) -> Environment:
        self.load(node.value, env)
        for target in node.targets:
            self.store(target, env)
        return env

    def annotated(self, node: ast.AnnAssign, env: Environment) -> Environment:
        if node.value is not None:
            self.load(node.value, env)
            self.store(node.target, env)
        return env

    def augmented(self, node: ast.AugAssign, env: Environment) -> Environment:
        self.load(node.value, env)
        name = place(node.target)
        if name is not None and name in env:
            self.at[id(node.target)] = env[name]
        if isinstance(node.target, (ast.Attribute, ast.Subscript)):
            self.load(node.target.value, env)
        self.store(node.target, env)
        return env

    def if_(self, node: ast.If, env: Environment) -> Environment | None:
        self.load(node.test, env)
        taken = self.block(node.body, dict(env))
        other = self.block(node.orelse, dict(env))
        return _merge_live([taken, other])

    def for_(self, node: Node, env: Environment) -> Environment | None:
        self.load(node.iter, env)
        head = self.head(node, env)
        body = dict(head)
        self.store(node.target, body)
        return self.loop(node, body, head)

    def while_(self, node: ast.While, env: Environment) -> Environment | None:
        head = self.head(node, env)
        self.load(node.test, head)
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return self.loop(node, dict(head), None if endless else head)

    def loop(self, node: Node, body: Environment, head: Environment | None) -> Environment | None:
        breaks: list[Environment] = []
        self.loops.append((breaks, []))
        end = self.block(node.body, body)
        _, continues = self.loops.pop()
        after: list[Environment | None] = [end, *continues]
        done = _merge_live(after) if head is not None else None
        if head is not None:
            done = _merge_live([done, head] if done is None or not _covers(done, head) else [done])
        if node.orelse and done is not None:
            done = self.block(node.orelse, done)
        return _merge_live([done, *breaks])

    def head(self, node: Node, env: Environment) -> Environment:
        """The environment at a loop's head: what came before, and every binding inside."""
        first, last = node.lineno, node.end_lineno or node.lineno
        head = dict(env)
        lines = self.lines
        for position in range(bisect_left(lines, first, key=_line), len(lines)):
            line, binding = lines[position]
            if line > last:
                break
            if binding.kind not in ("param", "comp") and (line > first or _is_bound_per_iteration(binding, node)):
                before = head.get(binding.name, ())
                if binding not in before:
                    head[binding.name] = (*before, binding)
        return head

    def with_(self, node: Node, env: Environment) -> Environment | None:
        for item in node.items:
            self.load(item.context_expr, env)
            if item.optional_vars is not None:
                self.store(item.optional_vars, env)
        return self.block(node.body, env)

    def try_(self, node: Node, env: Environment) -> Environment | None:
        start = self.head(_Span(node.body), env)
        end = self.block(node.body, dict(env))
        if node.orelse and end is not None:
            end = self.block(node.orelse, end)
        ends = [end]
        for handler in node.handlers:
            own = dict(start)
            if handler.type is not None:
                self.load(handler.type, own)
            if handler.name:
                own[handler.name] = (self.bindings[id(handler), handler.name],)
            ends.append(self.block(handler.body, own))
        done = _merge_live(ends)
        if node.finalbody:
            after = self.block(node.finalbody, dict(done) if done is not None else dict(start))
            return None if done is None else after
        return done

    def match_(self, node: ast.Match, env: Environment) -> Environment | None:
        self.load(node.subject, env)
        ends: list[Environment | None] = [env]
        for case in node.cases:
            own = dict(env)
            self.captures(case.pattern, own)
            if case.guard is not None:
                self.load(case.guard, own)
            ends.append(self.block(case.body, own))
            if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None:
                ends[0] = None
        return _merge_live(ends)

    def captures(self, pattern: Node, env: Environment) -> None:
        name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
        if name:
            env[name] = (self.bindings[id(pattern), name],)
        for field in FIELDS.get(pattern.__class__, ()):
            child = getattr(pattern, field, None)
            for item in child if isinstance(child, list) else [child]:
                if item is not None and item.__class__.__name__.startswith("Match"):
                    self.captures(item, env)

    def leave(self, node: Node, env: Environment) -> None:
        self.load(node, env)
        if isinstance(node, ast.Return):
            self.returned.append(env)

    def jump(self, node: Node, env: Environment) -> None:
        if self.loops:
            self.loops[-1][0 if isinstance(node, ast.Break) else 1].append(env)

    def define(self, node: Node, env: Environment) -> Environment:
        for decorator in node.decorator_list:
            self.load(decorator, env)
        if not isinstance(node, ast.ClassDef):
            for default in (*node.args.defaults, *node.args.kw_defaults):
                if default is not None:
                    self.load(default, env)
        self.bound(node, node.name, env)
        return env

    def import_(self, node: Node, env: Environment) -> Environment:
        for alias in node.names:
            name = alias.asname or (alias.name if isinstance(node, ast.ImportFrom) else alias.name.partition(".")[0])
            if name != "*":
                self.bound(alias, name, env)
        return env

    def delete(self, node: ast.Delete, env: Environment) -> Environment:
        for target in node.targets:
            name = place(target)
            if name is not None:
                env.pop(name, None)
        return env

    # ------------------------------------------------------------------------------------------------- expressions
    def load(self, node: Node, env: Environment) -> None:
        """Note what reaches each name and place in an expression, in the order of the text."""
        at, own, holders = self.at, self.own, self.holders
        waiting = [node]
        while waiting:
            node = waiting.pop()
            kind = node.__class__
            if kind is ast.Name:
                found = env.get(node.id)
                if found is not None:
                    at[id(node)] = found
                elif node.id in own:
                    at[id(node)] = ()  # a module's own name before it is bound: nothing is known of it yet
            elif kind is ast.Attribute or kind is ast.Subscript:
                if holders and _base(node) in holders:
                    name = place(node)
                    if name is not None and name in env:
                        at[id(node)] = env[name]
                if kind is ast.Subscript:
                    waiting.append(node.slice)
                waiting.append(node.value)
            elif kind is ast.Call:
                for keyword in reversed(node.keywords):
                    waiting.append(keyword.value)
                waiting += node.args[::-1]
                waiting.append(node.func)
            elif kind is ast.NamedExpr:
                self.name(node, env)
            elif kind is ast.Lambda:
                waiting += (*node.args.defaults, *node.args.kw_defaults)[::-1]
            elif kind in _COMPREHENSIONS:
                self.comprehension(node, env)
            elif kind not in LEAVES:
                for field in REVERSED.get(kind, ()):
                    child = getattr(node, field)
                    if child.__class__ is list:
                        waiting += child[::-1]
                    elif child is not None:
                        waiting.append(child)

    def name(self, node: ast.NamedExpr, env: Environment) -> None:
        self.load(node.value, env)
        self.store(node.target, env)
        self.named.append(node)

    def comprehension(self, node: Node, env: Environment) -> None:
        inner, before = dict(env), len(self.named)
        for generator in node.generators:
            self.load(generator.iter, inner)
            self.store(generator.target, inner)
            for condition in generator.ifs:
                self.load(condition, inner)
        for field in ("elt", "key", "value"):
            child = getattr(node, field, None)
            if child is not None:
                self.load(child, inner)
        for named in self.named[before:]:  # it binds outside, if the comprehension comes to it
            name = named.target.id
            env[name] = (*env.get(name, ()), self.bindings[id(named.target), name])

    def store(self, target: Node, env: Environment) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for element in target.elts:
                self.store(element, env)
            return
        if isinstance(target, ast.Starred):
            self.store(target.value, env)
            return
        if not isinstance(target, ast.Name):
            self.load(target.value, env)
            if isinstance(target, ast.Subscript):
                self.load(target.slice, env)
        name = place(target)
        if name is not None:
            self.bound(target, name, env)

    def bound(self, node: Node, name: str, env: Environment) -> None:
        """A binding takes effect: it replaces the place and forgets everything below it."""
        binding = self.bindings.get((id(node), name))
        if binding is None:
            return
        if name in self.shared:
            env[name] = (binding, *self.inner[name]) if name in self.inner else (*env.get(name, ()), binding)
            return
        if name in self.holders:
            for known in self.holders[name]:
                env.pop(known, None)
        env[name] = (binding,)


def _bound_inside(function: FunctionScope) -> dict[str, tuple[Binding, ...]]:
    """The names of a function that a function inside it declares `nonlocal` and binds: when that runs, nobody knows."""
    found: dict[str, tuple[Binding, ...]] = {}
    for inner in function.functions:
        for name in inner.globals:
            if name in inner.bindings and name in function.bindings and name not in function.globals:
                found[name] = (Binding("match", name, inner.node, None, function),)
    return found


def _base(node: Node) -> str:
    """`x` of `x.y[0].z`; empty where it is no name."""
    while node.__class__ is ast.Attribute or node.__class__ is ast.Subscript:
        node = node.value
    return node.id if node.__class__ is ast.Name else ""


def _holders(function: FunctionScope) -> dict[str, list[str]]:
    """The names and places below which something is bound, and what: `x` and `x.y` of `x.y.z`."""
    found: dict[str, list[str]] = {}
    for name in function.read:
        if "." in name or "[" in name:
            for above in _above(name):
                found.setdefault(above, []).append(name)
    return found


@lru_cache(maxsize=16384)
def _above(name: str) -> tuple[str, ...]:
    """`x` and `x.y` of `x.y.z`."""
    return tuple([name[:position] for position, character in enumerate(name) if character in ".["])


_STATEMENTS: dict[type, Callable[[_Walk, Node, Environment], Environment | None]] = {
    ast.Assign: _Walk.assign, ast.AnnAssign: _Walk.annotated, ast.AugAssign: _Walk.augmented, ast.If: _Walk.if_,
    ast.For: _Walk.for_, ast.AsyncFor: _Walk.for_, ast.While: _Walk.while_, ast.With: _Walk.with_,
    ast.AsyncWith: _Walk.with_, ast.Try: _Walk.try_, ast.Match: _Walk.match_, ast.Return: _Walk.leave,
    ast.Raise: _Walk.leave, ast.Break: _Walk.jump, ast.Continue: _Walk.jump, ast.FunctionDef: _Walk.define,
    ast.AsyncFunctionDef: _Walk.define, ast.ClassDef: _Walk.define, ast.Import: _Walk.import_,
    ast.ImportFrom: _Walk.import_, ast.Delete: _Walk.delete, ast.Pass: lambda self, node, env: env,
    ast.Global: lambda self, node, env: env, ast.Nonlocal: lambda self, node, env: env,
}  # fmt: skip
if hasattr(ast, "TryStar"):
    _STATEMENTS[ast.TryStar] = _Walk.try_


class _Span:
    """The lines of a block, for asking which bindings lie inside."""

    def __init__(self, body: list[ast.stmt]) -> None:
        self.lineno, self.end_lineno = body[0].lineno, body[-1].end_lineno
        self.body = body


def _is_bound_per_iteration(binding: Binding, loop: Node) -> bool:
    """A binding on the loop's own first line: the target, or a body written on the same line."""
    return binding.kind == "for" or not isinstance(loop, (ast.For, ast.AsyncFor)) or binding.value is not loop.iter


def _covers(env: Environment, head: Environment) -> bool:
    return head.keys() <= env.keys()


def _merge(environments: list[Environment]) -> Environment:
    return _merge_live(list(environments)) or {}


def _merge_live(environments: list[Environment | None]) -> Environment | None:
    """The union of the reachable environments; None when there is none."""
    live = [env for env in environments if env is not None]
    if len(live) < 2:
        return live[0] if live else None
    merged = dict(live[0])
    for env in live[1:]:
        for name, found in env.items():
            before = merged.get(name)
            if before is None:
                merged[name] = found
            elif before is not found and before != found:
                merged[name] = before + tuple(b for b in found if b not in before)
    return merged
