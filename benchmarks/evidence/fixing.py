"""Do the experiments agree with the fixes? The program with the bug, fixed by mllint, beside the one without it.

    double-softmax: right 91 ± 1%, wrong 64 ± 3%, fixed 91 ± 1%: agrees

A fix *agrees* if its figure is not worse than that of the program without the bug by more than both vary; for the same
seed it is mostly the very same. Unsafe fixes are applied, too, and those of other rules: what is left is what
`mllint check --fix --unsafe-fixes` leaves. The figures of the two other programs are the committed ones, as long as
neither the programs nor the libraries have changed; else they are measured again.
"""

from __future__ import annotations

from benchmarks.evidence.measure import Job, run_programs, versions
from benchmarks.evidence.programs import Experiment
from benchmarks.evidence.results import Result, Side, load, shown

__all__ = ["agree", "fixed", "hold"]

_OTHER_DATA = {("unshuffled-training", "stored in mixed order")}
"""Shapes that are another data set as well, of which there is no program without the bug to compare with."""


def fixed(text: str, rule: str) -> str | None:
    """A program after all fixes; None if there is none that ends the finding of a rule."""
    from mllint.catalogue import pages as catalogue
    from mllint.config.model import Config
    from mllint.config.selection import resolve_selection
    from mllint.engine.engine import Engine
    from mllint.engine.mending import Component
    from mllint.project.discovery import Memory

    infos = catalogue.rules()
    selected = frozenset([*resolve_selection(Config(), list(infos.values())), rule])
    engine = Engine(Config(fixes=True), selected, infos[rule].persona != "regular", Memory({}))
    data = {"program.py": text.encode()}
    component = Component(engine, data, lambda changed: Memory({**data, **changed}))
    mended = component.mended(None, unsafe=True)
    if rule not in {each.rule for each in mended.fixed}:
        return None
    return mended.after["program.py"].decode()


def hold(chosen: list[Experiment], jobs: int) -> int:
    """Fix the programs with a bug, run them, print a line for each; gives the exit code: 1 if one disagrees."""
    known = load()
    programs: list[Job] = []
    for experiment in chosen:
        for shape in experiment.shapes:
            if (experiment.name, shape) in _OTHER_DATA:
                continue
            text = fixed(experiment.wrong(shape), experiment.rule)
            if text is None:
                print(f"{experiment.name}: {shape or 'the bug'}: no fix", flush=True)
                continue
            programs.append(Job(experiment, shape, text))
        if not _holds(known.get(experiment.name), experiment):
            programs.append(Job(experiment, None, experiment.right()))
    rights = {name: result.right for name, result in known.items()}
    waiting: dict[str, list[tuple[str, Side]]] = {}
    disagree = 0
    fresh = {job.experiment.name for job in programs if job.shape is None}
    for job, measured in run_programs(programs, jobs):
        side = Side(measured.values, measured.warned, measured.raised, [], measured.seconds)
        name = job.experiment.name
        if job.shape is None:
            rights[name] = side
            fresh.discard(name)
        else:
            waiting.setdefault(name, []).append((job.shape, side))
        for shape, own in waiting.pop(name, []) if name not in fresh else []:
            disagree += not _told(job.experiment, shape, rights[name], own, known.get(name))
    return 1 if disagree else 0


def _holds(result: Result | None, experiment: Experiment) -> bool:
    """Are the committed figures those of these programs with these libraries?"""
    return result is not None and result.digest == experiment.digest and result.versions == versions(experiment)


def agree(experiment: Experiment, right: Side, own: Side) -> bool:
    """Is a figure not worse than that of the program without the bug, by more than both vary?"""
    if own.raised or len(own.values) != len(right.values):
        return False
    worse = own.mean - right.mean if experiment.facts["worse"] == "higher" else right.mean - own.mean
    return worse <= max(right.spread, own.spread) + 1e-6 * abs(right.mean)


def _told(experiment: Experiment, shape: str, right: Side, own: Side, known: Result | None) -> bool:
    """Print the line of a shape of the bug; gives whether the fix agrees."""
    unit = experiment.facts["figure"].partition(", ")[2]
    before = known.wrong.get(shape) if known is not None else None
    wrong = "" if before is None or before.raised else f", wrong {shown(before, unit)}"
    agrees = agree(experiment, right, own)
    figure = f"raises {own.raised}" if own.raised else shown(own, unit)
    verdict = "agrees" if agrees else "DISAGREES"
    head = f"{experiment.name}{f': {shape}' if shape else ''}"
    print(f"{head}: right {shown(right, unit)}{wrong}, fixed {figure}: {verdict}", flush=True)
    return agrees
