"""Fixes of the family `randomness`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from mllint.fixes.edits import (
    Change,
    around,
    moved,
    named,
    parents,
    removed,
    replaced,
    set_keyword,
    spot,
    statement,
    view_of,
)
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Call, Event, LoopRun, Site, last_name, walk

__all__: list[str] = []

_LISTINGS = frozenset("listdir glob iglob iterdir rglob".split())
"""What lists a folder, name by name. Entries of `scandir` cannot be compared, and `walk` lists folder by folder."""
_DECLARATIONS = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


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
    """The seed is set once: where the program sets one already, or where it begins."""
    run, own = finding.labels[0].at, statement(finding.at.site)
    if not isinstance(run, LoopRun) or not isinstance(own.node, ast.Expr) or len(finding.about) != 2:
        raise Unsure
    seed, flow = finding.about
    earlier = [e for e in flow.events("seeds") if run not in e.loops and flow.path(e, to=seed)]
    if _is_set_before(seed, own, [e for e in earlier if not e.loops and not e.conditions]):
        return Proposal("Remove the seeding in the loop", removed(own))
    if own.node not in run.node.body:
        raise Unsure
    read = {n.id for n in walk(own.node.value) if isinstance(n, ast.Name)}
    if read & _bound(run.node):
        raise Unsure  # the seed is not known before the loop, or is another one in each iteration
    return Proposal("Seed once, before the loop", _moved_to_beginning(own, run, read, earlier))


def _is_set_before(seed: Event, own: Site, earlier: Sequence[Event]) -> bool:
    """Is the same set before: by the same function, or all that a call sets by itself?"""
    if any(e.call is seed.call for e in earlier):
        return True
    before = {stream for e in earlier if isinstance(e.option, tuple) for stream in e.option}
    return own.node.value is seed.call and isinstance(seed.option, tuple) and before.issuperset(seed.option)


def _moved_to_beginning(own: Site, run: LoopRun, read: set[str], earlier: Sequence[Event]) -> list[Change]:
    """A seed moves to the beginning of the block that the loop is in, so that what is built there is seeded, too.
    Imports, definitions, what it reads, and other seeds stay before it; in a notebook, what stands in other cells."""
    loop = Site(run.frame.module, run.node)
    here, cells = spot(loop), loop.module.source.cells
    ahead = here.block[: here.place]
    if cells is not None:
        ahead = [s for s in ahead if cells.locate(s.lineno)[0] == cells.locate(loop.line)[0]]
    seeds = {e.site.line for e in earlier if e.frame.module is loop.module}
    needed = [s for s in ahead if _bound(s) & read or s.lineno in seeds]
    if needed:
        return moved(own, behind=Site(loop.module, needed[-1]))
    fixed = [s for s in ahead if isinstance(s, _DECLARATIONS) or _is_text(s)]
    first = [*ahead, run.node][ahead.index(fixed[-1]) + 1 if fixed else 0]
    return moved(own, ahead_of=Site(loop.module, first))


def _bound(statement: ast.stmt) -> set[str]:
    return {n.id for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
