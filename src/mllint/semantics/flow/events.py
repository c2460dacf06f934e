"""Which events is a call? The vocabulary's effects, read from the stub of what is called.

A method of the user's that overrides a library method with an effect has the effect too. A method of something unknown
is judged by the other things that the same object is used for: what is also `zero_grad()`-ed and then `step()`-ed is an
optimizer; a name like `optimizer` counts only together with such use. Everything else that is unknown and receives a
model, an optimizer or a loss is an "unknown" event, which rules treat as a possible match of whatever they hope to
find.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from mllint.semantics.flow.flow import Event, EventKind, Option
from mllint.semantics.flow.run_texts import text_events
from mllint.semantics.flow.subjects import objects
from mllint.semantics.libraries.classes import GRAD_SCALER, MODULE, OPTIMIZER, SCHEDULER
from mllint.semantics.libraries.stubs import Effect, effects
from mllint.semantics.syntax.caches import Cache, cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bindings_at, is_argless_imported_call
from mllint.semantics.syntax.nodes import Node, last_name, place
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.topics import Topic, is_about
from mllint.semantics.values.arguments import Arguments, bind_arguments, value_of_bound
from mllint.semantics.values.bases import mro
from mllint.semantics.values.builtin_names import INERT
from mllint.semantics.values.calls import call_method, entered_function
from mllint.semantics.values.classes import has_unknown_ancestor, method, stub_effect
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.library import overloads
from mllint.semantics.values.tensors import uses_torch
from mllint.semantics.values.values import (
    UNKNOWN,
    BottomValue,
    BuiltinValue,
    ClassValue,
    FunctionValue,
    InstanceValue,
    LiteralValue,
    PartialValue,
    SequenceValue,
    Site,
    TensorValue,
    UnknownValue,
    Value,
    inherits,
    union,
    unknown,
)

__all__ = [
    "CORE_WORDS", "EFFECTS", "FIT_WORDS", "FLOW_WORDS", "MODE_WORDS",
    "SETTING_WORDS", "Entry", "call_events", "entry_of_call", "handed_in", "objects",
    "unknown_call",
]  # fmt: skip

Entry: TypeAlias = "tuple[FunctionScope, Value | None, Frame | None]"
"""The function that a call enters, its receiver, and the frame around its definition."""

EFFECTS: tuple[EventKind, ...] = (
    "accumulates_grad", "unscales_grad", "clips_grad", "applies_grad", "updates_scale", "clears_grad", "ticks",
    "sets_mode", "freezes", "seeds", "splits", "fits", "transforms", "sets_epoch", "reads_state", "restores_state",
    "saves", "loads", "owns_loop", "pauses_sync",
)  # fmt: skip
"""In the order in which one call that has several of them has them."""
_EVENTS: dict[str, EventKind] = {kind: kind for kind in EFFECTS}
_READ = frozenset({*EFFECTS, "draws", "inert"})
FLOW_WORDS = frozenset(
    """backward step zero_grad eval train requires_grad_ clip_grad_norm_ clip_grad_value_ clip_grad_norm unscale_ fit
    fit_transform
    train_test_split random_split manual_seed manual_seed_all seed set_seed seed_everything set_epoch load_state_dict
    state_dict save
    manual_backward partial_fit fit_predict set_random_seed use_deterministic_algorithms step_update transform
    set_grad_enabled
    inference_mode no_grad optimizer_step training_step zero_ div_ mul_ exec""".split()
)
CORE_WORDS = frozenset("backward manual_backward optimizer_step training_step step_update".split())
FIT_WORDS = frozenset("fit fit_transform partial_fit fit_predict".split())
SETTING_WORDS = frozenset("eval train state_dict".split())
MODE_WORDS = SETTING_WORDS | {"no_grad", "inference_mode"}
_DUCK: dict[str, EventKind] = {
    "zero_grad": "clears_grad",
    "backward": "accumulates_grad",
    "eval": "sets_mode",
    "train": "sets_mode",
    "unscale_": "unscales_grad",
    "set_epoch": "sets_epoch",
    "manual_backward": "accumulates_grad",
}
_TRACKED = (MODULE, OPTIMIZER, GRAD_SCALER, SCHEDULER)
_BOUND_BEFORE: Cache[tuple[ast.Call, ast.Call], ast.Call] = Cache()
_MOMENTS = ("on_", "before_", "after_")


def call_events(node: ast.Call, target: Value, frame: Frame) -> list[Event]:
    """The events of one call.

    Args:
        node: the call.
        target: one alternative of what is called.
        frame: the context.
    """
    site = Site(frame.module, node)
    match target:
        case FunctionValue() if isinstance(target.target, FunctionScope):
            receiver = (
                target.receiver
                if target.receiver is not None
                else _receiver_of_unbound_call(node, target.target, frame)
            )
            if receiver is not None and _is_run(target.target, receiver):
                return [Event("forward", site, frame, receiver, call=node)]
            return list(_declared(node, target.target, receiver, frame, site))
        case ClassValue():
            return list(_construction(node, target, frame, site))
        case InstanceValue():
            return _instance_call(node, target, frame, site)
        case PartialValue():
            return _bound_before(node, target, frame)
        case BuiltinValue(name="exec" | "eval"):
            return text_events(node, frame)
        case BuiltinValue() | FunctionValue() | BottomValue() if not _is_of_sequence(node, frame):
            return []
    return _duck(node, target, frame, site)


def _is_of_sequence(node: ast.Call, frame: Frame) -> bool:
    """Is a tuple told to run backward? That raises: nobody may be told that there is no `backward`."""
    func = node.func
    if not isinstance(func, ast.Attribute) or func.attr != "backward":
        return False
    return isinstance(evaluate(func.value, frame), SequenceValue)


def _is_run(function: FunctionScope, receiver: Value) -> bool:
    """Is a model run by the name of its method, `model.forward(x)` instead of `model(x)`?"""
    return function.name == "forward" and receiver.instance_of(MODULE)


def _bound_before(node: ast.Call, target: PartialValue, frame: Frame) -> list[Event]:
    """The events of a call of `partial(model.train, False)`: those of the one call that both make together."""
    inner, first = target.called, target.arguments
    if not isinstance(inner, FunctionValue) or not isinstance(inner.target, FunctionScope) or not inner.target.stubbed:
        return []
    if first.node is None or first.frame is not frame:
        return []
    memo, key = _BOUND_BEFORE.of(frame.project), (node, first.node)
    if key not in memo:  # it is kept, for others remember it by its id
        known = {k.arg for k in node.keywords}
        keywords = [*(k for k in first.node.keywords if k.arg not in known), *node.keywords]
        memo[key] = whole = ast.Call(first.node.args[0], [*first.node.args[1:], *node.args], keywords)
        whole.lineno, whole.col_offset = node.lineno, node.col_offset
        whole.end_lineno, whole.end_col_offset = node.end_lineno, node.end_col_offset
    return call_events(memo[key], inner, frame)


def _receiver_of_unbound_call(node: ast.Call, function: FunctionScope, frame: Frame) -> Value | None:
    """What a method is told for `self`, in words: `nn.Module.train(model, False)`."""
    return evaluate(node.args[0], frame) if _is_unbound_call(node, function, frame) else None


def _is_unbound_call(node: ast.Call, function: FunctionScope, frame: Frame) -> bool:
    """Is a method of the library called through its class?"""
    if function.owner is None or not function.stubbed or function.name == "__init__":
        return False
    if not node.args or isinstance(node.args[0], ast.Starred) or not isinstance(node.func, ast.Attribute):
        return False
    return isinstance(evaluate(node.func.value, frame), ClassValue) and not function.decorated(
        "staticmethod", "classmethod"
    )


@cached_per_scope()
def _of_overloads(function: FunctionScope) -> dict[str, Effect]:
    found: dict[str, Effect] = {}
    for candidate in reversed(overloads(function)):
        found.update({word: e for word, e in effects(candidate).items() if word in _READ})
    return found


def _declared_effects(function: FunctionScope) -> dict[str, Effect]:
    """The effects of a function: its stub's, or those of the library method that it overrides."""
    if function.stubbed:
        return _of_overloads(function)
    if function.owner is not None and not (_delegates(function) or _fits_itself(function)):
        for cls in mro(function.owner)[1:]:
            if not isinstance(cls, str) and cls.module.is_stub and function.name in cls.methods:
                return effects(cls.methods[function.name])
    return {}


def _fits_itself(function: FunctionScope) -> bool:
    """Is it a training loop that bears the name of the mode switch: `def train(self, options, loader)` of a module?"""
    needed = [p for p in function.parameters[1:] if p.kind == "positional" and p.default is None]
    return function.name == "train" and (len(needed) > 1 or "backward" in function.called_names)


def _delegates(function: FunctionScope) -> bool:
    """Does an overriding method call the method it overrides? Then what happens is read from its body."""
    return any(
        isinstance(c.func, ast.Attribute)
        and c.func.attr == function.name
        and isinstance(c.func.value, ast.Call)
        and last_name(c.func.value.func) == "super"
        for c in function.calls
    )


def _declared(
    node: ast.Call, function: FunctionScope, receiver: Value | None, frame: Frame, site: Site
) -> Iterator[Event]:
    declared = _declared_effects(function)
    for word, effect in declared.items():
        name = _EVENTS.get(word)
        if name is None:
            continue
        if name == "applies_grad" and node.args and _is_count(node.args[0], frame):
            yield Event("unknown", site, frame, receiver or UNKNOWN, call=node, option="step")
            continue
        subject = _subject_of(effect, function, receiver, node, frame)
        subject = _computed(subject) if name == "accumulates_grad" else subject
        yield Event(name, site, frame, subject, call=node, option=_option(name, effect, function, node, frame))


def _computed(loss: Value) -> Value:
    """What a backward starts from, without the `None` or the number that it is before anything was computed."""
    found = [v for v in loss.alternatives if not isinstance(v, LiteralValue)]
    return union(found) if len(found) < len(loss.alternatives) and any(v.graph for v in found) else loss


def _option(name: EventKind, effect: Effect, function: FunctionScope, node: ast.Call, frame: Frame) -> Option:
    """What else the effect says: the mode that is set, the streams that are seeded, what it learns from."""
    if name == "sets_mode":
        mode = effect.values[0] if effect.values else "train"
        if mode == "train":
            given = _argument(function, node, frame, "mode")
            truth = given.truth if given is not None else True
            return {True: "train", False: "eval", None: None}[truth]
        return mode
    if name == "seeds":
        return effect.values
    if name in ("fits", "transforms"):
        return _argument(function, node, frame, str(effect.options.get("on", "X")))
    if name == "freezes":
        given = _argument(function, node, frame, "requires_grad")
        return given.truth is False if given is not None else False
    return effect.values[0] if effect.values else None


def _argument(function: FunctionScope, node: ast.Call, frame: Frame, name: str) -> Value | None:
    skip = 1 if function.owner is not None and not function.decorated("staticmethod") else 0
    skip -= skip and _is_unbound_call(node, function, frame)
    bound, _ = bind_arguments(function, Arguments(node, frame), skip)
    return value_of_bound(bound[name]) if name in bound else None


def _subject_of(effect: Effect, function: FunctionScope, receiver: Value | None, node: ast.Call, frame: Frame) -> Value:
    """The value that an effect is about."""
    of = effect.of
    if of == "self" or of.startswith("self."):
        return receiver if receiver is not None else UnknownValue(opaque=True)
    found = _argument(function, node, frame, of)
    return found if found is not None else UnknownValue(opaque=True)


def _construction(node: ast.Call, target: ClassValue, frame: Frame, site: Site) -> Iterator[Event]:
    init = method(target.cls, "__init__")
    if not (target.cls.module.is_stub and inherits(target.cls, MODULE) and stub_effect(target.cls, "wraps") is None):
        built = evaluate(node, frame)
        if target.cls.module.is_stub or any(v.instance_of(*_TRACKED) for v in built.alternatives):
            yield Event("creates", site, frame, built, call=node, option=target.cls)
    if init is not None and init.stubbed:
        yield from _declared(node, init, None, frame, site)


def _instance_call(node: ast.Call, target: InstanceValue, frame: Frame, site: Site) -> list[Event]:
    if target.instance_of(MODULE):
        return [Event("forward", site, frame, target, call=node)]
    function = call_method(target.cls)
    if function is None:
        return unknown_call(node, frame, site)
    if function.stubbed:
        return list(_declared(node, function, target, frame, site))
    return []


def entry_of_call(target: Value) -> Entry | None:
    """The function of the user's that a call enters, its receiver and its closure; None for anything else."""
    value = target.called if isinstance(target, PartialValue) else target
    function = entered_function(value)
    if function is None or function.stubbed:
        return None
    if isinstance(value, InstanceValue):
        return function, value, None
    if isinstance(value, FunctionValue):
        return function, value.receiver, value.closure
    return function, None, None


# --------------------------------------------------------------------------------------------------------- the unknown
def _duck(node: ast.Call, target: Value, frame: Frame, site: Site) -> list[Event]:
    func = node.func
    if isinstance(target, UnknownValue) and target.name == "functools.partial":
        return []  # what is bound is used where the result is called, or by whom it is handed to: see `objects`
    if isinstance(func, ast.Attribute):
        receiver = _there(evaluate(func.value, frame), func.value, frame)
        kind = _DUCK.get(func.attr)
        known = uses_torch(frame) or (
            func.attr == "backward" and any(isinstance(v, TensorValue) for v in receiver.alternatives)
        )
        external = isinstance(target, UnknownValue) and target.name is not None
        if kind is not None and known and not external:
            option = func.attr if kind == "sets_mode" else None
            if func.attr == "train" and node.args:
                truth = evaluate(node.args[0], frame).truth
                option = (
                    {True: "train", False: "eval", None: None}[truth]
                    if not isinstance(node.args[0], ast.Name) or truth is not None
                    else None
                )
            if kind == "sets_mode" and len(node.args) + len(node.keywords) > (func.attr == "train"):
                return unknown_call(node, frame, site)  # `evaluator.eval(scores)`: a module is given no more
            if kind == "accumulates_grad" and func.attr == "manual_backward" and node.args:
                receiver = evaluate(node.args[0], frame)
            receiver = _computed(receiver) if kind == "accumulates_grad" else receiver
            return [Event(kind, site, frame, receiver, call=node, option=option)]
        if func.attr == "step":
            return [_step(node, func, receiver, frame, site)]
        if func.attr == "forward" and _is_module(func.value, receiver, frame):
            return [Event("forward", site, frame, receiver, call=node), *unknown_call(node, frame, site, runs=True)]
    runs = _is_module(func, target, frame)
    called = [Event("forward", site, frame, target, call=node)] if runs else []
    holder = target.receiver if isinstance(target, UnknownValue) else None
    return [*called, *unknown_call(node, frame, site, runs=runs, holder=holder)]


def _there(receiver: Value, node: Node, frame: Frame) -> Value:
    """What has a method is no `None`: a parameter that the seen callers leave out is something when it is used."""
    if not isinstance(receiver, LiteralValue) or receiver.value is not None:
        return receiver
    home = frame.function.owner or frame.function
    return unknown(frame.project.intern(("given", id(home), place(node))))


def _is_module(func: Node, target: Value, frame: Frame) -> bool:
    """Is something unknown that is called a module, by what else the file asks of it?"""
    if (
        not isinstance(target, UnknownValue)
        or not target.identity
        or isinstance(target.name, str)
        or not uses_torch(frame)
    ):
        return False
    while not _has_method_calls(frame, func, ("train", "eval", "parameters", "state_dict")):
        given = handed_in(func, frame)
        if given is None:
            return False
        func, frame = given  # what the caller asks of it
    return True


def handed_in(func: Node, frame: Frame) -> tuple[Node, Frame] | None:
    """What a parameter is for the caller; of an attribute, what the constructor was given for it."""
    if isinstance(func, ast.Name):
        given = (frame.bound or {}).get(func.id) if len(frame.function.bindings.get(func.id, ())) == 1 else None
        return given if isinstance(given, Passed) else None
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name):
        return None
    owner = evaluate(func.value, frame)
    init = method(owner.cls, "__init__") if isinstance(owner, InstanceValue) else None
    if init is None or owner.built_with is None or init.stubbed or not init.parameters:
        return None
    written = init.bindings.get(f"{init.parameters[0].name}.{func.attr}", ())
    held = written[0].value if len(written) == 1 else None
    given = bind_arguments(init, owner.built_with, 1)[0].get(held.id) if isinstance(held, ast.Name) else None
    return given if isinstance(given, Passed) else None


def _step(node: ast.Call, func: ast.Attribute, receiver: Value, frame: Frame, site: Site) -> Event:
    """`x.step(...)` of something unknown: an optimizer or a scheduler by its other uses and its name, else unknown."""
    name = place(func.value) or ""
    if (
        _has_method_calls(frame, func.value, ("get_last_lr", "get_lr"))
        or is_about(name, Topic.SCHEDULES)
        or is_about(_last(name), Topic.RATES)
    ):
        return Event("ticks", site, frame, receiver, call=node, option="named")
    evidence = _has_method_calls(frame, func.value, ("zero_grad", "add_param_group"))
    named = is_about(_last(name.rstrip("]\"'")), Topic.OPTIMIZERS) and uses_torch(frame)
    if evidence and not named and _has_method_calls(frame, func.value, ("backward",)):
        evidence = False  # `model.backward(loss)`: an engine, as of DeepSpeed, that zeroes in its own step
    if (evidence or named) and not (len(node.args) > 1 or (node.args and _is_count(node.args[0], frame))):
        return Event("applies_grad", site, frame, receiver, call=node, option="used" if evidence else "named")
    return Event("unknown", site, frame, receiver, call=node, option="step")


def _is_count(node: Node, frame: Frame) -> bool:
    """Is it a number, such as `len(x)` or `x.shape[0]`? PyTorch takes a closure, MXNet a batch size."""
    if isinstance(node, ast.Subscript) and last_name(node.value) == "shape":
        return True
    found = evaluate(node, frame).alternatives
    return all(v.is_number or (isinstance(v, LiteralValue) and isinstance(v.value, (int, float))) for v in found)


def _last(place: str) -> str:
    """The last name of a place: `optimizer` of `self.optimizer`, nothing of `optimizers["g"]`."""
    return place.replace("[", ".").replace("'", ".").replace('"', ".").replace("]", ".").rpartition(".")[2]


def _has_method_calls(frame: Frame, receiver: Node, words: tuple[str, ...]) -> bool:
    """Is one of these methods called somewhere in the file on the same place, or the same entry, `optimizers[kind]`?"""
    calls, name = frame.module.calls_by_name, place(receiver)
    entry = ast.dump(receiver) if isinstance(receiver, ast.Subscript) and name is None else None
    found = [c.func.value for word in words for c, _ in calls.get(word, ()) if isinstance(c.func, ast.Attribute)]
    return any(place(v) == name if name else entry is not None and ast.dump(v) == entry for v in found)


def unknown_call(
    node: ast.Call, frame: Frame, site: Site, *, runs: bool = False, holder: Value | None = None
) -> list[Event]:
    """A call of something unknown is an event when it receives what rules track; what only `runs` receives itself no
    more than `model(x)` does.

    Where no torch is near, hardly a rule asks what that is, and it is worked out for those that do.

    Args:
        node: the call.
        frame: where the call stands.
        site: its place.
        runs: whether what is called may be a model, which is then only run.
        holder: the object whose method is unknown, because a decorator may have made anything of it.
    """
    if isinstance(node.func, ast.Name) and node.func.id in INERT:
        return []
    given = [a.value if isinstance(a, ast.Starred) else a for a in node.args] + [k.value for k in node.keywords]
    given = [a for a in given if not isinstance(a, (ast.Constant, ast.JoinedStr))]
    if isinstance(node.func, ast.Attribute) and not runs and not _is_known_instance(node.func, frame):
        given.append(node.func.value)
    called, name = frame.function.owner is not None and _calls_back(node.func, frame), last_name(node.func)
    if given and not called and not uses_torch(frame):
        return [Event("unknown", site, frame, UNKNOWN, call=node, option=name, given=given)]
    subjects = objects(given, frame)
    if called:
        subjects += [v for v in frame.self_value().alternatives if v.identity]
    if isinstance(holder, InstanceValue) and holder.identity and not holder.cls.module.is_stub:
        subjects.append(holder)
    if not subjects:
        return []
    return [Event("unknown", site, frame, subjects[0], call=node, option=name, others=tuple(subjects[1:8]))]


def _calls_back(func: Node, frame: Frame) -> bool:
    """Is it a callback, which knows who calls it: `callback.on_batch_end()`, `getattr(callback, when)()`?"""
    if isinstance(func, ast.Attribute):
        return func.attr.startswith(_MOMENTS) and not _comes_from_outside(func.value, frame)
    if isinstance(func, ast.Name):
        found = frame.function.bindings.get(func.id, ())
        func = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
    return isinstance(func, ast.Call) and last_name(func.func) == "getattr"


def _comes_from_outside(node: Node, frame: Frame) -> bool:
    """Is it a variable that holds, or is drawn from, what a module gives that is given nothing itself?"""
    for _ in range(2):
        found = (bindings_at(node, frame.function) or ()) if isinstance(node, ast.Name) else ()
        if len(found) == 1 and found[0].kind in ("assign", "for") and not found[0].path:
            node = found[0].value
    return isinstance(node, ast.Call) and is_argless_imported_call(node, frame.function)


def _is_known_instance(func: ast.Attribute, frame: Frame) -> bool:
    """Is what stands before the dot an object of a known class, so that it merely holds what is called?"""
    return all(
        isinstance(v, InstanceValue) and not has_unknown_ancestor(v.cls)
        for v in evaluate(func.value, frame).alternatives
    )
