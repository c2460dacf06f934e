"""The same steps in another function, class or file."""

from __future__ import annotations

import ast
import builtins
import copy
from typing import Any

from tests.metamorphic.program import Program
from tests.metamorphic.syntax import (
    FUNCTIONS,
    Replace,
    bindings,
    fresh,
    head,
    imports,
    loads,
    loops_jump,
    nodes,
    own_nodes,
    parsed,
    stores,
)

__all__ = [
    "body_in_helper",
    "body_in_helper_of_another_file",
    "body_in_method",
    "class_with_state",
    "classes_in_another_file",
    "functions_as_methods",
    "functions_as_static_methods",
    "functions_in_another_file",
    "in_main",
    "in_main_class",
    "outer_body_in_helper",
]

BUILTINS = set(dir(builtins)) | {"__name__", "__file__"}


# ------------------------------------------------------------------------------------------------------- loop bodies
def body_in_helper(program: Program) -> bool:
    """The body of each innermost loop becomes a function in front of it, which gets what it reads."""
    return _extracted(program, innermost=True)


def outer_body_in_helper(program: Program) -> bool:
    """The body of each outermost loop becomes a function."""
    return _extracted(program, innermost=False)


def body_in_helper_of_another_file(program: Program) -> bool:
    """The body of each innermost loop becomes a function of a new file."""
    return _extracted(program, innermost=True, elsewhere="steps_lib")


def body_in_method(program: Program) -> bool:
    """The body of each innermost loop becomes a method of a new class, which gets what it reads."""
    return _extracted(program, innermost=True, method=True)


def _extracted(program: Program, *, innermost: bool, elsewhere: str = "", method: bool = False) -> bool:
    taken = program.names()
    changed = False
    for path, tree in list(program.trees.items()):
        for scope in list(nodes(tree, ast.Module, *FUNCTIONS)):
            every = [n for n in own_nodes(scope.body) if isinstance(n, ast.For)]
            inside = {id(n) for loop in every for n in own_nodes(loop.body) if isinstance(n, ast.For)}
            for loop in every:
                deep = any(isinstance(n, (ast.For, ast.While)) for n in own_nodes(loop.body))
                if (innermost and deep) or (not innermost and id(loop) in inside):
                    continue
                inputs = _inputs(tree, scope, loop)
                if inputs is None or (elsewhere and "/" in path):
                    continue
                if elsewhere and _needs(loop.body, tree, set(inputs)):
                    continue
                name = fresh(taken, "step_helper")
                (helper,) = parsed(f"def {name}({', '.join(inputs)}):\n    pass")
                helper.body = loop.body
                prefix = f"{name}("
                top: Any = helper
                if method:
                    (top,) = parsed(f"class {name.title().replace('_', '')}:\n    pass")
                    top.body = [helper]
                    helper.args.args.insert(0, ast.arg("self_"))
                    prefix = f"{top.name}().{name}("
                loop.body = parsed(prefix + ", ".join(inputs) + ")")
                loop.body[0].origin = loop.origin
                if elsewhere:
                    _put_elsewhere(program, tree, elsewhere, [top], [name])
                else:
                    tree.body.insert(_index(tree, scope, loop), top)
                changed = True
    return changed


def _inputs(tree: ast.Module, scope: Any, loop: Any) -> list[str] | None:
    """What the body of a loop has to be given; None when it cannot be a function of its own."""
    body = loop.body
    inner = list(own_nodes(body))
    if any(
        isinstance(
            n,
            (
                *FUNCTIONS,
                ast.ClassDef,
                ast.Lambda,
                ast.Global,
                ast.Nonlocal,
                ast.Delete,
                ast.Yield,
                ast.YieldFrom,
                ast.Await,
                ast.NamedExpr,
                ast.Import,
                ast.ImportFrom,
            ),
        )
        for n in inner
    ):
        return None
    if loops_jump(body) or any(isinstance(n, ast.Name) and n.id in ("super", "__class__", "locals") for n in inner):
        return None
    if any(isinstance(s, ast.Assign) and "super" in ast.unparse(s) for s in body):
        return None
    bound = stores(body)
    if bound & (
        _read_outside(scope, loop)
        | ({n for f in nodes(tree, *FUNCTIONS) for n in loads(f.body)} if isinstance(scope, ast.Module) else set())
    ):
        return None
    comprehended = {n.id for c in inner if isinstance(c, ast.comprehension) for n in nodes(c.target, ast.Name)}
    bound -= comprehended
    if comprehended & (bound | loads(body) & stores([loop.target])):
        return None
    if _carried(body, bound):
        return None
    given = stores(scope.body) if not isinstance(scope, ast.Module) else _variables(scope)
    given |= {a.arg for a in nodes(scope.args, ast.arg)} if not isinstance(scope, ast.Module) else set()
    if not isinstance(scope, ast.Module):
        outer = loads(body) - given - bound - BUILTINS - set(bindings(ast.Module(tree.body, []))) - comprehended
        top = {n for s in tree.body for n in stores([s])}
        closed = loads(body) - given - bound - BUILTINS - top - comprehended
        if closed or outer - closed:
            return None  # a variable of an enclosing function, or unbound
    return sorted((loads(body) & given) - bound - comprehended)


def _variables(tree: ast.Module) -> set[str]:
    """The variables of a script: what it binds at the top level that is neither import, function nor class."""
    found = stores(tree.body)
    for node in own_nodes(tree.body):
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found.discard(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found -= {a.asname or a.name.partition(".")[0] for a in node.names}
    return found


def _read_outside(scope: Any, loop: Any) -> set[str]:
    """Names that a scope reads outside the body of a loop (the loop's own header included)."""
    inside = {id(n) for s in loop.body for n in ast.walk(s)}
    return {
        n.id for n in ast.walk(scope) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in inside
    }


def _carried(body: list[ast.stmt], bound: set[str]) -> bool:
    """Is a name that the body binds perhaps read before that, from the round before?"""
    sure: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            if statement.target.id not in sure:
                return True
        reads = loads([statement.value]) if isinstance(statement, ast.Assign) else loads([statement])
        if isinstance(statement, (ast.Assign, ast.Expr)):
            if (reads & bound) - sure:
                return True
            sure |= stores([statement]) if isinstance(statement, ast.Assign) else set()
        else:
            if isinstance(statement, ast.With):
                first = stores([statement]) - sure
                if first and not _carried(statement.body, bound - sure):
                    sure |= {n for s in statement.body for n in stores([s]) if isinstance(s, ast.Assign)}
                    if any(
                        isinstance(n, ast.Name) and n.id in bound - sure for i in statement.items for n in ast.walk(i)
                    ):
                        return True
                    continue
            touched = stores([statement]) | {
                n.target.id
                for n in own_nodes([statement])
                if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)
            }
            if (reads | touched) & bound - sure:
                return True
    return False


def _needs(body: list[Any], tree: ast.Module, given: set[str]) -> set[str]:
    """The names that statements need of their file, besides imports."""
    own = set(bindings(ast.Module(body, [])))
    return loads(body) - given - own - BUILTINS - {bound for _, _, bound, _ in imports(tree)}


def _index(tree: ast.Module, scope: Any, loop: Any) -> int:
    """Where a function can stand that the top level statement around a loop calls."""
    holder = loop if isinstance(scope, ast.Module) else scope
    for at, statement in enumerate(tree.body):
        if any(node is holder for node in ast.walk(statement)):
            return at
    return len(tree.body)


def _put_elsewhere(program: Program, tree: ast.Module, module: str, moved: list[Any], names: list[str]) -> None:
    """Definitions go to another file, with the imports that they need, and are imported from there."""
    path = f"{module}.py"
    target = program.trees.setdefault(path, ast.Module([], []))
    for definition in moved:
        target.body.append(definition)
    own = {bound for _, _, bound, _ in imports(target)}
    needed = {n for d in moved for n in loads([d])}
    for statement, alias, bound, _ in imports(tree):
        if bound in needed and bound not in own:
            new = copy.copy(statement)
            new.names = [alias]
            target.body.insert(0, new)
            own.add(bound)
    at = head(tree.body)
    tree.body[at:at] = parsed(f"from {module} import {', '.join(d.name for d in moved)}")


# --------------------------------------------------------------------------------------------------- whole functions
def functions_in_another_file(program: Program) -> bool:
    """Functions that need nothing of their file but imports go to a new file."""
    return _moved(program, FUNCTIONS, "functions_lib")


def classes_in_another_file(program: Program) -> bool:
    """Classes that need nothing of their file but imports go to a new file."""
    return _moved(program, (ast.ClassDef,), "classes_lib")


def _moved(program: Program, kinds: tuple[type, ...], module: str) -> bool:
    changed = False
    elsewhere = {a.name for tree in program.trees.values() for n in nodes(tree, ast.ImportFrom) for a in n.names}
    for path, tree in list(program.trees.items()):
        if "/" in path:
            continue
        count = bindings(tree)
        moved: list[Any] = []
        for statement in tree.body:
            if not isinstance(statement, kinds) or count[statement.name] != 1 or statement.name in elsewhere:
                continue
            if (
                not _needs([statement], tree, {m.name for m in moved})
                and not any(isinstance(n, ast.Global) for n in ast.walk(statement))
                and len(kinds) <= 2
            ):
                moved.append(statement)
        if kinds is FUNCTIONS:  # a function that nobody calls stays: it is where the program starts
            called = loads(tree.body)
            moved = [f for f in moved if f.name in called]
        if moved:
            tree.body = [s for s in tree.body if s not in moved]
            _put_elsewhere(program, tree, module, moved, [])
            changed = True
            break
    return changed


def functions_as_methods(program: Program) -> bool:
    """`def f(x)` becomes `class FSteps: def f(self, x)`, and `f(1)` becomes `FSteps().f(1)`."""
    return _in_classes(program, static=False)


def functions_as_static_methods(program: Program) -> bool:
    """`def f(x)` becomes a static method, and `f(1)` becomes `FSteps.f(1)`."""
    return _in_classes(program, static=True)


def _in_classes(program: Program, *, static: bool) -> bool:
    taken = program.names()
    elsewhere = {a.name for tree in program.trees.values() for n in nodes(tree, ast.ImportFrom) for a in n.names}
    changed = False
    for tree in program.trees.values():
        count = bindings(tree)
        called = {c.func.id for c in nodes(tree, ast.Call) if isinstance(c.func, ast.Name)}
        for at, function in enumerate(tree.body):
            if not isinstance(function, ast.FunctionDef) or function.decorator_list or count[function.name] != 1:
                continue
            uses = [n for n in nodes(tree, ast.Name) if n.id == function.name]
            calls = [c for c in nodes(tree, ast.Call) if isinstance(c.func, ast.Name) and c.func.id == function.name]
            if function.name in elsewhere or function.name not in called or len(uses) != len(calls):
                continue
            if any(n.id == "self_" for n in nodes(function, ast.Name)):
                continue
            (cls,) = parsed(f"class {fresh(taken, function.name.title().replace('_', '') + 'Steps')}:\n    pass")
            cls.body = [function]
            if static:
                function.decorator_list = [ast.Name("staticmethod", ast.Load())]
            else:
                function.args.args.insert(0, ast.arg("self_"))
            tree.body[at] = cls
            for call in calls:
                owner = cls.name if static else f"{cls.name}()"
                call.func = ast.Attribute(ast.parse(owner, mode="eval").body, function.name, ast.Load())
            changed = True
    return changed


# ------------------------------------------------------------------------------------------------------ main programs
def in_main(program: Program) -> bool:
    """The statements of a script become `def main()` with a guard below."""
    return bool(_mains(program))


def _mains(program: Program) -> list[tuple[ast.Module, Any]]:
    taken = program.names()
    elsewhere = {a.name for tree in program.trees.values() for n in nodes(tree, ast.ImportFrom) for a in n.names}
    elsewhere |= {n.attr for tree in program.trees.values() for n in nodes(tree, ast.Attribute)}
    found = []
    for tree in program.trees.values():
        stay, move = [], []
        for statement in tree.body:
            definition = isinstance(statement, (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom))
            (stay if definition or statement in tree.body[: head(tree.body)] else move).append(statement)
        own = stores(move)
        read = {n for s in stay for n in loads([s])}
        guarded = any(isinstance(s, ast.If) and "__name__" in ast.unparse(s.test) for s in move)
        late = any(isinstance(n, ast.Global) for n in ast.walk(tree))
        starred = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in ast.walk(tree))
        if not move or own & (read | elsewhere) or guarded or late or starred or _read_unbound(move, own, set()):
            continue
        if any(isinstance(s, (ast.Import, ast.ImportFrom)) for m in move for s in ast.walk(m)):
            continue
        name = fresh(taken, "main")
        function = parsed(f"def {name}():\n    pass")[0]
        function.body = move
        tree.body = [*stay, function, *parsed(f"if __name__ == '__main__':\n    {name}()")]
        found.append((tree, function))
    return found


def _read_unbound(body: list[ast.stmt], own: set[str], seen: set[str]) -> bool:
    """Is one of a script's names read before anything can have bound it? As a local variable it would be an error."""
    for statement in body:
        inner = [getattr(statement, f, None) or [] for f in ("body", "orelse", "finalbody")]
        nested = [s for block in inner for s in block] if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)) else []
        nested += [s for h in getattr(statement, "handlers", ()) for s in h.body]
        deeper = {id(n) for s in nested for n in ast.walk(s)}
        header = [n for n in ast.walk(statement) if isinstance(n, ast.Name) and id(n) not in deeper]
        read = {n.id for n in header if isinstance(n.ctx, ast.Load)}
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            read.add(statement.target.id)
        bound = {n.id for n in header if not isinstance(n.ctx, ast.Load)}
        if isinstance(statement, (ast.For, ast.With)) or any(
            isinstance(n, ast.comprehension) for n in ast.walk(statement)
        ):
            read -= bound
        if (read & own) - seen:
            return True
        seen |= bound | ({statement.name} if isinstance(statement, (*FUNCTIONS, ast.ClassDef)) else set())
        if _read_unbound(nested, own, seen):
            return True
    return False


def in_main_class(program: Program) -> bool:
    """A script becomes a class: what it builds first are attributes, the rest is `run`."""
    changed = [_with_state(tree, function) for tree, function in _mains(program)]
    return any(changed)


def class_with_state(program: Program) -> bool:
    """`def f(a, b)` becomes a class that keeps its arguments and what it builds first, with a method for the rest."""
    changed = False
    elsewhere = {a.name for tree in program.trees.values() for n in nodes(tree, ast.ImportFrom) for a in n.names}
    for tree in program.trees.values():
        for function in list(tree.body):
            if isinstance(function, ast.FunctionDef) and function.name not in elsewhere:
                uses = [n for n in nodes(tree, ast.Name) if n.id == function.name]
                calls = [c for c in nodes(tree, ast.Call) if c.func in uses]
                if len(uses) == len(calls) and bindings(tree)[function.name] == 1:
                    changed |= _with_state(tree, function)
    return changed


def _with_state(tree: ast.Module, function: Any) -> bool:
    """Turn a function into a class with `__init__` and `run`; callers of it are rewritten."""
    arguments = [a.arg for a in function.args.args]
    if (
        function.decorator_list
        or function.args.vararg
        or function.args.kwarg
        or function.args.kwonlyargs
        or function.args.posonlyargs
    ):
        return False
    if any(
        isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.ClassDef))
        for n in ast.walk(function)
    ):
        return False
    if any(n.id in ("self", function.name) for n in nodes(function, ast.Name)) or "self" in arguments:
        return False
    body = function.body[head(function.body) :]
    size = 0
    while (
        size < len(body)
        and isinstance(body[size], (ast.Assign, ast.Expr))
        and not isinstance(getattr(body[size], "targets", [None])[0], (ast.Attribute, ast.Subscript))
    ):
        size += 1
    built = [
        n.id for s in body[:size] for n in own_nodes([s]) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]
    state = {*arguments, *built}
    again = stores(body[size:]) | {n for f in nodes(function, *FUNCTIONS) if f is not function for n in stores(f.body)}
    inner = {
        a.arg for f in [*nodes(function, *FUNCTIONS, ast.Lambda)] if f is not function for a in nodes(f.args, ast.arg)
    }
    inner |= {n.id for c in nodes(function, ast.comprehension) for n in nodes(c.target, ast.Name)}
    if size == len(body) or not state or len(built) != len(set(built)) or state & (again | inner):
        return False
    if set(built) & set(arguments):
        return False
    (cls,) = parsed("class StatefulRun:\n    def __init__(self):\n        pass\n    def run(self):\n        pass")
    cls.name = function.name.title().replace("_", "") + "Run"
    start, run = cls.body
    start.args = function.args
    start.args.args.insert(0, ast.arg("self"))
    kept = parsed("\n".join(f"self.{a} = {a}" for a in arguments))
    attribute = Replace(lambda n: ast.Attribute(ast.Name("self", ast.Load()), n.id, n.ctx) if n.id in state else None)
    start.body = [*kept, *(attribute.visit(s) for s in body[:size])] or [ast.Pass()]
    run.body = [attribute.visit(s) for s in body[size:]]
    for call in nodes(tree, ast.Call):
        if isinstance(call.func, ast.Name) and call.func.id == function.name:
            made = ast.Call(ast.Name(cls.name, ast.Load()), call.args, call.keywords)
            call.func, call.args, call.keywords = ast.Attribute(made, "run", ast.Load()), [], []
    tree.body[tree.body.index(function)] = cls
    return True
