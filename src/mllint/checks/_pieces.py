"""Is a receiver a tensor by the place where it stands, although its value is not known?

What `forward` reshapes is a tensor, and so is what a loop unpacks from its batches and moves. The name has to agree: a
model can be moved in place, and some tokenizers' batches can.
"""

from __future__ import annotations

import _ast as ast

from mllint.pattern import Pattern
from mllint.semantics import Call
from mllint.semantics.classes import mro

__all__ = ["tensor_by_place"]

_RESHAPES = frozenset(
    "view reshape permute transpose squeeze unsqueeze flatten contiguous view_as expand expand_as type_as".split()
)
_PIECE = Pattern("^x$|^out$|^output$|^h$|^y$|image|img|label|target|mask|feat|hidden|quer|key|value|emb")


def tensor_by_place(call: Call) -> bool:
    """Is the receiver a tensor by what it is: reshaped in the `forward` of a module, or an item of a loop's batches?"""
    func, scope = call.node.func, call.function
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name) or not _PIECE.search(func.value.id):
        return False
    if func.attr in _RESHAPES:
        owner = scope.owner
        return (
            scope.name == "forward"
            and owner is not None
            and any(not isinstance(c, str) and c.qualname == "Module" for c in mro(owner))
        )
    if func.attr not in ("to", "cuda", "long", "float"):
        return False
    bindings = scope.bindings.get(func.value.id, ())
    return bool(bindings) and all(b.kind == "for" and b.path for b in bindings)
