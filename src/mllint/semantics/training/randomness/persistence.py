"""Do the numbers that a program gives to what it meets outlive the run, and are they kept with the model?

labels = {name: i for i, name in enumerate(os.listdir(folder))}
torch.save(net.state_dict(), "net.pt")       # the model may meet other numbers
json.dump(labels, file)                      # its numbers are stored beside it
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import FunctionView
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.nodes import Node, all_arguments, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.randomness import seeds
from mllint.semantics.values.lineage import bindings_of, targets_of

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ModuleScope

__all__ = ["is_stored", "may_model_outlive_run", "tables_of", "written_places"]

_OUTLIVING = (
    "save",
    "save_pretrained",
    "save_weights",
    "save_model",
    "save_checkpoint",
    "load_state_dict",
    "load_model",
)
_PICKLES = ("pickle", "cPickle", "pkl", "joblib", "dill", "cloudpickle")


def may_model_outlive_run(function: FunctionView) -> bool:
    """Does a model outlive the program, so that it may meet other numbers: is one saved or loaded?"""
    modules = [
        function.module,
        *(m for p in seeds.programs(function.scope, function.project) for m in seeds.imported_modules(p)),
    ]
    notebook = function.module.source is not None and function.module.source.cells is not None
    if function.owner is not None and not notebook and not any("backward" in m.calls_by_name for m in modules):
        return True  # a data set by itself, for whoever trains
    saving = (c for m in modules for name in _OUTLIVING for c, _ in m.calls_by_name.get(name, ()))
    if any(not _saves_only_scores(c) for c in saving):
        return True
    dumps = (c.func for m in modules for c, _ in m.calls_by_name.get("dump", ()))
    return any(isinstance(f, ast.Attribute) and place(f.value) in _PICKLES for f in dumps)


def _saves_only_scores(call: ast.Call) -> bool:
    """Is nothing but scores saved: `torch.save(mean_acc, path)`, `torch.save({"loss": losses}, path)`?"""
    given = call.args[0] if call.args and last_name(call.func) == "save" else None
    names = [n.id for n in walk(given) if isinstance(n, ast.Name)] if given is not None else []
    called = given is not None and any(isinstance(n, ast.Call) for n in walk(given))
    return bool(names) and not called and all(topics.is_about(name, Topic.SCORES) for name in names)


def is_stored(site: Node, function: FunctionView) -> bool:
    """Is a table of numbers written to disk by another file, or, if the function returns it, under the name that its
    caller gives it? Its numbers are stored with the model then."""
    names = tables_of(site, function)
    returned = {place(n) for r in function.scope.returns for n in walk(r.value)}
    given = {name.rpartition(".")[2] for name in names if "." in name}
    if not returned.isdisjoint(names):
        for call, frame in function.project.callers(function.scope):
            given.update(target.rpartition(".")[2] for target in targets_of(call, frame.function))
    naming = (m for m in function.project.modules if any(map(m.source.holds, given)))
    return any(not given.isdisjoint(written_places(m)) for m in naming)


def tables_of(site: Node, function: FunctionView) -> list[str]:
    """The places of the table that holds the numbers."""
    if isinstance(site, ast.Assign):
        return [place(getattr(site.targets[0], "value", None)) or ""]
    return [b.name for b in bindings_of(site, function.scope)]


@cached()
def written_places(module: ModuleScope) -> set[str]:
    """The places that are written to disk somewhere in a file, and the last parts of their names."""
    written = (c for n, calls in module.calls_by_name.items() if topics.is_about(n, Topic.WRITING) for c, _ in calls)
    nodes = [n for c in written for a in all_arguments(c) for n in walk(a)]
    return {place(n) or "" for n in nodes} | {last_name(n) for n in nodes}
