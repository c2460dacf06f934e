"""Which words is an identifier made of?

    words("valLoader2") == ("val", "loader")
    words("X_train") == ("x", "train")
    words("data/test.csv") == ("data", "test", "csv")

Words end where an underscore, a digit, a capital after a small letter, or anything that is no letter stands; a run of
capitals is one word (`HTTPLoader` is `http`, `loader`). Everything is compared in lower case and as a whole: `test` is
not in `latest`, and `net` not in `magnet`. Words that are usually written together (`trainloader`) are one word here;
`phrase` lets a table list a compound once for all spellings.

What this does not do: it knows no meaning. That is the table in `role_names`.
"""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["last_part", "phrase", "words"]

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+")


@lru_cache(maxsize=16384)
def words(name: str) -> tuple[str, ...]:
    """The words of an identifier or a path, in lower case."""
    return tuple(map(str.lower, _WORD.findall(name)))


def phrase(name: str) -> str:
    """The words of an identifier with nothing in between: the same for `train_loader`, `trainLoader`, `trainloader`."""
    return "".join(words(name))


def last_part(place: str | None) -> str:
    """The identifier that a place ends with, without its subscripts: `loader` of `self.loader` and of `d.loader[0]`."""
    return (place or "").rpartition(".")[2].partition("[")[0]
