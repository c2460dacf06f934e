"""The quick way of reading a command line says what argparse says, or leaves it to argparse."""

from __future__ import annotations

import pytest

from mllint import commands
from mllint.commands import check_options as check

PLAIN = [
    "",
    ".",
    "a.py b.py",
    "-",
    "--isolated --output-format concise train.py",
    "--output-format=json src",
    "--output full --output-format json:out.json --output=json-lines:a.jsonl --output-file x.txt",
    "src --select loss --select data,optimizer --ignore missing-seed",
    "--extend-select=autograd -q src -v",
    "--config mllint.toml -j 3",
    "-j2 src",
    "--add-ignore src",
    "--add-ignore=legacy src",
    "--stdin-filename x.py -",
    "--pedantic --exit-zero --statistics --no-cache --quiet --verbose --color never --fail-on error",
]
ODD = [
    "--help",
    "--select",
    "--output-format html",
    "--output json:",
    "--color=red",
    "--nothing",
    "-x",
    "--quiet=1",
    "-- a.py",
    "-qv",
]
ODD += ["--fail-on --quiet", "-j 0", "-j0", "--jobs=many", "--config"]


@pytest.mark.parametrize("line", PLAIN)
def test_plain_lines_are_read_as_argparse_reads_them(line: str) -> None:
    quick, full = check.simple_options(line.split()), check.all_options(line.split())
    assert quick is not None
    names = [name for name in vars(check.Options) if not name.startswith("_")]
    assert len(names) > 10
    assert {n: getattr(quick, n) for n in ["paths", *names]} == {n: getattr(full, n) for n in ["paths", *names]}


@pytest.mark.parametrize("line", ODD)
def test_anything_else_is_left_to_argparse(line: str) -> None:
    assert check.simple_options(line.split()) is None


def test_each_option_of_the_table_has_an_attribute_and_each_attribute_an_option() -> None:
    fields = {option.field for option in check.OPTIONS}
    names = set(vars(check.Options)) | set(check.Options.__annotations__)
    assert fields | {"paths"} == {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("command", sorted(commands.COMMANDS))
def test_every_command_has_a_parser_of_its_own(command: str) -> None:
    module = __import__(f"mllint.commands.{command}", fromlist=["parser"])
    assert module.parser().prog == f"mllint {command}"
