"""What a rule is: a generator of `Finding`s that asks about one kind of subject.

The annotation of the first parameter subscribes the rule: `Call | Loop | Function | Class | Flow | Module | Handler |
Project`. A rule holds no state, reads no files and knows neither severities nor suppressions.

    @check("double-softmax")
    def double_softmax(call: Call) -> Iterator[Finding]:
        ...

A rule whose page declares options takes them as its second parameter, by name, with the defaults of the page where the
configuration says nothing: `def masked_nan(function: Function, options: Options)`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from typing import Protocol

    from mllint.semantics.api import Site
    from mllint.semantics.training.evidence import Answer

    class Located(Protocol):
        """Anything with a place: a Site, a Call, an Argument, an Event."""

        @property
        def site(self) -> Site:
            """The place."""


__all__ = ["Check", "Finding", "Note", "Options", "check", "registered"]

Options = Mapping[str, Any]
"""The options of a rule, by name."""
Has: TypeAlias = Literal["", "expressions", "handlers", "loops", "may_cut_rows", "picks_rows", "speaks_of_training"]
"""What a function must have for a rule to be asked about it: an attribute of its scope; "" for nothing."""


class Note(NamedTuple):
    """A secondary label of a finding: a place (any object with a `site`) and what happens there."""

    at: Located
    message: str


class Finding:
    """What a rule yields: where, what, and in how few words; whatever else there is to say is said by its name.

    Args:
        at: the primary place: any semantic object with a `site` (a Call, an Argument, an Event, a Node).
        message: one sentence in the present tense, no full stop, the user's own expression in backticks, at most
            100 columns.
        primary: the few words under the primary place, e.g. "expects logits".
        labels: the other places that together make the bug.
        help: what to do about it here, one sentence; empty uses the page's own help.
        why: what goes wrong without an exception, where it differs from the page's own.
        evidence: the answers of `semantics.training` that the finding rests on. The engine derives from the weakest of
            them whether it is certain: see `semantics.training.evidence`.
        about: what a fix has to know besides the places: nodes and objects, as the fix of the rule expects them.
    """

    __slots__ = ("about", "at", "evidence", "help", "labels", "message", "primary", "why")

    def __init__(
        self,
        at: Located,
        message: str,
        primary: str = "",
        labels: tuple[Note, ...] | list[Note] = (),
        *,
        help: str = "",
        why: str = "",
        evidence: tuple[Answer[Any], ...] = (),
        about: tuple[Any, ...] = (),
    ) -> None:
        self.at, self.message, self.primary, self.labels = at, message, primary, labels
        self.help, self.why, self.evidence, self.about = help, why, evidence, about


class Check(NamedTuple):
    """A registered rule: its name (the file name of its page), its subject's class name, its function, and the last
    names of the calls that it wants to be asked about, or that its subject must contain (None: all); see `check` for
    the other filters. `configurable` says that the function takes options."""

    name: str
    subject: str
    run: Callable[..., Iterator[Finding]]
    calls: frozenset[str] | None = None
    expects: frozenset[str] = frozenset()
    keywords: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    near: tuple[str, ...] = ()
    has: Has = ""
    configurable: bool = False


_checks: dict[str, Check] = {}
_SUBJECTS = ("Call", "Loop", "Function", "Class", "Flow", "Module", "Handler", "Project")


def check(
    name: str, *, calls: str = "", expects: str = "", keywords: str = "", words: str = "", names: str = "",
    near: str = "", has: Has = "",
) -> Callable[[Callable[..., Iterator[Finding]]], Callable[..., Iterator[Finding]]]:  # fmt: skip
    """Register a rule under the name of its page.

    Args:
        name: kebab-case name of the rule, the stem of its page in `rules/`.
        calls: the last names of the calls to be asked about, separated by spaces; empty for all calls, which is slow.
            A rule about functions, classes or modules is asked about those in which such a call is written. What the
            call means is still read from its binding; but what goes by another name is not asked about. A rule about
            flows takes none: it says `words`, `names` or `near`.
        expects: for rules about calls: words of the vocabulary, separated by spaces; the rule is asked about calls of
            library functions that annotate a parameter with one of them.
        keywords: names of keyword arguments; calls with one of them are wanted too.
        words: words one of which must stand somewhere in the text of the file; empty for any file.
        names: names one of which must be in the code of the file, as a whole (`Source.names`); empty for any file.
        near: last names of calls, one of which must be written in the file, or in one that imports it or that it
            imports; empty for any file.
        has: for rules about functions: the attribute of the scope that must be true or not empty; with `calls`,
            functions with such a call are wanted as well.

    Returns:
        A decorator that registers the function for the class that annotates its first parameter, and gives it back.
    """

    def register(function: Callable[..., Iterator[Finding]]) -> Callable[..., Iterator[Finding]]:
        code = getattr(function, "__code__", None)
        if code is None:  # compiled: the generated table knows what it is asked about
            _checks[name] = _checks[name]._replace(run=function)
            return function
        subject = _subject(name, str(function.__annotations__[code.co_varnames[0]]), calls)
        _checks[name] = Check(
            name, subject, function, calls=_words(calls) if calls or keywords else None, expects=_words(expects),
            keywords=_words(keywords), words=_words(words), names=_words(names), near=tuple(near.split()), has=has,
            configurable=code.co_argcount == 2,
        )  # fmt: skip
        return function

    return register


def _words(text: str) -> frozenset[str]:
    """The words of a text that separates them by spaces."""
    return frozenset(text.split())


def _subject(name: str, annotation: str, calls: str) -> str:
    """The class that a rule is asked about, from the annotation of its first parameter.

    Raises:
        ValueError: there is no such subject, or it is a `Flow`, and calls are named.
    """
    subject = annotation.rpartition(".")[2]
    if subject not in _SUBJECTS:
        raise ValueError(f"the rule `{name}` is about `{subject}`, which is not one of {', '.join(_SUBJECTS)}")
    if subject == "Flow" and calls:
        raise ValueError(f"the rule `{name}` is about a Flow, which takes no `calls`: say `names`, `words` or `near`")
    return subject


def registered() -> dict[str, Check]:
    """All rules registered so far, by name."""
    return _checks
