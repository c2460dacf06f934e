"""The stand-in for the engine and its project are those of the command line's tests."""

from __future__ import annotations

from tests.cli.conftest import engine, mllint, project

__all__ = ["engine", "mllint", "project"]
