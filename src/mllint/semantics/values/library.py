"""What a call of a library function gives, by the words of its stub.

The return annotation says what the result is, the parameters' annotations say where it comes from: `T` passes the
argument on, `Detached`/`NonDifferentiable` end its graph, a trait word makes a tensor of it, `Train`/`HeldOut` name
parts of data, a class name makes an instance. Overloads are tried in order; the first whose trait words the arguments
carry for certain is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from mllint.semantics.libraries.classes import MODULE
from mllint.semantics.libraries.stubs import Effect, Hint, effects, hint, names_in_annotation
from mllint.semantics.syntax.caches import cached_per_scope
from mllint.semantics.syntax.module import FunctionScope
from mllint.semantics.syntax.nodes import Node
from mllint.semantics.syntax.records import DataPart
from mllint.semantics.values.ask import ask
from mllint.semantics.values.classes import constructor_argument, method
from mllint.semantics.values.copies import copied_value, part_of_copy
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.graph_breaks import break_graph
from mllint.semantics.values.values import (
    UNKNOWN,
    BottomValue,
    ClassValue,
    InstanceValue,
    LiteralValue,
    ManyValue,
    MappingValue,
    Provenance,
    SequenceValue,
    Site,
    TensorValue,
    UnknownValue,
    Value,
    merge_tensors,
    union,
    unknown,
)

if TYPE_CHECKING:
    from mllint.semantics.vocabulary import Trait

__all__ = [
    "apply", "by_arity", "effect_of", "flattened_alternatives", "overloads", "parameter_owners",
    "stands_for",
]  # fmt: skip

_SELECTING: tuple[Trait, ...] = ("Raw", "Probs", "LogProbs", "Sigmoided", "Loss", "Scaled")
"""The words of an overload that its arguments must carry; a `float` must be a number, too."""
_COMPUTED: tuple[Trait, ...] = (
    "Prediction", "Raw", "Probs", "LogProbs", "Sigmoided", "Loss", "Logits", "BinaryLogits", "Tensor", "ClassIndex",
    "Target", "Rectified", "Bounded", "Statistic",
)  # fmt: skip
_TENSORS: dict[str, Trait] = {trait: trait for trait in _COMPUTED}
"""The traits of a tensor that is computed from the arguments, by the words of stubs."""
_PARTS: dict[str, DataPart] = {"Train": "train", "HeldOut": "heldout", "Test": "test"}
_WORDS = frozenset("Target ClassIndex Model Labels Folds Seed Flag Horizon Closure Random Any".split())
_PLAIN = frozenset({"int", "float", "bool", "str", "None", "bytes", "slice", "size", "dtype"})
_NEUTRAL = frozenset("dim dims keepdim shape size device dtype reduction ignore_index eps num_classes".split())
_DISTRIBUTION = "torch.distributions.Distribution"
_OF_TERMS: tuple[Trait, ...] = ("PartlyCut", "PartlyUnrecorded", "PartlyHard", "Divided", "SumLoss")
"""What a loss keeps of the terms that it is a sum of."""
_MARKS: dict[str, Trait] = {"Scaled": "Scaled", "Decided": "Decided", "Packed": "Packed"}
"""The words that give a value a trait besides its own."""


@cached_per_scope()
def overloads(function: FunctionScope) -> list[FunctionScope]:
    """The overloads of a stub function in order; the function itself when it has none."""
    bindings = function.parent.bindings.get(function.name, ()) if function.parent is not None else ()
    found = [b.extra for b in bindings if b.kind == "def"]
    return found if len(found) > 1 else [function]


def apply(
    function: FunctionScope, bound: Mapping[str, Value], frame: Frame, node: Node, receiver: Value | None = None
) -> Value:
    """The result of a call of a stub function.

    Args:
        function: the stub function (any of its overloads).
        bound: the values of the parameters that the call gives.
        frame: the caller's frame.
        node: the call, for sites.
        receiver: the value of `self` for methods.
    """
    for candidate in overloads(function):
        arguments = dict(bound)
        if receiver is not None and candidate.parameters:
            arguments[candidate.parameters[0].name] = receiver
        if _fits(candidate, arguments):
            return _Result(candidate, arguments, frame, node, receiver).value(hint(candidate.node.returns))
    return merge_tensors([*bound.values(), *([receiver] if receiver is not None else [])])


def _fits(function: FunctionScope, arguments: Mapping[str, Value]) -> bool:
    if not function.decorated("overload"):
        return True
    if not arguments.keys() <= {p.name for p in function.parameters}:
        return False
    for parameter in function.parameters:
        if not _selects(names_in_annotation(parameter.annotation), arguments.get(parameter.name)):
            return False
        if parameter.name == "dim" and parameter.default is None and not _is_axis(arguments.get(parameter.name)):
            return False
    return True


def _is_axis(value: Value | None) -> bool:
    """Is it certainly a dimension, as in `max(x, 1)`, and not the other tensor of `max(x, y)`?"""
    return value is not None and isinstance(value.literal, int)


def by_arity(function: FunctionScope, count: int, names: Iterable[str]) -> FunctionScope:
    """The overload that takes so many positional arguments and these keywords; the function itself if none does.

    Args:
        function: the function.
        count: how many positional arguments there are.
        names: the keywords.
    """
    for candidate in overloads(function):
        positional = [p for p in candidate.parameters if p.kind == "positional"]
        known = {p.name for p in candidate.parameters}
        spread = any(p.kind == "args" for p in candidate.parameters)
        required = [p for p in positional[count:] if p.default is None and p.name not in set(names)]
        if (count <= len(positional) or spread) and known.issuperset(names) and not required:
            return candidate
    return function


def _fitted(values: Iterable[Value]) -> dict[Trait, Site | None]:
    """That something was learned from rows, if that is so of one of some values."""
    return {trait: site for v in values for trait, site in v.traits.items() if trait == "Fitted"}


def _selects(words: frozenset[str], value: Value | None) -> bool:
    """Does an argument carry one of the words that select an overload, if its parameter has any?"""
    traits = [trait for trait in _SELECTING if trait in words]
    if not traits and "float" not in words:
        return True
    if value is None:
        return False
    if "float" in words and all(isinstance(v, LiteralValue) or v.is_number for v in value.alternatives):
        return True
    return any(value.is_(trait) for trait in traits)


class _Result:
    """One call: the arguments at hand, and how each word of the return annotation becomes a Value."""

    def __init__(
        self, function: FunctionScope, arguments: dict[str, Value], frame: Frame, node: Node, receiver: Value | None
    ) -> None:
        self.function, self.arguments, self.frame, self.node, self.receiver = function, arguments, frame, node, receiver
        self.site = Site(frame.module, node)

    def value(self, word: Hint) -> Value:
        """The Value of one annotation."""
        name = word.name
        if name in ("T", "U"):
            return self.passed(name)
        if name in ("Detached", "NonDifferentiable"):
            inner = self.value(word.arguments[0]) if word.arguments else self.merged()
            how = self.function.name.strip("_")
            if self.receiver is not None and isinstance(
                self.receiver, InstanceValue
            ):  # `model.generate(ids)`: of its weights
                inner = inner.mapped(lambda v: v.with_(opaque=True) if isinstance(v, TensorValue) else v)
            return break_graph(inner, how, self.frame, self.node, keep=name == "Detached")
        if name in _MARKS:
            return self.marked(word, _MARKS[name])
        if name == "Copied":
            return copied_value(
                self.value(word.arguments[0]) if word.arguments else self.merged(), self.frame, self.node
            )
        if name == "Self":
            return self.itself()
        if name == "Filled":
            return TensorValue(site=self.site)
        if name in _PARTS:
            return self.part(_PARTS[name])
        if name == "Parameters":
            return self.parameters()
        if name in _TENSORS:
            return self.tensor(_TENSORS[name])
        return self.composed(word)

    def marked(self, word: Hint, trait: Trait) -> Value:
        """A value that has a trait besides its own."""
        inner = self.value(word.arguments[0]) if word.arguments else self.merged()
        return inner.mapped(lambda v: v.with_(traits={**v.traits, trait: self.site}, identity=0))

    def itself(self) -> Value:
        """The object that a method is called on; what a class method of a class makes."""
        if not isinstance(self.receiver, ClassValue):
            return self.receiver or UNKNOWN
        identity = self.frame.project.intern(("new", self.frame.key, id(self.node)))
        return InstanceValue(self.receiver.cls, identity=identity, site=self.site)

    def composed(self, word: Hint) -> Value:
        """Containers, plain types, data, instances."""
        match word.name:
            case "tuple" if (word.arguments and word.arguments[-1].name == "Ellipsis") or not word.arguments:
                return self.parts_of_split() if "splits" in effects(self.function) else ManyValue(self.merged())
            case "tuple":
                return SequenceValue(tuple(self.value(w) for w in word.arguments))
            case "list" | "Iterator" | "Iterable" | "Sequence" | "dict" | "Mapping":
                return ManyValue(self.value(word.arguments[-1]) if word.arguments else self.merged())
            case "Pairs":
                return self.pairs([_PARTS.get(w.name, "some") for w in word.arguments])
            case "Rows" if word.arguments and word.arguments[0].name not in ("T", "U"):
                return self.instance(word.arguments[0].name).with_(provenance=self.rows("Rows").provenance)
            case "Rows" | "Labels" | "Array":
                return self.rows(word.name)
            case "|":
                return union([self.value(w) for w in word.arguments])
            case "Closure" | "Random" | "Any" | "":
                return self.merged()
        if word.name in _PLAIN:
            return UnknownValue("number" if word.name in ("int", "float") else word.name)
        return self.instance(word.name)

    # ----------------------------------------------------------------------------------------------------- results
    def contributing(self) -> list[Value]:
        """The arguments that a gradient or data can come through: not an opaque target."""
        found: list[Value] = []
        for parameter in self.function.parameters:
            value = self.arguments.get(parameter.name)
            if value is None or parameter.name in _NEUTRAL:
                continue
            words = names_in_annotation(parameter.annotation)
            if (words & {"Target", "ClassIndex"} and "Probs" not in words - {"ClassIndex", "Target", "|"}) or words & {
                "Target",
                "ClassIndex",
            }:
                value = value.mapped(lambda v: v.with_(opaque=False))
            found += [w for v in flattened_alternatives(value) for w in _built_of(v)]
        return found

    def merged(self) -> Value:
        """Everything the arguments carry, with no trait."""
        value = merge_tensors(self.contributing())
        return value.with_(site=self.site)

    def tensor(self, name: Trait) -> Value:
        """A tensor computed from the arguments, with a trait."""
        value = self.merged()
        traits: dict[Trait, Site | None] = {} if name == "Tensor" else {name: self.site}
        if name == "Loss":
            for v in self.contributing():
                for word in _OF_TERMS:
                    if word in v.traits and (word != "Divided" or "Loss" in v.traits):  # scores may be, by a scale
                        traits[word] = v.traits[word]
            if self.adds_up():
                traits["SumLoss"] = self.site
        return value.with_(traits=traits)

    def adds_up(self) -> bool:
        """Is a loss perhaps a sum over the batch, by what it, or the module that computes it, was told?"""
        for name, mean in (("reduction", ("mean", "none", "batchmean")), ("size_average", (True, None))):
            given = self.arguments.get(name)
            if given is None and isinstance(self.receiver, InstanceValue):
                given = constructor_argument(self.receiver, name)
            if given is not None and any(
                not isinstance(v, LiteralValue) or v.value not in mean for v in given.alternatives
            ):
                return True
        return False

    def passed(self, name: str) -> Value:
        """The arguments annotated `T` (or `U`), passed on."""
        values = [
            self.arguments[p.name]
            for p in self.function.parameters
            if p.name in self.arguments and name in names_in_annotation(p.annotation)
        ]
        if not values:
            return self.merged()
        if len(values) > 1:
            return union(values)
        value = values[0]
        if isinstance(value, (SequenceValue, ManyValue)):
            inner = flattened_alternatives(value)
            shared = set.intersection(*(set(v.traits) for v in inner)) if inner else set()
            merged = merge_tensors(inner)
            return merged.with_(traits={k: inner[0].traits[k] for k in shared})
        return value

    def rows(self, name: str) -> Value:
        """Data computed from data: the same rows in another shape; or new data, where no data comes in."""
        value = self.merged()
        if value.provenance:
            return value.with_(opaque=False, traits=self.fitted())
        identity = self.frame.project.intern(("new", self.frame.key, id(self.node)))
        return TensorValue(identity=identity, provenance=frozenset({Provenance(identity, "whole", self.site)}))

    def fitted(self) -> dict[Trait, Site | None]:
        """Data that an estimator has transformed after learning from it remembers so."""
        declared = effects(self.function)
        traits = _fitted(self.contributing())
        if "fits" in declared and "transforms" in declared:
            traits["Fitted"] = self.site
        return traits

    def part(self, part: DataPart) -> Value:
        value = self.merged()
        provenance = frozenset(Provenance(r.identity, part, self.site) for r in value.provenance)
        if not provenance:
            provenance = frozenset(
                {Provenance(self.frame.project.intern(("new", self.frame.key, id(self.node))), part, self.site)}
            )
        identity = self.frame.project.intern(("split", self.frame.key, id(self.node), part))
        return TensorValue(identity=identity, provenance=provenance)

    def pairs(self, parts: list[DataPart]) -> Value:
        """For each positional array its train and its held-out part, alternating."""
        star = next((p.name for p in self.function.parameters if p.kind == "args"), "")
        arrays = self.arguments.get(star)
        values: list[Value] = []
        for index, array in enumerate(arrays.parts if isinstance(arrays, SequenceValue) else ()):
            values += [self.piece(array, part, index) for part in parts]
        return SequenceValue(tuple(values)) if values else ManyValue(UNKNOWN)

    def parts_of_split(self) -> Value:
        """`random_split`: the first of two or three parts is trained on; of more, nothing is said."""
        rows = next((p.name for p in self.function.parameters if "Rows" in names_in_annotation(p.annotation)), "")
        lengths = self.arguments.get("lengths")
        count = len(lengths.parts) if isinstance(lengths, SequenceValue) else 0
        whole = self.arguments.get(rows, UNKNOWN)
        if count not in (2, 3):
            return (
                ManyValue(self.piece(whole, "some", 0))
                if count
                else SequenceValue(tuple(self.piece(whole, "some", i) for i in range(3)))
            )
        return SequenceValue(tuple(self.piece(whole, "heldout" if i else "train", i) for i in range(count)))

    def piece(self, whole: Value, part: DataPart, index: int) -> Value:
        project = self.frame.project
        key = project.intern(("split", self.frame.key, id(self.node), part, index))
        provenance = frozenset(Provenance(r.identity, part, self.site) for r in whole.all_provenance) or frozenset(
            {Provenance(key, part, self.site)}
        )
        traits = _fitted(whole.alternatives)
        if not isinstance(whole, InstanceValue):
            return TensorValue(
                identity=key, provenance=provenance, traits={**traits, "Split": self.site}, site=self.site
            )
        return whole.with_(identity=key, provenance=provenance, traits={**traits, "Split": self.site}, site=self.site)

    def parameters(self) -> Value:
        """The parameters of the receiver, or of what was handed in."""
        owner = self.receiver if self.receiver is not None else self.merged()
        graphs = frozenset(i for v in owner.alternatives for i in parameter_owners(v, self.frame))
        opaque = any(isinstance(v, UnknownValue) and not v.identity for v in owner.alternatives)
        return TensorValue(graph=graphs | owner.all_graph, opaque=opaque, traits={"Parameters": self.site})

    def instance(self, name: str) -> Value:
        """An instance of a class that the stub names, or what the arguments carry."""
        if name in _WORDS:
            return self.merged()
        home = self.frame.project.frame(self.function.module.body)
        found = home.lookup(name)
        identity = self.frame.project.intern(("new", self.frame.key, id(self.node)))
        if not isinstance(found, ClassValue):
            return unknown(identity, graph=self.merged().graph, provenance=_some(self.merged().provenance))
        return InstanceValue(found.cls, identity=identity, site=self.site, provenance=self.merged().provenance)


def _built_of(value: Value) -> list[Value]:
    """A value; instead of a distribution, the tensors that it was built of: gradients pass through it to them."""
    if not isinstance(value, InstanceValue) or value.arguments is None or not value.instance_of(_DISTRIBUTION):
        return [value]
    return [w for v in value.arguments.values() for w in flattened_alternatives(v)]


def parameter_owners(value: Value, frame: Frame, depth: int = 0) -> set[int]:
    """The identities whose parameters a module holds: its own, and those of modules handed to its constructor.

    Args:
        value: the module.
        frame: where it is asked.
        depth: how many modules are around it.
    """
    found = {value.identity} if value.identity else set()
    if depth < 2 and isinstance(value, InstanceValue):
        if isinstance(value.parts, tuple):
            for part in value.parts:
                for v in flattened_alternatives(part):
                    found |= parameter_owners(v, frame, depth + 1)
        if value.arguments is not None and not value.cls.module.is_stub:
            for argument in value.arguments.values():
                for given in flattened_alternatives(argument):
                    v = part_of_copy(value, given, frame) if "Copied" in value.traits else given
                    if isinstance(v, InstanceValue) and v.instance_of(MODULE):
                        found |= parameter_owners(v, frame, depth + 1)
    return found


def flattened_alternatives(value: Value) -> list[Value]:
    """The alternatives of a value with containers opened."""
    found: list[Value] = []
    for v in value.alternatives:
        if isinstance(v, (SequenceValue, ManyValue)):
            found += [w for part in v.contents for w in flattened_alternatives(part)] if v.contents else [UNKNOWN]
        elif isinstance(v, MappingValue):
            found += [w for part in v.entries.values() for w in flattened_alternatives(part)]
        elif not isinstance(v, BottomValue):
            found.append(v)
    return found[:40]


def _some(provenance: frozenset[Provenance]) -> frozenset[Provenance]:
    return frozenset(Provenance(r.identity, "some" if r.part == "whole" else r.part, r.site) for r in provenance)


def effect_of(function: FunctionScope, name: str) -> Effect | None:
    """The effect of that name that a stub function, or one of its overloads, declares."""
    for candidate in overloads(function):
        found = effects(candidate).get(name)
        if found is not None:
            return found
    return None


def stands_for(function: FunctionScope, bound: dict[str, Value], receiver: Value | None, frame: Frame) -> Value | None:
    """What a library function gives back of its arguments (`compile`, `prepare`), or of a method of the user's.

    Args:
        function: the function.
        bound: the values of its parameters.
        receiver: what it is called on, as a method.
        frame: where the call stands.
    """
    effect = effect_of(function, "wraps")
    if effect is None:
        return _answered(function, receiver, frame)
    if " " in effect.of:
        return _wrapped_in_order(effect.of.split(), function, bound)
    if effect.of not in bound:
        return None
    value = bound[effect.of]
    if isinstance(value, SequenceValue) and function.parameter(effect.of).kind == "args" and len(value.parts) == 1:  # type: ignore[union-attr]  # bound: it is there
        return value.parts[0]
    return value


def _answered(function: FunctionScope, receiver: Value | None, frame: Frame) -> Value | None:
    """The optimizers that `self.optimizers()` gives: those that the class's own `configure_optimizers` returns."""
    if not isinstance(receiver, InstanceValue):
        return None
    effect = effect_of(function, "answers")
    own = method(receiver.cls, str(effect.values[0])) if effect is not None else None
    if own is None or own.stubbed:
        return None

    given = ask.invoke(own, receiver, None, frame.project.frame(own.module.body))
    if isinstance(given, SequenceValue) and given.parts and isinstance(given.parts[0], SequenceValue):
        given = given.parts[0]  # ([optimizers], [schedules])
    parts = given.parts if isinstance(given, SequenceValue) else (given,)
    found = tuple(p.entries.get("optimizer", UNKNOWN) if isinstance(p, MappingValue) else p for p in parts)
    return found[0] if len(found) == 1 else SequenceValue(found)


def _wrapped_in_order(names: list[str], function: FunctionScope, bound: dict[str, Value]) -> Value | None:
    """Several arguments given back in order, as by `setup(model, *optimizers)`; a single one by itself."""
    if names[0] not in bound:
        return None
    parts = [bound[names[0]]]
    for name in names[1:]:
        value, parameter = bound.get(name), function.parameter(name)
        if value is None:
            continue
        if parameter is None or parameter.kind != "args":
            parts.append(value)
        elif isinstance(value, SequenceValue):
            parts += value.parts
        else:
            return None
    return SequenceValue(tuple(parts)) if len(parts) > 1 else parts[0]
