"""Was the wrong loader taken: is a held-out or a training loader bound, and never read?

Whoever writes `val_loader` and `train_loader` and then reads only one of them took it twice. The names say which is
which; that the other one lies unused is what makes it sure. Loaders that are read anywhere in the function say nothing.
"""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterator

from mllint._typing import Any
from mllint.pattern import Pattern
from mllint.rule import Finding, Note
from mllint.semantics import AppliesGrad, Flow, Site, text
from mllint.semantics.frames import Frame
from mllint.semantics.lineage import statements
from mllint.semantics.module import Function, last_name, place, walk
from mllint.semantics.parts import drawn, held, trained

__all__ = ["indexed", "measured_on_training", "read", "took_held_out", "took_test"]

_LOADS = Pattern("load|iter|^dl$|_dl$|^dl_|_dl_")
_MEASURES = Pattern("^eval|^valid|^test|^infer|^accuracy|^score|^measure|^compute|^_eval|^_valid|^_test|^_infer")
_TRAINING = ("training", "train")
_HELD_OUT = ("validation", "valid", "val", "dev", "testing", "test", "eval")
_TEST = ("testing", "test")
_VALIDATION = ("validation", "valid", "val", "dev")


def indexed(node: Any) -> str | None:
    """The name of the index in `X[test_index]`, if it says which part it chooses."""
    index = getattr(node, "slice", None)
    return index.id if isinstance(index, ast.Name) and (held(index.id) or trained(index.id)) else None


def read(name: str, function: Function) -> bool:
    """Does anything in a function read a place, other than its length?"""
    last = name.rpartition(".")[2]
    passed = {id(a) for c in function.calls if last_name(c.func) in ("len", "prepare", "print") for a in c.args}
    for statement in function.body:
        for node in walk(statement):
            if (
                isinstance(node, (ast.Name, ast.Attribute))
                and isinstance(node.ctx, ast.Load)
                and id(node) not in passed
            ):
                if last == (node.id if isinstance(node, ast.Name) else node.attr):
                    return True
    return False


def siblings(name: str, own: tuple[str, ...], function: Function, other: tuple[str, ...]) -> Iterator[str]:
    """The places that a function binds and never reads, named like `name` but for the part that they say."""
    stem = without(name, own)
    for found, bindings in function.bindings.items():
        if without(found, other) == stem != found.lower() and all(b.kind == "assign" for b in bindings):
            if not read(found, function):
                yield found


def without(name: str, words: tuple[str, ...]) -> str:
    """A name in lower case, without the words that say which part it is."""
    name = name.lower()
    for word in words:
        name = name.replace(word, "")
    return name


def said(call: ast.Call, function: Function) -> str:
    """The names and texts of the innermost statement around a call, beside the call itself."""
    statement = [call, *(s for s in statements(function) if any(n is call for n in walk(s)))][-1]
    names = [n.id for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    texts = [n.value for n in walk(statement) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    return " ".join((*names, *texts)).lower()


def measured_on_training(function: Function) -> Iterator[tuple[Any, str, str, str]]:
    """`val_loss = evaluate(model, train_loader)`: the argument, the function, its name, and the unread loader."""
    for call in function.calls:
        if not _MEASURES.search(last_name(call.func)):
            continue
        for given in call.args:
            name = place(given)
            if name and trained(name) and _LOADS.search(name) and "train" not in said(call, function):
                spare = next(siblings(name, _TRAINING, function, _HELD_OUT), None)
                if spare is not None:
                    yield given, last_name(call.func), name, spare


def trained_on_held(node: Any, function: Function) -> tuple[str, str] | None:
    """A held-out loader in what a training loop iterates over (or was given), and the unread training loader."""
    for inner in walk(node):
        name = place(inner) if isinstance(inner, (ast.Name, ast.Attribute)) else None
        if name and held(name) and _LOADS.search(name):
            spare = next(siblings(name, _HELD_OUT, function, _TRAINING), None)
            if spare is not None:
                return name, spare
    return None


def selected_on_test(function: Function) -> Iterator[tuple[Any, Any, str, str]]:
    """`loss = evaluate(model, test_loader)` that is compared with a best so far, while the validation loader is unread.

    Yields:
        The argument, the comparison, the name of the loader and that of the unread one.
    """
    for statement in statements(function):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        for given in statement.value.args:
            name = place(given)
            if not name or not any(w in name.lower() for w in _TEST) or not _LOADS.search(name):
                continue
            spare = next(siblings(name, _TEST, function, _VALIDATION), None)
            choice = compared({place(n) for t in statement.targets for n in walk(t)}, function)
            if spare is not None and choice is not None:
                yield given, choice, name, spare


def compared(names: set[str | None], function: Function) -> Any:
    """The test of a branch that compares one of some names with a best so far."""
    for statement in statements(function):
        if isinstance(statement, ast.If) and isinstance(statement.test, ast.Compare):
            sides = [place(n) or "" for n in (statement.test.left, *statement.test.comparators)]
            if names & set(sides) and any("best" in side.lower() for side in sides):
                return statement.test
    return None


def took_held_out(flow: Flow) -> Iterator[Finding]:
    """A training loop over the held-out loader, while the training loader lies unused beside it."""
    for step in flow.events(AppliesGrad):
        run = next((r for r in reversed(step.loops) if r.iterates is not None and r.role == "batch"), None)
        if run is None or any(b.comes_from("heldout", "test") for b in drawn(run)):
            continue
        frame: Frame | None = run.frame
        nodes = [run.node.iter]
        while frame is not None:
            found = next((f for n in nodes if (f := trained_on_held(n, frame.function)) is not None), None)
            if found is not None:
                message = (
                    f"`{text(step.site.module, step.site.node)}` trains on `{found[0]}`; nobody reads `{found[1]}`"
                )
                note = Note(Site(frame.module, nodes[0]), "the held-out data")
                yield Finding(step, message, "learns from held-out data", [note])
                break
            nodes = list(frame.caller[1].args) if frame.caller is not None else []
            frame = frame.caller[0] if frame.caller is not None else None


def took_test(flow: Flow) -> Iterator[Finding]:
    """A choice by a score on the test loader, while the validation loader lies unused beside it."""
    for function in flow.root.module.functions:
        if isinstance(function.node, ast.Lambda):
            continue
        for given, test, name, spare in selected_on_test(function):
            message = f"the score that decides here was measured on `{name}`, and nobody reads `{spare}`"
            note = Note(Site(function.module, given), "measured here")
            yield Finding(Site(function.module, test), message, "decides by the test score", [note])
