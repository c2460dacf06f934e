"""One file as the core sees it: scopes, bindings, calls, classes, functions, from a single indexed pass.

The pass answers "what is written here", never "what does it mean": which names a scope binds and where, which calls it
makes, which loops, handlers and returns it has. Meaning is asked later and lazily (`names`, `evaluate`, `flow`). A stub
and a file of the user's are the same kind of Module; so is the module body a Function without parameters.

The pass is table-driven and touches each node once; it is the only part of the core that runs for every file.
"""

from __future__ import annotations

import _ast as ast
from collections.abc import Iterator

from mllint._typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from mllint.semantics.names import Reaching
    from mllint.semantics.project import Project

__all__ = ["Binding", "Class", "Function", "Loop", "Module", "Parameter", "Scope", "place", "walk"]

_SKIP = frozenset("ctx op ops id attr arg name names kind type_comment n s lineno module level conversion rest".split())
_LEAVES = (ast.Name, ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.Import, ast.ImportFrom)
FIELDS: dict[type, tuple[str, ...]] = {
    cls: tuple(field for field in cls._fields if field not in _SKIP)
    for cls in vars(ast).values()
    if isinstance(cls, type) and issubclass(cls, ast.AST) and cls not in _LEAVES
}
FIELDS[ast.keyword] = ("value",)
FIELDS[ast.Constant] = FIELDS[ast.Name] = ()
_REVERSED = {cls: fields[::-1] for cls, fields in FIELDS.items()}
FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class Binding:
    """One place in the source where a name or a place (`self.x`) receives a value.

    `kind` is "param", "assign", "aug", "for", "with", "import", "from", "def", "class", "except", "match", "del" or
    "comp". `value` is the expression that is bound (the iterable for "for" and "comp", the context manager for "with");
    `path` leads into it for unpacking: `(a, (b, c)) = v` binds c by path (1, 1); None stands for a starred rest.
    """

    __slots__ = ("extra", "kind", "name", "node", "path", "scope", "value")

    def __init__(
        self,
        kind: str,
        name: str,
        node: Any,
        value: Any,
        scope: Scope,
        path: tuple[int | None, ...] = (),
        extra: Any = None,
    ) -> None:
        self.kind, self.name, self.node, self.value = kind, name, node, value
        self.scope, self.path, self.extra = scope, path, extra

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name} line {getattr(self.node, 'lineno', 0)}>"


class Parameter(NamedTuple):
    """A parameter: `kind` is "positional", "keyword", "args" or "kwargs"."""

    name: str
    kind: str
    annotation: Any
    default: Any


class Loop(NamedTuple):
    """A `for` or `while` statement of one scope."""

    node: Any
    scope: Scope


class Scope:
    """What is written directly in a module body, a function or a class body (nested scopes have their own)."""

    __slots__ = (
        "bindings", "calls", "classes", "expressions", "functions", "globals", "handlers", "loops", "module", "name",
        "node",
        "parent", "qualname", "returns", "slices", "yields",
    )  # fmt: skip

    def __init__(self, module: Module, node: Any, name: str, parent: Scope | None) -> None:
        self.module, self.node, self.name, self.parent = module, node, name, parent
        self.qualname: str = f"{parent.qualname}.{name}" if parent and parent.qualname else name
        self.bindings: dict[str, list[Binding]] = {}
        self.calls: list[ast.Call] = []
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.loops: list[Loop] = []
        self.handlers: list[tuple[ast.Try, ast.ExceptHandler]] = []
        self.returns: list[ast.Return] = []
        self.yields: list[Any] = []
        self.expressions: list[ast.expr] = []
        self.slices = 0
        self.globals: set[str] = set()

    def bind(self, binding: Binding) -> None:
        """Record a binding under its name or place."""
        found = self.bindings.get(binding.name)
        if found is None:
            self.bindings[binding.name] = [binding]
        else:
            found.append(binding)
        self.module.binding_at[id(binding.node), binding.name] = binding

    def __repr__(self) -> str:
        return f"<{self.__class__.__name__} {self.module.name}:{self.qualname}>"


class Function(Scope):
    """A function, method, lambda, or the body of a module (`is_body`)."""

    __slots__ = ("_effects", "_names", "_reaching", "owner", "parameters", "stubbed")

    def __init__(self, module: Module, node: Any, name: str, parent: Scope | None) -> None:
        super().__init__(module, node, name, parent)
        self.owner: Class | None = parent if isinstance(parent, Class) else None
        self.parameters: list[Parameter] = [] if isinstance(node, ast.Module) else list(_parameters(node.args))
        self._reaching: Reaching | None = None
        self._effects: Any = None
        self._names: frozenset[str] | None = None
        self.stubbed = module.is_stub

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
        return getattr(self.node, "decorator_list", [])

    @property
    def is_generator(self) -> bool:
        """Does calling it return an iterator over its yields?"""
        return bool(self.yields)

    @property
    def called_names(self) -> frozenset[str]:
        """The last names of all calls in the function, nested functions and its own decorators included: a
        cheap filter."""
        if self._names is None:
            names = {
                last_name(call.func) for scope in self.nested() for call in scope.calls if not _is_builtin_eval(call)
            }
            names.update(last_name(d.func if isinstance(d, ast.Call) else d) for d in self.decorators)
            self._names = frozenset(names)
        return self._names

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
        return any(last_name(d.func if isinstance(d, ast.Call) else d) in names for d in self.decorators)

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name."""
        return next((p for p in self.parameters if p.name == name), None)


class Class(Scope):
    """A class: its own scope and the expressions of its bases. Its meaning (MRO) is asked of `classes`."""

    __slots__ = ("_attributes", "_mro", "methods")

    def __init__(self, module: Module, node: ast.ClassDef, parent: Scope | None) -> None:
        super().__init__(module, node, node.name, parent)
        self.methods: dict[str, Function] = {}
        self._mro: Any = None
        self._attributes: dict[str, Any] = {}

    @property
    def fullname(self) -> str:
        """Dotted name of the module and the class in it."""
        return f"{self.module.name}.{self.qualname}"


class Module:
    """One parsed file and its index.

    Args:
        name: dotted module name.
        tree: its syntax tree.
        source: whoever maps nodes to spans (opaque to the core).
        is_stub: True for the shipped descriptions of libraries.
        is_package: True for an `__init__` file (relative imports start here).
    """

    def __init__(
        self, name: str, tree: ast.Module, source: Any, *, is_stub: bool = False, is_package: bool = False
    ) -> None:
        self.name, self.tree, self.source = name, tree, source
        self.is_stub, self.is_package = is_stub, is_package
        self.project: Project | None = None
        self.binding_at: dict[tuple[int, str], Binding] = {}
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.scopes: list[Scope] = []
        self.imports: list[tuple[str, int]] = []
        self.lambdas: dict[int, Function] = {}
        self.stars: list[tuple[str, int]] = []
        self.calls_by_name: dict[str, list[tuple[ast.Call, Scope]]] = {}
        self.calls_by_keyword: dict[str, list[tuple[ast.Call, Scope]]] = {}
        self.references: dict[str, int] = {}
        self.effects: dict[Any, Any] = {}
        self.within: dict[int, Any] = {}
        self.outer: dict[int, Any] = {}
        self.body = Function(self, tree, "", None)
        self.functions.append(self.body)
        self.scopes.append(self.body)
        _Index(self).block(tree.body, self.body)

    def __repr__(self) -> str:
        return f"<Module {self.name}>"


# ------------------------------------------------------------------------------------------------ the indexing pass
class _Index:
    """The pass: `block` for statements, `visit` for anything, one handler per node class that matters."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.calls_by_name = module.calls_by_name
        self.current: Any = None

    def block(self, body: list[ast.stmt], scope: Scope) -> None:
        visit = self.visit
        for statement in body:
            visit(statement, scope)

    def visit(self, node: Any, scope: Scope) -> None:
        kind = node.__class__
        handler = _HANDLERS.get(kind)
        if handler is not None:
            handler(self, node, scope)
            return
        for field in FIELDS.get(kind, ()):
            child = getattr(node, field)
            if child.__class__ is list:
                for item in child:
                    if item.__class__ not in _SILENT:
                        self.visit(item, scope)
            elif child is not None and child.__class__ not in _SILENT:
                self.visit(child, scope)

    def call(self, node: ast.Call, scope: Scope) -> None:
        scope.calls.append(node)
        if self.current is not None:
            self.module.within[id(node)] = self.current
        func = node.func
        kind = func.__class__
        name = func.attr if kind is ast.Attribute else func.id if kind is ast.Name else ""  # type: ignore[attr-defined]
        found = self.calls_by_name.get(name)
        if found is None:
            self.calls_by_name[name] = [(node, scope)]
        else:
            found.append((node, scope))
        if kind is not ast.Name:
            self.visit(func, scope)
        for argument in node.args:
            kind = argument.__class__
            if kind is ast.Name:
                self.module.references[argument.id] = 1  # type: ignore[attr-defined]
            elif kind not in _SILENT:
                self.visit(argument, scope)
        for keyword in node.keywords:
            self.module.calls_by_keyword.setdefault(keyword.arg or "", []).append((node, scope))
            if keyword.value.__class__ not in _SILENT:
                self.visit(keyword.value, scope)

    def function(self, node: Any, scope: Scope) -> None:
        function = Function(self.module, node, node.name, scope)
        scope.functions.append(function)
        self.module.functions.append(function)
        self.module.scopes.append(function)
        scope.bind(Binding("def", node.name, node, None, scope, extra=function))
        if isinstance(scope, Class):
            scope.methods.setdefault(node.name, function)
            if any(isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter") for d in node.decorator_list):
                scope.bindings[node.name].pop()
            elif not any(last_name(d) == "overload" for d in node.decorator_list):
                scope.methods[node.name] = function
        for decorator in node.decorator_list:
            self.visit(decorator, scope)
        self._signature(node.args, scope, function)
        before, self.current = self.current, None
        self.block(node.body, function)
        self.current = before

    def _signature(self, arguments: ast.arguments, scope: Scope, function: Function) -> None:
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default, scope)
        for parameter in function.parameters:
            function.bind(Binding("param", parameter.name, parameter, None, function))

    def lambda_(self, node: ast.Lambda, scope: Scope) -> None:
        function = Function(self.module, node, "<lambda>", scope)
        scope.functions.append(function)
        self.module.lambdas[id(node)] = function
        self._signature(node.args, scope, function)
        self.visit(node.body, function)

    def class_(self, node: ast.ClassDef, scope: Scope) -> None:
        cls = Class(self.module, node, scope)
        scope.classes.append(cls)
        self.module.classes.append(cls)
        self.module.scopes.append(cls)
        scope.bind(Binding("class", node.name, node, None, scope, extra=cls))
        for expression in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
            self.visit(expression, scope)
        self.block(node.body, cls)

    def assign(self, node: ast.Assign, scope: Scope) -> None:
        self.visit(node.value, scope)
        for target in node.targets:
            self.target(target, "assign", node.value, scope, ())

    def annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self.visit(node.value, scope)
        name = place(node.target)
        if name is not None and (node.value is not None or isinstance(scope, Class) or self.module.is_stub):
            scope.bind(Binding("assign", name, node.target, node.value, scope, extra=node.annotation))

    def augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        self.visit(node.value, scope)
        self.target(node.target, "aug", node, scope, ())

    def walrus(self, node: ast.NamedExpr, scope: Scope) -> None:
        self.visit(node.value, scope)
        self.target(node.target, "assign", node.value, scope, ())

    def for_(self, node: Any, scope: Scope) -> None:
        scope.loops.append(Loop(node, scope))
        self.visit(node.iter, scope)
        self.target(node.target, "for", node.iter, scope, ())
        self.block(node.body, scope)
        self.block(node.orelse, scope)

    def while_(self, node: ast.While, scope: Scope) -> None:
        scope.loops.append(Loop(node, scope))
        self.visit(node.test, scope)
        self.block(node.body, scope)
        self.block(node.orelse, scope)

    def with_(self, node: Any, scope: Scope) -> None:
        for item in node.items:
            self.visit(item.context_expr, scope)
            if item.optional_vars is not None:
                self.target(item.optional_vars, "with", item.context_expr, scope, ())
        before = self.current
        self.module.outer[id(node)] = before
        self.current = node
        self.block(node.body, scope)
        self.current = before

    def try_(self, node: Any, scope: Scope) -> None:
        self.block(node.body, scope)
        for handler in node.handlers:
            scope.handlers.append((node, handler))
            if handler.type is not None:
                self.visit(handler.type, scope)
            if handler.name:
                scope.bind(Binding("except", handler.name, handler, handler.type, scope))
            self.block(handler.body, scope)
        self.block(node.orelse, scope)
        self.block(node.finalbody, scope)

    def import_(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            self.module.imports.append((alias.name, 0))
            name = alias.asname or alias.name.partition(".")[0]
            target = alias.name if alias.asname else name
            scope.bind(Binding("import", name, alias, None, scope, extra=target))

    def from_(self, node: ast.ImportFrom, scope: Scope) -> None:
        source = (node.module or "", node.level or 0)
        self.module.imports.append(source)
        for alias in node.names:
            if alias.name == "*":
                self.module.stars.append(source)
            else:
                scope.bind(Binding("from", alias.asname or alias.name, alias, None, scope, extra=(*source, alias.name)))

    def expression(self, node: ast.Expr, scope: Scope) -> None:
        scope.expressions.append(node.value)
        if node.value.__class__ not in _SILENT:
            self.visit(node.value, scope)

    def return_(self, node: ast.Return, scope: Scope) -> None:
        scope.returns.append(node)
        if node.value is not None:
            self.visit(node.value, scope)

    def yield_(self, node: Any, scope: Scope) -> None:
        scope.yields.append(node)
        if node.value is not None:
            self.visit(node.value, scope)

    def slice_(self, node: ast.Slice, scope: Scope) -> None:
        scope.slices += 1
        for bound in (node.lower, node.upper, node.step):
            if bound is not None and bound.__class__ not in _SILENT:
                self.visit(bound, scope)

    def globals_(self, node: Any, scope: Scope) -> None:
        scope.globals.update(node.names)

    def delete(self, node: ast.Delete, scope: Scope) -> None:
        for target in node.targets:
            name = place(target)
            if name is not None:
                scope.bind(Binding("del", name, target, None, scope))

    def comprehension(self, node: Any, scope: Scope) -> None:
        for generator in node.generators:
            self.visit(generator.iter, scope)
            self.target(generator.target, "comp", generator.iter, scope, ())
            for condition in generator.ifs:
                self.visit(condition, scope)
        for field in ("elt", "key", "value"):
            child = getattr(node, field, None)
            if child is not None:
                self.visit(child, scope)

    def capture(self, node: Any, scope: Scope) -> None:
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            scope.bind(Binding("match", name, node, None, scope))
        for pattern in (getattr(node, "pattern", None), *getattr(node, "patterns", ())):
            if pattern is not None:
                self.visit(pattern, scope)

    def target(self, node: Any, kind: str, value: Any, scope: Scope, path: tuple[int | None, ...]) -> None:
        """Bind the names and places of an assignment target."""
        if isinstance(node, (ast.Tuple, ast.List)):
            for index, element in enumerate(node.elts):
                if isinstance(element, ast.Starred):
                    self.target(element.value, kind, value, scope, (*path, None))
                else:
                    self.target(element, kind, value, scope, (*path, index))
            return
        name = place(node)
        if isinstance(node, ast.Subscript):
            self.visit(node.value, scope)
            if not isinstance(node.slice, ast.Constant):
                self.visit(node.slice, scope)
        elif isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Name):
            self.visit(node.value, scope)
        if name is not None:
            extra = None if kind != "aug" else "aug"
            scope.bind(Binding(kind, name, node, value, scope, path, extra))


_SILENT = frozenset({ast.Name, ast.Constant, ast.Pass, ast.Break, ast.Continue, str, int, type(None)})
_HANDLERS: dict[type, Any] = {
    ast.Call: _Index.call, ast.FunctionDef: _Index.function, ast.AsyncFunctionDef: _Index.function,
    ast.Lambda: _Index.lambda_, ast.ClassDef: _Index.class_, ast.Assign: _Index.assign, ast.AnnAssign: _Index.annotated,
    ast.AugAssign: _Index.augmented, ast.NamedExpr: _Index.walrus, ast.For: _Index.for_, ast.AsyncFor: _Index.for_,
    ast.While: _Index.while_, ast.With: _Index.with_, ast.AsyncWith: _Index.with_, ast.Try: _Index.try_,
    ast.Import: _Index.import_, ast.ImportFrom: _Index.from_, ast.Expr: _Index.expression, ast.Return: _Index.return_,
    ast.Yield: _Index.yield_, ast.YieldFrom: _Index.yield_, ast.Global: _Index.globals_, ast.Nonlocal: _Index.globals_,
    ast.Delete: _Index.delete, ast.ListComp: _Index.comprehension, ast.SetComp: _Index.comprehension,
    ast.GeneratorExp: _Index.comprehension, ast.DictComp: _Index.comprehension, ast.MatchAs: _Index.capture,
    ast.Slice: _Index.slice_, ast.MatchStar: _Index.capture, ast.MatchMapping: _Index.capture,
}  # fmt: skip
if hasattr(ast, "TryStar"):
    _HANDLERS[ast.TryStar] = _Index.try_


# ------------------------------------------------------------------------------------------------------- small words
def place(node: Any) -> str | None:
    """The place an expression names: `x`, `self.x`, `x.y.z`, `x["k"]`, `x[0]`; None for anything else."""
    kind = node.__class__
    if kind is ast.Name:
        return node.id  # type: ignore[no-any-return]
    if kind is ast.Attribute:
        inner = place(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    if kind is ast.Subscript and node.slice.__class__ is ast.Constant:
        inner = place(node.value)
        return None if inner is None else f"{inner}[{node.slice.value!r}]"
    if kind is ast.Starred:
        return place(node.value)
    return None


def last_name(node: Any) -> str:
    """`step` of `self.optimizer.step`; empty when the expression has no name."""
    kind = node.__class__
    return node.attr if kind is ast.Attribute else node.id if kind is ast.Name else ""


def _is_builtin_eval(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "eval"


def walk(node: Any) -> Iterator[Any]:
    """All nodes below and including `node`, in source order of fields; nested functions and classes included."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        for field in _REVERSED.get(current.__class__, ()):
            child = getattr(current, field)
            if child.__class__ is list:
                stack.extend([c for c in reversed(child) if c is not None])
            elif child is not None:
                stack.append(child)


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    for index, argument in enumerate(positional):
        default = arguments.defaults[index - missing] if index >= missing else None
        yield Parameter(argument.arg, "positional", argument.annotation, default)
    if arguments.vararg:
        yield Parameter(arguments.vararg.arg, "args", arguments.vararg.annotation, None)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield Parameter(argument.arg, "keyword", argument.annotation, default)
    if arguments.kwarg:
        yield Parameter(arguments.kwarg.arg, "kwargs", arguments.kwarg.annotation, None)
