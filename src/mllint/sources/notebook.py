"""Which Python does this notebook hold? From the JSON of an `.ipynb` file to one `Source` with a cell map.

The code cells are joined in document order; cells count from 1 over all cells, Markdown ones too. What only IPython
understands is replaced at the same length (`magics`). A cell that does not parse all the same is blank in the text and
reported in `Source.broken`; the others stand. So is each of two cells that are Python only together: Jupyter reads them
one by one.

What it does not do: no execution order (cells count in document order), no outputs, no writing back; the line of the
`.ipynb` file in which a cell stands is a question for `rawnotebook`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from mllint.errors import SourceError
from mllint.sources.cells import CellMap
from mllint.sources.magics import python_of
from mllint.sources.parsing import parse

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

__all__ = ["read"]

_KERNELS = re.compile(
    r"(?P<R>ir|xr|r)(?=\d|$)|(?P<Julia>julia)|(?P<JavaScript>javascript|tslab|deno)|(?P<Bash>bash)|(?P<MATLAB>.*matlab)"
    r"|(?P<Octave>octave|xeus-octave)|(?P<Scala>scala|almond|spylon|apache_toree_scala)|(?P<Rust>rust|evcxr)"
    r"|(?P<Go>gophernotes|gonb)|(?P<Haskell>ihaskell)|(?P<Ruby>iruby|ruby)|(?P<Swift>swift)|(?P<Kotlin>kotlin)"
    r"|(?P<Stata>stata)|(?P<SAS>sas)|(?P<SQL>sql|xsql)|(?P<NET>\.net-)|(?P<C>xcpp|xeus-cling|.*cling)",
    re.IGNORECASE,
)
"""Kernels that tell their language by their name alone, as Colab's `ir` does."""

_NAMES = {
    "r": "R", "net": ".NET", "c": "C++", "sql": "SQL", "csharp": "C#", "fsharp": "F#", "javascript": "JavaScript",
    "typescript": "TypeScript", "sas": "SAS", "matlab": "MATLAB",
}  # fmt: skip
_PYTHONS = ("python", "ipython", "xpython", "pyspark", "sage", "sos")
"""How the names of languages begin that are Python; a SoS notebook is, cell by cell, unless a cell names its kernel."""


class _Cell(NamedTuple):
    """A Python cell: its number over all cells, its text, and whether its author expects it to fail."""

    number: int
    text: str
    fails: bool


class Notebook(NamedTuple):
    """What a notebook holds.

    Attributes:
        text: its Python cells as one text; cells that do not parse are blank, and what only IPython reads is replaced.
        written: the same as its author wrote it, no line longer or shorter.
        cells: which cell a line of `text` belongs to.
        language: the language of a notebook that is not in Python ("R"), whose text is empty; otherwise empty.
        broken: an error for each cell that does not parse.
        tree: the syntax tree of `text`, None if it had to be changed.
    """

    text: str
    written: str
    cells: CellMap
    language: str
    broken: list[SourceError]
    tree: ast.Module | None


def read(data: bytes) -> Notebook:
    """Read a notebook of nbformat 2, 3 or 4.

    Args:
        data: the raw file.

    Returns:
        Its Python.

    Raises:
        SourceError: the bytes are no notebook.
    """
    notebook = _load(data)
    language = _language(notebook)
    cells = [] if language else list(_code_cells(notebook))
    starts, line = [1], 1
    for cell in cells:
        line += cell.text.count("\n") + 1
        starts.append(line)
    numbers = [cell.number for cell in cells]
    cell_map = CellMap(tuple(starts[:-1]) or (1,), tuple(numbers) or (1,))
    texts = [python_of(cell.text) for cell in cells]
    written = "\n".join(cell.text for cell in cells)
    tree = _together("\n".join(texts), cell_map)
    broken = [] if tree else _blank_broken(cells, texts)
    return Notebook("\n".join(texts), written, cell_map, language, broken, tree)


def _together(text: str, cells: CellMap) -> ast.Module | None:
    """The tree of the text if it parses and each statement is within one cell."""
    try:
        tree = parse(text)
    except SourceError:
        return None
    for node in tree.body:
        first = next((decorator.lineno for decorator in getattr(node, "decorator_list", ())), node.lineno)
        if cells.locate(first)[0] != cells.locate(node.end_lineno or first)[0]:
            return None
    return tree


def _blank_broken(cells: list[_Cell], texts: list[str]) -> list[SourceError]:
    """Replace the texts of cells that do not parse by blanks; gives what is wrong with them."""
    broken = []
    for index, text in enumerate(texts):
        try:
            parse(text)
        except SourceError as error:
            if not cells[index].fails:
                broken.append(SourceError(error.message, error.line, error.column, cells[index].number))
            texts[index] = "\n".join(" " * len(line) for line in text.split("\n"))
    return broken


def _load(data: bytes) -> dict[str, object]:
    if not data.strip():
        raise SourceError("the notebook is empty: it contains no JSON")
    try:
        notebook = json.loads(data)
    except json.JSONDecodeError as error:
        reason = f"its JSON breaks off ({error.msg})"
        if data.startswith(b"<<<<<<< ") or b"\n<<<<<<< " in data:
            reason = "it contains merge conflict markers"
        elif data.startswith(b"version https://git-lfs"):
            reason = "it is a Git LFS pointer, fetch its contents with `git lfs pull`"
        raise SourceError(f"this is not a notebook: {reason}", error.lineno, error.colno) from None
    except UnicodeDecodeError:
        raise SourceError("this is not a notebook: it is not UTF-8 text") from None
    except ValueError as error:  # a number of thousands of digits
        raise SourceError(f"the notebook cannot be read: {error}") from None
    except RecursionError:
        raise SourceError("this is not a notebook: its JSON is nested too deeply") from None
    if not isinstance(notebook, dict):
        raise SourceError("this is not a notebook: its JSON is not an object with `cells`")
    return notebook


def _code_cells(notebook: dict[str, object]) -> Iterator[_Cell]:
    for number, cell in enumerate(_cells(notebook), 1):
        if not isinstance(cell, dict):
            raise SourceError(f"this is not a notebook: cell {number} is not an object")
        metadata = cell.get("metadata")
        if not isinstance(metadata, dict):
            metadata = {}
        if cell.get("cell_type") != "code" or not _is_python(cell, metadata):
            continue
        source = cell.get("source", cell.get("input", ""))
        if isinstance(source, list) and all(isinstance(line, str) for line in source):
            source = "".join(source)
        if not isinstance(source, str):
            raise SourceError(f"this is not a notebook: the source of cell {number} is not text")
        text = source.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n")
        tags = metadata.get("tags")
        yield _Cell(number, text, isinstance(tags, list) and "raises-exception" in tags)


def _cells(notebook: dict[str, object]) -> list[object]:
    cells = notebook.get("cells")
    if isinstance(cells, list):
        return cells
    sheets = notebook.get("worksheets")
    found = [sheet.get("cells") if isinstance(sheet, dict) else None for sheet in _listed(sheets)]
    return [cell for cells in found for cell in _listed(cells)]


def _listed(value: object) -> list[object]:
    if not isinstance(value, list):
        raise SourceError("this is not a notebook: it has no list of `cells`")
    return value


def _is_python(cell: dict[str, object], metadata: dict[str, object]) -> bool:
    """Is a cell Python, as far as it says (nbformat 3, Visual Studio Code, SoS)?"""
    editor = metadata.get("vscode")
    named = (
        cell.get("language"),
        metadata.get("kernel"),
        editor.get("languageId") if isinstance(editor, dict) else None,
    )
    return all(_is_name_of_python(name) for name in named if isinstance(name, str))


def _language(notebook: dict[str, object]) -> str:
    """The language of a notebook that is not in Python, empty for one that is or does not say."""
    metadata = notebook.get("metadata")
    if not isinstance(metadata, dict):
        return ""
    kernel = metadata.get("kernelspec")
    old = metadata if "kernelspec" not in metadata and "worksheets" in notebook else None
    for info, key in ((metadata.get("language_info"), "name"), (kernel, "language"), (old, "language")):
        name = info.get(key) if isinstance(info, dict) else None
        if isinstance(name, str) and name:
            return "" if _is_name_of_python(name) else _name_of_command(name)
    name = kernel.get("name") if isinstance(kernel, dict) else None
    match = _KERNELS.match(name) if isinstance(name, str) else None
    return "" if match is None or match.lastgroup is None else _name_of_command(match.lastgroup)


def _name_of_command(name: str) -> str:
    return _NAMES.get(name.lower(), name.title() if name.islower() else name)


def _is_name_of_python(name: str) -> bool:
    return name.lower().startswith(_PYTHONS)
