"""What do the adapters of a model train besides themselves?

    tokenizer.add_special_tokens({"additional_special_tokens": ["<tool>"]})
    model.resize_token_embeddings(len(tokenizer))
    config = LoraConfig(target_modules=["q_proj"])
    model = get_peft_model(model, config)                                       # `untrained_tokens`: the first line
    LoraConfig(target_modules=["q_proj"], modules_to_save=["embed_tokens"])     # None: the embeddings are trained

    model = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=4)
    get_peft_model(model, LoraConfig(target_modules=["query"]))                     # `frozen_head`: the classifier
    get_peft_model(model, LoraConfig(target_modules=["query"], task_type="SEQ_CLS"))    # None: PEFT trains and saves it

New tokens concern one model only: that whose embeddings were resized to the length of their tokenizer. Adapters of
another model, elsewhere in the program, have nothing to do with them. Embeddings of tokens that pad are no loss:
padding is neither seen nor predicted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import Module, Scope
from mllint.semantics.syntax.nodes import place
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topic_names import Topic
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import MappingValue, Value

__all__ = ["frozen_head", "untrained_tokens"]

_WHERE = ("modules_to_save", "trainable_token_indices", "target_parameters")
_PADS = frozenset(("pad_token",))
_WITH_HEAD = "transformers._WithHead"
_WITHOUT_HEAD = ("CAUSAL_LM", "SEQ_2_SEQ_LM", "FEATURE_EXTRACTION")


def untrained_tokens(config: Call) -> Site | None:
    """Where tokens are added to a model whose adapters do not train their embeddings.

    Args:
        config: the configuration of adapters, `LoraConfig(...)`.

    Returns:
        The call that adds the tokens; None if none are added to this model, or if that is not certain.
    """
    if _trains_embeddings(config):
        return None
    for model in _adapted(config):
        for resize in _calls(config.project, "resize_token_embeddings"):
            owner = _receiver(resize)
            tokenizer = _counted(resize) if owner is not None and _same(owner, model) else None
            found = _added(tokenizer) if tokenizer is not None else None
            if found is not None:
                return found
    return None


def frozen_head(config: Call) -> Site | None:
    """Where a model was loaded whose new head the adapters neither train nor save.

    Args:
        config: the configuration of adapters, `LoraConfig(...)`.

    Returns:
        The call that loaded it and says how many classes there are; None if something may train the head.
    """
    if config.is_open or any(config.argument(name) is not None for name in _WHERE) or not _knows_no_head(config):
        return None
    if config.project.calls_named("requires_grad_") or any(_unfreezes(m) for m in config.project.modules):
        return None
    for model in _adapted(config):
        loaded = model.value.site
        if model.value.instance_of(_WITH_HEAD) and loaded is not None and _counts_classes(loaded.node):
            return loaded
    return None


def _knows_no_head(config: Call) -> bool:
    """Is nothing said of a task with a head of its own, and is no layer adapted that may belong to one?"""
    task, targets = config.argument("task_type"), config.argument("target_modules")
    said = (place(task.node) or str(task.value.literal)).rpartition(".")[2] if task is not None else "CAUSAL_LM"
    if said not in _WITHOUT_HEAD:
        return False
    names = getattr(targets.node, "elts", [targets.node]) if targets is not None else []
    return all(
        isinstance(n, ast.Constant) and isinstance(n.value, str) and not topics.is_about(n.value, Topic.HEADS)
        for n in names
    )


def _unfreezes(module: Module) -> bool:
    """Does a file set `requires_grad` by hand?"""
    return not module.is_stub and any(
        name.rpartition(".")[2] == "requires_grad" for function in module.functions for name in function.bindings
    )


def _counts_classes(node: Any) -> bool:
    """Does a call that loads a model say how many classes its head has?"""
    return isinstance(node, ast.Call) and any(k.arg in ("num_labels", "id2label") for k in node.keywords)


def _adapted(config: Call) -> Iterator[Argument]:
    """The models that get their adapters from a configuration."""
    for call in _calls(config.project, "get_peft_model"):
        if _takes(call, config) and call.node.args:
            yield Argument(call.node.args[0], call, "model")
    for module in config.project.modules:
        for call in _views(module.calls_by_keyword.get("peft_config", ()), config.project):
            model = call.argument("model")
            if model is not None and _takes(call, config):
                yield model


def _takes(call: Call, config: Call) -> bool:
    """Is a configuration among the arguments of a call?"""
    return any(
        a.node is config.node or any(v.site == config.site for v in a.value.alternatives) for a in call.arguments
    )


def _calls(project: Project, name: str) -> Iterator[Call]:
    return _views(project.calls_named(name), project)


def _views(calls: Iterable[tuple[ast.Call, Scope]], project: Project) -> Iterator[Call]:
    for node, scope in calls:
        function = function_of(scope)
        if function is not None:
            yield Call(node, project.frame(function))


def _receiver(call: Call) -> Argument | None:
    func = call.node.func
    return Argument(func.value, call, "self") if isinstance(func, ast.Attribute) else None


def _counted(resize: Call) -> Argument | None:
    """`tokenizer` of `model.resize_token_embeddings(len(tokenizer))`."""
    match resize.node.args:
        case [ast.Call(func=ast.Name(id="len"), args=[tokenizer]), *_]:
            return Argument(tokenizer, resize, "tokenizer")
    return None


def _same(one: Argument, other: Argument) -> bool:
    """Are two expressions one object: known as such, or one place of the same function, or of the same instance?"""
    name = place(one.node)
    if name is not None and name == place(other.node):
        if one.function is other.function:
            return True
        if name.startswith("self.") and one.function.owner is other.function.owner is not None:
            return True
    return one.value.same_as(other.value) is True


def _added(tokenizer: Argument) -> Site | None:
    """Where tokens that carry meaning are added to a tokenizer."""
    for name in ("add_tokens", "add_special_tokens"):
        for call in _calls(tokenizer.project, name):
            owner = _receiver(call)
            if owner is not None and call.node.args and _same(owner, tokenizer):
                if name == "add_tokens" or _carries_meaning(call.value_of(call.node.args[0])):
                    return call.site
    return None


def _carries_meaning(tokens: Value) -> bool:
    """Is another token than padding among those of `add_special_tokens({...})`?"""
    return isinstance(tokens, MappingValue) and bool(tokens.entries.keys() - _PADS)


def _trains_embeddings(config: Call) -> bool:
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
