"""Has a class of modules anything to which a mode could be passed on?"""

from __future__ import annotations

from mllint import tree as ast
from mllint.pattern import Pattern
from mllint.semantics import Class
from mllint.semantics.classes import mro
from mllint.semantics.evaluate import evaluate
from mllint.semantics.module import last_name

__all__ = ["childless"]

_HOLDS = Pattern("module|sequential|transformer|attention|parametr|parallel")


def childless(cls: Class) -> bool:
    """Does it hold parameters of its own, or is it a plain layer of a library (`class Noise(nn.Dropout)`), and hold
    nothing that could be a module?"""
    bound = [
        (b.value, cls.project.frame(f))
        for word, f in cls.scope.methods.items()
        for name, found in f.bindings.items()
        for b in found
        if name.startswith("self.") and word not in ("train", "eval")
    ]
    first = next((c for c in mro(cls.scope) if not isinstance(c, str) and c.module.is_stub), None)
    layer = first is not None and first.module.name.startswith("torch.nn") and not _HOLDS.search(first.name)
    if not layer and not any(isinstance(n, ast.Call) and last_name(n.func) == "Parameter" for n, _ in bound):
        return False
    values = [evaluate(node, frame) for node, frame in bound if node is not None]
    return not any(v.kind in ("unknown", "many") or v.may_be_instance_of("torch.nn.Module") for v in values)
