"""Do gradients reach the optimizer, each once, at the right time and at the right scale?

Every rule here asks from the harm: not "is there a `zero_grad()`?" but "is there a way from a step back to a step on
which gradients that were already used are used again?". So gradient accumulation, several optimizers, GANs and
closures need no special cases. An unknown call that is given the optimizer or the model may do anything to the
gradients: a way that meets one accuses nobody.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Callable, Iterator
from mllint.checks._gradients import (
    alone,
    another,
    clears_all,
    closures,
    compared,
    computes_loss,
    cut_off,
    endless,
    forgets_backward,
    given_losses,
    gives_loss,
    handles_gradients,
    only_computes,
    part_of,
    reworks,
    same_call,
    shown,
    takes_gradients,
    touching,
    uses,
)
from mllint.checks._lifetimes import constructions, keeps_state, lost_state, replacements, used_after
from mllint.checks._windows import at_turn, counted, window
from mllint.checks.optimizer._adaptive import sizeless
from mllint.checks.optimizer._averaged import averaged, called_mean
from mllint.checks.optimizer._conditions import cleared_under_same_test, mean_of_terms, unscaled_where_clipped
from mllint.checks.optimizer._engines import accelerated, shares_accelerator
from mllint.checks.optimizer._idle import idle
from mllint.checks.optimizer._scaling import (
    disabled,
    early_update,
    is_scaled,
    plain_step,
    scaler_of,
    unscaled_beside,
    unscaled_loss,
    unscaled_once,
    without_update,
)
from mllint.checks.optimizer._stepping import (
    alone_in,
    called_from,
    calls_of_step,
    cleared,
    in_pieces,
    left_alone,
    may_be,
    only_cleared,
    perhaps_later,
    serves_another,
    stepped_elsewhere,
    steps_something,
    unstepped,
)
from mllint.checks.optimizer._uncleared import (
    beside_cleared,
    by_the_book,
    cleared_with_loss,
    clears_of,
    gives_up,
    hides_backward,
    hooked,
    kept_apart,
    never_cleared,
    nobody_clears,
)
from mllint.checks.optimizer._wasted import applied_nowhere, rehearsed
from mllint.pattern import Pattern
from mllint.rule import Finding, Note, check
from mllint.semantics import (
    AccumulatesGrad,
    AppliesGrad,
    Call,
    ClearsGrad,
    ClipsGrad,
    Creates,
    Event,
    Flow,
    OwnsLoop,
    SetsGrad,
    Site,
    Ticks,
    UnscalesGrad,
    UpdatesScale,
)
from mllint.semantics.calls import constructor_argument
from mllint.semantics.lineage import origins
from mllint.semantics.module import Function, last_name, walk
from mllint.semantics.seeding import is_test_code
from mllint.semantics.values import inherits


# -------------------------------------------------------------------------------------------------------------- rules
@check("missing-zero-grad")
def missing_zero_grad(flow: Flow) -> Iterator[Finding]:
    """Gradients are applied, then accumulated again, and never cleared in between."""
    reported: set[Site] = set()
    for step in sorted(flow.events(AppliesGrad), key=lambda s: s.option == "named"):  # the known ones first
        backward = used_again(flow, step) if not in_step(flow, step) else None
        if backward is None or backward.site in reported or cleared_with_loss(flow, step, backward) or hooked(flow):
            continue
        reported.add(backward.site)
        outside = rarely_cleared(flow, step, backward)
        applied = Note(step, "gradients applied here")
        certain = step.option != "named" or by_the_book(step, backward) or nobody_clears(step, backward)
        certain = certain and not is_test_code(step.site.module)
        if outside is not None:
            message = f"`{shown(outside)}` runs once per epoch, but `{shown(step)}` runs for every batch"
            if step.loops[-1].role != "batch" or not outside.loops:
                message = f"`{shown(outside)}` runs before the loop in which `{shown(step)}` is repeated"
            adds = Note(backward, "adds to the gradients of the previous step")
            yield Finding(outside, message, "clears too rarely", [adds, applied], certain=certain)
        else:
            message = f"gradients of the previous step are still in `.grad` when `{shown(backward)}` adds to them"
            yield Finding(backward, message, "adds to used gradients", [applied], certain=certain)
    for step, backward in (*never_cleared(flow), *beside_cleared(flow)):
        message = f"nothing clears the gradients that `{shown(step)}` has applied before this is called again"
        yield Finding(backward, message, "adds to used gradients", [Note(step, "gradients applied here")])


def used_again(flow: Flow, step: Event) -> Event | None:
    """A backward that adds to gradients which the step has applied, and which a step applies again."""
    cleared = touching(step)
    left = [b for b in flow.events(AccumulatesGrad) if uses(flow, b, step)]
    for own in left:  # rather the one that the step belongs to than that of another network before it
        if flow.path(own, to=step, avoiding=(*cleared, AppliesGrad), back=False):
            way = flow.path(step, to=own, avoiding=cleared)
            if way is not None and not another(way, step, flow):
                return own
    while left:
        again = flow.path(step, to=lambda event: event in left, avoiding=cleared)
        if again is None:
            return None
        if not another(again, step, flow) and flow.path(again.end, to=step, avoiding=cleared):
            return again.end
        left.remove(again.end)
    return None


def in_step(flow: Flow, step: Event) -> bool:
    """Are step and clear both counted by a modulo test, so that only arithmetic could tell whether they meet?"""
    clears = [clear for clear in flow.events(ClearsGrad) if clear.concerns(step)]
    steps = [step]
    if getattr(step.call, "args", ()):  # handed a closure, beside a step without one: which of them depends on its kind
        steps += [s for s in flow.events(AppliesGrad) if s.concerns(step) and not getattr(s.call, "args", True)]
    met = any(any(map(waits, steps)) and any(map(waits, clears)) for waits in (counted, at_turn))
    return met or cleared_under_same_test(flow, step)


def rarely_cleared(flow: Flow, step: Event, backward: Event) -> Event | None:
    """A clear of the same optimizer around the loop of the step and the backward: in an outer loop, or above it."""
    for clear in flow.events(ClearsGrad):
        depth = len(clear.loops)
        meant = clear.concerns(step) or (clear.concerns(step) is None and alone(flow))
        if clear.loops == step.loops[:depth] and meant and (depth or clear.function is step.function):
            if step.loops[depth:] and step.loops[depth] in backward.loops:
                return clear
    return None


@check("gradients-discarded")
def gradients_discarded(flow: Flow) -> Iterator[Finding]:
    """The gradients of a backward are cleared before the step can use them."""
    for clear in flow.events(ClearsGrad):
        steps = [s for s in flow.events(AppliesGrad) if clear.concerns(s) and not part_of(clear, s)]
        for backward in flow.events(AccumulatesGrad):
            if not steps or backward.site == clear.site:
                continue
            if not flow.path(backward, to=clear, avoiding=(AppliesGrad, clears_any(steps)), back=False):
                continue
            step = next((s for s in steps if wasted(flow, backward, clear, s)), None)
            if step is not None and not rehearsed(flow, backward, clear, step):
                yield Finding(
                    clear,
                    f"`{shown(clear)}` clears the gradients of `{shown(backward)}` before `{shown(step)}` applies them",
                    "cleared here",
                    [Note(backward, "gradients computed here"), Note(step, "nothing left to apply")],
                    certain=step.option != "named",
                )
                break


def clears_any(steps: list[Event]) -> Callable[[Event], bool]:
    """Whether an event clears the gradients, or may, that one of some steps applies."""
    return lambda e: e.kind == "clears_grad" and any(e.concerns(s) is not False for s in steps)


def wasted(flow: Flow, backward: Event, clear: Event, step: Event) -> bool:
    """Does the step always follow the clear, and is there nothing else that could fill the gradients?"""
    if not uses(flow, backward, step) and not (backward.concerns(step) is None and starved(flow, step)):
        return False
    filled = (AccumulatesGrad, SetsGrad, AccumulatesGrad.concerning(step))  # or unknown calls with its parameters
    if hides_backward(clear) or handles_gradients(clear):
        return False
    if flow.path(clear, to=step, avoiding=filled, back=False) is None:
        return False
    return flow.path(backward, to=step, avoiding=same_call(clear), back=False) is None


def starved(flow: Flow, step: Event) -> bool:
    """Are the gradients of a step cleared on every way from what may fill them, in every round?"""
    clears = clears_of(step)
    theirs = [c for c in flow.events(ClearsGrad) if c.concerns(step) is None and clears_for_another(flow, c, step)]

    def cleared(event: Event) -> bool:
        return clears(event) and event not in theirs

    return not any(flow.path(f, to=step, avoiding=cleared) for f in fillers(flow, step))


def clears_for_another(flow: Flow, clear: Event, step: Event) -> bool:
    """Does it clear what certainly another call steps, of which nobody knows whether it is the optimizer of a step?"""
    return any(s.concerns(clear) is True and s.concerns(step) is not True for s in flow.events(AppliesGrad))


@check("step-before-backward")
def step_before_backward(flow: Flow) -> Iterator[Finding]:
    """A step runs on gradients that no backward has filled since they were cleared."""
    for step in flow.events(AppliesGrad):
        if (closures(step) and scaler_of(step) is None) or in_pieces(step) or not starved(flow, step):
            continue
        if cut_off(flow, step) is not None or replaced(flow, step):
            continue  # a backward runs, and does not reach this optimizer: another rule says why
        clear = next((c for c in flow.events(ClearsGrad) if clears_for(flow, c, step) and flow.path(c, to=step)), None)
        inside = [e for e in flow.events() if e.loops[: len(step.loops)] == step.loops]
        around = [b for b in inside if b.kind == "accumulates_grad" and uses(flow, b, step)]
        around = around or [b for b in inside if b.kind == "accumulates_grad" and perhaps_later(flow, b, step, inside)]
        before = [b for b in around if flow.path(b, to=step, back=False)]
        if clear is None or len(before) == len(around) > 0 or not all(serves_another(flow, b, step) for b in before):
            continue
        around = [b for b in around if b not in before]
        later = next(iter(around), None)
        if later is not None and not step.loops and flow.path(later, to=AppliesGrad.concerning(step)):
            continue
        if later is None and moves_rows(step):
            continue
        if later is not None:
            what = f"`{shown(step)}` runs before `{shown(later)}`"
            labels = [Note(clear, "gradients cleared here"), Note(later, "computed here, never applied")]
        elif (
            (step.loops and computes_loss(step, inside)) or (alone_in(step) and forgets_backward(clear, step))
        ) and not (hides_backward(step) or hides_backward(clear) or handles_gradients(step)):
            what = f"no `backward()` runs before `{shown(step)}`"
            if any(flow.path(b, to=step, back=False) for b in flow.events(AccumulatesGrad)):  # for another one
                what = f"no `backward()` between `{shown(clear)}` and `{shown(step)}` fills its gradients"
            labels = [Note(clear, "gradients cleared here")]
        else:
            continue
        labels += called_from(step)
        yield Finding(step, f"{what}: it applies gradients that were just cleared", "nothing to apply", labels)


def moves_rows(step: Event) -> bool:
    """Is its optimizer given tensors that were made to require grad in place, `z.requires_grad_()`? What is computed of
    such is not followed back to them."""
    params = constructor_argument(step.subject, "params") if step.subject.kind == "instance" else None
    plain = params is not None and params.kind == "sequence" and all(p.kind == "tensor" for p in params.parts)
    return plain and "requires_grad_" in step.function.called_names


def clears_for(flow: Flow, clear: Event, step: Event) -> bool:
    """Is a clear for a step: of what it moves, or of the model itself beside the step of the only optimizer?"""
    concerned = clear.concerns(step)
    beside = clear.frame is step.frame and clear.conditions == step.conditions and clear.loops == step.loops
    return concerned or (concerned is None and beside and alone(flow))


def replaced(flow: Flow, step: Event) -> bool:
    """Is the model of a step built again after its optimizer?"""
    made = (found for found in constructions(flow).values() if step in found[1])
    return any(used_after(flow, built, steps, b) for built, steps in made for _, b in replacements(built))


def fillers(flow: Flow, step: Event) -> Iterator[Event]:
    """What may fill the gradients of a step: backwards, assignments to `.grad`, unknown calls with the parameters."""
    for event in flow.events():
        if event.kind in ("accumulates_grad", "sets_grad", "owns_loop") and not reworks(event.site.node):
            if event.concerns(step) is not False or not any(event.concerns(s) for s in flow.events(AppliesGrad)):
                yield event  # gradients that no optimizer is known to want may be for this one after all
        elif event.kind == "applies_grad":
            if event is not step and given_losses(event):
                yield event
        elif (
            event.kind == "unknown"
            and event.loops[: len(step.loops)] == step.loops
            and not gives_loss(event)
            and (event.holds(step) or event.option == "backward")
            and not feeds_loss(event)
        ):
            yield event


def feeds_loss(event: Event) -> bool:
    """Is it an unknown method, by no name of an update, whose result goes into what is called a loss: `pred =
    model.predict_on(x)` above `criterion(pred, y)`?"""
    if not only_computes(event):
        return False
    calls = [Call(node, event.frame) for node in event.function.calls]
    return compared(Call(event.call, event.frame), calls)


# ----------------------------------------------------------------------------------------------------------- no step
@check("backward-without-step")
def backward_without_step(flow: Flow) -> Iterator[Finding]:
    """An optimizer clears gradients that a backward fills again, and nothing ever steps it."""
    steps = [*flow.events(AppliesGrad), *flow.events(OwnsLoop)]
    said = set[str]()
    for wasted, again, name in applied_nowhere(flow):
        message = f"gradients are computed for `{name}`, but its `step()` is never called"
        yield Finding(wasted, message, "never applied", [Note(again, "cleared in each round, and nowhere applied")])
    for clear in flow.events(ClearsGrad):
        optimizer = cleared(flow, clear)
        if in_optimizer(clear) or not (clear.loops or updates(clear, flow) or handed_over(clear)):
            continue
        if any(owner.concerns(clear) is not False for owner in flow.events(OwnsLoop)):
            continue  # an engine was built around it
        if optimizer is None:
            yield from unstepped(flow, clear)
            continue
        if any(s.subject.same_as(optimizer) is not False for s in steps) or stepped_elsewhere(flow, clear):
            continue
        steppers = (Call(*c) for c in calls_of_step(flow, "")) if optimizer is not clear.subject else ()
        if any(steps_something(c) and may_be(c, "", clear, optimizer) for c in steppers):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if unapplied(flow, b, clear, steps)), None)
        if backward is not None and not names_step(backward):
            name = shown(clear).partition(".zero_grad")[0]
            said.add(name)
            message = f"gradients are computed for `{name}`, but its `step()` is never called"
            yield Finding(backward, message, "never applied", [Note(clear, "cleared here, and nowhere applied")])
    for wasted, site, name, why in never_stepped(flow, said, steps):
        message = f"gradients are computed for `{name}`, but its `step()` is never called"
        yield Finding(wasted, message, "never applied", [Note(site, f"built here, {why}")])


def never_stepped(flow: Flow, said: set[str], steps: list[Event]) -> Iterator[tuple[Event, Site, str, str]]:
    """A backward, where an optimizer for it was built, its name, and what was asked of it instead of steps."""
    for made, name in only_cleared(flow):
        if name in said or any(flow.events(OwnsLoop)) or takes_gradients(made.function):
            continue
        backward = next((b for b in flow.events(AccumulatesGrad) if b.loops and b.function is made.function), None)
        if backward is not None:
            yield backward, made.site, name, "only ever cleared"
    for made, name in left_alone(flow):
        backward = next((b for b in flow.events(AccumulatesGrad) if b.loops and b.concerns(made) is True), None)
        if backward is not None and not any(s.concerns(made) is not False for s in steps):
            yield backward, made.site, name, "and never used"
    if not steps:
        for wasted, site, name in idle(flow):
            yield wasted, site, f"self.{name}", "and never used"


def updates(clear: Event, flow: Flow) -> bool:
    """Is it the method of an agent or a trainer that computes a loss, and that somebody calls again and again?"""
    losses = (b for b in flow.events(AccumulatesGrad) if b.function is clear.function and not b.loops)
    named = _TRAINS.search(clear.function.name) and not any(_TELLS.search(n) for n in clear.function.called_names)
    steps = named or "step" in flow.root.module.calls_by_name
    return clear.function.owner is not None and steps and any(True for _ in losses)


_TRAINS = Pattern("^_?(train|learn|update|optimi[sz]e|fit)")
_TELLS = Pattern("step|callback|hook|^on_|^_?after_|^_?before_|^_?apply|optimi|^_?update")


def handed_over(clear: Event) -> bool:
    """Is it a function that the one around it, or the script, hands on, as the step of an engine: `cls(step=step)`?"""
    function, home = clear.function, clear.function.parent
    if not isinstance(home, Function) or function.owner is not None:
        return False
    others = [c for c in home.calls if last_name(c.func) != "step" and not _SCHEDULES.search(last_name(c.func))]
    given = [a for c in others for a in (*c.args, *(k.value for k in c.keywords))]
    optimizer = shown(clear).partition(".")[0]
    if home.is_body and any(isinstance(n, ast.Name) and n.id == optimizer for a in given for n in walk(a)):
        return False  # whoever gets it may step
    return any(isinstance(a, ast.Name) and a.id == function.name for a in given)


_SCHEDULES = Pattern("lr$|schedul")


def in_optimizer(event: Event) -> bool:
    """Is it written in a method of an optimizer of the project's own, whose step may be in pieces?"""
    owner = event.function.owner
    return owner is not None and inherits(owner, "torch.optim.Optimizer")


def unapplied(flow: Flow, backward: Event, clear: Event, steps: list[Event]) -> bool:
    """Is the backward for the optimizer that is cleared, and applied by no other?"""
    others = [c for c in flow.events(ClearsGrad) if not c.subject.same_as(clear.subject)]
    if (clear.loops and clear.loops[-1] not in backward.loops) or backward.concerns(clear) is False:
        return False
    between = (*others, AppliesGrad)
    if others and backward.concerns(clear) is None and not flow.path(clear, to=backward, avoiding=between):
        return False  # it may be for another, which was cleared in between
    scaled = any(e.loops == backward.loops for e in flow.events(UpdatesScale))
    if not scaled and takes_gradients(backward.function):
        return False  # whoever reads gradients wants them for something else
    mine = backward.concerns(clear) is True
    applied = [s for s in steps if s.concerns(backward) is not False and not (mine and is_another(s, clear))]
    if any(flow.path(backward, to=s, back=False, avoiding=(clear, ClearsGrad.concerning(s))) for s in applied):
        return False
    below = not clear.loops and flow.path(backward, to=clear, back=False) is not None
    return below or flow.path(clear, to=backward) is not None


def names_step(backward: Event) -> bool:
    """Does `optimizer.step` stand beside a backward, without its parentheses? Another rule says so."""
    return any(isinstance(e, ast.Attribute) and e.attr == "step" for e in backward.function.expressions)


def is_another(step: Event, clear: Event) -> bool:
    """Is it the step of an optimizer, and no engine, that is known to hold other parameters than those cleared?"""
    return step.subject.instance_of("torch.optim.Optimizer") and step.concerns(clear) is False


# -------------------------------------------------------------------------------------------------------- GradScaler
@check("clip-before-unscale")
def clip_before_unscale(flow: Flow) -> Iterator[Finding]:
    """Gradients are clipped while they still carry the scale of the gradient scaler."""
    for clip in flow.events(ClipsGrad):
        if any("scale" in argument.text for argument in Call(clip.call, clip.frame).arguments[1:]) or endless(clip):
            continue
        if unscaled_where_clipped(flow, clip):
            continue
        spoiled = (UnscalesGrad.concerning(clip), AppliesGrad, ClearsGrad.concerning(clip))
        for backward in flow.events(AccumulatesGrad):
            if not is_scaled(backward) or backward.concerns(clip) is False:
                continue
            if not backward.subject.is_("Scaled") and any(True for _ in flow.events(UnscalesGrad)):
                continue  # what stands in for a scaler has nothing to undo
            if not flow.path(backward, to=clip, avoiding=spoiled, back=False) or unscaled_once(flow, clip):
                continue
            steps = [s for s in flow.events(AppliesGrad) if s.concerns(clip) is not False and scaler_of(s) is not None]
            step = next((s for s in steps if flow.path(clip, to=s, avoiding=AccumulatesGrad)), None)
            if step is not None and not disabled(scaler_of(step)):
                yield Finding(
                    clip,
                    f"`{shown(clip)}` clips gradients that are still multiplied by the loss scale",
                    "clips scaled gradients",
                    [Note(backward, "scaled here"), Note(step, "unscaled only here")],
                )
                break


@check("grad-scaler-protocol")
def grad_scaler_protocol(flow: Flow) -> Iterator[Finding]:
    """The scaler's calls are incomplete, or in the wrong order."""
    scaled = [b for b in flow.events(AccumulatesGrad) if is_scaled(b)]
    for step in flow.events(AppliesGrad):
        scaler = scaler_of(step)
        if disabled(scaler):
            continue
        if scaler is None:
            yield from plain_step(flow, step, scaled)
        elif scaled:
            yield from without_update(flow, step)
            yield from unscaled_beside(flow, step, scaled)
        else:
            yield from unscaled_loss(flow, step)
    for update in flow.events(UpdatesScale):
        yield from early_update(flow, update, scaled)
    for unscale in flow.events(UnscalesGrad):
        spoiled = (UpdatesScale, AppliesGrad, AccumulatesGrad)
        again = flow.path(
            unscale,
            to=lambda e, u=unscale: e.kind == "unscales_grad" and e.concerns(u) is True,
            avoiding=spoiled,
            back=False,
        )
        if again is not None and again.end.site != unscale.site:
            message = f"`{shown(again.end)}` divides gradients by the scale that were divided already"
            yield Finding(again.end, message, "unscaled twice", [Note(unscale, "unscaled here")])


# ------------------------------------------------------------------------------------------------------- accumulation
@check("unnormalized-accumulation")
def unnormalized_accumulation(flow: Flow) -> Iterator[Finding]:
    """Losses of several micro-batches are summed without being divided, or are divided twice."""
    for backward in flow.events(AccumulatesGrad):
        if shares_accelerator(backward):
            divided = backward.subject.because("Divided") if backward.subject.is_("Divided") else None
            if divided is not None and not mean_of_terms(divided):
                message = f"`{shown(backward)}` divides by the accumulation steps already"
                yield Finding(backward, message, "divided twice", [Note(divided, "divided by hand here")])
            continue
        loss = backward.subject
        if any(loss.has(word) for word in ("Divided", "SumLoss")):
            continue
        if (not loss.is_("Loss") or loss.is_unknown) and not (averaged(backward) or called_mean(backward)):
            continue
        for step in flow.events(AppliesGrad):
            test = window(step, backward) if uses(flow, backward, step) else None
            if test is None or not accumulates(flow, backward, step) or rescaled(flow, backward, step, test):
                continue
            label = Note(step, "applied every k-th time only")
            yield Finding(
                backward,
                f"`{shown(backward)}` is repeated before each step, and the loss is not divided by their number",
                "adds a whole mean loss each time",
                [label],
                certain=not sizeless(flow, step),
            )
            break


def accumulates(flow: Flow, backward: Event, step: Event) -> bool:
    """Is there a way from the backward to itself that neither steps nor clears, and one to the step?"""
    others = touching(step)
    if flow.path(backward, to=backward, avoiding=(step, *others)) is None:
        return False
    return flow.path(backward, to=step, avoiding=others) is not None


def rescaled(flow: Flow, backward: Event, step: Event, test: Any) -> bool:
    """Is the gradient, or the learning rate, divided instead: a store to `.grad`, an unknown call, `lr=base / k`?

    A number that the test does not have is another one: `lr * batch_size / 256`.
    """
    if flow.path(backward, to=step, avoiding=(SetsGrad, lambda e: e.kind == "unknown" and e.holds(step))) is None:
        return True
    if backward.call is None or backward.call.keywords or (backward.call.args and not accelerated(backward)):
        return True
    built = [Call(a.node, a.frame) for v in step.subject.alternatives if (a := v.arguments) is not None and a.node]
    rates = [rate for call in built if (rate := call.argument("lr")) is not None]
    numbers = [n.value for n in walk(test) if isinstance(n, ast.Constant)]
    found = [o.node for rate in rates for o in origins(rate.node, rate.frame)]
    divisors = [n.right for n in found if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
    return any(not isinstance(n, ast.Constant) or n.value in numbers or not numbers for n in divisors)


@check("accumulation-reset")
def accumulation_reset(flow: Flow) -> Iterator[Finding]:
    """Gradients are cleared at every micro-batch while the optimizer steps every k-th time."""
    for step in flow.events(AppliesGrad):
        for clear in flow.events(ClearsGrad):
            meant = clear.concerns(step) or (clear.concerns(step) is None and alone(flow) and clears_all(flow, clear))
            if not meant or counted(clear) or gives_up(clear) or kept_apart(clear, step):
                continue
            if window(step, clear) is None:
                backward, when = lost_in_loop(flow, step, clear), "after the loop"
            else:
                found = (b for b in flow.events(AccumulatesGrad) if uses(flow, b, step) and window(step, b) is not None)
                lost = (b for b in found if flow.path(b, to=clear, avoiding=(AppliesGrad, SetsGrad)))
                backward, when = next(lost, None), "every k-th time"
            around = (step.loops or clear.loops)[-1:]
            if backward is not None and not any(set(around) & set(e.loops) for e in flow.events(SetsGrad)):
                yield Finding(
                    clear,
                    f"`{shown(clear)}` runs at every micro-batch, but `{shown(step)}` only {when}",
                    "throws away what was accumulated",
                    [Note(backward, "accumulated here"), Note(step, f"applied {when} only")],
                )
                break


def lost_in_loop(flow: Flow, step: Event, clear: Event) -> Event | None:
    """A backward that a loop repeats after a clear, where the step stands below the loop and uses nothing else."""
    run = clear.loops[-1] if clear.loops and clear.loops[:-1] == step.loops else None
    if run is None or not isinstance(run.node, ast.For) or clear.conditions[run.decided :]:
        return None
    fill = [f for f in fillers(flow, step) if flow.path(f, to=step, avoiding=ClearsGrad.concerning(step))]
    inside = [b for b in fill if b.kind == "accumulates_grad" and run in b.loops and uses(flow, b, step)]
    if fill != inside or any(run in e.loops for e in flow.events(AppliesGrad)):
        return None
    again = (b for b in inside if flow.path(b, to=clear, avoiding=AppliesGrad, within=run))
    return next(again, None)


# ---------------------------------------------------------------------------------------------------------- lifetimes
@check("optimizer-recreated")
def optimizer_recreated(flow: Flow) -> Iterator[Finding]:
    """An optimizer or a scheduler is built again and again for a model that lives on."""
    for made in flow.events(Creates):
        if made.subject.instance_of("torch.optim.Optimizer"):
            what, uses, lost = "optimizer", flow.events(AppliesGrad), keeps_state(made.subject)
        elif made.subject.instance_of("torch.optim.lr_scheduler.LRScheduler"):
            what, uses, lost = "schedule", flow.events(Ticks), True
        else:
            continue
        used = [u for u in uses if u.subject.same_as(made.subject) or made.subject.identities & u.subject.identities]
        run = lost_state(flow, made, used) if lost else None
        if run is not None:
            message = f"`{shown(made)}` is built again in every turn of the loop: the {what} forgets its state"
            yield Finding(made, message, "built in the loop", [Note(run, "in every turn of this loop")])
