"""Which part of the data is a dataset told to be, by the word that it is given: `MNIST(root, train=False)`?

The words are those of arguments that choose samples, written out. What the argument is about says more than its word
where both are there: `Rows(valid_df, phase="test")` reads validation rows as test rows are read.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Literal

from mllint.semantics.syntax.nodes import Node, last_name

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import FunctionScope
    from mllint.semantics.syntax.records import DataPart
    from mllint.semantics.values.value import Value

__all__ = ["chosen_part", "is_named_validation", "part_of_unknown_dataset"]

_SPLIT_WORDS: dict[str, DataPart] = {
    "train": "train", "training": "train", "val": "heldout", "valid": "heldout", "validation": "heldout",
    "eval": "heldout",
    "dev": "heldout", "test": "test", "testing": "test",
}  # fmt: skip
_CHOOSING = ("split", "mode", "phase", "partition", "subset", "flag", "image_set", "set_type", "set")


def part_of_unknown_dataset(node: Node) -> DataPart | Literal[""]:
    """The part that an unknown dataset is told, by its own name and a word that names the part and nothing else:
    `PairDataset(root, "test")`, `PairDataset(root, split="test")`; "" if it is told none, or several."""
    if not isinstance(node, ast.Call) or not last_name(node.func).endswith(("Dataset", "DataSet")):
        return ""
    words = [a.value for a in node.args if isinstance(a, ast.Constant)]
    words += [k.value.value for k in node.keywords if k.arg in _CHOOSING and isinstance(k.value, ast.Constant)]
    found = {_SPLIT_WORDS[w.lower()] for w in words if isinstance(w, str) and w.lower() in _SPLIT_WORDS}
    validates = found == {"test"} and any(is_named_validation(a) for a in node.args)
    return "heldout" if validates else found.pop() if len(found) == 1 else ""


def is_named_validation(argument: Node) -> bool:
    """Is an argument called validation data by its user?"""
    return any(_SPLIT_WORDS.get(word) == "heldout" for word in last_name(argument).lower().split("_"))


def chosen_part(name: str, value: Value, init: FunctionScope) -> DataPart | Literal[""]:
    """The part of a dataset that an argument chooses: `train=False`, `split="test"`; "" if it chooses none.

    Args:
        name: the parameter.
        value: what it is given.
        init: the constructor of the dataset.
    """
    chosen = value.literal
    if isinstance(chosen, bool) and name in ("train", "training", "is_train", "is_training"):
        return "train" if chosen else ("test" if init.stubbed else "heldout")
    if isinstance(chosen, str) and name in _CHOOSING:
        return _SPLIT_WORDS.get(chosen.lower(), "")
    return ""
