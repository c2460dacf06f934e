"""The same steps with something harmless between or around them, or in another shape."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tests.metamorphic.program import Program
from tests.metamorphic.syntax import (
    FUNCTIONS,
    add_import,
    bindings,
    blocks,
    fresh,
    head,
    last,
    loads,
    nodes,
    own_nodes,
    parsed,
    simple,
)

__all__ = [
    "annotated",
    "asserts",
    "assigned_together",
    "assigned_twice",
    "branches_swapped",
    "counted",
    "early_continue",
    "formatted_prints",
    "if_true",
    "in_try_finally",
    "inlined",
    "iterated_by_hand",
    "logged",
    "nested_with",
    "null_context",
    "passes",
    "progress_bar",
    "reordered",
    "temporaries",
    "unrelated_code",
    "zipped",
]


# -------------------------------------------------------------------------------------------------------- in between
def passes(program: Program) -> bool:
    """`pass` between all statements."""
    return _between(program, lambda names: parsed("pass"))


def asserts(program: Program) -> bool:
    """An assertion between all statements."""
    return _between(program, lambda names: parsed(f"assert {names[-1]} is not None" if names else "assert True"))


def logged(program: Program) -> bool:
    """A log message, with what was just assigned, between all statements."""
    for tree in program.trees.values():
        add_import(tree, "import logging")
    return _between(program, lambda names: parsed(f"logging.info('at %s', {names[-1] if names else 1})"))


def _between(program: Program, make: Callable[[list[str]], list[Any]]) -> bool:
    for tree in program.trees.values():
        read = loads([tree])
        for owner, block in list(blocks(tree)):
            if isinstance(owner, ast.ExceptHandler):
                continue  # what a handler does about an error is no matter of layout
            new: list[ast.stmt] = block[: head(block)]
            for statement in block[head(block) :]:
                new.append(statement)
                last_one = isinstance(statement, (ast.Return, ast.Break, ast.Continue, ast.Raise))
                if (
                    not last_one
                    and not isinstance(owner, ast.ClassDef)
                    and not isinstance(statement, (ast.Import, ast.ImportFrom))
                ):
                    small = isinstance(statement, ast.Assign) and len(statement.targets) == 1
                    target = statement.targets[0] if isinstance(statement, ast.Assign) and small else None
                    new += make([target.id] if isinstance(target, ast.Name) and target.id in read else [])
            block[:] = new
    return True


def unrelated_code(program: Program) -> bool:
    """A class and a function that nothing uses, at the end of each file."""
    text = (
        "class UnusedThing:\n    def __init__(self, size):\n        self.size = size\n\n"
        "    def area(self):\n        return self.size ** 2\n\n\n"
        "def unused_function(path):\n    with open(path) as stream:\n        return [line.strip() for line in stream]\n"
    )
    for tree in program.trees.values():
        tree.body += parsed(text)
    return True


# ------------------------------------------------------------------------------------------------------------ around
def _bodies(program: Program) -> list[list[ast.stmt]]:
    """The bodies of loops and functions, innermost last."""
    found = []
    for tree in program.trees.values():
        for node in nodes(tree, *FUNCTIONS, ast.For, ast.While):
            if len(node.body) > head(node.body):
                found.append(node.body)
    return found


def if_true(program: Program) -> bool:
    """`if True:` around the body of each loop and function."""
    return _around(program, "if True:\n    pass")


def in_try_finally(program: Program) -> bool:
    """`try: ... finally: pass` around the body of each loop and function."""
    return _around(program, "try:\n    pass\nfinally:\n    pass")


def null_context(program: Program) -> bool:
    """`with contextlib.nullcontext():` around the body of each loop and function."""
    for tree in program.trees.values():
        add_import(tree, "import contextlib")
    return _around(program, "with contextlib.nullcontext():\n    pass")


def _around(program: Program, text: str) -> bool:
    bodies = _bodies(program)
    for body in bodies:
        keep = head(body)
        (wrapper,) = parsed(text)
        wrapper.body = body[keep:]
        body[keep:] = [wrapper]
    return bool(bodies)


def nested_with(program: Program) -> bool:
    """`with a, b:` becomes two statements, and two become one."""
    changed = False
    for tree in program.trees.values():
        for node in list(nodes(tree, ast.With)):
            if len(node.items) > 1:
                inner = ast.With(node.items[1:], node.body)
                inner.origin = node.origin
                node.items, node.body = node.items[:1], [inner]
                changed = True
            elif len(node.body) == 1 and isinstance(node.body[0], ast.With) and node.items:
                inner = node.body[0]
                node.items, node.body = [*node.items, *inner.items], inner.body
                inner.items = []
                changed = True
    return changed


# ------------------------------------------------------------------------------------------------------------- loops
def counted(program: Program) -> bool:
    """`for x in y` becomes `for i, x in enumerate(y)`."""
    return _iterating(program, lambda node, i: ("({i}, None)", "enumerate(None)"), "")


def progress_bar(program: Program) -> bool:
    """`for x in y` becomes `for x in tqdm(y, desc="...")`."""
    return _iterating(
        program, lambda node, i: ("None", "tqdm_bar(None, desc='running')"), "from tqdm import tqdm as tqdm_bar"
    )


def zipped(program: Program) -> bool:
    """`for x in y` becomes `for x, i in zip(y, itertools.count())`."""
    return _iterating(program, lambda node, i: ("(None, {i})", "zip(None, itertools.count())"), "import itertools")


def _iterating(program: Program, shape: Callable[[Any, str], tuple[str, str]], imported: str) -> bool:
    taken = program.names()
    changed = False
    for tree in program.trees.values():
        found = False
        for node in nodes(tree, ast.For):
            if isinstance(node.iter, ast.Call) and last(node.iter.func) in ("enumerate", "tqdm", "zip"):
                continue
            target, iterable = shape(node, "")
            node.target = _filled(target.replace("{i}", fresh(taken, "i")), node.target, ast.Store())
            node.iter = _filled(iterable, node.iter, None)
            found = changed = True
        if found and imported:
            add_import(tree, imported)
    return changed


def _filled(text: str, inner: Any, context: Any) -> Any:
    """The expression with `None` replaced."""
    new = ast.parse(text, mode="eval").body
    if isinstance(new, ast.Constant) and new.value is None:
        return inner
    for node in ast.walk(new):
        if context is not None and hasattr(node, "ctx"):
            node.ctx = context
        for part in ("elts", "args"):
            values = getattr(node, part, [])
            for index, value in enumerate(values):
                if isinstance(value, ast.Constant) and value.value is None:
                    values[index] = inner
    return new


def iterated_by_hand(program: Program) -> bool:
    """`for x, y in loader` becomes `batches = iter(loader); for i in range(len(loader)): x, y = next(batches)`."""
    taken = program.names()
    changed = False
    for tree in program.trees.values():
        for _, block in list(blocks(tree)):
            for at, node in reversed(list(enumerate(block))):
                if isinstance(node, ast.For) and simple(node.iter) and "load" in last(node.iter) and not node.orelse:
                    name, index = fresh(taken, "batches"), fresh(taken, "i")
                    loader = ast.unparse(node.iter)
                    (draw,) = parsed(f"None = next({name})".replace("None", "x", 1))
                    draw.targets = [node.target]
                    node.target = ast.Name(index, ast.Store())
                    node.body.insert(0, draw)
                    node.iter = ast.parse(f"range(len({loader}))", mode="eval").body
                    block[at:at] = parsed(f"{name} = iter({loader})")
                    changed = True
    return changed


def early_continue(program: Program) -> bool:
    """`if c: body` at the end of a loop becomes `if not c: continue` and the body."""
    changed = False
    for tree in program.trees.values():
        for node in nodes(tree, ast.For, ast.While):
            final = node.body[-1]
            if isinstance(final, ast.If) and not final.orelse:
                body, final.body = final.body, [ast.Continue()]
                final.test = ast.UnaryOp(ast.Not(), final.test)
                node.body += body
                changed = True
    return changed


def branches_swapped(program: Program) -> bool:
    """`if c: a else: b` becomes `if not c: b else: a`."""
    changed = False
    for tree in program.trees.values():
        for node in nodes(tree, ast.If):
            if node.orelse:
                node.body, node.orelse = node.orelse, node.body
                node.test = ast.UnaryOp(ast.Not(), node.test)
                changed = True
    return changed


# -------------------------------------------------------------------------------------------------- assignments
def temporaries(program: Program) -> bool:
    """`loss = f(g(x), h(y))` becomes `t1 = g(x); t2 = h(y); loss = f(t1, t2)`: receivers and arguments of calls."""
    taken = program.names()
    changed = False
    for tree in program.trees.values():
        for owner, block in list(blocks(tree)):
            if isinstance(owner, ast.ClassDef):
                continue
            new: list[ast.stmt] = []
            for statement in block:
                value = getattr(statement, "value", None)
                fits = isinstance(statement, (ast.Assign, ast.Expr, ast.Return)) and isinstance(value, ast.Call)
                hoisted = _hoist(value, taken) if fits else []
                for extra in hoisted:
                    extra.origin = statement.origin
                new += [*hoisted, statement]
                changed |= bool(hoisted)
            block[:] = new
    return changed


def _hoist(call: Any, taken: set[str]) -> list[Any]:
    """Take the operands of a call out, in the order in which they are evaluated."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return []
    if any(isinstance(n, (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)) for n in ast.walk(call)):
        return []
    found: list[Any] = []

    def out(node: Any) -> Any:
        busy = isinstance(node, (ast.BinOp, ast.Subscript)) or any(isinstance(n, ast.Call) for n in ast.walk(node))
        if not busy or isinstance(node, ast.Lambda):
            return node
        if isinstance(node, ast.Call):
            found.extend(_hoist(node, taken))
        name = fresh(taken, "t")
        assignment = ast.Assign([ast.Name(name, ast.Store())], node)
        found.append(assignment)
        return ast.Name(name, ast.Load())

    if isinstance(call.func, ast.Attribute):
        if isinstance(call.func.value, ast.Call) and last(call.func.value.func) == "super":
            return []
        call.func.value = out(call.func.value)
    call.args = [out(a) for a in call.args]
    for keyword in call.keywords:
        keyword.value = out(keyword.value)
    return found


def inlined(program: Program) -> bool:
    """`out = f(x); loss = g(out, y)` becomes `loss = g(f(x), y)` where `out` is read once, at once."""
    changed = False
    for tree in program.trees.values():
        for scope in list(nodes(tree, ast.Module, *FUNCTIONS)):
            names = [n for n in own_nodes(scope.body) if isinstance(n, ast.Name)]
            counted = {n.id: sum(m.id == n.id for m in nodes(tree, ast.Name)) for n in names}
            for owner in (o for o in [scope, *own_nodes(scope.body)] if isinstance(getattr(o, "body", None), list)):
                block = owner.body
                at = 0
                while at + 1 < len(block):
                    first, second = block[at], block[at + 1]
                    name = _read_first(first, second)
                    if name and counted.get(name) == 2 and bindings(tree).get(name) == 1:
                        _put_first(second, first.value)
                        program.merged[first.origin] = second.origin
                        del block[at]
                        changed = True
                    at += 1
    return changed


def _read_first(first: Any, second: Any) -> str:
    """The name that a statement binds and the next one reads before it does anything else."""
    if not (isinstance(first, ast.Assign) and len(first.targets) == 1 and isinstance(first.targets[0], ast.Name)):
        return ""
    place = _first_read(second)
    return first.targets[0].id if place is not None and place[1].id == first.targets[0].id else ""


def _first_read(statement: Any) -> tuple[Any, Any] | None:
    """The holder and the name that a statement evaluates first: the first argument of its outermost call."""
    call = getattr(statement, "value", None)
    if not isinstance(statement, (ast.Assign, ast.Expr, ast.Return)) or not isinstance(call, ast.Call) or not call.args:
        return None
    return (call, call.args[0]) if simple(call.func) and isinstance(call.args[0], ast.Name) else None


def _put_first(statement: Any, value: Any) -> None:
    found = _first_read(statement)
    assert found is not None
    found[0].args[0] = value


def assigned_together(program: Program) -> bool:
    """`a = f(); b = g()` becomes `a, b = f(), g()` where neither reads the other."""
    changed = False
    for tree in program.trees.values():
        for owner, block in list(blocks(tree)):
            at = 0
            while at + 1 < len(block) and not isinstance(owner, ast.ClassDef):
                first, second = block[at], block[at + 1]
                if _plain(first) and _plain(second) and _apart(first, second):
                    pair = ast.Assign(
                        [ast.Tuple([first.targets[0], second.targets[0]], ast.Store())],
                        ast.Tuple([first.value, second.value], ast.Load()),
                    )
                    pair.origin = first.origin
                    block[at : at + 2] = [pair]
                    changed = True
                at += 1
    return changed


def reordered(program: Program) -> bool:
    """Neighbours that build independent objects change places, and so do neighbouring definitions."""
    changed = False
    for tree in program.trees.values():
        for owner, block in list(blocks(tree)):
            at = 0
            while at + 1 < len(block) and not isinstance(owner, ast.ClassDef):
                first, second = block[at], block[at + 1]
                built = (
                    _plain(first) and _plain(second) and _builds(first) and _builds(second) and _apart(first, second)
                )
                if built or (_defined(first) and _defined(second)):
                    block[at], block[at + 1] = second, first
                    changed = True
                    at += 1
                at += 1
    return changed


def assigned_twice(program: Program) -> bool:
    """`x = f()` becomes `x = result = f()`."""
    taken = program.names()
    changed = False
    for tree in program.trees.values():
        for owner, block in list(blocks(tree)):
            for statement in block:
                if _plain(statement) and not isinstance(owner, ast.ClassDef):
                    statement.targets.append(ast.Name(fresh(taken, "result"), ast.Store()))
                    changed = True
    return changed


def _plain(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name)
    )


def _apart(first: Any, second: Any) -> bool:
    one, two = first.targets[0].id, second.targets[0].id
    return one != two and one not in loads([second]) and two not in loads([first])


def _builds(statement: Any) -> bool:
    """Only constants, names and constructors: nothing draws random numbers or changes anything."""
    for node in ast.walk(statement.value):
        if isinstance(node, ast.Call) and not last(node.func)[:1].isupper() and last(node.func) != "parameters":
            return False
        if isinstance(node, (ast.Subscript, ast.Await, ast.NamedExpr, ast.Yield)):
            return False
    return True


def _defined(statement: Any) -> bool:
    return (
        isinstance(statement, FUNCTIONS)
        and not statement.decorator_list
        and not (
            statement.args.defaults
            or statement.args.kw_defaults
            or any(a.annotation for a in nodes(statement.args, ast.arg))
        )
    )


def annotated(program: Program) -> bool:
    """`x = f()` becomes `x: Any = f()`, and functions say that they take and give anything."""
    for tree in program.trees.values():
        declared = {name for node in nodes(tree, ast.Global, ast.Nonlocal) for name in node.names}
        for _, block in list(blocks(tree)):
            for at, statement in enumerate(block):
                if _plain(statement) and statement.targets[0].id not in declared:
                    new = ast.AnnAssign(statement.targets[0], ast.Name("Any", ast.Load()), statement.value, 1)
                    new.origin = statement.origin
                    block[at] = new
        for function in nodes(tree, *FUNCTIONS):
            for argument in nodes(function.args, ast.arg):
                if argument.annotation is None and argument.arg not in ("self", "cls"):
                    argument.annotation = ast.Name("Any", ast.Load())
        add_import(tree, "from typing import Any")
    return True


def formatted_prints(program: Program) -> bool:
    """`print(a, b)` becomes `print(f"{a} {b}")`."""
    changed = False
    for tree in program.trees.values():
        for call in nodes(tree, ast.Call):
            if (
                last(call.func) == "print"
                and call.args
                and not any(isinstance(a, (ast.Starred, ast.JoinedStr, ast.Constant)) for a in call.args)
            ):
                values: list[Any] = []
                for argument in call.args:
                    values += [ast.Constant(" ")] * bool(values) + [ast.FormattedValue(argument, -1)]
                call.args = [ast.JoinedStr(values)]
                changed = True
    return changed
