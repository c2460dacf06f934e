"""Who decides whether a functional layer is active: the module's mode, or a switch that others set?

A test of `training` around a call, before it with a way out, or about what the call is given, says that the author
knows the mode. So does a flag of the module that other code writes.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.pattern import Pattern
from mllint.semantics import Call, Event, Flow, SetsMode
from mllint.semantics.evaluate import evaluate
from mllint.semantics.module import Function, last_name, place, walk, within

__all__ = [
    "by_option",
    "flag_set_by_hand",
    "given_in_eval_mode",
    "mentions_training",
    "mode_from_caller",
    "nought_around",
    "switched_by_context",
    "switched_from_outside",
    "walk_function",
]


def flag_set_by_hand(frame: Any, mode: str) -> bool:
    """Is a mode set in a way that nobody follows to its model, on the way to a place, there or in a function of the
    project that is called: `module.training = False`, `for m in models: getattr(m, mode)()`?"""
    memo = frame.project.reach.memo
    key = ("flag setters", mode)
    if key not in memo:
        found = [(f, _modes_set(f)) for m in frame.project.modules for f in m.functions if not f.is_body]
        for each in ("eval", "train"):
            setting = [f for f, modes in found if each in modes]
            named = {f.owner.name if f.owner is not None and f.name == "__enter__" else f.name for f in setting}
            memo["flag setters", each] = named, {id(f) for f in setting}
    names, setters = memo[key]
    while setters:
        if id(frame.function) in setters or not names.isdisjoint(frame.function.called_names):
            return True
        if frame.caller is None:
            break
        frame = frame.caller[0]
    return False


def _modes_set(function: Function) -> set[str]:
    """The modes that a function may set by writing the flag, by calling what sets that of one of several models, or by
    a name."""
    if function.called_names.isdisjoint(_SETTING) and not _writes_flags(function.module):
        return set()
    several = {n for n, found in function.bindings.items() if any(b.kind in ("for", "comp") for b in found)}
    found: set[str] = set()
    for node in walk_function(function):
        kind = node.__class__
        if kind is ast.Attribute or kind is ast.Call or kind is ast.Lambda:
            found |= _flags(node, several)
    return found


_SETTING = frozenset(("eval", "train", "getattr", "setattr", "__setattr__"))


def _writes_flags(module: Any) -> bool:
    """May somebody write the flag of another object than `self` in this file? By its text."""
    known: bool | None = module.effects.get("writes flags")
    if known is None:
        parts = (module.source.text if module.source is not None else "x.training").split(".training")
        others = (i for i in range(1, len(parts)) if not parts[i - 1].endswith("self"))
        known = any(not (parts[i][:1].isalnum() or parts[i][:1] == "_") for i in others)
        module.effects["writes flags"] = known
    return known


def _flags(node: Any, several: set[str]) -> frozenset[str]:
    """The modes that one expression may set, of a model that nobody follows."""
    match node:
        case ast.Attribute(value=base, attr="training", ctx=ast.Store()):
            return _NONE if isinstance(base, ast.Name) and base.id == "self" else _BOTH
        case ast.Call(args=[ast.Name(), ast.Constant(value="training"), _]):
            return _BOTH if last_name(node.func) in ("setattr", "__setattr__") else _NONE
        case ast.Call(func=ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(), ast.Name()])):
            return _BOTH if len(node.args) < 2 else _NONE
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="eval" | "train" as word)) if name in several:
            return _BOTH if node.args or node.keywords else frozenset((word,))
        case ast.Lambda(body=ast.Call(func=ast.Attribute(attr="eval" | "train" as word))):
            return frozenset((word,))
    return _NONE


_NONE: frozenset[str] = frozenset()
_BOTH = frozenset(("eval", "train"))


def mentions_training(call: Call) -> bool:
    """Does the method ask for the mode before or around the call: a test of `training`, or an early return?"""
    line, source = call.node.lineno, call.module.source
    for node in walk_function(call.function) if source is None or "training" in source.text else ():
        if isinstance(node, (ast.If, ast.IfExp, ast.While)) and node.lineno <= line and decides_on(call.node, node):
            if any("training" in (getattr(n, "attr", "") or getattr(n, "id", "") or "") for n in walk(node.test)):
                return True
    return any("train" in (getattr(n, "attr", "") or getattr(n, "id", "") or "") for n in walk_arguments(call.node))


def decides_on(call: ast.Call, test: Any) -> bool:
    """Does a test decide whether a call is reached, or about what is given to it?"""
    if not isinstance(test, ast.If) or within(call, test):
        return True
    given = {place(n) for n in walk_arguments(call)} - {None}
    inside = [n for s in (*test.body, *test.orelse) for n in walk(s)]
    if any(isinstance(n, (ast.Return, ast.Raise, ast.Continue, ast.Break)) for n in inside):
        return True
    return any(place(n) in given for n in inside if isinstance(getattr(n, "ctx", None), ast.Store))


_SWITCH = Pattern("switch|determinis|infer|eval")


def switched_from_outside(call: Call) -> bool:
    """Does an `if` around the call read a switch of the module that others set: `self.model.use_dropout = False`?"""
    tests = [n.test for n in walk_function(call.function) if isinstance(n, ast.If) and within(call.node, n)]
    if any(isinstance(n, ast.Name) and _SWITCH.search(n.id) for test in tests for n in walk(test)):
        return True  # handed in with the data: `x, dropout_switch = inputs`
    given = {n.id for n in walk_arguments(call.node) if isinstance(n, ast.Name)}
    if any(call.function.parameter(name) is not None and name not in given for t in tests for name in asked(t)):
        return True  # handed in by whoever calls: `def forward(self, x, use_dropout)`
    flags = frozenset([n.attr for test in tests for n in walk(test) if isinstance(n, ast.Attribute)])
    if not flags:
        return False
    modules = [m for m in call.project.modules if m.source.mentions(flags)]
    functions = (f for module in modules for f in module.functions)
    written = (name.rpartition(".") for f in functions for name in f.bindings)
    return any(last in flags and owner and owner != "self" for owner, _, last in written)


def nought_around(given: Any, call: Call) -> bool:
    """Is it asked around a call whether what it is given is nought, there or in the flag that is asked: `if self.flash`
    of `self.flash = self.dropout == 0`?"""
    wanted = place(given)
    for branch in (n for n in walk_function(call.function) if isinstance(n, ast.If)) if wanted else ():
        if not any(within(call.node, s) for s in branch.body):
            continue
        for part in conjuncts(branch.test):
            flag = place(part) or ""
            owner = call.function.owner if flag.startswith("self.") else None
            functions = list(owner.methods.values()) if owner is not None else []
            bound = [b.value for f in functions for b in f.bindings.get(flag, ())]
            values = bound or [part]
            if all(any(is_nought(p, wanted) for p in conjuncts(v)) for v in values):
                return True
    return False


def conjuncts(test: Any) -> list[Any]:
    """The parts of a condition that all hold where it holds."""
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def is_nought(test: Any, wanted: str | None) -> bool:
    """Is it the comparison of a place with nought, `self.dropout == 0.0`, or the place itself denied?"""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return place(operand) == wanted
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
            return place(left) == wanted
    return False


def asked(test: Any) -> Iterator[str]:
    """The names whose truth a test asks for: `flag`, `flag and self.rate > 0`, `not flag`."""
    if isinstance(test, ast.Name):
        yield test.id
    for part in (
        test.values if isinstance(test, ast.BoolOp) else [test.operand] if isinstance(test, ast.UnaryOp) else []
    ):
        yield from asked(part)


def walk_function(function: Function) -> Iterator[Any]:
    """The nodes of a function's body."""
    for statement in function.body:
        yield from walk(statement)


def walk_arguments(node: ast.Call) -> Iterator[Any]:
    """The nodes of a call's arguments."""
    for argument in (*node.args, *(k.value for k in node.keywords)):
        yield from walk(argument)


def switched_by_context(forward: Event) -> bool:
    """Does a context of the project's own, around the call or around one that leads to it, set eval mode?"""
    frame, node = forward.frame, forward.call
    while True:
        block = frame.module.block_around(node)
        while block is not None:
            held = (v for item in block.items for v in evaluate(item.context_expr, frame).alternatives)
            if any(v.kind == "instance" and not v.of.module.is_stub and sets_eval(v.of) for v in held):
                return True
            block = frame.module.outer.get(id(block))
        if frame.caller is None:
            return False
        frame, node = frame.caller


def mode_from_caller(forward: Event, flow: Flow) -> bool:
    """Does whoever calls say in which mode it is to be evaluated: `model.train(mode == "train")` above the forward, or
    `if train: model.train()` in a function that trains nothing?"""
    only_measures = forward.function.called_names.isdisjoint(("backward", "step"))
    for mode in flow.events(SetsMode):
        if mode.frame is forward.frame and mode.site.line < forward.site.line and isinstance(mode.call, ast.Call):
            asked = list(mode.call.args)
            asked += _tests_around(mode.call, mode.function) if only_measures else []
            given = [n.id for a in asked for n in walk(a) if isinstance(n, ast.Name)]
            if any(forward.function.parameter(name) is not None for name in given) and mode.concerns(forward):
                return True
    return False


def _tests_around(call: ast.Call, function: Function) -> list[Any]:
    """The tests of the branches that a call stands in."""
    ifs = [n for s in function.body for n in walk(s) if isinstance(n, ast.If)]
    return [n.test for n in ifs if any(within(call, s) for s in (*n.body, *n.orelse))]


def given_in_eval_mode(origin: Event) -> bool:
    """Was a part put in eval mode before the whole was built of it: `prior.eval(); loss = Loss(generator, prior)`?"""
    if origin.kind != "creates" or not isinstance(origin.call, ast.Call):
        return False
    given = {place(a) for a in (*origin.call.args, *(k.value for k in origin.call.keywords))} - {None}
    calls = (c.func for c in origin.function.calls if isinstance(c.func, ast.Attribute) and c.func.attr == "eval")
    return bool(given) and any(place(func.value) in given for func in calls)


def by_option(forward: Event, flow: Flow) -> list[Event]:
    """Where a setting says whether the model is put in eval mode: `if not args.monte_carlo: model.eval()`."""
    found = []
    for mode in flow.events(SetsMode):
        more = mode.conditions[len(forward.conditions) :] if mode.option == "eval" else ()
        test = more[-1][0] if more else None
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test = test.operand
        asked = isinstance(test, ast.Call) and last_name(test.func) == "getattr"
        if (asked or isinstance(test, (ast.Name, ast.Attribute))) and mode.concerns(forward):
            found.append(mode)
    return found


def sets_eval(cls: Any) -> bool:
    """Does a method of a class set eval mode: its `__enter__`, or what that calls?"""
    return any(not f.called_names.isdisjoint(("eval", "train")) for f in cls.methods.values())
