"""The core, written down: what `tests/semantics/*.md` compare with."""

from __future__ import annotations

from mllint import tree as ast
from mllint.semantics.evaluate import evaluate
from mllint.semantics.memory import memory_project
from mllint.semantics.module import Function
from mllint.semantics.values import describe

__all__ = ["flow", "reveals"]


def reveals(sources: dict[str, str]) -> list[tuple[str, int, str]]:
    """The values of the first arguments of all calls of `reveal` in a project given as path -> text.

    Returns:
        (path, 1-based line, the value in words), in source order.
    """
    project, modules = memory_project(sources)
    found = []
    for path, module in modules.items():
        for call, scope in module.calls_by_name.get("reveal", ()):
            if isinstance(scope, Function) and isinstance(call.func, ast.Name):
                project.refuel(100_000)
                found.append((path, call.lineno, describe(evaluate(call.args[0], project.frame(scope)))))
    return sorted(found)


def flow(sources: dict[str, str], function: str) -> str:
    """The event graph of a function ("" for the body of `main.py`) as text: one event a line, indented by loops."""
    from mllint.semantics.build import build

    project, modules = memory_project(sources)
    project.refuel(1_000_000)
    for module in reversed(modules.values()):
        for candidate in module.functions:
            if candidate.qualname == function:
                graph = build(candidate, project.frame(candidate))
                lines = []
                for event in graph.events():
                    if event.kind not in ("entry", "exit"):
                        lines.append(f"{'  ' * len(event.loops)}{event.kind} line {event.site.line}")
                return "\n".join(lines)
    return ""
