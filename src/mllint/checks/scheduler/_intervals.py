"""When does Lightning advance the schedules that `configure_optimizers` returns?

Once per epoch, unless the dictionary around a schedule says `"interval": "step"`. Where the class optimises by hand, it
advances them itself, and nothing is said.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks.scheduler._horizons import horizon
from mllint.semantics import Call, Flow, Value
from mllint.semantics.classes import method, mro
from mllint.semantics.evaluate import evaluate
from mllint.semantics.frames import Frame
from mllint.semantics.lineage import origins
from mllint.semantics.module import Function, walk

__all__ = ["counts_all_steps", "intervals"]

_SCHEDULER = "torch.optim.lr_scheduler.LRScheduler"


def intervals(flow: Flow) -> Iterator[tuple[Value, str, Any, Frame]]:
    """The schedules of the class whose training step a flow is about, each with its interval.

    Yields:
        The schedule, "epoch" or "step", the node that says so (else the schedule's), and the frame of that node.
    """
    owner = flow.root.owner
    own = method(owner, "configure_optimizers") if owner is not None and flow.root.name == "training_step" else None
    if own is None or own.stubbed or owner is None:
        return
    classes = [c for c in mro(owner) if not isinstance(c, str)]
    if any(name.endswith("automatic_optimization") for c in classes for f in c.methods.values() for name in f.bindings):
        return
    frame = flow.frame.project.frame(own)
    for node in _bare(own):
        bare = evaluate(node, frame)
        if bare.instance_of(_SCHEDULER):
            yield bare, "epoch", node, frame
    for node in _dictionaries(own):
        entries = {k.value: v for k, v in zip(node.keys, node.values, strict=True) if isinstance(k, ast.Constant)}
        schedule = evaluate(entries["scheduler"], frame) if "scheduler" in entries else None
        if schedule is None or not schedule.instance_of(_SCHEDULER) or len(entries) < len(node.keys):
            continue
        said = entries.get("interval")
        interval = evaluate(said, frame).literal if said is not None else "epoch"
        if interval in ("epoch", "step") and "frequency" not in entries:
            yield schedule, interval, said if said is not None else entries["scheduler"], frame


def _bare(function: Function) -> Iterator[Any]:
    """What may be a schedule without a dictionary of its own: in `[optimizer], [schedule]`, or as `"lr_scheduler"`."""
    for returned in function.returns:
        if isinstance(returned.value, ast.Tuple) and len(returned.value.elts) == 2:
            second = returned.value.elts[1]
            yield from (e for e in getattr(second, "elts", [second]) if not isinstance(e, ast.Dict))
    for node in _dictionaries(function):
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and key.value == "lr_scheduler" and not isinstance(value, ast.Dict):
                yield value


def _dictionaries(function: Function) -> Iterator[Any]:
    for statement in function.body:
        for node in walk(statement):
            if isinstance(node, ast.Dict):
                yield node


def counts_all_steps(call: Call, name: str) -> bool:
    """Is the horizon of a schedule the number of steps that the trainer says it will take, or that of all batches?"""
    found = horizon(call, name)
    per_epoch = name == "OneCycleLR" and call.argument("steps_per_epoch") is not None
    if found is not None and found.lengths and (found.multiplied or per_epoch):
        return True
    given = [*call.node.args, *(k.value for k in call.node.keywords)]
    nodes = (o.node for g in given for o in origins(g, call.frame))
    return any(isinstance(n, ast.Attribute) and n.attr == "estimated_stepping_batches" for n in nodes)
