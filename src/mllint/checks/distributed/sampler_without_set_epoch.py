"""Does every rank see the right data in every epoch?

A `DistributedSampler`, or one of the project's own that does as much, is followed from its construction through the
loader to the loop that draws from it. A framework that prepares loaders, and anything unknown that gets the sampler,
are trusted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AppliesGrad,
    Call,
    Event,
    Flow,
    Forward,
    Function,
    LoopRun,
    Role,
    SetsEpoch,
    Site,
    Topic,
    UnknownValue,
    Value,
    last_name,
    origins,
    place,
    roles,
    sharding,
    text,
    topics,
    walk,
)

__all__: list[str] = []

_EARLIER = "call `set_epoch` before the loader is iterated"
_TOO_LATE = (
    "with workers, the loader prefetches as soon as its iterator is made: a later `set_epoch` does not change the order"
)
_EVERY_RANK = "call `set_epoch` on every rank, outside the branch"
_APART = "when ranks shuffle differently, each epoch repeats some samples and leaves out others"
_REPEATED = "each process trains on the same samples: an epoch takes as long as on one process"
_SHARE = "give the loader a `DistributedSampler({})` instead of `shuffle=True`, and call its `set_epoch`"
_SHARED_OUT = ("split_dataset_by_node", "get_worker_info", "shard", "DistributedSampler", "scatter_object_list")


@check("sampler-without-set-epoch")
def sampler_without_set_epoch(flow: Flow) -> Iterator[Finding]:
    """A shuffling `DistributedSampler` is drawn from in several epochs and is never told which one it is."""
    yield from _endless_cycles(flow)
    yield from _epoch_set_by_one_rank(flow)
    for run in flow.runs:
        if (
            not sharding.is_training_loop(flow, run)
            or not (run.outer or sharding.restarts_loader(run))
            or sharding.has_prepared_loaders(flow)
        ):
            continue
        yield from _read_by_all(flow, run)
        for sampler, settings, trusted in sharding.epoch_settings(flow, run):
            if not settings and not trusted and not sharding.is_held_out_sampler(sampler):
                yield replace(_silent(sampler, run), about=(run, _made_by(sampler)))
            if run.outer:
                yield from _epoch_set_wrongly(settings, run, trusted=trusted)


def _epoch_set_wrongly(settings: list[Event], run: LoopRun, *, trusted: bool) -> Iterator[Finding]:
    """The epoch is set once, always the same, on some ranks only, or after the iterator was made."""
    once = len({id(e.call) for e in settings}) == 1 and not any(set(e.loops) & set(run.outer) for e in settings)
    if once and not trusted:
        message = f"`{_named(settings[0])}` is called once, before the epochs: every epoch has the same order"
        yield Finding(settings[0], message, "runs once", [Note(run, "iterated in each epoch")])
        return
    if settings and not trusted and all(sharding.has_single_constant_argument(e.call) for e in settings):
        message = f"`{_named(settings[0])}` is called with a constant: every epoch has the same order"
        help = f"pass the number of the epoch: `{_named(settings[0])}(epoch)`"
        yield Finding(settings[0], message, "a constant", [Note(run, "iterated in each epoch")], help=help)
        return
    some = all(sharding.is_decided_by_rank(e, run) for e in settings)
    for event in settings:
        late = sharding.find_iterator_drawn_before(event, run)
        if some or late is not None:
            notes = [Note(run, "iterated here")]
            name = _named(event)
            message = f"`{name}` runs after the iterator was made: the order of this epoch is already drawn"
            if late is None:
                one = any(sharding.selects_one_rank(test) for test, holds, _ in event.conditions if holds)
                where = f"on {'one rank' if one else 'some ranks'} only"
                message = f"`{name}` runs {where}: the others keep the order of the first epoch"
                yield Finding(event, message, where, notes, help=_EVERY_RANK, why=_APART)
            else:
                yield Finding(event, message, "after the iterator was made", notes, help=_EARLIER, why=_TOO_LATE)


def _named(event: Event) -> str:
    """The call that sets the epoch, in the user's words."""
    return text(event.frame.module, event.call.func, 40)


def _read_by_all(flow: Flow, run: LoopRun) -> Iterator[Finding]:
    """A loader that shuffles all rows in each process, for a model that several processes train in step."""
    wrap = next(
        (w for f in flow.events(Forward) if run in f.loops and (w := sharding.find_data_parallel_wrap(f)) is not None),
        None,
    )
    project = flow.frame.project
    if wrap is None or not run.outer or any(project.calls_named(name) for name in _SHARED_OUT):
        return
    seeds = (a for name in ("manual_seed", "seed", "set_seed") for c, _ in project.calls_named(name) for a in c.args)
    if any(
        topics.is_about(last_name(n), Topic.RANKS)
        for a in seeds
        for n in walk(a)
        if isinstance(n, (ast.Name, ast.Attribute))
    ):
        return  # each process draws rows of its own
    for node in sharding.iterables_of_loop(run):
        steps = [
            o
            for o in origins(node, run.frame, through=lambda o: not sharding.is_loader_construction(o))
            if sharding.is_loader_construction(o)
        ]
        loaders = [Call(o.node, o.frame) for o in steps]
        if loaders and all(map(sharding.draws_all_rows, loaders)):
            rows = loaders[0].arguments[0].text
            message = f"each process trains on all of `{rows}`: no sampler divides it among them"
            notes = [Note(wrap, "several processes train here"), Note(run, "iterated here")]
            yield Finding(
                loaders[0], message, "all rows, in every process", notes, help=_SHARE.format(rows), why=_REPEATED
            )


def _epoch_set_by_one_rank(flow: Flow) -> Iterator[Finding]:
    """`if rank == 0: loader.sampler.set_epoch(epoch)`, where all ranks train below: whichever sampler it is, they
    shuffle by different epochs."""
    for event in flow.events(SetsEpoch):
        base = event.call.func.value if isinstance(event.call.func, ast.Attribute) else None
        if (
            not isinstance(event.subject, UnknownValue)
            or not event.loops
            or not roles.speaks_of(last_name(base), Role.SAMPLER)
        ):
            continue
        tests = [
            test for test, holds, _ in event.conditions_in(event.loops[-1]) if holds and sharding.selects_one_rank(test)
        ]
        steps = [e for e in flow.events(AppliesGrad) if event.loops[-1] in e.loops and len(e.loops) > len(event.loops)]
        if tests and steps and not any(t is test for e in steps for t, _, _ in e.conditions for test in tests):
            message = f"`{_named(event)}` runs on one rank only: the others keep the order of the first epoch"
            yield Finding(
                event,
                message,
                "on one rank only",
                [Note(steps[0], "all ranks train here")],
                help=_EVERY_RANK,
                why=_APART,
            )


def _silent(sampler: Value, run: LoopRun | Site) -> Finding:
    """The finding for a sampler whose epoch is never set."""
    made = _made_by(sampler)
    message = f"without `set_epoch()`, `{made.name}` uses the same order in every epoch"
    return Finding(
        made, message, "shuffles with the seed and its own `epoch`", [Note(run, "iterated here, without `set_epoch`")]
    )


def _made_by(sampler: Value) -> Call:
    """The call that builds a sampler."""
    built = sampler.built_with
    return Call(built.node, built.frame)  # type: ignore[union-attr]  # its construction is seen


def _endless_cycles(flow: Flow) -> Iterator[Finding]:
    """The same, where a generator of the file, or one that it calls, loops over the loader endlessly."""
    project = flow.frame.project
    if not sharding.are_built(project) or any(project.calls_named(name) for name in (*sharding.PREPARES, "set_epoch")):
        return
    for function, loop in sharding.endless_loops(flow):
        view = Function(function, project.frame(function))
        for node in walk(loop):
            source = node.value if isinstance(node, ast.YieldFrom) else node.iter if isinstance(node, ast.For) else None
            if not place(source):
                continue
            for sampler in sharding.shuffling_samplers(view.value_of(source)):
                yield _silent(sampler, view.at(node))
