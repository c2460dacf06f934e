"""What is worked out once: typed caches, each owned by the module that fills it.

An answer is kept on what it is about, its *holder*: a file, a project, an event. It is gone with its holder. Who works
something out declares that next to the code that does it:

    @cached()
    def training_functions(project: Project) -> frozenset[int]: ...

    @cached_per_scope(local=True)
    def statements(function: FunctionScope) -> list[ast.stmt]: ...

    _IDLE: Cache[int, bool] = Cache()  # a table, for whoever needs more than one answer a holder

An editor asks again about files of which one was edited. What was worked out about a file may rest on others, so it is
forgotten then (`Holder.forget`); what is declared `local` rests on the text of its own file alone, and stays.

An answer on whose way a question ran out of fuel (`CUTS`) is not kept for the next question, which has fuel: what is
found would depend on which rule asked first. The question itself, of which no finding counts any more, gets it again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from mllint.semantics.syntax.module import Scope

__all__ = ["CUTS", "Cache", "Cuts", "Holder", "Once", "cached", "cached_per_scope"]

_NONE = object()
"""Where there is no answer."""


class Cuts:
    """How often a question was cut short so far, by who bounds its work.

    Attributes:
        met: the number.
        spent: whether the question has no fuel left.
    """

    __slots__ = ("_passing", "met", "spent")

    def __init__(self) -> None:
        self.met, self.spent = 0, False
        self._passing: dict[tuple[int, Hashable], object] = {}

    def keep(self, answers: object, key: Hashable, answer: object) -> None:
        """Keep an answer that was cut short as long as there is no fuel, so that it is not worked out again and again.

        Args:
            answers: the table that it is missing in.
            key: what it is the answer for.
            answer: the answer.
        """
        if self.spent:
            self._passing[id(answers), key] = answer

    def kept(self, answers: object, key: Hashable) -> Any:
        """Such an answer, or `_NONE`: whatever the table holds. What rests on it is cut short as well."""
        found = self._passing.get((id(answers), key), _NONE)
        if found is not _NONE:
            self.met += 1
        return found

    def forget(self) -> None:
        """Forget such answers: there is fuel again."""
        self.spent = False
        self._passing.clear()


CUTS = Cuts()


class Holder:
    """What answers are kept on.

    Attributes:
        kept: what each cache keeps of it: a table or an answer, of which the cache alone knows the type.
    """

    __slots__ = ("kept",)

    def __init__(self) -> None:
        self.kept: dict[_Owner, Any] = {}

    def forget(self) -> None:
        """Forget what may rest on more than its own text."""
        self.kept = {owner: answers for owner, answers in self.kept.items() if owner.local}


class _Owner:
    """Whose answers they are: a key that equals nothing but itself."""

    __slots__ = ("local",)

    def __init__(self, *, local: bool = False) -> None:
        self.local = local


_K = TypeVar("_K", bound=Hashable)
_V = TypeVar("_V")
_H = TypeVar("_H", bound=Holder)
_S = TypeVar("_S", bound="Scope")


class Cache(_Owner, Generic[_K, _V]):
    """A table of answers for each holder.

    Args:
        local: whether the answers rest on the text of their own file alone.
    """

    __slots__ = ()

    def of(self, holder: Holder) -> dict[_K, _V]:
        """The table of one holder."""
        table: dict[_K, _V] | None = holder.kept.get(self)
        if table is None:
            table = holder.kept[self] = {}
        return table

    def answer(self, holder: Holder, key: _K, work_out: Callable[[], _V], *, meanwhile: _V) -> _V:
        """The answer for a key, worked out once.

        Args:
            holder: what it is kept on.
            key: what is asked about.
            work_out: works it out.
            meanwhile: the answer for whoever asks the same on the way, as a function that calls itself does.
        """
        table = self.of(holder)
        if key in table:
            return table[key]
        if CUTS.spent and (found := CUTS.kept(table, key)) is not _NONE:
            return found  # type: ignore[no-any-return]  # what the owner of the cache kept
        before = CUTS.met
        table[key] = meanwhile
        table[key] = answer = work_out()
        if CUTS.met != before:
            del table[key]
            CUTS.keep(table, key, answer)
        return answer


class Once:
    """Who finds what is found once for each holder: whoever asks first."""

    __slots__ = ("_first",)

    def __init__(self) -> None:
        self._first: Cache[None, object] = Cache()

    def is_of(self, asker: object, holder: Holder) -> bool:
        """Has nobody else asked before?"""
        return self._first.of(holder).setdefault(None, asker) is asker


def cached(*, local: bool = False) -> Callable[[Callable[[_H], _V]], Callable[[_H], _V]]:
    """Decorate a function of a holder: it is called once for each.

    Args:
        local: as for `Cache`.
    """
    owner = _Owner(local=local)

    def decorate(work_out: Callable[[_H], _V]) -> Callable[[_H], _V]:
        @functools.wraps(work_out)
        def known(holder: _H) -> _V:
            kept = holder.kept
            if owner in kept:
                answer: _V = kept[owner]
                return answer
            if CUTS.spent and (found := CUTS.kept(kept, owner)) is not _NONE:
                return found  # type: ignore[no-any-return]  # what the owner of the cache kept
            before = CUTS.met
            answer = work_out(holder)
            if CUTS.met == before or local:
                kept[owner] = answer
            else:
                CUTS.keep(kept, owner, answer)
            return answer

        return known

    return decorate


def cached_per_scope(*, local: bool = False) -> Callable[[Callable[[_S], _V]], Callable[[_S], _V]]:
    """Decorate a function of a function, class or other scope: it is called once for each. The file is the holder.

    Args:
        local: as for `Cache`.
    """

    def decorate(work_out: Callable[[_S], _V]) -> Callable[[_S], _V]:
        cache: Cache[_S, _V] = Cache(local=local)

        @functools.wraps(work_out)
        def known(scope: _S) -> _V:
            table: dict[_S, _V] | None = scope.module.kept.get(cache)
            if table is None:
                table = cache.of(scope.module)
            elif scope in table:
                return table[scope]
            if CUTS.spent and (found := CUTS.kept(table, scope)) is not _NONE:
                return found  # type: ignore[no-any-return]  # what the owner of the cache kept
            before = CUTS.met
            answer = work_out(scope)
            if CUTS.met == before or local:
                table[scope] = answer
            else:
                CUTS.keep(table, scope, answer)
            return answer

        return known

    return decorate
