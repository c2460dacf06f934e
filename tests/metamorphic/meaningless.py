"""Every name of the user's becomes a word without meaning; comments and docstrings go.

Variables, parameters, functions, classes, methods and the attributes of the user's classes are renamed alike in all
files, names that nothing binds (`loader` in an example) among them. What stays:

* what libraries define: imported names, builtins, keywords of their calls, methods that override theirs;
* conventional names, those that the documentation of the libraries uses (`semantics.training.role_names`);
* names that the program itself looks up as strings (`getattr`, `globals`, `__all__`);
* what PEP 8 reads from the form of a name: `_` for what is not used, `_x` is private, `X` is a class, `XX` a constant.

A string is no name and stays as it is. The comments are gone because the program is written anew from its tree.
"""

from __future__ import annotations

import ast
import builtins
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, product
from string import ascii_lowercase

import mllint
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.roles import Role, name_evidence
from tests.metamorphic.program import Program
from tests.metamorphic.syntax import FUNCTIONS, nodes, own_nodes

__all__ = ["meaningless"]

STUBS = os.path.join(os.path.dirname(os.path.abspath(mllint.__file__)), "stubs")
NAMESPACES = frozenset("globals locals vars eval exec __all__".split())
LOOKUPS = NAMESPACES | frozenset("getattr setattr hasattr delattr __dict__ __getattribute__".split())


def meaningless(program: Program) -> bool:
    """Rename everything that may be renamed; False where there is nothing."""
    facts = _Facts.of(program)
    names, attributes = _names(program, facts), _attributes(program, facts)
    words = _fresh(facts.every)
    new_names = {name: _like(name, next(words)) for name in sorted(names)}
    new_attributes = {name: _like(name, next(words)) for name in sorted(attributes)}
    keywords = {name: new for name, new in new_names.items() if name in facts.parameters}
    for tree in program.trees.values():
        _drop_docstrings(tree)
        _Renaming(new_names, new_attributes, keywords, _project_modules(tree, facts)).visit(tree)
    return bool(names or attributes)


@dataclass(frozen=True)
class _Facts:
    """What is asked about a program again and again.

    Attributes:
        every: all its identifiers.
        stems: the names of its files.
        firsts: the names with which imports of its own files begin.
        classes: the names of its classes.
        parameters: the names of its parameters.
    """

    every: frozenset[str]
    stems: frozenset[str]
    firsts: frozenset[str]
    classes: frozenset[str]
    parameters: frozenset[str]

    @staticmethod
    def of(program: Program) -> _Facts:
        """The facts of one program."""
        paths, trees = list(program.trees), list(program.trees.values())
        return _Facts(
            frozenset(program.names()),
            frozenset(os.path.basename(path).removesuffix(".py") for path in paths),
            frozenset(path.split("/")[0].removesuffix(".py") for path in paths) | _packages(paths),
            frozenset(c.name for t in trees for c in nodes(t, ast.ClassDef)),
            frozenset(n.arg for t in trees for n in nodes(t, ast.arg)),
        )


def _packages(paths: list[str]) -> frozenset[str]:
    """The outermost packages, wherever they lie: `net` of `src/net/__init__.py`."""
    folders = {os.path.dirname(path) for path in paths if os.path.basename(path) == "__init__.py"} - {""}
    return frozenset(os.path.basename(folder) for folder in folders if os.path.dirname(folder) not in folders)


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


def _fresh(taken: frozenset[str]) -> Iterator[str]:
    """Words that mean nothing: `qjaaq`, `qjabq`, ...; no word of a table begins or ends as they do."""
    for letters in chain.from_iterable(product(ascii_lowercase, repeat=size) for size in (2, 3, 4)):
        word = f"qj{''.join(letters)}q"
        if word not in taken:
            yield word


def _like(name: str, word: str) -> str:
    """A word with the leading underscores of a name, and its capitals: `Net` is a class, `RATE` a constant."""
    plain = name.lstrip("_")
    if plain.isupper() and len(plain) > 1:
        word = word.upper()
    elif plain[:1].isupper():
        word = word.capitalize()
    return "_" * (len(name) - len(plain)) + word


def _kept(program: Program, facts: _Facts) -> set[str]:
    """The names that no renaming may touch."""
    kept = set(dir(builtins)) | {"self", "cls", "_"} | _looked_up(program)
    for tree in program.trees.values():
        for node in nodes(tree, ast.Import, ast.ImportFrom):
            if not _is_of_project(node, facts) or isinstance(node, ast.Import):
                kept |= {(a.asname or a.name).partition(".")[0] for a in node.names}
                kept |= library_words() if any(a.name == "*" for a in node.names) else set()
        for cls in nodes(tree, ast.ClassDef):  # what a class body binds is an attribute
            kept |= {n.id for s in cls.body for n in _targets(s)}
    return kept | {name for name in facts.every if name.startswith("__") or _conventional(name)}


def _looked_up(program: Program) -> set[str]:
    """The strings by which the program may look up a variable: those of a scope that asks for all its names."""
    found: set[str] = set()
    for tree in program.trees.values():
        for scope in [tree, *nodes(tree, *FUNCTIONS)]:
            inside = list(own_nodes(scope.body))
            if not NAMESPACES.isdisjoint({n.id for n in inside if isinstance(n, ast.Name)}):
                found |= _texts(inside)
    return found


def _asked_for(program: Program, facts: _Facts) -> set[str]:
    """The attributes, functions and classes that the program may look up by a string, whole or from its beginning."""
    if facts.every.isdisjoint(LOOKUPS):
        return set()
    texts = {text for tree in program.trees.values() for text in _texts(ast.walk(tree))}
    beginnings = tuple(text for text in texts if text.isidentifier() and text.endswith("_") and len(text) > 2)
    return texts | {name for name in facts.every if beginnings and name.startswith(beginnings)}


def _texts(found: Iterable[ast.AST]) -> set[str]:
    return {n.value for n in found if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def _targets(statement: ast.stmt) -> list[ast.Name]:
    targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
    return [n for t in targets if t is not None for n in ast.walk(t) if isinstance(n, ast.Name)]


def _is_of_project(node: ast.Import | ast.ImportFrom, facts: _Facts) -> bool:
    """Whether an import names a file of the program, or a folder of it."""
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
    if isinstance(node, ast.ImportFrom) and node.level:
        return True
    return all(name.partition(".")[0] in facts.firsts for name in names)


def _project_modules(tree: ast.Module, facts: _Facts) -> set[str]:
    """The names by which a file knows other files of the program."""
    found = {a.asname or a.name for n in nodes(tree, ast.ImportFrom) for a in n.names if a.name in facts.stems}
    for node in nodes(tree, ast.Import):
        if _is_of_project(node, facts):
            found |= {a.asname or a.name for a in node.names}
    return found


def _names(program: Program, facts: _Facts) -> set[str]:
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
    foreign = {name for name, own in keywords.items() if not own and name in facts.parameters}
    hidden = methods - _functions(program)
    variables = {n.id for t in program.trees.values() for n in nodes(t, ast.Name) if isinstance(n.ctx, ast.Store)}
    bound = variables | facts.parameters | defined
    elsewhere = {name for name in found - bound if name[:1].isupper()} & library_words()  # `Image`, not imported here
    asked = _asked_for(program, facts) & defined
    return found - _kept(program, facts) - foreign - hidden - stems - elsewhere - asked


def _functions(program: Program) -> set[str]:
    """The functions that are no methods."""
    methods = {id(f) for t in program.trees.values() for c in nodes(t, ast.ClassDef) for f in c.body}
    return {f.name for t in program.trees.values() for f in nodes(t, *FUNCTIONS) if id(f) not in methods}


def _attributes(program: Program, facts: _Facts) -> set[str]:
    """The methods of the user's classes and the attributes that they keep, where no library can mean them."""
    found: set[str] = set()
    for tree in program.trees.values():
        for node in nodes(tree, ast.Attribute):
            if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == "self":
                found.add(node.attr)
        for cls in nodes(tree, ast.ClassDef):
            if all(isinstance(base, ast.Name) and base.id in facts.classes for base in cls.bases):
                found |= {f.name for f in cls.body if isinstance(f, FUNCTIONS)}
    return found - library_words() - _kept(program, facts) - _asked_for(program, facts)


def _drop_docstrings(tree: ast.Module) -> None:
    for node in nodes(tree, ast.Module, ast.ClassDef, *FUNCTIONS):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            first.value.value = "..."


class _Renaming(ast.NodeVisitor):
    """Gives names and attributes their new words, in place."""

    def __init__(
        self, names: dict[str, str], attributes: dict[str, str], keywords: dict[str, str], modules: set[str]
    ) -> None:
        self.names, self.attributes, self.keywords, self.modules = names, attributes, keywords, modules
        self.in_class = False

    def visit(self, node: ast.AST) -> None:
        """Rename one node and what is below it."""
        in_class = self.in_class
        self.in_class = isinstance(node, ast.ClassDef)
        match node:
            case ast.Name():
                node.id = self.names.get(node.id, node.id)
            case ast.arg():
                node.arg = self.names.get(node.arg, node.arg)
            case ast.keyword() if node.arg is not None:
                node.arg = self.keywords.get(node.arg, node.arg)
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
        self.in_class = in_class
