"""Does a class keep its child modules from the mode that it is put into, or change it while it runs?

    class Net(nn.Module):
        def train(self, mode=True):
            self.training = mode                    # `find_overrides`: `self.drop` stays in the mode that it was in

        def forward(self, x):
            self.eval()                             # `find_toggle`: whoever called `train()` trains in eval mode
            return self.head(self.drop(x))

A method that is called `train` or `eval` may be a loop that trains and only has the name, and a `forward` that sets
eval mode and records no gradients may only ever predict: the answers say so. An override that sets a mode by itself, be
it of some layers, and a class that holds no modules keep nothing from anybody.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import Call, ClassView
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.libraries.tensor_methods import LISTS_PARAMETERS, LISTS_PARTS
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.words import words
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.modes.dependence import depends_on_mode
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import heirs
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.self_helpers import Part, helpers_given_self
from mllint.semantics.values.values import ManyValue, UnknownValue

if TYPE_CHECKING:
    pass

__all__ = ["Override", "Toggle", "find_overrides", "find_toggle", "parts_run_with_forward"]

_CALLS = 2
"""How many calls away from `forward` a mode is looked for."""
_BOTH = frozenset(("eval", "train"))
_CONTAINERS = frozenset("module sequential transformer attention parametrization parallel".split())
"""Words of the library classes whose objects hold other modules."""


class Override(NamedTuple):
    """A method that takes the place of `Module.train` or `Module.eval`, and passes no mode on."""

    word: str
    """The name of the method."""
    method: FunctionScope
    takes_place: Answer[bool]
    """Whether it takes the place of the one that sets the mode; perhaps not if it is a loop that trains."""
    takes_mode: bool
    """Whether it can be called as that of `Module`; else it only has the name: `train(self, loader)`, or a loop."""


class Toggle(NamedTuple):
    """The only statement by which a module changes its own mode while it runs."""

    site: Site
    flag: str
    """What is assigned, `self.training`; empty for a call of `train` or `eval`."""
    is_trained: Answer[bool]
    """Whether `forward` runs while the module is trained."""


def find_overrides(cls: ClassView) -> Iterator[Override]:
    """The methods `train` and `eval` of a module that keep its children, or those of a class that inherits them, from
    the mode: they are not called, and hold what depends on it.

    Args:
        cls: the class that defines the methods.
    """
    for word in ("train", "eval"):
        override = cls.scope.methods.get(word)
        if override is None or not cls.inherits(MODULE) or _passes_mode(override):
            continue
        own = any(place(n) == "self.training" for n in override.nodes_of(ast.Attribute))
        kinds = [cls, *_heirs_of(cls)]
        if own and not any(depends_on_mode(kind.instance()) is True for kind in kinds):
            continue
        if not all(map(_is_childless, kinds)):
            yield Override(word, override, _takes_place(override, word, cls), _takes_mode(override, word))


def _takes_mode(override: FunctionScope, word: str) -> bool:
    """Is it called as `train(mode)`, or `eval()`, and no loop over data?"""
    if _loops_over_data(override):
        return False
    first = override.parameters[1:2]
    if word == "eval":
        return not first or first[0].default is not None
    return not first or first[0].name == "mode" or getattr(first[0].default, "value", None) is True


def _loops_over_data(override: FunctionScope) -> bool:
    """Does a method run a loop, over something else than layers and parameters?"""
    iterated = (last_name(getattr(getattr(run.node, "iter", None), "func", None)) for run in override.loops)
    return any(word not in LISTS_PARTS | LISTS_PARAMETERS for word in iterated)


def find_toggle(cls: ClassView) -> Toggle | None:
    """How a module changes its own mode in `forward`, or in what that hands the object to, without undoing it.

    Args:
        cls: the class, as it defines `forward`.
    """
    forward = cls.scope.methods.get("forward")
    if forward is None or not cls.inherits(MODULE):
        return None
    toggles: dict[int, tuple[Site, str]] = {}  # a function inside of another one is seen with it, and alone
    for part in parts_run_with_forward(cls, forward):
        if not _may_set_mode(part.function, part.own):
            continue
        flag, module = f"{part.own}.training", part.function.module
        for node in (n for s in part.function.body for n in walk(s)):
            if isinstance(node, ast.Assign) and any(place(t) == flag for t in node.targets):
                if not _is_childless(cls):
                    toggles[id(node)] = (Site(module, node), flag)
            elif isinstance(node, ast.Call) and place(node.func) in (f"{part.own}.train", f"{part.own}.eval"):
                if _is_own(node, cls):
                    continue
                if any(not isinstance(a, ast.Constant) for a in all_arguments(node)):
                    return None  # the mode is put back
                toggles[id(node)] = (Site(module, node), "")
    if len(toggles) != 1:
        return None
    site, flag = next(iter(toggles.values()))
    return Toggle(site, flag, _is_run_to_train(forward, cls))


def parts_run_with_forward(cls: ClassView, forward: FunctionScope) -> list[Part]:
    """What runs with `forward` on its object and may set its mode: the method, and what it calls or hands itself to."""
    setting = id(forward) in cls.project.reach.functions(_BOTH, _CALLS)
    setting = setting or any("self.training" in f.bindings for f in cls.scope.methods.values())
    if setting or any(f"{part.own}.training" in part.function.bindings for part in helpers_given_self(forward)):
        return cls.run_by(forward, _CALLS)
    return cls.run_by(forward, 0)


def _may_set_mode(function: FunctionScope, own: str) -> bool:
    """Does a function, or one inside of it, call some `train` or `eval`, or assign the mode of an object?"""
    if not function.called_names.isdisjoint(_BOTH):
        return True
    return any(f"{own}.training" in scope.bindings for scope in function.nested())


def _is_own(node: ast.Call, cls: ClassView) -> bool:
    """Is it a method of the project's own that only has the name, as an abstract `eval()` that gives a loss?"""
    callees = Call(node, cls.frame_of(cls.scope.methods["forward"])).callees
    return bool(callees) and not any(f.stubbed for f in callees)


def _is_run_to_train(forward: FunctionScope, cls: ClassView) -> Answer[bool]:
    """Whether a `forward` runs while the module is trained. One that sets eval mode and records no gradients only
    predicts, and may mean it."""
    without = "eval" in forward.called_names and (
        forward.decorated("no_grad", "inference_mode") or _runs_frozen(forward, cls)
    )
    return proven_unless(without, True)


def _runs_frozen(forward: FunctionScope, cls: ClassView) -> bool:
    """Does everything that it runs of its own run without gradients, as a fixed encoder does?"""
    frame = cls.project.frame(forward)
    runs = [c for c in forward.calls if (place(c.func) or "").startswith("self.") and last_name(c.func) != "eval"]
    return bool(runs) and all(Call(node, frame).grad_off is True for node in runs)


# ------------------------------------------------------------------------------------- overrides of `train` and `eval`
def _passes_mode(override: FunctionScope) -> bool:
    """Does an override of `train` or `eval` set some mode, by `super()` or by hand, or nothing on purpose?"""
    body = [s for s in override.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if all(isinstance(s, (ast.Pass, ast.Return, ast.Raise)) for s in body) or override.decorated(
        "abstractmethod", "overload"
    ):
        return True
    nodes = [n for s in override.body for n in walk(s)]
    chosen = {id(n) for branch in nodes if _asks_kind_of_layer(branch) for n in walk(branch)}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in ("train", "eval", "requires_grad_"):
            if node.attr != "eval" or id(node) not in chosen:
                return True
        if isinstance(node, ast.Attribute) and node.attr == "training" and isinstance(node.ctx, ast.Store):
            if place(node) != "self.training":
                return True
        if isinstance(node, ast.Raise):
            return True
    return False


def _asks_kind_of_layer(node: Node) -> bool:
    """Is it `if isinstance(layer, nn.BatchNorm2d):`? What is under it is done to some layers, and to no other."""
    return isinstance(node, ast.If) and any(
        isinstance(n, ast.Call) and last_name(n.func) in ("isinstance", "issubclass") for n in walk(node.test)
    )


def _heirs_of(cls: ClassView) -> list[ClassView]:
    """The classes of the project that inherit an override of the mode from a class, with their own layers."""
    found = heirs(cls.scope, cls.project)
    return [ClassView(c, cls.project.frame(c.module.body)) for c in found if not {"train", "eval"} & c.methods.keys()]


def _is_childless(cls: ClassView) -> bool:
    """Does it hold parameters of its own, or is it a plain layer of a library (`class Noise(nn.Dropout)`), and hold
    nothing that could be a module?"""
    bound = [
        (b.value, cls.project.frame(f))
        for word, f in cls.scope.methods.items()
        for name, found in f.bindings.items()
        for b in found
        if name.startswith("self.") and word not in _BOTH
    ]
    first = next((c for c in mro(cls.scope) if not isinstance(c, str) and c.module.is_stub), None)
    layer = first is not None and first.module.name.startswith("torch.nn") and _CONTAINERS.isdisjoint(words(first.name))
    if not layer and not any(isinstance(n, ast.Call) and last_name(n.func) == "Parameter" for n, _ in bound):
        return False
    values = [evaluate(node, frame) for node, frame in bound if node is not None]
    return not any(isinstance(v, (UnknownValue, ManyValue)) or v.may_be_instance_of(MODULE) for v in values)


def _takes_place(override: FunctionScope, word: str, cls: ClassView) -> Answer[bool]:
    """Whether a method that is called `train` or `eval` takes the place of the one that sets the mode.

    Args:
        override: the method.
        word: its name.
        cls: its class, a module.

    Returns:
        A proven answer, unless it may be a loop that trains and only has the name.
    """
    return proven_unless(_is_training_loop(override, word, cls), True)


def _is_training_loop(override: FunctionScope, word: str, cls: ClassView) -> bool:
    """Is it a loop that trains and only has the name, in a class whose objects nobody switches to eval mode?"""
    positional = [p for p in override.parameters if p.kind == "positional"]
    if len([p for p in positional if p.default is None]) > 2:
        return True  # `eval()` could not even call it: `train(self, loader, optimizer)`
    first = positional[1].default if word == "train" and len(positional) > 1 else None
    if isinstance(first, ast.Constant) and not isinstance(first.value, bool):
        return True  # its first parameter is no mode: `train(self, epochs=100)`
    if len(positional) > 1 and _keeps_as_mode(override, positional[0].name, positional[1].name):
        return False
    steps = {"backward", "step", "zero_grad", "DataLoader", "fit", "train_epoch"}
    if word != "train" or not (_loops_over_data(override) or not override.called_names.isdisjoint(steps)):
        return False
    name, project = f"{cls.module.name}.{cls.scope.qualname}", cls.project
    for node, scope in project.calls_named("eval"):
        if isinstance(scope, FunctionScope) and isinstance(node.func, ast.Attribute):
            receiver = Call(node, project.frame(scope)).receiver
            if receiver is not None and receiver.instance_of(name):
                return False
    return True


def _keeps_as_mode(override: FunctionScope, own: str, given: str) -> bool:
    """Does it keep what it is given as the mode of its own object, `self.training = mode`?"""
    kept = (binding.value for binding in override.bindings.get(f"{own}.training", ()))
    return any(isinstance(value, ast.Name) and value.id == given for value in kept)
