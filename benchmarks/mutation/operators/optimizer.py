"""Operators for the rules about optimizers: clear, backward, clip, step."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import Edit, File, Mark, Mutant, Unit, keyword, last, operator
from benchmarks.mutation.shapes import Step, clears, made, modules, only_clears, optimized, steps

WHOLE = re.compile(r"[^,]*\.parameters\(\)")


def around(file: File, found: Step) -> list[Mark]:
    """The statements of a training step, each of which may be blamed for its order."""
    own = list(clears(file, file.owner(found.step), found.optimizer))
    return [file.mark(s) for s in (found.backward, found.step, *own)]


def parameters(file: File, found: Step) -> str:
    """The model whose parameters the optimizer of a step holds, as written where it is built; empty if unclear."""
    built = made(file, found.optimizer)
    if built is None or not built.value.args:
        return ""
    given = file.source(built.value.args[0])
    return given if WHOLE.fullmatch(given) else ""


def single(file: File, found: Step) -> bool:
    """Is it the only step of its function?"""
    return sum(file.owner(s.step) is file.owner(found.step) for s in steps(file)) == 1


# ------------------------------------------------------------------------------------------------------------- clearing
@operator("missing-zero-grad")
def delete_zero_grad(unit: Unit, file: File) -> Iterator[Mutant]:
    """Delete it, comment it out, or clear only in the first round."""
    for found in steps(file):
        cleared = only_clears(file, found)
        if not cleared or not file.loops(found.step):
            continue
        marks = around(file, found)
        yield Mutant([file.delete(s) for s in cleared], marks)
        yield Mutant([file.comment(s) for s in cleared], marks)
        target = file.loops(found.step)[0].target if isinstance(file.loops(found.step)[0], ast.For) else None
        counter = (
            target.elts[0]
            if isinstance(target, ast.Tuple) and "enumerate" in file.source(file.loops(found.step)[0].iter)
            else None
        )
        if counter is not None and len(cleared) == 1 and not file.inside(found.step, ast.If):
            yield Mutant([file.wrap(cleared[0], cleared[0], f"if {file.source(counter)} == 0:")], marks)


@operator("missing-zero-grad")
def zero_grad_per_epoch(unit: Unit, file: File) -> Iterator[Mutant]:
    """Clear before the loop over the batches, unless the optimizer is what the loop goes through."""
    for found in steps(file):
        cleared = only_clears(file, found)
        if len(cleared) == 1 and cleared[0] in found.block and file.loops(found.step) and single(file, found):
            loop = file.loops(found.step)[0]
            drawn = [last(n) for n in ast.walk(loop.target)] if isinstance(loop, ast.For) else []
            if found.block is loop.body and found.optimizer.partition(".")[0] not in drawn:
                edits = [file.before(loop, file.source(cleared[0])), file.delete(cleared[0])]
                yield Mutant(edits, around(file, found))


@operator("gradients-discarded")
def zero_grad_after_backward(unit: Unit, file: File) -> Iterator[Mutant]:
    """Clear between backward and step, through the optimizer or the model."""
    for found in steps(file):
        cleared = [s for s in only_clears(file, found) if s in found.block]
        marks = around(file, found)
        if len(cleared) == 1:
            yield Mutant([file.delete(cleared[0]), file.before(found.step, file.source(cleared[0]))], marks)
            after = file.next(found.backward)
            if after is not None and after is not found.step:
                yield Mutant([file.delete(cleared[0]), file.before(after, file.source(cleared[0]))], marks)
        model = parameters(file, found).partition(".parameters")[0]
        if model and cleared and file.owner(made(file, found.optimizer)) is file.owner(found.step):
            yield Mutant([file.before(found.step, f"{model}.zero_grad()")], marks)


@operator("step-before-backward", "gradients-discarded")
def step_before_backward(unit: Unit, file: File) -> Iterator[Mutant]:
    for found in steps(file):
        if only_clears(file, found) and not isinstance(found.step.value.func.value, ast.Call):
            if "scaler" not in file.source(found.step):
                edits = [file.before(found.backward, file.source(found.step)), file.delete(found.step)]
                yield Mutant(edits, around(file, found))


@operator("step-before-backward", "backward-without-step")
def delete_backward(unit: Unit, file: File) -> Iterator[Mutant]:
    """No backward at all."""
    for found in steps(file):
        owner = file.owner(found.step)
        others = [s for s, _, _ in file.actions("backward") if file.owner(s) is owner]
        if only_clears(file, found) and len(others) == 1 and "scaler" not in file.source(found.backward):
            yield Mutant([file.delete(found.backward)], around(file, found))
            yield Mutant([file.comment(found.backward)], around(file, found))


@operator("backward-without-step")
def delete_step(unit: Unit, file: File) -> Iterator[Mutant]:
    """No step at all. Where a gradient scaler is updated, that raises unless `unscale_` has looked at gradients."""
    seen = [s.optimizer for s in steps(file)]
    for found in steps(file):
        again = list(file.actions("step", f"^{re.escape(found.optimizer)}$"))
        scaled = "scaler" in file.source(found.step)
        if scaled and any(file.actions("update", "scaler")) and not any(file.actions("unscale_")):
            continue
        if seen.count(found.optimizer) == 1 and len(again) == (0 if scaled else 1):
            others = (s for s, _, _ in file.actions("backward") if s in found.block)  # one may fill the same gradients
            marks = [*around(file, found), *map(file.mark, others)]
            yield Mutant([file.delete(found.step)], marks)
            yield Mutant([file.comment(found.step)], marks)


# --------------------------------------------------------------------------------------------------------- accumulation
def counted(file: File, found: Step) -> tuple[str, list[Edit]]:
    """`(i + 1) % 4 == 0` in a loop where backward, clear and step stand plainly, and what enumerates the loop if it is
    not; an empty test where it cannot be told."""
    loop = file.loops(found.step)[0] if file.loops(found.step) else None
    if not isinstance(loop, ast.For) or found.block is not loop.body or not single(file, found):
        return "", []
    if isinstance(loop.target, ast.Tuple) and isinstance(loop.target.elts[0], ast.Name):
        if re.search(r"\benumerate\(", file.source(loop.iter)):
            return f"({loop.target.elts[0].id} + 1) % 4 == 0", []
    if isinstance(loop.iter, (ast.Name, ast.Attribute)) and not re.search(r"\bmicro\b", file.text):
        target = file.source(loop.target)
        target = f"({target})" if isinstance(loop.target, ast.Tuple) and not target.startswith("(") else target
        edits = [file.replace(loop.target, f"micro, {target}")]
        return "(micro + 1) % 4 == 0", [*edits, file.replace(loop.iter, f"enumerate({file.source(loop.iter)})")]
    return "", []


@operator("accumulation-reset")
def clear_each_micro_batch(unit: Unit, file: File) -> Iterator[Mutant]:
    """Step every fourth batch, and go on clearing at each."""
    for found in steps(file):
        (test, counting), cleared = counted(file, found), only_clears(file, found)
        if test and len(cleared) == 1 and cleared[0] in found.block:
            name = file.source(found.loss)
            divided = file.before(found.backward, f"{name} = {name} / 4")
            marks = around(file, found)
            yield Mutant([*counting, divided, file.wrap(found.step, found.step, f"if {test}:")], marks)
    for cleared, guard, step in accumulating(file):
        edits = [file.delete(cleared), file.before(file.loops(step)[0].body[0], file.source(cleared))]
        yield Mutant(edits, [file.mark(step)] if guard else [])


def sizeless(unit: Unit, file: File, found: Step) -> bool:
    """Does an optimizer divide by the size of its gradients, so that four times as large they move as much?"""
    built = made(file, found.optimizer, file.owner(found.step)) or made(file, found.optimizer)
    adaptive = built is not None and re.search(
        r"\b(Adam|AdamW|RAdam|NAdam|Adamax|RMSprop|Adagrad)\(", file.source(built)
    )
    penalty = built is not None and "weight_decay" in file.source(built) and "AdamW(" not in file.source(built)
    return bool(adaptive) and not penalty and "clip_grad" not in unit.all


@operator("unnormalized-accumulation")
def accumulate_whole_losses(unit: Unit, file: File) -> Iterator[Mutant]:
    """Step every fourth batch without dividing the loss."""
    for (_, found), (test, counting) in ((o, counted(file, o[1])) for o in optimized(unit, file)):
        cleared = only_clears(file, found)
        if test and len(cleared) == 1 and cleared[0] in found.block and not re.search(r"reduction", unit.all):
            if sizeless(unit, file, found):
                continue
            guarded = f"if {test}:\n    {file.source(found.step)}\n    {file.source(cleared[0])}"
            edits = [file.delete(cleared[0]), file.before(found.step, guarded), file.delete(found.step)]
            yield Mutant([*counting, *edits], around(file, found))


@operator("unnormalized-accumulation")
def drop_division(unit: Unit, file: File) -> Iterator[Mutant]:
    """Only where the size of gradients matters, for which some optimizer must be seen that minds it."""
    if not re.search(r"\bSGD\(", unit.all):
        return
    backwards = [file.mark(s) for s, _, _ in file.actions("backward")]
    for node in file.nodes:
        if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div):
            count = node.right if isinstance(node, ast.BinOp) else node.value
            guard = re.search(r"%\s*" + re.escape(file.source(count)), file.text)
            named = re.search("loss", file.source(file.statement(node)), re.IGNORECASE)
            if guard and named and re.search("acc|grad", file.source(count)) and backwards:
                whole = file.source(node.left) if isinstance(node, ast.BinOp) else "pass"
                yield Mutant([file.replace(node, whole)], backwards)


@operator("uneven-accumulation")
def count_from_nought(unit: Unit, file: File) -> Iterator[Mutant]:
    """Step every fourth batch, on the first one already. Where a settings file says that each batch is a step, nothing
    changes."""
    for _, guard, _ in accumulating(file):
        divisor = (
            guard.test.left.right
            if isinstance(guard.test, ast.Compare) and isinstance(guard.test.left, ast.BinOp)
            else None
        )
        if re.search(rf"^\s*{last(divisor) or '?'}\s*=\s*1\s*$", unit.all, re.MULTILINE):
            continue
        match guard.test:
            case ast.Compare(
                left=ast.BinOp(left=ast.BinOp(left=ast.Name() as count, op=ast.Add()) as sum_, op=ast.Mod())
            ):
                if re.search(rf"for {count.id}, .* in enumerate\((?!.*(start=|, *1\)))", file.text):
                    yield Mutant([file.replace(sum_, count.id)], [file.mark(guard.test)])
    for found in steps(file):
        (test, counting), cleared = counted(file, found), only_clears(file, found)
        if test and len(cleared) == 1 and cleared[0] in found.block:
            name = file.source(found.loss)
            divided = file.before(found.backward, f"{name} = {name} / 4")
            first = test.replace("(", "", 1).replace(" + 1)", "", 1)
            guarded = f"if {first}:\n    {file.source(found.step)}\n    {file.source(cleared[0])}"
            edits = [file.delete(cleared[0]), file.before(found.step, guarded), file.delete(found.step)]
            yield Mutant([*counting, divided, *edits], around(file, found))


def accumulating(file: File) -> Iterator[tuple[ast.Expr, ast.If, ast.Expr]]:
    """(clear, `if ... % k`, step) where clear and step stand under a modulo test in a loop with the backward."""
    for step, call, receiver in file.actions("step", "opt"):
        guard = file.parents[step]
        if call.args or not isinstance(guard, ast.If) or "%" not in file.source(guard.test) or not file.loops(step):
            continue
        if any(file.inside(s, guard) for s, _, _ in file.actions("backward")):
            continue
        for clear, _, other in file.actions("zero_grad"):
            if other == receiver and file.parents[clear] is guard:
                yield clear, guard, step


# ------------------------------------------------------------------------------------------------------------- clipping
def clips(file: File) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """(clip, the step after it) in one block."""
    for clip, _, _ in [*file.actions("clip_grad_norm_"), *file.actions("clip_grad_value_")]:
        block = file.block(clip)
        for step in (s for s, _, _ in file.actions("step", "scaler|opt") if s in block):
            if block.index(clip) < block.index(step):
                yield clip, step
                break


@operator("ineffective-clipping")
def clip_after_step(unit: Unit, file: File) -> Iterator[Mutant]:
    """Move the clip behind the step, or in front of the backward."""
    for clip, step in clips(file):
        block = file.block(clip)
        final = [s for s, _, _ in file.actions("step", "scaler|opt") if s in block][-1]
        yield Mutant([file.delete(clip), file.after(final, file.source(clip))], [file.mark(step), file.mark(final)])
        backward = [s for s, _, _ in file.actions("backward") if s in block and s.lineno < clip.lineno]
        cleared = [s for s, _, _ in file.actions("zero_grad") if s in block and s.lineno < clip.lineno]
        if backward and cleared and "unscale_" not in file.text:
            edits = [file.before(backward[-1], file.source(clip)), file.delete(clip)]
            yield Mutant(edits, [file.mark(step)])


@operator("ineffective-clipping")
def clip_added_at_the_wrong_place(unit: Unit, file: File) -> Iterator[Mutant]:
    """Clip after the step, in a loop that clears before its backward."""
    for found in steps(file):
        model = parameters(file, found)
        cleared = [s for s in only_clears(file, found) if s in found.block and s.lineno < found.backward.lineno]
        near = made(file, found.optimizer) is not None and (
            file.owner(made(file, found.optimizer)) is file.owner(found.step)
            or found.optimizer.startswith("self.")
            or file.owner(made(file, found.optimizer)) is file.tree
        )
        if model and cleared and near and file.nn and "clip_grad" not in file.text and single(file, found):
            if "scaler" not in file.source(found.step):
                text = f"{file.nn}.utils.clip_grad_norm_({model}, 1.0)"
                yield Mutant([file.after(found.step, text)], [file.mark(found.step)])


@operator("clip-before-unscale")
def drop_unscale(unit: Unit, file: File) -> Iterator[Mutant]:
    for statement, _, _ in file.actions("unscale_"):
        for clip, step in clips(file):
            if clip in file.block(statement) and clip.lineno > statement.lineno:
                yield Mutant([file.delete(statement)], [file.mark(clip), file.mark(step)])
                yield Mutant([file.comment(statement)], [file.mark(clip), file.mark(step)])
                edits = [file.delete(statement), file.after(clip, file.source(statement))]
                yield Mutant(edits, [file.mark(clip), file.mark(step)])


@operator("clip-before-unscale")
def clip_scaled_gradients(unit: Unit, file: File) -> Iterator[Mutant]:
    """Clip in a loop with a gradient scaler that does not clip."""
    for found in steps(file):
        model = parameters(file, found)
        if model and "scaler" in file.source(found.step) and file.nn and "clip_grad" not in file.text:
            if "scale(" in file.source(found.backward) and single(file, found):
                text = f"{file.nn}.utils.clip_grad_norm_({model}, max_norm=1.0)"
                yield Mutant([file.before(found.step, text)], [file.mark(found.step)])


# ---------------------------------------------------------------------------------------------------------- GradScaler
@operator("grad-scaler-protocol")
def break_scaler(unit: Unit, file: File) -> Iterator[Mutant]:
    """Leave one call of the scaler's protocol out, or take it twice."""
    updates = list(file.actions("update", "scaler"))
    for found in steps(file):
        if "scaler" not in file.source(found.step) or not single(file, found):
            continue
        scaler = file.source(found.step.value.func.value)
        marks = around(file, found)
        for update in [u for u, _, r in updates if r == scaler and len(updates) == 1]:
            yield Mutant([file.delete(update)], marks)
            yield Mutant([file.delete(update), file.before(found.step, file.source(update))], marks)
        yield Mutant([file.replace(found.step, f"{found.optimizer}.step()")], marks)
        backward = found.backward.value.func
        if isinstance(backward.value, ast.Call) and last(backward.value.func) == "scale":
            yield Mutant([file.replace(backward.value, file.source(found.loss))], marks)
        twice = f"{scaler}.unscale_({found.optimizer})"
        unscales = [s for s, _, r in file.actions("unscale_") if r == scaler and s in found.block]
        if len(unscales) == 1:
            yield Mutant([file.before(found.step, twice)], [*marks, file.mark(unscales[0])])


# ------------------------------------------------------------------------------------------------------------ lifetimes
def stateless(text: str) -> bool:
    return "SGD(" in text and not re.search(r"momentum *= *(?!0(\.0*)?[,)])", text)


def free(file: File, made: ast.AST, function: ast.FunctionDef, model: str) -> set[str]:
    """What an expression reads that neither a function is given nor the script binds: there, it would raise."""
    read = {n.id for n in ast.walk(made) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    body = [n for s in file.tree.body for n in ([s] if isinstance(s, (ast.FunctionDef, ast.ClassDef)) else ast.walk(s))]
    bound = {n.id for n in body if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.name for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
    bound |= {(n.asname or n.name).partition(".")[0] for n in body if isinstance(n, ast.alias)}
    return read - bound - {a.arg for a in function.args.args} - {model, "self"} - set(dir(builtins))


@operator("optimizer-recreated")
def optimizer_in_loop(unit: Unit, file: File) -> Iterator[Mutant]:
    """Build the optimizer in the loop over epochs or batches."""
    for found in steps(file):
        built = made(file, found.optimizer)
        if built is None or file.owner(built) is not file.owner(found.step) or file.loops(built):
            continue
        text = file.source(built)
        loops = file.loops(found.step)
        kept = re.search(r"lr_scheduler|sched", file.text, re.IGNORECASE)
        for loop in loops[:2]:
            epochs = isinstance(loop, ast.For) and re.search("epoch", file.source(loop.target), re.IGNORECASE)
            if "\n" not in text and not stateless(text) and (epochs or loop is loops[0]):
                edits = [file.before(loop.body[0], text)]
                yield Mutant(edits if kept else [*edits, file.delete(built)], [file.mark(found.step)])


@operator("optimizer-recreated")
def optimizer_in_function(unit: Unit, file: File) -> Iterator[Mutant]:
    """Build the optimizer anew in the function that trains one epoch."""
    for found in steps(file):
        function = file.owner(found.step)
        built = made(file, found.optimizer)
        if built is None or not isinstance(function, ast.FunctionDef) or len(file.loops(found.step)) != 1:
            continue
        text = file.source(built)
        model = parameters(file, found).partition(".parameters")[0]
        reaches = found.optimizer.startswith("self.") and function.name != "__init__"
        loop = file.loops(found.step)[0]
        turned = [c for c in file.uses(function) if file.loops(c)]
        passed = [a.arg for a in function.args.args]
        known = (reaches or model in passed) and not free(file, built.value, function, model)
        if model and known and turned and "\n" not in text and not stateless(text):
            if file.owner(built) is not function and loop in function.body:
                yield Mutant([file.before(loop, text)], [file.mark(found.step)])


@operator("stale-parameters")
def replace_after_optimizer(unit: Unit, file: File) -> Iterator[Mutant]:
    """Build the model again after the optimizer got its parameters, or replace its head."""
    for found in steps(file):
        model = parameters(file, found).partition(".parameters")[0]
        built = made(file, found.optimizer)
        before = made(file, model) if model else None
        if before is None or file.owner(before) is not file.owner(built) or before.lineno > built.lineno:
            continue
        text, names = file.source(before), {c.name for f in unit.files for c in modules(unit, f)}
        if not any(last(c.func) in names for c in ast.walk(before.value) if isinstance(c, ast.Call)):
            continue
        mentioned = [
            n for n in file.nodes if before.lineno < n.lineno < built.lineno and last(n) == last(before.targets[0])
        ]
        if "\n" not in text and not mentioned and file.block(before) is file.block(built):
            yield Mutant([file.after(built, text)], [file.mark(built)])


@operator("unfrozen-not-optimized")
def take_trainable_only(unit: Unit, file: File) -> Iterator[Mutant]:
    """Where a file unfreezes what it froze, the optimizer takes only what is trainable when it is built. What asks for
    gradients of its input, `x.requires_grad_()`, thaws nothing."""
    thaws = [
        s
        for s, _, r in file.actions("requires_grad_")
        if not re.search(r"False\)$", file.source(s)) and ("." in r or drawn_from_parameters(file, s))
    ]
    thaws += [n for n in file.nodes if isinstance(n, ast.Assign) and file.source(n).endswith("requires_grad = True")]
    for found in steps(file):
        given, built = parameters(file, found), made(file, found.optimizer)
        if thaws and given and built is not None and "add_param_group" not in unit.all:
            text = f"[p for p in {given} if p.requires_grad]"
            yield Mutant([file.replace(built.value.args[0], text)], [file.mark(s) for s in thaws])


def drawn_from_parameters(file: File, statement: ast.stmt) -> bool:
    """Does a statement stand in a loop over parameters?"""
    return any(isinstance(n, ast.For) and "parameters(" in file.source(n.iter) for n in file.loops(statement))


@operator("ineffective-freeze")
def freeze_attribute(unit: Unit, file: File) -> Iterator[Mutant]:
    """Freeze by an attribute that PyTorch never reads."""
    for loop in (n for n in file.nodes if isinstance(n, ast.For) and len(n.body) == 1):
        body = file.source(loop.body[0])
        if re.search(r"\.parameters\(\)$", file.source(loop.iter)) and re.search(r"\.requires_grad\s*=\s*False$", body):
            owner = file.source(loop.iter.func.value)
            if "[" in owner:
                continue  # what comes out of a file may be anything
            yield Mutant([file.replace(loop, f"{owner}.requires_grad = False")], [])
            yield Mutant([file.replace(loop.body[0], body.replace("requires_grad", "require_grad"))], [])
            yield Mutant([file.replace(loop.body[0], re.sub(r"\s=\s*False", " == False", body))], [])
    for statement, _, receiver in file.actions("requires_grad_"):
        loops = [loop for loop in file.loops(statement) if isinstance(loop, ast.For)]
        of_each = any(
            receiver == file.source(n) for loop in loops for n in ast.walk(loop.target) if hasattr(n, "lineno")
        )
        leaf = re.search(r"\.(weight|bias|data|grad)$", receiver)  # a tensor, which the attribute freezes
        if file.source(statement).endswith("(False)") and not of_each and not leaf:
            yield Mutant([file.replace(statement, f"{receiver}.requires_grad = False")], [])


@operator("ineffective-freeze")
def freeze_model(unit: Unit, file: File) -> Iterator[Mutant]:
    """`model.requires_grad = False` where a model is built."""
    names = {c.name for f in unit.files for c in modules(unit, f)}
    for node in file.nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and last(node.value.func) in names:
            target = node.targets[0]
            if isinstance(target, (ast.Name, ast.Attribute)) and not keyword(node.value, "requires_grad"):
                inner = [n for n in file.nodes if isinstance(n, ast.Attribute) and last(n.value) == last(target)]
                if any(n.attr in ("parameters", "train", "eval", "state_dict") for n in inner):
                    yield Mutant([file.after(node, f"{file.source(target)}.requires_grad = False")], [])


# --------------------------------------------------------------------------------------------------- of another model
@operator("wrong-parameters")
def parameters_of_the_other(unit: Unit, file: File) -> Iterator[Mutant]:
    """Two models, two optimizers, and the parameters of one model in both."""
    made: list[tuple[ast.AST, str, ast.Call]] = []
    for given in file.calls("parameters"):
        call = file.parents[given]
        if isinstance(call, ast.Call) and call.args[:1] == [given] and isinstance(file.parents[call], ast.Assign):
            target = file.source(file.parents[call].targets[0])
            if any(True for _ in file.actions("step", f"^{re.escape(target)}$")):
                made.append((file.owner(call), file.source(given.func.value), given))
    for owner, model, given in made:
        others = [m for o, m, _ in made if o is owner and m != model]
        late = [m for m in others if any(file.owner(a) is owner and a.lineno > given.lineno for a in file.assigned(m))]
        if len(others) == 1 and not late and sum(m == model for _, m, _ in made) == 1:
            marks = [file.mark(s.step) for s in steps(file)] + [file.mark(s.backward) for s in steps(file)]
            yield Mutant([file.replace(given, f"{others[0]}.parameters()")], marks)
