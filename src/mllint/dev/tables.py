"""What is generated from pages and rules, and by which command? All of it at once.

The generators run in processes of their own, one after the other: the table of the rules is made from their modules,
the documents from the table of the pages.
"""

from __future__ import annotations

import os
import subprocess
import sys

import mllint
from mllint.errors import MllintError

__all__ = ["checkout", "write_tables"]

_GENERATORS = (
    ("mllint.catalogue", "--write"),
    ("mllint.checks",),
    ("website.generate", "--write"),
)
_WRITTEN = (
    "src/mllint/catalogue/_table.py",
    "src/mllint/checks/_table.py",
    "docs/rules.md",
    "docs/symptoms.md",
    "docs/configuration.md",
    "docs/evidence.md",
)


def checkout() -> str:
    """The folder of the checkout.

    Raises:
        MllintError: mllint is installed, so that there are no sources to change.
    """
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(mllint.__file__))))
    if not os.path.isfile(os.path.join(root, "rules", "README.md")):
        raise MllintError("this mllint is installed: clone its repository and run `pip install -e . --group dev` there")
    return root


def write_tables() -> tuple[str, ...]:
    """Write what is generated.

    Returns:
        The files, by their paths in the checkout.

    Raises:
        MllintError: a generator fails; the message is what it said last.
    """
    root = checkout()
    environment = {**os.environ, "PYTHONPATH": os.path.join(root, "src")}
    for module, *words in _GENERATORS:
        command = [sys.executable, "-m", module, *words]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            said = (done.stderr or done.stdout).strip().split("\n")[-1]
            raise MllintError(f"`python -m {' '.join((module, *words))}` fails: {said}")
    return _WRITTEN
