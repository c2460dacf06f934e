"""The pages of the catalogue and the specs are collected as tests: see `tests.spec`."""

from __future__ import annotations

import pytest

from mllint.checks import import_all

pytest_plugins = ["tests.spec"]

import_all()  # a rule that is being written is not in the generated table yet


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of `tests/metamorphic` and `tests/fuzz`."""
    parser.addoption("--metamorphic", choices=("sample", "full"), default="sample", help="which examples to rewrite")
    parser.addoption("--fuzz", choices=("few", "many"), default="few", help="how many programs to make up")
