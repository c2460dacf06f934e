"""The set of modules that are read together, and what can only be asked of all of them.

The core never touches the disk: modules arrive through `add` and through one injected function, `find`. A Project
answers which module an import means, what a name of a module is, who calls a function, and hands out identities.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from mllint.semantics.libraries.stubs import StubLibrary
from mllint.semantics.syntax.caches import CUTS, Holder
from mllint.semantics.syntax.module import Binding, ClassScope, FunctionScope, ModuleScope, Scope
from mllint.semantics.syntax.nodes import Node, last_name
from mllint.semantics.syntax.topic_names import CALLED_AS_LOSS
from mllint.semantics.syntax.topics import Topic, is_about
from mllint.semantics.values.ask import ask
from mllint.semantics.values.bases import enclosing, function_of, mro
from mllint.semantics.values.classes import method
from mllint.semantics.values.decorators import wrapped_functions
from mllint.semantics.values.external import external
from mllint.semantics.values.frames import Frame
from mllint.semantics.values.outside_writes import names_set_by_text, rebinding_functions
from mllint.semantics.values.reach import Reach
from mllint.semantics.values.values import (
    UNKNOWN,
    BottomValue,
    ModuleValue,
    UnknownValue,
    Value,
    union,
    unknown,
)

__all__ = ["Find", "Project", "Versions"]

Find = Callable[[str, int, ModuleScope], "ModuleScope | None"]
Versions = Callable[[str], Mapping[str, str]]
_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")
_CALLERS = 8
_DOUBTFUL = 30
_FRAMES = 4000  # so many frames are made before what is known in those of calls is let go


class Project(Holder):
    """All modules of one run.

    Args:
        find: gives the module that `name`, imported with `level` leading dots by a module, stands for; None if there
            is no
            such file.
        stubs: the library of stubs.
        versions: gives the versions of libraries that a file is for, as far as they are known.
    """

    __deletable__ = ("find", "reach")

    def __init__(self, find: Find, stubs: StubLibrary | None = None, versions: Versions | None = None) -> None:
        super().__init__()
        self.find = find
        self.stubs = stubs or StubLibrary()
        self._versions = versions
        self.modules: list[ModuleScope] = []
        self.keys: list[Hashable] = [None]
        self._interned: dict[Hashable, int] = {}
        self._frames: dict[int, Frame] = {}
        self.frames: list[Frame] = []
        self._trimmed = 0  # how many of them have been looked at to let go of what is known in them
        self._members: dict[tuple[int, str], Value] = {}
        self._found: dict[tuple[int, str, int], ModuleScope | None] = {}
        self._namesakes: dict[str, bool] = {}
        self._callers: dict[int, list[tuple[ast.Call, Frame]]] = {}
        self._called_by_more: set[int] = set()
        self._by_name: dict[str, list[tuple[ast.Call, Scope]]] | None = None
        self.pending: set[Hashable] = set()
        self.provisional: list[tuple[dict[Any, Any], Any]] = []  # of memos of several kinds, each with a key of its own
        self.soft: set[tuple[int, Hashable]] = set()  # the same, by the id of the memo
        self.bottoms: dict[Hashable, list[tuple[dict[Any, Any], Any]]] = {}  # those that are bottom, by their cycle
        self._met: Hashable = None  # the cycle that was met last
        self.touched = 0  # how often an open cycle, or what was computed from one, was met so far
        self.active: set[Hashable] = set()
        self.depth = self.caller_depth = 0
        self.fuel = 1_000_000
        self.asked: set[str] = set()
        self.reach = Reach(self)
        self._references: dict[str, bool] = {}

    def add(self, module: ModuleScope) -> ModuleScope:
        """Take a module into the project."""
        module.project = self
        self.modules.append(module)
        return module

    def before(self, library: str, change: str, module: ModuleScope) -> bool:
        """Is a module only for versions of a library before the one that brought a change? False if unknown."""
        from mllint.requirements import before

        versions = self._versions(module.source.path).get(library) if self._versions is not None else None
        return versions is not None and before(versions, change) is True

    def refuel(self, fuel: int) -> None:
        """Start a new question with a bounded number of evaluations."""
        self.allow(fuel)
        self.depth = self.caller_depth = 0
        if self.active or self.pending or self.provisional or self.soft:  # the last one was cut short, as few are
            self.active.clear()
            self.pending.clear()
            for memo, key in self.provisional:
                memo.pop(key, None)
            self.provisional.clear()
            self.soft.clear()
            self.bottoms.clear()
        if len(self.frames) - self._trimmed > _FRAMES:
            self._trim()

    def allow(self, fuel: int) -> int:
        """Go on with another number of evaluations: what was cut short for want of them is asked again.

        Returns:
            How many were left.
        """
        left, self.fuel = self.fuel, fuel
        CUTS.forget()
        return left

    def _trim(self) -> None:
        """Forget what is known in the frames of calls: few questions meet the same chain of calls again."""
        for frame in self.frames[self._trimmed :]:
            if frame.caller is not None:
                frame.memo.clear()
        self._trimmed = len(self.frames)

    def meet(self, key: Hashable) -> None:
        """An open cycle is met: what is computed from here on up to it rests on a result that is not known yet."""
        self.pending.add(key)
        self.touched += 1
        self._met = key

    def cut_short(self) -> None:
        """A question has no fuel left, or goes too deep: what is computed from here on is not remembered."""
        CUTS.met += 1
        CUTS.spent = CUTS.spent or self.fuel < 0
        self.meet("fuel")

    def recall(self, memo: dict[_K, _V], key: _K) -> _V | None:
        """What was remembered, or None."""
        known = memo.get(key)
        if known is not None and self.soft:
            self.met_again(memo, key)
        return known

    def met_again(self, memo: object, key: Hashable) -> None:
        """A result that was remembered is asked for: does it rest on an open cycle?"""
        if (id(memo), key) in self.soft:
            self.touched += 1

    def remember(self, memo: dict[_K, _V], key: _K, value: _V, before: int) -> None:
        """Keep a result; one that rests on an open cycle, or was cut short, only until the cycle is closed.

        Args:
            memo: where.
            key: what it is the result of.
            value: the result.
            before: how much was `touched` when its computation began.
        """
        memo[key] = value
        if self.pending and self.touched != before:
            self.keep_for_now(memo, key, value)

    def keep_for_now(self, memo: dict[Any, Any], key: Hashable, value: object) -> None:
        """Note that a result rests on an open cycle.

        Args:
            memo: where it was remembered; the memos are of several kinds.
            key: what it is the result of.
            value: the result.
        """
        self.provisional.append((memo, key))
        self.soft.add((id(memo), key))
        if value.__class__ is BottomValue:
            self.bottoms.setdefault(self._met, []).append((memo, key))

    def settle(self, key: Hashable) -> None:
        """A cycle is closed: what rested on it is forgotten, to be asked again with its result known. Of bindings it is
        kept as a first guess: met again in a cycle, they are no bottom any more, and the second answer is the last.
        Within another open cycle, only what was bottom because of this one is forgotten."""
        self.active.discard(key)
        self.pending.discard(key)
        if self.pending:
            if key in self.bottoms:
                for memo, inner in self.bottoms.pop(key):
                    if memo.get(inner).__class__ is BottomValue:
                        del memo[inner]
            return
        for memo, inner in self.provisional:
            guess = memo.pop(inner, None)
            if guess is not None and inner.__class__ is Binding:
                memo["guess", inner] = guess
        self.provisional.clear()
        self.soft.clear()
        self.bottoms.clear()

    def close(self) -> None:
        """Let go of everything, the frames too."""
        for frame in self.frames:
            frame.close()
        for held in (self._interned, self._frames, self._members, self._found, self._callers, self.kept):
            held.clear()
        self._called_by_more.clear()
        self.modules, self.frames, self.keys, self._by_name = [], [], [], None
        del self.find, self.reach

    # ------------------------------------------------------------------------------------------------- identities
    def intern(self, key: Hashable) -> int:
        """A small number for a key; equal keys get equal numbers, 0 is never given."""
        number = self._interned.get(key)
        if number is None:
            number = self._interned[key] = len(self.keys)
            self.keys.append(key)
        return number

    def owners(self, identity: int) -> Iterator[int]:
        """The identity itself and those of the objects inside whose construction it was made."""
        for _ in range(12):
            yield identity
            key = self.keys[identity]
            if isinstance(key, tuple) and key[0] in ("attr", "item", "part") and key[1]:
                identity = key[1]
                continue
            if not isinstance(key, tuple) or len(key) != 3 or key[0] != "new":
                return
            frame = self.keys[key[1]]
            while isinstance(frame, tuple) and frame[0] == "call":
                frame = self.keys[frame[1]]
            if not isinstance(frame, tuple) or frame[0] != "init":
                return
            identity = frame[1]

    # ----------------------------------------------------------------------------------------------------- imports
    def module_for(self, name: str, level: int, importer: ModuleScope) -> ModuleScope | None:
        """The module that an import means: the user's own first, then a stub."""
        key = (id(importer), name, level)
        if key in self._found:
            return self._found[key]
        found = None
        if importer.is_stub:
            found = self.stubs.module(_absolute(name, level, importer))
        else:
            found = self.find(name, level, importer)
            if not level and (found is None or self._namesake(name, importer, found)):
                found = self.stubs.module(name) or found
        if found is not None:
            found.project = self
            self.asked.add(found.name)
        self._found[key] = found
        return found

    def _namesake(self, name: str, importer: ModuleScope, found: ModuleScope) -> bool:
        """Is a file in a package that only has the name of a library, `texts/torch/losses.py` where `texts` is no
        package: has that another module than the library's?"""
        top = name.partition(".")[0]
        if not self.stubs.covers(top) or importer.source is None or found.source is None:
            return False
        home, inside, _ = importer.source.path.replace("\\", "/").rpartition(f"{top}/")
        if (
            not inside
            or home[-1:] not in ("", "/")
            or not found.source.path.replace("\\", "/").startswith(f"{home}{top}/")
        ):
            return False
        known = self._namesakes.get(top)
        if known is None:
            parts = self.stubs.parts(top)
            known = self._namesakes[top] = any(self.find(part, 0, importer) is None for part in parts)
        return known

    def import_value(self, name: str, level: int, importer: ModuleScope) -> Value:
        """What `import name` (or the module of a `from` import) binds."""
        module = self.module_for(name, level, importer)
        if module is not None:
            return ModuleValue(module)
        return unknown(of=name)

    def library(self, name: str) -> Value:
        """A symbol of a stub by dotted name (`torch.Tensor`)."""
        module, _, member = name.rpartition(".")
        found = self.stubs.module(module)
        if found is None:
            return UNKNOWN
        found.project = self
        return self.member(found, member)

    def member(self, module: ModuleScope, name: str) -> Value:
        """The value of `module.name`: what the module's end leaves bound, a star import, or a submodule."""
        key = (id(module), name)
        known: Value | None = self.recall(self._members, key)
        if known is not None:
            return known
        if key in self.active:
            self.meet(key)
            return BottomValue()
        self.active.add(key)
        before = self.touched
        try:
            value = self._member(module, name)
        finally:
            self.settle(key)
        self.remember(self._members, key, value, before)
        return value

    def _member(self, module: ModuleScope, name: str) -> Value:
        frame = self.frame(module.body)
        if name in module.body.bindings:
            value = frame.named(name)
            if not module.is_stub and name in names_set_by_text(module):
                value = union([value, unknown()])
            rebinding = rebinding_functions(module).get(name) if not module.is_stub else None
            return self._rebound(value, name, rebinding) if rebinding else value
        vague: Value | None = None
        private = name.startswith("_") and not module.is_stub
        if not private:
            for source, level in module.stars:
                target = self.module_for(source, level, module)
                if target is not None and target is not module:
                    value = self.member(target, name)
                    # bottom: that file imports the name from here
                    if not isinstance(value, (UnknownValue, BottomValue)):
                        return value
                    vague = vague or (value if isinstance(value, UnknownValue) and value.name is not None else None)
        if vague is not None:
            return vague
        if module.is_package:
            found = (
                self.module_for(name, 1, module) if not module.is_stub else self.stubs.module(f"{module.name}.{name}")
            )
            if found is not None:
                found.project = self
                return ModuleValue(found)
        for function in module._functions:  # of a file that is read in part these are all with a `global`
            if name in function.globals and name in function.bindings:
                return self.frame(function).named(name)
        if module.is_stub:
            return external(f"{module.name}.{name}")
        return unknown(self.intern(("global", id(module), name)))

    def _rebound(self, value: Value, name: str, functions: Sequence[FunctionScope]) -> Value:
        """What a module's name is, or what the functions bind it to that declare it `global`."""
        found = [value, *(self.frame(function).named(name) for function in functions)]
        solid = [v for v in found if not isinstance(v, BottomValue)]
        return union(solid if len(solid) == len(found) else [*solid, unknown()]) if solid else value

    # ------------------------------------------------------------------------------------------------------ frames
    def frame(self, function: FunctionScope) -> Frame:
        """The frame of a function of which the caller is not known (a root)."""
        frame = self._frames.get(id(function))
        if frame is None:
            parent = enclosing(function)
            outer = self.frame(parent) if parent is not None and not parent.is_body else None
            frame = self._frames[id(function)] = Frame(self, function, outer, key=self.intern(("root", id(function))))
        return frame

    def callers(self, function: FunctionScope) -> list[tuple[ast.Call, Frame]]:
        """The calls in the project that reach a function for certain, each with its root frame: at most eight.

        None are given of a method whose name is called on so many objects that asking each of them would cost too much.
        """
        known = self._callers.get(id(function))
        if known is not None:
            return known
        found: list[tuple[ast.Call, Frame]] = []
        self._callers[id(function)] = found
        name = function.name
        if name == "__init__" and function.owner is not None:
            for cls in self.family(function.owner):
                self._collect(cls.name, function, found)
        elif name == "forward" or name == "__call__":
            if function.owner is not None and _is_criterion(function):
                self._collect_of_instances(function.owner, function, found)
        else:
            for called in (name, *self.reach.bound_as(function)):
                self._collect(called, function, found)
            if _is_returned(function):
                self._collect_of_result(function, found)
            if function.owner is None and _is_criterion(function) and self.passed_around(function):
                for called in (c for c in CALLED_AS_LOSS if c != name):
                    self._collect(called, function, found)
        return found

    def calls_of_instances(self, function: FunctionScope) -> list[tuple[ast.Call, Frame]]:
        """The calls of what is built of a class, by the names that it is bound to, which reach its `__call__` for
        certain, each with its root frame: at most eight. None are given of any other function."""
        found: list[tuple[ast.Call, Frame]] = []
        if function.owner is not None and function.name == "__call__":
            self._collect_of_instances(function.owner, function, found)
        return found

    def has_more_callers(self, function: FunctionScope) -> bool:
        """Are there calls of a function besides those that `callers` gives, which nothing looks at?"""
        return id(function) in self._called_by_more

    def family(self, cls: ClassScope) -> list[ClassScope]:
        """A class and its direct subclasses in the same module."""
        return [cls, *(c for c in cls.module.classes if c is not cls and cls in mro(c)[1:])]

    def _collect(self, name: str, function: FunctionScope, found: list[tuple[ast.Call, Frame]]) -> None:
        doubtful, wrapped = 0, bool(function.decorators)
        for call, scope in self.calls_named(name):
            owner = function_of(scope)
            if owner is None or owner is function:
                continue
            frame = self.frame(owner)
            known = _plainly(call, owner, function)
            if known is None:
                doubtful += function.owner is not None and function.name != "__init__"
                if doubtful > _DOUBTFUL:
                    found.clear()
                    return
                known = function in ask.targets(call, frame) or (wrapped and _is_wrapped_there(function, call, frame))
            if known:
                if len(found) >= _CALLERS:
                    self._called_by_more.add(id(function))
                    return
                found.append((call, frame))

    def _collect_of_instances(
        self, owner: ClassScope, function: FunctionScope, found: list[tuple[ast.Call, Frame]]
    ) -> None:
        """The calls of what is built of a loss of the user's, by the names that it is bound to, or usually has."""
        names = dict.fromkeys(CALLED_AS_LOSS[:3])
        for made, scope in self.calls_named(owner.name):
            for place, bindings in scope.bindings.items():
                if any(_built(b) is made for b in bindings):
                    names[place.rpartition(".")[2]] = None
        for name in names:
            self._collect(name, function, found)

    def _collect_of_result(self, function: FunctionScope, found: list[tuple[ast.Call, Frame]]) -> None:
        """The calls of what a function gives back that is inside of another one: `make(model)(x)`."""
        maker = getattr(function.parent, "name", "")
        for call, scope in self.calls_named(""):
            owner = function_of(scope)
            made = call.func if isinstance(call.func, ast.Call) else None
            if owner is None or owner is function or made is None or last_name(made.func) != maker:
                continue
            frame = self.frame(owner)
            if len(found) < _CALLERS and function in ask.targets(call, frame):
                found.append((call, frame))

    def calls_named(self, name: str) -> list[tuple[ast.Call, Scope]]:
        """All calls in the project whose last name is `name`."""
        if self._by_name is None:
            self._by_name = {}
            for module in self.modules:
                for key, calls in module.calls_by_name.items():
                    self._by_name.setdefault(key, []).extend(calls)
        return self._by_name.get(name, [])

    def passed_around(self, function: FunctionScope) -> bool:
        """Is the function handed on as a value somewhere (a callback, a thread's target)? A name alone is no method,
        nor is a variable that happens to have the function's name."""
        if function.owner is not None:
            return False
        name = function.name
        known = self._references.get(name)
        if known is None:
            known = any(_is_outer_name(name, m.references[name]) for m in self.modules if name in m.references)
            known = known and not self.reach.only_bound(function)
            self._references[name] = known
        return known


def _is_outer_name(name: str, scopes: list[Scope]) -> bool:
    """Does a name in one of these scopes stand for something that is no variable of a function there?"""
    for scope in scopes:
        inner: Scope | None = scope
        while inner is not None and name not in inner.bindings:
            inner = inner.parent
        if inner is None or inner.parent is None or any(b.kind == "def" for b in inner.bindings[name]):
            return True
    return False


def _is_wrapped_there(function: FunctionScope, call: ast.Call, frame: Frame) -> bool:
    """Does a call run what a decorator of the project has put around a function?"""
    return any(function in wrapped_functions(v) for v in ask.evaluate(call.func, frame).alternatives)


def _is_returned(function: FunctionScope) -> bool:
    """Does the function around a function return it?"""
    around = function.parent
    returns = around.returns if isinstance(around, FunctionScope) and not around.is_body else ()
    return any(isinstance(r.value, ast.Name) and r.value.id == function.name for r in returns)


def _built(binding: Binding) -> Node:
    """What a name is bound to: `f()` of `x = f()`, of `a, x = b, f()`, and of `x = f().to(device)`."""
    value = binding.value
    if isinstance(value, ast.Tuple) and len(binding.path) == 1 and isinstance(binding.path[0], int):
        value = value.elts[binding.path[0]] if binding.path[0] < len(value.elts) else None
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("cuda", "to"):
        return value.func.value
    return value


def _is_criterion(function: FunctionScope) -> bool:
    """Is it a loss, or the `forward` of one, by its name, that of its class, or of a parameter?"""
    name = (function.owner or function).name.lower()
    return is_about(name, Topic.CRITERIA) or any(is_about(p.name, Topic.TRUTH_OF_A_LOSS) for p in function.parameters)


def _plainly(call: ast.Call, caller: FunctionScope, function: FunctionScope) -> bool | None:
    """Does a call enter a function, as far as its form tells: `self.f()` in a class, `x.f()` of an `x` that is no
    module? None: the value of what is called must be asked."""
    func = call.func
    base = getattr(func, "value", None)
    name: str = getattr(base, "id", "")
    if base is None or not name:
        return None if base is None or function.owner is not None else False
    around = caller.owner
    if around is not None and caller.parameters and caller.parameters[0].name == name:
        if name not in caller.bindings or len(caller.bindings[name]) == 1:
            found = method(around, function.name) if not caller.decorated("staticmethod") else None
            return None if found is None else found is function
    if function.owner is None:
        scope: Scope | None = caller
        while scope is not None:
            if name in scope.bindings and not isinstance(scope, ClassScope):
                return None if any(b.kind in ("import", "from") for b in scope.bindings[name]) else False
            scope = scope.parent
    return None


def _absolute(name: str, level: int, importer: ModuleScope) -> str:
    if not level:
        return name
    parts = importer.name.split(".")
    drop = level - 1 if importer.is_package else level
    base = parts[: len(parts) - drop] if drop else parts
    return ".".join([*base, *([name] if name else [])])
