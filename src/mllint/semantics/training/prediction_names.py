"""Do two names say that a prediction and a target changed places?

    f1_score(y_pred, y_true)      # one name, but for what each says it is, and each where the other belongs

A name is read without what is done to the value (`y_test_np.cpu()`), and through another name that says no role.
What made the two values is asked of `predictions`.
"""

from __future__ import annotations

import ast

from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training.predictions import DECIDED, MOVED, MOVED_IN_GRAPH, without_joins, without_methods
from mllint.semantics.training.role_names import AVERAGED, SAYS_GIVEN, SAYS_PREDICTION, SAYS_TRUTH, STORED_AS

__all__ = ["are_last_words_swapped", "are_names_swapped", "do_names_contradict"]

_PARTS = frozenset(("test", "train", "val", "valid"))
_TRUE_PARTS = SAYS_TRUTH | _PARTS | {"y"}


def do_names_contradict(score: Node, target: Node, function: FunctionScope) -> bool:
    """Is each named for what the other is taken for, where the second is a parameter, or both come from one call?"""
    nodes = without_methods(score, MOVED_IN_GRAPH), without_methods(target, MOVED_IN_GRAPH)
    if not all(isinstance(n, ast.Name) for n in nodes):
        return False
    if _differs_only_in_role(nodes[0].id, nodes[1].id):
        return True
    if not topics.is_about(nodes[0].id, Topic.TRUTH_ALONE) or not topics.is_about(nodes[1].id, Topic.SCORE):
        return False
    if any(p.name == nodes[1].id for p in function.parameters) or _is_part_of_outputs(nodes[1], function):
        return True
    found = [bound_at(n, function) for n in nodes]
    if not all(len(f) == 1 and f[0].kind == "assign" for f in found):
        return False
    return found[0][0].value is found[1][0].value or (
        isinstance(found[1][0].value, ast.Call) and not isinstance(found[0][0].value, ast.Name)
    )


def _is_part_of_outputs(node: Node, function: FunctionScope) -> bool:
    """Is it `out[0]` of a parameter called `out`, by a name bound once?"""
    found = bound_at(node, function)
    value = found[0].value if len(found) == 1 and found[0].kind == "assign" else None
    if not isinstance(value, ast.Subscript) or not isinstance(value.value, ast.Name):
        return False
    given = {p.name for p in function.parameters}
    return value.value.id in given and topics.is_about(value.value.id, Topic.SCORE)


def are_names_swapped(score: Node, target: Node, function: FunctionScope) -> bool:
    """Are two names one, but for what each says it is, and each where the other belongs: `f1_score(y_pred, y_true)`?"""
    predicted, true = (_words(n, function) for n in (target, score))
    if _are_words_swapped(predicted, true):
        return True
    while len(predicted) > 1 < len(true) and predicted[0] == true[0]:  # `target_predictions` next to `target_labels`
        predicted, true = predicted[1:], true[1:]
    return _are_words_swapped(predicted, true)


def _words(node: Node, function: FunctionScope) -> list[str]:
    """What a name says, but for how it is stored: `y_test_np`, `labels_tensor`."""
    words = _source_name(_renamed(node, function)).lower().split("_")
    while len(words) > 1 and words[-1] in STORED_AS:
        words = words[:-1]
    return words


def are_last_words_swapped(score: Node, target: Node, function: FunctionScope) -> bool:
    """Does the last word of one name say prediction and that of the other truth, each where the other belongs, whatever
    else they say: `roc_auc_score(edge_recon_probs, edge_labels)`?"""
    predicted, true = (_words(n, function) for n in (target, score))
    both = (
        true[-1] in SAYS_TRUTH or true[-1] in ("label", "labels") or topics.is_about("_".join(true), Topic.TRUE_LABELS)
    )
    ends = predicted[-1] in SAYS_PREDICTION and both
    return ends and SAYS_TRUTH.isdisjoint(predicted) and SAYS_PREDICTION.isdisjoint(true)


def _are_words_swapped(predicted: list[str], true: list[str]) -> bool:
    """The same of the words of two names."""
    kept = _without([word for word in predicted if word not in AVERAGED], SAYS_PREDICTION)
    if true[0] in ("target", "targets"):  # `target_probs` next to `logits`: soft labels
        true = [word for word in true if word not in SAYS_PREDICTION]
    if kept is None or not SAYS_PREDICTION.isdisjoint(true):
        return False
    if kept and kept[-1] == true[-1] and kept[-1] in ("label", "labels"):  # `test_label` next to `pred_label`
        return len(kept) == 1 < len(true) and set(true[:-1]) <= _TRUE_PARTS
    rest = _without(true, SAYS_TRUTH)
    if kept and kept == _without(true, _PARTS):  # `y_int_test` next to `y_int_pred`
        return True
    if rest is None:  # `y` next to `y_pred`, `yy` next to `pred_yy`, `index_y` next to `index_pred`
        return (kept[:1] == true and set(true[0]) == {"y"}) or (true[-1] == "y" and len(true) > 1 and kept == true[:-1])
    return kept == rest or (_has_only_role_words(kept) and _has_only_role_words(rest))


def _has_only_role_words(words: list[str]) -> bool:
    """Is there nothing besides the role: `probs`, `all_preds`, `y_true`?"""
    return all(word in ("y", "all") for word in words)


def _source_name(node: Node) -> str:
    """The last name of what was moved, or of which some rows were taken: `self.targets[0, rows].cpu()`; of a column,
    that of the table as well: `rows_pred` of `rows["pred"]`; of what is joined, or encoded, that of what it is made
    of."""
    while True:
        node = without_joins(without_methods(node, MOVED))
        match node:
            case ast.Call(func=ast.Attribute(attr="transform" | "inverse_transform"), args=[inner], keywords=[]):
                node = inner
            case ast.Subscript(value=ast.Call(func=ast.Attribute(attr="eye")), slice=inner):
                node = inner  # one-hot
            case ast.Subscript(value=inner, slice=ast.Constant(value=str(key))):
                return f"{last_name(inner)}_{key}"
            case ast.Subscript(value=inner) | ast.Compare(left=inner, comparators=[ast.Constant() | ast.Name()]):
                node = inner
            case _:
                return last_name(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""


def _renamed(node: Node, function: FunctionScope) -> Node:
    """What a name that says no role is short for, moved and rescaled at most: `yp = y_pred.cpu().numpy()` above
    `yp = yp * std + mean`."""
    taken = without_methods(node, MOVED)
    if not isinstance(taken, ast.Name) or not (SAYS_PREDICTION | SAYS_TRUTH).isdisjoint(taken.id.split("_")):
        return node
    found = {}
    for binding in bound_at(taken, function):
        value = without_methods(binding.value, MOVED | DECIDED)
        while isinstance(value, ast.BinOp):
            value = without_methods(value.left, MOVED)
        if binding.kind != "assign" or binding.path or not isinstance(value, ast.Name):
            return node
        if value.id != taken.id:
            found[value.id] = value
    return next(iter(found.values())) if len(found) == 1 else node


def _without(words: list[str], role: frozenset[str]) -> list[str] | None:
    """The words of a name without those that say its role; None if it says another one, or none."""
    other = SAYS_TRUTH if role is not SAYS_TRUTH else frozenset()
    kept = [word for word in words if word not in role]
    if role is SAYS_TRUTH and len(kept) == len(words) and words[-1] in ("label", "labels"):
        return words[:-1]
    return kept if len(kept) < len(words) and other.isdisjoint(words) else None


def _differs_only_in_role(score: str, target: str) -> bool:
    """`end_target` given as the prediction, and `end_input`, or `end` alone, as the truth?"""
    other, true = target.lower().split("_"), score.lower().split("_")
    kept = _without(other, SAYS_PREDICTION | SAYS_GIVEN)
    plain = (SAYS_PREDICTION | SAYS_GIVEN).isdisjoint(true)
    rest = _without(true, SAYS_TRUTH)
    return plain and bool(rest) and rest in (kept, other)
