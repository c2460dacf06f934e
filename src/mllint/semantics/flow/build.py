"""Building the event graph: one walk over the statements of a root function, callees entered where they are called.

The walk threads *open ends*: the edges that wait for the next node. `break`, `continue` and `return` redirect them, a
branch doubles them, a handler starts from every node of its body. A test that this context decides takes one branch
only; a loop over a literal tuple is walked once per element with its variable bound. Functions that contain no event
are passed over; fuel bounds the rest, and a graph that ran out of it says so (`complete`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from mllint.semantics.flow.assumptions import (
    both,
    branch_by_callback_presence,
    branch_by_gradient_guard,
    branch_by_inline_restore,
    branch_by_match_constant,
    branch_by_mode_restore,
    branch_by_module_guard,
    choices,
    first_round,
    is_requires_grad_guard,
)
from mllint.semantics.flow.batch_loops import give_roles
from mllint.semantics.flow.comprehensions import COMPREHENSIONS, as_loops
from mllint.semantics.flow.contexts import Contexts, Ends
from mllint.semantics.flow.events import (
    DESCENT_WORDS,
    FLOW_WORDS,
    assignment_events,
    call_events,
    entry_of_call,
    unknown_call,
    zeroing,
)
from mllint.semantics.flow.flow import Edge, Event, Flow, LoopRun, PathCondition
from mllint.semantics.flow.literal_loops import iterations_of
from mllint.semantics.flow.ownwork import runs_model
from mllint.semantics.flow.roots import (
    eventful_names,
    find_returned_loss,
    is_eventful,
    is_training_step,
    training_functions,
)
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.deadline import DEADLINE
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import FIELDS, Node, iterable_of, last_name, place, walk
from mllint.semantics.values.arguments import Arguments, join_arguments
from mllint.semantics.values.calls import callee, enter
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.gradmode import enters_grad_mode_by_hand, switch
from mllint.semantics.values.plain import quiet_names
from mllint.semantics.values.tensors import uses_torch
from mllint.semantics.values.values import ClassValue, FunctionValue, InstanceValue, Site, UnknownValue, Value, union

__all__ = ["build"]

_FUEL = 4000
_ENDS = 32  # more ways than these to a statement meet in a node before it: each event has an edge from every one
_IDLE: Cache[int, bool] = Cache()
"""Whether nothing happens in a statement, by its id."""
_TEST_FUEL = 500
_SIMPLE = frozenset((ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Pass))
_USE_UP = frozenset(("dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"))
_ORDER: dict[type, tuple[str, ...]] = {ast.DictComp: ("generators", "key", "value"), ast.ListComp: ("generators",
"elt"),
    ast.SetComp: ("generators", "elt"), ast.GeneratorExp: ("generators", "elt")}  # fmt: skip


def build(root: FunctionScope, frame: Frame) -> Flow:
    """The flow of a root function in its root frame."""
    return _Builder(root, frame).run()


class _Builder:
    """See the module's essay."""

    def __init__(self, root: FunctionScope, frame: Frame) -> None:
        self.flow = Flow(root, frame)
        self.frame = frame
        self.fuel = _FUEL
        self.training = training_functions(frame.project)
        self.own = eventful_names(frame.project)
        self.quiet = quiet_names(frame.project.stubs)
        self.known = _IDLE.of(frame.project)
        self.ends: Ends = []
        self.loops: tuple[LoopRun, ...] = ()
        self.conditions: tuple[tuple[Node, bool, Frame], ...] = ()
        self.assumed: tuple[PathCondition, ...] = ()
        self.jumps: list[tuple[Ends, Ends, int]] = []
        self.base = 0  # how much was assumed where the function begins
        self.returns: list[Ends] = [[]]
        self.used_up: set[int] = set()  # calls of generators that are used up where they stand
        self.grad_off: list[bool | None] = [False]
        self.contexts = Contexts(self)
        self.depth = 0

    def run(self) -> Flow:
        self.emit(Event("entry", self.flow.site, self.frame, UnknownValue()))
        self.body(self.flow.root, self.frame)
        self.ends += self.returns.pop()
        if is_training_step(self.flow.root):
            self.handed()
        self.emit(Event("exit", self.flow.site, self.frame, UnknownValue()))
        give_roles(self.flow)
        return self.flow

    def handed(self) -> None:
        """A training step hands its loss to a framework, which runs backward from it."""
        for statement in self.flow.root.returns:
            if statement.value is not None:
                loss = find_returned_loss(evaluate(statement.value, self.frame))
                site = Site(self.frame.module, statement.value)
                self.emit(Event("hands_loss", site, self.frame, loss, call=statement.value))

    # ------------------------------------------------------------------------------------------------------- nodes
    def node(self, event: Event | None) -> int:
        flow = self.flow
        index = len(flow.nodes)
        flow.nodes.append(event)
        flow.edges.append([])
        flow.loops_at.append(self.loops)
        for source, tag, assumed, loop in self.ends:
            flow.edges[source].append(Edge(index, tag, assumed, loop))
        self.ends = [(index, "", (), None)]
        return index

    def emit(self, event: Event) -> Event:
        event.loops, event.conditions, event.grad_off = self.loops, self.conditions, self.grad_off[-1]
        event.assumed = self.assumed
        event.index = self.node(event)
        self.flow.by_kind.setdefault(event.kind, []).append(event)
        return event

    def close(self, target: int, tag: str, loop: LoopRun | None) -> None:
        """Connect the open ends to an existing node."""
        for source, _, assumed, _ in self.ends:
            self.flow.edges[source].append(Edge(target, tag, assumed, loop))
        self.ends = []

    # -------------------------------------------------------------------------------------------------- statements
    def body(self, function: FunctionScope, frame: Frame) -> None:
        self.grad_off.append(self.decorated(function, frame.outer()))
        if isinstance(function.node, ast.Lambda):
            self.expression(function.node.body, frame)
        else:
            self.block(function.body, frame)
        self.grad_off.pop()

    def decorated(self, function: FunctionScope, outer: Frame) -> bool | None:
        """Are gradients off inside a function, by its decorators or where it is called?"""
        off = self.grad_off[-1]
        for decorator in function.decorators:
            state = switch(decorator, outer)
            off = off if state == "same" else None if state is None else not state
        by_hand = "__enter__" in function.called_names and enters_grad_mode_by_hand(outer.project.frame(function))
        return None if by_hand else off

    def block(self, body: list[ast.stmt], frame: Frame) -> None:
        before = self.conditions, self.assumed
        DEADLINE.check()
        for statement in body:
            self.fuel -= 1
            if self.fuel < 0:
                self.flow.complete = False
                break
            if not self.ends:
                break
            if self.idle(statement, frame):
                continue
            handler = _STATEMENTS.get(statement.__class__)
            if handler is not None:
                handler(self, statement, frame)
            else:
                self.expression(statement, frame)
            if len(self.ends) > _ENDS:
                self.node(None)
        self.conditions, self.assumed = before

    def idle(self, node: Node, frame: Frame) -> bool:
        """Does nothing happen in a statement, in whatever context: no event, no jump, nothing to enter?"""
        known = self.known.get(id(node))
        if known is None:
            kind = node.__class__
            if kind is ast.If:
                branches = (*node.body, *node.orelse)
                known = all(self.idle(inner, frame) for inner in branches) and self.still(node.test, frame)
            else:
                known = kind in _SIMPLE and not _sets_grad_or_freezes(node) and self.still(node, frame)
            self.known[id(node)] = known
        return known

    def still(self, node: Node, frame: Frame) -> bool:
        """Are all calls in a statement or an expression quiet?"""
        for inner in walk(node):
            if inner.__class__ is ast.Yield:
                return False
            if inner.__class__ is ast.Call:
                if _is_exit_call(inner) or not self.is_quiet(last_name(inner.func), inner.func, frame):
                    return False
        return True

    def is_quiet(self, name: str, func: Node, frame: Frame) -> bool:
        """Does a call by this name do nothing that any rule asks about?"""
        return (
            name in self.quiet
            and name not in FLOW_WORDS
            and name not in DESCENT_WORDS
            and name not in self.own
            and not (func.__class__ is ast.Name and _is_bound_name(name, frame))
        )

    def assign(self, node: Node, frame: Frame) -> None:
        if node.value is not None:
            self.expression(node.value, frame)
            for event in assignment_events(node, frame):
                self.emit(event)

    def if_(self, node: ast.If, frame: Frame) -> None:
        self.expression(node.test, frame)
        off = self.grad_off[-1]
        truth = not off if off is not None and is_requires_grad_guard(node) else branch_by_gradient_guard(node.test)
        if truth is None:
            truth = truth_of_test(node.test, frame)
        if truth is None:
            truth = branch_by_mode_restore(node, frame)
        if truth is None:
            truth = branch_by_callback_presence(node)
        if truth is None:
            truth = branch_by_module_guard(node, frame)
        if truth is not None:
            self.block(node.body if truth else node.orelse, frame)
            return
        start: Ends = [(self.node(None), "", (), None)]
        after: Ends = []
        before, known = self.conditions, self.assumed
        sides, stays = both(node.test, frame), list[bool]()
        for branch, polarity in ((node.body, True), (node.orelse, False)):
            assumed = sides[0] if polarity else sides[1]
            self.ends = [(source, tag, assumed, loop) for source, tag, _, loop in start]
            self.conditions = (*before, (node.test, polarity, frame))
            self.assumed = (*known, *assumed)
            self.block(branch, frame)
            stays.append(bool(self.ends))
            after += self.ends
        self.conditions, self.assumed = before, known
        self.ends = after
        if not stays[0] and not node.orelse:
            self.assumed = (*known, *sides[1])
            if isinstance(node.body[-1], ast.Continue):
                self.conditions = (*before, (node.test, False, frame))

    def for_(self, node: Node, frame: Frame) -> None:
        if all(self.idle(statement, frame) for statement in node.body):
            self.used_up.add(id(iterable_of(node.iter)))
        self.expression(node.iter, frame)
        iterates = evaluate(node.iter, frame)
        iterations = iterations_of(iterates) if isinstance(node.target, ast.Name) else []
        if iterations:
            self.unrolled(node, iterations, frame)
        else:
            self.loop(node, iterates, frame)

    def unrolled(self, node: Node, iterations: list[tuple[Value, bool]], frame: Frame) -> None:
        """A loop over a literal tuple: once per element, the variable bound; some may be left out."""
        binding = next(b for b in frame.function.bindings[node.target.id] if b.node is node.target)
        after: Ends = []
        for part, always in iterations:
            around = [] if always else list(self.ends)
            breaks: Ends = []
            continues: Ends = []
            self.jumps.append((breaks, continues, len(self.assumed)))
            self.block(node.body, frame.overriding({id(binding): part}))
            self.jumps.pop()
            self.ends += [*continues, *around]
            after += breaks
        self.block(node.orelse, frame)
        self.ends += after

    def while_(self, node: ast.While, frame: Frame) -> None:
        self.loop(node, None, frame)

    def loop(self, node: Node, iterates: Value | None, frame: Frame) -> None:
        run = LoopRun(node, frame, iterates, self.loops, len(self.conditions))
        self.flow.runs.append(run)
        before = self.loops
        self.loops = (*before, run)
        run.head = self.node(None)
        endless = False
        if isinstance(node, ast.While):
            self.expression(node.test, frame)
            endless = evaluate(node.test, frame).truth is True
        begin, first = run.head, () if isinstance(node, ast.While) else first_round(node, frame)
        if first:
            self.ends = [(run.head, "", first, None)]
            begin = self.node(None)
        breaks: Ends = []
        continues: Ends = []
        self.jumps.append((breaks, continues, len(self.assumed)))
        self.block(node.body, frame)
        self.jumps.pop()
        self.ends += continues
        after: Ends = []
        if self.ends:
            tail = self.node(None)
            self.close(begin, "back", run)
            after = [] if endless else [(tail, "", (), None)]
        if not endless:
            after.append((run.head, "zero", (), None))
        self.loops = before
        self.ends = after
        if node.orelse:
            self.block(node.orelse, frame)
        self.ends = [*self.ends, *breaks]

    def with_(self, node: Node, frame: Frame) -> None:
        self.contexts.within(node, 0, frame)

    def try_(self, node: Node, frame: Frame) -> None:
        around = self.jumps[-1] if node.finalbody and self.jumps else None
        if around is not None:
            self.jumps[-1] = ([], [], around[2])
        self.returns.append([])
        before, first = list(self.ends), len(self.flow.nodes)
        self.block(node.body, frame)
        inside = range(first, len(self.flow.nodes))
        self.block(node.orelse, frame)
        after = self.ends
        for handler in node.handlers:
            self.ends = [(source, "raise", (), None) for source in (*(e[0] for e in before), *inside)]
            self.node(None)
            self.block(handler.body, frame)
            after = [*after, *self.ends]
        leaving = [(self.returns.pop(), self.returns[-1])]
        if around is not None:
            leaving += [(ends, there) for ends, there in zip(self.jumps[-1][:2], around[:2], strict=True) if ends]
            self.jumps[-1] = around
        for ends, there in leaving:
            self.ends = ends
            self.block(node.finalbody, frame)
            there.extend(self.ends)
        self.ends = after
        self.block(node.finalbody, frame)

    def match_(self, node: ast.Match, frame: Frame) -> None:
        self.expression(node.subject, frame)
        start = list(self.ends)
        after: Ends = []
        exhaustive = False
        given = evaluate(node.subject, frame)
        for case in node.cases:
            truth = branch_by_match_constant(case, given)
            if truth is False or exhaustive:
                continue
            exhaustive |= truth is True
            self.ends = list(start)
            self.node(None)
            self.block(case.body, frame)
            after += self.ends
        self.ends = after if exhaustive else [*after, *start]

    def return_(self, node: ast.Return, frame: Frame) -> None:
        if node.value is not None:
            self.expression(node.value, frame)
        self.returns[-1] += self.ends
        self.ends = []
        self.flow.jumping.update([assumption.key for assumption in self.assumed[self.base :]])

    def raise_(self, node: Node, frame: Frame) -> None:
        self.ends = []

    def jump(self, node: Node, frame: Frame) -> None:
        if self.jumps:
            breaks, continues, base = self.jumps[-1]
            (breaks if isinstance(node, ast.Break) else continues).extend(self.ends)
            self.flow.jumping.update([assumption.key for assumption in self.assumed[base:]])
        self.ends = []

    def nothing(self, node: Node, frame: Frame) -> None:
        pass

    # ------------------------------------------------------------------------------------------------- expressions
    def expression(self, node: Node, frame: Frame) -> None:
        kind = node.__class__
        if kind is ast.Call:
            self.call(node, frame)
            return
        if kind is ast.Lambda or kind is ast.Constant or kind is ast.Name:
            return
        if kind is ast.IfExp:
            self.conditional(node, frame)
            return
        if kind in COMPREHENSIONS and not self.still(node, frame):
            self.for_(as_loops(node, frame.project), frame)
            return
        if kind is ast.Yield and self.contexts.resume():
            return
        for field in _ORDER.get(kind, FIELDS.get(kind, ())):
            child = getattr(node, field, None)
            if child.__class__ is list:
                for item in child:
                    if isinstance(item, ast.AST):
                        self.expression(item, frame)
            elif isinstance(child, ast.AST):
                self.expression(child, frame)

    def conditional(self, node: ast.IfExp, frame: Frame) -> None:
        self.expression(node.test, frame)
        start = list(self.ends)
        truth = evaluate(node.test, frame).truth
        if truth is None:
            truth = branch_by_inline_restore(node)
        after: Ends = []
        for branch, polarity in ((node.body, True), (node.orelse, False)):
            if truth is None or truth is polarity:
                self.ends = list(start)
                self.expression(branch, frame)
                after += self.ends
        self.ends = list(dict.fromkeys(after))  # once where no branch did anything: each would double them

    def call(self, node: ast.Call, frame: Frame) -> None:
        if node.func.__class__ is ast.Name and node.func.id in _USE_UP and not _is_bound_name(node.func.id, frame):
            self.used_up.update([id(argument) for argument in node.args])
        if isinstance(node.func, (ast.Attribute, ast.Call, ast.Subscript)):
            self.expression(node.func, frame)
        for argument in node.args:
            self.expression(argument, frame)
        for keyword in node.keywords:
            self.expression(keyword.value, frame)
        if _is_exit_call(node):
            self.ends = []
            return
        name = last_name(node.func)
        if self.is_quiet(name, node.func, frame):
            return
        cleared = zeroing(node, frame)
        if cleared is not None:
            self.emit(cleared)
            return
        alternatives = _grouped(callee(node, frame).alternatives)
        if len(alternatives) == 1:
            self.target(node, alternatives[0], frame)
            return
        start, after, known = list(self.ends), [], self.assumed
        for alternative, chosen in zip(alternatives, choices(node, alternatives, frame), strict=True):
            given = [(source, tag, (*assumed, *chosen), loop) for source, tag, assumed, loop in start]
            self.ends, self.assumed = list(given), (*known, *chosen)
            self.target(node, alternative, frame)
            after += self.ends if self.ends != given else start
        self.ends, self.assumed = list(dict.fromkeys(after)), known

    def target(self, node: ast.Call, target: Value, frame: Frame) -> None:
        """One alternative of a call: its events, then the function it enters."""
        found = call_events(node, target, frame)
        for event in found:
            if event.kind == "applies_grad":
                for function, inner in self.closures(node, target, frame):
                    self.inline(function, inner)
            self.emit(event)
        if found and found[0].kind not in ("creates", "forward"):
            return
        entry = entry_of_call(target)
        if entry is None:
            return
        function, receiver, closure = entry
        if function.name == "forward" and found:
            return
        if not (id(function) in self.training or is_eventful(function)):
            if receiver is not None and isinstance(target, FunctionValue) and runs_model(function, receiver, frame):
                self.own_work(node, function, receiver, frame)
            return
        if self.depth > 6:
            return
        if isinstance(target, ClassValue):
            receiver = evaluate(node, frame)
            if not isinstance(receiver, InstanceValue):
                return
        arguments = join_arguments(target, node, frame)
        if function.is_generator and id(node) not in self.used_up:
            for event in unknown_call(node, frame, Site(frame.module, node)):
                self.emit(event)
            return
        callee_frame = enter(function, receiver, arguments, frame, closure=closure, node=node)
        if callee_frame is not None:
            callee_frame.value_depth = 0
            self.inline(function, callee_frame)

    def own_work(self, node: ast.Call, function: FunctionScope, model: Value, frame: Frame) -> None:
        """A method by which a model is run: `model.loss(x)`."""
        self.grad_off.append(self.decorated(function, frame.project.frame(function.module.body)))
        self.emit(Event("forward", Site(frame.module, node), frame, model, call=node, option="method"))
        self.grad_off.pop()

    def closures(self, node: ast.Call, target: Value, frame: Frame) -> list[tuple[FunctionScope, Frame]]:
        """Functions handed to a call that runs them (`optimizer.step(closure)`), with their frames."""
        found = []
        for argument in (*node.args, *(k.value for k in node.keywords)):
            if isinstance(argument, (ast.Name, ast.Lambda, ast.Attribute)):
                value = evaluate(argument, frame)
                ran = value.target if isinstance(value, FunctionValue) else None
                if isinstance(value, FunctionValue) and isinstance(ran, FunctionScope) and not ran.stubbed:
                    inner = enter(
                        ran,
                        value.receiver,
                        Arguments(None, frame),
                        frame,
                        closure=value.closure,
                        node=argument,
                    )
                    if inner is not None:
                        found.append((ran, inner))
        return found

    def inline(self, function: FunctionScope, frame: Frame, part: list[ast.stmt] | None = None) -> None:
        """Walk a callee's body, or a part of it, in its frame, as part of this graph."""
        self.depth += 1
        jumps, self.jumps = self.jumps, []
        base, self.base = self.base, len(self.assumed)
        self.returns.append([])
        if part is None:
            self.body(function, frame)
        else:
            self.block(part, frame)
        self.ends += self.returns.pop()
        self.jumps, self.base = jumps, base
        self.depth -= 1


def _grouped(alternatives: tuple[Value, ...]) -> list[Value]:
    """Alternatives that call one method on different receivers are one call about all of them."""
    groups: dict[int, list[Value]] = {}
    for value in alternatives:
        bound = value.function if isinstance(value, FunctionValue) and value.receiver is not None else None
        groups.setdefault(id(bound) if bound is not None and bound.stubbed else id(value), []).append(value)
    return [_as_one(group) for group in groups.values()]


def _as_one(group: list[Value]) -> Value:
    """One method, bound to whatever any of some values is bound to."""
    first = group[0]
    if len(group) == 1 or not isinstance(first, FunctionValue):
        return first
    return first.bound_to(union([v.receiver for v in group if isinstance(v, FunctionValue) and v.receiver is not None]))


def truth_of_test(test: Node, frame: Frame) -> bool | None:
    """Is a test decided? Where no torch is near, one that takes long to work out hardly ever is, and is left open."""
    if uses_torch(frame):
        return evaluate(test, frame).truth
    project, fuel = frame.project, frame.project.fuel
    project.fuel = allowed = min(fuel, _TEST_FUEL)
    truth = evaluate(test, frame).truth
    project.allow(project.fuel + fuel - allowed)
    return truth


def _is_bound_name(name: str, frame: Frame) -> bool:
    """Is it a name of the file's own, or an alias of something?"""
    return name in frame.function.bindings or name in frame.module.body.bindings


def _sets_grad_or_freezes(node: Node) -> bool:
    """Does an assignment set a gradient, or freeze?"""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    if node.__class__ is ast.AugAssign and any(getattr(n, "attr", "") == "grad" for n in walk(node.value)):
        return True  # `w -= rate * w.grad`
    targets = [part for t in targets for part in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return any(isinstance(t, ast.Attribute) and t.attr in ("grad", "_grad", "requires_grad") for t in targets)


def _is_exit_call(node: ast.Call) -> bool:
    name = place(node.func)
    return name in ("sys.exit", "exit", "quit", "os._exit", "os.abort")


_STATEMENTS: dict[type, Callable[[_Builder, Node, Frame], None]] = {
    ast.Assign: _Builder.assign, ast.AnnAssign: _Builder.assign, ast.AugAssign: _Builder.assign, ast.If: _Builder.if_,
    ast.For: _Builder.for_, ast.AsyncFor: _Builder.for_, ast.While: _Builder.while_, ast.With: _Builder.with_,
    ast.AsyncWith: _Builder.with_, ast.Try: _Builder.try_, ast.Match: _Builder.match_, ast.Return: _Builder.return_,
    ast.Raise: _Builder.raise_, ast.Break: _Builder.jump, ast.Continue: _Builder.jump,
    ast.FunctionDef: _Builder.nothing,
    ast.AsyncFunctionDef: _Builder.nothing, ast.ClassDef: _Builder.nothing, ast.Import: _Builder.nothing,
    ast.ImportFrom: _Builder.nothing, ast.Global: _Builder.nothing, ast.Nonlocal: _Builder.nothing,
    ast.Pass: _Builder.nothing,
}  # fmt: skip
if hasattr(ast, "TryStar"):
    _STATEMENTS[ast.TryStar] = _Builder.try_
