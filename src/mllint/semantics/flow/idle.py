"""Where does nothing happen that any rule asks about: no event, no jump, nothing to enter?

Most statements of a program are of this kind, and a flow passes over them. The answer is the same in every context.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.events import FLOW_WORDS
from mllint.semantics.flow.flags import flag_assignments
from mllint.semantics.flow.gradient_writes import DESCENT_WORDS
from mllint.semantics.flow.roots import eventful_names
from mllint.semantics.syntax.caches import Cache
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.plain import quiet_names
from mllint.semantics.values.project import Project

__all__ = ["YIELDS", "IdleCode", "is_bound_name", "is_exit_call"]

YIELDS = frozenset((ast.Yield, ast.YieldFrom))
_CALLS_AND_YIELDS = YIELDS | {ast.Call}
_SIMPLE = frozenset((ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Pass))
_EXITS = ("exit", "quit", "_exit", "abort")
_IDLE: Cache[int, bool] = Cache()
"""Whether nothing happens in a statement, by its id."""


class IdleCode:
    """The statements, expressions and calls of a project in which nothing happens."""

    def __init__(self, project: Project) -> None:
        self.eventful_names = eventful_names(project)
        self.quiet_names = quiet_names(project.stubs)
        self.known = _IDLE.of(project)

    def enter(self, function: FunctionScope) -> None:
        """Before the statements of `function` are asked about: those that set a flag are not idle."""
        self.known.update((id(statement), False) for statement in flag_assignments(function))

    def is_idle(self, node: Node, frame: Frame) -> bool:
        """True if nothing happens in the statement `node`, in whatever context."""
        known = self.known.get(id(node))
        if known is None:
            kind = node.__class__
            if kind is ast.If:
                branches = (*node.body, *node.orelse)
                known = all(self.is_idle(inner, frame) for inner in branches)
                known = known and self.has_only_quiet_calls(node.test, frame)
            else:
                known = kind in _SIMPLE and not _sets_grad_or_freezes(node) and self.has_only_quiet_calls(node, frame)
            self.known[id(node)] = known
        return known

    def has_only_quiet_calls(self, node: Node, frame: Frame) -> bool:
        """True if all calls in the statement or expression `node` are quiet, and it yields nothing."""
        for inner in walk(node):
            if inner.__class__ in _CALLS_AND_YIELDS:
                if inner.__class__ is not ast.Call:
                    return False
                if not self.is_quiet(last_name(inner.func), inner.func, frame) or is_exit_call(inner):
                    return False
        return True

    def is_quiet(self, name: str, func: Node, frame: Frame) -> bool:
        """True if a call of `func`, whose last name is `name`, does nothing that any rule asks about."""
        return (
            name in self.quiet_names
            and name not in FLOW_WORDS
            and name not in DESCENT_WORDS
            and name not in self.eventful_names
            and not (name == "copy_" and (place(getattr(func, "value", None)) or "").endswith(".grad"))
            and not (func.__class__ is ast.Name and is_bound_name(name, frame))
        )


def is_bound_name(name: str, frame: Frame) -> bool:
    """True if `name` is one of the file's own, or an alias of something."""
    return name in frame.function.bindings or name in frame.module.body.bindings


def is_exit_call(call: ast.Call) -> bool:
    """True if `call` ends the program."""
    return last_name(call.func) in _EXITS and place(call.func) in ("sys.exit", "exit", "quit", "os._exit", "os.abort")


def _sets_grad_or_freezes(node: Node) -> bool:
    """True if the assignment `node` sets a gradient, or freezes."""
    targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
    if node.__class__ is ast.AugAssign and any(getattr(n, "attr", "") == "grad" for n in walk(node.value)):
        return True  # `w -= rate * w.grad`
    targets = [part for t in targets for part in (t.elts if isinstance(t, ast.Tuple) else [t])]
    return any(
        t.attr in ("grad", "_grad", "requires_grad")
        if isinstance(t, ast.Attribute)
        else isinstance(t, ast.Subscript) and getattr(t.value, "attr", "") == "grad"
        for t in targets
    )
