"""What does this expression, or this block, look like with something added? Text in, text out; LibCST keeps the layout.

train_test_split(               train_test_split(
    X,                              X,
    y,  # labels           ->       y,  # labels
)                                   random_state=0,
                                )
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from mllint.errors import MllintError
from mllint.fixes.registry import Unsure

if TYPE_CHECKING:
    import libcst

    _Space = libcst.BaseParenthesizableWhitespace

__all__ = ["ABSENT", "is_available", "nested", "require", "with_keyword"]

ABSENT = "fixing needs LibCST, which is not installed: pip install 'mllint-check[fix]'"
"""What somebody is told who asks for a fix without LibCST."""


def is_available() -> bool:
    """Is LibCST installed? It is not imported."""
    from importlib.util import find_spec

    return find_spec("libcst") is not None


def require() -> None:
    """Say so where LibCST is not installed.

    Raises:
        MllintError: it is not.
    """
    if not is_available():
        raise MllintError(ABSENT)


def with_keyword(call: str, name: str, value: str) -> str:
    """The text of a call with a keyword argument more, behind the others.

    Args:
        call: the text of the call.
        name: the name of the argument.
        value: the text of its value.

    Raises:
        Unsure: the call holds a bare generator, or is no call.
    """
    if not is_available():
        raise Unsure
    import libcst as cst

    node = _expression(call)
    if not isinstance(node, cst.Call):
        raise Unsure
    if any(isinstance(a.value, cst.GeneratorExp) and not a.value.lpar for a in node.args):
        raise Unsure
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    new = cst.Arg(cst.parse_expression(value), keyword=cst.Name(name), equal=equal)
    if not node.args:
        changed = node.with_changes(args=[new])
    else:
        changed = node.with_changes(args=_appended(node, new))
    return cst.Module([]).code_for_node(changed)


def _expression(text: str) -> libcst.BaseExpression:
    """An expression as it is written; within parentheses where it needs them."""
    import libcst as cst

    try:
        return cst.parse_expression(text)
    except cst.ParserSyntaxError:
        raise Unsure from None


def _appended(call: libcst.Call, new: libcst.Arg) -> list[libcst.Arg]:
    """The arguments of a call with one more, laid out as the last ones are."""
    import libcst as cst

    *others, last = call.args
    between = others[-1].comma if others else None
    space = between.whitespace_after if isinstance(between, cst.Comma) else call.whitespace_before_args
    if not others and isinstance(space, cst.SimpleWhitespace):
        space = cst.SimpleWhitespace(" ")
    if isinstance(last.comma, cst.Comma):  # a trailing comma: the new argument has it, and what stands behind it
        kept = last.comma.whitespace_after
        if _has_comment(kept):
            return [*call.args[:-1], *_behind_comment(last, new, kept, space)]
        return [
            *others,
            last.with_changes(comma=cst.Comma(whitespace_after=_bare(space))),
            new.with_changes(comma=last.comma),
        ]
    if _has_comment(last.whitespace_after_arg):
        raise Unsure
    comma = cst.Comma(whitespace_after=_bare(space))
    ended = last.with_changes(comma=comma, whitespace_after_arg=cst.SimpleWhitespace(""))
    return [*others, ended, new.with_changes(whitespace_after_arg=last.whitespace_after_arg)]


def _behind_comment(last: libcst.Arg, new: libcst.Arg, kept: _Space, space: _Space) -> list[libcst.Arg]:
    """The last argument with the comment behind its comma, and the new one on the next line."""
    import libcst as cst

    if not isinstance(kept, cst.ParenthesizedWhitespace) or not isinstance(space, cst.ParenthesizedWhitespace):
        raise Unsure
    gap = kept.with_changes(indent=space.indent, last_line=space.last_line)
    return [
        last.with_changes(comma=cst.Comma(whitespace_after=gap)),
        new.with_changes(comma=cst.Comma(whitespace_after=_bare(kept))),
    ]


def _has_comment(space: _Space) -> bool:
    import libcst as cst

    if not isinstance(space, cst.ParenthesizedWhitespace):
        return False
    return space.first_line.comment is not None or any(line.comment is not None for line in space.empty_lines)


def _bare(space: _Space) -> _Space:
    """Some white space without the comments in it."""
    import libcst as cst

    if not isinstance(space, cst.ParenthesizedWhitespace):
        return space
    first = space.first_line.with_changes(comment=None, whitespace=cst.SimpleWhitespace(""))
    return space.with_changes(first_line=first, empty_lines=[])


def nested(block: str, indent: str, header: str, step: str = "    ") -> str:
    """Some lines one level deeper, below a header.

    Args:
        block: whole lines: statements of one block.
        indent: their indentation.
        header: `with torch.no_grad():`
        step: by how much one level is indented.
    """
    if not is_available():
        raise Unsure
    import libcst as cst

    try:
        module = cst.parse_module(f"if _:\n{block}" if indent else block)
        around = cst.parse_module(f"{header}\n{step}pass\n").body[0]
    except cst.ParserSyntaxError:
        raise Unsure from None
    if not indent:
        if module.header or module.footer:
            raise Unsure  # a comment at the top may be about the file
        deeper = cst.IndentedBlock(cast("Sequence[cst.BaseStatement]", module.body), indent=step)
        return module.with_changes(body=[around.with_changes(body=deeper)]).code
    outer = cst.ensure_type(module.body[0], cst.If)
    held = cst.ensure_type(outer.body, cst.IndentedBlock)
    inner = around.with_changes(body=held.with_changes(indent=step))
    whole = outer.with_changes(body=held.with_changes(body=[inner], footer=[]))
    return module.with_changes(body=[whole]).code.split("\n", 1)[1]
