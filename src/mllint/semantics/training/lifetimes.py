"""How long does an optimizer live, and do the parameters that it holds live as long?

Two questions about the construction of an optimizer or a scheduler: is it repeated while the model it is for goes on
living (`lost_state`), and is a part of that model replaced afterwards (`replacements`)? Loops over folds, tasks,
stages or trials begin something new; loops over epochs and batches do not.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.flow import Event, Flow, LoopRun
from mllint.semantics.flow.kinds import AppliesGrad, Creates, RestoresState, Unknown
from mllint.semantics.flow.subjects import reach
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import last_name, place, turned, walk
from mllint.semantics.training import roles
from mllint.semantics.training.errors.handlers import counts_epochs
from mllint.semantics.training.records import Built
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.lineage import origins
from mllint.semantics.values.values import Value

__all__ = ["constructions", "keeps_state", "lost_state", "replacements", "used_after"]

_SIZES = frozenset("in_features out_features in_channels out_channels num_features embed_dim d_model".split())
_MOVES = ("to", "cuda", "cpu", "double", "float", "half", "train", "eval", "type")
_WRAPPERS = ("DataParallel", "DistributedDataParallel")
_LEARNING = frozenset(
    """Linear LazyLinear Bilinear Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d BatchNorm1d
    BatchNorm2d BatchNorm3d LayerNorm GroupNorm Embedding EmbeddingBag LSTM LSTMCell GRU RNN Transformer
    TransformerEncoder TransformerEncoderLayer TransformerDecoder TransformerDecoderLayer MultiheadAttention Sequential
    ModuleList""".split()
)


def keeps_state(value: Value) -> bool:
    """Has the optimizer a state that is worth keeping? Plain SGD has none; L-BFGS is often meant to start afresh."""
    name = value.of.name if value.kind == "instance" else ""
    if name == "LBFGS":
        return False
    if name != "SGD":
        return True
    momentum = constructor_argument(value, "momentum")
    open_call = (
        value.arguments is not None
        and value.arguments.node is not None
        and Call(value.arguments.node, value.arguments.frame).is_open
    )
    return momentum is not None and momentum.literal != 0 and not open_call


def lost_state(flow: Flow, made: Event, uses: list[Event]) -> LoopRun | None:
    """The loop in each turn of which an object is built again although what it is for stays; None if there is none.

    Args:
        flow: the flow.
        made: the construction.
        uses: the steps (or ticks) of what was built.
    """
    if not made.loops or conditional(made):
        return None
    run = made.loops[-1]
    if not epochs(run) and not batches(run):
        return None
    for use in uses:
        inner = use.loops[len(made.loops) :]
        if use.loops[: len(made.loops)] != made.loops or len(inner) > 1:
            continue
        direct = made.frame is run.frame and counts_epochs(run.node)
        within = not inner or (epochs(run) and (direct or batches(inner[0])))
        if within and not fresh(flow, made, run):
            return run
    return None


def conditional(made: Event) -> bool:
    """Does a branch inside the loop decide about it, or does it stand in a constructor?"""
    return bool(made.conditions_in(made.loops[-1])) or made.function.name == "__init__"


def epochs(run: LoopRun) -> bool:
    """Does it count epochs or steps, and not folds, tasks or stages?"""
    if isinstance(run.node, ast.While):
        return run.role == "epoch"
    iterates = turned(run.node.iter)
    names = " ".join(n for n in (*(place(t) for t in walk(run.node.target)), place(iterates)) if n)
    ranged = isinstance(iterates, ast.Call) and (place(iterates.func) or "").rpartition(".")[2] in (
        "range",
        "trange",
        "tqdm",
    )
    counted = {last_name(n).lower() for n in walk(iterates) if isinstance(n, (ast.Name, ast.Attribute))}
    names += " " + " ".join(sorted(n for n in counted if "epoch" not in n))
    return ranged and not roles.begins_anew(names)


def batches(run: LoopRun) -> bool:
    """Does it iterate over batches: over something that is no range of numbers?"""
    if isinstance(run.node, ast.While) or run.role:
        return run.role == "batch"
    return not isinstance(run.node.iter, (ast.List, ast.Tuple)) and not any(
        isinstance(node, ast.Call)
        and last_name(node.func) in ("range", "trange", "count", "items", "parameters", "values")
        for node in walk(run.node.iter)
    )


def fresh(flow: Flow, made: Event, run: LoopRun) -> bool:
    """Is what it is for new in each turn, or reset?"""
    held, _ = reach(made.subject, made.frame)
    inside = [e for e in flow.events(Creates, RestoresState) if run in e.loops and e is not made]
    if not held or any(e.subject.identities & held for e in inside):
        return True
    given = Call(made.call, made.frame).arguments
    built_of = list(origins(given[0].node, made.frame)) if given else []
    named = (call for call in written_in(run) if roles.resets_weights(call.last_name))
    resets = (call for call in named if not roles.is_clearing_name(call.last_name))
    if any(not kept_aside(call, {place(o.node) for o in built_of}) for call in resets):
        return True
    owner = parameters_of(Call(made.call, made.frame))
    if any(grows(call, owner) for call in written_in(run)):
        return True
    if owner and next(changed_in(run, owner), None) is not None:
        return True
    return not given or any(bound_in(origin.node, origin.frame, run) for origin in built_of)


def grows(call: Call, owner: str) -> bool:
    """Does a call change which parameters there are: of the model, where that is known? `bar.add_task()` does not, nor
    does `mask.expand(1, n)` of a tensor."""
    if (
        not call.last_name
        or not roles.changes_layers(call.last_name)
        or (call.last_name == "expand" and len(call.node.args) > 1)
    ):
        return False
    base = call.node.func.value if isinstance(call.node.func, ast.Attribute) else None
    near = (place(n) or "" for n in (base, *call.node.args, *(k.value for k in call.node.keywords)))
    heads = {owner, owner.partition(".")[0], "self"}
    return not owner or base is None or any(n in heads or n.startswith((f"{owner}.", f"{owner}[")) for n in near)


def changed_in(run: LoopRun, owner: str) -> Iterator[Any]:
    """The layers that a loop gives a model anew: `model.head = nn.Linear(8, n)`."""
    last = run.node.end_lineno or 0
    for name, found in run.frame.function.bindings.items():
        if name.startswith((f"{owner}.", f"{owner}[")):
            yield from (b for b in found if isinstance(b.value, ast.Call) and run.node.lineno <= b.node.lineno <= last)


def kept_aside(call: Call, names: set[str | None]) -> bool:
    """Is it a copy for later, `best = deepcopy(model)`, or of a state, and not what is trained from here on?"""
    if call.last_name != "deepcopy":
        return False
    bound = {n for n, found in call.function.bindings.items() if any(b.value is call.node for b in found)}
    return "state_dict(" in call.text or (bool(bound) and bound.isdisjoint(names))


def written_in(run: LoopRun) -> Iterator[Call]:
    """The calls that are written in a loop."""
    first, last = run.node.lineno, run.node.end_lineno
    for node in run.frame.function.calls:
        if first <= node.lineno <= last:
            yield Call(node, run.frame)


def bound_in(node: Any, frame: Any, run: LoopRun) -> bool:
    """Is it a name that the loop binds?"""
    if frame.function is not run.frame.function or not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    first, last = run.node.lineno, run.node.end_lineno
    bindings = frame.function.bindings.get(place(node) or "", ())
    return any(first <= getattr(b.node, "lineno", 0) <= last and not itself(b) for b in bindings)


def itself(binding: Any) -> bool:
    """Is it `model = model.train()`, the same object again, or `params = model.parameters()`, a part of it?"""
    match binding.value:
        case ast.Call(func=ast.Attribute(value=base, attr="parameters")):
            return True
        case ast.Call(func=ast.Attribute(value=base, attr="train" | "eval" | "to" | "cuda" | "cpu" | "requires_grad_")):
            return bool(binding.kind == "assign" and place(base) == binding.name)
    return False


# -------------------------------------------------------------------------------------------------------- replacements


def constructions(flow: Flow) -> dict[int, tuple[Built, list[Event]]]:
    """The constructions of the optimizers that a flow steps, by identity, with their steps."""
    found: dict[int, tuple[Built, list[Event]]] = {}
    for step in flow.events(AppliesGrad):
        for value in step.subject.alternatives:
            built = value.arguments
            if not value.instance_of("torch.optim.Optimizer") or built is None or built.node is None:
                continue
            if value.identity not in found:
                event = next((e for e in flow.events(Creates) if e.call is built.node), None)
                found[value.identity] = Built(Call(built.node, built.frame), event), []
            found[value.identity][1].append(step)
    return found


def replacements(made: Built) -> Iterator[tuple[str, Any]]:
    """The later assignments in the same function that replace the model of an optimizer or one of its layers.

    Yields:
        The place and the binding.
    """
    owner = parameters_of(made.call)
    if not owner:
        return
    yield from _adapted(made, owner)
    for name, bindings in made.call.function.bindings.items():
        if name != owner and not name.startswith((f"{owner}.", f"{owner}[")):
            continue
        for binding in bindings:
            if (
                binding.kind == "assign"
                and binding.node.lineno > made.site.line
                and isinstance(binding.value, ast.Call)
            ):
                if renews(Call(moved(binding.value), made.call.frame), owner):
                    yield name, binding


def _adapted(made: Built, owner: str) -> Iterator[tuple[str, Any]]:
    """The later models, under names of their own, that are the one of an optimizer with adapters added to it."""
    for name, bindings in made.call.function.bindings.items():
        for binding in bindings if name != owner else ():
            if (
                binding.kind == "assign"
                and binding.node.lineno > made.site.line
                and isinstance(binding.value, ast.Call)
            ):
                call = Call(moved(binding.value), made.call.frame)
                if any(place(a.node) == owner for a in call.arguments) and _adapts(call):
                    yield owner, binding


def moved(node: ast.Call) -> ast.Call:
    """The construction in `Net().to(device)` and `DataParallel(Net())`."""
    while True:
        if isinstance(node.func, ast.Attribute) and node.func.attr in _MOVES and isinstance(node.func.value, ast.Call):
            node = node.func.value
        elif last_name(node.func) in _WRAPPERS and node.args and isinstance(node.args[0], ast.Call):
            node = node.args[0]
        else:
            return node


def parameters_of(made: Call) -> str:
    """The place whose `parameters()` an optimizer was given (`model`, `self.net`), empty if it is not written there."""
    given = made.argument("params")
    if given is None:
        return ""
    if isinstance(given.node, ast.IfExp):
        return narrower(*(parameters_in(listed(n)) for n in (given.node.body, given.node.orelse)))
    for origin in origins(given.node, given.frame, through=lambda origin: isinstance(origin.node, ast.Name)):
        node = listed(origin.node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "parameters":
            return (place(node.func.value) or "") if origin.frame is given.frame else ""
    return ""


def parameters_in(node: Any) -> str:
    """The place whose `parameters()` an expression is."""
    match node:
        case ast.Call(func=ast.Attribute(value=base, attr="parameters")):
            return place(base) or ""
    return ""


def narrower(one: str, other: str) -> str:
    """Of a model and a part of it, the part; empty if neither lies in the other."""
    one, other = sorted((one, other), key=len)
    return other if one and (one == other or other.startswith(f"{one}.")) else ""


def listed(node: Any) -> Any:
    """What a list is made of, in full or in part: `x` of `list(x)`, `filter(f, x)`, `[p for p in x if f(p)]`."""
    match node:
        case (
            ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner])
            | ast.Call(func=ast.Name(id="filter"), args=[_, inner])
        ):
            return inner
        case (
            ast.ListComp(elt=ast.Name(id=one), generators=[turn])
            | ast.GeneratorExp(elt=ast.Name(id=one), generators=[turn])
        ):
            return turn.iter if isinstance(turn.target, ast.Name) and turn.target.id == one else node
    return node


def renews(call: Call, owner: str) -> bool:
    """Does a call give a module with new parameters?"""
    if _adapts(call):
        return True
    nodes = (node for a in call.arguments if not _is_size(a.node) for node in walk(a.node))
    if any(place(node) == owner for node in nodes):
        return False
    if call.callee.kind == "function":
        return _makes_module(call)
    if call.callee.kind != "class" or not call.callee.is_class("torch.nn.Module"):
        return call.callee.kind == "unknown" and isinstance(call.node.func, ast.Name) and call.name[:1].isupper()
    cls = call.callee.of
    return not cls.module.is_stub or cls.name in _LEARNING


def _adapts(call: Call, depth: int = 2) -> bool:
    """Does a call give a model that adapters were added to: by `get_peft_model`, or by a function that returns that?"""
    if call.callee.is_function("peft.get_peft_model", "peft.mapping_func.get_peft_model"):
        return True
    own = [f for f in call.callees if not f.stubbed] if depth and call.callee.kind == "function" else []
    given = [(r.value, call.project.frame(f)) for f in own for r in f.returns]
    return bool(given) and all(
        any(
            isinstance(o.node, ast.Call) and _adapts(Call(o.node, o.frame), depth - 1)
            for o in origins(node, frame, through=lambda origin: isinstance(origin.node, ast.Name))
        )
        for node, frame in given
    )


def _is_size(node: Any) -> bool:
    """Is it a number that is read off a layer: `model.fc.in_features`?"""
    return isinstance(node, ast.Attribute) and (node.attr in _SIZES or node.attr.endswith(("_size", "_dim")))


def _makes_module(call: Call) -> bool:
    """Does a function build the module that it gives: a library's builder, or one of the user's that constructs it?"""
    functions = {id(f): f for f in call.callees}
    for v in call.value.alternatives:
        if not v.instance_of("torch.nn.Module") or v.site is None:
            return False
        inside = any(
            v.site.module is f.module and f.node.lineno <= v.site.line <= (f.node.end_lineno or 0)
            for f in functions.values()
        )
        given = isinstance(v.site.node, ast.Call) and any(n is v.site.node for a in call.node.args for n in walk(a))
        if v.site.node is not call.node and not inside and not given:
            return False  # neither the function built it, nor the call of it, on the spot
    return True


def used_after(flow: Flow, made: Built, steps: list[Event], binding: Any) -> bool:
    """Is the optimizer stepped after the replacement, without being built again or handed to something unknown?"""
    function = made.call.function
    steps = [s for s in steps if may_follow(s, made.call, binding.node)]
    if not steps or in_other_branch(function, made.call.node, binding.node):
        return False
    later = [c for c in function.calls if c.lineno > binding.node.lineno]
    others = [e for e in flow.events(Creates) if e.subject.instance_of("torch.optim.Optimizer")]
    rebuilt = [Call(e.call, e.frame) for e in others if e.call in later]
    if any(_may_hold(b, parameters_of(made.call)) for b in rebuilt) or "add_param_group" in function.called_names:
        return False
    if any(_takes_over(Call(call, made.call.frame), parameters_of(made.call)) for call in later):
        return False
    if made.event is None:
        return True
    new = next((e for e in flow.events(Creates) if e.call is moved(binding.value)), None)
    if new is not None and not flow.path(made.event, to=new):
        return False
    given = [e for e in flow.events(Unknown) if e.holds(made.event)]
    again = [e for e in others if e is made.event or _may_hold(Call(e.call, e.frame), parameters_of(made.call))]
    return any(flow.path(new or made.event, to=step, avoiding=(*again, *given)) for step in steps)


def may_follow(step: Event, made: Call, replacement: Any) -> bool:
    """May a step run after a statement of the function that builds its optimizer, by where the two are written?"""
    function, line = made.function, replacement.lineno
    if step.function is function:
        shared = [r for r in step.loops if r.frame.function is function]
        return step.site.line > line or any(r.node.lineno <= line <= (r.node.end_lineno or 0) for r in shared)
    if not function.is_body:
        return True  # a method that others call, and then the one that steps
    entered = entered_from(step, function)
    if entered is not None:
        around = [r.node for r in step.loops if r.frame.function is function]
        return entered.lineno > line or any(n.lineno <= line <= (n.end_lineno or 0) for n in around)
    calls = [Call(c, made.frame) for c in function.calls if (c.end_lineno or c.lineno) > line]
    looped = any(r.node.lineno <= line <= (r.node.end_lineno or 0) for r in step.loops if r.frame.function is function)
    return looped or any(c.callees and not all(f.stubbed for f in c.callees) for c in calls)


def entered_from(event: Event, function: Any) -> Any:
    """The call in a function by which the flow came to an event; None if it came another way."""
    frame = event.frame
    while frame.caller is not None:
        outer, marker = frame.caller
        if outer.function is function:
            return marker
        frame = outer
    return None


def _may_hold(optimizer: Call, owner: str) -> bool:
    """May another optimizer be for the same model: does it not say by name whose parameters it holds?"""
    other = parameters_of(optimizer)
    return not other or other == owner or other.startswith(f"{owner}.") or owner.startswith(f"{other}.")


def _takes_over(call: Call, owner: str) -> bool:
    """Is a model given to an object that is no module, without an optimizer: one that may have its own?"""
    if not any(place(argument.node) == owner for argument in call.arguments) or not call.last_name[:1].isupper():
        return False
    if call.callee.is_class("torch.nn.Module"):
        return False
    return not any(a.value.instance_of("torch.optim.Optimizer") for a in call.arguments)


def in_other_branch(function: Any, one: Any, other: Any) -> bool:
    """Do two places of a function lie in the two branches of one `if`, so that only one of them ever runs?"""
    for statement in (n for s in function.body for n in walk(s) if isinstance(n, ast.If)):
        sides = [{id(n) for s in branch for n in walk(s)} for branch in (statement.body, statement.orelse)]
        if any(id(one) in first and id(other) in second for first, second in (sides, sides[::-1])):
            return True
    return False
