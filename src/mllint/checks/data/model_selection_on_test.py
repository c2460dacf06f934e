"""Is what to keep, or when to stop, chosen by looking at the test set?

A choice is a comparison that decides what is saved, a schedule or a stopper that is told a score, or a call that trains
and keeps a best. What is measured on test data is known by provenance; where only names tell the parts apart, the
validation data has to lie unused next to it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mllint.rule import Finding, Note, check
from mllint.semantics.api import (
    Answer,
    AppliesGrad,
    Cache,
    Call,
    Evidence,
    Flow,
    FunctionScope,
    ModuleScope,
    Node,
    Origin,
    Project,
    Site,
    named_tests,
    picked,
    roles,
    selection,
    test_choices,
    test_scores,
    text,
    thresholds,
    trials,
    usage,
)

__all__: list[str] = []

_BY = "the model is selected by"
_FITTED = "the training is fitted to the test set: the reported score is too optimistic"
_MEANT = "use `{}` here"
_THRESHOLD = "choose the threshold on validation rows, or on out-of-fold scores of the training rows"
_USED = "test data, used for model selection"
_DECIDES, _KEEPS = "decides by the test score", "kept because of the test score"
_BY_NAME: Cache[None, tuple[Finding, ...]] = Cache()


@check("model-selection-on-test")
def model_selection_on_test(flow: Flow) -> Iterator[Finding]:
    """What to keep, or when to stop, is chosen by the score on the test set."""
    choices = list(test_choices.find_choices_by_test_score(flow))
    yield from map(_chosen, choices)
    trained_in = {id(e.site.module): e.site.module for e in flow.events(AppliesGrad)}
    for module in trained_in.values():
        yield from _named_validation(module)
    if not any(choice.how is test_choices.How.KEPT for choice in choices):
        asked_too = {id(flow.root.module): flow.root.module, **trained_in, **selection.modules_with_loaders(flow)}
        for module in asked_too.values():
            yield from _by_name(module, flow.frame.project)


def _by_name(module: ModuleScope, project: Project) -> tuple[Finding, ...]:
    """What names alone say about a file: found once for all flows."""
    known = _BY_NAME.of(module)
    if None not in known:
        found = (
            *_took_test(module),
            *_in_place_of_validation(module, project),
            *_searched(module, project),
            *_thresholds(module, project),
        )
        known[None] = found if project.fuel >= 0 else ()
    return known[None]


# ------------------------------------------------------------------------------------------------------ by a test score
def _chosen(choice: test_choices.TestChoice) -> Finding:
    """What is chosen by a number that was measured on the test set."""
    match choice.how:
        case test_choices.How.KEPT | test_choices.How.KEPT_BY_HELPER:
            return _by_score(choice.score, choice.site, primary=_KEEPS)
        case test_choices.How.FOLLOWED:
            return _by_score(choice.score, choice.site, "the learning rate follows", why=_FITTED)
        case test_choices.How.STOPPED:
            return _by_score(choice.score, choice.site, "early stopping is decided by")
    return _by_score(choice.score, choice.site)


def _by_score(
    score: Origin, site: Site, what: str = _BY, *, primary: str = _DECIDES, notes: tuple[Note, ...] = (), why: str = ""
) -> Finding:
    """The finding for a choice by a score, with the test set that it was measured on."""
    root = next(iter(test_scores.provenance_behind(score)), None)
    data = (Note(root.site, "the test set"),) if root is not None and root.site is not None else ()
    message = f"{what} `{text(score.frame.module, score.node, 40)}`, a test-set score"
    return Finding(site, message, primary, (*data, *notes), why=why)


def _searched(module: ModuleScope, project: Project) -> Iterator[Finding]:
    """The best of several candidates, by the scores that they reached on the test rows."""
    for node, scope in module.calls_by_name.get("optimize", ()):
        call = Call(node, project.frame(scope)) if isinstance(scope, FunctionScope) else None
        tried = trials.find_trials_on_test(call) if call is not None else None
        if call is not None and tried is not None:
            notes = (Note(Site(module, tried.measured), "measured here as well"),)
            yield _by_score(tried.score, call.site, "the best trial is selected by", notes=notes)
    for function in module.functions if "fit" in module.calls_by_name else ():
        for score, node in picked.find_picks_on_test(function, project.frame(function)):
            yield _by_score(score, Site(module, node))


def _thresholds(module: ModuleScope, project: Project) -> Iterator[Finding]:
    """The threshold of a decision is the best one for the test rows, on which it is then measured."""
    curves = [item for name in thresholds.CURVES for item in module.calls_by_name.get(name, ())]
    for node, scope in curves:
        call = Call(node, project.frame(scope)) if isinstance(scope, FunctionScope) else None
        chosen = thresholds.find_threshold_from_test(call) if call is not None else None
        if call is not None and chosen is not None:
            scores = chosen.scores
            name = text(scores.frame.module, scores.node, 40)
            message = f"the decision threshold is selected on `{name}`, the scores of the test set"
            notes = [Note(Site(scores.frame.module, chosen.measured), "measured here as well")]
            yield Finding(call.site, message, _DECIDES, notes, help=_THRESHOLD)
    for function in module.functions if not thresholds.METRICS.isdisjoint(module.calls_by_name) else ():
        for labels, chooses in thresholds.find_thresholds_tried_on_test(function, project.frame(function)):
            name = text(labels.frame.module, labels.node, 40)
            message = f"the decision threshold is selected by a score against `{name}`, the labels of the test set"
            yield Finding(Site(module, chooses), message, _DECIDES, help=_THRESHOLD)


# ------------------------------------------------------------------------------------------------------------- by names
def _parts_are_named(module: ModuleScope, node: Node, *places: str | None) -> tuple[Answer[bool]]:
    """That names tell which part of the data is which."""
    return (roles.parts_by_name(Site(module, node), *places),)


def _named_validation(module: ModuleScope) -> Iterator[Finding]:
    """Test data under the name of validation data, in a file that trains and chooses."""
    for argument, parameter in named_tests.find_tests_given(module):
        message = f"the test set is passed as `{parameter}`, in place of a validation set"
        evidence = _parts_are_named(module, argument, parameter)
        yield Finding(Site(module, argument), message, _USED, evidence=evidence)
    for statement, name, speaking in named_tests.find_renamed_tests(module):
        message = f"`{name}` is meant for validation, but holds the test set"
        evidence = _parts_are_named(module, statement, *speaking)
        yield Finding(Site(module, statement), message, _USED, evidence=evidence)


def _in_place_of_validation(module: ModuleScope, project: Project) -> Iterator[Finding]:
    """The test set is given to what trains and keeps a best, while the validation set lies unused next to it."""
    for argument, name, spare in named_tests.find_test_loaders_in_training(module, project):
        message = f"the model is selected on `{name}`, a test set, and `{spare}` is never used"
        evidence = _parts_are_named(module, argument, name, spare)
        yield Finding(Site(module, argument), message, "the test set", help=_MEANT.format(spare), evidence=evidence)
    for node, name, used, spare in named_tests.find_tests_read_as_validation(module, project):
        message = f"`{name}` reads `{used}`, which is test data, and `{spare}` is never used"
        evidence = _parts_are_named(module, node, name, used, spare)
        yield Finding(Site(module, node), message, "the test set", help=_MEANT.format(spare), evidence=evidence)
    for given, name, spare in named_tests.find_reused_test_sets(module, project):
        message = f"`{name}` is used for both validation and testing, and `{spare}` is never used"
        yield Finding(Site(module, given), message, "the test set", help=_MEANT.format(spare))
    for function in module.functions:
        for argument, name, spare, at, how in selection.find_validation_on_test(function):
            shown = f"`{spare}` is never used" if spare else "the result is then measured on it"
            message = f"the model is selected on `{name}`, and {shown}"
            labels = " and its labels" if selection.is_paired_with_labels(argument, name) else ""
            help = f"use `{spare}`{labels} here" if spare else ""
            notes = [Note(Site(module, at), "measured here")] if at is not None else []
            loaded = (Answer(True, how, (Site(module, argument),)),)
            evidence = loaded if how is Evidence.PROVEN else _parts_are_named(module, argument, name)
            yield Finding(Site(module, argument), message, "the test set", notes, help=help, evidence=evidence)


def _took_test(module: ModuleScope) -> Iterator[Finding]:
    """A choice by a score on the test loader, while the validation loader lies unused next to it."""
    for function in (f for f in module.functions if not isinstance(f.node, ast.Lambda)):
        for given, test, name, spare in selection.find_selection_on_test(function):
            other = f"not on `{spare}`" if usage.is_read(spare, function) else f"and `{spare}` is never used"
            other = other if spare else "on which the result is then measured"
            message = f"the model is selected by a score on `{name}`, {other}"
            kept = selection.where_kept(test, function)
            names, by = ((name, spare), f"the score on `{spare}`") if spare else ((name,), "a score on validation rows")
            yield _by_loader(module, message, given, kept, names, by)
        for given, test, name, spare in selection.unused_validation_scores(function):
            message, kept = f"the model is selected by `{name}`, not by `{spare}`", selection.where_kept(test, function)
            yield _by_loader(module, message, given, kept, (name, spare), f"`{spare}`")


def _by_loader(module: ModuleScope, message: str, given: Node, kept: Node, names: tuple[str, ...], by: str) -> Finding:
    """The finding for a choice by what a loader of test data gave."""
    notes, evidence = [Note(Site(module, given), "measured here")], _parts_are_named(module, given, *names)
    help = f"select by {by}, and use the test set once"
    return Finding(Site(module, kept), message, _DECIDES, notes, help=help, evidence=evidence)
