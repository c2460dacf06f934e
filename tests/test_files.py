"""The files that are checked are those that one would expect, in one order everywhere, with a word about the rest."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from mllint.config.model import Config
from mllint.errors import MllintError, SourceError
from mllint.project.discovery import Disk, discover, import_root, module_name, read
from mllint.project.ignore import Ignores


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, *names: str, text: str = "x = 1\n") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def read_module(disk: Disk, name: str, importer: str, level: int = 0) -> tuple[str, bytes] | None:
    """The path and the bytes of the file that an import means."""
    path = disk.locate(name, level, importer)
    data = None if path is None else disk.read(path)
    return None if path is None or data is None else (path, data)


def found(*paths: str, **options: tuple[str, ...]) -> list[str]:
    return discover(paths, Config(**options)).files


def test_python_files_and_notebooks_in_a_fixed_order(tree: Path) -> None:
    write(tree, "b.py", "a/z.py", "a.py", "Z.ipynb", "a/notes.txt", "a/data.csv", "a/b/c.py", "x.pyi")
    assert found(".") == ["Z.ipynb", "a.py", "a/b/c.py", "a/z.py", "b.py"]
    assert found() == found(".") == found("./", "a", "b.py")


def test_paths_outside_the_current_folder_are_absolute(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "here/a.py", "there/b.py")
    monkeypatch.chdir(tree / "here")
    assert found("../there", ".") == [(tree / "there" / "b.py").as_posix(), "a.py"]


def test_what_tools_write_is_left_out(tree: Path) -> None:
    write(tree, "train.py", "venv/lib/x.py", "wandb/run/code/train.py", "runs/a.py", "outputs/2024/a.py", ".git/x.py")
    write(tree, "env/pyvenv.cfg", "env/lib/x.py", "sub/__pycache__/x.py", "sub/lightning_logs/v/x.py", "sub/ok.py")
    assert found(".") == ["sub/ok.py", "train.py"]


def test_a_package_with_the_name_of_an_output_folder_is_source(tree: Path) -> None:
    write(tree, "pkg/checkpoints/__init__.py", "pkg/checkpoints/save.py", "checkpoints/old.py")
    assert found(".") == ["pkg/checkpoints/__init__.py", "pkg/checkpoints/save.py"]


def test_who_names_a_file_or_folder_means_it(tree: Path) -> None:
    write(tree, "runs/train.py", "runs/sub/eval.py", "script")
    write(tree, ".gitignore", text="runs/\n")
    (tree / ".git").mkdir()
    assert found("runs/train.py", "script") == ["runs/train.py", "script"]
    assert found("runs") == ["runs/sub/eval.py", "runs/train.py"]


def test_exclude_and_extend_exclude(tree: Path) -> None:
    write(tree, "a.py", "legacy/b.py", "src/gen/c.py", "src/d_pb2.py", "runs/e.py")
    assert found(".", extend_exclude=("legacy", "src/gen", "*_pb2.py")) == ["a.py"]
    assert found(".", exclude=("legacy/",)) == ["a.py", "runs/e.py", "src/d_pb2.py", "src/gen/c.py"]


def test_exclude_counts_from_the_configuration(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "src/gen/a.py", "src/b.py")
    monkeypatch.chdir(tree / "src")
    config = Config(extend_exclude=("src/gen/**",), root=str(tree))
    assert discover(["."], config).files == ["b.py"]


def test_gitignore_only_inside_a_repository(tree: Path) -> None:
    write(tree, "a.py", "gen/b.py", "sub/local.py", "sub/keep.py")
    write(tree, ".gitignore", text="gen/\n")
    write(tree, "sub/.gitignore", text="*.py\n!keep.py\n")
    assert found(".") == ["a.py", "gen/b.py", "sub/keep.py", "sub/local.py"]
    write(tree, ".git/info/exclude", text="a.py\n")
    assert found(".") == ["sub/keep.py"]


def test_what_git_ignores_may_be_checked_all_the_same(tree: Path) -> None:
    write(tree, "a.py", "gen/b.py", "sub/local.py")
    write(tree, ".gitignore", text="gen/\n")
    write(tree, "sub/.gitignore", text="*.py\n")
    write(tree, ".git/info/exclude", text="a.py\n")
    assert found(".") == []
    assert found(".", respect_gitignore=False) == ["a.py", "gen/b.py", "sub/local.py"]


def test_gitignore_above_the_folder_counts(tree: Path) -> None:
    (tree / ".git").mkdir()
    write(tree, ".gitignore", text="/pkg/gen/\n")
    write(tree, "pkg/gen/a.py", "pkg/b.py")
    assert found("pkg") == ["pkg/b.py"]


def test_symlink_loops_end(tree: Path) -> None:
    write(tree, "pkg/a.py")
    (tree / "pkg" / "loop").symlink_to(tree / "pkg", target_is_directory=True)
    (tree / "pkg" / "self.py").symlink_to("self.py")
    (tree / "pkg" / "gone.py").symlink_to("nowhere.py")
    (tree / "pkg" / "twin.py").symlink_to("a.py")
    (tree / "pkg" / ".#a.py").symlink_to("user@host:1")
    discovery = discover(["."], Config())
    assert discovery.files == ["pkg/a.py"]
    assert len(discovery.notes) == 2
    assert discovery.notes[0] == "pkg/gone.py: the link leads nowhere, skipped"
    assert discovery.notes[1].startswith("pkg/self.py: ")


def test_a_link_to_a_file_elsewhere_is_read_once(tree: Path) -> None:
    write(tree, "elsewhere/net.py")
    (tree / "src").mkdir()
    for name in ("a.py", "b.py"):
        (tree / "src" / name).symlink_to(tree / "elsewhere" / "net.py")
    assert found("src") == ["src/a.py"]


def test_a_large_file_is_skipped_visibly_unless_it_is_named(tree: Path) -> None:
    write(tree, "tables.py", text="x = 1\n" * 300_000)
    write(tree, "pictures.ipynb", text=" " * 3_000_000)
    discovery = discover(["."], Config())
    assert discovery.files == ["pictures.ipynb"]
    assert discovery.notes == ["tables.py: larger than 1 MiB (1.7 MiB), skipped; name it to check it"]
    assert found("tables.py") == ["tables.py"]


def test_a_configuration_deeper_down_is_met_on_the_way(tree: Path) -> None:
    write(tree, "a/pyproject.toml", text="[tool.mllint]\nignore = ['loss']\n")
    write(tree, "b/pyproject.toml", text="[project]\nname = 'mllint-b'\n")
    write(tree, "c/mllint.toml", "c/pyproject.toml", "c/sub/x.py", text="")

    def nested(paths: list[str], config: Config) -> list[str]:
        return sorted(one.path for one in discover(paths, config).config.nested.values())

    assert nested(["."], Config(path="pyproject.toml", root=str(tree))) == ["a/pyproject.toml", "c/mllint.toml"]
    assert nested(["a", "c/sub/x.py"], Config(root=str(tree))) == ["a/pyproject.toml", "c/mllint.toml"]
    assert nested(["a"], Config(path="a/pyproject.toml", root=str(tree / "a"))) == []
    assert nested(["."], Config(is_final=True)) == []


def test_a_folder_named_like_a_file_is_walked(tree: Path) -> None:
    write(tree, "odd.py/inner.py")
    os.mkfifo(tree / "pipe.py")
    assert found(".") == ["odd.py/inner.py"]


def test_a_folder_that_cannot_be_read_is_a_note(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "a.py", "secret/b.py")
    scandir = os.scandir

    def guarded(path: str) -> object:
        if path.endswith("secret"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", guarded)
    discovery = discover(["."], Config())
    assert discovery.files == ["a.py"]
    assert discovery.notes == ["secret: the folder cannot be read (permission denied), skipped"]


def test_a_missing_path_names_its_neighbour(tree: Path) -> None:
    write(tree, "src/train.py")
    with pytest.raises(MllintError, match=r"`src/trian.py` does not exist, did you mean `src/train.py`\?"):
        found("src/trian.py")
    with pytest.raises(MllintError, match=r"`scr` does not exist, did you mean `src`\?"):
        found("scr")
    with pytest.raises(MllintError, match="does not exist, there is no folder `"):
        found("no/such/place.py")
    (tree / "dangling.py").symlink_to("nowhere.py")
    with pytest.raises(MllintError, match="leads nowhere"):
        found("dangling.py")


def test_reading_says_why_not(tree: Path) -> None:
    write(tree, "a.py")
    assert read("a.py") == b"x = 1\n"
    with pytest.raises(SourceError, match="the file cannot be read: no such file"):
        read("b.py")
    with pytest.raises(SourceError, match="the file cannot be read: is a directory"):
        read(".")


# ------------------------------------------------------------------------------------------------------- module names
def test_module_names(tree: Path) -> None:
    write(tree, "src/pkg/__init__.py", "src/pkg/sub/__init__.py", "src/pkg/sub/net.py", "scripts/train.py")
    assert import_root("src/pkg/sub/net.py") == str(tree / "src")
    assert module_name("src/pkg/sub/net.py") == "pkg.sub.net"
    assert module_name("src/pkg/sub/net.py", [str(tree)]) == "pkg.sub.net"
    assert module_name("src/pkg/__init__.py") == "pkg"
    assert module_name("scripts/train.py") == "train"
    assert module_name("scripts/train.py", [str(tree)]) == "scripts.train"
    assert module_name("scripts/train.py", [str(tree), str(tree / "scripts")]) == "train"
    assert module_name("scripts/explore.ipynb") == "explore"


def load(disk: Disk, name: str, importer: str) -> str | None:
    loaded = read_module(disk, name, importer)
    return loaded[0] if loaded else None


def test_disk_finds_neighbours_of_a_script(tree: Path) -> None:
    write(tree, "proj/train.py", "proj/model.py", "proj/nets/__init__.py", "proj/nets/res.py")
    disk = Disk(["proj"])
    assert load(disk, "model", "proj/train.py") == "proj/model.py"
    assert load(disk, "nets", "proj/train.py") == "proj/nets/__init__.py"
    assert load(disk, "nets.res", "proj/train.py") == "proj/nets/res.py"
    assert load(disk, "torch", "proj/train.py") is None
    assert read_module(disk, "model", "proj/train.py") == ("proj/model.py", b"x = 1\n")


def test_disk_climbs_to_the_project_root_and_no_further(tree: Path) -> None:
    write(tree, "outside.py", "proj/pyproject.toml", "proj/src/models/net.py", "proj/tools/deep/run.py", "proj/top.py")
    disk = Disk()
    importer = "proj/tools/deep/run.py"
    assert load(disk, "src.models.net", importer) == "proj/src/models/net.py"
    assert load(disk, "models.net", importer) == "proj/src/models/net.py"
    assert load(disk, "top", importer) == "proj/top.py"
    assert load(disk, "outside", importer) is None
    assert load(disk, "models", importer) is None


def test_disk_without_any_mark_climbs_to_the_given_path(tree: Path) -> None:
    write(tree, "proj/a/b/run.py", "proj/lib.py")
    assert load(Disk(["proj"]), "lib", "proj/a/b/run.py") == "proj/lib.py"
    assert load(Disk(), "lib", "proj/a/b/run.py") is None


def test_disk_prefers_the_package_root_to_a_neighbour_inside_a_package(tree: Path) -> None:
    write(tree, "pyproject.toml", "pkg/__init__.py", "pkg/utils.py", "utils.py", "pkg/train.py", "pkg/only.py")
    disk = Disk(["."])
    assert load(disk, "utils", "pkg/train.py") == "utils.py"
    assert load(disk, "pkg.utils", "pkg/train.py") == "pkg/utils.py"
    assert load(disk, "only", "pkg/train.py") == "pkg/only.py"


def test_disk_looks_in_a_repository_that_is_a_package_itself(tree: Path) -> None:
    write(tree, "proj/.git/HEAD", "proj/__init__.py", "proj/utils.py", "proj/nets/__init__.py", "proj/nets/deep/res.py")
    assert load(Disk(), "utils", "proj/nets/res.py") == "proj/utils.py"
    write(tree, "pkg/__init__.py", "pkg/datasets.py", "pkg/nets/__init__.py", "pkg/nets/res.py")
    assert load(Disk(["pkg"]), "datasets", "pkg/nets/res.py") is None


def test_disk_does_not_let_a_file_import_itself(tree: Path) -> None:
    write(tree, "pyproject.toml", "utils/model.py", "model/__init__.py", "pkg/__init__.py", "pkg/net.py")
    disk = Disk(["."])
    assert load(disk, "model", "utils/model.py") == "model/__init__.py"
    assert load(disk, "utils.model", "utils/model.py") == "utils/model.py"
    assert load(disk, "net", "pkg/net.py") is None


def test_disk_prefers_a_package_to_a_module_as_python_does(tree: Path) -> None:
    write(tree, "net.py", "net/__init__.py", "train.py", "data.py", "data/x.csv")
    assert load(Disk(), "net", "train.py") == "net/__init__.py"
    assert load(Disk(), "data", "train.py") == "data.py"


def test_disk_resolves_relative_imports(tree: Path) -> None:
    write(tree, "pkg/__init__.py", "pkg/a.py", "pkg/sub/__init__.py", "pkg/sub/b.py", "plain/x.py", "plain/y.py")
    disk = Disk()

    def relative(level: int, name: str, importer: str) -> str | None:
        loaded = read_module(disk, name, importer, level)
        return loaded[0] if loaded else None

    assert relative(1, "b", "pkg/sub/__init__.py") == "pkg/sub/b.py"
    assert relative(2, "a", "pkg/sub/b.py") == "pkg/a.py"
    assert relative(1, "", "pkg/a.py") == "pkg/__init__.py"
    assert relative(2, "", "pkg/sub/b.py") == "pkg/__init__.py"
    assert relative(1, "sub.b", "pkg/a.py") == "pkg/sub/b.py"
    assert relative(1, "y", "plain/x.py") == "plain/y.py"
    assert relative(1, "", "plain/x.py") is None
    assert relative(99, "a", "pkg/a.py") is None


def test_disk_does_not_read_what_is_huge_or_gone(tree: Path) -> None:
    write(tree, "train.py", "net.py")
    write(tree, "tables.py", text="x = 1\n" * 300_000)
    disk = Disk()
    assert load(disk, "tables", "train.py") is None
    assert load(disk, "net", "train.py") == "net.py"
    (tree / "net.py").unlink()
    assert load(disk, "net", "train.py") is None


def test_disk_lists_each_folder_once(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, "pyproject.toml", "a/train.py", "a/model.py")
    listed: list[str] = []
    listdir = os.listdir
    monkeypatch.setattr(os, "listdir", lambda path: (listed.append(str(path)), listdir(path))[1])
    disk = Disk()
    for name in ("torch", "numpy", "model", "os", "torch.nn", "torch"):
        read_module(disk, name, "a/train.py")
    assert len(listed) == len(set(listed))


# ---------------------------------------------------------------------------------------------------------- gitignore
LINES = r"""
# comment
*.log
!keep.log
build/
/top.py
docs/*.py
**/cache
deep/**/x.py
all/**
[abc].py
[!abc]q.py
sp\ ace.py
trail.py<blanks>
\#hash.py
\!bang.py
name[0-9]*.py
/anchored/inner
foo/**/
*~
a?c.py
lib/
!lib/
w*/gen.py
[z-a].txt
""".replace("<blanks>", "  ")
NAMES = r"""
a.log keep.log build/x.py sub/build/x.py top.py sub/top.py docs/a.py docs/sub/a.py sub/docs/a.py cache/x.py
s/t/cache/x.py deep/x.py deep/1/x.py deep/1/2/x.py all/x.py all/1/x.py a.py d.py sub/b.py dq.py aq.py trail.py #hash.py
!bang.py name1.py name12x.py namex.py anchored/inner/x.py sub/anchored/inner/x.py foo/1/x.py foo/x.py y.py~ abc.py
a/c.py lib/x.py world/gen.py w/x/gen.py world/other.py wgen.py
"""


def is_ignored(ignores: Ignores, path: Path) -> bool:
    """As a walk asks: about each folder above the file, then about the file."""
    folders = [folder for folder in path.parents if folder.is_relative_to(Path.cwd()) and folder != Path.cwd()]
    return any(ignores.match(str(folder), is_folder=True) for folder in folders) or ignores.match(
        str(path), is_folder=False
    )


@pytest.mark.skipif(shutil.which("git") is None, reason="git is the judge")
def test_gitignore_agrees_with_git(tree: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    write(tree, ".gitignore", text=LINES)
    names = [*NAMES.split(), "sp ace.py"]
    write(tree, *names)
    ask = ["git", "check-ignore", "--no-index", "--stdin", "-z"]
    answer = subprocess.run(ask, input="\0".join(names), capture_output=True, text=True, check=True)
    by_git = set(answer.stdout.split("\0")) - {""}
    ignores = Ignores().with_file(str(tree), str(tree / ".gitignore"))
    assert {name for name in names if is_ignored(ignores, tree / name)} == by_git


@pytest.mark.parametrize("line", ["!", "/", "!/", "[z-a].py", "back\\", "\ufeff"])
def test_a_line_that_is_no_pattern_is_left_out(tree: Path, line: str) -> None:
    write(tree, ".gitignore", text=f"{line}\n*.log\n")
    ignores = Ignores().with_file(str(tree), str(tree / ".gitignore"))
    assert ignores.match(str(tree / "a.log"), is_folder=False)
    assert not ignores.match(str(tree / "a.py"), is_folder=False)


def test_an_empty_gitignore_ignores_nothing(tree: Path) -> None:
    write(tree, ".gitignore", text="# nothing\n\n")
    assert Ignores().with_file(str(tree), str(tree / ".gitignore")) == Ignores()
    assert Ignores().with_file(str(tree), str(tree / "missing")) == Ignores()


def test_the_exclude_file_of_a_repository_counts(tree: Path) -> None:
    write(tree, ".git/info/exclude", text="scratch/\n")
    write(tree, ".gitignore", text="!scratch/\n")
    write(tree, "scratch/a.py", "notes/scratch/b.py", "c.py")
    assert found(".") == ["c.py", "notes/scratch/b.py", "scratch/a.py"]
    write(tree, ".gitignore", text="")
    assert found(".") == ["c.py"]
