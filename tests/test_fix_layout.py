"""A fix leaves code as formatters have it: what ruff, or black, has formatted before it, neither changes behind it."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from mllint.catalogue import pages as catalogue
from tests.fixing import fixed
from tests.pages import read_page, unclaimed

ROOT = Path(__file__).parent.parent
WIDTH = "120"
COMMANDS = {
    "ruff": (sys.executable, "-m", "ruff", "format", "--quiet", "--isolated", "--line-length", WIDTH),
    "black": (sys.executable, "-m", "black", "--quiet", "--line-length", WIDTH),
}


def formatted(formatter: str, texts: list[str], folder: Path) -> list[str]:
    """Texts as a formatter writes them, which is started once for all of them."""
    files = [folder / f"{number}.py" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    subprocess.run([*COMMANDS[formatter], str(folder)], capture_output=True, check=True)
    return [file.read_text(encoding="utf-8") for file in files]


def programs() -> dict[str, tuple[str, str]]:
    """The code before each fix of the pages, as one file, by where it stands; with the rule."""
    found = {}
    for info in catalogue.rules().values():
        if info.fix != "none" and info.name != "unused-suppression":
            for case in read_page((ROOT / "rules" / info.path).read_text(encoding="utf-8")):
                if case.before is not None:
                    found[f"{info.name}: {case.id}"] = info.name, unclaimed(case.before.source())
    return found


@pytest.mark.parametrize("formatter", sorted(COMMANDS))
def test_what_is_formatted_stays_formatted(formatter: str, tmp_path: Path) -> None:
    if find_spec(formatter) is None:
        pytest.skip(f"{formatter} is not installed")
    known = programs()
    before = formatted(formatter, [text for _, text in known.values()], tmp_path)
    rules = [rule for rule, _ in known.values()]
    after = [fixed({"main.py": text}, rule)["main.py"] for rule, text in zip(rules, before, strict=True)]
    again = formatted(formatter, after, tmp_path)
    assert [name for name, one, other in zip(known, after, again, strict=True) if one != other] == []
    assert sum(one != other for one, other in zip(before, after, strict=True)) > 50
