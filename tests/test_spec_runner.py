"""The runner of the pages is itself tested: it must see every way in which a page can be wrong."""

from __future__ import annotations

import json

from tests.pages import PRELUDE, claims, notebook, read_page
from tests.spec import Reported, judge, no_flow, unknown_names

PAGE = """# some-rule

```toml
severity = "error"
```

Summary.

## Fires

```py
loss = f(x)  # error: [some-rule] "twice" # error: [other]
```

```py
y = 1
```

### Across files

`model.py`:
```py
import torch
```

`train.py`:

```py
import model  # error: [some-rule]
```

### Configured

```toml
[tool.mllint]
ignore = ["other"]
```

```py
x = 1  # gap: [some-rule]
```

````md
```py
not_executed()
```
````

## Fix

```py before
bad()
```

```py after
good()
```
"""


def case(text: str, *, index: int = 0):
    return read_page(f"# p\n\n## Fires\n\n{text}")[index]


def found(rule: str, line: int, message: str = "", path: str = "main.py", labels=()) -> Reported:
    return Reported(rule, path, line, message, labels)


def test_every_section_is_one_example_or_more():
    assert [case.id for case in read_page(PAGE)] == [
        "Fires",
        "Fires #2",
        "Fires > Across files",
        "Fires > Configured",
        "Fix (before)",
        "Fix (after)",
    ]


def test_named_fences_are_files_of_one_project():
    across = read_page(PAGE)[2]
    assert list(across.files) == ["model.py", "train.py"]
    assert across.files["train.py"].text == "import model  # error: [some-rule]"
    assert PAGE.split("\n")[across.files["train.py"].line].startswith("import model")


def test_a_toml_fence_configures_its_section_only():
    configs = [case.config for case in read_page(PAGE)]
    assert configs == ["", "", "", '[tool.mllint]\nignore = ["other"]', "", ""]


def test_several_claims_on_one_line():
    assert [tuple(claim) for claim in claims(read_page(PAGE)[0].files["main.py"].text)] == [
        ("error", "some-rule", "twice", 1),
        ("error", "other", "", 1),
    ]


def test_a_block_without_imports_gets_the_usual_ones_and_keeps_its_lines():
    block = case("```py\nx = nn.Linear(1, 1)\n```").files["main.py"]
    assert block.source() == f"{PRELUDE}\nx = nn.Linear(1, 1)"
    assert "\n" not in PRELUDE
    assert block.line_of(2, None) == 1
    compile(PRELUDE, "prelude", "exec")


def test_a_block_with_imports_is_left_alone():
    block = case("```py\ndef f():\n    import torch\n```").files["main.py"]
    assert block.source() == block.text
    assert block.line_of(2, None) == 2


def test_a_page_that_is_right():
    wanted = case('```py\na()\nb()  # error: [r] "twice"\n```')
    assert judge(wanted, [found("r", 2, "softmax twice")], "r") == []


def test_missing():
    assert judge(case("```py\na()  # error: [r]\n```"), [], "r") == ["line 6 (main.py:1): missing [r]"]


def test_unexpected():
    assert judge(case("```py\na()\n```"), [found("r", 1, "boo")], "r") == ["line 6 (main.py:1): unexpected [r] boo"]


def test_two_findings_need_two_claims():
    once = case("```py\na()  # error: [r]\n```")
    assert judge(once, [found("r", 1, "one"), found("r", 1, "two")], "r") == ["line 6 (main.py:1): unexpected [r] two"]


def test_one_finding_does_not_serve_two_claims():
    twice = case("```py\na()  # error: [r] # error: [r]\n```")
    assert judge(twice, [found("r", 1)], "r") == ["line 6 (main.py:1): missing [r]"]


def test_wrong_line_is_missing_and_unexpected():
    assert len(judge(case("```py\na()  # error: [r]\nb()\n```"), [found("r", 2)], "r")) == 2


def test_wrong_message():
    wanted = case('```py\na()  # error: [r] "twice"\n```')
    assert judge(wanted, [found("r", 1, "once")], "r") == ['line 6 (main.py:1): [r] says "once", not "twice"']


def test_another_rule_is_unexpected_too():
    wanted = case("```py\na()  # error: [r]\n```")
    assert judge(wanted, [found("r", 1), found("internal-error", 1, "boom")], "r") == [
        "line 6 (main.py:1): unexpected [internal-error] boom"
    ]


def test_a_gap_is_silence():
    gap = case("```py\na()  # gap: [r]\n```")
    assert judge(gap, [], "r") == []
    (text,) = judge(gap, [found("r", 1)], "r")
    assert "upgrade the page" in text


def test_labels():
    wanted = case('```py\na()  # label: [r] "applied"\nb()  # error: [r]\n```')
    assert judge(wanted, [found("r", 2, labels=(("main.py", 1, "softmax applied here"),))], "r") == []
    (text,) = judge(wanted, [found("r", 2, labels=(("main.py", 1, "cleared here"),))], "r")
    assert "missing label" in text and "cleared here" in text


def test_fix_blocks_need_no_comments():
    before, after = read_page(PAGE)[-2:]
    assert judge(before, [found("some-rule", 1)], "some-rule") == []
    assert judge(before, [], "some-rule") == ["`some-rule` is not reported"]
    assert len(judge(before, [found("some-rule", 1), found("other", 1)], "some-rule")) == 1
    assert judge(after, [], "some-rule") == []
    assert len(judge(after, [found("some-rule", 1)], "some-rule")) == 1


def test_findings_in_other_files_are_placed():
    across = read_page(PAGE)[2]
    assert judge(across, [found("some-rule", 1, path="train.py")], "some-rule") == []
    assert len(judge(across, [found("some-rule", 1, path="model.py")], "some-rule")) == 2


def test_notebooks_are_written_as_percent_cells():
    block = case("`a.ipynb`:\n```py\n# %%\nimport torch\n\n# %%\nx = 1\ny = 2\n```").files["a.ipynb"]
    cells = json.loads(block.source())["cells"]
    assert ["".join(cell["source"]) for cell in cells] == ["import torch\n", "x = 1\ny = 2"]
    assert block.line_of(2, 2) == 6
    assert [cell["source"] for cell in json.loads(notebook("a = 1\n# %%\nb"))["cells"]] == [["a = 1"], ["b"]]


def test_flow_fences_belong_to_the_block_before_them():
    cases = read_page("## A\n```py\na\n```\n```flow train\n1\n```\n```py\nb\n```\n")
    assert [case.flow.text if case.flow else None for case in cases] == ["1", None]
    assert cases[0].flow.words == ("train",)


def test_a_block_in_which_nothing_trains_says_so_of_a_rule_about_flows():
    said = ["no flow in this block, so `missing-zero-grad` is not asked: nothing trains here"]
    assert no_flow(case("```py\nx = nn.Linear(2, 2)\n```"), "missing-zero-grad") == said
    training = "```py\nfor x, y in loader:\n    F.mse_loss(model(x), y).backward()\n    optimizer.step()\n```"
    assert no_flow(case(training), "missing-zero-grad") == no_flow(case("```py\nx = 1\n```"), "double-softmax") == []


def test_what_a_block_leaves_unbound_is_named():
    assert unknown_names(case("```py\nloss = F.mse_loss(tnn.Linear(2, 2)(x), y)\n```")) == [
        "line 6 (main.py:1): `tnn`, `x`, `y` are bound by nothing in this block, so unknown"
    ]
    assert unknown_names(case("```py\nimport torch\n\nnet = nn.Linear(2, 2)\n```")) == [
        "line 6 (main.py:1): `nn` is not imported here: a block with an `import` of its own does not get the usual ones"
    ]
    every = "def f(a, *b, **c):\n    with a as d:\n        return lambda e: (b, c, d, e, [g for g in a], print)\n"
    assert unknown_names(case(f"```py\n{every}```")) == []
    assert unknown_names(case("```py\nx = (\n```")) == []
