"""Is it a prediction or a target, by its form and its name: made by a model from an item of a loop, or that item?

A loop over a parameter, or over what an unknown function gives, leaves the values of its items open. The form still
tells that `output = model(images)` was computed from an item and that `target` is one: both come out of one loop. The
same holds of lists that are filled in the loop, and of what is concatenated of them.

Use tells what is called: a model is asked for its parameters, or for its mode, somewhere in the file; a batch is what a
model is given one part of. Where use says nothing, a conventional name does. Whoever passes `guess=True` lets any
suggestive name speak, and may not be certain of the answer.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from mllint.semantics.libraries.tensor_methods import (
    CASTS,
    COPIES,
    DETACHES,
    EXPANDS,
    JOINS,
    MOVES,
    RESHAPES,
    TRANSPOSES,
    UNPACKS,
)
from mllint.semantics.syntax import topics
from mllint.semantics.syntax.module import Binding, FunctionScope
from mllint.semantics.syntax.names import bound_at, bound_expression
from mllint.semantics.syntax.nodes import Node, assigned_pairs, last_name, place, walk
from mllint.semantics.syntax.topics import Topic
from mllint.semantics.training import roles, shapes
from mllint.semantics.training.evidence import Evidence
from mllint.semantics.training.role_names import Role
from mllint.semantics.values.lineage import Origin, origins, results_of, statements, values_stored_in

if TYPE_CHECKING:
    from mllint.semantics.flow.views import Argument, Call

__all__ = [
    "DECIDED", "MOVED", "MOVED_IN_GRAPH", "holds_integers", "is_filled_by_folds", "is_fitted_as_truth",
    "is_ground_truth", "is_loop_item", "is_model_output_on_item", "is_named_truth", "is_predicted_by_estimator",
    "is_prediction", "is_symmetric_similarity", "is_transposed", "without_joins", "without_methods",
]  # fmt: skip

MOVED_IN_GRAPH = MOVES | CASTS | RESHAPES | TRANSPOSES | {"contiguous"}
"""Methods that move, convert or reshape a tensor, with its graph."""
MOVED = MOVED_IN_GRAPH | COPIES | DETACHES | UNPACKS | {"data"}
"""Methods that move, convert or reshape what is predicted, or true."""
DECIDED = frozenset("argmax max topk sigmoid softmax round sign gt ge logits".split())
"""Methods and attributes of outputs that give a prediction."""
_JOINED = JOINS | {"array", "asarray", "convert_to_tensor"}
_WHOLE = ("long", "int", "int64", "int32")
_RESHAPED = MOVES | COPIES | RESHAPES | EXPANDS | {"repeat"}
_COMPUTED = (ast.Call, ast.Compare, ast.Subscript)
_LIBRARIES = frozenset(("torch", "np", "numpy", "F", "tf", "tf.math", "jnp"))
_ASKED = ("parameters", "train", "eval", "zero_grad")
_ENCODED = MOVED | {"argmax", "values", "to_numpy", "to_list"}
"""Methods and attributes of what is true: of classes that come as vectors, and of columns of a table."""
_TENSORS = frozenset("tensor as_tensor from_numpy FloatTensor LongTensor".split())
_PREDICTING = ("predict", "predict_proba", "decision_function")


def is_model_output_on_item(node: Node, function: FunctionScope, *, guess: bool = False, of_item: bool = True) -> bool:
    """Is it `out` of `out = model(images)`, where `images` come out of the loop, or from anywhere if not `of_item`?"""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        node = node.value
    if isinstance(node, ast.Name):
        bindings = bound_at(node, function)
        given = [
            _output(without_methods(b.value, MOVED_IN_GRAPH), function, guess=guess)
            for b in bindings
            if b.kind == "assign"
        ]
        again = sum(isinstance(v, ast.Name) and v.id == node.id for v in given)  # `out = out.view(n)`
        calls = [value for value in given if isinstance(value, ast.Call)]
        made = (is_model_output_on_item(c, function, guess=guess, of_item=of_item) for c in calls)
        return len(calls) == len(bindings) - again > 0 and all(made)
    if not isinstance(node, ast.Call) or not _calls_model(node, function, guess=guess):
        return False
    given = node.args or [k.value for k in node.keywords]
    return bool(given) and (not of_item or is_loop_item(given[0], function, guess=guess))


def _calls_model(call: ast.Call, function: FunctionScope, *, guess: bool) -> bool:
    """Is a model called: `self`, what the file uses as one, or what is called so?"""
    if any(isinstance(n, ast.Call) for n in walk(call.func)):
        return False
    called = _callee(call)
    name = place(called)
    if name is None:
        return False
    if name == "self" or _is_named(name, Role.MODEL, guess=guess):
        return True
    methods = [c.func for word in _ASKED for c, _ in function.module.calls_by_name.get(word, ())]
    models = {place(f.value) for f in methods if isinstance(f, ast.Attribute)}
    found = bound_at(called, function) if isinstance(called, ast.Name) else ()
    return name in models or (bool(found) and all(_stands_for(b) in models for b in found))


def _stands_for(binding: Binding) -> str | None:
    """The place of the model that a name stands for: `self.net` of `net = self.net` and of `net = self.net.module`."""
    value = binding.value if binding.kind == "assign" and not binding.path else None
    return place(value.value if isinstance(value, ast.Attribute) and value.attr == "module" else value)


def _is_named(name: str, role: Role, *, guess: bool) -> bool:
    """Does a name say a role: conventionally, or, for a guess, with any of its words?"""
    known = roles.name_evidence(name, role) is Evidence.CONVENTIONAL
    return known or (guess and roles.speaks_of(name, role))


def _output(node: Node, function: FunctionScope, *, guess: bool) -> Node:
    """What gives several outputs of which one is taken: `model(x)` of `model(x)[0]`, also by the name of all of them,
    `outputs["logits"]`."""
    taken = node
    while isinstance(taken, ast.Subscript) and (isinstance(taken.slice, ast.Constant) or _is_part(taken.slice)):
        taken = taken.value
    if taken is node:
        return node
    found = bound_at(taken, function) if isinstance(taken, ast.Name) else ()
    if len(found) == 1 and found[0].kind == "assign" and not found[0].path:
        value = found[0].value
        made = isinstance(value, ast.Call) and _calls_model(value, function, guess=guess)
        if made or (guess and topics.is_about(found[0].name, Topic.SCORE)):
            taken = value
    return taken if isinstance(taken, ast.Call) else node


def _callee(call: ast.Call) -> ast.expr:
    """What is called: the model of `model.forward(x)`."""
    func = call.func
    return func.value if isinstance(func, ast.Attribute) and func.attr == "forward" else func


def is_loop_item(node: Node, function: FunctionScope, depth: int = 4, *, guess: bool = False) -> bool:
    """True if `node` is unpacked from what a loop goes through, and at most moved, reshaped, or made a tensor."""
    node = without_methods(node, MOVED_IN_GRAPH)
    while isinstance(node, ast.Call) and last_name(node.func) in _TENSORS and node.args:
        node = without_methods(node.args[0], MOVED_IN_GRAPH)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute):
        node = node.value
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):  # `data.y` of a graph, a batch of a field
        return _holds_samples(node.value, function, guess=guess)
    if isinstance(node, ast.Subscript) and _is_number(node.slice) and isinstance(node.value, ast.Name):
        return _is_batch(node.value, function, guess=guess)
    if isinstance(node, ast.Subscript) and depth and (isinstance(node.slice, ast.Name) or _is_part(node.slice)):
        return is_loop_item(node.value, function, depth - 1, guess=guess)  # `y[mask]`, `words[:, 1:]`
    if isinstance(node, ast.BinOp) and depth:
        if isinstance(node.right, ast.Constant):
            return is_loop_item(node.left, function, depth - 1, guess=guess)
        return isinstance(node.left, ast.Constant) and is_loop_item(node.right, function, depth - 1, guess=guess)
    if not isinstance(node, ast.Name) or depth == 0:
        return False
    bindings = bound_at(node, function)
    return bool(bindings) and all(_is_bound_to_loop_item(b, function, depth, guess=guess) for b in bindings)


def _holds_samples(node: ast.Name, function: FunctionScope, *, guess: bool) -> bool:
    """Is it a batch: of a loop, of which a model is given one part, or by its name?"""
    found = bound_at(node, function)
    if found and all(b.kind == "for" for b in found):
        return True
    if _is_named(node.id, Role.BATCH, guess=guess) or (guess and topics.is_about(node.id, Topic.SAMPLES)):
        return True
    parts = (n for call in function.calls for n in _parts_given(call, function))
    return any(part.id == node.id for part in parts)


def _parts_given(call: ast.Call, function: FunctionScope) -> Iterator[ast.Name]:
    """The things of which a call of a model is given parts: `batch` of `model(batch["x"])`, `data` of `net(data.x)`."""
    if _calls_model(call, function, guess=False):
        for given in (*call.args, *(k.value for k in call.keywords)):
            part = without_methods(given, MOVED_IN_GRAPH)
            whole = part.value if isinstance(part, (ast.Subscript, ast.Attribute)) else None
            if isinstance(whole, ast.Name) and whole.id != "self":
                yield whole


def _is_number(index: Node) -> bool:
    """Is an index written out: `batch[0]`, `batch[-1]`, `batch["x"]`?"""
    return isinstance(index.operand if isinstance(index, ast.UnaryOp) else index, ast.Constant)


def _is_part(index: Node) -> bool:
    """Does an index only cut: `[:, 1:]`, `[..., :-1]`, `[:, 0]`?"""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    whole = [p for p in parts if isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and p.value is ...)]
    single = [p for p in parts if isinstance(p, ast.Constant) and isinstance(p.value, int)]
    return bool(whole) and len(whole) + len(single) == len(parts)


def _is_batch(node: Node, function: FunctionScope, depth: int = 3, *, guess: bool) -> bool:
    """True if `node` is a batch of a loop, or one that is handed in, or its parts once more, moved:
    `[t.to(d) for t in b]`; within some depth also its entries, `{k: v.to(d) for k, v in b.items()}`."""
    found = bound_at(node, function)
    return bool(found) and all(
        b.kind == "for"
        or (b.kind == "param" and _holds_samples(node, function, guess=guess))
        or _moves_entries(b, function, guess=guess, depth=depth)
        or (b.kind == "assign" and _moves_parts(b, function, guess=guess))
        for b in found
    )


def _moves_entries(binding: Binding, function: FunctionScope, depth: int, *, guess: bool) -> bool:
    value = binding.value
    if binding.kind != "assign" or not depth or not isinstance(value, ast.DictComp):
        return False
    names = (n for n in walk(value.generators[0].iter) if isinstance(n, ast.Name))
    return any(_is_batch(n, function, guess=guess, depth=depth - 1) for n in names)


def _is_bound_to_loop_item(binding: Binding, function: FunctionScope, depth: int, *, guess: bool) -> bool:
    """Does a binding give an item of a loop, or a parameter that is called target?"""
    if binding.kind == "for":
        return len(binding.path) > 0
    if binding.kind == "param":
        known = roles.name_evidence(binding.name, Role.TARGET) is Evidence.CONVENTIONAL
        return known or (guess and topics.is_about(binding.name, Topic.TRUTH_ALONE))
    value = binding.value
    if binding.path and isinstance(value, (ast.Tuple, ast.List)) and binding.path[0] is not None:
        value = value.elts[binding.path[0]] if len(value.elts) > binding.path[0] else None
    elif binding.path:
        return isinstance(value, ast.Name) and _is_batch(value, function, guess=guess, depth=0)
    return binding.kind == "assign" and value is not None and is_loop_item(value, function, depth - 1, guess=guess)


def _moves_parts(binding: Binding, function: FunctionScope, *, guess: bool) -> bool:
    value = binding.value
    if isinstance(value, ast.Call) and last_name(value.func) in ("tuple", "list") and len(value.args) == 1:
        value = value.args[0]
    if not isinstance(value, (ast.GeneratorExp, ast.ListComp)) or len(value.generators) != 1:
        return False
    source, part = value.generators[0].iter, without_methods(value.elt, MOVED_IN_GRAPH)
    target = value.generators[0].target
    same = isinstance(part, ast.Name) and isinstance(target, ast.Name) and part.id == target.id
    if not same or not isinstance(source, ast.Name) or source.id != binding.name:
        return False
    found = bound_at(source, function)
    given = _holds_samples(source, function, guess=guess)
    return bool(found) and all(b.kind == "for" or (b.kind == "param" and given) for b in found)


def holds_integers(origin: Origin, depth: int = 3) -> bool:
    """Are they whole numbers, which no model gives: `labels.long()`, `torch.arange(n)`, also by a name, or where a
    function of the user's gives nothing else?"""
    node, function = origin.node, origin.frame.function
    if isinstance(node, ast.Name):
        found = bound_at(node, function)
        alone = len(found) == 1 and found[0].kind == "assign" and not found[0].path
        return alone and holds_integers(Origin(found[0].value, origin.frame), depth)
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _RESHAPED:
        node = node.func.value
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr == "long":
        return not node.args
    if isinstance(node.func.value, ast.Name) and node.func.value.id == "torch":
        kinds = [last_name(k.value) for k in node.keywords if k.arg == "dtype"]
        return node.func.attr == "arange" and all(kind in _WHOLE for kind in kinds)
    results = [Origin(*result) for result in results_of(node, origin.frame)] if depth else []
    return bool(results) and all(holds_integers(result, depth - 1) for result in results)


def is_fitted_as_truth(node: Node, function: FunctionScope) -> bool:
    """Was an estimator of the function fitted to it: the second argument of a `fit`?"""
    fits = (c for c in function.calls if isinstance(c.func, ast.Attribute) and c.func.attr == "fit")
    return any(_is_truth_of(c, place(node)) for c in fits)


def _is_truth_of(call: ast.Call, name: str | None) -> bool:
    """Does a call `fit(X, y)`, `split(X, y)` get some place for the truth?"""
    given = call.args[1:2] or [k.value for k in call.keywords if k.arg == "y"]
    return name is not None and any(place(y) == name for y in given)


def is_filled_by_folds(node: Node, truth: Node, function: FunctionScope) -> bool:
    """Is it an array that the loop over the folds of some truth fills at the rows that each fold holds out:
    `for a, b in folds.split(X, y): out[b] = run(a, b)`?"""
    for run in function.loops:
        split = run.node.iter if isinstance(run.node, ast.For) else None
        if isinstance(split, ast.Call) and last_name(split.func) == "enumerate" and split.args:
            split = split.args[0]
        if not isinstance(split, ast.Call) or last_name(split.func) != "split" or not _is_truth_of(split, place(truth)):
            continue
        names = [n.id for n in walk(run.node.target) if isinstance(n, ast.Name)]
        for target, value in (pair for s in statements(function) for pair in assigned_pairs(s)):
            if isinstance(target, ast.Subscript) and isinstance(value, ast.Call) and place(target.value) == place(node):
                if names and isinstance(target.slice, ast.Name) and target.slice.id == names[-1]:
                    return True
    return False


def is_predicted_by_estimator(node: Node, function: FunctionScope, depth: int = 3) -> bool:
    """Is it, or what it is bound to wherever it is bound, `model.predict(...)`, or the decision between such scores?
    Also where a function of the user's gives it."""
    node = without_joins(without_methods(node, MOVED | DECIDED))
    if _is_predict_call(node):
        return True
    if not depth:
        return False
    if isinstance(node, ast.Call):
        return _all_given(node, (), function, lambda n, f: is_predicted_by_estimator(n, f, depth - 1))
    found = bound_at(node, function) if isinstance(node, ast.Name) else ()
    return bool(found) and all(
        (b.kind == "assign" and not b.path and is_predicted_by_estimator(b.value, function, depth - 1))
        or _all_bound(b, function, lambda n, f: is_predicted_by_estimator(n, f, depth - 1))
        for b in found
    )


def _all_bound(binding: Binding, function: FunctionScope, holds: Callable[[Node, FunctionScope], bool]) -> bool:
    """Does something hold of all that a function of the user's gives for a name: one of `a, b = make(x)`?"""
    return binding.kind == "assign" and _all_given(binding.value, binding.path, function, holds)


def _all_given(
    call: Node, path: Sequence[int | None], function: FunctionScope, holds: Callable[[Node, FunctionScope], bool]
) -> bool:
    """Does something hold of all that functions of the user's give?

    Args:
        call: the call of such a function; of anything else nothing holds.
        path: which part of what it gives is meant.
        function: the function that the call stands in.
        holds: what is asked of an expression that is returned, in the function that returns it.
    """
    project = function.module.project
    if not isinstance(call, ast.Call):
        return False
    given = [(_part(node, path), frame.function) for node, frame in results_of(call, project.frame(function))]
    return bool(given) and all(node is not None and holds(node, inner) for node, inner in given)


def _part(node: Node, path: Sequence[int | None]) -> Node:
    """What a path takes of a tuple that is written out; None where that is not to be seen."""
    for step in path:
        node = node.elts[step] if isinstance(node, ast.Tuple) and step is not None and step < len(node.elts) else None
    return node


def _is_predict_call(node: Node) -> bool:
    while isinstance(node, ast.Subscript):
        node = node.value  # `model.predict_proba(X)[:, 1]`
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PREDICTING


def is_named_truth(node: Node, function: FunctionScope, *, guess: bool = False) -> bool:
    """Does a name say, conventionally or for a guess, that it is the ground truth, and was it not predicted?"""
    node = without_methods(node, _ENCODED)
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value  # `labels[:]`
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            pass
        case _:
            return False
    known = roles.name_evidence(name, Role.TARGET) is Evidence.CONVENTIONAL
    named = known or (guess and topics.is_about(name, Topic.TRUE_LABELS))
    return named and not is_predicted_by_estimator(node, function)


def is_ground_truth(node: Node, function: FunctionScope, depth: int = 3, *, guess: bool = False) -> bool:
    """Is it an item of a loop, or are such items all that was collected in it, here or in a function that gives it?"""
    node = _gathered(without_joins(without_methods(_rows(node), MOVED)), function)
    collected = _collected(node, function)
    if collected is not None:
        items = [_gathered(without_methods(e, _ENCODED), function) for e in collected]
        return bool(items) and all(is_loop_item(e, function, guess=guess) for e in items)
    if is_loop_item(node, function, guess=guess):
        return True
    found = bound_at(node, function) if depth and isinstance(node, ast.Name) else ()
    return bool(found) and all(
        _all_bound(b, function, lambda n, f: is_ground_truth(n, f, depth - 1, guess=guess)) for b in found
    )


def _rows(node: Node) -> Node:
    """What some rows, or a column, are taken of: `y` of `y[valid, i]`, also of `(y[valid, i] + 1) / 2`."""
    while True:
        match node:
            case ast.BinOp(left=inner, right=ast.Constant()):
                node = inner
            case ast.Subscript(value=ast.Name() as inner, slice=ast.Tuple() | ast.Name()):
                node = inner
            case _:
                return node


def _gathered(node: Node, function: FunctionScope) -> Node:
    """The list `ys` of a name that is bound to what is made of it: `ys = torch.cat(ys).numpy()`, `y = np.array(ys)`."""
    found = bound_at(node, function) if isinstance(node, ast.Name) else ()
    value = bound_expression(found[0]) if len(found) == 1 and found[0].kind == "assign" else None
    if not isinstance(value, ast.Call):
        return node
    inner = without_joins(without_methods(value, MOVED))
    same = isinstance(inner, ast.Name) and (inner.id == found[0].name or _collected(inner, function) is not None)
    return inner if same else node


def is_prediction(node: Node, function: FunctionScope, depth: int = 6, *, guess: bool = False) -> bool:
    """Was it decided by a model from an item of a loop, or are such decisions all that was collected in it?"""
    node = _gathered(without_joins(without_methods(_rows(node), MOVED | DECIDED)), function)
    if depth == 0 or node is None:
        return False
    if isinstance(node, ast.Compare):
        return is_prediction(node.left, function, depth - 1, guess=guess)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
        return is_prediction(node.value, function, depth - 1, guess=guess)
    collected = _collected(node, function)
    if collected is not None:
        return bool(collected) and all(is_prediction(e, function, depth - 1, guess=guess) for e in collected)
    if not isinstance(node, ast.Name):
        return is_model_output_on_item(node, function, guess=guess)
    found = bound_at(node, function)
    given = [(b, bound_expression(b) or b.value) for b in found if b.kind == "assign"]
    computed = [(b, v) for b, v in given if isinstance(v, _COMPUTED)]
    return len(computed) == len(found) > 0 and all(
        is_prediction(v, function, depth - 1, guess=guess)
        or _all_bound(b, function, lambda n, f: is_prediction(n, f, depth - 1, guess=guess))
        for b, v in computed
    )


def without_methods(node: Node, words: frozenset[str]) -> Node:
    """What a chain of methods, or a function of torch, is applied to: `out` of `out.argmax(1).cpu()`."""
    while True:
        if isinstance(node, ast.Attribute) and node.attr in words:
            node = node.value
        elif isinstance(node, ast.Call) and last_name(node.func) == "Variable" and node.args:
            node = node.args[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in words:
            library = place(node.func.value) in _LIBRARIES
            if library and not node.args:
                return node
            node = node.args[0] if library else node.func.value
        else:
            return node


def without_joins(node: Node) -> Node:
    """`xs` of `np.concatenate(xs)`."""
    while isinstance(node, ast.Call) and node.args and last_name(node.func) in _JOINED:
        node = node.args[0]
    return node


def _collected(node: Node, function: FunctionScope) -> list[Node] | None:
    """What is appended, or added, to a list that starts empty; None for what is no such list."""
    if not isinstance(node, ast.Name):
        return None
    found = bound_at(node, function)
    if any(b.kind == "aug" for b in found):
        found = tuple(function.bindings[node.id])
    grown = [
        b.value.value for b in found if b.kind == "aug" and isinstance(b.value, ast.AugAssign)
    ]  # `ys += y.tolist()`
    begun = [b for b in found if b.kind == "assign" and _binds_empty_list(b)]
    if not begun or len(begun) + len(grown) < len(found):
        return None
    return [*values_stored_in(node.id, function, node.lineno), *grown]


def _binds_empty_list(binding: Binding) -> bool:
    """Is an empty list bound, alone or as one of `a, b = [], []`?"""
    value = bound_expression(binding)
    if isinstance(value, ast.Call) and last_name(value.func) == "list":
        return not value.args
    return isinstance(value, ast.List) and not value.elts


def is_transposed(node: Node, at: Call | Argument) -> bool:
    """Do dimensions change places in an expression, right behind it, or in what its name stands for: `p.t()`?"""
    if any(shapes.is_transposed(n, origin.frame) for n, origin in _nodes_of(origins(node, at.frame))):
        return True
    behind = (n for n in at.frame.function.nodes_of(ast.Attribute) if n.value is node)
    return any(shapes.is_transposed(n, at.frame) for n in behind)


def _nodes_of(found: Iterable[Origin]) -> Iterator[tuple[Node, Origin]]:
    """The nodes of some expressions, those of one that is part of another once."""
    seen: set[int] = set()
    for origin in found:
        if id(origin.node) not in seen:
            for node in walk(origin.node):
                seen.add(id(node))
                yield node, origin


def is_symmetric_similarity(call: Call, scored: Argument) -> bool:
    """Are the same scores read both ways, as between two views: is `scores.T` or `scores.t()` said of the name too?"""
    name = place(scored.node)
    nodes = (n for n in call.function.nodes_of(ast.Attribute) if place(n.value) == name is not None)
    return is_transposed(call.node, call) or any(shapes.is_transposed(n, call.frame) for n in nodes)
