"""What does a program write around the fields of a row, and which text do some ids stand for?

    prompt = f"Question: {row['question']}\nAnswer: "          # `written_forms`: "Question: ", a field, "\nAnswer: "
    ids = tokenizer(prompt + row["answer"])["input_ids"]
    labels = [-100] * size + ids[size:]                        # `find_tokenizer_call`: the call of the tokenizer

A text is followed through names, sums, `format`, `join`, and the functions of the user's that return it. Where it is
written in several ways, as with and without a context, all of them are given. What is not written out is a field.
"""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import TOKENIZER
from mllint.semantics.libraries.tensor_methods import MAKES, SAME_ENTRIES
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bindings_at, bound_at
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.options import default_name
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import (
    Origin,
    bound_values,
    origins,
    owner_bindings,
    resolve_name,
    results_of,
    statements,
)
from mllint.semantics.values.project import Project
from mllint.semantics.values.values import Value

__all__ = ["Field", "Text", "columns", "find_tokenizer_call", "is_row", "text_of", "weights", "written_forms"]

_TRIMMING = frozenset("strip lstrip rstrip".split())
_KEEPING = SAME_ENTRIES | {"masked_fill"}
_MAKING = MAKES | {"list", "deepcopy"}
_OF_TOKENIZERS = "add_special_tokens"
"""What only tokenizers are told when they are called."""
_WAYS, _DEPTH, _STEPS = 8, 8, 16
_COLUMNS = 3
"""How many steps it counts to follow a column of rows to what is written into it."""


class Field(NamedTuple):
    """What is not written out: an expression, and its context."""

    node: Node
    frame: Frame


Text = tuple[str | Field, ...]


# ---------------------------------------------------------------------------------------------------------------- texts
def written_forms(node: Node, frame: Frame, depth: int = _DEPTH) -> list[Text]:
    """The ways in which a text is written, each a sequence of constants and fields; one field if nothing is known."""
    found = _written(node, frame, depth - 1) if depth else []
    return found if 0 < len(found) <= _WAYS else [(Field(node, frame),)]


def _written(node: Node, frame: Frame, depth: int) -> list[Text]:
    match node:
        case ast.JoinedStr():
            parts = [v.value if isinstance(v, ast.FormattedValue) else v for v in node.values]
            return _joined([written_forms(part, frame, depth) for part in parts])
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _joined([written_forms(left, frame, depth), written_forms(right, frame, depth)])
        case ast.IfExp(body=body, orelse=other):
            return [*written_forms(body, frame, depth), *written_forms(other, frame, depth)]
        case ast.ListComp(elt=each) | ast.List(elts=[each]):
            return written_forms(each, frame, depth)
        case ast.Call():
            return _texts_of_call(node, frame, depth)
        case ast.Name():
            return _texts_of_name(node, frame, depth)
        case ast.Subscript(value=ast.Name() as row, slice=ast.Constant(value=str(key))) if is_row(row, frame):
            written = columns(frame.project).get(key, ()) if depth > _COLUMNS else ()
            if any(n is node for o in written for n in walk(o.node)):
                return []  # what the column was before it is written
            return [way for o in written for way in written_forms(o.node, o.frame, depth - _COLUMNS)]
    literal = evaluate(node, frame).literal
    return [(literal,)] if isinstance(literal, str) else []


def _texts_of_call(node: ast.Call, frame: Frame, depth: int) -> list[Text]:
    """What a call gives: a text that is trimmed or filled in, or what a function of the user's returns."""
    match node:
        case ast.Call(func=ast.Attribute(value=text, attr=attr)) if attr in _TRIMMING:
            return written_forms(text, frame, depth)
        case ast.Call(func=ast.Attribute(value=text, attr="format")):
            return [
                way for template in written_forms(text, frame, depth) for way in _filled(template, node, frame, depth)
            ]
        case ast.Call(func=ast.Name(id="str"), args=[text]):
            return written_forms(text, frame, depth)
        case ast.Call(func=ast.Attribute(value=between, attr="join"), args=[ast.List() | ast.Tuple() as listed]):
            texts = [written_forms(part, frame, depth) for part in listed.elts]
            separated = [form for text in texts for form in (written_forms(between, frame, depth), text)]
            return _joined(separated[1:])
        case ast.Call(func=ast.Attribute(attr="join"), args=[ast.GeneratorExp(elt=last) | ast.ListComp(elt=last)]):
            return _joined([[(Field(node, frame),)], written_forms(last, frame, depth)])  # some, and another one
    return [way for value, inner in results_of(node, frame) for way in written_forms(value, inner, depth)]


def _filled(template: Text, call: ast.Call, frame: Frame, depth: int) -> list[Text]:
    """A template of `format` with its arguments in their places."""
    if not all(isinstance(part, str) for part in template):
        return [(Field(call, frame),)]
    named = {k.arg: k.value for k in call.keywords}
    given: dict[str | None, Node] = {**named, **{str(n): a for n, a in enumerate(call.args)}}
    parts: list[list[Text]] = []
    try:
        for number, (constant, name, _, _) in enumerate(string.Formatter().parse("".join(map(str, template)))):
            parts.append([(constant,)])
            if name is not None:
                value = given.get(name or str(number), named.get(None, call))
                parts.append([(Field(call, frame),)] if value is call else written_forms(value, frame, depth))
    except ValueError:
        return [(Field(call, frame),)]
    return _joined(parts)


def _texts_of_name(node: ast.Name, frame: Frame, depth: int) -> list[Text]:
    local = bindings_at(node, frame.function)
    bound = [(b, frame) for b in local] if local is not None else list(owner_bindings(node.id, frame))
    return [way for binding, outer in bound for way in _bound(binding, outer, node, depth)]


def _bound(binding: Binding, frame: Frame, node: ast.Name, depth: int) -> list[Text]:
    if binding.kind == "assign" and isinstance(binding.value, ast.List) and not binding.value.elts:
        added = [c.args[-1] for c in frame.function.calls if c.args and _appends_to(c, node.id)]
        return [way for text in added for way in written_forms(text, frame, depth)]
    if binding.kind == "assign" and not binding.path and binding.value is not None:
        return written_forms(binding.value, frame, depth)
    if binding.kind == "aug" and isinstance(binding.value.op, ast.Add):
        return _joined(
            [written_forms(binding.value.target, frame, depth), written_forms(binding.value.value, frame, depth)]
        )
    passed = (frame.bound or {}).get(binding.name) if binding.kind == "param" else None
    return written_forms(passed.node, passed.frame, depth) if isinstance(passed, Passed) else [(Field(node, frame),)]


def _appends_to(call: ast.Call, name: str) -> bool:
    return last_name(call.func) == "append" and isinstance(call.func, ast.Attribute) and place(call.func.value) == name


def _joined(parts: list[list[Text]]) -> list[Text]:
    """All ways to put one way of each part behind the other, constants that meet made one."""
    ways = 1
    for part in parts:
        ways *= len(part)
    return [_merged([p for text in chosen for p in text]) for chosen in product(*parts)] if ways <= _WAYS else []


def _merged(parts: list[str | Field]) -> Text:
    found: list[str | Field] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part != "":
            found.append(part)
    return tuple(found)


# ------------------------------------------------------------------------------------------------------------------ ids
def find_tokenizer_call(node: Node, frame: Frame, *, known: bool = False, depth: int = _STEPS) -> Call | None:
    """The call of a tokenizer whose ids an expression ends with: through names, copies, slices and sums.

    Args:
        node: the expression of the ids.
        frame: its context.
        known: whether they are ids of a tokenizer of transformers, as `input_ids` says.
        depth: how many steps are followed.
    """
    if depth == 0:
        return None
    match node:
        case ast.Name() | ast.Attribute(value=ast.Name(id="self")):
            given = _bound_to(node, frame)
            return find_tokenizer_call(*given, known=known, depth=depth - 1) if given is not None else None
        case ast.Subscript(value=inner, slice=ast.Constant(value=str(key))):
            entry = _entry(key, inner, frame)
            if entry is not None:
                return find_tokenizer_call(*entry, known=known, depth=depth - 1)
            known = known or key == "input_ids"
        case ast.Subscript(value=inner):
            pass
        case ast.ListComp(elt=inner, generators=[ast.comprehension(ifs=[])]):
            pass
        case ast.Attribute(value=inner, attr="input_ids"):
            known = True
        case ast.BinOp(op=ast.Add(), right=inner):
            pass
        case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _KEEPING:
            pass
        case ast.Call(args=[inner]) if last_name(node.func) in _MAKING:
            pass
        case ast.Call():
            call = Call(node, frame)
            return call if _tokenizes(call, known=known) else None
        case _:
            return None
    return find_tokenizer_call(inner, frame, known=known, depth=depth - 1)


def _bound_to(node: Node, frame: Frame) -> tuple[Node, Frame] | None:
    """What a name, or an attribute of `self`, holds, also as a function, a context manager or a caller of the user's
    gives it; for the ids that a loop draws, those of many texts: `for ids, _ in zip(rows, ...)`. None if it may be
    several things."""
    bound = bindings_at(node, frame.function) or ()
    if len(bound) != 1:
        return None
    binding = bound[0]
    if binding.kind in ("for", "comp"):
        rows = _rows_of(binding)
        return (rows, frame) if rows is not None else None
    found = list(bound_values(binding, frame)) if binding.kind in ("assign", "with") else []
    if len(found) == 1 and found[0].node is binding.value:
        found = list(_made_for_each(binding, frame)) if binding.path else found
    return (found[0].node, found[0].frame) if len(found) == 1 else None


def _made_for_each(binding: Binding, frame: Frame) -> Iterator[Origin]:
    """What a name gets that is unpacked from what was made for each of some things that are written out: `whole, start
    = [encode(texts) for texts in (answers, prompts)]`."""
    match binding.value:
        case ast.ListComp(elt=ast.Call() as made, generators=[ast.comprehension(iter=ast.Tuple() | ast.List())]):
            yield from (Origin(*result) for result in results_of(made, frame))


def _entry(key: str, node: Node, frame: Frame) -> tuple[Node, Frame] | None:
    """What a dictionary that is written out holds under a key; None where it is none, or may be several."""
    given = _bound_to(node, frame) if isinstance(node, ast.Name) else (node, frame)
    match given[0] if given is not None else None:
        case ast.Dict(keys=keys, values=values):
            pairs = [(getattr(k, "value", None), v) for k, v in zip(keys, values, strict=True)]
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            pairs = [(k.arg, k.value) for k in keywords]
        case _:
            return None
    found = [value for name, value in pairs if name == key]
    return (found[0], given[1]) if len(found) == 1 and given is not None else None


def _rows_of(binding: Binding) -> Node:
    """What a loop draws a name from, alone or with others; None if it is unpacked otherwise."""
    match binding.value, binding.path:
        case ast.Call(func=ast.Name(id="zip"), args=drawn), (int(index),) if index < len(drawn):
            return drawn[index]
        case ast.Call(func=ast.Name(id="enumerate"), args=[rows, *_]), (1,):
            return rows
        case ast.Subscript() | ast.Attribute() | ast.Name() as rows, ():
            return rows
    return None


def _tokenizes(call: Call, *, known: bool) -> bool:
    receiver = call.receiver if last_name(call.node.func) == "encode" else call.callee
    known = known or any(k.arg == _OF_TOKENIZERS for k in call.node.keywords)
    return receiver is not None and (known or receiver.instance_of(TOKENIZER)) and text_of(call) is not None


def text_of(call: Call) -> Node:
    """The expression of the text that a tokenizer is given; None if there is none, or a pair of texts."""
    given = {k.arg: k.value for k in call.node.keywords}
    if len(call.node.args) > 1 or "text_pair" in given:
        return None
    return call.node.args[0] if call.node.args else given.get("text")


def weights(tokenizer: Value, project: Project) -> list[str]:
    """The names that a tokenizer was loaded by; none where they are not written."""
    sites = [v.site for v in tokenizer.alternatives]
    loads = [s for s in sites if s is not None and isinstance(s.node, ast.Call) and s.node.args]
    given = [o for s in loads for o in origins(s.node.args[0], project.frame(_around(s)), through=_is_name)]
    return [name for origin in given if (name := default_name(origin))]


def _is_name(origin: Origin) -> bool:
    return isinstance(origin.node, ast.Name)


def _around(site: Site) -> FunctionScope:
    """The function in which a call is written."""
    functions = site.module.functions
    return next((f for f in functions if any(c is site.node for c in f.calls)), site.module.body)


# -------------------------------------------------------------------------------------------------------------- columns
@cached()
def columns(project: Project) -> dict[str, list[Origin]]:
    """What the functions of a program write into the columns of rows: `return {"text": ...}`, `row["text"] = ...`,
    `rows.append({"text": ...})`, `[{"text": ...} for ...]`."""
    found: dict[str, list[Origin]] = {}
    for function in (f for m in project.modules if not m.is_stub for f in m.functions):
        for key, value in _written_columns(function):
            found.setdefault(key, []).append(Origin(value, project.frame(function)))
    return found


def is_row(node: ast.Name, frame: Frame) -> bool:
    """Is it a parameter, that of a lambda too, or what a loop goes through?"""
    bound = bound_at(node, frame.function) or [b for b, _ in owner_bindings(node.id, frame)]
    return all(b.kind in ("param", "for", "comp") for b in bound)


def _written_columns(function: FunctionScope) -> Iterator[tuple[str, Node]]:
    parameters = {p.name for p in function.parameters}
    rows = [resolve_name(r.value, function) for r in function.returns]
    for statement in statements(function):
        match statement:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=row), slice=ast.Constant(value=str(key)))]):
                if row in parameters:
                    yield key, statement.value
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[ast.Dict() as listed])):
                rows.append(listed)
        inner = walk(statement) if not hasattr(statement, "body") else ()
        rows += [n.body for n in inner if isinstance(n, ast.Lambda)]
        rows += [n.elt for n in inner if isinstance(n, ast.ListComp)]
    for made in rows:
        pairs = zip(made.keys, made.values, strict=True) if isinstance(made, ast.Dict) else ()
        yield from ((k.value, v) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str))
