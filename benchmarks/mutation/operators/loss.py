"""Operators for the rules about losses: what a criterion is given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import Edit, File, Mutant, Unit, last, operator
from benchmarks.mutation.shapes import consumers, forwards, losses, option, scored, scored_classes

SQUASHED = re.compile(r"softmax|sigmoid|softplus|logsigmoid", re.IGNORECASE)
ASYMMETRIC = {
    "precision_score", "recall_score", "r2_score", "classification_report", "confusion_matrix",
    "mean_absolute_percentage_error",
}  # fmt: skip
"""Metrics that say nothing if truth and prediction change places; those of scores, `roc_auc_score`, raise."""


def given(file: File, call: ast.Call, spellings: list[str], layer: str) -> Iterator[list[Edit]]:
    """Replace what a criterion is given: in place, by a layer, or in a statement before."""
    output, statement = call.args[0], file.statement(call)
    text = file.source(output)
    for spelling in spellings:
        yield [file.replace(output, spelling)]
    if file.nn and layer:
        yield [file.replace(output, f"{file.nn}.{layer}({text})")]
    if isinstance(output, ast.Name) and isinstance(statement, (ast.Assign, ast.Expr, ast.AugAssign)):
        yield [file.before(statement, f"{text} = {spellings[-1]}")]
        yield [file.before(statement, f"probs = {spellings[0]}"), file.replace(output, "probs")]


def squashed(unit: Unit, file: File, loss: str, name: str, *rest: str) -> Iterator[Mutant]:
    layer = {"softmax": "Softmax(dim=1)", "sigmoid": "Sigmoid()", "log_softmax": "LogSoftmax(dim=1)"}[name]
    for call in losses(unit, file, loss):
        starred = isinstance(call.args[0], ast.Starred)
        if not starred and not SQUASHED.search(file.source(file.statement(call))):
            spellings = file.spelled(name, file.source(call.args[0]), *rest)
            for edits in given(file, call, spellings, layer):
                yield Mutant(edits, [file.mark(call)])


def in_forward(unit: Unit, file: File, loss: str, name: str, *rest: str) -> Iterator[Mutant]:
    """Squash the output of the model: in `return`, by a layer of its own, or as the last of a `Sequential`."""
    marks = consumers(unit, loss)
    layer = {"softmax": "Softmax(dim=1)", "sigmoid": "Sigmoid()"}[name]
    for result in forwards(unit, file, loss):
        cls = file.cls(result)
        if SQUASHED.search(file.source(cls)):
            continue
        for spelling in file.spelled(name, file.source(result.value), *rest):
            yield Mutant([file.replace(result.value, spelling)], marks)
        supers = [s for s, _, _ in file.actions("__init__", r"^super\(") if file.inside(s, cls)]
        if supers and file.nn:
            edits = [
                file.after(supers[0], f"self.activation = {file.nn}.{layer}"),
                file.replace(result.value, f"self.activation({file.source(result.value)})"),
            ]
            yield Mutant(edits, marks)
        if isinstance(result.value, ast.Call) and last(result.value.func):
            for edit in lengthened(file, cls, file.source(result.value.func), layer):
                yield Mutant([edit], [*marks, file.mark(result)])
    for name_ in sorted(scored(unit, loss)):
        for assign in file.assigned(name_):
            if not SQUASHED.search(file.source(assign)):
                for edit in lengthened(file, file.tree, name_, layer):
                    yield Mutant([edit], marks)


def lengthened(file: File, within: ast.AST, name: str, layer: str) -> Iterator[Edit]:
    """One more layer at the end of `name = nn.Sequential(..., nn.Linear(...))`."""
    for assign in file.assigned(name):
        call = assign.value
        if file.inside(assign, within) and isinstance(call, ast.Call) and last(call.func) == "Sequential" and call.args:
            final = call.args[-1]
            if isinstance(final, ast.Call) and last(final.func) in ("Linear", "Conv2d") and file.nn:
                yield Edit(file.path, file.span(final)[1], file.span(final)[1], f", {file.nn}.{layer}")


@operator("double-softmax")
def softmax_before_cross_entropy(unit: Unit, file: File) -> Iterator[Mutant]:
    yield from squashed(unit, file, "CrossEntropyLoss", "softmax", "dim=1")


@operator("double-softmax")
def softmax_in_forward(unit: Unit, file: File) -> Iterator[Mutant]:
    if not any(True for f in unit.files for _ in losses(unit, f, "NLLLoss")):
        yield from in_forward(unit, file, "CrossEntropyLoss", "softmax", "dim=1")


@operator("double-softmax")
def softmax_in_helper(unit: Unit, file: File) -> Iterator[Mutant]:
    """The loss gets what a new function of the file makes of the scores."""
    for call in losses(unit, file, "CrossEntropyLoss"):
        if file.imports and "torch" in file.imported and not SQUASHED.search(file.source(file.statement(call))):
            text = file.source(call.args[0])
            helper = "\ndef predict_proba(scores):\n    return torch.softmax(scores, dim=-1)\n\n"
            edits = [file.after(file.imports[-1], helper), file.replace(call.args[0], f"predict_proba({text})")]
            yield Mutant(edits, [file.mark(call)])


@operator("redundant-log-softmax")
def log_softmax_before_cross_entropy(unit: Unit, file: File) -> Iterator[Mutant]:
    yield from squashed(unit, file, "CrossEntropyLoss", "log_softmax", "dim=1")


@operator("sigmoid-before-logits-loss")
def sigmoid_before_logits_loss(unit: Unit, file: File) -> Iterator[Mutant]:
    yield from squashed(unit, file, "BCEWithLogitsLoss", "sigmoid")


@operator("sigmoid-before-logits-loss")
def sigmoid_in_forward(unit: Unit, file: File) -> Iterator[Mutant]:
    yield from in_forward(unit, file, "BCEWithLogitsLoss", "sigmoid")


@operator("sigmoid-before-logits-loss", "double-softmax")
def sigmoid_before_cross_entropy(unit: Unit, file: File) -> Iterator[Mutant]:
    yield from squashed(unit, file, "CrossEntropyLoss", "sigmoid")


@operator("raw-scores-in-bce")
def drop_sigmoid(unit: Unit, file: File) -> Iterator[Mutant]:
    """Leave the sigmoid out in front of BCELoss."""
    marks = consumers(unit, "BCELoss")
    inputs = [call.args[0] for call in losses(unit, file, "BCELoss")]
    for result in [*inputs, *(r.value for r in forwards(unit, file, "BCELoss"))]:
        if isinstance(result, ast.Call) and last(result.func) == "sigmoid":
            bare = result.args[0] if result.args else result.func.value
            yield Mutant([file.replace(result, file.source(bare))], marks)
    for cls in scored_classes(unit, file, "BCELoss"):
        for call in (c for c in file.calls("Sequential") if file.inside(c, cls)):
            if len(call.args) > 1 and isinstance(call.args[-1], ast.Call) and last(call.args[-1].func) == "Sigmoid":
                start, end = file.span(call.args[-2])[1], file.span(call.args[-1])[1]
                yield Mutant([Edit(file.path, start, end, "")], marks)


@operator("raw-scores-in-bce")
def bce_without_logits(unit: Unit, file: File) -> Iterator[Mutant]:
    """The criterion for probabilities in place of the one for scores."""
    for loss, name, other in (
        ("BCEWithLogitsLoss", "BCEWithLogitsLoss", "BCELoss"),
        ("BCEWithLogitsLoss", "binary_cross_entropy_with_logits", "binary_cross_entropy"),
    ):
        marks = consumers(unit, loss)
        for call in file.calls(name):
            plain = not call.keywords or all(k.arg in ("reduction", "weight") for k in call.keywords)
            models = [f.source(c) for f in unit.files for c in scored_classes(unit, f, loss)]
            bare = models and not any(SQUASHED.search(text) for text in models) and "autocast" not in unit.all
            if plain and marks and (bare or not re.search(r"sigmoid|autocast", unit.all, re.IGNORECASE)):
                yield Mutant([file.replace(call.func, file.source(call.func).replace(name, other))], marks)


@operator("nll-without-log-softmax")
def nll_without_log_softmax(unit: Unit, file: File) -> Iterator[Mutant]:
    """Drop the log-softmax in front of NLLLoss, or take the plain softmax."""
    marks = consumers(unit, "NLLLoss")
    outputs = [call.args[0] for call in losses(unit, file, "NLLLoss")]
    for result in [*outputs, *(r.value for r in forwards(unit, file, "NLLLoss"))]:
        if isinstance(result, ast.Call) and last(result.func) == "log_softmax":
            function = isinstance(result.func, ast.Attribute) and file.source(result.func.value) in ("F", "torch")
            inner = result.args[0] if function and result.args else getattr(result.func, "value", None)
            if inner is not None and marks:
                yield Mutant([file.replace(result, file.source(inner))], marks)
                softmax = file.source(result.func).replace("log_softmax", "softmax")
                yield Mutant([file.replace(result.func, softmax)], marks)


@operator("nll-without-log-softmax")
def nll_for_cross_entropy(unit: Unit, file: File) -> Iterator[Mutant]:
    """The criterion for log-probabilities in place of the one for scores."""
    marks = consumers(unit, "CrossEntropyLoss")
    for name, other in (("CrossEntropyLoss", "NLLLoss"), ("cross_entropy", "nll_loss")):
        for call in file.calls(name):
            plain = not any(k.arg == "label_smoothing" for k in call.keywords)
            plain = plain and any(True for f in unit.files for _ in scored_classes(unit, f, "CrossEntropyLoss"))
            if plain and marks and not re.search(r"log_softmax|LogSoftmax", unit.all):
                yield Mutant([file.replace(call.func, file.source(call.func).replace(name, other))], marks)


@operator("softmax-over-batch")
def softmax_over_batch(unit: Unit, file: File) -> Iterator[Mutant]:
    """Normalise over the samples: the result of a classifier, or what is done with its scores."""
    marks = consumers(unit, "NLLLoss", "CrossEntropyLoss")
    results = {id(r.value) for loss in ("NLLLoss", "CrossEntropyLoss") for r in forwards(unit, file, loss)}
    scores = scored(unit, "CrossEntropyLoss") | scored(unit, "NLLLoss")
    for call in file.calls("softmax", "log_softmax", "Softmax", "LogSoftmax"):
        dim = next((k.value for k in call.keywords if k.arg == "dim"), call.args[-1] if call.args else None)
        if dim is None or file.source(dim) not in ("1", "-1"):
            continue
        output = call.args[0] if call.args and call.args[0] is not dim else None
        made = isinstance(output, ast.Call) and last(output.func) in scores
        names = isinstance(output, ast.Name) and any(
            isinstance(n.value, ast.Call) and last(n.value.func) in scores
            for n in file.assigned(output.id)
            if file.owner(n) is file.owner(call)
        )
        if id(call) in results or made or names:
            yield Mutant([file.replace(dim, "0")], marks)
    for call in losses(unit, file, "CrossEntropyLoss"):
        plain = not call.keywords and not isinstance(call.args[0], ast.Starred) and file.has_f
        if plain and not SQUASHED.search(file.source(file.statement(call))) and not consumers(unit, "NLLLoss"):
            scores, truth = (file.source(a) for a in call.args[:2])
            for given_ in (f"F.log_softmax({scores}, dim=0)", f"torch.log_softmax({scores}, 0)"):
                yield Mutant([file.replace(call, f"F.nll_loss({given_}, {truth})")], [])
    yield from decided_over_samples(unit, file)


def decided_over_samples(unit: Unit, file: File) -> Iterator[Mutant]:
    """`scores.argmax(0)` for scores that the same function hands to a criterion."""
    scored_names = {
        (id(file.owner(call)), call.args[0].id)
        for call in losses(unit, file, "CrossEntropyLoss")
        if isinstance(call.args[0], ast.Name)
    }
    for call in file.calls("argmax"):
        dim = next((k.value for k in call.keywords if k.arg == "dim"), call.args[-1] if call.args else None)
        over = call.func.value if isinstance(call.func, ast.Attribute) else None
        if dim is not None and isinstance(over, ast.Name) and file.source(dim) in ("1", "-1"):
            if (id(file.owner(call)), over.id) in scored_names:
                yield Mutant([file.replace(dim, "0")], [])


def soft(file: File, target: ast.AST) -> bool:
    """Are targets made as probabilities: one-hot, smoothed or mixed?"""
    made = [target, *(n.value for n in file.assigned(file.source(target)))]
    return any(re.search(r"one_hot|onehot|softmax|smooth|mixup|soft_", file.source(n)) for n in made)


@operator("swapped-loss-arguments")
def swap_loss_arguments(unit: Unit, file: File) -> Iterator[Mutant]:
    """Numbers of classes for logits raise: of the losses for classes only one of probabilities is silent."""
    for loss in ("CrossEntropyLoss", "BCEWithLogitsLoss", "BCELoss"):
        for call in losses(unit, file, loss):
            first, second = call.args[:2]
            if loss == "CrossEntropyLoss" and not soft(file, second):
                continue
            if not isinstance(first, ast.Starred) and not isinstance(second, ast.Starred):
                yield Mutant([file.replace(first, file.source(second)), file.replace(second, file.source(first))], [])


@operator("swapped-loss-arguments")
def swap_metric_arguments(unit: Unit, file: File) -> Iterator[Mutant]:
    for call in file.calls(*sorted(ASYMMETRIC)):
        same = option(call, "average", file).strip("'\"") == "micro"  # counts the same mistakes either way round
        own = (
            unit.defines(last(call.func))
            or "sklearn" not in file.text
            or re.search("compat|losses", file.source(call.func))
        )
        if len(call.args) >= 2 and not own and not option(call, "y_true", file) and not same:
            first, second = call.args[:2]
            yield Mutant([file.replace(first, file.source(second)), file.replace(second, file.source(first))], [])
