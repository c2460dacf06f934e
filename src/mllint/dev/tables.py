"""What is generated from stubs, pages and rules, and by which command? All of it at once.

The generators run in processes of their own, one after the other: the table of the rules is made from their modules,
the documents from the table of the pages.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from glob import glob

import mllint
from mllint.errors import MllintError, did_you_mean

__all__ = ["checkout", "write_tables"]

_GENERATORS = (
    ("mllint.semantics.libraries.stubnames",),
    ("mllint.catalogue", "--write"),
    ("mllint.checks",),
    ("website.generate", "--write"),
)
_GENERATED = (
    "src/mllint/semantics/libraries/_names.py",
    "src/mllint/*/_table.py",
    "rules/*/*.md",
    "docs/*.md",
    "docs/evidence/*.svg",
)
"""The files among which those are that generators write."""


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
        The files that are new or other than before, by their paths in the checkout.

    Raises:
        MllintError: a module checks a rule that has no page, or a generator fails: the message is what it said last.
    """
    root = checkout()
    _refuse_without_page(root)
    before = _texts(root)
    environment = {**os.environ, "PYTHONPATH": os.path.join(root, "src")}
    for module, *words in _GENERATORS:
        command = [sys.executable, "-m", module, *words]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            error = (done.stderr or done.stdout).strip().split("\n")[-1]
            raise MllintError(f"`python -m {' '.join((module, *words))}` fails: {error}")
    return tuple(path for path, text in _texts(root).items() if before.get(path) != text)


def _texts(root: str) -> dict[str, bytes]:
    """What stands in the files that may be generated, by their paths in the checkout."""
    found = {}
    for pattern in _GENERATED:
        for path in sorted(glob(os.path.join(root, *pattern.split("/")))):
            with open(path, "rb") as file:
                found[os.path.relpath(path, root).replace(os.sep, "/")] = file.read()
    return found


def _refuse_without_page(root: str) -> None:
    """Compare the names in the modules of the rules with the pages.

    Raises:
        MllintError: a name in a `@check(...)` is that of no page, so that nobody would see what it reports.
    """
    pages = {os.path.basename(path)[:-3] for path in glob(os.path.join(root, "rules", "*", "*.md"))}
    checked: dict[str, str] = {}
    for path in sorted(glob(os.path.join(root, "src", "mllint", "checks", "*", "*.py"))):
        with open(path, encoding="utf-8") as file:
            named = re.findall(r'^@check\(\s*"([^"]*)"', file.read(), re.MULTILINE)
        checked |= dict.fromkeys(named, os.path.relpath(path, root).replace(os.sep, "/"))
    for name, path in checked.items():
        if name not in pages:
            raise MllintError(f"{path}: the rule `{name}` has no page{did_you_mean(name, pages - checked.keys())}")
