"""How a command line is read: order, repetition, environment variables, and what stands behind `--`."""

from __future__ import annotations

from dataclasses import fields

import pytest
from click import Context

from mllint.cli.app import COMMANDS, app
from mllint.cli.check import command as check
from mllint.cli.options import OPTIONS, Options


def read(line: str) -> Options:
    """The options that `mllint check` is called with."""
    with check.make_context("check", line.split()) as context:
        return Options(**context.params)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", Options()),
        (".", Options(paths=(".",))),
        ("-", Options(paths=("-",))),
        ("src --select loss a.py --select data,optimizer", Options(("src", "a.py"), select=("loss", "data,optimizer"))),
        ("-f full --output json:a.json --output-format=junit", Options(output_format=("full", "json:a.json", "junit"))),
        ("-j2 -qv", Options(jobs="2", quiet=True, verbose=True)),
        ("--add-ignore src", Options(("src",), add_ignore="")),
        ("--add-ignore=legacy src", Options(("src",), add_ignore="legacy")),
        ("-q -- -w.py --select", Options(("./-w.py", "./--select"), quiet=True)),
        ("--stdin-filename x.py -", Options(("-",), stdin_filename="x.py")),
    ],
)
def test_a_command_line_is_read_in_any_order(line: str, expected: Options) -> None:
    assert read(line) == expected


def test_environment_variables_stand_for_options_that_are_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLLINT_SELECT", "loss,data")
    monkeypatch.setenv("MLLINT_OUTPUT_FORMAT", "full json:a.json")
    monkeypatch.setenv("MLLINT_CONFIG", 'fail-on = "never"')
    monkeypatch.setenv("MLLINT_NO_CACHE", "1")
    monkeypatch.setenv("MLLINT_ISOLATED", "0")
    monkeypatch.setenv("MLLINT_JOBS", "3")
    monkeypatch.setenv("MLLINT_CACHE_DIR", "")
    options = read("--jobs 2")
    assert options.select == ("loss,data",)
    assert options.output_format == ("full", "json:a.json")
    assert options.config == ('fail-on = "never"',)
    assert (options.no_cache, options.isolated, options.jobs, options.cache_dir) == (True, False, "2", None)


def test_a_wrong_environment_variable_is_named(mllint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLLINT_FAIL_ON", "warn")
    result = mllint("check")
    assert result.code == 2
    assert result.err.startswith("mllint: error: MLLINT_FAIL_ON: `warn` is not one of error, warning, info, never, ")


def test_each_option_has_a_field_and_each_field_an_option() -> None:
    assert {option.name for option in OPTIONS} | {"paths"} == {field.name for field in fields(Options)}


@pytest.mark.parametrize("option", [option for option in OPTIONS if option.writes], ids=lambda option: option.name)
def test_no_error_proposes_an_option_that_writes_files(mllint, option) -> None:
    for name in option.written:
        if name.startswith("--"):
            assert f"did you mean `{name}`" not in mllint("check", f"{name}x").err


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_fits_a_narrow_terminal(mllint, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    result = mllint(name, "--help")
    assert result.code == 0 and result.out.startswith(f"Usage: mllint {name}")
    assert max(map(len, result.out.split("\n"))) <= 60
    command = app.get_command(Context(app), name)
    assert command is not None
    for option in (option for parameter in command.params for option in parameter.opts if option.startswith("--")):
        assert option in result.out


def test_the_help_has_headings(mllint) -> None:
    lines = mllint("check", "--help").out.split("\n")
    assert {"Selection:", "Output:", "Configuration and files:", "The run:"} <= set(lines)
