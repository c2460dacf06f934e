"""The words of `typing` and `collections.abc` that this package needs while it runs, without their price.

Importing `typing` brings `re` and `enum` along and costs as much as the interpreter's own start, for names that only a
type checker reads. A type checker sees the real ones here; a running mllint gets stand-ins: `Any` means nothing, and
`NamedTuple` makes classes that behave as those of `typing` do, with their methods built when they are first needed.
What `collections.abc` has, every interpreter has loaded where it comes from; the package around it costs a millisecond.

    from mllint._typing import TYPE_CHECKING, Any, Iterator, NamedTuple
"""

from __future__ import annotations

from _collections_abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence

__all__ = [
    "TYPE_CHECKING", "Any", "Callable", "Collection", "Hashable", "Iterable", "Iterator", "Mapping", "MutableMapping",
    "NamedTuple", "NoReturn", "Protocol", "Sequence", "cast",
]  # fmt: skip

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any, NamedTuple, NoReturn, Protocol, cast
else:
    from _collections import _tuplegetter  # what `collections.namedtuple` itself uses

    Any = NoReturn = Protocol = object

    def cast(_, value):
        """The value itself."""
        return value

    class _Meta(type):
        """Turns annotations into fields."""

        def __new__(cls, name, bases, namespace):
            fields = tuple(namespace.get("__annotations__", ()))
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}
            namespace.update((field, _tuplegetter(at, "")) for at, field in enumerate(fields))
            namespace.update(__slots__=(), _fields=fields, _field_defaults=defaults, __match_args__=fields)
            return super().__new__(cls, name, bases, namespace)

    class NamedTuple(tuple, metaclass=_Meta):
        """`typing.NamedTuple`, as far as it is used here."""

        def __new__(cls, *values, **named):
            # The first instance: from now on the class has a constructor of its own, with its fields as parameters.
            given = ", ".join(cls._fields)
            source = f"lambda _cls, {given}: _new(_cls, ({given},))"
            constructor = eval(source, {"_new": tuple.__new__})
            constructor.__defaults__ = tuple(cls._field_defaults.values()) or None
            cls.__new__ = staticmethod(constructor)
            return constructor(cls, *values, **named)

        @classmethod
        def _make(cls, values):
            return cls(*values)

        def _replace(self, **named):
            return self.__class__(**{**self._asdict(), **named})

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            shown = (f"{field}={value!r}" for field, value in self._asdict().items())
            return f"{self.__class__.__name__}({', '.join(shown)})"

        def __getnewargs__(self):
            return tuple(self)
