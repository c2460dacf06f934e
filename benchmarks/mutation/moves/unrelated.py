"""Moves that add something unknown beside the step: what it cannot touch, it must not excuse.

Each brings an object of a library that nobody can read, under an import of its own, or a second model. Nothing of the
program is handed to it and nothing of it is handed to the program.
"""

from __future__ import annotations

import ast

from benchmarks.mutation.moves.program import Declined, Program, move

__all__ = ["LIBRARY"]

LIBRARY = "strangers"
"""The library that nobody can read."""

_OPTIONS = """class {cls}:
    def __init__(self, given):
        for key, value in given.items():
            setattr(self, key, value)
"""


def _place(program: Program) -> ast.stmt:
    """The statement of the function (or file) around what was edited, in front of which something may stand."""
    for edited in sorted(program.edited, key=lambda n: n.lineno):
        owner = program.owner(edited)
        if isinstance(owner, (ast.FunctionDef, ast.Module)):
            found = program.outermost(edited, owner)
            head = isinstance(owner, ast.Module) and isinstance(found, (ast.Import, ast.ImportFrom))
            if not head and isinstance(found, ast.stmt):
                return found
    raise Declined("no statement of a function")


def _needs(program: Program, *modules: str) -> None:
    """Import modules in front of the statement of the file that was edited first."""
    body = program.tree.body
    at = next((i for i, s in enumerate(body) if not _first(s)), len(body))
    body[at:at] = ast.parse("\n".join(f"import {m}" for m in modules)).body
    program.index()


def _first(statement: ast.stmt) -> bool:
    """Must a statement be the first: a docstring, an import from the future?"""
    future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
    return future or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))


def _checked(program: Program) -> None:
    if LIBRARY in program.words:
        raise Declined("the library is in use")


@move
def loads_backbone(program: Program) -> None:
    """An unknown model gets the weights of an unknown file."""
    _checked(program)
    name = program.fresh("backbone", "pretrained", "extractor")
    program.put(_place(program), f"{name} = {LIBRARY}.build()\n{name}.load_state_dict({LIBRARY}.weights())")
    _needs(program, LIBRARY)


@move
def shows_settings(program: Program) -> None:
    """The attributes of unknown settings are printed: `vars(args)`."""
    _checked(program)
    name = program.fresh("args", "settings", "options")
    program.put(_place(program), f"{name} = {LIBRARY}.settings()\nprint(sorted(vars({name})))")
    _needs(program, LIBRARY)


@move
def sets_attributes(program: Program) -> None:
    """An object of settings sets its attributes by name: `setattr(self, key, value)`."""
    _checked(program)
    name, cls = program.fresh("config", "settings", "options"), program.fresh("Options", "Config", "Namespace")
    place = _place(program)
    program.put(program.outermost(place, program.tree), _OPTIONS.format(cls=cls))
    program.put(place, f"{name} = {cls}({LIBRARY}.values())")
    _needs(program, LIBRARY)


@move
def calls_back(program: Program) -> None:
    """Unknown callbacks are told that the step begins."""
    _checked(program)
    name, one = program.fresh("callbacks", "hooks", "listeners"), program.fresh("callback", "hook", "listener")
    place = _place(program)
    edited = next(n for n in program.edited if any(n is below for below in ast.walk(place)))
    loop = next((n for n in program.up(edited) if isinstance(n, (ast.For, ast.While)) and _inside(n, place)), None)
    telling = f"for {one} in {name}:\n    {one}.on_batch_begin()"
    program.put(place, f"{name} = {LIBRARY}.callbacks()" + ("" if loop else f"\n{telling}"))
    if loop:
        program.put(loop.body[0], telling)
    _needs(program, LIBRARY)


def _inside(node: ast.AST, above: ast.AST) -> bool:
    return any(node is n for n in ast.walk(above))


@move
def second_model(program: Program) -> None:
    """Another model is built, and another optimizer for it, and both are left alone."""
    name, other = program.fresh("second", "teacher", "auxiliary"), program.fresh("second_optimizer", "other_optimizer")
    imported = {a.name for n in program.tree.body if isinstance(n, ast.Import) for a in n.names if not a.asname}
    if "torch" not in imported:
        raise Declined("no torch")
    place = _place(program)
    imports = [n for n in program.tree.body if isinstance(n, ast.Import) and any(a.name == "torch" for a in n.names)]
    if program.outermost(place, program.tree).lineno < imports[0].lineno:
        raise Declined("torch is not there yet")
    code = f"{name} = torch.nn.Linear(2, 2)\n{other} = torch.optim.SGD({name}.parameters(), lr=0.1)"
    program.put(place, f"{code}\nprint({name}(torch.zeros(1, 2)), {other}.param_groups)")
