"""Are weights remembered without a copy?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import (
    AppliesGrad,
    Cache,
    Flow,
    ModuleScope,
    Node,
    ReadsState,
    Site,
    Unknown,
    cached,
    last_name,
    module_aliases,
    receiver_text,
    snapshots,
    text,
)

__all__: list[str] = []

_TAKE = "take a copy: `copy.deepcopy({}.state_dict())`, or save to disk at once"
_COPY = "build a second module, or copy it: `copy.deepcopy({})`"
_KEEP = "keep a copy: `copy.deepcopy({0})`, or save `{0}.state_dict()` to disk"
_ONE = "both names refer to one module: the copy that was meant to stay fixed changes with every optimizer step"
_MEAN = "both names refer to one module: an average of a network with itself changes nothing"
_AVERAGED: Cache[None, list[tuple[Node, str, str]]] = Cache()


@check("aliased-best-weights")
def aliased_best_weights(flow: Flow) -> Iterator[Finding]:
    """Weights are remembered without a copy, and used after more training."""
    if not any(True for _ in flow.events(AppliesGrad, Unknown)):
        return
    for state in flow.events(ReadsState):
        if not isinstance(state.call, ast.Call) or last_name(state.call.func) != "state_dict":
            continue
        seen = snapshots.state_as_seen_by_caller(state)
        for node, kept in snapshots.find_kept_live_states(seen):
            if snapshots.is_used_after_training(kept, node, seen, flow) and snapshots.may_be_trained_after(seen, flow):
                live = receiver_text(state)
                message = f"`{kept}` refers to the live state of `{live}`: it changes with every optimizer step"
                help = _TAKE.format(live)
                yield Finding(Site(seen.frame.module, node), message, "a reference, not a copy", help=help)
    for run in flow.runs:
        for node, kept in module_aliases.find_aliases(run, flow):
            live = text(run.frame.module, node)
            yield Finding(
                Site(run.frame.module, node),
                f"`{kept}` is `{live}` itself: it changes with every optimizer step",
                primary="another name, not a copy",
                help=_KEEP.format(live),
                why=_ONE,
            )
    for restore, source in module_aliases.find_loads_onto_itself(flow):
        first, second = receiver_text(restore), receiver_text(source)
        message = f"`{first}` and `{second}` are the same module, which loads its own weights here"
        yield Finding(restore, message, "the same module twice", help=_COPY.format(second), why=_ONE)
    yield from _aliased_modules(flow)


def _aliased_modules(flow: Flow) -> Iterator[Finding]:
    """A module under two names, of which one says that it is another one."""
    module, averaged = flow.root.module, _averaged_with_itself(flow.root.module, flow)
    told = {name for _, *pair in averaged for name in pair}
    for call, first, second in averaged:
        message = f"`{first}` and `{second}` are the same module: nothing is averaged"
        yield Finding(Site(module, call), message, "the same module twice", help=_COPY.format(first), why=_MEAN)
    for value, second, first in (found for found in _aliases(module) if found[1] not in told):
        message = f"`{second}` is `{first}` itself: it changes with every optimizer step"
        yield Finding(Site(module, value), message, "another name, not a copy", help=_COPY.format(first), why=_ONE)


def _averaged_with_itself(module: ModuleScope, flow: Flow) -> list[tuple[Node, str, str]]:
    known = _AVERAGED.of(module)
    if None not in known:
        found = list(module_aliases.find_averages_with_itself(module))
        known[None] = found if flow.frame.project.fuel >= 0 else []
    return known[None]


@cached()
def _aliases(module: ModuleScope) -> list[tuple[Node, str, str]]:
    return list(module_aliases.find_module_aliases(module))
