"""Do losses get what they expect: logits or probabilities, of the right axis, on the right side?

Every rule here asks one question of a call: what does the stub of the callee say that this parameter is, and what is
the argument on every path? No name is trusted: a criterion is whatever its binding, its constructor or its callers say
it is. Temperature, arithmetic and unknown layers between an activation and the loss end the claim.
"""

from __future__ import annotations

from mllint import tree as ast
from mllint._typing import Any, Iterator, Sequence
from mllint.checks._filled import given_requires_grad
from mllint.checks.loss._compiled import compiled
from mllint.checks.loss._made import (
    both_say,
    called_truth,
    contradicted,
    counted,
    either_way,
    labelled,
    made_from_item,
    measured,
    opposed,
    predicted_by_name,
    turned_round,
)
from mllint.rule import Finding, Note, check
from mllint.semantics import Argument, Call, Site, Value
from mllint.semantics.calls import bind, constructor_argument, now
from mllint.semantics.lineage import origins
from mllint.semantics.module import Class, Function, last_name, place, walk
from mllint.semantics.names import reaching

__all__: list[str] = []

_SQUASHED = {
    "Probs": "softmaxed",
    "Sigmoided": "squashed by a sigmoid",
    "LogProbs": "log-softmaxed",
    "Raw": "an unbounded score",
}
_SCORES = ("Raw", "Probs", "Sigmoided", "LogProbs")
_FILLING = frozenset("fill_ zero_ uniform_ normal_ requires_grad_ fill_diagonal_ masked_fill_".split())
_ALONG = frozenset("softmax log_softmax softmin argmax".split())


def given(call: Call, *expected: str) -> Iterator[Argument]:
    """The arguments of a call whose parameters expect one of these traits."""
    for argument in call.arguments:
        if argument.parameter and argument.expects(*expected) and not changed_in_place(argument):
            yield argument


def changed_in_place(argument: Argument) -> bool:
    """Does the function call a method like `sigmoid_` of the same name, so that the value is another one by now?"""
    name = place(argument.node)
    return name is not None and any(
        isinstance(c.func, ast.Attribute)
        and c.func.attr.endswith("_")
        and c.func.attr not in _FILLING
        and place(c.func.value) == name
        for c in argument.function.calls
    )


def carries(argument: Argument, trait: str) -> bool:
    """Has an argument a trait: on every path, or for one of several models of which a setting chooses one?"""
    value = argument.value
    if value.is_(trait):
        return not tried_out(value, trait)
    if value.kind != "union" or not value.has(trait):
        return False
    return of_one_model(argument, trait) or by_one_caller(argument, trait)


def tried_out(value: Value, trait: str) -> bool:
    """Was it made of random numbers on the spot, `loss(torch.sigmoid(torch.randn(4, 1)), ...)`, to see that it runs?"""
    site = value.because(trait)
    given = site.node.args[0] if site is not None and isinstance(site.node, ast.Call) and site.node.args else None
    return isinstance(given, ast.Call) and last_name(given.func) in _RANDOM and not given_requires_grad(given)


_RANDOM = frozenset("rand randn randint ones zeros".split())


def by_one_caller(argument: Argument, trait: str) -> bool:
    """Is it a parameter, handed on without any condition, to which one of the callers gives something with a trait?"""
    function, node = argument.function, argument.node
    bindings = reaching(function).at.get(id(node), ())
    if function.is_body or [b.kind for b in bindings] != ["param"] or not unconditional(argument.call.node, function):
        return False
    for call, frame in argument.project.callers(function):
        bound, _ = bind(function, call, frame)
        given = now(bound[bindings[0].name]) if bindings[0].name in bound else None
        if given is not None and given.is_(trait) and not given.is_unknown:
            return True
    return False


def unconditional(call: ast.AST, function: Function) -> bool:
    """Does a function always come to a call: in a statement of its own body, which no branch leaves before?"""
    for statement in function.body if not isinstance(function.node, ast.Lambda) else ():
        inside = list(walk(statement))
        if any(n is call for n in inside):
            choices = (ast.If, ast.IfExp, ast.BoolOp, ast.For, ast.While, ast.Try, ast.Match, ast.Lambda)
            return not any(isinstance(n, choices) and any(m is call for m in walk(n)) for n in inside)
        if any(isinstance(n, (ast.Return, ast.Raise)) for n in inside):
            return False
    return False


def of_one_model(argument: Argument, trait: str) -> bool:
    """Do the alternatives that have a trait come out of other models than all that do not, so that no flag inside of
    one decides about it, and does nobody treat the two differently here?"""
    alternatives = argument.value.alternatives
    those = frozenset().union(*(v.graph for v in alternatives if trait in v.traits))
    others = [v for v in alternatives if trait not in v.traits]
    if not all(v.graph for v in alternatives):
        return False
    if any(not those.isdisjoint(v.graph) for v in others) and not of_other_classes(alternatives, trait):
        return False
    called = argument.call.node
    for node in walk(argument.function.node):
        sides = both_sides(node, argument.function)
        if sides:
            inside = [[n for s in side for n in walk(s)] for side in sides]
            for mine, other in (inside, inside[::-1]):
                if any(n is called for n in mine) and any(scores_too(n, argument) for n in other):
                    return False
    return True


def both_sides(node: Any, function: Function) -> list[list[Any]]:
    """What a condition decides between: its branches; where the first returns, the second is all that follows."""
    if not isinstance(node, (ast.If, ast.IfExp)):
        return []
    other: Any = node.orelse
    if isinstance(node, ast.If) and not other and isinstance(node.body[-1], ast.Return):
        other = [s for s in function.body if s.lineno > (node.end_lineno or 0)]
    return [s if isinstance(s, list) else [s] for s in (node.body, other)] if other else []


def of_other_classes(alternatives: Sequence[Value], trait: str) -> bool:
    """Are the alternatives that have a trait made in methods of other classes than all that do not, as the outputs of
    one of two models are between which `cls(...)` chooses? A part of the other model, or one that a flag switches on,
    is no model of its own."""
    made: dict[bool, set[Class | None]] = {True: set(), False: set()}
    for value in alternatives:
        sites = [site for word, site in value.traits.items() if word in _SCORES and site is not None]
        made[trait in value.traits] |= {around(site).owner for site in sites} or {None}
        switch = value.because(trait)
        if switch is not None and not unconditional(switch.node, around(switch)):
            return False
    if None in made[True] | made[False] or not made[True].isdisjoint(made[False]):
        return False
    built = {last_name(c.func) for other in made[False] if other for m in other.methods.values() for c in m.calls}
    return not any(model is not None and model.name in built for model in made[True])


def scores_too(node: ast.AST, argument: Argument) -> bool:
    """Is it a call of something else that is given the same place, as another criterion would be?"""
    if not isinstance(node, ast.Call) or place(node.func) == place(argument.call.node.func):
        return False
    name = place(argument.node)
    return name is None or any(place(a) == name for a in (*node.args, *(k.value for k in node.keywords)))


def origin(argument: Argument, trait: str, message: str) -> list[Note]:
    """A label at the place that made an argument what it is."""
    site = argument.value.because(trait)
    return [Note(made(site, argument), message)] if site is not None else []


def made(site: Site, argument: Argument) -> Site:
    """Where the layer that is called at a site was built (the last one of a Sequential); else the site itself."""
    layer = layer_at(site, argument)
    return layer.site if layer is not None and layer.site is not None else site


def layer_at(site: Site, argument: Argument) -> Value | None:
    """The layer that is called at a site."""
    if not isinstance(site.node, ast.Call):
        return None
    value = Call(site.node, argument.project.frame(around(site))).callee
    while value.instance_of("torch.nn.Sequential") and isinstance(value.parts, tuple) and value.parts:
        value = value.parts[-1]
    return value if value.kind == "instance" else None


def around(site: Site) -> Function:
    """The innermost function around a site."""
    line = site.line
    inside = [f for f in site.module.functions if not f.is_body and f.node.lineno <= line <= (f.node.end_lineno or 0)]
    return max(inside, key=lambda f: f.node.lineno) if inside else site.module.body


@check("double-softmax", expects="Logits", calls="compile")
def double_softmax(call: Call) -> Iterator[Finding]:
    """A loss that applies softmax itself is handed probabilities."""
    yield from compiled(call, "Logits", "Probs", "applies softmax itself, but the model ends with one")
    for argument in given(call, "Logits", "BinaryLogits"):
        if carries(argument, "Probs") and argument.may_expect("Logits") and not switched_off(argument):
            yield Finding(
                argument,
                f"`{call.name}` applies softmax itself, but `{argument.text}` is already softmaxed",
                "expects logits",
                origin(argument, "Probs", "softmax applied here"),
            )


def switched_off(argument: Argument) -> bool:
    """Does `loss(softmax(x), y) if flag else loss(x, y)` choose between both on purpose?"""
    called = argument.call.node
    for statement in argument.function.body:
        if statement.lineno <= called.lineno <= (statement.end_lineno or 0):
            for node in walk(statement):
                other = node.orelse if isinstance(node, ast.IfExp) and node.body is called else None
                if isinstance(other, ast.Call):
                    return last_name(other.func) == last_name(called.func)
    return False


@check("redundant-log-softmax", expects="Logits")
def redundant_log_softmax(call: Call) -> Iterator[Finding]:
    """A loss that applies log-softmax itself is handed log-probabilities: the same result, twice the work."""
    if is_distribution(call):
        return
    for argument in given(call, "Logits"):
        site = argument.value.because("LogProbs") if argument.value.is_("LogProbs") else None
        if argument.value.is_("LogProbs") and not (site is not None and zero_dimension(site, argument)):
            yield Finding(
                argument,
                f"`{call.name}` applies log-softmax itself: doing it before changes nothing",
                "log-softmaxed already",
                origin(argument, "LogProbs", "log-softmax applied here"),
            )


@check("sigmoid-before-logits-loss", expects="Logits BinaryLogits", calls="compile")
def sigmoid_before_logits_loss(call: Call) -> Iterator[Finding]:
    """A loss that squashes its input itself is handed squashed scores."""
    yield from compiled(call, "BinaryLogits", "Sigmoided", "applies a sigmoid itself, but the model ends with one")
    for argument in given(call, "Logits", "BinaryLogits"):
        binary = argument.expects("BinaryLogits")
        for trait in ("Sigmoided", "Probs") if binary else ("Sigmoided",):
            if carries(argument, trait):
                inside = "a sigmoid" if binary else "softmax"
                yield Finding(
                    argument,
                    f"`{call.name}` applies {inside} itself, but `{argument.text}` is already {_SQUASHED[trait]}",
                    "expects raw scores",
                    origin(argument, trait, f"{'softmax' if trait == 'Probs' else 'sigmoid'} applied here"),
                )


@check("raw-scores-in-bce", expects="Sigmoided", calls="compile")
def raw_scores_in_bce(call: Call) -> Iterator[Finding]:
    """Cross-entropy of probabilities is handed unbounded scores instead."""
    for word in ("Sigmoided", "Probs"):
        yield from compiled(call, word, "Raw", "expects probabilities, but the model gives unbounded scores")
    for argument in given(call, "Sigmoided", "Probs"):
        if carries(argument, "Raw"):
            binary = argument.may_expect("Sigmoided")
            yield Finding(
                argument,
                f"`{call.name}` expects probabilities, but `{argument.text}` is an unbounded score",
                "expects values between 0 and 1",
                origin(argument, "Raw", "no sigmoid after this" if binary else "no softmax after this"),
            )


@check("nll-without-log-softmax", expects="LogProbs")
def nll_without_log_softmax(call: Call) -> Iterator[Finding]:
    """A negative log-likelihood, or a divergence, is handed something that is no logarithm."""
    for argument in given(call, "LogProbs"):
        for trait in ("Probs", "Sigmoided", "Raw"):
            if carries(argument, trait):
                yield Finding(
                    argument,
                    f"`{call.name}` expects log-probabilities, but `{argument.text}` is {_SQUASHED[trait]}",
                    "expects log-probabilities",
                    origin(argument, trait, "no logarithm after this"),
                )


def is_distribution(call: Call) -> bool:
    """Is it a distribution of PyTorch, built from scores?"""
    return any(f.module.name.startswith("torch.distributions") for f in call.callees)


def given_nll(call: Call) -> bool:
    """Is it a likelihood of classes, not a divergence between distributions?"""
    return all("KLDiv" not in f.qualname and f.name != "kl_div" for f in call.callees)


@check("softmax-over-batch", calls="softmax log_softmax argmax softmin bmm", expects="Logits LogProbs")
def softmax_over_batch(call: Call) -> Iterator[Finding]:
    """Scores of a batch are normalised, or compared, over the samples instead of the classes."""
    if call.last_name == "bmm":
        yield from weighted_products(call)
        return
    if call.last_name in _ALONG:
        scored = normalised(call) if writes_zero(call) else None
        if scored is not None and over_samples(call) and compared(call, scored) and not either_way(call, scored):
            yield Finding(
                call,
                f"`{call.text}` runs over the samples of the batch: dimension 0, the loss reads classes from 1",
                "dimension 0 is the batch",
            )
        return
    if not given_nll(call):
        yield from along_another(call)
        return
    if is_distribution(call):
        return  # it reads the classes from the last dimension
    yield from handed_on(call)
    for argument in given(call, "Logits", "LogProbs"):
        for trait in ("LogProbs", "Probs"):
            site = argument.value.because(trait) if argument.value.is_(trait) else None
            if site is not None and zero_dimension(site, argument) and immediate(argument, site) and given_nll(call):
                yield Finding(
                    argument,
                    f"`{argument.text}` is normalised by dim=0, over the batch: `{call.name}` has classes in dim 1",
                    "normalised over the samples",
                    [Note(made(site, argument), "dimension 0 is the batch")],
                )


def weighted_products(call: Call) -> Iterator[Finding]:
    """The weights of a product of batches, whose dimension 0 is the batch, sum to one over dimension 0."""
    if not call.callees or not all(f.module.name.partition(".")[0] == "torch" for f in call.callees):
        return
    for given in weights(call):
        argument = Argument(given, call, "")
        site = argument.value.because("Probs") if argument.value.is_("Probs") else None
        if site is not None and zero_dimension(site, argument) and immediate(argument, site):
            yield Finding(
                argument,
                f"`{argument.text}` is normalised by dim=0, and `{call.name}` takes dimension 0 for the batch",
                "normalised over the batch",
                [Note(made(site, argument), "dimension 0 is the batch")],
            )


def weights(call: Call) -> Iterator[Any]:
    """What a product is taken of; `a` of `a.unsqueeze(1)`, which leaves dimension 0 where it is, also by a name."""
    func = call.node.func
    receiver = [func.value] if isinstance(func, ast.Attribute) and call.receiver is not None else []
    for node in (*receiver, *call.node.args):
        found = reaching(call.function).at.get(id(node), ())
        plain = len(found) == 1 and found[0].kind == "assign" and not found[0].path
        yield unsqueezed(found[0].value if plain else node)


def unsqueezed(node: Any) -> Any:
    """`a` of `a.unsqueeze(1)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="unsqueeze", value=inner), args=[ast.Constant(value=1 | 2)]):
            return inner
    return node


def along_another(call: Call) -> Iterator[Finding]:
    """Two distributions are compared, of which one sums to one over the samples and the other over the classes."""
    along: list[tuple[Argument, Site, Any]] = []
    for argument in call.arguments:
        for trait in ("LogProbs", "Probs"):
            site = argument.value.because(trait) if argument.value.is_(trait) else None
            if site is not None:
                along.append((argument, site, dimension(site, argument)))
    dims = [dim for _, _, dim in along if isinstance(dim, int) and not isinstance(dim, bool)]
    if len(along) == 2 and sorted(map(abs, dims)) == [0, 1] and not any(turned_round(a.node, a) for a, _, _ in along):
        for argument, site, dim in along:
            if dim == 0:
                yield Finding(
                    argument,
                    f"`{argument.text}` is normalised by dim=0, over the batch, and not as what it is compared with",
                    "normalised over the samples",
                    [Note(made(site, argument), "dimension 0 is the batch")],
                )


def dimension(site: Site, argument: Argument) -> Any:
    """The constant dimension of the softmax at a site; None if it is not known."""
    layer = layer_at(site, argument)
    if layer is not None:
        given = constructor_argument(layer, "dim")
        return given.literal if given is not None else None
    if not isinstance(site.node, ast.Call) or last_name(site.node.func) not in _ALONG:
        return None
    dim = Call(site.node, argument.project.frame(around(site))).argument("dim")
    return dim.value.literal if dim is not None else None


def writes_zero(call: Call) -> bool:
    """Is a constant 0 written among the arguments?"""
    given = (*call.node.args, *(k.value for k in call.node.keywords))
    return any(isinstance(a, ast.Constant) and a.value == 0 for a in given)


def normalised(call: Call) -> Argument | None:
    """The scores that a softmax or argmax runs over, written as a plain name."""
    node = (
        getattr(call.node.func, "value", None)
        if isinstance(call.callee.function, Function) and call.callee.function.owner is not None
        else None
    )
    node = node or (call.arguments[0].node if call.arguments else None)
    return Argument(node, call, "") if isinstance(node, ast.Name) else None


def over_samples(call: Call) -> bool:
    """Is the dimension that is written out the constant 0?"""
    dim = call.argument("dim")
    return dim is not None and dim.value.literal == 0 and dim.value.literal is not False


def compared(call: Call, scored: Argument) -> bool:
    """Does the same function hand the same scores to a loss that reads classes from dimension 1?"""
    value = scored.value
    for node in call.function.calls:
        other = Call(node, call.frame)
        if is_distribution(other):
            continue
        for argument in given(other, "Logits", "LogProbs"):
            same = isinstance(argument.node, ast.Name) and argument.node.id == scored.node.id
            alike = argument.value is value or argument.value.same_as(value) or made_alike(argument, scored)
            if same and given_nll(other) and alike:
                return True
    return False


def handed_on(call: Call) -> Iterator[Finding]:
    """The function that hands scores to a loss hands them to another of the user's too, which runs over dimension 0."""
    at = reaching(call.function).at
    for argument in given(call, "Logits", "LogProbs"):
        mine = set(at.get(id(argument.node), ())) if isinstance(argument.node, ast.Name) else set()
        for node in call.function.calls if mine else ():
            if not any(mine == set(at.get(id(a), ())) for a in node.args):
                continue
            for function in (
                f for f in Call(node, call.frame).callees if not f.stubbed and not _ALONG.isdisjoint(f.called_names)
            ):
                bound, _ = bind(function, node, call.frame)
                names = {n for n, t in bound.items() if isinstance(t, tuple) and mine == set(at.get(id(t[0]), ()))}
                yield from run_over(function, names, call)


def run_over(function: Function, names: set[str], call: Call) -> Iterator[Finding]:
    """The softmaxes of a function that run over dimension 0 of one of its parameters."""
    frame = call.project.frame(function)
    for inner in (Call(c, frame) for c in function.calls if last_name(c.func) in _ALONG):
        scored = normalised(inner) if writes_zero(inner) else None
        if scored is None or scored.node.id not in names or not over_samples(inner):
            continue
        if [b.kind for b in reaching(function).at.get(id(scored.node), ())] == ["param"]:
            message = (
                f"`{inner.text}` runs over the samples of the batch: dimension 0, `{call.name}` reads classes from 1"
            )
            yield Finding(inner, message, "dimension 0 is the batch", [Note(call, "the same scores")])


def made_alike(first: Argument, second: Argument) -> bool:
    """Do both come out of one model, called once for each: `scores = model(x)` in training and in evaluation?"""
    at = reaching(first.function).at
    called = [
        place(b.value.func) if isinstance(b.value, ast.Call) and not b.path else None
        for argument in (first, second)
        for b in at.get(id(argument.node), ())
    ]
    return len(called) > 1 and None not in called and len(set(called)) == 1


def zero_dimension(site: Site, argument: Argument) -> bool:
    """Is the softmax at a site one over dimension 0?"""
    dim = dimension(site, argument)
    return dim == 0 and dim is not False


def immediate(argument: Argument, site: Site) -> bool:
    """Is nothing (an `unsqueeze`, an index) between the softmax and the loss?"""
    if argument.node is site.node:
        return True
    chosen = argument.node
    if isinstance(chosen, ast.Subscript) and (place(chosen.slice) or "").endswith("mask"):
        chosen = chosen.value  # some of the samples: the classes stay where they are
    found = [chosen]
    if isinstance(chosen, ast.Name):
        found = [b.value for b in argument.function.bindings.get(chosen.id, ()) if b.kind == "assign"]
    if any(node is site.node for node in found):
        return True
    calls = [Call(n, argument.frame).callee for n in found if isinstance(n, ast.Call)]
    return any(all(v.kind == "instance" for v in callee.alternatives) for callee in calls)


@check("swapped-loss-arguments", expects="Target ClassIndex")
def swapped_loss_arguments(call: Call) -> Iterator[Finding]:
    """The prediction is handed over as the ground truth, and the other way round."""
    targets = list(given(call, "Target", "ClassIndex"))
    scores = list(given(call, "BinaryLogits", "Logits", "Sigmoided", "LogProbs", "Prediction"))
    if len(targets) != 1 or len(scores) != 1 or targets[0] is scores[0]:
        return
    target, score = targets[0], scores[0]
    predicted = any(target.value.is_(t) for t in (*_SCORES, "Prediction"))
    if any(f.name == "kl_div" or (f.owner is not None and f.owner.name == "KLDivLoss") for f in call.callees):
        return  # not symmetric, but meaningful both ways
    if any(v.kind == "instance" and v.of.name in _SYMMETRIC for v in call.callee.alternatives) or counts_hits(call):
        return
    torch = all(f.module.name.partition(".")[0] == "torch" for f in call.callees)
    attached = target.value.is_attached and not given_by_numpy(target)
    modelled = torch and (attached or made_from_item(target.node, target.function))
    told = not torch and (measured(target.node, target.function) or predicted) and labelled(score.node, score.function)
    told = told or (
        not torch and predicted_by_name(target.node, target.function) and called_truth(score.node, score.function)
    )
    told = told or (not torch and opposed(score.node, target.node, score.function))
    told = told or (not torch and both_say(score.node, target.node, score.function))
    vague = score.value.is_unknown or not score.value.all_graph
    named = vague and contradicted(score.node, target.node, score.function)
    named = named or (vague and torch and opposed(score.node, target.node, score.function))
    whole = score.expects("Logits", "LogProbs") and target.expects("ClassIndex") and counted(score.node, score.function)
    named = named or (whole and vague and not counted(target.node, target.function))
    if (predicted and truth(score)) or ((modelled or (torch and predicted)) and given_as_truth(score)) or told or named:
        yield Finding(
            score,
            f"`{call.name}` takes `{score.text}` for the prediction and the prediction `{target.text}` for the truth",
            "expects the prediction",
            [Note(target, "expects the ground truth")],
        )


_SYMMETRIC = ("MeanSquaredError", "MeanAbsoluteError", "Huber", "LogCosh", "CosineSimilarity", "Dice")


def given_by_numpy(argument: Argument) -> bool:
    """Does it come out of an array? No array carries gradients, whoever made it."""
    calls = (o.node for o in origins(argument.node, argument.frame) if isinstance(o.node, ast.Call))
    return any(last_name(c.func) in ("from_numpy", "astype") for c in calls)


def counts_hits(call: Call) -> bool:
    """Is it the share of equal labels among all, which is the same either way?"""
    metric = call.receiver if call.last_name in ("update", "forward") else call.callee
    for v in metric.alternatives if metric is not None else ():
        if v.kind != "instance" or v.of.name not in ("Accuracy", "BinaryAccuracy"):
            return False
        average = constructor_argument(v, "average")
        if average is not None and average.literal != "micro":
            return False
    return metric is not None and bool(metric.alternatives)


def truth(argument: Argument) -> bool:
    """Is it data of the loader, or a part of a split, and no output of a model?"""
    value = argument.value
    if any(value.has(t) for t in (*_SCORES, "Prediction")):
        return False
    return value.is_("Labels") or value.is_("Inputs") or value.is_("Split")


def given_as_truth(argument: Argument) -> bool:
    """Can no model that is trained here have made it: a constant, an item of what a loop goes through, a parameter
    called target, a decision or something that was detached?"""
    value = argument.value
    if any(v.graph for v in value.alternatives) or any(cut.how == "no_grad" for cut in value.all_cuts):
        return False
    constant = all(v.cuts or (v.kind == "tensor" and not v.opaque) for v in value.alternatives)
    return constant or labelled(argument.node, argument.function)
