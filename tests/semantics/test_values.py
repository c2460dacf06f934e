"""The family of values: what `union` and `with_` do to each of its classes."""

from __future__ import annotations

import pytest

from mllint.semantics.values import values
from mllint.semantics.values.arguments import Arguments
from mllint.semantics.values.describe import describe
from mllint.semantics.values.memory import memory_project
from mllint.semantics.values.values import (
    UNKNOWN,
    BottomValue,
    BuiltinValue,
    ClassValue,
    FunctionValue,
    InstanceValue,
    ManyValue,
    MappingValue,
    ModuleValue,
    SequenceValue,
    TensorValue,
    UnionValue,
    UnknownValue,
    Value,
    literal,
    union,
)

pytestmark = pytest.mark.quick


def one_of_each() -> list[Value]:
    project, modules = memory_project({"a.py": "class Net:\n    def run(self):\n        pass\n"})
    module = modules["a.py"]
    net, run = module.classes[0], module.classes[0].methods["run"]
    function = FunctionValue(run, receiver=InstanceValue(net, identity=7))
    partial = values.PartialValue(function, Arguments(None, project.frame(run)))
    return [
        UnknownValue("somebody.else", identity=1), literal(0.5), InstanceValue(net, identity=2), ClassValue(net),
        function, BuiltinValue("len"), partial, ModuleValue(module), TensorValue(identity=3),
        SequenceValue((literal(1), literal("two"))), ManyValue(TensorValue()), MappingValue({"loss": TensorValue()}),
        BottomValue(),
    ]  # fmt: skip


def test_each_class_of_the_family_is_here() -> None:
    family = {cls for cls in Value.__subclasses__() if cls.__module__ == values.__name__}
    assert {value.__class__ for value in one_of_each()} | {UnionValue} == family


@pytest.mark.parametrize("index", range(len(one_of_each())))
def test_a_copy_with_another_facet_is_about_the_same(index: int) -> None:
    value = one_of_each()[index]
    copy = value.with_(opaque=True)
    assert copy is not value
    assert copy.opaque and not value.opaque
    assert describe(copy) == describe(value)
    assert union([value, copy.with_(opaque=False)]) is value, "the same twice is one alternative"


def test_a_union_speaks_for_all_of_its_alternatives() -> None:
    loss = TensorValue(traits={"Loss": None})
    both = union([loss, TensorValue(identity=4)])
    assert isinstance(both, UnionValue)
    assert both.has("Loss") and not both.is_("Loss")
    assert both.with_(traits={"Loss": None}).is_("Loss")
    assert union([loss, UNKNOWN]).may_be("Probs") and not loss.may_be("Probs")


@pytest.mark.parametrize(
    ("value", "truth"),
    [
        (literal(0), False),
        (SequenceValue(), False),
        (MappingValue({}), False),
        (SequenceValue((UNKNOWN,)), True),
        (TensorValue(), None),
        (union([literal(1), literal(2)]), True),
        (union([literal(0), literal(2)]), None),
    ],
    ids=repr,
)
def test_what_is_true_for_certain(value: Value, truth: bool | None) -> None:
    assert value.truth is truth


def test_a_dictionary_and_a_list_are_different_things() -> None:
    assert describe(union([MappingValue({}), SequenceValue()])) == "() | {}"
