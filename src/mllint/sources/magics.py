r"""What of this cell would Python itself not read? IPython's own language, replaced by Python of the same length.

    %matplotlib inline           ->  pass
    !pip install torch           ->  pass
    files = !ls data             ->  files = __
    %time loss.backward()        ->  loss.backward()        behind as many spaces
    model.fit?                   ->  pass
    pip install torch            ->  pass                   as the only line of a cell (automagic)
    %%bash  (and its cell)       ->  blank
    %%time                       ->  pass                   its cell is Python and stays

Every line keeps its length, so that each place in the tree is a place in the cell. What has to lose its indentation, as
a cell that was copied out of a function, gets a form feed as its last space: Python counts from there.

A line is taken for a magic only where the cell does not parse with it: `% (a, b)` in the middle of an expression, and a
string with `!ls` on a line of its own, are left alone.

What it does not do: run or know what a magic does (`%run train.py` defines names; here it defines none), read the cells
of another language.
"""

from __future__ import annotations

import ast
import re
from itertools import pairwise

from mllint.errors import SourceError
from mllint.sources.parsing import parse

__all__ = ["python_of", "script_of"]

_RUNS_ITS_CELL = frozenset(
    """black blackcellmagic capture cuda cudf.pandas cuml.accel debug filprofile flake8 heat ipytest itime lprun memit
    memory memray_flamegraph mprun mypy notify nsight profile prun px pycodestyle pyinstrument rank distributed
    run_pytest scalene skip_if snakeviz time timeit tic wandb wtime""".split()
)
"""Cell magics that hand their cell to Python in the notebook's own process."""

_TAKES_A_STATEMENT = {
    "time": "", "timeit": "nrpv", "prun": "lsTD", "memit": "rti", "lprun": "fmDTu", "mprun": "fT", "snakeviz": "f",
    "pyinstrument": "",
}  # fmt: skip
"""Line magics that run the rest of their line, with the letters of the options that take a value."""

_AUTOMAGIC = frozenset(
    """alias autoawait autocall automagic autoreload bookmark cat cd clear colors conda config cp debug dhist dirs edit
    env gui hist history less ll load load_ext logon logoff logstart logstop ls lsmagic macro mamba man matplotlib mkdir
    more mv notebook pastebin pdb pdef pdoc pfile pinfo pip popd pprint prun psearch psource pushd pwd pycat pylab
    recall rehashx reload_ext rerun reset reset_selective rm rmdir run save sc set_env store sx system tb tensorboard
    time timeit unalias unload_ext uv who who_ls whos xdel xmode""".split()
)
"""Magics that the only line of a cell may name without `%`."""

_DATABRICKS = re.compile(r"\s*%(?:sql|md|md-sandbox|sh|fs|scala|r)\b")
_CELL_MAGIC = re.compile(r"[ \t\f]*%%\s*([\w.-]+)")
_FIRST_PROMPT = re.compile(r"[ \t]*(?:>>>|In \[\d+\]:)(?: |$)")
_PROMPT = re.compile(r"[ \t]*(?:>>>|\.\.\.|In \[\d+\]:|\.{3,}:)(?: |$)")
_MAGIC = re.compile(r"(?P<indent>[ \t\f]*)(?P<magic>(?:%{1,2}\s*\w|!|\?|[,;/]\w).*|[^#]*\?[ \t]*;?[ \t]*)")
_NAMED = re.compile(r"%{1,2}\s*([\w.]+)")
_ASSIGNED = re.compile(r"(?P<target>[ \t\f]*(?:[^=!%#]+=)+[ \t]*)(?P<magic>(?:!|%[ \t]*\w).*)")
_OPTION = re.compile(r"[ \t]+-(?:-[\w-]+(?:=\S+)?|(?P<letter>\w)(?P<value>\S*))")
_WORD = re.compile(r"[ \t]+\S+")
_WORDS = re.compile(r"\s*(\w+)")
_MOST_TRIES = 100  # each parses the cell; who has more magics than that around a broken statement waits no longer
_MARK = re.compile(r"# ?%%|# In ?\[[ \d]*\]|# COMMAND -----")


def python_of(cell: str) -> str:
    """The text of a cell with everything that only IPython understands replaced at the same length.

    Args:
        cell: the text, with line ends `\\n`.

    Returns:
        Python, where that was all that kept it from being Python; blank for a cell that another program reads.
    """
    lines = cell.split("\n")
    first = _first(lines)
    if first < 0:
        return cell
    _dedent(lines, first)
    while (magic := _CELL_MAGIC.match(lines[first])) is not None:
        if magic[1] not in _RUNS_ITS_CELL:
            return _blank(cell)
        _replace(lines, [first])
        first = _first(lines, first + 1)
        if first < 0:
            break
    return _parsing(lines)


def script_of(text: str) -> str | None:
    """The text of a script that is divided into cells (`# %%`), as `python_of` reads each.

    Args:
        text: a file that does not parse.

    Returns:
        None if it has no cells, or nothing in them was IPython's.
    """
    lines = text.split("\n")
    starts = [index for index, line in enumerate(lines) if _MARK.match(line)]
    if not starts:
        return None
    bounds = [0, *starts, len(lines)]
    cells = ["\n".join(lines[start:end]) for start, end in pairwise(bounds) if start < end]
    found = "\n".join(python_of(cell) for cell in cells)
    return None if found == text else found


def _first(lines: list[str], start: int = 0) -> int:
    """The first line from `start` on that is neither blank nor a comment; -1 if there is none."""
    return next((at for at in range(start, len(lines)) if lines[at].strip() and lines[at].lstrip()[0] != "#"), -1)


def _dedent(lines: list[str], first: int) -> None:
    """Take the indentation, or the prompt, of the first line from all lines that have it."""
    prompted = _FIRST_PROMPT.match(lines[first]) is not None
    if not prompted and lines[first][0] not in " \t":
        return
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip(" \t"))]
    for index, line in enumerate(lines):
        match = _PROMPT.match(line) if prompted else None
        width = match.end() if match is not None else 0 if prompted or not line.startswith(indent) else len(indent)
        if width:
            lines[index] = " " * (width - 1) + "\f" + line[width:]


def _parsing(lines: list[str]) -> str:
    """The lines, with as many magics replaced as it takes for Python to parse them."""
    candidates = [index for index, line in enumerate(lines) if _neutral(line) is not None]
    text = "\n".join(lines)
    if not candidates and len(lines) > 1:
        return text
    original, remaining = [*lines], set(candidates)
    _replace(lines, candidates)
    if _begin_statements(lines, remaining):
        return "\n".join(lines)
    lines = [*original]
    error = _error(text)
    while error is not None and error.line - 1 in remaining and len(candidates) - len(remaining) < _MOST_TRIES:
        remaining.discard(error.line - 1)
        _replace(lines, [error.line - 1])
        text = "\n".join(lines)
        error = _error(text)
    if error is None:
        return text
    if len(lines) == 1:
        return _automagic(text)
    if _DATABRICKS.match(original[0]):
        return _blank("\n".join(original))
    _replace(original, candidates)
    guess = "\n".join(original)
    return guess if _error(guess) is None else text


def _begin_statements(lines: list[str], indices: set[int]) -> bool:
    """Do the lines parse, with a statement at the beginning of each of those? Then none was within a statement."""
    try:
        tree = parse("\n".join(lines))
    except SourceError:
        return False
    begun = {node.lineno - 1 for node in ast.walk(tree) if isinstance(node, ast.stmt)}
    return indices <= begun


def _error(text: str) -> SourceError | None:
    try:
        parse(text)
    except SourceError as error:
        return error
    return None


def _automagic(line: str) -> str:
    """The only line of a cell, which does not parse."""
    word = _WORDS.match(line)
    if word is None or word[1] not in _AUTOMAGIC:
        return line if (neutral := _neutral(line)) is None else neutral
    statement = _statement(line, word[1], word.end())
    return _nothing(len(line)) if statement is None else " " * (statement - 1) + "\f" + line[statement:]


def _replace(lines: list[str], indices: list[int]) -> None:
    """Neutralise the given lines, and what a backslash continues them with."""
    for index in indices:
        continued = lines[index].endswith("\\")
        neutral = _neutral(lines[index])
        if neutral is None:
            continue
        lines[index] = neutral
        for below in range(index + 1, len(lines)):
            if not continued:
                break
            continued = lines[below].endswith("\\")
            lines[below] = " " * len(lines[below])


def _neutral(line: str) -> str | None:
    """The line as Python of the same length, None if nothing in it is IPython's."""
    if (match := _ASSIGNED.fullmatch(line)) is not None:
        magic = match["magic"]
        name = _NAMED.match(magic)
        statement = _statement(magic, name[1], name.end()) if name is not None and name[1] == "time" else None
        rest = "__"[: len(magic)].ljust(len(magic)) if statement is None else " " * statement + magic[statement:]
        return match["target"] + rest
    if (match := _MAGIC.fullmatch(line)) is None:
        return None
    indent, magic = match["indent"], match["magic"]
    name = _NAMED.match(magic)
    statement = None if name is None else _statement(magic, name[1], name.end())
    if statement is None:
        return indent + _nothing(len(magic))
    spaces = " " * (len(indent) + statement - 1)  # a magic is longer than the indentation that is repeated behind it
    own = indent[indent.rfind("\f") + 1 :]
    return spaces[: len(spaces) - len(own)] + "\f" + own + magic[statement:]


def _statement(text: str, magic: str, end: int) -> int | None:
    """Where the statement that a magic runs begins, None if it runs none.

    Args:
        text: with the magic.
        magic: its name.
        end: of the name, an offset in the text.
    """
    if magic not in _TAKES_A_STATEMENT:
        return None
    while (option := _OPTION.match(text, end)) is not None:
        end = option.end()
        if option["letter"] and option["letter"] in _TAKES_A_STATEMENT[magic] and not option["value"]:
            word = _WORD.match(text, end)
            end = word.end() if word is not None else end
    start = len(text) - len(text[end:].lstrip(" \t"))
    return start if start > end and text[start : start + 1] not in ("", "!", "%", "?", "#") else None


def _nothing(length: int) -> str:
    return ("pass" if length >= 4 else "0").ljust(length)


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))
