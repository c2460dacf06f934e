"""The one pass that runs for every file: which scopes are there, and what is written directly in each?

It touches each node once and is written for speed: one visitor per class of nodes, found in a table by the class; names
and constants have none, so most of a tree costs one look-up per node. Statements that mean something to the core have
their own visitor, the commonest expressions one that knows their fields, all others a general one. What a target binds
is left for later (`Scope.settle`).

The pass also counts how deep it is. Most questions about a tree are asked by functions that call themselves, which
Python ends with an error at some depth, and machine code by ending the process. So a tree deeper than `DEEPEST` is not
read at all, whoever runs the pass.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from mllint.errors import SourceError
from mllint.semantics.syntax.aliases import own_names, rename
from mllint.semantics.syntax.module import Binding, BindingKind, ClassScope, FunctionScope, Loop, ModuleScope, Scope
from mllint.semantics.syntax.nodes import FIELDS, LEAVES, Node, last_name, place
from mllint.semantics.syntax.sites import Source

__all__ = ["DEEPEST", "Index", "Visitor", "index", "read"]

DEEPEST = 500
"""Levels of a tree. The deepest in 7 million lines of published code has 119."""
_NEARLY_DEEPEST = DEEPEST - 2  # `x.y` has no more levels below it

Visitor = Callable[["Index", Node, Scope], None]
_TOO_DEEP = "the code is nested too deeply to be read"
_VISITORS: dict[type, Visitor] = {}
_visitor = _VISITORS.get


class Index:
    """The pass over one file, or over a piece of a stub.

    Args:
        module: what is filled.
    """

    __slots__ = ("annotations", "calls_by_keyword", "calls_by_name", "current", "depth", "module", "references")

    def __init__(self, module: ModuleScope) -> None:
        self.module = module
        self.calls_by_name, self.calls_by_keyword = module._calls_by_name, module._calls_by_keyword
        self.references = module._references
        self.current: Node = None  # the innermost `with` around
        self.annotations: set[int] = set()  # the ids of the annotated assignments of the blocks around
        self.depth = 0  # levels above, counted wherever a visitor leads to another

    def measure(self, nodes: Iterable[Node]) -> None:
        """Count the levels of what is not visited, but asked about later: annotations, and what `del` names.

        Raises:
            SourceError: they are too many.
        """
        level = [n for n in nodes if n.end_lineno != n.lineno or n.end_col_offset - n.col_offset > DEEPEST]
        levels = self.depth  # one takes a character at least, so that most are known to be few
        while level:
            levels += 1
            if levels > DEEPEST:
                raise SourceError(_TOO_DEEP)
            children = [getattr(node, field) for node in level for field in FIELDS.get(node.__class__, ())]
            level = [child for child in children if isinstance(child, ast.AST)]
            for several in children:
                if several.__class__ is list:
                    level += [child for child in several if child is not None]

    def each(self, nodes: Iterable[Node], scope: Scope) -> None:
        """Visit statements or expressions.

        Raises:
            SourceError: they are too deep in the tree.
        """
        self.depth += 1
        if self.depth > DEEPEST:
            raise SourceError(_TOO_DEEP)
        for node in nodes:
            visitor = _visitor(node.__class__)
            if visitor is not None:
                visitor(self, node, scope)
        self.depth -= 1
        if self.annotations and nodes.__class__ is list:
            self.without_annotations(nodes)

    def without_annotations(self, block: Node) -> None:
        """Every `x: T = v` becomes `x = v` in its block: who looks for assignments needs to know one kind of them."""
        for i, node in enumerate(block):
            if id(node) in self.annotations:
                plain = ast.Assign(targets=[node.target], value=node.value)
                plain.lineno, plain.col_offset = node.lineno, node.col_offset
                plain.end_lineno, plain.end_col_offset = node.end_lineno, node.end_col_offset
                block[i] = plain
                self.annotations.discard(id(node))

    def visit(self, node: Node, scope: Scope) -> None:
        """Visit one node, or None.

        Raises:
            SourceError: it is too deep in the tree.
        """
        visitor = _visitor(node.__class__)
        if visitor is not None:
            self.depth += 1
            if self.depth > DEEPEST:
                raise SourceError(_TOO_DEEP)
            visitor(self, node, scope)
            self.depth -= 1

    # ------------------------------------------------------------------------------------------------- expressions
    def call(self, node: ast.Call, scope: Scope) -> None:
        scope.calls.append(node)
        if self.current is not None:
            self.module.within[id(node)] = self.current
        func: Node = node.func
        kind = func.__class__
        if kind is ast.Name:
            name = func.id
        elif kind is ast.Attribute:
            name = func.attr
            if func.value.__class__ is not ast.Name or self.depth > _NEARLY_DEEPEST:
                self.visit(func, scope)
        else:
            name = ""
            self.visit(func, scope)
        found = self.calls_by_name.get(name)
        if found is None:
            self.calls_by_name[name] = [(node, scope)]
        else:
            found.append((node, scope))
        argument: Node
        for argument in node.args:
            kind = argument.__class__
            if kind is ast.Name:
                self.references.setdefault(argument.id, []).append(scope)
            elif kind is not ast.Constant:
                self.visit(argument, scope)
        for keyword in node.keywords:
            self.calls_by_keyword.setdefault(keyword.arg or "", []).append((node, scope))
            if keyword.value.__class__ not in LEAVES:
                self.visit(keyword.value, scope)

    def attribute(self, node: Node, scope: Scope) -> None:
        before = self.depth
        while node.__class__ is ast.Attribute:
            self.depth += 1
            node = node.value
        if node.__class__ is not ast.Name or self.depth >= DEEPEST:
            self.each((node,), scope)
        self.depth = before

    def binary(self, node: ast.BinOp, scope: Scope) -> None:
        if node.op.__class__ is ast.Div:
            scope.divides = True
        self.visit(node.left, scope)
        self.visit(node.right, scope)

    def compare(self, node: ast.Compare, scope: Scope) -> None:
        self.module._comparisons.append(node)
        self.visit(node.left, scope)
        self.each(node.comparators, scope)

    def subscript(self, node: ast.Subscript, scope: Scope) -> None:
        self.visit(node.value, scope)
        self.visit(node.slice, scope)

    def elements(self, node: Node, scope: Scope) -> None:
        self.each(node.elts, scope)

    def formatted(self, node: ast.JoinedStr, scope: Scope) -> None:
        self.each(node.values, scope)

    def slice_(self, node: ast.Slice, scope: Scope) -> None:
        scope.slices += 1
        self.module._sliced.append(node.lineno)
        self.each((node.lower, node.upper, node.step), scope)

    def yield_(self, node: Node, scope: Scope) -> None:
        scope.yields.append(node)
        if self.current is not None:
            self.module.within[id(node)] = self.current
        self.visit(node.value, scope)

    def walrus(self, node: ast.NamedExpr, scope: Scope) -> None:
        self.visit(node.value, scope)
        scope.written.append(("assign", node.target, node.value))

    def comprehension(self, node: Node, scope: Scope) -> None:
        self.module._comprehended.add(node.__class__)
        for generator in node.generators:
            self.visit(generator.iter, scope)
            self.target(generator.target, "comp", generator.iter, scope)
            self.each(generator.ifs, scope)
        if node.__class__ is ast.DictComp:
            self.visit(node.key, scope)
            self.visit(node.value, scope)
        else:
            self.visit(node.elt, scope)

    def lambda_(self, node: ast.Lambda, scope: Scope) -> None:
        function = FunctionScope(self.module, node, "<lambda>", scope)
        if function.owner is not None and not any(getattr(s, "value", None) is node for s in function.owner.node.body):
            function.owner = None  # the default of a parameter, or in a table: not bound to `self`
        scope.functions.append(function)
        self.module.lambdas[id(node)] = function
        self.each(node.args.defaults, scope)
        self.each(node.args.kw_defaults, scope)
        self.visit(node.body, function)

    # -------------------------------------------------------------------------------------------------- statements
    def function(self, node: Node, scope: Scope) -> None:
        module = self.module
        function = FunctionScope(module, node, node.name, scope)
        scope.functions.append(function)
        module._functions.append(function)
        module._scopes.append(function)
        if not isinstance(scope, ClassScope):
            scope.written.append(Binding("def", node.name, node, None, scope, extra=function))
        else:
            self._method(node, scope, function)
        if node.decorator_list:
            module._decorated.append(function)
            self.each(node.decorator_list, scope)
        arguments = node.args
        if arguments.defaults or arguments.kw_defaults:
            self.each([*arguments.defaults, *arguments.kw_defaults], scope)
        self.measure(_annotations(node))
        before, self.current = self.current, None
        self.each(node.body, function)
        self.current = before

    def _method(self, node: Node, scope: ClassScope, function: FunctionScope) -> None:
        scope.methods.setdefault(node.name, function)
        if not node.decorator_list:
            scope.written.append(Binding("def", node.name, node, None, scope, extra=function))
            scope.methods[node.name] = function
            return
        if any(isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter") for d in node.decorator_list):
            return
        scope.written.append(Binding("def", node.name, node, None, scope, extra=function))
        if not any(last_name(d) == "overload" for d in node.decorator_list):
            scope.methods[node.name] = function

    def class_(self, node: ast.ClassDef, scope: Scope) -> None:
        cls = ClassScope(self.module, node, scope)
        scope.classes.append(cls)
        self.module._classes.append(cls)
        self.module._scopes.append(cls)
        scope.written.append(Binding("class", node.name, node, None, scope, extra=cls))
        self.each([*node.decorator_list, *node.bases, *(k.value for k in node.keywords)], scope)
        self.each(node.body, cls)

    def assign(self, node: ast.Assign, scope: Scope) -> None:
        value = node.value
        visitor = _visitor(value.__class__)
        if visitor is not None:
            visitor(self, value, scope)
        target: Node
        for target in node.targets:
            scope.written.append(("assign", target, value))
            kind = target.__class__
            if kind is not ast.Name and (
                kind is not ast.Attribute or target.value.__class__ is not ast.Name or self.depth > _NEARLY_DEEPEST
            ):
                self.visit(target, scope)

    def annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        self.visit(node.value, scope)
        self.measure((node.annotation,))
        name = place(node.target)
        if name is not None and (node.value is not None or isinstance(scope, ClassScope) or self.module.is_stub):
            scope.written.append(Binding("assign", name, node.target, node.value, scope, extra=node.annotation))
        if node.value is not None and not (isinstance(scope, ClassScope) or self.module.is_stub):
            self.annotations.add(id(node))

    def augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        if node.op.__class__ is ast.Div:
            scope.divides = True
        self.visit(node.value, scope)
        self.target(node.target, "aug", node, scope)

    def for_(self, node: Node, scope: Scope) -> None:
        scope.loops.append(Loop(node, scope))
        self.visit(node.iter, scope)
        self.target(node.target, "for", node.iter, scope)
        self.each(node.body, scope)
        if node.orelse:
            self.each(node.orelse, scope)

    def while_(self, node: ast.While, scope: Scope) -> None:
        scope.loops.append(Loop(node, scope))
        self.if_(node, scope)

    def if_(self, node: Node, scope: Scope) -> None:
        self.visit(node.test, scope)
        self.each(node.body, scope)
        if node.orelse:
            self.each(node.orelse, scope)

    def with_(self, node: Node, scope: Scope) -> None:
        for item in node.items:
            self.visit(item.context_expr, scope)
            if item.optional_vars is not None:
                self.target(item.optional_vars, "with", item.context_expr, scope)
        before = self.current
        self.module.outer[id(node)] = before
        self.current = node
        self.each(node.body, scope)
        self.current = before

    def try_(self, node: Node, scope: Scope) -> None:
        self.each(node.body, scope)
        for handler in node.handlers:
            scope.handlers.append((node, handler))
            self.visit(handler.type, scope)
            if handler.name:
                scope.written.append(Binding("except", handler.name, handler, handler.type, scope))
            self.each(handler.body, scope)
        self.each(node.orelse, scope)
        self.each(node.finalbody, scope)

    def import_(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            self.module.imports.append((alias.name, 0))
            name = alias.asname or alias.name.partition(".")[0]
            target = alias.name if alias.asname else name
            scope.written.append(Binding("import", name, alias, None, scope, extra=target))

    def from_(self, node: ast.ImportFrom, scope: Scope) -> None:
        source = (node.module or "", node.level or 0)
        self.module.imports.append(source)
        for alias in node.names:
            if alias.name == "*":
                self.module.stars.append(source)
            else:
                name = alias.asname or alias.name
                if name != alias.name:
                    self.module.renamed.append(alias)
                scope.written.append(Binding("from", name, alias, None, scope, extra=(*source, alias.name)))

    def expression(self, node: ast.Expr, scope: Scope) -> None:
        if node.value.__class__ is not ast.Constant:  # a docstring
            scope.expressions.append(node.value)
            self.visit(node.value, scope)

    def return_(self, node: ast.Return, scope: Scope) -> None:
        scope.returns.append(node)
        self.visit(node.value, scope)

    def globals_(self, node: Node, scope: Scope) -> None:
        scope.globals |= frozenset(node.names)

    def delete(self, node: ast.Delete, scope: Scope) -> None:
        self.measure(node.targets)
        for target in node.targets:
            name = place(target)
            if name is not None:
                scope.written.append(Binding("del", name, target, None, scope))

    def capture(self, node: Node, scope: Scope) -> None:
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            scope.written.append(Binding("match", name, node, None, scope))
        self.visit(getattr(node, "pattern", None), scope)
        self.each(getattr(node, "patterns", ()), scope)

    def target(self, node: Node, kind: BindingKind, value: Node, scope: Scope) -> None:
        """What is assigned to; its own expressions (`rows[next(i)]`) are visited."""
        scope.written.append((kind, node, value))
        if node.__class__ is not ast.Name:
            self.visit(node, scope)


def _annotations(node: Node) -> list[Node]:
    """The annotations of a function."""
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    found = [a.annotation for a in named if a is not None and a.annotation is not None]
    if node.returns is not None:
        found.append(node.returns)
    return found


def _general(fields: tuple[str, ...]) -> Visitor:
    """The visitor of a class of nodes that means nothing by itself."""

    def visit(index: Index, node: Node, scope: Scope) -> None:
        for field in fields:
            child = getattr(node, field)
            if child.__class__ is list:
                index.each(child, scope)
            else:
                index.visit(child, scope)

    return visit


_VISITORS.update({cls: _general(fields) for cls, fields in FIELDS.items() if fields})
_VISITORS.update({
    ast.Call: Index.call, ast.Attribute: Index.attribute, ast.BinOp: Index.binary, ast.Subscript: Index.subscript,
    ast.Compare: Index.compare,
    ast.Tuple: Index.elements, ast.List: Index.elements, ast.Set: Index.elements, ast.JoinedStr: Index.formatted,
    ast.BoolOp: Index.formatted, ast.Slice: Index.slice_, ast.Yield: Index.yield_, ast.YieldFrom: Index.yield_,
    ast.NamedExpr: Index.walrus, ast.ListComp: Index.comprehension, ast.SetComp: Index.comprehension,
    ast.GeneratorExp: Index.comprehension, ast.DictComp: Index.comprehension, ast.Lambda: Index.lambda_,
    ast.FunctionDef: Index.function, ast.AsyncFunctionDef: Index.function, ast.ClassDef: Index.class_,
    ast.Assign: Index.assign, ast.AnnAssign: Index.annotated, ast.AugAssign: Index.augmented, ast.For: Index.for_,
    ast.AsyncFor: Index.for_, ast.While: Index.while_, ast.If: Index.if_, ast.With: Index.with_,
    ast.AsyncWith: Index.with_, ast.Try: Index.try_, ast.Import: Index.import_, ast.ImportFrom: Index.from_,
    ast.Expr: Index.expression, ast.Return: Index.return_, ast.Global: Index.globals_, ast.Nonlocal: Index.globals_,
    ast.Delete: Index.delete, ast.MatchAs: Index.capture, ast.MatchStar: Index.capture, ast.MatchMapping: Index.capture,
})  # fmt: skip
if hasattr(ast, "TryStar"):
    _VISITORS[ast.TryStar] = Index.try_


def index(module: ModuleScope) -> None:
    """Read the tree of a module; what was read before is forgotten.

    Raises:
        SourceError: the tree is deeper than `DEEPEST`.
    """
    module.clear()
    Index(module).each(module.tree.body, module.body)
    if module.renamed and not module.is_stub:
        names = own_names(module)
        if names:
            rename(module, names)
            module.clear()
            Index(module).each(module.tree.body, module.body)
            top, known = module.body.bindings, module.body.known
            if known is not None:
                known.update({alias: top[name] for alias, name in names.items() if name in top and alias not in top})


def read(
    name: str, tree: ast.Module, source: Source | None, *, is_stub: bool = False, is_package: bool = False
) -> ModuleScope:
    """The module of a file, indexed.

    Args:
        name: dotted module name.
        tree: its syntax tree.
        source: its text, and whoever maps nodes to spans; None where nobody needs them.
        is_stub: True for the shipped descriptions of libraries.
        is_package: True for an `__init__` file.

    Raises:
        SourceError: the tree is deeper than `DEEPEST`.
    """
    module = ModuleScope(name, tree, source, is_stub=is_stub, is_package=is_package)
    index(module)
    return module
