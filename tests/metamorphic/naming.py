"""Other names for the same things: variables, imports, arguments."""

from __future__ import annotations

import ast
import builtins
import re
from typing import Any

from tests.metamorphic.program import Program
from tests.metamorphic.syntax import (
    FUNCTIONS,
    Replace,
    add_import,
    bindings,
    fresh,
    head,
    imports,
    last,
    nodes,
    own_nodes,
    parsed,
)

__all__ = [
    "constants_named",
    "import_members",
    "imports_in_full",
    "imports_in_functions",
    "imports_renamed",
    "imports_shared",
    "imports_with_from",
    "keywords",
    "second_names",
    "variables_numbered",
    "variables_suffixed",
]

# What mllint reads from a name where nothing else is known; renaming these loses that on purpose.
MEANT = re.compile(
    r"load|batch|iter|data|dl$|_dl|train|valid|test|epoch|opt|sched|model|net|loss|crit|logit|prob|step|args|cfg|"
    r"config|seed|rank|fold|split|idx|index|img|image|label|target|mask|time|date|day|eval|dev|gen|disc|scaler|^_",
    re.I,
)


# ---------------------------------------------------------------------------------------------------------- variables
def variables_suffixed(program: Program) -> bool:
    """`loader` becomes `loader_now`, `x` becomes `x_now`: the words in a name stay."""
    return _renamed(program, lambda name, taken: fresh(taken, f"{name}_now"))


def variables_numbered(program: Program) -> bool:
    """`out` becomes `v1`: only names that say nothing."""
    return _renamed(program, lambda name, taken: None if MEANT.search(name) else fresh(taken, "v"))


def _renamed(program: Program, choose: Any) -> bool:
    taken = program.names()
    shared = {a.name for tree in program.trees.values() for n in nodes(tree, ast.ImportFrom) for a in n.names}
    keyword = {k.arg for tree in program.trees.values() for k in nodes(tree, ast.keyword)}
    attributes = {n.attr for tree in program.trees.values() for n in nodes(tree, ast.Attribute)}
    strings = {
        n.value for tree in program.trees.values() for n in nodes(tree, ast.Constant) if isinstance(n.value, str)
    }
    changed = False
    for tree in program.trees.values():
        variables = {n.id for n in nodes(tree, ast.Name) if isinstance(n.ctx, ast.Store)}
        arguments = {n.arg for n in nodes(tree, ast.arg)}
        methods = {
            a.arg
            for c in nodes(tree, ast.ClassDef)
            for f in c.body
            if isinstance(f, FUNCTIONS)
            for a in nodes(f.args, ast.arg)
        }
        fixed = shared | attributes | strings | set(dir(builtins)) | {"self", "cls"}
        fixed |= {
            s for c in nodes(tree, ast.ClassDef) for n in own_nodes(c.body) if isinstance(n, ast.Name) for s in [n.id]
        }
        for node in nodes(tree, *FUNCTIONS, ast.ClassDef, ast.alias):
            fixed.add(node.name if not isinstance(node, ast.alias) else node.asname or node.name.partition(".")[0])
        parameters = arguments - (keyword | methods)
        new = {}
        for name in sorted((variables | arguments) - fixed):
            if name in arguments and name not in parameters:
                continue
            chosen = choose(name, taken)
            if chosen:
                new[name] = chosen
        _rename(tree, new)
        changed |= bool(new)
    return changed


def _rename(tree: ast.Module, new: dict[str, str]) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = new.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg = new.get(node.arg, node.arg)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [new.get(name, name) for name in node.names]
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            node.name = new.get(node.name, node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            node.rest = new.get(node.rest, node.rest)


def second_names(program: Program) -> bool:
    """`model = build()` becomes `model = build(); model_too = model`, and `model_too` is what is used from there on.

    Only for names that their block binds once and nothing else in the function does.
    """
    taken = program.names()
    changed = False
    for tree in program.trees.values():
        for scope in list(nodes(tree, ast.Module, *FUNCTIONS)):
            for at, statement in reversed(list(enumerate(scope.body))):
                target = statement.targets[0] if isinstance(statement, ast.Assign) else None
                if not isinstance(target, ast.Name) or len(statement.targets) != 1:
                    continue
                if bindings(tree).get(target.id) != 1 or not isinstance(statement.value, ast.Call):
                    continue
                later = scope.body[at + 1 :]
                if any(
                    target.id in {n.id for n in nodes(f, ast.Name)}
                    for f in later
                    if isinstance(f, (*FUNCTIONS, ast.ClassDef))
                ):
                    continue
                name = fresh(taken, f"{target.id}_too")
                old = target.id
                for inner in later:
                    _rename(ast.Module([inner], []), {old: name})
                alias = parsed(f"{name} = {old}")
                scope.body[at + 1 : at + 1] = alias
                changed = True
    return changed


# ------------------------------------------------------------------------------------------------------------ imports
def imports_renamed(program: Program) -> bool:
    """`import torch as torch_lib`, `from torch import nn as nn_lib`."""
    changed = False
    for tree in program.trees.values():
        taken = set(bindings(tree)) | {n.id for n in nodes(tree, ast.Name)}
        new: dict[str, str] = {}
        for _, alias, bound, full in _once(tree):
            if "." in alias.name and not alias.asname and full == bound:
                continue  # `import a.b` binds `a`
            new[bound] = alias.asname = fresh(taken, f"{bound}_lib")
        for node in nodes(tree, ast.Name):
            node.id = new.get(node.id, node.id)
        changed |= bool(new)
    return changed


def imports_with_from(program: Program) -> bool:
    """`import torch.nn as nn` becomes `from torch import nn`."""
    changed = False
    for tree in program.trees.values():
        for at, statement in reversed(list(enumerate(tree.body))):
            if isinstance(statement, ast.Import) and all(a.asname and "." in a.name for a in statement.names):
                tree.body[at : at + 1] = [
                    _like(
                        parsed(f"from {a.name.rpartition('.')[0]} import {a.name.rpartition('.')[2]} as {a.asname}")[0],
                        statement,
                    )
                    for a in statement.names
                ]
                changed = True
    return changed


def imports_in_full(program: Program) -> bool:
    """`from torch import nn` becomes `import torch.nn`, and `nn.Linear` becomes `torch.nn.Linear`."""
    changed = False
    for tree in program.trees.values():
        own = {path.removesuffix(".py") for path in program.trees}
        bound = bindings(tree)
        new: dict[str, str] = {}
        for statement, alias, name, full in _once(tree):
            top = full.partition(".")[0]
            if (
                (top == full and name == full)
                or top in own
                or (bound.get(top, 0) and top != name and not _is_import_of(tree, top))
            ):
                continue
            if name == top and full != top and bound[name] > 1:
                continue
            statement.names.remove(alias)
            known = _is_module(full)
            module = full if known else full.rpartition(".")[0]
            add_import(tree, f"import {module}")
            new[name] = full
        tree.body = [s for s in tree.body if not (isinstance(s, (ast.Import, ast.ImportFrom)) and not s.names)]
        replace = Replace(lambda n, new=new: _dotted(new[n.id]) if n.id in new else None)
        replace.visit(tree)
        changed |= bool(new)
    return changed


def import_members(program: Program) -> bool:
    """`nn.Linear` becomes `nn_Linear`, with `from torch.nn import Linear as nn_Linear`."""
    changed = False
    for tree in program.trees.values():
        taken = set(bindings(tree)) | {n.id for n in nodes(tree, ast.Name)}
        modules = {bound: full for _, _, bound, full in _once(tree) if _is_module(full)}
        members: dict[str, str] = {}
        for parent in list(ast.walk(tree)):
            for field, value in ast.iter_fields(parent):
                for index, node in enumerate(value if isinstance(value, list) else [value]):
                    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
                        continue
                    module = modules.get(node.value.id)
                    if module is None or not isinstance(node.ctx, ast.Load) or _is_module(f"{module}.{node.attr}"):
                        continue
                    key = f"from {module} import {node.attr}"
                    name = members.setdefault(key, "") or fresh(taken, f"{node.value.id}_{node.attr}")
                    members[key] = name
                    new = _like(ast.Name(name, ast.Load()), node)
                    if isinstance(value, list):
                        value[index] = new
                    else:
                        setattr(parent, field, new)
        for key, name in members.items():
            add_import(tree, f"{key} as {name}")
        changed |= bool(members)
    return changed


def imports_in_functions(program: Program) -> bool:
    """Each function imports what it uses itself."""
    changed = False
    for tree in program.trees.values():
        found = [(s, a, bound) for s, a, bound, _ in _once(tree)]
        functions = [f for f in tree.body if isinstance(f, FUNCTIONS)]
        functions += [f for c in tree.body if isinstance(c, ast.ClassDef) for f in c.body if isinstance(f, FUNCTIONS)]
        for function in functions:
            used = {n.id for s in function.body for n in nodes(s, ast.Name)}
            for statement, alias, bound in found:
                if bound in used:
                    module = getattr(statement, "module", None)
                    text = f"import {alias.name}" if module is None else f"from {module} import {alias.name}"
                    at = head(function.body)
                    function.body[at:at] = parsed(text + (f" as {alias.asname}" if alias.asname else ""))
                    changed = True
    return changed


def imports_shared(program: Program) -> bool:
    """A file of the project imports the libraries, and the others import them from there."""
    taken = program.names() | {p.removesuffix(".py") for p in program.trees}
    shared: dict[str, str] = {}
    for path, tree in program.trees.items():
        if "/" in path:
            continue
        names: list[str] = []
        for statement, alias, bound, _ in _once(tree):
            module = getattr(statement, "module", None)
            if f"{(module or alias.name).partition('.')[0]}.py" in program.trees or (
                "." in alias.name and not alias.asname
            ):
                continue
            text = f"import {alias.name}" if module is None else f"from {module} import {alias.name}"
            text += f" as {alias.asname}" if alias.asname else ""
            if shared.setdefault(bound, text) == text:
                statement.names.remove(alias)
                names.append(bound)
        tree.body = [s for s in tree.body if not (isinstance(s, (ast.Import, ast.ImportFrom)) and not s.names)]
        if names:
            shared_name = "common_lib"
            assert shared_name not in taken
            add_import(tree, f"from {shared_name} import {', '.join(names)}")
    if shared:
        program.trees["common_lib.py"] = ast.parse("\n".join(shared.values()))
    return bool(shared)


def _once(tree: ast.Module) -> list[tuple[Any, ast.alias, str, str]]:
    """The imports whose name nothing else in the file binds."""
    count = bindings(tree)
    return [entry for entry in imports(tree) if count[entry[2]] == 1]


def _is_import_of(tree: ast.Module, name: str) -> bool:
    return any(bound == name == full for _, _, bound, full in imports(tree)) and bindings(tree)[name] >= 1


MODULES = set(
    "torch torch.nn torch.nn.functional torch.optim torch.optim.lr_scheduler torch.distributed torch.utils "
    "torch.utils.data torch.utils.data.distributed torch.cuda torch.cuda.amp torch.amp torch.nn.utils torch.nn.init "
    "torchvision torchvision.datasets torchvision.transforms torchvision.models numpy numpy.random pandas random copy "
    "math os os.path sklearn lightning lightning.pytorch pytorch_lightning transformers accelerate glob time json "
    "argparse logging albumentations torchmetrics sklearn.metrics sklearn.preprocessing sklearn.model_selection".split()
)


def _is_module(full: str) -> bool:
    return full in MODULES


def _dotted(full: str) -> Any:
    return ast.parse(full, mode="eval").body


def _like(new: Any, old: Any) -> Any:
    """A new node in the place of an old one."""
    for node in ast.walk(new):
        node.origin = getattr(old, "origin", None)
    return new


# ---------------------------------------------------------------------------------------------------------- arguments
PARAMETERS = {
    "cross_entropy": ["input", "target"],
    "mse_loss": ["input", "target"],
    "nll_loss": ["input", "target"],
    "binary_cross_entropy": ["input", "target"],
    "binary_cross_entropy_with_logits": ["input", "target"],
    "softmax": ["input", "dim"],
    "log_softmax": ["input", "dim"],
    "dropout": ["input", "p", "training"],
    "Dropout": ["p"],
    "Linear": ["in_features", "out_features"],
    "DataLoader": ["dataset", "batch_size"],
    "StepLR": ["optimizer", "step_size", "gamma"],
    "CosineAnnealingLR": ["optimizer", "T_max"],
    "ExponentialLR": ["optimizer", "gamma"],
    "LambdaLR": ["optimizer", "lr_lambda"],
    "ReduceLROnPlateau": ["optimizer", "mode"],
    "OneCycleLR": ["optimizer", "max_lr"],
    "SGD": ["params", "lr"],
    "Adam": ["params", "lr"],
    "AdamW": ["params", "lr"],
    "random_split": ["dataset", "lengths"],
    "Subset": ["dataset", "indices"],
    "clip_grad_norm_": ["parameters", "max_norm"],
    "deepcopy": ["x"],
}


def keywords(program: Program) -> bool:
    """`F.cross_entropy(out, y)` becomes `F.cross_entropy(input=out, target=y)`; also for functions of the project."""
    changed = False
    for tree in program.trees.values():
        bound = bindings(tree)
        known = {name: full.rpartition(".")[2] for _, _, name, full in _once(tree) if not _is_module(full)}
        modules = {name for _, _, name, full in _once(tree) if _is_module(full)}
        own = {
            f.name: f
            for f in tree.body
            if isinstance(f, ast.FunctionDef) and bound[f.name] == 1 and not f.args.posonlyargs and not f.decorator_list
        }
        for call in nodes(tree, ast.Call):
            if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
                continue
            parameters = None
            if isinstance(call.func, ast.Name) and call.func.id in own:
                parameters = [a.arg for a in own[call.func.id].args.args]
            elif isinstance(call.func, ast.Name) and call.func.id in known:
                parameters = PARAMETERS.get(known[call.func.id])
            elif isinstance(call.func, ast.Attribute) and _root(call.func) in modules:
                parameters = PARAMETERS.get(last(call.func))
            if parameters and 0 < len(call.args) <= len(parameters):
                given = [ast.keyword(name, value) for name, value in zip(parameters, call.args, strict=False)]
                for keyword in given:
                    keyword.origin = getattr(call, "origin", None)
                call.args, call.keywords = [], [*given, *call.keywords]
                changed = True
    return changed


def _root(node: Any) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def constants_named(program: Program) -> bool:
    """Numbers, flags and texts that are given to calls by keyword become constants at the top of the file."""
    taken = program.names()
    changed = False
    for tree in program.trees.values():
        for keyword in list(nodes(tree, ast.keyword)):
            value = keyword.value
            if keyword.arg and isinstance(value, ast.Constant) and isinstance(value.value, (int, float, str)):
                name = fresh(taken, keyword.arg.upper())
                keyword.value = ast.Name(name, ast.Load())
                keyword.value.origin = getattr(keyword, "origin", None)
                tree.body[head(tree.body) : head(tree.body)] = parsed(f"{name} = {value.value!r}")
                changed = True
    return changed
