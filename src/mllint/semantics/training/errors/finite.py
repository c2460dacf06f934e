"""Which value does a test ask to be finite, and what happens to it when it is not?

Reads `torch.isnan(loss)`, `not math.isfinite(loss.item())`, `loss != loss` and their combinations as a question about a
place; what the branch for values that are not finite does decides whether it hides them.
"""

from __future__ import annotations

import ast
import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.views import Call, FunctionView, ModuleView
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.nodes import Node, is_within, last_name, place, walk
from mllint.semantics.training import roles
from mllint.semantics.training.errors.handlers import BACKWARD, has_no_effect, logs_anything, runs_backward
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.losses.expectations import innermost_function_at
from mllint.semantics.training.roles import Role
from mllint.semantics.values.evaluate import evaluate

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ModuleScope, Scope

__all__ = [
    "TESTS", "Test", "backward_lines_by_name", "find_masking_test", "find_skipping_test", "is_hidden", "is_masked",
    "is_nan", "kind_of_masked_gradient", "parse_finite_test",
]  # fmt: skip

TESTS = frozenset("isnan isinf isfinite".split())
_NAN = ("nan", "NaN", "NAN")
"""As which NaN is written."""
_THROUGH = frozenset("scale sum mean add mul div stack cat tensor abs float backward".split())


class Test(NamedTuple):
    """What a test asks.

    Attributes:
        name: the place that it is about; empty if it asks no such thing.
        finite: whether it is true for finite numbers.
        other: what the others are: "NaN", "infinite" or "not finite".
    """

    name: str
    finite: bool
    other: str

    @property
    def inverted(self) -> Test:
        """The test with a `not` before it."""
        return self._replace(finite=not self.finite)


_NO_TEST = Test("", False, "")
_OTHERS = {"isnan": "NaN", "isinf": "infinite", "isfinite": "not finite"}


def is_nan(node: Node, module: ModuleView) -> bool:
    """Is an expression the number NaN: `np.nan`, `float("nan")`, a constant that is one?"""
    if not _may_be_nan(node) and last_name(node) not in _names_of_nan(module.module):
        return False  # nearly all that is compared need not be evaluated
    frame = module.project.frame(innermost_function_at(module.at(node)))
    values = [value.literal for value in evaluate(node, frame).alternatives]
    return all(isinstance(value, float) and math.isnan(value) for value in values)


def _may_be_nan(node: Node) -> bool:
    """Is NaN written here, by its name or as a text that is read as a number?"""
    match node:
        case ast.UnaryOp(operand=inner):
            return _may_be_nan(inner)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str())]):
            return True
    return last_name(node).lower() == "nan"


@cached(local=True)
def _names_of_nan(module: ModuleScope) -> frozenset[str]:
    """The names and attributes that a file binds to something in which NaN is written, or imports from elsewhere."""
    lines = module.source.lines_with(*_NAN)
    scopes = [s for s in module.scopes if s is module.body or _has_one_of(lines, s.node)]
    bindings = [b for scope in scopes for bound in scope.bindings.values() for b in bound]
    given = ((b, b.node.default if b.kind == "param" else b.value) for b in bindings)
    found = {
        b.name
        for b, value in given
        if b.kind == "from" or (value is not None and _has_one_of(lines, value) and any(map(_may_be_nan, walk(value))))
    }
    return frozenset(name.rpartition(".")[2] for name in found)


def _has_one_of(lines: list[int], node: Node) -> bool:
    """Is one of some lines, which are in order, among those of a node?"""
    at = bisect_left(lines, node.lineno)
    return at < len(lines) and lines[at] <= (node.end_lineno or 0)


def backward_lines_by_name(function: FunctionView, *, handed_back: bool = True) -> dict[str, int]:
    """The names on which this function calls backward, or has it called, each with the last line of it.

    Args:
        function: the function.
        handed_back: also what it tests and hands back to a caller, who runs the backward.
    """
    found: dict[str, int] = {}
    scope = function.scope
    for call in scope.calls:
        if isinstance(call.func, ast.Attribute) and last_name(call.func) in BACKWARD:
            _note(found, (call.func.value, *call.args), call.lineno)
    if scope.name == "training_step":
        for returned in scope.returns:
            _note(found, (returned.value,), returned.lineno)
    elif not found and any(last_name(c.func) in TESTS for c in scope.calls):
        for call in scope.calls:
            if call.args and last_name(call.func) not in TESTS and runs_backward(Call(call, function.frame)) is False:
                _note(found, call.args, call.lineno)
        if not found and handed_back:
            _note_handed_back(found, function)
    for name, bindings in scope.bindings.items():
        lines = [
            found.get(_place_without_conversions(b.value), 0) for b in bindings if b.kind == "assign" and not b.path
        ]
        if name not in found and any(lines):
            found[name] = max(lines)
    return found


def _note_handed_back(found: dict[str, int], function: FunctionView) -> None:
    """Remember the names that a function returns, or yields to a `with`, if a caller runs backward on what it gets."""
    back = [n for n in (*function.scope.returns, *function.scope.yields) if isinstance(n.value, ast.Name)]
    if not back:
        return
    for call, frame in function.project.callers(function.scope):
        bound = [b for bs in frame.function.bindings.values() for b in bs if b.value is call and not b.path]
        losses = backward_lines_by_name(FunctionView(frame.function, frame), handed_back=False) if bound else {}
        if any(b.name in losses for b in bound):
            for node in back:
                _note(found, (node.value,), node.lineno)
            return


def _note(found: dict[str, int], nodes: Iterable[Node], line: int) -> None:
    """Remember the places in some expressions."""
    for inner in (n for node in nodes if node is not None for n in _naming_parts(node)):
        name = place(inner) if isinstance(inner, (ast.Name, ast.Attribute, ast.Subscript)) else None
        if name is not None:
            found[name] = max(found.get(name, 0), line)


def _naming_parts(node: Node, depth: int = 0) -> Iterator[Node]:
    """The parts of an expression that its value may be called by. What a model is given inside a call of the loss
    function, `x` of `loss_of(model(x), y)`, is none."""
    yield node
    deeper = depth
    if isinstance(node, ast.Call):
        yield from _naming_parts(node.func, depth)
        if last_name(node.func) not in _THROUGH:
            deeper += 1
    if deeper > 1:
        return
    for field in node._fields:
        value = getattr(node, field, None)
        for child in value if isinstance(value, list) else (value,):
            if isinstance(child, ast.AST) and not (field == "func" and isinstance(node, ast.Call)):
                yield from _naming_parts(child, deeper)


def find_skipping_test(node: ast.If, losses: dict[str, int], function: FunctionView) -> Test | None:
    """What an `if` asks about a loss for which it lets no backward, or no step, happen without a trace; else None."""
    scope = function.scope
    test = _finite_test(node.test, function)
    if not test.name or test.name not in losses:
        return None
    if losses[test.name] < node.lineno and not any(_is_optimizer_step_below(c, node) for c in scope.calls):
        return None
    if _is_mean_of_some(test.name, scope):
        return None
    bad, good = (node.orelse, node.body) if test.finite else (node.body, node.orelse)
    if not bad:
        inside = any(isinstance(n, ast.Call) and last_name(n.func) in BACKWARD for s in good for n in walk(s))
        return test if test.finite and inside else None
    if not all(_is_hiding_statement(s, test.name) for s in bad):
        return None
    leaves = isinstance(bad[-1], (ast.Continue, ast.Return)) or any(isinstance(s, ast.Assign) for s in bad)
    return test if leaves else None


def _is_mean_of_some(name: str, scope: Scope, depth: int = 3) -> bool:
    """Is it made of a mean of some entries, `losses[is_positive].mean()`? NaN says that the batch has none of them."""
    values = [b.value for b in scope.bindings.get(name, ()) if b.kind == "assign" and not b.path]
    for node in (n for value in values for n in walk(value)):
        match node:
            case ast.Call(func=ast.Attribute(attr="mean", value=ast.Subscript(slice=part)), args=[], keywords=[]):
                if not isinstance(part, (ast.Constant, ast.Slice, ast.Tuple)):
                    return True
            case ast.Name(id=inner) if depth and inner != name and _is_mean_of_some(inner, scope, depth - 1):
                return True
    return False


def is_hidden(node: ast.If, name: str, function: FunctionView) -> Answer[bool]:
    """Whether what an `if` passes over stays hidden; perhaps not where it prints or logs something, or where the loss
    is read below it as it is: in the history that is plotted, or in a mean, the NaN is seen.

    Args:
        node: the `if` that `find_skipping_test` answers for.
        name: the loss that it tests.
        function: where it stands.
    """
    branches = [*node.body, *node.orelse]
    leaves = any(isinstance(n, (ast.Continue, ast.Return, ast.Break)) for s in branches for n in walk(s))
    replaces = any(isinstance(s, ast.Assign) and place(s.targets[0]) == name for s in branches)
    return proven_unless(
        logs_anything(branches) or (not leaves and not replaces and _is_read_below(node, name, function)), True
    )


def _is_read_below(node: ast.If, name: str, function: FunctionView) -> bool:
    """Is a place read behind a statement in the same pass of its loop, other than for the backward?"""
    around_it = [loop.node for loop in function.scope.loops if is_within(node, loop.node)]
    whole = around_it[-1] if around_it else function.scope.node
    backward = [
        c.func.value
        for c in function.scope.calls
        if isinstance(c.func, ast.Attribute) and last_name(c.func) in BACKWARD
    ]
    reads = (n for n in walk(whole) if isinstance(getattr(n, "ctx", None), ast.Load) and place(n) == name)
    return any(n.lineno > (node.end_lineno or 0) and not any(n is b for b in backward) for n in reads)


def _is_optimizer_step_below(call: ast.Call, node: ast.If) -> bool:
    """Is it the step of an optimizer below?"""
    func = call.func
    named = (
        isinstance(func, ast.Attribute) and func.attr == "step" and roles.speaks_of(place(func.value), Role.OPTIMIZER)
    )
    return named and call.lineno > node.lineno


def _finite_test(test: Node, function: FunctionView) -> Test:
    """The same of a test that is written elsewhere: `bad = torch.isnan(loss)` above, or the one line that a function of
    the project returns."""
    negated = False
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, negated = test.operand, not negated
    found = parse_finite_test(test)
    if not found.name and isinstance(test, ast.Name):
        bound = function.scope.bindings.get(test.id, ())
        if len(bound) == 1 and bound[0].kind == "assign" and not bound[0].path:
            found = parse_finite_test(bound[0].value)
    elif not found.name and isinstance(test, ast.Call) and last_name(test.func) in function.project.reach.own_names():
        found = _by_function(Call(test, function.frame))
    return found.inverted if negated else found


def _by_function(call: Call) -> Test:
    called = call.callees[0] if len(call.callees) == 1 else None
    if called is None or called.stubbed or len(called.returns) != 1 or called.returns[0].value is None:
        return _NO_TEST
    found = parse_finite_test(called.returns[0].value)
    given = next((a.node for a in call.arguments if a.parameter == found.name), None) if found.name else None
    return found._replace(name=_place_without_conversions(given) if given is not None else "")


def parse_finite_test(test: Node) -> Test:
    """The place that a test asks to be finite or not, whether it is true for finite ones, and what the others are."""
    if isinstance(test, ast.BoolOp) or (isinstance(test, ast.BinOp) and isinstance(test.op, ast.BitOr)):
        found = [
            parse_finite_test(v) for v in (test.values if isinstance(test, ast.BoolOp) else (test.left, test.right))
        ]
        first = next((f for f in found if f.name), _NO_TEST)
        alike = all(f.other == first.other for f in found if f.name == first.name)
        return first if alike else first._replace(other="not finite")
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, (ast.Not, ast.Invert)):
        return parse_finite_test(test.operand).inverted
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotEq):
        left, right = (_place_of_number(n) for n in (test.left, test.comparators[0]))
        return Test(left, False, "NaN") if left and left == right else _NO_TEST
    if isinstance(test, ast.Call):
        word = last_name(test.func)
        if word in ("any", "all", "item", "bool") and isinstance(test.func, ast.Attribute):
            return parse_finite_test(test.func.value)
        inner = test.args[0] if test.args else test.func.value if isinstance(test.func, ast.Attribute) else None
        if word in ("any", "all", "bool") and inner is not None:
            return parse_finite_test(inner)
        return Test(_place_without_conversions(inner), word == "isfinite", _OTHERS[word]) if word in TESTS else _NO_TEST
    return _NO_TEST


def _place_of_number(node: Node) -> str:
    """The place of `loss` and of `loss.item()`."""
    read = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "item"
    return place(node.func.value if read else node) or ""


def _place_without_conversions(node: Node) -> str:
    """`loss` of `loss.item()`, `float(loss)`, `loss.detach().cpu()`."""
    while isinstance(node, ast.Call):
        node = (
            node.func.value
            if isinstance(node.func, ast.Attribute) and not node.args
            else node.args[0]
            if node.args
            else None
        )
    while isinstance(node, ast.Attribute) and node.attr in ("data",):
        node = node.value
    return (place(node) or "") if node is not None else ""


def is_masked(call: ast.Call, function: FunctionView) -> Answer[bool]:
    """Whether a call that replaces what is not finite does so blindly; perhaps not where it gives each infinity a
    number of its own, `posinf=1e4`, or the function asks elsewhere how much of it is finite. That zero takes the place
    of all of them is blind."""
    given = [k.value for k in call.keywords if k.arg in ("posinf", "neginf")]
    limited = not all(isinstance(v, ast.Constant) and v.value == 0 for v in given)
    replaced = {place(n) for n in walk(call) if isinstance(n, ast.Attribute)} - {None}
    stores = (n.slice for n in function.scope.nodes_of(ast.Subscript) if isinstance(n.ctx, ast.Store))
    masks = {id(n) for index in stores for n in walk(index)}
    tests = (c for c in function.scope.calls if last_name(c.func) in TESTS and id(c) not in masks)
    asked = (n for c in tests if not is_within(c, call) for n in walk(c))
    return proven_unless(limited or any(place(n) in replaced for n in asked), True)


def _is_hiding_statement(statement: Node, name: str) -> bool:
    """Is the statement one of those that hide: log, clear, continue, or give the loss another value?"""
    if isinstance(statement, ast.Assign):
        return place(statement.targets[0]) == name
    if isinstance(statement, ast.Return) and isinstance(statement.value, ast.Constant):
        constant = statement.value.value  # a zero that is added to the losses says nothing; False may be counted
        return constant is None or (constant == 0 and constant is not False)
    return has_no_effect(statement, returning=True) or (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and last_name(statement.value.func) == "update"
    )


def find_masking_test(target: Node, losses: dict[str, int], line: int) -> Test | None:
    """The test of `loss[torch.isnan(loss)] = 0`, where the loss is differentiated below; else None."""
    name = place(target.value) or "" if isinstance(target, ast.Subscript) else ""
    found = parse_finite_test(target.slice) if losses.get(name, 0) > line else _NO_TEST
    return found if found.name and (found.name, found.finite) == (name, False) else None


def kind_of_masked_gradient(target: Node, scope: Scope) -> str:
    """What is overwritten in `p.grad[isnan(...)]`, or in a name that has a `.grad`: "NaN", "infinite" or "not finite";
    else empty. An attack asks a model for gradients too."""
    base = target.value if isinstance(target, ast.Subscript) else None
    if "grad" not in (last_name(base), last_name(getattr(base, "value", None))):
        return ""
    bound = scope.bindings.get(base.id, ()) if isinstance(base, ast.Name) else ()
    values = [b.value for b in bound if b.kind == "assign" and b.value is not None]
    if values and not any(isinstance(n, ast.Attribute) and n.attr == "grad" for v in values for n in walk(v)):
        return ""
    words = {last_name(n.func) for n in walk(target.slice) if isinstance(n, ast.Call)} & TESTS
    return _OTHERS[words.pop()] if len(words) == 1 else "not finite" if words else ""
