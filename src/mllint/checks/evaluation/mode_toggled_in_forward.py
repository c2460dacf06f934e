"""Does a module change its own mode while it runs, or keep its children from theirs?"""

from __future__ import annotations

from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Class, Site, overrides, text

__all__: list[str] = []

_KEEP = {
    "train": "neither `train()` nor `eval()` changes the mode of the child modules",
    "eval": "the child modules (dropout, batch norm) keep their mode",
}
_STAY = {
    "train": "`Module.eval` only calls `train(False)`: child modules never leave train mode, so dropout stays active",
    "eval": "the child modules stay in train mode: dropout stays active, and batch norm keeps updating its statistics",
}
_STAYS = "the mode stays changed after this call: from then on, dropout and batch norm run in the wrong one"
_OVERRIDE = {
    "train": "override it as `def train(self, mode=True)`, and end it with `return super().train(mode)`",
    "eval": "end it with `return super().eval()`; or override `train(mode)` alone, which `Module.eval` calls",
}
_RENAME = {
    "train": "give it another name: `Module.eval` calls `self.train(False)`",
    "eval": "give it another name: `eval()` is what switches a module, and all that it contains, to eval mode",
}


@check("mode-toggled-in-forward")
def mode_toggled_in_forward(cls: Class) -> Iterator[Finding]:
    """A module changes its own mode while it runs, or keeps `train` and `eval` from its children."""
    if cls.scope.methods.keys().isdisjoint(("forward", "train", "eval")):
        return
    toggle = overrides.find_toggle(cls)
    if toggle is not None:
        message, why = (
            f"`{text(toggle.site.module, toggle.site.node)}` changes the mode of the whole module while it runs",
            _STAYS,
        )
        if toggle.flag:
            message, why = f"`{toggle.flag}` is assigned while the module runs: its child modules keep their mode", ""
        yield Finding(toggle.site, message, "stays set after this call", why=why, evidence=(toggle.is_trained,))
    for override in overrides.find_overrides(cls):
        word = override.word
        yield Finding(
            Site(cls.module, override.method.node),
            f"`{word}` overrides `Module.{word}` without calling it: {_KEEP[word]}",
            "overrides the method of `Module`",
            help=(_OVERRIDE if override.takes_mode else _RENAME)[word],
            why=_STAY[word],
            evidence=(override.takes_place,),
        )
