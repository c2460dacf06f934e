"""Is a mode kept and put back, where nothing has changed it in between?

`was = model.training` above a forward without gradients, and `model.train(was)` below it, make sense only around a
`model.eval()`. A call that gets the model in between may set it.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.semantics import Event, Flow, Forward, Site
from mllint.semantics.module import Function, last_name, place

__all__ = ["restored_only"]


def restored_only(flow: Flow) -> Iterator[tuple[Event, Site]]:
    """The forwards of models whose mode is put back only, each with where that is done."""
    for forward in flow.events(Forward):
        function = forward.function
        name = place(forward.call.func) if isinstance(forward.call, ast.Call) else None
        if forward.grad_off is not True or not (name or "").isidentifier() or "eval" in function.called_names:
            continue
        own = [c for c in function.calls if place(c.func) == f"{name}.train"]
        if len(own) != 1 or own[0].lineno < forward.site.line or not _kept(own[0], name or "", function):
            continue
        if name and not any(_gets(c, name) for c in function.calls if c is not forward.call):
            yield forward, Site(forward.frame.module, own[0])


def _kept(restore: ast.Call, name: str, function: Function) -> bool:
    """Is it given a variable that is only ever bound to the mode of the same model?"""
    given = restore.args[0] if len(restore.args) == 1 else None
    found = function.bindings.get(given.id, ()) if isinstance(given, ast.Name) else ()
    return bool(found) and all(b.kind == "assign" and place(b.value) == f"{name}.training" for b in found)


def _gets(call: ast.Call, name: str) -> bool:
    """May a call set the mode: is it given the model, or is it one of its parts that is asked for?"""
    given: list[Any] = [*call.args, *(k.value for k in call.keywords)]
    parts = ("modules", "children", "named_modules", "named_children", "apply")
    return any(place(a) == name for a in given) or (last_name(call.func) in parts)
