"""Does a certain finding rest on a mere name?

Every example of the pages, shapes and regressions is rewritten with words that mean nothing (`meaningless`), and
without its comments: no certain finding may appear, none may vanish. What does is listed in `names_known.txt` with its
reason; the list only shrinks. An entry that holds no longer is taken out by

    python -m tests.metamorphic.test_names

which writes the list anew, keeps the reasons that are there, and refuses entries that were not there before.
"""

from __future__ import annotations

import os
import sys
import zlib
from collections.abc import Iterator

import pytest

from mllint.catalogue import pages as catalogue
from mllint.config.load import load as load_config
from tests.metamorphic.meaningless import meaningless
from tests.metamorphic.program import Program
from tests.metamorphic.specimens import ROOT, Specimen, findings, specimens
from tests.pages import Case, read_page

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "names_known.txt")
SHARE = 24
"""One example in so many is taken in every run; `--metamorphic=full` takes all."""


def examples() -> Iterator[Specimen]:
    """Every example whose findings are certain ones: pages, shapes, regressions."""
    yield from (s for s in specimens() if not s.pedantic)
    regular = frozenset(n for n, info in catalogue.rules().items() if info.persona == "regular")
    for kind in ("shapes", "regressions"):
        for folder, _, names in sorted(os.walk(os.path.join(ROOT, "tests", kind))):
            for name in sorted(n for n in names if n.endswith(".md")):
                path = os.path.join(folder, name)
                title = f"{kind}/{os.path.relpath(path, os.path.join(ROOT, 'tests', kind)).removesuffix('.md')}"
                with open(path, encoding="utf-8") as stream:
                    cases = read_page(stream.read())
                yield from (_specimen(title, case, regular) for case in cases if _is_plain(case))


def _specimen(title: str, case: Case, rules: frozenset[str]) -> Specimen:
    files = {path: block.source() for path, block in case.files.items()}
    return Specimen(f"{title}: {case.id}", "project", files, rules, False, load_config([], True))


def _is_plain(case: Case) -> bool:
    texts = [block.source() for block in case.files.values()]
    own = case.config or case.role == "pedantic" or any("mllint:" in text for text in texts)
    return not own and all(path.endswith(".py") for path in case.files)


def differences(specimen: Specimen) -> list[str]:
    """The certain findings that a renamed example lost and gained."""
    try:
        program = Program(specimen.files)
    except SyntaxError:
        return []
    original = program.as_it_stands(program)
    before = original.places(findings(specimen, specimen.files))
    if not meaningless(program):
        return []
    written = program.write()
    after = written.places(findings(specimen, written.texts))
    lost = [f"lost {place.rule}" for place in sorted(before - after, key=str)]
    return lost + [f"gained {place.rule}" for place in sorted(after - before, key=str)]


def known() -> dict[str, str]:
    """Example -> reason, as the list has them."""
    with open(LIST, encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream if line.strip() and not line.startswith("#")]
    return {row[0]: row[1] for row in rows}


def test_no_certain_finding_rests_on_a_name(request: pytest.FixtureRequest) -> None:
    full = request.config.getoption("--metamorphic") == "full"
    listed = known()
    wrong = []
    for specimen in examples():
        if not full and zlib.crc32(specimen.id.encode()) % SHARE:
            continue
        found = differences(specimen)
        if found and specimen.id not in listed:
            wrong.append(f"{specimen.id}: {', '.join(found)}")
        elif full and not found and specimen.id in listed:
            wrong.append(f"{specimen.id}: rests on no name any more, write the list anew")
    assert not wrong, "meaningless names change what is certain:\n" + "\n".join(wrong)


def test_every_entry_has_a_reason() -> None:
    assert all(": " in reason for reason in known().values()), "`lost RULE: why`"


def test_at_most_five_percent_rest_on_names() -> None:
    assert len(known()) <= 0.05 * sum(1 for _ in examples())


def rewrite(*, grow: bool = False) -> int:
    """Write the list anew from what differs today.

    Returns:
        the number of examples that differ and were not listed; they are added only where the list may grow.
    """
    listed = known() if os.path.exists(LIST) else {}
    rows, new = [], 0
    for specimen in examples():
        found = differences(specimen)
        if not found:
            continue
        new += specimen.id not in listed
        if specimen.id in listed or grow:
            changes = dict.fromkeys(found)
            rows.append(f"{specimen.id}\t{listed.get(specimen.id) or ', '.join(changes)}\n")
    with open(LIST, "w", encoding="utf-8") as stream:
        stream.write(HEADER)
        stream.writelines(sorted(rows))
    return new


HEADER = """\
# Examples of which a certain finding rests on a name of the user's: what meaningless names change, and why only a name
# can say it there. At most 5% of the examples; `test_names` holds it.
# This list only shrinks: `python -m tests.metamorphic.test_names`.
"""

if __name__ == "__main__":
    sys.exit(1 if rewrite(grow="--grow" in sys.argv) else 0)
