"""The cache as its user meets it: only the time changes, every edit is seen, and nothing that is in it breaks a run."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from mllint import cli
from mllint.engine import cache, engine

MODEL = "import torch\n\ndef head(x):\n    return torch.softmax(x, 1)\n"
LOGITS = "import torch\n\ndef head(x):\n    return torch.clone(x)\n"
TRAIN = "import torch.nn.functional as F\nfrom model import head\nloss = F.cross_entropy(head(x), y)\n"
CLEAN = "import torch\nx = torch.ones(3)\n"
Run = Callable[..., str]
FORMATS = ("full", "concise", "json")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (tmp_path / "mllint.toml").write_text("")
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "train.py").write_text(TRAIN)
    (tmp_path / "clean.py").write_text(CLEAN)
    (tmp_path / "broken.py").write_text("def f(:\n")
    quiet = TRAIN.replace("from model", "from model").replace(
        "loss", "# mllint: ignore[double-softmax] on purpose\nloss"
    )
    (tmp_path / "quiet.py").write_text(quiet)
    return tmp_path


@pytest.fixture
def run(project: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Check the project; gives what was printed."""

    def check(*arguments: str, code: int | None = None, note: str = "") -> str:
        given = cli.main(["check", "-j1", *arguments])
        captured = capsys.readouterr()
        assert code is None or given == code
        assert note in captured.err if note else not captured.err
        return captured.out

    return check


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were checked since the list was last cleared."""
    paths: list[str] = []
    check = engine.Engine.check

    def recording(self: engine.Engine, files: Iterable[tuple[str, bytes]], *others: object) -> object:
        files = [*files]
        paths.extend(path for path, _ in files)
        return check(self, files, *others)

    monkeypatch.setattr(engine.Engine, "check", recording)
    return paths


@pytest.fixture(params=["stamps", "contents"])
def trust(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of which the stamps are old enough to be believed, and files so young that their contents are compared."""
    if request.param == "stamps":
        monkeypatch.setattr(cache, "_CLOCK", -(10**12))


# -------------------------------------------------------------------------------------------------- the same as without
@pytest.mark.parametrize("output", FORMATS)
@pytest.mark.usefixtures("trust")
def test_a_second_run_prints_the_same_and_checks_nothing(run: Run, checked: list[str], output: str) -> None:
    arguments = ("--output-format", output)
    fresh = run(*arguments, "--no-cache", code=1)
    assert run(*arguments) == fresh
    assert checked
    checked.clear()
    assert run(*arguments, code=1) == fresh
    assert run(*arguments, "--statistics", "-q") == run(*arguments, "--statistics", "-q", "--no-cache")
    assert set(checked) == {"broken.py", "clean.py", "model.py", "quiet.py", "train.py"}  # by --no-cache


def test_a_replay_loads_no_semantics(run: Run, project: Path) -> None:
    run()
    code = "import sys\nfrom mllint.cli import main\nmain(['check', '--output-format', 'concise'])\nprint(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(cache.__file__).parents[2])}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "mllint.engine.cache" in loaded
    assert not {"mllint.engine.engine", "mllint.semantics", "mllint.checks"} & loaded


def test_other_options_have_their_own_results(run: Run) -> None:
    run()
    for option in (["--select", "missing-zero-grad"], ["--pedantic"], ["--ignore", "double-softmax"], ["model.py"]):
        assert run(*option) == run(*option, "--no-cache")
    assert run() == run("--no-cache")


# ----------------------------------------------------------------------------------------------------- what has changed
@pytest.mark.usefixtures("trust")
def test_an_edit_elsewhere_changes_the_finding_here(run: Run, project: Path, checked: list[str]) -> None:
    assert "train.py" in run()
    checked.clear()
    (project / "model.py").write_text(LOGITS)
    assert "train.py" not in run()
    assert set(checked) == {"model.py", "quiet.py", "train.py"}
    (project / "model.py").write_text(MODEL)
    assert run() == run("--no-cache")


@pytest.mark.usefixtures("trust")
def test_a_caller_changes_the_finding_in_the_callee(run: Run, project: Path) -> None:
    (project / "model.py").write_text(
        "import torch.nn.functional as F\n\ndef lose(p, y):\n    return F.cross_entropy(p, y)\n"
    )
    (project / "train.py").write_text("import torch\nfrom model import lose\nlose(torch.softmax(x, 1), y)\n")
    (project / "quiet.py").unlink()
    assert "model.py" in run("--output-format", "concise")
    (project / "train.py").write_text("import torch\nfrom model import lose\nlose(x, y)\n")
    assert "model.py" not in run("--output-format", "concise")


@pytest.mark.usefixtures("trust")
def test_deleting_and_adding_files(run: Run, project: Path) -> None:
    assert "train.py" in run()
    (project / "model.py").unlink()
    assert "train.py" not in run()
    (project / "model.py").write_text(MODEL)
    assert "train.py" in run()
    (project / "train.py").rename(project / "fit.py")
    out = run("--output-format", "concise")
    assert "fit.py" in out and "train.py" not in out


@pytest.mark.usefixtures("trust")
def test_what_was_looked_for_and_not_found_counts(run: Run, project: Path, checked: list[str]) -> None:
    """`train.py` alone is asked for; the file that it imports appears later, beside it or in a folder above."""
    (project / "model.py").unlink()
    (project / "setup.py").touch()
    (project / "sub").mkdir()
    (project / "train.py").rename(project / "sub" / "train.py")
    assert "double-softmax" not in run("sub/train.py")
    (project / "model.py").write_text(MODEL)
    assert "double-softmax" in run("sub/train.py")
    (project / "sub" / "model.py").write_text(LOGITS)
    assert "double-softmax" not in run("sub/train.py")
    checked.clear()
    assert "double-softmax" not in run("sub/train.py")
    assert not checked


@pytest.mark.usefixtures("trust")
def test_a_file_that_is_only_read_counts(run: Run, project: Path, checked: list[str]) -> None:
    assert "double-softmax" in run("train.py")
    (project / "model.py").write_text(LOGITS)
    assert "double-softmax" not in run("train.py")
    (project / "model.py").write_text("def head(:\n")
    assert "double-softmax" not in run("train.py")
    (project / "model.py").write_text(MODEL)
    assert "double-softmax" in run("train.py")
    checked.clear()
    run("train.py")
    assert not checked


@pytest.mark.usefixtures("trust")
def test_touching_checks_nothing_again(run: Run, project: Path, checked: list[str]) -> None:
    before = run()
    checked.clear()
    for path in project.glob("*.py"):
        os.utime(path)
    assert run() == before
    assert not checked


def test_an_edit_of_the_same_size_within_one_tick_is_seen(run: Run, project: Path) -> None:
    times = (1_000_000_000_000_000_000, 1_000_000_000_000_000_000)
    os.utime(project / "model.py", ns=times)
    assert "train.py" in run("--output-format", "concise")
    (project / "model.py").write_text(MODEL.replace("softmax", "sigmoid"))
    os.utime(project / "model.py", ns=times)
    assert run() == run("--no-cache")


def test_the_configuration_counts(run: Run, project: Path) -> None:
    assert "double-softmax" in run()
    (project / "mllint.toml").write_text('ignore = ["double-softmax"]\n')
    assert "double-softmax" not in run("--output-format", "concise").replace("unused", "")
    (project / "mllint.toml").write_text('per-file-ignores = { "train.py" = ["ALL"] }\n')
    assert run() == run("--no-cache")


def test_a_stub_of_the_project_counts(run: Run, project: Path) -> None:
    (project / "stubs").mkdir()
    (project / "mllint.toml").write_text('stubs = ["stubs"]\n')
    stub = project / "stubs" / "inhouse.pyi"
    stub.write_text("from mllint.semantics.vocabulary import Probs, Tensor\ndef head(input: Tensor) -> Probs: ...\n")
    (project / "model.py").write_text("from inhouse import head\nimport torch\n")
    assert "train.py" in run("--output-format", "concise")
    stub.write_text("from mllint.semantics.vocabulary import Tensor\ndef head(input: Tensor) -> Tensor: ...\n")
    assert "train.py" not in run("--output-format", "concise")


def test_a_missing_stub_folder_is_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "mllint.toml").write_text('stubs = ["nowhere"]\n')
    for _ in range(2):
        assert cli.main(["check"]) == 2
        assert "nowhere" in capsys.readouterr().err


def test_another_version_starts_afresh(run: Run, checked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    before = run()
    checked.clear()
    monkeypatch.setattr("mllint.cli.check.__version__", "99.0")
    assert run() == before
    assert checked


def test_only_the_component_that_changed_is_checked(run: Run, project: Path, checked: list[str]) -> None:
    for number in range(5):
        (project / f"script{number}.py").write_text(CLEAN)
    run()
    checked.clear()
    (project / "script3.py").write_text(CLEAN + "y = x\n")
    (project / "script9.py").write_text(CLEAN + "z = x\n")
    run()
    assert sorted(checked) == ["script3.py", "script9.py"]


def test_a_run_in_which_a_rule_crashes_is_not_kept(
    run: Run, checked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mllint import rule

    def crash(module: object) -> object:
        raise ZeroDivisionError("a rule with a bug")
        yield

    check = rule.Check("double-softmax", "Module", crash)
    monkeypatch.setitem(rule.registered(), "double-softmax", check)
    assert "internal-error" in run(code=2)
    monkeypatch.undo()
    assert "internal-error" not in run(code=1)
    assert "double-softmax" in run(code=1)


def test_a_file_that_cannot_be_read_is_asked_again(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mllint.errors import SourceError
    from mllint.project.discovery import read

    def guarded(path: str) -> bytes:
        if path == "clean.py":
            raise SourceError("the file cannot be read: permission denied")
        return read(path)

    for module in ("project.discovery", "engine.jobs"):
        monkeypatch.setattr(f"mllint.{module}.read", guarded)
    assert "permission denied" in run()
    assert "permission denied" in run()
    for module in ("project.discovery", "engine.jobs"):
        monkeypatch.setattr(f"mllint.{module}.read", read)
    assert "permission denied" not in run()


def test_sources_are_never_cached(project: Path) -> None:
    engine.check_sources({"train.py": TRAIN}, selected=frozenset({"double-softmax"}), pedantic=False)
    assert not (project / cache.FOLDER).exists()


# ----------------------------------------------------------------------------------------------------------- the folder
def test_the_folder_marks_itself(run: Run, project: Path) -> None:
    run()
    folder = project / cache.FOLDER
    assert (folder / ".gitignore").read_text() == "*\n"
    assert (folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    assert not list(project.glob("*.tmp")) and not list(folder.glob("*.tmp"))
    for path in folder.glob("*.json"):
        json.loads(path.read_text())


def test_no_cache_leaves_nothing(run: Run, project: Path) -> None:
    run("--no-cache")
    assert not (project / cache.FOLDER).exists()


def test_the_folder_is_beside_the_configuration(run: Run, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "sub").mkdir()
    monkeypatch.chdir(project / "sub")
    run("..")
    assert (project / cache.FOLDER).is_dir()
    assert not (project / "sub" / cache.FOLDER).exists()


def test_a_folder_of_one_s_own(run: Run, project: Path, checked: list[str]) -> None:
    before = run("--cache-dir", "own/deep")
    checked.clear()
    assert run("--cache-dir", "own/deep/") == before
    assert not checked
    assert not (project / cache.FOLDER).exists()


def test_a_folder_that_holds_other_files_is_refused(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["check", "--cache-dir", "."]) == 2
    assert "contains other files" in capsys.readouterr().err
    assert cli.main(["check", "--cache-dir", "train.py"]) == 2
    assert not (project / ".gitignore").exists()


def test_what_is_no_cache_of_ours_is_left_alone(run: Run, project: Path) -> None:
    (project / cache.FOLDER).mkdir()
    (project / cache.FOLDER / "thesis.tex").write_text("")
    run(note="contains other files")
    assert [path.name for path in (project / cache.FOLDER).iterdir()] == ["thesis.tex"]


def test_a_link_is_not_followed(run: Run, project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (project / cache.FOLDER).symlink_to(elsewhere)
    run(note="is a link")
    assert not list(elsewhere.iterdir())


@pytest.mark.parametrize("failing", ["makedirs", "rename", "replace"])
def test_a_folder_that_cannot_be_written_is_no_error(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, failing, refuse)
    assert run(code=1) == run(code=1)
    assert not list(project.glob("*.tmp"))
    assert not list(project.glob(".mllint_cache/*.tmp"))


def test_clean_removes_what_is_ours(run: Run, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run()
    assert cli.main(["clean"]) == 0
    assert "Removed" in capsys.readouterr().out
    assert not (project / cache.FOLDER).exists()
    assert cli.main(["clean"]) == 0
    assert "no cache" in capsys.readouterr().out
    run("--cache-dir", "own")
    assert cli.main(["clean", "--cache-dir", "own"]) == 0
    assert not (project / "own").exists()


def test_clean_removes_nothing_else(run: Run, project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["clean", "--cache-dir", "."]) == 2
    assert "contains other files" in capsys.readouterr().err
    run()
    (project / cache.FOLDER / "thesis.tex").write_text("")
    assert cli.main(["clean"]) == 2
    assert "cannot be removed" in capsys.readouterr().err
    assert (project / cache.FOLDER / "thesis.tex").exists()
    assert (project / "train.py").exists()


def test_old_entries_are_removed(run: Run, project: Path) -> None:
    for number in range(20):
        run("train.py", "--ignore", "double-softmax", *(["model.py"] * number))
        run(*(["--select", "loss"] if number % 2 else ["--select", "data"]), "--pedantic")
    assert len(list((project / cache.FOLDER).glob("run-*.json"))) <= 12
    assert len(list((project / cache.FOLDER).glob("parts-*.json"))) <= 4


# ------------------------------------------------------------------------------------------------------ hostile entries
def entries(project: Path, kind: str) -> list[Path]:
    return list((project / cache.FOLDER).glob(f"{kind}-*.json"))


DAMAGE = {
    "empty": b"",
    "cut": b'{"files": ["train.py"], "sta',
    "binary": bytes(range(256)),
    "a list": b"[]",
    "another object": b"{}",
    "null": b"null",
    "deep": b"[" * 100_000,
    "deep object": b'{"a":' * 100_000,
    "a large number": b'{"files": ' + b"9" * 10_000 + b"}",
    "wrong types": b'{"files": {}, "stamps": {}, "digests": 1, "outside": [], "folders": 1, "report": {}, '
    b'"imports": [], "parts": []}',
    "pickle": b"\x80\x04cos\nsystem\n(S'touch hacked'\ntR.",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_file_is_left_out_and_written_anew(
    run: Run, project: Path, checked: list[str], damage: bytes
) -> None:
    before = run()
    for path in entries(project, "*"):
        path.write_bytes(damage)
    assert run(note="is damaged") == before
    checked.clear()
    assert run() == before
    assert not checked


@pytest.mark.parametrize("kind", ["run", "parts"])
def test_any_value_of_a_wrong_type_is_survived(run: Run, project: Path, kind: str, capsys) -> None:
    before = run()
    (path,) = entries(project, kind)
    whole = json.loads(path.read_text())
    other = entries(project, "run" if kind == "parts" else "parts")[0]
    for place in places(whole):
        for value in (None, 7, -1, "x", [], {}, 1e9, True):
            data = json.loads(json.dumps(whole))
            inner = data
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = value
            path.write_text(json.dumps(data))
            if kind == "parts":
                other.unlink(missing_ok=True)
            assert cli.main(["check", "-j1", "-q"]) in (0, 1, 2)
            assert not capsys.readouterr().err
    path.unlink()
    assert run() == before


def places(data: object, above: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The ways to some of the values in it: the first two of each list and object."""
    found = []
    keys = list(data)[:2] if isinstance(data, dict) else range(len(data))[:2] if isinstance(data, list) else ()
    for key in keys:
        found += [(*above, key), *places(data[key], (*above, key))]
    return found


def test_a_place_in_a_file_of_somebody_else_is_damage(run: Run, project: Path) -> None:
    """A forged entry shows no file that was not asked for."""
    before = run()
    (project.parent / "secret.txt").write_text("the password\n")
    (path,) = entries(project, "run")
    path.write_text(
        path.read_text().replace('[["broken.py"', '[["../secret.txt"').replace('"broken.py",1', '"../secret.txt",1')
    )
    out = run(note="is damaged")
    assert out == before
    assert "password" not in out


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "huge"])
def test_what_is_no_file_of_ours_is_not_opened(
    run: Run, project: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = run()
    for path in entries(project, "*"):
        content = path.read_text()
        if kind == "huge":
            monkeypatch.setattr(cache, "_LARGEST", 10)
            continue
        path.unlink()
        if kind == "link":
            (project / f"elsewhere-{path.name}").write_text(content)
            path.symlink_to(project / f"elsewhere-{path.name}")
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            path.mkdir()
    assert run(note="is damaged") == before


def test_an_imported_pipe_is_not_waited_for(run: Run, project: Path) -> None:
    (project / "model.py").unlink()
    os.mkfifo(project / "model.py")
    assert "double-softmax" not in run("train.py")
    assert "double-softmax" not in run("train.py")


# ----------------------------------------------------------------------------------------------------- at the same time
def test_runs_beside_each_other(project: Path) -> None:
    for number in range(60):
        (project / f"script{number}.py").write_text(TRAIN + f"x = {number}\n")
    sources = [Path(cache.__file__).parents[2]]
    if sys.version_info < (3, 11):  # `-S` hides what is installed, and with it the reader of TOML that it needs
        sources.append(Path(importlib.import_module("tomli").__file__ or "").parent.parent)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, sources))}
    command = [sys.executable, "-m", "mllint", "check", "--output-format", "json"]
    started = [
        subprocess.Popen(command, cwd=project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    results = [process.communicate() for process in started]
    assert {process.returncode for process in started} == {1}
    assert len({out for out, _ in results}) == 1
    assert {err for _, err in results} == {b""}
    again = subprocess.run(command, cwd=project, env=environment, capture_output=True, check=False)
    assert again.stdout == results[0][0]
    assert not list(project.rglob("*.tmp"))
