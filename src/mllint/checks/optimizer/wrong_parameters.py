"""Does an optimizer hold the parameters that the backward before its step computes gradients for?

Asked of the flow (`mismatches`), and, once for each project, of the lists of parameters that functions fill.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Event,
    Flow,
    Once,
    Project,
    Site,
    mismatches,
    parameter_lists,
    targets_of,
    tensor_methods,
    text,
)

__all__: list[str] = []

_ADD = "pass them to the optimizer as well, in a parameter group of their own if they need other settings"
_UNHELD = "parameters that no optimizer holds get gradients but never change"
_ONCE = Once()


@check("wrong-parameters")
def wrong_parameters(flow: Flow) -> Iterator[Finding]:
    """The optimizer holds the parameters of another model than the one that is trained."""
    if _ONCE.is_of(flow.root, flow.frame.project):
        yield from _in_lists(flow.frame.project)
    for found in mismatches.find_mismatches(flow):
        held, trained, loss = found.held, found.trained, found.backward.site
        primary, help, why = "another model", "", ""
        match found.wrong:
            case mismatches.Wrong.HOLDS_ANOTHER | mismatches.Wrong.HELD_TWICE:
                message = f"the optimizer holds the parameters of `{held}`, and no optimizer holds those of `{trained}`"
            case mismatches.Wrong.OTHER_NEVER_STEPS:
                message = (
                    f"the optimizer holds the parameters of `{held}`, and the optimizer of `{trained}` never steps"
                )
                help = _step(found.idle, trained)
            case mismatches.Wrong.NOT_REACHED:
                shown = text(loss.module, loss.node, 50)
                message = f"a second optimizer holds the parameters of `{held}`, but `{shown}` does not reach them"
            case mismatches.Wrong.LEAVES_OUT_PART:
                message = f"the optimizer holds only a part of `{held}`: nothing trains `{trained}`"
                primary, help, why = "a part is left out", _ADD, _UNHELD
            case mismatches.Wrong.LEAVES_OUT_MODEL:
                message = f"no optimizer holds the parameters of `{trained}`, which the loss is computed with"
                primary, help, why = f"leaves out `{trained}`", _ADD, _UNHELD
        yield Finding(found.made, message, primary, _notes(found), help=help, why=why)


def _notes(found: mismatches.Mismatch) -> list[Note]:
    """The other optimizer, and the backward."""
    twin, idle, backward = found.twin, found.idle, found.backward
    if twin is not None and found.wrong is mismatches.Wrong.NOT_REACHED:
        return [Note(twin, "held here already"), Note(backward, "reaches other parameters")]
    if twin is not None:
        return [Note(twin, f"`{found.held}` is held here already")]
    computes = Note(backward, f"computes gradients for `{found.trained}`")
    return [computes, Note(idle, "never steps")] if idle is not None else [computes]


def _step(idle: Event | None, trained: str) -> str:
    """The help where the right optimizer is built and never stepped."""
    targets = targets_of(idle.call, idle.function) if idle is not None and isinstance(idle.call, ast.Call) else []
    held_by = f"`{targets[0]}`, which" if len(targets) == 1 else "the optimizer that"
    return f"call `zero_grad()` and `step()` on {held_by} holds the parameters of `{trained}`"


def _in_lists(project: Project) -> Iterator[Finding]:
    """What the lists of parameters say that functions fill: asked once, whatever flows there are."""
    for module in (m for m in project.modules if not tensor_methods.LISTS_PARAMETERS.isdisjoint(m.calls_by_name)):
        for function in (f for f in module.functions if not isinstance(f.node, ast.Lambda)):
            for node, name, read in parameter_lists.find_unread_lists(function):
                message = f"the parameters in `{name}` are passed to no optimizer: only those in `{read}` are trained"
                yield Finding(Site(module, node), message, "collected, never used", help=_ADD, why=_UNHELD)
            for node, names in parameter_lists.find_groups_without_rest(function):
                message = f"the parameters that `{names}` names are in no parameter group: nothing trains them"
                yield Finding(Site(module, node), message, "without these parameters", help=_ADD, why=_UNHELD)
