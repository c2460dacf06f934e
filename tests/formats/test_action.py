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
          "sarif": "", "fail-on": "", "cache": "true"}  # fmt: skip
PLAN, INSTALL, RUN = (
    re.sub(r"^ {8}", "", text, flags=re.MULTILINE)
    for text in re.findall(r"^ {6}run: \|\n((?: {8}.*\n|\n)+)", ACTION, re.MULTILINE)
)
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / ".ci").iterdir())}

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

    def run(text: str, environment: dict[str, str] | None = None, **inputs: str) -> Done:
        further = environment or {}
        environment = {
            "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "RUNNER_TEMP": str(tmp_path),
            "GITHUB_ACTIONS": "true",
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "page.md"),
            "MLLINT_SOURCE": str(ROOT),
            "MLLINT_BIN": str(binaries),
            "MLLINT_CACHE_DIR": str(tmp_path / "mllint-found"),
        }
        assert set(inputs) <= set(INPUTS)
        for name, value in {**INPUTS, **inputs}.items():
            environment[f"MLLINT_{name.upper().replace('-', '_')}"] = value
        environment |= further
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", text]
        done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=False)
        page = tmp_path / "page.md"
        return Done(done.returncode, done.stdout, done.stderr, page.read_text() if page.exists() else "")

    run.work = work
    return run


def test_the_inputs_are_those_that_are_promised():
    block = ACTION.partition("\ninputs:\n")[2].partition("\noutputs:\n")[0]
    defaults = re.findall(r"^  ([\w-]+):\n    description: .+\n    default: \"(.*)\"$", block, re.MULTILINE)
    assert dict(defaults) == INPUTS


def test_no_input_becomes_part_of_a_script():
    assert "${{" not in PLAN + INSTALL + RUN
    passed = set(re.findall(r"^        MLLINT_\w+: \$\{\{ inputs\.([\w-]+) \}\}$", ACTION, re.MULTILINE))
    assert passed == set(INPUTS) - {"cache"}
    assert ACTION.count("inputs.cache == 'true'") == ACTION.count("uses: actions/cache@") == 2


def found(name, group):
    """The path of a program that comes with a group of dependencies; the test is skipped without it."""
    path = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if path is None:
        pytest.skip(f"{name} is part of the group {group}")
    return path


def test_actionlint_has_nothing_to_say():
    workflows = sorted(str(path) for path in (ROOT / ".github" / "workflows").glob("*.yml"))
    done = subprocess.run([found("actionlint", "workflows"), *workflows], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("text", [PLAN, INSTALL, RUN, *SCRIPTS.values()], ids=["plan", "install", "use", *SCRIPTS])
def test_shellcheck_has_nothing_to_say(text):
    command = [found("shellcheck", "dev"), "--shell", "bash", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_zizmor_has_nothing_to_say():
    zizmor = found("zizmor", "dev")
    looked = [str(ROOT / name) for name in ("action.yml", ".github", ".pre-commit-hooks.yaml")]
    command = [zizmor, "--offline", "--no-config", "--persona", "auditor", "--format", "plain", *looked]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "release.yml" in done.stderr  # it has read the workflows


# -------------------------------------------------------------------------------------------------------------- install
@pytest.mark.parametrize(
    ("version", "wanted", "is_kept"),
    [
        ("", str(ROOT), True),
        ("0.1.0", "mllint-check==0.1.0", True),
        (">=0.1,<0.2", "mllint-check>=0.1,<0.2", False),
        ("$(id)", "mllint-check$(id)", False),
    ],
)
def test_what_is_installed(step, tmp_path, version, wanted, is_kept):
    done = step(PLAN, version=version)
    assert (done.code, done.out, done.err) == (0, "", "")
    plan = dict(line.split("=", 1) for line in (tmp_path / "output").read_text().splitlines())
    assert plan["wanted"] == wanted and plan["folder"] in ("bin", "Scripts")
    assert bool(re.fullmatch(r"mllint-\w+-\w+-[0-9a-f]{32}", plan["key"])) is is_kept

    recorded = 'printf "%s\\n" "$@" >> "$HOME/called"; printf "%s\\n" "$MLLINT_COMPILE" > "$HOME/compiled"; '
    make = 'if [ "$3" = venv ]; then mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; fi'
    script(tmp_path / "bin" / "python3", recorded + make)
    planned = {f"MLLINT_{name.upper()}": value for name, value in plan.items()}
    planned["MLLINT_PYTHON"] = "python3"
    done = step(INSTALL, environment={**planned, "MLLINT_COMPILE": "0"})
    assert (done.code, done.err) == (0, "")
    assert (tmp_path / "called").read_text().splitlines()[-1] == wanted
    assert (tmp_path / "compiled").read_text() == "0\n"


def test_the_key_of_the_cache_says_which_code_is_installed(step, tmp_path):
    source = tmp_path / "source"
    (source / "src").mkdir(parents=True)
    (source / "pyproject.toml").write_text("")
    keys = []
    for text in ("x = 1\n", "x = 2\n", "x = 1\n"):
        (source / "src" / "module.py").write_text(text)
        (tmp_path / "output").unlink(missing_ok=True)
        step(PLAN, environment={"MLLINT_SOURCE": str(source)})
        keys.append(re.search(r"^key=(.+)$", (tmp_path / "output").read_text(), re.MULTILINE)[1])
    assert keys[0] == keys[2] != keys[1]


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


def test_what_was_found_is_kept_outside_of_the_project(step, tmp_path):
    step(RUN)
    assert [path.name for path in (tmp_path / "mllint-found").iterdir()] and not (step.work / ".mllint_cache").exists()


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
