"""Every name of the user's becomes a word without meaning; comments and docstrings go.

Variables, parameters, functions, classes, methods and the attributes of the user's classes are renamed alike in all
files, names that nothing binds (`loader` in an example) among them. What stays:

* what libraries define: imported names, builtins, keywords of their calls, methods that override theirs;
* conventional names, those that the documentation of the libraries uses (`semantics.training.role_names`);
* names that the program itself looks up as strings (`getattr`, `globals`, `__all__`).

A string is no name and stays as it is. The comments are gone because the program is written anew from its tree.
"""

from __future__ import annotations

import ast
import builtins
import os
import re
from functools import cache
from itertools import product
from string import ascii_lowercase

import mllint
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.roles import Role, name_evidence
from tests.metamorphic.program import Program
from tests.metamorphic.syntax import FUNCTIONS, nodes

__all__ = ["meaningless"]

STUBS = os.path.join(os.path.dirname(os.path.abspath(mllint.__file__)), "stubs")
LOOKUPS = frozenset("getattr setattr hasattr delattr globals locals vars eval exec __all__ __dict__".split())


def meaningless(program: Program) -> bool:
    """Rename everything that may be renamed; False where there is nothing."""
    names, attributes = _names(program), _attributes(program)
    words = _fresh(program.names())
    new_names = {name: next(words) for name in sorted(names)}
    new_attributes = {name: next(words) for name in sorted(attributes)}
    for tree in program.trees.values():
        _drop_docstrings(tree)
        _Renaming(new_names, new_attributes, _project_modules(tree, program)).visit(tree)
    return bool(names or attributes)


@cache
def library_words() -> frozenset[str]:
    """Every word of the stubs: a method or a keyword of that name may be the library's."""
    found: set[str] = set()
    for folder, _, files in os.walk(STUBS):
        for name in files:
            with open(os.path.join(folder, name), encoding="utf-8") as stream:
                found.update(re.findall(r"[A-Za-z_]\w*", stream.read()))
    return frozenset(found)


def _conventional(name: str) -> bool:
    return any(name_evidence(name, role) is Evidence.CONVENTIONAL for role in Role)


def _fresh(taken: set[str]):  # type: ignore[no-untyped-def]
    """Words that mean nothing: `qja`, `qjb`, ..."""
    for first, second in product(ascii_lowercase, repeat=2):
        word = f"qj{first}{second}"
        if word not in taken:
            yield word


def _kept(program: Program) -> set[str]:
    """The names that no renaming may touch."""
    kept = set(dir(builtins)) | {"self", "cls"}
    every = program.names()
    if every & LOOKUPS:
        kept |= {n.value for t in program.trees.values() for n in nodes(t, ast.Constant) if isinstance(n.value, str)}
    for tree in program.trees.values():
        for node in nodes(tree, ast.Import, ast.ImportFrom):
            if not _is_of_project(node, program) or isinstance(node, ast.Import):
                kept |= {(a.asname or a.name).partition(".")[0] for a in node.names}
        for cls in nodes(tree, ast.ClassDef):  # what a class body binds is an attribute
            kept |= {n.id for s in cls.body for n in _targets(s)}
    return kept | {name for name in every if name.startswith("__") or _conventional(name)}


def _targets(statement: ast.stmt) -> list[ast.Name]:
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return [n for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)]


def _is_of_project(node: ast.Import | ast.ImportFrom, program: Program) -> bool:
    """Whether an import names a file of the program, or a folder of it."""
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
    if isinstance(node, ast.ImportFrom) and node.level:
        return True
    firsts = {path.split("/")[0].removesuffix(".py") for path in program.trees}
    return all(name.partition(".")[0] in firsts for name in names)


def _project_modules(tree: ast.Module, program: Program) -> set[str]:
    """The names by which a file knows other files of the program."""
    stems = {os.path.basename(path).removesuffix(".py") for path in program.trees}
    found = {a.asname or a.name for n in nodes(tree, ast.ImportFrom) for a in n.names if a.name in stems}
    for node in nodes(tree, ast.Import):
        if _is_of_project(node, program):
            found |= {a.asname or a.name for a in node.names}
    return found


def _names(program: Program) -> set[str]:
    """The variables, parameters, functions and classes that are renamed."""
    found: set[str] = set()
    methods: set[str] = set()
    keywords: dict[str, bool] = {}
    defined = {n.name for t in program.trees.values() for n in nodes(t, *FUNCTIONS, ast.ClassDef)}
    stems = {part for path in program.trees for part in path.removesuffix(".py").split("/")}
    for tree in program.trees.values():
        methods |= {f.name for c in nodes(tree, ast.ClassDef) for f in c.body if isinstance(f, FUNCTIONS)}
        found |= {n.id for n in nodes(tree, ast.Name)} | {n.arg for n in nodes(tree, ast.arg)}
        found |= {n.name for n in nodes(tree, *FUNCTIONS, ast.ClassDef)}
        for call in nodes(tree, ast.Call):
            called = getattr(call.func, "id", getattr(call.func, "attr", ""))
            for keyword in call.keywords:
                if keyword.arg is not None:
                    keywords[keyword.arg] = keywords.get(keyword.arg, True) and called in defined
    parameters = {n.arg for t in program.trees.values() for n in nodes(t, ast.arg)}
    foreign = {name for name, own in keywords.items() if not own and name in parameters}
    hidden = {name for name in methods if name not in _functions(program)}
    return found - _kept(program) - foreign - hidden - stems


def _functions(program: Program) -> set[str]:
    """The functions that are no methods."""
    methods = {id(f) for t in program.trees.values() for c in nodes(t, ast.ClassDef) for f in c.body}
    return {f.name for t in program.trees.values() for f in nodes(t, *FUNCTIONS) if id(f) not in methods}


def _attributes(program: Program) -> set[str]:
    """The methods of the user's classes and the attributes that they keep, where no library can mean them."""
    found: set[str] = set()
    for tree in program.trees.values():
        own = {c.name for t in program.trees.values() for c in nodes(t, ast.ClassDef)}
        for node in nodes(tree, ast.Attribute):
            if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self":
                found.add(node.attr)
        for cls in nodes(tree, ast.ClassDef):
            if all(isinstance(base, ast.Name) and base.id in own for base in cls.bases):
                found |= {f.name for f in cls.body if isinstance(f, FUNCTIONS)}
    return found - library_words() - _kept(program)


def _drop_docstrings(tree: ast.Module) -> None:
    for node in nodes(tree, ast.Module, ast.ClassDef, *FUNCTIONS):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            first.value.value = "..."


class _Renaming(ast.NodeVisitor):
    """Gives names and attributes their new words, in place."""

    def __init__(self, names: dict[str, str], attributes: dict[str, str], modules: set[str]) -> None:
        self.names, self.attributes, self.modules = names, attributes, modules
        self.in_class = False

    def visit(self, node: ast.AST) -> None:
        """Rename one node and what is below it."""
        in_class, self.in_class = self.in_class, isinstance(node, ast.ClassDef)
        match node:
            case ast.Name():
                node.id = self.names.get(node.id, node.id)
            case ast.arg():
                node.arg = self.names.get(node.arg, node.arg)
            case ast.keyword() if node.arg is not None:
                node.arg = self.names.get(node.arg, node.arg)
            case ast.Global() | ast.Nonlocal():
                node.names = [self.names.get(name, name) for name in node.names]
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar() if node.name:
                node.name = self.names.get(node.name, node.name)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                table = self.attributes if in_class else self.names
                node.name = table.get(node.name, node.name)
            case ast.ClassDef():
                node.name = self.names.get(node.name, node.name)
            case ast.ImportFrom():
                for alias in node.names:
                    alias.name = self.names.get(alias.name, alias.name)
                    alias.asname = self.names.get(alias.asname or "", alias.asname)
            case ast.Attribute():
                of_module = isinstance(node.value, ast.Name) and node.value.id in self.modules
                table = self.names if of_module else self.attributes
                node.attr = table.get(node.attr, node.attr)
        self.generic_visit(node)
