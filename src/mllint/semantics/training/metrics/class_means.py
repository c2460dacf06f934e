"""Is a score that is written by hand a mean over classes of quotients of counts?

    for c in range(classes):
        hits, wrong = ((guess == c) & (truth == c)).sum(), ((guess == c) & (truth != c)).sum()
        scores.append(hits / (hits + wrong + eps))
    return torch.stack(scores).mean()            # `is_mean_over_classes`

Of a single batch it counts classes that the batch does not hold as zero. Read are the loop, what it counts, and the
list that it fills. Where a class may be left out, by a test or as a number that is none, the mean is of those that are
there; nothing is said of it.
"""

from __future__ import annotations

import ast

from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, all_arguments, is_range_iterable, last_name, place, walk
from mllint.semantics.values.lineage import resolve_name

__all__ = ["is_mean_over_classes", "may_count_classes"]

_STEPS = 3
_MAKING = frozenset("stack tensor array asarray mean".split())
_COUNTS = frozenset(("sum", "count_nonzero"))


def may_count_classes(function: FunctionScope) -> bool:
    """A cheap look: does a function count something in a loop, and append to a list?"""
    return bool(function.loops) and "append" in function.called_names and not _COUNTS.isdisjoint(function.called_names)


def is_mean_over_classes(mean: Node, function: FunctionScope) -> bool:
    """Whether an expression is the mean of a list that a loop over classes fills with quotients of what it counts.

    Args:
        mean: `torch.stack(scores).mean()`, `np.mean(scores)`, `sum(scores) / len(scores)`.
        function: where it is written.
    """
    name = _averaged(mean)
    loops = [run.node for run in function.loops if isinstance(run.node, ast.For) and is_range_iterable(run.node.iter)]
    for loop in loops if name is not None else ():
        match [s.value for s in loop.body if isinstance(s, ast.Expr)]:
            case [ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr="append"), args=[term])] if of == name:
                return _is_plain(loop) and _is_quotient_of_counts(term, place(loop.target) or "", function)
    return False


def _averaged(mean: Node) -> str | None:
    """The list whose mean an expression is."""
    match mean:
        case ast.BinOp(left=ast.Call(func=ast.Name(id="sum"), args=[of]), op=ast.Div()):
            return place(of)
        case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr="mean"), args=[]):
            pass
        case ast.Call(func=ast.Attribute(attr="mean")):
            made = mean
        case _:
            return None
    given = made.args[0] if made.args and last_name(made.func) in _MAKING else None
    return place(given) if isinstance(given, ast.Name) else None


def _is_plain(loop: ast.For) -> bool:
    """Does each iteration of a loop do the same?"""
    return not any(isinstance(n, (ast.If, ast.IfExp, ast.Try, ast.Continue, ast.Break)) for n in walk(loop))


def _is_quotient_of_counts(term: Node, label: str, function: FunctionScope) -> bool:
    """Is a term a quotient, both sides of which are made of counts of what is, or is not, of one class?"""
    quotient = _inside(term, function)
    return (
        isinstance(quotient, ast.BinOp)
        and isinstance(quotient.op, ast.Div)
        and all(_counts_class(side, label, function, _STEPS) for side in (quotient.left, quotient.right))
    )


def _inside(term: Node, function: FunctionScope) -> Node:
    """What a term is without names and conversions: `(tp / n).item()`, `float(f1)`."""
    for _ in range(_STEPS):
        term = resolve_name(term, function)
        match term:
            case ast.Call(func=ast.Attribute(value=inner, attr="item")) | ast.Call(func=ast.Name(), args=[inner]):
                term = inner
    return term


def _counts_class(node: Node, label: str, function: FunctionScope, steps: int) -> bool:
    """Is in an expression, or behind its names, a count of what is compared with the class of the loop?"""
    for inner in walk(node):
        match inner:
            case ast.Call(func=ast.Attribute(attr=attr, value=counted)) if attr in _COUNTS:
                if any(_compares(n, label) for part in (counted, *all_arguments(inner)) for n in walk(part)):
                    return True
            case ast.Name() if steps:
                bound = bound_at(inner, function)
                if len(bound) == 1 and bound[0].kind == "assign" and not bound[0].path:
                    if _counts_class(bound[0].value, label, function, steps - 1):
                        return True
    return False


def _compares(node: Node, label: str) -> bool:
    """Is it a comparison with the class: `guess == c`?"""
    match node:
        case ast.Compare(ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
            return label in (place(node.left), place(right))
    return False
