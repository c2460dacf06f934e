"""What was measured, and what it says: `results.json`.

Both programs see the same data and begin with the same weights for the same seed, so they are compared seed by seed. A
bug *does harm* if the figure is worse with every seed, and by more than the difference varies (its standard deviation).
It is *silent* if its program neither raises nor warns of anything that the other does not warn of.
"""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import NamedTuple

from benchmarks.evidence.programs import FOLDER, Experiment

__all__ = ["PATH", "Result", "Side", "dump", "harm", "lines", "load"]

PATH = FOLDER / "results.json"


class Side(NamedTuple):
    """One of the programs: the figure for each seed, what it warned of, what ended it, what mllint reports."""

    values: list[float]
    warned: list[str]
    raised: str
    reported: list[str]
    seconds: float

    @property
    def mean(self) -> float:
        """The mean over the seeds."""
        return statistics.fmean(self.values)

    @property
    def spread(self) -> float:
        """The standard deviation over the seeds."""
        return statistics.stdev(self.values) if len(self.values) > 1 else 0.0


class Result(NamedTuple):
    """What was measured in one experiment.

    Attributes:
        name: the experiment's.
        rule: the rule that it is about.
        digest: stands for the programs.
        versions: of the libraries.
        right: the program without the bug.
        wrong: those with it, by the name of the shape.
    """

    name: str
    rule: str
    digest: str
    versions: dict[str, str]
    right: Side
    wrong: dict[str, Side]

    def answers(self, experiment: Experiment) -> dict[str, list[str]]:
        """For each shape what is true of it: `silent`, `harmful`, `reported`, of which the first two make a bug."""
        found = {}
        for shape, side in self.wrong.items():
            quiet = not side.raised and not set(side.warned) - set(self.right.warned)
            facts = {
                "silent": quiet,
                "harmful": not side.raised and self._harmful(experiment, side),
                "reported": self.rule in side.reported and self.rule not in self.right.reported,
            }
            found[shape] = [name for name, holds in facts.items() if holds]
        return found

    def differences(self, experiment: Experiment, side: Side) -> list[float]:
        """How much worse the figure is, seed by seed."""
        changes = [wrong - right for wrong, right in zip(side.values, self.right.values, strict=True)]
        return changes if experiment.facts["worse"] == "higher" else [-change for change in changes]

    def _harmful(self, experiment: Experiment, side: Side) -> bool:
        differences = self.differences(experiment, side)
        if any(math.isnan(value) for value in side.values):
            return True
        spread = statistics.stdev(differences) if len(differences) > 1 else 0.0
        return min(differences) > 0 and statistics.fmean(differences) > spread


def harm(result: Result, experiment: Experiment) -> float:
    """How much worse it gets, from 0 to 1: the change of the figure, relative to the larger of both means."""
    found = [0.0]
    answers = result.answers(experiment)
    for shape, side in result.wrong.items():
        if "harmful" in answers[shape]:
            found.append(abs(side.mean - result.right.mean) / max(abs(side.mean), abs(result.right.mean)))
    return min(max(found), 1.0)


def lines(result: Result, experiment: Experiment) -> list[str]:
    """One line for each shape of the bug: what was done, and what became of the figure."""
    found = []
    figure, _, unit = experiment.facts["figure"].partition(", ")
    answers = result.answers(experiment)
    for shape, side in result.wrong.items():
        head = f"{shape}: " if shape else ""
        if side.raised:
            found.append(f"{head}raises `{side.raised.partition('. ')[0].partition(' (')[0]}`")
            continue
        change = f"{shown(result.right, unit)} → {shown(side, unit)}"
        remark = "" if "harmful" in answers[shape] else " (no more than chance)"
        if not remark and abs(side.mean - result.right.mean) < side.spread + result.right.spread:
            own = side._replace(values=result.differences(experiment, side))
            remark = f" (worse by {shown(own, unit)} with the same seed)"
        said = [text for text in side.warned if text not in result.right.warned]
        remark += f'; it warns: "{said[0].partition(". ")[0]}"' if said else ""
        found.append(f"{head}{figure} {change}{remark}")
    return found


def shown(side: Side, unit: str) -> str:
    """A mean with its spread: as many digits as the spread has to say, and three at most."""
    if unit == "%":
        digits = 0 if side.spread >= 0.95 or (side.spread == 0 and float(side.mean).is_integer()) else 1
        return f"{side.mean:.{digits}f} ± {side.spread:.{digits}f}%"
    behind = f" {unit}" if unit else ""
    if max(map(abs, side.values)) >= 1e5 or 0 < max(map(abs, side.values)) < 1e-3:
        return f"{side.mean:.1e} ± {side.spread:.1e}{behind}"
    digits = 0 if side.mean >= 100 else 1 if side.mean >= 10 else 2 if side.mean >= 0.1 or side.mean == 0 else 4
    if all(float(value).is_integer() for value in side.values) and side.spread == 0:
        digits = 0
    return f"{side.mean:.{digits}f} ± {side.spread:.{digits}f}{behind}"


def load(path: Path = PATH) -> dict[str, Result]:
    """The results of a file, by the name of the experiment."""
    table = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {
        name: Result(
            name,
            name.partition(".")[0],
            row["digest"],
            row["versions"],
            Side(**row["right"]),
            {name: Side(**side) for name, side in row["wrong"].items()},
        )
        for name, row in table.items()
    }


def dump(results: dict[str, Result], path: Path = PATH) -> None:
    """Write the results in alphabetical order."""
    table = {
        name: {
            "digest": result.digest,
            "versions": result.versions,
            "right": result.right._asdict(),
            "wrong": {name: side._asdict() for name, side in result.wrong.items()},
        }
        for name, result in sorted(results.items())
    }
    rows = ",\n".join(f' "{name}": {_row(row)}' for name, row in table.items())
    path.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")


def _row(row: dict[str, object]) -> str:
    """One experiment: a line for each program."""
    wrong = row["wrong"]
    assert isinstance(wrong, dict)
    sides = ",\n".join(f"   {json.dumps(name)}: {json.dumps(side)}" for name, side in wrong.items())
    return (
        f'{{\n  "digest": {json.dumps(row["digest"])},\n  "versions": {json.dumps(row["versions"])},\n'
        f'  "right": {json.dumps(row["right"])},\n  "wrong": {{\n{sides}\n  }}\n }}'
    )
