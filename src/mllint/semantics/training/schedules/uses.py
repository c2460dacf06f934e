"""Who else may use an object that was built here: is it read anywhere but for what is inert?

    schedule = StepLR(optimizer, 30)          # `is_used`: somebody reads `schedule`, and not only
    log(schedule.get_last_lr())               # for its learning rate or its state

The answer is found by names, over the function, the class and the files that can see the place that the object is bound
to, and through the functions of the project that it is handed to or returned by. It is the opposite of an escape
analysis: an object is *unused* only if every place where its name is read is known to leave it alone.

What makes it unknown, and so used: the names of a scope are published (`locals()`, `vars()`, `vars(self)` for what is
kept in `self`; `vars(args)` publishes the attributes of `args` alone), a table that holds it is handed on as a whole,
or the file only sets things up for others.

Deliberately not done: values are not followed, only names; whether a read happens before or after is not asked.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Call
from mllint.semantics.libraries.classes import SCHEDULER
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node, all_arguments, assigned_pairs, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.bases import mro
from mllint.semantics.values.classes import has_unknown_ancestor
from mllint.semantics.values.lineage import bindings_of, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mllint.semantics.syntax.module import ModuleScope

__all__ = [
    "INERT", "find_manual_optimization", "imports_name", "is_forgotten", "is_optimizer_given_in_loop", "is_read_in",
    "is_used", "left_unread_as", "optimizer_expression",
]  # fmt: skip

INERT = frozenset(
    "get_last_lr get_lr state_dict load_state_dict last_epoch base_lrs optimizer print_lr defaults".split()
)
"""The members of a schedule, or of its optimizer, whose use does not advance it."""

_WARMING = frozenset("LambdaLR LinearLR ConstantLR ChainedScheduler SequentialLR _StepSchedule".split())


def optimizer_expression(node: ast.Call) -> Node:
    """The expression for the optimizer that a schedule is built for, None if there is none."""
    named = [k.value for k in node.keywords if k.arg == "optimizer"]
    return named[0] if named else next((a for a in node.args if not isinstance(a, ast.Constant)), None)


def is_optimizer_given_in_loop(call: Call) -> bool:
    """Whether the optimizer of a schedule is handed to a call in a loop of the function that builds both."""
    optimizer = place(optimizer_expression(call.node))
    loops = (n for s in call.function.body for n in walk(s) if isinstance(n, (ast.For, ast.While)))
    calls = (n for loop in loops for n in walk(loop) if isinstance(n, ast.Call))
    return optimizer is not None and any(place(a) == optimizer for c in calls for a in all_arguments(c))


def is_forgotten(call: Call) -> Answer[bool]:
    """Whether a schedule that nobody advances was forgotten; perhaps not where another one of the same optimizer is
    advanced in its place, or its rate is set by hand. A warm-up comes before another schedule, not in its place."""
    optimizer = place(optimizer_expression(call.node))
    warms_up = call.value.classes[0].name in _WARMING
    if optimizer is None:
        return proven_unless(False, True, call.site)
    replaced = not warms_up and any(_replacements(call, optimizer))
    return proven_unless(replaced or _rate_is_set(optimizer, call.function), True, call.site)


def _rate_is_set(optimizer: str, function: FunctionScope) -> bool:
    """Does a function set the learning rate of an optimizer: `for g in optimizer.param_groups: g["lr"] = rate`?"""
    groups = {f"{optimizer}.param_groups"}
    for statement in statements(function):
        if isinstance(statement, ast.For) and place(statement.iter) in groups:
            groups.add(place(statement.target) or "")
        adjusted = (
            [statement.target] if isinstance(statement, ast.AugAssign) else [t for t, _ in assigned_pairs(statement)]
        )
        for target in adjusted:
            if isinstance(target, ast.Subscript) and getattr(target.slice, "value", None) == "lr":
                group = target.value.value if isinstance(target.value, ast.Subscript) else target.value
                if place(group) in groups:
                    return True
    return False


def _replacements(call: Call, optimizer: str) -> Iterator[Call]:
    """The other schedules of an optimizer that are built in the same function, and advanced."""
    for name, bindings in call.function.bindings.items():
        node = bindings[0].value
        if node is call.node or not isinstance(node, ast.Call) or place(optimizer_expression(node)) != optimizer:
            continue
        other = Call(node, call.frame)
        if other.value.instance_of(SCHEDULER) and other.value.classes[0].name not in _WARMING and is_used(other, name):
            yield other


def is_used(call: Call, name: str) -> bool:
    """Whether what a call built is read anywhere but for what is inert.

    Args:
        call: the construction.
        name: the place that it is bound to.
    """
    last = name.rpartition(".")[2]
    modules = call.project.modules
    if name.endswith("]") and (_is_passed_as_dictionary(call, name) or any(_is_item_read(m, last) for m in modules)):
        return True
    if call.function.is_body and not any(word in call.module.calls_by_name for word in ("backward", "step", "fit")):
        return True  # a configuration: whoever loads the file uses what it names
    if "." not in name and not call.function.is_body and name not in call.function.globals:
        if _is_left_by_callers(call, name):
            return _is_published(call, name)
        # nobody else sees a local name
        return is_read_in(call.function.node, name, attribute=False, call=call) or _is_published(call, name)
    modules = modules if "." in name or call.function.is_body else [call.module]
    for module in modules:
        if module is not call.module and "." not in name and not imports_name(module, last, call.module):
            continue
        if module.source is not None and not module.source.holds(last):
            continue
        ticked = _ticked(module).get(last, ())
        if any(isinstance(node, ast.Attribute if "." in name else ast.Name) for node in ticked):
            return True
        if is_read_in(
            module.body.node,
            name if module is call.module and "." not in name else last,
            attribute="." in name,
            call=call,
        ):
            return True
    return _is_published(call, name)


@cached(local=True)
def _ticked(module: ModuleScope) -> dict[str, list[ast.expr]]:
    """What `step()` is called on in a file, by the last part of its name."""
    found: dict[str, list[ast.expr]] = {}
    for call, _ in module.calls_by_name.get("step", ()):
        if isinstance(call.func, ast.Attribute):
            found.setdefault(last_name(call.func.value), []).append(call.func.value)
    return found


def find_manual_optimization(call: Call) -> Site | None:
    """Where a module of Lightning takes the optimization into its own hands, so that nobody advances the schedule that
    `call` builds for it: Lightning does not, and the program never asks for `lr_schedulers()`."""
    owner = call.function.owner
    if owner is None or call.function.name != "configure_optimizers" or has_unknown_ancestor(owner):
        return None
    if any("." in b.name for b in bindings_of(call.node, call.function)):
        return None  # kept by the object, whose `step()` may be called
    if any(m.source.holds("lr_schedulers") for m in call.project.modules if not m.is_stub):
        return None
    for cls in (c for c in mro(owner) if not isinstance(c, str) and not c.module.is_stub):
        for binding in (b for m in cls.methods.values() for b in m.bindings.get("self.automatic_optimization", ())):
            if isinstance(binding.value, ast.Constant) and binding.value.value is False:
                return Site(cls.module, binding.node)
    return None


def left_unread_as(call: Call) -> str:
    """The name that a caller gives to what a function builds where it returns several things, `return optimizer,
    StepLR(optimizer, 30)`, if no function that gets it reads it; else empty."""
    if not _is_left_by_callers(call, ""):
        return ""
    returned: Node = call.function.returns[0].value
    spot = next(i for i, part in enumerate(returned.elts) if part is call.node)
    made, frame = call.project.callers(call.function)[0]
    return next(b.name for b in bindings_of(made, frame.function) if tuple(b.path) == (spot,))


def _is_left_by_callers(call: Call, name: str) -> bool:
    """Is it only returned, as one of several, `return optimizer, scheduler`, and read by no function that gets it?"""
    returned = [r.value for r in call.function.returns]
    if len(returned) != 1 or not isinstance(returned[0], ast.Tuple) or call.function.owner is not None:
        return False
    spots = [i for i, part in enumerate(returned[0].elts) if part is call.node or (name and place(part) == name)]
    callers = call.project.callers(call.function) if len(spots) == 1 else []
    others = [s for s in call.function.body if not any(r is returned[0] for r in walk(s))]
    if not callers or (name and any(is_read_in(s, name, attribute=False, call=call) for s in others)):
        return False
    for made, frame in callers:
        taken = bindings_of(made, frame.function)
        names = [b.name for b in taken if tuple(b.path) == (spots[0],)]
        if len(taken) != len(returned[0].elts) or len(names) != 1 or "." in names[0] or frame.function.is_body:
            return False
        if len(frame.function.bindings[names[0]]) != 1 or is_read_in(
            frame.function.node, names[0], attribute=False, call=call
        ):
            return False
    return True


def _is_published(call: Call, name: str) -> bool:
    """Whether everything that has a name here is read: `locals()`, and `vars(self)` for what `self` keeps."""
    for node in call.function.calls:
        word = last_name(node.func)
        if word in ("locals", "globals") or (word == "vars" and not node.args):
            return True
        if word == "vars" and place(node.args[0]) == name.partition(".")[0]:
            return True
    return False


def _is_passed_as_dictionary(call: Call, name: str) -> bool:
    """Is the dictionary that holds it given to a call, `super().__init__(**kwargs)`, or returned?"""
    table = name.partition("[")[0]
    given = [a for c in call.function.calls for a in (*c.args, *(k.value for k in c.keywords))]
    given += [n for r in call.function.returns if r.value is not None for n in walk(r.value)]
    return any(place(a) == table for a in given)


def _is_item_read(module: ModuleScope, name: str) -> bool:
    """Does a file read an item of a dictionary that has the key in `state["scheduler"]`?"""
    key = name.rpartition("[")[2].strip("]\"'")
    if module.source is not None and not module.source.holds(key):
        return False
    items = (n for n in module.body.nodes_of(ast.Subscript) if isinstance(n.ctx, ast.Load))
    return any(isinstance(n.slice, ast.Constant) and str(n.slice.value) == key for n in items)


def imports_name(module: ModuleScope, name: str, home: ModuleScope) -> bool:
    """May a module import a name from the one that binds it, `home`: by the name, or by a star?"""
    if any(b.kind == "from" for b in module.body.bindings.get(name, ())):
        return True
    starred = (module.project.module_for(source, level, module) for source, level in module.stars)
    return any(m is home or (m is not None and not m.is_stub and bool(m.stars)) for m in starred)


def is_read_in(tree: ast.AST, name: str, call: Call, depth: int = 0, *, attribute: bool) -> bool:
    """Is a name (or an attribute of that name) read in a file, other than for its learning rate and its state?"""
    inert: set[int] = set()
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in INERT and last_name(node.value) == name:
            inert.add(id(node.value))
        elif (
            isinstance(node, ast.Call)
            and last_name(optimizer_expression(node)) == name
            and _builds_schedule(node, call)
        ):
            inert |= {id(a) for a in (optimizer_expression(node),) if last_name(a) == name}
        elif isinstance(node, ast.Call):
            inert |= _ignored(node, name, call, depth)
        elif isinstance(node, ast.Subscript):
            inert.add(id(node.slice))
        elif isinstance(node, ast.Assign) and last_name(node.value) == name and depth < 2:
            if _is_unread_alias(node, tree, name, call, depth):
                inert.add(id(node.value))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and _is_prepared(node, name):
            inert |= {id(a) for a in node.value.args if last_name(a) == name}
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            inert.add(id(node.left))
        elif isinstance(node, ast.Dict):
            inert |= {id(key) for key in node.keys if key is not None}
        elif isinstance(node, (ast.If, ast.IfExp, ast.Assert)):
            inert |= {id(operand) for operand in _truth_operands(node.test)}
        elif attribute and isinstance(node, ast.Constant) and node.value == name and id(node) not in inert:
            return True
        elif isinstance(node, ast.Attribute if attribute else ast.Name) and last_name(node) == name:
            if isinstance(node.ctx, ast.Load) and id(node) not in inert:
                return True
    return False


def _is_unread_alias(statement: ast.Assign, tree: ast.AST, name: str, call: Call, depth: int) -> bool:
    """Is it `other = schedule`, a second name that nothing reads either?"""
    names = [t.id for t in statement.targets if isinstance(t, ast.Name) and t.id != name]
    if len(names) < len(statement.targets):
        return False
    if call.function.is_body and any(_may_import(m, other, call) for m in call.project.modules for other in names):
        return False
    return not any(is_read_in(tree, other, call, depth + 1, attribute=False) for other in names)


def _may_import(module: ModuleScope, name: str, call: Call) -> bool:
    """May another file read a name of the file that a call is in, and not one of its own?"""
    if module is call.module or module.is_stub or not imports_name(module, name, call.module):
        return False
    bound = module.body.bindings.get(name, ())
    return all(b.kind == "from" for b in bound) and module.source is not None and module.source.holds(name)


def _truth_operands(test: Node) -> Iterator[Node]:
    """What a test asks whether it is there: `schedule` of `if use_it and schedule:`."""
    match test:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _truth_operands(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _truth_operands(operand)
        case ast.Name() | ast.Attribute():
            yield test


def _is_prepared(statement: ast.Assign, name: str) -> bool:
    """Is it `model, scheduler = accelerator.prepare(model, scheduler)`: the same object under the same name?"""
    targets = {last_name(n) for t in statement.targets for n in walk(t) if isinstance(n, (ast.Name, ast.Attribute))}
    return last_name(statement.value.func) == "prepare" and name in targets  # type: ignore[attr-defined]  # a call


def _ignored(node: ast.Call, name: str, call: Call, depth: int) -> set[int]:
    """The arguments of that name that a call gives to functions of the user's which do not read them either."""
    word = last_name(node.func)
    given = {id(a) for a in (*node.args, *(k.value for k in node.keywords)) if last_name(a) == name}
    if not given or depth > 2 or word not in call.project.reach.own_names():
        return set()
    caller = _scope_of(node, call)
    if caller is None:
        return set()
    functions = Call(node, frame := call.project.frame(caller)).callees
    for function in functions:
        bound, complete = bind(function, node, frame)
        parameters = [p for p, thing in bound.items() if isinstance(thing, Passed) and id(thing.node) in given]
        if function.stubbed or not complete or len(parameters) < len(given):
            return set()
        if any(
            is_read_in(s, p, attribute=False, call=call, depth=depth + 1) for p in parameters for s in function.body
        ):
            return set()
    return given if functions else set()


def _builds_schedule(node: ast.Call, call: Call) -> bool:
    """Whether it is the construction of a schedule: the optimizer that it is given is not used by that."""
    scope = _scope_of(node, call)
    return scope is not None and Call(node, call.project.frame(scope)).value.instance_of(SCHEDULER)


def _scope_of(node: ast.Call, call: Call) -> FunctionScope | None:
    """The function that a call is written in."""
    word = last_name(node.func)
    found = (s for m in call.project.modules for n, s in m.calls_by_name.get(word, ()) if n is node)
    scope = next(found, None)
    return scope if isinstance(scope, FunctionScope) else None
