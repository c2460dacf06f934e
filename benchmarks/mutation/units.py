"""What is mutated: each training script of a folder, with the files that it imports from there.

Notebooks are read as scripts, their code cells joined. Files that do not parse, tests and documentation are left out.
"""

from __future__ import annotations

import ast
import json
import os
import re
from collections.abc import Iterator

from benchmarks.mutation.edits import File, Unit

__all__ = ["script", "scripts", "units"]

IMPORT = re.compile(r"^\s*(?:from\s+([\w.]+)\s+import\s+([\w, *(]+)|import\s+([\w., ]+))", re.MULTILINE)
SKIPPED = re.compile(r"(^|/)(\.|tests?/|test_|setup\.py|docs?/|build/)")
LIBRARY = re.compile(
    r"^\s*(?:from|import)\s+(torch|sklearn|keras|tensorflow|jax|lightning|pytorch_lightning|xgboost|lightgbm|transformers|accelerate)",
    re.M,
)
ENTRY = re.compile(r"\.backward\(|train_test_split|LightningModule|__main__|Fold\(|\.fit\(|torch\.load\(|Trainer\(")


def units(folder: str) -> Iterator[Unit]:
    """The units of a folder, by name. A module is seen in use: it is a unit of its own only where no other has it."""
    parsed: dict[str, File] = {}
    for path in scripts(folder):
        relative = os.path.relpath(path, folder)
        try:
            text = read(path)
            parsed[relative.replace(".ipynb", "_ipynb.py")] = File(relative.replace(".ipynb", "_ipynb.py"), text)
        except (SyntaxError, ValueError, KeyError):
            continue
    texts = {path: file.text for path, file in parsed.items()}
    label = os.path.basename(os.path.normpath(folder))
    closures = {path: closure(path, texts) for path in texts}
    imported = {path for entry, files in closures.items() for path in files if path != entry}
    seen: set[str] = set()
    for entry in sorted(closures, key=lambda path: path in imported):
        if entry in seen or not any(LIBRARY.search(text) for text in closures[entry].values()):
            continue  # in use elsewhere, or another library, whose names are those of one
        runs = entry not in imported and any(ENTRY.search(text) for text in closures[entry].values())
        if not runs and not ENTRY.search(texts[entry]):
            continue
        seen |= closures[entry].keys()
        yield Unit(f"{label}:{entry}", closures[entry], parsed)


def script(folder: str, path: str, texts: dict[str, str], lines: int = 2000) -> Unit | None:
    """One script with what it imports, the nearest files first and no more than so many lines; None if it is none."""
    if not (LIBRARY.search(texts[path]) and ENTRY.search(texts[path])) or texts[path].count("\n") > lines:
        return None
    chosen: dict[str, str] = {}
    left = lines
    for near in reached(path, texts):
        size = texts[near].count("\n") + 1
        if size <= left and valid(texts[near]):
            chosen[near], left = texts[near], left - size
        if left < lines // 10 or path not in chosen:
            break
    if path not in chosen:
        return None
    label = os.path.basename(os.path.normpath(folder))
    return Unit(f"{label}:{path}", chosen, {near: File(near, text) for near, text in chosen.items()})


def scripts(folder: str) -> Iterator[str]:
    """The files to read."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(place, name)
            if name.endswith((".py", ".ipynb")) and not SKIPPED.search(os.path.relpath(path, folder)):
                if os.path.getsize(path) < 200_000:
                    yield path


def read(path: str) -> str:
    """The text of a script; of a notebook, its code cells without the lines that are no Python."""
    with open(path, encoding="utf-8", errors="replace", newline="") as stream:
        text = stream.read().replace("\r\n", "\n")
    if not path.endswith(".ipynb"):
        return text
    cells = ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    cells = [re.sub(r"^(\s*)([%!].*)$", r"\1pass  # \2", cell, flags=re.MULTILINE) for cell in cells]
    return "\n\n".join(cell for cell in cells if valid(cell)) + "\n"


def valid(cell: str) -> bool:
    """Does a cell parse?"""
    try:
        ast.parse(cell)
    except (SyntaxError, ValueError):
        return False
    return True


def upwards(folder: str) -> Iterator[str]:
    """A folder and those above it, down to the unpacked folder itself: a package may lie anywhere in it."""
    while folder:
        yield folder
        folder = os.path.dirname(folder)
    yield ""


def closure(entry: str, texts: dict[str, str]) -> dict[str, str]:
    """A script and the files that it imports, directly or not."""
    return {path: texts[path] for path in reached(entry, texts)}


def reached(entry: str, texts: dict[str, str]) -> Iterator[str]:
    """A script, the files that it imports, those that these import, and so on."""
    found, todo = set(), [entry]
    while todo:
        path = todo.pop(0)
        if path in found:
            continue
        found.add(path)
        yield path
        names = set()
        for source, members, plain in IMPORT.findall(texts[path]):
            inner = (f"{source}.{m.strip()}".lstrip(".") for m in members.split(","))
            names |= {source.lstrip("."), *plain.replace(",", " ").split(), *inner}
        folder = os.path.dirname(path)
        for stem in sorted(n.replace(".", "/") for n in names if n):
            near = (os.path.join(base, stem) for base in upwards(folder))
            found_at = ([t for t in (f"{at}.py", f"{at}/__init__.py") if t in texts] for at in near)
            todo += next((targets for targets in found_at if targets), [])  # as Python does, the nearest only
