"""`mllint check --watch`: check again whenever a file changes.

The operating system says when something changes in the folders of the run (watchfiles, which comes with the extra
`watch`). Whether that concerns the run is decided by the stamps of its files, configurations and lock files. Each run
is a process of its own, so that nothing of one stays for the next; what has not changed comes from the cache.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from mllint.cli.terminal import INTERRUPTED, complain
from mllint.errors import MllintError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mllint.cli.options import Options

__all__ = ["watch"]

_CLEAR = "\x1b[2J\x1b[H"
_NEVER = frozenset((".git", ".hg", ".mllint_cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"))
_MLLINT = "import sys; sys.path[:] = filter(None, sys.path); from mllint.cli import run; run()"
"""`python -m mllint` would take modules of Python itself (`runpy`, `warnings`) from the folder that is watched."""


def watch(words: Sequence[str], options: Options) -> int:
    """Check until somebody interrupts; gives the exit code.

    Args:
        words: the command line behind `check`.
        options: what it says.

    Raises:
        UsageError: watchfiles is not installed.
    """
    words = [word for word in words if word != "--watch"]
    before: dict[str, object] | None = None
    try:
        for now in _looks(options):
            if now != before:
                _show(words, options, "" if before is None else _changed(before, now))
                before = now
    except KeyboardInterrupt:
        pass
    return INTERRUPTED


def _looks(options: Options) -> Iterator[dict[str, object]]:
    """What a run rests on, now and after each change of something."""
    try:
        import watchfiles
    except ModuleNotFoundError:
        raise UsageError("`--watch` needs watchfiles: run `pip install 'mllint-check[watch]'`") from None

    def matters(_: watchfiles.Change, path: str) -> bool:
        return _NEVER.isdisjoint(path.split(os.sep))

    now = _look(options)
    folders = [*options.paths, *([options.context] if options.context else [])] or ["."]
    above = [path for path, state in now.items() if state is not None and os.path.isfile(path)]
    places = dict.fromkeys(os.path.abspath(place) for place in (*folders, *above) if os.path.exists(place))
    watcher = watchfiles.watch(
        *places, watch_filter=matters, debounce=400, rust_timeout=2000, raise_interrupt=True, yield_on_timeout=True
    )
    yield now
    for _ in watcher:
        yield _look(options)


def _show(words: Sequence[str], options: Options, what: str) -> None:
    """Check, and say why; on a terminal each run has the screen."""
    terminal = sys.stdout.isatty()
    if terminal:
        sys.stdout.write(_CLEAR)
        sys.stdout.flush()
    elif what and not options.quiet:
        complain(what)
    _run(words)
    if not options.quiet and not what:
        complain("watching for changes, Ctrl-C ends")
    elif not options.quiet and terminal:  # what was said is no longer on the screen
        complain(f"{what}, checked again at {time.strftime('%H:%M:%S')}; Ctrl-C ends")


def _look(options: Options) -> dict[str, object]:
    """What a run rests on: each file with its stamp."""
    from mllint.cli.settings import settings_for
    from mllint.config.files import candidates
    from mllint.project.discovery import discover

    paths = options.paths or ["."]
    stamps: dict[str, object] = {path: _stamp(path) for path in candidates(paths)}
    try:
        settings = settings_for(options)
        found = discover([*paths, *([options.context] if options.context else [])], settings)
    except MllintError as error:
        return {**stamps, "": str(error)}  # the run reports it; what repairs it is a change
    stamps.update(zip(found.files, found.stamps, strict=True))
    layers = [layer for one in found.config.all for layer in one.layers]
    stamps.update((layer.path, _stamp(layer.path)) for layer in layers if layer.path)
    return stamps


def _stamp(path: str) -> object:
    from mllint.project.discovery import stamp

    try:
        return stamp(os.stat(path))
    except OSError:
        return None


def _changed(before: dict[str, object], now: dict[str, object]) -> str:
    from mllint.config.files import shown

    names = sorted(shown(path) for path in {*before, *now} if path and before.get(path) != now.get(path))
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0] if names else 'something'}{more} changed"


def _run(words: Sequence[str]) -> None:
    """Check once, in a process of its own."""
    apart = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Ctrl-C is for whoever watches, who ends the run
    command = [sys.executable, "-c", _MLLINT, "check", *words]
    subprocess.run(command, check=False, creationflags=apart, start_new_session=not apart)
