"""The steps of `action.yml`, run as a runner runs them: what is installed, and what `mllint check` is asked for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent.parent
ACTION = (ROOT / "action.yml").read_text(encoding="utf-8")
INPUTS = {"paths": ".", "args": "", "version": "", "diff-base": "", "annotations": "true", "summary": "true",
          "sarif": "", "fail-on": ""}  # fmt: skip
INSTALL, RUN = (
    re.sub(r"^ {8}", "", text, flags=re.MULTILINE)
    for text in re.findall(r"^ {6}run: \|\n((?: {8}.*\n|\n)+)", ACTION, re.MULTILINE)
)

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the steps need bash")


class Done(NamedTuple):
    code: int
    out: str
    err: str
    page: str


def script(path: Path, text: str) -> None:
    path.write_text(f"#!{shutil.which('bash')}\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def step(tmp_path: Path):
    """Runs a step in a project with one bug."""
    work, binaries = tmp_path / "work", tmp_path / "bin"
    for folder in (work, binaries):
        folder.mkdir()
    (work / ".git").mkdir()
    (work / "my train.py").write_text("import torch.nn.functional as F\nloss = F.cross_entropy(F.softmax(x), y)\n")
    (work / "shlex.py").write_text("raise SystemExit('imported code that was to be checked')\n")
    script(binaries / "python", f'exec "{sys.executable}" "$@"')
    source = "import sys; from mllint.cli import main; sys.exit(main(sys.argv[1:]))"
    program = f"import sys; sys.path[0] = {str(ROOT / 'src')!r}; {source}"
    script(binaries / "mllint", f"""exec "{sys.executable}" -c "{program}" "$@" """)

    def run(text: str, **inputs: str) -> Done:
        environment = {
            "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_ACTIONS": "true",
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "page.md"),
            "MLLINT_SOURCE": str(ROOT),
            "MLLINT_BIN": str(binaries),
        }
        assert set(inputs) <= set(INPUTS)
        for name, value in {**INPUTS, **inputs}.items():
            environment[f"MLLINT_{name.upper().replace('-', '_')}"] = value
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", text]
        done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
        page = tmp_path / "page.md"
        return Done(done.returncode, done.stdout, done.stderr, page.read_text() if page.exists() else "")

    run.work = work  # type: ignore[attr-defined]  # where it runs
    return run


def test_the_inputs_are_those_that_are_promised():
    block = ACTION.partition("\ninputs:\n")[2].partition("\noutputs:\n")[0]
    defaults = re.findall(r"^  ([\w-]+):\n    description: .+\n    default: \"(.*)\"$", block, re.MULTILINE)
    assert dict(defaults) == INPUTS


def test_no_input_becomes_part_of_a_script():
    assert "${{" not in INSTALL + RUN
    passed = set(re.findall(r"^        MLLINT_\w+: \$\{\{ inputs\.([\w-]+) \}\}$", ACTION, re.MULTILINE))
    assert passed == set(INPUTS)


def test_zizmor_has_nothing_to_say():
    zizmor = shutil.which("zizmor", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if zizmor is None:
        pytest.skip("zizmor is part of the group dev")
    command = [
        zizmor,
        "--offline",
        "--no-config",
        "--persona",
        "auditor",
        "--format",
        "plain",
        str(ROOT / "action.yml"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# -------------------------------------------------------------------------------------------------------------- install
@pytest.mark.parametrize(
    ("version", "wanted"),
    [
        ("", str(ROOT)),
        ("0.1.0", "mllint-check==0.1.0"),
        (">=0.1,<0.2", "mllint-check>=0.1,<0.2"),
        ("$(id)", "mllint-check$(id)"),
    ],
)
def test_what_is_installed(step, tmp_path, version, wanted):
    recorded = 'printf "%s\\n" "$@" >> "$HOME/called"; '
    make = 'if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; fi'
    script(tmp_path / "bin" / "python3", recorded + make)
    done = step(INSTALL, version=version)
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "called").read_text().splitlines()[-1] == wanted
    assert (tmp_path / "output").read_text() == f"bin={tmp_path}/mllint/bin\n"


# ------------------------------------------------------------------------------------------------------------------ run
def test_findings_are_in_the_log_beside_the_lines_and_on_the_page(step):
    done = step(RUN)
    assert (done.code, done.err) == (1, "")
    assert "error[double-softmax]: " in done.out
    assert "\n::error file=my train.py,line=2," in done.out
    assert done.page.startswith("### mllint: Found 1 error in 1 file (2 checked)\n")


def test_each_place_can_be_left_out(step):
    done = step(RUN, annotations="false")
    assert "::error" not in done.out and "error[double-softmax]: " in done.out and "double-softmax" in done.page


def test_no_page(step):
    assert step(RUN, summary="false").page == ""
    assert step(RUN, summary="false", annotations="false").page == ""
    assert "::error" in step(RUN, summary="false").out


def test_paths_and_options_are_read_as_in_a_shell(step):
    assert step(RUN, paths="'my train.py'").code == 1
    assert step(RUN, paths="shlex.py\n'my train.py'").code == 1
    assert step(RUN, paths="shlex.py").code == 0
    assert step(RUN, args="--ignore 'double-softmax, nan-loss'").code == 2
    assert step(RUN, args="--ignore double-softmax --pedantic").code == 0
    assert step(RUN, paths="; touch stolen; $(touch stolen)").code == 2
    assert not (step.work / "stolen").exists()


def test_what_fails_the_step(step):
    assert step(RUN, **{"fail-on": "never"}).code == 0
    assert step(RUN, **{"fail-on": "errors"}).code == 2


def test_sarif_is_written(step):
    step(RUN, sarif="out/mllint.sarif")
    assert '"uri": "my%20train.py"' in (step.work / "out" / "mllint.sarif").read_text()


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"annotations": "yes"}, "the input `annotations` is true or false, not `yes`"),
        ({"paths": "'a"}, "the inputs `paths` and `args` are read as in a shell"),
    ],
)
def test_wrong_inputs_are_named(step, inputs, message):
    done = step(RUN, **inputs)
    assert done.code == 2 and done.err.startswith(f"mllint: error: {message}")
