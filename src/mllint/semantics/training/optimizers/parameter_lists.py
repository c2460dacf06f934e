"""Are the parameters of a model sorted into lists, one of which no optimizer gets?

    for name, p in model.named_parameters():
        (decayed if p.ndim > 1 else plain).append(p)
    optimizer = AdamW([{"params": decayed, "weight_decay": 0.1}])      # `plain` is read nowhere

By form, in one function: two lists that a loop or two comprehensions fill, one of which is never read; or the group of
the parameters that are to decay is written out, and none of those that are not to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.libraries.tensor_methods import LISTS_PARAMETERS
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.blocks import nodes_naming
from mllint.semantics.syntax.nodes import Node, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.optimizers import parameter_loops, parts

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import FunctionScope

__all__ = ["UnreadList", "find_groups_without_rest", "find_unread_lists"]


class UnreadList(NamedTuple):
    """A list of parameters that is filled and never read."""

    node: Node
    """Where it is filled."""
    name: str
    read: str
    """The list next to it, which is read."""


def find_unread_lists(function: FunctionScope) -> Iterator[UnreadList]:
    """The lists of parameters of a function that are filled next to another one, and never read."""
    if function.called_names.isdisjoint(LISTS_PARAMETERS):
        return
    loops = [run.node for run in function.loops if isinstance(run.node, ast.For)]
    sorted_by = [
        parameter_loops.filled_lists(loop, item)
        for loop in loops
        if (item := parameter_loops.parameter_of(loop)) and not parameter_loops.sets_requires_grad(loop)
    ]
    for filled in (*sorted_by, parts.find_conditional_lists(function)):
        unread = [name for name in filled if not parts.is_read(name, function)] if len(filled) > 1 else []
        if len(unread) == 1:
            other = next(name for name in filled if name != unread[0])
            yield UnreadList(filled[unread[0]], unread[0], other)


def find_groups_without_rest(function: FunctionScope) -> Iterator[tuple[Node, str]]:
    """The only group of parameters that are to decay, `[p for n, p in ... if not any(s in n for s in names)]`, and the
    place of the names of all others, which no group holds."""
    if function.called_names.isdisjoint(LISTS_PARAMETERS):
        return
    named = nodes_naming("weight_decay", function) if "any" in function.called_names else ()
    groups = [n for n in named if isinstance(n, ast.Dict) and any(_is_decay(key) for key in n.keys)]
    if not groups:
        return
    lists = [n for s in function.body for n in walk(s) if isinstance(n, ast.ListComp)]
    chosen = [n for n in lists if parts.find_parameter_condition(n) is not None]
    if len(chosen) != 1:
        return
    match parts.find_parameter_condition(chosen[0]):
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="any"), args=[ast.GeneratorExp() as names])):
            among = place(names.generators[0].iter)
            for group in groups:
                if any(v is chosen[0] for v in group.values) and topics.is_about(among or "", Topic.DECAYING):
                    yield chosen[0], str(among)


def _is_decay(key: ast.expr | None) -> bool:
    """Is it the key of the decay of a group?"""
    return isinstance(key, ast.Constant) and key.value == "weight_decay"
