"""Fixes of the family `randomness`."""

from __future__ import annotations

import ast

from mllint.fixes.edits import around, moved, named, parents, replaced, set_keyword, statement, view_of
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Call, LoopRun, Site, last_name, walk

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
    if last_name(site.node.func) != "listdir" and "next" in view_of(site).scope.called_names:
        raise Unsure  # a list is no iterator
    if (
        isinstance(outer, ast.Call)
        and last_name(outer.func) == "list"
        and outer.args == [site.node]
        and not outer.keywords
    ):
        return Proposal("Sort the listing", replaced(Site(site.module, outer.func), "sorted"))
    return Proposal("Sort the listing", around(site, "sorted(", ")"))


@fix("unseeded-shuffle")
def seed_the_split(finding: Finding) -> Proposal:
    """The split has a seed of its own."""
    call = finding.at
    if not isinstance(call, Call):
        raise Unsure
    if call.last_name == "random_split":
        maker = f"{named(call.module, 'torch.Generator')}().manual_seed(0)"
        return Proposal("Seed the split: `generator=`", set_keyword(call, "generator", maker))
    if call.last_name == "train_test_split":
        return Proposal("Seed the split: `random_state=0`", set_keyword(call, "random_state", "0"))
    raise Unsure


@fix("reseeded-in-loop")
def seed_once(finding: Finding) -> Proposal:
    """The seed is set before the loop."""
    run = finding.labels[0].at
    own = statement(finding.at.site)
    if not isinstance(run, LoopRun) or own.node not in run.node.body or not isinstance(own.node, ast.Expr):
        raise Unsure
    read = {n.id for n in walk(own.node.value) if isinstance(n, ast.Name)}
    if read & {n.id for n in walk(run.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}:
        raise Unsure  # the seed is not known before the loop, or is another one in each iteration
    return Proposal("Seed once, before the loop", moved(own, ahead_of=Site(run.frame.module, run.node)))
