"""Fixes of the family `distributed`."""

from __future__ import annotations

import ast
from typing import Any

from mllint.fixes.edits import before, segment
from mllint.fixes.registry import Proposal, Unsure, fix
from mllint.rule import Finding
from mllint.semantics.api import Call, Frame, FunctionScope, Site, iterable_of, last_name, place

__all__: list[str] = []


@fix("sampler-without-set-epoch")
def tell_the_epoch(finding: Finding) -> Proposal:
    """`set_epoch` begins the body of the loop over epochs."""
    if len(finding.about) != 2:
        raise Unsure
    run, made = finding.about
    if not run.outer or run.outer[-1].frame.function is not run.frame.function:
        return _across(run, made)
    return _insert_set_epoch(run.outer[-1], _name_of(made, run.outer[-1].frame.function, run))


def _across(run: Any, made: Call) -> Proposal:
    """The batches are drawn in a function that the loop over epochs calls."""
    if not run.outer:
        raise Unsure
    epochs = run.outer[-1]
    try:
        return _insert_set_epoch(epochs, _name_of(made, epochs.frame.function, None))
    except Unsure:
        own = _handed_out(made, epochs.frame)
        if own is not None:
            return _insert_set_epoch(epochs, own)
        return _insert_set_epoch(epochs, f"{_loader_above(run, epochs.frame.function)}.sampler")


def _handed_out(made: Call, frame: Frame) -> str | None:
    """The name that a function gives to a sampler which another one builds and returns, beside its loader."""
    for name, bound in frame.function.bindings.items():
        if len(bound) == 1 and bound[0].kind == "assign":
            built = frame.named(name).built_with
            if built is not None and built.node is made.node:
                return name
    return None


def _loader_above(run: Any, function: FunctionScope) -> str:
    """How a function names the loader that a loop in another one draws from: an attribute of their object, or what it
    hands over.

    Raises:
        Unsure: it does not name it.
    """
    loader = place(iterable_of(run.node.iter)) if isinstance(run.node, ast.For) else None
    own, frame = run.frame.function, run.frame
    if loader is None or frame.caller is None:
        raise Unsure
    if loader.startswith("self.") and own.owner is function.owner and own.owner is not None:
        return loader
    caller, node = frame.caller
    if caller.function is not function or not isinstance(node, ast.Call) or own.parameter(loader) is None:
        raise Unsure
    names = Call(node, caller).parameter_names(own)
    given = [a for a in (*node.args, *(k.value for k in node.keywords)) if names.get(id(a)) == loader]
    if len(given) != 1 or place(given[0]) is None or len(own.bindings.get(loader, ())) != 1:
        raise Unsure
    return segment(Site(caller.module, given[0]))


def _insert_set_epoch(epochs: Any, sampler: str) -> Proposal:
    target, drawn = getattr(epochs.node, "target", None), iterable_of(getattr(epochs.node, "iter", None))
    if not isinstance(target, ast.Name) or not (
        isinstance(drawn, ast.Call) and last_name(drawn.func) in ("range", "trange")
    ):
        raise Unsure
    first = Site(epochs.frame.module, epochs.node.body[0])
    line = f"{sampler}.set_epoch({target.id})"
    return Proposal(f"Begin each epoch with `{line}`", before(first, line))


def _name_of(made: Call, function: FunctionScope, run: Any) -> str:
    """The name of a sampler in a function: bound to nothing else."""
    scope = made.function
    names = [n for n, found in scope.bindings.items() if any(b.value is made.node and not b.path for b in found)]
    visible = scope is function or (scope is made.module.body and function.module is made.module)
    if names and visible and len(scope.bindings[names[0]]) == 1:
        if scope is not function and function.bindings.get(names[0]):
            raise Unsure
        return names[0]
    loader = place(iterable_of(run.node.iter)) if run is not None and isinstance(run.node, ast.For) else None
    bound = function.bindings.get(loader or "", ())
    if loader and not names and len(bound) == 1 and isinstance(bound[0].value, ast.Call):
        if any(k.value is made.node for k in bound[0].value.keywords if k.arg == "sampler"):
            return f"{loader}.sampler"
    raise Unsure
