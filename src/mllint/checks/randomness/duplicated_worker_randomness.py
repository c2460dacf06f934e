"""Do the workers of a loader draw numbers of their own?

Each worker is a copy of the process, with copies of its generators. PyTorch gives every worker another seed; a constant
seed in `worker_init_fn`, or a generator that the dataset keeps, undoes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, classes, worker_processes

__all__: list[str] = []

_REMOVE = "remove this call: `DataLoader` already seeds `random`, NumPy and PyTorch differently in each worker"
_ALIKE = "the numbers are the same in every epoch, too: random augmentation adds no variety"


@check("duplicated-worker-randomness", calls="DataLoader seed manual_seed set_seed seed_everything")
def duplicated_worker_randomness(call: Call) -> Iterator[Finding]:
    """Every worker of a loader draws the same numbers."""
    if call.last_name != "DataLoader":
        inside = worker_processes.is_run_per_sample(call.function, call.project)
        if inside and worker_processes.seeds_with_constant(call, ()) and not worker_processes.is_for_evaluation(call):
            message = f"`{call.text}` gives every sample the same random numbers"
            yield Finding(call, message, "each sample starts from the same random state", help=_REMOVE, why=_ALIKE)
        return
    workers, init = call.argument("num_workers"), call.argument("worker_init_fn")
    if not call.callee.is_class(classes.LOADER):
        return
    none = workers.value.literal == 0 if workers is not None else all(k.arg for k in call.node.keywords)
    started = worker_processes.worker_start_function(init.value) if init is not None and not none else None
    if started is not None and not (function := started[0]).stubbed:
        for seed in worker_processes.constant_seeds(call.project.frame(function), started[1]):
            message = f"`{seed.text}` gives every worker the same random numbers"
            yield Finding(seed, message, "each worker starts from the same random state", help=_REMOVE)
    if workers is None or none or (init is not None and not worker_processes.only_seeds_streams(init, call)):
        return
    for name in ("dataset", "collate_fn"):
        given = call.argument(name)
        if given is None:
            continue
        for value in given.value.alternatives:
            for found in worker_processes.copied_generators(value, call.project):
                yield Finding(
                    found.made,
                    f"every worker gets an identical copy of `{found.name}`, and draws the same numbers from it",
                    "copied into every worker",
                    [Note(found.draw, "drawn from in each worker"), Note(call, "the workers start here")],
                    evidence=(found.answer, worker_processes.are_started(workers)),
                )
