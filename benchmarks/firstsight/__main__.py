"""How often is mllint right about code that nobody here has read? The command of the first-sight benchmark.

    python -m benchmarks.firstsight draw --seed 20261125     the order in which the candidates are taken
    python -m benchmarks.firstsight check FOLDER             check the sample below a folder: what became of the labels?
    python -m benchmarks.firstsight check FOLDER --update    and add what is new to labels.json, without a label
    python -m benchmarks.firstsight label FOLDER             read the findings without a label, one after the other
    python -m benchmarks.firstsight report                   the figures of each round

The package's docstring is the protocol. The sources of `owner/name` lie in FOLDER/owner+name, at the commit that
`sample.json` names, without files of more than 2 MB; fetching them is up to you.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from benchmarks.ecosystem.process import check
from benchmarks.firstsight import labels, sample
from benchmarks.firstsight.labels import Finding
from benchmarks.firstsight.sample import Repository, folder

HERE = os.path.dirname(os.path.abspath(__file__))
CANDIDATES = os.path.join(HERE, "candidates.txt")
SAMPLE = os.path.join(HERE, "sample.json")
LABELS = os.path.join(HERE, "labels.json")
ANSWERS = {"t": "true", "d": "debatable", "f": "false"}
AROUND = 12  # lines above and below a finding


def main(arguments: Sequence[str]) -> int:
    """Run one of the commands."""
    options = _parser().parse_args(arguments)
    if options.command == "draw":
        for name, word in sample.draw(sample.candidates(_read(CANDIDATES)), options.seed):
            print(f"{name}\t{word}")
        return 0
    found = labels.load(_read(LABELS))
    if options.command == "report":
        _report(sample.load(_read(SAMPLE)), found)
        return 0
    if options.command == "label":
        _write(LABELS, labels.dump(read(found, partial(_quote, options.folder), input)))
        return 0
    return _check(options.folder, found, options.limit, options.update)


def read(found: Sequence[Finding], quote: Callable[[Finding], str], ask: Callable[[str], str]) -> list[Finding]:
    """Ask for a label and a reason for each finding that has none; an empty answer ends the reading.

    Args:
        found: all findings.
        quote: gives the code around a finding.
        ask: shows a text and gives the answer: `t`, `d` or `f`, and the reason.
    """
    done = list(found)
    for index, one in enumerate(found):
        if one.label:
            continue
        answer, _, reason = ask(f"\n{one.place} {one.rule}\n{quote(one)}\nt, d or f, and why: ").strip().partition(" ")
        if not answer:
            break
        if answer in ANSWERS and reason:
            done[index] = one._replace(label=ANSWERS[answer], reason=reason)
    return done


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.firstsight", description="Precision at first sight.")
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="the order of the candidates")
    drawing.add_argument("--seed", type=int, required=True)
    checking = commands.add_parser("check", help="check the sample")
    checking.add_argument("folder", help="where the sources lie")
    checking.add_argument("--limit", type=int, default=400, help="CPU seconds for one repository")
    checking.add_argument("--update", action="store_true", help="add new findings to labels.json")
    labelling = commands.add_parser("label", help="read what has no label")
    labelling.add_argument("folder", help="where the sources lie")
    commands.add_parser("report", help="the figures")
    return parser


def _check(top: str, labelled: list[Finding], limit: int, update: bool) -> int:
    """Check each repository of the sample; the exit code is 1 if one of them is missing or did not finish."""
    repositories = sample.load(_read(SAMPLE))
    with ThreadPoolExecutor(2) as pool:
        checked = list(pool.map(lambda one: _one(top, one, limit), repositories))
    found = [finding for _, findings, _ in checked for finding in findings]
    problems = [f"{one.name}: {problem}" for one, _, problem in checked if problem]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(labels.fate(labelled, found))
    if update:
        _write(SAMPLE, sample.dump(one for one, _, _ in checked))
        _write(LABELS, labels.dump(labels.merged(labelled, found)))
    return int(bool(problems))


def _one(top: str, repository: Repository, limit: int) -> tuple[Repository, list[Finding], str]:
    """One repository with its size, what was found in it, and what went wrong."""
    sources = folder(top, repository.name)
    if not os.path.isdir(sources):
        return repository, [], f"not in {top}"
    run = check(sources, limit)
    if run.problem:
        return repository, [], run.problem
    report = json.loads(run.output)
    unparsed = sum(d["rule"] == "syntax-error" for d in report["diagnostics"])
    size = repository._replace(files=report["summary"]["files"], lines=report["summary"]["lines"], unparsed=unparsed)
    return size, labels.findings(repository.name, report["diagnostics"]), ""


def _quote(top: str, finding: Finding) -> str:
    """The lines around a finding, of its file or its notebook's cell."""
    with open(os.path.join(folder(top, finding.repository), finding.path), encoding="utf-8", errors="replace") as file:
        text = file.read()
    if finding.cell is not None:
        text = "".join(json.loads(text)["cells"][finding.cell - 1]["source"])
    lines = text.splitlines()
    first, last = max(finding.line - AROUND, 1), min(finding.line + AROUND, len(lines))
    return "\n".join(f"{'>' if n == finding.line else ' '}{n:5} {lines[n - 1]}" for n in range(first, last + 1))


def _report(repositories: Sequence[Repository], found: Sequence[Finding]) -> None:
    """The size of each round, and its figures."""
    for number in sorted({one.round for one in repositories}):
        drawn = [one for one in repositories if one.round == number]
        names = {one.name for one in drawn}
        files, lines = sum(one.files for one in drawn), sum(one.lines for one in drawn)
        unparsed = sum(one.unparsed for one in drawn)
        print(f"## Round {number}\n")
        print(f"{len(drawn)} repositories, {files:,} files, {lines:,} lines; {unparsed} files do not parse.\n")
        print(labels.report([one for one in found if one.repository in names]), "\n")
    print(f"{sum(not one.label for one in found)} findings have no label.")


def _read(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
