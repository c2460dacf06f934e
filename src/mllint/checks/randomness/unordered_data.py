"""Does an order that nobody defined decide something about the data?

A directory listing comes in the order of the file system, a set of strings in the order of salted hashes. That is
harmless where every element is treated alike. It is a bug where the order chooses: which rows are held out, which
number a class gets, which mask belongs to which image. So the rule starts from the choice and looks back for the order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Decides, Function, Node, Site, choices, last_name, statements, text, textual, walk

__all__: list[str] = []


_STABLE = "use a hash that is the same everywhere, such as `zlib.crc32(repr({}).encode())`"
_SALTED = "Python salts the hash of strings in each process: every run selects or numbers samples differently"
_BY_NAME = "sort it by name: `sorted(..., key=lambda entry: entry.name)`"
_DECIDES = {
    Decides.NUMBERS: "class indices depend on",
    Decides.PAIRS: "which elements are paired depends on",
    Decides.HELD_OUT: "the held-out samples depend on",
}
_LABELS = {
    Decides.NUMBERS: "indexes the classes",
    Decides.PAIRS: "decides what belongs together",
    Decides.HELD_OUT: "decides what is held out",
}
_WHY = {
    Decides.NUMBERS: "the same index can mean another class",
    Decides.PAIRS: "elements can be paired with the wrong ones",
    Decides.HELD_OUT: "each run can hold out different samples",
}


@check("unordered-data", calls=choices.CHOOSING, has="picks_rows")
def unordered_data(function: Function) -> Iterator[Finding]:
    """The order of a directory listing or of a set decides about rows, labels or pairs."""
    if not choices.may_choose(function):
        return
    for choice, origin in choices.find_arbitrary_choices(function):
        shown = text(origin.frame.module, origin.node.func) if isinstance(origin.node, ast.Call) else "set"
        yield Finding(
            origin,
            f"{_DECIDES[choice.decides]} the order of `{shown}`, which may change between runs",
            "in arbitrary order",
            [Note(Site(function.module, choice.site), _LABELS[choice.decides])],
            help=_BY_NAME if last_name(getattr(origin.node, "func", None)) == "scandir" else "",
            why=f"the order can differ between machines, file systems or runs: {_WHY[choice.decides]}",
            evidence=(choices.choice_evidence(choice.site, function),),
        )
    yield from _hashed(function)


def _hashed(function: Function) -> Iterator[Finding]:
    """`hash(name) % 10` decides: strings hash differently in each process."""
    if "hash" not in function.scope.called_names or "hash" in function.module.body.bindings:
        return
    conditions: list[Node] = []
    found: list[tuple[Node, Node, Node]] = []
    for statement in statements(function.scope):
        conditions += [statement.test] if isinstance(statement, ast.If) else []
        for node in choices.own_expressions(statement):
            conditions += (
                node.ifs if isinstance(node, ast.comprehension) else [node.test] if isinstance(node, ast.IfExp) else []
            )
            if isinstance(node, ast.Compare):
                conditions.append(node)
            elif (call := choices.hashed_modulo(node)) is not None:
                found.append((node, call, statement))
    tests = {id(n): n for test in conditions for n in walk(test)} if found else {}
    names = {n.id for n in tests.values() if isinstance(n, ast.Name)}
    for node, call, statement in found:
        given, target = call.args[0], statement.targets[0] if isinstance(statement, ast.Assign) else None
        kept = isinstance(target, ast.Name) and target.id in names and statement.value is node
        is_text = textual.string_evidence(given, function) if id(node) in tests or kept else None
        if is_text is not None:
            message = f"`{text(function.module, call)}` differs between processes: it depends on the hash of a string"
            yield Finding(
                Site(function.module, node),
                message,
                "a salted hash",
                help=_STABLE.format(text(function.module, given)),
                why=_SALTED,
                evidence=(is_text,),
            )
