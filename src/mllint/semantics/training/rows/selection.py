"""What does a program choose by a score, and which rows is the score measured on, by their names?

    if loss < best_loss: torch.save(...)                    # a best so far is kept
    Trainer(eval_dataset=test, args=TrainingArguments(load_best_model_at_end=True))
    fit(model, train_loader, val_loader=load("test"))       # test rows in the place of validation rows

A choice remembers a best, stops early, keeps a checkpoint, or is made by a framework that is told to. Where nothing but
names tells test rows from validation rows, the validation rows have to lie unused next to them, or the model that was
chosen is measured on the same rows afterwards. Folds, and the trials of a search, choose by design on what they may
call test rows.

What it does not do: whether a number was measured on test rows by provenance, `test_scores` says.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import Event, Flow
from mllint.semantics.flow.roots import STEPS
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.syntax.names import bindings_at, reaching
from mllint.semantics.syntax.nodes import Node, all_arguments, assigned_pairs, is_within, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import text
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.syntax.words import last_part
from mllint.semantics.training import roles
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.metrics.directions import find_outdone_records
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.roles import rest_of_name
from mllint.semantics.training.rows.handed_over import find_handed_over, is_in_folds, part_of_place
from mllint.semantics.training.rows.test_folders import find_final_measurement, loaded_as_test
from mllint.semantics.training.rows.usage import TEST, VALIDATION, homes, unread_counterparts
from mllint.semantics.training.rows.wrong_part import entry
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import resolve_name, statements

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project

__all__ = [
    "comparisons_of_trials", "deciding_arguments", "find_selection_on_test",
    "find_validation_on_test", "is_paired_with_labels", "is_test_named_validation", "may_decide", "may_keep_best",
    "modules_with_loaders", "remembers_best", "selects_model", "stops_early_or_keeps_best", "test_data_as_validation",
    "test_loaders_in_training", "unused_validation_scores", "where_kept",
]  # fmt: skip

_KEYWORDS = frozenset("eval_dataset validation_data val_dataloaders eval_set valid_sets evals".split())
_STOPPING = ("EarlyStopping", "early_stopping", "load_best_model_at_end", "restore_best_weights")
_KEEPING = (*_STOPPING, "ModelCheckpoint")
_COPYING = ("copy", "copy2", "copyfile", "move")


def find_validation_on_test(function: FunctionScope) -> Iterator[tuple[Node, str, str, Node, Evidence]]:
    """What a framework is set to validate on, its name, and what shows that it is the test set: validation data that
    is never used ("" if there is none), or where the result is measured on it; and how well that is known: PROVEN by
    what loaded it, NAMED where names say so."""
    calls = [c for c in function.calls if (name := last_name(c.func)) in ("fit", "train") or name.endswith("Trainer")]
    source = function.module.source
    if not calls or source is None or not any(map(source.holds, _KEEPING)):
        return
    if any(name.startswith("suggest_") for name in function.called_names):
        return
    frame = function.module.project.frame(function)
    for call in calls:
        if is_in_folds(call, function):
            continue
        for argument in (*(k.value for k in call.keywords if k.arg in _KEYWORDS), *_third(call)):
            found = [
                n for n in (place(node) for node in walk(argument)) if n and roles.is_held_out_name(part_of_place(n))
            ]
            if _boosts(call) and not (_stops_early(call) and _are_of_one_part(argument, found)):
                continue
            test = next((n for n in found if roles.has_role_name(part_of_place(n), *TEST)), None)
            spare = next(unread_counterparts(test, TEST, function, VALIDATION), None) if test is not None else None
            if test is not None and spare is not None:
                yield argument, test, spare, None, Evidence.NAMED
            elif _chooses(call, source.text, function):
                loaded = loaded_as_test(argument, frame)
                test = loaded or test
                measured = find_final_measurement(test, call, frame) if test is not None else None
                if test is not None and measured is not None:
                    how = Evidence.PROVEN if loaded else Evidence.NAMED
                    yield argument, test, "", measured, how
                for given, name, later in find_handed_over(argument, call, function) if test is None else ():
                    yield given, name, "", later, Evidence.NAMED


def is_paired_with_labels(argument: Node, name: str) -> bool:
    """Whether what is validated on is a pair of the rows of a place and their labels: `(x_test, y_test)`."""
    pairs = (n for n in walk(argument) if isinstance(n, ast.Tuple) and len(n.elts) > 1)
    return any(place(p.elts[0]) == name and not isinstance(p.elts[1], ast.Constant) for p in pairs)


def _boosts(call: Node) -> bool:
    """Is it `xgb.train(..., evals=...)`, `lgb.train(..., valid_sets=...)`?"""
    return last_name(call.func) == "train"


def _are_of_one_part(argument: Node, found: list[str]) -> bool:
    """Are the held-out rows among those that boosting looks at those of a test alone, or one thing alone, of which a
    caller may know more: `valid_sets=[held]`?"""
    one = [argument] if isinstance(argument, (ast.Name, ast.Attribute)) else getattr(argument, "elts", ())
    return len(one) == 1 or all(roles.has_role_name(part_of_place(n), *TEST) for n in found)


def _stops_early(call: Node) -> bool:
    """Is a call itself set to stop early: `early_stopping_rounds=50`, `callbacks=[lgb.early_stopping(50)]`?"""
    inner = [last_name(n.func) for k in call.keywords for n in walk(k.value) if isinstance(n, ast.Call)]
    return any("early_stopping" in word for word in (*inner, *(k.arg or "" for k in call.keywords)))


def _chooses(call: Node, written: str, function: FunctionScope) -> bool:
    """Is what the call trains stopped, or taken back to the best, by the score on what it validates on?"""
    given = {k.arg: k.value for k in call.keywords}
    if _boosts(call):
        return _stops_early(call)
    if any(
        "early_stopping" in str(k.arg) and not (isinstance(k.value, ast.Constant) and not k.value.value)
        for k in (*call.keywords, *_built_with(call, function))
    ):
        return True
    listed = getattr(given.get("callbacks"), "elts", [])
    if listed and not any(_may_stop(one, function) for one in listed):
        return False  # they report, and choose nothing
    takes_callbacks = last_name(call.func).endswith("Trainer") or "callbacks" in given
    options = _arguments_of(given.get("args"), function)
    if options is not None and "callbacks" not in given:
        return any(k.arg is None or (k.arg in _STOPPING and getattr(k.value, "value", True)) for k in options)
    return takes_callbacks and any(word in written for word in _STOPPING)


def _arguments_of(given: Node, function: FunctionScope) -> list[ast.keyword] | None:
    """The keywords of `TrainingArguments(...)`, where a trainer is given those that one call in the function builds."""
    given = resolve_name(given, function)
    return given.keywords if isinstance(given, ast.Call) else None


def _built_with(call: Node, function: FunctionScope) -> list[ast.keyword]:
    """The keywords that the estimator of `model.fit(...)` was built with, if it is bound once, by a call."""
    name = place(call.func.value) if isinstance(call.func, ast.Attribute) else None
    bound = function.bindings.get(name or "", ())
    made = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" else getattr(call.func, "value", None)
    return made.keywords if isinstance(made, ast.Call) else []


def _may_stop(callback: Node, function: FunctionScope) -> bool:
    """Is it a callback that stops early, or a name that may stand for one?"""
    made = [callback]
    if isinstance(callback, ast.Name):
        made = [b.value for b in function.bindings.get(callback.id, ()) if b.kind == "assign"] or [callback]
    return any(not isinstance(m, ast.Call) or topics.is_about(last_name(m.func), Topic.STOPPING) for m in made)


def _third(call: Node) -> list[Node]:
    """`fit(model, train_loader, val_loader)`."""
    given = call.args
    return given[2:3] if len(given) == 3 and any(roles.is_training_name(place(n)) for n in walk(given[1])) else []


def find_selection_on_test(function: FunctionScope) -> Iterator[tuple[Node, Node, str, str]]:
    """`loss = evaluate(model, test_loader)` that is compared with a best so far, while the validation loader is unread.

    Yields:
        The argument, the comparison, the name of the loader and that of the unread one; "" where the result is measured
        on the same loader after the loop.
    """
    for statement in statements(function):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            continue
        places = _places_given(statement.value)
        for given in places:
            name, unread = _tests_given(given, function)
            if name is None:
                continue
            beside = (p for other in places if _speaks_of_validation(p := place(other) or ""))
            if any(rest_of_name(p, *VALIDATION) == rest_of_name(name, *TEST) for p in beside):
                continue  # both parts in one call: either score may be the one of validation
            spare = unread or _find_measured_validation(name, function)
            scores = _names_bound_by(statement)
            choice = _find_comparison_with_best(scores, statement.value, function)
            if spare is None and choice is not None:
                spare = _validation_loader_by_name(name, scores, choice, function)
            if spare is None and choice is not None and _is_measured_afterwards(name, statement.value, function):
                spare = ""
            if spare is not None and choice is not None:
                yield given, choice, name, spare


def _is_measured_afterwards(name: str, measured: ast.Call, function: FunctionScope) -> bool:
    """Is a loader measured on in a loop, and again, in the same way, when all loops around are over?"""
    loops = [r.node for r in function.loops if is_within(measured, r.node)]
    if not loops or is_in_folds(measured, function) or any(n.startswith("suggest_") for n in function.called_names):
        return False
    last = max(loop.end_lineno or 0 for loop in loops)
    again = (c for c in function.calls if c.lineno > last and place(c.func) == place(measured.func) is not None)
    return any(place(a) == name for c in again for a in all_arguments(c))


def _tests_given(given: Node, function: FunctionScope) -> tuple[str | None, str | None]:
    """Test rows by name that a measurement is given, and the unread validation rows of the same kind, if there are."""
    if isinstance(given, ast.Subscript):
        found = entry(given, TEST, function.module.project.frame(function), VALIDATION)
        if found is not None:
            return found
    name = place(given) or ""
    part = part_of_place(name)
    is_named = name and roles.has_role_name(part, *TEST)
    if not (is_named and (topics.is_about(part, Topic.HOLDING_ROWS) or roles.is_part_name(part, Role.TEST_ROWS))):
        return None, None
    return name, next(unread_counterparts(name, TEST, function, VALIDATION), None)


def unused_validation_scores(function: FunctionScope) -> Iterator[tuple[Node, Node, str, str]]:
    """`train_acc, val_acc, test_acc = test()`, and a choice by `test_acc` and none by `val_acc`.

    Yields:
        What gives the scores, the comparison, and both names.
    """
    for statement in statements(function):
        if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Tuple):
            continue
        names = [place(t) or "" for t in statement.targets[0].elts]
        for name in (n for n in names if rest_of_name(n, *TEST) is not None and roles.is_held_out_name(n)):
            spare = next(
                (n for n in names if rest_of_name(n, *VALIDATION) == rest_of_name(name, *TEST) and n != name), None
            )
            if spare is None:
                continue
            choice = _find_comparison_with_best({name}, statement.value, function)
            if choice is not None and _find_comparison_with_best({spare}, statement.value, function) is None:
                yield statement.value, choice, name, spare


def _speaks_of_validation(name: str) -> bool:
    return roles.rows_by_name(name) is Role.VALIDATION_ROWS


def _validation_loader_by_name(loader: str, scores: set[str], choice: Node, function: FunctionScope) -> str | None:
    """The validation loader next to a test loader, if what is measured on the latter, or the best of it, is called
    validation: `valid_loss = evaluate(model, test_loader)`, `if score > best_valid_score`."""
    compare = choice if isinstance(choice, ast.Compare) else None
    sides = [place(n) for n in (compare.left, *compare.comparators)] if compare is not None else []
    if not any(name and _speaks_of_validation(name) for name in (*scores, *sides)):
        return None
    wanted = rest_of_name(loader, *TEST)
    if wanted is None:
        return None
    return next(
        (n for home in homes(loader, function) for n in home.bindings if rest_of_name(n, *VALIDATION) == wanted), None
    )


def _places_given(call: ast.Call) -> list[Node]:
    """The places that a measurement is given, by itself or in its arguments: `loss(model(x_test), y_test)`."""
    given = list(call.args)
    if isinstance(call.func, ast.Attribute) and call.func.attr == "item" and isinstance(call.func.value, ast.Call):
        given = list(call.func.value.args)
    return given + [inner for a in given if isinstance(a, ast.Call) for inner in a.args]


def _find_measured_validation(name: str, function: FunctionScope) -> str | None:
    """The validation loader next to a test loader, if it is measured too, and no choice is made by that score."""
    wanted, measured = rest_of_name(name, *TEST), None
    for statement in statements(function):
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            for given in statement.value.args:
                other = place(given)
                if (
                    other
                    and rest_of_name(other, *VALIDATION) == wanted is not None
                    and topics.is_about(other, Topic.HOLDING_ROWS)
                ):
                    if _find_comparison_with_best(_names_bound_by(statement), statement.value, function) is not None:
                        return None
                    measured = other
    return measured


def _find_comparison_with_best(names: set[str], score: Node, function: FunctionScope) -> Node:
    """The test of a branch that compares a score with a best so far, or the call of a stopper with it.

    A margin may be added on either side: `if loss < best - args.min_delta`.

    Args:
        names: what the score is bound to.
        score: the expression that gives it.
        function: where it is bound.
    """
    for statement in statements(function):
        if not isinstance(statement, ast.If):
            continue
        for test in walk(statement.test):
            if isinstance(test, ast.Compare):
                sides = [term for side in (test.left, *test.comparators) for term in _terms(side)]
                if any(topics.is_about(place(side) or "", Topic.BEST) for side in sides):
                    if any(place(side) in names and _may_hold(side, score, function) for side in sides):
                        return test
    for call in function.calls:
        if topics.is_about(place(call.func), Topic.STOPPING):
            if any(place(given) in names and _may_hold(given, score, function) for given in call.args):
                return call
    return None


def _names_bound_by(statement: ast.Assign) -> set[str]:
    """The names and attributes that an assignment binds, those of the parts of a tuple as well."""
    return {name for target in statement.targets for node in walk(target) if (name := place(node)) is not None}


def _terms(side: Node) -> Iterator[Node]:
    """What a side of a comparison adds up: the loss and the margin of `loss + args.min_delta`; else the side itself."""
    if isinstance(side, ast.BinOp) and isinstance(side.op, (ast.Add, ast.Sub)):
        yield from _terms(side.left)
        yield from _terms(side.right)
    else:
        yield side


def _may_hold(node: Node, value: Node, function: FunctionScope) -> bool:
    """True if what the name `node` reads in `function` may have been bound to the expression `value`."""
    bindings = bindings_at(node, function)
    return bindings is None or any(b.value is value for b in bindings)


def may_keep_best(event: Event) -> bool:
    """May an unknown call keep a best, or stop, by what it is called?"""
    return topics.is_about(text(event.site.module, event.call.func), Topic.KEEPING)


def deciding_arguments(call: Call) -> Iterator[Node]:
    """The arguments by which the user's function that a call enters decides whether it keeps what it is given:
    `is_best` of `save_checkpoint(state, is_best)`, where `if is_best: copyfile(last, best)` stands in it."""
    for function in (f for f in call.callees if not f.stubbed):
        bound, _ = bind(function, call.node, call.frame)
        for branch in (s for s in statements(function) if isinstance(s, ast.If)):
            given = bound.get(place(branch.test) or "")
            calls = [last_name(n.func) for s in branch.body for n in walk(s) if isinstance(n, ast.Call)]
            keeps_it = any(n in _COPYING or topics.is_about(n, Topic.WRITING, Topic.KEEPING) for n in calls)
            if keeps_it and isinstance(given, Passed):
                yield given.node


def remembers_best(branch: ast.If) -> bool:
    """Does a branch assign a best so far?"""
    names = [place(t) or "" for s in branch.body for target, _ in assigned_pairs(s) for t in walk(target)]
    return any(topics.is_about(name, Topic.BEST) for name in names)


def comparisons_of_trials(fit: Event) -> Iterator[tuple[ast.If, Frame]]:
    """The tests that remember a best in the loop around the fit of an estimator, in its function or a calling one."""
    frame: Frame | None = fit.frame
    node: Node = fit.site.node
    while frame is not None:
        line = node.lineno
        loops = [r.node for r in frame.function.loops if r.node.lineno <= line <= (r.node.end_lineno or 0)]
        if loops:
            for branch in walk(loops[0]):
                if isinstance(branch, ast.If) and remembers_best(branch):
                    yield branch, frame
        frame, node = frame.caller if frame.caller is not None else (None, None)


def modules_with_loaders(flow: Flow) -> dict[int, ModuleScope]:
    """The files that hold data modules, for the flow of a training step of Lightning."""
    if flow.root.name not in STEPS:
        return {}
    return {id(m): m for m in flow.frame.project.modules if any(f.name == "val_dataloader" for f in m.functions)}


@cached()
def selects_model(module: ModuleScope) -> bool:
    """Does something in a file remember a best, stop early or keep a checkpoint?"""
    return stops_early_or_keeps_best(module) or any(
        topics.is_about(name, Topic.CHECKPOINTING) for name in module.calls_by_name
    )


def test_data_as_validation(function: FunctionScope) -> Iterator[tuple[Node, str]]:
    """`train(model, load("train"), load("test"))`, where the second parameter is called `dev_set`, and the function
    remembers a best by it."""
    for node in function.calls:
        built = [a for a in (*node.args, *(k.value for k in node.keywords)) if isinstance(a, ast.Call)]
        tests = [a for a in built if _says_test(a) and not _is_a_mode(a, function)]
        if not tests or len(built) == len(tests):
            continue
        call = Call(node, function.module.project.frame(function))
        if not call.callees or not all(not f.stubbed and _remembers(f, deep=True) for f in call.callees):
            continue
        for argument in call.arguments:
            if argument.node in tests and roles.is_part_name(argument.parameter, Role.VALIDATION_ROWS):
                yield argument.node, argument.parameter


def _is_a_mode(call: ast.Call, function: FunctionScope) -> bool:
    """Does `"test"` only say how to read, as in `Rows(valid_df, phase="test")`? Then what is read is called validation
    data, or another call that is told the same reads something else."""
    given = all_arguments(call)
    names = (place(n) for a in given for n in walk(a) if isinstance(n, (ast.Name, ast.Attribute)))
    if any(topics.is_about(last_part(name), Topic.VALIDATION) for name in names):
        return True
    others = (c for c in function.calls if c is not call and place(c.func) == place(call.func) and _says_test(c))
    texts = [text(function.module, a) for a in given]
    return any([text(function.module, a) for a in all_arguments(other)] != texts for other in others)


def _says_test(call: ast.Call) -> bool:
    """Is a call told `"test"` as one of its arguments, in so many words?"""
    constants = [a.value for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Constant)]
    return any(isinstance(w, str) and w.lower() == "test" for w in constants) and last_name(call.func) != "join"


def may_decide(statement: ast.Assign, function: FunctionScope) -> bool:
    """May what gets the data choose by it? Not if the project's functions that get it remember no best."""
    if any(topics.is_about(n, Topic.BEST) for n in function.bindings):
        return True
    frame = function.module.project.frame(function)
    at, data, tested = reaching(function).at, {id(statement.value)}, False
    for node in sorted(function.calls, key=lambda c: (c.lineno, c.col_offset)):
        used = [n for a in (*node.args, *(k.value for k in node.keywords)) for n in walk(a)]
        if not any(id(b.value) in data for n in used for b in at.get(id(n), ())):
            continue
        own = [f for f in Call(node, frame).callees if not f.stubbed]
        if any(_remembers(f, deep=True) for f in own) or (
            not own and topics.is_about(place(node.func), Topic.STOPPING)
        ):
            return True
        tested = tested or bool(own)
        data.add(id(node))
    return not tested


def _remembers(function: FunctionScope, *, deep: bool = False) -> bool:
    """Does a function, or one that it calls by name, remember a best or stop early?"""
    if any(topics.is_about(n, Topic.BEST) for n in function.bindings) or any(
        topics.is_about(n, Topic.STOPPING) for n in function.called_names
    ):
        return True
    modules = function.module.project.modules if deep else ()
    return any(f.name in function.called_names and _remembers(f) for m in modules for f in m.functions)


@cached(local=True)
def stops_early_or_keeps_best(module: ModuleScope) -> bool:
    """Is something stopped early, or is a best so far remembered?"""
    return any(topics.is_about(n, Topic.STOPPING) for n in module.calls_by_name) or any(
        any(topics.is_about(name, Topic.BEST) for name in scope.bindings) or _has_outdone_record(scope)
        for scope in module.functions
    )


def _has_outdone_record(function: FunctionScope) -> bool:
    """Is something replaced where it is outdone: `if score > top: top, kept = score, copy(weights)`?"""
    branches = (s for s in statements(function) if isinstance(s, ast.If))
    records = (record for branch in branches for _, record, _ in find_outdone_records(branch))
    return any(len(function.bindings.get(place(record) or "", ())) > 1 for record in records)


def is_test_named_validation(statement: ast.Assign, function: FunctionScope) -> bool:
    """`val_data, val_loader = get(flag="test")`, `self.valset = self.testset`."""
    value, target = statement.value, statement.targets[0]
    names = [place(t) or "" for t in (target.elts if isinstance(target, ast.Tuple) else [target])]
    if not any(names) or not all(roles.is_part_name(n, Role.VALIDATION_ROWS) for n in names if n != "_"):
        return False
    if isinstance(value, (ast.Name, ast.Attribute)):
        return bool(roles.is_part_name(place(value), Role.TEST_ROWS))
    return isinstance(value, ast.Call) and _says_test(value) and not _is_a_mode(value, function)


def where_kept(test: Node, function: FunctionScope) -> Node:
    """The call that saves what a comparison chooses, in the branch below it, else the comparison."""
    for branch in (s for s in statements(function) if isinstance(s, ast.If) and any(n is test for n in walk(s.test))):
        saves = (n for s in branch.body for n in walk(s) if isinstance(n, ast.Call))
        return next((n for n in saves if last_name(n.func) in ("save", "save_pretrained", "save_weights")), test)
    return test


def test_loaders_in_training(function: FunctionScope, project: Project) -> Iterator[tuple[Node, str, str, list[Node]]]:
    """`fit(model, train_loader, test_loader)`, while the validation loader is bound and never read.

    Yields:
        The argument, its name, that of the unread loader, and the user's functions that the call enters and that may
        choose by it: not those that read it only after they have chosen.
    """
    for call in function.calls:
        if len(call.args) + len(call.keywords) < 2:
            continue
        given = [*call.args, *(k.value for k in call.keywords)]
        names = [place(a) or "" for a in given]
        held_out = [(a, n) for a, n in zip(given, names, strict=True) if roles.is_held_out_name(n)]
        if len(held_out) == 1 and any(roles.is_training_name(n) for n in names):
            argument, name = held_out[0]
            spare = next(unread_counterparts(name, TEST, function, VALIDATION), None)
            if spare is not None and (
                topics.is_about(name, Topic.MAKING_DATA, Topic.LOADING)
                or roles.are_unpacked_parts(function.module, name, spare)
            ):
                frame = project.frame(function)
                callees = [f for f in Call(call, frame).callees if not f.stubbed]
                choosing = [
                    f for f in callees if not _is_read_after_choices(_parameter_of(argument, call, f, frame), f)
                ]
                yield argument, name, spare, choosing


def _parameter_of(argument: Node, call: ast.Call, function: FunctionScope, frame: Frame) -> str | None:
    """The parameter of a function that a call gives an argument to."""
    bound = bind(function, call, frame)[0].items()
    return next((name for name, given in bound if isinstance(given, Passed) and given.node is argument), None)


def _is_read_after_choices(parameter: str | None, function: FunctionScope) -> bool:
    """Is a parameter of a function that chooses only read below each loop in which it does?"""
    branches = [n for n in statements(function) if isinstance(n, ast.If) and remembers_best(n)]
    loops = [r.node for r in function.loops]
    around = [max((n for n in loops if is_within(b, n)), key=_first_line, default=None) for b in branches]
    reads = [n.lineno for n in walk(function.node) if isinstance(n, ast.Name) and n.id == parameter]
    ends = [n.end_lineno or 0 for n in around if n is not None]
    return bool(reads) and len(ends) == len(branches) > 0 and min(reads) > max(ends)


def _first_line(node: Node) -> int:
    return int(node.lineno)
