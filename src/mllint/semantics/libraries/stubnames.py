"""Which names in the stubs say something? `python -m mllint.dev tables` writes `_names.py`.

Reading all stubs costs more than a run may, so what the filters of `plain` need to know is written down once: the names
of what expects something of an argument, of criteria, of common functions that expect nothing, and of those without an
effect. A test holds the table against the stubs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from mllint.semantics.libraries.classes import OPTIMIZER
from mllint.semantics.libraries.stubs import effects, hint
from mllint.semantics.syntax.fragments import tree_of
from mllint.semantics.syntax.index import read
from mllint.semantics.syntax.module import FunctionScope, ModuleScope, Scope
from mllint.semantics.syntax.nodes import Node, called_name, place
from mllint.semantics.syntax.topics import Topic, is_about

__all__ = ["criteria", "expecting", "optimizers", "plain", "quiet", "table"]

_WORDS = frozenset("Logits BinaryLogits LogProbs Sigmoided Target ClassIndex".split())


def criteria(folder: str) -> set[str]:
    """The names of the classes whose objects expect something when they are called or updated, and of the functions
    that are named like criteria."""
    found = {name for name in expecting(folder) if is_about(name, Topic.LOSSES)}
    for cls in (c for module in _stubs_in(folder) for c in module.classes):
        methods = [f for f in cls.functions if f.name in ("forward", "__call__", "update", "call")]
        speaks = any(w in _WORDS for f in methods for p in f.parameters for w in hint(p.annotation).words())
        if speaks or "expects_logits" in effects(cls):
            found.add(cls.name)
    return {name for name in found if len(name) > 4}


def expecting(folder: str) -> set[str]:
    """The names of the functions and methods below a folder of stubs that expect something of an argument."""
    found: set[str] = set()
    imports: set[tuple[str, str]] = set()
    for module in _stubs_in(folder):
        for function in (f for s in module.scopes for f in s.functions):
            if any(w in _WORDS for p in function.parameters for w in hint(p.annotation).words()):
                built = function.name == "__init__" and function.owner is not None
                found.add(function.owner.name if built and function.owner is not None else function.name)
        bound = (b for bindings in module.body.bindings.values() for b in bindings)
        imports |= {(b.extra[2], b.name) for b in bound if b.kind == "from"}
    while any(source in found and name not in found for source, name in imports):
        found |= {name for source, name in imports if source in found}
    return found - {"__call__"}


def _common(folder: str, sources: str) -> Iterator[Scope]:
    """The functions and classes of some modules, and the methods of tensors."""
    for module in _stubs_in(folder):
        if module.name in sources.split():
            yield from (*module.body.functions, *module.body.classes)
        if module.name == "torch._tensor":
            yield from module.classes[0].functions


def quiet(folder: str) -> set[str]:
    """The names of the functions of torch and NumPy and of the methods of tensors that have no effect."""
    functions = (f for f in _common(folder, "torch torch.nn.functional numpy") if isinstance(f, FunctionScope))
    return {f.name for f in functions if all(_is_inert(d) for d in f.decorators)}


def plain(folder: str) -> set[str]:
    """The names of common functions, layers and tensor methods that expect nothing."""
    sources = "torch torch.nn torch.nn.functional torch.optim torch.utils.data torchvision.transforms numpy"
    return {s.name for s in _common(folder, sources)} - expecting(folder)


def optimizers(folder: str) -> set[str]:
    """The names of the classes of torch and the libraries around it that derive from its `Optimizer`."""
    bases = {"Optimizer", OPTIMIZER, "optim.Optimizer"}
    classes = (c for module in _stubs_in(folder) if not module.name.startswith("keras") for c in module.classes)
    return {c.name for c in classes if any((place(base) or "") in bases for base in c.node.bases)}


def _causal_models(folder: str) -> set[str]:
    """The names of the classes of transformers that predict the next token."""
    classes = (c for module in _stubs_in(folder) if module.name == "transformers" for c in module.classes)
    return {c.name for c in classes if any(place(base) == "_CausalLM" for base in c.node.bases)}


def _is_inert(decorator: Node) -> bool:
    name = called_name(decorator)
    return name in ("overload", "pure", "draws", "inert", "property", "staticmethod")


def _stubs_in(folder: str) -> Iterator[ModuleScope]:
    """All stubs below a folder, read whole."""
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(n for n in names if n.endswith(".pyi")):
            parts = os.path.relpath(os.path.join(path, name), folder).removesuffix(".pyi").split(os.sep)
            with open(os.path.join(path, name), encoding="utf-8") as file:
                tree = tree_of(file.read())
            package = parts[-1] == "__init__"
            yield read(".".join(parts[:-1] if package else parts), tree, None, is_stub=True, is_package=package)


def table(folder: str) -> str:
    """The text of `_names.py` for the stubs below a folder."""
    lines = ['"""Names in the stubs. Generated by `python -m mllint.dev tables`: edit the stubs."""\n']
    tables = {
        "CAUSAL_MODELS": _causal_models,
        "CRITERIA": criteria,
        "EXPECTING": expecting,
        "OPTIMIZERS": optimizers,
        "PLAIN": plain,
        "QUIET": quiet,
    }
    for variable, names in ((variable, table(folder)) for variable, table in tables.items()):
        text, row = "", ""
        for name in sorted(names):
            if len(row) + len(name) > 110:
                text, row = f"{text}    {row.strip()}\n", ""
            row += f"{name} "
        lines.append(f'{variable} = frozenset(\n    """\n{text}    {row.strip()}\n    """.split()\n)')
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "_names.py"), "w", encoding="utf-8", newline="\n") as file:
        file.write(table(os.path.join(os.path.dirname(os.path.dirname(here)), "stubs")))
