"""Does an order that nobody defined decide something about the data?

A directory listing comes in the order of the file system, a set of strings in the order of salted hashes. That is
harmless where every element is treated alike. It is a bug where the order chooses: which rows are held out, which
number a class gets, which mask belongs to which image. So the rule starts from the choice and looks back for the order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import Function, Node, Site, Topic, ordering, statements, text, textual, topics, walk

__all__: list[str] = []


_STABLE = "use a hash that is the same everywhere, such as `zlib.crc32(name.encode())`"
_SALTED = "Python salts the hash of strings in each process: every run selects or numbers samples differently"
LABELS = {ordering.NUMBERS: "indexes the classes", ordering.PAIRS: "decides what belongs together"}

_WHY = {
    ordering.NUMBERS: "the same index can mean another class",
    ordering.PAIRS: "elements can be paired with the wrong ones",
}
_HELD_OUT = "each run can hold out different samples"


@check("unordered-data", calls=ordering.CHOOSING, has="picks_rows")
def unordered_data(function: Function) -> Iterator[Finding]:
    """The order of a directory listing or of a set decides about rows, labels or pairs."""
    if not ordering.may_choose(function):
        return
    for sequence, site, what in ordering.choices(function):
        if what == ordering.NUMBERS and (
            ordering.takes_truth_and_guesses(function) or not ordering.may_model_outlive_run(function)
        ):
            continue
        for origin in ordering.unordered_origins(sequence, function):
            if (
                what == ordering.PAIRS
                and function.owner is not None
                and topics.is_about(function.owner.name, Topic.UNPAIRED)
            ):
                continue
            if what == ordering.PAIRS and not ordering.has_other_listing(
                sequence, ordering.paired_expressions(site, function), origin, function
            ):
                continue
            if what == ordering.NUMBERS and textual.is_listing(origin) and ordering.only_locates_rows(site, function):
                continue
            if what == ordering.NUMBERS and ordering.is_stored(site, function):
                continue
            shown = text(origin.frame.module, origin.node.func) if isinstance(origin.node, ast.Call) else "set"
            yield Finding(
                origin,
                f"{what} the order of `{shown}`, which may change between runs",
                "in arbitrary order",
                [Note(Site(function.module, site), LABELS.get(what, "decides what is held out"))],
                why=f"the order can differ between machines, file systems or runs: {_WHY.get(what, _HELD_OUT)}",
                evidence=(ordering.choice_evidence(site, function),),
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
        for node in ordering.own_expressions(statement):
            conditions += (
                node.ifs if isinstance(node, ast.comprehension) else [node.test] if isinstance(node, ast.IfExp) else []
            )
            if isinstance(node, ast.Compare):
                conditions.append(node)
            elif (call := ordering.hashed_modulo(node)) is not None:
                found.append((node, call, statement))
    tests = {id(n): n for test in conditions for n in walk(test)} if found else {}
    names = {n.id for n in tests.values() if isinstance(n, ast.Name)}
    for node, call, statement in found:
        given, target = call.args[0], statement.targets[0] if isinstance(statement, ast.Assign) else None
        kept = isinstance(target, ast.Name) and target.id in names and statement.value is node
        is_text = textual.string_evidence(given, function) if id(node) in tests or kept else None
        if is_text is not None:
            message = f"`{text(function.module, call)}` of a string differs between processes"
            yield Finding(Site(function.module, node), message, "a salted hash", (), _STABLE, _SALTED, (is_text,))
