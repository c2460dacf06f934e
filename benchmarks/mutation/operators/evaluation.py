"""Operators for the rules about evaluation: modes, graphs, weights that are kept."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import Edit, File, Mutant, Unit, keyword, last, operator
from benchmarks.mutation.shapes import evaluations, mode_matters, modules, option, steps, trained


@operator("missing-eval-mode")
def drop_eval(unit: Unit, file: File) -> Iterator[Mutant]:
    """Delete it, comment it out, or set the wrong mode."""
    evals = list(file.actions("eval"))
    for statement, receiver, found in evaluations(file):
        alone = [r for _, _, r in evals].count(receiver) == 1
        trains = [(s, f) for f in unit.files for s, _, _ in f.actions("train")]
        calls = [c for c in found if measured(file, c)]
        if not (calls and mode_matters(unit, receiver) and trained(unit) and alone and trains):
            continue
        marks = [file.mark(c) for c in calls]
        if not given_in_eval_mode(unit, file, statement, receiver):
            yield Mutant([file.delete(statement)], marks)
            yield Mutant([file.comment(statement)], marks)
        yield Mutant([file.replace(statement, f"{receiver}.train()")], marks)


def given_in_eval_mode(unit: Unit, file: File, statement: ast.stmt, receiver: str) -> bool:
    """Does a function of the unit that makes the model put it into eval mode itself?"""
    owner = file.owner(statement)
    made = [n for n in file.nodes if isinstance(n, ast.Assign) and file.owner(n) is owner]
    made = [
        n
        for n in made
        if any(file.source(t) == receiver for target in n.targets for t in ast.walk(target) if hasattr(t, "lineno"))
    ]
    makers = {last(c.func) for n in made for c in ast.walk(n.value) if isinstance(c, ast.Call)}
    functions = ((f, n) for f in unit.files for n in f.functions(*makers)) if makers else ()
    return any(f.inside(c, n) for f, n in functions for c in f.calls("eval"))


@operator("missing-eval-mode")
def drop_one_of_several(unit: Unit, file: File) -> Iterator[Mutant]:
    """Two functions evaluate; one of them forgets the mode, after a training that sets it."""
    found = list(evaluations(file))
    by_owner = {id(file.owner(s)): (s, r, c) for s, r, c in found}
    trains = {id(file.owner(s)) for s, _, _ in file.actions("train")}
    for statement, receiver, calls in found if len(by_owner) > 1 else ():
        if not mode_matters(unit, receiver):
            continue
        owner = file.owner(statement)
        uses = [file.statement(c) for c in file.uses(owner) if isinstance(owner, ast.FunctionDef)]
        training = {getattr(file.owner(s.step), "name", "") for s in steps(file) if id(file.owner(s.step)) in trains}
        for use in uses:
            block = file.block(use)
            before = [
                s
                for s in block[: block.index(use)]
                if any(last(c.func) in training for c in ast.walk(s) if isinstance(c, ast.Call))
            ]
            between = block[block.index(before[-1]) + 1 : block.index(use)] if before else []
            if before and not any(isinstance(n, ast.Call) for s in between for n in ast.walk(s)):
                yield Mutant([file.delete(statement)], [file.mark(c) for c in calls])
                break


@operator("missing-eval-mode")
def eval_after_evaluation(unit: Unit, file: File) -> Iterator[Mutant]:
    """The mode is set when the evaluation is over."""
    evals = list(file.actions("eval"))
    for statement, receiver, calls in evaluations(file):
        loops = [file.loops(c)[-1] for c in calls if file.loops(c) and measured(file, c)]  # not a teacher's
        alone = [r for _, _, r in evals].count(receiver) == 1
        loops = [n for n in loops if n not in file.loops(statement)]
        train = [s for f in unit.files for s, _, r in f.actions("train") if r == receiver]
        if loops and alone and train and mode_matters(unit, receiver) and file.block(loops[0]) is file.block(statement):
            edits = [file.delete(statement), file.after(loops[0], file.source(statement))]
            yield Mutant(edits, [file.mark(c) for c in calls])


@operator("train-mode-not-restored")
def drop_train(unit: Unit, file: File) -> Iterator[Mutant]:
    """Leave `train()` out, or call it once before the epochs."""
    looped = {last(c.func) for c in file.nodes if isinstance(c, ast.Call) and file.loops(c)}
    for receiver in dict.fromkeys(r for _, _, r in file.actions("train")):
        restores = [s for s, _, r in file.actions("train") if r == receiver]
        evals = [s for s, _, r in file.actions("eval") if r == receiver]
        again = [s for s in evals if file.loops(s) or getattr(file.owner(s), "name", "") in looped]
        again = [s for s in again if trained_again(file, s, receiver)]
        elsewhere = any(True for f in unit.files if f is not file for _ in f.actions("train"))
        owners = {id(file.owner(s.step)) for s in steps(file)}
        marks = [file.mark(s) for s in evals]
        marks += [file.mark(s.backward) for s in steps(file)]
        if mode_matters(unit, receiver) and again and not elsewhere and owners & {id(file.owner(s)) for s in restores}:
            yield Mutant([file.delete(s) for s in restores], marks)
            yield Mutant([file.comment(s) for s in restores], marks)
            loops = file.loops(restores[0])
            inside = [e for e in evals if file.loops(e)[-1:] == loops[-1:] and file.owner(e) is file.owner(restores[0])]
            if len(restores) == 1 and loops and inside:
                edits = [file.before(loops[-1], file.source(restores[0])), file.delete(restores[0])]
                yield Mutant(edits, marks)


def trained_again(file: File, evaluation: ast.stmt, receiver: str) -> bool:
    """Is the model, which no pass builds anew, trained in a loop that evaluates it, or where nobody sees who calls?"""
    trained = {loop for found in steps(file) for loop in loops_around(file, found.step)}
    around = loops_around(file, evaluation)
    name = receiver.rpartition(".")[2]
    rebuilt = [n for n in file.nodes if isinstance(n, ast.Assign) and name in map(last, n.targets)]
    rebuilt = [n for n in rebuilt if not re.search(rf"\b{name}\b", file.source(n.value))]
    return not trained or any(loop in trained and not any(loop in file.loops(n) for n in rebuilt) for loop in around)


def loops_around(file: File, statement: ast.stmt) -> list[ast.For | ast.While]:
    """The loops around a statement, and around the calls of its function in the same file."""
    return [*file.loops(statement), *(n for call in file.uses(file.owner(statement)) for n in file.loops(call))]


def measured(file: File, call: ast.Call) -> bool:
    """Is a forward part of an evaluation: in a loop over data, or in a function that is named for it?"""
    training = {id(n) for s in steps(file) for n in file.up(s.step)}  # pictures for the eye, between two steps
    loops = [n for n in file.loops(call) if id(n) not in training]
    looped = any(isinstance(n, (ast.For, ast.comprehension, ast.ListComp)) for n in loops[:1])
    named = re.search("test|eval|valid|predict|infer|accuracy|score", getattr(file.owner(call), "name", ""))
    agent = re.search("env\\.|action|policy|agent", file.source(file.owner(call)))
    return bool((looped or named) and not agent)


def costs_little(file: File, call: ast.Call) -> bool:
    """Is it the graph of one sample, or of a batch for the eye?"""
    owner = file.owner(call)
    drawn = re.search("plot|show|draw|visuali", getattr(owner, "name", "")) or "unsqueeze(0)" in file.source(owner)
    return bool(drawn) and not any(isinstance(n, ast.For) for n in file.loops(call))


@operator("missing-no-grad")
def drop_no_grad(unit: Unit, file: File) -> Iterator[Mutant]:
    """Take `no_grad` away around a loop over batches of a function that evaluates."""
    evaluating = {id(file.owner(s)): (s, c) for s, _, c in evaluations(file)}
    for node in file.nodes:
        if isinstance(node, ast.With) and len(node.items) == 1 and id(file.owner(node)) in evaluating:
            head = node.items[0].context_expr
            calls = [c for c in evaluating[id(file.owner(node))][1] if file.inside(c, node)]
            calls = [c for c in calls if measured(file, c) and not costs_little(file, c)]
            if re.search("no_grad|inference_mode", file.source(head)) and calls and not read_as_array(file, calls):
                loops = [file.mark(n) for c in calls for n in file.loops(c)]
                marks = [*loops, *(file.mark(c) for c in calls)]
                start = file.span(node)[0]
                yield Mutant([Edit(file.path, start, file.span(head)[1], "if True")], marks)
                if "torch" in file.imported:
                    yield Mutant([file.replace(head, "torch.enable_grad()")], marks)
        elif isinstance(node, ast.FunctionDef) and id(node) in evaluating:
            calls = [c for c in evaluating[id(node)][1] if measured(file, c) and not costs_little(file, c)]
            for decorator in node.decorator_list if calls and not read_as_array(file, calls) else ():
                if re.search("no_grad|inference_mode", file.source(decorator)):
                    line = decorator.lineno
                    marks = [*(file.mark(n) for c in calls for n in file.loops(c)), *(file.mark(c) for c in calls)]
                    yield Mutant([Edit(file.path, file.starts[line - 1], file.starts[line], "")], marks)


def read_as_array(file: File, calls: list[ast.Call]) -> bool:
    """Is what the model gives, or its softmax, made an array as it is, `out.cpu().numpy()`? With a graph that raises,
    which is no silent bug."""
    bound = ((call, file.statement(call)) for call in calls)
    given = [s.targets[0] for call, s in bound if isinstance(s, ast.Assign) and s.value is call]
    names = {file.source(n) for target in given for n in getattr(target, "elts", [target])}
    for node in file.nodes:  # `scores = out`, `scores = torch.softmax(out, dim=1)`
        if isinstance(node, ast.Assign) and file.source(differentiated(node.value)) in names:
            names.add(file.source(node.targets[0]))
    for array in file.calls("numpy"):
        base = differentiated(array.func.value) if isinstance(array.func, ast.Attribute) else None
        if base is not None and file.owner(array) is file.owner(calls[0]):
            if base in calls or file.source(base) in names:
                return True
        if isinstance(base, ast.Call) and base in file.uses(file.owner(calls[0])):
            return True  # by whoever calls the function
    return False


def differentiated(node: ast.AST) -> ast.AST:
    """What the graph of an expression goes on to: `out` of `torch.sigmoid(out)[:, 1].cpu()`."""
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and last(node.func) in _MAPS and (node.args or hasattr(node.func, "value")):
            method = isinstance(node.func, ast.Attribute) and last(node.func.value) not in ("torch", "F", "functional")
            node = node.func.value if method else node.args[0] if node.args else node.func
        else:
            return node


_MAPS = ("cpu", "to", "squeeze", "view", "flatten", "float", "softmax", "log_softmax", "sigmoid", "exp", "clamp")


# ------------------------------------------------------------------------------------------------------ inside a module
@operator("dropout-ignores-mode")
def functional_dropout(unit: Unit, file: File) -> Iterator[Mutant]:
    """`F.dropout` without the module's mode."""
    for call in file.calls("dropout"):
        flag = keyword(call, "training")
        by_design = re.search("prenet", getattr(file.cls(call), "name", ""), re.IGNORECASE)  # Tacotron's
        asked = re.search(
            r"if[^\n]*self\.training", file.source(file.owner(call))
        )  # it does not come by here in eval mode
        if flag and file.source(flag.value) == "self.training" and not by_design and not asked:
            before = [*call.args, *(k.value for k in call.keywords if k is not flag)][-1]
            if before.lineno == flag.lineno and before.col_offset < flag.col_offset:
                yield Mutant([Edit(file.path, file.span(before)[1], file.span(flag)[1], "")], [])
    for cls in modules(unit, file):
        for assign in (n for n in cls.body for n in ast.walk(n) if isinstance(n, ast.Assign)):
            name = file.source(assign.targets[0])
            layer = assign.value
            if isinstance(layer, ast.Call) and last(layer.func) == "Dropout" and name.startswith("self.") and file.nn:
                rate = file.source(layer.args[0]) if layer.args else option(layer, "p", file)
                for call in (c for c in file.calls(last(assign.targets[0])) if file.inside(c, cls)):
                    if re.fullmatch(r"[\d.]+", rate) and file.source(call.func) == name and len(call.args) == 1:
                        prefix = "F" if file.has_f else f"{file.nn}.functional"
                        text = f"{prefix}.dropout({file.source(call.args[0])}, {rate})"
                        yield Mutant([file.replace(call, text)], [])


@operator("mode-toggled-in-forward")
def toggle_in_forward(unit: Unit, file: File) -> Iterator[Mutant]:
    """A module sets its mode while it runs, or keeps it from its children."""
    for cls in modules(unit, file):
        methods = {n.name: n for n in cls.body if isinstance(n, ast.FunctionDef)}
        forward = methods.get("forward")
        if forward is None or "training" in file.source(cls) or {"train", "eval"} & set(methods):
            continue
        layers = (file.source(n.func) for n in ast.walk(cls) if isinstance(n, ast.Call))
        if not any(re.search(r"nn\.(Alpha)?Dropout|nn\.(Sync)?BatchNorm", layer) for layer in layers):
            continue  # a comment may name one
        start = forward.body[1] if isinstance(forward.body[0], ast.Expr) and len(forward.body) > 1 else forward.body[0]
        for text in ("self.eval()", "self.training = False", "self.train()"):
            yield Mutant([file.before(start, text)], [])
        override = "def train(self, mode=True):\n    self.training = mode\n    return self\n"
        yield Mutant([file.before(forward, override)], [])


@operator("mode-call-missing")
def drop_parentheses(unit: Unit, file: File) -> Iterator[Mutant]:
    for name in ("eval", "train", "zero_grad", "step"):
        for _statement, call, receiver in file.actions(name):
            gym = name == "step" and not re.search("opt|sched|scaler", receiver, re.IGNORECASE)
            own = file.cls(call) if receiver == "self" else None  # `self.train()` of a class that trains something
            methods = [m for m in own.body if isinstance(m, ast.FunctionDef)] if own is not None else []
            gym = gym or any(m.name == name and len(m.args.args) == 1 for m in methods)
            if not call.args and not call.keywords and trained(unit) and not gym:
                yield Mutant([file.replace(call, file.source(call.func))], [])


@operator("mode-call-missing")
def state_dict_without_call(unit: Unit, file: File) -> Iterator[Mutant]:
    for call in file.calls("state_dict"):
        saved = any(isinstance(n, ast.Call) and last(n.func) in ("save", "deepcopy") for n in file.up(call))
        if saved and not call.args and not call.keywords:
            yield Mutant([file.replace(call, file.source(call.func))], [])


# ------------------------------------------------------------------------------------------------------------- weights
@operator("aliased-best-weights")
def drop_deepcopy(unit: Unit, file: File) -> Iterator[Mutant]:
    for call in file.calls("deepcopy"):
        inner = call.args[0] if call.args else None
        statement = file.statement(call)
        name = file.source(statement.targets[0]) if isinstance(statement, ast.Assign) else "?"
        end = file.loops(call)[-1].end_lineno if file.loops(call) else 0
        later = [
            n
            for n in file.nodes
            if isinstance(n, (ast.Name, ast.Attribute)) and n.lineno > end and file.source(n) == name
        ]
        if isinstance(inner, ast.Call) and last(inner.func) == "state_dict" and end and later:
            asked = " ".join(file.source(n.test) for n in file.loops(call) if isinstance(n, ast.While))
            within = file.loops(call)[0]
            around = [statement, *(n for n in file.up(statement) if isinstance(n, ast.stmt) and file.inside(n, within))]
            beside = [s for n in around for s in file.block(n)]
            flags = [s for s in beside if isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant)]
            if any(re.search(rf"\b{re.escape(file.source(t))}\b", asked) for s in flags for t in s.targets):
                continue  # what the loop asks for is set beside it: nothing is trained after that
            yield Mutant([file.replace(call, file.source(inner))], [])
            yield Mutant([file.replace(call, f"{file.source(inner)}.copy()")], [])
            yield Mutant([file.replace(call, f"dict({file.source(inner)})")], [])


@operator("aliased-best-weights")
def remember_best(unit: Unit, file: File) -> Iterator[Mutant]:
    """Keep the best state of the epochs by reference, and load it at the end."""
    for node in file.nodes:
        if not isinstance(node, ast.If) or "best" not in file.source(node.test) or not file.loops(node):
            continue
        loops, owner = file.loops(node), file.owner(node)
        models = {
            file.source(c.func.value)
            for c in ast.walk(node)
            if isinstance(c, ast.Call) and last(c.func) == "state_dict"
        }
        models = {m for m in models if not re.search("opt|sched|scaler", m, re.IGNORECASE)}
        epochs = [n for n in loops if isinstance(n, ast.For) and "epoch" in file.source(n.target).lower()]
        if len(models) == 1 and epochs and isinstance(node.test, ast.Compare):
            model = models.pop()
            restore = file.after(epochs[-1], f"{model}.load_state_dict(best_state)")
            for text in (f"best_state = {model}.state_dict()", f"best_state = dict({model}.state_dict())"):
                if owner is not None and "best_state" not in file.text:
                    yield Mutant([file.before(node.body[0], text), restore], [])


@operator("tested-on-last-weights")
def best_never_loaded(unit: Unit, file: File) -> Iterator[Mutant]:
    """The best weights, which were kept, are not loaded before the test. Without those of a run that is
    over, an untrained model is tested."""
    kept = [b for b in file.nodes if isinstance(b, ast.If) and re.search(r"\bbest", file.source(b.test))]
    for statement, _, _ in file.actions("load_state_dict"):
        above = [b for b in kept if file.owner(b) is file.owner(statement) and (b.end_lineno or 0) < statement.lineno]
        tests = [n for n in file.nodes if "test" in last(n).lower() and n.lineno > statement.lineno]
        plain = not file.loops(statement) and not file.inside(statement, ast.If)
        if tests and above and plain and is_of_best(file, statement, above):
            yield Mutant([file.delete(statement)], [file.mark(n) for n in tests])


def is_of_best(file: File, load: ast.Expr, kept: list[ast.If]) -> bool:
    """Are the best weights loaded, by their name, or by that under which these branches keep them or write them?"""
    given = [n for n in ast.walk(load.value) if isinstance(n, (ast.Name, ast.Attribute, ast.Constant))]
    read = [n.value for n in file.nodes if isinstance(n, ast.Assign) and last(n.targets[0]) in map(last, given)]
    texts = {file.source(n) for top in (load.value, *read) for n in ast.walk(top) if isinstance(n, ast.expr)}
    stored = {file.source(n) for branch in kept for s in branch.body for n in ast.walk(s) if isinstance(n, ast.expr)}
    paths = {t for t in texts & stored if re.search("path|file|name|state|weight", t)}
    return bool(paths) or any(re.search(r"\bbest|_best", t) for t in texts)
