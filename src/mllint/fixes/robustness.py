"""Fixes of the family `robustness`."""

from __future__ import annotations

import ast

from mllint.fixes.edits import Change, named, parents, replaced
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Site

__all__: list[str] = []


@fix("bool-argument")
def make_it_a_switch(finding: Finding) -> Proposal:
    """`type=bool` becomes `action=argparse.BooleanOptionalAction`: `--augment` and `--no-augment`."""
    site = finding.at.site
    if not isinstance(site.node, ast.Name):
        raise Unsure
    call = next((p for p in parents(site) if isinstance(p, ast.Call)), None)
    if call is None or {k.arg for k in call.keywords} - {"type", "default", "help", "dest", "required"}:
        raise Unsure
    names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if len(names) != len(call.args) or not any(name.startswith("--") for name in names):
        raise Unsure
    negated = {f"--no-{name.removeprefix('--')}" for name in names}
    others = (a for c, _ in site.module.calls_by_name.get("add_argument", ()) for a in c.args)
    if any(isinstance(a, ast.Constant) and a.value in negated for a in others):
        raise Unsure  # that option is there already
    action = named(site.module, "argparse.BooleanOptionalAction")
    own = next(k for k in call.keywords if k.value is site.node)
    whole = replaced(Site(site.module, own), "")[0]
    return Proposal(
        "Make it a switch: `BooleanOptionalAction`", [Change(site.module, whole.start, whole.end, f"action={action}")]
    )
