"""What does a name speak of: loading, measuring, randomness, a rank?

    is_about("train_loader", Topic.LOADING)        True: one of its words is `loader`
    is_about("download_url", Topic.WEIGHTS_FILE)   True: `download*`
    is_about("latest", Topic.TEST_FILE)            False: words are compared as a whole

`training.roles` says what an *object* is. This module answers for everything else that only a name can tell: what a
function does, what an option is for. Both read identifiers as whole words from tables; nothing else in the core does.

What it does not do: it is no evidence that could accuse. Whoever asks uses it to find what to look at, or to excuse.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from mllint.semantics.syntax.topic_names import TOPICS, Topic, Words
from mllint.semantics.syntax.words import words

__all__ = ["Topic", "is_about", "is_count_name"]

_NUMBERS = frozenset("num n nb number count size len length max batch batches".split())


@lru_cache(maxsize=16384)
def is_about(name: str | None, *topics: Topic) -> bool:
    """Whether the words of a name, a path or a text speak of one of some topics.

    Args:
        name: the identifier, or several of them with anything between that is no letter.
        *topics: what it may speak of.
    """
    parts = words(name or "")
    if not parts:
        return False
    together = tuple([first + second for first, second in pairwise(parts)]) if len(parts) > 1 else ()
    for topic in topics:  # noqa: SIM110  (asked ten thousand times; a generator costs as much as the answer)
        if _speaks(parts, together, TOPICS[topic]):
            return True
    return False


def is_count_name(name: str) -> bool:
    """Whether a name says that it is a number of something: `num_train`, `batch_size_val`."""
    return not _NUMBERS.isdisjoint(words(name)[:-1])


def _speaks(parts: tuple[str, ...], together: tuple[str, ...], table: Words) -> bool:
    """Whether words, or two of them that stand together, are of a topic."""
    if table.whole and "".join(parts) in table.whole:
        return True
    if table.by_position and (table.first.fit(parts[:1]) or table.last.fit((parts[-1], *together[-1:]))):
        return True
    return table.anywhere.fit(parts + together)
