"""A notebook is checked like a file, by cell and line, whatever IPython put between the Python."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mllint.diagnostic import Diagnostic, Report
from mllint.engine import engine
from mllint.errors import SourceError
from mllint.sources.magics import python_of, script_of
from mllint.sources.source import Source

RULES = frozenset({"double-softmax", "fit-before-split", "syntax-error", "unused-suppression"})


def notebook(*cells: str | list[str], metadata: dict[str, object] | None = None) -> bytes:
    """Code cells; a cell that starts with `#md` is Markdown."""
    made = [
        {"cell_type": "markdown" if str(cell).startswith("#md") else "code", "metadata": {}, "source": cell}
        for cell in cells
    ]
    return json.dumps({"cells": made, "metadata": metadata or {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def read(*cells: str | list[str]) -> Source:
    return Source.from_bytes("train.ipynb", notebook(*cells))


def call(source: Source, name: str) -> ast.Call:
    calls = [node for node in ast.walk(source.tree()) if isinstance(node, ast.Call)]
    return next(node for node in calls if source.segment(node.func) == name)


def test_cells_are_numbered_over_all_cells() -> None:
    source = read("#md # Title", ["import torch\n", "\n"], "#md text", "x = '🔥'\ny = 1; step(\n  x)")
    span = source.span(call(source, "step"))
    assert (span.cell, span.start, span.end) == (4, (2, 8), (3, 5))
    assert source.document_line(span) == source.tree().body[-1].lineno
    assert source.segment(call(source, "step")) == "step(\n  x)"


def test_an_empty_cell_keeps_its_number() -> None:
    source = read("", "a()", "", "b()")
    assert source.span(call(source, "a")).cell == 2
    assert source.span(call(source, "b")).cell == 4
    assert source.span(call(source, "b")).start == (1, 1)


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "!pip install torch > log.txt 2>&1",
        "!ls",
        "!echo it's here (",
        "?torch.nn.Linear",
        "torch.nn.Linear?",
        "model.forward??",
        "%load_ext autoreload",
        "files = !ls data",
        "free = %memory_usage -x 'a",
        "%timeit",
        "%cd ../data",
        "!pip install \\\n    torch \\\n    torchvision",
        "for x in y:\n    !rm {x}\n    %time",
        "def f():\n    help?\n    return 1",
        "torch.nn.*Loss?",
        "print?;",
        "%pip install -q 'torch  # a comment",
        "a, d['k'] = !!ls -la | grep (",
        "/f x",
        ",f a b",
        "% matplotlib inline",
        "%%time",
    ],
)
def test_magics_are_blanked_and_columns_stay(line: str) -> None:
    text = f"a = 1\n{line}\nx = 1; step(x)"
    source = read(text)
    assert source.broken == []
    span = source.span(call(source, "step"))
    assert (span.start.line, span.start.column) == (text.count("\n") + 1, 8)
    assert [len(new) for new in source.text.split("\n")] == [len(old) for old in text.split("\n")]


@pytest.mark.parametrize(
    "line",
    [
        "%time loss.backward()",
        "%timeit -n 10 -r3 loss.backward()",
        "out = %time loss.backward()",
        "%prun loss.backward()",
        "%time for x in loader: loss.backward()",
        "%lprun -f model.forward -u 1e-3 loss.backward()",
        "%time with torch.no_grad(): loss.backward()",
    ],
)
@pytest.mark.parametrize("indent", ["", "    ", "\t", " " * 20])
def test_a_timed_statement_is_still_a_statement(line: str, indent: str) -> None:
    head = "if x:\n    y = 1\n" if indent == "    " else "if x:\n" if indent else "y = 1\n"
    source = read(f"{head}{indent}{line}")
    assert source.broken == []
    assert source.span(call(source, "loss.backward")).start.column == len(indent) + line.index("loss") + 1


@pytest.mark.parametrize("line", ["%time !pip install x", "%timeit", "%time?", "out = %timeit -o f()", "%run f.py"])
def test_a_magic_without_a_statement_is_none(line: str) -> None:
    source = read(line)
    assert [node for node in ast.walk(source.tree()) if isinstance(node, ast.Call)] == []


@pytest.mark.parametrize("line", ["pip install torch", "cd ..", "ls -la data", "matplotlib inline", "conda install 'x"])
def test_the_only_line_of_a_cell_may_leave_the_percent_sign_out(line: str) -> None:
    assert read(line).broken == []
    assert [error.cell for error in read(f"x = 1\n{line}").broken] == [1]


def test_a_timed_statement_without_percent_sign() -> None:
    source = read("time loss.backward()")
    assert source.span(call(source, "loss.backward")).start == (1, 6)


@pytest.mark.parametrize(
    "text",
    [
        "    if x:\n        step(x)\n    y = (1,\n  2)",
        ">>> if x:\n...     step(x)",
        "In [3]: if x:\n   ...:     step(x)",
    ],
)
def test_a_cell_that_was_copied_from_elsewhere(text: str) -> None:
    source = read("for x in y:\n    pass", text)
    assert source.broken == []
    assert len(source.tree().body) > 1, "no part of the loop above"
    span = source.span(call(source, "step"))
    assert (span.cell, span.start) == (2, (2, text.split("\n")[1].index("step") + 1))


def test_a_name_that_a_magic_binds_is_unknown() -> None:
    source = read("for _ in range(3): pass\nfiles = !ls\nstep(files)")
    bound = next(node for node in source.tree().body if isinstance(node, ast.Assign)).value
    assert isinstance(bound, ast.Name) and bound.id not in ("_", "files")


def test_a_cell_magic_that_runs_python_keeps_its_cell() -> None:
    source = read("%%time\nloss.backward()", "# timed\n%%time\n%%capture out\n!ls\nstep()")
    assert source.span(call(source, "loss.backward")).start == (2, 1)
    assert source.span(call(source, "step"))[1:] == ((5, 1), (5, 7), 2)


@pytest.mark.parametrize(
    "magic",
    [
        "%%bash",
        "%%python",
        "%sql",
        "#@title Files\n%%sh",
        "%%html",
        "%%writefile train.py",
        "\n%%javascript",
        "%%R -i df",
    ],
)
def test_other_cell_magics_are_blank(magic: str) -> None:
    source = read("a = 1", f"{magic}\necho 'unclosed (\nprint 1", "step()")
    assert source.broken == []
    assert [source.segment(statement) for statement in source.tree().body] == ["a = 1", "step()"]
    assert source.span(call(source, "step")).cell == 3


def test_lines_that_only_look_like_magics_stay() -> None:
    text = 'print("%d of %d"\n      % (a, b))\ntext = """\n!not a command\n%neither\n"""\nx = (a\n!= b)'
    source = read("%matplotlib inline\n" + text)
    assert source.text.split("\n")[1:] == text.split("\n")
    assert source.broken == []


def test_a_comment_that_asks_is_a_comment() -> None:
    source = read("!ls\nx = step()  # mllint: ignore[double-softmax] why?\n# really?\n%time")
    assert "ignore[double-softmax] why?\n# really?" in source.text


def test_magics_around_a_string_that_looks_like_some() -> None:
    source = read('!ls\ntext = """\n!ls\n%time\n"""\n!ls\nx = (a\n % b)')
    assert source.broken == []
    assert '"""\n!ls\n%time\n"""\n' in source.text and "(a\n % b)" in source.text


PIECES = [
    *"%matplotlib inline|!ls (|x = !ls|%time f(x)|    %time for x in y: f(x)|%%time|%%bash|# %%|x = (|)".split("|"),
    *"    y = 1|>>> x|...|    ... y|f?|?|%|!|\\|x = %time f(\f)|é = %time 🔥|\t%timeit -n 3 -r|if x:|cd".split("|"),
    *"pip install x|# why?|%sql select|  'a\\|".split("|"),
    "'" * 3,
]


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.booleans())
def test_whatever_a_cell_holds_its_lines_keep_their_length(pieces: list[str], indented: bool) -> None:
    lines = "\n".join(pieces).split("\n")
    if indented:
        lines = [f"    {line}" for line in lines]
    assert [len(line) for line in python_of("\n".join(lines)).split("\n")] == [len(line) for line in lines]
    script = script_of("\n".join(["# %%", *lines]))
    assert script is None or [len(line) for line in script.split("\n")] == [4, *map(len, lines)]


def test_a_broken_cell_does_not_spoil_the_others() -> None:
    source = read("a = (1", "#md text", "b()\n  x = ", "step()", "print 'old'")
    assert [(error.cell, error.line) for error in source.broken] == [(1, 1), (3, 2), (5, 1)]
    assert "Python 2" in source.broken[2].message
    assert source.span(call(source, "step")).cell == 4
    assert len(source.tree().body) == 1


def test_a_file_on_disk_of_the_same_name_moves_no_column(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.ipynb").write_bytes(notebook("loss = = 1"))
    (tmp_path / "train.py").write_text("{\n")
    assert [error.column for error in read("loss = = 1").broken] == [8]
    with pytest.raises(SourceError) as caught:
        Source.from_bytes("train.py", b"loss = = 1\n").tree()
    assert caught.value.column == 8


def test_two_broken_cells_do_not_mend_each_other_in_the_report() -> None:
    source = read("step()", "def f(:", "other()")
    assert [error.cell for error in source.broken] == [2]
    assert source.span(call(source, "other")).cell == 3


def test_cells_that_are_python_only_together_are_broken() -> None:
    for cells in (
        ("step()", "x = [1,", "2]"),
        ("step()", "for x in y:", "    z(x)"),
        ("step()", 'a = """', '"""'),
        ("step()", "@f", "def g(): 1"),
    ):
        source = read(*cells)
        assert source.broken and {error.cell for error in source.broken} <= {2, 3}
        assert call(source, "step")


def test_a_cell_that_is_meant_to_fail_may_be_broken() -> None:
    cell = {"cell_type": "code", "metadata": {"tags": ["raises-exception"]}, "source": "x = = 1"}
    data = json.dumps({"cells": [cell, {"cell_type": "code", "source": "step()"}]}).encode()
    source = Source.from_bytes("train.ipynb", data)
    assert source.broken == []
    assert source.span(call(source, "step")).cell == 2


def test_the_lines_to_show_are_those_that_were_written() -> None:
    source = read("%matplotlib inline\nx = 1", "    y = !ls", "z = = 1")
    shown = [source.lines_of(cell) for cell in (1, 2, 3, 4)]
    assert shown == [["%matplotlib inline", "x = 1"], ["    y = !ls"], ["z = = 1"], []]


def test_format_3_with_worksheets() -> None:
    cells = [
        {"cell_type": "heading", "source": "Title", "level": 1},
        {"cell_type": "code", "input": ["x = 1\n", "step()"], "language": "python"},
    ]
    data = json.dumps({"worksheets": [{"cells": cells}], "nbformat": 3}).encode()
    source = Source.from_bytes("old.ipynb", data)
    assert source.span(call(source, "step"))[1:] == ((2, 1), (2, 7), 2)


def test_without_metadata_and_with_a_byte_order_mark() -> None:
    data = b"\xef\xbb\xbf" + json.dumps({"cells": [{"cell_type": "code", "source": "step()"}]}).encode()
    assert call(Source.from_bytes("train.ipynb", data), "step")


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"kernelspec": {"language": "R"}}, "R"),
        ({"language_info": {"name": "julia"}}, "Julia"),
        ({"kernelspec": {"name": "ir", "display_name": "R"}}, "R"),
        ({"kernelspec": {"name": "xcpp17"}}, "C++"),
        ({"language_info": {"name": "C#"}, "kernelspec": {"name": ".net-csharp"}}, "C#"),
        ({}, ""),
        ({"kernelspec": {"name": "python3"}}, ""),
        ({"kernelspec": {"name": "rapids"}}, ""),
        ({"language_info": {"name": "pyspark"}, "kernelspec": {"language": "python"}}, ""),
        ({"kernelspec": "python3", "language_info": None}, ""),
    ],
)
def test_a_notebook_in_another_language_is_skipped(metadata: dict[str, object], language: str) -> None:
    source = Source.from_bytes("train.ipynb", notebook("x = 1", metadata=metadata))
    assert source.skipped == (f"a notebook in {language}" if language else "")
    assert len(source.tree().body) == (not language)
    assert source.broken == []


def test_an_old_notebook_says_its_language_elsewhere() -> None:
    sheets = [{"cells": [{"cell_type": "code", "input": "x = [1 2]", "language": "python"}]}]
    data = json.dumps({"metadata": {"language": "Julia"}, "worksheets": sheets}).encode()
    assert Source.from_bytes("old.ipynb", data).skipped == "a notebook in Julia"


def test_cells_of_another_language_are_left_out() -> None:
    others = [{"kernel": "R"}, {"vscode": {"languageId": "shellscript"}}]
    cells = [{"cell_type": "code", "metadata": metadata, "source": "ls -la ("} for metadata in others]
    cells += [{"cell_type": "raw", "source": "("}, {"cell_type": "code", "metadata": None, "source": "step()"}]
    source = Source.from_bytes("train.ipynb", json.dumps({"cells": cells}).encode())
    assert source.broken == []
    assert source.span(call(source, "step")).cell == 4


def test_no_code_cells() -> None:
    for source in (read(), read("#md only text")):
        assert source.tree().body == []
        assert source.span(source.tree()).start == (1, 1)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the notebook is empty"),
        (b"{\n  'cells': []}", "its JSON breaks off"),
        (b'{"cells": [', "its JSON breaks off"),
        (b'{\n<<<<<<< HEAD\n "cells": []}', "merge conflict markers"),
        (b"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
        (b"[]", "not an object with `cells`"),
        (b'{"nbformat": 4}', "no list of `cells`"),
        (b'{"cells": [1]}', "cell 1 is not an object"),
        (b'{"cells": [{"cell_type": "code", "source": 7}]}', "the source of cell 1 is not text"),
        (b'{"cells": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"worksheets": [{"cells": 3}]}', "no list of `cells`"),
    ],
)
def test_what_is_no_notebook_is_told_so(data: bytes, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        Source.from_bytes("train.ipynb", data)
    assert words in caught.value.message


def test_broken_json_has_its_place() -> None:
    with pytest.raises(SourceError) as caught:
        Source.from_bytes("train.ipynb", b'{\n "cells": [}\n')
    assert (caught.value.line, caught.value.column) == (2, 12)


def test_odd_text_inside_a_cell() -> None:
    source = read("x = '\0'", "step()")
    assert [error.cell for error in source.broken] == [1]
    assert call(source, "step")


# -------------------------------------------------------------------------------------------------------------- scripts
@pytest.mark.parametrize(
    "mark", ["# %%", "#%% Train", "# In[3]:", "# COMMAND ----------", "# %% [markdown]\n# text\n# %%"]
)
def test_a_script_with_cells_may_hold_magics(mark: str) -> None:
    text = f"import torch\n{mark}\n%matplotlib inline\n!ls (\nx = 1; step(x)\n{mark}\n%%bash\nls -la (\n{mark}\nend()\n"
    source = Source.from_bytes("train.py", text.encode())
    places = {name: source.span(call(source, name)) for name in ("step", "end")}
    lines = text.split("\n")
    assert [lines[span.start.line - 1][span.start.column - 1 :] for span in places.values()] == ["step(x)", "end()"]
    assert all(span.cell is None for span in places.values())
    assert source.lines_of(None) == lines


@pytest.mark.parametrize("text", ["%matplotlib inline\n", "x = 1\n!ls\n", "# %%\nx = = 1\n", "# %%\n%time\nx = (1\n"])
def test_what_is_no_script_with_cells_stays_broken(text: str) -> None:
    with pytest.raises(SourceError):
        Source.from_bytes("train.py", text.encode()).tree()


def test_a_broken_script_is_broken_where_it_is() -> None:
    with pytest.raises(SourceError) as caught:
        Source.from_bytes("train.py", b"# %%\n%time\n\n# %%\nx = = 1\n").tree()
    assert caught.value.line == 5


# ------------------------------------------------------------------------------------------------------------- findings
def report(*cells: str, metadata: dict[str, object] | None = None) -> Report:
    sources = {"train.ipynb": notebook(*cells, metadata=metadata)}
    return engine.check_sources(sources, selected=RULES, pedantic=False)


def check(*cells: str) -> list[Diagnostic]:
    return report(
        "import torch\nimport torch.nn.functional as F\nfrom sklearn import preprocessing as p", *cells
    ).diagnostics


LOSS = "loss = F.cross_entropy(F.softmax(model(x), dim=1), y)"


def test_a_broken_cell_is_one_finding_and_the_others_are_checked() -> None:
    found = check("x = = 1\ny = = 2", LOSS)
    assert [(d.rule, d.span.cell, d.span.start) for d in found] == [
        ("syntax-error", 2, (1, 5)),
        ("double-softmax", 3, (1, 24)),
    ]


@pytest.mark.parametrize(
    ("cells", "rules"),
    [
        ((f"{LOSS}  # mllint: ignore[double-softmax] known",), []),
        ((f"# mllint: ignore[double-softmax] known\n{LOSS}",), []),
        ((f"%time\n# mllint: ignore[double-softmax] known\n\n{LOSS}",), []),
        ((LOSS, "# mllint: file-ignore[double-softmax] known"), []),
        (("# mllint: ignore[double-softmax] known", LOSS), ["unused-suppression", "double-softmax"]),
        (("x = 1  # mllint: ignore[double-softmax] known", LOSS), ["unused-suppression", "double-softmax"]),
    ],
)
def test_suppressions_hold_within_their_cell(cells: tuple[str, ...], rules: list[str]) -> None:
    assert [diagnostic.rule for diagnostic in check(*cells)] == rules


def test_what_rests_on_the_order_of_cells_is_less_certain() -> None:
    split = "from sklearn.model_selection import train_test_split\na, b = train_test_split(X)"
    fit = "X = p.StandardScaler().fit_transform(X)"
    (together,) = check(f"X = load()\n{fit}\n{split}")
    (apart,) = check("X = load()", fit, split)
    assert (together.rule, apart.rule) == ("fit-before-split", "fit-before-split")
    assert (together.confidence, apart.confidence) == ("high", "medium")


def test_what_a_definition_in_another_cell_says_is_as_certain() -> None:
    net = "class Net(torch.nn.Module):\n    def forward(self, x):\n        return F.softmax(x, dim=1)"
    (found,) = check(net, "loss = F.cross_entropy(Net()(x), y)")
    assert (found.confidence, found.labels[0].span.cell) == ("high", 2)


def test_a_notebook_that_is_skipped_is_noted() -> None:
    found = report("library(torch)", metadata={"kernelspec": {"name": "ir"}})
    assert (found.notes, found.diagnostics) == (["train.ipynb: a notebook in R, skipped"], [])
