"""Was this number measured on the test set?

    score = evaluate(model, test_loader)       # measured on test rows: by the root of its value, or of the loader

Test rows are known by provenance; where only names tell the parts apart, no file on the way may speak of validation
data. Where a test set lies apart from what a split calls so, the part of the split is a validation set by another name.

What it does not do: what is chosen by the score is for `selection`.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.flow import Event
from mllint.semantics.flow.views import Call
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope, ModuleScope
from mllint.semantics.syntax.names import bound_at, reaching
from mllint.semantics.syntax.nodes import Node, iterable_of, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.syntax.unbound import is_unbound
from mllint.semantics.syntax.words import last_part, words
from mllint.semantics.training import roles
from mllint.semantics.training.role_names import Role
from mllint.semantics.training.rows.usage import TEST, VALIDATION
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, origins, statements
from mllint.semantics.values.values import (
    InstanceValue,
    MappingValue,
    Provenance,
    Site,
)

__all__ = ["comes_from_test", "is_test_score", "provenance_behind", "score_compared", "site_of_choice"]

_LISTED = (ast.List, ast.Tuple)


def score_compared(test: Node, frame: Frame) -> Origin | None:
    """The side of a comparison, in a test, that was computed from the test set and nothing else."""
    if isinstance(test, ast.Name):
        test = next((o.node for o in origins(test, frame) if isinstance(o.node, ast.Compare)), test)
    for node in walk(test):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Lt, ast.Gt, ast.LtE, ast.GtE)):
            sides = sorted((node.left, node.comparators[0]), key=lambda s: topics.is_about(place(s), Topic.BEST))
            if not any(isinstance(s, ast.Constant) for s in sides):
                for side in sides:
                    if is_test_score(Origin(side, frame)):
                        return Origin(side, frame)
                if place(sides[0]) is not None and _in_test_phase(test, frame):
                    return Origin(sides[0], frame)
    return None


def _in_test_phase(test: Node, frame: Frame) -> bool:
    """Does a test hold in the phase of a loop over `["train", "test"]` only that is called test?"""
    for branch in (s for s in statements(frame.function) if isinstance(s, ast.If)):
        if not any(n is test for n in walk(branch)):
            continue
        for node in walk(branch.test):
            match node:
                case ast.Compare(left=ast.Name(id=name), ops=[ast.Eq()], comparators=[ast.Constant(value="test")]):
                    loops = (r.node for r in frame.function.loops if isinstance(r.node, ast.For))
                    listed = [r.iter.elts for r in loops if place(r.target) == name and isinstance(r.iter, _LISTED)]
                    phases = [getattr(e, "value", None) for elts in listed for e in elts]
                    if sorted(map(str, phases)) == ["test", "train"]:
                        return True
    return False


def is_test_score(origin: Origin) -> bool:
    """A number computed from test data: not the data or the loader itself."""
    value = origin.value
    if any(isinstance(v, InstanceValue) for v in value.alternatives) or isinstance(origin.node, ast.Constant):
        return False
    return comes_from_test(origin)


def comes_from_test(origin: Origin) -> bool:
    """Does something come from the test data and no other: a score, or rows, such as the labels of a score?"""
    parts = {r.part for r in provenance_behind(origin)}
    validates = _is_named_validation(origin)
    if parts == {"test"} or (parts == {"heldout"} and not validates and _is_test_data_by_name(origin)):
        return parts == {"test"} or not _has_other_test_set(origin)
    loader = _looped_over(origin)
    parts = {r.part for r in loader.value.all_provenance} - {"whole"} if loader is not None else set()
    if loader is not None and parts:
        return parts == {"test"} or (parts == {"heldout"} and not validates and _is_test_data_by_name(loader))
    return _is_masked_by_test(origin) or _is_entry_for_test(origin) or _is_from_named_test(origin)


def _has_other_test_set(origin: Origin) -> bool:
    """Is there a test set next to rows that a split calls so: `pd.read_csv("test.csv")` in the file, `X_holdout`?"""
    module = origin.frame.module
    if any(topics.is_about(name, Topic.APART) for name in origin.frame.function.bindings):
        return True
    if not module.source.holds("test"):
        return False
    calls = [
        c for name, found in module.calls_by_name.items() if topics.is_about(name, Topic.READING_ROWS) for c, _ in found
    ]
    naming = [c for c in calls if any(topics.is_about(w, Topic.TEST_FILE) for w in _words_in(c))]
    behind = {id(o.node) for o in origins(origin.node, origin.frame)} if naming else set()
    return any(id(c) not in behind for c in naming)


def _words_in(call: ast.Call) -> list[str]:
    given = (*call.args, *(k.value for k in call.keywords))
    nodes = [n for a in given for n in walk(a) if isinstance(n, ast.Constant)]
    return [n.value for n in nodes if isinstance(n.value, str)]


def _is_from_named_test(origin: Origin) -> bool:
    """Is it what something gives for a loader that is called that of the test set, where no file on the way speaks of
    validation data? Nothing but the names can say what it is: the fragment binds it nowhere, what loads it is told
    `split="test"`, or the score is called that of a test, too."""
    call, scored = _measured(origin)
    if not isinstance(call, ast.Call) or topics.is_about(last_name(call.func), Topic.ABOUT_TRAINING):
        return False
    named = any("test" in words(last_part(place(n))) for n in scored)
    given = (*call.args, *(k.value for k in call.keywords))
    if not any(_is_named_test(a, origin.frame, named=named) for a in given):
        return False
    return not any(topics.is_about(last_part(n), Topic.VALIDATION) for n in _names(origin.frame.module))


def _measured(origin: Origin) -> tuple[Node, list[Node]]:
    """The call that gives a score, and the names that the score has on the way to its comparison."""
    at = reaching(origin.frame.function).at
    node, scored = origin.node, []
    for _ in range(3):  # `is_best = score > best`, `score = results[1]`
        scored.append(node)
        found = at.get(id(node), ())
        node = found[0].value if len(found) == 1 else node
        if isinstance(node, ast.Compare):
            node = node.left
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            node = node.value
        else:
            break
    return node, scored


def _is_named_test(node: Node, frame: Frame, *, named: bool) -> bool:
    """Is it test data by its name, and by nothing that is known another part?"""
    if not roles.is_part_name(place(node), Role.TEST_ROWS):
        return False
    if is_unbound(node, frame.module):
        return True
    steps = list(origins(node, frame))
    if any(r.part in ("train", "heldout", "some") for o in steps for r in o.value.all_provenance):
        return False
    if _is_parameter(node, frame) and frame.caller is None and frame.project.callers(frame.function):
        return False  # who calls it says what it is
    if any(topics.is_about(last_part(place(o.node)), Topic.VALIDATION) for o in steps):
        return False
    return named or any(_says_test_alone(o.node) for o in steps if isinstance(o.node, ast.Call))


def _is_parameter(node: Node, frame: Frame) -> bool:
    return isinstance(node, ast.Name) and any(p.name == node.id for p in frame.function.parameters)


def _says_test_alone(call: ast.Call) -> bool:
    """Is a call told `"test"` or `train=False`, and of no other part?"""
    parts = [w.lower() for w in _words_in(call)]
    off = any(k.arg in ("train", "is_train") and getattr(k.value, "value", 1) is False for k in call.keywords)
    return (off or any(topics.is_about(w, Topic.TEST_FILE) for w in parts)) and not any(
        "train" in w or "val" in w for w in parts
    )


def _names(module: ModuleScope) -> set[str]:
    """The names and attributes of a file."""
    return {place(n) or "" for n in walk(module.body.node) if isinstance(n, (ast.Name, ast.Attribute))}


def _looped_over(origin: Origin) -> Origin | None:
    """What the user's function that gives a number loops over, if it is handed in: the loader of `evaluate(loader)`."""
    node = origin.node.value if isinstance(origin.node, ast.Subscript) else origin.node
    found = bound_at(node, origin.frame.function)
    if len(found) != 1 or not isinstance(found[0].value, ast.Call):
        return None
    call = found[0].value
    callees = Call(call, origin.frame).callees
    if len(callees) != 1 or callees[0].stubbed or "backward" in callees[0].called_names:
        return None
    bound, _ = bind(callees[0], call, origin.frame)
    looped = {place(iterable_of(run.node.iter)) for run in callees[0].loops if isinstance(run.node, ast.For)}
    given = [Origin(*thing) for name, thing in bound.items() if isinstance(thing, Passed) and name in looped]
    return given[0] if len(given) == len(looped) == 1 else None


def _is_masked_by_test(origin: Origin) -> bool:
    """Is a number computed from rows that masks choose, all of them for test rows by their names, and that nobody calls
    those of a validation on the way?"""
    behind = list(origins(origin.node, origin.frame))
    if any(roles.is_part_name(place(o.node), Role.VALIDATION_ROWS) for o in behind):
        return False
    steps = [o for o in behind if isinstance(o.node, ast.Subscript)]
    chosen = [(o.node.slice, o.frame) for o in steps if isinstance(o.node.slice, (ast.Name, ast.Attribute))]
    masks = [words(last_part(place(_given_for(node, frame)))) for node, frame in chosen]
    test_masks = [mask for mask in masks if len(mask) > 1 and mask[-1] in ("mask", "idx", "index")]
    return (bool(test_masks) and all(mask[0] == "test" for mask in test_masks)) or _is_of_test_mask(origin)


def _is_entry_for_test(origin: Origin) -> bool:
    """Is it the entry for the test in a dictionary that has the same one for a validation: `scores["test_loss"]`?"""
    match origin.node:
        case ast.Subscript(value=table, slice=ast.Constant(value=str(key))):
            what = roles.rest_of_name(key, *TEST)
            scores = evaluate(table, origin.frame).alternatives if what is not None else ()
            return bool(scores) and all(
                isinstance(v, MappingValue)
                and any(isinstance(k, str) and roles.rest_of_name(k, *VALIDATION) == what for k in v.entries)
                for v in scores
            )
    return False


def _given_for(node: Node, frame: Frame) -> Node:
    """What a parameter is given by the call that a frame is of, `score(model, data.test_mask)`; else the expression."""
    found = bound_at(node, frame.function)
    if len(found) != 1 or found[0].kind != "param" or frame.bound is None:
        return node
    given = frame.bound.get(found[0].name)
    return _given_for(*given) if isinstance(given, Passed) else node


def _is_of_test_mask(origin: Origin) -> bool:
    """Is it unpacked from the scores of several masks, in the place of the one for test rows: `a, b, c = test()`, where
    `test` goes through `(data.train_mask, data.val_mask, data.test_mask)`?"""
    found = bound_at(origin.node, origin.frame.function)
    binding = found[0] if len(found) == 1 else None
    if binding is None or not isinstance(binding.value, ast.Call) or len(binding.path) != 1 or binding.path[0] is None:
        return False
    callees = Call(binding.value, origin.frame).callees
    masks = [_masks_of(function) for function in callees]
    return bool(masks) and all(binding.path[0] < len(m) and m[binding.path[0]] == ("test", "mask") for m in masks)


def _masks_of(function: FunctionScope) -> list[tuple[str, ...]]:
    """The words of the masks that a function goes through to fill the list that it returns."""
    if len(function.returns) != 1 or function.stubbed:
        return []
    returned = function.returns[0].value
    if isinstance(returned, ast.ListComp):
        return _listed_masks(returned.generators[0].iter)
    name = place(returned)
    for loop in (r.node for r in function.loops if isinstance(r.node, ast.For)):
        calls = (n for s in loop.body for n in walk(s) if isinstance(n, ast.Call) and last_name(n.func) == "append")
        if any(isinstance(c.func, ast.Attribute) and place(c.func.value) == name for c in calls):
            return _listed_masks(loop.iter)
    return []


def _listed_masks(node: Node) -> list[tuple[str, ...]]:
    """The words of what is listed: `[data.train_mask, data.test_mask]`, or `data("train_mask", "test_mask")`."""
    parts = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
    return [words(p.value if isinstance(p, ast.Constant) and isinstance(p.value, str) else last_name(p)) for p in parts]


def _is_named_validation(origin: Origin) -> bool:
    """Does its user call a number that of a validation, as in `valid_loss`?"""
    steps = (o for o in origins(origin.node, origin.frame) if isinstance(o.node, (ast.Name, ast.Attribute)))
    return any(o.frame is origin.frame and topics.is_about(last_part(place(o.node)), Topic.VALIDATION) for o in steps)


def _is_test_data_by_name(origin: Origin) -> bool:
    """Held-out data that its user calls test data, and that neither a name nor what loads it calls validation data."""
    steps = [o.node for o in origins(origin.node, origin.frame)]
    names = [place(node) for node in steps if isinstance(node, (ast.Name, ast.Attribute))]
    return (
        any(roles.is_part_name(n, Role.TEST_ROWS) for n in names)
        and not any(roles.is_part_name(n, Role.VALIDATION_ROWS) for n in names)
        and not any(isinstance(node, ast.Call) and _says_validation_alone(node) for node in steps)
    )


def _says_validation_alone(call: ast.Call) -> bool:
    """Is a call told `"val"`, and of no other part, as what fits on one part and stops by another is?"""
    parts = [w.lower() for w in _words_in(call)]
    return any(topics.is_about(w, Topic.VALIDATION) for w in parts) and not any(
        "train" in w or "test" in w for w in parts
    )


def provenance_behind(origin: Origin) -> list[Provenance]:
    """The data behind a number: what its value remembers, else what stands on the way to it."""
    provenance = origin.value.all_provenance
    if not provenance:
        provenance = frozenset().union(*(o.value.all_provenance for o in origins(origin.node, origin.frame)))
    return sorted(provenance, key=lambda r: r.identity)


def site_of_choice(site: Site, frame: Frame, event: Event) -> Site:
    """The place of the choice: the call that hands the score to a helper, when a helper keeps the model."""
    while frame.caller is not None and frame.bound and frame not in {run.frame for run in event.loops}:
        given = [Origin(*thing) for thing in frame.bound.values() if isinstance(thing, Passed)]
        if not any(is_test_score(o) for o in given):
            break
        frame, node = frame.caller
        site = Site(frame.module, node)
    return site
