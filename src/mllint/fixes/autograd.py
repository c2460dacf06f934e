"""Fixes of the family `autograd`."""

from __future__ import annotations

import ast
from typing import Any

from mllint.fixes.edits import Change, around, parents, removed, replaced, segment, spot, statement, view_of
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Frame, MappingValue, Site, evaluate, last_name, place, walk

__all__: list[str] = []

_SHOWS = frozenset("print format round float min max append add_scalar log set_postfix info".split())
_METHODS = frozenset("detach cpu numpy item".split())
_FUNCTIONS = frozenset("tensor as_tensor from_numpy Variable float asarray array".split())


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


@fix("silenced-autograd-error")
def keep_the_loss(finding: Finding) -> Proposal:
    """What was made a leaf is the loss itself, if that has its graph."""
    site = finding.at.site
    if _converted(site.node) is None or not evaluate(_conversions(site)[1], view_of(site).frame).is_attached:
        raise Unsure
    return _kept(site)


@fix("detached-loss")
def keep_the_graph(finding: Finding) -> Proposal:
    """The loss is computed from the tensor itself, without what turns it into a number or an array and back."""
    site = finding.at.site
    if finding.help or _converted(site.node) is None:
        raise Unsure
    return _kept(site)


def _kept(site: Site) -> Proposal:
    """The tensor in the place of its conversions."""
    whole, inner = _conversions(site)
    own = statement(site)
    match own.node:
        case ast.Assign(targets=[target], value=value) if value is whole.node and place(target) == place(inner):
            if place(inner) is not None:
                return Proposal("Keep the graph", [*removed(own), *_without_switch(own, place(inner))])
    bound = own.node.targets[0] if isinstance(own.node, ast.Assign) else None
    kept = replaced(whole, segment(Site(site.module, inner)))
    return Proposal("Keep the graph", [*kept, *_without_switch(own, place(bound))])


def _conversions(site: Site) -> tuple[Site, ast.expr]:
    """All of `torch.tensor(loss.item(), requires_grad=True)`, whichever part is asked about, and the `loss` in it.

    Raises:
        Unsure: what reads the result needs no tensor.
    """
    whole = site.node
    for outer in parents(site):
        if _converted(outer) is whole:
            whole = outer
        elif getattr(outer, "value", None) is not whole:  # the name of a method
            break
    inner: Any = whole
    while (given := _converted(inner)) is not None:
        inner = given
    name = last_name(getattr(whole, "func", whole))
    sums = any(isinstance(outer, ast.BinOp) for outer in parents(Site(site.module, whole))[:1])
    if name in ("numpy", "asarray", "array") or (name in ("item", "float") and not sums):
        raise Unsure
    return Site(site.module, whole), inner


def _converted(node: Any) -> Any:
    """`x` of `x.detach()`, `x.data`, `x.item()`, `float(x)` and `torch.tensor(x, requires_grad=True)`; else None."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr=name), args=[], keywords=[]) if name in _METHODS:
            return inner
        case ast.Attribute(value=inner, attr="data"):
            return inner
        case ast.Call(func=func, args=[inner], keywords=options) if last_name(func) in _FUNCTIONS:
            return inner if {k.arg for k in options} <= {"requires_grad", "device"} else None
    return None


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
