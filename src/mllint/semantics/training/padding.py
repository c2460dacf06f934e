"""Which token pads a text, and is it the one that ends it?

    tokenizer.pad_token = tokenizer.eos_token                       # `pads_with_end`
    DataCollatorForLanguageModeling(tokenizer, mlm=False)           # leaves padding out of the loss

What is asked is about one tokenizer, recognised by its identity, or by its name in the same function where nothing is
known of it. Texts that are joined into blocks are not padded.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.views import Argument
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import Binding, Function, Module
from mllint.semantics.syntax.nodes import place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topic_names import Topic
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import UNKNOWN, Value

__all__ = ["packs", "pads_with_end"]

_PADDING = ("pad_token", "pad_token_id")
_END = ("eos_token", "eos_token_id")


def pads_with_end(tokenizer: Argument) -> Site | None:
    """Where the token that ends a text becomes the one that pads, for a tokenizer; None if it does not, for certain."""
    value = tokenizer.value
    has_padding = _has_padding(value, tokenizer.project)
    modules = [tokenizer.module, *(v.site.module for v in value.alternatives if v.site is not None)]
    found: list[Site] = []
    for module in dict.fromkeys(modules):
        for function in module.functions:
            for binding, name in _padding_tokens(function):
                frame = tokenizer.project.frame(function)
                if _is_tokenizer(binding, name, frame, tokenizer, value):
                    if not _is_end(binding.value, name) or (has_padding and _is_where_missing(binding, name, function)):
                        return None
                    found.append(Site(module, binding.node))
    return found[0] if found else None


def _has_padding(tokenizer: Value, project: Project) -> bool:
    """Was a tokenizer loaded by the name of weights whose tokenizer has a token that pads?"""
    for site in (v.site for v in tokenizer.alternatives):
        node = site.node if site is not None else None
        if site is not None and isinstance(node, ast.Call) and node.args:
            around = next((f for f in site.module.functions if any(c is node for c in f.calls)), site.module.body)
            name = evaluate(node.args[0], project.frame(around)).literal
            if isinstance(name, str) and topics.is_about(name, Topic.WITH_PADDING):
                return True
    return False


def _is_where_missing(binding: Binding, name: str, function: Function) -> bool:
    """Does an assignment stand where there is no padding token: `if tokenizer.pad_token is None`?"""
    for node in walk(function.node):
        if isinstance(node, ast.If) and any(binding.node is n for s in node.body for n in walk(s)):
            asked = node.test.left if isinstance(node.test, ast.Compare) else getattr(node.test, "operand", None)
            if place(asked) in (f"{name}.pad_token", f"{name}.pad_token_id"):
                return True
    return False


def _padding_tokens(function: Function) -> Iterator[tuple[Binding, str]]:
    """The assignments to the padding token of something, with the name of that something."""
    for place_, bindings in function.bindings.items():
        owner, _, attribute = place_.rpartition(".")
        if attribute in _PADDING and owner:
            yield from ((b, owner) for b in bindings if b.kind == "assign")


def _is_tokenizer(binding: Binding, name: str, frame: Frame, tokenizer: Argument, value: Value) -> bool:
    """Is what an assignment changes this tokenizer: the same object, or the same name in the same function?"""
    if frame.function is tokenizer.function and name == place(tokenizer.node):
        return True
    owner = _owner(binding)
    changed = evaluate(owner, frame) if owner is not None else UNKNOWN
    return changed.same_as(value) is True or (changed.site is not None and changed.site == value.site)


def _owner(binding: Binding) -> Any:
    """`tokenizer` of `tokenizer.pad_token = ...`."""
    target = binding.node.targets[0] if isinstance(binding.node, ast.Assign) else binding.node
    return target.value if isinstance(target, ast.Attribute) else None


def _is_end(node: Any, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _END and place(node.value) == name


def packs(module: Module) -> bool:
    """Are texts joined, or cut into blocks of one length, so that nothing is padded: `sum(examples[k], [])`,
    `chain(*examples[k])`, `packing=True`, `return_overflowing_tokens=True`?"""
    joined = [c for name in ("chain", "from_iterable") for c, _ in module.calls_by_name.get(name, ())]
    summed = [c for c, _ in module.calls_by_name.get("sum", ()) if len(c.args) == 2 and _is_empty(c.args[1])]
    cutting = [c for word in _CUTTING for c, _ in module.calls_by_keyword.get(word, ())]
    asked = [k for c in cutting for k in c.keywords if k.arg in _CUTTING]
    return bool(joined or summed) or any(getattr(k.value, "value", True) is not False for k in asked)


_CUTTING = ("packing", "return_overflowing_tokens")


def _is_empty(node: Any) -> bool:
    return isinstance(node, ast.List) and not node.elts
