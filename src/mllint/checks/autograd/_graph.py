"""What the rules about the graph of a loss share.

Every rule here looks at the value that a backward starts from. If nothing that is attached or unknown contributes to
it, its cuts say what happened: a word that cuts on purpose (`detach`, `item`), a context that builds no graph, or an
operation without a gradient. A value to which something unknown contributes accuses nobody, and neither does a function
that makes a tensor of its own require grad: there the input is what is learned.
"""

from __future__ import annotations

import ast

from mllint.semantics.api import Event, Site, text

__all__ = ["calls", "shown"]


_HANDED = frozenset(
    "detach detach_ data item numpy tolist float tensor scalar_tensor Variable array asarray from_numpy".split()
)


def calls(event: Event, *names: str) -> bool:
    """Is it a call of something of one of these names?"""
    func = event.call.func
    return (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) in names


def shown(site: Site) -> str:
    """The source text of a site."""
    return text(site.module, site.node)
