"""Does the size of a gradient reach the weights?

Adam and its kin divide the gradient by its own size: k times the gradient makes the same step. What is said of a loss
that is not divided holds for them only where the size counts on the way: it is clipped, written to by hand, or added
to a penalty on the weights.
"""

from __future__ import annotations

from mllint.semantics import ClipsGrad, Event, Flow, SetsGrad, Value
from mllint.semantics.calls import constructor_argument
from mllint.semantics.classes import mro
from mllint.semantics.module import Class

__all__ = ["sizeless"]

_DECOUPLED = (
    "torch.optim.AdamW",
    "transformers.optimization.AdamW",
    "apex.optimizers.FusedAdam",
    "apex.optimizers.FusedLAMB",
)
_DIVIDING = tuple(f"torch.optim.{name}" for name in "Adam Adamax NAdam RAdam RMSprop Adagrad Adadelta Rprop".split())


def sizeless(flow: Flow, step: Event) -> bool:
    """Does a step divide each gradient by its own size, where nothing else has depended on that?"""
    sized = (e for e in flow.events(ClipsGrad, SetsGrad) if e.concerns(step) is not False)
    return not any(sized) and all(divides(v) for v in step.subject.alternatives)


def divides(optimizer: Value) -> bool:
    """Is it of the kin of Adam, without a penalty on the weights that is added to the gradient; or may it be, because
    the project has written it?"""
    if optimizer.instance_of(*_DECOUPLED) or _own(optimizer):
        return True
    penalty = constructor_argument(optimizer, "weight_decay")
    return optimizer.instance_of(*_DIVIDING) and (penalty is None or penalty.truth is False)


def _own(optimizer: Value) -> bool:
    """Is it of a class of the project that is told by none of the library's what to do with a gradient?"""
    if optimizer.kind != "instance" or not isinstance(optimizer.of, Class) or optimizer.of.module.is_stub:
        return False
    bases = [c for c in mro(optimizer.of)[1:] if isinstance(c, Class) and c.module.is_stub]
    return [c.name for c in bases if c.name != "object"][:1] == ["Optimizer"]
