"""What does a loss expect, and what is it given: logits or probabilities, of which axis?

    criterion = nn.CrossEntropyLoss()          # its stub: the first argument is `Logits`
    criterion(net(x).softmax(1), y)            # `given`: what the softmax made, on every path

No name is trusted: a criterion is whatever its binding, its constructor or its callers say it is. Temperature,
arithmetic and unknown layers between an activation and the loss end what is known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mllint.semantics.flow.views import Argument, Call
from mllint.semantics.libraries.classes import SEQUENTIAL
from mllint.semantics.libraries.stubs import function_words
from mllint.semantics.libraries.tensor_methods import SAME_ENTRIES
from mllint.semantics.syntax.blocks import every_statement
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import ClassScope, FunctionScope, ModuleScope
from mllint.semantics.syntax.names import bound_at, reaching
from mllint.semantics.syntax.nodes import Constant, Node, all_arguments, last_name, place, walk
from mllint.semantics.training.evidence import Answer, proven_unless
from mllint.semantics.training.layers import candidates
from mllint.semantics.training.metrics.decisions import find_decision_by_hand
from mllint.semantics.training.rows.learned import SEARCHES, steps_of
from mllint.semantics.values.arguments import bind, value_of_bound
from mllint.semantics.values.classes import constructor_argument
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.lineage import origins, resolve_name
from mllint.semantics.values.plain import may_expect
from mllint.semantics.values.values import (
    FunctionValue,
    InstanceValue,
    ManyValue,
    Site,
    UnionValue,
    UnknownValue,
    Value,
)

if TYPE_CHECKING:
    from mllint.semantics.values.project import Project
    from mllint.semantics.vocabulary import Trait

__all__ = [
    "ALONG", "GUESSES", "SCORES", "TRUTHS", "alternative", "arguments", "carries_trait", "constant_number_at",
    "dimension", "expecting_name", "find_decision_site", "find_scorers_of_decisions", "innermost_function_at",
    "is_distribution", "is_logarithm", "is_over_dimension_zero", "is_same_score", "layer_at", "layer_construction_site",
    "squashes_again",
]  # fmt: skip

SCORES: tuple[Trait, ...] = ("Raw", "Probs", "Sigmoided", "LogProbs")
TRUTHS: tuple[Trait, ...] = ("Target", "ClassIndex")
"""What a loss or a metric expects of the argument that it takes for the truth."""
GUESSES: tuple[Trait, ...] = ("BinaryLogits", "Logits", "Sigmoided", "LogProbs", "Prediction")
"""What it expects of the argument that it takes for the prediction."""
_FLAX = "flax.linen.Module"
_FILLING = frozenset("fill_ zero_ uniform_ normal_ requires_grad_ fill_diagonal_ masked_fill_".split())
ALONG = frozenset("softmax log_softmax softmin argmax".split())
_PASSING = (ast.Name, ast.Attribute)
_METHODS_OF_SCORERS = ("response_method", "needs_proba", "needs_threshold")
_RANDOM = frozenset("rand randn randint ones zeros".split())


def arguments(call: Call, *expected: Trait) -> Iterator[Argument]:
    """The arguments of a call whose parameters expect one of these traits."""
    if not may_expect(call.node, call.function, call.project):
        return  # what is called need not be known
    for argument in call.arguments:
        if argument.parameter and argument.expects(*expected) and not _is_changed_in_place(argument):
            yield argument


def expecting_name(argument: Argument, trait: Trait) -> str:
    """What the function is called that expects a trait of an argument: as the call writes it, or, of several that a
    loop calls one after the other, by its own name."""
    call = argument.call
    if len(call.callees) < 2 or all(trait in words for words in argument.expectations):
        return call.name
    return next(f.name for f, words in zip(call.callees, argument.expectations, strict=True) if trait in words)


def squashes_again(module: ModuleScope) -> Answer[bool]:
    """Whether a loss that a Keras model is compiled with, and that squashes its input, squashes the last activation.

    On TensorFlow such a loss looks for what the activation was computed from, and takes that; on JAX and on PyTorch it
    does not.

    Args:
        module: the file, which says on what Keras runs: by its imports, or by what it writes into the environment.
    """
    on_jax = any(name.partition(".")[0] in ("jax", "flax") for name, _ in module.imports)
    return proven_unless(not on_jax and not _chosen_backends(module) & {"jax", "torch"}, True)


def _chosen_backends(module: ModuleScope) -> set[object]:
    """On what Keras is to run: `os.environ["KERAS_BACKEND"] = "jax"`, or the default that is set there."""
    chosen: set[object] = set()
    for node in walk(module.body.node):
        match node:
            case (
                ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value="KERAS_BACKEND"))], value=ast.Constant(said))
                | ast.Call(args=[ast.Constant(value="KERAS_BACKEND"), ast.Constant(said)])
            ):
                chosen.add(said)
    return chosen


def _is_changed_in_place(argument: Argument) -> bool:
    """Does the function change the tensor that a place holds, so that the value is another one by now?"""
    return place(argument.node) in _changed_in_place(argument.function)


@cached_per_scope(local=True)
def _changed_in_place(function: FunctionScope) -> frozenset[str | None]:
    """The places whose tensors a function changes: by a method like `sigmoid_`, as the `out=` of a call, by what it
    stores in them or in their `data`."""
    methods = (c.func for c in function.calls if isinstance(c.func, ast.Attribute) and c.func.attr.endswith("_"))
    changed = {place(m.value) for m in methods if m.attr not in _FILLING}
    module = function.module
    given = (c for c, scope in module.calls_by_keyword.get("out", ()) if scope is function)
    changed.update(place(k.value) for call in given for k in call.keywords if k.arg == "out")
    if module.source is None or module.source.holds(".data ="):
        changed.update(name.removesuffix(".data") for name in function.bindings if name.endswith(".data"))
    if module.source is None or module.source.holds("[:] ="):
        stores = (n for s in every_statement(function.node) if isinstance(s, ast.Assign) for n in s.targets)
        changed.update(place(n.value) for n in stores if isinstance(n, ast.Subscript) and _is_whole(n.slice))
    return frozenset(changed - {None})


def _is_whole(index: ast.expr) -> bool:
    """Is it the index of `scores[:]`?"""
    return isinstance(index, ast.Slice) and index.lower is index.upper is None


def alternative(call: ast.Call, function: FunctionScope) -> ast.expr | None:
    """What is evaluated in the stead of a call: `other(x)` of `call(x) if flag else other(x)`."""
    return _alternatives(function).get(id(call))


@cached_per_scope(local=True)
def _alternatives(function: FunctionScope) -> dict[int, ast.expr]:
    """The other sides of the conditional expressions of a function, by the ids of their first sides."""
    return {id(n.body): n.orelse for outer in function.body for n in walk(outer) if isinstance(n, ast.IfExp)}


def carries_trait(argument: Argument, trait: Trait) -> bool:
    """Has an argument a trait: on every path, or for one of several models of which a setting chooses one?"""
    value = argument.value
    if value.is_(trait):
        return not _is_made_of_random_numbers(value, trait)
    if not isinstance(value, UnionValue) or not value.has(trait):
        return False
    return _gets_trait_from_model(argument, trait) or _gets_trait_from_caller(argument, trait)


def find_decision_site(argument: Argument) -> Site | None:
    """Where was it decided what an argument holds, or each entry of a list? None: perhaps nowhere."""
    values = [w for v in argument.value.alternatives for w in (v.contents if isinstance(v, ManyValue) else (v,))]
    if values and all(value.is_("Decided") for value in values):
        return values[0].because("Decided")
    return _decided_by_composition(argument) or find_decision_by_hand(argument.node, argument.frame)


def _decided_by_composition(argument: Argument) -> Site | None:
    """Where a pipeline, or a search, whose last estimator is a classifier gave its classes on every way, and was asked
    for nothing else: `predict(X, raw_score=True)`."""
    found = None
    for origin in origins(argument.node, argument.frame, through=lambda o: isinstance(o.node, _PASSING)):
        if isinstance(origin.node, _PASSING):
            continue
        if not _gives_classes(origin.node, origin.frame):
            return None  # scores, on one of the ways
        found = found or Site(origin.frame.module, origin.node)
    return found


def find_scorers_of_decisions(call: Call) -> Iterator[tuple[Call, Argument]]:
    """The calls of `make_scorer` behind the `scoring` of a call that hand a metric of scores what `predict` of a
    classifier gives, with the metric: they name no other method of it."""
    scoring, estimator = call.argument("scoring"), call.argument("estimator")
    if scoring is None or estimator is None or not _is_classifier(estimator.node, call.frame):
        return
    for made in (Call(o.node, o.frame) for o in origins(scoring.node, call.frame) if isinstance(o.node, ast.Call)):
        metric = made.argument("score_func") if made.callee.is_function("sklearn.metrics.make_scorer") else None
        told = any(made.argument(n) is not None or made.may_give(n) for n in _METHODS_OF_SCORERS)
        if metric is not None and not told and _is_metric_of_scores(metric.value):
            yield made, metric


def _is_metric_of_scores(value: Value) -> bool:
    """Is it a function of a library that expects scores?"""
    functions = [v.target for v in value.alternatives if isinstance(v, FunctionValue)]
    known = [f for f in functions if isinstance(f, FunctionScope) and f.stubbed and "Scores" in function_words(f)]
    return bool(known) and len(known) == len(value.alternatives)


def _gives_classes(node: Node, frame: Frame) -> bool:
    """Is an expression what `predict` of a classifier gives that is asked for nothing else?"""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "predict":
        return False
    return len(all_arguments(node)) == 1 and _is_classifier(node.func.value, frame)


def _is_classifier(node: Node, frame: Frame) -> bool:
    """Is an expression a classifier, or the best one that a search found: `search.best_estimator_`?"""
    made = resolve_name(node, frame.function)
    if isinstance(made, ast.Attribute) and made.attr == "best_estimator_":
        node = made.value
    bindings = bound_at(node, frame.function) if isinstance(node, ast.Name) else ()
    if frame.caller is None and len(bindings) == 1 and bindings[0].kind == "param":
        # what another call gives, known or unknown, makes no scores of the classes of this one
        return any(_classifies(evaluate(*given)) for given in _given_by_callers(bindings[0].name, frame))
    return _classifies(evaluate(node, frame))


def _classifies(estimator: Value) -> bool:
    """Is it a classifier, a pipeline that ends with one, or a search for one?"""
    if len(estimator.alternatives) > 1:
        return all(map(_classifies, estimator.alternatives))
    if not isinstance(estimator, InstanceValue):
        return False
    if estimator.instance_of("sklearn.base.ClassifierMixin"):
        return True
    steps = steps_of(estimator)
    if steps:
        return _classifies(steps[-1])
    tried = constructor_argument(estimator, "estimator") if estimator.instance_of(*SEARCHES) else None
    return tried is not None and _classifies(tried)


def is_same_score(node: Node, argument: Argument) -> bool:
    """Whether an expression is, but for its shape and place, the logit that a loss is given.

    Either the same assignment made both, or the same layer did and nothing has squashed it since, or the same model of
    a library, whose layers nobody knows, gave both.

    Args:
        node: an expression of the same file.
        argument: the score that is given to a loss.
    """
    ours, theirs = _bare(node), _bare(argument.node)
    function = innermost_function_at(argument.at(ours))
    if function is argument.function and place(ours) is not None and place(ours) == place(theirs):
        known = reaching(function).at
        return bool(known.get(id(ours))) and known.get(id(ours)) == known.get(id(theirs))
    value = evaluate(ours, argument.project.frame(function))
    sites = [v.because("Raw") for v in (value, argument.value)]
    layers = {layer_construction_site(site, argument) if site is not None else None for site in sites}
    if value.is_unknown and argument.value.is_unknown:
        return _are_of_one_model(ours, function, argument)
    return value.is_("Raw") and len(layers) == 1 and None not in layers


def _are_of_one_model(node: Node, function: FunctionScope, argument: Argument) -> bool:
    """Whether one model of which nothing is known gives an expression of a function, and the score of a loss."""
    if "sigmoid_" in function.called_names:
        return False
    model = _model_behind(node, argument.project.frame(function))
    given = _model_behind(argument.node, argument.frame) if model is not None else None
    return model is not None and given is not None and model.same_as(given) is True


def _model_behind(node: Node, frame: Frame, calls: int = 2) -> Value | None:
    """The model of a library that gives what an expression is, here or in all calls of the function; None if another
    one may, or something else."""
    node, function = _bare(node), frame.function
    bindings = bound_at(node, function) if isinstance(node, ast.Name) else []
    if len(bindings) == 1 and bindings[0].kind == "param" and calls and frame.caller is None:
        found = [_model_behind(*given, calls - 1) for given in _given_by_callers(bindings[0].name, frame)]
        first = found[0] if found else None
        same = first is not None and all(m is not None and m.same_as(first) is True for m in found)
        return first if same and not frame.project.has_more_callers(function) else None
    if len(bindings) == 1 and bindings[0].kind == "assign" and not bindings[0].path:
        node = _bare(bindings[0].value)
    if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
        return None
    model = _applied_model(node, frame) or evaluate(node.func, frame)
    known = isinstance(model, InstanceValue) and model.instance_of(_FLAX)
    return model if known or (isinstance(model, UnknownValue) and model.identity and model.name is None) else None


def _applied_model(call: ast.Call, frame: Frame) -> Value | None:
    """The model of Flax that `model.apply(variables, x)` runs, and `state.apply_fn(variables, x)` where all states of
    the program hold the same one; None of anything else."""
    applied: Node = call.func
    if last_name(applied) == "apply_fn":
        modules = (m for m in frame.project.modules if not m.is_stub)
        given = [item for m in modules for item in m.calls_by_keyword.get("apply_fn", ())]
        if len(given) != 1 or not isinstance(given[0][1], FunctionScope):
            return None
        applied = next(k.value for k in given[0][0].keywords if k.arg == "apply_fn")
        frame = frame.project.frame(given[0][1])
    if not isinstance(applied, ast.Attribute) or applied.attr != "apply":
        return None
    model = evaluate(applied.value, frame)
    return model if isinstance(model, InstanceValue) and model.instance_of(_FLAX) else None


def _given_by_callers(name: str, frame: Frame) -> Iterator[tuple[Node, Frame]]:
    """What the calls of a function give a parameter, where it is written out."""
    for call, outer in frame.project.callers(frame.function):
        bound, _ = bind(frame.function, call, outer)
        given = bound.get(name)
        yield given if isinstance(given, tuple) else (None, outer)


def constant_number_at(site: Site, project: Project) -> float | None:
    """The number that an expression always is, written out or by the name of a constant; None if it is not known, or
    is what a loop goes through."""
    function = innermost_function_at(site)
    if any(b.kind in ("for", "comp") for b in bound_at(site.node, function)):
        return None
    found = evaluate(site.node, project.frame(function)).literal
    return float(found) if isinstance(found, (int, float)) and not isinstance(found, bool) else None


def _bare(node: Node) -> Node:
    """`out` of `out.detach().cpu().numpy()` and `out.squeeze(1)`."""
    while isinstance(node, (ast.Call, ast.Attribute)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SAME_ENTRIES:
            node = node.func.value
        elif isinstance(node, ast.Attribute) and node.attr == "data":
            node = node.value
        else:
            break
    return node


def _is_made_of_random_numbers(value: Value, trait: Trait) -> bool:
    """Was it made of random numbers on the spot, `loss(torch.sigmoid(torch.randn(4, 1)), ...)`, to see that it runs?"""
    site = value.because(trait)
    given = site.node.args[0] if site is not None and isinstance(site.node, ast.Call) and site.node.args else None
    return (
        isinstance(given, ast.Call) and last_name(given.func) in _RANDOM and not candidates.is_leaf_with_gradient(given)
    )


def _gets_trait_from_caller(argument: Argument, trait: Trait) -> bool:
    """Is it a parameter, handed on without any condition, to which one of the callers gives something with a trait?"""
    function, node = argument.function, argument.node
    bindings = bound_at(node, function)
    if (
        function.is_body
        or [b.kind for b in bindings] != ["param"]
        or not _is_always_reached(argument.call.node, function)
    ):
        return False
    for call, frame in argument.project.callers(function):
        bound, _ = bind(function, call, frame)
        given = value_of_bound(bound[bindings[0].name]) if bindings[0].name in bound else None
        if given is not None and given.is_(trait) and not given.is_unknown:
            return True
    return False


def _is_always_reached(call: ast.AST, function: FunctionScope) -> bool:
    """Does a function always come to a call: in a statement of its own body, which no branch leaves before?"""
    if isinstance(function.node, ast.Lambda):
        return False
    for statement in function.body:
        inside = list(walk(statement))
        if any(n is call for n in inside):
            choices = (ast.If, ast.IfExp, ast.BoolOp, ast.For, ast.While, ast.Try, ast.Match, ast.Lambda)
            return not any(isinstance(n, choices) and any(m is call for m in walk(n)) for n in inside)
        if any(isinstance(n, (ast.Return, ast.Raise)) for n in inside):
            return False
    return False


def _gets_trait_from_model(argument: Argument, trait: Trait) -> bool:
    """Do the alternatives that have a trait come out of other models than all that do not, so that no flag inside of
    one decides about it, and does nobody treat the two differently here?"""
    alternatives = argument.value.alternatives
    those = frozenset().union(*(v.graph for v in alternatives if trait in v.traits))
    others = [v for v in alternatives if trait not in v.traits]
    if not all(v.graph for v in alternatives):
        return False
    if any(not those.isdisjoint(v.graph) for v in others) and not _are_made_in_other_classes(alternatives, trait):
        return False
    called = argument.call.node
    for node in walk(argument.function.node):
        sides = _both_sides(node, argument.function)
        if sides:
            inside = [[n for s in side for n in walk(s)] for side in sides]
            for mine, other in (inside, inside[::-1]):
                if any(n is called for n in mine) and any(_is_other_call_on_argument(n, argument) for n in other):
                    return False
    return True


def _both_sides(node: Node, function: FunctionScope) -> list[list[Node]]:
    """What a condition decides between: its branches; where the first returns, the second is all that follows."""
    if not isinstance(node, (ast.If, ast.IfExp)):
        return []
    other: Node = node.orelse
    if isinstance(node, ast.If) and not other and isinstance(node.body[-1], ast.Return):
        other = [s for s in function.body if s.lineno > (node.end_lineno or 0)]
    return [s if isinstance(s, list) else [s] for s in (node.body, other)] if other else []


def _are_made_in_other_classes(alternatives: Sequence[Value], trait: Trait) -> bool:
    """Are the alternatives that have a trait made in methods of other classes than all that do not, as the outputs of
    one of two models are between which `cls(...)` chooses? A part of the other model, or one that a flag switches on,
    is no model of its own."""
    made: dict[bool, set[ClassScope | None]] = {True: set(), False: set()}
    for value in alternatives:
        sites = [site for word, site in value.traits.items() if word in SCORES and site is not None]
        made[trait in value.traits] |= {innermost_function_at(site).owner for site in sites} or {None}
        switch = value.because(trait)
        if switch is not None and not _is_always_reached(switch.node, innermost_function_at(switch)):
            return False
    if None in made[True] | made[False] or not made[True].isdisjoint(made[False]):
        return False
    built = {last_name(c.func) for other in made[False] if other for m in other.methods.values() for c in m.calls}
    return not any(model is not None and model.name in built for model in made[True])


def _is_other_call_on_argument(node: ast.AST, argument: Argument) -> bool:
    """Is it a call of something else that is given the same place, as another criterion would be?"""
    if not isinstance(node, ast.Call) or place(node.func) == place(argument.call.node.func):
        return False
    name = place(argument.node)
    return name is None or any(place(a) == name for a in (*node.args, *(k.value for k in node.keywords)))


def layer_construction_site(site: Site, argument: Argument) -> Site:
    """Where the layer that is called at a site was built (the last one of a Sequential); else the site itself."""
    layer = layer_at(site, argument)
    return layer.site if layer is not None and layer.site is not None else site


def layer_at(site: Site, argument: Argument) -> Value | None:
    """The layer that is called at a site."""
    if not isinstance(site.node, ast.Call):
        return None
    value = Call(site.node, argument.project.frame(innermost_function_at(site))).callee
    while value.instance_of(SEQUENTIAL) and value.contents:
        value = value.contents[-1]
    return value if isinstance(value, InstanceValue) else None


def innermost_function_at(site: Site) -> FunctionScope:
    """The innermost function around a site."""
    line = site.line
    inside = [f for f in site.module.functions if not f.is_body and f.node.lineno <= line <= (f.node.end_lineno or 0)]
    return max(inside, key=lambda f: f.node.lineno) if inside else site.module.body


def is_distribution(call: Call) -> bool:
    """Is it a distribution of PyTorch, built from scores?"""
    return any(f.module.name.startswith("torch.distributions") for f in call.callees)


def dimension(site: Site, argument: Argument) -> Constant:
    """The constant dimension of the softmax at a site; None if it is not known."""
    layer = layer_at(site, argument)
    if layer is not None:
        given = constructor_argument(layer, "dim")
        return given.literal if given is not None else None
    if not isinstance(site.node, ast.Call) or last_name(site.node.func) not in ALONG:
        return None
    dim = Call(site.node, argument.project.frame(innermost_function_at(site))).argument("dim")
    return dim.value.literal if dim is not None else None


def is_logarithm(site: Site) -> bool:
    """Is it a logarithm that stands at a site, so that log-probabilities come of probabilities, in which what is tiny
    has become 0, or was kept from it?"""
    return isinstance(site.node, ast.Call) and last_name(site.node.func) == "log"


def is_over_dimension_zero(site: Site, argument: Argument) -> bool:
    """Is the softmax at a site one over dimension 0?"""
    dim = dimension(site, argument)
    return dim == 0 and dim is not False
