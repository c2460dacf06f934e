"""What does a learning-rate schedule count: epochs, batches or optimizer steps?

    schedule = CosineAnnealingLR(optimizer, T_max=epochs * len(loader))     # batches
    schedule = StepLR(optimizer, step_size=30)                              # epochs: nobody decays every 30 batches
    schedule = get_linear_schedule_with_warmup(optimizer, 0, len(loader) // k * 3)   # optimizer steps

The lattice is flat (`Unit`); above it is `None`, unknown, which never accuses. A schedule is built once and
never changes its unit, so no event moves the answer. What decides it is what the *horizon* was computed from, the
argument that the stub marks with `Horizon`:

* the length of something (`len(loader)`): batches, of one epoch or, multiplied by anything, of the whole run; divided
  by something: optimizer steps;
* a name for a number of epochs, or a plain number that is too small to be anything else: epochs;
* of a `LambdaLR`, what its function compares its argument with.

The class says what it was made for (`cadence` in its stub), which decides only where the numbers do not.

Deliberately not done: no number is computed. `T_max=total` is followed to where `total` was computed, but that 90
epochs of 500 batches are 45,000 steps is never worked out, and no data set is measured.
"""

from __future__ import annotations

import ast
from enum import Enum
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.evidence import Answer, Evidence, proven_unless
from mllint.semantics.training.options import default_number, largest, written_number
from mllint.semantics.training.roles import Role, unit_by_name
from mllint.semantics.values.bodies import enter
from mllint.semantics.values.classes import stub_effect
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import flattened_alternatives
from mllint.semantics.values.lineage import Origin, origins
from mllint.semantics.values.values import (
    FunctionValue,
    InstanceValue,
    UnknownValue,
    Value,
)

__all__ = [
    "PLATEAU", "Horizon", "Unit", "built_by", "cadence", "has_initial_value", "horizon", "shown_name",
    "unit_of",
]  # fmt: skip

PLATEAU = "torch.optim.lr_scheduler.ReduceLROnPlateau"
_THROUGH = (
    ast.Name, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple, ast.ListComp, ast.Call, ast.IfExp, ast.BoolOp,
)  # fmt: skip
_ROUNDING = frozenset({"int", "ceil", "floor", "round", "max", "min", "float", "len"})


class Unit(Enum):
    """What a schedule counts."""

    EPOCHS = "epochs"
    EPOCH_OF_BATCHES = "the batches of one epoch"
    BATCHES = "batches"
    STEPS = "optimizer steps"


class Horizon(NamedTuple):
    """What the length of a schedule was computed from.

    Args:
        numbers: the constants, where it was computed from nothing else.
        lengths: what `len` was taken of, as places.
        multiplied: whether a product is part of it.
        divided: whether a quotient is part of it.
        shared: whether a quotient by something that has a name is part of it, as the batches of a step have.
        epochs: whether a number of epochs by its name is part of it, and nothing of unknown unit.
        node: the expression for it.
    """

    numbers: tuple[float, ...]
    lengths: tuple[str, ...]
    multiplied: bool
    divided: bool
    shared: bool
    epochs: bool
    node: Node


_MOST_EPOCHS = {
    "StepLR": 200,
    "MultiStepLR": 500,
    "CosineAnnealingLR": 500,
    "CosineAnnealingWarmRestarts": 100,
    "ReduceLROnPlateau": 100,
}
"""Below which number the horizon of a schedule is one of epochs. A few hundred batches pass in seconds."""
_FASTEST_DECAY_PER_EPOCH = 0.99
"""Above which factor an exponential decay may be one per batch: 0.99 leaves a tenth after 230 of them."""
_FEWEST_STEPS = 100
"""From which number on a lambda that calls its argument a step counts batches, not epochs."""


# ---------------------------------------------------------------------------------------------------------- the answer
def unit_of(schedule: Value, built: Call) -> Answer[Unit] | None:
    """What a schedule counts.

    Args:
        schedule: one alternative of the schedule, an instance.
        built: the call that built it (`built_by`).

    Returns:
        The unit, explained by the horizon, or None where it is unknown.
    """
    name = schedule.class_name
    if name in ("SequentialLR", "ChainedScheduler"):
        return _unit_of_parts(built)
    if name == "LambdaLR":
        return _unit_of_function(built)
    found = horizon(built)
    if name == "ExponentialLR":
        return _unit_of_decay(built)
    if name == "CyclicLR" and (found is None or (found.numbers and min(found.numbers) >= _FEWEST_STEPS)):
        return Answer(Unit.BATCHES, Evidence.PROVEN, (built.site,))  # documented: to be stepped after every batch
    if found is None:
        default = name == "ReduceLROnPlateau" and not built.is_open
        return Answer(Unit.EPOCHS, Evidence.PROVEN, (built.site,)) if default else None
    return _unit_of_horizon(schedule, found, built)


def has_initial_value(schedules: list[Value]) -> Answer[bool]:
    """Whether schedules have set their first value once they are built; a class of the project that computes its own
    rates may be written to be advanced first."""
    own = (v.cls for v in schedules if isinstance(v, InstanceValue) and not v.cls.module.is_stub)
    return proven_unless(any("get_lr" in cls.methods for cls in own), True)


def _unit_of_horizon(schedule: Value, found: Horizon, built: Call) -> Answer[Unit] | None:
    because = (Site(built.module, found.node), built.site)
    if found.lengths:
        if found.divided:
            return Answer(Unit.STEPS, Evidence.PROVEN, because)
        whole = found.multiplied or cadence(schedule) == "step"
        return Answer(Unit.BATCHES if whole else Unit.EPOCH_OF_BATCHES, Evidence.PROVEN, because)
    name = schedule.class_name
    limit = 500 if name == "OneCycleLR" and built.argument("total_steps") is not None else _MOST_EPOCHS.get(name)
    if limit is not None and found.epochs and not (found.numbers and max(found.numbers) >= limit):
        # the parameter says that it is the length of a schedule, and its name that it is one in epochs
        return Answer(Unit.EPOCHS, Evidence.CONVENTIONAL, because, corroborated=True)
    if name != "OneCycleLR" and limit is not None and found.numbers and max(found.numbers) < limit:
        return Answer(Unit.EPOCHS, Evidence.USED, because)
    return Answer(Unit.STEPS, Evidence.USED, because) if found.numbers and not found.epochs else None


def _unit_of_decay(built: Call) -> Answer[Unit] | None:
    """An exponential has no horizon: its factor tells, or the epoch that it is resumed at."""
    gamma, last = built.argument("gamma"), built.argument("last_epoch")
    found = _read(gamma.node, gamma.frame) if gamma is not None else None
    if found is not None and found.numbers:
        slow = max(found.numbers) > _FASTEST_DECAY_PER_EPOCH
        return None if slow else Answer(Unit.EPOCHS, Evidence.USED, (Site(built.module, found.node),))
    if last is not None and unit_by_name(last_name(last.node)) is Role.EPOCHS:
        return Answer(Unit.EPOCHS, Evidence.CONVENTIONAL, (last.site,), corroborated=True)
    return None


def _unit_of_parts(built: Call) -> Answer[Unit] | None:
    """Epochs, where one of the schedules that are put together counts epochs, and none of them batches."""
    given = built.argument("schedulers")
    parts = flattened_alternatives(given.value) if given is not None else []
    calls = [Call(v.built_with.node, v.built_with.frame) if v.built_with is not None else None for v in parts]
    if not parts or any(call is None or call.node is None for call in calls):
        return None
    found = [unit_of(v, call) for v, call in zip(parts, calls, strict=True) if call is not None]
    if any(answer is not None and answer.value in (Unit.BATCHES, Unit.EPOCH_OF_BATCHES) for answer in found):
        return None
    return next((answer for answer in found if answer is not None and answer.value is Unit.EPOCHS), None)


# ------------------------------------------------------------------------------------------------------- its functions
def _unit_of_function(built: Call) -> Answer[Unit] | None:
    """What the function of a `LambdaLR` counts: by the numbers that it compares its argument with, and by names."""
    given = built.argument("lr_lambda")
    if given is None:
        return None
    function = given.value.function
    counted_in = _counted_by(given.value, function, built) if function is not None and not function.stubbed else None
    if counted_in is not None:
        return Answer(counted_in, Evidence.CONVENTIONAL, (given.site,), corroborated=True)
    body = function.node if function is not None and not function.stubbed else given.node
    own = {p.name for p in function.parameters} if function is not None else set()
    names = {last_name(n) for n in walk(body) if isinstance(n, (ast.Name, ast.Attribute))} - own
    units = {unit_by_name(name) for name in names - {"step"}}
    counted = _decays(function) or Role.EPOCHS in units
    if not counted or "len" in names or not units.isdisjoint((Role.STEPS, Role.BATCHES)):
        return None
    return Answer(Unit.EPOCHS, Evidence.CONVENTIONAL, (given.site,), corroborated=True)


def _decays(function: FunctionScope | None) -> bool:
    """Whether it is `lambda epoch: 0.95**epoch`, which would be nothing after some hundreds of steps."""
    match function.node if function is not None else None:
        case ast.Lambda(body=ast.BinOp(left=ast.Constant(value=float(base)), op=ast.Pow(), right=ast.Name(id=name))):
            return base <= _FASTEST_DECAY_PER_EPOCH and unit_by_name(name) is Role.EPOCHS
    return False


def _counted_by(value: Value, function: FunctionScope, built: Call) -> Unit | None:
    """Batches, if it calls its argument a step, and compares it with at least a hundred, or with a number of batches;
    optimizer steps, if all that it knows of the number of batches was divided among steps."""
    if len(function.parameters) != 1 or unit_by_name(function.parameters[0].name) is not Role.STEPS:
        return None
    closure = value.closure if isinstance(value, FunctionValue) else None
    frame = enter(function, None, None, built.frame, closure=closure) or built.project.frame(function)
    inside = walk(function.node.body) if isinstance(function.node, ast.Lambda) else (
        n for s in function.body for n in walk(s)
    )  # fmt: skip
    nodes = [n for n in inside if isinstance(n, (ast.Constant, ast.Name, ast.Attribute))]
    values = (evaluate(n, frame).literal for n in nodes)
    if any(isinstance(v, (int, float)) and v >= _FEWEST_STEPS for v in values):
        return Unit.BATCHES
    named = (n for n in nodes if isinstance(n, ast.Name) and n.id != function.parameters[0].name)
    lengths = [found for found in (_read(n, frame) for n in named) if found.lengths and found.multiplied]
    if not lengths:
        return None
    if all(found.shared for found in lengths):
        return Unit.STEPS
    return Unit.BATCHES if any(not found.divided for found in lengths) else None


# --------------------------------------------------------------------------------------------------------- the horizon
def built_by(schedule: Value, frame: Frame) -> Call | None:
    """The call that built a schedule, or another object; None where it is not written in the project.

    Args:
        schedule: one alternative of it.
        frame: the frame of what concerns it, preferred where it is built in the same function.
    """
    if schedule.built_with is not None and schedule.built_with.node is not None:
        return Call(schedule.built_with.node, schedule.built_with.frame)
    if schedule.site is None or not isinstance(schedule.site.node, ast.Call):
        return None
    for node, scope in schedule.site.module.calls_by_name.get(last_name(schedule.site.node.func), ()):
        if node is schedule.site.node and isinstance(scope, FunctionScope):
            return Call(node, frame if frame.function is scope else frame.project.frame(scope))
    return None


def shown_name(schedule: Value, built: Call) -> str:
    """A schedule in the words of its program: its class, or the function that built it if the class has no name there.

    Args:
        schedule: one alternative of it.
        built: the call that built it (`built_by`).
    """
    return built.last_name if schedule.class_name.startswith("_") else schedule.class_name


def cadence(schedule: Value) -> str:
    """What the class of a schedule was made for: "epoch", "step", "any", or "" where its stub does not say."""
    effect = stub_effect(schedule.cls, "cadence") if isinstance(schedule, InstanceValue) else None
    return str(effect.values[0]) if effect is not None and effect.values else ""


def horizon(built: Call) -> Horizon | None:
    """What the length of a schedule was computed from; None where it is not given."""
    given = next((a for a in built.arguments if a.parameter and a.expects("Horizon")), None)
    given = given or built.argument("steps_per_epoch")
    return _read(given.node, given.frame) if given is not None else None


def _read(node: Node, frame: Frame) -> Horizon:
    reading = _Reading()
    for origin in origins(node, frame, through=lambda o: _transparent(o) and default_number(o) is None):
        reading.add(origin)
    numbers = tuple(reading.numbers) if reading.pure and not reading.lengths else ()
    multiplied = "multiplied" in reading.flags
    epochs = "epochs" in reading.flags and not reading.lengths and not (multiplied and "foreign" in reading.flags)
    divided, shared = "divided" in reading.flags, "shared" in reading.flags
    return Horizon(numbers, tuple(reading.lengths), multiplied, divided, shared, epochs, node)


class _Reading:
    """What the origins of a horizon have shown so far."""

    def __init__(self) -> None:
        self.numbers: list[float] = []
        self.lengths: list[str] = []
        self.flags: set[str] = set()
        self.pure = True

    def add(self, origin: Origin) -> None:
        """Take one expression on the way into account."""
        node = origin.node
        if isinstance(node, ast.Constant):
            number = largest([node.value])
            self.numbers += [number] if number is not None else []
        elif isinstance(node, ast.Call):
            name = last_name(node.func)
            if name == "len" and node.args:
                self.lengths.append(place(node.args[0]) or "")
            self.flags |= {"divided"} if name == "ceil" else set()
            self.pure = self.pure and name in _ROUNDING
        elif isinstance(node, ast.BinOp):
            self.flags |= {"multiplied"} if isinstance(node.op, ast.Mult) else set()
            if isinstance(node.op, (ast.Div, ast.FloorDiv)):
                self.flags |= {"divided"} if isinstance(node.right, ast.Constant) else {"divided", "shared"}
        elif isinstance(node, ast.Subscript):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            self._record_name(
                key if isinstance(key, str) else "", written_number(origin.value), known=False, assigned=False
            )
        elif isinstance(node, (ast.Name, ast.Attribute)):
            known = not isinstance(origin.value, UnknownValue) or origin.value.name == "number"
            self._record_name(last_name(node), default_number(origin), known=known, assigned=_is_assigned(origin))
        elif not isinstance(node, _THROUGH):
            self.pure = False

    def _record_name(self, name: str, default: float | None, *, known: bool, assigned: bool) -> None:
        epochs, known = unit_by_name(name) is Role.EPOCHS, known or default is not None
        self.numbers += [default] if default is not None else []
        self.flags |= {"epochs"} if epochs else set()
        self.pure = self.pure and known
        self.flags |= {"foreign"} if not (known or epochs or assigned) else set()


def _transparent(origin: Origin) -> bool:
    if isinstance(origin.node, ast.Call):
        return last_name(origin.node.func) in _ROUNDING - {"len"}
    return isinstance(origin.node, _THROUGH)


def _is_assigned(origin: Origin) -> bool:
    """Whether it is a variable that is assigned here, so that what it was computed from is looked at as well."""
    found = bound_at(origin.node, origin.frame.function)
    return bool(found) and all(b.kind == "assign" for b in found)
