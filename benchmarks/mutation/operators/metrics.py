"""Operators for the rules about metrics, shapes and numbers: what a metric is given, and which numbers are compared."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import File, Mutant, Unit, keyword, last, operator
from benchmarks.mutation.shapes import losses, steps

CURVES = ("roc_auc_score", "average_precision_score", "roc_curve", "precision_recall_curve", "log_loss")
CALLBACKS = ("ModelCheckpoint", "EarlyStopping")
INFINITE = r"-?(float\(['\"]-?inf(inity)?['\"]\)|(np|numpy|math|torch)\.inf)"


@operator("scores-from-decisions")
def classes_for_scores(unit: Unit, file: File) -> Iterator[Mutant]:
    """`clf.predict_proba(X)[:, 1]`, in place or in the assignment of a name, becomes `clf.predict(X)`."""
    for call in file.calls(*CURVES):
        for argument in call.args[1:2]:
            name = file.source(argument)
            found = [a.value for a in file.assigned(name) if file.owner(a) is file.owner(call)] or [argument]
            if len(found) == 1 and re.search(r"\.predict_proba\(.*\)\[:, *-?1\]$", file.source(found[0])):
                text = re.sub(r"\.predict_proba\((.*)\)\[:, *-?1\]$", r".predict(\1)", file.source(found[0]))
                yield Mutant([file.replace(found[0], text)], [file.mark(call)])


@operator("metric-direction")
def forgotten_mode(unit: Unit, file: File) -> Iterator[Mutant]:
    """A callback of Lightning that watches for a maximum is no longer told so."""
    if not re.search(r"lightning", file.text):
        return
    for call in file.calls(*CALLBACKS):
        mode, monitor = keyword(call, "mode"), keyword(call, "monitor")
        if monitor is None or not isinstance(monitor.value, ast.Constant):
            continue  # of which metric, only the run tells
        if mode is not None and file.source(mode.value).strip("'\"") == "max":
            yield Mutant([file.replace(mode.value, '"min"')], [file.mark(call), file.mark(monitor.value)])


@operator("metric-direction")
def other_direction(unit: Unit, file: File) -> Iterator[Mutant]:
    """A schedule that waits for a maximum, or a study that looks for one, is no longer told so."""
    marks = [f.mark(c) for f in unit.files for c in f.calls("step", "optimize")]
    for name, said, instead in (("mode", "max", "min"), ("direction", "maximize", "minimize")):
        for call in file.calls("ReduceLROnPlateau" if name == "mode" else "create_study"):
            given = keyword(call, name)
            if given is not None and file.source(given.value).strip("'\"") == said:
                yield Mutant([file.replace(given.value, f'"{instead}"')], [file.mark(call), *marks])


@operator("best-never-updated")
def record_left_behind(unit: Unit, file: File) -> Iterator[Mutant]:
    """The assignment of the record is left out where weights are kept: `if acc > best: best = acc; torch.save(...)`."""
    for branch in (n for n in ast.walk(file.tree) if isinstance(n, ast.If) and isinstance(n.test, ast.Compare)):
        sides = [file.source(branch.test.left), *map(file.source, branch.test.comparators)]
        keeps = any(re.search(r"\.save\(|deepcopy\(.*state_dict", file.source(s)) for s in branch.body)
        written = [s for s in branch.body if isinstance(s, ast.Assign) and file.source(s.targets[0]) in sides]
        if not keeps or len(written) != 1 or len(branch.body) < 2 or not any(file.loops(s.step) for s in steps(file)):
            continue
        record = file.source(written[0].targets[0])
        others = [a for a in file.assigned(record) if a is not written[0]]
        if len(others) == 1 and re.fullmatch(r"-?(0|0\.0*|1|np\.inf|float\(.-?inf.\))", file.source(others[0].value)):
            yield Mutant([file.delete(written[0])], [file.mark(branch.test)])


@operator("thresholded-logits")
def probability_for_score(unit: Unit, file: File) -> Iterator[Mutant]:
    """A logit that is compared with zero is compared with one half."""
    given = {file.source(call.args[0]) for call in losses(unit, file, "BCEWithLogitsLoss")}
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.Gt)):
        zero = isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value in (0, 0.0)
        if zero and file.source(node.left) in given:
            yield Mutant([file.replace(node.comparators[0], "0.5")], [file.mark(node)])


@operator("thresholded-logits")
def sigmoid_left_out(unit: Unit, file: File) -> Iterator[Mutant]:
    """`torch.sigmoid(logits) > 0.5` becomes `logits > 0.5`, where the loss has a sigmoid of its own."""
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.Compare) and "WithLogits" in unit.all):
        half = isinstance(node.comparators[0], ast.Constant) and node.comparators[0].value == 0.5
        called = node.left if isinstance(node.left, ast.Call) and last(node.left.func) == "sigmoid" else None
        if half and called is not None and isinstance(called.func, ast.Attribute):
            given = called.args[0] if called.args else called.func.value
            yield Mutant([file.replace(called, file.source(given))], [file.mark(node)])


@operator("metric-direction")
def worst_kept(unit: Unit, file: File) -> Iterator[Mutant]:
    """The arguments of a trainer of transformers say the opposite of what is better."""
    for call in file.calls("TrainingArguments", "Seq2SeqTrainingArguments"):
        better, metric = keyword(call, "greater_is_better"), keyword(call, "metric_for_best_model")
        if better is None or metric is None or not isinstance(metric.value, ast.Constant):
            continue
        known = re.search(r"loss|accuracy|f1|rouge|bleu|wer|auc|perplexity", str(metric.value.value))
        if known and file.source(better.value) in ("True", "False"):
            text = "False" if file.source(better.value) == "True" else "True"
            yield Mutant([file.replace(better.value, text)], [file.mark(call), file.mark(metric.value)])


@operator("best-never-updated")
def other_infinity(unit: Unit, file: File) -> Iterator[Mutant]:
    """The record behind which weights are kept starts from the infinity that nothing outdoes."""
    for branch in (n for n in ast.walk(file.tree) if isinstance(n, ast.If) and isinstance(n.test, ast.Compare)):
        sides = [file.source(branch.test.left), *map(file.source, branch.test.comparators)]
        keeps = any(
            re.search(r"\.save\(|save_pretrained\(|deepcopy\(.*state_dict", file.source(s)) for s in branch.body
        )
        for record in sides if keeps and len(sides) == 2 else ():
            starts = [a for a in file.assigned(record) if re.fullmatch(INFINITE, file.source(a.value))]
            if len(starts) == 1 and len(file.assigned(record)) == 2:
                value = file.source(starts[0].value)
                text = (
                    re.sub(r"^-", "", value) if value.startswith("-") else value.replace("'-", "'").replace('"-', '"')
                )
                edit = file.replace(starts[0].value, text if text != value else f"-{value}")
                yield Mutant([edit], [file.mark(branch.test), file.mark(branch)])


@operator("activation-before-loss")
def rectified_scores(unit: Unit, file: File) -> Iterator[Mutant]:
    """What a criterion with a softmax of its own is given goes through ReLU first."""
    for call in losses(unit, file, "CrossEntropyLoss"):
        text = file.source(call.args[0])
        if not isinstance(call.args[0], ast.Starred) and not re.search(r"relu|tanh", text, re.IGNORECASE):
            for edit in file.spelled("relu", text):
                yield Mutant([file.replace(call.args[0], edit)], [file.mark(call)])


@operator("parameter-not-a-leaf")
def moved_parameter(unit: Unit, file: File) -> Iterator[Mutant]:
    """A parameter is moved where it becomes an attribute of its module; where there is none, optimizers refuse it."""
    for call in file.calls("Parameter"):
        target = file.parents[call]
        within = file.cls(call)
        if within is None or not within.bases or not isinstance(target, ast.Assign):
            continue
        if keyword(call, "requires_grad") is not None:
            continue
        if file.source(target.targets[0]).startswith("self.") and file.source(call.func).startswith(("nn.", "torch.")):
            yield Mutant([file.replace(call, f"{file.source(call)}.cuda()")], [file.mark(target.value)])


@operator("comparison-with-nan")
def equal_to_nan(unit: Unit, file: File) -> Iterator[Mutant]:
    """A question for NaN becomes a comparison."""
    for call in file.calls("isnan"):
        if len(call.args) == 1 and not call.keywords and re.match(r"(np|numpy|math|torch)\.", file.source(call.func)):
            text = f'({file.source(call.args[0])} == float("nan"))'
            yield Mutant([file.replace(call, text)], [file.mark(call)])


@operator("metric-averaging")
def batches_for_samples(unit: Unit, file: File) -> Iterator[Mutant]:
    """A sum over samples is divided by the number of batches."""
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)):
        length = re.fullmatch(r"len\((\w+)\.dataset\)", file.source(node.right))
        summed = re.search(
            rf"{re.escape(file.source(node.left))} \+= .*(\* *\w+\.(size\(0\)|shape\[0\])|\.sum\(\))", file.text
        )
        if length and summed:
            yield Mutant(
                [file.replace(node.right, f"len({length[1]})")], [file.mark(node), file.mark(file.statement(node))]
            )


@operator("metric-never-reset")
def begun_once(unit: Unit, file: File) -> Iterator[Mutant]:
    """What is set to zero before the loop over batches is set to zero before that over epochs."""
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.Assign)):
        name, loops = file.source(node.targets[0]), file.loops(node)
        if file.source(node.value) not in ("0", "0.0") or len(loops) != 1 or node not in loops[0].body:
            continue
        behind = loops[0].body[loops[0].body.index(node) + 1 :]
        measured = [s for s in behind if re.search(rf"\b{re.escape(name)} \+= .*==.*\.sum\(\)", file.source(s))]
        read = [n for s in behind for n in ast.walk(s) if isinstance(n, ast.BinOp) and file.source(n.left) == name]
        if measured and read and "backward" not in file.source(measured[0]) and len(file.assigned(name)) == 1:
            yield Mutant([file.delete(node), file.before(loops[0], file.source(node))], [file.mark(r) for r in read])


@operator("metric-of-last-batch")
def last_batch(unit: Unit, file: File) -> Iterator[Mutant]:
    """A mean over the rows of all batches becomes that of each batch."""
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.AugAssign) and isinstance(n.op, ast.Add)):
        hits = re.fullmatch(r"\((.* == .*)\)\.sum\(\)\.item\(\)", file.source(node.value))
        loops = file.loops(node)
        if hits and loops and "backward" not in file.source(loops[0]):
            name = file.source(node.target)
            text = f"{name} = ({hits[1]}).float().mean().item()"
            named = [n for n in ast.walk(file.owner(node)) if isinstance(n, ast.Name) and n.id == name]
            used = [n for n in named if n.lineno > (loops[0].end_lineno or 0)]
            if used:  # else nobody reads it
                yield Mutant([file.replace(node, text)], [file.mark(n) for n in used])


@operator("broadcast-loss")
def column_left(unit: Unit, file: File) -> Iterator[Mutant]:
    """The dimension of one is left in a prediction whose target is flat."""
    for loss in ("MSELoss", "L1Loss"):
        for call in losses(unit, file, loss):
            found = re.fullmatch(r"(.*)\.squeeze\((-1|1)?\)", file.source(call.args[0]))
            if found and re.search(r"\.(view|reshape)\(-1\)$", file.source(call.args[1])):
                yield Mutant([file.replace(call.args[0], found[1])], [file.mark(call)])


@operator("broadcast-loss")
def target_left_flat(unit: Unit, file: File) -> Iterator[Mutant]:
    """A target is left flat that was made a column, as the prediction is one."""
    single = re.search(r"Linear\([^()\n]*,\s*1\)", unit.all) and "squeeze" not in unit.all.replace("unsqueeze", "")
    for loss in ("MSELoss", "L1Loss", "SmoothL1Loss") if single else ():
        for call in losses(unit, file, loss):
            found = re.fullmatch(r"(\w+)\.(unsqueeze\((-1|1)\)|(view|reshape)\(-1, ?1\))", file.source(call.args[1]))
            if found:
                flat = found[1] if found[2].startswith("unsqueeze") else f"{found[1]}.view(-1)"
                yield Mutant([file.replace(call.args[1], flat)], [file.mark(call)])


@operator("view-as-transpose")
def resized(unit: Unit, file: File) -> Iterator[Mutant]:
    """Dimensions are exchanged by the sizes of the tensor itself, in place of `x.permute(0, 2, 1)`."""
    for call in file.calls("permute"):
        order = ", ".join(map(file.source, call.args))
        whole = file.source(call.func.value) if isinstance(call.func, ast.Attribute) else ""
        if order in ("0, 2, 1", "0, 3, 1, 2") and re.fullmatch(r"[a-z]\w*", whole) and "torch" in file.imported:
            sizes = ", ".join(f"{whole}.shape[{n}]" for n in order.split(", "))
            yield Mutant([file.replace(call, f"{whole}.reshape({sizes})")], [file.mark(call)])


@operator("view-as-transpose")
def viewed(unit: Unit, file: File) -> Iterator[Mutant]:
    """Two dimensions are exchanged by their sizes."""
    for node in (n for n in ast.walk(file.tree) if isinstance(n, ast.Assign)):
        sizes = node.targets[0]
        shape = re.fullmatch(r"(\w+)\.(shape|size\(\))", file.source(node.value))
        if not isinstance(sizes, ast.Tuple) or len(sizes.elts) != 3 or shape is None:
            continue
        names = [file.source(e) for e in sizes.elts]
        for call in file.calls("transpose", "permute"):
            if file.source(call) in (f"{shape[1]}.transpose(1, 2)", f"{shape[1]}.permute(0, 2, 1)"):
                again = [a for a in file.assigned(shape[1]) if node.lineno < a.lineno < call.lineno]
                if file.owner(call) is file.owner(node) and len(set(names)) == 3 and "_" not in names and not again:
                    text = f"{shape[1]}.reshape({names[0]}, {names[2]}, {names[1]})"
                    yield Mutant([file.replace(call, text)], [file.mark(call)])


@operator("single-output-cross-entropy")
def only_class(unit: Unit, file: File) -> Iterator[Mutant]:
    """A loss for one output becomes the loss for classes, where a layer has one output, which nothing squeezes."""
    single = re.search(r"Linear\([^()\n]*,\s*1\)", unit.all) and "squeeze" not in unit.all
    for call in losses(unit, file, "BCEWithLogitsLoss") if single else ():
        if last(call.func) == "binary_cross_entropy_with_logits" and len(call.args) == 2 and not call.keywords:
            text = file.source(call.func).replace("binary_cross_entropy_with_logits", "cross_entropy")
            plain = "squeeze" not in file.source(call.args[0]) and "view" not in file.source(call.args[0])
            if plain:
                yield Mutant([file.replace(call.func, text)], [file.mark(call)])


@operator("train-metric-as-validation")
def copied_line(unit: Unit, file: File) -> Iterator[Mutant]:
    """What is recorded as a score of held-out rows is that of the training rows: a line that was copied."""
    for call in file.calls("append", "add_scalar", "log_metric", "plot"):
        kept = last(call.func) in ("append", "plot")
        if len(call.args) < (1 if kept else 2):
            continue
        named = call.args[-1] if kept else call.args[1]
        score, key = file.source(named), file.source(call).replace(file.source(named), "")
        other = re.sub(r"(?<![a-z])(val|valid|test)_", "train_", score)
        bound = [a for a in file.assigned(other) if file.owner(a) is file.owner(call)]
        if not re.fullmatch(r"[\w.]+", score) or other == score or not bound:
            continue
        once = sum(score in file.source(c) for c in file.calls(last(call.func))) == 1
        if once and re.search(r"val|test", key) and "train" not in key and re.search(r"loss|acc|f1|auc", score):
            yield Mutant([file.replace(named, other)], [file.mark(named)])
