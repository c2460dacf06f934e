"""What is kept, stopped, tuned or scheduled by a number that was measured on the test set?

    if evaluate(net, test_loader) > best: torch.save(...)      # KEPT
    scheduler.step(test_loss)                                  # FOLLOWED by the learning rate
    stopper.update(net, test_loss)                             # KEPT_BY_OBJECT: what is told a score and gets the model
    if early_stopping(test_loss): break                        # STOPPED
    save_checkpoint(state, is_best)                            # KEPT_BY_HELPER
    for depth in (1, 2, 3): ...; if score > best: best = score # TUNED: an estimator is fitted again and again

Which numbers were measured on test rows is asked in `test_scores`. A test around all loops chooses among nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from mllint.semantics.flow.kinds import AppliesGrad, Fits
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.nodes import Node, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.rows import selection, test_scores
from mllint.semantics.values.lineage import Origin
from mllint.semantics.values.values import Site

if TYPE_CHECKING:
    from mllint.semantics.flow.flow import Event, Flow, LoopRun
    from mllint.semantics.values.frames import Frame

__all__ = ["How", "TestChoice", "find_choices_by_test_score"]


class How(Enum):
    """How a choice is made."""

    KEPT = "kept"
    FOLLOWED = "followed by the learning rate"
    KEPT_BY_OBJECT = "kept by an object"
    TUNED = "tuned"
    STOPPED = "stopped"
    KEPT_BY_HELPER = "kept by a helper"


class TestChoice(NamedTuple):
    """A choice by a score that was measured on the test set."""

    score: Origin
    site: Site
    """Where the choice is made."""
    how: How


def find_choices_by_test_score(flow: Flow) -> Iterator[TestChoice]:
    """The choices of a flow by numbers that were measured on the test set."""
    kept = _find_kept(flow)
    yield from (TestChoice(score, site, How.KEPT) for _, score, site in kept.values())
    yield from _told(flow)
    yield from _tuned(flow, kept)
    yield from _stopped(flow)
    if not kept:
        yield from _kept_by_helper(flow)


# --------------------------------------------------------------------------------------------------------- what is kept
def _find_kept(flow: Flow) -> dict[int, tuple[Event, Origin, Site]]:
    """What keeps a model, the score that decides, and where, by the identity of the comparison; of several events below
    one comparison, the last that saves because the score is better."""
    chosen: dict[int, tuple[Event, Origin, Site]] = {}
    scores: dict[tuple[int, int], Origin | None] = {}
    for event in (e for e in flow.events() if e.loops and _may_keep(e)):
        repeated = event.conditions_in(event.loops[0])  # a test around all loops chooses among nothing
        for test, better, frame in sorted(repeated, key=lambda condition: not condition[1]):
            key = (id(test), id(frame))
            if key not in scores:
                scores[key] = test_scores.score_compared(test, frame)
            score = scores[key]
            if score is not None and (id(test) not in chosen or (event.kind == "saves" and better)):
                chosen[id(test)] = (event, score, test_scores.site_of_choice(event.site, frame, event))
    return chosen


def _may_keep(event: Event) -> bool:
    """Does an event keep a model, or may it do so by what it is called?"""
    if event.kind == "unknown":
        return "save" in str(event.option) and bool(event.subject.identity)
    return event.kind in ("saves", "reads_state")


def _told(flow: Flow) -> Iterator[TestChoice]:
    """A schedule that follows a test score, or an object that keeps the best by one: it is given both."""
    for event in flow.events("ticks", "unknown"):
        if event.call is None or not event.loops:
            continue
        if event.kind == "unknown" and not (selection.may_keep_best(event) and event.subject.identity):
            continue
        score = next((o for a in event.call.args if test_scores.is_test_score(o := Origin(a, event.frame))), None)
        if score is not None and event.kind == "ticks":
            yield TestChoice(score, event.site, How.FOLLOWED)
        elif score is not None and len(event.call.args) > 1:
            yield TestChoice(score, event.site, How.KEPT_BY_OBJECT)


def _kept_by_helper(flow: Flow) -> Iterator[TestChoice]:
    """`save_checkpoint(state, is_best)`, where the helper copies what it saved if `is_best`, a test score outdone."""
    for run in _outermost_loops(flow):
        for node in (n for n in walk(run.node) if isinstance(n, ast.Call) and len(n.args) + len(n.keywords) > 1):
            call = Call(node, run.frame)
            for given in selection.deciding_arguments(call):
                score = test_scores.score_compared(given, run.frame)
                if score is not None:
                    yield TestChoice(score, call.site, How.KEPT_BY_HELPER)


# --------------------------------------------------------------------------------------------------------------- others
def _tuned(flow: Flow, known: Iterable[int]) -> Iterator[TestChoice]:
    """An estimator is fitted again and again, and the best one by its score on the test rows is remembered.

    Args:
        flow: the flow.
        known: the identities of the comparisons of which more is known.
    """
    seen = set(known)
    for event in flow.events(Fits):
        for branch, frame in selection.comparisons_of_trials(event):
            if id(branch.test) not in seen:
                seen.add(id(branch.test))
                score = test_scores.score_compared(branch.test, frame)
                if score is not None:
                    yield TestChoice(score, Site(frame.module, branch.test), How.TUNED)


def _stopped(flow: Flow) -> Iterator[TestChoice]:
    """`stopper.stop(test_loss)` or `early_stopping(test_loss)`, of the project's own, in the loop over the epochs."""
    for run in _outermost_loops(flow):
        for node in walk(run.node):
            if isinstance(node, ast.Call) and len(node.args) == 1 and _stops(node, run.frame):
                score = Origin(node.args[0], run.frame)
                if test_scores.is_test_score(score):
                    yield TestChoice(score, Site(run.frame.module, node), How.STOPPED)


def _stops(call: Node, frame: Frame) -> bool:
    """Is it a call of the project's own code that decides whether to stop, by its name?"""
    named = topics.is_about(place(call.func), Topic.STOPPING)
    return named and any(not f.stubbed for f in Call(call, frame).callees)


def _outermost_loops(flow: Flow) -> list[LoopRun]:
    """The outermost loops around the steps of optimizers, each once."""
    found: dict[int, LoopRun] = {}
    for run in (r for e in flow.events(AppliesGrad) for r in e.loops[:1]):
        found.setdefault(id(run.node), run)
    return list(found.values())
