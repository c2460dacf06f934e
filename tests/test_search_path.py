"""Which folders does a script put on the path, and what do its imports mean there?"""

from __future__ import annotations

import pytest

from mllint.config.model import Config
from mllint.engine.run import check_paths
from mllint.project.discovery import Memory
from mllint.project.imports import imports, partition
from mllint.project.search_path import searched_folders


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("sys.path.append('..')", "..net"),
        ("sys.path.append('lib')", ".lib.net lib.net"),
        ("sys.path.insert(0, './lib/')", ".lib.net lib.net"),
        ("sys.path.append(os.getcwd())", ".net"),
        ("sys.path.append(os.path.dirname(__file__) + '/lib')", ".lib.net"),
        ("sys.path.insert(0, os.path.join(os.path.dirname(__file__), '..', 'src'))", "..src.net"),
        ("sys.path.insert(0, os.path.join(os.path.dirname(__file__), os.pardir))", "..net"),
        ("sys.path.append(dirname(dirname(abspath(__file__))))", "..net"),
        ("HERE = Path(__file__).resolve()\nsys.path.append(str(HERE.parent.parent / 'lib'))", "..lib.net"),
        ("sys.path += [str(Path(__file__).parents[2]), 'lib']", "...net .lib.net lib.net"),
        ("sys.path.extend(['a', f'{os.getcwd()}/b'])", ".a.net .b.net a.net b.net"),
        ("sys.path.append(Path.cwd().joinpath('lib').as_posix())", ".lib.net lib.net"),
        ("sys.path.append('/home/me/lib')", ""),
        ("sys.path.append('a b')", ""),
        ("sys.path.append(sys.argv[1])", ""),
        ("ROOT = one()\nROOT = other()\nsys.path.append(ROOT)", ""),
        ("ROOT = ROOT\nsys.path.append(ROOT)", ""),
        ("sys.path.append(", ""),
        ("sys.path", ""),
    ],
)
def test_folders_are_read_off_the_text(text: str, names: str) -> None:
    found = {there for folder in searched_folders(text) for there in folder.names("net")}
    assert found == set(names.split())


def test_a_folder_on_the_path_ties_its_files_to_the_script() -> None:
    given = {
        "scripts/train.py": "import sys\nsys.path.append('../lib')\nimport net\n",
        "lib/net.py": "",
        "more/net.py": "",
    }
    memory = Memory({path: text.encode() for path, text in given.items()})
    found = partition({path: imports(text) for path, text in given.items()}, memory.locate, memory.package)
    assert found == [["lib/net.py", "scripts/train.py"], ["more/net.py"]]


def test_what_is_imported_from_a_folder_on_the_path_is_followed(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("scripts", "model-code"):
        (tmp_path / folder).mkdir()
    (tmp_path / "model-code/heads.py").write_text(
        "import torch.nn.functional as F\n\ndef head(x):\n    return F.softmax(x, 1)\n"
    )
    script = "from heads import head\nimport torch.nn.functional as F\nloss = F.cross_entropy(head(x), y)\n"
    for added, lines in (("", []), ("sys.path.append(str(Path(__file__).parent / '../model-code'))\n", [4])):
        (tmp_path / "scripts/train.py").write_text(added + script)
        report = check_paths(["."], Config(), selected=frozenset({"double-softmax"}), pedantic=False)
        assert [d.span.start.line for d in report.diagnostics] == lines
