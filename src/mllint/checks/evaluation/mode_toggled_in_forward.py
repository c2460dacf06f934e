"""Does a module change its own mode while it runs, or keep its children from theirs?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import (
    Call,
    Class,
    FunctionScope,
    ManyValue,
    Node,
    Site,
    UnknownValue,
    evaluate,
    last_name,
    mode_dependence,
    mro,
    place,
    switches,
    text,
    walk,
    words,
)

__all__: list[str] = []

_MODULE = "torch.nn.Module"
_KEEP = {
    "train": "neither `train()` nor `eval()` changes the mode of the child modules",
    "eval": "the child modules (dropout, batch norm) keep their mode",
}
_STAY = {
    "train": "`Module.eval` calls `train(False)`: child modules stay in train mode, with dropout and batch statistics",
    "eval": "the child modules stay in train mode: dropout stays active, and batch norm keeps updating its statistics",
}
_STAYS = "the mode stays changed after this call: from then on, dropout and batch norm run in the wrong one"
_OVERRIDE = {
    "train": "end the override with `return super().train(mode)`",
    "eval": "end it with `return super().eval()`; or override `train(mode)` alone, which `Module.eval` calls",
}
_RENAME = "give it another name: `Module.eval` calls `self.train(False)`"
_CONTAINERS = frozenset("module sequential transformer attention parametrization parallel".split())
"""Words of the library classes whose objects hold other modules."""


@check("mode-toggled-in-forward")
def mode_toggled_in_forward(cls: Class) -> Iterator[Finding]:
    """A module changes its own mode while it runs, or keeps `train` and `eval` from its children."""
    if cls.scope.methods.keys().isdisjoint(("forward", "train", "eval")) or not cls.inherits(_MODULE):
        return
    forward = cls.scope.methods.get("forward")
    if forward is not None:
        yield from _toggled(forward, cls)
    for word in ("train", "eval"):
        override = cls.scope.methods.get(word)
        if override is not None and not _passes_mode(override):
            own = any(isinstance(n, ast.Attribute) and place(n) == "self.training" for n in _walk_function(override))
            kinds = [cls, *switches.heirs_of(cls)]
            if own and not any(mode_dependence.depends_on_mode(kind.instance()) is True for kind in kinds):
                continue
            if all(map(_childless, kinds)):
                continue
            yield Finding(
                Site(cls.module, override.node),
                f"`{word}` overrides `Module.{word}` without calling it: {_KEEP[word]}",
                primary="overrides the method of `Module`",
                help=_RENAME if word == "train" and not _takes_mode(override) else _OVERRIDE[word],
                why=_STAY[word],
                evidence=(switches.overrides_mode(override, word, cls),),
            )


def _takes_mode(override: FunctionScope) -> bool:
    """Can a `train` be called as that of `Module`, or is it a method that only has the name: `train(self, loader)`?"""
    first = override.parameters[1:2]
    return not first or first[0].name == "mode" or getattr(first[0].default, "value", None) is True


def _toggled(forward: FunctionScope, cls: Class) -> Iterator[Finding]:
    """Assignments of the mode in forward, and calls of `self.train()` or `self.eval()` that are not undone; also in
    functions that get the object."""
    toggles: dict[int, tuple[Site, str, str]] = {}  # a function inside of another one is seen with it, and alone
    for part in switches.parts_run_with_forward(cls, forward):
        module = part.function.module
        if not _may_set_mode(part.function, part.own):
            continue
        for node in _walk_function(part.function):
            if isinstance(node, ast.Assign) and any(place(t) == f"{part.own}.training" for t in node.targets):
                if _childless(cls):
                    continue
                message = f"`{part.own}.training` is assigned while the module runs: its child modules keep their mode"
                toggles[id(node)] = (Site(module, node), message, "")
            elif isinstance(node, ast.Call) and place(node.func) in (f"{part.own}.train", f"{part.own}.eval"):
                if _own(node, cls):
                    continue
                if any(not isinstance(a, ast.Constant) for a in node.args + [k.value for k in node.keywords]):
                    return
                message = f"`{text(module, node)}` changes the mode of the whole module while it runs"
                toggles[id(node)] = (Site(module, node), message, _STAYS)
    if len(toggles) == 1:
        trained = (switches.is_run_to_train(forward, cls),)
        site, message, why = next(iter(toggles.values()))
        yield Finding(site, message, "stays set after this call", why=why, evidence=trained)


def _may_set_mode(function: FunctionScope, own: str) -> bool:
    """Does a function, or one inside of it, call some `train` or `eval`, or assign the mode of an object?"""
    if not function.called_names.isdisjoint(("train", "eval")):
        return True
    return any(f"{own}.training" in scope.bindings for scope in function.nested())


def _own(node: ast.Call, cls: Class) -> bool:
    """Is it a method of the project's own that only has the name, as an abstract `eval()` that gives a loss?"""
    callees = Call(node, cls.frame_of(cls.scope.methods["forward"])).callees
    return bool(callees) and not any(f.stubbed for f in callees)


def _passes_mode(override: FunctionScope) -> bool:
    """Does an override of `train` or `eval` set some mode, by `super()` or by hand, or nothing on purpose?"""
    body = [s for s in override.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if all(isinstance(s, (ast.Pass, ast.Return, ast.Raise)) for s in body) or override.decorated(
        "abstractmethod", "overload"
    ):
        return True
    chosen = {id(n) for n in _walk_function(override) if _kinds_of_layer(n) for n in walk(n)}
    for node in _walk_function(override):
        if isinstance(node, ast.Attribute) and node.attr in ("train", "eval", "requires_grad_"):
            if node.attr != "eval" or id(node) not in chosen:
                return True
        if isinstance(node, ast.Attribute) and node.attr == "training" and isinstance(node.ctx, ast.Store):
            if place(node) != "self.training":
                return True
        if isinstance(node, ast.Raise):
            return True
    return False


def _kinds_of_layer(node: Node) -> bool:
    """Is it `if isinstance(layer, nn.BatchNorm2d):`? What is under it is done to some layers, and to no other."""
    return isinstance(node, ast.If) and any(
        isinstance(n, ast.Call) and last_name(n.func) in ("isinstance", "issubclass") for n in walk(node.test)
    )


def _walk_function(function: FunctionScope) -> Iterator[Node]:
    """The nodes of a function's body."""
    for statement in function.body:
        yield from walk(statement)


def _childless(cls: Class) -> bool:
    """Does it hold parameters of its own, or is it a plain layer of a library (`class Noise(nn.Dropout)`), and hold
    nothing that could be a module?"""
    bound = [
        (b.value, cls.project.frame(f))
        for word, f in cls.scope.methods.items()
        for name, found in f.bindings.items()
        for b in found
        if name.startswith("self.") and word not in ("train", "eval")
    ]
    first = next((c for c in mro(cls.scope) if not isinstance(c, str) and c.module.is_stub), None)
    layer = (
        first is not None
        and first.module.name.startswith("torch.nn")
        and _CONTAINERS.isdisjoint(words.words(first.name))
    )
    if not layer and not any(isinstance(n, ast.Call) and last_name(n.func) == "Parameter" for n, _ in bound):
        return False
    values = [evaluate(node, frame) for node, frame in bound if node is not None]
    return not any(isinstance(v, (UnknownValue, ManyValue)) or v.may_be_instance_of("torch.nn.Module") for v in values)
