"""Patterns say what the regular expression says, whether or not one is compiled for them."""

import ast
import re
from pathlib import Path

import pytest

import mllint
from mllint.pattern import Pattern, plain

EXPRESSIONS = sorted(
    {
        node.args[0].value
        for path in Path(mllint.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Pattern"
        if isinstance(node.args[0], ast.Constant)
    }
)
AROUND = ("{}", "my_{}", "{}_1", "{}s", "self.{}", "{}.x", "My{}", "/{}/", "_{}_", "x{}y", "lr_{}")


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_pattern_says_what_the_expression_says(text: str) -> None:
    pattern, expression = Pattern(text), re.compile(text, re.IGNORECASE)
    words = [w for t in EXPRESSIONS for w in re.findall("[a-z0-9]+(?:_[a-z0-9]+)*", t)] if len(text) < 40 else []
    words += re.findall("[a-z0-9_]+", text) + [w.strip("^$\b") for w in plain(text) or ()]
    for name in (form.format(word) for word in dict.fromkeys(words) for form in AROUND):
        assert pattern.search(name) is bool(expression.search(name)), name


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("load|dl$", ["load", "dl$"]),
        ("^(val|dev)_?set$", ["^valset$", "^val_set$", "^devset$", "^dev_set$"]),
        ("(^|_)[xy](_|$)", ["^x_", "^x$", "^y_", "^y$", "_x_", "_x$", "_y_", "_y$"]),
        ("net[a-c0]", ["neta", "netb", "netc", "net0"]),
        ("get[A-C]", ["geta", "getb", "getc"]),
        (r"[/\\-]x", ["/x", "\\x", "-x"]),
        (r"lr\b", ["lr\b"]),
        ("a(b|c", None),
        ("a)b", None),
        ("a+", None),
        ("a.b", None),
        ("[^a]", None),
        ("a(?!b)", None),
        ("x|", None),
        ("(^|$)", None),
    ],
)
def test_words_of_an_expression(text: str, words: list[str] | None) -> None:
    assert plain(text) == words
