"""Fixes of the family `numerics`."""

from __future__ import annotations

import ast

from mllint.fixes.edits import Change, around, named, replaced, segment, text_of, view_of
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Argument, ModuleValue, Site, last_name

__all__: list[str] = []


@fix("broadcast-loss")
def flatten_the_column(finding: Finding) -> Proposal:
    """The column of predictions loses its last dimension."""
    column = next(iter(finding.about), None)
    if not isinstance(column, Argument) or not isinstance(column.node, (ast.Name, ast.Attribute, ast.Call)):
        raise Unsure
    return Proposal("Flatten the column: `.squeeze(-1)`", around(column.site, "", ".squeeze(-1)"))


@fix("comparison-with-nan")
def ask_for_nan(finding: Finding) -> Proposal:
    """`isnan`, of the library that the number is of."""
    site = finding.at.site
    node = site.node
    sides = [s for s in (node.left, node.comparators[0]) if not _is_nan(s)]
    if len(sides) != 1:
        raise Unsure
    nan = node.comparators[0] if sides[0] is node.left else node.left
    package = _package(nan, sides[0], site)
    is_denied = isinstance(node.ops[0], (ast.NotEq, ast.IsNot))
    denied = ("not " if package == "math" else "~") if is_denied else ""
    check = f"{denied}{named(site.module, f'{package}.isnan')}({segment(Site(site.module, sides[0]))})"
    return Proposal("Use `isnan`", replaced(site, check) if is_denied else _ungrouped(site, check))


def _ungrouped(site: Site, call: str) -> list[Change]:
    """A call in the place of a comparison, without the parentheses that only the comparison needed."""
    (change,) = replaced(site, call)
    text = text_of(site.module)
    is_grouped = text[change.start - 1 : change.start] == "(" and text[change.end : change.end + 1] == ")"
    if not is_grouped or text[change.start - 2 : change.start - 1] not in (" ", "(", "[", "~", "-"):
        return [change]  # `any(x == nan)`: the parentheses are those of a call
    return [change._replace(start=change.start - 1, end=change.end + 1)]


def _package(nan: ast.expr, value: ast.expr, site: Site) -> str:
    """The library whose `isnan` takes what is compared: that of a number, or of the constant, `np.nan`, `torch.nan`."""
    view = view_of(site)
    if (isinstance(value, ast.Call) and last_name(value.func) in ("item", "float")) or view.value_of(value).is_number:
        return "math"
    owner = view.value_of(nan.value) if isinstance(nan, ast.Attribute) else None
    home = owner.module.name if isinstance(owner, ModuleValue) else ""
    if home not in ("numpy", "torch"):
        raise Unsure
    return home


def _is_nan(node: ast.expr) -> bool:
    """Is it NaN, as it is written: `float("nan")`, `math.nan`?"""
    if isinstance(node, ast.Call):
        given = node.args[0] if len(node.args) == 1 else None
        return isinstance(given, ast.Constant) and str(given.value).lower() == "nan"
    return last_name(node).lower() == "nan"
