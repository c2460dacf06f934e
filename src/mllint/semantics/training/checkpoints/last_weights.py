"""Is a model tested with its last weights, after a run that kept its best ones?

    for epoch in range(epochs):
        train(net)
        if validate(net) > best:
            torch.save(net.state_dict(), "best.pt")     # the best weights are kept
    test(net, test_loader)                               # `find_tests_of_last_weights`: the last ones are measured

The weights that are kept are those for which a score outdid a record (`bests`). A run that reads any weights before the
test, or afterwards, to test again, does what it means to, with another model, too. Which rows are for the test only
names say; that the run chose its weights by other rows is the second fact.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from mllint.semantics.flow.batch_loops import find_batch_iterator
from mllint.semantics.flow.flow import Event, Flow
from mllint.semantics.flow.kinds import AppliesGrad, Forward, RestoresState, Saves
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.syntax.nodes import Node, is_within, iterable_of, place, walk
from mllint.semantics.training import roles
from mllint.semantics.training.checkpoints.bests import Guard, guards
from mllint.semantics.training.evidence import Answer
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.rows.test_scores import is_test_score
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.lineage import Origin, origins

__all__ = ["KeptFile", "Tested", "find_kept_file", "find_tests_of_last_weights"]


class Tested(NamedTuple):
    """A test of the last weights.

    Attributes:
        forward: where the model is run.
        rows: the loader, as it is called where the run hands it over.
        guard: what keeps the best weights.
        named: that the rows are those for the test.
    """

    forward: Event
    rows: Origin
    guard: Guard
    named: Answer[bool]


class KeptFile(NamedTuple):
    """A file that a run keeps its best weights in.

    Attributes:
        model: the model.
        path: the file.
        is_whole: whether it holds the model itself, not its weights.
        is_renamed: whether the path means another file, or none, after the loop.
    """

    model: Node
    path: Node
    is_whole: bool
    is_renamed: bool


def find_tests_of_last_weights(flow: Flow) -> Iterator[Tested]:
    """The tests that follow a run which kept its best weights, without reading any, each once."""
    if not flow.complete:
        return
    for guard in guards(flow):
        for forward in flow.events(Forward):
            rows = _test_rows(forward) if _runs_after_keeping(forward, guard.kept, flow) else None
            if (
                rows is not None
                and not _is_chosen_by_test_score(guard)
                and not _is_compared_with_best(rows, guard, flow)
            ):
                named = roles.parts_by_name(rows.site, _name(rows))
                yield Tested(forward, rows, guard, named)
                break


def find_kept_file(tested: Tested, flow: Flow) -> KeptFile | None:
    """The file that `torch.save` writes what is kept to, in the function of the test; None if there is none, or one
    that holds anything else than weights or a model."""
    kept, function = tested.guard.kept, tested.rows.frame.function
    saved = next((s for s in flow.events(Saves) if s.conditions == kept.conditions), None)
    if saved is None or saved.function is not function:
        return None
    match saved.call:
        case ast.Call(args=[ast.Call(func=ast.Attribute(value=model, attr="state_dict"), args=[]), path]):
            return KeptFile(model, path, is_whole=False, is_renamed=_is_renamed(path, saved))
        case ast.Call(args=[(ast.Name() | ast.Attribute()) as model, path]):
            whole = evaluate(model, saved.frame).instance_of(MODULE)
            return KeptFile(model, path, is_whole=True, is_renamed=_is_renamed(path, saved)) if whole else None
    return None


def _is_renamed(path: Node, saved: Event) -> bool:
    """Does the loop bind a name in a path to something else after the file was written: `f"best_{epoch}.pt"`?"""
    function, loop = saved.function, saved.loops[0].node
    branches = [b for b in function.nodes_of(ast.If) if is_within(b, loop) and is_within(saved.site.node, b)]
    names = {n.id for n in walk(path) if isinstance(n, ast.Name)}
    bound = [b for name in names for b in function.bindings.get(name, ()) if is_within(b.node, loop)]
    return any(not is_within(b.node, branches[-1]) for b in bound) if branches else bool(bound)


def _runs_after_keeping(forward: Event, kept: Event, flow: Flow) -> bool:
    """Does a run of the model come after the loop that keeps its weights, with nothing read or trained in between, not
    even where a condition holds: `if best is not None: net.load_state_dict(best)`?"""
    loop = kept.loops[0]
    if loop in forward.loops or not _is_same(forward, kept, flow):
        return False
    others = [s for s in flow.events(AppliesGrad) if loop not in s.loops]
    if flow.path(kept, to=forward, avoiding=(RestoresState.concerning(forward), *others)) is None:
        return False
    read = [e for e in flow.events(RestoresState) if e.concerns(forward) is not False]
    if any(loop not in e.loops and flow.path(kept, to=e) and flow.path(e, to=forward) for e in read):
        return False
    return not read or flow.path(forward, to=read) is None


def _is_same(forward: Event, kept: Event, flow: Flow) -> bool:
    """Is a model that is run one whose weights were kept, or those of a part of it, and no other: not one that the name
    was bound to since? A run of what may be one of several models is an event for each of them."""
    runs = [e for e in flow.events(Forward) if e.call is forward.call and e.frame is forward.frame]
    if all(e.subject.identities and e.subject.identities <= kept.subject.identities for e in runs):
        return True
    single = all(len(e.subject.alternatives) == 1 for e in (kept, *runs))
    return single and all(kept.concerns(e) is True for e in runs) and not _binds_a_part(kept)


def _binds_a_part(kept: Event) -> bool:
    """Is an attribute bound below what keeps the weights of a part: `net.head = Head.from_pretrained("best")`?"""
    attributes = (b for name, found in kept.function.bindings.items() if "." in name for b in found)
    return any(getattr(b.node, "lineno", 0) > kept.site.line for b in attributes)


def _test_rows(forward: Event) -> Origin | None:
    """The loader that the loop around a run of a model draws from, if it is called one for the test."""
    run = forward.loops[-1] if forward.loops else None
    if run is None:
        return None
    source = find_batch_iterator(run)
    if source is None and isinstance(run.node, ast.For):
        source = iterable_of(run.node.iter)
    if source is None:
        return None
    for origin in origins(source, run.frame, through=_is_name):
        rows = roles.rows_by_name(_name(origin))
        if rows is not None:
            return origin if rows is Role.TEST_ROWS else None
    return None


def _is_compared_with_best(rows: Origin, guard: Guard, flow: Flow) -> bool:
    """Are the same rows given to a model that has read weights, so that the last ones are shown next to the best?"""
    loop = guard.kept.loops[0]
    read = [e for e in flow.events(RestoresState) if loop not in e.loops and flow.path(guard.kept, to=e)]
    others = (f for f in flow.events(Forward) if read and any(e.concerns(f) is True for e in read))
    for other in others:
        again = _test_rows(other)
        if again is not None and _name(again) == _name(rows):
            return True
    return False


def _name(rows: Origin) -> str:
    """What some rows are called: by their place, or by the key of `loaders[split]`."""
    key = evaluate(rows.node.slice, rows.frame).literal if isinstance(rows.node, ast.Subscript) else None
    return key if isinstance(key, str) else place(rows.node) or ""


def _is_name(origin: Origin) -> bool:
    """Is it a name of the rows, or `iter(rows)`?"""
    node = origin.node
    by_hand = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "iter"
    return by_hand or isinstance(node, (ast.Name, ast.Attribute, ast.Subscript))


def _is_chosen_by_test_score(guard: Guard) -> bool:
    """Was the score itself measured on the rows for the test? That is another fault."""
    sides: tuple[Node, ...] = (guard.test.left, *guard.test.comparators)
    return any(is_test_score(Origin(side, guard.frame)) for side in sides if side is not guard.record)
