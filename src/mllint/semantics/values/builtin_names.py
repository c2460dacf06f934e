"""The names that Python itself brings: functions, and methods that are called on everything."""

from __future__ import annotations

__all__ = ["BUILTINS", "BUILTIN_METHODS", "INERT"]

INERT = frozenset(
    """print len isinstance issubclass hasattr id type str repr format hash vars dir callable range abs min max sum
    round float int
    bool sorted reversed enumerate zip map filter any all iter list tuple set frozenset dict open input getattr pow
    divmod super
    slice bytes object globals locals""".split()
)
BUILTINS = INERT | frozenset(
    "next setattr delattr exec eval property staticmethod classmethod Exception BaseException complex".split()
)

BUILTIN_METHODS = frozenset(
    """append extend items keys values get format join split strip replace startswith endswith lower upper add_argument
    parse_args join exists makedirs mkdir info debug warning error add_scalar format sort copy pop insert
    setdefault""".split()
)
"""The names of methods of strings, containers, files, loggers and parsers that are called everywhere."""
