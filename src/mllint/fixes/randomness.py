"""Fixes of the family `randomness`."""

from __future__ import annotations

import ast

from mllint.fixes.edits import around, parents, replaced
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Site, last_name

__all__: list[str] = []

_LISTINGS = frozenset("listdir glob iglob iterdir rglob".split())
"""What lists a folder, name by name. Entries of `scandir` cannot be compared, and `walk` lists folder by folder."""


@fix("unordered-data")
def sort_listing(finding: Finding) -> Proposal:
    """The listing is sorted where it is made."""
    site = finding.at.site
    if not isinstance(site.node, ast.Call) or last_name(site.node.func) not in _LISTINGS:
        raise Unsure
    outer = parents(site)[0]
    if isinstance(outer, ast.Call) and last_name(outer.func) == "next":
        raise Unsure  # one of them, whichever
    if (
        isinstance(outer, ast.Call)
        and last_name(outer.func) == "list"
        and outer.args == [site.node]
        and not outer.keywords
    ):
        return Proposal("Sort the listing", replaced(Site(site.module, outer.func), "sorted"))
    return Proposal("Sort the listing", around(site, "sorted(", ")"))
