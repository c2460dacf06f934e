"""Are gradients cleared at every micro-batch, and applied every k-th time only?"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Iterator
from mllint.checks._gradients import alone, clears_all, shown, uses
from mllint.checks._windows import counted, window
from mllint.checks.optimizer._protocol import fillers
from mllint.checks.optimizer._uncleared import gives_up, kept_apart
from mllint.rule import Finding, Note, check
from mllint.semantics import AccumulatesGrad, AppliesGrad, ClearsGrad, Event, Flow, SetsGrad

__all__: list[str] = []


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
