"""Runs experiments and holds them against what is committed: `python -m benchmarks.evidence [RULE ...]`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from benchmarks.evidence.fixing import hold
from benchmarks.evidence.measure import Measured, absent, reported, run_all, versions
from benchmarks.evidence.programs import Experiment, experiments
from benchmarks.evidence.results import Result, Side, dump, lines, load

from mllint.catalogue import pages as catalogue

INSTALL = "pip install --extra-index-url https://download.pytorch.org/whl/cpu"
"""The builds of PyTorch on that index are without CUDA, and far smaller."""


def main(arguments: list[str]) -> int:
    """The command; gives the exit code: 1 if an answer is another than the committed one."""
    parser = argparse.ArgumentParser(prog="benchmarks.evidence", description=__doc__)
    parser.add_argument("rules", nargs="*", help="rules or families; default: all")
    parser.add_argument("--sample", action="store_true", help="the quickest experiment of each family")
    parser.add_argument("--update", action="store_true", help="write what was measured to results.json")
    parser.add_argument("--show", action="store_true", help="print what is different in the programs, and run nothing")
    parser.add_argument("--fixed", action="store_true", help="run what fixes make of the programs with a bug")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes (2)")
    options = parser.parse_args(arguments)
    chosen = [e for e in experiments().values() if not options.rules or {e.name, e.rule, e.family} & set(options.rules)]
    if not chosen:
        parser.error("there is no such experiment: benchmarks/evidence/<family>/<rule>.py")
    if options.show:
        for experiment in chosen:
            for shape in experiment.shapes:
                print(f"{experiment.path} {shape}\n{experiment.difference(shape)}\n")
        return 0
    chosen = sample(chosen) if options.sample else chosen
    chosen = ready(chosen)
    if not chosen:
        return 1
    if options.fixed:
        return hold([e for e in chosen if catalogue.rules()[e.rule].fix != "none"], options.jobs)
    return measure(chosen, options.jobs, options.update)


def ready(chosen: list[Experiment]) -> list[Experiment]:
    """The experiments whose libraries are installed; of the others it is printed what they need."""
    missing = {experiment.name: absent(experiment) for experiment in chosen}
    for name, distributions in missing.items():
        if distributions:
            print(f"{name}: not run, it needs {', '.join(distributions)}")
    needed = sorted({distribution for distributions in missing.values() for distribution in distributions})
    if needed:
        print(f"to install that: {install(needed)}", file=sys.stderr)
    return [experiment for experiment in chosen if not missing[experiment.name]]


def install(distributions: list[str]) -> str:
    """The command that installs distributions, in the versions with which most experiments were measured."""
    used = [pair for result in load().values() for pair in result.versions.items()]
    versions = {name: version.partition("+")[0] for (name, version), _ in reversed(Counter(used).most_common())}
    return " ".join([INSTALL, *(f"{name}=={versions[name]}" if name in versions else name for name in distributions)])


def sample(chosen: list[Experiment]) -> list[Experiment]:
    """The quickest experiment of each family, of those that need no more than the usual libraries."""
    known = load()

    def cost(experiment: Experiment) -> float:
        result = known.get(experiment.name)
        return sum(side.seconds for side in (result.right, *result.wrong.values())) if result else float("inf")

    usual = [experiment for experiment in chosen if not experiment.needs]
    families = sorted({experiment.family for experiment in usual})
    return [min((e for e in usual if e.family == family), key=cost) for family in families]


def measure(chosen: list[Experiment], jobs: int, update: bool) -> int:
    """Run experiments, print a line for each, and compare or write the results."""
    found: dict[str, dict[str | None, Side]] = {}
    changed = []
    known = load()
    for experiment, shape, measured in run_all(chosen, jobs):
        sides = found.setdefault(experiment.name, {})
        sides[shape] = side(experiment, shape, measured)
        if len(sides) <= len(experiment.shapes):
            continue
        if sides[None].raised:
            print(f"{experiment.name}: the program without the bug raises {sides[None].raised}", flush=True)
            changed.append(experiment.name)
            continue
        wrong = {name: sides[name] for name in experiment.shapes}
        result = Result(experiment.name, experiment.rule, experiment.digest, versions(experiment), sides[None], wrong)
        answers = result.answers(experiment)
        before = known[result.name].answers(experiment) if result.name in known else {}
        if answers != before:
            changed.append(result.name)
        known[result.name] = result
        seconds = sum(each.seconds for each in sides.values())
        for line, words in zip(lines(result, experiment), answers.values(), strict=True):
            print(f"{result.name}: {line} [{', '.join(words)}; {seconds:.1f} s]", flush=True)
        if update:
            dump(known)
    if update:
        return 0
    for rule in changed:
        print(f"{rule}: not what results.json says", file=sys.stderr)
    return 1 if changed else 0


def side(experiment: Experiment, shape: str | None, measured: Measured) -> Side:
    """What is kept of a program: figures with six digits are enough."""
    text = experiment.right() if shape is None else experiment.wrong(shape)
    values = [float(f"{value:.6g}") for value in measured.values]
    return Side(values, measured.warned, measured.raised, reported(text, experiment.rule), measured.seconds)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
