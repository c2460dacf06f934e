"""Operators for the rules about modules, checkpoints and distributed training."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import File, Mutant, Unit, keyword, last, operator
from benchmarks.mutation.shapes import modules, option, steps

PURE = re.compile(
    r"^(view|reshape|permute|transpose|squeeze|unsqueeze|flatten|to|cuda|relu|tanh|sigmoid|contiguous|float|softmax)$"
)

STATELESS = re.compile(
    r"^(torch\.)?(nn\.)?(\w*Softmax|\w*ReLU|GELU|SiLU|Tanh|Sigmoid|Identity|Flatten|\w*Dropout\d?d?|\w*Pool\w*)\("
)


@operator("unregistered-submodule")
def module_list_to_list(unit: Unit, file: File) -> Iterator[Mutant]:
    for call in file.calls("ModuleList", "ModuleDict"):
        within = file.cls(call)
        target = file.parents[call]
        if within is None or not isinstance(target, ast.Assign) or len(call.args) != 1 or call.keywords:
            continue
        runs = any(isinstance(n, ast.FunctionDef) and n.name in ("forward", "training_step") for n in within.body)
        if not runs and within not in modules(unit, file):
            continue  # an agent that keeps modules, or a mixin: nobody asks it for their parameters
        name = file.source(target.targets[0])
        given = call.args[0]
        plain = file.source(given)
        kind = "list" if last(call.func) == "ModuleList" else "dict"
        display = isinstance(given, (ast.List, ast.ListComp, ast.Dict, ast.DictComp))
        marks = [file.mark(target)]
        marks += [file.mark(s) for s, _, r in file.actions("append") if r == name and file.cls(s) is within]
        kept = re.search(
            rf"\w\({re.escape(name)}\[[^]]*\]", file.source(within)
        )  # handed to other layers, which hold it
        bare = isinstance(given, ast.ListComp) and re.match(r"[\w.]*(Pool\w*|ReLU|Identity)\(", file.source(given.elt))
        bare = bare or (isinstance(given, ast.ListComp) and bare_class(unit, given.elt))
        if not display and not filled_here(file, given):
            continue  # whoever handed the modules in may train them
        if isinstance(given, ast.Name) and re.search(rf"\(\*{given.id}\)", file.source(within)):
            continue  # `nn.Sequential(*layers)` registers the same ones
        if name.startswith("self.") and not kept and not bare:  # nothing to train or to switch
            yield Mutant([file.replace(call, plain if display else f"{kind}({plain})")], marks)


def filled_here(file: File, given: ast.AST) -> bool:
    """Is it a name of a list or dictionary that the same function displays?"""
    bound = file.assigned(given.id) if isinstance(given, ast.Name) else []
    own = [n for n in bound if file.owner(n) is file.owner(given)]
    return any(isinstance(n.value, (ast.List, ast.ListComp, ast.Dict, ast.DictComp)) for n in own)


@operator("missing-super-init")
def drop_super_init(unit: Unit, file: File) -> Iterator[Mutant]:
    for statement, _, _ in file.actions("__init__", r"^super\("):
        cls = file.cls(statement)
        if cls in modules(unit, file) and re.search(r"self\.\w+ = nn\.[A-Z]", file.source(file.owner(statement))):
            layers = [s for s in ast.walk(file.owner(statement)) if isinstance(s, ast.Assign)]
            marks = [file.mark(s) for s in layers] + [file.mark(cls), file.mark(file.owner(statement))]
            yield Mutant([file.delete(statement)], marks)


@operator("shared-layer-instances")
def repeat_layer(unit: Unit, file: File) -> Iterator[Mutant]:
    """`[layer for _ in range(n)]` becomes `[layer] * n`."""
    for call in file.calls("ModuleList", "Sequential"):
        given = call.args[0] if len(call.args) == 1 else None
        given = given.value if isinstance(given, ast.Starred) else given
        if not isinstance(given, ast.ListComp) or len(given.generators) != 1 or given.generators[0].ifs:
            continue
        source, variable = given.generators[0].iter, file.source(given.generators[0].target)
        counts = isinstance(source, ast.Call) and last(source.func) == "range" and len(source.args) == 1
        counts = counts and once(file, source.args[0]) is False and not STATELESS.search(file.source(given.elt))
        counts = counts and not bare_class(unit, given.elt)
        if counts and not re.search(rf"\b{variable}\b", file.source(given.elt)) and isinstance(given.elt, ast.Call):
            times = file.source(source.args[0])
            times = f"({times})" if isinstance(source.args[0], ast.BinOp) else times
            text = f"[{file.source(given.elt)}] * {times}"
            yield Mutant([file.replace(given, text)], [file.mark(call)])
            text = f"[layer for _ in range({file.source(source.args[0])})]"
            made = file.before(file.statement(call), f"layer = {file.source(given.elt)}")
            if isinstance(file.statement(call), ast.Assign):
                yield Mutant([made, file.replace(given, text)], [file.mark(call)])
                grown = f"[layer] * {times}"
                yield Mutant([made, file.replace(given, grown)], [file.mark(call)])


def bare_class(unit: Unit, made: ast.AST) -> bool:
    """Is it built by a class of the unit that holds nothing to train or to switch: `torch.sin(self.w * x)`?"""
    name = last(made.func) if isinstance(made, ast.Call) else ""
    found = [(f, c) for f in unit.files for c in f.classes() if c.name == name]
    holds = r"nn\.(?!Module\b)|Parameter|register_buffer|Linear|Conv|Norm|Dropout|\w+Layer\("
    return bool(found) and not any(re.search(holds, f.source(c)) for f, c in found)


def once(file: File, count: ast.AST) -> bool:
    """Is a count the number one, or a name for it?"""
    bound = [n.value for n in file.assigned(file.source(count))]
    return any(isinstance(n, ast.Constant) and n.value == 1 for n in (count, *bound))


def targets(file: File, loop: ast.For) -> list[str]:
    """What a loop binds to each item as a whole: a batch of some libraries moves itself."""
    target = loop.target
    counted = isinstance(target, ast.Tuple) and isinstance(loop.iter, ast.Call) and last(loop.iter.func) == "enumerate"
    return [file.source(target.elts[-1] if counted else target)]


@operator("discarded-result")
def discard_result(unit: Unit, file: File) -> Iterator[Mutant]:
    """`x = x.view(...)` loses its assignment; `x = x.contiguous()` may, since a `view` that needs it raises."""
    for node in file.nodes:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(node.value, ast.Call):
            continue
        name, call = file.source(node.targets[0]), node.value
        method = isinstance(call.func, ast.Attribute) and file.source(call.func.value) == name
        function = isinstance(call.func, ast.Attribute) and file.source(call.func.value) in ("F", "torch")
        function = function and call.args and file.source(call.args[0]) == name
        forward = getattr(file.owner(node), "name", "") == "forward"
        inplace = any(k.arg == "inplace" for k in call.keywords)
        tensor = forward or any(file.owner(node) is file.owner(s.step) for s in steps(file))
        moved = last(call.func) in ("to", "cuda", "cpu", "float", "half", "double", "contiguous")  # or PyTorch raises
        drawn = any(isinstance(n, ast.For) and name in targets(file, n) for n in file.up(node))  # may move in place
        if (method or function) and not drawn and PURE.match(last(call.func)) and tensor and not inplace and not moved:
            if isinstance(node.targets[0], ast.Name):
                yield Mutant([file.replace(node, file.source(call))], [])


@operator("incomplete-checkpoint")
def forget_optimizer(unit: Unit, file: File) -> Iterator[Mutant]:
    """A resume does not restore the optimizer or the schedule, where a loop of the unit goes on at what was read."""
    ranges = (c for f in unit.files for c in f.calls("range", "trange") if len(c.args) > 1)
    if not any(not isinstance(c.args[0], ast.Constant) for c in ranges) and not re.search("while .*epoch", unit.all):
        return  # what it prints, or tells a loop in a file that the unit does not hold
    for receiver in ("opt", "sched"):
        found = list(file.actions("load_state_dict", receiver))
        for statement, call, _ in found if len(found) == 1 else ():  # of several, one may be for a test
            owner = file.owner(statement)
            resumed = re.search(r"epoch", file.source(owner) if isinstance(owner, ast.FunctionDef) else file.text)
            models = [s for s, _, r in file.actions("load_state_dict") if file.owner(s) is owner and s is not statement]
            source = "".join(file.source(a) for a in call.args)
            epoch = re.search(r"epoch\w*\s*=.*\[\s*['\"]\w*epoch\w*['\"]\s*\]", file.text)
            if resumed and models and epoch and "[" in source:
                marks = [file.mark(s) for s in models]
                marks += [
                    file.mark(n)
                    for n in file.nodes
                    if isinstance(n, ast.Assign)
                    and re.search("epoch", file.source(n.targets[0]))
                    and "[" in file.source(n.value)
                ]
                marks += [file.mark(c) for c in file.calls("load")]
                yield Mutant([file.delete(statement)], marks)
                yield Mutant([file.comment(statement)], marks)


@operator("sampler-without-set-epoch")
def distribute(unit: Unit, file: File) -> Iterator[Mutant]:
    """The shuffled loader of a training loop gets a sampler for one of two processes, which is never told the epoch."""
    if "torch" not in file.imported or re.search("set_epoch|[Ss]ampler|accelerate|Accelerator", unit.all):
        return  # accelerate tells its loaders the epoch
    for call in file.calls("DataLoader"):
        flag, assign = keyword(call, "shuffle"), file.parents[call]
        rows = call.args[0] if call.args else None
        if flag is None or file.source(flag.value) != "True" or not isinstance(assign, ast.Assign):
            continue
        name = file.source(assign.targets[0])
        loops = [file.loops(s.step) for s in steps(file)]
        loops = [found for found in loops if len(found) == 2 and isinstance(found[1], ast.For)]
        drawn = [f for f in loops if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", file.source(f[0].iter))]
        epochs = [f for f in drawn if "epoch" in file.source(f[1].target).lower() and not file.loops(assign)]
        if epochs and isinstance(rows, ast.Name):
            text = f"sampler=torch.utils.data.distributed.DistributedSampler({rows.id}, num_replicas=2, rank=0)"
            marks = [file.mark(call), *(file.mark(loop) for found in epochs for loop in found)]
            yield Mutant([file.replace(flag, text)], marks)
            plain = text.replace(", num_replicas=2, rank=0", ", 2, rank=0, shuffle=True")
            yield Mutant([file.replace(flag, plain)], marks)


def drawn_by(unit: Unit) -> str:
    """How the loaders of a unit are built: a sampler that none of them gets decides nothing."""
    return " ".join(
        f.source(c) for f in unit.files for c in f.nodes if isinstance(c, ast.Call) and "Loader" in last(c.func)
    )


@operator("sampler-without-set-epoch")
def drop_set_epoch(unit: Unit, file: File) -> Iterator[Mutant]:
    """Nobody tells the sampler which epoch it is, or once only. One that shuffles by a setting may not shuffle."""
    given = "DistributedSampler(" in unit.all and re.search(r"sampler\s*=\s*\w*[^,)]", drawn_by(unit))
    made = [(f, c) for f in unit.files for c in f.calls("DistributedSampler", "StatefulDistributedSampler")]
    if any(option(c, "shuffle", f) not in ("", "True") for f, c in made):
        return
    for statement, _, _ in file.actions("set_epoch", "sampl|load|^self$") if given else ():
        marks = [f.mark(c) for f in unit.files for c in f.calls("DistributedSampler")]
        marks += [f.mark(loop) for f in unit.files for s in steps(f) for loop in f.loops(s.step)]
        loops = list(file.loops(statement))
        yield Mutant([file.delete(statement)], [*marks, *(file.mark(n) for n in loops)])
        yield Mutant([file.comment(statement)], [*marks, *(file.mark(n) for n in loops)])
        if loops and not isinstance(file.parents[statement], ast.If):
            once = re.sub(r"\(.*\)$", "(0)", file.source(statement))
            edits = [file.delete(statement), file.before(loops[-1], once)]
            yield Mutant(edits, [*marks, *(file.mark(n) for n in loops)])
