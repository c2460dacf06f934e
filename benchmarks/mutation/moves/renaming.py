"""A move of the names: everything that the user called something is called `a1`, `b2`, `c3`.

Names are resolved as Python does it, scope by scope, so that only what is certainly the user's own and not to be seen
from outside is renamed: local names, parameters of functions that the file itself calls by position, and names of the
file that no other file, string or attribute speaks of. A name keeps its word where the word is all that says what the
thing is: parameters of functions that nobody calls, and what comes from elsewhere unexplained.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable

from benchmarks.mutation.moves.program import Declined, Program, move
from benchmarks.mutation.moves.scopes import bound_names, own, parameters

__all__: list[str] = []

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SEES_NAMES = re.compile(r"\b(locals|globals|eval|exec|save_hyperparameters)\(|\b(vars|dir)\(\)|from \S+ import \*")


@move
def renamed(program: Program) -> None:
    """All names of the user say nothing."""
    if _SEES_NAMES.search(program.texts[program.path]):
        raise Declined("somebody looks at the names")
    renaming = _Renaming(program)
    renaming.visit(program.tree)
    if not renaming.count:
        raise Declined("nothing to rename")


class _Renaming(ast.NodeVisitor):
    """Goes through the scopes with what each of their names is called now."""

    def __init__(self, program: Program) -> None:
        self.program, self.count, self.scopes = program, 0, []
        self.taken = program.words | set(dir(builtins))
        others = {p: t for p, t in program.texts.items() if p != program.path}
        self.outside = set(re.findall(r"\w+", "\n".join(others.values())))
        defined = set(re.findall(r"^(?:def|class) (\w+)", "\n".join(others.values()), re.MULTILINE))
        self.hidden = _imported(program.tree) - _libraries(program) - defined
        self.said = {
            word
            for node in ast.walk(program.tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()
            for word in [node.value]
        }
        self.calls = [n for n in ast.walk(program.tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)]
        heads = {id(n.func) for n in self.calls}
        self.passed = {n.id for n in ast.walk(program.tree) if isinstance(n, ast.Name) and id(n) not in heads}

    def new(self) -> str:
        self.count += 1
        return next(n for letter in "abcdgkpq" if (n := f"{letter}{self.count}") not in self.taken)

    def now(self, name: str) -> str:
        """What a name is called in the innermost scope that binds it."""
        for scope, is_class in reversed(self.scopes):
            if name in scope and (not is_class or scope is self.scopes[-1][0]):
                return scope[name]
        return name

    def enter(self, names: Iterable[str], kept: Iterable[str] = (), is_class: bool = False) -> None:
        kept = set(kept)
        self.scopes.append(
            ({n: n if n in kept or n[:2] == "__" or n == "_" else self.new() for n in sorted(names)}, is_class)
        )

    # -------------------------------------------------------------------------------------------------------- scopes
    def visit_Module(self, node: ast.Module) -> None:
        names = bound_names(node.body)
        shared = {n for g in ast.walk(node) if isinstance(g, ast.Global) for n in g.names}
        kept = _imported(node) | (names & (self.outside | self.said)) | shared | _unexplained(node, self)
        self.enter(names, kept)
        self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(part)
        node.name = self.now(node.name)
        names = bound_names(node.body)
        self.enter(names, names, is_class=True)
        for statement in node.body:
            self.visit(statement)
        self.scopes.pop()

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> None:
        for part in (*node.args.defaults, *node.args.kw_defaults, *getattr(node, "decorator_list", ())):
            if part is not None:
                self.visit(part)
        body = node.body if isinstance(node.body, list) else [node.body]
        given = set(parameters(node))
        shared = {n for s in body for g in own(s) if isinstance(g, (ast.Global, ast.Nonlocal)) for n in g.names}
        kept = _imported(node) | _unexplained(node, self) | shared
        kept |= given if not self.called_by_position(node) else {"self", "cls"}
        self.enter((bound_names(body) | given) - shared, kept)
        for arg in _arguments(node):
            if arg.annotation is not None:
                self.visit(arg.annotation)
            arg.arg = self.now(arg.arg)
        for statement in body:
            self.visit(statement)
        self.scopes.pop()

    def called_by_position(self, node: ast.AST) -> bool:
        """Is a function of the file's own called in the file, and never given away or called with keywords?"""
        name = getattr(node, "name", "")
        calls = [c for c in self.calls if c.func.id == name]
        whole = (
            isinstance(self.program.parents.get(node), ast.Module)
            and name not in self.passed | self.outside | self.said
        )
        return whole and bool(calls) and not any(c.keywords for c in calls)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.function(node)
        node.name = self.now(node.name)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.function(node)
        node.name = self.now(node.name)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.function(node)

    def comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        self.visit(node.generators[0].iter)
        self.enter({n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)})
        for place, generator in enumerate(node.generators):
            self.visit(generator.target)
            for part in [*([generator.iter] if place else []), *generator.ifs]:
                self.visit(part)
        for part in [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]:
            self.visit(part)
        self.scopes.pop()

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension

    # --------------------------------------------------------------------------------------------------------- names
    def visit_Name(self, node: ast.Name) -> None:
        node.id = self.now(node.id)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        node.names = [self.now(n) for n in node.names]

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        node.name = self.now(node.name) if node.name else None
        self.generic_visit(node)

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        node.name = self.now(node.name) if node.name else None
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        node.name = self.now(node.name) if node.name else None


def _arguments(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> list[ast.arg]:
    a = node.args
    return [p for p in (*a.posonlyargs, *a.args, a.vararg, *a.kwonlyargs, a.kwarg) if p is not None]


def _imported(scope: ast.AST) -> set[str]:
    """The names that a scope imports."""
    body = scope.body if isinstance(scope.body, list) else [scope.body]
    return bound_names(n for s in body for n in own(s) if isinstance(n, (ast.Import, ast.ImportFrom)))


def _unexplained(scope: ast.AST, renaming: _Renaming) -> set[str]:
    """The names that are bound to what nothing in the file explains: the word is all that there is."""
    body = scope.body if isinstance(scope.body, list) else [scope.body]
    kept: set[str] = set()
    for node in (n for s in body for n in own(s)):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and not _explained(node.value, renaming):
            kept |= bound_names([node])
    return kept


def _explained(value: ast.AST | None, renaming: _Renaming) -> bool:
    """Does a value say what it is: no mere part of something else, and no call of what only a word describes?"""
    if isinstance(value, (ast.Attribute, ast.Subscript)):
        return False
    if not isinstance(value, ast.Call):
        return value is not None
    root = value.func
    while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
        root = root.func if isinstance(root, ast.Call) else root.value
    return isinstance(root, ast.Name) and root.id not in renaming.hidden


def _libraries(program: Program) -> set[str]:
    """The names that the file imports from libraries, not from files of the same project."""
    stems = {part for path in program.texts for part in path.removesuffix(".py").split("/")}
    found: set[str] = set()
    for node in program.tree.body:
        own = isinstance(node, ast.ImportFrom) and (node.level or (node.module or "").partition(".")[0] in stems)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and not own:
            found |= bound_names([node])
    return found
