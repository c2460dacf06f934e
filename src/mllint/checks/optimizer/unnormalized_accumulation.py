"""Is the loss of each micro-batch divided by their number, once?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    AccumulatesGrad,
    AppliesGrad,
    Call,
    Event,
    Flow,
    Node,
    Role,
    SetsGrad,
    Site,
    accumulation,
    constructor_argument,
    evaluate,
    gradients,
    origins,
    place,
    roles,
    shown,
    text,
    walk,
)

__all__: list[str] = []

_TWICE = "the gradients are 1/k of their mean: SGD takes steps k times too small, and clipping sets in later"


@check("unnormalized-accumulation")
def unnormalized_accumulation(flow: Flow) -> Iterator[Finding]:
    """Losses of several micro-batches are summed without being divided, or are divided twice."""
    for backward in flow.events(AccumulatesGrad):
        if accumulation.divides_loss_itself(backward):
            divided = backward.subject.because("Divided") if backward.subject.is_("Divided") else None
            if divided is not None and _divides_by_count(divided, backward):
                name = text(backward.site.module, backward.call.func)
                message = f"`{name}` divides by the accumulation steps itself, but the loss is divided by hand as well"
                notes = [Note(divided, "divided by hand here")]
                matters = tuple(
                    accumulation.multiplies_the_step(flow, step)
                    for step in flow.events(AppliesGrad)
                    if gradients.is_for(flow, backward, step)
                )
                help = "remove the division by hand"
                yield Finding(backward, message, "divided twice", notes, help=help, why=_TWICE, evidence=matters)
            continue
        loss = backward.subject
        if any(loss.has(word) for word in ("Divided", "SumLoss")):
            continue
        if (not loss.is_("Loss") or loss.is_unknown) and not accumulation.is_mean(backward):
            continue
        for step, test in accumulation.steps_waiting_for(flow, backward):
            if (
                not gradients.is_for(flow, backward, step)
                or not accumulation.accumulates_into_step(flow, backward, step)
                or _rescaled(flow, backward, step, test)
            ):
                continue
            label = Note(step, "applied every k-th time only")
            yield Finding(
                backward,
                f"`{shown(backward)}` accumulates several micro-batches, but the loss is not divided by their number",
                "adds a whole mean loss each time",
                [label],
                evidence=(accumulation.multiplies_the_step(flow, step),),
                about=(test,),
            )
            break


def _divides_by_count(divided: Site, backward: Event) -> bool:
    """Is a loss divided by the number of micro-batches of the accelerator, and not by a count of tokens?"""
    match divided.node:
        case ast.BinOp(op=ast.Div(), right=divisor):
            pass
        case _:
            return False
    engine = accumulation.runs_backward(backward)
    given = constructor_argument(engine, "gradient_accumulation_steps") if engine is not None else None
    number = evaluate(divisor, backward.frame)
    same = given is not None and (
        number.same_as(given) or (given.literal is not None and number.literal == given.literal)
    )
    named = roles.has_role_name(place(divisor), Role.ACCUMULATION)
    return (same or named) and not accumulation.is_mean_of_terms(divided)


def _is_given_parameters(step: Event, backward: Event) -> bool:
    """Does something unknown get the parameters between a backward and the step? It may divide the gradients."""
    if step.function is not backward.function:
        return False
    between = (Call(c, step.frame) for c in step.function.calls if backward.site.line < c.lineno < step.site.line)
    unknown = (call for call in between if call.callee.is_unknown)
    return any(argument.value.is_("Parameters") for call in unknown for argument in call.arguments)


def _rescaled(flow: Flow, backward: Event, step: Event, test: Node) -> bool:
    """Is the gradient, or the learning rate, divided instead: a store to `.grad`, an unknown call, `lr=base / k`?

    A number that the test does not have is another one: `lr * batch_size / 256`.
    """
    if flow.path(backward, to=step, avoiding=(SetsGrad, lambda e: e.kind == "unknown" and e.holds(step))) is None:
        return True
    if _is_given_parameters(step, backward) or accumulation.is_divided_if_several(flow, backward, step, test):
        return True
    if (
        backward.call is None
        or backward.call.keywords
        or (backward.call.args and not accumulation.runs_backward(backward))
    ):
        return True
    built = [Call(a.node, a.frame) for v in step.subject.alternatives if (a := v.built_with) is not None and a.node]
    rates = [rate for call in built if (rate := call.argument("lr")) is not None]
    numbers = [n.value for n in walk(test) if isinstance(n, ast.Constant)]
    found = [o.node for rate in rates for o in origins(rate.node, rate.frame)]
    divisors = [n.right for n in found if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)]
    return any(not isinstance(n, ast.Constant) or n.value in numbers or not numbers for n in divisors)
