"""Is the model measured in the mode, and kept in the state, that the author means?

The order rules ask the flow: is there a way from "in train mode" to an evaluation, or from an evaluation in eval mode
back to training, on which nobody sets the mode? What an evaluation is, is read from what happens: a forward over data
without a graph or over held-out data, in a loop in which nothing is trained. A model whose layers do not depend on the
mode accuses nobody; a model of which that cannot be told does so only if its author switches its mode elsewhere.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.checks.evaluation._children import childless
from mllint.checks.evaluation._excused import called_without, costs_little, of_one_sample, unapplied
from mllint.checks.evaluation._fitted import predicts_as_trained
from mllint.checks.evaluation._frozen import frozen
from mllint.checks.evaluation._measuring import (
    differentiates,
    evaluates,
    in_eval_mode,
    innermost,
    is_local,
    is_statement,
    made_inside,
    measures,
    mode_changes,
    moves_another,
    name,
    named,
    on_purpose,
    once,
    receiver,
    samples,
    train_mode,
    trains_only,
    trains_somewhere,
    unlooped,
)
from mllint.checks.evaluation._restored import restored_only
from mllint.checks.evaluation._rounds import begins_in_train_mode
from mllint.checks.evaluation._switches import (
    flag_set_by_hand,
    given_in_eval_mode,
    mentions_training,
    mode_from_caller,
    nought_around,
    switched_by_context,
    switched_from_outside,
    walk_function,
)
from mllint.checks.evaluation._uncalled import own_property, uncalled
from mllint.checks.evaluation._weights import (
    aliases,
    averaged_with_itself,
    called_another,
    onto_itself,
    remembered,
    trained_after,
    used_later,
)
from mllint.rule import Finding, Note, check
from mllint.semantics import (
    AccumulatesGrad,
    AppliesGrad,
    Call,
    Class,
    Creates,
    Event,
    Flow,
    Forward,
    Module,
    ReadsState,
    SetsMode,
    Site,
    Unknown,
    text,
)
from mllint.semantics.calls import constructor_argument
from mllint.semantics.classes import mro
from mllint.semantics.evaluate import evaluate
from mllint.semantics.lineage import statements
from mllint.semantics.modes import asks_mode, asleep, mode_dependent
from mllint.semantics.module import Function, last_name, place, walk
from mllint.semantics.tensors import uses_torch

__all__: list[str] = []

_MODULE = "torch.nn.Module"


# ------------------------------------------------------------------------------------------------- order of the modes
@check("missing-eval-mode")
def missing_eval_mode(flow: Flow) -> Iterator[Finding]:
    """A model whose layers depend on the mode is evaluated in train mode."""
    told = set()
    for forward in flow.events(Forward):
        where = (forward.subject.identity, id(forward.loops[-1].node) if forward.loops else 0)
        if where in told or not measures(forward, flow):
            continue
        depends = mode_dependent(forward.subject)
        origin = train_mode(forward, flow, built=depends is True) if depends is not False else None
        if origin is None or (depends is None and (origin.kind != "sets_mode" or forward.option == "method")):
            continue
        if depends is None and asks_mode(forward.subject):
            continue
        if (
            switched_by_decorator(forward)
            or switched_by_context(forward)
            or mode_from_caller(forward, flow)
            or kept_in_eval_mode(forward, flow)
            or flag_set_by_hand(forward.frame, "eval")
            or (origin.kind == "creates" and loaded_in_eval_mode(forward, flow))
            or given_in_eval_mode(origin)
        ):
            continue
        told.add(where)
        yield Finding(
            Site(forward.frame.module, forward.call),
            f"`{name(forward)}` is evaluated in train mode: dropout and batch norm are live",
            primary="evaluated here",
            labels=[Note(origin, "in train mode since here")] if origin.kind != "entry" else [],
        )
    for forward, restore in restored_only(flow) if not told else ():
        message = f"`{name(forward)}` is evaluated in the mode that it happens to be in, which is only put back"
        yield Finding(forward, message, "evaluated here", [Note(restore, "put back, and changed nowhere")])
    for mode, call in predicts_as_trained(flow):
        message = f"`{call.name}` predicts in train mode: dropout and batch norm are live"
        yield Finding(call, message, "predicts here", [Note(mode, "train mode, and eval mode nowhere")])


def loaded_in_eval_mode(forward: Event, flow: Flow) -> bool:
    """Is what depends on the mode loaded in eval mode into a model that nothing puts into train mode?"""
    trained = any(m.option != "eval" and m.concerns(forward) is not False for m in flow.events(SetsMode))
    return not trained and asleep(forward.subject)


def switched_by_decorator(forward: Event) -> bool:
    """Does a decorator of the project, on the function or on one that calls it, set eval mode around the call?"""
    frame = forward.frame
    while True:
        for decorator in frame.function.decorators:
            wrapper = evaluate(decorator, frame.outer()).function
            if isinstance(wrapper, Function) and not wrapper.stubbed and "eval" in wrapper.called_names:
                return True
        if frame.caller is None:
            return False
        frame = frame.caller[0]


def kept_in_eval_mode(forward: Event, flow: Flow) -> bool:
    """Is the model drawn from what the branch fills, or binds, that sets eval mode: `net.eval(); nets.append(net)`?"""
    for mode in flow.events(SetsMode):
        if mode.option == "eval" and mode.conditions and mode.concerns(forward) is not False:
            test, polarity, _ = mode.conditions[-1]
            tests = (n for n in walk_function(mode.function) if isinstance(n, ast.If) and n.test is test)
            branch = [s for n in tests for s in (n.body if polarity else n.orelse)]
            if not within_any(forward.call, branch) and any(keeps(s, receiver(mode)) for s in branch):
                return True
            bound = [b.node for b in mode.function.bindings.get(receiver(mode), ())]
            if bound and all(within_any(node, branch) for node in bound):
                return True  # whoever has the name has come by here
    return False


def within_any(node: Any, statements: list[Any]) -> bool:
    """Is a node written inside one of these statements?"""
    return any(n is node for s in statements for n in walk(s))


def keeps(statement: Any, name: str) -> bool:
    """Does a statement put what a name holds into a container?"""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append" | "add" | "insert"), args=given)):
            return any(place(n) == name for a in given for n in walk(a))
        case ast.Assign(targets=[ast.Subscript()], value=value):
            return any(place(n) == name for n in walk(value))
    return False


@check("train-mode-not-restored")
def train_mode_not_restored(flow: Flow) -> Iterator[Finding]:
    """After an evaluation in the training loop, training goes on in eval mode."""
    for mode in flow.events(SetsMode):
        if mode.option != "eval" or not mode.loops or mode_dependent(mode.subject) is False or only_asked(mode, flow):
            continue
        if begins_in_train_mode(mode, flow):
            continue
        for backward in flow.events(AccumulatesGrad):
            if not trained_by(backward, mode, flow) or not flow.path(backward, to=mode):
                continue
            if steps_on_tensors(flow, backward):
                continue
            if in_training_only(backward) or headed_by_eval(backward, flow) or unapplied(backward, flow):
                continue
            if flag_set_by_hand(mode.frame, "train") or flag_set_by_hand(backward.frame, "train"):
                continue
            way = flow.path(mode, to=backward, avoiding=changes_before(backward, mode, flow))
            if way is None or any(made_inside(mode.subject, run) for run in way.rounds):
                continue
            if any(e.kind == "forward" and evaluates(e, mode, backward, flow) for e in way.events) or in_cut_loop(
                mode, backward, flow
            ):
                yield Finding(
                    mode,
                    f"`{receiver(mode)}` stays in eval mode when training goes on",
                    primary="never set back",
                    labels=[Note(backward, "trained here, in eval mode from the second round on")],
                    certain=receiver(mode) != "super()",  # in an own `eval`, whose callers set the mode back
                )
                break


def in_cut_loop(mode: Event, backward: Event, flow: Flow) -> bool:
    """Is the model evaluated in a loop that a `break` ends, which a way from the mode to a backward may pass by?"""
    inside = (f for f in flow.events(Forward) if f.frame is mode.frame and len(f.loops) > len(mode.loops))
    cut = (f for f in inside if any(isinstance(n, ast.Break) for n in walk(f.loops[-1].node)))
    changes = changes_before(backward, mode, flow)
    return any(
        evaluates(f, mode, backward, flow)
        and flow.path(mode, to=f, avoiding=changes)
        and flow.path(f, to=backward, avoiding=changes)
        for f in cut
    )


def in_training_only(backward: Event) -> bool:
    """Is it asked for in train mode only: `if model.training: loss.backward()`?"""
    return any(holds and isinstance(t, ast.Attribute) and t.attr == "training" for t, holds, _ in backward.conditions)


_BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module, ast.For, ast.While, ast.If, ast.With, ast.Try)


def headed_by_eval(backward: Event, flow: Flow) -> bool:
    """Does `model.eval()` stand right above a loop that trains the model? Then it is trained so on purpose."""
    loops = [run.node for run in backward.loops if run.frame.function is backward.function]
    modes = [e.call for e in flow.events(SetsMode) if e.option == "eval" and e.concerns(backward)]
    for node in (backward.function.node, *statements(backward.function)) if loops and modes else ():
        block: list[Any] = node.body if isinstance(node, _BLOCKS) else []
        for i, statement in enumerate(block):
            if i and statement in loops and isinstance(block[i - 1], ast.Expr) and block[i - 1].value in modes:
                return True
    return False


def only_asked(mode: Event, flow: Flow) -> bool:
    """Is it a teacher: asked without gradients only, in a function that runs another model with gradients?"""
    beside = [(name(f) == receiver(mode), f.grad_off) for f in flow.events(Forward) if f.function is mode.function]
    asked = [off for same, off in beside if same]
    return bool(asked) and all(asked) and any(not same and off is False for same, off in beside)


def changes_before(backward: Event, mode: Event, flow: Flow) -> Any:
    """What may set the mode of a model before a backward. Where that only perhaps trains it, a `train()` beside it is
    perhaps of that model, and so is one of whatever it trains; the `train()` of an engine, whose backward it is, is
    that of the model inside."""
    certain, sure = mode_changes(mode, flow), backward.concerns(mode)
    engine = Call(backward.call, backward.frame).receiver if isinstance(backward.call, ast.Call) else None

    def changes(other: Event) -> bool:
        if other.kind != "sets_mode" or other.option != "train":
            return bool(certain(other))
        if engine is not None and engine.same_as(other.subject):
            return True
        if sure:
            return bool(certain(other))
        perhaps = other.concerns(mode) is not False or other.function is backward.function
        return perhaps or other.concerns(backward) is not False

    return changes


def steps_on_tensors(flow: Flow, backward: Event) -> bool:
    """Are all optimizers of a flow, or those beside a backward, built for tensors alone, `SGD([patch])`, so that no
    model is trained?"""
    steps = [s for s in flow.events(AppliesGrad) if s.frame is backward.frame] or list(flow.events(AppliesGrad))
    given = [constructor_argument(s.subject, "params") for s in steps if s.subject.kind == "instance"]
    kinds = [p.kind for v in given if v is not None and v.kind == "sequence" for p in v.parts]
    return (
        bool(kinds)
        and len(given) == len(steps)
        and all(v is not None and v.kind == "sequence" for v in given)
        and (set(kinds) == {"tensor"})
    )


def trained_by(backward: Event, mode: Event, flow: Flow) -> bool:
    """Does a backward train the model of a mode: certainly; or possibly, if the mode is known to matter?"""
    concerned = backward.concerns(mode)
    if concerned is None and (is_local(mode.subject, mode, backward) or moves_another(backward, mode, flow)):
        return False
    if mode.subject.has("Copied") and mode.subject.identity not in backward.subject.all_graph:
        return False  # an average of the model: what it is made of goes by the names of the original's parts
    if concerned is None and mode_dependent(mode.subject) is None:
        return any(e.option == "train" and e.subject.same_as(mode.subject) for e in flow.events(SetsMode))
    return concerned is not False


@check("missing-no-grad")
def missing_no_grad(flow: Flow) -> Iterator[Finding]:
    """A loop over evaluation data builds a graph that nobody uses."""
    if any(named(e, "set_grad_enabled") for e in flow.events(Creates)) or called_without(flow):
        return
    told: set[int] = set()
    for run in flow.runs:
        if run.role == "epoch" or isinstance(run.node, ast.While) or once(run, told):
            continue
        if trains_somewhere(run, flow) or differentiates(run, flow):
            continue
        for forward in flow.events(Forward):
            if innermost(forward) is not run or forward.grad_off is not False or is_statement(forward):
                continue
            if not run.role and not samples(forward, flow):
                continue
            if any(innermost(e) is run and e.grad_off and e.concerns(forward) for e in flow.events(Forward)):
                continue  # `else: with torch.no_grad():`, so that this one is meant to have gradients
            if in_eval_mode(forward, flow) and not frozen(forward, flow):
                told.update((id(run.node), id(forward.call)))
                yield Finding(
                    run,
                    f"`{name(forward)}` is evaluated without `no_grad`: autograd records a graph that nobody uses",
                    primary="no `no_grad` around this loop",
                    labels=[Note(forward, "builds a graph")],
                    certain=not costs_little(forward),
                )
                break
    for forward in flow.events(Forward):
        if id(forward.call) in told:
            continue
        if forward.grad_off is False and unlooped(forward, flow) and not is_statement(forward):
            if in_eval_mode(forward, flow) and not frozen(forward, flow):
                again = bool(forward.loops) or not flow.root.is_body  # once, at the end, it costs little
                yield Finding(
                    Site(forward.frame.module, forward.call),
                    f"`{name(forward)}` is evaluated without `no_grad`: autograd records a graph that nobody uses",
                    primary="no `no_grad` around it",
                    certain=again and not (costs_little(forward) or of_one_sample(forward)),
                )


# --------------------------------------------------------------------------------------- the mode inside of a module
@check("dropout-ignores-mode", calls="dropout dropout1d dropout2d dropout3d scaled_dot_product_attention batch_norm")
def dropout_ignores_mode(call: Call) -> Iterator[Finding]:
    """A functional layer is active in eval mode too, because the module's mode is not passed on."""
    owner = method_of_module(call.function)
    if owner is None or call.is_open or mentions_training(call) or on_purpose(call.function):
        return
    functional = [f"torch.nn.functional.{word}" for word in ("dropout", "dropout1d", "dropout2d", "dropout3d")]
    if call.callee.is_function(*functional):
        given, mode = call.argument("p"), call.argument("training")
        if call.function.decorated("no_grad", "inference_mode"):
            return  # where nothing is ever trained it is there to be active: noise while samples are drawn
        if given is not None and (given.value.literal in (0, 0.0) or nought_around(given.node, call)):
            return
        if mode is not None and (getattr(mode.node, "value", None) is not True or not beside_a_mode(call)):
            return
        said = "it says" if mode is not None else "its default is"
        said = f"`{call.name}` is active in eval mode too: {said} `training=True`"
    elif call.callee.is_function("torch.nn.functional.scaled_dot_product_attention"):
        given = call.argument("dropout_p")
        if given is None or not drops(given.node, call) or nought_around(given.node, call):
            return
        said = f"`{call.name}` drops `{given.text}` in eval mode too"
    elif call.callee.is_function("torch.nn.functional.batch_norm"):
        given, mean = call.argument("training"), call.argument("running_mean")
        if given is None or given.value.literal is not True or mean is None or place(mean.node) != "self.running_mean":
            return
        said = f"`{call.name}` normalises by the batch in eval mode too"
    else:
        return
    if not switched_from_outside(call):
        meant = trains_only(owner.qualname) or overrides_norm(owner)
        yield Finding(call, said, primary="does not know the module's mode", certain=not meant)


def beside_a_mode(call: Call) -> bool:
    """Does the same function hand the module's mode to another dropout, so that a constant here is no intention?"""
    branches = [n for n in walk_function(call.function) if isinstance(n, ast.If)]
    sides = [{id(n) for s in side for n in walk(s)} for b in branches for side in (b.body, b.orelse)]
    mine = [id(call.node) in side for side in sides]
    calls = (n for n in call.function.calls if last_name(n.func) == call.last_name)
    others = (Call(n, call.frame) for n in calls if mine == [id(n) in side for side in sides])
    modes = [a.node for other in others if (a := other.argument("training")) is not None]
    return any(place(n) == "self.training" for n in modes)


@check("mode-toggled-in-forward")
def mode_toggled_in_forward(cls: Class) -> Iterator[Finding]:
    """A module changes its own mode while it runs, or keeps `train` and `eval` from its children."""
    if cls.scope.methods.keys().isdisjoint(("forward", "train", "eval")) or not cls.inherits(_MODULE):
        return
    forward = cls.scope.methods.get("forward")
    if forward is not None:
        yield from toggled(forward, cls)
    for word in ("train", "eval"):
        override = cls.scope.methods.get(word)
        if override is not None and not passes_mode(override):
            own = any(isinstance(n, ast.Attribute) and place(n) == "self.training" for n in walk_function(override))
            if (own and mode_dependent(cls.instance()) is not True) or childless(cls):
                continue
            yield Finding(
                Site(cls.module, override.node),
                f"`{word}` never passes the mode to the children: `{word}()` leaves dropout and batch norm as they are",
                primary="overrides the method of `Module`",
                certain=not is_training_loop(override, word, cls),
            )


def is_training_loop(override: Function, word: str, cls: Class) -> bool:
    """Is it a loop that trains and only has the name, in a class whose objects nobody switches to eval mode?"""
    positional = [p for p in override.parameters if p.kind == "positional"]
    if len([p for p in positional if p.default is None]) > 2:
        return True  # `eval()` could not even call it: `train(self, loader, optimizer)`
    first = positional[1].default if word == "train" and len(positional) > 1 else None
    if isinstance(first, ast.Constant) and not isinstance(first.value, bool):
        return True  # its first parameter is no mode: `train(self, epochs=100)`
    steps = {"backward", "step", "zero_grad", "DataLoader", "fit", "train_epoch"}
    loops = [r for r in override.loops if last_name(getattr(getattr(r.node, "iter", None), "func", None)) not in _PARTS]
    if word != "train" or not (loops or not override.called_names.isdisjoint(steps)):
        return False
    name, project = f"{cls.module.name}.{cls.scope.qualname}", cls.project
    for node, scope in project.calls_named("eval"):
        if isinstance(scope, Function) and isinstance(node.func, ast.Attribute):
            receiver = Call(node, project.frame(scope)).receiver
            if receiver is not None and receiver.instance_of(name):
                return False
    return True


_PARTS = ("modules", "children", "named_modules", "named_children")


def toggled(forward: Function, cls: Class) -> Iterator[Finding]:
    """Assignments of the mode in forward, and calls of `self.train()` or `self.eval()` that are not undone."""
    toggles: list[tuple[ast.AST, str]] = []
    if forward.called_names.isdisjoint(("train", "eval")) and "self.training" not in forward.bindings:
        return
    for node in walk_function(forward):
        if isinstance(node, ast.Assign) and any(place(t) == "self.training" for t in node.targets):
            toggles.append((node, "`self.training` is assigned while the module runs: its children keep their mode"))
        elif isinstance(node, ast.Call) and place(node.func) in ("self.train", "self.eval") and not own(node, cls):
            if any(not isinstance(a, ast.Constant) for a in node.args + [k.value for k in node.keywords]):
                return
            toggles.append((node, f"`{text(cls.module, node)}` changes the mode of the whole module while it runs"))
    if len(toggles) == 1:
        # what never has gradients only predicts: it is run in eval mode on purpose
        predicts = "eval" in forward.called_names and (
            forward.decorated("no_grad", "inference_mode") or runs_frozen(forward, cls)
        )
        yield Finding(
            Site(cls.module, toggles[0][0]), toggles[0][1], primary="outlives this call", certain=not predicts
        )


def own(node: ast.Call, cls: Class) -> bool:
    """Is it a method of the project's own that only has the name, as an abstract `eval()` that gives a loss?"""
    callees = Call(node, cls.frame_of(cls.scope.methods["forward"])).callees
    return bool(callees) and not any(f.stubbed for f in callees)


def runs_frozen(forward: Function, cls: Class) -> bool:
    """Does everything that it runs of its own run without gradients, as a fixed encoder does?"""
    frame = cls.project.frame(forward)
    runs = [c for c in forward.calls if (place(c.func) or "").startswith("self.") and last_name(c.func) != "eval"]
    return bool(runs) and all(Call(node, frame).grad_off is True for node in runs)


def passes_mode(override: Function) -> bool:
    """Does an override of `train` or `eval` set some mode, by `super()` or by hand, or nothing on purpose?"""
    body = [s for s in override.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    if all(isinstance(s, (ast.Pass, ast.Return, ast.Raise)) for s in body) or override.decorated(
        "abstractmethod", "overload"
    ):
        return True
    chosen = {id(n) for n in walk_function(override) if kinds_of_layer(n) for n in walk(n)}
    for node in walk_function(override):
        if isinstance(node, ast.Attribute) and node.attr in ("train", "eval", "requires_grad_"):
            if node.attr != "eval" or id(node) not in chosen:
                return True
        if isinstance(node, ast.Attribute) and node.attr == "training" and isinstance(node.ctx, ast.Store):
            if place(node) != "self.training":
                return True
        if isinstance(node, ast.Raise):
            return True
    return False


def kinds_of_layer(node: Any) -> bool:
    """Is it `if isinstance(layer, nn.BatchNorm2d):`? What is under it is done to some layers, and to no other."""
    return isinstance(node, ast.If) and any(
        isinstance(n, ast.Call) and last_name(n.func) in ("isinstance", "issubclass") for n in walk(node.test)
    )


def method_of_module(function: Function) -> Function | None:
    """The function, if it is a method of a class that is a module."""
    if function.owner is None:
        return None
    owner = Class(function.owner, function.module.project.frame(function.module.body))  # type: ignore[union-attr]  # it is in a project
    return function if owner.inherits(_MODULE) else None


def overrides_norm(function: Function) -> bool:
    """Is it the `forward` of a batch norm of one's own, written anew only to say so?"""
    names = (c if isinstance(c, str) else c.qualname for c in mro(function.owner)) if function.owner else ()
    return any(name.rpartition(".")[2] in ("_BatchNorm", "_NormBase") for name in names)


def drops(node: Any, call: Call) -> bool:
    """Is it certainly a probability that does not know the mode: a literal, or a plain attribute of the module?"""
    value = call.value_of(node)
    if value.kind == "literal":
        return value.of not in (0, 0.0, None)
    owner = call.function.owner
    plain = (
        isinstance(node, ast.Attribute)
        and place(node.value) == "self"
        and owner is not None
        and node.attr not in owner.methods
    )
    return (plain and not value.classes) or value.of == "number"


# ------------------------------------------------------------------------------------------------ the missing brackets
_SWITCHES = frozenset("train eval zero_grad step backward".split())
_TAKERS = frozenset("save dump deepcopy load_state_dict".split())


@check("mode-call-missing")
def mode_call_missing(module: Module) -> Iterator[Finding]:
    """A method is named where it is meant to be called."""
    if not uses_torch(module.frame):
        return
    for scope in module.module.scopes:
        for node in scope.expressions:
            if isinstance(node, ast.Attribute) and node.attr in _SWITCHES:
                if not own_property(node, scope, module, alone=True):
                    yield missing_call(node, module)
    for taker in module.module.calls_by_name.keys() & _TAKERS:
        for call, scope in module.module.calls_by_name[taker]:
            for argument in (*call.args, *(k.value for k in call.keywords)):
                for node in uncalled(argument, scope):
                    if scope is module.module.body or not own_property(node, scope, module):
                        yield missing_call(node, module)


def missing_call(node: ast.Attribute, module: Module) -> Finding:
    """The finding for one attribute."""
    return Finding(
        module.at(node), f"`{text(module.module, node)}` is not called: this does nothing", primary="named, not called"
    )


# ------------------------------------------------------------------------------------------- weights that go on moving
@check("aliased-best-weights")
def aliased_best_weights(flow: Flow) -> Iterator[Finding]:
    """Weights are remembered without a copy, and used after more training."""
    if not any(True for _ in flow.events(AppliesGrad, Unknown)):
        return
    for state in flow.events(ReadsState):
        if not isinstance(state.call, ast.Call) or last_name(state.call.func) != "state_dict":
            continue
        for node, kept in remembered(state):
            if used_later(kept, node, state, flow) and trained_after(state, flow):
                yield Finding(
                    Site(state.frame.module, node),
                    f"`{kept}` refers to the live weights of `{receiver(state)}`: it changes with every optimizer step",
                    primary="a reference, not a copy",
                )
    for run in flow.runs:
        for node, kept in aliases(run, flow):
            yield Finding(
                Site(run.frame.module, node),
                f"`{kept}` is `{text(run.frame.module, node)}` itself: it goes on training with it",
                primary="another name, not a copy",
            )
    for restore, source in onto_itself(flow):
        yield Finding(
            restore,
            f"`{receiver(restore)}` is loaded with its own weights: `{receiver(source)}` is the same module",
            primary="another name, not a copy",
        )
    yield from named_twice(flow)


def named_twice(flow: Flow) -> Iterator[Finding]:
    """A module under two names, of which one says that it is another one."""
    module = flow.root.module
    if "averaged with itself" not in module.effects:
        found = tuple(averaged_with_itself(module))
        module.effects["averaged with itself"] = found if flow.frame.project.fuel >= 0 else ()
    for call, first, second in module.effects["averaged with itself"]:
        message = f"`{first}` and `{second}` are the same module: nothing is averaged"
        yield Finding(Site(module, call), message, primary="another name, not a copy")
    if "called another" not in module.effects:
        module.effects["called another"] = tuple(called_another(module))
    for value, second, first in module.effects["called another"]:
        message = f"`{second}` is `{first}` itself: it changes with every optimizer step"
        yield Finding(Site(module, value), message, primary="another name, not a copy")
