"""Is a causal model's loss about the next token?

    logits = model(**batch).logits
    F.cross_entropy(logits.flatten(0, 1), batch["input_ids"].flatten()) # `find_unshifted_labels`: each token is its own
    F.cross_entropy(logits[:, :-1].flatten(0, 1), batch["input_ids"][:, 1:].flatten())

The model shifts only the labels that it is given. Scores and labels are followed through names and what keeps the
places of the tokens; a slice, a roll or anything unknown on the way may shift them. Labels are the ids that the model
was given, what a collator for language modelling writes, or those of the rows of a program that nowhere shifts them.
The model that a trainer hands to its own `compute_loss` is the one that the trainer was given. A model of one's own is
causal if it embeds tokens and its file hides later ones, or if it reads them by one recurrent layer, of which it uses
every output; its labels must be the very ids that it was given. So is a module of Flax, whose parameters are handed in.
"""

from __future__ import annotations

import ast

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.libraries.tensor_methods import SAME_ENTRIES, TRANSPOSES
from mllint.semantics.syntax.caches import cached
from mllint.semantics.syntax.module import Binding, ClassScope, FunctionScope, ModuleScope
from mllint.semantics.syntax.names import bound_at
from mllint.semantics.syntax.nodes import Node, assigned_pairs, is_true, last_name, place, walk
from mllint.semantics.syntax.records import Passed
from mllint.semantics.syntax.sites import Site
from mllint.semantics.training.applied import find_applied
from mllint.semantics.training.finetuning.shifting import writes_unshifted_labels
from mllint.semantics.training.finetuning.tokens import CAUSAL, has_label_writing_collator
from mllint.semantics.training.finetuning.trainers import find_trained_models
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.classes import method
from mllint.semantics.values.entering import inner_frames
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import Origin, bound_values, is_same_place, statements
from mllint.semantics.values.values import InstanceValue

__all__ = ["MASKING", "find_unshifted_labels"]

_NNX = "flax.nnx.Module"
_RECURRENT = frozenset(("RNN", "GRU", "LSTM"))
MASKING = "generate_square_subsequent_mask make_causal_mask scaled_dot_product_attention tril triu RNN GRU LSTM"
"""The last names of calls by which a model of one's own hides later tokens, or reads them one after the other."""

_KEEPING = SAME_ENTRIES | TRANSPOSES | {"masked_fill", "where"}
_TRIANGLES = frozenset(("generate_square_subsequent_mask", "make_causal_mask", "tril", "triu"))
_CALLS, _CONTEXTS = 3, 16
_SHIFTING = frozenset("roll pad cat concatenate shift shift_right".split())


def find_unshifted_labels(loss: Call) -> tuple[Argument, Site] | None:
    """The labels of a loss that stand at the places of the tokens themselves.

    Args:
        loss: `F.cross_entropy(logits, labels)`, or a criterion that is called so.

    Returns:
        The labels, and the call of the model; None if something shifts one of both, or may do so.
    """
    scores = loss.argument("input") or loss.argument("logits")
    labels = loss.argument("target") or loss.argument("labels")
    if scores is None or labels is None:
        return None
    found = [_model_of_unshifted(loss, scores.node, labels.node, frame) for frame in _contexts(loss, scores)]
    models = [model for model in found if model is not None]
    return (labels, models[0].site) if models and len(models) == len(found) else None


def _contexts(loss: Call, scores: Argument) -> list[Frame]:
    """The context of a loss; where its scores are a parameter, those of all calls of the function that it stands in,
    also where its callers are handed them."""
    whole = _whole(scores.node, loss.frame)
    return _entered(loss.frame, whole.node if whole is not None else None, _CALLS)


def _entered(frame: Frame, scores: Node, steps: int) -> list[Frame]:
    """The contexts in which a function is entered, if scores are a parameter of it; none if one of them is unknown, or
    if there are too many."""
    function, project = frame.function, frame.project
    if not isinstance(scores, ast.Name) or function.parameter(scores.id) is None:
        return [frame]
    if steps == 0 or project.passed_around(function) or project.has_more_callers(function):
        return []
    found: list[Frame] = []
    for call, outer in project.callers(function) or project.calls_of_instances(function):
        passed = bind(function, call, outer)[0].get(scores.id)
        whole = _whole(passed.node, outer) if isinstance(passed, Passed) else None
        around = _entered(outer, whole.node if whole is not None else None, steps - 1)
        entered = [inner for o in around for inner in inner_frames(call, o) if inner.function is function]
        if not entered or len(found) > _CONTEXTS:
            return []
        found += entered
    return found


def _model_of_unshifted(loss: Call, scores: Node, labels: Node, frame: Frame) -> Call | None:
    """The call of the model whose scores are compared with labels at the places of the tokens themselves."""
    model, found = _scored_by(scores, frame), _entry_of_given(_whole(labels, frame))
    if model is None or found is None or found.frame.function is not model.function:
        return None
    ids = found.node
    applied = find_applied(model)
    if applied is not None:
        given = _whole(applied.given, frame)
        return model if given is not None and is_same_place(given.node, ids, frame) else None
    if not model.module_run.instance_of(CAUSAL) and _hides_later_tokens(model):
        return model if len(model.node.args) == 1 and _receives_ids(model, ids) else None
    stands = _receives_ids(model, ids) or (_key(ids) == "labels" and _stand_at_tokens(loss, model))
    return model if stands else None


def _entry_of_given(found: Origin | None) -> Origin | None:
    """An entry of a batch as the caller writes it that hands the batch over: `rows["labels"]` of `loss(scores, rows)`
    for `batch["labels"]` in there. Anything else as it is."""
    for _ in range(_CALLS):
        node = found.node if found is not None else None
        if found is None or not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            break
        bound = bound_at(node.value, found.frame.function)
        given = (found.frame.bound or {}).get(node.value.id)
        if len(bound) != 1 or bound[0].kind != "param" or not isinstance(given, Passed):
            break
        found = Origin(ast.Subscript(given.node, node.slice, ast.Load()), given.frame)
    return found


def _stand_at_tokens(loss: Call, model: Call) -> bool:
    """Are the labels of a batch those of its tokens: written so by a collator, or by the program itself?"""
    built = [call for _, call in find_trained_models(loss.function, loss.project)]
    return any(has_label_writing_collator(call) for call in (loss, model, *built)) or writes_unshifted_labels(
        loss.project
    )


def _scored_by(scores: Node, frame: Frame) -> Call | None:
    """The call of a causal model that gave the scores of all tokens; one of several, if all have one input."""
    bound = bound_at(scores, frame.function) if isinstance(scores, ast.Name) else ()
    if len(bound) > 1:
        runs = [_scored_by(b.value, frame) if b.kind == "assign" and not b.path else None for b in bound]
        inputs = {place(run.node.args[1]) for run in runs if run is not None and len(run.node.args) > 1}
        return runs[0] if None not in runs and len(inputs) == 1 and None not in inputs else None
    whole = _whole(scores, frame)
    if whole is not None and _key(whole.node) == "logits":
        whole = _whole(_owner(whole.node), whole.frame)
    if whole is None:
        return None
    made = isinstance(whole.node, ast.Call)
    call = Call(whole.node, whole.frame) if made else _giving_several(whole.node, whole.frame)
    return call if call is not None and (_is_causal(call) or _hides_later_tokens(call)) else None


def _giving_several(node: Node, frame: Frame) -> Call | None:
    """The call of a model of one's own that gives a name next to others: `scores, state = model(ids)`."""
    bound = bound_at(node, frame.function) if isinstance(node, ast.Name) else ()
    made = bound[0].value if len(bound) == 1 and bound[0].kind == "assign" else None
    call = Call(made, frame) if isinstance(made, ast.Call) else None
    return call if call is not None and not call.module_run.instance_of(CAUSAL) else None


def _hides_later_tokens(call: Call) -> bool:
    """Is a model of one's own called that embeds tokens and hides later ones from earlier ones, and neither shifts nor
    cuts what it is given?"""
    applied = find_applied(call)
    if applied is not None:
        return _is_causal_in_flax(applied.module.cls)
    model = call.callee
    if isinstance(model, InstanceValue) and model.instance_of(_NNX):
        return _is_causal_in_flax(model.cls)
    if not isinstance(model, InstanceValue) or model.cls.module.is_stub or not model.instance_of(MODULE):
        return False
    forward = method(model.cls, "forward")
    if forward is None or forward.stubbed or any(_may_shift(node) for node in walk(forward.node)):
        return False
    embeds = any(last_name(c.func) == "Embedding" for f in model.cls.methods.values() for c in f.calls)
    return embeds and (_masks(model.cls.module) or _reads_in_order(model.cls, forward))


def _is_causal_in_flax(cls: ClassScope) -> bool:
    """Does a module embed tokens and hide later ones, in a file that moves nothing to another place?"""
    run = method(cls, "__call__")
    if run is None or run.stubbed or any(isinstance(n, ast.Slice) and _may_shift(n) for n in walk(run.node)):
        return False
    embeds = any(last_name(c.func) == "Embed" for f in cls.methods.values() for c in f.calls)
    moves = any(last_name(c.func) in _SHIFTING for f in cls.module.functions for c in f.calls)
    return embeds and not moves and _masks(cls.module)


def _reads_in_order(cls: ClassScope, forward: FunctionScope) -> bool:
    """Has a model one recurrent layer, which reads in one direction, and uses `forward` its output for every token?"""
    layers = [
        (place(target), value)
        for function in cls.methods.values()
        for statement in statements(function)
        for target, value in assigned_pairs(statement)
        if isinstance(value, ast.Call) and last_name(value.func) in _RECURRENT
    ]
    if len(layers) != 1 or not _reads_one_way(layers[0][1]):
        return False
    runs = [c for c in forward.calls if place(c.func) == layers[0][0]]
    outputs = [
        t.elts[0] for s in statements(forward) for t, v in assigned_pairs(s) if v in runs and isinstance(t, ast.Tuple)
    ]
    if len(runs) != 1 or len(outputs) != 1:
        return False
    reads = [n for n in forward.nodes_of(ast.Name) if n is not outputs[0]]
    chosen = {id(n.value) for n in forward.nodes_of(ast.Subscript)}
    same = [n for n in reads if n.id == place(outputs[0])]
    return bool(same) and not any(id(n) in chosen for n in same)


def _reads_one_way(layer: ast.Call) -> bool:
    """Is a recurrent layer built that certainly has one direction?"""
    directions = [k.value for k in layer.keywords if k.arg in ("bidirectional", None)]
    plain = len(layer.args) < 7 and not any(isinstance(a, ast.Starred) for a in layer.args)
    return plain and all(isinstance(t, ast.Constant) and t.value is False for t in directions)


@cached()
def _masks(module: ModuleScope) -> bool:
    """Does a file hide later tokens: `is_causal=True`, or a mask that is a triangle?"""
    calls = [c for function in module.functions for c in function.calls]
    return any(
        (last_name(c.func) in _TRIANGLES) or any(k.arg == "is_causal" and is_true(k.value) for k in c.keywords)
        for c in calls
    )


def _may_shift(node: Node) -> bool:
    """Is it a slice, or a call that may move tokens to other places?"""
    if isinstance(node, ast.Slice):
        return any(isinstance(n, (ast.Constant, ast.UnaryOp)) for n in (node.lower, node.upper))
    return isinstance(node, ast.Call) and last_name(node.func) in _SHIFTING


def _is_causal(call: Call) -> bool:
    """Is a causal model called: itself, or as what a trainer hands to its method?"""
    parameters = call.function.parameters
    if call.module_run.instance_of(CAUSAL):
        return True
    if len(parameters) < 2 or place(call.node.func) not in (parameters[1].name, f"{parameters[0].name}.model"):
        return False
    models = find_trained_models(call.function, call.project)
    return bool(models) and all(model.instance_of(CAUSAL) for model, _ in models)


def _whole(node: Node, frame: Frame) -> Origin | None:
    """What an expression holds whole, token by token, in its context; None where a part of it is taken."""
    for _ in range(12):
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _KEEPING:
                node = inner
            case ast.Name():
                bound = bound_at(node, frame.function)
                if _stored_in_parts(node.id, frame):
                    return None
                given = _given(bound[0], frame) if len(bound) == 1 else None
                if given is None:
                    return Origin(node, frame)
                node, frame = given.node, given.frame
            case ast.Subscript(slice=ast.Slice() | ast.Tuple()):
                return None
            case _:
                return Origin(node, frame)
    return None


def _given(binding: Binding, frame: Frame) -> Origin | None:
    """What a name is bound to, what a function or a context manager of the user's gives for it, or what a call hands
    in, in its context; None if that is not one expression."""
    if binding.kind == "param":
        passed = (frame.bound or {}).get(binding.name)
        return Origin(passed.node, passed.frame) if isinstance(passed, Passed) else None
    if binding.kind not in ("assign", "with") or _is_row(binding.value):
        return None
    value = binding.value
    if isinstance(value, ast.Call) and isinstance(Call(value, frame).callee, InstanceValue):
        return None if binding.path else Origin(value, frame)  # a model is run, and not entered
    found = list(bound_values(binding, frame)) if len(binding.path) < 2 else []
    return found[0] if len(found) == 1 and not (binding.path and found[0].node is value) else None


def _is_row(node: Node) -> bool:
    """Is it a batch that is only moved: `batch = {k: v.to(device) for k, v in batch.items()}`?"""
    return isinstance(node, (ast.DictComp, ast.Dict))


def _stored_in_parts(name: str, frame: Frame) -> bool:
    """Is a slice of something overwritten: `labels[:, :-1] = ids[:, 1:]`?"""
    targets = [t for s in statements(frame.function) if isinstance(s, ast.Assign) for t in s.targets]
    return any(
        isinstance(t, ast.Subscript) and place(t.value) == name and isinstance(t.slice, (ast.Slice, ast.Tuple))
        for t in targets
    )


def _receives_ids(model: Call, ids: Node) -> bool:
    """Was the model given these ids: alone, by name, or with the batch that they are a part of?"""
    frame = model.frame
    for node in (*model.node.args[:1], *(k.value for k in model.node.keywords if k.arg in ("input_ids", None))):
        whole = _whole(node, frame)
        if whole is not None and (whole.node is ids or is_same_place(whole.node, ids, frame)):
            return True
        if _key(ids) == "input_ids" and is_same_place(node, _owner(ids), frame):
            return True
    return False


def _key(node: Node) -> str | None:
    """`labels` of `batch["labels"]`, `batch.labels` and `batch.pop("labels")`."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
        case ast.Call(func=ast.Attribute(attr="get" | "pop"), args=[ast.Constant(value=str(key)), *_]):
            return key
        case ast.Attribute(attr=attr):
            return attr
    return None


def _owner(node: Node) -> Node:
    """`batch` of `batch["labels"]`, and of `batch.pop("labels")`."""
    entry: Node = node.func if isinstance(node, ast.Call) else node
    return entry.value
