"""What do the labels of a language model hold: what is left out of the loss?

    encoded = tokenizer(text, padding="max_length")
    encoded["labels"] = encoded["input_ids"].copy()                 # `copied_labels`: the padding is a label, too

A causal model of transformers leaves out what is labelled -100. A collator for language
modelling writes the labels, -100 wherever the padding token stands. What is asked here is about one tokenizer, one
model or one encoding, recognised by its identity, or by its name in the same function where nothing is known of it.

Deliberately not done: texts are not read, and no tokenizer is loaded, so that nothing is known of its vocabulary.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Argument, Call, FunctionView
from mllint.semantics.libraries._names import CAUSAL_MODELS
from mllint.semantics.libraries.classes import TOKENIZER, TRAINER
from mllint.semantics.libraries.tensor_methods import MAKES, SAME_ENTRIES
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.finetuning.padding import masks_padding, packs_texts, padding_of
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, bound_values, origins, resolve_name, results_of
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import Value

__all__ = [
    "BUILDING", "CAUSAL", "COLLATOR", "MASKED", "cannot_mask_tokens", "collated_labels", "copied_labels",
    "disables_masking", "excludes_padding_from_loss", "find_trained_model", "handles_ignored_labels",
    "has_label_writing_collator", "is_tokenizer_call", "labels_of", "labels_padded_by_hand", "masks_tokens",
    "trains_by_labels",
]  # fmt: skip

CAUSAL = "transformers._CausalLM"
BUILDING = " ".join(("from_pretrained", "from_config", *sorted(CAUSAL_MODELS)))
"""The last names of calls by which a program gets a causal model."""
MASKED = "transformers._MaskedLM"
COLLATOR = "transformers.DataCollatorForLanguageModeling"
_MASKLESS = "transformers._MasklessTokenizer"
_COPYING = SAME_ENTRIES | {"deepcopy"}
_ENCODING = ("encode_plus", "batch_encode_plus")
"""Methods by which a tokenizer gives what a call of it gives."""
_LEFT_OUT = ("ignore_index", "label_pad_token_id")
_STEPS = 6
_MAKING = MAKES | {"stack", "list"}


def has_label_writing_collator(call: Call | FunctionView) -> bool:
    """Is there a collator for language modelling in the file of a call, which writes the labels itself, whatever was
    there: one that is built, or one that a trainer is given?"""
    collating = call.module.calls_by_keyword.get("data_collator", ())
    views = [Call(node, call.project.frame(f)) for node, scope in collating if (f := function_of(scope)) is not None]
    given = [a.value for view in views if (a := view.argument("data_collator")) is not None]
    return "DataCollatorForLanguageModeling" in call.module.calls_by_name or any(v.instance_of(COLLATOR) for v in given)


def handles_ignored_labels(function: FunctionScope) -> bool:
    """Does a function know the label that is left out of the loss: `-100`, `labels >= 0`, `labels != -1`?"""
    return any(_mentions_ignored_label(node) for node in walk(function.node))


@cached()
def excludes_padding_from_loss(project: Project) -> bool:
    """Does a program leave padding out of some loss: does it write -100, name the label that is left out, or compare
    something with the padding? To look for -100 among labels, as those do that decode them, is none of it."""
    return any(_writes_ignored_label(walk(m.tree)) for m in project.modules if not m.is_stub)


def _writes_ignored_label(nodes: list[Node]) -> bool:
    compares = [n for n in nodes if isinstance(n, ast.Compare)]
    compared = [side for n in compares for side in (n.left, *n.comparators)]
    compared += [n.args[0] for n in nodes if isinstance(n, ast.Call) and last_name(n.func) in ("eq", "ne") and n.args]
    if any((place(side) or "").endswith("pad_token_id") for side in compared):
        return True
    looked_for = {id(side) for side in compared}
    return any(_is_ignored(n) and id(n) not in looked_for for n in nodes)


def _is_ignored(node: Node) -> bool:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=100)):
            return True
        case ast.keyword(arg="ignore_index" | "label_pad_token_id"):
            return True
    return place(node) in _LEFT_OUT


def _mentions_ignored_label(node: Node) -> bool:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=100)):
            return True
        case ast.Compare(ops=[ast.GtE() | ast.Lt()], comparators=[ast.Constant(value=0)]):
            return True
        case ast.Compare(ops=[ast.NotEq() | ast.Gt()], comparators=[ast.UnaryOp(op=ast.USub())]):
            return True
    return place(node) in _LEFT_OUT


def copied_labels(call: Call) -> Site | None:
    """Where the ids of a padded encoding become labels, unchanged.

    Args:
        call: a call of a tokenizer, `tokenizer(texts, padding=True)`, or of its method `pad`.

    Returns:
        Where the ids become labels; None if they do not, or if it is not certain that something was padded.
    """
    if not _pads_texts(call) or handles_ignored_labels(call.function) or _encodes_words(call):
        return None
    encoded = _bound_to(call)
    if encoded is None:
        return _of_another(call, None) or _of_target(call)
    shown = _shown_as_labels(call, encoded)
    if shown is not None:
        return shown
    for name, bindings in call.function.bindings.items():
        if name in (f"{encoded}['labels']", f'{encoded}["labels"]'):
            found = next((b for b in bindings if _copied_from(_unchanged(b.value, call.function)) == encoded), None)
            return Site(call.module, found.node) if found is not None else None
    return _find_labels_argument(call, encoded) or _of_another(call, encoded) or _of_target(call)


def is_tokenizer_call(call: Call) -> bool:
    """Whether a call encodes texts: `tokenizer(texts)`, `tokenizer.encode_plus(text)`."""
    if call.callee.instance_of(TOKENIZER):
        return True
    return call.last_name in _ENCODING and call.receiver is not None and call.receiver.instance_of(TOKENIZER)


def _pads_texts(call: Call) -> bool:
    """Whether `call` is one of a tokenizer that pads what is shorter than the rest."""
    padding = call.argument("padding")
    if is_tokenizer_call(call):
        return padding is not None and padding.value.truth is True
    if call.last_name != "pad" or call.receiver is None or not call.receiver.instance_of(TOKENIZER):
        return False
    cut = any(packs_texts(m) for m in _own(call.project)) or excludes_padding_from_loss(call.project)
    return not cut and (padding is None or padding.value.truth is True)


def _encodes_words(call: Call) -> bool:
    """Are the texts a choice of words that are written down, `"yes" if y else "no"`: classes by the names of their
    tokens, and no texts of which some are shorter?"""
    texts = call.arguments[0].value if call.arguments else None
    words = [v for part in texts.contents for v in part.alternatives] if texts is not None else []
    return bool(words) and all(isinstance(v.literal, str) and v.literal.isalpha() for v in words)


def _of_another(call: Call, encoded: str | None) -> Site | None:
    """Where the ids of an encoding become the labels of another one, as those of a target do, in a program that nowhere
    leaves padding out: `inputs["labels"] = targets["input_ids"]`.

    Args:
        call: the call that gives the encoding.
        encoded: the name of the encoding; None if only what the call gives is read: `tokenizer(targets).input_ids`.
    """
    for value in labels_of(call.function):
        source = _source(_unchanged(value, call.function))
        if source is call.node or (encoded is not None and place(source) == encoded):
            return None if excludes_padding_from_loss(call.project) else Site(call.module, value)
    return None


def labels_padded_by_hand(function: FunctionView) -> Iterator[tuple[Site, Site]]:
    """The labels that a list of the padding token is added to, and where, in a program that masks no padding and has a
    model of transformers, whose loss leaves out -100 only: `{"labels": [ids + [tokenizer.pad_token_id] * n]}`."""
    shown = [v for v in labels_of(function.scope) if not isinstance(v, ast.Constant)]
    if not shown or not trains_by_labels(function.project) or masks_padding(function.project):
        return
    for value in shown:
        padded = _padded(value, function.frame, _STEPS)
        if padded is not None:
            yield Site(function.module, value), padded


def _padded(node: Node, frame: Frame, steps: int) -> Site | None:
    """Where the padding token of a tokenizer is put behind, or before, what something is: through names, tensors that
    are made of it, lists of all rows, and functions that give it."""
    inner: list[Origin] = []
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            if any(_is_padding(part, frame) for part in (left, right)):
                return Site(frame.module, node)
        case ast.ListComp(elt=each):
            inner = [Origin(each, frame)]
        case ast.Name():
            bound = bound_at(node, frame.function)
            added = [b.value for b in bound if b.kind == "aug" and isinstance(b.value, ast.AugAssign)]
            if len(bound) == 1 and any(_is_padding(a.value, frame) for a in added):
                return Site(frame.module, added[0])
            plain = len(bound) == 1 and bound[0].kind in ("assign", "with", "param") and not bound[0].path
            inner = list(bound_values(bound[0], frame)) if plain else []
            if len(inner) == 1 and isinstance(inner[0].node, ast.List) and not inner[0].node.elts:
                inner = [Origin(row, frame) for row in _appended(node.id, frame.function)]
        case ast.Subscript(value=whole, slice=ast.Slice(lower=None, step=None)):
            inner = [Origin(whole, frame)]
        case ast.Call(func=ast.Attribute(attr=attr, value=whole)) if attr in _COPYING:
            inner = [Origin(whole, frame)]
        case ast.Call(args=[whole, *_]) if last_name(node.func) in _MAKING:
            inner = [Origin(whole, frame)]
        case ast.Call():
            inner = [Origin(value, within) for value, within in results_of(node, frame)]
    found = [_padded(o.node, o.frame, steps - 1) for o in inner] if steps else []
    return found[0] if found and None not in found else None


def _appended(name: str, function: FunctionScope) -> list[Node]:
    """What a function appends to a list."""
    return [c.args[0] for c in function.calls if place(c.func) == f"{name}.append" and len(c.args) == 1]


def _is_padding(node: Node, frame: Frame) -> bool:
    """Is it `[tokenizer.pad_token_id] * n`?"""
    match node:
        case ast.BinOp(left=ast.List(elts=[one]), op=ast.Mult()) | ast.BinOp(op=ast.Mult(), right=ast.List(elts=[one])):
            return padding_of(one, frame) is not None
    return False


@cached()
def trains_by_labels(project: Project) -> bool:
    """Does a program name a class of language models of transformers, whose loss counts all labels but -100?"""
    words = ("ForCausalLM", "LMHeadModel", "ForConditionalGeneration", "ForSeq2SeqLM")
    return any(m.source is not None and any(map(m.source.holds, words)) for m in _own(project))


def collated_labels(call: Call) -> Site | None:
    """Where labels or ids that a tokenizer pads become the labels of a batch, in a program that nowhere leaves padding
    out: `tokenizer.pad([{"input_ids": row["labels"]} for row in rows])`."""
    rows = resolve_name(call.node.args[0], call.function) if call.node.args else None
    if not isinstance(rows, ast.ListComp) or not _shows_labels_as_ids(rows.elt):
        return copied_labels(call)
    if handles_ignored_labels(call.function) or excludes_padding_from_loss(call.project):
        return None
    padded = _bound_to(call)
    for value in labels_of(call.function):
        for held in _held(value, call.function):
            source = _source(held)
            if source is call.node or (padded is not None and place(source) == padded):
                return Site(call.module, value)
    return None


def _shows_labels_as_ids(row: Node) -> bool:
    """Is it `{"input_ids": row["labels"]}`?"""
    entries = zip(row.keys, row.values, strict=True) if isinstance(row, ast.Dict) else ()
    shown = next((v for k, v in entries if isinstance(k, ast.Constant) and k.value == "input_ids"), None)
    return isinstance(shown, ast.Subscript) and getattr(shown.slice, "value", None) == "labels"


def _held(node: Node, function: FunctionScope) -> list[Node]:
    """What a name holds that is only cut after it was bound, as in `labels = labels[:, 1:]`; else the node itself."""
    bound = function.bindings.get(node.id, []) if isinstance(node, ast.Name) else []
    values = [b.value for b in bound if b.kind == "assign" and not b.path]
    kept = [v for v in values if not (isinstance(v, ast.Subscript) and place(v.value) == place(node))]
    return kept if len(values) == len(bound) and len(kept) == 1 else [node]


def labels_of(function: FunctionScope) -> Iterator[Node]:
    """What a function stores, or shows, as labels: `encoded["labels"] = ids`, `{"labels": ids}`."""
    for name, bindings in function.bindings.items():
        if name.endswith(("['labels']", '["labels"]')):
            yield from (b.value for b in bindings if b.kind == "assign" and not b.path)
    for row in function.nodes_of(ast.Dict):
        named = zip(row.keys, row.values, strict=True)
        yield from (v for k, v in named if isinstance(k, ast.Constant) and k.value == "labels")
    for call in function.nodes_of(ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id == "dict":
            yield from (k.value for k in call.keywords if k.arg == "labels")


def _unchanged(node: Node, function: FunctionScope) -> Node:
    """What a name holds, unless something is stored into it: `labels = encoded["input_ids"].copy()`."""
    if isinstance(node, ast.Name) and not any(name.startswith(f"{node.id}[") for name in function.bindings):
        return resolve_name(node, function)
    return node


def _of_target(call: Call) -> Site | None:
    """The target that is padded as the text is: `tokenizer(texts, text_target=summaries, padding="max_length")`."""
    target, text = call.argument("text_target"), call.argument("text")
    if target is None or text is None or excludes_padding_from_loss(call.project):
        return None
    return target.site


def _shown_as_labels(call: Call, encoded: str) -> Site | None:
    """Where a row of an encoding, kept as an attribute, is given out with its ids as labels, too:
    `{"input_ids": self.encoded["input_ids"][i], "labels": self.encoded["input_ids"][i]}`."""
    owner = call.function.owner
    methods = owner.methods.values() if owner is not None and encoded.startswith("self.") else [call.function]
    for method in methods:
        if handles_ignored_labels(method):
            continue
        for node in walk(method.node):
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == "labels" and _row_of(value) == encoded:
                        return Site(call.module, value)
    return None


def _row_of(node: Node) -> str | None:
    """The encoding of `encoded["input_ids"][i]`, and of its copy."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("clone", "copy"):
        node = node.func.value
    return (
        _copied_from(node.value)
        if isinstance(node, ast.Subscript) and _copied_from(node) is None
        else _copied_from(node)
    )


def _bound_to(call: Call) -> str | None:
    """The name that holds the result of a call, moved to a device perhaps."""
    for name, bindings in call.function.bindings.items():
        for binding in bindings:
            if binding.kind == "assign" and not binding.path and _moved(binding.value) is call.node:
                return name
    return None


def _moved(node: Node) -> Node:
    """`encoded` of `encoded.to(device)`."""
    moves = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "to"
    return node.func.value if moves else node


def _copied_from(node: Node) -> str | None:
    """The encoding of `encoded["input_ids"].copy()`, `encoded.input_ids`, `[list(i) for i in encoded["input_ids"]]`."""
    return place(_source(node))


def _source(node: Node) -> Node:
    """The expression of the encoding whose ids, or a copy of whose ids, something is; None if it is none."""
    match node:
        case ast.ListComp(elt=one, generators=[ast.comprehension(target=ast.Name(id=each), iter=whole, ifs=[])]):
            node = whole if _is_copy(one, each) else node
    while isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in _COPYING:
            node = node.args[0] if node.func.attr == "deepcopy" and node.args else node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id in ("list", "deepcopy") and node.args:
            node = node.args[0]
        else:
            return None
    match node:
        case ast.Subscript(slice=ast.Slice(lower=None, upper=None) | ast.Constant(value=0), value=whole):
            node = whole
    match node:
        case ast.Subscript(slice=ast.Constant(value="input_ids"), value=owner):
            return owner
        case ast.Attribute(attr="input_ids", value=owner):
            return owner
    return None


def _is_copy(node: Node, name: str) -> bool:
    """Is it `ids`, `ids[:]`, `ids.copy()`, `list(ids)`?"""
    match node:
        case ast.Subscript(value=inner, slice=ast.Slice(lower=None, upper=None, step=None)):
            return place(inner) == name
        case (
            ast.Call(func=ast.Attribute(attr="copy", value=inner), args=[])
            | ast.Call(func=ast.Name(id="list"), args=[inner])
        ):
            return place(inner) == name
    return place(node) == name


def _find_labels_argument(call: Call, encoded: str) -> Site | None:
    """Where a causal model is given the ids of an encoding as its labels."""
    for node in call.function.calls:
        labels = next((k.value for k in node.keywords if k.arg == "labels"), None)
        if labels is not None and _copied_from(_unchanged(labels, call.function)) == encoded:
            model = Call(node, call.frame).module_run
            if model.instance_of(CAUSAL):
                return Site(call.module, labels)
    return None


def masks_tokens(collator: Value) -> bool:
    """Does a collator learn by hiding tokens (`mlm`), as no causal model does?"""
    given = constructor_argument(collator, "mlm")
    return given is None or given.truth is True


def cannot_mask_tokens(collator: Value, model: Argument) -> bool:
    """Does a collator that is to mask tokens raise, since its tokenizer has no mask token: one of a decoder, or the one
    that the causal model was released with, in a program that nowhere speaks of such a token?

    Args:
        collator: the collator.
        model: the causal model that learns from its batches.
    """
    built = collator.built_with
    made = Call(built.node, built.frame) if built is not None and isinstance(built.node, ast.Call) else None
    tokenizer = made.argument("tokenizer") if made is not None else None
    if tokenizer is None or any(m.source is None or m.source.holds("mask_token") for m in _own(model.frame.project)):
        return False
    if tokenizer.value.instance_of(_MASKLESS):
        return True
    name = _released_as(tokenizer) if tokenizer.value.class_name == TOKENIZER.rpartition(".")[2] else None
    return name is not None and name == _released_as(model)


def _own(project: Project) -> list[ModuleScope]:
    return [m for m in project.modules if not m.is_stub]


def _released_as(argument: Argument) -> object:
    """The first argument of the `from_pretrained` that gives an object: a text, or a place and its function."""
    for origin in origins(argument.node, argument.frame):
        if isinstance(origin.node, ast.Call) and last_name(origin.node.func) == "from_pretrained":
            given = Call(origin.node, origin.frame).argument("pretrained_model_name_or_path")
            if given is not None:
                written = given.value.literal
                name = place(given.node)
                return written if isinstance(written, str) else (name, given.function) if name else None
    return None


def disables_masking(collator: Value) -> bool:
    """Is a collator told to hide no tokens, `mlm=False`, as is right for a causal model?"""
    given = constructor_argument(collator, "mlm")
    return given is not None and given.truth is False


def find_trained_model(call: Call) -> Argument | None:
    """The model that learns from the batches of a collator: that of a trainer, or the only one that the function of a
    loader gives batches to, `model(**batch)`."""
    if call.value.instance_of(TRAINER):
        return call.argument("model")
    views = [Call(node, call.frame) for node in call.function.calls if any(k.arg is None for k in node.keywords)]
    models = [Argument(v.node.func, v, "") for v in views if v.module_run.instance_of(CAUSAL, MASKED)]
    return models[0] if len({place(m.node) for m in models}) == 1 else None
