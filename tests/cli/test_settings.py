"""`mllint config`, `mllint init`, `--show-settings`, `--show-files`."""

from __future__ import annotations

import json

import pytest

from mllint import cli
from mllint.config.load import load
from mllint.config.schema import KEYS


@pytest.fixture
def configured(project):
    (project / "base.toml").write_text('ignore = ["randomness"]\nfail-on = "info"\n')
    (project / "mllint.toml").write_text(
        'extend = "base.toml"\nignore = ["loss"]\nedition = "2026"\n'
        '[rules.unseeded-training]\nseeding-functions = ["lab.prepare"]\n'
        '[per-file-ignores]\n"tests/**" = ["ALL"]\n'
    )
    (project / "requirements.txt").write_text("torch>=2.3\n")
    return project


def rows(text):
    return [" ".join(line.split()) for line in text.split("\n")]


# -------------------------------------------------------------------------------------------------------------- config
def test_config_tells_each_value_and_where_it_comes_from(configured, mllint):
    lines = rows(mllint("config").out)
    assert lines[0] == "Configuration: mllint.toml"
    for line in (
        'select ["DEFAULT"] default',
        'ignore ["randomness"] base.toml:1',
        'ignore ["loss"] mllint.toml:2',
        'per-file-ignores."tests/**" ["ALL"] mllint.toml:7',
        'edition "2026" mllint.toml:3',
        'fail-on "info" base.toml:2',
        'target-versions.torch ">=2.3" requirements.txt:1',
        'rules.unseeded-training.seeding-functions ["lab.prepare"] mllint.toml:5',
    ):
        assert line in lines
    assert 'fail-on "never" --config' in rows(mllint("config", "--config", 'fail-on = "never"').out)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_key_is_explained_and_its_example_and_default_are_valid(configured, mllint, key):
    out = mllint("config", key.name).out
    assert out.startswith(f"{key.name}\n") and key.example.split("\n")[0] in out
    if key.name == "extend":
        return
    for text in (key.example, f"{key.name} = {key.default}" if key.default != '""' else ""):
        (configured / "mllint.toml").write_text(text.replace("[tool.mllint.", "["))
        assert mllint("config", "--output-format", "json").code == 0


def test_config_shows_what_holds_here(configured, mllint):
    assert mllint("config", "ignore").out.endswith(
        'Here:\n\n    ignore = ["randomness"]  (base.toml:1)\n    ignore = ["loss"]  (mllint.toml:2)\n'
    )
    out = mllint("config", "rules.unseeded-training").out
    assert 'Type: a list of strings\nDefault: []\nHere: ["lab.prepare"]\n' in out
    assert mllint("config", "rules.double-softmax").out == "`double-softmax` has no options.\n"


def test_explain_names_the_options_of_a_rule(mllint):
    lines = mllint("explain", "masked-nan").out.split("\n")
    assert "Option: allow-logging: a branch that prints or logs hides nothing" in lines
    assert not any(line.startswith("Option") for line in mllint("explain", "double-softmax").out.split("\n"))


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("per_file_ignore", "there is no key `per_file_ignore`, did you mean `per-file-ignores`?"),
        ("rules.unseeded-traning", "there is no rule `unseeded-traning`, did you mean `unseeded-training`?"),
        ("rules.unseeded-training.seeds", "`unseeded-training` has no option `seeds`"),
    ],
)
def test_config_names_the_nearest_key(project, mllint, key, message):
    result = mllint("config", key)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_config_as_json(configured, mllint):
    document = json.loads(mllint("config", "--output-format", "json").out)
    assert document["path"] == "mllint.toml"
    keys = {key["name"]: key for key in document["keys"]}
    assert set(keys) == {key.name for key in KEYS}
    assert keys["fail-on"]["here"] == [{"name": "fail-on", "value": '"info"', "origin": "base.toml:2"}]


# ------------------------------------------------------------------------------------------------------- show-settings
def test_show_settings_says_why_each_rule_is_on_or_off(configured, mllint):
    result = mllint("check", "--show-settings", "--min-confidence", "high", "--select", "DEFAULT")
    assert result.code == 0
    lines = rows(result.out)
    assert lines[0] == "Configuration: mllint.toml (and base.toml, requirements.txt)"
    assert "on clip-before-unscale `DEFAULT` in `select` (the command line)" in lines
    medium = "off missing-no-grad its confidence is medium, `min-confidence` is high (the command line)"
    assert medium in lines
    lines = rows(mllint("check", "--show-settings").out)
    assert "off double-softmax `loss` in `ignore` (mllint.toml:2)" in lines
    assert "off unseeded-shuffle `randomness` in `ignore` (base.toml:1)" in lines
    assert "on fit-on-test `DEFAULT` in `select` (default)" in lines
    (configured / "mllint.toml").write_text("")
    lines = rows(mllint("check", "--show-settings").out)
    assert "off redundant-log-softmax it is for persona pedantic: `--pedantic` switches it on" in lines
    assert "off fit-on-test no selector is about it" in rows(mllint("check", "--show-settings", "--select", "loss").out)


def test_show_files(configured, mllint):
    (configured / "wandb").mkdir()
    (configured / "wandb" / "run.py").write_text("")
    assert mllint("check", "--show-files").out == "explore.ipynb\nmodel.py\ntrain.py\n"
    assert mllint("check", "--show-files", "wandb/run.py", "train.py").out == "train.py\nwandb/run.py\n"
    assert mllint("check", "--show-files", "nothing.py").code == 2


# ---------------------------------------------------------------------------------------------------------------- init
def test_init_writes_a_configuration_that_is_valid_and_only_once(project, mllint):
    result = mllint("init")
    assert result.code == 0 and result.out.startswith("Wrote mllint.toml\n")
    before = (project / "mllint.toml").read_bytes()
    assert load(["."]).edition == "2026"
    assert mllint("init").out == "mllint is configured already in mllint.toml\n"
    assert (project / "mllint.toml").read_bytes() == before


def test_init_adds_a_table_to_a_pyproject_and_changes_nothing_of_it(project, mllint):
    before = b'[project]\r\nname = "x"  # \xc3\xa4'
    (project / "pyproject.toml").write_bytes(before)
    assert mllint("init").out.startswith("Added [tool.mllint] to pyproject.toml\n")
    after = (project / "pyproject.toml").read_bytes()
    assert after.startswith(before + b"\r\n\r\n[tool.mllint]\r\n") and b"\n" not in after.replace(b"\r\n", b"")
    assert load(["."]).edition == "2026"
    assert not (project / "mllint.toml").exists()
    assert mllint("init").out == "mllint is configured already in pyproject.toml\n"
    assert (project / "pyproject.toml").read_bytes() == after


def test_init_proposes_to_leave_out_what_is_not_the_project_s(project, mllint):
    for path in ("third_party/net/a.py", "src/x_pb2.py", "libs/other/b.py", "vendor/README.md", "src/own.py"):
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text("")
    (project / ".gitmodules").write_text('[submodule "other"]\n\tpath = libs/other\n\turl = x\n')
    assert mllint("init", "--print").out.endswith('extend-exclude = ["*_pb2.py", "libs/other", "third_party"]\n')
    assert not (project / "mllint.toml").exists()
    mllint("init")
    assert mllint("check", "--show-files").out == "explore.ipynb\nmodel.py\nsrc/own.py\ntrain.py\n"


def test_init_below_a_configuration_starts_from_it(project, mllint):
    (project / "pyproject.toml").write_text('[tool.mllint]\nignore = ["loss"]\n')
    (project / "package").mkdir()
    (project / "package" / "pyproject.toml").write_text("")
    assert mllint("init", "package").out.startswith(
        "Added [tool.mllint] to package/pyproject.toml\n  it extends ../pyproject.toml\n"
    )
    assert load(["package"]).ignore == ("loss",)


def test_init_where_a_table_cannot_be_added(project, mllint):
    (project / "pyproject.toml").write_text("tool = { a = 1 }\n")
    assert mllint("init").out.startswith("Wrote mllint.toml\n")
    assert (project / "pyproject.toml").read_text() == "tool = { a = 1 }\n"


def test_init_refuses_what_it_cannot_do(project, mllint):
    assert "`train.py` is not a folder" in mllint("init", "train.py").err
    (project / "pyproject.toml").write_text("= =")
    result = mllint("init")
    assert result.code == 2 and "pyproject.toml:1: this is not TOML" in result.err
    (project / "pyproject.toml").unlink()
    (project / "mllint.toml").mkdir()
    assert "cannot be written" in mllint("init").err


def test_init_is_a_command_of_the_help(capsys):
    cli.main(["--help"])
    out = capsys.readouterr().out
    assert "  init         Write a configuration to start from" in out and "  config       Show what" in out
