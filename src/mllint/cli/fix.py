"""`mllint check --fix`: fix what can be fixed, write it or show it, and say how much that was.

`--diff` shows the change as a patch and writes nothing. Files are replaced one by one, each as a whole; one that
somebody changed while mllint was at work is left alone.
"""

from __future__ import annotations

import difflib
import os
from collections import Counter
from typing import TYPE_CHECKING

from mllint.cli.terminal import complain, emit, style
from mllint.errors import MllintError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mllint.cli.options import Options
    from mllint.diagnostic import Diagnostic, Report
    from mllint.engine.mending import Mended
    from mllint.project.discovery import Discovery

__all__ = ["apply_fixes"]


def apply_fixes(report: Report, options: Options, found: Discovery, selected: frozenset[str], *, whole: bool) -> bool:
    """Fix the findings of a report; gives whether anything was fixed, or would be.

    Args:
        report: what is found, with fixes.
        options: the command line.
        found: the files of the run, and its settings.
        selected: names of the rules to run.
        whole: the report is all that is found in the files.

    Raises:
        MllintError: LibCST is not installed, or a file cannot be written.
    """
    from mllint.engine.mending import mend
    from mllint.fixes.concrete import require

    require()
    settings, unsafe = found.config, options.unsafe_fixes
    roots = [options.context] if options.context else options.paths
    tops = [os.path.realpath(top) for top in (*roots, *options.paths) or (".",)]
    kept = _written_through(report, tops)
    mended = mend(
        kept, found, roots,
        selected=selected, pedantic=settings.pedantic, unsafe=unsafe, all_of_it=whole,
    )  # fmt: skip
    if options.diff:
        emit(_patch(mended, options))
    else:
        _write(mended, tops)
    if options.show_fixes:
        emit(_listed(mended))
    if not options.quiet:
        complain(_summary(mended, report, options))
    return bool(mended.fixed)


def _patch(mended: Mended, options: Options) -> Iterator[str]:
    """The change as a patch that `patch -p0` and `git apply -p0` read; of a notebook, of its JSON."""
    look = style(options.color)
    paint = {"+": "good", "-": "error", "@": "frame"}
    for path, after in mended.after.items():
        before = _lines(mended.before[path])
        for line in difflib.unified_diff(before, _lines(after), path, path, lineterm="\n"):
            text = line.removesuffix("\n")
            kind = paint.get(text[:1]) if not text.startswith(("+++", "---")) else None
            yield look(text, kind) if kind else text
            if not line.endswith("\n"):
                yield "\\ No newline at end of file"


def _lines(data: bytes) -> list[str]:
    """The lines of a file, with their ends, as far as it can be read."""
    from mllint.errors import SourceError
    from mllint.sources.decoding import decode

    try:
        text = decode(data)
    except SourceError:
        text = data.decode("utf-8", "replace")
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _written_through(report: Report, tops: Sequence[str]) -> list[Diagnostic]:
    """The findings in files that may be written."""
    out = {path for path in {d.span.path for d in report.diagnostics if d.fix is not None} if _leads_out(path, tops)}
    for path in sorted(out):
        complain(f"note: {path}: nothing is fixed here: the link leads out of what is checked")
    return [d for d in report.diagnostics if d.span.path not in out]


def _leads_out(path: str, tops: Sequence[str]) -> bool:
    """Does a file lie outside of all that the command line names? A link that leads there comes with the project, and
    may be a stranger's."""
    place = os.path.realpath(path)
    return not any(place == top or place.startswith(os.path.join(top, "")) for top in tops)


def _write(mended: Mended, tops: Sequence[str]) -> None:
    from mllint.files.writing import replace
    from mllint.project.discovery import read

    for path, data in mended.after.items():
        if _leads_out(path, tops):
            continue  # an edit beside a finding in another file
        try:
            if read(path) != mended.before[path]:
                complain(f"note: {path}: was changed in the meantime, nothing is fixed here")
                continue
            replace(os.path.realpath(path), data)  # a link stays a link
        except OSError as error:
            raise MllintError(f"`{path}` cannot be written: {error.strerror or error}") from None


def _listed(mended: Mended) -> Iterator[str]:
    """Each file with the rules that were fixed in it, and how often."""
    from mllint.neutral import clean
    from mllint.report import counted

    by_path: dict[str, Counter[str]] = {}
    for diagnostic in mended.fixed:
        by_path.setdefault(diagnostic.span.path, Counter())[diagnostic.rule] += 1
    yield f"Fixed {counted(len(mended.fixed), 'finding')}:"
    for path, rules in by_path.items():
        yield f"- {clean(path)}:"
        titles = {d.rule: d.fix.message for d in mended.fixed if d.fix is not None and d.span.path == path}
        yield from (f"    {number} x {rule} ({titles[rule]})" for rule, number in sorted(rules.items()))


def _summary(mended: Mended, report: Report, options: Options) -> str:
    """How much was fixed, and what would be fixed by `--unsafe-fixes`."""
    from mllint.report import counted

    hidden = sum(d.fix is not None and not d.fix.safe for d in report.diagnostics) if not options.unsafe_fixes else 0
    more = f" ({counted(hidden, 'unsafe fix', 'unsafe fixes')} more with `--unsafe-fixes`)" if hidden else ""
    if not mended.fixed:
        return f"No fixes{more}"
    verb = "Would fix" if options.diff else "Fixed"
    files = counted(len(mended.after), "file")
    return f"{verb} {counted(len(mended.fixed), 'finding')} in {files}{more}"
