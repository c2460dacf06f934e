"""Fixes of the family `data`."""

from __future__ import annotations

import ast

from mllint.fixes.edits import parents, removed, replaced, segment, set_keyword, statement, view_of, without_keyword
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Call, Site, last_name, place

__all__: list[str] = []


@fix("fit-on-test")
def transform_only(finding: Finding) -> Proposal:
    """`fit_transform` of held-out rows becomes `transform`."""
    site = finding.at.site
    func = site.node.func if isinstance(site.node, ast.Call) else None
    first = finding.labels[0].at.site.node if finding.labels and not finding.help else None
    fitted = first.func.value if isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute) else None
    if not isinstance(func, ast.Attribute) or fitted is None or len(site.node.args) != 1 or site.node.keywords:
        raise Unsure
    title = "Only `transform` the held-out rows"
    same = place(fitted) is not None and place(fitted) == place(func.value)
    if func.attr == "fit" and same and isinstance(parents(site)[0], ast.Expr):
        return Proposal(title, removed(statement(site)))
    if func.attr != "fit_transform" or not (same or _built_alike(fitted, func.value, site)):
        raise Unsure
    receiver = segment(Site(site.module, fitted))
    return Proposal(title, replaced(Site(site.module, func), f"{receiver}.transform"))


def _built_alike(fitted: ast.expr, fresh: ast.expr, site: Site) -> bool:
    """Is the one a name of what is built by the same words as the other?"""
    name, scope = place(fitted), view_of(site).scope
    bound = scope.bindings.get(name or "", ())
    if len(bound) != 1 or bound[0].value is None or not isinstance(fresh, ast.Call):
        return False
    return ast.dump(bound[0].value) == ast.dump(fresh) and bound[0].node.lineno < site.node.lineno


@fix("unshuffled-training")
def shuffle(finding: Finding) -> Proposal:
    """The loader shuffles."""
    node = finding.at.site.node
    if not isinstance(node, ast.Call) or last_name(node.func) != "DataLoader":
        raise Unsure
    call = Call(node, view_of(finding.at.site).frame)
    if call.is_open or any(call.argument(name) is not None for name in ("sampler", "batch_sampler")):
        raise Unsure
    return Proposal("Shuffle the training rows", set_keyword(call, "shuffle", "True"))


@fix("shuffled-time-series")
def keep_the_order(finding: Finding) -> Proposal:
    """The last rows are held out."""
    call = finding.at
    if not isinstance(call, Call) or call.last_name != "train_test_split" or call.argument("stratify") is not None:
        raise Unsure
    if call.argument("random_state") is None:
        return Proposal("Hold out the last rows", set_keyword(call, "shuffle", "False"))
    if call.argument("shuffle") is not None:
        raise Unsure
    removed = without_keyword(call.site, "random_state")
    text = call.module.source.text[removed[0].start : removed[0].end]
    gap = text[: text.index("random_state")]
    return Proposal("Hold out the last rows", [removed[0]._replace(text=f"{gap}shuffle=False")])
