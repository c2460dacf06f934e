"""An experiment is one Python file, from which two programs are made: one with the bug, one without.

Lines that belong to only one of them say so at their end, so that the difference is the few lines that matter:

    loss = F.cross_entropy(model(x).softmax(dim=1), y)  # wrong
    loss = F.cross_entropy(model(x), y)  # right

All other lines are in both. A bug that has several shapes names them: `# wrong: NAME` is a line of that shape only, and
`# right: NAME` is in every program but that one. The marks themselves are taken out: what mllint checks and what is run
are plain programs. `run(seed)` gives the figure.

The docstring says what is done, and then in lines of `key: value`

    setting   the data and the length of the training
    figure    what `run` gives, with the unit behind a comma: `accuracy on held-out rows, %`
    worse     `lower` or `higher`: in which direction the figure is bad
    seeds     how many, if not 5
    needs     libraries besides torch, NumPy and scikit-learn
    backend   of Keras, if it matters
    found     what the experiment taught; it is printed on the page of the rule
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import re
from pathlib import Path
from typing import NamedTuple

__all__ = ["FOLDER", "Experiment", "experiments", "read"]

FOLDER = Path(__file__).parent

_MARK = re.compile(r"  # (?P<side>right|wrong)(?:: (?P<shape>[^#\n]+))?$")
_KEYS = ("setting", "figure", "worse", "seeds", "needs", "backend", "found")


class Experiment(NamedTuple):
    """One file.

    Attributes:
        name: the file without `.py`: the rule, and perhaps `.keras` or the like where a rule needs several files.
        rule: the rule that it is about.
        family: the folder that it is in.
        text: the file with its marks.
        facts: the lines of `key: value` of its docstring.
    """

    name: str
    rule: str
    family: str
    text: str
    facts: dict[str, str]

    @property
    def path(self) -> str:
        """The file, relative to the repository."""
        return f"benchmarks/evidence/{self.family}/{self.name}.py"

    @property
    def shapes(self) -> tuple[str, ...]:
        """The names of the shapes of the bug, in the order of the file; one without a name if there is only one."""
        named = [match["shape"] for match in map(_MARK.search, self.text.split("\n")) if match]
        return tuple(dict.fromkeys(name for name in named if name)) or ("",)

    @property
    def seeds(self) -> range:
        """The seeds to run it with."""
        return range(int(self.facts.get("seeds", "5")))

    @property
    def needs(self) -> tuple[str, ...]:
        """The libraries besides the usual ones."""
        return tuple(self.facts.get("needs", "").replace(",", " ").split())

    @property
    def digest(self) -> str:
        """Stands for what is run: the code of the programs, without their docstring."""
        tree = ast.parse(self.text)
        rows = self.text.split("\n")[tree.body[0].end_lineno :]
        return hashlib.sha256("\n".join([*rows, str(self.seeds)]).encode()).hexdigest()[:12]

    def right(self) -> str:
        """The program without the bug."""
        return self._program(None)

    def wrong(self, shape: str) -> str:
        """The program with the bug, in one of its shapes."""
        return self._program(shape)

    def difference(self, shape: str) -> str:
        """What is different in the program with the bug: a unified diff without a head."""
        rows = difflib.unified_diff(self.right().split("\n"), self.wrong(shape).split("\n"), n=2, lineterm="")
        return "\n".join(list(rows)[3:])

    def _program(self, shape: str | None) -> str:
        """The lines of one program; None stands for the one without the bug."""
        found = []
        for line in self.text.split("\n"):
            match = _MARK.search(line)
            if match is None:
                found.append(line)
                continue
            concerned = shape is not None and match["shape"] in (None, shape)
            if concerned == (match["side"] == "wrong"):
                found.append(line[: match.start()])
        return "\n".join(found)


def read(path: Path) -> Experiment:
    """Read an experiment.

    Raises:
        ValueError: its docstring lacks a line, or has one of an unknown key.
    """
    text = path.read_text(encoding="utf-8")
    facts: dict[str, str] = {}
    key = ""
    for line in (ast.get_docstring(ast.parse(text)) or "").split("\n"):
        found = re.match(r"([a-z]+): (.*)", line)
        if found:
            key = found[1]
            facts[key] = found[2]
        elif key and line.startswith("  "):
            facts[key] += " " + line.strip()
    missing = {"setting", "figure", "worse"} - facts.keys()
    unknown = facts.keys() - set(_KEYS)
    if missing or unknown or facts["worse"] not in ("lower", "higher"):
        raise ValueError(f"{path}: missing {sorted(missing)}, unknown {sorted(unknown)}, or `worse` is no direction")
    return Experiment(path.stem, path.stem.partition(".")[0], path.parent.name, text, facts)


def experiments() -> dict[str, Experiment]:
    """All experiments by name, family by family."""
    return {path.stem: read(path) for path in sorted(FOLDER.glob("*/*.py"))}
