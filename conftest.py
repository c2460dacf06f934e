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
