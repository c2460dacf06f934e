"""Does an optimizer still hold what is trained, when the training begins?

A model or a layer that is replaced after the optimizer was built is trained by nobody; and a generator of parameters
that was read before leaves nothing for the optimizer.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, Creates, Flow, classes, constructions, exhausted, replacements

__all__: list[str] = []

_READ_ONCE = (
    "an iterator can be read only once: an optimizer without parameters raises, but an empty parameter group does not"
)


@check("stale-parameters")
def stale_parameters(flow: Flow) -> Iterator[Finding]:
    """The optimizer holds parameters of a model, or of a layer, that is replaced afterwards."""
    for made, steps in constructions.constructions(flow).values():
        for name, binding in replacements.replacements(made):
            if replacements.is_stepped_after(flow, made, steps, binding):
                yield Finding(
                    made.call.at(binding.node),
                    f"`{name}` is replaced, but the optimizer still holds its old parameters",
                    "new parameters",
                    [Note(made, "the optimizer was built from the old ones")],
                )
        elsewhere = (replacements.find_layers_replaced_outside, replacements.find_models_rebound_inside)
        for name, site in (pair for replaced in elsewhere for pair in replaced(flow, made, steps)):
            message = f"`{name}` is replaced, but the optimizer still holds its old parameters"
            yield Finding(site, message, "new parameters", [Note(made, "the optimizer was built from the old ones")])
    yield from _exhausted(flow)


def _exhausted(flow: Flow) -> Iterator[Finding]:
    """The optimizers that are given a generator of which something was read before."""
    created = (e for e in flow.events(Creates) if e.subject.instance_of(classes.OPTIMIZER))
    found = [Call(e.call, e.frame) for e in created if isinstance(e.call, ast.Call)]
    found += [made.call for made, _ in constructions.constructions(flow).values()]
    for made in {id(call.node): call for call in found}.values():
        for name, read in exhausted.find_exhausted_generators(made):
            message = f"`{name}` is an iterator that was consumed above: it has nothing left for the optimizer"
            note = Note(read, "consumed here")
            yield Finding(
                made, message, "already consumed", [note], help=f"make it a list: `{name} = list(...)`", why=_READ_ONCE
            )
