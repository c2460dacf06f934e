"""Is a schedule that was built ever advanced?

By names: who reads what it is bound to, other than for its learning rate and its state, in its function, in its class,
or in the functions of the project that it is handed to, or returned to.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator
from mllint.pattern import Pattern
from mllint.rule import Finding, check
from mllint.semantics import Call
from mllint.semantics.calls import bind
from mllint.semantics.classes import opaque_bases
from mllint.semantics.module import Function, last_name, place, walk
from mllint.semantics.seeding import is_test_code

__all__: list[str] = []

SCHEDULER = "torch.optim.lr_scheduler.LRScheduler"
INERT = frozenset("get_last_lr get_lr state_dict load_state_dict last_epoch base_lrs optimizer print_lr".split())
CLASSES = """StepLR MultiStepLR ExponentialLR CosineAnnealingLR CosineAnnealingWarmRestarts LambdaLR MultiplicativeLR
OneCycleLR CyclicLR PolynomialLR LinearLR ConstantLR ReduceLROnPlateau SequentialLR ChainedScheduler get_scheduler
get_linear_schedule_with_warmup get_cosine_schedule_with_warmup get_constant_schedule_with_warmup
get_polynomial_decay_schedule_with_warmup get_cosine_with_hard_restarts_schedule_with_warmup"""


@check("scheduler-never-stepped", calls=CLASSES)
def scheduler_never_stepped(call: Call) -> Iterator[Finding]:
    """A scheduler is built, and nothing ever advances it."""
    cls = call.value.classes[0] if call.value.instance_of(SCHEDULER) else None
    if cls is None or not (cls.module.is_stub or "step" not in cls.methods) or not trains(call):
        return
    if is_test_code(call.module):
        return  # a test of how it is prepared, saved ...
    if call.is_statement:
        yield Finding(call, f"the schedule `{call.name}(...)` is thrown away", "never advanced")
        return
    bound = [b for bindings in call.function.bindings.values() for b in bindings if b.value is call.node]
    if len(bound) != 1 or bound[0].path or bound[0].kind != "assign" or targets(call, bound[0].node) != 1:
        return
    name = bound[0].name
    owner = call.function.owner
    if "." in name and owner is not None and opaque_bases(owner):
        return  # a base that nobody sees may advance it: a framework's trainer
    if used(call, name) or not stepping(call):
        return
    message = f"`{name}` is built, but its `step()` is never called"
    yield Finding(call, message, "never advanced", certain=not (switched_off(call, name) or replaced(call)))


def switched_off(call: Call, name: str) -> bool:
    """Does a comment hold the step of a schedule? Then somebody took it out, and knows that it is missing."""
    comments = (line.partition("#")[2] for line in call.module.source.text.split("\n") if ".step(" in line)
    held = (comment.partition(".step(") for comment in comments if ".step(" in comment)
    return any(before.endswith(name) or "sched" in before for before, _, _ in held)


def replaced(call: Call) -> bool:
    """Is another schedule of the same optimizer advanced in its place? A warm-up is not in its place, but before it."""
    optimizer = scheduled(call.node)
    for name, bindings in call.function.bindings.items():
        node = bindings[0].value
        if node is call.node or not isinstance(node, ast.Call) or last_name(node.func) not in CLASSES.split():
            continue
        other = Call(node, call.frame)
        if optimizer is None or place(scheduled(node)) != place(optimizer) or not used(other, name):
            continue
        if not any(_WARMING.search(f"{c.name} {c.text}") for c in (call, other)) and "warm" not in name:
            return True
    return False


_WARMING = Pattern("lambda|linear|constant|warm|chained|sequential")


def scheduled(node: ast.Call) -> Any:
    """The expression for the optimizer that a schedule is built for, None if there is none."""
    named = [k.value for k in node.keywords if k.arg == "optimizer"]
    return named[0] if named else node.args[0] if node.args else None


def trains(call: Call) -> bool:
    """Does the project train at all?"""
    if call.function.name == "configure_optimizers":
        return True  # Lightning's, which trains by itself
    return bool(call.project.calls_named("backward") or call.project.calls_named("step"))


def stepping(call: Call) -> bool:
    """Is the optimizer used for anything but its schedules, and their preparation? One that is not trains nothing."""
    given = scheduled(call.node)
    if not isinstance(given, ast.Name) or given.id not in call.function.bindings:
        return True
    if any(b.kind != "assign" for b in call.function.bindings[given.id]):
        return True
    if call.function.is_body and any(imports(m, given.id) for m in call.project.modules if m is not call.module):
        return True
    return read_in(call.function.node, given.id, False, call)


def targets(call: Call, node: Any) -> int:
    """How many places the result is stored in at once."""
    return sum(b.value is call.node for bindings in call.function.bindings.values() for b in bindings)


def used(call: Call, name: str) -> bool:
    """Is the schedule read anywhere but for its learning rate and its state?"""
    last = name.rpartition(".")[2]
    if name.endswith("]") and (handed_whole(call, name) or any(item_read(m, last) for m in call.project.modules)):
        return True
    if call.function.is_body and not any(word in call.module.calls_by_name for word in ("backward", "step", "fit")):
        return True  # a configuration: whoever loads the file uses what it names
    if "." not in name and not call.function.is_body and name not in call.function.globals:
        if left_by_callers(call, name):
            return dumps(call)
        return read_in(call.function.node, name, False, call) or dumps(call)  # nobody else sees a local name
    modules = call.project.modules if "." in name or call.function.is_body else [call.module]
    for module in modules:
        if module is not call.module and "." not in name and not imports(module, last):
            continue
        if last not in module.source.text:
            continue
        ticks = (c.func for c, _ in module.calls_by_name.get("step", ()) if isinstance(c.func, ast.Attribute))
        ticked = [func.value for func in ticks if last_name(func.value) == last]
        if any(isinstance(node, ast.Attribute if "." in name else ast.Name) for node in ticked):
            return True
        if read_in(module.body.node, name if module is call.module and "." not in name else last, "." in name, call):
            return True
    return dumps(call)


def left_by_callers(call: Call, name: str) -> bool:
    """Is it only returned, as one of several, `return optimizer, scheduler`, and read by nobody who gets it?"""
    returned = [r.value for r in call.function.returns]
    if len(returned) != 1 or not isinstance(returned[0], ast.Tuple) or call.function.owner is not None:
        return False
    spots = [i for i, part in enumerate(returned[0].elts) if place(part) == name]
    callers = call.project.callers(call.function) if len(spots) == 1 else []
    others = [s for s in call.function.body if not any(r is returned[0] for r in walk(s))]
    if not callers or any(read_in(s, name, False, call) for s in others):
        return False
    for made, frame in callers:
        taken = [(n, b) for n, found in frame.function.bindings.items() for b in found if b.value is made]
        names = [n for n, b in taken if tuple(b.path) == (spots[0],)]
        if len(taken) != len(returned[0].elts) or len(names) != 1 or "." in names[0] or frame.function.is_body:
            return False
        if len(frame.function.bindings[names[0]]) != 1 or read_in(frame.function.node, names[0], False, call):
            return False
    return True


def dumps(call: Call) -> bool:
    """Is everything read that has a name here?"""
    return any(word in call.function.called_names for word in ("locals", "globals", "vars"))


def handed_whole(call: Call, name: str) -> bool:
    """Is the dictionary that holds it given to a call, `super().__init__(**kwargs)`, or returned?"""
    table = name.partition("[")[0]
    given = [a for c in call.function.calls for a in (*c.args, *(k.value for k in c.keywords))]
    given += [n for r in call.function.returns if r.value is not None for n in walk(r.value)]
    return any(place(a) == table for a in given)


def item_read(module: Any, name: str) -> bool:
    """Does a file read an item of a dictionary that has the key in `state["scheduler"]`?"""
    key = name.rpartition("[")[2].strip("]\"'")
    if key not in module.source.text:
        return False
    items = (n for n in walk(module.body.node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load))
    return any(isinstance(n.slice, ast.Constant) and str(n.slice.value) == key for n in items)


def imports(module: Any, name: str) -> bool:
    """Does a module import the name?"""
    return any(b.kind == "from" for b in module.body.bindings.get(name, ())) or bool(module.stars)


def read_in(tree: Any, name: str, attribute: bool, call: Call, depth: int = 0) -> bool:
    """Is a name (or an attribute of that name) read in a file, other than for its learning rate and its state?"""
    inert: set[int] = set()
    for node in walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in INERT and last_name(node.value) == name:
            inert.add(id(node.value))
        elif isinstance(node, ast.Call) and last_name(node.func) in CLASSES.split():
            inert |= {id(a) for a in (scheduled(node),) if last_name(a) == name}
        elif isinstance(node, ast.Call):
            inert |= ignored(node, name, call, depth)
        elif isinstance(node, ast.Subscript):
            inert.add(id(node.slice))
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and prepares(node, name):
            inert |= {id(a) for a in node.value.args if last_name(a) == name}
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            inert.add(id(node.left))
        elif isinstance(node, ast.Dict):
            inert |= {id(key) for key in node.keys if key is not None}
        elif attribute and isinstance(node, ast.Constant) and node.value == name and id(node) not in inert:
            return True
        elif isinstance(node, ast.Attribute if attribute else ast.Name) and last_name(node) == name:
            if isinstance(node.ctx, ast.Load) and id(node) not in inert:
                return True
    return False


def prepares(statement: ast.Assign, name: str) -> bool:
    """Is it `model, scheduler = accelerator.prepare(model, scheduler)`: the same object under the same name?"""
    targets = {last_name(n) for t in statement.targets for n in walk(t) if isinstance(n, (ast.Name, ast.Attribute))}
    return last_name(statement.value.func) == "prepare" and name in targets  # type: ignore[attr-defined]  # a call


def ignored(node: ast.Call, name: str, call: Call, depth: int) -> set[int]:
    """The arguments of that name that a call gives to functions of the user's which do not read them either."""
    word = last_name(node.func)
    given = {id(a) for a in (*node.args, *(k.value for k in node.keywords)) if last_name(a) == name}
    if not given or depth > 2 or word not in call.project.reach.own_names():
        return set()
    caller = next((s for m in call.project.modules for n, s in m.calls_by_name.get(word, ()) if n is node), None)
    if not isinstance(caller, Function):
        return set()
    functions = Call(node, frame := call.project.frame(caller)).callees
    for function in functions:
        bound, complete = bind(function, node, frame)
        parameters = [p for p, thing in bound.items() if isinstance(thing, tuple) and id(thing[0]) in given]
        if function.stubbed or not complete or len(parameters) < len(given):
            return set()
        if any(read_in(s, p, False, call, depth + 1) for p in parameters for s in function.body):
            return set()
    return given if functions else set()
