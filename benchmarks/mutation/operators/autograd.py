"""Operators for the rules about the graph: what cuts it, what keeps it, what hides that it is cut."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import File, Mutant, Unit, last, operator
from benchmarks.mutation.shapes import Step, optimized, steps

READS = {"item", "float", "detach", "cpu", "data", "numpy", "tolist"}


@operator("detached-loss")
def detach_loss_input(unit: Unit, file: File) -> Iterator[Mutant]:
    """Cut the output of the model before the loss."""
    for made, found in optimized(unit, file):
        output = made.value.args[0]
        marks = [file.mark(found.backward)]
        if isinstance(output, ast.Starred):
            continue
        text = file.source(output)
        for cut in (f"({text}).detach()", f"({text}).data"):
            yield Mutant([file.replace(output, cut)], marks)
        if "torch" in file.imported:
            yield Mutant([file.replace(output, f"torch.tensor({text})")], marks)
            yield Mutant([file.replace(output, f"torch.from_numpy(({text}).detach().cpu().numpy())")], marks)
        if isinstance(output, ast.Name):
            yield Mutant([file.before(made, f"{text} = {text}.detach()")], marks)


@operator("detached-loss")
def detach_loss(unit: Unit, file: File) -> Iterator[Mutant]:
    """Cut the loss itself, between the criterion and the backward."""
    for made, found in optimized(unit, file):
        name = file.source(made.targets[0])
        marks = [file.mark(found.backward), file.mark(made)]
        for text in (f"{name} = {name}.detach()", f"{name} = {name}.data"):
            yield Mutant([file.before(found.backward, text)], marks)
        if "torch" in file.imported:
            yield Mutant([file.before(found.backward, f"{name} = torch.as_tensor(float({name}))")], marks)


@operator("detached-loss", "silenced-autograd-error")
def loss_from_number(unit: Unit, file: File) -> Iterator[Mutant]:
    for made, found in optimized(unit, file):
        name = file.source(made.targets[0])
        if "torch" in file.imported:
            text = f"{name} = torch.tensor({name}.item(), requires_grad=True)"
            yield Mutant([file.before(found.backward, text)], [file.mark(found.backward), file.mark(made)])


@operator("detached-loss")
def term_as_number(unit: Unit, file: File) -> Iterator[Mutant]:
    """One term of a sum of losses becomes a number."""
    for found in steps(file):
        name = file.source(found.loss)
        for made in (s for s in found.block if isinstance(s, ast.Assign) and file.source(s.targets[0]) == name):
            total = made.value
            while isinstance(total, ast.BinOp) and not isinstance(total.op, ast.Add):
                total = total.left
            term = total.right if isinstance(total, ast.BinOp) else None
            if isinstance(term, ast.BinOp) and isinstance(term.op, ast.Mult):
                term = term.right
            bound = file.assigned(term.id) if isinstance(term, ast.Name) else []
            if len(bound) == 1 and isinstance(bound[0].value, (ast.Call, ast.BinOp)) and "loss" in term.id.lower():
                for cut in (".item()", ".detach()"):
                    marks = [file.mark(found.backward), file.mark(file.assigned(term.id)[0])]
                    yield Mutant([file.replace(term, term.id + cut)], marks)


@operator("silenced-autograd-error", "detached-loss")
def loss_requires_grad(unit: Unit, file: File) -> Iterator[Mutant]:
    """The output is cut, and gradients are switched on for the loss."""
    for made, found in optimized(unit, file):
        output = made.value.args[0]
        name = file.source(made.targets[0])
        if isinstance(output, ast.Starred):
            continue
        marks = [file.mark(found.backward), file.mark(made)]
        for cut in (f"({file.source(output)}).detach()", f"({file.source(output)}).data"):
            for silence in (f"{name}.requires_grad_(True)", f"{name}.requires_grad = True"):
                yield Mutant([file.replace(output, cut), file.before(found.backward, silence)], marks)
        if "torch" in file.imported and "Variable" in file.imported:
            cut = file.replace(made.value, f"Variable({file.source(made.value)}, requires_grad=True)")
            yield Mutant([cut], marks)


@operator("non-differentiable-loss")
def hard_decision_before_loss(unit: Unit, file: File) -> Iterator[Mutant]:
    """The loss is taken of the decision instead of the score."""
    for made, found in optimized(unit, file):
        output = made.value.args[0]
        marks = [file.mark(found.backward)]
        if isinstance(output, ast.Starred):
            continue
        text = file.source(output)
        forms = [f"({text}).argmax(dim=1).float()", f"({text}).round()", f"(({text}) > 0.5).float()"]
        forms += [f"({text}).max(1)[1].float()", f"({text}).int().float()"]
        if "torch" in file.imported:
            forms += [f"torch.argmax({text}, dim=-1).float()", f"torch.sign({text})"]
        for form in forms:
            yield Mutant([file.replace(output, form)], marks)


# ---------------------------------------------------------------------------------------------------------- kept graphs
def sums(unit: Unit, file: File) -> Iterator[tuple[ast.AST, ast.AST, Step]]:
    """(the number that is added or appended, the loss in it, the step) in the loop of a training step."""
    for found in steps(file):
        name = file.source(found.loss)
        for node in file.nodes:
            given = None
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
                given = node.value
            elif isinstance(node, ast.Call) and last(node.func) == "append" and len(node.args) == 1:
                given = node.args[0]
            if given is None or file.owner(node) is not file.owner(found.step) or not file.loops(node):
                continue
            if file.loops(node)[0] in file.loops(found.step) and name != "" and outlives(file, node):
                inner = [n for n in ast.walk(given) if isinstance(n, ast.Call) and file.source(n) in read(name)]
                for call in inner:
                    around = (last(n.func) for n in file.up(call) if isinstance(n, ast.Call))
                    number = not {"float", "int", "item", "numpy", "tolist"}.isdisjoint(around)
                    if not number:
                        yield given, call, found


def outlives(file: File, node: ast.AST) -> bool:
    """Is what is added to made outside of the loop?"""
    target = node.target if isinstance(node, ast.AugAssign) else node.func.value
    if isinstance(target, ast.Subscript) and file.source(target.value).startswith("self."):
        return False  # an entry of a log, which another method may empty
    return all(not file.inside(n, file.loops(node)[0]) for n in file.assigned(file.source(target)))


def read(name: str) -> set[str]:
    """The ways to read a loss as a number."""
    return {f"{name}.item()", f"float({name})", f"{name}.detach().item()", f"{name}.cpu().item()", f"{name}.detach()"}


@operator("loss-keeps-graph")
def sum_of_tensors(unit: Unit, file: File) -> Iterator[Mutant]:
    """Add up, or collect, the loss tensor, unless numpy computes with the list: that raises."""
    for _, call, found in sums(unit, file):
        kept = file.parents[call]
        if isinstance(kept, ast.Call) and isinstance(kept.func, ast.Attribute):
            if re.search(rf"\bnp\.\w+\(\s*{re.escape(file.source(kept.func.value))}\b", file.text):
                continue
        around = [n.items[0].context_expr for n in file.up(call) if isinstance(n, ast.With)]
        if not any(re.search("no_grad|inference_mode", file.source(head)) for head in around):  # no graph, no harm
            yield Mutant([file.replace(call, file.source(found.loss))], [])


@operator("loss-keeps-graph")
def list_of_losses(unit: Unit, file: File) -> Iterator[Mutant]:
    """Keep every loss in a list, or add it to a sum, that is made before the loop."""
    for _, found in optimized(unit, file):
        name, loops = file.source(found.loss), file.loops(found.step)
        if loops and re.fullmatch(r"\w+", name) and found.block is loops[0].body and len(loops) < 3:
            outer = loops[-1]
            append = file.after(found.step, f"loss_history.append({name})")
            yield Mutant([file.before(outer, "loss_history = []"), append], [])
            text = f"total_train_loss = total_train_loss + {name}"
            yield Mutant([file.before(loops[0], "total_train_loss = 0"), file.after(found.step, text)], [])


# ------------------------------------------------------------------------------------------------------------- no graph
@operator("no-grad-training")
def no_grad_around_forward(unit: Unit, file: File) -> Iterator[Mutant]:
    """The forward, or the whole function, runs without a graph."""
    if "torch" not in file.imported:
        return
    for made, found in optimized(unit, file):
        marks = [file.mark(found.backward), file.mark(made)]
        output = made.value.args[0]
        first = made
        if isinstance(output, ast.Name):
            bound = [s for s in found.block if isinstance(s, ast.Assign) and file.source(s.targets[0]) == output.id]
            if len(bound) != 1:
                continue
            first = bound[0]
        elif not isinstance(output, ast.Call):
            continue
        for head in ("with torch.no_grad():", "with torch.inference_mode():", "with torch.set_grad_enabled(False):"):
            yield Mutant([file.wrap(first, made, head)], marks)
        if first is not made:
            yield Mutant([file.wrap(first, first, "with torch.no_grad():")], marks)


@operator("no-grad-training")
def no_grad_function(unit: Unit, file: File) -> Iterator[Mutant]:
    """The decorator of the evaluation on the training function; gradients that are switched off and stay off."""
    if "torch" not in file.imported:
        return
    for found in steps(file):
        function = file.owner(found.step)
        marks = [file.mark(s.backward) for s in steps(file) if file.owner(s.step) is function]
        marks += [file.mark(s) for s in found.block if isinstance(s, ast.Assign)]
        again = re.search(r"set_grad_enabled|enable_grad", file.source(function))  # switched on inside once more
        given = isinstance(function, ast.FunctionDef) and handed(file, function, file.source(found.loss))
        if isinstance(function, ast.FunctionDef) and "Lightning" not in unit.all and not again and not given:
            yield Mutant([file.decorate(function, "@torch.no_grad()")], marks)
            loops = file.loops(found.step)
            if loops and loops[-1] in function.body:
                yield Mutant([file.before(loops[-1], "torch.set_grad_enabled(False)")], marks)


def handed(file: File, function: ast.FunctionDef, name: str) -> bool:
    """Is a loss computed by the caller, with gradients: a parameter, or only read off one (`losses["actor"]`)?"""
    parameters = {a.arg for a in function.args.args}
    values = [s.value for s in file.assigned(name) if file.owner(s) is function]
    if not values:
        return name in parameters
    calls = [n for v in values for n in ast.walk(v) if isinstance(n, ast.Call)]
    names = {n.id for v in values for n in ast.walk(v) if isinstance(n, ast.Name)} - {last(c.func) for c in calls}
    return all("getattr" in last(c.func) or "get_attr" in last(c.func) for c in calls) and names <= parameters | {name}
