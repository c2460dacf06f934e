"""Fixes of the family `numerics`."""

from __future__ import annotations

import ast

from mllint.fixes.edits import around, named, replaced, segment, view_of
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Argument, Site, last_name

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
    view = view_of(site)
    value = view.value_of(sides[0])
    number = isinstance(sides[0], ast.Call) and last_name(sides[0].func) in ("item", "float")
    package = "math" if number or value.is_number else ""
    if not package:
        raise Unsure
    denied = "not " if isinstance(node.ops[0], (ast.NotEq, ast.IsNot)) else ""
    asked = f"{denied}{named(site.module, f'{package}.isnan')}({segment(Site(site.module, sides[0]))})"
    return Proposal("Ask `isnan`", replaced(site, asked))


def _is_nan(node: ast.expr) -> bool:
    """Is it NaN, as it is written: `float("nan")`, `math.nan`?"""
    if isinstance(node, ast.Call):
        given = node.args[0] if len(node.args) == 1 else None
        return isinstance(given, ast.Constant) and str(given.value).lower() == "nan"
    return last_name(node).lower() == "nan"
