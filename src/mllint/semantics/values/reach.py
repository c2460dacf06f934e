"""What can be reached from where, by the form of the code alone? Filters that keep costly questions away.

To resolve every call of a project costs many times its parsing, and nearly all of it is of no interest. So before a
value is asked for, names say whether the answer can matter: is a call by one of some names written in a function, or in
a function that it may enter (`functions`)? Which files are about such calls, or next to one that is (`near`)? Which
names are functions of the project (`own_names`), which are assigned as attributes (`assigned`)?

A filter may say yes too often. It says no too often where a function is called through a variable: what is lost there
is a finding, never the truth of one.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from mllint.semantics.libraries._names import PLAIN
from mllint.semantics.syntax.caches import Cache, cached
from mllint.semantics.syntax.module import Binding, ClassScope, FunctionScope, ModuleScope, Scope
from mllint.semantics.syntax.nodes import Node, called_name, is_builtin_eval, last_name, place
from mllint.semantics.values.builtin_names import BUILTIN_METHODS

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = [
    "SPLITTERS", "Key", "Reach", "Start", "functions_around", "imported_names", "names_called_by", "runs_what_it_has",
    "validating_functions",
]  # fmt: skip

_EVERYWHERE = BUILTIN_METHODS | frozenset(
    "update index count remove clear read write close encode decode forward".split()
)
SPLITTERS = tuple(
    """KFold StratifiedKFold GroupKFold RepeatedKFold RepeatedStratifiedKFold StratifiedGroupKFold ShuffleSplit
    StratifiedShuffleSplit GroupShuffleSplit TimeSeriesSplit LeaveOneOut LeavePOut LeaveOneGroupOut LeavePGroupsOut
    PredefinedSplit check_cv""".split()
)
"""The names by which an object that splits rows is built."""
_SMALL = 100  # files
Key = tuple[str, str, int]
Start = Callable[[ast.Call], bool]
_NEAR: Cache[tuple[str, ...], frozenset[int]] = Cache()
_CALLING: Cache[tuple[frozenset[str], int], frozenset[int]] = Cache()
_ENTRIES: Cache[frozenset[int], set[Key]] = Cache()
_HEIRS: Cache[ClassScope, list[ClassScope]] = Cache()


class Reach:
    """What the names in a project tell; every answer is computed once."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._defined: frozenset[str] | None = None
        self._assigned: dict[str, list[Node]] | None = None
        self._callers: dict[Key, dict[int, FunctionScope]] = {}
        self._known: set[str] = set()
        self._numbers: dict[str, int] | None = None

    # ------------------------------------------------------------------------------------------------------- names
    def own_names(self) -> frozenset[str]:
        """The names of all functions and classes of the project."""
        if self._defined is None:
            self._defined = frozenset(s.name for module in self.project.modules for s in module.scopes)
        return self._defined

    def assigned(self) -> dict[str, list[Node]]:
        """The attributes, class variables and module variables that somebody in the project assigns: last name -> what
        is assigned, None where that is a part of something."""
        if self._assigned is None:
            self._assigned = {}
            for module in self.project.modules:
                for scope in module.scopes:
                    _assigned_in(scope, self._assigned)
        return self._assigned

    # ------------------------------------------------------------------------------------------------------- files
    def near(self, words: tuple[str, ...]) -> frozenset[int]:
        """The ids of the modules that call one of these names, of those that import them, and of those that they
        import. In a small project also of those that are imported together with them: what `models.py` builds,
        `main.py` may hand to `loop.py`.

        Imports are compared by the last names of modules.
        """
        table = _NEAR.of(self.project)
        known = table.get(words)
        if known is None:
            calling = [m for m in self.project.modules if not m.calls_by_name.keys().isdisjoint(words)]
            known = table[words] = self.around(calling, siblings=len(self.project.modules) <= _SMALL)
        return known

    def around(self, some: list[ModuleScope], *, siblings: bool = False) -> frozenset[int]:
        """The ids of some modules, of those that import them, and of those they import; as `near`.

        Args:
            some: the modules.
            siblings: whether what is imported together with them is wanted, too.
        """
        found = {id(m) for m in some}
        names = {m.name.rpartition(".")[2] for m in some}
        importers = [m for m in self.project.modules if some and not names.isdisjoint(imported_names(m))]
        needed = {name for m in (*some, *(importers if siblings else ())) for name in imported_names(m)}
        found.update(map(id, importers))
        found.update(id(m) for m in self.project.modules if some and m.name.rpartition(".")[2] in needed)
        return frozenset(found)

    # --------------------------------------------------------------------------------------------------- functions
    def functions(self, words: frozenset[str], depth: int = 50) -> frozenset[int]:
        """The ids of the functions in which a call by one of some names is written, or that may enter such a function,
        at most so many calls deep."""
        table, key = _CALLING.of(self.project), (words, depth)
        known = table.get(key)
        if known is None:
            known = table[key] = self.reaching(self.calling(words).values(), depth)
        return known

    def calling(self, words: Iterable[str], modules: Iterable[ModuleScope] | None = None) -> dict[int, FunctionScope]:
        """The functions, by id, with a call or a decorator by one of some names: `names_called_by` of all
        functions at once, in all files or in some."""
        found: dict[int, FunctionScope] = {}
        for module in self.project.modules if modules is None else modules:
            by_name = module.calls_by_name
            for word in by_name.keys() & words:
                for call, scope in by_name[word]:
                    for function in functions_around(scope):
                        if word != "eval" or function.is_body or not is_builtin_eval(call):
                            found[id(function)] = function
            decorated = _by_decorator(module)
            if not decorated:
                continue
            for word in decorated.keys() & words:
                found.update({id(function): function for function in decorated[word]})
        return found

    def reaching(self, starts: Iterable[FunctionScope], depth: int = 50) -> frozenset[int]:
        """The ids of some functions and of those that may enter them."""
        found: dict[int, FunctionScope] = {id(f): f for f in starts}
        if not found:
            return frozenset()
        fresh = list(found.values())
        while fresh and depth:
            depth -= 1
            following = []
            for function in fresh:
                for key in self._keys(function):
                    for caller in self._callers_by(key):
                        if id(caller) not in found and self._plausible(caller, function, key):
                            found[id(caller)] = caller
                            following.append(caller)
            fresh = following
        return frozenset(found)

    def _plausible(self, caller: FunctionScope, function: FunctionScope, key: Key) -> bool:
        """Does a call by a mere method name mean this method, or one by the name of a nested function that one? In a
        large project only where its file, its class, or the function around it, is imported."""
        owner = function.owner
        home = function.parent if owner is None else owner if key[0] == "method" and not key[2] else None
        if home is None or home is function.module.body or caller.module is function.module:
            return True
        if len(self.project.modules) <= _SMALL:
            return True
        known = imported_names(caller.module)
        return function.module.name.rpartition(".")[2] in known or home.name in known

    def bound_as(self, function: FunctionScope) -> list[str]:
        """The names of what `functools.partial` makes of a function."""
        return [name for names in _partials_of(self.project, function).values() for name in names]

    def only_bound(self, function: FunctionScope) -> bool:
        """Is a function handed to `functools.partial` only, and what comes out called by its name only?"""
        made = _partials_of(self.project, function)
        modules, name = self.project.modules, function.name
        handed = sum(len(m.references.get(name, ())) for m in modules)
        if not made or handed > len(made) or not all(len(names) == 1 for names in made.values()):
            return False
        return not any(n in m.references for names in made.values() for n in names for m in modules)

    def may_enter(self, call: ast.Call, scope: Scope, functions: frozenset[int]) -> bool:
        """May a call, written in a scope, enter one of some functions?"""
        table = _ENTRIES.of(self.project)
        entries = table.get(functions)
        if entries is None:
            chosen = (f for module in self.project.modules for f in module.functions if id(f) in functions)
            entries = table[functions] = {key for f in chosen for key in self._keys(f)}
        return not self.keys_of(call, scope).isdisjoint(entries)

    def _callers_by(self, key: Key) -> Iterable[FunctionScope]:
        """The functions in which a key is called; the calls by a name are read when somebody first asks for it."""
        kind, name, _ = key
        self._read(name)
        if kind == "function":
            self._read("__init__")  # of `super()`
            for alias in _renamed(self.project).get(name, ()):
                self._read(alias)
        return self._callers.get(key, {}).values()

    def _read(self, name: str) -> None:
        """Enter the calls by one name, if it is one of the project's, under their keys."""
        if name in self._known:
            return
        self._known.add(name)
        if name not in self.own_names():
            return
        called = [(call.func, scope) for call, scope in self.project.calls_named(name)]
        for func, scope in (*called, *_bound_early(self.project).get(name, ())):
            around: dict[int, FunctionScope] = {}
            for key in self._keys_at(func, scope):
                around = around or {id(f): f for f in functions_around(scope)}
                self._callers.setdefault(key, {}).update(around)
        for function in _decorated(self.project).get(name, ()):
            self._callers.setdefault(("function", name, 0), {})[id(function)] = function

    def _keys(self, function: FunctionScope) -> Iterator[Key]:
        """By which keys a function may be entered; what a file runs has no name."""
        owner = function.owner
        if not function.name:
            return
        if owner is None:
            yield "function", function.name, 0
        elif function.name in ("__init__", "__call__"):
            for cls in (owner, *self._heirs(owner)):
                yield "function", cls.name, 0
        else:
            yield "method", function.name, 0
            yield "method", function.name, self._families().get(owner.name, 0)

    def keys_of(self, call: ast.Call, scope: Scope) -> set[Key]:
        """By which keys a call, written in a scope, may enter a function of the project."""
        return self._keys_at(call.func, scope)

    def _keys_at(self, func: ast.expr, scope: Scope, made_by: tuple[str, ...] = ()) -> set[Key]:
        """The same of what is called, or bound to be called later, under names that are being asked about already."""
        if isinstance(func, ast.Call):  # `make(model)(x)`: a function inside of the one that makes it
            return self._keys_at(func.args[0] if _is_partial(func) else func.func, scope, made_by)
        name = last_name(func)
        if isinstance(func, ast.Name) and name not in self.own_names():
            made = [b.value for b in _binding(name, scope) if b.kind == "assign" and _is_partial(b.value)]
            if name in made_by:  # `step = partial(step, rate=0.1)`
                return {("function", name, 0)}
            if made:
                return set().union(*(self._keys_at(call, scope, (*made_by, name)) for call in made))
        if name not in self.own_names():
            imported = isinstance(func, ast.Name) and any(b.kind == "from" for b in _binding(name, scope))
            if not imported:
                return set()
        if isinstance(func, ast.Name):
            found = [b for b in _binding(name, scope) if not self._of_library(b)]
            names = {b.extra[2] if b.kind == "from" else name for b in found}
            return {("function", n, 0) for n in names or ({name} if not _binding(name, scope) else ())}
        if not isinstance(func, ast.Attribute):
            return set()
        base, owner = func.value, getattr(scope, "owner", None)
        if isinstance(base, ast.Name):
            if base.id == "self" and owner is not None:
                return {("method", name, self._families().get(owner.name, 0))}
            imports = [b for b in _binding(base.id, scope) if b.kind in ("import", "from")]
            if imports:
                mine = any(not self._of_library(b) for b in imports)
                return {("function", name, 0), ("method", name, 0)} if mine else set()
        if isinstance(base, ast.Call) and last_name(base.func) == "super" and owner is not None:
            if name == "__init__":
                return {("function", _base_name(b), 0) for b in owner.node.bases}
            return {("method", name, self._families().get(owner.name, 0))}
        if name in PLAIN or (name in _EVERYWHERE and not self._built(base, scope)):
            return set()
        return {("method", name, 0)}

    def _built(self, base: Node, scope: Scope) -> bool:
        """Is it a name that is bound to a call of something of the project (`agent = Agent(...)`)?"""
        found = _binding(base.id, scope) if isinstance(base, ast.Name) else []
        calls = [b.value for b in found if b.kind == "assign" and isinstance(b.value, ast.Call)]
        return any(last_name(call.func) in self.own_names() for call in calls)

    def _of_library(self, binding: Binding) -> bool:
        """Does an import bring something of a library that stubs describe?"""
        if binding.kind not in ("import", "from"):
            return False
        source = binding.extra if binding.kind == "import" else "" if binding.extra[1] else binding.extra[0]
        return self.project.stubs.covers(source)

    def _heirs(self, cls: ClassScope) -> list[ClassScope]:
        """The classes that inherit the constructor of a class, by the names of their bases."""
        by_base, table = _without_constructor(self.project), _HEIRS.of(self.project)
        known = table.get(cls)
        if known is None:
            found: dict[int, ClassScope] = {}
            fresh = [cls]
            while fresh:
                heirs = {id(h): h for c in fresh for h in by_base.get(c.name, ()) if id(h) not in found}
                found.update(heirs)
                fresh = list(heirs.values())
            known = table[cls] = list(found.values())
        return known

    def _families(self) -> dict[str, int]:
        """The families of classes that inherit from each other, by the names of their bases, numbered."""
        if self._numbers is None:
            self._numbers = self._join()
        return self._numbers

    def _join(self) -> dict[str, int]:
        leader: dict[str, str] = {}

        def find(name: str) -> str:
            top = name
            while leader.setdefault(top, top) != top:
                top = leader[top]
            leader[name] = top
            return top

        own = {c.name for module in self.project.modules for c in module.classes}
        for cls in (c for module in self.project.modules for c in module.classes):
            find(cls.name)
            for base in cls.node.bases:
                if _base_name(base) in own:
                    leader[find(_base_name(base))] = find(cls.name)
        numbers: dict[str, int] = {}
        return {name: numbers.setdefault(find(name), len(numbers) + 1) for name in sorted(leader)}


@cached()
def _decorated(project: Project) -> dict[str, list[FunctionScope]]:
    """The functions that have a decorator of each name."""
    found: dict[str, list[FunctionScope]] = {}
    for function in (f for module in project.modules for f in module.decorated):
        for decorator in function.decorators:
            found.setdefault(called_name(decorator), []).append(function)
    return found


@cached()
def _bound_early(project: Project) -> dict[str, list[tuple[ast.expr, Scope]]]:
    """What `functools.partial` is given to call, by its name, with the scope: who makes one mostly calls it."""
    found: dict[str, list[tuple[ast.expr, Scope]]] = {}
    for call, scope in project.calls_named("partial"):
        if call.args and isinstance(call.args[0], (ast.Name, ast.Attribute)):
            found.setdefault(last_name(call.args[0]), []).append((call.args[0], scope))
    return found


def _partials_of(project: Project, function: FunctionScope) -> dict[int, list[str]]:
    """The names that each partial of a function is bound to, by the place where it is made."""
    found: dict[int, list[str]] = {}
    for func, scope in _bound_early(project).get(function.name, ()):
        found[id(func)] = [n for n, bound in scope.bindings.items() if any(_makes(b.value, func) for b in bound)]
    return found


def _is_partial(value: Node) -> bool:
    """Is it `partial(function, ...)`?"""
    return isinstance(value, ast.Call) and bool(value.args) and last_name(value.func) == "partial"


def _makes(value: Node, func: ast.expr) -> bool:
    """Is it `partial(func, ...)`?"""
    return _is_partial(value) and value.args[0] is func


@cached()
def _renamed(project: Project) -> dict[str, set[str]]:
    """The names under which what has a name of its own is imported somewhere."""
    found: dict[str, set[str]] = {}
    for alias in (alias for module in project.modules for alias in module.renamed):
        found.setdefault(alias.name, set()).add(alias.asname or alias.name)
    return found


@cached()
def _without_constructor(project: Project) -> dict[str, list[ClassScope]]:
    """The classes that inherit a constructor, by the names of their bases."""
    found: dict[str, list[ClassScope]] = {}
    for cls in (c for module in project.modules for c in module.classes if "__init__" not in c.methods):
        for base in cls.node.bases:
            found.setdefault(_base_name(base), []).append(cls)
    return found


def _base_name(base: Node) -> str:
    """The name of a base class: `Store` of `Store[Batch]`."""
    return last_name(base.value if isinstance(base, ast.Subscript) else base)


def _assigned_in(scope: Scope, found: dict[str, list[Node]]) -> None:
    """Add what a scope assigns to attributes, and to its variables unless they are a function's own.

    Read off the targets where nobody has made bindings of them yet: nearly all scopes are never asked for theirs.
    """
    own = not isinstance(scope, FunctionScope) or scope.is_body
    for item in scope.written:
        if item.__class__ is tuple:
            kind, node, value = item
            if node.__class__ is ast.Attribute:
                found.setdefault(node.attr, []).append(value if kind == "assign" else None)
            elif node.__class__ is not ast.Name:
                _assigned_to(node, own, found)
            elif own:
                found.setdefault(node.id, []).append(value if kind == "assign" else None)
        elif isinstance(item, Binding):
            _assigned_by(item, own, found)
    if scope.known is None:
        return
    for name, bindings in scope.known.items():
        if not (own or "." in name or "[" in name):
            continue
        for binding in bindings:
            _assigned_by(binding, own, found)


def _assigned_by(binding: Binding, own: bool, found: dict[str, list[Node]]) -> None:
    """Add what a binding assigns, to a variable if it is its scope's `own`."""
    name = binding.name
    if "." in name or "[" in name or (own and binding.kind not in ("def", "class", "import", "from")):
        value = binding.value if binding.kind == "assign" and not binding.path else None
        found.setdefault(name.rpartition(".")[2].partition("[")[0], []).append(value)


def _assigned_to(target: Node, own: bool, found: dict[str, list[Node]]) -> None:
    """Add the last names of what a target takes apart, with its variables if they are its scope's `own`."""
    targets = [target]
    while targets:
        node = targets.pop()
        kind = node.__class__
        if kind is ast.Tuple or kind is ast.List:
            targets += node.elts
        elif kind is ast.Starred:
            targets.append(node.value)
        elif kind is ast.Attribute:
            found.setdefault(node.attr, []).append(None)
        elif kind is ast.Name:
            if own:
                found.setdefault(node.id, []).append(None)
        elif kind is ast.Subscript:
            found.setdefault((place(node) or "").rpartition(".")[2].partition("[")[0], []).append(None)


def functions_around(scope: Scope | None) -> Iterator[FunctionScope]:
    """The functions in which a scope lies; a module's body only if it is the scope itself."""
    if isinstance(scope, FunctionScope) and scope.is_body:
        yield scope
    while scope is not None:
        if isinstance(scope, FunctionScope) and not scope.is_body:
            yield scope
        scope = scope.parent


@cached(local=True)
def _by_decorator(module: ModuleScope) -> dict[str, list[FunctionScope]]:
    """The functions of a file by the last names of their decorators."""
    found: dict[str, list[FunctionScope]] = {}
    for function in module.decorated:
        for decorator in function.decorators:
            found.setdefault(called_name(decorator), []).append(function)
    return found


def names_called_by(function: FunctionScope) -> frozenset[str]:
    """The last names of what a function calls; those of nested functions included, but not for a module body."""
    return frozenset(last_name(c.func) for c in function.calls) if function.is_body else function.called_names


def validating_functions(project: Project) -> Iterator[FunctionScope]:
    """The functions in which a framework's `fit` or trainer is told what to validate on."""
    for module in project.modules:
        for word in ("eval_dataset", "validation_data", "evals", "valid_sets"):
            for _, scope in module.calls_by_keyword.get(word, ()):
                if isinstance(scope, FunctionScope) and any(map(_takes_validation, names_called_by(scope))):
                    yield scope


def _takes_validation(name: str) -> bool:
    return name in ("fit", "train") or name.endswith("Trainer")


def runs_what_it_has(function: FunctionScope) -> bool:
    """Does it loop, and call one of its parameters, be it as a context manager gives it, what is stored on the instance
    (`self.model(x)`), or an object that is built around it (`net = Net()` of the module, or of the function that it is
    nested in), or given to that one?"""
    if not function.loops:
        return False
    given = {
        p.name
        for f in functions_around(function)
        for p in f.parameters
        if f is function or p.name not in function.bindings
    }
    methods = function.owner.methods if function.owner is not None else {}
    for call in function.calls:
        match call.func:
            case ast.Name(id=name) if name in given or _entered_with(name, given, function):
                return True
            case ast.Name(id=name) if _built_outside(name, function):
                return True
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name not in methods:
                return True
    return False


def _entered_with(name: str, given: set[str], function: FunctionScope) -> bool:
    """Is it what a context manager gives that is handed a parameter, `net` of `with evaluating(model) as net:`?"""
    entered = (b.value for b in function.bindings.get(name, ()) if b.kind == "with" and isinstance(b.value, ast.Call))
    return any(isinstance(a, ast.Name) and a.id in given for made in entered for a in made.args)


def _built_outside(name: str, function: FunctionScope) -> bool:
    """Is it a variable of a scope around the function, assigned by calls only?"""
    found = [] if name in function.bindings else _binding(name, function.parent)
    return bool(found) and all(b.kind == "assign" and isinstance(b.value, ast.Call) for b in found)


def _binding(name: str, scope: Scope | None) -> list[Binding]:
    """What binds a name in the scope that it belongs to."""
    while scope is not None:
        if name in scope.bindings and not isinstance(scope, ClassScope):
            return scope.bindings[name]
        scope = scope.parent
    return []


@cached(local=True)
def imported_names(module: ModuleScope) -> frozenset[str]:
    """The last names of the modules that a module imports, or may import (`from . import name`)."""
    found = {name.rpartition(".")[2] for name, _ in module.imports}
    for bindings in module.body.bindings.values():
        found.update(b.extra[2] for b in bindings if b.kind == "from")
    return frozenset(found)
