"""Held-out data passes through random augmentation."""

from __future__ import annotations

from collections.abc import Iterator

from mllint.checks.data._augmented import augmented_split, given_to_held_out
from mllint.checks.data._flagged import FLAGS, flagged
from mllint.rule import Finding, Note, check
from mllint.semantics.api import Call, origins, roles, transforms, unread

__all__: list[str] = []


@check("augmented-evaluation", calls=f"{transforms.NAMED} random_split Compose", keywords=f"transform {FLAGS}")
def augmented_evaluation(call: Call) -> Iterator[Finding]:
    """Held-out data passes through random augmentation."""
    yield from flagged(call)
    if call.last_name == "random_split":
        yield from augmented_split(call)
        return
    if call.last_name == "Compose":
        yield from given_to_held_out(call)
        return
    if call.last_name not in transforms.NAMED.split() and not any(k.arg == "transform" for k in call.node.keywords):
        return
    given = call.argument("transform")
    if (
        given is None
        or not (transforms.is_held_out(call) or transforms.feeds_held_out(call, given))
        or transforms.asks_which_part(call.value)
    ):
        return
    step = transforms.random_step(given.value)
    names = [transforms.last_word(o.node) for o in origins(given.node, call.frame)]
    if step is None or step.site is None or any("tta" in name.lower() for name in names):
        return
    if unread.only_shown(call) or transforms.disturbs(call, names):
        return
    meant = any(roles.is_held_out_name(name) for name in names)
    yield Finding(
        step.site if meant else given,
        f"`{step.of.name}` draws anew each time the held-out data of `{call.name}` is read",
        "random" if meant else "transforms held-out data at random",
        [Note(call, "held-out data")] if meant else [Note(step.site, "drawn anew each time")],
    )
