"""Operators for the rules about learning-rate schedules: how often, and when, they advance."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import Edit, File, Mark, Mutant, Unit, last, operator
from benchmarks.mutation.operators.optimizer import counted
from benchmarks.mutation.shapes import BATCH_SCHEDULES, EPOCH_SCHEDULES, Step, made, only_clears, steps

SCHEDULES = EPOCH_SCHEDULES | BATCH_SCHEDULES | {"CosineAnnealingLR", "LambdaLR", "LinearLR", "PolynomialLR"}


def built(file: File, receiver: str) -> list[Mark]:
    """The construction of a scheduler."""
    return [file.mark(n) for n in file.assigned(receiver)]


def in_step(file: File, receiver: str, statement: ast.stmt) -> Iterator[Step]:
    """The steps in a batch loop directly inside of the loop in which a scheduler is advanced."""
    for found in steps(file):
        inner = file.loops(found.step)
        same = file.owner(found.step) is file.owner(statement)
        called = receiver.startswith("self.") and any(file.loops(c) for c in file.uses(file.owner(found.step)))
        if (
            inner
            and (file.loops(statement) == inner[1:] if same else called)
            and "sched" not in file.source(found.step)
        ):
            yield found


def bare(file: File) -> Iterator[tuple[Step, ast.Assign, ast.For]]:
    """Steps in a loop over batches in a loop over epochs, with their optimizer built before both, and no schedule."""
    for found in steps(file):
        loops = file.loops(found.step)
        optimizer = made(file, found.optimizer)
        if optimizer is None or file.owner(optimizer) is not file.owner(found.step) or file.loops(optimizer):
            continue
        counts = len(loops) == 2 and isinstance(loops[1], ast.For) and "epoch" in file.source(loops[1].target).lower()
        batches = counts and isinstance(loops[0], ast.For) and "range(" not in file.source(loops[0].iter)
        plain = not file.inside(found.step, ast.If) and found.block is (loops[0].body if loops else None)
        if batches and plain and "torch" in file.imported and not re.search("sched|lr_", file.text, re.IGNORECASE):
            yield found, optimizer, loops[1]


def with_schedule(file: File, optimizer: ast.Assign, text: str) -> tuple[str, object]:
    """A schedule after an optimizer: the name and the edit."""
    name = "self.scheduler" if file.source(optimizer.targets[0]).startswith("self.") else "scheduler"
    of = file.source(optimizer.targets[0])
    return name, file.after(optimizer, f"{name} = torch.optim.lr_scheduler.{text.format(of)}")


@operator("epoch-scheduler-per-batch")
def scheduler_into_batch_loop(unit: Unit, file: File) -> Iterator[Mutant]:
    for statement, call, receiver in file.actions("step", "sched"):
        if not call.args and unit.made_by(last(call.func.value), EPOCH_SCHEDULES):
            for found in in_step(file, receiver, statement):
                edits = [file.delete(statement), file.after(found.step, file.source(statement))]
                yield Mutant(edits, built(file, receiver))
    for found, optimizer, _ in bare(file):
        for text in ("StepLR({}, step_size=30, gamma=0.1)", "MultiStepLR({}, milestones=[30, 60, 90])"):
            name, edit = with_schedule(file, optimizer, text)
            yield Mutant([edit, file.after(found.step, f"{name}.step()")], [])


@operator("batch-scheduler-per-epoch")
def scheduler_out_of_batch_loop(unit: Unit, file: File) -> Iterator[Mutant]:
    for statement, call, receiver in file.actions("step", "sched"):
        loops = file.loops(statement)
        if loops and unit.made_by(last(call.func.value), BATCH_SCHEDULES):
            yield Mutant([file.delete(statement), file.after(loops[0], file.source(statement))], built(file, receiver))
    for found, optimizer, epochs in bare(file):
        loader = plain_loader(file, found)
        if not loader or file.owner(optimizer) is file.tree:
            continue
        for text in (
            f"OneCycleLR({{}}, max_lr=0.1, epochs=10, steps_per_epoch=len({loader}))",
            f"CosineAnnealingLR({{}}, T_max=10 * len({loader}))",
        ):
            name, edit = with_schedule(file, optimizer, text)
            yield Mutant([edit, file.after(epochs.body[-1], f"{name}.step()")], [])


def parameters(file: File, found: Step) -> list[str]:
    owner = file.owner(found.step)
    return [a.arg for a in owner.args.args] if isinstance(owner, ast.FunctionDef) else []


@operator("scheduler-never-stepped")
def delete_scheduler_step(unit: Unit, file: File) -> Iterator[Mutant]:
    found = list(file.actions("step", "sched"))
    for statement, call, receiver in found:
        known = unit.made_by(last(call.func.value), SCHEDULES)
        elsewhere = any(f is not file and list(f.actions("step", "sched")) for f in unit.files)
        out = re.search(r"#.*sched\w*\.step\(", file.text)  # taken out on purpose: the rule believes that
        if known and not elsewhere and not out and all(s is statement or r != receiver for s, _, r in found):
            marks = [
                f.mark(n)
                for f in unit.files
                for n in f.nodes
                if isinstance(n, ast.Assign) and last(n.targets[0]) == last(call.func.value)
            ]
            yield Mutant([file.delete(statement)], marks)


@operator("scheduler-never-stepped")
def forgotten_schedule(unit: Unit, file: File) -> Iterator[Mutant]:
    """Build a schedule, and forget it."""
    for _, optimizer, _ in bare(file):
        for text in ("CosineAnnealingLR({}, T_max=100)", "ExponentialLR({}, gamma=0.95)"):
            yield Mutant([with_schedule(file, optimizer, text)[1]], [])


@operator("scheduler-before-optimizer")
def scheduler_first(unit: Unit, file: File) -> Iterator[Mutant]:
    """Advance the schedule before the optimizer steps."""
    for statement, call, receiver in file.actions("step", "sched"):
        if call.args or not unit.made_by(last(call.func.value), SCHEDULES):
            continue
        block = file.block(statement)
        before = [s.step for s in steps(file) if s.step in block and s.step.lineno < statement.lineno]
        marks = built(file, receiver)
        warms = unit.made_by(last(call.func.value), BATCH_SCHEDULES | {"LambdaLR", "LinearLR"})
        if before and (file.loops(statement) or not warms):  # one batch of a warm-up more or less is no harm
            edits = [file.delete(statement), file.before(before[-1], file.source(statement))]
            yield Mutant(edits, [*marks, file.mark(before[-1])])
        found = list(in_step(file, receiver, statement))
        loops = file.loops(statement)
        if found and loops and block is loops[0].body:
            edits = [file.delete(statement), file.before(block[0], file.source(statement))]
            yield Mutant(edits, [*marks, file.mark(found[0].step)])
    for found, optimizer, epochs in bare(file):
        name, edit = with_schedule(file, optimizer, "StepLR({}, step_size=10)")
        yield Mutant([edit, file.before(epochs.body[0], f"{name}.step()")], [file.mark(found.step)])


@operator("scheduler-per-microbatch")
def scheduler_at_each_micro_batch(unit: Unit, file: File) -> Iterator[Mutant]:
    """Advance the schedule outside of the test that guards the optimizer's step."""
    for statement, call, receiver in file.actions("step", "sched"):
        guard = file.parents[statement]
        inside = isinstance(guard, ast.If) and "%" in file.source(guard.test) and not (call.args or call.keywords)
        steps_ = [s for s, _, _ in file.actions("step", "opt|scaler") if file.parents[s] is guard]
        if inside and steps_ and file.loops(statement):
            edits = [file.delete(statement), file.after(guard, file.source(statement))]
            yield Mutant(edits, [*built(file, receiver), file.mark(steps_[0])])


@operator("scheduler-per-microbatch")
def accumulate_with_schedule(unit: Unit, file: File) -> Iterator[Mutant]:
    """Step every fourth batch, and the schedule for each, although its horizon counts steps of the optimizer."""
    for statement, call, receiver in file.actions("step", "sched"):
        for found in steps(file):
            (test, counting), cleared = counted(file, found), only_clears(file, found)
            known = unit.made_by(last(call.func.value), BATCH_SCHEDULES)
            horizons = [n for n in file.nodes if isinstance(n, ast.BinOp) and lengths(file, n)]
            if statement in found.block and test and known and len(cleared) == 1 and cleared[0] in found.block:
                fewer = [file.replace(n, f"({file.source(n)}) // 4") for n in horizons[:1]]
                edits = [*counting, *fewer, *accumulated(file, found, cleared[0], test)]
                yield Mutant(edits, [*built(file, receiver), file.mark(statement)])
    for found, optimizer, _ in bare(file):
        (test, counting), cleared = counted(file, found), only_clears(file, found)
        loader = plain_loader(file, found)
        if not test or len(cleared) != 1 or cleared[0] not in found.block or not loader:
            continue
        for text in (
            f"OneCycleLR({{}}, max_lr=0.1, total_steps=10 * len({loader}) // 4)",
            f"CosineAnnealingLR({{}}, T_max=10 * (len({loader}) // 4))",
        ):
            name, edit = with_schedule(file, optimizer, text)
            ticks = file.after(found.step, f"{name}.step()")
            yield Mutant([edit, *counting, *accumulated(file, found, cleared[0], test), ticks], [])


def lengths(file: File, node: ast.BinOp) -> bool:
    """Is it the number of batches of a whole run, `epochs * len(loader)`?"""
    return isinstance(node.op, ast.Mult) and "len(" in file.source(node) and "loader" in file.source(node)


def accumulated(file: File, found: Step, clear: ast.Expr, test: str) -> list[Edit]:
    """Step and clear every fourth batch, and divide the loss."""
    guarded = f"if {test}:\n    {file.source(found.step)}\n    {file.source(clear)}"
    name = file.source(found.loss)
    divided = file.before(found.backward, f"{name} = {name} / 4")
    return [divided, file.delete(clear), file.before(found.step, guarded), file.delete(found.step)]


def plain_loader(file: File, found: Step) -> str:
    """The loader of the batch loop, if its length can be taken where the optimizer is built."""
    optimizer = made(file, found.optimizer)
    loader = file.source(file.loops(found.step)[0].iter)
    loader = re.sub(r"^(?:enumerate|tqdm|tqdm\.tqdm)\((.*?)(?:,.*)?\)$", r"\1", loader)
    if optimizer is None or not re.fullmatch(r"[\w.]+", loader):
        return ""
    before = [n for n in file.assigned(loader) if n.lineno < optimizer.lineno]
    return loader if before or loader in parameters(file, found) else ""


@operator("plateau-without-metric")
def plateau_without_metric(unit: Unit, file: File) -> Iterator[Mutant]:
    """Advance a plateau schedule with the epoch, with nothing, or without looking."""
    for statement, call, receiver in file.actions("step", "sched|plateau"):
        name = last(call.func.value)
        loops = file.loops(statement)
        counter = file.source(loops[-1].target) if loops and isinstance(loops[-1], ast.For) else ""
        counter = counter if re.fullmatch(r"\w+", counter) else ""
        if call.args and unit.made_by(name, {"ReduceLROnPlateau"}):
            yield Mutant([file.replace(call.args[0], "")], built(file, receiver))
            if counter:
                yield Mutant([file.replace(call.args[0], counter)], built(file, receiver))
        if not call.args and unit.made_by(name, SCHEDULES - BATCH_SCHEDULES) and len(loops) == 1:
            for assign in file.assigned(receiver):
                function = assign.value.func if isinstance(assign.value, ast.Call) else None
                if "." not in receiver and file.owner(assign) is not file.owner(statement):
                    continue  # a variable of another function
                if function is not None and last(function) in SCHEDULES and assign.value.args:
                    prefix = file.source(function).rpartition(".")[0]
                    prefix = prefix or "torch.optim.lr_scheduler"
                    text = f"{prefix}.ReduceLROnPlateau({file.source(assign.value.args[0])})"
                    edits = [file.replace(assign.value, text)]
                    if "torch" in file.imported or prefix != "torch.optim.lr_scheduler":
                        yield Mutant(edits, [file.mark(statement)])
                        if counter:
                            given = file.replace(statement, f"{receiver}.step({counter})")
                            yield Mutant([*edits, given], [file.mark(statement)])
    for found, optimizer, epochs in bare(file):
        name, edit = with_schedule(file, optimizer, "ReduceLROnPlateau({}, patience=5)")
        loss = file.source(found.loss)
        yield Mutant([edit, file.after(epochs.body[-1], f"{name}.step({file.source(epochs.target)})")], [])
        if re.fullmatch(r"\w+", loss):
            yield Mutant([edit, file.after(epochs.body[-1], f"{name}.step({loss})")], [])


@operator("absolute-lambda-lr")
def rate_for_factor(unit: Unit, file: File) -> Iterator[Mutant]:
    """The function of a `LambdaLR` multiplies with the learning rate of its optimizer."""
    for call in file.calls("LambdaLR"):
        function = next(
            (n for n in (*call.args[1:], *(k.value for k in call.keywords)) if isinstance(n, ast.Lambda)), None
        )
        built = made(file, file.source(call.args[0])) if call.args else None
        rate = next((k.value for k in getattr(built and built.value, "keywords", ()) if k.arg == "lr"), None)
        if function is not None and rate is not None and file.source(rate) not in ("1", "1.0"):
            text = f"{file.source(rate)} * ({file.source(function.body)})"
            yield Mutant([file.replace(function.body, text)], [file.mark(call), file.mark(function.body)])


@operator("scheduler-of-replaced-optimizer")
def optimizer_built_again(unit: Unit, file: File) -> Iterator[Mutant]:
    """An optimizer is built once more behind the schedule that holds it."""
    for call in (n for n in ast.walk(file.tree) if isinstance(n, ast.Call) and last(n.func) in SCHEDULES and n.args):
        built, statement = made(file, file.source(call.args[0])), file.statement(call)
        ticked = [c for c in file.calls("step") if file.loops(c) and "sched" in file.source(c.func)]
        if built is not None and ticked and file.block(statement) == file.block(built) and not file.loops(built):
            yield Mutant([file.after(statement, file.source(built))], [file.mark(c) for c in ticked])
