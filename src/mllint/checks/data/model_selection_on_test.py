"""Is what to keep, or when to stop, chosen by looking at the test set?

A choice is a comparison that decides what is saved, a schedule or a stopper that is told a score, or a call that trains
and keeps a best. What is measured on test data is known by provenance; where only names tell the parts apart, the
validation data has to lie unused next to it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import replace

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Answer,
    AppliesGrad,
    Cache,
    Call,
    Event,
    Evidence,
    Fits,
    Flow,
    FunctionScope,
    ModuleScope,
    Node,
    Origin,
    Site,
    Topic,
    cached,
    picked,
    place,
    roles,
    selection,
    statements,
    test_scores,
    text,
    thresholds,
    topics,
    trials,
    usage,
    walk,
    wrong_part,
)

__all__: list[str] = []

_BY = "the model is selected by"
_FITTED = "the training is fitted to the test set: the reported score is too optimistic"
_STOPS = "early stopping is decided by"
_MEANT = "use `{}` here"
_THRESHOLD = "choose the threshold on validation rows, or on out-of-fold scores of the training rows"
_BY_NAME: Cache[None, tuple[Finding, ...]] = Cache()
_TESTS = tuple(quote + word + quote for word in ("test", "Test", "TEST") for quote in "\"'")


@check("model-selection-on-test")
def model_selection_on_test(flow: Flow) -> Iterator[Finding]:
    """What to keep, or when to stop, is chosen by the score on the test set."""
    chosen: dict[int, tuple[Event, Origin, Site]] = {}
    scores: dict[tuple[int, int], Origin | None] = {}
    for event in flow.events():
        if not event.loops or not (
            event.kind in ("saves", "reads_state")
            or (event.kind == "unknown" and "save" in str(event.option) and event.subject.identity)
        ):
            continue
        repeated = event.conditions_in(event.loops[0])  # a test around all loops chooses among nothing
        for test, better, frame in sorted(repeated, key=lambda condition: not condition[1]):
            key = (id(test), id(frame))
            if key not in scores:
                scores[key] = test_scores.score_compared(test, frame)
            score = scores[key]
            if score is not None and (id(test) not in chosen or (event.kind == "saves" and better)):
                chosen[id(test)] = (event, score, test_scores.site_of_choice(event.site, frame, event))
    for _, score, site in chosen.values():
        yield _selected(score, site, "kept because of the test score")
    for event in flow.events("ticks", "unknown"):
        if (
            event.call is None
            or not event.loops
            or (event.kind == "unknown" and not (selection.may_keep_best(event) and event.subject.identity))
        ):
            continue
        score = next((o for a in event.call.args if test_scores.is_test_score(o := Origin(a, event.frame))), None)
        if score is not None:
            yield from _told(event, score)
    yield from _tuned(flow, chosen)
    yield from _stopped(flow)
    yield from _kept_by_helper(flow) if not chosen else ()
    trained_in = {id(e.site.module): e.site.module for e in flow.events(AppliesGrad)}
    for module in trained_in.values():
        yield from _validated_on_test(module)
    asked_too = {id(flow.root.module): flow.root.module, **trained_in, **selection.modules_with_loaders(flow)}
    if not chosen:
        for module in asked_too.values():
            yield from _by_name(module, flow)


def _told(event: Event, score: Origin) -> Iterator[Finding]:
    """A schedule that follows a test score, or what keeps the best by one."""
    if event.kind == "ticks":
        found = _selected(score, event.site, "decides by the test score", "the learning rate follows")
        yield replace(found, why=_FITTED)
    elif len(event.call.args) > 1:
        yield _selected(score, event.site, "decides by the test score")


def _stopped(flow: Flow) -> Iterator[Finding]:
    """`stopper.stop(test_loss)` or `early_stopping(test_loss)`, of the project's own, in the loop over the epochs."""
    seen: set[int] = set()
    for run in (r for e in flow.events(AppliesGrad) for r in e.loops[:1]):
        if id(run.node) in seen:
            continue
        seen.add(id(run.node))
        for node in walk(run.node):
            if (
                not isinstance(node, ast.Call)
                or len(node.args) != 1
                or not topics.is_about(place(node.func), Topic.STOPPING)
            ):
                continue
            score = Origin(node.args[0], run.frame)
            if any(not f.stubbed for f in Call(node, run.frame).callees) and test_scores.is_test_score(score):
                yield _selected(score, Site(run.frame.module, node), "decides by the test score", _STOPS)


def _kept_by_helper(flow: Flow) -> Iterator[Finding]:
    """`save_checkpoint(state, is_best)`, where the helper copies what it saved if `is_best`, a test score outdone."""
    for run in {id(r.node): r for e in flow.events(AppliesGrad) for r in e.loops[:1]}.values():
        for node in (n for n in walk(run.node) if isinstance(n, ast.Call) and len(n.args) + len(n.keywords) > 1):
            call = Call(node, run.frame)
            for given in selection.deciding_arguments(call):
                score = test_scores.score_compared(given, run.frame)
                if score is not None:
                    yield _selected(score, call.site, "kept because of the test score")


def _tuned(flow: Flow, known: Collection[int]) -> Iterator[Finding]:
    """An estimator is fitted again and again, and the best one by its score on the test rows is remembered, by none of
    the tests with some ids."""
    seen: set[int] = set()
    for event in flow.events(Fits):
        for branch, frame in selection.comparisons_of_trials(event):
            if id(branch) not in seen and id(branch.test) not in known:
                seen.add(id(branch))
                score = test_scores.score_compared(branch.test, frame)
                if score is not None:
                    yield _selected(score, Site(frame.module, branch.test), "decides by the test score")


def _by_name(module: ModuleScope, flow: Flow) -> tuple[Finding, ...]:
    """What names alone say about a file: found once for all flows."""
    known = _BY_NAME.of(module)
    if None not in known:
        found = (
            *_took_test(module),
            *_test_set_instead_of_validation(module, flow),
            *_tried_on_test(module, flow),
            *_picked_on_test(module, flow),
            *_decided_on_test(module, flow),
        )
        known[None] = found if flow.frame.project.fuel >= 0 else ()
    return known[None]


def _test_set_instead_of_validation(module: ModuleScope, flow: Flow) -> Iterator[Finding]:
    """The test set is given to what trains and keeps a best, while the validation set lies unused next to it."""
    project = flow.frame.project
    choosing = any(map(selection.stops_early_or_keeps_best, project.modules))
    for function in module.functions:
        given = selection.test_loaders_in_training(function, project) if choosing else ()
        for argument, name, spare, callees in given:
            if any(selection.stops_early_or_keeps_best(m) for m in {f.module for f in callees}):
                message = f"the model is selected on `{name}`, a test set, and `{spare}` is never used"
                evidence, help = _parts_are_named(module, argument, name, spare), _MEANT.format(spare)
                yield Finding(Site(module, argument), message, "the test set", help=help, evidence=evidence)
        loads = topics.is_about(function.name, Topic.LOADERS) and any(map(selection.selects_model, project.modules))
        if loads or selection.selects_model(module):
            for node, name, used, spare in wrong_part.find_test_as_validation(function):
                message = f"`{name}` reads `{used}`, which is test data, and `{spare}` is never used"
                evidence, help = _parts_are_named(module, node, name, used, spare), _MEANT.format(spare)
                yield Finding(Site(module, node), message, "the test set", help=help, evidence=evidence)
        if function.name == "val_dataloader" and function.owner is not None and loads:
            for given, name, spare in wrong_part.reused_dataset(function.owner, "val_dataloader", "test_dataloader"):
                message = f"`{name}` is used for both validation and testing, and `{spare}` is never used"
                yield Finding(Site(module, given), message, "the test set", help=_MEANT.format(spare))
        for argument, name, spare, at, how in selection.find_validation_on_test(function):
            shown = f"`{spare}` is never used" if spare else "the result is then measured on it"
            message = f"the model is selected on `{name}`, and {shown}"
            labels = " and its labels" if selection.is_paired_with_labels(argument, name) else ""
            help = f"use `{spare}`{labels} here" if spare else ""
            measured = [Note(Site(module, at), "measured here")] if at is not None else []
            loaded = (Answer(True, how, (Site(module, argument),)),)
            evidence = loaded if how is Evidence.PROVEN else _parts_are_named(module, argument, name)
            yield Finding(Site(module, argument), message, "the test set", measured, help=help, evidence=evidence)


def _tried_on_test(module: ModuleScope, flow: Flow) -> Iterator[Finding]:
    """The trials of a search are scored on rows that the chosen model is measured on afterwards."""
    for node, scope in module.calls_by_name.get("optimize", ()):
        call = Call(node, flow.frame.project.frame(scope)) if isinstance(scope, FunctionScope) else None
        tried = trials.find_trials_on_test(call) if call is not None else None
        if call is not None and tried is not None:
            found = _selected(tried.score, call.site, "decides by the test score", "the best trial is selected by")
            measured = Note(Site(module, tried.measured), "measured here as well")
            yield replace(found, labels=[*found.labels, measured])


def _picked_on_test(module: ModuleScope, flow: Flow) -> Iterator[Finding]:
    """One of several fitted candidates is looked up by the best of the scores that they reached on the test rows."""
    if "fit" not in module.calls_by_name:
        return
    for function in module.functions:
        for score, node in picked.find_picks_on_test(function, flow.frame.project.frame(function)):
            yield _selected(score, Site(module, node), "decides by the test score")


def _decided_on_test(module: ModuleScope, flow: Flow) -> Iterator[Finding]:
    """The threshold of a decision is the best one for the test rows, on which it is then measured."""
    curves = [item for name in thresholds.CURVES for item in module.calls_by_name.get(name, ())]
    for node, scope in curves:
        call = Call(node, flow.frame.project.frame(scope)) if isinstance(scope, FunctionScope) else None
        chosen = thresholds.find_threshold_from_test(call) if call is not None else None
        if call is not None and chosen is not None:
            measured = Site(chosen.scores.frame.module, chosen.measured)
            name = text(chosen.scores.frame.module, chosen.scores.node, 40)
            message = f"the decision threshold is selected on `{name}`, the scores of the test set"
            notes = [Note(measured, "measured here as well")]
            yield Finding(call.site, message, "decides by the test score", notes, help=_THRESHOLD)
    if thresholds.METRICS.isdisjoint(module.calls_by_name):
        return
    for function in module.functions:
        for labels, branch in thresholds.find_thresholds_tried_on_test(function, flow.frame.project.frame(function)):
            name = text(module, labels.node, 40)
            message = f"the decision threshold is selected by a score against `{name}`, the labels of the test set"
            yield Finding(Site(module, branch.test), message, "decides by the test score", help=_THRESHOLD)


def _parts_are_named(module: ModuleScope, node: Node, *places: str | None) -> tuple[Answer[bool]]:
    """That names tell which part of the data is which."""
    return (roles.parts_by_name(Site(module, node), *places),)


@cached()
def _renamed_tests(module: ModuleScope) -> list[ast.Assign]:
    """The assignments of test data to a name of validation data that may decide."""
    assigned = ((s, f) for f in _may_keep_a_best(module) for s in statements(f) if isinstance(s, ast.Assign))
    return [s for s, f in assigned if selection.is_test_named_validation(s, f) and selection.may_decide(s, f)]


@cached()
def _tests_given(module: ModuleScope) -> list[tuple[Node, str]]:
    """The arguments with test data for a parameter that is for validation data, and the name of that."""
    names_tests = any(module.source.holds(word) for word in _TESTS)
    return [g for f in _may_keep_a_best(module) if names_tests for g in selection.test_data_as_validation(f)]


def _may_keep_a_best(module: ModuleScope) -> list[FunctionScope]:
    if not selection.stops_early_or_keeps_best(module):
        return []
    return [f for f in module.functions if not isinstance(f.node, ast.Lambda)]


def _validated_on_test(module: ModuleScope) -> Iterator[Finding]:
    """Test data under the name of validation data, in a file that trains and chooses."""
    for argument, parameter in _tests_given(module):
        message = f"the test set is passed as `{parameter}`, in place of a validation set"
        evidence = _parts_are_named(module, argument, parameter)
        yield Finding(Site(module, argument), message, "test data, used for model selection", evidence=evidence)
    for statement in _renamed_tests(module):
        names = [p for n in walk(statement.targets[0]) if (p := place(n)) and roles.is_held_out_name(p)]
        name = names[-1] if names else text(module, statement.targets[0], 40)
        message = f"`{name}` is meant for validation, but holds the test set"
        evidence = _parts_are_named(module, statement, *names[-1:])  # of the rows and their loader, the last
        yield Finding(Site(module, statement), message, "test data, used for model selection", evidence=evidence)


def _selected(score: Origin, site: Site, primary: str, what: str = _BY) -> Finding:
    root = next(iter(test_scores.provenance_behind(score)), None)
    name = text(score.frame.module, score.node, 40)
    notes = [Note(root.site, "the test set")] if root is not None and root.site is not None else []
    return Finding(site, f"{what} `{name}`, a test-set score", primary, notes)


def _took_test(module: ModuleScope) -> Iterator[Finding]:
    """A choice by a score on the test loader, while the validation loader lies unused next to it."""
    for function in module.functions:
        if isinstance(function.node, ast.Lambda):
            continue
        for given, test, name, spare in selection.find_selection_on_test(function):
            other = f"not on `{spare}`" if usage.is_read(spare, function) else f"and `{spare}` is never used"
            message = f"the model is selected by a score on `{name}`, {other}"
            by = f"the score on `{spare}`"
            yield _chosen(module, message, given, selection.where_kept(test, function), (name, spare), by)
        for given, test, name, spare in selection.unused_validation_scores(function):
            message = f"the model is selected by `{name}`, not by `{spare}`"
            yield _chosen(module, message, given, selection.where_kept(test, function), (name, spare), f"`{spare}`")


def _chosen(module: ModuleScope, message: str, given: Node, kept: Node, names: tuple[str, str], by: str) -> Finding:
    notes = [Note(Site(module, given), "measured here")]
    evidence = _parts_are_named(module, given, *names)
    help = f"select by {by}, and use the test set once"
    return Finding(Site(module, kept), message, "decides by the test score", notes, help=help, evidence=evidence)
