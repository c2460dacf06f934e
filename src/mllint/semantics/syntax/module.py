"""One file as the core sees it: scopes, bindings, calls, classes, functions.

This is "what is written here", never "what does it mean": which names a scope binds and where, which calls it makes,
which loops, handlers and returns it has. Meaning is asked later and lazily (`names`, `evaluate`, `flow`). A stub and a
file of the user's are both a ModuleScope; its body is a FunctionScope without parameters.

All of it is filled by one pass over the tree (`index`), the only part of the core that runs for every file. The pass
notes which targets are assigned; the Bindings themselves are made when a scope is first asked for them, which never
happens to most functions of a project.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, cast

from mllint.semantics.syntax.caches import Holder, cached, cached_per_scope
from mllint.semantics.syntax.nodes import Node, called_name, is_builtin_eval, last_name, place, walk
from mllint.semantics.syntax.records import Loop

if TYPE_CHECKING:
    from mllint.semantics.syntax.names import Reaching
    from mllint.semantics.syntax.sites import Source
    from mllint.semantics.values.project import Project

__all__ = [
    "Binding", "BindingKind", "ClassScope", "FunctionScope", "Loop", "ModuleScope", "Parameter", "ParameterKind",
    "Scope", "Target", "thrown_away",
]  # fmt: skip

_NO_NAMES: frozenset[str] = frozenset()
_NO_DECORATORS: list[ast.expr] = []
_NO_NODES: list[Node] = []
_Kind = TypeVar("_Kind", bound=ast.AST)

BindingKind: TypeAlias = Literal[
    "param", "assign", "aug", "for", "with", "import", "from", "def", "class", "except", "match", "del", "comp"
]
"""By what a name receives its value."""
ParameterKind: TypeAlias = Literal["positional", "keyword", "args", "kwargs"]

Target = tuple[BindingKind, Node, Node]
"""The kind, the target and the value of an assignment of which nobody has asked for the bindings yet."""


class Parameter:
    """A parameter of a function."""

    __slots__ = ("annotation", "default", "kind", "name")

    def __init__(self, name: str, kind: ParameterKind, annotation: Node, default: Node) -> None:
        self.name, self.kind, self.annotation, self.default = name, kind, annotation, default


class Binding:
    """One place in the source where a name or a place (`self.x`) receives a value.

    `value` is the expression that is bound (the iterable for "for" and "comp", the context manager for "with");
    `path` leads into it for unpacking: `(a, (b, c)) = v` binds c by path (1, 1); None stands for a starred rest.

    What `extra` is goes by the kind, so it has no type: the FunctionScope of a "def", the ClassScope of a "class", the
    module of an "import", (module, level, name) of a "from", the annotation of an "assign" that has one.
    """

    __slots__ = ("extra", "kind", "name", "node", "path", "scope", "value")

    def __init__(
        self,
        kind: BindingKind,
        name: str,
        node: Node,
        value: Node,
        scope: Scope,
        path: tuple[int | None, ...] = (),
        extra: Any = None,
    ) -> None:
        self.kind, self.name, self.node, self.value = kind, name, node, value
        self.scope, self.path, self.extra = scope, path, extra

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name} line {getattr(self.node, 'lineno', 0)}>"


class Scope:
    """What is written directly in a module body, a function or a class body (nested scopes have their own)."""

    __slots__ = (
        "calls", "classes", "divides", "expressions", "functions", "globals", "handlers", "known", "loops", "module",
        "name", "node", "parent", "qualname", "returns", "slices", "written", "yields",
    )  # fmt: skip

    def __init__(self, module: ModuleScope, node: Node, name: str, parent: Scope | None) -> None:
        self.module, self.node, self.name, self.parent = module, node, name, parent
        self.qualname: str = f"{parent.qualname}.{name}" if parent and parent.qualname else name
        self.written: list[Binding | Target] = []
        self.calls: list[ast.Call] = []
        self.functions: list[FunctionScope] = []
        self.classes: list[ClassScope] = []
        self.loops: list[Loop] = []
        self.handlers: list[tuple[ast.Try, ast.ExceptHandler]] = []
        self.returns: list[ast.Return] = []
        self.yields: list[Node] = []
        self.expressions: list[ast.expr] = []
        self.slices = 0
        self.divides = False
        self.globals: frozenset[str] = _NO_NAMES
        self.known: MutableMapping[str, list[Binding]] | None = None

    @property
    def bindings(self) -> Mapping[str, list[Binding]]:
        """All bindings by name or place, in the order of the text; made of `written` at the first look."""
        if self.known is None:
            self.known = self.given()
            self.settle()
        return self.known

    @property
    def read(self) -> Mapping[str, list[Binding]]:
        """The bindings of what has been parsed: of a stub, or a file that is read in part, not all."""
        found = self.bindings
        return found if found.__class__ is dict or not isinstance(found, dict) else found.copy()

    def given(self) -> dict[str, list[Binding]]:
        """What is bound before the first statement."""
        return {}

    def settle(self) -> None:
        """Make the bindings of what was written since the last time."""
        written, self.written = self.written, []
        for item in written:
            if item.__class__ is Binding:
                self.bind(item)
            else:
                self._bind_target(*item)  # type: ignore[misc]  # a tuple

    def bind(self, binding: Binding) -> None:
        """Record a binding under its name or place."""
        found = self.known.get(binding.name)  # type: ignore[union-attr]  # made before anything is bound
        if found is None:
            self.known[binding.name] = [binding]  # type: ignore[index]  # made above
        else:
            found.append(binding)

    def _bind_target(self, kind: BindingKind, node: Node, value: Node, path: tuple[int | None, ...] = ()) -> None:
        """Bind the names and places of an assignment target."""
        form = node.__class__
        if form is ast.Tuple or form is ast.List:
            for index, element in enumerate(node.elts):
                if element.__class__ is ast.Starred:
                    self._bind_target(kind, element.value, value, (*path, None))
                else:
                    self._bind_target(kind, element, value, (*path, index))
            return
        name = node.id if form is ast.Name else place(node)
        if name is not None:
            self.bind(Binding(kind, name, node, value, self, path, "aug" if kind == "aug" else None))

    def calls_to(self, names: Collection[str]) -> list[ast.Call]:
        """Its own calls by one of some last names, in the order of the text. Nearly all scopes have none, which is
        known of all of a file at once."""
        module = self.module
        if not module.is_stub and _called_in_scopes(module).get(id(self), _NO_NAMES).isdisjoint(names):
            return []
        return [c for c in self.calls if last_name(c.func) in names]

    def close(self) -> None:
        """Drop the references back to the scope, which reference counting would not free."""
        self.written.clear()
        self.functions.clear()
        self.classes.clear()
        self.loops.clear()
        self.known = None

    def __repr__(self) -> str:
        return f"<{self.__class__.__name__} {self.module.name}:{self.qualname}>"


class FunctionScope(Scope):
    """A function, method, lambda, or the body of a module (`is_body`)."""

    __slots__ = (
        "_by_name", "_decorated", "_gathering", "_names", "_nodes", "_parameters", "_positional", "_reaching", "owner",
        "stubbed",
    )  # fmt: skip

    def __init__(self, module: ModuleScope, node: Node, name: str, parent: Scope | None) -> None:
        super().__init__(module, node, name, parent)
        self.owner: ClassScope | None = parent if isinstance(parent, ClassScope) else None
        self._reaching: Reaching | None = None
        self._parameters: list[Parameter] | None = None
        self._by_name: dict[str, Parameter] = {}
        self._names: frozenset[str] | None = None
        self._nodes: dict[type, list[Node]] | None = None
        self._decorated: frozenset[str] | None = None
        self._positional: list[str] | None = None
        self._gathering: list[Parameter] | None = None
        self.stubbed = module.is_stub

    @property
    def parameters(self) -> list[Parameter]:
        """Its parameters in order; a module has none."""
        if self._parameters is None:
            found = [] if isinstance(self.node, ast.Module) else _parameters(self.node.args)
            self._by_name = {p.name: p for p in found}  # a name that is there twice counts once
            self._parameters = list(self._by_name.values())
        return self._parameters

    @property
    def positional(self) -> list[str]:
        """The names of the parameters that take arguments by position, in order."""
        if self._positional is None:
            self._positional = [p.name for p in self.parameters if p.kind == "positional"]
        return self._positional

    @property
    def gathering(self) -> list[Parameter]:
        """Its `*args` and `**kwargs`."""
        if self._gathering is None:
            self._gathering = [p for p in self.parameters if p.kind == "args" or p.kind == "kwargs"]
        return self._gathering

    def close(self) -> None:
        super().close()
        self._reaching = self._nodes = None

    def given(self) -> dict[str, list[Binding]]:
        """Its parameters."""
        return {p.name: [Binding("param", p.name, p, None, self)] for p in self.parameters}

    @property
    def is_body(self) -> bool:
        """Is this the body of a module?"""
        return isinstance(self.node, ast.Module)

    @property
    def body(self) -> list[ast.stmt]:
        """The statements; a lambda has none."""
        return [] if isinstance(self.node, ast.Lambda) else self.node.body

    @property
    def decorators(self) -> list[ast.expr]:
        """The decorator expressions, outermost first."""
        found: list[ast.expr] = getattr(self.node, "decorator_list", _NO_DECORATORS)
        return found

    @property
    def is_generator(self) -> bool:
        """Does calling it return an iterator over its yields?"""
        return bool(self.yields)

    @property
    def called_names(self) -> frozenset[str]:
        """The last names of all calls in the function, nested functions and its own decorators included: a
        cheap filter."""
        if self._names is None:
            around = [called_name(d) for d in self.decorators]
            names = _called_in_scopes(self.module).get(id(self), _NO_NAMES)
            self._names = frozenset((*names, *around)) if around else frozenset(names)
        return self._names

    @property
    def picks_rows(self) -> bool:
        """Does it cut more than one slice, or is it the `__getitem__` of a data set? A cheap filter."""
        return self.slices > 1 or self.name == "__getitem__"

    @property
    def may_cut_rows(self) -> bool:
        """Does it cut more than one slice, or has it a parameter that may name rows that are held out? A cheap
        filter: `held` of `parts` is true of no name where this is False."""
        if self.slices > 1 or isinstance(self.node, ast.Module):
            return self.slices > 1
        given = self.node.args
        names = [a.arg.lower() for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        return any("te" in name or "va" in name or "dev" in name or "hold" in name for name in names)

    @property
    def speaks_of_training(self) -> bool:
        """Is something named for training in its lines, or does it return a tuple, which its callers may unpack into
        such names? A cheap filter: `trained` of `parts` is true of no name where this is False."""
        return self.names_training or any(isinstance(r.value, ast.Tuple) for r in self.returns)

    @property
    def names_training(self) -> bool:
        """Is something named for training in its lines? A cheap filter; True of the body of a module and a lambda."""
        if isinstance(self.node, (ast.Module, ast.Lambda)):
            return True
        lines = _lines_on_training(self.module)
        at = bisect_left(lines, self.node.lineno)
        return at < len(lines) and lines[at] <= (self.node.end_lineno or 0)

    def nodes_of(self, kind: type[_Kind]) -> list[_Kind]:
        """All nodes of one class in the function, nested functions included, in source order of fields.

        The tree is gone through once for all classes.
        """
        if self._nodes is None:
            found: defaultdict[type, list[Node]] = defaultdict(list)
            for node in walk(self.node):
                found[node.__class__].append(node)
            self._nodes = found
        return cast("list[_Kind]", self._nodes.get(kind, _NO_NODES))

    def nested(self) -> Iterator[Scope]:
        """This scope and all scopes inside it."""
        stack: list[Scope] = [self]
        while stack:
            scope = stack.pop()
            yield scope
            stack += scope.functions
            stack += scope.classes

    def decorated(self, *names: str) -> bool:
        """Has it a decorator whose last name is one of `names` (`property`, `staticmethod`)?"""
        if self._decorated is None:
            found = [called_name(d) for d in self.decorators]
            self._decorated = frozenset(found) if found else _NO_NAMES
        return not self._decorated.isdisjoint(names)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name."""
        if self._parameters is None and not self.parameters:
            return None
        return self._by_name.get(name)


class ClassScope(Scope):
    """A class: its own scope and the expressions of its bases. Its meaning (MRO) is asked of `classes`."""

    __slots__ = ("_mro", "methods")

    def __init__(self, module: ModuleScope, node: ast.ClassDef, parent: Scope | None) -> None:
        super().__init__(module, node, node.name, parent)
        self.methods: MutableMapping[str, FunctionScope] = {}
        self._mro: list[ClassScope | str] | None = None

    def close(self) -> None:
        super().close()
        self.methods.clear()
        self._mro = None

    @property
    def fullname(self) -> str:
        """Dotted name of the module and the class in it."""
        return f"{self.module.name}.{self.qualname}"


_AFTER_TR = frozenset("andslgxy_0123456789 \n.,:;=)]}([+-*/\"'") | {""}


def _on_training(text: str, lower: str, at: int) -> bool:
    """May the `tr` at an offset of a text begin a word for training?"""
    begins = text[at].isupper()  # `lossTrain`
    if lower.startswith("rain", at + 1):
        if lower.startswith("training", at) and lower.endswith("self.", 0, at):
            return lower.startswith("_", at + 8)
        is_other = lower.startswith(("trainable", "traint"), at) or lower.endswith(("pre", "s"), 0, at)
        return begins or not is_other
    before = lower[at - 1 : at]
    if text.startswith("a", at + 2):
        return False
    return begins or not before.isalpha() or before in "dxy"


class ModuleScope(Holder):
    """One parsed file and its index.

    Args:
        name: dotted module name.
        tree: its syntax tree.
        source: its text, and whoever maps nodes to spans; None of a stub.
        is_stub: True for the shipped descriptions of libraries.
        is_package: True for an `__init__` file (relative imports start here).
    """

    __deletable__ = ("body", "project")

    def __init__(
        self, name: str, tree: ast.Module, source: Source | None, *, is_stub: bool = False, is_package: bool = False
    ) -> None:
        self.name, self.tree = name, tree
        self.source: Any = source  # None without a text; what more than `Source` it answers, floors above the core know
        self.is_stub, self.is_package = is_stub, is_package
        self.late: Mapping[str, int] = {}  # the definitions that wait, or waited, to be looked up: see `partial`
        self.waiting = False
        self.project: Project  # the one that takes it in, before anybody asks
        super().__init__()
        self.clear()

    def clear(self) -> None:
        """Forget what was read of the tree: see `index.read`."""
        self._functions: list[FunctionScope] = []
        self._classes: list[ClassScope] = []
        self._scopes: list[Scope] = []
        self.imports: list[tuple[str, int]] = []
        self.lambdas: dict[int, FunctionScope] = {}
        self.stars: list[tuple[str, int]] = []
        self._calls_by_name: dict[str, list[tuple[ast.Call, Scope]]] = {}
        self._calls_by_keyword: dict[str, list[tuple[ast.Call, Scope]]] = {}
        self._references: dict[str, list[Scope]] = {}
        self._decorated: list[FunctionScope] = []
        self.renamed: list[ast.alias] = []
        self._comprehended: set[type] = set()
        self._comparisons: list[ast.Compare] = []
        self._sliced: list[int] = []
        self.within: dict[int, Node] = {}
        self.outer: dict[int, Node] = {}
        self.body = FunctionScope(self, self.tree, "", None)
        self._functions.append(self.body)
        self._scopes.append(self.body)

    def whole(self) -> ModuleScope:
        """This module, all of it parsed: what is asked of all of a file is asked of all of it."""
        return self

    @property
    def functions(self) -> list[FunctionScope]:
        """All functions, the body first."""
        return self.whole()._functions if self.waiting else self._functions

    @property
    def classes(self) -> list[ClassScope]:
        """All classes."""
        return self.whole()._classes if self.waiting else self._classes

    @property
    def scopes(self) -> list[Scope]:
        """All scopes."""
        return self.whole()._scopes if self.waiting else self._scopes

    @property
    def calls_by_name(self) -> dict[str, list[tuple[ast.Call, Scope]]]:
        """All calls by the last name of what is called."""
        return self.whole()._calls_by_name if self.waiting else self._calls_by_name

    @property
    def calls_by_keyword(self) -> dict[str, list[tuple[ast.Call, Scope]]]:
        """All calls by each keyword."""
        return self.whole()._calls_by_keyword if self.waiting else self._calls_by_keyword

    @property
    def references(self) -> dict[str, list[Scope]]:
        """The scopes in which a name is an argument of a call."""
        return self.whole()._references if self.waiting else self._references

    @property
    def decorated(self) -> list[FunctionScope]:
        """The functions with a decorator."""
        return self.whole()._decorated if self.waiting else self._decorated

    @property
    def comprehended(self) -> set[type]:
        """Which kinds of comprehensions there are."""
        return self.whole()._comprehended if self.waiting else self._comprehended

    @property
    def comparisons(self) -> list[ast.Compare]:
        """All comparisons."""
        return self.whole()._comparisons if self.waiting else self._comparisons

    @property
    def sliced(self) -> list[int]:
        """The lines on which slices begin."""
        return self.whole()._sliced if self.waiting else self._sliced

    def close(self) -> None:
        """Let go of everything, the scopes too."""
        for scope in (*self._scopes, *self.lambdas.values()):
            scope.close()
        found = (self._calls_by_name, self._calls_by_keyword, self._references)
        for held in (self.kept, self.lambdas, self.within, self.outer, *found):
            held.clear()
        self._functions, self._classes, self._scopes, self._decorated = [], [], [], []
        del self.body, self.project

    def block_around(self, node: Node) -> Node:
        """The innermost `with` around a call or yield, or, with one in it, around another expression; else None."""
        if node.__class__ is ast.Call or not self.within:
            return self.within.get(id(node))
        line = node.lineno
        for start, end, block in _blocks(self):
            if start <= line <= end:
                return block
        return None

    def __repr__(self) -> str:
        return f"<ModuleScope {self.name}>"


# --------------------------------------------------------------------------------------------------- whole texts
@cached_per_scope(local=True)
def thrown_away(scope: Scope) -> frozenset[int]:
    """The ids of the expressions that are statements of a scope: what they give is not used."""
    return frozenset(map(id, scope.expressions))


@cached(local=True)
def _called_in_scopes(module: ModuleScope) -> dict[int, set[str]]:
    """The last names of the calls in each scope and in those inside of it, by the scope's id."""
    found: dict[int, set[str]] = {}
    for scope in (*reversed(module.lambdas.values()), *reversed(module._scopes)):  # what is inside comes first
        names = found.setdefault(id(scope), set())
        if scope.calls:
            names |= _last_names(scope.calls)
        if names and scope.parent is not None:
            found.setdefault(id(scope.parent), set()).update(names)
    return found


def _last_names(calls: list[ast.Call]) -> set[str]:
    """The last names of some calls, but for that of Python's own `eval`."""
    names = set(map(last_name, [call.func for call in calls]))
    if "eval" in names and all(is_builtin_eval(call) for call in calls if last_name(call.func) == "eval"):
        names.discard("eval")
    return names


@cached(local=True)
def _lines_on_training(module: ModuleScope) -> list[int]:
    """The lines on which a name may speak of training (`train`, `x_tr`), but for the likes of `pretrained`."""
    text = module.source.text
    lower = text.lower() if text.isascii() else text
    found: list[int] = []
    line, last, at = 1, 0, 0
    for piece in lower.split("tr"):
        ends = piece[:1] in _AFTER_TR or text[at : at + 1].isupper()  # `trImages`
        if at and ends and _on_training(text, lower, at - 2):
            line += text.count("\n", last, at)
            last = at
            found.append(line)
        at += len(piece) + 2
    return found


@cached(local=True)
def _blocks(module: ModuleScope) -> list[tuple[int, int, ast.With | ast.AsyncWith]]:
    """The `with` statements with a call in them, the last one first: where each begins and ends, and itself."""
    found = {id(w): (w.lineno, w.end_lineno or 0, w) for w in module.within.values()}
    return sorted(found.values(), key=lambda b: b[0], reverse=True)


# ------------------------------------------------------------------------------------------------------- small words


def _parameters(arguments: ast.arguments) -> list[Parameter]:
    positional, defaults = arguments.posonlyargs + arguments.args, arguments.defaults
    missing = len(positional) - len(defaults)
    found = [Parameter(a.arg, "positional", a.annotation, None) for a in positional[:missing]]
    for argument, default in zip(positional[missing:], defaults, strict=True):
        found.append(Parameter(argument.arg, "positional", argument.annotation, default))
    if arguments.vararg is not None:
        found.append(Parameter(arguments.vararg.arg, "args", arguments.vararg.annotation, None))
    for argument, keyword in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(Parameter(argument.arg, "keyword", argument.annotation, keyword))
    if arguments.kwarg is not None:
        found.append(Parameter(arguments.kwarg.arg, "kwargs", arguments.kwarg.annotation, None))
    return found
