"""Real shells complete command lines with the scripts that `mllint completions` prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mllint.catalogue import pages as catalogue
from mllint.cli.app import COMMANDS
from mllint.cli.completions import SHELLS
from mllint.config.model import FAIL_ON, OUTPUT_FORMATS

RULES = set(catalogue.rules())


def shell(name: str, *words: str, text: str = "") -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    done = subprocess.run([found, *words], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def script(mllint, tmp_path, monkeypatch):
    """Writes the script of a shell; the programs that it calls are in the path."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("mllint", "mllint-check"):
        (programs / name).write_text(f"#!/bin/sh\nexec '{sys.executable}' -m mllint \"$@\"\n")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")

    def write(name: str) -> str:
        path = tmp_path / f"completions.{name}"
        path.write_text(mllint("completions", name).out, encoding="utf-8")
        return str(path)

    return write


CASES = [
    ("mllint ", {*COMMANDS}),
    ("mllint ch", {"check"}),
    ("mllint-check ba", {"baseline"}),
    ("mllint check --fail-on ", set(FAIL_ON)),
    ("mllint check --output j", {word for word in OUTPUT_FORMATS if word.startswith("j")}),
    ("mllint check --output-format sar", {"sarif"}),
    ("mllint check src --stat", {"--statistics"}),
    ("mllint check --select double-", {"double-bos", "double-softmax"}),
    ("mllint check --select loss,double-", {"loss,double-bos", "loss,double-softmax"}),
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
        f"COMP_CWORD={len(words) - 1}\n_mllint_completion {words[0]}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
        "complete -p mllint mllint-check\n"
    )
    *found, first, second = shell("bash", "--norc", text=program).strip("\n").split("\n")
    assert first.endswith(" mllint") and second.endswith(" mllint-check")
    assert set(found) == expected


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_fish(script, line, expected):
    program = f"source '{script('fish')}'\ncomplete -C '{line}'\n"
    found = {row.partition("\t")[0] for row in shell("fish", "--no-config", text=program).strip("\n").split("\n")}
    assert found == expected


@pytest.mark.parametrize(("line", "expected"), CASES)
def test_powershell_s_questions_are_answered(mllint, monkeypatch, line, expected):
    """What the script for PowerShell asks, without PowerShell."""
    monkeypatch.setenv("_MLLINT_COMPLETE", "powershell_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_WORD", "" if line.endswith(" ") else line.split()[-1])
    rows = [row.split("\t") for row in mllint().out.strip("\n").split("\n")]
    assert {kind for kind, _, _ in rows} == {"plain"}
    assert {value for _, value, _ in rows} == expected


def test_paths_are_left_to_the_shell(mllint, monkeypatch):
    monkeypatch.setenv("_MLLINT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "mllint check sr")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert mllint().out == "file,sr\n"


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


def test_zsh_reads_the_script(script):
    path = script("zsh")
    program = f"autoload -Uz compinit\ncompinit -D -u\nsource '{path}'\nprint $_comps[mllint] $_comps[mllint-check]\n"
    assert shell("zsh", "-f", text=program) == "_mllint_completion _mllint_completion\n"
    assert Path(path).read_text(encoding="utf-8").startswith("#compdef mllint mllint-check\n")
    shell("zsh", "-n", path)


def test_an_unknown_shell_is_refused_with_the_nearest(mllint):
    result = mllint("completions", "fsh")
    assert result.code == 2 and "`fsh` is not one of bash, zsh, fish, powershell, did you mean `fish`?" in result.err
    assert mllint("completions").code == 2
