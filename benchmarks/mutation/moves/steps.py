"""Moves of a step: what the bug was put into, with what goes with it, stands somewhere else.

Each is what somebody does who tidies a script: the step becomes a function, a method, a file. The call stands where the
step stood. Of several steps that could be moved the first one is, in an order by chance, for which nothing declines.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from benchmarks.mutation.moves.carving import Stretch, calling, carve, defining, replace, stretches
from benchmarks.mutation.moves.program import Declined, Program, move
from benchmarks.mutation.moves.scopes import bound_names, parameters, read_names

__all__: list[str] = []

_NAMES = ("proceed", "perform", "carry_out", "work_on")
_CLASSES = ("Worker", "Runner", "Handler")


def first_possible(program: Program, way: Callable[[Program, Stretch], None], everything: bool = False) -> None:
    """Move the first stretch that can be moved in some way, which declines before it changes anything."""
    for stretch in stretches(program):
        try:
            carve(stretch, everything)
            return way(program, stretch)
        except Declined:
            continue
    raise Declined("nothing to move")


def listed(names: list[str]) -> str:
    return ", ".join(names)


# ------------------------------------------------------------------------------------------------------------ functions
@move
def helper(program: Program) -> None:
    """The step is a function of the same file."""

    def way(program: Program, stretch: Stretch) -> None:
        name = program.fresh(*_NAMES)
        function = defining(stretch, name)
        whole = outside(program, stretch, calling(stretch, f"{name}({listed(stretch.takes)})"))
        program.put(whole, [function])

    first_possible(program, way)


def outside(program: Program, stretch: Stretch, new: list[ast.stmt], above: ast.AST | None = None) -> ast.stmt:
    """Put statements where the stretch was, and give the statement of the file (or function) that they are in."""
    whole = program.outermost(stretch.statements[0], above or program.tree)
    replaced = any(whole is statement for statement in stretch.statements)  # it may go on within what is new
    replace(stretch, new)
    return whole if whole in program.parents and not replaced else new[0]


@move
def closure(program: Program) -> None:
    """The step is a function inside of the function, which reads the names of that one, or of one that makes it."""

    def way(program: Program, stretch: Stretch) -> None:
        name = program.fresh(*_NAMES)
        written = bound_names(stretch.statements)
        given = listed([n for n in stretch.takes if n in written])
        function = defining(stretch, name, [n for n in stretch.takes if n in written])
        if not isinstance(stretch.owner, ast.Module) and program.chance.random() < 0.5:
            outer = outside(program, stretch, calling(stretch, f"{name}({given})"), stretch.owner)
            program.put(outer, [function])
            return
        maker = program.fresh("made", "build_it", "prepare_it")
        kept = listed([n for n in stretch.takes if n not in written])
        making = ast.parse(f"def {maker}({kept}):\n    return {name}").body[0]
        making.body.insert(0, function)
        whole = outside(program, stretch, calling(stretch, f"{maker}({kept})({given})"))
        program.put(whole, [making])

    first_possible(program, way)


@move
def partial(program: Program) -> None:
    """The step is a function that is given half of what it takes beforehand."""

    def way(program: Program, stretch: Stretch) -> None:
        name, given = program.fresh(*_NAMES), program.fresh("prepared", "bound", "ready")
        _importable(program, "functools")
        function = defining(stretch, name)
        half = (len(stretch.takes) + 1) // 2
        early = "".join(f", {n}" for n in stretch.takes[:half])
        bind = ast.parse(f"{given} = functools.partial({name}{early})").body
        whole = outside(program, stretch, [*bind, *calling(stretch, f"{given}({listed(stretch.takes[half:])})")])
        program.put(whole, [function])
        _import(program, "functools")

    first_possible(program, way)


@move
def decorator(program: Program) -> None:
    """The step is a function under a decorator that calls it and does nothing else."""

    def way(program: Program, stretch: Stretch) -> None:
        name, deco = program.fresh(*_NAMES), program.fresh("logged", "watched", "reported")
        _importable(program, "functools")
        function = defining(stretch, name)
        function.decorator_list = [ast.Name(deco, ast.Load())]
        text = (
            f"def {deco}(function):\n    @functools.wraps(function)\n    def inner(*args, **kwargs):\n"
            "        result = function(*args, **kwargs)\n        return result\n    return inner"
        )
        whole = outside(program, stretch, calling(stretch, f"{name}({listed(stretch.takes)})"))
        program.put(whole, [*ast.parse(text).body, function])
        _import(program, "functools")

    first_possible(program, way)


def _importable(program: Program, module: str) -> None:
    """Decline if the file calls something else by the name of a module."""
    for node in (n for n in program.tree.body if module in bound_names([n])):
        if not isinstance(node, ast.Import) or not any(a.name == module and not a.asname for a in node.names):
            raise Declined("the name is taken")


def _import(program: Program, module: str) -> None:
    """Import a module at the head of the file, behind its docstring and what must be first."""
    body = program.tree.body
    at = 0
    while at < len(body) and (
        (isinstance(body[at], ast.Expr) and isinstance(body[at].value, ast.Constant))
        or (isinstance(body[at], ast.ImportFrom) and body[at].module == "__future__")
    ):
        at += 1
    body.insert(at, ast.parse(f"import {module}").body[0])
    program.index()


# -------------------------------------------------------------------------------------------------------------- classes
def _working(program: Program, stretch: Stretch, name: str) -> tuple[ast.ClassDef, str]:
    """A class whose method is the step, and the call of it; what the step only reads is kept in the object."""
    written = bound_names(stretch.statements)
    kept = [n for n in stretch.takes if n not in written]
    given = [n for n in stretch.takes if n in written]
    run = program.fresh(*_NAMES)
    function = defining(stretch, run, ["self", *given])
    for statement in function.body:
        _Kept(set(kept)).visit(statement)
    body = "".join(f"\n        self.{n} = {n}" for n in kept) or "\n        pass"
    cls = ast.parse(f"class {name}:\n    def __init__({listed(['self', *kept])}):{body}").body[0]
    cls.body.append(function)
    return cls, f"{name}({listed(kept)}).{run}({listed(given)})"


class _Kept(ast.NodeTransformer):
    """Reads names from the object."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id not in self.names:
            return node
        return ast.Attribute(ast.Name("self", ast.Load()), node.id, node.ctx)


def _shadowed(stretch: Stretch) -> bool:
    """Is a name bound anew inside, by a comprehension, so that it is not one name?"""
    targets = (g.target for s in stretch.statements for n in ast.walk(s) for g in getattr(n, "generators", ()))
    inner = {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    return bool(inner & set(stretch.takes)) or "self" in stretch.takes or "self" in bound_names(stretch.statements)


@move
def method(program: Program) -> None:
    """The step is a method: of the same class, or of a new one that holds what the step reads."""

    def way(program: Program, stretch: Stretch) -> None:
        if stretch.method is not None and "self" in stretch.takes:
            name = program.fresh(*_NAMES)
            cls, function = stretch.method, defining(stretch, name)
            replace(stretch, calling(stretch, f"self.{name}({listed(stretch.takes[1:])})"))
            cls.body.append(function)
            program.index()
            return
        if _shadowed(stretch):
            raise Declined("a name of two meanings")
        cls, call = _working(program, stretch, program.fresh(*_CLASSES))
        whole = outside(program, stretch, calling(stretch, call))
        program.put(whole, [cls])

    first_possible(program, way)


@move
def base_class(program: Program) -> None:
    """The step is inherited: the method around it goes into a base class, or its new class derives from another."""

    def way(program: Program, stretch: Stretch) -> None:
        cls = stretch.method
        if cls is not None:
            _inherit(program, cls, stretch.owner)
            return
        if _shadowed(stretch):
            raise Declined("a name of two meanings")
        name, base = program.fresh(*_CLASSES), program.fresh("Base", "Common", "Foundation")
        worker, call = _working(program, stretch, base)
        derived = ast.parse(f"class {name}({base}):\n    pass").body
        whole = outside(program, stretch, calling(stretch, call.replace(f"{base}(", f"{name}(", 1)))
        program.put(whole, [worker, *derived])

    first_possible(program, way)


def _inherit(program: Program, cls: ast.ClassDef, function: ast.FunctionDef) -> None:
    """Move a method into a new base class."""
    later = {n for s in cls.body for n in read_names(s) if not isinstance(s, ast.FunctionDef)}
    head = {n for d in (*function.decorator_list, *function.args.defaults) for n in read_names(d)}
    private = any(isinstance(n, (ast.Attribute, ast.Name)) and _mangled(n) for n in ast.walk(function))
    names = [getattr(s, "name", "") for s in cls.body]
    if function.name in later or private or head & bound_names(cls.body) or names.count(function.name) > 1:
        raise Declined("the class itself uses it")
    if cls.keywords or any(
        _leaf(d) in ("dataclass", "property") for d in (*cls.decorator_list, *function.decorator_list)
    ):
        raise Declined("a class of another kind")
    base = program.fresh("Base", "Common", "Foundation")
    new = ast.parse(f"class {base}:\n    pass").body[0]
    new.bases, new.body = list(cls.bases), [function]
    cls.body.remove(function)
    cls.body = cls.body or ast.parse("pass").body
    cls.bases = [ast.Name(base, ast.Load())]
    program.index()
    program.put(cls, [new])


def _mangled(node: ast.Attribute | ast.Name) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else node.id
    return name == "__class__" or (name[:2] == "__" and name[-2:] != "__")


def _leaf(node: ast.AST) -> str:
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


# ---------------------------------------------------------------------------------------------------------------- files
@move
def other_file(program: Program) -> None:
    """The step is a function of another file, which imports what it needs; names of the script are handed over."""

    def way(program: Program, stretch: Stretch) -> None:
        name, module = program.fresh(*_NAMES), program.fresh("part", "pieces", "inner_work")
        path, spelled = program.beside(module)
        imports = _imports(program, stretch)
        stretch.takes = [n for n in stretch.takes if n not in imports]
        function = defining(stretch, name)
        whole = outside(program, stretch, calling(stretch, f"{name}({listed(stretch.takes)})"))
        program.put(whole, f"from {spelled} import {name}")
        program.add(path, ast.Module([*dict.fromkeys(imports.values()), function], []))

    first_possible(program, way, everything=True)


def _imports(program: Program, stretch: Stretch) -> dict[str, ast.stmt]:
    """The names that a stretch reads and the file imports, each once and at its top, with the import."""
    read = set().union(*(read_names(s) for s in stretch.statements))
    found: dict[str, ast.stmt] = {}
    body = program.tree.body
    changed = {n for f in ast.walk(program.tree) if isinstance(f, ast.Global) for n in f.names}
    for statement in body:
        if isinstance(statement, ast.ImportFrom) and any(a.name == "*" for a in statement.names):
            raise Declined("nobody knows what it imports")
        bound = bound_names([statement])
        if read & bound & changed or (found.keys() & bound & read and not isinstance(statement, ast.Import)):
            raise Declined("bound twice")
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            found |= dict.fromkeys(bound & read, statement)
    local = set(parameters(stretch.owner)) | (
        bound_names(stretch.owner.body) if stretch.owner is not program.tree else set()
    )
    return {n: s for n, s in found.items() if n not in local}


# ------------------------------------------------------------------------------------------------------------- contexts
@move
def context_manager(program: Program) -> None:
    """A part of the step is what a `with` does on its way in or out."""
    _importable(program, "contextlib")
    for stretch in stretches(program):
        block, stop = stretch.block, stretch.stop
        for split in range(stretch.first + 1, min(stop + 1, len(block))):
            first = Stretch(program, block, stretch.first, split)
            rest = Stretch(program, block, split, max(stop, split + 1))
            for early in program.chance.sample([True, False], 2):
                if _on_the_way(program, first, rest, early):
                    return
    raise Declined("nothing to enter")


def _on_the_way(program: Program, first: Stretch, rest: Stretch, early: bool) -> bool:
    """Put the first part in front of the `yield`, or the rest behind it, if that can be."""
    part, other = (first, rest) if early else (rest, first)
    try:
        carve(part)
    except Declined:
        return False
    late = part.gives or bound_names(other.statements) & set(part.takes) or _jumps(other)
    if late and not early:
        return False  # what runs on the way out is given what was there on the way in, and gives nothing
    name = program.fresh("around", "surrounding", "scope")
    function = defining(part, name, gives=False)
    halt = ast.parse(f"def f():\n    yield {listed(part.gives)}").body[0].body
    function.body = [*part.statements, *halt] if early else [*halt, *part.statements]
    function.decorator_list = [ast.parse("contextlib.contextmanager", mode="eval").body]
    target = f" as ({listed(part.gives)})" if len(part.gives) > 1 else f" as {part.gives[0]}" if part.gives else ""
    entered = ast.parse(f"with {name}({listed(part.takes)}){target}:\n    pass").body[0]
    entered.body = list(other.statements)
    whole = outside(program, Stretch(program, first.block, first.first, rest.stop), [entered])
    program.put(whole, [function])
    _import(program, "contextlib")
    return True


def _jumps(stretch: Stretch) -> bool:
    """Does something leave a stretch, so that what is behind it would not run?"""
    leaves = (ast.Return, ast.Break, ast.Continue, ast.Raise, ast.Yield)
    return any(isinstance(n, leaves) for s in stretch.statements for n in ast.walk(s))
