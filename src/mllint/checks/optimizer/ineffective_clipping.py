"""Do the gradients that are clipped go into a step, and are they there when the clip runs?

A clip changes what the backward before it has filled. Where no step uses that, because it came before, because the
backward comes after, or because the generator of parameters was used up, the optimizer steps on unclipped gradients.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    AppliesGrad,
    Argument,
    Call,
    ClearsGrad,
    ClipsGrad,
    Constant,
    Creates,
    Event,
    Flow,
    Node,
    OwnsLoop,
    Unknown,
    computing,
    gradients,
    origins,
    place,
    shown,
    stepping,
)

__all__: list[str] = []

_EXHAUSTED = "a generator can be read only once: here it yields no parameters, so nothing is clipped"


@check("ineffective-clipping")
def ineffective_clipping(flow: Flow) -> Iterator[Finding]:
    """Gradients are clipped where no step uses the clipped values."""
    clips = list(flow.events(ClipsGrad))
    sites = {clip.site: [c for c in clips if c.site == clip.site] for clip in clips}
    for site, instances in sites.items():
        consumer = next(iter(_consumers(flow, instances[0])), None)
        if consumer is not None:
            message = f"`{shown(instances[0])}` clips nothing: the optimizer has already exhausted this generator"
            notes = [Note(consumer, "consumed here")]
            given = Call(instances[0].call, instances[0].frame).argument("parameters")
            help = f"make it a list: `{given.text} = list(...)`" if given is not None else ""
            yield Finding(site, message, "an exhausted generator", notes, help=help, why=_EXHAUSTED)
            continue
        found = [_useless(flow, clip) for clip in instances]
        step = found[0]
        if step is None or None in found or gradients.is_endless(instances[0]):
            continue
        when = "after" if flow.path(step, to=instances[0], avoiding=AccumulatesGrad, back=False) else "before"
        filled = (b for b in flow.events(AccumulatesGrad) if gradients.is_for(flow, b, instances[0]))
        if when == "before" and any(flow.path(b, to=instances[0], back=False) for b in filled):
            continue
        other = "the step" if when == "after" else "the `backward()`"
        yield Finding(
            site,
            f"`{shown(instances[0])}` runs {when} {other} whose gradients it is meant to clip",
            "no step uses what is clipped here",
            [Note(step, "steps on unclipped gradients")],
        )


def _useless(flow: Flow, clip: Event) -> Event | None:
    """A step of the same parameters, if no step uses what the clip leaves; else None."""
    steps = [s for s in flow.events(AppliesGrad) if s.concerns(clip) is not False and not _exclusive(s, clip)]
    spoiled = [e for e in flow.events(AccumulatesGrad, ClearsGrad) if gradients.is_for(flow, e, clip)]
    if any(flow.path(clip, to=s, avoiding=spoiled) for s in steps):
        return None
    others = (e for e in flow.events(Unknown, OwnsLoop) if not computing.computes_loss_term(e) and e.holds(clip))
    unclear = [e for e in others if flow.path(clip, to=e, avoiding=spoiled)]
    if not any(flow.events(AccumulatesGrad)):
        return None
    sure = [s for s in steps if gradients.is_for(flow, s, clip)]
    just = (s for s in sure if flow.path(s, to=clip, avoiding=AccumulatesGrad, back=False))
    before = next(just, None)
    if before is not None and before.subject.identities:  # what gets the model alone takes no second step
        unclear = [e for e in unclear if stepping.receives_optimizer(e, before.subject)]
    return None if unclear else before or next(iter(sure), None)


def _consumers(flow: Flow, clip: Event) -> Iterator[Event]:
    """The optimizers that were built from the very generator that is clipped."""
    given = Call(clip.call, clip.frame).argument("parameters")
    if given is None or not isinstance(given.node, (ast.Name, ast.Attribute)) or _lasting(given):
        return
    source = given.value.because("Parameters")
    for made in flow.events(Creates):
        built = (
            Call(made.call, made.frame).argument("params")
            if made.subject.instance_of("torch.optim.Optimizer")
            else None
        )
        if built is not None and source is not None and built.node.__class__ is given.node.__class__:
            if built.value.because("Parameters") == source and flow.path(made, to=clip):
                yield made


def _lasting(argument: Argument) -> bool:
    """Can what is passed be iterated again: does a list, a tuple or a comprehension stand on its way?"""
    for origin in origins(argument.node, argument.frame):
        node = origin.node
        if isinstance(node, (ast.ListComp, ast.List, ast.Tuple, ast.Subscript, ast.BinOp)):
            return True
        if isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Attribute) or getattr(node.func, "id", "") == "filter"
        ):
            return True
    return False


def _exclusive(one: Event, other: Event) -> bool:
    """Do they stand where one place is equal to different constants: `if kind == "ddp"` and `if kind == "single"`?"""
    if one.frame is not other.frame:
        return False
    required = dict(_equal(t) for t, polarity, _ in one.conditions if polarity and _equal(t)[0])
    found = [_equal(t) for t, polarity, _ in other.conditions if polarity]
    return any(at in required and required[at] != value for at, value in found)


def _equal(test: Node) -> tuple[str, Constant]:
    """The place and the constant of `place == constant`, else an empty place."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=value)]):
            return place(left) or "", value
    return "", None
