"""What training code looks like: steps, losses, models, schedules and loaders, found by their syntax.

Operators share these questions. An answer is given only where the code is written in a way that leaves no doubt; what
is written otherwise is not mutated.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.mutation.edits import File, Mark, Unit, keyword, last

__all__ = [
    "BATCH_SCHEDULES", "EPOCH_SCHEDULES", "LOSSES", "Step", "calls_of_model", "clears", "consumers", "evaluations",
    "forwards", "logits", "losses", "made", "mode_matters", "modules", "only_clears", "optimized", "option", "scored",
    "scored_classes", "steps", "trained",
]  # fmt: skip

LOSSES = {
    "cross_entropy": "CrossEntropyLoss",
    "binary_cross_entropy_with_logits": "BCEWithLogitsLoss",
    "binary_cross_entropy": "BCELoss",
    "nll_loss": "NLLLoss",
    "mse_loss": "MSELoss",
    "l1_loss": "L1Loss",
    "smooth_l1_loss": "SmoothL1Loss",
}
EPOCH_SCHEDULES = {"StepLR", "MultiStepLR", "ExponentialLR"}
BATCH_SCHEDULES = {
    "OneCycleLR", "CyclicLR", "get_linear_schedule_with_warmup", "get_cosine_schedule_with_warmup",
}  # fmt: skip
_PLAIN = re.compile(r"(torch\.)?(nn\.)?(Sequential|Linear|Conv[123]d|Embedding|GRUCell|LSTMCell)\(")
_BY_DESIGN = re.compile(r"training\s*=\s*self\.training or ")
_MODE_MATTERS = re.compile(r"Dropout|BatchNorm|dropout\(|\bresnet|\bmodels\.|from_pretrained|timm\.create")


class Step(NamedTuple):
    """A backward and the step that uses it, in one block."""

    block: list[ast.stmt]
    backward: ast.Expr
    step: ast.Expr
    optimizer: str
    """The optimizer, as written."""
    loss: ast.AST
    """What the backward starts from."""


def loss_of(file: File, backward: ast.Expr) -> ast.AST:
    """`loss` of `loss.backward()`, `scaler.scale(loss).backward()`, `accelerator.backward(loss)`."""
    call = backward.value
    given = call.args[0] if call.args else call.func.value
    if isinstance(given, ast.Call) and last(given.func) == "scale" and given.args:
        return given.args[0]
    return given


def steps(file: File) -> list[Step]:
    """All training steps of a file."""
    if not hasattr(file, "found_steps"):
        file.found_steps = list(_steps(file))
    return file.found_steps


def _steps(file: File) -> Iterator[Step]:
    for statement, call, receiver in file.actions("step"):
        scaled = "scaler" in receiver.lower() and call.args
        optimizer = file.source(call.args[0]) if scaled else receiver
        if not re.search("opt|solver", optimizer, re.IGNORECASE) or (call.args and not scaled):
            continue
        block = file.block(statement)
        place = block.index(statement)
        backwards = [s for s, _, _ in file.actions("backward") if s in block[:place]]
        if backwards and (file.loops(statement) or isinstance(file.owner(statement), ast.FunctionDef)):
            yield Step(block, backwards[-1], statement, optimizer, loss_of(file, backwards[-1]))


def clears(file: File, function: ast.AST, optimizer: str) -> list[ast.Expr]:
    return [s for s, _, r in file.actions("zero_grad") if r == optimizer and file.owner(s) is function]


def only_clears(file: File, found: Step) -> list[ast.Expr]:
    """The statements that clear an optimizer, if nothing else (a model's `zero_grad`) clears the same gradients."""
    function = file.owner(found.step)
    stepped = {s.optimizer for s in steps(file) if file.owner(s.step) is function}
    others = [s for s, _, r in file.actions("zero_grad") if file.owner(s) is function and r not in stepped]
    own = clears(file, function, found.optimizer)
    if own:
        return [] if others else own
    return others if len(stepped) == 1 else []  # the model's, where there is one optimizer


def trained(unit: Unit) -> bool:
    """Is something trained in the unit?"""
    return any(True for f in unit.files for _ in steps(f))


def made(file: File, name: str, function: ast.AST | None = None) -> ast.Assign | None:
    """The one assignment of a call to a name, if there is exactly one in the file (or function)."""
    found = [n for n in file.assigned(name) if function is None or file.owner(n) is function]
    return found[0] if len(found) == 1 and isinstance(found[0].value, ast.Call) else None


def modules(unit: Unit, file: File) -> list[ast.ClassDef]:
    """The classes of a file that are modules, directly; not of what another library calls a `Module`."""
    if re.search(r"from (?!torch\b|torch\.|lightning|pytorch_lightning|\.)\S+ import [^\n]*\bModule\b", file.text):
        return []
    return [c for c in file.classes() if any(last(b) in ("Module", "LightningModule") for b in c.bases)]


def mode_matters(unit: Unit, model: str = "") -> bool:
    """Does the unit mention layers that depend on the mode, and is a model not plainly made of others? Dropout that
    stays active in evaluation by design makes it depend on nothing."""
    if _MODE_MATTERS.search(unit.all) is None or _BY_DESIGN.search(unit.all):
        return False
    name = model.rpartition(".")[2]
    if name and plainly_made(unit, name):
        return False
    made = [
        (f, n.value) for f in unit.files for n in f.nodes if isinstance(n, ast.Assign) and last(n.targets[0]) == name
    ]
    for file in unit.files if name else ():
        for function in file.functions():
            given = [*function.args.posonlyargs, *function.args.args][::-1]
            trailing = zip(given, reversed(function.args.defaults), strict=False)
            made += [(file, default) for argument, default in trailing if argument.arg == name]
    texts = [f.source(value) for f, value in made]
    built = [text for text in texts if not re.match(r"[\w.]+\.(to|cuda)\(", text)]
    return not built or not all(_PLAIN.match(text) and not _MODE_MATTERS.search(text) for text in built)


def plainly_made(unit: Unit, name: str) -> bool:
    """Is a model only ever an instance of classes of the unit in which, and in what they name, no such layer is?"""
    classes = {c.name: f.source(c) for f in unit.files for c in f.classes()}
    built = unit.built.get(name, set()) - {"to", "cuda", "device", "get_device"}
    todo, seen = list(built), set()
    if not built or not built <= classes.keys():
        return False
    while todo:
        one = todo.pop()
        seen.add(one)
        text = classes[one]
        if _MODE_MATTERS.search(text) or re.search(r"getattr\(|\*\*|importlib|RReLU|Instance|drop", text):
            return False
        todo += [other for other in classes if other not in seen | set(todo) and re.search(rf"\b{other}\b", text)]
        functions = (n.name for f in unit.files for n in f.functions() if re.search(rf"\b{n.name}\(", text))
        if any(_MODE_MATTERS.search(f.source(n)) for g in functions for f in unit.files for n in f.functions(g)):
            return False
    return True


# --------------------------------------------------------------------------------------------------------------- losses
def losses(unit: Unit, file: File, loss: str) -> list[ast.Call]:
    """Calls of a criterion of one class."""
    if (file.path, loss) not in unit.losses:
        unit.losses[file.path, loss] = [
            node
            for node in file.nodes
            if isinstance(node, ast.Call) and len(node.args) >= 2 and computes(unit, node, loss)
        ]
    return unit.losses[file.path, loss]


def computes(unit: Unit, call: ast.Call, loss: str) -> bool:
    """Is it a call of a criterion of a class?"""
    name = last(call.func)
    if name in LOSSES and unit.defines(name):
        return False
    file = next((f for f in unit.files if call in f.parents), None)
    if file is not None and isinstance(call.func, ast.Name) and not handed(unit, file, call, name):
        return False  # whoever calls the function is not in the unit, and may give any criterion
    return (
        LOSSES.get(name) == loss
        or (LOSSES.get(name) is None and unit.made_by(name, {loss}) and not own_function(file, call))
        or (isinstance(call.func, ast.Call) and last(call.func.func) == loss)
    )


def own_function(file: File | None, call: ast.Call) -> bool:
    """Is it called by the name of a function of the same file, and not by that of a criterion?"""
    return file is not None and isinstance(call.func, ast.Name) and bool(file.functions(call.func.id))


def handed(unit: Unit, file: File, call: ast.AST, name: str, depth: int = 3) -> bool:
    """Is a criterion no parameter of the function, or one for which some call in the unit gives what is built there?"""
    function = file.owner(call)
    given = [a.arg for a in (*function.args.args, *function.args.kwonlyargs)] if function is not file.tree else []
    if name not in given or name == "self":
        return True
    position = given.index(name) - (given[0] == "self")
    for other in unit.files:
        for use in other.calls(function.name) if depth else ():
            named = keyword(use, name)
            value = named.value if named else use.args[position] if position < len(use.args) else None
            if value is not None and handed(
                unit, other, use, last(value) if isinstance(value, ast.Name) else "", depth - 1
            ):
                return True
    return False


def consumers(unit: Unit, *classes: str) -> list[Mark]:
    """The statements in which such a criterion is called, and those that differentiate what it gives."""
    found = []
    for file in unit.files:
        for call in (c for loss in classes for c in losses(unit, file, loss)):
            found.append(file.mark(call))
            statement = file.statement(call)
            targets = [file.source(t) for t in getattr(statement, "targets", ())]
            found += [
                file.mark(s)
                for s, _, r in file.actions("backward")
                if r in targets and file.owner(s) is file.owner(call)
            ]
    return found


def logits(file: File, call: ast.Call) -> ast.AST:
    """The expression that makes the first argument of a criterion: followed through one name."""
    output = call.args[0]
    if isinstance(output, ast.Name):
        bound = [n for n in file.assigned(output.id) if file.owner(n) is file.owner(call)]
        return bound[0].value if len(bound) == 1 else output
    return output


def scored(unit: Unit, loss: str) -> set[str]:
    """Names of the models whose output goes straight into a criterion."""
    if loss not in unit.scored:
        found = [logits(file, call) for file in unit.files for call in losses(unit, file, loss)]
        unit.scored[loss] = {last(output.func) for output in found if isinstance(output, ast.Call)}
    return unit.scored[loss]


def scored_classes(unit: Unit, file: File, loss: str) -> Iterator[ast.ClassDef]:
    """The classes in a file of the models whose output goes into a criterion."""
    makers = [f.path for f in unit.files if f is not file or any(losses(unit, f, loss))]  # not a model's own demo
    built = set().union(*(unit.built_in.get((path, name), set()) for path in makers for name in scored(unit, loss)))
    yield from (c for c in file.classes() if c.name in built)


def forwards(unit: Unit, file: File, loss: str) -> Iterator[ast.Return]:
    """The only `return` of `forward` in the classes of the models that a criterion reads."""
    for cls in scored_classes(unit, file, loss):
        for method in (n for n in cls.body if isinstance(n, ast.FunctionDef) and n.name == "forward"):
            returns = [n for n in ast.walk(method) if isinstance(n, ast.Return)]
            if len(returns) == 1 and not isinstance(returns[0].value, (ast.Tuple, ast.Dict, type(None))):
                yield returns[0]


def optimized(unit: Unit, file: File) -> Iterator[tuple[ast.Assign, Step]]:
    """(`loss = criterion(...)`, its step) in one block."""
    for found in steps(file):
        name = file.source(found.loss)
        assigned = [s for s in found.block if isinstance(s, ast.Assign) and file.source(s.targets[0]) == name]
        for statement in assigned if len(assigned) == 1 else ():
            call = statement.value
            if isinstance(call, ast.Call) and len(call.args) >= 2 and statement.lineno < found.backward.lineno:
                if any(call in losses(unit, file, loss) for loss in LOSSES.values()) and not truth_first(file, call):
                    yield statement, found


def truth_first(file: File, call: ast.Call) -> bool:
    """Does a criterion that is symmetric get the truth first, by its name: `mse_loss(td_target, values)`?"""
    first, second = (file.source(argument) for argument in call.args[:2])
    kept = first.startswith("self.") and not second.startswith("self.")  # what an object holds is no output
    drawn = [n.value for n in file.assigned(first) if file.owner(n) is file.owner(call)]
    noise = any(isinstance(v, ast.Call) and last(v.func) in ("randn", "randn_like", "rand", "normal") for v in drawn)
    return (
        kept
        or noise
        or (re.search("target|return|label", first) is not None and not re.search("target|return|label", second))
    )


# ----------------------------------------------------------------------------------------------------------- evaluation
def calls_of_model(file: File, model: str, function: ast.AST) -> list[ast.Call]:
    """The forwards of a model in a function."""
    return [
        n
        for n in file.nodes
        if isinstance(n, ast.Call) and file.source(n.func) == model and file.owner(n) is function and n.args
    ]


def evaluations(file: File) -> Iterator[tuple[ast.Expr, str, list[ast.Call]]]:
    """`model.eval()` with the model and the forwards after it in the same function."""
    for statement, _, receiver in file.actions("eval"):
        calls = [c for c in calls_of_model(file, receiver, file.owner(statement)) if c.lineno > statement.lineno]
        trains = {id(file.owner(s.step)) for s in steps(file)}
        if calls:
            following = [s for s, _, r in file.actions("train") if r == receiver and s.lineno > statement.lineno]
            stop = following[0].lineno if following and id(file.owner(statement)) in trains else None
            calls = [c for c in calls if stop is None or c.lineno < stop]
        if calls:
            yield statement, receiver, calls


def option(call: ast.Call, name: str, file: File) -> str:
    """The text of a keyword argument, empty if it is not given."""
    given = keyword(call, name)
    return file.source(given.value) if given else ""
