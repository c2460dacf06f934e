"""Which random keys of JAX are used up twice?

    noise = jax.random.normal(key, shape)
    mask = jax.random.bernoulli(key, 0.5, shape)      # `twice`: both are made of the same bits
    for batch in batches:
        state = train_step(state, batch, key)         # `repeated`: the same dropout in each step

A key is used up by what its stub says (`spends_key`), by `rngs={"dropout": key}`, and by a function of the project's
own that does nothing else with its parameter. What is not known uses nothing up, nor does `fold_in`. Two uses count as
two if both give the same: numbers of one shape, or keys (`split`). These are on one path: both branches of an `if` are
two, and what one branch uses up is not used up behind it. A key is the same where the same bindings reach it; in a
loop, if none of them is inside.

Left alone, since the same numbers are meant or do no harm: an order that two arrays are shuffled in, a draw that is
printed or compared, the cells of a notebook, `init` (a target network starts as a copy), and a loop that takes no step,
which may measure with the same noise each time.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.caches import Cache, cached_per_scope
from mllint.semantics.syntax.module import Binding, FunctionScope, ModuleScope
from mllint.semantics.syntax.names import bindings_at
from mllint.semantics.syntax.nodes import Node, assigned_pairs, is_within, last_name, place, walk
from mllint.semantics.syntax.sites import text
from mllint.semantics.training.randomness.seeds import is_test_code
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import resolve_name
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import FunctionValue, Site

__all__ = ["Reuse", "Use", "reuses"]

_DERIVING = ("grad", "value_and_grad", "filter_grad", "filter_value_and_grad")
_GRADIENTS = frozenset((*_DERIVING, "apply_gradients", "apply_updates"))
_UPDATES = ("apply_gradients", "apply_updates")
_SHOWN = ("print", "display", "assert_allclose", "allclose", "array_equal", "append_text")
_KEYS = frozenset(("random", "rngs"))
"""Without one of these words a file of JAX draws nothing: `jax.random`, `rngs=`."""
_OFF = {"train": False, "training": False, "is_training": False, "deterministic": True}
_SPENT: Cache[int, frozenset[str]] = Cache()


class Use(NamedTuple):
    """A key is used up: the expression of the key, the call, and what it gives ("numbers", "keys", "order", "step")."""

    key: Node
    call: ast.Call
    gives: str


class Reuse(NamedTuple):
    """A key is used up again: where, what is called there, the key as it is written, what it gives, and the place of
    the first use, or of the loop in which it is the same each time."""

    site: Site
    call: str
    key: str
    gives: str
    first: Site
    in_loop: bool


def reuses(module: ModuleScope, project: Project) -> Iterator[Reuse]:
    """The keys of a file that are used up twice, each name once in a function.

    Args:
        module: the file.
        project: its project.
    """
    jax = any(name.partition(".")[0] == "jax" for name, _ in module.imports)
    if not jax or not module.source.mentions(_KEYS) or is_test_code(module):
        return
    for function in module.functions:
        if function.body and (uses := _uses(function)):
            yield from _Path(project.frame(function), uses).run()


@cached_per_scope()
def _uses(function: FunctionScope) -> dict[int, list[Use]]:
    """The uses of keys by the calls that are written directly in a function, by the id of the call."""
    project = function.module.project
    frame = project.frame(function)
    return {id(c): found for c in function.calls if (found := list(_uses_of(c, frame)))}


def _uses_of(node: ast.Call, frame: Frame) -> Iterator[Use]:
    """The keys that a call uses up."""
    rngs = next((k.value for k in node.keywords if k.arg == "rngs"), None)
    if rngs is not None and not any(_is_off(k) for k in node.keywords):
        for value in rngs.values if isinstance(rngs, ast.Dict) else [rngs]:
            if _is_key(value):
                yield Use(value, node, "step")
        return
    if not any(_is_key(a) for a in (*node.args, *(k.value for k in node.keywords))):
        return
    call = Call(node, frame)
    for function in _entered(call):
        if function.stubbed:
            effect = effect_of(function, "spends_key")
            given = call.argument(effect.of) if effect is not None else None
            if effect is not None and given is not None and _is_key(given.node):
                yield Use(given.node, node, str(effect.values[0]))
        else:
            spent = _spent_parameters(function)
            names = call.parameter_names(function) if spent else {}
            given_keys = [a for a in (*node.args, *(k.value for k in node.keywords)) if names.get(id(a)) in spent]
            yield from (Use(a, node, "step") for a in given_keys if _is_key(a))


def _entered(call: Call) -> list[FunctionScope]:
    """The function that a call enters, if it is one: also that of which it computes gradients, `jax.grad(f)(x)`."""
    made = resolve_name(call.node.func, call.function)
    if isinstance(made, ast.Call) and last_name(made.func) in _DERIVING and made.args:
        values = evaluate(made.args[0], call.frame).alternatives
        functions = [v.function for v in values if isinstance(v, FunctionValue)]
    else:
        functions = [*call.callees]
    return [f for f in functions if f is not None] if len(functions) == 1 else []


def _is_key(node: Node) -> bool:
    """May it be a key of which can be told whether it is the same: a name, or an entry `keys[0]`?"""
    if node.__class__ is ast.Subscript:
        return node.value.__class__ is ast.Name and node.slice.__class__ is ast.Constant
    return node.__class__ is ast.Name


def _is_off(keyword: ast.keyword) -> bool:
    """`train=False`, `deterministic=True`: nothing is drawn."""
    value = keyword.value
    return isinstance(value, ast.Constant) and keyword.arg in _OFF and value.value is _OFF[keyword.arg]


def _spent_parameters(function: FunctionScope) -> frozenset[str]:
    """The parameters of a function that it does nothing with but use them up as keys."""
    return _SPENT.answer(function.module, id(function), lambda: _spent(function), meanwhile=frozenset())


def _spent(function: FunctionScope) -> frozenset[str]:
    names = {p.name for p in function.parameters}
    scopes = [s for s in function.nested() if isinstance(s, FunctionScope)] if names else []
    used = {id(u.key) for s in scopes for found in _uses(s).values() for u in found}
    reads: dict[str, list[bool]] = {}
    if used:
        for node in walk(function.node):
            if node.__class__ is ast.Name and node.id in names and isinstance(node.ctx, ast.Load):
                bound = bindings_at(node, function) or ()
                if not bound or any(b.kind == "param" for b in bound):
                    reads.setdefault(node.id, []).append(id(node) in used and len(bound) < 2)
    return frozenset(name for name, spent in reads.items() if all(spent))


class _Path:
    """Follows the statements of a function in their order, with the uses that each way has behind it."""

    def __init__(self, frame: Frame, uses: dict[int, list[Use]]) -> None:
        self.frame, self.uses = frame, uses
        self.function = frame.function
        self.found: dict[str, Reuse] = {}
        self.trained: dict[int, tuple[set[int], set[str]]] = {}
        source = frame.module.source
        self.is_notebook = frame.function.is_body and source is not None and source.cells is not None

    def run(self) -> list[Reuse]:
        """The uses of keys that were used up before."""
        self.block(self.function.body, {}, None)
        return list(self.found.values())

    def block(self, body: list[Node], spent: dict[Hashable, Use], loop: Node) -> bool:
        """Follow some statements; `loop` is the innermost loop, if they run in each iteration. Whether the end is
        reached."""
        for statement in body:
            for part in _heads(statement):
                self.expression(part, statement, spent, loop)
            if isinstance(statement, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
                return False
            if not self.inner(statement, spent, loop):
                return False
        return True

    def inner(self, statement: Node, spent: dict[Hashable, Use], loop: Node) -> bool:
        """Follow the blocks of a statement. What not all of them use up is not used up behind them."""
        if isinstance(statement, ast.If):
            ways = [(dict(spent), branch) for branch in (statement.body, statement.orelse)]
            open_ways = [way for way, branch in ways if self.block(branch, way, None)]
            both = set.intersection(*(set(way) for way in open_ways)) if open_ways else set()
            spent.update({key: open_ways[0][key] for key in both})
            return bool(open_ways)
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            self.block(statement.body, dict(spent), statement)
        elif isinstance(statement, (ast.With, ast.AsyncWith)):
            return self.block(statement.body, spent, loop)
        elif isinstance(statement, ast.Try):
            self.block(statement.body, dict(spent), loop)
        return True

    def expression(self, part: Node, statement: Node, spent: dict[Hashable, Use], loop: Node) -> None:
        """Note what an expression uses up."""
        for node in walk(part):
            for use in self.uses.get(id(node), ()):
                bound = bindings_at(_name(use.key), self.function)
                if bound is None and self.function.is_body:
                    continue
                self.use(use, bound or (), statement, spent, loop)

    def use(
        self, use: Use, bound: tuple[Binding, ...], statement: Node, spent: dict[Hashable, Use], loop: Node
    ) -> None:
        """A key is used up."""
        if _is_shown(use.call, statement):
            return
        if loop is not None and not any(is_within(b.node, loop) for b in bound):
            if self.is_trained_with(use, statement, loop):
                self.report(use, loop, in_loop=True)
        shape = _shape(Call(use.call, self.frame)) if use.gives == "numbers" else use.gives == "keys"
        if not shape or self.is_notebook:
            return
        key = place(use.key), tuple(id(b) for b in bound), shape
        first = spent.setdefault(key, use)
        if first is not use and not self.replaces(first, statement):
            self.report(use, first.call, in_loop=False)

    def report(self, use: Use, first: Node, *, in_loop: bool) -> None:
        """Remember a reuse, the first of each name."""
        module, name = self.function.module, place(use.key) or ""
        reuse = Reuse(
            Site(module, use.call), text(module, use.call.func), name, use.gives, Site(module, first), in_loop
        )
        self.found.setdefault(name, reuse)

    def replaces(self, first: Use, statement: Node) -> bool:
        """Does a statement bind anew what was drawn first, so that only one of both draws is left?"""
        targets = {place(t) for t, _ in assigned_pairs(statement)}
        earlier = self.targets().get(id(first.call), ())
        return bool(targets.intersection(earlier))

    def targets(self) -> dict[int, set[str | None]]:
        """What is bound to an expression that a call is part of, by the id of the call."""
        return _targets(self.function)

    def is_trained_with(self, use: Use, statement: Node, loop: Node) -> bool:
        """Is what a key gives handed to a step that is taken in each iteration of a loop?"""
        if id(loop) not in self.trained:
            self.trained[id(loop)] = _trained(loop, self.frame)
        calls, names = self.trained[id(loop)]
        if use.gives == "order":
            return False
        bound = (n for t, _ in assigned_pairs(statement) for n in walk(t))
        return id(use.call) in calls or any(isinstance(n, ast.Name) and n.id in names for n in bound)


@cached_per_scope()
def _targets(function: FunctionScope) -> dict[int, set[str | None]]:
    """The places that a statement binds, by the ids of the calls in what it binds to them."""
    found: dict[int, set[str | None]] = {}
    for bindings in function.bindings.values():
        for binding in bindings:
            if binding.kind != "assign":
                continue
            for node in walk(binding.value):
                if isinstance(node, ast.Call):
                    found.setdefault(id(node), set()).add(binding.name)
    return found


def _trained(loop: Node, frame: Frame) -> tuple[set[int], set[str]]:
    """What the steps of a loop, but for those of loops inside it, are computed from: the ids of calls, and names."""
    own = [s for s in loop.body if not isinstance(s, (ast.For, ast.AsyncFor, ast.While))]
    steps = [n for s in own for n in walk(s) if isinstance(n, ast.Call) and _trains(n, frame)]
    nodes = [n for step in steps for n in walk(step)]
    calls, names = {id(n) for n in nodes}, {n.id for n in nodes if isinstance(n, ast.Name)}
    for statement in own[::-1]:
        for target, value in assigned_pairs(statement):
            if steps and any(isinstance(n, ast.Name) and n.id in names for n in walk(target)):
                names |= {n.id for n in walk(value) if isinstance(n, ast.Name)}
    return calls, names


def _trains(node: ast.Call, frame: Frame) -> bool:
    if last_name(node.func) in _UPDATES:
        return True
    return any(not f.stubbed and not f.called_names.isdisjoint(_GRADIENTS) for f in Call(node, frame).callees)


def _is_shown(call: ast.Call, statement: Node) -> bool:
    """Is what is drawn only looked at or compared?"""
    if isinstance(statement, (ast.Assert, ast.Expr)):
        value = getattr(statement, "value", None)
        return isinstance(statement, ast.Assert) or value is call or last_name(getattr(value, "func", None)) in _SHOWN
    return False


def _shape(draw: Call) -> str:
    """The shape of what is drawn, as it is written, `()` by default; empty if it depends on other arguments."""
    given = draw.argument("shape")
    if given is not None:
        return text(draw.module, given.node)
    parameter = draw.callees[0].parameter("shape") if draw.callees and not draw.is_open else None
    return "()" if parameter is not None and isinstance(parameter.default, ast.Tuple) else ""


def _name(node: Node) -> Node:
    return node.value if isinstance(node, ast.Subscript) else node


def _heads(statement: Node) -> list[Node]:
    """The expressions of a statement that its blocks do not hold; none of a nested function or class."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    if isinstance(statement, ast.With):
        return [item.context_expr for item in statement.items]
    fields = ("test", "iter", "subject")
    return [statement] if not hasattr(statement, "body") else [h for f in fields if (h := getattr(statement, f, None))]
