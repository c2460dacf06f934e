"""Does the optimizer step only every k-th micro-batch, and how many are there before the first step?

    for i, (x, y) in enumerate(loader):
        (criterion(net(x), y) / k).backward()
        if (i + 1) % k == 0:           # the window: true at i = k - 1, after k micro-batches
            optimizer.step()

A step waits for a window when it stands in the same loop as the backward and a modulo test decides about it: by a
branch around it, by `if (i + 1) % k: continue` before it, or by a flag that was computed so. Or it stands below a loop
of its own that is counted in micro-batches: `for micro in range(accumulation_steps)`.

A function without a loop, in which a step waits, is called for each micro-batch by somebody out of sight, as a trainer
calls `training_step`. What its next call does comes after what this one did.

What is not known says nothing: a counter without a visible start has no first value, and an optimizer that divides each
gradient by its own size (`multiplies_the_step`) does not see how many were added.

What is deliberately not here: which gradients are added; that is `gradients`.

Whether the loss of a micro-batch is a mean (`is_mean`) is known for PyTorch's losses by their stubs. Any other is
followed to where it comes from, through names, sums and functions of the user's, and each end has to be a mean:
`.mean()`, a mean loss, or the `loss` that a model of transformers gives. A division on the way, or an end that is
anything else, is no mean for certain.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import Event
from mllint.semantics.flow.kinds import AccumulatesGrad, AppliesGrad, ClipsGrad, SetsGrad
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import ACCELERATOR, PRETRAINED_MODEL
from mllint.semantics.syntax.caches import Cache, cached
from mllint.semantics.syntax.module import ClassScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.training.evidence import Answer, Evidence, proven_unless
from mllint.semantics.training.gradients.computing import is_criterion_call
from mllint.semantics.training.gradients.state import changes_of, is_given_from_outside
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import has_role_name
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins
from mllint.semantics.values.values import InstanceValue, UnknownValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.flow.flow import Flow, Kind, LoopRun
    from mllint.semantics.values.values import Site, Value

__all__ = [
    "accumulates_into_step", "continue_tests_between", "divides_loss_itself", "find_events_while_waiting",
    "find_unapplied_remainder", "is_at_iteration", "is_counted", "is_divided_if_several", "is_lost_to", "is_mean",
    "is_mean_of_terms", "is_transformers_loss", "modulus", "multiplies_the_step", "repeated_around", "runs_backward",
    "steps_waiting_for", "window",
]  # fmt: skip


_THROUGH = (ast.Name, ast.Attribute, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp)
_WAITING: Cache[None, dict[Event, list[tuple[Event, Node]]]] = Cache()
_BY_LOOP: Cache[tuple[Kind, ...], dict[LoopRun | None, list[Event]]] = Cache()
_INNER: Cache[None, dict[LoopRun | None, list[LoopRun]]] = Cache()
_COUNTS: Cache[tuple[ast.AST, Frame], bool] = Cache()
_SKIPPING: Cache[ast.AST, list[ast.If]] = Cache(local=True)
_DECOUPLED = (
    "torch.optim.AdamW",
    "transformers.optimization.AdamW",
    "apex.optimizers.FusedAdam",
    "apex.optimizers.FusedLAMB",
)
_DIVIDING = tuple(f"torch.optim.{name}" for name in "Adam Adamax NAdam RAdam RMSprop Adagrad Adadelta Rprop".split())
_ENGINES = (ACCELERATOR, "lightning.fabric.Fabric")
_SUMS = (ast.Add, ast.Sub, ast.Mult)


def window(step: Event, other: Event) -> Node:
    """The test that lets a step happen every k-th time only, while `other` happens each time; None if there is none.

    Args:
        step: the event that waits.
        other: an event in the same innermost loop, or, as the step, in none.
    """
    if bool(other.loops) is not bool(step.loops):
        return None
    if step.loops and other.loops[-1] is not step.loops[-1]:
        return _micro_batches(other.loops[-1]) if other.loops[:-1] == step.loops else None
    if deciding := _modulo_tests_of(step):
        shared = {id(test) for test, _, _ in other.conditions}
        for test in deciding:
            if id(test) not in shared:
                return test
    return next((test for test in continue_tests_between(step, other) if _is_modulo_test(test, step.frame)), None)


def find_events_while_waiting(flow: Flow, step: Event, *kinds: Kind) -> Iterator[tuple[Event, Node]]:
    """The events of some kinds that happen each time while a step waits for its window, in their order, each with the
    test or the count that lets the step wait (`window`).

    Args:
        flow: the flow of all of them.
        step: the event that waits.
        kinds: what may happen each time.
    """
    for event in repeated_around(flow, step, *kinds):
        test = window(step, event)
        if test is not None:
            yield event, test


def steps_waiting_for(flow: Flow, backward: Event) -> list[tuple[Event, Node]]:
    """The steps that wait for several iterations of a backward, in their order, each with what lets it wait."""

    def waiting() -> dict[Event, list[tuple[Event, Node]]]:
        found: dict[Event, list[tuple[Event, Node]]] = {}
        for step in flow.events(AppliesGrad):
            for event, test in find_events_while_waiting(flow, step, AccumulatesGrad):
                found.setdefault(event, []).append((step, test))
        return found

    return _WAITING.answer(flow.entry, None, waiting, meanwhile={}).get(backward, [])


def repeated_around(flow: Flow, step: Event, *kinds: Kind) -> list[Event]:
    """The events of some kinds that may be repeated before a step, in their order: those in the loops right inside of
    its own, and in its own innermost loop, if a test there may let it wait; or, if it is in none and waits, those in
    none."""
    by_loop: dict[LoopRun | None, list[Event]] = _BY_LOOP.answer(
        flow.entry, kinds, lambda: _by_innermost_loop(flow, kinds), meanwhile={}
    )
    own = step.loops[-1] if step.loops else None
    runs: list[LoopRun | None] = [
        *_INNER.answer(flow.entry, None, lambda: _inner_loops(flow), meanwhile={}).get(own, ())
    ]
    if _modulo_tests_of(step) or (own is not None and _skipping(step)):
        runs.append(own)
    found = [event for run in runs for event in by_loop.get(run, ())]
    return sorted(found, key=lambda event: event.index) if len(runs) > 1 else found


def _by_innermost_loop(flow: Flow, kinds: tuple[Kind, ...]) -> dict[LoopRun | None, list[Event]]:
    """The events of some kinds by the innermost loop around them; for None, those in no loop."""
    found: dict[LoopRun | None, list[Event]] = {}
    for event in flow.events(*kinds):
        found.setdefault(event.loops[-1] if event.loops else None, []).append(event)
    return found


def _inner_loops(flow: Flow) -> dict[LoopRun | None, list[LoopRun]]:
    """The loops right inside of each loop, and, for None, those inside of no other."""
    found: dict[LoopRun | None, list[LoopRun]] = {}
    for run in flow.runs:
        found.setdefault(run.outer[-1] if run.outer else None, []).append(run)
    return found


def is_divided_if_several(flow: Flow, backward: Event, step: Event, window_test: Node) -> bool:
    """Are the gradients set between a backward and a step where their number is not one: `if k != 1: p.grad.div_(k)`?

    Args:
        flow: what all three are part of.
        backward: what fills the gradients.
        step: what applies them.
        window_test: the test, or the count, that lets the step wait.
    """
    counted = {place(n) for n in walk(window_test) if isinstance(n, (ast.Name, ast.Attribute))}
    for event in flow.events(SetsGrad):
        tested = (n for test, _, _ in event.conditions for n in walk(test))
        if any(isinstance(n, (ast.Name, ast.Attribute)) and place(n) in counted for n in tested):
            if flow.path(backward, to=event) and flow.path(event, to=step):
                return True
    return False


def _micro_batches(run: LoopRun) -> Node:
    """What a loop counts to, if it counts micro-batches by its name."""
    counts = run.node.iter if isinstance(run.node, ast.For) else None
    if not isinstance(counts, ast.Call) or last_name(counts.func) not in ("range", "trange") or len(counts.args) != 1:
        return None
    return counts if has_role_name(place(counts.args[0]), Role.ACCUMULATION) else None


def is_counted(event: Event) -> bool:
    """Does a modulo test decide about an event?"""
    return bool(_modulo_tests_of(event))


@cached()
def _modulo_tests_of(event: Event) -> list[Node]:
    """The modulo tests that decide about an event."""
    return [test for test, _, frame in event.conditions if _is_modulo_test(test, frame)]


def is_at_iteration(event: Event) -> bool:
    """Does a comparison with the number of the iteration decide about an event, as `j == 0` and `j + 1 == n` do?"""
    targets = {n.id for run in event.loops for n in walk(getattr(run.node, "target", None)) if isinstance(n, ast.Name)}
    tests = [t for t, _, _ in event.conditions if isinstance(t, ast.Compare) and isinstance(t.ops[0], ast.Eq)]
    return any(isinstance(n, ast.Name) and n.id in targets for t in tests for n in walk(t))


def _is_modulo_test(test: Node, frame: Frame) -> bool:
    """Is it a modulo test, or a name for one?"""

    def is_modulo() -> bool:
        found = origins(test, frame, through=lambda origin: isinstance(origin.node, _THROUGH))
        return any(_is_modulo_expression(origin) for origin in found)

    return _COUNTS.answer(frame.project, (test, frame), is_modulo, meanwhile=False)


def _is_modulo_expression(origin: Origin) -> bool:
    """Is it `a % b`, and not the formatting of a text?"""
    node = origin.node
    return (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mod)
        and not isinstance(node.left, (ast.Constant, ast.JoinedStr))
    )


def continue_tests_between(step: Event, other: Event) -> list[Node]:
    """The tests of `if ...: continue` between two events of one function, in the innermost loop of the step."""
    if step.function is not other.function or not step.loops:
        return []
    return [s.test for s in _skipping(step) if other.site.line < s.lineno < step.site.line]


def _skipping(step: Event) -> list[ast.If]:
    """The `if ...: continue` of the innermost loop of a step."""
    table, loop = _SKIPPING.of(step.function.module), step.loops[-1].node
    if loop not in table:
        table[loop] = [s for s in loop.body if isinstance(s, ast.If) and isinstance(s.body[-1], ast.Continue)]
    return table[loop]


def accumulates_into_step(flow: Flow, backward: Event, step: Event) -> bool:
    """Whether a backward is repeated without a step or a clear in between, and its gradients go into a step."""
    others = changes_of(step)
    if flow.path(backward, to=backward, avoiding=(step, *others)) is None:
        return False
    return flow.path(backward, to=step, avoiding=others) is not None


def is_lost_to(flow: Flow, backward: Event, clear: Event) -> bool:
    """Whether what a backward adds is cleared before it is applied: on a path to the clear, or, where neither is in a
    loop, by the next call of the function, which clears before it adds.

    Args:
        flow: what both are part of.
        backward: what fills the gradients, while the step waits.
        clear: what clears them.
    """
    if flow.path(backward, to=clear, avoiding=(AppliesGrad, SetsGrad)):
        return True
    if backward.loops or clear.loops or not flow.path(clear, to=backward, avoiding=AppliesGrad):
        return False
    deciding = [(test, holds) for test, holds, _ in backward.conditions]
    return all((test, holds) in deciding for test, holds, _ in clear.conditions)


# -------------------------------------------------------------------------------------------------------- first windows
def modulus(test: Node, held: bool) -> tuple[Node, Node] | None:
    """The counter and the number of `counter % number == 0`, also next to a test for the last micro-batch; None if
    anything else decides as well, or if the test lets through what is no multiple."""
    match test:
        case ast.Compare(left=ast.BinOp(left=count, op=ast.Mod(), right=number), ops=[how], comparators=[zero]):
            multiple = isinstance(how, ast.Eq) if held else isinstance(how, (ast.NotEq, ast.Gt))
            return (count, number) if multiple and isinstance(zero, ast.Constant) and zero.value == 0 else None
        case ast.BinOp(left=count, op=ast.Mod(), right=number):
            return (count, number) if not held else None
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return modulus(inner, not held)
        case ast.BoolOp(op=ast.Or() | ast.And() as joint, values=parts) if isinstance(joint, ast.Or) is held:
            return next((found for part in parts if (found := modulus(part, held)) is not None), None)
    return None


def find_unapplied_remainder(flow: Flow, step: Event, backward: Event, count: Node) -> Answer[Event] | None:
    """The step that leaves the last micro-batches of a loop unapplied, because its count starts anew in each epoch.

    Returns:
        The step; only possible, since nothing is left over where the number of micro-batches is a multiple. None where
        another step may take what is left, or the count goes on.
    """
    if not step.loops:
        return None
    names = {n.id for n in walk(count) if isinstance(n, ast.Name)}
    targets = {n.id for n in walk(getattr(step.loops[-1].node, "target", None)) if isinstance(n, ast.Name)}
    if not names or not names <= targets:
        return None
    if any(s is not step and s.concerns(step) is not False for s in flow.events(AppliesGrad)):
        return None
    in_epochs = len(step.loops) > 1 and step.loops[-1].role == "batch" and backward.loops == step.loops
    return Answer(step, Evidence.POSSIBLE, (step.site, backward.site)) if in_epochs else None


# ---------------------------------------------------------------------------------------------------------------- sizes
def multiplies_the_step(flow: Flow, step: Event) -> Answer[bool]:
    """Whether a sum of gradients makes a larger step than their mean; perhaps not where the optimizer divides each
    gradient by its own size, and nothing else has depended on that size."""
    sized = any(e.concerns(step) is not False for e in flow.events(ClipsGrad, SetsGrad))
    return proven_unless(not sized and all(_divides(v) for v in step.subject.alternatives), True, step.site)


def _divides(optimizer: Value) -> bool:
    """Is it of the kin of Adam, without a penalty on the weights that is added to the gradient; or may it be, because
    the project has written it?"""
    if optimizer.instance_of(*_DECOUPLED) or _is_project_optimizer(optimizer):
        return True
    penalty = constructor_argument(optimizer, "weight_decay")
    return optimizer.instance_of(*_DIVIDING) and (penalty is None or penalty.truth is False)


def _is_project_optimizer(optimizer: Value) -> bool:
    """Is it of a class of the project that is told by none of the library's what to do with a gradient?"""
    if not isinstance(optimizer, InstanceValue) or optimizer.cls.module.is_stub:
        return False
    bases = [c for c in mro(optimizer.cls)[1:] if isinstance(c, ClassScope) and c.module.is_stub]
    return [c.name for c in bases if c.name != "object"][:1] == ["Optimizer"]


def runs_backward(backward: Event) -> Value | None:
    """The accelerator, or the Fabric, that runs a backward of the loss that it is given; None for any other."""
    receiver = Call(backward.call, backward.frame).receiver
    return receiver if receiver is not None and receiver.instance_of(*_ENGINES) else None


def divides_loss_itself(backward: Event) -> bool:
    """Whether a backward is one of accelerate, which divides by the number of accumulation steps itself."""
    receiver = runs_backward(backward)
    if receiver is None or not receiver.instance_of(_ENGINES[0]):
        return False
    given = [constructor_argument(receiver, f"gradient_accumulation_{word}") for word in ("steps", "plugin")]
    return any(value is not None and value.literal != 1 for value in given)


def is_mean_of_terms(site: Site) -> bool:
    """Whether it is the mean of the terms that are added in it: `(fake + real) * 0.5`, `(a + b + c) / 3`?"""
    match site.node:
        case ast.BinOp(left=terms, op=ast.Mult(), right=ast.Constant(value=float() | int() as factor)):
            return factor * _terms(terms) == 1
        case ast.BinOp(left=ast.Constant(value=float() | int() as factor), op=ast.Mult(), right=terms):
            return factor * _terms(terms) == 1
        case ast.BinOp(left=terms, op=ast.Div(), right=ast.Constant(value=float() | int() as count)):
            return 1 < _terms(terms) == count
    return False


def _terms(node: Node) -> int:
    """How many terms are added."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _terms(node.left) + _terms(node.right)
    return 1


# -------------------------------------------------------------------------------------------------- is the loss a mean?
def is_mean(backward: Event) -> bool:
    """Whether the loss that a backward starts from is a mean, or a sum of means."""
    return _is_averaged(backward) or _is_called_mean(backward)


def _is_averaged(backward: Event) -> bool:
    node = _loss(backward.call)
    if node is None:
        return False
    found = False
    for origin in origins(node, backward.frame, through=_is_same_number_or_sum):
        match origin.node:
            case ast.BinOp(op=op):
                if not isinstance(op, _SUMS):
                    return False
            case ast.Call():
                if not _is_same_number_or_sum(origin):
                    if not _is_mean(origin):
                        return False
                    found = True
            case ast.Attribute() | ast.Subscript():
                found = found or is_transformers_loss(origin)
    return found


def _loss(call: Node) -> Node:
    """The expression that backward starts from."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    given = call.args[0] if call.args else call.func.value
    if isinstance(given, ast.Call) and last_name(given.func) == "scale" and len(given.args) == 1:
        given = given.args[0]
    return given


def _is_same_number_or_sum(origin: Origin) -> bool:
    """Is an expression the same number as what it is made of, or a sum of such?"""
    match origin.node:
        case ast.Name() | ast.UnaryOp():
            return True
        case ast.BinOp(op=op):
            return isinstance(op, _SUMS)
        case ast.Attribute():
            return isinstance(origin.node.value, ast.Name) and origin.node.value.id == "self"
        case ast.Call():
            callees = Call(origin.node, origin.frame).callees
            return bool(callees) and all(not f.stubbed and f.name != "__init__" for f in callees)
    return False


def _is_mean(origin: Origin) -> bool:
    if last_name(origin.node.func) == "mean" and len(origin.node.args) < 2 and not origin.node.keywords:
        return not _is_mean_of_quotient(origin)
    value = origin.value
    return value.is_("Loss") and not value.is_unknown and not value.has("SumLoss") and not value.has("Divided")


def _is_mean_of_quotient(origin: Origin) -> bool:
    """Is the mean taken of what was divided before: `loss = loss / steps; loss = loss.mean()`?"""
    func = origin.node.func
    node = func.value if isinstance(func, ast.Attribute) else None
    if not isinstance(node, ast.Name):
        return False
    found = (o.node for o in origins(node, origin.frame, through=_is_same_number_or_sum))
    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) for n in found)


def is_transformers_loss(origin: Origin) -> bool:
    """Is it `outputs.loss` or `outputs[0]` of what a model of transformers gives?"""
    node = origin.node
    named = isinstance(node, ast.Attribute) and node.attr == "loss"
    first = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and node.slice.value == 0
    if not named and not first:
        return False
    calls = [o for o in origins(node.value, origin.frame, through=_is_name) if isinstance(o.node, ast.Call)]
    return bool(calls) and all(_is_transformers_model_call(o) for o in calls)


def _is_transformers_model_call(origin: Origin) -> bool:
    """Is a model of transformers called, or something unknown that takes `labels=`, in a file that imports them?"""
    model = Origin(origin.node.func, origin.frame).value
    if model.instance_of(PRETRAINED_MODEL):
        return True
    named = any(k.arg == "labels" for k in origin.node.keywords)
    imported = any(name.partition(".")[0] == "transformers" for name, _ in origin.frame.module.imports)
    return named and imported and all(isinstance(v, UnknownValue) for v in model.alternatives)


def _is_called_mean(backward: Event) -> bool:
    """Is it what a criterion gives that a function is handed, if it has no known caller, or a script leaves out?"""
    node = _loss(backward.call)
    bound = backward.function.bindings.get(node.id, ()) if isinstance(node, ast.Name) else ()
    call = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" and not bound[0].path else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    return is_criterion_call(Call(call, backward.frame)) and is_given_from_outside(call.func.id, backward)


def _is_name(origin: Origin) -> bool:
    return isinstance(origin.node, ast.Name)
