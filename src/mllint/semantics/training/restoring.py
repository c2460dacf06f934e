"""By which calls is a model restored from a file: `load_state_dict`, and the helpers in which it is written?

`net.load_weights(args.resume)` and `start = load(path, net)` restore a model as `load_state_dict(torch.load(path))`
does. What the helper is given names the file, and what it gives back may be how far the run had come.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from mllint.semantics.flow.views import Call
from mllint.semantics.flow.views import ModuleView as Module
from mllint.semantics.syntax.module import Function as FunctionScope
from mllint.semantics.syntax.module import last_name, place, walk
from mllint.semantics.values.lineage import origins

__all__ = ["helpers", "is_load", "named_in", "paths_of", "restored_inside", "taken_apart"]


def is_load(origin: Any) -> bool:
    """Is it a call of `torch.load`?"""
    node = origin.node
    if not isinstance(node, ast.Call) or last_name(node.func) != "load":
        return False
    return Call(node, origin.frame).callee.is_function("torch.load")


def helpers(module: Module) -> Iterator[Call]:
    """The calls in a file of functions of the project, other than its own, that load a state from a file."""
    found = _loading(module)
    for name in found:
        for call in module.calls(name):
            if call.function.name != name and any(f in found[name] for f in call.callees):
                yield call


def _loading(module: Module) -> dict[str, list[FunctionScope]]:
    """The functions of the project in which a state is loaded into something, and a file is read, by their names."""
    memo = module.project.reach.memo
    if "loading" not in memo:
        found: dict[str, list[FunctionScope]] = {}
        for node, scope in module.project.calls_named("load_state_dict"):
            if not isinstance(scope, FunctionScope) or not isinstance(scope.node, ast.FunctionDef):
                continue
            if node.args and "load" in scope.called_names and scope.name not in _NOT_HELPERS:
                found.setdefault(scope.name, []).append(scope)
        memo["loading"] = found
    return memo["loading"]  # type: ignore[no-any-return]  # a memo of anything


_NOT_HELPERS = ("__init__", "load_state_dict", "main", "train", "fit", "run")


def restored_inside(call: Call) -> list[Call]:
    """The calls of `load_state_dict` behind a helper, or the call itself if it is one."""
    if call.last_name == "load_state_dict":
        return [call]
    inner = ((f, n) for f in call.callees for n in f.calls if last_name(n.func) == "load_state_dict")
    return [Call(n, call.project.frame(f)) for f, n in inner]


def paths_of(load: Call) -> set[str | None]:
    """The places that the path of what is loaded is made of."""
    if load.last_name != "load_state_dict":
        given = (*load.node.args, *(k.value for k in load.node.keywords))
        return {name for a in given for name in named_in(a)} - {None}
    found = [o for o in origins(load.arguments[0].node, load.frame) if is_load(o) and o.node.args]
    return {name for o in found for name in named_in(o.node.args[0])} - {None}


def named_in(path: Any) -> set[str | None]:
    """The places that a path is made of: `path`, `os.path.join(folder, name)`, `folder / name`, `f"{folder}/{n}"`."""
    if isinstance(path, ast.Call) and last_name(path.func) in ("join", "joinpath", "str", "Path"):
        return {name for a in path.args for name in named_in(a)}
    if isinstance(path, ast.BinOp):
        return named_in(path.left) | named_in(path.right)
    if isinstance(path, ast.JoinedStr):
        return {name for v in path.values if isinstance(v, ast.FormattedValue) for name in named_in(v.value)}
    return {place(path)}


def taken_apart(node: ast.Call) -> set[str | None]:
    """The places of the text that `path.split("-")`, `Path(path).stem.split("_")`, `re.search(p, path)` take apart."""
    base = node.func.value if isinstance(node.func, ast.Attribute) else None
    if place(base) in ("re", None) and len(node.args) > 1:
        return {place(n) for n in walk(node.args[1])}
    return {place(n) for n in walk(base)} if base is not None else set()
