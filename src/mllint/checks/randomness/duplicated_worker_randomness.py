"""Do the workers of a loader draw numbers of their own?

Each worker is a copy of the process, with copies of its generators. PyTorch gives every worker another seed; a constant
seed in `worker_init_fn`, or a generator that the dataset keeps, undoes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Call,
    Site,
    Value,
    worker_processes,
)

__all__: list[str] = []


@check("duplicated-worker-randomness", calls="DataLoader seed manual_seed set_seed seed_everything")
def duplicated_worker_randomness(call: Call) -> Iterator[Finding]:
    """Every worker of a loader draws the same numbers."""
    if call.last_name != "DataLoader":
        inside = call.function.name == "__getitem__" and call.function.owner is not None
        if inside and worker_processes.seeds_constant(call, ()) and not worker_processes.for_evaluation(call):
            yield _repeats(call, "every sample", "each sample starts from the same random state")
        return
    workers, init = call.argument("num_workers"), call.argument("worker_init_fn")
    if not call.callee.is_class("torch.utils.data.DataLoader"):
        return
    none = workers.value.literal == 0 if workers is not None else all(k.arg for k in call.node.keywords)
    started = worker_processes.started(init.value) if init is not None and not none else None
    if started is not None and not (function := started[0]).stubbed:
        parameters = started[1]
        for inner in function.calls:
            seed = Call(inner, call.project.frame(function))
            if worker_processes.seeds_constant(seed, parameters):
                yield _repeats(seed, "every worker", "each worker starts from the same random state")
    if workers is None or none or (init is not None and not worker_processes.seeds_only(init, call)):
        return
    for name in ("dataset", "collate_fn"):
        given = call.argument(name)
        for value in given.value.alternatives if given is not None else ():
            yield from _stored_generators(value, call)


def _repeats(call: Call, who: str, primary: str) -> Finding:
    return Finding(call, f"`{call.text}` gives {who} the same random numbers", primary)


def _stored_generators(value: Value, loader: Call) -> Iterator[Finding]:
    """Generators that the object of a worker keeps from its construction on, or that the module keeps for it."""
    cls = value.of if value.kind == "instance" else None
    if cls is None or isinstance(cls, str) or cls.module.is_stub:
        return
    init = cls.methods.get("__init__")
    used = list(worker_processes.runs_in_worker(cls))
    for name, bindings in init.bindings.items() if init is not None else ():
        written = sum(name in m.bindings for m in cls.methods.values())
        if (
            not name.startswith("self.")
            or written != 1
            or not worker_processes.is_generator(bindings[-1].value, loader.project.frame(init))
        ):
            continue
        draw = next((n for m in used for n in worker_processes.loads(m, name)), None)
        if draw is not None and init is not None:
            yield _copied(Site(cls.module, bindings[-1].value), name, Site(cls.module, draw), loader)
    body = cls.module.body
    for name, bindings in cls.bindings.items():
        own = f"self.{name}"
        if len(bindings) == 1 and not any(own in m.bindings for m in cls.methods.values()):
            draw = next((n for m in used for n in worker_processes.loads(m, own)), None)
            if draw is not None and worker_processes.is_generator(bindings[0].value, loader.project.frame(body)):
                yield _copied(Site(cls.module, bindings[0].value), own, Site(cls.module, draw), loader)
    for name, bindings in body.bindings.items():
        if len(bindings) == 1 and worker_processes.is_generator(bindings[0].value, loader.project.frame(body)):
            draw = next((n for m in used if name not in m.bindings for n in worker_processes.loads(m, name)), None)
            if draw is not None:
                yield _copied(Site(cls.module, bindings[0].value), name, Site(cls.module, draw), loader)


def _copied(made: Site, name: str, draw: Site, loader: Call) -> Finding:
    return Finding(
        made,
        f"every worker gets an identical copy of `{name}`, and draws the same numbers from it",
        "copied into every worker",
        [Note(draw, "drawn from in each worker"), Note(loader, "the workers start here")],
        certain=not worker_processes.for_another_try(draw),
    )
