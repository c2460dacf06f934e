"""Calls below `with_room` lie in one piece: what goes deep and back again and again asks the system for nothing."""

from __future__ import annotations

import resource
import sys

import pytest

from mllint.engine.stack import with_room


def _deep(level: int) -> int:
    return level and 1 + _deep(level - 1)


def _faults() -> int:
    """The page faults of going down to each of many depths, a hundred times each."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for level in range(0, 400, 4):
        for _ in range(100):
            _deep(level)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_a_function_gives_what_it_gives() -> None:
    assert with_room(lambda: _deep(300)) == 300
    with pytest.raises(ZeroDivisionError):
        with_room(lambda: 1 // 0)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="frames are objects of their own")
def test_deep_calls_cause_no_page_faults() -> None:
    with_room(_faults)
    assert with_room(_faults) < 200
