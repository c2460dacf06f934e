"""Take a stretch of statements out of a function or script: what it must be given, and what it gives back.

The stretch becomes the body of a function of its own. Names that it reads before it binds them are parameters, names
that it binds and that are read elsewhere are results. That means the same only if no control leaves the stretch other
than at its end, if every parameter is surely bound where it begins and every result where it ends, and if nobody else
looks at its names while it runs; where that is not certain, the move declines.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from benchmarks.mutation.moves.program import Declined, Program
from benchmarks.mutation.moves.scopes import Reading, bound_names, inner_reads, own, parameters, read_names

__all__ = ["Stretch", "calling", "carve", "defining", "replace", "stretches"]

_JUMPS = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Delete, ast.Global, ast.Nonlocal, ast.Lambda)
_DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.AsyncFor, ast.AsyncWith)
_SEES_SCOPE = {"super", "locals", "vars", "globals", "eval", "exec", "dir", "__class__", "__file__", "__name__"}
_LOOPS = (ast.For, ast.While)


class Stretch:
    """Some statements of one block, one after another."""

    def __init__(self, program: Program, block: list[ast.stmt], first: int, stop: int) -> None:
        self.program, self.block, self.first, self.stop = program, block, first, stop
        self.statements = block[first:stop]
        self.owner = program.owner(self.statements[0])
        self.takes: list[str] = []
        self.gives: list[str] = []

    @property
    def method(self) -> ast.ClassDef | None:
        """The class, where the stretch is in a method with a `self`."""
        cls = self.program.parents.get(self.owner)
        plain = isinstance(cls, ast.ClassDef) and parameters(self.owner)[:1] == ["self"]
        return cls if plain and not any(isinstance(d, ast.Name) for d in self.owner.decorator_list) else None


def stretches(program: Program) -> Iterator[Stretch]:
    """The stretches worth moving, in an order by chance: what was edited, with what may be blamed, or a loop's body."""
    found: dict[tuple[int, int, int], Stretch] = {}
    for edited in sorted(program.edited, key=lambda n: n.lineno):
        for block, first, stop in _around(program, edited):
            rest = block[first:stop]
            if all(isinstance(s, ast.Pass) for s in rest) or any(isinstance(s, _DEFINES) for s in rest):
                continue
            if not isinstance(program.owner(rest[0]), ast.ClassDef):
                found.setdefault((id(block), first, stop), Stretch(program, block, first, stop))
    chosen = list(found.values())
    program.chance.shuffle(chosen)
    return iter(chosen)


def _around(program: Program, edited: ast.AST) -> Iterator[tuple[list[ast.stmt], int, int]]:
    """The stretches around a statement that was edited."""
    if isinstance(edited, ast.ExceptHandler):
        edited = program.parents[edited]
    while not isinstance(edited, ast.Module):
        if isinstance(edited, ast.stmt):
            block = program.block(edited)
            at = next(i for i, s in enumerate(block) if s is edited)
            if not isinstance(edited, _DEFINES):
                yield block, at, at + 1
            for among in (program.edited, program.blamed):
                held = [i for i, s in enumerate(block) if _holds(s, among) and not isinstance(s, _DEFINES)]
                if at in held:
                    yield block, min(held), max(held) + 1
            if isinstance(program.parents[edited], _LOOPS) and block is program.parents[edited].body:
                yield block, 0, len(block)
                return
            if isinstance(edited, _DEFINES):
                return
        edited = program.parents[edited]


def _holds(statement: ast.stmt, among: set[ast.AST]) -> bool:
    return any(n in among for n in ast.walk(statement))


# -------------------------------------------------------------------------------------------------------------- carving
def carve(stretch: Stretch, everything: bool = False) -> None:
    """Work out what a stretch takes and gives, or decline.

    Args:
        stretch: The statements.
        everything: Does it go where the file's own names are not known, so that it has to be given them, too?
    """
    program, owner = stretch.program, stretch.owner
    _stays_inside(stretch)
    inside, bound_after = _exposed(stretch.statements)
    written = bound_names(stretch.statements)
    before = _bound_before(stretch)
    outer = _enclosing(program, owner)
    local = _local(owner) | outer
    known = before | outer
    if written & _looked_at(stretch) or written & outer:
        raise Declined("somebody else reads what it binds")
    takes = (inside & local) if not isinstance(owner, ast.Module) else inside & written
    if everything:
        takes |= inside & _global_names(program)
    gives = written & (_read_elsewhere(stretch) | inside) if not isinstance(owner, ast.Module) else set(written)
    takes |= {n for n in gives if n not in bound_after}
    known |= _global_names(program) - local if not isinstance(owner, ast.Module) else set()
    if not takes <= known:
        raise Declined("not surely bound")
    if gives and any(isinstance(n, ast.Try) for n in _within(program, stretch.statements[0], owner)):
        raise Declined("half of it may be seen")
    stretch.takes, stretch.gives = _sorted(takes), _sorted(gives)


def _exposed(statements: list[ast.stmt]) -> tuple[set[str], set[str]]:
    reading = Reading().block(statements)
    return reading.exposed, reading.bound


def _sorted(names: set[str]) -> list[str]:
    """`self` first."""
    return sorted(names, key=lambda n: (n != "self", n))


def _stays_inside(stretch: Stretch) -> None:
    """Decline if control or a name leaves the stretch in another way."""
    mangled = isinstance(stretch.program.parents.get(stretch.owner), ast.ClassDef)
    shared = {n for g in own_all(stretch.owner) if isinstance(g, (ast.Global, ast.Nonlocal)) for n in g.names}
    for statement in stretch.statements:
        for node in ast.walk(statement):
            if isinstance(node, (*_JUMPS, *_DEFINES)) or (isinstance(node, ast.ImportFrom) and node.level):
                raise Declined("it does more than to run")
            if isinstance(node, ast.Name) and (node.id in _SEES_SCOPE or node.id in shared):
                raise Declined("it sees its scope")
            if mangled and isinstance(node, ast.Attribute) and node.attr[:2] == "__" and node.attr[-2:] != "__":
                raise Declined("a private name")
            if isinstance(node, ast.GeneratorExp) and not isinstance(stretch.program.parents[node], ast.Call):
                raise Declined("read later")
        if any(_leaves(statement)):
            raise Declined("it leaves the loop")


def own_all(owner: ast.AST) -> Iterator[ast.AST]:
    """What is in the scope of a function or file."""
    for statement in owner.body:
        yield from own(statement)


def _leaves(node: ast.AST) -> Iterator[ast.AST]:
    """The `break` and `continue` of a loop around."""
    if isinstance(node, (ast.Break, ast.Continue)):
        yield node
    for child in ast.iter_child_nodes(node):
        if isinstance(node, _LOOPS) and child not in node.orelse:
            continue
        yield from _leaves(child)


def _local(owner: ast.AST) -> set[str]:
    return set(parameters(owner)) | bound_names(owner.body)


def _enclosing(program: Program, owner: ast.AST) -> set[str]:
    """The names of the functions around a function."""
    around = [n for n in program.up(owner) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return set().union(*(_local(n) for n in around))


def _global_names(program: Program) -> set[str]:
    """The names that the file itself binds."""
    return bound_names(program.tree.body)


def _looked_at(stretch: Stretch) -> set[str]:
    """The names of the scope that functions read, which may run while the stretch does."""
    return inner_reads(stretch.owner.body)


def _read_elsewhere(stretch: Stretch) -> set[str]:
    """The names that the rest of the function reads."""
    inside = {n for s in stretch.statements for n in ast.walk(s) if hasattr(n, "lineno")}  # contexts are shared
    return _reads_without(stretch.owner.body, inside)


def _reads_without(nodes: list[ast.AST], inside: set[ast.AST]) -> set[str]:
    found: set[str] = set()
    for node in (n for n in nodes if n not in inside):
        if any(n in inside for n in ast.walk(node)):
            found |= _reads_without(list(ast.iter_child_nodes(node)), inside)
        else:
            found |= read_names(node)
    return found


def _within(program: Program, statement: ast.stmt, owner: ast.AST) -> Iterator[ast.AST]:
    """What encloses a statement in its function."""
    for above in program.up(statement):
        if above is owner:
            return
        yield above


def _bound_before(stretch: Stretch) -> set[str]:
    """The names that are surely bound where a stretch begins."""
    program, owner = stretch.program, stretch.owner
    chain = [stretch.statements[0], *_within(program, stretch.statements[0], owner)]
    reading = Reading(parameters(owner))
    above: ast.AST = owner
    for statement in reversed([n for n in chain if isinstance(n, (ast.stmt, ast.ExceptHandler, ast.match_case))]):
        for value in (v for _, v in ast.iter_fields(above) if isinstance(v, list)):
            at = next((i for i, s in enumerate(value) if s is statement), None)
            if at is not None and isinstance(value[0], ast.stmt):
                reading.block(value[:at])
        if isinstance(statement, ast.For) and len(chain) > 1 and _in_body(chain, statement):
            reading.bound |= bound_names([statement.target])
        elif isinstance(statement, ast.With):
            reading.bound |= bound_names(i.optional_vars for i in statement.items if i.optional_vars)
        elif isinstance(statement, ast.ExceptHandler) and statement.name:
            reading.bound.add(statement.name)
        above = statement
    return reading.bound


def _in_body(chain: list[ast.AST], loop: ast.For) -> bool:
    """Is the next one of the chain, inwards, in the body of the loop?"""
    at = next(i for i, n in enumerate(chain) if n is loop)
    return at > 0 and chain[at - 1] in loop.body


# ------------------------------------------------------------------------------------------------------------- building
def defining(stretch: Stretch, name: str, takes: list[str] | None = None, gives: bool = True) -> ast.FunctionDef:
    """The function that the stretch becomes; without `gives` it returns nothing."""
    names = stretch.takes if takes is None else takes
    function = ast.parse(f"def {name}({', '.join(names)}):\n    pass").body[0]
    function.body = list(stretch.statements)
    if stretch.gives and gives:
        function.body += ast.parse(f"def f():\n    return {', '.join(stretch.gives)}").body[0].body
    return function


def calling(stretch: Stretch, call: str) -> list[ast.stmt]:
    """The statement that calls what the stretch became."""
    text = f"{', '.join(stretch.gives)} = {call}" if stretch.gives else call
    return ast.parse(text).body


def replace(stretch: Stretch, new: list[ast.stmt]) -> None:
    """Put statements where the stretch was; the call of what is to blame may be blamed."""
    held = any(_holds(s, stretch.program.blamed) for s in stretch.statements)
    stretch.block[stretch.first : stretch.stop] = new
    if held:
        stretch.program.blamed.add(new[-1])
    stretch.program.index()
