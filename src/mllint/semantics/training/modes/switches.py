"""Who sets a mode in a way that no event shows, or only seems to set it?

`module.training = False`, `getattr(model, mode)()`, `for m in models: m.eval()` and a lambda that calls `eval` set a
mode, and nobody follows of which model. They make the mode unknown (`modes`) for what is called in the function that
does so, and in those that it is called from; they say nothing about the rest of the program.

A method that is called `train` or `eval` may be a loop that trains and only has the name (`overrides_mode`); a
`forward` that sets eval mode and records no gradients may only ever predict (`is_run_to_train`).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, ClassView
from mllint.semantics.libraries.tensor_methods import LISTS_PARTS
from mllint.semantics.syntax.blocks import parts_on
from mllint.semantics.syntax.caches import cached, cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.values.classes import heirs
from mllint.semantics.values.self_helpers import Part, helpers_given_self

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event
    from mllint.semantics.syntax.module import ClassScope, ModuleScope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project

__all__ = [
    "heirs_of", "is_flag_written", "is_put_back_in_function", "is_run_to_train", "keeps_evaluation", "overrides_mode",
    "parts_run_with_forward", "places_restoring_mode", "sets_mode",
]  # fmt: skip

_CALLS = 2
"""How many calls away from `forward` a mode is looked for."""
_NONE: frozenset[str] = frozenset()
_BOTH = frozenset(("eval", "train"))
_SETTING = frozenset(("eval", "train", "getattr", "setattr", "__setattr__"))


def is_flag_written(frame: Frame, mode: str) -> bool:
    """Whether a mode is set by hand on the way to a place: there, or in a function of the project called on the way."""
    names, setters = _flag_setters(frame.project)[mode]
    while setters:
        if id(frame.function) in setters or not names.isdisjoint(frame.function.called_names):
            return True
        if frame.caller is None:
            break
        frame = frame.caller[0]
    return False


@cached_per_scope(local=True)
def places_restoring_mode(function: FunctionScope) -> frozenset[str]:
    """The places of the models that leave a function in the mode in which they came: `was = net.training` somewhere,
    and `net.train(was)` before any `return`."""
    once = ((name, found[0].value) for name, found in function.bindings.items() if len(found) == 1)
    read = {(name, place(value.value)) for name, value in once if _is_mode(value)}
    ends = [s for t in function.body if isinstance(t, ast.Try) for s in t.finalbody]
    first = min((n.lineno for n in function.returns), default=0)
    found: set[str] = set()
    if read:
        for step in (*function.body, *ends):
            match step:
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=model, attr="train"), args=args, keywords=keywords)
                ):
                    given = [place(a) for a in (*args, *(k.value for k in keywords))]
                    at = place(model)
                    if (
                        at
                        and len(given) == 1
                        and (given[0], at) in read
                        and (step in ends or not 0 < first < step.lineno)
                    ):
                        found.add(at)
    return frozenset(found)


def is_put_back_in_function(mode: Event) -> bool:
    """Whether `mode` is set in a function that leaves the model as it came: `was = net.training`, `net.train(was)`."""
    func = mode.call.func if mode.kind == "sets_mode" and isinstance(mode.call, ast.Call) else None
    at = place(func.value) if isinstance(func, ast.Attribute) else None
    return at is not None and "train" in mode.function.called_names and at in places_restoring_mode(mode.function)


def _is_mode(value: Node) -> bool:
    """Is it `net.training`?"""
    return isinstance(value, ast.Attribute) and value.attr == "training"


def keeps_evaluation(function: FunctionScope, calls: int = 2) -> bool:
    """Whether a function hands on one of its own that sets eval mode on a parameter, to be run later, or calls one that
    does so."""
    if function.stubbed or calls == 0:
        return False
    if any(_sets_eval_mode(inner, function) and _is_handed_on(inner, function) for inner in function.functions):
        return True
    frame = function.module.project.frame(function)
    called = (f for c in function.calls for f in Call(c, frame).callees)
    return any(keeps_evaluation(f, calls - 1) for f in called)


def _sets_eval_mode(inner: FunctionScope, function: FunctionScope) -> bool:
    """Whether a function inside of another one sets eval mode on a parameter of the outer one."""
    switched = (c.func.value for c in inner.calls if isinstance(c.func, ast.Attribute) and c.func.attr == "eval")
    return any(function.parameter(place(model) or "") is not None for model in switched)


def _is_handed_on(inner: FunctionScope, function: FunctionScope) -> bool:
    """Whether a function inside of another one is given back, stored or passed, and not only called there."""
    called = {id(c.func) for c in function.calls}
    return any(n.id == inner.name and id(n) not in called for n in function.nodes_of(ast.Name))


def sets_mode(cls: ClassScope) -> bool:
    """Whether a method of a class sets a mode: `__enter__` of a context manager, or what that calls."""
    return any(not f.called_names.isdisjoint(_BOTH) for f in cls.methods.values())


def parts_run_with_forward(cls: ClassView, forward: FunctionScope) -> list[Part]:
    """What runs with `forward` on its object and may set its mode: the method, and what it calls or hands itself to."""
    setting = id(forward) in cls.project.reach.functions(_BOTH, _CALLS)
    setting = setting or any("self.training" in f.bindings for f in cls.scope.methods.values())
    if setting or any(f"{part.own}.training" in part.function.bindings for part in helpers_given_self(forward)):
        return cls.run_by(forward, _CALLS)
    return cls.run_by(forward, 0)


def heirs_of(cls: ClassView) -> list[ClassView]:
    """The classes of the project that inherit an override of the mode from a class, with their own layers."""
    found = heirs(cls.scope, cls.project)
    return [ClassView(c, cls.project.frame(c.module.body)) for c in found if not {"train", "eval"} & c.methods.keys()]


def _modes_set(function: FunctionScope) -> set[str]:
    """The modes that a function may set by writing the flag, by calling what sets that of one of several models, or by
    a name."""
    if function.called_names.isdisjoint(_SETTING) and not _writes_flags(function.module):
        return set()
    several = {n for n, found in function.bindings.items() if any(b.kind in ("for", "comp") for b in found)}
    found: set[str] = set()
    parts = () if isinstance(function.node, ast.Lambda) else parts_on(_lines_on_modes(function.module), function.node)
    for node in (n for part in parts for n in walk(part)):
        if node.__class__ in (ast.Attribute, ast.Call, ast.Lambda):
            found |= _flags(node, several) if not _is_of_import(node, function) else _NONE
    return found


def _is_of_import(node: Node, function: FunctionScope) -> bool:
    """Is something called that an imported module has by its name: `getattr(models, arch)()`?"""
    match node:
        case ast.Call(func=ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id=name), _])):
            bound = function.bindings.get(name) or function.module.body.bindings.get(name) or []
            return bool(bound) and all(b.kind in ("import", "from") for b in bound)
    return False


@cached()
def _flag_setters(project: Project) -> dict[str, tuple[set[str], set[int]]]:
    """The names and the ids of the functions in which each mode is set by hand."""
    found = [(f, _modes_set(f)) for m in project.modules for f in m.functions if not f.is_body]
    setters: dict[str, tuple[set[str], set[int]]] = {}
    for mode in _BOTH:
        setting = [f for f, modes in found if mode in modes]
        named = {f.owner.name if f.owner is not None and f.name == "__enter__" else f.name for f in setting}
        setters[mode] = named, {id(f) for f in setting}
    return setters


@cached(local=True)
def _lines_on_modes(module: ModuleScope) -> list[int]:
    """The lines on which a mode, or its flag, may be set."""
    if module.source is None:
        return list(range(1, (module.tree.body[-1].end_lineno or 0) + 1)) if module.tree.body else []
    return module.source.lines_naming("training", *_SETTING)  # type: ignore[no-any-return]  # a source is opaque here


@cached()
def _writes_flags(module: ModuleScope) -> bool:
    """May somebody write the flag of another object than `self` in this file? By its text, which is cheap."""
    parts = (module.source.text if module.source is not None else "x.training").split(".training")
    others = (i for i in range(1, len(parts)) if not parts[i - 1].endswith("self"))
    return any(not (parts[i][:1].isalnum() or parts[i][:1] == "_") for i in others)


def _flags(node: Node, several: set[str]) -> frozenset[str]:
    """The modes that one expression may set, of a model that is not followed."""
    match node:
        case ast.Attribute(value=base, attr="training", ctx=ast.Store()):
            return _NONE if isinstance(base, ast.Name) and base.id == "self" else _BOTH
        case ast.Call(args=[ast.Name(), ast.Constant(value="training"), _]):
            return _BOTH if last_name(node.func) in ("setattr", "__setattr__") else _NONE
        case ast.Call(func=ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(), ast.Name()])):
            return _BOTH if len(node.args) + len(node.keywords) < 2 else _NONE
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="eval" | "train" as word)) if name in several:
            return _BOTH if node.args or node.keywords else frozenset((word,))
        case ast.Lambda(body=ast.Call(func=ast.Attribute(attr="eval" | "train" as word)) as call):
            return _BOTH if call.args or call.keywords else frozenset((word,))
    return _NONE


# ------------------------------------------------------------------------------------- overrides of `train` and `eval`
def overrides_mode(override: FunctionScope, word: str, cls: ClassView) -> Answer[bool]:
    """Whether a method that is called `train` or `eval` takes the place of the one that sets the mode.

    Args:
        override: the method.
        word: its name.
        cls: its class, a module.

    Returns:
        A proven answer, unless it may be a loop that trains and only has the name.
    """
    return proven_unless(_is_training_loop(override, word, cls), True)


def is_run_to_train(forward: FunctionScope, cls: ClassView) -> Answer[bool]:
    """Whether a `forward` runs while the module is trained. One that sets eval mode and records no gradients only
    predicts, and may mean it."""
    without = "eval" in forward.called_names and (
        forward.decorated("no_grad", "inference_mode") or _runs_frozen(forward, cls)
    )
    return proven_unless(without, True)


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
    loops = [
        r for r in override.loops if last_name(getattr(getattr(r.node, "iter", None), "func", None)) not in LISTS_PARTS
    ]
    if word != "train" or not (loops or not override.called_names.isdisjoint(steps)):
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


def _runs_frozen(forward: FunctionScope, cls: ClassView) -> bool:
    """Does everything that it runs of its own run without gradients, as a fixed encoder does?"""
    frame = cls.project.frame(forward)
    runs = [c for c in forward.calls if (place(c.func) or "").startswith("self.") and last_name(c.func) != "eval"]
    return bool(runs) and all(Call(node, frame).grad_off is True for node in runs)
