"""A configuration does what it says, and a mistake in it is told with file, line and what was probably meant."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from mllint.config.load import load
from mllint.config.model import Config
from mllint.config.selection import ignored_for, resolve_selection
from mllint.errors import ConfigError


class Info(NamedTuple):
    name: str
    family: str
    persona: str = "regular"
    frameworks: tuple[str, ...] = ("torch",)
    aliases: tuple[str, ...] = ()
    confidence: str = "high"
    since: str = "0.1"
    options: tuple[tuple[str, str, object, str], ...] = ()


INFOS = [
    Info("double-softmax", "loss", frameworks=("torch", "keras"), aliases=("softmax-twice",)),
    Info("sigmoid-then-bce", "loss", persona="pedantic"),
    Info("missing-zero-grad", "optimizer"),
    Info(
        "missing-seed",
        "randomness",
        frameworks=("torch", "sklearn"),
        options=(("functions", "names", (), "which seed"), ("strict", "flag", False, "or not")),
    ),
    Info("pickle-load", "robustness", persona="auditor", frameworks=()),
]
REGULAR = {"double-softmax", "missing-zero-grad", "missing-seed"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def configured(project: Path, text: str, name: str = "pyproject.toml") -> Config:
    (project / name).write_text(text)
    return load(["."])


def refused(project: Path, text: str, name: str = "pyproject.toml") -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        resolve_selection(configured(project, text, name), INFOS)
    return caught.value


def test_without_a_configuration_the_defaults_hold(project: Path) -> None:
    config = load(["."])
    assert config._replace(root="") == Config()
    assert (config.fail_on, config.output_format, config.pedantic) == ("warning", (), False)
    assert "wandb" in config.exclude


def test_every_key(project: Path) -> None:
    config = configured(
        project,
        """
        [tool.mllint]
        select = ["loss"]
        ignore = ["missing-seed"]
        extend-select = ["missing-zero-grad"]
        per-file-ignores = { "tests/**" = ["ALL"] }
        exclude = ["legacy"]
        extend-exclude = ["gen/*.py"]
        fail-on = "error"
        output-format = "concise"
        pedantic = true
        auditor = true
        min-confidence = "medium"
        edition = "2026"
        stubs = ["typings"]
        [tool.mllint.target-versions]
        torch = ">=2.4"
        [tool.mllint.rules.missing-seed]
        functions = ["lab.seed"]
        """,
    )
    assert config._replace(layers=()) == Config(
        select=("loss",),
        ignore=("missing-seed",),
        extend_select=("missing-zero-grad",),
        per_file_ignores=(("tests/**", ("ALL",)),),
        exclude=("legacy",),
        extend_exclude=("gen/*.py",),
        fail_on="error",
        output_format=("concise",),
        pedantic=True,
        stubs=(str(project / "typings"),),
        auditor=True,
        min_confidence="medium",
        edition="2026",
        target_versions={"torch": ">=2.4"},
        rules={"missing-seed": {"functions": ["lab.seed"]}},
        path="pyproject.toml",
        root=str(project),
    )


def test_files_of_outputs_are_in_the_folder_of_the_configuration(project: Path) -> None:
    (project / "sub").mkdir()
    (project / "mllint.toml").write_text('output-format = ["full", "json:reports/mllint.json", "json-lines:-"]\n')
    file = os.path.join(str(project), "reports/mllint.json")
    assert load(["sub"]).output_format == ("full", f"json:{file}", "json-lines:-")


def test_the_nearest_file_wins(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.mllint]\nselect = ["loss"]\n')
    sub = project / "sub"
    (sub / "deep").mkdir(parents=True)
    (sub / "pyproject.toml").write_text("[tool.other]\n# mllint is not configured here\n")
    (sub / "deep" / "train.py").write_text("")
    assert load(["sub/deep/train.py"]).select == ("loss",)
    (sub / "mllint.toml").write_text('select = ["optimizer"]\n')
    assert load(["sub/deep/train.py"]).select == ("optimizer",)
    (sub / ".mllint.toml").write_text('select = ["missing-seed"]\n')
    assert load(["sub/deep"]).select == ("missing-seed",)
    assert load(["sub", "."]).select == ("loss",)
    assert load(["sub/deep"], isolated=True) == Config(root=str(project), is_final=True)


def test_a_file_that_does_not_mention_mllint_is_not_parsed(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tomllib", None)
    monkeypatch.setitem(sys.modules, "tomli", None)
    assert configured(project, "this is = = no TOML").select == ("DEFAULT",)


def test_an_empty_mllint_toml_is_fine(project: Path) -> None:
    assert configured(project, "", "mllint.toml").path == "mllint.toml"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('slect = ["loss"]', 4, "unknown key `slect`, did you mean `select`?"),
        ("per_file_ignores = {}", 4, "unknown key `per_file_ignores`, did you mean `per-file-ignores`?"),
        ("colour = true", 4, "unknown key `colour`"),
        ('select = "loss"', 4, '`select` takes a list of strings, such as `select = ["..."]`'),
        ("select = [1]", 4, "`select` takes a list of strings"),
        ('pedantic = "yes"', 4, "`pedantic` is true or false"),
        ('fail-on = "warn"', 4, "`fail-on` is one of error, warning, info, never, not `warn`, did you mean `warning`?"),
        ("output-format = 3", 4, "`output-format` takes a format, such as "),
        ("output-format = []", 4, "`output-format` takes a format, such as "),
        ('output-format = "jsn"', 4, "`jsn` is not one of full, concise, json, "),
        ('output-format = ["full", "jsn:a.json"]', 4, ", did you mean `json`?"),
        ('per-file-ignores = ["a"]', 4, """write `per-file-ignores."tests/**" = ["ALL"]`"""),
        ('[tool.mllint.per-file-ignores]\n"tests/*" = "ALL"', 4, 'write `"tests/*" = ["..."]`'),
        ("rules.double-softmax = 3", 4, "write `rules.double-softmax.OPTION = ...`"),
        ("[tool.mllint.slect]", 4, "unknown key `slect`"),
        ('select = [\n  "double-softmax",\n  "double-sotfmax",\n]', 6, "did you mean `double-softmax`?"),
        ('ignore = ["los"]', 4, "`los` in `ignore` is not a rule, family or selector, did you mean `loss`?"),
        ('extend-select = ["framework:jaxx"]', 4, "`framework:jaxx`"),
        ("[tool.mllint.rules.missing-sed]\nx = 1", 4, "did you mean `missing-seed`?"),
        ("[tool.mllint.rules.missing-seed]\nfunction = []", 5, "no option `function`, did you mean `functions`?"),
        ("[tool.mllint.rules.missing-seed]\nx = 1", 5, "has no option `x`; it has `functions`, `strict`"),
        ("[tool.mllint.rules.double-softmax]\nx = 1", 5, "has no option `x`; it has none"),
        ("[tool.mllint.rules.missing-seed]\nstrict = 1", 5, "`strict` of `missing-seed` is true or false, not `1`"),
        ('rules.missing-seed.functions = "seed"', 4, "is a list of strings, not `seed`"),
        ('edition = "2025"', 4, "`edition` is one of 2026, not `2025`, did you mean `2026`?"),
        ("edition = 2026", 4, '`edition` takes a string: write `edition = "2026"`'),
        ('min-confidence = "hi"', 4, "`min-confidence` is one of low, medium, high, not `hi`"),
        ("target-versions = ['torch']", 4, 'write `target-versions.torch = ">=2.4"`'),
        ("[tool.mllint.target-versions]\ntorch = 2.4", 4, 'write `torch = ">=2.4"`'),
        ("extend = ['a.toml']", 4, '`extend` takes a string, such as `extend = "../mllint.toml"`'),
        ('extend = "a.toml"', 4, "`extend` names `a.toml`, which does not exist"),
        ('extend = "../mllint.toml/pyproject.toml"', 4, "which does not exist"),
        ('extend = "."', 4, "which does not exist"),
        ('extend = "pyproject.toml"', 4, "`extend` leads back to `pyproject.toml`"),
        ('select = ["loss"', 4, "this is not TOML"),
        ("ignore = [", 4, "this is not TOML"),
    ],
)
def test_mistakes_have_a_line_and_a_suggestion(project: Path, text: str, line: int, words: str) -> None:
    error = refused(project, f'[project]\nname = "slect los"\n[tool.mllint]\n{text}')
    assert words in error.message
    assert (error.path, error.line) == ("pyproject.toml", line)


def test_mistakes_in_odd_places(project: Path) -> None:
    assert refused(project, "[tool]\nmllint = 3").message == "`tool.mllint` is a table: write `[tool.mllint]`"
    error = refused(project, "[tool.mllint]\nselect = []", "mllint.toml")
    assert str(error).startswith("mllint.toml:1: here keys stand by themselves, without `[tool.mllint]`")
    error = refused(project, 'extend = "mllin.toml"', "mllint.toml")
    assert str(error) == "mllint.toml:1: `extend` names `mllin.toml`, which does not exist"
    error = refused(project, "\nslect = []", "mllint.toml")
    assert str(error) == "mllint.toml:2: unknown key `slect`, did you mean `select`?"
    (project / "mllint.toml").write_bytes(b"# \xff")
    with pytest.raises(ConfigError, match=r"mllint.toml:1: is not UTF-8"):
        load(["."])


def test_the_file_is_named_relative_to_the_current_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "mllint.toml").write_text("slect = []")
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    with pytest.raises(ConfigError) as caught:
        load(["."])
    assert caught.value.path == (project / "mllint.toml").as_posix()


# ---------------------------------------------------------------------------------------------------------- selection
def selected(**fields: object) -> set[str]:
    return set(resolve_selection(Config(**fields), INFOS))


def test_default_means_the_regular_rules() -> None:
    assert selected() == REGULAR
    assert selected(pedantic=True) == {*REGULAR, "sigmoid-then-bce"}
    assert selected(select=("ALL",)) == {info.name for info in INFOS}


def test_selectors() -> None:
    assert selected(select=("loss",)) == {"double-softmax"}
    assert selected(select=("loss",), pedantic=True) == {"double-softmax", "sigmoid-then-bce"}
    assert selected(select=("sigmoid-then-bce",)) == {"sigmoid-then-bce"}
    assert selected(select=("softmax-twice",)) == {"double-softmax"}
    assert selected(select=("persona:pedantic",)) == {"sigmoid-then-bce"}
    assert selected(select=("persona:auditor",)) == {"pickle-load"}
    assert selected(select=("framework:keras",)) == {"double-softmax"}
    assert selected(select=()) == set()


def test_the_more_specific_selector_wins() -> None:
    assert selected(ignore=("loss",)) == {"missing-zero-grad", "missing-seed"}
    assert selected(select=("double-softmax", "optimizer"), ignore=("loss",)) == {"double-softmax", "missing-zero-grad"}
    assert selected(select=("ALL",), ignore=("loss",)) == {"missing-zero-grad", "missing-seed", "pickle-load"}
    assert selected(select=("loss",), ignore=("double-softmax",), extend_select=("missing-seed",)) == {"missing-seed"}
    assert selected(ignore=("double-softmax",), extend_select=("double-softmax",)) == REGULAR - {"double-softmax"}


def test_an_unknown_selector_of_the_command_line_has_no_file() -> None:
    with pytest.raises(ConfigError) as caught:
        selected(select=("double-sofmax",))
    assert str(caught.value) == (
        "`double-sofmax` in `select` is not a rule, family or selector, did you mean `double-softmax`?"
    )
    with pytest.raises(ConfigError, match=r"; `mllint rules` lists them"):
        selected(select=("zzz",))


def test_an_unknown_selector_of_the_command_line_beside_a_file(project: Path) -> None:
    config = configured(project, '[tool.mllint]\nselect = ["loss"]').merge(ignore=["missing-sed"])
    with pytest.raises(ConfigError) as caught:
        resolve_selection(config, INFOS)
    assert (caught.value.path, caught.value.line) == ("", None)


def test_the_command_line_goes_on_top() -> None:
    config = Config(select=("loss",), ignore=("double-softmax",), extend_exclude=("a",), fail_on="error")
    assert config.merge() == config
    assert config.merge(select=["ALL"])[:3] == (("ALL",), (), ())
    assert config.merge(ignore=["missing-seed"]).ignore == ("double-softmax", "missing-seed")
    assert config.merge(extend_exclude=["b"], exclude=["c"]).extend_exclude == ("a", "b")
    assert config.merge(exclude=["c"]).exclude == ("c",)
    assert config.merge(fail_on="never", output_format=None).fail_on == "never"
    assert config._replace(pedantic=True).merge(pedantic=False).pedantic


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("tests/**", "tests/a.py", True),
        ("tests/**", "src/tests/a.py", False),
        ("tests/*", "tests/deep/a.py", True),
        ("tests", "src/tests/a.py", True),
        ("tests/", "tests/a.py", True),
        ("**/tests/*.py", "tests/a.py", True),
        ("**/tests/*.py", "src/tests/a.py", True),
        ("src/**/gen.py", "src/gen.py", True),
        ("src/**/gen.py", "src/deep/er/gen.py", True),
        ("src/**/gen.py", "src/regen.py", False),
        ("train.py", "src/train.py", True),
        ("*_test.py", "src/net_test.py", True),
        ("src/train.py", "src/train.py", True),
        ("./src/train.py", "src/train.py", True),
        ("src/train.py", "other/src/train.py", False),
        ("src/gen", "src/gen/deep/a.py", True),
        ("rain.py", "src/train.py", False),
    ],
)
def test_per_file_ignores_match_as_expected(project: Path, pattern: str, path: str, matches: bool) -> None:
    config = Config(per_file_ignores=((pattern, ("loss", "missing-seed")),), root=str(project))
    expected = {"double-softmax", "sigmoid-then-bce", "missing-seed"} if matches else set()
    assert ignored_for(config, INFOS, path) == expected
    assert ignored_for(config, INFOS, str(project / path)) == expected


def test_per_file_ignores_count_from_the_configuration(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = configured(project, '[tool.mllint]\nper-file-ignores = { "src/a.py" = ["ALL"], "b.py" = ["losss"] }')
    (project / "src").mkdir()
    with pytest.raises(ConfigError, match=r"pyproject.toml:2: `losss` in `per-file-ignores`.*`loss`"):
        ignored_for(config, INFOS, "src/a.py")
    config = config._replace(per_file_ignores=config.per_file_ignores[:1])
    monkeypatch.chdir(project / "src")
    assert len(ignored_for(config, INFOS, "a.py")) == len(INFOS)
    assert ignored_for(Config(), INFOS, "a.py") == frozenset()
