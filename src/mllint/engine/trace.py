"""What does mllint take a training loop for? The events of a flow as rows, in the order in which they were reached.

    19  for x, y in loader:      each batch
    20      clears gradients     optimizer.zero_grad()
    21      computes gradients   loss.backward()

For `mllint trace`. What is written in a function that is called stands where the call is; rows say where it comes from.
Nothing is judged here, and what no rule looks at is no row.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from mllint.engine.engine import Run
from mllint.engine.run import Survey, engine
from mllint.errors import MllintError, SourceError, UsageError, did_you_mean
from mllint.project.discovery import Discovery, Disk, discover
from mllint.project.overlay import Overlay
from mllint.semantics.api import classes, text
from mllint.semantics.flow.build import build
from mllint.semantics.syntax.module import ClassScope

if TYPE_CHECKING:
    from mllint.config.model import Config
    from mllint.semantics.api import Event, Flow, LoopRun, Site

__all__ = ["Row", "Story", "component", "stories"]

_WHAT = {
    "accumulates_grad": "computes gradients",
    "applies_grad": "updates the weights",
    "clears_grad": "clears gradients",
    "clips_grad": "clips gradients",
    "creates": "builds",
    "fits": "fits",
    "forward": "runs a model",
    "freezes": "freezes",
    "hands_loss": "hands on the loss",
    "loads": "loads",
    "owns_loop": "leaves the loop to a library",
    "pauses_sync": "pauses synchronisation",
    "reads_state": "reads the state",
    "restores_state": "restores the state",
    "saves": "saves",
    "seeds": "seeds",
    "sets_epoch": "tells the epoch",
    "sets_grad": "switches gradients",
    "sets_mode": "sets the mode",
    "splits": "splits the rows",
    "ticks": "steps the schedule",
    "transforms": "transforms",
    "unknown": "may do anything",
    "unscales_grad": "unscales gradients",
    "updates_scale": "updates the scale",
}
"""What an event is called; those that are not here are no rows."""
_SWITCHES = frozenset(("no_grad", "enable_grad", "inference_mode", "set_grad_enabled", "autocast"))
"""What is built only to be entered; rows say themselves whether they are under it."""
_TRACKED = (classes.MODULE, classes.OPTIMIZER, classes.SCHEDULER)
_ROLES = {"batch": "each batch", "epoch": "each epoch", "": "a loop"}


class Row(NamedTuple):
    """One line: the file, the place in it (a 1-based line, in a notebook behind its cell), how deep in loops, what
    happens, its code, remarks, and the kind of the event (empty for a loop)."""

    path: str
    place: str
    depth: int
    what: str
    code: str
    remarks: tuple[str, ...] = ()
    kind: str = ""


class Story(NamedTuple):
    """What is followed from one function on: its name (empty for the file itself), its file and place, its rows, and
    whether it was followed to the end."""

    name: str
    path: str
    place: str
    rows: list[Row]
    complete: bool


def stories(path: str, function: str, config: Config, texts: Mapping[str, bytes] = MappingProxyType({})) -> list[Story]:
    """What happens in a file, with what belongs to it.

    Args:
        path: the file.
        function: the function to start at, qualified or by its last name; empty for each that mllint starts at itself.
        config: the merged configuration.
        texts: files that are not what is on disk, by absolute path.

    Raises:
        MllintError: the file does not exist, cannot be parsed, or is not about machine learning.
        UsageError: it has no such function.
    """
    run, own = _read(path, config, texts)
    module = run.component.modules.get(own)
    if module is None:
        broken = next((found for found in run.diagnostics.reported if found.span.path == own), None)
        if broken is not None:
            raise MllintError(f"{own}:{broken.span.start.line}: {broken.message}")
        raise MllintError(f"`{own}` names no library that mllint knows, and imports no file that does")
    if not function:
        return [story for story in map(_story, run.flows(module)) if story.rows]
    named = {f.qualname: f for f in module.functions if not f.is_body and not isinstance(f.node, ast.Lambda)}
    wanted = [f for name, f in named.items() if function in (name, f.name)]
    if not wanted:
        longer = next((name for name in named if function in name), None)
        hint = f", did you mean `{longer}`?" if longer else did_you_mean(function, named)
        has = ", ".join(f"`{name}`" for name in named) or "none"
        raise UsageError(f"`{own}` has no function `{function}`{hint or f'; it has {has}'}")
    return [_story(_built(run, f)) for f in wanted]


def component(
    path: str, config: Config, texts: Mapping[str, bytes] = MappingProxyType({})
) -> tuple[str, list[str], Disk]:
    """What belongs to a file.

    Args:
        path: the file.
        config: the settings.
        texts: files that are not what is on disk, by absolute path.

    Returns:
        The name of the file in a run, the files of its component, and what reads them.

    Raises:
        MllintError: the file does not exist.
        UsageError: it is a folder.
    """
    if os.path.isdir(path):
        raise UsageError(f"`{path}` is a folder: name a file in it")
    (own,) = discover([path], config).files
    around = Disk().marked_root(own)
    found = discover([around], config) if around else Discovery([], [], [], config)
    if own not in found.files:
        found = discover([own], config)
    disk = Overlay([around or own], texts)
    survey = Survey(found, disk, None)
    return own, next(part for part in survey.components(survey.imports()) if own in part), disk


def _read(path: str, config: Config, texts: Mapping[str, bytes]) -> tuple[Run, str]:
    """The component of a file, indexed, and the name of the file in it."""
    config = config._replace(is_final=True)
    own, part, disk = component(path, config, texts)
    run = Run(engine(config, frozenset(), True, disk))
    for name in part:
        try:
            run.component.add_file(name, disk.open(name))
        except SourceError as error:
            run.component.add_file(name, error)
    run.component.include_related()
    return run, own


def _built(run: Run, function: Any) -> Flow:
    return build(function, run.project.frame(function))


def _story(flow: Flow) -> Story:
    root = flow.root
    rows: list[Row] = []
    for row in _rows(flow):
        if rows[-1:] != [row]:  # a call of what may be several things is told once
            rows.append(row)
    if root.is_body:
        return Story("", flow.site.module.source.path, "", rows, flow.complete)
    return Story(root.qualname, *_place(flow.site), rows, flow.complete)


def _rows(flow: Flow) -> Iterator[Row]:
    around: tuple[LoopRun, ...] = ()
    before = flow.root
    for event in flow.events():
        if not _is_row(event):
            continue
        same = 0
        while same < min(len(around), len(event.loops)) and around[same] is event.loops[same]:
            same += 1
        for depth, run in enumerate(event.loops[same:], same):
            yield _loop(run, depth)
        around = event.loops
        yield _event(event, flow, event.function is before)
        before = event.function


def _loop(run: LoopRun, depth: int) -> Row:
    node, module = run.node, run.frame.module
    if isinstance(node, (ast.For, ast.AsyncFor)):
        code = f"for {text(module, node.target, 30)} in {text(module, node.iter, 50)}:"
    else:
        code = f"while {text(module, node.test, 50)}:" if isinstance(node, ast.While) else text(module, node, 50)
    remarks = () if run.certain or not run.role else ("by its name",)
    return Row(*_place(run.site), depth, code, _ROLES[run.role], remarks)


def _is_row(event: Event) -> bool:
    """Is it a row? What is unknown is one if it may change a model, an optimizer or a schedule."""
    if event.kind == "creates":
        return not isinstance(event.option, ClassScope) or event.option.name not in _SWITCHES
    if event.kind == "unknown":
        return any(value.instance_of(*_TRACKED) for value in (event.subject, *event.others))
    return event.kind in _WHAT


def _event(event: Event, flow: Flow, goes_on: bool) -> Row:
    """The row of an event; `goes_on`: it is in the function that the last one was in."""
    path, place = _place(event.site)
    remarks = []
    if not goes_on and not event.function.is_body:
        file = "" if path == flow.site.module.source.path else f" of {path}"
        remarks.append(f"in {event.function.qualname}{file}")
    for test, polarity, frame in event.conditions[-2:]:
        if isinstance(test, ast.AST):
            remarks.append(f"{'if' if polarity else 'unless'} {text(frame.module, test, 40)}")
    if event.kind == "forward" and event.grad_off is True:
        remarks.append("without gradients")
    if event.kind == "applies_grad" and event.option == "named":
        remarks.append("by its name")
    what = _WHAT[event.kind]
    if event.kind == "sets_mode" and isinstance(event.option, str):
        what = f"sets {event.option} mode"
    elif event.kind == "freezes" and not event.option:
        what = "unfreezes"
    elif event.kind == "forward" and event.value.has("Loss"):
        what = "computes the loss"
    return Row(path, place, len(event.loops), what, event.text, tuple(remarks), event.kind)


def _place(site: Site) -> tuple[str, str]:
    """The file, and the place in it."""
    span = site.module.source.span(site.node)
    return span.path, f"{span.start.line}" if span.cell is None else f"cell {span.cell}:{span.start.line}"
