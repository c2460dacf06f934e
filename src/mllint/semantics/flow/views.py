"""The subjects of rules: thin, memoising views of calls, classes, handlers and loops in their root frames.

A rule's first parameter says which of these it is asked about. Everything they offer is a question to the core; none of
them holds state of its own beyond what it has already been told.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mllint.semantics.flow.flow import Event
from mllint.semantics.libraries.classes import METRIC_COLLECTION
from mllint.semantics.libraries.stubs import expectations, function_words
from mllint.semantics.syntax.module import ClassScope, FunctionScope, ModuleScope, Scope, thrown_away
from mllint.semantics.syntax.names import bindings_at
from mllint.semantics.syntax.nodes import Constant, Node, last_name, place, walk
from mllint.semantics.syntax.sites import call_text, text
from mllint.semantics.values.arguments import bind
from mllint.semantics.values.bases import ancestors, function_of, mro
from mllint.semantics.values.calls import callee, targets
from mllint.semantics.values.classes import attribute, has_unknown_ancestor, method, without_none
from mllint.semantics.values.each_element import calls_each_element
from mllint.semantics.values.evaluate import evaluate
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.gradmode import grad_off
from mllint.semantics.values.lineage import Origin, dictionaries
from mllint.semantics.values.project import Project
from mllint.semantics.values.self_helpers import Part, helpers_given_self
from mllint.semantics.values.values import (
    InstanceValue,
    MappingValue,
    Site,
    UnionValue,
    Value,
    union,
)

if TYPE_CHECKING:
    from mllint.semantics.vocabulary import Trait

__all__ = [
    "Argument", "Call", "ClassView", "FunctionView", "Handler", "LoopView", "ModuleView", "receiver_text", "shown",
    "spreads_dictionary", "text",
]  # fmt: skip

_ADDING = frozenset(("setdefault", "update"))
_OF_COLLECTIONS = frozenset(("update", "forward"))
_MAKING = (ast.Dict, ast.DictComp, ast.Call)
_TAKING = frozenset(("pop", "popitem", "clear"))


class _View:
    """Something written at a node, seen in the root frame of its function."""

    __slots__ = ("frame", "node")

    def __init__(self, node: Node, frame: Frame) -> None:
        self.node, self.frame = node, frame

    @property
    def site(self) -> Site:
        """The place of it."""
        return Site(self.frame.module, self.node)

    @property
    def module(self) -> ModuleScope:
        """The file it is in."""
        return self.frame.module

    @property
    def project(self) -> Project:
        """The project it belongs to."""
        return self.frame.project

    @property
    def function(self) -> FunctionScope:
        """The function it is written in (the module body at top level)."""
        return self.frame.function

    @property
    def text(self) -> str:
        """Its source text, on one line."""
        return text(self.module, self.node)

    def value_of(self, node: Node) -> Value:
        """The value of any expression in the same function."""
        return evaluate(node, self.frame)

    def at(self, node: Node) -> Site:
        """The site of another node in the same file."""
        return Site(self.module, node)


class Argument(_View):
    """One argument of a call: the expression, and the parameter it binds to ("" when that is not known)."""

    __slots__ = ("call", "parameter")

    def __init__(self, node: Node, call: Call, parameter: str, frame: Frame | None = None) -> None:
        super().__init__(node, frame or call.frame)
        self.call, self.parameter = call, parameter

    @property
    def value(self) -> Value:
        """What is handed in."""
        return evaluate(self.node, self.frame)

    def expects(self, *traits: Trait) -> bool:
        """Does the callee's stub annotate this parameter with one of these words, on every alternative, or on one of
        several that a loop calls one after the other?"""
        return self._expects(set(traits), frozenset())

    def _expects(self, traits: set[Trait], inside: frozenset[FunctionScope]) -> bool:
        """The same, asked `inside` some functions: one that hands its parameter on to itself adds nothing."""
        found, callees = self.expectations, self.call.callees
        if len(found) > 1 and any(words & traits for words in found):
            if calls_each_element(self.call.node, self.call.frame):
                return True
            return all(w & traits or self._handed_on(f, traits, inside) for w, f in zip(found, callees, strict=True))
        return bool(found) and all(words & traits for words in found)

    def _handed_on(self, function: FunctionScope, traits: set[Trait], inside: frozenset[FunctionScope]) -> bool:
        """Does a function of the user's hand its parameter on, as it is, to something that expects one of these?"""
        if function in inside:
            return False
        inside |= {function}
        name = self.call.parameter_names(function).get(id(self.node), self.parameter)
        if function.stubbed or any(b.kind != "param" for b in function.bindings.get(name, ())):
            return False
        frame = self.project.frame(function)
        for node in function.calls:
            given = (*node.args, *(k.value for k in node.keywords))
            if any(isinstance(a, ast.Name) and a.id == name for a in given):
                if any(place(a.node) == name and a._expects(traits, inside) for a in Call(node, frame).arguments):
                    return True
        return False

    def may_expect(self, trait: Trait) -> bool:
        """Does the stub of one alternative annotate this parameter with the word?"""
        return any(trait in words for words in self.expectations)

    @property
    def expectations(self) -> list[frozenset[str]]:
        """The words of the parameter that this binds to, for each function that the call can enter."""
        call = self.call
        found = [self._words_of(f) for f in call.callees]
        if found and (members := call.members_called):
            found = [words.union(*map(self._words_of, members)) for words in found]
        if any("Prediction" in words for words in found):
            from mllint.semantics.values.keras import expected_scores

            scores = [expected_scores(v, call.node, self.frame) for v in call.callee.alternatives]
            found = [w | {s} if "Prediction" in w and s else w for w, s in zip(found, scores, strict=True)]
        return found

    def _words_of(self, function: FunctionScope) -> frozenset[str]:
        """The words of the parameter that this binds to in a function that the call can enter."""
        name = self.call.parameter_names(function).get(id(self.node), self.parameter)
        return expectations(function, name)


class Call(_View):
    """A call expression."""

    __slots__ = ("_arguments", "_callee", "_callees")

    def __init__(self, node: ast.Call, frame: Frame) -> None:
        super().__init__(node, frame)
        self._callee: Value | None = None
        self._callees: list[FunctionScope] | None = None
        self._arguments: list[Argument] | None = None

    @property
    def name(self) -> str:
        """What is called, as written (`F.cross_entropy`, `self.criterion`)."""
        return text(self.module, self.node.func)

    @property
    def last_name(self) -> str:
        """The last name of what is called (`step` of `self.optimizer.step`)."""
        return last_name(self.node.func)

    @property
    def callee(self) -> Value:
        """The value of what is called."""
        known = self._callee
        if known is None:
            known = callee(self.node, self.frame)
            self._callee = known if self.project.fuel >= 0 else None  # what was cut short is asked again
        return known

    @property
    def module_run(self) -> Value:
        """The module that it runs: what is called, or that whose `forward` is called by name."""
        owner = self.receiver if self.last_name == "forward" else None
        return self.callee if owner is None else owner

    @property
    def callees(self) -> list[FunctionScope]:
        """The functions it enters, one for each alternative; empty if one of them cannot be read."""
        known = self._callees
        if known is None:
            found = targets(self.node, self.frame)
            known = found if len(found) == len(self.callee.alternatives) else []
            self._callees = known if self.project.fuel >= 0 else None
        return known

    @property
    def members_called(self) -> list[FunctionScope]:
        """The functions of the metrics of a collection that is called, `metrics.update(scores, y)`: each of them gets
        what the collection is given."""
        if self.last_name in _OF_COLLECTIONS and self.receiver is not None:
            name, owner = self.last_name, self.receiver
        else:
            name, owner = "forward", self.callee
        if not owner.instance_of(METRIC_COLLECTION):
            return []
        members = [m.cls for m in owner.contents if isinstance(m, InstanceValue)]
        return [found for cls in members if (found := method(cls, name)) is not None]

    @property
    def expected(self) -> frozenset[str]:
        """All words that the stubs of its callees annotate parameters with."""
        entered = (*self.callees, *self.members_called)
        words: frozenset[str] = frozenset().union(*(function_words(f) for f in entered if f.stubbed))
        if "Prediction" not in words:
            return words
        from mllint.semantics.values.keras import PREDICTED

        return words | PREDICTED

    @property
    def value(self) -> Value:
        """What it gives."""
        return evaluate(self.node, self.frame)

    @property
    def receiver(self) -> Value | None:
        """The value before the last dot, None when there is no dot. Of what may be None it is the rest, since None has
        no such method."""
        func = self.node.func
        if not isinstance(func, ast.Attribute):
            return None
        value = evaluate(func.value, self.frame)
        return (without_none(value) or value) if value.__class__ is UnionValue else value

    @property
    def arguments(self) -> list[Argument]:
        """The arguments that are written out, with the parameters they bind to."""
        known = self._arguments
        if known is None:
            functions = self.members_called or self.callees
            names = self.parameter_names(functions[0]) if functions else {}
            known = [Argument(a, self, names.get(id(a), "")) for a in self.node.args if not isinstance(a, ast.Starred)]
            known += [Argument(k.value, self, k.arg) for k in self.node.keywords if k.arg is not None]
            self._arguments = known if self.project.fuel >= 0 else None
        return known

    def argument(self, name: str) -> Argument | None:
        """The argument for a parameter, by name; None when it is not written out, in the call or in a dictionary that
        the call spreads: `settings = dict(lr=0.1)`, `build(**settings)`."""
        spread = []
        for keyword in self.node.keywords:
            if keyword.arg == name:
                return Argument(keyword.value, self, name)
            if keyword.arg is None:
                spread.append(keyword.value)
        if self.node.args:  # else what is called need not be known
            found = next((a for a in self.arguments if a.parameter == name), None)
            if found is not None:
                return found
        return next((a for node in spread if (a := self._spread(name, node)) is not None), None)

    def _spread(self, name: str, node: Node) -> Argument | None:
        """The argument that a dictionary gives."""
        found = (_written(node, self.frame) or {}).get(name)
        return Argument(found.node, self, name, found.frame) if found is not None else None

    def given_value(self, name: str) -> Value | None:
        """What the call gives for a parameter: the argument that is written out, or the entry of a dictionary that it
        spreads and that nothing changes; None where it gives nothing, or nobody knows."""
        written = self.argument(name)
        if written is not None:
            return written.value
        for keyword in self.node.keywords:
            if keyword.arg is None and not _is_filled(keyword.value, self.frame):
                spread = evaluate(keyword.value, self.frame).alternatives
                found = [v.entries[name] for v in spread if isinstance(v, MappingValue) and name in v.entries]
                if found and len(found) == len(spread):
                    return union(found)
        return None

    def first(self, name: str) -> Argument | None:
        """The argument for the first parameter, which is called so: by name, or by place, also of what is not known."""
        for argument in self.arguments:
            if argument.parameter == name or argument.node is next(iter(self.node.args), None):
                return argument
        return None

    @property
    def is_open(self) -> bool:
        """Does it have a `*args` or `**kwargs`, so that an absent argument may still be given? Not a dictionary with
        known keys."""
        spread = any(k.arg is None and _written(k.value, self.frame) is None for k in self.node.keywords)
        return spread or any(isinstance(a, ast.Starred) for a in self.node.args)

    def may_give(self, name: str) -> bool:
        """May a `*args` or `**kwargs` give a parameter that is not written out? Not a dictionary with known keys."""
        for keyword in self.node.keywords:
            if keyword.arg is None and _may_hold(name, keyword.value, self.frame):
                return True
        return any(isinstance(a, ast.Starred) for a in self.node.args)

    @property
    def is_statement(self) -> bool:
        """Is its result discarded?"""
        return id(self.node) in thrown_away(self.function)

    @property
    def grad_off(self) -> bool | None:
        """Is no graph built here? None: unknown."""
        return grad_off(self.node, self.frame)

    def parameter_names(self, function: FunctionScope) -> dict[int, str]:
        """The parameter of a callee that each argument expression binds to."""
        bound, _ = bind(function, self.node, self.frame)
        return {id(thing[0]): name for name, thing in bound.items() if not isinstance(thing, Value)}


def _written(node: Node, frame: Frame) -> dict[Constant, Origin] | None:
    """The entries of a dictionary that is written out once, in the same file, and never changed; else None."""
    if _collects(node, frame.function) or not isinstance(evaluate(node, frame), MappingValue):
        return None
    name = place(node)
    if name is not None:
        taking = (c.func for c in frame.function.calls if last_name(c.func) in _TAKING)
        taken = any(isinstance(f, ast.Attribute) and place(f.value) == name for f in taking)
        if taken or any(b.startswith(f"{name}[") for b in frame.function.bindings):
            return None
    found = dictionaries(node, frame)
    return found[0] if len(found) == 1 and all(o.frame.module is frame.module for o in found[0].values()) else None


def _collects(node: Node, function: FunctionScope) -> bool:
    """Is it the parameter `**kwargs` of a function?"""
    return node.__class__ is ast.Name and any(p.name == node.id for p in function.gathering)


def spreads_dictionary(call: ast.Call, scope: Scope) -> bool:
    """Does a call spread a dictionary, `**settings`, that is not merely what its function collects?"""
    function = function_of(scope)
    return function is not None and any(k.arg is None and not _collects(k.value, function) for k in call.keywords)


def _may_hold(key: str, node: Node, frame: Frame) -> bool:
    """May a dictionary have a key: are not all of them known, or is it one of them?"""
    if _is_filled(node, frame):
        return True
    return any(not isinstance(v, MappingValue) or key in v.entries for v in evaluate(node, frame).alternatives)


def _is_filled(node: Node, frame: Frame) -> bool:
    """Does a function put something into a dictionary by its name, `options["lr"] = 0.1`, `options.update(more)`, that
    its value does not tell, because the function did not make it itself?"""
    name, bound = place(node), bindings_at(node, frame.function) or ()
    if name is None or (bound and all(isinstance(b.value, _MAKING) and not b.path for b in bound)):
        return False
    adding = (c.func for c in frame.function.calls if last_name(c.func) in _ADDING)
    filled = any(isinstance(f, ast.Attribute) and place(f.value) == name for f in adding)
    return filled or any(b.startswith(f"{name}[") for b in frame.function.bindings)


class Handler(_View):
    """An `except` clause: `node` is the handler, `statement` the whole `try`."""

    __slots__ = ("statement",)

    def __init__(self, node: ast.ExceptHandler, statement: ast.Try, frame: Frame) -> None:
        super().__init__(node, frame)
        self.statement = statement

    @property
    def caught(self) -> list[str]:
        """The last names of the exception types; empty for a bare `except`."""
        kind = self.node.type
        if kind is None:
            return []
        return [last_name(e) for e in (kind.elts if isinstance(kind, ast.Tuple) else [kind])]

    def calls(self) -> Iterator[Call]:
        """The calls in the body of the `try`."""
        for statement in self.statement.body:
            for node in walk(statement):
                if isinstance(node, ast.Call):
                    yield Call(node, self.frame)

    def loops(self) -> list[Node]:
        """The loops of the same function around the `try`, outermost first."""
        first, last = self.statement.lineno, self.statement.end_lineno or 0
        return [
            r.node
            for r in self.function.loops
            if r.node.lineno <= first and (r.node.end_lineno or 0) >= last and r.node is not self.statement
        ]


class LoopView(_View):
    """A `for` or `while` statement."""

    __slots__ = ()

    @property
    def iterates(self) -> Value | None:
        """What a `for` iterates over."""
        return None if isinstance(self.node, ast.While) else evaluate(self.node.iter, self.frame)


class FunctionView(_View):
    """A function, method, lambda or module body; `scope` is what is written in it."""

    __slots__ = ("scope",)

    def __init__(self, scope: FunctionScope, frame: Frame) -> None:
        super().__init__(scope.node, frame)
        self.scope = scope

    @property
    def owner(self) -> ClassScope | None:
        """The class it is a method of."""
        return self.scope.owner

    def calls(self) -> Iterator[Call]:
        """The calls written directly in it."""
        for node in self.scope.calls:
            yield Call(node, self.frame)


class ClassView(_View):
    """A class; `scope` is what is written in it."""

    __slots__ = ("scope",)

    def __init__(self, scope: ClassScope, frame: Frame) -> None:
        super().__init__(scope.node, frame)
        self.scope = scope

    def inherits(self, *names: str) -> bool:
        """Is one of these dotted names among its ancestors?"""
        return any(n in ancestors(self.scope) for n in names)

    @property
    def has_unknown_base(self) -> bool:
        """Is there an ancestor that cannot be read?"""
        return has_unknown_ancestor(self.scope)

    @property
    def ancestors(self) -> list[ClassScope | str]:
        """The class and its ancestors in order; an unreadable one is its dotted name."""
        return mro(self.scope)

    def method(self, name: str) -> FunctionScope | None:
        """The method that instances find under a name, inherited ones included."""
        return method(self.scope, name)

    def instance(self) -> InstanceValue:
        """Some instance of it."""
        return InstanceValue(self.scope, identity=self.project.intern(("self", id(self.scope))))

    def attribute(self, name: str) -> Value:
        """The value of an attribute of its instances."""
        return attribute(self.instance(), name, self.frame)

    def frame_of(self, function: FunctionScope) -> Frame:
        """The root frame of one of its methods."""
        return self.project.frame(function)

    def run_by(self, function: FunctionScope, depth: int = 3) -> list[Part]:
        """What acts on the object while a method runs: the method itself, the ones that it calls, and the functions
        that these hand the object to; each with the call (in the method) that leads there."""
        first = Part(function, function.parameters[0].name if function.parameters else "?", None)
        found = {id(function): first}
        fresh = [first]
        while fresh and depth:
            depth -= 1
            following = []
            for part in fresh:
                called = [(self.method(last_name(c.func)), c) for c in part.function.calls if _of_own(c.func, part.own)]
                own = [
                    Part(m, m.parameters[0].name, part.call or c) for m, c in called if m is not None and m.parameters
                ]
                inner = [p._replace(call=part.call or p.call) for p in helpers_given_self(part.function)]
                for new in (*own, *inner):
                    if id(new.function) not in found and not new.function.stubbed:
                        found[id(new.function)] = new
                        following.append(new)
            fresh = following
        return list(found.values())


def _of_own(func: Node, own: str) -> bool:
    """Is it `self.name`, of what an object is called?"""
    return func.__class__ is ast.Attribute and func.value.__class__ is ast.Name and func.value.id == own


class ModuleView(_View):
    """A whole file."""

    __slots__ = ()

    @property
    def comparisons(self) -> list[ast.Compare]:
        """All comparisons in the file."""
        return self.module.comparisons

    def calls(self, *names: str) -> Iterator[Call]:
        """All calls in the file whose last name is one of these; all calls without arguments."""
        table = self.module.calls_by_name
        for name in names or sorted(table):
            for node, scope in table.get(name, ()):
                yield Call(node, self.project.frame(_function(scope)))


def _function(scope: Scope) -> FunctionScope:
    found = function_of(scope)
    assert found is not None
    return found


def receiver_text(event: Event) -> str:
    """The object whose method an event calls, as a message quotes it; what is called where that is no method."""
    func = event.call.func
    return text(event.site.module, func.value if isinstance(func, ast.Attribute) else func, 40)


def shown(event: Event) -> str:
    """The source text of an event, as a message quotes it; of a long call only what is called."""
    return call_text(event.site.module, event.site.node)
