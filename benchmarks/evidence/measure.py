"""Runs a program with each of its seeds, in a process of its own, and asks mllint about it.

A server that has imported the heavy libraries forks a process for each program, so that what one changes (the random
state, whether gradients are recorded) is nobody else's, and the import is paid once.
"""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import metadata
from typing import Any, NamedTuple

from benchmarks.evidence.programs import Experiment

__all__ = ["Job", "Measured", "absent", "reported", "run_all", "run_programs", "versions"]

_PRELOADED = ["torch", "torch.utils.data", "numpy", "pandas", "sklearn.datasets", "sklearn.model_selection"]
_DISTRIBUTIONS = {"imblearn": "imbalanced-learn", "sklearn": "scikit-learn"}
"""What pip calls a package that it does not call by its name."""
_INVISIBLE = (DeprecationWarning, PendingDeprecationWarning, ImportWarning)
"""What Python does not show to users of a library."""


class Measured(NamedTuple):
    """What one program did.

    Attributes:
        values: the figure for each seed.
        warned: what it warned of, each text once.
        raised: the exception that ended it, or "".
        seconds: how long all seeds took.
    """

    values: list[float]
    warned: list[str]
    raised: str
    seconds: float


class Job(NamedTuple):
    """A program of an experiment that is to be run.

    Attributes:
        experiment: the experiment.
        shape: of the bug; None for the program without it.
        text: the program.
    """

    experiment: Experiment
    shape: str | None
    text: str


def run_all(experiments: list[Experiment], jobs: int) -> Iterator[tuple[Experiment, str | None, Measured]]:
    """Run both programs of each experiment, in parallel, in the order in which they end.

    Yields:
        The experiment, the shape of the bug (None: the program without it), and what was measured.
    """
    programs = [
        Job(e, shape, e.right() if shape is None else e.wrong(shape))
        for e in experiments
        for shape in (None, *e.shapes)
    ]
    for job, measured in run_programs(programs, jobs):
        yield job.experiment, job.shape, measured


def run_programs(programs: list[Job], jobs: int) -> Iterator[tuple[Job, Measured]]:
    """Run programs in parallel, each in a process of its own, and give what was measured in the order in which they
    end."""
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    with ProcessPoolExecutor(jobs, mp_context=context, max_tasks_per_child=1) as pool:
        waiting = {}
        for job in programs:
            seeds, backend = [*job.experiment.seeds], job.experiment.facts.get("backend", "")
            waiting[pool.submit(_run, job.text, job.experiment.path, seeds, backend)] = job
        for done in as_completed(waiting):
            yield waiting[done], done.result()


def _run(text: str, path: str, seeds: list[int], backend: str) -> Measured:
    """Run a program in this process."""
    multiprocessing.set_start_method("fork", force=True)  # so that loaders have workers: a program is in no module
    if backend:
        os.environ["KERAS_BACKEND"] = backend
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
    with contextlib.suppress(ImportError):
        import torch

        torch.set_num_threads(1)
    values: list[float] = []
    raised = ""
    started = time.perf_counter()
    printed = io.StringIO()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stderr(printed):
        warnings.simplefilter("always")
        with contextlib.redirect_stdout(io.StringIO()):
            try:
                namespace: dict[str, Any] = {"__name__": "program", "__file__": path}
                exec(compile(text, path, "exec"), namespace)
                values.extend(float(namespace["run"](seed)) for seed in seeds)
            except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever it is, that is the result
                raised = f"{type(error).__name__}: {error}".split("\n")[0]
    warned = [str(each.message).split("\n")[0] for each in caught if not issubclass(each.category, _INVISIBLE)]
    warned += [line for line in printed.getvalue().split("\n") if "warning" in line.lower()]
    return Measured(values, [*dict.fromkeys(warned)], raised, round(time.perf_counter() - started, 1))


def reported(text: str, rule: str) -> list[str]:
    """The rules that mllint reports on a program as it stands: those on by default, and the one in question."""
    from mllint.catalogue import pages as catalogue
    from mllint.config.load import load
    from mllint.config.selection import resolve_selection
    from mllint.engine import engine

    settings = load([], True)
    infos = catalogue.rules()
    selected = frozenset([*resolve_selection(settings, list(infos.values())), rule])
    pedantic = infos[rule].persona != "regular"
    found = engine.check_sources({"program.py": text}, selected=selected, pedantic=pedantic, config=settings)
    return sorted({each.rule for each in found.diagnostics})


def absent(experiment: Experiment) -> list[str]:
    """The distributions that it needs and that are not installed, as pip calls them."""
    from importlib.util import find_spec

    return [_DISTRIBUTIONS.get(name, name) for name in _imported(experiment) if find_spec(name) is None]


def versions(experiment: Experiment) -> dict[str, str]:
    """The versions of the libraries that the program imports."""
    packages = metadata.packages_distributions()
    found = [packages[name][0] for name in _imported(experiment) if name in packages]
    return {distribution: metadata.version(distribution) for distribution in found}


def _imported(experiment: Experiment) -> list[str]:
    """The packages that the program imports, and those that it needs besides, in alphabetical order."""
    import ast

    tops = set(experiment.needs)
    for node in ast.walk(ast.parse(experiment.text)):
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        tops |= {name.partition(".")[0] for name in names}
    return sorted(tops)
