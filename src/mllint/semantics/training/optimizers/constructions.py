"""Where is an optimizer built, and of whose parameters?

    optimizer = Adam(net.parameters())         # `constructions`: this call, and the steps of what it gives
                                               # `parameters_of`: `net`
    optimizer = make_adam(net)                 # `as_written`: this call, where a helper builds it and gives it back
    Adam([*a.parameters(), *b.parameters()])   # `owners_of_parameters`: `a` and `b`

Asked of the source that builds it, through names, lists and filters. Where an optimizer is given anything else, the
place is empty, and nothing is known of it.
"""

from __future__ import annotations

import ast
from typing import NamedTuple

from mllint.semantics.flow.flow import Event, Flow
from mllint.semantics.flow.kinds import AppliesGrad, Creates
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries._names import OPTIMIZERS
from mllint.semantics.libraries.classes import OPTIMIZER
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.optimizers.parameter_loops import owners_of_filled
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import origins, resolve_name, results_of
from mllint.semantics.values.values import (
    InstanceValue,
    Site,
    Value,
)

__all__ = [
    "CLASSES", "Built", "Stepped", "as_written", "constructions", "counts_steps", "keeps_state", "owners_of_parameters",
    "parameters_of",
]  # fmt: skip


CLASSES = " ".join(sorted(OPTIMIZERS))
"""The names of the classes of optimizers that the stubs know."""


class Built(NamedTuple):
    """Where an optimizer was built: the call, its frame, and the event of it if the flow has seen it."""

    call: Call
    event: Event | None

    @property
    def site(self) -> Site:
        """The call."""
        return self.call.site


Stepped = tuple[Built, list[Event]]
"""An optimizer that a flow steps: where it was built, and its steps."""


def keeps_state(value: Value) -> bool:
    """Has the optimizer a state that is worth keeping? Plain SGD has none; L-BFGS is often meant to start afresh."""
    name = value.cls.name if isinstance(value, InstanceValue) else ""
    if name == "LBFGS":
        return False
    if name != "SGD":
        return True
    momentum = constructor_argument(value, "momentum")
    open_call = (
        value.built_with is not None
        and value.built_with.node is not None
        and Call(value.built_with.node, value.built_with.frame).is_open
    )
    return momentum is not None and momentum.literal != 0 and not open_call


def counts_steps(schedule: Value) -> bool:
    """Does a schedule compute its rates from how often it was advanced? One of the user's that is told where it stands
    has nothing to forget."""
    classes = [c for c in mro(schedule.cls) if isinstance(c, ClassScope)] if isinstance(schedule, InstanceValue) else []
    own = [f for c in classes if not c.module.is_stub for f in c.methods.values()]
    if not any(f.name == "get_lr" for f in own):
        return True
    reads = (n for f in own for n in f.nodes_of(ast.Attribute))
    changes = any(b.kind == "aug" for f in own for name in f.bindings if "." in name for b in f.bindings[name])
    return changes or any(n.attr in ("last_epoch", "_step_count") for n in reads)


def constructions(flow: Flow) -> dict[int, Stepped]:
    """The constructions of the optimizers that a flow steps, by identity, with their steps."""
    found: dict[int, Stepped] = {}
    made = {id(e.call): e for e in reversed(list(flow.events(Creates)))}
    for step in flow.events(AppliesGrad):
        for value in step.subject.alternatives:
            built = value.built_with
            if not value.instance_of(OPTIMIZER) or built is None or built.node is None:
                continue
            if value.identity not in found:
                found[value.identity] = Built(Call(built.node, built.frame), made.get(id(built.node))), []
            found[value.identity][1].append(step)
    return found


def as_written(made: Built) -> Built:
    """The construction as the outermost caller writes it: `make_adam(net)`, where a helper builds an optimizer of the
    model, or of the parameters, that it is given, and returns it."""
    call = made.call
    while (caller := call.frame.caller) is not None and isinstance(caller[1], ast.Call):
        helped = _built_by(call.function)
        if helped is None or helped.node is not call.node:
            break
        call = Call(caller[1], caller[0])
    return made if call is made.call else made._replace(call=call)


class _Helped(NamedTuple):
    """An optimizer that a helper builds: the construction, and the parameter of the helper that it is built for."""

    node: ast.Call
    name: str
    is_model: bool
    """whether the helper is given the model, and not its parameters"""


def _built_by(helper: FunctionScope) -> _Helped | None:
    """What a function builds of one of its parameters and returns, in one place: `return Adam(net.parameters())`."""
    results = [helper.node.body] if isinstance(helper.node, ast.Lambda) else [r.value for r in helper.returns]
    made = resolve_name(results[0], helper) if len(results) == 1 else None
    match made:
        case ast.Call(args=[ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="parameters")), *_]):
            is_model = True
        case ast.Call(args=[ast.Name(id=name), *_]):
            is_model = False
        case _:
            return None
    is_only_given = helper.parameter(name) is not None and len(helper.bindings.get(name, ())) == 1
    return _Helped(made, name, is_model) if is_only_given else None


def parameters_of(made: Call) -> str:
    """The place whose `parameters()` an optimizer was given (`model`, `self.net`), in all of its groups; some may be
    those of its parts. Empty if it is not written there, nor where a helper is called that builds it."""
    for helped in (found for f in made.callees if not f.stubbed and (found := _built_by(f)) is not None):
        handed = made.argument(helped.name)
        if handed is None:
            return ""
        return (place(handed.node) or "") if helped.is_model else _owner_of(handed.node, handed.frame)
    given = made.argument("params")
    if given is None:
        return ""
    if isinstance(given.node, ast.IfExp):
        return _narrower(*(_parameters_in(_source_of_list(n)) for n in (given.node.body, given.node.orelse)))
    return _owner_in_helper(given.node, given.frame) or _whole_owner(given.node, given.frame)


def _whole_owner(node: Node, frame: Frame) -> str:
    """The place whose parameters all groups hold, those of its parts included; empty if there are several."""
    owners = {_owner_of(group, frame) for group in _groups(node, frame)}
    whole = min(owners, key=len)
    return whole if all(owner == whole or owner.startswith(f"{whole}.") for owner in owners) else ""


def _owner_in_helper(node: Node, frame: Frame) -> str:
    """The place whose parameters a helper of the user's puts into groups, where it is given as a whole:
    `AdamW(grouped(net, 0.1))`; empty for anything else."""
    call = resolve_name(node, frame.function)
    found = list(results_of(call, frame)) if isinstance(call, ast.Call) else []
    if len(found) != 1:
        return ""
    returned, inner = found[0]
    given = (inner.bound or {}).get(_whole_owner(returned, inner))
    return (place(given.node) or "") if isinstance(given, Passed) and given.frame is frame else ""


def owners_of_parameters(made: Call) -> list[str]:
    """The places whose `parameters()` an optimizer was given, joined from several models or in groups: `a` and `b` of
    `chain(a.parameters(), b.parameters())`. Empty if one of them is not written there."""
    given = made.argument("params")
    groups = _groups(given.node, given.frame) if given is not None else []
    owners = [_owner_of(part, made.frame) for group in groups for part in _joined(group, made.frame)]
    return owners if all(owners) else []


def _joined(node: Node, frame: Frame) -> list[Node]:
    """What lists of parameters are joined from: `a` and `b` of `list(a) + list(b)`, `[*a, *b]`, `chain(a, b)`."""
    written = resolve_name(node, frame.function)
    match written:
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            parts = [left, right]
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if all(isinstance(p, ast.Starred) for p in parts):
            parts = [p.value for p in parts if isinstance(p, ast.Starred)]
        case ast.Call(func=func, args=[_, _, *_] as parts) if last_name(func) == "chain":
            pass
        case ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner]):
            parts = [inner]
        case _:
            return [node]
    return [found for part in parts for found in _joined(part, frame)]


def _groups(node: Node, frame: Frame) -> list[Node]:
    """The parameters of each group, `p` and `q` of `[{"params": p}, {"params": q}]`, or all at once."""
    written = resolve_name(node, frame.function)
    groups = written.elts if isinstance(written, ast.List) else []
    found = [
        value
        for group in groups
        for key, value in (zip(group.keys, group.values, strict=True) if isinstance(group, ast.Dict) else ())
        if isinstance(key, ast.Constant) and key.value == "params"
    ]
    return found if found and len(found) == len(groups) else [node]


def _owner_of(node: Node, frame: Frame) -> str:
    """The place whose parameters some are, in full or in part; empty if they are those of another call."""
    filled = owners_of_filled(node.id, frame.function) if isinstance(node, ast.Name) else set()
    if filled:
        return filled.pop() if len(filled) == 1 else ""
    for origin in origins(node, frame, through=lambda origin: isinstance(origin.node, ast.Name)):
        match _source_of_list(origin.node):
            case ast.Call(func=ast.Attribute(value=base, attr="parameters" | "named_parameters")):
                return (place(base) or "") if origin.frame is frame else ""
    return ""


def _parameters_in(node: Node) -> str:
    """The place whose `parameters()` an expression is."""
    match node:
        case ast.Call(func=ast.Attribute(value=base, attr="parameters")):
            return place(base) or ""
    return ""


def _narrower(one: str, other: str) -> str:
    """Of a model and a part of it, the part; empty if neither lies in the other."""
    one, other = sorted((one, other), key=len)
    return other if one and (one == other or other.startswith(f"{one}.")) else ""


def _source_of_list(node: Node) -> Node:
    """What a list is made of, in full or in part: `x` of `list(x)`, `filter(f, x)`, `[p for p in x if f(p)]`,
    and of `[p for name, p in x]`."""
    match node:
        case (
            ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner])
            | ast.Call(func=ast.Name(id="filter"), args=[_, inner])
        ):
            return inner
        case (
            ast.ListComp(elt=ast.Name(id=one), generators=[turn])
            | ast.GeneratorExp(elt=ast.Name(id=one), generators=[turn])
        ):
            match turn.target:
                case ast.Name(id=name) | ast.Tuple(elts=[_, ast.Name(id=name)]) if name == one:
                    return turn.iter
    return node
