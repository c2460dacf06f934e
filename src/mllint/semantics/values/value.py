"""What every abstract value answers, whichever of the classes of `values` it is of.

Rules and domains ask here: `value.is_("Probs")` speaks for all alternatives, `may_be` and `has` for any. The classes
themselves, and what each is about, are in `values`; what differs between them is asked of the few properties that each
of them overrides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NoReturn, TypeVar

from mllint.semantics.syntax.records import Provenance
from mllint.semantics.syntax.sites import GraphBreak, Site
from mllint.semantics.values.bases import inherits

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import ClassScope, FunctionScope
    from mllint.semantics.syntax.nodes import Constant
    from mllint.semantics.values.arguments import Arguments
    from mllint.semantics.vocabulary import Trait

__all__ = ["EMPTY", "NOTHING", "Traits", "Value", "merge_into"]

Traits = Mapping["Trait", "Site | None"]
"""The traits of a value, each with the site that gave it."""
NOTHING: Traits = {}
EMPTY: frozenset[NoReturn] = frozenset()
_V = TypeVar("_V", bound="Value")


class Value:
    """What every abstract value has. See the essay of `values`; built by the evaluator, read by rules.

    Attributes:
        identity: which object it is; 0 if that is not known.
        traits, graph, breaks, provenance, opaque: the facets, as the essay of `values` says.
        site: what made it so.
    """

    __slots__ = ("breaks", "graph", "identity", "opaque", "provenance", "site", "traits")

    def __init__(
        self,
        *,
        identity: int = 0,
        traits: Traits = NOTHING,
        graph: frozenset[int] = EMPTY,
        breaks: tuple[GraphBreak, ...] = (),
        provenance: frozenset[Provenance] = EMPTY,
        opaque: bool = False,
        site: Site | None = None,
    ) -> None:
        self.identity, self.traits, self.graph, self.breaks = identity, traits, graph, breaks
        self.provenance, self.opaque, self.site = provenance, opaque, site

    # ------------------------------------------------------------------------------------------------- for rules
    @property
    def alternatives(self) -> tuple[Value, ...]:
        """The values that this can be; itself unless it is a union."""
        return (self,)

    @property
    def is_unknown(self) -> bool:
        """Is nothing known about at least one alternative?"""
        return any(v._is_vague for v in self.alternatives)

    def is_(self, trait: Trait) -> bool:
        """Does every alternative carry the trait?"""
        return all(trait in v.traits for v in self.alternatives)

    def may_be(self, trait: Trait) -> bool:
        """Can it carry the trait: does any alternative carry it, or is one unknown?"""
        return any(trait in v.traits or v._is_vague for v in self.alternatives)

    def has(self, trait: Trait) -> bool:
        """Does at least one alternative carry the trait for certain?"""
        return any(trait in v.traits for v in self.alternatives)

    def because(self, trait: Trait) -> Site | None:
        """The site that introduced the trait."""
        return next((v.traits[trait] for v in self.alternatives if v.traits.get(trait)), None)

    @property
    def is_detached(self) -> bool:
        """Is the gradient path cut on every alternative, with nothing attached or unknown contributing?"""
        return all(v.breaks and not v.graph and not v.opaque for v in self.alternatives)

    @property
    def is_attached(self) -> bool:
        """Does every alternative carry gradients of some module or parameter?"""
        return all(v.graph for v in self.alternatives)

    @property
    def all_graph(self) -> frozenset[int]:
        """Identities of everything whose gradients some alternative carries."""
        return frozenset().union(*(v.graph for v in self.alternatives))

    @property
    def all_breaks(self) -> tuple[GraphBreak, ...]:
        """The graph breaks of all alternatives."""
        return tuple(c for v in self.alternatives for c in v.breaks)

    @property
    def all_provenance(self) -> frozenset[Provenance]:
        """The provenance of all alternatives."""
        return frozenset().union(*(v.provenance for v in self.alternatives))

    def comes_from(self, *parts: str) -> bool:
        """Is there data behind every alternative, all of it of one of these parts?"""
        return all(v.provenance and all(r.part in parts for r in v.provenance) for v in self.alternatives)

    def instance_of(self, *names: str) -> bool:
        """Is every alternative an instance of a class that is, or inherits from, one of these dotted names?"""
        return all(inherits(v._instance_class, *names) for v in self.alternatives)

    def may_be_instance_of(self, *names: str) -> bool:
        """Is one alternative such an instance, or unknown?"""
        return any(v._is_vague or inherits(v._instance_class, *names) for v in self.alternatives)

    def is_class(self, *names: str) -> bool:
        """Is it a class (not an instance) with one of these dotted names among its ancestors?"""
        return all(inherits(v._own_class, *names) for v in self.alternatives)

    def is_function(self, *names: str) -> bool:
        """Is it one of these library functions, by dotted name (`torch.nn.functional.dropout`)?"""
        return all(v._function_name in names for v in self.alternatives)

    @property
    def classes(self) -> list[ClassScope]:
        """The classes of the alternatives that are instances."""
        return [v._instance_class for v in self.alternatives if v._instance_class is not None]

    @property
    def function(self) -> FunctionScope | None:
        """The function, if it is exactly one, and not one of Python's own, of which the name is known."""
        return None

    @property
    def literal(self) -> Constant:
        """The Python constant, if it is exactly one; else None."""
        return None

    @property
    def is_number(self) -> bool:
        """Is it a plain number of which nothing more is known?"""
        return False

    @property
    def class_name(self) -> str:
        """The name of the class that it is, or is an instance of; empty if it is neither."""
        return ""

    @property
    def as_base(self) -> ClassScope | str:
        """What a class that names it as a base derives from: a class, the dotted name of something external, "?" where
        that is not known, or nothing."""
        return "?"

    @property
    def built_with(self) -> Arguments | None:
        """What its constructor was given, if it is one object and that is known."""
        return None

    @property
    def contents(self) -> tuple[Value, ...]:
        """What it contains or is built of, in order, without keys, as far as that is known."""
        return ()

    @property
    def truth(self) -> bool | None:
        """Is it true or false for certain?"""
        truths = {v._truth for v in self.alternatives}
        return truths.pop() if len(truths) == 1 else None

    def same_as(self, other: Value) -> bool | None:
        """Is it the same object as the other: True, False, or None when that is unknown?"""
        if self.identity and self.identity == other.identity:
            return True
        mine, others = self.identities, other.identities
        if mine & others:
            return True if len(mine) == len(others) == 1 else None
        if mine and others and not self.is_unknown and not other.is_unknown:
            return False
        return None

    @property
    def identities(self) -> frozenset[int]:
        """The identities of the alternatives that have one."""
        return frozenset(v.identity for v in self.alternatives if v.identity)

    # ------------------------------------------------------------------------------------- what each class answers
    @property
    def _is_vague(self) -> bool:
        """Is nothing known about it?"""
        return False

    @property
    def _instance_class(self) -> ClassScope | None:
        """The class that it is an instance of."""
        return None

    @property
    def _own_class(self) -> ClassScope | None:
        """The class that it is."""
        return None

    @property
    def _function_name(self) -> str:
        """The dotted name of the function that it is; empty if it is none."""
        return ""

    @property
    def _truth(self) -> bool | None:
        """Is it true or false for certain, as one alternative?"""
        return None

    # ------------------------------------------------------------------------------------------- for the evaluator
    def with_(
        self,
        *,
        identity: int | None = None,
        traits: Traits | None = None,
        graph: frozenset[int] | None = None,
        breaks: tuple[GraphBreak, ...] | None = None,
        provenance: frozenset[Provenance] | None = None,
        opaque: bool | None = None,
        site: Site | None = None,
    ) -> Value:
        """A copy with some of what every value has changed, in every alternative."""
        made = self._copied()
        made.identity = self.identity if identity is None else identity
        made.traits = self.traits if traits is None else traits
        made.graph = self.graph if graph is None else graph
        made.breaks = self.breaks if breaks is None else breaks
        made.provenance = self.provenance if provenance is None else provenance
        made.opaque = self.opaque if opaque is None else opaque
        made.site = self.site if site is None else site
        return made

    def _take_facets(self, other: Value) -> None:
        """Take over all that every value has from another one."""
        self.identity, self.traits, self.graph, self.breaks = other.identity, other.traits, other.graph, other.breaks
        self.provenance, self.opaque, self.site = other.provenance, other.opaque, other.site

    def _copied(self) -> Value:
        """A value of the same class about the same thing, without facets."""
        raise NotImplementedError

    def _agrees(self: _V, other: _V) -> bool:
        """Is another value of the same class about the same thing?"""
        return True

    def mapped(self, change: Callable[[Value], Value]) -> Value:
        """`change` applied to every alternative."""
        return change(self)

    def __repr__(self) -> str:
        return f"<{self.__class__.__name__} {', '.join(sorted(self.traits))}>"


def merge_into(made: Value, values: Iterable[Value]) -> None:
    """Give a new value the graph, breaks and provenance of some others."""
    graph: frozenset[int] = EMPTY
    provenance: frozenset[Provenance] = EMPTY
    learned: frozenset[Provenance] = EMPTY  # of statistics, which leave rows what they were
    breaks: dict[GraphBreak, None] = {}
    for value in values:
        for v in value.alternatives:
            if "Statistic" in v.traits:
                learned |= v.provenance
            elif v.provenance is not provenance and v.provenance:
                provenance = provenance | v.provenance if provenance else v.provenance
            if "Given" in v.traits:
                continue
            made.opaque = made.opaque or v.opaque
            if v.graph is not graph and v.graph:
                graph = graph | v.graph if graph else v.graph
            breaks.update(dict.fromkeys(v.breaks))
    made.graph, made.breaks, made.provenance = graph, tuple(breaks)[:6], provenance or learned
