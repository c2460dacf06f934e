"""The pages of the catalogue and the specs are collected as tests: see `tests.spec`."""

from __future__ import annotations

import os
import signal

import pytest

from mllint.checks import import_all

pytest_plugins = ["tests.spec"]

import_all()  # a rule that is being written is not in the generated table yet


for variable in [name for name in os.environ if name.startswith(("GITHUB_", "CI_"))]:
    del os.environ[variable]  # what mllint prints depends on where it runs, and tests say where that is
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell's background job, whose children were deaf to it, too
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of `tests/metamorphic` and `tests/fuzz`."""
    parser.addoption("--metamorphic", choices=("sample", "full"), default="sample", help="which examples to rewrite")
    parser.addoption("--fuzz", choices=("few", "many"), default="few", help="how many programs to make up")


QUICK = ("rules", "tests/semantics", "tests/test_architecture.py", "tests/test_compiled.py", "tests/test_house.py")
"""What `-m quick` runs, with the tests that have the mark themselves, of what else a change of a rule has to bring:
enough to know that a change broke nothing that a page or a specification says."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the quick tests."""
    for item in items:
        inside = item.path.relative_to(config.rootpath).as_posix()
        if inside.startswith(QUICK):
            item.add_marker(pytest.mark.quick)
