"""Fixes of the family `autograd`."""

from __future__ import annotations

import ast
from typing import Any

from mllint.fixes.edits import Change, around, removed, replaced, segment, spot, statement
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
    number = _is_number(target, where, statement)
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


def _is_number(target: str, where: Frame, adding: ast.stmt) -> bool:
    """Does a sum begin as a number, and is it nowhere used as a tensor?"""
    if not isinstance(adding, (ast.AugAssign, ast.Assign)) or "." in target:
        return False
    bound = [b for b in where.function.bindings.get(target, ()) if b.kind == "assign" and b.node is not adding]
    bound = [b for b in bound if b.value is not getattr(adding, "value", None)]
    begun = [b for b in bound if _is_zero(b.value, b.path)]
    if not begun or len(bound) != len(begun):
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


def _is_zero(value: Any, path: Any) -> bool:
    """Is it a number as it is written: `0.0`, and each of `total, count = 0.0, 0`?"""
    values = value.elts if isinstance(value, ast.Tuple) and path else [value]
    return all(isinstance(v, ast.Constant) and isinstance(v.value, (int, float)) for v in values)


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
                return Proposal("Keep the graph", [*removed(own), *_without_switch(own, place(inner))])
    bound = own.node.targets[0] if isinstance(own.node, ast.Assign) else None
    kept = replaced(site, segment(Site(site.module, inner)))
    return Proposal("Keep the graph", [*kept, *_without_switch(own, place(bound))])


def _without_switch(own: Site, name: str | None) -> list[Change]:
    """Without `loss.requires_grad = True` behind a statement, which only silenced the error of `backward()`."""
    here = spot(own)
    for later in here.block[here.place + 1 :]:
        match later:
            case ast.Assign(targets=[ast.Attribute(value=of, attr="requires_grad")], value=ast.Constant(value=True)):
                pass
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=of, attr="requires_grad_"))):
                pass
            case _:
                continue
        if name is not None and place(of) == name:
            return removed(Site(own.module, later))
    return []
