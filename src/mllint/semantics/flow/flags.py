"""What are the flags of a function, on each way through a flow: names that it sets to True or False itself?

    stepped = False
    if ready:
        optimizer.step()
        stepped = True
    if stepped:          # no way leads here round the step
        scheduler.step()

`assumptions` tells two equal tests apart as soon as something is bound between them. Of a flag the flow knows what is
bound: a node behind its assignment *settles* it, and a test of it assumes what a branch says. What is assumed of a flag
holds on a way, and not at a place: a statement between the test and the place may set it anew.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.nodes import Node, assigned_pairs, walk
from mllint.semantics.syntax.records import PathCondition
from mllint.semantics.values.lineage import statements

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Binding, FunctionScope
    from mllint.semantics.values.frames import Frame

__all__ = ["flag_assignments", "flag_assumption", "forgotten_flags", "settled_flags", "without_flags"]

_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_FLAG = "flag"


@cached_per_scope(local=True)
def _flags(function: FunctionScope) -> frozenset[str]:
    """The names that `function` alone assigns, somewhere True or False, and asks for in the test of an `if`."""
    names = {name for name, found in function.bindings.items() if len(found) > 1 and _is_set_to_truth(found)}
    if not names:
        return frozenset()
    tests = (statement.test for statement in statements(function) if isinstance(statement, ast.If))
    asked = {node.id for test in tests for node in walk(test) if isinstance(node, ast.Name)}
    return frozenset((names & asked).difference(*(scope.globals for scope in function.nested())))


def flag_assignments(function: FunctionScope) -> list[Node]:
    """The assignments in `function` that set a flag of it."""
    names = _flags(function)
    if not names:
        return []
    assignments = (statement for statement in statements(function) if isinstance(statement, _ASSIGNMENTS))
    return [assignment for assignment in assignments if not names.isdisjoint(_targets(assignment))]


def _is_set_to_truth(bindings: list[Binding]) -> bool:
    """True if all of `bindings` are assignments, at least one of them of a written True or False."""
    if not all(b.kind == "assign" or b.kind == "aug" for b in bindings):
        return False
    return any(_truth(b.value) is not None for b in bindings)


def _truth(value: Node) -> bool | None:
    """The True or False that `value` writes out; None if it is anything else."""
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, bool) else None


def settled_flags(assignment: Node, frame: Frame) -> list[tuple[PathCondition, bool]]:
    """What an assignment says of the flags that it sets.

    Args:
        assignment: the statement.
        frame: where it runs.

    Returns:
        For each flag an assumption, and whether it holds: it does not where the flag may be anything.
    """
    known = _flags(frame.function)
    if not known:
        return []
    written = {t.id: _truth(value) for t, value in assigned_pairs(assignment) if isinstance(t, ast.Name)}
    truths = {name: written.get(name) for name in _targets(assignment) if name in known}
    return [(_assumption(name, truth is True, frame), truth is not None) for name, truth in truths.items()]


def forgotten_flags(branch: list[ast.stmt], frame: Frame) -> list[tuple[PathCondition, bool]]:
    """What is to be assumed behind a branch that is passed by: nothing of the flags that it sets, where no call says
    which branch is taken. What decides there is a default, and whoever calls may give something else.

    Args:
        branch: the statements that are passed by.
        frame: where they would run.

    Returns:
        The same as `settled_flags`.
    """
    if frame.caller is not None or not branch:
        return []
    inside = (
        s for s in flag_assignments(frame.function) if branch[0].lineno <= s.lineno <= (branch[-1].end_lineno or 0)
    )
    return [(assumption, False) for statement in inside for assumption, _ in settled_flags(statement, frame)]


def _targets(assignment: Node) -> Iterator[str]:
    """The names that the statement `assignment` binds."""
    for target in assignment.targets if isinstance(assignment, ast.Assign) else (assignment.target,):
        for node in walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def flag_assumption(test: ast.Name, polarity: bool, frame: Frame) -> tuple[PathCondition, ...]:
    """What the branch assumes of a flag where the name `test` is true, or false; nothing of any other name.

    Args:
        test: what is asked.
        polarity: its answer.
        frame: where it is asked.
    """
    return (_assumption(test.id, polarity, frame),) if test.id in _flags(frame.function) else ()


def _assumption(name: str, polarity: bool, frame: Frame) -> PathCondition:
    return PathCondition(((_FLAG, frame.key, name),), polarity, (), frame.key)


def without_flags(assumed: tuple[PathCondition, ...]) -> tuple[PathCondition, ...]:
    """Those of `assumed` that still hold at the places below."""
    return tuple(assumption for assumption in assumed if not _is_about_flag(assumption))


def _is_about_flag(assumption: PathCondition) -> bool:
    """True if `assumption` is about a flag."""
    subject = assumption.key[0]
    return isinstance(subject, tuple) and subject[:1] == (_FLAG,)
