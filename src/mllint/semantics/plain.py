"""Which calls cannot expect anything of their arguments? A filter by name, so that not every call needs to be resolved.

Only a stub's parameter annotations express expectations (`input: Logits`). A call can reach such a function in two ways:
under the function's own name, or through a variable that holds it (`self.criterion`, a parameter, an element of a
dictionary). So a call is a candidate if its name is one of the names in the stubs that expect something, or if it is
the name of a variable or of an attribute that somebody in the project assigns; all other calls are passed over.

The names are generated from the stubs (`python -m mllint.semantics.plain --write`; a test holds them up to date).
"""

from __future__ import annotations

import _ast as ast
import os
from collections.abc import Iterator

from mllint._typing import TYPE_CHECKING, Any
from mllint.pattern import Pattern
from mllint.semantics._names import CRITERIA, EXPECTING, PLAIN, QUIET
from mllint.semantics.builtins import BUILTIN_METHODS, BUILTINS
from mllint.semantics.module import Class, Function, Module, Scope, last_name
from mllint.semantics.stubs import hint

if TYPE_CHECKING:
    from mllint.semantics.project import Project
    from mllint.semantics.stubs import StubLibrary

__all__ = ["candidates", "expecting_names", "quiet_names"]

_WORDS = frozenset("Logits BinaryLogits LogProbs Sigmoided Target ClassIndex".split())
_PLAIN = BUILTINS | BUILTIN_METHODS | {"__init__"}
_HOLDING = frozenset("assign for with param comp aug match".split())


def quiet_names(stubs: StubLibrary) -> frozenset[str]:
    """The names of built-ins, tensor methods and functions of torch and NumPy that are no events."""
    if stubs.quiet is None:
        stubs.quiet = frozenset({*BUILTINS, *BUILTIN_METHODS, *QUIET} - {"zero_", "fill_"})
    return stubs.quiet


def expecting_names(stubs: StubLibrary) -> frozenset[str]:
    """The names of library functions and methods that expect something of an argument."""
    if stubs.expecting is None:
        own = [name for folder in stubs.folders[:-1] for name in _expecting(folder)]
        stubs.expecting = frozenset({*EXPECTING, *own})
    return stubs.expecting


def candidates(module: Module, project: Project) -> Iterator[tuple[ast.Call, Scope]]:
    """The calls of a file whose callee may expect something."""
    expecting, held = expecting_names(project.stubs), project.reach.assigned_names()
    near = id(module) in _near_criteria(project)
    for name, calls in module.calls_by_name.items():
        if name in _PLAIN or (name in PLAIN and name not in expecting):
            continue
        for call, scope in calls:
            if len(call.args) + len(call.keywords) < 2:  # a score and a truth
                continue
            if not near:
                wanted = name in expecting
            elif isinstance(call.func, ast.Name):
                wanted = _may_hold(name, scope, expecting, held)
            elif isinstance(call.func, ast.Attribute):
                wanted = name in expecting or (name in held and not _is_method(call.func, scope))
            else:
                wanted = True
            if wanted:
                yield call, scope


_MARKS = ("Loss", "loss", "entropy", "kl_div", "score", "metrics", "Categorical")


def _near_criteria(project: Project) -> frozenset[int]:
    """The ids of the modules in which a variable may hold a criterion: those that mention one, and those around."""
    if "criteria" not in project.reach.memo:
        texts = [(m, m.source.text) for m in project.modules]
        marked = [(m, t) for m, t in texts if any(word in t for word in _MARKS)]
        names = CRITERIA | (expecting_names(project.stubs) - EXPECTING)
        mentioning = [m for m, t in marked if any(name in t for name in names)]
        project.reach.memo["criteria"] = project.reach.around(mentioning)
    return project.reach.memo["criteria"]  # type: ignore[no-any-return]  # a memo of anything


def _may_hold(name: str, scope: Scope | None, expecting: frozenset[str], held: frozenset[str]) -> bool:
    """Can a name stand for a function that expects something, by what binds it where it is called?"""
    while scope is not None:
        found = scope.bindings.get(name) if not isinstance(scope, Class) else None
        if found:
            return any(
                b.kind in _HOLDING or (b.kind == "from" and (b.extra[2] in expecting or b.extra[2] in held))
                for b in found
            )
        scope = scope.parent
    return name in expecting or name in held


def _is_method(func: ast.Attribute, scope: Scope) -> bool:
    """Is it a method that the class around defines (`self.step(x, y)`)?"""
    owner = getattr(scope, "owner", None)
    own = owner is not None and func.attr in owner.methods
    return own and isinstance(func.value, ast.Name) and func.value.id == "self"


# ------------------------------------------------------------------------------------------------ the generated table
_SPEAKING = Pattern("loss|entropy|nll|kl_div|_score$|bce|mse")


def _criteria(folder: str) -> set[str]:
    """The names of the classes whose objects expect something when they are called or updated, and of the functions
    that are named like criteria."""
    found = {name for name in _expecting(folder) if _SPEAKING.search(name)}
    for cls in (c for module in _stubs_in(folder) for c in module.classes):
        methods = [f for f in cls.functions if f.name in ("forward", "__call__", "update", "call")]
        if any(w in _WORDS for f in methods for p in f.parameters for w in hint(p.annotation).words()):
            found.add(cls.name)
    return {name for name in found if len(name) > 4}


def _expecting(folder: str) -> set[str]:
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


def _quiet(folder: str) -> set[str]:
    """The names of the functions of torch and NumPy and of the methods of tensors that have no effect."""
    functions = (f for f in _common(folder, "torch torch.nn.functional numpy") if isinstance(f, Function))
    return {f.name for f in functions if all(_is_inert(d) for d in f.decorators)}


def _plain(folder: str) -> set[str]:
    """The names of common functions, layers and tensor methods that expect nothing."""
    sources = "torch torch.nn torch.nn.functional torch.optim torch.utils.data torchvision.transforms numpy"
    return {s.name for s in _common(folder, sources)} - _expecting(folder)


def _is_inert(decorator: Any) -> bool:
    name = last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
    return name in ("overload", "pure", "draws", "inert", "property", "staticmethod")


def _stubs_in(folder: str) -> Iterator[Module]:
    """All stubs below a folder, read whole."""
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(n for n in names if n.endswith(".pyi")):
            parts = os.path.relpath(os.path.join(path, name), folder).removesuffix(".pyi").split(os.sep)
            with open(os.path.join(path, name), encoding="utf-8") as file:
                tree = compile(file.read(), name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
            package = parts[-1] == "__init__"
            yield Module(".".join(parts[:-1] if package else parts), tree, None, is_stub=True, is_package=package)


def _generate(folder: str) -> str:
    lines = ['"""Names in the stubs. Generated by `python -m mllint.semantics.plain --write`: edit the stubs."""\n']
    tables = {"CRITERIA": _criteria, "EXPECTING": _expecting, "PLAIN": _plain, "QUIET": _quiet}
    for variable, names in ((variable, table(folder)) for variable, table in tables.items()):
        text, row = "", ""
        for name in sorted(names):
            if len(row) + len(name) > 110:
                text, row = f"{text}    {row.strip()}\n", ""
            row += f"{name} "
        lines.append(f'{variable} = frozenset(\n    """\n{text}    {row.strip()}\n    """.split()\n)')
    return "\n".join(lines) + "\n"


def _main(arguments: list[str]) -> int:
    """Write the generated table (`--write`), or say whether it is up to date."""
    here = os.path.dirname(os.path.abspath(__file__))
    target = os.path.join(here, "_names.py")
    text = _generate(os.path.join(os.path.dirname(here), "stubs"))
    if "--write" in arguments:
        with open(target, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return 0
    with open(target, encoding="utf-8") as file:
        if file.read() == text:
            return 0
    print("src/mllint/semantics/_names.py is out of date: run `python -m mllint.semantics.plain --write`")  # noqa: T201
    return 1


if __name__ == "__main__":
    import sys

    raise SystemExit(_main(sys.argv[1:]))
