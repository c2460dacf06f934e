"""Where do the texts of a program get the token that ends them?

    text = prompt + row["answer"] + tokenizer.eos_token                            # it is written behind them
    tokenizer.apply_chat_template(row["messages"], tokenize=False)                 # a chat template ends each answer
    AutoTokenizer.from_pretrained(name, add_eos_token=True)                        # the tokenizer adds it
    SFTTrainer(model=model, processing_class=tokenizer, train_dataset=rows)        # trl does, since its release 0.16

The tokenizer of a causal model adds none by itself, so that the texts of a program that does nothing of this have no
end: padding with the token that ends a text hides nothing of them. A program that puts the token back
among the labels knows what it does.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.syntax.nodes import Node, is_within, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topic_names import Topic
from mllint.semantics.training.finetuning.chats import ends_with_answer
from mllint.semantics.training.randomness.seeds import imported_modules, programs
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.project import Project

__all__ = ["end_of_texts", "leaves_ends_out"]

_SFT = "trl.SFTTrainer"
_BEFORE_ENDS = frozenset("tokenizer dataset_text_field max_seq_length packing dataset_batch_size".split())
"""What only those releases of `SFTTrainer` take that put no token behind a text."""
_TEMPLATE = "apply_chat_template"


def end_of_texts(function: FunctionScope, project: Project) -> Site | None:
    """Where the texts get the token that ends them, in the program that a function is part of; None if they do not, as
    far as is seen, or if the program puts it back among the labels.

    Args:
        function: where padding is left out of the loss.
        project: the project.
    """
    own = function.module
    modules = dict.fromkeys(
        (*imported_modules(own), *(m for p in programs(function, project) for m in imported_modules(p)))
    )
    if any(_puts_back(m) for m in modules):
        return None
    return next((site for m in modules if (site := _end_in(m) or _end_by_trainer(m, own)) is not None), None)


@cached()
def _puts_back(module: ModuleScope) -> bool:
    return any(map(_is_put_back, walk(module.tree)))


@cached()
def _end_in(module: ModuleScope) -> Site | None:
    """Where a file writes the token behind a text, or has it written by a tokenizer."""
    for node in walk(module.tree):
        if any(_is_end(part) or _is_given_end(part, module) for part in _written_behind(node)) or _adds_end(node):
            return Site(module, node)
    calls = _views(_TEMPLATE, module)
    project = module.project
    if not calls or any(f.name == _TEMPLATE for m in _own(project) for f in m.functions):
        return None
    return next((Site(module, call.node) for call in calls if ends_with_answer(call)), None)


def _end_by_trainer(module: ModuleScope, collating: ModuleScope) -> Site | None:
    """The trainer of trl that puts the token behind each text, and is given a collator of its own file."""
    if module is not collating:
        return None
    for call in _views("SFTTrainer", module):
        given = any(k.arg == "data_collator" for k in call.node.keywords)
        if call.value.instance_of(_SFT) and given and not leaves_ends_out(call):
            return Site(module, call.node)
    return None


def leaves_ends_out(trainer: Call) -> bool:
    """Whether a trainer of trl is of those releases that put no token behind a text, by what it is given."""
    return trainer.value.instance_of(_SFT) and any(k.arg in _BEFORE_ENDS for k in trainer.node.keywords)


def _views(name: str, module: ModuleScope) -> list[Call]:
    """The calls of a file with a last name."""
    project = module.project
    found = [(node, function_of(scope)) for node, scope in module.calls_by_name.get(name, ())]
    return [Call(node, project.frame(f)) for node, f in found if f is not None]


def _own(project: Project) -> list[ModuleScope]:
    return [m for m in project.modules if not m.is_stub]


def _is_put_back(node: Node) -> bool:
    """Is it `labels[rows, lengths] = tokenizer.eos_token_id`, which is no column of a row?"""
    match node:
        case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str(key)))]) if key != "labels":
            return False
        case ast.Assign(targets=[ast.Subscript()], value=value):
            return any(map(_is_end, walk(value)))
    return False


def _is_given_end(node: Node, module: ModuleScope) -> bool:
    """Is it a parameter for which somebody hands over the token: `end` of `render(row, tokenizer.eos_token)`?"""
    if not isinstance(node, ast.Name):
        return False
    for function in (f for f in module.functions if not f.is_body and f.parameter(node.id) is not None):
        if is_within(node, function.node):
            calls = module.project.callers(function)
            given = (bind(function, call, frame)[0].get(node.id) for call, frame in calls)
            return any(isinstance(g, Passed) and _is_end(g.node) for g in given)
    return False


def _adds_end(node: Node) -> bool:
    """Is a tokenizer told to add the token: `add_eos_token=True`, `tokenizer.add_eos_token = True`?"""
    match node:
        case (
            ast.keyword(arg="add_eos_token", value=ast.Constant(value=True))
            | ast.Assign(targets=[ast.Attribute(attr="add_eos_token")], value=ast.Constant(value=True))
        ):
            return True
    return False


def _written_behind(node: Node) -> list[Node]:
    """What is put behind something: the last part of a sum, of a formatted text, or what is appended."""
    match node:
        case ast.BinOp(op=ast.Add(), right=last) | ast.AugAssign(op=ast.Add(), value=last):
            return last.elts if isinstance(last, ast.List) else [last]
        case ast.List(elts=[ast.Starred(), *_, last]):
            return [last]
        case ast.JoinedStr(values=[*_, last]):
            return [last.value if isinstance(last, ast.FormattedValue) else last]
        case ast.Call(func=ast.Attribute(attr="append"), args=[last]):
            return [last]
        case ast.Call(func=ast.Attribute(attr="format", value=ast.Constant() as template)):
            return [template]
        case ast.Assign(value=ast.Constant(value=str(text)) as template) if "{" in text:
            return [template]
    return []


def _is_end(node: Node) -> bool:
    """Is it the token that ends a text, by its name, or a constant that ends with it?"""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return topics.is_about(name, Topic.END_OF_TEXT)
        case ast.Constant(value=str(text)):
            before, _, token = text.strip().rpartition("<")
            is_token = token.endswith(">") if before else len(token.split()) == 1
            return is_token and (token == "/s>" or topics.is_about(token, Topic.END_OF_TEXT))
    return False
