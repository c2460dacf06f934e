"""In which mode is this model when it runs: train, eval, or is that unknown?

    model = Net()                 # a module is built in train mode
    for epoch in range(9):
        model.train()             # TRAIN from here
        train_epoch(model)
        with torch.no_grad():
            validate(model)       # ... and still TRAIN here: no `model.eval()` on the way

The lattice is {TRAIN, EVAL} with *unknown* above both. The events that change it:

* the construction of a module puts it into train mode;
* `model.train()`, `model.eval()`, `model.train(flag)`;
* an unknown call that gets hold of the model, which may do either;
* a copy, `deepcopy(model)`, which has the mode that its original has when it is made.

A mode is asked for along paths: the answer is TRAIN if there is a path from an event that sets train mode to the run on
which nothing may set another one.

What makes it unknown, although such a path exists: a decorator or a context manager of the project that sets eval mode
around the run; a caller who decides on the mode; a flag written by hand (`switches`); a setting, or a saved file, that
decides whether eval mode is set; a model that a library gives in eval mode, or that was filled in a branch that sets
it. Each of these excuses only the runs that it encloses or the model that it could reach.

Deliberately not here: whether the mode matters (`modes.dependence`), and whether a run is a measurement
(`phases`).
"""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import is_inside
from mllint.semantics.flow.kinds import AccumulatesGrad, Creates, SetsMode, Unknown
from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.module import ClassScope, FunctionScope
from mllint.semantics.syntax.nodes import (
    Node,
    all_arguments,
    is_range_iterable,
    is_within,
    last_name,
    mentions_place,
    place,
    tests_path_exists,
    walk,
)
from mllint.semantics.training.evidence import Answer, Evidence
from mllint.semantics.training.hidden_calls import may_run_hidden
from mllint.semantics.training.iterations import allocations
from mllint.semantics.training.modes.dependence import is_built_in_eval_mode
from mllint.semantics.training.modes.runs import run_depends_on_mode
from mllint.semantics.training.modes.switches import (
    is_flag_written,
    is_put_back_in_function,
    keeps_evaluation,
    sets_mode,
)
from mllint.semantics.training.phases import innermost, is_teacher, name_of_evaluation, weights_read
from mllint.semantics.training.roles import Role, has_role_name
from mllint.semantics.values.bases import inherits, mro
from mllint.semantics.values.classes import has_unknown_ancestor, stub_effect
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.values import InstanceValue, SequenceValue, TensorValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from mllint.semantics.flow.flow import Event, Flow
    from mllint.semantics.syntax.module import Scope
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.values.project import Project
    from mllint.semantics.values.values import Value

__all__ = ["Mode", "changes_mode", "is_in_eval_mode", "is_put_into_eval_mode", "mode_at", "train_mode_at"]

_CONSTRUCTIONS: Cache[int, list[Event]] = Cache()


class Mode(Enum):
    """The two modes of a module."""

    TRAIN = "train"
    EVAL = "eval"


def mode_at(forward: Event, flow: Flow) -> Answer[Mode] | None:
    """The mode of the model where it runs, if the mode matters to it.

    Args:
        forward: the run of the model.
        flow: the flow that it is part of.

    Returns:
        TRAIN with the place that set it (none where it was built before the flow begins), EVAL, or None for unknown.
    """
    origin = _origin(forward, flow)
    if origin is not None:
        return _left_in_train_mode(forward, origin, flow)
    settled = is_in_eval_mode(forward, flow) and not _set_by_option(forward, flow)
    return Answer(Mode.EVAL, Evidence.PROVEN) if settled else None


def train_mode_at(forward: Event, flow: Flow) -> Answer[Mode] | None:
    """The answer of `mode_at` if it is TRAIN, without asking whether the model is in eval mode otherwise."""
    origin = _origin(forward, flow)
    return _left_in_train_mode(forward, origin, flow) if origin is not None else None


def _origin(forward: Event, flow: Flow) -> Event | None:
    """What put a model to which the mode matters into train mode before it runs."""
    depends = run_depends_on_mode(forward)
    return _train_mode_since(forward, flow, built=depends is True) if depends is not False else None


def _left_in_train_mode(forward: Event, origin: Event, flow: Flow) -> Answer[Mode] | None:
    """TRAIN, unless the mode may not matter or something that no event shows may set eval mode."""
    matters = run_depends_on_mode(forward) is True
    if not matters and (origin.kind != "sets_mode" or forward.option == "method" or _is_of_project(forward)):
        return None
    if _is_unknown(forward, origin, flow) or may_run_hidden(flow, forward, SetsMode, "eval"):
        return None
    return Answer(Mode.TRAIN, Evidence.PROVEN, (origin.site,) if origin.kind != "entry" else ())


def is_in_eval_mode(forward: Event, flow: Flow) -> bool:
    """Whether the model has certainly been put into eval mode on some path to the run."""
    changes = changes_mode(forward)
    modes = (m for m in flow.events(SetsMode) if m.option == "eval")
    return any(m.concerns(forward) and flow.path(m, to=forward, avoiding=changes) for m in modes)


def is_put_into_eval_mode(forward: Event, flow: Flow) -> bool:
    """Whether eval mode is asked for on some path to the run, after which no visible call sets another: what something
    unknown does with the model then does not change what it is run for."""
    modes = [m for m in flow.events(SetsMode) if m.concerns(forward)]
    others = [m for m in modes if m.option != "eval"]
    return any(m.option == "eval" and flow.path(m, to=forward, avoiding=others) for m in modes)


def _is_of_project(forward: Event) -> bool:
    """Is the class of a model one of the project's? Whether its layers depend on the mode, it would show."""
    found = [v.cls for v in forward.subject.alternatives if isinstance(v, InstanceValue)]
    return any(not cls.module.is_stub for cls in found)


# -------------------------------------------------------------------------------------------------- what changes a mode
def changes_mode(event: Event) -> Callable[[Event], bool]:
    """A test of events that may set the mode of an event's model: mode calls, construction, unknown calls that get
    it, and loops of a library, which leave it as they please."""
    concerned = SetsMode.concerning(event)
    known: dict[int, bool] = {}

    def changes(other: Event) -> bool:
        answer = known.get(other.index)
        if answer is None:
            if other.kind == "creates":
                answer = not _is_wrapper(other) and other is not event and other.subject.same_as(event.subject) is True
            else:
                lent = other.kind == "owns_loop" and other.concerns(event) is True
                answer = lent or concerned.matches(other) or _is_built_in_eval_mode(event, other)
                answer = answer and other is not event
                answer = answer and not _is_put_back(other, event)
            known[other.index] = answer
        return answer

    return changes


def _is_put_back(mode: Event, event: Event) -> bool:
    """Is it set in a function that leaves the model as it came, `was = net.training` and `net.train(was)`, and in which
    the event does not happen? What happens in the `with` of a context manager happens in the middle of it."""
    if not is_put_back_in_function(mode):
        return False
    return not is_inside(event.frame, mode.frame) and not _is_in_context(event, mode)


def _is_in_context(event: Event, mode: Event) -> bool:
    """Whether `event` happens in a `with` of the context manager in which `mode` is set."""
    if mode.frame.caller is None or not mode.function.decorated("contextmanager"):
        return False
    around, entered = mode.frame.caller
    node = event.site.node if event.frame is around else _call_from(around, event.frame)
    block = around.module.block_around(node) if node is not None else None
    while block is not None and not any(item.context_expr is entered for item in block.items):
        block = around.module.outer.get(id(block))
    return block is not None


def _call_from(outer: Frame, inner: Frame) -> Node:
    """The call in `outer` in which `inner` runs, None if it does not run there."""
    frame: Frame | None = inner
    while frame is not None and frame.caller is not None:
        frame, call = frame.caller
        if frame is outer:
            return call
    return None


def _is_wrapper(made: Event) -> bool:
    """Is what is built a wrapper (`DataParallel(model)`)? What is inside keeps its mode."""
    return isinstance(made.option, ClassScope) and stub_effect(made.option, "wraps") is not None


def _is_built_in_eval_mode(event: Event, mode: Event) -> bool:
    """Does the function that builds the object put into eval mode what it builds: `average = deepcopy(model).eval()`?

    What is built in one place is not always seen to be one object, when it is reached on two paths.
    """
    if mode.kind != "sets_mode" or mode.option != "eval" or mode.function.is_body:
        return False
    project = mode.frame.project
    shared = allocations(mode.subject, project) & allocations(event.subject, project)
    return bool(shared) and any(id(c) in shared for c in mode.function.calls)


# ----------------------------------------------------------------------------------------------------- since when train
def _train_mode_since(forward: Event, flow: Flow, *, built: bool) -> Event | None:
    """Since when the model is in train mode: its construction, if `built`, or a `train()` after which it is trained."""
    changes, optional = changes_mode(forward), _set_by_option(forward, flow)
    since, seen = _built_since(forward, flow, changes, counts=built and not optional)
    if since is not None and not _leaves_training_in_eval_mode(forward, flow, changes):
        return since
    teacher = None if seen else _teacher_read_in_train_mode(forward, flow, changes)
    return teacher if teacher is not None else _set_to_train(forward, flow, changes, optional)


def _teacher_read_in_train_mode(forward: Event, flow: Flow, changes: Callable[[Event], bool]) -> Event | None:
    """Where the weights of a teacher are read that nothing has put into eval mode by then, nor does before it runs."""
    if not is_teacher(forward, flow):
        return None
    for read in weights_read(forward, flow):
        if flow.path(flow.entry, to=read, avoiding=changes) and flow.path(read, to=forward, avoiding=changes):
            return read
    return None


def _set_to_train(forward: Event, flow: Flow, changes: Callable[[Event], bool], optional: list[Event]) -> Event | None:
    """The `train()` after which the model is run, or trained and then run, in train mode.

    Args:
        forward: the run of the model.
        flow: the flow that it is part of.
        changes: what changes the mode.
        optional: the calls that set eval mode if an option asks for it.
    """
    either = _sets_either_mode(forward, flow)
    modes = [m for m in flow.events(SetsMode) if m.option == "train" and m.concerns(forward)]
    if not modes or (any(o.frame is forward.frame for o in optional) and not either):
        return None
    if any(tests_path_exists(o.conditions[-1][0]) and flow.path(o, to=forward, avoiding=changes) for o in optional):
        return None  # it is measured as it was saved: `if os.path.exists(path): net.load_state_dict(...); net.eval()`
    until = _trained_before(forward, flow, changes, strictly=either or _takes_truth(forward))
    for mode in modes:
        if _is_set_for(forward, mode, flow) and flow.path(mode, to=forward, avoiding=changes):
            return mode
        if any(flow.path(mode, to=backward, avoiding=changes) for backward in until):
            return mode
    return None


def _built_since(
    forward: Event, flow: Flow, changes: Callable[[Event], bool], *, counts: bool
) -> tuple[Event | None, bool]:
    """The construction since which the model is in train mode, if that counts, and whether one was seen at all."""
    copy = _copy_of(forward.subject, flow)
    if copy is not None:
        return (copy if counts and _is_copied_in_train_mode(copy, forward, flow, changes) else None), True
    seen = False
    for made in _constructions(flow).get(_own_identity(forward.subject), ()):
        if not _is_wrapper(made):
            seen = True  # before that it is no model, whatever the paths around say
            if counts and flow.path(made, to=forward, avoiding=changes):
                return made, seen
    known = isinstance(forward.subject, InstanceValue) and not seen and _is_construction_seen(forward.subject)
    copied = forward.kind == "unknown"  # a copy is made, and the path to it says what was set before
    others = (m for m in flow.events(SetsMode) if not copied or m.subject.same_as(forward.subject) is not True)
    known = known and not any(_is_built_in_eval_mode(forward, m) for m in others)
    known = known and (flow.root.is_body or _is_built_around(forward) or _is_built_with(flow.root, forward))
    if counts and known and flow.path(flow.entry, to=forward, avoiding=changes):
        return flow.entry, seen
    return None, seen


def _copy_of(model: Value, flow: Flow) -> Event | None:
    """The call that makes a model as a copy of another one, `deepcopy(net)`, if the flow meets it."""
    made = model.because("Copied") if model.is_("Copied") else None
    return next((e for e in flow.events(Unknown) if e.call is made.node), None) if made is not None else None


def _is_copied_in_train_mode(copy: Event, forward: Event, flow: Flow, changes: Callable[[Event], bool]) -> bool:
    """Is the original in train mode when a model is copied from it, and the copy not put into another one until it
    runs? A copy has the mode that its original has at that time."""
    if not flow.path(copy, to=forward, avoiding=changes):
        return False
    others = changes_mode(copy)
    switched = (m for m in flow.events(SetsMode) if m.option == "train" and m.concerns(copy))
    built = _built_since(copy, flow, others, counts=True)[0]
    return built is not None or any(flow.path(m, to=copy, avoiding=others) for m in switched)


def _constructions(flow: Flow) -> dict[int, list[Event]]:
    """The constructions of objects of which one is known to be the other, by identity: as `Value.same_as` says it."""
    found = _CONSTRUCTIONS.of(flow.entry)
    if not found:
        for made in flow.events(Creates):
            identity = _own_identity(made.subject)
            if identity:
                found.setdefault(identity, []).append(made)
    return found


def _own_identity(value: Value) -> int:
    """The identity of a value that is one object; 0 if it may be one of several, or that is not known."""
    identities = () if value.identity else value.identities
    return value.identity or (next(iter(identities)) if len(identities) == 1 else 0)


def _is_built_around(forward: Event) -> bool:
    """Is the model built by a call that is written in the function of the run, or in one that called it here, or by a
    function that one of these calls, `net, criterion = build()`?"""
    made = forward.subject.site.node if forward.subject.site is not None else None
    built = forward.subject.built_with
    builder = built.frame.function if built is not None and built.frame is not None else None
    frame: Frame | None = forward.frame
    while frame is not None:
        if any(call is made for call in frame.function.calls):
            return True
        if builder is not None and not builder.is_body and builder.owner is None and _calls_builder(frame, builder):
            return True
        frame = frame.caller[0] if frame.caller is not None else None
    return False


def _calls_builder(frame: Frame, builder: FunctionScope) -> bool:
    """Does a function call another one by its name, which hands nothing that it binds to something unknown?"""
    if builder.name not in frame.function.called_names or _passes_to_unknown(builder, frame.project):
        return False
    named = (c for c in frame.function.calls if last_name(c.func) == builder.name)
    return any(builder in Call(c, frame).callees for c in named)


def _passes_to_unknown(builder: FunctionScope, project: Project) -> bool:
    """Does a function give something that it binds to a call of which nothing is known?"""
    frame = project.frame(builder)
    given = (c for c in builder.calls if any(isinstance(a, ast.Name) and a.id in builder.bindings for a in c.args))
    return any(evaluate(c.func, frame).is_unknown for c in given)


def _is_built_with(function: FunctionScope, forward: Event) -> bool:
    """Does only the constructor of a method's class keep the model, in a project that sets no mode of anything that may
    be this model? Then it is in train mode whenever somebody calls the method."""
    owner, name = function.owner, place(getattr(forward.call, "func", None)) or ""
    if (
        owner is None
        or inherits(owner, MODULE)
        or has_unknown_ancestor(owner)
        or is_built_in_eval_mode(forward.subject)
    ):
        return False
    methods = [m for c in mro(owner) if isinstance(c, ClassScope) for m in c.methods.values()]
    if {m.name for m in methods if name in m.bindings} != {"__init__"}:
        return False
    project = forward.frame.project
    switches = [found for word in ("eval", "train") for found in project.calls_named(word)]
    return not any(_may_switch(call, scope, forward.subject, project) for call, scope in switches)


def _may_switch(call: ast.Call, scope: Scope, model: Value, project: Project) -> bool:
    """May a call of `eval()` or `train(flag)` be about a model?"""
    if not isinstance(call.func, ast.Attribute) or not isinstance(scope, FunctionScope):
        return False
    frame = project.frame(scope)
    if call.func.attr == "train" and not _may_be_given_eval(call, frame):
        return False
    switched = evaluate(call.func.value, frame)
    if switched.same_as(model) is not False:
        return True
    return not allocations(switched, project).isdisjoint(allocations(model, project))


def _may_be_given_eval(call: ast.Call, frame: Frame) -> bool:
    """May a call of `train` set eval mode: is its only argument perhaps false, and no object, rows or tensor, nor what
    a method of rows or a tensor gives?"""
    given = all_arguments(call)
    if len(given) != 1:
        return False
    match given[0]:
        case ast.Call(func=ast.Attribute(value=receiver)) if _is_data(evaluate(receiver, frame)):
            return False
    value = evaluate(given[0], frame)
    return value.truth is not True and not _is_data(value) and not value.classes


def _is_data(value: Value) -> bool:
    """Is it rows, or made of tensors?"""
    return bool(value.provenance) or all(isinstance(v, (TensorValue, SequenceValue)) for v in value.alternatives)


def _is_construction_seen(model: Value) -> bool:
    """Is the call seen that builds a model: of its class, or of a builder that gives one in train mode?"""
    builders = next((c.module.name for c in model.classes if c.module.is_stub), "")
    return model.built_with is not None or (builders.startswith("torchvision.models") and not model.has("Copied"))


def _trained_before(forward: Event, flow: Flow, changes: Callable[[Event], bool], *, strictly: bool) -> list[Event]:
    """The backwards of the model from which a path leads to the run on which the mode stays as it is; a further
    `train()` on the path changes nothing, unless `strictly`."""

    def leaves_train_mode(event: Event) -> bool:
        return changes(event) and not (event.kind == "sets_mode" and event.option == "train")

    avoided = changes if strictly else leaves_train_mode
    trained = (b for b in flow.events(AccumulatesGrad) if b.concerns(forward) is not False)
    return [b for b in trained if flow.path(b, to=forward, avoiding=avoided)]


def _leaves_training_in_eval_mode(forward: Event, flow: Flow, changes: Callable[[Event], bool]) -> bool:
    """Does eval mode come between each backward of the model and its run? The path from the construction that avoids it
    then avoids all training, as by a `return` in the first pass of a loop: the model is not measured on that one."""
    trained = [b for b in flow.events(AccumulatesGrad) if b.concerns(forward) and flow.path(b, to=forward)]
    return bool(trained) and not _trained_before(forward, flow, changes, strictly=False)


def _takes_truth(forward: Event) -> bool:
    """Is the model given the truth as well, as a detector that computes its losses in train mode?"""
    return any(has_role_name(place(a), Role.ANNOTATION) for a in forward.call.args[1:])


def _sets_either_mode(forward: Event, flow: Flow) -> bool:
    """Does the function of a run set one mode or the other, as a flag says: `if train: model.train()`?"""
    modes = [m for m in flow.events(SetsMode) if m.frame is forward.frame and m.concerns(forward)]
    return {m.option for m in modes if len(m.conditions) > len(forward.conditions)} == {"train", "eval"}


def _is_set_for(forward: Event, mode: Event, flow: Flow) -> bool:
    """Is train mode set in the evaluation itself, or in what it calls for that, above its loop, and for good?"""
    above = mode.site.line < forward.site.line if mode.frame is forward.frame else mode.index < forward.index
    beside = above and mode.loops == forward.loops[:-1] and is_inside(mode.frame, forward.frame)
    if not beside or name_of_evaluation(forward) is None or _takes_truth(forward):
        return False
    if mode.conditions != forward.conditions[: len(mode.conditions)]:
        return False
    run = innermost(forward)
    if run is None or not isinstance(run.node, ast.For) or not is_range_iterable(run.node.iter):
        return True
    modes = [m for m in flow.events(SetsMode) if m.option == "eval" and m.frame is forward.frame]
    return not any(m.site.line > run.node.lineno and m.concerns(forward) for m in modes)  # samples of a random model


# ------------------------------------------------------------------------------------------------ what makes it unknown
def _is_unknown(forward: Event, origin: Event, flow: Flow) -> bool:
    """May something set eval mode that no event shows?"""
    return (
        _is_wrapped(forward)
        or _is_left_to_caller(forward, flow)
        or _is_kept_in_eval_mode(forward, flow)
        or is_flag_written(forward.frame, "eval")
        or _is_lent_to_evaluator(forward)
        or (origin.kind == "creates" and (_is_loaded_in_eval_mode(forward, flow) or _has_part_in_eval_mode(origin)))
    )


def _is_wrapped(forward: Event) -> bool:
    """Does a decorator or a context manager of the project set eval mode, here or around a call that leads here?"""
    frame, node = forward.frame, forward.call
    while True:
        for decorator in frame.function.decorators:
            wrapper = evaluate(decorator, frame.outer()).function
            if isinstance(wrapper, FunctionScope) and not wrapper.stubbed and "eval" in wrapper.called_names:
                return True
        block = frame.module.block_around(node)
        while block is not None:
            held = (v for item in block.items for v in evaluate(item.context_expr, frame).alternatives)
            if any(isinstance(v, InstanceValue) and not v.cls.module.is_stub and sets_mode(v.cls) for v in held):
                return True
            block = frame.module.outer.get(id(block))
        if frame.caller is None:
            return False
        frame, node = frame.caller


def _is_lent_to_evaluator(forward: Event) -> bool:
    """Is the model handed to a function of the project that keeps a function which sets eval mode, to be run later?"""
    model = place(forward.call.func) if isinstance(forward.call, ast.Call) else None
    given = (c for c in forward.function.calls if any(place(a) == model for a in all_arguments(c)))
    return model is not None and any(keeps_evaluation(f) for c in given for f in Call(c, forward.frame).callees)


def _is_left_to_caller(forward: Event, flow: Flow) -> bool:
    """Does whoever calls decide on the mode: `model.train(mode == "train")` above the run, or `if train: model.train()`
    in a function that trains nothing?"""
    only_measures = forward.function.called_names.isdisjoint(("backward", "step"))
    for mode in flow.events(SetsMode):
        if mode.frame is forward.frame and mode.site.line < forward.site.line and isinstance(mode.call, ast.Call):
            nodes = [*mode.call.args, *(_tests_around(mode.call, mode.function) if only_measures else ())]
            given = [n.id for a in nodes for n in walk(a) if isinstance(n, ast.Name)]
            if any(forward.function.parameter(name) is not None for name in given) and mode.concerns(forward):
                return True
    return False


def _tests_around(call: ast.Call, function: FunctionScope) -> list[Node]:
    """The tests of the branches that a call stands in."""
    ifs = [n for s in function.body for n in walk(s) if isinstance(n, ast.If)]
    return [n.test for n in ifs if any(is_within(call, s) for s in (*n.body, *n.orelse))]


def _set_by_option(forward: Event, flow: Flow) -> list[Event]:
    """Where a setting, or whether a file is there, decides whether the model is put into eval mode:
    `if not args.monte_carlo: model.eval()`."""
    found = []
    for mode in flow.events(SetsMode):
        more = mode.conditions[len(forward.conditions) :] if mode.option == "eval" else ()
        test = more[-1][0] if more else None
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test = test.operand
        is_looked_up = isinstance(test, ast.Call) and (last_name(test.func) == "getattr" or tests_path_exists(test))
        if (is_looked_up or isinstance(test, (ast.Name, ast.Attribute))) and mode.concerns(forward):
            found.append(mode)
    return found


def _is_kept_in_eval_mode(forward: Event, flow: Flow) -> bool:
    """Is the model drawn from what the branch fills, or binds, that sets eval mode: `net.eval(); nets.append(net)`?"""
    for mode in flow.events(SetsMode):
        if mode.option == "eval" and mode.conditions and mode.concerns(forward) is not False:
            test, polarity, _ = mode.conditions[-1]
            name = place(getattr(mode.call.func, "value", None)) or ""
            tests = (n for s in mode.function.body for n in walk(s) if isinstance(n, ast.If) and n.test is test)
            branch = [s for n in tests for s in (n.body if polarity else n.orelse)]
            if not _is_inside(forward.call, branch) and any(_stores_in_container(s, name) for s in branch):
                return True
            bound = [b.node for b in mode.function.bindings.get(name, ())]
            if bound and all(_is_inside(node, branch) for node in bound):
                return True  # whoever has the name has come by here
    return False


def _is_inside(node: Node, statements: list[Node]) -> bool:
    """Is a node written inside one of these statements?"""
    return any(n is node for s in statements for n in walk(s))


def _stores_in_container(statement: Node, name: str) -> bool:
    """Does a statement put what a name holds into a container?"""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append" | "add" | "insert"), args=given)):
            return any(mentions_place(a, name) for a in given)
        case ast.Assign(targets=[ast.Subscript()], value=value):
            return mentions_place(value, name)
    return False


def _is_loaded_in_eval_mode(forward: Event, flow: Flow) -> bool:
    """Is what depends on the mode loaded in eval mode into a model that nothing puts into train mode?"""
    trained = any(m.option != "eval" and m.concerns(forward) is not False for m in flow.events(SetsMode))
    return not trained and is_built_in_eval_mode(forward.subject)


def _has_part_in_eval_mode(origin: Event) -> bool:
    """Was a part put into eval mode before the whole was built of it: `prior.eval(); loss = Loss(generator, prior)`?"""
    if not isinstance(origin.call, ast.Call):
        return False
    given = {place(a) for a in (*origin.call.args, *(k.value for k in origin.call.keywords))} - {None}
    calls = (c.func for c in origin.function.calls if isinstance(c.func, ast.Attribute) and c.func.attr == "eval")
    return bool(given) and any(place(func.value) in given for func in calls)
