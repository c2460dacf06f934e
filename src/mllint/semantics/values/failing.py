"""What of a script does it never reach, since it fails before, each time that it is run?

    parser.add_argument("--out", default="a.pt")
    parser.add_argument("--out", default="b.pt")        # argparse raises
    args = parser.parse_args()                          # never

    fit(args.LR)                                # of a parser that has `--lr`

Only what is evaluated whenever a statement runs can fail it: no branch of a conditional expression, no lambda. What
calls a function that always fails, fails as well; not in a `try`, whose handler may go on.

Only scripts are asked. A name that nothing binds fails nobody here: who shows a piece of a script leaves such names to
the reader.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.syntax.blocks import every_block
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place

__all__ = ["Unreached", "find_unreached"]

_WRITING = frozenset("setattr vars __dict__ set_defaults update".split())
_DEEP = 3  # functions that fail since those fail that they call


class Unreached(NamedTuple):
    """What a script never reaches.

    Args:
        lines: the first and the last line of the statements.
        nodes: the ids of the functions that a statement names and does not get to call.
    """

    lines: list[tuple[int, int]]
    nodes: frozenset[int]

    def holds(self, node: Node) -> bool:
        """Whether a node stands on one of the lines."""
        return any(first <= node.lineno <= last for first, last in self.lines)


@cached(local=True)
def find_unreached(module: ModuleScope) -> Unreached:
    """What a script never reaches, since it fails before."""
    failing, raising = set[str](), _missing_options(module)
    for function in module.functions:
        raising |= _added_twice(function)
    if not raising:
        return Unreached([], frozenset())
    for _ in range(_DEEP):
        again = {f.node.name for f in module.functions if not f.is_body and _always_fails(f, failing, raising)}
        if again <= failing:
            break
        failing |= again
    lines, nodes = list[tuple[int, int]](), set[int]()
    for function in module.functions:
        for block in every_block(function.node):
            failed = False
            for statement in block:
                if failed:
                    lines.append((statement.lineno, statement.end_lineno or statement.lineno))
                elif (uncalled := _failure(statement, failing, raising)) is not None:
                    failed = True
                    nodes.update(uncalled)
    return Unreached(lines, frozenset(nodes))


def _always_fails(function: FunctionScope, failing: set[str], raising: set[int]) -> bool:
    """Whether whoever calls a function of a file by its name fails."""
    module, node = function.module, function.node
    if (
        not isinstance(node, ast.FunctionDef)
        or node.decorator_list
        or len(module.body.bindings.get(node.name, ())) != 1
    ):
        return False
    if function.parent is not module.body or function.yields:
        return False
    fails = (s.lineno for s in node.body if _failure(s, failing, raising) is not None)
    first = next(fails, 0)
    return bool(first) and not any(r.lineno < first for r in function.returns)


def _failure(statement: ast.stmt, failing: set[str], raising: set[int]) -> list[int] | None:
    """The ids of the functions that a statement does not get to call, since it fails; None if it may pass."""
    for node in _evaluated(statement):
        found = _failing(node, failing, raising)
        if found is not None:
            return found
    return None


def _evaluated(statement: ast.stmt) -> Iterator[Node]:
    """The expressions that are evaluated whenever a statement runs."""
    match statement:
        case ast.Expr() | ast.Assign() | ast.AugAssign() | ast.AnnAssign() | ast.Return():
            yield statement.value
        case ast.If() | ast.While() | ast.Assert():
            yield statement.test
        case ast.For():
            yield statement.iter


def _failing(node: Node, failing: set[str], raising: set[int]) -> list[int] | None:
    """The ids of the functions that an expression does not get to call, since one of its parts fails; None if it may
    have a value."""
    if node is None:
        return None
    for part in _parts(node):
        found = _failing(part, failing, raising)
        if found is not None:
            return [*found, id(node.func)] if isinstance(node, ast.Call) else found
    calls_failing = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in failing
    return [] if calls_failing or id(node) in raising else None


def _parts(node: Node) -> Iterator[Node]:
    """The parts of an expression that are evaluated whenever it is."""
    match node:
        case ast.Lambda():
            return
        case ast.BoolOp(values=[first, *_]) | ast.IfExp(test=first):
            yield first
        case ast.ListComp(generators=[first, *_]) | ast.SetComp(generators=[first, *_]):
            yield first.iter
        case ast.DictComp(generators=[first, *_]) | ast.GeneratorExp(generators=[first, *_]):
            yield first.iter
        case ast.Compare(left=left, comparators=[right, *_]):
            yield from (left, right)
        case _:
            yield from ast.iter_child_nodes(node)


def _added_twice(function: FunctionScope) -> set[int]:
    """The ids of the calls that add an option to a parser which has it already, both whenever the function runs."""
    adding = function.calls_to(("add_argument",))
    if len(adding) < 2 or function.module.source.holds("conflict_handler"):
        return set()
    block = getattr(function.node, "body", [])
    always = {id(s.value) for s in block if isinstance(s, ast.Expr)} if isinstance(block, list) else set()
    seen, found = set[tuple[str, str]](), set[int]()
    for call in sorted((c for c in adding if id(c) in always), key=lambda c: c.lineno):
        on = call.func.value if isinstance(call.func, ast.Attribute) else None
        parser = on.id if isinstance(on, ast.Name) else ""
        texts = (a.value for a in call.args if isinstance(a, ast.Constant))
        names = {(parser, text) for text in texts if isinstance(text, str) and text.startswith("-")}
        if len(function.bindings.get(parser, ())) == 1 and names & seen:
            found.add(id(call))
        seen |= names
    return found


class _Parser(NamedTuple):
    """A parser of the command line, of which all that a function does with it is seen.

    Args:
        name: what it is bound to.
        options: the attributes of what it parses.
    """

    name: str
    options: set[str]


def _missing_options(module: ModuleScope) -> set[int]:
    """The ids of the attributes of what a parser of a file parses, and has no option for."""
    if "parse_args" not in module.calls_by_name or module.source.mentions(_WRITING):
        return set()
    given = {f.name: parser for f in module.functions if (parser := _returned_parser(f)) is not None}
    stored = {n.attr for n in module.body.nodes_of(ast.Attribute) if not isinstance(n.ctx, ast.Load)}
    found = set[int]()
    for function in module.functions:
        for name, options in _namespaces(function, given):
            handed_on = [c.lineno for c in function.calls if any(last_name(a) == name for a in all_arguments(c))]
            for node in (n for n in function.nodes_of(ast.Attribute) if place(n.value) == name):
                if node.attr not in options | stored and not any(line < node.lineno for line in handed_on):
                    found.add(id(node))
    return found


def _namespaces(function: FunctionScope, given: dict[str, _Parser]) -> Iterator[tuple[str, set[str]]]:
    """The names of a function that are bound to what a parser parses, or a function gives back that parses, each with
    its attributes."""
    parsers = {p.name: p for p in _parsers(function)}
    for name, bound in function.bindings.items():
        match [b.value for b in bound if not b.path]:
            case [ast.Call(func=ast.Attribute(value=ast.Name(id=parser), attr="parse_args"), keywords=[])]:
                known = parsers.get(parser)
            case [ast.Call(func=ast.Name(id=parsing))] if len(function.module.body.bindings.get(parsing, ())) == 1:
                known = given.get(parsing)
            case _:
                known = None
        if known is not None and len(bound) == 1:
            yield name, known.options


def _returned_parser(function: FunctionScope) -> _Parser | None:
    """The parser whose result a function of a file gives back, and nothing else."""
    if len(function.returns) != 1 or function.parent is not function.module.body:
        return None
    value = function.returns[0].value
    if isinstance(value, ast.Name):
        bound = function.bindings.get(value.id, ())
        value = bound[0].value if len(bound) == 1 else None
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=parser), attr="parse_args"), keywords=[]):
            return next((p for p in _parsers(function) if p.name == parser), None)
    return None


def _parsers(function: FunctionScope) -> Iterator[_Parser]:
    """The parsers that a function builds, and only adds options to, and parses with."""
    for name, bound in function.bindings.items():
        match [b.value for b in bound]:
            case [ast.Call(keywords=keywords) as made] if last_name(made.func) == "ArgumentParser":
                if {k.arg for k in keywords} <= {"description", "prog", "usage", "epilog"}:
                    parser = _used_parser(name, function)
                    if parser is not None:
                        yield parser


def _used_parser(name: str, function: FunctionScope) -> _Parser | None:
    """A parser with its options; None if something else is done with it than to add options and to parse."""
    asked = {id(n.value) for n in function.nodes_of(ast.Attribute) if n.attr in ("add_argument", "parse_args")}
    if any(n.id == name and isinstance(n.ctx, ast.Load) and id(n) not in asked for n in function.nodes_of(ast.Name)):
        return None
    options = set[str]()
    for call in function.calls_to(("add_argument",)):
        given = next((k.value for k in call.keywords if k.arg == "dest"), None)
        texts = [a.value for a in (call.args if given is None else [given]) if isinstance(a, ast.Constant)]
        words = [text for text in texts if isinstance(text, str)]
        if not words:
            return None
        options |= {word.lstrip("-").replace("-", "_") for word in words}
    return _Parser(name, options)
