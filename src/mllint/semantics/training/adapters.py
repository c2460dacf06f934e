"""What do the adapters of a model train besides themselves?

    tokenizer.add_special_tokens({"additional_special_tokens": ["<tool>"]})     # `added_tokens`
    model.resize_token_embeddings(len(tokenizer))
    LoraConfig(target_modules=["q_proj"])                                       # `trains_embeddings`: no
    LoraConfig(target_modules=["q_proj"], modules_to_save=["embed_tokens"])     # yes

Embeddings of tokens that pad are no loss: padding is neither seen nor predicted.
"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.sites import Site
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import MappingValue, Value

__all__ = ["added_tokens", "trains_embeddings"]

_WHERE = ("modules_to_save", "trainable_token_indices", "target_parameters")
_PADS = frozenset(("pad_token",))


def added_tokens(project: Project) -> Site | None:
    """Where tokens are added that carry meaning, in a program that resizes the embeddings of its model."""
    if not project.calls_named("resize_token_embeddings"):
        return None
    for name in ("add_tokens", "add_special_tokens"):
        for node, scope in project.calls_named(name):
            function = function_of(scope)
            if function is not None and node.args:
                call = Call(node, project.frame(function))
                if name == "add_tokens" or _carries_meaning(call.value_of(node.args[0])):
                    return call.site
    return None


def _carries_meaning(tokens: Value) -> bool:
    """Is another token than padding among those of `add_special_tokens({...})`?"""
    return isinstance(tokens, MappingValue) and bool(tokens.entries.keys() - _PADS)


def trains_embeddings(config: Call) -> bool:
    """Whether the configuration of adapters may train the embeddings, too: it says so, or it is not known."""
    if config.is_open or any(config.argument(name) is not None for name in _WHERE):
        return True
    targets = config.argument("target_modules")
    return targets is not None and not _names_no_embedding(targets.node)


def _names_no_embedding(node: Any) -> bool:
    """Is it a list of names, or one word, none of which is that of an embedding?"""
    names = node.elts if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]
    written = [n.value for n in names if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return len(written) == len(names) and not any(
        word in name for name in written for word in ("emb", "wte", "lm_head")
    )
