"""What Keras models give and what Keras losses expect: logits or probabilities, by the names in their arguments.

A layer says by its `activation` what its scores are, a `Sequential` gives what its last layer gives (also one that was
added later), a functional model what its `outputs` are, and a loss says by `from_logits` what it expects, whether it is
called or handed to `compile`. A layer that is added in a branch ends the claim.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from mllint.semantics.libraries.stubs import effects, hint
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import BODIES, Constant, Node, last_name, place, walk
from mllint.semantics.syntax.records import Effect
from mllint.semantics.values.arguments import Arguments, bind, value_of_bound
from mllint.semantics.values.ask import ask
from mllint.semantics.values.classes import constructor_argument, method, stub_effect
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.values import (
    UNKNOWN,
    FunctionValue,
    InstanceValue,
    LiteralValue,
    SequenceValue,
    Site,
    TensorValue,
    Value,
)

if TYPE_CHECKING:
    from mllint.semantics.vocabulary import Trait

__all__ = ["PREDICTED", "expected_scores", "loss_expects", "output", "output_of_keras_layer"]

_GIVEN: dict[Constant, Trait] = {
    "softmax": "Probs", "sigmoid": "Sigmoided", "log_softmax": "LogProbs", "linear": "Raw", None: "Raw",
    "relu": "Rectified", "relu6": "Rectified", "tanh": "Bounded",
}  # fmt: skip
_BY_NAME = frozenset(("linear", "relu", "relu6", "tanh"))
"""The functions that say more as an activation than by what their stub returns, which arguments may change."""
_NAMED: dict[str, Trait] = {
    "binary_crossentropy": "Sigmoided", "categorical_crossentropy": "Probs", "sparse_categorical_crossentropy": "Probs",
}  # fmt: skip
PREDICTED = frozenset({"Logits", "BinaryLogits", "Sigmoided"})
"""What a loss whose stub only says `Prediction` may expect."""


# -------------------------------------------------------------------------------------------------------------- models
def output(model: Value, frame: Frame, node: Node) -> Value:
    """What a model gives, whatever it is given.

    Args:
        model: the model.
        frame: where it is asked.
        node: the expression that gives the output.
    """
    return ask.call_with(model, Arguments(None, frame, (UNKNOWN,)), frame, node)


def output_of_keras_layer(layer: Value, result: Value, frame: Frame, node: Node) -> Value:
    """What calling a layer or a model of Keras gives, where `result` is what the stub says.

    Args:
        layer: the layer or model.
        result: what the stub says.
        frame: where the call stands.
        node: the call.
    """
    if not isinstance(layer, InstanceValue) or layer.arguments is None:
        return result
    cls = layer.cls
    if cls.name == "Sequential":
        return _last(layer.arguments, result, frame, node)
    if cls.name == "Model":
        outputs = _argument(layer.arguments, "outputs", 1)
        return outputs if isinstance(outputs, TensorValue) else result
    effect = stub_effect(cls, "activated")
    if effect is None:
        return result
    trait = _activation(layer, layer.arguments, effect)
    if cls.name == "Activation" and trait == "Raw":
        return result  # "linear" changes nothing
    site = layer.site or Site(frame.module, node)
    return result.mapped(lambda v: v.with_(traits={trait: site} if trait else {}))


def _argument(arguments: Arguments, name: str, index: int) -> Value | None:
    if name in arguments.keywords:
        return arguments.get(arguments.keywords[name])
    return arguments.get(arguments.positional[index]) if len(arguments.positional) > index else None


def _activation(layer: InstanceValue, arguments: Arguments, effect: Effect) -> Trait | None:
    """The word for what an activation gives; None if it is another one, or cannot be told."""
    if arguments.open:
        return None
    option = str(effect.options.get("by", "activation"))
    given = constructor_argument(layer, option)
    if given is None:
        init = method(layer.cls, "__init__")
        parameter = init.parameter(option) if init is not None else None
        default = parameter.default if parameter is not None else None
        value: Constant = default.value if isinstance(default, ast.Constant) else ""
        return _GIVEN.get(value)
    if isinstance(given, LiteralValue):
        return _GIVEN.get(given.value)
    if isinstance(given, FunctionValue) and isinstance(given.target, FunctionScope) and given.target.stubbed:
        name = given.target.name
        word = hint(given.target.node.returns).name
        return _GIVEN.get(name) if name in _BY_NAME else next((t for t in _GIVEN.values() if t == word), None)
    return None


def _last(arguments: Arguments, result: Value, frame: Frame, node: Node) -> Value:
    """What the layers of a `Sequential` give, one after the other; without a claim where they are not all known."""
    first = _argument(arguments, "layers", 0)
    layers: list[Value] = []
    if first is not None:
        if not isinstance(first, SequenceValue) or arguments.open:
            return result
        layers += first.parts
    added = _added(arguments)
    if added is None:
        return result
    layers += [ask.evaluate(call.args[0], arguments.frame) for call in added]
    for layer in layers[:100]:
        result = ask.call_with(layer, Arguments(None, frame, (result,)), frame, node)
    return result


def _added(arguments: Arguments) -> list[ast.Call] | None:
    """The calls that add layers to a model where it is built, in order; None where a branch decides about the last,
    or layers are taken away."""
    function, built = arguments.frame.function, arguments.node
    name = next((b.name for bs in function.bindings.values() for b in bs if b.value is built and not b.path), None)
    calls = [c for c in function.calls if isinstance(c.func, ast.Attribute) and name == place(c.func.value)]
    added = [c for c in calls if last_name(c.func) == "add" and c.args and c.lineno > built.lineno] if name else []
    if any(last_name(c.func) == "pop" for c in calls if name):
        return None
    added.sort(key=lambda c: (c.lineno, c.col_offset))
    anew = [b for b in function.bindings.get(name or "", ()) if getattr(b.node, "lineno", 0) > built.lineno]
    if added and anew:  # another model of that name is built below
        end = min(b.node.lineno for b in anew)
        if not any(_are_in_one_block(function.node, built, b.value) for b in anew if b.node.lineno == end):
            return None
        added = [c for c in added if c.lineno < end]
    if added and not _are_in_one_block(function.node, built, added[-1]):
        return None
    return added


def _are_in_one_block(tree: Node, first: ast.Call, last: ast.Call) -> bool:
    """Are two calls in statements of the same block, so that no branch decides about the second alone?"""
    for node in (tree, *walk(tree)):
        for field in BODIES:
            block = getattr(node, field, None)
            if isinstance(block, list) and any(getattr(s, "value", None) is last for s in block):
                return any(getattr(s, "value", None) is first for s in block)
    return False


# -------------------------------------------------------------------------------------------------------------- losses
def expected_scores(loss: Value, call: ast.Call, frame: Frame) -> str | None:
    """What a loss that is called expects for its prediction: the word, or None if it is no such loss.

    Args:
        loss: what is called.
        call: the call.
        frame: where the call stands.
    """
    if isinstance(loss, InstanceValue):
        return loss_expects(loss)
    effect = _effect(loss)
    function = loss.function
    if effect is None or function is None:
        return None
    bound, complete = bind(function, call, frame)
    name = str(effect.options.get("by", "from_logits"))
    given = value_of_bound(bound[name]) if name in bound else None
    return _word(effect, given) if complete else None


def loss_expects(loss: Value) -> Trait | None:
    """What a loss that is handed to `compile` expects: by name, as an object, or as a function; None if not known."""
    if isinstance(loss, LiteralValue):
        return _NAMED.get(loss.value) if isinstance(loss.value, str) else None
    effect = _effect(loss)
    if effect is None:
        return None
    if isinstance(loss, FunctionValue):
        return _word(effect, None)
    known = loss.built_with is not None and not loss.built_with.open
    return _word(effect, constructor_argument(loss, str(effect.options.get("by", "from_logits")))) if known else None


def _effect(loss: Value) -> Effect | None:
    if isinstance(loss, InstanceValue):
        return stub_effect(loss.cls, "expects_logits")
    return (
        effects(loss.target).get("expects_logits")
        if isinstance(loss, FunctionValue) and isinstance(loss.target, FunctionScope)
        else None
    )


def _word(effect: Effect, given: Value | None) -> Trait | None:
    """The word for what is expected, where `given` is the argument that says so; without one it is probabilities."""
    logits = given.truth if given is not None else False
    if logits is None:
        return None
    if effect.options.get("binary") is True:
        return "BinaryLogits" if logits else "Sigmoided"
    return "Logits" if logits else "Probs"
