"""Building the event graph: one walk over the statements of a root function, callees entered where they are called.

The walk threads *open ends*: the edges that wait for the next node. `break`, `continue` and `return` redirect them, a
branch doubles them, a handler starts from every node of its body. A test that this context decides takes one branch
only; a loop over a literal tuple is walked once per element with its variable bound. Functions that contain no event
are passed over; fuel bounds the rest, and a graph that ran out of it says so (`complete`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from mllint.semantics.flow.alternatives import grouped
from mllint.semantics.flow.assumptions import both, choices, first_round
from mllint.semantics.flow.batch_loops import give_roles
from mllint.semantics.flow.comprehensions import COMPREHENSIONS, as_loops
from mllint.semantics.flow.contexts import MAX_DEPTH, Contexts
from mllint.semantics.flow.decided_branches import (
    DECIDERS,
    branch_by_inline_restore,
    branch_by_match_constant,
    is_requires_grad_guard,
)
from mllint.semantics.flow.events import Entry, call_events, entry_of_call, unknown_call
from mllint.semantics.flow.flags import forgotten_flags, settled_flags, without_flags
from mllint.semantics.flow.flow import Edge, Event, Flow, LoopRun, PathCondition
from mllint.semantics.flow.generator_loops import EXHAUSTING, GeneratorLoops
from mllint.semantics.flow.gradient_writes import assignment_events, zeroing
from mllint.semantics.flow.idle import YIELDS, IdleCode, is_bound_name, is_exit_call
from mllint.semantics.flow.literal_loops import iterations_of
from mllint.semantics.flow.open_ends import End, Ends, Jumps
from mllint.semantics.flow.ownwork import runs_model
from mllint.semantics.flow.roots import find_returned_loss, is_eventful, is_training_step, training_functions
from mllint.semantics.syntax.deadline import DEADLINE
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import FIELDS, Node, all_arguments, iterable_of, last_name
from mllint.semantics.values.arguments import Arguments, join_arguments
from mllint.semantics.values.bodies import enter
from mllint.semantics.values.calls import callee
from mllint.semantics.values.comprehended import rounds_of
from mllint.semantics.values.decorators import wrapped_functions
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.gradmode import enters_grad_mode_by_hand, switch
from mllint.semantics.values.values import ClassValue, FunctionValue, InstanceValue, Site, UnknownValue, Value

__all__ = ["Condition", "build"]

Condition: TypeAlias = tuple[Node, bool, Frame]
"""A test, its answer, and where it is asked."""

_FUEL = 4000
_MAX_ENDS = 32  # more ways than these to a statement meet in a node before it: each event has an edge from every one


def build(root: FunctionScope, frame: Frame) -> Flow:
    """The flow of a root function in its root frame."""
    return _Builder(root, frame).run()


class _Builder:
    """The walk over the statements of a root function: see the module's essay.

    Attributes:
        ends: the edges that wait for the next node; empty where no way leads on.
        loops: the loops around the present statement, outermost first.
        conditions: the tests around it, with their answers.
        assumed: what is assumed there.
        assumed_before: how much was assumed where the present function begins.
        jumps: where `break` and `continue` lead, for each loop of the present function.
        returns: the ends at each `return`, for each function (and each `try`) that is entered.
        grad_off: whether gradients are off, for each function and `with` that is entered; None where nobody can tell.
        exhausted_calls: calls of generators, by their ids, that are used up where they stand.
        depth: how many calls are entered.
    """

    def __init__(self, root: FunctionScope, frame: Frame) -> None:
        self.flow = Flow(root, frame)
        self.frame = frame
        self.fuel = _FUEL
        self.training_functions = training_functions(frame.project)
        self.idle = IdleCode(frame.project)
        self.ends: Ends = []
        self.loops: tuple[LoopRun, ...] = ()
        self.conditions: tuple[Condition, ...] = ()
        self.assumed: tuple[PathCondition, ...] = ()
        self.assumed_before = 0
        self.jumps: list[Jumps] = []
        self.returns: list[Ends] = [[]]
        self.grad_off: list[bool | None] = [False]
        self.exhausted_calls: set[int] = set()
        self.contexts = Contexts(self)
        self.generators = GeneratorLoops(self, frame.project)
        self.depth = 0

    def run(self) -> Flow:
        """The flow, with everything in it."""
        self.emit(Event("entry", self.flow.site, self.frame, UnknownValue()))
        self.idle.enter(self.flow.root)
        self.visit_function(self.flow.root, self.frame)
        self.ends += self.returns.pop()
        if is_training_step(self.flow.root):
            self.emit_returned_losses()
        self.emit(Event("exit", self.flow.site, self.frame, UnknownValue()))
        give_roles(self.flow)
        return self.flow

    def emit_returned_losses(self) -> None:
        """A training step hands its loss to a framework, which runs backward from it."""
        for statement in self.flow.root.returns:
            if statement.value is not None:
                loss = find_returned_loss(evaluate(statement.value, self.frame))
                site = Site(self.frame.module, statement.value)
                self.emit(Event("hands_loss", site, self.frame, loss, call=statement.value))

    # ------------------------------------------------------------------------------------------------------- nodes
    def add_node(self, event: Event | None) -> int:
        """Let all open ends meet in a new node, and give its index; it is the only open end now."""
        flow = self.flow
        index = len(flow.nodes)
        flow.nodes.append(event)
        flow.edges.append([])
        flow.loops_at.append(self.loops)
        for source, tag, assumed in self.ends:
            flow.edges[source].append(Edge(index, tag, assumed))
        self.ends = [End(index)]
        return index

    def emit(self, event: Event) -> None:
        """Add an event that happens here."""
        event.loops, event.conditions, event.grad_off = self.loops, self.conditions, self.grad_off[-1]
        event.assumed = self.assumed
        event.index = self.add_node(event)
        self.flow.by_kind.setdefault(event.kind, []).append(event)

    def repeat(self, begin: int, loop: LoopRun) -> None:
        """Lead all open ends back to the node where a loop begins."""
        for source, _, assumed in self.ends:
            self.flow.edges[source].append(Edge(begin, "back", assumed, loop))
        self.ends = []

    # -------------------------------------------------------------------------------------------------- statements
    def visit_function(self, function: FunctionScope, frame: Frame) -> None:
        """The body of a function, which is entered in `frame`."""
        self.grad_off.append(self.is_grad_off_in(function, frame.outer()))
        if isinstance(function.node, ast.Lambda):
            self.visit_expression(function.node.body, frame)
        else:
            self.visit_block(function.body, frame)
        self.grad_off.pop()

    def is_grad_off_in(self, function: FunctionScope, outer: Frame) -> bool | None:
        """True if gradients are off inside `function`, by its decorators or where it is called; None if unknown."""
        off = self.grad_off[-1]
        for decorator in function.decorators:
            state = switch(decorator, outer)
            off = off if state == "same" else None if state is None else not state
        by_hand = "__enter__" in function.called_names and enters_grad_mode_by_hand(outer.project.frame(function))
        return None if by_hand else off

    def visit_block(self, body: list[ast.stmt], frame: Frame) -> None:
        """Statements, one after the other, as far as a way leads and there is fuel."""
        before = self.conditions, self.assumed
        DEADLINE.check()
        is_idle = self.idle.is_idle
        for statement in body:
            self.fuel -= 1
            if self.fuel < 0:
                self.flow.complete = False
                break
            if not self.ends:
                break
            if is_idle(statement, frame):
                continue
            visit = _VISITORS.get(statement.__class__)
            if visit is not None:
                visit(self, statement, frame)
            else:
                self.visit_expression(statement, frame)
            if len(self.ends) > _MAX_ENDS:
                self.add_node(None)
        self.conditions, self.assumed = before

    def visit_assignment(self, node: Node, frame: Frame) -> None:
        """What an assignment computes, then what it does."""
        if node.value is not None:
            self.visit_expression(node.value, frame)
            for event in assignment_events(node, frame):
                self.emit(event)
            self.settle(settled_flags(node, frame))

    def settle(self, flags: list[tuple[PathCondition, bool]]) -> None:
        """Add a node behind which it is known what some flags are, or not known any more."""
        if flags and self.ends:
            self.flow.settled[self.add_node(None)] = flags

    def visit_delete(self, node: ast.Delete, frame: Frame) -> None:
        """What `del` does: `del p.grad`."""
        for event in assignment_events(node, frame):
            self.emit(event)

    def visit_if(self, node: ast.If, frame: Frame) -> None:
        """The branch that is taken, or either under what it assumes.

        Behind an `if` whose body leaves the block, the rest of the block assumes that its test does not hold.
        """
        self.visit_expression(node.test, frame)
        taken = self.taken_branch(node, frame)
        if taken is not None:
            self.visit_block(node.body if taken else node.orelse, frame)
            self.settle(forgotten_flags(node.orelse if taken else node.body, frame))
            return
        test = self.add_node(None)
        holds, fails = both(node.test, frame)
        after = self.visit_branch(node.body, End(test, "", holds), (node.test, True, frame), frame)
        other = self.visit_branch(node.orelse, End(test, "", fails), (node.test, False, frame), frame)
        self.ends = [*after, *other]
        if not after and not node.orelse:
            self.assumed = (*self.assumed, *without_flags(fails))
            if isinstance(node.body[-1], ast.Continue):
                self.conditions = (*self.conditions, (node.test, False, frame))

    def taken_branch(self, node: ast.If, frame: Frame) -> bool | None:
        """True if only the body of the `if` is taken here, False if only its `else`, None if either may be."""
        off = self.grad_off[-1]
        if off is not None and is_requires_grad_guard(node):
            return not off
        for decide in DECIDERS:
            taken = decide(node, frame)
            if taken is not None:
                return taken
        return None

    def visit_branch(self, branch: list[ast.stmt], start: End, condition: Condition, frame: Frame) -> Ends:
        """One branch of an `if`, under its condition.

        Args:
            branch: its statements.
            start: the way into it, with what that assumes.
            condition: the test, and which answer leads here.
            frame: where it runs.

        Returns:
            The ends that it comes to.
        """
        before = self.conditions, self.assumed
        self.ends = [start]
        self.conditions, self.assumed = (*self.conditions, condition), (*self.assumed, *without_flags(start.assumed))
        self.visit_block(branch, frame)
        self.conditions, self.assumed = before
        return self.ends

    def visit_for(self, node: Node, frame: Frame) -> None:
        """A `for` loop, or what stands for one."""
        if all(self.idle.is_idle(statement, frame) for statement in node.body):
            self.exhausted_calls.add(id(iterable_of(node.iter)))
        elif self.generators.enter(node, frame):
            return
        self.visit_expression(node.iter, frame)
        iterates = evaluate(node.iter, frame)
        is_literal = isinstance(node.target, ast.Name) and id(node) not in self.generators.written_as
        iterations = iterations_of(iterates) if is_literal else []
        if iterations:
            self.unroll(node, iterations, frame)
        else:
            self.visit_loop(node, iterates, frame)

    def visit_comprehension(self, node: Node, frame: Frame) -> None:
        """A comprehension: round by round where these are known, else as a loop."""
        loop, rounds = as_loops(node, frame.project), rounds_of(node, frame)
        if not rounds:
            self.visit_for(loop, frame)
            return
        self.visit_expression(loop.iter, frame)
        for inner in rounds:
            self.visit_block(loop.body, inner)

    def unroll(self, node: Node, iterations: list[tuple[Value, bool]], frame: Frame) -> None:
        """A loop over a literal tuple: once per element, the variable bound; some may be left out."""
        binding = next(b for b in frame.function.bindings[node.target.id] if b.node is node.target)
        after: Ends = []
        for part, always in iterations:
            around = [] if always else list(self.ends)
            jumps = Jumps([], [], len(self.assumed))
            self.jumps.append(jumps)
            self.visit_block(node.body, frame.overriding({id(binding): part}))
            self.jumps.pop()
            self.ends += [*jumps.continues, *around]
            after += jumps.breaks
        self.visit_block(node.orelse, frame)
        self.ends += after

    def visit_while(self, node: ast.While, frame: Frame) -> None:
        """A `while` loop."""
        self.visit_loop(node, None, frame)

    def visit_loop(self, node: Node, iterates: Value | None, frame: Frame) -> None:
        """A loop: its body once, a way back to its head, and one past it.

        Args:
            node: the loop.
            iterates: what it iterates over; None for `while`.
            frame: where it runs.
        """
        written, around = self.generators.written_as.get(id(node), (node, frame))
        before = self.loops
        run = LoopRun(written, around, iterates, before, len(self.conditions))
        self.flow.runs.append(run)
        self.loops = (*before, run)
        begin = run.head = self.add_node(None)
        endless = False
        if isinstance(node, ast.While):
            self.visit_expression(node.test, frame)
            endless = evaluate(node.test, frame).truth is True
        else:
            first = first_round(node, frame)
            if first:
                self.ends = [End(run.head, "", first)]
                begin = self.add_node(None)
        self.generators.begin_iteration(node)
        jumps = Jumps([], [], len(self.assumed))
        self.jumps.append(jumps)
        self.visit_block(node.body, frame)
        self.jumps.pop()
        self.ends += jumps.continues
        after: Ends = []
        if self.ends:
            tail = self.add_node(None)
            self.repeat(begin, run)
            after = [] if endless else [End(tail)]
        if not endless:
            after.append(End(run.head, "zero"))
        self.loops, self.ends = before, after
        self.visit_block(node.orelse, frame)
        self.ends = [*self.ends, *jumps.breaks]

    def visit_with(self, node: Node, frame: Frame) -> None:
        """A `with` statement."""
        self.contexts.within(node, 0, frame)

    def visit_try(self, node: Node, frame: Frame) -> None:
        """A `try` statement; what leaves it early is led through its `finally`."""
        around = self.jumps[-1] if node.finalbody and self.jumps else None
        if around is not None:
            self.jumps[-1] = Jumps([], [], around.assumed_before)
        self.returns.append([])
        after = self.visit_handled(node, frame)
        leaving = [(self.returns.pop(), self.returns[-1])]
        if around is not None:
            inner = self.jumps[-1]
            for ends, there in ((inner.breaks, around.breaks), (inner.continues, around.continues)):
                if ends:
                    leaving.append((ends, there))
            self.jumps[-1] = around
        for ends, there in leaving:
            self.ends = ends
            self.visit_block(node.finalbody, frame)
            there.extend(self.ends)
        self.ends = after
        self.visit_block(node.finalbody, frame)

    def visit_handled(self, node: Node, frame: Frame) -> Ends:
        """The body, the handlers and the `else` of a `try`; gives the ends of all that come to their end."""
        before, first = list(self.ends), len(self.flow.nodes)
        self.visit_block(node.body, frame)
        inside = range(first, len(self.flow.nodes))
        self.visit_block(node.orelse, frame)
        after = self.ends
        for handler in node.handlers:
            self.ends = [End(source, "raise") for source in (*(end.source for end in before), *inside)]
            self.add_node(None)
            self.visit_block(handler.body, frame)
            after = [*after, *self.ends]
        return after

    def visit_match(self, node: ast.Match, frame: Frame) -> None:
        """A `match` statement: each case that may be taken."""
        self.visit_expression(node.subject, frame)
        start = list(self.ends)
        after: Ends = []
        exhaustive = False
        subject = evaluate(node.subject, frame)
        for case in node.cases:
            taken = branch_by_match_constant(case, subject)
            if taken is False or exhaustive:
                continue
            exhaustive |= taken is True
            self.ends = list(start)
            self.add_node(None)
            self.visit_block(case.body, frame)
            after += self.ends
        self.ends = after if exhaustive else [*after, *start]

    def visit_return(self, node: ast.Return, frame: Frame) -> None:
        """What a `return` gives, and the way out of the function."""
        if node.value is not None:
            self.visit_expression(node.value, frame)
        self.returns[-1] += self.ends
        self.ends = []
        self.flow.jumping.update([assumption.key for assumption in self.assumed[self.assumed_before :]])

    def visit_raise(self, node: Node, frame: Frame) -> None:
        """No way leads on."""
        self.ends = []

    def visit_jump(self, node: Node, frame: Frame) -> None:
        """The way that `break` or `continue` takes."""
        if self.jumps:
            jumps = self.jumps[-1]
            (jumps.breaks if isinstance(node, ast.Break) else jumps.continues).extend(self.ends)
            self.flow.jumping.update([assumption.key for assumption in self.assumed[jumps.assumed_before :]])
        self.ends = []

    def skip(self, node: Node, frame: Frame) -> None:
        """Nothing happens where a function or class is defined or a name is imported."""

    # ------------------------------------------------------------------------------------------------- expressions
    def visit_expression(self, node: Node, frame: Frame) -> None:
        """The calls in an expression, or in a statement without a visitor, in their order."""
        kind = node.__class__
        if kind is ast.Call:
            self.visit_call(node, frame)
            return
        if kind is ast.Lambda or kind is ast.Constant or kind is ast.Name:
            return
        if kind is ast.IfExp:
            self.visit_conditional(node, frame)
            return
        if kind in COMPREHENSIONS:
            if not self.idle.has_only_quiet_calls(node, frame):
                self.visit_comprehension(node, frame)
            return
        if kind in YIELDS and self.generators.resume(node, frame):
            return
        for field in FIELDS.get(kind, ()):
            child = getattr(node, field, None)
            if child.__class__ is list:
                for item in child:
                    if isinstance(item, ast.AST):
                        self.visit_expression(item, frame)
            elif isinstance(child, ast.AST):
                self.visit_expression(child, frame)

    def visit_conditional(self, node: ast.IfExp, frame: Frame) -> None:
        """The side of `a if test else b` that is taken, or both."""
        self.visit_expression(node.test, frame)
        start = list(self.ends)
        truth = evaluate(node.test, frame).truth
        if truth is None:
            truth = branch_by_inline_restore(node)
        after: Ends = []
        for branch, polarity in ((node.body, True), (node.orelse, False)):
            if truth is None or truth is polarity:
                self.ends = list(start)
                self.visit_expression(branch, frame)
                after += self.ends
        self.ends = list(dict.fromkeys(after))  # once where no branch did anything: each would double them

    def visit_call(self, node: ast.Call, frame: Frame) -> None:
        """What a call is handed, then what it does."""
        if node.func.__class__ is ast.Name and node.func.id in EXHAUSTING and not is_bound_name(node.func.id, frame):
            self.exhausted_calls.update([id(argument) for argument in node.args])
        if isinstance(node.func, (ast.Attribute, ast.Call, ast.Subscript)):
            self.visit_expression(node.func, frame)
        for argument in node.args:
            self.visit_expression(argument, frame)
        for keyword in node.keywords:
            self.visit_expression(keyword.value, frame)
        if is_exit_call(node):
            self.ends = []
            return
        if self.idle.is_quiet(last_name(node.func), node.func, frame):
            return
        cleared = zeroing(node, frame)
        if cleared is not None:
            self.emit(cleared)
            return
        alternatives = grouped(callee(node, frame).alternatives)
        if len(alternatives) == 1:
            self.visit_callee(node, alternatives[0], frame)
        else:
            self.visit_alternatives(node, alternatives, frame)

    def visit_alternatives(self, node: ast.Call, alternatives: list[Value], frame: Frame) -> None:
        """Each of the things that a call may call, under what it assumes that it is this one."""
        start, after, before = list(self.ends), list[End](), self.assumed
        for alternative, chosen in zip(alternatives, choices(node, alternatives, frame), strict=True):
            begin = [End(source, tag, (*assumed, *chosen)) for source, tag, assumed in start]
            self.ends, self.assumed = list(begin), (*before, *chosen)
            self.visit_callee(node, alternative, frame)
            after += self.ends if self.ends != begin else start
        self.ends, self.assumed = list(dict.fromkeys(after)), before

    def visit_callee(self, node: ast.Call, called: Value, frame: Frame) -> None:
        """What happens where `called` is called: its events, then the function it enters."""
        events = call_events(node, called, frame)
        for event in events:
            if event.kind == "applies_grad":
                for function, inner in self.closures(node, frame):
                    self.inline(function, inner)
            self.emit(event)
        if events and events[0].kind not in ("creates", "forward"):
            return
        entry = entry_of_call(called)
        if entry is None:
            return
        function, receiver, closure = entry
        if function.name == "forward" and events:
            return
        wrapped = wrapped_functions(called) if closure is not None else []
        if not any(map(self.is_entered, (function, *wrapped))):
            if receiver is not None and isinstance(called, FunctionValue) and runs_model(function, receiver, frame):
                self.emit_own_forward(node, function, receiver, frame)
            return
        if self.depth <= MAX_DEPTH:
            self.enter_function(node, called, entry, frame)

    def is_entered(self, function: FunctionScope) -> bool:
        """True if something happens in `function`."""
        return id(function) in self.training_functions or is_eventful(function)

    def enter_function(self, node: ast.Call, called: Value, entry: Entry, frame: Frame) -> None:
        """What happens in the function that a call enters.

        Args:
            node: the call.
            called: what is called.
            entry: the function that it enters, with its receiver and its closure.
            frame: where it is called.
        """
        function, receiver, closure = entry
        if isinstance(called, ClassValue):
            receiver = evaluate(node, frame)
            if not isinstance(receiver, InstanceValue):
                return
        arguments = join_arguments(called, node, frame)
        if function.is_generator and id(node) not in self.exhausted_calls:
            for event in unknown_call(node, frame, Site(frame.module, node)):
                self.emit(event)
            return
        inner = enter(function, receiver, arguments, frame, closure=closure, node=node)
        if inner is not None:
            inner.value_depth = 0
            self.inline(function, inner)

    def emit_own_forward(self, node: ast.Call, function: FunctionScope, model: Value, frame: Frame) -> None:
        """A call of a method by which a model is run: `model.loss(x)`."""
        self.grad_off.append(self.is_grad_off_in(function, frame.project.frame(function.module.body)))
        self.emit(Event("forward", Site(frame.module, node), frame, model, call=node, option="method"))
        self.grad_off.pop()

    def closures(self, node: ast.Call, frame: Frame) -> list[tuple[FunctionScope, Frame]]:
        """Functions handed to a call that runs them (`optimizer.step(closure)`), with their frames."""
        found = []
        for argument in all_arguments(node):
            if not isinstance(argument, (ast.Name, ast.Lambda, ast.Attribute)):
                continue
            value = evaluate(argument, frame)
            if not isinstance(value, FunctionValue):
                continue
            function, arguments = value.target, Arguments(None, frame)
            if isinstance(function, FunctionScope) and not function.stubbed:
                inner = enter(function, value.receiver, arguments, frame, closure=value.closure, node=argument)
                if inner is not None:
                    found.append((function, inner))
        return found

    def inline(self, function: FunctionScope, frame: Frame, part: list[ast.stmt] | None = None) -> None:
        """Walk the body of `function`, or a part of it, in its `frame`, as part of this graph."""
        self.depth += 1
        jumps, self.jumps = self.jumps, []
        before, self.assumed_before = self.assumed_before, len(self.assumed)
        self.returns.append([])
        self.idle.enter(function)
        if part is None:
            self.visit_function(function, frame)
            if self.flow.complete:
                self.flow.entered.add(id(function))
        else:
            self.visit_block(part, frame)
        self.ends += self.returns.pop()
        self.jumps, self.assumed_before = jumps, before
        self.depth -= 1


_VISITORS: dict[type, Callable[[_Builder, Node, Frame], None]] = {
    ast.Assign: _Builder.visit_assignment, ast.AnnAssign: _Builder.visit_assignment,
    ast.AugAssign: _Builder.visit_assignment, ast.Delete: _Builder.visit_delete, ast.If: _Builder.visit_if,
    ast.For: _Builder.visit_for, ast.AsyncFor: _Builder.visit_for, ast.While: _Builder.visit_while,
    ast.With: _Builder.visit_with, ast.AsyncWith: _Builder.visit_with, ast.Try: _Builder.visit_try,
    ast.Match: _Builder.visit_match, ast.Return: _Builder.visit_return, ast.Raise: _Builder.visit_raise,
    ast.Break: _Builder.visit_jump, ast.Continue: _Builder.visit_jump,
    ast.FunctionDef: _Builder.skip, ast.AsyncFunctionDef: _Builder.skip, ast.ClassDef: _Builder.skip,
    ast.Import: _Builder.skip, ast.ImportFrom: _Builder.skip, ast.Global: _Builder.skip,
    ast.Nonlocal: _Builder.skip, ast.Pass: _Builder.skip,
}  # fmt: skip
if hasattr(ast, "TryStar"):
    _VISITORS[ast.TryStar] = _Builder.visit_try
