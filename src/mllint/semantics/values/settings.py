"""Which unknown values are given from outside, so that no gradient flows from them: settings of a run, and batches?

`args.weight`, `cfg["loss"]["alpha"]`, a parameter that is annotated `float` or has a number as its default, an option
of a command. Their value is not known; that a loss which is multiplied by one carries no other gradients than its
own, is. So it is with what a loop draws from something that is called a loader. Read from names and annotations, so
nothing else is claimed: what is given may be of any type and value.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.syntax.nodes import Node, iterable_of, last_name
from mllint.semantics.syntax.topics import Topic, is_about

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import FunctionScope, Parameter

__all__ = ["is_loader_by_name", "is_plain", "is_setting_parameter", "is_settings_name"]

_HOLDERS = frozenset(
    stem + tail
    for stem in "arg args cfg config conf configs opt opts options hparams hparam hps hp flags settings hyperparams "
    "hyperparameters hyper_params kwargs".split()
    for tail in ("", "_", "_dict")
)
_PLAIN = frozenset(("float", "int", "bool", "str"))


def is_settings_name(node: Node) -> bool:
    """Is it a place by the name of a configuration: `args`, `self.cfg`, `train_config`?"""
    name = last_name(node).lower()
    return name in _HOLDERS or name.rpartition("_")[2] in _HOLDERS


def is_setting_parameter(function: FunctionScope, parameter: Parameter) -> bool:
    """Is a parameter a setting, by its annotation, by a number as its default, or as an option of a command?"""
    annotation, default = parameter.annotation, parameter.default
    if annotation is not None:
        return is_plain(annotation)
    if isinstance(default, ast.Constant) and default.value.__class__ in (int, float):
        return True
    return bool(function.decorators) and function.decorated("command")


def is_loader_by_name(node: Node) -> bool:
    """Is it a loader by its name, whatever counts or shows it: `tqdm(train_loader)`, `self.dl`?"""
    return is_about(last_name(iterable_of(node)), Topic.ROWS_BY_NAME)


def is_plain(annotation: Node) -> bool:
    """Is an annotation that of a number, a word or a flag: `float`, `Optional[float]`, `float | None`?"""
    match annotation:
        case ast.Name(id=name):
            return name in _PLAIN
        case ast.Subscript(value=base, slice=inner) if last_name(base) == "Optional":
            return is_plain(inner)
        case ast.BinOp(left=left, right=ast.Constant(value=None)):
            return is_plain(left)
    return False
