"""Fixes of the family `metrics`."""

from __future__ import annotations

import ast

from mllint.fixes.edits import before, replaced, set_keyword, statement
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Argument, Call, Site, place

__all__: list[str] = []


@fix("metric-direction")
def invert_direction(finding: Finding) -> Proposal:
    """The other direction counts as better."""
    metric = finding.at
    if isinstance(metric, Call) and metric.last_name == "step":
        return _invert_schedule(metric, finding)
    if not isinstance(metric, Argument) or metric.parameter not in ("monitor", "metric_for_best_model"):
        raise Unsure
    lower = finding.primary.startswith("lower")
    if metric.parameter == "metric_for_best_model":
        value = str(lower)
        return Proposal(f"Pass `greater_is_better={value}`", set_keyword(metric.call, "greater_is_better", value))
    value = '"max"' if lower else '"min"'
    return Proposal(f"Pass `mode={value}`", set_keyword(metric.call, "mode", value))


def _invert_schedule(step: Call, finding: Finding) -> Proposal:
    """The schedule of a `step` is built with the other mode."""
    alternatives = step.receiver.alternatives if step.receiver is not None else []
    built = [value.built_with for value in alternatives]
    if len(built) != 1 or built[0] is None or not isinstance(built[0].node, ast.Call):
        raise Unsure
    value = '"max"' if finding.primary.startswith("lower") else '"min"'
    return Proposal(f"Pass `mode={value}`", set_keyword(Call(built[0].node, built[0].frame), "mode", value))


@fix("thresholded-logits")
def compare_with_zero(finding: Finding) -> Proposal:
    """A logit is compared with 0, which is where the sigmoid is a half."""
    site = finding.at.site
    if not isinstance(site.node, ast.Compare) or getattr(site.node.comparators[0], "value", None) != 0.5:
        raise Unsure
    return Proposal("Compare the logits with 0", replaced(Site(site.module, site.node.comparators[0]), "0"))


@fix("best-never-updated")
def keep_the_record(finding: Finding) -> Proposal:
    """The score becomes the record where it outdoes it."""
    record, site = next(iter(finding.about), None), finding.at.site
    own = statement(site).node
    test = site.node
    if not isinstance(own, ast.If) or own.test is not test or not isinstance(test, ast.Compare) or len(test.ops) != 1:
        raise Unsure
    others = [side for side in (test.left, test.comparators[0]) if side is not record]
    if len(others) != 1 or place(others[0]) is None or place(record) is None:
        raise Unsure
    line = f"{place(record)} = {place(others[0])}"
    return Proposal(f"Update the best score: `{line}`", before(Site(site.module, own.body[0]), line))
