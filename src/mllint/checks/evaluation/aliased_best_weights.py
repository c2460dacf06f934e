"""Are weights remembered without a copy?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import AppliesGrad, Event, Flow, ReadsState, Site, Unknown, last_name, snapshots, text

__all__: list[str] = []


@check("aliased-best-weights")
def aliased_best_weights(flow: Flow) -> Iterator[Finding]:
    """Weights are remembered without a copy, and used after more training."""
    if not any(True for _ in flow.events(AppliesGrad, Unknown)):
        return
    for state in flow.events(ReadsState):
        if not isinstance(state.call, ast.Call) or last_name(state.call.func) != "state_dict":
            continue
        for node, kept in snapshots.remembered(state):
            if snapshots.used_later(kept, node, state, flow) and snapshots.trained_after(state, flow):
                message = (
                    f"`{kept}` refers to the live weights of `{_receiver(state)}`: it changes with every optimizer step"
                )
                yield Finding(Site(state.frame.module, node), message, "a reference, not a copy")
    for run in flow.runs:
        for node, kept in snapshots.aliases(run, flow):
            yield Finding(
                Site(run.frame.module, node),
                f"`{kept}` is `{text(run.frame.module, node)}` itself: it goes on training with it",
                primary="another name, not a copy",
            )
    for restore, source in snapshots.onto_itself(flow):
        yield Finding(
            restore,
            f"`{_receiver(restore)}` is loaded with its own weights: `{_receiver(source)}` is the same module",
            primary="another name, not a copy",
        )
    yield from named_twice(flow)


def named_twice(flow: Flow) -> Iterator[Finding]:
    """A module under two names, of which one says that it is another one."""
    module = flow.root.module
    if "averaged with itself" not in module.effects:
        found = tuple(snapshots.averaged_with_itself(module))
        module.effects["averaged with itself"] = found if flow.frame.project.fuel >= 0 else ()
    for call, first, second in module.effects["averaged with itself"]:
        message = f"`{first}` and `{second}` are the same module: nothing is averaged"
        yield Finding(Site(module, call), message, primary="another name, not a copy")
    if "called another" not in module.effects:
        module.effects["called another"] = tuple(snapshots.called_another(module))
    for value, second, first in module.effects["called another"]:
        message = f"`{second}` is `{first}` itself: it changes with every optimizer step"
        yield Finding(Site(module, value), message, primary="another name, not a copy")


def _receiver(event: Event) -> str:
    """What a method call is about, as written."""
    func = event.call.func
    return text(event.site.module, func.value if isinstance(func, ast.Attribute) else func)
