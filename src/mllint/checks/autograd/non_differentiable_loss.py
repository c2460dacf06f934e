"""Does an operation without a gradient stand between the model and `backward()`?"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import AccumulatesGrad, Flow, GraphBreak, HandsLoss, break_kinds, graphs

__all__: list[str] = []

_Kind = break_kinds.BreakKind
_PASS = "leave `{0}` out of the loss, or pass the gradient straight through: `x + (x.{0}() - x).detach()`"
_LEAVE_OUT = "leave `{0}` out of the loss, and apply it only in evaluation"
_WEIGHT = (
    "use probabilities or rates in the loss; to learn through samples, use `F.gumbel_softmax` (for classes), "
    "or weight their `log_prob` by the loss"
)
_HELP = {
    _Kind.STEPS: _PASS,
    _Kind.INTEGERS: _LEAVE_OUT,
    _Kind.UNDERIVED: _LEAVE_OUT,
    _Kind.DRAW: _WEIGHT,
    _Kind.CHOICE: _WEIGHT,
    _Kind.SAMPLE: (
        "draw with `rsample()` if the distribution has it; "
        "otherwise weight the `log_prob` of each sample by its detached loss"
    ),
    _Kind.COUNT: "replace `{0}` with a differentiable count, such as a sum of soft bins",
    _Kind.TOKENS: "compute the loss from the logits of a forward pass, and use `{0}` only in evaluation",
}
_ZERO = {
    _Kind.STEPS: "the result changes in steps, with a gradient of zero between them: {}",
    _Kind.DRAW: "the gradient of a sample is defined as zero, and nothing raises: {}",
}
_HERE = {True: "the gradient becomes zero here", False: "no gradient flows through here"}
_NEVER = "parameters used before it never train"
_OTHERS = "only the other terms of the sum train"
_UNDERIVED = "PyTorch implements no gradient for this operation: `backward()` raises"


@check("non-differentiable-loss")
def non_differentiable_loss(flow: Flow) -> Iterator[Finding]:
    """Between the model and `backward()` stands an operation that no gradient flows through."""
    for backward in flow.events(AccumulatesGrad, HandsLoss):
        cut = graphs.loss_break(backward, flow)
        if cut is not None and cut.how not in graphs.HANDED and cut.how != "no_grad":
            kind, operation = break_kinds.break_kind(cut), _operation(cut)
            yield Finding(
                graphs.origin(backward),
                f"{_lacks_gradient(operation, kind)}, so this loss trains nothing",
                primary="its gradient is always zero" if kind.is_zero else "computed without a gradient",
                labels=[
                    Note(cut.site, _HERE[kind.is_zero]),
                    Note(backward, "`backward()` starts here"),
                ],
                help=_HELP.get(kind, "").format(operation),
                why=_why(cut, _NEVER, "`backward()` raises if nothing else in the loss requires one"),
            )
        partly = graphs.lost_term(backward, flow, "PartlyHard") if cut is None else None
        if partly is not None:
            cut = break_kinds.break_at(partly)
            kind = break_kinds.break_kind(cut)
            yield Finding(
                partly,
                f"{_lacks_gradient(partly.text, kind)}: this term of the loss trains nothing",
                primary=_HERE[kind.is_zero],
                labels=[Note(backward, "`backward()` starts from the sum")],
                help=_HELP.get(kind, "").format(_operation(cut)),
                why=_why(cut, _OTHERS, _OTHERS),
            )


def _lacks_gradient(operation: str, kind: break_kinds.BreakKind) -> str:
    """That an operation has no gradient, in the words of its kind."""
    if kind is _Kind.INDICES:
        return f"the indices that `{operation}` returns have no gradient"
    return f"`{operation}` has {'a gradient of zero everywhere' if kind.is_zero else 'no gradient'}"


def _why(cut: GraphBreak, of_zero: str, of_none: str) -> str:
    """What a graph break does, and what follows from a gradient of zero, or from none."""
    kind = break_kinds.break_kind(cut)
    if kind.is_zero:
        return _ZERO[kind].format(of_zero)
    if kind is _Kind.UNDERIVED:
        return _UNDERIVED
    what = "a comparison" if cut.how == "compare" else f"`{_operation(cut)}`"
    return f"no gradient flows through {'the indices of ' if kind is _Kind.INDICES else ''}{what}: {of_none}"


def _operation(cut: GraphBreak) -> str:
    """The operation of a cut in the user's words."""
    written = cut.how in ("compare", "bool") or not isinstance(cut.site.node, ast.Call)
    return cut.site.text if written else cut.how.strip("_")
