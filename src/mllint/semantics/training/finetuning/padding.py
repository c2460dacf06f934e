"""Which token pads a text, and is it the one that ends it?

    tokenizer.pad_token = tokenizer.eos_token                       # `find_eos_as_padding`
    DataCollatorForLanguageModeling(tokenizer, mlm=False)           # leaves padding out of the loss
    labels[labels == tokenizer.pad_token_id] = -100                 # `find_masked_padding`: does so by hand

What is asked is about one tokenizer, recognised by its identity, or by its name in the same function where nothing is
known of it. An assignment under `if tokenizer.pad_token is None` runs only for weights without such a token: some names
of weights say that there is one, and of weights that are not named nobody knows (POSSIBLE).

Texts that are joined into blocks are not padded. A mask by hand does harm only if the program writes the end behind its
texts (`ends_texts`), and does not put it back among the labels. Where padding is one of two conditions, the other may
spare the end.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import FunctionView
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import Binding, FunctionScope, ModuleScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topic_names import Topic
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.finetuning.texts import weights
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins, resolve_name, statements
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import UNKNOWN, Value

__all__ = ["find_eos_as_padding", "find_masked_padding", "masks_padding", "packs_texts", "padding_of"]

_PADDING = ("pad_token", "pad_token_id")
_END = ("eos_token", "eos_token_id")
_IGNORED = -100
_CUTTING = ("packing", "return_overflowing_tokens")
_PLAIN = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)


def find_eos_as_padding(tokenizer: Node, frame: Frame) -> Answer[Site] | None:
    """Where the token that ends a text becomes the one that pads; None if it does not, for certain.

    Args:
        tokenizer: the expression of a tokenizer.
        frame: its context.

    Returns:
        The first assignment; POSSIBLE where all of them ask for a missing token, of weights whose name is not written.
    """
    value, project = evaluate(tokenizer, frame), frame.project
    names = weights(value, project)
    has_padding = any(topics.is_about(name, Topic.WITH_PADDING) for name in names)
    modules = [frame.module, *(v.site.module for v in value.alternatives if v.site is not None)]
    found: list[Site] = []
    asks = True
    for module in dict.fromkeys(modules):
        for function in module.functions:
            for binding, name in _padding_tokens(function):
                here = frame.function is function and name == place(tokenizer)
                if here or _changes(binding, project.frame(function), value):
                    is_asked = _is_where_missing(binding, name, function)
                    if not _is_end(binding.value, name) or (has_padding and is_asked):
                        return None
                    asks = asks and is_asked
                    found.append(Site(module, binding.node))
    return proven_unless(asks and not names, found[0], found[0]) if found else None


def _is_where_missing(binding: Binding, name: str, function: FunctionScope) -> bool:
    """Does an assignment stand where there is no padding token: `if tokenizer.pad_token is None`?"""
    for node in walk(function.node):
        if isinstance(node, ast.If) and any(binding.node is n for s in node.body for n in walk(s)):
            tested = node.test.left if isinstance(node.test, ast.Compare) else getattr(node.test, "operand", None)
            if place(tested) in (f"{name}.pad_token", f"{name}.pad_token_id"):
                return True
    return False


def _padding_tokens(function: FunctionScope) -> Iterator[tuple[Binding, str]]:
    """The assignments to the padding token of something, with the name of that something."""
    for place_, bindings in function.bindings.items():
        owner, _, attribute = place_.rpartition(".")
        if attribute in _PADDING and owner:
            yield from ((b, owner) for b in bindings if b.kind == "assign")


def _changes(binding: Binding, frame: Frame, tokenizer: Value) -> bool:
    """Does an assignment to an attribute change this tokenizer?"""
    owner = _owner(binding)
    changed = evaluate(owner, frame) if owner is not None else UNKNOWN
    return changed.same_as(tokenizer) is True or (changed.site is not None and changed.site == tokenizer.site)


def _owner(binding: Binding) -> Node:
    """`tokenizer` of `tokenizer.pad_token = ...`."""
    target = binding.node.targets[0] if isinstance(binding.node, ast.Assign) else binding.node
    return target.value if isinstance(target, ast.Attribute) else None


def _is_end(node: Node, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _END and place(node.value) == name


def packs_texts(module: ModuleScope) -> bool:
    """Are texts joined, or cut into blocks of one length, so that nothing is padded: `sum(examples[k], [])`,
    `chain(*examples[k])`, `packing=True`, `return_overflowing_tokens=True`?"""
    joined = [c for name in ("chain", "from_iterable") for c, _ in module.calls_by_name.get(name, ())]
    summed = [c for c, _ in module.calls_by_name.get("sum", ()) if len(c.args) == 2 and _is_empty(c.args[1])]
    cutting = [c for word in _CUTTING for c, _ in module.calls_by_keyword.get(word, ())]
    options = [k for c in cutting for k in c.keywords if k.arg in _CUTTING]
    return bool(joined or summed) or any(getattr(k.value, "value", True) is not False for k in options)


def _is_empty(node: Node) -> bool:
    return isinstance(node, ast.List) and not node.elts


# ------------------------------------------------------------------------------------------------------ masked by hand
def find_masked_padding(function: FunctionView) -> Iterator[tuple[Node, Origin]]:
    """The places where a function leaves padding out of the loss by hand, each with the tokenizer whose padding it is.

    Read are a store of -100, a choice between -100 and the ids, and `ignore_index`.
    """
    for statement in statements(function.scope):
        if not isinstance(statement, _PLAIN):
            continue
        for node in walk(statement):
            for condition in _hiding(node, function.frame):
                tokenizer = padding_of(condition, function.frame)
                if tokenizer is not None:
                    yield condition, tokenizer


def _hiding(node: Node, frame: Frame) -> Iterator[Node]:
    """The conditions under which a label is left out, and the label itself that a loss ignores."""
    match node:
        case ast.Assign(targets=[ast.Subscript(slice=condition)], value=value) if _is_ignored(value, frame):
            yield condition
        case ast.Call(args=args) if last_name(node.func) in ("where", "masked_fill", "masked_fill_"):
            if any(_is_ignored(a, frame) for a in args):
                yield from (a for a in args if not isinstance(a, ast.Constant))
        case ast.IfExp(test=condition, body=body, orelse=other):
            if _is_ignored(body, frame) or _is_ignored(other, frame):
                yield condition
        case ast.keyword(arg="ignore_index", value=label):
            yield label


def _is_ignored(node: Node, frame: Frame) -> bool:
    if isinstance(node, ast.Call) and last_name(node.func) == "tensor" and node.args:
        node = node.args[0]
    return isinstance(node, (ast.UnaryOp, ast.Name, ast.Attribute)) and evaluate(node, frame).literal == _IGNORED


def padding_of(condition: Node, frame: Frame) -> Origin | None:
    """The tokenizer of `ids == tokenizer.pad_token_id`, of `ids.eq(pad)`, and of `pad` itself, also by a name."""
    sides = [condition]
    match resolve_name(condition, frame.function):
        case ast.Compare(ops=[ast.Eq() | ast.NotEq()], left=left, comparators=[right]):
            sides = [left, right]
        case ast.Call(func=ast.Attribute(attr="eq" | "ne"), args=[right]):
            sides = [right]
    for side in sides:
        for origin in origins(side, frame, through=lambda o: isinstance(o.node, (ast.Name, ast.Attribute))):
            if isinstance(origin.node, ast.Attribute) and origin.node.attr == "pad_token_id":
                return Origin(origin.node.value, origin.frame)
    return None


@cached()
def masks_padding(project: Project) -> bool:
    """Does a program leave padding, or some label of its own, out of a loss by hand?"""
    own = [m for m in project.modules if not m.is_stub]
    ignoring = any("ignore_index" in m.calls_by_keyword for m in own)
    return ignoring or any(
        any(find_masked_padding(FunctionView(f, project.frame(f)))) for m in own for f in m.functions
    )
