"""`mllint check --timing`: where does the time go? CPU seconds of each phase and of each rule.

The functions of a run are wrapped here, for this one run, so that a run that nobody times has nothing of it. Time is
counted where it is spent: what a phase calls is not counted for the phase, too. What rules share, values and stubs, is
worked out when the first rule asks and counted for that rule; the cost of one rule alone is that of `--select RULE`.

A timed run uses one process and no cache, since it is the work that is to be seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["Clock", "as_json", "as_table"]


class Clock:
    """Counts CPU seconds.

    Attributes:
        phases: seconds by phase, in the order in which they first came.
        rules: seconds by rule.
        asked: how often each rule was asked.
    """

    def __init__(self) -> None:
        self.phases: dict[str, float] = {"start": time.process_time()}
        self.rules: dict[str, float] = {}
        self.asked: dict[str, int] = {}
        self._stack: list[float] = []

    def install(self) -> None:
        """Wrap the functions of a run."""
        from mllint.cli import output
        from mllint.engine import component, engine, run
        from mllint.project import discovery

        def built(maker: Any, *arguments: Any) -> None:
            original(maker, *arguments)
            maker.checks = [check._replace(run=self._rule(check.name, check.run)) for check in maker.checks]

        original = engine.Engine.__init__
        for owner, name, phase, function in (
            (discovery, "discover", "find files", discovery.discover),
            (run.Survey, "divide", "find what belongs together", run.Survey.divide),
            (engine.Engine, "__init__", "load rules and stubs", built),
            (component.Component, "add_file", "read and parse", component.Component.add_file),
            (engine.Run, "unsuppressed", "read suppressions", engine.Run.unsuppressed),
            (output, "write", "report", output.write),
        ):
            setattr(owner, name, self._timed(self.phases, phase, function))
        setattr(engine.Run, "flows", self._generator(self.phases, "build flows", engine.Run.flows))  # noqa: B010  (a type checker refuses the assignment)

    @property
    def total(self) -> float:
        """CPU seconds of the process so far."""
        return time.process_time()

    def _timed(self, table: dict[str, float], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:
            begun = self._enter()
            try:
                return function(*arguments, **named)
            finally:
                self._leave(table, name, begun)

        return timed

    def _generator(self, table: dict[str, float], name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any) -> Iterator[Any]:
            steps = iter(function(*arguments))
            while True:
                begun = self._enter()
                try:
                    step = next(steps)
                except StopIteration:
                    return
                finally:
                    self._leave(table, name, begun)
                yield step

        return timed

    def _rule(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        generator = self._generator(self.rules, name, function)

        def counted(*subject: Any) -> Iterator[Any]:
            self.asked[name] = self.asked.get(name, 0) + 1
            return generator(*subject)  # type: ignore[no-any-return]  # a generator

        return counted

    def _enter(self) -> float:
        self._stack.append(0.0)
        return time.process_time()

    def _leave(self, table: dict[str, float], name: str, begun: float) -> None:
        spent = time.process_time() - begun
        table[name] = table.get(name, 0.0) + spent - self._stack.pop()
        if self._stack:
            self._stack[-1] += spent


def as_table(clock: Clock) -> Iterator[str]:
    """The table for people."""
    total = clock.total
    phases = {**clock.phases, "rules": sum(clock.rules.values())}
    phases["other"] = max(0.0, total - sum(phases.values()))
    longest = max(len(name) for name in [*phases, *clock.rules])
    yield f"{'phase'.ljust(longest)}  CPU s  share"
    for name, seconds in phases.items():
        yield f"{name.ljust(longest)}  {seconds:5.2f}  {seconds / total:5.1%}"
    yield f"{'total'.ljust(longest)}  {total:5.2f}"
    yield ""
    yield f"{'rule'.ljust(longest)}  CPU s  share   asked"
    for name, seconds in sorted(clock.rules.items(), key=lambda item: (-item[1], item[0])):
        yield f"{name.ljust(longest)}  {seconds:5.2f}  {seconds / total:5.1%}  {clock.asked[name]:6}"
    yield "What rules share is counted for the rule that asks first."


def as_json(clock: Clock) -> str:
    """One line for programs."""
    import json

    rules = {name: {"seconds": round(spent, 6), "asked": clock.asked[name]} for name, spent in clock.rules.items()}
    phases = {name: round(spent, 6) for name, spent in clock.phases.items()}
    return json.dumps({"timing": {"total": round(clock.total, 6), "phases": phases, "rules": rules}})
