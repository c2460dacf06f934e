"""What an expression is: an immutable Value with its kind, its facets and the places that made it so.

A Value never claims more than every path agrees on: a union of alternatives `is_(Probs)` only if each of them is, and
Unknown is nothing for certain. Four facets ride along:

* **traits**: words of the vocabulary (`Probs`, `Raw`, `Loss`, `Scaled`, `Divided` ...), each with the Site that gave
  it;
* **graph**: the identities of the modules and parameters whose gradients this value carries, and **cuts**, the sites
  where a gradient path was cut; `opaque` says that something unknown contributed and might carry more;
* **roots**: the data this value was computed from, each with the part it is (whole, train, held out, test);
* **identity**: which object this is (an allocation site in its calling context), so that two expressions can be
  recognised as the same optimizer or the same dataset.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mllint.semantics.syntax.records import Root
from mllint.semantics.syntax.sites import Cut, Site
from mllint.semantics.values.bases import ancestors, mro

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Class, Function
    from mllint.semantics.values.frames import Frame
    from mllint.semantics.vocabulary import Trait

__all__ = ["UNKNOWN", "Cut", "Root", "Site", "Value", "literal", "union", "unknown"]


Traits = Mapping["Trait", "Site | None"]
"""The traits of a value, each with the site that gave it."""
_NOTHING: Traits = {}
_EMPTY: frozenset[Any] = frozenset()


class Value:
    """One abstract value. See the module's essay; built by the evaluator, read by rules.

    `kind` is "unknown", "literal", "instance", "class", "function", "module", "sequence" (known parts), "many" (any
    number of one part), "mapping", "tensor" or "union". `of` is what the kind is about: the Python literal, the Class,
    Function or Module, the qualified name of something external.
    """

    __slots__ = (
        "arguments", "cuts", "graph", "identity", "kind", "of", "opaque", "parts", "receiver", "roots", "site",
        "traits",
    )  # fmt: skip

    def __init__(
        self,
        kind: str,
        of: Any = None,
        *,
        identity: int = 0,
        traits: Traits = _NOTHING,
        graph: frozenset[int] = _EMPTY,
        cuts: tuple[Cut, ...] = (),
        roots: frozenset[Root] = _EMPTY,
        parts: Any = (),
        opaque: bool = False,
        receiver: Value | None = None,
        arguments: Any = None,
        site: Site | None = None,
    ) -> None:
        self.kind, self.of, self.identity = kind, of, identity
        self.traits, self.graph, self.cuts, self.roots = traits, graph, cuts, roots
        self.parts, self.opaque, self.receiver, self.arguments = parts, opaque, receiver, arguments
        self.site = site

    # ------------------------------------------------------------------------------------------------- for rules
    @property
    def alternatives(self) -> tuple[Value, ...]:
        """The values that this can be; itself unless it is a union."""
        return self.parts if self.kind == "union" else (self,)

    @property
    def is_unknown(self) -> bool:
        """Is nothing known about at least one alternative?"""
        return any(v.kind == "unknown" for v in self.alternatives)

    def is_(self, trait: Trait) -> bool:
        """Does every alternative carry the trait?"""
        return all(trait in v.traits for v in self.alternatives)

    def may_be(self, trait: Trait) -> bool:
        """Can it carry the trait: does any alternative carry it, or is one unknown?"""
        return any(trait in v.traits or v.kind == "unknown" for v in self.alternatives)

    def has(self, trait: Trait) -> bool:
        """Does at least one alternative carry the trait for certain?"""
        return any(trait in v.traits for v in self.alternatives)

    def because(self, trait: Trait) -> Site | None:
        """The site that introduced the trait."""
        return next((v.traits[trait] for v in self.alternatives if v.traits.get(trait)), None)

    @property
    def is_detached(self) -> bool:
        """Is the gradient path cut on every alternative, with nothing attached or unknown contributing?"""
        return all(v.cuts and not v.graph and not v.opaque for v in self.alternatives)

    @property
    def is_attached(self) -> bool:
        """Does every alternative carry gradients of some module or parameter?"""
        return all(v.graph for v in self.alternatives)

    @property
    def all_graph(self) -> frozenset[int]:
        """Identities of everything whose gradients some alternative carries."""
        return frozenset().union(*(v.graph for v in self.alternatives))

    @property
    def all_cuts(self) -> tuple[Cut, ...]:
        """The cuts of all alternatives."""
        return tuple(c for v in self.alternatives for c in v.cuts)

    @property
    def all_roots(self) -> frozenset[Root]:
        """The data roots of all alternatives."""
        return frozenset().union(*(v.roots for v in self.alternatives))

    def comes_from(self, *parts: str) -> bool:
        """Is there data behind every alternative, all of it of one of these parts?"""
        return all(v.roots and all(r.part in parts for r in v.roots) for v in self.alternatives)

    def root(self, *parts: str) -> Root | None:
        """A data root of one of these parts."""
        return next((r for r in sorted(self.all_roots, key=lambda r: r.identity) if r.part in parts), None)

    def instance_of(self, *names: str) -> bool:
        """Is every alternative an instance of a class that is, or inherits from, one of these dotted names?"""
        return all(v.kind == "instance" and inherits(v.of, *names) for v in self.alternatives)

    def may_be_instance_of(self, *names: str) -> bool:
        """Is one alternative such an instance, or unknown?"""
        return any(v.kind == "unknown" or (v.kind == "instance" and inherits(v.of, *names)) for v in self.alternatives)

    def is_class(self, *names: str) -> bool:
        """Is it a class (not an instance) with one of these dotted names among its ancestors?"""
        return all(v.kind == "class" and inherits(v.of, *names) for v in self.alternatives)

    def is_function(self, *names: str) -> bool:
        """Is it one of these library functions, by dotted name (`torch.nn.functional.dropout`)?"""
        return all(v.kind == "function" and fullname(v.of) in names for v in self.alternatives)

    @property
    def classes(self) -> list[Class]:
        """The classes of the alternatives that are instances."""
        return [v.of for v in self.alternatives if v.kind == "instance"]

    @property
    def function(self) -> Function | None:
        """The function, if it is exactly one, and not one of Python's own, of which the name is known."""
        return self.of if self.kind == "function" and not isinstance(self.of, str) else None

    @property
    def literal(self) -> Any:
        """The Python constant, if it is exactly one; else None."""
        return self.of if self.kind == "literal" else None

    @property
    def truth(self) -> bool | None:
        """Is it true or false for certain?"""
        truths = {_truth(v) for v in self.alternatives}
        return truths.pop() if len(truths) == 1 else None

    def same_as(self, other: Value) -> bool | None:
        """Is it the same object as the other: True, False, or None when that cannot be told?"""
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

    # ------------------------------------------------------------------------------------------- for the evaluator
    def with_(self, **changes: Any) -> Value:
        """A copy with some slots changed; unions change in every alternative."""
        if self.kind == "union":
            return union([v.with_(**changes) for v in self.parts])
        made = Value(
            self.kind, self.of, identity=self.identity, traits=self.traits, graph=self.graph, cuts=self.cuts,
            roots=self.roots, parts=self.parts, opaque=self.opaque, receiver=self.receiver, arguments=self.arguments,
            site=self.site,
        )  # fmt: skip
        for name, value in changes.items():
            setattr(made, name, value)
        return made

    def mapped(self, change: Any) -> Value:
        """`change` applied to every alternative."""
        return union([change(v) for v in self.alternatives])

    def __repr__(self) -> str:
        return f"<Value {describe(self)}>"


UNKNOWN = Value("unknown", opaque=True)
NUMBER = Value("unknown", "number", opaque=False)
TEXT = Value("unknown", "str", opaque=False)


def unknown(
    identity: int = 0,
    of: Any = None,
    *,
    traits: Traits = _NOTHING,
    graph: frozenset[int] = _EMPTY,
    roots: frozenset[Root] = _EMPTY,
    opaque: bool = True,
    receiver: Value | None = None,
) -> Value:
    """A value of which nothing is known but its identity, or its external name, and perhaps some facets."""
    return Value(
        "unknown", of, identity=identity, traits=traits, graph=graph, roots=roots, opaque=opaque, receiver=receiver
    )


def literal(value: Any) -> Value:
    """A Python constant."""
    return Value("literal", value)


def union(values: Iterable[Value]) -> Value:
    """The union of alternatives: flattened, without repeats, at most six: more are Unknown, or the class that more
    classes have in common (an optimizer chosen from a table is an Optimizer)."""
    flat: list[Value] = []
    for value in values:
        for alternative in value.alternatives:
            for known in flat:
                if alternative is known or _same(alternative, known):
                    break
            else:
                flat.append(alternative)
    if not flat:
        return UNKNOWN
    if len(flat) == 1:
        return flat[0]
    if len(flat) > 6:
        flat = _gathered(flat)
    if len(flat) > 6:
        return _common(flat) or merge_facets(flat)
    if len(flat) == 1:
        return flat[0]
    return Value("union", parts=tuple(flat))


def callables(value: Value) -> Value:
    """The alternatives of what is called without the literals: who calls has no `None` there."""
    if value.kind != "union":
        return value
    kept = [v for v in value.parts if v.kind != "literal"]
    return union(kept) if 0 < len(kept) < len(value.parts) else value


def _gathered(values: list[Value]) -> list[Value]:
    """Tensors of which the same is known as one alternative that carries what each of them may carry."""
    groups: dict[Any, list[Value]] = {}
    for v in values:
        if v.kind != "tensor" or v.parts:
            return values
        known = frozenset(v.traits), bool(v.graph), bool(v.cuts), bool(v.roots), v.opaque
        groups.setdefault(known, []).append(v)
    found = []
    for alike in groups.values():
        first = alike[0]
        merged = merge_facets(alike, "tensor") if len(alike) > 1 else first
        given = "Given" in first.traits or len(alike) == 1
        found.append(first if given else merged.with_(traits=first.traits, site=first.site))
    return found


def _common(values: list[Value]) -> Value | None:
    """The nearest class that is an ancestor of many classes; None if there is none, or one is no class."""
    if any(v.kind != "class" for v in values):
        return None

    lines = [mro(v.of) for v in values]
    return next(
        (Value("class", c) for c in lines[0] if all(c in line for line in lines) and not isinstance(c, str)), None
    )


def merge_facets(values: Iterable[Value], kind: str = "unknown") -> Value:
    """One value that carries the graph, cuts and roots of all of them, and no traits. What is given from outside has
    no gradients."""
    graph: frozenset[int] = _EMPTY
    roots: frozenset[Root] = _EMPTY
    cuts: dict[Cut, None] = {}
    opaque = False
    for value in values:
        for v in value.alternatives:
            if v.roots is not roots and v.roots:
                roots = roots | v.roots if roots else v.roots
            if "Given" in v.traits:
                continue
            opaque = opaque or v.opaque
            if v.graph is not graph and v.graph:
                graph = graph | v.graph if graph else v.graph
            for cut in v.cuts:
                cuts[cut] = None
    return Value(kind, graph=graph, cuts=tuple(cuts)[:6], roots=roots, opaque=opaque)


def _same(a: Value, b: Value) -> bool:
    if a.kind != b.kind or a.identity != b.identity or a.parts != b.parts or a.receiver is not b.receiver:
        return False
    if a.of is not b.of and not (a.kind == "literal" and type(a.of) is type(b.of) and a.of == b.of):
        return False
    same_facets = a.traits.keys() == b.traits.keys() and a.graph == b.graph and a.roots == b.roots
    return same_facets and a.opaque == b.opaque and bool(a.cuts) == bool(b.cuts) and a.arguments is b.arguments


def _truth(value: Value) -> bool | None:
    match value.kind:
        case "literal":
            return bool(value.of)
        case "instance" | "class" | "function" | "module":
            return True
        case "sequence" | "mapping":
            return bool(value.parts)
    return None


def cut(value: Value, how: str, frame: Frame, node: Any, *, keep: bool = False) -> Value:
    """The value behind a cut: no graph any more, the cut remembered; `keep` keeps the traits (`detach`).

    Only what carries gradients, or may, can be cut: data stays data, and earlier cuts of it do not matter to a graph
    that parameters joined later.
    """
    site = Site(frame.module, node)

    def one(v: Value) -> Value:
        kind = v.kind if v.kind in ("sequence", "many", "mapping") else "tensor"
        severs = v.graph or v.opaque or kind != "tensor"
        cuts = (*(() if v.graph else v.cuts[:5]), Cut(site, how)) if severs else v.cuts
        kept: Traits = v.traits if keep else {k: s for k, s in v.traits.items() if k == "Labels"}  # labels stay labels
        return Value(kind, roots=v.roots, cuts=cuts, traits=kept, parts=v.parts, site=site)

    return value.mapped(one)


def inherits(cls: Class | str | None, *names: str) -> bool:
    """Is the class, or one of its ancestors, one of these dotted names?"""
    if cls is None or isinstance(cls, str):
        return cls in names

    return any(name in names for name in ancestors(cls))


def fullname(symbol: Any) -> str:
    """Dotted name of a class, function or module; a string stands for itself."""
    if isinstance(symbol, str) or symbol is None:
        return symbol or ""
    if not hasattr(symbol, "qualname"):
        return str(symbol.name)
    return f"{symbol.module.name}.{symbol.qualname}" if symbol.qualname else str(symbol.module.name)


def describe(value: Value) -> str:
    """The value in a few words, for specifications of the core."""
    if value.kind == "union":
        return " | ".join(sorted({describe(v) for v in value.parts}))
    match value.kind:
        case "literal":
            head = f"Literal[{value.of!r}]"
        case "instance":
            head = value.of.name if value.of is not None else "object"
        case "class":
            head = f"type[{value.of.name}]"
        case "function":
            head = f"function {fullname(value.of)}"
        case "module":
            head = f"module {fullname(value.of)}"
        case "sequence":
            head = f"({', '.join(describe(v) for v in value.parts)})"
        case "many":
            head = f"[{describe(value.parts[0])}, ...]" if value.parts else "[...]"
        case "mapping":
            head = "{" + ", ".join(f"{k!r}: {describe(v)}" for k, v in value.parts.items()) + "}"
        case "tensor":
            head = "Tensor"
        case _:
            head = "Unknown"
    facets: list[str] = sorted(value.traits)
    if value.graph:
        facets.append("Attached")
    elif value.is_detached:
        facets.append("Detached")
    facets += sorted({r.part for r in value.roots})
    return ", ".join([head, *facets])
