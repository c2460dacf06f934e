"""Is the sampler of a distributed training given the number of each epoch, by all ranks, and in time?

    for epoch in range(90):
        sampler.set_epoch(epoch)            # else NEVER_SET: each epoch has the same order
        for x, y in loader: ...

Which samplers a loop draws from, and by what they are given the epoch, is asked in `sharding`. Here stands what is
wrong with that: it never happens, or once before the epochs, with a constant, on some ranks only, or after the loader
has drawn its order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AppliesGrad, SetsEpoch
from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.nodes import last_name, place, walk
from mllint.semantics.training import roles
from mllint.semantics.training.randomness import sharding
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.values import Site, UnknownValue, Value

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, LoopRun

__all__ = ["EpochFault", "Fault", "find_epoch_faults"]


class Fault(Enum):
    """What is wrong with how a sampler gets the number of the epoch."""

    NEVER_SET = "never set"
    SET_ONCE = "set once, before the epochs"
    CONSTANT = "always the same"
    ON_ONE_RANK = "set on one rank only"
    ON_SOME_RANKS = "set on some ranks only"
    TOO_LATE = "set after the iterator was made"


class EpochFault(NamedTuple):
    """An epoch that is not set, or in vain."""

    fault: Fault
    at: Call | Event
    """The construction of the sampler, or what sets its epoch."""
    used: LoopRun | Site | Event
    """The loop that draws from it, or the step of all ranks."""


def find_epoch_faults(flow: Flow) -> Iterator[EpochFault]:
    """What is wrong with how the samplers of a flow get the number of the epoch."""
    yield from _never_set_in_cycles(flow)
    yield from _set_on_one_rank(flow)
    for run in sharding.sampling_loops(flow):
        yield from _of_loop(flow, run)


def _of_loop(flow: Flow, run: LoopRun) -> Iterator[EpochFault]:
    """What is wrong with the epochs of the samplers that a loop over batches draws from."""
    for sampler, settings, trusted in sharding.epoch_settings(flow, run):
        if not settings and not trusted and not sharding.is_held_out_sampler(sampler):
            yield EpochFault(Fault.NEVER_SET, _construction(sampler), run)
        if run.outer:
            yield from _set_in_vain(settings, run, trusted=trusted)


def _set_in_vain(settings: list[Event], run: LoopRun, *, trusted: bool) -> Iterator[EpochFault]:
    """The epoch is set once, always the same, on some ranks only, or after the iterator was made.

    Args:
        settings: what sets it.
        run: the loop that draws from the sampler.
        trusted: whether something that is not seen may set it as well.
    """
    once = len({id(e.call) for e in settings}) == 1 and not any(set(e.loops) & set(run.outer) for e in settings)
    if once and not trusted:
        yield EpochFault(Fault.SET_ONCE, settings[0], run)
        return
    if settings and not trusted and all(sharding.has_single_constant_argument(e.call) for e in settings):
        yield EpochFault(Fault.CONSTANT, settings[0], run)
        return
    some = all(sharding.is_decided_by_rank(e, run) for e in settings)
    for event in settings:
        if sharding.find_iterator_drawn_before(event, run) is not None:
            yield EpochFault(Fault.TOO_LATE, event, run)
        elif some:
            one = any(sharding.selects_one_rank(test) for test, holds, _ in event.conditions if holds)
            yield EpochFault(Fault.ON_ONE_RANK if one else Fault.ON_SOME_RANKS, event, run)


def _set_on_one_rank(flow: Flow) -> Iterator[EpochFault]:
    """`if rank == 0: loader.sampler.set_epoch(epoch)`, where all ranks train below: whichever sampler it is, they
    shuffle by different epochs."""
    for event in flow.events(SetsEpoch):
        base = event.call.func.value if isinstance(event.call.func, ast.Attribute) else None
        if not isinstance(event.subject, UnknownValue) or not event.loops:
            continue
        if not roles.speaks_of(last_name(base), Role.SAMPLER):
            continue
        epochs = event.loops[-1]
        tests = [test for test, holds, _ in event.conditions_in(epochs) if holds and sharding.selects_one_rank(test)]
        steps = [e for e in flow.events(AppliesGrad) if epochs in e.loops and len(e.loops) > len(event.loops)]
        if tests and steps and not any(t is test for e in steps for t, _, _ in e.conditions for test in tests):
            yield EpochFault(Fault.ON_ONE_RANK, event, steps[0])


def _never_set_in_cycles(flow: Flow) -> Iterator[EpochFault]:
    """The samplers of loaders over which a generator of the file, or one that it calls, loops endlessly."""
    project = flow.frame.project
    if not sharding.are_built(project) or any(project.calls_named(name) for name in (*sharding.PREPARES, "set_epoch")):
        return
    for function, loop in sharding.endless_loops(flow):
        view = FunctionView(function, project.frame(function))
        for node in walk(loop):
            source = node.value if isinstance(node, ast.YieldFrom) else node.iter if isinstance(node, ast.For) else None
            if not place(source):
                continue
            for sampler in sharding.shuffling_samplers(view.value_of(source)):
                yield EpochFault(Fault.NEVER_SET, _construction(sampler), view.at(node))


def _construction(sampler: Value) -> Call:
    """The call that builds a sampler, which is seen."""
    built = sampler.built_with
    assert built is not None
    return Call(built.node, built.frame)
