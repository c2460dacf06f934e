"""Which part of the data does a function measure on that is told by a word, and is its score called so?

    def accuracy(self, part="train"): mask = self.data[f"{part}_mask"]; ...
    val_acc = self.accuracy()                # `find_scores_of_training_part`: by default the training rows
    test_acc = self.accuracy("test")         # shows that the word may be another one

The parameter chooses the rows if the function reads an entry or an attribute by it. Rows that the call is given besides
may be those that are measured on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, place, walk
from mllint.semantics.syntax.words import words
from mllint.semantics.training import roles
from mllint.semantics.values.arguments import bind, value_of_bound
from mllint.semantics.values.frames import Frame

__all__ = ["ScoreOfPart", "find_scores_of_training_part"]


class ScoreOfPart(NamedTuple):
    """A score of the training rows that a word has chosen.

    Attributes:
        call: what measures.
        name: the place of a held-out score that it is bound to.
        meant: the argument that chooses the part of that name.
    """

    call: Call
    name: str
    meant: str


def find_scores_of_training_part(function: FunctionView, names: list[str]) -> Iterator[ScoreOfPart]:
    """The calls that measure on the training rows, by a word that is given or that is the default.

    Args:
        function: where they are written.
        names: the places of it that are called held-out scores.
    """
    for name in names:
        for binding in function.scope.bindings[name]:
            if binding.kind != "assign" or binding.path or not isinstance(binding.value, ast.Call):
                continue
            call = Call(binding.value, function.frame)
            callees = call.callees
            if len(callees) != 1 or callees[0].stubbed or _is_given_rows(call.node):
                continue
            for parameter in _choosing_parameters(callees[0]):
                if _part_chosen(callees[0], parameter, call.node, call.frame) is False:
                    word = next((w for w in words(name) if roles.is_held_out_name(w)), "")
                    if word and _is_told_held_out(callees[0], parameter, call):
                        yield ScoreOfPart(call, name, f'{parameter}="{word}"')


def _is_given_rows(call: ast.Call) -> bool:
    """Is a call given something that is called by a part of the data, which it may measure on?"""
    given = (place(n) for argument in all_arguments(call) for n in walk(argument))
    return any(roles.rows_by_name(name) is not None for name in given if name is not None)


def _choosing_parameters(function: FunctionScope) -> list[str]:
    """The parameters by which a function reads an entry or an attribute: `rows[part]`, `getattr(data, f"{part}_y")`."""
    keys: list[Node] = [n.slice for n in function.nodes_of(ast.Subscript)]
    keys += [c.args[1] for c in function.calls_to(("getattr",)) if len(c.args) > 1]
    read = {n.id for key in keys for n in walk(key) if isinstance(n, ast.Name)}
    names = (p.name for p in function.parameters if p.name in read)
    return [n for n in names if all(b.kind == "param" for b in function.bindings.get(n, ()))]


def _part_chosen(function: FunctionScope, parameter: str, call: ast.Call, frame: Frame) -> bool | None:
    """Whether a call chooses held-out rows by a word; None where it chooses none that is known."""
    given = bind(function, call, frame)[0].get(parameter)
    word: object = None
    if given is not None:
        word = value_of_bound(given).literal
    elif (own := function.parameter(parameter)) is not None:
        word = getattr(own.default, "value", None)
    if not isinstance(word, str) or roles.rows_by_name(word) is None:
        return None
    return not roles.is_training_name(word)


def _is_told_held_out(function: FunctionScope, parameter: str, but: Call) -> bool:
    """Does another call of a function choose held-out rows?"""
    callers = but.project.callers(function)
    return any(_part_chosen(function, parameter, node, frame) for node, frame in callers if node is not but.node)
