"""Are modules kept out of sight on purpose?

Whoever freezes a module and puts it into a list does not want it trained, nor in the checkpoint. Read by form: what the
method that fills the list freezes as well.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.views import FunctionView as Function
from mllint.semantics.syntax.module import last_name, place, walk

__all__ = ["frozen_here"]


def frozen_here(view: Function, name: str, held: Any) -> bool:
    """Does the method freeze all that it puts into the list: `teacher.requires_grad_(False); self.teacher = [teacher]`?
    Nobody hides weights by accident that are not to be trained."""
    parts = held.elts if isinstance(held, (ast.List, ast.Tuple)) else [held]
    local = {p.id if isinstance(p, ast.Name) else "" for p in parts}
    said = "requires_grad" in " ".join(view.scope.called_names | set(view.scope.bindings))
    if not said and "requires_grad" not in view.scope.module.calls_by_keyword:
        return False
    frozen = set(frozen_in(view))
    return name in frozen or bool(local and local <= frozen)


def frozen_in(view: Function) -> Iterator[str]:
    """The places whose parameters a method freezes: by `requires_grad_(False)` of theirs, or in a loop over them."""
    loops: dict[str, Any] = {
        getattr(n.target, "id", ""): n.iter for n in walk(view.scope.node) if isinstance(n, ast.For)
    }
    calls = [c for c in view.scope.calls if last_name(c.func) == "requires_grad_" and gives_false(c.args)]
    found: list[Any] = [c.func.value for c in calls if isinstance(c.func, ast.Attribute)]
    for bindings in view.scope.bindings.values():
        found += [b.node.value for b in bindings if freezing(b) or fixes(b)]
    for base in found:
        of: Any = loops.get(getattr(base, "id", ""), base)
        if isinstance(of, ast.Call) and last_name(of.func) == "parameters" and isinstance(of.func, ast.Attribute):
            of = of.func.value
            of = loops.get(getattr(of, "id", ""), of)
        yield place(of.value if isinstance(of, ast.Subscript) else of) or ""


def freezing(binding: Any) -> bool:
    """Is it `p.requires_grad = False`?"""
    return (
        binding.kind == "assign"
        and isinstance(binding.node, ast.Attribute)
        and binding.node.attr == "requires_grad"
        and gives_false([binding.value])
    )


def fixes(binding: Any) -> bool:
    """Is it `layer.weight = nn.Parameter(kernel, requires_grad=False)`: a filter that is written out?"""
    match binding.node, binding.value:
        case ast.Attribute(attr="weight"), ast.Call(keywords=keywords) if last_name(binding.value.func) == "Parameter":
            return any(k.arg == "requires_grad" and gives_false([k.value]) for k in keywords)
    return False


def gives_false(given: Any) -> bool:
    """Is the one thing given `False`?"""
    return bool(given) and isinstance(given[0], ast.Constant) and given[0].value is False
