"""Which functions are worth a flow? By the names that are called in them and in what they may enter.

A flow is built for each function that trains, fits or loops over what it evaluates and that no other such function
calls. Inside it, only functions in which something happens are entered (`eventful_names`).
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.events import CORE_WORDS, FIT_WORDS, FLOW_WORDS, MODE_WORDS, SETTING_WORDS
from mllint.semantics.flow.gradient_writes import GRADIENT_WORDS
from mllint.semantics.flow.ownwork import does_the_work
from mllint.semantics.libraries._names import OPTIMIZERS
from mllint.semantics.syntax.caches import cached, cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import last_name
from mllint.semantics.syntax.topics import Topic, is_about
from mllint.semantics.values.classes import stub_effect
from mllint.semantics.values.plain import quiet_names
from mllint.semantics.values.reach import (
    SPLITTERS,
    functions_around,
    names_called_by,
    runs_what_it_has,
    validating_functions,
)
from mllint.semantics.values.values import (
    MappingValue,
    SequenceValue,
    Value,
    union,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.syntax.module import ModuleScope, Scope
    from mllint.semantics.values.project import Project

__all__ = [
    "STEPS", "eventful_names", "find_returned_loss", "is_eventful", "is_library_callback", "is_root",
    "is_training_step", "training_functions", "writes_gradients",
]  # fmt: skip

STEPS = ("training_step", "compute_loss")
_TRAIN_DEPTH, _FIT_DEPTH = 5, 2  # how many calls deep a root may be from what it trains, or fits
_DIVIDING = (*SPLITTERS, "train_test_split", "random_split", "split_dataset", "load_dataset")
_GRADIENTS = (".grad", "._grad")
_SWITCHED = ".requires_grad"
_GRADIENT_NAMES = frozenset(("grad", "_grad"))
_SWITCHES = frozenset(("no_grad", "inference_mode"))
_READING = frozenset(("load_state_dict",))
_SAVING = ("save", "save_weights", "save_model")
_MODES_OR_WEIGHTS = MODE_WORDS | _READING


@cached()
def training_functions(project: Project) -> frozenset[int]:
    """The ids of the functions in which something is trained or fitted, or that may enter such a function.

    What only seeds, saves or freezes makes no flow of its own, and is entered where it is called."""
    reach = project.reach
    split = reach.near(_DIVIDING)  # a fit matters where rows are held out
    fitting = [
        *reach.calling(FIT_WORDS, [m for m in project.modules if id(m) in split]).values(),
        *validating_functions(project),
        *_keeping(project),
    ]
    found = reach.functions(CORE_WORDS, _TRAIN_DEPTH) | reach.reaching(fitting, _FIT_DEPTH)
    return found | reach.reaching(_stepping(project), 1)


def _keeping(project: Project) -> Iterator[FunctionScope]:
    """The functions that fit, evaluate and save in a loop, so that what is saved may be chosen by what is measured."""
    for _, scope in project.calls_named("evaluate"):
        if isinstance(scope, FunctionScope) and scope.loops and not scope.called_names.isdisjoint(_SAVING):
            if not scope.called_names.isdisjoint(FIT_WORDS):
                yield scope


def _stepping(project: Project) -> Iterator[FunctionScope]:
    """The functions in which something is stepped as an optimizer or a schedule is: with two arguments at most, and for
    no tuple, which an environment gives (`observation, reward, done, info = env.step(action)`)."""
    for call, scope in project.calls_named("step"):
        if len(call.args) + len(call.keywords) < 3 and id(call) not in _taken_apart(scope):
            yield from functions_around(scope)


@cached_per_scope(local=True)
def _taken_apart(scope: Scope) -> frozenset[int]:
    """The ids of the expressions whose values a scope assigns to several targets."""
    return frozenset(id(b.value) for found in scope.bindings.values() for b in found if b.kind == "assign" and b.path)


def writes_gradients(function: FunctionScope) -> bool:
    """Does it assign to `.grad`, by a statement or by `setattr`, or clear gradients as a list?"""
    module = function.module
    if not function.called_names.isdisjoint(GRADIENT_WORDS):
        return "_foreach_zero_" in function.called_names or any(map(_sets_gradient, function.calls))
    return _speaks_of_gradients(module) and any(name.endswith(_GRADIENTS) for name in function.bindings)


def _sets_requires_grad(function: FunctionScope) -> bool:
    """Does it assign to `.requires_grad`?"""
    return _speaks_of_freezing(function.module) and any(name.endswith(_SWITCHED) for name in function.bindings)


@cached(local=True)
def _speaks_of_freezing(module: ModuleScope) -> bool:
    return module.source is None or bool(module.source.mentions(frozenset(("requires_grad",))))


@cached(local=True)
def _speaks_of_gradients(module: ModuleScope) -> bool:
    return module.source is None or bool(module.source.mentions(_GRADIENT_NAMES))


def _sets_gradient(call: ast.Call) -> bool:
    name = call.args[1] if last_name(call.func) == "setattr" and len(call.args) == 3 else None
    return isinstance(name, ast.Constant) and name.value in ("grad", "_grad")


def is_root(function: FunctionScope) -> bool:
    """Does a function that is never called deserve a flow: does it train, or loop over what it evaluates?"""
    project = function.module.project
    if id(function) in training_functions(project):
        return True
    if not function.loops and id(function) not in _looping(project):
        return _runs_inference(function, project)
    words = _MODES_OR_WEIGHTS if function.owner is None else SETTING_WORDS
    return not names_called_by(function).isdisjoint(words)


@cached()
def _looping(project: Project) -> frozenset[int]:
    """The ids of the functions that may call one which loops over what a model is run on: `measure(model, loader)`."""
    running = [f for module in project.modules for f in module.functions if runs_what_it_has(f)]
    return project.reach.reaching([g for f in running for g in functions_around(f)], 2)


def is_library_callback(function: FunctionScope) -> bool:
    """Is it a lambda that a library is handed (`study.optimize(lambda trial: objective(trial, data))`), so that no flow
    comes to what it calls? What a step or a function of the project is handed is entered there."""
    project, around = function.module.project, function.parent
    if not isinstance(function.node, ast.Lambda) or not isinstance(around, FunctionScope):
        return False
    for call in around.calls:
        if any(a is function.node for a in (*call.args, *(k.value for k in call.keywords))):
            name = last_name(call.func)
            return name != "step" and name not in project.reach.own_names()
    return False


def _runs_inference(function: FunctionScope, project: Project) -> bool:
    """Does it switch gradients off, and read a model's weights itself or in what it calls: one answer of a model?"""
    if function.is_body or id(function) not in project.reach.functions(_SWITCHES, 0):
        return False
    return id(function) in project.reach.functions(_READING, 2)


@cached()
def eventful_names(project: Project) -> frozenset[str]:
    """The names of the project's functions in which something happens, if they are called as built-ins or functions
    of libraries are that are no events: `clip` may be one of them, and no `torch.clip`."""
    chosen = (
        training_functions(project) | _callers_of_state_changes(project) | frozenset(project.reach.calling(FLOW_WORDS))
    )
    quiet = quiet_names(project.stubs)
    functions = (f for module in project.modules for f in module.functions if f.name in quiet)
    return frozenset(
        f.name for f in functions if id(f) in chosen or writes_gradients(f) or _runs_a_model(f) or does_the_work(f)
    )


def is_eventful(function: FunctionScope) -> bool:
    """Does something happen in a function, by what is called in it and what it writes?"""
    named = not function.called_names.isdisjoint(FLOW_WORDS)
    named = named or not function.called_names.isdisjoint(OPTIMIZERS)  # a factory: `return Adam(model.parameters())`
    named = named or writes_gradients(function) or _sets_requires_grad(function)
    named = named or runs_what_it_has(function) or _runs_a_model(function)
    named = named or ("getattr" in function.called_names and _calls_by_getattr(function))
    named = named or (function.owner is not None and _passes_self_to_callback(function))
    project = function.module.project
    if named:
        return named
    if function.name == "__init__" and not function.called_names.isdisjoint(_factories(project)):
        return True  # `self.optimizer = self.configure(rate)`
    return id(function) in _callers_of_state_changes(project) or id(function) in _model_passing_functions(project)


@cached()
def _factories(project: Project) -> frozenset[str]:
    """The names of the project's functions that build an optimizer."""
    return frozenset(f.name for f in project.reach.calling(OPTIMIZERS).values() if f.name != "__init__")


def _calls_by_getattr(function: FunctionScope) -> bool:
    """Does it call what an object has by some name: `for c in callbacks: getattr(c, when)(trainer)`? Anything may."""
    found = [b.value for bound in function.bindings.values() for b in bound if b.kind == "assign"]
    looked_up = [c.func for c in function.calls if c.func.__class__ is ast.Call]
    if not looked_up:
        names = {c.func.id for c in function.calls if isinstance(c.func, ast.Name)}
        looked_up = [v for v in found if isinstance(v, ast.Call) and last_name(v.func) == "getattr"] if names else []
        bound = {n for n, given in function.bindings.items() if any(b.value in looked_up for b in given)}
        return not bound.isdisjoint(names)
    return any(last_name(node.func) == "getattr" and len(node.args) > 1 for node in looked_up)


def _passes_self_to_callback(function: FunctionScope) -> bool:
    """Does a method call what is stored on its object, and hand the object over: `self.hook(self)`?"""
    methods = function.owner.methods if function.owner is not None else {}
    for call in function.calls:
        func: ast.expr = call.func
        while isinstance(func, ast.Subscript):
            func = func.value
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id == "self":
            if func.attr not in methods and any(isinstance(a, ast.Name) and a.id == "self" for a in call.args):
                return True
    return False


@cached()
def _callers_of_state_changes(project: Project) -> frozenset[int]:
    """The ids of the functions that may call one in which a model is put into eval mode, such as `score(model, loader)`
    that compares what `extract(model, loader)` gives, one that reads or restores weights, such as `stop(loss, model)`
    that calls `self.snapshot(model)`, or one that freezes: a constructor that calls `self.freeze()`."""
    freezing = (f for module in project.modules for f in module.functions if _sets_requires_grad(f))
    calling = project.reach.calling(("eval", "state_dict", "load_state_dict")).values()
    return project.reach.reaching([*calling, *freezing], 1)


@cached()
def _model_passing_functions(project: Project) -> frozenset[int]:
    """The ids of the functions that hand a model, which they are given, to one that runs it: `def score(net, x): return
    run(net, x)`."""
    functions = (f for module in project.modules for f in module.functions if f.owner is None)
    names = {f.name for f in functions if _runs_a_model(f)}
    calls = (found for name in names for found in project.calls_named(name))
    return frozenset(
        id(scope) for call, scope in calls if isinstance(scope, FunctionScope) and _passes_model(call, scope)
    )


def _passes_model(call: ast.Call, function: FunctionScope) -> bool:
    """Does a function, and no lambda, call another one by its name, and give it a parameter that is called a model?"""
    if not isinstance(call.func, ast.Name) or isinstance(function.node, ast.Lambda):
        return False
    given = {p.name for p in function.parameters}
    return any(_is_model(a, function, given) for a in (*call.args, *(k.value for k in call.keywords)))


@cached_per_scope()
def _runs_a_model(function: FunctionScope) -> bool:
    """Does it call a model that it is given, or finds in the function or the file around it, by its name, or is it a
    function without gradients? Methods of models do the model's work."""
    if function.is_body or function.name == "forward":
        return False
    owner = function.owner
    if owner is not None and "forward" in owner.methods:
        return False
    if function.decorated("no_grad", "inference_mode"):
        return True
    given = {p.name for p in function.parameters} | _models_of_file(function.module.body)
    around = function.parent
    while isinstance(around, FunctionScope) and not around.is_body:
        given |= around.bindings.keys()
        around = around.parent
    for call in function.calls:
        func = call.func
        if _is_model(func, function, given):
            return True
        if isinstance(func, ast.Attribute) and _is_model(func.value, function, given):
            project = function.module.project
            if func.attr == "forward" or func.attr in project.reach.own_names():
                return True  # `model.forward(x)`, `model.loss(x)`
    return False


@cached_per_scope()
def _models_of_file(body: FunctionScope) -> frozenset[str]:
    """What a file assigns by the name of a model: not what it imports, or defines."""
    assigned = (name for name, found in body.bindings.items() if found[0].kind == "assign")
    return frozenset(name for name in assigned if is_about(name, Topic.MODELS))


def _is_model(node: ast.expr, function: FunctionScope, given: set[str]) -> bool:
    """Is it a parameter, what the file assigns, or what an instance holds, by the name of a model?"""
    if isinstance(node, ast.Name):
        return node.id in given and is_about(node.id, Topic.MODELS)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        owner = next((f.owner for f in functions_around(function) if f.owner is not None), None)
        return is_about(node.attr, Topic.MODELS) and owner is not None and node.attr not in owner.methods
    return False


def is_training_step(function: FunctionScope) -> bool:
    """Is it a method that a framework calls for the loss to minimise: `training_step` of a LightningModule,
    `compute_loss` of a Trainer of transformers?"""
    owner = function.owner
    if function.name not in STEPS or owner is None or "backward" in function.called_names:
        return False
    return stub_effect(owner, "automatic") is not None


def find_returned_loss(value: Value) -> Value:
    """The loss in what such a method returns: alone, as the entry of a dictionary, or the first of a tuple."""
    if isinstance(value, MappingValue):
        return value.entries.get("loss", value)
    return union([v.parts[0] if isinstance(v, SequenceValue) and v.parts else v for v in value.alternatives])
