"""What do the adapters of a model train besides themselves?

    tokenizer.add_special_tokens({"additional_special_tokens": ["<tool>"]})
    model.resize_token_embeddings(len(tokenizer))
    config = LoraConfig(target_modules=["q_proj"])
    model = get_peft_model(model, config)                                       # `untrained_tokens`: the first line
    LoraConfig(target_modules=["q_proj"], modules_to_save=["embed_tokens"])     # None: the embeddings are trained

    model = AutoModelForSequenceClassification.from_pretrained("roberta-base", num_labels=4)
    get_peft_model(model, LoraConfig(target_modules=["query"]))                     # `frozen_head`: the classifier
    get_peft_model(model, LoraConfig(target_modules=["query"], task_type="SEQ_CLS"))    # None: PEFT trains and saves it

A model may be one of several, by the classes that a program chooses from: one with a new head is enough, unless the
program chooses among configurations too, or asks before it adds adapters what it asked before it chose the model.
Parameters that a program unfreezes may be those of the head or of the embeddings, but for those that PEFT names itself.

New tokens concern one model only: that whose embeddings were resized to the length of their tokenizer. Adapters of
another model, elsewhere in the program, have nothing to do with them. Embeddings of tokens that pad are no loss:
padding is neither seen nor predicted.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope, Scope
from mllint.semantics.syntax.nodes import Node, is_within, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topic_names import Topic
from mllint.semantics.training.options import default_parts
from mllint.semantics.values.arguments import Arguments
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, resolve_name
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import MappingValue, Value

__all__ = ["embedding_of", "frozen_head", "task_of_head", "untrained_tokens"]

_WHERE = ("modules_to_save", "trainable_token_indices", "target_parameters")
_PADS = frozenset(("pad_token",))
_WITH_HEAD = "transformers._WithHead"
_EMBEDDINGS = {
    **dict.fromkeys(("Llama", "Mistral", "Qwen2", "Gemma", "Phi", "OPT"), "embed_tokens"),
    **dict.fromkeys(("GPT2", "GPTJ", "GPTNeoFor"), "wte"),
    **dict.fromkeys(("Bloom", "Falcon"), "word_embeddings"),
    "GPTNeoX": "embed_in",
}
"""What models of transformers call the layer that embeds tokens, by the beginning of the name of their class."""
_TASKS = {"SequenceClassification": "SEQ_CLS", "TokenClassification": "TOKEN_CLS"}
"""What PEFT calls a task, by the end of the name of a class of transformers."""
_COUNTS = ("num_labels", "id2label")
_WITHOUT_HEAD = ("CAUSAL_LM", "SEQ_2_SEQ_LM", "FEATURE_EXTRACTION")
_FREEZING = frozenset(("requires_grad",))
_ADDED = ("lora", "ia3")
"""How the names of the parameters begin that PEFT adds: `query.lora_A.default.weight`."""


def untrained_tokens(config: Call) -> tuple[Site, Argument] | None:
    """Where tokens are added to a model whose adapters do not train their embeddings.

    Args:
        config: the configuration of adapters, `LoraConfig(...)`.

    Returns:
        The call that adds the tokens, and the model; None if none are added to this model, or if that is not certain.
    """
    if _trains_embeddings(config) or _unfreezes(config.project):
        return None
    for model in _adapted(config):
        for resize in _calls(config.project, "resize_token_embeddings"):
            owner = _receiver(resize)
            tokenizer = _counted(resize) if owner is not None and _is_same_object(owner, model) else None
            found = _added(tokenizer) if tokenizer is not None else None
            if found is not None:
                return found, model
    return None


def embedding_of(model: Argument) -> str:
    """The name of the layer that embeds the tokens of a model, by its class; an empty text if that does not tell."""
    names = {v.class_name for v in model.value.alternatives}
    found = {layer for name in names for start, layer in _EMBEDDINGS.items() if name.startswith(start)}
    return found.pop() if len(names) == len(found) == 1 else ""


def frozen_head(config: Call) -> Site | None:
    """Where a model was loaded whose new head the adapters neither train nor save.

    Args:
        config: the configuration of adapters, `LoraConfig(...)`.

    Returns:
        The call that loaded it and says how many classes there are; None if something may train the head.
    """
    settings = Arguments(config.node, config.frame)
    if settings.open or not settings.keywords.keys().isdisjoint(_WHERE) or not _knows_no_head(config, settings):
        return None
    if _unfreezes(config.project):
        return None
    for model in _adapted(config):
        for loaded in (v.site for v in model.value.alternatives if v.instance_of(_WITH_HEAD)):
            if loaded is None or not _counts_classes(Call(loaded.node, _around(loaded, config.project))):
                continue
            if len(model.value.alternatives) == 1 or _gets_config(model, loaded, config):
                return loaded
    return None


def _around(site: Site, project: Project) -> Frame:
    """The context of a call: the function that it is written in."""
    functions = site.module.functions
    return project.frame(next((f for f in functions if any(c is site.node for c in f.calls)), site.module.body))


def _gets_config(model: Argument, loaded: Site, config: Call) -> bool:
    """Does a model that is one of several certainly get this configuration: is it the only one that is handed over, and
    is nothing asked before that which was asked before the model was chosen?"""
    others = [a for a in model.call.arguments if a.node is not model.node]
    if any(len(a.value.alternatives) > 1 and config.site in {v.site for v in a.value.alternatives} for a in others):
        return False
    chosen, function = _around(loaded, config.project).function, model.call.function
    names = {n.id for n in walk(loaded.node) if isinstance(n, ast.Name)}
    bound = [b.value for name in names for b in chosen.bindings.get(name, ()) if b.kind == "assign"]
    asked = {word for node in (loaded.node, *bound) for word in _asked(node, chosen)}
    return asked.isdisjoint(word for node in (model.call.node, config.node) for word in _asked(node, function))


def _asked(node: Node, function: FunctionScope) -> set[str]:
    """The last names of what is asked before an expression is computed: in the tests of `if` around it, and in its
    own."""
    tests = [n.test for n in walk(node) if isinstance(n, ast.IfExp)]
    tests += [
        branch.test
        for statement in function.body
        for branch in walk(statement)
        if isinstance(branch, ast.If) and any(is_within(node, s) for s in (*branch.body, *branch.orelse))
    ]
    nodes = [n for test in tests for n in walk(test) if isinstance(n, (ast.Name, ast.Attribute))]
    owners = {id(n.value) for n in nodes if isinstance(n, ast.Attribute)}
    return {last_name(n) for n in nodes if id(n) not in owners}


def task_of_head(loaded: Site) -> str:
    """The `task_type` by which PEFT trains and saves the head of a model; an empty text if there is none.

    Args:
        loaded: the call that loaded the model, `BertForTokenClassification.from_pretrained(...)`.
    """
    cls = (place(loaded.node.func) or "").removesuffix(".from_pretrained")
    return next((task for ending, task in _TASKS.items() if cls.endswith(ending)), "")


def _knows_no_head(config: Call, settings: Arguments) -> bool:
    """Is nothing said of a task with a head of its own, and is no layer adapted that may belong to one?"""
    task = settings.keywords.get("task_type")
    task_type = task.literal if isinstance(task, Value) else place(task) or config.value_of(task).literal
    if task is not None and str(task_type).rpartition(".")[2] not in _WITHOUT_HEAD:
        return False
    names = _adapted_layers(config, settings)
    return names is not None and not any(topics.is_about(name, Topic.HEADS) for name in names)


def _adapted_layers(config: Call, settings: Arguments) -> list[str] | None:
    """The names of the layers that are adapted, as written, or as a setting says unless somebody asks for others; none
    where the library chooses; None where they are not known."""
    given = settings.keywords.get("target_modules", ())
    if not isinstance(given, (Value, tuple)):
        given = default_parts(Origin(given, config.frame))
    parts = given if isinstance(given, tuple) else getattr(given, "parts", (given,))
    names = [part.literal for part in parts]
    return names if all(isinstance(name, str) for name in names) else None


@cached()
def _unfreezes(project: Project) -> bool:
    """Does a program have parameters trained by hand, other than those that PEFT adds: `p.requires_grad = True`,
    `head.requires_grad_()`?"""
    own = [f for m in project.modules if m.source.mentions(_FREEZING) for f in m.functions]
    written = [
        b.value
        for f in own
        for name, bs in f.bindings.items()
        if name.endswith(".requires_grad")
        for b in bs
        if not _is_added(b.node, f)
    ]
    switched = [c.args[0] if c.args else None for c, _ in project.calls_named("requires_grad_")]
    return not all(isinstance(n, ast.Constant) and n.value is False for n in (*written, *switched))


def _is_added(unfrozen: Node, function: FunctionScope) -> bool:
    """Is only what PEFT adds unfrozen, by its name: `if "lora_" in name: parameter.requires_grad = True`?"""
    for statement in function.body:
        for branch in walk(statement):
            match branch:
                case ast.If(test=ast.Compare(left=ast.Constant(value=str(part)), ops=[ast.In()])):
                    if part.startswith(_ADDED) and any(is_within(unfrozen, s) for s in branch.body):
                        return True
    return False


def _counts_classes(load: Call) -> bool:
    """Does a call that loads a model say how many classes its head has, itself or in the configuration that it is
    given?"""
    given = load.argument("config")
    built = resolve_name(given.node, given.function) if given is not None else None
    keywords = [*load.node.keywords, *(built.keywords if isinstance(built, ast.Call) else ())]
    return any(k.arg in _COUNTS for k in keywords)


def _adapted(config: Call) -> Iterator[Argument]:
    """The models that get their adapters from a configuration."""
    for call in _calls(config.project, "get_peft_model"):
        if _takes_config(call, config) and call.node.args:
            yield Argument(call.node.args[0], call, "model")
    for module in config.project.modules:
        for call in _views(module.calls_by_keyword.get("peft_config", ()), config.project):
            model = call.argument("model")
            if model is not None and _takes_config(call, config):
                yield model


def _takes_config(call: Call, config: Call) -> bool:
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


def _is_same_object(one: Argument, other: Argument) -> bool:
    """Are two expressions one object: known as such, or one place of the same function, or of the same instance?"""
    name = place(one.node)
    if name is not None and name == place(other.node):
        if one.function is other.function:
            return True
        if name.startswith("self.") and one.function.owner is other.function.owner is not None:
            return True
    built = one.value.site
    return one.value.same_as(other.value) is True or (built is not None and built == other.value.site)


def _added(tokenizer: Argument) -> Site | None:
    """Where tokens that carry meaning are added to a tokenizer."""
    for name in ("add_tokens", "add_special_tokens"):
        for call in _calls(tokenizer.project, name):
            owner = _receiver(call)
            if owner is not None and call.node.args and _is_same_object(owner, tokenizer):
                if name == "add_tokens" or _carries_meaning(call.value_of(call.node.args[0])):
                    return call.site
    return None


def _carries_meaning(tokens: Value) -> bool:
    """Is another token than padding among those of `add_special_tokens({...})`?"""
    return isinstance(tokens, MappingValue) and bool(tokens.entries.keys() - _PADS)


def _trains_embeddings(config: Call) -> bool:
    """Whether the configuration of adapters may train the embeddings, too: it says so, or it is not known."""
    settings = Arguments(config.node, config.frame)
    if settings.open or not settings.keywords.keys().isdisjoint(_WHERE):
        return True
    names = _adapted_layers(config, settings)
    return names is None or any(word in name for name in names for word in ("emb", "wte", "lm_head"))
