"""Does a language model learn where its answers end?

    ids = tokenizer(prompt + row["answer"])["input_ids"]                           # the last token is the answer's
    labels = [-100] * size + ids[size:]                                            # `find_unended_texts`
    labels = [-100] * size; labels += answer_ids                                   # likewise
    SFTTrainer(model, tokenizer=tokenizer, formatting_func=lambda row: f"Question: {row['q']} Answer: {row['answer']}")
    ids = tokenizer(prompt + row["answer"] + tokenizer.eos_token)["input_ids"]     # ends

The tokenizer of a causal model adds no token at the end. An answer is what is learned behind a prompt that is left out
of the loss, unless a token is put behind it, or a field that is named so, at the end of a template, in a program that
generates. A program that speaks anywhere of the token that ends a text may put it behind the answer; to name it for
padding or for generation, to write it between the parts of a prompt, in a docstring or in what is printed, is to say
nothing about the answers. Labels of a model that runs without gradients score an answer, and nobody learns them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.libraries.classes import TOKENIZER, TRAINER
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import Binding
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.sites import Site
from mllint.semantics.syntax.topic_names import Topic
from mllint.semantics.training.finetuning.finished import leaves_ends_out
from mllint.semantics.training.finetuning.padding import masks_padding, padding_of
from mllint.semantics.training.finetuning.texts import Field, Text, find_tokenizer_call, text_of, written_forms
from mllint.semantics.training.finetuning.tokens import CAUSAL, has_label_writing_collator
from mllint.semantics.values.bases import function_of
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.gradmode import grad_off
from mllint.semantics.values.lineage import resolve_name, statements
from mllint.semantics.values.project import Project

__all__ = ["find_unended_texts"]

_IGNORED = -100
_REWRITING = frozenset("lower upper title capitalize replace".split())
_FILLING = frozenset("full full_like new_full tensor LongTensor".split())
_JOINING = frozenset("cat concat concatenate hstack".split())
_SAID_FOR = ("pad_token", "pad_token_id", "eos_token_id", "eos_token")


def find_unended_texts(function: FunctionView) -> Iterator[tuple[Node, Site]]:
    """The texts of a function that are learned up to their last token, which is one of the answer.

    Yields:
        The expression of the text, and what shows that its end is learned.
    """
    found = [*_behind_prompts(function), *_behind_templates(function), *_of_trainers(function)]
    if found and not _scores_answers(function) and not _speaks_of_end(function.project):
        yield from found


def _scores_answers(function: FunctionView) -> bool:
    """Are the labels there to say how likely an answer is: is there a call without gradients in the function, or
    anywhere in a program that does not train?"""
    project = function.project
    if any(grad_off(node, function.frame) for node in function.scope.calls):
        return True
    trains = project.calls_named("backward") or any(
        view.receiver is not None and view.receiver.instance_of(TRAINER) for view in _views("train", project)
    )
    return not trains and bool(project.calls_named("no_grad") or project.calls_named("inference_mode"))


def _behind_prompts(function: FunctionView) -> Iterator[tuple[Node, Site]]:
    """What is learned behind a prompt whose labels are -100."""
    for statement in statements(function.scope):
        for learned, mask in _learned(statement, function.frame):
            call = find_tokenizer_call(learned, function.frame)
            text = text_of(call) if call is not None and not _pads(call) else None
            if text is not None and call is not None and _ends_with_field(text, call.frame):
                yield text, Site(function.module, mask)


def _learned(statement: ast.stmt, frame: Frame) -> Iterator[tuple[Node, Node]]:
    """The labels of a statement that hides their beginning, or puts them behind what is hidden, and the mask:
    `labels[:n] = -100`, `[-100] * n + rest`, `labels += rest`."""
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=labels, slice=index)], value=value):
            last = index.elts[-1] if isinstance(index, ast.Tuple) else index
            if isinstance(last, ast.Slice) and last.lower is None and _is_ignored(value, frame):
                yield labels, statement
        case ast.For(
            target=ast.Name(id=number),
            iter=ast.Call(func=ast.Name(id="range"), args=[_]),
            body=[ast.Assign(targets=[ast.Subscript(value=labels, slice=ast.Name(id=at))], value=value)],
        ) if number == at and _is_ignored(value, frame):
            yield labels, statement
        case (
            ast.AugAssign(op=ast.Add(), target=ast.Name(id=name), value=rest)
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="extend"), args=[rest]))
        ) if _was_ignored(name, statement, frame):
            yield rest, statement
    if not isinstance(statement, (ast.Assign, ast.Return, ast.Expr, ast.AnnAssign)):
        return
    nodes = walk(statement)
    ended = {id(n.left) for n in nodes if isinstance(n, ast.BinOp) and isinstance(n.right, ast.List) and n.right.elts}
    for node in nodes:
        match node:
            case ast.BinOp(left=first, op=ast.Add(), right=rest) if id(node) not in ended:
                if _ends_ignored(first, frame):
                    yield rest, node
            case ast.Call(args=[ast.List(elts=[first, rest]) | ast.Tuple(elts=[first, rest]), *_]):
                if last_name(node.func) in _JOINING and _is_ignored(first, frame):
                    yield rest, node


def _ends_ignored(node: Node, frame: Frame) -> bool:
    """Is the last part of it left out of a loss: `[start] + [-100] * n`?"""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        node = node.right
    return _is_ignored(node, frame)


def _is_ignored(node: Node, frame: Frame) -> bool:
    """Is it the label that is left out of a loss, or a list or tensor of nothing else? The padding token is, in a
    program that leaves padding out."""
    match resolve_name(node, frame.function):
        case ast.BinOp(left=ast.List(elts=[one]), op=ast.Mult()) | ast.ListComp(elt=one):
            hidden = evaluate(one, frame).literal == _IGNORED
            return hidden or (padding_of(one, frame) is not None and masks_padding(frame.project))
        case ast.Call(args=args) as made if last_name(made.func) in _FILLING:
            return any(_is_ignored(a, frame) for a in args)
    return bool(evaluate(node, frame).literal == _IGNORED)


def _was_ignored(name: str, statement: ast.stmt, frame: Frame) -> bool:
    """Does a list hold nothing but ignored labels before a statement that adds to it?"""
    before = [s for s in statements(frame.function) if s.lineno < statement.lineno]
    added = [s for s in before if _added(s, name) is not None]
    made = [b for b in frame.function.bindings.get(name, ()) if b.kind == "assign"]
    if len(made) != 1 or len(added) > 1:
        return False
    first = made[0].value
    empty = isinstance(first, ast.List) and not first.elts
    return (empty and len(added) == 1 and _is_ignored(_added(added[0], name), frame)) or (
        not added and _is_ignored(first, frame)
    )


def _added(statement: ast.stmt, name: str) -> Node:
    """What a statement adds to a list: `labels += rest`, `labels.extend(rest)`."""
    match statement:
        case (
            ast.AugAssign(op=ast.Add(), target=ast.Name(id=to), value=rest)
            | ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=to), attr="extend"), args=[rest]))
        ) if to == name:
            return rest
    return None


def _behind_templates(function: FunctionView) -> Iterator[tuple[Node, Site]]:
    """What a collator makes labels of that ends with a field named as an answer, in a program that generates."""
    lambdas = [f for f in function.scope.functions if isinstance(f.node, ast.Lambda)]
    frames = [function.frame, *map(function.project.frame, lambdas)]
    for call in (Call(node, frame) for frame in frames for node in frame.function.calls):
        text = text_of(call)
        if text is None or not call.callee.instance_of(TOKENIZER) or not _is_template(text, call.frame):
            continue
        generates = function.project.calls_named("generate") if has_label_writing_collator(call) else []
        if generates and _has_causal_model(function.project):
            yield text, Site(generates[0][1].module, generates[0][0])


def _of_trainers(function: FunctionView) -> Iterator[tuple[Node, Site]]:
    """What a trainer of trl that puts no token behind its texts learns that ends with a field named as an answer."""
    for node in function.scope.calls:
        call = Call(node, function.frame)
        given, packing = call.argument("formatting_func"), call.argument("packing")
        if given is None or not leaves_ends_out(call) or (packing is not None and packing.value.truth is not False):
            continue  # what is packed has the token between two texts
        writes = given.value.function
        texts = [r.value for r in writes.returns if r.value is not None] if writes is not None else []
        generates = function.project.calls_named("generate")
        if writes is not None and texts and generates and _has_causal_model(function.project):
            if all(_is_template(text, function.project.frame(writes)) for text in texts):
                yield given.node, Site(generates[0][1].module, generates[0][0])


def _is_template(text: Node, frame: Frame) -> bool:
    """Is a text always something, a constant, and at its end a field that is named as an answer?"""
    return all(
        len(way) > 2 and isinstance(way[-2], str) and _is_field(way[-1], topic=Topic.REPLIES)
        for way in map(_without_blank_end, written_forms(text, frame))
    )


def _ends_with_field(text: Node, frame: Frame) -> bool:
    return all(_is_field(way[-1]) for way in map(_without_blank_end, written_forms(text, frame)) if way)


def _without_blank_end(text: Text) -> Text:
    """A text without the spaces that it ends with; a line break may be meant for its end."""
    return text[:-1] if text and isinstance(text[-1], str) and not text[-1].strip(" ") else text


def _is_field(part: str | Field, topic: Topic | None = None) -> bool:
    """Is it a field of a row, of a parameter or of what a loop goes through, or such fields joined; and of a topic, if
    one is asked for?"""
    if isinstance(part, str):
        return False
    owner = _rewritten(part)
    whole = owner.value if isinstance(owner, ast.Subscript) and isinstance(owner.slice, ast.Name) else owner
    name = place(whole) or ""
    while isinstance(owner, (ast.Subscript, ast.Attribute)):
        owner = owner.value
    if not isinstance(owner, ast.Name):
        return False
    found = bound_at(owner, part.frame.function)
    if topic is not None and not topics.is_about(name, topic):
        return False
    return bool(found) and all(b.kind in ("param", "for", "comp") or _is_item(b) for b in found)


def _rewritten(field: Field) -> Node:
    """The field that a text is another form of, or is joined of: `"\n".join(row["steps"])`, `row["answer"].lower()`."""
    node = field.node
    for _ in range(6):
        match node:
            case ast.Call(func=ast.Attribute(attr="join" | "dumps"), args=[inner, *_]):
                node = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _REWRITING:
                node = inner
            case ast.Call(func=ast.Name(id="sorted" | "reversed" | "list" | "str"), args=[inner, *_]):
                node = inner
            case ast.ListComp(elt=inner) | ast.GeneratorExp(elt=inner):
                node = inner
            case _:
                resolved = resolve_name(node, field.frame.function)
                if not isinstance(resolved, (ast.ListComp, ast.Call)) or resolved is node:
                    return node
                node = resolved
    return node


def _is_item(binding: Binding) -> bool:
    """Is it an entry of something: `row = self.rows[index]`, `question, answer = row["question"], row["answer"]`?"""
    value = binding.value
    if isinstance(value, ast.Tuple) and len(binding.path) == 1 and binding.path[0] is not None:
        value = value.elts[binding.path[0]] if binding.path[0] < len(value.elts) else None
    return isinstance(value, ast.Subscript)


def _pads(call: Call) -> bool:
    """May padding, which is the end of a text for many models, stand behind the answer and be learned? A text alone,
    whose ids are the only row, is not made longer than itself."""
    padding = call.argument("padding")
    if padding is None or padding.value.truth is False:
        return False
    return padding.value.literal not in (True, "longest") or not any(map(_is_only_row, walk(call.function.node)))


def _is_only_row(node: Node) -> bool:
    """Is it `encoded.input_ids[0]`, or `encoded["input_ids"][0]`?"""
    match node:
        case ast.Subscript(value=ast.Attribute(attr=key) | ast.Subscript(slice=ast.Constant(value=key)), slice=index):
            return key == "input_ids" and isinstance(index, ast.Constant) and index.value == 0
    return False


def _has_causal_model(project: Project) -> bool:
    loaded = [*_views("from_pretrained", project), *_views("from_config", project)]
    return any(view.value.instance_of(CAUSAL) for view in loaded)


def _views(name: str, project: Project) -> list[Call]:
    """The calls of a program with a last name."""
    found = project.calls_named(name)
    return [Call(node, project.frame(f)) for node, scope in found if (f := function_of(scope)) is not None]


def _speaks_of_end(project: Project) -> bool:
    """Does a program name the token that ends a text, other than for padding or for generation?"""
    return any(_names_end(m.tree) for m in project.modules if not m.is_stub)


def _names_end(tree: ast.AST) -> bool:
    elsewhere: set[int] = set()
    for node in walk(tree):
        match node:
            case ast.keyword(arg=name, value=value) if name in _SAID_FOR:
                elsewhere.update(map(id, walk(value)))
            case ast.Assign(
                targets=[
                    ast.Attribute(attr=name) | ast.Name(id=name) | ast.Subscript(slice=ast.Constant(value=str(name)))
                ],
                value=value,
            ) if name in _SAID_FOR:
                elsewhere.update(map(id, walk(node)))
            case ast.Assign(targets=[ast.Name() as token], value=ast.Constant() as text) if _is_end(token):
                elsewhere.update((id(token), id(text)))  # what is done with it is read elsewhere
            case ast.Dict(keys=keys, values=values):
                said = [(k, v) for k, v in zip(keys, values, strict=True) if getattr(k, "value", None) in _SAID_FOR]
                elsewhere.update(id(n) for pair in said for part in pair for n in walk(part))
            case ast.Compare(left=left, comparators=others):
                elsewhere.update(map(id, (left, *others)))
            case ast.Expr(value=ast.Constant() | ast.Call(func=ast.Name(id="print")) as shown):
                elsewhere.update(map(id, walk(shown)))
            case _:
                elsewhere.update(id(n) for part in _followed(node) for n in walk(part) if isinstance(n, ast.Constant))
    return any(_is_end(node) and id(node) not in elsewhere for node in walk(tree))


def _followed(node: Node) -> list[Node]:
    """The parts of a text that is written out behind which more of it stands: no text ends there."""
    parts: list[Node] = []
    match node:
        case ast.JoinedStr(values=values):
            parts = values
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [left, right]
        case ast.Call(func=ast.Attribute(attr="join"), args=[ast.List(elts=elements) | ast.Tuple(elts=elements)]):
            parts = elements
    last = max((n for n, part in enumerate(parts) if _writes_more(part)), default=0)
    return parts[:last]


def _writes_more(part: Node) -> bool:
    """Is it more of a text than white space: a constant, a formatted text, or a field in one?"""
    if isinstance(part, ast.Constant):
        return isinstance(part.value, str) and bool(part.value.strip())
    return isinstance(part, (ast.JoinedStr, ast.FormattedValue))


def _is_end(node: Node) -> bool:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name, ctx=ast.Load()) | ast.arg(arg=name):
            return topics.is_about(name, Topic.END_OF_TEXT)
        case ast.keyword(arg=str(name)) if name not in _SAID_FOR:
            return topics.is_about(name, Topic.END_OF_TEXT)
        case ast.Constant(value=str(text)):
            return (text.rstrip().endswith(">") and "<" in text) or topics.is_about(text, Topic.END_OF_TEXT)
    return False
