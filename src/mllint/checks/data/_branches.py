"""Do the branches of a function that builds the part it is asked for, `split == "test"`, build the same part?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.rule import Finding, Note
from mllint.semantics.api import Function, Site, Topic, place, topics, walk

__all__ = ["built_in_branches"]


def built_in_branches(function: Function) -> Iterator[Finding]:
    """The flags `train=True` below `split == "test"`, where the branch for "train" builds the same with the same flag;
    none where rows are chosen in the function as well."""
    told = function.module.calls_by_keyword
    if "train" not in told and "split" not in told:
        return
    if any(topics.is_about(name, Topic.SUBSETS) for name in function.scope.called_names):
        return
    for node in walk(function.node):
        if not isinstance(node, ast.If):
            continue
        branches = dict(_branches(node))
        for training in _flags(branches.get("train", [])):
            for held in _flags(branches.get("test", [])):
                if place(held[0].func) == place(training[0].func) and held[1].arg == training[1].arg:
                    message = f"`{place(held[0].func)}(...)` builds the training part where the test part is asked for"
                    note = Note(Site(function.module, training[1].value), "the same for training")
                    yield Finding(Site(function.module, held[1].value), message, "the training part", [note])


def _branches(node: Any) -> Iterator[tuple[str, list[Any]]]:
    """The words that the tests of an `if` compare one name with, and their branches."""
    first = _asked(node.test)
    while first is not None:
        found = _asked(node.test)
        if found is None or found[0] != first[0]:
            return
        yield found[1], node.body
        if len(node.orelse) != 1 or not isinstance(node.orelse[0], ast.If):
            return
        node = node.orelse[0]


def _asked(test: Any) -> tuple[str, str] | None:
    """The place and the word of `split == "test"`."""
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=str(word))]):
            name = place(left)
            return (name, word.lower()) if name else None
    return None


def _flags(body: list[Any]) -> Iterator[tuple[Any, Any]]:
    """The calls in a branch that are told `train=True` or `split="train"`, with that keyword."""
    for call in (n for s in body for n in walk(s) if isinstance(n, ast.Call)):
        for keyword in call.keywords:
            value = getattr(keyword.value, "value", None) if isinstance(keyword.value, ast.Constant) else None
            if (keyword.arg == "train" and value is True) or (keyword.arg == "split" and value == "train"):
                yield call, keyword
