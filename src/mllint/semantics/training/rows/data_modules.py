"""Do the methods of a data module give the loaders of the parts that they are named for?

`train_dataloader`, `val_dataloader` and `test_dataloader` read one dataset each. Where two of them read the same one,
and a part that was split off beside it is read by nobody, one of them took the wrong part.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.syntax.module import assigned, last_name, place, walk
from mllint.semantics.values.lineage import statements

__all__ = ["taken_twice"]


def taken_twice(owner: Any, name: str, other: str) -> Iterator[tuple[Any, str, str]]:
    """The dataset that two methods of a class read, and the part beside it that nobody reads.

    Args:
        owner: the class.
        name: the method that reads the wrong part.
        other: the method whose part it is.

    Yields:
        The dataset where the first method reads it, its place, and that of the unread part.
    """
    first, second = owner.methods.get(name), owner.methods.get(other)
    one, two = (_loaded(m) if m is not None else None for m in (first, second))
    used = place(one)
    if used is None or used != place(two) or "." not in used:
        return
    targets = [t for f in owner.methods.values() for t in _targets(f)]
    train = owner.methods.get("train_dataloader")
    divided = place(_loaded(train)) if train is not None else None
    beside = [t for found in targets if divided in found for t in found if t != used and "." in t]
    bound = [t for found in targets for t in found]
    spare = next((t for t in beside if bound.count(t) == 1 and not _read(t, owner)), None)
    if spare is not None and bound.count(used) == 1:
        yield one, used, spare


def _loaded(method: Any) -> Any:
    """The dataset of the one loader that a method returns."""
    found = [r.value for r in method.returns]
    call = found[0] if len(found) == 1 else None
    if isinstance(call, ast.Call) and last_name(call.func) == "DataLoader":
        given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "dataset")]
        return given[0] if given else None
    return None


def _targets(method: Any) -> Iterator[list[str]]:
    """The places that one statement binds together: `self.train, self.val = random_split(...)`."""
    for statement in statements(method):
        for target, _ in assigned(statement):
            if isinstance(target, (ast.Tuple, ast.List)):
                yield [place(t) or "" for t in target.elts]
            elif place(target) is not None:
                yield [place(target) or ""]


def _read(name: str, owner: Any) -> bool:
    """Does a method read a place?"""
    nodes = (n for f in owner.methods.values() for s in f.body for n in walk(s))
    return any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load) and place(n) == name for n in nodes)
