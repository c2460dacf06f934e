"""Is the part of a text that is not to be learned counted in tokens?

    prompt = f"Question: {question} Answer:"
    labels = tokenizer(prompt + answer).input_ids
    labels[:len(prompt)] = [-100] * len(prompt)      # `find_masks_by_characters`: the length of a text
    n = len(tokenizer(question).input_ids)           # `find_masks_by_part`: the text begins before the question

    batch = tokenizer(texts, padding=True)           # with padding_side="left"
    labels[row, :n] = -100                           # `find_masks_over_padding`: a row begins with its padding

A mask is a slice that is set to -100, a list of as many -100, or what a loop up to a length sets so. Its length is
looked for through names and sums; a text is what is written as one, formatted, joined or glued together, or what a chat
template gives as one. Where the ids are not those of a tokenizer of a library (`input_ids`), each character may be a
token.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.semantics.flow.views import Call, FunctionView
from mllint.semantics.libraries.classes import TOKENIZER
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Constant, Node, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.training.finetuning.texts import find_tokenizer_call
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import part_at, resolve_name, results_of, statements
from mllint.semantics.values.project import Project

__all__ = ["find_masks_by_characters", "find_masks_by_part", "find_masks_over_padding", "is_text"]

_IGNORED = -100
_KEEPING = frozenset("format format_map strip lstrip rstrip join replace removeprefix removesuffix lower upper".split())
_COUNTING = ("len", "size")


def find_masks_by_characters(function: FunctionView) -> Iterator[tuple[Node, ast.Call]]:
    """The masks of a function that are as long as a text.

    Yields:
        What is masked, and the call of `len` that is given the text.
    """
    scope, frame = function.scope, function.frame
    counts = [c for c in scope.calls if last_name(c.func) == "len" and len(c.args) == 1 and is_text(c.args[0], frame)]
    if not counts or not any(_speaks_of_ids(n) for n in walk(scope.node)):
        return
    for statement in statements(scope):
        for masked, length in _masks(statement, frame):
            parts = (n for term in _terms(length, scope) for n in walk(term))
            found = next((n for n in parts if any(n is c for c in counts)), None)
            if found is not None:
                yield masked, found
                return


def _terms(length: Node, scope: FunctionScope, depth: int = 4) -> Iterator[Node]:
    """What a length is made of, through names, sums and limits: `n` and `len(ids)` of `min(n + 1, len(ids))`."""
    made = resolve_name(length, scope)
    match made:
        case _ if depth == 0:
            return
        case ast.BinOp(left=left, right=right):
            inner = [left, right]
        case ast.Call(func=ast.Name(id="min" | "max"), args=given):
            inner = given
        case _:
            yield made
            return
    for part in inner:
        yield from _terms(part, scope, depth - 1)


def find_masks_by_part(function: FunctionView) -> Iterator[tuple[Node, ast.Call]]:
    """The masks of a function that are as long as a part of the text whose tokens are masked, which begins before it.

    Yields:
        What is masked, and the call of `len` that is given the tokens of the part.
    """
    scope, frame = function.scope, function.frame
    for statement in statements(scope):
        for masked, length in _masks(statement, frame):
            count = resolve_name(length, scope)
            tokenized = _tokenized(count.args[0], scope) if _is_count(count) else None
            part = _key(tokenized.args[0], frame) if tokenized is not None else None
            if tokenized is None or part is None or not _is_only_counted(count.args[0], scope):
                continue
            others = (c for c in scope.calls if c is not tokenized and c.args)
            alike = (c for c in others if _tokenizer(c) == _tokenizer(tokenized))
            if any(_begins_before(c.args[0], part, frame) for c in alike):
                yield masked, count
                return


def _is_count(node: Node) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1


def _is_only_counted(ids: Node, scope: FunctionScope) -> bool:
    """Is nothing else done with the ids, by their name: are they not themselves a part of what is learned?"""
    while isinstance(ids, (ast.Subscript, ast.Attribute)):
        ids = ids.value
    if not isinstance(ids, ast.Name):
        return True  # counted where they are made
    counted = {id(n) for c in scope.calls if _is_count(c) for n in walk(c.args[0])}
    loads = (n for n in scope.nodes_of(ast.Name) if isinstance(n.ctx, ast.Load))
    return all(id(n) in counted for n in loads if n.id == ids.id)


def _tokenized(ids: Node, scope: FunctionScope) -> ast.Call | None:
    """The call that gives ids: `tokenizer(text)` of `tokenizer(text)["input_ids"]`, `tokenizer.encode(text)`."""
    match resolve_name(ids, scope):
        case (
            ast.Subscript(value=call, slice=ast.Constant(value="input_ids"))
            | ast.Attribute(value=call, attr="input_ids")
            | (ast.Call(func=ast.Attribute(attr="encode")) as call)
        ):
            made = resolve_name(call, scope)
            return made if isinstance(made, ast.Call) and made.args else None
    return None


def _tokenizer(call: ast.Call) -> str | None:
    """What is called, `tokenizer(text)`, also by its method `encode`."""
    name = place(call.func)
    return name.removesuffix(".encode") if name is not None else None


def _key(node: Node, frame: Frame) -> str | None:
    """The place that an expression is, as the outermost function calls it that handed it over."""
    name = place(node)
    base = node
    while isinstance(base, (ast.Subscript, ast.Attribute)):
        base = base.value
    given = frame.bound.get(base.id) if frame.bound is not None and isinstance(base, ast.Name) else None
    if name is None or not isinstance(given, Passed):
        return name
    outer = _key(*given)
    return outer + name[len(base.id) :] if outer is not None else None


def _begins_before(text: Node, part: str, frame: Frame, depth: int = 0) -> bool:
    """Does a text contain a part, behind other text that is written out, or in a chat template?"""
    text = resolve_name(text, frame.function)
    match text:
        case _ if depth > 6:
            return False
        case ast.BinOp(op=ast.Add()) | ast.JoinedStr():
            return _is_behind(list(_pieces(text)), part, frame, depth)
        case ast.Call(func=ast.Attribute(value=template, attr="format")):
            return _fills_in(text, evaluate(template, frame).literal, part, frame)
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in _KEEPING:
            return _begins_before(inner, part, frame, depth + 1)
        case ast.Call() if last_name(text.func) == "apply_chat_template" and text.args:
            return any(_key(n, f) == part for n, f in _within(text.args[0], frame))
        case ast.Call():
            return any(_begins_before(value, part, inner, depth + 1) for value, inner in results_of(text, frame))
    return False


def _pieces(text: Node) -> Iterator[Node]:
    """What a text is glued together of."""
    if isinstance(text, ast.BinOp):
        yield from _pieces(text.left)
        yield text.right
    elif isinstance(text, ast.JoinedStr):
        yield from (v.value if isinstance(v, ast.FormattedValue) else v for v in text.values)
    else:
        yield text


def _is_behind(pieces: list[Node], part: str, frame: Frame, depth: int) -> bool:
    """Does a part stand behind a piece that is written out, or does a piece contain it so?"""
    before = False
    for piece in pieces:
        if _key(piece, frame) == part:
            return before
        if _begins_before(piece, part, frame, depth + 1):
            return True
        before = before or (isinstance(piece, ast.Constant) and bool(str(piece.value).strip()))
    return False


def _fills_in(call: ast.Call, template: Constant, part: str, frame: Frame) -> bool:
    """Does `"Question: {q}".format(q=part)` put a part behind other text?"""
    name = next((k.arg for k in call.keywords if k.arg and _key(k.value, frame) == part), None)
    if not isinstance(template, str) or name is None:
        return False
    before, found, _ = template.partition("{" + name + "}")
    return bool(found) and bool(before.strip())


def _within(messages: Node, frame: Frame) -> Iterator[tuple[Node, Frame]]:
    """All expressions in what a chat template is given, also where a function of the user's makes it."""
    made = resolve_name(messages, frame.function)
    returned = list(results_of(made, frame)) if isinstance(made, ast.Call) else []
    for value, inner in returned or [(made, frame)]:
        yield from ((n, inner) for n in walk(resolve_name(value, inner.function)))


# ------------------------------------------------------------------------------------------------- padded on the left
def find_masks_over_padding(function: FunctionView) -> Iterator[tuple[Node, ast.Call]]:
    """The masks of the beginning of rows that a tokenizer pads on the left, as long as a prompt has tokens.

    Yields:
        What is masked, and the call of the tokenizer.
    """
    if not _pads_left(function.project):
        return
    for statement in (s for s in statements(function.scope) if isinstance(s, ast.Assign)):
        for masked, length in _masks(statement, function.frame):
            padded = _padded(masked.value, function) if isinstance(masked, ast.Subscript) else None
            if padded is not None and _is_token_count(resolve_name(length, function.scope), function.project):
                yield masked, padded
                return


@cached()
def _pads_left(project: Project) -> bool:
    """Does a program say on which side its tokenizers pad, and always that it is the left one?"""
    own = [m for m in project.modules if not m.is_stub and m.source is not None and m.source.holds("padding_side")]
    calls = [call for m in own for call, _ in m.calls_by_keyword.get("padding_side", ())]
    sides = [k.value for call in calls for k in call.keywords if k.arg == "padding_side"]
    named = [bs for m in own for f in m.functions for name, bs in f.bindings.items() if name.endswith(".padding_side")]
    sides += [part_at(b.value, b.path) if b.path else b.value for bindings in named for b in bindings]
    return bool(sides) and all(isinstance(side, ast.Constant) and side.value == "left" for side in sides)


def _padded(labels: Node, function: FunctionView) -> ast.Call | None:
    """The call of a tokenizer that pads the ids of which labels are a copy."""
    while isinstance(labels, ast.Subscript) and not isinstance(labels.slice, ast.Slice):
        labels = labels.value
    call = find_tokenizer_call(labels, function.frame, known=True)
    padding = call.argument("padding") if call is not None else None
    if call is not None and call.last_name == "pad":  # which pads unless it is told not to
        pads = padding is None or padding.value.truth is not False
        return call.node if pads and call.receiver is not None and call.receiver.instance_of(TOKENIZER) else None
    pads = padding is not None and padding.value.truth is True
    return call.node if call is not None and pads and call.callee.instance_of(TOKENIZER) else None


def _is_token_count(length: Node, project: Project) -> bool:
    """Is it a number of tokens as it was counted: `len(ids)`, `ids.size(1)`, or an entry of a row that holds one?"""
    match length:
        case ast.Call():
            return last_name(length.func) in _COUNTING
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key in _counted(project)
    return False


@cached()
def _counted(project: Project) -> set[str]:
    """The keys under which the rows of a program hold numbers of tokens, wherever it writes them: `{"prompt_length":
    len(ids)}`."""
    written: dict[str, list[bool]] = {}
    for function in (f for m in project.modules if not m.is_stub for f in m.functions if "len" in f.called_names):
        for node in function.nodes_of(ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    terms = list(_terms(value, function))
                    counts = [isinstance(t, ast.Call) and last_name(t.func) in _COUNTING for t in terms]
                    limits = [isinstance(t, (ast.Constant, ast.Name, ast.Attribute)) for t in terms]
                    known = all(count or limit for count, limit in zip(counts, limits, strict=True))
                    written.setdefault(key.value, []).append(known and any(counts))
    return {key for key, counts in written.items() if all(counts)}


def _speaks_of_ids(node: Node) -> bool:
    match node:
        case ast.Attribute(attr="input_ids") | ast.Constant(value="input_ids") | ast.keyword(arg="input_ids"):
            return True
    return False


def _masks(statement: ast.stmt, frame: Frame) -> Iterator[tuple[Node, Node]]:
    """What a statement masks, with the expression of how much: `labels[:n] = -100`, `[-100] * n + rest`."""
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        if isinstance(target, ast.Subscript) and evaluate(statement.value, frame).literal == _IGNORED:
            last = target.slice.elts[-1] if isinstance(target.slice, ast.Tuple) else target.slice
            if isinstance(last, ast.Slice) and last.lower is None and last.upper is not None:
                yield target, last.upper
    match statement:
        case ast.For(target=ast.Name(id=index), iter=ast.Call(func=ast.Name(id="range"), args=[length])):
            for inner in statement.body:
                match inner:
                    case ast.Assign(targets=[ast.Subscript(slice=ast.Name(id=at)) as target], value=value):
                        if at == index and evaluate(value, frame).literal == _IGNORED:
                            yield target, length
    if isinstance(statement, (ast.Assign, ast.Return, ast.Expr, ast.AnnAssign, ast.AugAssign)):
        for node in walk(statement):
            match node:
                case ast.BinOp(left=ast.List(elts=[one]), op=ast.Mult(), right=length):
                    if evaluate(one, frame).literal == _IGNORED:
                        yield node, length
                case ast.ListComp(elt=ast.IfExp(test=test, body=one), generators=[each]):
                    length = _numbers_below(test, each)
                    if length is not None and evaluate(one, frame).literal == _IGNORED:
                        yield node, length


def _numbers_below(test: Node, each: ast.comprehension) -> Node:
    """`n` of `... if i < n else token for i, token in enumerate(ids)`."""
    match each.target, each.iter, test:
        case (
            ast.Tuple(elts=[ast.Name(id=index), _]),
            ast.Call(func=ast.Name(id="enumerate")),
            ast.Compare(left=ast.Name(id=compared), ops=[ast.Lt()], comparators=[length]),
        ) if index == compared:
            return length
    return None


def is_text(node: Node, frame: Frame, depth: int = 0) -> bool:
    """Is an expression a string for certain?"""
    if depth > 6:
        return False
    match node:
        case ast.JoinedStr() | ast.Constant(value=str()):
            return True
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return is_text(left, frame, depth + 1) or is_text(right, frame, depth + 1)
        case ast.BinOp(left=left, op=ast.Mod()):
            return is_text(left, frame, depth + 1)
        case ast.IfExp(body=body, orelse=other):
            return is_text(body, frame, depth + 1) and is_text(other, frame, depth + 1)
        case ast.Call():
            return _gives_text(node, frame, depth)
        case ast.Name():
            found = bound_at(node, frame.function)
            if found:
                return all(_binds_text(b, frame, depth) for b in found)
    return isinstance(evaluate(node, frame).literal, str)


def _binds_text(binding: Binding, frame: Frame, depth: int) -> bool:
    """Does a binding give a string: an assignment, or a loop over a list of strings, also with others (`zip`)?"""
    value, path = binding.value, binding.path
    if binding.kind in ("for", "comp") and isinstance(value, ast.Call) and last_name(value.func) == "zip":
        index = path[0] if path else None
        value, path = (value.args[index] if index is not None and index < len(value.args) else None), path[1:]
    if value is None or path:
        return False
    if binding.kind in ("for", "comp"):
        made = resolve_name(value, frame.function)
        return isinstance(made, ast.ListComp) and is_text(made.elt, frame, depth + 1)
    return binding.kind == "assign" and is_text(value, frame, depth + 1)


def _gives_text(node: ast.Call, frame: Frame, depth: int) -> bool:
    """Is it a string's method that gives one, a chat template that does not tokenize, or a function of the user's?"""
    if isinstance(node.func, ast.Attribute) and node.func.attr in _KEEPING:
        return is_text(node.func.value, frame, depth + 1)
    if last_name(node.func) == "apply_chat_template":
        tokenize = Call(node, frame).argument("tokenize")
        return tokenize is not None and tokenize.value.truth is False
    returned = list(results_of(node, frame))
    return bool(returned) and all(is_text(value, inner, depth + 1) for value, inner in returned)
