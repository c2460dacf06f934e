"""What the architecture promises, held against the code: sizes, pages, start-up, the packaging."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import grimp
import pytest

import mllint
from mllint.catalogue import pages as catalogue
from mllint.catalogue.__main__ import main as write_catalogue

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "mllint"
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path.name not in ("_catalogue.py", "_table.py"))
ENGINE_OWNED = {"syntax-error", "internal-error", "unused-suppression", "invalid-suppression"}
HEAVY = ["libcst", "astroid", "pygls", "rich", "asyncio", "watchfiles", "packaging"]
DEAR = ["argparse", "tomllib"]


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


# ---------------------------------------------------------------------------------------------------------------- pages
def checks() -> dict[str, str]:
    """The rules that `@check` registers, with the family of each: read from the source, nothing is imported."""
    found = {}
    for path in sorted((SOURCE / "checks").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for decorator in getattr(node, "decorator_list", []):
                match decorator:
                    case ast.Call(func=ast.Name(id="check"), args=[ast.Constant(value=str(name))]):
                        assert name not in found, f"{name} is registered twice"
                        found[name] = path.relative_to(SOURCE / "checks").parts[0].removesuffix(".py")
    return found


def test_every_check_has_a_page_and_every_page_a_check():
    checked, pages = set(checks()), set(catalogue.rules()) - ENGINE_OWNED
    assert checked - pages == set(), "a `@check(...)` names a rule that has no page"
    assert pages - checked == set(), "a page is about a rule that no `@check(...)` names"


def test_a_rule_takes_options_if_its_page_declares_some_and_reads_each():
    from mllint.checks import import_all
    from mllint.rule import registered

    import_all()
    for name, check in registered().items():
        info = catalogue.rules().get(name)
        declared = [option for option, *_ in info.options] if info is not None else []
        assert check.configurable is bool(declared), name
        unread = [option for option in declared if f'options["{option}"]' not in inspect.getsource(check.run)]
        assert unread == [], name


def test_checks_live_in_their_family():
    pages = catalogue.rules()
    for name, family in checks().items():
        assert name not in pages or family == pages[name].family, name


def test_the_generated_catalogue_is_up_to_date():
    assert write_catalogue([]) == 0, "run `python -m mllint.dev tables`"


@pytest.mark.parametrize("info", catalogue.rules().values(), ids=lambda info: info.name)
def test_a_page_stays_readable(info):
    text = catalogue.page(info)
    written = re.sub(r"^## Evidence\n.*?(?=^## )", "", text, flags=re.MULTILINE | re.DOTALL)
    assert written.count("\n") <= 200, "the long tail belongs to tests/regressions"
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    order = ["Fix", "Why it is silent", "Fires", "Stays quiet", "Known gaps", "Evidence", "References"]
    assert headings == [heading for heading in order if heading in headings]
    assert "Why it is silent" in headings
    assert len(info.why) <= 130 and len(info.help) <= 130
    if info.name != "internal-error":
        assert {"Fires", "Stays quiet", "Fix"} <= set(headings)


def test_no_page_is_beside_a_family():
    assert [path.name for path in (ROOT / "rules").glob("*.md")] == ["README.md"]


# ----------------------------------------------------------------------------------------------------------------- code
@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_is_short_and_opens_with_an_essay(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 600
    assert ast.get_docstring(ast.parse(text)), "no docstring"
    assert not re.search(r"\b(TODO|FIXME|XXX)\b", text)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_functions_are_short(path):
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None and node.end_lineno - node.lineno >= 40
    ]
    assert not long


def test_only_the_command_line_prints():
    printing = {
        name_of(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    }
    assert printing <= {"src/mllint/catalogue/__main__.py"}  # a tool for authors of rules, `python -m mllint.catalogue`


# ---------------------------------------------------------------------------------------------------------------- start
def modules_of(code: str, folder: Path) -> set[str]:
    """The modules that are loaded after some code ran in a fresh interpreter."""
    code = f"import sys\nsys.stdout = open({os.devnull!r}, 'w')\n{code}\nsys.__stdout__.write(' '.join(sys.modules))"
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("output", ["concise", "json"])
def test_a_run_loads_nothing_heavy(output, tmp_path):
    (tmp_path / "train.py").write_text("import torch\nfor x in loader:\n    loss = model(x)\n    loss.backward()\n")
    code = f"from mllint.cli import main\nmain(['check', 'train.py', '--output-format', '{output}', '--isolated'])"
    assert not modules_of(code, tmp_path) & {*HEAVY, *(DEAR if output == "concise" else ())}


def test_the_version_loads_nothing_of_the_engine(tmp_path):
    loaded = modules_of("from mllint.cli import main\nmain(['--version'])", tmp_path)
    assert not {"mllint.engine.engine", "mllint.semantics", "mllint.config.model", "json", *HEAVY} & loaded


def test_the_package_loads_nothing_of_the_engine(tmp_path):
    assert not {"mllint.engine.engine", "mllint.semantics", "mllint.cli", *HEAVY} & modules_of(
        "import mllint", tmp_path
    )


# ------------------------------------------------------------------------------------------------------------ packaging
def test_the_version_is_the_distribution_s():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'\nversion = "{mllint.__version__}"\n' in text


def test_the_readme_s_test_command_is_what_ci_installs():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "examples/silent-bugs" in readme
    assert "--group dev" in readme and "--group dev" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_no_module_is_in_a_circle_of_imports() -> None:
    graph = grimp.build_graph("mllint", cache_dir=None, exclude_type_checking_imports=True)
    left = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    while free := [module for module, imported in left.items() if not imported & left.keys()]:
        for module in free:
            del left[module]
    assert not left, f"these import each other, or what does: {sorted(left)}"


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
CHANGES = [row.strip("| ").split(" | ") for row in ARCHITECTURE.partition("## Where do I add")[2].split("\n| ")[2:]]
FLOORS = [
    row.split("|")[1:4] for row in re.findall(r"^\| `.*\|$", ARCHITECTURE.partition("## Components")[0], re.MULTILINE)
]


def spans(text: str) -> list[str]:
    """What stands in backticks."""
    return re.findall(r"`([^`]+)`", text)


def there(name: str) -> list[Path]:
    """The files and folders that a path of the document means, in the checkout or in the package."""
    pattern = re.sub(r"<\w+>", "*", name).rstrip("/")
    return [path for root in (ROOT, SOURCE) for path in root.glob(pattern)]


@pytest.mark.parametrize(("change", "where", "then"), CHANGES, ids=[row[0] for row in CHANGES])
def test_the_place_of_a_change_is_where_the_document_says(change: str, where: str, then: str):
    paths = [span for span in spans(f"{where} {then}") if re.search(r"/|\.(py|md)$", span) and " " not in span]
    assert paths, change
    assert [path for path in paths if not there(path)] == [], change
    for command in [span.split() for span in spans(then) if span.startswith("python -m ")]:
        assert find_spec(command[2]) is not None, command
    texts = [found.read_text(encoding="utf-8") for path in paths for found in there(path) if found.is_file()]
    for constant in filter(str.isupper, spans(where)):
        assert any(re.search(rf"^{constant}\b.* = ", text, re.MULTILINE) for text in texts), constant


def test_the_twelve_usual_changes_have_their_place():
    assert len(CHANGES) >= 12


@pytest.mark.parametrize(("packages", "question", "first"), FLOORS, ids=[row[0] for row in FLOORS])
def test_the_first_module_to_open_is_there(packages: str, question: str, first: str):
    for package in spans(packages):
        home = SOURCE / package.replace("/<family>", "")
        assert home.is_dir() or home.with_suffix(".py").is_file(), package
        wanted = spans(first)
        assert [name for name in wanted if not (home / f"{name}.py").is_file() and name != home.name] == [], question
