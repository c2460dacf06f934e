"""Is something compared with NaN?

NaN equals nothing, so that `==` never holds and `!=` always does. The question is about the value on either side,
whatever it is called. `x != x` is a test for NaN and is left alone; so is `is`, which finds the one object `np.nan` in
a table of plain objects, but not in what was just computed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, check
from mllint.semantics.api import Module, Site, finite, text

__all__: list[str] = []

_HOLDS = "the check holds for every value, NaN or not"
_UNEQUAL = "NaN is not equal to anything"
_SINCE = dict.fromkeys((ast.Is, ast.IsNot), "`is` asks for the same object, and a computed value is a new one")
_ALWAYS = {ast.Eq: "false", ast.NotEq: "true", ast.Is: "false", ast.IsNot: "true"}


@check("comparison-with-nan", words="nan NaN NAN")
def comparison_with_nan(module: Module) -> Iterator[Finding]:
    """A comparison with NaN has the same result for every number."""
    for node in module.comparisons:
        if len(node.ops) > 1 or type(node.ops[0]) not in _ALWAYS:
            continue
        sides = (node.left, node.comparators[0])
        numbers = [finite.is_nan(side, module) for side in sides]
        if numbers.count(True) != 1:  # `nan != nan` with both written out says what NaN is, and tests no data
            continue
        other = sides[numbers.index(True) - 1]
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)) and not isinstance(other, (ast.Call, ast.BinOp)):
            continue
        kind = type(node.ops[0])
        yield Finding(
            Site(module.module, node),
            f"`{text(module.module, node)}` is always {_ALWAYS[kind]}: {_SINCE.get(kind, _UNEQUAL)}",
            "does not depend on the value",
            why=_HOLDS if kind in (ast.NotEq, ast.IsNot) else "",
        )
