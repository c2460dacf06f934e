"""Does the documentation work when somebody follows it?

Every command is run and its output compared (`tests/documents.py` says how, and how a fence says that it cannot be).
The lab of `docs/writing-a-rule.md` is followed with its own page and check, the stub of `docs/writing-a-stub.md` is
given to the core with its own examples. Nothing is written into the project.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.evidence.__main__ import install
from benchmarks.evidence.programs import read as read_experiment
from benchmarks.mutation import edits, score
from click import Context

from mllint import rule
from mllint.catalogue import pages as catalogue
from mllint.cli.app import COMMANDS, app
from mllint.cli.command import SETTINGS
from mllint.engine import engine
from mllint.semantics import vocabulary
from mllint.semantics.libraries.stubs import StubLibrary
from mllint.semantics.values import memory
from tests import documents, spec
from tests.pages import Case, read_page
from website import build, generate

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NAME = "dropout-of-everything"
PAGE = f"rules/modules/{NAME}.md"
CHECK = "src/mllint/checks/modules/dropout_of_everything.py"
RULE = (DOCS / "writing-a-rule.md").read_text(encoding="utf-8")
STUB = (DOCS / "writing-a-stub.md").read_text(encoding="utf-8")


def named(document: str, path: str) -> str:
    """The fence that a line "`path`:" names."""
    match = re.search(rf"^`{re.escape(path)}`:\n\n(`{{3,}})\w+\n(.*?)^\1$", document, re.MULTILINE | re.DOTALL)
    assert match, path
    return match[2]


CASES = read_page(named(RULE, PAGE))


# ------------------------------------------------------------------------------------------------------ writing a rule
@pytest.fixture
def lab(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page of the lab is in the catalogue, its check is not there yet."""
    if NAME in catalogue.rules():
        pytest.skip("somebody has followed the tutorial in this tree: the page of its rule tests it")
    info = catalogue.parse(named(RULE, PAGE), "modules", NAME)
    monkeypatch.setattr(catalogue, "_rules", {**catalogue.rules(), NAME: info})
    engine.check_sources({}, selected=frozenset(), pedantic=False)  # the shipped rules are registered
    monkeypatch.setattr(rule, "_checks", dict(rule.registered()))


def wrong(case: Case) -> list[str]:
    return spec.judge(case, spec.judged(case, NAME), NAME)


def written(text: str) -> None:
    exec(compile(text, CHECK, "exec"), {"__name__": "lab"})


@pytest.mark.usefixtures("lab")
def test_the_page_of_the_lab_fails_first():
    failing = [line for case in CASES for line in wrong(case)]
    assert failing[0] in RULE
    assert sum(bool(wrong(case)) for case in CASES) == 4 and "Four examples fail" in RULE


@pytest.mark.usefixtures("lab")
def test_the_check_of_the_lab_makes_it_pass():
    written(named(RULE, CHECK))
    assert [line for case in CASES for line in wrong(case)] == []


@pytest.mark.usefixtures("lab")
def test_the_guard_of_the_lab_is_needed():
    guard = re.compile(r"    if not \(call\.callee.*?return\n", re.DOTALL)
    written(guard.sub("", named(RULE, CHECK)))
    assert [case.id for case in CASES if wrong(case)] == ["Stays quiet > Somebody else's dropout"]


def test_the_lab_is_not_part_of_what_is_committed():
    listed = subprocess.run(["git", "ls-files", CHECK, PAGE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert listed.stdout == "", "the lab needs another example"


OPERATOR = "benchmarks/mutation/operators/others.py"
CORRECT = "from torch import nn\n\ndrop = nn.Dropout(0.1)\nrest = nn.Dropout(p=0.2)\n"


@pytest.mark.usefixtures("lab")
def test_the_operator_of_the_lab_makes_what_its_check_finds(monkeypatch: pytest.MonkeyPatch):
    written(named(RULE, CHECK))
    monkeypatch.setattr(edits, "REGISTERED", made := [])
    exec(named(RULE, OPERATOR), {**vars(edits), "ast": ast, "Iterator": Iterator})
    file = edits.File("train.py", CORRECT)
    unit = edits.Unit("train", {file.path: file.text}, {file.path: file})
    (mutant,) = made[0].function(unit, file)
    assert score.apply(unit.texts, mutant.edits) == {file.path: CORRECT.replace("0.1", "1.0")}
    judged = score.Judge().judge(score.Candidate(made[0], unit, file, mutant))
    assert judged is not None and judged.found


def test_the_experiment_of_the_lab_has_a_head_and_two_programs(tmp_path: Path):
    *_, head, body = re.findall(r"```python\n((?:\"{3}|        self.drop).*?)```", RULE, re.DOTALL)
    path = tmp_path / "modules" / f"{NAME}.py"
    path.parent.mkdir()
    begun = (ROOT / "benchmarks/evidence/modules/missing-super-init.py").read_text(encoding="utf-8")
    _, _, program = begun.replace("  # right\n", f"\n{body}").partition('\n"""\n')
    path.write_text(f"{head}\n{program}", encoding="utf-8")
    experiment = read_experiment(path)
    assert experiment.facts.keys() == {"setting", "figure", "worse"} and experiment.rule == NAME
    assert "-        self.drop = nn.Dropout(0.0)\n+        self.drop = nn.Dropout(1.0)" in experiment.difference("")


def test_the_lab_installs_what_other_experiments_were_measured_with():
    assert f"\n{install(['scikit-learn', 'torch'])}\n" in RULE


def test_the_stub_that_the_lab_quotes_is_there():
    quoted = next(block for block in re.findall(r"```python\n(.*?)```", RULE, re.DOTALL) if "_DropoutNd):" in block)
    assert quoted in (ROOT / "src/mllint/stubs/torch/nn/__init__.pyi").read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------------------ writing a stub
@pytest.fixture
def labnets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library of the guide has a stub."""
    (tmp_path / "labnets.pyi").write_text(named(STUB, "labnets.pyi"), encoding="utf-8")
    for module in (memory, engine):
        monkeypatch.setattr(module, "StubLibrary", lambda _=None: StubLibrary(folders=[str(tmp_path)]))


def stub_cases() -> list[Case]:
    return [case._replace(files={"main.py": case.files["main.py"]}) for case in read_page(STUB)]


@pytest.mark.usefixtures("labnets")
@pytest.mark.parametrize("case", stub_cases(), ids=lambda case: case.id)
def test_the_examples_of_the_stub(case: Case):
    assert "\n".join(spec._semantics(case)) == ""
    assert spec.compare(case, spec.judged(case, "")) == []


def test_without_the_stub_nothing_is_known():
    case = next(case for case in stub_cases() if "error:" in case.files["main.py"].text)
    assert spec.judged(case, "") == []


def test_the_words_of_the_tables_exist():
    tables = "\n".join(line for line in STUB.partition("## Every trait")[0].split("\n") if line.startswith("|"))
    words = set(re.findall(r"`@?([A-Za-z_]+)[\[(`]", tables))
    assert words and words <= set(vars(vocabulary))


# ------------------------------------------------------------------------------------------------- how mllint decides
@pytest.mark.parametrize(
    "case", read_page((DOCS / "how-mllint-decides.md").read_text("utf-8")), ids=lambda case: case.id
)
def test_mllint_decides_as_its_page_says(case: Case):
    assert spec.compare(case, spec.judged(case, "")) == []


# ----------------------------------------------------------------------------------------------------- generated pages
GENERATED, PAGES = generate.generated(), generate.pages()


@pytest.mark.quick
@pytest.mark.parametrize("name", GENERATED)
def test_generated_pages_are_up_to_date(name: str):
    written = (DOCS / name).read_text(encoding="utf-8")
    assert written == GENERATED[name], "run `python -m mllint.dev tables`"


@pytest.mark.quick
@pytest.mark.parametrize("name", PAGES)
def test_the_section_on_evidence_is_up_to_date(name: str):
    written = (ROOT / "rules" / name).read_text(encoding="utf-8")
    assert written == PAGES[name], "run `python -m mllint.dev tables`"


@pytest.mark.parametrize("name", sorted(catalogue.rules()))
def test_the_site_shows_the_page_of_a_rule(name: str):
    info = catalogue.rules()[name]
    head, *_, end = (page := build._rule(info)).split("\n")
    assert (head, end) == (f"# {name}", "")
    assert page.index(info.help) < page.index("## Why it is silent")
    assert f"| {info.family} | {info.severity} | {info.confidence} |" in page
    assert all(f"`{option[0]}`" in page for option in info.options)
    assert not re.search(r"^```(?:toml\nseverity|\w+ (?!title=|hl_lines=))", page, re.MULTILINE)
    assert not re.search(r"# (?:error|label|gap): \[", page), "the claims of the tests are not for readers"
    assert not re.search(r"^[^\n`].*\n```\w", page, re.MULTILINE), "the generator wants a blank line above a fence"


def test_every_document_is_in_the_navigation():
    named = {name for _, names in build.NAVIGATION for name in names.split()}
    assert {path.stem for path in DOCS.glob("*.md")} <= named, "put it into NAVIGATION of website/build.py"


# ------------------------------------------------------------------------------------------------------------- all docs
DOCUMENTS = [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]
everywhere = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)


@everywhere
def test_links_lead_somewhere(path: Path):
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []


@everywhere
def test_what_is_typed_prints_what_is_shown(path: Path, tmp_path: Path):
    found = list(documents.blocks(path))
    if not any(block.is_run for block in found):
        return
    environment = documents.prepare(tmp_path, path)
    problems = [problem for block in found for problem in documents.run(block, tmp_path, environment)]
    assert not problems, "\n\n".join(problems)


@everywhere
def test_a_fence_that_is_not_run_has_a_reason(path: Path):
    for block in documents.blocks(path):
        reason = block.comment.removeprefix("not run").lstrip(": ")
        assert len(reason) > 10 or not block.comment.startswith("not run"), block.place
        assert block.language in documents.SHELLS or not re.search(r"^\$ ", block.text, re.MULTILINE), block.place


@everywhere
def test_commands_in_the_text_exist(path: Path):
    for command in re.findall(r"`((?:mllint|mllint-check) [^`\n]+)`", path.read_text(encoding="utf-8")):
        name, *words = command.split()[1:]
        if name.startswith("-") or name in ("version", "help"):
            continue
        assert name in COMMANDS, command
        called = app.get_command(Context(app), name)
        assert called is not None
        known = {option for parameter in called.get_params(Context(called, **SETTINGS)) for option in parameter.opts}
        assert {word.partition("=")[0] for word in words if re.match(r"-\w|--\w", word)} <= known, command


@pytest.mark.parametrize(
    ("fence", "problem"),
    [
        ("console\n$ mllint version\nmllint 0.0.0", "instead of"),
        ("console\n$ mllint version", "instead of"),
        ("console\n$ mllint version\n...", ""),
        ("console\n$ mllint version\nmllint ...0", ""),
        ("console\n$ mllint version\nmllint ...x", "instead of"),
        ("console\n$ printf 'a\\nb\\nc\\n'\na\n...\nc", ""),
        ("console\n$ printf 'a\\nb\\nc\\n'\n...\nb", "instead of"),
        ("console\n$ mllint version | wc -l\n1\n$ false\n$ echo $?\n1", ""),
        ("sh\nmllint check .", ""),
        ("sh\nmllint chekc .", "ended with 2"),
        ("sh\nls nowhere", "ended with"),
        ("sh\nexit 0\nls", "the shell ended"),
        ("sh\n# a comment\nls \\\n  train.py && X=1\ntest $X = 1", ""),
    ],
)
def test_a_wrong_document_is_noticed(fence: str, problem: str, tmp_path: Path):
    block = documents.Block(DOCS / "x.md", 1, fence.split("\n")[0], "", "", fence.partition("\n")[2] + "\n")
    problems = documents.run(block, tmp_path, documents.prepare(tmp_path, DOCS / "x.md"))
    assert problem in "".join(problems) and bool(problem) == bool(problems)
