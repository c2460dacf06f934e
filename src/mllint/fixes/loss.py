"""Fixes of the family `loss`: the activation that is too much, the one that is wrong, arguments in the wrong order."""

from __future__ import annotations

import ast
from typing import Any

from mllint.fixes.edits import Change, before, parents, removed, replaced, segment, statement, view_of
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import (
    Argument,
    Call,
    ClassValue,
    Function,
    InstanceValue,
    ModuleValue,
    Site,
    expectations,
    last_name,
    place,
    walk,
)

__all__: list[str] = []

_LOGITS = "logits"
_SIMPLE = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


@fix("double-softmax")
@fix("sigmoid-before-logits-loss")
@fix("redundant-log-softmax")
@fix("activation-before-loss")
def drop_the_activation(finding: Finding) -> Proposal:
    """The loss is given what goes into the activation."""
    argument = finding.at
    if not isinstance(argument, Argument):
        raise Unsure
    site = _applied(finding.labels[0].at.site if finding.labels else argument.site)
    if expectations.is_logarithm(site):
        raise Unsure  # what goes into it are probabilities, no logits
    name = last_name(site.node.func) or last_name(getattr(site.node.func, "func", None))
    title = f"Give `{argument.call.name}` what goes into `{name}`"
    if site.module is argument.module and any(n is site.node for n in walk(argument.node)):
        return Proposal(title, _unwrapped(site))
    if isinstance(Call(site.node, view_of(site).frame).callee, ClassValue):
        if isinstance(parents(site)[0], ast.Assign):
            return Proposal(f"Leave out `{name}` at the end of the model", _without_field(site))
        return Proposal(f"Leave out the last `{name}`", _without_layer(site))
    if site.module is argument.module and view_of(site).scope is argument.function:
        return Proposal(title, _bypass_local_name(argument, site))
    if (short := _shortened(argument, site)) is not None:
        return Proposal(title, short)
    return Proposal(f"Leave out `{name}` at the end of the model", _in_forward(site))


def _applied(site: Site) -> Site:
    """The call that applies an activation: all of `nn.Softmax(dim=1)(x)` where `nn.Softmax(dim=1)` is known."""
    if not isinstance(site.node, ast.Call):
        raise Unsure
    outer = parents(site)[0]
    return Site(site.module, outer) if isinstance(outer, ast.Call) and outer.func is site.node else site


def _shortened(argument: Argument, site: Site) -> list[Change] | None:
    """`x` in the place of `probabilities(x)`, of a function that does nothing but apply the activation."""
    function = view_of(site).scope
    body = function.body
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is not site.node:
        return None
    inner = _input(site)
    if not isinstance(inner, ast.Name) or [p.name for p in function.parameters] != [inner.id]:
        return None
    for node in walk(argument.node):
        if isinstance(node, ast.Call) and len(node.args) == 1 and Call(node, argument.frame).callees == [function]:
            return replaced(Site(argument.module, node), segment(Site(argument.module, node.args[0])))
    return None


def _without_field(site: Site) -> list[Change]:
    """`self.activation(x)` at the end of `forward` becomes `x`."""
    owner = view_of(site).scope.owner
    outer = parents(site)[0]
    name = place(outer.targets[0]) if isinstance(outer, ast.Assign) and len(outer.targets) == 1 else None
    if owner is None or name is None or "." not in name:
        raise Unsure
    calls = [c for method in owner.methods.values() for c in method.calls if place(c.func) == name]
    if len(calls) != 1:
        raise Unsure
    changes = _in_forward(Site(site.module, calls[0]))
    attribute = name.rpartition(".")[2]
    reads = [n for n in site.module.body.nodes_of(ast.Attribute) if n.attr == attribute]
    return [*changes, *removed(statement(site))] if len(reads) == 2 else changes


def _input(site: Site) -> Any:
    """What goes into an activation: `x` of `F.softmax(x, dim=1)`, `x.softmax(1)` and `self.softmax(x)`."""
    node = site.node
    view = view_of(site)
    given = [*node.args, *(k.value for k in node.keywords if k.arg in ("input", "x"))]
    is_method = isinstance(node.func, ast.Attribute) and not isinstance(view.value_of(node.func.value), ModuleValue)
    if is_method and not isinstance(Call(node, view.frame).callee, InstanceValue):
        return node.func.value
    if not given or isinstance(given[0], ast.Starred):
        raise Unsure
    return given[0]


def _unwrapped(site: Site) -> list[Change]:
    """What goes into an activation, in its place."""
    inner = _input(site)
    text = segment(Site(site.module, inner))
    outer = parents(site)[0]
    if not isinstance(inner, _SIMPLE) and not isinstance(outer, (ast.Return, ast.Assign, ast.AnnAssign, ast.Call)):
        text = f"({text})"
    return replaced(site, text)


def _bypass_local_name(argument: Argument, site: Site) -> list[Change]:
    """The activation has a name in the function of the loss."""
    outer, function = parents(site)[0], argument.function
    target = outer.targets[0] if isinstance(outer, ast.Assign) and len(outer.targets) == 1 else None
    if not isinstance(target, ast.Name) or not isinstance(argument.node, ast.Name) or target.id != argument.node.id:
        raise Unsure
    inner = _input(site)
    reads = [n for n in function.nodes_of(ast.Name) if n.id == target.id]
    behind = [n for n in reads if isinstance(n.ctx, ast.Load) and n.lineno > outer.lineno]
    if isinstance(inner, ast.Name) and inner.id == target.id:
        if len(behind) != 1:
            raise Unsure
        return removed(Site(site.module, outer))
    if len(function.bindings.get(target.id, ())) != 1:
        raise Unsure
    if len(behind) == 1:
        return [*_unwrapped(site), *_renamed_to_logits(argument, Site(site.module, target))]
    return _name_the_input(argument, site, inner)


def _renamed_to_logits(argument: Argument, target: Site) -> list[Change]:
    """What only the loss reads is called what it is, if the name is free."""
    if any(isinstance(n, ast.Name) and n.id == _LOGITS for n in walk(argument.function.node)):
        return []
    return [*replaced(target, _LOGITS), *replaced(argument.site, _LOGITS)]


def _name_the_input(argument: Argument, site: Site, inner: Any) -> list[Change]:
    """What goes into the activation gets a name, since the activation is used elsewhere, too."""
    function, module = argument.function, site.module
    if isinstance(inner, ast.Name):
        if len(function.bindings.get(inner.id, ())) != 1:
            raise Unsure
        return replaced(argument.site, inner.id)
    if any(isinstance(n, ast.Name) and n.id == _LOGITS for n in walk(function.node)):
        raise Unsure
    inside = Site(module, inner)
    line = f"{_LOGITS} = {segment(inside)}"
    if "\n" in line:
        raise Unsure
    return [*before(statement(site), line), *replaced(inside, _LOGITS), *replaced(argument.site, _LOGITS)]


def _without_layer(site: Site) -> list[Change]:
    """A layer less, the last of an `nn.Sequential`."""
    outer = parents(site)[0]
    if not isinstance(outer, ast.Call) or last_name(outer.func) != "Sequential" or len(outer.args) < 2:
        raise Unsure
    if outer.args[-1] is not site.node:
        raise Unsure
    return _remove_argument(site.module, outer.args[-2], outer.args[-1])


def _remove_argument(module: Any, kept: Any, last: Any) -> list[Change]:
    """Without an argument behind another one, if no comment stands between them."""
    start, end = replaced(Site(module, kept), "")[0].end, replaced(Site(module, last), "")[0].end
    if "#" in module.source.text[start:end]:
        raise Unsure
    return [Change(module, start, end, "")]


def _in_forward(site: Site) -> list[Change]:
    """The activation at the end of the `forward` of a model."""
    view = view_of(site)
    if view.scope.name != "forward" or view.scope.owner is None:
        raise Unsure
    outer, inner = parents(site)[0], _input(site)
    if isinstance(outer, ast.Return):
        return _unwrapped(site)
    target = outer.targets[0] if isinstance(outer, ast.Assign) and len(outer.targets) == 1 else None
    if not isinstance(target, ast.Name) or not _is_returned(target.id, outer, view):
        raise Unsure
    if isinstance(inner, ast.Name) and inner.id == target.id:
        return removed(Site(site.module, outer))
    return _unwrapped(site)


def _is_returned(name: str, bound: ast.Assign, view: Function) -> bool:
    """Is a name read once behind a statement, to be returned?"""
    nodes = (n for n in view.scope.nodes_of(ast.Name) if n.id == name and n.lineno > bound.lineno)
    reads = list(nodes)
    return len(reads) == 1 and any(r.value is reads[0] for r in view.scope.returns)


@fix("swapped-loss-arguments")
def swap_the_arguments(finding: Finding) -> Proposal:
    """The prediction comes first."""
    first, second = finding.at, finding.labels[0].at if finding.labels else None
    if not isinstance(first, Argument) or not isinstance(second, Argument):
        raise Unsure
    texts = segment(first.site), segment(second.site)
    changes = [*replaced(first.site, texts[1]), *replaced(second.site, texts[0])]
    return Proposal("Swap the prediction and the target", changes)


@fix("nll-without-log-softmax")
def take_the_logarithm(finding: Finding) -> Proposal:
    """Softmax becomes log-softmax; for logits the loss is the one that applies it."""
    argument = finding.at
    if not isinstance(argument, Argument):
        raise Unsure
    trait = next(iter(finding.about), "")
    if trait == "Raw" and argument.call.callee.is_function("torch.nn.functional.nll_loss"):
        return Proposal("Use `cross_entropy`", _renamed(argument.call.site, "cross_entropy"))
    site = finding.labels[0].at.site if finding.labels else argument.site
    names = {"softmax": "log_softmax", "Softmax": "LogSoftmax"}
    wanted = names.get(last_name(getattr(site.node, "func", None)))
    if trait != "Probs" or wanted is None:
        raise Unsure
    return Proposal(f"Use `{wanted}`", _renamed(site, wanted))


@fix("raw-scores-in-bce")
def use_the_loss_with_logits(finding: Finding) -> Proposal:
    """The loss applies the sigmoid itself."""
    argument = finding.at
    if not isinstance(argument, Argument):
        raise Unsure
    call = argument.call
    if call.callee.is_function("torch.nn.functional.binary_cross_entropy"):
        wanted = "binary_cross_entropy_with_logits"
        return Proposal(f"Use `{wanted}`", _renamed(call.site, wanted))
    built = [v.built_with for v in call.callee.alternatives if v.instance_of("torch.nn.BCELoss")]
    if len(built) != 1 or built[0] is None or not isinstance(built[0].node, ast.Call):
        raise Unsure
    site = Site(built[0].frame.module, built[0].node)
    return Proposal("Use `BCEWithLogitsLoss`", _renamed(site, "BCEWithLogitsLoss"))


def _renamed(site: Site, name: str) -> list[Change]:
    """A call of something else in the same place: `F.softmax(x)` -> `F.log_softmax(x)`."""
    func = site.node.func
    if not isinstance(func, ast.Attribute) or (place(func) is None and not isinstance(func.value, _SIMPLE)):
        raise Unsure  # a name of its own would have to be imported
    end = replaced(Site(site.module, func), "")[0].end
    return [Change(site.module, end - len(func.attr), end, name)]
