"""A tree says what Python's own says, whichever classes its nodes are of."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from mllint import tree
from mllint.semantics import module

SOURCES = Path(__file__).parents[1] / "src" / "mllint"
FILES = [path for path in sorted(SOURCES.rglob("*.py*")) if path.suffix in (".py", ".pyi")]
ODD = """\
async def f(a, /, b: int = 1, *c, d=2, **e) -> None:
    global g
    async with x as (y, *z), w: pass
    async for i in j: await k
    else: del l, m[1:2, ::3]
    return [n async for n in o if p if q]

@decorated(1)
class C(B, metaclass=M):
    "text é 🔥"
    x: int
    y: 'int' = lambda *, s: (yield s)
    try: raise E from F
    except (E, F) as g: ...
    except: continue_ = not -1j
    else: assert a < b <= c, 'd'
    finally: x **= {**y, 'z': 1} | {1, *w}

match a:
    case [1, *_, {'k': v, **r}] | None if v: pass
    case C(1, x=str() as s) | -1.5: nonlocal_ = f'{s!r:>{width}}'
while (n := 10) and b'bytes': break
from . import a as b, c
from ...d.e import *
import f.g
if x if y else z: pass
elif x @ y // z is not None in w: print(*a, **b)
"""


def parsed(text: str) -> tuple[str, str]:
    """The two trees of a text, places included."""
    return tree.dump(tree.parse(text), places=True), dumped(ast.parse(text))


def dumped(node: object) -> str:
    """What `tree.dump` says of a tree, by the rules of Python's own classes."""
    if isinstance(node, list):
        return f"[{', '.join(dumped(inner) for inner in node)}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    names = (*node._fields, *node._attributes)
    return f"{type(node).__name__}({', '.join(dumped(getattr(node, name, None)) for name in names)})"


def test_an_odd_text() -> None:
    ours, python = parsed(ODD)
    assert ours == python


@pytest.mark.parametrize("path", FILES[::7], ids=str)
def test_real_files(path: Path) -> None:
    ours, python = parsed(path.read_text(encoding="utf-8"))
    assert ours == python


def test_an_expression_alone() -> None:
    assert isinstance(tree.parse("list[int]", "eval").body, tree.Subscript)


def test_a_node_is_of_its_classes_and_matches() -> None:
    call = tree.parse("f(x, *y, k=1)").body[0].value
    assert isinstance(call, tree.Call) and isinstance(call, tree.expr) and isinstance(call, tree.AST)
    match call:
        case tree.Call(tree.Name(id=name), [tree.Name(), tree.Starred()], [tree.keyword(arg="k")]):
            assert name == "f"
        case _:
            pytest.fail("no match")


def test_nodes_can_be_made() -> None:
    name = tree.Name(id="x", ctx=tree.Load())
    made = tree.Call(name, [name], [], lineno=3, col_offset=4)
    assert (made.func, made.args, made.lineno, made.col_offset, made.end_lineno) == (name, [name], 3, 4, None)
    with pytest.raises(AttributeError):
        _ = tree.Name(id="x").lineno


def test_what_is_no_field_is_not_there() -> None:
    module = tree.parse("x = 1")
    assert getattr(module, "lineno", None) is None
    assert getattr(module.body[0], "".join(("tar", "gets")))[0].id == "x"
    with pytest.raises(AttributeError):
        _ = module.body[0].func


@pytest.mark.skipif(tree.nodes is None, reason="only the compiled core has another way to walk")
def test_the_compiled_walk_is_the_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = tree.parse("\n".join([ODD, *(path.read_text(encoding="utf-8") for path in FILES[:20])]))
    walked = module.walk(whole)
    monkeypatch.setattr(tree, "nodes", None)
    expected = [node for node in module.walk(whole) if isinstance(node, tree.AST)]
    assert len(walked) == len(expected) > 10_000
    assert all(one is other for one, other in zip(walked, expected, strict=True))


def test_all_nodes_are_walked() -> None:
    ours = sorted(type(node).__name__ for node in tree.walk(tree.parse(ODD)))
    assert ours == sorted(type(node).__name__ for node in ast.walk(ast.parse(ODD)))


def test_every_name_is_among_the_names() -> None:
    _, known = tree.read(ODD)
    fields = ("id", "attr", "arg", "name", "asname", "names", "rest", "kwd_attrs", "module")
    values = (getattr(node, field, None) for node in ast.walk(ast.parse(ODD)) for field in fields)
    wanted = {value for value in values if isinstance(value, str)}
    for names in (known, tree.names(tree.parse(ODD), ODD)):
        assert names is None or wanted - {"d.e", "f.g", "*"} <= set(names)
    assert "torch" not in tree.names(tree.parse(ODD), ODD)


def test_a_long_sum_is_a_deep_tree() -> None:
    text = " + ".join(["x"] * 800)
    depth, node = 0, tree.parse(text, "eval").body
    while isinstance(node, tree.BinOp):
        depth, node = depth + 1, node.left
    assert depth == 799
