"""Is a part of one model left out of its optimizer, although nothing says that it is to stay as it was built?

`Adam(model.decoder.parameters())` is what somebody writes who has loaded the rest, and freezes it. Where the rest is
made of fresh layers, gets gradients, is frozen nowhere, and nothing in the project loads weights, it stays at random
numbers. The same is told where parameters are collected in two lists, of which only one is ever read.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note
from mllint.semantics.api import (
    ClassScope,
    Event,
    Flow,
    FunctionScope,
    Site,
    bindings_value,
    model_parts,
    place,
    records,
    text,
    walk,
)

__all__ = ["left_beside", "left_out", "unread_groups"]


def left_out(flow: Flow, built: dict[int, tuple[records.Built, list[Event]]], held: set[int]) -> Iterator[Finding]:
    """The fresh parts of a model that a loss depends on and no optimizer holds, though one holds another part of it.

    Args:
        flow: a flow of which all events are known.
        built: the optimizers that are built in it, with their steps.
        held: the identities of what all of them hold.
    """
    if not model_parts.starts_fresh(flow, built):
        return
    for made, _ in built.values():
        for node, model in model_parts.owners_of_parts(made):
            for name, part in model_parts.parts_of(model, made.call.frame):
                backward = (
                    model_parts.reached(part, held, flow) if model_parts.is_fresh(part, made.call.frame) else None
                )
                if backward is not None:
                    owner = text(made.call.frame.module, node)
                    message = f"the optimizer holds a part of `{owner}`, and nothing trains `{owner}.{name}`"
                    yield Finding(
                        made, message, "a part is left out", [Note(backward, f"computes gradients for `{name}`")]
                    )
                    break


def left_beside(flow: Flow, built: dict[int, tuple[records.Built, list[Event]]], held: set[int]) -> Iterator[Finding]:
    """A fresh model beside the one that an optimizer holds: a loss depends on it, and no optimizer holds it.

    Args: as for `left_out`.
    """
    for made, _ in built.values() if model_parts.starts_fresh(flow, built) else ():
        for name, bindings in made.call.function.bindings.items():
            if len(bindings) != 1 or bindings[0].kind != "assign" or "[" in name or name.count(".") > 1:
                continue
            if model_parts.is_asked(name, made.call.argument("params")):
                continue
            model = bindings_value(bindings, made.call.frame)
            own = model.kind == "instance" and isinstance(model.of, ClassScope) and not model.of.module.is_stub
            fresh = own and (model_parts.is_fresh(model, made.call.frame) or model_parts.has_weights(model))
            backward = model_parts.reached(model, held, flow) if fresh else None
            if (
                backward is not None
                and not model_parts.follows(name, made)
                and model_parts.runs_layers(model, backward, made.call.frame)
            ):
                message = f"the loss is computed with `{name}`, whose parameters no optimizer holds"
                yield Finding(made, message, "another model", [Note(backward, f"computes gradients for `{name}`")])
                return


# ------------------------------------------------------------------------------------------------------ two lists
def unread_groups(function: FunctionScope) -> Iterator[Finding]:
    """Parameters of a model are sorted into two lists, and one of them is never read."""
    if function.called_names.isdisjoint(model_parts.PARAMETERS):
        return
    loops = [r.node for r in function.loops if isinstance(r.node, ast.For)]
    sorted_by = [
        model_parts.filled_lists(loop, item)
        for loop in loops
        if (item := model_parts.parameter_of(loop)) and not model_parts.freezes(loop)
    ]
    for filled in (*sorted_by, model_parts.listed(function)):
        unread = [name for name in filled if not model_parts.is_read(name, function)] if len(filled) > 1 else []
        if len(unread) == 1:
            other = next(name for name in filled if name != unread[0])
            message = f"the parameters in `{unread[0]}` are handed to no optimizer: only those in `{other}` are trained"
            yield Finding(Site(function.module, filled[unread[0]]), message, "collected, and never read")
    yield from _without_rest(function)


def _without_rest(function: FunctionScope) -> Iterator[Finding]:
    """The group of the parameters that are to decay is written out, and none of those that are not to."""
    if "any" not in function.called_names or ast.ListComp not in function.module.comprehended:
        return
    chosen = [
        n for s in function.body for n in walk(s) if isinstance(n, ast.ListComp) and model_parts.chooses(n) is not None
    ]
    if len(chosen) != 1:
        return
    match model_parts.chooses(chosen[0]):
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="any"), args=[ast.GeneratorExp() as names])):
            among = names.generators[0].iter
            for group in (n for s in function.body for n in walk(s) if isinstance(n, ast.Dict)):
                keys = [k.value for k in group.keys if isinstance(k, ast.Constant)]
                inside = any(v is chosen[0] for v in group.values)
                if inside and "weight_decay" in keys and "decay" in (place(among) or ""):
                    message = f"the parameters that `{place(among)}` names are in no group: nothing trains them"
                    yield Finding(Site(function.module, chosen[0]), message, "leaves them out")
