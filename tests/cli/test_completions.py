"""The completion scripts are made from the parsers, and real shells complete with them."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from mllint import commands
from mllint.catalogue import pages as catalogue
from mllint.commands.check_options import OPTIONS
from mllint.completions import SHELLS
from mllint.config.model import FAIL_ON, OUTPUT_FORMATS
from mllint.config.schema import KEYS

RULES = set(catalogue.rules())
COMMANDS = {*commands.COMMANDS, "version"}


def shell(name: str, *words: str, text: str = "") -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    done = subprocess.run([found, *words], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def script(mllint, tmp_path):
    def write(name: str) -> str:
        path = tmp_path / f"completions.{name}"
        path.write_text(mllint("completions", name).out, encoding="utf-8")
        return str(path)

    return write


CASES = [
    ("mllint ", COMMANDS),
    ("mllint ch", {"check"}),
    ("trainlint ba", {"baseline"}),
    ("mllint check --fail-on ", set(FAIL_ON)),
    ("mllint check --output j", {word for word in OUTPUT_FORMATS if word.startswith("j")}),
    ("mllint check --output-format sar", {"sarif"}),
    ("mllint check --stat", {"--statistics"}),
    ("mllint check --select double-", {"double-softmax"}),
    ("mllint check --select loss,double-", {"loss,double-softmax"}),
    ("mllint explain mode-", {rule for rule in RULES if rule.startswith("mode-")}),
    ("mllint config per-", {"per-file-ignores"}),
    ("mllint completions ", set(SHELLS)),
    ("mllint baseline ", {"create", "update", "prune", "show"}),
    ("mllint rules --output-format f", {"full"}),
]


@pytest.mark.parametrize(("line", "expected"), [*CASES, ("mllint check --fail-on=n", {"never"})])
def test_bash(script, line, expected):
    words = line.replace("=", " = ").split() + ([""] if line.endswith(" ") else [])
    program = (
        f"source '{script('bash')}'\nCOMP_WORDS=({' '.join(repr(word) for word in words)})\n"
        f"COMP_CWORD={len(words) - 1}\n_mllint\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\ncomplete -p mllint trainlint\n"
    )
    *found, first, second = shell("bash", "--norc", text=program).strip("\n").split("\n")
    assert first.endswith(" mllint") and second.endswith(" trainlint")
    assert set(found) == expected


def test_bash_leaves_files_to_bash(script):
    program = (
        f"source '{script('bash')}'\nCOMP_WORDS=(mllint check src)\nCOMP_CWORD=2\n_mllint\necho ${{#COMPREPLY[@]}}\n"
    )
    assert shell("bash", "--norc", text=program) == "0\n"


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_fish(script, line, expected):
    program = f"source '{script('fish')}'\ncomplete -C '{line}'\n"
    found = {row.partition("\t")[0] for row in shell("fish", "--no-config", text=program).strip("\n").split("\n")}
    if "," not in line:  # fish completes the whole word
        assert {word for word in found if "." not in word} == expected, "besides files"


ZSH = """\
autoload -Uz compinit
compinit -D -u
source '{script}'
bindkey '^I' complete-word
compadd() {{  # tells what it is given, unless it is asked to fill an array
    if [[ ${{@[1,(i)(-|--)]}} != *-(O|A|D)\\ * ]]; then
        local -a hits
        builtin compadd -A hits "$@"
        (( $#hits )) && print -rl -- $IPREFIX$^hits >> '{found}'
    fi
    builtin compadd "$@"
}}
leave() {{ mv '{found}' '{found}.whole'; exit }}
comppostfuncs=(leave)
print '' > '{found}'
"""


def waited(path: Path) -> None:
    """Wait until there is such a file."""
    for _ in range(1500):
        if path.exists():
            return
        time.sleep(0.02)
    raise AssertionError(f"zsh has not written {path.name}")


@pytest.mark.skipif(os.name != "posix", reason="needs a terminal of POSIX")
@pytest.mark.parametrize(("line", "expected"), CASES)
def test_zsh(script, tmp_path, line, expected):
    """A real shell in a terminal: the words are typed, then a tab."""
    import pty

    zsh = shutil.which("zsh")
    if zsh is None:
        pytest.skip("zsh is not installed")
    found = tmp_path / "found"
    (tmp_path / "start.zsh").write_text(ZSH.format(script=script("zsh"), found=found), encoding="utf-8")
    master, slave = pty.openpty()
    with subprocess.Popen(
        [zsh, "-f", "-i"], stdin=slave, stdout=slave, stderr=slave, start_new_session=True, cwd=tmp_path
    ) as running:
        os.close(slave)
        os.write(master, b"source start.zsh\n")
        waited(found)
        os.write(master, f"{line}\t".encode())
        waited(tmp_path / "found.whole")
        running.kill()
    os.close(master)
    assert set((tmp_path / "found.whole").read_text(encoding="utf-8").split()) == expected


def test_zsh_reads_the_script_and_knows_every_command(script):
    path = script("zsh")
    program = f"autoload -Uz compinit\ncompinit -D -u\nsource '{path}'\nprint $_comps[mllint] $_comps[trainlint]\n"
    assert shell("zsh", "-f", text=program) == "_mllint _mllint\n"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    assert all(f"        {name})\n" in text for name in COMMANDS)
    shell("zsh", "-n", path)


@pytest.mark.parametrize("name", SHELLS)
def test_every_option_and_key_is_in_the_script(mllint, name):
    out = mllint("completions", name).out
    for option in OPTIONS:
        for written in option.names.split():
            assert (written if name != "fish" else f"-l {written[2:]}" if written[:2] == "--" else written[1:]) in out
    assert all(key.name in out for key in KEYS)


def test_an_unknown_shell_is_refused_with_the_nearest(mllint):
    result = mllint("completions", "fsh")
    assert result.code == 2 and "`fsh` is not one of bash, zsh, fish, did you mean `fish`?" in result.err
    assert mllint("completions").code == 2
