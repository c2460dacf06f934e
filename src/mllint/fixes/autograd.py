"""Fixes of the family `autograd`."""

from __future__ import annotations

import ast
from typing import Any

from mllint.fixes.edits import around, removed, replaced, segment, statement
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Frame, MappingValue, Site, evaluate, place, walk

__all__: list[str] = []

_SHOWS = frozenset("print format round float min max append add_scalar log set_postfix info".split())


@fix("loss-keeps-graph")
def keep_the_number(finding: Finding) -> Proposal:
    """What is collected is the number, or the tensor without its graph."""
    if len(finding.about) != 3:
        raise Unsure
    where, target, added = finding.about
    value = evaluate(added, where)
    if any(isinstance(v, MappingValue) for v in value.alternatives) or isinstance(added, ast.Starred):
        raise Unsure
    statement = finding.at.site.node
    number = isinstance(statement, ast.AugAssign) and _is_number(target, where)
    call = ".item()" if number else ".detach()"
    title = "Add the number, not the graph: `.item()`" if number else "Keep it without its graph: `.detach()`"
    part = _factor(added, where)
    if part is not None:
        return Proposal(title, around(Site(where.module, part), "", call))
    if isinstance(added, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        return Proposal(title, around(Site(where.module, added), "", call))
    return Proposal(title, around(Site(where.module, added), "(", f"){call}"))


def _factor(node: Any, where: Frame) -> Any:
    """The loss in `loss * n` and `loss / n`, a name; None for anything else."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        sides = [s for s in (node.left, node.right) if evaluate(s, where).may_be("Loss")]
        node = sides[0] if len(sides) == 1 else None
    return node if isinstance(node, (ast.Name, ast.Attribute)) else None


def _is_number(target: str, where: Frame) -> bool:
    """Does it begin as a number, and is it nowhere used as a tensor?"""
    bound = [b for b in where.function.bindings.get(target, ()) if b.kind == "assign"]
    begun = [b for b in bound if isinstance(b.value, ast.Constant) and isinstance(b.value.value, (int, float))]
    if not begun or "." in target or len(bound) != len(begun):
        return False
    for node in walk(where.function.node):
        if isinstance(node, ast.Attribute) and place(node.value) == target:
            return False  # `total.item()`
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            given = [*node.args, *(k.value for k in node.keywords)]
            if any(place(a) == target for a in given) and name not in _SHOWS:
                return False
    return True


@fix("detached-loss")
def keep_the_graph(finding: Finding) -> Proposal:
    """The loss is computed from the tensor itself."""
    site = finding.at.site
    if finding.help:
        raise Unsure
    match site.node:
        case ast.Call(func=ast.Attribute(value=inner, attr="detach"), args=[], keywords=[]):
            pass
        case ast.Attribute(value=inner, attr="data"):
            pass
        case _:
            raise Unsure
    own = statement(site)
    match own.node:
        case ast.Assign(targets=[target], value=value) if value is site.node and place(target) == place(inner):
            if place(inner) is not None:
                return Proposal("Keep the graph", removed(own))
    return Proposal("Keep the graph", replaced(site, segment(Site(site.module, inner))))
