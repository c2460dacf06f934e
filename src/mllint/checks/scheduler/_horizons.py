"""In which unit does a schedule count: epochs, or optimizer steps?

The class says what it was made for (its `cadence` in the stub); its numbers can say otherwise. `T_max=epochs *
len(loader)` counts batches, `T_max=90` counts epochs, `step_size=args.step_size` counts whatever the option's default
looks like. What cannot be read is `None`, and accuses nobody.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any
from mllint.checks._records import Horizon
from mllint.pattern import Pattern
from mllint.semantics import Call, Event, Value
from mllint.semantics.classes import stub_effect
from mllint.semantics.evaluate import evaluate
from mllint.semantics.library import flattened
from mllint.semantics.lineage import Origin, origins
from mllint.semantics.module import Function, last_name, place, walk
from mllint.semantics.names import reaching

__all__ = [
    "Horizon",
    "built_by",
    "cadence_of",
    "counts_epochs",
    "counts_steps",
    "horizon",
    "told_epoch",
    "unconditional",
]

_HORIZONS = {
    "StepLR": "step_size", "MultiStepLR": "milestones", "ExponentialLR": "gamma", "CosineAnnealingLR": "T_max",
    "CosineAnnealingWarmRestarts": "T_0", "ReduceLROnPlateau": "patience", "PolynomialLR": "total_iters",
    "LinearLR": "total_iters", "OneCycleLR": "total_steps", "CyclicLR": "step_size_up",
}  # fmt: skip
_EPOCHS = {
    "StepLR": 200,
    "MultiStepLR": 500,
    "CosineAnnealingLR": 500,
    "CosineAnnealingWarmRestarts": 100,
    "ReduceLROnPlateau": 100,
}
_MOST_EPOCHS = 500
_THROUGH = (
    ast.Name, ast.Attribute, ast.BinOp, ast.UnaryOp, ast.List, ast.Tuple, ast.ListComp, ast.Call, ast.IfExp, ast.BoolOp,
)  # fmt: skip
_ROUNDING = frozenset({"int", "ceil", "floor", "round", "max", "min", "float", "len"})
_EPOCH_NAME = Pattern("epoch")
_STEP_NAME = Pattern("step|iter|batch|total|per_epoch")


def built_by(value: Value, at: Event) -> Call | None:
    """The call that built an object."""
    if value.arguments is not None and value.arguments.node is not None:
        return Call(value.arguments.node, value.arguments.frame)
    if value.site is None or not isinstance(value.site.node, ast.Call):
        return None
    for node, scope in value.site.module.calls_by_name.get(last_name(value.site.node.func), ()):
        if node is value.site.node and isinstance(scope, Function):
            return Call(node, at.frame if at.frame.function is scope else at.frame.project.frame(scope))
    return None


def cadence_of(value: Value) -> str:
    """ "epoch", "step" or "any": what the schedule was made for."""
    effect = stub_effect(value.of, "cadence") if value.kind == "instance" else None
    return str(effect.values[0]) if effect is not None and effect.values else ""


def horizon(call: Call, name: str) -> Horizon | None:
    """What the argument of a schedule for its length was computed from; None when it is not given."""
    parameter = _HORIZONS.get(name)
    words = [parameter] if parameter else ["num_training_steps"]
    given = next((call.argument(word) for word in words if word and call.argument(word) is not None), None)
    if given is None and name == "OneCycleLR":
        given = call.argument("steps_per_epoch")
    return read(given.node, given.frame) if given is not None else None


def read(node: Any, frame: Any) -> Horizon:
    """What an expression was computed from."""
    numbers, lengths, flags, pure = [], [], set(), True
    for origin in origins(node, frame, through=lambda o: _transparent(o) and _default(o) is None):
        found = origin.node
        if isinstance(found, ast.Constant):
            numbers += (
                [float(found.value)]
                if isinstance(found.value, (int, float)) and not isinstance(found.value, bool)
                else []
            )
        elif isinstance(found, ast.Call):
            if last_name(found.func) == "len" and found.args:
                lengths.append(place(found.args[0]) or "")
            flags |= {"divided"} if last_name(found.func) == "ceil" else set()
            pure = pure and last_name(found.func) in _ROUNDING
        elif isinstance(found, ast.BinOp):
            flags |= {"multiplied"} if isinstance(found.op, ast.Mult) else set()
            flags |= {"divided"} if isinstance(found.op, (ast.Div, ast.FloorDiv)) else set()
        elif isinstance(found, ast.Subscript):
            key = found.slice.value if isinstance(found.slice, ast.Constant) else None
            flags |= {"epochs"} if isinstance(key, str) and _counts_epochs(key) else set()
            default = _written(origin.value)
            numbers += [default] if default is not None else []
            pure = pure and default is not None
            flags |= {"foreign"} if default is None and not (isinstance(key, str) and _counts_epochs(key)) else set()
        elif isinstance(found, (ast.Name, ast.Attribute)):
            default = _default(origin)
            numbers += [default] if default is not None else []
            flags |= {"epochs"} if _counts_epochs(last_name(found)) else set()
            known = default is not None or _resolved(origin)
            pure = pure and known
            flags |= {"foreign"} if not known and not _counts_epochs(last_name(found)) and not _bound(origin) else set()
        elif not isinstance(found, _THROUGH):
            pure = False
    return Horizon(
        tuple(numbers) if pure and not lengths else (), tuple(lengths), "multiplied" in flags, "divided" in flags,
        "epochs" in flags and not lengths and not {"multiplied", "foreign"} <= flags,
    )  # fmt: skip


def _counts_epochs(name: str) -> bool:
    """Does a name say a number of epochs, and not of steps?"""
    return bool(_EPOCH_NAME.search(name)) and not _STEP_NAME.search(name)


def _transparent(origin: Origin) -> bool:
    if isinstance(origin.node, ast.Call):
        return last_name(origin.node.func) in _ROUNDING - {"len"}
    return isinstance(origin.node, _THROUGH)


def _resolved(origin: Origin) -> bool:
    """Is it known where a name comes from?"""
    return origin.value.kind != "unknown" or origin.value.of == "number"


def _bound(origin: Origin) -> bool:
    """Is it a variable that is assigned here, so that what it was computed from is looked at as well?"""
    found = reaching(origin.frame.function).at.get(id(origin.node), ())
    return bool(found) and all(b.kind == "assign" for b in found)


def _default(origin: Origin) -> float | None:
    """What an attribute such as `args.step_size` is: a number that is known, or the default of an option or a field."""
    if not isinstance(origin.node, ast.Attribute):
        return None
    if origin.value.kind != "unknown":
        return _written(origin.value)
    wanted = origin.node.attr
    calls = origin.frame.project.calls_named("add_argument")
    for call, _ in sorted(calls, key=lambda found: found[1].module is not origin.frame.module):
        names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
        if wanted in {n.lstrip("-").replace("-", "_") for n in names}:
            value = next((k.value for k in call.keywords if k.arg == "default"), None)
            if isinstance(value, ast.Constant) and isinstance(value.value, (int, float)):
                return float(value.value)
    return _field(wanted, origin)


def _written(value: Value) -> float | None:
    """The number that a field holds, the largest of a tuple."""
    parts = value.parts if value.kind == "sequence" else (value,)
    numbers = [v.literal for v in parts if isinstance(v.literal, (int, float)) and not isinstance(v.literal, bool)]
    return float(max(numbers)) if numbers and len(numbers) == len(parts) else None


def _field(name: str, origin: Origin) -> float | None:
    """The default of the only field of that name in the dataclasses of the project; of a tuple its largest number."""
    fields = [
        binding.value
        for module in origin.frame.project.modules
        for cls in module.classes
        if any(last_name(d.func if isinstance(d, ast.Call) else d) == "dataclass" for d in cls.node.decorator_list)
        for binding in cls.bindings.get(name, ())
    ]
    given = fields[0] if len(fields) == 1 else None
    parts = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given]
    numbers = [p.value for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, (int, float))]
    return float(max(numbers)) if numbers and len(numbers) == len(parts) else None


def counts_epochs(call: Call, name: str) -> bool:
    """Do the numbers of a schedule look like epochs?"""
    if name == "LambdaLR":
        return _speaks_of_epochs(call)
    if name in ("SequentialLR", "ChainedScheduler"):
        return _parts_count_epochs(call)
    if name == "ExponentialLR":
        found, last = horizon(call, name), call.argument("last_epoch")
        if last is not None and _EPOCH_NAME.search(last_name(last.node)) and not (found is not None and found.numbers):
            return True
        return found is not None and bool(found.numbers) and max(found.numbers) <= 0.99
    limit = _EPOCHS.get(name)
    found = horizon(call, name)
    if name == "OneCycleLR" and call.argument("total_steps") is not None and found is not None:
        return found.epochs and not (found.numbers and max(found.numbers) >= _MOST_EPOCHS)
    if limit is None or found is None:
        return name == "ReduceLROnPlateau" and not call.is_open
    if found.lengths:
        return False
    return (bool(found.numbers) and max(found.numbers) < limit) or (
        found.epochs and not (found.numbers and max(found.numbers) >= limit)
    )


def _parts_count_epochs(call: Call) -> bool:
    """Does one of the schedules that are put together count epochs, and none of them batches?"""
    given = call.argument("schedulers")
    parts = flattened(given.value) if given is not None else []
    built = [Call(v.arguments.node, v.arguments.frame) if v.arguments is not None else None for v in parts]
    if not parts or any(b is None or b.node is None for b in built):
        return False
    read_off = [(b, v.of.name) for b, v in zip(built, parts, strict=True) if b is not None]
    lengths = (found.lengths for b, name in read_off if (found := horizon(b, name)) is not None)
    return not any(lengths) and any(counts_epochs(b, name) for b, name in read_off)


def _speaks_of_epochs(call: Call) -> bool:
    """Does the function of a `LambdaLR` compute with a number of epochs (`args.n_epochs`), and with none of steps?"""
    given = call.argument("lr_lambda")
    if given is None:
        return False
    function = given.value.function
    body = function.node if function is not None and not function.stubbed else given.node
    own = {p.name for p in function.parameters} if function is not None else set()
    names = {last_name(node) for node in walk(body) if isinstance(node, (ast.Name, ast.Attribute))} - own
    counted = _decays(function) or any(_EPOCH_NAME.search(name) for name in names)
    return counted and "len" not in names and not any(_STEP_NAME.search(name) for name in names - {"step"})


def _decays(function: Function | None) -> bool:
    """Is it `lambda epoch: 0.95**epoch`, which would be nothing after some hundreds of steps?"""
    match function.node if function is not None else None:
        case ast.Lambda(body=ast.BinOp(left=ast.Constant(value=float(base)), op=ast.Pow(), right=ast.Name(id=name))):
            return base <= 0.99 and bool(_EPOCH_NAME.search(name))
    return False


def counts_steps(call: Call) -> bool:
    """Does the function of a `LambdaLR` call what it is given a step, and compare it with at least a hundred, or with
    what was computed from the number of batches and another factor?"""
    given = call.argument("lr_lambda")
    function = given.value.function if given is not None else None
    if function is None or function.stubbed or len(function.parameters) != 1:
        return False
    if not _STEP_PARAMETER.search(function.parameters[0].name.lower()):
        return False
    frame = call.project.frame(function)
    lambdas = isinstance(function.node, ast.Lambda)
    inside = walk(function.node.body) if lambdas else (n for s in function.body for n in walk(s))
    nodes = [n for n in inside if isinstance(n, (ast.Constant, ast.Name, ast.Attribute))]
    values = (evaluate(n, frame).literal for n in nodes)
    if any(isinstance(v, (int, float)) and v >= 100 for v in values):
        return True
    lengths = (read(n, frame) for n in nodes if isinstance(n, ast.Name) and n.id != function.parameters[0].name)
    return any(found.lengths and found.multiplied and not found.divided for found in lengths)


_STEP_PARAMETER = Pattern("^it$|^iter|^step|_step$|^cur_it")


def told_epoch(tick: Event) -> bool:
    """Is the schedule told which epoch it is (`scheduler.step(epoch)`)?"""
    return tick.call is not None and bool(tick.call.args or tick.call.keywords)


def unconditional(tick: Event, steps: list[Event]) -> bool:
    """Does no test inside its loop decide about a tick, but those that decide about a step too, or ask for None?"""
    if not tick.loops:
        return not tick.conditions
    shared = {id(test) for step in steps for test, _, _ in step.conditions}
    for test, _, _ in tick.conditions_in(tick.loops[-1]):
        if id(test) not in shared and not _asks_for_presence(test):
            return False
    return True


def _asks_for_presence(test: Any) -> bool:
    """`scheduler`, `scheduler is not None`, `not finished`: no comparison."""
    if isinstance(test, ast.UnaryOp):
        return _asks_for_presence(test.operand)
    if isinstance(test, ast.Compare):
        return isinstance(test.ops[0], (ast.Is, ast.IsNot))
    return isinstance(test, (ast.Name, ast.Attribute))
