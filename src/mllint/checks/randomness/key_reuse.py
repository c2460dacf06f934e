"""Are random numbers drawn twice from the same key of JAX?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Module, keys

__all__: list[str] = []

_AGAIN = {
    "numbers": "`{call}` draws with `{key}`, which another draw has used: the two are not independent",
    "keys": "`{key}` is split again: this gives the same keys as the first time",
}
_EACH_TIME = {
    "numbers": "`{call}` draws with the same `{key}` in every iteration: each step gets the same numbers",
    "keys": "`{key}` is split in every iteration and never replaced: each step gets the same keys",
    "step": "`{call}` gets the same `{key}` in every iteration: each step draws the same random numbers",
}
_FOLD = (
    "use `jax.random.fold_in({key}, step)`, or replace the key in the loop: `{key}, subkey = jax.random.split({key})`"
)
_KEEP = "keep the new key: `{key}, subkey = jax.random.split({key})`; or split once: `jax.random.split({key}, 3)`"


@check("key-reuse", names="jax")
def key_reuse(module: Module) -> Iterator[Finding]:
    """A key is used up twice, and gives the same random numbers each time."""
    for reuse in keys.reuses(module.module, module.project):
        words = {"call": reuse.call, "key": reuse.key}
        message = (_EACH_TIME if reuse.in_loop else _AGAIN)[reuse.gives].format(**words)
        note = Note(reuse.first, "the key is not renewed in this loop" if reuse.in_loop else "used here first")
        help = _FOLD if reuse.in_loop else _KEEP if reuse.gives == "keys" else ""
        yield Finding(reuse.site, message, "the same key", [note], help=help.format(**words))
