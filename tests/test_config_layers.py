"""What several files and the command line say is put together, and everybody can be told where a value comes from."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mllint.config.load import load
from mllint.config.model import Config
from mllint.config.schema import KEYS, Key
from mllint.config.selection import Decision, decide, resolve_selection
from mllint.config.toml import place_of
from mllint.errors import ConfigError, MllintError, UsageError
from tests.test_config import INFOS, REGULAR, Info


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


# ------------------------------------------------------------------------------------------------------------- extend
def test_what_is_said_goes_on_top_of_what_is_extended(project: Path) -> None:
    write(
        project / "shared/strict.toml",
        """
        extend = "base.toml"
        ignore = ["missing-seed"]
        fail-on = "error"
        per-file-ignores = { "tests/**" = ["ALL"] }
        target-versions = { torch = ">=2.4", numpy = ">=2" }
        rules.missing-seed = { functions = ["a"], strict = true }
        """,
    )
    write(project / "shared/base.toml", 'extend-exclude = ["old"]\noutput-format = "json"\nstubs = ["typings"]')
    write(
        project / "app/mllint.toml",
        """
        extend = "../shared/strict.toml"
        ignore = ["double-softmax"]
        fail-on = "info"
        extend-exclude = ["new"]
        target-versions = { torch = ">=2.6" }
        rules.missing-seed.functions = ["b"]
        """,
    )
    config = load(["app"])
    assert config.ignore == ("missing-seed", "double-softmax")
    assert (config.fail_on, config.output_format) == ("info", ("json",))
    assert config.extend_exclude == ("old", "new")
    assert config.per_file_ignores == (("tests/**", ("ALL",)),)
    assert config.stubs == (str(project / "shared/typings"),)
    assert config.target_versions == {"torch": ">=2.6", "numpy": ">=2"}
    assert config.rules == {"missing-seed": {"functions": ["b"], "strict": True}}
    assert (config.path, config.root) == ("app/mllint.toml", str(project / "app"))


def test_a_select_of_its_own_starts_afresh(project: Path) -> None:
    write(project / "base.toml", 'select = ["ALL"]\nignore = ["loss"]\nextend-select = ["optimizer"]')
    write(project / "mllint.toml", 'extend = "base.toml"\nselect = ["loss"]')
    assert load(["."])[:3] == (("loss",), (), ())


def test_a_flag_can_be_switched_off_again(project: Path) -> None:
    write(project / "base.toml", "pedantic = true")
    write(project / "mllint.toml", 'extend = "base.toml"\npedantic = false')
    assert load(["."]).pedantic is False


def test_a_table_of_a_pyproject_can_be_extended(project: Path) -> None:
    write(project / "pyproject.toml", '[tool.mllint]\nignore = ["loss"]')
    write(project / "sub/pyproject.toml", '[tool.mllint]\nextend = "../pyproject.toml"')
    assert load(["sub"]).ignore == ("loss",)
    write(project / "pyproject.toml", "[project]")
    with pytest.raises(ConfigError, match=r"^sub/pyproject.toml:2: .* has no table `\[tool.mllint\]`$"):
        load(["sub"])


def test_a_mistake_in_an_extended_file_is_told_there(project: Path) -> None:
    write(project / "base.toml", '\n\nignore = ["los"]')
    write(project / "mllint.toml", 'extend = "base.toml"')
    with pytest.raises(ConfigError, match=r"^base.toml:3: `los` in `ignore` .* did you mean `loss`\?$"):
        resolve_selection(load(["."]), INFOS)
    write(project / "base.toml", "slect = []")
    with pytest.raises(ConfigError, match=r"^base.toml:1: unknown key `slect`"):
        load(["."])


def test_files_that_extend_each_other_are_refused(project: Path) -> None:
    write(project / "a.toml", 'extend = "b.toml"')
    write(project / "b.toml", '\nextend = "a.toml"')
    write(project / "mllint.toml", 'extend = "a.toml"')
    with pytest.raises(ConfigError, match=r"^b.toml:2: `extend` leads back to `a.toml`$"):
        load(["."])
    write(project / "mllint.toml", 'extend = "c.toml"')
    with pytest.raises(ConfigError, match=r"^mllint.toml:1: .* `c.toml`, which does not exist"):
        load(["."])


# ------------------------------------------------------------------------------------------------------------ --config
def test_a_given_file_replaces_the_one_that_would_be_found(project: Path) -> None:
    write(project / "mllint.toml", 'ignore = ["loss"]')
    write(project / "ci/strict.toml", 'fail-on = "info"\nextend-exclude = ["gen"]')
    config = load(["."], given=["ci/strict.toml"])
    assert (config.ignore, config.fail_on, config.path) == ((), "info", "ci/strict.toml")
    assert config.root == str(project), "globs count from the current folder"


def test_given_toml_goes_on_top_of_the_files(project: Path) -> None:
    write(project / "mllint.toml", 'ignore = ["loss"]\nfail-on = "info"')
    given = ['fail-on = "error"', "rules.missing-seed.strict = true", 'ignore = ["optimizer"]']
    config = load(["."], given=given)
    assert config.fail_on == "error" and config.ignore == ("loss", "optimizer")
    assert config.rules == {"missing-seed": {"strict": True}}
    assert load(["."], isolated=True, given=given).ignore == ("optimizer",)


@pytest.mark.parametrize(
    ("given", "toml"),
    [
        ("fail-on=error", 'fail-on = "error"'),
        ("select=loss, data", 'select = ["loss", "data"]'),
        ("output-format=json:a.json", 'output-format = ["json:a.json"]'),
        ("pedantic=true", "pedantic = true"),
    ],
)
def test_quotes_can_be_spared(project: Path, given: str, toml: str) -> None:
    assert load(["."], given=[given])._replace(layers=()) == load(["."], given=[toml])._replace(layers=())


@pytest.mark.parametrize("key", [key for key in KEYS if key.kind in ("names", "choice", "flag", "outputs", "globs")])
def test_the_example_of_a_hint_works(project: Path, key: Key) -> None:
    with pytest.raises(MllintError) as caught:
        load(["."], given=[f"{key.name}=[]["])
    (example,) = re.findall(r"--config '(.+)'`", str(caught.value))
    assert example.startswith(f"{key.name} = ") and load(["."], given=[example])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["stric.toml"], "there is no configuration file `stric.toml`, did you mean `strict.toml`?"),
        (["strict.toml", "other.toml"], "`--config` takes one file, not both `strict.toml` and `other.toml`"),
        (["fail-on=eror"], "--config: `fail-on` is one of error, warning, info, never, not `eror`"),
        (["pedantic=yes"], "TOML such as `--config 'pedantic = true'`"),
        (["fail-on = ["], "is neither a file nor TOML"),
        (["slect=[]"], "--config: unknown key `slect`, did you mean `select`?"),
        (['fail-on="eror"'], "--config: `fail-on` is one of error, warning, info, never, not `eror`"),
        (['ignore=["los"]'], "--config: `los` in `ignore` is not a rule"),
        (["pyproject.toml"], "pyproject.toml: there is no table `[tool.mllint]`"),
    ],
)
def test_mistakes_in_what_is_given(project: Path, given: list[str], message: str) -> None:
    write(project / "strict.toml", "")
    write(project / "other.toml", "")
    write(project / "pyproject.toml", "[project]")
    with pytest.raises(MllintError) as caught:
        resolve_selection(load(["."], given=given), INFOS)
    assert message in str(caught.value)


def test_a_given_file_and_isolated_contradict_each_other(project: Path) -> None:
    write(project / "strict.toml", "")
    with pytest.raises(UsageError, match="contradict"):
        load(["."], isolated=True, given=["strict.toml"])


# ------------------------------------------------------------------------------------------------------------- origins
def test_each_value_knows_where_it_comes_from(project: Path) -> None:
    write(project / "base.toml", '\nignore = ["loss"]\nfail-on = "info"')
    write(project / "mllint.toml", 'extend = "base.toml"\nignore = ["optimizer"]')
    config = load(["."], given=['fail-on = "error"']).merge(ignore=("missing-seed",))
    assert place_of(config.origin("ignore", "loss"), "loss") == ("base.toml", 2)
    assert place_of(config.origin("ignore", "optimizer"), "optimizer") == ("mllint.toml", 2)
    assert place_of(config.origin("ignore", "missing-seed"), "missing-seed") == ("", None)
    assert place_of(config.origin("fail_on"), "fail-on") == ("--config", None)
    assert config.origin("output_format") is None


# ----------------------------------------------------------------------------------------------------------- selection
def test_the_decision_names_what_decided() -> None:
    config = Config(select=("DEFAULT", "sigmoid-then-bce"), ignore=("loss", "double-softmax"))
    found = decide(config, INFOS)
    assert found["double-softmax"] == Decision(False, "ignore", "double-softmax")
    assert found["sigmoid-then-bce"] == Decision(True, "select", "sigmoid-then-bce")
    assert found["missing-seed"] == Decision(True, "select", "DEFAULT")
    assert found["pickle-load"] == Decision(False)


def test_an_edition_holds_newer_rules_back() -> None:
    infos = [*INFOS, Info("newer", "loss", since="0.2")]
    assert resolve_selection(Config(), infos) == {*REGULAR, "newer"}
    assert resolve_selection(Config(edition="2026"), infos) == REGULAR
    assert "newer" in resolve_selection(Config(edition="2026", extend_select=("loss",)), infos)


def test_less_sure_rules_can_be_left_out() -> None:
    infos = [*INFOS, Info("perhaps", "loss", confidence="medium"), Info("maybe", "loss", confidence="low")]
    assert resolve_selection(Config(), infos) == {*REGULAR, "perhaps", "maybe"}
    assert resolve_selection(Config(min_confidence="medium"), infos) == {*REGULAR, "perhaps"}
    assert resolve_selection(Config(min_confidence="high", select=("perhaps", "missing-seed")), infos) == {
        "missing-seed"
    }
    assert decide(Config(min_confidence="high"), infos)["perhaps"] == Decision(False, "min-confidence")


def test_what_is_ignored_per_file_must_exist(project: Path) -> None:
    write(project / "mllint.toml", 'per-file-ignores = { "a.py" = ["losss"] }')
    with pytest.raises(ConfigError, match=r"^mllint.toml:1: `losss` in `per-file-ignores`"):
        resolve_selection(load(["."]), INFOS)


def test_auditors_get_all_personas() -> None:
    config = Config().merge(auditor=True)
    assert config.pedantic
    assert resolve_selection(config, INFOS) == {info.name for info in INFOS}
