"""A loop over what a function of the project yields: what runs in it besides its own body?

    def cleared(loader, opt):
        for batch in loader:
            opt.zero_grad()
            yield batch                      # the body of the loop runs here

    for x, y in tqdm(cleared(loader, opt)):
        ...

The generator runs up to its `yield`, then the body of the loop, then what follows the `yield`. The loop around the
`yield` is the loop of the statement; `yield from xs` is such a loop over `xs`. An object of the project's own is gone
through by its `__iter__`, or by its `__next__`, which runs before each iteration. Only functions in which something
happens are entered; a generator whose yields stand in no loop, or in loops inside of each other, is not.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple, Protocol

from mllint.semantics.flow.contexts import MAX_DEPTH, Contexts
from mllint.semantics.flow.open_ends import End, Ends, Jumps
from mllint.semantics.syntax.caches import Cache, cached, cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, all_arguments, is_within, last_name
from mllint.semantics.values.arguments import Arguments
from mllint.semantics.values.bases import by_base
from mllint.semantics.values.bodies import enter
from mllint.semantics.values.calls import callee, entered_function
from mllint.semantics.values.classes import method
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.values import FunctionValue, InstanceValue

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ModuleScope
    from mllint.semantics.syntax.records import PathCondition
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = ["EXHAUSTING", "GeneratorLoops"]

EXHAUSTING = frozenset(("dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"))
"""The names of what uses up an iterable where it is called."""
_WORDS = frozenset("backward manual_backward zero_grad eval train".split())
"""The names of calls for which a generator is entered."""
_NEXT = ("__next__", "__anext__")
_PROTOCOL = ("__iter__", "__aiter__", *_NEXT)
_MOST_YIELDS = 3
_UNWRAPPED = 4  # calls around a generator: `enumerate(tqdm(batches))`
_ENDING_WITH_IT = frozenset(("enumerate", "tqdm", "iter", "trange", "track"))
_LOOPS: Cache[int, ast.For] = Cache(local=True)
"""The loops that `yield from` stands for, by their ids."""


class _Drawn(NamedTuple):
    """What a loop draws from.

    Attributes:
        function: the generator, or the `__next__` of an object.
        frame: the frame that it is entered in.
        given: the expressions that are worked out for it.
        ends_with_it: whether the loop goes on as long as it does.
    """

    function: FunctionScope
    frame: Frame
    given: list[Node]
    ends_with_it: bool


class _Walk(Protocol):
    """The walk over the statements, of which this is a part: see `build`."""

    ends: Ends
    jumps: list[Jumps]
    assumed: tuple[PathCondition, ...]
    assumed_before: int
    returns: list[Ends]
    grad_off: list[bool | None]
    contexts: Contexts
    depth: int

    def visit_block(self, body: list[ast.stmt], frame: Frame) -> None: ...
    def visit_expression(self, node: Node, frame: Frame) -> None: ...
    def visit_loop(self, node: Node, iterates: None, frame: Frame) -> None: ...
    def visit_for(self, node: Node, frame: Frame) -> None: ...
    def inline(self, function: FunctionScope, frame: Frame) -> None: ...


class GeneratorLoops:
    """The loops of a walk over what functions of the project yield.

    Attributes:
        written_as: of a loop in a generator, by its id, the statement that draws from it, with its frame.
        opening: what runs before each iteration of a loop, by its id.
    """

    def __init__(self, walk: _Walk, project: Project) -> None:
        self.walk = walk
        self.names = _names(project)
        self.written_as: dict[int, tuple[Node, Frame]] = {}
        self.opening: dict[int, tuple[FunctionScope, Frame]] = {}

    def enter(self, node: Node, frame: Frame) -> bool:
        """Walk a `for` loop with what it draws from; False if that is nothing in which anything happens.

        Args:
            node: the loop.
            frame: where it runs.
        """
        walk = self.walk
        if not self.names or walk.depth > MAX_DEPTH or id(node) in self.opening:
            return False
        drawn = self._drawn(node.iter, frame, _UNWRAPPED)
        if drawn is None:
            return False
        for given in drawn.given:
            walk.visit_expression(given, frame)
        drawn.frame.value_depth = 0
        if drawn.function.is_generator:
            self._run(node, drawn, frame)
        else:
            self.opening[id(node)] = drawn.function, drawn.frame
            walk.visit_loop(node, None, frame)
            del self.opening[id(node)]
        return True

    def begin_iteration(self, node: Node) -> None:
        """Run what an object runs before each iteration of the loop `node` over it."""
        opening = self.opening.get(id(node))
        if opening is not None:
            self.walk.inline(*opening)

    def resume(self, node: ast.Yield | ast.YieldFrom, frame: Frame) -> bool:
        """Run what is done where a generator yields, in the loop that a `yield from` stands for; False if nobody waits
        for it.

        Args:
            node: where it yields.
            frame: its frame.
        """
        contexts = self.walk.contexts
        if isinstance(node, ast.Yield):
            return contexts.resume()
        loop = _loop_of(node, frame.module)
        if id(loop) not in self.written_as or not contexts.yields:
            return False
        self.walk.visit_for(loop, frame)
        return True

    def _run(self, node: Node, drawn: _Drawn, frame: Frame) -> None:
        """The body of a generator, with that of the loop where it yields."""
        walk, contexts = self.walk, self.walk.contexts
        jumps, assumed_before, level, off = walk.jumps, walk.assumed_before, len(walk.returns), walk.grad_off[-1]
        before, breaks, passed = self.written_as, list[End](), list[End]()
        statement = before.get(id(node), (node, frame))
        self.written_as = before | {id(loop): statement for loop in _loops(drawn.function)}

        def resume() -> None:
            mine = walk.jumps, walk.assumed_before, walk.returns, contexts.yields
            own = Jumps([], [], len(walk.assumed))
            walk.jumps, walk.assumed_before, walk.returns = [*jumps, own], assumed_before, walk.returns[:level]
            contexts.yields = contexts.yields[: contexts.yields.index(resume)]
            walk.grad_off.append(off if walk.grad_off[-1] is off else None)
            walk.visit_block(node.body, frame)
            walk.grad_off.pop()
            walk.ends += own.continues
            breaks.extend(own.breaks)
            if not drawn.ends_with_it:
                passed.extend(walk.ends)
            walk.jumps, walk.assumed_before, walk.returns, contexts.yields = mine

        contexts.yields = [*contexts.yields, resume]
        walk.inline(drawn.function, drawn.frame)
        contexts.yields = contexts.yields[:-1]
        self.written_as = before
        walk.ends = list(dict.fromkeys([*walk.ends, *passed]))
        walk.visit_block(node.orelse, frame)
        walk.ends = [*walk.ends, *breaks]

    # ------------------------------------------------------------------------------------------------ what is drawn
    def _drawn(self, node: Node, frame: Frame, depth: int) -> _Drawn | None:
        """What the iterable `node` draws from, behind so many calls around it."""
        if isinstance(node, ast.Name):
            bound = bound_at(node, frame.function)
            made = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" and not bound[0].path else None
            found = self._drawn(made, frame, 1) if isinstance(made, ast.Call) else None
            return found._replace(given=[]) if found is not None else self._of_object(node, frame, [])
        if not isinstance(node, ast.Call):
            return self._of_object(node, frame, []) if isinstance(node, ast.Attribute) else None
        if last_name(node.func) in self.names:
            found = self._of_call(node, frame)
            if found is not None:
                return found
        return self._behind(node, frame, depth - 1) if depth and last_name(node.func) not in EXHAUSTING else None

    def _behind(self, node: ast.Call, frame: Frame, depth: int) -> _Drawn | None:
        """What is drawn through a call: of a library or something unknown, `tqdm(batches)`, or of a generator."""
        for argument in node.args:
            found = self._drawn(argument, frame, depth)
            if found is not None:
                own = entered_function(callee(node, frame))
                if own is not None and not (own.stubbed or own.is_generator):
                    return None
                others = [a for a in all_arguments(node) if a is not argument]
                ends_with_it = found.ends_with_it and last_name(node.func) in _ENDING_WITH_IT
                return found._replace(given=[*others, *found.given], ends_with_it=ends_with_it)
        return None

    def _of_call(self, node: ast.Call, frame: Frame) -> _Drawn | None:
        """What a call gives that may be one of a generator, or build an object that is gone through."""
        match callee(node, frame):
            case FunctionValue(target=FunctionScope() as function) as value if _is_entered(function):
                inner = enter(function, value.receiver, Arguments(node, frame), frame, closure=value.closure, node=node)
                return _Drawn(function, inner, list(all_arguments(node)), True) if inner is not None else None
        return self._of_object(node, frame, [node])

    def _of_object(self, node: Node, frame: Frame, given: list[Node]) -> _Drawn | None:
        """What runs where an object of the project's own is gone through."""
        value = evaluate(node, frame)
        if not isinstance(value, InstanceValue) or value.cls.module.is_stub or value.cls.name not in self.names:
            return None
        for name in _PROTOCOL:
            function = method(value.cls, name)
            if function is not None and _is_entered(function):
                inner = enter(function, value, None, frame, node=node)
                return _Drawn(function, inner, given, True) if inner is not None else None
        return None


@cached()
def _names(project: Project) -> frozenset[str]:
    """The names of the generators in which something happens, and of the classes whose objects run one so."""
    modules = (m for m in project.modules if m.source is None or m.source.holds("yield") or m.source.holds("__next__"))
    functions = [f for module in modules for f in module.functions if _is_entered(f)]
    owners = {f.owner.name for f in functions if f.name in _PROTOCOL and f.owner is not None}
    heirs = {c.name for name in owners for c in by_base(project).get(name, ())}
    return frozenset(owners).union(heirs, (f.name for f in functions if f.is_generator))


def _is_entered(function: FunctionScope) -> bool:
    """True if `function` is a generator, or a `__next__`, in which something happens."""
    if not function.yields and function.name not in _NEXT:
        return False
    if function.stubbed or function.is_body or function.called_names.isdisjoint(_WORDS):
        return False
    if not function.is_generator:
        return True
    return bool(_loops(function)) and not function.decorated("contextmanager", "asynccontextmanager")


@cached_per_scope(local=True)
def _loops(function: FunctionScope) -> list[Node]:
    """The loops in which a generator yields; none if it yields elsewhere, too, or if they are inside of each other."""
    found: dict[int, Node] = {}
    for node in function.yields:
        around = [loop.node for loop in function.loops if is_within(node, loop.node)]
        if isinstance(node, ast.YieldFrom):
            around.append(_loop_of(node, function.module))
        if not around:
            return []
        found[id(around[-1])] = around[-1]
    loops = list(found.values())
    nested = any(a is not b and is_within(a, b) for a in loops for b in loops)
    return loops if len(function.yields) <= _MOST_YIELDS and not nested else []


def _loop_of(node: ast.YieldFrom, module: ModuleScope) -> ast.For:
    """The loop that a `yield from` stands for: `for _ in xs: yield _`."""
    known = _LOOPS.of(module)
    if id(node) not in known:
        body = ast.copy_location(ast.Expr(ast.copy_location(ast.Yield(None), node)), node)
        target = ast.copy_location(ast.Name("_", ast.Store()), node)
        known[id(node)] = ast.copy_location(ast.For(target, node.value, [body], []), node)
    return known[id(node)]
