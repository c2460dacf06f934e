"""Is there a training part that a loop could have read, and does it train a model?

What steps on held-out rows may be right: a tensor that is fitted to a finished model, a loop for which nothing else was
ever divided off. Asked here: who is trained (`trains_a_model`), in which phase a loop draws, and where the loader that
it draws from was chosen.
"""

from __future__ import annotations

import ast
from typing import Any

from mllint.semantics.flow.flow import Event, Flow
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax.module import assigned, place, turned, walk
from mllint.semantics.training import roles
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.library import effect_of
from mllint.semantics.values.lineage import Origin, origins, statements
from mllint.semantics.values.values import Site, Value

__all__ = ["callees", "has_training_part", "phase", "starts_anew", "trains_a_model", "where_chosen"]


def phase(step: Event) -> str | None:
    """The word by which the batch loop around a step chooses its loader."""
    run = next((r for r in reversed(step.loops) if r.iterates is not None), None)
    node = turned(run.node.iter) if run is not None else None
    if run is None or not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Constant):
        return None
    word = evaluate(node.slice, run.frame).literal
    return word if isinstance(word, str) else None


def where_chosen(loop: Origin) -> Origin:
    """The loader as the outermost caller names it: where the choice was made."""
    named = [
        o
        for o in origins(loop.node, loop.frame)
        if isinstance(o.node, (ast.Name, ast.Attribute)) and o.frame is not loop.frame
    ]
    loaders = [o for o in named if o.value.instance_of("torch.utils.data.DataLoader")]
    return loaders[-1] if loaders and loop.frame.bound else loop


def starts_anew(made: Value) -> bool:
    """Is it a model or an optimizer, or may it be one, and no context or meter of a library?"""
    known = bool(made.classes) and all(cls.module.is_stub for cls in made.classes)
    return not known or made.may_be_instance_of("torch.nn.Module", "torch.optim.Optimizer")


def trains_a_model(step: Event) -> bool:
    """Does the optimizer hold the parameters of a module, and not a tensor or two that are fitted to a finished one?"""
    for optimizer in step.subject.alternatives:
        params = constructor_argument(optimizer, "params")
        if params is not None and not any(_may_be_parameters(v) for v in params.alternatives):
            return False
    return True


def _may_be_parameters(value: Value, depth: int = 3) -> bool:
    """Is something parameters of a module, or unknown: itself, or a part of the list or the group that it is? A list
    in which nothing is seen was filled where nobody looks."""
    if value.is_unknown or value.has("Parameters"):
        return True
    if not depth or value.kind not in ("mapping", "sequence", "many"):
        return False
    parts = [p for k, p in value.parts.items() if k == "params"] if value.kind == "mapping" else value.parts
    return not parts or any(_may_be_parameters(v, depth - 1) for part in parts for v in part.alternatives)


def has_training_part(flow: Flow, loader: Value) -> bool:
    """Is there a training part that this loop could have read instead: a split gave one, or another dataset is one, or
    the held-out data goes by the name of training data?"""
    sites = [r.site for r in loader.all_roots if r.site is not None]
    if any(effect_of(f, "splits") for s in sites if isinstance(s.node, ast.Call) for f in callees(s, flow)):
        return True
    if sites and all(_called_training(s) for s in sites):
        return True
    modules = {id(m): m for m in (flow.root.module, *(s.module for s in sites))}
    calls = [node for m in modules.values() for found in m.calls_by_name.values() for node, _ in found]
    return any(_chooses_training(k) for node in calls for k in node.keywords)


def _called_training(site: Site) -> bool:
    """Is what is built there bound to a name that says that it is trained on?"""
    for function in site.module.functions:
        for statement in statements(function) if not isinstance(function.node, ast.Lambda) else ():
            pairs = [(t, v) for t, v in assigned(statement) if any(n is site.node for n in walk(v))]
            if pairs:
                return all(roles.is_training_name(place(t)) for t, _ in pairs)
    return False


def _chooses_training(keyword: ast.keyword) -> bool:
    if not isinstance(keyword.value, ast.Constant):
        return False
    value = keyword.value.value
    return value is True if keyword.arg == "train" else keyword.arg == "split" and value == "train"


def callees(site: Site, flow: Flow) -> list[Any]:
    """The functions that the call at a site enters."""
    return list(Call(site.node, flow.frame.project.frame(site.module.body)).callees)
