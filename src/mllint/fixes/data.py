"""Fixes of the family `data`."""

from __future__ import annotations

import ast

from mllint.fixes.edits import Change, replaced, set_keyword, view_of, without_keyword
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Call, Site, last_name

__all__: list[str] = []


@fix("fit-on-test")
def transform_only(finding: Finding) -> Proposal:
    """`fit_transform` of held-out rows becomes `transform`."""
    node, module = finding.at.site.node, finding.at.site.module
    func = node.func if isinstance(node, ast.Call) else None
    if not isinstance(func, ast.Attribute) or func.attr != "fit_transform" or not finding.labels:
        raise Unsure
    if len(node.args) != 1 or node.keywords or finding.help:
        raise Unsure
    first = finding.labels[0].at.site.node
    if not isinstance(first, ast.Call) or ast.dump(_receiver(first)) != ast.dump(func.value):
        raise Unsure  # two objects, of which the first is not at hand
    end = replaced(Site(module, func), "")[0].end
    return Proposal("Only `transform` the held-out rows", [Change(module, end - len(func.attr), end, "transform")])


def _receiver(call: ast.Call) -> ast.expr:
    return call.func.value if isinstance(call.func, ast.Attribute) else call.func


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
