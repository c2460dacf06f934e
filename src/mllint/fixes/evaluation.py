"""Fixes of the family `evaluation`: modes, graphs, copies."""

from __future__ import annotations

import ast
from typing import Any

from mllint.fixes.edits import (
    Change,
    after,
    around,
    around_call,
    before,
    imported,
    keyword,
    moved,
    named,
    replaced,
    segment,
    spot,
    statement,
    view_of,
    wrapped,
)
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Call, Event, LoopRun, Site, last_name, place, walk

__all__: list[str] = []

_TRAINS = frozenset(("backward", "train", "step", "fit", "autograd", "grad", "requires_grad_"))


@fix("dropout-ignores-mode")
def pass_the_mode(finding: Finding) -> Proposal:
    """The function is told the module's mode."""
    call = finding.at
    if not isinstance(call, Call) or not call.function.parameters or call.function.owner is None:
        raise Unsure
    mode = f"{call.function.parameters[0].name}.training"
    given = call.argument("training")
    if call.last_name == "scaled_dot_product_attention":
        rate = call.argument("dropout_p")
        if rate is None:
            raise Unsure
        return Proposal(f"Drop only in training: `if {mode}`", around(rate.site, "", f" if {mode} else 0.0"))
    title = f"Pass `training={mode}`"
    return Proposal(title, replaced(given.site, mode) if given is not None else keyword(call.site, "training", mode))


@fix("mode-call-missing")
def call_it(finding: Finding) -> Proposal:
    """Parentheses behind the name."""
    return Proposal("Add the parentheses", around(finding.at.site, "", "()"))


@fix("missing-no-grad")
def record_nothing(finding: Finding) -> Proposal:
    """The loop, or the statement, runs under `torch.no_grad()`; a function that does nothing else is decorated, and
    what says the contrary is changed."""
    site = statement(finding.at.site)
    contrary = _contrary(site)
    if contrary is not None:
        off = f"{named(site.module, 'torch.no_grad')}()"
        return Proposal(f"Evaluate under `{off}`", replaced(contrary, off))
    if (function := _only_evaluates(site)) is not None:
        line = f"@{named(site.module, 'torch.no_grad')}()"
        return Proposal(f"Evaluate under `{line}`", before(function, line))
    if isinstance(site.node, (ast.Return, ast.FunctionDef, ast.ClassDef)):
        raise Unsure
    if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in walk(site.node)):
        raise Unsure  # whoever goes on meanwhile would run without gradients, too
    header = f"with {named(site.module, 'torch.no_grad')}():"
    return Proposal(
        f"Evaluate under `{header.removesuffix(':').removeprefix('with ')}`", wrapped(site.module, [site.node], header)
    )


def _contrary(site: Site) -> Site | None:
    """`torch.enable_grad()` of a `with` that holds nothing but a statement."""
    around_it = spot(site).parent
    if isinstance(around_it, ast.With) and around_it.body == [site.node] and len(around_it.items) == 1:
        switch = around_it.items[0].context_expr
        if isinstance(switch, ast.Call) and last_name(switch.func) == "enable_grad" and not switch.args:
            return Site(site.module, switch)
    return None


def _only_evaluates(site: Site) -> Site | None:
    """The function around a loop that is a statement of its own, if it is given a model to evaluate, and trains nothing
    and hands out nothing before its end."""
    function = view_of(site).scope
    node = function.node
    if not isinstance(node, ast.FunctionDef) or node.decorator_list or site.node not in node.body:
        return None
    if not isinstance(site.node, ast.For) or function.called_names & _TRAINS or function.name == "forward":
        return None
    inner = (ast.Yield, ast.YieldFrom, ast.Await, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    if any(isinstance(n, inner) for s in node.body for n in walk(s)):
        return None
    return Site(site.module, node)


@fix("missing-eval-mode")
def evaluate_in_eval_mode(finding: Finding) -> Proposal:
    """`model.eval()` before the evaluation, and `model.train()` behind it where training goes on."""
    forward = next(iter(finding.about), None)
    if not isinstance(forward, Event) or place(forward.call.func) is None:
        raise Unsure
    model = segment(Site(forward.site.module, forward.call.func))
    own = [run for run in forward.loops if run.frame.function is forward.function and run.role != "epoch"]
    outer = [run for run in forward.loops if run.frame.function is forward.function and run.role == "epoch"]
    start = Site(forward.site.module, own[0].node) if own else statement(forward.site)
    start = _outside_of_with(start)
    if (late := _too_late(start, model)) is not None:
        return Proposal(f"Call `{model}.eval()` before it", late)
    head = _head(forward, model) if not outer else None
    changes = _switched(start, model) or before(head or _before_counters(start), f"{model}.eval()")
    switched = finding.labels[0].at.site if finding.labels else None
    if outer and not (switched is not None and any(n is switched.node for n in walk(outer[-1].node))):
        changes += after(start, f"{model}.train()")
    return Proposal(f"Call `{model}.eval()` before it", changes)


def _switched(start: Site, model: str) -> list[Change]:
    """A call beside an evaluation that meant to switch the mode: `model.train()` before it becomes `model.eval()`, and
    `model.eval()` behind it moves; empty if there is none."""
    here = spot(start)
    for own in reversed(here.block[: here.place]):
        line = segment(Site(start.module, own))
        if line == f"{model}.train()" and isinstance(own, ast.Expr) and isinstance(own.value, ast.Call):
            return replaced(Site(start.module, own), f"{model}.eval()")
        if not _is_counter(own):
            break
    for own in here.block[here.place + 1 :]:
        if segment(Site(start.module, own)) == f"{model}.eval()":
            return moved(Site(start.module, own), ahead_of=_before_counters(start))
        if any(isinstance(n, ast.Call) and place(n.func) == model for n in walk(own)):
            break  # what comes later is another evaluation
    return []


def _too_late(start: Site, model: str) -> list[Change] | None:
    """`model.eval()` behind the loop around an evaluation, directly before `model.train()`, moves before that loop."""
    around_it = spot(start).parent
    if not isinstance(around_it, ast.For):
        return None
    loop = Site(start.module, around_it)
    here = spot(loop)
    lines = [segment(Site(start.module, s)) for s in here.block[here.place + 1 : here.place + 3]]
    if lines != [f"{model}.eval()", f"{model}.train()"]:
        return None
    return moved(Site(start.module, here.block[here.place + 1]), ahead_of=_before_counters(loop))


def _before_counters(start: Site) -> Site:
    """The first of the statements directly before an evaluation that prepare what it counts in: `hits = total = 0`."""
    here = spot(start)
    first = here.place
    while first and _is_counter(here.block[first - 1]):
        first -= 1
    return Site(start.module, here.block[first])


def _is_counter(node: ast.stmt) -> bool:
    """Does a statement give names to plain numbers, and to what is empty?"""
    if not isinstance(node, ast.Assign) or not all(isinstance(t, (ast.Name, ast.Tuple)) for t in node.targets):
        return False
    values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    return all(isinstance(v, ast.Constant) or (isinstance(v, (ast.List, ast.Dict)) and not _inside(v)) for v in values)


def _inside(node: ast.List | ast.Dict) -> list[Any]:
    return node.elts if isinstance(node, ast.List) else node.keys


def _head(event: Event, model: str) -> Site | None:
    """The first statement of a function that is given the model, or has it in its object, and trains nothing."""
    function = event.function
    body = function.node.body if isinstance(function.node, ast.FunctionDef) else []
    if not body or function.called_names & {"backward", "train"}:
        return None
    root = model.partition(".")[0]
    if function.parameter(root) is None or any(b.kind != "param" for b in function.bindings.get(root, ())):
        return None
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    return Site(event.site.module, body[documented]) if len(body) > documented else None


def _outside_of_with(site: Site) -> Site:
    """A statement, or the `with` that holds only it."""
    place_ = spot(site)
    while isinstance(place_.parent, ast.With) and len(place_.block) == 1:
        site = Site(site.module, place_.parent)
        place_ = spot(site)
    return site


@fix("train-mode-not-restored")
def train_in_train_mode(finding: Finding) -> Proposal:
    """`model.train()` at the head of each epoch, or at the end of the function that evaluates."""
    mode = finding.at
    if not isinstance(mode, Event):
        raise Unsure
    model = around_call(mode.site)
    line = f"{model}.train()"
    title = f"Call `{line}` before training goes on"
    trained = finding.labels[0].at
    if isinstance(trained, Event) and trained.function is not mode.function:
        return Proposal(title, _where_trained(trained, model))
    loops = [run for run in mode.loops if run.frame.function is mode.function]
    if loops:
        return Proposal(title, _at_head(loops[-1], line))
    body = mode.function.node.body if isinstance(mode.function.node, ast.FunctionDef) else []
    returns = [n for s in body for n in walk(s) if isinstance(n, ast.Return)]
    if not body or statement(mode.site).node not in body or (returns and returns != [body[-1]]):
        raise Unsure
    last = Site(mode.site.module, body[-1])
    if not returns:
        return Proposal(title, after(last, line))
    if any(isinstance(n, ast.Call) and place(n.func) == model for n in walk(body[-1])):
        raise Unsure  # what is returned is computed by the model
    return Proposal(title, before(last, line))


def _where_trained(backward: Event, model: str) -> list[Change]:
    """`model.train()` where the model is trained under the same name: at the head of the epoch, or of the function."""
    function, line = backward.function, f"{model}.train()"
    root, own = model.partition(".")[0], [run for run in backward.loops if run.frame.function is backward.function]
    bound = function.bindings.get(root, ())
    if not isinstance(function.node, ast.FunctionDef) or len(bound) != 1:
        raise Unsure
    if not any(place(call.func) == model for call in function.calls):
        raise Unsure
    if len(own) > 1:
        return _at_head(own[0], line)
    body = function.node.body
    documented = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
    if function.parameter(root) is None or len(body) == documented:
        raise Unsure
    return before(Site(backward.site.module, body[documented]), line)


def _at_head(run: LoopRun, line: str) -> list[Change]:
    """A line at the head of a loop; the same line directly before the loop moves there."""
    module, first = run.frame.module, run.node.body[0]
    here = spot(Site(module, run.node))
    ahead = here.block[here.place - 1] if here.place else None
    if ahead is not None and segment(Site(module, ahead)) == line:
        return moved(Site(module, ahead), ahead_of=Site(module, first))
    return before(Site(module, first), line)


@fix("aliased-best-weights")
def copy_the_weights(finding: Finding) -> Proposal:
    """What is kept is a copy."""
    site = finding.at.site
    node: Any = site.node
    if isinstance(node, ast.Call) and last_name(node.func) == "append" and len(node.args) == 1:
        node = node.args[0]
    state = _state(node)
    if state is None and not isinstance(node, (ast.Name, ast.Attribute)):
        raise Unsure
    kept = segment(Site(site.module, state or node))
    changes = replaced(Site(site.module, node), f"copy.deepcopy({kept})")
    return Proposal("Keep a copy: `copy.deepcopy`", [*changes, *imported(site.module, "copy", node)])


def _state(node: Any) -> Any:
    """The call of `state_dict()` in itself, in `dict(...)` of it and in its `copy()`; None for anything else."""
    match node:
        case ast.Call(func=ast.Attribute(attr="state_dict")):
            return node
        case ast.Call(func=ast.Attribute(value=inner, attr="copy"), args=[], keywords=[]):
            return _state(inner)
        case ast.Call(func=ast.Name(id="dict" | "OrderedDict"), args=[inner], keywords=[]):
            return _state(inner)
    return None
