"""Fixes of the family `modules`."""

from __future__ import annotations

import ast
from typing import Any

from mllint.fixes.edits import around, before, moved, named, replaced, segment, spot, statement, view_of
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Class, ClassScope, Function, ModuleValue, Site, classes, place, walk

__all__: list[str] = []

_CALLED = frozenset("append extend insert items keys values pop update".split())
"""The methods of lists and dictionaries that `nn.ModuleList` and `nn.ModuleDict` have as well."""


@fix("missing-super-init")
def call_super(finding: Finding) -> Proposal:
    """`super().__init__()` becomes the first statement."""
    site = finding.at.site
    if not isinstance(site.node, ast.FunctionDef):
        return _earlier(finding)
    if any(isinstance(n, ast.Name) and n.id == "super" for n in walk(site.node)):
        raise Unsure  # `super().__init__`, or of another class: somebody meant something
    owner = next(
        (
            c
            for c in site.module.classes
            if c.methods.get("__init__") is not None and c.methods["__init__"].node is site.node
        ),
        None,
    )
    if owner is None or len(owner.node.bases) != 1 or not _takes_nothing(owner, site):
        raise Unsure
    body = site.node.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    if documented and len(body) == 1:
        raise Unsure
    line = f"{_super(owner, site)}.__init__()"
    return Proposal(f"Call `{line}` first", before(Site(site.module, body[documented]), line))


def _super(owner: ClassScope, site: Site) -> str:
    """`super()`, or `super(Net, self)` in a file that always writes it in full."""
    written = [call for call, _ in site.module.calls_by_name.get("super", ())]
    if written and all(len(call.args) == 2 for call in written):
        return f"super({owner.name}, {site.node.args.args[0].arg})"
    return "super()"


def _takes_nothing(owner: ClassScope, site: Site) -> bool:
    """Can the next `__init__` be called without arguments?"""
    project = site.module.project
    view = Class(owner, project.frame(site.module.body))
    for base in view.ancestors[1:]:
        if isinstance(base, str):
            return False
        inits = base.methods.get("__init__")
        if inits is not None:
            needed = [p for p in inits.parameters[1:] if p.default is None and p.kind in ("positional", "keyword")]
            return base.module.is_stub or not needed
        if base.fullname in (classes.MODULE, "torch.nn.modules.module.Module"):
            return True
    return False


def _earlier(finding: Finding) -> Proposal:
    """The call that comes too late moves before the first layer."""
    layer, call = spot(finding.at.site), spot(finding.labels[0].at.site)
    if layer.block is not call.block:
        raise Unsure
    first = layer.block[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    module = finding.at.site.module
    called = call.statement.value if isinstance(call.statement, ast.Expr) else None
    if not isinstance(called, ast.Call) or called.args or called.keywords:
        raise Unsure
    target = Site(module, layer.block[documented])
    return Proposal("Call `super().__init__()` first", moved(Site(module, call.statement), ahead_of=target))


@fix("unregistered-submodule")
def register_modules(finding: Finding) -> Proposal:
    """The list becomes an `nn.ModuleList`, where it is made."""
    if not finding.about:
        raise Unsure
    cls, name, home = finding.about
    if home not in ("nn.ModuleList", "nn.ModuleDict"):
        raise Unsure
    bound = [(Function(f, cls.frame_of(f)), b) for f in cls.scope.methods.values() for b in f.bindings.get(name, ())]
    if len(bound) != 1 or bound[0][1].kind != "assign" or bound[0][1].path:
        raise Unsure
    view, binding = bound[0]
    if not _is_plain(binding.value, view, home) or not _like_modules(cls, name):
        raise Unsure
    written = named(view.module, f"torch.{home}")
    changes = around(Site(view.module, binding.value), f"{written}(", ")")
    if not isinstance(binding.value, ast.Call) and not _elements(binding.value):
        changes = [changes[0]._replace(end=changes[1].end, text=f"{written}()")]
    if binding.extra is not None:  # `self.layers: list[nn.Module] = [...]`
        changes = [*replaced(Site(view.module, binding.extra), written), *changes]
    return Proposal(f"Keep them in `{home}`", changes)


def _elements(node: Any) -> list[Any]:
    if isinstance(node, (ast.List, ast.Tuple)):
        return list(node.elts)
    if isinstance(node, ast.Dict):
        return list(node.values)
    return [getattr(node, "elt", None) or getattr(node, "value", None)]


def _is_plain(node: Any, view: Function, home: str) -> bool:
    """Is it written as a list or a dictionary of modules, and of nothing else?"""
    if home == "nn.ModuleList" and not isinstance(node, (ast.List, ast.Tuple, ast.ListComp)):
        return False
    if home == "nn.ModuleDict":
        keys = node.keys if isinstance(node, ast.Dict) else [node.key] if isinstance(node, ast.DictComp) else [None]
        if not all(_is_text(key) for key in keys):
            return False
    return all(_is_module(element, view) for element in _elements(node))


def _is_module(node: Any, view: Function) -> bool:
    value = view.value_of(node) if isinstance(node, ast.expr) and not isinstance(node, ast.Starred) else None
    return value is not None and all(v.instance_of(classes.MODULE) for v in value.alternatives)


def _is_text(node: Any) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _like_modules(cls: Class, name: str) -> bool:
    """Is nothing done with it that a container of modules cannot do?"""
    for method in cls.scope.methods.values():
        for node in walk(method.node):
            if isinstance(node, ast.Attribute) and place(node.value) == name and node.attr not in _CALLED:
                return False
            if isinstance(node, ast.Subscript) and place(node.value) == name and not isinstance(node.ctx, ast.Load):
                return False
            if isinstance(node, (ast.BinOp, ast.AugAssign)) and name in {place(p) for p in ast.iter_child_nodes(node)}:
                return False
        for call in method.calls:
            if isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "insert"):
                if place(call.func.value) == name and not _is_module(
                    call.args[-1] if call.args else None, _view(cls, method)
                ):
                    return False
    return True


def _view(cls: Class, method: Any) -> Function:
    return Function(method, cls.frame_of(method))


@fix("shared-layer-instances")
def build_each_layer(finding: Finding) -> Proposal:
    """`[layer] * n` becomes a comprehension, which builds each layer anew."""
    site = finding.at.site
    match site.node:
        case ast.BinOp(left=ast.List(elts=layers), op=ast.Mult(), right=times):
            pass
        case ast.BinOp(left=times, op=ast.Mult(), right=ast.List(elts=layers)):
            pass
        case _:
            raise Unsure
    if not layers or not all(isinstance(layer, ast.Call) for layer in layers):
        raise Unsure
    built, number = [segment(Site(site.module, node)) for node in layers], segment(Site(site.module, times))
    if len(built) == 1:
        return Proposal("Build one layer for each position", replaced(site, f"[{built[0]} for _ in range({number})]"))
    if any(isinstance(node, ast.Name) and node.id == "layer" for node in walk(site.node)):
        raise Unsure
    each = f"[layer for _ in range({number}) for layer in ({', '.join(built)})]"
    return Proposal("Build one layer for each position", replaced(site, each))


@fix("discarded-result")
def keep_the_result(finding: Finding) -> Proposal:
    """The result goes back to where the input is from."""
    site = finding.at.site
    own = statement(site)
    if not isinstance(own.node, ast.Expr) or own.node.value is not site.node or not isinstance(site.node, ast.Call):
        raise Unsure
    func, given = site.node.func, site.node.args
    if not isinstance(func, ast.Attribute):
        raise Unsure
    skipped = "skipped" in finding.message
    receiver = None if skipped else _array(func.value)
    target = given[0] if given and (skipped or _could_replace(func, site)) else receiver
    if not isinstance(target, (ast.Name, ast.Attribute)) or func.attr in ("item", "tolist", "numpy"):
        raise Unsure
    if not skipped and isinstance(view_of(site).value_of(target), ModuleValue):
        raise Unsure  # `torch.clamp(x, 0, 1)`
    if isinstance(target, ast.Name) and not _is_read_below(target, view_of(site)):
        raise Unsure
    name = segment(Site(site.module, target))
    return Proposal(f"Assign the result to `{name}`", around(site, f"{name} = ", ""))


def _could_replace(func: ast.expr, site: Site) -> bool:
    """Has a function the option to put its result in the place of its first argument: `F.relu(x, inplace=True)`?"""
    function = view_of(site).value_of(func).function
    return function is not None and any(parameter.name == "inplace" for parameter in function.parameters)


def _is_read_below(name: ast.Name, view: Function) -> bool:
    """Is a name read again, so that what it holds now is of use? What a loop or a caller has handed over may have been
    meant to be changed in place."""
    nodes = (n for n in view.scope.nodes_of(ast.Name) if n.id == name.id)
    reads = [n for n in nodes if isinstance(n.ctx, ast.Load) and n.lineno > name.lineno]
    given = any(b.kind in ("for", "param") for b in view.scope.bindings.get(name.id, ()))
    return bool(reads) or (not given and view.scope.is_body)


def _array(node: ast.expr) -> ast.expr:
    """`x` of `x` and of `x.at[i]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute) and node.value.attr == "at":
        return node.value.value
    return node
