"""The pages of the catalogue are tests: `tests/spec.py` collects them."""

from __future__ import annotations

from mllint.checks import import_all

pytest_plugins = ["tests.spec"]

import_all()  # a rule that is being written is not in the generated table yet
