"""The fixed set: some of the packages that `benchmarks/ecosystem/packages.txt` pins, and our own clean projects."""

from __future__ import annotations

import os
import sys

from benchmarks.ecosystem.fetch import Package, fetch, parse

__all__ = ["CACHE", "HERE", "folders", "listed", "packages"]

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = os.path.join(os.path.dirname(HERE), "ecosystem", "packages.txt")
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "mllint-ecosystem")


def listed(path: str) -> set[str]:
    """The lines of a list, without comments."""
    with open(path, encoding="utf-8") as stream:
        return {line.strip() for line in stream if line.strip() and not line.startswith("#")}


def packages() -> list[Package]:
    """All pinned packages."""
    with open(PACKAGES, encoding="utf-8") as stream:
        return parse(stream.read())


def folders(names: str = "scripts.txt") -> list[str]:
    """The folders with the sources of the packages that a list here names; pip fetches what is not there yet."""
    wanted = listed(os.path.join(HERE, names))
    chosen = [p for p in packages() if p.name in wanted]
    missing = wanted - {p.name for p in chosen}
    if missing:
        sys.exit(f"not in packages.txt: {', '.join(sorted(missing))}")
    found = []
    for package in chosen:
        folder, problem = fetch(package, CACHE)
        if problem:
            sys.exit(f"{package.name}: {problem}")
        found.append(folder)
    return found
