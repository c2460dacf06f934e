"""Pages are read strictly: what is wrong in a page's head is said with the page's name."""

from __future__ import annotations

import pytest

from mllint.catalogue import pages as catalogue
from mllint.catalogue.__main__ import generate

PAGE = """# some-rule

```toml
severity = "warning"
confidence = "high"
frameworks = ["torch"]
aliases = ["old-name"]
why = "why it is silent"
help = "what to do"
```

The summary, over
two lines.

## Why it is silent
"""


def test_the_head_of_a_page():
    info = catalogue.parse(PAGE, "loss", "some-rule")
    assert info.name == "some-rule" and info.family == "loss" and info.path == "loss/some-rule.md"
    assert info.summary == "The summary, over two lines."
    assert (info.severity, info.confidence, info.persona, info.fix) == ("warning", "high", "regular", "none")
    assert (info.frameworks, info.symptoms, info.aliases) == (("torch",), (), ("old-name",))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# some-rule", "# Some rule", "rules/loss/some-rule.md:1: the first line is not `# some-rule`"),
        ("```toml", "```", "no ```toml block"),
        ('severity = "warning"', 'severity = "bad"', "`severity` is 'bad', not one of error, warning, info"),
        ('severity = "warning"\n', "", "`severity` is None"),
        ("why =", "whi =", "unknown key `whi`"),
        ('why = "why it is silent"', 'why = ""', "`why` must be one line of text"),
        ('help = "what to do"', "help = 3", "`help` must be one line of text"),
        ('help = "what to do"', "help = ", "the metadata is not TOML"),
        ("The summary, over\ntwo lines.\n\n", "", "no summary paragraph"),
    ],
)
def test_a_wrong_head(old, new, message):
    with pytest.raises(catalogue.PageError) as error:
        catalogue.parse(PAGE.replace(old, new), "loss", "some-rule")
    assert message in str(error.value)


def test_a_former_name_is_taken(tmp_path):
    (tmp_path / "loss").mkdir()
    (tmp_path / "loss" / "some-rule.md").write_text(PAGE)
    (tmp_path / "loss" / "other.md").write_text(PAGE.replace("# some-rule", "# other").replace("old-name", "some-rule"))
    (tmp_path / "README.md").write_text("no rule")
    with pytest.raises(catalogue.PageError, match="`some-rule` is also the name of"):
        catalogue.read(str(tmp_path))


def test_the_generated_rows_give_the_pages_back():
    namespace: dict[str, list[tuple[object, ...]]] = {}
    pages = catalogue.read(catalogue.root())
    exec(generate(pages), namespace)
    assert [catalogue.RuleInfo(*row) for row in namespace["RULES"]] == list(pages.values())
