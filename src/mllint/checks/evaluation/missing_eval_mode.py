"""Is a model whose layers depend on the mode measured in train mode?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Flow, Forward, Mode, Site, Value, leftovers, mode_dependence, modes, phases, text

__all__: list[str] = []


@check("missing-eval-mode")
def missing_eval_mode(flow: Flow) -> Iterator[Finding]:
    """A model whose layers depend on the mode is evaluated in train mode."""
    reported = set()
    for forward in flow.events(Forward):
        where = (forward.subject.identity, id(forward.loops[-1].node) if forward.loops else 0)
        phase = phases.measures(forward, flow) if where not in reported else None
        mode = modes.mode_at(forward, flow) if phase is not None else None
        if phase is None or mode is None or mode.value is not Mode.TRAIN:
            continue
        reported.add(where)
        name = text(forward.site.module, forward.call.func)
        yield Finding(
            Site(forward.frame.module, forward.call),
            f"`{name}` is evaluated in train mode: {active(forward.subject)}",
            primary="evaluated here",
            labels=[*(Note(site, "in train mode since here") for site in mode.because), *layer(forward.subject)],
            evidence=(phase, mode),
        )
    for forward, restore in leftovers.restored_only(flow) if not reported else ():
        name = text(forward.site.module, forward.call.func)
        message = f"`{name}` is evaluated in whatever mode it is in: the mode is restored, but never set to eval"
        yield Finding(forward, message, "evaluated here", [Note(restore, "restored here, set nowhere")])
    for since, call in leftovers.predicts_as_trained(flow):
        message = f"`{call.name}` predicts in train mode: dropout or batch norm is active"
        yield Finding(call, message, "predicts here", [Note(since, "in train mode since here")])


def active(model: Value) -> str:
    """What train mode leaves on: the first layer that depends on the mode, where one can be named."""
    found = mode_dependence.first_layer(model)
    return f"its `{found.class_name}` is active" if found is not None else "dropout or batch norm is active"


def layer(model: Value) -> list[Note]:
    """A label at that layer."""
    found = mode_dependence.first_layer(model)
    return [Note(found.site, "depends on the mode")] if found is not None and found.site is not None else []
