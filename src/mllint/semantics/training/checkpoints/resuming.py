"""Does a run go on where an earlier one stopped, and by which calls does it read that run's state back?

    state = torch.load("last.pt")
    model.load_state_dict(state["model"])            # `loads`: a model is restored from a file
    for epoch in range(state["epoch"], 90): ...      # `start`: the run goes on where the other one stopped

A program *resumes* if it restores a model from a file, reads back how far that run had come, and starts to count there.
Weights that are loaded for inference, for a test or as a start of something else resume nothing. `find_resumption`
finds both places, also through helpers: `net.load_weights(args.resume)` and `start = load(path, net)` restore as
`load_state_dict(torch.load(path))` does. What the helper is given names the file, and what it gives back may be how far
the run had come.

What makes it unknown: the epoch is read in the branch that does not load the model, or the file is not read by
`torch.load`.

Deliberately not done: no file is opened, and which keys a checkpoint on disk has is not asked. What is restored besides
the model, and what is saved, is `restoring`.
"""

from __future__ import annotations

import ast
from enum import Enum
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call, ModuleView
from mllint.semantics.libraries import classes
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, last_name, place, walk
from mllint.semantics.syntax.words import last_part, words
from mllint.semantics.training.roles import Role, name_evidence, speaks_of, unit_by_name
from mllint.semantics.values.lineage import origins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.syntax.module import ModuleScope
    from mllint.semantics.syntax.sites import Site
    from mllint.semantics.values.lineage import Origin
    from mllint.semantics.values.project import Project

__all__ = [
    "Stateful", "find_inner_load_calls", "find_resumption", "is_loaded_from_disk", "is_progress_key", "receiver_name",
]  # fmt: skip

_NOT_HELPERS = ("__init__", "load_state_dict", "main", "train", "fit", "run")


class Stateful(Enum):
    """What has a state besides the model, by the class of it."""

    OPTIMIZER = classes.OPTIMIZER
    SCHEDULE = classes.SCHEDULER

    @property
    def role(self) -> Role:
        """The role that names give such an object."""
        return Role.OPTIMIZER if self is Stateful.OPTIMIZER else Role.SCHEDULE


def find_resumption(module: ModuleView) -> tuple[list[Call], Site | None]:
    """The calls by which a model is restored from a file, and the place where the run goes on, None if it does not."""
    loads = [call for call in module.calls("load_state_dict") if _is_model(call) and is_loaded_from_disk(call)]
    start = _find_resume_site(module, loads) if loads else None
    if start is None and _is_trained_in(module):
        loads = [
            c
            for c in _helpers(module)
            if any(_is_model(i) and is_loaded_from_disk(i) for i in find_inner_load_calls(c))
        ]
        start = _find_resume_site(module, loads) if loads else None
    loads = [call for call in loads if start is not None and not _on_other_branch(call, start)]
    if len(loads) > 1 and start is not None:
        read = _files_of(start.node, module, start.line)
        loads = [call for call in loads if not read.isdisjoint(_loaded_by(call))] or loads
    return loads, start if loads else None


def _files_of(node: Node, module: ModuleView, line: int) -> set[int]:
    """The calls of `torch.load` that progress is read from: where several files are loaded, only one is gone on from,
    and the others hold weights to begin with."""
    scopes = (f for f in module.module.functions if not f.is_body)
    around = [f for f in scopes if f.node.lineno <= line <= (f.node.end_lineno or 0)]
    frame = module.project.frame(around[-1] if around else module.module.body)
    keys = [n for n in walk(node) if isinstance(n, ast.Subscript) and is_progress_key(n.slice)]
    return {id(o.node) for n in keys for o in origins(n.value, frame) if _is_load(o)}


def _loaded_by(call: Call) -> set[int]:
    """The calls of `torch.load` that a model is restored from."""
    inside = [c for c in find_inner_load_calls(call) if c.arguments]
    return {id(o.node) for c in inside for o in origins(c.arguments[0].node, c.arguments[0].frame) if _is_load(o)}


def _is_model(call: Call) -> bool:
    """Is the state loaded into a model: not into an optimizer, a schedule or a scaler?"""
    receiver = call.receiver
    name = call.name.rpartition(".")[0]
    other = speaks_of(name, Role.OPTIMIZER, Role.SCHEDULE, Role.SCALER)
    return (
        receiver is not None
        and not other
        and not receiver.instance_of(Stateful.OPTIMIZER.value, Stateful.SCHEDULE.value)
    )


def is_loaded_from_disk(call: Call) -> bool:
    """Does what is loaded come from `torch.load`?"""
    given = call.arguments[0] if call.arguments else None
    return given is not None and any(_is_load(o) for o in origins(given.node, given.frame))


def _on_other_branch(load: Call, start: Site) -> bool:
    """Does one branch load the model, and the other one read how far the run had come?"""
    for node in walk(load.function.node):
        if isinstance(node, ast.If) and node.orelse:
            middle, last = node.orelse[0].lineno, node.orelse[-1].end_lineno or 0
            lines = sorted((load.node.lineno, start.line))
            if node.body[0].lineno <= lines[0] < middle <= lines[1] <= last:
                return True
    return False


def _find_resume_site(module: ModuleView, loads: list[Call]) -> Site | None:
    """The place where progress is read back and where a loop then starts; None if the program does not resume."""
    starts = _loop_starts(module.module)
    shared = {start for m in module.project.modules if "range" in m.calls_by_name for start in _loop_starts(m)}
    shared |= _attributes_that_end_loops(module.project)
    for function in module.module.functions:
        frame = module.project.frame(function)
        for name, bindings in function.bindings.items():
            given = "." in name and (
                last_part(name) in shared or _is_start_counter_name(name)
            )  # another file counts from it
            if not given and last_part(name) not in starts:
                continue
            for binding in bindings:
                if binding.kind == "assign" and any(_is_progress(o, loads) for o in origins(binding.value, frame)):
                    return module.at(binding.value)
    for node, scope in module.module.calls_by_name.get("range", ()):
        if len(node.args) > 1 and any(
            isinstance(n, ast.Subscript) and is_progress_key(n.slice) for n in walk(node.args[0])
        ):
            return module.at(node)
        if isinstance(scope, FunctionScope) and len(node.args) > 1 and isinstance(node.args[0], ast.Call):
            if any(_is_progress(o, loads) for o in origins(node.args[0], module.project.frame(scope))):
                return module.at(node)
    return next(_restored_counters(module), None) or next(_find_starts_by_option(module, loads), None)


def _find_starts_by_option(module: ModuleView, loads: list[Call]) -> Iterator[Node]:
    """Where `range(args.start_iter, n)` counts from what the user says, next to weights that `args.resume` names."""
    named = [name for load in loads for name in _paths_of(load) if name]
    if not any(name_evidence(name, Role.RESUMED_FILE) is not None for name in named):
        return
    for node, _ in module.module.calls_by_name.get("range", ()):
        first = node.args[0] if len(node.args) > 1 else None
        if isinstance(first, ast.Attribute) and "start" in words(first.attr) and _is_progress_counter_name(first.attr):
            yield module.at(node)


def _restored_counters(module: ModuleView) -> Iterator[Site]:
    """Where an object that a loop starts to count from is told what was loaded: `self.schedule.load(checkpoint)`."""
    for node, _ in module.module.calls_by_name.get("range", ()):
        first = node.args[0] if len(node.args) > 1 else None
        if not isinstance(first, ast.Attribute) or not _is_progress_counter_name(first.attr):
            continue
        if (counter := place(first.value)) in (None, "self"):
            continue
        for call in module.calls():
            if isinstance(call.node.func, ast.Attribute) and place(call.node.func.value) == counter:
                given = (o for a in call.arguments for o in origins(a.node, a.frame))
                if any(map(_is_load, given)):
                    yield module.at(call.node)


def _loop_starts(module: ModuleScope) -> set[str]:
    """The names with which counting starts in a file: `range(start, ...)`, `while epoch < ...`."""
    ranges = [call for name in ("range", "trange") for call, _ in module.calls_by_name.get(name, ())]
    parts = [call.args[0] for call in ranges if len(call.args) > 1]
    loops = (loop.node for function in module.functions for loop in function.loops)
    parts += [node.test for node in loops if isinstance(node, ast.While)]
    found = {last_name(n) for part in parts for n in walk(part) if isinstance(n, (ast.Name, ast.Attribute))}
    return found - {"self", ""}


@cached()
def _attributes_that_end_loops(project: Project) -> frozenset[str]:
    """The attributes that the project's `while` loops ask for, as `while run.epoch < epochs:` does."""
    functions = (f for m in project.modules if not m.is_stub for f in m.functions)
    tests = (run.node.test for f in functions for run in f.loops if isinstance(run.node, ast.While))
    return frozenset(n.attr for test in tests for n in walk(test) if isinstance(n, ast.Attribute))


def _is_progress(origin: Origin, loads: list[Call]) -> bool:
    """Is it an epoch that was read from a checkpoint, or from the name of its file?"""
    node = origin.node
    match node:
        case (
            ast.Subscript(value=read, slice=key) | ast.Call(func=ast.Attribute(value=read, attr="get"), args=[key, *_])
        ):
            if is_progress_key(key):
                return any(_is_load(o) for o in origins(read, origin.frame))
    if (
        isinstance(node, ast.Call)
        and last_name(node.func) in ("split", "findall", "search")
        and isinstance(node.func, ast.Attribute)
    ):
        apart = _parsed_places(node) - {None}
        return any(apart & _paths_of(load) for load in loads)
    return False


def is_progress_key(node: Node) -> bool:
    """Is it a key such as "epoch"?"""
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_progress_counter_name(node.value)


def _is_start_counter_name(name: str) -> bool:
    """Does a name say where counting starts: `config.start_epoch`?"""
    return words(last_part(name))[:1] in (("start",), ("initial",)) and _is_progress_counter_name(name)


def _is_progress_counter_name(name: str) -> bool:
    """Does a name count how far a run has come: epochs, or steps?"""
    return unit_by_name(name) in (Role.EPOCHS, Role.STEPS)


def _is_trained_in(module: ModuleView) -> bool:
    """Is an optimizer stepped in a file, or built, in which a loop starts to count somewhere?"""
    return bool(_loop_starts(module.module)) and bool(module.module.calls_by_name.keys() & {"step", "zero_grad"})


def receiver_name(call: ast.Call) -> str:
    """The last name of what a method is called on, or its key: `optim` of `self.optim` and of `state["optim"]`."""
    base = getattr(call.func, "value", None)
    if isinstance(base, ast.Subscript) and isinstance(base.slice, ast.Constant) and isinstance(base.slice.value, str):
        return base.slice.value
    return last_name(base)


def _is_load(origin: Origin) -> bool:
    """Is it a call of `torch.load`?"""
    node = origin.node
    if not isinstance(node, ast.Call) or last_name(node.func) != "load":
        return False
    return Call(node, origin.frame).callee.is_function("torch.load")


def _helpers(module: ModuleView) -> Iterator[Call]:
    """The calls in a file of functions of the project, other than its own, that load a state from a file."""
    found = _loading(module.project)
    for name in found:
        for call in module.calls(name):
            if call.function.name != name and any(f in found[name] for f in call.callees):
                yield call


@cached()
def _loading(project: Project) -> dict[str, list[FunctionScope]]:
    """The functions of the project in which a state is loaded into something, and a file is read, by their names."""
    found: dict[str, list[FunctionScope]] = {}
    for node, scope in project.calls_named("load_state_dict"):
        if not isinstance(scope, FunctionScope) or not isinstance(scope.node, ast.FunctionDef):
            continue
        if node.args and "load" in scope.called_names and scope.name not in _NOT_HELPERS:
            found.setdefault(scope.name, []).append(scope)
    return found


def find_inner_load_calls(call: Call) -> list[Call]:
    """The calls of `load_state_dict` behind a helper, or the call itself if it is one."""
    if call.last_name == "load_state_dict":
        return [call]
    inner = ((f, n) for f in call.callees for n in f.calls if last_name(n.func) == "load_state_dict")
    return [Call(n, call.project.frame(f)) for f, n in inner]


def _paths_of(load: Call) -> set[str | None]:
    """The places that the path of what is loaded is made of."""
    if load.last_name != "load_state_dict":
        given = (*load.node.args, *(k.value for k in load.node.keywords))
        return {name for a in given for name in _path_components(a)} - {None}
    found = [o for o in origins(load.arguments[0].node, load.frame) if _is_load(o) and o.node.args]
    return {name for o in found for name in _path_components(o.node.args[0])} - {None}


def _path_components(path: Node) -> set[str | None]:
    """The places that a path is made of: `path`, `os.path.join(folder, name)`, `folder / name`, `f"{folder}/{n}"`."""
    if isinstance(path, ast.Call) and last_name(path.func) in ("join", "joinpath", "str", "Path"):
        return {name for a in path.args for name in _path_components(a)}
    if isinstance(path, ast.BinOp):
        return _path_components(path.left) | _path_components(path.right)
    if isinstance(path, ast.JoinedStr):
        return {name for v in path.values if isinstance(v, ast.FormattedValue) for name in _path_components(v.value)}
    return {place(path)}


def _parsed_places(node: ast.Call) -> set[str | None]:
    """The places of the text that `path.split("-")`, `Path(path).stem.split("_")`, `re.search(p, path)` take apart."""
    base = node.func.value if isinstance(node.func, ast.Attribute) else None
    if place(base) in ("re", None) and len(node.args) > 1:
        return {place(n) for n in walk(node.args[1])}
    return {place(n) for n in walk(base)} if base is not None else set()
