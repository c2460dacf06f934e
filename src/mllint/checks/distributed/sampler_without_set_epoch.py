"""Does every rank see the right data in every epoch?

A `DistributedSampler`, or one of the project's own that does as much, is followed from its construction through the
loader to the loop that draws from it. A framework that prepares loaders, and anything unknown that gets the sampler,
are trusted.
"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Event, Flow, LoopRun, Site, sampler_epochs, sharding, text

__all__: list[str] = []

_EARLIER = "call `set_epoch` before the loader is iterated"
_TOO_LATE = (
    "with workers, the loader prefetches as soon as its iterator is made: a later `set_epoch` does not change the order"
)
_EVERY_RANK = "call `set_epoch` on every rank, outside the branch"
_APART = "when ranks shuffle differently, each epoch repeats some samples and leaves out others"
_REPEATED = "each process trains on the same samples: an epoch takes as long as on one process"
_SHARE = "give the loader a `DistributedSampler({})` instead of `shuffle=True`, and call its `set_epoch`"


@check("sampler-without-set-epoch")
def sampler_without_set_epoch(flow: Flow) -> Iterator[Finding]:
    """A shuffling `DistributedSampler` is drawn from in several epochs and is never told which one it is."""
    for fault, at, used in sampler_epochs.find_epoch_faults(flow):
        yield _never_set(at, used) if isinstance(at, Call) else _set_in_vain(at, fault, used)
    for loader, wrap, run in sharding.find_loaders_read_by_all(flow):
        rows = loader.arguments[0].text
        message = f"each process trains on all of `{rows}`: no sampler divides it among them"
        notes = [Note(wrap, "several processes train here"), Note(run, "iterated here")]
        yield Finding(loader, message, "all rows, in every process", notes, help=_SHARE.format(rows), why=_REPEATED)


def _never_set(made: Call, used: LoopRun | Site | Event) -> Finding:
    """The finding for a sampler whose epoch is never set."""
    message = f"without `set_epoch()`, `{made.name}` uses the same order in every epoch"
    notes = [Note(used, "iterated here, without `set_epoch`")]
    about = (used, made) if isinstance(used, LoopRun) else ()
    return Finding(made, message, "shuffles with the seed and its own `epoch`", notes, about=about)


def _set_in_vain(event: Event, fault: sampler_epochs.Fault, used: LoopRun | Site | Event) -> Finding:
    """The finding for a call that sets the epoch, and does not change what each rank sees in each epoch."""
    name, help, why = text(event.frame.module, event.call.func, 40), "", ""
    notes = [Note(used, "iterated here")]
    match fault:
        case sampler_epochs.Fault.SET_ONCE:
            message = f"`{name}` is called once, before the epochs: every epoch has the same order"
            primary, notes = "runs once", [Note(used, "iterated in each epoch")]
        case sampler_epochs.Fault.CONSTANT:
            message = f"`{name}` is called with a constant: every epoch has the same order"
            primary, notes = "a constant", [Note(used, "iterated in each epoch")]
            help = f"pass the number of the epoch: `{name}(epoch)`"
        case sampler_epochs.Fault.TOO_LATE:
            message = f"`{name}` runs after the iterator was made: the order of this epoch is already drawn"
            primary, help, why = "after the iterator was made", _EARLIER, _TOO_LATE
        case _:
            primary = f"on {'one rank' if fault is sampler_epochs.Fault.ON_ONE_RANK else 'some ranks'} only"
            message = f"`{name}` runs {primary}: the others keep the order of the first epoch"
            help, why = _EVERY_RANK, _APART
            if isinstance(used, Event):
                notes = [Note(used, "all ranks train here")]
    return Finding(event, message, primary, notes, help=help, why=why)
